"""Robots as text: what is written is read back, number for number."""

import numpy as np
import pytest

import footfall as ff
from trees import random_robot


@pytest.mark.parametrize("name", ff.robots.names())
def test_ready_robots_round_trip(name, tmp_path):
    robot = ff.robots.load(name)
    ff.write_robot(robot, tmp_path / "robot.toml")
    again = ff.read_robot(tmp_path / "robot.toml")
    assert again == robot
    assert again.describe() == robot.describe()
    assert all(np.array_equal(a, b) for a, b in zip(robot.tree, again.tree, strict=True))


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_random_robots_round_trip(space, tmp_path):
    for seed in range(30):
        robot = random_robot(seed, space)
        ff.write_robot(robot, tmp_path / "robot.toml")
        assert ff.read_robot(tmp_path / "robot.toml") == robot


def test_odd_names_and_words_survive(tmp_path):
    link, joint = ff.Link('ünï"\\[]=#', 1.0, (0, -1)), ff.Joint("j'1", "revolute", "world", 'ünï"\\[]=#')
    robot = ff.Robot("r", "planar", (link,), (joint,), origin='line\nbreak, "quote", tab\t, and ünï')
    ff.write_robot(robot, tmp_path / "robot.toml")
    assert ff.read_robot(tmp_path / "robot.toml") == robot
