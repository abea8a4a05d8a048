"""The parts of a hybrid model: modes, guards and resets, all smooth, for numbers and for symbols from one text.

In a mode some points are pinned and some joints locked, and the robot moves smoothly. A guard is a function of (t, q, v) that
ends the mode when it passes through zero; its reset, such as an inelastic impact, gives the state in which the next mode begins.
Ready guards and resets are declared by name and bound to a robot later (`bind`). A function of the user's serves as well; if it
is written in plain arithmetic and numpy it can be traced too.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.core.recursion.kinematics import set_places
from footfall.core.recursion.relabel import relabel
from footfall.dynamics.constrained import Constraints
from footfall.errors import MissingPartError, StateError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.pins import Held, pin
from footfall.model.robot import Robot
from footfall.world.terrain import Flat, Slope, Terrain

if TYPE_CHECKING:
    import casadi

Scalar = Callable[[Any, Any, Any], Any]  # of (t, q, v)
SYMMETRIC = 1e-9  # m and J: how far a robot may be from its relabelled self


@dataclass(frozen=True)
class Guard:
    """Ends its mode when `function` passes through zero: downward (direction -1), upward (+1) or either way (0).

    A mode must begin on the near side of its guards, or on their surface. A guard counts only where `active` is above zero, so
    that for instance a foot may scuff until it is ahead. `reset` is a ready one, any function (t, q, v) -> (q, v), a series of
    them, or None if the state goes on unchanged.
    """

    name: str
    function: "HasAffineForm | Callable[..., Any]"
    to: str
    reset: "Reset | tuple[Reset, ...] | None" = None
    direction: int = -1
    active: "HasAffineForm | Callable[..., Any] | None" = None


@dataclass(frozen=True)
class Mode:
    """Smooth motion with `pinned` points and `locked` joints at rest, under the joint forces `torque(t, q, v)`, if any."""

    name: str
    pinned: tuple[Held, ...] = ()
    locked: tuple[str, ...] = ()
    torque: "Feedback | Callable[[Any, Any, Any], Any] | None" = None
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True, eq=False)
class Feedback:
    """Joint forces constant + by_q q + by_v v: a torque that kernels know as data."""

    by_q: np.ndarray  # (nv, nq)
    by_v: np.ndarray  # (nv, nv)
    constant: np.ndarray  # (nv,)

    def __post_init__(self) -> None:
        for name in ("by_q", "by_v", "constant"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))

    def __call__(self, _t: Any, q: Any, v: Any) -> Any:
        return self.constant + self.by_q @ q + self.by_v @ v

    @classmethod
    def of(
        cls,
        robot: Robot,
        by_q: Mapping[tuple[str, str], float] | None = None,
        by_v: Mapping[tuple[str, str], float] | None = None,
        constant: Mapping[str, float] | None = None,
    ) -> "Feedback":
        """By name: {(joint, coordinate): N m/rad}, {(joint, velocity): N m s/rad} and {joint: N m}."""
        forces, tables = robot.velocities, []
        for given, names in ((by_q or {}, robot.coordinates), (by_v or {}, robot.velocities)):
            table = np.zeros((robot.nv, len(names)))
            for (joint, name), gain in given.items():
                table[_index(robot, "velocity", joint, forces), _index(robot, "coordinate", name, names)] = gain
            tables.append(table)
        always = np.zeros(robot.nv)
        for joint, value in (constant or {}).items():
            always[_index(robot, "velocity", joint, forces)] = value
        return cls(tables[0], tables[1], always)


def _index(robot: Robot, kind: str, name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise UnknownNameError(f"{kind} (of robot {robot.name!r})", name, names)
    return list(names).index(name)


class Jump(NamedTuple):
    """Result of a reset: the new state, and for an impact the energy lost.

    `sinking` are points that are let go and move into the ground nevertheless, `pulling` those that strike but would have to be
    pulled down: where there are any, more or fewer points should have been part of the impact.
    """

    q: Any
    v: Any
    impulses: Mapping[str, Any] = {}
    energy_lost: Any = 0.0
    sinking: tuple[str, ...] = ()
    pulling: tuple[str, ...] = ()


class Switch(NamedTuple):
    """Where a reset stands: the modes before and after, and a configuration near which it will be used."""

    before: Mode
    after: Mode
    near: np.ndarray


# --- ready guards and conditions ------------------------------------------------------------------------------------------


class AffineForm(NamedTuple):
    """A function constant + by_time t + by_q q + (sum over points) weight . place. Kernels know it as data."""

    constant: float = 0.0
    by_time: float = 0.0
    by_q: Mapping[str, float] = {}
    points: tuple[tuple[Held, tuple[float, ...]], ...] = ()  # at most two, each with its weight

    def bind(self, ev: Evaluation) -> Scalar:
        names = ev.robot.coordinates
        for name in self.by_q:
            if name not in names:
                raise UnknownNameError(f"coordinate (of robot {ev.robot.name!r})", name, names)
        parts = [(names.index(name), factor) for name, factor in self.by_q.items()]
        places = [(place_of(ev, point), np.array(weight)) for point, weight in self.points]

        def value(t: Any, q: Any, _v: Any) -> Any:
            total = self.constant + self.by_time * t + sum(factor * q[i] for i, factor in parts)
            return total + sum(weight @ place(q) for place, weight in places)

        return value


@dataclass(frozen=True)
class HasAffineForm:
    """A function with an affine form is bound by that form."""

    def form(self, robot: Robot) -> AffineForm | None:
        """None if it has none, and must be asked in Python."""
        raise NotImplementedError

    def bind(self, ev: Evaluation) -> Scalar:
        form = self.form(ev.robot)
        return form.bind(ev) if form else self.otherwise(ev)

    def otherwise(self, ev: Evaluation) -> Scalar:
        raise NotImplementedError


@dataclass(frozen=True)
class Touches(HasAffineForm):
    """Height of a point above the ground: a terrain, a function of x (and y in space), or None for that of the world."""

    point: Held
    ground: Terrain | Callable[..., Any] | None = None

    def form(self, robot: Robot) -> AffineForm | None:
        ground = Slope(0.0) if self.ground is None else self.ground
        if isinstance(ground, Flat):
            ground = Slope(0.0, z=ground.z)
        if not isinstance(ground, Slope):
            return None
        rise = [0.0 - math.tan(angle) for angle in (ground.angle, ground.across)[: robot.dim - 1]]
        return AffineForm(-ground.z, points=((self.point, (*rise, 1.0)),))

    def otherwise(self, ev: Evaluation) -> Scalar:
        place, ground = place_of(ev, self.point), self.ground.height if isinstance(self.ground, Terrain) else self.ground

        def height(_t: Any, q: Any, _v: Any) -> Any:
            *across, z = place(q)
            return z - ground(*across)  # type: ignore[misc]

        return height


@dataclass(frozen=True)
class JointReaches(HasAffineForm):
    """Angle or displacement of a joint, above `value`."""

    joint: str
    value: float = 0.0

    def form(self, _robot: Robot) -> AffineForm:
        return AffineForm(-self.value, by_q={self.joint: 1.0})


@dataclass(frozen=True)
class TimeReached(HasAffineForm):
    """Time left until `at`."""

    at: float

    def form(self, _robot: Robot) -> AffineForm:
        return AffineForm(self.at, by_time=-1.0)


@dataclass(frozen=True)
class Ahead(HasAffineForm):
    """How far along x a point is ahead of another, less `by`: a condition for guards."""

    point: Held
    of: Held
    by: float = 0.0

    def form(self, robot: Robot) -> AffineForm:
        x = np.eye(robot.dim)[0]
        return AffineForm(-self.by, points=((self.point, tuple(x)), (self.of, tuple(-x))))


@dataclass(frozen=True)
class Above(HasAffineForm):
    """How much higher a point is than another, less `by`."""

    point: Held
    of: Held
    by: float = 0.0

    def form(self, robot: Robot) -> AffineForm:
        z = np.eye(robot.dim)[-1]
        return AffineForm(-self.by, points=((self.point, tuple(z)), (self.of, tuple(-z))))


def bound(function: Any, ev: Evaluation, what: str) -> Scalar:
    """A guard's function or condition for one robot."""
    if hasattr(function, "bind"):
        return function.bind(ev)
    if not callable(function):
        raise StateError(f"{what} must be a function of (t, q, v), got {function!r:.80}")
    return function


def place_of(ev: Evaluation, given: Held) -> Callable[[Any], np.ndarray]:
    """q -> place of a point; of a round sole that which is nearest to the ground."""
    held = pin(given)
    target, at = ev.robot.target(held.name), None if held.at is None else state.vector(held.at, ev.robot.dim, "at")
    up = np.zeros(ev.robot.dim) if held.roll is None else state.vector(held.roll, ev.robot.dim, "roll")

    def place(q: Any) -> np.ndarray:
        ev.run(set_places, q)
        return ev.work.p_WB[target.body] + np.array(ev.arm(target, at), dtype=ev.dtype) - up

    return place


# --- ready resets ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Impact:
    """Perfectly inelastic impact: the points that the next mode pins, or those named here, come to rest at once.

    `up` is the ground's normal, for the report of points that sink or pull; vertical if left out.
    """

    pinned: tuple[Held, ...] | None = None
    locked: tuple[str, ...] | None = None
    up: tuple[float, ...] | None = None

    def bind(self, ev: Evaluation, switch: Switch) -> Callable[[Any, Any, Any], Jump]:
        robot = ev.robot
        chosen = Constraints(robot, *self.stops(switch.after)).chosen(switch.near)
        held = chosen.symbolic() if ev.symbols else chosen
        released = [each for each in map(pin, switch.before.pinned) if each not in held.pins]
        trailing = [(each, Constraints(robot, (each,)).chosen(switch.near)) for each in released]
        up = np.eye(robot.dim)[-1] if self.up is None else state.vector(self.up, robot.dim, "up")

        def strike(_t: Any, q: Any, v: Any) -> Jump:
            if not ev.symbols:
                held.chosen(q)
            velocities, impulse = held.impact(q, v)
            impulses, lost = held.named(impulse), held.energy_between(v, velocities)
            if ev.symbols:
                return Jump(q, velocities, impulses, lost)
            sinking = tuple(str(each) for each, foot in trailing if up @ foot.speeds(q, velocities)[: robot.dim] < 0.0)
            pulling = tuple(str(each) for each in held.pins if up @ impulses[str(each)][: robot.dim] < 0.0)
            return Jump(q, velocities, impulses, float(lost), sinking, pulling)

        return strike

    def stops(self, after: Mode) -> tuple[tuple[Held, ...], tuple[str, ...]]:
        """The points and joints that come to rest."""
        pinned = after.pinned if self.pinned is None else self.pinned
        return pinned, after.locked if self.locked is None else self.locked


@dataclass(frozen=True)
class Relabel:
    """Left becomes right and right left, nothing moves: a planar walker can then have one mode for both of its legs.

    Links and frames are paired by name, `sides` being the words in which the names differ. Before an impact it is best done
    first: `reset=(Relabel(), Impact())`.
    """

    sides: tuple[str, str] = ("left", "right")

    def bind(self, ev: Evaluation, _switch: Switch | None = None) -> Callable[[Any, Any, Any], Jump]:
        twins = self.twins(ev.robot)

        def relabelled(_t: Any, q: Any, v: Any) -> Jump:
            q, v = q.copy(), v.copy()
            ev.run(relabel, twins, q, v)
            return Jump(q, v)

        return relabelled

    def other(self, name: str) -> str:
        """The twin's name."""
        left, right = self.sides
        return name.replace(left, right) if left in name else name.replace(right, left)

    def renamed(self, switch: Switch) -> Switch:
        """Names of held points, left and right exchanged."""
        pins = tuple(replace(each, name=self.other(each.name)) for each in map(pin, switch.before.pinned))
        return switch._replace(before=replace(switch.before, pinned=pins))

    def twins(self, robot: Robot) -> np.ndarray:
        """The twin of each body, the world's being itself."""
        if robot.space != "planar":
            raise StateError(f"robot {robot.name!r} is spatial; only planar robots can be relabelled")
        for joint in robot.layout.joints:
            if joint.kind == "prismatic":
                raise StateError(f"joint {joint.name!r} is prismatic; only robots with hinges can be relabelled")
        return np.array([0, *(robot.target(self.other(joint.child)).body for joint in robot.layout.joints)], dtype=np.int64)

    def check(self, robot: Robot) -> None:
        """Refuse a robot whose sides are not alike."""
        q, v = kinematics.random_configuration(robot, 0), np.random.default_rng(0).normal(size=robot.nv)
        jump = self.bind(Evaluation(robot))(0.0, q, v)
        for name in robot.layout.targets:
            moved = kinematics.pose(robot, jump.q, name).position - kinematics.pose(robot, q, self.other(name)).position
            if np.abs(moved).max() > SYMMETRIC:
                raise StateError(
                    f"robot {robot.name!r}: {name!r} and {self.other(name)!r} are not alike, so it has no sides to swap"
                )
        before, after = dynamics.energy(robot, q, v), dynamics.energy(robot, jump.q, jump.v)
        if np.abs(np.subtract(before, after)).max() > SYMMETRIC * before.kinetic:
            raise StateError(f"robot {robot.name!r}: its sides have different masses, so they cannot be swapped")


@dataclass(frozen=True)
class Shift:
    """Coordinates that jump by so much, nothing else changing: `Shift({"base.pitch": -0.8})`, for angles that mean the same."""

    by: Mapping[str, float]

    def bind(self, ev: Evaluation, _switch: Switch | None = None) -> Callable[[Any, Any, Any], Jump]:
        step = self.step(ev.robot)
        return lambda _t, q, v: Jump(q + step, v)

    def step(self, robot: Robot) -> np.ndarray:
        step = np.zeros(robot.nq)
        for name, value in self.by.items():
            step[_index(robot, "coordinate", name, robot.coordinates)] = value
        return step


def on_ground(modes: tuple[Mode, ...], terrain: Terrain) -> tuple[Mode, ...]:
    """Modes whose guards touch the ground of a world, where they name no ground of their own."""

    def placed(guard: Guard) -> Guard:
        own = guard.function
        return replace(guard, function=replace(own, ground=terrain)) if isinstance(own, Touches) and own.ground is None else guard

    return tuple(replace(mode, guards=tuple(map(placed, mode.guards))) for mode in modes)


Reset = Impact | Relabel | Shift | Callable[..., Any]


def parts_of(reset: Any) -> list:
    """A series of resets, one after the other."""
    return [] if reset is None else list(reset) if isinstance(reset, Iterable) else [reset]


def bound_reset(reset: Any, ev: Evaluation, switch: Switch) -> Callable[[Any, Any, Any], Jump]:
    """A guard's reset for one robot; a series is done one after the other."""
    steps = []
    for part in parts_of(reset):
        steps.append(part.bind(ev, switch) if hasattr(part, "bind") else function_reset(part))
        switch = part.renamed(switch) if isinstance(part, Relabel) else switch

    def run(t: Any, q: Any, v: Any) -> Jump:
        jump = Jump(q, v)
        for step in steps:
            last = jump
            jump = step(t, last.q, last.v)
            jump = jump._replace(
                impulses={**last.impulses, **jump.impulses},
                energy_lost=last.energy_lost + jump.energy_lost,
                sinking=last.sinking + jump.sinking,
                pulling=last.pulling + jump.pulling,
            )
        return jump

    return run


def function_reset(function: Any) -> Callable[[Any, Any, Any], Jump]:
    if not callable(function):
        raise StateError(f"a reset must be a function (t, q, v) -> (q, v), or a series of them, got {function!r:.80}")
    return lambda t, q, v: Jump(*function(t, q, v))


# --- the same as symbols --------------------------------------------------------------------------------------------------


class Traced(NamedTuple):
    """A mode as CasADi functions of (t, q, v), to differentiate: flow and saltation need nothing else."""

    flow: "casadi.Function"  # -> rate of q, a, and the forces that hold
    speeds: "casadi.Function"  # of (q, v) -> how fast what is held moves
    guards: dict[str, "casadi.Function"]  # -> value
    resets: dict[str, "casadi.Function"]  # -> q, v


def trace(robot: Robot, modes: Iterable[Mode], *, gravity: Any = None, near: Any = None) -> dict[str, Traced]:
    """All modes as symbols, by name, for use around the configuration `near` (the order of elimination is chosen there)."""
    try:
        import casadi
    except ImportError:
        raise MissingPartError("symbols need CasADi: pip install 'footfall[optimize]'") from None
    q_near = kinematics.random_configuration(robot, 0, 0.3) if near is None else state.coordinates(robot, near)
    known = {mode.name: mode for mode in modes}
    sizes = {"t": 1, "q": robot.nq, "v": robot.nv}
    symbols = [casadi.SX.sym(name, size) for name, size in sizes.items()]
    t, q, v = symbols[0], *(np.array([s[i] for i in range(s.numel())], dtype=object) for s in symbols[1:])

    def function(name: str, **outputs: Any) -> Any:
        columns = [casadi.vertcat(*np.atleast_1d(np.array(each, dtype=object))) for each in outputs.values()]
        return casadi.Function(name, symbols, columns, list(sizes), list(outputs))

    traced = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # CasADi 3.8 announces a change in np.cos(SX) that does not touch scalars
        for mode in known.values():
            held = Constraints(robot, mode.pinned, mode.locked, gravity).chosen(q_near).symbolic()
            tau = held.ev.zeros(robot.nv) if mode.torque is None else np.array(mode.torque(t, q, v), dtype=object)
            a, f = held.accelerate(q, v, tau)
            guards, resets = {}, {}
            for guard in mode.guards:
                ev, switch = Evaluation(robot, symbols=True), Switch(mode, known[guard.to], q_near)
                guards[guard.name] = function("guard", value=bound(guard.function, ev, guard.name)(t, q, v))
                jump = bound_reset(guard.reset, ev, switch)(t, q, v)
                resets[guard.name] = function("reset", q_after=jump.q, v_after=jump.v)
            flow = function("flow", q_rate=held.rate(q, v), a=a, f=f)
            moving = casadi.vertcat(*held.speeds(q, v)) if held.rows else casadi.SX(0, 1)
            speeds = casadi.Function("speeds", symbols[1:], [moving], ["q", "v"], ["speeds"])
            traced[mode.name] = Traced(flow, speeds, guards, resets)
    return traced
