"""Wendlandt and Sastry's experiment, and the figures of their paper.

Prints where the body is at 9.99 s, in the paper's axes and units, and writes figures 1, 4, 5, 6 and 7.
"""

import sys
from pathlib import Path

import footfall as ff
from footfall.view.wendlandt import figures, in_paper_axes


def main(folder):
    run = ff.simulate(ff.studies.load("wendlandt-stand"))
    x, z, theta = in_paper_axes(run).pose[999]
    print(f"x = {x:.5f} cm (the paper 9.99935), z = {z:.5f} cm (95.016), theta = {theta:.5f} degrees (0.00169)")
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures(run).items():
        figure.savefig(folder / f"wendlandt_{name}.png", dpi=110)
    print(f"written: figures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
