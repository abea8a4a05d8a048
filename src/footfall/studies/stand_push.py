"""A biped is dropped onto its feet, stands, and is pushed: forward, then backward.

The posture and the push are chosen, none published. The robot's joints are held by their motors; it is the ground that must hold
the feet.
"""

from footfall import robots
from footfall.control import Hold
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Push, Rigid, World

BEND = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}  # rad


def build(*, push: float = 60.0, drop: float = 0.02, friction: float = 0.8, seconds: float = 5.0, step: float = 0.001) -> Study:
    """push (N) on the trunk for 0.3 s, forward at 1.5 s and backward at 3 s; drop (m); friction; seconds and step (s)."""
    robot = robots.load("wendlandt")
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in BEND.items() for side in ("left", "right")})
    world = World(
        contact=Rigid(friction=friction),
        pushes=(Push("torso_com", (push, 0.0), 1.5, 1.8), Push("torso_com", (-push, 0.0), 3.0, 3.3)) if push else (),
    )
    study = Study(robot, world, Hold(stiffness=3000.0, damping=100.0), tuple(q), name="stand-push")
    start = list(Simulation(study, lift=True).study.q or ())
    start[robot.coordinates.index("base.z")] += drop
    return Study(robot, world, study.controller, tuple(start), seconds=seconds, step=step, name="stand-push")
