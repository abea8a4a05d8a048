"""Inverse kinematics by damped least squares (Levenberg-Marquardt), with joint limits and with feet that stay where they are.

The posture minimises the sum of squares of the errors of all tasks, each row times its weight. Held feet are constraints: a
step lies in the null space of their Jacobian, and they are put back exactly after it (Newton). A joint that a step would press
against its limit takes no part in that step (an active set). Damping falls tenfold when a step has helped and grows tenfold
when it has not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from footfall.core.joints import PRISMATIC, REVOLUTE
from footfall.core.recursion.kinematics import set_places
from footfall.errors import StateError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.kinematics.coordinates import difference, integrate, within_stops
from footfall.kinematics.poses import Pose, placed_jacobian, placed_pose, pose_difference, rotation_matrix
from footfall.model import state
from footfall.model.layout import Target
from footfall.model.parts import Point
from footfall.model.robot import Robot

CLOSE = 1e-10  # m, rad: a step this small is the last
BEND = 0.3  # rad: a joint that starts at a limit is moved away by this, as a straight leg does not know which way to bend
LONGEST = 0.3  # m, rad: no step is longer
STEPS = 200  # from one start
AGREE = 2  # starts that end as near as the best one: nothing nearer is expected
FARTHEST = 1e9  # m, rad: of places and coordinates, whose squares must be numbers
SPREAD = 0.7  # m, rad: of starts drawn at random
WIDEST = 2.5  # m, rad: of those that look for other solutions
APART = 1e-4  # m, rad: postures farther apart than this are different


@dataclass(frozen=True)
class Task:
    """Where a link, a frame or a point `at` on it should be: a position, an orientation, or both, in world axes.

    An entry None of `position` leaves that direction free. `rotation` is a matrix as `Pose.rotation`, an angle in the plane, or
    (roll, pitch, yaw) in space. `weight` counts against other tasks; `lever` (m) says how many metres a radian counts as.
    """

    target: str
    position: Any = None
    rotation: Any = None
    at: Any = None
    weight: float = 1.0
    lever: float = 0.3


@dataclass(frozen=True)
class Posture:
    """Result of `inverse`: the posture `q` that is nearest to all tasks, and the remaining errors.

    `residual` has a row for each task, (m, then rad) from where the target is to where it should be, in world axes, 0 where the
    task leaves it free. `limits` names the cause if a task is not reached.
    """

    q: np.ndarray
    residual: tuple[np.ndarray, ...]
    reached: bool
    limits: tuple[str, ...]
    iterations: int
    tasks: tuple[Task, ...]

    @property
    def distance(self) -> tuple[float, ...]:
        """How far the target of each task is from its position, in m."""
        dim = 2 if len(self.residual[0]) == 3 else 3
        return tuple(float(np.linalg.norm(row[:dim])) for row in self.residual)

    def __str__(self) -> str:
        if self.reached:
            return f"reached in {self.iterations} iterations"
        dim, lines = 2 if len(self.residual[0]) == 3 else 3, []
        for task, row in zip(self.tasks, self.residual, strict=True):
            parts = [] if task.position is None else [f"{_shown(row[:dim])} m"]
            parts += [] if task.rotation is None else [f"{_shown(row[dim:])} rad"]
            lines.append(f"{task.target} is {' and '.join(parts)} from its goal")
        return f"{'; '.join(lines)}; in the way: {', '.join(self.limits)}"


def inverse(
    robot: Robot, q: Any, tasks: Task | Sequence[Task], hold: str | Iterable[str] = (), tries: int = 8, tolerance: float = 1e-9
) -> Posture:
    """The posture near q that brings every task nearest to its goal, within the limits of the joints.

    `hold` names links, frames or feet that stay exactly where they are in q ("feet" for all feet; a foot that is one point may
    turn). The search starts from q and from q with joints moved away from their limits, and the better result counts; while no
    result is within `tolerance` (m, rad), up to `tries` starts in all follow, drawn around q, always the same ones, until two
    of them have led to the same distance as the best.
    """
    q, wanted, search = _asked(robot, q, tasks, hold, tries, tolerance)
    starts = (q, search.bent(q))[:tries]
    found = min((search.down_from(start) for start in starts), key=search.rank)
    rng, agree = np.random.default_rng(0), 0
    for _ in range(tries - len(starts)):
        if search.largest(found) <= tolerance or agree == AGREE:
            break
        start = within_stops(robot, integrate(robot, q, rng.normal(0.0, SPREAD, robot.nv)))
        other = search.down_from(start)
        agree += abs(np.sqrt(search.cost(other)) - np.sqrt(search.cost(found))) < tolerance
        found = min((found, other), key=search.rank)
    reached = search.largest(found) <= tolerance
    return Posture(found, search.residuals(found), reached, () if reached else search.in_the_way(found), search.count, wanted)


def solutions(
    robot: Robot, q: Any, tasks: Task | Sequence[Task], hold: str | Iterable[str] = (), tries: int = 32, tolerance: float = 1e-9
) -> tuple[Posture, ...]:
    """The different postures that reach all tasks, found from `tries` starts around q, always the same ones; the nearest first.

    A search may miss some. Where a robot has more freedoms than the tasks need, these are samples of a continuum. None is an
    empty tuple: then `inverse` says how far the goal is missed. For a leg, `leg(...).solutions` has them all, in closed form.
    """
    q, wanted, search = _asked(robot, q, tasks, hold, tries, tolerance)
    rng = np.random.default_rng(0)
    found: list[np.ndarray] = []
    for number in range(tries):
        wide = min(WIDEST, SPREAD * (1 + number // 4))
        start = q if number == 0 else within_stops(robot, integrate(robot, q, rng.normal(0.0, wide, robot.nv)))
        other = search.tidied(search.down_from(start), q)
        if search.largest(other) <= tolerance and all(_apart(robot, other, known) > APART for known in found):
            found.append(other)
    found.sort(key=lambda each: _apart(robot, q, each))
    return tuple(Posture(each, search.residuals(each), True, (), search.count, wanted) for each in found)


def _apart(robot: Robot, one: np.ndarray, two: np.ndarray) -> float:
    """The largest difference of two configurations; whole turns of a hinge do not count."""
    step = difference(robot, one, two)
    turning = robot.tree.turns.astype(bool)
    step[turning] -= 2.0 * np.pi * np.round(step[turning] / (2.0 * np.pi))
    return float(np.abs(step).max())


def _asked(
    robot: Robot, q: Any, tasks: Any, hold: str | Iterable[str], tries: int, tolerance: float
) -> tuple[np.ndarray, tuple[Task, ...], "_Search"]:
    """A question, checked, and the search that answers it."""
    q = state.coordinates(robot, q)
    if np.abs(q).max(initial=0.0) > FARTHEST:
        raise StateError(f"q of robot {robot.name!r} must be within {FARTHEST:g} for inverse kinematics, got {np.abs(q).max():g}")
    wanted = (tasks,) if isinstance(tasks, Task) else _listed(tasks, "tasks", "a Task, or several")
    if not wanted:
        raise StateError(f"inverse kinematics of robot {robot.name!r} needs at least one task")
    if not isinstance(tries, int) or tries < 1:
        raise StateError(f"tries of inverse kinematics must be a whole number from 1 on, got {tries!r:.60}")
    _positive(tolerance, "tolerance of inverse kinematics")
    goals = tuple(_goal(robot, task) for task in wanted)
    return q, wanted, _Search(robot, goals, _held(robot, q, hold))


@dataclass(frozen=True, eq=False)
class _Goal:
    """A task as the search reads it: `rows` of the six (in the plane three) numbers count, each with its weight."""

    where: Target
    at: np.ndarray | None
    pose: Pose
    rows: Any
    weights: np.ndarray
    turns: bool  # whether the orientation counts

    def left(self, ev: Evaluation) -> np.ndarray:
        here, dim = placed_pose(ev, self.where, self.at), ev.robot.dim
        if self.turns:
            return pose_difference(here, self.pose)
        return np.concatenate((self.pose.position - here.position, np.zeros(1 if dim == 2 else 3)))

    def error(self, ev: Evaluation) -> np.ndarray:
        return self.weights * self.left(ev)[self.rows]

    def jacobian(self, ev: Evaluation) -> np.ndarray:
        return self.weights[:, None] * placed_jacobian(ev, self.where, self.at)[self.rows]


class _Search:
    """Levenberg-Marquardt among the postures that keep the held feet in place."""

    def __init__(self, robot: Robot, goals: tuple[_Goal, ...], held: tuple[_Goal, ...]):
        self.robot, self.goals, self.held = robot, goals, held
        self.ev, self.count = Evaluation(robot), 0
        self.low, self.high = _limits(robot)

    def at(self, q: np.ndarray) -> Evaluation:
        self.ev.run(set_places, q)
        return self.ev

    def error(self, q: np.ndarray) -> np.ndarray:
        ev = self.at(q)
        return np.concatenate([goal.error(ev) for goal in self.goals])

    def slipped(self, q: np.ndarray) -> np.ndarray:
        ev = self.at(q)
        return np.concatenate([goal.error(ev) for goal in self.held]) if self.held else np.zeros(1)

    def cost(self, q: np.ndarray) -> float:
        return float(np.sum(self.error(q) ** 2))

    def rank(self, q: np.ndarray) -> tuple[bool, float]:
        """Held feet come first, then the tasks."""
        return bool(np.abs(self.slipped(q)).max() > CLOSE), self.cost(q)

    def residuals(self, q: np.ndarray) -> tuple[np.ndarray, ...]:
        ev, found = self.at(q), []
        for goal in self.goals:
            left = goal.left(ev)
            row = np.zeros(len(left))
            row[goal.rows] = left[goal.rows]
            found.append(row)
        return tuple(found)

    def largest(self, q: np.ndarray) -> float:
        slipped = np.abs(self.slipped(q)).max()
        return max(slipped if slipped > CLOSE else 0.0, *(float(np.abs(row).max()) for row in self.residuals(q)))

    def bent(self, q: np.ndarray) -> np.ndarray:
        """q with the joints that are near a limit moved away from it."""
        room = np.where(np.isfinite(self.high - self.low), self.high - self.low, 2.0 * BEND)
        return np.clip(q, self.low + np.minimum(BEND, room / 2), self.high - np.minimum(BEND, room / 2))

    def settled(self, q: np.ndarray) -> np.ndarray:
        """Put held feet back exactly."""
        for _ in range(20 if self.held else 0):
            e = self.slipped(q)
            if np.abs(e).max() < 1e-13:
                break
            back = np.linalg.pinv(self.held_jacobian(), rcond=1e-9) @ e
            q = np.clip(integrate(self.robot, q, back), self.low, self.high)
        return q

    def held_jacobian(self) -> np.ndarray:
        """Jacobian of the held feet, at the posture at which the bodies are placed."""
        return np.vstack([goal.jacobian(self.ev) for goal in self.held])

    def down_from(self, q: np.ndarray) -> np.ndarray:
        q = self.settled(np.clip(q, self.low, self.high))
        damping, cost = 1e-4, self.cost(q)
        for _ in range(STEPS):
            self.count += 1
            step, _ = self.step(q, damping)
            trial = self.settled(np.clip(integrate(self.robot, q, step), self.low, self.high))
            reached = self.cost(trial)
            if reached < cost and np.abs(self.slipped(trial)).max() < CLOSE:
                q, cost, damping = trial, reached, max(0.1 * damping, 1e-14)
                if np.abs(step).max() < CLOSE:
                    break
            else:
                damping = 10.0 * damping
                if damping > 1e4 or np.abs(step).max() < CLOSE:
                    break
        return q

    def tidied(self, q: np.ndarray, like: np.ndarray) -> np.ndarray:
        """The same posture with joints that do not matter, and whole turns of hinges, as in another."""
        tree, ev, trial = self.robot.tree, self.at(q), q.copy()
        J = np.vstack([goal.jacobian(ev) for goal in (*self.goals, *self.held)])
        for i in range(1, len(tree.parent)):
            own, columns = slice(tree.first_q[i], tree.first_q[i + 1]), J[:, tree.first_v[i] : tree.first_v[i + 1]]
            if np.abs(columns).max(initial=0.0) < CLOSE:
                trial[own] = like[own]
            elif tree.kind[i] == REVOLUTE:
                near = q[own] + 2.0 * np.pi * np.round((like[own] - q[own]) / (2.0 * np.pi))
                trial[own] = near if self.low[own] <= near <= self.high[own] else q[own]
        return trial if self.cost(trial) <= self.cost(q) + CLOSE**2 else q

    def step(self, q: np.ndarray, damping: float) -> tuple[np.ndarray, np.ndarray]:
        """A step toward the goals in the null space of the held feet, and the degrees of freedom that took part."""
        ev = self.at(q)
        e = np.concatenate([goal.error(ev) for goal in self.goals])
        J = np.vstack([goal.jacobian(ev) for goal in self.goals])
        F = self.held_jacobian() if self.held else np.zeros((0, self.robot.nv))
        free = np.arange(self.robot.nv)
        for _ in range(3):  # joints that would be pressed against their limits do not take part
            N = _null_space(F[:, free])
            B = J[:, free] @ N
            along = np.linalg.solve(B.T @ B + damping * np.eye(B.shape[1]), B.T @ e)
            step = np.zeros(self.robot.nv)
            step[free] = N @ along
            step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-30))
            kept = self.unpressed(q, step)
            if set(free) <= set(kept):
                break
            free = np.intersect1d(free, kept)
        return step, free

    def unpressed(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Degrees of freedom that the step does not press against a limit."""
        tree, free = self.robot.tree, np.ones(self.robot.nv, dtype=bool)
        for i in range(1, len(tree.parent)):
            j, d = tree.first_q[i], tree.first_v[i]
            free[d] = not ((q[j] <= self.low[j] and step[d] < 0.0) or (q[j] >= self.high[j] and step[d] > 0.0))
        return np.flatnonzero(free)

    def in_the_way(self, q: np.ndarray) -> tuple[str, ...]:
        """The limits that the tasks press joints against; without any, the robot's own reach."""
        _, free = self.step(q, 1e-6)
        tree, names = self.robot.tree, ["what is held cannot stay where it is"] if self.rank(q)[0] else []
        for i, joint in enumerate(self.robot.layout.joints, start=1):
            if tree.first_v[i] not in free and tree.first_v[i + 1] > tree.first_v[i]:
                j = tree.first_q[i]
                side = "lower" if q[j] <= self.low[j] else "upper"
                names.append(f"{side} limit of {joint.name} ({self.low[j] if side == 'lower' else self.high[j]:g})")
        return tuple(names) or ("the reach of the robot",)


def _shown(row: np.ndarray) -> str:
    """The length of a row, to the sixth decimal."""
    return f"{round(float(np.linalg.norm(row)), 6):g}"


def _null_space(F: np.ndarray) -> np.ndarray:
    if not len(F):
        return np.eye(F.shape[1])
    _, sizes, Vt = np.linalg.svd(F)
    return Vt[int(np.sum(sizes > 1e-9 * sizes[0])) :].T


def _goal(robot: Robot, task: Task) -> _Goal:
    """A task, checked."""
    if not isinstance(task, Task):
        raise StateError(f"a task of inverse kinematics must be a Task, got {task!r:.80}")
    what = f"task for {task.target!r} of robot {robot.name!r}"
    where, dim = robot.target(task.target), robot.dim
    at = None if task.at is None else state.vector(task.at, dim, f"at of the {what}")
    for name in ("weight", "lever"):
        _positive(getattr(task, name), f"{name} of the {what}")
    if task.position is None and task.rotation is None:
        raise StateError(f"the {what} asks for nothing: give a position, a rotation, or both")
    if where.body == 0:
        raise StateError(f"the {what}: the world does not move")
    given = [None] * dim if task.position is None else list(np.ravel(np.array(task.position, dtype=object)))
    if len(given) != dim:
        raise StateError(f"position of the {what} must have {dim} entries, got {task.position!r:.80}")
    counts = np.array([entry is not None for entry in given] + [task.rotation is not None] * (1 if dim == 2 else 3))
    place = state.vector([0.0 if entry is None else entry for entry in given], dim, f"position of the {what}")
    for name, point in (("position", place), ("at", np.zeros(dim) if at is None else at)):
        if np.abs(point).max() > FARTHEST:
            raise StateError(f"{name} of the {what} must be within {FARTHEST:g} m, got {np.abs(point).max():g}")
    R = np.eye(dim) if task.rotation is None else rotation_matrix(task.rotation, dim, f"rotation of the {what}")
    weights = task.weight * np.concatenate((np.ones(dim), np.full(1 if dim == 2 else 3, task.lever)))
    rows: Any = slice(None) if counts.all() else np.flatnonzero(counts)
    pose = Pose(place, R, 0.0 if dim == 2 else None)
    return _Goal(where, at, pose, rows, weights[rows], task.rotation is not None)


def _listed(given: Any, what: str, valid: str) -> tuple[Any, ...]:
    try:
        return tuple(given)
    except TypeError:
        raise StateError(f"{what} of inverse kinematics must be {valid}, got {given!r:.60}") from None


def _positive(given: Any, what: str) -> None:
    number: Any = given if isinstance(given, Real) else np.nan
    if not 0.0 < number < np.inf:
        raise StateError(f"{what} must be a number above 0, got {given!r:.60}")


def _held(robot: Robot, q: np.ndarray, hold: str | Iterable[str]) -> tuple[_Goal, ...]:
    """The held links and feet, as tasks."""
    if isinstance(hold, str):
        names: tuple[Any, ...] = tuple(foot.name for foot in robot.feet) if hold == "feet" else (hold,)
        if not names:
            raise StateError(f"robot {robot.name!r} has no feet to hold")
    else:
        names = _listed(hold, "hold", '"feet", or names of links, frames and feet')
        for name in names:
            if not isinstance(name, str):
                raise StateError(f"hold of inverse kinematics must be names of links, frames and feet, got {name!r:.60}")
    ev = Evaluation(robot)
    ev.run(set_places, q)
    found = []
    for name in names:
        for link, at in _parts(robot, name):
            where = robot.target(link)
            rows: Any = slice(None) if at is None else np.arange(robot.dim)
            size = robot.dim if at is not None else 3 if robot.dim == 2 else 6
            found.append(_Goal(where, at, placed_pose(ev, where, at), rows, np.ones(size), at is None))
    return tuple(found)


def _parts(robot: Robot, name: str) -> list[tuple[str, np.ndarray | None]]:
    """The links of a foot, or the point if it has one only; otherwise the link or frame of that name."""
    for foot in robot.feet:
        if foot.name == name:
            if len(foot.pads) == 1 and isinstance(foot.pads[0], Point):
                return [(foot.pads[0].link, np.array(foot.pads[0].at, dtype=float))]
            bodies = {robot.target(pad.link).body: pad.link for pad in reversed(foot.pads)}
            return [(link, None) for link in bodies.values()]
    try:
        robot.target(name)
    except UnknownNameError:
        known = [*robot.layout.targets, *(foot.name for foot in robot.feet)]
        raise UnknownNameError(f"link, frame or foot (of robot {robot.name!r})", name, known) from None
    return [(name, None)]


def _limits(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for i, joint in enumerate(robot.layout.joints, start=1):
        if robot.tree.kind[i] in (REVOLUTE, PRISMATIC):
            low[robot.tree.first_q[i]], high[robot.tree.first_q[i]] = joint.limits
    return low, high
