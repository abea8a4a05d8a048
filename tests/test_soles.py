"""Soles and steps: on which part of a sole a foot stands, double support, and bounds on every step."""

from dataclasses import replace
from math import inf, isnan

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.analysis.bounds import Bound, bound, missed
from footfall.errors import FootfallError, UnknownNameError
from footfall.model.parts import Arc, Foot, Joint, Link
from footfall.studies._ranger import ROLLING
from footfall.world import Flat, Rigid, World

GRIPS = World(Flat(), Rigid(friction=10.0), falls=False)
LOW, HIGH = np.radians((-5.0, 30.0))  # ends of the Ranger's soles


@pytest.fixture(scope="module")
def rolled():
    run = ff.simulate(replace(ff.studies.load("ranger-walk", seconds=12.0), record_dt=0.001))
    return run, ff.analysis.steps(run)


def by_hand(run, foot):
    """Toe-up angle, and whether it touches, of the Ranger's foot 0 or 1, from its coordinates alone."""
    pitch = run.q[:, 2] + (run.q[:, 3] if foot else 0.0) + run.q[:, 4 + foot]
    return -pitch, run.mode[:, foot] > 0


def test_the_ranger_touches_with_the_arc_where_its_angle_says_so(rolled):
    """On level ground an arc touches at the angle of its toe, down, if that is between its ends."""
    run, _ = rolled
    for i, name in enumerate(("foot_outer", "foot_inner")):
        up, touches = by_hand(run, i)
        found = ff.analysis.sole(run, name)
        assert np.array_equal(found.touches, touches)
        assert found.toe_up == pytest.approx(up, abs=1e-12)
        inside = (-up > LOW) & (-up < HIGH)
        clear = np.minimum(np.abs(-up - LOW), np.abs(-up - HIGH)) > 2e-3
        assert np.array_equal(found.inside[touches & clear], inside[touches & clear])


def test_figures_of_a_step_are_those_counted_by_hand(rolled):
    run, table = rolled
    step = next(each for each in table.rows if each.time > 8.0)
    foot = ("foot_outer", "foot_inner").index(step.foot)
    rows = np.flatnonzero((run.time >= step.time - 1e-9) & (run.time < step.time + step.stance - 1e-9))
    up, touches = by_hand(run, foot)
    on = rows[touches[rows]]
    assert step.toe_up == pytest.approx(up[on].max())
    assert step.toe_down == pytest.approx(-up[on].min())
    assert step.sole == pytest.approx(((-up[on] > LOW) & (-up[on] < HIGH)).mean(), abs=0.01)
    near = rows[:150]
    rear = run.mode[near, 1 - foot] > 0
    assert step.gap == pytest.approx(1e-3 * int(np.argmax(rear)), abs=1e-9)
    assert step.double == pytest.approx(1e-3 * np.count_nonzero(rear & touches[near]), abs=1.5e-3)
    assert 0.0 < step.push < run.robot.mass * 9.81 * step.double


def test_every_step_of_the_tuned_gait_keeps_the_bounds(rolled):
    _, table = rolled
    found = missed(replace(table, rows=table.rows[:-1]), ROLLING, start=8.0)
    assert max(found.values()) == 0.0


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("heel", [True, False])
def test_a_foot_turns_about_the_end_of_its_sole(space, heel):
    """Put on the heel or the toe of a round sole it is a pendulum about that point, until it lies on the round part."""
    mass, inertia, radius, height, g = 1.0, 0.002, 0.2, 0.25, 9.81  # height: of the centre of mass above the round part's middle
    end = LOW if heel else HIGH
    lean = end + (-0.25 if heel else 0.02)  # of the sole, positive toe down: beyond its end
    r_x, r_z = -radius * np.sin(end), height + radius * np.cos(end)  # from the end to the centre of mass, upright
    about, far, angle = inertia + mass * (r_x**2 + r_z**2), np.hypot(r_x, r_z), np.arctan2(r_x, r_z)
    moved = solve_ivp(
        lambda _, y: (y[1], mass * g * far * np.sin(y[0] + angle) / about), (0.0, 0.05), (lean, 2.0), rtol=1e-12, atol=1e-12
    )
    errors = []
    for dt in (2e-3, 1e-3):
        run = ff.simulate(
            tipping(space, mass, inertia, radius, height), **on_its_end(space, lean, (r_x, r_z)), dt=dt, seconds=0.05
        )
        turned = run.q[-1, 2] if space == "planar" else 2.0 * np.arcsin(run.q[-1, 5])
        errors.append(abs(turned - moved.y[0, -1]))
        tip = run.q[-1, :2] if space == "planar" else run.q[-1, [0, 2]]
        assert tip + radius * np.array((np.sin(end - turned), -np.cos(end - turned))) == pytest.approx((0.0, 0.0), abs=3e-8)
    assert errors[1] < 1e-6
    assert errors[1] < 0.27 * errors[0]  # second order


def tipping(space, mass, inertia, radius, height):
    """One body with a round sole."""
    planar = space == "planar"
    com, inertias = ((0.0, height), inertia) if planar else ((0.0, 0.0, height), (inertia,) * 3)
    pad = Arc("foot", radius, span=(LOW, HIGH))
    free = Joint("base", "planar" if planar else "free", "world", "foot")
    return ff.Robot("tipping", space, (Link("foot", mass, com=com, inertia=inertias),), (free,), feet=(Foot("foot", (pad,)),))


def on_its_end(space, lean, arm, rate=2.0):
    """A start that turns about the end of the sole; `arm` is from there to the centre of mass."""
    height = 0.25
    x, z = arm[0], arm[1] - height  # from the end to the middle of the round part, upright
    x, z = np.cos(lean) * x + np.sin(lean) * z, np.cos(lean) * z - np.sin(lean) * x
    v_x, v_z = rate * z, -rate * x
    if space == "planar":
        return {"q": (x, z, lean), "v": (v_x, v_z, rate), "world": GRIPS}
    half = 0.5 * lean
    return {"q": (x, 0.0, z, np.cos(half), 0.0, np.sin(half), 0.0), "v": (v_x, 0.0, v_z, 0.0, rate, 0.0), "world": GRIPS}


def test_a_gait_on_its_heel_tips_is_told_so():
    run = ff.simulate(replace(ff.studies.load("ranger-walk", gait="heel-tip", seconds=12.0), record_dt=0.001))
    found = missed(ff.analysis.steps(run), ROLLING, start=8.0)
    assert found["sole"] > 0.5
    assert found["toe_up"] > 0.2
    assert found["gap"] > 0.0


def test_flat_soles_stand_flat_and_points_have_none():
    run = ff.simulate(ff.studies.load("simbicon-walk", seconds=3.0))
    flat = ff.analysis.sole(run, "foot_left")
    both = (run.mode[:, run.of("foot_left")] > 0).all(axis=1)
    assert np.array_equal(flat.inside, both)
    walked = ff.simulate(ff.studies.load("simple-biped-walk", seconds=3.0))
    assert ff.analysis.sole(walked, "foot_left") is None
    table = ff.analysis.steps(walked)
    assert isnan(table.rows[0].sole)
    assert "toe_up" not in table.text()
    assert "double s" in table.text()


def test_a_wheel_has_no_ends():
    wheel = ff.Robot(
        "wheel", "planar", (Link("rim", 1.0, inertia=0.02),), (Joint("base", "planar", "world", "rim"),),
        feet=(Foot("rim", (Arc("rim", radius=0.2),)),), origin="textbook",
    )  # fmt: skip
    run = ff.simulate(wheel, q=(0.0, 0.2, 0.0), v=(1.0, 0.0, 5.0), seconds=1.0)
    assert ff.analysis.sole(run, "rim").inside.all()


@pytest.mark.parametrize(
    ("text", "low", "high"), [("gap=:0.008", -inf, 0.008), ("sole=0.9:", 0.9, inf), ("length=0.3:0.4", 0.3, 0.4)]
)
def test_a_bound_is_read_and_written(text, low, high):
    assert bound(text) == Bound(text.split("=")[0], low, high)
    assert str(bound(text)) == text


@pytest.mark.parametrize(
    "text",
    ["length", "length=0.3", "length=a:b", "length=0.4:0.3", "length=nan:1", "=1:2:3:4", "gap=:0.1:", "length=1e400:", "gap=:"],
)
def test_a_bound_that_means_nothing_is_refused(text):
    with pytest.raises(FootfallError, match=r"must be a column|there is no column"):
        bound(text)


def test_an_unknown_column_is_named():
    with pytest.raises(UnknownNameError, match="hop"):
        bound("hop=1:2")


def test_misses_count_as_parts_of_the_bound(rolled):
    _, table = rolled
    lengths = np.array([step.length for step in table.rows])
    assert Bound("length", 2.0 * lengths.max(), inf).misses(table) == pytest.approx(
        np.minimum(1.0 - lengths / (2.0 * lengths.max()), 2.0)
    )
    assert not Bound("length").misses(table).any()


def rolling_disc(radius, mass, inertia, lean, spin, seconds):
    """Newton and Euler for a thin wheel that rolls without slip on level ground, with scipy: where its middle goes."""
    up, inertia = np.array((0.0, 0.0, 1.0)), np.diag(inertia)

    def rates(t, state):
        turn, w = Rotation.from_quat(state[3:7]), state[7:]
        axis = turn.apply((0.0, 1.0, 0.0))
        axis_rate, c = np.cross(w, axis), up @ axis
        s, c_rate = np.sqrt(1.0 - c * c), up @ axis_rate
        arm = -radius * (up - c * axis) / s  # to the point that touches
        arm_rate = -radius * ((-c_rate * axis - c * axis_rate) / s + (up - c * axis) * c * c_rate / s**3)
        body = turn.as_matrix() @ inertia @ turn.as_matrix().T
        moment = -np.cross(w, body @ w) - mass * np.cross(arm, np.cross(w, arm_rate) - 9.81 * up)
        dw = np.linalg.solve(body + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)), moment)
        x, y, z, r = state[3:7]
        q = 0.5 * np.array(
            (w[0] * r + w[1] * z - w[2] * y, w[1] * r + w[2] * x - w[0] * z, w[2] * r + w[0] * y - w[1] * x, -w @ state[3:6])
        )
        return np.concatenate((-np.cross(w, arm), q, dw))

    turn = Rotation.from_euler("x", lean)
    start = np.concatenate(((0.0, 0.0, radius * np.cos(lean)), turn.as_quat(), turn.apply(spin)))
    return solve_ivp(rates, (0.0, seconds), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.parametrize(("lean", "spin"), [(0.2, (0.0, 8.0, 0.0)), (0.05, (0.0, 9.0, 2.0)), (-0.4, (0.5, 12.0, -1.0))])
def test_a_leaning_wheel_in_space_rolls_around_its_curve(lean, spin):
    """The ground does no work on what does not slip."""
    radius, inertia, errors = 0.2, (0.01, 0.02, 0.01), []
    link, base = Link("wheel", 1.0, inertia=inertia), Joint("base", "free", "world", "wheel")
    robot = ff.Robot("wheel", "spatial", (link,), (base,), feet=(Foot("rim", (Arc("wheel", radius),)),))
    turn = Rotation.from_euler("x", lean)
    arm = np.array((0.0, radius * np.sin(lean), -radius * np.cos(lean)))
    q = (0.0, 0.0, radius * np.cos(lean), np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0)
    v = (*-np.cross(turn.apply(spin), arm), *spin)
    wanted = rolling_disc(radius, 1.0, inertia, lean, spin, 1.0)
    for dt in (1e-3, 5e-4):
        run = ff.simulate(ff.Study(robot, World(contact=Rigid(3.0), falls=False), None, q, v, seconds=1.0, dt=dt))
        assert np.all(run.mode == 1)
        assert abs(run.ledger[-1, 4]) < 1e-3
        errors.append(np.abs(run.q[-1, :3] - wanted[:3]).max())
    assert max(errors) < 1e-5
