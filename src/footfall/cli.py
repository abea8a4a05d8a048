"""The command line: composes the rooms, computes nothing. Heavy parts are imported where they are needed."""

import dataclasses
import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.errors import FootfallError, UnknownNameError
from footfall.version import __version__

if TYPE_CHECKING:
    from footfall.bench import Row
    from footfall.sim.run import Run
    from footfall.sim.study import Study

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
    what: Annotated[str, typer.Argument(help="Robots, studies, benchmarks, terrains, contacts or controllers.")] = "robots",
    as_json: AsJson = False,
) -> None:
    """List what there is."""
    listings = {"robots": _robots, "studies": _studies, "benchmarks": _benchmarks}
    listings |= {kind: partial(_parts, kind) for kind in ("terrains", "contacts", "controllers")}
    if what not in listings:
        raise UnknownNameError("listing", what, listings)
    title, rows = listings[what]()
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        if "parameters" in row:
            row["parameters"] = "\n".join(_parameter(entry) for entry in row["parameters"])
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


def _studies() -> tuple[str, list[dict]]:
    from footfall import studies

    return "Studies", _about("footfall.studies", studies.names())


def _benchmarks() -> tuple[str, list[dict]]:
    from footfall import bench

    return "Benchmarks", _about("footfall.bench", bench.names())


def _parts(kind: str) -> tuple[str, list[dict]]:
    """Grounds, contact laws or controllers, with what can be set of each."""
    from footfall.control import Controller
    from footfall.sim.question import parameters_of, parts_of
    from footfall.world import Contact, Terrain

    base = {"terrains": Terrain, "contacts": Contact, "controllers": Controller}[kind]
    rows = [
        {"name": name, "about": (part.__doc__ or "").split("\n\n")[0], "parameters": parameters_of(part)}
        for name, part in parts_of(base).items()
    ]
    return kind.capitalize(), rows


def _parameter(entry: dict) -> str:
    """One parameter in a line: its name, default, unit, range and meaning."""
    text = entry["name"] + ("" if entry["needed"] else f" = {entry['default']}")
    text += f" {entry['unit']}" if entry["unit"] not in ("", "1") else ""
    low, high = entry["low"], entry["high"]
    if low is not None or high is not None:
        bounds = f"{low:g} or more" if high is None else f"up to {high:g}" if low is None else f"{low:g} to {high:g}"
        text += f" ({bounds})"
    return f"{text}: {entry['help']}"


def _about(package: str, names: list[str]) -> list[dict]:
    """Each thing with the first paragraph of what its file says."""
    import importlib

    modules = {name: importlib.import_module(f"{package}.{name.replace('-', '_')}") for name in names}
    return [
        {"name": name, "about": " ".join((module.__doc__ or "").split("\n\n")[0].split())} for name, module in modules.items()
    ]


@app.command("run")
def run_command(
    study: Annotated[str, typer.Argument(help="Which study; `footfall list studies` shows them.")],
    seconds: Annotated[float | None, typer.Option(help="How long; as the study says if left out.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="A parameter of the study: name=value.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of chance, for a study that takes a seed.")] = None,
    out: Annotated[str | None, typer.Option(help="Folder for plots, the run itself and its table.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study: a summary, and with --out plots and the run. Ctrl-C keeps what was simulated so far."""
    from footfall import studies

    parameters = dict(_setting(text) for text in changes or [])
    if seed is not None:
        parameters |= _seed(study, seed)
    question = studies.load(study, **parameters)
    run = _simulate(question, seconds or question.seconds, quiet=as_json)
    _show_run(run, as_json)
    if out:
        _write_run(run, out, quiet=as_json)


def _seed(study: str, seed: int) -> dict[str, object]:
    """The seed as a parameter of the study, if it has one."""
    from footfall import studies
    from footfall.named import parameters_of

    takers = [name for name in studies.names() if "seed" in parameters_of("footfall.studies", name)]
    if study in studies.names() and study not in takers:
        raise FootfallError(f"study {study!r} leaves nothing to chance, so it takes no --seed; {', '.join(takers)} would")
    return {"seed": seed}


def _setting(text: str) -> tuple[str, object]:
    """name=value, the value read as a number, true or false, or a word."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise FootfallError(f"--set takes name=value, got {text!r:.60}")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _simulate(question: "Study", seconds: float, quiet: bool) -> "Run":
    from rich.console import Console
    from rich.progress import Progress

    from footfall.sim.simulate import simulate

    with Progress(console=Console(stderr=True, quiet=quiet), transient=True) as bar:
        task = bar.add_task(question.name or question.robot.name, total=seconds)
        return simulate(question, seconds=seconds, progress=lambda time: bar.update(task, completed=time))


def _show_run(run: "Run", as_json: bool) -> None:
    from footfall.analysis import summary

    rows = summary(run)
    if as_json:
        print(json.dumps(dataclasses.asdict(rows), indent=1))
        return
    print(rows.text())
    for event in run.events[-8:]:
        print(event)


def _write_run(run: "Run", out: str, quiet: bool) -> None:
    from pathlib import Path

    from footfall.view import PLOTS, plot

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    run.save(folder / "run.parquet")
    run.to_csv(folder / "run.csv")
    for what in PLOTS:
        plot(run, what, folder / f"{what}.png")
    if not quiet:
        print(f"written: {folder}/run.parquet, run.csv and {', '.join(f'{what}.png' for what in PLOTS)}")


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
