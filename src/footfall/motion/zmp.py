"""The zero-moment point (ZMP) of a planned motion: of the whole robot, and of an inverted pendulum.

For the whole robot it follows from the rates of momentum p and of angular momentum L about the centre of mass c, in which all
masses and inertias have their part (Johnnie 4.16, 4.17, with accelerations for the printed velocities and the sign of the last
term of 4.17 changed):

    x = c_x + ((z - c_z) p_x' - L_y') / (p_z' + m g),    y = c_y + ((z - c_z) p_y' + L_x') / (p_z' + m g)
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.momentum import center_of_mass, momentum, momentum_rate
from footfall.core.spatial.algebra import put_motion, put_vector
from footfall.errors import StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot


class Balance(NamedTuple):
    """Centre of mass, momentum and its rate, a row for each state; momenta are about the centre of mass, linear part first."""

    center: np.ndarray  # (n, dim) m
    momentum: np.ndarray  # (n, 3 or 6) kg m/s, kg m2/s
    rate: np.ndarray  # (n, 3 or 6) N, N m
    mass: float

    def zmp(self, height: Any, gravity: float) -> np.ndarray:
        """(n, 1) x in the plane or (n, 2) x and y in space, at a height; NaN where the robot would not press on the ground."""
        up = self.center.shape[1] - 1
        lift = self.rate[:, up] + self.mass * gravity
        tip = self.rate[:, [2]] if up == 1 else self.rate[:, [4, 3]] * (1.0, -1.0)
        arm = np.asarray(height, dtype=float) - self.center[:, up]
        with np.errstate(divide="ignore", invalid="ignore"):
            place = self.center[:, :up] + (arm[:, None] * self.rate[:, :up] - tip) / lift[:, None]
        place[~(lift > 0.0)] = np.nan
        return place


@kernel
def balance_rows(tree: Any, work: Any, q: Any, v: Any, a: Any, out: Any) -> None:
    """Centre of mass, momentum and its rate: the three arrays of `out`."""
    centers, momenta, rates = out
    for i in range(len(q)):
        put_motion(momenta, i, momentum(tree, work, q[i], v[i]))
        put_motion(rates, i, momentum_rate(tree, work, q[i], v[i], a[i]))
        _, c = center_of_mass(tree, work, q[i])
        put_vector(centers, i, c)


def balance(robot: Robot, q: Any, v: Any, a: Any) -> Balance:
    """Centre of mass, momentum and its rate of many states, in one call."""
    q = np.atleast_2d(state.coordinates(robot, q, many=True))
    v, a = (np.atleast_2d(state.velocities(robot, x, name, many=True)) for x, name in ((v, "v"), (a, "a")))
    if not len(q) == len(v) == len(a):
        raise StateError(f"q, v and a must have the same number of rows, got {len(q)}, {len(v)} and {len(a)}")
    ev = Evaluation(robot)
    out = (ev.zeros(len(q), robot.dim), ev.zeros(len(q), ev.algebra.MOTION), ev.zeros(len(q), ev.algebra.MOTION))
    ev.run(balance_rows, q, v, a, out)
    return Balance(*out, float(robot.tree.rigid[1:, 0].sum()))


def zmp(robot: Robot, q: Any, v: Any, a: Any, *, height: Any = 0.0, gravity: float | None = None) -> np.ndarray:
    """ZMP of states (n, nq), (n, nv), (n, nv) on the level plane at a height: (n, 2) in space, (n, 1) in the plane.

    All inertia counts. Rotors do not: the model knows only the inertia that they add to their joints.
    """
    g = robot.gravity if gravity is None else float(gravity)
    return balance(robot, q, v, a).zmp(height, g)


def pendulum_zmp(position: Any, acceleration: Any, height: float, gravity: float = 9.81) -> np.ndarray:
    """ZMP of an inverted pendulum, c - (z/g) c'' (Johnnie 5.11, 5.12)."""
    return np.asarray(position, dtype=float) - height / gravity * np.asarray(acceleration, dtype=float)


def pendulum_acceleration(position: Any, place: Any, height: float, gravity: float = 9.81) -> np.ndarray:
    """Acceleration of an inverted pendulum above a ZMP, (g/z) (c - p) (Johnnie 5.9, 5.10)."""
    return gravity / height * (np.asarray(position, dtype=float) - np.asarray(place, dtype=float))
