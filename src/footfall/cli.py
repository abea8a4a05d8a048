"""The command line: composes the rooms, computes nothing. Heavy parts are imported where they are needed."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.errors import FootfallError, UnknownNameError
from footfall.version import __version__

if TYPE_CHECKING:
    from footfall.bench import Row

app = typer.Typer(
    help="Footfall: a laboratory for bipedal walking.", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def main() -> None:
    """Run a command; what Footfall refuses is one line on standard error and exit code 1."""
    try:
        app()
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        sys.exit(1)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"footfall {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")] = False,
) -> None: ...


@app.command("list")
def list_things(
    what: Annotated[str, typer.Argument(help="What to list: robots, benchmarks.")] = "robots",
    as_json: AsJson = False,
) -> None:
    """List what there is."""
    listings = {"robots": _robots, "benchmarks": _benchmarks}
    if what not in listings:
        raise UnknownNameError("listing", what, listings)
    title, rows = listings[what]()
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        _print_table(title, rows)


def _robots() -> tuple[str, list[dict]]:
    from footfall import robots

    rows = []
    for name in robots.names():
        robot = robots.load(name)
        rows.append(
            {
                "name": name,
                "space": robot.space,
                "links": len(robot.links),
                "degrees of freedom": robot.nv,
                "mass kg": float(f"{robot.mass:.6g}"),
                "origin": robot.origin,
            }
        )
    return "Robots", rows


def _benchmarks() -> tuple[str, list[dict]]:
    import importlib

    from footfall import bench

    modules = {name: importlib.import_module(f"footfall.bench.{name}") for name in bench.names()}
    return "Benchmarks", [{"name": name, "about": (module.__doc__ or "").strip()} for name, module in modules.items()]


@app.command("bench")
def bench_command(
    names: Annotated[list[str] | None, typer.Argument(help="Which benchmarks; all if none is named.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure ratios against the peers, in one run."""
    from footfall import bench

    chosen = names or bench.names()
    for name in chosen:
        if name not in bench.names():
            raise UnknownNameError("benchmark", name, bench.names())
    rows: list[Row] = []
    with _Progress(quiet=as_json) as progress:
        for name in chosen:
            progress.say(f"measuring {name} ...")
            for row in bench.measure(name):
                rows.append(row)
                progress.say(f"measured {row.name}")
    if as_json:
        keys = ("name", "footfall", "peer", "peer_name", "unit", "ratio")
        print(json.dumps([{key: getattr(row, key) for key in keys} for row in rows], indent=1))
        return
    table = [
        {
            "what": row.name,
            "Footfall": f"{row.footfall:.3g} {row.unit}",
            "peer": "" if row.peer is None else f"{row.peer:.3g} {row.unit}, {row.peer_name}",
            "ratio": "" if row.ratio is None else f"{row.ratio:.2f}",
            "goal": row.goal,
        }
        for row in rows
    ]
    _print_table("Benchmarks", table)
    for how in dict.fromkeys(row.how for row in rows):
        print(f"  {how}")


class _Progress:
    """One line that changes, on a terminal only."""

    def __init__(self, quiet: bool):
        from rich.console import Console

        self._status = Console(stderr=True, quiet=quiet).status("")

    def __enter__(self) -> "_Progress":
        self._status.start()
        return self

    def say(self, text: str) -> None:
        self._status.update(text)

    def __exit__(self, *_: object) -> None:
        self._status.stop()


def _print_table(title: str, rows: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for key, value in rows[0].items():
        table.add_column(key, justify="right" if isinstance(value, (int, float)) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(f"{value:g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
