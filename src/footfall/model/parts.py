"""The parts that a robot is declared with. The same parts serve the plane and space; only the length of vectors differs.

A vector is (x, z) in the plane and (x, y, z) in space. A `turn` is one angle about y in the plane, (roll, pitch, yaw) about the
fixed axes x, y, z in space. Left out, it is zero.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from footfall.errors import RobotError
from footfall.model.quantity import ROW, SCALAR, check_quantities, flag, note, quantity

Vector = tuple[float, ...]
WORLD = "world"


@dataclass(frozen=True)
class Link:
    """A rigid body. Its origin is where its joint to the parent sits."""

    name: str = note("unique among links and frames")
    mass: float = quantity("kg", "mass", low=0.0)
    com: Vector = quantity("m", "centre of mass, from the link's origin in the link's axes", (), shape=ROW)
    inertia: float | Vector = quantity(
        "kg m2",
        "about the centre of mass: one number in the plane, (xx, yy, zz) or (xx, yy, zz, xy, xz, yz) in space",
        0.0,
        shape=[SCALAR, ROW],
    )
    solid: bool = flag("whether it has limbs where the robot declares no shape for it", True)
    as_given: bool = flag("whether its inertia is taken as it is, even if no body has it (from files of other programs)", False)

    def __post_init__(self) -> None:
        check_quantities(self, f"link {self.name!r}")


@dataclass(frozen=True)
class Motor:
    """The motor of a joint. A joint without one is free to move.

    With a torque constant it is an electric motor: a current I gives the joint gear * torque_constant * I. Friction in the
    gears is load_friction times that torque, against the motion. The rest of a joint's friction is the joint's own.
    """

    rotor_inertia: float = quantity("kg m2", "inertia of the rotor itself, before the gear", 0.0, low=0.0)
    gear: float = quantity("1", "turns of the rotor per turn of the joint", 1.0, low=1e-9)
    torque: float = quantity("N m", "largest torque at the joint (force in N where it slides)", inf, low=0.0, infinite=True)
    speed: float = quantity("rad/s", "largest speed of the joint (m/s where it slides)", inf, low=0.0, infinite=True)
    torque_constant: float = quantity("N m/A", "torque of the rotor per current; 0 without electrical data", 0.0, low=0.0)
    resistance: float = quantity("ohm", "of the winding", 0.0, low=0.0)
    contact_voltage: float = quantity("V", "voltage drop at the brushes, at any current", 0.0, low=0.0)
    current: float = quantity("A", "largest current", inf, low=0.0, infinite=True)
    load_friction: float = quantity("1", "dry friction per torque of the motor, both at the joint", 0.0, low=0.0, high=0.999)
    voltage: float = quantity(
        "V", "of the supply; the voltage of rotation leaves less of it to drive", inf, low=0.0, infinite=True
    )

    def __post_init__(self) -> None:
        check_quantities(self, "motor")
        electrical = self.resistance or self.contact_voltage or self.current < inf or self.voltage < inf
        if self.torque_constant == 0.0 and electrical:
            raise RobotError(
                "motor: resistance, contact voltage, current and voltage mean nothing without a torque_constant (N m/A)"
            )
        if self.voltage < inf and self.resistance == 0.0:
            raise RobotError(f"motor: a supply of {self.voltage:g} V needs a resistance above 0 ohm, or the current has no bound")
        if self.voltage < self.contact_voltage:
            raise RobotError(
                f"motor: voltage of the supply must be above that at the brushes, {self.contact_voltage:g} V, "
                f"got {self.voltage:g}"
            )

    @property
    def per_ampere(self) -> float:
        """Torque at the joint for a current of 1 A, friction aside."""
        return self.gear * self.torque_constant

    @property
    def strongest(self) -> float:
        """Largest torque at the joint at rest, by its own limit, that of the current, and the supply."""
        return min(self.torque, self.per_ampere * self.current, self.stall) if self.torque_constant else self.torque

    @property
    def stall(self) -> float:
        """Torque at the joint at rest with the whole voltage of the supply."""
        return self.per_ampere * (self.voltage - self.contact_voltage) / self.resistance if self.voltage < inf else inf

    @property
    def droop(self) -> float:
        """Torque at the joint that the supply loses for each rad/s of the joint, by the voltage of rotation."""
        return self.per_ampere**2 / self.resistance if self.voltage < inf else 0.0

    @property
    def no_load(self) -> float:
        """Speed of the joint at which the voltage of rotation uses up the supply; the motor cannot drive it faster."""
        return (self.voltage - self.contact_voltage) / self.per_ampere if self.voltage < inf else inf

    def driving(self, speed: Any) -> Any:
        """Largest torque in the direction of motion at a speed of the joint: it falls with the speed, and is 0 beyond a limit."""
        left = np.clip(self.stall - self.droop * np.abs(speed), 0.0, self.strongest)
        return np.where(np.abs(speed) > self.speed, 0.0, left)


@dataclass(frozen=True)
class Spring:
    """A linear spring across a joint."""

    stiffness: float = quantity("N m/rad", "torque per angle (N/m where it slides)", low=0.0)
    rest: float = quantity("rad", "where it is slack (m where it slides)", 0.0)

    def __post_init__(self) -> None:
        check_quantities(self, "spring")


@dataclass(frozen=True)
class Joint:
    """How a link moves on its parent.

    kind       coordinates                      velocities
    fixed      none                             none
    revolute   angle about the axis             its rate
    prismatic  way along the axis               its rate
    spherical  quaternion (w, x, y, z)          angular velocity in the child's axes
    planar     (x, z, pitch)                    their rates
    free       (x, y, z), quaternion            velocity in the axes of x y z, angular velocity in the child's

    With a `turn`, the x y z of a planar or free joint count along the turned axes.
    """

    name: str = note("unique among joints")
    kind: str = note("fixed, revolute, prismatic, spherical, planar or free")
    parent: str = note("the link it is mounted on, or 'world'")
    child: str = note("the link it moves")
    at: Vector = quantity("m", "the joint in the parent's axes; the child's origin where the joint is at zero", (), shape=ROW)
    turn: float | Vector = quantity("rad", "the child's axes in the parent's where the joint is at zero", (), shape=[SCALAR, ROW])
    axis: Vector | str | None = note(
        "unit vector or 'x', 'y', 'z' in the child's axes; in space a hinge turns about y if none is given", None
    )
    limits: tuple[float, float] = quantity(
        "rad", "lowest and highest coordinate (m where it slides)", (-inf, inf), infinite=True, shape=(2,)
    )
    damping: float = quantity("N m s/rad", "viscous friction (N s/m where it slides)", 0.0, low=0.0)
    friction: float = quantity("N m", "dry friction in motion (N where it slides)", 0.0, low=0.0)
    static_friction: float | None = quantity(
        "N m", "dry friction at rest, at least that in motion (N where it slides); the same if left out", None, low=0.0
    )
    stribeck_velocity: float = quantity(
        "rad/s", "speed at which 1/e of the difference of both is left (m/s where it slides)", 0.01, low=1e-6
    )
    spring: Spring | None = note("spring across the joint", None)
    motor: Motor | None = note("its motor", None)

    def __post_init__(self) -> None:
        check_quantities(self, f"joint {self.name!r}")
        if self.static_friction is not None and self.static_friction < self.friction:
            raise RobotError(
                f"joint {self.name!r}: static_friction must be at least the friction in motion, {self.friction:g} N m, "
                f"got {self.static_friction:g}"
            )

    @property
    def holding(self) -> float:
        """Dry friction at rest, without load: up to this the joint does not move."""
        return self.friction if self.static_friction is None else self.static_friction

    def dry_friction(self, speed: Any) -> Any:
        """Stribeck's curve: dry friction without load at a speed, F_c + (F_s - F_c) exp(-(v/v_s)^2). Damping comes on top."""
        return self.friction + (self.holding - self.friction) * np.exp(-np.square(speed / self.stribeck_velocity))


@dataclass(frozen=True)
class Frame:
    """A named frame or point on a link."""

    name: str = note("unique among links and frames")
    link: str = note("the link that carries it")
    at: Vector = quantity("m", "its origin in the link's axes", (), shape=ROW)
    turn: float | Vector = quantity("rad", "its axes in the link's", (), shape=[SCALAR, ROW])

    def __post_init__(self) -> None:
        check_quantities(self, f"frame {self.name!r}")


@dataclass(frozen=True)
class Loop:
    """A hinge that closes a loop: two frames of links that other joints join already.

    kind       what it holds
    fixed      the second frame lies on the first
    revolute   origins together, the axis common to both
    prismatic  axes parallel, the second origin on the line of the axis through the first
    spherical  origins together (in space)
    universal  origins together, `axis` of the first frame perpendicular to `across` of the second (in space)

    A loop that begins later than a run is made once its ends meet, within 1 mm (and 1 mrad) or as far as they move in a step; its
    velocities then agree at once, by an impulse. One with a strength breaks for good when its force exceeds that.
    """

    name: str = note("unique among loops and joints")
    kind: str = note("fixed, revolute or prismatic; in space also spherical or universal")
    first: str = note("a link or frame, or 'world'")
    second: str = note("a link or frame, or 'world'")
    axis: Vector | str | None = note("unit vector or 'x', 'y', 'z' in the first frame's axes; y if none is given", None)
    across: Vector | str | None = note("of a universal hinge: its other axis, in the second frame's axes; x if none", None)
    start: float = quantity("s", "of a run, from when it holds", 0.0, low=0.0)
    end: float = quantity("s", "of a run, when it is released", inf, low=0.0, infinite=True)
    strength: float = quantity("N", "force at which it breaks", inf, low=0.0, infinite=True)

    def __post_init__(self) -> None:
        check_quantities(self, f"loop {self.name!r}")
        if self.end < self.start:
            raise RobotError(f"loop {self.name!r}: it begins at {self.start:g} s, so it cannot end at {self.end:g} s")


@dataclass(frozen=True)
class MomentArm:
    """How much longer a tendon becomes for each radian (or metre) of a joint."""

    joint: str = note("a revolute, prismatic or spherical joint")
    arm: float | Vector = quantity(
        "m", "moment arm, constant: one number; of a spherical joint (x, y, z), for its rotation vector", shape=[SCALAR, ROW]
    )


@dataclass(frozen=True)
class Tendon:
    """An elastic cord across one or several joints: a tendon, a ligament, a muscle that is not active.

    It pulls with stiffness * (length - slack) + damping * rate while it is stretched. Its length counts from that with all joints
    at zero: the sum of moment arm times coordinate. A positive arm is stretched by, and pulls against, a positive coordinate.
    """

    name: str = note("unique among tendons")
    arms: tuple[MomentArm, ...] = note("the joints that it spans, each with its moment arm")
    stiffness: float = quantity("N/m", "force per stretch", low=0.0)
    slack: float = quantity("m", "length up to which it is slack, from that with all joints at zero", 0.0)
    damping: float = quantity("N s/m", "while it pulls", 0.0, low=0.0)
    pushes: bool = flag("whether it also pushes when it is shorter, as a rod would", False)

    def __post_init__(self) -> None:
        check_quantities(self, f"tendon {self.name!r}")
        if not isinstance(self.arms, tuple | list) or not all(isinstance(arm, MomentArm) for arm in self.arms):
            raise RobotError(f"tendon {self.name!r}: arms must be a row of MomentArm, such as (one,), got {self.arms!r:.80}")
        object.__setattr__(self, "arms", tuple(self.arms))
        for arm in self.arms:
            check_quantities(arm, f"tendon {self.name!r}, arm at {arm.joint!r}")


@dataclass(frozen=True)
class Point:
    """Touches the ground in one point."""

    link: str = note("the link that carries it")
    at: Vector = quantity("m", "in the link's axes", (), shape=ROW)


@dataclass(frozen=True)
class HeelToe:
    """A flat sole seen from the side: touches with heel, toe or both."""

    link: str = note("the link that carries it")
    heel: Vector = quantity("m", "in the link's axes", shape=ROW)
    toe: Vector = quantity("m", "in the link's axes", shape=ROW)


@dataclass(frozen=True)
class Box:
    """A block, along the link's axes."""

    link: str = note("the link that carries it")
    size: Vector = quantity("m", "full lengths along the link's axes", low=0.0, shape=ROW)
    at: Vector = quantity("m", "its middle in the link's axes", (), shape=ROW)


@dataclass(frozen=True)
class Arc:
    """A round sole that rolls: part of a circle about the link's y direction (in space a cylinder of that width)."""

    link: str = note("the link that carries it")
    radius: float = quantity("m", "of the circle", low=0.0)
    at: Vector = quantity("m", "centre of the circle in the link's axes", (), shape=ROW)
    span: tuple[float, float] = quantity(
        "rad", "heel and toe end, from straight down, toe positive", (-3.141592653589793, 3.141592653589793), shape=(2,)
    )
    width: float = quantity("m", "of the cylinder, across", 0.0, low=0.0)


@dataclass(frozen=True)
class Sphere:
    """A ball: touches below its middle however it is turned, and rolls in all directions. In the plane it is a whole circle."""

    link: str = note("the link that carries it")
    radius: float = quantity("m", "of the ball", low=0.0)
    at: Vector = quantity("m", "its middle in the link's axes", (), shape=ROW)


@dataclass(frozen=True)
class Capsule:
    """A rod with a ball at each end: touches with these balls."""

    link: str = note("the link that carries it")
    radius: float = quantity("m", "of the rod and its balls", low=0.0)
    end: Vector = quantity("m", "middle of one ball in the link's axes", shape=ROW)
    start: Vector = quantity("m", "middle of the other; the link's origin if left out", (), shape=ROW)


Pad = Point | HeelToe | Box | Arc | Sphere | Capsule
PAD_NAMES = "Point, HeelToe, Box, Arc, Sphere or Capsule"


@dataclass(frozen=True)
class Compliance:
    """Contact elements of a foot: at each of its points a linear spring and damper along the normal, and one along the ground."""

    stiffness: float = quantity("N/m", "of a point", low=1.0)
    damping: float = quantity("N s/m", "of a point", low=0.0)
    tangential_stiffness: float | None = quantity("N/m", "of a point along the ground; the same if left out", None, low=1.0)
    tangential_damping: float | None = quantity("N s/m", "of a point along the ground; the same if left out", None, low=0.0)


@dataclass(frozen=True)
class Foot:
    """A foot: one or more pads that may touch the ground, on one link or (a foot with toes) on several.

    With a `compliance` of its own it gives way on any ground, in place of the ground's own spring; friction is the ground's.
    """

    name: str = note("unique among feet")
    pads: tuple[Pad, ...] = note("where it touches")
    compliance: Compliance | None = note("its contact elements, at every corner, point or arc; without, the ground's law", None)

    def __post_init__(self) -> None:
        if self.compliance is not None and not isinstance(self.compliance, Compliance):
            raise RobotError(f"foot {self.name!r}: compliance must be a Compliance, or left out, got {self.compliance!r:.80}")
        if self.compliance is not None:
            check_quantities(self.compliance, f"foot {self.name!r}, compliance")
        if not isinstance(self.pads, tuple | list) or not all(isinstance(pad, Pad) for pad in self.pads):
            raise RobotError(f"foot {self.name!r}: pads must be a row of {PAD_NAMES}, got {self.pads!r:.80}")
        object.__setattr__(self, "pads", tuple(self.pads))
        for pad in self.pads:
            check_quantities(pad, f"foot {self.name!r}, {type(pad).__name__} on {pad.link!r}")
