"""A motion as one HTML file: the robot in three dimensions, to be played, stopped and seen from all sides, without a network.

The file is made by viser, whose own viewer is in it. The robot looks as it does in pictures and films (`look`); a planar one gets
some depth. The ground moves under the robot, so that it stays in view wherever one looks from.
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
from footfall.progress import told
from footfall.sim.run import Run
from footfall.view import stage
from footfall.view.look import aside
from footfall.world import Terrain

FRAMES = 30.0  # a second
EACH = 3  # frames: how often the time is written
OPAQUE = "<style>canvas{opacity:1!important}</style>"  # the viewer is pale while it reads its own map of light, at every turn
SMOOTH = 0.5  # s: over which the way of the robot is evened out for the camera


class Motion(NamedTuple):
    """The motion to show: configurations at times, on a ground."""

    robot: Robot
    times: np.ndarray
    q: np.ndarray
    terrain: Terrain | stage.Ground
    name: str

    def level(self, x: float, y: float) -> float:
        return self.terrain.height(x, y) if isinstance(self.terrain, Terrain) else self.terrain(x, y)


def recording(
    motion: Run | HybridResult,
    path: str | Path,
    *,
    title: str | None = None,
    speed: float = 1.0,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Write a run, or a hybrid motion (best with `record_dt=1/60`), as one HTML file that needs nothing else.

    It plays at `speed` times that of the world at first; `progress` is told the part that is done; without, a bar is shown.
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
            with told(f"recording {path.name}", progress) as tell:
                page = _page(server, shown, speed, tell)
        finally:
            server.stop()
    write_whole(path, page.replace("<title>Viser</title>", f"<title>{escape(title or shown.name)}</title>{OPAQUE}"))
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
        name = motion.study.name or motion.robot.name
        return Motion(motion.robot, motion.time, motion.q, motion.study.world.terrain, name)
    if isinstance(motion, HybridResult):
        return Motion(motion.robot, motion.times, kept_sides(motion)[0], _struck_ground(motion), motion.robot.name)
    raise StateError(f"a recording shows a Run or a HybridResult, got {motion!r:.80}")


def _struck_ground(motion: HybridResult) -> Terrain | stage.Ground:
    """The ground that the guards of a hybrid motion know, else level."""
    for mode in motion.modes:
        for guard in mode.guards:
            if isinstance(guard.function, Touches) and guard.function.ground:
                ground = guard.function.ground
                if isinstance(ground, Terrain):
                    return ground
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
    poses, tall = kinematics.LinkPoses(robot), stage.extent(robot)
    centers = np.array([_center(robot, q) for q in rows])
    eye = _evened(centers[:, :2], max(1, round(SMOOTH * FRAMES / speed)))
    level = np.array([motion.level(x, y) for x, y in eye])
    scene = server.scene
    stage.prepare(scene)
    stage.light(scene, tall)
    world = scene.add_frame("/world", show_axes=False)
    stage.add_ground(scene, "/world/ground", stage.ground_of(robot, motion.terrain), eye, tall)
    parts = stage.add_robot(scene, "/world", robot)
    clock = scene.add_label(
        "/clock", motion.name, position=(0.0, 0.0, 1.12 * tall), font_screen_scale=0.9, anchor="bottom-center"
    )
    stage.aim(server.initial_camera, robot)
    shift = {link.name: np.array((0.0, aside(robot, link.name), 0.0)) for link in robot.links}
    serializer = server.get_scene_serializer()
    for number, q in enumerate(rows):
        world.position = (-eye[number, 0], -eye[number, 1], -level[number])
        for name, pose in poses.by_name(q).items():
            parts[name].position = pose.position + shift[name]
            parts[name].wxyz = _quaternion(pose.rotation)
        if number % EACH == 0:
            clock.text = f"{motion.name}   {motion.times[0] + number * speed / FRAMES:.1f} s"
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
