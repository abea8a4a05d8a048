"""How soles stand: on which part of it a foot touches, and how far its toe is up.

A round sole rolls: where the ground touches it moves along its arc. A flat one stands on heel and toe. A foot that touches only
with the front or rear end of its sole stands on it like a point foot: such gaits may be cheap in a model, but nothing rolls.
"""

from dataclasses import dataclass

import numpy as np

from footfall.core.recursion import batch
from footfall.evaluate import Evaluation
from footfall.model.layout import lift, lower
from footfall.model.parts import Arc, Box, Foot, HeelToe
from footfall.sim.run import Run

END = 1e-3  # rad: nearer to the end of an arc than this, the ground touches the end
HALF = 0.5  # of the length of a flat sole: if the pads that touch are farther apart, it stands flat


@dataclass(frozen=True)
class Sole:
    """A foot over time, row by row."""

    touches: np.ndarray  # (rows,) bool
    inside: np.ndarray  # (rows,) bool: the ground touches it between its ends, or at both
    toe_up: np.ndarray  # (rows,) rad: of the sole from level, negative with the toe down


def sole(run: Run, foot: str) -> Sole | None:
    """The sole of a foot, or None if it is a point and has none."""
    declared = next((each for each in run.robot.feet if each.name == foot), None)
    pads = [pad for pad in declared.pads if isinstance(pad, Arc | HeelToe | Box)] if declared else []
    if declared is None or not pads:
        return None
    touching = run.mode[:, run.of(foot)] > 0
    first = pads[0]
    front = np.array(first.toe) - np.array(first.heel) if isinstance(first, HeelToe) else np.eye(run.robot.dim)[0]
    middle = first.heel if isinstance(first, HeelToe) else first.at or np.zeros(run.robot.dim)
    ahead = _direction(run, first.link, middle, front)
    inside = _on_arcs(run, declared, touching) if isinstance(first, Arc) else _flat(run, foot, touching, ahead)
    return Sole(np.asarray(touching.any(axis=1)), inside, np.arcsin(np.clip(ahead[:, -1], -1.0, 1.0)))


def _on_arcs(run: Run, foot: Foot, touching: np.ndarray) -> np.ndarray:
    """Whether an arc touches between its ends. An arc in space has a pad at each side."""
    found = np.zeros(len(run.time), dtype=bool)
    dim, number = run.robot.dim, 0
    for pad in foot.pads:
        count = 2 if isinstance(pad, Arc) and dim == 3 and pad.width else 1
        if isinstance(pad, Arc):
            at = pad.at or (0.0,) * dim
            center, front, up = _place(run, pad.link, at), *(_direction(run, pad.link, at, np.eye(dim)[i]) for i in (0, -1))
            low, high = pad.span
            for k in range(number, number + count):
                arm = run.point[:, run.of(foot.name)[k]] - center
                angle = np.arctan2((arm * front).sum(axis=1), -(arm * up).sum(axis=1))
                whole = high - low > 2 * np.pi - END
                found |= touching[:, k] & (whole | ((angle > low + END) & (angle < high - END)))
        number += count
    return found


def _flat(run: Run, foot: str, touching: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Whether the pads that touch are far apart along the sole."""
    along = np.einsum("ikd,id->ik", run.point[:, run.of(foot)], ahead)
    length = np.ptp(along, axis=1)
    high, low = np.where(touching, along, -np.inf).max(axis=1), np.where(touching, along, np.inf).min(axis=1)
    return touching.any(axis=1) & (np.where(touching.any(axis=1), high - low, 0.0) > HALF * length)


def _place(run: Run, link: str, at: object) -> np.ndarray:
    """(rows, 2 or 3) places of a point of a link."""
    where, out = run.robot.target(link), np.zeros((len(run.time), run.robot.dim))
    point = lower((where.place + where.axes @ lift(at))[None], run.robot.space)
    Evaluation(run.robot).run(batch.place_rows, run.q, where.body, np.ascontiguousarray(point), out)
    return out


def _direction(run: Run, link: str, at: object, way: np.ndarray) -> np.ndarray:
    """(rows, 2 or 3) a direction that is fixed to a link, in world axes, of length 1."""
    found = _place(run, link, np.array(at) + way) - _place(run, link, at)
    return found / np.linalg.norm(found, axis=1)[:, None]
