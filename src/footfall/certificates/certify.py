"""`certify`: all trials of a gait within a budget of time, their tables, the worst runs, and a page that shows them."""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc

from footfall.certificates.gait import Gait, gait_of
from footfall.certificates.trials import Trial, trials_of, why_not
from footfall.errors import FileError, ParameterError, UnknownNameError, UnsuitableError
from footfall.files import as_path, read_text, write_whole
from footfall.model.units import read_value
from footfall.parallel import Threads, chosen
from footfall.parallel.place import executor
from footfall.progress import told
from footfall.sim.study import Study
from footfall.sim.study_json import parse_json
from footfall.sweeps.sweep import Progress, sweep
from footfall.sweeps.table import Sweep

FEWEST, MOST = 4, 200  # repetitions at each point
KEPT = 3  # runs of each trial
SURE = 0.95  # share that survives
NAME = "certificate.json"
BUDGET: dict[str, Any] = {"kind": "number", "unit": "s", "low": 1.0, "shapes": [()]}


class Ended(NamedTuple):
    """A run that did not go on walking, as a file to replay."""

    path: Path
    row: int  # of the trial's table
    value: float  # of what disturbed it


@dataclass(frozen=True)
class Verdict:
    """What came out of one trial."""

    trial: Trial
    sweep: Sweep
    rows: list[dict[str, Any]]  # for each size: value, runs, mean, low, high
    worst: tuple[Ended, ...]  # by the smallest disturbances

    @property
    def borne(self) -> tuple[float | None, float | None]:
        """Up to which size, on either side of none, at least 95 % go on walking, at it and at all smaller ones."""
        return self._reach(-1.0), self._reach(1.0)

    def _reach(self, side: float) -> float | None:
        if self.trial.from_above:
            rows = sorted(self.rows, key=lambda row: -row["value"]) if side > 0 else []
        else:
            rows = sorted((row for row in self.rows if row["value"] * side > 0), key=lambda row: abs(row["value"]))
        found = None
        for row in rows:
            if row["mean"] < SURE:
                break
            found = row["value"]
        return found

    @property
    def unit(self) -> str:
        """Of sizes, for people; with a space before it."""
        found = self.trial.unit or self.sweep.column(self.trial.size).unit
        return "" if found in ("", "1") else f" {found}"

    @property
    def borne_text(self) -> str:
        """The same in words."""
        (low, high), per = self.borne, self.trial.per
        if min(self.trial.values) < 0.0:
            return f"{(low or 0.0) / per:.4g} to {(high or 0.0) / per:.4g}{self.unit}"
        if high is None:
            return "not at any"
        return f"{'from' if self.trial.from_above else 'up to'} {high / per:.4g}{self.unit}"

    @property
    def survived(self) -> float:
        """Share of all runs."""
        return float(pc.mean(self.sweep.table.column("walks").cast("float64")).as_py() or 0.0)


@dataclass
class Certificate:
    """How a walk bears what disturbs it."""

    gait: Gait
    folder: Path
    repeats: int
    verdicts: list[Verdict] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)  # trials by title, and why they cannot be asked
    asked: int = 0
    wall: float = 0.0

    @property
    def name(self) -> str:
        return self.gait.study.name or self.gait.study.robot.name

    @property
    def complete(self) -> bool:
        """Whether all that was asked was computed."""
        return len(self.verdicts) == self.asked and all(each.sweep.complete for each in self.verdicts)

    @property
    def page(self) -> Path:
        return self.folder / "report.html"

    def __repr__(self) -> str:
        runs = sum(len(each.sweep) for each in self.verdicts)
        return f"<Certificate of {self.name!r}: {len(self.verdicts)} trials, {runs:,} runs, {self.page}>"

    def plain(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "study": self.name,
            "complete": self.complete,
            "repeats": self.repeats,
            "stride s": self.gait.stride,
            "speed m/s": self.gait.speed,
            "trials": [
                {
                    "name": each.trial.name,
                    "size": each.trial.size,
                    "runs": len(each.sweep),
                    "walks": each.survived,
                    "95 % walk from": each.borne[0],
                    "95 % walk to": each.borne[1],
                    "points": each.rows,
                    "worst": [{"file": str(ended.path), "row": ended.row, each.trial.size: ended.value} for ended in each.worst],
                }
                for each in self.verdicts
            ],
            "refused": self.refused,
            "page": str(self.page),
        }


def certify(
    study: str | Study,
    *,
    budget: float | str = "10 min",
    settings: Mapping[str, Any] | None = None,
    repeats: int | None = None,
    trials: Any = None,
    out: Any = None,
    on: Any = None,
    progress: Callable[[str, Progress], None] | None = None,
) -> Certificate:
    """Ask how a walk bears pushes, slopes, steps, slippery ground, wrong masses, inertias and gains, noise and delay.

    As many runs are made as fit into the `budget` ("10 min", or s) on the workers there are, or so many `repeats` at each point.
    `trials` names some of them. The folder `out` gets a table for each, the worst runs, `certificate.json` and `report.html`;
    asking again goes on from there.
    """
    limit = _seconds(budget)
    if repeats is not None and (isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 100_000):
        raise ParameterError(f"a certificate: repeats must be a whole number from 1 to 100,000, got {repeats!r:.60}")
    gait = gait_of(study, dict(settings or {}))
    name = gait.study.name or gait.study.robot.name
    folder = as_path(out or f"certificate-{name}")
    wanted, refused = _wanted(gait, trials)
    times = repeats or _before(folder) or _repeats(wanted, gait, limit, on)
    _begin(folder, {"study": name, "repeats": times})
    made = Certificate(gait, folder, times, refused=refused, asked=len(wanted))
    began = time.monotonic()
    with told(f"certificate of {name}", None) as bar:
        for trial in wanted:

            def tell(state: Progress, trial: Trial = trial) -> None:
                if progress:
                    progress(trial.title, state)
                else:
                    bar(state.part, f"{trial.title}: {state.text()}")

            made.verdicts.append(_tried(trial, gait, folder, times, on, tell))
            if not made.verdicts[-1].sweep.complete:  # Ctrl-C
                break
    made.wall = time.monotonic() - began
    write_whole(folder / NAME, json.dumps({**made.plain(), "repeats": times}, indent=1))
    from footfall.certificates.page import write_page

    write_page(made)
    return made


def _seconds(budget: Any) -> float:
    found = read_value(BUDGET, budget, "a certificate: budget") if isinstance(budget, str) else budget
    if isinstance(found, bool) or not isinstance(found, int | float) or not 1.0 <= found <= 1e7:
        raise ParameterError(f"a certificate: budget must be a time of 1 s or more, such as '10 min', got {budget!r:.60}")
    return float(found)


def _wanted(gait: Gait, names: Any) -> tuple[list[Trial], dict[str, str]]:
    """The trials that can be asked, and why others cannot."""
    known = {trial.name: trial for trial in trials_of(gait)}
    chosen = [word.strip() for word in names.split(",")] if isinstance(names, str) else list(names or known)
    for each in chosen:
        if each not in known:
            raise UnknownNameError("trial", each, known)
    reasons = {each: why_not(known[each]) for each in chosen}
    refused = {known[each].title: why for each, why in reasons.items() if why}
    wanted = [known[each] for each in chosen if not reasons[each]]
    if not wanted:
        raise UnsuitableError(f"study {gait.study.name!r} can be asked nothing: {next(iter(refused.values()))}")
    return wanted, refused


def _repeats(trials: list[Trial], gait: Gait, limit: float, on: Any) -> int:
    """How many at each point, by what a run costs; a power of 2, over which Sobol's points are even, if it can be."""
    place = (on if hasattr(on, "opened") else executor(on)) if on is not None else chosen(Threads())
    with place.opened() as there:
        workers = there.count
    cost = 1.5 * gait.cost + 0.005  # with all that is done besides
    found = limit * workers / (cost * sum(trial.levels for trial in trials))
    return int(np.clip(2 ** math.floor(math.log2(max(found, FEWEST))), FEWEST, MOST))


def _before(folder: Path) -> int | None:
    """The repetitions of a certificate that is gone on with."""
    path = folder / NAME
    if not path.exists():
        return None
    data = parse_json(read_text(path, 100_000_000, "a certificate"), str(path))
    found = data.get("repeats") if isinstance(data, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise FileError(f"{path} does not say how often a certificate repeats its trials; name another folder")
    return found


def _begin(folder: Path, said: dict[str, Any]) -> None:
    try:
        (folder / "worst").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} is no folder to write to: {error.strerror or error}") from None
    if not (folder / NAME).exists():
        write_whole(folder / NAME, json.dumps(said))


# --- a trial --------------------------------------------------------------------------------------------------------------


def _tried(trial: Trial, gait: Gait, folder: Path, repeats: int, on: Any, tell: Callable[[Progress], None]) -> Verdict:
    found = sweep(
        trial.ordeal,
        trial.vary(repeats),
        measure=[gait.walks, "survived", "speed"],
        settings=trial.fixed,
        out=folder / trial.name,
        on=on,
        progress=tell,
        samples=0 if trial.by_chance else repeats,
    )
    rows = [
        {"value": row[trial.size], **{key: row[key] for key in ("runs", "mean", "low", "high")}}
        for row in found.statistics("walks", trial.size).to_pylist()
    ]
    return Verdict(trial, found, rows, _keep(found, trial, folder) if found.complete else ())


def _keep(found: Sweep, trial: Trial, folder: Path) -> tuple[Ended, ...]:
    """The runs that end by the smallest disturbances, as files to replay; of equal ones those that end first."""
    table = found.table
    failed = np.flatnonzero(~table.column("walks").to_numpy(zero_copy_only=False).astype(bool))
    size = np.abs(found[trial.size][failed]) * (-1.0 if trial.from_above else 1.0)
    order = np.lexsort((found["time"][failed], size))
    kept = []
    for number, row in enumerate(failed[order][:KEPT].tolist(), start=1):
        path = folder / "worst" / f"{trial.name}-{number}.parquet"
        if table.column("error")[row].as_py():
            continue  # it has no whole run
        found.run(row).save(path)
        kept.append(Ended(path, row, float(found[trial.size][row])))
    return tuple(kept)
