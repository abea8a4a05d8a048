"""The same study on several engines: figures of their runs side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.analysis import motion
from footfall.analysis.cost import cost_of_transport
from footfall.analysis.energy import ledger
from footfall.analysis.slip import slip
from footfall.analysis.steps import steps
from footfall.engines.series import MODES
from footfall.errors import StateError
from footfall.model.quantity import note, quantity
from footfall.sim.run import Run
from footfall.world import Terrain

OPEN = MODES.index("open")
EDGE = 2e-3  # m: a pad that is nearer to an upright face is not inside of it
APART = 0.01  # m: from here on two centres of mass are not at the same place


@dataclass(frozen=True)
class Compared:
    """Figures of one run; every field declares its unit and meaning."""

    engine: str = note("engine")
    reason: str = note("why it ended")
    duration: float = quantity("s", "time survived")
    steps: int = quantity("1", "steps survived")
    distance: float = quantity("m", "horizontal distance of the centre of mass")
    speed: float = quantity("m/s", "mean speed")
    slid: float = quantity("m", "way that a foot slid or crept while it touched, the largest")
    penetration: float = quantity("m", "depth of a pad in the ground, the largest")
    drawn: float = quantity("J", "energy that motors drew")
    cost: float | None = quantity("1", "cost of transport")
    residual: float = quantity("1", "relative residual of the energy ledger")
    apart: float = quantity("m", "largest distance of the centre of mass from that of the first engine, at the same time")
    together: float | None = quantity("s", f"time until that was more than {APART:g} m")  # None: it never was
    touch_downs: int = quantity("1", "touch-downs of pads")
    real_time: float = quantity("1", "times faster than real time")


def compare(runs: Mapping[str, Run]) -> tuple[Compared, ...]:
    """The figures of runs of the same robot, by the names of their engines."""
    if not runs:
        raise StateError("compare takes runs by name, such as {'contact': run, 'mujoco': other}; there are none")
    first = next(iter(runs.values()))
    for name, run in runs.items():
        if run.robot.coordinates != first.robot.coordinates:
            raise StateError(f"compare takes runs of the same robot; {name!r} has {run.robot.name!r}, not {first.robot.name!r}")
    return tuple(_figures(name, run, first) for name, run in runs.items())


def _figures(name: str, run: Run, first: Run) -> Compared:
    duration, distance = float(run.time[-1] - run.time[0]), float(np.linalg.norm(motion.travel(run)))
    feet, cost = slip(run).values(), cost_of_transport(run)
    drawn = float(run.motor_energy[-1, :, 0].sum())
    apart, together = _apart(run, first)
    return Compared(
        engine=name,
        reason=run.reason,
        duration=duration,
        steps=len(steps(run).rows),
        distance=distance,
        speed=distance / duration if duration > 0.0 else 0.0,
        slid=max((foot.slid for foot in feet), default=0.0),
        penetration=float(penetration(run).max(initial=0.0)),
        drawn=drawn,
        cost=cost.total if distance > motion.HARDLY else None,
        residual=ledger(run).relative,
        apart=apart,
        together=together,
        touch_downs=len(run.happened("touch-down")),
        real_time=duration / run.wall if run.wall > 0.0 else 0.0,
    )


def _apart(run: Run, first: Run) -> tuple[float, float | None]:
    """How far apart two runs get, and until when they are together (None: always); at times that both have rows for."""
    _, ours, theirs = np.intersect1d(run.time, first.time, return_indices=True)
    gap = np.linalg.norm(motion.center_of_mass(run)[ours] - motion.center_of_mass(first)[theirs], axis=1)
    far = np.flatnonzero(gap > APART)
    return float(gap.max()), float(run.time[ours[far[0]]]) if len(far) else None


def penetration(run: Run) -> np.ndarray:
    """(rows, pads) how deep pads that touch are in the ground, along its normal; 0 where they are not."""
    found, ground = np.zeros(run.mode.shape), run.study.world
    for i, k in np.argwhere((run.mode != OPEN) & (run.point[..., -1] < np.inf)):
        found[i, k] = _depth(ground.terrain_at(float(run.time[i])), run.point[i, k])
    return found


def _depth(terrain: Terrain, point: np.ndarray) -> float:
    x, y, z = float(point[0]), float(point[1]) if len(point) == 3 else 0.0, float(point[-1])
    above = terrain.height(x, y) - z
    if above <= 0.0:
        return 0.0
    if above > EDGE:  # at an upright face it is the lower side that counts
        above = min(above, *(terrain.height(x + dx, y + dy) - z for dx, dy in ((EDGE, 0), (-EDGE, 0), (0, EDGE), (0, -EDGE))))
    return max(above, 0.0) * float(terrain.normal(x, y)[2])
