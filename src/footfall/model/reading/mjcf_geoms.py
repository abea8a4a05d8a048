"""Shapes of MJCF: their places and sizes, and the mass and inertia of a body that leaves these to its shapes."""

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.errors import FileError
from footfall.model import transforms
from footfall.model.reading.blueprint import Blueprint, Solid, row
from footfall.model.reading.hull import Cloud, dense
from footfall.model.reading.mesh import Mesh, read_mesh
from footfall.model.reading.mjcf_source import Source, _from_z
from footfall.model.reading.xml import Node

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
KINDS = {name: name for name in (*SIZES, "plane", "hfield", "mesh", "sdf")}
LONG = ("capsule", "cylinder", "ellipsoid", "box")
VOLUMES = {name: name for name in ("convex", "exact", "legacy", "shell")}
FINEST = 100_000  # points, if most of them are on the hull
FLAGS = {"true": True, "false": False}


class Rigid(NamedTuple):
    """Mass, its centre and the inertia about that, in some axes."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray  # (3, 3)

    def moved(self, T: np.ndarray) -> "Rigid":
        R = T[:3, :3]
        return Rigid(self.mass, R @ self.com + T[:3, 3], R @ self.inertia @ R.T)

    def plus(self, other: "Rigid") -> "Rigid":
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass if mass else self.com
        inertia = np.zeros((3, 3))
        for part in (self, other):
            r = part.com - com
            inertia = inertia + part.inertia + part.mass * ((r @ r) * np.eye(3) - np.outer(r, r))
        return Rigid(mass, com, inertia)


NOTHING = Rigid(0.0, np.zeros(3), np.zeros((3, 3)))


class Shapes:
    """Reads the geoms of a model; meshes of its assets by name."""

    def __init__(self, source: Source, blueprint: Blueprint):
        self.source, self.notes = source, blueprint.notes
        self.assets: dict[str, Node] = {}
        for node in source.all("asset"):
            if node.tag == "mesh":
                full = source.full(node, "")
                stem = full.get("file").replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
                self.assets[full.get("name") or stem] = full
        self.meshes: dict[tuple[str, bool], Mesh | None] = {}
        self.clouds: dict[str, Cloud] = {}

    def solid(self, node: Node, pose: np.ndarray) -> Solid | None:
        """The shape of a geom, in the axes in which `pose` is the frame about it; None where it is a plane, or not known."""
        kind, name = self.kind(node), node.get("name")
        if kind in ("plane", "hfield", "sdf"):
            self.notes.add("element", "geom", f"{kind}s are left out: the ground is that of the world")
            return None
        if "mesh" in node.attrib:
            if kind != "mesh":
                self.notes.add("geom", name or "without name", f"a {kind} that is fitted to a mesh is taken for the mesh")
            mesh = self.mesh(node)
            place = pose @ self.place(node)
            return None if mesh is None else _placed(Solid("mesh", name, cloud=self._cloud(node.get("mesh"), mesh)), place)
        size, place = self.size(node, kind)
        here = _turned(self.source, node) if "fromto" not in node.attrib and np.array_equal(pose, np.eye(4)) else None
        T = pose @ place
        if kind == "box":
            return _placed(Solid("box", name, size=row(2 * np.array(size))), T, here)
        if kind == "sphere":
            return _placed(Solid("sphere", name, size=size), T, (0.0, 0.0, 0.0))
        if kind == "cylinder":
            return _placed(Solid("cylinder", name, size=(size[0], 2 * size[1])), T, here)
        if kind == "capsule":
            return self._capsule(node, name, size, pose, T)
        self.notes.add("geom", name or "without name", "an ellipsoid is taken for a box about it")
        return _placed(Solid("box", name, size=row(2 * np.array(size))), T, here)

    def _capsule(self, node: Node, name: str, size: tuple[float, ...], pose: np.ndarray, T: np.ndarray) -> Solid:
        if "fromto" in node.attrib:
            both = np.array(node.numbers("fromto", 6)).reshape(2, 3)
            ends = both if np.array_equal(pose, np.eye(4)) else both @ pose[:3, :3].T + pose[:3, 3]
        else:
            ends = np.array([T[:3, 3] + sign * size[1] * T[:3, 2] for sign in (-1.0, 1.0)])
        return Solid("capsule", name, row(ends[0]), size=size[:1], end=row(ends[1]))

    def kind(self, node: Node) -> str:
        return node.choice("type", KINDS, "mesh" if "mesh" in node.attrib and "type" not in node.attrib else "sphere")

    def size(self, node: Node, kind: str) -> tuple[tuple[float, ...], np.ndarray]:
        """Half lengths and radii as MuJoCo has them, and the place of a geom in the frame about it."""
        if "mesh" in node.attrib:
            raise node.error(
                "the mass of a shape that is fitted to a mesh is not read; give the body an <inertial>, or type='mesh'"
            )
        place = self.place(node)
        given = node.numbers("size", (1, 3), (0.0,))
        wanted = SIZES[kind]
        if "fromto" in node.attrib:
            if kind not in LONG:
                raise node.error(f"fromto is for {', '.join(LONG)}, not a {kind}")
            ends = np.array(node.numbers("fromto", 6)).reshape(2, 3)
            way = ends[0] - ends[1]  # MuJoCo's z points from the second end to the first
            length = float(np.linalg.norm(way))
            if length < 1e-12:
                raise node.error(f"fromto must be two places that differ, got {node.get('fromto')!r:.80}")
            given = (given[0], length / 2) if kind in ("capsule", "cylinder") else (given[0], given[0], length / 2)
            place = transforms.rigid(_from_z(way / length), (ends[0] + ends[1]) / 2)
        if len(given) < wanted or min(given[:wanted]) <= 0.0:
            raise node.error(
                f"a {kind} needs size= with {wanted} number{'s' * (wanted > 1)} above 0 m, got {node.get('size')!r:.60}"
            )
        return given[:wanted], place

    def place(self, node: Node) -> np.ndarray:
        return place_of(self.source, node)

    # --- meshes -----------------------------------------------------------------------------------------------------------

    def mesh(self, node: Node, faces: bool = False) -> Mesh | None:
        """The mesh of a geom, scaled and placed as its asset says; None if it is not there."""
        name = node.word("mesh")
        if name not in self.assets:
            raise node.error(f"there is no mesh {name!r:.80} among the assets")
        if (name, faces) not in self.meshes:
            self.meshes[name, faces] = self._load(name, self.assets[name], faces)
        return self.meshes[name, faces]

    def _cloud(self, name: str, mesh: Mesh) -> Cloud:
        return self.clouds.setdefault(name, Cloud(mesh.vertices))

    def _load(self, name: str, asset: Node, needed: bool) -> Mesh | None:
        mesh = self._vertices(name, asset, needed)
        if mesh is None:
            return None
        scale = asset.numbers("scale", 3, (1.0, 1.0, 1.0))
        shift, turn = asset.numbers("refpos", 3, (0.0,) * 3), asset.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))
        reference = Node("refquat", {"quat": " ".join(map(repr, turn))}, asset.source, asset.line)
        R = self.source.turn(reference)
        faces = mesh.faces if np.prod(scale) > 0.0 else mesh.faces[:, ::-1]
        points = mesh.vertices.astype(np.float32).astype(float)  # as MuJoCo keeps them
        return Mesh((points - np.array(shift)) @ R * np.array(scale), faces)

    def _vertices(self, name: str, asset: Node, needed: bool) -> Mesh | None:
        if "vertex" in asset.attrib:
            points = np.array(asset.row(asset.get("vertex"), "vertex"))
            faces = np.array(asset.row(asset.get("face"), "face")).astype(int)
            if (
                points.size % 3
                or points.size < 12
                or faces.size % 3
                or (faces.size and not 0 <= faces.min() <= faces.max() < points.size // 3)
            ):
                raise asset.error("vertex must be places of at least four points, face three numbers of points for each triangle")
            points = points.reshape(-1, 3)
            return Mesh(points, faces.reshape(-1, 3) if faces.size else hull_of(points))
        if "file" not in asset.attrib:
            self.notes.add("mesh", name, "is left out: it has neither a file nor vertices")
            return None
        compiler, file = self.source.compiler, asset.get("file")
        if compiler.get("strippath") == "true":
            file = file.replace("\\", "/").rpartition("/")[2]
        path = self.source.folder.find(file, compiler.get("meshdir") or compiler.get("assetdir"))
        if isinstance(path, str):
            self.notes.add("mesh", name, f"is left out: {path}")
            return None
        try:
            return read_mesh(path, needed)
        except FileError as error:
            self.notes.add("mesh", name, f"is left out: {error}")
            return None

    # --- masses -----------------------------------------------------------------------------------------------------------

    def rigid(self, node: Node, pose: np.ndarray) -> Rigid:
        """Mass and inertia of a geom, in the axes in which `pose` is the frame about it."""
        kind = self.kind(node)
        if kind in ("plane", "hfield", "sdf") or ("mass" in node.attrib and node.number("mass") == 0.0):
            return NOTHING
        if node.choice("shellinertia", FLAGS, "false"):
            raise node.error("shellinertia is not read; give the body an <inertial>")
        if kind == "mesh":
            mesh = self.mesh(node, faces=True)
            if mesh is None:
                raise node.error(
                    f"the body leaves its mass to the mesh {node.get('mesh')!r:.80}, which is not read; "
                    "give folder= if it is elsewhere, or the body an <inertial>"
                )
            volume = mesh_rigid(mesh, self.assets[node.get("mesh")].choice("inertia", VOLUMES, "legacy"))
            place = self.place(node)
        else:
            size, place = self.size(node, kind)
            volume = solid_rigid(kind, size)
        if volume.mass <= 0.0:
            raise node.error("has no volume, and so no mass")
        mass = node.number("mass", low=0.0) if "mass" in node.attrib else volume.mass * node.number("density", 1000.0, low=0.0)
        return Rigid(mass, volume.com, volume.inertia * (mass / volume.mass)).moved(pose @ place)


def place_of(source: Source, node: Node) -> np.ndarray:
    """The place of an element in the frame about it, 4 by 4."""
    turn = source.turn(node)
    at = node.numbers("pos", 3, (0.0, 0.0, 0.0))
    if isinstance(turn, tuple):
        return transforms.of_part(at, turn)
    return transforms.rigid(np.eye(3) if turn is None else turn, at)


def _turned(source: Source, node: Node) -> tuple[float, ...] | None:
    """The angles of an element, where it says them itself, or has none."""
    turn = source.turn(node)
    return (0.0, 0.0, 0.0) if turn is None else turn if isinstance(turn, tuple) else None


def _placed(solid: Solid, T: np.ndarray, turn: tuple[float, ...] | None = None) -> Solid:
    """A shape at a place; by the very numbers of its element where these are known."""
    angles = transforms.roll_pitch_yaw(T[:3, :3]) if turn is None else turn
    return solid._replace(at=row(T[:3, 3]), turn=row(angles))


# --- volumes --------------------------------------------------------------------------------------------------------------


def solid_rigid(kind: str, size: tuple[float, ...]) -> Rigid:
    """Volume and inertia of a body of density 1, about its middle; sizes are MuJoCo's half lengths and radii."""
    if kind == "sphere":
        volume = 4 / 3 * math.pi * size[0] ** 3
        moments = [0.4 * size[0] ** 2] * 3
    elif kind == "box" or kind == "ellipsoid":
        a, b, c = (x**2 for x in size)
        volume = (8 if kind == "box" else 4 / 3 * math.pi) * math.prod(size)
        share = 3 if kind == "box" else 5
        moments = [(b + c) / share, (a + c) / share, (a + b) / share]
    else:
        r, length = size[0], 2 * size[1]
        rod, ball = math.pi * r**2 * length, 4 / 3 * math.pi * r**3 * (kind == "capsule")
        volume = rod + ball
        along = rod * r**2 / 2 + ball * 0.4 * r**2
        across = rod * (r**2 / 4 + length**2 / 12) + ball * (0.4 * r**2 + length**2 / 4 + 3 * r * length / 8)
        return Rigid(volume, np.zeros(3), np.diag((across, across, along)))
    return Rigid(volume, np.zeros(3), volume * np.diag(moments))


def mesh_rigid(mesh: Mesh, how: str) -> Rigid:
    """Volume and inertia of density 1 of the solid within triangles: sums over pyramids from a point to each triangle.

    `exact` takes pyramids with their signs, `convex` those of the hull, `legacy` all as positive; `shell` is a skin of density 1.
    """
    points, faces = mesh
    if how == "convex" or not len(faces):
        faces, how = hull_of(points), "exact"
    a, b, c = (points[faces[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    if areas.sum() <= 0.0:
        return NOTHING
    center = (areas[:, None] * (a + b + c) / 3).sum(axis=0) / areas.sum()
    if how == "shell":
        return _shell(a, b, c, areas, center)
    volumes, corners = _pyramids((a, b, c), center, how)
    if volumes.sum() <= 0.0:
        return NOTHING
    com = center + (volumes[:, None] * corners.sum(axis=0)).sum(axis=0) / (4 * volumes.sum())
    volumes, corners = _pyramids((a, b, c), com, how)  # from there; this changes the volume of `legacy` only
    second = np.zeros((3, 3))
    for part in (*corners, corners.sum(axis=0)):
        second += np.einsum("i,ij,ik->jk", volumes, part, part) / 20
    return Rigid(float(volumes.sum()), com, np.trace(second) * np.eye(3) - second)


def _pyramids(triangles: tuple[np.ndarray, ...], apex: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """The volumes of pyramids on triangles, and the corners of these as seen from the apex."""
    corners = np.array(triangles) - apex
    volumes = np.einsum("ij,ij->i", np.cross(corners[0], corners[1]), corners[2]) / 6
    return np.abs(volumes) if how == "legacy" else volumes, corners


def _shell(a: np.ndarray, b: np.ndarray, c: np.ndarray, areas: np.ndarray, center: np.ndarray) -> Rigid:
    a, b, c = a - center, b - center, c - center
    second = np.zeros((3, 3))
    for part in (a, b, c, a + b + c):
        second += np.einsum("i,ij,ik->jk", areas, part, part) / 12
    return Rigid(float(areas.sum()), center, np.trace(second) * np.eye(3) - second)


def hull_of(points: np.ndarray) -> np.ndarray:
    """Triangles of the convex hull, turned outward."""
    if len(points) > FINEST and dense(points):
        raise FileError(f"a mesh has too many corners for the mass of its hull: {len(points):,} points, most of them on the hull")
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return np.zeros((0, 3), int)
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return faces
