"""`footfall show`: what a study, a robot, a part or a saved run is, and what can be set and asked of it."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.terminal import ROBOT_FILES, AsJson, Changes, print_table, reading_options, settings
from footfall.errors import FootfallError, UnknownNameError

if TYPE_CHECKING:
    from footfall.sim.parameters import Parameter

PLACE = re.compile(r"\.(\d+)\.")  # a part of a row
LONGEST = 8  # entries of a row that are shown


def show_command(
    name: Annotated[
        str,
        typer.Argument(
            help="A study, robot, controller, terrain, contact, the folder of a sweep, or a file of a run or robot (TOML, URDF, "
            "MJCF); robots/NAME too."
        ),
    ],
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Show a study, robot, part, saved run or sweep: source, parameters with unit, range and value, what can be asked of it."""
    if (Path(name) / "sweep.json").is_file():
        _show_sweep(name, changes, as_json)
        return
    found = _find(name, dict(settings(changes)))
    if as_json:
        rows = [each.row() for each in found["parameters"]]
        print(json.dumps(found | {"parameters": rows}, indent=1))
        return
    print(f"{found['name']}: {found['what']}\n\n{found['about']}\n")
    if Path(name).suffix.lower() in ROBOT_FILES:
        return
    _show_parameters(found["parameters"])
    if found["asked"]:
        print("\nIt can be asked:")
        for line in found["asked"]:
            print(f"  {line}")


def _show_sweep(name: str, changes: list[str] | None, as_json: bool) -> None:
    from footfall.cli.sweeping import show_sweep
    from footfall.sweeps import Sweep

    if changes:
        raise FootfallError(f"{name} is a sweep that was made; --set cannot change it")
    show_sweep(Sweep.load(name), as_json)


def _find(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The thing of that name: a folder before it says of which kind."""
    finders = {"studies": _study, "robots": _robot, "parts": _part}
    kind, slash, rest = name.partition("/")
    if slash and kind in finders and not Path(name).is_file():
        finders = {kind: finders[kind]}
        name = rest
    elif Path(name).suffix.lower() in ROBOT_FILES:
        return _robot_file(name, given)
    elif name.endswith(".parquet") or Path(name).is_file():
        if given:
            raise FootfallError(f"{name} is a saved run; --set cannot change it")
        return _run(name)
    for find in finders.values():
        if (found := find(name, given)) is not None:
            return found
    raise UnknownNameError("study, robot, part or file of a run", name, _all_names())


def _all_names() -> list[str]:
    from footfall import robots, studies
    from footfall.sim.study_json import known_parts

    return sorted({*studies.names(), *robots.names(), *known_parts()})


def _study(name: str, given: dict[str, Any]) -> dict[str, Any] | None:
    from footfall import studies
    from footfall.sim.abilities import abilities

    if name not in studies.names():
        return None
    study = studies.load(name, **given)
    along = {
        "sweep": " --vary PARAMETER=LOW:HIGH:COUNT",
        "continue": " --along PARAMETER FROM TO",
        "bifurcation": " --along PARAMETER FROM TO",
    }
    asked = [f"footfall {question} {name}{along.get(question, '')}" for question in abilities(study)]
    who = type(study.controller).__name__ if study.controller else "no controller"
    what = f"a study of the robot {study.robot.name!r} with {who}, moved by {type(study.engine).__name__}"
    return _described(name, what, studies.about(name), studies.parameters(name, **given), asked)


def _robot(name: str, given: dict[str, Any]) -> dict[str, Any] | None:
    from footfall import robots
    from footfall.named import about, with_values
    from footfall.sim.parameters import parameter

    if name not in robots.names():
        return None
    robot, declared = robots.load(name, **given), robots.parameters(name)
    found = [parameter(key, field, value) for key, field, value in with_values(declared, given, f"robot {name!r}")]
    what = f"a {robot.space} robot, {robot.nv} degrees of freedom, {robot.mass:.4g} kg; {robot.origin}"
    return _described(name, what, about("footfall.robots", name), found, [])


def _robot_file(path: str, given: dict[str, Any]) -> dict[str, Any]:
    """A robot from a file: its tree; of one from another program what was decided and what was left out, too."""
    from footfall.model.file import is_xml, read_robot
    from footfall.model.reading.read import import_robot

    if not is_xml(path, ""):
        robot = read_robot(path, **given)
        return _described(path, f"a {robot!r}", str(robot), [], [])
    found = import_robot(path, **reading_options(given))
    blocks = [str(found.robot)]
    for title, lines in (("Decided", found.decided), ("Left out, or said otherwise", found.left_out)):
        blocks.append("\n".join([f"{title}:", *(f"- {line}" for line in lines or ("nothing",))]))
    if found.poses:
        blocks.append(f"Poses: {', '.join(found.poses)}")
    shown = _described(path, f"a {found.robot!r} from {found.format}", "\n\n".join(blocks), [], [])
    return shown | {"decided": list(found.decided), "left_out": list(found.left_out), "poses": list(found.poses)}


def _part(name: str, given: dict[str, Any]) -> dict[str, Any] | None:
    """A controller, a terrain, a contact law, a push, ..."""
    import inspect

    from footfall.sim.parameters import class_parameters
    from footfall.sim.study_json import known_parts

    part: Any = known_parts().get(name)
    if part is None:
        return None
    if given:
        raise FootfallError(f"{name} is a part of studies; --set has nothing to set here")
    kind = part.__mro__[-2].__name__.lower() if len(part.__mro__) > 2 else "part of a world"
    return _described(name, f"a {kind}", inspect.cleandoc(part.__doc__ or ""), class_parameters(part), [])


def _run(path: str) -> dict[str, Any]:
    from footfall.sim.parameters import parameters
    from footfall.sim.run import Run

    run = Run.load(path)
    what = f"a run of {run.study.name or run.robot.name!r}"
    about = f"{run.time[-1]:.6g} s in {len(run.time)} rows with {len(run.events)} events; {run.reason}."
    if run.study.settings:
        about += "\nChanged on the way:\n" + "\n".join(f"  {setting}" for setting in run.study.settings)
    return _described(path, what, about, parameters(run.study), ["ff.Run.load(path).replay(), .plot(), .to_csv(path)"])


def _described(name: str, what: str, about: str, found: "list[Parameter]", asked: list[str]) -> dict[str, Any]:
    return {"name": name, "what": what, "about": about, "parameters": found, "asked": asked}


# --- in words -------------------------------------------------------------------------------------------------------------


def _show_parameters(found: "list[Parameter]") -> None:
    """In a table; of parts in a row that have the same parameters, such as pushes, the first stands for all."""
    like = _alike(found)
    rows = [
        {
            "parameter": each.name,
            "value": "(needed)" if each.needed and each.value is None else _text(each.value, each.rule.get("unit", "")),
            "unit": "" if each.rule.get("unit", "1") == "1" else each.rule["unit"],
            "range": _range(each),
            "meaning": each.rule.get("help", ""),
        }
        for each in found
        if not any(part in like for part in _parts_of(each.name))
    ]
    if rows:
        print_table("Parameters, for --set NAME=VALUE ...", rows)
    else:
        print("It has no parameters.")
    for first in dict.fromkeys(like.values()):
        more = [part for part, other in like.items() if other == first]
        if not any(part in like for part in _parts_of(f"{first}.")):
            print(f"  {_listed(more)} {'have' if len(more) > 1 else 'has'} the same parameters as {first}.")


def _listed(parts: list[str]) -> str:
    """Parts of a row by name; of many that follow one another the first and the last."""
    places = [int(part.rpartition(".")[2]) for part in parts]
    if len(parts) > 2 and places[-1] - places[0] == len(parts) - 1:
        return f"{parts[0]} to {parts[-1]}"
    return ", ".join(parts)


def _parts_of(name: str) -> list[str]:
    """The parts in rows that a parameter belongs to, the outermost first: `controller.layers.1` of `controller.layers.1.gain`."""
    return [name[: match.end() - 1] for match in PLACE.finditer(name)]


def _alike(found: "list[Parameter]") -> dict[str, str]:
    """Parts in rows that have the very parameters of an earlier one of their row, values aside: by name, with that one's name."""
    declared: dict[str, list[Any]] = {}
    for each in found:
        for part in _parts_of(each.name):
            declared.setdefault(part, []).append((each.name[len(part) :], dict(each.rule)))
    like: dict[str, str] = {}
    for part, own in declared.items():
        row = part.rpartition(".")[0]
        earlier = [other for other in declared if other.rpartition(".")[0] == row and other not in like]
        first = next(other for other in earlier if declared[other] == own)
        if first != part:
            like[part] = first
    return like


def _range(each: "Parameter") -> str:
    from footfall.model.quantity import range_text

    if "options" in each.rule:
        return " | ".join(each.rule["options"])
    return {"flag": "true | false", "words": "words, with commas"}.get(each.rule.get("kind", ""), "") or (
        range_text(each.rule) if "kind" in each.rule else ""
    )


def _text(value: Any, unit: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        shown = ", ".join(_text(entry, "") for entry in value[:LONGEST])
        return shown + (f", ... ({len(value)})" if len(value) > LONGEST else "")
    if isinstance(value, int | float):
        from math import degrees

        angle = f" ({degrees(value):.4g} deg)" if unit == "rad" and value else ""
        return f"{value:.6g}{angle}"
    return str(value)
