"""Kelly's simple biped: its dynamics beside three free masses, its law beside hand calculation, and what its gaits must bear."""

from dataclasses import dataclass, replace
from math import cos, pi, sin

import numpy as np
import pytest

import footfall as ff
import three_masses
from footfall.control import Controller, Layered, SimpleBiped
from footfall.control.controller import ControlError
from footfall.control.point_legs import Make, carry, see_leg
from footfall.control.simple_biped import DOUBLE
from footfall.control.trial import Trial
from footfall.errors import UnknownNameError
from footfall.motion import cubic_bezier
from footfall.sim.simulate import Simulation
from footfall.studies.simple_biped_walk import stance
from footfall.world import Push, Rigid, Waves, World, hills_of, random_pushes


def masses(robot, q, v):
    """Places and velocities of hip and feet, by hand."""
    zero = -robot.joint("leg_left").at[1]
    p, u = [np.array(q[:2])], [np.array(v[:2])]
    for length, rate, pitch, turn in (
        (zero + q[3], v[3], q[2], v[2]),
        (zero + q[5], v[5], q[2] + q[4], v[2] + v[4]),
    ):
        down, across = np.array([-sin(pitch), -cos(pitch)]), np.array([-cos(pitch), sin(pitch)])
        p.append(p[0] + length * down)
        u.append(u[0] + rate * down + length * turn * across)
    return p, u


# --- the robot ------------------------------------------------------------------------------------------------------------


def test_it_is_three_point_masses():
    robot, rng = ff.robots.load("simple-biped"), np.random.default_rng(1)
    for _ in range(20):
        q, v = rng.uniform(-0.3, 0.3, 6), rng.normal(size=6)
        _, u = masses(robot, q, v)
        energy = sum(0.5 * m * (w @ w) for m, w in zip((6.8, 0.6, 0.6), u, strict=True))
        assert 0.5 * v @ ff.dynamics.mass_matrix(robot, q) @ v == pytest.approx(energy, rel=1e-12)


def springs(legs):
    """Legs as springs with a little damping, and one between them."""
    (left, left_rate, a, turn_a), (right, right_rate, b, turn_b) = legs
    return (
        900.0 * (0.8 - left) - 8.0 * left_rate,
        900.0 * (0.8 - right) - 8.0 * right_rate,
        -3.0 * (b - a) - 0.4 * (turn_b - turn_a),
    )


@dataclass(frozen=True)
class Springs(Controller):
    """The same, as joints feel it."""

    def law(obs, params, state, goal, command):
        q, v = obs.q, obs.v
        left, right, torque = springs(((0.8 + q[3], v[3], q[2], v[2]), (0.8 + q[5], v[5], q[2] + q[4], v[2] + v[4])))
        command.tau[3:] = left, torque, right
        return 0


def test_it_moves_as_three_free_masses_do():
    """Dropped on hills with legs like springs, it lands foot after foot, sinks in and takes off again."""
    robot = ff.robots.load("simple-biped", shortest=0.3, longest=2.0)
    q, v = np.array([0.0, 0.88, -0.25, 0.01, 0.55, -0.02]), np.array([0.3, -0.2, 0.4, 0.1, -0.3, 0.0])
    world = World(Waves(((0.02, 1.0, 0.0, 0.3),)), Rigid(friction=100.0))
    off, landed = {}, ()
    for h in (1.6e-3, 4e-4, 1e-4):
        run = ff.simulate(robot, Springs(rate=1 / h), world, q=tuple(q), v=tuple(v), seconds=0.4, dt=h)
        p, u = masses(robot, run.q[-1], run.v[-1])
        known, fast = three_masses.simulate(
            *masses(robot, q, v), springs, (6.8, 0.6, 0.6), 0.4, h,
            lambda x: 0.02 * sin(2 * pi * x + 0.3), lambda x: 0.04 * pi * cos(2 * pi * x + 0.3),
        )  # fmt: skip
        off[h] = max(np.abs(np.array(p) - known).max(), np.abs(np.array(u) - fast).max())
        landed = tuple(event.which for event in run.happened("touch-down"))
    assert set(landed) == {"foot_left/point", "foot_right/point"}
    assert run.happened("lift-off")
    assert off[4e-4] < 0.35 * off[1.6e-3]  # of first order: a quarter
    assert off[1e-4] < 0.35 * off[4e-4]
    assert off[1e-4] < 1e-3


# --- the parts of the law -------------------------------------------------------------------------------------------------


def leg(x, pitch, stands=True):
    return see_leg.plain("planar")((x, 0.8), 0.8, 0.0, pitch, 0.0, stands)


def test_two_legs_lay_any_force_between_them_on_the_hip():
    make, rng = Make(6.8, 0.6, 9.81, 0.8, 0.7, 0.9, 1e9), np.random.default_rng(2)
    give = carry.plain("planar")
    for _ in range(50):
        front, rear = leg(0.0, -rng.uniform(0.1, 0.6)), leg(0.0, rng.uniform(0.1, 0.6))
        a, b = rng.uniform(0.0, 100.0, 2)
        force = a * np.array([front.sin, front.cos]) + b * np.array([rear.sin, rear.cos])
        assert give(make, front, rear, *force) == pytest.approx((a, b))
        away = 50.0 * front.cos, -50.0 * front.sin  # across the front leg: the rear one pushes, the front one would pull
        assert min(give(make, front, rear, *away)) == 0.0
        alone = give(make, front, rear._replace(stands=False), *force)
        assert alone == pytest.approx((force @ (front.sin, front.cos), 0.0))
        assert max(give(make._replace(force=30.0), front, rear, *force)) <= 30.0


def test_a_step_is_as_high_as_it_should_be():
    curve, top = cubic_bezier.plain("planar"), 4 / 3 * 0.07
    assert curve(0.0, top, top, 0.0, 0.5)[0] == pytest.approx(0.07)
    assert max(curve(0.0, top, top, 0.0, t)[0] for t in np.linspace(0, 1, 101)) <= 0.07 + 1e-12
    for t in (0.0, 0.3, 1.0, 1.4):
        slope = (curve(0.1, 0.5, 0.2, 0.7, t + 1e-6)[0] - curve(0.1, 0.5, 0.2, 0.7, t - 1e-6)[0]) / 2e-6
        assert curve(0.1, 0.5, 0.2, 0.7, t)[1] == pytest.approx(slope, abs=1e-5)


def test_standing_it_carries_its_weight():
    """At rest where it should be, the legs bear the hip and nothing else is done."""
    robot = ff.robots.load("simple-biped")
    q = np.array(stance(robot, World().terrain, 0.25, 0.77))
    trial = Trial(SimpleBiped(gaits=("stand",)), robot, q, 9.81)
    assert trial.ask(0.0, q, np.zeros(6), mode=(1, 1)) == 0
    half = 0.5 * 6.8 * 9.81 / (0.77 / (0.8 + q[3]))
    assert trial.command.tau == pytest.approx((0.0, 0.0, 0.0, half, 0.0, half))


# --- its gaits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.3, 0.6, 1.0])
def test_it_walks_at_the_speed_that_is_set(speed):
    run = ff.simulate(ff.studies.load("simple-biped-walk", speed=speed, seconds=40.0))
    assert run.outcome is ff.Outcome.END
    late = run.time >= 20.0
    assert np.polyfit(run.time[late], run.q[late, 0], 1)[0] == pytest.approx(speed, rel=0.05)
    assert np.abs(run.tau[:, 3:]).max(axis=0) == pytest.approx((0, 0, 0), abs=314.0)


def test_the_hip_is_off_while_both_feet_carry():
    simulation = Simulation(ff.studies.load("simple-biped-walk", seconds=5.0))
    seen = 0
    for _ in range(3000):
        stands = (simulation.rollout.data.contact.mode > 0).all()
        simulation.advance(0.001)
        if stands and simulation.runtime.layers[0].state["part"] == DOUBLE:
            seen += 1
            assert simulation.rollout.data.motion.tau[4] == 0.0
    assert seen > 100


@pytest.mark.parametrize("seed", range(3))
def test_it_walks_over_hills(seed):
    study = ff.studies.load("simple-biped-hills", seed=seed)
    run = ff.simulate(study)
    assert run.outcome is ff.Outcome.END
    assert run.q[-1, 0] == pytest.approx(0.6 * 60.0, rel=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_hills_are_as_steep_and_high_as_asked(seed):
    ground, x = hills_of(np.radians(12.0), 0.25, 100.0, seed), np.linspace(0.0, 100.0, 8_001)
    z = np.array([ground.height(place) for place in x])
    slope = np.degrees(np.arctan(np.abs(np.gradient(z, x)).max()))
    assert 0.2499 < np.ptp(z) < 0.25 * 9 / 8
    assert 11.99 < slope < 12.0 * 9 / 8


def test_it_goes_from_gait_to_gait():
    run = ff.simulate(ff.studies.load("simple-biped-gaits"))
    assert run.outcome is ff.Outcome.END
    flies = (run.mode == 0).all(axis=1)
    for gait, begin in zip(("stand", "walk", "jump", "walk", "stand", "jump", "stand"), range(0, 28, 4), strict=True):
        settled = (run.time > begin + 2.0) & (run.time < begin + 4.0)
        way = np.ptp(run.q[settled, 0])
        assert flies[settled].any() == (gait == "jump")
        assert way > 0.5 if gait == "walk" else way < 0.1


@pytest.mark.parametrize("seed", range(3))
def test_it_bears_pushes_and_other_masses(seed):
    robot, rng = ff.robots.load("simple-biped"), np.random.default_rng(seed)
    world = World(contact=Rigid(0.8), pushes=random_pushes(robot, "hip", 3.0, 3.0, 20.0, seed))
    study = replace(ff.studies.load("simple-biped-walk"), world=world)
    assert ff.simulate(study).outcome is ff.Outcome.END
    other = ff.robots.load("simple-biped", hip_mass=6.8 * rng.uniform(0.8, 1.2), foot_mass=0.6 * rng.uniform(0.7, 1.3))
    assert ff.simulate(replace(study, robot=other)).outcome is ff.Outcome.END


def test_pushed_back_it_steps_back_and_goes_on():
    world = World(contact=Rigid(0.8), pushes=(Push("hip", (-60.0, 0.0), 5.0, 5.1),))
    run = ff.simulate(replace(ff.studies.load("simple-biped-walk"), world=world))
    assert run.outcome is ff.Outcome.END
    assert run.v[(run.time > 5.0) & (run.time < 6.0), 0].min() < 0.0
    assert run.q[-1, 0] > 8.0


@dataclass(frozen=True)
class Above(Controller):
    """Walks for 3 s, then stands."""

    def law(obs, params, state, goal, command):
        command.gait, command.speed = (1, 0.5) if obs.time < 3.0 else (0, 0.0)
        return 0


def test_a_controller_above_chooses_the_gait():
    study = ff.studies.load("simple-biped-walk", seconds=8.0)
    layers = Layered(layers=(Above(rate=10.0), SimpleBiped(gaits=("jump",), speed=1.0)))
    run = ff.simulate(study, layers)
    assert run.outcome is ff.Outcome.END
    assert not (run.mode == 0).all(axis=1).any()
    assert run.q[-1, 0] > 0.8
    assert np.abs(run.v[-1]).max() < 0.01


def test_saved_it_walks_again(tmp_path):
    run = ff.simulate(ff.studies.load("simple-biped-gaits", record_dt=1.0))
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.replay() == run


def test_what_it_refuses():
    with pytest.raises(UnknownNameError, match="trot"):
        SimpleBiped(gaits=("trot",))
    with pytest.raises(ControlError, match="one fewer"):
        SimpleBiped(gaits=("walk", "stand"))
    with pytest.raises(ControlError, match="must have the coordinates"):
        ff.simulate(ff.robots.load("compass"), SimpleBiped(), seconds=0.1)
    robot = ff.robots.load("simple-biped")
    with pytest.raises(ControlError, match="must have two feet, a Point on foot_left and one on foot_right, in this order"):
        ff.simulate(replace(robot, feet=()), SimpleBiped(), seconds=0.1)
