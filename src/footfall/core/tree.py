"""The robot as arrays, and the arrays that recursions work in.

Bodies are numbered 1..n with parents before children; body 0 is the world. In the zero position the axes of every body are
parallel to the world's, so a joint is just an offset and the axes of its degrees of freedom. Index i counts bodies, index d
degrees of freedom.

Names follow Featherstone and Drake: R_WB and p_WB are rotation and origin of body B in the world W, r_PB_W leads from the parent
P to B in world axes, V_WB and A_WB are velocity and acceleration of B's origin, linear part first, in world axes.
"""

from typing import Any, NamedTuple

import numpy as np


class Tree(NamedTuple):
    """A robot as arrays: topology is data, so no code is compiled per robot."""

    parent: Any  # (n+1,) int
    side: Any  # (n+1,) int: on which side of its parent a body is: 0 in the middle, 1 left, 2 right
    forks: Any  # (n+1,) int: 1 if a body carries others left and right
    kind: Any  # (n+1,) int, see core.joints
    first_q: Any  # (n+2,) int: body i has the coordinates first_q[i] .. first_q[i+1]-1
    first_v: Any  # (n+2,) int: and the degrees of freedom first_v[i] .. first_v[i+1]-1
    offset: Any  # (n+1, DIM) joint in the parent's axes
    turns: Any  # (nv,) int: 1 turns about its axis, 0 slides along it
    axis: Any  # (nv, DIM) unit vector
    rigid: Any  # (n+1, RIGID) mass, first moment, rotational inertia about the body's origin
    rotor: Any  # (nv,) inertia of the rotor, reflected to the joint


class Work(NamedTuple):
    """The arrays of one evaluation. The caller owns them and may use them again.

    Row 0 of A_WB is the acceleration of the world: minus gravity there gives all bodies their weight.
    """

    R_WB: Any  # (n+1, ROTATION) rotation of each body
    r_PB_W: Any  # (n+1, DIM) from the parent's origin to the body's, in world axes
    p_WB: Any  # (n+1, DIM) origin of each body
    axis: Any  # (nv, DIM) of each degree of freedom, in world axes
    w_WB: Any  # (n+1, SPIN) angular velocity of each body
    V_WB: Any  # (n+1, MOTION) velocity of each body
    A_WB: Any  # (n+1, MOTION) acceleration of each body
    c_J: Any  # (n+1, MOTION) velocity-product acceleration of each joint
    f_ext: Any  # (n+1, MOTION) external force on each body, about its origin
    force: Any  # (n+1, MOTION) force on a body (RNEA), or articulated-body bias force (ABA)
    p_bias: Any  # (n+1, MOTION) bias force of each body: velocity-dependent forces less external ones
    a_bias: Any  # (n+1, MOTION) bias acceleration: with all joints at constant speed, gravity included
    rigid: Any  # (n+1, RIGID) in world axes
    inertia: Any  # (n+1, INERTIA) articulated-body inertia
    left_inertia: Any  # (n+1, INERTIA) at bodies that fork: sums over one side, zero between evaluations
    left_force: Any  # (n+1, MOTION)
    right_inertia: Any
    right_force: Any
    U: Any  # (nv, MOTION) U = I_A S
    D_inv: Any  # (nv,) 1 / (S.U + rotor)
    u: Any  # (nv,) tau - S.p_A


def work_arrays(tree: Tree, algebra: Any, dtype: Any = np.float64) -> Work:
    """New arrays for `tree`; with dtype=object they hold symbols."""
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
