"""Speed of a plain Python controller: processor time, which depends on the machine but hardly on its load."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from footfall.control import Controller
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import biped, ran
from footfall.reproduce._clock import processor_time
from footfall.world import Rigid, World


@dataclass(frozen=True)
class Posture(Controller):
    """Springs and dampers at the joints, worked out in Python at every tick."""

    posture: tuple[float, ...] = ()

    def law(obs: Any, params: Any, state: Any, goal: Any, command: Any) -> int:  # noqa: ARG002
        command.tau[:] = 1500.0 * (params.posture - obs.q) - 30.0 * obs.v
        command.tau[:3] = 0.0
        return 0


def python_controller(setting: Setting) -> Iterator[Row]:
    """A standing biped with a controller in Python at 1 kHz."""
    robot, q = biped()
    seconds, times = (2.0, 2) if setting.quick else (10.0, 3)
    world = World(contact=Rigid(friction=1.0), falls=False)
    run = partial(ran, robot, Posture(1000.0, q), world, q=q, seconds=seconds, lift=True)
    run()  # compiles the kernels, if need be
    title = "planar biped, Python controller at 1 kHz: simulated time over processor time"
    yield Row(
        title, "1", 20.0, seconds / processor_time(run, times), 0.0, ">=", f"{seconds:g} s at steps of 1 ms, best of {times}"
    )
