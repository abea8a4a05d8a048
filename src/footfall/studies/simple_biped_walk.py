"""Kelly's simple biped walks from a standstill, on points for feet.

Section 4 of "Two walking robot simulators" (2014). Speed and stance are chosen, none published.
"""

from math import atan2, hypot

from footfall.control import SimpleBiped
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.world import Rigid, Terrain, World

CONTACT = Rigid(friction=0.8)
SPEED = quantity("m/s", "of walking", 0.6, low=0.2, high=1.2)


@declared
def build(
    *,
    robot: Robot = ready("simple-biped"),
    speed: float = SPEED,
    apart: float = quantity("m", "between the feet at the start", 0.3, low=0.0, high=3.0),
) -> Study:
    """From rest on both feet."""
    return on_ground(robot, World(contact=CONTACT), SimpleBiped(speed=speed), apart, 20.0, "simple-biped-walk")


def on_ground(robot: Robot, world: World, controller: SimpleBiped, apart: float, seconds: float, name: str) -> Study:
    """The robot at rest on both feet in any world."""
    return Study(robot, world, controller, stance(robot, world.terrain, apart), seconds=seconds, name=name)


def stance(robot: Robot, terrain: Terrain, apart: float = 0.3, height: float = 0.78, lean: float = 0.0) -> tuple[float, ...]:
    """Both feet on the ground, the left one ahead, and the hip above them, `lean` (m) in front of their middle."""
    zero = -robot.joint("leg_left").at[1]
    feet = [(x, terrain.height(x)) for x in (apart / 2, -apart / 2)]
    hip = lean, sum(z for _, z in feet) / 2 + height
    lengths = [hypot(hip[0] - x, hip[1] - z) - zero for x, z in feet]
    left, right = (atan2(hip[0] - x, hip[1] - z) for x, z in feet)
    return (*hip, left, lengths[0], right - left, lengths[1])
