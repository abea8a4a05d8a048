"""Limit cycles against closed forms, published and separately computed gaits, and long runs that know nothing of derivatives."""

import json
from dataclasses import replace
from functools import partial
from math import cos, pi, radians, sin, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import footfall as ff
from footfall import reproduce
from footfall.cli import app
from footfall.cycles import CycleError, Walk, continuation, limit_cycle
from footfall.cycles.step_map import StepMap
from footfall.engines import Hybrid
from footfall.engines.hybrid.modes import Guard, Impact, Mode, TimeReached, Touches
from footfall.errors import ParameterError, SimulationError, StateError, UnknownNameError, UnsuitableError
from footfall.reproduce.cycles import forward_differences
from legged import WALKS


def sorted_like(found, expected):
    """The found multiplier next to each expected one."""
    return [found[np.argmin(np.abs(found - each))] for each in expected]


def close_to(found, expected, tolerance):
    assert np.abs(np.array(found) - np.array(expected)).max() < tolerance


# --- cycles against numbers that come from elsewhere ----------------------------------------------------------------------

# Garcia's printed fixed points and multipliers, and a variational computation for massless feet apart from this library
GARCIA = {
    "long": {
        "printed": (0.20031090049483, -0.19983247291764),
        "point": (0.2003109005442, -0.1998324730049),
        "period": 3.882463752851,
        "multipliers": (-0.190099841 + 0.557598777j, -0.190099841 - 0.557598777j),
        "printed multipliers": (-0.19120868949940 + 0.55633363687106j, -0.19120868949940 - 0.55633363687106j),
    },
    "short": {
        "printed": (0.19393736960624, -0.20386692731962),
        "point": (0.1939373698102, -0.2038669274420),
        "period": 3.096105868,
        "multipliers": (4.003864359, 0.459589590),
        "printed multipliers": (4.0, 0.459),
    },
}


@pytest.mark.parametrize("gait", GARCIA)
def test_simplest_walker(gait):
    expected = GARCIA[gait]
    cycle = limit_cycle(ff.studies.load("simplest-walker", gait=gait))
    found = (0.009 - cycle.q[2], -cycle.v[2])
    close_to(found, expected["point"], 1e-10)
    close_to(found, expected["printed"], 3e-10)  # printed as good to 1e-10 in a step, not in the point
    assert cycle.period == pytest.approx(expected["period"], abs=1e-9)
    assert len(cycle.multipliers) == 2
    close_to(sorted_like(cycle.multipliers, expected["multipliers"]), expected["multipliers"], 1e-6)
    printed, differences = expected["printed multipliers"], forward_differences(cycle.walk, np.array(found))
    close_to(sorted_like(differences, printed), printed, 1e-6 if gait == "long" else 5e-4)  # all digits that are printed
    assert cycle.stable is (gait == "long")
    assert cycle.residual < 1e-12


@pytest.mark.parametrize(("gravity", "stance", "swing", "period"), [
    (9.8, -1.09182668, -0.37718156, 0.73472096),
    (9.81, -1.09238359, -0.37737395, 0.73434639),
])  # fmt: skip
def test_compass(gravity, stance, swing, period):
    """Goswami's walker on 3 degrees: computed apart from this library; the published four digits belong to 9.8."""
    cycle = limit_cycle(ff.studies.load("compass", gravity=gravity))
    q, v = cycle.q, cycle.v
    close_to((-q[2], -q[2] - q[3], -v[2], -v[2] - v[3]), (0.21866880, -0.32338856, stance, swing), 1e-8)
    close_to((cycle.period, cycle.step_length), (period, 0.53544542), 1e-8)
    expected = (-0.19972613 + 0.54447606j, -0.19972613 - 0.54447606j, 0.13157262)
    assert len(cycle.multipliers) == 3
    close_to(sorted_like(cycle.multipliers, expected), expected, 1e-8)
    assert cycle.stable


@pytest.mark.parametrize("inertia", [1e-6, 0.2])
@pytest.mark.parametrize(("spokes", "slope"), [(8, 0.08), (8, 0.2), (12, 0.1)])
def test_rimless_wheel(inertia, spokes, slope):
    """w^2 = 4 k sin(a) sin(slope) e^2 / (1 - e^2), multiplier e^2, with e = (J + m l^2 cos 2a) / (J + m l^2)."""
    a, k = pi / spokes, 9.81 / (1 + inertia)
    e = (inertia + cos(2 * a)) / (inertia + 1)
    rate = sqrt(4 * k * sin(a) * sin(slope) * e**2 / (1 - e**2))
    cycle = limit_cycle(ff.studies.load("rimless-wheel", spokes=spokes, inertia=inertia, slope=-slope))
    assert cycle.v[2] == pytest.approx(rate, abs=1e-12)
    assert cycle.multipliers == pytest.approx([e**2], abs=1e-10)
    assert cycle.step_length == pytest.approx(2 * sin(a), abs=1e-12)
    assert cycle.energy_lost == pytest.approx(9.81 * 2 * sin(a) * sin(slope), abs=1e-11)  # what the slope gives


def test_ono_at_gain_5():
    """Parameters from memory, the cycle computed apart from this library."""
    cycle = limit_cycle(ff.studies.load("ono-walk", gain=5.0))
    q, v = cycle.q, cycle.v
    close_to((-q[2], -v[2], -v[2] - v[3]), (0.087573, -0.689116, -0.613792), 1e-6)
    close_to((cycle.period, cycle.step_length), (0.6575, 0.1399), 1e-4)
    assert cycle.speed == pytest.approx(0.213, abs=5e-4)
    close_to(cycle.multipliers, (0.7765, -0.6948, -0.1857), 1e-4)
    close_to(q[4:], 0.0, 1e-14)
    assert cycle.residual < 1e-12


def test_round_feet():
    """Bhounsule's printed gait, with his strike; his equations put right; no slip; the compass; wheels about the hip."""
    rows = list(reproduce.rows("cycles/round-feet", reproduce.Setting()))
    assert len(rows) == 13
    assert [row.quantity for row in rows if not row.ok] == []


def test_kneed_walker():
    """Published from a coarse integration, which is good for 1e-3 in angles and 2e-2 in rates."""
    cycle = limit_cycle(ff.studies.load("kneed-walker"))
    q, v = cycle.q, cycle.v
    close_to((-q[2], -q[2] - q[3]), (0.187700106, -0.288437140), 1e-3)
    close_to((-v[2], -v[2] - v[3]), (-1.101439041, -0.039885256), 2e-2)
    assert cycle.residual < 1e-11


@pytest.mark.parametrize("name", ["compass", "kneed-walker", "round-feet", "simplest-walker"])
def test_the_slope_pays_for_the_impacts(name):
    walk = Walk(ff.studies.load(name))
    cycle = limit_cycle(walk)
    drop = cycle.motion.q[0][1] - cycle.motion.events[-1].q_after[1]
    given = walk.robot.mass * walk.robot.gravity * drop
    assert cycle.energy_lost == pytest.approx(given, rel=1e-9)


# --- against runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WALKS)
def test_the_derivative_is_that_of_a_step(name):
    """Central differences of the step itself, in all directions in which a step may begin otherwise."""
    step_map = StepMap(ff.studies.load(name))
    u = step_map.free_of(step_map.walk.q, step_map.walk.v)
    D = step_map.derivative(step_map(u).motion)
    for i, column in enumerate(np.eye(len(u))):
        if "knee" not in step_map.names[i]:  # a knee begins on its stop
            difference = (step_map(u + 1e-5 * column).u - step_map(u - 1e-5 * column).u) / 2e-5
            close_to(D[:, i], difference, 2e-6 * max(1.0, np.abs(D).max()))


@pytest.mark.parametrize("name", ["compass", "kneed-walker", "ono-walk", "simplest-walker"])
def test_multipliers_are_the_decay_of_a_disturbance(name):
    """A perturbed run, step by step: the last differences obey the recursion of the largest multipliers."""
    cycle = limit_cycle(ff.studies.load(name))
    step_map = StepMap(cycle.walk)
    u = cycle.u.copy()
    u[0] += 1e-4
    u[1] -= 2e-4  # feet stay on the ground
    events = cycle.walk.run(12, *step_map.state_of(u)).named("strike")
    off = np.array([step_map.free_of(event.q_after, event.v_after) - cycle.u for event in events])
    first = cycle.multipliers[0]
    if abs(first.imag) > 1e-9:  # e_n+2 = 2 Re(m) e_n+1 - |m|^2 e_n
        a, b = np.linalg.lstsq(np.column_stack((off[7:9].ravel(), off[6:8].ravel())), off[8:10].ravel(), rcond=None)[0]
        assert a == pytest.approx(2 * first.real, rel=0.01)
        assert -b == pytest.approx(abs(first) ** 2, rel=0.01)
    else:
        two = sorted(cycle.multipliers.real, key=abs)[-2:]
        a, b = np.linalg.lstsq(np.column_stack((off[7:9].ravel(), off[6:8].ravel())), off[8:10].ravel(), rcond=None)[0]
        assert a == pytest.approx(sum(two), rel=0.01)
        assert -b == pytest.approx(two[0] * two[1], rel=0.01)


def test_eigenvectors_belong_to_the_multipliers():
    cycle = limit_cycle(ff.studies.load("compass"))
    close_to(cycle.derivative @ cycle.eigenvectors, cycle.eigenvectors * cycle.multipliers, 1e-9)


def test_a_run_that_has_come_near_is_a_guess():
    walk = Walk(ff.studies.load("compass", slope=-radians(3)))
    run = walk.run(5)
    cycle = limit_cycle(walk, run)
    close_to(limit_cycle(walk, cycle).u, cycle.u, 1e-12)
    close_to(limit_cycle(walk, (cycle.q, 1.02 * cycle.v)).u, cycle.u, 1e-11)
    long = walk.run(60).events[-1]
    close_to(long.v_after, cycle.v, 1e-10)


def test_two_steps_where_the_compass_limps():
    """Above 4.4 degrees a run settles on two unequal steps; the cycle of one step is there still, and unstable."""
    walk = Walk(ff.studies.load("compass", slope="-4.6deg"))
    one, two = limit_cycle(walk), limit_cycle(walk, steps=2)
    assert not one.stable
    assert one.multipliers[0].real < -1.0
    assert two.stable
    events = walk.run(80, *StepMap(walk).state_of(one.u + 0.01 * one.eigenvectors[:, 0].real)).events
    ends = [event.v_after[2:] for event in events[-2:]]
    assert min(np.abs(end - two.v[2:]).max() for end in ends) < 1e-9
    assert np.abs(ends[0] - ends[1]).max() > 1e-2
    assert two.period == pytest.approx(events[-1].time - events[-3].time, abs=1e-9)
    assert two.energy_lost == pytest.approx(events[-1].energy_lost + events[-2].energy_lost, abs=1e-9)


# --- what is refused ------------------------------------------------------------------------------------------------------


def test_no_cycle_is_said():
    with pytest.raises(CycleError, match="walk 'rimless-wheel': no cycle of 1 steps near the guess"):
        limit_cycle(ff.studies.load("rimless-wheel", slope=-0.05))  # too flat to get over the top
    walk = Walk(ff.studies.load("compass"))
    with pytest.raises(
        CycleError, match="does not walk from the guess: it fell backward at t = .* only 0 of 1 strike before t = 4 s"
    ):
        limit_cycle(walk, (walk.q, 0.5 * walk.v))
    with pytest.raises(CycleError, match="2 steps"):
        limit_cycle(walk, steps=2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ff.studies.load("compas"), UnknownNameError, "Did you mean 'compass'"),
        (lambda: ff.studies.load("compass", slop=0.1), UnknownNameError, "Did you mean 'slope'"),
        (lambda: ff.studies.load("compass", slope=-0.6), ParameterError, "slope must be from -0.5 to 0.5 rad, got -0.6"),
        (lambda: ff.studies.load("simplest-walker", gait="quick"), UnknownNameError, "Known: long, short"),
        (lambda: limit_cycle("compass"), UnsuitableError, "belong to a study"),
        (lambda: limit_cycle(ff.studies.load("compass"), steps=0), StateError, "steps must be a whole number above 0"),
        (lambda: limit_cycle(ff.studies.load("compass"), guess=3), StateError, "a guess is"),
        (lambda: limit_cycle(ff.studies.load("compass"), guess=([0.0], [0.0])), StateError, "must have 4 entries"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def rod_walk(**changes):
    frames = (ff.Frame("front", "rod", at=(0.7, 0.0)),)
    rod = ff.Robot(
        "rod", "planar", (ff.Link("rod", 2.0, inertia=0.3),), (ff.Joint("base", "planar", "world", "rod"),), frames=frames
    )
    bounce = Guard("bounce", changes.pop("function", Touches("front")), to="air", reset=Impact(pinned=("front",)))
    given = {"modes": (Mode("air", guards=(bounce,)),), "first": "air", "section": "bounce"}
    return ff.Study(rod, q=(0.0, 1.0, 0.0), engine=Hybrid(**{**given, **changes}))


def test_walks_are_checked():
    with pytest.raises(UnknownNameError, match="no mode .*'ground'"):
        rod_walk(first="ground")
    with pytest.raises(UnknownNameError, match="no guard .*'strike'"):
        rod_walk(section="strike")
    with pytest.raises(SimulationError, match="longest must be from 1e-06"):
        rod_walk(longest=0.0)
    with pytest.raises(UnsuitableError, match="its engine Hybrid names no section"):
        limit_cycle(rod_walk(section=None))
    with pytest.raises(UnsuitableError, match="'stand-push': the engine TimeStepping moves it"):
        limit_cycle(ff.studies.load("stand-push"))
    with pytest.raises(StateError, match="guard 'bounce' depends on time"):
        limit_cycle(rod_walk(function=TimeReached(0.5)))


def test_ground_that_changes_is_noticed():
    """A first step may close on ground that bends; the next then differs."""
    walk = Walk(ff.studies.load("compass"))
    (step, fallen), ground = walk.modes, lambda x: -np.tan(radians(3)) * x - 0.002 * x * x
    strike = replace(step.guards[0], function=Touches("tip_right", ground))
    bent = replace(walk.study, engine=replace(walk.study.engine, modes=(replace(step, guards=(strike,)), fallen)))
    with pytest.raises(CycleError, match="the next step is another one .* is the ground alike everywhere"):
        limit_cycle(bent)


def test_coordinates_must_be_plain():
    robot = ff.robots.load("johnnie")
    modes = (Mode("air", guards=(Guard("land", Touches("foot_left"), to="air"),)),)
    with pytest.raises(StateError, match="robot 'johnnie' has quaternions"):
        limit_cycle(ff.Study(robot, engine=Hybrid(modes, "air", "land")))


# --- branches -------------------------------------------------------------------------------------------------------------


def test_a_branch_of_the_simplest_walker_doubles_its_period():
    """Garcia saw period 1 up to a slope of about 0.015. Around the point found, runs settle on one step or on two."""
    branch = continuation(partial(ff.studies.load, "simplest-walker"), "slope", -0.012, -0.018)
    (doubling,) = branch.special
    assert (branch.reason, branch.values[0], branch.values[-1]) == ("reached the end", -0.012, -0.018)
    assert doubling.kind == "period doubling"
    assert doubling.value == pytest.approx(-0.015, abs=2e-4)
    assert np.abs(doubling.cycle.multipliers + 1.0).min() < 1e-7
    assert [cycle.stable for cycle in branch.cycles] == [value > doubling.value for value in branch.values]
    for slope, limps in ((0.98 * doubling.value, False), (1.02 * doubling.value, True)):
        cycle = limit_cycle(ff.studies.load("simplest-walker", slope=slope))
        times = [event.time for event in cycle.walk.run(120, cycle.q, 1.001 * cycle.v).events]
        unequal = np.abs(np.diff(times, n=2)[-6:])
        assert unequal.min() > 1e-2 if limps else unequal.max() < 1e-3
    for value, cycle in zip(branch.values[::3], branch.cycles[::3], strict=True):
        assert limit_cycle(ff.studies.load("simplest-walker", slope=float(value))).u == pytest.approx(cycle.u, abs=1e-10)


@pytest.mark.slow
def test_a_branch_turns_at_a_fold():
    """Where the kneed walker's slope becomes too small two gaits meet: a multiplier is 1, which the search does not use."""
    branch = continuation(partial(ff.studies.load, "kneed-walker"), "slope", -0.034, -0.03)
    (fold,) = branch.of("fold")
    assert branch.reason == "back at the beginning, behind a fold"
    assert branch.values[-1] == -0.034
    assert np.abs(fold.cycle.multipliers - 1.0).min() < 1e-6
    assert fold.value >= branch.values.max()
    assert branch.cycles[0].stable
    assert not branch.cycles[-1].stable
    assert limit_cycle(branch.cycles[-1].walk, branch.cycles[-1]).residual < 1e-12


@pytest.mark.slow
def test_ono_first_doubles_its_period():
    """The gain, and on both sides of it runs that keep their step or lose it."""
    (doubling,) = continuation(partial(ff.studies.load, "ono-walk"), "gain", 5.6, 5.9).special
    assert np.abs(doubling.cycle.multipliers + 1.0).min() < 1e-7
    for gain, grows in ((doubling.value - 0.05, False), (doubling.value + 0.05, True)):
        cycle = limit_cycle(ff.studies.load("ono-walk", gain=gain))
        start = StepMap(cycle.walk).state_of(cycle.u + 1e-5 * cycle.eigenvectors[:, 0].real)
        off = [np.abs(event.v_after[2:] - cycle.v[2:]).max() for event in cycle.walk.run(30, *start).named("strike")]
        assert bool(off[-1] > off[-11]) is grows


def test_a_branch_that_ends_says_where():
    """The wheel gets over the top while w^2 = 4 k sin(a) sin(slope) cot(2a)^2 > 2 k (1 - cos(a - slope)) only."""
    branch = continuation(partial(ff.studies.load, "rimless-wheel"), "slope", -0.08, -0.06)
    k, a = 9.81, pi / 8
    ends = brentq(lambda s: 4 * k * sin(a) * sin(s) / np.tan(2 * a) ** 2 - 2 * k * (1 - cos(a - s)), 0.01, 0.08)
    assert branch.reason.startswith("ends near slope = ")
    assert branch.values[-1] == pytest.approx(-ends, abs=1e-4)
    with pytest.raises(StateError, match="two different finite ends"):
        continuation(partial(ff.studies.load, "compass"), "slope", -0.05, -0.05)
    with pytest.raises(UnknownNameError, match="Did you mean 'slope'"):
        continuation(partial(ff.studies.load, "compass"), "slop", 0.05, 0.06)


@pytest.mark.parametrize("study", ["cycles/simplest-walker", "cycles/compass", "cycles/rimless-wheel", "cycles/knees"])
def test_reproductions_hold(study):
    rows = list(reproduce.rows(study, reproduce.Setting(quick=True)))
    assert [row.quantity for row in rows if not row.ok] == []


# --- the command line -----------------------------------------------------------------------------------------------------


def invoke(*arguments):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_commands():
    assert set(WALKS) < {row["name"] for row in json.loads(invoke("list", "studies", "--json"))}
    found = json.loads(invoke("cycle", "simplest-walker", "--set", "gait=short", "--json"))
    assert found["stable"] is False
    assert found["multipliers"][0][0] == pytest.approx(4.003864359, abs=1e-6)
    assert found["fixed_point"]["base.pitch"] == pytest.approx(0.009 - 0.1939373698102, abs=1e-10)
    shown = invoke("cycle", "compass")
    for part in ("-0.19972613 + 0.54447606i", "0.13157262", "period", "0.73472096"):
        assert part in shown
    branch = json.loads(invoke("continue", "simplest-walker", "--along", "slope", "-0.0145", "-0.0155", "--json"))
    assert [each["kind"] for each in branch["special"]] == ["period doubling"]
    assert branch["cycles"][-1]["slope"] == -0.0155
    shown = invoke("continue", "rimless-wheel", "--along", "slope", "-0.1", "-0.12", "--set", "inertia=0.1")
    assert "reached the end" in shown
    with pytest.raises(CycleError):
        CliRunner().invoke(app, ["cycle", "rimless-wheel", "--set", "slope=-0.05"], catch_exceptions=False)
