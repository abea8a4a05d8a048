"""Sliding against independent equations of motion: the error at 1 ms, and the order of convergence.

The references are closed forms, and Coulomb friction at four points integrated by scipy. Loads of the four are shared
as by an even support: the sum over one diagonal equals that over the other.
"""

from collections.abc import Iterator
from math import atan2, cos, sin
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from footfall import kinematics
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY, box, box_on_slope, ran
from footfall.reproduce.world.convergence import order
from footfall.world import Rigid, Slope, World

SIZES = (1e-3, 5e-4, 2.5e-4)  # s: steps of time
CORNERS = np.array([(x, y) for x in (0.2, -0.2) for y in (0.15, -0.15)])  # m
MASS, SPIN, HIGH = 10.0, 0.25, 0.1  # kg, kg m2, m: of the box
EXACT = 1e-9  # errors below this have no order


class Slide(NamedTuple):
    """A box on a slope, and its velocity up the slope, across it and about the normal at the start."""

    friction: float
    slope: float
    up: float
    across: float
    turn: float
    seconds: float


SLIDES = {
    "box sliding across a slope": Slide(0.4, 0.2, 0.0, 1.0, 0.0, 0.24),
    "box sliding across a slope beyond its cone": Slide(0.2, 0.3, 0.0, 1.0, 0.0, 0.4),
    "box sliding and spinning": Slide(0.3, 0.0, 1.0, 0.0, 5.0, 0.2),
    "box sliding and spinning on a slope": Slide(0.3, 0.1, 0.5, 0.8, 3.0, 0.28),
    "box sliding up a slope and back": Slide(0.2, 0.4, 1.0, 0.0, 0.0, 0.4),
}


def converging_slides(_: Setting) -> Iterator[Row]:
    """Error of the state (m, rad and their rates) of a box in space."""
    for name, slide in SLIDES.items():
        exact = up_and_back(slide) if name.endswith("back") else integrated(slide)
        found = np.array([np.abs(slid(slide, size) - exact).max() for size in SIZES])
        listed = ", ".join(f"{1e3 * size:g} ms {error:.2g}" for size, error in zip(SIZES, found, strict=True))
        yield Row(f"{name}: error with steps of 1 ms", "m, rad, 1/s", 0.0, float(found[0]), 1e-4)
        p = order(SIZES, np.maximum(found, EXACT))
        yield Row(f"{name}: order of convergence", "1", 1.9, p, 0.1, ">=", how=f"{name}: {listed}")


def slid(slide: Slide, dt: float) -> np.ndarray:
    """Where the box is at the end, by time stepping: up the slope, across it, turned about the normal, and the rates."""
    robot, q = box("spatial"), np.array(box_on_slope("spatial", slide.slope))
    up, normal = np.array((cos(slide.slope), 0.0, sin(slide.slope))), np.array((-sin(slide.slope), 0.0, cos(slide.slope)))
    motion = np.concatenate((slide.up * up + (0.0, slide.across, 0.0), slide.turn * normal))
    J = np.array([kinematics.velocity(robot, q, e, "box") for e in np.eye(robot.nv)]).T
    world, v = World(Slope(slide.slope), Rigid(friction=slide.friction)), np.linalg.solve(J, motion)
    run = ran(robot, world=world, q=tuple(q), v=tuple(v), seconds=slide.seconds, dt=dt, record_dt=slide.seconds)
    last, moved = kinematics.velocity(robot, run.q[-1], run.v[-1], "box"), run.q[-1, :3] - q[:3]
    R = kinematics.pose(robot, q, "box").rotation.T @ kinematics.pose(robot, run.q[-1], "box").rotation
    return np.array((moved @ up, moved[1], atan2(R[1, 0], R[0, 0]), last[:3] @ up, last[1], last[3:] @ normal))


def integrated(slide: Slide) -> np.ndarray:
    """The same by equations of motion written by hand."""
    start = [0.0, 0.0, 0.0, slide.up, slide.across, slide.turn]
    solved = solve_ivp(_rates, (0.0, slide.seconds), start, args=(slide,), rtol=1e-11, atol=1e-12, method="DOP853")
    return np.asarray(solved.y[:, -1])


def _rates(_t: float, s: np.ndarray, slide: Slide) -> np.ndarray:
    c, d = cos(s[2]), sin(s[2])
    r = CORNERS @ np.array(((c, d), (-d, c)))
    slip = np.stack((s[3] - s[5] * r[:, 1], s[4] + s[5] * r[:, 0]), axis=1)
    drag = -slide.friction * slip / np.linalg.norm(slip, axis=1, keepdims=True)
    balance = np.array((np.ones(4), r[:, 1] + HIGH * drag[:, 1], -r[:, 0] - HIGH * drag[:, 0], (1.0, -1.0, -1.0, 1.0)))
    loads = np.linalg.solve(balance, (MASS * GRAVITY * cos(slide.slope), 0.0, 0.0, 0.0))
    f = drag * loads[:, None]
    turn = float((r[:, 0] * f[:, 1] - r[:, 1] * f[:, 0]).sum()) / SPIN
    return np.array((*s[3:], f[:, 0].sum() / MASS - GRAVITY * sin(slide.slope), f[:, 1].sum() / MASS, turn))


def up_and_back(slide: Slide) -> np.ndarray:
    """Closed form: it slows down by g (sin a + mu cos a), and comes back with g (sin a - mu cos a)."""
    slowing, back = (GRAVITY * (sin(slide.slope) + sign * slide.friction * cos(slide.slope)) for sign in (1, -1))
    left = slide.seconds - slide.up / slowing
    return np.array((slide.up**2 / (2 * slowing) - back * left**2 / 2, 0.0, 0.0, -back * left, 0.0, 0.0))
