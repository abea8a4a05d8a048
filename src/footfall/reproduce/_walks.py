"""Figures of walks along footsteps, shared by subjects: how a walk went, and whether it outlives a push."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall import analysis, studies
from footfall.reproduce import Row
from footfall.engines.events import Outcome
from footfall.sim.run import Run
from footfall.sim.simulate import simulate
from footfall.world import Push, World

SPEED = 2.0 / 3.6  # m/s: the paper's 2 km/h
STARTED = 5.0  # s: from here on the speed is that of walking
WATCHED = 10.0  # s after a push
LASTS = 0.1  # s, of a push


def walk_rows(title: str, run: Run, speed: float) -> Iterator[Row]:
    """A walk of so many seconds: no fall, the speed within 3 %, the ZMP inside, feet that do not slip, limits that are kept."""
    seconds, end = run.study.seconds, run.outcome is Outcome.END
    yield Row(f"{title}: time on its feet", "s", seconds, float(run.time[-1]) if end else float(run.time[-1]) - 1e-3, 0.0, ">=")
    rows = run.time >= STARTED
    way = float(np.linalg.norm(run.q[-1, :2] - run.q[rows][0, :2])) if rows.any() else 0.0
    time = max(float(run.time[-1]) - STARTED, 1e-9)
    yield Row(f"{title}: speed from {STARTED:g} s on", "m/s", speed, way / time, 0.03 * speed)
    zmp = analysis.zero_moment_point(run)
    margin = float(analysis.margin(run, zmp)[zmp.valid].min())
    yield Row(f"{title}: ZMP inside the soles that touch, least", "m", 0.0, margin, 0.0, ">=")
    slid = analysis.stance_slip(run)
    how = f"{len(slid)} stances from touch-down to lift-off; the corner that slides farthest"
    yield Row(f"{title}: slip in a stance, largest", "m", 1e-3, max(slid), 0.0, "<=", how=how)
    used = analysis.actuation(run)
    yield Row(f"{title}: joints beyond a limit of torque, speed, current, voltage", "1", 0.0, len(used.exceeded), 0.0, "<=")


class Pushed(NamedTuple):
    """A walk that is pushed, by chance in direction and phase."""

    study: str
    settings: Mapping[str, Any]
    impulse: float  # N s
    seed: int


def survives(item: Pushed) -> bool:
    """Whether the walk goes on for 10 s after the push, which comes in one of two steps from 5 s on; any direction."""
    study = studies.load(item.study, **item.settings)
    rng = np.random.default_rng(item.seed)
    toward, at = rng.uniform(-np.pi, np.pi), STARTED + rng.uniform(0.0, 1.5)
    force = item.impulse / LASTS
    push = Push("torso", (force * np.cos(toward), force * np.sin(toward), 0.0), at, at + LASTS)
    run = simulate(replace(study, world=World(pushes=(push,)), seconds=at + WATCHED, seed=item.seed))
    return run.outcome is Outcome.END
