"""The robot on its ground in the browser: light, links, ground, and a camera that follows.

All that belongs to the world hangs from the frame `/world`, which is moved against the camera's place. So the camera itself stays
where the user put it, and turning it does not fight with the follower.
"""

from contextlib import suppress
from itertools import count
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.kinematics import LinkPoses
from footfall.lab.camera import Follower
from footfall.model.robot import Robot
from footfall.view import stage
from footfall.view.look import aside, extent
from footfall.view.shapes import shapes
from footfall.world import Terrain

GHOST = (150, 150, 158)
GROUND = "/world/ground"
NUMBERS = count()  # of robots and ghosts
AROUND = 6.0  # robot's heights to either side: of ground that is drawn with all its detail
AWAY = 0.6  # of that: so far from its middle, another piece of ground is drawn


class Links:
    """The links of a robot, or of its ghost, as frames with meshes."""

    def __init__(self, scene: Any, robot: Robot, root: str, color: tuple[int, int, int] | None = None):
        self.poses = LinkPoses(robot)
        self.handles, self.meshes = [], {}
        self._aside = np.array([(0.0, aside(robot, name), 0.0) for name in self.poses.names])
        for name in self.poses.names:
            self.handles.append(scene.add_frame(f"{root}/{name}", show_axes=False))
            for number, shape in enumerate(shapes(robot, name)):
                look: dict[str, Any] = {"color": color, "opacity": 0.35, "cast_shadow": False} if color else {}
                self.meshes[name, number] = stage.add_shape(scene, f"{root}/{name}/{number}", shape, **look)

    def place(self, q: np.ndarray) -> np.ndarray:
        """Put all links where q has them. Returns the centre of mass."""
        positions, rotations = self.poses(q)
        turns = Rotation.from_matrix(rotations).as_quat(scalar_first=True)
        for handle, position, wxyz in zip(self.handles, positions + self._aside, turns, strict=True):
            handle.position, handle.wxyz = position, wxyz
        return self.poses.center_of_mass(positions, rotations)


class Scene:
    """What is seen of a robot; built anew for another one."""

    def __init__(self, server: Any, robot: Robot, terrain: Terrain, shadows: bool = True):
        self.server, self.robot, self.tall = server, robot, extent(robot)
        self.planar = robot.space == "planar"
        self.following = True
        self.camera = Follower(self.tall)
        self.com, self.velocity = np.zeros(3), np.zeros(3)
        self._terrain: Terrain | None = None
        self._ground: Terrain | stage.Ground = lambda _x, _y: 0.0
        self._middle = np.zeros(2)
        for name in (stage.SKY, stage.SUN_LIGHT, "/world"):  # not `reset`: it would forget which way is up
            server.scene.remove_by_name(name)
        self.world = server.scene.add_frame("/world", show_axes=False)
        self.root = f"/world/robot{next(NUMBERS)}"  # a page remembers how things of the same name were turned
        stage.light(server.scene, self.tall, shadows)
        self.links = Links(server.scene, robot, self.root)
        self.ghost: Links | None = None
        self._ghost_root = ""
        self.set_ground(terrain)
        self._look()

    def _look(self) -> None:
        """Where the camera of a new page is."""
        stage.aim(self.server.initial_camera, self.robot)
        for client in self.server.get_clients().values():
            self.look_again(client)

    def look_again(self, client: Any) -> None:
        """Put the camera of a page back; that of a client that told nonsense about it stays as it is."""
        camera = self.server.initial_camera
        with suppress(ValueError, TypeError, AssertionError):
            client.camera.position, client.camera.look_at = camera.position, camera.look_at
            client.camera.fov = camera.fov

    def snap(self) -> None:
        """After a jump in time."""
        self.camera = Follower(self.tall)

    def show(self, q: np.ndarray, passed: float, ghost: np.ndarray | None) -> None:
        """Put everything where it is at an instant."""
        before = self.com
        self.com = self.links.place(q)
        self.velocity = (self.com - before) / passed if passed > 0.0 else np.zeros(3)
        if ghost is not None and self.ghost is None:
            self._ghost_root = f"/world/ghost{next(NUMBERS)}"
            self.ghost = Links(self.server.scene, self.robot, self._ghost_root, GHOST)
        if ghost is not None and self.ghost is not None:
            self.ghost.place(ghost)
        if self.following:
            self.camera.follow(self.com, max(passed, 0.0))
            x, y, z = self.camera.place
            level = self.level(x, y)
            self.world.position = (-x, -y, -(0.8 * level + 0.2 * (z - 0.55 * self.tall)))
            if np.abs(np.array((x, y)) - self._middle).max() > AWAY * AROUND * self.tall:
                self.set_ground(self._terrain, force=True)

    def drop_ghost(self) -> None:
        if self.ghost is not None:
            self.server.scene.remove_by_name(self._ghost_root)
            self.ghost = None

    def level(self, x: float, y: float) -> float:
        ground, beside = self._ground, 0.0 if self.planar else y
        return ground.height(x, beside) if isinstance(ground, Terrain) else ground(x, beside)

    # --- the ground -------------------------------------------------------------------------------------------------------

    def set_ground(self, terrain: Terrain | None, force: bool = False) -> None:
        """Draw the ground around the camera's place."""
        if terrain is None or (terrain == self._terrain and not force):
            return
        self._terrain, self._middle = terrain, self.camera.place[:2].copy()
        self._ground = stage.ground_of(self.robot, terrain)
        if self.planar:
            self._middle[1] = 0.0
        way = self._middle + self.tall * AROUND * np.array(((-1.0, 0.0), (1.0, 0.0)))
        self.server.scene.remove_by_name(GROUND)
        stage.add_ground(self.server.scene, GROUND, self._ground, way, self.tall)
