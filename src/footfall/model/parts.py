"""The parts that a robot is declared with. The same parts serve the plane and space; only the length of vectors differs.

A vector is (x, z) in the plane and (x, y, z) in space. A `turn` is one angle about y in the plane, (roll, pitch, yaw) about the
fixed axes x, y, z in space. Left out, it is zero.
"""

from dataclasses import dataclass
from math import inf

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

    def __post_init__(self) -> None:
        check_quantities(self, "motor")
        if self.torque_constant == 0.0 and (self.resistance or self.contact_voltage or self.current < inf):
            raise RobotError("motor: resistance, contact voltage and current mean nothing without a torque_constant (N m/A)")

    @property
    def per_ampere(self) -> float:
        """Torque at the joint for a current of 1 A, friction aside."""
        return self.gear * self.torque_constant

    @property
    def strongest(self) -> float:
        """Largest torque at the joint, by its own limit and by that of the current."""
        return min(self.torque, self.per_ampere * self.current) if self.torque_constant else self.torque


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
    friction: float = quantity("N m", "dry friction (N where it slides)", 0.0, low=0.0)
    spring: Spring | None = note("spring across the joint", None)
    motor: Motor | None = note("its motor", None)

    def __post_init__(self) -> None:
        check_quantities(self, f"joint {self.name!r}")


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
class Foot:
    """A foot: one or more pads that may touch the ground, on one link or (a foot with toes) on several."""

    name: str = note("unique among feet")
    pads: tuple[Pad, ...] = note("where it touches")

    def __post_init__(self) -> None:
        if not isinstance(self.pads, tuple | list) or not all(isinstance(pad, Pad) for pad in self.pads):
            raise RobotError(f"foot {self.name!r}: pads must be a row of {PAD_NAMES}, got {self.pads!r:.80}")
        object.__setattr__(self, "pads", tuple(self.pads))
        for pad in self.pads:
            check_quantities(pad, f"foot {self.name!r}, {type(pad).__name__} on {pad.link!r}")
