"""A robot with its modes, as the arrays from which kernels compute hybrid motion. Python functions are called back."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types

from footfall.core.call import KernelCall
from footfall.core.frame import kind_of, reference_to
from footfall.core.hybrid import events, motion, steps, walk
from footfall.core.hybrid import system as kernels
from footfall.core.hybrid.dop853 import ALL_STAGES, POWERS
from footfall.core.hybrid.motion import Trajectory
from footfall.core.hybrid.walk import Job, Moves, Section, serve
from footfall.core.jit import SETTINGS, Kernel
from footfall.core.recursion.anchors import Anchors
from footfall.core.tree import work_arrays
from footfall.dynamics.constrained import Constraints
from footfall.engines.hybrid.modes import (
    AffineForm,
    Feedback,
    HasAffineForm,
    Impact,
    Mode,
    Relabel,
    Shift,
    bound,
    function_reset,
    parts_of,
)
from footfall.errors import SingularError, StateError
from footfall.evaluate import Evaluation
from footfall.kinematics import random_configuration
from footfall.model.robot import Robot
from footfall.world.pointer import Pointer, kernel_pointer, python_pointer

ASKED = types.int64(types.float64, types.int64, types.int64)
RTOL, ATOL = 5e-13, 5e-14  # of the integration, if nothing is said: a biped then keeps its energy to 1e-10 J for a minute
SLIP = 1e-8  # what a mode holds must not move faster when the mode begins, relative to the robot's largest rate (at least 1)
NUMBERS = (np.float64, np.complex128)


class Program:
    """The arrays of a robot with modes, and the Python functions that they call. One belongs to one thread."""

    def __init__(
        self,
        robot: Robot,
        modes: Sequence[Mode],
        gravity: np.ndarray,
        tolerance: tuple[float, float, float] = (RTOL, ATOL, np.inf),
        columns: int = 0,
    ):
        self.robot, self.modes, self.gravity = robot, tuple(modes), gravity
        self.number = {mode.name: i for i, mode in enumerate(self.modes)}
        self.guards = [(mode, guard) for mode in self.modes for guard in mode.guards]
        self.error: BaseException | None = None
        self._sets: list[Constraints] = []
        self._asked: dict[tuple[int, int], Any] = {}
        self._evaluations = [Evaluation(robot), _complex_evaluation(robot)]
        self.system = self._system(tolerance, columns)
        self._serve = KernelCall(serve, robot.space)
        none, few, whole = np.zeros(0), np.zeros((0, 0)), np.zeros(0, dtype=np.int64)
        self._nowhere = Section(0, none, whole, 0, 0.0, 1, none, few)
        self._nothing = Job(0, 0.0, 0, 0, 0.0, none, few, few, whole, whole, few, none)

    def serve(self, what: int, rows: Trajectory, section: Section | None = None, **given: Any) -> int:
        """Have a job done by the kernels (see `core.hybrid.walk`); what went wrong in Python meanwhile is raised again."""
        job = self._nothing._replace(what=what, **given)
        tools, moves = _parts(self.robot.space, self.system, rows, self._nowhere)
        answer = self._serve(self.system, tools, moves, rows, section or self._nowhere, job)
        error, self.error = self.error, None
        self.system.failed[0] = 0
        if error is not None:
            raise error
        return answer

    def free(self, mode: int, q: np.ndarray) -> np.ndarray:
        """Which entries of q and v are free when a mode begins at q."""
        return self._sets[self.system.modes.constraint_set[mode]].chosen(q).held.free.astype(np.int64)

    def singular(self, mode: int) -> SingularError:
        """The message about a mode with too many constraints."""
        return self._sets[self.system.modes.constraint_set[mode]].singular()

    def check_timeless(self) -> None:
        """Nothing may depend on time where steps shall repeat; torques and guards are evaluated in one state, at two times."""
        functions = {f"mode {mode.name!r}": mode.torque for mode in self.modes if mode.torque is not None}
        for _, guard in self.guards:
            functions |= {f"guard {guard.name!r}": bound(guard.function, Evaluation(self.robot), guard.name)}
        q, v = random_configuration(self.robot, 0, 0.3), np.linspace(-0.5, 0.7, self.robot.nv)
        for name, function in functions.items():
            if np.any(np.asarray(function(0.0, q, v)) != np.asarray(function(0.1234, q, v))):
                raise StateError(f"{name} depends on time; a step leads back to its beginning only if nothing does")

    # --- arrays -----------------------------------------------------------------------------------------------------------

    def _system(self, tolerance: tuple[float, float, float], columns: int) -> kernels.HybridSystem:
        robot, (rtol, atol, longest) = self.robot, tolerance
        measures = _Measures(self)
        modes, guards, resets = self._modes(), self._guards(measures), self._resets()
        holds = self._holds()
        points, rows, locks = (max(1, width) for width in (holds.body.shape[1], holds.rows.max(), holds.lock_q.shape[1]))
        algebra, count = self._evaluations[0].algebra, len(self.guards)
        real, imaginary = (self._evaluator(number, points, number == 0 or columns > 0) for number in (0, 1))
        n = robot.nq + robot.nv
        size = n * (1 + columns)
        state = kernels.State(
            **{name: np.zeros(1) for name in ("t", "h", "low", "length", "info")},
            **{name: np.zeros(1, dtype=np.int64) for name in ("mode", "fresh", "pending", "steps", "guard", "last")},
            columns=np.array([columns]),
            y=np.zeros(size),
            side=np.zeros(count),
            now=np.zeros(count),
        )
        stages = kernels.Stages(
            np.zeros((ALL_STAGES, size)), np.zeros((POWERS, n)), np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(n)
        )
        return kernels.HybridSystem(
            tree=robot.tree,
            sets=holds,
            row=np.zeros(rows, dtype=np.uint32),
            column=np.zeros(rows, dtype=np.uint32),
            free=np.zeros(robot.nv, dtype=np.uint32),
            anchors=Anchors(
                np.zeros((points, algebra.DIM)),
                np.zeros((points, algebra.ROTATION)),
                np.zeros(locks),
                np.zeros(0, dtype=np.int64),
            ),
            modes=modes,
            guards=guards,
            measures=measures.table(),
            resets=resets,
            real=real,
            imaginary=imaginary,
            state=state,
            stages=stages,
            limits=kernels.Limits(max(rtol, 100 * np.finfo(float).eps), atol, longest, SLIP),
            set_points=_pointer_to(kernels.set_points_at, robot, 0),
            python=self._pointer(),
            failed=np.zeros(1, dtype=np.int64),
        )

    def _evaluator(self, number: int, points: int, used: bool) -> kernels.Evaluator:
        robot, dtype = self.robot, NUMBERS[number]
        table = _table(robot, points, dtype)
        table.work.A_WB[0, : robot.dim] = -self.gravity
        forward, hold = (_pointer_to(kernel, robot, number, used) for kernel in (kernels.forward_at, kernels.factorise_at))
        return kernels.Evaluator(number, table, np.zeros(robot.nq, dtype), np.zeros(1, dtype), forward, hold)

    def _held(self, held: Constraints) -> int:
        """The number of a set of held things."""
        self._sets.append(held)
        return len(self._sets) - 1

    def _holds(self) -> kernels.ConstraintSets:
        sets = self._sets
        points, locks = max(1, *(len(each.pins) for each in sets)), max(1, *(len(each.locks) for each in sets))
        holds = kernels.ConstraintSets(
            points=np.array([len(each.pins) for each in sets]),
            rows=np.array([each.rows for each in sets]),
            locks=np.array([len(each.locks) for each in sets]),
            body=np.zeros((len(sets), points), dtype=np.uint32),
            at=np.zeros((len(sets), points, self.robot.dim)),
            down=np.zeros((len(sets), points, self.robot.dim)),
            width=np.zeros((len(sets), points), dtype=np.uint32),
            lock_q=np.zeros((len(sets), locks), dtype=np.int64),
            lock_v=np.zeros((len(sets), locks), dtype=np.int64),
        )
        for h, each in enumerate(sets):
            n, m = len(each.pins), len(each.locks)
            holds.body[h, :n], holds.at[h, :n], holds.width[h, :n] = each.held.body, each.held.at, each.held.width
            holds.down[h, :n] = each.held.down
            holds.lock_q[h, :m], holds.lock_v[h, :m] = each.lock_q, each.lock_v
        return holds

    def _modes(self) -> kernels.Modes:
        robot, count = self.robot, len(self.modes)
        table = kernels.Modes(
            constraint_set=np.array([self._held(Constraints(robot, mode.pinned, mode.locked)) for mode in self.modes]),
            in_python=np.zeros(count, dtype=np.int64),
            constant=np.zeros((count, robot.nv)),
            by_q=np.zeros((count, robot.nv, robot.nq)),
            by_v=np.zeros((count, robot.nv, robot.nv)),
            first=np.cumsum([0, *(len(mode.guards) for mode in self.modes)]),
        )
        for m, mode in enumerate(self.modes):
            if isinstance(mode.torque, Feedback):
                table.constant[m], table.by_q[m], table.by_v[m] = mode.torque.constant, mode.torque.by_q, mode.torque.by_v
            elif mode.torque is not None:
                table.in_python[m] = 1
                self._asked[kernels.TORQUE, m] = mode
        return table

    def _guards(self, measures: "_Measures") -> kernels.Guards:
        names = list(dict.fromkeys(guard.name for _, guard in self.guards))
        whole: Any = np.int64
        return kernels.Guards(
            measure=np.array([measures.add(g.function, f"guard {g.name!r}") for _, g in self.guards], dtype=whole),
            active=np.array(
                [-1 if g.active is None else measures.add(g.active, f"active of guard {g.name!r}") for _, g in self.guards],
                dtype=whole,
            ),
            direction=np.array([g.direction for _, g in self.guards], dtype=whole),
            to=np.array([self.number[g.to] for _, g in self.guards], dtype=whole),
            name=np.array([names.index(g.name) for _, g in self.guards], dtype=whole),
            first=np.cumsum([0, *(len(parts_of(g.reset)) for _, g in self.guards)]),
        )

    def name_number(self, guard: str) -> int:
        """Guards of one name share a number."""
        return list(dict.fromkeys(each.name for _, each in self.guards)).index(guard)

    def _resets(self) -> kernels.Resets:
        parts = [(guard, part) for _, guard in self.guards for part in parts_of(guard.reset)]
        robot, count = self.robot, len(parts)
        table = kernels.Resets(
            kind=np.full(count, kernels.OTHER),
            constraint_set=np.zeros(count, dtype=np.int64),
            twins=np.zeros((count, len(robot.tree.parent)), dtype=np.int64),
            shift=np.zeros((count, robot.nq)),
        )
        for r, (guard, part) in enumerate(parts):
            if isinstance(part, Relabel):
                part.check(robot)
                table.kind[r], table.twins[r] = kernels.RELABEL, part.twins(robot)
            elif isinstance(part, Impact):
                after = self.modes[self.number[guard.to]]
                table.kind[r], table.constraint_set[r] = kernels.IMPACT, self._held(Constraints(robot, *part.stops(after)))
            elif isinstance(part, Shift):
                table.kind[r], table.shift[r] = kernels.SHIFT, part.step(robot)
            else:
                self._asked[kernels.JUMP, r] = function_reset(part)
        return table

    # --- Python -----------------------------------------------------------------------------------------------------------

    def ask_later(self, measure: int, function: Any, what: str) -> None:
        """A guard's function or condition that has no form."""
        self._asked[kernels.MEASURE, measure] = [bound(function, ev, what) for ev in self._evaluations]

    def _pointer(self) -> Pointer:
        def asked(t: float, what: int, which: int) -> int:
            try:
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    answers[what % 3](t, what // 3, which)
            except BaseException as error:  # noqa: BLE001, it is raised again when the kernel has come back
                self.error = self.error or error
                return 1
            return 0

        answers: dict[int, Callable[[float, int, int], None]] = {
            kernels.TORQUE: self._torque,
            kernels.MEASURE: self._measure,
            kernels.JUMP: self._jump,
        }
        return python_pointer(asked, ASKED)

    def _evaluator_of(self, number: int) -> kernels.Evaluator:
        return self.system.imaginary if number else self.system.real

    def _torque(self, t: float, number: int, m: int) -> None:
        table, mode = self._evaluator_of(number).arrays, self._asked[kernels.TORQUE, m]
        table.tau[:] = torque_of(self.robot, mode, t, table.q.copy(), table.v.copy())

    def _measure(self, t: float, number: int, k: int) -> None:
        evaluator = self._evaluator_of(number)
        evaluator.value[0] = self._asked[kernels.MEASURE, k][number](t, evaluator.arrays.q.copy(), evaluator.arrays.v.copy())

    def _jump(self, t: float, number: int, r: int) -> None:
        table = self._evaluator_of(number).arrays
        jump = self._asked[kernels.JUMP, r](t, table.q.copy(), table.v.copy())
        table.q[:], table.v[:] = jump.q, jump.v


def torque_of(robot: Robot, mode: Mode, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The joint forces of a mode, checked."""
    if mode.torque is None:
        return np.zeros(robot.nv)
    tau, names = np.asarray(mode.torque(t, q, v), dtype=v.dtype), robot.velocities
    if tau.shape != v.shape:
        needs = f"must give {len(names)} joint forces ({' '.join(names)})"
        raise StateError(f"torque of mode {mode.name!r} {needs}, got shape {tau.shape} at t = {t:.6g} s")
    if not np.isfinite(tau).all():
        bad = int(np.argmin(np.isfinite(tau)))
        raise StateError(f"torque of mode {mode.name!r} is {tau[bad]} for {names[bad]!r} at t = {t:.6g} s")
    return tau


class _Measures:
    """Functions of guards and their conditions, collected row by row."""

    def __init__(self, program: Program):
        self.program = program
        self.forms: list[AffineForm | None] = []

    def add(self, function: Any, what: str) -> int:
        robot = self.program.robot
        form = function.form(robot) if isinstance(function, HasAffineForm) else None
        if form is None:
            self.program.ask_later(len(self.forms), function, what)
        else:
            form.bind(Evaluation(robot))  # says what is wrong with its names
        self.forms.append(form)
        return len(self.forms) - 1

    def table(self) -> kernels.Measures:
        robot, count = self.program.robot, len(self.forms)
        table = kernels.Measures(
            in_python=np.array([form is None for form in self.forms], dtype=np.int64),
            constant=np.zeros(count),
            by_time=np.zeros(count),
            by_q=np.zeros((count, robot.nq)),
            body=np.zeros((count, 2), dtype=np.int64),
            at=np.zeros((count, 2, robot.dim)),
            weight=np.zeros((count, 2, robot.dim)),
        )
        for k, form in enumerate(self.forms):
            if form is None:
                continue
            table.constant[k], table.by_time[k] = form.constant, form.by_time
            for name, factor in form.by_q.items():
                table.by_q[k, robot.coordinates.index(name)] = factor
            for j, (point, weight) in enumerate(form.points):
                held = Constraints(robot, (point,)).held
                table.body[k, j], table.at[k, j], table.weight[k, j] = held.body[0], held.at[0], weight
                table.constant[k] += weight @ held.down[0]
        return table


def _seen(value: Any) -> Any:
    """The compiler's word for what an argument is; without it there is nothing to tell."""
    return types.none if SETTINGS.DISABLE_JIT else reference_to(value)


_pointers: dict[tuple[Kernel, str, int, bool], Pointer] = {}


def _pointer_to(kernel: Kernel, robot: Robot, number: int, used: bool = True) -> Pointer:
    """A kernel of (tree, held, table) for real or complex numbers, for all robots of a space; not compiled if it is not used."""
    key = kernel, robot.space, number, used
    if key not in _pointers:
        held = types.none if SETTINGS.DISABLE_JIT else kind_of(Constraints(robot).held)  # made on the way, so it is no reference
        signature = types.void(_seen(robot.tree), held, _seen(_table(robot, 1, NUMBERS[number])))
        _pointers[key] = kernel_pointer(kernel, robot.space, signature) if used else Pointer(1, signature, None)
    return _pointers[key]


_made: dict[str, tuple[kernels.Tools, Moves]] = {}


def _parts(space: str, system: kernels.HybridSystem, rows: Trajectory, section: Section) -> tuple[kernels.Tools, Moves]:
    """The parts of hybrid motion, compiled for a space."""
    if space not in _made:
        whole, real, status = types.int64, types.float64, types.int64
        table, y = _seen(system), _seen(system.state.y)
        tools = kernels.Tools(
            kernel_pointer(steps.set_stages, space, types.void(table, real, real, whole, whole)),
            kernel_pointer(steps.project, space, types.void(table, y)),
        )
        first = table, _seen(tools)
        moves = Moves(
            kernel_pointer(events.enter, space, status(*first)),
            kernel_pointer(motion.advance, space, status(*first, _seen(rows), real)),
            kernel_pointer(events.jump, space, status(*first)),
            kernel_pointer(walk.stand, space, status(table, _seen(section), y)),
        )
        _made[space] = tools, moves
    return _made[space]


def _table(robot: Robot, points: int, dtype: Any) -> kernels.Arrays:
    ev, nq, nv = Evaluation(robot), robot.nq, robot.nv
    motion = ev.algebra.MOTION
    sizes = {"squares": (6, nv, nv), "vectors": (8, nv), "motion": (points, nv, motion), "rate": (1, motion)}
    sizes |= {"q": (nq,), **dict.fromkeys(("v", "tau", "a", "f"), (nv,))}
    work = work_arrays(robot.tree, ev.algebra, dtype)
    return kernels.Arrays(work=work, **{name: np.zeros(size, dtype) for name, size in sizes.items()})


def _complex_evaluation(robot: Robot) -> Evaluation:
    ev = Evaluation(robot)
    ev.dtype, ev.work = np.complex128, work_arrays(robot.tree, ev.algebra, np.complex128)
    return ev


def no_trajectory(size: int) -> Trajectory:
    """Nothing is recorded."""
    return new_trajectory(0, size)


def new_trajectory(count: int, size: int, record_dt: float = 0.0) -> Trajectory:
    whole: Any = np.int64
    return Trajectory(np.zeros(count), np.zeros((count, size)), np.zeros(1, dtype=whole), record_dt, np.zeros(1, dtype=whole))
