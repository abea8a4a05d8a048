"""A biped drops onto its feet, stands and is pushed from both sides. Its feet stay where they are.

Prints what happened, and writes plots, a picture and the run itself.
"""

import sys
from pathlib import Path

import footfall as ff


def main(folder):
    study = ff.studies.load("stand-push")
    run = ff.simulate(study)
    print(ff.analysis.summary(run).text(), end="\n\n")
    for event in run.events:
        print(event)

    folder.mkdir(parents=True, exist_ok=True)
    for what in ("overview", "contacts", "energy"):
        ff.view.plot(run, what, folder / f"stand_{what}.png")
    ff.view.picture(run.robot, run.q[::50], folder / "stand_and_push.png", title="Dropped, standing, pushed from both sides")
    run.save(folder / "stand_and_push.parquet")
    print(f"\nwritten: plots, a picture and stand_and_push.parquet in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
