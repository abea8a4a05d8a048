"""Robots dropped at random: limp, turning, on more or less slippery and bouncy ground. Energy may only be lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from footfall import analysis, kinematics, robots
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import above_ground, box, ran
from footfall.sim.study import SimulationError, Study
from footfall.world import Rigid, World

ROBOTS = ("box-planar", "box-spatial", "wendlandt", "compass", "simbicon", "person", "wendlandt-3d")
COUNT, FEW, SHOWN = 10_000, 42, 5
SECONDS = 0.6


@dataclass(frozen=True)
class Drop:
    """What came out of one drop."""

    seed: int
    robot: str
    rise: float  # largest gain of energy over that of the start: kinetic, and of weight above the plane z = 0
    residual: float  # energy that no account explains, over all that was exchanged
    depth: float  # m: largest penetration
    failure: str = ""

    def __str__(self) -> str:
        return f"drop({self.seed}) of {self.robot}"


def study(seed: int) -> Study:
    """The question of one drop."""
    name, rng = ROBOTS[seed % len(ROBOTS)], np.random.default_rng(seed)
    robot = _robot(name)
    q = kinematics.random_configuration(robot, rng, 0.5)
    v = rng.normal(size=robot.nv) * (0.5 if robot.nv > 6 else 1.0)
    contact = Rigid(friction=float(rng.uniform(0.1, 1.2)), restitution=float(rng.choice((0.0, 0.3, 0.7))))
    world = World(contact=contact, falls=False)
    start = above_ground(robot, q, float(rng.uniform(0.05, 0.4)))
    return Study(robot, world, None, start, tuple(v.tolist()), SECONDS, every=1e-3, name=f"drop {seed} of {name}")


def drop(seed: int) -> Drop:
    """Drop a robot; all that is drawn comes from the seed."""
    name, question = ROBOTS[seed % len(ROBOTS)], study(seed)
    try:
        run = ran(question)
    except SimulationError as error:
        return Drop(seed, name, np.inf, np.inf, np.inf, str(error))
    book = analysis.ledger(run)
    rise = float((book.energy.max() - book.energy[0]) / book.energy[0])
    return Drop(seed, name, rise, book.relative, max(0.0, -float(run.point[..., -1].min())))


def endless(seed: int) -> Drop:
    """What stands for a drop that does not come to an end."""
    return Drop(seed, ROBOTS[seed % len(ROBOTS)], np.inf, np.inf, np.inf, "does not end")


@cache
def _robot(name: str) -> Robot:
    return box(name.removeprefix("box-")) if name.startswith("box-") else robots.load(name)


def random_drops(setting: Setting) -> Iterator[Row]:
    """10,000 limp robots fall onto level ground."""
    seeds = range(setting.seed, setting.seed + (FEW if setting.quick else COUNT))
    yield from verdict(setting.finished(drop, seeds, endless))


def verdict(done: list[Drop]) -> Iterator[Row]:
    """What all drops together must hold; those that fail are counted, and the others judged."""
    title, failed, ended = (
        f"{len(done)} drops",
        [each for each in done if each.failure],
        [each for each in done if not each.failure],
    )
    listed = ", ".join(f"{each} {each.failure}" for each in failed[:SHOWN])
    yield Row(f"{title}: runs that diverge or do not end", "1", 0.0, float(len(failed)), 0.0, how=listed)
    yield _bounded(f"{title}: largest rise of energy, over that of the start", ended, "rise", 1e-3)
    most = float(np.quantile([each.rise for each in done], 0.99, method="higher"))
    yield Row(f"{title}: rise of energy that 99 % stay below", "1", 0.0, most, 2e-4)
    yield _bounded(f"{title}: largest residual of the ledger, over the energy exchanged", ended, "residual", 1e-2)
    yield _bounded(f"{title}: deepest penetration", ended, "depth", 1e-4, "m")


def _bounded(title: str, done: list[Drop], what: str, bound: float, unit: str = "1") -> Row:
    """The worst of all, and the worst ones by name, so that each can be run again alone."""
    ranked = sorted(done, key=lambda each: getattr(each, what), reverse=True)
    beyond = sum(getattr(each, what) > bound for each in done)
    how = f"{what} beyond {bound:g} in {beyond}: " + ", ".join(f"{each} {getattr(each, what):.2g}" for each in ranked[:SHOWN])
    return Row(title, unit, 0.0, getattr(ranked[0], what) if ranked else np.nan, bound, how=how)
