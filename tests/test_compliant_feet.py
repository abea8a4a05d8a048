"""Feet with contact elements of their own: static load, drop, stiction and slip against closed forms; files and refusals."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.engines import Maximal
from footfall.errors import FileError, RobotError, SimulationError
from footfall.model.file import parse_robot, robot_text
from footfall.model.mjcf import mjcf_text
from footfall.world import Change, Compliant, Push, Rigid, World

G, MASS, K, B = 9.81, 10.0, 5e4, 300.0
WORLD = World(falls=False)
ELEMENTS = ff.Compliance(K, B)


def block(space="spatial", compliance=ELEMENTS):
    """10 kg on the corners of its underside: four in space, two in the plane. Its centre of mass is level with them, so that it does not tilt."""
    planar = space == "planar"
    inertia = 0.2 if planar else (0.2, 0.2, 0.2)
    size, at = ((0.4, 0.1), (0.0, 0.05)) if planar else ((0.4, 0.3, 0.1), (0.0, 0.0, 0.05))
    foot = ff.Foot("foot", (ff.Box("block", size, at),), compliance)
    joint = ff.Joint("base", "planar" if planar else "free", "world", "block")
    return ff.Robot("block", space, (ff.Link("block", MASS, inertia=inertia),), (joint,), feet=(foot,))


def start(robot, height=0.0):
    return tuple(robot.configuration({"base.z": height}))


@pytest.mark.parametrize(("space", "points"), [("planar", 2), ("spatial", 4)])
def test_static_load(space, points):
    robot = block(space)
    run = ff.simulate(robot, world=WORLD, q=start(robot), seconds=1.0)
    sink = -run.q[-1, robot.coordinates.index("base.z")]
    assert sink == pytest.approx(MASS * G / points / K, rel=5e-3)
    assert run.force[-1, :, -1].sum() == pytest.approx(MASS * G, rel=1e-6)


@pytest.mark.parametrize("ground", [Rigid(), Compliant(stiffness=1e3, damping=1.0), Rigid(restitution=0.5)])
def test_the_foot_gives_way_in_place_of_the_ground(ground):
    robot = block()
    run = ff.simulate(robot, world=replace(WORLD, contact=ground), q=start(robot), seconds=1.0)
    assert -run.q[-1, 2] == pytest.approx(MASS * G / 4 / K, rel=5e-3)


def test_drop():
    """From 5 mm: a damped oscillator from the moment of touch, until it leaves or rests (F = K d + B d' > 0)."""
    robot, height = block(), 5e-3
    run = ff.simulate(robot, world=WORLD, q=start(robot, height), seconds=0.2, record_dt=1e-4, dt=2e-5)
    touch, speed = np.sqrt(2 * height / G), np.sqrt(2 * G * height)
    decay = 4 * B / 2 / MASS
    w = np.sqrt(4 * K / MASS - decay**2)
    t = np.linspace(0.0, np.pi / w, 2001)
    rest = MASS * G / 4 / K
    d = rest + np.exp(-decay * t) * (-rest * np.cos(w * t) + (speed - decay * rest) / w * np.sin(w * t))
    deepest = -run.q[:, 2].min()
    assert deepest == pytest.approx(d.max(), rel=5e-3)
    assert run.time[np.argmin(run.q[:, 2])] == pytest.approx(touch + t[np.argmax(d)], abs=2e-4)


def pulled(force, friction=0.5, seconds=1.0, **more):
    robot = block(**more)
    pushes = tuple(Push("block", (force / 40, 0.0, 0.0), 0.1 + 0.01 * i, 10.0) for i in range(40))  # slowly more: no overshoot
    world = World(falls=False, contact=Rigid(friction=friction), pushes=pushes)
    return ff.simulate(robot, world=world, q=(0.0, 0.0, -MASS * G / 4 / K, 1.0, 0.0, 0.0, 0.0), seconds=seconds)


def test_stiction_is_a_spring_along_the_ground():
    force = 0.6 * 0.5 * MASS * G
    run = pulled(force, compliance=ff.Compliance(K, B, 2e4, 400.0))
    assert run.q[-1, 0] == pytest.approx(force / 4 / 2e4, rel=5e-3)
    assert np.all(run.mode[-1, run.mode[-1] > 0] == 1)


def test_slip_begins_at_the_cone():
    assert pulled(0.99 * 0.5 * MASS * G).q[-1, 0] < 1e-3
    assert pulled(1.01 * 0.5 * MASS * G, seconds=2.0).q[-1, 0] > 0.05


def test_slip_at_the_friction_of_coulomb():
    """Beyond the cone: a = F/m - mu g."""
    run = pulled(2.0 * 0.5 * MASS * G, seconds=1.2)
    later = run.time > 0.6
    a = np.polyfit(run.time[later], run.v[later, 0], 1)[0]
    assert a == pytest.approx(0.5 * G, rel=5e-3)


@pytest.mark.parametrize("damping", [0.0, 300.0])
def test_sliding_to_rest(damping):
    """v^2 / (2 mu g), then the springs that carried the friction swing back: by mu m g / 4 K_t at rest."""
    robot, speed, friction = block(compliance=ff.Compliance(K, B, K, damping)), 1.0, 0.5
    z = -MASS * G / 4 / K
    q, v = (0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0), robot.velocity({"base.x": speed})
    run = ff.simulate(robot, world=World(falls=False, contact=Rigid(friction=friction)), q=q, v=v, seconds=0.6, record_dt=1e-3)
    assert run.q[:, 0].max() == pytest.approx(speed**2 / 2 / friction / G, rel=5e-3)
    assert run.v[:, 0].min() > -0.2
    if damping:
        back = friction * MASS * G / 4 / K
        assert run.q[:, 0].max() - run.q[-1, 0] == pytest.approx(back, rel=0.1)


def test_elements_neither_pull_nor_feed_energy_in():
    robot = block()
    run = ff.simulate(robot, world=WORLD, q=start(robot, 0.05), v=robot.velocity({"base.x": 0.5}), seconds=1.0, record_dt=1e-3)
    assert run.force[..., -1].min() >= 0.0
    moving = 0.5 * MASS * (run.v[:, :3] ** 2).sum(axis=1) + MASS * G * run.q[:, 2]
    stored = 0.5 * K * 4 * np.maximum(-run.q[:, 2], 0.0) ** 2
    rest = MASS * G / 4 / K
    assert (moving + stored).max() <= (moving + stored)[0] * (1 + 1e-3) + MASS * G * rest


def test_files_words_and_exports():
    robot = block(compliance=ff.Compliance(K, B, 1e4, 0.0))
    assert parse_robot(robot_text(robot)) == robot
    assert "5e+04 N/m, 300 N s/m; along the ground 1e+04, 0" in robot.describe()
    assert block("planar").in_space().foot("foot").compliance == ELEMENTS
    assert any("contact elements are left out" in line for line in mjcf_text(robot).left_out)


def test_refusals():
    with pytest.raises(RobotError, match="foot 'foot', compliance: stiffness must be at least 1 N/m, got 0"):
        block(compliance=ff.Compliance(0.0, 1.0))
    with pytest.raises(RobotError, match="foot 'foot': compliance must be a Compliance, or left out, got 5"):
        block(compliance=5.0)
    robot = block("planar")
    with pytest.raises(SimulationError, match="engine Maximal: feet must be rigid, but foot 'foot' of robot 'block'"):
        ff.simulate(robot, world=WORLD, q=start(robot), engine=Maximal(), seconds=0.1)
    with pytest.raises(FileError, match="lacks damping"):
        parse_robot(robot_text(block()).replace("damping = 300.0", ""))


def test_a_change_of_the_ground_leaves_the_feet_their_elements():
    robot = block()
    changes = (Change(0.3, contact=Rigid(friction=0.2)),)
    run = ff.simulate(robot, world=replace(WORLD, changes=changes), q=start(robot), seconds=1.0)
    assert -run.q[-1, 2] == pytest.approx(MASS * G / 4 / K, rel=5e-3)


def test_a_compliant_foot_gives_no_impulse_when_another_foot_strikes():
    """A free body lands on a soft foot, then its hard one strikes: by hand, M (v+ - v-) = J'p, with the hard foot at rest."""
    links = (ff.Link("b", 10.0, inertia=1.0), ff.Link("heel", 0.0), ff.Link("toe", 0.0))
    joints = (
        ff.Joint("base", "planar", "world", "b"),
        ff.Joint("back", "fixed", "b", "heel"),
        ff.Joint("front", "fixed", "b", "toe"),
    )
    soft = ff.Foot("heel", (ff.Point("heel", (-0.5, 0.0)),), ff.Compliance(1e4, 100.0))
    hard = ff.Foot("toe", (ff.Point("toe", (0.5, 0.02)),))
    body = ff.Robot("body", "planar", links, joints, feet=(soft, hard))
    world = ff.World(contact=ff.world.Rigid(friction=0.0), falls=False, gravity=0.0)
    run = ff.simulate(ff.Study(body, world, None, (0.0, 0.005, 0.0), (0.3, -1.0, 0.0), seconds=0.06, dt=1e-4, record_dt=1e-4))
    struck = next(event.time for event in run.events if event.kind == "impact")
    before, after = np.array(run.v)[[int(struck / 1e-4), int(struck / 1e-4) + 2]]
    M, J = np.diag((10.0, 10.0, 1.0)), np.array((0.0, 1.0, -0.5))  # upward velocity of the hard foot, rotation about +y
    kicked = np.linalg.solve(M, J)
    expected = before - kicked * (J @ before) / (J @ kicked)
    np.testing.assert_allclose(after, expected, atol=0.02)  # the soft foot pushes with 131 N meanwhile
    assert run.force[:, 0, 1].max() < 300.0
