"""Pushes, loads and ground that changes, against closed forms and independent integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import footfall as ff
from footfall.errors import SimulationError
from footfall.world import (
    Change,
    Compliant,
    Contact,
    Flat,
    Load,
    Push,
    Rigid,
    Slope,
    World,
    random_ground,
    random_hills,
    random_loads,
    random_pushes,
    random_steps,
)
from footfall.world.terrain import WorldError
from shapes import box

G = 9.81
SPACES = ["planar", "spatial"]


def flat(space, x, z):
    """x and z as a vector of the space."""
    return (x, z) if space == "planar" else (x, 0.0, z)


def at_height(space, z):
    return (0.0, z, 0.0) if space == "planar" else (0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0)


# --- pushes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_a_push_acts_at_its_point_of_the_link_as_the_link_turns(space):
    """A free body pushed along x at a height l above its centre: m x'' = f, I pitch'' = f l cos(pitch), felt half a step late."""
    robot, f, l, end, felt = box(space), 20.0, 0.1, 2.0, 2.0 - 0.0005
    world = World(gravity=0.0, pushes=(Push("box", flat(space, f, 0.0), 0.0, 10.0, at=flat(space, 0.0, l)),), falls=False)
    run = ff.simulate(robot, world=world, q=at_height(space, 50.0), seconds=end)
    known = solve_ivp(lambda _, y: (y[1], f * l / 0.2 * np.cos(y[0])), (0.0, felt), (0.0, 0.0), rtol=1e-10, atol=1e-10)
    assert run.q[-1, 0] == pytest.approx(0.5 * f / 10.0 * felt**2, rel=1e-6)
    assert known.y[0].max() > 3.1  # half a turn, and on its way back
    pitch = run.q[-1, 2] if space == "planar" else 2 * np.arctan2(run.q[-1, 5], run.q[-1, 3])
    assert pitch == pytest.approx(known.y[0, -1], abs=1e-4)
    assert run.v[-1, 2 if space == "planar" else 4] == pytest.approx(known.y[1, -1], abs=2e-4)


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.1), (0.1, 0.2), (0.10037, 0.25081), (0.2001, 0.2004)])
def test_the_impulse_of_a_push_is_force_times_time(start, end):
    world = World(gravity=0.0, pushes=(Push("box", (30.0, 0.0), start, end),), falls=False)
    run = ff.simulate(box("planar"), world=world, q=at_height("planar", 50.0), seconds=0.4)
    assert 10.0 * run.v[-1, 0] == pytest.approx(30.0 * (end - start), rel=1e-9)
    assert run.ledger[-1, 5] == pytest.approx(0.5 * 10.0 * run.v[-1, 0] ** 2, rel=1e-9)


def test_two_pushes_on_one_body_add_up():
    pushes = (Push("box", (5.0, 0.0), 0.0, 1.0, at=(0.0, 0.1)), Push("box", (5.0, 0.0), 0.0, 1.0, at=(0.0, -0.1)))
    run = ff.simulate(box("planar"), world=World(gravity=0.0, pushes=pushes), q=at_height("planar", 50.0), seconds=1.0)
    assert run.q[-1, 0] == pytest.approx(0.5 * 0.9995**2, rel=1e-6)  # felt half a step late
    assert run.q[-1, 1:] == pytest.approx([50.0, 0.0], abs=1e-9)


# --- ground that changes --------------------------------------------------------------------------------------------------


def tilted(angle):
    return (0.0, 0.1 / np.cos(angle), -angle)


def test_ice_from_some_time_on():
    """What sticks at friction 0.5 slides at 0.2, from then on with the acceleration of the closed form."""
    angle = np.arctan(0.25)
    world = World(Slope(angle), Rigid(friction=0.5), changes=(Change(1.0, contact=Rigid(friction=0.2)),))
    run = ff.simulate(box("planar"), world=world, q=tilted(angle), seconds=2.0)
    way = np.linalg.norm(run.point - run.point[0], axis=2).max(axis=1)
    assert way[run.time <= 1.0].max() < 1e-7
    assert way[-1] == pytest.approx(0.5 * G * (np.sin(angle) - 0.2 * np.cos(angle)), rel=3e-3)
    assert {event.kind for event in run.events if event.time > 0.5} == {"slip begins"}


def test_ground_that_sinks_away():
    world = World(changes=(Change(0.5, Flat(-0.3)), Change(1.5, Flat(-0.4))))
    run = ff.simulate(box("planar"), world=world, q=at_height("planar", 0.1), seconds=2.5)
    falls = (run.time > 0.5) & (run.time < 0.74)
    assert run.q[falls, 1] == pytest.approx(0.1 - 0.5 * G * (run.time[falls] - 0.5) ** 2, abs=3e-3)
    assert run.q[run.time == 1.5, 1] == pytest.approx([-0.2], abs=1e-6)
    assert run.q[-1, 1] == pytest.approx(-0.3, abs=1e-6)


def test_bounce_that_begins_later():
    """A box that falls flat does not bounce at first; falling again, it rebounds with half its speed."""
    world = World(changes=(Change(0.8, Flat(-0.2), Rigid(restitution=0.5)),))
    run = ff.simulate(box("planar"), world=world, q=at_height("planar", 0.3), seconds=1.2, record_dt=0.001)
    first, *_ = run.happened("touch-down")
    assert first.time < 0.3
    after = run.q[run.time > 0.8 + np.sqrt(2 * 0.2 / G) + 0.01, 1]
    assert np.abs(run.q[(run.time > 0.3) & (run.time < 0.8), 1] - 0.1).max() < 1e-6
    assert after.max() - (0.1 - 0.2) == pytest.approx(0.25 * 0.2, rel=1e-2)


def test_ground_that_rises_into_a_foot_is_refused():
    with pytest.raises(SimulationError, match=r"from 0\.5000 s on has 'box/corner0' 0\.02 m inside it; .* Compliant") as caught:
        ff.simulate(box("planar"), world=World(changes=(Change(0.5, Flat(0.02)),)), q=at_height("planar", 0.1), seconds=1.0)
    assert caught.value.run.time[-1] == pytest.approx(0.5)
    assert caught.value.run.reason == "the ground rose into box/corner0 at 0.500 s"


def test_compliant_ground_lifts_what_it_rises_into():
    soft = Compliant(stiffness=1e4, damping=300.0)
    world = World(contact=soft, changes=(Change(0.5, Flat(0.02)),))
    run = ff.simulate(box("planar"), world=world, q=at_height("planar", 0.1), seconds=3.0)
    assert run.q[-1, 1] == pytest.approx(0.12 - 10 * G / (2 * 1e4), abs=1e-6)


def test_what_is_added_from_outside_is_part_of_the_question(tmp_path):
    simulation = ff.Simulation(ff.Study(box("planar"), q=at_height("planar", 0.1), seconds=1.0))
    simulation.advance(0.3)
    simulation.add(Push("box", (120.0, 0.0), 0.3, 0.5), Load("box", 2.0, 0.35, 0.6))
    simulation.advance(0.2)
    simulation.add(Change(0.5, Flat(-0.05), Rigid(friction=0.1)))
    simulation.advance(0.5)
    run = simulation.run()
    assert run.q[-1, 0] > 0.01
    assert run.q[-1, 1] == pytest.approx(0.05, abs=1e-6)
    assert run.replay() == run
    run.save(tmp_path / "run.parquet")
    assert ff.Run.load(tmp_path / "run.parquet").replay() == run
    with pytest.raises(SimulationError, match="Push: it should begin at 0.5 s, but it is 1 s already"):
        simulation.add(Push("box", (1.0, 0.0), 0.5, 2.0))
    with pytest.raises(SimulationError, match="a Push, a Load or a Change can be added, got 3"):
        simulation.add(3)


def test_the_ground_of_a_time():
    world = World(changes=(Change(2.0, Flat(2.0)), Change(1.0, Flat(1.0), Rigid(0.1))))
    assert [world.terrain_at(t).z for t in (0.0, 0.999, 1.0, 1.5, 2.0)] == [0.0, 0.0, 1.0, 1.0, 2.0]
    assert [world.contact_at(t).friction for t in (0.5, 3.0)] == [0.8, 0.1]


# --- chance ---------------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_world():
    robot = box("spatial")
    makers = (
        lambda seed: random_pushes(robot, "box", 2.0, 0.5, 5.0, seed),
        lambda seed: random_loads("box", 3.0, 2.0, 9.0, seed),
        lambda seed: random_hills(0.02, 0.5, seed),
        lambda seed: random_steps(0.03, 0.4, seed),
    )
    for make in makers:
        assert make(1) == make(1)
        assert make(1) != make(2)


def test_ground_that_ends_before_it_begins_has_one_piece():
    """A short run in trouble: it said that x must ascend."""
    assert len(random_ground(0.01, 0.03, seed=0, span=0.5).x) == 3
    assert ff.studies.load("ranger-trouble", seconds=1.0).seconds == 1.0


def test_random_ground_is_as_rough_as_asked():
    hills = random_hills(0.02, 0.5, seed=3)
    heights = [hills.height(x, y) for x in np.linspace(0, 20, 101) for y in np.linspace(0, 20, 101)]
    assert np.std(heights) == pytest.approx(0.02, rel=0.05)
    steps = random_steps(0.03, 0.4, seed=3, count=50)
    treads = np.array([steps.height(0.5 + 0.4 * i + 0.2) for i in range(-1, 50)])
    assert treads[0] == 0.0
    assert 0.02 < np.abs(np.diff(treads)).max() <= 0.03
    ground = random_ground(0.01, 0.03, seed=4, span=80.0, exact=True)
    x, z = np.array(ground.x), np.array(ground.z)
    slopes, rises = np.diff(z)[1::2] / np.diff(x)[1::2], np.diff(z)[::2]
    assert set(np.abs(slopes).round(9)) == {round(float(np.tan(0.03)), 9)}
    assert {round(float(rise), 9) for rise in rises} == {-0.01, 0.0, 0.01}
    loads = random_loads("box", 3.0, 2.0, 9.0, seed=5, length=1.0)
    assert len(loads) == 4
    assert all(0.0 <= load.mass <= 3.0 and load.end == load.start + 1.0 for load in loads)


# --- bad worlds -----------------------------------------------------------------------------------------------------------


class Mud(Contact):
    pass


BAD = [
    (lambda: Change(1.0), WorldError, "Change at 1 s: give it a terrain, a contact or both"),
    (lambda: Change(1.0, terrain=2), WorldError, "Change at 1 s: terrain must be a Terrain, got 2"),
    (lambda: Change(-1.0, Flat()), WorldError, "at must be at least 0 s, got -1"),
    (lambda: World(bonded="box"), WorldError, "bonded must be a row of names of feet, such as .one,., got 'box'"),
    (lambda: World(pushes=Push("box", (1, 0), 0, 1)), WorldError, "pushes must be a row of Pushes"),
    (lambda: World(loads=(3,)), WorldError, "loads must be a row of Loads"),
    (lambda: World(changes=(Flat(),)), WorldError, "changes must be a row of Changes"),
    (lambda: ff.Study(box("planar"), name=5), SimulationError, "study 5: name must be a word, got 5"),
    (lambda: ff.Study("box"), SimulationError, "robot must be a Robot, got 'box'"),
    (lambda: ff.Study(box("planar"), Flat()), SimulationError, "world must be a World, got Flat"),
    (lambda: ff.Study(box("planar"), controller=3), SimulationError, "controller must be a Controller, or left out, got 3"),
    (lambda: World(falls="no"), WorldError, "falls must be True or False, got 'no'"),
    (
        lambda: ff.simulate(box("planar"), world=World(contact=Mud())),
        SimulationError,
        "contact Mud: contact must be Rigid or Comp",
    ),
    (
        lambda: ff.simulate(box("planar"), world=World(pushes=(Push("box", (1.0,), 0, 1),))),
        WorldError,
        "Push on 'box': force must be 2 numbers for a planar robot",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), BAD)
def test_bad_worlds(make, error, message):
    with pytest.raises(error, match=message):
        make()
