"""From the parts of a file to a Robot: what floats, what is fixed, which links are feet, what touches."""

import dataclasses
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import FileError, UnknownNameError
from footfall.model import transforms
from footfall.model.checks import tree_order
from footfall.model.parts import WORLD, Foot, Frame, Joint, Link, Pad
from footfall.model.reading import feet as finding
from footfall.model.reading.blueprint import Blueprint, Missing, Solid, clean_names, joined, row
from footfall.model.reading.soles import STRAIGHT, Placed, as_shape, as_sole, lowest, sole_axes
from footfall.model.robot import Robot

FLAT = 0.004  # of the height: shapes of a foot that reach as low as this above its lowest point are its sole
BASES = {"free": "floats", "fixed": "is fixed to the world"}
NO_FEET = "nothing that floats ends in a shape; say feet=(link, link) if there are any"
WAYS: dict[tuple[float, ...], str] = {
    (0.0, 1.0, 0.0): "y",
    (-1.0, 0.0, 0.0): "-x",
    (0.0, -1.0, 0.0): "-y",
}  # that a robot may face, besides x
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Options:
    """What a user may tell besides the file."""

    feet: Any = None  # a row of names
    base: str | None = None
    merge: bool = False
    visual: bool = False

    def __post_init__(self) -> None:
        told = self.feet is None or (isinstance(self.feet, tuple | list) and all(isinstance(name, str) for name in self.feet))
        if not told:
            raise FileError(f"feet must be a row of names of links, such as ('left_foot', 'right_foot'), got {self.feet!r:.80}")
        if self.base is not None and self.base not in BASES:
            raise UnknownNameError("base", self.base, BASES)


@dataclass(frozen=True)
class Import:
    """A robot from the text of another format."""

    robot: Robot
    format: str  # URDF or MJCF
    decided: tuple[str, ...]  # what the file leaves open: what floats, which links are feet, what became of fixed links
    left_out: tuple[str, ...]  # what a robot cannot say, or says otherwise: the parts, then what became of them
    poses: dict[str, np.ndarray] = field(default_factory=dict)  # coordinates that the file names

    def __str__(self) -> str:
        blocks = [f"{self.robot!r} from {self.format}"]
        for title, lines in (("Decided", self.decided), ("Left out, or said otherwise", self.left_out)):
            blocks.append("\n".join([f"{title}:", *(f"- {line}" for line in lines or ("nothing",))]))
        if self.poses:
            blocks.append(f"Poses: {', '.join(self.poses)}")
        return "\n\n".join(blocks)


def assemble(blueprint: Blueprint, options: Options) -> Import:
    """The robot of a file. Feet that are told may be links or frames, by the names in the file."""
    blueprint.check_sizes()
    clean_names(blueprint)
    blueprint.depth_first()
    _check_tree(blueprint)
    _set_base(blueprint, options)
    _planar_base(blueprint)
    _free_base(blueprint)
    _still_joints(blueprint)
    _frames_from_links(blueprint)
    if options.merge:
        _merge_fixed(blueprint)
    feet, shapes = _touching(blueprint, options)
    blueprint.depth_first()
    order = {name: i for i, name in enumerate(blueprint.links)}
    robot = Robot(
        blueprint.name,
        "spatial",
        tuple(blueprint.links.values()),
        tuple(blueprint.joints),
        frames=tuple(blueprint.frames),
        feet=tuple(feet),
        origin=blueprint.origin or f"read from {blueprint.format}",
        gravity=blueprint.gravity,
        shapes=tuple(sorted(shapes, key=lambda shape: order[shape.link])),
        loops=tuple(blueprint.loops),
        tendons=tuple(blueprint.tendons),
    )
    odd = [link.name for link in robot.links if link.as_given]
    if odd:
        blueprint.decided.append(f"inertia of {_names(odd)}: no body has such an inertia; it is taken as it is")
    poses = {name: robot.configuration(values) for name, values in blueprint.poses.items()}
    return Import(robot, blueprint.format, tuple(blueprint.decided), blueprint.notes.lines(), poses)


def _check_tree(blueprint: Blueprint) -> None:
    """What hangs on nothing, or twice, is said by the checks of a robot; they are asked before the tree is walked."""
    tree_order(tuple(blueprint.links.values()), blueprint.joints)
    if not blueprint.links:
        raise FileError(f"{blueprint.name!r:.60} has no link that can move")


def _names(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")


# --- the base -------------------------------------------------------------------------------------------------------------


def _set_base(blueprint: Blueprint, options: Options) -> None:
    """Let the first link on the world float, or fix it, if that is told."""
    if options.base is None:
        return
    number = next(i for i, joint in enumerate(blueprint.joints) if joint.parent == WORLD)
    old = blueprint.joints[number]
    if old.kind != options.base:
        new = Joint(old.name, options.base, WORLD, old.child, old.at, old.turn)
        blueprint.joints[number] = new
        blueprint.decided.append(f"base: {old.child!r} {BASES[options.base]}, as told; the file has it {old.kind}")


def _planar_base(blueprint: Blueprint) -> None:
    """Slides along x and z and a hinge about y, one after the other on the world, are a planar base."""
    _join_base(blueprint, "planar", (X, Z), ("revolute", Y))


def _free_base(blueprint: Blueprint) -> None:
    """Slides along x, y and z and a ball are a free one."""
    _join_base(blueprint, "free", (X, Y, Z), ("spherical", None))


def _join_base(blueprint: Blueprint, kind: str, slides: tuple[Any, ...], turning: tuple[str, Any]) -> None:
    """Make slides in any order, and what turns after them, one joint, where there is nothing between."""
    below, count = blueprint.below(), len(slides) + 1
    carrying = {link for link, solids in blueprint.solids.items() if solids} | {frame.link for frame in blueprint.frames}
    for first in below.get(WORLD, []):
        chain = [first]
        while len(chain) < count and len(below.get(chain[-1].child, [])) == 1:
            chain += below[chain[-1].child]
        links = [blueprint.links[joint.child] for joint in chain[:-1]]
        straight = not any(np.any(joint.turn) for joint in chain[1:])
        if len(chain) < count or not straight or any(link.mass or link.name in carrying for link in links):
            continue
        order = [next((i for i, joint in enumerate(chain[:-1]) if _bare(joint, "prismatic", axis)), -1) for axis in slides]
        if sorted(order) != list(range(len(slides))) or not _bare(chain[-1], *turning):
            continue
        _replace_base(blueprint, kind, [*(chain[i] for i in order), chain[-1]], first, links)


def _replace_base(blueprint: Blueprint, kind: str, chain: list[Joint], first: Joint, links: list[Link]) -> None:
    """One joint for a chain of them; `first` is the one on the world."""
    names = [joint.name for joint in chain]
    more = [np.array(joint.at) for joint in chain if joint is not first and np.any(joint.at)]
    at = row(np.array(first.at) + transforms.of_part((0.0,) * 3, first.turn)[:3, :3] @ sum(more)) if more else first.at
    name = _common(names, {joint.name for joint in blueprint.joints if joint.name not in names})
    base = Joint(name, kind, WORLD, next(j.child for j in chain if j.child not in {link.name for link in links}), at, first.turn)
    blueprint.joints = [
        base if joint is first else joint for joint in blueprint.joints if joint is first or joint.name not in names
    ]
    for link in links:
        del blueprint.links[link.name]
    for pose in blueprint.poses.values():
        values = tuple(x for joint in names for x in pose.pop(joint, ()))
        if values:
            pose[name] = values
    where = " in the plane x-z" if kind == "planar" else ""
    blueprint.decided.append(f"base: {_names(names)} are read as one joint {name!r}, {kind}; {base.child!r} floats{where}")


def _bare(joint: Joint, kind: str, axis: Any) -> bool:
    """Whether a joint is no more than a slide or hinge along an axis."""
    plain = Joint(joint.name, kind, joint.parent, joint.child, joint.at, joint.turn, axis=joint.axis)
    return joint == plain and (axis is None or (joint.axis is not None and np.array_equal(joint.axis, axis)))


def _common(names: list[str], taken: set[str]) -> str:
    """What names have in common at their beginning, such as base of base.x, base.z and base.pitch."""
    same = [letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))]
    name = "".join(same).rstrip("._-") or "base"
    while name in taken:
        name += "_base"
    return name


def _still_joints(blueprint: Blueprint) -> None:
    """Fix the joints that move no mass at all: their accelerations would have no bound."""
    heavy = {WORLD}
    for joint in reversed(blueprint.joints):  # from the ends inward
        link = blueprint.links[joint.child]
        if link.mass or np.any(link.inertia) or joint.child in heavy:
            heavy |= {joint.child, joint.parent}
    for i, joint in enumerate(blueprint.joints):
        if joint.child not in heavy and joint.kind != "fixed" and not (joint.motor and joint.motor.rotor_inertia):
            blueprint.joints[i] = Joint(joint.name, "fixed", joint.parent, joint.child, joint.at, joint.turn)
            blueprint.notes.add("joint", joint.name, "moves no mass in the file, so it is fixed")


# --- fixed links ----------------------------------------------------------------------------------------------------------


class Carried(NamedTuple):
    """Links that become part of others: the joint of each, what carries it then, and its transform to that."""

    joints: dict[str, Joint]
    on: dict[str, tuple[str, np.ndarray]]


def _carriers(blueprint: Blueprint, gone: set[str]) -> Carried:
    """What carries the links that are to go: the next link inward that stays."""
    joints = {joint.child: joint for joint in blueprint.joints if joint.child in gone}
    on: dict[str, tuple[str, np.ndarray]] = {}
    for child, joint in joints.items():  # parents come first
        T = transforms.of_part(joint.at, joint.turn)
        link, pose = on.get(joint.parent, (joint.parent, None))
        on[child] = link, T if pose is None else pose @ T
    return Carried(joints, on)


def _frames_from_links(blueprint: Blueprint) -> None:
    """Links that are fixed and have neither mass nor shape nor anything that moves are frames."""
    above, left = blueprint.above(), {name: len(joints) for name, joints in blueprint.below().items()}
    gone: set[str] = set()
    for name in reversed(list(blueprint.links)):  # from the ends inward
        joint, link = above[name], blueprint.links[name]
        bare = joint.kind == "fixed" and joint.parent != WORLD and not link.mass and not np.any(link.inertia)
        if bare and not blueprint.solids.get(name) and not left.get(name):
            gone.add(name)
            left[joint.parent] -= 1
    if gone:
        found = _carriers(blueprint, gone)
        blueprint.frames = [*_as_frames(found), *(_carried(frame, found) for frame in blueprint.frames)]
        blueprint.joints = [joint for joint in blueprint.joints if joint.child not in gone]
        blueprint.links = {name: link for name, link in blueprint.links.items() if name not in gone}
        blueprint.decided.append(f"fixed links without mass and shape are frames: {_names(list(found.joints))}")
    blueprint.depth_first()


def _as_frames(found: Carried) -> list[Frame]:
    """The links that go, as frames on those that carry them; by the very numbers of the joint where these are its place."""
    return [
        Frame(name, link, joint.at, joint.turn) if joint.parent == link else _frame(name, link, T)
        for (name, joint), (link, T) in zip(found.joints.items(), found.on.values(), strict=True)
    ]


def _frame(name: str, link: str, T: np.ndarray) -> Frame:
    return Frame(name, link, row(T[:3, 3]), transforms.roll_pitch_yaw(T[:3, :3]))


def _carried(frame: Frame, found: Carried) -> Frame:
    """A frame on what carries its link."""
    if frame.link not in found.on:
        return frame
    link, T = found.on[frame.link]
    return _frame(frame.name, link, T @ transforms.of_part(frame.at or (0.0,) * 3, frame.turn or (0.0,) * 3))


def _merge_fixed(blueprint: Blueprint) -> None:
    """Make fixed links part of the links that carry them; their names become frames."""
    gone = {joint.child for joint in blueprint.joints if joint.kind == "fixed" and joint.parent != WORLD}
    if gone:
        found, solids = _carriers(blueprint, gone), {k: [(k, s) for s in group] for k, group in blueprint.solids.items()}
        for name, joint in reversed(list(found.joints.items())):  # from the ends inward
            T = transforms.of_part(joint.at, joint.turn)
            blueprint.links[joint.parent] = joined(blueprint.links[joint.parent], blueprint.links.pop(name), T)
            solids.setdefault(joint.parent, []).extend(solids.pop(name, []))
        blueprint.frames = [*(_carried(frame, found) for frame in blueprint.frames), *reversed(_as_frames(found))]
        blueprint.solids = {
            link: [solid.moved(found.on[own][1]) if own in gone else solid for own, solid in group]
            for link, group in solids.items()
        }
        blueprint.joints = [_moved(joint, found) for joint in blueprint.joints if joint.child not in gone]
        names = _names(list(found.joints))
        blueprint.decided.append(f"fixed links are part of those that carry them, as told; their names are frames: {names}")
    blueprint.depth_first()


def _moved(joint: Joint, found: Carried) -> Joint:
    """A joint on what carries its parent."""
    if joint.parent not in found.on:
        return joint
    link, T = found.on[joint.parent]
    pose = T @ transforms.of_part(joint.at or (0.0,) * 3, joint.turn or (0.0,) * 3)
    turn = transforms.roll_pitch_yaw(pose[:3, :3])
    return dataclasses.replace(joint, parent=link, at=row(pose[:3, 3]), turn=turn)


# --- feet and shapes ------------------------------------------------------------------------------------------------------


def _touching(blueprint: Blueprint, options: Options) -> tuple[list[Foot], list[Pad]]:
    """Feet with their pads, and the shapes of links; new links where shapes lie across."""
    told, missing = options.feet is not None, {}
    ours = None if told else finding.named_feet(blueprint)
    named = ours is not None
    found = ours if ours is not None else finding.told_feet(blueprint, options.feet) if told else finding.find_feet(blueprint)
    if not told and not named:
        missing = finding.unseen(blueprint, found)
        found = [] if missing else found
    front = finding.facing_of_soles(blueprint, found) if named else finding.facing(blueprint, found)
    if front[0, 0] < 0.5:
        why = "so do the axes of its soles" if named else "its feet reach farthest there from their ankles"
        blueprint.decided.append(f"it faces along {WAYS[row(front[:, 0])]}: {why}")
    found = finding.left_first(blueprint, found, front)
    pose = finding.bodies_of(blueprint).pose
    heights = [float(T[2, 3]) for T in pose.values()]
    layer = FLAT * (max(heights) - min(heights))
    feet, standing = [], set()
    for each in found:
        low = min((lowest(solid, pose[link]) for link, solid in each.solids), default=0.0)
        sole = [(k, s) for k, s in each.solids if named or lowest(s, pose[k]) <= low + layer]
        standing |= {(link, id(solid)) for link, solid in sole}
        feet.append(_named_foot(blueprint, each) if named else _foot(blueprint, each, sole, pose, front))
    how = "as told" if told else "by the names of their shapes" if named else "found where limbs end lowest"
    why = _say_missing(missing) if missing else NO_FEET if not told and not named else ""
    _say_feet(blueprint, feet, how, why)
    for link in () if named else {pad.link for foot in feet for pad in foot.pads} | {link for link, _ in standing}:
        blueprint.replace_link(link, solid=False)  # the sole is its shape
    rest = {k: [s for s in solids if (k, id(s)) not in standing] for k, solids in blueprint.solids.items()}
    return feet, _shapes(blueprint, rest)


def _named_foot(blueprint: Blueprint, found: finding.Found) -> Foot:
    """A foot that Footfall has written."""
    return Foot(found.name, tuple(_pads(blueprint, link, as_shape(solid), solid) for link, solid in found.solids))


def _pads(blueprint: Blueprint, link: str, placed: Placed, solid: Solid) -> Any:
    """The one pad of a shape on a link, or on a new one that lies along it."""
    if placed.said:
        blueprint.notes.add("link", link, placed.said)
    if placed.turn is not None:
        link = _carrier(blueprint, link, f"{link}_{_word(solid.name) or solid.kind}", placed.turn)
    return dataclasses.replace(placed.pads[0], link=link)


def _word(name: str) -> str:
    """The part of the name of a shape that may be part of the name of a link."""
    return "".join(c for c in name.rpartition(".")[0] or name if c.isalnum() or c in "_-")[:40]


def _carrier(blueprint: Blueprint, link: str, name: str, turn: np.ndarray) -> str:
    """A link without mass, fixed to another at its origin, with other axes."""
    taken = {*blueprint.links, *(frame.name for frame in blueprint.frames), *(joint.name for joint in blueprint.joints)}
    name = name[:95]
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    blueprint.links[free] = Link(free, 0.0, solid=False)
    blueprint.joints.append(Joint(free, "fixed", link, free, (0.0, 0.0, 0.0), transforms.roll_pitch_yaw(turn)))
    return free


def _foot(
    blueprint: Blueprint, found: finding.Found, sole: list[tuple[str, Solid]], pose: dict[str, np.ndarray], front: np.ndarray
) -> Foot:
    """A foot with its sole: on its own link if that has forward, left and up for axes, else on a new one."""
    if not sole:
        blueprint.decided.append(f"foot {found.name!r}: it has no shape that is known; it touches with the origin of its link")
        sole = [(found.link, Solid("sphere", "", size=(0.0,)))]
    pads: list[Pad] = []
    for link in dict.fromkeys(link for link, _ in sole):
        solids = [solid for each, solid in sole if each == link]
        boxes = [solid.pose[:3, :3] for solid in solids if solid.kind == "box"]
        axes = front @ sole_axes(front.T @ pose[link][:3, :3], boxes)
        turn = pose[link][:3, :3].T @ axes
        carrier = link
        if np.abs(turn - np.eye(3)).max() > STRAIGHT:
            carrier = _carrier(blueprint, link, f"{link}_sole", turn)
            back = transforms.rigid(turn.T, (0.0, 0.0, 0.0))
            solids = [solid.moved(back) for solid in solids]
        for solid in solids:
            placed = as_sole(solid)
            if placed.said:
                blueprint.notes.add("foot", found.name, placed.said)
            pads += [dataclasses.replace(pad, link=carrier) for pad in placed.pads]
    return Foot(found.name, tuple(pads))


def _say_feet(blueprint: Blueprint, feet: list[Foot], how: str, why: str) -> None:
    """Say which links are feet, how that was known, and why there are none."""
    texts = []
    for foot in feet:
        kinds: dict[str, int] = {}
        for pad in foot.pads:
            kinds[type(pad).__name__] = kinds.get(type(pad).__name__, 0) + 1
        texts.append(f"{foot.name} ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})")
    blueprint.decided.append(f"feet, {how}: {', '.join(texts)}" if feet else f"feet: none{why and ': '}{why}")


def _say_missing(missing: dict[str, list[Missing]]) -> str:
    links = [f"{link!r} ({', '.join(repr(mesh.mesh.rpartition('/')[2]) for mesh in meshes)})" for link, meshes in missing.items()]
    shown = ", ".join(links[:8]) + (f" and {len(links) - 8} more" if len(links) > 8 else "")
    return f"links that may be feet have no shape, since meshes were not found: {shown}; say folder= (where they are) or feet="


def _shapes(blueprint: Blueprint, solids: dict[str, list[Solid]]) -> list[Pad]:
    """The shapes of links; if there are any, other links have none."""
    found = []
    for link, group in solids.items():
        for solid in group:
            placed = as_shape(solid)
            if placed.said:
                blueprint.notes.add("link", link, placed.said)
            carrier = link
            if placed.turn is not None:
                carrier = _carrier(blueprint, link, f"{link}_{_word(solid.name) or solid.kind}", placed.turn)
            found += [dataclasses.replace(pad, link=carrier) for pad in placed.pads]
    if found:
        shaped = {pad.link for pad in found}
        for name in blueprint.links:
            blueprint.replace_link(name, solid=name in shaped)
    return found
