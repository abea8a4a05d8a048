"""Robots from MJCF, read without MuJoCo.

Every body is a link. Several joints of one body become links without mass between; a link's origin is where its last joint sits.
Coordinates mean the same as in MuJoCo, also of joints with a reference position. Those of a free joint count from the world.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.model import transforms
from footfall.model.parts import WORLD, Frame, Joint, Link, Spring
from footfall.model.reading import mjcf_said as said
from footfall.model.reading.blueprint import MOST_SMALL, Blueprint, Missing, Solid, as_read, row, turned_inertia
from footfall.model.reading.folder import Folder
from footfall.model.reading.mjcf_actuators import add_motors, add_tendons
from footfall.model.reading.mjcf_geoms import NOTHING, Rigid, Shapes, place_of
from footfall.model.reading.mjcf_source import EXPAND, EXPANDS, Source
from footfall.model.reading.xml import Node

ZERO = (0.0, 0.0, 0.0)
KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
SIZES = {"revolute": 1, "prismatic": 1, "spherical": 4, "free": 7}
VIEW = ("visual", "statistic", "size", "custom", "asset", "default", "compiler", "option", "worldbody", "actuator", "tendon")
KEYED = ("qvel", "act", "ctrl")  # of keyframes, besides qpos
NOT_SAID = {  # attributes of joints that a robot has no word for
    "springdamper": "its springdamper is left out",
    "actuatorgravcomp": "compensation of gravity is left out",
}


class Inside(NamedTuple):
    """An element of a body, with the class that it inherits and the frame about it, in the body's axes."""

    node: Node
    inherited: str
    pose: np.ndarray


class Body(NamedTuple):
    """A body that is yet to be read: the link that carries it, and its axes in those of that link."""

    node: Node
    inherited: str
    parent: str
    pose: np.ndarray
    exact: Any  # (at, turn), where the file says these very numbers


def read_mjcf(root: Node, folder: Folder, visual: bool = False) -> Blueprint:
    """The parts of an MJCF file. With `visual`, or where nothing can collide, shapes for the view count as well."""
    return _Reader(root, folder, visual).blueprint()


class _Reader:
    def __init__(self, root: Node, folder: Folder, visual: bool):
        self.source = Source(root, folder)
        self.found = Blueprint(root.get("model", "MuJoCo Model"), "MJCF")
        self.shapes = Shapes(self.source, self.found)
        self.groups = self.source.compiler.numbers("inertiagrouprange", 2, (0.0, 5.0))
        pairs = (node for node in self.source.all("contact") if node.tag == "pair")
        self.paired = {node.get(key) for node in pairs for key in ("geom1", "geom2")} - {""}
        self.visual, self.viewed = visual, 0
        self.sizes: list[tuple[str, int]] = []  # joints in MuJoCo's order, with their coordinates
        self.start: dict[str, tuple[float, ...]] = {}
        self.nodes: dict[str, Node] = {}  # joints by name
        self.bodies: set[str] = set()

    def blueprint(self) -> Blueprint:
        found, source = self.found, self.source
        self._gravity()
        world = Node("body", {}, source.root.source, source.root.line)
        world.children = list(source.all("worldbody"))
        self._world(world)
        self._total()
        add_motors(source, found, self.nodes)
        add_tendons(source, found, self.nodes)
        self._keyframes()
        self._say_rest()
        return found

    # --- bodies -----------------------------------------------------------------------------------------------------------

    def _world(self, world: Node) -> None:
        self.found.check_size("links", sum(node.tag == "body" for part in world.children for node in part.every()))
        waiting: list[Body] = []
        for inside in self._contents(world, ""):
            if inside.node.tag == "body":
                waiting.append(self._below(inside, WORLD, np.zeros(3)))
            elif inside.node.tag in ("geom", "site"):
                self.found.notes.add("element", inside.node.tag, "on the world are left out: the ground is that of the world")
        waiting.reverse()
        while waiting:
            waiting += reversed(self._body(waiting.pop()))
            self.found.check_sizes()
        if not self.found.links:
            raise self.source.root.error("has no body")

    def _contents(self, node: Node, inherited: str) -> list[Inside]:
        """What a body holds, frames opened, in the order of the file."""
        found: list[Inside] = []
        waiting = [Inside(child, inherited, np.eye(4)) for child in reversed(node.children)]
        while waiting:
            inside = waiting.pop()
            if inside.node.tag in EXPANDS:
                raise inside.node.error(EXPAND)
            if inside.node.tag == "frame":
                name = inside.node.get("childclass") or inside.inherited
                pose = inside.pose @ place_of(self.source, inside.node)
                waiting += [Inside(child, name, pose) for child in reversed(inside.node.children)]
            else:
                found.append(inside)
        return found

    def _below(self, inside: Inside, parent: str, shift: np.ndarray) -> Body:
        """A body on a link whose origin is at `shift` of its body."""
        own = place_of(self.source, inside.node)
        plain = np.array_equal(inside.pose, np.eye(4)) and not shift.any()
        turn = self.source.turn(inside.node)
        exact = None
        if plain and (turn is None or isinstance(turn, tuple)):
            exact = (inside.node.numbers("pos", 3, ZERO), turn or ZERO)
        pose = inside.pose @ own
        pose[:3, 3] -= shift
        return Body(inside.node, inside.inherited, parent, pose, exact)

    def _body(self, body: Body) -> list[Body]:
        """Add a body, its joints and what it carries; the bodies on it are returned."""
        node, found = body.node, self.found
        name = node.get("name") or self._unnamed("body", self.bodies)
        if name in self.bodies or name == WORLD:
            raise node.error("another body has this name" if name != WORLD else "the world is the one that is there already")
        self.bodies.add(name)
        if node.get("mocap") == "true" or node.number("gravcomp", 0.0):
            found.notes.add("body", name, "mocap and gravcomp are left out")
        inherited = node.get("childclass") or body.inherited
        inside = self._contents(node, inherited)
        joints = [each for each in inside if each.node.tag in ("joint", "freejoint")]
        shift = self._chain(name, body, joints)
        back = transforms.rigid(np.eye(3), -shift)
        found.check_size("shapes of one body", sum(each.node.tag == "geom" for each in inside))
        found.check_size("frames", len(found.frames) + sum(each.node.tag == "site" for each in inside), MOST_SMALL)
        geoms = [each._replace(node=self.source.full(each.node, each.inherited)) for each in inside if each.node.tag == "geom"]
        found.links[name] = self._link(name, inside, geoms, back)
        found.solids[name] = [solid for each in geoms for solid in self._solid(each, back, name)]
        for each in inside:
            if each.node.tag == "site" and each.node.get("name"):
                site = self.source.full(each.node, each.inherited)
                found.frames.append(self._frame(site, name, back @ each.pose, np.array_equal(back @ each.pose, np.eye(4))))
            elif each.node.tag not in ("joint", "freejoint", "geom", "site", "inertial", "body", "frame"):
                found.notes.add("element", each.node.tag, "left out")
        return [self._below(each, name, shift) for each in inside if each.node.tag == "body"]

    def _unnamed(self, what: str, taken: Any) -> str:
        number = 1
        while f"{what}_{number}" in taken:
            number += 1
        return f"{what}_{number}"

    def _frame(self, site: Node, link: str, pose: np.ndarray, plain: bool) -> Frame:
        turn = self.source.turn(site)
        if plain and (turn is None or isinstance(turn, tuple)):
            return Frame(site.get("name"), link, row(site.numbers("pos", 3, ZERO)), row(turn or ZERO))
        T = pose @ place_of(self.source, site)
        return Frame(site.get("name"), link, row(T[:3, 3]), transforms.roll_pitch_yaw(T[:3, :3]))

    def _solid(self, inside: Inside, back: np.ndarray, link: str) -> list[Solid]:
        node = inside.node
        touches = node.number("contype", 1.0) or node.number("conaffinity", 1.0) or node.get("name") in self.paired
        if not touches and not self.visual:
            self.viewed += 1
            return []
        solid = self.shapes.solid(node, back @ inside.pose)
        if solid is None and "mesh" in node.attrib:
            place = back @ inside.pose @ place_of(self.source, node)
            self.found.missing.setdefault(link, []).append(Missing(node.get("mesh")[:100], row(place[:3, 3])))
        return [solid] if solid is not None else []

    # --- joints -----------------------------------------------------------------------------------------------------------

    def _chain(self, name: str, body: Body, joints: list[Inside]) -> np.ndarray:
        """The joints of a body, one after the other; where the link's origin is, in the body's axes."""
        found = self.found
        R, at = body.pose[:3, :3], body.pose[:3, 3]
        exact = body.exact or (row(at), transforms.roll_pitch_yaw(R))
        if not joints:
            joint = self._joint_name("", name)
            found.joints.append(Joint(joint, "fixed", body.parent, name, row(exact[0]), row(exact[1])))
            return np.zeros(3)
        parent, origin = body.parent, None
        for number, inside in enumerate(joints):
            node = self.source.full(inside.node, inside.inherited) if inside.node.tag == "joint" else inside.node
            kind = "free" if node.tag == "freejoint" else node.choice("type", KINDS, "hinge")
            joint = self._joint_name(node.get("name"), f"{name}_{kind}")
            self.nodes[joint] = node
            last = number == len(joints) - 1
            child = name if last else f"{name}_{joint}"
            if kind == "free":
                self._free(joint, node, body, name, len(joints))
                return np.zeros(3)
            anchor = (inside.pose @ (*node.numbers("pos", 3, ZERO), 1.0))[:3]
            turn: Any = ZERO
            if origin is None:
                place = row(at + R @ anchor) if anchor.any() else row(exact[0])
                turn = row(exact[1])
            else:
                place = row(anchor - origin)
            moving = self._moving(joint, node, kind, inside.pose[:3, :3])
            place, turn = _referred(moving, self._reference(node, kind), place, turn)
            found.joints.append(Joint(**{**vars(moving), "parent": parent, "child": child, "at": place, "turn": turn}))
            self.sizes.append((joint, SIZES[moving.kind]))
            if not last:
                found.links[child] = Link(child, 0.0, ZERO, (0.0,) * 6)
            parent, origin = child, anchor
        return origin if origin is not None else np.zeros(3)

    def _joint_name(self, given: str, otherwise: str) -> str:
        name = given or otherwise
        number = 2
        while name in self.nodes:
            name, number = f"{given or otherwise}_{number}", number + 1
        self.nodes.setdefault(name, Node("joint", {}, self.source.root.source, self.source.root.line))
        return name

    def _free(self, joint: str, node: Node, body: Body, name: str, count: int) -> None:
        if body.parent != WORLD or count > 1:
            raise node.error("a free joint must be the only one of a body on the world")
        acting = ("damping", "stiffness", "armature", "frictionloss")
        if node.tag == "joint" and any(any(node.row(node.get(key), key)) for key in acting):
            self.found.notes.add(
                "joint", joint, "a free joint has no damping, spring, armature and friction here; they are left out"
            )
        if node.get("align", "auto") == "true" or self.source.compiler.get("alignfree") == "true":
            self.found.notes.add(
                "joint", joint, "is not aligned with the inertia of its body; coordinates are those of its frame"
            )
        self.found.joints.append(Joint(joint, "free", WORLD, name, ZERO, ZERO))
        self.sizes.append((joint, SIZES["free"]))
        w, x, y, z = _quaternion(body.pose[:3, :3])
        self.start[joint] = (*row(body.pose[:3, 3]), w, x, y, z)
        self.found.decided.append(f"base: {name!r} floats by the joint {joint!r}, as the file says")

    def _moving(self, name: str, node: Node, kind: str, axes: np.ndarray) -> Joint:
        """A hinge, slide or ball with what acts in it; its ends and place are yet to come."""
        hinged = kind in ("revolute", "prismatic")
        limits = self.source.limits(node, "range", angle=kind == "revolute") if hinged else (-math.inf, math.inf)
        if not hinged and self.source.limits(node, "range")[1] < math.inf:
            self.found.notes.add("joint", name, "the limit of a ball joint is left out")
        axis = None
        if hinged:
            given = node.numbers("axis", 3, (0.0, 0.0, 1.0))
            if not any(given):
                raise node.error("axis must not be all zero")
            axis = given if np.array_equal(axes, np.eye(3)) else row(axes @ given)
        stiffness, damping = (said.first(self.found, "joint", name, node, key) for key in ("stiffness", "damping"))
        spring = None
        if stiffness and hinged:
            rest = node.number("springref", 0.0)
            spring = Spring(stiffness, self.source.angle(rest) if kind == "revolute" else rest)
        elif stiffness:
            self.found.notes.add("joint", name, "the spring of a ball joint is left out")
        for key, what in NOT_SAID.items():
            if any(node.row(node.get(key), key) if key == "springdamper" else [node.get(key) == "true"]):
                self.found.notes.add("joint", name, what)
        said.unknown(self.found, "joint", name, node, said.OF_JOINT)
        friction = node.number("frictionloss", 0.0, low=0.0)
        return Joint(name, kind, "", "", axis=axis, limits=limits, damping=damping, friction=friction, spring=spring)

    def _reference(self, node: Node, kind: str) -> float:
        ref = node.number("ref", 0.0)
        return self.source.angle(ref) if kind == "revolute" else ref if kind == "prismatic" else 0.0

    # --- masses -----------------------------------------------------------------------------------------------------------

    def _link(self, name: str, inside: list[Inside], geoms: list[Inside], back: np.ndarray) -> Link:
        inertial = next((each.node for each in inside if each.node.tag == "inertial"), None)
        compiler = self.source.compiler
        if inertial is not None and self.source.from_geoms is not True:
            link = self._inertial(name, inertial, back)
        elif self.source.from_geoms is not False:
            rigid = NOTHING
            for each in geoms:
                if self.groups[0] <= each.node.number("group", 0.0) <= self.groups[1]:
                    rigid = rigid.plus(self.shapes.rigid(each.node, back @ each.pose))
            link = _as_link(name, rigid)
        else:
            link = _as_link(name, NOTHING)
        least, small = compiler.number("boundmass", 0.0, low=0.0), compiler.number("boundinertia", 0.0, low=0.0)
        if not (least or small or compiler.get("balanceinertia") == "true"):
            return link
        moments, axes = np.linalg.eigh(_matrix(link))
        moments = np.maximum(moments, small)
        low, middle, high = sorted(moments)
        if compiler.get("balanceinertia") == "true" and low + middle < high:
            moments = np.full(3, moments.mean())
        return as_read(Link(name, max(link.mass, least), link.com, turned_inertia(np.diag(moments), axes)))

    def _inertial(self, name: str, node: Node, back: np.ndarray) -> Link:
        com = row(back[:3, 3] + np.array(node.numbers("pos", 3, ZERO)))
        mass = node.number("mass", low=0.0)
        turn = self.source.turn(node)
        if "fullinertia" in node.attrib:
            if turn is not None or "diaginertia" in node.attrib:
                raise node.error("fullinertia is along the body's axes; it goes with no direction and no diaginertia")
            return as_read(Link(name, mass, com, node.numbers("fullinertia", 6)))
        moments = node.numbers("diaginertia", 3, ZERO)
        R = transforms.of_part(ZERO, turn)[:3, :3] if isinstance(turn, tuple) else np.eye(3) if turn is None else turn
        return as_read(Link(name, mass, com, turned_inertia(np.diag(moments), R)))

    def _total(self) -> None:
        """Scale all masses to a total, if the compiler is to."""
        wanted = self.source.compiler.number("settotalmass", -1.0)
        total = sum(link.mass for link in self.found.links.values())
        if wanted > 0.0 and total > 0.0:
            for name, link in self.found.links.items():
                inertia: Any = link.inertia
                self.found.replace_link(name, mass=link.mass * wanted / total, inertia=row(np.array(inertia) * wanted / total))

    # --- the rest ---------------------------------------------------------------------------------------------------------

    def _gravity(self) -> None:
        option = self.source.option()
        x, y, z = option.numbers("gravity", 3, (0.0, 0.0, -9.81))
        disabled = any(each.get("gravity") == "disable" for each in option.all("flag"))
        self.found.gravity = 0.0 if disabled else max(0.0, -z)
        if x or y or z > 0.0:
            self.found.notes.add("option", "gravity", "is not downward; only its part downward is kept")
        if any(
            option.row(option.get(key), key) for key in ("density", "viscosity", "wind") if any(option.row(option.get(key), key))
        ):
            self.found.notes.add("option", "density, viscosity, wind", "there is no air here")
        said.options(self.found, self.source)
        texts = [each for node in self.source.root.all("custom") for each in node.all("text") if each.get("name") == "origin"]
        self.found.origin = next((each.get("data") for each in texts), "")

    def _keyframes(self) -> None:
        """The poses that the file names; `start` is the one in which its bodies are placed."""
        width = sum(size for _, size in self.sizes)
        if self.start:
            self.found.poses["start"] = dict(self.start)
        keys = [each for each in self.source.all("keyframe") if each.tag == "key"]
        self.found.check_size("keyframes", len(keys))
        for number, key in enumerate(keys):
            name = (key.get("name") or f"key_{number}")[:80]
            if any(key.get(part).strip() for part in KEYED):
                self.found.notes.add("keyframe", name, f"only its qpos is read, not {', '.join(KEYED)}", key.line)
            count = len(key.get("qpos").split(None, width))
            if count != width:
                if count:
                    many = f"{count}" if count <= width else f"more than {width}"
                    self.found.notes.add("keyframe", name, f"is left out: its qpos has {many} numbers, not {width}", key.line)
                continue
            values = key.numbers("qpos", width, ())
            pose, first = {}, 0
            for joint, size in self.sizes:
                pose[joint], first = values[first : first + size], first + size
            self.found.poses[name] = pose

    def _say_rest(self) -> None:
        rest: dict[str, int] = {}
        for node in self.source.root.children:
            if node.tag not in (*VIEW, "keyframe"):
                for child in node.children or [node]:
                    what = f"{node.tag}/{child.tag}" if child is not node else node.tag
                    rest[what[:80]] = rest.get(what[:80], 0) + 1
        for what, count in sorted(rest.items()):
            links = "; links of one robot do not touch each other here" if what.startswith("contact/") else ""
            self.found.notes.add("element", what, f"left out ({count}){links}")
        if self.viewed:
            self.found.notes.add("element", "geom", f"shapes for the view are left out ({self.viewed})")


def _referred(joint: Joint, reference: float, at: tuple[float, ...], turn: tuple[float, ...]) -> tuple[Any, Any]:
    """Place and turn of a joint whose coordinate is `reference` where the file has it."""
    if not reference:
        return at, turn
    along: Any = np.array(joint.axis) / np.linalg.norm(np.array(joint.axis))
    R = transforms.of_part(ZERO, turn)[:3, :3]
    if joint.kind == "prismatic":
        return row(np.array(at) - reference * R @ along), turn
    c, s = math.cos(-reference), math.sin(-reference)
    x, y, z = along
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return at, transforms.roll_pitch_yaw(R @ (np.eye(3) + s * K + (1.0 - c) * K @ K))


def _as_link(name: str, rigid: Rigid) -> Link:
    return as_read(Link(name, float(rigid.mass), row(rigid.com), turned_inertia(rigid.inertia, np.eye(3))))


def _matrix(link: Link) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = link.inertia  # type: ignore[misc]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _quaternion(R: np.ndarray) -> tuple[float, ...]:
    from footfall.model.serial import quaternion_of

    return quaternion_of(R)
