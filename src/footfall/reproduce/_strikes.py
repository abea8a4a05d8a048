"""Random strikes of feet, computed in three ways: by momenta, by a dense solve, by the contact solver of time stepping."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall import dynamics, kinematics, robots
from footfall.core.contact import loop
from footfall.core.contact.law import OPEN, STICK
from footfall.dynamics import constrained
from footfall.engines.contact.build import Row, pad_points
from footfall.engines.contact.rollout import ContactRollout
from footfall.errors import StateError
from footfall.model.layout import lower
from footfall.model.pins import Pin
from footfall.model.robot import Robot
from footfall.reproduce._textbook import LONG, Textbook, struck
from footfall.sim.study import Study
from footfall.world import Rigid, World

FRICTION = 100.0
SPREAD = 0.6  # rad: of joints at random
NEARLY = (-3.0, -1.0)  # powers of ten, rad: of joints in every fourth configuration, legs nearly straight and together
BOUNCES = (0.0, 0.0, 0.3, 0.8)
SLOW = 0.06  # m/s: the world lets nothing bounce that comes slower
INDIFFERENT = 1e-9  # where a trailing point feels nothing of the strike it may stay or lift: velocities are the same
GIVES_UP = 50  # configurations for each that is wanted


class Strike(NamedTuple):
    """A foot that comes down with a point while another stands on one."""

    q: np.ndarray
    v: np.ndarray
    new: Pin
    old: Pin
    pads: tuple[int, int]
    restitution: float
    nearly: bool  # singular


class Answer(NamedTuple):
    velocities: np.ndarray
    stays: bool
    only: bool  # whether the trailing point could not do otherwise as well


class Compared(NamedTuple):
    """Largest differences of velocities, over the largest velocity or 1, and counts of special cases."""

    dense: float  # between momenta and dense solve
    solver: float  # between momenta and contact solver
    simulated: float  # the same with the accuracy of a simulation
    met: dict[str, int]


def compare(name: str, wanted: int, seed: int, compiled: bool = True) -> Compared:
    """As many strikes as wanted that all three can answer; those that are left out are counted."""
    robot = free_joints(robots.load(name))
    solver, rng = Solver(robot, compiled), np.random.default_rng((seed, *name.encode()))
    met: Counter[str] = Counter()
    worst = np.zeros(3)
    for strike in _drawn(robot, rng, GIVES_UP * wanted):
        reference = by_dense_solve(robot, strike)
        if isinstance(reference, str):
            met[reference] += 1
            continue
        ours = dynamics.impact(robot, strike.q, strike.v, dynamics.Blow(strike.new, strike.old, restitution=strike.restitution))
        size = max(1.0, np.abs(strike.v).max(), np.abs(ours.velocities).max())
        off = np.abs(ours.velocities - reference.velocities).max() / size
        if bool(ours.stays) != reference.stays and off > INDIFFERENT:
            raise StateError(
                f"{name}: {strike.old} {'lifts' if reference.stays else 'stays'} by momenta, but not by a dense solve"
            )
        worst[0] = max(worst[0], off)
        left_out = _beyond(ours, reference)
        if left_out:
            met[left_out] += 1
            continue
        for k, fine in ((1, True), (2, False)):
            worst[k] = max(worst[k], np.abs(solver(strike, fine) - ours.velocities).max() / size)
        met["all"] += 1
        met["stay" if reference.stays else "lift"] += 1
        met["bounce"] += strike.restitution > 0.0
        met["nearly singular"] += strike.nearly
        if met["all"] == wanted:
            break
    dense, solved, rough = worst.tolist()
    return Compared(dense, solved, rough, dict(met))


def _beyond(ours: dynamics.Impact, reference: Answer) -> str:
    """Why the contact solver may answer otherwise, if it may: it knows sliding, and that nothing can be pulled down."""
    if ours.pulling:
        return "pulled down"
    if not reference.only:
        return "two answers"
    if any(np.linalg.norm(part[:-1]) > 0.99 * FRICTION * part[-1] for part in ours.impulses.values()):
        return "beyond friction"
    return ""


# --- what is drawn --------------------------------------------------------------------------------------------------------


def free_joints(robot: Robot) -> Robot:
    """The robot without stops and dry friction."""
    return replace(robot, joints=tuple(replace(joint, limits=(-np.inf, np.inf), friction=0.0) for joint in robot.joints))


def _drawn(robot: Robot, rng: np.random.Generator, most: int) -> Iterator[Strike]:
    feet: dict[str, list[int]] = {}
    rows, _ = pad_points(robot)
    for k, row in enumerate(rows):
        feet.setdefault(row[0].split("/")[0], []).append(k)
    names = list(feet)
    for number in range(most):
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
        bounce = float(rng.choice(BOUNCES))
        if abs(speed) > SLOW or not bounce:
            yield Strike(q, v if speed < 0.0 else -v, pins[0], pins[1], (new, old), bounce, nearly)


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


# --- two other ways -------------------------------------------------------------------------------------------------------


def by_dense_solve(robot: Robot, strike: Strike) -> Answer | str:
    """The trailing point stays if the ground then pushes it, and lifts otherwise; or the reason why this is no answer."""
    book, v = Textbook(robot, strike.q), strike.v.astype(LONG)
    M, _ = book.equations(0.0)
    new, old = (book.point(each.name, each.at) for each in (strike.new, strike.old))
    goal = np.zeros(robot.dim, LONG)
    goal[-1] = -strike.restitution * (new @ v)[-1]
    both = struck(M, np.vstack((new, old)), v, np.concatenate((goal, 0 * goal)))
    alone = struck(M, new, v, goal)
    stays, lifts = both is not None and both[1][-1] >= 0.0, alone is not None and (old @ alone[0])[-1] >= 0.0
    if not (stays or lifts):
        return "slides"
    after = (both if stays else alone)[0]  # type: ignore[index]
    if after @ M @ after > v @ M @ v:
        return "would gain energy"
    return Answer(after.astype(float), bool(stays), bool(stays) != bool(lifts))


class Solver:
    """The impact of the time-stepping world: with the accuracy of a simulation, or with all that can be had."""

    def __init__(self, robot: Robot, compiled: bool):
        start = robot.configuration({"base.z": 5.0})
        study = Study(robot, World(contact=Rigid(friction=FRICTION)), q=tuple(start))
        self.rollout = ContactRollout(study, *study.start(), lift=False)
        rough = self.rollout.data
        # contacts no stiffer than the robot is heavy: a mass of 100 robots at a light foot would cost its digits
        fine = rough.settings._replace(v_tol=1e-13, f_tol=1e-14, max_rounds=20000, R=1.0 / robot.mass)
        self.copies = {True: rough._replace(settings=fine), False: rough}
        self.impact = loop.impact[robot.space] if compiled else loop.impact.plain(robot.space)

    def __call__(self, strike: Strike, fine: bool = True) -> np.ndarray:
        data, (new, old) = self.copies[fine], strike.pads
        data.motion.q[:], data.motion.v[:] = strike.q, strike.v
        data.contact.impacting[:], data.contact.mode[:], data.geometry.restitution[:] = 0, OPEN, strike.restitution
        data.contact.impacting[new], data.contact.mode[old] = 1, STICK
        self.rollout.noted.count[0] = 0
        self.impact(data, self.rollout.tally, self.rollout.noted, 0.0)
        return data.motion.v.copy()
