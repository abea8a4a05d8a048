"""The figures of Wendlandt and Sastry's paper, from a run of `wendlandt-stand`, in the paper's axes and units."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.workspace import body_poses
from footfall.sim.run import Run
from footfall.view.picture import picture
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
JOINTS = {"hip": ("θ2, θ5", "C0"), "knee": ("θ3, θ6", "C1"), "ankle": ("θ4, θ7", "C2")}
SIDES = {"left": "-", "right": "--"}
TO_PAPER = np.array((-100.0, 100.0, -180.0 / np.pi))  # x backward, in cm; angles the other way round, in degrees


class Series(NamedTuple):
    """Rows of a run as the paper writes them."""

    pose: np.ndarray  # x (cm), z (cm), theta (degrees)
    angles: dict[str, np.ndarray]  # of each joint, degrees
    torques: dict[str, np.ndarray]  # N m


def in_paper_axes(run: Run) -> Series:
    """Turned half round about the vertical, in centimetres and degrees."""
    names = [f"{joint}_{side}" for joint in JOINTS for side in SIDES]
    columns = {name: (run.robot.coordinates.index(name), run.robot.velocities.index(name)) for name in names}
    angles = {name: -np.degrees(run.q[:, j]) for name, (j, _) in columns.items()}
    return Series(body_poses(run) * TO_PAPER, angles, {name: -run.tau[:, d] for name, (_, d) in columns.items()})


def figures(run: Run) -> dict[str, "Figure"]:
    """Figures 1 (the final pose), 4 (pose), 5 (joint angles), 6 (torques) and 7 (path of the body)."""
    series, made = in_paper_axes(run), {"figure1": picture(run.robot, run.q[-1], title="Figure 1: the final pose")}
    figure = made["figure4"] = new_figure(7.5, 5.5)
    figure.suptitle("Figure 4: pose of the body")
    for i, (ax, label) in enumerate(zip(figure.subplots(3, 1, sharex=True), ("x (cm)", "z (cm)", "θ1 (degrees)"), strict=True)):
        ax.plot(run.time, series.pose[:, i], color="black")
        _dress(ax, "time (s)" if i == 2 else "", label)
    made["figure5"] = _of_joints(run, series.angles, "Figure 5: joint angles", "angle (degrees)")
    made["figure6"] = _of_joints(run, series.torques, "Figure 6: joint torques", "torque (N m)")
    figure = made["figure7"] = new_figure(7.5, 5.0)
    ax = figure.subplots()
    ax.plot(series.pose[:, 0], series.pose[:, 1], color="black")
    ax.plot(*series.pose[0, :2], "o", color="C0", label="start")
    ax.plot(*series.pose[-1, :2], "o", color="C3", label="end")
    ax.legend(frameon=False)
    figure.suptitle("Figure 7: path of the body")
    _dress(ax, "x (cm), backward", "z (cm)")
    return made


def _of_joints(run: Run, series: dict[str, np.ndarray], title: str, label: str) -> "Figure":
    figure = new_figure(7.5, 4.5)
    ax = figure.subplots()
    for name, rows in series.items():
        joint, side = name.split("_")
        ax.plot(
            run.time, rows, SIDES[side], color=JOINTS[joint][1], label=f"{JOINTS[joint][0]} {joint}" if side == "left" else None
        )
    ax.legend(frameon=False)
    figure.suptitle(title)
    _dress(ax, "time (s)", label)
    return figure


def _dress(ax: "Axes", across: str, up: str) -> None:
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
