"""Section 5 of the paper on JOHNNIE: it walks at 2 km/h by joint position control with ankle torque control.

The full setting has compliant feet, motors with limits, gear friction, sensors with errors, and an estimator in the loop. All
runs have the shipped settings. What is measured is measured over the whole run, from standing on.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import studies
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time
from footfall.reproduce._walking import draw, slip, speed, survived, walk_rows, zmp_error, zmp_margin
from footfall.sim.run import Run
from footfall.sim.simulate import simulate
from footfall.studies._walks import FULL

NAME, RIGID, OTHER = "johnnie-walk", "johnnie-walk-rigid", "johnnie-walk-computed-torque"
WRONG: dict[str, dict[str, Any]] = {  # true robot over that which the controller believes in
    "masses and inertias + 10 %": {"masses": 1.1, "inertias": 1.1},
    "masses and inertias - 10 %": {"masses": 0.9, "inertias": 0.9},
    "those of each link by chance, within 10 %": {"spread": 0.1},
    "gear friction doubled": {"rubs": 2.0},
    "sensors late by a tick of the outer loop, 2 ms": {"late": 2},
    "all together: masses - 10 %, friction doubled, 2 ms late": {"masses": 0.9, "inertias": 0.9, "rubs": 2.0, "late": 2},
}
LARGER: tuple[tuple[float, dict[str, Any], str], ...] = (
    (9.0, {}, "with step adjustment"),
    (9.0, {"adjust": 0.0}, "without"),
    (12.0, {}, "with step adjustment"),
)


def _ran(setting: Setting, name: str, **given: Any) -> tuple[Run, float]:
    """A run of the study, and the seconds that it should last."""
    study = studies.load(name, **given)
    study = replace(study, seconds=10.0 if setting.quick else study.seconds, seed=setting.seed)
    return simulate(study), study.seconds


def walk(setting: Setting) -> Iterator[Row]:
    """A minute at 2 km/h in the full setting."""
    run, seconds = _ran(setting, NAME)
    yield from walk_rows(run, "full setting", seconds)
    study = replace(studies.load(NAME), seconds=10.0)
    taken = processor_time(lambda: simulate(study), 3)
    yield Row("simulated time over processor time, all loops and sensors", "1", 20.0, study.seconds / taken, 0.0, ">=")


def rigid(setting: Setting) -> Iterator[Row]:
    """A minute at 2 km/h on rigid feet, with ideal motors and true state; the planned ZMP against the measured one."""
    run, seconds = _ran(setting, RIGID)
    yield from walk_rows(run, "rigid feet", seconds)
    study = replace(studies.load(RIGID), seconds=8.0 if setting.quick else 20.0, record_dt=2e-3, record=("controller.state",))
    trimmed, whole = zmp_error(simulate(study))
    what, how = "planned ZMP from the centre of pressure, single support", f"{1e3 * whole:.3g} mm over the whole phase"
    yield Row(f"{what} less 30 ms at both ends", "mm", 5.0, 1e3 * trimmed, 0.0, "<=", how)


def pushes(setting: Setting) -> Iterator[Row]:
    """Pushes of 6 N s in 0.1 s on the torso, in any direction and phase, watched for 10 s, in the full setting."""
    runs = 6 if setting.quick else 100
    how = f"{runs} runs, seed {setting.seed}"
    schemes = {
        "ankle torque control and step adjustment": ({}, 95.0),
        "ankle torque control alone, the paper's scheme": ({"adjust": 0.0}, 85.0),
        "neither, as told only": ({"adjust": 0.0, "ankles": 0.0}, 0.0),
    }
    for title, (given, bound) in schemes.items():
        part = survived(setting, draw(NAME, given, runs, setting.seed))
        yield Row(f"pushes of 6 N s survived: {title}", "%", bound, part, 0.0, ">=", how)
    for size, given, title in () if setting.quick else LARGER:
        part = survived(setting, draw(NAME, given, runs, setting.seed, size))
        yield Row(f"pushes of {size:g} N s survived, as told only: {title}", "%", 0.0, part, 0.0, ">=", how)


def model_errors(setting: Setting) -> Iterator[Row]:
    """The robot is not as the controller believes, in the full setting."""
    for title, given in WRONG.items():
        run, seconds = _ran(setting, NAME, **given)
        yield Row(f"{title}: walks without a fall", "s", seconds, float(run.time[-1]), 0.0, ">=", _told(run))


def _told(run: Run) -> str:
    """Speed, slip, margin and torque of a run."""
    torque, margin = float(np.abs(run.tau_peak).max()), 1e3 * zmp_margin(run)
    slid = f"slip {1e3 * slip(run):.2f} mm in a step"
    return f"{speed(run):.4f} m/s, {slid}, ZMP {margin:.1f} mm inside, largest torque {torque:.1f} N m"


def schemes(setting: Setting) -> Iterator[Row]:
    """Both control schemes on the same walk, in the plain and in the full setting, with pushes of 6 N s."""
    runs = 4 if setting.quick else 100
    for where, name, given in (
        ("rigid feet, position control", RIGID, {}),
        ("rigid feet, computed torque", OTHER, {}),
        ("full setting, position control", NAME, {}),
        ("full setting, computed torque", OTHER, FULL),
    ):
        run, seconds = _ran(setting, name, **given)
        part = survived(setting, draw(name, given, runs, setting.seed))
        how = f"{_told(run)}; {part:.0f} % of {runs} pushes survived"
        yield Row(f"{where}: walks without a fall", "s", seconds, float(run.time[-1]), 0.0, ">=", how)


STUDIES = {"walk": walk, "rigid": rigid, "pushes": pushes, "model-errors": model_errors, "schemes": schemes}
