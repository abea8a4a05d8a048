"""Momenta at the joints, and the response of a robot to impulses, by the recursions of `denoc`.

The momentum of all that body i carries, taken at its own centre of mass, is the sum

    P_i = M_i t_i + (for each child c) B_c' P_c

and its components along the joint's columns, p'P, are the generalised momenta. An impulse w on a body changes the rates by (N'M
N)^-1 N'w, which takes one run through U D U'.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.recursion.denoc import clear, factorise, inward, product, set_factors, set_twists, solve, times
from footfall.core.spatial.algebra import (
    MOTION,
    get_motion,
    get_rotation,
    get_vector,
    plus,
    put_motion,
    rotate,
    scaled,
    shift_force,
)


class Blows(NamedTuple):
    """Unit impulses, one in each row: on a point of a body, or on a joint if the body is 0."""

    body: Any  # (rows,) int
    at: Any  # (rows, DIM) the point, in the body's axes
    direction: Any  # (rows, MOTION) unit force or moment there, in world axes
    dof: Any  # (rows,) int: the joint's degree of freedom
    push: Any  # (rows, MOTION) room: the same, about the centre of mass


@kernel
def momenta(tree, work, blocks, q, v, at_joints, along):
    """Row i of `at_joints`: momentum of all that body i carries, about its origin. `along`: generalised momenta, with rotors."""
    set_factors(tree, work, blocks, q)
    set_twists(tree, blocks, v)
    for i in range(1, len(tree.parent)):
        times(blocks.mass[i], blocks.twist[i], blocks.wrench[i])
    for i in range(len(tree.parent) - 1, 0, -1):
        P = blocks.wrench[i]
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            along[d] = product(blocks.p[d], P) + tree.rotor[d] * v[d]
        put_motion(at_joints, i, shift_force(get_motion(blocks.wrench, i), get_vector(blocks.center, i)))
        if tree.parent[i] > 0:
            inward(blocks.back[i], P, blocks.wrench[tree.parent[i]])


@kernel
def responses(tree, work, blocks, blows, q, Y, A):
    """Row r of Y: change of the rates by unit impulse r. A: the velocity that it gives along each of the others."""
    set_factors(tree, work, blocks, q)
    factorise(tree, work, blocks)
    rows = len(blows.body)
    for r in range(rows):
        i = blows.body[r]
        x = plus(rotate(get_rotation(work.R_WB, i), get_vector(blows.at, r)), scaled(get_vector(blocks.center, i), -1.0))
        put_motion(blows.push, r, shift_force(get_motion(blows.direction, r), x))
    for r in range(rows):
        clear(blocks)
        for d in range(len(tree.turns)):
            Y[r, d] = 0.0
        if blows.body[r] > 0:
            for k in range(MOTION):
                blocks.wrench[blows.body[r], k] = blows.push[r, k]
        else:
            Y[r, blows.dof[r]] = 1.0
        solve(tree, work, blocks, Y[r])
        for s in range(rows):
            A[s, r] = product(blows.push[s], blocks.rate[blows.body[s]]) if blows.body[s] > 0 else Y[r, blows.dof[s]]


@kernel
def speeds(tree, blocks, blows, v, u):
    """Velocity along each unit impulse at the rates v; `Blows.push` is set already."""
    set_twists(tree, blocks, v)
    for r in range(len(blows.body)):
        u[r] = product(blows.push[r], blocks.twist[blows.body[r]]) if blows.body[r] > 0 else v[blows.dof[r]]
