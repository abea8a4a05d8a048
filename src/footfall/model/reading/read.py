"""Reading a robot of any format: which one it is, is seen from the text."""

from pathlib import Path
from typing import Any

from footfall.errors import FileError, UnknownNameError
from footfall.files import as_path, read_text
from footfall.model.reading.assemble import Import, Options, assemble
from footfall.model.reading.folder import Folder
from footfall.model.reading.mjcf import read_mjcf
from footfall.model.reading.urdf import read_urdf
from footfall.model.reading.xml import MOST_BYTES, Node, parse

XACRO = "xacro is a program that writes URDF, and nothing is executed here; expand it with `xacro robot.urdf.xacro > robot.urdf`"
FORMATS = ("robot (URDF)", "mujoco (MJCF)")


def import_robot(path: str | Path, **options: Any) -> Import:
    """Read a robot from a URDF or MJCF file, with what was decided and what was left out.

    feet    names of links that are feet; found by where they are if left out, () for none
    base    "free" or "fixed": what holds the first link
    merge   make fixed links part of those that carry them
    visual  give links without collision shapes those for the view
    folder  the folder below which meshes and included files may be; that of the file if left out
    """
    return import_text(read_text(path, MOST_BYTES, "a robot"), path, **options)


def import_text(
    text: str,
    path: str | Path,
    *,
    feet: Any = None,
    base: str | None = None,
    merge: bool = False,
    visual: bool = False,
    folder: str | Path | None = None,
) -> Import:
    """The same from the text of a file; `path` is where it is, or would be."""
    options = Options(feet, base, merge, visual)
    path = as_path(path)
    if path.suffix.lower() == ".xacro":
        raise FileError(f"{path}: {XACRO}")
    root = parse(text, str(path))
    return assemble(_blueprint(root, Folder(path, folder), options), options)


def _blueprint(root: Node, folder: Folder, options: Options) -> Any:
    if root.tag == "robot":
        _refuse_xacro(root)
        return read_urdf(root, folder, options.base, options.visual)
    if root.tag == "mujoco":
        return read_mjcf(root, folder, options.visual)
    if root.tag == "sdf":
        raise root.error("SDF is not read; a URDF or MJCF of the same robot is")
    raise UnknownNameError(f"root element of a robot in XML (in {root})", root.tag, FORMATS)


def _refuse_xacro(root: Node) -> None:
    for node in root.every():
        odd = node.tag.startswith("xacro:") or any("${" in text or "$(" in text for text in node.attrib.values())
        if odd:
            raise node.error(XACRO)
