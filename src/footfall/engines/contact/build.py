"""A robot in a world, as the arrays that the compiled loop moves."""

import math
from collections.abc import Sequence
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.edges import MOST_TOUCHES, WHOLE
from footfall.core.contact.friction_limits import DEPTH
from footfall.core.contact.geometry import ContactGeometry, ContactState, PadResultants
from footfall.core.contact.joint_constraints import DRY, HIGH, LOW, JointConstraints, Joints
from footfall.core.contact.push import Pushes
from footfall.core.contact.step import Motion, Settings, SimData
from footfall.core.ground import PROFILE, Ground
from footfall.core.joints import FREEDOMS
from footfall.core.passive import Tendons
from footfall.core.recursion.kinematics import jacobian
from footfall.core.tree import work_arrays
from footfall.dynamics import mass_matrix
from footfall.dynamics.inertia import tree_mobility
from footfall.engines.engine import BODY, Scenario
from footfall.errors import SimulationError
from footfall.evaluate import Evaluation
from footfall.kinematics.poses import placed
from footfall.model.layout import CODES, Target, lift, lower
from footfall.model.parts import Box, Capsule, Compliance, HeelToe, Pad, Point, Sphere
from footfall.model.passive import springs_of, tendons_of
from footfall.model.robot import Robot
from footfall.model.state import vector
from footfall.world import Compliant, Contact, Push, Rigid, Terrain, World

STIFF = 0.25  # of what a joint moves: springs and dampers beyond this are taken at the end of the step
SOFT = 0.01  # of one over the robot's mass: how much a rigid contact gives way before its force is carried over
ROUND_TOUCHES, POINT_TOUCHES, LINE_TOUCHES = MOST_TOUCHES, 2, 2  # places at once in which ground with edges is touched
LEFT, RIGHT, MIDDLE = 0, 1, 2  # sides of the robot
ROUND = (-np.pi, np.pi)  # span of a whole circle
Line = tuple[int, int, Sequence[int]]  # rows at its ends, and of all corners of its block


class Row(NamedTuple):
    """A point, arc or ball that can touch the ground."""

    name: str
    where: Target
    at: np.ndarray  # on its body: the point, or the centre
    radius: float
    span: tuple[float, float]  # of an arc
    ball: bool


class PushRow(NamedTuple):
    """A push as the kernels know it."""

    body: int
    at: tuple[float, ...]
    force: tuple[float, ...]
    start: float
    end: float


def pad_points(robot: Robot, bodies: bool = False) -> tuple[list[Row], list[Line]]:
    """Every point, arc and ball of the feet that can touch (corners of boxes, heel and toe, ends of capsules), and the straight
    lines between points; with `bodies` then those of all shapes of links, `link.body/0` and so on.

    Those of every second foot are counted from its other side: of a pair of feet, each is the image of its fellow.
    """
    rows: list[Row] = []
    lines: list[Line] = []
    for place, foot in enumerate(robot.feet):
        for number, pad in enumerate(foot.pads):
            prefix = f"{foot.name}/" + (f"{number}." if len(foot.pads) > 1 else "")
            _add_pad(robot, pad, (prefix, place % 2), rows, lines)
    for link, shapes in robot.solids.items() if bodies else ():
        for row in shape_points(robot, link, shapes, lines, len(rows)):
            rows.append(row)
    return rows, lines


def shape_points(robot: Robot, link: str, shapes: Sequence[Pad], lines: list[Line], first: int) -> list[Row]:
    """What can touch of the shapes of a link, each place once. `lines` get the lines between them, counted from `first`."""
    right = side_of(robot, link) == RIGHT
    found: list[Row] = []
    for shape in shapes:
        new: list[Row] = []
        between: list[Line] = []
        _add_pad(robot, shape, ("", right), new, between)
        where = []
        for row in new:
            known = [i for i, other in enumerate(found) if _same(row, other)]
            where.append(known[0] if known else len(found))
            found += [] if known else [row]
        lines += [(first + where[i], first + where[j], [first + where[k] for k in block]) for i, j, block in between]
    return [row._replace(name=f"{link}{BODY}/{i}") for i, row in enumerate(found)]


def _same(row: Row, other: Row) -> bool:
    return row.radius == other.radius and row.span == other.span and np.array_equal(row.at, other.at)


def _add_pad(robot: Robot, pad: Pad, named: tuple[str, int], rows: list[Row], lines: list[Line]) -> None:
    """Add what can touch of a pad; its name begins with the first of `named`, and it is on the right if the second is 1."""
    where, points = robot.target(pad.link), _points(pad, robot.dim, named[1])
    if isinstance(pad, HeelToe | Box | Capsule):
        ends = [np.array(at) for _, at, *_ in points]
        block = range(len(rows), len(rows) + len(ends))
        lines += [
            (block[i], block[j], block)
            for i, j in combinations(range(len(ends)), 2)
            if np.count_nonzero(ends[j] - ends[i]) == 1 or not isinstance(pad, Box)
        ]
    ball = isinstance(pad, Sphere | Capsule) and robot.dim == 3
    for label, at, radius, span in points:
        rows.append(Row(named[0] + label, where, where.place + where.axes @ lift(at), radius, span, ball))


def side_of(robot: Robot, link: str) -> int:
    """On which side of the robot a link is, as `ContactGeometry.side` counts."""
    i = robot.target(link).body
    while i > 0 and robot.tree.side[i] == 0:
        i = int(robot.tree.parent[i])
    return (MIDDLE, LEFT, RIGHT)[int(robot.tree.side[i])] if i > 0 else MIDDLE


def pads_of(robot: Robot, bodies: bool = False) -> dict[str, float]:
    """The names of all pads, and their radii."""
    return {row.name: row.radius for row in pad_points(robot, bodies)[0]}


def _points(pad: Any, dim: int, right: int) -> list[tuple[str, Any, float, tuple[float, float]]]:
    if isinstance(pad, Point):
        return [("point", pad.at, 0.0, (0.0, 0.0))]
    if isinstance(pad, HeelToe):
        return [("heel", pad.heel, 0.0, (0.0, 0.0)), ("toe", pad.toe, 0.0, (0.0, 0.0))]
    if isinstance(pad, Box):
        half = np.array(pad.size) / 2
        signs = np.array(sorted(product((-1, 1), repeat=dim), key=lambda sign: sign[-1]))
        if dim == 3 and right:
            signs[:, 1] *= -1
        return [(f"corner{i}", np.array(pad.at) + half * sign, 0.0, (0.0, 0.0)) for i, sign in enumerate(signs)]
    if isinstance(pad, Sphere):
        return [("ball", pad.at, pad.radius, ROUND)]
    if isinstance(pad, Capsule):
        return [(label, getattr(pad, label), pad.radius, ROUND) for label in ("start", "end")]
    side = pad.width / 2 * (-1 if right else 1) if dim == 3 and pad.width else 0.0
    sides = [-side, side] if side else [0.0]
    centers = [np.array(pad.at) + (0.0 if dim == 2 else np.array((0.0, y, 0.0))) for y in sides]
    return [("arc" if len(sides) == 1 else f"arc{i}", at, pad.radius, pad.span) for i, at in enumerate(centers)]


def build_sim_data(study: Scenario, q: np.ndarray, v: np.ndarray) -> tuple[SimData, tuple[str, ...]]:
    """The machine, and the names of its pads."""
    robot, world, dt = study.robot, study.world, study.dt
    inertia = joint_inertia(robot, q)
    rows, lines = pad_points(robot, world.bodies)
    pads = _pads(robot, world, rows, lines if has_edges(world) else None)
    set_mobility(robot, pads, q)
    ev = Evaluation(robot)
    ev.work.a_bias[0, : robot.dim] = ev.work.A_WB[0, : robot.dim] = world_acceleration(study)
    zero = [np.zeros(robot.nv) for _ in range(8)]
    away = origin_of(robot, q)
    motion = Motion(q - away, q.copy(), away, v.copy(), zero[0], v.copy(), *zero[1:7])
    contact_state = _contact_state(len(pads.body), robot.dim)
    data = SimData(
        tree=robot.tree._replace(rigid=robot.tree.rigid.copy()),
        work=work_arrays(robot.tree, ev.algebra)._replace(a_bias=ev.work.a_bias, A_WB=ev.work.A_WB),
        ground=ground_below(world.terrain, robot, away),
        geometry=pads,
        contact=contact_state,
        joints=build_joints(robot, inertia, dt),
        tendons=build_tendons(robot, inertia, dt),
        constraints=build_constraints(robot, inertia),
        motion=motion,
        pushes=build_pushes(robot, world.pushes),
        resultant=_resultants(contact_state, len(rows)),
        **build_settings(study),
    )
    return data, tuple(row.name for row in rows)


def world_acceleration(study: Scenario) -> np.ndarray:
    """(2 or 3,) of row 0 of A_WB: the world accelerates against gravity, which gives all bodies their weight."""
    return np.asarray(0.0 - study.gravity_vector)


def build_settings(study: Scenario) -> dict[str, Settings]:
    """Tolerances that belong to the weight of a robot: for steps, and for impacts, which are rare and solved near rounding."""
    mass = float(study.robot.tree.rigid[1:, 0].sum())
    weight = mass * max(study.gravity, 1.0)
    step = Settings(max_rounds=20, f_tol=1e-8 * weight, v_tol=2e-6, f_t_tol=1e-6 * weight, rough=1e-3, R=SOFT / mass, dt=study.dt)
    strict = step._replace(max_rounds=200, f_tol=1e-14 * mass, v_tol=1e-11, f_t_tol=1e-14 * mass, rough=1e-11)
    return {"settings": step, "strict": strict}


def joint_inertia(robot: Robot, q: np.ndarray) -> np.ndarray:
    """What every degree of freedom has to move at q, to a power of two: its own rounding shall not matter."""
    return np.exp2(np.round(-np.log2(tree_mobility(robot, q))))


def _level(robot: Robot) -> list[tuple[int, int]]:
    """Coordinates that move a floating base level, each with its axis: 0 for x, 1 for y. None if they count along turned axes."""
    base = robot.layout.joints[0]
    names = [] if np.any(base.turn) else [(f"{base.name}.x", 0), (f"{base.name}.y", 1)]
    return [(robot.coordinates.index(name), axis) for name, axis in names if name in robot.coordinates]


def origin_of(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Where a floating base starts, level."""
    away = np.zeros(robot.nq)
    for j, _ in _level(robot):
        away[j] = q[j]
    return away


def ground_below(terrain: Terrain, robot: Robot, away: np.ndarray) -> Ground:
    """The ground as it is seen from where the robot starts."""
    origin = np.zeros(2)
    for j, axis in _level(robot):
        origin[axis] = away[j]
    return terrain.ground()._replace(origin=origin)


def has_edges(world: World) -> bool:
    """Whether there is ground, now or later, that a pad may touch in several places at once."""
    grounds = [world.terrain, *(change.terrain for change in world.changes if change.terrain)]
    return any(terrain.ground().kind == PROFILE for terrain in grounds)


def with_edges(data: SimData, robot: Robot, world: World) -> SimData:
    """The machine, in the midst of a run, made ready for ground with edges."""
    pads = _pads(robot, world, *pad_points(robot, world.bodies))
    contact_state, n = _contact_state(len(pads.body), robot.dim), len(data.geometry.body)
    pads.bonded[:n], pads.bonded[n:] = data.geometry.bonded, 0
    pads.mobility[:] = data.geometry.mobility[pads.owner]
    for name in ContactState._fields:
        new, old = getattr(contact_state, name), getattr(data.contact, name)
        new[tuple(slice(size) for size in old.shape)] = old
    contact_state.count[0] = len(pads.body)
    return data._replace(geometry=pads, contact=contact_state)


def _contacts(rows: list[Row], lines: list[Line] | None) -> np.ndarray:
    """For each contact: its pad, the pad at the end of its line (or the same), the next contact of that pad or line, and the
    spare one of its arc.

    First the pads themselves; then the spare contacts of arcs with two ends; then, if there may be edges (lines are given), the
    further contacts of all, and those of lines.
    """
    open_arcs = [k for k, row in enumerate(rows) if row.radius and not row.ball and row.span[1] - row.span[0] < WHOLE]
    spare = {k: len(rows) + i for i, k in enumerate(open_arcs)}
    table = [[k, k, k, spare.get(k, 0)] for k in range(len(rows))] + [[k, k, i, i] for k, i in spare.items()]
    groups: list[tuple[tuple[int, int], int, int, list[int]]] = []
    if lines is not None:
        for k, row in enumerate(rows):
            groups.append(((k, k), spare.get(k, 0), (ROUND_TOUCHES if row.radius else POINT_TOUCHES) - 1, [k]))
        groups += [((first, last), 0, LINE_TOUCHES, []) for first, last, _ in lines]
    for ends, other_end, more, ring in groups:
        new = range(len(table), len(table) + more)
        table += [[*ends, 0, other_end] for _ in new]
        ring += new
        for i, k in enumerate(ring):
            table[k][2] = ring[(i + 1) % len(ring)]
    return np.array(table, dtype=np.uint32).reshape(len(table), 4)


def _pads(robot: Robot, world: World, declared: list[Row], lines: list[Line] | None) -> ContactGeometry:
    owner, other, following, spare = _contacts(declared, lines).T
    rows, n = [declared[k] for k in owner], len(owner)
    ways = np.array([declared[j].at - declared[i].at for i, j in zip(owner, other, strict=True)]).reshape(n, 3)
    length = np.linalg.norm(ways, axis=1)
    axes = np.array([row.where.axes for row in rows]).reshape(n, 3, 3)
    front = np.where(length[:, None] > 0.0, ways, axes[:, :, 0])
    bonded = [row.name.split("/")[0] in world.bonded for row in rows]

    def angle(where: Target) -> float:
        """A planar arc's angles count from the link's axes, the kernels' from the body's."""
        return float(np.arctan2(where.axes[0, 2], where.axes[0, 0])) if robot.space == "planar" else 0.0

    low, high = (np.array([row.span[i] - angle(row.where) for row in rows], dtype=float) for i in (0, 1))
    return ContactGeometry(
        owner=owner.copy(),
        other=other.copy(),
        next=following.copy(),
        spare=spare.copy(),
        body=np.array([row.where.body for row in rows], dtype=np.uint32),
        side=np.array([_side(robot, row) for row in rows], dtype=np.uint32),
        at=lower(np.array([row.at for row in rows]).reshape(n, 3), robot.space),
        radius=np.array([row.radius for row in rows], dtype=float),
        ball=np.array([row.ball for row in rows], dtype=np.uint32),
        low=low,
        high=high,
        **_tips(low, high),
        length=length,
        half=_halves(robot, declared, lines or [], n),
        front=lower(front / np.linalg.norm(front, axis=1, keepdims=True), robot.space),
        up=lower(axes[:, :, 2].copy(), robot.space),
        **contact_columns(robot, world.contact, [row.name for row in rows]),
        mobility=np.zeros(n),
        bonded=np.array(bonded, dtype=np.uint32),
    )


def _tips(low: np.ndarray, high: np.ndarray) -> dict[str, np.ndarray]:
    """What is known of the ends of arcs before they touch; with the sines of the kernels, to the bit."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    ends = np.column_stack((middle - half, middle + half))
    tips = [[(each, math.sin(each), math.cos(each)) for each in pair] for pair in ends.tolist()]
    return {
        "middle": np.column_stack((np.cos(middle), np.sin(middle))),
        "closing": np.where(high - low < WHOLE, np.cos(half), -2.0),
        "tips": np.array(tips).reshape(len(ends), 2, 3),
    }


def set_mobility(robot: Robot, geometry: ContactGeometry, q: np.ndarray) -> None:
    """Set the mobility of contacts, if any is compliant: the speed that 1 N s at every corner of a foot gives one, at most."""
    if not geometry.stiffness.any() or geometry.mobility.any():
        return
    ev, M, body = placed(robot, q), mass_matrix(robot, q), geometry.body
    for k in range(len(body)):
        rows, first = ev.rows(), geometry.owner[k]
        if k > first:
            geometry.mobility[k] = geometry.mobility[first]
        elif body[k]:
            ev.run(jacobian, body[k], ev.small("rotate", ev.work.R_WB[body[k]], tuple(geometry.at[k])), rows)
            J = rows.T[: robot.dim]
            corners = np.unique(geometry.owner[body == body[k]]).size
            geometry.mobility[k] = corners * np.linalg.eigvalsh(J @ np.linalg.lstsq(M, J.T, rcond=None)[0]).max()


def _side(robot: Robot, row: Row) -> int:
    """The side of a pad: feet take turns; on a link in the middle, that of its place."""
    owner = row.name.split("/")[0]
    feet = [foot.name for foot in robot.feet]
    if owner in feet:
        return (LEFT, RIGHT)[feet.index(owner) % 2]
    side = side_of(robot, owner.removesuffix(BODY))
    return side if side != MIDDLE else LEFT if row.at[1] > 0.0 else RIGHT if row.at[1] < 0.0 else MIDDLE


def _halves(robot: Robot, rows: list[Row], lines: list[Line], contacts: int) -> np.ndarray:
    """For each contact of a line: half of the sides of its block, from its beginning; for a lone line its own half."""
    found = np.zeros((contacts, 3, robot.dim))
    for number, (first, _, block) in enumerate(lines):
        where, start = rows[first].where, rows[first].at
        half = np.mean([rows[k].at for k in block], axis=0) - start
        sides = (where.axes * (where.axes.T @ half)).T if len(block) > 2 else np.array((half, 0 * half, 0 * half))
        at = contacts - LINE_TOUCHES * (len(lines) - number)
        found[at : at + LINE_TOUCHES] = lower(sides, robot.space)
    return found


LAW = ("friction", "restitution", "stiffness", "damping", "tangential_stiffness", "tangential_damping")


def contact_columns(robot: Robot, contact: Contact, pads: Sequence[str]) -> dict[str, np.ndarray]:
    """The contact law as the kernels know it, for contacts of the pads named: the ground's, or that of a compliant foot."""
    own = {foot.name: foot.compliance for foot in robot.feet}
    rows = [_contact_law(contact, own.get(pad.split("/")[0])) for pad in pads]
    return dict(zip(LAW, np.array(rows, dtype=float).reshape(len(rows), len(LAW)).T.copy(), strict=True))


def compliant_feet(robot: Robot) -> set[str]:
    """Names of the feet that have contact elements of their own."""
    return {foot.name for foot in robot.feet if foot.compliance}


def _contact_law(contact: Contact, own: Compliance | None) -> tuple[float, ...]:
    if not isinstance(contact, Rigid | Compliant):
        raise SimulationError(f"contact {type(contact).__name__}: contact must be Rigid or Compliant, or made from one of them")
    spring = own or contact
    if isinstance(spring, Rigid):
        return contact.friction, spring.restitution, 0.0, 0.0, 0.0, 0.0
    stiffness, damping = spring.stiffness, spring.damping
    pull, drag = spring.tangential_stiffness, spring.tangential_damping
    return contact.friction, 0.0, stiffness, damping, stiffness if pull is None else pull, damping if drag is None else drag


def build_pushes(robot: Robot, pushes: Sequence[Push], known: dict[int, tuple[Push, PushRow]] | None = None) -> Pushes:
    """Pushes, at points of bodies. `known` keeps what was worked out for a push, by its id."""
    rows, known = [], {} if known is None else known
    for push in pushes:
        if id(push) not in known:
            known[id(push)] = push, _push_row(robot, push)
        rows.append(known[id(push)][1])
    n, columns = len(rows), list(zip(*rows, strict=True)) or [()] * len(PushRow._fields)
    return Pushes(
        body=np.array(columns[0], dtype=np.uint32),
        at=np.array(columns[1], dtype=float).reshape(n, robot.dim),
        force=np.array(columns[2], dtype=float).reshape(n, robot.dim),
        start=np.array(columns[3], dtype=float),
        end=np.array(columns[4], dtype=float),
        on=np.ones(1, np.uint32),  # what other pushes left is cleared
    )


def _push_row(robot: Robot, push: Push) -> PushRow:
    where, title = robot.target(push.on), f"of the push on {push.on!r}"
    at = np.zeros(robot.dim) if push.at is None else vector(push.at, robot.dim, f"point {title}")
    place = lower((where.place + where.axes @ lift(at))[None], robot.space)[0]
    return PushRow(where.body, tuple(place), tuple(vector(push.force, robot.dim, f"force {title}")), push.start, push.end)


def _resultants(contact_state: ContactState, pads: int) -> PadResultants:
    """Room for what pads feel; with one contact each, what contacts feel."""
    point = np.zeros((pads, contact_state.force.shape[1]))
    if pads == len(contact_state.mode):
        return PadResultants(contact_state.mode, contact_state.force, point)
    return PadResultants(np.zeros(pads, np.uint32), np.zeros_like(point), point)


def _contact_state(n: int, dim: int) -> ContactState:
    whole = {"mode", "active", "closed", "sticks", "impacting", "anchored", "overlooked", "limited", "at_instant"}
    flat = {
        "gap",
        "roll",
        "anchor_roll",
        "mass_n",
        "mass_t",
        "f_t_max",
        "f_t_max_step",
        "f_t_max_round",
        "residual",
        "residual_round",
        "secant",
        "curvature",
        "dilation",
        "f_before",
        "carry",
    }
    room: dict[str, np.ndarray] = {
        "feature": np.full(n, -1, np.int64),
        "kick": np.zeros(1),
        "impacts": np.zeros(1, np.uint32),
        "count": np.full(1, n, np.int64),
        "nearing": np.ones(1, np.uint32),
        "substepping": np.zeros(1, np.uint32),
        "depth": np.zeros(1, np.int64),
        "delta_x": np.zeros((DEPTH, n)),
        "delta_r": np.zeros((DEPTH, n)),
        "gram": np.zeros((DEPTH, DEPTH + 1)),
        "anchor_R": np.zeros((n, 3 if dim == 2 else 9)),
    }
    for name in ContactState._fields:
        if name not in room:
            room[name] = np.zeros(n, np.uint32) if name in whole else np.zeros(n) if name in flat else np.zeros((n, dim))
    return ContactState(**room)


def clear_contact(contact_state: ContactState) -> None:
    """As before anything was located."""
    for old, new in zip(contact_state, _contact_state(len(contact_state.mode), contact_state.force.shape[1]), strict=True):
        old[...] = new


def build_joints(robot: Robot, inertia: np.ndarray, dt: float) -> Joints:
    springs = springs_of(robot)
    motors = [joint.motor for joint in robot.layout.joints for _ in range(FREEDOMS[CODES[joint.kind]])]

    def column(name: str, without: float) -> np.ndarray:
        return np.array([getattr(motor, name) if motor else without for motor in motors], dtype=float)

    return Joints(
        **springs._asdict(),
        implicit=(springs.stiffness * dt**2 + springs.damping * dt > STIFF * inertia).astype(float),
        tau_max=column("strongest", 0.0),
        v_max=column("speed", np.inf),
        stall=column("stall", np.inf),
        droop=column("droop", 0.0),
        servo=np.zeros((3, robot.nv)),
        servo_inertia=np.zeros(robot.nv),
        full=np.zeros(robot.nv, np.int64),
        applied=np.zeros(robot.nv),
    )


def build_tendons(robot: Robot, inertia: np.ndarray, dt: float) -> Tendons:
    """The tendons; those that are stiff for the time step and what their joints move are implicit."""
    tendons = tendons_of(robot)
    for t, (first, last) in enumerate(pairwise(tendons.first)):
        lever = 0.0
        for i, arm in zip(tendons.joint[first:last], tendons.arm[first:last], strict=True):
            rows = slice(robot.tree.first_v[i], robot.tree.first_v[i + 1])
            lever += float((np.abs(arm[: rows.stop - rows.start]) / np.sqrt(inertia[rows])).sum())
        tendons.implicit[t] = (tendons.stiffness[t] * dt**2 + tendons.damping[t] * dt) * lever**2 > STIFF
    return tendons


def build_constraints(robot: Robot, inertia: np.ndarray) -> JointConstraints:
    made: list[tuple[float, ...]] = []  # the constants of JointConstraints, in its order
    for i, joint in enumerate(robot.layout.joints, start=1):
        coordinate = int(robot.tree.first_q[i])
        for d in range(robot.tree.first_v[i], robot.tree.first_v[i + 1]):
            soft = SOFT / float(inertia[d])
            if joint.kind in ("revolute", "prismatic"):
                for kind, sign, bound in ((LOW, 1.0, joint.limits[0]), (HIGH, -1.0, joint.limits[1])):
                    if np.isfinite(bound):
                        made.append((d, coordinate, kind, sign, bound, soft, 0.0, 0.0, 0.0, 1.0, 0.0))
            load = joint.motor.load_friction if joint.motor else 0.0
            if joint.holding > 0.0 or load > 0.0:
                rubs = joint.friction, load, joint.holding - joint.friction, joint.stribeck_velocity
                made.append((d, coordinate, DRY, 1.0, joint.holding, soft, *rubs, float(load > 0.0 or rubs[2] > 0.0)))
    constants = JointConstraints._fields.index("varies") + 1
    table = np.array(made, dtype=float).reshape(len(made), constants)
    whole = {"dof", "coordinate", "kind", "varies", "active", "was_on", "on"}
    columns = [*table.T, *np.zeros((len(JointConstraints._fields) - constants, len(made)))]
    named = zip(JointConstraints._fields, columns, strict=True)
    return JointConstraints(
        **{name: np.ascontiguousarray(column, np.uint32 if name in whole else float) for name, column in named}
    )
