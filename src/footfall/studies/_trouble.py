"""A walk with random disturbances: ground that rises and falls, slopes, pushes; all from a seed."""

from dataclasses import replace
from math import radians

import numpy as np

from footfall.sim.study import Study
from footfall.world import Push, random_ground

PUSH_TIME = 0.05  # s
TROUBLE = {"rise": 0.01, "slope": radians(1.5), "impulse": 0.5, "every": 5.7}  # m, rad, N s, s: what the Ranger must bear


def trouble(study: Study, seed: int, *, rise: float, slope: float, impulse: float, every: float, span: float) -> Study:
    """The study on random ground of `span` m, pushed each `every` seconds.

    Every slope is +-`slope` rad, every step between slopes +-`rise` m or none. A push is `impulse` N s along x, forward or
    backward, on the floating link, at any moment of a step.
    """
    rng = np.random.default_rng((seed, 1))
    base = next(joint.child for joint in study.robot.joints if joint.parent == "world")
    pushes = []
    for start in np.arange(every, study.seconds, every):
        force = float(rng.choice((-1.0, 1.0))) * impulse / PUSH_TIME
        begin = float(start + rng.uniform(0.0, 0.1 * every))
        pushes.append(Push(base, (force, *(0.0,) * (study.robot.dim - 1)), begin, begin + PUSH_TIME))
    ground = random_ground(rise, slope, seed, span, exact=True)
    return replace(study, world=replace(study.world, terrain=ground, pushes=(*study.world.pushes, *pushes)))
