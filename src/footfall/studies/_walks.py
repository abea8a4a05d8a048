"""What walks along footsteps share: the posture from which they start, and pushes on the way."""

from typing import Any

import numpy as np

from footfall import kinematics
from footfall.control.walk import Walk
from footfall.control.walking.legs import LEFT, sole_of, two_legs
from footfall.errors import ParameterError
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.world import Push

LEVEL = 0.0, 0.0, 0.0  # rad: of feet in the axes of the hips
PUSHED = 5.0, 5.1  # s: from, until
ASKED: dict[str, Any] = {
    "push": quantity("N s", "on the upper body, within 0.1 s at 5 s", 0.0, low=0.0, high=1000.0),
    "toward": quantity("rad", "where the push goes: 0 is forward, positive to the left", 0.0, low=-np.pi, high=np.pi),
}


def start(robot: Robot, walk: Walk) -> tuple[float, ...]:
    """Standing with bent knees: feet `width` apart, flat and parallel on level ground; hips `height` above them."""
    base = robot.layout.joints[two_legs(robot).base - 1].name
    angles: dict[str, Any] = {f"{base}.z": walk.height}
    for side, foot in enumerate(robot.feet):
        link = foot.pads[0].link
        y = 0.5 * walk.width if side == LEFT else -0.5 * walk.width
        below = 0.0, y, -sole_of(robot, foot.name)[:, 2].min() - walk.height
        found = kinematics.leg(robot, link).inverse((below, LEVEL))
        if not found.reached:
            raise ParameterError(
                f"robot {robot.name!r} cannot stand with its hips {walk.height:g} m above the ground and its feet "
                f"{walk.width:g} m apart: {link!r} is {found}"
            )
        angles |= found.angles
    return tuple(robot.configuration(angles).tolist())


def pushes(link: str, push: float, toward: float) -> tuple[Push, ...]:
    """A push of so many N s, or none."""
    begin, end = PUSHED
    size = push / (end - begin)
    return (Push(link, (size * np.cos(toward), size * np.sin(toward), 0.0), begin, end),) if push else ()
