"""Preview control of the zero-moment point (Kajita et al. 2003): a centre of mass that lets the ZMP follow a given course.

The robot is a cart on a table, a mass at constant height that a jerk u drives:

    x(k+1) = A x(k) + B u(k),    p = C x = c - (z/g) c'',    x = (c, c', c'')

The ZMP p must be known ahead, because the mass has to start before it. Of all jerks, preview control takes the one of least
sum of Q_e e^2 + R du^2, e = p - reference: a linear-quadratic regulator with integral action that sees the reference up to
its horizon (Katayama et al. 1985):

    u(k) = -K_s sum of e - K_x x(k) + sum over j of G(j) reference(k + j) + u_0

The constant u_0 is such that there is no jerk before the first row. Without it, a reference that moves within the horizon of
the first row would start with a kick.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.model.quantity import check_quantities, quantity
from footfall.motion.curve import MotionError

MOST_ROWS = 10_000_000
SURE = 1e-4  # part of the gains that may be wrong


class PreviewGains(NamedTuple):
    """Gains of the integrated error, of (c, c', c''), and of the reference 1, 2, ... steps ahead."""

    integral: float  # K_s
    state: np.ndarray  # (3,) K_x
    preview: np.ndarray  # (N,) G


class Cart(NamedTuple):
    """A centre of mass over time: position, velocity, acceleration, and its zero-moment point, a row for each time."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    zmp: np.ndarray


@kernel
def drive(gains: Any, reference: Any, k: Any, c: Any, v: Any, a: Any) -> Any:
    """Jerk of row k without the part of past errors. Before its first and after its last row the reference rests."""
    jerk, last = -gains.state[0] * c - gains.state[1] * v - gains.state[2] * a, len(reference) - 1
    for j in range(len(gains.preview)):
        jerk += gains.preview[j] * reference[min(max(k + 1 + j, 0), last)]
    return jerk


@kernel
def track_rows(reference: Any, gains: Any, dt: Any, lag: Any, out: Any) -> None:
    """One coordinate: out[k] = (c, c', c'', ZMP) at row k; out[0] holds the start."""
    error, (c, v, a) = 0.0, (out[0, 0], out[0, 1], out[0, 2])
    before = drive(gains, reference, -1, c - dt * (v - dt * a / 2.0), v - dt * a, a)
    for k in range(len(reference)):
        c, v, a = out[k, 0], out[k, 1], out[k, 2]
        out[k, 3] = c - lag * a
        error += out[k, 3] - reference[k]
        jerk = drive(gains, reference, k, c, v, a) - before - gains.integral * error
        if k + 1 < len(reference):
            out[k + 1, 0] = c + dt * (v + dt * (a / 2.0 + dt * jerk / 6.0))
            out[k + 1, 1] = v + dt * (a + dt * jerk / 2.0)
            out[k + 1, 2] = a + dt * jerk


@dataclass(frozen=True)
class Preview:
    """A preview controller for a centre of mass at a height, with rows every `dt`."""

    height: float = quantity("m", "of the centre of mass above the ZMP", low=1e-3, high=1e3)
    dt: float = quantity("s", "time between two rows", 0.005, low=1e-5, high=1.0)
    horizon: float = quantity("s", "how far ahead the reference is seen", 1.6, low=1e-4, high=100.0)
    error_weight: float = quantity("1/m2", "Q_e, cost of the ZMP's error", 1.0, low=1e-12, high=1e12)
    jerk_weight: float = quantity("s6/m2", "R, cost of a change of jerk", 1e-6, low=1e-15, high=1e6)
    gravity: float = quantity("m/s2", "weight of 1 kg", 9.81, low=1e-3, high=1e3)

    def __post_init__(self) -> None:
        check_quantities(self, "Preview", MotionError)
        if not 1 <= round(self.horizon / self.dt) <= 100_000:
            raise MotionError(f"Preview: the horizon must be 1 to 100000 times dt, got {self.horizon:g} and {self.dt:g} s")

    @property
    def frequency(self) -> float:
        """w = sqrt(g / z) of the inverted pendulum, in rad/s."""
        return float(np.sqrt(self.gravity / self.height))

    @cached_property
    def gains(self) -> PreviewGains:
        """By the discrete algebraic Riccati equation of (e, changes of c, c', c''). They depend on R / Q_e alone.

        At rest at a constant reference there is no jerk, so that all G, to infinity, must add up to the gain of c: a check.
        """
        from scipy.linalg import solve_discrete_are

        T, C = self.dt, np.array([1.0, 0.0, -self.height / self.gravity])
        A, B = np.array([[1.0, T, T * T / 2.0], [0.0, 1.0, T], [0.0, 0.0, 1.0]]), np.array([T**3 / 6.0, T * T / 2.0, T])
        F = np.block([[np.ones((1, 1)), (C @ A)[None]], [np.zeros((3, 1)), A]])
        b, first, ratio = np.concatenate(([C @ B], B)), np.eye(4)[0], self.jerk_weight / self.error_weight
        try:
            P = solve_discrete_are(F, b[:, None], np.diag(first), np.array([[ratio]]))
            bottom = ratio + b @ P @ b
            K = b @ P @ F / bottom
            closed = (F - np.outer(b, K)).T
            every = b @ np.linalg.solve(np.eye(4) - closed, P @ first) / bottom
        except (np.linalg.LinAlgError, ValueError) as error:
            raise MotionError(f"{self}: its Riccati equation has no solution ({error}); a larger dt may help") from None
        if not (np.abs(np.linalg.eigvals(closed)).max() < 1.0 and abs(every - K[1]) <= SURE * abs(K[1])):
            raise MotionError(
                f"{self}: its Riccati equation cannot be solved to {SURE:g}; take a larger dt, or weights nearer to those of the "
                "publication, R / Q_e = 1e-06 s6"
            )
        G, X = np.zeros(round(self.horizon / T)), P @ first
        for j in range(len(G)):
            G[j] = b @ X / bottom
            X = closed @ X
        return PreviewGains(float(K[0]), np.ascontiguousarray(K[1:]), G)

    def track(self, reference: Any, start: Any = None) -> Cart:
        """The centre of mass for the course of a ZMP: (n,) numbers or (n, 2) rows x, y, every `dt`.

        It starts at rest above the first row, or with `start` = (positions, velocities, accelerations).
        """
        rows = _rows(reference)
        table = rows.reshape(len(rows), -1)
        first = np.zeros((3, table.shape[1]))
        first[0] = table[0]
        if start is not None:
            try:
                first[:] = np.asarray(start, dtype=float).reshape(first.shape)
            except (TypeError, ValueError):
                raise MotionError(f"Preview: start must be positions, velocities and accelerations, got {start!r:.80}") from None
        out = np.zeros((4, *table.shape))
        for i, origin in enumerate(table[0].copy()):  # reckoned from the first row, so that a place far away costs no digits
            column = np.zeros((len(table), 4))
            column[0, :3] = first[:, i] - (origin, 0.0, 0.0)
            reading = np.ascontiguousarray(table[:, i] - origin)
            track_rows["planar"](reading, self.gains, self.dt, self.height / self.gravity, column)
            out[:, :, i] = column.T
            out[0, :, i] += origin
            out[3, :, i] += origin
        return Cart(*(part.reshape(rows.shape) for part in out))


def _rows(reference: Any) -> np.ndarray:
    try:
        rows = np.array(reference, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"Preview: a reference must be rows of numbers, got {reference!r:.80}") from None
    if rows.ndim not in (1, 2) or not 1 <= len(rows) <= MOST_ROWS or not rows.size or not np.isfinite(rows).all():
        raise MotionError(f"Preview: a reference must be finite numbers, (n,) or (n, 2), got shape {rows.shape}")
    return rows
