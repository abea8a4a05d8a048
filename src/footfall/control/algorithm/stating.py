"""What an algorithm states: quantities, and the equations, costs and limits that name them. They come and go while it runs."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from footfall.control.algorithm.build import Entry
from footfall.control.algorithm.expression import Atom, Cost, Expression, Relation, not_negative, number
from footfall.control.algorithm.handles import Body, Divergent, JointHandle, Point, Whole, polynomial, refuse_world
from footfall.control.algorithm.pressing import Hold, flat, pressing
from footfall.control.algorithm.watch import Watch
from footfall.control.fields import ControlError
from footfall.core.equations import tables
from footfall.errors import UnknownNameError
from footfall.model.robot import Robot

NEWTON = "NEWTON"  # the name of what holds without being asked for
HEAVIEST = 1e100  # weight: squares of more are no numbers
PRINTED = np.log(100.0)  # a double pole at ln(100) / settle, as figure 2 has it


class Statements:
    """The equations, costs and limits in force; `Algorithm` solves them."""

    robot: Robot
    out: tables.Answer
    mass: float
    loops: dict[str, Entry]  # always in force
    _watch: Watch
    _built: Any  # arrays of what is in force

    def __init__(self) -> None:
        self.time, self._dirty = 0.0, True
        self.defined: dict[str, Expression] = {}
        self.equations: dict[str, Entry] = {}
        self.limits: dict[str, Entry] = {}
        self._costs: tuple[Entry, ...] = ()
        self._placed: set[str] = set()  # names of what is held at a place that was told
        self.own = SimpleNamespace()  # for the algorithm's own variables

    # --- what can be asked for --------------------------------------------------------------------------------------------

    def body(self, name: str) -> Body:
        """A link, at its centre of mass."""
        return Body(self, name)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All links that have mass and can move."""
        moving = (link for link in self.robot.links if self.robot.target(link.name).body > 0)
        return tuple(Body(self, link.name) for link in moving if link.mass > 0.0)

    def point(self, name: str, at: Any = None) -> Point:
        """A frame, or a point of a link or frame, in its axes."""
        return Point(self, name, at)

    def joint(self, name: str) -> JointHandle:
        return JointHandle(self, name)

    @property
    def com(self) -> Whole:
        """The centre of mass, and the momentum, of the whole robot."""
        return Whole(self)

    def dcm(self, omega: float) -> Divergent:
        """The divergent component of motion for a pendulum with this natural frequency, rad/s."""
        return Divergent(self.com, omega)

    def curve(self, coefficients: Any, duration: float) -> tuple[Expression, Expression, Expression]:
        """A polynomial of the time from now on, with its first and second derivatives."""
        return polynomial(coefficients, self.time, duration)

    def value(self, expression: Expression) -> Any:
        """A quantity that is known from places and velocities, now."""
        if not isinstance(expression, Expression):
            raise ControlError(f"value: it takes a quantity, such as algo.com.position, got {expression!r:.60}")
        self._check_own("value", expression)
        if not expression.known:
            raise ControlError(f"{expression!r} is not known before the equations are solved; see Solution")
        found = self._watch.value(expression)
        return float(found[0]) if expression.scalar else found

    # --- equations --------------------------------------------------------------------------------------------------------

    def define(self, name: str, expression: Expression) -> Expression:
        """Give a quantity a name, by which `assign` sets it."""
        if not isinstance(expression, Expression):
            raise ControlError(f"define {name!r}: it takes a quantity, got {expression!r:.60}")
        self._check_own(f"define {name!r}", expression)
        self.defined[_name(name)] = expression
        return expression

    def assign(self, name: str, value: Any) -> None:
        """Let a quantity that was defined, or the left side of an equation in force, have a value from now on."""
        entry = self.equations.get(_name(name))
        if entry is None:
            if name not in self.defined:
                raise UnknownNameError("quantity (of this algorithm)", name, [*self.defined, *self.equations])
            entry = Entry(name, (self.defined[name],))
        try:
            values = np.array(value, float)
        except (TypeError, ValueError, OverflowError):
            values = np.array(np.nan)
        if values.shape not in ((), (entry.size,)) or not np.isfinite(values).all():
            wanted = "a finite number" if entry.size == 1 else f"{entry.size} finite numbers"
            raise ControlError(f"{name}: a value must be {wanted}, got {value!r:.60}")
        self._dirty = entry.assign(values) or self._dirty
        if name not in self.equations:
            self._enter(self.equations, entry)
        if not self._dirty and self._built is not None:
            self._built.rows.rhs[entry.row : entry.row + entry.size] = entry.rhs

    def equate(self, name: str, relation: Relation, priority: int = 0, weight: float | None = None) -> None:
        """Put an equation in force, or in place of one of the same name.

        Of contradicting equations the one with the higher number of `priority` yields. With a `weight` it is no equation but a
        wish: weight times the square of what it misses becomes part of the cost.
        """
        if not isinstance(relation, Relation) or relation.sign != "==":
            raise ControlError(f"equate {name!r}: it takes an equation, such as knee.acceleration == 0.0, got {relation!r:.60}")
        if isinstance(priority, bool) or not isinstance(priority, int | np.integer) or not 0 <= priority < 1000:
            raise ControlError(f"equate {name!r}: priority must be a whole number from 0 (first) to 999, got {priority!r:.20}")
        weight = _weight(weight, f"equate {name!r}")
        entry = Entry(name, (relation.expression,), "==", int(priority), weight, left=relation.left)
        self._enter(self.equations, entry)

    def limit(self, name: str, relation: Relation, weight: float | None = None) -> None:
        """Put an inequality in force. With a `weight` it may be missed, which costs weight times the square of what it misses."""
        if not isinstance(relation, Relation) or relation.sign != ">=":
            raise ControlError(f"limit {name!r}: it takes an inequality, such as knee.torque <= 200.0, got {relation!r:.60}")
        weight = _weight(weight, f"limit {name!r}")
        entry = Entry(name, (relation.expression,), ">=", weight=weight)
        if weight is not None:
            missed = Expression.of(Atom(tables.EXTERNAL, entry.size, f"what {name} misses", hold=entry, algo=self))
            entry.parts = (relation.expression + missed,)
        self._enter(self.limits, entry)

    def minimise(self, *costs: Any) -> None:
        """The cost that completes a motion which equations leave undetermined, in place of the one before."""
        for cost in costs:
            if not isinstance(cost, Cost):
                raise ControlError(f"minimise takes sums of squares, such as 2.0 * body.acceleration**2, got {cost!r:.60}")
        parts = [part for cost in costs for part in cost.parts]
        self._check_own("minimise", *(part for _, part in parts))
        self._costs = tuple(Entry("cost", (part,), "==", 0, weight) for weight, part in parts if weight > 0.0)
        self._dirty = True

    def stand(
        self,
        name: str,
        point: Point,
        damping: float,
        weight: float | None = None,
        *,
        orientation: Any = None,
        settle: float = 0.15,
        moment: bool | None = None,
    ) -> Hold:
        """Stand on a point of a foot: the foot comes to rest at the rate `damping` (1/s), by a force and a moment.

        With `orientation` it turns on that point until it has this orientation, within `settle` seconds. Unlike `hold` it takes
        nothing for granted: the state stays as it is, and the force is an unknown that limits may bound. A foot that touches the
        ground in one point has no moment, and turns freely; `moment` says so for other feet.
        """
        if not isinstance(point, Point):
            raise ControlError(
                f"stand {name!r}: it takes a point of the algorithm, such as algo.point('sole_left'), got {point!r:.60}"
            )
        damping, weight = not_negative(damping, f"stand {name!r}: damping", "1/s"), _weight(weight, f"stand {name!r}")
        refuse_world(f"stand {name!r}", point)
        turn, spin = point.angular_acceleration, point.angular_velocity
        if not (flat(self.robot, point.body) if moment is None else moment):
            if orientation is not None:
                raise ControlError(
                    f"stand {name!r}: {point!r} gives no moment (a foot that touches in one point), so it cannot reach an "
                    f"orientation, got {orientation!r:.60}; leave it out"
                )
            rest = (point.acceleration + damping * point.velocity,)
            entry = self._enter(self.equations, Entry(name, rest, external=(True,), weight=weight))
            return Hold(name, self._external(entry, 0), None)
        if orientation is None:
            turns = turn + damping * spin
        else:
            if not number(settle, f"stand {name!r}: settle") > 0.0:
                raise ControlError(f"stand {name!r}: settle must be above 0 s, got {settle:g}")
            rate = 2.0 * PRINTED / settle
            turns = _settling(turn, spin, point.orientation_error(orientation), rate)
        parts = (point.acceleration + damping * point.velocity, turns)
        entry = self._enter(self.equations, Entry(name, parts, external=(True, True), weight=weight))
        return Hold(name, self._external(entry, 0), self._external(entry, 1))

    def press(self, name: str, foot: Hold, friction: float, sole: Any = None, least: float = 0.0, axes: Any = None) -> None:
        """Limits of the ground's force on a foot: it presses with `least` (N) or more, within friction, and acts inside the sole.

        `sole` is half its length, in space with half its breadth (m), about the point that stands; two such pairs tell where the
        force may act from where the corners are. `axes` is the rotation of a sole that is turned in the world. The friction
        pyramid is inside the cone, and the moment about the vertical what friction at the corners can give. A foot
        without a moment has no sole.
        """
        self._enter(self.limits, Entry(name, pressing(name, foot, friction, sole, least, axes), ">="))

    def hold(self, name: str, *things: Any, orientation: Any = None, angle: float | None = None, settle: float = 0.0) -> Hold:
        """Hold bodies, points and joints where they are, whatever force it takes: a magnetic shoe.

        A point keeps its place and a body its orientation too; of a foot that touches the ground in one point, hold that point.
        With `orientation` points hold their body's orientation as well: "present", or one that it reaches within `settle`
        seconds. Joints keep their angle, or go to `angle` likewise.
        """
        parts: list[tuple[Expression, Expression | None, bool]] = []
        _name(name)
        settle = not_negative(settle, f"hold {name!r}: settle", "s")
        if isinstance(orientation, str) and orientation != "present":
            raise ControlError(f"hold {name!r}: orientation must be 'present', or the one to be reached, got {orientation!r:.40}")
        rate = 2.0 * PRINTED / settle if settle > 0.0 else 0.0
        for thing in things:
            if isinstance(thing, JointHandle):
                here = self.value(thing.angle)
                gap = thing.angle - (here if angle is None else angle)
                parts.append((_settling(thing.acceleration, thing.velocity, gap, rate), None if rate else gap, False))
            elif isinstance(thing, Point):
                refuse_world(f"hold {name!r}", thing)
                parts.append((thing.acceleration, thing.position - self.value(thing.position), True))
                turn = "present" if orientation is None and isinstance(thing, Body) else orientation
                if turn is not None:
                    still = isinstance(turn, str)
                    gap = thing.orientation_error(self.orientation(thing) if still else turn)
                    own = 0.0 if still else rate
                    parts.append(
                        (_settling(thing.angular_acceleration, thing.angular_velocity, gap, own), None if own else gap, True)
                    )
            else:
                raise ControlError(f"hold {name!r}: it takes points, bodies and joints of the algorithm, got {thing!r:.60}")
        if angle is not None and not any(isinstance(thing, JointHandle) for thing in things):
            raise ControlError(f"hold {name!r}: an angle is for joints, got {angle!r:.40} for {things!r:.60}")
        if not parts:
            raise ControlError(f"hold {name!r}: say what: algo.body(...), algo.point(...), algo.joint(...)")
        self._placed.discard(name)
        if angle is not None or not (orientation is None or isinstance(orientation, str)):
            self._placed.add(name)
        expressions, gaps, external = zip(*parts, strict=True)
        entry = self._enter(self.equations, Entry(name, expressions, external=external, gaps=gaps))
        forces = [self._external(entry, k) for k in range(len(parts)) if external[k]]
        return Hold(name, forces[0] if forces else None, forces[1] if len(forces) > 1 else None)

    def _external(self, entry: Entry, part: int) -> Expression:
        rows, kinds = entry.parts[part].rows, {atom.kind for atom, _ in entry.parts[part].terms}
        what, unit = ("moment", "N m") if tables.A_SPIN in kinds else ("force", "N")
        return Expression.of(
            Atom(tables.EXTERNAL, rows, f"{what} on {entry.name}", unit, dof=part, hold=entry, algo=self), rows == 1
        )

    def orientation(self, thing: Point) -> Any:
        """The rotation of a body or frame now: a matrix, or an angle in the plane."""
        if not isinstance(thing, Point):
            raise ControlError(f"orientation: it takes a body or frame, such as algo.body('torso'), got {thing!r:.60}")
        error = self.value(thing.orientation_error(0.0 if thing.algo.robot.dim == 2 else (0.0, 0.0, 0.0)))
        return error if self.robot.dim == 2 else _exponential(error)

    def remove(self, *names: str) -> None:
        """Take equations and limits out of force: all of them, or none if one is not there."""
        for name in names:
            if _name(name) not in self.equations and name not in self.limits:
                raise UnknownNameError("equation or limit in force", name, [*self.equations, *self.limits])
        for name in names:
            self.equations.pop(name, None)
            self.limits.pop(name, None)
        self._dirty = True

    def _enter(self, table: dict[str, Entry], entry: Entry) -> Entry:
        other = self.limits if table is self.equations else self.equations
        if _name(entry.name) in other:
            raise ControlError(f"{entry.name!r} is the name of {'a limit' if other is self.limits else 'an equation'} already")
        if entry.name in self.loops:
            raise ControlError(f"{entry.name!r} is the name of a loop of robot {self.robot.name!r}; give another name")
        if not any(not part.known for part in entry.parts):
            raise ControlError(f"{entry.name}: {entry.parts[0]!r} has no unknown: no acceleration, force or torque is in it")
        self._check_own(repr(entry.name), *entry.parts, *(gap for gap in entry.gaps if gap is not None))
        table[entry.name] = entry
        self._dirty = True
        return entry

    def _check_own(self, what: str, *expressions: Expression) -> None:
        """Quantities of another algorithm are places in the tables of another robot."""
        for expression in expressions:
            for atom, _ in expression.terms:
                if atom.algo is not None and atom.algo is not self:
                    raise ControlError(
                        f"{what}: {atom.name} is a quantity of another algorithm, of robot {atom.algo.robot.name!r}; "
                        f"ask this one, of robot {self.robot.name!r}, for its bodies, points, joints, forces and centre of mass"
                    )


def _settling(a: Expression, v: Expression, gap: Expression, rate: float) -> Expression:
    """a + 2 w v + w^2 gap, with 2 w = rate; only a where rate is zero."""
    return a + rate * v + 0.25 * rate * rate * gap if rate else a


def _weight(weight: Any, what: str) -> float | None:
    """Of a wish; None of an equation."""
    if weight is None:
        return None
    value = number(weight, f"{what}: a weight")
    if not 0.0 < value <= HEAVIEST:
        raise ControlError(f"{what}: a weight must be above 0 and at most {HEAVIEST:g}, got {weight!r:.20}")
    return value


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name or len(name) > 80:
        raise ControlError(f"a name must be a word of up to 80 characters, got {name!r:.60}")
    if name == NEWTON:
        raise ControlError(f"{NEWTON!r} is the name of Newton's law where there are no motors; give another name")
    return name


def _exponential(w: np.ndarray) -> np.ndarray:
    """The matrix of a rotation vector."""
    angle = float(np.linalg.norm(w))
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    s, c = (1.0, 0.5) if angle < 1e-8 else (np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle**2)
    return np.eye(3) + s * K + c * K @ K
