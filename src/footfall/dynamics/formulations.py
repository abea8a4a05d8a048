"""Several formulations of the same dynamics, each for rows of states; the evaluation has weight and external forces already."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from footfall.core.recursion import batch, denoc
from footfall.core.recursion.crba import crba
from footfall.dynamics import lagrange, maximal
from footfall.errors import UnknownNameError
from footfall.evaluate import Evaluation


class Formulation(NamedTuple):
    """How the equations of motion are evaluated. Arrays have rows; results go to the last one before `doubts`."""

    inverse: Callable[..., None]  # (ev, q, v, a, tau)
    forward: Callable[..., None]  # (ev, q, v, tau, a, doubts): doubts become 1 where some inertia may vanish
    mass_matrix: Callable[..., None]  # (ev, q, M), for one state


def formulation(name: Any) -> Formulation:
    if not isinstance(name, str) or name not in FORMULATIONS:
        raise UnknownNameError("formulation (of the dynamics)", name, FORMULATIONS)
    return FORMULATIONS[name]


def decoupled(ev: Evaluation) -> denoc.Factors:
    """Room for the DeNOC matrices."""
    return denoc.factors(len(ev.tree.parent), ev.robot.nv, ev.algebra, ev.dtype)


def _run(kernel: Any) -> Callable[..., None]:
    return lambda ev, *arrays: ev.run(kernel, *arrays)


def _run_decoupled(kernel: Any) -> Callable[..., None]:
    return lambda ev, *arrays: ev.run(kernel, decoupled(ev), *arrays)


# --- Lagrange -------------------------------------------------------------------------------------------------------------


def _lagrange(ev: Evaluation, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M and h of one state."""
    M, h = lagrange.equations(ev.robot)(q, v, -ev.work.A_WB[0, : ev.robot.dim], ev.work.f_ext)
    return M.full(), h.full().ravel()


def _lagrange_inverse(ev: Evaluation, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> None:
    for row in range(len(q)):
        M, h = _lagrange(ev, q[row], v[row])
        tau[row] = M @ a[row] + h


def _lagrange_forward(ev: Evaluation, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray, doubts: np.ndarray) -> None:
    for row in range(len(q)):
        M, h = _lagrange(ev, q[row], v[row])
        a[row], pivots = _solved(M, tau[row] - h)
        doubts[row] = not pivots.min() > batch.SPREAD * pivots.max()


def _lagrange_mass_matrix(ev: Evaluation, q: np.ndarray, M: np.ndarray) -> None:
    M[:] = _lagrange(ev, q, np.zeros(ev.robot.nv))[0]


def _solved(M: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M^-1 b and the pivots of Cholesky, from the last row upward: light links at the tips then cost no accuracy."""
    try:
        U = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1]  # M = U U'
    except np.linalg.LinAlgError:
        return np.full(len(b), np.nan), np.zeros(len(b))
    return np.linalg.solve(U.T, np.linalg.solve(U, b)), np.diag(U) ** 2


FORMULATIONS = {
    "recursive": Formulation(_run(batch.inverse_rows), _run(batch.forward_rows), _run(crba)),
    "denoc": Formulation(_run_decoupled(denoc.inverse_rows), _run_decoupled(denoc.forward_rows), _run_decoupled(denoc.inertia)),
    "lagrange": Formulation(_lagrange_inverse, _lagrange_forward, _lagrange_mass_matrix),
    "maximal": Formulation(maximal.inverse, maximal.forward, maximal.mass_matrix),
}
