"""What contact needs to know of the plane: distance and normal of the ground, and the point in which a pad touches it.

The twin of `core.spatial.contacts`, name for name."""

import numpy as np

from footfall.core.ground import FLAT, ground_at
from footfall.core.jit import kernel
from footfall.core.planar.vectors import get_vector, plus, rotate, rotate_back, scaled
from footfall.core.trig import CLEARLY, nearest_within


@kernel
def surface(ground, p):
    """Distance of a point from the ground (negative below), and the ground's normal there."""
    if ground.kind == FLAT:
        return p[1] - ground.numbers[0], (0.0, 1.0)
    z, slope, _ = ground_at(ground, p[0], 0.0)
    k = 1.0 / np.sqrt(1.0 + slope * slope)
    return (p[1] - z) * k, (-slope * k, k)


@kernel
def in_profile(p):
    """The components of a vector in the profile's plane: ahead and up."""
    return p


@kernel
def upright(x, z):
    """The vector with these components in the profile's plane."""
    return x, z


@kernel
def contact_point(geometry, k, R, n):
    """Where pad k would touch ground of normal n, from its body's origin, and its position along the arc."""
    center = rotate(R, get_vector(geometry.at, k))
    radius = geometry.radius[k]
    if radius == 0.0:
        return center, 0.0
    down = rotate_back(R, n)
    cosine, sine = from_middle(geometry, k, down)
    if cosine < geometry.closing[k] - CLEARLY and abs(sine) > CLEARLY:
        tip = geometry.tips[k, 1 if sine > 0.0 else 0]
        return rim_point(geometry, k, R, tip[1], tip[2]), radius * tip[0]
    angle = nearest_within(np.arctan2(-down[0], down[1]), geometry.low[k], geometry.high[k])
    return arc_point(geometry, k, R, angle), radius * angle


@kernel
def from_middle(geometry, k, down):
    """Cosine and sine of the angle from the middle of arc k to where it would touch ground of normal `down`, in its body."""
    c, s = geometry.middle[k, 0], geometry.middle[k, 1]
    return down[1] * c - down[0] * s, -down[0] * c - down[1] * s


@kernel
def arc_point(geometry, k, R, angle):
    """The point of arc k at an angle, from its body's origin."""
    return rim_point(geometry, k, R, np.sin(angle), np.cos(angle))


@kernel
def rim_point(geometry, k, R, sine, cosine):
    """The same, at the angle with this sine and cosine."""
    rim = rotate(R, (sine, -cosine))
    return plus(rotate(R, get_vector(geometry.at, k)), scaled(rim, geometry.radius[k]))


@kernel
def rolling_direction(geometry, k, R, n):
    """The direction along its sole in which the contact point of a pad moves when it rolls on."""
    if geometry.length[k] > 0.0:
        return rotate(R, get_vector(geometry.front, k))
    return n[1], -n[0]


@kernel
def ball_roll(geometry, contact, k, R, n):
    """In the plane there are no balls: a circle is an arc."""
    return 0.0, 0.0


@kernel
def rolled_back(R, down):
    """From the middle of a round sole to where it touches, and back by the way that it has rolled."""
    return down[0] + R[2] * down[1], down[1] - R[2] * down[0]


@kernel
def inertia_lateral(K, n, d, x, k):
    """In space, K with a mass k at x that resists motion across both n and d; in the plane there is none."""
    return K


@kernel
def lateral_part(n, d, u, k):
    """In space, k times the part of u across both n and d; in the plane there is none."""
    return 0.0, 0.0
