"""Walks seen from above: footprints, support, zero-moment point and centre of mass, and boxes on the ground."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import analysis
from footfall.errors import FootfallError
from footfall.motion import ObstaclePlan, WalkingPattern
from footfall.motion.footsteps import SIDES, FootstepPlan
from footfall.motion.legs import two_legs
from footfall.motion.pattern import sole_corners
from footfall.motion.support import hull
from footfall.sim.run import Run
from footfall.view.look import SIDES as COLORS
from footfall.view.saving import saved
from footfall.view.style import new_figure
from footfall.world import Blocks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
CHOICES = {"box": "0.7", "over": "#4f9d4f", "around": "#c77b2b", "clear": "0.75", "refused": "#8b1a1a"}
WIDE = 11.0  # inches


def footprints(
    walk: Run | WalkingPattern, path: str | Path | None = None, *, pattern: WalkingPattern | None = None, end: float | None = None
) -> "Figure":
    """Draw a walk in space from above until `end` (s): soles where they stood, support of double stance, ZMP and centre of mass.

    Beside those of a run, the planned ones of a `pattern` are dashed.
    """
    _check_walk(walk)
    if pattern is not None and not isinstance(pattern, WalkingPattern):
        raise FootfallError(f"pattern must be a WalkingPattern, got {type(pattern).__name__}")
    if walk.robot.space != "spatial":
        raise FootfallError(f"footprints are those of a walk in space; robot {walk.robot.name!r} is planar")
    last = float((walk.time if isinstance(walk, Run) else walk.times)[-1]) if end is None else float(end)
    figure = new_figure(WIDE, 4.2)
    ax = figure.subplots()
    if isinstance(walk, Run):
        _draw_run(walk, ax, last)
    if pattern is not None or isinstance(walk, WalkingPattern):
        _draw_pattern(pattern or walk, ax, last, dashed=isinstance(walk, Run))  # type: ignore[arg-type]
    _dress(ax)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize="small", frameon=False, ncols=6)
    figure.suptitle(f"{walk.robot.name} from above, {last:.3g} s")
    return saved(figure, path)


def draw_way(run: Run, ax: "Axes", end: float | None = None) -> None:
    """Boxes on the ground, footprints and the way of the centre of mass, into axes seen from above."""
    last = float(run.time[-1]) if end is None else end
    if isinstance(run.study.world.terrain, Blocks):
        _draw_boxes(ax, run.study.world.terrain, ["box"] * len(run.study.world.terrain.blocks))
    _draw_soles(run, ax, last)
    center = analysis.center_of_mass(run)[run.time <= last]
    ax.plot(center[:, 0], center[:, 1], color="black", linewidth=1.2, label="centre of mass")
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")


def _check_walk(walk: object) -> None:
    if isinstance(walk, Run | WalkingPattern):
        return
    more = ""
    if isinstance(walk, ObstaclePlan):
        more = "; ff.view.scene draws an ObstaclePlan, and ff.motion.walking_pattern(robot, found.plan) is its pattern"
    elif isinstance(walk, FootstepPlan):
        more = "; ff.motion.walking_pattern(robot, plan) is the pattern of a FootstepPlan"
    raise FootfallError(f"footprints are those of a Run or a WalkingPattern, got {type(walk).__name__}{more}")


def scene(plan: ObstaclePlan, path: str | Path | None = None, run: Run | None = None) -> "Figure":
    """Draw footsteps among boxes from above, boxes coloured by what was decided, and the run that walked them if there is one."""
    if not isinstance(plan, ObstaclePlan):
        raise FootfallError(f"a scene is that of an ObstaclePlan, as plan_among makes it, got {type(plan).__name__}")
    figure = new_figure(WIDE, 5.4)
    ax = figure.subplots()
    draw_scene(ax, plan, run)
    _dress(ax)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize="small", frameon=False, ncols=6)
    figure.suptitle(plan.text(), fontsize="small", ha="left", x=0.02)  # labels of boxes are their heights
    return saved(figure, path)


def scenes(
    shown: Sequence[tuple[str, ObstaclePlan | Blocks, Run | None]], path: str | Path | None = None, columns: int = 5
) -> "Figure":
    """Many scenes on one sheet, each (title, plan or the boxes of a scene that was refused, run or None)."""
    if not shown:
        raise FootfallError("there must be one scene or more on a sheet")
    rows = -(-len(shown) // columns)
    figure = new_figure(3.0 * columns, 2.3 * rows + 0.6)
    axes = np.atleast_1d(figure.subplots(rows, columns, sharex=True, sharey=True)).ravel()
    for ax, (title, plan, run) in zip(axes, shown, strict=False):
        if isinstance(plan, Blocks):
            _draw_boxes(ax, plan, ["refused"] * len(plan.blocks))
        else:
            draw_scene(ax, plan, run)
        ax.set_title(title, fontsize=7)
        ax.set_aspect("equal", adjustable="box")
        ax.tick_params(labelsize=6)
    low, high = _extent(shown)
    for ax in axes:
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
    for ax in axes[len(shown) :]:
        ax.set_visible(False)
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=min(2 * columns, 8), fontsize="small", frameon=False
    )
    figure.supxlabel("x forward (m)", fontsize="small")
    figure.supylabel("y left (m)", fontsize="small")
    return saved(figure, path, dpi=90)


def draw_scene(ax: "Axes", plan: ObstaclePlan, run: Run | None = None) -> None:
    """Boxes, footprints in their planned places, and the way of the centre of mass."""
    _draw_boxes(ax, plan.terrain, [each.choice for each in plan.decisions])
    legs = two_legs(plan.robot)
    starts = np.column_stack((plan.stand[:, :2], np.zeros(2), plan.stand[:, 2]))
    for i, (x, y, z, yaw) in enumerate(np.vstack((starts, plan.footsteps[:, :4]))):
        side, place = SIDES[i % 2], np.zeros((1, 2, 6))
        place[0, i % 2] = (x, y, z, 0.0, 0.0, yaw)
        _patch(
            ax,
            sole_corners(legs, place)[0, i % 2, :, :2],
            edgecolor=COLORS[side],
            facecolor="none",
            label=f"{side} foot, planned",
        )
    if run is not None:
        _draw_soles(run, ax, float(run.time[-1]))
        center = analysis.center_of_mass(run)
        ax.plot(center[:, 0], center[:, 1], ":", color="black", linewidth=1.0, label="centre of mass")


def _draw_boxes(ax: "Axes", terrain: Blocks, choices: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    for (x, y, yaw, length, width, height), choice in zip(terrain.blocks, choices, strict=True):
        known = ax.get_legend_handles_labels()[1]
        corner = (x - length / 2.0, y - width / 2.0)
        ax.add_patch(
            Rectangle(
                corner,
                length,
                width,
                angle=np.degrees(yaw),
                rotation_point="center",
                color=CHOICES[choice],
                alpha=0.7,
                label=choice if choice not in known else None,
            )
        )
        ax.update_datalim([(x - length / 2, y - width / 2), (x + length / 2, y + width / 2)] if choice == "box" else [(x, y)])
        ax.annotate(f"{100 * height:.0f} cm", (x, float(np.clip(y, -1.8, 1.8))), fontsize=6, ha="center", va="center")


def _draw_run(run: Run, ax: "Axes", end: float) -> None:
    """Footprints, ZMP and centre of mass as they were."""
    rows = run.time <= end
    if isinstance(run.study.world.terrain, Blocks):
        _draw_boxes(ax, run.study.world.terrain, ["box"] * len(run.study.world.terrain.blocks))
    _draw_soles(run, ax, end)
    track, center = analysis.zero_moment_point(run), analysis.center_of_mass(run)
    place = np.where(track.valid[:, None], track.place[:, :2], np.nan)[rows]
    ax.plot(place[:, 0], place[:, 1], color="#6a3d9a", linewidth=0.9, label="ZMP, measured")
    ax.plot(center[rows, 0], center[rows, 1], color="black", linewidth=1.2, label="centre of mass, measured")


def _draw_soles(run: Run, ax: "Axes", end: float) -> None:
    """Each foot in the middle of every stance, and the support polygon in the middle of every double support."""
    stood = [each for each in analysis.stances(run) if each.start < end]
    for each in stood:
        row = int(np.argmin(np.abs(run.time - 0.5 * (each.start + min(each.end, end)))))
        side = next((side for side in SIDES if each.foot.endswith(side)), "left")
        corners = hull(run.point[row, run.of(each.foot), :2])
        _patch(ax, corners, facecolor=COLORS[side], edgecolor="none", alpha=0.35, label=f"{side} foot, stood")
    for one in stood:
        for two in stood:
            middle, both = 0.5 * (two.start + min(one.end, end)), two.start < min(one.end, end)
            if one.foot != two.foot and one.start < two.start and both and middle - two.start < 1.0:
                corners = analysis.support(run, int(np.argmin(np.abs(run.time - middle))))
                _patch(ax, corners, facecolor="0.5", edgecolor="none", alpha=0.15, label="support, both feet")


def _draw_pattern(pattern: WalkingPattern, ax: "Axes", end: float, dashed: bool) -> None:
    """Footprints, ZMP and centre of mass of a plan."""
    rows, line = pattern.times <= end, "--" if dashed else "-"
    for f, side in enumerate(SIDES):
        on = pattern.standing[:, f] & rows
        for row in np.flatnonzero(on & ~np.roll(on, 1) | (on & (np.arange(len(on)) == 0))):
            corners = hull(pattern.soles[row, f, :, :2])
            _patch(ax, corners, edgecolor=COLORS[side], facecolor="none", linestyle=line, label=f"{side} foot, planned")
    ax.plot(*pattern.zmp[rows].T, line, color="#b58ad6", linewidth=0.9, label="ZMP, planned")
    ax.plot(*pattern.com[rows, :2].T, line, color="0.5", linewidth=1.2, label="centre of mass, planned")


def _patch(ax: "Axes", corners: np.ndarray, **style: Any) -> None:
    from matplotlib.patches import Polygon

    if len(corners) > 2:
        known = ax.get_legend_handles_labels()[1]
        label = style.pop("label", None)
        ax.add_patch(Polygon(hull(corners), label=label if label not in known else None, linewidth=1.0, **style))
        ax.update_datalim(corners)


def _dress(ax: "Axes") -> None:
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("x forward (m)")
    ax.set_ylabel("y left (m)")
    ax.grid(color="0.92", linewidth=0.6)
    ax.set_axisbelow(True)


def _extent(shown: Sequence[tuple[str, Any, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Where the scenes are: around all footsteps."""
    points = [plan.footsteps[:, :2] for _, plan, _ in shown if isinstance(plan, ObstaclePlan)]
    rows = np.vstack((*points, np.array(((-0.3, -1.6), (4.5, 1.6)))))
    return rows.min(axis=0) - 0.3, rows.max(axis=0) + 0.3
