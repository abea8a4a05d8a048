"""SIMBICON beside its published formulas, and what its gaits must bear."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import kinematics
from footfall.analysis.steps import steps
from footfall.control import Simbicon
from footfall.control.controller import ControlError
from footfall.control.trial import Trial
from footfall.errors import UnknownNameError

# Table of the authors' program, walk: torso, swing hip, c_d, c_v, swing knee, stance knee, swing ankle, stance ankle
FIRST = (0.0, 0.4, 0.0, 0.2, -1.1, -0.05, 0.2, 0.2)
SECOND = (0.0, -0.7, 2.2, 0.0, -0.05, -0.1, 0.2, 0.2)


def program(robot, q, v, row, stance, swing):
    """Torques as the program works them out, in its signs: forward and toe up positive."""
    torso, hip, c_d, c_v, swing_knee, stance_knee, swing_ankle, stance_ankle = row
    heel = kinematics.pose(robot, q, f"foot_{stance}", at=(-0.04, -0.04)).position[0]
    angle = {name: -value for name, value in zip(robot.coordinates, q, strict=True)}
    rate = {name: -value for name, value in zip(robot.velocities, v, strict=True)}
    target = np.clip(hip + c_d * (q[0] - heel) + c_v * v[0], -0.4, 1.6)
    body = 300 * (torso - angle["base.pitch"]) - 30 * rate["base.pitch"]
    name = f"hip_{swing}"
    out = {name: 300 * (target - angle["base.pitch"] - angle[name]) - 30 * (rate["base.pitch"] + rate[name])}
    out[f"hip_{stance}"] = -body - out[name]
    for side, knee, ankle in ((swing, swing_knee, swing_ankle), (stance, stance_knee, stance_ankle)):
        out[f"knee_{side}"] = 300 * (knee - angle[f"knee_{side}"]) - 30 * rate[f"knee_{side}"]
        out[f"ankle_{side}"] = 300 * (ankle - angle[f"ankle_{side}"]) - 30 * rate[f"ankle_{side}"]
    return np.array([-out.get(name, 0.0) for name in robot.coordinates])


@pytest.mark.parametrize(("state", "row", "stance", "swing"), [(0, FIRST, "left", "right"), (1, SECOND, "left", "right"),
                                                                (2, FIRST, "right", "left"), (3, SECOND, "right", "left")])  # fmt: skip
def test_torques_are_those_of_the_program(state, row, stance, swing):
    robot, rng = ff.robots.load("simbicon"), np.random.default_rng(state)
    for _ in range(10):
        q, v = rng.normal(0.0, 0.3, 9), rng.normal(size=9)
        trial = Trial(Simbicon(), robot, q, 9.8, contacts=4)
        trial.state.part = state
        assert trial.ask(0.1, q, v) == 0  # no foot strikes
        assert trial.forces(q, v) == pytest.approx(program(robot, q, v, row, stance, swing), abs=1e-9)


@pytest.mark.parametrize(("name", "more"), [("walk", {}), ("run", {}), ("run", {"fast": True}), ("crouch", {})])
def test_it_goes_five_hundred_steps(name, more):
    run = ff.simulate(ff.studies.load(f"simbicon-{name}", seconds=190.0, **more))
    assert run.outcome is ff.Outcome.END
    found = steps(run)
    assert len(found.rows) >= 500
    assert (found.flight > 0.2) == (name == "run")


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("ground", ["rigid", "soft"])
def test_pushed_it_walks_on(backward, ground):
    run = ff.simulate(ff.studies.load("simbicon-walk", ground=ground, push=-60.0 if backward else 60.0))
    assert run.outcome is ff.Outcome.END
    assert run.q[-1, 0] > 15.0


def test_it_changes_its_gait():
    study = ff.studies.load("simbicon-walk", seconds=30.0)
    run = ff.simulate(replace(study, controller=Simbicon(gaits=("walk", "run", "walk", "crouch"), times=(8.0, 15.0, 22.0))))
    assert run.outcome is ff.Outcome.END
    flies = (run.mode == 0).all(axis=1)
    assert [flies[(run.time > a) & (run.time < a + 5)].any() for a in (3.0, 10.0, 17.0)] == [False, True, False]
    assert run.q[run.time > 25.0, 1].max() < 0.85


def test_what_it_refuses():
    with pytest.raises(UnknownNameError, match="hop"):
        Simbicon(gaits=("hop",))
    with pytest.raises(ControlError, match="must have the coordinates"):
        ff.simulate(ff.robots.load("compass"), Simbicon(), seconds=0.1)
    with pytest.raises(UnknownNameError, match="ice"):
        ff.studies.load("simbicon-walk", ground="ice")
