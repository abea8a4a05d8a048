"""Contact by a proximal law, as inertia and force inside the articulated-body algorithm.

Contact C at the point x of body B exerts the force f on it. With w its velocity at the end of the step and the multiplier (the
force of the last round of the augmented Lagrangian),

    z = multiplier - (J w + bias) / (R h),        f = projection of z on the friction cone, at a fixed limit of friction

J w + bias must vanish for a rigid contact: the bias holds the gap, and the distance from the anchor, over the time step. R is a
regularisation (a compliance). The projection has three outcomes. Open: f = 0. Stick: f = z. Slide: the normal part of z, and
friction of the size f_t_max against the slip.

Standard name: proximal point method, or augmented Lagrangian, for contact with Coulomb friction. It departs from the usual one
in two ways:

- No contact-space matrix is formed. A contact that sticks is a point mass 1/R on its body, one that slides is such a mass along
  the normal only. A Newton iterate is one pass of the articulated-body algorithm, and redundant contacts need no care.
- The limit of friction f_t_max is an unknown of an outer iteration (`core.contact.friction_limits`). Within one round it is
  fixed, and the problem is convex.

The multiplier is updated to the force found, so that R drops out: at the solution z = multiplier and J w + bias = 0. A compliant
contact (spring and damper) uses the R of its spring and damper and the multiplier 0. There R along the ground may differ from
that along the normal.
"""

import numpy as np

from footfall.core.contact.geometry import ON_CONE, RESTS, tangential
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    dot,
    force_at,
    get_inertia,
    get_motion,
    get_vector,
    inertia_lateral,
    inertia_of_rigid,
    inertia_rank1_downdate,
    inertia_sum,
    lateral_part,
    linear,
    no_vector,
    plus,
    point_rigid,
    put_inertia,
    put_motion,
    put_vector,
    scaled,
    shift_motion,
    subtract,
)

UNLIMITED = 1e30  # N: f_t_max of a contact whose normal force is not known yet, so that it first tries to stick
TINY = 1e-100  # N: forces below this have no direction; their squares are zero


@kernel
def over_compliance(contact, k, y, h):
    """y / (R h), with the R of the normal and that along the ground."""
    firm, more, rate = contact.mass_t[k], contact.mass_n[k] - contact.mass_t[k], 1.0 / h
    out = scaled(y, firm * rate)
    if more != 0.0:
        n = get_vector(contact.normal, k)
        out = plus(out, scaled(n, dot(n, y) * more * rate))
    return out


@kernel
def proximal(geometry, contact, k, w, h):
    """The force of contact k for the velocity w at the end of the step, and the z that it is projected from."""
    n = get_vector(contact.normal, k)
    excess = over_compliance(contact, k, plus(w, get_vector(contact.bias, k)), h)
    z = plus(get_vector(contact.multiplier, k), scaled(excess, -1.0))
    if geometry.bonded[k]:
        return z, z
    z_n = dot(z, n)
    if contact.sticks[k] >= RESTS:
        if contact.sticks[k] >= ON_CONE:
            return project_on_cone(z, n, geometry.friction[k]), z
        return plus(held_friction(contact, k), scaled(n, max(z_n, 0.0))), z
    z_t = plus(z, scaled(n, -z_n))
    if contact.f_before[k] == 0.0:
        f = clipped(z_t, contact.f_t_max[k])
    else:
        centre, radius = friction_disc(contact, k)
        f = plus(centre, clipped(plus(z_t, scaled(centre, -1.0)), radius))
    return plus(f, scaled(n, max(z_n, 0.0))), z


@kernel
def project_on_cone(z, n, mu):
    """The point of the friction cone about n that is nearest to z."""
    z_n, z_t = dot(z, n), tangential(z, n)
    size = np.sqrt(dot(z_t, z_t))
    if size <= mu * z_n:
        return z
    f_n = max(z_n + mu * size, 0.0) / (1.0 + mu * mu)
    return plus(scaled(n, f_n), scaled(z_t, mu * f_n / max(size, TINY)))


@kernel
def clipped(x, most):
    """The vector x, shortened to the length `most` if it is longer."""
    square = dot(x, x)
    return x if square <= most * most else scaled(x, most / np.sqrt(square))


@kernel
def friction_disc(contact, k):
    """Centre and radius of the disc of possible friction, in the mean over the kick.

    If the slip ends or reverses in this kick, friction until then is known: f_before. After that it is anywhere within its limit.
    """
    f_t_max = contact.f_t_max[k]
    f_before = min(contact.f_before[k], f_t_max)
    return scaled(get_vector(contact.d_before, k), f_before), f_t_max - f_before


@kernel
def held_friction(contact, k):
    """The tangential part of the multiplier: friction of a contact whose friction is fixed (RESTS)."""
    f, n = get_vector(contact.multiplier, k), get_vector(contact.normal, k)
    return plus(f, scaled(n, -dot(f, n)))


@kernel
def read_modes(geometry, contact, k, h):
    """Set the modes of contact k (closed, sticks) by the projection of z at the velocity v_next."""
    n = get_vector(contact.normal, k)
    _, z = proximal(geometry, contact, k, get_vector(contact.v_next, k), h)
    z_n = dot(z, n)
    closed = 1 if z_n > 0.0 or geometry.bonded[k] else 0
    if contact.sticks[k] >= RESTS:
        if contact.sticks[k] >= ON_CONE:
            read_modes_on_cone(contact, k, z, n, geometry.friction[k])
        else:
            contact.closed[k] = closed
        return
    centre, radius = friction_disc(contact, k)
    z_t = plus(plus(z, scaled(n, -z_n)), scaled(centre, -1.0))
    square = dot(z_t, z_t)
    sticks = 1 if (square <= radius * radius and radius > 0.0) or geometry.bonded[k] else 0
    contact.closed[k], contact.sticks[k] = closed, sticks
    if not sticks:
        size = np.sqrt(square)
        put_vector(contact.slip_direction, k, scaled(z_t, 1.0 / max(size, TINY)))
        contact.curvature[k] = min(radius / max(size, TINY), 1.0)


@kernel
def read_modes_on_cone(contact, k, z, n, mu):
    """The same for a contact on its cone: it sticks within the cone, is open in the polar one, and slides between them."""
    z_n, z_t = dot(z, n), tangential(z, n)
    size = np.sqrt(dot(z_t, z_t))
    f_n = max(z_n + mu * size, 0.0) / (1.0 + mu * mu)
    contact.sticks[k] = ON_CONE + (1 if size <= mu * z_n and z_n > 0.0 else 0)
    contact.closed[k] = 1 if f_n > 0.0 else 0
    put_vector(contact.slip_direction, k, scaled(z_t, 1.0 / max(size, TINY)))
    contact.curvature[k] = mu * f_n / max(size, TINY)


@kernel
def steepest(geometry, contact, k):
    """The unit vector along the edge of the cone on which contact k slides."""
    n, mu = get_vector(contact.normal, k), geometry.friction[k]
    return scaled(plus(n, scaled(get_vector(contact.slip_direction, k), mu)), 1.0 / np.sqrt(1.0 + mu * mu))


@kernel
def linear_force(geometry, contact, k, z, turned, h):
    """The force of contact k in the linear model of its present mode. `turned` is v_next less the velocity that z belongs to."""
    n = get_vector(contact.normal, k)
    z_n = dot(z, n)
    if contact.sticks[k] == 1:
        return z if contact.closed[k] else plus(z, scaled(n, -z_n))
    if contact.sticks[k] >= ON_CONE:
        return linear_force_on_cone(geometry, contact, k, z, turned, h)
    if contact.sticks[k] == RESTS:
        f = held_friction(contact, k)
    else:
        d, bend = get_vector(contact.slip_direction, k), contact.curvature[k] * contact.mass_t[k]
        centre, radius = friction_disc(contact, k)
        f = plus(plus(centre, scaled(d, radius)), lateral_part(n, d, turned, bend / h))
    return plus(f, scaled(n, z_n)) if contact.closed[k] else f


@kernel
def linear_force_on_cone(geometry, contact, k, z, turned, h):
    """The same for a contact on its cone: z within it, nothing beyond its polar cone, along the edge between them."""
    if contact.sticks[k] == ON_CONE + 1:
        return z
    if not contact.closed[k]:
        return no_vector()
    n, d, u = get_vector(contact.normal, k), get_vector(contact.slip_direction, k), steepest(geometry, contact, k)
    return plus(scaled(u, dot(u, z)), lateral_part(n, d, turned, contact.curvature[k] * contact.mass_t[k] / h))


@kernel
def add_contact(geometry, contact, work, k, h):
    """Add contact k in its present mode to the inertia and bias force of its body."""
    body, x, n = geometry.body[k], get_vector(contact.r_BC_W, k), get_vector(contact.normal, k)
    stiff, firm = contact.mass_n[k], contact.mass_t[k]
    # z without the part that depends on the acceleration: multiplier - (J v + bias)/(R h) + J a_bias/R
    a_bias = linear(shift_motion(get_motion(work.a_bias, body), x))
    missing = plus(get_vector(contact.v, k), scaled(a_bias, -h))
    excess = over_compliance(contact, k, plus(missing, get_vector(contact.bias, k)), h)
    z = plus(get_vector(contact.multiplier, k), scaled(excess, -1.0))
    f = linear_force(geometry, contact, k, z, plus(get_vector(contact.v_next, k), scaled(missing, -1.0)), h)
    K = get_inertia(work.inertia, body)
    if contact.sticks[k] == 1:
        K = inertia_sum(K, inertia_of_rigid(point_rigid(firm, x)))
        less = firm - stiff if contact.closed[k] else firm
        if less != 0.0:
            K = inertia_rank1_downdate(K, force_at(n, x), less)
    elif contact.sticks[k] >= ON_CONE:
        K = add_on_cone(geometry, contact, k, K, n, x)
    else:
        if contact.sticks[k] == 0:
            K = inertia_lateral(K, n, get_vector(contact.slip_direction, k), x, contact.curvature[k] * firm)
        if contact.closed[k]:
            K = inertia_rank1_downdate(K, force_at(n, x), -stiff)
    put_inertia(work.inertia, body, K)
    put_motion(work.force, body, subtract(get_motion(work.force, body), force_at(f, x)))


@kernel
def add_on_cone(geometry, contact, k, K, n, x):
    """The inertia K with that of contact k on its cone."""
    firm = contact.mass_t[k]
    if contact.sticks[k] == ON_CONE + 1:
        return inertia_sum(K, inertia_of_rigid(point_rigid(firm, x)))
    if contact.closed[k]:
        K = inertia_lateral(K, n, get_vector(contact.slip_direction, k), x, contact.curvature[k] * firm)
        K = inertia_rank1_downdate(K, force_at(steepest(geometry, contact, k), x), -firm)
    return K


@kernel
def contact_residual(geometry, contact, work, k, h):
    """Set the trial velocity and force of contact k from the accelerations found.

    Returns the square of the residual: of the distance between the force of the law at that velocity and the force that was
    assumed.
    """
    body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
    a = linear(shift_motion(subtract(get_motion(work.A_WB, body), get_motion(work.a_bias, body)), x))
    w = plus(get_vector(contact.v, k), scaled(a, h))
    f, z = proximal(geometry, contact, k, w, h)
    model = linear_force(geometry, contact, k, z, plus(get_vector(contact.v_next, k), scaled(w, -1.0)), h)
    put_vector(contact.v_trial, k, w)
    put_vector(contact.f_trial, k, model)
    put_vector(contact.force, k, f)
    residual = plus(f, scaled(model, -1.0))
    return dot(residual, residual)


@kernel
def contact_merit_slope(geometry, contact, k, alpha, h):
    """The part of contact k in the slope of the merit function, at the fraction alpha of the Newton step."""
    v_next, dv = get_vector(contact.v_next, k), plus(get_vector(contact.v_trial, k), scaled(get_vector(contact.v_next, k), -1.0))
    f, _ = proximal(geometry, contact, k, plus(v_next, scaled(dv, alpha)), h)
    model = plus(scaled(get_vector(contact.f_model, k), 1.0 - alpha), scaled(get_vector(contact.f_trial, k), alpha))
    return dot(dv, plus(model, scaled(f, -1.0)))


@kernel
def move_contact(contact, k, alpha):
    """Move velocity and force of contact k by the fraction alpha of the Newton step."""
    v_next, f_model = get_vector(contact.v_next, k), get_vector(contact.f_model, k)
    put_vector(contact.v_next, k, plus(scaled(v_next, 1.0 - alpha), scaled(get_vector(contact.v_trial, k), alpha)))
    put_vector(contact.f_model, k, plus(scaled(f_model, 1.0 - alpha), scaled(get_vector(contact.f_trial, k), alpha)))
