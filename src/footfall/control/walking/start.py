"""Standing with bent legs, where a walk begins: feet side by side, hips above them at the height that the walk has."""

from typing import Any, NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.walking.legs import below_ankles, driven_legs
from footfall.errors import ParameterError, RobotError
from footfall.kinematics.two_legs import Walker, sole_of, walker
from footfall.model.layout import rotation
from footfall.model.robot import Robot
from footfall.model.serial import quaternion_of, serial
from footfall.motion.footsteps import FootstepPlan
from footfall.world import Flat, Terrain

PASSES = 12  # that bring the centre of mass above the feet
CENTERED = 1e-4  # m
LATERAL = 0.8  # of an axis: a hinge that bends the leg forward and back


class Place(NamedTuple):
    """Where the link that floats is, and its axes."""

    at: np.ndarray
    axes: np.ndarray


def start(robot: Robot, walk: Any, terrain: Terrain | None = None, balanced: bool = False) -> tuple[float, ...]:
    """Standing with bent knees: feet `width` apart and parallel, flat on the ground below the ankles; hips `height` above them.

    `walk` says how wide and how high. On ground that is not even it is raised until no corner of a sole is below the ground. If
    `balanced`, hips are moved until the centre of mass is above the middle between both feet, `ahead` of the ankles.
    """
    ground = terrain or Flat()
    feet = FootstepPlan.straight(1, 0.0, walk.width).on(ground).stand
    driven_legs(robot)
    shape = walker(robot)
    hips = 0.5 * (feet[0].z + feet[1].z) + walk.height
    at = np.array((0.0, 0.0, hips + shape.rise))
    q = posture(robot, shape, walk, Place(at, shape.axes.T), feet)
    for _ in range(PASSES if balanced else 0):
        off = (walk.ahead, 0.0) - dynamics.center_of_mass(robot, q)[:2]
        if np.abs(off).max() < CENTERED:
            break
        at[:2] += off
        q = posture(robot, shape, walk, Place(at, shape.axes.T), feet)
    inside = 0.0
    for foot, place, below in zip(robot.feet, feet, below_ankles(shape), strict=True):
        link = _place(place, below)
        inside = max(inside, *(ground.height(x, y) - z for x, y, z in link.at + sole_of(robot, foot.name) @ link.axes.T))
    base = robot.layout.joints[shape.legs.base - 1].name
    q[robot.coordinates.index(f"{base}.z")] += inside
    return tuple(q.tolist())


def posture(robot: Robot, shape: Walker, walk: Any, base: Place, feet: Any) -> np.ndarray:
    """The posture with the floating link and the feet in their places; all other joints as near to zero as their limits allow."""
    name = robot.layout.joints[shape.legs.base - 1].name
    turn = dict(zip(("qw", "qx", "qy", "qz"), quaternion_of(base.axes), strict=True))
    angles: dict[str, Any] = {f"{name}.{c}": x for c, x in zip("xyz", base.at.tolist(), strict=True)}
    angles |= {f"{name}.{c}": x for c, x in turn.items()}
    for side, (foot, place, below) in enumerate(zip(robot.feet, feet, below_ankles(shape), strict=True)):
        link = foot.pads[0].link
        found, reached = _leg(robot, shape, side, link, _place(place, below), base, angles)
        if not reached:
            raise ParameterError(
                f"robot {robot.name!r} cannot stand with its hips {walk.height:g} m above the ground and its feet "
                f"{walk.width:g} m apart: {link!r} is {found}"
            )
        angles |= found.angles if hasattr(found, "angles") else _of_leg(robot, shape, side, found.q)
    return kinematics.within_stops(robot, robot.configuration(angles))


def _place(foot: Any, below: np.ndarray) -> Place:
    """Where the link of a sole is whose point below the ankle stands there."""
    R = rotation((foot.roll, foot.pitch, foot.yaw))
    return Place(np.array((foot.x, foot.y, foot.z)) - R @ below, R)


def _leg(robot: Robot, shape: Walker, side: int, link: str, foot: Place, base: Place, angles: dict[str, Any]) -> tuple[Any, bool]:
    """A leg that puts its foot there: in closed form where there is one."""
    try:
        leg = kinematics.leg(robot, link)
    except RobotError:
        q = kinematics.within_stops(robot, robot.configuration(angles | _bent(robot, shape, side, foot, base)))
        joints = robot.layout.joints
        hold = {joints[shape.legs.base - 1].child, joints[robot.tree.parent[shape.legs.bodies[side][0]] - 1].child}
        found = kinematics.inverse(robot, q, kinematics.Task(link, foot.at, foot.axes), hold=sorted(hold))
        return found, found.reached
    posture = leg.inverse((base.axes.T @ (foot.at - base.at), base.axes.T @ foot.axes))
    return posture, posture.reached


def _of_leg(robot: Robot, shape: Walker, side: int, q: np.ndarray) -> dict[str, Any]:
    """The coordinates of a leg, by name."""
    rows = [j for i in shape.legs.bodies[side] for j in range(robot.tree.first_q[i], robot.tree.first_q[i + 1])]
    return {robot.coordinates[j]: float(q[j]) for j in rows}


def _bent(robot: Robot, shape: Walker, side: int, foot: Place, base: Place) -> dict[str, Any]:
    """A leg nearly as long as it should be, its knee ahead, for a search to begin with: hinges across the way share it."""
    hip = base.at + base.axes @ shape.axes @ shape.hips[side]
    bend = 2.0 * float(np.arccos(np.clip((hip[2] - foot.at[2]) / shape.longest, 0.3, 0.999)))
    found: dict[str, Any] = {}
    beyond = False
    joints = [robot.layout.joints[i - 1] for i in shape.legs.bodies[side]]
    lateral = {joint.name: float(shape.axes[:, 1] @ serial(robot, joint.child).axes[-1].direction) for joint in joints}
    knee = robot.layout.joints[shape.knee[side] - 1].name
    way = 1.0 if lateral[knee] >= 0.0 else -1.0
    low, high = next(joint.limits for joint in joints if joint.name == knee)
    ahead = shape.straight[side] + way * bend
    if not low <= ahead <= high and low <= shape.straight[side] - way * bend <= high:
        bend = -bend  # a knee that bends backward
    for joint in joints:
        if joint.kind != "revolute" or abs(lateral[joint.name]) < LATERAL:
            continue
        sign = 1.0 if lateral[joint.name] > 0.0 else -1.0
        if joint.name == knee:
            found[knee], beyond = shape.straight[side] + sign * bend, True
        elif beyond or not any(name != knee for name in found):
            found[joint.name] = -0.5 * sign * bend
    return found
