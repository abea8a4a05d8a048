"""Runs as files (Parquet): a column for every series; study, events and versions beside them. Reading executes nothing."""

import hashlib
import json
import os
import warnings
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from llvmlite.binding import get_host_cpu_name

from footfall.engines.engine import Engine
from footfall.engines.events import EVENTS, Event, Outcome
from footfall.engines.series import MODES, blank
from footfall.errors import FileError, FootfallError, UnknownNameError
from footfall.files import open_file, write_whole
from footfall.sim.control_record import WANTED, Column
from footfall.sim.run import Run
from footfall.sim.sensing import recorded_columns
from footfall.sim.study import Study
from footfall.sim.study_json import LostEngine, build, parse_json, parse_study, study_text
from footfall.version import __version__

FORMAT, VERSION = "footfall-run", "3"
BESIDE = ("made_with", "study", "pads", "events", "outcome", "reason", "wall", "more")  # the columns, each as JSON
MOST_NUMBERS = 500_000_000  # 4 GB
FEW_NUMBERS = 20_000_000  # for which nobody lacks memory
KINDS = {np.dtype(np.float64): "float", np.dtype(np.int64): "int"}


class VersionWarning(UserWarning):
    """A run that other versions or another processor made; a replay may differ in the last bits."""


class TooLongError(FileError):
    """A run that no file can hold."""


def versions(engine: Engine | None = None) -> dict[str, str]:
    """The versions on which the bits of a run depend, besides its study; with those of packages that its engine needs."""
    own = {"footfall": __version__, "numba": version("numba"), "numpy": version("numpy"), "processor": get_host_cpu_name()}
    return own | (engine.made_with() if engine else {})


# --- writing --------------------------------------------------------------------------------------------------------------


def save_run(run: Run, path: str | Path) -> None:
    """Write a run with its study. The file appears when it is complete, or not at all."""
    if str(path).lower().endswith(".csv"):
        raise FileError(f"{path}: save writes Parquet, with the study; run.to_csv writes a table of numbers")
    try:
        write_whole(path, run_bytes(run))
    except TooLongError as error:
        raise FileError(f"{path}: {error}") from None


def run_bytes(run: Run) -> pa.Buffer:
    """What the file of a run holds."""
    series = run.columns()
    if len(run.time) * len(series) > MOST_NUMBERS:
        raise TooLongError(f"the run has more than {MOST_NUMBERS:,} numbers, too many for a file; make `record_dt` larger")
    texts = {name: json.dumps(value) for name, value in _written(run).items()} | {"study": study_text(run.study)}
    columns = [pa.array(np.ascontiguousarray(column)) for column in series.values()]
    fields = [pa.field(name, column.type, nullable=False) for name, column in zip(series, columns, strict=True)]
    schema = pa.schema(fields, {"format": FORMAT, "version": VERSION, **texts, "check": _check_sum(texts, series.values())})
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), out, compression="zstd", use_dictionary=False)
    return out.getvalue()


def _written(run: Run) -> dict[str, Any]:
    """The metadata beside the columns and the study."""
    events = [{"time": event.time, "kind": event.kind, "which": event.which, "numbers": event.numbers} for event in run.events]
    ended = {"outcome": run.outcome.value, "reason": run.reason, "wall": float(run.wall)}
    more = [{"name": name, "kind": KINDS[column.dtype], "labels": run.labels.get(name, ())} for name, column in run.more.items()]
    return {"made_with": versions(run.study.engine), "pads": run.pads, "events": events, "more": more, **ended}


def _check_sum(texts: dict[str, str], columns: Iterable[np.ndarray]) -> str:
    """Checksum of everything that is read from a file, so that no damage goes unnoticed."""
    total = hashlib.sha256()
    for name in BESIDE:
        total.update(texts[name].encode())
    for column in columns:
        total.update(np.ascontiguousarray(column).data)
    return total.hexdigest()


# --- reading --------------------------------------------------------------------------------------------------------------


def load_run(path: str | Path) -> Run:
    """Read a run that `save_run` wrote. Warns when other versions made it: then a replay may differ in the last bits."""
    content = open_file(path)
    try:
        with content:
            run, made_with = _read(content)
    except FootfallError as error:
        raise FileError(f"{path}: {error}") from None
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        what = str(error).strip().split("\n")[0]
        raise FileError(f"{path} is not a Parquet file, or not a whole one: {what:.200}") from None
    here = versions(run.study.engine)
    if made_with != here:
        differ = [f"{name} {made_with.get(name)} (here {here[name]})" for name in here if made_with.get(name) != here[name]]
        warnings.warn(f"{path} was made with {', '.join(differ)}: bits of a replay may differ", VersionWarning, stacklevel=3)
    return run


def _read(content: Any) -> tuple[Run, dict[str, str]]:
    size = os.fstat(content.fileno()).st_size  # no text or list is longer than the file that holds it, whatever it says
    file = pq.ParquetFile(content, thrift_string_size_limit=max(size, 1), thrift_container_size_limit=max(size, 1))
    texts = _texts(file)
    beside = _beside(texts)
    made_with = beside.pop("made_with")
    empty, rows = _blank(beside, 0), file.metadata.num_rows
    _check_columns(file, empty)
    if rows * len(empty.columns()) > FEW_NUMBERS:  # look at one column after the other, before there is room for all
        _verify(texts, (_column(file, name, rows) for name in empty.columns()))
    run = _blank(beside, rows)
    for name, column in run.columns().items():
        column[:] = _column(file, name, rows)
    _check_numbers(run)
    _verify(texts, run.columns().values())
    return run, made_with


def _column(file: pq.ParquetFile, name: str, rows: int) -> np.ndarray:
    found = file.read(columns=[name]).column(name)
    if found.null_count or len(found) != rows:
        raise FileError(f"column {name!r} has holes, or another length than the others")
    return found.to_numpy()


def _verify(texts: dict[str, str], columns: Iterable[np.ndarray]) -> None:
    if _check_sum(texts, columns) != texts["check"]:
        raise FileError("its check sum is wrong: it is damaged, or was changed after it was saved")


def _check_numbers(run: Run) -> None:
    if not np.all(np.diff(run.time) > 0.0):
        raise FileError("the times do not ascend")
    if np.any(run.mode >= len(MODES)):
        raise FileError(f"a mode of contact must be below {len(MODES)}, got {run.mode.max()}")


def _texts(file: pq.ParquetFile) -> dict[str, str]:
    """The metadata beside the columns, if this is a run file."""
    found = file.metadata.metadata or {}
    texts = {name: found[name.encode()].decode() for name in ("format", "version", *BESIDE, "check") if name.encode() in found}
    if texts.get("format") != FORMAT:
        raise FileError(f"this is a Parquet file, but not a run: its metadata do not say format = {FORMAT!r}")
    if texts.get("version") != VERSION:
        had = texts.get("version", "none")
        raise FileError(
            f"this run has format version {had:.20}, of another Footfall; this one reads version {VERSION}: run its study again"
        )
    if missing := [name for name in (*BESIDE, "check") if name not in texts]:
        raise FileError(f"this run lacks {', '.join(missing)}")
    return texts


def _beside(texts: dict[str, str]) -> dict[str, Any]:
    """The same, understood."""
    study = parse_study(texts["study"], "study")
    study.start()
    data = {name: parse_json(texts[name], name) for name in BESIDE if name != "study"}
    for name, kind in {
        "outcome": str,
        "reason": str,
        "wall": float,
        "pads": list,
        "events": list,
        "made_with": dict,
        "more": list,
    }.items():
        if not isinstance(data[name], kind):
            raise FileError(f"{name} must be a {kind.__name__}, got {data[name]!r:.60}")
    known = {outcome.value: outcome for outcome in Outcome}
    if data["outcome"] not in known:
        raise UnknownNameError("outcome (of a run)", data["outcome"], known)
    parts = {"pads": _pads(study, data["pads"]), "events": _events(data["events"]), "outcome": known[data["outcome"]]}
    return data | {"study": study, "more": _more(study, data["more"]), **parts}


def _check_columns(file: pq.ParquetFile, run: Run) -> None:
    """The columns must be those of the study."""
    wanted = {name: pa.from_numpy_dtype(column.dtype) for name, column in run.columns().items()}
    schema = file.schema_arrow
    for name in wanted:
        if schema.names.count(name) != 1:
            raise FileError(f"the column {name!r}, which the study asks for, is there {schema.names.count(name)} times")
        if schema.field(name).type != wanted[name]:
            raise FileError(f"column {name!r} must be of type {wanted[name]}, got {schema.field(name).type}")
    if more := [name for name in schema.names if name not in wanted]:
        raise FileError(f"the column {more[0]!r:.80} is none that the study asks for")
    about, groups = file.metadata, range(file.metadata.num_row_groups)
    if about.num_rows < 0 or about.num_rows != sum(about.row_group(i).num_rows for i in groups):
        raise FileError(f"it says that it has {about.num_rows} rows, but has another number of them")
    if about.num_rows * len(wanted) > MOST_NUMBERS:
        raise FileError(f"it has more than {MOST_NUMBERS:,} numbers, too many for a run")


def _blank(beside: dict[str, Any], rows: int) -> Run:
    """The run with all series at zero."""
    more = {column.name: np.zeros(rows, column.dtype) for column in beside["more"]}
    labels = {column.name: column.labels for column in beside["more"] if column.labels}
    return Run(**beside | {"more": more, "labels": labels}, **blank(beside["study"].robot, beside["pads"], rows))


def _more(study: Study, rows: list) -> list[Column]:
    """The columns that the study asked for besides; those of its controller are as they were declared when the file was made."""
    kinds = {name: dtype for dtype, name in KINDS.items()}
    found = []
    for row in rows:
        if not isinstance(row, dict) or row.keys() != {"name", "kind", "labels"} or row["kind"] not in kinds:
            raise FileError(f"more must be a list of columns with name, kind ({', '.join(kinds)}) and labels, got {row!r:.80}")
        if not (isinstance(row["name"], str) and isinstance(row["labels"], list) and all(map(_is_word, row["labels"]))):
            raise FileError(f"a column and its labels must be words, got {row!r:.80}")
        found.append(Column(row["name"], kinds[row["kind"]], tuple(row["labels"])))
    sensed = [Column(name, np.dtype(float)) for name in recorded_columns(study)]
    own = [column.name for column in found[len(sensed) :]]
    asked = any(name in WANTED for name in study.record)
    odd = [name for name in own if not asked or not name.startswith("controller.") or own.count(name) > 1]
    if found[: len(sensed)] != sensed or odd:
        wanted = [column.name for column in sensed] + ["controller.*"] * asked
        raise FileError(f"its further columns are not those that the study records ({', '.join(wanted) or 'none':.200})")
    return found


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _pads(study: Study, pads: list) -> tuple[str, ...]:
    wanted = list(study.engine.pads(study.robot, study.world.bodies))
    if isinstance(study.engine, LostEngine):
        wanted = pads if all(isinstance(pad, str) for pad in pads) and len(set(pads)) == len(pads) else []
    if pads != wanted:
        raise FileError(f"pads must be those that this study has ({', '.join(wanted)}), got {pads!r:.80}")
    return tuple(pads)


def _events(rows: list) -> tuple[Event, ...]:
    events = tuple(build(Event, row, f"events[{i}]") for i, row in enumerate(rows))
    if odd := [event.kind for event in events if event.kind not in EVENTS]:
        raise FileError(f"the kind of an event must be one of {', '.join(EVENTS)}, got {odd[0]!r:.60}")
    return events
