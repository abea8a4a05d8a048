"""Every ready controller on every ready robot, also on such that lost their feet or motors: it runs, or says why it cannot."""

from dataclasses import replace

import pytest

import footfall as ff
from footfall.control import Follow, Hold, Layered, RangerGait, Simbicon, SimpleBiped, Workspace
from footfall.control.controller import ControlError
from footfall.model.parts import Point
from footfall.sim.study_json import parse_study, study_text

CONTROLLERS = {
    "Hold": Hold(),
    "Follow": Follow(),
    "Simbicon": Simbicon(),
    "SimpleBiped": SimpleBiped(),
    "RangerGait": RangerGait(),
    "Workspace, paper": Workspace(method="paper"),
    "Workspace, exact": Workspace(method="exact"),
    "Workspace, optimal": Workspace(method="optimal"),
}
AT_HOME = {"Simbicon": "simbicon", "SimpleBiped": "simple-biped", "RangerGait": "ranger"}


def spot(pad):
    """A point in place of a sole."""
    return Point(pad.link, (0.0,) * len(getattr(pad, "at", (0.0, 0.0))))


LOST = {
    "nothing": lambda robot: robot,
    "feet": lambda robot: replace(robot, feet=()),
    "all feet but one": lambda robot: replace(robot, feet=robot.feet[:1]),
    "order": lambda robot: replace(robot, feet=robot.feet[::-1]),
    "their soles": lambda robot: replace(robot, feet=tuple(replace(foot, pads=(spot(foot.pads[0]),)) for foot in robot.feet)),
    "simple soles": lambda robot: replace(robot, feet=tuple(replace(foot, pads=foot.pads * 2) for foot in robot.feet)),
    "names": lambda robot: replace(robot, feet=tuple(replace(foot, name=f"{foot.name}_2") for foot in robot.feet)),
    "motors": lambda robot: replace(robot, joints=tuple(replace(joint, motor=None) for joint in robot.joints)),
    "half of the motors": lambda robot: replace(
        robot, joints=tuple(replace(joint, motor=joint.motor if i % 2 else None) for i, joint in enumerate(robot.joints))
    ),
}


def run_or_reason(robot, controller):
    """How a short run ended, or what the controller has against it."""
    try:
        return ff.simulate(robot, controller, seconds=0.003, lift=True).reason
    except ControlError as error:
        return str(error)


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("name", ff.robots.names())
def test_it_runs_or_says_why_not(name, lost):
    robot = LOST[lost](ff.robots.load(name))
    for title, controller in CONTROLLERS.items():
        said = run_or_reason(robot, controller)
        assert said.startswith(("reached the end", "fell")) or type(controller).__name__ in said, title
        if lost == "nothing" and (title == "Hold" or AT_HOME.get(title) == name):
            assert said == "reached the end", title


@pytest.mark.parametrize("name", ff.robots.names())
@pytest.mark.parametrize("title", CONTROLLERS)
def test_what_commands_motors_cannot_lead(name, title):
    controller = CONTROLLERS[title]
    for above in (Hold(), Follow()):
        with pytest.raises(ControlError, match=f"Hold|Follow|{type(controller).__name__}"):
            ff.simulate(ff.robots.load(name), Layered((above, controller)), seconds=0.003, lift=True)


def test_layers_that_do_not_fit_are_refused_in_files_too():
    """Such a study crashed the process that replayed it."""
    study = replace(ff.studies.load("stand-push"), controller=Layered((Hold(), Follow())))
    again = parse_study(study_text(study), "text")
    assert again == study
    with pytest.raises(ControlError, match="Hold: its law .* cannot be asked .Follow below it follows angle"):
        ff.simulate(again)
