"""Robots from files stand and walk by the library's controllers, without numbers of their own."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall as ff
from footfall import kinematics
from footfall.cli import app
from footfall.control import ComputedTorqueWalk
from footfall.control.fields import ControlError
from footfall.control.similar import Scale
from footfall.errors import FootfallError, MissingPartError, ParameterError
from footfall.kinematics.two_legs import sole_of, walker
from footfall.model.reading.read import import_text
from footfall.model.urdf import urdf_text
from footfall.reproduce import imported
from footfall.studies.walk import fitted
from humanoids import ORDERS, humanoid

BEGIN = 1.0  # s: about how long it stands before the first step


def read(**shape):
    return import_text(humanoid(**shape), "humanoid.urdf").robot


def ran(name, robot, seconds, **given):
    return ff.simulate(ff.studies.load(name, robot=robot, **given), seconds=seconds)


# --- standing and walking -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_legs_of_any_order_walk(order):
    run = ran("walk", read(order=order), 6.0)
    walk = run.study.controller
    speed = walk.length / (walk.single_support + walk.double_support)
    assert run.outcome is ff.Outcome.END
    assert run.q[-1, 0] - run.q[0, 0] == pytest.approx(speed * (6.0 - BEGIN), rel=0.1)
    assert abs(run.q[:, 1]).max() < 0.12  # m: between its feet


@pytest.mark.parametrize("order", ["pitch roll yaw, offset"])
@pytest.mark.parametrize("control", ["workspace", "balance"])
def test_it_stands_and_is_pushed(order, control):
    for toward in (0.0, 2.0, -2.5):
        run = ran("stand", read(order=order), 8.0, push=0.15, toward=toward, control=control)
        moved = np.linalg.norm(run.q[:, :2] - run.q[0, :2], axis=1)
        assert run.outcome is ff.Outcome.END
        assert moved[run.time < 5.0].max() < 2e-3
        assert 0.005 < moved.max() < 0.1
        assert moved[-1] < 0.02


def test_a_robot_that_faces_backward_in_its_file_walks_as_the_other_does():
    """The same robot turned about the vertical: its walk is the same."""
    one, other = (ran("walk", read(order="roll yaw pitch, offset", back=back), 3.0) for back in (False, True))
    assert other.robot.feet[0].name == one.robot.feet[0].name == "left_5"
    assert walker(other.robot).axes == pytest.approx(np.diag((-1.0, -1.0, 1.0)))
    assert np.abs(one.q[:, :3] - other.q[:, :3]).max() < 1e-6


def test_legs_may_hang_on_a_waist():
    robot = read(waist=True)
    assert walker(robot).legs.trunk.tolist() == [robot.velocities.index("waist")]
    run = ran("walk", robot, 5.0)
    assert run.outcome is ff.Outcome.END
    assert run.q[-1, 0] > 0.6
    assert np.abs(run.q[:, robot.coordinates.index("waist")]).max() < 0.1
    with pytest.raises(ControlError, match="share the joint 'waist'"):
        ran("stand", robot, 0.1, control="workspace")
    assert ran("stand", robot, 2.0).outcome is ff.Outcome.END


def test_it_turns_and_walks_backward():
    run = ran("walk", read(), 6.0, turn=0.2, speed=-0.15)
    yaw = 2.0 * np.arctan2(run.q[-1, 6], run.q[-1, 3])
    assert run.outcome is ff.Outcome.END
    assert yaw == pytest.approx(0.2 * (6.0 - BEGIN), abs=0.15)


@pytest.mark.parametrize(
    "given", [{"masses": 1.05}, {"spread": 0.05, "drawn": 3}, {"friction": 0.4}, {"push": 0.15, "toward": 1.5}]
)
def test_it_walks_though_things_are_not_as_believed(given):
    assert ran("walk", read(order="pitch roll yaw, offset"), 8.0, **given).outcome is ff.Outcome.END


def test_johnnie_from_a_file_walks_as_johnnie_does():
    johnnie = ff.robots.load("johnnie")
    read_back = import_text(urdf_text(johnnie).text, "johnnie.urdf").robot
    one, other = (ran("walk", robot, 3.0) for robot in (johnnie, read_back))
    assert np.abs(one.q - other.q).max() < 1e-6


def test_the_command_line_takes_a_file(tmp_path):
    (tmp_path / "humanoid.urdf").write_text(humanoid())
    said = CliRunner().invoke(app, ["run", "walk", "--robot", str(tmp_path / "humanoid.urdf"), "--seconds", "0.2", "--json"])
    assert said.exit_code == 0
    assert json.loads(said.stdout)


# --- where it begins ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_it_begins_on_flat_feet_with_its_mass_above_them(order):
    robot = read(order=order)
    walk = fitted(robot)
    q = np.array(walk.start(robot))
    com, place = ff.dynamics.center_of_mass(robot, q), []
    for foot in robot.feet:
        pose = kinematics.pose(robot, q, foot.pads[0].link)
        corners = pose.position + sole_of(robot, foot.name) @ pose.rotation.T
        assert np.abs(corners[:, 2]).max() < 1e-8
        place.append(corners.mean(axis=0))
    assert com[:2] == pytest.approx(np.mean(place, axis=0)[:2], abs=2e-3)
    assert (q == kinematics.within_stops(robot, q)).all()
    knees = [kinematics.pose(robot, q, f"{side}_3").position[0] for side in ("left", "right")]
    hips = [kinematics.pose(robot, q, f"{side}_2").position[0] for side in ("left", "right")]
    assert min(knees) > max(hips)  # knees bend forward


def test_lengths_are_those_of_the_tree():
    """Hips, ankles and the longest leg, worked out from the numbers of the file by hand."""
    shape = walker(read(order="yaw roll pitch"))
    assert shape.hips == pytest.approx(np.array([(0.0, 0.09, -0.1), (0.0, -0.09, -0.1)]))
    assert shape.longest == pytest.approx(0.38 + 0.36)
    assert shape.length == pytest.approx(0.38 + 0.36 + 0.07)
    assert (shape.rise, *shape.straight) == pytest.approx((0.1, 0.0, 0.0))
    shape = walker(read(order="pitch roll yaw, offset"))
    assert shape.ankles[0] == pytest.approx((0.01, 0.094, -0.79))  # between the axes of roll and pitch, which is 20 mm below
    assert shape.hips[0] == pytest.approx((0.01, 0.09, -0.095))  # between the axes of pitch, roll and yaw
    assert shape.longest == pytest.approx(np.hypot(0.355, 0.01) + np.hypot(0.34, 0.01), rel=1e-3)


def test_units_say_how_parameters_scale():
    scale = Scale(length=0.25, time=0.5, mass=2.0)
    for unit, factor in (("m", 0.25), ("s", 0.5), ("1/s2", 4.0), ("m/s", 0.5), ("N m", 0.5), ("N m s/rad", 0.25), ("1", 1.0)):
        assert scale.of(unit) == pytest.approx(factor)
    assert scale.of("m/(N s)") == pytest.approx(0.25 / (2.0 * 0.25 / 0.25 * 0.5))


def test_a_smaller_robot_walks_as_similarity_says():
    """A quarter of JOHNNIE's height, a sixteenth of its mass: half the time for the same posture."""
    large, small = ff.robots.load("johnnie"), ff.robots.load("johnnie", height=0.45, mass=2.5, hip_spacing=0.05)
    one, other = ran("walk", large, 6.0), ran("walk", small, 3.0)
    assert one.outcome is other.outcome is ff.Outcome.END
    assert other.q[-1, 0] == pytest.approx(0.25 * one.q[-1, 0], rel=0.03)


# --- refused --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (humanoid(joints=3), r"that of 'left_2' has 3 \(left_joint_0, left_joint_1, left_joint_2\)"),
        (humanoid(sole=(0.2, 0.0004, 0.02)), r"needs feet with flat soles; that of foot 'left_5' .* over 0.2 m by 0.0004 m"),
        (humanoid().replace("<collision>", "<!--").replace("</collision>", "-->"), "two feet, it has a free base and 0 feet"),
    ],
)
def test_robots_that_cannot_walk_are_refused_with_a_reason(text, words):
    robot = import_text(text, "humanoid.urdf").robot
    with pytest.raises(FootfallError, match=words):
        ran("walk", robot, 0.1)


def test_what_legs_cannot_do():
    robot = read(order="pitch roll yaw, offset")
    walk = fitted(robot)
    with pytest.raises(ParameterError, match="cannot stand with its hips .* and its feet 0.9 m apart: 'left_5' is"):
        replace(walk, width=0.9).start(robot)
    with pytest.raises(ControlError, match="height must be below .* is straight"):
        ff.simulate(robot, replace(walk, height=0.9), q=walk.start(robot), seconds=0.1)
    with pytest.raises(ParameterError, match="speed must be at most"):
        fitted(robot, speed=2.0)
    stiff = import_text(humanoid().replace('lower="-1.6" upper="1.6"', 'lower="-0.35" upper="0.35"'), "humanoid.urdf").robot
    assert fitted(stiff).height > fitted(read()).height  # ankles do not bend so far: it stands higher


# --- the subject ----------------------------------------------------------------------------------------------------------


def test_without_packages_it_says_how_to_get_them(monkeypatch, tmp_path):
    def nowhere(name):
        raise imported.PackageNotFoundError(name)

    monkeypatch.setattr(imported, "distribution", nowhere)
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path))
    with pytest.raises(MissingPartError, match=r"pip install 'footfall\[robots\]'"):
        imported.files()


def test_refused_robots_are_told_with_the_reason(tmp_path):
    (tmp_path / "r.urdf").write_text(humanoid(joints=3))
    done = imported.judged((imported.File("r", tmp_path / "r.urdf", tmp_path), "contact", "either"))
    assert "six degrees of freedom" in done.refused


def test_a_walk_keeps_its_own_numbers():
    walk = ComputedTorqueWalk(steps=7).fitted(read(), height=0.7, rate=500.0)
    assert (walk.steps, walk.height, walk.rate, walk.servos) == (7, 0.7, 500.0, True)
