"""The live laboratory: a simulation that runs in real time, seen and changed in the browser.

From the bottom up: `clock` and `camera`; `source`, the motion that is shown, live or played back; `session`, the thread that
drives it and takes commands between ticks; `scene`, `overlays`, `panels`, `charts`, the page; `guard`, a server that answers its
own page only. All but the last four work without a browser.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """`Lab`, when it is asked for: it needs viser and matplotlib."""
    if name == "Lab":
        from footfall.lab.lab import Lab

        return Lab
    raise AttributeError(f"module 'footfall.lab' has no attribute {name!r}")
