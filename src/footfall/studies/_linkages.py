"""Linkages and chains that close on themselves, each with a start in which all loops are closed."""

from dataclasses import replace
from math import acos, atan2, cos, hypot, pi, sin

import numpy as np

from footfall import robots
from footfall.dynamics import closed
from footfall.errors import ParameterError
from footfall.model.parts import Frame, Joint, Link, Loop
from footfall.model.robot import Robot

GROUND, CRANK, COUPLER, ROCKER = 0.7, 0.3, 0.8, 0.6  # m: by Grashof's rule the crank can turn all the way round
DENSITY = 2.0  # kg/m
THICKNESS = 0.03  # m: radius of the rods of a ring in space


def four_bar(space: str) -> Robot:
    """Crank and rocker on the world, and the coupler between them, whose end is hinged to the rocker's by a loop."""
    lengths = {"crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
    links = tuple(Link(name, DENSITY * length, (length / 2, 0.0), DENSITY * length**3 / 12) for name, length in lengths.items())
    joints = (
        Joint("crank_pivot", "revolute", "world", "crank"),
        Joint("crank_pin", "revolute", "crank", "coupler", at=(CRANK, 0.0)),
        Joint("rocker_pivot", "revolute", "world", "rocker", at=(GROUND, 0.0)),
    )
    frames = (Frame("coupler_end", "coupler", at=(COUPLER, 0.0)), Frame("rocker_end", "rocker", at=(ROCKER, 0.0)))
    loop = Loop("rocker_pin", "revolute", "coupler_end", "rocker_end")
    robot = Robot("four-bar", "planar", links, joints, frames=frames, loops=(loop,), origin="textbook: uniform rods")
    return robot if space == "planar" else robot.in_space()


def four_bar_start(robot: Robot, rate: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The crank points down and turns at a rate (rad/s)."""
    crank = pi / 2
    x, z = CRANK * cos(crank), -CRANK * sin(crank)  # of the crank pin; angles turn x toward -z
    away = hypot(GROUND - x, z)
    toward = atan2(z, GROUND - x)  # the rocker's pivot is seen from the pin at this angle
    bend = acos((COUPLER**2 + away**2 - ROCKER**2) / (2 * COUPLER * away))
    coupler = toward - bend
    end = x + COUPLER * cos(coupler) - GROUND, z - COUPLER * sin(coupler)
    q, v = closed(robot, (crank, coupler - crank, atan2(-end[1], end[0])), (rate, 0.0, 0.0))
    return tuple(q), tuple(_with_rate(robot, q, v, rate))


def _with_rate(robot: Robot, q: np.ndarray, v: np.ndarray, rate: float) -> np.ndarray:
    """A linkage with one degree of freedom moves in proportion to its crank."""
    if rate == 0.0:
        return 0.0 * v
    return closed(robot, q, v * (rate / v[0]))[1]


def ring(space: str, links: int) -> Robot:
    """A chain of equal rods whose end is hinged to its beginning: a ring that hangs from a point."""
    if links < 3 or (space == "spatial" and (links < 8 or links % 2)):
        least = "3 links" if space == "planar" else "8 links, and an even number"
        raise ParameterError(f"a {space} ring has at least {least}, got {links}")
    mass, length = 1.0 / links, 1.0 / links
    chain = robots.load("chain", links=links, length=length, mass=mass, space=space)
    rods, kind = chain.links, "revolute"
    if space == "spatial":  # rods without thickness would have no inertia about themselves
        along, kind = mass * THICKNESS**2 / 2, "spherical"
        across = mass * (length**2 / 12 + THICKNESS**2 / 4)
        rods = tuple(replace(rod, inertia=(across, across, along)) for rod in rods)
    clasp, origin = Loop("clasp", kind, "world", "tip"), "textbook: uniform rods"
    return Robot("ring", space, rods, chain.joints, frames=chain.frames, loops=(clasp,), origin=origin)


def ring_start(robot: Robot, rate: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A regular polygon that swings about its highest corner; in space it is pushed out of its plane as well."""
    count, q = len(robot.links), np.zeros(robot.nq)
    each = 1 if robot.space == "planar" else 2  # joints about y, of which a polygon is made
    turn = 2 * pi * each / count
    q[::each] = turn
    q[0] = -0.5 * (pi - turn) + 0.3
    push = np.zeros(robot.nv)
    push[0] = rate
    if robot.space == "spatial":
        push[1] = 0.3 * rate
    q, v = closed(robot, q, push)
    return tuple(q), tuple(v)
