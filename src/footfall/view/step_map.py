"""The step map of a walk beside its limit cycle: where a step leads from starts along a line, and a sequence of steps."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.cycles import LimitCycle
from footfall.cycles.step_map import StepMap
from footfall.errors import FootfallError, StateError, UnknownNameError
from footfall.model.robot import Robot
from footfall.view.saving import saved
from footfall.view.style import CYCLE, GREY, MARK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 61  # starts along a line
RING = 49  # starts around the cycle
SEQUENCE = 8  # steps in a row
REAL = 1e-9  # imaginary part, beside the size, of a multiplier that is real


def step_map(cycle: LimitCycle, coordinate: str | None = None, path: str | Path | None = None, *, far: float = 0.1) -> "Figure":
    """Draw where a step leads, as a function of where it begins, in the direction in which disturbances fade most slowly.

    Where the largest multiplier is real, starts move away from the cycle along its eigenvector, where the slope of the map is
    that multiplier, up to a part `far` of the cycle's own state. Shown is the coordinate with the largest share in it, or
    another of `cycle.names`. The stairs are steps in a row. Where the largest are a complex pair, steps turn about the cycle:
    starts are a ring in the plane of their eigenvectors, and are shown there with where one, two and three steps lead them.
    """
    if not isinstance(cycle, LimitCycle):
        raise StateError(f"this picture is one of a LimitCycle, as limit_cycle finds it, got {cycle!r:.60}")
    if isinstance(far, bool) or not isinstance(far, int | float) or not 0.0 < far <= 10.0:
        raise StateError(f"far, a part of the cycle's own state, must be a number above 0 and at most 10, got {far!r:.40}")
    if coordinate is not None and coordinate not in cycle.names:
        raise UnknownNameError("coordinate of the step map", coordinate, list(cycle.names))
    if not len(cycle.multipliers):
        raise StateError(f"walk {cycle.walk.name!r}: a step forgets all of where it begins, so there is no map to draw")
    figure = new_figure(6.4, 6.8)
    ax = figure.subplots()
    i = int(np.argmax(np.abs(cycle.multipliers)))
    value, way, size = cycle.multipliers[i], cycle.eigenvectors[:, i], far * float(np.linalg.norm(cycle.u))
    stepped = StepMap(cycle.walk, cycle.steps)
    real = abs(value.imag) <= REAL * abs(value)
    if real or coordinate is not None:
        way = np.real(way) if real else np.eye(len(cycle.u))[cycle.names.index(str(coordinate))]
        k = int(np.argmax(np.abs(way))) if coordinate is None else cycle.names.index(coordinate)
        _line(ax, cycle, stepped, size * way / np.linalg.norm(way), k)
    else:
        _ring(ax, cycle, stepped, size * way / np.linalg.norm(way))
    many = "step map" if cycle.steps == 1 else f"map of {cycle.steps} steps"
    pair = f"multiplier {value.real:.3g}" if real else f"multipliers {value.real:.3g} ± {abs(value.imag):.3g}i"
    figure.legend(loc="outside lower center", ncols=2, fontsize="small", frameon=False)
    figure.suptitle(f"{cycle.walk.name}: {many} about its limit cycle, {pair}")
    return saved(figure, path)


def _line(ax: "Axes", cycle: LimitCycle, stepped: StepMap, way: np.ndarray, k: int) -> None:
    """The map along a line, for one coordinate."""
    parts = np.linspace(-1.0, 1.0, POINTS)
    after = np.array([_after(stepped, cycle.u + part * way)[k] for part in parts])
    before = cycle.u[k] + parts * way[k]
    low, high = _range(before, after)
    ax.plot((low, high), (low, high), color=GREY, linewidth=1.0, label="ends as it began")
    ax.plot(before, after, color=CYCLE[0], linewidth=2.2, label="where a step leads")
    if way[k] != 0.0:
        slope = float(cycle.derivative[k] @ way / way[k])
        ends = cycle.u[k] + 0.5 * way[k] * np.array((-1.0, 1.0))
        ax.plot(ends, cycle.u[k] + slope * (ends - cycle.u[k]), "--", color=CYCLE[1], linewidth=1.6, label=f"slope {slope:.3g}")
    walks = parts[np.isfinite(after)]
    if len(walks):
        row = _in_a_row(stepped, cycle.u + 0.8 * walks[np.argmax(np.abs(walks))] * way, SEQUENCE)[:, k]
        stairs = np.repeat(row, 2)
        ax.plot(stairs[:-1], stairs[1:], color=CYCLE[2], linewidth=1.0, label=f"{len(row) - 1} steps in a row")
    ax.plot(cycle.u[k], cycle.u[k], "o", color=MARK, markersize=8, zorder=5, label="limit cycle")
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    unit = _unit(cycle.walk.robot, cycle.names[k])
    ax.set_xlabel(f"{cycle.names[k]} as a step begins ({unit})")
    ax.set_ylabel(f"and as the next begins ({unit})")


def _ring(ax: "Axes", cycle: LimitCycle, stepped: StepMap, way: np.ndarray) -> None:
    """A ring of starts in the plane of a complex pair, and what steps make of it."""
    plane = np.column_stack((np.real(way), -np.imag(way)))
    angles = np.linspace(0.0, 2.0 * np.pi, RING)
    starts = [cycle.u + plane @ (np.cos(t), np.sin(t)) for t in angles]
    rows = [_in_a_row(stepped, start, SEQUENCE if j == 0 else 3) for j, start in enumerate(starts)]

    def shown(points: Any) -> np.ndarray:
        return np.linalg.lstsq(plane, (np.array(points) - cycle.u).T, rcond=None)[0]

    for n, name in enumerate(("starts", "after one step", "after two steps", "after three steps")):
        ring = [row[n] if len(row) > n else np.full(len(cycle.u), np.nan) for row in rows]
        ax.plot(*shown_or_gap(shown, ring), color=CYCLE[0], alpha=1.0 - 0.22 * n, linewidth=2.2 - 0.4 * n, label=name)
    ax.plot(*shown(rows[0]), "o-", color=CYCLE[1], linewidth=1.0, markersize=4, label=f"{len(rows[0]) - 1} steps in a row")
    ax.plot(0.0, 0.0, "o", color=MARK, markersize=8, zorder=5, label="limit cycle")
    ax.set_aspect("equal")
    ax.set_xlabel("part of the ring, along the eigenvector's real part")
    ax.set_ylabel("and along its imaginary part")


def shown_or_gap(shown: Any, ring: list[np.ndarray]) -> np.ndarray:
    """Points of a ring in its plane, with gaps where no step was made."""
    points = np.full((2, len(ring)), np.nan)
    for j, u in enumerate(ring):
        if np.isfinite(u).all():
            points[:, j] = shown([u])[:, 0]
    return points


def _in_a_row(stepped: StepMap, u: np.ndarray, steps: int) -> np.ndarray:
    """Where steps lead, one after the other, as long as it walks."""
    row = [u]
    for _ in range(steps):
        u = _after(stepped, u)
        if not np.isfinite(u).all():
            break
        row.append(u)
    return np.array(row)


def _after(stepped: StepMap, u: np.ndarray) -> np.ndarray:
    """Where a step leads; nowhere if it is none."""
    try:
        return stepped(u).u
    except FootfallError:
        return np.full(len(u), np.nan)


def _range(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    values = np.concatenate((before, after[np.isfinite(after)]))
    margin = 0.04 * max(float(np.ptp(values)), 1e-12)
    return float(values.min()) - margin, float(values.max()) + margin


def _unit(robot: Robot, name: str) -> str:
    coordinate = name.removeprefix("rate of ")
    lengths = {joint.name for joint in robot.joints if joint.kind == "prismatic"}
    plain = "m" if coordinate in lengths or coordinate.endswith((".x", ".y", ".z")) else "rad"
    return f"{plain}/s" if coordinate != name else plain
