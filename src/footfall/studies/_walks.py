"""What walks along footsteps share: the start, pushes on the way, sensors and estimator, and a robot that is not as believed."""

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.control import Controller, Layered, LegOdometry
from footfall.control.walking.legs import driven_legs
from footfall.errors import ParameterError
from footfall.kinematics.two_legs import sole_of
from footfall.model.mistaken import Mistakes, mistaken
from footfall.model.parts import Joint
from footfall.model.quantity import choice, count, quantity
from footfall.model.robot import Robot
from footfall.sensors import Sensor, walker_sensors
from footfall.world import Push

PUSHED = 5.0, 5.1  # s: from, until
ASKED: dict[str, Any] = {
    "push": quantity("N s", "on the upper body, within 0.1 s at 5 s", 0.0, low=0.0, high=1000.0),
    "toward": quantity("rad", "where the push goes: 0 is forward, positive to the left", 0.0, low=-np.pi, high=np.pi),
    "sensors": choice("the truth, or sensors and an estimator", "ideal", ("ideal", "real")),
    "masses": quantity("1", "of all links, over those that the controller believes", 1.0, low=0.5, high=2.0),
    "inertias": quantity("1", "of all links, over those that the controller believes", 1.0, low=0.5, high=2.0),
    "spread": quantity(
        "1", "largest part by which mass and inertia of each link are off besides, by chance", 0.0, low=0.0, high=0.5
    ),
    "drawn": count("seed of that chance", 0, high=2**32 - 1),
    "rubs": quantity("1", "friction of all joints, over what the controller believes", 1.0, low=0.0, high=10.0),
    "late": count("ticks of the controller from a measurement to the command that follows it", 0, high=100),
}
PER_MASS: Any = quantity("N s/kg", "push within 0.1 s at 5 s, on the heaviest link that no leg has", 0.0, low=0.0, high=25.0)
FULL = {"robot.motors": "real", "robot.feet": "compliant", "sensors": "real"}  # JOHNNIE as it would be
TICK = 1e-3  # s


def pushes(link: str, push: float, toward: float) -> tuple[Push, ...]:
    """A push of so many N s, or none."""
    begin, end = PUSHED
    size = push / (end - begin)
    return (Push(link, (size * np.cos(toward), size * np.sin(toward), 0.0), begin, end),) if push else ()


def hit(robot: Robot, push: float, toward: float) -> tuple[Push, ...]:
    """A push of so many N s for each kg of a robot, on its heaviest link that is no part of a leg."""
    legs = {i for chain in driven_legs(robot).bodies for i in chain}
    trunk = max((link for link in robot.links if robot.target(link.name).body not in legs), key=lambda link: link.mass)
    return pushes(trunk.name, push * robot.mass, toward)


# --- sensors, and an estimator --------------------------------------------------------------------------------------------


def sensed(robot: Robot, walk: Controller, sensors: str, late: int = 0) -> tuple[Controller, tuple[Sensor, ...]]:
    """A controller with its sensors: those of a walking machine, with an estimator above it, or none.

    A command that comes late is one whose sensors are, so that is where the delay is.
    """
    driven_legs(robot)
    if sensors == "ideal" and late:
        raise ParameterError(f"late must be 0 where sensors are ideal, got {late}; with sensors = real they can be late")
    if sensors == "ideal":
        return walk, ()
    return Layered((LegOdometry(compliance=foot_compliance(robot)), walk)), walker_sensors(robot, late * TICK)


def foot_compliance(robot: Robot) -> float:
    """By how much a foot gives for each N, m/N: its contact elements share the load."""
    elements = robot.feet[0].compliance
    return 1.0 / (len(sole_of(robot, robot.feet[0].name)) * elements.stiffness) if elements else 0.0


# --- a robot that is not as the controller believes ------------------------------------------------------------------------


def off(
    robot: Robot, masses: float = 1.0, inertias: float = 1.0, rubs: float = 1.0, spread: float = 0.0, drawn: int = 0
) -> Robot:
    """The robot with other masses, inertias and friction: all of them times a factor, those of each link by chance besides."""
    if masses == inertias == rubs == 1.0 and spread == 0.0:
        return robot
    found = mistaken(robot, Mistakes(mass=spread, inertia=spread, masses=masses, inertias=inertias), drawn)
    return replace(found, joints=tuple(_rubbing(joint, rubs) for joint in robot.joints))


def _rubbing(joint: Joint, rubs: float) -> Joint:
    static, motor = joint.static_friction, joint.motor
    return replace(
        joint,
        damping=rubs * joint.damping,
        friction=rubs * joint.friction,
        static_friction=None if static is None else rubs * static,
        motor=motor and replace(motor, load_friction=min(rubs * motor.load_friction, 0.999)),
    )
