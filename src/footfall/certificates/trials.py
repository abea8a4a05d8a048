"""What a certificate asks: trials, each a sweep of one ordeal over its size, repeated at other phases or by chance."""

from dataclasses import dataclass, field
from math import pi
from typing import Any

from footfall.certificates.gait import Gait
from footfall.errors import FootfallError
from footfall.sim.parameters import with_parameters
from footfall.sim.whole import whole
from footfall.sweeps.ordeals import Misjudged, Ordeal, Pushed, Slippery, Sloping, Stepping, Unsure

PHASES = "0:1"  # drawn by Sobol's sequence
DEGREE = pi / 180.0
CHANGES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0)  # m/s
SLOPES = tuple(DEGREE * angle for angle in (-15, -12, -10, -8, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 8, 10, 12, 15))
RISES = (
    -0.1,
    -0.07,
    -0.05,
    -0.03,
    -0.02,
    -0.01,
    -0.005,
    0.005,
    0.01,
    0.02,
    0.03,
    0.05,
    0.07,
    0.1,
)  # of the height of the mass centre
FRICTIONS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
PARTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8)  # of a mass, inertia or gain
NOISES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # rad
LITTLE = 1e-5  # rad: noise beside a delay, so that repetitions differ
DELAYS = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2)  # s


@dataclass(frozen=True)
class Trial:
    """A sweep: an ordeal, its size and how many values it has, and by what repetitions differ."""

    name: str  # of its folder
    title: str
    ordeal: Ordeal
    size: str  # the parameter along which it is judged
    values: tuple[float, ...]
    unit: str = ""  # for people, if another one than the parameter's
    per: float = 1.0  # of the parameter's unit in theirs
    by_chance: bool = False  # repetitions differ in `drawn`, else in `phase`
    over: dict[str, Any] = field(default_factory=dict)  # what varies besides
    fixed: dict[str, Any] = field(default_factory=dict)
    from_above: bool = False  # smaller is harder

    def vary(self, repeats: int) -> dict[str, Any]:
        """What its sweep varies."""
        chance: dict[str, Any] = {"drawn": list(range(repeats))} if self.by_chance else {"phase": PHASES}
        return {self.size: list(self.values), **self.over, **chance}

    @property
    def levels(self) -> int:
        """Points at which it is judged."""
        others = [len(values) for values in self.over.values()]
        return len(self.values) * (others[0] if others else 1)

    def hardest(self) -> Ordeal:
        """It at its largest, to see whether it can be asked at all."""
        largest = min(self.values) if self.from_above else max(self.values)
        return with_parameters(self.ordeal, {**self.fixed, self.size: largest})


def trials_of(gait: Gait) -> list[Trial]:
    """All that a certificate asks of a gait."""
    common: dict[str, Any] = {"study": gait.study, **gait.met}
    round_about = [0.0, pi] if gait.study.robot.dim == 2 else [45.0 * DEGREE * k for k in range(8)]
    rises = tuple(round(part * gait.height, 4) for part in RISES)
    slope: dict[str, Any] = {"unit": "deg", "per": DEGREE}
    return [
        Trial("push", "Pushes", Pushed(**common), "change", CHANGES, over={"direction": round_about}),
        Trial("slope", "Slopes", Sloping(**common), "angle", SLOPES, **slope),
        Trial("step", "Steps in the ground", Stepping(**common), "rise", rises, "cm", 0.01),
        Trial("friction", "Friction", Slippery(**common), "friction", FRICTIONS, from_above=True),
        *(
            Trial(name, title, Misjudged(**common), name, PARTS, "%", 0.01, by_chance=True)
            for name, title in (("masses", "Wrong masses"), ("inertias", "Wrong inertias"), ("gains", "Wrong gains"))
        ),
        Trial("noise", "Noise of sensors", Unsure(**common), "noise", NOISES, "mrad", 1e-3, by_chance=True),
        Trial(
            "delay", "Delay of sensors", Unsure(**common), "delay", DELAYS, "ms", 1e-3, by_chance=True, fixed={"noise": LITTLE}
        ),
    ]


def why_not(trial: Trial) -> str:
    """Why a trial cannot be asked; nothing if it can."""
    try:
        study = trial.hardest().applied()
        whole(study, seconds=2.0 * study.dt)
    except FootfallError as error:
        return str(error)
    return ""
