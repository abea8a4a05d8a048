"""Motors of a run against their limits: torque, speed, current, voltage, power; and the screws of an ankle."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from footfall.analysis.cost import power
from footfall.engines.series import motors_of
from footfall.errors import StateError
from footfall.model.transmission import ScrewAnkle
from footfall.sim.run import Run

HEADINGS = ("torque N m", "speed rad/s", "current A", "voltage V")


@dataclass(frozen=True)
class Use:
    """The largest value of a quantity in a run, and its limit."""

    value: float
    limit: float

    @property
    def part(self) -> float:
        """Value over limit; 0 without a limit."""
        return self.value / self.limit if 0.0 < self.limit < inf else 0.0 if self.limit or not self.value else inf

    def __str__(self) -> str:
        return f"{self.value:.4g} of {self.limit:.4g}" if isfinite(self.limit) else f"{self.value:.4g}"


@dataclass(frozen=True)
class Drive:
    """The motor of one degree of freedom in a run."""

    joint: str
    torque: Use  # N m (N where it slides), of the motor at the joint, in any step
    speed: Use  # rad/s; beyond the limit the motor does not drive, so a joint that is faster was driven by others
    current: Use  # A
    voltage: Use  # V, with the voltage of rotation
    power: float  # W, largest power drawn in a step
    rms_current: float  # A, which heats the winding

    @property
    def within(self) -> bool:
        """Whether all limits were kept."""
        return all(use.part <= 1.0 + 1e-9 for use in (self.torque, self.speed, self.current, self.voltage))


@dataclass(frozen=True)
class Actuation:
    """All drives of a run."""

    drives: tuple[Drive, ...]

    def __getitem__(self, joint: str) -> Drive:
        return {drive.joint: drive for drive in self.drives}[joint]

    @property
    def exceeded(self) -> tuple[str, ...]:
        """Joints at which a limit was not kept."""
        return tuple(drive.joint for drive in self.drives if not drive.within)

    def text(self) -> str:
        """A table, largest values of limits; power in W, the effective current in A."""
        rows: list[tuple[str, ...]] = [("joint", *HEADINGS, "power W", "rms A")]
        for drive in self.drives:
            uses = (str(use) for use in (drive.torque, drive.speed, drive.current, drive.voltage))
            rows.append((drive.joint, *uses, f"{drive.power:.4g}", f"{drive.rms_current:.4g}"))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def actuation(run: Run) -> Actuation:
    """The largest torque, speed, current and voltage of every motor in a run, against its limits.

    Torques are the largest of all steps, speeds and voltages those of the recorded rows. A motor without electrical data has no
    current and no voltage.
    """
    found, drives = power(run), []
    for j, (d, motor) in enumerate(motors_of(run.robot).items()):
        torque = float(max(run.tau_peak[:, d].max(), np.abs(run.tau[:, d]).max()))
        per = motor.per_ampere
        current = torque / per if per else 0.0
        heat = float(np.mean(found.heat[1:, j])) if len(run.time) > 1 else 0.0
        rms = np.sqrt(heat / motor.resistance) if motor.resistance else float(np.sqrt(np.mean(found.current[:, j] ** 2)))
        drives.append(
            Drive(
                joint=run.robot.velocities[d],
                torque=Use(torque, motor.strongest),
                speed=Use(float(np.abs(run.v[:, d]).max()), motor.speed),
                current=Use(current, motor.current),
                voltage=Use(float(np.abs(found.voltage[:, j]).max()) if per else 0.0, motor.voltage),
                power=float(run.power_peak[:, j].max()),
                rms_current=float(rms),
            )
        )
    return Actuation(tuple(drives))


@dataclass(frozen=True)
class Screws:
    """Two screws of an ankle in a run, left then right."""

    force: tuple[Use, Use]  # N
    speed: tuple[Use, Use]  # m/s
    current: tuple[Use, Use]  # A
    voltage: tuple[Use, Use]  # V
    shortest: float  # m, of both
    longest: float
    stroke: tuple[float, float]

    @property
    def within(self) -> bool:
        """Whether both screws could have done it."""
        uses = (*self.force, *self.speed, *self.current, *self.voltage)
        travel = self.stroke[0] <= self.shortest and self.longest <= self.stroke[1]
        return travel and all(use.part <= 1.0 + 1e-9 for use in uses)


def screws(run: Run, ankle: ScrewAnkle, joints: Sequence[str]) -> Screws:
    """What two ballscrews would have had to do for the recorded torques of (pitch, roll), against the limits of their motors.

    The simulation has its motors on the joints; this is the check on the motor side.
    """
    if len(joints) != 2 or any(name not in run.robot.velocities or name not in run.robot.coordinates for name in joints):
        raise StateError(
            f"screws: joints must be the pitch and the roll of an ankle of {run.robot.name!r}, such as "
            f"('ankle_pitch_left', 'ankle_roll_left'), got {joints!r:.80}"
        )
    at = [run.robot.coordinates.index(name) for name in joints]
    d = [run.robot.velocities.index(name) for name in joints]
    needs, motor = ankle.needs(run.q[:, at], run.v[:, d], run.tau[:, d]), ankle.motor

    def uses(rows: np.ndarray, limit: float) -> tuple[Use, Use]:
        largest = np.abs(rows).max(axis=0)
        return Use(float(largest[0]), limit), Use(float(largest[1]), limit)

    return Screws(
        force=uses(needs.force, motor.strongest),
        speed=uses(needs.speed, motor.speed),
        current=uses(needs.current, motor.current),
        voltage=uses(needs.voltage, motor.voltage),
        shortest=float(needs.length.min()),
        longest=float(needs.length.max()),
        stroke=ankle.stroke,
    )
