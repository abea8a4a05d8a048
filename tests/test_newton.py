"""Equations of all bodies and hinges: against recursions, a dense system, joints of the same kind, closed forms and conservation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall import reproduce
from footfall.core.maximal.border import new_border
from footfall.core.maximal.cone import ALONG, NORMAL, new_cone, solve_cone, solve_convex
from footfall.core.recursion.rnea import rnea
from footfall.dynamics import constrained
from footfall.engines import Ideal, Maximal, TimeStepping
from footfall.errors import FootfallError, RobotError, SimulationError, StateError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model.pins import Pin
from footfall.reproduce._dense import dense
from footfall.studies._linkages import four_bar, four_bar_start
from footfall.world import Compliant, Rigid, World
from trees import close, random_robot, random_state


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_random_trees_with_all_kinds_of_joint(space):
    for seed in range(20):
        robot = random_robot(seed, space)
        q, v, tau = random_state(robot, seed)
        a = ff.dynamics.forward(robot, q, v, tau)
        close(ff.dynamics.forward(robot, q, v, tau, formulation="maximal"), a, 1e-9, f"seed {seed}, forward")
        close(ff.dynamics.inverse(robot, q, v, a, formulation="maximal"), tau, 1e-9, f"seed {seed}, inverse")
        M = ff.dynamics.mass_matrix(robot, q)
        close(ff.dynamics.mass_matrix(robot, q, formulation="maximal"), M, 1e-12, f"seed {seed}, mass matrix")
        ev = Evaluation(robot)
        ev.fall(np.array((*np.zeros(robot.dim - 1), -robot.gravity)))
        ev.run(rnea, q, v, a, np.zeros(robot.nv))
        found = ff.dynamics.hinge_forces(robot, q, v, tau)
        close(np.array(list(found.joints.values())), ev.work.force[1:], 1e-9, f"seed {seed}, hinge forces")


def test_a_dense_system_has_the_same_hinge_forces():
    robot = ff.robots.load("person")
    pins = (Pin("foot_left", weld=True), Pin("foot_right", weld=True))
    for seed in range(1, 4):
        q, v, tau = random_state(robot, seed, 0.5)
        v = constrained.consistent(robot, q, v, pinned=pins)
        _, forces = dense(robot, q, v, pins).solved(tau)
        found = ff.dynamics.hinge_forces(robot, q, v, tau, pinned=pins)
        close(np.array(list(found.joints.values())), np.array(forces), 1e-9, f"seed {seed}")
        close(found.accelerations, constrained.forward(robot, q, v, tau, pinned=pins).accelerations, 1e-9, f"seed {seed}")


def test_forces_balance_the_weight_at_rest():
    """A pendulum that hangs still: its hinge carries its weight, and no moment."""
    robot = ff.robots.load("pendulum")
    found = ff.dynamics.hinge_forces(robot, [0.0], [0.0], [0.0])
    (force,) = found.joints.values()
    assert force == pytest.approx((0.0, robot.mass * robot.gravity, 0.0), abs=1e-12)
    pinned = ff.dynamics.hinge_forces(
        ff.robots.load("compass"), [0.0, 1.0, 0.1, -0.2], np.zeros(4), np.zeros(4), pinned="leg_left"
    )
    assert set(pinned.pins) == {"leg_left"}


# --- loops --------------------------------------------------------------------------------------------------------------------

INERTIA = (0.3, 0.4, 0.5, 0.02, -0.03, 0.01)
AXIS = (0.6, 0.0, 0.8)


def held(space, loop=None, joints=None):
    """A body that floats and is held by a loop, or one on joints."""
    flat = space == "planar"
    body = ff.Link("body", 2.0, (0.1, 0.2) if flat else (0.1, -0.3, 0.2), 0.4 if flat else INERTIA)
    base = ff.Joint("base", "planar" if flat else "free", "world", "body")
    links = (body,) if joints is None else (*(ff.Link(j.child, 0.0) for j in joints[:-1]), body)
    return ff.Robot("held", space, links, tuple(joints or (base,)), loops=(loop,) if loop else ())


@pytest.mark.parametrize(
    ("space", "kind", "joints"),
    [
        ("planar", "revolute", [("revolute", None)]),
        ("planar", "prismatic", [("prismatic", (0.6, 0.8))]),
        ("spatial", "revolute", [("revolute", AXIS)]),
        ("spatial", "prismatic", [("prismatic", AXIS)]),
        ("spatial", "spherical", [("spherical", None)]),
        ("spatial", "universal", [("revolute", "y"), ("revolute", "x")]),
    ],
)
def test_a_loop_holds_as_a_joint_of_its_kind(space, kind, joints):
    """A floating body held to the world by a loop moves as one on joints; by the force of weight and of its own rates alone."""
    axis = joints[0][1] if kind in ("revolute", "prismatic") else None
    free = held(space, ff.Loop("hold", kind, "world", "body", axis=axis))
    names = [f"link_{i}" for i in range(len(joints) - 1)] + ["body"]
    chain = [ff.Joint(f"j{i}", each, (["world", *names])[i], names[i], axis=along) for i, (each, along) in enumerate(joints)]
    on = held(space, joints=chain)
    for seed in range(1, 4):
        q, v, _ = random_state(on, seed)
        pose, rate = ff.kinematics.pose(on, q, "body"), ff.kinematics.velocity(on, q, v, "body")
        a = ff.dynamics.forward(on, q, v, np.zeros(on.nv))
        wanted = ff.kinematics.acceleration(on, q, v, a, "body")
        Q = (
            (*pose.position, pose.angle)
            if space == "planar"
            else (*pose.position, *Rotation.from_matrix(pose.rotation).as_quat()[[3, 0, 1, 2]])
        )
        V = rate if space == "planar" else np.concatenate((rate[:3], pose.rotation.T @ rate[3:]))
        A = ff.dynamics.forward(free, Q, V, np.zeros(free.nv), formulation="maximal")
        close(ff.kinematics.acceleration(free, Q, V, A, "body"), wanted, 1e-9, f"{kind}, seed {seed}")
        found = ff.dynamics.hinge_forces(free, Q, V, np.zeros(free.nv))
        first = ff.dynamics.hinge_forces(on, q, v, np.zeros(on.nv)).joints
        close(found.loops["hold"], list(first.values())[-1], 1e-9, f"{kind}: force, seed {seed}")


def test_a_fixed_loop_holds_fast():
    for space in ("planar", "spatial"):
        robot = held(space, ff.Loop("hold", "fixed", "world", "body"))
        found = ff.dynamics.hinge_forces(robot, robot.neutral(), np.zeros(robot.nv), np.zeros(robot.nv))
        assert found.accelerations == pytest.approx(np.zeros(robot.nv), abs=1e-12)
        assert found.loops["hold"][robot.dim - 1] == pytest.approx(2.0 * 9.81)


def test_loops_are_closed_with_velocities_that_keep_them_so():
    for space in ("planar", "spatial"):
        robot = four_bar(space)
        q, v = ff.dynamics.closed(robot, (1.4, -1.0, 1.2), (1.0, 0.0, 0.0))
        ends = [ff.kinematics.pose(robot, q, name).position for name in ("coupler_end", "rocker_end")]
        rates = [ff.kinematics.velocity(robot, q, v, name)[: robot.dim] for name in ("coupler_end", "rocker_end")]
        assert ends[0] == pytest.approx(ends[1], abs=1e-12)
        assert rates[0] == pytest.approx(rates[1], abs=1e-12)
    apart = replace(robot, joints=(*robot.joints[:2], replace(robot.joints[2], at=(9.0, 0.0, 0.0))))
    with pytest.raises(StateError, match="do not close"):
        ff.dynamics.closed(apart, q)


def test_what_is_closed_stays_as_it_is_to_the_bit():
    rng = np.random.default_rng(0)
    for linkage, space in (("four-bar", "planar"), ("four-bar", "spatial"), ("ring", "planar"), ("ring", "spatial")):
        study = ff.studies.load("newton-chain-loop", linkage=linkage, space=space, links=60)
        for spread in (0.0, 1e-5, 1e-2):
            away = np.array(study.q) + spread / study.robot.nv * rng.normal(size=study.robot.nq)
            once = ff.dynamics.closed(study.robot, away, rng.normal(size=study.robot.nv))
            again = ff.dynamics.closed(study.robot, *once)
            assert [each.tobytes() for each in again] == [each.tobytes() for each in once], (linkage, space, spread)


@pytest.mark.parametrize(("linkage", "off"), [("four-bar", 0.0), ("ring", 0.0), ("ring", 1e-8)])
def test_runs_with_loops_replay_bit_for_bit(linkage, off):
    study = ff.studies.load("newton-chain-loop", linkage=linkage, links=60)
    run = ff.simulate(replace(study, q=tuple(x + off for x in study.q)), seconds=0.05)
    assert run.replay() == run


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_mobility_with_loops(space):
    """N (N' M N)^-1 N', with N the motions that keep the loop closed."""
    robot = four_bar(space)
    q = np.array(four_bar_start(robot, 1.0)[0])
    first, second = (ff.kinematics.jacobian(robot, q, name)[[0, robot.dim - 1]] for name in ("coupler_end", "rocker_end"))
    N = np.linalg.svd(first - second)[2][2:].T
    wanted = (N @ np.linalg.inv(N.T @ ff.dynamics.mass_matrix(robot, q) @ N) @ N.T).diagonal()
    assert ff.dynamics.mobility(robot, q) == pytest.approx(wanted, rel=1e-9)
    fast = held(space, ff.Loop("hold", "fixed", "world", "body"))
    assert ff.dynamics.mobility(fast, fast.neutral()) == pytest.approx(np.zeros(fast.nv), abs=1e-12)


def test_a_lift_does_not_open_a_loop_to_the_world():
    free = held("planar", ff.Loop("hold", "revolute", "world", "body"))
    robot = replace(free, feet=(ff.Foot("foot", (ff.Point("body", (0.0, -0.2)),)),))
    for q, lift in (((0.0, 0.0, 0.0), True), (None, False)):
        with pytest.raises(SimulationError, match="opens a loop by 0.2 m"):
            ff.simulate(robot, q=q, engine=Maximal(), seconds=0.01, lift=lift)


def test_a_robot_with_loops_is_written_and_read(tmp_path):
    robot = four_bar("planar")
    ff.write_robot(robot, tmp_path / "robot.toml")
    assert ff.read_robot(tmp_path / "robot.toml") == robot
    assert "rocker_pin" in str(robot)
    assert "rocker_pin" in robot.describe()
    assert robot.in_space().loops[0].axis == (0.0, 1.0, 0.0)
    assert any("rocker_pin" in line for line in ff.write_mjcf(robot, tmp_path / "robot.xml").left_out)
    assert any("rocker_pin" in line for line in ff.write_urdf(robot, tmp_path / "robot.urdf").left_out)


@pytest.mark.parametrize(
    ("loop", "error", "said"),
    [
        (ff.Loop("l", "glued", "world", "body"), UnknownNameError, "Known: fixed, prismatic, revolute, spherical, universal"),
        (ff.Loop("l", "spherical", "world", "nobody"), UnknownNameError, "nobody"),
        (ff.Loop("l", "spherical", "body", "body"), RobotError, "both ends"),
        (ff.Loop("base", "spherical", "world", "body"), RobotError, "declared 2 times"),
        (ff.Loop("l", "spherical", "world", "body", axis="x"), RobotError, "no axis to choose"),
        (ff.Loop("l", "revolute", "world", "body", axis=(0.0, 0.0, 0.0)), RobotError, "not all zero"),
        ("loop", RobotError, "expected a Loop"),
    ],
)
def test_a_wrong_loop_is_refused_in_words(loop, error, said):
    with pytest.raises(error, match=said):
        held("spatial", loop)


def test_what_knows_trees_only_refuses_loops():
    robot = four_bar("planar")
    q, v = four_bar_start(robot, 1.0)
    for ask in (
        lambda: ff.dynamics.forward(robot, q, v, v),
        lambda: ff.dynamics.inverse(robot, q, v, v, formulation="maximal"),
        lambda: constrained.forward(robot, q, v, v, pinned="rocker"),
        lambda: ff.simulate(robot, q=q, v=v, seconds=0.1, engine=Ideal()),
        lambda: ff.simulate(robot, q=q, v=v, seconds=0.1, engine=TimeStepping()),
    ):
        with pytest.raises(FootfallError, match="rocker_pin"):
            ask()
    with pytest.raises(SimulationError, match=r"open by .* dynamics.closed"):
        ff.simulate(robot, q=(0.0, 0.0, 0.0), seconds=0.1, engine=Maximal())


def test_velocities_that_open_a_loop_are_refused():
    robot = four_bar("planar")
    q, v = four_bar_start(robot, 2.0)
    with pytest.raises(SimulationError, match=r"velocities of robot 'four-bar' open its loops: that of '.*dynamics.closed"):
        ff.simulate(robot, q=q, v=(2.0, 0.0, 0.0), seconds=0.01, engine=Maximal())
    run = ff.simulate(robot, q=q, v=np.array(v) + 1e-8, seconds=0.01, engine=Maximal())  # as numbers of a file may be
    assert run.study.v == pytest.approx(v, abs=1e-7)
    assert run.replay() == run


# --- motion -------------------------------------------------------------------------------------------------------------------


def box(space="planar"):
    flat = space == "planar"
    size = (0.4, 0.2) if flat else (0.4, 0.3, 0.2)
    link = ff.Link("box", 10.0, inertia=0.2 if flat else (0.1, 0.2, 0.25))
    joint = ff.Joint("base", "planar" if flat else "free", "world", "box")
    return ff.Robot("box", space, (link,), (joint,), feet=(ff.Foot("box", (ff.Box("box", size),)),))


def on_ground(robot, friction=0.5, **more):
    return ff.simulate(robot, world=World(contact=Rigid(friction=friction), falls=False), engine=Maximal(), **more)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_four_bar_linkage_keeps_its_energy(space):
    robot = four_bar(space)
    q, v = four_bar_start(robot, 6.0)
    run = ff.simulate(robot, q=q, v=v, seconds=1.0, engine=Maximal())
    energy = [sum(ff.dynamics.energy(robot, *row)) for row in zip(run.q, run.v, strict=True)]
    assert np.ptp(energy) < 1e-11
    assert run.residual.max() * run.study.dt < 1e-12


def test_a_box_slides_to_a_stop_and_stays():
    run = on_ground(box(), 0.3, q=(0.0, 0.1, 0.0), v=(1.0, 0.0, 0.0), seconds=0.6)
    assert run.q[-1, 0] == pytest.approx(1.0 / (2.0 * 0.3 * 9.81), abs=1e-10)
    assert np.abs(run.v[-1]).max() < 1e-12
    ledger = ff.analysis.ledger(run)
    assert np.abs(ledger.residual).max() < 1e-9


def test_a_drop_ends_flat_and_every_joule_is_accounted_for():
    run = on_ground(box(), q=(0.0, 0.5, 0.3), seconds=1.0)
    assert run.q[-1, 1:] == pytest.approx((0.1, 0.0), abs=1e-9)
    assert run.force[-1, :, 1].sum() == pytest.approx(98.1)
    assert np.abs(ff.analysis.ledger(run).residual).max() < 1e-8
    assert [event.kind for event in run.events].count("impact") >= 2


def test_a_ball_comes_to_roll():
    """It slides until it rolls, with the momentum about its contact kept."""
    joint, foot = ff.Joint("base", "planar", "world", "ball"), ff.Foot("ball", (ff.Arc("ball", 0.1),))
    ball = ff.Robot("ball", "planar", (ff.Link("ball", 1.0, inertia=0.004),), (joint,), feet=(foot,))
    run = on_ground(ball, 0.3, q=(0.0, 0.1, 0.0), v=(1.0, 0.0, 0.0), seconds=0.5)
    assert run.v[-1, 0] == pytest.approx(1.0 / 1.4, abs=1e-10)
    assert run.v[-1, 2] == pytest.approx(10.0 / 1.4, abs=1e-9)


def test_stops_and_the_other_engine():
    """Kneed legs that fall on their stops, beside time stepping at a small step."""
    robot = ff.robots.load("rabbit")
    q = ff.kinematics.within_stops(robot, robot.configuration({"base.z": 3.0, "base.pitch": 0.2}))
    more = {"q": tuple(q), "v": tuple(np.linspace(-2.0, 2.0, robot.nv)), "seconds": 0.3, "record_dt": 0.05}
    ours, theirs = (
        ff.simulate(robot, engine=engine, dt=dt, **more) for engine, dt in ((Maximal(), 1e-3), (TimeStepping(), 2e-5))
    )
    assert np.abs(ours.q - theirs.q).max() < 2e-4


@pytest.mark.parametrize("seed", range(3))
def test_a_box_thrown_in_space_slides_turns_and_comes_to_rest(seed):
    """Slips that begin and end in any direction: no energy from nothing, friction within its cone, flat at the end."""
    robot, rng = box("spatial"), np.random.default_rng(seed)
    turn = rng.normal(size=4)
    q, v = (0.0, 0.0, 0.35, *(turn / np.linalg.norm(turn))), rng.normal(size=6) * (1.0, 1.0, 0.0, 3.0, 3.0, 3.0)
    run = on_ground(robot, 0.4, q=q, v=tuple(v), seconds=2.0)
    ledger = ff.analysis.ledger(run)
    assert np.diff(ledger.energy).max() < 1e-6 * ledger.energy[0]
    assert np.abs(ledger.residual).max() < 1e-6 * ledger.energy[0]
    assert run.point[..., 2].min() > -1e-7
    along, normal = np.linalg.norm(run.force[..., :2], axis=-1), run.force[..., 2]
    assert (along - 0.4 * normal).max() < 1e-8 * 98.1
    assert np.abs(run.v[-1]).max() < 1e-9
    assert run.force[-1, :, 2].sum() == pytest.approx(98.1)


def test_impulses_meet_the_law_of_friction():
    """Random contacts on a random body: every condition of complementarity, with its exact cone, from the definition."""
    rng, contacts, friction = np.random.default_rng(5), 4, 0.6
    for _ in range(10):
        J = rng.normal(size=(3 * contacts, 6))
        b = J @ rng.normal(size=6)
        border, found = new_border(3 * contacts, 2, 6, 6), new_cone(3 * contacts)
        border.count[0], border.schur[:], found.b[:] = 3 * contacts, J @ J.T, b
        found.kind[:], found.limit[::3] = [NORMAL, ALONG, ALONG] * contacts, friction
        solve_cone.plain("spatial")(border, found)
        y, w = border.y.reshape(-1, 3), (J @ J.T @ border.y + b).reshape(-1, 3)
        size = np.linalg.norm(y[:, 1:], axis=1)
        assert w[:, 0].min() > -1e-9
        assert np.abs(w[:, 0] * y[:, 0]).max() < 1e-8
        assert (size - friction * y[:, 0]).max() < 1e-12
        power = (y[:, 1:] * w[:, 1:]).sum(axis=1)
        assert power == pytest.approx(-friction * y[:, 0] * np.linalg.norm(w[:, 1:], axis=1), abs=1e-8)


def test_impulses_that_are_found_too_late_never_raise_the_energy():
    """The convex problem, whose impulses are within the cones and take energy, wherever its sweeps end."""
    rng, contacts, friction = np.random.default_rng(6), 5, 0.8
    for sweeps in (1, 2, 10):
        J = rng.normal(size=(3 * contacts, 6))
        free = rng.normal(size=6)
        border, found = new_border(3 * contacts, 2, 6, 6), new_cone(3 * contacts)
        border.count[0], border.schur[:], found.b[:] = 3 * contacts, J @ J.T, J @ free
        found.kind[:], found.limit[::3] = [NORMAL, ALONG, ALONG] * contacts, friction
        border.y[:] = rng.normal(size=3 * contacts)
        solve_convex.plain("spatial")(border, found, sweeps, 1e-9)
        y = border.y.reshape(-1, 3)
        assert (np.linalg.norm(y[:, 1:], axis=1) - friction * y[:, 0]).max() < 1e-12
        after = free + J.T @ border.y
        assert after @ after <= free @ free
        assert np.abs(border.y).max() > 0.0


def test_worlds_that_it_does_not_know_are_refused():
    with pytest.raises(SimulationError, match="Rigid"):
        ff.simulate(box(), world=World(contact=Compliant()), seconds=0.1, engine=Maximal())
    with pytest.raises(SimulationError, match="pinned=True"):
        Maximal(alternating=True)


@pytest.mark.parametrize("study", ["dense-matrix", "pinocchio", "loops", "block", "falls"])
def test_quick_rows(study):
    rows = list(reproduce.rows(f"newton/{study}", reproduce.Setting(quick=True, workers=1)))
    assert rows
    assert [row.quantity for row in rows if not row.ok] == []


# --- hinges that are made and released ----------------------------------------------------------------------------------------


def hammock(**more):
    """A rod that hangs from the world by a hinge at one end and a loop at the other."""
    rod = ff.Link("rod", 2.0, (0.5, 0.0), 2.0 / 12.0)
    frames = (ff.Frame("tip", "rod", at=(1.0, 0.0)), ff.Frame("nail", "hook", at=(1.0, 0.0)))
    joints = (ff.Joint("pivot", "revolute", "world", "rod"), ff.Joint("wall", "fixed", "world", "hook"))
    loop = ff.Loop("rope", "revolute", "nail", "tip", **more)
    return ff.Robot("hammock", "planar", (rod, ff.Link("hook", 0.0)), joints, frames=frames, loops=(loop,))


def test_a_hinge_is_released_when_its_time_is_over():
    run = ff.simulate(hammock(end=0.2), q=(0.0,), seconds=0.4, engine=Maximal())
    (event,) = [each for each in run.events if each.kind == "hinge released"]
    assert (event.which, event.time) == ("rope", pytest.approx(0.2))
    assert np.abs(run.q[run.time <= 0.2]).max() < 1e-12
    assert run.v[-1, 0] > 1.0
    energy = [sum(ff.dynamics.energy(run.robot, *row)) for row in zip(run.q, run.v, strict=True)]
    assert np.ptp(energy) < 1e-11


def test_a_hinge_breaks_at_its_strength():
    """At rest each end carries half of the weight, 9.81 N."""
    for strength, breaks in ((9.9, False), (9.7, True)):
        run = ff.simulate(hammock(strength=strength), q=(0.0,), seconds=0.1, engine=Maximal())
        assert (run.v[-1, 0] > 0.5) == breaks
        assert any(event.kind == "hinge released" for event in run.events) == breaks


def test_a_hinge_is_made_once_its_ends_meet():
    """The rod swings up to the nail, is caught there, and loses its energy of motion."""
    rate = 4.0
    run = ff.simulate(hammock(start=0.01), q=(0.3,), v=(-rate,), seconds=0.5, engine=Maximal())
    (event,) = [each for each in run.events if each.kind == "hinge made"]
    assert event.which == "rope"
    assert np.abs(run.q[-1]).max() < 1e-12
    assert np.abs(run.v[-1]).max() < 1e-12
    start, end = (sum(ff.dynamics.energy(run.robot, run.q[i], run.v[i])) for i in (0, -1))
    assert event.numbers["energy lost J"] == pytest.approx(start - end, rel=1e-2)
    run.replay()
