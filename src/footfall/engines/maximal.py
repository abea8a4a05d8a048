"""A planar robot as pinned bodies, as the compiled loop moves them."""

from typing import Any

import numpy as np

from footfall.core.joints import REVOLUTE
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.world.maximal import Bodies, spread
from footfall.core.world.rows import RUB
from footfall.core.world.step import Machine
from footfall.dynamics.maximal import check_pinned
from footfall.engines.engine import Scenario
from footfall.errors import SimulationError
from footfall.model.robot import Robot
from footfall.world import Rigid


def build_bodies(study: Scenario, machine: Machine) -> Bodies:
    """The bodies of a robot where its machine has them."""
    robot = study.robot
    check(robot)
    check_world(study)
    n, pads, rows, tree = len(robot.tree.parent), len(machine.pads.body), len(machine.rows.dof), robot.tree
    most, size = 2 * n + 2 * pads + rows, 3 * (n - 1)
    joint = np.zeros(robot.nv, np.int64)
    for i in range(1, n):
        if tree.kind[i] == REVOLUTE:
            joint[tree.first_v[i]] = i
    poses: dict[str, Any] = {name: np.zeros((n, 3)) for name in ("pose", "speed", "next_pose", "next_speed")}
    bodies = Bodies(
        **poses,
        centre=np.zeros((n, 2)),
        joint=joint,
        sense=np.zeros(pads),
        sticks=(machine.rows.kind == RUB).astype(np.int64),
        way=np.zeros(rows),
        M=np.zeros((size, size)),
        f=np.zeros(size),
        free=np.zeros(size),
        G=np.zeros((most, size)),
        H=np.zeros((most, size)),
        W=np.zeros((most, size)),
        S=np.zeros((most, most)),
        order=np.zeros(most, np.int64),
        c=np.zeros(most),
        goal=np.zeros(most),
        J=np.zeros(most),
        more=np.zeros(most),
        kind=np.zeros(most, np.int64),
        which=np.zeros(most, np.int64),
        alternate=np.array([study.formulation.endswith("alternating")], np.int64),
    )
    set_speeds["planar"](machine.tree, machine.work, machine.motion.q, machine.motion.v)
    spread["planar"](machine, bodies)
    return bodies


def check_world(study: Scenario) -> None:
    """Whether this formulation knows all that is in the world."""
    world, name = study.world, f"formulation {study.formulation!r}"
    for contact in (world.contact, *(change.contact for change in world.changes if change.contact is not None)):
        if not isinstance(contact, Rigid) or contact.restitution > 0.0:
            raise SimulationError(f"{name}: contact must be Rigid without restitution, got {contact!r:.80}")
    if world.bonded:
        raise SimulationError(f"{name}: feet cannot be bonded, got {world.bonded!r:.80}")
    if world.loads:
        raise SimulationError(f"{name}: bodies keep their mass, but there are loads: {world.loads!r:.80}")


def check(robot: Robot) -> None:
    """Whether a robot's bodies can be moved each by itself."""
    check_pinned(robot)
    for i, joint in enumerate(robot.layout.joints, start=1):
        m, hx, hz, inertia = robot.tree.rigid[i]
        if m <= 0.0 or inertia - (hx * hx + hz * hz) / m <= 0.0:
            raise SimulationError(
                f"formulation 'maximal' needs mass and inertia in every body; {joint.child!r} of {robot.name!r} has {m:g} kg"
            )
