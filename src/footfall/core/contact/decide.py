"""Who decides: layers of control, the outermost first, each asked at its own rate and held between.

A layer is a law, see `core.law`. The command of the last layer goes to the motors; that of any other is the goal of the next one.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel

MOST_LAYERS = 4  # the loop is compiled once, for so many


class Layer(NamedTuple):
    law: Any  # pointer to int64(float64, int64): asked with the time and
    frame: int  # where its arguments are written down, see `core.frame`


class Control(NamedTuple):
    tick: Any  # (n,) int: steps from one question to the next, of each layer that there is
    layers: Any  # MOST_LAYERS of them
    asked: Any  # (1,) int: the layer that was asked last


@kernel
def decide(control, clock, index):
    """Ask the layers that are due. Returns the status of the one that failed, or 0."""
    for i in range(len(control.tick)):
        if index % control.tick[i] == 0:
            control.asked[0] = i
            layer = control.layers[i]
            status = layer.law(index * clock.h, layer.frame)
            if status != 0:
                return status
    return 0
