"""Recorded forces of every contact point are within its friction cone, however seldom rows are written."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.reproduce.world.cones import TOLERANCE, beyond, on_a_plane, worst_of
from footfall.reproduce.world.drops import study as drop
from footfall.world import Compliant, Rigid, World

G = 9.81


def boot(space):
    """A foot with more contact points than it needs, and a heavy leg on a springy ankle."""
    flat = space == "planar"
    across = [()] if flat else [(y,) for y in np.linspace(-0.05, 0.05, 4)]
    points = tuple(ff.Point("boot", (x, *y, -0.1)) for x in np.linspace(-0.1, 0.15, 4) for y in across)
    inertia = (0.01, 3.0) if flat else ((0.01, 0.01, 0.01), (3.0, 3.0, 1.0))
    leg = ff.Link("leg", 60.0, com=(0.0, 0.8) if flat else (0.0, 0.0, 0.8), inertia=inertia[1])
    ankle = ff.Joint("ankle", "revolute", "boot", "leg", spring=ff.Spring(stiffness=800.0), damping=20.0)
    base = ff.Joint("base", "planar" if flat else "free", "world", "boot")
    return ff.Robot(
        "boot", space, (ff.Link("boot", 2.0, inertia=inertia[0]), leg), (base, ankle), feet=(ff.Foot("boot", points),)
    )


def landing(space, seed):
    """It comes down on an edge or a corner, slides or sticks, and tips over onto its other points."""
    rng = np.random.default_rng(seed)
    flat, tilt = space == "planar", rng.uniform(-0.08, 0.08, 3)
    turn = np.concatenate(([2.0], tilt)) / np.hypot(2.0, np.linalg.norm(tilt))
    q = (0.0, 0.12, tilt[0], 0.0) if flat else (0.0, 0.0, 0.12, *turn.tolist(), 0.0)
    v = tuple(rng.uniform(-0.5, 0.5, 4 if flat else 7).tolist())
    world = World(contact=Rigid(friction=float(rng.uniform(0.2, 1.0))), falls=False)
    return ff.Study(boot(space), world, None, q, v, seconds=0.2)


@pytest.mark.parametrize("record_dt", [1e-3, 3e-3, 1e-2])
@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_foot_with_many_points_lands_within_its_cones(space, record_dt):
    for seed in range(12):
        run = ff.simulate(replace(landing(space, seed), record_dt=record_dt))
        friction, pull = beyond(run)
        assert friction < TOLERANCE
        assert pull <= 0.0
        assert np.any(run.force[..., -1] > 0.0)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_forces_of_many_points_are_all_that_acts_beside_gravity(space):
    """m dv = force dt - m g dt from the start to each row in which nothing sticks, and to the last, by hand."""
    flat = space == "planar"
    for seed in range(6):
        study = landing(space, seed)
        slab = replace(
            study.robot, links=(ff.Link("boot", 10.0, inertia=0.3 if flat else (0.3, 0.3, 0.3)),), joints=study.robot.joints[:1]
        )
        run = ff.simulate(replace(study, robot=slab, q=study.q[:-1], v=study.v[:-1], seconds=0.4, record_dt=1e-3))
        change = 10.0 * (run.v - run.v[0])[1:, : run.robot.dim]
        given = np.cumsum(run.force[1:].sum(axis=1) * 1e-3, axis=0)
        given[:, -1] -= 10.0 * G * run.time[1:]
        off = np.abs(given - change).max(axis=1)
        free = ~np.any(run.mode[1:] == 1, axis=1)
        assert off[free].max() < (1e-10 if flat else 1e-8) * 10.0 * G
        assert beyond(run)[0] < TOLERANCE


@pytest.mark.parametrize("seed", [*range(7), 82, 1182])
def test_limp_robots_fall_within_their_cones(seed):
    """In drop 82 a toe closes gently just before another one strikes: what it gave too long was once taken from others.

    In drop 1182 load goes to and fro between points of both feet, and limits of friction do not settle.
    """
    friction, pull = worst_of(drop(seed))
    assert friction < TOLERANCE
    assert pull <= 0.0


@pytest.mark.parametrize("name", ["newton-walk-contact", "simbicon-walk"])
def test_walks_are_within_their_cones(name):
    friction, pull = worst_of(replace(ff.studies.load(name), seconds=1.5))
    assert friction < TOLERANCE
    assert pull <= 0.0


def test_a_pull_and_friction_beyond_the_cone_are_seen():
    """Across a slope, and with forces that no ground gives."""
    study = replace(ff.studies.load("box-slope", slope="14deg", friction=0.5), seconds=0.1)
    run = ff.simulate(study)
    assert on_a_plane(study)
    assert beyond(run)[0] < TOLERANCE
    assert beyond(replace(run, force=-run.force))[1] > 0.1
    slippery = replace(study, world=replace(study.world, contact=Rigid(friction=0.2)))
    pads = run.force[-1].any(axis=1).sum()
    share = np.cos(np.radians(14.0)) / pads  # of the weight on each pad, if all carry alike
    expected = share * (np.tan(np.radians(14.0)) - 0.2) / (0.2 * share + 1e-3)
    assert beyond(replace(run, study=slippery))[0] > 0.5 * expected
    assert not on_a_plane(replace(study, world=World(contact=Compliant())))
