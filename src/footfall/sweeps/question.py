"""The question of every run of a sweep: a study, what is set in all runs, what is set in this one, what is read from it.

It is a small value that is sent to workers. A run's key is a hash of all that its row depends on: the base study as text (with
the source of code that text cannot hold), the values, the measures. A question changed by one bit has another key.
"""

import dataclasses
import hashlib
import importlib
import inspect
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from footfall import studies
from footfall.errors import FootfallError, ParameterError, UnknownNameError, UnsuitableError
from footfall.model.quantity import TABLE
from footfall.named import declarations, full_name, known_name
from footfall.sim.again import Built
from footfall.sim.parameters import Parameter, exactly, with_parameters
from footfall.sim.parameters import parameters as parameters_of
from footfall.sim.run import Run
from footfall.sim.run_file import run_bytes
from footfall.sim.settings import altered, layers_of
from footfall.sim.study import Study
from footfall.sweeps.measures import Measure, fingerprint
from footfall.sweeps.ordeals import Ordeal, source_text, study_below

BASES = 64  # studies that a worker keeps, of those that were built with declared parameters
PUSHES = "world.pushes."
AT_ONCE = 64  # runs whose studies are made together
Values = tuple[Any, ...]


class Row(NamedTuple):
    """What came out of a run. `figures` has None for a measure that failed, and `error` says why."""

    key: str
    values: Values
    outcome: str
    reason: str
    time: float  # s that were simulated
    figures: tuple[float | bool | None, ...]
    error: str
    wall: float  # s that it took, with everything
    run: bytes | None = None  # as a file, if runs are kept


@dataclasses.dataclass(frozen=True, eq=False)
class Question:
    """What is asked in all runs; `values` belong to `names`."""

    source: str | Study | Ordeal  # a study by name, or itself
    fixed: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    keep: bool  # whole runs
    digest: str  # of all that its runs have in common

    def study(self, values: Values) -> Study:
        """The study of a run."""
        asked = dict(zip(self.names, values, strict=True))
        if isinstance(self.source, Ordeal):
            return with_parameters(self.source, asked).applied()
        if isinstance(self.source, Study):
            return _pushed(self.source, asked) if self.only_pushes else with_parameters(self.source, asked)
        declared = _declared(self.source)
        own = {name: value for name, value in asked.items() if name in declared}
        return with_parameters(_built(self, own), {name: value for name, value in asked.items() if name not in own})

    @cached_property
    def only_pushes(self) -> bool:
        """Whether nothing but pushes of the world varies."""
        return all(name.startswith(PUSHES) and name.count(".") == 3 for name in self.names)

    def key(self, values: Values) -> str:
        """32 hexadecimal digits; numbers count with all their bits."""
        return hashlib.sha256(f"{self.digest}{json.dumps(values)}".encode()).hexdigest()[:32]

    @property
    def title(self) -> str:
        study = study_below(self.source)
        return study if isinstance(study, str) else study.name or study.robot.name


def _pushed(study: Study, asked: Mapping[str, Any]) -> Study:
    """The study with other numbers of its pushes. Only these are checked: the others were, and are the same for all runs."""
    pushes = list(study.world.pushes)
    for name, value in asked.items():
        number, field = name.removeprefix(PUSHES).split(".")
        pushes[int(number)] = altered(pushes[int(number)], **{field: value})
    for push in pushes:
        push.__post_init__()
    world = altered(study.world, pushes=tuple(pushes))
    world.check_on(study.robot, study.dt)
    return altered(study, world=world)


_bases: OrderedDict[tuple, Study] = OrderedDict()
_lock = threading.Lock()


def _built(question: Question, own: Mapping[str, Any]) -> Study:
    """The study by name, before parameters of its parts are set. To build it may take as long as to run it."""
    which = (question.digest, *own.values())
    with _lock:
        if which in _bases:
            _bases.move_to_end(which)
            return _bases[which]
    study = studies.load(str(question.source), **{**dict(question.fixed), **own})
    with _lock:
        _bases[which] = study
        while len(_bases) > BASES:
            _bases.popitem(last=False)
    return study


@lru_cache(maxsize=8)
def _declared(name: str) -> tuple[str, ...]:
    return tuple(declarations("footfall.studies", known_name(studies.__path__, "study", name)))


def question(source: Any, fixed: Mapping[str, Any], names: tuple[str, ...], wanted: tuple[Measure, ...], keep: bool) -> Question:
    """The question, with what identifies it."""
    if not isinstance(source, str):
        source, fixed = with_parameters(source, fixed), {}
    study = studies.load(source, **fixed) if isinstance(source, str) else study_below(source)
    measured = [(each.name, fingerprint(each.function)) for each in wanted]
    common = json.dumps([_fingerprint(study, source), names, measured])
    return Question(source, tuple(fixed.items()), names, wanted, keep, hashlib.sha256(common.encode()).hexdigest())


def _fingerprint(study: Study, source: str | Study | Ordeal) -> str:
    text = source_text(source if isinstance(source, Ordeal) else study)
    parts = [text, _code_of(study)] if json.loads(text)["lost"] else [text]
    if isinstance(source, str):
        parts.append(inspect.getsource(importlib.import_module(f"footfall.studies.{source.replace('-', '_')}")))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _code_of(study: Study) -> str:
    """What text cannot hold: the source of the user's classes and functions."""
    found = []
    for part in (*layers_of(study.controller), study.world.terrain, study.engine):
        try:
            found.append(inspect.getsource(type(part)))
        except (OSError, TypeError):
            found.append(type(part).__qualname__)
        found += [fingerprint(value) for value in vars(part).values() if callable(value)]
    return "\n".join(found)


# --- parameters -----------------------------------------------------------------------------------------------------------


def parameters_by_name(source: str | Study | Ordeal, fixed: Mapping[str, Any], wanted: Any) -> dict[str, Parameter]:
    """The declarations of the parameters that are wanted, in their order, by full name."""
    if isinstance(source, str):
        study: Any = studies.load(source, **fixed)
        known = studies.parameters(source, **fixed)
    else:
        study, known = with_parameters(source, fixed), parameters_of(source)
    table = {each.name: each for each in known}
    found: dict[str, Parameter] = {}
    for name in wanted:
        each = _found(study, table, name)
        if each is None:
            raise UnknownNameError(f"parameter (of study {study.name or source!r})", name, table)
        if each.name in found:
            raise ParameterError(f"a sweep of study {study.name!r}: {each.name} is varied twice")
        if each.name in fixed:
            raise ParameterError(f"a sweep of study {study.name!r}: {each.name} is set for all runs, and varied")
        if each.rule["kind"] == "number" and TABLE in each.rule["shapes"]:
            raise UnsuitableError(f"a sweep of study {study.name!r}: {each.name} is a table of numbers, which cannot be varied")
        found[each.name] = each
    return found


def _found(study: Any, table: Mapping[str, Parameter], name: str) -> Parameter | None:
    if (full := full_name(name, table)) is not None:
        return table[full]
    if (each := exactly(study, name)) is not None:
        return each
    parts = {each.name: each for each in parameters_of(study, parts=True)}  # those of links and joints too
    return parts.get(full_name(name, parts) or "")


def takes_seeds(source: str | Study | Ordeal, study: Study) -> bool:
    """Whether anything in a study is random."""
    return bool(study.sensors) or (isinstance(source, str) and "seed" in _declared(source))


# --- running --------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Answers:
    """Makes a run, and reads from it; many neighbours in one call. What is refused, fails or breaks down is a row too."""

    question: Question

    def __call__(self, asked: tuple[str, Values]) -> Row:
        return next(self.many([asked]))

    def many(self, asked: Sequence[tuple[str, Values]]) -> Iterator[Row]:
        """The rows, in their order."""
        kept = _kept(self.question.digest)
        for first in range(0, len(asked), AT_ONCE):
            yield from self._some(asked[first : first + AT_ONCE], kept)

    def _some(self, asked: Sequence[tuple[str, Values]], kept: Built) -> Iterator[Row]:
        began = time.perf_counter()
        studies, refused = [], {}
        for k, (_, values) in enumerate(asked):
            try:
                studies.append(self.question.study(values))
            except FootfallError as refusal:
                refused[k] = str(refusal)
        found, made = iter(kept.runs(studies)), (time.perf_counter() - began) / len(asked)
        for k, (key, values) in enumerate(asked):
            run, error = (None, refused[k]) if k in refused else next(found)
            began = time.perf_counter()
            row = self._row(key, values, run, error)
            yield row._replace(wall=made + (run.wall if run else 0.0) + time.perf_counter() - began)

    def _row(self, key: str, values: Values, run: Run | None, error: str) -> Row:
        measures = self.question.measures
        if run is None:
            return Row(key, values, "refused", error, 0.0, (None,) * len(measures), error, 0.0)
        figures = []
        for each in measures:
            figure, failure = _measured(each, run)
            figures.append(figure)
            error = "; ".join(filter(None, (error, failure)))
        file = run_bytes(run).to_pybytes() if self.question.keep else None
        reached = float(run.time[-1]) if len(run.time) else 0.0
        return Row(key, values, run.outcome.value, run.reason, reached, tuple(figures), error, 0.0, file)


_own = threading.local()


def _kept(digest: str) -> Any:
    """What this thread has built for a question."""
    if getattr(_own, "digest", None) != digest:
        _own.digest, _own.kept = digest, Built()
    return _own.kept


def _measured(measure: Measure, run: Run) -> tuple[float | bool | None, str]:
    try:
        return measure.of(run), ""
    except Exception as error:  # noqa: BLE001  # it is code of the user's, and other runs go on
        return None, f"measure {measure.name} raised {type(error).__name__}: {error}"


def lost(question: Question, asked: tuple[str, Values]) -> Row:
    """The row of a run that killed its worker again and again."""
    key, values = asked
    why = "it killed its worker each time: out of memory, or a crash"
    return Row(key, values, "lost", why, 0.0, (None,) * len(question.measures), why, 0.0)
