"""The bodies that are dropped, pushed and rolled in the studies, and how they are simulated."""

from math import cos, sin
from typing import Any, NamedTuple

import numpy as np

from footfall import analysis, robots
from footfall.control import Hold
from footfall.errors import SimulationError
from footfall.model.parts import Arc, Box, Foot, Joint, Link, Point
from footfall.model.robot import Robot
from footfall.sim.run import Run
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.world import World

SPACES = ("planar", "spatial")
GRAVITY = 9.81  # m/s2
BEND = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}  # rad
STIFF = Hold(stiffness=4000.0, damping=100.0)
RADIUS, SPIN = 0.1, 0.004  # m, kg m2: of the ball


def box(space: str) -> Robot:
    """10 kg, 0.4 x 0.2 m (0.3 m deep in space)."""
    planar = space == "planar"
    inertia: Any = 0.2 if planar else (0.1, 0.2, 0.25)
    joint = Joint("base", "planar" if planar else "free", "world", "box")
    size = (0.4, 0.2) if planar else (0.4, 0.3, 0.2)
    return Robot("box", space, (Link("box", 10.0, inertia=inertia),), (joint,), feet=(Foot("box", (Box("box", size),)),))


def box_on_slope(space: str, angle: float) -> tuple[float, ...]:
    """Coordinates of a box that lies on ground that rises by `angle`."""
    z = 0.1 / cos(angle)
    return (0.0, z, -angle) if space == "planar" else (0.0, 0.0, z, cos(angle / 2), 0.0, -sin(angle / 2), 0.0)


def ball() -> Robot:
    """1 kg, of the radius RADIUS."""
    joint, foot = Joint("base", "planar", "world", "ball"), Foot("ball", (Arc("ball", RADIUS),))
    return Robot("ball", "planar", (Link("ball", 1.0, inertia=SPIN),), (joint,), feet=(foot,))


def rod() -> Robot:
    """1 kg, 1 m, touching with its ends."""
    ends = (Point("rod", (-0.5, 0.0)), Point("rod", (0.5, 0.0)))
    joint = Joint("base", "planar", "world", "rod")
    return Robot("rod", "planar", (Link("rod", 1.0, inertia=1 / 12),), (joint,), feet=(Foot("rod", ends),))


def biped() -> tuple[Robot, tuple[float, ...]]:
    """The planar biped of seven links with its knees bent."""
    robot = robots.load("wendlandt")
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in BEND.items() for side in ("left", "right")})
    return robot, tuple(q)


def above_ground(robot: Robot, q: Any, height: float, world: World | None = None) -> tuple[float, ...]:
    """q with the lowest of the feet at a height (m) above the ground."""
    placed = list(Simulation(Study(robot, world or World(), q=tuple(q)), lift=True).study.q or ())
    placed[robot.coordinates.index("base.z")] += height
    return tuple(placed)


def ran(*question: Any, **more: Any) -> Run:
    """A whole run; a fall is a failure."""
    run = whole(*question, **more)
    if run.fell:
        raise SimulationError(f"{run.robot.name} {run.reason}")
    return run


class Gains(NamedTuple):
    """Energy that a limp robot should not have, over all rows of a run."""

    rise: float  # largest energy above the lowest before it, over the energy at the start
    residual: float  # largest energy that no account explains, over the energy at the start
    jump: float  # J: largest change of that from row to row


def gains(run: Run, lowest: float = 0.0) -> Gains:
    """What a run gained. The energy at the start is kinetic, and of weight above the lowest ground."""
    book = analysis.ledger(run)
    start = float(book.energy[0]) - run.robot.mass * run.study.gravity * lowest
    rise, residual = (book.energy - np.minimum.accumulate(book.energy)).max(), np.abs(book.residual).max()
    return Gains(float(rise) / start, float(residual) / start, float(np.abs(np.diff(book.residual)).max()))
