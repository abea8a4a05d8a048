"""`footfall list`: what there is."""

import json
from functools import partial
from typing import Annotated

import typer

from footfall.cli.terminal import AsJson, print_table
from footfall.errors import UnknownNameError


def list_command(
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
    print_table(title, rows)


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
