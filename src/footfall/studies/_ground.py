"""What walks over stairs, slopes, curves and uneven ground share: gaits, plans, and the robot as it would be."""

from typing import Any

from footfall.control import ComputedTorqueWalk
from footfall.control.walking.start import start
from footfall.model.robot import Robot
from footfall.motion.footsteps import FootstepPlan
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import sensed
from footfall.world import Terrain, World

STEPS = 1000  # more than it takes
JOHNNIE: Any = ready("johnnie", motors="real", feet="compliant")  # as it could be, as a parameter of a study
STEADY: dict[str, Any] = {"whole": 1.0}  # the whole body has the planned ZMP: standing feet slide less
CAREFUL: dict[str, Any] = {  # rise first, then go forward, then come down; in more time than on level ground
    "length": 0.35,
    "single_support": 1.0,
    "double_support": 0.3,
    "apex": 0.4,
    "delay": 0.2,
    "hurry": 0.15,
    **STEADY,
}


def footsteps(plan: FootstepPlan) -> tuple[tuple[float, ...], ...]:
    """The rows of a plan as walking laws have them: x, y, z, yaw."""
    return tuple((step.x, step.y, step.z, step.yaw) for step in plan.steps)


def over(terrain: Terrain, robot: Robot, walk: ComputedTorqueWalk, sensors: str, seconds: float, name: str) -> Study:
    """A walk over a terrain, from standing there."""
    controller, measured = sensed(robot, walk, sensors)
    q = start(robot, walk, terrain)
    return Study(robot, World(terrain), controller, q, seconds=seconds, sensors=measured, name=name)


def until_it_stands(walk: ComputedTorqueWalk) -> float:
    """The time that all footsteps take, and 2 s more."""
    return walk.begin + len(walk.footsteps) * (walk.single_support + walk.double_support) + walk.begin + 2.0
