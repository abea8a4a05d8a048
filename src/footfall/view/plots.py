"""Plots of a run over time, with units; pushes are shaded, a fall is a red line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import analysis
from footfall.analysis import motion
from footfall.engines.series import MODES
from footfall.errors import StateError, UnknownNameError
from footfall.sim.run import Run
from footfall.view.picture import SIDES, draw
from footfall.view.saving import saved
from footfall.view.stroboscope import outline
from footfall.world import Terrain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OTHERS = ("#4f8f3a", "#8064a2", "#d98a1f", "#3f8f8f", "#7f7f7f")
MODE_COLORS = {"stick": "#3f7f5f", "slide": "#e08214"}
UNSEEN = 1e-6  # of the energy exchanged: work too small to draw
FROZEN = 7  # configurations in the picture of the overview
FAR = 4.0  # heights of the centre of mass: as much of the way is drawn
PER_COLUMN = 14  # names in one column of a legend


def plot(run: Run, what: str = "overview", path: str | Path | None = None) -> "Figure":
    """Draw an aspect of a run (see PLOTS and STATES) as a figure of matplotlib; save it where `path` says."""
    from matplotlib.figure import Figure

    if not isinstance(run, Run):
        raise StateError(f"plots are made of a Run, got {run!r:.60}")
    known = PLOTS | STATES
    if not isinstance(what, str) or what not in known:
        raise UnknownNameError("plot", what, known)
    motion.check_rows(run)
    heights, draw_all = known[what]
    if what == "pressure" and run.robot.dim == 2:
        heights = heights[1:]
    figure = Figure(figsize=(11.0, 1.0 + 2.3 * sum(heights)), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(len(heights), 1, height_ratios=heights)))
    draw_all(run, axes)
    name = f"{run.study.name} · " if run.study.name not in ("", run.robot.name) else ""
    figure.suptitle(f"{name}{run.robot.name}: {what} · {run.reason}")
    return saved(figure, path)


# --- the aspects ----------------------------------------------------------------------------------------------------------


def _overview(run: Run, axes: list["Axes"]) -> None:
    top, body, ground, gait = axes
    center = motion.center_of_mass(run)
    rows = _poses(center)
    draw(run.robot, run.q[rows], top)
    _draw_ground(run, top)
    if rows[0] > 0:
        top.set_title(f"the last {run.time[-1] - run.time[rows[0]]:.3g} s", fontsize="medium")
    for i, axis in enumerate("xz" if run.robot.dim == 2 else "xyz"):
        body.plot(run.time, center[:, i] - center[0, i], color=OTHERS[i], label=f"{axis}, from {center[0, i]:.3f} m")
    _forces(run, ground)
    _gait(run, gait, motion.feet(run))
    _dress(run, body, "displacement of the\ncentre of mass (m)", first=True)
    _dress(run, ground, "vertical force (N)")
    _dress(run, gait, None, last=True)


def _poses(center: np.ndarray) -> np.ndarray:
    """Rows of a run to be drawn: spread over its end, as far as a robot can be seen in the picture."""
    reach = FAR * max(float(np.ptp(center[:, -1])), float(abs(center[0, -1])))
    away = np.flatnonzero(abs(center[:, 0] - center[-1, 0]) > max(reach, 1e-9))
    first = away[-1] + 1 if len(away) and reach > 0.0 else 0
    return np.unique(np.linspace(first, len(center) - 1, FROZEN).round().astype(int))


def _moving(run: Run) -> tuple[list[tuple[int, Any, dict[str, Any]]], bool]:
    """The hinges and slides, each with its body and style, and whether any slides."""
    joints = enumerate(run.robot.layout.joints, start=1)
    moving = [(i, joint) for i, joint in joints if joint.kind in ("revolute", "prismatic")]
    styles = _joint_styles([joint.name for _, joint in moving])
    slides = any(joint.kind == "prismatic" for _, joint in moving)
    return [(i, joint, style) for (i, joint), style in zip(moving, styles, strict=True)], slides


def _angles(run: Run, ax: "Axes") -> None:
    moving, slides = _moving(run)
    for i, joint, style in moving:
        ax.plot(run.time, run.q[:, run.robot.tree.first_q[i]], label=joint.name, **style)
    _dress(run, ax, "angle (rad; m where it slides)" if slides else "angle (rad)", first=True)


def _joints(run: Run, axes: list["Axes"]) -> None:
    moving, slides = _moving(run)
    _angles(run, axes[0])
    for i, joint, style in moving:
        v = run.robot.tree.first_v[i]
        axes[1].plot(run.time, run.v[:, v], label="_" + joint.name, **style)
        if v in run.robot.actuated:
            axes[2].plot(run.time, run.tau_mean[:, v], label="_" + joint.name, **style)
    _dress(run, axes[1], "rate (rad/s; m/s)" if slides else "rate (rad/s)")
    _dress(run, axes[2], "mean motor (N m; N)" if slides else "mean motor torque (N m)", last=True)


def _contacts(run: Run, axes: list["Axes"]) -> None:
    normal, across, slid, modes = axes
    _forces(run, normal)
    for foot, style in _foot_styles(run).items():
        force = run.force[:, run.of(foot), :-1].sum(axis=1)
        for i, axis in enumerate("x" if run.robot.dim == 2 else "xy"):
            across.plot(run.time, force[:, i], linestyle=("-", "--")[i], label=f"{foot}, {axis}", **style)
        slid.plot(run.time, 1e3 * run.slip[:, run.of(foot)].max(axis=1), label=foot, **style)
    touched = np.asarray(run.mode.any(axis=0))
    _gait(run, modes, [pad for pad, did in zip(run.pads, touched, strict=True) if did])
    _dress(run, normal, "vertical force (N)", first=True)
    _dress(run, across, "level force (N)")
    _dress(run, slid, "slid so far (mm)")
    _dress(run, modes, None, last=True)


def _energy(run: Run, axes: list["Axes"]) -> None:
    book = analysis.ledger(run)
    for name, color in zip(("kinetic", "potential", "springs", "energy"), (*OTHERS[:3], "black"), strict=True):
        series = getattr(book, name)
        if np.any(series):
            axes[0].plot(run.time, series - series[0], color=color, label="together" if name == "energy" else name)
    for (name, series), color in zip(book.work.items(), (*OTHERS, "#1f5fa8", "#c0504d", "black"), strict=False):
        if np.abs(series).max() > UNSEEN * book.exchanged:
            axes[1].plot(run.time, series, color=color, label=name)
    axes[2].plot(
        run.time, book.residual, color="black", label=f"{100 * book.relative:.2g} % of\n{book.exchanged:.3g} J exchanged"
    )
    _dress(run, axes[0], "change of energy (J)", first=True)
    _dress(run, axes[1], "work so far (J)")
    _dress(run, axes[2], "residual (J)", last=True)


def _pressure(run: Run, axes: list["Axes"]) -> None:
    found = analysis.pressure(run)
    hulls = [analysis.support(run, i) for i in range(len(run.time))]
    tracks = {"zero-moment point": (found.zmp, OTHERS[2], "-"), "centre of pressure": (found.cop, "black", "--")}
    for i, axis in enumerate("x" if run.robot.dim == 2 else "xy"):
        edges = np.array([(hull[:, i].min(), hull[:, i].max()) if len(hull) else (np.nan, np.nan) for hull in hulls])
        axes[i].fill_between(run.time, *edges.T, color="0.88", label="support")
        for name, (track, color, line) in tracks.items():
            axes[i].plot(run.time, _gaps(track.place[:, i], track.valid), color=color, linestyle=line, label=name)
        _dress(run, axes[i], f"{axis} (m)", first=i == 0)
    margins = (found.zmp_margin, found.cop_margin)
    for (name, (track, color, line)), series in zip(tracks.items(), margins, strict=True):
        axes[-1].plot(run.time, _gaps(1e3 * series, track.valid), color=color, linestyle=line, label=name)
    axes[-1].axhline(0.0, color="0.5", linewidth=0.8)
    _dress(run, axes[-1], "margin to the edge (mm)", last=True)


def _states(run: Run, axes: list["Axes"]) -> None:
    """Joint angles, and below them the named states of the controller as bands, each with its name where there is room."""
    columns = analysis.state_columns(run)
    _angles(run, axes[0])
    whole = max(run.time[-1] - run.time[0], run.study.record_dt)
    shown: dict[str, Any] = {}
    for row, column in enumerate(columns):
        names = analysis.state_names(run, column)
        for name in dict.fromkeys(names):
            color = shown.setdefault(name, f"C{len(shown) % 10}")
            for start, length in _spans(run, names == name):
                axes[1].broken_barh([(start, length)], (row - 0.4, 0.8), color=color, alpha=0.55, linewidth=0)
                if length > (0.012 * len(name) + 0.01) * whole:
                    axes[1].text(start + length / 2, row, name, ha="center", va="center", fontsize="small", clip_on=True)
    for name, color in shown.items():
        axes[1].broken_barh([], (0, 0), color=color, alpha=0.55, label=name)
    axes[1].set_yticks(range(len(columns)), [column.removeprefix("controller.").replace("state.", "") for column in columns])
    axes[1].set_ylim(len(columns) - 0.5, -0.5)
    _dress(run, axes[1], None, last=True)


PLOTS: dict[str, tuple[tuple[float, ...], Callable[[Run, list[Any]], None]]] = {
    "overview": ((1.8, 1.0, 1.0, 0.6), _overview),
    "joints": ((1.2, 1.0, 1.0), _joints),
    "contacts": ((1.0, 1.0, 0.7, 1.0), _contacts),
    "energy": ((1.2, 1.2, 0.7), _energy),
    "pressure": ((1.2, 1.2, 0.9), _pressure),
}
STATES = {"states": ((1.4, 1.0), _states)}  # of runs that recorded states with names


def plots_of(run: Run) -> tuple[str, ...]:
    """The plots that a run has."""
    return (*PLOTS, *(STATES if run.labels else ()))


# --- what they share ------------------------------------------------------------------------------------------------------


def _dress(run: Run, ax: "Axes", label: str | None, first: bool = False, last: bool = False) -> None:
    """Pushes, the fall, limits, labels, and a legend to the right; the first of the axes names pushes and fall."""
    for number, push in enumerate(run.study.world.pushes):
        if push.start < run.time[-1]:
            name = "push" if first and number == 0 else "_push"
            ax.axvspan(push.start, min(push.end, run.time[-1]), color="#f4d35e", alpha=0.35, linewidth=0, zorder=0, label=name)
    for event in run.happened("fall"):
        ax.axvline(event.time, color="red", linewidth=1.5, label=f"fall: {event.which}" if first else "_fall")
    begin, end = run.time[0], max(run.time[-1], run.events[-1].time if run.events else 0.0)
    ax.set_xlim(begin, end if end > begin else begin + run.study.record_dt)
    if label:
        ax.set_ylabel(label)
        ax.ticklabel_format(axis="y", scilimits=(-3, 4))
    ax.set_xlabel("time (s)" if last else "")
    ax.tick_params(labelbottom=last)
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    handles, names = ax.get_legend_handles_labels()
    if handles:
        columns = 1 + (len(names) - 1) // PER_COLUMN
        beside = 1.07 if label == "vertical force (N)" and len(ax.get_shared_x_axes().get_siblings(ax)) > 1 else 1.0
        ax.legend(loc="center left", bbox_to_anchor=(beside, 0.5), fontsize="small", frameon=False, ncols=columns)


def _foot_styles(run: Run) -> dict[str, dict[str, Any]]:
    """The second of two feet is a thin line, which leaves a first one below it to be seen."""
    names = motion.feet(run)
    spare = [color for _ in names for color in OTHERS]
    return {name: {"color": SIDES.get(_side(name)) or spare.pop(0), **_weight(i % 2)} for i, name in enumerate(names)}


def _joint_styles(names: Sequence[str]) -> list[dict[str, Any]]:
    """Joints of one kind share a colour; the second side is thin and dashed."""
    kinds = list(dict.fromkeys(name.removesuffix(f"_{_side(name)}") for name in names))
    seen, styles = set(), []
    for name in names:
        kind = name.removesuffix(f"_{_side(name)}")
        again = kind in seen
        styles.append({"color": f"C{kinds.index(kind) % 10}", "linestyle": "--" if again else "-", **_weight(again)})
        seen.add(kind)
    return styles


def _weight(second: bool | int) -> dict[str, Any]:
    return {"linewidth": 1.3} if second else {"linewidth": 3.0, "alpha": 0.6}


def _side(name: str) -> str:
    end = name.rpartition("_")[2]
    return end if end in SIDES else ""


def _forces(run: Run, ax: "Axes") -> None:
    """Vertical forces of the feet: means since the row before without impacts, peaks as bands, impacts as stems; the weight."""
    dt = np.diff(run.time, prepend=np.nan)[:, None]
    smooth = run.force[..., -1] - np.nan_to_num(run.impulse[..., -1] / dt)
    stems = ax.twinx() if run.impulse[..., -1].any() else None
    for j, (foot, style) in enumerate(_foot_styles(run).items()):
        mean, color = smooth[:, run.of(foot)].sum(axis=1), style["color"]
        peak = np.maximum(mean, run.force_peak[:, j, -1])
        ax.fill_between(run.time, mean, peak, step="pre", color=color, alpha=0.2, linewidth=0)
        ax.plot(run.time, mean, label=foot, **style)
        impulse = run.impulse[:, run.of(foot), -1].sum(axis=1)
        hit = np.flatnonzero(impulse)
        if stems is not None and len(hit):
            stems.vlines(run.time[hit], 0.0, impulse[hit], color=color, linewidth=1.0, linestyle="--")
            stems.plot(run.time[hit], impulse[hit], "v", color=color, markersize=4)
    ax.fill_between([], [], [], color="0.5", alpha=0.2, label="up to the peak")
    ax.axhline(0.0, color="0.8", linewidth=0.8)
    ax.plot(run.time, motion.mass(run) * motion.gravity(run), ":", color="0.4", label="weight")
    if stems is not None:
        ax.plot([], [], "v--", color="0.5", markersize=4, linewidth=1.0, label="impacts (N s)")
        _same_zero(ax, stems)
        stems.set_ylabel("impulse (N s)", fontsize="small")
        stems.tick_params(labelsize="small", labelbottom=False)


def _same_zero(ax: "Axes", other: "Axes") -> None:
    """Let the zero of both axes be at the same height."""
    low, high = ax.get_ylim()
    top = max(other.get_ylim()[1], 1e-12)
    other.set_ylim(top * low / high, top)


def _gait(run: Run, ax: "Axes", names: Sequence[str]) -> None:
    """Bars while feet or pads touch."""
    for row, name in enumerate(names):
        pads = run.of(name) if name not in run.pads else [run.pads.index(name)]
        mode = run.mode[:, pads].max(axis=1) if pads else np.zeros(len(run.time))
        for kind, color in MODE_COLORS.items():
            spans = _spans(run, mode == MODES.index(kind))
            ax.broken_barh(spans, (row - 0.35, 0.7), color=color, linewidth=0, label="_" if row else f"{kind}s")
    ax.set_yticks(range(len(names)), names, fontsize="small" if len(names) > 6 else "medium")
    ax.set_ylim(-0.6, max(len(names), 1) - 0.4)
    ax.invert_yaxis()


def _spans(run: Run, on: np.ndarray) -> list[tuple[float, float]]:
    """(start, length) of the rows that are on; a row lasts until the next."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(int), [0]))))
    times = np.append(run.time, run.time[-1])
    return [(float(times[a]), float(times[b] - times[a])) for a, b in edges.reshape(-1, 2)]


def _draw_ground(run: Run, ax: "Axes") -> None:
    """Beyond both ends of the axes, which become wider to show lengths alike; as an artist it does not change them itself."""
    from matplotlib.lines import Line2D

    low, high = ax.get_xlim()
    world = run.study.world
    later = [change.terrain for change in world.changes if change.terrain and change.at < run.time[-1]]
    later += [each.value for each in run.study.settings if isinstance(each.value, Terrain) and each.time < run.time[-1]]
    for ground in (world.terrain, *later):
        x, z = outline(ground, low - 5.0, high + 5.0, 2000)
        ax.add_artist(Line2D(x, z, color="#6b4f2a", linewidth=1.5, alpha=1.0 if ground is world.terrain else 0.4, zorder=0))


def _gaps(series: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """A series that is not drawn where it means nothing."""
    return np.ma.masked_array(series, ~valid)
