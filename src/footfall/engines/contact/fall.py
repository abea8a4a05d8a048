"""What a fall is, as the loop looks for it: shapes of links that must not touch, and heights."""

import numpy as np

from footfall.core.contact.fall import Marks
from footfall.engines.contact.build import shape_points
from footfall.model.layout import lower
from footfall.model.robot import Robot
from footfall.world import World


def fall_marks(robot: Robot, world: World) -> tuple[Marks, tuple[str, ...]]:
    """The marks of a fall, and what happened if one of them is it.

    Shapes count if the world says that falls end a run, if the robot has feet to stand on, and if bodies are not in contact.
    """
    touching = world.falls and not world.bodies and robot.feet
    shapes = robot.solids.items() if touching else ()
    rows = [(link, row) for link, own in shapes for row in shape_points(robot, link, own, [], 0) if row.where.body]
    lowest = [-np.inf if bound is None else bound for bound in (world.lowest_base, world.lowest_com)]
    base = robot.layout.joints[0].child
    marks = Marks(
        body=np.array([row.where.body for _, row in rows], dtype=np.uint32),
        at=lower(np.array([row.at for _, row in rows]).reshape(len(rows), 3), robot.space),
        radius=np.array([row.radius for _, row in rows], dtype=float),
        base=np.array([robot.target(base).body], dtype=np.uint32),
        lowest=np.array(lowest),
    )
    return marks, (*(link for link, _ in rows), base, "centre of mass")
