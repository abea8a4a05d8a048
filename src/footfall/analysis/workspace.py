"""Runs of the workspace controller: path of the body, and deviation from the linear error equation."""

import numpy as np

from footfall.control import Workspace
from footfall.errors import StateError
from footfall.sim.run import Run


def body_poses(run: Run) -> np.ndarray:
    """Rows of the pose of the central body's centre of mass: x, z, pitch in the plane; x, y, z and a rotation vector in space."""
    controller = _controller(run)
    return np.array([controller.pose(run.study.robot, q) for q in run.q])


def body_errors(run: Run) -> np.ndarray:
    """The same minus the goal, for a goal that does not move."""
    controller, robot = _controller(run), run.study.robot
    if controller.sway is not None:
        raise StateError("errors are those from a goal that stands still; this one sways")
    place, turn = controller.place(robot, run.q[0])
    return np.array([controller.error(robot, q, place, turn) for q in run.q])


def promised(run: Run) -> np.ndarray:
    """Solution of e'' + damping e' + stiffness e = 0 from the start of the run, at rest."""
    controller, e = _controller(run), body_errors(run)[0]
    half = controller.damping / 2
    w = np.sqrt(complex(controller.stiffness - half**2))
    t = run.time[:, None]
    return np.real(e * np.exp(-half * t) * (np.cos(w * t) + half / w * np.sin(w * t)))


def deviation(run: Run) -> np.ndarray:
    """Largest difference from `promised` in each coordinate, as a part of its error at the start."""
    e, wish = body_errors(run), promised(run)
    return np.abs(e - wish).max(axis=0) / np.abs(wish[0])


def torque_drift(run: Run, last: float = 1.0) -> float:
    """Largest distance of a torque from its mean, over the last seconds (N m)."""
    rows = run.tau[run.time > run.time[-1] - last]
    return float(np.abs(rows - rows.mean(axis=0)).max())


def _controller(run: Run) -> Workspace:
    if not isinstance(run.study.controller, Workspace):
        raise StateError(f"this needs a run of the Workspace controller, not of {type(run.study.controller).__name__}")
    return run.study.controller
