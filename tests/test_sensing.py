"""Sensors in a run: between the truth and controllers, recorded, saved and replayed."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import footfall as ff
from footfall import kinematics, robots
from footfall.control import Controller, Hold, Layered
from footfall.core.jit import kernel
from footfall.engines import Hybrid, Maximal
from footfall.engines.hybrid.modes import Mode
from footfall.errors import FootfallError, SimulationError, UnknownNameError
from footfall.model.layout import rotation
from footfall.model.parts import Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.sensors import Accelerometer, Attitude, Encoders, FootForce, SensorError, Unmeasured

NOISY = (
    Encoders(resolution=1e-3, cutoff=60.0),
    Attitude(bandwidth=85.0, noise=1e-4, gyro_noise=1e-3, delay=0.002, rate=500.0),
    FootForce(bandwidth=50.0, force_noise=0.1, force_resolution=0.5),
)


def standing(**more):
    """RABBIT stands on bent knees; recorded at every step."""
    robot = robots.load("rabbit")
    q = robot.configuration(hip_left=-0.3, knee_left=0.5, hip_right=-0.1, knee_right=0.3)
    given = {"controller": Hold(), "seconds": 0.1, "record_dt": 1e-3, "record": ("sensors",)} | more
    return ff.Study(robot, q=tuple(q), **given)


def test_without_sensors_nothing_changes():
    """Recording what is seen, ideal sensors, and none at all give the same bits."""
    plain = ff.simulate(standing(record=()), lift=True)
    assert not plain.more
    seen = ff.simulate(standing(), lift=True)
    ideal = ff.simulate(standing(sensors=(Encoders(velocity="ideal"), Attitude())), lift=True)
    for run in (seen, ideal):
        assert all((run.series[name] == plain.series[name]).all() for name in plain.series)
        assert (run.more["obs.q.knee_left"] == run.columns()["q.knee_left"]).all()
    assert np.isnan(seen.more["obs.wrench.foot_left.fz"]).all()


def test_controllers_see_what_sensors_show():
    """In Python and compiled: the law writes what it sees as its command."""
    for law in (_echo, kernel(_echo)):
        probe = type("Probe", (Controller,), {"law": law, "__module__": __name__})
        run = ff.simulate(standing(controller=dataclass(frozen=True)(probe)(), sensors=NOISY, seconds=0.02), lift=True)
        for name in ("hip_left", "knee_right"):
            np.testing.assert_allclose(run.columns()[f"tau.{name}"], run.more[f"obs.q.{name}"], rtol=0, atol=1e-15)
        steps = run.more["obs.q.knee_left"] / 1e-3
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)


def _echo(obs, params, state, goal, command):
    for i in range(len(command.tau)):
        command.tau[i] = obs.q[i]
    return 0


def test_the_same_seed_the_same_run_and_saved_and_replayed(tmp_path):
    study = standing(sensors=NOISY, seed=5)
    run = ff.simulate(study, lift=True)
    assert run == ff.simulate(study, lift=True)
    assert run == run.replay()
    assert run != ff.simulate(replace(study, seed=6), lift=True)
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.study.sensors == NOISY
    assert again.replay() == run
    run.to_csv(tmp_path / "run.csv")
    assert "obs.wrench.foot_left.fz" in (tmp_path / "run.csv").read_text().split("\n")[0]


def test_advancing_in_pieces_changes_nothing():
    study = standing(sensors=NOISY, seed=5)
    whole = ff.simulate(study, lift=True)
    simulation = ff.Simulation(study, lift=True)
    for _ in range(4):
        simulation.advance(0.025)
    pieces = simulation.run()
    assert all((whole.columns()[name] == column).all() for name, column in pieces.columns().items())
    simulation.advance(0.1)  # more than was foreseen: the record grows
    assert len(simulation.run().more["obs.q.base.x"]) == len(simulation.run().time) == 201


@pytest.mark.parametrize("engine", [None, Maximal(pinned=True)])
def test_the_truth_at_a_foot(engine):
    """An ideal force sensor shows the forces of the step before, in the foot's axes. Recorded forces are means of the step: in time
    stepping those of its two ends, in maximal coordinates that of the step. Impacts are no part of what sensors show.
    """
    more = {} if engine is None else {"engine": engine}
    run = ff.simulate(_on_feet(sensors=(FootForce(),), **more), lift=True)
    robot = run.robot
    assert max(run.more[f"obs.wrench.{foot.name}.fz"].max() for foot in robot.feet) > 50.0
    smooth = [i for i in range(2, len(run.time) - 2) if not run.impacts[i - 2 : i + 3].any()]
    for foot in robot.feet:
        shown = np.column_stack([run.more[f"obs.wrench.{foot.name}.{axis}"] for axis in ("fx", "fz")])
        assert (shown[0] == 0.0).all()
        turned = []
        for row in range(1, len(run.time)):
            R = rotation(float(kinematics.pose(robot, run.q[row - 1], foot.pads[0].link).angle))
            turned.append((R @ (shown[row, 0], 0.0, shown[row, 1]))[[0, 2]])
        at = np.array(turned)  # of instants 0, 1, ...
        for row in smooth:
            mean = run.force[row, run.of(foot.name)].sum(axis=0)
            wanted = 0.5 * (at[row - 1] + at[row]) if engine is None else at[row - 1]
            np.testing.assert_allclose(wanted, mean, rtol=0.0, atol=1e-9 if engine is None else 0.05 * abs(mean[1]) + 1e-9)


def _on_feet(**more):
    robot = robots.load("ranger")
    q = robot.configuration({"hip": -0.35, "base.pitch": 0.05})
    given = {"controller": Hold(stiffness=200.0, damping=5.0), "seconds": 0.2, "record_dt": 1e-3, "record": ("sensors",)} | more
    return ff.Study(robot, q=tuple(q), v=tuple(robot.velocity({"base.pitch": 0.8})), **given)


def test_six_axes_and_gravity_in_space():
    """JOHNNIE stands: its feet carry its weight, mirrored, and its accelerometer shows g."""
    robot = robots.load("johnnie")
    frames = ("sole_left", "sole_right")
    sensors = (FootForce(frames=frames), Accelerometer(frame="torso", bandwidth=20.0), Encoders(resolution=1e-5), Attitude())
    run = ff.simulate(robot, Hold(), sensors=sensors, record=("sensors",), seconds=0.5, lift=True)
    left, right = (
        [run.more[f"obs.wrench.foot_{side}.{axis}"] for axis in ("fx", "fy", "fz", "mx", "my", "mz")]
        for side in ("left", "right")
    )
    assert left[2][-1] + right[2][-1] == pytest.approx(robot.mass * 9.81, rel=0.01)
    for i, sign in enumerate((1, -1, 1, -1, 1, -1)):
        np.testing.assert_allclose(right[i], sign * left[i], rtol=0.0, atol=1e-6)
    assert run.more["obs.acceleration.torso.z"][-1] == pytest.approx(9.81, rel=0.01)
    assert (run.more["obs.q.knee_left"] == run.more["obs.q.knee_right"]).all()


def test_unmeasured_coordinates_stay_as_they_were():
    run = ff.simulate(_on_feet(sensors=(Unmeasured(names=("base.x", "base.z")),)), lift=True)
    assert (run.more["obs.q.base.x"] == run.q[0, 0]).all()
    assert (run.more["obs.v.base.z"] == 0.0).all()
    assert abs(run.q[-1, 0] - run.q[0, 0]) > 0.01


# --- an estimator is a layer ----------------------------------------------------------------------------------------------


def arm():
    links = (Link("arm", 1.0, com=(0.0, -0.5), inertia=0.02),)
    return Robot("arm", "planar", links, (Joint("pivot", "revolute", "world", "arm", motor=Motor()),))


def _estimate(obs, params, state, goal, command):
    """A Luenberger observer: a model that moves on by itself, corrected by what the encoder shows."""
    step = 1.0 / params.rate
    error = obs.q[0] - state.angle
    state.angle += step * (state.speed + params.correction * error)
    state.speed += step * 0.25 * params.correction * params.correction * error
    command.angle = state.angle
    command.speed = state.speed
    return 0


def _still(obs, params, state, goal, command):
    command.tau[0] = -params.stiffness * goal.angle - params.damping * goal.speed
    return 0


def layers(as_kernels):
    """The estimator above, the controller that follows its estimate below."""
    how = kernel if as_kernels else (lambda law: law)

    @dataclass(frozen=True)
    class Observer(Controller):
        correction: float = quantity("1/s", "how fast it follows the encoder", 200.0, low=1.0, high=1e4)

        class State:
            angle: float = 0.0
            speed: float = 0.0

        law = how(_estimate)

    @dataclass(frozen=True)
    class Still(Controller):
        stiffness: float = quantity("N m/rad", "about hanging down", 30.0, low=0.0)
        damping: float = quantity("N m s/rad", "about hanging down", 4.0, low=0.0)

        class Goal:
            angle: float = 0.0
            speed: float = 0.0

        law = how(_still)

    return Layered((Observer(), Still()))


def test_an_estimator_is_a_layer():
    """Its estimate of the velocity is better than the differences of a coarse encoder; compiled and in Python alike."""
    given = {"q": (0.3,), "sensors": (Encoders(resolution=5e-3),), "record": ("sensors",), "record_dt": 1e-3}
    study = ff.Study(arm(), controller=layers(True), seconds=2.0, **given)
    run = ff.simulate(study)
    assert abs(run.q[-1, 0]) < 0.02
    observer, below = study.controller.layers
    brake = replace(study, controller=Layered((observer, replace(below, stiffness=0.0, damping=0.1))))
    run = ff.simulate(brake)
    truth, raw, estimate = run.v[500:, 0], run.more["obs.v.pivot"][500:], -run.tau[500:, 0] / 0.1
    assert np.abs(truth).max() > 0.1
    assert np.std(estimate - truth) < 0.1 * np.std(raw - truth)
    slow = ff.simulate(replace(brake, controller=layers(False), seconds=0.2))
    fast = ff.simulate(replace(brake, controller=layers(True), seconds=0.2))
    assert all((slow.columns()[name] == column).all() for name, column in fast.columns().items())


def test_layers_cannot_write_into_sensors_or_the_truth():
    """A layer in Python is given copies, above others and behind sensors too."""

    @dataclass(frozen=True)
    class Watch(Controller):
        meddles: bool = False

        def law(obs, params, state, goal, command):
            command.speed = float(obs.v[3])
            if params.meddles:
                for array in obs[1:]:
                    array[...] = 7
            return 0

    class Brake(Watch):
        class Goal:
            speed: float = 0.0

        def law(obs, params, state, goal, command):
            command.tau[3] = -5.0 * goal.speed - obs.v[3]
            if params.meddles:
                for array in obs[1:]:
                    array[...] = 7
            return 0

    both = (Layered((Watch(meddles=each), Brake(meddles=each))) for each in (False, True))
    honest, meddling = (ff.simulate(standing(controller=each, sensors=NOISY), lift=True) for each in both)
    assert honest.tau.any()
    assert honest == meddling


# --- what is refused ------------------------------------------------------------------------------------------------------


def test_what_is_refused():
    with pytest.raises(SimulationError, match="takes no controller, and so no sensors"):
        ff.simulate(arm(), engine=Hybrid((Mode("swings"),), "swings"), sensors=(Encoders(),))
    with pytest.raises(SimulationError, match="sensors must be a row of sensors"):
        standing(sensors=(Hold(),))
    with pytest.raises(UnknownNameError, match="sensors"):
        standing(record=("sensor",))
    with pytest.raises(SensorError, match="steps of 0.001 s"):
        ff.simulate(standing(sensors=(Encoders(rate=300.0),)), lift=True)
    with pytest.raises(FootfallError, match="seed"):
        standing(seed=-1)
