"""Stewart and Cremer's person walks by naming equations (1989): magnetic shoes, 20 s at varying speed.

The algorithm is `footfall.control.newton_walk`, the paper's figure 6; the engine is ideal: accelerations are integrated, as in
the paper. The stride swings about its mean, and the time in the air against it, so that the speed varies.
"""

import math

from footfall.control.newton_walk import NewtonWalk
from footfall.engines import Ideal
from footfall.errors import UnsuitableError
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import World

LEGS = {"hip": "spherical", "knee": "revolute", "ankle": "spherical"}


@declared
def build(
    *,
    robot: Robot = ready("person"),
    stride: float = quantity("m", "from heel to heel, on average", 0.43, low=0.1, high=1.0),
    stride_swing: float = quantity("m", "by which the stride changes to and fro", 0.14, low=0.0, high=0.5),
    time_in_air: float = quantity("s", "of the swing foot, on average", 0.45, low=0.2, high=2.0),
    air_swing: float = quantity("s", "by which the time in the air changes, against the stride", 0.1, low=0.0, high=0.5),
) -> Study:
    """The walk, from standing with knees slightly bent."""
    controller = NewtonWalk(stride=stride, stride_swing=stride_swing, time_in_air=time_in_air, air_swing=air_swing)
    world = World(lowest_base=0.5, falls=False)
    q = standing(robot, controller.stance_knee)
    study = Study(robot, world, controller, q, seconds=20.0, engine=Ideal(), record=("controller.state",), name="newton-walk")
    return Simulation(study, lift=True).study


def standing(robot: Robot, knee: float) -> tuple[float, ...]:
    """Upright, feet level, knees bent by so much."""
    kinds = {joint.name: joint.kind for joint in robot.joints}
    wanted = {f"{name}_{side}": kind for name, kind in LEGS.items() for side in ("left", "right")}
    if lacks := [f"{name!r} ({kind})" for name, kind in wanted.items() if kinds.get(name) != kind]:
        raise UnsuitableError(
            f"robot {robot.name!r} is not built like 'person', for whom this study is: it lacks the joints {', '.join(lacks)}; "
            "for an algorithm of its own see footfall.control.Algorithmic"
        )
    half = {"qw": math.cos(knee / 4), "qy": -math.sin(knee / 4)}
    legs = {f"{joint}_{side}.{q}": x for joint in ("hip", "ankle") for side in ("left", "right") for q, x in half.items()}
    bent = {f"knee_{side}": knee for side in ("left", "right")}
    return tuple(robot.configuration({"base.z": 1.5, **legs, **bent}).tolist())
