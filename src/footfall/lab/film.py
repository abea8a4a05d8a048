"""A motion as MP4, GIF or PNG, seen from the side, without a browser. Artists of matplotlib are moved, not drawn anew."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall import analysis
from footfall.errors import MissingPartError, StateError
from footfall.files import as_path
from footfall.kinematics import LinkPoses, difference, integrate
from footfall.lab.ground import mark_length
from footfall.model.layout import lift
from footfall.model.shapes import height_of
from footfall.sim.run import Run
from footfall.view.shapes import aside, colors, shapes
from footfall.view.stroboscope import outline

WIDE, HIGH = 960, 540  # pixels
RATE = 30  # frames a second
ASIDE, BELOW = 1.5, 0.22  # robot's heights that are seen to either side, and of ground
MOST = 5400  # frames
WEIGHT = 0.4  # robot's heights: the arrow of a force as large as the weight


class Side:
    """The view from the side, of any robot."""

    def __init__(self, run: Run):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import PolyCollection
        from matplotlib.figure import Figure

        self.run, self.tall, self.poses = run, height_of(run.robot), LinkPoses(run.robot)
        self.figure = Figure(figsize=(WIDE / 100, HIGH / 100), dpi=100, facecolor="#f3f5f8")
        self.canvas = FigureCanvasAgg(self.figure)
        ax = self.ax = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set_axis_off()
        parts = [(i, shape) for i, name in enumerate(self.poses.names) for shape in shapes(run.robot, name)]
        far = {name: aside(run.robot, name) for name in self.poses.names}
        parts.sort(key=lambda part: -far[self.poses.names[part[0]]])  # the left leg is behind
        self._parts = [(i, shape.vertices) for i, shape in parts]
        faces = [np.array(colors(self.poses.names[i])) / 255 for i, _ in parts]
        self.limbs = PolyCollection([], facecolors=faces, edgecolors=[0.6 * face for face in faces], linewidths=0.6, zorder=5)
        ax.add_collection(self.limbs)
        self.ground = ax.fill_between([0, 1], [0, 0], color="#e2ded6", linewidth=0)
        (self.edge,) = ax.plot([], [], color="0.4", linewidth=1.4)
        self.title = ax.text(0.015, 0.965, "", transform=ax.transAxes, va="top", family="monospace", color="0.25")
        self.arrow = ax.quiver(
            [0.0], [0.0], [0.0], [0.0], color="#4f8f3c", angles="xy", scale_units="xy", scale=1, width=0.004, zorder=6
        )
        self.marks: list[Any] = []
        self.cop, self.weight = analysis.center_of_pressure(run), float(run.robot.mass * max(run.study.gravity, 1.0))

    def draw(self, time: float) -> np.ndarray:
        """The picture of an instant, (height, width, 3)."""
        run = self.run
        i = max(int(np.searchsorted(run.time, time + 1e-12, side="right")) - 1, 0)
        j = min(i + 1, len(run.time) - 1)
        part = (time - run.time[i]) / (run.time[j] - run.time[i]) if j > i else 0.0
        q = integrate(run.robot, run.q[i], part * difference(run.robot, run.q[i], run.q[j]))
        positions, rotations = self.poses(q)
        self.limbs.set_verts([_silhouette(v @ rotations[k].T + positions[k]) for k, v in self._parts])
        self._follow(float(self.poses.center_of_mass(positions, rotations)[0]), time)
        force, place = lift(run.force[i].sum(axis=0)) / self.weight * WEIGHT * self.tall, lift(self.cop.place[i])
        self.arrow.set_offsets([[place[0], place[2]]])
        self.arrow.set_UVC([force[0] if self.cop.valid[i] else 0.0], [force[2] if self.cop.valid[i] else 0.0])
        self.title.set_text(f"{run.study.name or run.robot.name}   {time:7.2f} s")
        self.canvas.draw()
        return np.asarray(self.canvas.buffer_rgba())[..., :3].copy()

    def _follow(self, x: float, time: float) -> None:
        """The ground around the robot."""
        terrain, tall = self.run.study.world.terrain_at(time), self.tall
        across, ground = outline(terrain, x - ASIDE * tall, x + ASIDE * tall, 160)
        level = float(np.interp(x, across, ground))
        low = level - BELOW * tall
        below = np.concatenate((np.column_stack((across, ground)), [(across[-1], low - tall), (across[0], low - tall)]))
        self.ground.set_verts([below])
        self.edge.set_data(across, ground)
        for mark in self.marks:
            mark.remove()
        every = mark_length(tall)
        at = np.arange(np.ceil(across[0] / every), across[-1] / every) * every
        self.marks = [
            self.ax.text(
                a, np.interp(a, across, ground) - 0.03 * tall, f"{a:g} m", ha="center", va="top", fontsize=9, color="0.4"
            )
            for a in at
        ]
        self.marks += [
            self.ax.vlines(at, np.interp(at, across, ground) - 0.025 * tall, np.interp(at, across, ground), color="0.4")
        ]
        self.ax.set_xlim(x - ASIDE * tall, x + ASIDE * tall)
        self.ax.set_ylim(low, low + 2 * ASIDE * tall * HIGH / WIDE)


def _silhouette(points: np.ndarray) -> np.ndarray:
    flat = points[:, [0, 2]]
    try:
        return flat[ConvexHull(flat).vertices]
    except QhullError:  # seen edge on
        return flat[[flat[:, 0].argmin(), flat[:, 0].argmax()]]


def film(run: Run, path: str | Path, *, speed: float = 1.0, progress: Callable[[float], None] = lambda _: None) -> Path:
    """Write a run as .mp4 or .gif, `speed` times as fast as it was."""
    path = as_path(path)
    times = np.arange(run.time[0], run.time[-1], speed / RATE)
    if not 0.0 < speed < 1e3 or not 1 < len(times) <= MOST:
        raise StateError(f"a film has 2 to {MOST} frames and a speed above 0, got {len(times)} frames at speed {speed!r:.30}")
    write = {".mp4": _mp4, ".gif": _gif}.get(path.suffix.lower())
    if write is None:
        raise StateError(f"a film is written as .mp4 or .gif, got {path.name!r}")
    side = Side(run)

    def frames() -> Any:
        for number, time in enumerate(times):
            yield side.draw(float(time))
            progress((number + 1) / len(times))

    write(path, frames())
    return path


def still(run: Run, path: str | Path) -> Path:
    """Write the last instant of a run as .png."""
    from matplotlib.image import imsave

    imsave(as_path(path), Side(run).draw(float(run.time[-1])))
    return as_path(path)


def _mp4(path: Path, frames: Any) -> None:
    try:
        from imageio_ffmpeg import write_frames
    except ImportError:
        raise MissingPartError("films as .mp4 need imageio-ffmpeg: pip install 'footfall[lab]'; .gif needs nothing") from None
    writer = write_frames(str(path), (WIDE, HIGH), fps=RATE, quality=8, macro_block_size=2)
    writer.send(None)
    try:
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
    finally:
        writer.close()


def _gif(path: Path, frames: Any) -> None:
    from PIL import Image

    first, *rest = (Image.fromarray(frame[::2, ::2]).quantize(96) for i, frame in enumerate(frames) if i % 2 == 0)
    first.save(path, save_all=True, append_images=rest, duration=round(2000 / RATE), loop=0)
