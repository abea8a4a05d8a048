"""Kelly's simple biped on hills, its gaits and how it gets over a push; SIMBICON walking and running.

Prints how far they got, and writes the figures of the page on Kelly's report.
"""

import sys
from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

import footfall as ff
from footfall.analysis.steps import steps
from footfall.view import stroboscope
from footfall.world import Push

LINE = {"color": "#1f5fa8", "linewidth": 1.8}


def dress(ax, across, up):
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def hills(folder):
    run = ff.simulate(ff.studies.load("simple-biped-hills", seconds=20.0))
    print(f"hills: {run.reason}, {len(steps(run).rows)} steps, {run.q[-1, 0]:.1f} m")
    figure = Figure(figsize=(11, 3.2), layout="constrained")
    stroboscope(run, figure.subplots(), 2.0, 11.0, 0.21)
    figure.suptitle("Kelly's simple biped on hills of up to 12 degrees, every 0.21 s")
    figure.savefig(folder / "kelly_hills.png", dpi=110)


def gaits(folder):
    run = ff.simulate(ff.studies.load("simple-biped-gaits"))
    print(f"gaits: {run.reason}")
    figure = Figure(figsize=(8.5, 5.0), layout="constrained")
    for ax, rows, label in zip(
        figure.subplots(2, 1, sharex=True), (run.q[:, 1], run.q[:, 0]), ("hip height (m)", "hip x (m)"), strict=True
    ):
        ax.plot(run.time, rows, **LINE)
        for i, gait in enumerate(run.study.controller.gaits):
            ax.axvline(4.0 * i, color="0.7", linewidth=0.8)
            if label.startswith("hip height"):
                ax.annotate(gait, (4.0 * i + 2.0, 1.02), xycoords=("data", "axes fraction"), ha="center")
        dress(ax, "time (s)" if label == "hip x (m)" else "", label)
    figure.savefig(folder / "kelly_gaits.png", dpi=110)


def push(folder):
    figure = Figure(figsize=(8.5, 3.6), layout="constrained")
    ax = figure.subplots()
    for force, color in ((30.0, "#1f5fa8"), (-30.0, "#c0504d")):
        study = ff.studies.load("simple-biped-walk", seconds=30.0)
        world = replace(study.world, pushes=(Push("hip", (force, 0.0), 15.2, 15.3),))
        found = [step for step in steps(ff.simulate(study, world=world)).rows if 12.0 < step.time < 22.0]
        label = f"{force:+.0f} N for 0.1 s"
        ax.plot([step.time for step in found], [step.speed for step in found], "o-", color=color, markersize=4, label=label)
    ax.axvspan(15.2, 15.3, color="0.8")
    ax.axhline(0.6, color="0.4", linewidth=0.8, linestyle="--", label="set speed")
    ax.legend(frameon=False)
    dress(ax, "time of touch-down (s)", "speed of the step (m/s)")
    figure.savefig(folder / "kelly_push.png", dpi=110)


def simbicon(folder):
    figure = Figure(figsize=(9, 9.2), layout="constrained")
    cases = (("walk", {}, 0.2), ("run", {"fast": True}, 0.15), ("crouch", {}, 0.2))
    for ax, (name, more, every) in zip(figure.subplots(3, 1), cases, strict=True):
        run = ff.simulate(ff.studies.load(f"simbicon-{name}", **more))
        found = steps(run)
        print(f"SIMBICON {run.study.name}: {run.reason}, {len(found.rows)} steps, {found.speed:.2f} m/s")
        stroboscope(run, ax, 8.0, 8.0 + 4.0 / found.speed, every)
        ax.set_title(f"{run.study.name.removeprefix('simbicon-')}, {found.speed:.1f} m/s, every {every:g} s", fontsize="medium")
    figure.savefig(folder / "kelly_simbicon.png", dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for draw_it in (hills, gaits, push, simbicon):
        draw_it(folder)
    print(f"written: figures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
