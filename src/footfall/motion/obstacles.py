"""Footsteps among obstacles: for each box on the ground, step over it or walk around it, whichever costs less.

Johnnie, section 6, names it as a next step that the robot decides this by itself. The cheapest row of footsteps is searched for
(`footstep_search`): its cost is time, and more for lifting a foot high, for turns and for long steps. It is then made a walking
pattern, and the exact distance of every shape of the robot to every box is found over the whole of it (`clearance`). If that is
too small, margins grow and the search begins again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.kinematics.poses import placed
from footfall.model.quantity import check_quantities, count, note, quantity
from footfall.model.robot import Robot
from footfall.motion import footstep_search as fs
from footfall.motion.clearance import Clearance, clearance, shapes_of
from footfall.motion.curve import MotionError
from footfall.motion.footsteps import SIDES, Footstep, FootstepPlan, Swing, Timing
from footfall.motion.legs import TwoLegs, posture_of, two_legs
from footfall.motion.pattern import walking_pattern
from footfall.world.terrain import Blocks

TRIES = 5  # searches
WIDER = 0.03  # m: by which margins grow if a part of the robot comes too near
SWAY = 0.4  # of the width: how far the body is taken to be off the middle between the feet
SHORTER = 0.9  # of the longest step, if legs do not reach it
BENT = 0.86  # hip height over that of straight legs: knees must stay bent in long and high steps
SAME = 1e-9  # s: costs that differ by less are the same
LARGEST = 1.0  # m: a cell
MOST_CELLS = 50_000_000  # of a search, which take 400 MB
HIGH = 1e3  # m: a box that nobody steps over
ROWS_DT = 0.01  # s: between rows of the pattern that is looked at


@dataclass(frozen=True)
class Stepping:
    """How a robot steps among obstacles. Lengths that are left out follow from its legs."""

    height: float | None = quantity(
        "m", "of the hips above the ground; 0.86 of straight legs if left out", None, low=0.05, high=10.0
    )
    width: float = quantity("m", "from foot to foot", 0.20, low=0.01, high=2.0)
    timing: Timing = note("of the walk", Timing(0.8, 0.2))
    swing: Swing = note("of a usual step: lift, and what it waits and hurries to clear boxes", Swing(delay=0.15, hurry=0.15))
    highest: float | None = quantity("m", "largest lift of a foot; a fifth of the leg if left out", None, low=0.0, high=5.0)
    usual: float = quantity("m", "length of a usual step", 0.4, low=0.01, high=5.0)
    longest: float | None = quantity("m", "longest step; as far as bent legs reach if left out", None, low=0.01, high=5.0)
    knee: float = quantity("rad", "that a leg stays bent by in its longest step", 0.75, low=0.0, high=3.0)
    turn: float = quantity("rad", "largest turn in a step", 0.3, low=0.0, high=1.5)
    margin: float = quantity("m", "of soles from boxes, seen from above", 0.025, low=0.0, high=1.0)
    above: float = quantity("m", "of soles over boxes", 0.025, low=0.0, high=1.0)
    aside: float = quantity("m", "of soles from boxes that are too high to step over", 0.08, low=0.0, high=1.0)
    clear: float = quantity("m", "least distance of any part of the robot from any box", 0.015, low=0.0, high=1.0)
    effort: float = quantity("s/m", "cost of lifting a foot higher than usual", 4.0, low=0.0, high=1e4)
    dizzy: float = quantity("s/rad", "cost of a turn", 0.5, low=0.0, high=1e4)
    stretch: float = quantity("s/m", "cost of a step longer than usual, on top of its time", 2.0, low=0.0, high=1e4)
    cells: float = quantity("m", "size of the cells of the search; there is one stance in each", 0.07, low=5e-3, high=LARGEST)
    greed: float = quantity(
        "1", "weight of the cost to come; above 1 the search is faster, its cost at most so much higher", 1.1, low=0.0, high=10.0
    )
    nodes: int = count("stances that may be kept in a search", 600_000, low=100, high=20_000_000)

    def __post_init__(self) -> None:
        check_quantities(self, "Stepping", MotionError)
        if not isinstance(self.timing, Timing) or not isinstance(self.swing, Swing) or self.swing.apex != 0.5:
            raise MotionError(
                f"Stepping: timing must be a Timing, and swing a Swing with apex 0.5, got {self.timing!r}, {self.swing!r}"
            )
        if self.highest is not None and self.highest < self.swing.lift:
            raise MotionError(f"Stepping: highest must not be below lift, {self.swing.lift:g} m, got {self.highest:g}")
        if self.longest is not None and self.longest < self.usual:
            raise MotionError(f"Stepping: longest must not be below usual, {self.usual:g} m, got {self.longest:g}")

    def for_robot(self, legs: TwoLegs) -> "Stepping":
        """With hip height, longest step and highest lift of this robot.

        In a step the hips are up to 0.7 of its length from the ankle of one foot; that leg is bent by `knee` at least.
        """
        thigh, shank = legs.data.lengths[0]
        height = BENT * legs.longest if self.height is None else self.height
        up = height - float(legs.data.ankle)
        leg = np.sqrt(thigh**2 + shank**2 + 2.0 * thigh * shank * np.cos(self.knee))
        if not 0.0 < up < leg:
            raise MotionError(
                f"robot {legs.robot.name!r} cannot stand with its hips {height:g} m above the ground and its knees bent by "
                f"{self.knee:g} rad; height must be below {leg + float(legs.data.ankle):.4g} m"
            )
        apart = 0.5 * abs(legs.spacing - self.width)
        if not up**2 + apart**2 < leg**2:
            raise MotionError(
                f"robot {legs.robot.name!r} cannot stand with its hips {height:g} m above the ground and its feet "
                f"{self.width:g} m apart: its hips are {legs.spacing:g} m apart"
            )
        longest = float(np.sqrt(leg**2 - up**2 - apart**2)) / 0.7 if self.longest is None else self.longest
        return replace(
            self,
            height=height,
            longest=longest,
            usual=min(self.usual, longest),
            highest=max(0.2 * float(thigh + shank), self.swing.lift) if self.highest is None else self.highest,
        )


class Decision(NamedTuple):
    """What is done about a box."""

    box: int
    choice: str  # over, around, or clear: it is not in the way
    why: str
    cost: float  # s: of the plan
    other: float  # s: of the cheapest plan that decides otherwise (infinite if there is none); without the box if it is clear
    lift: float  # m: largest lift of a foot above it, 0 if there is none


@dataclass(frozen=True, eq=False)
class ObstaclePlan:
    """Footsteps past all boxes, with what was decided and what it costs."""

    robot: Robot
    terrain: Blocks
    stepping: Stepping
    stand: np.ndarray  # (2, 3) x, y, yaw of the left and right foot at the start
    footsteps: np.ndarray  # (n, 5) x, y, z, yaw, lift: left and right in turn
    cost: float  # s
    looked: int  # stances that were looked at
    clearance: Clearance  # of all links over the pattern
    asked: "tuple[_Question, _Way, float]"  # for other choices to be tried

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """What is done about each box, and why: for every box the other choice is planned too."""
        question, way, wider = self.asked
        return tuple(_decided(question, way, self.terrain, k, wider) for k in range(len(self.terrain.blocks)))

    @cached_property
    def plan(self) -> FootstepPlan:
        """The same footsteps for walking patterns."""
        stand = tuple(Footstep(side, *row) for side, row in zip(SIDES, self.stand.tolist(), strict=True))
        return _plan(stand, self.footsteps, self.stepping)

    def text(self) -> str:
        """Every decision, with its reason and costs."""
        lines = [
            f"{len(self.footsteps)} steps, cost {self.cost:.2f} s, least distance planned {1e3 * self.clearance.least:.0f} mm"
        ]
        for each in self.decisions:
            x, y, yaw, length, width, height = self.terrain.blocks[each.box]
            what = f"{length:.2f} x {width:.2f} x {height:.2f} m at ({x:.2f}, {y:.2f}), {np.degrees(yaw):.0f} degrees"
            lines.append(f"box {each.box + 1}, {what}: {each.choice}; {each.why}")
        return "\n".join(lines)


def _plan(stand: Any, rows: np.ndarray, stepping: Stepping) -> FootstepPlan:
    steps = tuple(Footstep(SIDES[i % 2], row[0], row[1], row[3], row[2]) for i, row in enumerate(rows.tolist()))
    return FootstepPlan(stand, steps, stepping.timing, tuple(replace(stepping.swing, lift=float(row[4])) for row in rows))


class _Way(NamedTuple):
    """A row of footsteps: poses (n, 3), sides and lifts, from where the feet stand on."""

    poses: np.ndarray
    sides: np.ndarray
    lifts: np.ndarray
    cost: float
    looked: int


class _Question:
    """One robot between a start and a goal; boxes may change from search to search."""

    def __init__(self, legs: TwoLegs, stepping: Stepping, stand: np.ndarray, goal: np.ndarray, room: Any):
        self.legs, self.stepping, self.stand, self.goal = legs, stepping, stand, goal
        low, high = np.array(room[:2], float), np.array(room[2:], float)
        turns = max(round(2.0 * np.pi / 0.15), 1)
        shape = (*(int(np.ceil(n)) for n in (high - low) / stepping.cells), turns)
        _check_cells(high - low, shape, stepping.cells)
        self.room = fs.Room(low, high, np.array((stepping.cells, 0.15)), shape, np.zeros(shape[:2]))
        self.steps = step_set(stepping)
        self.sway = SWAY * stepping.width  # m: of the body about the middle between the feet
        self.legs_of = leg_links(legs)

    def near_body(self, sure: Clearance, clear: float) -> bool:
        """Whether it is the body that comes too near, and not a leg."""
        found = [sure.nearest(k) for k in range(sure.distance.shape[2])]
        return any(distance < clear and link not in self.legs_of for distance, link, _ in found)

    def shorten(self) -> None:
        """Legs did not reach the longest steps."""
        longest = SHORTER * float(self.stepping.longest or 0.0)
        self.stepping = replace(self.stepping, longest=longest, usual=min(self.stepping.usual, longest))
        self.steps = step_set(self.stepping)

    def body(self, wider: float) -> fs.Body:
        s, corners = self.stepping, self.legs.corners[0]
        sole = np.array((corners[:, 0].min(), corners[:, 0].max(), corners[:, 1].min(), corners[:, 1].max()))
        trunk, low = trunk_of(self.legs, s)
        grown = trunk + np.array((-1.0, 1.0, -1.0, 1.0)) * (s.margin + self.sway)
        numbers = (
            low - s.above,
            s.margin + wider,
            s.aside + wider,
            s.above + wider / 3.0,
            s.swing.lift,
            s.highest,
            s.width,
            s.swing.delay,
            s.swing.hurry,
        )
        return fs.Body(sole, tuple(grown.tolist()), *(float(x) for x in numbers))  # type: ignore[arg-type]

    def other(self, blocks: Iterable[Any], wider: float) -> _Way | None:
        """A way that decides otherwise, or none: there may be one if the search ends without an answer, but it costs more."""
        try:
            return self.search(blocks, wider)
        except MotionError:
            return None

    def search(self, blocks: Iterable[Any], wider: float = 0.0) -> _Way | None:
        """The cheapest way, or none."""
        s, n = self.stepping, self.stepping.nodes
        boxes = np.array([_box(block) for block in blocks], float).reshape(-1, 8)
        price = s.timing.period + s.stretch * np.maximum(self.steps[:, 0] - s.usual, 0.0)
        least = s.greed * float((price / np.maximum(np.hypot(*self.steps[:, :2].T), 1e-9)).min())
        costs = fs.Costs(s.timing.period, s.effort, s.dizzy, s.stretch, s.usual, least)
        nodes = fs.Nodes(
            np.zeros((n, 3)),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n),
            np.zeros(n),
            np.full(2 * int(np.prod(self.room.shape)), -1, np.int64),
            np.zeros(n),
            np.zeros(n, np.int64),
        )
        nodes.pose[:2], nodes.side[1] = self.stand, 1
        result, goal, body = np.zeros(4, np.int64), tuple(float(x) for x in self.goal), self.body(wider)
        self._check_start(body, boxes)
        fs.search["spatial"](body, costs, self.room, boxes, self.steps, goal, nodes, result)
        outcome, node, _, looked = (int(x) for x in result)
        if outcome == fs.NO_ROOM:
            raise MotionError(f"no footsteps were found within {n:,} stances; give Stepping more nodes, or larger cells")
        return None if outcome == fs.NO_WAY else self._way(body, boxes, nodes, node, looked)

    def _check_start(self, body: fs.Body, boxes: np.ndarray) -> None:
        for side in range(2):
            for k in range(len(boxes)):
                if not fs.stands.plain("spatial")(body, boxes[k : k + 1], tuple(self.stand[side]), side):
                    margin = body.side_margin if fs.too_high.plain("spatial")(body, boxes[k, fs.HEIGHT]) else body.margin
                    raise MotionError(f"the {SIDES[side]} foot stands on box {k + 1} at the start, or within {margin:g} m of it")

    def _way(self, body: fs.Body, boxes: np.ndarray, nodes: fs.Nodes, node: int, looked: int) -> _Way:
        chain = []
        while node > 1:
            chain.append(node)
            node = int(nodes.parent[node])
        chain.reverse()
        last = chain[-1] if chain else 1
        pose, side, start = tuple(nodes.pose[last]), int(nodes.side[last]), tuple(nodes.pose[nodes.parent[last]])
        close = fs.beside.plain("spatial")(body, pose, side)
        lift = fs.lift_needed.plain("spatial")(body, boxes, start, close, pose, 1 - side)
        poses = np.vstack((self.stand, nodes.pose[chain].reshape(-1, 3), np.array(close)))
        sides = np.array([0, 1, *nodes.side[chain], 1 - side])
        cost = float(nodes.cost[last]) + self.stepping.timing.period + self.stepping.effort * (lift - body.lift)
        return _Way(poses, sides, np.array([0.0, 0.0, *nodes.lift[chain], lift]), cost, looked)

    def lifts_over(self, way: _Way, block: Any) -> float:
        """The largest lift of a foot that swings above a box; 0 if none does."""
        body, boxes, highest = self.body(0.0), np.array([_box(block)]), 0.0
        for i in range(2, len(way.poses)):
            start, end = tuple(way.poses[i - 2]), tuple(way.poses[i])
            if fs.crossed.plain("spatial")(body, boxes, start, end, int(way.sides[i]), 0):
                highest = max(highest, float(way.lifts[i]))
        return highest

    def rows(self, way: _Way) -> np.ndarray:
        x, y, yaw = way.poses[2:].T
        return np.stack((x, y, np.zeros(len(x)), yaw, way.lifts[2:]), axis=1)

    def certified(self, way: _Way, terrain: Blocks) -> Clearance:
        """Distances of all shapes over the whole walking pattern."""
        stand = tuple(Footstep(side, *row) for side, row in zip(SIDES, self.stand.tolist(), strict=True))
        plan = _plan(stand, self.rows(way), self.stepping)
        pattern = walking_pattern(self.legs.robot, plan, height=self.stepping.height, dt=ROWS_DT, passes=2)
        return clearance(self.legs.robot, pattern.q, terrain)


def _box(block: Any) -> tuple[float, ...]:
    x, y, yaw, length, width, height = block
    return x, y, np.cos(yaw), np.sin(yaw), length / 2.0, width / 2.0, height, np.hypot(length, width) / 2.0


def step_set(s: Stepping) -> np.ndarray:
    """(n, 3) steps that are tried: ahead, farther aside than usual, turn outward. Without those whose feet would meet."""
    longest, usual = float(s.longest or s.usual), s.usual
    lengths = (*np.linspace(0.0, usual, 5), 0.5 * (usual + longest), longest, -0.25 * usual)
    rows = [(ahead, 0.0, turn) for ahead in lengths for turn in (0.0, 0.5 * s.turn, s.turn, -0.5 * s.turn, -s.turn)]
    rows += [(ahead, aside, 0.0) for ahead in lengths[:6] for aside in (0.25 * s.width, 0.6 * s.width)]
    return np.unique(np.array(rows), axis=0)


def trunk_of(legs: TwoLegs, s: Stepping) -> tuple[np.ndarray, float]:
    """Rectangle (back, front, right, left) of all that is not a leg, from the middle between the feet, and its lowest point."""
    robot = legs.robot
    leg = leg_links(legs)
    q = posture_of(robot, None)
    q[2] = float(s.height or 0.0) - legs.data.hip[0, 2]
    shapes, names = shapes_of(robot)
    work, rows = placed(robot, q).work, []
    for i, name in enumerate(names[: len(shapes.body)]):
        if name in leg:
            continue
        R, p = work.R_WB[shapes.body[i]].reshape(3, 3), work.p_WB[shapes.body[i]]
        for at in (shapes.start[i], shapes.end[i]):
            rows += [p + R @ at - shapes.radius[i], p + R @ at + shapes.radius[i]]
    if not rows:
        return np.zeros(4), np.inf
    points = np.array(rows)
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array((low[0], high[0], low[1], high[1])), float(low[2])


def leg_links(legs: TwoLegs) -> set[str]:
    """The links of both legs, toes included."""
    robot, found, hips = legs.robot, set(), set()
    for foot in legs.feet:
        body = robot.target(foot).body
        while robot.tree.parent[body] != robot.target(legs.pelvis).body:
            body = int(robot.tree.parent[body])
        hips.add(body)
    for joint in robot.layout.joints:
        body = robot.target(joint.child).body
        while body and body not in hips:
            body = int(robot.tree.parent[body])
        if body:
            found.add(joint.child)
    return found


def plan_among(
    robot: Robot,
    terrain: Blocks,
    goal: Any,
    *,
    room: Any = None,
    stand: Any = None,
    stepping: Stepping | None = None,
    within: tuple[float, float] = (0.15, 0.2),
) -> ObstaclePlan:
    """Footsteps from where the feet stand to a goal (x, y, yaw), in m and rad, that the middle between the feet comes `within`.

    `room` is (x, y, x, y), two corners of where feet may stand; 1.5 m around start, goal and boxes if left out. `stand` has rows
    (x, y, yaw) of the left and the right foot; side by side about the origin if left out. If there is no way, the error says
    which boxes close it.
    """
    legs = two_legs(robot)
    s = (stepping or Stepping()).for_robot(legs)
    if not isinstance(terrain, Blocks):
        raise MotionError(f"obstacles must be Blocks, got {terrain!r:.60}")
    aim = _numbers(goal, 3, "goal must be x, y and yaw")
    feet = np.array(((0.0, 0.5 * s.width, 0.0), (0.0, -0.5 * s.width, 0.0)))
    feet = feet if stand is None else _numbers(stand, 6, "stand must be x, y, yaw of both feet").reshape(2, 3)
    near = _numbers(within, 2, "within must be a distance and an angle above 0")
    if not (near > 0.0).all():
        raise MotionError(f"within must be a distance and an angle above 0, in m and rad, got {within!r:.80}")
    question = _Question(legs, s, feet, np.array((*aim, *near)), _room(room, feet, aim, terrain))
    way, sure, wider = None, None, 0.0
    for attempt in range(TRIES):
        way = question.search(terrain.blocks, wider)
        if way is None:
            break
        try:
            sure = question.certified(way, terrain)
        except MotionError:
            if attempt == TRIES - 1:
                raise
            question.shorten()
            continue
        if sure.least >= s.clear:
            break
        if question.near_body(sure, s.clear):
            question.sway += WIDER
        else:
            wider += WIDER
    if way is None or sure is None or sure.least < s.clear:
        raise MotionError(_refusal(question, terrain, sure if way is not None else None, wider))
    asked = question, way, wider
    return ObstaclePlan(robot, terrain, question.stepping, feet, question.rows(way), way.cost, way.looked, sure, asked)


def _numbers(given: Any, size: int, what: str) -> np.ndarray:
    try:
        rows = np.array(given, dtype=float).ravel()
    except (TypeError, ValueError, OverflowError):
        rows = np.zeros(0)
    if rows.size != size or not np.isfinite(rows).all() or np.abs(rows).max() > 1e6:
        raise MotionError(f"{what}, in m and rad, got {given!r:.80}")
    return rows


def _box_at(place: np.ndarray, terrain: Blocks) -> int | None:
    """The first box that a place is inside of, seen from above."""
    for k, (x, y, yaw, length, width, _) in enumerate(terrain.blocks):
        ahead, aside = place[0] - x, place[1] - y
        along, across = np.cos(yaw) * ahead + np.sin(yaw) * aside, np.cos(yaw) * aside - np.sin(yaw) * ahead
        if abs(along) < length / 2.0 and abs(across) < width / 2.0:
            return k
    return None


def _check_cells(sides: np.ndarray, shape: tuple[int, ...], size: float) -> None:
    """Refuse a search that would not fit into memory."""
    cells = 2 * math.prod(shape)
    if cells > MOST_CELLS:
        fits = size * math.sqrt(cells / MOST_CELLS)
        larger = f", or Stepping.cells above {fits:.3g} m, not {size:g} m" if fits < LARGEST else ""
        raise MotionError(
            f"the room of the search, {sides[0]:.4g} m by {sides[1]:.4g} m, has {cells:,} cells, at most {MOST_CELLS:,} may be; "
            f"take a nearer goal, a smaller room{larger}"
        )


def _room(room: Any, feet: np.ndarray, goal: np.ndarray, terrain: Blocks) -> np.ndarray:
    if room is None:
        reach = [
            (b[0] + side * np.hypot(b[3], b[4]) / 2.0, b[1] + side * np.hypot(b[3], b[4]) / 2.0)
            for b in terrain.blocks
            for side in (-1, 1)
        ]
        points = np.vstack((feet[:, :2], goal[None, :2], np.array(reach).reshape(-1, 2)))
        return np.concatenate((points.min(axis=0) - 1.5, points.max(axis=0) + 1.5))
    rows = _numbers(room, 4, "room must be x, y of one corner and x, y of the opposite one")
    if not (rows[:2] < rows[2:]).all():
        raise MotionError(f"room must have its lower corner first, got {tuple(rows.tolist())}")
    return rows


def _decided(question: _Question, way: _Way, terrain: Blocks, k: int, wider: float) -> Decision:
    """Over, around or not in the way; with the cost of the other choice."""
    blocks, s = list(terrain.blocks), question.stepping
    block = blocks[k]
    lift = question.lifts_over(way, block)
    if lift > 0.0:
        around = question.other([*blocks[:k], (*block[:5], HIGH), *blocks[k + 1 :]], wider)
        other = around.cost if around else np.inf
        why = f"walking around would cost {other:.2f} s instead of {way.cost:.2f} s" if around else "there is no way around"
        return Decision(k, "over", f"feet lifted {lift:.3f} m; {why}", way.cost, other, lift)
    without = question.other([*blocks[:k], *blocks[k + 1 :]], wider)
    gone = without.cost if without else np.inf
    if gone > way.cost - SAME:
        return Decision(k, "clear", "not in the way", way.cost, gone, 0.0)
    detour = f"the detour costs {way.cost - gone:.2f} s"
    if block[5] + s.above > s.highest:  # type: ignore[operator]
        needed = f"stepping over needs a lift of {block[5] + s.above:.2f} m, the legs have {s.highest:.2f} m"
        return Decision(k, "around", f"{needed}; {detour}", way.cost, np.inf, 0.0)
    over = question.other([*blocks[:k], _across(question, block), *blocks[k + 1 :]], wider)
    other = over.cost if over else np.inf
    why = f"stepping over would cost {other:.2f} s instead of {way.cost:.2f} s" if over else "too deep to step over"
    return Decision(k, "around", f"{why}; {detour}", way.cost, other, 0.0)


def _across(question: _Question, block: Any) -> tuple[float, ...]:
    """The box made so long across the way that nobody can walk around it."""
    x, y, yaw, length, width, height = block
    far = 2.0 * float(np.linalg.norm(question.room.high - question.room.low))
    ahead = question.goal[:2] - question.stand[:, :2].mean(axis=0)
    along = abs(np.cos(yaw) * ahead[0] + np.sin(yaw) * ahead[1]) > abs(np.cos(yaw) * ahead[1] - np.sin(yaw) * ahead[0])
    return (x, y, yaw, length, far, height) if along else (x, y, yaw, far, width, height)


def _refusal(question: _Question, terrain: Blocks, sure: Clearance | None, wider: float) -> str:
    """Which boxes close the way, and why."""
    s, blocks = question.stepping, list(terrain.blocks)
    if sure is not None:
        k = int(np.argmin([sure.nearest(k)[0] for k in range(len(blocks))]))
        distance, link, _ = sure.nearest(k)
        return f"no footsteps keep {s.clear:g} m away from box {k + 1}: {link!r} comes as near as {distance:.3g} m"
    inside = _box_at(question.goal, terrain)
    if inside is not None:
        x, y, _, length, width, _ = blocks[inside]
        return (
            f"there is no way to the goal: the goal ({question.goal[0]:.2f}, {question.goal[1]:.2f}) is inside box {inside + 1}, "
            f"{length:.2f} x {width:.2f} m at ({x:.2f}, {y:.2f}), and feet cannot stand within {question.goal[3]:g} m of it"
        )
    closing = [k for k in range(len(blocks)) if question.other([*blocks[:k], *blocks[k + 1 :]], wider)]
    if not closing:
        return f"there is no way to the goal among these {len(blocks)} boxes: several of them, or the room, close it"
    words = []
    for k in closing:
        height = blocks[k][5]
        if height + s.above > s.highest:  # type: ignore[operator]
            words.append(f"box {k + 1} is {height:.2f} m high, stepping over needs a lift of {height + s.above:.2f} m")
        else:
            words.append(f"box {k + 1} is {min(blocks[k][3:5]):.2f} m deep and cannot be stepped over from where feet can stand")
    reach = f"the legs have {s.highest:.2f} m of lift and steps of {s.longest:.2f} m"
    return f"there is no way to the goal: {'; '.join(words)}; {reach}, and no way leads around"
