"""Robots on two legs: which link floats, and the chains of joints from it to the feet."""

from functools import lru_cache
from itertools import permutations, product, takewhile
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import RobotError
from footfall.kinematics.poses import pose
from footfall.model.robot import Robot
from footfall.model.serial import nearest_point, serial, zero_poses
from footfall.model.shapes import corners

MOVES = 6  # degrees of freedom of a foot in space
FLAT = 1e-3  # m: corners this far above the lowest belong to the sole
RIGHT_ANGLES = [  # the 24 turns by right angles, none first
    R
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(R := np.eye(3)[list(order)] * np.array(signs)[:, None]) > 0.0
]


class LegChains(NamedTuple):
    """Both legs, left first, by numbers of bodies and degrees of freedom."""

    base: int  # body that floats
    foot: Any  # (2,) int: bodies of the feet
    bodies: tuple[tuple[int, ...], tuple[int, ...]]  # from the hips to the feet
    leg: Any  # (2, n) int: degrees of freedom
    trunk: Any  # (n,) int: those between the base and the hips, which both legs hang on
    toes: Any  # (n, 2) int: hinges beyond a foot: places in q and v


def find_legs(robot: Robot) -> LegChains:
    """The legs of a robot with two feet: the joints of its own that lead to each foot. Beyond a foot are toes.

    They hang on the link that floats, or on a trunk of joints that both have in common.
    """
    what = f"robot {robot.name!r}"
    if robot.space != "spatial":
        raise RobotError(f"{what} must be in space, it is planar")
    tree, kinds = robot.tree, [joint.kind for joint in robot.layout.joints]
    base = next((i for i in range(1, len(tree.parent)) if tree.parent[i] == 0 and kinds[i - 1] == "free"), 0)
    if not base or len(robot.feet) != 2:
        named = f" ({', '.join(repr(foot.name) for foot in robot.feet)})" if robot.feet else ""
        raise RobotError(
            f"{what} must have a free base and two feet, it has {'a' if base else 'no'} free base "
            f"and {len(robot.feet)} feet{named}"
        )
    feet = [robot.target(foot.pads[0].link).body for foot in robot.feet]
    chains = [_chain(robot, body, base) for body in feet]
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*chains, strict=False)))
    left, right = (chain[shared:] for chain in chains)
    trunk, *legs = (
        [d for i in chain for d in range(tree.first_v[i], tree.first_v[i + 1])] for chain in (chains[0][:shared], left, right)
    )
    for foot, chain, leg in zip(robot.feet, (left, right), legs, strict=True):
        if len(leg) < MOVES:
            names = ", ".join(robot.layout.joints[i - 1].name for i in chain) or "none of its own"
            raise RobotError(
                f"{what} must have legs of six degrees of freedom or more, that of {foot.name!r} has {len(leg)} ({names}); "
                "with fewer a foot cannot be put anywhere flat"
            )
    check_feet(robot, what)
    if len(legs[0]) != len(legs[1]):
        raise RobotError(f"{what} must have as many joints in both legs, it has {len(legs[0])} and {len(legs[1])}")
    toes = [i for i in range(1, len(tree.parent)) if int(tree.parent[i]) in feet and kinds[i - 1] == "revolute"]
    places = np.array([(tree.first_q[i], tree.first_v[i]) for i in toes], np.int64).reshape(-1, 2)
    return LegChains(base, np.array(feet, np.int64), (left, right), np.array(legs, np.int64), np.array(trunk, np.int64), places)


def _chain(robot: Robot, body: int, base: int) -> tuple[int, ...]:
    out: list[int] = []
    while body not in (0, base):
        out, body = [body, *out], int(robot.tree.parent[body])
    return tuple(out)


def check_feet(robot: Robot, what: str) -> None:
    """Two feet of the same kind, the left one first: their contacts are counted in this order."""
    left, right = robot.feet
    kinds = [[type(pad).__name__ for pad in foot.pads] for foot in robot.feet]
    if kinds[0] != kinds[1]:
        raise RobotError(f"{what} must have the same pads on both feet, it has {kinds[0]} and {kinds[1]}")
    zero, leftward = robot.configuration(), own_axes(robot)[:, 1]
    aside = [leftward @ pose(robot, zero, foot.pads[0].link).position for foot in robot.feet]
    if aside[0] < aside[1]:
        raise RobotError(f"{what} must have its left foot first, its feet are {left.name!r} and {right.name!r}")


# --- geometry -------------------------------------------------------------------------------------------------------------


class Walker(NamedTuple):
    """What a walk needs to know of a robot's shape, found from its tree. Index 0 is left.

    Hips are the points nearest to the first three axes of the legs, ankles those nearest to the last two.
    """

    legs: LegChains
    axes: Any  # (3, 3) forward, left and up, in the axes of the link that floats
    hips: Any  # (2, 3) m: from the origin of that link, forward, left and up
    ankles: Any  # (2, 3) m: of straight legs that hang down, likewise: as far aside as in the zero position
    knee: tuple[int, int]  # the bodies beyond the knees
    straight: tuple[float, float]  # rad: of the knees where the legs are longest
    longest: float  # m: from hip to ankle
    soles: tuple[Any, Any]  # (n, 3) m: corners from the ankle, in the axes of the link of the foot's first pad
    ankle: Any  # (2, 3) m: in the axes of that link

    @property
    def rise(self) -> float:
        """Height (m) of the floating link's origin above the hips."""
        return float(-0.5 * (self.hips[0, 2] + self.hips[1, 2])) + 0.0

    @property
    def low(self) -> float:
        """Height (m) of the ankles above the soles."""
        return float(max(-rows[:, 2].min() for rows in self.soles))

    @property
    def length(self) -> float:
        """From the hips of a robot with straight legs down to its soles, m."""
        return self.longest + self.low


def own_axes(robot: Robot) -> np.ndarray:
    """Columns: forward, left and up in the axes of the link that floats, the right angles nearest to those of the soles."""
    zero, mean = robot.configuration(), np.zeros((3, 3))
    for foot in robot.feet:
        mean += pose(robot, zero, foot.pads[0].link).rotation
    return max(RIGHT_ANGLES, key=lambda R: float(np.round(np.sum(R * mean), 6)))


@lru_cache(maxsize=32)
def walker(robot: Robot) -> Walker:
    """The shape of a robot on two legs."""
    legs = find_legs(robot)
    axes, places = own_axes(robot), zero_poses(robot)
    base = places[robot.layout.joints[legs.base - 1].child][:3, 3]
    hips, ankles, ankle, soles, knees, straights, lengths = [], [], [], [], [], [], []
    for side, foot in enumerate(robot.feet):
        link = foot.pads[0].link
        chain = [(axis.point, axis.direction) for axis in serial(robot, link).axes[-legs.leg.shape[1] :]]
        hip, end = nearest_point(chain[:3]), nearest_point(chain[:-3:-1])
        T = places[link]
        hips.append(axes.T @ (hip - base))
        ankles.append(axes.T @ (end - base))
        ankle.append(T[:3, :3].T @ (end - T[:3, 3]))
        soles.append(sole_of(robot, foot.name) - ankle[-1])
        i, best, longest = _knee(robot, legs.bodies[side], (hip, end))
        knees.append(i)
        straights.append(best)
        lengths.append(longest)
    return Walker(
        legs=legs,
        axes=axes,
        hips=np.array(hips),
        ankles=np.array(ankles),
        knee=(knees[0], knees[1]),
        straight=(straights[0], straights[1]),
        longest=float(min(lengths)),
        soles=(soles[0], soles[1]),
        ankle=np.array(ankle),
    )


def sole_of(robot: Robot, foot: str) -> np.ndarray:
    """Corners of the sole of a foot in the axes of the link of its first pad, toes straight."""
    points, zero = [], robot.configuration()
    link = robot.foot(foot).pads[0].link
    here = pose(robot, zero, link)
    for pad in robot.foot(foot).pads:
        for at in corners(pad):
            points.append(here.rotation.T @ (pose(robot, zero, pad.link, at=at).position - here.position))
    rows = np.array(points)
    return rows[rows[:, 2] < rows[:, 2].min() + FLAT]


def _knee(robot: Robot, chain: tuple[int, ...], ends: tuple[np.ndarray, np.ndarray]) -> tuple[int, float, float]:
    """The hinge that brings hip and ankle of a leg nearer to each other, the angle at which they are farthest, and that distance.

    Hip and ankle are given where all coordinates are zero; other hinges do not move them against each other, or hardly.
    """
    found = []
    for i in chain:
        joint = robot.layout.joints[i - 1]
        if joint.kind == "revolute":
            axis, at = serial(robot, joint.child).axes[-1], zero_poses(robot)[joint.child][:3, 3]
            n, (hip, ankle) = axis.direction, (end - at for end in ends)
            flat = [r - (r @ n) * n for r in (hip, ankle)]
            swing = 2.0 * float(np.linalg.norm(flat[0]) * np.linalg.norm(flat[1]))  # d^2 = const - swing cos(angle between)
            now = float(np.arctan2(np.cross(flat[0], flat[1]) @ n, flat[0] @ flat[1]))
            low, high = joint.limits
            best = float(np.clip(_near_zero(np.pi - now), low, high))
            still = float((hip @ hip) + (ankle @ ankle) - 2.0 * (hip @ n) * (ankle @ n))
            found.append((swing, i, best + 0.0, float(np.sqrt(max(still - swing * np.cos(now + best), 0.0)))))
    _, i, best, longest = max(found)
    return i, best, longest


def _near_zero(angle: float) -> float:
    """The same angle within half a turn of zero."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
