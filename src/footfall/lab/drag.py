"""Pulling at links with the mouse: hold shift and drag. A spring to the pointer pulls at the link, as one push after another."""

from typing import Any, NamedTuple

import numpy as np

from footfall.errors import FootfallError
from footfall.lab.scene import Scene
from footfall.lab.session import Session
from footfall.model.layout import lower

PIECE = 0.05  # s: of one push
STIFF = 1.5  # weights a height
STRONGEST = 2.0  # weights


FARTHEST = 100.0  # robot's heights: nothing is pulled at or to from farther away


class Hold(NamedTuple):
    """A hand at a link: where it took hold, and where the pointer is, both against the frame of the world."""

    link: str
    start: np.ndarray
    end: np.ndarray
    fresh: bool  # it has just taken hold


class Drags:
    """The link that is held, and where to; the session asks for the next piece before every frame."""

    def __init__(self, session: Session, scene: Scene):
        self.session, self.scene = session, scene
        self._told: Hold | None = None  # by a page, and not looked at yet; the session's thread takes it
        self._held: tuple[str, np.ndarray, np.ndarray] | None = None  # link, point on it in its axes, target in the world
        self._until = 0.0
        session.before_frame = self.pull
        for (link, _), mesh in scene.links.meshes.items():
            mesh.on_drag("left", modifier="shift")(self._follow(link))

    def _follow(self, link: str) -> Any:
        async def moved(event: Any) -> None:
            if event.phase == "end":
                self.release()
                return
            places = [_place(each) for each in (event.start_position, event.end_position)]
            if all(place is not None and np.abs(place).max() < FARTHEST * self.scene.tall for place in places):
                world = np.array(self.scene.world.position)
                self.hold(link, places[0] - world, places[1] - world, fresh=event.phase == "start")

        return moved

    def hold(self, link: str, start: np.ndarray, end: np.ndarray, fresh: bool = True) -> None:
        """Pull at a point of a link, which is at `start` in the world now, toward `end`."""
        told = self._told
        if told is not None and told.fresh and told.link == link and not fresh:  # it has not taken hold yet
            start, fresh = told.start, True
        self._told = Hold(link, start, end, fresh)

    def release(self) -> None:
        self._told = self._held = None

    def pull(self) -> None:
        """The next piece, if the last one is over."""
        now, robot = self.session.source.time, self.scene.robot
        if now < self._until - PIECE:
            self._until = 0.0
        told, self._told = self._told, None
        if self._held is None and (told is None or not told.fresh):  # nothing is held, or it was let go
            return
        positions, rotations = self.scene.links.poses(self.session.source.state()[0])
        if told is not None:
            i = self.scene.links.poses.names.index(told.link)
            same = self._held is not None and self._held[0] == told.link and not told.fresh
            at = self._held[1] if same and self._held is not None else rotations[i].T @ (told.start - positions[i])
            self._held = told.link, at, told.end
        held = self._held
        if held is None or now < self._until - 1e-9:
            return
        link, at, target = held
        i = self.scene.links.poses.names.index(link)
        weight = robot.mass * 9.81
        force = STIFF * weight / self.scene.tall * (target - positions[i] - rotations[i] @ at)
        size = float(np.linalg.norm(force))
        force *= min(1.0, STRONGEST * weight / size) if size > 0.0 else 0.0
        try:
            where = tuple(lower(at, robot.space).tolist())
            self.session.push(link, tuple(lower(force, robot.space).tolist()), PIECE, where, quiet=True)
        except FootfallError as error:
            self.release()
            self.session.say(str(error), bad=True)
        self._until = now + PIECE


def _place(given: Any) -> np.ndarray | None:
    """A point (3,) that a page told; nothing if it is none."""
    try:
        place = np.array(given, dtype=float)
    except (TypeError, ValueError):
        return None
    return place if place.shape == (3,) and np.isfinite(place).all() else None
