"""JOHNNIE walks along Huang's pattern at 2 km/h: feet roll from heel to toe, the hip gives the ZMP the largest margin.

The pattern is that of Johnnie, section 3 (Huang et al. 2001): splines through the constraints (3.1) to (3.3), and an exhaustive
search over x_sd and x_ed (3.4). Servos at the joints follow it with the torques that it needs, and the ankles keep the balance
(see `footfall.control.pattern`). Angles of the feet, times and heights are our own: the paper has none. Soles that stand on an
edge turn a little on the ground; each step turns back by this error of the heading (`heading`). With `turn` it walks in a curve.
"""

from footfall.control import HuangWalk
from footfall.model.quantity import flag, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, pushes
from footfall.world import World

PERIOD = 0.9  # s: of a step


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    speed: float = quantity("m/s", "of walking", 2.0 / 3.6, low=0.05, high=0.8),
    clean: bool = flag("feet turn exactly about toe and heel, instead of splines as printed", True),
    push: float = ASKED["push"],
    toward: float = ASKED["toward"],
) -> Study:
    """Twelve steps from standing to standing."""
    walk = HuangWalk(length=speed * PERIOD, clean=clean)
    pattern = walk.pattern(robot)
    world = World(pushes=pushes("torso", push, toward))
    return Study(robot, world, walk, tuple(pattern.q[0].tolist()), seconds=float(pattern.times[-1]), name="huang-pattern")
