"""Events of a motion, and its outcome."""

from dataclasses import dataclass, field
from enum import Enum

EVENTS = (
    *("touch-down", "lift-off", "slip begins", "slip ends", "impact", "stop", "fall", "switch", "pulls", "sinks"),
    *("hinge made", "hinge released"),
)


class Outcome(Enum):
    """How a run ended; `run.reason` says the same in a sentence."""

    END = "end"  # the time that was asked for is over
    FELL = "fell"
    INTERRUPTED = "interrupted"  # by Ctrl-C
    DIVERGED = "diverged"
    STOPPED = "stopped"  # by its controller
    GROUNDLESS = "groundless"  # a terrain that is a function failed
    BURIED = "buried"  # the ground rose into a foot


@dataclass(frozen=True)
class Event:
    """Something that happened. Where a point "pulls" on the ground or "sinks" into it, the impact of a hybrid model is not valid.

    `which` is a pad, a joint or a link; the numbers depend on the kind and have their names."""

    time: float
    kind: str
    which: str
    numbers: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        more = ", ".join(f"{name} {value:.4g}" for name, value in self.numbers.items())
        return f"{self.time:9.4f} s  {self.kind:12} {self.which}" + (f"  ({more})" if more else "")
