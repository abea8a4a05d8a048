"""Robots as MuJoCo models (MJCF).

Every link is a body of the same name, every moving joint one or more of MuJoCo's joints with the same coordinates and
velocities. Two things differ. MuJoCo counts joints depth first: `qpos_from`, `qvel_from` and their inverses translate. And it
has no body without mass between two joints: such a link is left out, and its joint moves the next body, which has several then.
"""

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.core.joints import FREEDOMS
from footfall.errors import RobotError, StateError
from footfall.model import state
from footfall.model.checks import inertia_matrix
from footfall.model.export import (
    ELECTRICAL,
    STICTION,
    Export,
    LeftOut,
    Shape,
    flat_notes,
    has_rotor,
    numbers,
    shapes_by_link,
    xml_text,
)
from footfall.model.layout import CODES, lift
from footfall.model.parts import WORLD, Frame, Joint, Link
from footfall.model.robot import VELOCITY_NAMES, Robot

LEAST = 1e-15  # kg, kg m2: what MuJoCo wants a moving body to have at least (its mjMINVAL)
RAISED = "no body has its inertia, which MuJoCo refuses"
ROUNDING = 1e-12  # relative: principal moments are not known better, a change by less is none
NEAR = 1e-6  # m, and in each entry of a quaternion: what is nearer to a body's frame MuJoCo takes for that frame
MOST_NESTED = 490  # bodies within bodies; MuJoCo's reader gives up at 500 elements
SLACK = 1e6  # m: how much shorter than its slack length a cord may be without pushing, more than any joint allows
MOST_FREEDOMS = 6  # of one body in MuJoCo
X, Y, Z = np.eye(3)
PIECES = {  # MuJoCo's joints for ours: what is added to the name, the type and the axis
    "spherical": (("", "ball", None),),
    "planar": ((".x", "slide", X), (".z", "slide", Z), (".pitch", "hinge", Y)),
    "free": ((".x", "slide", X), (".y", "slide", Y), (".z", "slide", Z), (".turn", "ball", None)),
}


def mjcf_text(robot: Robot, *, gravity: Any = None, timestep: float = 0.001, ground: bool = True, bodies: bool = False) -> Export:
    """The robot as a MuJoCo model, with flat ground at z = 0 if asked.

    `gravity` is a number (downward), a vector, or left out for the robot's own; `timestep` is in seconds. Pads touch the ground
    and nothing else; with `bodies` the shapes of links do, too. Motors take torques, in the order of `robot.actuated`.
    """
    step = state.vector([timestep], 1, "timestep")[0]
    if step <= 0.0:
        raise StateError(f"timestep must be above 0 s, got {step:g}")
    return _Writer(robot, bodies).export(lift(state.gravity(robot, gravity)), step, ground)


def write_mjcf(
    robot: Robot,
    path: str | Path,
    *,
    gravity: Any = None,
    timestep: float = 0.001,
    ground: bool = True,
    bodies: bool = False,
) -> Export:
    """Write the robot to a file for MuJoCo; the result lists what was left out."""
    export = mjcf_text(robot, gravity=gravity, timestep=timestep, ground=ground, bodies=bodies)
    export.write(path)
    return export


# --- states ---------------------------------------------------------------------------------------------------------------


class Order(NamedTuple):
    """Where MuJoCo's entries are in ours: qpos = q[order.q], qvel = v[order.v]."""

    q: np.ndarray
    v: np.ndarray


def mujoco_order(robot: Robot) -> Order:
    tree, index = robot.tree, {joint.name: i for i, joint in enumerate(robot.layout.joints, start=1)}
    moving = [index[joint.name] for joint in _depth_first(robot) if joint.kind != "fixed"]
    starts = (tree.first_q.astype(int), tree.first_v.astype(int))
    return Order(*(np.concatenate([np.arange(first[i], first[i + 1]) for i in moving]) for first in starts))


def qpos_from(robot: Robot, q: Any) -> np.ndarray:
    """MuJoCo's coordinates from ours; rows of them are answered row by row."""
    return state.coordinates(robot, q, many=True)[..., mujoco_order(robot).q]


def qvel_from(robot: Robot, v: Any) -> np.ndarray:
    """MuJoCo's velocities (or accelerations, or joint forces) from ours."""
    return state.velocities(robot, v, many=True)[..., mujoco_order(robot).v]


def q_from(robot: Robot, qpos: Any) -> np.ndarray:
    """Our coordinates from MuJoCo's."""
    return np.asarray(qpos, dtype=float)[..., np.argsort(mujoco_order(robot).q)]


def v_from(robot: Robot, qvel: Any) -> np.ndarray:
    """Our velocities (or accelerations, or joint forces) from MuJoCo's."""
    return np.asarray(qvel, dtype=float)[..., np.argsort(mujoco_order(robot).v)]


def _depth_first(robot: Robot) -> list[Joint]:
    """All joints in the order in which MuJoCo counts them."""
    below = _below(robot)
    waiting, order = below.get(WORLD, [])[::-1], []
    while waiting:
        order.append(waiting.pop())
        waiting += below.get(order[-1].child, [])[::-1]
    return order


def _below(robot: Robot) -> dict[str, list[Joint]]:
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    return below


# --- writing --------------------------------------------------------------------------------------------------------------


class _Writer:
    """Builds the model of one robot, seen in space."""

    def __init__(self, robot: Robot, bodies: bool) -> None:
        self.planar, self.robot = robot.space == "planar", robot.in_space()
        self.notes = LeftOut()
        flat_notes(robot, self.notes)
        self.links = {link.name: link for link in self.robot.links}
        self.frames: dict[str, list[Frame]] = {}
        for frame in self.robot.frames:
            self.frames.setdefault(frame.link, []).append(frame)
        self.shapes = shapes_by_link(self.robot, self.notes, bodies)
        self.chains = self._chains()
        self.inertials = self._inertials()

    def export(self, gravity: np.ndarray, timestep: float, ground: bool) -> Export:
        root = ET.Element("mujoco", model=self.robot.name)
        ET.SubElement(root, "compiler", angle="radian", eulerseq="XYZ", inertiafromgeom="false")
        ET.SubElement(root, "option", timestep=numbers(timestep), gravity=numbers(*gravity))
        if self.robot.origin:
            ET.SubElement(ET.SubElement(root, "custom"), "text", name="origin", data=self.robot.origin)
        world = ET.SubElement(root, "worldbody")
        if ground:
            ET.SubElement(world, "geom", name="ground", type="plane", size="0 0 1", contype="0", conaffinity="1")
        self._add_bodies(world)
        self._add_tendons(root)
        self._add_motors(root)
        return Export(xml_text(root), self.notes.lines())

    # --- bodies -----------------------------------------------------------------------------------------------------------

    def _chains(self) -> dict[str, tuple[Joint, ...]]:
        """The links that are bodies, depth first, each with the joints from its parent body: one, or more past massless links."""
        below, chains = _below(self.robot), {}
        passed: dict[str, tuple[Joint, ...]] = {}
        for joint in _depth_first(self.robot):
            chain = (*passed.get(joint.parent, ()), joint)
            if self._passes(chain, below.get(joint.child, [])):
                passed[joint.child] = chain
                self.notes.add("link", joint.child, "has no mass and is no body: its joint moves the next body directly")
            else:
                chains[joint.child] = chain
        return chains

    def _passes(self, chain: Sequence[Joint], after: Sequence[Joint]) -> bool:
        """Whether a chain of joints goes on to the next link, since there is nothing at its end but that link's joint."""
        link = chain[-1].child
        if self.links[link].mass > 0.0 or link in self.frames or link in self.shapes or len(after) != 1:
            return False
        if chain[-1].kind not in ("revolute", "prismatic", "planar") or after[0].kind == "fixed":
            return False  # a ball must be the last joint of its body
        return sum(FREEDOMS[CODES[joint.kind]] for joint in (*chain, *after)) <= MOST_FREEDOMS

    def _add_bodies(self, world: ET.Element) -> None:
        bodies, depth = {WORLD: world}, {WORLD: 0}
        for link, chain in self.chains.items():
            parent = chain[0].parent
            depth[link] = depth[parent] + 1
            if depth[link] > MOST_NESTED:
                raise RobotError(
                    f"robot {self.robot.name!r}: MuJoCo reads at most {MOST_NESTED} links in a row, {link!r} is one more"
                )
            bodies[link] = ET.SubElement(bodies[parent], "body", {"name": link, **_chain_place(chain)})
            self._fill(bodies[link], link, chain)

    def _fill(self, body: ET.Element, link: str, chain: Sequence[Joint]) -> None:
        for joint, (pos, turn) in zip(chain, _seen_from_end(chain), strict=True):
            if joint.kind != "fixed":
                self._add_joint(body, joint, pos, turn)
        if self.inertials[link]:
            ET.SubElement(body, "inertial", self.inertials[link])
        for shape in self.shapes.get(link, []):
            ET.SubElement(body, "geom", _geom(shape))
        for frame in self.frames.get(link, []):
            ET.SubElement(body, "site", {"name": frame.name, **_place(frame.at, frame.turn)})

    # --- joints -----------------------------------------------------------------------------------------------------------

    def _add_joint(self, body: ET.Element, joint: Joint, pos: np.ndarray, turn: Rotation) -> None:
        """MuJoCo's joints for one of ours, which sits at `pos` and `turn` of the body in the zero position."""
        if joint.kind == "free" and not any(joint.at) and not np.any(joint.turn):
            ET.SubElement(body, "freejoint", name=joint.name)
            return
        common = self._forces(joint) | ({"pos": numbers(*pos)} if pos.any() else {})
        for suffix, kind, axis in _pieces(joint):
            along = {} if axis is None else {"axis": numbers(*turn.apply(axis))}
            ET.SubElement(body, "joint", {"name": joint.name + suffix, "type": kind, **along, **common})

    def _forces(self, joint: Joint) -> dict[str, str]:
        """Limits, passive forces and the rotor of a joint."""
        entries = {"damping": joint.damping, "frictionloss": joint.friction}
        if joint.holding > joint.friction:
            self.notes.add("joint", joint.name, STICTION)
        if joint.spring:
            entries |= {"stiffness": joint.spring.stiffness, "springref": joint.spring.rest}
        if joint.motor and has_rotor(joint.motor):
            entries["armature"] = joint.motor.rotor_inertia * joint.motor.gear**2
            self.notes.add("joint", joint.name, "rotor inertia and gear of its motor are written as one number, the armature")
        texts = {key: numbers(value) for key, value in entries.items() if value}
        low, high = joint.limits
        if math.isinf(low) and math.isinf(high):
            return texts
        if low == high:  # MuJoCo would take that for no limits
            high = math.nextafter(high, math.inf)
            self.notes.add("joint", joint.name, "its limits are equal and are written apart by one rounding")
        return texts | {"limited": "true", "range": numbers(low, high)}

    def _add_tendons(self, root: ET.Element) -> None:
        """MuJoCo's fixed tendons have constant moment arms as well, but span no ball joints."""
        kinds = {joint.name: joint.kind for joint in self.robot.joints}
        spanning = [t for t in self.robot.tendons if all(kinds[arm.joint] != "spherical" for arm in t.arms)]
        for tendon in self.robot.tendons:
            if tendon not in spanning:
                self.notes.add("tendon", tendon.name, "spans a spherical joint, which MuJoCo's tendons cannot; it is left out")
            elif tendon.damping and not tendon.pushes:
                self.notes.add("tendon", tendon.name, "its damper acts while it is slack, too")
        section = ET.SubElement(root, "tendon") if spanning else root
        for tendon in spanning:
            low = tendon.slack if tendon.pushes else -SLACK
            attributes = {"name": tendon.name, "stiffness": numbers(tendon.stiffness), "damping": numbers(tendon.damping)}
            cord = ET.SubElement(section, "fixed", attributes | {"springlength": numbers(low, tendon.slack)})
            for arm in tendon.arms:
                ET.SubElement(cord, "joint", joint=arm.joint, coef=numbers(arm.arm))

    def _add_motors(self, root: ET.Element) -> None:
        """One for each driven degree of freedom, in the order of `robot.actuated`."""
        driven = [(joint, joint.motor) for joint in self.robot.layout.joints if joint.motor]
        actuators = ET.SubElement(root, "actuator") if driven else root
        for joint, motor in driven:
            if math.isfinite(motor.speed):
                self.notes.add("joint", joint.name, "the largest speed of its motor is left out")
            if motor.torque_constant or motor.load_friction:
                self.notes.add("joint", joint.name, ELECTRICAL)
            limit = {"ctrllimited": "true", "ctrlrange": numbers(-motor.strongest, motor.strongest)}
            if not 0.0 < motor.strongest < math.inf:
                limit = {}
            elif joint.kind == "spherical":
                self.notes.add("joint", joint.name, "the largest torque of its motor holds about each of three axes by itself")
            strength = int(motor.strongest > 0.0)  # MuJoCo takes no range of width 0; a motor with gear 0 does nothing either
            for suffix, axis in zip(VELOCITY_NAMES[joint.kind], np.eye(3, dtype=int), strict=False):
                gear = strength * axis if joint.kind == "spherical" else [strength]
                name = joint.name + suffix
                ET.SubElement(actuators, "motor", {"name": name, "joint": joint.name, "gear": " ".join(map(str, gear)), **limit})

    # --- masses -----------------------------------------------------------------------------------------------------------

    def _inertials(self) -> dict[str, dict[str, str]]:
        """The attributes of `inertial` for each link that is a body; none where it has no mass.

        MuJoCo wants each moving body to have mass, and inertia about every axis, or something fixed to it that has. Where none
        of the links that move together has it alone, the heaviest gets the rest.
        """
        together: dict[int, list[Link]] = {}
        for name in self.chains:
            together.setdefault(self.robot.target(name).body, []).append(self.links[name])
        written = {}
        for body, links in together.items():
            wanting = body > 0 and not any(map(_suffices, links))
            heaviest = max(links, key=lambda link: link.mass)
            for link in links:
                written[link.name] = self._inertial(link, LEAST if wanting and link is heaviest else 0.0)
        return written

    def _inertial(self, link: Link, least: float) -> dict[str, str]:
        """Mass and principal moments, none below `least`."""
        if link.mass == least == 0.0 and not np.any(link.inertia):
            return {}
        moments, axes = _principal(link)
        floor = np.maximum(moments, least)
        raised = _balanced(floor)
        added = (raised - moments)[1:2] if self.planar else raised - moments
        if link.mass < least:
            self.notes.add("link", link.name, f"MuJoCo wants mass in all that moves, {LEAST:g} kg and kg m2 are written")
        elif np.any(raised - floor > ROUNDING * max(moments)) or min(moments) < -ROUNDING * max(moments):
            changes = ", ".join(
                f"{a:g} to {b:g}" for a, b in zip(moments, raised, strict=True) if b - a > ROUNDING * max(moments)
            )
            self.notes.add("link", link.name, f"{RAISED}, principal moments are raised from {changes} kg m2")
        elif np.any(added > ROUNDING * max(moments)):
            self.notes.add("link", link.name, f"MuJoCo wants inertia in all that moves, at least {LEAST:g} kg m2 are written")
        if _would_be_rounded(axes, link.com):  # not so with the axes called otherwise
            axes, raised = np.roll(axes, -1, axis=1), np.roll(raised, -1)
        turn = {} if np.array_equal(axes, np.eye(3)) else {"quat": _quaternion(Rotation.from_matrix(axes))}
        return {"pos": numbers(*link.com), **turn, "mass": numbers(max(link.mass, least)), "diaginertia": numbers(*raised)}


def _suffices(link: Link) -> bool:
    """Whether MuJoCo accepts a link as a moving body."""
    return link.mass >= LEAST and bool(min(_principal(link)[0]) >= LEAST)


def _principal(link: Link) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and, as columns, their axes: the link's where these are it already."""
    J = inertia_matrix(link.inertia)  # type: ignore[arg-type]  # a robot in space has all six entries
    if not np.any(J - np.diag(J.diagonal())):
        return J.diagonal(), np.eye(3)
    moments, axes = np.linalg.eigh(J)
    return moments, axes * np.sign(np.linalg.det(axes))


def _would_be_rounded(axes: np.ndarray, com: Sequence[float]) -> bool:
    """Whether a centre of mass or principal axes differ from the link's frame by so little that MuJoCo takes them for it."""
    if np.max(np.abs(axes - np.eye(3))) > 4 * NEAR:
        return False
    return not np.array_equal(axes, np.eye(3)) or 0.0 < np.max(np.abs(com)) < NEAR


def _balanced(moments: np.ndarray) -> np.ndarray:
    """Moments as a body can have them: rounding may have left the largest above the sum of the others, which MuJoCo refuses."""
    low, middle, high = np.argsort(moments)
    balanced = moments.copy()
    balanced[low] = max(balanced[low], balanced[high] - balanced[middle])
    while not balanced[low] + balanced[middle] >= balanced[high]:
        balanced[low] = math.nextafter(balanced[low], math.inf)
    return balanced


def _pieces(joint: Joint) -> Sequence[tuple[str, str, Any]]:
    if joint.kind in PIECES:
        return PIECES[joint.kind]
    return (("", "hinge" if joint.kind == "revolute" else "slide", lift(joint.axis)),)


def _geom(shape: Shape) -> dict[str, str]:
    """A pad that touches the ground only."""
    touches = {"contype": "1", "conaffinity": "0"}
    if shape.kind == "capsule":
        ends = {"fromto": numbers(*shape.at, *shape.end), "size": numbers(*shape.size)}
        return {"name": shape.name, "type": "capsule"} | ends | touches
    lengths = {"sphere": shape.size, "cylinder": (shape.size[0], shape.size[-1] / 2), "box": [x / 2 for x in shape.size]}
    across = {"zaxis": "0 1 0"} if shape.kind == "cylinder" else {}
    attributes = {"name": shape.name, "type": shape.kind, "pos": numbers(*shape.at), "size": numbers(*lengths[shape.kind])}
    return attributes | across | touches


# --- places ---------------------------------------------------------------------------------------------------------------


def _place(at: Any, turn: Any) -> dict[str, str]:
    entries = {"pos": at, "euler": turn}
    return {key: numbers(*value) for key, value in entries.items() if np.any(value)}


def _chain_place(chain: Sequence[Joint]) -> dict[str, str]:
    """Where the end of a chain is in the zero position, seen from where it begins."""
    if not any(np.any(joint.at) or np.any(joint.turn) for joint in chain[1:]):
        return _place(chain[0].at, chain[0].turn)
    at, turn = _along(chain)[-1]
    return {"pos": numbers(*at), "quat": _quaternion(turn)}


def _along(chain: Sequence[Joint]) -> list[tuple[np.ndarray, Rotation]]:
    """Where the links of a chain are in the zero position, seen from where it begins."""
    places, at, turn = [], np.zeros(3), Rotation.identity()
    for joint in chain:
        at, turn = at + turn.apply(joint.at), turn * Rotation.from_euler("xyz", joint.turn)
        places.append((at, turn))
    return places


def _seen_from_end(chain: Sequence[Joint]) -> list[tuple[np.ndarray, Rotation]]:
    """Where the links of a chain are in the zero position, seen from the last."""
    if not any(np.any(joint.at) or np.any(joint.turn) for joint in chain[1:]):
        return [(np.zeros(3), Rotation.identity())] * len(chain)
    places = _along(chain)
    end, back = places[-1][0], places[-1][1].inv()
    return [(back.apply(at - end), back * turn) for at, turn in places]


def _quaternion(turn: Rotation) -> str:
    x, y, z, w = turn.as_quat()
    return numbers(w, x, y, z)
