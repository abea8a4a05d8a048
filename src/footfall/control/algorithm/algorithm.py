"""The language of named equations: say what matters, let the rest follow.

Stewart and Cremer, "Algorithmic control of walking" (1989)::

    algo = Algorithm(robot)
    a_cm = algo.define("a_cm", sum(body.mass * body.acceleration for body in algo.bodies) / robot.mass)
    algo.hold("FOOT", algo.body("foot_left"))                          a magnetic shoe
    algo.equate("KNEE", knee.acceleration + 20.0 * knee.velocity + 100.0 * (knee.angle - 0.2) == 0.0)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    algo.assign("a_cm", (0.1, 0.0, 0.0));   algo.solve(q, v).acceleration;   algo.remove("KNEE");   print(algo)

Unknowns are the accelerations of all degrees of freedom and, where forces are asked for or nothing holds the robot, the forces
of what is held. Joint torques follow from them; they are those of motors, besides springs, dampers and tendons of the robot.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from footfall.control.algorithm.build import Built, Entry, asks_forces, fitting, needs
from footfall.control.algorithm.expression import Atom, Cost, Expression, Relation, not_negative, number
from footfall.control.algorithm.handles import Body, Divergent, JointHandle, Point, Whole, polynomial
from footfall.control.algorithm.mass import corrected
from footfall.control.algorithm.pressing import Hold, pressing
from footfall.control.algorithm.report import conflict_of, report
from footfall.control.algorithm.watch import Watch
from footfall.control.fields import ControlError
from footfall.control.model import model_of
from footfall.core.call import KernelCall
from footfall.core.equations import tables
from footfall.core.equations.solve import CONFLICT
from footfall.core.equations.tick import LIMIT, LIMITS_TOO_LONG, tick
from footfall.core.joints import FREE, PLANAR
from footfall.dynamics.loops import refuse_loops
from footfall.errors import UnknownNameError
from footfall.model import state
from footfall.model.passive import springs_of, tendons_of
from footfall.model.robot import Robot

ASTRAY = 0.01  # of a coordinate: a state in which what is held is farther from its place is taken for a mistake
NEWTON = "NEWTON"  # the name of what holds without being asked for
HEAVIEST = 1e100  # weight: squares of more are no numbers
PRINTED = np.log(100.0)  # a double pole at ln(100) / settle, as figure 2 has it


class ConflictError(ControlError):
    """Equations, or limits and equations, that contradict each other.

    `conflict` has their names, each with what it alone would have to give way, in its own unit.
    """

    def __init__(self, text: str, conflict: dict[str, float]):
        super().__init__(text)
        self.conflict = conflict


class Solution(NamedTuple):
    """What an algorithm makes of a state."""

    acceleration: np.ndarray  # (nv,)
    torque: np.ndarray  # (nv,)
    residual: dict[str, float]  # the largest by which each equation is missed
    q: np.ndarray  # the state, with what is held put in its place
    v: np.ndarray


class Algorithm:
    """Named equations, costs and limits of a robot, which come and go while it runs."""

    def __init__(self, robot: Robot, gravity: float | None = None):
        self.gravity = _checked(robot).gravity if gravity is None else number(gravity, "gravity (m/s2)")
        self.time, self._dirty = 0.0, True
        self._built: Any = None
        self.defined: dict[str, Expression] = {}
        self.equations: dict[str, Entry] = {}
        self.limits: dict[str, Entry] = {}
        self._costs: tuple[Entry, ...] = ()
        self._placed: set[str] = set()  # names of what is held at a place that was told
        self.torques = True  # whether joint torques are worked out where no equation needs them
        self.solved = self._measured = False  # whether ever, and as the equations are now
        self.most_torque = np.inf  # N m: what is sent to motors is cut off here
        self.obs: Any = None  # what the controller sees, in a run
        self.goal: Any = None  # what a layer above says, in a run
        self.own = SimpleNamespace()  # for the algorithm's own variables
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Go on with a robot that has other numbers, but the same coordinates."""
        refuse_loops(_checked(robot), "Algorithm")
        before = getattr(self, "robot", robot)
        if _frame(before) != _frame(robot):
            raise ControlError(
                f"set_robot: the joints of robot {robot.name!r} are not those of {before.name!r}, of which this algorithm "
                "speaks; make an Algorithm of its own for it"
            )
        self.robot, self._built, self._dirty = robot, None, True
        self._tree = robot.tree._replace(rigid=robot.tree.rigid.copy())
        self._rooms: dict[int, Built] = {}  # by the number of forces that hold
        self._still, self._weighed = model_of(robot, 0.0), model_of(robot, self.gravity)
        motors = set(robot.actuated.tolist())
        without = np.array([d for d in range(robot.nv) if d not in motors], np.int64)
        self.passive = tables.PassiveJoints(*springs_of(robot), tendons_of(robot), without, np.zeros(robot.nv))
        self.out = tables.answer(robot.nq, robot.nv, len(robot.tree.parent), 3 if robot.dim == 2 else 6)
        self.out.q[:] = robot.neutral()
        self._tick = KernelCall(tick, robot.space)
        self.mass = sum(body.mass for body in self.bodies)  # kg: of all that can move
        self._called: Any = None  # the arrays that the compiled tick was called with
        self._watch = Watch(self)

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

    @property
    def models(self) -> tuple[Any, ...]:
        """The robot, without and with its weight, as kernels take it."""
        return self._tree, self._still.work, self._weighed.work

    def correct_mass(self, more: float, offset: Any) -> None:
        """Count on a robot that has so much more mass (kg), and whose centre of mass is off by `offset` (m), in the axes of the
        first link.

        Whatever the reason, it is put down to that link: its mass grows, and its centre of mass is shifted by offset times mass
        of the robot over its own. Its inertia about its own centre of mass stays.
        """
        self._tree.rigid[1] = corrected(self.robot, more, offset)
        self._watch.forget_values()

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
            raise ControlError(f"{name}: a value must be {entry.size} finite numbers, got {value!r:.60}")
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

    def limit(self, name: str, relation: Relation) -> None:
        """Put an inequality in force."""
        if not isinstance(relation, Relation) or relation.sign != ">=":
            raise ControlError(f"limit {name!r}: it takes an inequality, such as knee.torque <= 200.0, got {relation!r:.60}")
        self._enter(self.limits, Entry(name, (relation.expression,), ">="))

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
    ) -> Hold:
        """Stand on a point of a foot: the foot comes to rest at the rate `damping` (1/s), by a force and a moment.

        With `orientation` it turns on that point until it has this orientation, within `settle` seconds. Unlike `hold` it takes
        nothing for granted: the state stays as it is, and the force is an unknown that limits may bound.
        """
        if not isinstance(point, Point):
            raise ControlError(
                f"stand {name!r}: it takes a point of the algorithm, such as algo.point('sole_left'), got {point!r:.60}"
            )
        damping, weight = not_negative(damping, f"stand {name!r}: damping", "1/s"), _weight(weight, f"stand {name!r}")
        turn, spin = point.angular_acceleration, point.angular_velocity
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

    def press(self, name: str, foot: Hold, friction: float, sole: Any, least: float = 0.0, axes: Any = None) -> None:
        """Limits of the ground's force on a foot: it presses with `least` (N) or more, within friction, and acts inside the sole.

        `sole` is half its length, in space with half its breadth (m), about the point that stands; two such pairs tell where the
        force may act from where the corners are. `axes` is the rotation of a sole that is turned in the world. The friction
        pyramid is inside the cone, and the moment about the vertical what friction at the corners can give.
        """
        self._enter(self.limits, Entry(name, pressing(name, foot, friction, sole, least, axes), ">="))

    def hold(self, name: str, *things: Any, orientation: Any = None, angle: float | None = None, settle: float = 0.0) -> Hold:
        """Hold bodies, points and joints where they are, whatever force it takes: a magnetic shoe.

        A point keeps its place and a body its orientation too. With `orientation` points hold their body's orientation as well:
        "present", or one that it reaches within `settle` seconds. Joints keep their angle, or go to `angle` likewise.
        """
        parts: list[tuple[Expression, Expression | None, bool]] = []
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
        rows = entry.parts[part].rows
        return Expression.of(
            Atom(tables.EXTERNAL, rows, f"force on {entry.name}", "N", dof=part, hold=entry, algo=self), rows == 1
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

    # --- solving ----------------------------------------------------------------------------------------------------------

    def at(self, q: Any, v: Any = None, time: float | None = None) -> "Algorithm":
        """Be in this state from now on: what is held stays where it is then, and values are those of then."""
        q, v = state.coordinates(self.robot, q), np.zeros(self.robot.nv) if v is None else state.velocities(self.robot, v)
        self.time = self.time if time is None else number(time, "the time (s)")
        self.out.q[:], self.out.v[:] = q, v
        return self

    def solve(self, q: Any, v: Any, time: float | None = None) -> Solution:
        """The motion in a state: all equations hold, and the cost is least. What is held must be in its place, nearly."""
        self.at(q, v, time)
        if self._built is not None:
            self._built.room.at_bounds[0] = 0  # the answer depends on the state alone, to the last bit
        self.tick()
        if np.abs(self.out.shift).max(initial=0.0) > ASTRAY:
            self._refuse_astray(q, v)
        copies = (self.out.a.copy(), self.out.tau.copy(), self.residuals, self.out.q.copy(), self.out.v.copy())
        return Solution(*copies)

    def _refuse_astray(self, q: Any, v: Any) -> None:
        """Name what is held where it was elsewhere than where it is in this state."""
        moved = self.out.q.copy(), self.out.v.copy()
        self.at(q, v)
        gaps = {name: max(np.linalg.norm(self.value(gap)) for gap in held) for name, held in self._where_it_was().items()}
        self.at(*moved)
        far = max(gaps, key=lambda name: gaps[name], default="")
        if far and gaps[far] > ASTRAY:
            raise ControlError(
                f"solve: {far!r} is held {gaps[far]:.3g} (m or rad) away from where it is in this state; "
                "say algo.at(q) before hold() or stand(), so that it is held where it is"
            )

    def _where_it_was(self) -> dict[str, list[Expression]]:
        """How far from its place everything in force is that is held where it was, and not at a place of its own."""
        held = {e.name: [gap for gap in e.gaps if gap is not None] for e in self.equations.values() if e.name not in self._placed}
        return {name: each for name, each in held.items() if each}

    def tick(self) -> None:
        """Solve for the state in `out`, at `time`; what goes wrong is raised."""
        if self._dirty:
            self._build()
        built, self.out.time[0] = self._built, self.time
        if built is self._called:
            status = self._tick.again()
        else:
            self._called = built
            status = self._tick(*self.models, built.terms, built.rows, built.room, built.program, self.passive, self.out)
        self.solved = self._measured = True
        if status:
            self._complain(status)

    def _build(self) -> None:
        wishes = [entry for entry in self.equations.values() if entry.weight is not None]
        hard = [entry for entry in self.equations.values() if entry.weight is None]
        costs, limits = [*wishes, *self._costs], list(self.limits.values())
        forces = asks_forces([*hard, *costs, *limits]) or (len(self.passive.without_motor) > 0 and not self._anchored(hard))
        if forces:
            hard += self._newton()
        every = [*hard, *costs, *limits]
        self._check_held(every)
        held = needs(every)[2]
        self._built = fitting(self._rooms.get(held), self.robot, every, sum(entry.size for entry in limits))
        self._rooms[held] = self._built
        self._built.fill(hard, costs, limits, forces)
        self._built.rows.size[tables.BY_PRODUCT] = self.torques
        self._built.room.at_bounds[0] = 0
        self._hard, self._forces, self._dirty, self._measured = hard, forces, False, False

    def _check_held(self, entries: list[Entry]) -> None:
        """Forces are those of something that is held now; what is held again under its name has a new force."""
        atoms = [(entry, atom) for entry in entries for part in entry.parts for atom, _ in part.terms if atom.hold is not None]
        for entry, atom in atoms:
            if self.equations.get(atom.hold.name) is not atom.hold:
                raise ControlError(
                    f"{entry.name!r} asks for the force on {atom.hold.name!r} as it was held before, which is not in force now; "
                    f"remove {entry.name!r} as well, or write it with what hold() or stand() gave last"
                )

    def _anchored(self, hard: list[Entry]) -> bool:
        """Whether a body is held in all ways, so that any force on the base can be had, and nothing else lacks a motor."""
        tree, without = self.robot.tree, self.passive.without_motor
        floats = int(tree.kind[1]) in (FREE, PLANAR) and int(without[-1]) < int(tree.first_v[2])
        return floats and any(_root(tree, body) == 1 for entry in hard for body in entry.held_whole)

    def _newton(self) -> list[Entry]:
        """No motor at the base, nor where the robot has none: there springs, dampers and tendons act alone."""
        rows = [Atom(tables.TORQUE, 1, f"force of {self.robot.velocities[d]}", dof=int(d)) for d in self.passive.without_motor]
        return [Entry(NEWTON, (Expression.of(atom),)) for atom in rows]

    def _complain(self, status: int) -> None:
        if status in (CONFLICT, LIMIT):
            limits = list(self.limits.values())
            found = conflict_of(self._built, [*self._hard, *limits])
            listed = ", ".join(f"{name} by {size:.3g}" for name, size in found.items())
            if status == CONFLICT:
                told = f"equations contradict each other at {self.time:.4f} s: {listed}"
            else:
                names = " and ".join(entry.name for entry in limits if entry.name in found)
                told = f"limit {names} cannot be kept with the equations in force at {self.time:.4f} s: {listed}"
            raise ConflictError(f"{told}; remove one, or give one of them a lower `priority` (a higher number)", found)
        if status == LIMITS_TOO_LONG:
            raise ControlError(f"the limits in force were not settled at {self.time:.4f} s: {', '.join(self.limits)}")
        raise ControlError(f"the equations have no finite solution at {self.time:.4f} s")

    # --- what came out ----------------------------------------------------------------------------------------------------

    @property
    def residuals(self) -> dict[str, float]:
        """The largest by which each equation in force was missed when it was last solved, in its own unit."""
        if self._built is None or not self._measured:
            return {}
        miss = np.abs(self._built.rows.residual)
        return {e.name: float(miss[e.row : e.row + e.size].max()) for e in self.equations.values() if e.row >= 0}

    @property
    def residual(self) -> float:
        """The largest by which an equation of the first priority was missed in the last tick."""
        return float(self._built.room.answer[3]) if self._built is not None and self._measured else 0.0

    @property
    def freedom(self) -> dict[str, int]:
        """Degrees of freedom: of the robot, held, used by equations, left to the cost, and determined by nothing."""
        if self._dirty:
            self._build()
        held = sum(e.size for e in self._hard if e.external)
        used = sum(e.size for e in self._hard if not e.external and e.name != NEWTON)
        rank, loose = (int(x) for x in self._built.room.answer[:2]) if self._measured else (held + used, 0)
        n = self.robot.nv + (int(self._built.rows.size[tables.HELD]) if self._forces else 0)
        return {"all": self.robot.nv, "held": held, "used": used, "left": n - rank, "undetermined": loose}

    def __str__(self) -> str:
        return report(self)

    def __reduce__(self) -> Any:
        raise ControlError(
            f"an Algorithm (of {self.robot.name!r}) cannot be copied or pickled; make another and name its equations again"
        )

    def __repr__(self) -> str:
        return f"<Algorithm of {self.robot.name!r}: {', '.join(self.equations) or 'no equations'}>"


def _checked(robot: Any) -> Robot:
    if not isinstance(robot, Robot):
        raise ControlError(f"Algorithm takes a Robot, such as robots.load('person'), got {robot!r:.60}")
    return robot


def _frame(robot: Robot) -> tuple[Any, ...]:
    """What the numbers in the quantities of an algorithm refer to."""
    joints = tuple((joint.name, joint.kind) for joint in robot.layout.joints)
    return robot.space, joints, robot.tree.parent.tolist()


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


def _root(tree: Any, body: int) -> int:
    """The body next to the world that carries a body."""
    while tree.parent[body] > 0:
        body = int(tree.parent[body])
    return body


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
