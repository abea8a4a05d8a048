"""Computed torque control of a walk: accelerations of feet, pelvis and centre of mass, and the torques that make them.

Feet, pelvis and upper body are given accelerations; the centre of mass accelerates as an inverted pendulum whose ZMP follows the
divergent component of motion, within the soles, Johnnie (5.9, 5.10, 5.13, 5.14). The accelerations of all joints follow by the
Jacobians, the torques by inverse dynamics with the ground's wrench at the feet. If the ankles cannot hold the robot, the next
foot is put elsewhere.
"""

from dataclasses import dataclass

from footfall.control.walk import Walk
from footfall.control.walking.friction import overcome
from footfall.control.walking.legs import Estimate, Seen, clip, look, take
from footfall.control.walking.steps import schedule
from footfall.control.walking.whole_body import drive, resolve, want_motion
from footfall.core.jit import kernel
from footfall.model.quantity import quantity


@dataclass(frozen=True)
class ComputedTorqueWalk(Walk):
    """Walk along footsteps by computed torques."""

    strongest: float = quantity("N m", "torque that is asked of any motor", 200.0, low=0.0)
    toe_stiffness: float = quantity("N m/rad", "of the servos of toes, which are a part of the sole", 10000.0, low=0.0)
    toe_damping: float = quantity("N m s/rad", "of the servos of toes", 20.0, low=0.0)

    Goal = Estimate

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        take(obs, params, goal)
        seen = Seen(obs.time, params.q, params.v, params.touch)
        look(seen, params)
        schedule(seen, params, state)
        want_motion(seen, params, state)
        resolve(seen, params)
        drive(seen, params, state, command)
        overcome(params, command)
        for d in range(len(command.tau)):
            command.tau[d] = clip(command.tau[d], -params.strongest, params.strongest)
        for k in range(len(params.toes)):
            i, d = params.toes[k, 0], params.toes[k, 1]
            command.stiffness[d], command.target[d], command.damping[d] = (
                params.toe_stiffness,
                params.posture[i],
                params.toe_damping,
            )
        for k in range(len(params.held)):
            i, d = params.held[k, 0], params.held[k, 1]
            command.stiffness[d], command.target[d], command.damping[d] = (
                params.servo[k, 0],
                params.posture[i],
                params.servo[k, 1],
            )
        return 0
