"""The start of a rollout: on the ground, not in it, and within the stops of the joints."""

from typing import Any

import numpy as np

from footfall.core.contact.law import locate
from footfall.core.contact.step import SimData
from footfall.core.recursion.kinematics import set_places
from footfall.engines.contact.build import clear_contact
from footfall.engines.engine import Scenario
from footfall.errors import SimulationError
from footfall.model.robot import Robot

UPRIGHT = 0.05  # of a normal that points up: a face with less is a wall
TOUCHING = 1e-6  # m: a start this deep in the ground is rounding


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
