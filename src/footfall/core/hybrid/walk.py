"""Steps of a walk in one crossing: from free coordinates u to those after a step, with derivatives; many steps, many starts.

All of hybrid motion is entered through `serve`, and its parts are called by pointers: otherwise each would be compiled again
into everything that calls it, which takes minutes.
"""

from typing import Any, NamedTuple

from footfall.core.hybrid.events import BEYOND, END, ENTERED, EVENT
from footfall.core.hybrid.machine import TINY, anchors_of, held_of, lay, occupy, place, room_of, take, work_of
from footfall.core.jit import kernel
from footfall.core.recursion.anchors import come_back, keep, set_order
from footfall.core.recursion.constrained import complete
from footfall.core.spatial.algebra import first_moment, get_rigid, get_turn, get_vector, plus, rigid_mass, rotate, scaled

CROWD = 100  # events within one step of a walk: they have no end
DONE, FELL, LATE, CROWDED, ASTRAY = 20, 21, 22, 23, 24  # how steps of a walk end, beside what stops a motion
CYCLE, ELSEWHERE, FORWARD, BACKWARD, SCUFFED, NO_STRIKE, BROKEN, NOT_TRIED = 0, 1, 2, 3, 4, 5, 6, 7  # what becomes of a start
MOST_RETURNS = 30  # to the anchors
ENTER, ADVANCE, STAND, GO, ORBIT, SETTLE = 0, 1, 2, 3, 4, 5  # what can be asked for


class Section(NamedTuple):
    """Where steps begin."""

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
    """What is asked for, and what it needs."""

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
def serve(machine, tools, moves, rows, section, job):
    """Do a job; a status, or for orbits how many steps there are."""
    if job.what == ENTER:
        return moves.enter(machine, tools)
    if job.what == ADVANCE:
        return moves.advance(machine, tools, rows, job.end)
    if job.what == STAND:
        return moves.stand(machine, section, job.u)
    if job.what == GO:
        return go(machine, tools, moves, rows, section, job.steps, job.end)
    if job.what == ORBIT:
        return orbit(machine, tools, moves, rows, section, job)
    settle(machine, tools, moves, rows, section, job)
    return DONE


@kernel
def stand(machine, section, u):
    """The state with free coordinates u, and if columns are carried its derivative: J dq = 0, d(J v) = 0. 0, or 1 if none."""
    state, desk, table, tree = machine.state, machine.real, machine.real.table, machine.tree
    h, free = machine.modes.hold[section.mode], len(section.free)
    held, anchors = held_of(machine, h), anchors_of(machine, h)
    room = room_of(table, held)
    state.t[0], state.mode[0], state.last[0] = 0.0, section.mode, section.mode
    occupy(machine, desk, h)
    lay(machine, section.y)
    machine.set_points(tree, held, table)
    if set_order(held, room) != 0:
        return 1
    keep(work_of(table), held, anchors, table.q)
    for i in range(free):
        table.q[section.free[i]], table.v[section.free[i]] = u[i], u[free + i]
    off = 1.0
    for _ in range(MOST_RETURNS):
        desk.hold(tree, held, table)
        if off < 1e-15:
            break
        off = come_back(tree, work_of(table), held, room, anchors, table.q)
    complete(held, room, table.v)
    take(machine, state.y)
    if state.columns[0] > 0:
        lean(machine, h)
    return 0


@kernel
def lean(machine, h):
    """Columns of the derivative at the beginning; the real desk is set."""
    state, table, other, wide = machine.state, machine.real.table, machine.imaginary, machine.imaginary.table
    held = held_of(machine, h)
    nq, nv, free = len(table.q), len(table.v), len(held.free)
    occupy(machine, other, h)
    for j in range(2 * free):
        for d in range(nv):
            table.a[d] = 0.0
            wide.v[d] = table.v[d]
        if j < free:
            table.a[held.free[j]] = 1.0
        else:
            wide.v[held.free[j - free]] = complex(table.v[held.free[j - free]], TINY)
        complete(held, room_of(table, held), table.a)
        for i in range(nq):
            wide.q[i] = complex(table.q[i], TINY * table.a[i])
        other.hold(machine.tree, held, wide)
        complete(held, room_of(wide, held), wide.v)
        first = (1 + j) * (nq + nv)
        for i in range(nq):
            state.y[first + i] = table.a[i]
        for d in range(nv):
            state.y[first + nq + d] = wide.v[d].imag / TINY


@kernel
def go(machine, tools, moves, rows, section, count, end):
    """So many steps from the state, DONE, or why not; the motion goes through modes and resets until then."""
    state, modes = machine.state, machine.modes
    done, events = 0, 0
    status = moves.enter(machine, tools)
    while status == ENTERED:
        if modes.first[state.mode[0]] == modes.first[state.mode[0] + 1]:
            return FELL
        status = moves.advance(machine, tools, rows, end)
        if status == EVENT:
            name = machine.guards.name[state.guard[0]]
            status = moves.jump(machine, tools)
            status = moves.enter(machine, tools) if status == ENTERED else status
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
def free_of(machine, section, u):
    """Free coordinates of the state."""
    y, free, nq = machine.state.y, len(section.free), len(machine.real.table.q)
    for i in range(free):
        u[i], u[free + i] = y[section.free[i]], y[nq + section.free[i]]


@kernel
def step(machine, tools, moves, rows, section):
    """One more step; section.u is what it leads to."""
    machine.state.t[0] = 0.0
    status = go(machine, tools, moves, rows, section, section.once, section.longest)
    if status == DONE:
        free_of(machine, section, section.u)
    return status


@kernel
def orbit(machine, tools, moves, rows, section, job):
    """States after each step and how long it took, from u on, the first so many left out. Returns how many there are."""
    if moves.stand(machine, section, job.u) != 0:
        return 0
    for k in range(job.skip + len(job.orbit)):
        if step(machine, tools, moves, rows, section) != DONE:
            return max(k - job.skip, 0)
        if k >= job.skip:
            job.times[k - job.skip] = machine.state.t[0]
            for i in range(len(section.u)):
                job.orbit[k - job.skip, i] = section.u[i]
    return len(job.orbit)


@kernel
def settle(machine, tools, moves, rows, section, job):
    """What becomes of each start within so many steps, and after how many; for those who walk on, the period or 0."""
    for k in range(len(job.starts)):
        job.outcome[k], job.count[k] = fate(machine, tools, moves, rows, section, job, job.starts[k])
        machine.failed[0] = 0


@kernel
def fate(machine, tools, moves, rows, section, job, u):
    """Of one start."""
    periods = len(section.memory)
    if moves.stand(machine, section, u) != 0:
        return BROKEN, 0
    if arrived(u, job):
        return CYCLE, 0
    for n in range(job.steps):
        status = step(machine, tools, moves, rows, section)
        if status == FELL:
            return (FORWARD if ahead(machine) > 0.0 else BACKWARD), n
        if status == LATE:
            return NO_STRIKE, n
        if status == BEYOND and machine.state.t[0] > 0.0:
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
    near = False
    for k in range(len(job.goals)):
        near = near or apart(u, job.goals[k]) < job.near
    return near


@kernel
def apart(a, b):
    most = 0.0
    for i in range(len(a)):
        most = max(most, abs(a[i] - b[i]))
    return most


@kernel
def ahead(machine):
    """How far the centre of mass is ahead of the first point that was held, along x."""
    tree, h, work = machine.tree, machine.modes.hold[machine.state.last[0]], work_of(machine.real.table)
    lay(machine, machine.state.y)
    place(machine, machine.real)
    mass, moment, foot = 0.0, 0.0, 0.0
    for i in range(1, len(tree.parent)):
        B = get_rigid(tree.rigid, i)
        center = plus(scaled(get_vector(work.place, i), rigid_mass(B)), rotate(get_turn(work.turn, i), first_moment(B)))
        mass, moment = mass + rigid_mass(B), moment + center[0]
    if machine.holds.points[h] > 0:
        i = machine.holds.body[h, 0]
        foot = plus(get_vector(work.place, i), rotate(get_turn(work.turn, i), get_vector(machine.holds.at[h], 0)))[0]
        foot += machine.holds.down[h, 0, 0]
    return moment / mass - foot
