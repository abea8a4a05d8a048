"""Recursive workspace control (Wendlandt and Sastry 1996, section 3): dynamics as seen at the central body, and joint forces
from a force on that body.

In their order, for any tree with a central body and legs. Their letters, and where the quantities are kept (world axes, about
the origin of the body, instead of body axes about its centre of mass):

    V_i  work.V_WB      a_i  work.c_J      b_i  work.p_bias      P_i  work.inertia      z_i  work.force
    H_i  work.axis      A    shift by work.r_PB_W                D_i  1 / work.D_inv

A leg is the chain from the central body to a foot. Joints of other limbs are free in the recursion.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.recursion.aba import eliminate
from footfall.core.recursion.fixed_feet import eliminate_held
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    angular,
    column_dot,
    get_inertia,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    gyroscopic,
    inertia_of_rigid,
    inertia_rank1_downdate,
    inertia_times,
    no_motion,
    plus,
    put_inertia,
    put_motion,
    put_rigid,
    put_spin,
    put_vector,
    rigid_mass,
    rigid_times,
    rotate_rigid,
    scaled,
    shift_force,
    shift_motion,
    velocity_product,
)

BIG = 1e6  # (3.14): the Earth, in masses of the central body
SEEN = 1e-10  # m2: a leg that is bent by less than the root of this (rad, or parts of its length) counts as straight


class Legs(NamedTuple):
    """Which bodies are what. Whole numbers are kept as floats, so that all of it fits in one row of numbers."""

    center: int  # the central body
    leg: Any  # (n+1,) number of the leg that a body belongs to, from 1; 0 if to none
    foot: Any  # (legs,) the last body of each leg
    earth: Any  # (legs, RIGID) what stands for the Earth in each foot, in its axes: BIG times the central body, at its centre


@kernel(inline=False)
def propagate_velocity(tree, work, q, v):
    """(3.1) to (3.11), outward: poses, velocities V, velocity products a, and b with the weight (work.A_WB[0] is upward)."""
    up = get_motion(work.A_WB, 0)
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        R, r = set_body(tree, work, q, i)
        V_P, V_J = get_motion(work.V_WB, p), joint_motion(tree, work, v, i)
        V = add(shift_motion(V_P, r), V_J)
        B = rotate_rigid(R, get_rigid(tree.rigid, i))
        put_vector(work.p_WB, i, plus(get_vector(work.p_WB, p), r))
        put_motion(work.V_WB, i, V)
        put_spin(work.w_WB, i, angular(V))
        put_rigid(work.rigid, i, B)
        put_motion(work.c_J, i, velocity_product(angular(V_P), r, V_J))
        put_motion(work.p_bias, i, add(gyroscopic(B, angular(V)), rigid_times(B, up)))


@kernel
def set_own(tree, work):
    """(3.12), (3.13): inertia and bias force of every link by itself."""
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, inertia_of_rigid(get_rigid(work.rigid, i)))
        put_motion(work.force, i, get_motion(work.p_bias, i))


@kernel
def earth(work, legs, l):
    """The inertia that stands for the Earth in foot l."""
    return inertia_of_rigid(rotate_rigid(get_rotation(work.R_WB, int(legs.foot[l])), get_rigid(legs.earth, l)))


@kernel(inline=False)
def big_base_dynamics(tree, work, legs, still):
    """(3.12) to (3.20): P and z of the central body with feet as heavy as the Earth. `still` is zero, one for each joint."""
    set_own(tree, work)
    for l in range(len(legs.foot)):
        put_inertia(work.inertia, int(legs.foot[l]), earth(work, legs, l))
        put_motion(work.force, int(legs.foot[l]), no_motion())
    eliminate(tree, work, still, tree.rotor)


@kernel(inline=False)
def fixed_feet_dynamics(tree, work, legs, ties, still):
    """The same with feet that are truly fixed: an Earth of (3.14) that grows without bound."""
    set_own(tree, work)
    tie_feet(tree, work, legs, ties)
    eliminate_held(tree, work, ties, still, tree.rotor, least_pivot(legs))


@kernel
def least_pivot(legs):
    return SEEN * rigid_mass(get_rigid(legs.earth, 0))


@kernel
def tie_feet(tree, work, legs, ties):
    """Fix the feet; the ground carries their weight."""
    none = no_motion()
    nothing = inertia_rank1_downdate(get_inertia(work.inertia, 0), none, 0.0)  # row 0 is the world's, and zero
    for i in range(1, len(tree.parent)):
        put_inertia(ties.bound, i, nothing)
        put_motion(ties.pull, i, none)
    for l in range(len(legs.foot)):
        i = int(legs.foot[l])
        put_inertia(work.inertia, i, nothing)
        put_motion(work.force, i, none)
        put_inertia(ties.bound, i, earth(work, legs, l))


@kernel
def workspace_force(work, legs, A):
    """(3.23): the force on the central body that gives its origin the acceleration A."""
    return add(inertia_times(get_inertia(work.inertia, legs.center), A), get_motion(work.force, legs.center))


@kernel(inline=False)
def propagate_force(tree, work, legs, wrench, tau):
    """(3.25) to (3.27), outward: joint forces of the legs, each of which lays its row of `wrench` on the central
    body.

    work.force becomes the force on each link from the one further in, as if all were at rest and without weight.
    """
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            tau[d] = 0.0
        if legs.leg[i] > 0.0:
            F = get_motion(wrench, int(legs.leg[i]) - 1) if p == legs.center else reaction(get_motion(work.force, p))
            G = reaction(shift_force(F, scaled(get_vector(work.r_PB_W, i), -1.0)))
            put_motion(work.force, i, G)
            for d in range(tree.first_v[i], tree.first_v[i + 1]):
                tau[d] = column_dot(tree.turns[d], get_vector(work.axis, d), G)


@kernel
def reaction(F):
    """-F: the reaction."""
    return add_scaled(no_motion(), F, -1.0)
