"""The robot model of a law: the robot as declared, without loads of the world."""

from typing import NamedTuple

from footfall.core.tree import Tree, Work, work_arrays
from footfall.evaluate import Evaluation
from footfall.model.robot import Robot


class Model(NamedTuple):
    """For kernels that a law may call, such as `rnea(params.model.tree, params.model.work, ...)`; gravity is in `work`."""

    tree: Tree
    work: Work


def model_of(robot: Robot, gravity: float) -> Model:
    """A model for `prepare` to hand to the law."""
    work = work_arrays(robot.tree, Evaluation(robot).algebra)
    work.A_WB[0, robot.dim - 1] = work.a_bias[0, robot.dim - 1] = gravity
    return Model(robot.tree, work)
