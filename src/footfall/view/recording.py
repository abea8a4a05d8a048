"""A motion as one HTML file: the robot in three dimensions, to be played, stopped and seen from all sides, without a network.

The file is made by viser, whose own viewer is in it. Limbs are drawn between joints, soles as they are declared; a planar robot
gets some depth. The ground moves under the robot, so that it stays in view wherever one looks from.
"""

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.analysis.sides import kept_sides
from footfall.engines.hybrid.modes import Touches
from footfall.engines.hybrid.motion import HybridResult
from footfall.errors import MissingPartError, StateError
from footfall.files import as_path, write_whole
from footfall.model.robot import Robot
from footfall.sim.run import Run
from footfall.view.shapes import Shape, aside, colors, height_of, shapes
from footfall.world import Terrain

FRAMES = 30.0  # a second
TILE = 0.25  # of the robot's height: lines on the ground
WIDE = 1.2  # robot's heights to either side, of the ground
SMOOTH = 0.5  # s: over which the way of the robot is evened out for the camera


class Motion(NamedTuple):
    """The motion to show: configurations at times, and the height of the ground at x and y."""

    robot: Robot
    times: np.ndarray
    q: np.ndarray
    ground: Callable[[float, float], float]
    corners: np.ndarray  # x of its corners
    name: str


def recording(
    motion: Run | HybridResult,
    path: str | Path,
    *,
    title: str | None = None,
    speed: float = 1.0,
    progress: Callable[[float], None] = lambda _: None,
) -> Path:
    """Write a run, or a hybrid motion (best with `record_dt=1/60`), as one HTML file that needs nothing else.

    It plays at `speed` times that of the world at first; `progress` is told the part that is done.
    """
    if not isinstance(speed, int | float) or not 0.0 < speed < 1e6:
        raise StateError(f"speed must be a number above 0 and below 1e6, got {speed!r:.60}")
    shown, path = _shown(motion), as_path(path)
    if len(shown.times) < 2:
        raise StateError(f"a recording needs a motion of two rows or more, got {len(shown.times)}")
    viser = _load_viser()
    with redirect_stdout(StringIO()):  # it would say where it listens; nobody is meant to come
        server = viser.ViserServer(host="127.0.0.1", verbose=False)
        try:
            page = _page(server, shown, speed, progress)
        finally:
            server.stop()
    write_whole(path, page.replace("<title>Viser</title>", f"<title>{escape(title or shown.name)}</title>"))
    return path


def _load_viser() -> Any:
    try:
        import viser
    except ImportError:
        raise MissingPartError("recordings need viser: pip install 'footfall[lab]'") from None
    return viser


# --- what is shown --------------------------------------------------------------------------------------------------------


def _shown(motion: Run | HybridResult) -> Motion:
    if isinstance(motion, Run):
        terrain = motion.study.world.terrain
        name = motion.study.name or motion.robot.name
        return Motion(motion.robot, motion.time, motion.q, terrain.height, terrain.corners(), name)
    if isinstance(motion, HybridResult):
        return Motion(motion.robot, motion.times, kept_sides(motion)[0], _struck_ground(motion), np.zeros(0), motion.robot.name)
    raise StateError(f"a recording shows a Run or a HybridResult, got {motion!r:.80}")


def _struck_ground(motion: HybridResult) -> Callable[[float, float], float]:
    """The ground that the guards of a hybrid motion know, else level."""
    for mode in motion.modes:
        for guard in mode.guards:
            if isinstance(guard.function, Touches) and guard.function.ground:
                ground = guard.function.ground
                if isinstance(ground, Terrain):
                    return ground.height
                return lambda x, y: float(ground(x) if motion.robot.dim == 2 else ground(x, y))
    return lambda _x, _y: 0.0


def _frames(motion: Motion, speed: float) -> Iterator[np.ndarray]:
    """Configurations at even times; between two rows the way from one to the other is taken evenly."""
    times = motion.times
    for t in np.arange(times[0], times[-1], speed / FRAMES):
        i = int(np.searchsorted(times, t, side="right"))
        low, high = times[i - 1], times[min(i, len(times) - 1)]
        part = (t - low) / (high - low) if high > low else 0.0
        step = kinematics.difference(motion.robot, motion.q[i - 1], motion.q[min(i, len(times) - 1)])
        yield kinematics.integrate(motion.robot, motion.q[i - 1], part * step)


# --- the scene ------------------------------------------------------------------------------------------------------------


def _page(server: Any, motion: Motion, speed: float, progress: Callable[[float], None]) -> str:
    robot = motion.robot
    rows = list(_frames(motion, speed))
    twin, tall = robot.in_space(), height_of(robot)
    centers = np.array([_center(robot, q) for q in rows])
    eye = _evened(centers[:, :2], max(1, round(SMOOTH * FRAMES / speed)))
    level = np.array([motion.ground(x, y) for x, y in eye])
    scene = server.scene
    scene.set_up_direction("+z")
    scene.world_axes.visible = False
    world = scene.add_frame("/world", show_axes=False)
    _add_ground(scene, motion, eye, tall)
    parts = {}
    for link in twin.links:
        parts[link.name] = scene.add_frame(f"/world/{link.name}", show_axes=False)
        for number, shape in enumerate(shapes(robot, link.name)):
            _add(scene, f"/world/{link.name}/{number}", shape, colors(link.name))
    server.initial_camera.position = (0.9 * tall, -2.0 * tall, 0.9 * tall)
    server.initial_camera.look_at = (0.0, 0.0, 0.45 * tall)
    server.initial_camera.fov = 0.8
    serializer = server.get_scene_serializer()
    for number, q in enumerate(rows):
        world.position = (-eye[number, 0], -eye[number, 1], -level[number])
        for name, handle in parts.items():
            pose = kinematics.pose(twin, q, name)
            handle.position = pose.position + np.array((0.0, aside(robot, name), 0.0))
            handle.wxyz = _quaternion(pose.rotation)
        serializer.insert_sleep(1.0 / FRAMES)
        progress((number + 1) / len(rows))
    return serializer.as_html()


def _center(robot: Robot, q: np.ndarray) -> np.ndarray:
    x, *rest = dynamics.center_of_mass(robot, q)
    return np.array((x, 0.0, rest[0]) if robot.dim == 2 else (x, *rest))


def _evened(path: np.ndarray, width: int) -> np.ndarray:
    """Mean over so many rows, the ends drawn on."""
    padded = np.pad(path, ((width, width), (0, 0)), mode="reflect", reflect_type="odd") if len(path) > width else path
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    if padded is path:
        return path
    return np.column_stack([np.convolve(column, kernel, mode="valid") for column in padded.T])


def _quaternion(R: np.ndarray) -> tuple[float, float, float, float]:
    """w x y z of a rotation, from the column of the symmetric matrix that is largest."""
    K = np.array(
        [
            [R.trace() + 1, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0, 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0, 0, 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [0, 0, 0, 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    K = K + np.triu(K, 1).T
    best = K[:, np.argmax(K.diagonal())]
    return tuple((best / np.linalg.norm(best)).tolist())


def _add(scene: Any, name: str, shape: Shape, color: tuple[int, int, int]) -> None:
    scene.add_mesh_simple(name, shape.vertices, shape.faces, color=color, flat_shading=shape.flat)


def _add_ground(scene: Any, motion: Motion, eye: np.ndarray, tall: float) -> None:
    """A strip along the way with lines across, so that motion is seen on it."""
    low, high = eye.min(axis=0) - 3 * tall, eye.max(axis=0) + 3 * tall
    step = TILE * tall
    x = np.arange(np.floor(low[0] / step), np.ceil(high[0] / step) + 1) * step
    edges = motion.corners[(motion.corners > x[0]) & (motion.corners < x[-1])]
    x = np.unique(np.concatenate((x, np.linspace(x[0], x[-1], min(4 * len(x), 4000)), edges)))
    y = np.array((eye[:, 1].min() - WIDE * tall, eye[:, 1].max() + WIDE * tall))
    if motion.robot.dim == 3:
        y = np.linspace(y[0], y[1], 25)
    z = np.array([[motion.ground(float(a), float(b)) for b in y] for a in x])
    corners = np.column_stack((np.repeat(x, len(y)), np.tile(y, len(x)), z.ravel()))
    i = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    faces = np.concatenate((np.column_stack((i, i + len(y), i + 1)), np.column_stack((i + 1, i + len(y), i + len(y) + 1))))
    scene.add_mesh_simple("/world/ground", corners, faces, color=(224, 220, 212), side="double", receive_shadow=True)
    lines = []
    for a in np.arange(np.ceil(x[0] / step), np.floor(x[-1] / step) + 1) * step:
        heights = [motion.ground(float(a), float(b)) + 0.002 * tall for b in y]
        lines += [((a, y[j], heights[j]), (a, y[j + 1], heights[j + 1])) for j in range(len(y) - 1)]
    scene.add_line_segments("/world/lines", np.array(lines), (150, 146, 138), thickness=0.006 * tall)
