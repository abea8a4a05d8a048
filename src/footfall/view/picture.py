"""Pictures of a robot, drawn from its declaration: limbs as lines, masses as balls of water, soles as they are.

A planar robot is seen from the side; one in space from the side and from the front.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull

from footfall import kinematics
from footfall.dynamics import center_of_mass
from footfall.model.layout import lift
from footfall.model.parts import WORLD, Arc, Box, Capsule, HeelToe, Pad, Sphere
from footfall.model.robot import Robot
from footfall.model.shapes import balls_of
from footfall.model.state import coordinates
from footfall.view.saving import saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WATER = 1000.0  # kg/m3
VIEWS = {"side": (0, 2, "x forward (m)"), "front": (1, 2, "y left (m)")}
MIDDLE = "#404040"
SIDES = {"left": "#1f5fa8", "right": "#c0504d", "outer": "#1f5fa8", "inner": "#c0504d"}


def picture(robot: Robot, q: Any, path: str | Path | None = None, title: str | None = None) -> "Figure":
    """Draw one configuration, or several as in a stroboscope with the path of the centre of mass; save it where `path` says."""
    from matplotlib.figure import Figure

    rows = np.atleast_2d(coordinates(robot, q, many=True))
    views = ["side"] if robot.space == "planar" else ["side", "front"]
    figure = Figure(figsize=(7.5 if len(views) == 1 else 11, 6.0), layout="constrained")
    for ax, view in zip(np.atleast_1d(figure.subplots(1, len(views))), views, strict=True):
        draw(robot, rows, ax, view)
    figure.suptitle(title or f"{robot.name}: {robot.mass:.3g} kg, {robot.nv} degrees of freedom")
    return saved(figure, path)


def draw(robot: Robot, rows: np.ndarray, ax: "Axes", view: str = "side") -> None:
    """Draw configurations into axes of matplotlib, the last one strongest."""
    across, up, label = VIEWS[view]
    for index, q in enumerate(rows):
        strength = 1.0 if index == len(rows) - 1 else 0.15 + 0.35 * index / len(rows)
        _draw_one(robot, q, ax, (across, up), strength)
    if len(rows) > 1:
        path = np.array([lift(center_of_mass(robot, q)) for q in rows])
        ax.plot(path[:, across], path[:, up], ":", color="black", linewidth=1.2, label="centre of mass")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(label)
    ax.set_ylabel("z up (m)")
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    for side, color in SIDES.items():
        if any(link.name.endswith(f"_{side}") for link in robot.links):
            ax.plot([], [], color=color, linewidth=3, label=side)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best", fontsize="small", frameon=False)


def _draw_one(robot: Robot, q: np.ndarray, ax: "Axes", plane: tuple[int, int], strength: float) -> None:
    from matplotlib.patches import Circle

    places = _Places(robot, q)
    for link in robot.links:
        color, origin = _color(link.name), places.on(link.name)
        own = [link.com] if link.mass > 0 else []
        own += [corner for pad in _pads(robot, link.name) for corner in _anchors(pad, robot.dim)]
        ends = [places.on(joint.child) for joint in robot.joints if joint.parent == link.name]  # also where it slides
        for end in [*ends, *(places.on(link.name, at) for at in own)]:
            segment = np.array([origin, end])[:, plane]
            ax.plot(*segment.T, color=color, alpha=strength, linewidth=3, solid_capstyle="round")
        _draw_solids(robot, link.name, places, ax, plane, strength)
        for pad in _pads(robot, link.name):
            outline = np.array([places.on(link.name, point) for point in _outline(pad, robot.dim)])[:, plane]
            ax.plot(*outline.T, color=color, alpha=strength, linewidth=2, marker="o" if len(outline) == 1 else None, markersize=4)
        if link.mass > 0:
            radius = (3 * link.mass / (4 * np.pi * WATER)) ** (1 / 3)
            across, up = places.on(link.name, link.com)[list(plane)]
            ball = Circle((across, up), radius, alpha=0.25 * strength, color=color, linewidth=0)
            ax.add_patch(ball)


def _draw_solids(robot: Robot, link: str, places: "_Places", ax: "Axes", plane: tuple[int, int], strength: float) -> None:
    """The shapes of a link, and balls among its pads, as they are seen: pale."""
    from matplotlib.patches import Polygon

    for shape in (*robot.solids[link], *(pad for pad in _pads(robot, link) if isinstance(pad, Sphere | Capsule))):
        corners = [(places.on(link, at)[list(plane)], radius) for at, radius in balls_of(shape, robot.dim)]
        rim = [(radius * np.cos(a), radius * np.sin(a)) for radius in (corners[0][1],) for a in np.linspace(0.0, 2 * np.pi, 25)]
        points = np.array([middle + np.array(off) for middle, _ in corners for off in rim])
        if len(np.unique(points.round(9), axis=0)) > 2:
            hull = points[ConvexHull(points).vertices]
            ax.add_patch(Polygon(hull, alpha=0.25 * strength, color=_color(link), linewidth=0))


class _Places:
    """Points of links in the world, all in three dimensions."""

    def __init__(self, robot: Robot, q: np.ndarray):
        self.robot, self.q = robot, q
        self.poses: dict[str, kinematics.Pose] = {}

    def on(self, link: str, at: Any = None) -> np.ndarray:
        if link == WORLD:
            return lift(at if at is not None else np.zeros(self.robot.dim))
        if link not in self.poses:
            self.poses[link] = kinematics.pose(self.robot, self.q, link)
        pose = self.poses[link]
        return lift(pose.position if at is None else pose.position + pose.rotation @ np.asarray(at))


def _pads(robot: Robot, link: str) -> list[Pad]:
    return [pad for foot in robot.feet for pad in foot.pads if pad.link == link]


def _anchors(pad: Pad, dim: int) -> list[Any]:
    """Where a limb ends on a pad."""
    if isinstance(pad, HeelToe):
        return [pad.heel, pad.toe]
    if isinstance(pad, Arc):
        outline = _outline(pad, dim)
        return [outline[0], outline[-1]]
    if isinstance(pad, Capsule):
        return [pad.start, pad.end]
    return [pad.at]


def _outline(pad: Pad, dim: int) -> list[Any]:
    if isinstance(pad, HeelToe):
        return [pad.heel, pad.toe]
    if isinstance(pad, Box):
        half = np.array(pad.size) / 2
        corners = [np.array(pad.at) + half * signs for signs in _around(dim)]
        return [*corners, corners[0]]
    if isinstance(pad, Arc):
        angles = np.linspace(*pad.span, 40)
        offsets = [(pad.radius * np.sin(a), -pad.radius * np.cos(a)) for a in angles]
        return [np.array(pad.at) + (offset if dim == 2 else lift(offset)) for offset in offsets]
    if isinstance(pad, Capsule):
        return [pad.start, pad.end]
    return [pad.at]


def _around(dim: int) -> list[tuple[int, ...]]:
    """The corners of a box in an order that draws every edge."""
    if dim == 2:
        return [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    order = "000 100 110 010 000 001 101 100 101 111 110 111 011 010 011 001"
    return [tuple(2 * int(bit) - 1 for bit in corner) for corner in order.split()]


def _color(name: str) -> str:
    return SIDES.get(name.rpartition("_")[2], MIDDLE)
