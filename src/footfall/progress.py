"""A bar for what takes longer than two seconds: in a notebook, or on a terminal; elsewhere nothing is shown."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

PATIENCE = 2.0  # s before a bar appears
OFTEN = 0.1  # s between changes of it


@contextmanager
def told(title: str, progress: Callable[..., None] | None = None) -> Iterator[Callable[..., None]]:
    """A function that is told the part that is done, 0 to 1: the one given, or that of a bar, which may be told a text too."""
    if progress is not None:
        yield progress
        return
    bar = _Bar(title)
    try:
        yield bar.tell
    finally:
        bar.close()


class _Bar:
    def __init__(self, title: str):
        self.title, self.began, self.last = title, time.monotonic(), 0.0
        self.shown: Any = None

    def tell(self, part: float, text: str = "") -> None:
        now = time.monotonic()
        if now - self.began < PATIENCE or now - self.last < OFTEN:
            return
        self.last = now
        if self.shown is None:
            self.shown = (_Notebook if _in_notebook() else _Terminal)(self.title)
        self.shown.update(part, text)

    def close(self) -> None:
        if self.shown is not None:
            self.shown.close()


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return bool(shell) and hasattr(shell, "kernel")


class _Notebook:
    """A bar in the output of a cell, gone when all is done."""

    def __init__(self, title: str):
        from IPython.display import display

        self.title = title
        self.handle: Any = display(self._html(0.0), display_id=True)

    def _html(self, part: float, text: str = "") -> Any:
        from IPython.display import HTML

        return HTML(f"{escape(self.title)} <progress value='{part:.3f}' max='1'></progress> {100 * part:.0f} % {escape(text)}")

    def update(self, part: float, text: str = "") -> None:
        self.handle.update(self._html(part, text))

    def close(self) -> None:
        from IPython.display import HTML

        self.handle.update(HTML(""))


class _Terminal:
    """A bar on standard error, if that is a terminal."""

    def __init__(self, title: str):
        from rich.console import Console
        from rich.progress import Progress

        self.bars = Progress(console=Console(stderr=True, quiet=not sys.stderr.isatty()), transient=True)
        self.bars.start()
        self.title = title
        self.task = self.bars.add_task(title, total=1.0)

    def update(self, part: float, text: str = "") -> None:
        self.bars.update(self.task, completed=part, description=f"{self.title} {text}".strip())

    def close(self) -> None:
        self.bars.stop()
