"""Angles of a person's joints over a run, beside human ranges."""

import numpy as np

from footfall.core.manifold import quaternion_log
from footfall.sim.run import Run

# degrees, as this robot counts them. Hip (flexion 120, extension 30), knee and toes: American Academy of Orthopaedic Surgeons
# (1965); ankle: Kapandji, dorsiflexion 20 to 30 and plantar flexion 30 to 50, the wider ones.
HUMAN = {"hip": (-120.0, 30.0), "knee": (0.0, 135.0), "ankle": (-30.0, 50.0), "toe": (-70.0, 45.0)}
SIDES = ("left", "right")


def turns_of(run: Run, joint: str) -> np.ndarray:
    """Rotation vectors of a ball joint, degrees."""
    log = quaternion_log.plain("spatial")
    columns = np.column_stack([run[f"q.{joint}.{entry}"] for entry in ("qw", "qx", "qy", "qz")])
    return np.degrees([log(tuple(row)) for row in columns])


def pitch_of(run: Run, joint: str) -> np.ndarray:
    """The angle of a joint about the axis to the left, degrees."""
    return np.degrees(run[f"q.{joint}"]) if f"q.{joint}" in run.columns() else turns_of(run, joint)[:, 1]


def angles_of(run: Run, name: str) -> np.ndarray:
    """The same of both sides, rows by two."""
    return np.column_stack([pitch_of(run, f"{name}_{side}") for side in SIDES])


def beyond(name: str, angles: np.ndarray) -> tuple[float, str]:
    """By how much angles leave the human range, degrees; negative inside. And both ranges in words."""
    low, high = HUMAN[name]
    words = f"from {angles.min():.1f} to {angles.max():.1f}; human from {low:g} to {high:g}"
    return float(max(low - angles.min(), angles.max() - high)), words
