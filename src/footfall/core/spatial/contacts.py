"""What contact needs to know of space: distance and normal of the ground, and the point in which a pad touches it.

The twin of `core.planar.contacts`, name for name."""

import numpy as np

from footfall.core.ground import FLAT, ground_at
from footfall.core.jit import kernel
from footfall.core.spatial.inertias import inertia_rank1_downdate
from footfall.core.spatial.motions import force_at
from footfall.core.spatial.vectors import (
    cross,
    dot,
    get_rotation,
    get_vector,
    plus,
    rotate,
    rotate_back,
    rotation_error,
    scaled,
)
from footfall.core.trig import CLEARLY, nearest_within


@kernel
def surface(ground, p):
    """Distance of a point from the ground (negative below), and the ground's normal there."""
    if ground.kind == FLAT:
        return p[2] - ground.numbers[0], (0.0, 0.0, 1.0)
    z, zx, zy = ground_at(ground, p[0], p[1])
    k = 1.0 / np.sqrt(1.0 + zx * zx + zy * zy)
    return (p[2] - z) * k, (-zx * k, -zy * k, k)


@kernel
def in_profile(p):
    """The components of a vector in the profile's plane: ahead and up."""
    return p[0], p[2]


@kernel
def upright(x, z):
    """The vector with these components in the profile's plane."""
    return x, 0.0, z


@kernel
def contact_point(geometry, k, R, n):
    """Where pad k would touch ground of normal n, from its body's origin, and its position along the arc."""
    center = rotate(R, get_vector(geometry.at, k))
    radius = geometry.radius[k]
    if radius == 0.0:
        return center, 0.0
    if geometry.ball[k]:
        return plus(center, scaled(n, -radius)), 0.0
    down = rotate_back(R, n)
    front, up = get_vector(geometry.front, k), get_vector(geometry.up, k)
    cosine, sine = from_middle(geometry, k, down)
    if cosine < geometry.closing[k] * np.sqrt(cosine * cosine + sine * sine) - CLEARLY and abs(sine) > CLEARLY:
        tip = geometry.tips[k, 1 if sine > 0.0 else 0]
        return rim_point(geometry, k, R, tip[1], tip[2]), radius * tip[0]
    angle = nearest_within(np.arctan2(-dot(down, front), dot(down, up)), geometry.low[k], geometry.high[k])
    return arc_point(geometry, k, R, angle), radius * angle


@kernel
def from_middle(geometry, k, down):
    """Cosine and sine of the angle from the middle of arc k to where it would touch ground of normal `down`, in its body; both
    times the part of the normal that is in the plane of the arc.
    """
    ahead, above = dot(down, get_vector(geometry.front, k)), dot(down, get_vector(geometry.up, k))
    c, s = geometry.middle[k, 0], geometry.middle[k, 1]
    return above * c - ahead * s, -ahead * c - above * s


@kernel
def arc_point(geometry, k, R, angle):
    """The point of arc k at an angle, from its body's origin."""
    return rim_point(geometry, k, R, np.sin(angle), np.cos(angle))


@kernel
def rim_point(geometry, k, R, sine, cosine):
    """The same, at the angle with this sine and cosine."""
    front, up = get_vector(geometry.front, k), get_vector(geometry.up, k)
    rim = rotate(R, plus(scaled(front, sine), scaled(up, -cosine)))
    return plus(rotate(R, get_vector(geometry.at, k)), scaled(rim, geometry.radius[k]))


@kernel
def rolling_direction(geometry, k, R, n):
    """The direction along its sole in which the contact point of a pad moves when it rolls on."""
    if geometry.length[k] > 0.0:
        return rotate(R, get_vector(geometry.front, k))
    side = rotate(R, cross(get_vector(geometry.up, k), get_vector(geometry.front, k)))
    ahead = cross(side, n)
    return scaled(ahead, 1.0 / np.sqrt(dot(ahead, ahead) + 1e-30))


@kernel
def ball_roll(geometry, contact, k, R, n):
    """The way that the contact point of ball k, or of the rod between two balls, went on its surface since it was anchored.

    With phi the turn since then and n_0 the normal then, it is r (phi x n - (n - n_0)), with the mean normal in the product: on
    level ground the way of the middle. Turning about the normal does not count. On a rod the way along it is added.
    """
    n_0 = get_vector(contact.anchor_n, k)
    phi = rotation_error(R, get_rotation(contact.anchor_R, k))
    way = plus(cross(phi, scaled(plus(n, n_0), 0.5)), plus(n_0, scaled(n, -1.0)))
    way = scaled(way, geometry.radius[k])
    if geometry.length[k] > 0.0:
        way = plus(way, scaled(rolling_direction(geometry, k, R, n), contact.roll[k] - contact.anchor_roll[k]))
    return way


@kernel
def rolled_back(R, down):
    """In space nothing is held that rolls: `down` is zero."""
    return down


@kernel
def inertia_lateral(K, n, d, x, k):
    """In space, K with a mass k at x that resists motion across both n and d; in the plane there is none."""
    return inertia_rank1_downdate(K, force_at(cross(n, d), x), -k)


@kernel
def lateral_part(n, d, u, k):
    """In space, k times the part of u across both n and d; in the plane there is none."""
    b = cross(n, d)
    return scaled(b, k * dot(b, u))
