"""SE(3) in scalars: tuples in, tuples out. The twin of `core.planar.algebra`, name for name.

Everything is written in world axes, about the origin of the body concerned, linear part first:

    rotation rotation matrix R_WB, nine entries by rows
    vector   (x, y, z)
    spin     (wx, wy, wz): angular velocity
    motion   (v, w): velocity or acceleration of the body's origin, then the angular one
    force    (f, n): force, then moment about the body's origin
    rigid    (m, m c, J): mass, first moment, rotational inertia about the origin (xx yy zz xy xz yz)
    inertia  symmetric 6x6 as 21 scalars: M (xx yy zz xy xz yz), H by rows, J (like M):  f = M a + H w',  n = H' a + J w'
"""

from footfall.core.spatial.contacts import *  # noqa: F403
from footfall.core.spatial.inertias import *  # noqa: F403
from footfall.core.spatial.motions import *  # noqa: F403
from footfall.core.spatial.vectors import *  # noqa: F403
