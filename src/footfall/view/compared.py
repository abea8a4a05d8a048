"""Runs of the same study on several engines, drawn over each other."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis import motion
from footfall.errors import StateError
from footfall.sim.run import Run
from footfall.view.look import side_of
from footfall.view.saving import saved
from footfall.view.style import CYCLE, FALL, legend_beside, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES = ("-", "--", ":", "-.")
JOINTS = 2  # of different kinds, whose angles differ most


def compared(runs: Mapping[str, Run], path: str | Path | None = None) -> "Figure":
    """Draw the centre of mass, the force of the ground and the joints that differ most, a line for each engine."""
    if not runs:
        raise StateError("compared takes runs by name, such as {'contact': run, 'mujoco': other}; there are none")
    first = next(iter(runs.values()))
    centers = {name: motion.center_of_mass(run) for name, run in runs.items()}
    columns = _joints(runs)
    figure = new_figure(11.0, 1.0 + 2.0 * (3 + len(columns)))
    axes = list(np.atleast_1d(figure.subplots(3 + len(columns), 1, sharex=True)))
    for (name, run), color, dash in zip(runs.items(), CYCLE * len(runs), DASHES * len(runs), strict=False):
        style = {"color": color, "linestyle": dash, "linewidth": 1.6, "label": name}
        axes[0].plot(run.time, centers[name][:, 0], **style)
        axes[1].plot(run.time, centers[name][:, -1], **style)
        axes[2].plot(run.time, run.force[..., -1].sum(axis=1), **(style | {"linewidth": 1.0}))
        for ax, j in zip(axes[3:], columns, strict=True):
            ax.plot(run.time, run.q[:, j], **style)
        if run.fell:
            _mark_fall(axes, float(run.time[-1]), f"{name} fell")
    labels = ["centre of mass,\nforward (m)", "centre of mass,\nup (m)", "vertical force of\nthe ground (N)"]
    labels += [f"{first.robot.coordinates[j]} ({_unit(first, j)})" for j in columns]
    for ax, label in zip(axes, labels, strict=True):
        ax.set_ylabel(label)
        legend_beside(ax)
    axes[-1].set_xlabel("time (s)")
    title = first.study.name or first.robot.name
    figure.suptitle(f"{title} · {first.robot.name}: {', '.join(f'{name} {run.reason}' for name, run in runs.items())}")
    return saved(figure, path)


def _mark_fall(axes: list["Axes"], time: float, label: str) -> None:
    for ax in axes:
        ax.axvline(time, color=FALL, linewidth=1.0, label=label)


def _joints(runs: Mapping[str, Run]) -> list[int]:
    """Coordinates of hinges and slides that differ most, while both runs last."""
    first, *others = runs.values()
    tree, found = first.robot.tree, {}
    for i, joint in enumerate(first.robot.layout.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            j = int(tree.first_q[i])
            rows = [min(len(first.time), len(run.time)) for run in others]
            gaps = [np.abs(run.q[:n, j] - first.q[:n, j]).max() for run, n in zip(others, rows, strict=True)]
            found[j] = max(gaps, default=0.0)
    chosen: dict[str, int] = {}
    for j in sorted(found, key=lambda j: -found[j]):
        name = first.robot.coordinates[j]
        chosen.setdefault(name.removesuffix(f"_{side_of(name)}"), j)
    return sorted(list(chosen.values())[:JOINTS])


def _unit(run: Run, column: int) -> str:
    tree = run.robot.tree
    kinds = {int(tree.first_q[i]): joint.kind for i, joint in enumerate(run.robot.layout.joints, start=1)}
    return "m" if kinds[column] == "prismatic" else "rad"
