"""Meshes of STL, OBJ and Collada (DAE) files: their vertices and triangles. Nothing else of these files is read."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.errors import FileError
from footfall.files import open_file
from footfall.model.reading.xml import Node, parse

MOST_BYTES = {"stl": 30_000_000, "obj": 30_000_000, "dae": 30_000_000}
MOST_NODES = 10_000  # of the scene of a Collada file
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
VERTEX = re.compile(rb"^[ \t]*vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.MULTILINE)
OBJ_VERTEX = re.compile(rb"^v[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.MULTILINE)
OBJ_FACE = re.compile(rb"^f[ \t]+([^\r\n]+)", re.MULTILINE)


class Mesh(NamedTuple):
    """Points, and triangles as three numbers of points each; no triangles where only the points are known."""

    vertices: np.ndarray  # (n, 3)
    faces: np.ndarray  # (m, 3) int


def read_mesh(path: Path, faces: bool = False) -> Mesh:
    """The mesh of a file; by its name it is STL, OBJ or DAE. Without `faces` no time is taken for triangles."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in MOST_BYTES:
        raise FileError(f"{path.name} is no mesh that is read; known are STL, OBJ and DAE")
    content = _content(path, MOST_BYTES[kind])
    try:
        mesh = {"stl": _stl, "obj": _obj if faces else _obj_points, "dae": _dae}[kind](content, path.name)
    except (ValueError, OverflowError):
        raise FileError(f"{path.name} is no valid {kind.upper()}: its numbers cannot be read") from None
    if not len(mesh.vertices):
        raise FileError(f"{path.name} has no points")
    if not (np.isfinite(mesh.vertices).all() and np.abs(mesh.vertices).max() < 1e9):
        raise FileError(f"{path.name} has points that are not finite, or too far away")
    if mesh.faces.size and not (mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices)):
        raise FileError(f"{path.name} has faces between points that it does not have")
    return mesh


def _content(path: Path, most: int) -> bytes:
    try:
        with open_file(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(content) > most:
        raise FileError(f"{path.name} has more than {most:,} bytes, too many for a mesh")
    return content


def _stl(content: bytes, name: str) -> Mesh:
    count = int.from_bytes(content[80:84], "little")
    if len(content) >= 84 and len(content) == 84 + FACET.itemsize * count:
        corners = np.frombuffer(content, FACET, count, 84)["corners"].reshape(-1, 3).astype(float)
    elif content[:5].lower() == b"solid":
        corners = np.array(VERTEX.findall(content), dtype=object).reshape(-1, 3).astype(float)
    else:
        raise FileError(f"{name} is no valid STL: {len(content)} bytes do not hold the {count} triangles that it says")
    if len(corners) % 3:
        raise FileError(f"{name} is no valid STL: its {len(corners)} corners are no whole number of triangles")
    return Mesh(corners, np.arange(len(corners)).reshape(-1, 3))


def _obj_points(content: bytes, _: str) -> Mesh:
    vertices = np.array(OBJ_VERTEX.findall(content), dtype=object).reshape(-1, 3).astype(float)
    return Mesh(vertices, np.zeros((0, 3), int))


def _obj(content: bytes, name: str) -> Mesh:
    vertices = _obj_points(content, name).vertices
    faces: list[tuple[int, int, int]] = []
    for row in OBJ_FACE.findall(content):
        ring = [int(word.split(b"/")[0]) for word in row.split()]
        ring = [i - 1 if i > 0 else i + len(vertices) for i in ring]
        faces += [(ring[0], ring[i], ring[i + 1]) for i in range(1, len(ring) - 1)]
    return Mesh(vertices, np.array(faces, int).reshape(-1, 3))


# --- Collada --------------------------------------------------------------------------------------------------------------


def _dae(content: bytes, name: str) -> Mesh:
    """The points of all geometries, where the scene has them, in metres and z up. Faces are not read."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise FileError(f"{name} is no text") from None
    root = parse(text, name, MOST_BYTES["dae"], lambda tag: tag.rpartition(":")[2])
    points = {node.get("id"): _positions(node) for node in root.every() if node.tag == "geometry"}
    named = {node.get("id"): node for node in root.every() if node.tag == "node"}
    scenes = [node for node in root.every() if node.tag == "visual_scene"]
    placed = [row for scene in scenes for row in _placed(scene, points, named)] or list(points.values())
    rows = np.concatenate([np.zeros((0, 3)), *placed])
    unit = next((float(node.get("meter", "1")) for node in root.every() if node.tag == "unit"), 1.0)
    up = next((node.text.strip() for node in root.every() if node.tag == "up_axis"), "Y_UP")
    axes = {"Z_UP": [0, 1, 2], "Y_UP": [0, 2, 1], "X_UP": [1, 0, 2]}.get(up, [0, 1, 2])
    signs = {"Y_UP": (1.0, -1.0, 1.0), "X_UP": (-1.0, 1.0, 1.0)}.get(up, (1.0, 1.0, 1.0))
    return Mesh(unit * rows[:, axes] * signs, np.zeros((0, 3), int))


def _positions(geometry: Node) -> np.ndarray:
    """The points that the vertices of a geometry use."""
    sources = {node.get("id"): node for node in geometry.every() if node.tag == "source"}
    found = [np.zeros((0, 3))]
    for vertices in (node for node in geometry.every() if node.tag == "vertices"):
        for given in vertices.all("input"):
            source = sources.get(given.get("source").lstrip("#"))
            array = source.find("float_array") if source and given.get("semantic") == "POSITION" else None
            if array is not None:
                row = np.array(array.text.split(), dtype=float)
                found.append(row[: len(row) // 3 * 3].reshape(-1, 3))
    return np.concatenate(found)


def _placed(scene: Node, points: dict[str, np.ndarray], named: dict[str, Node]) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    waiting, seen = [(node, np.eye(4), 0) for node in scene.all("node")], 0
    while waiting:
        node, T, depth = waiting.pop()
        seen += 1
        if seen > MOST_NODES or depth > 50:
            raise FileError(f"{scene.source}: its scene is too large for a mesh")
        T = T @ _transform(node)
        for each in node.all("instance_geometry", "instance_controller"):
            rows = points.get(each.get("url").lstrip("#"), np.zeros((0, 3)))
            found.append(rows @ T[:3, :3].T + T[:3, 3])
        waiting += [(child, T, depth + 1) for child in node.all("node")]
        links = (named.get(each.get("url").lstrip("#")) for each in node.all("instance_node"))
        waiting += [(child, T, depth + 1) for child in links if child is not None]
    return found


def _transform(node: Node) -> np.ndarray:
    T = np.eye(4)
    for each in node.children:
        row = np.array(each.text.split(), dtype=float) if each.tag in ("matrix", "translate", "rotate", "scale") else np.zeros(0)
        step = np.eye(4)
        if each.tag == "matrix" and row.size == 16:
            step = row.reshape(4, 4)
        elif each.tag == "translate" and row.size == 3:
            step[:3, 3] = row
        elif each.tag == "scale" and row.size == 3:
            step[:3, :3] = np.diag(row)
        elif each.tag == "rotate" and row.size == 4 and row[:3].any():
            step[:3, :3] = _about(row[:3] / np.linalg.norm(row[:3]), np.radians(row[3]))
        T = T @ step
    return T


def _about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
