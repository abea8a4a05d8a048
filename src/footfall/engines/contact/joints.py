"""What is at the joints of a robot in the midst of a run: motors, springs, dampers, tendons, dry friction."""

import numpy as np

from footfall.core.contact.joint_constraints import DRY
from footfall.core.contact.step import SimData
from footfall.engines.contact.build import build_constraints, build_joints, build_tendons, joint_inertia
from footfall.errors import SimulationError
from footfall.model.robot import Robot

PARAMETERS = ("damping", "stiffness", "rest", "implicit", "tau_max", "v_max", "stall", "droop")  # of Joints


def check_joints(before: Robot, after: Robot, q: np.ndarray) -> None:
    """Refuse a robot with dry friction where there was none, or none where there was: each is a constraint of its own."""
    if after is before:
        return
    rows = [build_constraints(robot, joint_inertia(robot, q)) for robot in (before, after)]
    if rows[0].dof.tolist() != rows[1].dof.tolist() or rows[0].kind.tolist() != rows[1].kind.tolist():
        raise SimulationError(
            f"robot {after.name!r}: dry friction cannot appear at a joint, nor go, while a run is under way; begin with a little"
        )


def with_joints(data: SimData, robot: Robot, q: np.ndarray, dt: float) -> SimData:
    """The machine with other motors, springs, dampers and friction, as if the robot, which started at q, had begun with them."""
    inertia = joint_inertia(robot, q)
    joints, rows = build_joints(robot, inertia, dt), build_constraints(robot, inertia)
    for name in PARAMETERS:
        getattr(data.joints, name)[:] = getattr(joints, name)
    tendons = build_tendons(robot, inertia, dt)
    for name in ("arm", "stiffness", "slack", "damping", "pushes", "implicit"):
        getattr(data.tendons, name)[:] = getattr(tendons, name)
    for name in ("R", "friction", "load_friction", "stiction", "v_stribeck", "varies"):
        getattr(data.constraints, name)[:] = getattr(rows, name)
    dry = rows.kind == DRY
    data.constraints.bound[dry] = rows.bound[dry]
    return data._replace(tree=data.tree._replace(rotor=robot.tree.rotor))
