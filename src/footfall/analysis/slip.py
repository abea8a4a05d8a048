"""Slip of the feet, and drift of contacts that stick."""

from dataclasses import dataclass

import numpy as np

from footfall.analysis import motion
from footfall.engines.series import MODES
from footfall.sim.run import Run

OPEN, STICK = MODES.index("open"), MODES.index("stick")
SLOW = 1e-3  # m/s: slower is no slide


@dataclass(frozen=True)
class Slip:
    """Slip of a foot. Shares are fractions of the rows of the run and add up to 1."""

    foot: str
    slid: float  # m: the way of that pad which slid farthest while it touched
    drift: float  # m: farthest that a pad got from where it stuck, while it was said to stick; round pads roll and do not count
    sticking: float  # share of time in which it touched and no pad slid
    sliding: float  # share of time in which a pad slid, whatever its mode: one on the edge of its cone need not move
    open: float  # share of time in the air


def slip(run: Run) -> dict[str, Slip]:
    """Slip of every foot, by its name."""
    motion.check_rows(run)
    return {foot: _slip_of(run, foot) for foot in motion.feet(run)}


def _slip_of(run: Run, foot: str) -> Slip:
    pads = run.of(foot)
    air = np.all(run.mode[:, pads] == OPEN, axis=1)
    slid = np.diff(run.slip[:, pads], axis=0, prepend=run.slip[:1, pads]).max(axis=1)
    slides = ~air & (slid > SLOW * np.diff(run.time, prepend=0.0))
    drift = max((_drift(run, pad) for pad in pads), default=0.0)
    shares = (float(np.mean(rows)) for rows in (~air & ~slides, slides, air))
    return Slip(foot, float(run.slip[-1, pads].max()), drift, *shares)


def _drift(run: Run, pad: int) -> float:
    """Each stay begins where the pad sticks in a row and nothing happened to it since the row before."""
    if run.study.engine.pads(run.robot, run.study.world.bodies).get(run.pads[pad], 0.0) > 0.0:
        return 0.0
    happened = [event.time for event in run.events if event.which == run.pads[pad]]
    new = np.zeros(len(run.time) + 1, dtype=bool)
    new[np.searchsorted(run.time, happened)] = True
    farthest, anchor = 0.0, None
    for i, point in enumerate(run.point[:, pad]):
        if run.mode[i, pad] != STICK:
            anchor = None
        elif anchor is None or new[i]:
            anchor = point
        else:
            farthest = max(farthest, float(np.linalg.norm(point - anchor)))
    return farthest
