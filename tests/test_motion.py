"""Curves and the spring and damper: against SciPy, de Casteljau, closed forms and differences."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicSpline
from scipy.linalg import expm

import footfall as ff
from footfall.core.jit import kernel
from footfall.motion import PD, Bezier, Cubic, MotionError, Quintic, bezier, cubic_bezier, evaluate, pd
from footfall.motion.chain import EXTRAPOLATE, OUTSIDE, STRAIGHT, evaluate_rows

KNOTS = np.array([0.0, 0.4, 1.0, 1.1, 2.5])


def rows(seed, count=5, size=3):
    return np.random.default_rng(seed).normal(size=(count, size))


def curves():
    """One of each kind, of rows and of numbers."""
    x, v, a = rows(1), rows(2), rows(3)
    around = np.vstack((x[:-1], x[0]))
    yield "natural", Cubic(KNOTS, x)
    yield "clamped", Cubic(KNOTS, x, "clamped", velocities=v[:2])
    yield "at rest", Cubic(KNOTS, x[:, 0], "clamped")
    yield "periodic", Cubic(KNOTS, around, "periodic")
    yield "quintic", Quintic(KNOTS, x, v, a)
    yield "quintic of numbers", Quintic(KNOTS, x[:, 0])
    yield "bezier", Bezier(x, 0.5, 2.0)
    yield "bezier of numbers", Bezier(x[:, 1])


each = pytest.mark.parametrize("curve", [pytest.param(curve, id=name) for name, curve in curves()])


def inside(curve, count=57):
    return np.linspace(*curve.span, count)


# --- against others ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ends", ["natural", "clamped", "given", "periodic"])
def test_cubic_is_scipys(seed, ends):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2 if ends != "periodic" else 3, 12))
    knots, x = np.cumsum(rng.uniform(0.01, 2.0, count)), rng.normal(size=(count, 2))
    if ends == "periodic":
        x[-1] = x[0]
    v = rng.normal(size=(2, 2))
    ours = Cubic(knots, x, "clamped", velocities=v) if ends == "given" else Cubic(knots, x, ends)
    theirs = CubicSpline(knots, x, bc_type=((1, v[0]), (1, v[1])) if ends == "given" else ends)
    t = np.append(rng.uniform(knots[0], knots[-1], 50), knots)
    size = np.abs(theirs.c).max()
    assert np.abs(ours(t) - theirs(t)).max() < 1e-13 * size
    assert np.abs(ours.velocity(t) - theirs(t, 1)).max() < 1e-12 * size
    sure = np.min(np.abs(t[:, None] - knots), axis=1) > 0.0  # SciPy takes the piece on the other side of the last knot
    assert np.abs(ours.acceleration(t[sure]) - theirs(t[sure], 2)).max() < 1e-11 * size


@pytest.mark.parametrize("seed", range(20))
def test_quintic_is_scipys_and_keeps_its_conditions(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 8))
    knots, (x, v, a) = np.cumsum(rng.uniform(0.05, 2.0, count)), rng.normal(size=(3, count, 2))
    ours, theirs = Quintic(knots, x, v, a), BPoly.from_derivatives(knots, np.stack((x, v, a), axis=1))
    t = rng.uniform(knots[0], knots[-1], 50)
    for k, got in enumerate(ours.at(t)):
        assert np.abs(got - theirs(t, k)).max() < 1e-10
    for got, given in zip(ours.at(knots), (x, v, a), strict=True):
        assert np.abs(got - given).max() < 1e-10


def test_least_jerk():
    """Flash and Hogan (1985): peak velocity 15/8 of the mean, at the middle."""
    s = np.linspace(0.0, 1.0, 101)
    reach = Quintic((1.0, 3.0), (2.0, 5.0))
    assert np.allclose(reach(1.0 + 2.0 * s), 2.0 + 3.0 * (10 * s**3 - 15 * s**4 + 6 * s**5), rtol=0, atol=1e-14)
    assert reach.velocity(2.0) == pytest.approx(15 / 8 * 3 / 2, abs=1e-14)
    assert reach.acceleration(2.0) == pytest.approx(0.0, abs=1e-13)


def casteljau(points, s):
    """By repeated mixing; velocity and acceleration from the last differences."""
    points, n, stages = np.array(points), len(points) - 1, []
    while len(points):
        stages.append(points)
        points = (1.0 - s) * points[:-1] + s * points[1:]
    v = n * np.diff(stages[-2], axis=0)[0] if n >= 1 else 0.0
    a = n * (n - 1) * np.diff(stages[-3], 2, axis=0)[0] if n >= 2 else 0.0 * v
    return stages[-1][0], v, a


def test_four_control_points_by_scipy():
    """Position and velocity within the curve, and straight on after it."""
    a, b, c, d = points = rows(7, 4, 1)[:, 0]
    curve, law = BPoly(points[:, None], [0.0, 1.0]), cubic_bezier.plain("planar")
    for t in np.linspace(0.0, 1.0, 21):
        assert law(a, b, c, d, t) == pytest.approx((float(curve(t)), float(curve(t, 1))), abs=1e-14)
    end, speed = float(curve(1.0)), float(curve(1.0, 1))
    assert law(a, b, c, d, 1.5) == pytest.approx((end + 0.5 * speed, speed), abs=1e-14)


@pytest.mark.parametrize("count", [2, 3, 4, 6, 11, 32])
def test_bezier_by_de_casteljau(count):
    points = rows(count, count, 2)
    curve = Bezier(points, 1.0, 3.0)
    for s in (0.0, 1e-12, 0.3, 0.5, 0.77, 1.0 - 1e-12, 1.0):
        x, v, a = casteljau(points, s)
        got = curve.at(1.0 + 2.0 * s)
        assert np.abs(got.position - x).max() < 1e-14 * count
        assert np.abs(got.velocity - v / 2.0).max() < 1e-13 * count
        assert np.abs(got.acceleration - a / 4.0).max() < 1e-12 * count**2


# --- by identities ------------------------------------------------------------------------------------------------------------


@each
def test_derivatives_by_differences(curve):
    start, end = curve.span
    t, h = np.linspace(start + 1e-3, end - 1e-3, 101), 1e-5
    sure = np.min(np.abs(t[:, None] - curve.data.knots), axis=1) > 2 * h
    t = t[sure]
    for lower, higher in ((curve, curve.velocity), (curve.velocity, curve.acceleration)):
        slope = (lower(t + h) - lower(t - h)) / (2 * h)
        assert np.abs(slope - higher(t)).max() < 1e-6 * max(1.0, np.abs(curve.data.points).max() * 1e3)


@each
def test_ends_are_exact_and_nothing_jumps(curve):
    start, end = curve.span
    first, last = curve.data.points[0, 0], curve.data.points[-1, -1]
    assert (np.ravel(curve(start)) == first).all()
    assert (np.ravel(curve(end)) == last).all()
    for knot in curve.data.knots[1:-1]:
        before, after = curve.at(np.nextafter(knot, start)), curve.at(knot)
        for one, other in zip(before, after, strict=True):
            assert np.abs(one - other).max() < 1e-10 * max(1.0, np.abs(curve.acceleration(inside(curve))).max())


def test_natural_ends_do_not_bend_and_clamped_ones_have_their_velocity():
    natural, clamped = Cubic(KNOTS, rows(4)), Cubic(KNOTS, rows(4), "clamped", velocities=rows(5, 2))
    for at in (KNOTS[0], KNOTS[-1]):
        assert np.abs(natural.acceleration(at)).max() < 1e-11
    assert np.abs(clamped.velocity(KNOTS[[0, -1]]) - rows(5, 2)).max() < 1e-12


def test_a_straight_line_stays_one():
    along = np.array((1.0, -2.0))
    line = 0.5 + np.outer(KNOTS, along)
    for curve in (Cubic(KNOTS, line), Cubic(KNOTS, line, "clamped", velocities=(along, along))):
        t = inside(curve)
        assert np.abs(curve(t) - (0.5 + np.outer(t, along))).max() < 1e-14
        assert np.abs(curve.acceleration(t)).max() < 1e-12


def test_a_periodic_spline_goes_round_a_circle():
    angle = np.linspace(0.0, 2 * np.pi, 33)
    round_it = Cubic(angle, np.column_stack((np.cos(angle), np.sin(angle))), "periodic")
    t = np.linspace(-20.0, 20.0, 301)
    exact = np.column_stack((np.cos(t), np.sin(t)))
    assert np.abs(round_it(t) - exact).max() < (2 * np.pi / 32) ** 4 / 300  # 5/384 h^4 of the fourth derivative
    assert np.abs(round_it(t + 2 * np.pi) - round_it(t)).max() < 1e-13


# --- compiled and plain -------------------------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("outside", list(OUTSIDE))
def test_compiled_and_plain_have_the_same_bits(curve, outside):
    if outside == "repeat" and not np.array_equal(curve.data.points[0, 0], curve.data.points[-1, -1]):
        pytest.skip("its ends do not meet")
    data = dataclasses.replace(curve, outside=outside).data
    times = np.concatenate(
        (np.linspace(-3.0, 5.0, 97), data.knots, np.nextafter(data.knots, 9.0), np.nextafter(data.knots, -9.0))
    )
    out = np.zeros((2, 3, len(times), data.points.shape[2]))
    evaluate_rows["planar"](data, times, out[0])
    evaluate_rows.plain("planar")(data, times, out[1])
    assert np.array_equal(out[0].view(np.int64), out[1].view(np.int64))
    beyond = (times < data.knots[0]) | (times > data.knots[-1])
    assert np.isnan(out[0][:, beyond]).all() == (outside == "error")
    assert not np.isnan(out[0][:, ~beyond]).any()


@kernel(exact=True)
def swing(points, phase):
    return bezier((points[0], points[1], points[2], points[3]), phase, STRAIGHT)


@pytest.mark.parametrize("seed", range(5))
def test_control_points_that_a_law_chooses(seed):
    points = np.random.default_rng(seed).normal(size=4)
    curve = Bezier(points, outside="straight")
    for phase in (-0.5, 0.0, 0.2, 0.9999, 1.0, 1.7):
        got = swing["planar"](points, phase)
        assert got == swing.plain("planar")(points, phase)
        assert got == tuple(curve.at(phase))


def test_one_time_is_the_same_as_many():
    for _, curve in curves():
        times = inside(curve, 400)
        many = curve.at(times)
        for i in (0, 17, 399):
            for one, all_of_them in zip(curve.at(times[i]), many, strict=True):
                assert np.array_equal(one, all_of_them[i])


# --- outside ------------------------------------------------------------------------------------------------------------------


@each
def test_outside(curve):
    start, end = curve.span
    with pytest.raises(MotionError, match=f"defined from {start:g} to {end:g}, asked at {end + 1:g}"):
        dataclasses.replace(curve, outside="error")(end + 1.0)
    hold, straight = dataclasses.replace(curve, outside="hold"), dataclasses.replace(curve, outside="straight")
    far = dataclasses.replace(curve, outside="extrapolate")
    for edge, away in ((start, -0.5), (end, 0.5)):
        x, v, _ = curve.at(edge)
        assert np.array_equal(hold(edge + away), x)
        assert np.array_equal(hold.velocity(edge + away), 0.0 * v)
        assert np.allclose(straight(edge + away), x + away * v, rtol=0, atol=1e-13)
        assert np.array_equal(straight.velocity(edge + away), v)
        assert np.array_equal(straight.acceleration(edge + away), 0.0 * v)
        piece = curve.data.points[0 if away < 0 else -1]
        h = np.diff(curve.data.knots)[0 if away < 0 else -1]
        s = away / h if away < 0 else 1.0 + away / h
        assert np.allclose(np.ravel(far(edge + away)), casteljau(piece, s)[0], rtol=1e-9, atol=1e-9)


def test_repeating():
    loop = Bezier((0.0, 1.0, -1.0, 0.0), -1.0, 2.0, outside="repeat")
    t = np.linspace(-1.0, 2.0, 30)[:-1]
    for turns in (-1000, -1, 1, 7):
        assert np.abs(loop(t + 3.0 * turns) - loop(t)).max() < 1e-11
    with pytest.raises(MotionError, match="must end where it begins, got 0 and 1"):
        Bezier((0.0, 1.0), outside="repeat")


# --- what is refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Cubic((0, 1, 1), (1, 2, 3)), "times must ascend, got 1 after 1"),
        (lambda: Cubic((0, 2, 1), (1, 2, 3)), "times must ascend, got 1 after 2"),
        (lambda: Cubic((0,), (1,)), "at least two numbers"),
        (lambda: Cubic(((0, 1), (1, 2)), (1, 2)), "at least two numbers"),
        (lambda: Cubic((0, math.nan), (1, 2)), "times must be finite, got nan"),
        (lambda: Cubic((0, 1), (1, math.inf)), "positions must be finite, got inf"),
        (lambda: Cubic((0, 1), (1, 2, 3)), "positions must have 2 entries, one for each knot, got 3"),
        (lambda: Cubic((0, 1), ((1, 2), (3,))), "rows of one length"),
        (lambda: Cubic((0, 1), "ab"), "must be numbers"),
        (lambda: Cubic((0, 1), np.zeros((2, 2, 2))), r"got shape \(2, 2, 2\)"),
        (lambda: Cubic((0, 1), ()), r"got shape \(0,\)"),
        (lambda: Cubic((0, 1, 2), (1, 2, 3), "periodic"), "last position of a periodic spline must be the first, 1.0, got 3.0"),
        (lambda: Cubic((0, 1), (1, 2), "loose"), "no kind of ends"),
        (lambda: Cubic((0, 1), (1, 2), velocities=(0, 0)), "velocities are those of clamped ends; the ends are natural"),
        (lambda: Cubic((0, 1), (1, 2), "clamped", velocities=(0, 0, 0)), r"must have shape \(2,\)"),
        (lambda: Cubic((0, 1), (1, 2), outside="stop"), "outside the knots"),
        (lambda: Cubic((0, 1e-308), (0, 1e308)), "too large"),
        (lambda: Quintic((0, 1), (1, 2), velocities=((1,), (2,))), "velocities must have the shape of positions"),
        (lambda: Quintic((0, 1), (1, 2), accelerations=(1,)), "accelerations must have 2 entries"),
        (lambda: Quintic((0, 10**400), (0, 1)), "times must be numbers"),
        (lambda: PD(10**400, 1.0), "stiffness must be a number"),
        (lambda: Bezier((0, 1))(10**400), "a time must be a number"),
        (lambda: Bezier((1.0,)), "points must be 2 to 32, got 1"),
        (lambda: Bezier(np.zeros(33)), "points must be 2 to 32, got 33"),
        (lambda: Bezier((0, 1), 1.0, 1.0), "start and end must ascend"),
        (lambda: Bezier((0, 1))("soon"), "a time must be a number"),
        (lambda: Bezier((0, 1))(math.nan), "times must be finite"),
        (lambda: PD(-1.0, 1.0), "stiffness must be a finite number from 0 on"),
        (lambda: PD((1.0, 2.0), (1.0,)), "as many entries, got 2 and 1"),
        (lambda: PD("stiff", 1.0), "stiffness must be a number"),
        (lambda: PD.tuned(math.nan), "frequency must be a finite number"),
    ],
)
def test_refused(make, said):
    with pytest.raises(ff.FootfallError, match=said):
        make()


def test_curves_are_values():
    one, same = Cubic([0, 1, 2], [[0, 1], [1, 2], [3, 4]]), Cubic(np.arange(3), ((0, 1), (1, 2), (3, 4)))
    assert one == same
    assert hash(one) == hash(same)
    assert eval(repr(one)) == one
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.ends = "clamped"
    assert Quintic((0, 1), (0, 1))([]).shape == (0,)
    assert one([[0.0, 1.0, 2.0]]).shape == (1, 3, 2)


@pytest.mark.parametrize("h", [1e-12, 1e-6, 1e6, 1e12])
def test_knots_close_together_and_far_apart(h):
    """Scaling the time scales the derivatives, and nothing else."""
    one, scaled = (
        Quintic((0.0, 1.0), (0.0, 2.0), (1.0, 0.0), (0.5, 0.0)),
        Quintic((0.0, h), (0.0, 2.0), (1.0 / h, 0.0), (0.5 / h**2, 0.0)),
    )
    s = np.linspace(0.0, 1.0, 21)
    for k, (a, b) in enumerate(zip(one.at(s), scaled.at(h * s), strict=True)):
        assert np.allclose(a, b * h**k, rtol=1e-9, atol=1e-12)


def test_far_from_zero():
    """A curve at 1e6 s loses what the times lose, no more."""
    near, far = Cubic((0.0, 1.0, 3.0), (0.0, 1.0, 0.0)), Cubic((1e6, 1e6 + 1.0, 1e6 + 3.0), (0.0, 1.0, 0.0))
    t = np.linspace(0.0, 3.0, 31)
    assert np.abs(near(t) - far(1e6 + t)).max() < 1e-9


# --- spring and damper --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.2, 1.0, 2.5])
def test_a_mass_on_it_swings_as_tuned(ratio):
    inertia, frequency = 3.0, 5.0
    gains = PD.tuned(frequency, ratio, inertia)
    assert gains.frequency(inertia) == pytest.approx(frequency)
    assert gains.ratio(inertia) == pytest.approx(ratio)
    A = np.array([[0.0, 1.0], [gains(-1.0, 0.0) / inertia, gains(0.0, -1.0) / inertia]])
    poles = np.linalg.eigvals(A)
    assert np.sort_complex(poles) == pytest.approx(
        np.sort_complex(frequency * np.roots([1.0, 2.0 * ratio, 1.0]).astype(complex)), abs=1e-6
    )
    assert np.abs(expm(10.0 * A)).max() < 1.0


def test_gains_for_each_joint():
    gains = PD((1.0, 2.0), (0.1, 0.2))
    assert gains((1.0, 1.0), (-1.0, -1.0)) == pytest.approx([0.9, 1.8])
    assert PD(3.0, 0.5)(2.0) == 6.0
    assert PD(3.0, 0.5) == PD(3, 0.5)
    assert PD.tuned(2.0, inertia=(1.0, 2.0)).stiffness == (4.0, 8.0)


def test_extrapolation_is_the_polynomial():
    cube = Cubic((0.0, 1.0), (0.0, 1.0), "clamped", velocities=(0.0, 3.0), outside="extrapolate")
    t = np.linspace(-2.0, 3.0, 11)
    assert np.allclose(cube(t), t**3, rtol=0, atol=1e-12)
    x, v, a = evaluate.plain("planar")(cube.data._replace(outside=EXTRAPOLATE), 2.0, 0)
    assert (x, v, a) == pytest.approx((8.0, 12.0, 12.0), abs=1e-12)


# --- in a run -----------------------------------------------------------------------------------------------------------------

ROUND = Cubic((0.0, 0.3, 0.7, 1.0), ((0.2, 0.5), (-0.4, 0.9), (0.3, 0.1), (0.2, 0.5)), "periodic")


def follow_it(obs, params, state, goal, command):
    for k in range(2):
        angle, rate, _ = evaluate(params.curve, obs.time, k)
        command.tau[k] = pd(params.gains.stiffness[k], params.gains.damping[k], angle - obs.q[k], rate - obs.v[k])
    return 0


def prepare_it(self, robot, q, gravity):
    return {"curve": ROUND.data, "gains": PD((200.0, 50.0), (0.0, 0.0)).data}


@dataclasses.dataclass(frozen=True)
class CompiledSwing(ff.Controller):
    prepare = prepare_it
    law = kernel(follow_it)


@dataclasses.dataclass(frozen=True)
class PlainSwing(ff.Controller):
    prepare = prepare_it

    def law(obs, params, state, goal, command):
        return follow_plain(obs, params, state, goal, command)


follow_plain = kernel(follow_it).plain("planar")


def test_a_law_follows_a_curve_compiled_and_plain():
    links = (ff.Link("thigh", 5.0, (0.0, -0.2), 0.1), ff.Link("shank", 3.0, (0.0, -0.2), 0.05))
    hip = ff.Joint("hip", "revolute", "world", "thigh", motor=ff.Motor())
    knee = ff.Joint("knee", "revolute", "thigh", "shank", at=(0.0, -0.4), motor=ff.Motor())
    leg = ff.Robot("leg", "planar", links, (hip, knee))
    start = {"q": tuple(ROUND(0.0)), "v": tuple(ROUND.velocity(0.0)), "seconds": 1.5}
    compiled, plain = (ff.simulate(leg, controller, **start) for controller in (CompiledSwing(), PlainSwing()))
    assert np.array_equal(compiled.q, plain.q)
    assert np.array_equal(compiled.tau, plain.tau)
    theirs = CubicSpline(ROUND.times, ROUND.positions, bc_type="periodic")
    wanted = np.where(compiled.time[:, None] <= 1.0, theirs(compiled.time), theirs(compiled.time - 1.0))
    assert np.abs(compiled.tau - (200.0, 50.0) * (wanted - compiled.q)).max() < 1e-9


# --- pictures -----------------------------------------------------------------------------------------------------------------


def test_a_picture_has_units_and_names(tmp_path):
    curve = Cubic(KNOTS, rows(1, size=2), outside="straight")
    figure = ff.view.motion(curve, tmp_path / "curve.png", names=("hip", "knee"), unit="rad")
    assert (tmp_path / "curve.png").stat().st_size > 1000
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position (rad)", "velocity (rad/s)", "acceleration (rad/s²)"]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["hip", "knee"]
    shown = figure.axes[0].lines[0].get_xdata()
    assert shown[0] < KNOTS[0]
    assert shown[-1] > KNOTS[-1]
    assert (figure.axes[0].lines[1].get_ydata() == curve(KNOTS)[:, 0]).all()
    with pytest.raises(ff.FootfallError, match="names must be 2"):
        ff.view.motion(curve, names=("hip",))
