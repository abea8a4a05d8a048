"""The stage of a scene in viser, for recordings and the lab: light with shadows, sky, ground to the horizon, the robot."""

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.model.robot import Robot
from footfall.view.look import bounds, extent, rgb
from footfall.view.shapes import Shape, shapes
from footfall.view.space import FLOOR, HAZE, LINES
from footfall.world import Blocks, Flat, Terrain

Ground = Callable[[float, float], float]

NEAR, FAR = 7.0, 18.0  # robot's heights: where fog begins and ends
EYE, LOOK = (1.2, -2.6, 0.85), (0.0, 0.0, 0.5)  # robot's heights: camera of a robot at the origin
SIDE_EYE = (0.25, -3.0, 0.7)  # that of a planar robot, nearly from the side
BESIDE = 14.0  # robot's heights: of uneven ground beside the way, so that its edge is in the fog
BOX, TICKS, RELIEF = "#be9f76", "#8d897f", "#c0beb2"  # in the light, a relief is as bright as the plane
ALONG = 4.0  # robot's heights: lines along uneven ground, to either side of the way
BELOW = 1.06  # of its reach: the floor below a robot that hangs from the world
SKY, SUN_LIGHT = "/sky", "/sun"
BELOW_SKY = "#948f85"  # light from the ground
SUN = (-1.5, -2.4, 4.5)  # robot's heights


def prepare(scene: Any) -> None:
    """Once for a scene: z is up. A page puts its camera back whenever it is told so."""
    scene.set_up_direction("+z")
    scene.world_axes.visible = False


def light(scene: Any, tall: float, shadows: bool = True) -> None:
    """Sun and sky instead of viser's own light; far things fade into the haze, which is also the background."""
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)  # a page would be pale until it has read a map, at every turn of a recording again
    scene.add_light_hemisphere(SKY, sky_color=(255, 255, 255), ground_color=rgb(BELOW_SKY), intensity=2.6)
    sun = tuple(tall * each for each in SUN)
    scene.add_light_directional(SUN_LIGHT, color=(255, 248, 238), intensity=3.2, cast_shadow=shadows, position=sun)
    scene.set_background_image(np.full((2, 2, 3), rgb(HAZE), dtype=np.uint8))
    scene.configure_fog(NEAR * tall, FAR * tall, color=rgb(HAZE))


def linear(colors: Any) -> np.ndarray:
    """Colours (..., 3), 0 to 255, as a page takes those of arrows and batches of meshes: in proportion to their light."""
    part = np.asarray(colors) / 255.0
    return np.round(255.0 * np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)).astype(np.uint8)


def aim(camera: Any, robot: Robot) -> None:
    """Let a camera see a robot that stands at the origin: in space from its right front, in the plane from its right side."""
    tall = extent(robot)
    camera.position = tuple(tall * each for each in (EYE if robot.dim == 3 else SIDE_EYE))
    camera.look_at = tuple(tall * each for each in LOOK)
    camera.fov = 0.62


def add_robot(scene: Any, root: str, robot: Robot) -> dict[str, Any]:
    """Frames of all links with their parts, to be moved: {link: handle}."""
    handles = {}
    for link in robot.links:
        handles[link.name] = scene.add_frame(f"{root}/{link.name}", show_axes=False)
        for number, shape in enumerate(shapes(robot, link.name)):
            add_shape(scene, f"{root}/{link.name}/{number}", shape)
    return handles


def add_shape(scene: Any, name: str, shape: Shape, **look: Any) -> Any:
    """A part of a link."""
    look = {"color": shape.color, "flat_shading": shape.flat, "cast_shadow": shape.shades} | look
    return scene.add_mesh_simple(name, shape.vertices, shape.faces, **look)


def ground_of(robot: Robot, terrain: Terrain | Ground) -> Terrain | Ground:
    """The ground to draw: the terrain, or a floor below a robot that hangs from the world and cannot touch anything."""
    if robot.feet or not robot.joints or robot.layout.joints[0].kind in ("planar", "free") or not isinstance(terrain, Flat):
        return terrain
    floor = -BELOW * float(np.linalg.norm(np.abs(bounds(robot)).max(axis=0)))
    return lambda _x, _y: floor


def add_ground(scene: Any, root: str, terrain: Terrain | Ground, way: np.ndarray, tall: float) -> None:
    """The ground around a way of points (x, y), with lines, ticks and distances: a plane without end, or as uneven as it is.

    All of it hangs from the frame `root`. Boxes are drawn as boxes, and edges are sharp.
    """
    scene.add_frame(root, show_axes=False)
    boxes = terrain.blocks if isinstance(terrain, Blocks) else ()
    ground, corners = (terrain.height, terrain.corners()) if isinstance(terrain, Terrain) else (terrain, np.zeros(0))
    if boxes:
        ground = _level
    low, high, every = way.min(axis=0), way.max(axis=0), mark_length(tall)
    x = _grid(low[0] - BESIDE * tall, high[0] + BESIDE * tall, every)
    y = _grid(low[1] - BESIDE * tall, high[1] + BESIDE * tall, every)
    fine = np.arange(low[0] - 3 * tall, high[0] + 3 * tall, max(0.08 * tall, (high[0] - low[0]) / 1500))
    x = np.unique(np.concatenate((x, fine, corners[(corners > x[0]) & (corners < x[-1])])))
    beside = np.concatenate((y, np.linspace(low[1] - tall, high[1] + tall, 9)))
    y = np.unique(beside if _depends_on_y(ground, x, y) else y[[0, -1]])
    z = np.array([[ground(float(a), float(b)) for b in y] for a in x])
    if np.ptp(z) < 1e-9:
        _add_plane(scene, f"{root}/plane", float(z[0, 0]), every, tall)
    else:
        _add_relief(scene, f"{root}/relief", (x, y, z), every, tall)
        near = _grid(max(low[1] - ALONG * tall, y[0]), min(high[1] + ALONG * tall, y[-1]), every)
        along = np.array([z[:, 0] if len(y) == 2 else [ground(float(a), float(b)) for a in x] for b in near])
        _add_lines(
            scene,
            f"{root}/relief/along",
            [np.column_stack((x, np.full(len(x), b), h)) for b, h in zip(near, along, strict=True)],
            tall,
        )
    for number, (at_x, at_y, yaw, length, width, height) in enumerate(boxes):
        turn = (np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))
        middle, size = (at_x, at_y, height / 2), (length, width, height)
        scene.add_box(f"{root}/box/{number}", color=rgb(BOX), dimensions=size, position=middle, wxyz=turn)
    _add_marks(scene, root, ground, way, every, tall)


def mark_length(tall: float) -> float:
    """m between two lines on the ground, for a robot of this height: 0.1, 1, 10."""
    return float(10.0 ** np.floor(np.log10(tall / 0.7)))


def _level(_x: float, _y: float) -> float:
    return 0.0


def _add_marks(scene: Any, root: str, ground: Ground, way: np.ndarray, every: float, tall: float) -> None:
    """Distances beside the way, with ten ticks between two of them."""
    first, last = way[:, 0].min() - 2 * tall, way[:, 0].max() + 2 * tall
    aside = float(way[:, 1].min()) - 0.45 * tall
    ticks = []
    for number in range(int(np.ceil(10 * first / every)), min(int(10 * last / every) + 1, int(10 * first / every) + 4000)):
        x = number * every / 10
        z = float(ground(x, aside)) + 0.003 * tall
        long = 0.04 * tall if number % 10 == 0 else 0.02 * tall
        ticks.append(((x, aside + 0.05 * tall, z), (x, aside + 0.05 * tall + long, z)))
        if number % 10 == 0:
            place, text = (x, aside, z + 0.01 * tall), f"{number // 10 * every + 0.0:g} m"
            scene.add_label(f"{root}/mark/{number}", text, position=place, font_screen_scale=0.6, anchor="center-center")
    scene.add_line_segments(f"{root}/ticks", np.array(ticks), rgb(TICKS), thickness=0.005 * tall)


def _grid(low: float, high: float, every: float) -> np.ndarray:
    return np.arange(np.floor(low / every), np.ceil(high / every) + 1) * every


def _depends_on_y(ground: Ground, x: np.ndarray, y: np.ndarray) -> bool:
    some = x[:: max(1, len(x) // 40)]
    return any(abs(ground(float(a), float(b)) - ground(float(a), 0.0)) > 1e-9 for a in some for b in y[:: max(1, len(y) // 12)])


def _add_plane(scene: Any, name: str, level: float, every: float, tall: float) -> None:
    scene.add_grid(
        name, infinite_grid=True, plane="xy", cell_size=every / 2, section_size=every, cell_color=rgb(FLOOR), cell_thickness=0.0,
        section_color=rgb(LINES), section_thickness=1.0, fade_distance=FAR * tall, fade_strength=1.0, plane_color=rgb(FLOOR),
        plane_opacity=1.0, shadow_opacity=0.4, position=(0.0, 0.0, level - 1e-4 * tall),
    )  # fmt: skip


def _add_relief(scene: Any, name: str, grid: tuple[np.ndarray, np.ndarray, np.ndarray], every: float, tall: float) -> None:
    x, y, z = grid
    corners = np.column_stack((np.repeat(x, len(y)), np.tile(y, len(x)), z.ravel()))
    i = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    faces = np.concatenate((np.column_stack((i, i + len(y), i + 1)), np.column_stack((i + 1, i + len(y), i + len(y) + 1))))
    scene.add_mesh_simple(
        name, corners, faces, color=rgb(RELIEF), side="double", flat_shading=True, cast_shadow=False, receive_shadow=0.4
    )
    across = []
    for row in np.flatnonzero(np.abs(x / every - np.round(x / every)) < 1e-9):
        beside = np.linspace(y[0], y[-1], max(len(y), 41))  # long segments are not drawn where they end behind the eye
        across.append(np.column_stack((np.full(len(beside), x[row]), beside, np.interp(beside, y, z[row]))))
    _add_lines(scene, f"{name}/across", across, tall)


def _add_lines(scene: Any, name: str, lines: list[np.ndarray], tall: float) -> None:
    """Lines through points (n, 3) of the ground, a little above it."""
    segments = np.concatenate([np.stack((line[:-1], line[1:]), axis=1) for line in lines])
    segments[..., 2] += 0.002 * tall
    scene.add_line_segments(name, segments.astype(np.float32), rgb(LINES), thickness=0.006 * tall)
