"""What the kernels see of a robot, and the arrays that they work in.

Bodies are numbered 1..n with parents before children; body 0 is the world. In the zero position every body's axes are parallel to
the world's, so a joint is no more than an offset and the axes of its degrees of freedom. Rows with index i belong to bodies, rows
with index d to degrees of freedom.
"""

from typing import Any, NamedTuple

import numpy as np


class Tree(NamedTuple):
    """A robot as arrays: topology is data, so no code is compiled per robot."""

    parent: Any  # (n+1,) int
    side: Any  # (n+1,) int: of a body that carries several others, on which each is: 0 in the middle, 1 left, 2 right
    forks: Any  # (n+1,) int: 1 if a body carries others left and right
    kind: Any  # (n+1,) int, see core.joints
    first_q: Any  # (n+2,) int: body i has the coordinates first_q[i] .. first_q[i+1]-1
    first_v: Any  # (n+2,) int: and the degrees of freedom first_v[i] .. first_v[i+1]-1
    offset: Any  # (n+1, DIM) joint in the parent's axes
    turns: Any  # (nv,) int: 1 turns about its axis, 0 slides along it
    axis: Any  # (nv, DIM) unit vector
    rigid: Any  # (n+1, RIGID) mass, first moment, rotational inertia about the body's origin
    rotor: Any  # (nv,) inertia of the rotor as felt at the joint


class Work(NamedTuple):
    """Room for one evaluation; the caller owns it and may use it again and again.

    Row 0 of `A_WB` is the acceleration of the world: minus gravity makes everything weigh what it should.
    """

    R_WB: Any  # (n+1, TURN) of each body
    r_PB_W: Any  # (n+1, DIM) from the parent's origin to the body's
    p_WB: Any  # (n+1, DIM) of the body's origin
    axis: Any  # (nv, DIM) of each degree of freedom
    w_WB: Any  # (n+1, SPIN) of each body
    V_WB: Any  # (n+1, MOTION)
    A_WB: Any  # (n+1, MOTION)
    c_J: Any  # (n+1, MOTION) velocity product of each joint
    f_ext: Any  # (n+1, MOTION) external force on each body, about its origin
    force: Any  # (n+1, MOTION)
    p_bias: Any  # (n+1, MOTION) force that a body's own motion takes, less what pushes it
    a_bias: Any  # (n+1, MOTION) acceleration with all joints at constant speed, weight included
    rigid: Any  # (n+1, RIGID) in world axes
    inertia: Any  # (n+1, INERTIA) articulated
    left_inertia: Any  # (n+1, INERTIA) at bodies that fork: sums over what they carry on one side, zero between evaluations
    left_force: Any  # (n+1, MOTION)
    right_inertia: Any
    right_force: Any
    U: Any  # (nv, MOTION) force with which the articulated body answers unit acceleration of a degree of freedom
    D_inv: Any  # (nv,) one over the articulated inertia along a degree of freedom
    u: Any  # (nv,) what is left of the joint force along it


def work_arrays(tree: Tree, algebra: Any, dtype: Any = np.float64) -> Work:
    """Fresh room for `tree`; with dtype=object it holds symbols."""
    n, nv = len(tree.parent), len(tree.turns)
    bodies = {
        "R_WB": algebra.ROTATION,
        "r_PB_W": algebra.DIM,
        "p_WB": algebra.DIM,
        "w_WB": algebra.SPIN,
        "V_WB": algebra.MOTION,
        "A_WB": algebra.MOTION,
        "c_J": algebra.MOTION,
        "f_ext": algebra.MOTION,
        "force": algebra.MOTION,
        "p_bias": algebra.MOTION,
        "a_bias": algebra.MOTION,
        "rigid": algebra.RIGID,
        "inertia": algebra.INERTIA,
        "left_inertia": algebra.INERTIA,
        "left_force": algebra.MOTION,
        "right_inertia": algebra.INERTIA,
        "right_force": algebra.MOTION,
    }
    room = {name: np.zeros((n, width), dtype) for name, width in bodies.items()}
    room["R_WB"][0] = algebra.NO_ROTATION
    return Work(
        axis=np.zeros((nv, algebra.DIM), dtype),
        U=np.zeros((nv, algebra.MOTION), dtype),
        D_inv=np.zeros(nv, dtype),
        u=np.zeros(nv, dtype),
        **room,
    )
