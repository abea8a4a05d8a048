"""The code in the pages runs: every ```python block of a page, top to bottom, in one namespace.

A block ```output or ```toml that follows one, with nothing between but blank lines, is what it must have printed.

    python docs/snippets.py            run all pages
"""

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
PRINTED = ("output", "toml")


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    line: int  # of its first line
    follows: bool  # directly on the block before


class SnippetError(Exception):
    """A page that does not do what it shows."""


def pages() -> list[Path]:
    """All pages with Python to run, and the README."""
    found = [HERE.parent / "README.md", *sorted(HERE.rglob("*.md"))]
    return [page for page in found if any(block.language == "python" for block in blocks(page))]


def blocks(page: str | Path) -> list[Block]:
    text, found, end = Path(page).read_text(encoding="utf-8"), [], 0
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        found.append(Block(match.group(1), match.group(2), line, not text[end : match.start()].strip()))
        end = match.end()
    return found


def run(page: str | Path) -> dict[str, Any]:
    """Run a page in a folder of its own and return what it defined; errors point to the line in the page."""
    with tempfile.TemporaryDirectory() as folder:
        return run_in(folder, page)


def run_in(folder: str | Path, page: str | Path) -> dict[str, Any]:
    """The same in a folder that is there, where the files that it writes stay."""
    page, namespace, printed = Path(page).resolve(), {"__name__": "__main__"}, ""
    with _inside(folder):
        for block in blocks(page):
            if block.language == "python":
                printed = _execute(block, page, namespace)
            elif block.language in PRINTED and block.follows:
                _compare(block, page, printed)
    return namespace


def _execute(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, namespace)
    return out.getvalue()


def _compare(block: Block, page: str | Path, printed: str) -> None:
    shown, got = ([line.rstrip() for line in text.strip().splitlines()] for text in (block.text, printed))
    if shown != got:
        raise SnippetError(f"{page}, line {block.line}: the page shows\n\n{block.text}\nbut the code prints\n\n{printed}")


@contextlib.contextmanager
def _inside(folder: str | Path) -> Any:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for each in pages():
        print(each.relative_to(HERE.parent))
        run(each)
