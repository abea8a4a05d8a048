"""Friction's largest forces, brought into line with what presses.

While modes are found, the grip g of each contact is fixed. What presses then is known, and each contact lacks r(g) = friction *
press - g. The grips of one foot act on each other through its load, so all that matter are renewed together (Anderson mixing):
the changes of g and r in the rounds before say how much of each to take back.
"""

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import dot, get_vector
from footfall.core.world.contact import FIRM, RESTS, SLIDE

DEPTH = 4  # rounds that are remembered


@kernel
def renew_grips(pads, touch, rounds):
    """Set `lack` of every contact, and its next grip."""
    if rounds == 0:
        touch.mixed[0] = 0
    changed = 0
    for k in range(len(pads.body)):
        if touch.near[k]:
            changed = max(changed, measure_lack(pads, touch, k, rounds))
    if rounds == 0 or changed:
        touch.mixed[0] = 0
    else:
        remember(pads, touch)
    count = mix(pads, touch)
    for k in range(len(pads.body)):
        if touch.near[k]:
            learn_give(touch, k, rounds)
            step = mixed_step(touch, k, count) if count and touch.matters[k] else lone_step(touch, k)
            new = pads.friction[k] * pressing(touch, k) if touch.grip[k] >= FIRM else max(touch.grip[k] + step, 0.0)
            touch.grip[k], touch.last_lack[k] = new, touch.lack[k]


@kernel
def pressing(touch, k):
    return max(dot(get_vector(touch.force, k), get_vector(touch.normal, k)), 0.0)


@kernel
def measure_lack(pads, touch, k, rounds):
    """What contact k lacks. Returns 1 if it has just begun or ceased to matter: with grip to spare, grip does not."""
    grip = touch.grip[k]
    lack = pads.friction[k] * pressing(touch, k) - grip
    matters = 1 if touch.sticks[k] == 0 or (touch.sticks[k] != RESTS and lack < -grip) else 0
    changed = 1 if rounds > 0 and (matters != touch.matters[k] or touch.last_grip[k] >= FIRM) else 0
    touch.lack[k], touch.matters[k] = lack, matters
    return changed


@kernel
def learn_give(touch, k, rounds):
    """How the lack of contact k changes with its grip; remembered while it slides."""
    grip, way = touch.grip[k], touch.grip[k] - touch.last_grip[k]
    if rounds == 0 and touch.mode[k] != SLIDE:
        touch.give[k] = 1.0
    elif rounds > 0 and touch.last_grip[k] < FIRM and abs(way) > 1e-6 * grip:
        give = (touch.last_lack[k] - touch.lack[k]) / way
        touch.give[k] = give if give > 1e-3 else 1.0  # the more grip, the less it lacks
    touch.last_grip[k] = grip


@kernel
def lone_step(touch, k):
    """What contact k would add to its grip if it were alone."""
    return touch.lack[k] / (touch.give[k] if touch.matters[k] else 1.0)


@kernel
def remember(pads, touch):
    """Keep how grips and lacks have changed since the last round."""
    slot = touch.mixed[0] % DEPTH
    touch.mixed[0] += 1
    for k in range(len(pads.body)):
        on = touch.near[k] and touch.matters[k]
        touch.ways[slot, k] = touch.grip[k] - touch.last_grip[k] if on else 0.0
        touch.lacks[slot, k] = touch.lack[k] - touch.last_lack[k] if on else 0.0


@kernel
def mix(pads, touch):
    """How much of each change to take back, so that least would have lacked. Returns the number of changes to go by."""
    lacks, M, count = touch.lacks, touch.mixing, min(touch.mixed[0], DEPTH)
    for i in range(count):
        M[i, DEPTH] = product(pads, touch, lacks[i], touch.lack)
        for j in range(i + 1):
            M[i, j] = product(pads, touch, lacks[i], lacks[j])
    solve_small(M, count)
    for k in range(len(pads.body)):
        if touch.near[k] and touch.matters[k] and touch.lack[k] * mixed_step(touch, k, count) < 0.0:
            touch.mixed[0] = 0  # the more grip, the more it lacks: it jams, and will stick
            return 0
    return count


@kernel
def product(pads, touch, x, y):
    """Sum of x y over the contacts that matter: of either side, and of both, so that it does not matter which is which."""
    left, right = 0.0, 0.0
    for k in range(len(pads.body)):
        if touch.near[k] and touch.matters[k]:
            if pads.right[k]:
                right += x[k] * y[k]
            else:
                left += x[k] * y[k]
    return left + right


@kernel
def mixed_step(touch, k, count):
    step = touch.lack[k]
    for i in range(count):
        step -= touch.mixing[i, DEPTH] * (touch.ways[i, k] + touch.lacks[i, k])
    return step


@kernel
def solve_small(M, count):
    """Solve the symmetric system whose lower part and right side stand in M, leaving out what is as good as dependent."""
    for j in range(count):
        pivot = M[j, j]
        for i in range(j):
            pivot -= M[j, i] * M[j, i] * M[i, i]
        keep = pivot > 1e-10 * M[j, j] and M[j, j] > 0.0
        M[j, j] = pivot if keep else 1.0
        for i in range(j + 1, count):
            entry = M[i, j]
            for s in range(j):
                entry -= M[i, s] * M[j, s] * M[s, s]
            M[i, j] = entry / pivot if keep else 0.0
        for i in range(j):
            M[j, DEPTH] -= M[j, i] * M[i, DEPTH]
        if not keep:
            M[j, DEPTH] = 0.0
    for j in range(count):
        M[j, DEPTH] /= M[j, j]
    for j in range(count - 1, -1, -1):
        for i in range(j + 1, count):
            M[j, DEPTH] -= M[i, j] * M[i, DEPTH]
