"""The table of a sweep: its columns, and rows as Arrow has them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from footfall.errors import FileError
from footfall.sim.parameters import Parameter
from footfall.sweeps.measures import Measure
from footfall.sweeps.question import Row

WORD = pa.dictionary(pa.int32(), pa.string())
KINDS = {"number": pa.float64(), "count": pa.int64(), "flag": pa.bool_(), "choice": WORD, "words": WORD}
FIGURES = {"float": pa.float64(), "bool": pa.bool_()}
BEFORE = (("key", pa.string()),)
AFTER = (
    ("outcome", WORD),
    ("reason", pa.string()),
    ("time", pa.float64()),
    ("error", pa.string()),
    ("wall", pa.float64()),
    ("versions", WORD),
)


@dataclass(frozen=True)
class Column:
    """A column of what was asked, or of what came out; a row of numbers has a column for each of them."""

    name: str
    kind: str
    unit: str = ""
    help: str = ""
    size: int = 0  # of a row of numbers; 0 is one number

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{i}" for i in range(self.size)) if self.size else (self.name,)

    def row(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def asked_column(parameter: Parameter, values: Sequence[Any]) -> Column:
    """The column of a parameter with such values."""
    rule = parameter.rule
    sizes = {len(value) if isinstance(value, tuple) else 0 for value in values if value is not None}
    if len(sizes) > 1:
        raise FileError(
            f"{parameter.name} is varied over rows of different lengths ({sorted(sizes)}), which have no common columns"
        )
    size = max(sizes, default=0) if rule["kind"] == "number" else 0
    return Column(parameter.name, rule["kind"], rule.get("unit", ""), rule.get("help", ""), size)


def measured_column(measure: Measure) -> Column:
    """The column of a measure."""
    return Column(measure.name, measure.kind, measure.unit, measure.help)


@dataclass(frozen=True)
class Layout:
    """All columns."""

    asked: tuple[Column, ...]
    measured: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        asked = [pa.field(name, KINDS[column.kind]) for column in self.asked for name in column.names]
        measured = [pa.field(column.name, FIGURES[column.kind]) for column in self.measured]
        before, after = ([pa.field(*each) for each in part] for part in (BEFORE, AFTER))
        return pa.schema([*before, *asked, *measured, *after])

    def table(self, rows: Sequence[Row], versions: str) -> pa.Table:
        """Rows as a table."""
        columns: dict[str, list] = {"key": [row.key for row in rows]}
        for i, column in enumerate(self.asked):
            given = [row.values[i] for row in rows]
            if column.size:
                parts = [value or (None,) * column.size for value in given]
                columns |= {name: [part[k] for part in parts] for k, name in enumerate(column.names)}
            else:
                columns[column.name] = [",".join(each) if isinstance(each, tuple) else each for each in given]
        for i, column in enumerate(self.measured):
            columns[column.name] = [row.figures[i] for row in rows]
        for name in ("outcome", "reason", "time", "error", "wall"):
            columns[name] = [getattr(row, name) for row in rows]
        columns["versions"] = [versions] * len(rows)
        return pa.table([pa.array(columns[each.name], each.type) for each in self.schema], schema=self.schema)

    def sorted(self, table: pa.Table) -> pa.Table:
        """In the order of what was asked, each run once."""
        names = [name for column in self.asked for name in column.names]
        words = {name for column in self.asked for name in column.names if KINDS[column.kind] == WORD}
        plain = (
            table.cast(pa.schema([pa.field(f.name, pa.string()) if f.name in words else f for f in table.schema]))
            if words
            else table
        )
        order = pa.compute.sort_indices(plain, [(name, "ascending") for name in (*names, "key")])
        table = table.take(order)
        keys = table.column("key").combine_chunks()
        if len(keys) < 2:
            return table
        new = pa.compute.not_equal(keys[1:], keys[:-1])
        if pa.compute.all(new).as_py():
            return table
        return table.filter(
            pa.concat_arrays([pa.array([True]), new.combine_chunks() if isinstance(new, pa.ChunkedArray) else new])
        )
