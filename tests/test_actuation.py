"""Motors on a supply, motors against their limits, and an ankle on two ballscrews."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import reproduce
from footfall.control import Compiled, Hold
from footfall.errors import RobotError, SingularError, StateError
from footfall.reproduce import Setting
from footfall.robots.johnnie import ANKLE
from footfall.sim.study import Study
from footfall.world import World

INERTIA = 0.3
SUPPLIED = ff.Motor(1e-5, 50.0, torque_constant=0.02, resistance=1.3, contact_voltage=0.7, voltage=12.7)
WHOLE = INERTIA + 1e-5 * 50.0**2


def torque(obs, params, state, goal, command):
    command.tau[0] = params.numbers[0]
    return 0


def run(motor, T, v=0.0, seconds=0.5, **more):
    hinge = ff.Joint("hinge", "revolute", "world", "wheel", motor=motor, **more)
    robot = ff.Robot("wheel", "planar", (ff.Link("wheel", 1.0, inertia=INERTIA),), (hinge,))
    controller = Compiled(1000.0, torque, {"numbers": (T,)})
    return ff.simulate(Study(robot, World(gravity=0.0), controller, (0.0,), (v,), seconds=seconds, record_dt=0.001))


def test_a_motor_on_a_supply_runs_up_as_a_first_order_lag():
    """J dw/dt = k (U - k w) / R with k = G K and U less the brushes: w = U/k (1 - exp(-k^2 t / R J))."""
    k, U = 1.0, 12.0
    found = run(SUPPLIED, 1e3)
    exact = U / k * (1.0 - np.exp(-(k**2) * found.time / 1.3 / WHOLE))
    assert np.abs(found.v[:, 0] - exact).max() < 3e-3 * U
    assert SUPPLIED.no_load == 12.0
    assert SUPPLIED.strongest == pytest.approx(12.0 / 1.3)
    power = ff.analysis.power(found)
    assert np.abs(power.voltage).max() <= 12.7 * (1.0 + 5e-3)


def test_braking_is_limited_by_the_current_only():
    found = run(replace(SUPPLIED, current=5.0), -1e3, v=11.0, seconds=0.1)
    assert np.allclose(found.tau[1:, 0], -5.0)


def test_beyond_no_load_it_does_not_drive():
    found = run(SUPPLIED, 5.0, v=15.0, seconds=0.2)
    assert np.abs(found.tau[:, 0]).max() < 1e-12
    assert found.v[-1, 0] == pytest.approx(15.0)


def test_the_speed_limit_holds():
    found = run(ff.Motor(speed=3.0), 5.0, seconds=1.0)
    assert found.v[:, 0].max() < 3.0 + 5.0 / INERTIA * 1e-3
    assert ff.analysis.actuation(found)["hinge"].speed.part == pytest.approx(1.0, abs=0.01)


def test_the_curve_of_a_motor():
    assert SUPPLIED.driving(0.0) == pytest.approx(12.0 / 1.3)
    assert SUPPLIED.driving(6.0) == pytest.approx(6.0 / 1.3)
    assert SUPPLIED.driving(-13.0) == 0.0


def test_a_supply_is_refused_where_it_means_nothing():
    with pytest.raises(RobotError, match="current and voltage mean nothing without a torque_constant"):
        ff.Motor(voltage=12.0)
    with pytest.raises(RobotError, match="a supply of 12 V needs a resistance above 0 ohm"):
        ff.Motor(voltage=12.0, torque_constant=0.02)
    with pytest.raises(RobotError, match="must be above that at the brushes, 0.7 V, got 0.5"):
        replace(SUPPLIED, voltage=0.5)


def test_actuation_reports_values_and_limits():
    found = ff.analysis.actuation(run(replace(SUPPLIED, current=5.0, voltage=48.0), 100.0, seconds=0.2))["hinge"]
    assert (found.torque.value, found.torque.limit) == (pytest.approx(5.0), 5.0)
    assert found.current.value == pytest.approx(5.0)
    assert found.rms_current == pytest.approx(5.0, rel=1e-6)
    assert found.within
    w = 0.2 * 5.0 / WHOLE
    assert found.voltage.value == pytest.approx(1.3 * 5.0 + 0.7 + w, rel=1e-3)
    assert found.power == pytest.approx(5.0 * (1.3 * 5.0 + 0.7 + w), rel=2e-3)


def test_johnnie_has_the_torques_and_speeds_that_walking_needs():
    robot = ff.robots.load("johnnie", motors="real", feet="compliant")
    needed = {"hip_yaw": 10, "hip_roll": 40, "hip_pitch": 45, "knee": 85, "ankle_pitch": 45, "ankle_roll": 12}
    for name, most in needed.items():
        motor = robot.joint(f"{name}_left").motor
        assert motor.strongest > 1.5 * most
        assert motor.driving(4.0) > 1.5 * most
        assert 4.0 <= motor.speed <= 6.0
        assert 100.0 <= motor.gear <= 160.0
    assert robot.joint("knee_left") == replace(
        robot.joint("knee_right"), name="knee_left", parent="thigh_left", child="shank_left"
    )
    assert robot.foot("foot_left").compliance.stiffness == 5e4
    assert ff.robots.load("johnnie") == ff.robots.load("johnnie", motors="ideal", feet="rigid")


def crouch():
    robot = ff.robots.load("johnnie", motors="real", feet="compliant")
    angles = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4}
    q = robot.configuration({f"{joint}_{side}": x for joint, x in angles.items() for side in ("left", "right")})
    return ff.simulate(robot, Hold(stiffness=2000.0, damping=40.0), q=tuple(q), seconds=1.0, lift=True)


def test_johnnie_stands_on_its_elements_within_its_limits():
    found = crouch()
    assert not found.fell
    assert not ff.analysis.actuation(found).exceeded
    for side in ("left", "right"):
        screws = ff.analysis.screws(found, ANKLE, (f"ankle_pitch_{side}", f"ankle_roll_{side}"))
        assert screws.within
        assert 0.0 < screws.force[0].part < 1.0
    with pytest.raises(StateError, match="joints must be the pitch and the roll"):
        ff.analysis.screws(found, ANKLE, ("knee",))


def place(angles, side):
    """The lower end of a screw by matrices of SciPy."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("YX", angles).apply(np.array(ANKLE.foot) * (1.0, side, 1.0))


@pytest.mark.parametrize("angles", [(0.0, 0.0), (0.3, 0.1), (-0.4, -0.2), (0.2, -0.25)])
def test_screws_and_angles(angles):
    exact = [np.linalg.norm(place(angles, side) - np.array(ANKLE.shank) * (1.0, side, 1.0)) for side in (1.0, -1.0)]
    assert np.allclose(ANKLE.lengths(angles), exact, rtol=1e-14)
    assert np.allclose(ANKLE.angles(exact), angles, atol=1e-10)
    h = 1e-6
    for j, step in enumerate(((h, 0.0), (0.0, h))):
        slope = (ANKLE.lengths(np.add(angles, step)) - ANKLE.lengths(np.subtract(angles, step))) / 2 / h
        assert np.allclose(ANKLE.jacobian(angles)[:, j], slope, atol=1e-9)
    forces = np.array((200.0, -350.0))
    torques = ANKLE.torques(angles, forces)
    assert np.allclose(ANKLE.forces(angles, torques), forces)
    rates = np.array((1.3, -0.7))
    assert torques @ rates == pytest.approx(forces @ (ANKLE.jacobian(angles) @ rates))  # the same power on both sides


def test_the_screws_of_johnnie_have_the_ratio_of_its_joints():
    assert abs(ANKLE.ratio((0.0, 0.0))[0, 0]) == pytest.approx(2 * np.pi / 0.004 * 0.075)
    both = 2 * 0.075 * ANKLE.motor.strongest
    assert both > 1.5 * 45.0


def test_ankles_that_make_no_sense_are_refused():
    with pytest.raises(RobotError, match="cannot turn the foot both ways"):
        ff.ScrewAnkle(shank=(-0.1, 0.0, 0.2), foot=(-0.1, 0.0, 0.0), lead=0.004)
    with pytest.raises(RobotError, match="leaves out the zero pose"):
        replace(ANKLE, stroke=(0.3, 0.4))
    with pytest.raises(SingularError, match="no pitch and roll within 90 degrees has lengths"):
        ANKLE.angles((0.5, 0.1))
    with pytest.raises(StateError, match="two finite numbers"):
        ANKLE.lengths((0.1,))


def test_the_friction_curve_is_drawn_with_units(tmp_path):
    robot = ff.robots.load("johnnie", motors="real")
    figure = ff.view.friction(robot, "knee_left", path=tmp_path / "friction.png")
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("speed (rad/s)", "friction (N m)")
    line = figure.axes[0].lines[0].get_xydata()
    knee = robot.joint("knee_left")
    last = line[np.argmax(line[:, 0] == np.nanmax(line[:, 0]))]
    assert last[1] == pytest.approx(-(knee.friction + knee.damping * last[0]), rel=1e-6)
    assert (tmp_path / "friction.png").stat().st_size > 1000
    with pytest.raises(RobotError, match="has no joint with friction"):
        ff.view.friction(ff.robots.load("johnnie"))


@pytest.mark.parametrize("study", ["matrices", "friction", "contact-elements", "closed-chain", "ankle-drives"])
def test_rows_of_the_paper(study):
    rows = list(reproduce.rows(f"johnnie-actuation/{study}", Setting(quick=True, workers=1)))
    assert rows
    assert [row.quantity for row in rows if not row.ok] == []
