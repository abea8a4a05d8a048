"""SE(2) in scalars: tuples in, tuples out. The twin of `core.spatial.algebra`, name for name.

The plane is x-z, and turning is positive about +y, so that a turn takes x toward -z. Everything is written in world axes, about
the origin of the body concerned, linear part first:

    rotation (cos, sin, angle); the angle is kept because it counts whole turns
    vector   (x, z)
    spin     (w,)
    motion   (vx, vz, w)
    force    (fx, fz, n)
    rigid    (m, m cx, m cz, J): mass, first moment, rotational inertia about the origin
    inertia  symmetric 3x3 as 6 scalars (xx, zz, xz, xw, zw, ww)
"""

from footfall.core.planar.contacts import *  # noqa: F403
from footfall.core.planar.inertias import *  # noqa: F403
from footfall.core.planar.motions import *  # noqa: F403
from footfall.core.planar.vectors import *  # noqa: F403
