"""The spring and damper that follows a motion: PD control."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.motion.curve import MotionError


class Gains(NamedTuple):
    """A spring and damper, as laws read it."""

    stiffness: Any  # N m/rad or N/m
    damping: Any  # N m s/rad or N s/m


@kernel(exact=True)
def pd(stiffness: Any, damping: Any, error: Any, rate: Any) -> Any:
    """The force stiffness * error + damping * rate; `error` is goal minus coordinate, `rate` the same of velocities."""
    return stiffness * error + damping * rate


@kernel(exact=True)
def tuned(frequency: Any, ratio: Any, inertia: Any) -> Gains:
    """The gains with which an inertia answers with this angular frequency (rad/s) and damping ratio (1: as fast as it can
    without overshoot)."""
    return Gains(frequency * frequency * inertia, 2.0 * ratio * frequency * inertia)


@dataclass(frozen=True)
class PD:
    """A spring and damper: one for all joints, or a row with one for each."""

    stiffness: Any
    damping: Any

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, _gain(getattr(self, name), f"PD: {name}"))
        if isinstance(self.stiffness, tuple) and isinstance(self.damping, tuple) and len(self.stiffness) != len(self.damping):
            raise MotionError(
                f"PD: stiffness and damping must have as many entries, got {len(self.stiffness)} and {len(self.damping)}"
            )

    @classmethod
    def tuned(cls, frequency: float, ratio: float = 1.0, inertia: Any = 1.0) -> "PD":
        """The one with which an inertia answers with this angular frequency (rad/s) and damping ratio."""
        I = np.array(inertia, dtype=float)
        gains = tuned.plain("planar")(_gain(frequency, "PD: frequency"), _gain(ratio, "PD: ratio"), I)
        return cls(*(gain.tolist() for gain in gains))

    @property
    def data(self) -> Gains:
        """The data for compiled laws: pd(gains.stiffness, gains.damping, error, rate)."""
        return Gains(*(np.array(gain) if isinstance(gain, tuple) else gain for gain in (self.stiffness, self.damping)))

    def __call__(self, error: Any, rate: Any = 0.0) -> Any:
        """The force for an error (goal minus coordinate) and its rate."""
        return pd.plain("planar")(*self.data, np.asarray(error, dtype=float), np.asarray(rate, dtype=float))[()]

    def frequency(self, inertia: Any) -> Any:
        """The angular frequency (rad/s) with which an inertia swings on it, undamped."""
        return np.sqrt(np.array(self.stiffness) / np.array(inertia, dtype=float))[()]

    def ratio(self, inertia: Any) -> Any:
        """The damping ratio of an inertia on it: 1 is critical."""
        return (np.array(self.damping) / (2.0 * np.sqrt(np.array(self.stiffness) * np.array(inertia, dtype=float))))[()]


def _gain(given: Any, what: str) -> Any:
    """A number from 0 on, or a row of them as a tuple."""
    try:
        values = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"{what} must be a number or a row of numbers, got {given!r:.80}") from None
    if values.ndim > 1 or not values.size or not np.isfinite(values).all() or values.min() < 0.0:
        raise MotionError(f"{what} must be a finite number from 0 on, or a row of such, got {given!r:.80}")
    return float(values) if values.ndim == 0 else tuple(values.tolist())
