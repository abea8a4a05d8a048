"""Who decides: layers of control, the outermost first, each asked at its own rate and held between.

A layer is a law: law(felt, own, body, out) writes its answer into `out` and returns 0, or another number to stop the run. The
answer of the last layer is the joint forces; that of any other stands at the head of the next one's memory, for it to follow.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.memory import write

MOST_LAYERS = 4  # the loop is compiled once, for so many


class Felt(NamedTuple):
    """What a controller feels."""

    time: Any  # s
    q: Any  # (nq,)
    v: Any  # (nv,)
    force: Any  # (pads, DIM) of the ground on the robot
    mode: Any  # (pads,) int: 0 open, 1 sticks, 2 slides


class Own(NamedTuple):
    """What a controller has of its own."""

    numbers: Any  # (n,) its parameters
    memory: Any  # (n,) what it was told and what it remembers; zero when a run begins
    servo: Any  # (3, nv) stiffness, goal and damping that motors hold by themselves until told otherwise


class Body(NamedTuple):
    """The robot as its makers know it, loads unknown, and room for recursions, with gravity in it (row 0 of accel and lean)."""

    tree: Any
    work: Any


class Layer(NamedTuple):
    law: Any  # pointer to int64(float64, int64): asked with the time and
    frame: int  # where it finds what it feels and has


class Control(NamedTuple):
    tick: Any  # (n,) int: steps from one question to the next, of each layer that there is
    layers: Any  # MOST_LAYERS of them
    asked: Any  # (1,) int: the layer that was asked last


def asked(time, where):
    """A law as it is called by a pointer; `frame` and `law` are bound where it is compiled."""
    felt, own, body, out = frame(where)  # noqa: F821
    return law(Felt(time, felt.q, felt.v, felt.force, felt.mode), own, body, out)  # noqa: F821


@kernel
def put_frame(where, felt, own, body, out):
    """Write down what a law is given."""
    write(where, (felt, own, body, out))


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
