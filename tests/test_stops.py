"""Joint stops, met within the step; and impacts in which they take part."""

import numpy as np
import pytest

import footfall as ff
from footfall.reproduce.world import stops
from footfall.reproduce.world.convergence import order
from footfall.world import Rigid, World

SIZES = (5e-4, 2.5e-4, 1.25e-4)
G = 9.81


@pytest.mark.parametrize("case", stops.CASES, ids=lambda case: case.name)
def test_stops_converge_with_second_order(case):
    """Against equations written by hand, integrated from event to event by scipy."""
    found = stops.errors(case, SIZES)
    assert order(SIZES, found) > 1.8
    assert found[0] < 1e-5


def test_stops_in_space_are_those_of_the_plane():
    case = stops.CASES[1]
    planar, spatial = (stops.errors(case, (1e-3,), space) for space in ("planar", "spatial"))
    assert spatial == pytest.approx(planar, rel=1e-3)


def test_the_energy_account_is_balanced():
    for case in stops.CASES:
        run = ff.simulate(case.robot, q=case.q, v=case.v, seconds=2.0, dt=1e-3)
        energies = [ff.dynamics.energy(case.robot, q, v) for q, v in zip(run.q, run.v, strict=True)]
        total = np.array([each.kinetic + each.potential for each in energies])
        taken = run.ledger.sum(axis=1)
        assert np.abs(total - total[0] - taken).max() < 1e-4 * np.ptp([each.potential for each in energies])
        assert np.diff(taken).max() < 1e-9  # stops only take, up to what a step is solved to
        assert run.ledger[-1, -1] < 0.0  # impacts


def hopper(low):
    """A body on a vertical rail, and below it a foot on a leg that slides, with a stop."""
    links = (ff.Link("body", 2.0, inertia=0.1), ff.Link("foot", 1.0, inertia=0.1))
    rail = ff.Joint("rail", "prismatic", "world", "body", axis=(0.0, 1.0))
    leg = ff.Joint("leg", "prismatic", "body", "foot", axis=(0.0, -1.0), limits=(low, 1.0))
    return ff.Robot("hopper", "planar", links, (rail, leg), feet=(ff.Foot("foot", (ff.Point("foot", (0.0, 0.0)),)),))


def test_a_stop_is_met_while_the_foot_stands():
    """It falls, its foot lands at sqrt(2 h / g); the body goes on falling until the leg is short, and all is at rest at once."""
    h, long, short = 0.3, 0.5, 0.31234
    run = ff.simulate(hopper(short), world=World(falls=False), q=(long + h, long), seconds=0.5, dt=1e-3, record_dt=1e-3)
    lands, meets = (np.sqrt(2 * way / G) for way in (h, h + long - short))
    (stop,) = run.happened("stop")
    struck = run.happened("impact")
    assert struck[0].time == pytest.approx(lands, abs=1e-6)
    assert stop.time == pytest.approx(meets, abs=1e-6)
    assert stop.numbers["coordinate"] == pytest.approx(short, abs=1e-12)
    assert stop.numbers["velocity"] == pytest.approx(-G * meets, rel=1e-5)
    assert struck[-1].numbers["impulse N s"] == pytest.approx(2.0 * G * meets, rel=1e-5)  # through the leg
    after = run.time > meets + 2e-3
    assert np.abs(run.q[after] - (short, short)).max() < 1e-8
    assert np.abs(run.v[after]).max() < 2e-6  # what a step is solved to


def test_stop_and_ground_are_met_at_once():
    """The leg arrives at its stop when the foot arrives at the ground."""
    h, long, speed = 0.2, 0.5, 1.3
    time = (np.sqrt(speed**2 + 2 * G * h) - speed) / G
    rate = -0.7
    robot = hopper(long + rate * time)
    foot = h + long  # the foot falls from h with `speed`; the body above it at speed + rate
    run = ff.simulate(
        robot, world=World(falls=False), q=(foot, long), v=(-speed + rate, rate), seconds=0.4, dt=1e-3, record_dt=1e-3
    )
    (stop,) = run.happened("stop")
    assert stop.time == pytest.approx(time, abs=1e-6)
    assert np.abs(run.v[run.time > time + 2e-3]).max() < 2e-6


def test_mirrored_stops_are_mirrored_to_the_bit_and_replayed():
    """Two pendulums beside each other, on one trunk."""
    links = [ff.Link("trunk", 3.0, inertia=0.2)]
    joints = [ff.Joint("rail", "prismatic", "world", "trunk", axis=(1.0, 0.0))]
    for side in ("left", "right"):
        links.append(ff.Link(f"arm_{side}", 1.0, (0.0, -0.3), 0.02))
        joints.append(ff.Joint(f"hinge_{side}", "revolute", "trunk", f"arm_{side}", limits=(-0.3, 0.7)))
    robot = ff.Robot("pair", "planar", tuple(links), tuple(joints))
    runs = [
        ff.simulate(robot, world=World(falls=False), q=(0.0, *angles), seconds=1.5, dt=1e-3)
        for angles in ((0.6, -0.2), (-0.2, 0.6))
    ]
    assert runs[0].happened("stop")
    assert np.array_equal(runs[0].q, runs[1].q[:, [0, 2, 1]])
    assert runs[0].replay() == runs[0]


@pytest.mark.parametrize("name", ["ranger", "kneed-walker", "person"])
def test_limp_robots_do_not_chatter_at_their_stops(name):
    """Without torques they fall, swing to their stops and lie: joints stay within, and few impacts fall into one step."""
    robot = ff.robots.load(name)
    q = ff.kinematics.within_stops(robot, ff.kinematics.random_configuration(robot, 1, 0.3))
    v = 2.0 * np.random.default_rng(1).normal(size=robot.nv)
    world = World(contact=Rigid(friction=0.8), falls=False)
    run = ff.simulate(robot, world=world, q=tuple(q), v=tuple(v), seconds=1.5, dt=1e-3, record_dt=1e-3, lift=True)
    assert run.happened("stop")
    within = np.array(sorted({event.time for event in run.events if event.kind in ("stop", "impact")}))
    assert np.bincount((within / 1e-3).astype(int)).max() < 10
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            values = run.q[:, robot.tree.first_q[i]]
            assert values.min() > joint.limits[0] - 1e-5
            assert values.max() < joint.limits[1] + 1e-5


# --- restitution that would add energy ------------------------------------------------------------------------------------


def rod():
    ends = (ff.Point("rod", (-0.5, 0.0)), ff.Point("rod", (0.5, 0.0)))
    joint = ff.Joint("base", "planar", "world", "rod")
    return ff.Robot("rod", "planar", (ff.Link("rod", 1.0, inertia=1 / 12),), (joint,), feet=(ff.Foot("rod", ends),))


def test_restitution_is_lowered_no_more_than_needed():
    """One end of a rod strikes with friction: where Newton's law gains energy, the energy is the same before and after."""
    robot, lowered = rod(), 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        pitch, height = rng.uniform(-1.2, 1.2), 0.5 * 9.81 * 1e-6
        v = rng.normal(size=3) * (3.0, 1.0, 6.0)
        lowest = 0.5 * abs(np.sin(pitch)) + height
        world = World(contact=Rigid(friction=0.8, restitution=0.9), falls=False)
        run = ff.simulate(robot, world=world, q=(0.0, lowest, pitch), v=tuple(v), seconds=2e-3, dt=1e-3, record_dt=1e-3)
        struck = run.happened("impact")
        if len(struck) == 1:
            lost = struck[0].numbers["energy lost J"]
            assert lost > -1e-9
            lowered += abs(lost) < 1e-8
    assert lowered >= 3
