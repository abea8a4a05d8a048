"""What is read from each run of a sweep: ready measures by name, or functions of a Run that return a number."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import nan
from numbers import Real
from types import CodeType
from typing import Any

import numpy as np

from footfall.errors import FootfallError, UnknownNameError
from footfall.sim.run import Run


@dataclass(frozen=True)
class Measure:
    """A number of a run."""

    name: str
    unit: str
    help: str
    function: Callable[[Run], Any]
    kind: str = "float"  # or "bool"

    def of(self, run: Run) -> float | bool:
        """Its value; an error says what the function did."""
        found = self.function(run)
        if isinstance(found, np.generic) or (isinstance(found, np.ndarray) and found.ndim == 0):
            found = found.item()
        if not isinstance(found, Real):
            raise TypeError(f"a measure must return one number, got {found!r:.60}")
        return bool(found) if self.kind == "bool" else float(found)


def _survived(run: Run) -> bool:
    from footfall.engines.events import Outcome

    return run.outcome is Outcome.END


def _speed(run: Run) -> float:
    duration = float(run.time[-1] - run.time[0])
    return _distance(run) / duration if duration > 0.0 else nan


def _distance(run: Run) -> float:
    from footfall.analysis import motion

    return float(np.linalg.norm(motion.travel(run)))


def _cost(run: Run) -> float:
    return _costs(run).total


def _motor_cost(run: Run) -> float:
    return _costs(run).motors


def _power(run: Run) -> float:
    return _costs(run).power


def _costs(run: Run) -> Any:
    from footfall.analysis import cost_of_transport

    return cost_of_transport(run)


def _steps(run: Run) -> float:
    return len(_walked(run).rows)


def _cadence(run: Run) -> float:
    return _walked(run).cadence


def _step_length(run: Run) -> float:
    lengths = [step.length for step in _walked(run).rows]
    return float(np.mean(lengths)) if lengths else nan


def _double_support(run: Run) -> float:
    return _walked(run).double_support


def _walked(run: Run) -> Any:
    from footfall.analysis import steps

    return steps(run)


def _slid(run: Run) -> float:
    from footfall.analysis import slip

    return max((foot.slid for foot in slip(run).values()), default=0.0)


def _torque(run: Run) -> float:
    return float(np.abs(run.tau).max(initial=0.0))


def _ledger(run: Run) -> float:
    from footfall.analysis import ledger

    return ledger(run).relative


READY: dict[str, Measure] = {
    each.name: each
    for each in (
        Measure("survived", "", "whether it reached the end", _survived, "bool"),
        Measure("speed", "m/s", "mean speed of the centre of mass", _speed),
        Measure("distance", "m", "horizontal distance of the centre of mass", _distance),
        Measure("cost_of_transport", "1", "energy over weight and distance", _cost),
        Measure("motor_cost", "1", "the same, of the motors only", _motor_cost),
        Measure("power", "W", "mean power of the motors", _power),
        Measure("steps", "1", "how many", _steps),
        Measure("cadence", "1/s", "steps a second", _cadence),
        Measure("step_length", "m", "mean length of a step", _step_length),
        Measure("double_support", "1", "part of the time with two feet on the ground", _double_support),
        Measure("slid", "m", "largest slip of a foot", _slid),
        Measure("peak_torque", "N m", "largest torque in a row", _torque),
        Measure("ledger", "1", "relative residual of the energy ledger", _ledger),
    )
}


def measures(wanted: Any) -> tuple[Measure, ...]:
    """Measures from names (with commas), functions, or a row of both."""
    if isinstance(wanted, str):
        wanted = [word.strip() for word in wanted.split(",") if word.strip()]
    elif callable(wanted) or isinstance(wanted, Measure):
        wanted = [wanted]
    if not isinstance(wanted, Iterable):
        raise FootfallError(f"a measure must be a name or a function of a Run, or a row of them, got {wanted!r:.80}")
    found = [_measure(each) for each in wanted]
    names = [each.name for each in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise FootfallError(
            f"two measures are called {twice[0]!r}; functions go by their names, so give one of them another name"
        )
    if taken := [name for name in names if name in COLUMNS]:
        raise FootfallError(f"a measure cannot be called {taken[0]!r}: each row has a column of that name already")
    return tuple(found)


COLUMNS = ("key", "outcome", "reason", "time", "error", "wall", "versions")  # of a table besides what was asked and measured


def _measure(given: Any) -> Measure:
    if isinstance(given, Measure):
        return given
    if isinstance(given, str):
        if given not in READY:
            raise UnknownNameError("measure", given, READY)
        return READY[given]
    if not callable(given):
        raise FootfallError(f"a measure must be a name or a function of a Run, got {given!r:.80}")
    name = getattr(given, "__name__", type(given).__name__)
    return Measure("function" if name == "<lambda>" else name, "", (given.__doc__ or "").strip().split("\n")[0], given)


def fingerprint(function: Any) -> str:
    """What a function does, as text: another body is another text."""
    code = getattr(function, "__code__", None)
    if code is None:
        inner = getattr(function, "func", None)  # of a partial
        return f"{type(function).__qualname__} {fingerprint(inner)} {function!r}" if inner else f"{function!r}"
    closed = [_constant(cell.cell_contents) for cell in function.__closure__ or ()]
    return hashlib.sha256(repr((_code(code), closed, function.__defaults__)).encode()).hexdigest()


def _code(code: CodeType) -> tuple:
    return code.co_code.hex(), code.co_names, tuple(_constant(each) for each in code.co_consts)


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, frozenset | set):
        return sorted(map(repr, value))  # they have another order in every process
    return fingerprint(value) if hasattr(value, "__code__") else repr(value)
