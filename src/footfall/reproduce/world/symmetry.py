"""Symmetries: runs mirrored, moved and repeated."""

import hashlib
import re
from collections.abc import Callable, Iterator

import numpy as np

from footfall import kinematics, robots
from footfall.control import Controller
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import STIFF, above_ground, biped, box, ran
from footfall.sim.run import Run
from footfall.world import Rigid, Waves, World, random_pushes

AWAY = 1000.0  # m
SPATIAL = ("wendlandt-3d", "person", "johnnie")


def mirrored(setting: Setting) -> Iterator[Row]:
    """Bipeds in space, from random postures and their mirror images: held up by their motors, and collapsing limp."""
    seeds = range(setting.seed, setting.seed + (1 if setting.quick else 10))
    cases = [("held", "wendlandt-3d", STIFF, 1.0, 0.5), *(("limp", name, None, 0.7, 0.4) for name in SPATIAL)]
    for what, name, controller, friction, seconds in cases:
        off = {seed: _off_mirror(name, seed, controller, friction, seconds) for seed in seeds}
        worst = max(off, key=off.__getitem__)
        title = f"{what} {name}, {len(off)} mirrored starts: largest difference in {seconds:g} s"
        yield Row(title, "m, rad", 0.0, off[worst], 1e-9, how=f"{what} {name}, seed and difference: " + _listed(off))


def _listed(off: dict[int, float]) -> str:
    return ", ".join(f"{seed} {value:.1g}" for seed, value in off.items())


def _off_mirror(name: str, seed: int, controller: Controller | None, friction: float, seconds: float) -> float:
    robot = robots.load(name)
    image = mirror(robot)
    posture = 0.1 * np.random.default_rng(seed).normal(size=robot.nv)
    postures = (kinematics.integrate(robot, robot.neutral(), each) for each in (posture, image(posture)))
    starts = [kinematics.within_stops(robot, q) for q in postures]
    world = World(contact=Rigid(friction=friction), falls=False)
    runs = [ran(robot, controller, world, q=tuple(q), seconds=seconds, lift=True) for q in starts]
    first, second = (np.array([kinematics.difference(robot, robot.neutral(), q) for q in run.q]) for run in runs)
    return float(np.abs(np.array([image(row) for row in first]) - second).max())


def mirror(robot: Robot) -> Callable[[np.ndarray], np.ndarray]:
    """The mirror image in the plane x-z of a vector of velocities."""
    names, swap = list(robot.velocities), {"left": "right", "right": "left"}
    other = [names.index(re.sub("left|right", lambda found: swap[found[0]], name)) for name in names]
    sideways = np.abs(robot.tree.axis[:, 1]) > 0.5
    signs = np.where(sideways == (robot.tree.turns > 0), 1.0, -1.0)

    def image(v: np.ndarray) -> np.ndarray:
        out = np.empty_like(v)
        out[other] = signs * v
        return out

    return image


def moved(_: Setting) -> Iterator[Row]:
    """The same run a kilometre away."""
    planar, spatial = box("planar"), box("spatial")
    turned = tuple(kinematics.random_configuration(spatial, 1)[3:])
    legs, bent = biped()
    cases: list[tuple[str, Robot, Controller | None, tuple[float, ...], float]] = [
        ("planar box, tumbling", planar, None, (0.0, 0.5, 0.4), 1.0),
        ("spatial box, tumbling", spatial, None, (0.0, 0.0, 0.5, *turned), 1.0),
        ("biped landing on its feet", legs, STIFF, above_ground(legs, bent, 0.05), 1.0),
        ("biped collapsing", legs, None, above_ground(legs, bent, 0.0), 0.5),
    ]
    for title, robot, controller, q, seconds in cases:
        v, world = robot.velocity({"base.x": 1.0 if controller is None else 0.0}), World(contact=Rigid(friction=0.5), falls=False)
        here, there = (ran(robot, controller, world, q=(q[0] + x, *q[1:]), v=tuple(v), seconds=seconds) for x in (0.0, AWAY))
        back = there.q.copy()
        back[:, 0] -= AWAY
        off = float(np.abs(back - here.q).max())
        yield Row(f"{title}, 1 km away: largest difference in {seconds:g} s", "m, rad", 0.0, off, 1e-6)


def repeated(setting: Setting) -> Iterator[Row]:
    """The same seed, the same bits: in one process, and in others."""
    first = pushed_run(setting.seed)
    yield Row("two runs with one seed: runs that differ in a bit", "1", 0.0, float(first != pushed_run(setting.seed)), 0.0)
    yield Row("the run replayed from its question: runs that differ in a bit", "1", 0.0, float(first.replay() != first), 0.0)
    others = list(setting.each(fingerprint, [setting.seed] * (2 if setting.quick else 4)))
    differ = sum(other != fingerprint(setting.seed) for other in others)
    yield Row(f"runs in {len(others)} other processes: runs that differ in a bit", "1", 0.0, float(differ), 0.0)


def pushed_run(seed: int) -> Run:
    """A biped on waves, pushed at random."""
    robot, q = biped()
    pushes = random_pushes(robot, "torso", 2.0, 0.2, 1.0, seed)
    world = World(Waves(((0.01, 0.5, 0.0, 0.3),)), Rigid(friction=0.9), pushes=pushes)
    return ran(robot, STIFF, world, q=q, seconds=1.0, lift=True)


def fingerprint(seed: int) -> str:
    """Hash of all series of a run."""
    digest = hashlib.sha256()
    for name, series in pushed_run(seed).columns().items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(series).tobytes())
    return digest.hexdigest()
