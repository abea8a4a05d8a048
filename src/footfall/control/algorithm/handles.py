"""What an algorithm can ask for: bodies, points, joints, the whole robot, and forces. Each gives expressions."""

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.algorithm.expression import Atom, Expression, not_negative, number
from footfall.control.fields import ControlError
from footfall.core.equations import tables
from footfall.core.joints import FREE, PLANAR, REVOLUTE
from footfall.errors import UnknownNameError
from footfall.model.layout import lift, lower, rotation

if TYPE_CHECKING:
    from footfall.control.algorithm.stating import Statements


class Point:
    """A point of a body: a link's centre of mass, a frame, or any place on them."""

    def __init__(self, algo: "Statements", name: str, at: Any = None):
        robot = algo.robot
        target = robot.target(name)
        local = target.place if at is None else target.place + target.axes @ lift(vector_of(at, robot.dim, f"at (of {name!r})"))
        self.algo, self.name, self.body = algo, name, target.body
        self.local, self._axes = lower(np.array(local, float), robot.space), target.axes
        self._dim = robot.dim

    def __repr__(self) -> str:
        return f"<point {self.name}>"

    def _atom(self, kind: int, name: str, unit: str) -> Expression:
        return Expression.of(
            Atom(kind, self._dim, f"{name} of {self.name}", unit, self.body, point=self.local, algo=self.algo), False
        )

    @property
    def position(self) -> Expression:
        return self._atom(tables.P_POINT, "position", "m")

    @property
    def velocity(self) -> Expression:
        return self._atom(tables.V_POINT, "velocity", "m/s")

    @property
    def acceleration(self) -> Expression:
        return self._atom(tables.A_POINT, "acceleration", "m/s2")

    @property
    def angular_velocity(self) -> Expression:
        return self._spin(tables.V_SPIN, "angular velocity", "rad/s")

    @property
    def angular_acceleration(self) -> Expression:
        return self._spin(tables.A_SPIN, "angular acceleration", "rad/s2")

    def orientation_error(self, desired: Any) -> Expression:
        """The rotation vector from a desired orientation to that of the link or frame, in world axes: the logarithm of R R_D'.

        `desired` is a rotation matrix, roll-pitch-yaw about fixed axes, or in the plane an angle.
        """
        R = rotation_of(desired, self._dim) @ self._axes.T
        return self._spin(tables.TURN, "orientation", "rad", turn=_stored(R, self._dim))

    def _spin(self, kind: int, name: str, unit: str, turn: Any = None) -> Expression:
        width = 1 if self._dim == 2 else 3
        atom = Atom(kind, width, f"{name} of {self.name}", unit, self.body, point=self.local, turn=turn, algo=self.algo)
        return Expression.of(atom)


def refuse_world(what: str, point: Point) -> None:
    if point.body == 0:
        raise ControlError(f"{what}: {point.name!r} belongs to the world, which does not move; it can only be asked for")


class Body(Point):
    """A link; its place is its centre of mass."""

    def __init__(self, algo: "Statements", name: str):
        links = {link.name: link for link in algo.robot.links}
        if not isinstance(name, str) or name not in links:
            raise UnknownNameError(f"link (of robot {algo.robot.name!r})", name, links)
        super().__init__(algo, name, links[name].com)
        self.mass = float(links[name].mass)

    def __repr__(self) -> str:
        return f"<body {self.name}>"


class JointHandle:
    """A joint: its coordinates in its own axes, the force of its motor, and the force between the bodies that it joins."""

    def __init__(self, algo: "Statements", name: str):
        robot = algo.robot
        names = [joint.name for joint in robot.layout.joints]
        if name not in names:
            raise UnknownNameError(f"joint (of robot {robot.name!r})", name, names)
        self.algo, self.name, self.body = algo, name, names.index(name) + 1
        self.kind = int(robot.tree.kind[self.body])
        self.dof, self.count = int(robot.tree.first_v[self.body]), int(np.diff(robot.tree.first_v)[self.body])
        self.coordinate = int(robot.tree.first_q[self.body])
        self._dim, self._turns = robot.dim, self.kind == REVOLUTE
        self._unit = "m" if robot.layout.joints[self.body - 1].kind == "prismatic" else "rad"

    def __repr__(self) -> str:
        return f"<joint {self.name}>"

    def _coordinates(self, kind: int, name: str, unit: str) -> Expression:
        if self.kind in (FREE, PLANAR):
            what = "free" if self.kind == FREE else "planar"
            raise ControlError(f"{self.name!r} is {what}; ask for its link, algo.body(...), or for its force and moment")
        return self._of(kind, self.count, f"{name} of {self.name}", unit)

    def _of(self, kind: int, width: int, name: str, unit: str, scalar: bool | None = None) -> Expression:
        return Expression.of(Atom(kind, width, name, unit, self.body, self.dof, algo=self.algo), scalar)

    @property
    def angle(self) -> Expression:
        """rad, or m of a slide; of a ball joint the rotation vector, in its own axes."""
        return self._coordinates(tables.Q_COORDINATE, "angle", self._unit)

    @property
    def velocity(self) -> Expression:
        return self._coordinates(tables.V_COORDINATE, "rate", f"{self._unit}/s")

    @property
    def acceleration(self) -> Expression:
        return self._coordinates(tables.A_COORDINATE, "acceleration", f"{self._unit}/s2")

    @property
    def torque(self) -> Expression:
        """Of its motor, or what stands for one, besides springs, dampers and tendons: N m, or N of a slide."""
        return self._coordinates(tables.TORQUE, "torque", "N" if self._unit == "m" else "N m")

    @property
    def force(self) -> Expression:
        """With which the parent acts on the child at the joint, motor included, in world axes."""
        self._refuse_loops("force")
        return self._of(tables.HINGE_FORCE, self._dim, f"force in {self.name}", "N", False)

    @property
    def moment(self) -> Expression:
        """The moment with which the parent acts on the child about the joint."""
        self._refuse_loops("moment")
        return self._of(tables.HINGE_MOMENT, 1 if self._dim == 2 else 3, f"moment in {self.name}", "N m")

    def _refuse_loops(self, what: str) -> None:
        if self.algo.robot.loops:
            raise ControlError(
                f"{what} of joint {self.name!r}: robot {self.algo.robot.name!r} has loops, and how they share forces is not "
                "known to an algorithm; torques of motors are, and footfall.dynamics.hinge_forces works out all forces"
            )


class Whole:
    """The centre of mass of the robot, and its momentum; links that are fixed to the world are no part of it."""

    def __init__(self, algo: "Statements"):
        self.algo, self._dim = algo, algo.robot.dim

    def _atom(self, kind: int, name: str, unit: str, spin: bool = False) -> Expression:
        width = (1 if self._dim == 2 else 3) if spin else self._dim
        return Expression.of(Atom(kind, width, f"{name} of the robot", unit, algo=self.algo), None if spin else False)

    @property
    def mass(self) -> float:
        """kg: of all that can move, as the algorithm reckons with it."""
        return self.algo.mass

    @property
    def position(self) -> Expression:
        return self._atom(tables.P_COM, "centre of mass", "m")

    @property
    def velocity(self) -> Expression:
        return self._atom(tables.V_COM, "velocity of the centre of mass", "m/s")

    @property
    def acceleration(self) -> Expression:
        return self._atom(tables.A_COM, "acceleration of the centre of mass", "m/s2")

    @property
    def momentum(self) -> Expression:
        return self._atom(tables.MOMENTUM, "momentum", "kg m/s")

    @property
    def momentum_rate(self) -> Expression:
        return self._atom(tables.MOMENTUM_RATE, "rate of momentum", "N")

    @property
    def angular_momentum(self) -> Expression:
        """About the centre of mass."""
        return self._atom(tables.SPIN_MOMENTUM, "angular momentum", "kg m2/s", True)

    @property
    def angular_momentum_rate(self) -> Expression:
        return self._atom(tables.SPIN_RATE, "rate of angular momentum", "N m", True)


class Divergent:
    """The divergent component of motion: xi = c + c' / omega, so that xi' = c' + c'' / omega."""

    def __init__(self, com: Whole, omega: float):
        omega = number(omega, "the natural frequency of a pendulum")
        if not omega > 0.0:
            raise ControlError(f"the natural frequency of a pendulum must be above 0 rad/s, got {omega:g}")
        self.omega = omega
        self.position = com.position + com.velocity / omega
        self.velocity = com.velocity + com.acceleration / omega


def polynomial(coefficients: Any, start: float, duration: float) -> tuple[Expression, Expression, Expression]:
    """A polynomial of the time since its start, and its first and second derivatives; after its end it goes on straight.

    `coefficients` has a row for each entry, from the constant on.
    """
    try:
        table = np.atleast_2d(np.array(coefficients, float))
    except (TypeError, ValueError):
        raise ControlError(f"a polynomial has rows of numbers as coefficients, got {coefficients!r:.60}") from None
    duration = not_negative(duration, "the duration of a curve", "s")
    if table.ndim != 2 or not 0 < len(table) <= 3 or table.shape[1] > tables.DEGREE + 1 or not np.isfinite(table).all():
        raise ControlError(f"a polynomial has 1 to 3 rows of up to {tables.DEGREE + 1} finite coefficients, got {table.shape}")
    curve = np.zeros((len(table), tables.DEGREE + 1))
    curve[:, : table.shape[1]] = table
    names = ("curve", "rate of a curve", "acceleration of a curve")
    return tuple(  # type: ignore[return-value]
        Expression.of(Atom(tables.POLYNOMIAL, len(curve), name, curve=curve, span=(start, duration, order)), len(curve) == 1)
        for order, name in enumerate(names)
    )


def vector_of(given: Any, dim: int, what: str) -> np.ndarray:
    try:
        values = np.array(given, float)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if values.shape != (dim,) or not np.isfinite(values).all():
        raise ControlError(f"{what} must be {dim} finite numbers, got {given!r:.60}")
    return values


def rotation_of(desired: Any, dim: int) -> np.ndarray:
    """A rotation matrix of space."""
    try:
        values = np.array(desired, float)
    except (TypeError, ValueError):
        values = np.array([[np.nan]])
    if not np.isfinite(values).all() or values.shape not in (((),) if dim == 2 else ((3, 3), (3,))):
        wanted = "an angle" if dim == 2 else "a rotation matrix, or roll, pitch and yaw"
        raise ControlError(f"a desired orientation must be {wanted}, got {desired!r:.60}")
    if values.shape == (3, 3):
        if np.abs(values @ values.T - np.eye(3)).max() > 1e-6 or np.linalg.det(values) < 0.0:
            raise ControlError(f"a desired orientation must be a rotation matrix, got {values.tolist()!r:.80}")
        return values
    return rotation(float(values) if dim == 2 else tuple(values.tolist()))


def _stored(R: np.ndarray, dim: int) -> np.ndarray:
    """A rotation as kernels store it."""
    if dim == 3:
        return R.ravel()
    c, s = R[0, 0], R[0, 2]
    return np.array((c, s, np.arctan2(s, c)))
