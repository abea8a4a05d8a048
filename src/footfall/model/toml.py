"""TOML with bounds: text on which Python's reader would take too much memory or time is refused first.

The reader needs memory with the square of the parts of a dotted key, recursion for every bracket, and time with the square of the
digits of a whole number. Robot files have none of these.
"""

import re
import tomllib
from typing import Any

from footfall.errors import FileError

MOST_PARTS = 4  # of a dotted key
MOST_BRACKETS = 8  # within each other
MOST_DIGITS = 400  # more than any float has
MOST_ENTRIES = 600_000  # keys, tables, rows and what they hold
STRINGS = (  # also without their end: what is wrong with them is for the reader to say
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{0,5}',
    r"'''(?:[^']|'(?!''))*+'{0,5}",
    r'"(?:[^"\\\n]|\\[^\n])*+"?',
    r"'[^'\n]*+'?",
)
TOKEN = re.compile("|".join((*STRINGS, r"#[^\n]*+")), re.DOTALL)
PATH = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{MOST_PARTS}}}")
DIGITS = re.compile(rf"[0-9A-Fa-f_]{{{MOST_DIGITS + 1}}}")


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """The table that a text says; `source` is how messages call it."""
    bare = TOKEN.sub(lambda token: "" if token[0][0] == "#" else "s", text)
    if sum(map(bare.count, "=[{,")) > MOST_ENTRIES:
        raise FileError(f"{source} has more than {MOST_ENTRIES:,} entries, too many for a robot")
    if found := PATH.search(bare):
        raise FileError(f"{source} is nested too deeply to be a robot: {found[0]!r:.60}")
    if _depth(bare) > MOST_BRACKETS:
        raise FileError(f"{source} is nested too deeply to be a robot: it has more than {MOST_BRACKETS} brackets within brackets")
    if found := DIGITS.search(bare):
        raise FileError(f"{source} has a number of more than {MOST_DIGITS} digits, {found[0][:20]}...")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{source} is not valid TOML: {error!s:.200}") from None


def _depth(bare: str) -> int:
    """Most brackets that are open at once; a line that ends a table's name, or is wrong, closes none too many."""
    depth = most = 0
    for bracket in re.findall(r"[][{}]", bare):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        most = max(most, depth)
    return most
