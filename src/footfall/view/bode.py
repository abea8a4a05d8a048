"""Bode plots of sensors: the declared response as a line, the measured one as points."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.model.robot import Robot
from footfall.sensors import LowPass, Sensor, frequency_response, trial
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
POINTS = 13


def bode(
    sensors: Sequence[tuple[str, Sensor, str]], robot: Robot, path: str | Path | None = None, *, dt: float = 1e-3
) -> "Figure":
    """Draw magnitude and phase over the frequency of sensors on a robot, each as (label, sensor, channel), in steps of dt.

    Lines are the declared response (bandwidth, damping, delay); points are measured with sines. Channels are
    named as in `sensors.trial`.
    """
    figure = new_figure(8.0, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True)
    for i, (label, sensor, channel) in enumerate(sensors):
        color, highest = OTHERS[i % len(OTHERS)], 0.45 * sensor.rate
        declared = LowPass(sensor.bandwidth, sensor.damping)  # type: ignore[attr-defined]
        lines, points = np.geomspace(1.0, highest, 300), np.geomspace(1.0, min(2.0 * declared.bandwidth, highest), POINTS)
        answers = np.array([declared.response(f) for f in lines])
        late = -360.0 * sensor.delay
        upper.loglog(lines, np.abs(answers), color=color, label=f"{label}: declared")
        lower.semilogx(lines, np.degrees(np.angle(answers)) + late * lines, color=color)
        found = np.array([_measured(sensor, robot, channel, f, dt) for f in points])
        phase = np.array([np.degrees(np.angle(declared.response(f))) + late * f for f in points])
        phase += np.degrees(np.angle(found * np.exp(-1j * np.radians(phase))))
        upper.loglog(points, np.abs(found), "o", color=color, markersize=5, label=f"{label}: measured")
        lower.semilogx(points, phase, "o", color=color, markersize=5)
    upper.set_ylabel("magnitude")
    lower.set_ylabel("phase (degrees)")
    lower.set_xlabel("frequency (Hz)")
    for ax in (upper, lower):
        ax.grid(color="0.9", linewidth=0.6, which="both")
        ax.set_axisbelow(True)
    upper.legend(loc="lower left", fontsize="small", frameon=False)
    if path is not None:
        figure.savefig(path, dpi=130)
    return figure


def _measured(sensor: Sensor, robot: Robot, channel: str, f: float, dt: float) -> complex:
    return frequency_response(lambda signal: trial(sensor, robot, channel, signal, dt=dt), f, sensor.rate, dt)
