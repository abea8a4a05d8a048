"""Impacts with Coulomb friction by enumeration of modes: dense matrices, extended precision, plain numpy. No kernel is used.

Contact i has the impulse P_i, and the velocity u_i = (J v)_i + (A P)_i after the impact, A = J M^-1 J'. Its mode is one of

    open    P = 0,                          u_n >= -e u_n before
    stick   u_n = -e u_n before, u_t = 0,   P_n >= 0, |P_t| <= mu P_n
    slide   u_n = -e u_n before,            P_n >= 0, P_t = -mu P_n u_t / |u_t|

All combinations of modes are tried. In the plane each is a linear system (sliding to either side is a mode of its own). In space
the direction of sliding is found by Newton's method, from directions that are given. A combination whose inequalities hold is an
answer; there may be several, or none that is unique in its impulses (then a linear programme looks for one).

If an answer gains energy, restitution is lowered: the same equations with the fraction of e at which the energy is the same as
before.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import brentq, linprog

from footfall.reproduce._textbook import LONG, solved

OPEN, STICK, SLIDE, BACK = "open", "stick", "slide", "slide back"
HOLDS = 1e-9  # of the largest impulse or speed: how far an inequality may be missed
EVEN = 1e-9  # of the energy exchanged
RANK = 1e-12  # singular values beside the largest below which equations are redundant
NEWTON = 50  # iterations


@dataclass(frozen=True)
class Outcome:
    """One answer: modes of the contacts, velocities, impulses, and the fraction of restitution."""

    modes: tuple[str, ...]
    velocities: np.ndarray
    impulses: np.ndarray
    fraction: float

    @property
    def slides(self) -> bool:
        return any(mode in (SLIDE, BACK) for mode in self.modes)


class Impact:
    """An impact of points: mass matrix, Jacobian (the normal is the last row of a point), velocities, restitution, friction."""

    def __init__(self, M: np.ndarray, J: np.ndarray, v: np.ndarray, e: Sequence[float], friction: float):
        self.dim, self.friction, self.v = len(J) // len(e), LONG(friction), v
        scale = 1 / np.sqrt(M.diagonal())
        balanced = scale[:, None] * M * scale
        columns = [solved(balanced, row * scale) for row in J]
        if any(column is None for column in columns):
            raise ValueError("the mass matrix is singular")
        self.response = np.array([scale * column for column in columns])
        self.A, self.before = J @ self.response.T, J @ v
        self.bounce = np.zeros(len(J), LONG)
        for i, each in enumerate(e):
            n = self.dim * (i + 1) - 1
            self.bounce[n] = -LONG(each) * min(self.before[n], LONG(0))
        self.points = [slice(self.dim * i, self.dim * (i + 1)) for i in range(len(e))]

    # --- one combination of modes -----------------------------------------------------------------------------------------

    def equations(self, modes: Sequence[str], ways: Sequence[np.ndarray], fraction: Any) -> tuple[np.ndarray, np.ndarray]:
        """E and b of E P = b, with a direction of sliding for each point."""
        E, b = np.zeros_like(self.A), np.zeros(len(self.A), LONG)
        for mode, way, rows in zip(modes, ways, self.points, strict=True):
            n = rows.stop - 1
            along = slice(rows.start, n)
            if mode == OPEN:
                E[rows, rows] = np.eye(self.dim)
                continue
            E[n], b[n] = self.A[n], fraction * self.bounce[n] - self.before[n]
            if mode == STICK:
                E[along], b[along] = self.A[along], -self.before[along]
            else:
                E[along, along], E[along, n] = np.eye(self.dim - 1), self.friction * way
        return E, b

    def solve(self, modes: Sequence[str], ways: Sequence[np.ndarray], fraction: Any = 1.0) -> np.ndarray | None:
        """The impulses of a combination of modes, inequalities not looked at."""
        E, b = self.equations(modes, ways, fraction)
        if self._redundant(E):
            return self._programmed(modes, ways, E, b, fraction) if self.dim == 2 else None
        P = solved(E, b)
        sliding = [rows for mode, rows in zip(modes, self.points, strict=True) if mode == SLIDE]
        if P is None or self.dim == 2 or not sliding:
            return P
        for _ in range(NEWTON):
            E, residual = E.copy(), np.zeros(len(P), LONG)
            u = self.before + self.A @ P
            residual[:] = E @ P - b
            for rows in sliding:
                n, along = rows.stop - 1, slice(rows.start, rows.stop - 1)
                size = np.sqrt(u[along] @ u[along])
                if size == 0:
                    return None
                way = u[along] / size
                turn = (np.eye(self.dim - 1) - np.outer(way, way)) / size
                residual[along] = P[along] + self.friction * P[n] * way
                E[along] = self.friction * P[n] * turn @ self.A[along]
                E[along, along] += np.eye(self.dim - 1)
                E[along, n] += self.friction * way
            step = solved(E, -residual)
            if step is None:
                return None
            P = P + step
            if np.abs(step).max() <= 1e-15 * np.abs(P).max():
                return P
        return None

    def _redundant(self, E: np.ndarray) -> bool:
        sizes = np.linalg.svd(E.astype(float), compute_uv=False)
        return bool(sizes[-1] <= RANK * sizes[0])

    def _programmed(
        self, modes: Sequence[str], ways: Sequence[np.ndarray], E: np.ndarray, b: np.ndarray, fraction: Any
    ) -> np.ndarray | None:
        """Impulses that are not unique, in the plane: any that satisfy the inequalities as well."""
        rows, limits, mu = [], [], float(self.friction)
        for mode, (way,), where in zip(modes, ways, self.points, strict=True):
            t, n = where.start, where.stop - 1
            unit = np.eye(len(b))
            if mode == OPEN:
                rows.append(-self.A[n])
                limits.append(self.before[n] - fraction * self.bounce[n])
            elif mode == STICK:
                rows += [unit[t] - mu * unit[n], -unit[t] - mu * unit[n]]
                limits += [0.0, 0.0]
            else:
                rows += [-unit[n], -way * self.A[t]]
                limits += [0.0, way * self.before[t]]
        found = linprog(
            np.zeros(len(b)),
            np.array(rows, float),
            np.array(limits, float),
            E.astype(float),
            b.astype(float),
            bounds=[(None, None)] * len(b),
        )
        return found.x.astype(LONG) if found.status == 0 else None

    def holds(self, modes: Sequence[str], ways: Sequence[np.ndarray], P: np.ndarray, fraction: Any) -> bool:
        """Whether the inequalities of the modes hold, and sliding is in the direction assumed."""
        u = self.before + self.A @ P
        speed, impulse = HOLDS * np.abs(self.before).max(), HOLDS * np.abs(P).max()
        for mode, way, rows in zip(modes, ways, self.points, strict=True):
            n, along = rows.stop - 1, slice(rows.start, rows.stop - 1)
            P_t = np.sqrt(P[along] @ P[along])
            if mode == OPEN and u[n] < fraction * self.bounce[n] - speed:
                return False
            if mode != OPEN and P[n] < -impulse:
                return False
            if mode == STICK and P_t > self.friction * P[n] + impulse:
                return False
            if mode in (SLIDE, BACK) and (P[along] @ u[along] > impulse * speed or (self.dim == 2 and way @ u[along] < -speed)):
                return False
        return True

    def lost(self, P: np.ndarray) -> Any:
        return -0.5 * P @ (2 * self.before + self.A @ P)

    # --- all of them ------------------------------------------------------------------------------------------------------

    def outcomes(self, guesses: Sequence[np.ndarray] = ()) -> Iterator[Outcome]:
        """All answers. In space, sliding is sought from directions of the velocities `guesses`, one after the other."""
        kinds = (OPEN, STICK, SLIDE, BACK) if self.dim == 2 else (OPEN, STICK, SLIDE)
        for modes in product(kinds, repeat=len(self.points)):
            for guess in guesses if self.dim == 3 and SLIDE in modes else (self.before,):
                ways = [self._way(mode, guess[rows]) for mode, rows in zip(modes, self.points, strict=True)]
                yield from self._outcome(modes, ways)

    def _way(self, mode: str, u: np.ndarray) -> np.ndarray:
        if self.dim == 2:
            return np.array([-1 if mode == BACK else 1], LONG)
        size = np.sqrt(u[:-1] @ u[:-1])
        return u[:-1] / size if size else np.array((1, 0), LONG)

    def _outcome(self, modes: tuple[str, ...], ways: list[np.ndarray]) -> Iterator[Outcome]:
        P = self.solve(modes, ways)
        fraction: Any = 1.0
        if P is not None and self.lost(P) < -EVEN * np.abs(P) @ np.abs(self.before):
            fraction = self._even(modes, ways)
            P = None if fraction is None else self.solve(modes, ways, fraction)
        if P is not None and self.holds(modes, ways, P, fraction):
            yield Outcome(modes, (self.v + P @ self.response).astype(float), P, float(fraction))

    def _even(self, modes: tuple[str, ...], ways: list[np.ndarray]) -> float | None:
        """The largest fraction of restitution at which a combination of modes that gains energy with all of it gains none.

        Directions of sliding may not be found at some fractions in between; then a narrower span is tried.
        """

        def gain(fraction: float) -> float:
            P = self.solve(modes, ways, fraction)
            return np.nan if P is None else -float(self.lost(P))

        for low in (0.0, 0.25, 0.5, 0.75):
            if gain(low) <= 0.0:
                with contextlib.suppress(ValueError):  # not a number on the way
                    return float(brentq(gain, low, 1.0, xtol=1e-15, rtol=1e-14))
        return None
