"""The workspace controller as the loop asks it, and how its parts are laid out in one row of numbers and one of memory."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import Body, Felt, Own
from footfall.core.jit import kernel
from footfall.core.manifold import difference
from footfall.core.qp import INFEASIBLE, SOLVED, Program
from footfall.core.recursion.balance import Soles, set_rest
from footfall.core.recursion.fixed_feet import Ties
from footfall.core.recursion.share import Scratch, distribute_forces, resolve, respond, restrain
from footfall.core.recursion.task import BODY_AXES, WORLD_AXES, Task, wanted
from footfall.core.recursion.workspace import (
    Legs,
    big_base_dynamics,
    fixed_feet_dynamics,
    propagate_force,
    propagate_velocity,
    workspace_force,
)
from footfall.core.spatial.algebra import (
    DIM,
    INERTIA,
    MOTION,
    RIGID,
    add,
    add_scaled,
    get_motion,
    no_motion,
    put_motion,
    subtract,
)

PAPER, EXACT, OPTIMAL = 0, 1, 2  # methods
HEAD = 9  # numbers before the arrays: method, legs, central body, rows of a cone, of motors, patience, light, calm, edges
POSTURE = 100.0, 20.0  # 1/s2, 1/s: joints that belong to no leg keep their posture with these


class Watch(NamedTuple):
    """What is remembered from one tick to the next, to find what pushes the body without being known."""

    time: Any  # (1,) of the last tick
    speed: Any  # (1, MOTION) of the central body then
    accel: Any  # (1, MOTION) that it was to have from then on
    drift: Any  # (1, MOTION) acceleration that nothing explains
    stuck: Any  # (1,) row of the program that cannot be satisfied, from 1; 0 if all can


@kernel
def carve(row, at, rows, columns):
    """The next rows * columns numbers as a table, and where those after them begin."""
    end = at + rows * columns
    return row[at:end].reshape(rows, columns), end


@kernel
def carve_row(row, at, size):
    return row[at : at + size], at + size


@kernel
def unpack(numbers, memory, bodies, nv):
    """The parts of `numbers`, in the order in which `control.workspace` packs them; the goal heads the memory."""
    pose, _ = carve(memory, 0, 1, MOTION)
    legs, cone = int(numbers[1]), int(numbers[3])
    leg, at = carve_row(numbers, HEAD, bodies)
    foot, at = carve_row(numbers, at, legs)
    earth, at = carve(numbers, at, legs, RIGID)
    sole, at = carve(numbers, at, legs, DIM)
    cones, at = carve(numbers, at, legs * cone, MOTION)
    limit, at = carve_row(numbers, at, nv)
    low, at = carve_row(numbers, at, nv)
    high, at = carve_row(numbers, at, nv)
    driven, at = carve_row(numbers, at, nv)
    edge, at = carve(numbers, at, int(numbers[8]), DIM)
    point, at = carve(numbers, at, 1, DIM)
    sway, at = carve(numbers, at, 1, MOTION)
    tune, at = carve_row(numbers, at, 4)
    posture = numbers[at:]
    soles = Soles(sole, cones, limit, low, high, driven, edge)
    return Legs(int(numbers[2]), leg, foot, earth), soles, Task(point, pose, sway, tune), posture


@kernel
def unpack_watch(memory):
    time, at = carve_row(memory, MOTION, 1)
    speed, at = carve(memory, at, 1, MOTION)
    accel, at = carve(memory, at, 1, MOTION)
    drift, at = carve(memory, at, 1, MOTION)
    stuck, at = carve_row(memory, at, 1)
    return Watch(time, speed, accel, drift, stuck), at


@kernel
def unpack_ties(memory, at, bodies, nv):
    """Room for fixed feet, and a row of zeros."""
    bound, at = carve(memory, at, bodies, INERTIA)
    pull, at = carve(memory, at, bodies, MOTION)
    held, at = carve_row(memory, at, nv)
    still, at = carve_row(memory, at, nv)
    return Ties(bound, pull, held), still, at


@kernel
def unpack_room(memory, at, legs, nv):
    a, at = carve_row(memory, at, nv)
    tau, at = carve_row(memory, at, nv)
    light, at = carve_row(memory, at, nv)
    urge, at = carve_row(memory, at, nv)
    reach, at = carve(memory, at, MOTION, nv)
    bend, at = carve(memory, at, MOTION, nv)
    metric, at = carve(memory, at, MOTION, MOTION)
    unit, at = carve(memory, at, 1, MOTION)
    flat, at = carve_row(memory, at, legs * nv * MOTION)
    T, at = carve(memory, at, nv, MOTION * (1 + legs))
    moves, at = carve(memory, at, MOTION, MOTION)
    got, at = carve(memory, at, 1, MOTION)
    rest, at = carve(memory, at, 2, DIM)
    return Scratch(a, tau, light, urge, reach, bend, metric, unit, flat.reshape(legs, nv, MOTION), T, moves, got, rest), at


@kernel
def unpack_program(memory, at, n, m):
    H, at = carve(memory, at, n, n)
    J, at = carve(memory, at, n, n)
    R, at = carve(memory, at, n, n)
    C, at = carve(memory, at, m, n)
    c, at = carve_row(memory, at, m)
    pull, at = carve_row(memory, at, m)
    sign, at = carve_row(memory, at, m)
    g, at = carve_row(memory, at, n)
    x, at = carve_row(memory, at, n)
    d, at = carve_row(memory, at, n)
    z, at = carve_row(memory, at, n)
    r, at = carve_row(memory, at, n)
    u, at = carve_row(memory, at, n + 1)
    row, at = carve_row(memory, at, n + 1)
    return Program(H, g, C, c, x, pull, J, R, d, z, r, u, row, sign)


@kernel
def without_motors(p, m):
    """The same program with its first m rows only."""
    return Program(p.H, p.g, p.C[:m], p.c[:m], p.x, p.pull[:m], p.J, p.R, p.d, p.z, p.r, p.u, p.row, p.sign[:m])


def memory_size(bodies: int, nv: int, legs: int, rows: int, widths: tuple[int, int]) -> int:
    """How much memory the law carves up: besides the goal, for so many bodies, degrees of freedom, legs and rows."""
    inertia, motion = widths
    n = motion * (1 + legs)
    watch = 2 + 3 * motion
    ties = bodies * (inertia + motion) + 2 * nv + legs * motion
    room = 4 * nv + 3 * motion * nv + 2 * motion * motion + 4 * motion + 2 * legs * nv * motion
    return watch + ties + room + 3 * n * n + rows * (n + 3) + 7 * n + 2


@kernel
def unexplained(watch, work, center, time, patience):
    """Acceleration of the central body that the last command does not explain, smoothed over `patience` seconds."""
    V = get_motion(work.V_WB, center)
    passed = time - watch.time[0]
    if passed > 0.0 and patience > 0.0:
        surprise = subtract(subtract(V, get_motion(watch.speed, 0)), add_scaled(no_motion(), get_motion(watch.accel, 0), passed))
        put_motion(watch.drift, 0, add_scaled(get_motion(watch.drift, 0), surprise, 1.0 / max(patience, passed)))
    put_motion(watch.speed, 0, V)
    watch.time[0] = time
    return get_motion(watch.drift, 0)


@kernel
def set_urge(tree, legs, room, felt, posture, head):
    """Light rotors in all joints: those of legs are to come to rest, the others to keep their posture."""
    difference(tree, felt.q, posture, room.urge)
    light, calm = head[6], head[7]
    for i in range(1, len(tree.parent)):
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            room.light[d] = 0.0 if i == legs.center else light
            if legs.leg[i] > 0.0:
                room.urge[d] = -light * calm * felt.v[d]
            else:
                room.urge[d] = room.light[d] * (POSTURE[0] * room.urge[d] - POSTURE[1] * felt.v[d])


@kernel
def workspace_law(felt: Felt, own: Own, body: Body, tau: np.ndarray) -> int:
    """Wendlandt's block diagram: velocities, workspace dynamics, workspace force, force propagation."""
    tree, work, numbers, bodies, nv = body.tree, body.work, own.numbers, len(body.tree.parent), len(tau)
    legs, soles, task, posture = unpack(numbers, own.memory, bodies, nv)
    watch, at = unpack_watch(own.memory)
    ties, still, at = unpack_ties(own.memory, at, bodies, nv)
    share, at = carve(own.memory, at, len(legs.foot), MOTION)
    method = int(numbers[0])
    propagate_velocity(tree, work, felt.q, felt.v)
    A = wanted(task, work, legs.center, felt.time, BODY_AXES if method == PAPER else WORLD_AXES)
    drift = unexplained(watch, work, legs.center, felt.time, numbers[5])
    A = subtract(A, drift)
    if method == OPTIMAL:
        room, at = unpack_room(own.memory, at, len(legs.foot), nv)
        rows = MOTION + len(soles.cone) + len(soles.edge)
        program = unpack_program(own.memory, at, MOTION * (1 + len(legs.foot)), rows + int(numbers[4]))
        set_urge(tree, legs, room, felt, posture, numbers)
        set_rest(tree, work, legs, soles, room.rest)
        resolve(tree, work, legs, ties, room, A)
        while restrain(tree, soles, room, felt.q, felt.v) > 0:
            resolve(tree, work, legs, ties, room, A)
        respond(tree, work, legs, ties, room)
        status, row = distribute_forces(tree, work, legs, soles, room, program, tau)
        watch.stuck[0] = row + 1
        if status == INFEASIBLE and len(program.c) > rows:  # the motors will do what they can
            status, row = distribute_forces(tree, work, legs, soles, room, without_motors(program, rows), tau)
        if status != SOLVED:
            return 1
        A = get_motion(room.got, 0)
    else:
        if method == PAPER:
            big_base_dynamics(tree, work, legs, still)
        else:
            fixed_feet_dynamics(tree, work, legs, ties, still)
        F = workspace_force(work, legs, A)
        for l in range(len(legs.foot)):  # (3.24)
            put_motion(share, l, add_scaled(no_motion(), F, 1.0 / len(legs.foot)))
        propagate_force(tree, work, legs, share, tau)
    put_motion(watch.accel, 0, add(A, drift))
    return 0
