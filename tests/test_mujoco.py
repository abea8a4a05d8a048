"""The engine MuJoCo: states and motions against other engines and closed forms, contact, motors, records, what is refused."""

import json
import sys
from dataclasses import replace
from math import atan, cos, exp, sin, sqrt, tan

import numpy as np
import pytest

import footfall as ff
from footfall.control import Hold
from footfall.engines import Hybrid, Maximal, MuJoCo, TimeStepping
from footfall.engines.mujoco.scene import load_mujoco
from footfall.errors import FootfallError, MissingPartError, SimulationError, UnknownNameError
from footfall.sensors import Encoders, FootForce
from footfall.world import (
    Blocks,
    Change,
    Compliant,
    Field,
    Flat,
    Function,
    Load,
    Obstacles,
    Profile,
    Push,
    Rigid,
    Slope,
    Stairs,
    Waves,
    World,
)
from shapes import box
from trees import random_robot, random_state

mujoco = pytest.importorskip("mujoco")
G = 9.81
FINE = MuJoCo(integrator="RK4")
SPACES = ["planar", "spatial"]


def at(space, x, z, y=0.0):
    return (x, z, 0.0) if space == "planar" else (x, y, z, 1.0, 0.0, 0.0, 0.0)


def ball(space, radius=0.1, mass=2.0):
    inertia = 0.4 * mass * radius**2
    link = ff.Link("ball", mass, inertia=inertia if space == "planar" else (inertia,) * 3)
    base = ff.Joint("base", "planar" if space == "planar" else "free", "world", "ball")
    return ff.Robot("ball", space, (link,), (base,), feet=(ff.Foot("ball", (ff.Sphere("ball", radius),)),))


# --- states and free motion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 8, 11])
@pytest.mark.parametrize("space", SPACES)
def test_states_go_over_and_come_back(space, seed):
    robot = random_robot(seed, space, links=12)
    q, v, _ = random_state(robot, seed)
    simulation = ff.Simulation(ff.Study(robot, World(falls=False), None, tuple(q), tuple(v), engine="mujoco"))
    simulation.advance(0.0)
    assert np.array_equal(simulation.q, q)
    assert np.array_equal(simulation.v, v)
    peer, model, here = simulation.rollout.peer, simulation.rollout.model, simulation.rollout.data.motion.q
    for link in robot.links:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, link.name)
        place = ff.kinematics.pose(robot, here, link.name).position
        if body > 0:
            assert peer.xpos[body] == pytest.approx(place if len(place) == 3 else (place[0], 0.0, place[1]), abs=1e-12)


def without_stops(robot):
    return replace(robot, joints=tuple(replace(joint, limits=(-np.inf, np.inf)) for joint in robot.joints))


@pytest.mark.parametrize(("name", "space"), [("wendlandt", "planar"), ("person", "spatial"), ("chain", "planar")])
def test_free_motion_agrees_with_maximal_coordinates(name, space):
    """RK4 at 1 ms against an engine of order 8; `person` has ball joints, `chain` hangs from the world."""
    robot = ff.robots.load(name)
    rng = np.random.default_rng(4)
    q, v = ff.kinematics.random_configuration(robot, rng, 0.3), 0.5 * rng.normal(size=robot.nv)
    for i, coordinate in enumerate(robot.coordinates):
        if coordinate.endswith(".z"):
            q[i] = 10.0
    robot = without_stops(robot)
    ask = {"q": tuple(q), "v": tuple(v), "seconds": 0.3, "world": World(falls=False)}
    ours, theirs = (ff.simulate(robot, engine=engine, **ask) for engine in (Maximal(), FINE))
    assert theirs.q[-1] == pytest.approx(ours.q[-1], abs=1e-6)
    assert theirs.v[-1] == pytest.approx(ours.v[-1], abs=1e-5)


def test_free_motion_of_the_contact_engine_comes_to_the_same():
    """Its error falls with the square of the step; from two steps the rest is below 1e-6."""
    robot, rng = without_stops(ff.robots.load("wendlandt")), np.random.default_rng(4)
    q, v = robot.configuration({"base.z": 10.0}), 0.5 * rng.normal(size=robot.nv)
    ask = {"q": tuple(q), "v": tuple(v), "seconds": 0.3, "world": World(falls=False)}
    peer = ff.simulate(robot, engine=FINE, **ask).q[-1]
    coarse, fine = (ff.simulate(robot, engine=TimeStepping(), dt=dt, **ask).q[-1] for dt in (4e-4, 2e-4))
    errors = [np.abs(each - peer).max() for each in (coarse, fine)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert fine + (fine - coarse) / 3.0 == pytest.approx(peer, abs=1e-6)


def test_the_first_order_integrators_converge():
    robot, rng = without_stops(ff.robots.load("wendlandt")), np.random.default_rng(4)
    ask = {"q": tuple(robot.configuration({"base.z": 10.0})), "v": tuple(0.5 * rng.normal(size=robot.nv)), "seconds": 0.1}
    exact = ff.simulate(robot, engine=FINE, **ask).q[-1]
    for integrator in ("implicitfast", "Euler"):
        errors = [np.abs(ff.simulate(robot, engine=MuJoCo(integrator), dt=dt, **ask).q[-1] - exact).max() for dt in (1e-3, 5e-4)]
        assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("space", SPACES)
def test_a_body_falls_along_gravity_wherever_it_starts(space):
    heading = 0.7 if space == "spatial" else 0.0
    world = World(gravity=3.0, gravity_tilt=0.4, gravity_heading=heading, falls=False)
    run = ff.simulate(box(space), world=world, q=at(space, 1234.5, 50.0), seconds=1.0, engine=FINE)
    way = (sin(0.4) * cos(heading), sin(0.4) * sin(heading), -cos(0.4))
    way = np.array(way)[[0, 2]] if space == "planar" else np.array(way)
    assert run.q[-1, : len(way)] - run.q[0, : len(way)] == pytest.approx(1.5 * way, abs=1e-9)


@pytest.mark.parametrize("space", SPACES)
def test_a_push_gives_its_momentum(space):
    """Force times time, and force times lever, exactly, wherever the push begins and ends within a step."""
    force = (30.0, 8.0) if space == "planar" else (30.0, -12.0, 8.0)
    point = (0.1, 0.2) if space == "planar" else (0.1, 0.05, 0.2)
    start, end = 0.1003, 0.1058
    world = World(gravity=0.0, pushes=(Push("box", force, start, end, point),), falls=False)
    run = ff.simulate(box(space), world=world, q=at(space, 3.0, 5.0), seconds=0.2, engine="mujoco")
    gained = ff.analysis.momentum(run)[-1]
    assert gained[: len(force)] == pytest.approx(np.array(force) * (end - start), rel=1e-9)
    lever = point[1] * force[0] - point[0] * force[1] if space == "planar" else np.cross(point, force)
    assert gained[len(force) :] == pytest.approx(lever * (end - start), rel=2e-2)  # it turns meanwhile
    book = ff.analysis.ledger(run)
    assert run.ledger[-1, 5] == pytest.approx(book.kinetic[-1], rel=1e-2)


# --- contact --------------------------------------------------------------------------------------------------------------


def test_a_standing_robot_has_its_weight_under_its_feet():
    study = ff.studies.load("stand-push", seconds=1.4)
    run = ff.simulate(study, engine="mujoco")
    weight = study.robot.mass * study.gravity
    late = run.time > 1.0
    assert run.force[late, :, 1].sum(axis=1).mean() == pytest.approx(weight, rel=1e-3)
    pressed = run.force[1:, :, 1].sum() * study.record_dt
    momentum = ff.analysis.momentum(run)[-1, 1]
    assert pressed == pytest.approx(weight * run.time[-1] + momentum, rel=1e-4)  # landing and all
    assert run.mode[late].any()
    assert not run.impacts.any()
    assert ff.analysis.ledger(run).relative < 0.02


def test_contact_comes_to_that_of_rigid_ground():
    """Two steps are the hardest contact; so with half the step the difference from the contact engine is about a half."""
    study, apart = ff.studies.load("stand-push", seconds=0.5), []
    for dt in (1e-3, 2.5e-4):
        runs = {engine: ff.simulate(study, engine=engine, dt=dt) for engine in ("contact", "mujoco")}
        apart.append(ff.analysis.compare(runs)[1].apart)
    assert apart[0] < 1e-3
    assert apart[1] < 0.5 * apart[0]


@pytest.mark.parametrize("space", SPACES)
def test_a_block_presses_where_it_is_pulled(space):
    """Corners share by the lever rule: under tilted gravity the centre of pressure is h tan a ahead of the middle."""
    a = 0.15
    world = World(Flat(), Rigid(0.8), gravity=G, gravity_tilt=a, falls=False)
    run = ff.simulate(box(space), world=world, q=at(space, 0.0, 0.1), seconds=0.5, engine="mujoco", lift=True)
    assert place_of_pressure(run) - run.q[-1, 0] == pytest.approx(run.q[-1, 1 if space == "planar" else 2] * tan(a), abs=2e-3)


def place_of_pressure(run):
    """x in the last row, from forces and points of the pads."""
    press = run.force[-1, :, -1]
    return press @ run.center[-1, :, 0] / press.sum()


@pytest.mark.parametrize("ground", [Slope, lambda a: Function(lambda x, y: tan(a) * x)], ids=["slope", "function"])
@pytest.mark.parametrize("space", SPACES)
def test_a_block_slides_by_coulomb(space, ground):
    a = atan(0.25)
    for mu, speeds_up in ((0.15, G * (sin(a) - 0.15 * cos(a))), (0.0, G * sin(a)), (0.4, 0.0)):
        world = World(ground(-a), Rigid(friction=mu), gravity=G, falls=False)
        q = (0.0, 0.5, a) if space == "planar" else (0.0, 0.0, 0.5, cos(a / 2), 0.0, sin(a / 2), 0.0)
        run = ff.simulate(box(space), world=world, q=q, seconds=0.6, engine="mujoco", lift=True)
        speed = run.v[-1, 0] * cos(a) - run.v[-1, 1 if space == "planar" else 2] * sin(a)
        assert speed == pytest.approx(speeds_up * run.time[-1], abs=2e-2)
        late = run.mode[20:]
        assert set(late[late > 0]) == ({1} if mu == 0.4 else {2})


@pytest.mark.parametrize("terrain", [Flat(), Waves(((0.0, 1.0, 0.0, 0.0),))], ids=["level", "hills"])
@pytest.mark.parametrize("feet", [False, True], ids=["ground", "feet"])
def test_springs_of_contact_elements_are_as_declared(feet, terrain):
    """A ball on a spring and damper: it sinks by its weight over the stiffness, and swings as a damped oscillator does."""
    K, D, m = 4e4, 150.0, 2.0
    robot = ball("spatial", mass=m)
    if feet:
        foot = replace(robot.feet[0], compliance=ff.Compliance(K, D))
        robot, contact = replace(robot, feet=(foot,)), Rigid(0.8)
    else:
        contact = Compliant(0.8, K, D)
    world = World(terrain, contact, gravity=G, falls=False)
    sag, omega, decay = m * G / K, sqrt(K / m - (D / (2 * m)) ** 2), D / (2 * m)
    start = 0.1 - 0.5 * sag
    run = ff.simulate(robot, world=world, q=at("spatial", 0.0, start), seconds=0.2, dt=5e-5, record_dt=5e-4, engine="mujoco")
    t, off = run.time, 0.5 * sag
    exact = 0.1 - sag + off * np.array([exp(-decay * s) * (cos(omega * s) + decay / omega * sin(omega * s)) for s in t])
    assert run.q[:, 2] == pytest.approx(exact, abs=0.02 * sag)
    assert 0.1 - run.q[-1, 2] == pytest.approx(sag, rel=1e-3)


GROUNDS = {
    "slope": (Slope(0.1), 0.4, 0.0),
    "profile": (Profile((0.0, 1.0), (0.0, 0.3)), 0.5, 0.0),
    "stairs": (Stairs(0.1, 0.4, 5), 1.1, 0.0),
    "hole": (Obstacles(((0.0, 1.0, -0.3),)), 0.5, 0.0),
    "block": (Obstacles(((0.2, 0.8, 0.15),)), 0.5, 0.0),
    "blocks": (Blocks(((0.5, 0.1, 0.3, 0.6, 0.6, 0.2),)), 0.5, 0.1),
    "waves": (Waves(((0.05, 2.0, 0.0, 0.0),)), 0.5, 0.0),
    "field": (Field(((0.0, 0.1, 0.1), (0.0, 0.1, 0.1), (0.0, 0.1, 0.1)), (0.5, 0.5), (0.0, -0.5)), 0.75, 0.0),
    "function": (Function(lambda x, y: 0.1 + 0.05 * x), 0.5, 0.0),
    "far hills": (Waves(((0.05, 2.0, 0.0, 0.0),)), 1000.5, 0.0),
}


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("space", SPACES)
def test_a_block_comes_to_rest_on_the_ground_where_it_is(space, name):
    terrain, x, y = GROUNDS[name]
    robot = box(space)
    y = y if space == "spatial" else 0.0
    world = World(terrain, Rigid(1.5), gravity=G, falls=False)
    q = list(at(space, x, 0.0, y))
    slope = -atan(terrain.normal(x, y)[0] / terrain.normal(x, y)[2])
    if space == "planar":
        q[2] = -slope
    else:
        q[3], q[5] = cos(slope / 2), -sin(slope / 2)
    run = ff.simulate(robot, world=world, q=tuple(q), seconds=0.4, engine="mujoco", lift=True)
    weight = robot.mass * G
    assert run.force[-10:, :, -1].sum(axis=1).mean() == pytest.approx(weight, rel=0.05)
    assert np.abs(run.v[-1]).max() < 0.05
    assert ff.analysis.penetration(run).max() < 2e-3
    assert run.q[-1, 0] == pytest.approx(x, abs=0.02)


def test_planes_go_along_with_the_robot():
    """A ball that flies far lands on hills that were not below it at the start; pieces do not matter."""
    study = ff.Study(
        ball("planar"), World(Waves(((0.1, 3.0, 0.0, 0.0),)), Rigid(0.5), falls=False), q=(0.0, 2.0, 0.0), v=(9.0, 0.0, 0.0),
        seconds=1.2, engine="mujoco",
    )  # fmt: skip
    whole, parts = ff.simulate(study), ff.Simulation(study)
    assert whole.q[-1, 0] > 8.0
    assert whole.mode.any()
    assert ff.analysis.penetration(whole).max() < 0.02
    marks = []
    for _ in range(12):
        parts.advance(0.1)
        marks.append(parts.state())
    assert parts.run() == whole
    parts.restore(marks[6])
    parts.advance(0.5)
    assert np.array_equal(parts.q, whole.q[-1])


def test_a_round_sole_ends_at_heel_and_toe():
    """A half-moon with its mass in the middle stands on its end where a whole wheel would roll on: by the contact engine."""
    link = ff.Link("moon", 2.0, (0.0, -0.02), 0.01)
    foot = ff.Foot("moon", (ff.Arc("moon", 0.1, span=(-0.3, 0.3)),))
    robot = ff.Robot("moon", "planar", (link,), (ff.Joint("base", "planar", "world", "moon"),), feet=(foot,))
    ask = {"q": (0.0, 0.1, 0.0), "v": (0.25, 0.0, 2.5), "seconds": 0.4, "world": World(falls=False), "lift": True}
    ours, theirs = (ff.simulate(robot, engine=engine, **ask) for engine in ("contact", "mujoco"))
    assert ours.q[:, 2].max() > 0.3
    assert theirs.q == pytest.approx(ours.q, abs=5e-3)


def test_a_ball_rolls_and_a_cylinder_does():
    """Rolling down without slip: 5/7 g sin a for a ball, 2/3 g sin a for a cylinder (a round sole with width)."""
    a = 0.1
    for robot, part in ((ball("planar"), 5 / 7), (_wheel(), 2 / 3)):
        world = World(Slope(-a), Rigid(1.0), gravity=G, falls=False)
        space = robot.space
        run = ff.simulate(robot, world=world, q=at(space, 0.0, 0.2), seconds=0.5, engine=MuJoCo(impratio=1000.0), lift=True)
        assert run.v[-1, 0] / cos(a) == pytest.approx(part * G * sin(a) * 0.5, rel=1e-2)


def _wheel(radius=0.1, width=0.2, mass=2.0):
    round_, across = 0.5 * mass * radius**2, mass * (3 * radius**2 + width**2) / 12
    link = ff.Link("wheel", mass, inertia=(across, round_, across))
    foot = ff.Foot("wheel", (ff.Arc("wheel", radius, width=width),))
    return ff.Robot("wheel", "spatial", (link,), (ff.Joint("base", "free", "world", "wheel"),), feet=(foot,))


# --- joints and motors ----------------------------------------------------------------------------------------------------


def arm(**more):
    """A rod on a hinge in the world, without weight."""
    joint = ff.Joint("hinge", "revolute", "world", "rod", **({"motor": ff.Motor()} | more))
    return ff.Robot("arm", "planar", (ff.Link("rod", 1.0, (0.5, 0.0), 0.1),), (joint,))


def test_motors_keep_their_limits():
    """Torque and speed limits are those of the contact engine; the motion of both is the same."""
    motor = ff.Motor(torque=2.0, speed=4.0, rotor_inertia=1e-4, gear=20.0)
    ask = {"world": World(gravity=0.0, falls=False), "seconds": 1.0, "v": (1.0,)}
    runs = [
        ff.simulate(arm(motor=motor), Hold(stiffness=300.0, damping=20.0), q=(0.0,), engine=engine, **ask)
        for engine in ("contact", "mujoco")
    ]
    assert np.abs(runs[1].tau_peak).max() == pytest.approx(2.0)
    assert runs[1].q[:, 0] == pytest.approx(runs[0].q[:, 0], abs=2e-3)
    assert runs[1].ledger[-1, 0] == pytest.approx(runs[0].ledger[-1, 0], abs=5e-3)


def test_a_stiff_servo_is_stable_at_any_gain():
    world = World(gravity=0.0, falls=False)
    run = ff.simulate(arm(), Hold(stiffness=1e6, damping=1e4), q=(0.3,), v=(2.0,), world=world, seconds=0.5, engine="mujoco")
    assert run.q[-1, 0] == pytest.approx(0.3, abs=1e-3)
    with pytest.raises(SimulationError, match="MuJoCo is unstable here: .* 'hinge' moves at"):
        ff.simulate(arm(), Hold(stiffness=1e6, damping=1e4), q=(0.3,), v=(2.0,), world=world, seconds=0.5, engine=FINE)


def test_springs_dampers_and_dry_friction():
    """A damped spring against its closed form; friction of 1 N m bears half of it and slows by all of it."""
    world, inertia = World(gravity=0.0, falls=False), 0.35
    run = ff.simulate(arm(spring=ff.Spring(14.0), damping=0.7), world=world, q=(0.2,), seconds=1.0, engine=FINE)
    decay, omega = 1.0, sqrt(14.0 / inertia - 1.0)
    exact = [0.2 * exp(-t) * (cos(omega * t) + decay / omega * sin(omega * t)) for t in run.time]
    assert run.q[:, 0] == pytest.approx(exact, abs=1e-5)
    rubs = ff.simulate(arm(friction=1.0), world=world, v=(2.0,), seconds=0.5, engine="mujoco")
    assert rubs.v[20, 0] == pytest.approx(2.0 - 0.2 / inertia, abs=0.03)
    still = ff.simulate(arm(friction=1.0), world=replace(world, gravity=0.5 / 0.5), seconds=0.5, engine="mujoco")
    assert abs(still.q[-1, 0]) < 0.01


def test_gears_rub_under_load():
    """A motor of 1 N m whose gears rub with half of that has the other half left; friction at rest holds more than in motion."""
    motor = ff.Motor(load_friction=0.5)
    simulation = ff.Simulation(ff.Study(arm(motor=motor), World(gravity=0.0, falls=False), engine=MuJoCo()))
    simulation.step([1.0], steps=200)
    assert simulation.v[0] == pytest.approx(0.5 * 0.2 / 0.35, rel=0.02)
    sticky = arm(friction=0.2, static_friction=2.0)
    simulation = ff.Simulation(ff.Study(sticky, World(gravity=0.0, falls=False), engine=MuJoCo()))
    simulation.step([1.5], steps=200)
    assert abs(simulation.q[0]) < 1e-3
    simulation.step([3.0], steps=200)
    assert simulation.v[0] == pytest.approx(2.8 * 0.2 / 0.35, rel=0.1)


def test_a_stop_is_met():
    run = ff.simulate(arm(limits=(-1.0, 0.1)), world=World(gravity=0.0, falls=False), v=(2.0,), seconds=0.3, engine="mujoco")
    assert [event.which for event in run.happened("stop")] == ["hinge"]
    assert run.happened("stop")[0].time == pytest.approx(0.05, abs=2e-3)
    assert run.q[:, 0].max() < 0.115


# --- records, replays, changes --------------------------------------------------------------------------------------------


def test_a_run_is_saved_knows_its_engine_and_replays(tmp_path):
    study = ff.studies.load("stand-push", seconds=1.7)
    study = replace(study, engine=MuJoCo(time_constant=0.01, impratio=10.0), sensors=(Encoders(noise=1e-4), FootForce()), seed=3)
    study = replace(study, controller=replace(study.controller, rate=250.0), record_dt=0.02)
    run = ff.simulate(study, record=("sensors",))
    run.save(tmp_path / "run.parquet")
    read = ff.Run.load(tmp_path / "run.parquet")
    assert read.study.engine == MuJoCo(time_constant=0.01, impratio=10.0)
    assert read == run
    assert read.replay() == run
    other = ff.simulate(study, record=("sensors",), seed=4)
    assert all(not np.array_equal(other.more[name], run.more[name]) for name in run.more if name.endswith("q.hip_left"))
    pressed = [name for name in run.more if "foot_left" in name and name.endswith("z")]
    assert pressed


WORLDS = {
    "load": World(loads=(Load("torso", 5.0, 0.2, 0.35),)),
    "ground": World(changes=(Change(0.3, terrain=Slope(-0.02, z=-0.01)), Change(0.4, contact=Rigid(0.1)))),
    "soft": World(changes=(Change(0.25, contact=Compliant(0.7, 2e5, 2e3)),)),
    "push": World(pushes=(Push("torso", (40.0, 0.0), 0.2031, 0.3),)),
}


@pytest.mark.parametrize("name", WORLDS)
def test_pieces_do_not_matter_and_states_come_back(name):
    study = replace(ff.studies.load("stand-push"), world=WORLDS[name], seconds=0.5, engine=MuJoCo())
    whole, parts = ff.simulate(study), ff.Simulation(study)
    marks = []
    for _ in range(25):
        parts.advance(0.02)
        marks.append(parts.state())
    assert parts.run() == whole
    parts.restore(marks[8])
    parts.advance(0.5 - parts.time)
    assert np.array_equal(parts.q, whole.q[-1])
    assert np.array_equal(parts.v, whole.v[-1])


def test_a_load_weighs():
    study = replace(ff.studies.load("stand-push"), world=World(loads=(Load("torso", 5.0, 0.3, 9.0, (0.0, 0.1)),)), seconds=1.2)
    run = ff.simulate(study, engine="mujoco")
    assert run.force[-20:, :, 1].sum(axis=1).mean() == pytest.approx((study.robot.mass + 5.0) * study.gravity, rel=2e-3)


def test_changes_on_the_way_replay():
    simulation = ff.Simulation(replace(ff.studies.load("stand-push"), engine=MuJoCo()))
    simulation.advance(0.2)
    simulation.set("world.gravity", 5.0)
    simulation.advance(0.1)
    simulation.set("controller.stiffness", 2500.0)
    simulation.set("robot.joints.knee_left.damping", 3.0)
    simulation.add(Push("torso", (20.0, 0.0), 0.4, 0.5))
    simulation.advance(0.3)
    simulation.set("world.friction", 0.3)
    simulation.advance(0.2)
    run = simulation.run()
    assert run.replay() == run
    assert run.force[-5:, :, 1].sum(axis=1).mean() == pytest.approx(5.0 * run.robot.mass, rel=0.1)


def test_torques_from_outside():
    simulation = ff.Simulation(replace(ff.studies.load("stand-push", seconds=0.2), engine=MuJoCo()))
    rng = np.random.default_rng(0)
    for _ in range(150):
        simulation.step(rng.normal(0.0, 2.0, 6))
    run = simulation.run()
    assert len(run.time) == 16
    assert run.replay() == run
    simulation.reset()
    assert simulation.time == 0.0


@pytest.mark.parametrize("part", ["_forward", "_push_done", "_moved"])
def test_a_run_goes_on_after_ctrl_c(part):
    """Wherever it comes, the run that goes on is that without it."""
    study = replace(ff.studies.load("stand-push"), engine=MuJoCo(), seconds=0.2)
    whole, simulation = ff.simulate(study), ff.Simulation(study)
    simulation.advance(0.05)
    rollout, calls = simulation.rollout, [0]

    def interrupted(call, *given):
        done = call(*given) if part == "_moved" else None
        calls[0] += 1
        if calls[0] == 37:
            raise KeyboardInterrupt
        return done if part == "_moved" else call(*given)

    name = {"_forward": "_forward", "_push_done": "_end", "_moved": "_move"}[part]
    call = getattr(rollout, name)
    if name == "_end":
        again, made = call.again, call
        made.again = lambda: interrupted(again)
    else:
        setattr(rollout, name, lambda *given: interrupted(call, *given))
    simulation.advance(0.1)
    assert simulation.outcome is ff.Outcome.INTERRUPTED
    simulation.advance(0.2 - simulation.time)
    assert np.array_equal(simulation.q, whole.q[-1])
    assert np.array_equal(simulation.run().force, whole.force)


def test_a_fall_is_the_same_fall():
    study = replace(ff.studies.load("stand-push"), controller=None)
    runs = [ff.simulate(study, engine=engine) for engine in ("contact", "mujoco")]
    assert all(run.fell for run in runs)
    assert runs[0].reason.split(":")[1] == runs[1].reason.split(":")[1]
    assert runs[0].time[-1] == pytest.approx(runs[1].time[-1], abs=0.1)


# --- what is refused ------------------------------------------------------------------------------------------------------


def test_what_mujoco_cannot_say_is_refused():
    study = ff.studies.load("stand-push")
    for world, words in (
        (World(contact=Rigid(0.8, restitution=0.5)), "no coefficient of restitution"),
        (World(bonded=("foot_left",)), "cannot be bonded"),
    ):
        with pytest.raises(SimulationError, match=f"engine MuJoCo: .*{words}"):
            ff.simulate(study, world=world, engine="mujoco")
    with pytest.raises(SimulationError, match="time_constant must be at least two steps, 0.002 s"):
        ff.simulate(study, engine=MuJoCo(time_constant=1e-3))
    looped = ff.studies.load("newton-chain-loop")
    with pytest.raises(SimulationError, match=f"engine MuJoCo: robot .* has loops \\('{looped.robot.loops[0].name}'\\)"):
        ff.simulate(looped, engine="mujoco")
    with pytest.raises(FootfallError, match="RK5"):
        MuJoCo(integrator="RK5")
    with pytest.raises(UnknownNameError, match="there is no engine 'mujico'. Did you mean 'mujoco'"):
        ff.simulate(study, engine="mujico")
    with pytest.raises(SimulationError, match="engine must be a Engine"):
        ff.simulate(study, engine=3)
    simulation = ff.Simulation(replace(study, engine=MuJoCo()))
    simulation.advance(0.1)
    with pytest.raises(SimulationError, match="restitution"):
        simulation.set("world.contact", Rigid(0.5, 0.5))
    with pytest.raises(SimulationError, match="one engine moves a run"):
        simulation.set("engine.impratio", 3.0)


def test_without_the_package_it_says_so(monkeypatch):
    load_mujoco.cache_clear()
    monkeypatch.setitem(sys.modules, "mujoco", None)
    try:
        with pytest.raises(MissingPartError, match=r"pip install 'footfall\[mujoco\]'"):
            ff.simulate(ff.studies.load("stand-push"), engine="mujoco")
    finally:
        load_mujoco.cache_clear()


def test_what_differs_is_said():
    johnnie = ff.studies.load("johnnie-walk")
    said = "\n".join(MuJoCo().differences(johnnie))
    for words in (
        "contact: soft (time constant 0.002 s",
        "there are no impacts",
        "springs and dampers of foot",
        "dry friction of joints: soft",
    ):
        assert words in said
    hills = replace(ff.studies.load("stand-push"), world=World(Waves(((0.05, 2.0, 0.0, 0.0),))))
    assert any(line.startswith("hills, and slopes of a profile") for line in MuJoCo().differences(hills))


# --- side by side ---------------------------------------------------------------------------------------------------------


def test_compare_puts_runs_side_by_side(tmp_path):
    from typer.testing import CliRunner

    from footfall.cli import app

    asked = ["compare", "stand-push", "--seconds", "0.3", "--set", "mujoco.impratio=10", "controller.damping=90", "--json"]
    done = CliRunner().invoke(app, [*asked, "--out", str(tmp_path)], catch_exceptions=False)
    rows = json.loads(done.stdout)
    assert [row["engine"] for row in rows] == ["contact", "mujoco"]
    assert "impratio 10" in rows[1]["differences"][0]
    assert rows[0]["apart"] == 0.0 < rows[1]["apart"] < 0.01
    assert rows[0]["penetration"] < 1e-5 < rows[1]["penetration"] < 5e-3
    run = ff.Run.load(tmp_path / "mujoco.parquet")
    assert run.study.engine == MuJoCo(impratio=10.0)
    assert run.study.controller.damping == 90.0
    assert (tmp_path / "compared.png").stat().st_size > 10_000


def test_run_takes_an_engine():
    from typer.testing import CliRunner

    from footfall.cli import app

    asked = ["run", "stand-push", "--engine", "mujoco", "--seconds", "0.1", "--set", "engine.time_constant=10 ms", "--json"]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert json.loads(done.stdout)["duration"] == pytest.approx(0.1)
    with pytest.raises(UnknownNameError, match="engine"):
        CliRunner().invoke(app, ["run", "stand-push", "--engine", "bullet"], catch_exceptions=False)


def test_a_hybrid_motion_has_no_name():
    assert isinstance(ff.studies.load("compass").engine, Hybrid)
    with pytest.raises(UnknownNameError, match="Known: contact, ideal, maximal, mujoco"):
        ff.simulate(ff.studies.load("compass"), engine="hybrid")


def test_a_simulation_takes_an_engine():
    study = ff.studies.load("stand-push")
    simulation = ff.Simulation(study, engine="mujoco")
    simulation.advance(0.01)
    assert simulation.run().study.engine == MuJoCo()
    with pytest.raises(UnknownNameError, match="Known: contact"):
        ff.Simulation(study, engine="bullet")


def test_compare_takes_another_robot_and_says_never(tmp_path):
    from typer.testing import CliRunner

    from footfall.cli import app
    from humanoids import humanoid

    (tmp_path / "h.urdf").write_text(humanoid())
    asked = ["compare", "stand", "--seconds", "0.05", "--robot", str(tmp_path / "h.urdf")]
    settings = ["--set", "robot.feet=left_5,right_5"]
    done = CliRunner().invoke(app, [*asked, *settings], catch_exceptions=False)
    (row,) = [line for line in done.stdout.splitlines() if "time until" in line]
    assert row.count("never") == 2
    rows = json.loads(CliRunner().invoke(app, [*asked, "--json"], catch_exceptions=False).stdout)
    assert [each["together"] for each in rows] == [None, None]
