"""JOHNNIE walks at 2 km/h by joint position control with ankle torque control, the paper's final scheme, as it would be built.

Motors with limits, gears with friction, feet with contact elements, sensors with noise and bias, and an estimator in the loop.
Control is that of the paper's section 5 (see `footfall.control.joint_position`), the speed its 2 km/h. Steps, their times, hip
height and gains are our own: the paper has none. `adjust=0` leaves out the step adjustment, which the paper's scheme does not
have; with `ankles=0` the ankles do not balance either. The robot may differ from the one that the controller believes in
(masses, inertias, spread, rubs, late).
"""

from dataclasses import replace
from typing import Any

from footfall.control import JointPositionWalk, JointServo, Layered
from footfall.control.walking.start import start
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, off, pushes, sensed
from footfall.world import World

STEPS = 1000  # more than it takes
SPEED: Any = quantity("m/s", "of walking; backward if negative", 2.0 / 3.6, low=-0.8, high=0.8)
ADJUST: Any = quantity("1", "part of the step adjustment that is made", 1.0, low=0.0, high=1.0)
SENSORS: Any = choice("the truth, or sensors and an estimator", "real", ("ideal", "real"))
ANKLES: Any = quantity("1", "part of the ankle torque control that is done", 1.0, low=0.0, high=1.0)


@declared
def build(
    *,
    robot: Robot = ready("johnnie", motors="real", feet="compliant"),
    speed: float = SPEED,
    push: float = ASKED["push"],
    toward: float = ASKED["toward"],
    adjust: float = ADJUST,
    ankles: float = ANKLES,
    sensors: str = SENSORS,
    masses: float = ASKED["masses"],
    inertias: float = ASKED["inertias"],
    spread: float = ASKED["spread"],
    drawn: int = ASKED["drawn"],
    rubs: float = ASKED["rubs"],
    late: int = ASKED["late"],
) -> Study:
    """A walk of 60 s from standing, straight on."""
    true = off(robot, masses, inertias, rubs, spread, drawn)
    walk = position_walk(speed, adjust, ankles, believed=None if true is robot else robot)
    controller, measured = sensed(robot, Layered((walk, JointServo())), sensors, late)
    world = World(pushes=pushes("torso", push, toward))
    return Study(true, world, controller, start(robot, walk), seconds=60.0, sensors=measured, name="johnnie-walk")


def position_walk(speed: float, adjust: float = 1.0, ankles: float = 1.0, believed: Robot | None = None) -> JointPositionWalk:
    """The outer loop for a speed."""
    walk = JointPositionWalk(steps=STEPS, adjust=adjust, ankles=ankles, believed=believed)
    return replace(walk, length=speed * (walk.single_support + walk.double_support))
