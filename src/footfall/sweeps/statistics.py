"""Means over the runs of a sweep, with intervals of confidence: Wilson's for a share, Student's for other means."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from footfall.sweeps.rows import Column

LEVEL = 0.95


def wilson(successes: np.ndarray, of: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Wilson (1927): the shares that are not refuted at that level by so many successes; good for few runs, and near 0 and 1."""
    from scipy.special import ndtri

    z = float(ndtri(0.5 + 0.5 * level))
    n = np.asarray(of, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = successes / n
        middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n)
        half = z / (1.0 + z * z / n) * np.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n))
    low, high = np.clip(middle - half, 0.0, 1.0), np.clip(middle + half, 0.0, 1.0)
    return np.where(share == 0.0, 0.0, low), np.where(share == 1.0, 1.0, high)


def student(mean: np.ndarray, deviation: np.ndarray, of: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """The means that are not refuted at that level, for values that spread like a normal distribution; NaN for fewer than two."""
    from scipy.special import stdtrit

    n = np.asarray(of, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = stdtrit(np.where(n > 1, n - 1.0, np.nan), 0.5 + 0.5 * level)
        half = t * np.asarray(deviation, float) / np.sqrt(n)
    return mean - half, mean + half


def statistics(table: pa.Table, names: list[str], column: Column, bins: int, level: float) -> pa.Table:
    """Of a measure, for each combination of values in columns: `runs`, `mean`, `low`, `high`."""
    values = table.column(column.name).cast(pa.float64())
    values = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    plain = pa.table({**{name: _binned(table.column(name), bins) for name in names}, "value": values})
    spread = pc.VarianceOptions(ddof=1, min_count=2)
    wanted = [("value", "count"), ("value", "mean"), ("value", "stddev", spread)]
    found = plain.group_by(names, use_threads=False).aggregate(wanted)
    count, mean = found.column("value_count").to_numpy(), found.column("value_mean").to_numpy(zero_copy_only=False)
    if column.kind == "bool":
        low, high = wilson(mean * count, count, level)
    else:
        low, high = student(mean, found.column("value_stddev").to_numpy(zero_copy_only=False), count, level)
    ends = found.select(names) if names else pa.table({})
    for name, each in (("runs", count), ("mean", mean), ("low", low), ("high", high)):
        ends = ends.append_column(name, pa.array(each)) if ends.num_columns else pa.table({name: each})
    return ends.sort_by([(name, "ascending") for name in names]) if names else ends


def _binned(values: pa.ChunkedArray, bins: int) -> Any:
    """The middles of bins, of numbers that have more values than there shall be bins."""
    numbers = pa.types.is_floating(values.type) or pa.types.is_integer(values.type)
    if not bins or not numbers or pc.count_distinct(values).as_py() <= bins:
        return values
    low, high = (float(end) for end in pc.min_max(values).as_py().values())
    part = np.clip(np.floor((values.to_numpy() - low) / (high - low) * bins), 0, bins - 1)
    return pa.array(low + (part + 0.5) * (high - low) / bins)
