"""Gravity that is tilted, in all engines: against closed forms, and against the same walk on a slope."""

from dataclasses import replace
from math import atan, cos, pi, radians, sin, tan

import numpy as np
import pytest

import footfall as ff
from footfall.engines import Hybrid, Maximal, TimeStepping
from footfall.engines.contact.build import world_acceleration
from footfall.engines.hybrid import Mode
from footfall.errors import ParameterError
from footfall.sensors import Accelerometer
from footfall.world import Flat, Rigid, World
from footfall.world.terrain import WorldError
from shapes import box

G = 9.81
SPACES = ["planar", "spatial"]
AIR = Hybrid(modes=(Mode("air"),), first="air")


def at_height(space, z):
    return (0.0, z, 0.0) if space == "planar" else (0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0)


def vector(space, x, y, z):
    return np.array((x, z) if space == "planar" else (x, y, z))


@pytest.mark.parametrize("tilt", [0.3, -1.2, pi])
@pytest.mark.parametrize("engine", [TimeStepping(), Maximal(), AIR], ids=["stepping", "maximal", "hybrid"])
@pytest.mark.parametrize("space", SPACES)
def test_a_body_falls_along_gravity(space, engine, tilt):
    heading = 0.7 if space == "spatial" else 0.0
    world = World(gravity=G, gravity_tilt=tilt, gravity_heading=heading, falls=False)
    run = ff.simulate(box(space), world=world, q=at_height(space, 50.0), seconds=1.0, engine=engine)
    way = vector(space, sin(tilt) * cos(heading), sin(tilt) * sin(heading), -cos(tilt))
    rounding = 1e-9 if engine is AIR else 1e-2 * G  # velocities of the steps are those of the middle of a step
    assert run.q[-1, : len(way)] - run.q[0, : len(way)] == pytest.approx(0.5 * G * run.time[-1] ** 2 * way, abs=rounding)
    assert ff.analysis.ledger(run).residual[-1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("engine", [TimeStepping(), Maximal()], ids=["stepping", "maximal"])
@pytest.mark.parametrize("space", SPACES)
def test_a_box_on_level_ground_slides_as_on_a_slope(space, engine):
    """With gravity tilted by a it slides with g (sin a - mu cos a), and stays where mu is above tan a."""
    a = atan(0.25)
    for mu, speeds_up in ((0.15, G * (sin(a) - 0.15 * cos(a))), (0.3, 0.0)):
        world = World(Flat(), Rigid(friction=mu), gravity=G, gravity_tilt=a, falls=False)
        run = ff.simulate(box(space), world=world, q=at_height(space, 0.1), seconds=1.0, engine=engine)
        assert run.v[-1, 0] == pytest.approx(speeds_up * run.time[-1], abs=2e-3)
        book = ff.analysis.ledger(run)
        assert book.residual[-1] == pytest.approx(0.0, abs=1e-3 * max(book.exchanged, 1e-3))


@pytest.mark.parametrize("space", SPACES)
def test_pressure_is_where_gravity_points(space):
    """A box of half height h that stands under tilted gravity presses h tan(a) ahead of its middle; the ZMP is the same."""
    a = radians(8)
    world = World(Flat(), Rigid(friction=0.6), gravity=G, gravity_tilt=a, falls=False)
    run = ff.simulate(box(space), world=world, q=at_height(space, 0.1), seconds=0.5)
    found = ff.analysis.pressure(run)
    assert found.cop.valid[-1]
    assert found.zmp.valid[-1]
    assert found.cop.place[-1, 0] - run.q[-1, 0] == pytest.approx(0.1 * tan(a), abs=1e-6)
    assert found.zmp.place[-1, 0] - run.q[-1, 0] == pytest.approx(0.1 * tan(a), abs=1e-6)


def test_an_accelerometer_at_rest_shows_the_direction():
    a, b = radians(8), radians(30)
    world = World(Flat(), Rigid(friction=0.6), gravity=G, gravity_tilt=a, gravity_heading=b, falls=False)
    run = ff.simulate(
        box("spatial"), world=world, q=at_height("spatial", 0.1), seconds=0.3, sensors=(Accelerometer(),), record=("sensors",)
    )
    seen = [float(run.more[name][-1]) for name in run.more if name.startswith("obs.acceleration.box")]
    assert seen == pytest.approx([-G * sin(a) * cos(b), -G * sin(a) * sin(b), G * cos(a)], abs=1e-6)


def test_a_walk_under_tilted_gravity_is_the_walk_on_a_slope():
    """The compass gait down 3 degrees, with all absolute angles turned by the slope."""
    slope = radians(-3)
    down = ff.studies.load("compass", slope=slope)
    c, s = cos(slope), sin(slope)  # a turn by which the slope becomes level
    (x, z, pitch, *joints), (speed, rise, *rates) = down.start()
    q, v = (c * x + s * z, c * z - s * x, pitch + slope, *joints), (c * speed + s * rise, c * rise - s * speed, *rates)
    tilted = replace(down, world=World(Flat(), gravity=down.gravity, gravity_tilt=-slope), q=q, v=v)
    one, other = ff.cycles.limit_cycle(down), ff.cycles.limit_cycle(tilted)
    assert other.period == pytest.approx(one.period, rel=1e-8)
    assert sorted(np.abs(other.multipliers)) == pytest.approx(sorted(np.abs(one.multipliers)), abs=1e-6)


def test_it_can_be_set_on_the_way_and_replays():
    simulation = ff.Simulation(ff.Study(box("planar"), World(Flat(), Rigid(friction=0.5), gravity=G), q=(0.0, 0.1, 0.0)))
    simulation.advance(0.2)
    simulation.set("world.gravity_tilt", "40 deg")
    simulation.advance(0.3)
    simulation.set("world.gravity", 3.0)
    simulation.set("gravity_tilt", 0.0)
    simulation.advance(0.5)
    run = simulation.run()
    a = radians(40)
    fast = run.v[np.searchsorted(run.time, 0.5 - 1e-9), 0]
    assert fast == pytest.approx(0.3 * G * (sin(a) - 0.5 * cos(a)), abs=5e-3)
    pull = ff.analysis.motion.gravity(run)
    assert [tuple(row) for row in dict.fromkeys(map(tuple, pull.round(12)))] == [
        (0.0, -G),
        pytest.approx((G * sin(a), -G * cos(a))),
        (0.0, -3.0),
    ]
    book = ff.analysis.ledger(run)
    assert "changes of gravity" in book.work
    assert book.residual[-1] == pytest.approx(0.0, abs=1e-3 * book.exchanged)
    assert run.replay() == run


def test_it_is_saved(tmp_path):
    run = ff.simulate(
        box("spatial"), world=World(gravity_tilt=0.2, gravity_heading=-0.4), q=at_height("spatial", 1.0), seconds=0.1
    )
    run.save(tmp_path / "fall.parquet")
    again = ff.Run.load(tmp_path / "fall.parquet")
    assert (again.study.world.gravity_tilt, again.study.world.gravity_heading) == (0.2, -0.4)
    assert again.replay() == run


def test_what_cannot_be():
    with pytest.raises(WorldError, match="gravity_heading must be 0 for a planar robot"):
        ff.Study(box("planar"), World(gravity_heading=0.1))
    with pytest.raises(WorldError, match="gravity_tilt"):
        World(gravity_tilt=4.0)
    with pytest.raises(ParameterError, match="gravity_tilt"):
        ff.with_parameters(ff.Study(box("planar")), {"world.gravity_tilt": float("nan")})


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("size", [0.0, 1.62, None])
def test_straight_down_is_exact(space, size):
    """To the bit, and without a negative zero: runs of before are the same."""
    study = ff.Study(box(space), World(gravity=size))
    up = np.zeros(study.robot.dim)
    up[-1] = study.gravity
    assert world_acceleration(study).tobytes() == up.tobytes()
