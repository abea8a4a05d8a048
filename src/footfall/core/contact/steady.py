"""A kick once more without its jolts: the forces between two impacts of a time step."""

from footfall.core.contact.geometry import OPEN, STICK
from footfall.core.contact.joint_constraints import hold_constraints
from footfall.core.contact.law import UNLIMITED
from footfall.core.contact.step import aim, find_contacts, prepare, reset_contact, solve_within_limits
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import dot, get_vector, put_vector, scaled


@kernel(inline=False)
def kick_steadily(data, ahead):
    """The same kick once more, without jolts: what touches keeps its normal velocity, and what strikes takes no part."""
    work, motion, contact, geometry, constraints = data.work, data.motion, data.contact, data.geometry, data.constraints
    length = contact.kick[0]
    prepare(data.tree, work, motion.q, motion.v, motion.v)
    find_contacts(data.ground, geometry, contact, work, ahead)
    aim(geometry, contact, work, data.settings, length, ahead)
    for k in range(len(geometry.body)):
        if contact.mode[k] == OPEN:
            contact.active[k] = 0
            reset_contact(contact, k)
        elif geometry.stiffness[k] == 0.0:
            n, u = get_vector(contact.normal, k), get_vector(contact.v, k)
            reset_contact(contact, k)
            put_vector(contact.bias, k, scaled(u if contact.mode[k] == STICK else scaled(n, dot(u, n)), -1.0))
            contact.closed[k] = 1
            if geometry.friction[k] > 0.0:
                contact.f_t_max[k], contact.sticks[k] = UNLIMITED, 1
    hold_constraints(constraints, motion.v)
    solve_within_limits(data, length, ahead, motion.v)
    for d in range(len(motion.v)):
        motion.v[d] += length * motion.a[d]
