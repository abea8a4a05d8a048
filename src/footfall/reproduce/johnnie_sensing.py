"""JOHNNIE on its sensors alone: the estimator, computed torque control in full, pushes, model errors; and a person's walk."""

from collections.abc import Iterator
from dataclasses import replace
from math import radians
from typing import Any

import numpy as np

from footfall import analysis, sensors, studies
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time
from footfall.reproduce._walking import draw, slip, speed, survived, walk_rows
from footfall.sim.run import Run
from footfall.sim.simulate import simulate
from footfall.studies._walks import FULL

NAME = "johnnie-walk-computed-torque"
SECONDS, QUICK = 60.0, 12.0  # s
TILTED = radians(0.1)  # m/m: by so much a way leads aside, or upward, if the orientation is off by 0.1 degree
ERRORS: dict[str, dict[str, Any]] = {
    "masses and inertias +10 %": {"masses": 1.1, "inertias": 1.1},
    "masses and inertias -10 %": {"masses": 0.9, "inertias": 0.9},
    "masses +10 %, inertias -10 %": {"masses": 1.1, "inertias": 0.9},
    "masses -10 %, inertias +10 %": {"masses": 0.9, "inertias": 1.1},
    "mass and inertia of each link off by up to 10 %, first draw": {"spread": 0.1, "drawn": 0},
    "the same, second draw": {"spread": 0.1, "drawn": 1},
    "friction of the gears doubled": {"rubs": 2.0},
    "one tick of delay": {"late": 1},
    "all at once: +10 %, friction doubled, one tick": {"masses": 1.1, "inertias": 1.1, "rubs": 2.0, "late": 1},
}


def _run(setting: Setting, **more: Any) -> Run:
    seconds = QUICK if setting.quick else SECONDS
    return simulate(studies.load(NAME, seconds=seconds, seed=setting.seed, **{**FULL, **more}))


def estimator(setting: Setting) -> Iterator[Row]:
    """Place and velocity of the pelvis by leg odometry and accelerometer, against the truth, while the robot walks on them."""
    run = _run(setting, record=("controller.state", "sensors"))
    error = analysis.estimate_error(run)
    shown, truth = run.columns(), {name: run.columns()[name] for name in run.columns() if f"obs.{name}" in run.columns()}
    leaks = [name for name, values in truth.items() if np.ptp(values) > 0.0 and np.array_equal(shown[f"obs.{name}"], values)]
    how = f"{len(truth)} coordinates and velocities; contact forces and modes are hidden"
    yield Row("numbers that the controller sees as they are", "1", 0.0, len(leaks), 0.0, "<=", how=how)
    for axis, rms, worst in zip("xyz", error.rms, error.worst, strict=True):
        yield Row(f"velocity along {axis}: error, rms", "m/s", 0.01, rms, 0.0, "<=")
        yield Row(f"velocity along {axis}: error, largest", "m/s", 0.03, worst, 0.0, "<=")
    how = "an orientation that is off by 0.1 degree leads 1.7 mm a metre aside and upward; it cannot be told from it"
    for axis, drift, bound in zip("xyz", error.drift, (1e-3, 1e-3 + TILTED, 1e-3 + TILTED), strict=True):
        yield Row(
            f"place along {axis}: drift for each metre walked", "1", bound, drift, 0.0, "<=", how=how if axis != "x" else ""
        )
    exact = [replace(each, bias=0.0) if isinstance(each, sensors.Attitude) else each for each in run.study.sensors]
    error = analysis.estimate_error(simulate(replace(run.study, sensors=tuple(exact))))
    for axis, drift in zip("xyz", error.drift, strict=True):
        yield Row(f"without that error: drift along {axis} for each metre walked", "1", 1e-3, drift, 0.0, "<=")


def full(setting: Setting) -> Iterator[Row]:
    """The walk in full: compliant feet, motors with limits, friction of gears, sensors, estimator."""
    run = _run(setting)
    yield from walk_rows(run, "computed torques, in full", run.study.seconds)
    short = replace(run.study, seconds=10.0)
    taken = processor_time(lambda: simulate(short), 3)
    yield Row("simulated time over processor time, all loops and sensors", "1", 20.0, short.seconds / taken, 0.0, ">=")


def errors(setting: Setting) -> Iterator[Row]:
    """The same while the robot is not as the controller believes."""
    for title, more in list(ERRORS.items())[-1 if setting.quick else 0 :]:
        run = _run(setting, **more)
        how = f"{speed(run):.4f} m/s, slip {1e3 * slip(run):.2f} mm in a step"
        yield Row(f"{title}: walks without a fall", "s", run.study.seconds, float(run.time[-1]), 0.0, ">=", how=how)


def pushes(setting: Setting) -> Iterator[Row]:
    """Pushes of 6 N s in 0.1 s at the torso, any direction and phase, in full; watched for 10 s."""
    runs = 6 if setting.quick else 100
    cases: dict[str, tuple[dict[str, Any], float]] = {
        "with step adjustment": ({}, 95.0),
        "by the ankles alone, as told only": ({"adjust": 0.0}, 0.0),
        "by neither, as told only": ({"adjust": 0.0, "gain": 0.0}, 0.0),
    }
    for title, (more, demand) in list(cases.items())[: 1 if setting.quick else None]:
        part = survived(setting, draw(NAME, FULL | more, runs, setting.seed))
        how = f"{runs} runs, seed {setting.seed}"
        yield Row(f"pushes of 6 N s survived, {title}", "%", demand, part, 0.0, ">=", how=how)


def person(setting: Setting) -> Iterator[Row]:
    """A person at 1 m/s: the same controller with other numbers, on rigid ground, on the truth."""
    run = simulate(studies.load("person-walk", seconds=QUICK if setting.quick else SECONDS))
    yield from walk_rows(run, "person", run.study.seconds, 1.0)


STUDIES = {"estimator": estimator, "full": full, "errors": errors, "pushes": pushes, "person": person}
