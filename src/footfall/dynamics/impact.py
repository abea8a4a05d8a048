"""Momenta at the joints and impacts, by recursion (after Dan, Saha and Rama Krishna)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from footfall.core.recursion import batch, strike
from footfall.core.recursion.kinematics import set_places
from footfall.dynamics.formulations import decoupled
from footfall.dynamics.motion import check_pivots
from footfall.errors import SingularError, StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.layout import lift, lower
from footfall.model.pins import Held, Pin, hinges, pins
from footfall.model.robot import Robot

DEPENDENT = 1e-13  # eigenvalue of the scaled response below which impulses only work against each other
SETTLED = 1e-10  # of the largest impulse or speed: what counts as none
ROUNDING = 1e-13  # by which a restitution that just adds no energy stays below
MOST = 10  # rounds that take away the rounding of those before


class Momenta(NamedTuple):
    """Along each degree of freedom, and of all that each body carries, (linear, angular) about its joint, in world axes."""

    generalised: np.ndarray
    at_joints: dict[str, np.ndarray]


@dataclass(frozen=True)
class Blow:
    """The constraints of an impact: points that strike, joints that lock, and points that stood before and may stay or lift.

    `restitution` is the speed along the ground's normal `up` (vertical if left out) after over that before, of points that come
    down; all other speeds of held points vanish. Bouncing that would add energy is lowered to the most that does not.
    """

    striking: Held | tuple[Held, ...] = ()
    trailing: Held | tuple[Held, ...] = ()
    locked: str | tuple[str, ...] = ()
    restitution: float = 0.0
    up: tuple[float, ...] | None = None


class Impact(NamedTuple):
    """Velocities after an impact, impulses of the constraints, trailing points that stay, striking points that are pulled down.

    If constraints are redundant, impulses are the smallest that satisfy them, each weighted by the energy it would bring alone.
    `choices` counts the ways in which trailing points could stay or lift without contradiction: with points that stick there may
    be more than one, of which the one with most points staying is given.
    """

    velocities: np.ndarray
    impulses: dict[str, np.ndarray]
    stays: tuple[str, ...]
    pulling: tuple[str, ...]
    energy_lost: float
    choices: int


def momenta(robot: Robot, q: Any, v: Any) -> Momenta:
    """Momenta at all joints, from the tips inward; the generalised ones are M v."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    ev = Evaluation(robot)
    at_joints, along = np.zeros_like(ev.work.force), np.zeros(robot.nv)
    ev.run(strike.momenta, decoupled(ev), q, v, at_joints, along)
    return Momenta(along, {joint.name: row for joint, row in zip(robot.layout.joints, at_joints[1:], strict=True)})


def impact(robot: Robot, q: Any, v: Any, blow: Blow) -> Impact:
    """Velocities after an impact. A trailing point stays if the ground then pushes it, and lifts if it then moves away."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    struck = _Struck(robot, q, v, blow)
    restitution = blow.restitution
    if restitution and struck.lost(restitution) < 0.0:
        from scipy.optimize import brentq

        most = brentq(struck.lost, 0.0, restitution, xtol=1e-15, rtol=1e-14) if struck.lost(0.0) > 0.0 else 0.0
        restitution = (1.0 - ROUNDING) * float(most)
    after, impulse, held, choices = struck.settled(restitution)
    return Impact(
        after,
        {struck.names[k]: impulse[struck.rows[k]] for k in held},
        tuple(struck.names[k] for k in held if k in struck.trailing),
        tuple(struck.names[k] for k in held if k in struck.striking and struck.upward(k) @ impulse < 0.0),
        struck.lost(restitution),
        choices,
    )


class _Struck:
    """All unit impulses of a blow and the robot's responses to them. Rows go with points and locks, in order."""

    def __init__(self, robot: Robot, q: np.ndarray, v: np.ndarray, blow: Blow):
        first, second = pins(blow.striking), pins(blow.trailing)
        locks = (blow.locked,) if isinstance(blow.locked, str) else tuple(blow.locked)
        if not (first or second or locks):
            raise StateError("a blow must strike, lock or hold something: give `striking`, `trailing` or `locked`")
        e = state.vector([blow.restitution], 1, "restitution")[0]
        if not 0.0 <= e <= 1.0:
            raise StateError(f"restitution must be between 0 and 1, got {e:g}")
        up = np.eye(robot.dim)[-1] if blow.up is None else state.vector(blow.up, robot.dim, "up")
        if not np.linalg.norm(up) > 0.0:
            raise StateError(f"up must not be zero, got {blow.up}")
        self.robot, self.v, self.up = robot, v, up / np.linalg.norm(up)
        self.ev = Evaluation(robot)
        self.room, self.points = decoupled(self.ev), (*first, *second)
        self.names = [*map(str, self.points), *locks]
        if len(set(self.names)) < len(self.names):
            raise StateError(f"a blow must name everything once, got {', '.join(self.names)}")
        self.striking, self.trailing = range(len(first)), range(len(first), len(self.points))
        self.ev.run(set_places, q)
        self.blows, self.rows = _blows(self.ev, self.points, locks)
        total = len(self.blows.body)
        self.Y, self.A = np.zeros((total, robot.nv)), np.zeros((total, total))
        self.ev.run(strike.responses, self.room, self.blows, q, self.Y, self.A)
        if batch.doubtful[robot.space](self.ev.work):
            check_pivots(robot, q)

    def speeds(self, v: np.ndarray) -> np.ndarray:
        u = np.zeros(len(self.blows.body))
        strike.speeds[self.robot.space](self.ev.tree, self.room, self.blows, v, u)
        return u

    def upward(self, k: int) -> np.ndarray:
        """Picks the part along the normal of point k out of all rows."""
        out = np.zeros(len(self.blows.body))
        out[self.rows[k].start : self.rows[k].start + self.robot.dim] = self.up
        return out

    def lost(self, restitution: float) -> float:
        """The energy that the impact takes."""
        after, impulse, _, _ = self.settled(restitution)
        return float(-0.5 * impulse @ (self.speeds(self.v) + self.speeds(after)))

    def settled(self, restitution: float) -> tuple[np.ndarray, np.ndarray, list[int], int]:
        """Velocities, impulses and constraints, with the most trailing points that may stay; how many choices there are."""
        fixed = [k for k in range(len(self.names)) if k not in self.trailing]
        goal = self.goal(restitution)
        found = []
        for staying in self._choices():
            held = sorted((*fixed, *staying))
            answer = self.exchanged(held, goal)
            if answer is not None and self.agrees(staying, *answer):
                found.append((*answer, held))
        if found:
            return (*found[0], len(found))
        what = ", ".join(self.names)
        if not len(self.trailing):
            raise SingularError(
                f"robot {self.robot.name!r}: {what} cannot be given these speeds at once in this configuration; hold less, or "
                "let nothing bounce"
            )
        raise StateError(
            f"robot {self.robot.name!r}, impact with {what}: no trailing point can rest without being pulled, or lift without "
            "sinking; it would slide, which an impact of points that stick cannot tell"
        )

    def agrees(self, staying: tuple[int, ...], after: np.ndarray, impulse: np.ndarray) -> bool:
        """Trailing points that stay are not pulled, those that lift do not sink."""
        pull, sink = -SETTLED * np.abs(impulse).max(), -SETTLED * np.abs(self.speeds(self.v)).max()
        u = self.speeds(after)
        return all(self.upward(k) @ impulse >= pull if k in staying else self.upward(k) @ u >= sink for k in self.trailing)

    def _choices(self) -> Iterator[tuple[int, ...]]:
        for count in range(len(self.trailing), -1, -1):
            yield from combinations(self.trailing, count)

    def goal(self, restitution: float) -> np.ndarray:
        """Speeds after the impact."""
        u, goal = self.speeds(self.v), np.zeros(len(self.blows.body))
        for k in range(len(self.points)):
            v_n = self.upward(k) @ u
            if v_n < 0.0:
                goal -= restitution * v_n * self.upward(k)
        return goal

    def exchanged(self, held: list[int], goal: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Velocities and impulses (all rows; zero where nothing is held), or None if not all can be held."""
        rows = [r for k in held for r in range(self.rows[k].start, self.rows[k].stop)]
        impulse = np.zeros(len(goal))
        if not rows:
            return self.v.copy(), impulse
        A = self.A[np.ix_(rows, rows)]
        scale = 1.0 / np.sqrt(np.where(A.diagonal() > 0.0, A.diagonal(), 1.0))
        sizes, ways = np.linalg.eigh(scale[:, None] * A * scale)
        ways, sizes = ways[:, sizes > DEPENDENT], sizes[sizes > DEPENDENT]
        after, missed = self.v.copy(), np.inf
        for _ in range(MOST):  # the first is the answer; where points nearly hold the same, its rounding takes several more
            residual = (goal - self.speeds(after))[rows]
            if not np.abs(residual).max() < 0.5 * missed:
                break
            missed = np.abs(residual).max()
            step = scale * (ways @ ((ways.T @ (scale * residual)) / sizes))
            impulse[rows] += step
            after = after + step @ self.Y[rows]
        missed = np.abs(goal - self.speeds(after))[rows].max()
        return (after, impulse) if missed <= SETTLED * np.abs(self.speeds(self.v)).max() else None


def _blows(ev: Evaluation, points: tuple[Pin, ...], locks: tuple[str, ...]) -> tuple[strike.Blows, list[slice]]:
    robot, units = ev.robot, ev.units()
    body: list[int] = []
    at: list[np.ndarray] = []
    direction: list[np.ndarray] = []
    dof: list[int] = []
    rows: list[slice] = []
    for each in points:
        target = robot.target(each.name)
        if target.body == 0:
            raise StateError(f"{each.name!r} is part of the world, which cannot strike")
        point = None if each.at is None else state.vector(each.at, robot.dim, "at")
        place = lower(target.place if point is None else target.place + target.axes @ lift(point), robot.space)
        if each.roll is not None:
            down = -state.vector(each.roll, robot.dim, "roll")
            place = place + ev.small("rotate_back", ev.work.R_WB[target.body], down)
        width = ev.algebra.MOTION if each.weld else robot.dim
        rows.append(slice(len(body), len(body) + width))
        body += [target.body] * width
        at += [place] * width
        direction += list(units[:width])
        dof += [0] * width
    for d in hinges(robot, locks)[1]:
        rows.append(slice(len(body), len(body) + 1))
        body, at, direction, dof = [*body, 0], [*at, np.zeros(robot.dim)], [*direction, np.zeros(len(units))], [*dof, d]
    whole = (np.array(body, dtype=np.uint32), np.array(at), np.array(direction), np.array(dof, dtype=np.uint32))
    return strike.Blows(*whole, push=np.zeros((len(body), len(units)))), rows
