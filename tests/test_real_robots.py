"""Robots that nobody here wrote: they are read, and move as Pinocchio and MuJoCo say.

Those of example-robot-data and Gymnasium come with the extra `dev`, some more with `robots`. The rest are tried where their packages are.
"""

from importlib.metadata import PackageNotFoundError, distribution

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


def file(name):
    """Path and folder of a robot, or a skipped test."""
    if name not in FILES:
        pytest.skip(f"{name} is not here: pip install {real_robots.package(name)}")
    return FILES[name]


def test_those_of_the_packages_are_there():
    """A file that moved would otherwise be a skipped test for ever."""
    try:
        distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip("pip install 'footfall[robots]'")
    assert not [name for name in real_robots.URDF if name not in FILES]


@pytest.mark.parametrize("name", [*real_robots.URDF, *real_robots.MJCF, *(name for name, _ in real_robots.menagerie())])
def test_it_is_read_and_moves_as_the_peer_says(name):
    row = real_robots.compared(name, *file(name))
    assert row.mass_matrix < real_robots.TOLERANCE
    assert row.bias < real_robots.TOLERANCE
    assert row.found.decided
    if name in FEET:
        assert tuple(foot.name for foot in row.found.robot.feet) == FEET[name]


@pytest.mark.parametrize("name", real_robots.URDF)
def test_it_comes_back_as_it_was(name):
    """Written as URDF and read again."""
    path, folder = file(name)
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
@pytest.mark.parametrize("name", STAND)
def test_it_stands_for_ten_seconds(name):
    """From its own pose in the file, with the library's controller and no number of the robot."""
    path, folder = file(name)
    moved, reason = real_robots.standing(real_robots.read(path, folder))
    assert reason == "reached the end"
    assert moved < 2e-3
