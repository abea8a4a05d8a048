"""How a walk went: steps, way, speed, energy, and a fall if there was one."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall import kinematics
from footfall.engines.hybrid.motion import HybridError, HybridResult
from footfall.engines.hybrid.walk import FALL, Walk

STEPS = 10  # if no time is given
FRAMES = 60.0  # rows a second


@dataclass(frozen=True, eq=False)
class Walked:
    """A motion of a walk, and what came of it."""

    walk: Walk
    motion: HybridResult
    steps: int
    seconds: float
    length: float  # m that its base moved on
    energy_lost: float  # J in impacts
    fell: bool

    def rows(self) -> dict[str, Any]:
        """All figures by name, fit for JSON."""
        names = ("steps", "seconds", "length", "energy_lost", "fell")
        figures = {name: getattr(self, name) for name in names}
        return {"walk": self.walk.name, **figures, "speed": self.length / self.seconds if self.seconds else 0.0}


def walked(walk: Walk, seconds: float | None = None) -> Walked:
    """Let it walk for so many seconds, or ten steps, from its own state; a fall ends it."""
    try:
        motion = walk.run(STEPS, record_dt=1 / FRAMES) if seconds is None else _for(walk, seconds)
    except HybridError as error:
        if not any(event.name == FALL for event in error.result.events):
            raise
        motion = error.result
    motion = _until_fall(motion)
    base = walk.robot.layout.joints[0].child
    moved = np.subtract(*(kinematics.pose(walk.robot, motion.q[row], base).position for row in (-1, 0)))
    lost = sum(event.energy_lost for event in motion.events)
    fell = any(event.name == FALL for event in motion.events)
    steps = len(motion.named(walk.step))
    return Walked(walk, motion, steps, float(motion.times[-1]), float(np.linalg.norm(moved)), float(lost), fell)


def _for(walk: Walk, seconds: float) -> HybridResult:
    return walk.run(1, seconds=seconds, events=None, record_dt=1 / FRAMES)


def _until_fall(motion: HybridResult) -> HybridResult:
    """Who has fallen falls no further."""
    falls = [event for event in motion.events if event.name == FALL]
    if not falls:
        return motion
    end = int(np.searchsorted(motion.times, falls[0].time)) + 2  # the row before the event, and that after
    rows = {name: getattr(motion, name)[:end] for name in ("times", "q", "v", "mode")}
    return replace(motion, **rows, events=motion.events[: motion.events.index(falls[0]) + 1])
