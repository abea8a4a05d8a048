"""Can a robot walk a pattern: torque, speed and power of its joints, stops, balance, friction, and clearance of the feet, from
the ground and from each other.

"If the required torques are within the performance limits of the actuators and if several other constraints (as angular
velocity limitations, ZMP or friction conditions) are fulfilled, we have obtained a trajectory pattern that can be realized"
(Johnnie, section 4). Torques are those of inverse dynamics with the ground's forces under the feet. In double support these are
shared as the ZMP lies between the feet, which is one of many ways.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from footfall.core.ground import ground_at
from footfall.core.jit import kernel
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.algebra import put_motion
from footfall.errors import UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model.quantity import check_quantities, quantity
from footfall.motion.curve import MotionError
from footfall.motion.pattern import WalkingPattern
from footfall.motion.support import apart
from footfall.world.terrain import Flat, Terrain

LIGHT = 1e-3  # of the weight: a foot that carries less needs no friction
GRAZE = 1e-9  # m: rounding
FAST = 0.5  # of a foot's largest speed: from there on it must be clear of the ground
ALONG = 8  # points to an edge of a sole


@dataclass(frozen=True)
class Limit:
    """What a joint can do; without a limit where nothing is said."""

    torque: float = quantity("N m", "largest torque", inf, low=0.0, infinite=True)
    speed: float = quantity("rad/s", "largest speed", inf, low=0.0, infinite=True)
    power: float = quantity("W", "largest mechanical power", inf, low=0.0, infinite=True)

    def __post_init__(self) -> None:
        check_quantities(self, "Limit", MotionError)


class Finding(NamedTuple):
    """One demand: the worst value of a quantity, when it is reached, and its bound."""

    kind: str
    name: str
    unit: str
    value: float
    bound: float
    time: float
    least: bool = False  # whether the bound is a lower one

    @property
    def excess(self) -> float:
        """By how much the bound is missed; negative or zero where it is kept."""
        return self.bound - self.value if self.least else self.value - self.bound

    @property
    def ok(self) -> bool:
        """Whether the bound is kept."""
        return bool(self.excess <= 0.0)

    @property
    def nearness(self) -> float:
        """How near to its bound, among findings of a kind: value over an upper bound, as joints differ in size, or the excess."""
        if self.least:
            return self.excess
        if self.bound > 0.0:
            return self.value / self.bound if self.bound < inf else -inf
        return inf if self.value > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Feasibility:
    """The findings for a pattern, and the torques and ground forces that they follow from."""

    findings: tuple[Finding, ...]
    torques: np.ndarray  # (n, nv); those of the base are zero but for rounding
    wrenches: np.ndarray  # (n, 2, 6) of the ground on each foot, in world axes about its ankle

    @property
    def ok(self) -> bool:
        """Whether the robot can walk the pattern."""
        return not self.failed

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The demands that are not met."""
        return tuple(each for each in self.findings if not each.ok)

    def worst(self, kind: str) -> Finding:
        """The finding of a kind that uses most of its bound, or is farthest beyond it; without a bound, the largest."""
        found = [each for each in self.findings if each.kind == kind]
        if not found:
            raise UnknownNameError("kind of finding", kind, {each.kind for each in self.findings})
        return max(found, key=lambda each: (each.nearness, each.value))

    def text(self) -> str:
        """The worst of each kind, and every demand that is not met."""
        kinds_ = list(dict.fromkeys(each.kind for each in self.findings))
        shown = dict.fromkeys([*(self.worst(kind) for kind in kinds_), *self.failed])
        lines = ["feasible" if self.ok else f"not feasible: {len(self.failed)} demands are not met"]
        for each in shown:
            sense = "at least" if each.least else "at most"
            bound = f"{sense} {each.bound:.4g}" if np.isfinite(each.bound) else "no limit"
            verdict = "ok" if each.ok else f"missed by {each.excess:.3g}"
            head = f"{each.kind:<18}{each.name:<20}{each.value:>10.4g} {each.unit:<6}"
            lines.append(f"{head} at {each.time:7.3f} s   {bound:<16} {verdict}")
        return "\n".join(lines)


def feasibility(
    pattern: WalkingPattern,
    *,
    limits: Mapping[str, Limit] | None = None,
    friction: float = 0.7,
    margin: float = 0.0,
    clearance: float = 0.0,
    terrain: Terrain | None = None,
) -> Feasibility:
    """Which demands a pattern meets, and which fail, when, and by how much.

    `limits` are by joint, with or without its side ("knee" is both), on top of those of the robot's own motors. The ZMP stays
    `margin` (m) inside the support. Feet never go below the terrain, and are `clearance` (m) above it while they move with more
    than half their largest speed. Seen from above, the soles do not overlap unless one is above the other's ankle.
    """
    wrenches, forces = ground_forces(pattern)
    torques = joint_torques(pattern, wrenches)
    found = [*_joints(pattern, torques, dict(limits or {})), *_stops(pattern), *_friction(pattern, forces, friction)]
    row = int(np.argmin(pattern.margin))
    found.append(Finding("ZMP margin", "support", "m", float(pattern.margin[row]), margin, float(pattern.times[row]), True))
    found += [*_clearances(pattern, terrain or Flat(), clearance), _apart(pattern)]
    return Feasibility(tuple(found), torques, wrenches)


# --- forces ---------------------------------------------------------------------------------------------------------------


def ground_forces(pattern: WalkingPattern) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2, 6) wrenches of the ground on the feet about their ankles, and (n, 2, 3) the forces, both in world axes.

    Each foot carries its part of the whole force. The points where they press have the same distance from the middle of each
    sole, in such a direction that together they press at the ZMP. The moment about the vertical is shared as the load is.
    """
    b, load, feet = pattern.balance, pattern.load, pattern.feet[0]
    total = b.rate[:, :3] + (0.0, 0.0, b.mass * pattern.robot.gravity)
    normal = foot_axes(feet)[..., 2]
    middles = pattern.soles.mean(axis=2)
    places = middles.copy()
    for _ in range(10):  # the height of a sole that is not level depends on where it presses
        height = (load * places[..., 2]).sum(axis=1)
        shift = b.zmp(height, pattern.robot.gravity) - (load[..., None] * middles[..., :2]).sum(axis=1)
        places[..., :2] = middles[..., :2] + shift[:, None]
        off = places[..., :2] - middles[..., :2]
        places[..., 2] = middles[..., 2] - (off * normal[..., :2]).sum(axis=-1) / normal[..., 2]
    forces = load[..., None] * total[:, None]
    about_com = np.cross(places - b.center[:, None], forces).sum(axis=1)
    twist = load * (b.rate[:, 5] - about_com[:, 2])[:, None]
    ankles = feet[..., :3] + pattern.legs.data.ankle * normal
    moments = np.cross(places - ankles, forces)
    moments[..., 2] += twist
    return np.concatenate((forces, moments), axis=-1), forces


def foot_axes(feet: np.ndarray) -> np.ndarray:
    """(..., 3, 3) rotations of places (..., 6)."""
    from scipy.spatial.transform import Rotation

    angles = feet[..., [5, 4, 3]]
    return Rotation.from_euler("ZYX", angles.reshape(-1, 3)).as_matrix().reshape(*feet.shape[:-1], 3, 3)


@kernel
def torque_rows(tree: Any, work: Any, q: Any, v: Any, a: Any, ground: Any, tau: Any) -> None:
    """Inverse dynamics under weight (row 0 of work.A_WB), with wrenches (n, feet, 6) on the bodies of the feet."""
    wrenches, bodies = ground
    for i in range(len(q)):
        for f in range(len(bodies)):
            w = wrenches[i, f]
            put_motion(work.f_ext, bodies[f], (w[0], w[1], w[2], w[3], w[4], w[5]))
        rnea(tree, work, q[i], v[i], a[i], tau[i])


def joint_torques(pattern: WalkingPattern, wrenches: np.ndarray) -> np.ndarray:
    """(n, nv) joint torques for the ground's wrenches on the feet; with the right ones the base needs none."""
    robot, ev = pattern.robot, Evaluation(pattern.robot)
    ev.fall(np.array((0.0, 0.0, -robot.gravity)))
    bodies = np.array([robot.target(link).body for link in pattern.legs.feet])
    tau = np.zeros_like(pattern.v)
    ev.run(torque_rows, pattern.q, pattern.v, pattern.a, (np.ascontiguousarray(wrenches), bodies), tau)
    return tau


# --- findings -------------------------------------------------------------------------------------------------------------


def _worst(pattern: WalkingPattern, rows: np.ndarray) -> tuple[float, float]:
    row = int(np.argmax(rows))
    return float(rows[row]), float(pattern.times[row])


def _joints(pattern: WalkingPattern, torques: np.ndarray, limits: dict[str, Limit]) -> list[Finding]:
    robot, out = pattern.robot, []
    joints = {joint.name: joint for joint in robot.layout.joints if joint.motor}
    known = {*joints, *(_bare(name) for name in joints)}
    for name, limit in limits.items():
        if name not in known:
            raise UnknownNameError(f"joint with a motor (of robot {robot.name!r})", name, known)
        if not isinstance(limit, Limit):
            raise MotionError(f"the limit of {name!r} must be a Limit, got {limit!r:.60}")
    for d in robot.actuated:
        name = robot.velocities[d]
        joint = joints[name.split(".")[0]]
        own = limits.get(joint.name, limits.get(_bare(joint.name), Limit()))
        tau, speed = torques[:, d], pattern.v[:, d]
        for kind, unit, rows, bound in (
            ("torque", "N m", np.abs(tau), min(own.torque, joint.motor.strongest)),  # type: ignore[union-attr]
            ("speed", "rad/s", np.abs(speed), min(own.speed, joint.motor.speed)),  # type: ignore[union-attr]
            ("power", "W", tau * speed, own.power),
        ):
            value, time = _worst(pattern, rows)
            out.append(Finding(kind, name, unit, value, bound, time))
    return out


def _bare(name: str) -> str:
    """The name of a joint without its side."""
    for side in ("_left", "_right"):
        name = name.removesuffix(side)
    return name


def _stops(pattern: WalkingPattern) -> list[Finding]:
    tree, out = pattern.robot.tree, []
    for i, joint in enumerate(pattern.robot.layout.joints, start=1):
        if joint.kind == "revolute" and np.isfinite(joint.limits).any():
            angle = pattern.q[:, tree.first_q[i]]
            low, high = joint.limits
            value, time = _worst(pattern, -np.minimum(angle - low, high - angle))
            out.append(Finding("room to stop", joint.name, "rad", -value, 0.0, time, True))
    return out


def _friction(pattern: WalkingPattern, forces: np.ndarray, friction: float) -> list[Finding]:
    """Tangential over normal force of each foot, on its own sole's plane."""
    normal = foot_axes(pattern.feet[0])[..., 2]
    press = (forces * normal).sum(axis=-1)
    slide = np.linalg.norm(forces - press[..., None] * normal, axis=-1)
    carries = press > LIGHT * pattern.balance.mass * pattern.robot.gravity
    used = np.where(carries, slide / np.where(carries, press, 1.0), 0.0)
    out = []
    for f, link in enumerate(pattern.legs.feet):
        value, time = _worst(pattern, used[:, f])
        out.append(Finding("friction used", link, "1", value, friction, time))
    return out


@kernel
def clearance_rows(ground: Any, points: Any, out: Any) -> None:
    """Height of points (n, k, 3) above the ground: the least of each row."""
    for i in range(len(points)):
        out[i] = np.inf
        for k in range(points.shape[1]):
            z, _, _ = ground_at(ground, points[i, k, 0], points[i, k, 1])
            out[i] = min(out[i], points[i, k, 2] - z)


def _clearances(pattern: WalkingPattern, terrain: Terrain, clearance: float) -> list[Finding]:
    out = []
    for f, link in enumerate(pattern.legs.feet):
        swings = ~pattern.standing[:, f]
        if not swings.any():
            continue
        corners, part = pattern.soles[:, f], np.linspace(0.0, 1.0, ALONG, endpoint=False)[:, None]
        ends = np.roll(corners, -1, axis=1)
        edges = (corners[:, :, None] * (1.0 - part) + ends[:, :, None] * part).reshape(len(corners), -1, 3)
        height = np.zeros(len(corners))
        clearance_rows["spatial"](terrain.ground(), np.ascontiguousarray(edges), height)
        speed = np.linalg.norm(pattern.feet[1, :, f, :3], axis=-1)
        fast = swings & (speed > FAST * speed.max())
        for kind, rows, bound in (("above ground", np.full(len(swings), True), -GRAZE), ("clearance", fast, clearance)):
            value, time = _worst(pattern, -np.where(rows, height, np.inf))
            out.append(Finding(kind, link, "m", -value, bound, time, True))
    return out


def _apart(pattern: WalkingPattern) -> Finding:
    """Distance of the soles seen from above, while feet, which reach from the sole to the ankle, are beside each other."""
    left, right = pattern.soles[:, 0], pattern.soles[:, 1]
    height = np.maximum(
        left[..., 2].min(axis=1) - right[..., 2].max(axis=1), right[..., 2].min(axis=1) - left[..., 2].max(axis=1)
    )
    beside = height < pattern.legs.data.ankle
    value, time = _worst(pattern, -np.where(beside, apart(left[..., :2], right[..., :2]), np.inf))
    return Finding("soles apart", "soles", "m", -value, -GRAZE, time, True)
