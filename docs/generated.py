"""A small Sphinx extension: what can be read from the code is read from it when the pages are built, so it cannot go stale.

In a page the line `<!-- generated: NAME ARGUMENTS -->` is replaced by the Markdown that the function of that name returns.
Docstrings of the package are plain text with `code` in single backticks; here they are made fit for autodoc.
"""

import dataclasses
import importlib
import inspect
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

MARK = re.compile(r"^<!-- generated: (.+) -->$", re.MULTILINE)
PAGES = [
    "concepts/speed",
    "howto/reproduce",
    "howto/robot-files",
    "reference/command-line",
    "reference/dynamics",
    "reference/robot",
    "reference/view",
    "robots/index",
]
HARD = "\u00a0"  # a blank that keeps a unit on one line


# --- Markdown from the code -----------------------------------------------------------------------------------------------


def table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    lines = [list(heads), ["---"] * len(list(heads)), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def fields(name: str) -> str:
    """The fields of a declaration, from the metadata that also checks them."""
    cls = getattr(importlib.import_module("footfall"), name)
    rows = []
    for field in dataclasses.fields(cls):
        rows.append((f"`{field.name}`", _unit(field.metadata), _default(field), _meaning(field)))
    return table(("key", "unit", f"if{HARD}left{HARD}out", "meaning"), rows)


def _meaning(field: dataclasses.Field) -> str:
    options = f": {', '.join(field.metadata['options'])}" if "options" in field.metadata else ""
    return field.metadata["help"] + options + _bounds(field.metadata)


def _unit(rule: Any) -> str:
    return "" if rule.get("unit", "1") == "1" else rule["unit"].replace("2", "²").replace(" ", HARD)


def _bounds(rule: Any) -> str:
    low, high = rule.get("low", -math.inf), rule.get("high", math.inf)
    if high < math.inf:
        return f"; from {low:g} to {high:g}"
    if 0.0 < low < 1e-6:
        return "; above 0"
    return f"; at least {low:g}" if low > -math.inf else ""


def _default(field: dataclasses.Field) -> str:
    value, is_number = field.default, "unit" in field.metadata
    if isinstance(value, bool | str) and value != "":
        return f"`{value}`"
    if value is dataclasses.MISSING:
        return "required"
    if value is None or value == "" or (value == () and not is_number):
        return "none"
    if value == ():
        return "zero"
    return f"({', '.join(map(_number, value))})" if isinstance(value, tuple) else _number(value)


def _number(value: float) -> str:
    for symbol, known in (("π", math.pi), ("∞", math.inf)):
        if abs(value) == known:
            return symbol if value > 0 else f"−{symbol}"
    return f"{value:g}"


def file_limits() -> str:
    """How large a robot file may be."""
    from footfall.model.checks import MOST_LINKS
    from footfall.model.file import MOST_BYTES

    return f"A file has at most {MOST_BYTES:,} bytes, and at most {MOST_LINKS:,} links, joints, frames or feet each."


def robots() -> str:
    """All ready robots in a table."""
    from footfall.robots import load, names

    rows = []
    for name in names():
        robot = load(name)
        size = (len(robot.links), robot.nv, f"{robot.mass:.4g}")
        rows.append((f"[{name}](#{name})", robot.space, *size, robot.origin))
    return table(("name", "space", "links", "degrees of freedom", "mass (kg)", "origin of the numbers"), rows)


def robot_notes() -> str:
    """What each robot's own file says of it, and its parameters."""
    from footfall.robots import names

    parts = []
    for name in names():
        module = importlib.import_module(f"footfall.robots.{name.replace('-', '_')}")
        declared = module.build.parameters
        call = _call([f'"{name}"', *(f"{key}={field.default!r}" for key, field in declared.items())])
        rows = [(f"`{key}`", _unit(field.metadata), _meaning(field)) for key, field in declared.items()]
        parts += [
            f"## {name}",
            inspect.cleandoc(module.__doc__),
            f"```py\n{call}\n```",
            table(("parameter", "unit", "meaning"), rows),
        ]
    return "\n\n".join(parts)


def _call(arguments: list[str]) -> str:
    line = f"ff.robots.load({', '.join(arguments)})"
    return line if len(line) < 90 else "ff.robots.load(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def functions(package: str, *modules: str) -> str:
    """The functions that a package offers, in the order of its modules, under what these say they are."""
    offered, parts = importlib.import_module(package), []
    for name in modules:
        module = importlib.import_module(f"{package}.{name}")
        here = [f for f in vars(offered).values() if inspect.isfunction(f) and f.__module__ == module.__name__]
        here.sort(key=lambda f: f.__code__.co_firstlineno)
        directives = "\n".join(f".. autofunction:: {package}.{f.__name__}" for f in here)
        about = inspect.cleandoc(module.__doc__)
        parts += [f"## {about.rstrip('.')}" if len(modules) > 1 else about, f"```{{eval-rst}}\n{directives}\n```"]
    return "\n\n".join(parts)


def benchmarks() -> str:
    """What `footfall bench` can measure."""
    from footfall import bench

    modules = {name: importlib.import_module(f"footfall.bench.{name}") for name in bench.names()}
    return table(("name", "what it measures"), [(f"`{name}`", inspect.cleandoc(m.__doc__)) for name, m in modules.items()])


def reproductions() -> str:
    """What `footfall reproduce` can look at."""
    from footfall import reproduce

    rows = [(f"`{name}`", inspect.cleandoc(find.__doc__)) for name, find in reproduce.studies().items()]
    return table(("study", "what is looked at"), rows)


def commands() -> str:
    """The command line, from the declarations that parse it."""
    import typer

    from footfall.cli import app

    group = typer.main.get_command(app)
    parts = [_parameters(group)]
    for name, command in group.commands.items():
        arguments = [_argument(parameter) for parameter in command.params if parameter.param_type_name == "argument"]
        usage = " ".join(["footfall", name, "[OPTIONS]", *arguments])
        parts += [f"## footfall {name}", inspect.cleandoc(command.help or ""), f"```sh\n{usage}\n```", _parameters(command)]
    return "\n\n".join(parts)


def _parameters(command: Any) -> str:
    rows = []
    for parameter in command.params:
        is_option = parameter.param_type_name == "option"
        name = ", ".join(parameter.opts) if is_option else _argument(parameter)
        default = "" if is_option or not parameter.default else f" Default: `{parameter.default}`."
        rows.append((f"`{name}`", (parameter.help or "") + default))
    return table(("argument or option", "meaning"), rows)


def _argument(parameter: Any) -> str:
    name = parameter.name.upper() + ("..." if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


MAKERS: dict[str, Callable[..., str]] = {
    maker.__name__: maker for maker in (fields, file_limits, robots, robot_notes, functions, benchmarks, reproductions, commands)
}


def fill(_app: Any, _page: str, content: list[str]) -> None:
    def made(match: re.Match) -> str:
        name, *arguments = match.group(1).split()
        return MAKERS[name](*arguments)

    content[0] = MARK.sub(made, content[0])


# --- docstrings -----------------------------------------------------------------------------------------------------------


def to_rst(_app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Single backticks are code, columns of text stay columns, and nothing else is markup."""
    paragraphs = "\n".join(lines).split("\n\n")
    lines[:] = "\n\n".join(_literal(text) if _is_columns(text) else _prose(text) for text in paragraphs).split("\n")


def _is_columns(text: str) -> bool:
    lines = text.strip("\n").split("\n")
    return len(lines) > 2 and all(re.search(r"\S {2,}\S", line) for line in lines)


def _literal(text: str) -> str:
    return ".. code-block:: text\n\n" + "\n".join(f"   {line}" for line in text.split("\n"))


def _prose(text: str) -> str:
    pieces = re.split(r"(`[^`\n]+`)", text)
    return "".join(f"`{piece}`" if piece.startswith("`") else re.sub(r"([*|\\]|_(?!\w))", r"\\\1", piece) for piece in pieces)


def short_signature(
    _app: Any, _what: str, _name: str, _thing: Any, _options: Any, signature: str | None, returns: str | None
) -> Any:
    """`q: Any` says no more than `q`."""
    return (re.sub(r": (~?typing\.)?Any\b", "", signature) if signature else signature), returns


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", fill)
    app.connect("env-get-outdated", lambda *_: PAGES)
    app.connect("autodoc-process-docstring", to_rst)
    app.connect("autodoc-process-signature", short_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
