"""Checks of the parts of a robot. Each raises a RobotError that names the part and the value."""

import dataclasses
import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from footfall.errors import RobotError, UnknownNameError
from footfall.model.parts import (
    PAD_NAMES,
    WORLD,
    Arc,
    Box,
    Capsule,
    Foot,
    Frame,
    HeelToe,
    Joint,
    Link,
    Loop,
    Motor,
    Pad,
    Sphere,
    Spring,
    Tendon,
)
from footfall.model.quantity import check_quantities

KINDS = {
    "planar": ("fixed", "revolute", "prismatic", "planar"),
    "spatial": ("fixed", "revolute", "prismatic", "spherical", "planar", "free"),
}
AXES: dict[str, dict[str, tuple[float, ...]]] = {
    "planar": {"x": (1.0, 0.0), "z": (0.0, 1.0)},
    "spatial": {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)},
}
LOOPS = {
    "planar": ("fixed", "revolute", "prismatic"),
    "spatial": ("fixed", "revolute", "prismatic", "spherical", "universal"),
}
HINGED = ("revolute", "prismatic")
VECTORS: dict[type, tuple[str, ...]] = {HeelToe: ("heel", "toe"), Box: ("at", "size"), Capsule: ("start", "end")}  # others: at
MOST_LINKS = 10_000
ROUNDING = 1e-9  # relative: principal moments of a thin rod break the triangle inequality by as much


def check_name(name: Any, what: str) -> None:
    odd = not isinstance(name, str) or any(c.isspace() or not c.isprintable() or c in "./" for c in name)
    if odd or not 0 < len(name) <= 100:
        raise RobotError(f"a {what} needs a name of 1 to 100 characters without blanks, dots and slashes, got {name!r:.120}")


def check_unique(names: Sequence[str], what: str) -> None:
    for name in names:
        check_name(name, what)
    for name, times in Counter(names).items():
        if times > 1:
            raise RobotError(f"{what} {name!r} is declared {times} times; every name must be its own")


def vector(value: Any, space: str, title: str) -> tuple[float, ...]:
    """A vector of the space's length; an empty one is zero."""
    length = len(AXES[space]["x"])
    if not isinstance(value, tuple) or len(value) not in (0, length) or not all(isinstance(x, float) for x in value):
        axes = "(x, z)" if space == "planar" else "(x, y, z)"
        raise RobotError(f"{title} must be {axes} in a {space} robot, got {value!r:.120}")
    return value or (0.0,) * length


def turn(value: Any, space: str, title: str) -> float | tuple[float, ...]:
    if value == ():
        return 0.0 if space == "planar" else (0.0, 0.0, 0.0)
    if space == "planar":
        if not isinstance(value, float):
            raise RobotError(f"{title} must be one angle in a planar robot, got {value!r:.120}")
        return value
    if not isinstance(value, tuple) or len(value) != 3:
        raise RobotError(f"{title} must be (roll, pitch, yaw) in a spatial robot, got {value!r:.120}")
    return value


def axis(joint: Joint, space: str) -> tuple[float, ...] | None:
    """The joint's axis as a unit vector; None where the kind leaves no choice."""
    given, named, title = joint.axis, AXES[space], f"joint {joint.name!r}"
    if joint.kind not in HINGED or (space == "planar" and joint.kind == "revolute"):
        if given is not None and not (space == "planar" and joint.kind == "revolute" and isinstance(given, str) and given == "y"):
            raise RobotError(f"{title}: a {joint.kind} joint in a {space} robot has no axis to choose, got {given!r:.80}")
        return None
    if given is None:
        if joint.kind == "prismatic":
            raise RobotError(f"{title}: a prismatic joint needs an axis: one of {', '.join(named)}, or a vector")
        return named["y"]
    return unit_vector(given, space, title)


def unit_vector(given: Any, space: str, title: str) -> tuple[float, ...]:
    """A direction by name, or by a vector of any length but zero."""
    named = AXES[space]
    given = tuple(given.tolist()) if isinstance(given, np.ndarray) and given.ndim else given
    if isinstance(given, str):
        if given not in named:
            raise UnknownNameError(f"axis (for {title})", given, named)
        return named[given]
    try:
        entries = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"{title}: axis must be one of {', '.join(named)} or a vector, got {given!r:.80}") from None
    length = np.linalg.norm(entries)
    if entries.shape != (len(named["x"]),) or not np.isfinite(length) or length == 0.0:
        raise RobotError(f"{title}: axis must be a vector of {len(named['x'])} numbers, not all zero, got {given!r:.80}")
    if abs(length - 1.0) > 1e-15:
        entries = entries / length
    return tuple(float(x) + 0.0 for x in entries)


def link_in(link: Link, space: str) -> Link:
    title = f"link {link.name!r}"
    inertia = link.inertia
    if space == "planar":
        if not isinstance(inertia, float):
            raise RobotError(f"{title}: inertia must be one number (about y) in a planar robot, got {inertia!r:.120}")
        if inertia < 0.0 and not link.as_given:
            raise RobotError(f"{title}: inertia must not be negative, got {inertia:g} kg m2")
    else:
        inertia = (0.0,) * 6 if inertia == 0.0 else inertia
        if not isinstance(inertia, tuple) or len(inertia) not in (3, 6):
            raise RobotError(
                f"{title}: inertia must be (xx, yy, zz) or (xx, yy, zz, xy, xz, yz) in a spatial robot, got {inertia!r:.120}"
            )
        inertia = inertia + (0.0,) * (6 - len(inertia))
        if not link.as_given:
            check_moments(inertia, title)
    if link.mass == 0.0 and np.any(inertia) and not link.as_given:
        raise RobotError(f"{title}: a link with inertia must have mass, got mass 0 and inertia {inertia!r:.120}")
    return dataclasses.replace(link, com=vector(link.com, space, f"{title}: com"), inertia=inertia)


def inertia_matrix(entries: Sequence[float]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def check_moments(inertia: Sequence[float], title: str) -> None:
    a, b, c = np.linalg.eigvalsh(inertia_matrix(inertia))
    if a < -ROUNDING * c or c < 0.0:
        raise RobotError(f"{title}: inertia must not be negative about any axis, got principal moments {a:g}, {b:g}, {c:g} kg m2")
    if a + b < c * (1.0 - ROUNDING):
        raise RobotError(
            f"{title}: no body has principal moments {a:g}, {b:g}, {c:g} kg m2; the largest is at most the sum of the others"
        )


def joint_in(joint: Joint, space: str) -> Joint:
    title = f"joint {joint.name!r}"
    if joint.kind not in KINDS[space]:
        raise UnknownNameError(f"kind of joint in a {space} robot (for {title})", joint.kind, KINDS[space])
    if joint.kind in ("planar", "free") and joint.parent != WORLD:
        raise RobotError(f"{title}: a {joint.kind} joint is a floating base, its parent must be {WORLD!r}, got {joint.parent!r}")
    if not isinstance(joint.limits, tuple) or len(joint.limits) != 2 or not joint.limits[0] <= joint.limits[1]:
        raise RobotError(f"{title}: limits must be (lowest, highest), got {joint.limits!r:.80}")
    for name, part, kind in (("motor", joint.motor, Motor), ("spring", joint.spring, Spring)):
        if part is not None and not isinstance(part, kind):
            raise RobotError(f"{title}: {name} must be a {kind.__name__}, or left out, got {part!r:.80}")
    bounded = any(math.isfinite(x) for x in joint.limits)
    if joint.kind not in HINGED and (bounded or joint.spring):
        raise RobotError(f"{title}: only revolute and prismatic joints can have limits or a spring")
    if joint.kind not in (*HINGED, "spherical") and (joint.motor or joint.damping or joint.holding):
        raise RobotError(f"{title}: a {joint.kind} joint can have no motor, damping or friction")
    return dataclasses.replace(
        joint,
        at=vector(joint.at, space, f"{title}: at"),
        turn=turn(joint.turn, space, f"{title}: turn"),
        axis=axis(joint, space),
    )


def frame_in(frame: Frame, space: str) -> Frame:
    title = f"frame {frame.name!r}"
    return dataclasses.replace(frame, at=vector(frame.at, space, f"{title}: at"), turn=turn(frame.turn, space, f"{title}: turn"))


def loop_in(loop: Loop, space: str, known: Iterable[str]) -> Loop:
    """The loop with its axes as unit vectors where its kind has them."""
    title = f"loop {loop.name!r}"
    if loop.kind not in LOOPS[space]:
        raise UnknownNameError(f"kind of loop in a {space} robot (for {title})", loop.kind, LOOPS[space])
    for end in (loop.first, loop.second):
        if end not in known:
            raise UnknownNameError(f"link or frame (named by {title})", end, known)
    if loop.first == loop.second:
        raise RobotError(f"{title}: both ends are {loop.first!r}; a loop joins two links or frames")
    turns_in_plane = space == "planar" and loop.kind == "revolute"
    chosen = {
        "axis": loop.kind in ("revolute", "prismatic", "universal") and not turns_in_plane,
        "across": loop.kind == "universal",
    }
    usual = {"axis": "y", "across": "x"}
    axes: dict[str, Any] = {}
    for name, has in chosen.items():
        given = getattr(loop, name)
        if not has and given is not None and not (turns_in_plane and isinstance(given, str) and given == "y"):
            raise RobotError(f"{title}: a {loop.kind} loop in a {space} robot has no {name} to choose, got {given!r:.80}")
        if has and given is None and space == "planar":
            raise RobotError(f"{title}: a {loop.kind} loop in a planar robot needs an axis, 'x', 'z' or a vector")
        axes[name] = unit_vector(usual[name] if given is None else given, space, f"{title}, {name}") if has else None
    return dataclasses.replace(loop, **axes)


def tendon_in(tendon: Tendon, joints: Sequence[Joint]) -> Tendon:
    """The tendon, whose joints are known and have as many moment arms as they need."""
    title, kinds = f"tendon {tendon.name!r}", {joint.name: joint.kind for joint in joints}
    if not tendon.arms:
        raise RobotError(f"{title}: it spans no joint; it needs at least one MomentArm")
    times = Counter(arm.joint for arm in tendon.arms)
    for arm in tendon.arms:
        if arm.joint not in kinds:
            raise UnknownNameError(f"joint (named by {title})", arm.joint, kinds)
        kind = kinds[arm.joint]
        if kind not in (*HINGED, "spherical"):
            raise RobotError(f"{title}: {arm.joint!r} is {kind}; tendons span revolute, prismatic and spherical joints")
        if (kind == "spherical") != isinstance(arm.arm, tuple) or (isinstance(arm.arm, tuple) and len(arm.arm) != 3):
            wanted = "(x, y, z)" if kind == "spherical" else "one number"
            raise RobotError(f"{title}: the moment arm of {arm.joint!r}, which is {kind}, must be {wanted}, got {arm.arm!r:.80}")
        if times[arm.joint] > 1:
            raise RobotError(f"{title}: it spans {arm.joint!r} {times[arm.joint]} times; add its moment arms up")
        if not np.any(arm.arm):
            raise RobotError(f"{title}: its moment arm at {arm.joint!r} is 0 m, so it does not span this joint; leave it out")
    return tendon


def foot_in(foot: Foot, space: str) -> Foot:
    """The foot with vectors of full length; a pad of no extent is an error."""
    if not foot.pads:
        raise RobotError(f"foot {foot.name!r} has no pads; it needs at least one {PAD_NAMES}")
    return dataclasses.replace(foot, pads=tuple(pad_in(pad, space, f"foot {foot.name!r}") for pad in foot.pads))


def shape_in(shape: Any, space: str) -> Pad:
    """A shape of a link with vectors of full length."""
    if not isinstance(shape, Pad):
        raise RobotError(f"shapes must be a row of {PAD_NAMES}, got {shape!r:.80}")
    check_quantities(shape, f"shape {type(shape).__name__} on {shape.link!r}")
    return pad_in(shape, space, "shape")


def pad_in(pad: Pad, space: str, owner: str) -> Pad:
    """A pad or shape with vectors of full length; one of no extent is an error."""
    title = (
        f"{owner}, {type(pad).__name__} on {pad.link!r}" if owner != "shape" else f"shape {type(pad).__name__} on {pad.link!r}"
    )
    full: Any = {name: vector(getattr(pad, name), space, f"{title}: {name}") for name in VECTORS.get(type(pad), ("at",))}
    if isinstance(pad, Box) and not all(x > 0.0 for x in full["size"]):
        raise RobotError(f"{title}: every size must be above 0 m, got {pad.size}")
    if isinstance(pad, Arc) and not (pad.radius > 0.0 and len(pad.span) == 2 and pad.span[0] < pad.span[1]):
        raise RobotError(
            f"{title}: needs a radius above 0 m and a span (heel, toe) with heel < toe, got {pad.radius:g}, {pad.span}"
        )
    if isinstance(pad, Sphere | Capsule) and not pad.radius > 0.0:
        raise RobotError(f"{title}: needs a radius above 0 m, got {pad.radius:g}")
    if isinstance(pad, Capsule) and full["start"] == full["end"]:
        raise RobotError(f"{title}: both ends are at {full['end']}; use Sphere")
    if isinstance(pad, HeelToe) and pad.heel == pad.toe:
        raise RobotError(f"{title}: heel and toe are the same point {pad.heel}; use Point")
    return dataclasses.replace(pad, **full)


def tree_order(links: Sequence[Link], joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints with parents before children, otherwise as declared."""
    known = {link.name for link in links} | {WORLD}
    above: dict[str, Joint] = {}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in known:
                raise UnknownNameError(f"link (named by joint {joint.name!r})", end, known)
        if joint.child == WORLD:
            raise RobotError(f"joint {joint.name!r}: the world cannot be a child")
        if joint.child in above:
            raise RobotError(
                f"link {joint.child!r} has two parents, by the joints {above[joint.child].name!r} and {joint.name!r}"
            )
        above[joint.child] = joint
    for link in links:
        if link.name not in above:
            raise RobotError(f"link {link.name!r} is held by no joint; a base needs one whose parent is {WORLD!r}")
    waiting: dict[str, list[int]] = {}
    for index, joint in enumerate(joints):
        waiting.setdefault(joint.parent, []).append(index)
    return _breadth_by_declaration(joints, waiting)


def _breadth_by_declaration(joints: Sequence[Joint], waiting: dict[str, list[int]]) -> tuple[Joint, ...]:
    """Always the first declared joint whose parent is placed."""
    ready, order = list(waiting.get(WORLD, [])), []
    heapq.heapify(ready)
    while ready:
        index = heapq.heappop(ready)
        order.append(joints[index])
        for child in waiting.get(joints[index].child, []):
            heapq.heappush(ready, child)
    if len(order) < len(joints):
        placed = {joint.name for joint in order}
        loop = [joint.name for joint in joints if joint.name not in placed]
        raise RobotError(f"these joints form a loop that never reaches the world: {', '.join(loop[:10])}")
    return tuple(order)
