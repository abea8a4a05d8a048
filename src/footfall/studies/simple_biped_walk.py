"""Kelly's simple biped walks from a standstill, on points for feet.

Section 4 of "Two walking robot simulators" (2014). Speed and stance are chosen, none published.
"""

from math import atan2, hypot

from footfall import robots
from footfall.control import SimpleBiped
from footfall.model.robot import Robot
from footfall.sim.study import Study
from footfall.world import Rigid, Terrain, World

CONTACT = Rigid(friction=0.8)


def build(*, speed: float = 0.6, apart: float = 0.3, seconds: float = 20.0, step: float = 0.001) -> Study:
    """speed (m/s); apart (m), the feet at the start; seconds and step (s)."""
    return on_ground(World(contact=CONTACT), SimpleBiped(speed=speed), apart, seconds, step, "simple-biped-walk")


def on_ground(world: World, controller: SimpleBiped, apart: float, seconds: float, step: float, name: str) -> Study:
    """The robot at rest on both feet in any world."""
    robot = robots.load("simple-biped")
    return Study(robot, world, controller, stance(robot, world.terrain, apart), seconds=seconds, step=step, name=name)


def stance(robot: Robot, terrain: Terrain, apart: float = 0.3, height: float = 0.78, lean: float = 0.0) -> tuple[float, ...]:
    """Both feet on the ground, the left one ahead, and the hip above them, `lean` (m) in front of their middle."""
    zero = -robot.joint("leg_left").at[1]
    feet = [(x, terrain.height(x)) for x in (apart / 2, -apart / 2)]
    hip = lean, sum(z for _, z in feet) / 2 + height
    lengths = [hypot(hip[0] - x, hip[1] - z) - zero for x, z in feet]
    left, right = (atan2(hip[0] - x, hip[1] - z) for x, z in feet)
    return (*hip, left, lengths[0], right - left, lengths[1])
