"""What plots over time share: the span that is shown, marks for pushes, falls, steps and impacts, bars and forces."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import analysis
from footfall.analysis import motion
from footfall.engines.series import MODES
from footfall.sim.run import Run
from footfall.view.look import SIDES, side_of
from footfall.view.style import CYCLE, FALL, IMPACT, MODE_COLORS, OTHERS, PUSH, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PER_COLUMN = 14  # names in one column of a legend
CROWDED = 60  # marks of one kind in a span: more are not drawn


class Timeline:
    """A run between two times, and how axes over its time are dressed."""

    def __init__(self, run: Run, between: tuple[float, float] | None = None):
        self.run, self.asked = run, between is not None
        last = max(run.time[-1], run.events[-1].time if run.events else 0.0)
        end = last if last > run.time[0] else run.time[0] + run.study.record_dt
        self.span = (float(run.time[0]), float(end)) if between is None else (float(between[0]), float(between[1]))
        self.steps = [(step.time, step.foot) for step in analysis.steps(run).rows] if motion.feet(run) else []
        self.impacts = sorted({event.time for event in run.happened("impact")})

    def within(self, begin: float, end: float) -> "Timeline":
        """The same run between other times."""
        other = object.__new__(Timeline)
        other.__dict__ |= self.__dict__ | {"span": (begin, end), "asked": True}
        return other

    @property
    def rows(self) -> np.ndarray:
        """Rows inside the span."""
        return np.flatnonzero((self.run.time >= self.span[0] - 1e-9) & (self.run.time <= self.span[1] + 1e-9))

    def dress(self, ax: "Axes", label: str | None, first: bool = False, last: bool = False, marks: bool = True) -> None:
        """Pushes, the fall, steps, impacts, limits, labels, and a legend to the right; the first of the axes names them."""
        run = self.run
        for number, push in enumerate(run.study.world.pushes):
            if push.start < run.time[-1]:
                name = "push" if first and number == 0 else "_push"
                ax.axvspan(push.start, min(push.end, run.time[-1]), color=PUSH, alpha=0.4, linewidth=0, zorder=0, label=name)
        for event in run.happened("fall"):
            ax.axvline(event.time, color=FALL, linewidth=1.5, label=f"fall: {event.which}" if first else "_fall")
        if self.asked and label:
            self._fit(ax)
        if marks:
            self._mark(ax, first)
        ax.set_xlim(*self.span)
        if label:
            ax.set_ylabel(label)
            ax.ticklabel_format(axis="y", scilimits=(-3, 4))
        ax.set_xlabel("time (s)" if last else "")
        ax.tick_params(labelbottom=last)
        names = ax.get_legend_handles_labels()[1]
        beside = 1.07 if label == "vertical force (N)" and len(ax.get_shared_x_axes().get_siblings(ax)) > 1 else 1.0
        legend_beside(ax, beside, 1 + max(len(names) - 1, 0) // PER_COLUMN)

    def _mark(self, ax: "Axes", named: bool) -> None:
        """Touch-downs of feet as triangles on the time axis, impacts as ticks."""
        low, high = self.span
        place: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "linestyle": "", "clip_on": True, "zorder": 5}
        hits = [time for time in self.impacts if low <= time <= high]
        if 0 < len(hits) <= CROWDED:
            name = "impact" if named else "_impact"
            ax.plot(hits, np.full(len(hits), 0.02), marker="|", color=IMPACT, markersize=7, label=name, **place)
        for foot, style in foot_styles(self.run).items():
            times = [time for time, which in self.steps if which == foot and low <= time <= high]
            if 0 < len(times) <= CROWDED:
                name = f"{foot} touches down" if named else "_step"
                ax.plot(times, np.zeros(len(times)), marker="^", color=style["color"], markersize=5, label=name, **place)

    def _fit(self, ax: "Axes") -> None:
        """Limits of y that show what is drawn inside the span."""
        low, high = np.inf, -np.inf
        for line in ax.get_lines():
            x, y = (np.asarray(each, dtype=float) for each in line.get_data())
            inside = (x >= self.span[0]) & (x <= self.span[1]) & np.isfinite(y) if len(x) == len(y) else np.zeros(0, dtype=bool)
            if inside.any() and line.get_transform().contains_branch(ax.transData):
                low, high = min(low, float(y[inside].min())), max(high, float(y[inside].max()))
        if high > low:
            ax.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))


def foot_styles(run: Run) -> dict[str, dict[str, Any]]:
    """The second of two feet is a thin line, which leaves a first one below it to be seen."""
    names = motion.feet(run)
    spare = [color for _ in names for color in OTHERS]
    return {name: {"color": SIDES.get(side_of(name)) or spare.pop(0), **_weight(i % 2)} for i, name in enumerate(names)}


def joint_styles(names: Sequence[str]) -> list[dict[str, Any]]:
    """Joints of one kind share a colour; the second side is thin and dashed."""
    kinds = list(dict.fromkeys(name.removesuffix(f"_{side_of(name)}") for name in names))
    seen, styles = set(), []
    for name in names:
        kind = name.removesuffix(f"_{side_of(name)}")
        again = kind in seen
        color = CYCLE[kinds.index(kind) % len(CYCLE)]
        styles.append({"color": color, "linestyle": "--" if again else "-", **_weight(again)})
        seen.add(kind)
    return styles


def _weight(second: bool | int) -> dict[str, Any]:
    return {"linewidth": 1.3} if second else {"linewidth": 2.6, "alpha": 0.65}


def forces(run: Run, ax: "Axes") -> None:
    """Vertical forces of the feet: means since the row before without impacts, peaks as bands, impacts as stems; the weight."""
    if not motion.feet(run):
        say(ax, "no feet: nothing touches the ground")
    dt = np.diff(run.time, prepend=np.nan)[:, None]
    smooth = run.force[..., -1] - np.nan_to_num(run.impulse[..., -1] / dt)
    stems = ax.twinx() if run.impulse[..., -1].any() else None
    for j, (foot, style) in enumerate(foot_styles(run).items()):
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
    ax.plot(run.time, -motion.mass(run) * motion.gravity(run)[:, -1], ":", color="0.4", label="weight")
    if stems is not None:
        ax.plot([], [], "v--", color="0.5", markersize=4, linewidth=1.0, label="impacts (N s)")
        _same_zero(ax, stems)
        stems.grid(visible=False)
        stems.set_ylabel("impulse (N s)", fontsize="small")
        stems.tick_params(labelsize="small", labelbottom=False)


def _same_zero(ax: "Axes", other: "Axes") -> None:
    """Let the zero of both axes be at the same height."""
    low, high = ax.get_ylim()
    top = max(other.get_ylim()[1], 1e-12)
    other.set_ylim(top * low / high, top)


def gait_bars(run: Run, ax: "Axes", names: Sequence[str]) -> None:
    """Bars while feet or pads touch."""
    if not names:
        say(ax, "nothing touches the ground")
    for row, name in enumerate(names):
        pads = run.of(name) if name not in run.pads else [run.pads.index(name)]
        mode = run.mode[:, pads].max(axis=1) if pads else np.zeros(len(run.time))
        for kind, color in MODE_COLORS.items():
            found = spans(run, mode == MODES.index(kind))
            ax.broken_barh(found, (row - 0.35, 0.7), color=color, linewidth=0, label="_" if row else f"{kind}s")
    ax.set_yticks(range(len(names)), names, fontsize="small" if len(names) > 6 else "medium")
    ax.set_ylim(-0.6, max(len(names), 1) - 0.4)
    ax.invert_yaxis()


def say(ax: "Axes", text: str) -> None:
    """Why axes are empty."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color="0.4")


def spans(run: Run, on: np.ndarray) -> list[tuple[float, float]]:
    """(start, length) of the rows that are on; a row lasts until the next."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(int), [0]))))
    times = np.append(run.time, run.time[-1])
    return [(float(times[a]), float(times[b] - times[a])) for a, b in edges.reshape(-1, 2)]
