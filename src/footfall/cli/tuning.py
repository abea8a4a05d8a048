"""`footfall tune`: a controller, by search."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.terminal import AsJson, Changes, Cluster, bars, interrupted, parallel_place, print_table, settings

if TYPE_CHECKING:
    from footfall.tune import Search


def tune_command(
    study: Annotated[str, typer.Argument(help="Which study.")],
    objective: Annotated[str, typer.Option(help="cost or robust.")] = "cost",
    generations: Annotated[int, typer.Option(help="How many generations, including those of an earlier search.", min=1)] = 100,
    size: Annotated[int, typer.Option(help="Candidates in a generation.", min=4)] = 16,
    spread: Annotated[float, typer.Option(help="Spread of the first candidates, as a part of each range.")] = 0.05,
    speed: Annotated[float, typer.Option(help="Desired speed in m/s; any if left out.")] = 0.0,
    runs: Annotated[int, typer.Option(help="Runs with disturbances for each candidate (robust).", min=1)] = 8,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.", min=0)] = 0,
    restarts: Annotated[
        int, typer.Option(help="Searches at once, with this seed and those after it; each has its own file.", min=1, max=1000)
    ] = 1,
    over: Annotated[
        str, typer.Option(help="Names of parameters, with commas; by default those that the controller calls tunable.")
    ] = "",
    keep: Annotated[
        str, typer.Option(help="Bounds on every step, with commas: columns of the step table, such as gap=:0.008,length=0.3:0.4.")
    ] = "",
    changes: Changes = None,
    out: Annotated[str | None, typer.Option(help="File of the search; if it exists, the search continues.")] = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Tune a study's controller by CMA-ES, on all cores. After Ctrl-C, the same command continues."""
    from pathlib import Path

    from footfall.tune import Task
    from footfall.tune import restarts as begun

    parameters = tuple(settings(changes).items())
    path = Path(out or f"tune-{study}-{objective}{f'-{seed}' if restarts == 1 else ''}.json")
    task = Task(study, parameters, objective, speed, runs, seed, _words(keep))
    searches = begun(task, path, restarts, _words(over), size, spread)
    with parallel_place(cluster):
        done = _search(searches, generations, quiet=as_json)
    search = min(searches, key=lambda each: each.best[0])
    path = search.path
    if not search.told:
        raise interrupted("no generation was finished, and nothing is written")
    value, found = search.best
    if as_json:
        values = {str(each.path): each.best[0] for each in searches}
        said = {"file": str(path), "generations": len(search.told), "value": value, "parameters": found, "searches": values}
        print(json.dumps(said, indent=1))
    else:
        print_table(f"Best of {len(search.told)} generations: {value:.6g}", [{"name": k, "value": v} for k, v in found.items()])
        if len(searches) > 1:
            print_table("All searches", [{"file": str(each.path), "best": each.best[0]} for each in searches])
        print(f"written: {path}")
    if not done:
        raise interrupted(f"{len(search.told)} of {generations} generations are in {path}; the same command goes on")


def _words(text: str) -> tuple[str, ...]:
    """Words with commas between, each once."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))


def _search(searches: "list[Search]", generations: int, quiet: bool) -> bool:
    """Run searches under a progress bar; whether they came to their end."""
    from footfall.tune import together

    def best() -> str:
        return f"best {min(each.best[0] for each in searches):.5g}"

    with bars(quiet) as bar:
        task = bar.add_task(best(), total=generations, completed=min(len(each.told) for each in searches))
        try:
            for done in together(searches, generations):
                bar.update(task, completed=done, description=best())
        except KeyboardInterrupt:
            return False
    return True
