"""An estimator of mass and centre of mass by the forces under the feet, for a robot whose model is off.

The ground's forces have a moment about the centre of mass that changes the angular momentum L. About the centre of mass that a
model believes in, which is off by d, the moment besides is d x F:

    sum of (m_i + (p_i - c) x f_i)  =  L' + d x F,       F = sum of f_i

In walking, L is the same again after every stride, so that the mean of L' is zero. Averages over some time give d, level, and
the weight:

    d = (-mean M_y, mean M_x) / mean F_z,        mass = mean F_z / g

The offset is averaged in the axes of the link that floats. An algorithm puts both down to that link (`Algorithm.correct_mass`).
What is above the middle cannot be told by standing upright, and is left as believed.

It is a layer between an estimator of the pelvis and an algorithm: `Layered((LegOdometry(), MassCenter(), MyAlgorithm()))`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.control.believed import another_robot, believed_by
from footfall.control.controller import Controller
from footfall.control.fields import ControlError, array
from footfall.control.model import Model, model_of
from footfall.control.walking.legs import Estimate, driven_legs
from footfall.core.jit import kernel
from footfall.core.recursion.momentum import center_of_mass
from footfall.core.spatial.vectors import cross, get_rotation, get_vector, plus, rotate, rotate_back, scaled
from footfall.model.quantity import quantity
from footfall.model.robot import Robot

HEAVY, FAR = 3.0, 0.5  # 1, m: of the weight, forces and moments beyond which a reading is that of an impact


class Prepared(NamedTuple):
    """The believed robot, and a working array."""

    model: Model
    base: Any  # body that floats
    foot: Any  # (2,) int: bodies of the feet
    weight: Any  # N, as believed
    gravity: Any  # m/s2
    q: Any  # (nq,)


@dataclass(frozen=True)
class MassCenter(Controller):
    """By how much the centre of mass is beside that of the believed robot."""

    needs: ClassVar[str] = "a FootForce at both feet"
    window: float = quantity("s", "over which moments and forces are averaged, once so much time has gone by", 2.0, low=0.1)
    prior: float = quantity("s", "for which the model counts as if it had been observed before the start", 0.2, low=1e-3)
    least: float = quantity("1", "part of the weight on the feet below which nothing is learned", 0.3, low=0.05, high=1.0)
    most: float = quantity("m", "largest offset that is believed", 0.15, low=0.0, high=1.0)
    believed: Robot | None = another_robot()

    leads = "an algorithm"
    Goal: ClassVar[Any] = Estimate

    class State:
        moment: Any = array(2)  # N m: mean of -M_y and M_x, in the axes of the link that floats
        force: float = 0.0  # N: mean upright force
        seconds: float = 0.0  # s: for which it has averaged
        offset: Any = array(2)  # m
        mass: float = 0.0  # kg: more than believed

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        if not gravity > 0.0:
            raise ControlError(f"MassCenter weighs the robot: gravity must be above 0 m/s2, got {gravity:g}")
        robot = believed_by(self, robot)
        legs = driven_legs(robot)
        return Prepared(model_of(robot, gravity), legs.base, legs.foot, robot.mass * gravity, gravity, np.zeros(robot.nq))

    @kernel
    def law(obs, params, state, goal, command):
        """One tick: pass the estimate on, with the offset."""
        for k in range(6):
            command.pelvis[k] = goal.pelvis[k]
        for side in range(2):
            command.touch[side] = goal.touch[side]
            for k in range(3):
                command.foot_force[side, k] = goal.foot_force[side, k]
        command.estimated = goal.estimated
        learn(obs, params, state, goal)
        for k in range(2):
            command.com_offset[k] = state.offset[k]
        command.more_mass = state.mass
        return 0


@kernel
def learn(obs, params, state, goal):
    """Average moment and force, and divide."""
    tree, work = params.model.tree, params.model.work
    i = tree.first_q[params.base]
    for k in range(len(obs.q)):
        params.q[k] = obs.q[k]
    if goal.estimated > 0.0:
        for k in range(3):
            params.q[i + k] = goal.pelvis[k]
    _, c = center_of_mass(tree, work, params.q)
    F, M = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for side in range(2):
        R, W = get_rotation(work.R_WB, params.foot[side]), obs.wrench[side]
        f, m = rotate(R, (W[0], W[1], W[2])), rotate(R, (W[3], W[4], W[5]))
        arm = plus(get_vector(work.p_WB, params.foot[side]), scaled(c, -1.0))
        F, M = plus(F, f), plus(M, plus(m, cross(arm, f)))
    if F[2] < params.least * params.weight or F[2] > HEAVY * params.weight or np.hypot(M[0], M[1]) > FAR * params.weight:
        return  # in the air, or an impact
    beside = rotate_back(get_rotation(work.R_WB, params.base), (-M[1], M[0], 0.0))
    h = 1.0 / params.rate
    if state.seconds == 0.0:
        state.force = params.weight
    state.seconds += h
    k = h / min(params.prior + state.seconds, max(params.prior, params.window))
    state.force += k * (F[2] - state.force)
    state.mass = (state.force - params.weight) / params.gravity
    for j in range(2):
        state.moment[j] += k * (beside[j] - state.moment[j])
        state.offset[j] = min(max(state.moment[j] / max(state.force, params.least * params.weight), -params.most), params.most)
