"""Footstep plans: where the feet stand one after the other, and when.

A place is a point of the ground below the ankle. Its turn is Rz(yaw) Ry(pitch) Rx(roll): a foot on a slope that rises in x
has a negative pitch. From a plan follow the motion of both feet and the course of the zero-moment point (ZMP).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import UnknownNameError
from footfall.model.quantity import check_quantities, quantity
from footfall.motion.curve import MotionError
from footfall.motion.quintic import Quintic
from footfall.world.terrain import Terrain

SIDES = ("left", "right")
MOST_STEPS = 100_000
EARLY = 1e-9  # s: a foot stands at the instants at which it leaves and lands


class Footstep(NamedTuple):
    """A foot on the ground: place in m, turn in rad."""

    side: str
    x: float
    y: float
    yaw: float = 0.0
    z: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0

    def beside(self, forward: float, left: float) -> tuple[float, float, float]:
        """A point of the ground or sole, from the place along the foot's own axes."""
        cy, sy = np.cos(self.yaw), np.sin(self.yaw)
        cp, sp, cr, sr = np.cos(self.pitch), np.sin(self.pitch), np.cos(self.roll), np.sin(self.roll)
        along, up = forward * cp + left * sp * sr, -forward * sp + left * cp * sr
        return (float(self.x + along * cy - left * cr * sy), float(self.y + along * sy + left * cr * cy), float(self.z + up))


@dataclass(frozen=True)
class Timing:
    """When a plan walks: it stands, takes steps with a double support between every two, and stands again."""

    single: float = quantity("s", "single support, one foot swings", 0.6, low=1e-3, high=1e3)
    double: float = quantity("s", "double support, between two steps", 0.15, low=1e-3, high=1e3)
    start: float = quantity("s", "standing before the first step", 1.5, low=0.0, high=1e6)
    stop: float = quantity("s", "standing after the last step", 1.5, low=0.0, high=1e6)

    def __post_init__(self) -> None:
        check_quantities(self, "Timing", MotionError)
        for name in ("start", "stop"):
            if getattr(self, name) < self.double:
                raise MotionError(f"Timing: {name} must not be below double, {self.double:g} s, in which the load shifts")

    @property
    def period(self) -> float:
        """Of a step."""
        return self.single + self.double


@dataclass(frozen=True)
class Swing:
    """How a foot swings: quintics, at rest on the ground and (vertically) at the highest point.

    On stairs the foot rises before it goes forward (`delay`), or is there before it comes down (`hurry`).
    """

    lift: float = quantity("m", "highest point above the higher of both places", 0.05, low=0.0, high=10.0)
    apex: float = quantity("1", "part of the swing at which it is highest", 0.5, low=0.05, high=0.95)
    delay: float = quantity("1", "part of the swing before it moves horizontally", 0.0, low=0.0, high=0.9)
    hurry: float = quantity("1", "part of the swing after it has moved horizontally", 0.0, low=0.0, high=0.9)

    def __post_init__(self) -> None:
        check_quantities(self, "Swing", MotionError)
        if self.delay + self.hurry > 0.95:
            raise MotionError(f"Swing: delay and hurry must leave time to move, got {self.delay:g} and {self.hurry:g}")


class Phase(NamedTuple):
    """A time in which the same feet stand. `step` is the number of the step under way or, in double support, just made."""

    start: float
    end: float
    stance: tuple[str, ...]
    step: int


class FootCurves(NamedTuple):
    """The motion of a foot: x and y, z, and (roll, pitch, yaw), each a curve at rest at its knots."""

    ground: Quintic
    height: Quintic
    turn: Quintic

    def at(self, times: np.ndarray) -> np.ndarray:
        """(3, n, 6): x, y, z, roll, pitch, yaw, with velocities and accelerations."""
        out = np.zeros((3, len(times), 6))
        for columns, curve in ((slice(0, 2), self.ground), (slice(2, 3), self.height), (slice(3, 6), self.turn)):
            for k, rows in enumerate(curve.at(times)):
                out[k, :, columns] = rows.reshape(len(times), -1)
        return out


@dataclass(frozen=True)
class FootstepPlan:
    """Places of the left and right foot at the start, the steps one after the other, and their timing."""

    stand: tuple[Footstep, Footstep]
    steps: tuple[Footstep, ...]
    timing: Timing = field(default_factory=Timing)
    swing: Swing | tuple[Swing, ...] = field(default_factory=Swing)  # of all steps, or of each

    def __post_init__(self) -> None:
        object.__setattr__(self, "stand", tuple(_checked(step) for step in self.stand))
        object.__setattr__(self, "steps", tuple(_checked(step) for step in self.steps))
        if tuple(step.side for step in self.stand) != SIDES:
            raise MotionError(f"FootstepPlan: it stands on a left and a right foot, in this order, got {self.stand}")
        if not 1 <= len(self.steps) <= MOST_STEPS:
            raise MotionError(f"FootstepPlan: steps must be 1 to {MOST_STEPS}, got {len(self.steps)}")
        if not isinstance(self.timing, Timing):
            raise MotionError(f"FootstepPlan: timing must be a Timing, got {self.timing!r:.60}")
        if len(self.swings) != len(self.steps) or not all(isinstance(swing, Swing) for swing in self.swings):
            raise MotionError(f"FootstepPlan: swing must be a Swing, or a row of one for each step, got {self.swing!r:.60}")

    # --- ready plans ------------------------------------------------------------------------------------------------------

    @classmethod
    def straight(cls, steps: int, length: float, width: float, *, first: str = "right", **more: Any) -> "FootstepPlan":
        """Steps of a length (m; negative goes backward), feet `width` apart, and a last step that closes the feet."""
        return cls(**_walk(steps, (length, 0.0), width, first), **more)

    @classmethod
    def curve(
        cls, steps: int, length: float, radius: float, width: float, *, first: str = "right", **more: Any
    ) -> "FootstepPlan":
        """As `straight`, on a circle of a radius: positive turns left, negative right; lengths are those of its middle."""
        if not abs(radius) > 0.0:
            raise MotionError(f"FootstepPlan: the radius of a curve must not be 0, got {radius!r}")
        return cls(**_walk(steps, (length, length / radius), width, first), **more)

    @classmethod
    def turn(cls, steps: int, angle: float, width: float, *, first: str | None = None, **more: Any) -> "FootstepPlan":
        """Turn on the spot, by an angle (rad, positive to the left) at each step."""
        return cls(**_walk(steps, (0.0, angle), width, first or ("left" if angle > 0.0 else "right")), **more)

    def on(self, terrain: Terrain) -> "FootstepPlan":
        """The same plan on a terrain: heights and turns of the feet are those of the ground below the ankle."""
        left, right = self.stand
        steps = tuple(_put(step, terrain) for step in self.steps)
        return replace(self, stand=(_put(left, terrain), _put(right, terrain)), steps=steps)

    @cached_property
    def swings(self) -> tuple[Swing, ...]:
        """How the foot swings in each step."""
        return tuple(self.swing) if isinstance(self.swing, tuple | list) else (self.swing,) * len(self.steps)

    # --- in time ----------------------------------------------------------------------------------------------------------

    @property
    def duration(self) -> float:
        """Of the whole plan, in s."""
        t = self.timing
        return t.start + len(self.steps) * t.period - t.double + t.stop

    def lifts(self, step: int) -> float:
        """When a step begins."""
        return self.timing.start + step * self.timing.period

    @cached_property
    def stances(self) -> tuple[tuple[Footstep, Footstep], ...]:
        """The places of the left and right foot: at the start, and after each step."""
        rows = [self.stand]
        for step in self.steps:
            left, right = rows[-1]
            rows.append((step, right) if step.side == "left" else (left, step))
        return tuple(rows)

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """Single and double supports, from the first instant to the last."""
        out = [Phase(0.0, self.lifts(0), SIDES, -1)]
        for i, step in enumerate(self.steps):
            down = self.lifts(i) + self.timing.single
            end = self.lifts(i + 1) if i + 1 < len(self.steps) else self.duration
            out += [Phase(self.lifts(i), down, (_other(step.side),), i), Phase(down, end, SIDES, i)]
        return tuple(out)

    def times(self, dt: float) -> np.ndarray:
        """Rows every dt, from 0 to the end of the plan."""
        return dt * np.arange(round(self.duration / dt) + 1)

    @cached_property
    def feet(self) -> tuple[FootCurves, FootCurves]:
        """The curves of the left and the right foot."""
        return _curves(self, 0), _curves(self, 1)

    def feet_at(self, times: Any) -> np.ndarray:
        """(3, n, 2, 6): places (x, y, z, roll, pitch, yaw) of both feet, their velocities and accelerations."""
        rows = np.asarray(times, dtype=float)
        return np.stack([foot.at(rows) for foot in self.feet], axis=2)

    def standing(self, times: Any) -> np.ndarray:
        """(n, 2) which feet stand."""
        rows, out = np.asarray(times, dtype=float), np.ones((len(times), 2), dtype=bool)
        for i, step in enumerate(self.steps):
            swings = (rows > self.lifts(i) + EARLY) & (rows < self.lifts(i) + self.timing.single - EARLY)
            out[swings, SIDES.index(step.side)] = False
        return out

    def zmp_knots(self, ahead: float = 0.0, inward: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Times and places (k, 3), straight between them, of the ZMP's reference.

        It rests under the foot that stands alone, `ahead` of the ankle and `inward` of it (m), and moves on in double support.
        At the start and at the end it is in the middle between the feet.
        """

        if not np.isfinite((ahead, inward)).all():
            raise MotionError(f"the ZMP must be finitely far from the ankle, got ahead {ahead!r} and inward {inward!r}")

        def under(step: Footstep) -> tuple[float, float, float]:
            return step.beside(ahead, -inward if step.side == "left" else inward)

        def middle(stance: tuple[Footstep, Footstep]) -> Any:
            return np.mean([under(step) for step in stance], axis=0)

        t = self.timing
        knots, places = [0.0, t.start - t.double], [middle(self.stand)] * 2
        for i, step in enumerate(self.steps):
            foot = under(self.stances[i][1 - SIDES.index(step.side)])
            knots, places = [*knots, self.lifts(i), self.lifts(i) + t.single], [*places, foot, foot]
        knots += [knots[-1] + t.double, self.duration]
        return np.array(knots), np.array([*places, *[middle(self.stances[-1])] * 2])

    def zmp_reference(self, times: Any, ahead: float = 0.0, inward: float = 0.0) -> np.ndarray:
        """(n, 3) the reference at times; see `zmp_knots`."""
        knots, places = self.zmp_knots(ahead, inward)
        return np.stack([np.interp(times, knots, column) for column in places.T], axis=1)

    @cached_property
    def level(self) -> Quintic:
        """Height of the ground below the pelvis: the mean of both feet, which changes while a foot swings."""
        return _at_rest(self, [[0.5 * (left.z + right.z)] for left, right in self.stances])


def _checked(step: Any) -> Footstep:
    try:
        side, *numbers = step
        place = Footstep(side, *(float(x) for x in numbers))
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"a footstep is Footstep(side, x, y, yaw, z, pitch, roll), got {step!r:.80}") from None
    if place.side not in SIDES:
        raise UnknownNameError("side (of a footstep)", place.side, SIDES)
    if not np.isfinite(place[1:]).all():
        raise MotionError(f"the numbers of a footstep must be finite, got {step!r:.80}")
    return place


def _walk(steps: int, stride: tuple[float, float], width: float, first: str) -> dict[str, Any]:
    """Places along an arc: each step goes on by a length and a turn; the last one closes the feet."""
    if first not in SIDES:
        raise UnknownNameError("side (of the first step)", first, SIDES)
    if not isinstance(steps, int | np.integer) or not 1 <= steps < MOST_STEPS:
        raise MotionError(f"FootstepPlan: steps must be a whole number from 1 to {MOST_STEPS - 1}, got {steps!r}")
    (length, turn), side = stride, first
    sinc = float(np.sinc(turn / (2.0 * np.pi)))  # a chord over its arc
    center, yaw, out = np.zeros(2), 0.0, []

    def at(side: str) -> Footstep:
        out = width / 2.0 if side == "left" else -width / 2.0
        return Footstep(side, float(center[0] - out * np.sin(yaw)), float(center[1] + out * np.cos(yaw)), yaw)

    stand = (at("left"), at("right"))
    for _ in range(steps):
        center = center + length * sinc * np.array((np.cos(yaw + turn / 2.0), np.sin(yaw + turn / 2.0)))
        yaw += turn
        out.append(at(side))
        side = _other(side)
    return {"stand": stand, "steps": (*out, at(side))}


def _other(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]


def _put(step: Footstep, terrain: Terrain) -> Footstep:
    """The foot's own x and y axes in the plane of the ground."""
    nx, ny, nz = terrain.normal(step.x, step.y)
    cy, sy = np.cos(step.yaw), np.sin(step.yaw)
    along, left = -(nx * cy + ny * sy) / nz, -(-nx * sy + ny * cy) / nz  # slopes in the foot's directions
    pitch = float(-np.arctan(along))
    roll = float(np.arctan(left * np.cos(pitch)))
    return step._replace(z=terrain.height(step.x, step.y), pitch=pitch, roll=roll)


def _at_rest(plan: FootstepPlan, rows: Iterable[Any], over_ground: bool = False) -> Quintic:
    """From row to row in the swings, at rest between them; what moves over the ground is delayed and hurries."""
    t, table = plan.timing, list(rows)
    knots, places = [0.0], [table[0]]
    for i in range(len(plan.steps)):
        if tuple(table[i + 1]) != tuple(table[i]):
            delay, hurry = (plan.swings[i].delay, plan.swings[i].hurry) if over_ground else (0.0, 0.0)
            begin = plan.lifts(i) + delay * t.single
            if begin > knots[-1]:
                knots.append(begin)
                places.append(table[i])
            knots.append(plan.lifts(i) + (1.0 - hurry) * t.single)
            places.append(table[i + 1])
    return Quintic((*knots, plan.duration + 1.0), (*places, places[-1]), outside="hold")


def _curves(plan: FootstepPlan, foot: int) -> FootCurves:
    rows, t = [stance[foot] for stance in plan.stances], plan.timing
    knots, heights = [0.0], [[rows[0].z]]
    for i, step in enumerate(plan.steps):
        if SIDES.index(step.side) == foot:
            s = plan.swings[i]
            lift, high = plan.lifts(i), max(rows[i].z, step.z) + s.lift
            more = [(lift, rows[i].z), (lift + s.apex * t.single, high), (lift + t.single, step.z)]
            more = more[1:] if lift <= knots[-1] else more
            knots, heights = [*knots, *(m[0] for m in more)], [*heights, *([m[1]] for m in more)]
    return FootCurves(
        _at_rest(plan, [(r.x, r.y) for r in rows], over_ground=True),
        Quintic((*knots, plan.duration + 1.0), (*heights, heights[-1]), outside="hold"),
        _at_rest(plan, [(r.roll, r.pitch, r.yaw) for r in rows]),
    )
