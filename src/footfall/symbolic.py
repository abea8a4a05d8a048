"""The dynamics as CasADi functions, traced from the same kernels that are compiled: exact derivatives of the code that simulates.

Every function takes a robot and returns a `casadi.Function` with named inputs and outputs: q, v, tau, a as everywhere. They are
for trajectory optimisation, linearisation and estimation. Needs the `optimize` extra.
"""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.core.recursion import crba as crba_kernels
from footfall.core.recursion import kinematics as kinematic_kernels
from footfall.core.recursion import momentum as momentum_kernels
from footfall.core.recursion.aba import aba
from footfall.core.recursion.rnea import rnea
from footfall.errors import MissingPartError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot

if TYPE_CHECKING:
    import casadi

SIZES: dict[str, Callable[[Robot], int]] = {
    "q": lambda robot: robot.nq,
    "v": lambda robot: robot.nv,
    "a": lambda robot: robot.nv,
    "tau": lambda robot: robot.nv,
}


def forward(robot: Robot, *, gravity: Any = None) -> "casadi.Function":
    """(q, v, tau) -> a. For second derivatives prefer `inverse`: this one's Jacobian is large."""
    return _weighted(robot, "forward", aba, ("q", "v", "tau"), "a", gravity)


def inverse(robot: Robot, *, gravity: Any = None) -> "casadi.Function":
    """(q, v, a) -> tau."""
    return _weighted(robot, "inverse", rnea, ("q", "v", "a"), "tau", gravity)


def mass_matrix(robot: Robot) -> "casadi.Function":
    """q -> M."""

    def trace(ev: Evaluation, q: np.ndarray) -> Any:
        M = ev.zeros(robot.nv, robot.nv)
        ev.run(crba_kernels.crba, q, M)
        return M

    return _traced(robot, "mass_matrix", ("q",), {"M": trace})


def pose(robot: Robot, target: str) -> "casadi.Function":
    """q -> position, rotation of a link or frame."""
    where = robot.target(target)

    def placed(ev: Evaluation, q: np.ndarray) -> None:
        ev.run(kinematic_kernels.set_places, q)

    def position(ev: Evaluation, q: np.ndarray) -> Any:
        placed(ev, q)
        return np.array(ev.work.p_WB[where.body] + np.array(ev.arm(where), dtype=object))

    def rotation(ev: Evaluation, q: np.ndarray) -> Any:
        placed(ev, q)
        turn = ev.axes(where)
        entries = turn if robot.space == "spatial" else (turn[0], turn[1], -turn[1], turn[0])
        return np.array(entries, dtype=object).reshape(robot.dim, robot.dim)

    return _traced(robot, "pose", ("q",), {"position": position, "rotation": rotation})


def velocity(robot: Robot, target: str) -> "casadi.Function":
    """(q, v) -> motion of a link or frame: linear, then angular, in world axes."""
    where = robot.target(target)

    def motion(ev: Evaluation, q: np.ndarray, v: np.ndarray) -> Any:
        ev.run(kinematic_kernels.set_speeds, q, v)
        return np.array(ev.small("shift_motion", ev.work.V_WB[where.body], ev.arm(where)), dtype=object)

    return _traced(robot, "velocity", ("q", "v"), {"motion": motion})


def acceleration(robot: Robot, target: str) -> "casadi.Function":
    """(q, v, a) -> acceleration of a link or frame: linear, then angular, in world axes."""
    where = robot.target(target)

    def motion(ev: Evaluation, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Any:
        ev.run(kinematic_kernels.set_accels, q, v, a)
        accel = kinematic_kernels.point_accel.plain(robot.space)(ev.work, where.body, ev.arm(where))
        return np.array(accel, dtype=object)

    return _traced(robot, "acceleration", ("q", "v", "a"), {"motion": motion})


def center_of_mass(robot: Robot) -> "casadi.Function":
    """q -> place of the centre of mass."""

    def place(ev: Evaluation, q: np.ndarray) -> Any:
        return np.array(ev.run(momentum_kernels.center_of_mass, q)[1], dtype=object)

    return _traced(robot, "center_of_mass", ("q",), {"position": place})


def momentum(robot: Robot) -> "casadi.Function":
    """(q, v) -> linear momentum, then angular about the centre of mass."""

    def both(ev: Evaluation, q: np.ndarray, v: np.ndarray) -> Any:
        return np.array(ev.run(momentum_kernels.momentum, q, v), dtype=object)

    return _traced(robot, "momentum", ("q", "v"), {"momentum": both})


def energy(robot: Robot, *, gravity: Any = None) -> "casadi.Function":
    """(q, v) -> kinetic, potential."""
    fall = state.gravity(robot, gravity)[None]

    def part(index: int) -> Callable:
        return lambda ev, q, v: np.array([ev.run(momentum_kernels.energies, q, v, fall)[index]], dtype=object)

    return _traced(robot, "energy", ("q", "v"), {"kinetic": part(0), "potential": part(1)})


def _weighted(robot: Robot, name: str, kernel: Any, inputs: tuple[str, ...], output: str, gravity: Any) -> "casadi.Function":
    fall = state.gravity(robot, gravity)

    def trace(ev: Evaluation, *arguments: np.ndarray) -> Any:
        ev.fall(fall)
        out = ev.zeros(robot.nv)
        ev.run(kernel, *arguments, out)
        return out

    return _traced(robot, name, inputs, {output: trace})


def _traced(robot: Robot, name: str, inputs: tuple[str, ...], outputs: dict[str, Callable]) -> "casadi.Function":
    """Run plain kernels on symbols, each output in a workspace of its own."""
    try:
        import casadi
    except ImportError:
        raise MissingPartError("symbols need CasADi: pip install 'footfall[optimize]'") from None
    symbols = [casadi.SX.sym(key, SIZES[key](robot)) for key in inputs]
    arrays = [np.array([symbol[i] for i in range(symbol.numel())], dtype=object) for symbol in symbols]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # CasADi 3.8 announces a change in np.cos(SX) that does not touch scalars
        results = [_matrix(casadi, trace(Evaluation(robot, symbols=True), *arrays)) for trace in outputs.values()]
    return casadi.Function(name, symbols, results, list(inputs), list(outputs))


def _matrix(casadi: Any, entries: np.ndarray) -> Any:
    """An object array as a CasADi matrix."""
    table = entries.reshape(len(entries), -1)
    return casadi.vertcat(*(casadi.horzcat(*row) for row in table))
