"""Charts by name, from the last rows of a motion: numbers to draw, with labels and units."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall import analysis
from footfall.analysis.cost import instantaneous_cost
from footfall.engines.engine import BODY
from footfall.engines.series import LEDGER
from footfall.errors import FootfallError, UnknownNameError
from footfall.sim.run import Run
from footfall.view.style import CYCLE

MOST = 9  # lines in a chart
POINTS = 500  # of a line: charts have at most twice as many
SPAN = 6.0  # s that are shown


class Chart(NamedTuple):
    """Lines over time."""

    time: np.ndarray
    lines: dict[str, np.ndarray]
    unit: str

    def thin(self) -> "Chart":
        """With hardly more rows than can be seen: of each piece of time, those where a line is least or largest. So the peaks of
        what is drawn are those of the run.
        """
        rows = len(self.time)
        if rows <= POINTS:
            return self
        size = math.ceil(rows * (1 + len(self.lines)) / POINTS)  # rows in a piece
        first = np.arange(0, rows, size)
        kept = [np.array((0, rows - 1))]
        for line in self.lines.values():
            for signed in (line, -line):
                padded = np.full(len(first) * size, np.inf)
                padded[:rows] = np.where(np.isnan(signed), np.inf, signed)
                kept.append(first + padded.reshape(-1, size).argmin(axis=1))
        seen = np.unique(np.concatenate(kept))
        return Chart(self.time[seen], {name: line[seen] for name, line in self.lines.items()}, self.unit)


def _joints(run: Run) -> list[int]:
    """Degrees of freedom that are joints with a motor; all but the base where there is none."""
    driven = list(run.robot.actuated)
    base = [i for i, name in enumerate(run.robot.velocities) if name.startswith("base.")]
    return driven or [i for i in range(run.robot.nv) if i not in base]


def _angles(run: Run) -> Chart:
    names = [run.robot.velocities[d] for d in _joints(run)]
    known = list(run.robot.coordinates)
    return Chart(run.time, {name: run.q[:, known.index(name)] for name in names if name in known}, "rad, m")


def _rates(run: Run) -> Chart:
    return Chart(run.time, {run.robot.velocities[d]: run.v[:, d] for d in _joints(run)}, "rad/s, m/s")


def _torques(run: Run) -> Chart:
    return Chart(run.time, {run.robot.velocities[d]: run.tau_mean[:, d] for d in _joints(run)}, "N m, N")


def _body(run: Run) -> Chart:
    names = list(run.robot.coordinates)[: 3 if run.robot.dim == 2 else 7]
    return Chart(
        run.time, {name: run.q[:, i] for i, name in enumerate(names) if not name.endswith(("base.x", "base.y"))}, "m, rad"
    )


def _speed(run: Run) -> Chart:
    center = analysis.motion.center_of_mass(run)
    if len(run.time) < 2:
        return Chart(run.time, {}, "m/s")
    rates = np.gradient(center, run.time, axis=0)
    return Chart(run.time, {f"v {axis}": rates[:, i] for i, axis in enumerate("xz" if run.robot.dim == 2 else "xyz")}, "m/s")


def _forces(run: Run) -> Chart:
    names = dict.fromkeys(pad.split("/")[0] for pad in run.pads)
    forces = {name: run.force[:, run.of(name), -1].sum(axis=1) for name in names}
    return Chart(
        run.time, {name: f for name, f in forces.items() if BODY not in name or f.any()}, "N, vertical"
    )  # links that touch


def _energy(run: Run) -> Chart:
    lines = {name: run.ledger[:, i] - run.ledger[0, i] for i, name in enumerate(LEDGER)}
    energies = analysis.motion.energies(run)
    total = energies.sum(axis=1) if energies.ndim > 1 else energies
    return Chart(
        run.time, {"mechanical energy": total - total[0]} | {k: v for k, v in lines.items() if v.any()}, "J since the left edge"
    )


def _cost(run: Run) -> Chart:
    """At every instant, and of all that is shown; infinite where the robot does not move."""
    cost, mean = np.zeros(len(run.time)), 0.0
    if len(run.time) > 2:
        cost, mean = instantaneous_cost(run), float(np.nan_to_num(analysis.cost_of_transport(run).total, nan=np.inf))
    lines = {"instantaneous": cost, "of all that is shown": np.full(len(cost), mean)}
    return Chart(run.time, {name: np.clip(line, 0.0, 5.0) for name, line in lines.items()}, "1, at most 5")


def _states(run: Run) -> Chart:
    return Chart(
        run.time, {name.split(".", 1)[1]: run.more[name].astype(float) for name in run.labels if name in run.more}, "state"
    )


CHARTS: dict[str, Callable[[Run], Chart]] = {
    "joint angles": _angles,
    "joint rates": _rates,
    "torques": _torques,
    "body pose": _body,
    "speed of the centre of mass": _speed,
    "ground forces": _forces,
    "energy": _energy,
    "instantaneous cost of transport": _cost,
    "controller states": _states,
}


def chart(run: Run, what: str, columns: Sequence[str] = ()) -> Chart:
    """A chart by its name, or columns of the run by theirs."""
    if columns:
        known = run.columns()
        for name in columns:
            if name not in known:
                raise UnknownNameError("column (of this run)", name, known)
        found = Chart(run.time, {name: known[name].astype(float) for name in columns}, "")
    elif what in CHARTS:
        found = CHARTS[what](run)
    else:
        raise UnknownNameError("chart", what, CHARTS)
    lines = dict(list(found.lines.items())[:MOST]) or {"nothing": np.zeros(len(found.time))}
    return Chart(found.time, lines, found.unit).thin()


def step_table(run: Run) -> str:
    """The last steps as a table in Markdown."""
    try:
        found = analysis.steps(run)
    except FootfallError as error:
        return str(error)
    head = "| foot | at s | length m | duration s | speed m/s |\n|---|---|---|---|---|\n"
    rows = [f"| {s.foot} | {s.time:.2f} | {s.length:.3f} | {s.duration:.3f} | {s.speed:.3f} |" for s in found.rows[-8:]]
    return head + "\n".join(rows) + f"\n\n{len(found.rows)} steps in the last {run.time[-1] - run.time[0]:.0f} s"


def state_text(run: Run) -> str:
    """The states of the controllers by name, as they are in the last row."""
    found = []
    for name, labels in run.labels.items():
        value = int(run.more[name][-1])
        found.append(f"{name.removeprefix('controller.')}: **{labels[value] if 0 <= value < len(labels) else value}**")
    return "  \n".join(found)


def series_of(found: Chart) -> tuple[dict[str, Any], ...]:
    """How lines look, for the page."""
    return (
        {"label": "s"},
        *({"label": name, "stroke": CYCLE[i % len(CYCLE)], "width": 1.5} for i, name in enumerate(found.lines)),
    )
