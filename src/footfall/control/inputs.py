"""Names of numbers that a policy sees, and where in an observation they stand.

`q.NAME` and `v.NAME` are coordinates and velocities, `contact.FOOT` is 1 while any contact of the foot touches, `force.FOOT.x` is
the force of the ground on the foot (N), `wrench.FOOT.fx` what its force sensor tells, `acceleration.0.x` what the first
accelerometer tells. `clock.sin` and `clock.cos` tell the phase of a clock.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core import network
from footfall.core.network import Inputs
from footfall.errors import ParameterError, UnknownNameError
from footfall.model.parts import Arc, Box, Capsule, HeelToe, Pad
from footfall.model.robot import Robot

WRENCH = {2: ("fx", "fz", "my"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}
ACCELEROMETERS = 8  # that a name may count up to
CLOCK = {"clock.sin": network.SINE, "clock.cos": network.COSINE}


class Input(NamedTuple):
    """One number: its kind, where it is, and its bounds."""

    kind: int
    first: int
    end: int = 0
    axis: int = 0
    low: float = -np.inf
    high: float = np.inf


def known_inputs(robot: Robot) -> dict[str, Input]:
    """All that there may be to see of a robot, by name."""
    low, high = stops(robot)
    found = {f"q.{name}": Input(network.COORDINATE, j, 0, 0, low[j], high[j]) for j, name in enumerate(robot.coordinates)}
    found |= {f"v.{name}": Input(network.VELOCITY, d) for d, name in enumerate(robot.velocities)}
    axes, first = "xz" if robot.dim == 2 else "xyz", 0
    for number, foot in enumerate(robot.feet):
        end = first + sum(touches(pad, robot.dim) for pad in foot.pads)
        found[f"contact.{foot.name}"] = Input(network.TOUCH, first, end, 0, 0.0, 1.0)
        found |= {f"force.{foot.name}.{axis}": Input(network.FORCE, first, end, i) for i, axis in enumerate(axes)}
        found |= {f"wrench.{foot.name}.{axis}": Input(network.WRENCH, number, 0, i) for i, axis in enumerate(WRENCH[robot.dim])}
        first = end
    for number in range(ACCELEROMETERS):
        found |= {f"acceleration.{number}.{axis}": Input(network.ACCELERATION, number, 0, i) for i, axis in enumerate(axes)}
    return found | {name: Input(kind, 0, 0, 0, -1.0, 1.0) for name, kind in CLOCK.items()}


def usual_inputs(robot: Robot) -> tuple[str, ...]:
    """All coordinates but the place along level ground, all velocities, and which feet touch."""
    base = robot.layout.joints[0].name
    q = [f"q.{name}" for name in robot.coordinates if name not in (f"{base}.x", f"{base}.y")]
    return *q, *(f"v.{name}" for name in robot.velocities), *(f"contact.{foot.name}" for foot in robot.feet)


def inputs_of(robot: Robot, names: Sequence[str], period: float) -> Inputs:
    """Where the named numbers stand in an observation of a robot; `period` (s) is that of the clock."""
    known = known_inputs(robot)
    for name in names:
        if name not in known:
            shown = [each for each in known if not each.startswith("acceleration.") or each[13] == "0"]
            raise UnknownNameError(f"observation (of robot {robot.name!r})", name, shown)
        if name in CLOCK and period <= 0.0:
            raise ParameterError(f"observation {name!r} needs the period of its clock in seconds, got {period:g}")
    table: list[Input] = [known[name] for name in names]
    kind, index, end, axis = (np.array([row[i] for row in table], np.int64) for i in range(4))
    low, high = (np.array([row[i] for row in table], float) for i in (4, 5))
    return Inputs(kind, index, end, axis, low, high, float(period) if period > 0.0 else 1.0)


def stops(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of every coordinate: the stops of its joint, a unit for quaternions."""
    low, high = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for i, joint in enumerate(robot.layout.joints, start=1):
        first, end = robot.tree.first_q[i], robot.tree.first_q[i + 1]
        if joint.kind in ("revolute", "prismatic"):
            low[first], high[first] = joint.limits
        elif joint.kind in ("free", "spherical"):
            low[end - 4 : end], high[end - 4 : end] = -1.0, 1.0
    return low, high


def touches(pad: Pad, dim: int) -> int:
    """How many contacts a pad has, as engines count them."""
    if isinstance(pad, Arc):
        return 2 if dim == 3 and pad.width else 1
    counts: Mapping[type, int] = {Box: 2**dim, HeelToe: 2, Capsule: 2}
    return counts.get(type(pad), 1)


def weights_of(layers: Sequence[Any], names: int, outputs: int, what: str) -> tuple[tuple[int, ...], np.ndarray]:
    """Sizes and numbers of a network from its layers: (matrix, biases) each, or the matrix alone."""
    sizes, rows = [names], []
    for layer in layers:
        matrix, bias = layer if isinstance(layer, tuple) else (layer, None)
        try:
            matrix = np.array(matrix, float)
            bias = np.zeros(len(matrix)) if bias is None else np.array(bias, float)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"{what}: a layer must be a matrix, or a matrix and its biases, got {layer!r:.60}") from None
        if matrix.ndim != 2 or matrix.shape[1] != sizes[-1] or bias.shape != matrix.shape[:1]:
            raise ParameterError(
                f"{what}: layer {len(sizes)} must have a matrix with {sizes[-1]} columns and a bias for each row, got shapes "
                f"{matrix.shape} and {bias.shape}"
            )
        rows += [matrix.ravel(), bias]
        sizes.append(len(matrix))
    if not layers or sizes[-1] != outputs:
        raise ParameterError(
            f"{what}: its last layer must have {outputs} rows, one for each number that it commands, got {sizes}"
        )
    return tuple(sizes), np.concatenate(rows)
