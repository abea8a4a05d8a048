"""Certificates of gaits: what an ordeal does to a study, what counts as walking, what is kept, what is refused."""

import json
from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest
from scipy.stats import binomtest
from typer.testing import CliRunner

import footfall as ff
from footfall.certificates.gait import gait_of
from footfall.certificates.trials import trials_of
from footfall.cli import app
from footfall.errors import FileError, FootfallError, ParameterError, UnknownNameError, UnsuitableError
from footfall.sweeps.ordeals import Misjudged, Pushed, Slippery, Sloping, Stepping, Unsure, gains_of, parse_source, source_text

NAME = "simple-biped-walk"


@pytest.fixture(scope="module")
def study():
    return ff.studies.load(NAME, seconds=4.0)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate") / "c"
    return ff.certify(NAME, repeats=2, trials="push,friction,masses", out=folder, on="serial")


# --- ordeals --------------------------------------------------------------------------------------------------------------


def test_a_push_changes_the_momentum_by_what_it_says(study):
    """Weightless and alone in the air, nothing else acts on the robot."""
    q = (0.0, 5.0, *study.start()[0][2:])
    free = replace(study, world=ff.World(gravity=0.0), controller=None, q=q, seconds=2.0)
    for direction, sign in ((0.0, 1.0), (pi, -1.0)):
        ordeal = Pushed(free, start=0.5, stride=1.0, phase=0.25, change=0.3, direction=direction)
        run = ff.simulate(ordeal.applied())
        center = ff.analysis.center_of_mass(run)[:, 0]
        speed = np.diff(center) / np.diff(run.time)
        assert speed[-1] == pytest.approx(sign * 0.3, abs=1e-6)
        assert speed[: int(0.74 / study.record_dt)] == pytest.approx(0.0, abs=1e-9)  # it begins a quarter of a stride after 0.5 s
        assert ordeal.at == 0.75


def test_ground_changes_where_it_says_on_either_way(study):
    for way in (1.0, -1.0):
        common = {"study": study, "start": 1.0, "stride": 1.0, "phase": 0.5, "along": 2.0, "speed": 0.6 * way}
        at = 2.0 + way * 0.6
        slope = Sloping(**common, angle=radians(5.0)).applied().world.terrain
        assert slope.height(at - way * 0.5) == 0.0
        assert slope.height(at + way * 2.0) == pytest.approx(2.0 * np.tan(radians(5.0)))
        step = Stepping(**common, rise=-0.03).applied().world.terrain
        assert step.height(at - way * 0.01) == 0.0
        assert step.height(at + way * 0.01) == -0.03


def test_friction_changes_at_its_instant(study):
    world = Slippery(study, start=1.0, stride=0.8, phase=0.5, friction=0.1).applied().world
    assert world.contact_at(1.39).friction == study.world.contact.friction
    assert world.contact_at(1.41).friction == 0.1


def test_controllers_do_not_know_what_the_robot_has_wrong():
    """The same wrong robot, known and not known: another torque."""
    study = ff.studies.load("ranger-walk", seconds=1.0)
    wrong = Misjudged(study, masses=0.4, drawn=3).applied()
    assert wrong.believed == study.robot
    off = [link.mass / true.mass - 1.0 for link, true in zip(wrong.robot.links, study.robot.links, strict=True) if true.mass]
    assert 0.05 < max(map(abs, off)) <= 0.4
    unknown, known = ff.simulate(wrong), ff.simulate(replace(wrong, believed=None))
    assert not np.array_equal(unknown.tau, known.tau)
    assert unknown.replay() == unknown


def test_gains_are_off_within_the_bound_and_others_stay(study):
    study = ff.studies.load("ranger-walk")
    wrong = Misjudged(study, gains=0.2, drawn=1).applied()
    gains = {each.name for each in gains_of(study)}
    assert "controller.hip_stiffness" in gains
    assert "controller.speed" not in gains
    for each in ff.parameters(study):
        now = next(other.value for other in ff.parameters(wrong) if other.name == each.name)
        if each.name in gains:
            assert np.all(np.abs(np.subtract(now, each.value)) <= 0.2 * np.abs(each.value) + 1e-12)
        else:
            assert now == each.value


def test_noise_of_an_angle_has_the_deviation_that_it_says(study):
    seen = Unsure(replace(study, record=("sensors",), record_dt=study.dt), noise=1e-3, drawn=2).applied()
    run = ff.simulate(seen)
    column = run.robot.coordinates.index("leg_right")
    assert np.std(run.more["obs.q.leg_right"] - run.q[:, column]) == pytest.approx(1e-3, rel=0.1)


@pytest.mark.parametrize("kind", [Pushed, Sloping, Stepping, Slippery, Misjudged, Unsure])
def test_an_ordeal_is_text_and_back(kind, study):
    ordeal = kind(study, phase=0.3, along=1.7)
    assert parse_source(source_text(ordeal), "here") == ordeal


def test_text_of_an_ordeal_that_is_none_is_refused(study):
    data = json.loads(source_text(Pushed(study)))
    with pytest.raises(UnknownNameError, match="ordeal"):
        parse_source(json.dumps(data | {"ordeal": "os.system"}), "here")
    with pytest.raises(FileError, match="numbers of Pushed"):
        parse_source(json.dumps(data | {"numbers": {"run": 1}}), "here")


def test_an_ordeal_can_be_swept_and_its_rows_had_again(study, tmp_path):
    found = ff.sweep(Pushed(study), {"change": [0.1, 3.0]}, measure="survived", out=tmp_path / "s", on="serial")
    again = ff.Sweep.load(tmp_path / "s")
    assert again.run(1) == ff.simulate(Pushed(study, change=3.0).applied())
    assert found["survived"].tolist() == [not again.run(row).fell for row in (0, 1)]


# --- certificates ---------------------------------------------------------------------------------------------------------


def test_a_certificate_has_all_rows_intervals_and_verdicts(made):
    assert made.complete
    assert [each.trial.name for each in made.verdicts] == ["push", "friction", "masses"]
    for each in made.verdicts:
        assert len(each.sweep) == 2 * each.trial.levels
        for row in each.rows:
            exact = binomtest(round(row["mean"] * row["runs"]), row["runs"]).proportion_ci(0.95, "wilson")
            assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high), abs=1e-9)
        assert not each.sweep.errors()


def test_walking_is_judged_from_the_run_itself(made):
    push = made.verdicts[0]
    for row in (0, len(push.sweep) - 1):
        run = push.sweep.run(row)
        center = ff.analysis.center_of_mass(run)[:, 0]
        first = int(np.searchsorted(run.time, made.gait.start))
        gone = (center[-1] - center[first]) / (run.time[-1] - made.gait.start)
        assert push.sweep["walks"][row] == (run.reason == "reached the end" and gone >= 0.5 * made.gait.speed)


def test_the_worst_runs_replay_bit_for_bit(made):
    kept = [ended for each in made.verdicts for ended in each.worst]
    assert kept
    for each in made.verdicts:
        for ended in each.worst:
            assert not each.sweep["walks"][ended.row]
    run = ff.Run.load(kept[0].path)
    assert run.replay() == run


def test_the_page_needs_no_other_file(made):
    page = made.page.read_text()
    assert 'src="data:image/png' in page
    assert "http" not in page.replace("http-equiv", "")
    for each in made.verdicts:
        assert each.trial.title in page


def test_asking_again_computes_nothing(made):
    before = {path: path.stat().st_mtime_ns for path in made.folder.glob("*/parts/*")}
    again = ff.certify(NAME, trials="push,friction,masses", out=made.folder, on="serial")
    assert again.repeats == made.repeats
    assert {path: path.stat().st_mtime_ns for path in made.folder.glob("*/parts/*")} == before


def test_all_trials_of_a_walk_in_space_can_be_asked():
    study = ff.studies.load("johnnie-walk-rigid", seconds=3.0)
    gait = gait_of(ff.studies.load(NAME), {})
    for trial in trials_of(replace(gait, study=study)):
        applied = trial.hardest().applied()
        assert applied.robot.coordinates == study.robot.coordinates


@pytest.mark.parametrize(
    ("name", "more", "kind", "said"),
    [
        ("stand-push", {}, UnsuitableError, "does not walk"),
        ("no-such", {}, UnknownNameError, "no-such"),
        (NAME, {"budget": "10 kg"}, FootfallError, "kg"),
        (NAME, {"budget": -1.0}, ParameterError, "budget"),
        (NAME, {"repeats": 0}, ParameterError, "repeats"),
        (NAME, {"trials": "wind"}, UnknownNameError, "wind"),
        ("compass", {"trials": "push"}, UnsuitableError, "asked nothing"),
        (3, {}, UnsuitableError, "got 3"),
    ],
)
def test_what_cannot_be_certified_is_refused(name, more, kind, said, tmp_path):
    with pytest.raises(kind, match=said):
        ff.certify(name, out=tmp_path / "c", on="serial", **more)


def test_the_command_line_certifies(made):
    done = CliRunner().invoke(
        app, ["certify", NAME, "--trials", "push,friction,masses", "--on", "serial", "--json", "--out", str(made.folder)]
    )
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["complete"]
    assert [each["name"] for each in said["trials"]] == ["push", "friction", "masses"]
