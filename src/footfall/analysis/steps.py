"""Stances and steps, from the touch-downs and lift-offs of a run."""

import itertools
from dataclasses import dataclass, fields

import numpy as np

from footfall.analysis import motion
from footfall.model.quantity import note, quantity
from footfall.sim.run import Run

CHATTER = 0.02  # s: shorter stances and shorter breaks of one do not count
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
    """A touch-down while or after another foot, or the same one, stood. Lengths count along the direction of travel."""

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
        shown = [field for field in fields(Step) if field.name not in ("foot", "place")]
        lines = [f"{'foot':14}" + "".join(f"{field.name + ' ' + field.metadata['unit']:>14}" for field in shown)]
        lines += [f"{row.foot:14}" + "".join(f"{getattr(row, field.name):14.4f}" for field in shown) for row in self.rows]
        duty = ", ".join(f"{foot} {share:.1%}" for foot, share in self.duty.items())
        lines.append(f"{len(self.rows)} steps, {self.speed:.4g} m/s, {self.cadence:.4g} steps a second")
        return "\n".join([*lines, f"on the ground: {duty}; two feet {self.double_support:.1%}, none {self.flight:.1%}"])


def stances(run: Run, chatter: float = CHATTER) -> tuple[Stance, ...]:
    """When and where each foot stood, in order of time; a foot stands while any of its pads touches."""
    found = []
    for foot in motion.feet(run):
        spans = sorted(span for pad in run.of(foot) for span in _touches(run, run.pads[pad]))
        for start, end in _joined(spans, chatter):
            if end - start >= chatter:
                found.append(Stance(foot, start, end, _place(run, foot, start)))
    return tuple(sorted(found, key=lambda stance: stance.start))


def steps(run: Run, chatter: float = CHATTER) -> Steps:
    """The steps of a run. Feet that stand at the start, or land together after a fall from the air, have not stepped yet."""
    motion.check_rows(run)
    stood = stances(run, chatter)
    begin, end = float(run.time[0]), _end(run)
    rows = tuple(_step(run, stood, i) for i, stance in enumerate(stood) if stance.start > stood[0].start + chatter)
    length = max(end - begin, 1e-300)
    duty = {foot: sum(s.end - s.start for s in stood if s.foot == foot) / length for foot in motion.feet(run)}
    on = _shares(stood, begin, end)
    apart = rows[-1].time - rows[0].time if len(rows) > 1 else 0.0
    cadence = (len(rows) - 1) / apart if apart > 0.0 else 0.0
    displacement = float(motion.travel(run) @ motion.heading(run))
    covered = float(run.time[-1] - begin)
    return Steps(rows, duty, sum(on[2:]), on[0], displacement / covered if covered > 0.0 else 0.0, cadence)


def _step(run: Run, stood: tuple[Stance, ...], number: int) -> Step:
    this, before = stood[number], stood[:number]
    own = [stance for stance in before if stance.foot == this.foot]
    others = [stance for stance in before if stance.foot != this.foot]
    ahead = motion.heading(run)
    displacement = _displacement(this, others or own)
    duration = this.start - before[-1].start
    length, stride = float(displacement @ ahead), float(_displacement(this, own) @ ahead)
    width = float(ahead[0] * displacement[1] - ahead[1] * displacement[0]) if len(displacement) == 2 else 0.0
    speed = length / duration if duration > 0.0 else 0.0
    return Step(this.start, this.foot, this.place, length, width, stride, duration, speed, this.end - this.start)


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
