"""From the states of a hybrid motion to the series of a run: means since the row before, sums, peaks."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.engines.series import LEDGER, blank, feet_of, motors_of
from footfall.model.robot import Robot

MOTORS, IMPACTS = LEDGER.index("motors"), LEDGER.index("impacts")
AT_INSTANTS = ("time", "q", "v", "tau", "mode", "point", "residual")


class Strike(NamedTuple):
    """The impact at the end of a smooth piece."""

    energy_lost: float  # J
    impulse: np.ndarray  # (pads, DIM) N s


def rows_of(
    robot: Robot, pads: Sequence[str], fine: dict[str, Any], rows: list[int], piece: np.ndarray, strikes: list[Strike]
) -> dict[str, Any]:
    """The series at some rows of the fine ones, whose forces are those of the instants and where each event has two rows.

    `piece` numbers the smooth pieces; between piece i and the next one is strikes[i].
    """
    out = blank(robot, pads, len(rows))
    for name in AT_INSTANTS:
        out[name][:] = fine[name][rows]
    if not rows:
        return out
    number = piece[rows]  # strikes before each row
    lost = np.array([0.0, *np.cumsum([strike.energy_lost for strike in strikes])])
    out["ledger"][:, IMPACTS] = -lost[number]
    out["ledger"][:, MOTORS] = _integral(fine, piece, (fine["tau"] * fine["v"]).sum(axis=1))[rows]
    _put_motors(robot, out, fine, rows, piece)
    _put_forces(pads, out, fine, rows, piece, strikes)
    return out


def _put_motors(robot: Robot, out: dict[str, Any], fine: dict[str, Any], rows: list[int], piece: np.ndarray) -> None:
    tau, v, motors = fine["tau"], fine["v"], motors_of(robot)
    out["tau_mean"][:] = _means(out, _integral(fine, piece, tau)[rows], tau)
    out["tau_peak"][:] = _largest(np.abs(tau), rows)
    for m, (d, motor) in enumerate(motors.items()):
        current = tau[:, d] / motor.per_ampere if motor.per_ampere > 0.0 else np.zeros(len(tau))
        heat, brushes, work = motor.resistance * current**2, motor.contact_voltage * np.abs(current), tau[:, d] * v[:, d]
        drawn = np.maximum(heat + brushes + work, 0.0)
        powers = np.column_stack((drawn, heat, brushes, np.maximum(work, 0.0), np.minimum(work, 0.0)))
        out["motor_energy"][:, m] = _integral(fine, piece, powers)[rows]
        out["power_peak"][:, m] = _largest(drawn, rows)


def _put_forces(
    pads: Sequence[str], out: dict[str, Any], fine: dict[str, Any], rows: list[int], piece: np.ndarray, strikes: list[Strike]
) -> None:
    force, point, number = fine["force"], fine["point"], piece[rows]
    since = np.concatenate((number[:1], number[:-1]))
    impulse, press = _integral(fine, piece, force), np.linalg.norm(force, axis=2)
    weight, moment = _integral(fine, piece, press), _integral(fine, piece, press[..., None] * point)
    starts = np.searchsorted(piece, np.arange(piece[-1] + 1))
    for i, strike in enumerate(strikes[: piece[-1]]):
        at, size = starts[i + 1], np.linalg.norm(strike.impulse, axis=1)
        impulse[at:] += strike.impulse
        weight[at:] += size
        moment[at:] += size[:, None] * point[at]
        row = np.flatnonzero((since <= i) & (i < number))
        out["impulse"][row] += strike.impulse
        out["impacts"][row] += (size > 0.0).astype(np.uint32)
    out["force"][:] = _means(out, impulse[rows], force)
    pressed, moved = np.diff(weight[rows], axis=0), np.diff(moment[rows], axis=0)
    out["center"][:] = out["point"]
    on = pressed > 0.0
    out["center"][1:][on] = moved[on] / pressed[on][:, None]
    feet = feet_of(pads)
    for j, foot in enumerate(feet):
        whole = force[:, [k for k, pad in enumerate(pads) if pad.split("/")[0] == foot]].sum(axis=1)
        size = np.linalg.norm(whole, axis=1)
        for i, (a, b) in enumerate(_spans(rows)):
            out["force_peak"][i, j] = whole[a + int(np.argmax(size[a : b + 1]))]


def _integral(fine: dict[str, Any], piece: np.ndarray, series: np.ndarray) -> np.ndarray:
    """The integral of a series up to each row, over smooth pieces."""
    total, done = np.zeros_like(series), np.zeros(series.shape[1:])
    if not series.any():
        return total
    from scipy.integrate import cumulative_simpson  # takes long to load, and many motions need none

    for number in range(piece[-1] + 1):
        at = np.flatnonzero(piece == number)
        total[at] = done
        if len(at) > 1:
            total[at] += cumulative_simpson(series[at], x=fine["time"][at], axis=0, initial=0.0)
        done = total[at[-1]]
    return total


def _means(out: dict[str, Any], total: np.ndarray, instant: np.ndarray) -> np.ndarray:
    """Means since the row before; the first row has the value of its instant."""
    lengths = np.diff(out["time"]).reshape(-1, *[1] * (total.ndim - 1))
    return np.concatenate((instant[:1], np.diff(total, axis=0) / lengths))


def _spans(rows: list[int]) -> list[tuple[int, int]]:
    """From which fine row to which each row reaches."""
    return list(zip([rows[0], *rows[:-1]], rows, strict=True))


def _largest(series: np.ndarray, rows: list[int]) -> np.ndarray:
    return np.array([series[a : b + 1].max(axis=0) for a, b in _spans(rows)])
