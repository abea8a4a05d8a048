"""A robot with its modes, guards and resets, as arrays: what hybrid motion is computed from. No code is compiled per walker.

What users write in Python is asked through one pointer: python(time, what, which) with the state in the arrays of a desk. There
are two desks: one of real numbers, and one of complex numbers on which the same kernels find exact derivatives, as the imaginary
part of what an imaginary disturbance leads to (Lyness and Moler; nothing is subtracted, so nothing is lost).
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.manifold import rate
from footfall.core.recursion.anchors import Anchors
from footfall.core.recursion.constrained import Held, Room, forward, hold, set_points
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import dot, get_turn, get_vector, plus, rotate
from footfall.core.tree import Work

TINY = 1e-30  # of an imaginary disturbance
TORQUE, MEASURE, JUMP = 0, 1, 2  # what is asked in Python
RELABEL, IMPACT, SHIFT, OTHER = 0, 1, 2, 3  # kinds of reset; the last is in Python


class Holds(NamedTuple):
    """Sets of points and joints that are held together, one in each row."""

    points: Any  # (sets,) int: how many
    rows: Any  # (sets,) int: of J
    locks: Any  # (sets,) int
    body: Any  # (sets, points) int
    at: Any  # (sets, points, DIM)
    down: Any  # (sets, points, DIM)
    width: Any  # (sets, points) int
    lock_q: Any  # (sets, locks) int: which coordinates are locked
    lock_v: Any  # (sets, locks) int


class Modes(NamedTuple):
    hold: Any  # (modes,) int: row of Holds
    asks: Any  # (modes,) int: 1 if the torque is in Python
    constant: Any  # (modes, nv) the torque is constant + by_q q + by_v v
    by_q: Any  # (modes, nv, nq)
    by_v: Any  # (modes, nv, nv)
    first: Any  # (modes + 1,) int: of its guards


class Guards(NamedTuple):
    measure: Any  # (guards,) int: row of Measures
    active: Any  # (guards,) int: the same for the condition, or -1
    direction: Any  # (guards,) int
    to: Any  # (guards,) int: mode
    name: Any  # (guards,) int: guards of one name share a number
    first: Any  # (guards + 1,) int: of its resets


class Measures(NamedTuple):
    """Functions constant + by_time t + by_q q + (sum over points) weight . place, or in Python."""

    asks: Any  # (measures,) int: 1 if it is in Python
    constant: Any  # (measures,)
    by_time: Any  # (measures,)
    by_q: Any  # (measures, nq)
    body: Any  # (measures, 2) int
    at: Any  # (measures, 2, DIM)
    weight: Any  # (measures, 2, DIM)


class Resets(NamedTuple):
    kind: Any  # (resets,) int
    hold: Any  # (resets,) int: what an impact stops, a row of Holds
    twins: Any  # (resets, bodies) int
    shift: Any  # (resets, nq) added to q


class Table(NamedTuple):
    """Room for one kind of number, and a state in it. Few arrays that hold many: each one more costs in every call."""

    bodies: Any  # (17, n+1, widest) the tables of `Work` with a row for each body, in its order
    dofs: Any  # (2, nv, MOTION) its axis and answer
    bars: Any  # (2, nv) its pivot and load
    squares: Any  # (6, nv, nv) M, J, table, back, MN and S of `Room`
    vectors: Any  # (8, nv) its bias, still, c, shift, b, y, off and step
    motion: Any  # (points, nv, MOTION)
    rate: Any  # (1, MOTION)
    q: Any
    v: Any
    tau: Any
    a: Any
    f: Any  # (nv,)


class Desk(NamedTuple):
    """Where the state is worked on."""

    number: Any  # int: 0 real, 1 complex
    table: Any
    rate: Any  # (nq,) dq/dt
    value: Any  # (1,) of a measure that is in Python
    forward: Any  # pointers to the kernels below, which are compiled once and not into everything that calls them
    hold: Any


class State(NamedTuple):
    """A motion on its way. y has q and v, then for each column of a derivative what becomes of dq and dv."""

    t: Any  # (1,)
    y: Any  # (n (1 + columns),)
    mode: Any  # (1,) int
    columns: Any  # (1,) int: how many are carried along
    h: Any  # (1,) the next step
    low: Any  # (1,) where the last step began
    length: Any  # (1,) of the last step, before an event cut it short
    fresh: Any  # (1,) int: 1 when a mode begins
    pending: Any  # (1,) int: 1 if the last step is not recorded yet
    guard: Any  # (1,) int: that ended the last step or stopped the motion, or -1
    last: Any  # (1,) int: the mode before this one
    side: Any  # (guards,) values at the last look; 0 on the surface
    now: Any  # (guards,) and at this one
    info: Any  # (1,) a number for messages


class Stages(NamedTuple):
    K: Any  # (16, n (1 + columns))
    F: Any  # (7, n) of the interpolation
    start: Any  # (n (1 + columns),) where the step begins
    end: Any
    stage: Any
    look: Any  # (n,) interpolated


class Limits(NamedTuple):
    rtol: Any
    atol: Any
    max_step: Any
    slip: Any  # how fast what is held may move when a mode begins


class Machine(NamedTuple):
    tree: Any
    holds: Any
    row: Any  # (rows,) int: order of elimination of the set in use
    column: Any  # (rows,) int
    free: Any  # (nv,) int
    anchors: Any  # of the set in use
    modes: Any
    guards: Any
    measures: Any
    resets: Any
    real: Any  # Desk
    imaginary: Any  # Desk
    state: Any
    stages: Any
    limits: Any
    set_points: Any  # pointer to the kernel of `constrained`, on the real desk
    python: Any  # pointer to int64(float64, int64, int64)
    failed: Any  # (1,) int: 1 after an error in Python


class Tools(NamedTuple):
    """Pointers to kernels of `steps`."""

    set_stages: Any  # (machine, t, h, first, last)
    put_back: Any  # (machine, y)


# --- the set in use -------------------------------------------------------------------------------------------------------


@kernel
def held_of(machine, h):
    holds = machine.holds
    points, rows = holds.points[h], holds.rows[h]
    free = len(machine.tree.turns) - rows
    return Held(
        holds.body[h, :points],
        holds.at[h, :points],
        holds.down[h, :points],
        holds.width[h, :points],
        machine.row[:rows],
        machine.column[:rows],
        machine.free[:free],
    )


@kernel
def anchors_of(machine, h):
    points, locks = machine.holds.points[h], machine.holds.locks[h]
    anchors = machine.anchors
    return Anchors(anchors.place[:points], anchors.turn[:points], anchors.joint[:locks], machine.holds.lock_q[h, :locks])


@kernel
def work_of(table):
    b = table.bodies
    return Work(
        b[0], b[1], b[2], table.dofs[0], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
        b[13], b[14], b[15], b[16],
        table.dofs[1], table.bars[0], table.bars[1],
    )  # fmt: skip


@kernel
def room_of(table, held):
    points, rows, free = len(held.body), len(held.row), len(held.free)
    square, vector = table.squares, table.vectors
    return Room(
        M=square[0],
        bias=vector[0],
        still=vector[1],
        motion=table.motion[:points],
        rate=table.rate,
        J=square[1, :rows],
        c=vector[2, :rows],
        table=square[2, :rows],
        back=square[3, :rows],
        shift=vector[3, :rows],
        MN=square[4],
        S=square[5],
        b=vector[4],
        y=vector[5, :free],
        off=vector[6, :rows],
        step=vector[7],
    )


@kernel
def forward_at(tree, held, table):
    """Accelerations under tau with what is held, in the state on a table."""
    forward(tree, work_of(table), held, room_of(table, held), table.q, table.v, table.tau, table.a, table.f)


@kernel
def hold_at(tree, held, table):
    """Mass matrix, J and its elimination there."""
    hold(tree, work_of(table), held, room_of(table, held), table.q)


@kernel
def set_points_at(tree, held, table):
    """Places, and J."""
    set_points(tree, work_of(table), held, room_of(table, held), table.q)


@kernel
def occupy(machine, desk, h):
    """Make the room fit a set: rows of locked joints set, nothing left of others."""
    room = room_of(desk.table, held_of(machine, h))
    points, nv, width = room.motion.shape
    for k in range(points):
        for d in range(nv):
            for c in range(width):
                room.motion[k, d, c] = 0.0
    for r in range(len(room.J)):
        for d in range(nv):
            room.J[r, d] = 0.0
    first = len(room.J) - machine.holds.locks[h]
    for k in range(machine.holds.locks[h]):
        room.J[first + k, machine.holds.lock_v[h, k]] = 1.0


# --- smooth motion --------------------------------------------------------------------------------------------------------


@kernel
def ask(machine, desk, t, what, which):
    """Let Python read and write the desk."""
    if machine.failed[0] == 0 and machine.python(t, what + 3 * desk.number, which) != 0:
        machine.failed[0] = 1


@kernel
def set_torque(machine, desk, t):
    m, modes, table = machine.state.mode[0], machine.modes, desk.table
    if modes.asks[m] == 1:
        ask(machine, desk, t, TORQUE, m)
        return
    for d in range(len(table.v)):
        tau = modes.constant[m, d] + 0.0 * table.v[d]
        for k in range(len(table.q)):
            tau += modes.by_q[m, d, k] * table.q[k]
        for e in range(len(table.v)):
            tau += modes.by_v[m, d, e] * table.v[e]
        table.tau[d] = tau


@kernel
def move(machine, desk, t):
    """Rates of q and v in the mode of the state, from q and v on the desk."""
    set_torque(machine, desk, t)
    desk.forward(machine.tree, held_of(machine, machine.modes.hold[machine.state.mode[0]]), desk.table)
    rate(machine.tree, desk.table.q, desk.table.v, desk.rate)


@kernel
def lay(machine, y):
    """Put q and v on the real desk."""
    q, v = machine.real.table.q, machine.real.table.v
    for i in range(len(q)):
        q[i] = y[i]
    for i in range(len(v)):
        v[i] = y[len(q) + i]


@kernel
def take(machine, y):
    """And take them from there."""
    q, v = machine.real.table.q, machine.real.table.v
    for i in range(len(q)):
        y[i] = q[i]
    for i in range(len(v)):
        y[len(q) + i] = v[i]


@kernel
def lay_disturbed(machine, y, column):
    """Put q and v on the complex desk, with column number so many of the derivative as their disturbance."""
    q, v = machine.imaginary.table.q, machine.imaginary.table.v
    nq, nv = len(q), len(v)
    first = (1 + column) * (nq + nv)
    for i in range(nq):
        q[i] = complex(y[i], TINY * y[first + i])
    for i in range(nv):
        v[i] = complex(y[nq + i], TINY * y[first + nq + i])


@kernel
def slope(machine, t, y, out):
    """dy/dt, with all columns that are carried along: each is A times itself, A being the derivative of the flow."""
    desk, nq, nv = machine.real, len(machine.real.table.q), len(machine.real.table.v)
    lay(machine, y)
    move(machine, desk, t)
    for i in range(nq):
        out[i] = desk.rate[i]
    for i in range(nv):
        out[nq + i] = desk.table.a[i]
    other = machine.imaginary
    for j in range(machine.state.columns[0]):
        lay_disturbed(machine, y, j)
        move(machine, other, t)
        first = (1 + j) * (nq + nv)
        for i in range(nq):
            out[first + i] = other.rate[i].imag / TINY
        for i in range(nv):
            out[first + nq + i] = other.table.a[i].imag / TINY


# --- guards ---------------------------------------------------------------------------------------------------------------


@kernel
def place(machine, desk):
    """Places of all bodies in the state on a desk."""
    set_places(machine.tree, work_of(desk.table), desk.table.q)


@kernel
def measure(machine, desk, k, t):
    """Value of a measure in the state on the desk, where the places are set."""
    each, q, work = machine.measures, desk.table.q, work_of(desk.table)
    if each.asks[k] == 1:
        ask(machine, desk, t, MEASURE, k)
        return desk.value[0]
    value = each.constant[k] + each.by_time[k] * t + 0.0 * q[0]
    for i in range(len(q)):
        value += each.by_q[k, i] * q[i]
    for j in range(2):
        i = each.body[k, j]
        point = plus(get_vector(work.place, i), rotate(get_turn(work.turn, i), get_vector(each.at[k], j)))
        value += dot(get_vector(each.weight[k], j), point)
    return value
