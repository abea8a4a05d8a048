"""`sweep`: ask a study many times. Rows are kept as they come; asking again computes only what is missing."""

import json
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from footfall import studies
from footfall.errors import FootfallError, SimulationError, UnsuitableError
from footfall.parallel import Executor, Processes, Threads, chosen, stream
from footfall.parallel.place import executor
from footfall.progress import told
from footfall.sim.again import is_compiled
from footfall.sim.parameters import with_parameters
from footfall.sim.run_file import versions
from footfall.sim.study import Study
from footfall.sweeps.axes import Plan, planned
from footfall.sweeps.measures import measures
from footfall.sweeps.ordeals import Ordeal, source_text, study_below
from footfall.sweeps.question import (
    Answers,
    Question,
    Row,
    Values,
    lost,
    parameters_by_name,
    question,
    takes_seeds,
)
from footfall.sweeps.rows import Layout, asked_column, measured_column
from footfall.sweeps.store import Store, begin, read_rows, versions_text
from footfall.sweeps.table import Sweep

USUAL = ("survived", "speed", "cost_of_transport")
LOOK = 2.0  # s between looks for rows of other clients
SEEDS = 10_000_000


@dataclass
class Progress:
    """How far a sweep is."""

    total: int
    done: int = 0  # those of an earlier time too
    survived: int = 0  # of those that were computed now
    computed: int = 0
    failed: int = 0
    began: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Runs a second."""
        return self.computed / max(time.monotonic() - self.began, 1e-9)

    @property
    def left(self) -> float:
        """s until it is done, if it goes on like that."""
        return (self.total - self.done) / self.rate if self.computed else float("inf")

    @property
    def part(self) -> float:
        return self.done / self.total if self.total else 1.0

    def text(self) -> str:
        """In a few words."""
        if not self.computed:
            return f"{self.done:,} of {self.total:,}"
        alive = f", {100 * self.survived / self.computed:.0f} % survive"
        failed = f", {self.failed:,} fail" if self.failed else ""
        return f"{self.done:,} of {self.total:,}, {self.rate:.3g} a second, {duration(self.left)} left{alive}{failed}"

    def count(self, rows: Sequence[Row]) -> None:
        self.done += len(rows)
        self.computed += len(rows)
        self.survived += sum(row.outcome == "end" for row in rows)
        self.failed += sum(bool(row.error) for row in rows)


def duration(seconds: float) -> str:
    """As people say it."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def sweep(
    study: str | Study | Ordeal,
    vary: Mapping[str, Any] | None = None,
    *,
    seeds: int | Sequence[int] | None = None,
    measure: Any = USUAL,
    settings: Mapping[str, Any] | None = None,
    samples: int = 0,
    draw: str = "sobol",
    draw_seed: int = 0,
    out: Any = None,
    runs: bool = False,
    on: Any = None,
    progress: Callable[[Progress], None] | None = None,
) -> Sweep:
    """Run a study for all combinations of what varies, on all cores of this machine or where `ff.parallel.use` says.

    `vary` gives values to parameters by dotted name: lists, grids such as "0.4:1:13", or ranges such as "0.4:1" from which
    `samples` are drawn together ("sobol", "latin" or "random"). `seeds` are so many, or which. `settings` hold in all runs.
    `measure` are names (`ff.sweeps.READY`) and functions of a Run. With a folder `out` rows are kept as they come, with `runs`
    whole runs too; asking again, also for more values, computes only what is missing. Ctrl-C ends it with what there is.
    """
    plan, ask, base = _asked(study, dict(vary or {}), seeds, measure, dict(settings or {}), (samples, draw, draw_seed), runs)
    if runs and out is None:
        raise FootfallError("whole runs are kept in files, so a sweep with `runs` needs a folder: out=...")
    layout = Layout(
        tuple(asked_column(axis.parameter, axis.values) for axis in plan.axes), tuple(map(measured_column, ask.measures))
    )
    place = _place(ask, base, on)
    kept: Store | _Memory = _Memory(layout) if out is None else _opened(Path(out), ask, plan, layout)
    asking = _Asking(plan, ask, kept)
    state = Progress(plan.count)
    state.done = state.total - len(asking)
    with told(f"sweep of {ask.title}", None) as bar:
        tell = progress or (lambda state: bar(state.part, state.text()))
        tell(state)
        try:
            for done in stream(Answers(ask), asking, on=place, lost=partial(lost, ask)):
                rows = [row for _, row in done]
                kept.add(rows)
                state.count(rows)
                tell(state)
        except KeyboardInterrupt:
            pass
    kept.close()
    return _made(ask, plan, layout, kept, state.total)


def _made(ask: Question, plan: Plan, layout: Layout, kept: "Store | _Memory", total: int) -> Sweep:
    """The sweep: of a folder that has more rows than those of this plan, only these."""
    if isinstance(kept, _Memory):
        return Sweep(ask.title, layout, kept.table(), total, None, ask)
    table = read_rows(kept.folder, layout)
    if table.num_rows > total or not all(kept.known(ask.key(plan[i])) for i in range(0, len(plan), max(1, len(plan) // 100))):
        keys = pa.array([ask.key(plan[i]) for i in range(len(plan))])
        table = table.filter(pa.compute.is_in(table.column("key"), keys))
    return Sweep(ask.title, layout, table, total, kept.folder, ask)


class _Memory:
    """Rows that are not kept in a folder."""

    def __init__(self, layout: Layout):
        self.layout, self._tables, self._versions = layout, [layout.schema.empty_table()], versions_text(versions())

    def add(self, rows: Sequence[Row]) -> None:
        self._tables.append(self.layout.table(rows, self._versions))

    def known(self, key: str) -> bool:  # noqa: ARG002
        return False

    def refresh(self) -> None: ...

    def close(self) -> None: ...

    def table(self) -> pa.Table:
        return self.layout.sorted(pa.concat_tables(self._tables).unify_dictionaries())


class _Asking:
    """The runs that are not known yet, each with its key, as they are needed."""

    def __init__(self, plan: Plan, ask: Question, kept: Store | _Memory):
        self.plan, self.ask, self.kept = plan, ask, kept
        kept.refresh()
        self._missing = plan.count
        if isinstance(kept, Store):
            self._missing = sum(not kept.known(ask.key(plan[i])) for i in plan.distinct)

    def __len__(self) -> int:
        return self._missing

    def __iter__(self) -> Iterator[tuple[str, Values]]:
        looked = time.monotonic()
        for number in self.plan.order(seed=int.from_bytes(self.ask.digest[:8].encode(), "big")):
            if number not in self.plan.distinct:
                continue
            if time.monotonic() - looked > LOOK:
                self.kept.refresh()
                looked = time.monotonic()
            values = self.plan[number]
            key = self.ask.key(values)
            if not self.kept.known(key):
                yield key, values


# --- what is asked --------------------------------------------------------------------------------------------------------


def _asked(
    study: Any, vary: dict[str, Any], seeds: Any, measure: Any, fixed: dict[str, Any], drawing: tuple[int, str, int], runs: bool
) -> tuple[Plan, Question, Study]:
    if not isinstance(study, str | Study | Ordeal):
        raise SimulationError(f"a sweep takes a Study or the name of one, such as 'simbicon-walk', got {study!r:.80}")
    if isinstance(study, str):
        base = studies.load(study, **fixed)
    else:
        base = study_below(with_parameters(study, fixed))
    if seeds is not None:
        if "seed" in vary:
            raise FootfallError("seeds are given twice: by `seeds`, and as a parameter that varies")
        _check_random(study, base)
        vary = {**vary, "seed": _seeds(seeds)}
    known = parameters_by_name(study, fixed, vary)
    title = f"a sweep of study {base.name or base.robot.name!r}"
    plan = planned(known, dict(zip(known, vary.values(), strict=True)), *drawing, title)
    ask = question(study, fixed, tuple(known), measures(measure), runs)
    return plan, ask, base


def _seeds(seeds: Any) -> list[int]:
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if not 1 <= seeds <= SEEDS:
            raise FootfallError(f"a sweep: seeds must be from 1 to {SEEDS:,}, or a list of them, got {seeds}")
        return list(range(seeds))
    if not isinstance(seeds, Sequence | range) or isinstance(seeds, str):
        raise FootfallError(f"a sweep: seeds must be how many, or a list of whole numbers, got {seeds!r:.60}")
    return list(seeds)


def _check_random(study: str | Study | Ordeal, base: Study) -> None:
    if not takes_seeds(study, base):
        raise FootfallError(
            f"study {base.name or base.robot.name!r} has no random part, so all seeds would give the same run; give it sensors, "
            "vary a parameter instead, or draw `samples` of one from a range"
        )


# --- where ----------------------------------------------------------------------------------------------------------------


def _place(ask: Question, base: Study, on: Any) -> Executor:
    """Where it is done: threads, unless laws in plain Python would hold Python's lock."""
    compiled = is_compiled(base)
    if on is not None:
        place = on if hasattr(on, "opened") else executor(on)
    else:
        place = chosen(Threads() if compiled or _why_not_sent(ask) else Processes())
    if place.apart and (why := _why_not_sent(ask, place)):
        raise UnsuitableError(why)
    return place


def _why_not_sent(ask: Question, place: Executor | None = None) -> str:
    """Why other processes cannot be given the question; nothing if they can."""
    try:
        pickle.dumps(ask)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        failure = str(error).splitlines()[0]
    else:
        failure = _in_no_file(ask)
    if not failure or (type(place).__name__ == "Dask" and _by_value(ask)):
        return ""
    return (
        f"study {ask.title!r} with its measures cannot be sent to other processes ({failure:.160}): code of your own must be "
        "a class or function of a module that workers can import. Put it into a file, or stay in this process: on='threads'"
    )


def _in_no_file(ask: Question) -> str:
    """Code that was typed in, in a notebook for instance, is in no file that another process could read."""
    import sys

    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        return ""
    parts: list[Any] = [each.function for each in ask.measures]
    if isinstance(study := study_below(ask.source), Study):
        parts += [type(study.controller), type(study.world.terrain)]
    typed = [part for part in parts if getattr(part, "__module__", "") == "__main__"]
    return f"{typed[0].__name__} was typed in" if typed else ""


def _by_value(ask: Question) -> bool:
    """Whether Dask can send the code itself."""
    try:
        import cloudpickle

        cloudpickle.dumps(ask)
    except (ImportError, pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


# --- the folder -----------------------------------------------------------------------------------------------------------


def _opened(folder: Path, ask: Question, plan: Plan, layout: Layout) -> Store:
    named = isinstance(ask.source, str)
    text = ask.source if isinstance(ask.source, str) else source_text(ask.source)
    missing = "" if named else "; ".join(json.loads(str(text))["lost"].values())
    begin(
        folder,
        {
            "title": ask.title,
            "named": named,
            "study": text,
            "lost": missing,
            "fixed": [[name, value if _is_plain(value) else repr(value)] for name, value in ask.fixed],
            "asked": [column.row() for column in layout.asked],
            "measured": [column.row() for column in layout.measured],
            "keep": ask.keep,
            "digest": ask.digest,
            "runs": plan.count,
            "axes": {axis.name: list(axis.values) if len(axis.values) <= 10_000 else len(axis.values) for axis in plan.axes},
            "made_with": versions(),
        },
    )
    return Store(folder, layout)


def _is_plain(value: Any) -> bool:
    return isinstance(value, bool | int | float | str | list | tuple)
