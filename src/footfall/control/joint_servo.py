"""The fast inner loop of joint position control: a PID controller at every driven hinge, Johnnie figure 5.5.

    tau = torque + K (q_ref - q) + D (q_ref' - q') + integral of I (q_ref - q)

Spring and damper are those of the motor's own loop (`Command`), which the drive closes at the true angle of its joint. The slower
loop above sets angles, rates, accelerations and torques with the time at which they hold; between its ticks the angles go on with
them.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import array
from footfall.control.hold import of_hinges
from footfall.core.jit import kernel
from footfall.model.quantity import quantity
from footfall.model.robot import Robot


class Prepared(NamedTuple):
    """The driven hinges, and the goal at the start."""

    hinge: Any  # (n,) int: degrees of freedom
    at: Any  # (n,) int: their places in q
    angle: Any  # (nv,) goal at the start
    stiffness: Any  # (nv,)
    damping: Any  # (nv,)


@dataclass(frozen=True)
class JointServo(Controller):
    """Follow joint angles by PID, with feed-forward torques; by itself it keeps its posture."""

    stiffness: float = quantity("N m/rad", "of every joint, until a layer above says otherwise", 2000.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint, likewise", 40.0, low=0.0)
    most: float = quantity("N m", "torque of the integral part", 20.0, low=0.0)

    class State:
        integral: Any = array("nv")  # N m

    class Goal:
        angle: Any = array("nv")  # rad
        velocity: Any = array("nv")  # rad/s
        acceleration: Any = array("nv")  # rad/s2
        torque: Any = array("nv")  # N m
        stiffness: Any = array("nv")  # N m/rad
        damping: Any = array("nv")  # N m s/rad
        integral: Any = array("nv")  # N m/(rad s)
        since: Any = array("nv")  # s: when angle and velocity hold

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        found = of_hinges(robot)
        hinge = np.array([d for d in robot.actuated if found[d]], np.int64)
        place = np.zeros(robot.nv, np.int64)
        for i in range(1, len(robot.tree.parent)):
            place[robot.tree.first_v[i]] = robot.tree.first_q[i]
        angle, driven = np.zeros(robot.nv), np.zeros(robot.nv)
        angle[hinge], driven[hinge] = q[place[hinge]], 1.0
        return Prepared(
            hinge=hinge,
            at=place[hinge],
            angle=angle,
            stiffness=self.stiffness * driven,
            damping=self.damping * driven,
        )

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        h = 1.0 / params.rate
        for k in range(len(params.hinge)):
            d = params.hinge[k]
            age = obs.time - goal.since[d]
            velocity = goal.velocity[d] + goal.acceleration[d] * age
            command.target[d] = goal.angle[d] + 0.5 * (goal.velocity[d] + velocity) * age
            more = h * goal.integral[d] * (command.target[d] - obs.q[params.at[k]])
            state.integral[d] = min(max(state.integral[d] + more, -params.most), params.most)
            command.stiffness[d], command.damping[d] = goal.stiffness[d], goal.damping[d]
            command.tau[d] = goal.torque[d] + goal.damping[d] * velocity + state.integral[d]
        return 0
