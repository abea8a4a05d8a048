"""Exchange left and right: the state of a planar robot in which every body is where its twin was."""

from footfall.core.jit import kernel
from footfall.core.joints import PLANAR
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.algebra import angular, get_motion, get_rotation, get_vector, linear, plus, scaled


@kernel
def relabel(tree, work, twins, q, v):
    """Change q and v in place, by turns that joints have between the twins; hinges and planar joints only."""
    set_speeds(tree, work, q, v)
    for i in range(1, len(tree.parent)):
        twin, parent = twins[i], twins[tree.parent[i]]
        k, d = tree.first_q[i], tree.first_v[i]
        if tree.kind[i] == PLANAR:
            place = plus(get_vector(work.p_WB, twin), scaled(get_vector(tree.offset, i), -1.0))
            speed = linear(get_motion(work.V_WB, twin))
            q[k], q[k + 1] = place[0], place[1]
            v[d], v[d + 1] = speed[0], speed[1]
            k, d = k + 2, d + 2
        q[k] = get_rotation(work.R_WB, twin)[2] - get_rotation(work.R_WB, parent)[2]
        v[d] = angular(get_motion(work.V_WB, twin))[0] - angular(get_motion(work.V_WB, parent))[0]
