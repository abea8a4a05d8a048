"""Limit cycles: fixed points of the step map (a Poincare map) by Newton's method, and their Floquet multipliers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall import dynamics, kinematics
from footfall.cycles.step_map import StepMap, Stepped
from footfall.engines.hybrid.motion import HybridError, HybridResult
from footfall.engines.hybrid.rollout import FALL
from footfall.engines.hybrid.walk import Walk, walk_of
from footfall.errors import FootfallError, StateError
from footfall.model import state
from footfall.model.pins import pin
from footfall.shown import Shown
from footfall.sim.study import Study

CLOSED = 1e-11  # a cycle leads back this near to its beginning, in rad and rad/s (or the units of the walk)
SHORTEST = 1.0 / 128  # part of a Newton step that is tried before giving up
MOST = 40  # Newton steps
FORGOTTEN = 1e-8  # what the derivative shrinks by more than this, beside its largest, a step forgets
REPEATS = 1e-7  # the step after the cycle may differ by this, and by what its multipliers make of an error
KICKS = (0.01, 0.03, 0.1, 0.2)  # along the eigenvector, beside the state's size: where cycles of several steps are looked for


class CycleError(FootfallError):
    """No limit cycle was found near the guess."""


@dataclass(frozen=True, eq=False, repr=False)
class LimitCycle(Shown):
    """A gait that repeats after so many steps. Multipliers are sorted by size; directions that a step forgets have none."""

    walk: Walk
    steps: int
    names: tuple[str, ...]  # of the free coordinates
    u: np.ndarray  # the fixed point in free coordinates
    q: np.ndarray  # the same as a state, at the beginning of a step
    v: np.ndarray
    period: float  # s, of all the steps
    length: float  # m that it moves on, all steps together
    energy_lost: float  # J in the impacts of all the steps
    derivative: np.ndarray  # of the step map, by u
    multipliers: np.ndarray
    eigenvectors: np.ndarray  # columns, in free coordinates
    residual: float  # largest difference between beginning and end
    motion: HybridResult

    @property
    def study(self) -> Study:
        return self.walk.study

    @property
    def stable(self) -> bool:
        """Whether every small disturbance dies out."""
        return bool(np.all(np.abs(self.multipliers) < 1.0))

    @property
    def step_length(self) -> float:
        """m, the mean if there are several steps."""
        return self.length / self.steps

    @property
    def speed(self) -> float:
        """m/s, along the ground."""
        return self.length / self.period

    def __repr__(self) -> str:
        kind = "stable" if self.stable else "unstable"
        return f"<limit cycle of {self.walk.name!r}: {kind}, period {self.period:.6g} s, speed {self.speed:.6g} m/s>"

    def rows(self) -> dict[str, Any]:
        """All figures by name, fit for JSON; a multiplier is its real and imaginary part."""
        figures = {name: float(getattr(self, name)) for name in ("period", "step_length", "speed", "energy_lost", "residual")}
        return {
            "study": self.walk.name,
            "steps": self.steps,
            "stable": self.stable,
            **figures,
            "fixed_point": dict(zip(self.names, self.u.tolist(), strict=True)),
            "multipliers": [[float(each.real), float(each.imag)] for each in self.multipliers],
        }


def limit_cycle(study: Study | Walk, guess: Any = None, *, steps: int = 1) -> LimitCycle:
    """The gait near `guess` that repeats after so many steps, stable or not.

    A guess is (q, v) at the beginning of a step, a cycle, or a motion of the walk that has come near: its last step counts.
    Without one the walk's own state is taken, and for several steps the cycle of one step, moved along the multiplier that
    leads away from it.
    """
    walk = walk_of(study)
    step_map = StepMap(walk, steps)
    if guess is not None or steps == 1:
        return _apart(_solved(step_map, _start(step_map, guess)))
    return _of_several(step_map, limit_cycle(walk))


def _start(step_map: StepMap, guess: Any) -> np.ndarray:
    walk = step_map.walk
    if guess is None:
        return step_map.free_of(walk.q, walk.v)
    if isinstance(guess, LimitCycle):
        return step_map.free_of(guess.q, guess.v)
    if isinstance(guess, HybridResult):
        ends = [event for event in guess.named(walk.step) if event.after == walk.start]
        if not ends:
            raise CycleError(f"the motion given as a guess of walk {walk.name!r} has no {walk.step!r} yet; let it walk on")
        return step_map.free_of(ends[-1].q_after, ends[-1].v_after)
    try:
        q, v = guess
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"a guess is (q, v), a HybridResult or a LimitCycle, got {guess!r:.80}") from None
    return step_map.free_of(state.coordinates(walk.robot, q), state.velocities(walk.robot, v))


# --- Newton ---------------------------------------------------------------------------------------------------------------


def _solved(step_map: StepMap, u: np.ndarray) -> LimitCycle:
    """Newton's method with shortened steps, until it gets no better."""
    name = step_map.walk.name
    try:
        now = step_map(u)
    except (HybridError, StateError) as error:
        raise CycleError(f"walk {name!r} does not walk from the guess: {why(error)}") from error
    for _ in range(MOST):
        residual = now.u - u
        D = step_map.derivative(now.motion)
        try:
            change = np.linalg.solve(np.eye(len(u)) - D, residual)
        except np.linalg.LinAlgError:
            raise CycleError(f"walk {name!r}: a multiplier is 1 at the guess, where cycles meet and end") from None
        better = _improved(step_map, u, change, np.abs(residual).max())
        if better is None:
            if np.abs(residual).max() <= CLOSED:
                return described(step_map, u, now, D)
            break
        u, now = better
    raise CycleError(
        f"walk {name!r}: no cycle of {step_map.steps} steps near the guess; Newton's method stops where a step leads "
        f"{np.abs(now.u - u).max():.3g} away from its beginning"
    )


def _improved(step_map: StepMap, u: np.ndarray, change: np.ndarray, worst: float) -> tuple[np.ndarray, Stepped] | None:
    """The longest part of a Newton step that makes the residual less; None if there is none, or nothing left to gain."""
    part = 1.0
    while part >= (SHORTEST if worst > CLOSED else 1.0):
        try:
            then = step_map(u + part * change)
        except (HybridError, StateError):
            part /= 2
            continue
        if np.abs(then.u - u - part * change).max() < (1.0 - 0.25 * part) * worst:
            return u + part * change, then
        part /= 2
    return None


def why(error: Exception) -> str:
    """Why a step failed, in words: how it fell if it did."""
    falls = [event for event in error.result.events if event.name == FALL] if isinstance(error, HybridError) else []
    if not falls:
        return str(error)
    fall, result = falls[0], error.result  # type: ignore[attr-defined]
    foot = pin(next(mode.pinned[0] for mode in result.modes if mode.name == fall.before))
    place = kinematics.pose(result.robot, fall.q_before, foot.name, at=foot.at).position
    ahead = dynamics.center_of_mass(result.robot, fall.q_before)[0] > place[0]
    return f"it fell {'forward' if ahead else 'backward'} at t = {fall.time:.4g} s; {error}"


# --- what is found --------------------------------------------------------------------------------------------------------


def described(step_map: StepMap, u: np.ndarray, end: Stepped, D: np.ndarray | None = None) -> LimitCycle:
    """The cycle through u, which leads back to itself."""
    D = step_map.derivative(end.motion) if D is None else D
    walk, motion, last = step_map.walk, end.motion, end.motion.events[-1]
    multipliers, vectors = _spectrum(D)
    base = walk.robot.layout.joints[0].child
    moved = np.subtract(*(kinematics.pose(walk.robot, q, base).position for q in (last.q_after, motion.q[0])))
    residual = float(np.abs(end.u - u).max())
    return LimitCycle(
        walk,
        step_map.steps,
        step_map.names,
        u,
        *step_map.state_of(u),
        period=last.time,
        length=float(np.linalg.norm(moved)),
        energy_lost=sum(event.energy_lost for event in motion.events),
        derivative=D,
        multipliers=multipliers,
        eigenvectors=vectors,
        residual=residual,
        motion=motion,
    )


def _spectrum(D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues by size with their vectors, on the range of D, which a step does not forget."""
    U, sizes, _ = np.linalg.svd(D)
    U = U[:, sizes > FORGOTTEN * max(sizes[0], 1.0)]
    values, vectors = np.linalg.eig(U.T @ D @ U)
    order = np.lexsort((-values.imag, -np.abs(values).round(12)))
    return values[order], (U @ vectors)[:, order]


def _apart(cycle: LimitCycle) -> LimitCycle:
    """The cycle, if the next steps repeat it on their own piece of ground, and fewer steps than asked do not."""
    walk, last = cycle.walk, cycle.motion.events[-1]
    step_map = StepMap(walk, cycle.steps)
    try:
        events = walk.run(cycle.steps, last.q_after, last.v_after).events
    except HybridError as error:
        raise CycleError(f"walk {walk.name!r}: a step closes, but the next does not follow: {why(error)}") from error
    again = np.abs(step_map.free_of(events[-1].q_after, events[-1].v_after) - cycle.u).max()
    growth = max(1.0, float(np.linalg.norm(cycle.derivative, 2)))
    if again > REPEATS + 10 * growth * cycle.residual:
        raise CycleError(f"walk {walk.name!r}: the next step is another one ({again:.3g} off); is the ground alike everywhere?")
    ends = [event for event in cycle.motion.events if event.name == walk.step][:-1]
    for count, event in enumerate(ends, start=1):
        if cycle.steps % count == 0 and np.abs(step_map.free_of(event.q_after, event.v_after) - cycle.u).max() < 1e-6:
            raise CycleError(
                f"walk {walk.name!r}: the cycle of {cycle.steps} steps near the guess repeats after {count} steps already"
            )
    return cycle


def _of_several(step_map: StepMap, one: LimitCycle) -> LimitCycle:
    """A cycle of several steps near that of one step."""
    direction = one.eigenvectors[:, 0].real
    direction = direction / np.abs(direction).max()
    reason = ""
    for kick in KICKS:
        start = one.u + kick * np.abs(one.u).max() * direction
        try:
            return _apart(_solved(step_map, start))
        except CycleError as error:
            reason = str(error)
    found = f"walk {one.walk.name!r}: no cycle of {step_map.steps} steps was found from that of one step, {one!r}"
    raise CycleError(f"{found}; give a guess ({reason})")
