"""Robots from URDF.

Links, hinges, slides and fixed joints are taken over as they are, with their axes. A floating joint is the base of a robot, a
planar one two slides and a hinge. What hangs on nothing floats, unless the root is a link `world`.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from footfall.errors import FileError
from footfall.model import transforms
from footfall.model.parts import WORLD, Joint, Link, Motor
from footfall.model.reading.blueprint import Blueprint, Missing, Solid, as_read, row, turned_inertia
from footfall.model.reading.folder import Folder
from footfall.model.reading.hull import Cloud
from footfall.model.reading.mesh import Mesh, read_mesh
from footfall.model.reading.xml import Node
from footfall.model.urdf import UNBOUNDED

ZERO = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KINDS = {name: name for name in ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")}
SAME = 1e-9  # m: balls at the ends of a cylinder
VIEW = ("visual", "material")
KNOWN = {"link", "joint", "transmission", *VIEW}
OF_LINK = {"inertial", "collision", *VIEW}
OF_JOINT = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"}


def read_urdf(root: Node, folder: Folder, base: str | None = None, visual: bool = False) -> Blueprint:
    """The parts of a URDF. `base` says what holds the first link, if the file does not: it is free if left out.

    With `visual` a link without collision shapes has those for the view; so it is in a file without any collision shape.
    """
    return _Reader(root, folder, visual).blueprint(base)


class _Reader:
    def __init__(self, root: Node, folder: Folder, visual: bool):
        self.root, self.folder = root, folder
        self.visual = visual or not any(node.find("collision") for node in root.all("link"))
        self.found = Blueprint(root.get("name", "robot"), "URDF")
        self.meshes: dict[str, Mesh | str] = {}
        self.clouds: dict[tuple[str, tuple[float, ...]], Cloud] = {}
        self.geared = self._transmissions()

    def blueprint(self, base: str | None) -> Blueprint:
        links = self._by_name("link")
        joints = self._by_name("joint")
        ends = {name: (self._end(node, "parent", links), self._end(node, "child", links)) for name, node in joints.items()}
        ground = self._ground(links, joints, ends)
        for name, node in links.items():
            if name != ground:
                self.found.links[name] = self._link(name, node)
                self.found.solids[name] = self._solids(node)
        self.found.check_sizes()
        for name, node in joints.items():
            parent, child = ends[name]
            self._joint(name, node, WORLD if parent == ground else parent, child)
        self._hold(base, ground, ends)
        if self.visual and any(node.tag == "visual" for node in root_links(self.root)):
            self.found.decided.append("shapes: links without collision shapes have those for the view")
        self._say_rest()
        return self.found

    def _by_name(self, tag: str) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for node in self.root.all(tag):
            name = node.word("name")
            if name in found:
                raise node.error(f"there is another {tag} of that name, in line {found[name].line}")
            found[name] = node
        if not found and tag == "link":
            raise self.root.error("has no link")
        return found

    def _end(self, joint: Node, tag: str, links: dict[str, Node]) -> str:
        end = joint.need(tag)
        name = end.word("link")
        if name not in links:
            raise end.error(f"there is no link {name!r:.80}; the {tag} of a joint must be one of the links of the file")
        return name

    # --- the base ---------------------------------------------------------------------------------------------------------

    def _ground(self, links: dict[str, Node], joints: dict[str, Node], ends: dict[str, tuple[str, str]]) -> str:
        """The link that stands for the world: a root without mass and shape, if it is called so, or if something floats on it."""
        children = {child for _, child in ends.values()}
        roots = [name for name in links if name not in children]
        if len(roots) != 1:
            names = ", ".join(map(repr, roots[:5]))
            what = (
                f"{len(roots)} links that are no child of a joint ({names})" if roots else "no link that is no child of a joint"
            )
            raise self.root.error(f"must be a tree with one root; it has {what}")
        (root,) = roots
        bare = not any(links[root].find(tag) for tag in ("inertial", "collision"))
        floats = any(joints[name].get("type") == "floating" for name, (parent, _) in ends.items() if parent == root)
        if bare and joints and (root == WORLD or floats):
            return root
        if WORLD in links:
            raise links[WORLD].error(f"{WORLD!r} stands for the ground here; a link with mass or shapes needs another name")
        return ""

    def _hold(self, base: str | None, ground: str, ends: dict[str, tuple[str, str]]) -> None:
        """Hold what hangs on nothing by a joint of its own."""
        if ground:
            held = [joint for joint in self.found.joints if joint.parent == WORLD]
            self.found.decided.append(
                f"base: {', '.join(f'{joint.child!r} is {joint.kind} on {ground!r}' for joint in held[:5])}, as the file says"
            )
            return
        children = {child for _, child in ends.values()}
        root = next(name for name in self.found.links if name not in children)
        kind = base or "free"
        name = "base" if all(joint.name != "base" for joint in self.found.joints) else "base_joint"
        self.found.joints.insert(0, Joint(name, kind, WORLD, root, ZERO, ZERO))
        told = "as told" if base else "since the file holds it by nothing; base='fixed' holds it"
        self.found.decided.append(f"base: {root!r} {'floats' if kind == 'free' else 'is fixed to the world'}, {told}")

    # --- links ------------------------------------------------------------------------------------------------------------

    def _link(self, name: str, node: Node) -> Link:
        inertial = node.find("inertial")
        if inertial is None:
            return Link(name, 0.0, ZERO, (0.0,) * 6)
        at, turn = _origin(inertial)
        mass = inertial.need("mass").number("value", low=0.0)
        entries = inertial.find("inertia") or Node("inertia", {}, inertial.source, inertial.line)
        xx, yy, zz, xy, xz, yz = (entries.number(key, 0.0) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        R = transforms.of_part(ZERO, turn)[:3, :3]
        return as_read(Link(name, mass, at, turned_inertia(J, R)))

    def _solids(self, node: Node) -> list[Solid]:
        found = []
        viewed = self.visual and not node.find("collision")
        self.found.check_size("shapes of one link", sum(1 for _ in node.all("visual" if viewed else "collision")))
        for each in node.all("visual" if viewed else "collision"):
            solid = self._solid(each)
            if solid is None:
                file = next(part.get("filename") for part in each.every() if part.tag == "mesh")
                self.found.missing.setdefault(node.get("name"), []).append(Missing(file[-100:], _origin(each)[0]))
            if solid is not None:
                found.append(solid)
        return with_capsules(found)

    def _solid(self, collision: Node) -> Solid | None:
        at, turn = _origin(collision)
        name = collision.get("name")
        shape = next(iter(collision.need("geometry").children), None)
        if shape is None:
            raise collision.error("needs a shape in its <geometry>: a box, sphere, cylinder, capsule or mesh")
        if shape.tag == "box":
            size = shape.numbers("size", 3)
            if min(size) <= 0.0:
                raise shape.error(f"size must be above 0 m, got {shape.get('size')!r:.60}")
            return Solid("box", name, at, turn, size)
        if shape.tag == "sphere":
            return Solid("sphere", name, at, turn, (_length(shape, "radius"),))
        if shape.tag in ("cylinder", "capsule"):
            r, length = _length(shape, "radius"), _length(shape, "length")
            if shape.tag == "cylinder":
                return Solid("cylinder", name, at, turn, (r, length))
            way = transforms.of_part(ZERO, turn)[:3, 2] * length / 2
            return Solid("capsule", name, row(np.array(at) - way), size=(r,), end=row(np.array(at) + way))
        if shape.tag == "mesh":
            cloud = self._mesh(shape)
            return None if cloud is None else Solid("mesh", name, at, turn, cloud=cloud)
        raise shape.error("is no shape; a box, sphere, cylinder, capsule or mesh would be")

    def _mesh(self, node: Node) -> Cloud | None:
        name, scale = node.word("filename"), node.numbers("scale", (1, 3), (1.0,))
        if (name, scale) in self.clouds:
            return self.clouds[name, scale]
        if name not in self.meshes:
            self.meshes[name] = mesh_in(self.folder, name)
        mesh = self.meshes[name]
        if isinstance(mesh, str):
            self.found.notes.add("mesh", name[-100:], f"is left out: {mesh}")
            return None
        return self.clouds.setdefault((name, scale), Cloud(mesh.vertices * scale))

    # --- joints -----------------------------------------------------------------------------------------------------------

    def _joint(self, name: str, node: Node, parent: str, child: str) -> None:
        kind = node.choice("type", KINDS, "")
        at, turn = _origin(node)
        for tag in ("mimic", "safety_controller", "calibration"):
            each = node.find(tag)
            if each is not None and tag == "mimic":
                law = f"{each.number('multiplier', 1.0):g} times {each.get('joint')!r:.60} plus {each.number('offset', 0.0):g}"
                self.found.notes.add("joint", name, f"is to mimic, {law}; here it moves by itself")
            elif each is not None:
                self.found.notes.add("joint", name, f"its <{tag}> is left out")
        if kind == "fixed" or (kind == "floating" and parent == WORLD):
            self.found.joints.append(Joint(name, "fixed" if kind == "fixed" else "free", parent, child, at, turn))
        elif kind in ("floating", "planar"):
            self._pieces(Joint(name, "fixed", parent, child, at, turn), kind, _axis(node) if kind == "planar" else Z)
        else:
            self.found.joints.append(self._moving(name, node, kind, parent, child, at, turn))

    def _moving(self, name: str, node: Node, kind: str, parent: str, child: str, at: Any, turn: Any) -> Joint:
        dynamics = node.find("dynamics") or Node("dynamics", {}, node.source, node.line)
        armature = dynamics.number("armature", 0.0, low=0.0)
        return Joint(
            name,
            "prismatic" if kind == "prismatic" else "revolute",
            parent,
            child,
            at,
            turn,
            axis=_axis(node),
            limits=(-math.inf, math.inf) if kind == "continuous" else self._limits(name, node),
            damping=dynamics.number("damping", 0.0, low=0.0),
            friction=dynamics.number("friction", 0.0, low=0.0),
            motor=self._motor(name, node, armature),
        )

    def _limits(self, name: str, node: Node) -> tuple[float, float]:
        limit = node.find("limit")
        if limit is None or not {"lower", "upper"} & limit.attrib.keys():
            self.found.notes.add("joint", name, "has no limits in the file, although URDF demands them; it has none here")
            return -math.inf, math.inf
        low, high = (limit.number(key, 0.0, infinite=True) for key in ("lower", "upper"))
        if low > high:
            raise limit.error(f"lower must not be above upper, got {low:g} and {high:g}")
        return -math.inf if low <= -UNBOUNDED else low, math.inf if high >= UNBOUNDED else high

    def _motor(self, name: str, node: Node, armature: float) -> Motor | None:
        """A joint has a motor, unless its effort is said to be 0 and its speed is not."""
        limit = node.find("limit")
        gear, rotor = self.geared.get(name, (1.0, 0.0))
        inertia = {"rotor_inertia": rotor, "gear": gear} if rotor else {"rotor_inertia": armature} if armature else {"gear": gear}
        if limit is None:
            return Motor(**inertia)
        effort, speed = (limit.number(key, 0.0, infinite=True) for key in ("effort", "velocity"))
        if effort < 0.0 or speed < 0.0:
            said = f"its effort ({effort:g}) or velocity ({speed:g}) is below 0 in the file; here the sizes hold"
            self.found.notes.add("joint", name, said, limit.line)
            effort, speed = abs(effort), abs(speed)
        if effort == 0.0 and speed == 0.0:
            self.found.notes.add("joint", name, "has neither effort nor velocity in the file; its motor has no limits here")
            return Motor(**inertia)
        if effort == 0.0:
            return Motor(**inertia, torque=0.0) if armature or rotor else None
        bounded = {"torque": effort, "speed": speed or math.inf}
        return Motor(**inertia, **{key: math.inf if value >= UNBOUNDED else value for key, value in bounded.items()})

    def _pieces(self, joint: Joint, kind: str, axis: tuple[float, ...]) -> None:
        """A floating or planar joint as slides and turns, with links without mass between."""
        steps: list[tuple[str, str, Any]]
        if kind == "planar":
            first, second = _across(axis)
            steps = [("_1", "prismatic", first), ("_2", "prismatic", second), ("_turn", "revolute", axis)]
        else:
            steps = [("_x", "prismatic", X), ("_y", "prismatic", Y), ("_z", "prismatic", Z), ("_turn", "spherical", None)]
        self.found.notes.add("joint", joint.name, f"a {kind} joint is read as {len(steps)} with massless links between")
        parent, at, turn = joint.parent, joint.at, joint.turn
        for suffix, each, along in steps:
            last = suffix == "_turn"
            child = joint.child if last else joint.child + suffix
            if not last:
                self.found.links[child] = Link(child, 0.0, ZERO, (0.0,) * 6)
            self.found.joints.append(Joint(joint.name + suffix, each, parent, child, at, turn, axis=along))
            parent, at, turn = child, ZERO, ZERO

    # --- the rest ---------------------------------------------------------------------------------------------------------

    def _transmissions(self) -> dict[str, tuple[float, float]]:
        """Gear and rotor inertia of joints that have a transmission."""
        found = {}
        for node in self.root.all("transmission"):
            numbers = {}
            for tag, keys in (("gear", ("mechanicalReduction", "drake:gear_ratio")), ("rotor", ("drake:rotor_inertia",))):
                for each in (each for each in node.every() if each.tag in keys):
                    text = each.get("value") or each.text or ""
                    values = each.row(text, each.tag)
                    numbers[tag] = abs(values[0]) if len(values) == 1 else 0.0
            for joint in node.all("joint"):
                found[joint.get("name")] = (numbers.get("gear") or 1.0, numbers.get("rotor", 0.0))
        return found

    def _say_rest(self) -> None:
        """What is in the file besides."""
        rest: dict[str, int] = {}
        for node in self.root.children:
            known = {"link": OF_LINK, "joint": OF_JOINT}.get(node.tag)
            for each in (
                [node] if node.tag not in KNOWN else [child for child in node.children if known and child.tag not in known]
            ):
                rest[each.tag] = rest.get(each.tag, 0) + 1
            views = sum(child.tag in VIEW for child in node.children) if node.tag == "link" else int(node.tag in VIEW)
            rest["visual"] = rest.get("visual", 0) + views
        for tag, count in sorted(rest.items()):
            if count:
                what = "shapes and colours for the view are left out" if tag == "visual" else "left out"
                self.found.notes.add("element", f"{tag:.60}", f"{what} ({count})")


def root_links(root: Node) -> Iterator[Node]:
    """What the links of a file have."""
    return (child for link in root.all("link") for child in link.children)


def mesh_in(folder: Folder, name: str, within: str = "") -> Mesh | str:
    """The mesh of that name, or why there is none."""
    path = folder.find(name, within)
    if isinstance(path, str):
        return path
    try:
        return read_mesh(path)
    except FileError as error:
        return str(error)


def with_capsules(solids: list[Solid]) -> list[Solid]:
    """The shapes, a cylinder with a ball at each end being a capsule, which URDF does not have."""
    balls = [solid for solid in solids if solid.kind == "sphere"]
    found: list[Solid] = []
    for solid in solids:
        ends = _balls_at_ends(solid, balls) if solid.kind == "cylinder" and len(balls) > 1 else None
        if ends is None:
            found.append(solid)
            continue
        balls = [ball for ball in balls if all(ball is not end for end in ends)]
        found.append(Solid("capsule", solid.name, ends[0].at, size=ends[0].size, end=ends[1].at))
    return [solid for solid in found if solid.kind != "sphere" or any(solid is ball for ball in balls)]


def _balls_at_ends(cylinder: Solid, balls: list[Solid]) -> list[Solid] | None:
    """The balls at both ends of a cylinder, those that are called after it first."""
    r, length = cylinder.size
    way = cylinder.pose[:3, 2] * length / 2
    ends = []
    for x, y, z in ((np.array(cylinder.at) - way).tolist(), (np.array(cylinder.at) + way).tolist()):
        near = [ball for ball in balls if ball.size[0] == r and abs(ball.at[0] - x) <= SAME]
        near = [ball for ball in near if abs(ball.at[1] - y) <= SAME and abs(ball.at[2] - z) <= SAME]
        if not near:
            return None
        ends.append(max(near, key=lambda ball: ball.name.rpartition(".")[0] == cylinder.name))
    return ends


def _origin(node: Node) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Place and turn of what an <origin> says."""
    origin = node.find("origin")
    if origin is None:
        return ZERO, ZERO
    return origin.numbers("xyz", 3, ZERO), origin.numbers("rpy", 3, ZERO)


def _axis(joint: Node) -> tuple[float, ...]:
    node = joint.find("axis")
    axis = node.numbers("xyz", 3, X) if node is not None else X
    if not any(axis):
        raise (node or joint).error("xyz must not be all zero; it is the direction of the axis")
    return axis


def _across(axis: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two directions across an axis."""
    known = {X: (Y, Z), Y: (X, Z), Z: (X, Y)}
    if axis in known:
        return known[axis]
    unit = np.array(axis) / np.linalg.norm(axis)
    first = np.cross(unit, X if abs(unit[0]) < 0.9 else Y)
    first /= np.linalg.norm(first)
    return row(first), row(np.cross(unit, first))


def _length(node: Node, key: str) -> float:
    value = node.number(key)
    if value <= 0.0:
        raise node.error(f"{key} must be above 0 m, got {value:g}")
    return value
