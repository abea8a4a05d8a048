"""MJCF before its bodies: included files, the compiler's settings, default classes, directions."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.errors import FileError, UnknownNameError
from footfall.files import read_text
from footfall.model.reading.folder import Folder
from footfall.model.reading.xml import MOST_BYTES, MOST_ELEMENTS, Node, parse

MOST_FILES = 50
MOST_DEFAULTS = 1_000  # classes
TURNS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
FLAGS = {"true": True, "false": False}
LIMITED = {"true": True, "false": False, "auto": None}
FROM_GEOMS = {"true": True, "false": False, "auto": None}
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor")
INHERIT = {"joint", "geom", "site", "mesh", "actuator", "tendon"}  # what is read, of all that has default values
MEANS = dict.fromkeys(ACTUATORS, "actuator") | {"fixed": "tendon", "spatial": "tendon"}
EXPANDS = ("replicate", "attach", "composite", "flexcomp")
EXPAND = "is for MuJoCo's compiler to expand; save the model with mujoco.mj_saveLastXML, which writes out what it stands for"
NEITHER = "must be made of the letters x, y, z (axes that turn along) or X, Y, Z (fixed axes), three of them"


class Source:
    """All elements of a model, and how to read their attributes."""

    def __init__(self, root: Node, folder: Folder):
        self.root, self.folder = root, folder
        _include(root, folder)
        self.compiler = self._merged("compiler")
        self.radian = self.compiler.choice("angle", {"radian": True, "degree": False}, "degree")
        self.autolimits = self.compiler.choice("autolimits", FLAGS, "true")
        self.from_geoms = self.compiler.choice("inertiafromgeom", FROM_GEOMS, "auto")
        self.sequence = self.compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or not (set(self.sequence) <= set("xyz") or set(self.sequence) <= set("XYZ")):
            raise self.compiler.error(f"eulerseq {NEITHER}, got {self.sequence!r:.40}")
        if self.compiler.get("coordinate", "local") != "local":
            raise self.compiler.error("coordinate='global' is no longer MJCF; the model must have local coordinates")
        self.defaults: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        for node in root.all("default"):
            self._add_defaults(node, "main" if node.get("class", "main") == "main" else node.get("class"), "main")

    def all(self, section: str) -> Iterator[Node]:
        """What all sections of that name hold."""
        return (child for node in self.root.all(section) for child in node.children)

    def _merged(self, tag: str) -> Node:
        """One element with the attributes of all of that tag; later ones win."""
        nodes = list(self.root.all(tag))
        merged = Node(tag, {}, self.root.source, nodes[-1].line if nodes else self.root.line)
        for node in nodes:
            merged.attrib |= node.attrib
            merged.children += node.children
        return merged

    def option(self) -> Node:
        return self._merged("option")

    # --- default classes --------------------------------------------------------------------------------------------------

    def _add_defaults(self, node: Node, name: str, parent: str) -> None:
        waiting = [(node, name, parent)]
        while waiting:
            node, name, parent = waiting.pop()
            if not name or len(self.defaults) > MOST_DEFAULTS:
                raise node.error(f"needs class=, and there may be at most {MOST_DEFAULTS} classes")
            own = self.defaults.setdefault(name, {tag: dict(values) for tag, values in self.defaults[parent].items()})
            for child in node.children:
                tag = MEANS.get(child.tag, child.tag)
                if tag in INHERIT:
                    own[tag] = _over(own.get(tag, {}), child.attrib)
            waiting += [(child, child.get("class"), name) for child in reversed(node.children) if child.tag == "default"]

    def full(self, node: Node, inherited: str) -> Node:
        """An element with the values of its class, or of the class that it inherits."""
        name = node.get("class") or inherited or "main"
        if name not in self.defaults:
            raise UnknownNameError(f"default class (named by {node})", name, self.defaults)
        given = self.defaults[name].get(MEANS.get(node.tag, node.tag), {})
        if not given:
            return node
        whole = Node(node.tag, _over(given, node.attrib), node.source, node.line)
        whole.children, whole.text = node.children, node.text
        return whole

    # --- angles and directions --------------------------------------------------------------------------------------------

    def angle(self, value: float) -> float:
        """An angle in radians."""
        return value if self.radian or not math.isfinite(value) else math.radians(value)

    def turn(self, node: Node) -> Any:
        """The rotation that an element says: (roll, pitch, yaw) where it says so itself, else a matrix; None if there is none."""
        given = [key for key in TURNS if key in node.attrib]
        if not given:
            return None
        if len(given) > 1:
            raise node.error(f"must say its direction once, not by {' and '.join(given)}")
        (key,) = given
        values = np.array(node.numbers(key, {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}[key]))
        if key == "euler":
            angles = [self.angle(float(x)) for x in values]
            return (
                tuple(angles) if self.sequence == "XYZ" else Rotation.from_euler(self.sequence.swapcase(), angles).as_matrix()
            )  # SciPy has it the other way
        parts = {"quat": [values], "xyaxes": [values[:3], values[3:]]}.get(key, [values[:3]])
        if any(np.linalg.norm(part) < 1e-12 for part in parts):
            raise node.error(f"{key} must not be zero, got {node.get(key)!r:.80}")
        if key == "quat":
            return Rotation.from_quat(np.roll(values, -1)).as_matrix()
        if key == "axisangle":
            return Rotation.from_rotvec(self.angle(float(values[3])) * parts[0] / np.linalg.norm(parts[0])).as_matrix()
        return _from_axes(node, *parts) if key == "xyaxes" else _from_z(parts[0] / np.linalg.norm(parts[0]))

    def limits(self, node: Node, key: str, angle: bool = False) -> tuple[float, float]:
        """A range, if it holds: infinite if there is none."""
        words = {"range": "limited"}.get(key, key.replace("range", "limited"))
        limited = node.choice(words, LIMITED, "auto")
        if key not in node.attrib or limited is False or (limited is None and not self.autolimits):
            return -math.inf, math.inf
        low, high = node.numbers(key, 2, infinite=True)
        if not low < high and limited is None:
            return -math.inf, math.inf  # as MuJoCo has it
        if not low < high:
            raise node.error(f"{key} must be (lowest, highest), got {node.get(key)!r:.60}")
        return (self.angle(low), self.angle(high)) if angle else (low, high)


def _over(given: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Default values below an element's own; it says its direction in one way only."""
    if any(key in own for key in TURNS):
        given = {key: value for key, value in given.items() if key not in TURNS}
    return {**given, **{key: value for key, value in own.items() if key != "class"}}


def _from_axes(node: Node, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    if np.linalg.norm(y) < 1e-12:
        raise node.error(f"xyaxes must be two directions that differ, got {node.get('xyaxes')!r:.80}")
    y = y / np.linalg.norm(y)
    return np.column_stack((x, y, np.cross(x, y)))


def _from_z(z: np.ndarray) -> np.ndarray:
    """The least rotation that takes the z axis there."""
    axis = np.cross((0.0, 0.0, 1.0), z)
    length = float(np.linalg.norm(axis))
    if length < 1e-15:
        return np.diag((1.0, 1.0, 1.0)) if z[2] > 0.0 else np.diag((1.0, -1.0, -1.0))
    return Rotation.from_rotvec(math.atan2(length, z[2]) * axis / length).as_matrix()


# --- included files -------------------------------------------------------------------------------------------------------


def _include(root: Node, folder: Folder) -> None:
    """Put the elements of included files in the place of `include`; none is included twice, so there are no loops."""
    seen: set[Any] = set()
    count = sum(1 for _ in root.every())
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if any(child.tag == "include" for child in node.children):
            children: list[Node] = []
            for child in node.children:
                if child.tag != "include":
                    children.append(child)
                    continue
                found = _included(child, folder, seen)
                count += sum(1 for each in found for _ in each.every())
                if count > MOST_ELEMENTS:
                    raise child.error(f"is too large for a robot; at most {MOST_ELEMENTS:,} elements are read")
                children += found
            node.children = children
            waiting.append(node)  # what was included may include more
            continue
        waiting += node.children


def _included(node: Node, folder: Folder, seen: set[Any]) -> list[Node]:
    path = folder.find(node.word("file"))
    if isinstance(path, str):
        raise node.error(f"the file {node.get('file')!r:.100} is not included: {path}")
    if path in seen:
        raise node.error(f"{node.get('file')!r:.100} is included already; a file may be included once, and never by itself")
    seen.add(path)
    if len(seen) > MOST_FILES:
        raise node.error(f"at most {MOST_FILES} files are included")
    root = parse(read_text(path, MOST_BYTES, "a part of a robot"), str(path))
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise FileError(f"{root}: an included file must hold <mujoco> or <mujocoinclude>")
    return root.children
