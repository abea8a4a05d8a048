"""`footfall compare`: the same study on several engines."""

import json
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.terminal import (
    AsJson,
    Changes,
    Force,
    OtherRobot,
    bars,
    clear,
    folder,
    interrupted,
    print_table,
    settings,
    with_robot,
)
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from pathlib import Path

    from footfall.analysis import Compared
    from footfall.sim.run import Run
    from footfall.sim.study import Study

PICTURE, TABLE = "compared.png", "compared.json"


def compare_command(
    study: Annotated[str, typer.Argument(help="Which study; `footfall list studies` shows them.")],
    engines: Annotated[str, typer.Option(help="Engines, the first is what the others are compared with.")] = "contact,mujoco",
    seconds: Annotated[float | None, typer.Option(help="How long; by default as the study says.")] = None,
    changes: Changes = None,
    robot: OtherRobot = None,
    out: Annotated[
        str | None, typer.Option(help="Folder for the runs, the figures and a picture of all over each other.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a study on several engines and show speed, slip, penetration, energy and steps survived side by side.

    Parameters of an engine go by its name: --set mujoco.time_constant=0.02.
    """
    from footfall.analysis import compare

    names = _names(engines)
    given = with_robot(settings(changes), robot)
    studies = {name: _study(study, name, given, names) for name in names}
    files = (*(f"{name}.parquet" for name in names), PICTURE, TABLE)
    place = folder(out, files, force) if out else None
    runs = {name: _run(each, name, seconds, as_json) for name, each in studies.items()}
    cut = [name for name, run in runs.items() if run.outcome.value == "interrupted"]
    if cut or len(runs) < len(studies):
        raise interrupted("nothing is compared")
    rows = compare(runs)
    said = {name: differences(each) for name, each in studies.items()}
    if place:
        clear(place, files)
        _write(runs, rows, place)
    if as_json:
        print(json.dumps([asdict(row) | {"differences": said[row.engine]} for row in rows], indent=1))
        return
    _show(study, rows)
    for name, lines in said.items():
        if lines:
            print(f"\n{name} does otherwise:")
            print("\n".join(f"- {line}" for line in lines))
    if place:
        print(f"\nwritten: {place}/{PICTURE}, {TABLE} and the runs")


def differences(study: "Study") -> tuple[str, ...]:
    """What an engine does in another way than the contact engine, where it says so."""
    say = getattr(study.engine, "differences", None)
    return say(study) if say else ()


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise FootfallError(f"--engines takes names of engines, each once, such as contact,mujoco; got {text!r:.60}")
    return names


def _study(name: str, engine: str, given: dict[str, object], all_names: list[str]) -> "Study":
    """The study on an engine, with the settings that belong to all and to this engine."""
    from footfall.engines import engine_named

    engine_named(engine)
    others = tuple(f"{each}." for each in all_names if each != engine)
    own = {
        key.replace(f"{engine}.", "engine.", 1) if key.startswith(f"{engine}.") else key: value for key, value in given.items()
    }
    return on_engine(name, engine, {key: value for key, value in own.items() if not key.startswith(others)})


def on_engine(name: str, engine: str | None, given: dict) -> "Study":
    """A study with its settings, on its own engine or on another one."""
    from footfall import studies
    from footfall.engines import engine_named
    from footfall.sim.parameters import with_parameters

    if engine is None:
        return studies.load(name, **given)
    of_engine = {key: value for key, value in given.items() if key.startswith("engine.")}
    study = studies.load(name, **{key: value for key, value in given.items() if key not in of_engine})
    return with_parameters(replace(study, engine=engine_named(engine)), of_engine)


def _run(study: "Study", name: str, seconds: float | None, quiet: bool) -> "Run":
    from footfall.control.controller import ControlError
    from footfall.errors import SimulationError
    from footfall.sim.simulate import simulate

    wanted = study.seconds if seconds is None else seconds
    with bars(quiet) as bar:
        task = bar.add_task(f"{study.name or study.robot.name} on {name}", total=wanted)
        try:
            return simulate(study, seconds=wanted, progress=lambda time: bar.update(task, completed=time))
        except (SimulationError, ControlError) as error:
            if error.run is None or not len(error.run.time):
                raise
            return error.run  # which says how far it came, and why no farther


def _show(study: str, rows: "tuple[Compared, ...]") -> None:
    table = []
    for field in fields(rows[0]):
        unit = field.metadata.get("unit", "")
        what = field.metadata["help"] + (f" ({unit})" if unit not in ("", "1") else "")
        if field.name != "engine":
            table.append({"figure": what, **{row.engine: _text(field.name, getattr(row, field.name)) for row in rows}})
    print_table(study, table)


def _text(name: str, value: object) -> str:
    if value is None and name == "together":
        return "never"
    return "none" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _write(runs: "dict[str, Run]", rows: "tuple[Compared, ...]", place: "Path") -> None:
    from footfall.files import write_whole
    from footfall.view import compared

    for name, run in runs.items():
        run.save(place / f"{name}.parquet")
    compared(runs, place / PICTURE)
    write_whole(place / TABLE, json.dumps([asdict(row) for row in rows], indent=1))
