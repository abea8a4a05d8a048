"""Random strikes of feet, computed in four ways.

By momenta and by a dense solve, which know points that stick. By the contact solver of time stepping, as it is in a simulation,
and by enumeration of modes, which know friction and that nothing is pulled down.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from footfall import dynamics, kinematics, robots
from footfall.core.contact import loop
from footfall.core.contact.geometry import OPEN, STICK
from footfall.dynamics import constrained
from footfall.engines.contact.build import Row, pad_points
from footfall.engines.contact.rollout import ContactRollout
from footfall.engines.contact.start import gaps_of
from footfall.errors import StateError
from footfall.model.layout import lower
from footfall.model.pins import Pin
from footfall.model.robot import Robot
from footfall.reproduce._complementarity import Impact, Outcome
from footfall.reproduce._textbook import LONG, Textbook, struck
from footfall.sim.study import Study
from footfall.world import World

FRICTIONS = (0.3, 0.8, 100.0)
SPREAD = 0.6  # rad: of joints at random
NEARLY = (-3.0, -1.0)  # powers of ten, rad: of joints in every fourth configuration, legs nearly straight and together
BOUNCES = (0.0, 0.0, 0.3, 0.8)
SLOW = 0.06  # m/s: what comes slower is no impact in the world; all velocities are raised until it is one
INDIFFERENT = 1e-9  # where a trailing point feels nothing of the strike it may stay or lift: velocities are the same
SAME = 1e-3  # of the change: answers nearer to each other are one answer, found in two ways


class Strike(NamedTuple):
    """A foot that comes down with a point while another stands on one."""

    q: np.ndarray
    v: np.ndarray
    new: Pin
    old: Pin
    pads: tuple[int, int]
    restitution: float
    friction: float
    nearly: bool  # singular


class Answer(NamedTuple):
    velocities: np.ndarray
    stays: bool


class Compared(NamedTuple):
    """Largest differences of velocities, over the largest change of velocity, and how many strikes were of which kind."""

    dense: float  # between momenta and dense solve
    sticking: float  # between contact solver and enumeration, where nothing slides
    sliding: float  # the same where something slides
    met: dict[str, int]


def compare(name: str, wanted: int, seed: int, compiled: bool = True) -> Compared:
    """As many strikes as wanted; none is left out. Where there are several answers, the contact solver's must be one of them."""
    robot = free_joints(robots.load(name))
    solver, rng = Solver(robot, compiled), np.random.default_rng((seed, *name.encode()))
    met: Counter[str] = Counter()
    dense = sticking = sliding = 0.0
    for strike in _drawn(robot, rng, wanted):
        found = solver(strike)
        answers = by_enumeration(robot, strike, found)
        if not answers:
            raise StateError(
                f"{name}: no combination of modes is an answer to a strike of {strike.new} while {strike.old} stands"
            )
        sizes = [np.abs(found - each.velocities).max() / np.abs(each.velocities - strike.v).max() for each in answers]
        best = int(np.argmin(sizes))
        answer = answers[best]
        if answer.slides:
            sliding = max(sliding, sizes[best])
        else:
            sticking = max(sticking, sizes[best])
        met.update(_kinds(strike, answers, answer))
        off, kind = _momenta(robot, strike)
        dense = max(dense, off)
        met[kind] += 1
    return Compared(float(dense), float(sticking), float(sliding), dict(met))


def _kinds(strike: Strike, answers: list[Outcome], answer: Outcome) -> Iterator[str]:
    yield "slide" if answer.slides else "stick"
    yield "trailing point lifts" if answer.modes[1] == "open" else "it stays"
    if any(
        np.abs(each.velocities - answer.velocities).max() > SAME * np.abs(answer.velocities - strike.v).max() for each in answers
    ):
        yield "several answers"
    if strike.restitution:
        yield "bounce"
    if answer.fraction < 1.0:
        yield "would gain energy"
    if strike.nearly:
        yield "nearly singular"


def _momenta(robot: Robot, strike: Strike) -> tuple[float, str]:
    """How far momenta are off the dense solve with points that stick; and if such points have no answer, both must say so."""
    reference = by_dense_solve(robot, strike)
    try:
        ours = dynamics.impact(robot, strike.q, strike.v, dynamics.Blow(strike.new, strike.old, restitution=strike.restitution))
    except StateError:
        return (0.0 if reference is None else np.inf), "no answer with points that stick"
    if reference is None:
        return np.inf, "no answer with points that stick"
    off = float(np.abs(ours.velocities - reference.velocities).max() / np.abs(reference.velocities - strike.v).max())
    if bool(ours.stays) != reference.stays and off > INDIFFERENT:
        raise StateError(
            f"{robot.name}: {strike.old} {'lifts' if reference.stays else 'stays'} by momenta, but not by a dense solve"
        )
    return off, "pulled down if points stick" if ours.pulling else "pushed if points stick"


# --- what is drawn --------------------------------------------------------------------------------------------------------


def free_joints(robot: Robot) -> Robot:
    """The robot without stops and dry friction."""
    return replace(robot, joints=tuple(replace(joint, limits=(-np.inf, np.inf), friction=0.0) for joint in robot.joints))


def _drawn(robot: Robot, rng: np.random.Generator, wanted: int) -> Iterator[Strike]:
    feet: dict[str, list[int]] = {}
    rows, _ = pad_points(robot)
    for k, row in enumerate(rows):
        feet.setdefault(row[0].split("/")[0], []).append(k)
    names = list(feet)
    for number in range(wanted):
        angles = [i for i, name in enumerate(robot.coordinates) if "." not in name]
        nearly = number % 4 == 3 and bool(angles)
        q = kinematics.random_configuration(robot, rng, SPREAD)
        if nearly:
            sizes = 10.0 ** rng.uniform(*NEARLY) * rng.uniform(1.0, 2.0, len(angles))
            q[angles] = sizes * rng.choice((-1.0, 1.0), len(angles))
        chosen = [feet[names[i]] for i in rng.choice(len(names), 2, replace=False)]
        new, old = (foot[rng.integers(len(foot))] for foot in chosen)
        if rows[new][1].body == rows[old][1].body:  # of one body: not level, impulses that oppose each other could be anything
            x, _, z = rows[old][2] - rows[new][2]
            q[robot.coordinates.index("base.pitch")] = np.arctan2(z, x)
        pins = [_touching(robot, q, rows[pad]) for pad in (new, old)]
        v = constrained.consistent(robot, q, rng.normal(size=robot.nv), pinned=pins[1])
        speed = kinematics.velocity(robot, q, v, pins[0].name, at=pins[0].at)[robot.dim - 1]
        v *= -np.sign(speed) * max(1.0, SLOW / abs(speed))
        bounce, friction = float(rng.choice(BOUNCES)), float(rng.choice(FRICTIONS))
        yield Strike(q, v, pins[0], pins[1], (new, old), bounce, friction, nearly)


def _touching(robot: Robot, q: np.ndarray, pad: Row) -> Pin:
    """The point of a pad that would touch level ground."""
    _, where, place, radius, span, _ = pad
    link = robot.layout.joints[where.body - 1].child
    axes = robot.target(link).axes  # of the link, on its body
    if radius:
        turn = Textbook(robot, q).links[link].axes.astype(float) @ axes.T @ where.axes
        x, _, z = -turn[2]  # straight down
        middle = 0.5 * (span[0] + span[1])
        off = np.remainder(np.arctan2(x, -z) - middle + np.pi, 2 * np.pi) - np.pi  # past the ends, the nearer of them
        angle = middle + np.clip(off, span[0] - middle, span[1] - middle)
        place = place + where.axes @ (radius * np.array((np.sin(angle), 0.0, -np.cos(angle))))
    return Pin(link, tuple(lower(axes.T @ place, robot.space).tolist()))


# --- the other ways -------------------------------------------------------------------------------------------------------


def by_enumeration(robot: Robot, strike: Strike, found: np.ndarray) -> list[Outcome]:
    """All answers with friction; in space, those near the velocities found and those before the strike."""
    book, v = Textbook(robot, strike.q), strike.v.astype(LONG)
    M, _ = book.equations(0.0)
    J = np.vstack([book.point(each.name, each.at) for each in (strike.new, strike.old)])
    impact = Impact(M, J, v, (strike.restitution, 0.0), strike.friction)
    return impact.outcomes((J @ found.astype(LONG), J @ v))


def by_dense_solve(robot: Robot, strike: Strike) -> Answer | None:
    """Points stick: the trailing one stays if the ground then pushes it, and lifts otherwise; None if it can do neither."""
    book, v = Textbook(robot, strike.q), strike.v.astype(LONG)
    M, _ = book.equations(0.0)
    new, old = (book.point(each.name, each.at) for each in (strike.new, strike.old))

    def answer(fraction: float) -> Answer | None:
        goal = np.zeros(robot.dim, LONG)
        goal[-1] = -LONG(fraction) * LONG(strike.restitution) * (new @ v)[-1]
        both = struck(M, np.vstack((new, old)), v, np.concatenate((goal, 0 * goal)))
        if both is not None and both[1][-1] >= 0.0:
            return Answer(both[0], True)
        alone = struck(M, new, v, goal)
        return Answer(alone[0], False) if alone is not None and (old @ alone[0])[-1] >= 0.0 else None

    def gain(fraction: float) -> float:
        found = answer(fraction)
        return 0.0 if found is None else float(found.velocities @ M @ found.velocities - v @ M @ v)

    found = answer(1.0)
    if found is not None and gain(1.0) > 0.0:
        found = answer(brentq(gain, 0.0, 1.0, xtol=1e-15, rtol=1e-14))
    return found and Answer(found.velocities.astype(float), found.stays)


class Solver:
    """The impact of the time-stepping world, as it is in a simulation."""

    def __init__(self, robot: Robot, compiled: bool):
        start = robot.configuration({"base.z": 5.0})
        study = Study(robot, World(), q=tuple(start))
        self.rollout = ContactRollout(study, *study.start(), lift=False)
        self.impact = loop.impact[robot.space] if compiled else loop.impact.plain(robot.space)

    def __call__(self, strike: Strike) -> np.ndarray:
        data, (new, old) = self.rollout.data, strike.pads
        data.motion.q[:], data.motion.v[:] = strike.q, strike.v
        data.contact.impacting[:], data.contact.mode[:] = 0, OPEN
        data.geometry.restitution[:], data.geometry.friction[:] = strike.restitution, strike.friction
        gaps_of(self.rollout.robot, data, strike.q)  # where round soles touch now: what stood there before is another strike's
        data.contact.impacting[new], data.contact.mode[old] = 1, STICK
        self.rollout.noted.count[0] = 0
        self.impact(data, self.rollout.tally, self.rollout.noted, 0.0)
        return data.motion.v.copy()
