"""`footfall cycle`, `continue`, `basin`, `bifurcation`: limit cycles of a study."""

import json
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.terminal import (
    AsJson,
    Changes,
    Force,
    Status,
    bar,
    clear,
    complex_digits,
    digits,
    folder,
    interrupted,
    print_table,
    settings,
)
from footfall.errors import FootfallError
from footfall.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from footfall.cycles import Basin, Bifurcation

Study = Annotated[str, typer.Argument(help="Which study; it must have steps that repeat, as `footfall show STUDY` says.")]
Steps = Annotated[int, typer.Option(help="After how many steps the gait repeats.", min=1)]
Along = Annotated[
    tuple[str, str, str],
    typer.Option(metavar="PARAMETER FROM TO", help="Parameter and its range, such as slope -4deg -5deg."),
]
Out = Annotated[str | None, typer.Option(help="Folder for the picture and the figures.")]


def cycle_command(study: Study, changes: Changes = None, steps: Steps = 1, as_json: AsJson = False) -> None:
    """Find the limit cycle of a study: fixed point, period, speed, energy lost, Floquet multipliers."""
    from footfall import cycles, studies

    question = studies.load(study, **settings(changes))
    with Status(quiet=as_json) as progress:
        progress.say(f"looking for a cycle of {study} ...")
        cycle = cycles.limit_cycle(question, steps=steps)
    if as_json:
        print(json.dumps(cycle.rows(), indent=1))
        return
    figures = cycle.rows()
    start, multipliers = figures.pop("fixed_point"), figures.pop("multipliers")
    rows = [
        *figures.items(),
        *start.items(),
        *((f"multiplier {i}", complex_digits(each)) for i, each in enumerate(multipliers, 1)),
    ]
    print_table("Limit cycle", [{"what": what, "value": digits(value)} for what, value in rows])


def continue_command(
    study: Study,
    along: Along,
    changes: Changes = None,
    steps: Steps = 1,
    as_json: AsJson = False,
) -> None:
    """Follow a limit cycle along a parameter, past folds; these and period doublings are located. Ctrl-C keeps the results."""
    from footfall import cycles, studies

    name, first, last = _ends(study, along)
    family = partial(studies.load, study, **settings(changes))
    with Status(quiet=as_json) as progress:
        progress.say(f"following {study} along {name} ...")
        branch = cycles.continuation(family, name, first, last, steps=steps)
    special = [{"kind": each.kind, name: each.value, **each.cycle.rows()} for each in branch.special]
    if as_json:
        print(json.dumps({"along": name, "cycles": branch.rows(), "special": special, "reason": branch.reason}, indent=1))
    else:
        keys = (name, "stable", "period", "step_length", "speed", "energy_lost")
        table = [
            {key: digits(row[key]) for key in keys} | {"multipliers": ", ".join(map(complex_digits, row["multipliers"]))}
            for row in branch.rows()
        ]
        print_table(f"Branch of {study}: {branch.reason}", table)
        for each in special:
            print(f"  {each['kind']} at {name} = {each[name]:.9g}")
    if not branch.complete:
        raise interrupted(f"cycles found by then: {len(branch.cycles)}, up to {name} = {branch.values[-1]:.6g}")


def basin_command(
    study: Study,
    changes: Changes = None,
    x: Annotated[
        tuple[str, float, float] | None,
        typer.Option(metavar="COORDINATE FROM TO", help="Coordinate across; by default the first one."),
    ] = None,
    y: Annotated[
        tuple[str, float, float] | None,
        typer.Option(metavar="COORDINATE FROM TO", help="Coordinate upward; by default the rate of the first one."),
    ] = None,
    size: Annotated[int, typer.Option(help="Starts in each direction.", min=1)] = 200,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Map the basin of attraction of a cycle: which starts lead to it, and how the others end. Ctrl-C keeps the results."""
    from footfall import cycles, studies, view

    if (x is None) != (y is None):
        raise FootfallError("a basin has two coordinates: give both --x and --y, or neither")
    question = studies.load(study, **settings(changes))
    place = folder(out, ("basin.png", "basin.json"), force) if out else None
    where = () if x is None or y is None else ((x[0], y[0]), (x[1:], y[1:]))
    with bar(f"starts of {study}", quiet=as_json) as progress:
        found = cycles.basin(question, *where, size=size, progress=progress)
    _show_map(found, view.basin, "basin", place, as_json)
    if not found.complete:
        raise interrupted(f"{100 * (1 - found.shares()['not tried']):.1f} % of the starts were tried")


def bifurcation_command(
    study: Study,
    along: Along,
    changes: Changes = None,
    size: Annotated[int, typer.Option(help="Values of the parameter.", min=2)] = 300,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find where a study settles along a parameter: period doublings, chaos. Doublings are located. Ctrl-C keeps the results."""
    from footfall import cycles, studies, view

    name, first, last = _ends(study, along)
    family = partial(studies.load, study, **settings(changes))
    place = folder(out, ("bifurcation.png", "bifurcation.json"), force) if out else None
    with bar(f"{study} along {name}", quiet=as_json) as progress:
        found = cycles.bifurcation(family, name, first, last, size=size, progress=progress)
    _show_map(found, view.bifurcation, "bifurcation", place, as_json)
    if not found.complete:
        raise interrupted(f"{found.tried.sum()} of {size} values were tried, and {len(found.doublings)} doublings located")


def _ends(study: str, along: tuple[str, str, str]) -> tuple[str, float, float]:
    """The parameter, and its first and last value from text with or without a unit."""
    from footfall import studies
    from footfall.errors import UnknownNameError
    from footfall.model.units import read_value
    from footfall.named import full_name

    known = {each.name: each for each in studies.parameters(study)}
    name = full_name(along[0], known)
    if name is None or known[name].rule["kind"] not in ("number", "count"):
        raise UnknownNameError(f"parameter (to vary, of study {study!r})", along[0], known)
    first, last = (float(read_value(known[name].rule, end, f"study {study!r}: {name}")) for end in along[1:])
    return along[0], first, last


def _show_map(found: "Basin | Bifurcation", draw: "Callable", name: str, place: "Path | None", as_json: bool) -> None:
    """Print the result, and write picture and figures if a folder is given."""
    if as_json:
        print(json.dumps(found.rows()))
    else:
        print(repr(found).strip("<>"))
    if place:
        clear(place, (f"{name}.png", f"{name}.json"))
        write_whole(place / f"{name}.json", json.dumps(found.rows()))
        draw(found, place / f"{name}.png")
        if not as_json:
            print(f"written: {place}/{name}.png and {name}.json")
