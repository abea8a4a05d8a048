"""Friction of gears after Stribeck: the curve, a flywheel that runs down, the threshold of stiction, files and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import footfall as ff
from footfall.control import Compiled
from footfall.engines import Maximal
from footfall.errors import RobotError
from footfall.model.file import parse_robot, robot_text
from footfall.model.mjcf import mjcf_text
from footfall.model.urdf import urdf_text
from footfall.sim.study import Study
from footfall.world import World

INERTIA, COULOMB, STATIC, SPEED, VISCOUS = 0.3, 0.2, 0.5, 0.4, 0.05


def flywheel(**options):
    rubs = {"friction": COULOMB, "static_friction": STATIC, "stribeck_velocity": SPEED, "damping": VISCOUS} | options
    hinge = ff.Joint("hinge", "revolute", "world", "wheel", motor=ff.Motor(), **rubs)
    return ff.Robot("flywheel", "planar", (ff.Link("wheel", 1.0, inertia=INERTIA),), (hinge,))


def torque(obs, params, state, goal, command):
    command.tau[0] = params.numbers[0] + params.numbers[1] * obs.time
    return 0


def run(robot, start=0.0, numbers=(0.0, 0.0), seconds=1.0, **more):
    controller = Compiled(min(1000.0, 1.0 / more.get("dt", 1e-3)), torque, {"numbers": numbers})
    study = Study(robot, World(gravity=0.0), controller, (0.0,), (start,), seconds=seconds, record_dt=0.001, **more)
    return ff.simulate(study)


def resistance(v):
    """The paper's figure 4.1 written out."""
    return COULOMB + (STATIC - COULOMB) * np.exp(-((v / SPEED) ** 2)) + VISCOUS * np.abs(v)


@pytest.mark.parametrize("engine", [None, Maximal()])
def test_a_flywheel_runs_down_as_the_differential_equation_says(engine):
    """J dv/dt = -F(v), integrated by SciPy to 1e-10; it stops, and stays."""
    found = run(flywheel(), start=2.0, seconds=3.0, **({} if engine is None else {"engine": engine}))
    fine = solve_ivp(lambda _, y: [-resistance(y[0]) / INERTIA], (0.0, 3.0), [2.0], rtol=1e-10, atol=1e-12, dense_output=True)
    speed = np.maximum(fine.sol(found.time)[0], 0.0)
    stops = found.time[np.argmax(speed < 1e-6)]
    assert 1.0 < stops < 2.5
    assert np.abs(found.v[:, 0] - speed).max() < 2e-3
    assert np.abs(found.v[found.time > stops + 0.01, 0]).max() < 1e-9


def test_the_way_of_a_run_down():
    found = run(flywheel(), start=2.0, seconds=1.0)
    fine = solve_ivp(lambda _, y: [y[1], -resistance(y[1]) / INERTIA], (0.0, 1.0), [0.0, 2.0], rtol=1e-11, atol=1e-13)
    assert found.q[-1, 0] == pytest.approx(fine.y[0, -1], abs=1e-7)


def test_a_joint_holds_until_the_torque_exceeds_static_friction():
    """A torque that grows by 1 N m/s sets it in motion at STATIC seconds, and then drives it with less friction."""
    found = run(flywheel(damping=0.0), numbers=(0.0, 1.0), seconds=0.8)
    moved = found.time[np.argmax(np.abs(found.v[:, 0]) > 1e-6)]
    assert moved == pytest.approx(STATIC, abs=3e-3)
    assert np.abs(found.q[found.time < STATIC - 2e-3, 0]).max() < 1e-7
    fine = solve_ivp(
        lambda t, y: [max(t - resistance(y[0]) + VISCOUS * abs(y[0]), 0.0) / INERTIA],
        (STATIC, 0.8),
        [0.0],
        rtol=1e-9,
        max_step=1e-4,
    )
    assert found.v[-1, 0] == pytest.approx(fine.y[0, -1], rel=1e-2)


@pytest.mark.parametrize(("T", "starts"), [(0.49, False), (0.51, True), (-0.49, False), (-0.51, True)])
def test_the_threshold_is_the_same_both_ways(T, starts):
    assert bool(abs(run(flywheel(), numbers=(T, 0.0), seconds=0.5).q[-1, 0]) > 1e-6) is starts


def test_stick_slip_on_a_belt():
    """A mass on a spring whose end moves at a constant speed: it sticks until k x = F_s, slips, and sticks again.

    With a tiny Stribeck velocity friction falls to F_c at once. The extension e is then F_c / k + A cos wt + (u / w) sin wt, with
    A = (F_s - F_c) / k and the speed u of the end, until the mass is at rest again: tan(wt / 2) = -A w / u.
    """
    k, pace, J = 40.0, 0.02, INERTIA
    robot = flywheel(damping=0.0, stribeck_velocity=1e-4)

    def pulled(obs, params, state, goal, command):
        command.tau[0] = params.k * (params.pace * obs.time - obs.q[0])
        return 0

    controller = Compiled(4000.0, pulled, {"k": k, "pace": pace})
    study = Study(robot, World(gravity=0.0), controller, (0.0,), (0.0,), seconds=2.0, dt=2.5e-4, record_dt=0.001)
    found = ff.simulate(study)
    slips = np.flatnonzero(np.diff((np.abs(found.v[:, 0]) > 1e-5).astype(int)) == 1)
    first = found.time[slips[0]]
    assert first == pytest.approx(STATIC / k / pace, rel=0.01)
    w, A = np.sqrt(k / J), (STATIC - COULOMB) / k
    angle = 2.0 * np.pi - 2.0 * np.arctan(A * w / pace)
    slip = pace * angle / w + A - A * np.cos(angle) - pace / w * np.sin(angle)
    after = found.q[found.time > first + angle / w + 0.1, 0][0]
    assert after == pytest.approx(slip, rel=0.01)


def test_friction_never_feeds_energy_in():
    """Whatever the step: kinetic energy of a free flywheel never grows."""
    for dt in (1e-4, 1e-3, 1e-2):
        found = run(flywheel(stribeck_velocity=1e-3, static_friction=5.0), start=1.0, seconds=1.0, dt=dt)
        assert np.all(np.diff(np.abs(found.v[:, 0])) < 1e-9)


def test_the_curve_is_the_formula_and_passive_uses_it():
    robot, v = flywheel(), np.linspace(-2.0, 2.0, 41)
    found = [ff.dynamics.passive(robot, (0.0,), (x,))[0] for x in v]
    assert np.allclose(found, -np.sign(v) * resistance(v), rtol=1e-14)


def test_files_keep_it_and_words_show_it():
    robot = flywheel()
    assert parse_robot(robot_text(robot)) == robot
    assert "0.5, to 0.4 rad/s" in robot.describe()
    assert parse_robot(robot_text(replace(robot, joints=(replace(robot.joints[0], static_friction=None),)))) != robot


def test_what_makes_no_sense_is_refused():
    with pytest.raises(
        RobotError, match="joint 'hinge': static_friction must be at least the friction in motion, 0.2 N m, got 0.1"
    ):
        flywheel(static_friction=0.1)
    with pytest.raises(RobotError, match="stribeck_velocity must be at least 1e-06 rad/s, got 0"):
        flywheel(stribeck_velocity=0.0)


@pytest.mark.parametrize("write", [mjcf_text, urdf_text])
def test_exports_say_that_it_is_left_out(write):
    assert any("friction at rest" in line for line in write(flywheel()).left_out)
