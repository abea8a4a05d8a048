"""A policy: a small network from what is observed to what the motors are told, such as reinforcement learning finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.control.controller import Controller
from footfall.control.external import External
from footfall.control.fields import ControlError
from footfall.control.inputs import inputs_of, weights_of
from footfall.core.jit import kernel
from footfall.core.network import evaluate, evaluate_rows, read_inputs, within
from footfall.model.quantity import ROW, note, quantity, words
from footfall.model.robot import Robot


@dataclass(frozen=True, eq=False)
class Policy(Controller):
    """A network of layers with tanh between them; without hidden layers it is linear. Its weights are part of the study.

    Its inputs are named as in `control.inputs`. Its outputs, one for each driven degree of freedom in the order of
    `robot.actuated`, are torques, or with a stiffness or a damping the angles at which the motors' servos hold their hinges. They
    are held within `low` and `high`.
    """

    observation: tuple[str, ...] = words("names of the inputs", ())
    clock: float = quantity("s", "period of the clock among the inputs; 0 if there is none", 0.0, low=0.0)
    stiffness: float = quantity("N m/rad", "of the motors' servos", 0.0, low=0.0)
    damping: float = quantity("N m s/rad", "likewise", 0.0, low=0.0)
    low: tuple[float, ...] = quantity("", "least output of each motor", (), shape=ROW)
    high: tuple[float, ...] = quantity("", "largest", (), shape=ROW)
    sizes: tuple[int, ...] = note("numbers of inputs, of each hidden layer, and of outputs", ())
    weights: np.ndarray | None = note("for each layer the matrix, row by row, and the biases", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = self._sizes()
        try:
            weights = np.array(self.weights, dtype=float).ravel()
        except (TypeError, ValueError, OverflowError):
            raise ControlError(f"Policy: weights must be a row of numbers, got {self.weights!r:.60}") from None
        count = sum((n + 1) * m for n, m in pairwise(sizes))
        if len(weights) != count:
            raise ControlError(f"Policy: layers of {', '.join(map(str, sizes))} take {count} weights, got {len(weights)}")
        if not np.isfinite(weights).all():
            raise ControlError("Policy: weights must be finite numbers")
        if (
            len(self.low) != sizes[-1]
            or len(self.high) != sizes[-1]
            or any(a > b for a, b in zip(self.low, self.high, strict=True))
        ):
            raise ControlError(f"Policy: low and high must be {sizes[-1]} numbers each, and low not above high")
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    def _sizes(self) -> tuple[int, ...]:
        sizes: Any = self.sizes
        if not isinstance(sizes, tuple | list) or any(type(n) is not int or n < 1 for n in sizes) or len(sizes) < 2:
            raise ControlError(f"Policy: sizes must be two or more whole numbers above 0, got {sizes!r:.60}")
        if sizes[0] != len(self.observation):
            raise ControlError(f"Policy: it observes {len(self.observation)} numbers, but its first layer takes {sizes[0]}")
        object.__setattr__(self, "sizes", tuple(sizes))
        return tuple(sizes)

    @classmethod
    def of(cls, layers: Sequence[Any], **more: Any) -> "Policy":
        """From layers: (matrix, biases) each, or the matrix alone."""
        inputs, outputs = len(more.get("observation", ())), len(more.get("low", ()))
        sizes, weights = weights_of(layers, inputs, outputs, "Policy")
        return cls(sizes=sizes, weights=weights, **more)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._bits() == other._bits()

    def __hash__(self) -> int:
        return hash(self._bits())

    def _bits(self) -> tuple:
        numbers = self.rate, self.clock, self.stiffness, self.damping, self.low, self.high
        return self.observation, self.sizes, numbers, np.asarray(self.weights).tobytes()

    def __repr__(self) -> str:
        return f"Policy(rate={self.rate:g}, layers of {', '.join(map(str, self.sizes))})"

    def __call__(self, observations: Any) -> np.ndarray:
        """What it says to one observation, or to each of many rows: the bits of its law."""
        try:
            rows = np.array(observations, dtype=float, ndmin=2)
        except (TypeError, ValueError, OverflowError):
            raise ControlError(f"Policy: observations must be rows of numbers, got {observations!r:.60}") from None
        if rows.ndim != 2 or rows.shape[1] != self.sizes[0]:
            raise ControlError(f"Policy: an observation must have {self.sizes[0]} numbers, got shape {np.shape(observations)}")
        out = np.zeros((len(rows), self.sizes[-1]))
        evaluate_rows["planar"](self._network(), rows, out)
        return out if np.ndim(observations) == 2 else out[0]

    def _network(self) -> tuple:
        x, y = np.zeros((2, max(self.sizes)))
        return np.array(self.sizes, np.int64), np.array(self.weights), x, y, np.array(self.low), np.array(self.high)

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> dict[str, Any]:
        told = External(stiffness=self.stiffness, damping=self.damping).prepare(robot, q, gravity)
        if len(told.driven) != self.sizes[-1]:
            raise ControlError(
                f"Policy: it commands {self.sizes[-1]} motors, but robot {robot.name!r} has {len(told.driven)} driven degrees of "
                "freedom"
            )
        sizes, weights, x, y, low, high = self._network()
        inputs = inputs_of(robot, self.observation, self.clock)
        net = {"sizes": sizes, "weights": weights, "x": x, "y": y, "low": low, "high": high}
        return {"driven": told.driven, "servo": told.servo, "inputs": inputs, **net}

    @kernel
    def law(obs, params, state, goal, command):
        """Ask the network, and tell the motors."""
        read_inputs(obs, params.inputs, params.x)
        evaluate(params.sizes, params.weights, params.x, params.y)
        for i in range(len(params.driven)):
            d, told = params.driven[i], within(params.y[i], params.low[i], params.high[i])
            if params.servo:
                command.stiffness[d], command.target[d], command.damping[d] = params.stiffness, told, params.damping
            else:
                command.tau[d] = told
        return 0
