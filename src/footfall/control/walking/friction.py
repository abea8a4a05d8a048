"""Friction of joints as a law compensates it: that which the robot model declares, smooth about rest.

Johnnie (4.6): dry friction that falls from rest to motion (Stribeck), more under load, and viscous friction.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.model.robot import Robot


class Rubs(NamedTuple):
    """Of every degree of freedom."""

    dry: Any  # (nv,) N m, in motion
    stiction: Any  # (nv,) N m, more than that at rest
    v_stribeck: Any  # (nv,) rad/s
    viscous: Any  # (nv,) N m s/rad
    load: Any  # (nv,) for each N m of the motor


def rubs_of(robot: Robot, without: Sequence[int] = ()) -> Rubs:
    """The friction that a robot declares; none of degrees of freedom for which it is not compensated."""
    found = Rubs(*(np.zeros(robot.nv) for _ in Rubs._fields))
    found.v_stribeck[:] = 1.0
    for i, joint in enumerate(robot.layout.joints, 1):
        for d in range(robot.tree.first_v[i], robot.tree.first_v[i + 1]):
            found.dry[d], found.viscous[d] = joint.friction, joint.damping
            if joint.static_friction is not None and joint.stribeck_velocity > 0.0:
                found.stiction[d], found.v_stribeck[d] = joint.static_friction - joint.friction, joint.stribeck_velocity
            if joint.motor is not None:
                found.load[d] = joint.motor.load_friction
    for row in (found.dry, found.stiction, found.viscous, found.load):
        row[list(without)] = 0.0
    return found


@kernel
def overcome(params, command):
    """Add the torque that friction will take, at the velocity that a joint shall have a moment later.

    That velocity is v + a `lead`, so that a joint at rest is pushed the way it shall go. The sign is smooth: tanh(v / smooth).
    """
    rubs = params.rubs
    for d in range(len(command.tau)):
        v = params.v[d] + params.lead * params.accel[d]
        x = v / rubs.v_stribeck[d]
        dry = rubs.dry[d] + rubs.stiction[d] * np.exp(-x * x) + rubs.load[d] * abs(command.tau[d])
        command.tau[d] += params.friction * (dry * np.tanh(v / params.smooth) + rubs.viscous[d] * v)
