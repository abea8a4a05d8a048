"""Three point masses as a controller sees them: two legs from the hip to the feet, and the effect of forces along them."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel

PARALLEL = 0.02  # sine of the angle between legs below which they count as one
REACH = 0.5, 30.0  # m/s, 1/s: how fast a leg that should stand and does not grows, and how soon it does
SPARE = 0.005  # m: kept from the stops


class Make(NamedTuple):
    """Sizes, masses and limits of the robot."""

    hip: Any  # kg
    foot: Any  # kg
    gravity: Any  # m/s2
    zero: Any  # m: leg whose coordinate is zero
    shortest: Any  # m
    longest: Any  # m
    force: Any  # N: most in a leg


class Leg(NamedTuple):
    """A leg, and how it moves."""

    x: Any  # m: foot
    z: Any
    length: Any  # m
    rate: Any  # m/s
    pitch: Any  # rad
    turn: Any  # rad/s
    sin: Any  # (sin, cos) points from the foot to the hip
    cos: Any
    stands: Any


@kernel
def see_leg(q, length, rate, pitch, turn, on):
    s, c = np.sin(pitch), np.cos(pitch)
    return Leg(q[0] - length * s, q[1] - length * c, length, rate, pitch, turn, s, c, on)


@kernel
def see_legs(obs, zero):
    """The left leg and the right one."""
    q, v = obs.q, obs.v
    left = see_leg(q, zero + q[3], v[3], q[2], v[2], obs.mode[0] > 0)
    right = see_leg(q, zero + q[5], v[5], q[2] + q[4], v[2] + v[4], obs.mode[1] > 0)
    return left, right


@kernel
def within(x, low, high):
    return min(max(x, low), high)


@kernel
def carry(make, front, rear, fx, fz):
    """Forces of two legs that stand which lay (fx, fz) on the hip, as far as feet can push: a leg that would pull is left out."""
    det = front.sin * rear.cos - front.cos * rear.sin
    along_front, along_rear = fx * front.sin + fz * front.cos, fx * rear.sin + fz * rear.cos
    if not (front.stands and rear.stands):
        a = along_front if front.stands else 0.0
        b = along_rear if rear.stands else 0.0
    elif abs(det) < PARALLEL:
        a = b = 0.5 * along_front
    else:
        a, b = (fx * rear.cos - fz * rear.sin) / det, (front.sin * fz - front.cos * fx) / det
        if b < 0.0:
            a, b = along_front, 0.0
        elif a < 0.0:
            a, b = 0.0, along_rear
    return within(a, 0.0, make.force), within(b, 0.0, make.force)


@kernel
def reach_down(make, leg):
    """Force of a leg that should stand: it grows until it does."""
    return make.foot * REACH[1] * (REACH[0] - leg.rate)


@kernel
def hold_length(make, leg, length, stiffness, damping):
    """Force of a leg that bears the hip and the other foot, and keeps its length; it cannot pull."""
    weight = (make.hip + make.foot) * make.gravity * leg.cos
    return within(stiffness * (length - leg.length) - damping * leg.rate + weight, 0.0, make.force)


@kernel
def follow_virtual(make, obs, leg, foot, v_foot, frequency, ratio):
    """Force and torque that bring a leg to the virtual one that ends at `foot`, moving with `v_foot`, and bear the foot's weight.

    The foot answers as a mass on a spring of this frequency (1/s) and damping ratio.
    """
    dx, dz = obs.q[0] - foot[0], obs.q[1] - foot[1]
    length = np.sqrt(dx * dx + dz * dz)
    s, c = dx / length, dz / length
    vx, vz = v_foot[0] - obs.v[0], v_foot[1] - obs.v[1]
    rate, turn, pitch = -(vx * s + vz * c), (vz * s - vx * c) / length, np.arctan2(dx, dz)
    wanted = within(length, make.shortest + SPARE, make.longest - SPARE)
    if wanted != length:
        rate = 0.0
    k, d = frequency * frequency, 2.0 * ratio * frequency
    force = make.foot * (k * (wanted - leg.length) + d * (rate - leg.rate) - make.gravity * leg.cos)
    sway = k * (pitch - leg.pitch) + d * (turn - leg.turn)
    return force, make.foot * leg.length * (leg.length * sway + make.gravity * leg.sin)
