"""The page of a certificate: one HTML file with what was borne, pictures of all trials, and the runs that ended soonest."""

from html import escape
from math import degrees
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import view
from footfall.certificates.certify import Certificate, Verdict
from footfall.engines.events import Outcome
from footfall.errors import FootfallError
from footfall.files import write_whole
from footfall.sim.run import Run
from footfall.view.look import LEFT
from footfall.view.page import head, page, versions
from footfall.view.saving import saved
from footfall.view.style import CYCLE, GREY, legend_beside, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 3
FRAMES = 5  # of a run that ended
BEFORE = 2.0  # s of it that are shown


def write_page(made: Certificate) -> None:
    """Write `report.html` and `certificate.png` into its folder."""
    figure = draw(made)
    saved(figure, made.folder / "certificate.png")
    runs = sum(len(each.sweep) for each in made.verdicts)
    seconds = sum(float(np.sum(each.sweep["time"])) for each in made.verdicts)
    gait = made.gait
    about = (
        f"<p>{escape(made.name)} walks at {gait.speed:.3f} m/s with strides of {gait.stride:.3f} s. A run lasts "
        f"{gait.study.seconds:.1f} s; from {gait.start:.2f} s on it is met at any part of a stride. It counts as walking if "
        f"it reaches its end and goes on with at least half of that speed. {runs:,} runs, {seconds:,.0f} s of walking.</p>"
    )
    whole = "" if made.complete else "<p class='no'>Not all runs were made; the same command goes on.</p>"
    parts = [whole, about, _table(made.verdicts), *_refused(made.refused), view.image(figure, 1100)]
    push = next((each for each in made.verdicts if each.trial.name == "push"), None)
    if push is not None and len(push.sweep):
        parts.append("<h2>Pushes by the part of the stride at which they come</h2>" + view.image(_phases(push), 700))
    parts.append("<h2>The smallest disturbances that end the walk</h2>")
    for each in made.verdicts:
        parts += [_ended(each, number) for number in range(len(each.worst[:1]))]
    write_whole(made.page, page(f"certificate of {made.name}", *parts, versions(f"footfall certify {made.name}")))


def draw(made: Certificate) -> "Figure":
    """All trials: the share of runs that go on walking along the size of what disturbs them."""
    rows = -(-len(made.verdicts) // COLUMNS)
    figure = new_figure(12.5, 3.1 * rows + 0.4)
    axes = np.atleast_1d(figure.subplots(rows, COLUMNS, squeeze=False)).ravel()
    for ax, verdict in zip(axes, made.verdicts, strict=False):
        _panel(ax, verdict)
    for ax in axes[len(made.verdicts) :]:
        ax.set_visible(False)
    figure.suptitle(f"{made.name}: runs that go on walking, with Wilson's intervals of 95 %")
    return figure


def _panel(ax: "Axes", verdict: Verdict) -> None:
    trial = verdict.trial
    ways = sorted({*verdict.sweep["direction"].tolist()}) if "direction" in trial.over else [None]
    names = [trial.size] if ways == [None] else ["direction", trial.size]
    table = verdict.sweep.statistics("walks", names).to_pylist()
    for color, way in zip(CYCLE * 2, ways, strict=False):
        mine = [row for row in table if way is None or row["direction"] == way]
        x = np.array([row[trial.size] for row in mine]) / trial.per
        mean, low, high = (100.0 * np.array([row[key] for row in mine]) for key in ("mean", "low", "high"))
        color = LEFT if way is None else color
        ax.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0)
        ax.plot(x, mean, color=color, marker="o", markersize=3, label="" if way is None else _way(way, len(ways)))
    if trial.name in ("noise", "delay"):
        ax.set_xscale("log")
    ax.axhline(95.0, color=GREY, linewidth=0.8, linestyle=":")
    ax.set_ylim(-3.0, 103.0)
    ax.set_title(trial.title)
    ax.set_xlabel(_label(verdict))
    ax.set_ylabel("walk on (%)")
    if len(ways) > 2:
        legend_beside(ax)
    elif ways != [None]:
        ax.legend(loc="lower left", fontsize="small")


def _way(direction: float, of: int) -> str:
    if of == 2:
        return "forward" if direction == 0.0 else "backward"
    return f"{degrees(direction):.0f}°"


def _label(verdict: Verdict) -> str:
    trial = verdict.trial
    column = verdict.sweep.column(trial.size)
    words = {"change": "impulse over mass", "masses": "masses off by", "inertias": "inertias off by", "gains": "gains off by"}
    unit = trial.unit or column.unit
    name = words.get(trial.size, trial.size)
    up_to = " up to" if trial.by_chance and trial.size not in ("noise", "delay") else ""
    return f"{name}{up_to}" + (f" ({unit})" if unit not in ("", "1") else "")


def _table(verdicts: list[Verdict]) -> str:
    lines = []
    for each in verdicts:
        values, per = each.trial.values, each.trial.per
        asked = f"{min(values) / per:.4g} to {max(values) / per:.4g}{each.unit}"
        cells = (f"{len(each.sweep):,}", asked, f"{100.0 * each.survived:.1f} %", each.borne_text)
        lines.append(
            f"<tr><td>{escape(each.trial.title)}</td>" + "".join(f"<td class='number'>{escape(c)}</td>" for c in cells) + "</tr>"
        )
    names = ("runs", "asked", "walk on, of all", "95 % walk on")
    return f"<table class='rows'>{head('', *names)}{''.join(lines)}</table>"


def _refused(refused: dict[str, str]) -> list[str]:
    return [f"<p class='how'>{escape(title)}: not asked, {escape(why)}</p>" for title, why in refused.items()]


def _phases(push: Verdict) -> "Figure":
    return view.sweep_plot(push.sweep, "walks", ["phase", "change"])


def _ended(each: Verdict, number: int) -> str:
    """The run that the smallest disturbance ended: its numbers, how to replay it, its last moments."""
    ended = each.worst[number]
    path, run = ended.path, Run.load(ended.path)
    title = f"<h3>{escape(each.trial.title)}: {ended.value / each.trial.per:.4g}{escape(each.unit)}</h3>"
    how = f"<p class='how'>{escape(_why(run))}; <code>ff.Run.load({str(path.relative_to(path.parents[1]))!r}).replay()</code></p>"
    return title + how + _moments(run)


def _why(run: Run) -> str:
    return "it walks no more, or at less than half of its speed" if run.outcome is Outcome.END else run.reason


def _moments(run: Run) -> str:
    end = float(run.time[-1])
    try:
        figure: Any = view.sequence(run, begin=max(0.0, end - BEFORE), frames=FRAMES)
    except FootfallError as error:
        return f"<p class='how'>{escape(str(error))}</p>"
    return view.image(figure, 900)
