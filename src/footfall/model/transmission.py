"""An ankle that two parallel ballscrews turn: between the lengths of the screws and the angles of pitch and roll.

The ankle is a cross: the shank carries it, it turns by the pitch about y and then by the roll about x, as `ankle_pitch` and
`ankle_roll` of six-joint legs do. Screw i goes from a point on the shank to a point on the foot,

    p_i = R_y(pitch) R_x(roll) foot_i,    length_i = |p_i - shank_i|,    J = d length / d (pitch, roll)

so that speeds of the screws are J times the rates of the joints, and joint torques are J' times the forces of the screws, which
are positive if they push the ends apart.
"""

from dataclasses import dataclass
from math import inf, pi
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import RobotError, SingularError, StateError
from footfall.model.parts import Motor
from footfall.model.quantity import check_quantities, note, quantity

ROUNDS = 50  # of Newton's method, from lengths to angles
CLOSE = 1e-13  # m: lengths are met to this


class ScrewForces(NamedTuple):
    """What two screws must do for a motion of the joints; row i is instant i."""

    length: np.ndarray  # (n, 2) m
    speed: np.ndarray  # (n, 2) m/s
    force: np.ndarray  # (n, 2) N, positive if it pushes
    current: np.ndarray  # (n, 2) A; 0 where nothing is known of currents
    voltage: np.ndarray  # (n, 2) V


@dataclass(frozen=True)
class ScrewAnkle:
    """Two ballscrews, one left and one right of the ankle (mirror images in x-z), each with its motor."""

    shank: tuple[float, float, float] = quantity(
        "m", "upper end of the left screw, from the ankle in the shank's axes", shape=(3,)
    )
    foot: tuple[float, float, float] = quantity("m", "lower end of the left screw, from the ankle in the foot's axes", shape=(3,))
    lead: float = quantity("m", "of the screw, per turn", low=1e-6, high=1.0)
    rotor_inertia: float = quantity("kg m2", "of a rotor with its screw", 0.0, low=0.0)
    torque_constant: float = quantity("N m/A", "of a motor; 0 without electrical data", 0.0, low=0.0)
    resistance: float = quantity("ohm", "of its winding", 0.0, low=0.0)
    current: float = quantity("A", "its largest current", inf, low=0.0, infinite=True)
    voltage: float = quantity("V", "of the supply", inf, low=0.0, infinite=True)
    force: float = quantity("N", "largest force of a screw", inf, low=0.0, infinite=True)
    speed: float = quantity("m/s", "largest speed of a screw", inf, low=0.0, infinite=True)
    stroke: tuple[float, float] = quantity("m", "shortest and longest length", (0.0, inf), low=0.0, infinite=True, shape=(2,))
    name: str = note("of the drive", "ankle")

    def __post_init__(self) -> None:
        check_quantities(self, f"screw ankle {self.name!r}")
        if not self.stroke[0] < self.stroke[1]:
            raise RobotError(f"screw ankle {self.name!r}: stroke must be (shortest, longest) in m, got {self.stroke}")
        at_rest = self.lengths((0.0, 0.0))
        if abs(np.linalg.det(self.jacobian((0.0, 0.0)))) < 1e-8:
            raise RobotError(
                f"screw ankle {self.name!r}: with ends at {self.shank} and {self.foot} the screws cannot turn the foot "
                "both ways; they need an arm in x for the pitch and one in y for the roll"
            )
        if not self.stroke[0] <= at_rest.min() <= at_rest.max() <= self.stroke[1]:
            raise RobotError(
                f"screw ankle {self.name!r}: the stroke {self.stroke} m leaves out the zero pose, {at_rest[0]:.4g} m"
            )
        _ = self.motor

    @property
    def motor(self) -> Motor:
        """A motor as one on a sliding joint: its gear is in rad/m, its torque a force in N."""
        return Motor(
            rotor_inertia=self.rotor_inertia,
            gear=2.0 * pi / self.lead,
            torque=self.force,
            speed=self.speed,
            torque_constant=self.torque_constant,
            resistance=self.resistance,
            current=self.current,
            voltage=self.voltage,
        )

    def lengths(self, angles: Any) -> np.ndarray:
        """Lengths of the left and the right screw at (pitch, roll)."""
        return np.array([np.linalg.norm(p - a) for p, a in self._ends(angles)])

    def jacobian(self, angles: Any) -> np.ndarray:
        """J: speeds of the screws = J (pitch rate, roll rate)."""
        pitch, _ = _two(angles, "angles")
        roll_axis = np.array((np.cos(pitch), 0.0, -np.sin(pitch)))
        rows = []
        for p, a in self._ends(angles):
            along = (p - a) / np.linalg.norm(p - a)
            rows.append([along @ np.cross((0.0, 1.0, 0.0), p), along @ np.cross(roll_axis, p)])
        return np.array(rows)

    def angles(self, lengths: Any) -> np.ndarray:
        """(pitch, roll) at which the screws have these lengths, by Newton's method from the zero pose."""
        wanted, found = _two(lengths, "lengths"), np.zeros(2)
        for _ in range(ROUNDS):
            missed = wanted - self.lengths(found)
            if np.abs(missed).max() < CLOSE:
                return found
            J = self.jacobian(found)
            if abs(np.linalg.det(J)) < 1e-10 or np.abs(found).max() > pi / 2:
                break
            found = found + np.clip(np.linalg.solve(J, missed), -0.3, 0.3)
        raise SingularError(
            f"screw ankle {self.name!r}: no pitch and roll within 90 degrees has lengths {wanted[0]:.5g} and {wanted[1]:.5g} m; "
            f"upright they are {self.lengths((0.0, 0.0))[0]:.5g} m"
        )

    def torques(self, angles: Any, forces: Any) -> np.ndarray:
        """Torques of (pitch, roll) under forces of the screws."""
        return self.jacobian(angles).T @ _two(forces, "forces")

    def forces(self, angles: Any, torques: Any) -> np.ndarray:
        """Forces of the screws for torques of (pitch, roll)."""
        J = self.jacobian(angles)
        if abs(np.linalg.det(J)) < 1e-10:
            raise SingularError(f"screw ankle {self.name!r}: at {np.asarray(angles)} rad the screws have no arm")
        return np.linalg.solve(J.T, _two(torques, "torques"))

    def ratio(self, angles: Any) -> np.ndarray:
        """Turns of a rotor per turn of the joint: rows are the screws, columns pitch and roll."""
        return self.jacobian(angles) * 2.0 * pi / self.lead

    def needs(self, angles: Any, rates: Any, torques: Any) -> ScrewForces:
        """What the screws must do along a motion: rows of (pitch, roll), their rates and their torques."""
        motor = self.motor
        length = np.array([self.lengths(each) for each in angles])
        speed = np.array([self.jacobian(each) @ _two(rate, "rates") for each, rate in zip(angles, rates, strict=True)])
        force = np.array([self.forces(each, torque) for each, torque in zip(angles, torques, strict=True)])
        current = force / motor.per_ampere if motor.per_ampere else np.zeros_like(force)
        return ScrewForces(length, speed, force, current, self.resistance * current + motor.per_ampere * speed)

    def _ends(self, angles: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Lower end and upper end of both screws, from the ankle in the shank's axes."""
        pitch, roll = _two(angles, "angles")
        c, s, cr, sr = np.cos(pitch), np.sin(pitch), np.cos(roll), np.sin(roll)
        R = np.array(((c, s * sr, s * cr), (0.0, cr, -sr), (-s, c * sr, c * cr)))
        mirror = np.array((1.0, -1.0, 1.0))
        left = np.array(self.foot), np.array(self.shank)
        return [(R @ (side * left[0]), side * left[1]) for side in (np.ones(3), mirror)]


def _two(values: Any, what: str) -> np.ndarray:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (2,) or not np.isfinite(found).all():
        raise StateError(f"{what} of a screw ankle must be two finite numbers, got {values!r:.80}")
    return found
