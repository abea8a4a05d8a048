"""The quadratic program of the controllers, against its optimality conditions, scipy, and a linear program for feasibility."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from footfall.core.qp import INFEASIBLE, NOT_POSITIVE, SOLVED, program, solve_program


def random_program(seed):
    """n unknowns, m rows of which some are equations; every third one may have no answer."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 19)), int(rng.integers(0, 40))
    equations = int(rng.integers(0, min(m, n - 1) + 1))
    p, root = program(n, m), rng.normal(size=(n, n))
    p.H[:], p.g[:], p.C[:] = root @ root.T + 0.01 * np.eye(n), 10 * rng.normal(size=n), rng.normal(size=(m, n))
    inside = rng.normal(size=n)
    p.c[:] = p.C @ inside - np.where(np.arange(m) < equations, 0.0, rng.exponential(size=m) - (1.0 if seed % 3 == 0 else 0.0))
    return p, equations


def asked(p):
    return p.H.copy(), p.g.copy(), p.C.copy(), p.c.copy()


@pytest.mark.parametrize("block", range(4))
def test_optimality_and_feasibility(block):
    for seed in range(100 * block, 100 * block + 100):
        p, equations = random_program(seed)
        H, g, C, c = asked(p)
        status, row = solve_program["planar"](p, equations, 1e-9)
        possible = linprog(0 * g, -C[equations:], -c[equations:], C[:equations], c[:equations], bounds=(None, None)).status
        if status == INFEASIBLE:
            assert possible == 2
            assert 0 <= row < len(c)
            continue
        assert (status, row, possible) == (SOLVED, -1, 0), seed
        scale = np.abs(H @ p.x).max() + np.abs(g).max()
        assert np.abs(H @ p.x + g - C.T @ p.pull).max() < 1e-8 * scale * (1 + np.abs(p.pull).max(initial=0.0))
        slack = C @ p.x - c
        assert np.abs(slack[:equations]).max(initial=0.0) < 1e-8
        assert slack.min(initial=0.0) > -1e-8
        assert p.pull[equations:].min(initial=0.0) >= 0.0
        assert np.abs(slack * p.pull).max(initial=0.0) < 1e-7 * scale


@pytest.mark.parametrize("seed", range(1, 30, 3))
def test_scipy_finds_nothing_better(seed):
    p, equations = random_program(seed)
    H, g, C, c = asked(p)
    assert solve_program["planar"](p, equations, 1e-9)[0] == SOLVED
    rows = [{"type": "eq", "fun": lambda x: C[:equations] @ x - c[:equations]}] if equations else []
    rows += [{"type": "ineq", "fun": lambda x: C[equations:] @ x - c[equations:]}]
    found = minimize(
        lambda x: x @ H @ x / 2 + g @ x,
        0 * g,
        jac=lambda x: H @ x + g,
        constraints=rows,
        method="SLSQP",
        options={"maxiter": 500},
    )
    if found.success:
        ours, theirs = p.x @ H @ p.x / 2 + g @ p.x, found.fun
        assert abs(ours - theirs) < 1e-5 * (1 + abs(theirs))


def test_a_program_without_curvature_is_refused():
    p = program(2, 0)
    p.H[:] = [[1.0, 1.0], [1.0, 1.0]]
    assert solve_program["planar"](p, 0, 1e-9)[0] == NOT_POSITIVE
