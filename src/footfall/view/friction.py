"""Friction of joints over their speed: Stribeck's curve with viscous friction."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import RobotError
from footfall.model.parts import Joint
from footfall.model.robot import Robot
from footfall.view.saving import saved
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def friction(robot: Robot, *joints: str, path: str | Path | None = None, fastest: float | None = None) -> "Figure":
    """Draw the friction torque of joints over their speed, without load, up to a speed; joints that rub, if none is named."""
    chosen = [robot.joint(name) for name in joints] or [joint for joint in robot.joints if joint.holding or joint.damping]
    if not chosen:
        raise RobotError(f"robot {robot.name!r} has no joint with friction or damping to draw")
    figure = new_figure(7.0, 4.2)
    ax = figure.subplots()
    end = fastest or 10.0 * max(joint.stribeck_velocity for joint in chosen)
    for i, joint in enumerate(chosen):
        color = OTHERS[i % len(OTHERS)]
        speed = np.linspace(end * 1e-6, end, 400)
        size = joint.dry_friction(speed) + joint.damping * speed
        ax.plot(np.r_[-speed[::-1], np.nan, speed], np.r_[size[::-1], np.nan, -size], color=color, label=joint.name)
        ax.plot((0.0, 0.0), (-joint.holding, joint.holding), color=color, linestyle=":")
    sliding = {joint.kind == "prismatic" for joint in chosen}
    ax.set_xlabel(
        " or ".join(sorted({_unit(joint, "speed") for joint in chosen})) if len(sliding) > 1 else _unit(chosen[0], "speed")
    )
    ax.set_ylabel(
        " or ".join(sorted({_unit(joint, "force") for joint in chosen})) if len(sliding) > 1 else _unit(chosen[0], "force")
    )
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(fontsize="small", frameon=False)
    return saved(figure, path)


def _unit(joint: Joint, what: str) -> str:
    if what == "speed":
        return "speed (m/s)" if joint.kind == "prismatic" else "speed (rad/s)"
    return "friction (N)" if joint.kind == "prismatic" else "friction (N m)"
