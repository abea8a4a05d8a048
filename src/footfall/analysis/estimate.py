"""The error of an estimator: what it says of place and velocity of the pelvis, against the truth."""

from dataclasses import dataclass

import numpy as np

from footfall.errors import StateError
from footfall.sim.run import Run

FIELD = "state.pelvis."  # of the estimator, as recorded


@dataclass(frozen=True)
class EstimateError:
    """Errors along the world's x, y and z."""

    time: np.ndarray  # (rows,) s
    place: np.ndarray  # (rows, 3) m: estimate less truth
    velocity: np.ndarray  # (rows, 3) m/s
    walked: float  # m: the way of the pelvis, level

    @property
    def rms(self) -> np.ndarray:
        """Of the velocity, m/s."""
        return np.sqrt(np.mean(np.square(self.velocity), axis=0))

    @property
    def worst(self) -> np.ndarray:
        """Of the velocity, m/s."""
        return np.abs(self.velocity).max(axis=0)

    @property
    def drift(self) -> np.ndarray:
        """Of the place, for each metre walked: the error at the end over the way, 1. Not a number for a robot that stays."""
        return np.abs(self.place[-1]) / self.walked if self.walked > 0.0 else np.full(3, np.nan)

    def text(self) -> str:
        """A table in mm and mm/s."""
        rows = (("velocity rms mm/s", self.rms), ("velocity worst mm/s", self.worst), ("drift mm/m", self.drift))
        lines = [f"{'':22}{'x':>8}{'y':>8}{'z':>8}"]
        return "\n".join(lines + [f"{name:22}" + "".join(f"{1e3 * each:8.2f}" for each in row) for name, row in rows])


def estimate_error(run: Run) -> EstimateError:
    """The error of the estimator of a run, which must have recorded the states of its controllers."""
    names = [name for name in run.more if name.startswith("controller") and FIELD in name]
    if len(names) != 6:
        raise StateError(
            "no estimator of the pelvis was recorded; simulate with a LegOdometry above the walking law and "
            'record=("controller.state",)'
        )
    said = np.column_stack([run.more[name] for name in names])
    free = next(joint.name for joint in run.robot.layout.joints if joint.kind == "free")
    at = [run.robot.coordinates.index(f"{free}.{axis}") for axis in "xyz"]
    rate = [run.robot.velocities.index(f"{free}.{axis}") for axis in "xyz"]
    way = np.linalg.norm(run.q[-1, at[:2]] - run.q[0, at[:2]])
    return EstimateError(run.time, said[:, :3] - run.q[:, at], said[:, 3:] - run.v[:, rate], float(way))
