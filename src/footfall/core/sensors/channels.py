"""What one measured number goes through: low-pass, sample, bias and noise, range, resolution, delay.

A channel is a row of arrays. Its low-pass stands for the sensor's own dynamics, so it runs at every step of the simulation; what
it gives is sampled every `tick` steps, made worse, and shown `late` steps after it was taken, until the next one comes. A channel
that takes differences of another one's samples (a velocity from an encoder) has its low-pass behind the difference, at the rate
of the samples.

Three channels together may be the rotation vector of a ball joint (`axis` is 0, 1 and 2 for them). Its errors and its rates are
on the group of rotations: R exp(e), and log(R_before^T R) times the rate.

The low-pass is y[k] = sum_i b[i] u[k-i] - sum_i a[i] y[k-1-i], see `footfall.sensors.low_pass`.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.manifold import quaternion_exp, quaternion_log, quaternion_product
from footfall.core.sensors.noise import WORD, normal

TAPS = 5  # of the numerator
WHITE, WALK, PURPOSES = 0, 1, 2  # what a random number is for


class Channels(NamedTuple):
    input: Any  # (n,) what is measured, as it truly is now
    output: Any  # (n,) what the sensor shows now
    step: Any  # (1,) int: steps so far, -1 before the first
    tick: Any  # (n,) int: steps from sample to sample
    late: Any  # (n,) int: steps from a sample to when it is shown
    rate: Any  # (n,) samples a second
    of: Any  # (n,) int: the channel, before this one, whose differences it takes, or -1
    axis: Any  # (n,) int: its place in a rotation vector, or -1
    error: Any  # (n,) int: the first of three channels, before this one, that turn its rotation, or -1
    b: Any  # (n, TAPS) numerator of the low-pass
    a: Any  # (n, 2) denominator, after the 1
    u: Any  # (n, TAPS - 1) inputs before
    y: Any  # (n, 2) outputs before
    bias: Any  # (n,)
    noise: Any  # (n,) standard deviation of a sample
    walk: Any  # (n,) standard deviation by which the bias changes from sample to sample
    drift: Any  # (n,) how far it has walked
    resolution: Any  # (n,) 0 for none
    range: Any  # (n,) largest magnitude, before the resolution
    key: Any  # (n, 2) int: of its random numbers
    salt: Any  # (n,) int
    sample: Any  # (n,) the last one
    before: Any  # (n,) the one before
    ring: Any  # (n, m) samples that wait to be shown


@kernel(exact=True)
def low_pass(ch, c, x):
    """One step of a channel's filter."""
    out = ch.b[c, 0] * x
    for i in range(TAPS - 1):
        out += ch.b[c, i + 1] * ch.u[c, i]
    out -= ch.a[c, 0] * ch.y[c, 0] + ch.a[c, 1] * ch.y[c, 1]
    for i in range(TAPS - 2, 0, -1):
        ch.u[c, i] = ch.u[c, i - 1]
    ch.u[c, 0] = x
    ch.y[c, 1] = ch.y[c, 0]
    ch.y[c, 0] = out
    return out


@kernel(exact=True)
def settle(ch, c, x):
    """Begin as if the input had always been x."""
    for i in range(TAPS - 1):
        ch.u[c, i] = x
    ch.y[c, 0], ch.y[c, 1] = x, x
    ch.drift[c] = 0.0


@kernel(exact=True)
def spoiled(ch, c, x, number):
    """Sample `number` of a channel whose filter says x: with bias and noise, within its range, in whole increments."""
    if ch.walk[c] > 0.0 and number > 0:
        ch.drift[c] += ch.walk[c] * normal(ch.key[c, 0], ch.key[c, 1], number & WORD, ch.salt[c] + WALK)
    x += ch.bias[c] + ch.drift[c]
    if ch.noise[c] > 0.0:
        x += ch.noise[c] * normal(ch.key[c, 0], ch.key[c, 1], number & WORD, ch.salt[c] + WHITE)
    x = min(max(x, -ch.range[c]), ch.range[c])
    return ch.resolution[c] * np.rint(x / ch.resolution[c]) if ch.resolution[c] > 0.0 else x


@kernel(exact=True)
def turned(ch, c):
    """An entry of the rotation vector that is measured, after the samples of its errors: log(exp(x) exp(e))."""
    i, e = c - ch.axis[c], ch.error[c]
    R = quaternion_exp(ch.input[i], ch.input[i + 1], ch.input[i + 2])
    E = quaternion_exp(ch.sample[e], ch.sample[e + 1], ch.sample[e + 2])
    return quaternion_log(quaternion_product(R, E))[ch.axis[c]]


@kernel(exact=True)
def advanced(ch, c):
    """How far the channel of which c takes differences has gone from sample to sample; a rotation: log(exp(-x) exp(x'))."""
    i = ch.of[c]
    if ch.axis[c] < 0:
        return ch.sample[i] - ch.before[i]
    back = quaternion_exp(-ch.before[i], -ch.before[i + 1], -ch.before[i + 2])
    now = quaternion_exp(ch.sample[i], ch.sample[i + 1], ch.sample[i + 2])
    return quaternion_log(quaternion_product(back, now))[ch.axis[c]]


@kernel(exact=True)
def measure(ch):
    """One step of the simulation for all channels."""
    ch.step[0] += 1
    step, room = ch.step[0], ch.ring.shape[1]
    for c in range(len(ch.input)):
        x, of, tick = ch.input[c], ch.of[c], ch.tick[c]
        if step == 0:
            settle(ch, c, x)
        if of < 0:
            x = low_pass(ch, c, x)
        if step % tick == 0:
            number = step // tick
            if of >= 0:  # at the first sample there is no difference yet: the velocity is taken as it is
                x = low_pass(ch, c, advanced(ch, c) * ch.rate[c] if step > 0 else x)
            if ch.error[c] >= 0:
                x = turned(ch, c)
            ch.before[c] = ch.sample[c]
            ch.sample[c] = spoiled(ch, c, x, number)
            ch.ring[c, number % room] = ch.sample[c]
        shown = step - ch.late[c]
        if step == 0:
            ch.output[c] = ch.sample[c]
        elif shown >= 0 and shown % tick == 0:
            ch.output[c] = ch.ring[c, (shown // tick) % room]


@kernel(exact=True)
def measure_series(ch, inputs, outputs):
    """The channels for a whole series of inputs, a row for each step: to look at sensors by themselves."""
    for i in range(len(inputs)):
        for c in range(len(ch.input)):
            ch.input[c] = inputs[i, c]
        measure(ch)
        for c in range(len(ch.input)):
            outputs[i, c] = ch.output[c]
