"""The Cornell Ranger walks: its steps, what gaits cost, how a push is forgotten, and a recording that any browser plays."""

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.progress import Progress

import footfall as ff
from footfall.reproduce.kelly_ranger import passes, steps_made
from footfall.view.ranger import costs, fading, feet, strip
from footfall.world import Push

STUDIES = {
    "Kelly's parameters": ff.studies.load("ranger-walk-kelly"),
    "stable gait": ff.studies.load("ranger-walk"),
    "thrifty gait": ff.studies.load("ranger-walk", gait="thrifty"),
    "heel-tip gait": ff.studies.load("ranger-walk", gait="heel-tip"),
}
SEED, FAR, EVERY = 3, 5.0, 0.2  # of the walk over steps: from where on one is looked for (m), and from pose to pose (s)
FORCES = (-12.0, -9.0, -6.0, -3.0, 3.0, 6.0, 9.0, 12.0)  # N, for 0.05 s


def after_pushes(study):
    """Mid-stances after the end of pushes of several sizes, each at another moment of the step."""
    found = []
    for i, force in enumerate(FORCES):
        start = 8.0 + 0.05 * i
        world = replace(study.world, pushes=(Push("leg_outer", (force, 0.0), start, start + 0.05),))
        found.append(passes(ff.simulate(replace(study, world=world, seconds=14.0, record_dt=0.001)), start + 0.05)[:9])
    return found


def over_edges(folder):
    run = ff.simulate(ff.studies.load("ranger-trouble", seed=SEED, seconds=20.0))
    print(f"over steps of 1 cm, slopes and pushes: {run.reason}, {len(steps_made(run))} steps")
    ground = run.study.world.terrain
    corners = pairwise(zip(ground.x, ground.z, strict=True))
    edge, height = next((x, z) for (x, z), (after, then) in corners if x > FAR and after == x and then != z)
    passed = run.time[np.searchsorted(run.q[:, 0], edge)]
    figure = Figure(figsize=(10.0, 4.6), layout="constrained")
    ax = figure.subplots()
    ff.view.stroboscope(run, ax, passed - 1.0, passed + 1.0, EVERY)
    ax.set_xlim(edge - 0.5, edge + 0.5)
    ax.set_ylim(height - 0.08, height + 0.28)
    ax.set_xlabel("x (m)")
    ax.set_ylabel("z (m)")
    figure.suptitle(f"Feet of the Cornell Ranger at a step of 1 cm, every {EVERY:g} s")
    ax.get_legend().remove()
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(folder / "ranger_edges.png", dpi=110)


def main(folder):
    runs = {name: ff.simulate(replace(study, seconds=20.0, record_dt=0.001)) for name, study in STUDIES.items()}
    for name, run in runs.items():
        cost = ff.analysis.cost_of_transport(run, start=10.0)
        print(f"{name:20} {cost.speed:.3f} m/s, cost of transport {cost.total:.3f}, of the motors {cost.motors:.3f}")
    print("\nthe stable gait, from standing, as its last steps:")
    print("\n".join(ff.analysis.steps(runs["stable gait"]).text().splitlines()[-8:]))
    faded = {name: after_pushes(STUDIES[name]) for name in ("Kelly's parameters", "stable gait")}
    found = ff.cycles.fit_map([rows[:5] for rows in faded["stable gait"]])
    print("\na disturbance is multiplied with each step by", ", ".join(f"{abs(m):.2f}" for m in found.multipliers), "(sizes)")
    folder.mkdir(parents=True, exist_ok=True)
    figures = {"steps": strip(runs["stable gait"], 12.0), "costs": costs(runs), "fading": fading(faded)}
    figures["feet"] = feet({name: runs[name] for name in ("stable gait", "heel-tip gait")})
    for name, figure in figures.items():
        figure.savefig(folder / f"ranger_{name}.png", dpi=110)
    over_edges(folder)
    with Progress(transient=True) as bar:
        task = bar.add_task("recording", total=1.0)
        shown = ff.simulate(replace(STUDIES["stable gait"], seconds=12.0, record_dt=1 / 50))
        page = ff.view.recording(
            shown, folder / "ranger.html", title="The Cornell Ranger", progress=lambda part: bar.update(task, completed=part)
        )
    print(f"written: ranger_*.png and {page.name} (open it in a browser) in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
