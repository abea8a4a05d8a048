"""Robots that nobody here wrote: they are read, and move as Pinocchio and MuJoCo say. Needs the packages of the extra `robots`."""

from importlib.util import find_spec

import pytest

import footfall as ff
import real_robots

FILES = {name: (path, folder) for name, path, folder in real_robots.paths()}
FEET = {  # robots whose feet are found, each with the first words of their names
    "TALOS": ("leg_left_6_link", "leg_right_6_link"),
    "TALOS, box feet": ("leg_left_6_link", "leg_right_6_link"),
    "Romeo": ("l_ankle", "r_ankle"),
    "Bolt": ("FL_FOOT", "FR_FOOT"),
    "Unitree G1": ("left_ankle_roll_link", "right_ankle_roll_link"),
    "Unitree G1 (playground)": ("left_ankle_roll_link", "right_ankle_roll_link"),
    "Unitree H1 (playground)": ("left_ankle_link", "right_ankle_link"),
    "humanoid (dm_control)": ("left_foot", "right_foot"),
    "walker2d (Gymnasium)": ("foot", "foot_left"),
}


@pytest.mark.skipif(find_spec("mujoco_menagerie") is None, reason="no packages with robots: pip install 'footfall[robots]'")
def test_some_are_there():
    assert len(FILES) > 10


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_and_moves_as_the_peer_says(name):
    row = real_robots.compared(name, *FILES[name])
    assert row.mass_matrix < real_robots.TOLERANCE
    assert row.bias < real_robots.TOLERANCE
    assert row.found.decided
    if name in FEET:
        assert tuple(foot.name for foot in row.found.robot.feet) == FEET[name]


@pytest.mark.parametrize("name", [name for name in FILES if name in real_robots.URDF])
def test_it_comes_back_as_it_was(name):
    """Written as URDF and read again."""
    path, folder = FILES[name]
    once = come_back(ff.import_robot(path, folder=folder.parent).robot)
    assert come_back(once) == once


def come_back(robot):
    from footfall.model.reading.read import import_text
    from footfall.model.urdf import urdf_text

    return import_text(urdf_text(robot, bodies=True).text, "robot.urdf").robot


STAND = (
    "TALOS",
    "TALOS, box feet",
    "iCub",
    "Unitree G1",
    "Unitree G1, hands",
    "Unitree G1 (playground)",
    "Unitree G1 (robosuite)",
    "OP3 (playground)",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STAND if name in FILES])
def test_it_stands_for_ten_seconds(name):
    """From its own pose in the file, with the library's controller and no number of the robot."""
    path, folder = FILES[name]
    moved, reason = real_robots.standing(real_robots.read(path, folder))
    assert reason == "reached the end"
    assert moved < 2e-3
