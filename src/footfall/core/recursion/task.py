"""Where the central body shall be, and the acceleration that takes it there."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    angular,
    compose,
    get_motion,
    get_rotation,
    get_vector,
    join,
    linear,
    no_motion,
    plus,
    rotate,
    rotation_error,
    rotation_exp,
    scaled,
    shift_motion,
    spin_cross,
    subtract,
    velocity_product,
)

BODY_AXES, WORLD_AXES = 0, 1  # axes in which the error shall obey its equation


class Task(NamedTuple):
    """The goal of a point of the central body. It may sway: from its place to place + sway and back, ever faster or slower."""

    point: Any  # (1, DIM) in the body's axes
    pose: Any  # (1, MOTION) place, and rotation vector of the body
    sway: Any  # (1, MOTION) way, and rotation vector in world axes
    stiffness: Any  # 1/s2
    damping: Any  # 1/s
    frequency: Any  # Hz: of the sway
    growth: Any  # Hz/s: of its frequency


@kernel
def goal_at(task, time):
    """Place, turn, velocity and acceleration of the goal."""
    turns, growth = 2.0 * np.pi * task.frequency, 2.0 * np.pi * task.growth
    phase, phase_rate = (turns + 0.5 * growth * time) * time, turns + growth * time
    c, s = np.cos(phase), np.sin(phase)
    sway, none = get_motion(task.sway, 0), no_motion()
    D = add_scaled(none, sway, 0.5 * (1.0 - c))
    V = add_scaled(none, sway, 0.5 * s * phase_rate)
    A = add_scaled(none, sway, 0.5 * (c * phase_rate * phase_rate + s * growth))
    pose = get_motion(task.pose, 0)
    return plus(linear(pose), linear(D)), compose(rotation_exp(angular(D)), rotation_exp(angular(pose))), V, A


@kernel
def body_error(task, work, center, time):
    """Arm of the point, error of place and turn, error of velocity, and the goal's velocity and acceleration."""
    R = get_rotation(work.R_WB, center)
    x = rotate(R, get_vector(task.point, 0))
    place, turn, V_D, A_D = goal_at(task, time)
    error = plus(plus(get_vector(work.p_WB, center), x), scaled(place, -1.0))
    V = shift_motion(get_motion(work.V_WB, center), x)
    return x, join(error, rotation_error(R, turn)), subtract(V, V_D), V_D, A_D


@kernel(inline=False)
def wanted(task, work, center, time, axes):
    """Acceleration of the central body's origin for which e'' + damping e' + stiffness e = 0.

    In world axes e is the error itself. Wendlandt's (3.21) to (3.23) write it in the body's axes, but use the body velocity for
    its rate; as these axes turn, w x v is then left over.
    """
    x, e, rate, V_D, A = body_error(task, work, center, time)
    A = add_scaled(add_scaled(A, rate, -task.damping), e, -task.stiffness)
    w = angular(get_motion(work.V_WB, center))
    if axes == BODY_AXES:
        V = add(rate, V_D)
        A = add(A, join(spin_cross(w, linear(V)), angular(no_motion())))
        A = subtract(A, join(spin_cross(angular(V_D), linear(V_D)), angular(no_motion())))
    return shift_motion(subtract(A, velocity_product(w, x, no_motion())), scaled(x, -1.0))
