"""Keep what layers of control remember and follow: a row of words at every recorded instant."""

from typing import Any, NamedTuple

from footfall.core.jit import kernel


class Kept(NamedTuple):
    rows: Any  # (n, words) int
    memory: Any  # (words,) int: of all layers, one after the other
    row: Any  # (1,) int: where the next one goes


@kernel
def keep(kept):
    """Write the row of this instant; in a record without room for all rows, over the oldest one."""
    row = kept.row[0] % len(kept.rows)
    for i in range(len(kept.memory)):
        kept.rows[row, i] = kept.memory[i]
    kept.row[0] += 1
    return 0


def ask_keep(time, where):  # noqa: ARG001
    """`keep` as the loop calls it by a pointer; `frame` and `law` are bound where it is compiled."""
    return law(frame(where)) + 1  # noqa: F821
