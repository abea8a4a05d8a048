"""Room for the sums that the loop makes from row to row."""

from collections.abc import Sequence

import numpy as np

from footfall.core.contact.record import BRUSH_RATE, HEAT_RATE, LANDING, Forces, Slides, Tally
from footfall.engines.series import LEDGER, feet_of, motors_of
from footfall.model.robot import Robot


def build_tally(robot: Robot, pads: Sequence[str], constraints: int) -> Tally:
    """Sums for these pads and so many joint constraints, all at zero."""
    n, feet = len(pads), feet_of(pads)
    counts = np.zeros(n, np.uint32), np.zeros(constraints, np.uint32)
    forces = Forces(
        first=np.array([0, *(sum(pad.split("/")[0] in feet[: j + 1] for pad in pads) for j in range(len(feet)))], np.int64),
        impulse=np.zeros((n, robot.dim)),
        strike=np.zeros((n, robot.dim)),
        moment=np.zeros((n, robot.dim)),
        weight=np.zeros(n),
        impacts=np.zeros(n, np.uint32),
        age=np.full(n, LANDING + 1, np.uint32),  # pads that touch at the start have not landed
        landing=np.zeros(1, np.int64),
        peak=np.zeros((len(feet), robot.dim)),
    )
    motors, slides = np.zeros((robot.nv, BRUSH_RATE + 1)), Slides(np.zeros(n, np.uint32), np.full((n, 3), -1.0))
    set_motors(motors, robot)
    sums = np.zeros(len(LEDGER)), np.zeros(n), np.zeros(n), *counts, np.zeros(2)
    return Tally(*sums, forces=forces, motors=motors, driven=robot.actuated.astype(np.int64), slides=slides)


def set_motors(motors: np.ndarray, robot: Robot) -> None:
    """Electrical data of the motors; without them a motor has no losses."""
    for d, motor in motors_of(robot).items():
        electric = motor.per_ampere > 0.0
        motors[d, HEAT_RATE] = motor.resistance / motor.per_ampere**2 if electric else 0.0
        motors[d, BRUSH_RATE] = motor.contact_voltage / motor.per_ampere if electric else 0.0
