"""A sweep that was made: its table, statistics of it, the study and the run of each row."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from footfall.errors import FileError, FootfallError, MissingPartError, UnknownNameError
from footfall.files import as_path
from footfall.shown import Shown
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sweeps.ordeals import parse_source
from footfall.sweeps.question import Question
from footfall.sweeps.rows import Column, Layout
from footfall.sweeps.statistics import LEVEL, statistics
from footfall.sweeps.store import MANIFEST, manifest, read_rows

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Shown):
    """Runs of one study with other parameters and seeds, a row each, in the order of what was asked."""

    title: str  # of the study
    layout: Layout
    table: pa.Table
    asked: int  # runs; fewer rows are there if it was interrupted
    folder: Path | None = None
    question: Question | None = None

    def __len__(self) -> int:
        return self.table.num_rows

    def __repr__(self) -> str:
        over = " and ".join(column.name for column in self.layout.asked) or "nothing"
        rest = "" if self.complete else f" of {self.asked:,}"
        failed = f", {self.failed:,} with errors" if self.failed else ""
        return f"<Sweep of {self.title!r} over {over}: {len(self):,}{rest} runs{failed}>"

    @property
    def complete(self) -> bool:
        return len(self) >= self.asked

    @property
    def failed(self) -> int:
        """Runs in which something failed: the column `error` says what."""
        return len(self) - int(pc.sum(pc.equal(self.table.column("error"), "")).as_py() or 0)

    @staticmethod
    def load(folder: Any) -> "Sweep":
        """Read a sweep from its folder, also while it is made. Nothing in it is executed."""
        folder = as_path(folder)
        said = manifest(folder)
        if said is None:
            raise FileError(f"{folder} has no sweep: there is no {MANIFEST} in it")
        try:
            layout = Layout(*(tuple(Column(**each) for each in said[name]) for name in ("asked", "measured")))
            schema_fits = all(isinstance(name, str) for column in (*layout.asked, *layout.measured) for name in column.names)
            title, runs = str(said["title"]), int(said["runs"])
            layout.schema  # noqa: B018  # kinds that are not known have no type
        except (KeyError, TypeError, ValueError):
            schema_fits = False
        if not schema_fits:
            raise FileError(f"{folder / MANIFEST} does not say what was asked in a sweep")
        return Sweep(title, layout, read_rows(folder, layout), runs, folder)

    def to_pandas(self) -> "pandas.DataFrame":
        """The table of pandas."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise MissingPartError("a table of pandas needs pandas: pip install pandas; `table` is one of Arrow") from None
        return self.table.to_pandas()

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by name."""
        if name not in self.table.column_names:
            raise UnknownNameError("column (of this sweep)", name, self.table.column_names)
        return self.table.column(name).to_numpy()

    def column(self, name: str) -> Column:
        """What a column of parameters or measures means; the last word of a parameter is enough."""
        known = {column.name: column for column in (*self.layout.asked, *self.layout.measured)}
        ends = [each for each in known if each.split(".")[-1] == name]
        if name not in known and len(ends) != 1:
            raise UnknownNameError("parameter or measure (of this sweep)", name, known)
        return known[name] if name in known else known[ends[0]]

    def varied(self) -> list[str]:
        """Columns of parameters that have more than one value, without the seed."""
        names = [name for column in self.layout.asked for name in column.names]
        return [name for name in names if name != "seed" and pc.count_distinct(self.table.column(name)).as_py() > 1]

    def range_text(self, column: Column) -> str:
        """The values of a parameter in a few words."""
        unit = f" {column.unit}" if column.unit not in ("", "1") else ""
        texts = []
        for name in column.names:
            values = pc.unique(self.table.column(name))
            if pa.types.is_dictionary(values.type) or pa.types.is_boolean(values.type) or len(values) < 2:
                texts.append(", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values.to_pylist()))
            else:
                low, high = pc.min_max(values).as_py().values()
                texts.append(f"{low:g} to {high:g}{unit}, {len(values):,} values")
        return "; ".join(texts)

    def means(self) -> list[tuple[Column, str]]:
        """Each measure with its mean and interval over all runs, in words."""
        found = []
        for column in self.layout.measured:
            row = self.statistics(column.name, ()).to_pylist()[0]
            if not row["runs"]:
                found.append((column, "no run has it"))
            elif column.kind == "bool":
                found.append((column, f"{100 * row['mean']:.4g} % ({100 * row['low']:.3g} to {100 * row['high']:.3g} %)"))
            else:
                unit = f" {column.unit}" if column.unit not in ("", "1") else ""
                found.append((column, f"{row['mean']:.5g}{unit} ({row['low']:.4g} to {row['high']:.4g})"))
        return found

    def errors(self) -> list[tuple[int, str]]:
        """Rows in which something failed, and what."""
        wrong = np.flatnonzero(pc.not_equal(self.table.column("error"), "").to_numpy())
        texts = self.table.column("error").take(pa.array(wrong)).to_pylist()
        return list(zip(wrong.tolist(), texts, strict=True))

    # --- statistics -------------------------------------------------------------------------------------------------------

    def statistics(
        self, measure: str, along: Sequence[str] | str | None = None, *, bins: int = 0, level: float = LEVEL
    ) -> pa.Table:
        """For each combination of values of the parameters `along` (all that vary, if left out): `runs` that have the measure,
        its `mean`, and an interval of confidence from `low` to `high`.

        The interval is Wilson's for a share, such as of those that survived, and Student's for other means. Numbers with more
        values than `bins` are put into so many bins, and go by the middle of theirs.
        """
        names = self.varied() if along is None else [along] if isinstance(along, str) else list(along)
        return statistics(self.table, [self.varied_name(name) for name in names], self.column(measure), bins, level)

    def varied_name(self, name: str) -> str:
        """The column of a parameter; the last word of its name is enough."""
        known = [each for column in self.layout.asked for each in column.names]
        ends = [each for each in known if each.split(".")[-1] == name]
        if name not in known and len(ends) != 1:
            raise UnknownNameError("parameter (that this sweep varies)", name, known)
        return name if name in known else ends[0]

    # --- runs -------------------------------------------------------------------------------------------------------------

    def study(self, row: int) -> Study:
        """The study of a row."""
        question = self.question or self._asked()
        return question.study(self._values(row))

    def run(self, row: int) -> Run:
        """The run of a row: the one that was kept, or the same simulated again."""
        self._check(row)
        if self.folder is not None:
            path = self.folder / "runs" / f"{self.table.column('key')[row].as_py()}.parquet"
            if path.exists():
                return Run.load(path)
        from footfall.sim.simulate import simulate

        return simulate(self.study(row))

    def _check(self, row: int) -> None:
        if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < len(self):
            raise FootfallError(f"a row of this sweep is a whole number from 0 to {len(self) - 1}, got {row!r:.60}")

    def _values(self, row: int) -> tuple[Any, ...]:
        self._check(row)
        found = []
        for column in self.layout.asked:
            given = [self.table.column(name)[int(row)].as_py() for name in column.names]
            value: Any = tuple(given) if column.size else given[0]
            if column.kind == "words":
                value = tuple(value.split(",")) if value else ()
            found.append(None if column.size and value == (None,) * column.size else value)
        return tuple(found)

    def _asked(self) -> Question:
        """The question, from what the folder says."""
        said = manifest(self.folder) if self.folder is not None else None
        if said is None or said.get("lost"):
            raise FileError(
                f"{self.folder or 'this sweep'}: the study cannot be had again, {said['lost'] if said else 'with no folder'}; "
                "give the same study to ff.sweep with the same folder"
            )
        source = said["study"] if said["named"] else parse_source(said["study"], f"{self.folder}/{MANIFEST}")
        names = tuple(column.name for column in self.layout.asked)
        return Question(source, tuple((name, value) for name, value in said["fixed"]), names, (), False, said["digest"])

    def plot(self, measure: str | None = None, along: Sequence[str] | str | None = None, path: Any = None) -> "Figure":
        """Draw a measure along one parameter, with its band of confidence, or over two, as a map; saved to `path`."""
        from footfall.view import sweep_plot  # an import that goes up: a sweep offers its pictures, and knows nothing of them

        return sweep_plot(self, measure, along, path)
