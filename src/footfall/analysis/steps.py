"""Stances and steps, from the touch-downs and lift-offs of a run."""

import itertools
from bisect import bisect_right
from dataclasses import dataclass, fields, replace
from math import inf, isnan, nan

import numpy as np

from footfall.analysis import motion
from footfall.analysis.soles import Sole, sole
from footfall.model.quantity import note, quantity
from footfall.sim.run import Run

CHATTER = 0.02  # s: shorter stances and shorter breaks of one do not count
NEAR = 0.01  # m: a foot that goes no farther while another one stands has not left its place
Span = tuple[float, float]


@dataclass(frozen=True)
class Stance:
    """A foot on the ground."""

    foot: str
    start: float  # s
    end: float  # s
    place: np.ndarray  # (2 or 3) m: middle of its pads, in the first row after touch-down


@dataclass(frozen=True)
class Step:
    """A touch-down while or after another foot, or the same one, stood. Lengths count along the direction of travel.

    That is the one of the whole run, or, along a curve, the one of the step: see `motion.headings`.
    """

    time: float = quantity("s", "of touch-down")
    foot: str = note("which")
    place: np.ndarray = quantity("m", "middle of its pads then")
    length: float = quantity("m", "ahead of where the other foot was put last, or this one if there is no other")
    width: float = quantity("m", "to the left of it; 0 in the plane")
    stride: float = quantity("m", "ahead of where this foot was put before")
    duration: float = quantity(
        "s", "since the previous touch-down of any foot; for the first step, since the robot began to stand"
    )
    speed: float = quantity("m/s", "length over duration; 0 if feet come down together")
    stance: float = quantity("s", "that the foot stayed, or until the run ended")
    flight: float = quantity("s", "without a foot on the ground since the previous touch-down")
    gap: float = quantity("s", "from touch-down until a rear foot is on the ground (again); infinite if it stays away")
    double: float = quantity("s", "of double support after touch-down")
    push: float = quantity("N s", "impulse of the rear foot against gravity in that time")
    sole: float = quantity("1", "part of the stance in which the sole carries, not only its front or rear end")
    toe_up: float = quantity("rad", "of the sole from level, largest while it touches")
    toe_down: float = quantity("rad", "the same, toe down")


@dataclass(frozen=True)
class Steps:
    """The steps of a run, and figures of them."""

    rows: tuple[Step, ...]
    duty: dict[str, float]  # share of time on the ground, by foot
    double_support: float  # share of time with two feet or more on the ground
    flight: float  # share of time with none
    speed: float  # m/s: of the centre of mass over the run, along the direction of travel
    cadence: float  # 1/s: steps a second, from the first step to the last

    def text(self) -> str:
        """The steps as lines."""
        hidden = {"foot", "place"} | ({"sole", "toe_up", "toe_down"} if all(isnan(row.sole) for row in self.rows) else set())
        shown = [field for field in fields(Step) if field.name not in hidden]
        lines = [f"{'foot':14}" + "".join(f"{field.name + ' ' + field.metadata['unit']:>14}" for field in shown)]
        lines += [f"{row.foot:14}" + "".join(f"{getattr(row, field.name):14.4f}" for field in shown) for row in self.rows]
        duty = ", ".join(f"{foot} {share:.1%}" for foot, share in self.duty.items())
        lines.append(f"{len(self.rows)} steps, {self.speed:.4g} m/s, {self.cadence:.4g} steps a second")
        return "\n".join([*lines, f"on the ground: {duty}; two feet {self.double_support:.1%}, none {self.flight:.1%}"])


def stances(run: Run, chatter: float = CHATTER) -> tuple[Stance, ...]:
    """When and where each foot stood, in order of time; a foot stands while any of its pads touches.

    A foot that leaves the ground while another one stands, and is never farther than `NEAR` from where it left until it touches
    again, goes on with the same stance: compliant feet scuff and bounce before they carry.
    """
    found = []
    for foot in motion.feet(run):
        spans = sorted(span for pad in run.of(foot) for span in _touches(run, run.pads[pad]))
        for start, end in _joined(spans, chatter):
            if end - start >= chatter:
                found.append(Stance(foot, start, end, _place(run, foot, start)))
    return tuple(sorted(_unbroken(run, found), key=lambda stance: stance.start))


def steps(run: Run, chatter: float = CHATTER) -> Steps:
    """The steps of a run. Feet that stand at the start, or land together after a fall from the air, have not stepped yet."""
    motion.check_rows(run)
    stood = stances(run, chatter)
    begin, end = float(run.time[0]), _end(run)
    feet = _Feet(run, chatter)
    made = [i for i, stance in enumerate(stood) if stance.start > stood[0].start + chatter]
    ahead, displacement = motion.headings(run, [_around(stood, i) for i in made])
    rows = tuple(_step(feet, stood, i, way) for i, way in zip(made, ahead, strict=True))
    length = max(end - begin, 1e-300)
    duty = {foot: sum(s.end - s.start for s in stood if s.foot == foot) / length for foot in motion.feet(run)}
    on = _shares(stood, begin, end)
    apart = rows[-1].time - rows[0].time if len(rows) > 1 else 0.0
    cadence = (len(rows) - 1) / apart if apart > 0.0 else 0.0
    covered = float(run.time[-1] - begin)
    return Steps(rows, duty, sum(on[2:]), on[0], displacement / covered if covered > 0.0 else 0.0, cadence)


def _around(stood: tuple[Stance, ...], number: int) -> Span:
    """As much time before a touch-down as after it, up to the nearer of the touch-downs before and after."""
    before, this, after = (stood[i].start for i in (number - 1, number, min(number + 1, len(stood) - 1)))
    reach = min(this - before, after - this) if after > this else this - before
    return this - reach, this + reach


class _Feet:
    """What the figures of a step are read from, worked out once for the run."""

    def __init__(self, run: Run, chatter: float):
        self.time, self.chatter = run.time, chatter
        self.spans = {
            foot: sorted(span for pad in run.of(foot) for span in _touches(run, run.pads[pad])) for foot in motion.feet(run)
        }
        self.spans = {foot: _joined(spans, 0.0) for foot, spans in self.spans.items()}
        self.together = _joined(sorted(span for spans in self.spans.values() for span in spans), 0.0)
        self.soles: dict[str, Sole | None] = {foot: sole(run, foot) for foot in self.spans}
        length = np.diff(run.time, prepend=run.time[0])
        self.impulse = {foot: np.cumsum(run.force[:, run.of(foot), -1].sum(axis=1) * length) for foot in self.spans}

    def flight(self, begin: float, end: float) -> float:
        """Time without a foot on the ground."""
        return end - begin - _within(self.together, begin, end)

    def rear(self, foot: str, start: float, end: float) -> tuple[float, float, float]:
        """How soon another foot was on the ground after a touch-down, how long both stood then, and its impulse.

        Double support ends when the other foot has left for longer than `chatter`.
        """
        best = inf, 0.0, 0.0
        for other, spans in self.spans.items():
            if other == foot:
                continue
            rest = [
                (max(a, start), min(b, end))
                for a, b in spans[max(bisect_right(spans, (start, -inf)) - 1, 0) :]
                if b > start and a < end
            ]
            last = start
            for k, (a, b) in enumerate(rest):
                if a - last >= self.chatter:
                    rest = rest[:k]
                    break
                last = b
            if rest and (rest[0][0] - start, 0.0) < best[:2]:
                time = sum(_within(self.spans[foot], a, b) for a, b in rest)
                push = sum(float(np.diff(np.interp((a, b), self.time, self.impulse[other]))[0]) for a, b in rest)
                best = rest[0][0] - start, time, push
        return best

    def stood(self, foot: str, begin: float, end: float) -> tuple[float, float, float]:
        """Part of a stance on the sole itself, and how far its toe was up and down."""
        found = self.soles[foot]
        rows = slice(*np.searchsorted(self.time, (begin, end)))
        if found is None or not found.touches[rows].any():
            return nan, nan, nan
        on = found.touches[rows]
        return float(found.inside[rows][on].mean()), float(found.toe_up[rows][on].max()), float(-found.toe_up[rows][on].min())


def _within(spans: list[Span], begin: float, end: float) -> float:
    """How much of the time from `begin` to `end` the spans cover."""
    first = max(bisect_right(spans, (begin, -inf)) - 1, 0)
    covered = 0.0
    for a, b in spans[first:]:
        if a >= end:
            break
        covered += max(0.0, min(b, end) - max(a, begin))
    return covered


def _step(feet: _Feet, stood: tuple[Stance, ...], number: int, ahead: np.ndarray) -> Step:
    this, before = stood[number], stood[:number]
    own = [stance for stance in before if stance.foot == this.foot]
    others = [stance for stance in before if stance.foot != this.foot]
    displacement = _displacement(this, others or own)
    duration = this.start - before[-1].start
    length, stride = float(displacement @ ahead), float(_displacement(this, own) @ ahead)
    width = float(ahead[0] * displacement[1] - ahead[1] * displacement[0]) if len(displacement) == 2 else 0.0
    speed = length / duration if duration > 0.0 else 0.0
    way = this.start, this.foot, this.place, length, width, stride, duration, speed, this.end - this.start
    return Step(
        *way,
        feet.flight(before[-1].start, this.start),
        *feet.rear(this.foot, this.start, this.end),
        *feet.stood(this.foot, this.start, this.end),
    )


def _displacement(this: Stance, before: list[Stance]) -> np.ndarray:
    """Level way from the last of these stances; none if there is none."""
    return (this.place - before[-1].place)[:-1] if before else np.zeros(len(this.place) - 1)


def _touches(run: Run, pad: str) -> list[Span]:
    """When a pad touched."""
    spans, since = [], None
    for event in run.events:
        if event.which == pad and event.kind == "touch-down":
            since = event.time
        elif event.which == pad and event.kind == "lift-off":
            spans.append((float(run.time[0]) if since is None else since, event.time))
            since = None
    return spans if since is None else [*spans, (since, _end(run))]


def _end(run: Run) -> float:
    """A run may end between two rows."""
    return max(float(run.time[-1]), run.events[-1].time if run.events else 0.0)


def _joined(spans: list[Span], chatter: float) -> list[Span]:
    """Spans that overlap, or follow within `chatter`, as one."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and start - joined[-1][1] < chatter:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _unbroken(run: Run, found: list[Stance]) -> list[Stance]:
    """Stances, foot by foot in order of time, without breaks in which the foot stayed at its place and another one stood."""
    kept: list[Stance] = []
    for stance in found:
        last = kept[-1] if kept and kept[-1].foot == stance.foot else None
        if last and _strayed(run, stance.foot, last.end, stance.start) < NEAR and _held(found, last, stance):
            kept[-1] = replace(last, end=stance.end)
        else:
            kept.append(stance)
    return kept


def _held(found: list[Stance], last: Stance, stance: Stance) -> bool:
    """Whether another foot stood from the end of one stance until the next."""
    return any(s.foot != stance.foot and s.start <= last.end and stance.start <= s.end for s in found)


def _strayed(run: Run, foot: str, begin: float, end: float) -> float:
    """How far the middle of the pads of a foot came from where it was at `begin`, until `end`."""
    first, last = np.minimum(np.searchsorted(run.time, (begin, end)), len(run.time) - 1)
    way = run.point[first : last + 1, run.of(foot)].mean(axis=1)
    return float(np.linalg.norm(way - way[0], axis=1).max())


def _place(run: Run, foot: str, time: float) -> np.ndarray:
    row = min(int(np.searchsorted(run.time, time)), len(run.time) - 1)
    return run.point[row, run.of(foot)].mean(axis=0)


def _shares(stood: tuple[Stance, ...], begin: float, end: float) -> list[float]:
    """Shares of time with 0, 1, 2, ... feet on the ground."""
    times = sorted({begin, end, *(t for stance in stood for t in (stance.start, stance.end))})
    shares = [0.0] * (len({stance.foot for stance in stood}) + 1)
    for a, b in itertools.pairwise(times):
        shares[sum(stance.start <= a and b <= stance.end for stance in stood)] += (b - a) / (end - begin)
    return shares
