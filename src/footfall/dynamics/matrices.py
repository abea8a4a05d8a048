"""The equations of motion as matrices: in state-space form, and in configuration-space form.

    M(q) a + V(q, v) + G(q) = tau                                   state space
    M(q) a + B(q) [v_i v_j, i < j] + C(q) [v_i^2] + G(q) = tau      configuration space

M holds the rotors. V is a quadratic form of the velocities, so B and C follow from V at unit velocities and at sums of two of
them, without any difference quotient: C_i = V(e_i), B_ij = V(e_i + e_j) - V(e_i) - V(e_j).

The velocities of spherical and free joints are quasi-velocities: no coordinate has them as its rate. V is the same quadratic form
of them; a product such as wx wy is that of two components of the angular velocity in the child's axes, and its coefficients hold
the gyroscopic terms.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.dynamics.inertia import mass_matrix
from footfall.dynamics.motion import gravity_forces, inverse
from footfall.model import state
from footfall.model.robot import Robot


class StateSpace(NamedTuple):
    """M, V and G of M a + V + G = tau."""

    M: np.ndarray  # (nv, nv)
    V: np.ndarray  # (nv,) centrifugal and Coriolis forces
    G: np.ndarray  # (nv,) forces that hold the weight

    def forces(self, a: Any) -> np.ndarray:
        """Joint forces (and forces on the base) for the accelerations a."""
        return self.M @ np.asarray(a, dtype=float) + self.V + self.G


class ConfigurationSpace(NamedTuple):
    """M, B, C and G of M a + B [v_i v_j] + C [v_i^2] + G = tau: all depend on the configuration only."""

    M: np.ndarray  # (nv, nv)
    B: np.ndarray  # (nv, nv (nv - 1) / 2) Coriolis coefficients; column k belongs to the product of velocities pairs[k]
    C: np.ndarray  # (nv, nv) centrifugal coefficients
    G: np.ndarray  # (nv,)
    pairs: np.ndarray  # (nv (nv - 1) / 2, 2) int: (0, 1), (0, 2), ..., as in the paper

    def velocity_forces(self, v: Any) -> np.ndarray:
        """V at the velocities v."""
        v = np.asarray(v, dtype=float)
        return self.B @ (v[self.pairs[:, 0]] * v[self.pairs[:, 1]]) + self.C @ v**2

    def forces(self, v: Any, a: Any) -> np.ndarray:
        """Joint forces (and forces on the base) at velocities v for the accelerations a."""
        return self.M @ np.asarray(a, dtype=float) + self.velocity_forces(v) + self.G


def state_space(robot: Robot, q: Any, v: Any, *, gravity: Any = None) -> StateSpace:
    """The state-space equation at a state."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    V = inverse(robot, q, v, np.zeros(robot.nv), gravity=0.0)
    return StateSpace(mass_matrix(robot, q), V, gravity_forces(robot, q, gravity=gravity))


def configuration_space(robot: Robot, q: Any, *, gravity: Any = None) -> ConfigurationSpace:
    """The configuration-space equation at a configuration: valid for all velocities there."""
    q, n = state.coordinates(robot, q), robot.nv
    pairs = np.array(np.triu_indices(n, 1), dtype=np.int64).T.reshape(-1, 2)
    unit = np.eye(n)
    v = np.concatenate((unit, unit[pairs[:, 0]] + unit[pairs[:, 1]]))
    V = inverse(robot, np.tile(q, (len(v), 1)), v, np.zeros_like(v), gravity=0.0)
    C, both = V[:n].T, V[n:].T
    B = both - C[:, pairs[:, 0]] - C[:, pairs[:, 1]]
    return ConfigurationSpace(mass_matrix(robot, q), B, C.copy(), gravity_forces(robot, q, gravity=gravity), pairs)
