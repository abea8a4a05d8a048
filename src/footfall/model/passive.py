"""Springs, dampers and tendons of a robot as the arrays that the kernels read."""

import numpy as np

from footfall.core.joints import FREEDOMS
from footfall.core.passive import Springs, Tendons
from footfall.model.layout import CODES
from footfall.model.robot import Robot


def springs_of(robot: Robot) -> Springs:
    """Spring and damper of every degree of freedom."""
    rows = [
        (robot.tree.first_q[i], joint.damping, *((joint.spring.stiffness, joint.spring.rest) if joint.spring else (0.0, 0.0)))
        for i, joint in enumerate(robot.layout.joints, start=1)
        for _ in range(FREEDOMS[CODES[joint.kind]])
    ]
    coordinate, *numbers = np.array(rows, dtype=float).reshape(robot.nv, 4).T.copy()
    return Springs(coordinate.astype(np.uint32), *numbers)


def tendons_of(robot: Robot) -> Tendons:
    """The tendons of a robot; none of them is implicit."""
    names = {joint.name: i for i, joint in enumerate(robot.layout.joints, start=1)}
    spans = [arm for tendon in robot.tendons for arm in tendon.arms]
    arms = np.zeros((len(spans), 3))
    for row, arm in zip(arms, spans, strict=True):
        row[: np.size(arm.arm)] = arm.arm
    numbers = {
        name: np.array([getattr(tendon, name) for tendon in robot.tendons], float) for name in ("stiffness", "slack", "damping")
    }
    return Tendons(
        first=np.cumsum([0, *(len(tendon.arms) for tendon in robot.tendons)]).astype(np.int64),
        joint=np.array([names[arm.joint] for arm in spans], np.int64),
        arm=arms,
        **numbers,
        pushes=np.array([tendon.pushes for tendon in robot.tendons], np.int64),
        implicit=np.zeros(len(robot.tendons)),
        gradient=np.zeros(robot.nv),
        tau=np.zeros(robot.nv),
        inertia=np.zeros(robot.nv),
    )
