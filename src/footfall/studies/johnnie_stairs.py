"""JOHNNIE walks up or down stairs whose heights it knows, one foot on each.

Feet rise before they go forward and are there before they come down, in steps of 1.0 + 0.3 s. The plan stays where the stairs
are: what a step was off is made up for by the next one, and pushes are met by the ankles alone.
"""

from dataclasses import replace
from typing import Any

from footfall.control import ComputedTorqueWalk
from footfall.control.walking.legs import driven_legs
from footfall.errors import ParameterError
from footfall.kinematics.two_legs import sole_of
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.motion.footsteps import FootstepPlan
from footfall.named import declared
from footfall.sim.study import Study
from footfall.studies._ground import JOHNNIE, STEADY, footsteps, over, until_it_stands
from footfall.studies._walks import ASKED
from footfall.world import Stairs

BEFORE, AFTER = 2, 2  # level steps before and after the stairs
TIMES: dict[str, Any] = {"single_support": 1.0, "double_support": 0.3}
UP: dict[str, Any] = {"apex": 0.45, "delay": 0.22, "hurry": 0.15, "lift": 0.06}
DOWN: dict[str, Any] = {"apex": 0.5, "delay": 0.15, "hurry": 0.25, "lift": 0.05}


@declared
def build(
    *,
    robot: Robot = JOHNNIE,
    rise: float = quantity("m", "of each stair; down if negative", 0.05, low=-0.2, high=0.2),
    run: float = quantity("m", "depth of each stair", 0.32, low=0.1, high=1.0),
    stairs: int = count("number of them", 8, low=1, high=100),
    sensors: str = ASKED["sensors"],
) -> Study:
    """A flight of stairs, with level ground before and after it."""
    driven_legs(robot)
    sole = sole_of(robot, robot.feet[0].name)
    heel, toe = sole[:, 0].min(), sole[:, 0].max()
    if run < toe - heel:
        raise ParameterError(
            f"study 'johnnie-stairs': run must be at least the length of the sole, {toe - heel:.3g} m, got {run:g}"
        )
    walk = ComputedTorqueWalk(adjust=0.0, back=1.0, length=run, **STEADY, **TIMES, **(UP if rise > 0.0 else DOWN))
    begins = (BEFORE + 1) * run + 0.5 * (heel + toe - run)  # so that feet stand in the middle of the treads
    terrain = Stairs(rise, run, stairs, begins)
    plan = FootstepPlan.straight(BEFORE + stairs + AFTER, run, walk.width, first="left").on(terrain)
    walk = replace(walk, footsteps=footsteps(plan))
    return over(terrain, robot, walk, sensors, until_it_stands(walk), "johnnie-stairs")
