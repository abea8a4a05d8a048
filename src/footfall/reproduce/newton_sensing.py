"""Algorithms of named equations on sensors, with a robot that is not as they believe: the person walks, and squats.

Mass and inertia of every link are off by up to 10 %, its centre of mass by up to 10 % of its length in any direction, evenly
spread. Encoders, attitude, accelerometer and foot forces are those of `walker_sensors`; estimators work out the rest.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from footfall import dynamics, studies
from footfall.engines.events import Outcome
from footfall.errors import FootfallError
from footfall.reproduce import Row, Setting
from footfall.sim.whole import whole

SEEDS = 20
WALKED, ERROR = 20.0, 0.1  # s, 1: demanded


def walk(setting: Setting) -> Iterator[Row]:
    """`newton-walk-contact` on sensors, then with errors of the model too, by its own torques and through the component."""
    seconds = 3.0 if setting.quick else WALKED
    for title, more in (("sensors", {}), ("sensors, through the dynamics component", {"dynamics": "component"})):
        walked = _walked(({"sensors": "real", **more}, setting.seed, seconds))
        yield Row(f"{title}: time walked", "s", seconds, walked, 1e-9, ">=")
    for dynamics_by in ("own",) if setting.quick else ("own", "component"):
        seeds = [setting.seed + i for i in range(1 if setting.quick else SEEDS)]
        asked: dict[str, Any] = {"sensors": "real", "model_error": ERROR, "dynamics": dynamics_by}
        times = setting.finished(_walked, [(asked | {"drawn": seed}, seed, seconds) for seed in seeds])
        part, worst = float(np.mean([time >= seconds for time in times])), float(np.min(times))
        how = (
            f"of {len(times)} robots, {seconds:g} s each; the first falls at {worst:.1f} s" if part < 1.0 else f"of {len(times)}"
        )
        title = "its own torques" if dynamics_by == "own" else "the dynamics component"
        yield Row(f"sensors and errors of 10 %, {title}: part that walks through", "1", 1.0, part, 0.0, ">=", how=how)


def _walked(given: tuple[dict[str, Any], int, float]) -> float:
    """How long it walks, s."""
    asked, seed, seconds = given
    try:
        run = whole(studies.load("newton-walk-contact", **asked), seconds=seconds, seed=seed)
    except FootfallError as error:
        before = getattr(error, "run", None)
        return float(before.time[-1]) if before is not None else 0.0
    return float(run.time[-1]) if run.outcome is Outcome.END else min(float(run.time[-1]), seconds - 1e-3)


def squat(setting: Setting) -> Iterator[Row]:
    """`newton-squat`, which counts on magnets, through the dynamics component: time stepping and maximal coordinates."""
    seconds = 1.0 if setting.quick else 10.0
    for engine in ("contact", "maximal"):
        study = studies.load("newton-squat", engine=engine, sensors="real", model_error=ERROR, drawn=setting.seed)
        try:
            run = whole(study, seconds=seconds, seed=setting.seed)
        except FootfallError as error:
            yield Row(f"{engine}: time without a fall", "s", seconds, 0.0, 1e-9, ">=", how=str(error)[:100])
            continue
        stood = run.time[-1] if run.outcome is Outcome.END else 0.0
        yield Row(f"{engine}: time without a fall", "s", seconds, stood, 1e-9, ">=")
        if not setting.quick:
            heights = [dynamics.center_of_mass(run.robot, q)[2] for q in run.q[len(run.q) // 2 :: 10]]
            yield Row(f"{engine}: centre of mass, from lowest to highest", "m", 0.12, float(np.ptp(heights)), 0.012)


STUDIES = {"walk": walk, "squat": squat}
