"""`footfall warm`: compile ahead of need."""

import sys
import time
from typing import Annotated

import typer

from footfall.cli.terminal import Status

SELDOM = 4.0  # s between lines where there is no terminal


def warm_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="cycle, spatial-run, planar-run, dynamics, controllers; all but the last if none is named."),
    ] = None,
    cores: Annotated[int | None, typer.Option(min=1, help="How many at a time; all cores if not given.")] = None,
) -> None:
    """Compile ahead of need, on all cores: what a first run, cycle and question would wait for. Ctrl-C keeps what is done."""
    from footfall.warm import FIRST, warm

    last = time.monotonic()

    def say(text: str) -> None:
        nonlocal last
        status.say(text)
        if not sys.stderr.isatty() and time.monotonic() - last > SELDOM:
            last = time.monotonic()
            print(f"footfall warm: {text}", file=sys.stderr, flush=True)

    with Status(quiet=False) as status:
        seconds = warm(names or FIRST, cores=cores, say=say)
    print(f"compiled and kept: {', '.join(names or FIRST)} ({seconds:.0f} s)")
