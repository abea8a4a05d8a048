"""Contacts with the ground, stops and dry friction of joints as rows of the border, in their present modes.

A contact that sticks holds the velocity of its point; one that slides holds its normal part, and its force has friction against
the slip. A round sole that rolls touches with a new point at every moment: what that, the curvature of the ground and a corner of
the ground under a straight sole do to the row is found by moving the body on at constant velocity, a moment forth and back.
"""

from footfall.core.contact.edges import FAR, touch_one, touching_point
from footfall.core.contact.geometry import MAX_ITERATIONS, OPEN, SAME_NORMAL, STICK
from footfall.core.contact.joint_constraints import DRY
from footfall.core.ground import PROFILE
from footfall.core.jit import kernel
from footfall.core.maximal.border import add_wrench, constrain, new_row
from footfall.core.spatial.algebra import (
    DIM,
    angular,
    compose,
    dot,
    force_at,
    get_motion,
    get_rotation,
    get_spin,
    get_vector,
    linear,
    no_vector,
    plus,
    put_spin,
    put_vector,
    rotate,
    rotation_exp,
    scaled,
    shift_motion,
    surface,
)

MOMENT = 1e-5  # s: for differences
SLIPS = 1e-7  # m/s: slower than this a contact has no direction of slip


@kernel
def touch_at(ground, geometry, contact, k, R, p_WB):
    """Gap, normal, contact point (from the body's origin) and place along its sole of contact k for a pose of its body."""
    if ground.kind == PROFILE and contact.feature[k] >= 0:
        return touch_one(ground, geometry, contact, k, R, p_WB, contact.feature[k])
    roll, there = 0.0, True
    x = rotate(R, get_vector(geometry.at, k))
    gap, n = surface(ground, plus(p_WB, x))
    if geometry.radius[k] > 0.0:
        for _ in range(MAX_ITERATIONS):
            x, roll, there = touching_point(geometry, contact, k, R, n, -1)
            last = n
            gap, n = surface(ground, plus(p_WB, x))
            change = plus(n, scaled(last, -1.0))
            if dot(change, change) < SAME_NORMAL:
                break
    return gap if there else FAR, n, x, roll


@kernel(inline=False)
def place_contact(data, k):
    """Set gap, normal and point of contact k, where poses are set, without a new look for what it touches."""
    i, contact = data.geometry.body[k], data.contact
    R, p_WB = get_rotation(data.work.R_WB, i), get_vector(data.work.p_WB, i)
    gap, n, r_BC_W, roll = touch_at(data.ground, data.geometry, contact, k, R, p_WB)
    contact.gap[k], contact.roll[k] = gap, roll
    put_vector(contact.normal, k, n)
    put_vector(contact.r_BC_W, k, r_BC_W)
    put_vector(contact.v, k, point_velocity(data, k))


@kernel
def point_velocity(data, k):
    """Velocity of the point of the body at which contact k touches."""
    return linear(shift_motion(get_motion(data.work.V_WB, data.geometry.body[k]), get_vector(data.contact.r_BC_W, k)))


@kernel(inline=False)
def set_bias(data, flow, k):
    """Acceleration of the contact's velocity, and of its normal part, while its body moves on at constant velocity."""
    i, contact = data.geometry.body[k], data.contact
    R, p_WB, V = get_rotation(data.work.R_WB, i), get_vector(data.work.p_WB, i), get_motion(data.work.V_WB, i)
    rate, normal = scaled(p_WB, 0.0), 0.0
    put_spin(flow.room, 0, angular(V))
    for e in range(len(flow.room[1])):
        flow.room[1, e] = MOMENT * flow.room[0, e]
        flow.room[2, e] = -MOMENT * flow.room[0, e]
    for side in range(2):
        sign = 1.0 - 2.0 * side
        R_then = compose(rotation_exp(get_spin(flow.room, 1 + side)), R)
        p_then = plus(p_WB, scaled(linear(V), sign * MOMENT))
        _, n, r_BC_W, _ = touch_at(data.ground, data.geometry, contact, k, R_then, p_then)
        u = linear(shift_motion(V, r_BC_W))
        rate = plus(rate, scaled(u, sign / (2.0 * MOMENT)))
        normal += sign / (2.0 * MOMENT) * dot(n, u)
    put_vector(flow.bias, k, rate)
    flow.bias_n[k] = normal


@kernel
def set_tangents(flow, k, n):
    """Directions along the ground at contact k, perpendicular to each other."""
    most = 0
    for e in range(DIM):
        if abs(n[e]) > abs(n[most]):
            most = e
    count = 0
    for e in range(DIM):
        if e != most:
            t = get_vector(flow.axes, e)
            t = plus(t, scaled(n, -dot(t, n)))
            for c in range(count):
                other = get_vector(flow.tangent[k], c)
                t = plus(t, scaled(other, -dot(t, other)))
            put_vector(flow.tangent[k], count, scaled(t, dot(t, t) ** -0.5))
            count += 1


@kernel
def slip_of(u, n):
    """The part of a velocity along the ground."""
    return plus(u, scaled(n, -dot(u, n)))


@kernel
def aim_friction(data, flow, k):
    """Let the friction of contact k, which slides, act against its slip. In the plane its sense stays until it is told; on slick
    ground there is none."""
    if flow.slick[0]:
        put_vector(flow.direction, k, no_vector())
        return
    u = slip_of(get_vector(data.contact.v, k), get_vector(data.contact.normal, k))
    speed = dot(u, u) ** 0.5
    if speed > SLIPS and (DIM == 3 or dot(u, get_vector(flow.direction, k)) == 0.0):
        put_vector(flow.direction, k, scaled(u, -1.0 / speed))


@kernel(inline=False)
def set_contact_rows(data, flow, rubs):
    """Add rows of all contacts that are not open; their velocities, biases and directions are set. With `rubs` those that slide
    have friction in their force."""
    geometry, contact, border = data.geometry, data.contact, flow.border
    for k in range(len(geometry.body)):
        if contact.mode[k] != OPEN:
            i, n, r = geometry.body[k], get_vector(contact.normal, k), get_vector(contact.r_BC_W, k)
            flow.row[k] = new_row(border, -flow.bias_n[k])
            constrain(border, flow.row[k], i, force_at(n, r), 1.0)
            if contact.mode[k] == STICK:
                set_tangents(flow, k, n)
                for c in range(DIM - 1):
                    t = get_vector(flow.tangent[k], c)
                    row = new_row(border, -dot(t, get_vector(flow.bias, k)))
                    constrain(border, row, i, force_at(t, r), 1.0)
            elif rubs:
                pull = force_at(get_vector(flow.direction, k), r)
                add_wrench(border.f[flow.row[k]], i, pull, geometry.friction[k])


@kernel
def set_joint_rows(data, flow, holds):
    """Add rows of all stops that act, and with `holds` of dry friction that holds."""
    constraints, border = data.constraints, flow.border
    for r in range(len(constraints.dof)):
        dry = constraints.kind[r] == DRY
        if (dry and holds and flow.holds[r]) or (not dry and constraints.on[r]):
            row = new_row(border, 0.0)
            flow.joint_row[r] = row
            border.row_s[row, constraints.dof[r]] = border.tau[row, constraints.dof[r]] = 1.0 if dry else constraints.sign[r]


@kernel
def set_contact_forces(data, flow):
    """contact.force from the unknowns of the border: forces, or impulses."""
    contact, y = data.contact, flow.border.y
    for k in range(len(data.geometry.body)):
        f = scaled(get_vector(contact.normal, k), 0.0)
        if contact.mode[k] != OPEN:
            f = scaled(get_vector(contact.normal, k), y[flow.row[k]])
            if contact.mode[k] == STICK:
                for c in range(DIM - 1):
                    f = plus(f, scaled(get_vector(flow.tangent[k], c), y[flow.row[k] + 1 + c]))
            else:
                f = plus(f, scaled(get_vector(flow.direction, k), data.geometry.friction[k] * y[flow.row[k]]))
        put_vector(contact.force, k, f)
