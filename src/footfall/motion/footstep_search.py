"""A* over footsteps: from a stance, every step of a set is tried, and the cheapest way to a goal is found (Chestnutt 2005).

A foot stands where its sole keeps a margin from all boxes. It swings on the curves of `motion.Swing`: straight over the ground
with a quintic's progress, up to its lift in the first half and down in the second. Where the sole is above a box on
that way, the lift must suffice. Boxes that are too high to step over stay clear of the body, and are not between the feet. One
stance is kept in each cell of place and yaw. The cost still to come is estimated by the shortest way over the ground around boxes
that are too high.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel

SHORTER = 0.9239  # cosine of 22.5 degrees: a way along eight directions over the straight one
SAMPLES = 48  # of a swing, at which it is looked at
X, Y, C, S, LENGTH, WIDTH, HEIGHT, REACH = 0, 1, 2, 3, 4, 5, 6, 7  # columns of boxes: LENGTH and WIDTH are halves
FOUND, NO_WAY, NO_ROOM = 0, 1, 2  # outcomes


class Body(NamedTuple):
    """What of the robot must not touch, and what a step may be. Rectangles are (back, front, right, left) from their place."""

    sole: Any  # (4,) of the left foot; that of the right one is its mirror image
    trunk: Any  # (4,) of all else, from the middle between the feet
    trunk_low: Any  # m: boxes lower than this pass below it
    margin: Any  # m: of soles from boxes
    side_margin: Any  # m: of soles from boxes that cannot be stepped over
    above: Any  # m: of a sole over a box
    lift: Any  # m: usual
    highest: Any  # m: largest lift
    apart: Any  # m: from foot to foot when they stand side by side
    delay: Any  # part of a swing before the foot moves level
    hurry: Any  # part of a swing after it has


class Costs(NamedTuple):
    """What a step costs, in s."""

    period: Any  # s: of a step
    effort: Any  # s/m: of lifting the foot higher than usual
    turn: Any  # s/rad
    long: Any  # s/m: of what a step is longer than usual
    usual: Any  # m: usual length of a step
    least: Any  # s/m: of a metre of way, at least


class Room(NamedTuple):
    """Where feet may stand, and the cells."""

    low: Any  # (2,) m
    high: Any  # (2,) m
    cell: Any  # (2,) m, rad
    shape: Any  # (3,) int: cells along x, y, yaw
    field: Any  # (cells along x, along y) m: way to the goal around all boxes that are too high; infinite where there is none


class Nodes(NamedTuple):
    """Stances that were reached, and those that are still open, as a binary heap."""

    pose: Any  # (n, 3) x, y, yaw of the foot that has just landed
    side: Any  # (n,) int: 0 left
    parent: Any  # (n,) int
    cost: Any  # (n,)
    lift: Any  # (n,) of the step that led here
    cell: Any  # (cells,) int: the cheapest node there, or -1
    key: Any  # (n,) heap: cost so far and still to come
    heap: Any  # (n,) int


@kernel
def push(nodes: Any, size: Any, node: Any, key: Any) -> Any:
    """Put a node on the heap of `size` entries."""
    i = size
    while i > 0:
        up = (i - 1) // 2
        if nodes.key[up] <= key:
            break
        nodes.key[i], nodes.heap[i] = nodes.key[up], nodes.heap[up]
        i = up
    nodes.key[i], nodes.heap[i] = key, node


@kernel
def pop(nodes: Any, size: Any) -> Any:
    """Take the cheapest node off."""
    first, last, key = nodes.heap[0], nodes.heap[size - 1], nodes.key[size - 1]
    n, i = size - 1, 0
    while 2 * i + 1 < n:
        down = 2 * i + 1
        if down + 1 < n and nodes.key[down + 1] < nodes.key[down]:
            down += 1
        if key <= nodes.key[down]:
            break
        nodes.key[i], nodes.heap[i] = nodes.key[down], nodes.heap[down]
        i = down
    nodes.key[i], nodes.heap[i] = key, last
    return first


@kernel
def middle_of(pose: Any, rect: Any) -> Any:
    """Middle and half sizes of a rectangle at a pose."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x, y = 0.5 * (rect[0] + rect[1]), 0.5 * (rect[2] + rect[3])
    return pose[0] + c * x - s * y, pose[1] + s * x + c * y, c, s, 0.5 * (rect[1] - rect[0]), 0.5 * (rect[3] - rect[2])


@kernel
def overlap(a: Any, b: Any, margin: Any) -> Any:
    """Whether two rectangles (x, y, cos, sin, half length, half width) are less than a margin apart, along any of their axes."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    c, s = abs(a[2] * b[2] + a[3] * b[3]), abs(a[2] * b[3] - a[3] * b[2])
    return (
        abs(a[2] * dx + a[3] * dy) < a[4] + c * b[4] + s * b[5] + margin
        and abs(a[2] * dy - a[3] * dx) < a[5] + s * b[4] + c * b[5] + margin
        and abs(b[2] * dx + b[3] * dy) < b[4] + c * a[4] + s * a[5] + margin
        and abs(b[2] * dy - b[3] * dx) < b[5] + s * a[4] + c * a[5] + margin
    )


@kernel
def inside(box: Any, x: Any, y: Any, margin: Any) -> Any:
    """Whether a point is in a rectangle, or less than a margin away along its axes."""
    dx, dy = x - box[0], y - box[1]
    return abs(box[2] * dx + box[3] * dy) < box[4] + margin and abs(box[2] * dy - box[3] * dx) < box[5] + margin


@kernel
def box_at(boxes: Any, k: Any) -> Any:
    return boxes[k, X], boxes[k, Y], boxes[k, C], boxes[k, S], boxes[k, LENGTH], boxes[k, WIDTH]


@kernel
def sole_at(body: Any, pose: Any, side: Any) -> Any:
    r = body.sole
    if side == 0:
        return middle_of(pose, (r[0], r[1], r[2], r[3]))
    return middle_of(pose, (r[0], r[1], -r[3], -r[2]))


@kernel
def too_high(body: Any, height: Any) -> Any:
    return height + body.above > body.highest


@kernel
def stands(body: Any, boxes: Any, pose: Any, side: Any) -> Any:
    """Whether a foot can be put there."""
    sole = sole_at(body, pose, side)
    for k in range(len(boxes)):
        margin = body.side_margin if too_high(body, boxes[k, HEIGHT]) else body.margin
        if overlap(sole, box_at(boxes, k), margin):
            return False
    return True


@kernel
def trunk_free(body: Any, boxes: Any, here: Any, there: Any) -> Any:
    """Whether the body can be between two feet: its rectangle is in the middle between them."""
    pose = 0.5 * (here[0] + there[0]), 0.5 * (here[1] + there[1]), 0.5 * (here[2] + there[2])
    trunk = middle_of(pose, body.trunk)
    for k in range(len(boxes)):
        if too_high(body, boxes[k, HEIGHT]) and inside(box_at(boxes, k), pose[0], pose[1], 0.5 * body.apart):
            return False
        if boxes[k, HEIGHT] > body.trunk_low and overlap(trunk, box_at(boxes, k), 0.0):
            return False
    return True


@kernel
def progress(s: Any) -> Any:
    """Of a quintic between two points at rest, at part s of its time."""
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@kernel
def swing_pose(body: Any, start: Any, end: Any, s: Any) -> Any:
    part = progress(min(max((s - body.delay) / (1.0 - body.delay - body.hurry), 0.0), 1.0))
    return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]), start[2] + part * (end[2] - start[2])


@kernel
def lift_needed(body: Any, boxes: Any, start: Any, end: Any, stance: Any, side: Any) -> Any:
    """The lift with which a foot swings from start to end above all boxes and past the other foot; infinite if there is none."""
    need, standing = body.lift, sole_at(body, stance, 1 - side)
    far = np.hypot(end[0] - start[0], end[1] - start[1]) + (body.sole[1] - body.sole[0]) + body.side_margin
    near = False
    for k in range(len(boxes)):
        near = near or np.hypot(boxes[k, X] - start[0], boxes[k, Y] - start[1]) < far + boxes[k, REACH]
    for i in range(1, SAMPLES):
        s = i / SAMPLES
        sole = sole_at(body, swing_pose(body, start, end, s), side)
        if i % 4 == 0 and overlap(sole, standing, 0.01):
            return np.inf
        if not near:
            continue
        hump = progress(2.0 * min(s, 1.0 - s))
        for k in range(len(boxes)):
            height = boxes[k, HEIGHT]
            if overlap(sole, box_at(boxes, k), body.side_margin if too_high(body, height) else body.margin):
                need = max(need, (height + body.above) / hump)
                if need > body.highest:
                    return np.inf
    return need


@kernel
def crossed(body: Any, boxes: Any, start: Any, end: Any, side: Any, k: Any) -> Any:
    """Whether a foot swings above box k."""
    for i in range(1, SAMPLES):
        if overlap(sole_at(body, swing_pose(body, start, end, i / SAMPLES), side), box_at(boxes, k), 0.0):
            return True
    return False


@kernel
def step_from(body: Any, stance: Any, side: Any, step: Any) -> Any:
    """Where the other foot is put: `step` is (ahead, farther aside than usual, turn), the turn outward if positive."""
    sign = 1.0 if side == 1 else -1.0  # the left foot steps if the right one stands
    turn = sign * step[2]
    c, s = np.cos(stance[2] + 0.5 * turn), np.sin(stance[2] + 0.5 * turn)
    aside = sign * (body.apart + step[1])
    return stance[0] + c * step[0] - s * aside, stance[1] + s * step[0] + c * aside, stance[2] + turn


@kernel
def cell_of(room: Any, pose: Any, side: Any) -> Any:
    """Number of a stance's cell, or -1 outside the room."""
    if not (room.low[0] <= pose[0] <= room.high[0] and room.low[1] <= pose[1] <= room.high[1]):
        return -1
    nx, ny, nt = room.shape
    turn = pose[2] / (2.0 * np.pi)
    i = min(int((pose[0] - room.low[0]) / room.cell[0]), nx - 1)
    j = min(int((pose[1] - room.low[1]) / room.cell[0]), ny - 1)
    t = int((turn - np.floor(turn)) * nt + 0.5) % nt
    return ((i * ny + j) * nt + t) * 2 + side


@kernel
def beside(body: Any, pose: Any, side: Any) -> Any:
    """Where the other foot is when both stand side by side."""
    return step_from(body, pose, side, (0.0, 0.0, 0.0))


@kernel
def to_come(body: Any, costs: Any, room: Any, goal: Any, pose: Any, side: Any) -> Any:
    """An estimate of the cost from a stance to the goal, for the middle between the feet."""
    other = beside(body, pose, side)
    i = min(max(int((0.5 * (pose[0] + other[0]) - room.low[0]) / room.cell[0]), 0), room.shape[0] - 1)
    j = min(max(int((0.5 * (pose[1] + other[1]) - room.low[1]) / room.cell[0]), 0), room.shape[1] - 1)
    return costs.least * max(room.field[i, j] - goal[3], 0.0)


@kernel(inline=False)
def flood(body: Any, room: Any, boxes: Any, goal: Any, nodes: Any) -> Any:
    """Set the field: Dijkstra from the goal's cell over a grid, to all eight neighbours, shortened to below the straight way."""
    (nx, ny, _), h = room.shape, room.cell[0]
    for i in range(nx):
        for j in range(ny):
            room.field[i, j] = np.inf
    i, j = min(max(int((goal[0] - room.low[0]) / h), 0), nx - 1), min(max(int((goal[1] - room.low[1]) / h), 0), ny - 1)
    room.field[i, j] = 0.0
    push(nodes, 0, i * ny + j, 0.0)
    size = 1
    while size > 0:
        key, cell = nodes.key[0], pop(nodes, size)
        size -= 1
        i, j = cell // ny, cell % ny
        if key > room.field[i, j]:
            continue
        for di in range(-1, 2):
            for dj in range(-1, 2):
                a, b = i + di, j + dj
                if (di == 0 and dj == 0) or not (0 <= a < nx and 0 <= b < ny):
                    continue
                way = key + h * SHORTER * (1.0 if di == 0 or dj == 0 else np.sqrt(2.0))
                if way >= room.field[a, b] or size >= len(nodes.key):
                    continue
                free, x, y = True, room.low[0] + (a + 0.5) * h, room.low[1] + (b + 0.5) * h
                for k in range(len(boxes)):
                    free = free and not (
                        too_high(body, boxes[k, HEIGHT]) and inside(box_at(boxes, k), x, y, 0.5 * body.apart - h)
                    )
                if free:
                    room.field[a, b] = way
                    push(nodes, size, a * ny + b, way)
                    size += 1


@kernel
def arrived(goal: Any, pose: Any, other: Any) -> Any:
    away = np.hypot(0.5 * (pose[0] + other[0]) - goal[0], 0.5 * (pose[1] + other[1]) - goal[1])
    turn = (pose[2] - goal[2]) / (2.0 * np.pi)
    return away <= goal[3] and abs(turn - np.floor(turn + 0.5)) * 2.0 * np.pi <= goal[4]


@kernel(inline=False)
def search(body: Any, costs: Any, room: Any, boxes: Any, steps: Any, goal: Any, nodes: Any, result: Any) -> Any:
    """Fill nodes from the first two on, which are where the feet stand: left, then right.

    `goal` is (x, y, yaw, within m, within rad).

    result: outcome, last node, nodes made, stances looked at.
    """
    flood(body, room, boxes, goal, nodes)
    count, size, looked = 2, 1, 0
    push(nodes, 0, 1, 0.0)
    result[0], result[1] = NO_WAY, -1
    while size > 0:
        node = pop(nodes, size)
        size -= 1
        side, pose = nodes.side[node], (nodes.pose[node, 0], nodes.pose[node, 1], nodes.pose[node, 2])
        if node > 1 and nodes.cell[cell_of(room, pose, side)] != node:
            continue  # a cheaper way to this cell was found since
        looked += 1
        before = nodes.parent[node]
        start = nodes.pose[before, 0], nodes.pose[before, 1], nodes.pose[before, 2]
        close = beside(body, pose, side)
        ends = arrived(goal, pose, close) and stands(body, boxes, close, 1 - side) and trunk_free(body, boxes, pose, close)
        if ends and lift_needed(body, boxes, start, close, pose, 1 - side) <= body.highest:
            result[0], result[1] = FOUND, node
            break
        for a in range(len(steps)):
            step = steps[a, 0], steps[a, 1], steps[a, 2]
            there = step_from(body, pose, side, step)
            cell = cell_of(room, there, 1 - side)
            if cell < 0:
                continue
            cost = nodes.cost[node] + costs.period + costs.turn * abs(step[2]) + costs.long * max(step[0] - costs.usual, 0.0)
            old = nodes.cell[cell]
            if old >= 0 and nodes.cost[old] <= cost:
                continue
            if not stands(body, boxes, there, 1 - side) or not trunk_free(body, boxes, pose, there):
                continue
            lift = lift_needed(body, boxes, start, there, pose, 1 - side)
            if lift > body.highest:
                continue
            cost += costs.effort * (lift - body.lift)
            left = to_come(body, costs, room, goal, there, 1 - side)
            if left == np.inf or (old >= 0 and nodes.cost[old] <= cost):
                continue
            if count >= len(nodes.cost):
                result[0], result[2], result[3] = NO_ROOM, count, looked
                return
            nodes.pose[count, 0], nodes.pose[count, 1], nodes.pose[count, 2] = there
            nodes.side[count], nodes.parent[count] = 1 - side, node
            nodes.cost[count], nodes.lift[count] = cost, lift
            nodes.cell[cell] = count
            push(nodes, size, count, cost + left)
            size += 1
            count += 1
    result[2], result[3] = count, looked
