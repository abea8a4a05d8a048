"""Random systems of equations, costs and limits through the compiled solver, beside exact fractions, linear programs and the
conditions of Karush, Kuhn and Tucker."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from footfall.core import qp
from footfall.core.equations import tables
from footfall.core.equations.limits import solve_within
from footfall.core.equations.solve import solve_rows

SOLVED = 0


def solved(A, b, level, D, d, w, C, c):
    """A x = b by priority, w (D x - d)^2 least, C x >= c: status, x, and by how much each row contradicts others."""
    n, m, k, l = A.shape[1], len(A), len(D), len(C)
    rows, room, program = tables.rows(m + k + l, n), tables.room(m + k + l, n, n, 3, 2), qp.program(n, max(l, 1))
    order = np.argsort(level, kind="stable")
    rows.A[:m], rows.rhs[:m], rows.level[:m] = A[order], b[order], np.asarray(level)[order]
    rows.A[m : m + k], rows.rhs[m : m + k], rows.weight[m : m + k] = D, d, w
    rows.A[m + k :], rows.rhs[m + k :] = C, c
    rows.made[:] = np.abs(rows.A).sum(axis=1)
    rows.size[tables.EQUATIONS], rows.size[tables.COSTS], rows.size[tables.LIMITS] = m, m + k, m + k + l
    status = solve_rows["planar"](rows, room, n, m, m, m + k)
    if status == SOLVED and l:
        status = solve_within["planar"](rows, room, program, n)
    conflict = room.conflict * room.scale
    in_order = np.zeros(m)
    in_order[order] = conflict[:m]
    return status, room.x.copy(), np.concatenate((in_order, conflict[m + k :]))


def exactly(A, b, D, d, w):
    """The least cost on the equations, in fractions, by Gauss and Jordan."""
    n, m = A.shape[1], len(A)
    K = [[Fraction(0)] * (n + m + 1) for _ in range(n + m)]
    for row, value, weight in zip(D.tolist(), d.tolist(), w.tolist(), strict=True):
        for i in range(n):
            K[i][-1] += Fraction(weight) * Fraction(row[i]) * Fraction(value)
            for j in range(n):
                K[i][j] += Fraction(weight) * Fraction(row[i]) * Fraction(row[j])
    for i, (row, value) in enumerate(zip(A.tolist(), b.tolist(), strict=True)):
        K[n + i][-1] = Fraction(value)
        for j in range(n):
            K[n + i][j] = K[j][n + i] = Fraction(row[j])
    for i in range(n + m):
        p = next(j for j in range(i, n + m) if K[j][i] != 0)
        K[i], K[p] = K[p], K[i]
        K[i] = [x / K[i][i] for x in K[i]]
        for j in range(n + m):
            if j != i and K[j][i] != 0:
                K[j] = [x - K[j][i] * y for x, y in zip(K[j], K[i], strict=True)]
    return np.array([float(K[i][-1]) for i in range(n)])


@pytest.mark.parametrize("power", [0, 3, 6, 8, 10, 12, 20, 30])
def test_costs_of_any_weight(power):
    """Weights from 1 to 10^power, in random directions: all digits but a few, where normal equations lose them all."""
    rng, none = np.random.default_rng(power), np.zeros((0, 1))
    for trial in range(8):
        n = int(rng.integers(4, 8))
        m = int(rng.integers(1, 3))
        k = int(rng.integers(n - m, 2 * n))
        A, b, D, d = rng.normal(size=(m, n)), rng.normal(size=m), rng.normal(size=(k, n)), rng.normal(size=k)
        w = 10.0 ** rng.uniform(0, power, size=k) if trial % 2 else np.where(np.arange(k) < trial // 2, 10.0**power, 1.0)
        status, x, _ = solved(A, b, [0] * m, D, d, w, none.reshape(0, 1).repeat(n, axis=1), np.zeros(0))
        best = exactly(A, b, D, d, w)
        assert status == SOLVED
        assert np.abs(x - best).max() < 1e-8 * max(1.0, np.abs(best).max())


def unit(A, b):
    size = np.linalg.norm(A, axis=1)
    return A / size[:, None], b / size


def apart(A, b, C, c):
    """By how much equations or limits must be missed: a linear program."""
    n = A.shape[1]
    rows = [
        *np.column_stack((A, -np.ones(len(A)))),
        *np.column_stack((-A, -np.ones(len(A)))),
        *np.column_stack((-C, -np.ones(len(C)))),
    ]
    sides = np.concatenate((b, -b, -c))
    if not rows:
        return 0.0
    found = linprog(np.eye(n + 1)[-1], np.array(rows), sides, bounds=[(None, None)] * n + [(0, None)], method="highs")
    return found.fun


def some_problem(rng, size, scales):
    """Equations of the first priority and limits that some motion keeps (mostly), and equations of lower ones that it does not."""
    n, levels = int(rng.integers(4, 10)), int(rng.integers(1, 4))
    inside, l = rng.normal(size=n), int(rng.integers(1, 2 * n))
    C = rng.normal(size=(l, n))
    c = C @ inside - rng.exponential(size=l)
    m = int(rng.integers(0, max(1, n - 2)))
    A = [rng.normal(size=(m, n))]
    b, level = [A[0] @ inside + (rng.normal(size=m) if rng.random() < 0.3 else 0.0)], [0] * m
    for priority in range(1, levels + 1):
        m = int(rng.integers(1, n + 1))
        A.append(rng.normal(size=(m, n)))
        b.append(size * rng.normal(size=m))
        level += [priority] * m
    A, b = np.vstack(A), np.concatenate(b)
    scale = 10.0 ** rng.uniform(-scales, scales, size=len(A))
    return scale[:, None] * A, scale * b, np.array(level), C, c


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6, 1e7])
@pytest.mark.parametrize("scales", [0.0, 6.0])
@pytest.mark.parametrize("weights", [0.0, 6.0])
def test_priorities_within_limits(size, scales, weights):
    """What low priorities wish may be any number of times larger than what limits let them have."""
    conflicts = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        A, b, level, C, c = some_problem(rng, size, scales)
        n = A.shape[1]
        D, w = np.eye(n), 10.0 ** rng.uniform(-weights, weights, size=n)
        status, x, conflict = solved(A, b, level, D, np.zeros(n), w, C, c)
        (A, b), (C, c) = unit(A, b), unit(C, c)
        if status != SOLVED:
            conflicts += 1
            check_names(A, b, level, C, c, conflict)
            continue
        check_optimal(A, b, level, D, w, C, c, x)
    assert conflicts < 30


def check_names(A, b, level, C, c, conflict):
    """Those named contradict each other; without any one of them the others do not."""
    named = conflict > 0.0
    equations, limits = np.flatnonzero(named[: len(A)]), np.flatnonzero(named[len(A) :])
    assert (level[equations] == 0).all()
    assert apart(A[equations], b[equations], C[limits], c[limits]) > 1e-9
    for one in equations:
        others = equations[equations != one]
        assert apart(A[others], b[others], C[limits], c[limits]) < 1e-7
    for one in limits:
        others = limits[limits != one]
        assert apart(A[equations], b[equations], C[others], c[others]) < 1e-7


def check_optimal(A, b, level, D, w, C, c, x):
    """Each priority has what those before leave: its gradient is made of theirs and of limits that push."""
    size = max(1.0, np.abs(x).max())
    slack = C @ x - c
    assert slack.min() > -1e-7 * size
    at = slack < 1e-6 * size
    for priority in range(level.max() + 2):
        mine = level == priority
        if priority == 0:
            assert np.abs(A[mine] @ x - b[mine]).max(initial=0.0) < 1e-9 * size
            continue
        last = priority > level.max()
        rows, missed = (np.sqrt(w)[:, None] * D, np.sqrt(w) * (D @ x)) if last else (A[mine], A[mine] @ x - b[mine])
        before = A[level < priority]
        pushing = np.column_stack((C[at].T, before.T, -before.T, np.zeros((len(x), 1))))
        _, left = nnls(pushing, rows.T @ missed, maxiter=10000)
        most = w.max() if last else 1.0
        assert left < 1e-6 * most * max(np.linalg.norm(missed), size)


def test_a_large_right_side_hides_no_contradiction():
    """1 and 1.5 contradict each other, whatever another equation is asked for."""
    A, b = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 1.5, 1e10])
    status, _, conflict = solved(A, b, [0, 0, 1], np.eye(2), np.zeros(2), np.ones(2), np.zeros((0, 2)), np.zeros(0))
    assert status != SOLVED
    assert conflict == pytest.approx([0.5, 0.5, 0.0])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
def test_duplicates_are_named_once(order):
    """Two equations say 1, another says 2: it and one of the two are named, in whatever order they came."""
    b = np.array([1.0, 1.0, 2.0])[list(order)]
    A, scale = np.array([[1.0, 0.5, 0.0]] * 3), np.array([1.0, -1.0, 3.0])
    none = np.zeros((0, 3))
    status, _, conflict = solved(scale[:, None] * A, scale * b, [0, 0, 0], np.eye(3), np.zeros(3), np.ones(3), none, np.zeros(0))
    assert status != SOLVED
    named = np.flatnonzero(conflict)
    assert len(named) == 2
    assert sorted(b[named]) == [1.0, 2.0]
