"""`footfall certify`: what a walk bears."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.terminal import AsJson, Changes, Cluster, bars, interrupted, parallel_place, print_table, settings

if TYPE_CHECKING:
    from footfall.certificates import Certificate
    from footfall.sweeps import Progress


def certify_command(
    study: Annotated[str, typer.Argument(help="Which study; it must walk.")],
    budget: Annotated[
        str, typer.Option(help="How long it may take, such as '10 min'; it decides how many runs are made.")
    ] = "10 min",
    repeats: Annotated[int, typer.Option(help="Runs at each point, instead of a budget.", min=0)] = 0,
    trials: Annotated[
        str, typer.Option(help="Some of: push, slope, step, friction, masses, inertias, gains, noise, delay.")
    ] = "",
    changes: Changes = None,
    out: Annotated[
        str | None, typer.Option(help="Folder; certificate-STUDY if left out. The same command goes on from there.")
    ] = None,
    cluster: Cluster = None,
    on: Annotated[str | None, typer.Option(help="serial, threads or processes; by default what suits the study.")] = None,
    workers: Annotated[int, typer.Option(help="How many threads or processes; 0 for one on each core.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """Ask how a walk bears pushes, slopes, steps, slippery ground, errors of the robot and of its sensors. Ctrl-C keeps all."""
    from footfall.certificates import certify

    with parallel_place(cluster, on, workers), bars(quiet=as_json) as bar:
        task = bar.add_task(study, total=None)

        def tell(title: str, state: "Progress") -> None:
            bar.update(task, completed=state.done, total=state.total, description=f"{title}: {state.text()}")

        made = certify(
            study,
            budget=budget,
            settings=settings(changes),
            repeats=repeats or None,
            trials=trials or None,
            out=out,
            progress=tell,
        )
    _show(made, as_json)
    if not made.complete:
        raise interrupted(f"what was made is in {made.folder}; the same command goes on")


def _show(made: "Certificate", as_json: bool) -> None:
    if as_json:
        print(json.dumps(made.plain(), indent=1))
        return
    rows = [
        {"trial": each.trial.title, "runs": len(each.sweep), "walk on, %": 100.0 * each.survived, "95 % walk on": each.borne_text}
        for each in made.verdicts
    ]
    print_table(f"{made.name}: {made.repeats} runs at each point", rows)
    for title, why in made.refused.items():
        print(f"{title}: not asked, {why}")
    print(f"written: {made.page}")
