"""Many runs of one study in one call: each is that of `simulate`, bit for bit; what cannot be run so is run alone."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.core.jit import SETTINGS
from footfall.sensors import Encoders
from footfall.sim import again
from footfall.sim.again import AgainAndAgain, Built, can_be_again
from footfall.sweeps.ordeals import Pushed
from footfall.world import Change, Load, Push, Rigid

FORCES = (0.0, 30.0, -400.0, 2500.0, -2500.0, 30.0)
pytestmark = pytest.mark.skipif(bool(SETTINGS.DISABLE_JIT), reason="without a compiler every run is alone")


def pushed(name, **more):
    """Studies that differ in a push; some fall."""
    study = ff.studies.load(name, seconds=2.0, **more)
    link = next(joint.child for joint in study.robot.joints if joint.parent == "world")
    rest = (0.0,) * (study.robot.dim - 1)
    return [
        replace(study, world=replace(study.world, pushes=(Push(link, (force, *rest), 0.5, 0.7 + 1e-4 * i),)))
        for i, force in enumerate(FORCES)
    ]


def as_simulate(study):
    """The run, and what broke it off."""
    try:
        return ff.simulate(study), ""
    except ff.FootfallError as failure:
        return failure.run, str(failure)


@pytest.mark.parametrize("name", ["simbicon-walk", "ranger-walk", "stand-push", "wendlandt-stand-3d", "johnnie-walk-rigid"])
def test_runs_are_those_of_simulate_bit_for_bit(name):
    studies = pushed(name)
    assert can_be_again(studies[0])
    built = Built()
    found = list(built.runs(studies))
    assert built._last is not None
    for (run, error), study in zip(found, studies, strict=True):
        alone, said = as_simulate(study)
        assert error == said
        assert run.study == alone.study
        if said:  # with events that are not numbers, which equal nothing
            assert [series.tobytes() for series in run.series.values()] == [each.tobytes() for each in alone.series.values()]
            continue
        assert run == alone
        assert run.events == alone.events
        for series, other in zip(run.series.values(), alone.series.values(), strict=True):
            assert series.flags.aligned
            assert series.dtype == other.dtype
    assert len({run.outcome for run, _ in found}) > 1 or name == "stand-push"


def test_order_and_company_do_not_matter():
    studies = pushed("simbicon-walk")
    built = Built()
    first = [run for run, _ in built.runs(studies)]
    turned = [run for run, _ in built.runs(studies[::-1])][::-1]
    assert all(a == b for a, b in zip(first, turned, strict=True))


def test_other_studies_between_are_run_too():
    many = pushed("stand-push")
    other = replace(many[0], world=replace(many[0].world, contact=Rigid(0.3)))
    mixed = [many[1], many[2], other, many[3], replace(many[4], seconds=0.5)]
    assert [run for run, _ in Built().runs(mixed)] == [ff.simulate(study) for study in mixed]


@pytest.mark.parametrize(
    "changed",
    [
        lambda study: replace(study, sensors=(Encoders(),)),
        lambda study: replace(study, record=("sensors",), sensors=(Encoders(delay=0.001),)),
        lambda study: replace(study, engine="maximal"),
        lambda study: replace(study, world=replace(study.world, changes=(Change(0.5, contact=Rigid(0.2)),))),
        lambda study: replace(study, world=replace(study.world, loads=(Load("torso", 3.0, 0.5, 1.0),))),
    ],
)
def test_what_only_simulate_can_do_is_left_to_it(changed):
    studies = [changed(study) for study in pushed("stand-push")[:3]]
    assert not can_be_again(studies[0])
    assert [run for run, _ in Built().runs(studies)] == [ff.simulate(study) for study in studies]


def test_a_study_that_differs_in_more_than_pushes_does_not_fit():
    one, two, *_ = pushed("stand-push")
    built = AgainAndAgain(one)
    assert built.fits(two)
    assert not built.fits(replace(two, seconds=1.0))
    assert not built.fits(replace(two, seed=4))
    assert not built.fits(ff.with_parameters(two, {"world.friction": 0.31}))
    assert not built.fits(ff.with_parameters(two, {"world.gravity": 3.0}))
    assert not built.fits(replace(two, world=replace(two.world, pushes=(replace(two.world.pushes[0], at=(0.0, 0.1)),))))
    assert not built.fits(replace(two, world=replace(two.world, pushes=())))


def test_a_run_that_breaks_down_tells_what_simulate_tells():
    studies = [ff.with_parameters(each, {"controller.stiffness": 1e9}) for each in pushed("simbicon-walk")[:3]]
    studies = [replace(each, controller=studies[0].controller) for each in studies]
    for (run, error), study in zip(Built().runs(studies), studies, strict=True):
        assert (run, error) == as_simulate(study)


def test_more_events_than_there_is_room_for_lose_none(monkeypatch):
    monkeypatch.setattr(again, "EVENTS", 5)
    studies = pushed("simbicon-walk")[:3]
    assert [run for run, _ in Built().runs(studies)] == [ff.simulate(study) for study in studies]


def test_a_run_with_late_names_can_be_sent_copied_and_saved(tmp_path):
    studies = pushed("simbicon-walk")[:2]
    for change in (lambda run: pickle.loads(pickle.dumps(run)), lambda run: replace(run, wall=0.0)):
        (run, _), _ = Built().runs(studies)
        assert "events" not in vars(run)
        assert change(run) == ff.simulate(studies[0])
    (run, _), _ = Built().runs(studies)
    run.save(tmp_path / "run.parquet")
    assert ff.Run.load(tmp_path / "run.parquet") == run
    with pytest.raises(AttributeError, match="no_such"):
        run.no_such  # noqa: B018


def test_a_sweep_over_pushes_has_the_rows_of_simulate():
    study = replace(ff.studies.load("simbicon-walk", seconds=1.0))
    study = replace(study, world=replace(study.world, pushes=(Push("torso", (1.0, 0.0), 0.2, 0.4),)))
    forces = [(float(force), 0.0) for force in np.linspace(-900.0, 900.0, 20)]
    found = ff.sweep(study, {"world.pushes.0.force": forces}, measure="survived,speed,cost_of_transport", on="threads")
    for row, force in enumerate(found["world.pushes.0.force.0"]):
        run = ff.simulate(ff.with_parameters(study, {"world.pushes.0.force": (float(force), 0.0)}))
        assert found["survived"][row] == (not run.fell)
        assert found["speed"][row] == ff.sweeps.READY["speed"].of(run)
        assert found["cost_of_transport"][row] == ff.analysis.cost_of_transport(run).total
    assert found["wall"].min() > 0.0


def test_a_push_that_makes_no_sense_is_a_row_that_is_refused():
    study = ff.studies.load("simbicon-walk", seconds=1.0)
    study = replace(study, world=replace(study.world, pushes=(Push("torso", (1.0, 0.0), 0.2, 0.4),)))
    found = ff.sweep(study, {"world.pushes.0.start": [0.1, 0.3, 0.6]}, measure="survived", on="serial")
    assert found["outcome"].tolist() == ["end", "end", "refused"]
    assert "0.6" in found.errors()[0][1]


def test_ordeals_of_pushes_are_run_together():
    study = ff.studies.load("simple-biped-walk", seconds=2.0)
    studies = [Pushed(study, start=0.5, phase=phase, change=0.2).applied() for phase in (0.1, 0.2, 0.4)]
    built = Built()
    runs = [run for run, _ in built.runs(studies)]
    assert built._last is not None
    assert runs == [ff.simulate(each) for each in studies]
