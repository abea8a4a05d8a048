"""A block slides off a table: its contacts with the table change by themselves until it lies on the floor.

The example of Stewart and Cremer's paper (1989, section 3): "changing kinematic relationships between objects, such as a block
sliding off a table". First its lower corners slide on the table; then the edge of the table slides along its lower side, and it
tips; it falls and strikes the floor.
"""

from footfall.engines import Maximal
from footfall.errors import ParameterError
from footfall.model.parts import Box, Foot, Joint, Link
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.sim.study import Study
from footfall.world import Rigid, Stairs, World

EDGE = 0.5  # m: of the table


@declared
def build(
    *,
    speed: float = quantity("m/s", "of the block at the start, towards the edge", 1.5, low=0.0, high=20.0),
    friction: float = quantity("1", "between block, table and floor", 0.2, low=0.0, high=100.0),
    height: float = quantity("m", "of the table", 0.75, low=0.0, high=100.0),
    length: float = quantity("m", "of the block", 0.3, low=0.01, high=0.9),
    thickness: float = quantity("m", "of the block", 0.1, low=0.01, high=1.0),
) -> Study:
    """A block of 1 kg with its middle half a metre before the edge."""
    if height == 0.0:
        raise ParameterError("a table has a height above 0 m, got 0")
    link = Link("block", 1.0, inertia=(length**2 + thickness**2) / 12)
    joint, foot = Joint("base", "planar", "world", "block"), Foot("block", (Box("block", (length, thickness)),))
    block = Robot("block", "planar", (link,), (joint,), feet=(foot,))
    world = World(Stairs(-height, 10.0, 1, EDGE), Rigid(friction=friction), falls=False)
    start, moving = (0.0, thickness / 2, 0.0), (speed, 0.0, 0.0)
    return Study(block, world, q=start, v=moving, seconds=2.0, engine=Maximal(), name="newton-block")
