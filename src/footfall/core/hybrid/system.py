"""A hybrid system as arrays: a robot with its modes, guards and resets. No code is compiled per walker.

Functions that users write in Python are called through one pointer: python(time, what, which), with the state in the arrays of
an `Evaluator`. There are two evaluators. One has real numbers. The other has complex ones, on which the same kernels give exact
derivatives by the complex-step method (Lyness and Moler): the imaginary part of the result of an imaginary perturbation. Nothing
is subtracted, so no digits are lost.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.manifold import rate
from footfall.core.recursion.anchors import Anchors
from footfall.core.recursion.constrained import ConstraintSet, Scratch, factorise, forward, set_points
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import dot, get_rotation, get_vector, plus, rotate

PERTURBATION = 1e-30  # size of an imaginary perturbation
TORQUE, MEASURE, JUMP = 0, 1, 2  # what is asked in Python
RELABEL, IMPACT, SHIFT, OTHER = 0, 1, 2, 3  # kinds of reset; the last is in Python


class ConstraintSets(NamedTuple):
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
    constraint_set: Any  # (modes,) int: row of ConstraintSets
    in_python: Any  # (modes,) int: 1 if the torque is in Python
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
    """Affine functions constant + by_time t + by_q q + (sum over points) weight . position, or functions in Python."""

    in_python: Any  # (measures,) int: 1 if it is in Python
    constant: Any  # (measures,)
    by_time: Any  # (measures,)
    by_q: Any  # (measures, nq)
    body: Any  # (measures, 2) int
    at: Any  # (measures, 2, DIM)
    weight: Any  # (measures, 2, DIM)


class Resets(NamedTuple):
    kind: Any  # (resets,) int
    constraint_set: Any  # (resets,) int: what an impact stops, a row of ConstraintSets
    twins: Any  # (resets, bodies) int
    shift: Any  # (resets, nq) added to q


class Arrays(NamedTuple):
    """Arrays for one kind of number, with a state in them."""

    work: Any  # Work
    squares: Any  # (6, nv, nv) M, J, EJ, E, MN and S of `Scratch`
    vectors: Any  # (8, nv) its bias, zero, c, Ec, b, y, residual and dq
    motion: Any  # (points, nv, MOTION)
    rate: Any  # (1, MOTION)
    q: Any
    v: Any
    tau: Any
    a: Any
    f: Any  # (nv,)


class Evaluator(NamedTuple):
    """Where a state is evaluated: its arrays, and pointers to compiled kernels."""

    number: Any  # int: 0 real, 1 complex
    arrays: Any
    rate: Any  # (nq,) dq/dt
    value: Any  # (1,) of a measure that is in Python
    forward: Any  # pointers to the kernels below, which are compiled once and not into everything that calls them
    factorise: Any


class State(NamedTuple):
    """The state of a motion. y holds q and v, then for each column of a derivative the variations dq and dv."""

    t: Any  # (1,)
    y: Any  # (n (1 + columns),)
    mode: Any  # (1,) int
    columns: Any  # (1,) int: how many are carried along
    h: Any  # (1,) the next step
    low: Any  # (1,) where the last step began
    length: Any  # (1,) of the last step, before an event cut it short
    fresh: Any  # (1,) int: 1 when a mode begins
    pending: Any  # (1,) int: 1 if the last step is not recorded yet
    steps: Any  # (1,) int: since the mode began, or since the last row that was recorded
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
    slip: Any  # largest velocity of a held point when a mode begins


class HybridSystem(NamedTuple):
    tree: Any
    sets: Any
    row: Any  # (rows,) int: order of elimination of the set in use
    column: Any  # (rows,) int
    free: Any  # (nv,) int
    anchors: Any  # of the set in use
    modes: Any
    guards: Any
    measures: Any
    resets: Any
    real: Any  # Evaluator
    imaginary: Any  # Evaluator
    state: Any
    stages: Any
    limits: Any
    set_points: Any  # pointer to the kernel of `constrained`, for real arrays
    python: Any  # pointer to int64(float64, int64, int64)
    failed: Any  # (1,) int: 1 after an error in Python


class Tools(NamedTuple):
    """Pointers to kernels of `steps`."""

    set_stages: Any  # (system, t, h, first, last)
    project: Any  # (system, y)


# --- the set in use -------------------------------------------------------------------------------------------------------


@kernel
def constraint_set(system, h):
    """Row h of the constraint sets, as the kernels of `constrained` take it."""
    sets = system.sets
    points, rows = sets.points[h], sets.rows[h]
    free = len(system.tree.turns) - rows
    return ConstraintSet(
        sets.body[h, :points],
        sets.at[h, :points],
        sets.down[h, :points],
        sets.width[h, :points],
        system.row[:rows],
        system.column[:rows],
        system.free[:free],
    )


@kernel
def anchors_of(system, h):
    """The anchors of constraint set h."""
    points, locks = system.sets.points[h], system.sets.locks[h]
    anchors = system.anchors
    return Anchors(anchors.p[:points], anchors.R[:points], anchors.joint[:locks], system.sets.lock_q[h, :locks])


@kernel
def scratch_of(arrays, constraints):
    """The arrays of `constrained` within larger ones."""
    points, rows, free = len(constraints.body), len(constraints.row), len(constraints.free)
    square, vector = arrays.squares, arrays.vectors
    return Scratch(
        M=square[0],
        bias=vector[0],
        zero=vector[1],
        motion=arrays.motion[:points],
        rate=arrays.rate,
        J=square[1, :rows],
        c=vector[2, :rows],
        EJ=square[2, :rows],
        E=square[3, :rows],
        Ec=vector[3, :rows],
        MN=square[4],
        S=square[5],
        b=vector[4],
        y=vector[5, :free],
        residual=vector[6, :rows],
        dq=vector[7],
    )


@kernel
def forward_at(tree, constraints, arrays):
    """Accelerations under tau with the constraint set, for the state in the arrays."""
    forward(tree, arrays.work, constraints, scratch_of(arrays, constraints), arrays.q, arrays.v, arrays.tau, arrays.a, arrays.f)


@kernel
def factorise_at(tree, constraints, arrays):
    """Mass matrix, J and its elimination for the state in the arrays."""
    factorise(tree, arrays.work, constraints, scratch_of(arrays, constraints), arrays.q)


@kernel
def set_points_at(tree, constraints, arrays):
    """Poses and J for the state in the arrays."""
    set_points(tree, arrays.work, constraints, scratch_of(arrays, constraints), arrays.q)


@kernel
def reset_arrays(system, evaluator, h):
    """Prepare the arrays for constraint set h: rows of locked joints set, nothing left of other sets."""
    scratch = scratch_of(evaluator.arrays, constraint_set(system, h))
    points, nv, width = scratch.motion.shape
    for k in range(points):
        for d in range(nv):
            for c in range(width):
                scratch.motion[k, d, c] = 0.0
    for r in range(len(scratch.J)):
        for d in range(nv):
            scratch.J[r, d] = 0.0
    first = len(scratch.J) - system.sets.locks[h]
    for k in range(system.sets.locks[h]):
        scratch.J[first + k, system.sets.lock_v[h, k]] = 1.0


# --- smooth motion --------------------------------------------------------------------------------------------------------


@kernel
def call_python(system, evaluator, t, what, which):
    """Let Python read and write the arrays."""
    if system.failed[0] == 0 and system.python(t, what + 3 * evaluator.number, which) != 0:
        system.failed[0] = 1


@kernel
def set_torque(system, evaluator, t):
    """Joint forces in the mode of the state."""
    m, modes, arrays = system.state.mode[0], system.modes, evaluator.arrays
    if modes.in_python[m] == 1:
        call_python(system, evaluator, t, TORQUE, m)
        return
    for d in range(len(arrays.v)):
        tau = modes.constant[m, d] + 0.0 * arrays.v[d]
        for k in range(len(arrays.q)):
            tau += modes.by_q[m, d, k] * arrays.q[k]
        for e in range(len(arrays.v)):
            tau += modes.by_v[m, d, e] * arrays.v[e]
        arrays.tau[d] = tau


@kernel
def move(system, evaluator, t):
    """Rates of q and v in the mode of the state, from q and v in the arrays."""
    set_torque(system, evaluator, t)
    evaluator.forward(system.tree, constraint_set(system, system.modes.constraint_set[system.state.mode[0]]), evaluator.arrays)
    rate(system.tree, evaluator.arrays.q, evaluator.arrays.v, evaluator.rate)


@kernel
def load_state(system, y):
    """Copy q and v into the real arrays."""
    q, v = system.real.arrays.q, system.real.arrays.v
    for i in range(len(q)):
        q[i] = y[i]
    for i in range(len(v)):
        v[i] = y[len(q) + i]


@kernel
def store_state(system, y):
    """Copy them back."""
    q, v = system.real.arrays.q, system.real.arrays.v
    for i in range(len(q)):
        y[i] = q[i]
    for i in range(len(v)):
        y[len(q) + i] = v[i]


@kernel
def load_perturbed(system, y, column):
    """Copy q and v into the complex arrays, with a column of the derivative as their imaginary perturbation."""
    q, v = system.imaginary.arrays.q, system.imaginary.arrays.v
    nq, nv = len(q), len(v)
    first = (1 + column) * (nq + nv)
    for i in range(nq):
        q[i] = complex(y[i], PERTURBATION * y[first + i])
    for i in range(nv):
        v[i] = complex(y[nq + i], PERTURBATION * y[first + nq + i])


@kernel
def state_rate(system, t, y, out):
    """dy/dt, with all columns of the derivative (variational equations): each is A times itself, A the derivative of the flow."""
    evaluator, nq, nv = system.real, len(system.real.arrays.q), len(system.real.arrays.v)
    load_state(system, y)
    move(system, evaluator, t)
    for i in range(nq):
        out[i] = evaluator.rate[i]
    for i in range(nv):
        out[nq + i] = evaluator.arrays.a[i]
    other = system.imaginary
    for j in range(system.state.columns[0]):
        load_perturbed(system, y, j)
        move(system, other, t)
        first = (1 + j) * (nq + nv)
        for i in range(nq):
            out[first + i] = other.rate[i].imag / PERTURBATION
        for i in range(nv):
            out[first + nq + i] = other.arrays.a[i].imag / PERTURBATION


# --- guards ---------------------------------------------------------------------------------------------------------------


@kernel
def place(system, evaluator):
    """Poses of all bodies for the state in the arrays."""
    set_places(system.tree, evaluator.arrays.work, evaluator.arrays.q)


@kernel
def measure(system, evaluator, k, t):
    """Value of a measure for the state in the arrays, where poses are set."""
    each, q, work = system.measures, evaluator.arrays.q, evaluator.arrays.work
    if each.in_python[k] == 1:
        call_python(system, evaluator, t, MEASURE, k)
        return evaluator.value[0]
    value = each.constant[k] + each.by_time[k] * t + 0.0 * q[0]
    for i in range(len(q)):
        value += each.by_q[k, i] * q[i]
    for j in range(2):
        i = each.body[k, j]
        point = plus(get_vector(work.p_WB, i), rotate(get_rotation(work.R_WB, i), get_vector(each.at[k], j)))
        value += dot(get_vector(each.weight[k], j), point)
    return value
