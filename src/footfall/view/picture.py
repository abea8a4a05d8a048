"""Pictures of a robot, drawn from its declaration: solid limbs, left and right in their colours, soles as they are.

A planar robot is seen from the side; one in space in perspective, from the side and from the front.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull

from footfall import kinematics
from footfall.dynamics import center_of_mass
from footfall.errors import UnknownNameError
from footfall.model.layout import lift
from footfall.model.robot import Robot
from footfall.model.state import coordinates, known_robot
from footfall.sim.run import Run
from footfall.view.look import SIDES, color_of, mixed, parts, side_of, standing
from footfall.view.saving import saved
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
VIEWS = {"side": (0, 2, "x forward (m)"), "front": (1, 2, "y left (m)")}
DISC = np.column_stack((np.cos(np.linspace(0.0, 2 * np.pi, 28)), np.sin(np.linspace(0.0, 2 * np.pi, 28))))
ORDER = {"left": 0, "outer": 0, "": 1, "right": 2, "inner": 2}  # the right side is nearer to who looks along y
FAINT = 0.86  # of white in the first of many poses
WAY = 400  # places of the centre of mass that are drawn
EDGE = 0.35  # of black in the line around a part


def picture(
    robot: Robot | Run,
    q: Any = None,
    path: str | Path | None = None,
    title: str | None = None,
    *,
    view: str | None = None,
    inertia: bool = False,
) -> "Figure":
    """Draw one configuration, or several as in a stroboscope with the path of the centre of mass; save it where `path` says.

    `view` is side or front, or for a robot in space also space, in perspective; all of them if left out. With `inertia`, centres
    of mass are marked and radii of gyration dashed. Without q the robot is drawn in its zero position, in the plane
    with its legs a little apart; that of a run, which may be given instead of a robot, as it is at the end.
    """
    if isinstance(robot, Run):
        run = robot
        if q is None:
            q, title = run.q[-1], title or f"{run.study.name or run.robot.name} at {run.time[-1]:.4g} s"
        return picture(run.robot, q, path, title, view=view, inertia=inertia)
    known_robot(robot)
    rows = np.atleast_2d(coordinates(robot, standing(robot) if q is None else q, many=True))
    known = ("side",) if robot.space == "planar" else ("space", "side", "front")
    if view is not None and view not in known:
        raise UnknownNameError(f"view of a robot in {'the plane' if robot.dim == 2 else 'space'}", view, known)
    views = known if view is None else (view,)
    figure = new_figure(7.5 if len(views) == 1 else 13.5, 6.0)
    axes = np.atleast_1d(figure.subplots(1, len(views), width_ratios=[1.5 if each == "space" else 1.0 for each in views]))
    for ax, each in zip(axes, views, strict=True):
        if each == "space":
            from footfall.view.space import draw_in_space

            draw_in_space(robot, rows, ax)
        else:
            draw(robot, rows, ax, each, inertia=inertia)
    name_sides(figure, axes[-1])
    figure.suptitle(title or f"{robot.name}: {robot.mass:.3g} kg, {robot.nv} degrees of freedom")
    return saved(figure, path)


def draw(robot: Robot, rows: np.ndarray, ax: "Axes", view: str = "side", *, inertia: bool = False, way: Any = None) -> None:
    """Draw configurations into axes of matplotlib, the last one strongest, and the centre of mass, through those of `way`."""
    across, up, label = VIEWS[view]
    for index, q in enumerate(rows):
        pale = 0.0 if index == len(rows) - 1 else FAINT - 0.4 * index / len(rows)
        Silhouette(robot, ax, view, pale=pale, zorder=2.0 + 0.5 * index / len(rows)).move(q)
    if inertia:
        _draw_inertia(robot, rows[-1], ax, view)
    if len(rows) > 1:
        path = np.array([lift(center_of_mass(robot, q)) for q in (rows if way is None else way[:: max(1, len(way) // WAY)])])
        ax.plot(path[:, across], path[:, up], ":", color="black", linewidth=1.2, label="centre of mass", zorder=4)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(label)
    ax.set_ylabel("z up (m)")
    ax.grid(color="0.93", linewidth=0.6)
    ax.set_axisbelow(True)
    for side, color in SIDES.items():
        if any(link.name.endswith(f"_{side}") for link in robot.links):
            ax.fill([], [], color=color, label=side)


def name_sides(figure: "Figure", ax: "Axes") -> None:
    """A legend below, of what the axes name."""
    handles, names = ax.get_legend_handles_labels()
    if handles:
        figure.legend(handles, names, loc="outside lower center", ncols=6, fontsize="small", frameon=False)


class Silhouette:
    """A robot in axes of matplotlib, flat, as one artist that moves in place."""

    def __init__(self, robot: Robot, ax: "Axes", view: str = "side", *, pale: float = 0.0, zorder: float = 2.0):
        from matplotlib.collections import PolyCollection

        self.poses, (self.across, self.up, _) = kinematics.LinkPoses(robot), VIEWS[view]
        seen = [(link.name, part) for link in robot.links for part in parts(robot)[link.name]]
        seen.sort(key=lambda each: (ORDER[side_of(each[0])], each[1].kind != "rod"))  # a rod is in its tube
        self.seen = seen
        fixed = robot.dim == 2  # a part that moves in the plane keeps its outline
        self.outlines = [_outline(part.centers[:, [0, 2]], part.radii) for _, part in seen] if fixed else []
        self.faces = [mixed(part.color, "#ffffff", pale) for _, part in seen]
        self.edges = [mixed(mixed(part.color, "#000000", EDGE), "#ffffff", pale) for _, part in seen]
        self.artist = PolyCollection([], linewidths=0.7, zorder=zorder, joinstyle="round")
        ax.add_collection(self.artist, autolim=False)
        self.ax = ax

    def move(self, q: np.ndarray) -> None:
        """To a configuration."""
        poses = self.poses.by_name(q)
        if self.outlines:
            turned, plane = zip(self.seen, self.outlines, strict=True), [0, 2]
            polygons = [line @ poses[k].rotation[np.ix_(plane, plane)].T + poses[k].position[plane] for (k, _), line in turned]
            order = list(range(len(polygons)))
        else:
            places = [poses[link].position + part.centers @ poses[link].rotation.T for link, part in self.seen]
            polygons = [
                _outline(at[:, [self.across, self.up]], part.radii) for at, (_, part) in zip(places, self.seen, strict=True)
            ]
            toward = [-at[:, 1].mean() if self.across == 0 else at[:, 0].mean() for at in places]
            order = sorted(range(len(polygons)), key=toward.__getitem__)
        self.artist.set_verts([polygons[i] for i in order])
        self.artist.set_facecolor([self.faces[i] for i in order])
        self.artist.set_edgecolor([self.edges[i] for i in order])
        self.ax.update_datalim(np.vstack(polygons))
        self.ax.autoscale_view()


def _outline(centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """The hull of discs in the plane, as a polygon."""
    discs = [np.atleast_2d(at) if r == 0.0 else at + r * DISC for at, r in zip(centers, radii, strict=True)]
    points = np.unique(np.vstack(discs).round(9), axis=0)
    if len(points) < 3 or np.ptp(points, axis=0).min() < 1e-9:
        return points
    return points[ConvexHull(points).vertices]


def _draw_inertia(robot: Robot, q: np.ndarray, ax: "Axes", view: str) -> None:
    """Centres of mass, and circles with the radius of gyration in the plane of the picture."""
    from matplotlib.patches import Circle

    across, up, _ = VIEWS[view]
    places = kinematics.LinkPoses(robot).by_name(q)
    for link in robot.links:
        if link.mass == 0.0:
            continue
        pose = places[link.name]
        at = (pose.position + pose.rotation @ lift(link.com))[[across, up]]
        inertia = link.inertia if isinstance(link.inertia, float | int) else link.inertia[1 if view == "side" else 0]
        radius = float(np.sqrt(inertia / link.mass))
        dark = mixed(color_of(link.name), "#000000", 0.5)
        ax.add_patch(
            Circle((float(at[0]), float(at[1])), radius, fill=False, color=dark, linestyle="--", linewidth=1.0, zorder=5)
        )
        ax.plot(*at, "o", color="white", markeredgecolor=dark, markersize=7, zorder=5)
        ax.plot(*at, "+", color=dark, markersize=7, zorder=5)
