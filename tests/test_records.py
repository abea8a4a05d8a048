"""Records do not alias: forces are means, energies are sums of all steps, slides are events that matter."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import reproduce
from footfall.analysis import cost_of_transport
from footfall.engines.maximal import Maximal
from footfall.reproduce import KEYS, Row
from footfall.world import Push, Rigid, World

G, MASS = 9.81, 10.0
SOLVED = 2e-6  # m/s: tolerance of contact velocities in a step


def box(space):
    flat = space == "planar"
    return ff.Robot(
        name="box",
        space=space,
        links=(ff.Link("box", MASS, inertia=0.2 if flat else (0.2, 0.2, 0.2)),),
        joints=(ff.Joint("base", "planar" if flat else "free", "world", "box"),),
        feet=(ff.Foot("box", (ff.Box("box", size=(0.4, 0.2) if flat else (0.4, 0.3, 0.2)),)),),
    )


@pytest.mark.parametrize("record_dt", [1e-3, 1e-2, 0.05])
@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_momentum_balances_to_rounding(space, record_dt):
    """A tilted box falls, bounces, slides and is pushed: in every interval m dv = force dt - m g dt + push, by hand.

    In space friction is solved to 1e-8 of the weight, in every step. A push acts from the middle of the step in which it begins to
    the middle of that in which it ends. Where a pad comes to stick, the recorded velocity has it at rest already, while half of the
    impulse that brings it there belongs to the next row: this is one row at most. In a few rows after it the contact is solved to its
    tolerance only, which the recorded velocity has not; nothing of it is left behind them.
    """
    flat = space == "planar"
    push = Push("box", (30.0, 10.0) if flat else (30.0, -20.0, 10.0), 0.35, 0.6)
    q = (0.0, 0.4, 0.3) if flat else (0.0, 0.0, 0.4, np.cos(0.2), 0.0, np.sin(0.2), 0.0)
    world = World(contact=Rigid(friction=0.4, restitution=0.5), pushes=(push,), falls=False)
    run = ff.simulate(box(space), None, world, q=q, seconds=1.0, record_dt=record_dt)
    assert run.impacts.sum() > 4
    dim, bound = run.robot.dim, (1e-11 if flat else 1e-8) * MASS * G
    dt = np.diff(run.time)[:, None]
    change = MASS * np.diff(run.v[:, :dim], axis=0)
    on = np.clip(np.minimum(run.time[1:], 0.6005) - np.maximum(run.time[:-1], 0.3505), 0.0, None)[:, None]
    given = run.force[1:].sum(axis=1) * dt + np.array(push.force) * on
    given[:, -1] -= MASS * G * dt[:, 0]
    since = np.abs(np.cumsum(given - change, axis=0)).max(axis=1)  # from the start to each row
    sticks = np.any(run.mode[1:] == 1, axis=1)
    assert since[~sticks].max() < bound
    assert np.count_nonzero(since > SOLVED * MASS) <= 1
    late = run.time[1:][since > bound]
    assert not late.size or np.ptp(late) < max(0.01, record_dt)
    assert since.max() < 0.03  # N s, of 10 kg
    assert since[-1] < bound


@pytest.mark.parametrize("name", ["ranger-walk", "johnnie-walk-rigid"])
def test_momentum_of_walks_balances_in_every_row(name):
    """Recorded velocities and forces fit together, also while a foot lands: to 5 % of the weight in rows of 1 ms."""
    run = ff.simulate(replace(ff.studies.load(name), seconds=1.5, record_dt=1e-3))
    robot, weight = run.robot, run.robot.mass * run.study.gravity
    momentum = np.array([ff.dynamics.momentum(robot, q, v)[: robot.dim] for q, v in zip(run.q, run.v, strict=True)])
    off = np.diff(momentum, axis=0) - 1e-3 * run.force[1:].sum(axis=1)
    off[:, -1] += 1e-3 * weight
    assert np.abs(off).max() < 0.05 * 1e-3 * weight


def runs(name, seconds, **more):
    study = replace(ff.studies.load(name), seconds=seconds, **more)
    return [ff.simulate(replace(study, record_dt=record_dt)) for record_dt in (study.dt, 0.01)]


@pytest.mark.parametrize("name", ["ranger-walk", "simbicon-walk"])
def test_impulse_peak_and_cost_do_not_depend_on_the_record(name):
    """With electrical data and without."""
    fine, coarse = runs(name, 6.0)
    assert np.array_equal(fine.q[::10], coarse.q)
    assert coarse.force[1:].sum(axis=0) * 0.01 == pytest.approx(fine.force[1:].sum(axis=0) * 1e-3, rel=1e-12)
    assert coarse.impulse.sum(axis=0) == pytest.approx(fine.impulse.sum(axis=0), rel=1e-12)
    assert np.array_equal(coarse.impacts.sum(axis=0), fine.impacts.sum(axis=0))
    size = [np.linalg.norm(run.force_peak, axis=2) for run in (fine, coarse)]
    assert np.array_equal(size[1][1:], size[0][1:].reshape(len(coarse.time) - 1, 10, -1).max(axis=1))
    assert np.array_equal(coarse.tau_peak[1:], fine.tau_peak[1:].reshape(len(coarse.time) - 1, 10, -1).max(axis=1))
    costs = [cost_of_transport(run, start=2.0) for run in (fine, coarse)]
    assert costs[0].electrical == (name == "ranger-walk")
    for field in ("total", "drawn", "heat", "brushes", "positive", "negative", "friction", "impacts"):
        assert getattr(costs[1], field) == pytest.approx(getattr(costs[0], field), rel=1e-9, abs=1e-9)
    assert fine.motor_energy[-1, :, 3:].sum() == pytest.approx(fine.ledger[-1, 0], rel=1e-9)


def test_peaks_of_equal_strides_are_equal():
    """At rows of 10 ms; samples of the same forces read 2,000 to 5,600 N."""
    run = ff.simulate(replace(ff.studies.load("simbicon-walk"), seconds=20.0, record_dt=0.01))
    downs = [event.time for event in run.happened("touch-down") if event.which == "foot_left/heel" and event.time > 12.0]
    peaks = [run.force_peak[(run.time > a) & (run.time < b), 0, -1].max() for a, b in itertools.pairwise(downs)]
    assert len(peaks) > 8
    assert max(peaks) / min(peaks) - 1.0 < 1e-3


def test_all_engines_record_the_same_series():
    """Standing on two pads, both engines say that the ground carries the weight, and where."""
    robot = ff.robots.load("ranger")
    q = tuple(robot.configuration({"hip": 0.0}))
    found = [ff.simulate(robot, ff.control.Hold(), q=q, seconds=0.3, lift=True, engine=each) for each in _engines()]
    for run in found:
        late = run.time > 0.2
        assert run.force[late].sum(axis=1)[:, -1].mean() == pytest.approx(robot.mass * G, rel=0.05)
        assert np.abs(run.center - run.point)[late].max() < 1e-3
        assert run.force_peak[1:].sum(axis=1)[:, -1].max() > 0.5 * robot.mass * G


def _engines():
    return ff.Study(ff.robots.load("ranger")).engine, Maximal()


def test_a_clean_slide_begins_once_and_ends_once():
    """A box at 1 m/s stops after v^2 / (2 mu g), at v / (mu g)."""
    robot = box("planar")
    run = ff.simulate(robot, None, World(contact=Rigid(friction=0.5)), q=(0, 0.1, 0), v=(1.0, 0, 0), seconds=1.0)
    for pad in run.pads[:2]:
        mine = [event for event in run.events if event.which == pad and event.kind.startswith("slip")]
        assert [event.kind for event in mine] == ["slip begins", "slip ends"]
        assert mine[0].time == 0.0
        assert mine[1].time == pytest.approx(1 / (0.5 * G), abs=2e-3)
        assert mine[1].numbers["slid m"] == pytest.approx(1 / G, rel=1e-2)
    assert [event.time for event in run.events] == sorted(event.time for event in run.events)


def test_what_does_not_slide_far_is_no_slide():
    """Simbicon's toes change between stick and slide ten times a second; each step has one slide of each toe."""
    run = ff.simulate(replace(ff.studies.load("simbicon-walk"), seconds=20.0))
    begun, ended = run.happened("slip begins"), run.happened("slip ends")
    changes = (np.abs(np.diff((run.mode == 2).astype(int), axis=0))).sum()
    assert len(begun) <= len(run.happened("touch-down")) < changes
    assert abs(len(begun) - len(ended)) <= len(run.pads)
    assert sum(event.numbers["slid m"] for event in ended) <= run.slip[-1].sum() + 1e-9
    assert min(event.numbers["slid m"] for event in ended) >= 1e-4


def test_rows_are_plain_whatever_they_are_made_of():
    row = Row("a", "m", np.float32(1.0), np.True_, np.int64(0), study="s")
    assert json.loads(json.dumps(row.public())) == {
        "study": "s",
        "quantity": "a",
        "unit": "m",
        "paper": 1.0,
        "value": 1.0,
        "tolerance": 0.0,
        "ok": True,
    }


@pytest.mark.parametrize("name", ["cycles/compass", "denoc/impacts", "denoc/tree", "wendlandt/stand"])
def test_real_rows_are_json(name):
    known = reproduce.studies()
    subject = name.split("/")[0]
    chosen = name if name in known else next(key for key in known if key.startswith(subject + "/"))
    found = list(reproduce.rows(chosen, reproduce.Setting(quick=True)))
    assert found
    for row in found:
        assert tuple(json.loads(json.dumps(row.public()))) == KEYS
