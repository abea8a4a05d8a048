"""A biped is dropped onto its feet, stands, and is pushed: forward, then backward.

The posture and the push are chosen, none published. Motors hold the robot's joints; friction with
the ground must hold the feet.
"""

from footfall.control import Hold
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Push, Rigid, World

BEND = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}  # rad


@declared
def build(
    *,
    robot: Robot = ready("wendlandt"),
    push: float = quantity("N", "on the trunk for 0.3 s, forward at 1.5 s and backward at 3 s", 60.0, low=-5000.0, high=5000.0),
    drop: float = quantity("m", "height of the soles above the ground at the start", 0.02, low=0.0, high=10.0),
    friction: float = quantity("1", "between feet and ground", 0.8, low=0.0, high=100.0),
) -> Study:
    """Dropped, then pushed twice."""
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in BEND.items() for side in ("left", "right")})
    world = World(
        contact=Rigid(friction=friction),
        pushes=(Push("torso_com", (push, 0.0), 1.5, 1.8), Push("torso_com", (-push, 0.0), 3.0, 3.3)) if push else (),
    )
    study = Study(robot, world, Hold(stiffness=3000.0, damping=100.0), tuple(q), name="stand-push")
    start = list(Simulation(study, lift=True).study.q or ())
    start[robot.coordinates.index("base.z")] += drop
    return Study(robot, world, study.controller, tuple(start), name="stand-push")
