"""JOHNNIE walks at 2 km/h by computed torques, as the paper plans it for the robot.

Control is that of the paper's section 5 (see `footfall.control.computed_torque`), the speed its 2 km/h. Steps, their times, hip
height and gains are our own: the paper has none. By default the ground is rigid, motors have no limits, and the controller knows
the truth. In full, motors, gears and feet are as they could be (robot.motors=real, robot.feet=compliant), and the controller has
sensors and an estimator alone (sensors=real). The robot may differ from the one that the controller believes in (masses,
inertias, spread, rubs, late).
"""

from dataclasses import replace
from typing import Any

from footfall.control import ComputedTorqueWalk
from footfall.control.walking.start import start
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, off, pushes, sensed
from footfall.world import World

STEPS = 1000  # more than it takes
WALK: dict[str, Any] = {"whole": 1.0, "hurry": 0.05, "friction": 0.8, "smooth": 0.3}


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    speed: float = quantity("m/s", "of walking; backward if negative", 2.0 / 3.6, low=-0.8, high=0.8),
    push: float = ASKED["push"],
    toward: float = ASKED["toward"],
    sensors: str = ASKED["sensors"],
    masses: float = ASKED["masses"],
    inertias: float = ASKED["inertias"],
    spread: float = ASKED["spread"],
    drawn: int = ASKED["drawn"],
    rubs: float = ASKED["rubs"],
    late: int = ASKED["late"],
) -> Study:
    """A walk of 60 s from standing, straight on."""
    true = off(robot, masses, inertias, rubs, spread, drawn)
    walk = ComputedTorqueWalk(steps=STEPS, believed=None if true is robot else robot, **WALK)
    walk = replace(walk, length=speed * (walk.single_support + walk.double_support))
    controller, measured = sensed(robot, walk, sensors, late)
    return Study(
        true,
        World(pushes=pushes("torso", push, toward)),
        controller,
        start(robot, walk),
        seconds=60.0,
        sensors=measured,
        name="johnnie-walk-computed-torque",
    )
