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

from typing import Any, NamedTuple

import numpy as np

from footfall.control.algorithm.build import Built, Entry, asks_forces, fitting, needs
from footfall.control.algorithm.closing import loops_of
from footfall.control.algorithm.expression import Atom, Expression, number
from footfall.control.algorithm.mass import corrected
from footfall.control.algorithm.report import conflict_of, report
from footfall.control.algorithm.stating import NEWTON, Statements
from footfall.control.algorithm.watch import Watch
from footfall.control.fields import ControlError
from footfall.control.model import model_of
from footfall.core.call import KernelCall
from footfall.core.equations import tables
from footfall.core.equations.scale import NEAR
from footfall.core.equations.solve import CONFLICT
from footfall.core.equations.tick import LIMIT, LIMITS_TOO_LONG, tick
from footfall.core.joints import FREE, PLANAR
from footfall.dynamics.loops import closures
from footfall.model import state
from footfall.model.passive import springs_of, tendons_of
from footfall.model.robot import Robot

ASTRAY = 0.01  # of a coordinate: a state in which what is held is farther from its place is taken for a mistake


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


class Algorithm(Statements):
    """Named equations, costs and limits of a robot, which come and go while it runs."""

    def __init__(self, robot: Robot, gravity: float | None = None):
        super().__init__()
        self.gravity = _checked(robot).gravity if gravity is None else number(gravity, "gravity (m/s2)")
        self.torques = True  # whether joint torques are worked out where no equation needs them
        self.solved = self._measured = False  # whether ever, and as the equations are now
        self.obs: Any = None  # what the controller sees, in a run
        self.goal: Any = None  # what a layer above says, in a run
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Go on with a robot that has other numbers, but the same coordinates."""
        loops = closures(_checked(robot))
        before = getattr(self, "robot", robot)
        if _frame(before) != _frame(robot):
            raise ControlError(
                f"set_robot: the joints of robot {robot.name!r} are not those of {before.name!r}, of which this algorithm "
                "speaks; make an Algorithm of its own for it"
            )
        self.robot, self._dirty = robot, True
        self._built: Any = None
        self._tree = robot.tree._replace(rigid=robot.tree.rigid.copy())
        self._rooms: dict[int, Built] = {}  # by the number of forces that hold
        self._still, self._weighed = model_of(robot, 0.0), model_of(robot, self.gravity)
        motors = set(robot.actuated.tolist())
        without = np.array([d for d in range(robot.nv) if d not in motors], np.int64)
        self.passive = tables.PassiveJoints(*springs_of(robot), tendons_of(robot), loops.rows, without, np.zeros(robot.nv))
        self.loops = loops_of(robot, loops)
        self.out = tables.answer(robot.nq, robot.nv, len(robot.tree.parent), 3 if robot.dim == 2 else 6)
        self.out.q[:] = robot.neutral()
        self._tick = KernelCall(tick, robot.space)
        self.mass = self._mass_of_model = sum(body.mass for body in self.bodies)  # kg: of all that can move
        self._called: Any = None  # the arrays that the compiled tick was called with
        self._watch = Watch(self)

    @property
    def models(self) -> tuple[Any, ...]:
        """The robot, without and with its weight, as kernels take it."""
        return self._tree, self._still.work, self._weighed.work

    def correct_mass(self, more: float, offset: Any) -> None:
        """Count on a robot that has so much more mass (kg), and whose centre of mass is off by `offset` (m), in the axes of the
        first link.

        Whatever the reason, it is put down to that link: its mass grows, and its centre of mass is shifted by offset times mass
        of the robot over its own. Its inertia about its own centre of mass stays. `mass` and `com` of the algorithm are then
        those of the corrected robot; `mass` of its links is what the model says.
        """
        self._tree.rigid[1] = corrected(self.robot, more, offset)
        self.mass = self._mass_of_model + float(more)
        self._watch.forget_values()

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
        hard = [*self.loops.values(), *(entry for entry in self.equations.values() if entry.weight is None)]
        limits = list(self.limits.values())
        costs = [*wishes, *self._costs, *(entry.cost_of_missing() for entry in limits if entry.soft)]
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
            if (self.limits if atom.hold.sign == ">=" else self.equations).get(atom.hold.name) is not atom.hold:
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
            cures = ["remove one"]
            if any(name in self.equations for name in found):
                cures.append("give an equation a lower `priority` (a higher number)")
            if status == CONFLICT:
                told = f"equations contradict each other at {self.time:.4f} s: {listed}"
            else:
                names = [entry.name for entry in limits if entry.name in found]
                told = f"limit{'s' * (len(names) > 1)} {' and '.join(names)} cannot be kept"
                told += " with the equations in force" * (len(found) > len(names)) + f" at {self.time:.4f} s: {listed}"
                cures.append("give a limit a `weight`")
            raise ConflictError(f"{told}; {', or '.join(cures)}", found)
        if not (np.isfinite(self.out.q).all() and np.isfinite(self.out.v).all()):
            raise ControlError(f"the state is not finite at {self.time:.4f} s, so the equations cannot be solved")
        if status == LIMITS_TOO_LONG:
            raise ControlError(f"the limits in force were not settled at {self.time:.4f} s: {', '.join(self.limits)}")
        raise ControlError(f"the equations have no finite solution at {self.time:.4f} s")

    # --- what came out ----------------------------------------------------------------------------------------------------

    @property
    def residuals(self) -> dict[str, float]:
        """The largest by which each equation, and each limit with a weight, was missed in the last tick, in its own unit."""
        if self._built is None or not self._measured:
            return {}
        miss, unknown = np.abs(self._built.rows.residual), self._built.room.x[self.robot.nv :]
        found = {e.name: float(miss[e.row : e.row + e.size].max()) for e in self.equations.values() if e.row >= 0}
        soft = [entry for entry in self.limits.values() if entry.soft]
        return found | {e.name: max(0.0, float(unknown[e.force[0] : e.force[0] + e.size].max())) for e in soft}

    @property
    def residual(self) -> float:
        """The largest by which an equation of the first priority was missed in the last tick."""
        return float(self._built.room.answer[3]) if self._built is not None and self._measured else 0.0

    @property
    def freedom(self) -> dict[str, int]:
        """Degrees of freedom: of the robot, held, used by equations, left to the cost, and determined by nothing.

        An equation uses none where others say the same already, or where it yields. Before equations are solved all count.
        """
        if self._dirty:
            self._build()
        holding = [e for e in self._hard if e.external]
        held, law = sum(e.size for e in holding), sum(e.size for e in self._hard if e.name == NEWTON)
        rank, loose = sum(e.size for e in self._hard), 0
        n = self.robot.nv + (int(self._built.rows.size[tables.HELD]) if self._forces else 0)
        if self._measured:
            rank, loose = (int(x) for x in self._built.room.answer[:2])
            if held:
                rows = np.concatenate([np.arange(e.row, e.row + e.size) for e in holding])
                held = int(np.linalg.matrix_rank(self._built.rows.A[rows, :n] / self._built.room.scale[rows, None], tol=NEAR))
        return {"all": self.robot.nv, "held": held, "used": rank - held - law, "left": n - rank, "undetermined": loose}

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


def _root(tree: Any, body: int) -> int:
    """The body next to the world that carries a body."""
    while tree.parent[body] > 0:
        body = int(tree.parent[body])
    return body
