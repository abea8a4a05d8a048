"""Joint position control with ankle torque control: the final scheme of JOHNNIE, the slower outer loop of Johnnie figure 5.5.

A virtual robot walks along the footsteps. Its joint angles, rates and torques are the reference of the fast loops at the joints
(`JointServo`, the layer below). The outer loop compares the divergent component of motion (DCM) of the real robot with that of
the virtual one, and moves the ZMP by the torques of the ankles, within the soles (5.13, 5.14), on feet that give way (5.15).
If the ankles cannot hold the robot, the virtual robot follows it and puts its next foot elsewhere; `adjust=0` is the scheme of
the paper, which had no such thing.

    Layered((JointPositionWalk(), JointServo()))       with LegOdometry() above them to walk by sensors
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.fields import ControlError, array
from footfall.control.hold import of_hinges
from footfall.control.walk import Walk
from footfall.control.walking.ankles import control_ankles
from footfall.control.walking.friction import overcome
from footfall.control.walking.legs import Estimate, Seen, driven_legs, look, take
from footfall.control.walking.reference import JOINTS, Torques, feel_loads, measure, move_on, recall
from footfall.control.walking.steps import schedule
from footfall.control.walking.whole_body import drive, resolve, want_motion
from footfall.core.jit import kernel
from footfall.kinematics.two_legs import sole_of
from footfall.model.quantity import quantity
from footfall.model.robot import Robot


@dataclass(frozen=True)
class JointPositionWalk(Walk):
    """Walk along footsteps by joint angles, and balance by the ankles; the layer below is a `JointServo`."""

    rate: float = quantity("1/s", "how often the law is called", 500.0, low=0.01, high=1e6)
    hurry: float = quantity("1", "part of the swing after it has moved level", 0.05, low=0.0, high=0.9)
    gain: float = quantity("1/s", "at which errors of the virtual robot's DCM decay", 2.0, low=0.0, high=50.0)
    whole: float = quantity("1", "part to which the whole body, not its pendulum, has the planned ZMP", 1.0, low=0.0, high=1.0)
    lead: float = quantity("s", "by which the velocity of the friction that is compensated is ahead", 0.0, low=0.0, high=1.0)
    ankle_gain: float = quantity("1/s", "at which the ankles let errors of the DCM decay", 4.0, low=0.0, high=50.0)
    ankles: float = quantity("1", "part of the ankle torque control that is done", 1.0, low=0.0, high=1.0)
    follow_gain: float = quantity("1/s", "at which errors decay that the virtual robot takes up", 1.0, low=0.0, high=50.0)
    catch: float = quantity("m", "farthest that the ZMP of the virtual robot is moved to follow the real one", 0.2, low=0.0)
    compliance: float = quantity("1", "part of the feet's compliance that is compensated", 1.0, low=0.0, high=2.0)
    level: float = quantity("1", "part of the tilt of the pelvis that the swing foot makes up for", 1.0, low=0.0, high=1.0)
    heading: float = quantity("1", "part of an error of the heading that each step makes up for", 0.5, low=0.0, high=1.0)
    sharing: float = quantity("m/(N s)", "at which legs are stretched to share the load as planned", 3e-3, low=0.0, high=0.1)
    leg_stiffness: float = quantity("N m/rad", "of hips and knees", 3000.0, low=0.0)
    leg_damping: float = quantity("N m s/rad", "of hips and knees", 60.0, low=0.0)
    leg_integral: float = quantity("N m/(rad s)", "of hips and knees", 0.0, low=0.0)
    ankle_stiffness: float = quantity("N m/rad", "of ankles", 200.0, low=0.0)
    ankle_damping: float = quantity("N m s/rad", "of ankles", 6.0, low=0.0)
    arm_stiffness: float = quantity("N m/rad", "of all other joints", 300.0, low=0.0)
    arm_damping: float = quantity("N m s/rad", "of all other joints", 20.0, low=0.0)

    leads = "a JointServo"
    Goal = Estimate

    class State(Walk.State):
        begun: int = 0
        pose: Any = array(7)  # of the virtual robot's pelvis: place and quaternion
        velocity: Any = array(6)
        angle: Any = array(2, JOINTS)  # rad: of its legs
        rate: Any = array(2, JOINTS)  # rad/s
        error: Any = array(2)  # m: DCM of the real robot less that of the virtual one
        stretch: float = 0.0  # m: of the left leg against the right one
        sole_zmp: Any = array(2)  # m: planned ZMP of the whole body, from where it is wanted

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        robot = self.model_for(robot)
        hinge, legs = of_hinges(robot), driven_legs(robot).leg
        if legs.shape[1] != JOINTS or not all(hinge[d] for d in legs.ravel()):
            kinds = "" if all(hinge[legs.ravel()]) else ", not all of hinges"
            raise ControlError(
                f"JointPositionWalk: robot {robot.name!r} must have legs of {JOINTS} hinges, so that angles tell where its feet "
                f"are; they have {legs.shape[1]} degrees of freedom{kinds}"
            )
        found = super().prepare(robot, q, gravity)
        at, gains = np.zeros(robot.nv, np.int64), np.zeros((3, robot.nv))
        for i in range(1, len(robot.tree.parent)):
            at[robot.tree.first_v[i]] = robot.tree.first_q[i]
        driven = np.array([d for d in robot.actuated if hinge[d]], np.int64)
        gains[:, driven] = np.array([[self.arm_stiffness, self.arm_damping, 0.0]]).T
        gains[:, legs[:, :-2].ravel()] = np.array([[self.leg_stiffness, self.leg_damping, self.leg_integral]]).T
        gains[:, legs[:, -2:].ravel()] = np.array([[self.ankle_stiffness, self.ankle_damping, 0.0]]).T
        yields, middle = compliances(robot)
        more = {"at": at, "driven": driven, "gains": gains, "yields": yields, "middle": middle}
        working = {"measured": np.zeros((2, 4)), "tilt": np.zeros(3), "load": np.zeros(2), "step": np.zeros(6)}
        return found._asdict() | more | working

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        take(obs, params, goal)
        seen = Seen(obs.time, params.q, params.v, params.touch)
        look(seen, params)
        measure(params)
        feel_loads(obs, params)
        recall(params, state)
        look(seen, params)
        schedule(seen, params, state)
        want_motion(seen, params, state)
        resolve(seen, params)
        p = drive(seen, params, state, Torques(command.torque))
        for d in params.driven:
            command.angle[d], command.velocity[d], command.since[d] = params.q[params.at[d]], params.v[d], obs.time
            command.stiffness[d], command.damping[d], command.integral[d] = (
                params.gains[0, d],
                params.gains[1, d],
                params.gains[2, d],
            )
        control_ankles(params, state, command, p)
        overcome(params, Torques(command.torque))
        for d in params.driven:
            command.acceleration[d] = params.accel[d]
        move_on(params, state)
        return 0


def compliances(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """How feet give way to their load: 1 / C_F in roll and pitch, and 1 / sum of K; and the middle of their contact elements."""
    yields, middle = np.zeros((2, 3)), np.zeros((2, 2))
    for side, foot in enumerate(robot.feet):
        corners = sole_of(robot, foot.name)[:, :2]
        middle[side] = corners.mean(axis=0)
        if foot.compliance is not None:
            arms = ((corners - middle[side]) ** 2).sum(axis=0) * foot.compliance.stiffness
            yields[side] = 1.0 / arms[1], 1.0 / arms[0], 1.0 / (len(corners) * foot.compliance.stiffness)
    return yields, middle
