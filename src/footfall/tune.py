"""Tune a study: parameters of its controller, or others that are named, within their declared ranges, by CMA-ES.

After every generation all that is known is written to a file (JSON): what was asked, every candidate with its value, and the best
of all. The same command goes on from there; the search is repeated from its seed with the values that are known, so it goes on as
if it had never stopped.
"""

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall import studies
from footfall.analysis import cost_of_transport, steps
from footfall.analysis.bounds import Bound, bound
from footfall.errors import FileError, FootfallError, MissingPartError, UnknownNameError, UnsuitableError
from footfall.files import read_text, write_whole
from footfall.named import full_name
from footfall.parallel import Processes, Serial, chosen, cores
from footfall.parallel.executors import Workers
from footfall.sim.abilities import why_not_tuned
from footfall.sim.parameters import Parameter
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.studies._trouble import TROUBLE, trouble

MOST_BYTES = 500_000_000  # of the file of a search
FALLEN = 10.0  # value of a run that fell at once; one that fell later has a share of it
LOST = 20.0  # value of one that could not be simulated
SLOW = 0.6  # of the speed that is asked for: slower is hardly walking
OFF_SPEED = 4.0  # for a relative error of 1 in the speed, squared
MISSED = 1.0  # for a bound that is missed by its own size, in every step


@dataclasses.dataclass(frozen=True)
class Task:
    """The objective of a search."""

    study: str
    parameters: tuple[tuple[str, Any], ...]  # of the study
    objective: str
    speed: float  # m/s that it should have; 0 for any
    runs: int  # in trouble
    seed: int
    keep: tuple[str, ...] = ()  # bounds on the steps

    @property
    def bounds(self) -> tuple[Bound, ...]:
        return tuple(bound(text) for text in self.keep)


def _walk(study: Study, task: Task) -> float:
    """Total cost of transport of the second half and what its steps miss, or how soon it fell, or how far it was from getting
    anywhere.
    """
    speed = task.speed
    try:
        run = whole(dataclasses.replace(study, record_dt=study.dt) if task.keep else study)
    except FootfallError:
        return LOST
    if run.fell:
        return FALLEN * (2.0 - float(run.time[-1]) / study.seconds)
    found = cost_of_transport(run, start=study.seconds / 2)
    if found.distance == 0.0 or found.speed < SLOW * speed:
        return FALLEN * (1.0 - SLOW * found.speed / speed if speed else 1.0)
    return (
        found.total
        + (OFF_SPEED * (found.speed / speed - 1.0) ** 2 if speed else 0.0)
        + _missed(run, task.bounds, study.seconds / 2)
    )


def _missed(run: Run, bounds: tuple[Bound, ...], start: float) -> float:
    """The worst miss and the mean miss of all bounds, in equal parts; as if it had fallen if there are no steps."""
    if not bounds:
        return 0.0
    found = steps(run)
    misses = [each.misses(found, start) for each in bounds]
    if not len(misses[0]):
        return FALLEN
    return MISSED * float(sum(0.5 * (each.mean() + each.max()) for each in misses))


def _in_trouble(study: Study, task: Task, generation: int) -> float:
    """Mean over runs with disturbances of the part of the time not survived, or of the distance not covered.

    Every generation faces new disturbances: a gait that was tuned to a few of them falls on others.
    """
    lost = []
    for i in range(task.runs):
        seed = 1_000_000 * (task.seed + 1) + generation * task.runs + i
        try:
            run = whole(trouble(study, seed, span=2.0 * study.seconds, **TROUBLE))
        except FootfallError:
            lost.append(2.0)
            continue
        made = cost_of_transport(run).speed / (SLOW * task.speed) if task.speed else 1.0
        lost.append(1.5 - float(run.time[-1]) / study.seconds if run.fell else max(0.0, 1.0 - made))
    return float(np.mean(lost))


def cost(study: Study, task: Task, generation: int) -> float:  # noqa: ARG001
    """Total cost of transport, at the speed if one is given."""
    return _walk(study, task)


def robust(study: Study, task: Task, generation: int) -> float:
    """The part of the time not survived under disturbances, plus the cost of transport."""
    first = _walk(study, task)
    return first if first >= FALLEN else first + _in_trouble(study, task, generation)


OBJECTIVES: dict[str, Callable[[Study, Task, int], float]] = {"cost": cost, "robust": robust}


def value(task: Task, changes: dict[str, float], generation: int = 0) -> float:
    """How good a controller is with these parameters; less is better."""
    try:
        return OBJECTIVES[task.objective](studies.load(task.study, **{**dict(task.parameters), **changes}), task, generation)
    except FootfallError:
        return LOST


def _value_of(task: Task, generation: int, changes: dict[str, float]) -> float:
    return value(task, changes, generation)


@dataclasses.dataclass(frozen=True)
class Range:
    """A parameter to vary."""

    name: str
    low: float
    high: float
    start: float


def ranges(name: str, settings: dict[str, Any], only: tuple[str, ...] = ()) -> list[Range]:
    """The parameters to vary: those that are named, or those that its controller declares to be `tunable`.

    Any number with a finite range can be named, also one of the study or of its robot.
    """
    study = studies.load(name, **settings)
    known = {each.name: each for each in studies.parameters(name, **settings) if _can_vary(each)}
    wanted = only or tuple(f"controller.{each}" for each in getattr(study.controller, "tunable", ()))
    if not wanted:
        raise UnsuitableError(f"{why_not_tuned(study)}; name parameters with --over")
    found = []
    for short in wanted:
        full = full_name(short, known)
        if full is None:
            raise UnknownNameError(f"parameter with a finite range (of study {name!r})", short, known)
        found.append(Range(full, known[full].rule["low"], known[full].rule["high"], known[full].value))
    return found


def _can_vary(each: Parameter) -> bool:
    """Whether it is one number with a finite range."""
    rule = each.rule
    return rule["kind"] == "number" and isinstance(each.value, float) and math.isfinite(rule["high"] - rule["low"])


def _check(task: Task, path: Path, size: int, spread: float) -> None:
    if task.objective not in OBJECTIVES:
        raise UnknownNameError("objective", task.objective, OBJECTIVES)
    if not 0.0 <= task.speed < math.inf:
        raise FootfallError(f"a search: speed must be a number of 0 (any) or more, in m/s, got {task.speed!r}")
    if not 0.0 < spread <= 1.0:
        raise FootfallError(f"a search: spread must be above 0 and at most 1, a share of each range, got {spread!r}")
    if size < 4:
        raise FootfallError(f"a search: size must be 4 candidates or more, got {size!r}")
    for text in task.keep:
        bound(text)
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {path.parent}")


def _is_table(given: Any, shape: tuple[int, ...]) -> bool:
    """Whether it is finite numbers in that shape."""
    try:
        table = np.array(given, dtype=float)
    except (ValueError, TypeError):
        return False
    return table.shape == shape and bool(np.isfinite(table).all())


class Search:
    """A search under way, with its file."""

    def __init__(self, task: Task, path: Path, only: tuple[str, ...] = (), size: int = 16, spread: float = 0.05):
        _check(task, path, size, spread)
        self.task, self.path = task, path
        self.ranges = ranges(task.study, dict(task.parameters), only)
        self.asked = {**json.loads(json.dumps(dataclasses.asdict(task))), "size": size, "spread": spread}
        self.asked["ranges"] = [dataclasses.asdict(each) for each in self.ranges]
        self.told: list[dict[str, Any]] = self._read() if path.exists() else []
        self.strategy = self._strategy(size, spread)
        for entry in self.told:
            self.strategy.ask()
            self.strategy.tell([np.array(x) for x in entry["x"]], entry["f"])

    def _strategy(self, size: int, spread: float) -> Any:
        try:
            import cma
        except ImportError:
            raise MissingPartError("tuning needs cma; pip install 'footfall[tune]' brings it") from None
        middle = [(each.start - each.low) / (each.high - each.low) for each in self.ranges]
        own = np.random.RandomState(self.task.seed + 1).randn  # it would take NumPy's common one, as would another search
        options = {"bounds": [0.0, 1.0], "seed": math.nan, "randn": own, "popsize": size, "verbose": -9}
        return cma.CMAEvolutionStrategy(np.clip(middle, 0.01, 0.99), spread, options)

    def _read(self) -> list[dict[str, Any]]:
        """The results of an earlier search with the same settings."""
        try:
            data = json.loads(read_text(self.path, MOST_BYTES, "a search"))
            asked, told = dict(data["asked"]), list(data["generations"])
        except KeyError as error:
            raise self._refused(f"it has no {error}") from None
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise self._refused(str(error)) from None
        differ = [name for name in self.asked if asked.get(name) != self.asked[name]]
        if differ:
            raise FileError(
                f"{self.path} holds a search with another {', '.join(differ)}; give --out another name, or use the same settings"
            )
        size, count = self.asked["size"], len(self.ranges)
        for number, entry in enumerate(told, start=1):
            if not (isinstance(entry, dict) and _is_table(entry.get("x"), (size, count)) and _is_table(entry.get("f"), (size,))):
                raise self._refused(f"generation {number} must have {size} candidates x of {count} numbers, and {size} values f")
        return told

    def _refused(self, why: str) -> FileError:
        return FileError(f"{self.path} is not a search that can be gone on with: {why}")

    @property
    def best(self) -> tuple[float, dict[str, float]]:
        """The best value of all, and the parameters that gave it."""
        rows = [(f, x) for entry in self.told for f, x in zip(entry["f"], entry["x"], strict=True)]
        if not rows:
            return math.inf, {each.name: each.start for each in self.ranges}
        value, x = min(rows, key=lambda row: row[0])
        return value, self._named(x)

    def _named(self, x: Any) -> dict[str, float]:
        return {each.name: each.low + (each.high - each.low) * float(s) for each, s in zip(self.ranges, x, strict=True)}

    def run(self, generations: int, workers: int = 0) -> Iterator[int]:
        """Go on until there are so many generations; yields the number of each when it is known and written."""
        yield from together([self], generations, workers)

    def ask(self, workers: Workers) -> "Asked":
        """Give the next generation to workers."""
        candidates = self.strategy.ask()
        rate = partial(_value_of, self.task, len(self.told))
        return Asked(candidates, [workers.submit(rate, self._named(x)) for x in candidates])

    def tell(self, asked: "Asked") -> None:
        """Wait for its values, and write them down."""
        values = [future.result() for future in asked.values]
        self.strategy.tell(asked.candidates, values)
        self.told.append({"x": [x.tolist() for x in asked.candidates], "f": values})
        self._write()

    def _write(self) -> None:
        value, parameters = self.best
        data = {"asked": self.asked, "best": {"value": value, "parameters": parameters}, "generations": self.told}
        write_whole(self.path, json.dumps(data, indent=1))


class Asked(NamedTuple):
    """A generation under way."""

    candidates: list[np.ndarray]
    values: list["Future[float]"]


def together(searches: Sequence[Search], generations: int, workers: int = 0) -> Iterator[int]:
    """Several searches at once, until each has so many generations: their candidates share the workers, each has its own file.

    Each goes as it would alone. Yields how many generations all of them have, whenever one more is known and written.
    """
    count = workers or cores()
    with chosen(Processes(count) if count > 1 else Serial()).opened() as there:
        while going := [each for each in searches if len(each.told) < generations]:
            asked = [each.ask(there) for each in going]
            for each, generation in zip(going, asked, strict=True):
                each.tell(generation)
            yield min(len(each.told) for each in searches)


def restarts(task: Task, path: Path, count: int, *given: Any) -> list[Search]:
    """So many searches for the same, with seeds one after the other, and with files named after them if there are several."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1000:
        raise FootfallError(f"a search: restarts must be a whole number from 1 to 1000, got {count!r:.60}")
    seeds = range(task.seed, task.seed + count)
    paths = [path] if count == 1 else [path.with_name(f"{path.stem}-{seed}{path.suffix}") for seed in seeds]
    return [Search(dataclasses.replace(task, seed=seed), file, *given) for seed, file in zip(seeds, paths, strict=True)]
