"""JOHNNIE on stairs, and on treads that it does not know; motors, feet and sensors as they could be.

Prints how far it got, and writes the figures of the page on its walks over uneven ground.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import footfall as ff
from footfall import kinematics
from footfall.view import stroboscope
from footfall.view.look import color_of
from footfall.view.stroboscope import outline

SIDES = {side: color_of(f"foot_{side}") for side in ("left", "right")}
HEAD = 1.05  # m: above the hips
EVERY = 5  # rows between two poses of a sole


def soles(run, ax, legend):
    """The ways of heel and toe of both feet, and the ground, with heights in cm."""
    for side, color in SIDES.items():
        foot = run.robot.foot(f"foot_{side}").pads[0]
        ends = [np.add(foot.at, (end * foot.size[0] / 2, 0.0, -foot.size[2] / 2)) for end in (-1.0, 1.0)]
        for number, end in enumerate(ends):
            way = np.array([kinematics.pose(run.robot, q, foot.link, at=end).position for q in run.q[::EVERY]])
            style = {"linestyle": ("--", "-")[number], "label": f"{side} {('heel', 'toe')[number]}"}
            ax.plot(way[:, 0], 100.0 * way[:, 2], color=color, linewidth=1.0, **style)
    x, z = outline(run.study.world.terrain, *ax.get_xlim(), points=2000)
    ax.fill_between(x, 100.0 * z, 100.0 * z.min() - 2.0, color="0.85", linewidth=0)
    ax.plot(x, 100.0 * z, color="0.4", linewidth=1.2)
    ax.set_ylim(100.0 * z.min() - 2.0, None)
    ax.set_ylabel("height (cm)")
    ax.legend(loc=legend, fontsize="small", frameon=False, ncols=2)


def stairs(folder):
    figure = Figure(figsize=(11, 6.2), layout="constrained")
    upper, lower = figure.subplots(2, 2)
    for rise, high, low in zip((0.05, -0.05), upper, lower, strict=True):
        run = ff.simulate(ff.studies.load("johnnie-stairs", rise=rise, stairs=6, sensors="real"))
        print(f"stairs {'up' if rise > 0 else 'down'}: {run.reason}")
        stroboscope(run, high, 1.0, run.time[-1] - 2.0, 0.65)
        high.set_ylim(top=run.q[:, 2].max() + HEAD)
        low.set_xlim(*high.get_xlim())
        soles(run, low, "lower right" if rise > 0 else "lower left")
        low.set_xlabel("x (m)")
    figure.suptitle("JOHNNIE on stairs of 5 cm, a pose each half step; ways of its heels and toes")
    figure.savefig(folder / "johnnie_stairs.png", dpi=110)


def treads(folder):
    run = ff.simulate(ff.studies.load("johnnie-uneven", ground="treads", seed=2, sensors="real"))
    print(f"treads: {run.reason}, {run.q[-1, 0]:.1f} m")
    figure = Figure(figsize=(11, 7.2), layout="constrained")
    high, low = figure.subplots(2, 1, height_ratios=(2, 1))
    stroboscope(run, high, 1.0, 18.0, 0.65)
    high.set_ylim(top=run.q[:, 2].max() + HEAD)
    low.set_xlim(*high.get_xlim())
    soles(run, low, "lower right")
    low.set_xlabel("x (m)")
    figure.suptitle("JOHNNIE on treads of 1 cm, which it does not know; ways of its heels and toes")
    figure.savefig(folder / "johnnie_treads.png", dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    stairs(folder)
    treads(folder)
    print(f"written: figures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
