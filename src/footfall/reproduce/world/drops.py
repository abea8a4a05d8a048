"""Robots dropped at random: limp, turning, on more or less slippery and bouncy ground. Energy may only be lost."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np

from footfall import kinematics, robots
from footfall.errors import SimulationError
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import above_ground, box, gains, ran
from footfall.sim.study import Study
from footfall.world import Profile, Rigid, Terrain, World, random_steps

ROBOTS = ("box-planar", "box-spatial", "wendlandt", "compass", "simbicon", "person", "wendlandt-3d")
COUNT, ON_STEPS, FEW, SHOWN = 10_000, 2_000, 42, 5
RISE, LONG = 0.06, 1e3  # m: of a step, at most; and the ground beyond them
SECONDS = 0.6


@dataclass(frozen=True)
class Drop:
    """Result of one drop."""

    seed: int
    robot: str
    rise: float  # largest energy above the lowest before it, over that of the start
    residual: float  # largest energy that no account explains, over that of the start
    depth: float  # m: largest penetration
    failure: str = ""
    jump: float = 0.0  # J: largest change of the residual in a time step

    def __str__(self) -> str:
        return f"drop({self.seed}) of {self.robot}"


def study(seed: int) -> Study:
    """The study of one drop."""
    name, rng = ROBOTS[seed % len(ROBOTS)], np.random.default_rng(seed)
    robot = _robot(name)
    q = kinematics.random_configuration(robot, rng, 0.5)
    v = rng.normal(size=robot.nv) * (0.5 if robot.nv > 6 else 1.0)
    contact = Rigid(friction=float(rng.uniform(0.1, 1.2)), restitution=float(rng.choice((0.0, 0.3, 0.7))))
    world = World(contact=contact, falls=False)
    start = above_ground(robot, q, float(rng.uniform(0.05, 0.4)))
    return Study(robot, world, None, start, tuple(v.tolist()), SECONDS, record_dt=1e-3, name=f"drop {seed} of {name}")


def study_on_steps(seed: int) -> Study:
    """The same over steps up and down, as deep as a foot is long or deeper: walls, edges and hollows."""
    question, rng = study(seed), np.random.default_rng((seed, 1))
    world = replace(question.world, terrain=random_steps(RISE, float(rng.uniform(0.08, 0.4)), seed, 40, start=-1.5))
    start = above_ground(question.robot, question.q, float(rng.uniform(0.05, 0.4)), world)
    return replace(question, world=world, q=start, name=f"{question.name} on steps")


def drop(seed: int) -> Drop:
    """Drop a robot; all that is drawn comes from the seed."""
    return _dropped(seed, study(seed))


def drop_on_steps(seed: int) -> Drop:
    """The same over steps."""
    return _dropped(seed, study_on_steps(seed))


def _dropped(seed: int, question: Study) -> Drop:
    name, ground = ROBOTS[seed % len(ROBOTS)], question.world.terrain
    try:
        run = ran(question)
    except SimulationError as error:
        return Drop(seed, name, np.inf, np.inf, np.inf, str(error))
    rise, residual, jump = gains(run, min(ground.z) if isinstance(ground, Profile) else 0.0)
    depth = _depth(run.point.reshape(-1, question.robot.dim)[:, [0, -1]], ground)
    return Drop(seed, name, rise, residual, depth, jump=jump)


def _depth(points: np.ndarray, ground: Terrain) -> float:
    """How deep the deepest of points (x, z) is in the ground: as far from the nearest of its faces."""
    if not isinstance(ground, Profile):
        return max(0.0, -float(points[:, 1].min()))
    inside = points[points[:, 1] < np.interp(points[:, 0], ground.x, ground.z)]
    nearest = np.full(len(inside), np.inf)
    x, z = (ground.x[0] - LONG, *ground.x, ground.x[-1] + LONG), (ground.z[0], *ground.z, ground.z[-1])  # level beyond its ends
    for a, b in pairwise(np.column_stack((x, z))):
        edge = b - a
        along = np.clip((inside - a) @ edge / max(edge @ edge, 1e-300), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(inside - a - along[:, None] * edge, axis=1))
    return float(nearest.max(initial=0.0))


def endless(seed: int) -> Drop:
    """The result of a drop that does not end."""
    return Drop(seed, ROBOTS[seed % len(ROBOTS)], np.inf, np.inf, np.inf, "does not end")


@cache
def _robot(name: str) -> Robot:
    return box(name.removeprefix("box-")) if name.startswith("box-") else robots.load(name)


def random_drops(setting: Setting) -> Iterator[Row]:
    """10,000 limp robots, of seven kinds, fall onto level ground."""
    seeds = range(setting.seed, setting.seed + (FEW if setting.quick else COUNT))
    yield from verdict(setting.finished(drop, seeds, endless))


def random_drops_on_steps(setting: Setting) -> Iterator[Row]:
    """2,000 limp robots, of the same kinds, fall onto steps."""
    seeds = range(setting.seed, setting.seed + (FEW if setting.quick else ON_STEPS))
    yield from verdict(setting.finished(drop_on_steps, seeds, endless))


def verdict(done: list[Drop]) -> Iterator[Row]:
    """The bounds on all drops together; failed ones are counted, and the others judged."""
    title, failed, ended = (
        f"{len(done)} drops",
        [each for each in done if each.failure],
        [each for each in done if not each.failure],
    )
    listed = ", ".join(f"{each} {each.failure}" for each in failed[:SHOWN])
    yield Row(f"{title}: runs that diverge or do not end", "1", 0.0, float(len(failed)), 0.0, how=listed)
    yield _bounded(f"{title}: largest rise of energy above the lowest before it, over that of the start", ended, "rise", 1e-3)
    most = float(np.quantile([each.rise for each in done], 0.99, method="higher"))
    yield Row(f"{title}: rise of energy that 99 % stay below", "1", 0.0, most, 2e-4)
    row = _bounded(f"{title}: largest residual of the ledger at any time, over the energy of the start", ended, "residual", 1e-2)
    worst = max(ended, key=lambda each: each.jump, default=None)
    yield replace(row, how=f"{row.how}; largest jump in a time step {worst.jump:.2g} J in {worst}") if worst else row
    yield _bounded(f"{title}: deepest penetration", ended, "depth", 1e-4, "m")


def _bounded(title: str, done: list[Drop], what: str, bound: float, unit: str = "1") -> Row:
    """The worst of all, and the worst ones by name, so that each can be run again alone."""
    ranked = sorted(done, key=lambda each: getattr(each, what), reverse=True)
    beyond = sum(getattr(each, what) > bound for each in done)
    how = f"{what} beyond {bound:g} in {beyond}: " + ", ".join(f"{each} {getattr(each, what):.2g}" for each in ranked[:SHOWN])
    return Row(title, unit, 0.0, getattr(ranked[0], what) if ranked else np.nan, bound, how=how)
