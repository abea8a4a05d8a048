"""The shapes of links: what of a robot, besides its feet, can touch the ground, and what is drawn of it.

A robot may declare shapes for a link. A link without any has limbs, as a stick figure has: capsules from its origin to the
joints that it carries, to its frames, or to its centre of mass where these do not lead there. All limbs of a robot are equally
thick. A link that is a mere mass is a ball of water. Where a limb ends in a pad, or at the height of the soles, it stops two
radii short, so that the foot touches first: a leg on a point foot leans by up to 60 degrees before its limb touches.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.model.layout import lift, rotation
from footfall.model.parts import WORLD, Arc, Box, Capsule, HeelToe, Pad, Point, Sphere

if TYPE_CHECKING:
    from footfall.model.robot import Robot

LIMB = 0.022  # robot's heights: radius of a limb
BALL = 0.08  # robot's heights: largest radius of a mere mass
WATER = 1000.0  # kg/m3: of a mere mass
SHORT = 2.0  # radii: how far from a pad a limb ends
SAME = 1e-9  # m: places nearer to each other are the same


class End(NamedTuple):
    """Where a limb of a link leads, in the link's axes."""

    at: np.ndarray
    kind: str  # joint, slide, pad, frame or mass


class Place(NamedTuple):
    """A link in the zero position."""

    at: np.ndarray  # (3,)
    axes: np.ndarray  # (3, 3)

    def point(self, at: np.ndarray) -> np.ndarray:
        """A point of the link in the world."""
        return self.at + self.axes @ lift(at)


def solids(robot: "Robot") -> dict[str, tuple[Pad, ...]]:
    """The shapes of every link, besides its pads."""
    places, tall = zero_places(robot), height_of(robot)
    soles = [places[pad.link].point(at)[2] - r for foot in robot.feet for pad in foot.pads for at, r in balls_of(pad, robot.dim)]
    floor = min(soles, default=-np.inf)
    found = {}
    for link in robot.links:
        declared = tuple(shape for shape in robot.shapes if shape.link == link.name)
        limbs = _limbs(robot, link.name, LIMB * tall, places[link.name], floor) if link.solid else ()
        found[link.name] = declared or limbs or (_mass(robot, link.name, tall, places[link.name], floor) if link.solid else ())
    return found


def _limbs(robot: "Robot", link: str, r: float, place: Place, floor: float) -> tuple[Pad, ...]:
    found: list[Pad] = []
    for end in ends(robot, link):
        length = float(np.linalg.norm(end.at))
        if length <= SAME or end.kind == "slide":  # what slides is not always there
            continue
        ahead = end.at / length
        first, last = place.at[2] - floor, place.point(end.at)[2] - floor  # heights above the soles
        if first < r and last < r:
            continue  # all of it is at the height of the soles, where pads touch
        start = max(SHORT * r, length * (r - first) / (last - first)) if first < r else 0.0
        stop = length - SHORT * r if end.kind == "pad" or last < r else length
        if last < r:
            stop = min(stop, length * (first - r) / (first - last))
        if stop > start + r:
            found.append(Capsule(link, r, _row(stop * ahead), _row(start * ahead)))
        elif first >= r:
            found.append(Sphere(link, r, _row(0.0 * ahead)))
        elif end.kind != "pad":
            found.append(Sphere(link, r, _row(length * ahead)))
    return tuple(dict.fromkeys(found))


def _mass(robot: "Robot", link: str, tall: float, place: Place, floor: float) -> tuple[Pad, ...]:
    """A link without limbs: a ball that does not reach below the soles; nothing if it has pads or no mass."""
    part = robot.link(link)
    if part.mass == 0.0 or pads_of(robot, link) or any(end.kind == "slide" for end in ends(robot, link)):
        return ()
    r = min((3 * part.mass / (4 * np.pi * WATER)) ** (1 / 3), BALL * tall, float(place.point(np.array(part.com))[2] - floor))
    return (Sphere(link, r, part.com),) if r > SAME else ()


def ends(robot: "Robot", link: str) -> list[End]:
    """Where the limbs of a link end: its joints and pads; if it has no pads its frames; its centre of mass if that is off all."""
    pads = pads_of(robot, link)
    found = [
        End(np.array(joint.at), "slide" if joint.kind == "prismatic" else "joint")
        for joint in robot.joints
        if joint.parent == link
    ]
    found += [End(anchor(pad), "pad") for pad in pads]
    far = [end for end in found if np.linalg.norm(end.at) > SAME]
    frames = [np.array(frame.at) for frame in robot.frames if frame.link == link and not pads]
    for at in sorted(frames, key=lambda at: -float(np.linalg.norm(at))):
        if _is_off(at, far):
            far.append(End(at, "frame"))
    com = np.array(robot.link(link).com)
    return [*far, End(com, "mass")] if not far or (robot.link(link).mass > 0.0 and _is_off(com, far)) else far


def _is_off(point: np.ndarray, limbs: list[End]) -> bool:
    """Whether a point is farther from all limbs than half of its distance from the origin."""
    return bool(min((_distance(point, limb.at) for limb in limbs), default=np.inf) > 0.5 * np.linalg.norm(point) > 0.0)


def _distance(point: np.ndarray, end: np.ndarray) -> float:
    """Distance of a point from the limb that ends there."""
    part = np.clip(point @ end / (end @ end), 0.0, 1.0)
    return float(np.linalg.norm(point - part * end))


def height_of(robot: "Robot") -> float:
    """From the lowest to the highest point of limbs and soles in the zero position, at least the longest limb."""
    points, longest = [], 0.0
    for name, place in zero_places(robot).items():
        for end in ends(robot, name) if name != WORLD else []:
            points.append(place.point(end.at))
            longest = max(longest, float(np.linalg.norm(end.at)))
        points.append(place.at)
    return max(float(np.ptp(np.array(points[1:]), axis=0).max()), longest, 1e-3)


def zero_places(robot: "Robot") -> dict[str, Place]:
    """Every link, and the world, where all coordinates are zero."""
    found = {WORLD: Place(np.zeros(3), np.eye(3))}
    for joint in robot.joints:
        on = found[joint.parent]
        found[joint.child] = Place(on.point(np.array(joint.at)), on.axes @ rotation(joint.turn))
    return found


def pads_of(robot: "Robot", link: str) -> list[Pad]:
    """The pads that a link carries."""
    return [pad for foot in robot.feet for pad in foot.pads if pad.link == link]


def anchor(pad: Pad) -> np.ndarray:
    """Where a limb meets a sole."""
    if isinstance(pad, HeelToe):
        return (np.array(pad.heel) + np.array(pad.toe)) / 2
    if isinstance(pad, Capsule):
        return (np.array(pad.start) + np.array(pad.end)) / 2
    at = np.array(pad.at, dtype=float)
    if isinstance(pad, Arc):
        at[-1] -= pad.radius
    return at


def balls_of(pad: Pad, dim: int) -> list[tuple[np.ndarray, float]]:
    """Points with their radii that reach as far down as a pad does, in its zero position: corners, ends and middles of balls."""
    if isinstance(pad, HeelToe):
        return [(np.array(pad.heel), 0.0), (np.array(pad.toe), 0.0)]
    if isinstance(pad, Capsule):
        return [(np.array(pad.start), pad.radius), (np.array(pad.end), pad.radius)]
    if isinstance(pad, Box):
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * dim)).reshape(dim, -1).T
        return [(np.array(pad.at) + sign * np.array(pad.size) / 2, 0.0) for sign in signs]
    if isinstance(pad, Arc):
        lowest = min(max(0.0, pad.span[0]), pad.span[1])
        rim = np.array([pad.radius * np.sin(lowest), *([0.0] if dim == 3 else []), -pad.radius * np.cos(lowest)])
        return [(np.array(pad.at) + rim, 0.0)]
    return [(np.array(pad.at), pad.radius if isinstance(pad, Sphere) else 0.0)]


def corners(pad: Pad) -> list[tuple[float, ...]]:
    """Points of a pad that can carry: its lower corners, or its middle."""
    if isinstance(pad, HeelToe):
        return [pad.heel, pad.toe]
    if isinstance(pad, Box):
        half = np.array(pad.size) / 2
        signs = [(x, -1) for x in (-1, 1)] if len(half) == 2 else [(x, y, -1) for x in (-1, 1) for y in (-1, 1)]
        return [tuple(np.array(pad.at) + half * sign) for sign in signs]
    if isinstance(pad, Point):
        return [pad.at]
    middles = [pad.start, pad.end] if isinstance(pad, Capsule) else [pad.at]
    down = np.zeros(len(middles[0]))
    down[-1] = -pad.radius
    return [tuple(np.array(at) + down) for at in middles]


def _row(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) + 0.0 for x in values)
