"""Pinned bodies in maximal coordinates: against the recursions, the other engines, closed forms, conservation and symmetry."""

import numpy as np
import pytest

import footfall as ff
from footfall.control import Hold
from footfall.dynamics.maximal import Solver
from footfall.engines import Maximal, TimeStepping
from footfall.errors import FootfallError
from footfall.model.parts import Foot, Joint, Link, Point, Sphere
from footfall.model.robot import Robot
from footfall.studies._linkages import four_bar, four_bar_start
from footfall.world import Compliant, Load, Rigid, Slope, World

PIN = Maximal(pinned=True)
PINNED = [name for name in ff.robots.names() if ff.robots.load(name).space == "planar"]


def pinned(robot):
    return all(joint.kind in ("revolute", "planar") for joint in robot.layout.joints)


def rod(feet=2):
    ends = ((-0.5, 0.0), (0.5, 0.0))[:feet]
    return Robot(
        name="rod",
        space="planar",
        links=(Link("rod", 1.0, inertia=1.0 / 12.0),),
        joints=(Joint("base", "planar", "world", "rod"),),
        feet=tuple(Foot(f"end_{i}", (Point("rod", at=at),)) for i, at in enumerate(ends)),
    )


@pytest.mark.parametrize("name", PINNED)
def test_agrees_with_the_recursions(name):
    robot, rng = ff.robots.load(name), np.random.default_rng(3)
    if not pinned(robot):
        pytest.skip("joints that slide")
    for scale in (1e-3, 1.0, 3.0):
        q = ff.kinematics.random_configuration(robot, rng, scale)
        v, tau = rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        a = ff.dynamics.forward(robot, q, v, tau)
        loose = ff.dynamics.forward(robot, q, v, tau, formulation="maximal")
        assert np.abs(a - loose).max() <= 1e-9 * max(1.0, np.abs(a).max())
        assert ff.dynamics.inverse(robot, q, v, a, formulation="maximal") == pytest.approx(tau, abs=1e-9)
        M = ff.dynamics.mass_matrix(robot, q)
        assert ff.dynamics.mass_matrix(robot, q, formulation="maximal") == pytest.approx(M, abs=1e-12)


def test_pushes_act_where_they_do_in_the_tree():
    robot, rng = ff.robots.load("wendlandt"), np.random.default_rng(4)
    q, v, tau = ff.kinematics.random_configuration(robot, rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    external = {"torso": (3.0, -2.0, 1.0), "foot_left": (1.0, 5.0, -0.3)}
    a, b = (ff.dynamics.forward(robot, q, v, tau, external=external, formulation=how) for how in ("recursive", "maximal"))
    assert a == pytest.approx(b, rel=1e-9)


def moved(engine, step, **more):
    """Ranger lands with its legs apart, its joints held."""
    robot = ff.robots.load("ranger")
    q = robot.configuration({"hip": 0.3, "ankle_outer": 0.1, "ankle_inner": 0.1, "base.pitch": -0.15})
    world = World(contact=Rigid(friction=0.8), falls=False)
    hold = Hold(stiffness=200.0, damping=5.0)
    return ff.simulate(robot, hold, world, q=tuple(q), seconds=0.4, dt=step, record_dt=0.02, lift=True, engine=engine, **more)


def test_comes_to_the_same_motion_as_the_tree():
    """First order: a step an eighth as long leaves an eighth of the difference, or little more."""
    tree = moved(TimeStepping(), 2e-5)
    off = [np.abs(moved(Maximal(pinned=True), step).q - tree.q).max() for step in (1e-3, 1.25e-4)]
    assert off[1] < off[0] / 3.0
    assert off[1] < 1e-3


def test_flight_is_first_order_and_pins_hold():
    robot = ff.robots.load("ranger")
    q, v = robot.configuration({"hip": 0.4, "ankle_outer": 0.3, "base.z": 3.0}), robot.velocity({"hip": 2.0, "base.pitch": -1.0})
    runs = {
        (how, step): ff.simulate(robot, q=tuple(q), v=tuple(v), seconds=0.3, dt=step, record_dt=0.03, engine=how)
        for how, step in ((TimeStepping(), 1e-4), (Maximal(pinned=True), 1e-3), (Maximal(pinned=True), 5e-4))
    }
    coarse, fine = (np.abs(runs[Maximal(pinned=True), step].q - runs[TimeStepping(), 1e-4].q).max() for step in (1e-3, 5e-4))
    assert 1.9 < coarse / fine < 2.1
    assert max(run.residual.max() * step for (how, step), run in runs.items() if how == Maximal(pinned=True)) < 1e-6


@pytest.mark.parametrize("height", [0.0, 0.013, 0.1])
def test_both_feet_at_once(height):
    """A rod and Ranger dropped flat: both ends strike in the same step, and nothing turns."""
    run = ff.simulate(rod(), q=(0.0, height, 0.0), seconds=0.5, engine=Maximal(pinned=True))
    assert np.abs(run.q[:, 2]).max() < 1e-9
    assert np.abs(run.force[:, 0] - run.force[:, 1]).max() < 1e-9
    assert np.abs(run.v[-1]).max() < 1e-9
    robot = ff.robots.load("ranger")
    q = robot.neutral()
    q[1] = 1.02 + height
    run = ff.simulate(robot, Hold(stiffness=100.0, damping=3.0), q=tuple(q), seconds=0.3, engine=Maximal(pinned=True))
    assert np.abs(run.q[:, 3]).max() < 1e-9
    assert np.abs(run.q[:, 4] - run.q[:, 5]).max() < 1e-9
    assert run.point[..., 1].min() > -1e-9


def test_slides_and_sticks_on_a_slope():
    angle, g = 0.4, 9.81
    for friction, wanted in ((0.2, g * (np.sin(angle) - 0.2 * np.cos(angle))), (0.6, 0.0)):
        world = World(Slope(-angle), Rigid(friction=friction), falls=False)
        run = ff.simulate(rod(), world=world, q=(0.0, 0.0, angle), seconds=0.5, lift=True, engine=Maximal(pinned=True))
        way = np.hypot(run.q[-1, 0] - run.q[0, 0], run.q[-1, 1] - run.q[0, 1])
        assert way == pytest.approx(0.5 * wanted * 0.25, rel=5e-3, abs=1e-9)


def top():
    """A body of three different moments of inertia, its centre of mass off its origin."""
    joint = ff.Joint("base", "free", "world", "top")
    return Robot("top", "spatial", (Link("top", 2.0, (0.1, -0.2, 0.05), (0.3, 0.5, 0.7)),), (joint,))


@pytest.mark.parametrize("spin", [(5.0, 0.1, 0.1), (0.1, 5.0, 0.1), (0.1, 0.1, 5.0)])
def test_a_top_keeps_its_momentum_and_its_energy(spin):
    """In free flight linear momentum stays to rounding, the angular one in the middle of the step that led here to what its iteration
    leaves in 3,000 steps. Energy does not drift, nor where the top tumbles about its middle axis."""
    robot, h = top(), 1e-3
    v = (0.3, 0.2, 0.1, *spin)
    world = World(falls=False, gravity=0.0)
    run = ff.simulate(robot, world=world, q=(0, 0, 0, 1, 0, 0, 0), v=v, seconds=3.0, record_dt=0.01, engine=PIN)
    between = [ff.kinematics.integrate(robot, q, -0.5 * h * v) for q, v in zip(run.q[1:], run.v[1:], strict=True)]
    linear = np.array([ff.dynamics.momentum(robot, q, v)[:3] for q, v in zip(run.q[1:], run.v[1:], strict=True)])
    halfway = np.array([ff.dynamics.momentum(robot, q, v) for q, v in zip(between, run.v[1:], strict=True)])
    kinetic = np.array([ff.dynamics.energy(robot, q, v)[0] for q, v in zip(between, run.v[1:], strict=True)])
    turning = kinetic - (halfway[:, :3] ** 2).sum(axis=1) / (2.0 * robot.mass)
    assert np.abs(linear - linear[0]).max() < 1e-12 * np.linalg.norm(linear[0])
    assert np.abs(halfway[:, 3:] - halfway[0, 3:]).max() < 1e-6 * np.linalg.norm(halfway[0, 3:])
    assert np.ptp(turning) < 1e-4 * turning[0]


@pytest.mark.parametrize("name", ["person", "compass", "simple-biped"])
def test_any_robot_comes_to_the_motion_of_the_other_engine(name):
    """In space, with ball joints, without inertia in some bodies, with joints that slide: the difference goes with the step."""
    robot, rng = ff.robots.load(name), np.random.default_rng(2)
    q = ff.kinematics.within_stops(robot, ff.kinematics.random_configuration(robot, rng, 0.3))
    q[robot.coordinates.index("base.z")] += 3.0
    more = {"world": World(falls=False), "q": tuple(q), "v": tuple(rng.normal(size=robot.nv)), "seconds": 0.1, "record_dt": 0.1}
    exact = ff.simulate(robot, engine=Maximal(), **more)
    off = [np.abs(ff.simulate(robot, engine=PIN, dt=dt, **more).q[-1] - exact.q[-1]).max() for dt in (1e-3, 5e-4)]
    assert off[0] < 1e-2
    assert 1.7 < off[0] / off[1] < 2.3


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_loop_is_a_row_of_the_step(space):
    """The four-bar linkage, three of whose rows are redundant in space: first order, and the loop stays closed."""
    robot = four_bar(space)
    q, v = four_bar_start(robot, 3.0)
    exact = ff.simulate(robot, q=q, v=v, seconds=0.5, engine=Maximal(), record_dt=0.1)
    runs = [ff.simulate(robot, q=q, v=v, seconds=0.5, engine=PIN, dt=dt, record_dt=0.1) for dt in (1e-3, 5e-4)]
    off = [np.abs(run.q - exact.q).max() for run in runs]
    assert 1.7 < off[0] / off[1] < 2.3
    assert max(Solver(robot).error(q) for q in runs[0].q) < 1e-9


def test_a_ball_in_space_slides_and_then_rolls():
    """From v without turning it comes to 5/7 v, along its own direction."""
    joint, foot = Joint("base", "free", "world", "ball"), Foot("ball", (Sphere("ball", 0.1),))
    ball = Robot("ball", "spatial", (Link("ball", 1.0, inertia=(0.004, 0.004, 0.004)),), (joint,), feet=(foot,))
    world = World(contact=Rigid(friction=0.3), falls=False)
    run = ff.simulate(ball, world=world, q=(0, 0, 0.1, 1, 0, 0, 0), v=(0.6, 0.8, 0.0, 0, 0, 0), seconds=0.5, engine=PIN)
    assert run.v[-1, :2] == pytest.approx((0.6 * 5 / 7, 0.8 * 5 / 7), abs=1e-9)
    assert np.abs(run.q[:, 2] - 0.1).max() < 1e-9


@pytest.mark.parametrize("name", ["simbicon", "wendlandt-3d"])
def test_drops_never_gain_energy(name):
    for seed in range(4 if name == "simbicon" else 2):
        robot, rng = ff.robots.load(name), np.random.default_rng(seed)
        world = World(contact=Rigid(friction=float(rng.uniform(0.1, 1.2))), falls=False)
        q = ff.kinematics.random_configuration(robot, rng, 0.3)
        run = ff.simulate(robot, world=world, q=tuple(q), seconds=0.5, lift=True, engine=Maximal(pinned=True))
        energy = ff.analysis.ledger(run).energy
        assert energy.max() <= energy[0] * (1 + 1e-3)
        assert run.point[..., -1].min() > (-1e-6 if robot.dim == 2 else -1e-4)


def test_the_run_is_repeated_to_the_bit(tmp_path):
    run = moved(Maximal(pinned=True), 1e-3)
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again.study.engine == Maximal(pinned=True)
    assert again.replay() == run


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ff.simulate(rod(), world=World(contact=Compliant()), seconds=0.1, engine=Maximal(pinned=True)), "Rigid"),
        (lambda: ff.simulate(rod(), seconds=0.1, engine=Maximal), "engine must be a Engine"),
        (lambda: ff.simulate(rod(), world=World(loads=(Load("rod", 1.0),)), seconds=0.1, engine=Maximal(pinned=True)), "loads"),
        (lambda: ff.Simulation(ff.Study(rod(), engine=Maximal(pinned=True))).add(Load("rod", 1.0)), "loads"),
    ],
)
def test_what_it_cannot_do_is_said(make, said):
    with pytest.raises(FootfallError, match=said):
        make()
