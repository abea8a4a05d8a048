"""`footfall run`: a study."""

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.comparing import on_engine
from footfall.cli.terminal import (
    AsJson,
    Changes,
    Force,
    OtherRobot,
    Status,
    bars,
    clear,
    folder,
    interrupted,
    settings,
    with_robot,
)
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from pathlib import Path

    from footfall.analysis import Summary
    from footfall.sim.run import Run
    from footfall.sim.study import Study


def run_files() -> tuple[str, ...]:
    """Names of the files that a run of a study writes."""
    from footfall.view import PLOTS, STATES

    return ("run.parquet", "run.csv", *(f"{what}.png" for what in (*PLOTS, *STATES)))


def run_command(
    study: Annotated[str, typer.Argument(help="Which study; `footfall list studies` shows them.")],
    seconds: Annotated[float | None, typer.Option(help="How long; by default as the study says.")] = None,
    changes: Changes = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random numbers, for a study that takes one.")] = None,
    robot: OtherRobot = None,
    engine: Annotated[
        str | None,
        typer.Option(help="Another engine than the study's, such as mujoco; its parameters are engine.time_constant and so on."),
    ] = None,
    out: Annotated[str | None, typer.Option(help="Folder for plots, the run itself and its table.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a study: a summary, and with --out plots and more. Ctrl-C keeps what was simulated so far."""
    from footfall.analysis import summary
    from footfall.engines.events import Outcome

    parameters = with_robot(settings(changes), robot)
    if seed is not None:
        if "seed" in parameters:
            raise FootfallError(f"the seed is given twice: --seed {seed} and --set seed={parameters['seed']}")
        parameters["seed"] = seed
    question = on_engine(study, engine, parameters)
    if seed is not None:
        _check_random(study, question)
    wanted = question.seconds if seconds is None else seconds
    place = folder(out, run_files(), force) if out else None
    run = _simulate(question, wanted, place, quiet=as_json)
    with Status(quiet=as_json) as progress:
        progress.say("summing up ...")
        figures = summary(run)
    _show_run(run, figures, as_json)
    if place:
        _draw(run, place, quiet=as_json)
    if run.outcome is Outcome.INTERRUPTED:
        raise interrupted(f"the first {run.time[-1]:.3f} of {wanted:g} s are kept")


def _check_random(name: str, study: "Study") -> None:
    """A seed is for what is random: sensors, or a study that declares a seed of its own."""
    from footfall import studies
    from footfall.named import declarations

    takers = [each for each in studies.names() if "seed" in declarations("footfall.studies", each)]
    if name.replace("_", "-") not in takers and not study.sensors:
        ask = f"{', '.join(takers)} and studies with sensors would"
        raise FootfallError(f"study {name!r} has no random part, so it takes no --seed; {ask}")


def _simulate(question: "Study", seconds: float, place: "Path | None", quiet: bool) -> "Run":
    """The run; written before anything is made of it, also if the simulation broke down."""
    from footfall.control.controller import ControlError
    from footfall.errors import SimulationError
    from footfall.sim.simulate import simulate

    with bars(quiet) as bar:
        task = bar.add_task(question.name or question.robot.name, total=seconds)
        try:
            run = simulate(question, seconds=seconds, progress=lambda time: bar.update(task, completed=time))
        except (SimulationError, ControlError) as error:
            if place and error.run is not None:
                _save(error.run, place)
                raise type(error)(f"{error}; the run until then is in {place}/run.parquet and run.csv") from None
            raise
        if place:
            _save(run, place)
        return run


def _save(run: "Run", place: "Path") -> None:
    clear(place, run_files())
    run.save(place / "run.parquet")
    run.to_csv(place / "run.csv")


def _show_run(run: "Run", figures: "Summary", as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(figures), indent=1))
        return
    print(figures.text())
    for event in run.events[-8:]:
        print(event)


def _draw(run: "Run", place: "Path", quiet: bool) -> None:
    from footfall.view import plot, plots_of

    with Status(quiet) as progress:
        for what in plots_of(run):
            progress.say(f"drawing {place}/{what}.png ...")
            plot(run, what, place / f"{what}.png")
    if not quiet:
        print(f"written: {place}/run.parquet, run.csv and {', '.join(f'{what}.png' for what in plots_of(run))}")
