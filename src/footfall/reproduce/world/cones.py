"""Friction cones: every recorded force of a pad presses, and its friction is at most mu f_n, however seldom rows are."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall import studies
from footfall.engines.contact import TimeStepping
from footfall.reproduce import Row, Setting
from footfall.reproduce.world.drops import study as dropped
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.world import Flat, Rigid, Slope

TOLERANCE = 2e-3  # of mu f_n, and of the small load
SMALL = 1e-3  # of the weight: small load, added to mu f_n so that a pad about to lift has a scale
FEW = ("newton-walk-contact", "johnnie-walk-rigid", "simbicon-walk")
DROPS, SECONDS, SHORT = 210, 10.0, 2.0


def cones(setting: Setting) -> Iterator[Row]:
    """Limp robots that are dropped, and all studies with rigid contact on a plane, with a row every 1 ms and every 10 ms."""
    seeds = [setting.seed + i for i in range(21 if setting.quick else DROPS)]
    yield from _rows(f"{len(seeds)} drops", np.max(setting.finished(_dropped, seeds), axis=0))
    seconds = SHORT if setting.quick else SECONDS
    for name in FEW if setting.quick else [name for name in studies.names() if on_a_plane(studies.load(name))]:
        yield from _rows(f"{name}, {seconds:g} s", worst_of(replace(studies.load(name), seconds=seconds)))


def on_a_plane(study: Study) -> bool:
    """Whether a study has rigid contact, on plane ground."""
    world = study.world
    rigid = isinstance(world.contact, Rigid) and not any(foot.compliance for foot in study.robot.feet)
    plane = isinstance(world.terrain, Flat | Slope) and not world.changes and not world.bonded
    return isinstance(study.engine, TimeStepping) and rigid and plane


def worst_of(study: Study) -> tuple[float, float]:
    """The worst force of a pad beyond its friction cone, and the worst pull, at rows of 1 ms and of 10 ms."""
    friction, pull = zip(*(beyond(whole(replace(study, record_dt=record_dt))) for record_dt in (study.dt, 0.01)), strict=True)
    return max(friction), max(pull)


def beyond(run: Run) -> tuple[float, float]:
    """On a plane: the largest |f_t| - mu f_n over the sum of mu f_n and a small load, and the largest -f_n over the weight."""
    study = run.study
    n = study.world.terrain.normal(0.0)[[0, 2] if run.robot.dim == 2 else [0, 1, 2]]
    normal = run.force @ n
    friction = np.linalg.norm(run.force - normal[..., None] * n, axis=2)
    most, weight = study.world.contact.friction * normal, run.robot.mass * study.gravity
    return float(((friction - most) / (np.abs(most) + SMALL * weight)).max()), float((-normal / weight).max())


def _dropped(seed: int) -> tuple[float, float]:
    return worst_of(dropped(seed))


def _rows(title: str, worst: tuple[float, float]) -> Iterator[Row]:
    how = f"over mu f_n and {SMALL:g} of the weight, worst pad and row; rows every 1 ms and every 10 ms"
    yield Row(f"{title}: friction beyond the cone", "1", 0.0, worst[0], TOLERANCE, "<=", how=how)
    yield Row(f"{title}: pull of the ground", "1", 0.0, worst[1], 0.0, "<=", how=how)
