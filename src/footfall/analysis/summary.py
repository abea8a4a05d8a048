"""A run on one screen."""

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from footfall.analysis import motion
from footfall.analysis.cost import cost_of_transport
from footfall.analysis.energy import ledger
from footfall.analysis.slip import slip
from footfall.analysis.steps import steps
from footfall.model.quantity import note, quantity
from footfall.sim.run import Run

SHOWN = 5  # settings


@dataclass(frozen=True)
class Summary:
    """Figures of a run; every field declares its unit and meaning."""

    robot: str = note("robot")
    reason: str = note("why it ended")
    duration: float = quantity("s", "simulated time")
    wall: float = quantity("s", "computing time")
    real_time: float = quantity("1", "times faster than real time")
    distance: float = quantity("m", "horizontal distance of the centre of mass")
    speed: float = quantity("m/s", "mean speed")
    steps: int = quantity("1", "steps")
    cost: float | None = quantity("1", "cost of transport")
    motor_cost: float | None = quantity("1", "cost of transport, motors only")
    exchanged: float = quantity("J", "energy exchanged")
    residual: float = quantity("1", "relative residual of the energy ledger")
    slid: float = quantity("m", "largest slip of a foot")
    drift: float = quantity("m", "largest drift of a sticking foot")
    contact_residual: float = quantity("m/s", "largest residual velocity of the contacts")
    iterations: int = quantity("1", "most iterations of the contact solver in a step")
    events: dict[str, int] = note("events")
    settings: tuple[str, ...] = note("changed on the way", ())

    def rows(self) -> list[tuple[str, str, str]]:
        """(what it is, value, unit) of every field, as text; of settings only if there are any."""
        shown = [field for field in fields(self) if field.name != "settings" or self.settings]
        return [(field.metadata["help"], _shown(getattr(self, field.name)), _unit(field)) for field in shown]

    def text(self) -> str:
        """As lines."""
        rows = self.rows()
        widest = max(len(name) for name, *_ in rows)
        return "\n".join(f"{name:{widest}}  {value} {unit}".rstrip() for name, value, unit in rows)


def summary(run: Run) -> Summary:
    """The figures of a run that one looks at first."""
    energy, feet, walk, cost = ledger(run), slip(run).values(), steps(run), cost_of_transport(run)
    duration, distance = float(run.time[-1] - run.time[0]), float(np.linalg.norm(motion.travel(run)))
    return Summary(
        robot=run.robot.name,
        reason=run.reason,
        duration=duration,
        wall=run.wall,
        real_time=duration / run.wall if run.wall > 0.0 else 0.0,
        distance=distance,
        speed=distance / duration if duration > 0.0 else 0.0,
        steps=len(walk.rows),
        cost=cost.total if distance > motion.HARDLY else None,
        motor_cost=cost.motors if distance > motion.HARDLY else None,
        exchanged=energy.exchanged,
        residual=energy.relative,
        slid=max((foot.slid for foot in feet), default=0.0),
        drift=max((foot.drift for foot in feet), default=0.0),
        contact_residual=float(run.residual.max()),
        iterations=int(run.iterations.max()),
        events=dict(Counter(event.kind for event in run.events)),
        settings=tuple(str(each) for each in run.study.settings if each.time <= run.time[-1]),
    )


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {kind}" for kind, count in value.items()) or "none"
    if isinstance(value, tuple):
        return "; ".join(value[:SHOWN]) + (f"; and {len(value) - SHOWN} more" if len(value) > SHOWN else "")
    return f"{value:.4g}" if isinstance(value, float) else "none" if value is None else str(value)


def _unit(field: Any) -> str:
    unit = field.metadata.get("unit", "")
    return "" if unit == "1" else unit
