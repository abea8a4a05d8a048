"""Compliant contacts: a spring and a damper along the normal, and another along the ground."""

from footfall.core.contact.geometry import OPEN, STICK, tangential
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import dot, get_vector, plus, put_vector, scaled

STOPS_TWICE = 2.0  # damping times time over mass: beyond, the mean of velocities would change its sign


@kernel
def aim_springs(geometry, contact, k, kick, h):
    """Set bias and compliance of contact k, which has springs and dampers: f = -(c w + stiffness e + c_v v), w after the kick.

    A contact that touches within the kick has its damper for the part of it that is left.
    """
    n, v, e = get_vector(contact.normal, k), get_vector(contact.v, k), get_vector(contact.error, k)
    v_n, e_n, part = dot(v, n), dot(e, n), 1.0
    if contact.mode[k] == OPEN and v_n < 0.0:
        part = min(max(0.5 - contact.gap[k] / (h * -v_n), 0.01), 1.0)
    stiffness, pull = geometry.stiffness[k], geometry.tangential_stiffness[k]
    c, c_v = spring_coefficients(stiffness, geometry.damping[k], geometry.mobility[k], h)
    b, b_v = pull * h + geometry.tangential_damping[k], 0.0  # whether it sticks again is judged by the end of the step
    if contact.mode[k] == STICK:
        b, b_v = spring_coefficients(pull, geometry.tangential_damping[k], geometry.mobility[k], h)
    contact.mass_n[k], contact.mass_t[k] = kick * c * part, kick * b * part
    along = plus(scaled(tangential(e, n), pull / b), scaled(tangential(v, n), b_v / b))
    if contact.mode[k] == OPEN:
        e_n = min(e_n, 0.0)
    put_vector(contact.bias, k, plus(along, scaled(n, (stiffness * e_n + c_v * v_n) / c)))
    put_vector(contact.multiplier, k, scaled(e, 0.0))


@kernel
def spring_coefficients(stiffness, damping, mobility, h):
    """c and c_v of a spring and damper within a step.

    Damper at the mean velocity, spring at the instant with the quarter of the step that makes it stable for any stiffness
    (Newmark's average acceleration): second order, and no energy is lost. A damper that would stop its foot more than twice
    within the step would make it ring, so there both act at the end (implicit Euler).
    """
    if damping * mobility * h > STOPS_TWICE:
        return stiffness * h + damping, 0.0
    return 0.25 * stiffness * h + 0.5 * damping, 0.5 * damping - 0.25 * stiffness * h
