"""The start of a rollout: on the ground, not in it, and within the stops of the joints."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.geometry import locate
from footfall.core.contact.step import SimData
from footfall.core.ground import PROFILE
from footfall.core.recursion.kinematics import set_places
from footfall.engines.contact.build import clear_contact
from footfall.engines.engine import Scenario
from footfall.errors import SimulationError
from footfall.evaluate import Evaluation
from footfall.model.robot import Robot

UPRIGHT = 0.05  # of a normal that points up: a face with less is a wall
TOUCHING = 1e-6  # m: a start this deep in the ground is rounding
LITTLE = 1e-12  # m
SAMPLES = 513  # points along a line or arc at which the start is looked at
LIFTS = 20  # of a robot with ground in it
FAR = 1e6  # m: level ground beyond the ends of a profile


def check_stops(robot: Robot, q: np.ndarray) -> None:
    """A start beyond a joint's stop would be thrown back by it."""
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            value, (low, high) = float(q[robot.tree.first_q[i]]), joint.limits
            if not low - TOUCHING <= value <= high + TOUCHING:
                raise SimulationError(
                    f"at the start joint {joint.name!r} is at {value:.6g}, beyond its stops at {low:.6g} and {high:.6g}; "
                    "kinematics.within_stops(robot, q) puts it there"
                )


def place(study: Scenario, data: SimData, names: tuple[str, ...], wanted: bool) -> np.ndarray:
    """Put the robot onto the ground if asked for; refuse a start inside it. Returns the coordinates."""
    motion, robot = data.motion, study.robot
    q = motion.q_world.copy()
    if not names or study.world.bonded:
        return q
    gaps = gaps_of(robot, data, q - motion.q_offset)
    heights = [i for i, name in enumerate(robot.coordinates) if name.endswith(".z")]
    if (wanted or study.q is None) and heights:
        for turn in range(50):  # on ground that is not straight one lift is not enough
            sinks = _sink(gaps, data.contact.normal[:, -1], 2.0**turn)
            if abs(sinks) < 1e-12 or (turn > 25 and sinks > 0.0):
                break
            q[heights[0]] -= sinks
            gaps = gaps_of(robot, data, q - motion.q_offset)
        for _ in range(LIFTS):
            over = max((each.above for each in _pierced(robot, data)), default=0.0)
            over = max(over, -_sink(gaps, data.contact.normal[:, -1], 1.0))
            if over < LITTLE:
                break
            q[heights[0]] += over
            gaps = gaps_of(robot, data, q - motion.q_offset)
    for each in _pierced(robot, data):
        gaps[each.contact] = min(gaps[each.contact], -each.depth)
    gaps = gaps + _spring_travel(study, data)
    lowest = int(np.argmin(gaps))
    if gaps[lowest] < -TOUCHING:
        raise SimulationError(
            f"at the start {names[data.geometry.owner[lowest]]!r} is {-gaps[lowest]:.4g} m inside the ground; lift the robot, "
            "or let simulate(..., lift=True) do it"
        )
    motion.q[:], motion.q_world[:] = q - motion.q_offset, q
    clear_contact(data.contact)
    return q


class Pierced(NamedTuple):
    """A line or arc with ground in it."""

    contact: int
    depth: float  # m: of its deepest point, to the nearest face
    above: float  # m: that the ground is above it, at most


def _pierced(robot: Robot, data: SimData) -> list[Pierced]:
    """Lines between pads and round soles that begin with ground between their ends, such as a block that is narrower than they
    are long: their ends are outside, and corners that are so deep inside have come from nowhere.
    """
    ground, found = data.ground, []
    if ground.kind != PROFILE:
        return []
    x, z = ground.knots - ground.origin[0], ground.numbers
    x, z = np.concatenate((x[:1] - FAR, x, x[-1:] + FAR)), np.concatenate((z[:1], z, z[-1:]))
    seen: set[tuple[int, int]] = set()
    for k, owner in enumerate(data.geometry.owner):
        ends = int(owner), int(data.geometry.other[k])
        is_arc = owner == k and data.geometry.spare[k] > 0
        if ends in seen or not (is_arc or data.geometry.length[k] > 0.0):
            continue
        seen.add(ends)
        points, radius = _outline(robot, data, k, is_arc, x)
        height = np.maximum(np.interp(points[:, 0] - LITTLE, x, z), np.interp(points[:, 0] + LITTLE, x, z))  # of a step its top
        above = height - points[:, 1] + radius
        near, above = points[above > TOUCHING], above[above > TOUCHING]
        depth = radius + np.where(above > radius, 1.0, -1.0) * _to_chain(near, x, z)  # a rod may touch with its side
        if (depth > TOUCHING).any():
            found.append(Pierced(k, float(depth.max()), float(above[depth > TOUCHING].max())))
    return found


def _outline(robot: Robot, data: SimData, k: int, is_arc: bool, knots: np.ndarray) -> tuple[np.ndarray, float]:
    """Points (x, z) along line or arc k, and how thick it is; along a line also those over the corners of the ground."""
    geometry, body, ev = data.geometry, data.geometry.body[k], Evaluation(robot)
    R, p = data.work.R_WB[body], data.work.p_WB[body]
    part = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    at = np.array(ev.small("rotate", R, tuple(geometry.at[k])))
    if is_arc:
        low, high = geometry.low[k], geometry.high[k]
        angle = low + part * (high - low)
        front, down = (np.array(ev.small("arc_point", geometry, k, R, each)) - at for each in (0.5 * np.pi, 0.0))
        return (p + at + front * np.sin(angle) + down * np.cos(angle))[:, [0, -1]], 0.0
    way = geometry.length[k] * np.array(ev.small("rotate", R, tuple(geometry.front[k])))
    if abs(way[0]) > LITTLE:
        over = (knots - p[0] - at[0]) / way[0]
        part = np.concatenate((part, over[(over > 0.0) & (over < 1.0), None]))
    return (p + at + part * way)[:, [0, -1]], float(geometry.radius[k])


def _to_chain(points: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Distance of each point from a chain of faces."""
    start = np.column_stack((x, z))[:-1]
    way = np.diff(np.column_stack((x, z)), axis=0)
    off = points[:, None] - start
    along = np.clip((off * way).sum(axis=2) / np.maximum((way**2).sum(axis=1), 1e-300), 0.0, 1.0)
    return np.linalg.norm(off - along[:, :, None] * way, axis=2).min(axis=1)


def _spring_travel(study: Scenario, data: SimData) -> np.ndarray:
    """How deep each contact may be at the start: where it is compliant, as deep as if it alone carried the robot."""
    weight, stiffness = study.robot.mass * study.gravity, data.geometry.stiffness
    return np.divide(weight, stiffness, out=np.zeros(len(stiffness)), where=stiffness > 0.0)


def _sink(gaps: np.ndarray, up: np.ndarray, more: float) -> float:
    """How far a robot may sink until a contact touches: gaps are measured along normals, of which this is the part upward.

    Faces that are as good as upright do not stop a robot from sinking, but a robot inside of one comes out above: `more` times
    as far.
    """
    level = up > UPRIGHT
    over_level = np.where(level, gaps, np.inf) / np.where(level, up, 1.0)
    inside = np.where(~level & (gaps < -TOUCHING), gaps * more, np.inf)
    return float(min(over_level.min(), inside.min()))


def gaps_of(robot: Robot, data: Any, q: np.ndarray) -> np.ndarray:
    """Gaps of all contacts; q has the same origin as the simulation data."""
    set_places.plain(robot.space)(data.tree, data.work, q)
    locate.plain(robot.space)(data.ground, data.geometry, data.contact, data.work)
    return data.contact.gap.copy()
