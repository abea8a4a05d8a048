"""A run as a film, GIF or MP4, drawn by Matplotlib without a browser: from the side in the plane, in perspective in space."""

import itertools
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import analysis, kinematics
from footfall.errors import MissingPartError, StateError
from footfall.files import as_path, whole_file
from footfall.model.layout import lift
from footfall.progress import told
from footfall.sim.run import Run
from footfall.view.look import HINGE, LEFT, MIDDLE, RIGHT, extent, mixed, rgb
from footfall.view.picture import Silhouette
from footfall.view.space import FLOOR, HAZE, HIGHEST, SKY, SpaceScene
from footfall.view.stage import ground_of
from footfall.view.stroboscope import outline
from footfall.world import Terrain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BELOW, ABOVE, ASIDE = 0.2, 1.22, 1.26  # robot's heights: of ground, of air, and on either side that are seen
PIXELS = 720  # of the width
WEIGHT = 0.42  # robot's heights: the arrow of a force as large as the robot's weight
MOST_WEIGHTS = 2.0  # an arrow is no longer than that, such as in an impact
EVENED = 0.02  # s: over which a ground reaction force is averaged
STEADY = 0.5  # s: over which the way of the camera is evened
FORCES, PUSHES = "#00785a", "#b8860b"
MOST = 5000  # frames
FORMATS = (".gif", ".mp4")
FILM = (LEFT, RIGHT, MIDDLE, HINGE, mixed(LEFT, "#ffffff", 0.35), mixed(RIGHT, "#ffffff", 0.35))


def animation(
    run: Run,
    path: str | Path,
    *,
    begin: float = 0.0,
    end: float | None = None,
    speed: float = 1.0,
    rate: int = 25,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Write a film of a run from `begin` to `end` (s), `speed` times as fast as it was, with `rate` pictures a second.

    The ending of `path` says the format, .gif or .mp4. The camera follows the robot, and marks on the ground show the distance.
    Arrows are the ground reaction force of each foot (green) and pushes (yellow). `progress` is told the part that
    is done; without, a bar is shown.
    """
    if not isinstance(run, Run):
        raise StateError(f"an animation is that of a Run, got {run!r:.60}")
    if not isinstance(rate, int) or rate < 1:
        raise StateError(f"the rate of an animation must be a whole number of pictures a second, got {rate!r:.40}")
    path, moments = as_path(path), _moments(run, begin, end, speed / rate)
    if path.suffix.lower() not in FORMATS:
        raise StateError(f"an animation is written as {' or '.join(FORMATS)}, got {path.name!r}")
    write = write_gif if path.suffix.lower() == ".gif" else _write_mp4
    with told(f"drawing {path.name}", progress) as tell:
        write(path, _told(frames(run, moments), len(moments), tell), rate)
    return path


def frames(run: Run, moments: np.ndarray) -> Iterator[np.ndarray]:
    """Pictures of a run at moments, as arrays of red, green and blue."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    scene: _Side | _Space = (_Side if run.robot.dim == 2 else _Space)(run, moments)
    canvas = FigureCanvasAgg(scene.figure)
    for number, moment in enumerate(moments):
        yield _drawn(scene, canvas, number, float(moment))


class Still:
    """The last instant of a run under way as an array of red, green and blue, again and again, with one figure."""

    def __init__(self, run: Run):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self._scene: _Side | _Space = (_Side if run.robot.dim == 2 else _Space)(run, run.time[-1:])
        self._canvas = FigureCanvasAgg(self._scene.figure)

    def draw(self, run: Run) -> np.ndarray:
        """`run` is one of the same study, or its last rows."""
        self._scene.take(run, run.time[-1:])
        return _drawn(self._scene, self._canvas, 0, float(run.time[-1]))


def _drawn(scene: "_Side | _Space", canvas: Any, number: int, moment: float) -> np.ndarray:
    scene.show(number, moment)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _moments(run: Run, begin: float, end: float | None, step: float) -> np.ndarray:
    analysis.motion.check_rows(run)
    last = float(run.time[-1]) if end is None else end
    if not (np.isfinite([begin, last, step]).all() and 0.0 <= begin < last and step > 0.0):
        raise StateError(f"an animation needs 0 <= begin < end and a speed above 0, got begin {begin}, end {last}")
    moments = np.arange(begin, min(last, float(run.time[-1])), step)
    if not 0 < len(moments) <= MOST:
        raise StateError(
            f"an animation of this run from {begin:g} to {last:g} s would have {len(moments)} pictures; 1 to {MOST} are possible"
        )
    return moments


def _told(pictures: Iterator[np.ndarray], count: int, progress: Callable[[float], None]) -> Iterator[np.ndarray]:
    for number, picture in enumerate(pictures):
        yield picture
        progress((number + 1) / count)


def write_gif(path: Path, pictures: Iterator[np.ndarray], rate: int) -> None:
    """Write pictures, arrays of red, green and blue, as a GIF that repeats."""
    from PIL import Image

    start = next(pictures)
    palette = Image.fromarray(np.vstack((start, _swatches(start.shape[1])))).quantize(256, dither=Image.Dither.NONE)
    first, *rest = (
        Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE) for each in itertools.chain((start,), pictures)
    )
    with whole_file(path) as file:
        first.save(file, "GIF", save_all=True, append_images=rest, duration=round(1000 / rate), loop=0, optimize=False)


def _swatches(width: int) -> np.ndarray:
    """All colours that may come later in a film, lit and in shade, as a strip below its first picture."""
    lit = [np.clip(np.array(rgb(c)) * part, 0, 255) for c in (*FILM, FORCES, PUSHES) for part in np.linspace(0.6, 1.08, 9)]
    return np.repeat(np.resize(np.array(lit, dtype=np.uint8), (1, width, 3)), 60, axis=0)


def _write_mp4(path: Path, pictures: Iterator[np.ndarray], rate: int) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingPartError("an .mp4 needs imageio-ffmpeg: pip install 'footfall[lab]'; a .gif needs nothing") from None
    first = next(pictures)
    part = path.with_name(f".{path.stem}.part.mp4")
    try:
        writer = imageio_ffmpeg.write_frames(
            str(part), (first.shape[1], first.shape[0]), fps=rate, codec="libx264", quality=8, macro_block_size=2,
            output_params=["-movflags", "+faststart"],
        )  # fmt: skip
        writer.send(None)
        writer.send(np.ascontiguousarray(first))
        for each in pictures:
            writer.send(np.ascontiguousarray(each))
        writer.close()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


# --- scenes ---------------------------------------------------------------------------------------------------------------


class _Scene:
    """Text and arrows, which all films have."""

    def __init__(self, run: Run, moments: np.ndarray, size: tuple[float, float]):
        from matplotlib.figure import Figure
        from matplotlib.patches import FancyArrowPatch

        self.tall = extent(run.robot)
        self.take(run, moments)
        self.figure: Figure = Figure(figsize=size, dpi=100)
        self.ax: Axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.heaviness = max(float(run.robot.mass * run.study.gravity), 1e-9)
        style: dict[str, Any] = {"arrowstyle": "-|>,head_width=3.5,head_length=7", "shrinkA": 0, "shrinkB": 0, "zorder": 10}
        kinds = [*((FORCES, 2.4) for _ in self.forces), *((PUSHES, 4.0) for _ in run.study.world.pushes)]
        self.arrows = [FancyArrowPatch((0, 0), (0, 0), color=color, linewidth=width, **style) for color, width in kinds]
        for arrow in self.arrows:
            self.ax.add_patch(arrow)
        name = run.study.name or run.robot.name
        place: dict[str, Any] = {"transform": self.ax.transAxes, "va": "top", "color": "0.2", "fontsize": 11, "zorder": 11}
        self.ax.text(0.015, 0.975, name, fontweight="bold", **place)
        self.clock = self.ax.text(0.985, 0.975, "", ha="right", family="monospace", **place)
        self.state = self.ax.text(0.015, 0.915, "", **place | {"fontsize": 9, "color": "0.35"})
        self.column = next(iter(run.labels), None)

    def take(self, run: Run, moments: np.ndarray) -> None:
        """Show this run at these moments."""
        self.run, self.moments = run, moments
        self.forces = _foot_forces(run)
        self.middle = self.steady()

    def row(self, moment: float) -> int:
        return int(np.argmin(np.abs(self.run.time - moment)))

    def tell(self, row: int, moment: float, see: Callable[[np.ndarray], np.ndarray]) -> None:
        """The time, the state of the controller, and arrows at a row."""
        self.clock.set_text(f"{moment:6.2f} s")
        if self.column is not None:
            self.state.set_text(self.run.labels[self.column][int(self.run[self.column][row])])
        given = [(place[row], force[row], True) for place, force in self.forces]
        given += [self._push(push, row) for push in self.run.study.world.pushes]
        for arrow, (place, force, from_tail) in zip(self.arrows, given, strict=True):
            length = float(np.linalg.norm(force)) / self.heaviness
            arrow.set_visible(length > 0.01)
            if length > 0.01:
                drawn = force / self.heaviness * min(1.0, MOST_WEIGHTS / length) * WEIGHT * self.tall
                tail = place if from_tail else place - drawn
                ends = see(np.array((tail, tail + drawn)))
                arrow.set_positions(tuple(ends[0]), tuple(ends[1]))

    def _push(self, push: Any, row: int) -> tuple[np.ndarray, np.ndarray, bool]:
        on = push.start <= float(self.run.time[row]) < push.end
        place = kinematics.pose(self.run.robot, self.run.q[row], push.on, at=push.at).position if on else np.zeros(3)
        return lift(place), lift(np.array(push.force)) if on else np.zeros(3), False

    def steady(self) -> np.ndarray:
        """The centre of mass at every moment, where the camera looks; without its nodding along the ground."""
        run = self.run
        center = np.array([lift(each) for each in analysis.center_of_mass(run)])
        half = max(1, int(STEADY / max(run.study.record_dt, 1e-9)))
        if 2 * half < len(center):
            window = np.full(2 * half + 1, 1.0 / (2 * half + 1))
            padded = np.pad(center[:, :2], ((half, half), (0, 0)), mode="reflect", reflect_type="odd")
            center[:, :2] = np.column_stack([np.convolve(column, window, mode="valid") for column in padded.T])
        return np.column_stack([np.interp(self.moments, run.time, column) for column in center.T])


class _Side(_Scene):
    """A planar robot and its ground, from the side."""

    def __init__(self, run: Run, moments: np.ndarray):
        high = 2 * round(PIXELS * (ABOVE + BELOW) / (2 * ASIDE) / 2)
        super().__init__(run, moments, (PIXELS / 100, high / 100))
        self.body = Silhouette(run.robot, self.ax, zorder=5)
        self.every = 10.0 ** np.ceil(np.log10(self.tall / 2))
        line: dict[str, Any] = {"color": "0.35"}
        ax = self.ax
        ax.imshow(_sky(), extent=(0, 1, 0, 1), transform=ax.transAxes, aspect="auto", zorder=0, origin="lower")
        (self.soil,) = ax.fill([], [], color=FLOOR, linewidth=0, zorder=2)
        (self.top,) = ax.plot([], [], linewidth=1.6, zorder=3, **line)
        (self.ticks,) = ax.plot([], [], linewidth=1.2, zorder=3, **line)
        (self.shade,) = ax.plot([], [], linewidth=5.0, zorder=2.5, color=mixed(FLOOR, "#000000", 0.28), solid_capstyle="round")
        self.marks = [ax.text(0, 0, "", ha="center", va="top", fontsize=8, zorder=3, clip_on=True, **line) for _ in range(40)]
        ax.set_axis_off()

    def show(self, number: int, moment: float) -> None:
        row, tall, (middle, _, height) = self.row(moment), self.tall, self.middle[number]
        self.body.move(self.run.q[row])
        x, z = self._outline(moment, middle - ASIDE * tall, middle + ASIDE * tall)
        level = float(np.mean(np.interp(middle + tall * np.linspace(-0.4, 0.4, 9), x, z)))
        level = min(max(level, height - HIGHEST * tall), height)  # the camera goes along with what flies
        self.soil.set_xy(np.column_stack((np.concatenate((x, x[::-1])), np.concatenate((z, np.full(len(z), level - 4 * tall))))))
        self.top.set_data(x, z)
        self._show_shadow(x, z)
        self._show_marks(x, z)
        self.ax.set_xlim(x[0], x[-1])
        self.ax.set_ylim(level - BELOW * tall, level + ABOVE * tall)
        self.tell(row, moment, lambda places: places[:, [0, 2]])

    def _outline(self, moment: float, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        ground = ground_of(self.run.robot, self.run.study.world.terrain_at(moment))
        if isinstance(ground, Terrain):
            return outline(ground, low, high)
        return np.array((low, high)), np.array((ground(low, 0.0), ground(high, 0.0)))

    def _show_shadow(self, x: np.ndarray, z: np.ndarray) -> None:
        """Below the robot, on the ground."""
        seen = np.concatenate([np.asarray(path.vertices)[:, 0] for path in self.body.artist.get_paths()])
        under = np.linspace(float(seen.min()), float(seen.max()), 40)
        self.shade.set_data(under, np.interp(under, x, z) - 0.011 * self.tall)

    def _show_marks(self, x: np.ndarray, z: np.ndarray) -> None:
        """The distance, on the ground."""
        at = np.arange(np.ceil(x[0] / self.every), x[-1] / self.every) * self.every
        height = np.interp(at, x, z)
        self.ticks.set_data(
            np.repeat(at, 3), np.column_stack((height, height - 0.03 * self.tall, np.full(len(at), np.nan))).ravel()
        )
        for i, mark in enumerate(self.marks):
            mark.set_visible(i < len(at))
            if i < len(at):
                mark.set_position((at[i], height[i] - 0.045 * self.tall))
                mark.set_text(f"{at[i] + 0.0:g} m")  # no -0


class _Space(_Scene):
    """A robot in space and its ground, in perspective."""

    def __init__(self, run: Run, moments: np.ndarray):
        super().__init__(run, moments, (PIXELS / 100, 0.75 * PIXELS / 100))
        terrain = run.study.world.terrain
        ground = ground_of(run.robot, terrain)
        height = ground.height if isinstance(ground, Terrain) else ground
        self.scene = SpaceScene(run.robot, self.ax, cache(height), x_corners=terrain.corners())

    def show(self, number: int, moment: float) -> None:
        row = self.row(moment)
        camera = self.scene.move(self.run.q[row][None], self.middle[number])
        self.tell(row, moment, lambda places: camera.see(places)[0])


def _sky() -> np.ndarray:
    from matplotlib.colors import to_rgb

    part = np.linspace(0.0, 1.0, 64)[:, None, None] ** 0.8
    return (1.0 - part) * np.array(to_rgb(HAZE)) + part * np.array(to_rgb(SKY))


def _foot_forces(run: Run) -> list[tuple[np.ndarray, np.ndarray]]:
    """Centre of pressure and force of every foot in space, averaged over a moment: (rows, 3) each."""
    half = int(EVENED / 2 / max(run.study.record_dt, run.study.dt))
    window = np.full(2 * half + 1, 1 / (2 * half + 1))
    found = []
    for foot in analysis.motion.feet(run):
        pads = run.of(foot)
        weight = np.maximum(run.force[:, pads, -1], 0.0) + 1e-12
        place = np.einsum("rp,rpi->ri", weight, run.point[:, pads]) / weight.sum(axis=1)[:, None]
        force = np.array([lift(each) for each in run.force[:, pads].sum(axis=1)])
        even = np.array([np.convolve(np.pad(column, half, mode="edge"), window, mode="valid") for column in force.T]).T
        touches = np.any(run.mode[:, pads], axis=1)[:, None]
        found.append((np.array([lift(each) for each in place]), np.where(touches, even, 0.0)))
    return found
