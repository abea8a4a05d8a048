"""Who decides: layers of control, the outermost first, each asked at its own rate and held between.

A layer is a law, see `core.law`. The command of the last layer goes to the motors; that of any other is the goal of the next one.
The loop itself makes one call at an instant: to the only layer, or to `decide`, which asks any number of them.
"""

from typing import Any, NamedTuple

from footfall.core.frame import call_law
from footfall.core.jit import kernel


class Control(NamedTuple):
    """Whom the loop asks."""

    tick: int  # steps from one question to the next; 0 is nobody
    law: int  # address of a function int64(float64, int64), asked with the time and
    frame: int  # where its arguments are written down, see `core.frame`


class Layers(NamedTuple):
    """Any number of them, to be asked one after the other."""

    tick: Any  # (n,) int
    law: Any  # (n,) int
    frame: Any  # (n,) int
    asked: Any  # (1,) int: the layer that was asked last
    step: Any  # (1,) int: the last instant, -1 before the first


@kernel
def consult(control, clock, index):
    """Ask whoever is due at an instant. Returns a status other than 0 if the run must stop."""
    if control.tick == 1 or (control.tick > 1 and index % control.tick == 0):  # a division takes as long as a small law
        return call_law(control.law, index * clock.h, control.frame)
    return 0


@kernel
def decide(layers, time):
    """Ask the layers that are due. Returns the status of the one that failed, or 0."""
    layers.step[0] += 1
    for i in range(len(layers.tick)):
        if layers.step[0] % layers.tick[i] == 0:
            layers.asked[0] = i
            status = call_law(layers.law[i], time, layers.frame[i])
            if status != 0:
                return status
    return 0


def ask_layers(time, where):
    """`decide` as the loop calls it by a pointer; `frame` and `law` are bound where it is compiled."""
    return law(frame(where), time) + 1  # noqa: F821
