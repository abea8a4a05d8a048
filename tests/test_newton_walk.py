"""The walking algorithm of figure 6 on the ideal engine: it walks, its names are the paper's, and runs are runs as any other."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

import footfall as ff
from footfall import kinematics, reproduce
from footfall.control import Hold
from footfall.control.algorithm.controller import Algorithmic, Running
from footfall.control.newton_walk_contact import NewtonWalkContact, offsets
from footfall.engines import Ideal
from footfall.errors import FootfallError, SimulationError, UnsuitableError
from footfall.reproduce import Setting
from footfall.reproduce._newton_contact import slip_of_parts
from footfall.view import newton
from footfall.world import Push, World

STUDY = ff.studies.load("newton-walk")


@pytest.fixture(scope="module")
def walk():
    return ff.simulate(STUDY, seconds=6.0)


def test_it_walks(walk):
    assert walk.outcome.name == "END"
    assert walk["controller.state.steps"][-1] >= 11
    assert walk["q.base.x"][-1] > 5.0
    assert walk["q.base.z"].min() > 0.85
    assert walk["controller.state.residual"][-1] < 1e-9
    for side in ("left", "right"):
        assert np.degrees(walk[f"q.knee_{side}"].min()) > 1.9
        assert np.degrees(walk[f"q.knee_{side}"].max()) < 90.0


def test_held_feet_stay_where_they_are(walk):
    """By the heel of the foot that stands, from the row after its landing to the end of its stance."""
    phase = walk["controller.state.phase"]
    for frame, own in (("heel_left", (1, 2)), ("heel_right", (4, 5))):
        rows = np.flatnonzero(np.isin(phase, own))
        for stance in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
            places = np.array([kinematics.pose(walk.robot, walk.q[i], frame).position for i in stance])
            assert np.ptp(places, axis=0).max() < 1e-4


def test_a_run_is_replayed_and_kept(walk, tmp_path):
    walk.save(tmp_path / "walk.parquet")
    again = ff.Run.load(tmp_path / "walk.parquet")
    assert again == walk
    assert again.replay() == walk
    assert walk.happened("touch-down")
    assert all(event.numbers["energy lost J"] > -1e-6 for event in walk.happened("impact"))


def test_piece_by_piece_is_the_same(walk):
    simulation = ff.Simulation(replace(STUDY, seconds=1.0))
    for _ in range(10):
        simulation.advance(0.1)
    assert np.array_equal(simulation.run().q, walk.q[:101])


def test_the_swing_phase_is_table_1(monkeypatch):
    seen = {}

    def look(self, *given):
        status = tick(self, *given)
        seen[int(given[3].phase)] = str(self.algo), dict(self.algo.freedom)
        return status

    tick = Running.tick
    monkeypatch.setattr(Running, "tick", look)
    ff.simulate(STUDY, seconds=0.3)
    text, freedom = seen[1]
    table = [("TORSO-CONSTRAINT", 3), ("L-KNEE-ANGLE", 1), ("R-HEEL-TRAJ", 3), ("R-FOOT-ORIENTATION", 3), ("R-TOE-ANGLE", 1)]
    rows = {words[0]: int(words[1]) for words in map(str.split, text.splitlines()) if len(words) > 1 and words[1].isdigit()}
    assert {name: rows[name] for name, _ in table} == dict(table)
    assert freedom["used"] == 11
    assert freedom["used"] + freedom["held"] + freedom["left"] == 22


def test_parameters_may_change_on_the_way():
    simulation = ff.Simulation(STUDY)
    simulation.advance(1.0)
    simulation.set("controller.stride", 0.3)
    simulation.advance(1.5)
    run = simulation.run()
    assert run.outcome.name == "END"
    assert run["controller.state.stride"][-1] < 0.45
    assert run.replay() == run


def test_it_turns():
    run = ff.simulate(ff.studies.load("newton-walk", **{"controller.turn": 0.1}), seconds=3.0)
    assert run.outcome.name == "END"
    assert run["controller.state.yaw"][-1] > 0.4
    assert run["q.base.y"][-1] > 0.2


def test_other_controllers_and_worlds_are_refused():
    robot = ff.robots.load("person")
    with pytest.raises(SimulationError, match="Hold commands torques"):
        ff.simulate(ff.Study(robot, World(), Hold(), engine=Ideal()))
    with pytest.raises(SimulationError, match="pushes have no effect"):
        ff.simulate(replace(STUDY, world=World(pushes=(Push("torso", (1.0, 0.0, 0.0), 0.0, 1.0),))))


@pytest.mark.parametrize("name", ["newton-walk", "newton-turn", "newton-walk-contact", "newton-walk-tendons", "newton-squat"])
def test_a_robot_that_is_built_otherwise_is_refused(name):
    with pytest.raises(UnsuitableError, match=r"'johnnie' is not built like 'person'.*'hip_left' \(spherical\)"):
        ff.studies.load(name, robot=ff.robots.load("johnnie"))


@dataclass(frozen=True)
class Contradicts(Algorithmic):
    """Two equations for one knee."""

    def initialize(algo, params, state):
        algo.hold("FOOT", algo.body("foot_left"))
        algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))

    def controller(algo, params, state, time):
        algo.equate("ONE", algo.joint("knee_right").acceleration == 1.0)
        if time > 0.0045:
            algo.equate("TWO", algo.joint("knee_right").acceleration == 2.0)


def test_a_contradiction_stops_the_run_with_names():
    with pytest.raises(FootfallError, match=r"Contradicts at 0.0050 s: equations contradict each other.*ONE.*TWO") as caught:
        ff.simulate(ff.Study(ff.robots.load("person"), World(), Contradicts(), engine=Ideal(), seconds=0.02))
    assert len(caught.value.run.time) == 1


@pytest.fixture(scope="module")
def contact():
    return ff.simulate(ff.studies.load("newton-walk-contact"), seconds=4.0, record_dt=0.004)


def test_it_walks_on_real_contact(contact):
    assert contact.outcome.name == "END"
    assert contact["controller.state.steps"][-1] >= 5
    assert contact["q.base.x"][-1] > 0.8
    assert np.abs(contact.tau_peak).max() <= 200.0 + 1e-6
    for foot in ("foot_left", "foot_right"):
        x, y, z = contact.force[:, contact.of(foot)].sum(axis=1).T
        assert (np.hypot(x, y) <= 0.8 * z + 0.01).all()


def test_heels_strike_and_toes_take_off(contact):
    """Feet by their frames, from kinematics: the heel touches first, and leaves first while the toes stand flat."""
    for side in ("left", "right"):
        part = contact[f"controller.state.{side}"]
        names = contact.labels[f"controller.state.{side}"]
        heel, sole, toes = (names.index(name) for name in ("heel", "sole", "toes"))
        landed = np.flatnonzero((part[1:] == heel) & (part[:-1] != heel))
        assert len(landed) >= 2
        for i in landed:
            back, front = (
                kinematics.pose(contact.robot, contact.q[i], f"{name}_{side}").position[2] for name in ("heel", "toes")
            )
            assert back < 0.005 < 0.03 < front
        lifted = np.flatnonzero((part[:-1] == toes) & (part[1:] != toes))
        for i in lifted:
            assert kinematics.pose(contact.robot, contact.q[i], f"heel_{side}").position[2] > 0.03
            corners = contact.point[i, contact.of(f"foot_{side}")[8:], 2]  # of the toes' box, both sides of its sole
            assert np.sort(corners)[:4].max() < 0.005
        assert (part == sole).any()


def test_feet_that_stand_stick(contact):
    assert slip_of_parts(contact) < 0.002


def follow(omega, xi, begin, end, T, n=20000):
    """xi' = omega (xi - p) in small steps, while p goes from `begin` to `end`."""
    for k in range(n):
        p = np.array(begin) + np.subtract(end, begin) * (k + 0.5) / n
        xi = p + (xi - p) * np.exp(omega * T / n)
    return xi


def test_the_dcm_of_steady_steps_repeats_itself():
    params = NewtonWalkContact(stride=0.4)
    own = SimpleNamespace(omega=3.1)
    r, Td, Ts = params.roll * 0.4, params.double_support, params.swing_time
    landing, alone = offsets(own, params, 0.4, "L")
    after = offsets(own, params, 0.4, "R")[0]
    xi = follow(own.omega, landing, (-0.4 + r, -params.width), (-r, 0.0), Td)
    assert np.abs(xi - alone).max() < 1e-4
    xi = follow(own.omega, xi, (-r, 0.0), (r, 0.0), Ts)
    assert np.abs(xi - (np.array((0.4, -params.width)) + after)).max() < 1e-4


def test_stride_on_real_contact_changes_live():
    simulation = ff.Simulation(ff.studies.load("newton-walk-contact", stride=0.1, stride_swing=0.0))
    simulation.advance(2.5)
    simulation.set("controller.stride", 0.25)
    simulation.set("controller.torque", 190.0)
    simulation.advance(2.0)
    run = simulation.run()
    assert run.outcome.name == "END"
    assert run["controller.state.stride"][-1] > 0.19
    assert np.abs(run.tau_peak[run.time > 2.6]).max() <= 190.0 + 1e-6
    assert run.replay() == run


@pytest.mark.parametrize("study", ["pd", "table-1", "conflict", "throw"])
def test_figures_hold(study):
    rows = list(reproduce.rows(f"newton-language/{study}", Setting(quick=True, workers=1)))
    assert rows
    assert all(row.ok for row in rows), [row for row in rows if not row.ok]


def test_pictures_of_the_walks(tmp_path):
    run = ff.simulate(ff.studies.load("newton-walk"), seconds=3.0)
    newton.walking_cycle(run, tmp_path / "cycle.png", step=2)
    newton.statistics(run, tmp_path / "statistics.png")
    run = ff.simulate(ff.studies.load("newton-walk-contact"), seconds=2.5, record_dt=0.004)
    newton.heel_to_toes(run, tmp_path / "feet.png", step=2)
    assert all((tmp_path / f"{name}.png").stat().st_size > 10_000 for name in ("cycle", "statistics", "feet"))
    with pytest.raises(FootfallError, match="no landing after step 40"):
        newton.heel_to_toes(run, step=40)
