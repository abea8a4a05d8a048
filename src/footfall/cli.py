"""The command line: composes the rooms, computes nothing. Heavy parts are imported where they are needed."""

import dataclasses
import json
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.errors import FootfallError, UnknownNameError
from footfall.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footfall.analysis import Basin, Bifurcation
    from footfall.bench import Row
    from footfall.reproduce import Row as Result
    from footfall.sim.hybrid import HybridResult
    from footfall.sim.run import Run
    from footfall.sim.study import Study
    from footfall.sim.walk import Walk as Question
    from footfall.tune import Search

app = typer.Typer(
    help="Footfall: a laboratory for bipedal walking.", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it
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
    what: Annotated[
        str, typer.Argument(help="Robots, studies, walks, benchmarks, terrains, contacts or controllers.")
    ] = "robots",
    as_json: AsJson = False,
) -> None:
    """List what there is."""
    listings = {"robots": _robots, "studies": _studies, "walks": _walks, "benchmarks": _benchmarks}
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


def _walks() -> tuple[str, list[dict]]:
    from footfall import walks

    return "Walks", _about("footfall.walks", walks.names())


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
    study: Annotated[str, typer.Argument(help="Which study or walk; `footfall list studies` and `list walks` show them.")],
    seconds: Annotated[float | None, typer.Option(help="How long; as the study says, or ten steps, if left out.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="A parameter of the study or walk: name=value.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of chance, for a study that takes a seed.")] = None,
    out: Annotated[str | None, typer.Option(help="Folder for plots, the run itself and its table; of a walk, its film.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study, or let a walk walk: a summary, and with --out plots and more. Ctrl-C keeps what was simulated so far."""
    from footfall import studies, walks

    parameters = dict(_setting(text) for text in changes or [])
    if seed is not None:
        parameters |= _seed(study, seed)
    if study in walks.names():
        _run_walk(walks.load(study, **parameters), seconds, out, as_json)
        return
    if study not in studies.names():
        raise UnknownNameError("study or walk", study, [*studies.names(), *walks.names()])
    question = studies.load(study, **parameters)
    run = _simulate(question, seconds or question.seconds, quiet=as_json)
    _show_run(run, as_json)
    if out:
        _write_run(run, out, quiet=as_json)


def _run_walk(walk: "Question", seconds: float | None, out: str | None, as_json: bool) -> None:
    """From the walk's own state, which need not be on its cycle: where it got to, and with a folder what it looked like."""
    from footfall.analysis import walked

    with _Progress(quiet=as_json) as progress:
        progress.say(f"{walk.name} walks ...")
        found = walked(walk, seconds)
        written = _write_walk(found.motion, out) if out else ""
    if as_json:
        print(json.dumps(found.rows(), indent=1))
        return
    _print_table("Walk", [{"what": what.replace("_", " "), "value": _digits(value)} for what, value in found.rows().items()])
    if written:
        print(f"written: {written}")


def _write_walk(motion: "HybridResult", out: str) -> str:
    from pathlib import Path

    from footfall.view import portrait, recording

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    moving = [joint.child for joint in motion.robot.layout.joints]
    portrait(motion, [name for name in moving if name.endswith("_left")] or moving[:1], folder / "portrait.png")
    recording(motion, folder / "walk.html")
    return f"{folder}/portrait.png and walk.html, which any browser plays"


def _seed(study: str, seed: int) -> dict[str, object]:
    """The seed as a parameter of the study, if it has one."""
    from footfall import studies, walks
    from footfall.named import parameters_of

    takers = [name for name in studies.names() if "seed" in parameters_of("footfall.studies", name)]
    if study in [*studies.names(), *walks.names()] and study not in takers:
        what = "study" if study in studies.names() else "walk"
        raise FootfallError(f"{what} {study!r} leaves nothing to chance, so it takes no --seed; {', '.join(takers)} would")
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


Walk = Annotated[str, typer.Argument(help="Which walk; `footfall list walks` shows them.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="A parameter of the walk: name=value.")]
Steps = Annotated[int, typer.Option(help="After how many steps the gait repeats.", min=1)]
Along = Annotated[
    tuple[str, float, float], typer.Option(metavar="PARAMETER FROM TO", help="Along what, and from where to where.")
]
Out = Annotated[str | None, typer.Option(help="Folder for the picture and the figures.")]


@app.command("cycle")
def cycle_command(walk: Walk, changes: Changes = None, steps: Steps = 1, as_json: AsJson = False) -> None:
    """Find the limit cycle of a walk: fixed point, period, speed, energy lost, multipliers."""
    from footfall import analysis, walks

    question = walks.load(walk, **dict(_setting(text) for text in changes or []))
    with _Progress(quiet=as_json) as progress:
        progress.say(f"looking for a cycle of {walk} ...")
        cycle = analysis.limit_cycle(question, steps=steps)
    if as_json:
        print(json.dumps(cycle.rows(), indent=1))
        return
    figures = cycle.rows()
    start, multipliers = figures.pop("fixed_point"), figures.pop("multipliers")
    rows = [*figures.items(), *start.items(), *((f"multiplier {i}", _complex(each)) for i, each in enumerate(multipliers, 1))]
    _print_table("Limit cycle", [{"what": what, "value": _digits(value)} for what, value in rows])


@app.command("continue")
def continue_command(
    walk: Walk,
    along: Along,
    changes: Changes = None,
    steps: Steps = 1,
    as_json: AsJson = False,
) -> None:
    """Follow a limit cycle along a parameter, also around folds; folds and period doublings are located."""
    from footfall import analysis, walks

    name, first, last = along
    family = partial(walks.load, walk, **dict(_setting(text) for text in changes or []))
    with _Progress(quiet=as_json) as progress:
        progress.say(f"following {walk} along {name} ...")
        branch = analysis.continuation(family, name, first, last, steps=steps)
    special = [{"kind": each.kind, name: each.value, **each.cycle.rows()} for each in branch.special]
    if as_json:
        print(json.dumps({"along": name, "cycles": branch.rows(), "special": special, "reason": branch.reason}, indent=1))
        return
    keys = (name, "stable", "period", "step_length", "speed", "energy_lost")
    table = [
        {key: _digits(row[key]) for key in keys} | {"multipliers": ", ".join(map(_complex, row["multipliers"]))}
        for row in branch.rows()
    ]
    _print_table(f"Branch of {walk}: {branch.reason}", table)
    for each in special:
        print(f"  {each['kind']} at {name} = {each[name]:.9g}")


@app.command("basin")
def basin_command(
    walk: Walk,
    changes: Changes = None,
    x: Annotated[
        tuple[str, float, float] | None, typer.Option(metavar="COORDINATE FROM TO", help="Across; the first one if left out.")
    ] = None,
    y: Annotated[
        tuple[str, float, float] | None, typer.Option(metavar="COORDINATE FROM TO", help="Upward; its rate if left out.")
    ] = None,
    size: Annotated[int, typer.Option(help="Starts in each direction.", min=1)] = 200,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Find which starts of a walk lead to its cycle, and what becomes of the others. Ctrl-C keeps what is done."""
    from footfall import analysis, view, walks

    if (x is None) != (y is None):
        raise FootfallError("a basin has two coordinates: give both --x and --y, or neither")
    question = walks.load(walk, **dict(_setting(text) for text in changes or []))
    where = () if x is None or y is None else ((x[0], y[0]), (x[1:], y[1:]))
    with _bar(f"starts of {walk}", quiet=as_json) as progress:
        found = analysis.basin(question, *where, size=size, progress=progress)
    _show_map(found, view.basin, "basin", out, as_json)
    if not found.complete:
        raise typer.Exit(INTERRUPTED)


@app.command("bifurcation")
def bifurcation_command(
    walk: Walk,
    along: Along,
    changes: Changes = None,
    size: Annotated[int, typer.Option(help="Values of the parameter.", min=2)] = 300,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Find where a walk settles along a parameter: period doublings, chaos. Doublings are located."""
    from footfall import analysis, view, walks

    name, first, last = along
    family = partial(walks.load, walk, **dict(_setting(text) for text in changes or []))
    with _bar(f"{walk} along {name}", quiet=as_json) as progress:
        found = analysis.bifurcation(family, name, first, last, size=size, progress=progress)
    _show_map(found, view.bifurcation, "bifurcation", out, as_json)


def _show_map(found: "Basin | Bifurcation", draw: "Callable", name: str, out: str | None, as_json: bool) -> None:
    """Print what was found, and write picture and figures if there is a place for them."""
    if as_json:
        print(json.dumps(found.rows()))
    else:
        print(repr(found).strip("<>"))
    if out:
        from pathlib import Path

        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        draw(found, folder / f"{name}.png")
        (folder / f"{name}.json").write_text(json.dumps(found.rows()))
        if not as_json:
            print(f"written: {folder}/{name}.png and {name}.json")


@contextmanager
def _bar(title: str, quiet: bool) -> "Iterator[Callable[[int, int], None]]":
    """A bar for what takes long."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True, quiet=quiet), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _complex(parts: list[float]) -> str:
    real, imaginary = parts
    return f"{real:.8f}" + (f" {'+' if imaginary > 0 else '-'} {abs(imaginary):.8f}i" if imaginary else "")


def _digits(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@app.command("tune")
def tune_command(
    study: Annotated[str, typer.Argument(help="Which study; its controller must declare what can be tuned.")],
    objective: Annotated[str, typer.Option(help="cost or robust.")] = "cost",
    generations: Annotated[int, typer.Option(help="How many, those of an earlier search included.", min=1)] = 100,
    size: Annotated[int, typer.Option(help="Candidates in a generation.", min=4)] = 16,
    spread: Annotated[float, typer.Option(help="Of the first candidates, as a share of each range.")] = 0.05,
    speed: Annotated[float, typer.Option(help="m/s that it should walk at; any if left out.")] = 0.0,
    runs: Annotated[int, typer.Option(help="Runs in trouble for each candidate (robust).", min=1)] = 8,
    seed: Annotated[int, typer.Option(help="Of all that is drawn by chance.", min=0)] = 0,
    over: Annotated[str, typer.Option(help="Names of the parameters, with commas; all tunable ones if left out.")] = "",
    changes: Annotated[list[str] | None, typer.Option("--set", help="A parameter of the study: name=value.")] = None,
    out: Annotated[str | None, typer.Option(help="File of the search; if it is there already, the search goes on.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tune a study's controller by CMA-ES, on all cores. Ctrl-C loses nothing: the same command goes on."""
    from pathlib import Path

    from footfall.tune import Search, Task

    parameters = tuple(dict(_setting(text) for text in changes or []).items())
    path = Path(out or f"tune-{study}-{objective}-{seed}.json")
    task = Task(study, parameters, objective, speed, runs, seed)
    search = Search(task, path, tuple(filter(None, over.split(","))), size, spread)
    code = _search(search, generations, quiet=as_json)
    value, found = search.best
    if as_json:
        print(json.dumps({"file": str(path), "generations": len(search.told), "value": value, "parameters": found}, indent=1))
    else:
        _print_table(f"Best of {len(search.told)} generations: {value:.6g}", [{"name": k, "value": v} for k, v in found.items()])
        print(f"written: {path}")
    raise typer.Exit(code)


def _search(search: "Search", generations: int, quiet: bool) -> int:
    """Run a search under a progress bar; the exit code."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True, quiet=quiet), transient=True) as bar:
        task = bar.add_task(f"best {search.best[0]:.5g}", total=generations, completed=len(search.told))
        try:
            for done in search.run(generations):
                bar.update(task, completed=done, description=f"best {search.best[0]:.5g}")
        except KeyboardInterrupt:
            return INTERRUPTED
    return 0


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


@app.command("reproduce")
def reproduce_command(
    names: Annotated[list[str] | None, typer.Argument(help="Subjects, or single studies as subject/study; all if none.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A taste of it.")] = False,
    seed: Annotated[int, typer.Option(help="Of all that is drawn by chance.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """Compare with published figures, closed forms and demands; exit code 1 if one fails. Ctrl-C keeps the rows found so far."""
    from footfall import reproduce

    rows: list[Result] = []
    try:
        _reproduce(list(reproduce.studies(names or [])), quick, seed, rows, quiet=as_json)
        code = 0 if all(row.ok for row in rows) else 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    if as_json:
        print(json.dumps([row.public() for row in rows], indent=1))
    elif rows:
        _show_results(rows)
    raise typer.Exit(code)


def _reproduce(studies: list[str], quick: bool, seed: int, rows: "list[Result]", quiet: bool) -> None:
    """Add the rows of all studies, as they are found."""
    from rich.console import Console
    from rich.progress import Progress

    from footfall import reproduce

    with Progress(console=Console(stderr=True, quiet=quiet), transient=True) as bar:
        all_of_them, one = bar.add_task("studies", total=len(studies)), bar.add_task("", total=None)
        setting = reproduce.Setting(quick, seed, progress=lambda done, of: bar.update(one, completed=done, total=of))
        for study in studies:
            bar.reset(one, total=None, description=study)
            for row in reproduce.rows(study, setting):
                rows.append(row)
            bar.advance(all_of_them)


def _show_results(rows: "list[Result]") -> None:
    table = [
        {
            "study": row.study,
            "quantity": row.quantity,
            "must be": f"{row.demand} {row.unit if row.unit != '1' else ''}",
            "is": f"{row.value:.6g}",
            "": "ok" if row.ok else "FAILS",
        }
        for row in rows
    ]
    _print_table("Reproductions", table)
    for study, how in dict.fromkeys((row.study, row.how) for row in rows if row.how):
        print(f"  {study}: {how}")
    failing = sum(not row.ok for row in rows)
    print(f"{len(rows) - failing} of {len(rows)} hold" + (f", {failing} fail" if failing else ""))


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
