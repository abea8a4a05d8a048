"""Centre of mass, momentum and energy of the whole robot. Momenta are about the centre of mass, linear part first."""

from footfall.core.jit import kernel
from footfall.core.recursion.crba import set_composites
from footfall.core.recursion.kinematics import set_accels, set_places, set_speeds
from footfall.core.spatial.algebra import (
    add,
    angular,
    column,
    dot,
    first_moment,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    gyroscopic,
    no_motion,
    no_vector,
    pair,
    plus,
    point_rigid,
    put_motion,
    put_rigid,
    rigid_mass,
    rigid_sum,
    rigid_times,
    rotate,
    rotate_rigid,
    scaled,
    shift_force,
)


@kernel
def center_of_mass(tree, work, q):
    """Mass, and position of the centre of mass."""
    set_places(tree, work, q)
    mass, moment = 0.0, no_vector()
    for i in range(1, len(tree.parent)):
        B = get_rigid(tree.rigid, i)
        here = plus(rotate(get_rotation(work.R_WB, i), first_moment(B)), scaled(get_vector(work.p_WB, i), rigid_mass(B)))
        mass, moment = mass + rigid_mass(B), plus(moment, here)
    return mass, scaled(moment, 1.0 / mass)


@kernel(inline=False)
def correct_mass(rigid, declared, more, offset):
    """Put down to the first body that the robot has so much more mass, and its centre of mass off by row 0 of `offset`, in the
    axes of that body: its mass grows, and its own centre is shifted by offset times mass of the robot over its own. Its inertia
    about its own centre stays. `rigid` is written, `declared` are the inertias to begin with.
    """
    B, mass = get_rigid(declared, 1), more
    for i in range(1, len(declared)):
        mass += declared[i, 0]
    own = rigid_mass(B) + more
    before = scaled(first_moment(B), 1.0 / rigid_mass(B))
    after = plus(before, scaled(get_vector(offset, 0), mass / own))
    put_rigid(rigid, 1, rigid_sum(rigid_sum(B, point_rigid(-rigid_mass(B), before)), point_rigid(own, after)))


@kernel
def momentum(tree, work, q, v):
    _, c = center_of_mass(tree, work, q)
    set_speeds(tree, work, q, v)
    H = no_motion()
    for i in range(1, len(tree.parent)):
        B = rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i))
        r = plus(get_vector(work.p_WB, i), scaled(c, -1.0))
        H = add(H, shift_force(rigid_times(B, get_motion(work.V_WB, i)), r))
    return H


@kernel
def momentum_rate(tree, work, q, v, a):
    """Rate of change of the momentum: the sum of all external forces."""
    _, c = center_of_mass(tree, work, q)
    set_accels(tree, work, q, v, a)
    F = no_motion()
    for i in range(1, len(tree.parent)):
        B = rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i))
        r = plus(get_vector(work.p_WB, i), scaled(c, -1.0))
        w = angular(get_motion(work.V_WB, i))
        F = add(F, shift_force(add(rigid_times(B, get_motion(work.A_WB, i)), gyroscopic(B, w)), r))
    return F


@kernel
def momentum_matrix(tree, work, q, rows):
    """Row d: momentum per unit rate of degree of freedom d."""
    _, c = center_of_mass(tree, work, q)
    set_composites(tree, work)
    for i in range(1, len(tree.parent)):
        r = plus(get_vector(work.p_WB, i), scaled(c, -1.0))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            S = column(tree.turns[d], get_vector(work.axis, d))
            put_motion(rows, d, shift_force(rigid_times(get_rigid(work.rigid, i), S), r))


@kernel
def energies(tree, work, q, v, gravity):
    """Kinetic and potential energy; `gravity` is an array of one row, the acceleration of free fall."""
    mass, c = center_of_mass(tree, work, q)
    set_speeds(tree, work, q, v)
    kinetic = 0.0
    for i in range(1, len(tree.parent)):
        B, V = rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i)), get_motion(work.V_WB, i)
        kinetic += 0.5 * pair(V, rigid_times(B, V))
    for d in range(len(tree.rotor)):
        kinetic += 0.5 * tree.rotor[d] * v[d] * v[d]
    return kinetic, -mass * dot(get_vector(gravity, 0), c)
