"""A robot without torques is dropped, falls down and lies there: all its links touch the ground with their shapes.

The pitch at the start, the height, the push and the friction are chosen, none published.
"""

import numpy as np

from footfall import kinematics
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Push, Rigid, World


@declared
def build(
    *,
    robot: Robot = ready("wendlandt"),
    pitch: float = quantity("rad", "of the base at the start, forward", 0.3, low=-3.2, high=3.2),
    drop: float = quantity("m", "height above the ground at the start", 0.05, low=0.0, high=10.0),
    push: float = quantity("1", "forward on the base from 3 to 3.5 s, in weights of the robot", 0.8, low=0.0, high=100.0),
    friction: float = quantity("1", "between robot and ground", 0.6, low=0.0, high=100.0),
) -> Study:
    """Falls, lies, and is pushed along the ground."""
    base = robot.layout.joints[0]
    turned = robot.velocity({f"{base.name}.pitch" if base.kind == "planar" else f"{base.name}.wy": pitch})
    q = kinematics.within_stops(robot, kinematics.integrate(robot, robot.neutral(), turned))
    force = np.eye(robot.dim)[0] * push * robot.mass * robot.gravity
    pushes = (Push(base.child, tuple(force.tolist()), 3.0, 3.5),) if push else ()
    world = World(contact=Rigid(friction=friction), pushes=pushes, bodies=True)
    start = list(Simulation(Study(robot, world, None, tuple(q)), lift=True).study.q or ())
    start[robot.coordinates.index(f"{base.name}.z")] += drop
    return Study(robot, world, None, tuple(start), seconds=6.0, name="limp")
