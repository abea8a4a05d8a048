"""A person hurls a ball: fifty pounds of force between hand and ball, while its centre of mass stays at rest.

Stewart and Cremer (1989), section 4. The person of the walk has one arm more, with Winter's segments, and a ball of 5 kg in its
hand. It throws underarm, straight ahead; the run ends when the ball would be let go. The centre of mass is that of the person
without the ball.
"""

import math
from dataclasses import replace

import numpy as np

from footfall.control.newton_throw import POUND, NewtonThrow
from footfall.engines import Ideal
from footfall.kinematics.two_legs import find_legs
from footfall.model.parts import Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.studies.newton_walk import standing
from footfall.world import World

UPPER, FOREARM, SHOULDER_HEIGHT, SHOULDERS = 0.186, 0.146, 0.818 - 0.530, 0.259  # Winter, of stature
UPPER_MASS, FOREARM_MASS = 0.028, 0.022  # Winter, of the body's mass; the forearm with the hand
GYRATION = 0.32  # of a segment's length, about its middle: between Winter's 0.322 and 0.303
BALL = 0.1  # m: its radius
DT = 1e-4  # s: accelerations are constant over a step, and the arm turns fast
WAY = 0.75  # m: of the ball in the hand
HAND = (-0.42, -0.33)  # m: where the ball starts, from the shoulder: forward, up


@declared
def build(
    *,
    robot: Robot = ready("person"),
    force: float = quantity("N", "of the hand on the ball, along its way", 50.0 * POUND, low=1.0, high=1000.0),
    ball: float = quantity("kg", "mass of the ball", 5.0, low=0.1, high=50.0),
) -> Study:
    """From an arm that is swung back, for as long as the ball is on its way to arm's length."""
    find_legs(robot)
    thrower = with_arm(robot, ball)
    q = robot_start(thrower)
    seconds = min(round(math.sqrt(2.0 * WAY * ball / force), 3), 0.6)
    controller, world = NewtonThrow(rate=1.0 / DT, force=force), World(lowest_base=0.5, falls=False)
    study = Study(
        thrower, world, controller, q, seconds=seconds, dt=DT, record_dt=0.001, engine=Ideal(), record=("controller.state",)
    )
    return Simulation(replace(study, name="newton-throw"), lift=True).study


def with_arm(robot: Robot, ball: float) -> Robot:
    """The person with a right arm of its own and a ball in the hand; the torso, which counts arms, is lighter by it."""
    H, m = stature(robot), robot.mass
    torso = robot.link("torso")
    share = 1.0 - (UPPER_MASS + FOREARM_MASS) * m / torso.mass
    lighter = replace(torso, mass=share * torso.mass, inertia=tuple((share * np.array(torso.inertia)).tolist()))
    links = [lighter if link.name == "torso" else link for link in robot.links]
    for name, length, mass in (("upper_arm", UPPER * H, UPPER_MASS * m), ("forearm", FOREARM * H, FOREARM_MASS * m)):
        bending = mass * (GYRATION * length) ** 2
        links.append(Link(name, mass, (0.0, 0.0, -length / 2), (bending, bending, 0.1 * bending)))
    links.append(Link("ball", ball, (0.0, 0.0, 0.0), (0.4 * ball * BALL * BALL,) * 3))
    joints = (
        *robot.joints,
        Joint("shoulder", "spherical", "torso", "upper_arm", (0.0, -SHOULDERS * H / 2, SHOULDER_HEIGHT * H), motor=Motor()),
        Joint("elbow", "revolute", "upper_arm", "forearm", (0.0, 0.0, -UPPER * H), axis=(0.0, -1.0, 0.0), motor=Motor()),
        Joint("grip", "spherical", "forearm", "ball", (0.0, 0.0, -FOREARM * H), motor=Motor()),
    )
    return replace(robot, name="person-with-ball", links=tuple(links), joints=joints)


def stature(robot: Robot) -> float:
    """From the thigh's length, which is 0.245 of it."""
    return -robot.joint("knee_left").at[2] / 0.245


def robot_start(robot: Robot) -> tuple[float, ...]:
    """Standing with bent knees, the ball behind: the shoulder turned back, the elbow bent as far as it takes."""
    H = stature(robot)
    a, b, d = UPPER * H, FOREARM * H, math.hypot(*HAND)
    bend = math.acos(np.clip((d * d - a * a - b * b) / (2.0 * a * b), -1.0, 1.0))
    back = math.atan2(b * math.sin(bend), a + b * math.cos(bend)) - math.atan2(HAND[0], -HAND[1])
    arm = {"shoulder.qw": math.cos(back / 2), "shoulder.qy": math.sin(back / 2), "elbow": bend}
    q = np.array(standing(robot, math.radians(25.0)))
    for name, value in arm.items():
        q[robot.coordinates.index(name)] = value
    return tuple(q.tolist())
