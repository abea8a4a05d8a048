"""Electric motors: friction under load against closed forms, power against the equations written out."""

import math
from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.control import Compiled
from footfall.errors import RobotError
from footfall.model.file import parse_robot, robot_text
from footfall.sim.study import Study
from footfall.world import World

INERTIA, DRY, LOAD = 0.3, 0.2, 0.1
MOTOR = ff.Motor(1e-5, 50.0, torque_constant=0.02, resistance=1.3, contact_voltage=0.7, current=6.0, load_friction=LOAD)
WHOLE = INERTIA + 1e-5 * 50.0**2


def wheel(motor=MOTOR, friction=DRY, **options):
    hinge = ff.Joint("hinge", "revolute", "world", "wheel", motor=motor, friction=friction, **options)
    return ff.Robot("wheel", "planar", (ff.Link("wheel", 1.0, inertia=INERTIA),), (hinge,))


def torque(obs, params, state, goal, command):
    command.tau[0] = params.numbers[0]
    return 0


def servo(obs, params, state, goal, command):
    command.stiffness[0], command.target[0], command.damping[0] = params.numbers[0], params.numbers[1], params.numbers[2]
    return 0


def run(robot, numbers, law=torque, v=0.0, seconds=0.2, **more):
    controller = Compiled(1000.0, law, {"numbers": tuple(numbers)})
    return ff.simulate(Study(robot, World(gravity=0.0), controller, (0.0,), (v,), seconds=seconds, record_dt=0.001, **more))


def test_friction_grows_with_the_load_and_opposes_motion():
    """(1 - mu) T - c drives, and a motor that brakes is helped by friction: (1 + mu) T + c."""
    for start, T, net in ((0.0, 2.0, 2.0 - 0.2 - DRY), (5.0, -2.0, -2.0 - 0.2 - DRY), (-5.0, -2.0, -2.0 + 0.2 + DRY)):
        found = run(wheel(), [T], v=start, seconds=0.1)
        assert found.v[-1, 0] == pytest.approx(start + 0.1 * net / WHOLE, rel=1e-9)


def test_friction_holds_a_joint_still_up_to_its_bound():
    lever = ff.Robot(
        "lever",
        "planar",
        (ff.Link("arm", 1.0, com=(1.0, 0.0)),),
        (ff.Joint("hinge", "revolute", "world", "arm", motor=MOTOR, friction=0.2),),
    )
    weight = 1.0 * 9.81
    for T, moves in ((-4.0, True), (-9.0, False), (-9.81, False), (-10.8, False), (-12.0, True)):
        strong = replace(MOTOR, current=20.0)  # 20 N m
        robot = replace(lever, joints=(replace(lever.joints[0], motor=strong),))
        study = Study(robot, World(gravity=9.81), Compiled(1000.0, torque, {"numbers": (T,)}), (0.0,), seconds=0.1)
        held = abs(T + weight) <= 0.2 + LOAD * abs(T)
        assert held is not moves
        assert bool(abs(ff.simulate(study).q[-1, 0]) < 1e-9) is held


def test_the_current_limits_the_torque():
    assert MOTOR.strongest == 6.0  # 50 * 0.02 * 6
    found = run(wheel(friction=0.0), [100.0])
    assert np.allclose(found.tau[:, 0], 6.0)
    assert ff.analysis.power(found).current.max() == pytest.approx(6.0)


def test_power_is_heat_brushes_and_work():
    found = run(wheel(), [-3.0], v=8.0, seconds=0.9)  # brakes, stops, and drives the other way
    power = ff.analysis.power(found)
    I, w = -3.0, found.v[:, 0]
    assert np.allclose(power.current, -3.0)
    assert np.allclose(power.voltage[:, 0], 1.3 * I - 0.7 + 50 * 0.02 * w)
    mean = 0.5 * (power.voltage[1:, 0] + power.voltage[:-1, 0]) * I  # exact: the rate is straight, but where it stands still
    turns = w[1:] * w[:-1] <= 0.0
    total = ff.analysis.power(found, regeneration=True).total[1:]
    assert np.allclose(total[~turns], mean[~turns])
    ends = np.sort(np.stack((power.voltage[1:, 0] * I, power.voltage[:-1, 0] * I)), axis=0)
    assert np.all((ends[0] - 1e-9 <= total) & (total <= ends[1] + 1e-9))  # where it turns, too
    assert np.allclose(power.peak[1:, 0], np.maximum(power.voltage[1:, 0] * I, 0.0), atol=0.05)
    assert np.all(power.total >= 0.0)
    back = 3.0 * w > 1.3 * 9.0 + 0.7 * 3.0
    assert back.any()
    assert not power.total[back].any()  # what it would give back is lost


def test_the_books_of_a_wheel_balance():
    """What the battery gave is heat, brushes, friction and motion."""
    found = run(wheel(damping=0.05), [2.0], seconds=1.0)
    cost = ff.analysis.cost_of_transport(found)
    moving = 0.5 * WHOLE * found.v[-1, 0] ** 2
    assert cost.electrical
    assert math.isnan(cost.total)  # it goes nowhere
    assert cost.drawn == pytest.approx(cost.heat + cost.brushes + cost.friction + moving, rel=1e-5)
    assert cost.friction == pytest.approx(
        (DRY + LOAD * 2.0) * found.q[-1, 0] + 0.05 * np.trapezoid(found.v[:, 0] ** 2, found.time), rel=1e-5
    )


def test_a_law_sets_the_servo_and_gets_the_damped_spring():
    """k (g - q) - d v on a wheel of inertia J: the closed form, to first order of the step."""
    k, goal, d = 40.0, 0.5, 1.0
    errors = []
    for step in (1e-3, 2.5e-4):
        robot = wheel(motor=ff.Motor(), friction=0.0)
        found = run(robot, [k, goal, d], servo, seconds=0.5, dt=step)
        decay = d / 2 / INERTIA
        way = math.sqrt(k / INERTIA - decay**2)
        t = found.time
        exact = goal - goal * np.exp(-decay * t) * (np.cos(way * t) + decay / way * np.sin(way * t))
        errors.append(np.abs(found.q[:, 0] - exact).max())
    assert errors[0] < 2e-2 * goal
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_a_servo_too_stiff_for_its_step_stays_calm():
    """1 ms is a hundred times too long for a foot of 2e-3 kg m2 under these gains by explicit steps."""
    light = replace(wheel(motor=ff.Motor(torque=1e4), friction=0.0), links=(ff.Link("wheel", 0.1, inertia=2e-3),))
    found = run(light, [2e4, 0.5, 20.0], servo, seconds=0.1)
    assert abs(found.q[-1, 0] - 0.5) < 1e-6
    assert found.q[:, 0].max() < 0.6


def test_motors_are_kept_in_files_and_refused_when_they_make_no_sense():
    robot = ff.robots.load("ranger")
    assert parse_robot(robot_text(robot)) == robot
    with pytest.raises(RobotError, match="mean nothing without a torque_constant"):
        ff.Motor(resistance=1.0)
    with pytest.raises(RobotError, match="load_friction must be from 0 to 0.999"):
        ff.Motor(load_friction=1.0)


@pytest.mark.parametrize(
    ("numbers", "resistance", "contact", "current"), [("kelly", 1.3, 0.7, 6.0), ("bhounsule", 1.0, 1.5, 8.0)]
)
def test_ranger_motors_are_those_of_the_source(numbers, resistance, contact, current):
    robot = ff.robots.load("ranger", numbers=numbers)
    for name, per_ampere in (("hip", 1.188), ("ankle_outer", 0.612)):
        motor = robot.joint(name).motor
        assert motor.per_ampere == pytest.approx(per_ampere)
        assert (motor.resistance, motor.contact_voltage, motor.current, motor.load_friction) == (
            resistance,
            contact,
            current,
            0.1,
        )


@pytest.mark.parametrize("damping", [0.1, 0.5, 2.0, 20.0])
@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("engine", ["contact", "maximal"])
def test_a_servo_never_asks_its_motor_for_more_than_it_has(space, damping, engine):
    """A push throws a light arm against its servo: its damper would brake with many times the largest torque within a step."""
    com, push = ((0.0, -0.2), (100.0, 0.0)) if space == "planar" else ((0.0, 0.0, -0.2), (100.0, 0.0, 0.0))
    link = ff.Link("arm", 0.05, com=com, inertia=0.001 if space == "planar" else (0.001, 0.001, 0.001))
    hinge = ff.Joint(
        "hinge", "revolute", "world", "arm", motor=ff.Motor(torque=1.0), **({} if space == "planar" else {"axis": (0, 1, 0)})
    )
    world = World(falls=False, pushes=(ff.world.Push("arm", push, 0.1, 0.2, at=com),))
    study = Study(
        ff.Robot("arm", space, (link,), (hinge,)), world, ff.control.Hold(10.0, damping), (0.0,), seconds=0.4, record_dt=0.001
    )
    found = ff.simulate(study, engine=engine)
    assert np.abs(found.tau_peak).max() == pytest.approx(1.0, rel=1e-12)
    assert np.abs(found.tau).max() <= 1.0
    assert np.ptp(found.q[:, 0]) > 0.1
    assert abs(ff.analysis.ledger(found).residual[-1]) < 0.02 * np.ptp(found.ledger[:, 5])  # of the push's work
