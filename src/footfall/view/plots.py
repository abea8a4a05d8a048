"""Plots of a run over time, with units; pushes are shaded, a fall is a red line, triangles are touch-downs, ticks impacts."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall import analysis
from footfall.analysis import motion
from footfall.errors import StateError, UnknownNameError
from footfall.sim.run import Run
from footfall.view.footprints import draw_way
from footfall.view.look import LEFT, RIGHT, extent
from footfall.view.picture import draw
from footfall.view.saving import saved
from footfall.view.stroboscope import outline
from footfall.view.style import AMBER, CYCLE, OTHERS, legend_beside, new_figure
from footfall.view.timeline import Timeline, foot_styles, forces, gait_bars, joint_styles, say, spans
from footfall.world import Terrain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNSEEN = 1e-6  # of the energy exchanged: work too small to draw
FROZEN = 7  # configurations in the picture of the overview
FAR = 4.0  # robot's heights: as much of the way is drawn with poses
GROUND = "#6b4f2a"
MOVING = ("revolute", "prismatic", "spherical")


def plot(
    run: Run, what: str = "overview", path: str | Path | None = None, *, between: tuple[float, float] | None = None
) -> "Figure":
    """Draw an aspect of a run (see PLOTS and STATES), also `between` two times (s), as a figure; save it where `path` says.

    The ending of the path says the format: png, or as vectors svg or pdf.
    """
    if not isinstance(run, Run):
        raise StateError(f"plots are made of a Run, got {run!r:.60}")
    known = PLOTS | STATES
    if not isinstance(what, str) or what not in known:
        raise UnknownNameError("plot", what, known)
    motion.check_rows(run)
    line = Timeline(run, _checked(run, between))
    heights, draw_all = known[what]
    if what == "pressure" and run.robot.dim == 2:
        heights = heights[1:]
    if what == "overview" and not _is_long(line):
        heights = heights[1:]
    figure = new_figure(11.0, 1.0 + 2.3 * sum(heights))
    axes = list(np.atleast_1d(figure.subplots(len(heights), 1, height_ratios=heights)))
    draw_all(line, axes)
    name = f"{run.study.name} · " if run.study.name not in ("", run.robot.name) else ""
    figure.suptitle(f"{name}{run.robot.name}: {what} · {run.reason}")
    return saved(figure, path)


def _checked(run: Run, between: Any) -> tuple[float, float] | None:
    if between is None:
        return None
    first, last = float(run.time[0]), float(run.time[-1])
    try:
        begin, end = (float(each) for each in between)
    except (TypeError, ValueError):
        raise StateError(f"between must be two times in s, such as (5, 7), got {between!r:.60}") from None
    if not first <= begin < end or begin >= last:
        raise StateError(f"between must be two times in their order, from {first:g} to {last:g} s, got {begin:g} and {end:g}")
    return begin, min(end, last)


# --- the aspects ----------------------------------------------------------------------------------------------------------


def _is_long(line: Timeline) -> bool:
    """Whether a walk goes farther than poses can be drawn."""
    way = motion.center_of_mass(line.run)[:, :-1]
    return float(np.linalg.norm(way - way[-1], axis=1).max()) > FAR * extent(line.run.robot)


def _overview(line: Timeline, axes: list["Axes"]) -> None:
    """The whole way above; poses, forces and bars of some strides below it."""
    run = line.run
    *above, top, body, ground, gait = axes
    rows = _poses(line)
    shown = line.within(float(run.time[rows[0]]), float(run.time[rows[-1]])) if above and not line.asked else line
    draw(run.robot, run.q[rows], top, way=run.q[rows[0] : rows[-1] + 1])
    _draw_ground(run, top)
    legend_beside(top)
    if above:
        _way(line, above[0], rows)
        top.set_title(f"poses from {run.time[rows[0]]:.3g} to {run.time[rows[-1]]:.3g} s")
    velocity = _velocity(run)
    for i, axis in enumerate("xz" if run.robot.dim == 2 else "xyz"):
        body.plot(run.time, velocity[:, i], color=OTHERS[i], label=axis)
    if above and not line.asked:
        body.axvspan(*shown.span, color="0.93", linewidth=0, zorder=0)
    forces(run, ground)
    gait_bars(run, gait, motion.feet(run))
    line.dress(body, "velocity of the\ncentre of mass (m/s)", first=True, last=shown is not line, marks=shown is line)
    shown.dress(ground, "vertical force (N)")
    shown.dress(gait, None, last=True)


def _way(line: Timeline, ax: "Axes", rows: np.ndarray) -> None:
    """The way of the whole run: in the plane the ground and the centre of mass, in space footprints from above."""
    run = line.run
    center = motion.center_of_mass(run)
    if run.robot.dim == 3:
        draw_way(run, ax)
        ax.set_ylabel("y left (m)")
        window = center[rows[0] : rows[-1] + 1]
        ax.plot(window[:, 0], window[:, 1], color=AMBER, linewidth=4.0, alpha=0.5, zorder=1, label="shown below")
    else:
        pad = 0.5 * extent(run.robot)
        x, z = outline(run.study.world.terrain, center[:, 0].min() - pad, center[:, 0].max() + pad, 1500)
        ax.plot(x, z, color=GROUND, linewidth=1.5, label="ground")
        ax.plot(center[:, 0], center[:, 1], color="black", linewidth=1.0, label="centre of mass")
        ax.axvspan(*sorted((center[rows[0], 0], center[rows[-1], 0])), color="0.93", linewidth=0, zorder=0, label="shown below")
        for foot, style in foot_styles(run).items():
            at = [step.place for step in analysis.steps(run).rows if step.foot == foot]
            if at:
                ax.plot(*np.array(at).T, linestyle="", marker="^", color=style["color"], markersize=4, label=foot)
        ax.set_xlim(x[0], x[-1])
        ax.set_ylabel("z up (m)")
    ax.set_xlabel("x forward (m)")
    ax.set_title("the whole way")
    legend_beside(ax)


def _velocity(run: Run) -> np.ndarray:
    """Velocity of the centre of mass, from the momentum."""
    return motion.momentum(run)[:, : run.robot.dim] / motion.mass(run)[:, None]


def _poses(line: Timeline) -> np.ndarray:
    """Rows of a run to be drawn: spread over the end of the span, as far as a robot can be seen in the picture."""
    run, rows = line.run, line.rows
    center = motion.center_of_mass(run)[rows]
    away = np.flatnonzero(np.linalg.norm(center[:, :-1] - center[-1, :-1], axis=1) > FAR * extent(run.robot))
    first = away[-1] + 1 if len(away) else 0
    return rows[np.unique(np.linspace(first, len(rows) - 1, FROZEN).round().astype(int))]


def _gait(line: Timeline, axes: list["Axes"]) -> None:
    """The gait diagram: bars while feet touch, with the duty factor of each; how many stand; and each step's duration."""
    run = line.run
    bars, count, pace = axes
    feet = motion.feet(run)
    gait_bars(run, bars, feet)
    found = analysis.steps(run) if feet else None
    duty = [f"{name}\n{100 * found.duty[name]:.0f} % duty" if found else name for name in feet]
    bars.set_yticks(range(len(feet)), duty)
    standing = sum((run.mode[:, run.of(foot)].any(axis=1).astype(int) for foot in feet), np.zeros(len(run.time), dtype=int))
    count.step(run.time, standing, where="post", color="0.3", linewidth=1.2)
    count.fill_between(run.time, standing, step="post", color="0.3", alpha=0.15, linewidth=0)
    for foot, style in foot_styles(run).items():
        mine = [step for step in (found.rows if found else ()) if step.foot == foot]
        pace.plot([step.time for step in mine], [step.duration for step in mine], "o-", markersize=4, label=foot, **style)
    if not feet:
        say(pace, "no feet, no steps")
    line.dress(bars, None, first=True)
    line.dress(count, "feet that stand (1)", marks=False)
    count.set_ylim(-0.1, max(len(feet), 1) + 0.2)
    line.dress(pace, "duration of a step (s)", last=True, marks=False)


class Track(NamedTuple):
    """A coordinate over time: of a hinge or slide, or one entry of the rotation vector of a ball joint, in its own axes."""

    name: str
    d: int  # its degree of freedom
    place: np.ndarray  # (rows,)
    style: dict[str, Any]


def _moving(run: Run) -> tuple[list[Track], bool]:
    """The coordinates of all joints but free ones, and whether any slides."""
    joints = [each for each in enumerate(run.robot.layout.joints, start=1) if each[1].kind in MOVING]
    styles, tracks, tree = joint_styles([joint.name for _, joint in joints]), [], run.robot.tree
    for (i, joint), style in zip(joints, styles, strict=True):
        q, d = tree.first_q[i], int(tree.first_v[i])
        if joint.kind == "spherical":
            turns = _rotation_vectors(run.q[:, q : q + 4])
            names = [f"{joint.name} {axis}" for axis in "xyz"]
            dashes = [{"linestyle": dash} if style["linestyle"] == "-" else {} for dash in ("-", "-.", ":")]
            widths = [{}, *({"linewidth": 1.3} for _ in range(2))]
            tracks += [Track(names[k], d + k, turns[:, k], style | dashes[k] | widths[k]) for k in range(3)]
        else:
            tracks.append(Track(joint.name, d, run.q[:, q], style))
    return tracks, any(joint.kind == "prismatic" for _, joint in joints)


def _rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """Of rows of quaternions, without jumps where they pass half a turn."""
    angle = 2.0 * np.arctan2(np.linalg.norm(quaternions[:, 1:], axis=1), quaternions[:, 0])
    angle = np.where(angle > np.pi, angle - 2.0 * np.pi, angle)
    half = np.sin(0.5 * angle)
    per = np.where(np.abs(half) > 1e-9, angle / np.where(half == 0.0, 1.0, half), 2.0)
    return per[:, None] * quaternions[:, 1:]


def _angles(line: Timeline, ax: "Axes") -> None:
    run = line.run
    moving, slides = _moving(run)
    for track in moving:
        ax.plot(run.time, track.place, label=track.name, **track.style)
    if not moving:
        say(ax, "no hinges, slides or ball joints")
    line.dress(ax, "angle (rad; m where it slides)" if slides else "angle (rad)", first=True)


def _joints(line: Timeline, axes: list["Axes"]) -> None:
    run = line.run
    moving, slides = _moving(run)
    _angles(line, axes[0])
    for track in moving:
        axes[1].plot(run.time, run.v[:, track.d], label="_" + track.name, **track.style)
        if track.d in run.robot.actuated:
            axes[2].plot(run.time, run.tau_mean[:, track.d], label="_" + track.name, **track.style)
    if not len(run.robot.actuated):
        say(axes[2], "no motors")
    line.dress(axes[1], "rate (rad/s; m/s)" if slides else "rate (rad/s)")
    line.dress(axes[2], "mean motor (N m; N)" if slides else "mean motor torque (N m)", last=True)


def _contacts(line: Timeline, axes: list["Axes"]) -> None:
    run = line.run
    normal, across, slid, modes = axes
    forces(run, normal)
    for foot, style in foot_styles(run).items():
        force = run.force[:, run.of(foot), :-1].sum(axis=1)
        for i, axis in enumerate("x" if run.robot.dim == 2 else "xy"):
            across.plot(run.time, force[:, i], linestyle=("-", "--")[i], label=f"{foot}, {axis}", **style)
        slid.plot(run.time, 1e3 * run.slip[:, run.of(foot)].max(axis=1), label=foot, **style)
    touched = np.asarray(run.mode.any(axis=0))
    gait_bars(run, modes, [pad for pad, did in zip(run.pads, touched, strict=True) if did])
    for ax in (across, slid) if not motion.feet(run) else ():
        say(ax, "no feet")
    line.dress(normal, "vertical force (N)", first=True)
    line.dress(across, "level force (N)")
    line.dress(slid, "slid so far (mm)")
    line.dress(modes, None, last=True)


def _energy(line: Timeline, axes: list["Axes"]) -> None:
    run = line.run
    book = analysis.ledger(run)
    for name, color in zip(("kinetic", "potential", "springs", "energy"), (*OTHERS[:3], "black"), strict=True):
        series = getattr(book, name)
        if np.any(series):
            axes[0].plot(run.time, series - series[0], color=color, label="together" if name == "energy" else name)
    for (name, series), color in zip(book.work.items(), (*OTHERS, LEFT, RIGHT, "black"), strict=False):
        if np.abs(series).max() > UNSEEN * book.exchanged:
            axes[1].plot(run.time, series, color=color, label=name)
    axes[2].plot(
        run.time, book.residual, color="black", label=f"{100 * book.relative:.2g} % of\n{book.exchanged:.3g} J exchanged"
    )
    line.dress(axes[0], "change of energy (J)", first=True)
    line.dress(axes[1], "work so far (J)")
    line.dress(axes[2], "residual (J)", last=True)


def _pressure(line: Timeline, axes: list["Axes"]) -> None:
    run = line.run
    if not motion.feet(run):
        for ax in axes:
            say(ax, "no feet: no pressure on the ground")
            line.dress(ax, None, last=ax is axes[-1])
        return
    found = analysis.pressure(run)
    hulls = [analysis.support(run, i) for i in range(len(run.time))]
    tracks = {"zero-moment point": (found.zmp, OTHERS[2], "-"), "centre of pressure": (found.cop, "black", "--")}
    for i, axis in enumerate("x" if run.robot.dim == 2 else "xy"):
        edges = np.array([(hull[:, i].min(), hull[:, i].max()) if len(hull) else (np.nan, np.nan) for hull in hulls])
        axes[i].fill_between(run.time, *edges.T, color="0.88", label="support")
        for name, (track, color, dash) in tracks.items():
            axes[i].plot(run.time, _gaps(track.place[:, i], track.valid), color=color, linestyle=dash, label=name)
        line.dress(axes[i], f"{axis} (m)", first=i == 0)
    margins = (found.zmp_margin, found.cop_margin)
    for (name, (track, color, dash)), series in zip(tracks.items(), margins, strict=True):
        axes[-1].plot(run.time, _gaps(1e3 * series, track.valid), color=color, linestyle=dash, label=name)
    axes[-1].axhline(0.0, color="0.5", linewidth=0.8)
    line.dress(axes[-1], "margin to the edge (mm)", last=True)


def _states(line: Timeline, axes: list["Axes"]) -> None:
    """Joint angles, and below them the named states of the controller as bands, each with its name where there is room."""
    run = line.run
    columns = analysis.state_columns(run)
    _angles(line, axes[0])
    whole = max(line.span[1] - line.span[0], run.study.record_dt)
    shown: dict[str, Any] = {}
    for row, column in enumerate(columns):
        names = analysis.state_names(run, column)
        for name in dict.fromkeys(names):
            color = shown.setdefault(name, CYCLE[len(shown) % len(CYCLE)])
            for start, length in spans(run, names == name):
                axes[1].broken_barh([(start, length)], (row - 0.4, 0.8), color=color, alpha=0.55, linewidth=0)
                if length > (0.012 * len(name) + 0.01) * whole:
                    axes[1].text(start + length / 2, row, name, ha="center", va="center", fontsize="small", clip_on=True)
    for name, color in shown.items():
        axes[1].broken_barh([], (0, 0), color=color, alpha=0.55, label=name)
    axes[1].set_yticks(range(len(columns)), [column.removeprefix("controller.").replace("state.", "") for column in columns])
    axes[1].set_ylim(len(columns) - 0.5, -0.5)
    line.dress(axes[1], None, last=True)


PLOTS: dict[str, tuple[tuple[float, ...], Callable[[Timeline, list[Any]], None]]] = {
    "overview": ((0.8, 1.5, 0.9, 1.0, 0.6), _overview),
    "joints": ((1.2, 1.0, 1.0), _joints),
    "contacts": ((1.0, 1.0, 0.7, 1.0), _contacts),
    "gait": ((0.9, 0.6, 0.9), _gait),
    "energy": ((1.2, 1.2, 0.7), _energy),
    "pressure": ((1.2, 1.2, 0.9), _pressure),
}
STATES = {"states": ((1.4, 1.0), _states)}  # of runs that recorded states with names


def plots_of(run: Run) -> tuple[str, ...]:
    """The plots that a run has."""
    return (*PLOTS, *(STATES if run.labels else ()))


def _draw_ground(run: Run, ax: "Axes") -> None:
    """Beyond both ends of the axes, which become wider to show lengths alike; as an artist it does not change them itself."""
    from matplotlib.lines import Line2D

    low, high = ax.get_xlim()
    world = run.study.world
    later = [change.terrain for change in world.changes if change.terrain and change.at < run.time[-1]]
    later += [each.value for each in run.study.settings if isinstance(each.value, Terrain) and each.time < run.time[-1]]
    for ground in (world.terrain, *later):
        x, z = outline(ground, low - 5.0, high + 5.0, 2000)
        ax.add_artist(Line2D(x, z, color=GROUND, linewidth=1.5, alpha=1.0 if ground is world.terrain else 0.4, zorder=0))


def _gaps(series: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """A series that is not drawn where it means nothing."""
    return np.ma.masked_array(series, ~valid)
