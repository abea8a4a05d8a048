"""Which links are feet, and where they touch.

Feet are found in the zero position (that in which MJCF places its bodies): at the ends of the limbs of a floating robot, those
that reach as low as anything. A foot is one rigid body, with a toe beyond it if that reaches as low. Its sole are those of its
shapes that reach down to its lowest point.
"""

import re
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.errors import UnknownNameError
from footfall.model import transforms
from footfall.model.parts import WORLD
from footfall.model.reading.blueprint import Blueprint, Missing, Solid
from footfall.model.reading.soles import corners_of, lowest
from footfall.model.serial import nearest_point

OURS = re.compile(
    r"(?P<owner>.+)\.(?P<number>\d{1,4})(\.start|\.end)?"
)  # names that Footfall writes: of pads, and of shapes of links
BODY = ".body"
NEAR = 0.03  # of the height: feet reach as low as this above the lowest point
FORWARD = 0.1  # of its length: a sole whose middle lies so far from the ankle tells where the robot faces
TOE = 0.005  # of the height: what carries a toe belongs to the foot if it is as low


class Found(NamedTuple):
    """A foot: its name, the link that it is said to be, and its shapes with the links that carry them."""

    name: str
    link: str
    solids: list[tuple[str, Solid]]


class Bodies(NamedTuple):
    """Rigid bodies, each called after the first of its links, in the zero position."""

    of: dict[str, str]  # link -> body
    parent: dict[str, str]
    pose: dict[str, np.ndarray]  # of links


def bodies_of(blueprint: Blueprint) -> Bodies:
    """What is fixed to each other moves together."""
    of, parent, pose = {WORLD: WORLD}, {WORLD: ""}, {WORLD: np.eye(4)}
    for joint in blueprint.joints:  # parents come first
        pose[joint.child] = pose[joint.parent] @ transforms.of_part(joint.at, joint.turn)
        if joint.kind == "free" and joint.name in blueprint.poses.get("start", {}):
            pose[joint.child] = pose[joint.child] @ _of_coordinates(blueprint.poses["start"][joint.name])
        of[joint.child] = of[joint.parent] if joint.kind == "fixed" else joint.child
        if joint.kind != "fixed":
            parent[joint.child] = of[joint.parent]
    return Bodies(of, parent, pose)


def _of_coordinates(values: tuple[float, ...]) -> np.ndarray:
    """The transform of a free joint's coordinates."""
    return transforms.rigid(Rotation.from_quat(np.roll(values[3:], -1)).as_matrix(), values[:3])


def named_feet(blueprint: Blueprint) -> list[Found] | None:
    """The feet that the names of shapes tell, as Footfall writes them: `foot.0` is the first pad of a foot.

    None if no shape has such a name, since another program wrote the file.
    """
    ours = False
    found: dict[str, dict[int, list[tuple[str, Solid]]]] = {}
    for link, solids in blueprint.solids.items():
        for solid in solids:
            match = OURS.fullmatch(solid.name)
            ours = ours or match is not None
            if match and not match["owner"].endswith(BODY):
                found.setdefault(match["owner"], {}).setdefault(int(match["number"]), []).append((link, solid))
    feet = [
        Found(name, pads[min(pads)][0][0], [pad for number in sorted(pads) for pad in pads[number]])
        for name, pads in found.items()
    ]
    return feet if ours else None


def told_feet(blueprint: Blueprint, told: tuple[str, ...]) -> list[Found]:
    """The feet that are told: links, or frames on them."""
    bodies, carriers = bodies_of(blueprint), {frame.name: frame.link for frame in blueprint.frames}
    found = []
    for name in told:
        link = name if name in blueprint.links else carriers.get(name)
        if link is None:
            raise UnknownNameError(f"link to be a foot (of {blueprint.name!r})", name, {*blueprint.links, *carriers})
        found.append(Found(name, link, _shapes(blueprint, bodies, {bodies.of[link]})))
    return found


def find_feet(blueprint: Blueprint) -> list[Found]:
    """The feet, by where they are in the zero position."""
    bodies = bodies_of(blueprint)
    floating = _floating(blueprint)
    low = _lows(blueprint, bodies)
    heights = [float(T[2, 3]) for name, T in bodies.pose.items() if name != WORLD] + list(low.values())
    tall = max(heights, default=0.0) - min(heights, default=0.0)
    inner = {WORLD, *bodies.parent.values()}
    ends = [body for body in bodies.parent if body not in inner]
    chains = [chain for chain in (_to_base(bodies, end) for end in ends) if len(chain) > 1 and chain[-1] in floating]
    ground = min(low.values(), default=0.0)
    found: dict[str, list[str]] = {}
    for chain in chains:
        touching = [body for body in chain[:-1] if body in low and low[body] <= ground + NEAR * tall]
        if not touching:
            continue
        at = chain.index(touching[0])
        carrier = chain[at + 1]
        toed = carrier != chain[-1] and carrier in low and low[carrier] <= ground + TOE * tall
        main = carrier if toed else touching[0]
        found.setdefault(main, [main]).extend([touching[0]] if toed else [])
    feet = []
    for main, group in found.items():
        shapes = _shapes(blueprint, bodies, set(group))
        link = min((each for each in shapes if bodies.of[each[0]] == main), key=lambda s: lowest(s[1], bodies.pose[s[0]]))[0]
        feet.append(Found(link, link, shapes))
    return feet


def facing(blueprint: Blueprint, feet: list[Found]) -> np.ndarray:
    """Columns: forward, left and up in the world. Forward is x, unless two soles reach another way from their ankles."""
    bodies, away = bodies_of(blueprint), np.zeros(2)
    joints = {joint.child: joint for joint in blueprint.joints}
    for foot in feet if len(feet) == 2 else []:
        body = bodies.of[foot.link]
        hinges = [joints[each] for each in (body, bodies.parent.get(body, WORLD)) if each in joints]
        if len(hinges) < 2 or any(joint.kind != "revolute" for joint in hinges) or not foot.solids:
            return np.eye(3)
        ankle = nearest_point([(bodies.pose[j.child][:3, 3], bodies.pose[j.child][:3, :3] @ _along(j)) for j in hinges])
        ends = []
        for link, solid in foot.solids:
            T, (points, radius) = bodies.pose[link], corners_of(solid)
            flat = (points @ T[:3, :3].T + T[:3, 3])[:, :2]
            ends += [flat.min(axis=0) - radius, flat.max(axis=0) + radius]
        size = np.ptp(ends, axis=0)
        middle = (np.min(ends, axis=0) + np.max(ends, axis=0)) / 2
        away += (middle - ankle[:2]) / max(float(size.max()), 1e-9)
    if np.abs(away).max() < 2 * FORWARD:
        return np.eye(3)
    return _front(away)


def facing_of_soles(blueprint: Blueprint, feet: list[Found]) -> np.ndarray:
    """The same for feet that Footfall has written: their soles are on links whose y is left."""
    pose = bodies_of(blueprint).pose
    left = sum((pose[foot.link][:2, 1] for foot in feet), np.zeros(2))
    if np.abs(left).max() < 0.5 * max(len(feet), 1):
        return np.eye(3)
    return _front(np.array((left[1], -left[0])))


def _front(away: np.ndarray) -> np.ndarray:
    """Forward, left and up, where forward is that of x, y, -x, -y nearest to a direction."""
    x = np.where(np.abs(away) == np.abs(away).max(), np.sign(away), 0.0)
    forward = np.array((x[0], x[1] if not x[0] else 0.0, 0.0)) + 0.0
    return np.column_stack((forward, np.cross((0.0, 0.0, 1.0), forward) + 0.0, (0.0, 0.0, 1.0)))


def unseen(blueprint: Blueprint, feet: list[Found]) -> dict[str, list[Missing]]:
    """The meshes that are missing, by link, the lowest first, of bodies without any other shape that may be the real feet.

    These hang beyond a foot that was found, or lie as low as it reaches. Where none was found, all that end limbs count.
    """
    bodies, low = bodies_of(blueprint), _lows(blueprint, bodies_of(blueprint))
    carriers, floating = {frame.name: frame.link for frame in blueprint.frames}, _floating(blueprint)
    heights = [float(T[2, 3]) for name, T in bodies.pose.items() if name != WORLD] + list(low.values())
    near = NEAR * (max(heights, default=0.0) - min(heights, default=0.0))
    standing = {bodies.of[foot.link] for foot in feet}
    ground = max((low[body] for body in standing if body in low), default=-np.inf) + near
    inner, found = set(bodies.parent.values()), []
    for name, meshes in blueprint.missing.items():
        link = name if name in bodies.of else carriers.get(name, WORLD)
        body = bodies.of[link]
        if body in low or _to_base(bodies, body)[-1] not in floating:
            continue
        beyond = standing & set(_to_base(bodies, body)[1:])
        T = bodies.pose[link]
        places = [(0.0, 0.0, 0.0), *(mesh.at for mesh in meshes if name == link), blueprint.links[link].com or (0.0, 0.0, 0.0)]
        deepest = min(float(T[2, :3] @ np.array(place) + T[2, 3]) for place in places)
        if beyond or deepest <= ground or (not feet and body not in inner):
            found.append((deepest, name, meshes))
    return {name: meshes for _, name, meshes in sorted(found, key=lambda each: each[0])}


def _along(joint: Any) -> np.ndarray:
    """The axis of a hinge, in the axes of its child."""
    letters = {None: (0.0, 1.0, 0.0), "x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    return np.array(letters.get(joint.axis) or joint.axis)


def left_first(blueprint: Blueprint, feet: list[Found], front: np.ndarray) -> list[Found]:
    """Feet from left to right of a robot that faces along the first column; those side by side in the order given."""
    pose = bodies_of(blueprint).pose
    return sorted(feet, key=lambda foot: -round(float(front[:, 1] @ pose[foot.link][:3, 3]), 6))


def _floating(blueprint: Blueprint) -> set[str]:
    return {joint.child for joint in blueprint.joints if joint.parent == WORLD and joint.kind in ("free", "planar")}


def _to_base(bodies: Bodies, body: str) -> list[str]:
    """From a body at the end of a limb inward to that whose joint is on the world."""
    chain = [body]
    while bodies.parent.get(chain[-1], WORLD) not in (WORLD, ""):
        chain.append(bodies.parent[chain[-1]])
    return chain


def _lows(blueprint: Blueprint, bodies: Bodies) -> dict[str, float]:
    """How low the shapes of each body reach."""
    low: dict[str, float] = {}
    for link, solids in blueprint.solids.items():
        for solid in solids:
            body = bodies.of[link]
            low[body] = min(low.get(body, np.inf), lowest(solid, bodies.pose[link]))
    return low


def _shapes(blueprint: Blueprint, bodies: Bodies, group: set[str]) -> list[tuple[str, Solid]]:
    return [(link, solid) for link, solids in blueprint.solids.items() if bodies.of[link] in group for solid in solids]
