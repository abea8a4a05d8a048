"""Ono's self-excited walker finds its rhythm on level ground, from a start beside it.

Prints how its steps come to be alike, its limit cycle and what becomes of disturbances; writes the phase portrait of a leg and a
recording that any browser plays, without a network.
"""

import sys
from pathlib import Path

from rich.progress import Progress

import footfall as ff
from footfall.dynamics.constrained import consistent, placed

STEPS = 14


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    walk = ff.cycles.Walk(ff.studies.load("ono-walk", gain=5.0))
    q = placed(walk.robot, walk.robot.configuration({"base.pitch": -0.1}, hip=0.2), "tip_left")
    v = consistent(walk.robot, q, [0.0, 0.0, 0.75, -0.07, 0.0, 0.0], pinned="tip_left", locked=("knee_left", "knee_right"))

    with Progress(transient=True) as bar:
        task = bar.add_task("its cycle", total=None)
        cycle = ff.cycles.limit_cycle(walk.study)
        bar.update(task, description="walking")
        motion = walk.run(STEPS, q, v, record_dt=1 / 120)
        bar.update(task, description="drawing")
        ff.view.portrait(motion, ("thigh_left", "shank_left"), folder / "ono_portrait.png", last=2.2 * cycle.period)
        bar.update(task, description="recording", total=1.0)
        page = ff.view.recording(
            motion,
            folder / "ono.html",
            title="Ono's walker finds its rhythm",
            progress=lambda part: bar.update(task, completed=part),
        )

    before = 0.0
    for number, event in enumerate(motion.named("strike"), start=1):
        off = abs(event.v_after[2] - cycle.v[2])
        print(f"step {number:2}: {event.time - before:.4f} s, rate of the new stance leg {off:.1e} rad/s off the cycle's")
        before = event.time
    print(f"\n{cycle}\nstep {cycle.step_length:.4f} m, {cycle.energy_lost:.4f} J lost in each, closed to {cycle.residual:.0e}")
    print("a disturbance is multiplied with each step by", ", ".join(f"{m.real:.4f}" for m in cycle.multipliers))
    print(f"written: ono_portrait.png and {page.name} (open it in a browser) in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
