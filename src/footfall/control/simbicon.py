"""SIMBICON: poses that follow each other by time and by foot strikes, with feedback on where the swing leg goes.

K. Yin, K. Loken and M. van de Panne, "SIMBICON: simple biped locomotion control", SIGGRAPH 2007. States, gains and feedback are
those of the authors' own planar program, as kept in gedeschaines/JSimbicon (Controller.java, Simbicon.java):

    target of the swing hip    th + c_d d + c_v (v - speed), d from the heel of the standing foot to the hip, v of the hip
    every joint                300 (target - angle) - 30 rate; torso and swing thigh against the vertical
    standing hip               minus the torque for the torso, minus that of the swing hip

A state of time 0, such as the second of running, is over as soon as it begins. `fast-run` is that state alone for 0.21 s, which
is not in the program. The program's torques are held for 50 us; here knees and ankles are held by their motors' servos, which are
stable at any step.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.control.fields import states
from footfall.control.gaited import Gaited, check_feet, enter, follow_schedule, stands, time_in
from footfall.core.jit import kernel
from footfall.model.parts import HeelToe
from footfall.model.quantity import quantity, words
from footfall.model.robot import Robot
from footfall.motion import pd

STRIKE = -1.0  # in place of a time: until the swing foot strikes
HIP_RANGE = -1.6, 0.4  # rad: of the target of a swing hip
KNEE, ANKLE = 1, 2  # after the hip, among the coordinates of a leg


class Pose(NamedTuple):
    """One state of the program: how long it lasts, and where the joints shall be, in our signs."""

    lasts: Any  # s, or STRIKE
    torso: Any  # rad
    swing_hip: Any
    c_d: Any  # rad/m
    c_v: Any  # rad s/m
    swing_knee: Any
    stance_knee: Any
    swing_ankle: Any
    stance_ankle: Any


class Sizes(NamedTuple):
    """Lengths of a leg, m."""

    thigh: Any
    shank: Any
    heel_x: Any
    heel_z: Any


# Each gait has two states for either leg, in the program's signs (forward and toe up positive): time (s) or strike of the swing
# foot, torso, swing hip, c_d (rad/m), c_v (rad s/m), swing knee, standing knee, swing ankle, standing ankle.
FAST = (0.21, -0.22, 1.08, 0.0, 0.20, -2.18, -0.05, 0.20, 0.27)
STATES = {
    "walk": ((0.30, 0.0, 0.40, 0.0, 0.20, -1.10, -0.05, 0.20, 0.20), (STRIKE, 0.0, -0.70, 2.20, 0.0, -0.05, -0.10, 0.20, 0.20)),
    "run": ((0.21, 0.0, 0.80, 0.0, 0.20, -1.84, -0.05, 0.20, 0.27), (0.0, *FAST[1:])),
    "crouch": (
        (0.30, -0.18, 1.10, 0.0, 0.20, -2.17, -0.97, 0.62, 0.44),
        (STRIKE, -0.25, -0.70, 2.20, 0.0, -0.05, -0.92, 0.20, 0.44),
    ),
    "fast-run": (FAST, (0.0, *FAST[1:])),
}


@kernel
def pose_of(params, state):
    """The pose of the state; states 2 and 3 are 0 and 1 with the legs exchanged."""
    gait = min(max(state.gait, 0), params.poses.shape[0] // 2 - 1)
    row = params.poses[2 * gait + state.part % 2]
    return Pose(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8])


@kernel
def is_over(obs, params, state):
    """Whether the state has had its time, or its swing foot has struck."""
    lasts = pose_of(params, state).lasts
    if lasts >= 0.0:
        return time_in(state, obs.time) >= lasts - 1e-9
    return stands(obs, 2, 4) if state.part < 2 else stands(obs, 0, 2)  # the left foot stands first


@kernel
def heel_of(obs, leg, hip):
    """Place along the ground of the heel of a leg; `hip` is where the leg's coordinates begin."""
    thigh = obs.q[2] + obs.q[hip]
    shank = thigh + obs.q[hip + KNEE]
    foot = shank + obs.q[hip + ANKLE]
    x = obs.q[0] - leg.thigh * np.sin(thigh) - leg.shank * np.sin(shank)
    return x + leg.heel_x * np.cos(foot) + leg.heel_z * np.sin(foot)


@dataclass(frozen=True)
class Simbicon(Gaited):
    """Walk, run and crouch with the planar biped of seven links; gaits change when a state ends."""

    known: ClassVar[tuple[str, ...]] = tuple(STATES)
    robot_coordinates: ClassVar[tuple[str, ...]] = (
        "base.x", "base.z", "base.pitch", "hip_left", "knee_left", "ankle_left", "hip_right", "knee_right", "ankle_right",
    )  # fmt: skip

    gaits: tuple[str, ...] = words("walk, run, crouch or fast-run, one after the other", ("walk",))
    speed: float = quantity("m/s", "desired speed of the hip, for the feedback", 0.0, low=-5.0, high=5.0)
    stiffness: float = quantity("N m/rad", "of every joint", 300.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 30.0, low=0.0)

    class Goal(Gaited.Goal):
        gait: int = states(*STATES)

    class State:
        part: int = states("left stands", "left stands, strike", "right stands", "right stands, strike")
        since: float = 0.0  # s
        gait: int = states(*STATES)  # until the state ends
        switched: int = 0  # switches of the schedule that are made

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        """The sizes of the legs, the poses, and the joints that the servos hold: knees and ankles."""
        self.check_robot(robot)
        check_feet(self, robot, HeelToe, ("foot_left", "foot_right"))
        heel = robot.feet[0].pads[0].heel  # type: ignore[union-attr]
        poses = -np.array([row for pair in STATES.values() for row in pair])  # our angles have the other sign
        poses[:, 0] *= -1.0
        leg = Sizes(-robot.joint("knee_left").at[1], -robot.joint("ankle_left").at[1], *heel)
        held = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
        return {"leg": leg, "poses": poses, "held": held, **self.schedule()}

    @kernel
    def law(obs, params, state, goal, command):
        """Go from state to state, then pose the joints."""
        q, v, tau = obs.q, obs.v, command.tau
        follow_schedule(params, state, goal, obs.time)
        if obs.time == 0.0:
            state.gait = goal.gait
        for _ in range(4):  # states of time 0 are left at once
            if is_over(obs, params, state):
                enter(state, (state.part + 1) % 4, obs.time)
                state.gait = goal.gait
        pose = pose_of(params, state)
        stance, swing = (3, 6) if state.part < 2 else (6, 3)
        k, d = params.stiffness, params.damping
        ahead = q[0] - heel_of(obs, params.leg, stance)
        hip = pose.swing_hip + pose.c_d * ahead + pose.c_v * (v[0] - goal.speed)
        hip = min(max(hip, HIP_RANGE[0]), HIP_RANGE[1])
        torso = pd(k, d, pose.torso - q[2], -v[2])
        tau[0] = tau[1] = tau[2] = 0.0
        tau[swing] = pd(k, d, hip - q[2] - q[swing], -(v[2] + v[swing]))
        tau[stance] = -torso - tau[swing]
        for i in range(len(tau)):  # knees and ankles: the servos bring them to zero, the torques to their targets
            command.stiffness[i], command.target[i], command.damping[i] = k * params.held[i], 0.0, d * params.held[i]
        tau[swing + KNEE], tau[stance + KNEE] = k * pose.swing_knee, k * pose.stance_knee
        tau[swing + ANKLE], tau[stance + ANKLE] = k * pose.swing_ankle, k * pose.stance_ankle
        return 0
