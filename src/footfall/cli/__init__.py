"""The command line: composes the rooms, computes nothing. Heavy parts are imported where they are needed."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
import typer.core

from footfall.cli.certifying import certify_command
from footfall.cli.comparing import compare_command
from footfall.cli.judging import bench_command, reproduce_command
from footfall.cli.listing import list_command
from footfall.cli.live import lab_command
from footfall.cli.running import run_command
from footfall.cli.showing import show_command
from footfall.cli.sweeping import sweep_command
from footfall.cli.terminal import Command, interrupted
from footfall.cli.tuning import tune_command
from footfall.cli.walking import basin_command, bifurcation_command, continue_command, cycle_command
from footfall.cli.warming import warm_command
from footfall.errors import FootfallError
from footfall.version import __version__


class Commands(typer.core.TyperGroup):
    """All commands; those that Ctrl-C ends before they have anything to show say so too."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise interrupted("nothing more is shown or written") from None


app = typer.Typer(
    cls=Commands,
    help="Footfall: a laboratory for bipedal walking.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_command,
    "show": show_command,
    "run": run_command,
    "compare": compare_command,
    "lab": lab_command,
    "cycle": cycle_command,
    "continue": continue_command,
    "basin": basin_command,
    "bifurcation": bifurcation_command,
    "sweep": sweep_command,
    "certify": certify_command,
    "tune": tune_command,
    "bench": bench_command,
    "reproduce": reproduce_command,
    "warm": warm_command,
}
for name, command in COMMANDS.items():
    app.command(name, cls=Command)(command)


def main() -> None:
    """Run a command; what Footfall or the machine refuses is one line on standard error and exit code 1."""
    try:
        app()
    except (FootfallError, OSError) as error:
        print(f"footfall: {error}", file=sys.stderr)
    except MemoryError as error:
        print(f"footfall: this does not fit into memory; ask for less time or a smaller size ({error})", file=sys.stderr)
    else:
        return
    sys.exit(1)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"footfall {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")] = False,
) -> None: ...
