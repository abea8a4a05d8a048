"""Many steps of a walk in one call: the Poincare map of free coordinates u, its derivative, orbits and basins of attraction.

All of hybrid motion is entered through `serve`, and its parts are called by pointers. Otherwise each part would be compiled
again into everything that calls it, which takes minutes.
"""

from typing import Any, NamedTuple

from footfall.core.hybrid.events import BEYOND, END, ENTERED, EVENT
from footfall.core.hybrid.system import (
    PERTURBATION,
    anchors_of,
    constraint_set,
    load_state,
    place,
    reset_arrays,
    scratch_of,
    store_state,
)
from footfall.core.jit import kernel
from footfall.core.recursion.anchors import project_back, set_anchors_here, set_order
from footfall.core.recursion.constrained import complete
from footfall.core.spatial.algebra import first_moment, get_rigid, get_rotation, get_vector, plus, rigid_mass, rotate, scaled

CROWD = 100  # events within one step of a walk: they have no end
DONE, FELL, LATE, CROWDED, ASTRAY = 20, 21, 22, 23, 24  # how steps of a walk end, beside what stops a motion
CYCLE, ELSEWHERE, FORWARD, BACKWARD, SCUFFED, NO_STRIKE, BROKEN, NOT_TRIED = 0, 1, 2, 3, 4, 5, 6, 7  # what becomes of a start
MAX_PROJECTIONS = 30  # to the anchors
ENTER, ADVANCE, STAND, GO, ORBIT, SETTLE = 0, 1, 2, 3, 4, 5  # what can be asked for


class Section(NamedTuple):
    """The Poincare section: where steps begin."""

    mode: Any  # int
    y: Any  # (n,) a state there, which says where what is held belongs
    free: Any  # (free,) int: which entries of q and v are free
    step: Any  # int: name of the guard that ends a step
    longest: Any  # s
    once: Any  # int: 1, one step
    u: Any  # (2 free,) room
    memory: Any  # (periods, 2 free) room for the last of many steps


class Moves(NamedTuple):
    """Pointers to kernels."""

    enter: Any  # (machine, tools)
    advance: Any  # (machine, tools, rows, end)
    jump: Any  # (machine, tools)
    stand: Any  # (machine, section, u)


class Job(NamedTuple):
    """What is asked for, and its data."""

    what: Any  # int
    end: Any  # s: when a motion ends at the latest
    steps: Any  # int: how many
    skip: Any  # int: how many are not recorded
    near: Any  # of a goal
    u: Any  # (2 free,) where steps begin
    goals: Any  # (goals, 2 free)
    starts: Any  # (starts, 2 free)
    outcome: Any  # (starts,) int: what became of them
    count: Any  # (starts,) int
    orbit: Any  # (steps, 2 free) states after each step
    times: Any  # (steps,) s that each took


@kernel
def serve(system, tools, moves, trajectory, section, job):
    """Do a job. Returns a status, or for orbits the number of steps."""
    if job.what == ENTER:
        return moves.enter(system, tools)
    if job.what == ADVANCE:
        return moves.advance(system, tools, trajectory, job.end)
    if job.what == STAND:
        return moves.stand(system, section, job.u)
    if job.what == GO:
        return go(system, tools, moves, trajectory, section, job.steps, job.end)
    if job.what == ORBIT:
        return orbit(system, tools, moves, trajectory, section, job)
    classify(system, tools, moves, trajectory, section, job)
    return DONE


@kernel
def stand(system, section, u):
    """The state with free coordinates u, and its derivative if columns are carried: J dq = 0, d(J v) = 0. Returns 0, or 1 if
    there is none.
    """
    state, evaluator, arrays, tree = system.state, system.real, system.real.arrays, system.tree
    h, free = system.modes.constraint_set[section.mode], len(section.free)
    constraints, anchors = constraint_set(system, h), anchors_of(system, h)
    scratch = scratch_of(arrays, constraints)
    state.t[0], state.mode[0], state.last[0] = 0.0, section.mode, section.mode
    reset_arrays(system, evaluator, h)
    load_state(system, section.y)
    system.set_points(tree, constraints, arrays)
    if set_order(constraints, scratch) != 0:
        return 1
    set_anchors_here(arrays.work, constraints, anchors, arrays.q)
    for i in range(free):
        arrays.q[section.free[i]], arrays.v[section.free[i]] = u[i], u[free + i]
    residual = 1.0
    for _ in range(MAX_PROJECTIONS):
        evaluator.factorise(tree, constraints, arrays)
        if residual < 1e-15:
            break
        residual = project_back(tree, arrays.work, constraints, scratch, anchors, arrays.q)
    complete(constraints, scratch, arrays.v)
    store_state(system, state.y)
    if state.columns[0] > 0:
        start_derivatives(system, h)
    return 0


@kernel
def start_derivatives(system, h):
    """Columns of the derivative at the beginning; the real arrays are set."""
    state, arrays, other, wide = system.state, system.real.arrays, system.imaginary, system.imaginary.arrays
    constraints = constraint_set(system, h)
    nq, nv, free = len(arrays.q), len(arrays.v), len(constraints.free)
    reset_arrays(system, other, h)
    for j in range(2 * free):
        for d in range(nv):
            arrays.a[d] = 0.0
            wide.v[d] = arrays.v[d]
        if j < free:
            arrays.a[constraints.free[j]] = 1.0
        else:
            wide.v[constraints.free[j - free]] = complex(arrays.v[constraints.free[j - free]], PERTURBATION)
        complete(constraints, scratch_of(arrays, constraints), arrays.a)
        for i in range(nq):
            wide.q[i] = complex(arrays.q[i], PERTURBATION * arrays.a[i])
        other.factorise(system.tree, constraints, wide)
        complete(constraints, scratch_of(wide, constraints), wide.v)
        first = (1 + j) * (nq + nv)
        for i in range(nq):
            state.y[first + i] = arrays.a[i]
        for d in range(nv):
            state.y[first + nq + d] = wide.v[d].imag / PERTURBATION


@kernel
def go(system, tools, moves, trajectory, section, count, end):
    """A number of steps from the state, through modes and resets. Returns DONE, or why not."""
    state, modes = system.state, system.modes
    done, events = 0, 0
    status = moves.enter(system, tools)
    while status == ENTERED:
        if modes.first[state.mode[0]] == modes.first[state.mode[0] + 1]:
            return FELL
        status = moves.advance(system, tools, trajectory, end)
        if status == EVENT:
            name = system.guards.name[state.guard[0]]
            status = moves.jump(system, tools)
            status = moves.enter(system, tools) if status == ENTERED else status
            events += 1
            if name == section.step and status == ENTERED:
                done, events = done + 1, 0
                if done == count:
                    return DONE if state.mode[0] == section.mode else ASTRAY
            if events > CROWD:
                return CROWDED
        elif status == END:
            return LATE
    return status


@kernel
def free_of(system, section, u):
    """Free coordinates of the state."""
    y, free, nq = system.state.y, len(section.free), len(system.real.arrays.q)
    for i in range(free):
        u[i], u[free + i] = y[section.free[i]], y[nq + section.free[i]]


@kernel
def step(system, tools, moves, trajectory, section):
    """One more step; section.u is what it leads to."""
    system.state.t[0] = 0.0
    status = go(system, tools, moves, trajectory, section, section.once, section.longest)
    if status == DONE:
        free_of(system, section, section.u)
    return status


@kernel
def orbit(system, tools, moves, trajectory, section, job):
    """States after each step and its duration, from u on, without the first `skip`. Returns how many there are."""
    if moves.stand(system, section, job.u) != 0:
        return 0
    for k in range(job.skip + len(job.orbit)):
        if step(system, tools, moves, trajectory, section) != DONE:
            return max(k - job.skip, 0)
        if k >= job.skip:
            job.times[k - job.skip] = system.state.t[0]
            for i in range(len(section.u)):
                job.orbit[k - job.skip, i] = section.u[i]
    return len(job.orbit)


@kernel
def classify(system, tools, moves, trajectory, section, job):
    """For each start: what becomes of it, and after how many steps; for those that walk on, the period or 0."""
    for k in range(len(job.starts)):
        job.outcome[k], job.count[k] = fate(system, tools, moves, trajectory, section, job, job.starts[k])
        system.failed[0] = 0


@kernel
def fate(system, tools, moves, trajectory, section, job, u):
    """The same for one start."""
    periods = len(section.memory)
    if moves.stand(system, section, u) != 0:
        return BROKEN, 0
    if arrived(u, job):
        return CYCLE, 0
    for n in range(job.steps):
        status = step(system, tools, moves, trajectory, section)
        if status == FELL:
            return (FORWARD if ahead(system) > 0.0 else BACKWARD), n
        if status == LATE:
            return NO_STRIKE, n
        if status == BEYOND and system.state.t[0] > 0.0:
            return SCUFFED, n
        if status != DONE:
            return BROKEN, n
        if arrived(section.u, job):
            return CYCLE, n + 1
        for i in range(len(section.u)):
            section.memory[n % periods, i] = section.u[i]
    for p in range(1, min(periods, job.steps)):
        if apart(section.u, section.memory[(job.steps - 1 - p) % periods]) < job.near:
            return ELSEWHERE, p
    return ELSEWHERE, 0


@kernel
def arrived(u, job):
    """Whether u is near one of the goals."""
    near = False
    for k in range(len(job.goals)):
        near = near or apart(u, job.goals[k]) < job.near
    return near


@kernel
def apart(a, b):
    """Largest difference of two vectors."""
    most = 0.0
    for i in range(len(a)):
        most = max(most, abs(a[i] - b[i]))
    return most


@kernel
def ahead(system):
    """How far the centre of mass is ahead of the first held point, along x."""
    tree, h, work = system.tree, system.modes.constraint_set[system.state.last[0]], system.real.arrays.work
    load_state(system, system.state.y)
    place(system, system.real)
    mass, moment, foot = 0.0, 0.0, 0.0
    for i in range(1, len(tree.parent)):
        B = get_rigid(tree.rigid, i)
        center = plus(scaled(get_vector(work.p_WB, i), rigid_mass(B)), rotate(get_rotation(work.R_WB, i), first_moment(B)))
        mass, moment = mass + rigid_mass(B), moment + center[0]
    if system.sets.points[h] > 0:
        i = system.sets.body[h, 0]
        foot = plus(get_vector(work.p_WB, i), rotate(get_rotation(work.R_WB, i), get_vector(system.sets.at[h], 0)))[0]
        foot += system.sets.down[h, 0, 0]
    return moment / mass - foot
