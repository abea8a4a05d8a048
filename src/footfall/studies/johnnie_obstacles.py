"""JOHNNIE among boxes on the ground: for each it decides to step over or to walk around, plans its footsteps, and walks.

Johnnie, section 6, names this as a next step. `footfall.motion.plan_among` finds the footsteps, computed torques walk them. The
boxes are part of the ground, drawn by chance from the number of the scene: low bars, boxes of up to 1.2 m, and walls. A scene
that leaves no way, such as number 2, is refused. `footfall.motion.clearance` measures how far the robot stayed away from them.
"""

from functools import lru_cache

from footfall.control import ComputedTorqueWalk
from footfall.control.walking.start import start
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.motion import ObstaclePlan, plan_among
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.world import Blocks, World, random_blocks

SIDEWAYS = 2.0  # m: feet stay so near to the straight way
AFTER = 1.5  # s: standing at the end


@lru_cache(maxsize=4)
def plan(robot: Robot, terrain: Blocks, way: float) -> ObstaclePlan:
    """Footsteps to a goal straight ahead. They are kept, as a study is built anew whenever a parameter changes."""
    return plan_among(robot, terrain, (way, 0.0, 0.0), room=(-1.0, -SIDEWAYS, way + 1.0, SIDEWAYS))


def study(found: ObstaclePlan) -> Study:
    """The walk along planned footsteps, until it stands at the goal."""
    s = found.stepping
    walk = ComputedTorqueWalk(
        footsteps=tuple(tuple(row) for row in found.footsteps.tolist()),
        width=s.width,
        height=float(s.height or 0.0),
        single_support=s.timing.single,
        double_support=s.timing.double,
        delay=s.swing.delay,
        hurry=s.swing.hurry,
        back=1.0,
    )
    seconds = 2.0 * walk.begin + len(found.footsteps) * s.timing.period + AFTER
    world = World(terrain=found.terrain)
    return Study(found.robot, world, walk, start(found.robot, walk), seconds=round(seconds, 2), name="johnnie-obstacles")


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    scene: int = count("of the boxes that are drawn by chance", 0, high=2**32 - 1),
    way: float = quantity("m", "to the goal, straight ahead", 5.0, low=2.5, high=8.0),
    blocks: tuple[tuple[float, ...], ...] = quantity(
        "m, m, rad, m, m, m",
        "x, y, yaw, length, width, height of boxes; drawn by chance if left out",
        (),
        shape=[(0,), (None, 6)],
    ),
) -> Study:
    """A walk among boxes, until it stands at the goal."""
    return study(plan(robot, Blocks(blocks) if len(blocks) else random_blocks(way, scene), way))
