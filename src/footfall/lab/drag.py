"""Pulling at links with the mouse: hold shift and drag. A spring to the pointer pulls at the link, as one push after another."""

from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.lab.scene import Scene
from footfall.lab.session import Session
from footfall.model.layout import lower

PIECE = 0.05  # s: of one push
STIFF = 1.5  # weights a height
STRONGEST = 2.0  # weights


class Drags:
    """The link that is held, and where to; the session asks for the next piece before every frame."""

    def __init__(self, session: Session, scene: Scene):
        self.session, self.scene = session, scene
        self._held: tuple[str, np.ndarray, np.ndarray] | None = None  # link, point on it in its axes, target in the world
        self._until = 0.0
        session.before_frame = self.pull
        for (link, _), mesh in scene.links.meshes.items():
            mesh.on_drag("left", modifier="shift")(self._follow(link))

    def _follow(self, link: str) -> Any:
        async def moved(event: Any) -> None:
            if event.phase == "end":
                self._held = None
                return
            start, end = np.array(event.start_position, dtype=float), np.array(event.end_position, dtype=float)
            if not (np.isfinite(start).all() and np.isfinite(end).all()) or np.abs(end - start).max() > 100 * self.scene.tall:
                return
            self.hold(
                link,
                start - np.array(self.scene.world.position),
                end - np.array(self.scene.world.position),
                fresh=event.phase == "start",
            )

        return moved

    def hold(self, link: str, start: np.ndarray, end: np.ndarray, fresh: bool = True) -> None:
        """Pull at a point of a link, which is at `start` in the world now, toward `end`."""
        if fresh or self._held is None or self._held[0] != link:
            positions, rotations = self.scene.links.poses(self.session.source.state()[0])
            i = self.scene.links.poses.names.index(link)
            self._held = link, rotations[i].T @ (start - positions[i]), end
        else:
            self._held = link, self._held[1], end

    def release(self) -> None:
        self._held = None

    def pull(self) -> None:
        """The next piece, if the last one is over."""
        held, now = self._held, self.session.source.time
        if now < self._until - PIECE:
            self._until = 0.0
        if held is None or now < self._until - 1e-9:
            return
        link, at, target = held
        robot = self.scene.robot
        positions, rotations = self.scene.links.poses(self.session.source.state()[0])
        i = self.scene.links.poses.names.index(link)
        weight = robot.mass * 9.81
        force = STIFF * weight / self.scene.tall * (target - positions[i] - rotations[i] @ at)
        size = float(np.linalg.norm(force))
        force *= min(1.0, STRONGEST * weight / size) if size > 0.0 else 0.0
        try:
            where = tuple(lower(at, robot.space).tolist())
            self.session.push(link, tuple(lower(force, robot.space).tolist()), PIECE, where, quiet=True)
        except FootfallError as error:
            self._held = None
            self.session.say(str(error), bad=True)
        self._until = now + PIECE
