"""A robot in words: its tree, and a table of its numbers."""

import math
from typing import TYPE_CHECKING, Any

from footfall.model.parts import WORLD, Foot, Joint, Pad

if TYPE_CHECKING:
    from footfall.model.robot import Robot

Rows = list[tuple[str, ...]]


def tree_text(robot: "Robot") -> str:
    """The links as they hang on each other, with masses."""
    links = {link.name: link for link in robot.links}
    children: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    lines = [
        f"{robot.name}: {robot.space}, {len(robot.links)} links, {robot.nv} degrees of freedom, {robot.mass:.4g} kg",
        WORLD,
    ]
    waiting = [(joint, "", i == len(children[WORLD]) - 1) for i, joint in enumerate(children[WORLD])][::-1]
    while waiting:
        joint, indent, last = waiting.pop()
        what = f"{joint.kind} {joint.name}" + (", driven" if joint.motor else "")
        lines.append(f"{indent}{'└─' if last else '├─'} {joint.child}  {links[joint.child].mass:.4g} kg  ({what})")
        below = children.get(joint.child, [])
        indent += "   " if last else "│  "
        waiting += [(child, indent, i == len(below) - 1) for i, child in enumerate(below)][::-1]
    lines += [f"{loop.first} - {loop.second}  ({loop.kind} {loop.name}, closes a loop)" for loop in robot.loops]
    return "\n".join(lines)


def table_text(robot: "Robot") -> str:
    """Links, joints and feet with their numbers."""
    blocks = [f"{robot.name} ({robot.space}), {robot.mass:.4g} kg\n{robot.origin}".rstrip()]
    links: Rows = [("link", "mass kg", "centre of mass m", "inertia kg m2")]
    links += [(link.name, _number(link.mass), _number(link.com), _number(link.inertia)) for link in robot.links]
    blocks.append(_columns(links))
    joints: Rows = [
        ("joint", "kind", "on", "moves", "at m", "axis", "limits", "damping", "friction", "at rest", "spring", "motor")
    ]
    for joint in robot.joints:
        bounded = any(math.isfinite(x) for x in joint.limits)
        spring = f"{joint.spring.stiffness:.4g} from {joint.spring.rest:.4g}" if joint.spring else ""
        row: tuple[str, ...] = (joint.name, joint.kind, joint.parent, joint.child, _number(joint.at), _number(joint.axis or ()))
        row += (_number(joint.limits) if bounded else "", *(f"{x:.4g}" if x else "" for x in (joint.damping, joint.friction)))
        row += (f"{joint.holding:.4g}, to {joint.stribeck_velocity:.4g} rad/s" if joint.holding > joint.friction else "",)
        joints.append((*row, spring, _motor(joint)))
    blocks.append(_columns(joints))
    if robot.tendons:
        blocks.append(_columns(_tendons(robot)))
    if robot.feet:
        feet: Rows = [("foot", "pad", "on", "m", "each point")]
        for foot in robot.feet:
            for pad in foot.pads:
                feet.append((foot.name, type(pad).__name__, pad.link, _pad_numbers(pad), _compliance(foot)))
        blocks.append(_columns(feet))
    if robot.shapes:
        shapes: Rows = [("shape", "on", "m")]
        shapes += [(type(shape).__name__, shape.link, _pad_numbers(shape)) for shape in robot.shapes]
        blocks.append(_columns(shapes))
    if robot.frames:
        frames: Rows = [("frame", "on", "at m", "turn rad")]
        frames += [(frame.name, frame.link, _number(frame.at), _number(frame.turn)) for frame in robot.frames]
        blocks.append(_columns(frames))
    if robot.loops:
        loops: Rows = [("loop", "kind", "first", "second", "axis", "across", "from s", "to s", "breaks at N")]
        for loop in robot.loops:
            bounds = [_number(loop.start)] if loop.start else [""]
            bounds += [_number(x) if math.isfinite(x) else "" for x in (loop.end, loop.strength)]
            loops.append(
                (loop.name, loop.kind, loop.first, loop.second, _number(loop.axis or ()), _number(loop.across or ()), *bounds)
            )
        blocks.append(_columns(loops))
    blocks.append(f"q: {' '.join(robot.coordinates)}\nv: {' '.join(robot.velocities)}")
    return "\n\n".join(blocks)


def _tendons(robot: "Robot") -> Rows:
    rows: Rows = [("tendon", "moment arms m", "slack m", "stiffness N/m", "damping N s/m", "acts")]
    for tendon in robot.tendons:
        arms = ", ".join(f"{arm.joint} {_number(arm.arm)}" for arm in tendon.arms)
        numbers = [_number(x) for x in (tendon.slack, tendon.stiffness)] + [_number(tendon.damping) if tendon.damping else ""]
        rows.append((tendon.name, arms, *numbers, "both ways" if tendon.pushes else ""))
    return rows


def _pad_numbers(pad: Pad) -> str:
    return ", ".join(f"{key} {_number(value)}" for key, value in vars(pad).items() if key != "link")


def _compliance(foot: Foot) -> str:
    if not foot.compliance:
        return ""
    own = foot.compliance
    along = (own.tangential_stiffness or own.stiffness, own.damping if own.tangential_damping is None else own.tangential_damping)
    return f"{own.stiffness:.4g} N/m, {own.damping:.4g} N s/m; along the ground {along[0]:.4g}, {along[1]:.4g}"


def _motor(joint: Joint) -> str:
    if not joint.motor:
        return ""
    motor = joint.motor
    parts = [f"{motor.strongest:.4g} N m" if math.isfinite(motor.strongest) else "unlimited"]
    if math.isfinite(motor.speed):
        parts.append(f"{motor.speed:.4g} rad/s")
    if motor.torque_constant:
        parts.append(f"{motor.per_ampere:.4g} N m/A, {motor.resistance:.4g} ohm")
    if math.isfinite(motor.voltage):
        parts.append(f"{motor.voltage:.4g} V, no load at {motor.no_load:.4g} rad/s")
    if motor.rotor_inertia:
        parts.append(f"rotor {motor.rotor_inertia:.4g} kg m2 x {motor.gear:.4g}^2")
    return ", ".join(parts)


def _number(value: Any) -> str:
    """Four digits; rounding errors are zero."""
    if isinstance(value, tuple):
        return f"({', '.join(_number(x) for x in value)})"
    return f"{value:.4g}" if abs(value) > 1e-12 else "0"


def _columns(rows: Rows) -> str:
    """Rows as columns of text; columns that are empty below the heading are left out."""
    kept = [i for i in range(len(rows[0])) if any(row[i] not in ("", "()") for row in rows[1:])]
    rows = [tuple("" if row[i] == "()" else row[i] for i in kept) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(kept))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
