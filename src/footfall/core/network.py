"""What a policy sees, as a row of numbers, and the network that turns it into another row."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel

# where a number comes from
COORDINATE, VELOCITY, TOUCH, FORCE, WRENCH, ACCELERATION, SINE, COSINE = range(8)


class Inputs(NamedTuple):
    """A row of numbers that are read from an observation, and held within bounds."""

    kind: Any  # (n,) int
    index: Any  # (n,) int: of the coordinate, velocity, first contact or sensor
    end: Any  # (n,) int: after the last contact
    axis: Any  # (n,) int: of a force or an acceleration
    low: Any  # (n,)
    high: Any  # (n,)
    period: float  # s: of the clock


@kernel(exact=True)
def within(value, low, high):
    """The value, or the bound that it is beyond; what is not a number stays so."""
    if value < low:
        return low
    if value > high:
        return high
    return value


@kernel(exact=True)
def read_inputs(obs, inputs, x):
    """Fill x. A sensor that is not there gives not-a-number."""
    phase = 2.0 * np.pi * obs.time / inputs.period
    for k in range(len(inputs.kind)):
        kind, i, axis, value = inputs.kind[k], inputs.index[k], inputs.axis[k], np.nan
        if kind == COORDINATE:
            value = obs.q[i]
        elif kind == VELOCITY:
            value = obs.v[i]
        elif kind == TOUCH:
            value = 0.0
            for c in range(i, inputs.end[k]):
                if obs.mode[c] > 0:
                    value = 1.0
        elif kind == FORCE:
            value = 0.0
            for c in range(i, inputs.end[k]):
                value += obs.force[c, axis]
        elif kind == WRENCH:
            value = obs.wrench[i, axis]
        elif kind == ACCELERATION:
            if i < obs.acceleration.shape[0]:
                value = obs.acceleration[i, axis]
        elif kind == SINE:
            value = np.sin(phase)
        else:
            value = np.cos(phase)
        x[k] = within(value, inputs.low[k], inputs.high[k])


@kernel(exact=True)
def evaluate(sizes, weights, x, y):
    """A network with tanh between its layers. `weights` has for each layer the matrix, row by row, and the biases.

    x holds its inputs and y, as long as the widest layer, its outputs; both are worked in.
    """
    at, last = 0, len(sizes) - 2
    for layer in range(len(sizes) - 1):
        n, m = sizes[layer], sizes[layer + 1]
        for i in range(m):
            total = weights[at + n * m + i]
            for j in range(n):
                total += weights[at + i * n + j] * x[j]
            y[i] = total
        at += (n + 1) * m
        if layer < last:
            for i in range(m):
                x[i] = np.tanh(y[i])


@kernel(exact=True)
def evaluate_rows(net, rows, out):
    """The outputs of a network for each row of inputs, held within bounds."""
    sizes, weights, x, y, low, high = net
    for k in range(len(rows)):
        for j in range(len(rows[k])):
            x[j] = rows[k, j]
        evaluate(sizes, weights, x, y)
        for i in range(len(low)):
            out[k, i] = within(y[i], low[i], high[i])
