"""Ground with edges: which faces and corners of a profile the pads touch.

A profile is a chain of straight faces, vertical ones too. Its features are numbered along it: face j, which ends at knot j, is
2j; the corner at knot i is 2i + 1. A contact touches one feature at a time and keeps it while it is closed. A pad has as many
contacts as features that it may touch at once, each with a different one. Points touch faces, arcs also convex corners, and
straight soles (the line from pad to pad) and rods (the line from ball to ball of a capsule) only convex corners.
"""

import numpy as np

from footfall.core.ground import knots_before, profile_at
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    arc_point,
    contact_point,
    from_middle,
    get_rotation,
    get_vector,
    in_profile,
    no_vector,
    plus,
    put_vector,
    rotate,
    rotate_back,
    scaled,
    surface,
    upright,
)

FAR = 1e3  # m: gap of a contact that touches nothing
NEAR = 0.1  # m: features farther away are not looked at
BEHIND = 0.01  # m: a face goes on so far behind the next one where they make a hollow
SHALLOW = 1e-3  # m: a corner less deep than this may leave by another side than the nearest, if that one cannot meet it
PAST = 1e-4  # m: a corner less deep than this inside a round sole has come through it
SWEEP = 2e-3  # m: a line that is less than this behind the outline may be on it after a time step
DEEP = 1e-4  # m: a point so deep behind a face that it has not touched came to the ground through another one,
NEARER = 0.1  # if it is no deeper behind that than this part
SAME = 1e-9  # m: lengths that differ by less are the same
WHOLE = 2.0 * np.pi - 1e-9  # rad: an arc that spans more has no ends
END = 1e-9  # rad: nearer than this to the end of an arc is at its end
MOST_TOUCHES = 3  # of a pad at once
LEVEL = 0.1  # an arc whose chord leans more than this (sine) touches a face with one end at most, now and after a drift
LEAN = 0.1  # a straight sole may lean this much (sine) beyond a corner's faces


@kernel
def end_at(geometry, k, roll):
    """At which end of arc k a position along it is: -1 or 1, and 0 between them, and for all that has no ends."""
    radius, low, high = geometry.radius[k], geometry.low[k], geometry.high[k]
    if geometry.spare[k] == 0:
        return 0
    return -1 if roll < radius * (low + END) else 1 if roll > radius * (high - END) else 0


@kernel
def is_on(contact, k):
    """Whether contact k is closed, or strikes now: then it stays where it is."""
    return contact.mode[k] != 0 or contact.impacting[k] != 0


@kernel
def touching_point(geometry, contact, k, R, n, feature):
    """Where contact k would touch a face with normal n, from its body's origin, its position along the sole, and whether it may.

    `feature` is the face, or -1 on ground without edges.
    """
    x, roll = contact_point(geometry, k, R, n)
    natural, spare = end_at(geometry, k, roll), geometry.spare[k]
    if natural == 0:
        return x, roll, spare == 0 or spare != k
    if not is_on(contact, k) and not is_on(contact, spare) and spare != k:
        return x, roll, True
    end = end_of(geometry, contact, k, natural, feature)
    if end == natural:
        return x, roll, True
    angle = end_angle(geometry, k, end)
    return arc_point(geometry, k, R, angle), geometry.radius[k] * angle, True


@kernel(inline=False)
def end_of(geometry, contact, k, natural, feature):
    """The end with which contact k would touch a face, of an arc whose end `natural` is nearer to it.

    A round sole with two ends lies on both of them when it is upside down: the contact of the sole has one end, and its spare
    contact the other. Which has which stays the same while one of them is closed. Otherwise the sole has the nearer end.
    """
    spare = geometry.spare[k]
    if spare != k:
        if is_on(contact, k) and contact.feature[k] == feature:
            kept = end_at(geometry, k, contact.roll[k])
        else:
            kept = -closed_end(geometry, contact, spare, feature)
        return kept if kept != 0 else natural
    kept = known_end(geometry, contact, geometry.owner[k], feature)
    if kept == 0:
        kept = -closed_end(geometry, contact, k, feature)
    return -kept if kept != 0 else -natural


@kernel
def end_angle(geometry, k, end):
    """The angle of an end of arc k."""
    low, high = geometry.low[k], geometry.high[k]
    return 0.5 * (low + high) + 0.5 * end * (high - low)


@kernel
def shared(geometry, contact, k, feature):
    """Whether the other contact of arc k, its spare one or its own, has this feature."""
    if geometry.spare[k] != k:
        return contact.feature[geometry.spare[k]] == feature
    return known_end(geometry, contact, geometry.owner[k], feature) != 0


@kernel
def lies_along(geometry, contact, j, R):
    """Whether contact j of an arc has one of its ends, and the chord to the other end is all but along the ground there.

    Only then can the other end touch the same plane: it is higher by the chord times the sine.
    """
    if end_at(geometry, j, contact.roll[j]) == 0:
        return False
    _, sine = from_middle(geometry, j, rotate_back(R, get_vector(contact.normal, j)))
    return abs(sine) < LEVEL


@kernel
def upside_down(geometry, k, R):
    """Whether arc k would touch level ground with an end."""
    cosine, sine = from_middle(geometry, k, rotate_back(R, upright(0.0, 1.0)))
    return cosine <= geometry.closing[k] * np.sqrt(cosine * cosine + sine * sine)


@kernel
def closed_end(geometry, contact, spare, feature):
    """The end with which a spare contact touches a feature; 0 if it does not."""
    return end_at(geometry, spare, contact.roll[spare]) if is_on(contact, spare) and contact.feature[spare] == feature else 0


@kernel
def known_end(geometry, contact, first, feature):
    """The end with which a contact in the ring of contact `first` touches a feature, or would; 0 if there is none."""
    j = first
    for _ in range(MOST_TOUCHES):
        if contact.feature[j] == feature:
            return end_at(geometry, j, contact.roll[j])
        j = geometry.next[j]
    return 0


@kernel
def face_direction(ground, j):
    """Direction and length of face j; level and endless before the first knot and after the last."""
    knots, heights = ground.knots, ground.numbers
    if j <= 0 or j >= len(knots):
        return 1.0, 0.0, np.inf
    x, z = knots[j] - knots[j - 1], heights[j] - heights[j - 1]
    length = np.sqrt(x * x + z * z)
    return x / length, z / length, length


@kernel
def reach_over(ground, i, gap):
    """How far beyond corner i its faces count for a point with this gap: to the bisector of a convex corner."""
    x, z, before = face_direction(ground, i)
    u, w, after = face_direction(ground, i + 1)
    sine, cosine = u * z - x * w, x * u + z * w
    if sine > 0.0:
        return gap * sine / (1.0 + cosine)
    return min(BEHIND, 0.5 * min(before, after))


@kernel
def touch_face(ground, geometry, contact, k, R, p_WB, j):
    """Gap to face j, its normal, the contact point from the body's origin, and its position along the sole."""
    x, z, length = face_direction(ground, j)
    n, face = upright(-z, x), (x, z, length)
    r_BC_W, roll, there = touching_point(geometry, contact, k, R, n, 2 * j)
    gap = above_face(ground, j, face, plus(p_WB, r_BC_W)) if there else FAR
    end = end_at(geometry, k, roll)
    if end != 0 and gap >= FAR and there and not is_on(contact, k):  # the other end may be over this face
        angle = end_angle(geometry, k, -end)
        r_BC_W, roll = arc_point(geometry, k, R, angle), geometry.radius[k] * angle
        gap = FAR if shared(geometry, contact, k, 2 * j) else above_face(ground, j, face, plus(p_WB, r_BC_W))
    return gap, n, r_BC_W, roll


@kernel
def above_face(ground, j, face, p):
    """Gap of a point to face j, of this direction and length; FAR if it is beyond its ends."""
    x, z, length = face
    px, pz = in_profile(p)
    first = max(j - 1, 0)
    px, pz = px + ground.origin[0] - ground.knots[first], pz - ground.numbers[first]
    along, gap = x * px + z * pz, x * pz - z * px
    beyond = along if j == 0 else along - length
    if (j > 0 and -along > reach_over(ground, j - 1, gap)) or (j < len(ground.knots) and beyond > reach_over(ground, j, gap)):
        gap = FAR
    return gap


@kernel
def is_far_side(ground, j, p, gap):
    """Whether face j, behind which point p is by -gap, is the far side of a wall: p is outside the ground, or just behind
    another face. A face is a half space without end, but ground has two sides.
    """
    px, pz = in_profile(p)
    x = px + ground.origin[0]
    under, _, _ = profile_at(ground.knots, ground.numbers, x)
    if pz > under + SAME:
        return True
    if gap > -DEEP:
        return False
    for i in range(knots_before(ground.knots, x + gap), knots_before(ground.knots, x - gap) + 1):
        if i != j and NEARER * gap < above_face(ground, i, face_direction(ground, i), p) <= SAME:
            return True
    return False


@kernel
def touch_corner(ground, geometry, k, R, p_WB, i):
    """The same for corner i."""
    x, z, _ = face_direction(ground, i)
    u, w, _ = face_direction(ground, i + 1)
    corner, faces = (ground.knots[i] - ground.origin[0], ground.numbers[i]), (x, z, u, w)
    if u * z - x * w <= 0.0:
        return FAR, upright(0.0, 1.0), no_vector(), 0.0
    if geometry.length[k] == 0.0:
        gap, nx, nz, r_BC_W, roll = round_on_corner(geometry, k, R, p_WB, corner)
        lean = 0.0
    else:
        gap, nx, nz, r_BC_W, roll = straight_on_corner(geometry, k, R, p_WB, corner, faces)
        lean = LEAN
    if not between(faces, nx, nz, lean):
        gap = FAR
    return gap, upright(nx, nz), r_BC_W, roll


@kernel
def between(faces, nx, nz, lean):
    """Whether a normal lies between those of the two faces at a corner, or nearly so."""
    x, z, u, w = faces
    return nx * x + nz * z >= -lean and nx * u + nz * w <= lean


@kernel
def round_on_corner(geometry, k, R, p_WB, corner):
    """Gap, normal, contact point and position along the sole of an arc above a corner. In space the arc may lean: iterated."""
    at, radius = rotate(R, get_vector(geometry.at, k)), geometry.radius[k]
    cx, cz = in_profile(plus(p_WB, at))
    cx, cz = cx - corner[0], cz - corner[1]
    dx, dz, r_BC_W, roll = cx, cz, at, 0.0
    nx, nz, gap, aside = 0.0, 1.0, FAR, 0.0
    for _ in range(4):
        size = max(np.sqrt(dx * dx + dz * dz), 1e-300)
        nx, nz = dx / size, dz / size
        r_BC_W, roll = contact_point(geometry, k, R, upright(nx, nz))
        rx, rz = in_profile(plus(r_BC_W, scaled(at, -1.0)))
        gap, aside = nx * (cx + rx) + nz * (cz + rz), nz * (cx + rx) - nx * (cz + rz)
        dx, dz = cx + rx + radius * nx, cz + rz + radius * nz
    angle, low, high = roll / radius, geometry.low[k], geometry.high[k]
    at_end = high - low < 2.0 * np.pi - 1e-9 and (angle < low + 1e-9 or angle > high - 1e-9)
    return FAR if at_end or abs(aside) > 1e-6 else gap, nx, nz, r_BC_W, roll


@kernel
def straight_on_corner(geometry, k, R, p_WB, corner, faces):
    """The same for a straight sole or a rod; `faces` are the directions of those before and behind the corner."""
    at, direction = rotate(R, get_vector(geometry.at, k)), rotate(R, get_vector(geometry.front, k))
    ax, az = in_profile(plus(p_WB, at))
    ax, az = ax - corner[0], az - corner[1]
    wx, wz = in_profile(direction)
    square = wx * wx + wz * wz
    if square < 1e-6:  # it lies along the edge: its ends touch
        return FAR, 0.0, 1.0, at, 0.0
    along = -(wx * ax + wz * az) / square
    side = 1.0 if wx * (faces[0] + faces[2]) + wz * (faces[1] + faces[3]) > 0.0 else -1.0  # so that it points out
    seen = np.sqrt(square)  # of its length
    nx, nz = -side * wz / seen, side * wx / seen
    gap, radius = nx * ax + nz * az, geometry.radius[k]
    ends = min(along, geometry.length[k] - along) * seen
    outside = ends <= 0.0 or not on_outline(geometry, k, R, (ax, az), (nx, nz), (gap, ends), faces)
    return (
        FAR if outside else gap - radius,
        nx,
        nz,
        plus(plus(at, scaled(direction, along)), scaled(upright(nx, nz), -radius)),
        along,
    )


@kernel
def width(geometry, k, R, x, z):
    """Half the width of the block of a line along (x, z), in the profile's plane."""
    total = 0.0
    for i in range(3):
        u, w = in_profile(rotate(R, get_vector(geometry.half[k], i)))
        total += abs(x * u + z * w)
    return total


@kernel
def on_outline(geometry, k, R, start, n, far, faces):
    """Whether a corner may meet this line of its block: the line is on the outline seen in the profile's plane, or about to be,
    and if the corner is inside, it is the nearest line.

    A line behind the outline comes to be on it when its block turns: it must be known before it strikes. `start` is where the
    line begins, seen from the corner; `far` holds the gap and the distance to the nearer end. A line without a block has two
    sides: a corner that is deep, and as deep as far from an end, has come past that end.
    """
    gap, ends = far
    size = width(geometry, k, R, n[0], n[1])
    if size < SAME:
        return ends > -gap or gap > -SHALLOW
    x, z = start
    for i in range(3):
        u, w = in_profile(rotate(R, get_vector(geometry.half[k], i)))
        x, z = x + u, z + w
    behind = size - n[0] * (x - start[0]) - n[1] * (z - start[1])
    if behind > SAME and behind - gap > (SWEEP if gap > 0.0 and ends > SWEEP else PAST):
        return False
    for i in range(3):
        u, w = in_profile(rotate(R, get_vector(geometry.half[k], i)))
        length = np.sqrt(u * u + w * w)
        if gap < 0.0 and length > SAME:
            inward = 1.0 if u * z - w * x > 0.0 else -1.0
            u, w = -inward * w / length, inward * u / length
            nearer = u * x + w * z - width(geometry, k, R, u, w) > gap + SAME
            if nearer and (gap < -SHALLOW or between(faces, u, w, LEAN)):
                return False
    return True


@kernel
def distance_to_profile(ground, x, z, reach):
    """Distance of a point from the profile, negative below it; faces farther than `reach` away, level, are not looked at."""
    knots, heights = ground.knots, ground.numbers
    x = x + ground.origin[0]
    first, last = knots_before(knots, x - reach), knots_before(knots, x + reach)
    under, _, _ = profile_at(knots, heights, x)
    nearest = np.inf
    for j in range(first, last + 1):
        u, w, length = face_direction(ground, j)
        start = max(j - 1, 0)
        dx, dz = x - knots[start], z - heights[start]
        along = min(u * dx + w * dz, 0.0) if j == 0 else min(max(u * dx + w * dz, 0.0), length)
        dx, dz = dx - along * u, dz - along * w
        nearest = min(nearest, np.sqrt(dx * dx + dz * dz))
    return nearest if z > under else -nearest


@kernel
def touch_one(ground, geometry, contact, k, R, p_WB, feature):
    if feature % 2:
        return touch_corner(ground, geometry, k, R, p_WB, feature // 2)
    return touch_face(ground, geometry, contact, k, R, p_WB, feature // 2)


@kernel
def taken(geometry, contact, k, feature):
    """Whether another contact of the same pad touches this feature, or would."""
    j = geometry.next[k]
    while j != k:
        if contact.feature[j] == feature:
            return True
        j = geometry.next[j]
    return False


@kernel
def others_touch(geometry, contact, k):
    """Whether another contact of the same pad has a feature: then nothing is left for this one."""
    j = geometry.next[k]
    while j != k:
        if contact.feature[j] >= 0:
            return True
        j = geometry.next[j]
    return False


@kernel
def at_least(ground, geometry, k, x, z, feature):
    """A lower bound of the gap to a feature; x and z are of the arc's centre or of the beginning of the line.

    Where a face counts beyond its end, the gap is less than the distance, but not by more than a third.
    """
    i, size = feature // 2, geometry.radius[k] + geometry.length[k]
    if feature % 2:
        x, z = x + ground.origin[0] - ground.knots[i], z - ground.numbers[i]
        return np.sqrt(x * x + z * z) - size
    first = max(i - 1, 0)
    u, w, length = face_direction(ground, i)
    x, z = x + ground.origin[0] - ground.knots[first], z - ground.numbers[first]
    along, above = u * x + w * z, u * z - w * x
    if above < 0.0:
        return above - size
    beyond = max(along, 0.0) if i == 0 else max(along - length, -along, 0.0)
    far = np.sqrt(above * above + beyond * beyond) - size
    return min(far, far * 2.0 / 3.0)


@kernel
def past_end(geometry, contact, k, roll, gap):
    """Whether a corner inside round sole k came past an end of it.

    A round sole is a curve with two ends. A foot that leans over a corner, with its toe against the riser, has the corner behind
    that curve, between its toe and its ankle: nearer to the end than to the curve, and it did not touch before. It did not come
    there through the sole, and must not leave through it.
    """
    if contact.mode[k] != 0 or gap > -PAST or geometry.spare[k] == 0:
        return False
    radius, low, high = geometry.radius[k], geometry.low[k], geometry.high[k]
    return min(roll - radius * low, radius * high - roll) < -gap


@kernel
def try_feature(ground, geometry, contact, k, pose, feature, best):
    """Let contact k touch a feature that is nearer than `best`. Returns the smaller gap."""
    R, p_WB = pose
    gap, n, r_BC_W, roll = touch_one(ground, geometry, contact, k, R, p_WB, feature)
    if gap >= best or (feature % 2 and past_end(geometry, contact, k, roll, gap)):
        return best
    fresh = contact.mode[k] == 0 or contact.feature[k] != feature
    if fresh and gap < -SAME and feature % 2 == 0 and is_far_side(ground, feature // 2, plus(p_WB, r_BC_W), gap):
        return best
    contact.feature[k], contact.gap[k], contact.roll[k] = feature, gap, roll
    put_vector(contact.normal, k, n)
    put_vector(contact.r_BC_W, k, r_BC_W)
    return gap


@kernel(inline=False)
def locate_on_profile(ground, geometry, contact, work):
    """Set gap, normal and contact point of every contact, and the feature that it touches or is nearest to."""
    for k in range(len(geometry.body)):
        choose_feature(ground, geometry, contact, work, k)


@kernel
def choose_feature(ground, geometry, contact, work, k):
    """The same for contact k: the feature that it touched, if it still does, otherwise the nearest that is free."""
    body, kept = geometry.body[k], contact.feature[k]
    R, p_WB = get_rotation(work.R_WB, body), get_vector(work.p_WB, body)
    spare = geometry.spare[k] == k and k > 0
    if spare and not upside_down(geometry, k, R):
        contact.feature[k], contact.gap[k], contact.mode[k] = -1, FAR, 0
        return
    known = is_on(contact, k) and 0 <= kept <= 2 * len(ground.knots)
    if known and try_feature(ground, geometry, contact, k, (R, p_WB), kept, FAR) < FAR:
        return
    if not geometry.bonded[k]:
        contact.mode[k] = 0  # a new feature is a new contact
    r_BC_W = rotate(R, get_vector(geometry.at, k))
    x, z = in_profile(plus(p_WB, r_BC_W))
    reach = geometry.radius[k] + geometry.length[k] + NEAR
    first = knots_before(ground.knots, x + ground.origin[0] - reach)
    last = knots_before(ground.knots, x + ground.origin[0] + reach)
    corners, faces = geometry.radius[k] > 0.0 or geometry.length[k] > 0.0, geometry.length[k] == 0.0
    corners = corners and not spare  # an end is a point
    contact.feature[k], contact.gap[k], best = -1, FAR, FAR
    if 2 * first <= kept <= 2 * last and not taken(geometry, contact, k, kept):
        best = try_feature(ground, geometry, contact, k, (R, p_WB), kept, best)
    for feature in range(2 * first, 2 * last + 1):
        open_to = corners if feature % 2 else faces
        nearer = open_to and at_least(ground, geometry, k, x, z, feature) < min(best, NEAR)
        if nearer and not taken(geometry, contact, k, feature):
            best = try_feature(ground, geometry, contact, k, (R, p_WB), feature, best)
    if contact.feature[k] < 0:
        n = upright(0.0, 1.0)
        if geometry.owner[k] == k and not others_touch(geometry, contact, k):  # far away, or so deep that only the way up is out
            r_BC_W, contact.roll[k] = contact_point(geometry, k, R, n)
            gap, _ = surface(ground, plus(p_WB, r_BC_W))
            contact.gap[k] = gap if gap < 0.0 else max(gap, NEAR)
        put_vector(contact.normal, k, n)
        put_vector(contact.r_BC_W, k, r_BC_W)
