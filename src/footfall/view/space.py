"""A robot in space, in perspective: shaded solids with their shadows on a ground that reaches to the horizon, below a sky.

Matplotlib draws it, so that pictures and films of robots in space need no browser. Faces are sorted by their distance, the
farthest first (painter's algorithm), which is right for convex parts that hardly overlap.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull

from footfall import kinematics
from footfall.model.robot import Robot
from footfall.view.look import SIDES, Part, aside, extent, mixed, parts, rgb
from footfall.view.shapes import mesh

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ground = Callable[[float, float], float]

FROM = np.array((1.0, -2.05, 0.45))  # robot's heights: from what is looked at to the eye
LOOK = 0.47  # robot's heights above the ground: what is looked at
HIGHEST = 0.75  # robot's heights above the ground: of the centre of mass, before the eye goes along with what flies
WIDE, HIGH = 0.36, 0.27  # tangents of the half angles that are seen
SKY, HAZE, FLOOR, LINES = "#b9d3ea", "#eef2f5", "#d9d6cf", "#b4b0a7"
SHADE = 0.30  # of black in a shadow
FADE = 9.0  # robot's heights: over which the ground fades into haze
FAR = 60.0  # robot's heights: the last line on the ground
LIGHT = np.array((-0.30, -0.62, 1.0)) / np.linalg.norm((-0.30, -0.62, 1.0))  # toward it
AMBIENT = 0.68
DISC = np.column_stack((np.cos(np.linspace(0, 2 * np.pi, 14)), np.sin(np.linspace(0, 2 * np.pi, 14)), np.zeros(14)))


class Camera:
    """An eye in space: places to points of the picture, which are tangents of angles."""

    def __init__(self, at: np.ndarray, eye: np.ndarray):
        forward = (at - eye) / np.linalg.norm(at - eye)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        self.eye, self.axes = eye, np.array((right, np.cross(right, forward), forward))
        level = np.array((forward[0], forward[1], 0.0))
        self.horizon = float(self.axes[1] @ level / (forward @ level))

    def see(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of the picture, and how far in front of the eye they are."""
        seen = (places - self.eye) @ self.axes.T
        ahead = np.maximum(seen[..., 2], 1e-6)
        return seen[..., :2] / ahead[..., None], seen[..., 2]


def draw_in_space(robot: Robot, rows: np.ndarray, ax: "Axes", ground: Ground | None = None) -> None:
    """Draw configurations in perspective, the last one strongest; without a ground it is level, below the lowest part."""
    places = [_Body(robot).places(q) for q in rows]
    if ground is None:
        lowest = min(float((at[:, 2] - r).min()) for placed in places for at, r in placed)
        ground = lambda _x, _y: lowest  # noqa: E731
    middle = np.mean([np.vstack([at for at, _ in placed]).mean(axis=0)[:2] for placed in places], axis=0)
    spread = np.ptp([np.vstack([at for at, _ in placed]).mean(axis=0)[0] for placed in places]) if len(places) > 1 else 0.0
    scene = SpaceScene(robot, ax, ground, poses=len(rows))
    scene.move(rows, middle, away=1.0 + 0.62 * float(spread) / extent(robot))
    for side, color in SIDES.items():
        if any(link.name.endswith(f"_{side}") for link in robot.links):
            ax.fill([], [], color=color, label=side)


class SpaceScene:
    """Sky, ground, shadows and a robot in axes of matplotlib, moved in place."""

    def __init__(self, robot: Robot, ax: "Axes", ground: Ground, *, poses: int = 1, x_corners: Any = ()):
        from matplotlib.collections import LineCollection, PolyCollection

        self.robot, self.ax, self.ground, self.tall = robot, ax, ground, extent(robot)
        self.x_corners = np.asarray(x_corners, dtype=float)
        self.toward_eye = FROM * (-1.0 if len(self.x_corners) else 1.0, 1.0, 1.0)  # steps are seen from behind, where they rise
        self.every = 10.0 ** np.floor(np.log10(self.tall / 0.7)) * 1.0  # m between lines on the ground
        self.bodies = [_Body(robot, 0.0 if i == poses - 1 else 0.75 - 0.3 * i / poses) for i in range(poses)]
        self.sky = ax.imshow(np.zeros((2, 1, 3)), extent=(-WIDE, WIDE, -HIGH, HIGH), aspect="auto", zorder=0, origin="lower")
        self.floor = PolyCollection([], linewidths=0.4, zorder=1)
        self.lines = LineCollection([], linewidths=0.9, zorder=2)
        self.shadows = PolyCollection([], linewidths=0.0, facecolor=mixed(FLOOR, "#000000", SHADE), zorder=3)
        self.solids = PolyCollection([], linewidths=0.5, zorder=4)
        for artist in (self.floor, self.lines, self.shadows, self.solids):
            ax.add_collection(artist, autolim=False)
        self.scale = ax.text(
            0.985, 0.02, f"lines every {self.every:g} m", transform=ax.transAxes, ha="right", color="0.35", fontsize=8
        )
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(-WIDE, WIDE)
        ax.set_ylim(-HIGH, HIGH)
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(False)

    def move(self, rows: np.ndarray, middle: np.ndarray, away: float = 1.0) -> Camera:
        """Show configurations, as seen by an eye that looks at a place (x, y) on the ground, or above it at what flies or hangs,
        if the height of its centre (z) is told."""
        level = self.ground(float(middle[0]), float(middle[1]))
        above = max([LOOK * self.tall, *(float(z) - level - (HIGHEST - LOOK) * self.tall for z in middle[2:])])
        at = np.array((middle[0], middle[1], level + above))
        camera = Camera(at, at + away * self.tall * self.toward_eye)
        self._show_backdrop(camera, level)
        self._show_ground(camera, middle)
        shadows: list[Any] = []
        faces: list[Any] = []
        colors: list[Any] = []
        depths: list[Any] = []
        for body, q in zip(self.bodies, rows, strict=True):
            shadows += [camera.see(line)[0] for line in body.shadows(q, self.ground)] if body.pale == 0.0 else []
            for found, store in zip(body.faces(q, camera), (faces, colors, depths), strict=True):
                store.append(found)
        order = np.argsort(-np.concatenate(depths))
        shown: Any = np.concatenate(colors)[order]
        self.solids.set_verts(list(np.concatenate(faces)[order]))
        self.solids.set_facecolor(shown)
        self.solids.set_edgecolor(shown)
        self.shadows.set_verts(shadows)
        return camera

    def _show_backdrop(self, camera: Camera, level: float) -> None:
        """Sky above the horizon, and below it a floor that fades into haze."""
        y = np.linspace(-HIGH, HIGH, 220)
        sky, haze, floor = (np.array(rgb(color)) / 255 for color in (SKY, HAZE, FLOOR))
        up = np.clip((y - camera.horizon) / (1.2 * HIGH), 0.0, 1.0)[:, None]
        distance = (camera.eye[2] - level) / np.maximum(camera.horizon - y, 1e-6)
        near = np.exp(-np.maximum(distance / self.tall - 2.0, 0.0) / FADE)[:, None]
        image = np.where((y < camera.horizon)[:, None], near * floor + (1 - near) * haze, up * sky + (1 - up) * haze)
        self.sky.set_data(image[:, None, :])

    def _show_ground(self, camera: Camera, middle: np.ndarray) -> None:
        """Lines along and across, and faces where it is not level."""
        tall, every = self.tall, self.every
        x = np.arange(np.floor((middle[0] - 14 * tall) / every), np.ceil((middle[0] + 14 * tall) / every)) * every
        y = np.arange(np.floor((middle[1] - 2 * tall) / every), np.ceil((middle[1] + 14 * tall) / every)) * every
        fine = self._fine_x(x[0], x[-1], middle[0])
        wide = np.unique(np.concatenate((y, middle[1] + tall * np.linspace(-2.0, 3.0, 11))))
        z = np.array([[self.ground(float(a), float(b)) for b in wide] for a in fine])
        grid = np.stack((*np.meshgrid(fine, wide, indexing="ij"), z), axis=-1)
        uneven = np.ptp(z) > 1e-9
        self._show_faces(camera, grid if uneven else grid[:1])
        across = [np.array([(a, b, self.ground(float(a), float(b))) for b in wide]) for a in x]
        along = [np.array([(a, b, self.ground(float(a), float(b))) for a in fine]) for b in y]
        edges = [np.array([(a, b, self.ground(float(a), float(b))) for b in wide]) for a in self._edges(fine[0], fine[-1])]
        segments, colors = [], []
        for line in (*across, *along, *edges):
            seen, ahead = camera.see(line)
            fade = np.exp(-np.maximum((ahead - 2.5 * tall) / (0.45 * FADE * tall), 0.0))
            for i in np.flatnonzero((ahead[:-1] > 0.2 * tall) & (ahead[1:] > 0.2 * tall)):
                segments.append(seen[i : i + 2])
                colors.append((*(np.array(rgb(LINES)) / 255), float(fade[i : i + 2].mean())))
        self.lines.set_segments(segments)
        self.lines.set_color(colors)

    def _fine_x(self, low: float, high: float, middle: float) -> np.ndarray:
        """Places along x: many where the robot is, and all corners of the ground."""
        near = middle + self.tall * np.linspace(-2.5, 2.5, 61)
        return np.unique(np.concatenate((np.linspace(low, high, 29), near, self._edges(low, high))))

    def _edges(self, low: float, high: float) -> np.ndarray:
        return self.x_corners[(self.x_corners > low) & (self.x_corners < high)]

    def _show_faces(self, camera: Camera, grid: np.ndarray) -> None:
        quads = np.stack((grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]), axis=2).reshape(-1, 4, 3)
        seen, ahead = camera.see(quads)
        shown = (ahead > 0.2 * self.tall).all(axis=1)
        normal = np.cross(quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        light = 0.45 + 0.55 * np.clip(normal @ LIGHT, 0.0, 1.0) / LIGHT[2]
        near = np.exp(-np.maximum(ahead.mean(axis=1) / self.tall - 4.0, 0.0) / FADE)[:, None]
        base, haze = np.array(rgb(FLOOR)) / 255, np.array(rgb(HAZE)) / 255
        colors = near * np.clip(base * light[:, None], 0.0, 1.0) + (1 - near) * haze
        order = np.flatnonzero(shown)[np.argsort(-ahead[shown].mean(axis=1))]
        self.floor.set_verts(list(seen[order]))
        self.floor.set_facecolor(colors[order])
        self.floor.set_edgecolor(colors[order])


class _Body:
    """The faces and the shadow of a robot."""

    def __init__(self, robot: Robot, pale: float = 0.0):
        self.robot, self.pale, self.link_poses = robot, pale, kinematics.LinkPoses(robot)
        self.parts: list[tuple[str, Part]] = [(link, part) for link, found in parts(robot).items() for part in found]
        meshes = [mesh(part) for _, part in self.parts]
        self.sizes = [len(shape.vertices) for shape in meshes]
        starts = np.concatenate(([0], np.cumsum(self.sizes)[:-1])).astype(int)
        self.triangles = np.concatenate([shape.faces + start for shape, start in zip(meshes, starts, strict=True)])
        self.local = [shape.vertices for shape in meshes]
        shades = [np.array(rgb(mixed(part.color, "#ffffff", pale))) / 255 for _, part in self.parts]
        self.colors = np.concatenate([np.tile(c, (len(s.faces), 1)) for c, s in zip(shades, meshes, strict=True)])

    def _moved(self, q: np.ndarray, points: list[np.ndarray]) -> list[np.ndarray]:
        poses = self.link_poses.by_name(q)
        shift = {link.name: np.array((0.0, aside(self.robot, link.name), 0.0)) for link in self.robot.links}
        pairs = zip(self.parts, points, strict=True)
        return [poses[link].position + shift[link] + at @ poses[link].rotation.T for (link, _), at in pairs]

    def places(self, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Balls of all parts in the world."""
        moved = self._moved(q, [part.centers for _, part in self.parts])
        return [(at, part.radii) for at, (_, part) in zip(moved, self.parts, strict=True)]

    def faces(self, q: np.ndarray, camera: Camera) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Triangles that are seen, in the picture, with their colours and distances."""
        corners = np.concatenate(self._moved(q, self.local))[self.triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        size = np.linalg.norm(normal, axis=1)
        toward = np.einsum("ij,ij->i", normal, camera.eye - corners[:, 0]) > 0.0
        kept = toward & (size > 1e-14)
        normal, corners = normal[kept] / size[kept, None], corners[kept]
        light = AMBIENT + (1.0 - AMBIENT) * 1.25 * np.clip(normal @ LIGHT, 0.0, 1.0) - 0.16 * np.clip(-normal[:, 2], 0.0, 1.0)
        seen, _ = camera.see(corners)
        distance = np.linalg.norm(corners.mean(axis=1) - camera.eye, axis=1)
        return seen, np.clip(self.colors[kept] * light[:, None], 0.0, 1.0), distance

    def shadows(self, q: np.ndarray, ground: Ground) -> list[np.ndarray]:
        """Outlines on the ground, a little above it."""
        found = []
        for centers, radii in self.places(q):
            rims = [np.atleast_2d(at) if r == 0.0 else at + r * DISC for at, r in zip(centers, radii, strict=True)]
            points = np.vstack(rims)
            level = np.full(len(points), ground(*points[:, :2].mean(axis=0).tolist()))
            down = points[:, :2] - np.maximum(points[:, 2] - level, 0.0)[:, None] * LIGHT[:2] / LIGHT[2]
            flat = np.unique(down.round(6), axis=0)
            if len(flat) > 2 and np.ptp(flat, axis=0).min() > 1e-9:
                rim = flat[ConvexHull(flat).vertices]
                height = ground(*rim.mean(axis=0).tolist())
                found.append(np.column_stack((rim, np.full(len(rim), height + 1e-3))))
        return found
