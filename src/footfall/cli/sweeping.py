"""`footfall sweep`: a study with other parameters and seeds, many times."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.terminal import AsJson, Changes, Cluster, bars, interrupted, parallel_place, print_table, settings
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.sweeps import Progress, Sweep


def sweep_command(
    study: Annotated[str, typer.Argument(help="Which study.")],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="A parameter and its values: a grid low:high:count, a list 0,1,3, or a range low:high to draw --samples from.",
        ),
    ] = None,
    seeds: Annotated[str, typer.Option(help="Seeds: how many, or first:last.")] = "",
    measure: Annotated[
        str, typer.Option(help="What is read from each run, with commas; `footfall list measures` shows them.")
    ] = "survived,speed,cost_of_transport",
    samples: Annotated[int, typer.Option(help="How many values to draw from ranges, together.", min=0)] = 0,
    draw: Annotated[str, typer.Option(help="How: sobol, latin or random.")] = "sobol",
    draw_seed: Annotated[int, typer.Option(help="Seed of what is drawn.", min=0)] = 0,
    changes: Changes = None,
    out: Annotated[str | None, typer.Option(help="Folder for the table; the same command goes on from what is there.")] = None,
    runs: Annotated[bool, typer.Option("--runs", help="Keep whole runs too.")] = False,
    cluster: Cluster = None,
    on: Annotated[str | None, typer.Option(help="serial, threads or processes; by default what suits the study.")] = None,
    workers: Annotated[int, typer.Option(help="How many threads or processes; 0 for one on each core.", min=0)] = 0,
    plot: Annotated[str | None, typer.Option(help="File for a plot of the first measure.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study for all combinations of values and seeds, on all cores. Ctrl-C keeps all that is done; ask again to go on."""
    from footfall import sweeps

    axes = _axes(vary)
    with parallel_place(cluster, on, workers), bars(quiet=as_json) as bar:
        task = bar.add_task(study, total=None)

        def tell(state: "Progress") -> None:
            bar.update(task, completed=state.done, total=state.total, description=f"{study}: {state.text()}")

        found = sweeps.sweep(
            study,
            axes,
            seeds=_seeds(seeds),
            measure=measure,
            settings=settings(changes),
            samples=samples,
            draw=draw,
            draw_seed=draw_seed,
            out=out,
            runs=runs,
            progress=tell,
        )
    if plot and len(found):
        found.plot(path=plot)
    show_sweep(found, as_json)
    if not found.complete:
        where = f"are in {out}; the same command goes on" if out else "were made; with --out they are kept"
        raise interrupted(f"{len(found):,} of {found.asked:,} runs {where}")


def _axes(vary: list[str] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in vary or []:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise FootfallError(f"--vary takes NAME=VALUES, such as world.friction=0.4:1:13, got {text!r:.60}")
        if name in found:
            raise FootfallError(f"--vary says twice what {name!r} is: {found[name]} and {values}")
        found[name] = values
    return found


def _seeds(text: str) -> Any:
    """Nothing, how many, or a list."""
    first, colon, last = text.partition(":")
    if not text:
        return None
    if not (first.isdigit() and (last.isdigit() or not colon)):
        raise FootfallError(f"--seeds takes how many, or first:last, got {text!r:.60}")
    return list(range(int(first), int(last) + 1)) if colon else int(first)


def show_sweep(found: "Sweep", as_json: bool) -> None:
    """What a sweep is and what came out, in a few lines."""
    outcomes = found.table.column("outcome").value_counts().to_pylist()
    ended = {each["values"]: each["counts"] for each in sorted(outcomes, key=lambda each: -each["counts"])}
    if as_json:
        print(json.dumps(_plain(found, ended), indent=1))
        return
    print(repr(found).strip("<>"))
    rows = [
        {"what": column.name, "is": found.range_text(column), "meaning": column.help}
        for column in found.layout.asked
        if len(found)
    ]
    rows += [{"what": column.name, "is": text, "meaning": column.help} for column, text in found.means()]
    if rows:
        print_table("Asked, and means over all runs with their intervals of 95 %", rows)
    print("ended: " + (", ".join(f"{count:,} {outcome}" for outcome, count in ended.items()) or "nothing yet"))
    errors = found.errors()
    for row, text in errors[:5]:
        print(f"  row {row}: {text}")
    if len(errors) > 5:
        print(f"  and {len(errors) - 5:,} more rows with errors")
    if found.folder is not None:
        print(f'in {found.folder}; ff.Sweep.load("{found.folder}") has the table, plots and the run of each row')


def _plain(found: "Sweep", ended: dict[str, int]) -> dict[str, Any]:
    means = {}
    for column in found.layout.measured:
        row = found.statistics(column.name, ()).to_pylist()[0]
        means[column.name] = {key: value if value == value else None for key, value in row.items()} | {"unit": column.unit}
    return {
        "study": found.title,
        "folder": str(found.folder) if found.folder else None,
        "asked": found.asked,
        "runs": len(found),
        "outcomes": ended,
        "varied": {column.name: found.range_text(column) for column in found.layout.asked},
        "measures": means,
        "errors": [{"row": row, "error": text} for row, text in found.errors()[:100]],
    }
