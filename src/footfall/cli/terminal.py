"""Shared parts of the commands: options, settings, bars, tables."""

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from footfall.errors import FileError, FootfallError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from rich.progress import Progress

INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it
Force = Annotated[bool, typer.Option("--force", help="Overwrite the files of another run in the folder.")]
SETTING = re.compile(r"[A-Za-z_][\w.-]*=")
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE ...",
        help="Parameters, such as slope=-2deg world.friction=0.6; `footfall show` lists them.",
    ),
]
OtherRobot = Annotated[
    str | None,
    typer.Option(
        "--robot", help="Another robot than the study's: a ready one, or a file (TOML, URDF, MJCF). --set robot.feet=left,right."
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="A scheduler of Dask, such as tcp://10.0.0.5:8786, instead of all cores."),
]
ROBOT_FILES = (".toml", ".urdf", ".xml", ".mjcf", ".xacro")
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def interrupted(kept: str) -> typer.Exit:
    """End a command after Ctrl-C: say which results there are."""
    print(f"footfall: interrupted; {kept}", file=sys.stderr)
    return typer.Exit(INTERRUPTED)


def folder(out: str, names: "Iterable[str]", force: bool) -> "Path":
    """The folder for results, made if needed; it is checked first, so that no computation is wasted.

    If files of these names exist already, they belong to another run: the command is refused, unless `force`.
    """
    from pathlib import Path

    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"--out {out!r} is no folder to write to: {error.strerror or error}") from None
    there = [name for name in names if (Path(out) / name).exists()]
    if there and not force:
        raise FileError(
            f"--out {out!r} holds {', '.join(there[:3])}{' and more' if len(there) > 3 else ''} of another run; "
            "name another folder, or write over them with --force"
        )
    return Path(out)


def clear(place: "Path", names: "Iterable[str]") -> None:
    """Remove the files of another run, so that they are not mistaken for those of this one."""
    for name in names:
        (place / name).unlink(missing_ok=True)


class Command(typer.core.TyperCommand):
    """A command whose --set takes several settings: `--set slope=-2deg world.friction=0.6`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, each_set(args))


def each_set(args: list[str]) -> list[str]:
    """The arguments with --set before each setting."""
    found: list[str] = []
    for i, word in enumerate(args):
        if i and SETTING.match(word) and found[-2:-1] == ["--set"] and args[i - 1] != "--set":
            found.append("--set")
        found += ["--set", word.removeprefix("--set=")] if word.startswith("--set=") else [word]
    return found


def settings(changes: list[str] | None) -> dict[str, str]:
    """The settings after --set, by name. The declaration of a parameter says how to read its value."""
    found: dict[str, str] = {}
    for text in changes or []:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise FootfallError(f"--set takes name=value, got {text!r:.60}")
        if name in found:
            raise FootfallError(f"--set says twice what {name!r} is: {found[name]} and {value}")
        found[name] = value
    return found


def parallel_place(cluster: str | None, on: str | None = None, workers: int = 0) -> Any:
    """A context in which parallel work is done on a cluster, or as `on` says, or as usual."""
    from contextlib import nullcontext

    from footfall.parallel import use
    from footfall.parallel.place import SCHEMES

    if cluster is not None and on is not None:
        raise FootfallError("parallel work is done on a --cluster or --on this machine: give one of them")
    if cluster is not None and not cluster.startswith(SCHEMES):
        raise FootfallError(f"--cluster takes the address of a scheduler, such as tcp://10.0.0.5:8786, got {cluster!r:.60}")
    where = cluster or on or ("threads" if workers else None)
    return use(where, workers) if where else nullcontext()


def reading_options(given: "Mapping[str, str]") -> dict[str, Any]:
    """Settings for reading a robot from URDF or MJCF, as `import_robot` takes them: feet=left,right base=fixed merge=true."""
    flags = {"true": True, "false": False}
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name == "feet":
            found[name] = tuple(word for word in value.split(",") if word and value != "none")
        elif name in ("merge", "visual"):
            if value.lower() not in flags:
                raise FootfallError(f"{name} must be true or false, got {value!r:.40}")
            found[name] = flags[value.lower()]
        elif name in ("base", "folder"):
            found[name] = value
        else:
            raise UnknownNameError("setting for reading a robot", name, ("feet", "base", "merge", "visual", "folder"))
    return found


def robot_named(name: str, given: "Mapping[str, str]") -> Any:
    """A ready robot by name, or one from a file; `given` are settings for reading it."""
    from pathlib import Path

    from footfall import robots
    from footfall.model.file import read_robot

    if Path(name).suffix.lower() in ROBOT_FILES:
        return read_robot(name, **reading_options(given))
    return robots.load(name, **given)


def with_robot(given: "Mapping[str, str]", robot: str | None) -> dict[str, Any]:
    """Settings of a study, and another robot than its own if one is named, read with the settings `robot.feet` and so on."""
    parameters: dict[str, Any] = dict(given)
    if robot is not None:
        own = {name: str(parameters.pop(name)) for name in list(parameters) if name.startswith("robot.")}
        parameters["robot"] = robot_named(robot, {name.removeprefix("robot."): value for name, value in own.items()})
    return parameters


def bars(quiet: bool) -> "Progress":
    """Bars on standard error, gone when all is done."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True, quiet=quiet), transient=True)


@contextmanager
def bar(title: str, quiet: bool) -> "Iterator[Callable[[int, int], None]]":
    """A bar for what takes long."""
    with bars(quiet) as shown:
        task = shown.add_task(title, total=None)
        yield lambda done, of: shown.update(task, completed=done, total=of)


class Status:
    """One line that changes, on a terminal only."""

    def __init__(self, quiet: bool):
        from rich.console import Console

        self._status = Console(stderr=True, quiet=quiet).status("")

    def __enter__(self) -> "Status":
        self._status.start()
        return self

    def say(self, text: str) -> None:
        self._status.update(text)

    def __exit__(self, *_: object) -> None:
        self._status.stop()


def print_table(title: str, rows: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for key, value in rows[0].items():
        table.add_column(key, justify="right" if isinstance(value, (int, float)) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(f"{value:g}" if isinstance(value, float) else str(value) for value in row.values()))
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(title, style="italic", markup=False, highlight=False, soft_wrap=True)
    console.print(table)


def complex_digits(parts: list[float]) -> str:
    real, imaginary = parts
    return f"{real:.8f}" + (f" {'+' if imaginary > 0 else '-'} {abs(imaginary):.8f}i" if imaginary else "")


def digits(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)
