"""The folder of a sweep: `sweep.json` says what was asked, `parts/*.parquet` have the rows, `runs/KEY.parquet` whole runs.

A part is written whole, beside its place, and then takes it; nothing that is there is ever changed. Small parts are merged: the
merged part is there before the small ones go, and rows that are there twice count once. So a reader, and a second client that
writes to the same folder, always find all rows.
"""

import itertools
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from footfall.errors import FileError
from footfall.files import as_path, read_text, write_whole
from footfall.sim.run_file import versions
from footfall.sim.study_json import parse_json
from footfall.sweeps.question import Row
from footfall.sweeps.rows import Layout

FORMAT, VERSION = "footfall-sweep", "1"
MANIFEST = "sweep.json"
MOST_BYTES = 500_000_000  # of the manifest
MERGED = 32  # parts of one level that become one of the next
TRIES = 20  # to read parts while another client merges its own


class Store:
    """Where rows of a sweep are kept."""

    def __init__(self, folder: Any, layout: Layout):
        self.folder, self.layout = as_path(folder), layout
        self.client = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.made_with = versions_text(versions())
        self._number = itertools.count()
        self._levels: list[list[Path]] = []
        self._keys: set[str] = set()
        self._read: set[str] = set()

    @property
    def parts(self) -> Path:
        return self.folder / "parts"

    def add(self, rows: Sequence[Row]) -> None:
        """Keep rows: when this returns, they are on disk."""
        for row in rows:
            if row.run is not None:
                write_whole(self.folder / "runs" / f"{row.key}.parquet", row.run)
        self._write(self.layout.table(rows, self.made_with), 0)
        self._keys.update(row.key for row in rows)

    def known(self, key: str) -> bool:
        """Whether a row was there at the last `refresh`, or was added since."""
        return key in self._keys

    def refresh(self) -> None:
        """Look for rows of other clients, or of an earlier time."""
        for path in paths(self.folder):
            if path.name not in self._read:
                try:
                    self._keys.update(read_part(path, ["key"]).column("key").to_pylist())
                except FileNotFoundError:
                    continue  # merged into another one, which is seen next time
                except (OSError, pa.ArrowException) as error:
                    raise damaged(path, error) from None
                self._read.add(path.name)

    def _write(self, table: pa.Table, level: int) -> None:
        path = self.parts / f"{level}-{self.client}-{next(self._number):06}.parquet"
        self._read.add(path.name)
        write_whole(path, encoded(table))
        while len(self._levels) <= level:
            self._levels.append([])
        self._levels[level].append(path)
        if len(self._levels[level]) >= MERGED:
            self._merge(level)

    def _merge(self, level: int) -> None:
        small, self._levels[level] = self._levels[level], []
        self._write(pa.concat_tables([read_part(path) for path in small]).combine_chunks(), level + 1)
        for path in small:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Merge what this client has written into one part, or a few."""
        mine = [path for level in self._levels for path in level]
        if len(mine) > 1:
            self._levels = [mine]
            self._merge(0)


def read_part(path: Path, columns: list[str] | None = None) -> pa.Table:
    """The rows of a part; the names of its folders mean nothing."""
    return pq.read_table(path, columns=columns, partitioning=None)


def encoded(table: pa.Table) -> pa.Buffer:
    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


def paths(folder: Path) -> list[Path]:
    """The parts that are there at this moment."""
    return sorted((folder / "parts").glob("*.parquet"))


def read_rows(folder: Path, layout: Layout) -> pa.Table:
    """All rows, sorted, each once."""
    schema = layout.schema
    for _ in range(TRIES):
        try:
            tables = [_part(path, schema) for path in paths(folder)]
        except FileNotFoundError:
            continue  # another client has just merged its parts
        return layout.sorted(pa.concat_tables([schema.empty_table(), *tables]).unify_dictionaries())
    raise FileError(f"{folder}: parts appear and disappear faster than they can be read; ask again in a moment")


def _part(path: Path, schema: pa.Schema) -> pa.Table:
    try:
        found = read_part(path)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise damaged(path, error) from None
    if found.schema.names != schema.names or found.schema.types != schema.types:
        raise FileError(f"{path} has other columns than the sweep ({', '.join(schema.names)}): it belongs to another one")
    return found


def damaged(path: Path, error: Exception) -> FileError:
    what = str(error).strip().split("\n")[0]
    return FileError(f"{path} is damaged ({what:.120}); remove it and ask again: only its runs are computed again")


# --- what was asked -------------------------------------------------------------------------------------------------------


def manifest(folder: Path) -> dict[str, Any] | None:
    """What was asked, as plain data; None if there is no sweep."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    data = parse_json(read_text(path, MOST_BYTES, "a sweep"), str(path))
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError(f"{path} does not say what was asked in a sweep")
    if data.get("version") != VERSION:
        raise FileError(f"{path} is of another Footfall (version {data.get('version')!r:.20} of its format; here {VERSION})")
    return data


def begin(folder: Path, asked: dict[str, Any]) -> None:
    """Make the folder that of a sweep, or go on with it if the same is asked over the same parameters."""
    before = manifest(folder)
    if before is not None:
        _check_same(folder, before, asked)
    elif folder.exists() and any(folder.iterdir()):
        raise FileError(f"{folder} has other files, and no sweep; name another folder")
    try:
        for path in (folder / "parts", *([folder / "runs"] if asked["keep"] else [])):
            path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} is no folder to write to: {error.strerror or error}") from None
    write_whole(folder / MANIFEST, json.dumps({"format": FORMAT, "version": VERSION, **asked}, indent=1))


def _check_same(folder: Path, before: dict[str, Any], asked: dict[str, Any]) -> None:
    had, has = (each.get("made_with", {}).get("footfall") for each in (before, asked))
    if had != has:
        raise FileError(
            f"{folder} holds a sweep that was begun with Footfall {had}, and this is Footfall {has}; name another folder, or "
            "go on with the version that began it"
        )
    for key, what in (
        ("study", "study"),
        ("fixed", "values for all runs"),
        ("asked", "varied parameters"),
        ("measured", "measures"),
    ):
        if before.get(key) != json.loads(json.dumps(asked[key])):
            raise FileError(f"{folder} holds a sweep with another {what}; name another folder. It has {_short(before.get(key))}")
    for key, what in (("keep", "wish for whole runs"), ("digest", "study, or code of its measures")):
        if before.get(key) != asked[key]:
            raise FileError(f"{folder} holds a sweep with another {what}; name another folder")


def _short(data: Any) -> str:
    if isinstance(data, list):
        return ", ".join(str(each.get("name", each)) if isinstance(each, dict) else str(each) for each in data) or "none"
    return f"{data!r:.80}"


def versions_text(found: dict[str, str]) -> str:
    """Versions in one line."""
    return ", ".join(f"{name} {version}" for name, version in found.items())
