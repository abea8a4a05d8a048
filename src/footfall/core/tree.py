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

    Row 0 of `accel` is the acceleration of the world: minus gravity makes everything weigh what it should.
    """

    turn: Any  # (n+1, TURN) of each body
    arm: Any  # (n+1, DIM) from the parent's origin to the body's
    place: Any  # (n+1, DIM) of the body's origin
    axis: Any  # (nv, DIM) of each degree of freedom
    spin: Any  # (n+1, SPIN) of each body
    speed: Any  # (n+1, MOTION)
    accel: Any  # (n+1, MOTION)
    swing: Any  # (n+1, MOTION) velocity product of each joint
    push: Any  # (n+1, MOTION) external force on each body, about its origin
    force: Any  # (n+1, MOTION)
    rest: Any  # (n+1, MOTION) force that a body's own motion takes, less what pushes it
    lean: Any  # (n+1, MOTION) acceleration with all joints at constant speed, weight included
    rigid: Any  # (n+1, RIGID) in world axes
    inertia: Any  # (n+1, INERTIA) articulated
    left_inertia: Any  # (n+1, INERTIA) at bodies that fork: sums over what they carry on one side, zero between evaluations
    left_force: Any  # (n+1, MOTION)
    right_inertia: Any
    right_force: Any
    answer: Any  # (nv, MOTION) force with which the articulated body answers unit acceleration of a degree of freedom
    pivot: Any  # (nv,) one over the articulated inertia along a degree of freedom
    load: Any  # (nv,) what is left of the joint force along it


def workspace(tree: Tree, algebra: Any, dtype: Any = np.float64) -> Work:
    """Fresh room for `tree`; with dtype=object it holds symbols."""
    n, nv = len(tree.parent), len(tree.turns)
    bodies = {
        "turn": algebra.TURN,
        "arm": algebra.DIM,
        "place": algebra.DIM,
        "spin": algebra.SPIN,
        "speed": algebra.MOTION,
        "accel": algebra.MOTION,
        "swing": algebra.MOTION,
        "push": algebra.MOTION,
        "force": algebra.MOTION,
        "rest": algebra.MOTION,
        "lean": algebra.MOTION,
        "rigid": algebra.RIGID,
        "inertia": algebra.INERTIA,
        "left_inertia": algebra.INERTIA,
        "left_force": algebra.MOTION,
        "right_inertia": algebra.INERTIA,
        "right_force": algebra.MOTION,
    }
    room = {name: np.zeros((n, width), dtype) for name, width in bodies.items()}
    room["turn"][0] = algebra.NO_TURN
    return Work(
        axis=np.zeros((nv, algebra.DIM), dtype),
        answer=np.zeros((nv, algebra.MOTION), dtype),
        pivot=np.zeros(nv, dtype),
        load=np.zeros(nv, dtype),
        **room,
    )
