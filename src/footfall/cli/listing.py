"""`footfall list`: what there is."""

import json
from functools import partial
from typing import Annotated

import typer

from footfall.cli.terminal import AsJson, print_table
from footfall.errors import UnknownNameError


def list_command(
    what: Annotated[
        str,
        typer.Argument(
            help="Robots, studies, environments, engines, benchmarks, measures, terrains, contacts, controllers or sensors."
        ),
    ] = "robots",
    as_json: AsJson = False,
) -> None:
    """List robots, studies, controllers and other parts."""
    listings = {"robots": _robots, "studies": _studies, "environments": _environments, "engines": _engines}
    listings |= {"benchmarks": _benchmarks, "measures": _measures}
    listings |= {kind: partial(_parts, kind) for kind in ("terrains", "contacts", "controllers", "sensors")}
    if what not in listings:
        raise UnknownNameError("listing", what, listings)
    title, rows = listings[what]()
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    print_table(title, [{key: value for key, value in row.items() if key != "parameters"} for row in rows])
    if what == "environments":
        print("gymnasium.make(ID) makes one after `import footfall`; any keyword of ff.gym.make may be given besides.")
    elif what == "engines":
        print("footfall run STUDY --engine NAME runs a study on one of them, footfall compare STUDY on several.")
    elif what not in ("benchmarks", "measures"):
        print(f"footfall show NAME says more of one of these {what} and lists its parameters.")
    if what in ("studies", "robots"):
        print("footfall lab NAME opens one live in the browser.")


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


def _environments() -> tuple[str, list[dict]]:
    from footfall.environments import IDS

    return "Environments of Gymnasium", [{"id": name, **keywords} for name, keywords in IDS.items()]


def _benchmarks() -> tuple[str, list[dict]]:
    from footfall import bench

    return "Benchmarks", _about("footfall.bench", bench.names())


def _engines() -> tuple[str, list[dict]]:
    from footfall.engines.names import NAMES
    from footfall.sim.parameters import class_parameters

    return "Engines", [
        {"name": name, "about": _first(kind.__doc__), "parameters": [each.row() for each in class_parameters(kind)]}
        for name, kind in NAMES.items()
    ]


def _first(text: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((text or "").split("\n\n")[0].split())


def _measures() -> tuple[str, list[dict]]:
    from footfall.sweeps import READY

    return "Measures of runs, for footfall sweep", [
        {"name": each.name, "unit": each.unit, "about": each.help} for each in READY.values()
    ]


def _parts(kind: str) -> tuple[str, list[dict]]:
    """Grounds, contact laws, controllers or sensors; JSON has what can be set of each, `footfall show` too."""
    from footfall.control import Controller
    from footfall.sensors import Sensor
    from footfall.sim.parameters import class_parameters
    from footfall.sim.study_json import parts_of
    from footfall.world import Contact, Terrain

    base = {"terrains": Terrain, "contacts": Contact, "controllers": Controller, "sensors": Sensor}[kind]
    rows = []
    for name, part in parts_of(base).items():
        rows.append({"name": name, "about": _first(part.__doc__), "parameters": [each.row() for each in class_parameters(part)]})
    return kind.capitalize(), rows


def _about(package: str, names: list[str]) -> list[dict]:
    """Each thing with the first paragraph of what its file says."""
    import importlib

    modules = {name: importlib.import_module(f"{package}.{name.replace('-', '_')}") for name in names}
    return [{"name": name, "about": _first(module.__doc__)} for name, module in modules.items()]
