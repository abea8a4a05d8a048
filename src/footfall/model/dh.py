"""Tables of link parameters (Denavit and Hartenberg) to robots, and back.

Both conventions describe a joint by four numbers: a twist `alpha` and a length `a` along x, an angle `theta` and an offset `d`
along z. They differ in the order:

    modified   T_{i-1,i} = R_x(alpha_{i-1}) D_x(a_{i-1}) R_z(theta_i) D_z(d_i)   frame i has its z on axis i (Craig; Johnnie 2.2)
    standard   T_{i-1,i} = R_z(theta_i) D_z(d_i) D_x(a_i) R_x(alpha_i)           frame i has its z on axis i+1

The coordinate of a joint is added to `theta` if it is revolute, to `d` if it is prismatic. A table stands for all that lies
between its `base` and its `tool`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from footfall.errors import RobotError, StateError, UnknownNameError
from footfall.model import state, transforms
from footfall.model.checks import check_name, inertia_matrix, link_in
from footfall.model.normals import frames_along
from footfall.model.parts import WORLD, Frame, Joint, Link, Motor
from footfall.model.quantity import check_quantities, note, quantity
from footfall.model.robot import Robot
from footfall.model.serial import serial, variables
from footfall.model.transforms import rotation_x, rotation_z, translation

CONVENTIONS = ("modified", "standard")
KINDS = ("revolute", "prismatic")
BALL = (1.0, 0.01)  # kg, kg m2: of a link whose mass nobody gave


@dataclass(frozen=True)
class DHRow:
    """One joint of a table of link parameters. In the modified convention `alpha` and `a` are those of the link before it."""

    joint: str = note("name of the joint")
    alpha: float = quantity("rad", "twist: from one axis to the next, about x", 0.0)
    a: float = quantity("m", "length: from one axis to the next, along x", 0.0)
    d: float = quantity("m", "offset along z; a prismatic joint adds its coordinate", 0.0)
    theta: float = quantity("rad", "angle about z; a revolute joint adds its coordinate", 0.0)
    kind: str = note("revolute or prismatic", "revolute")
    limits: tuple[float, float] = quantity(
        "rad", "lowest and highest coordinate (m where it slides)", (-inf, inf), infinite=True, shape=(2,)
    )

    def __post_init__(self) -> None:
        check_quantities(self, f"row of joint {self.joint!r}")
        if self.kind not in KINDS:
            raise UnknownNameError(f"kind of joint in a table of link parameters (for {self.joint!r})", self.kind, KINDS)
        if not self.limits[0] <= self.limits[1]:
            raise RobotError(f"row of joint {self.joint!r}: limits must be (lowest, highest), got {self.limits!r:.80}")


@dataclass(frozen=True, eq=False)
class DHTable:
    """Rows of link parameters, a convention, and the transforms before the first frame and after the last."""

    rows: tuple[DHRow, ...]
    convention: str = "modified"
    base: Any = None  # 4 by 4: frame 0 in the axes of the base; None is no transform
    tool: Any = None  # 4 by 4: the tool in the last frame

    def __post_init__(self) -> None:
        if self.convention not in CONVENTIONS:
            raise UnknownNameError("convention of link parameters", self.convention, CONVENTIONS)
        if not isinstance(self.rows, tuple | list) or not self.rows or not all(isinstance(row, DHRow) for row in self.rows):
            raise RobotError(f"rows of a table of link parameters must be one or more DHRow, got {self.rows!r:.80}")
        object.__setattr__(self, "rows", tuple(self.rows))
        for name in ("base", "tool"):
            object.__setattr__(self, name, transforms.checked(getattr(self, name), f"{name} of a table of link parameters"))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, which are the coordinates."""
        return tuple(row.joint for row in self.rows)

    def steps(self, q: Any) -> list[np.ndarray]:
        """T_{i-1,i} of every row: Johnnie (2.5) in the modified convention."""
        values = state.vector(q, len(self.rows), f"coordinates of the table ({', '.join(self.joints)})")
        return [_step(row, float(value), self.convention) for row, value in zip(self.rows, values, strict=True)]

    def frames(self, q: Any) -> list[np.ndarray]:
        """Frames 1 to n in the axes of the base."""
        found, T = [], self.base
        for step in self.steps(q):
            T = T @ step
            found.append(T)
        return found

    def transform(self, q: Any) -> np.ndarray:
        """Forward kinematics: the tool in the axes of the base."""
        return self.frames(q)[-1] @ self.tool

    def __str__(self) -> str:
        shift = "i-1" if self.convention == "modified" else "i"
        head = ("joint", f"alpha_{shift}", f"a_{shift}", "d_i", "theta_i")
        width = max(len(head[0]), *(len(row.joint) for row in self.rows))
        table = [head]
        for row in self.rows:
            alpha, a, d, theta = (f"{round(x, 9) + 0.0:.6g}" for x in (row.alpha, row.a, row.d, row.theta))
            d, theta = (f"{d} + q", theta) if row.kind == "prismatic" else (d, f"{theta} + q")
            table.append((row.joint, alpha, a, d.removeprefix("0 + "), theta.removeprefix("0 + ")))
        return "\n".join(f"{name:{width}} " + "".join(f"{cell:>14}" for cell in cells) for name, *cells in table)


def robot_from_dh(
    table: DHTable, name: str = "chain", links: Sequence[Link] | None = None, motor: Motor | None = None, origin: str = ""
) -> Robot:
    """The robot of a table: a chain on the world, in space, with frames frame_1, frame_2, ... and `tool`.

    `links` are its bodies from the base outward, their centres of mass and inertias in the axes of the table's frames, as such
    tables are published. Without them every link is a ball of 1 kg and 0.01 kg m2, for kinematics only. A
    dot in the name of a row, as in hip.yaw, becomes an underscore in the name of the joint.
    """
    if not isinstance(table, DHTable):
        raise RobotError(f"robot_from_dh takes a DHTable, got {table!r:.80}")
    bodies = _bodies(table, links)
    joints, frames, placed, parent = [], [], table.base, WORLD
    for number, (row, body) in enumerate(zip(table.rows, bodies, strict=True), start=1):
        step = _step(row, 0.0, table.convention)
        placed, rest = (placed @ step, np.eye(4)) if table.convention == "modified" else (placed, step)
        at, turn = _fields(placed)
        joints.append(Joint(row.joint.replace(".", "_"), row.kind, parent, body.name, at, turn, "z", row.limits, motor=motor))
        frames.append(Frame(f"frame_{number}", body.name, *_fields(rest)))
        bodies[number - 1] = _moved(body, rest)
        placed, parent = rest, body.name
    frames.append(Frame("tool", parent, *_fields(placed @ table.tool)))
    return Robot(name, "spatial", tuple(bodies), tuple(joints), tuple(frames), origin=origin or "table of link parameters")


def dh_table(robot: Robot, target: str, base: str = WORLD, convention: str = "modified") -> DHTable:
    """The table of the chain from link or frame `base` to `target`, whose tool is the target.

    Frames follow the textbooks: x along the common normal from an axis to the next, which makes a positive. Where this leaves a
    choice, the number is zero. What the four numbers of the first or last row cannot express is in `base` and `tool`. A
    spherical joint or a floating base becomes several rows; `ff.dh_variables` gives their coordinates.
    """
    if convention not in CONVENTIONS:
        raise UnknownNameError("convention of link parameters", convention, CONVENTIONS)
    chain = serial(robot, target, base)
    names = [axis.name for axis in chain.axes]
    first, *placed, tail = frames_along(chain, convention)
    between = [_modified(transforms.inverse(one) @ two) for one, two in zip([first, *placed], placed, strict=False)]
    twists = between if convention == "modified" else [*between[1:], _modified(transforms.inverse(placed[-1]) @ tail)]
    rows = tuple(
        DHRow(axis.name, twist[0], twist[1], own[2], own[3], axis.kind, axis.limits)
        for axis, twist, own in zip(chain.axes, twists, between, strict=True)
    )
    bare = DHTable(rows, convention, first)
    return DHTable(rows, convention, first, transforms.inverse(bare.transform([0.0] * len(names))) @ chain.end)


def _step(row: DHRow, value: float, convention: str) -> np.ndarray:
    theta = row.theta + value if row.kind == "revolute" else row.theta
    d = row.d + value if row.kind == "prismatic" else row.d
    if convention == "modified":
        return rotation_x(row.alpha) @ translation(row.a, 0.0, 0.0) @ rotation_z(theta) @ translation(0.0, 0.0, d)
    return rotation_z(theta) @ translation(0.0, 0.0, d) @ translation(row.a, 0.0, 0.0) @ rotation_x(row.alpha)


def _modified(T: np.ndarray) -> tuple[float, float, float, float]:
    """alpha, a, d, theta of a transform that is R_x D_x R_z D_z, by the entries of Johnnie (2.5)."""
    alpha, theta = np.arctan2(-T[1, 2], T[2, 2]), np.arctan2(-T[0, 1], T[0, 0])
    d = np.cos(alpha) * T[2, 3] - np.sin(alpha) * T[1, 3]
    return float(alpha) + 0.0, float(T[0, 3]) + 0.0, float(d) + 0.0, float(theta) + 0.0


def _fields(T: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """`at` and `turn` of a part."""
    return tuple(float(x) for x in T[:3, 3]), transforms.roll_pitch_yaw(T[:3, :3])


def _bodies(table: DHTable, links: Sequence[Link] | None) -> list[Link]:
    if links is None:
        mass, moment = BALL
        return [Link(f"link_{i}", mass, inertia=(moment,) * 3) for i in range(1, len(table.rows) + 1)]
    if not isinstance(links, tuple | list) or not all(isinstance(link, Link) for link in links):
        raise RobotError(f"links of robot_from_dh must be a row of Link, got {links!r:.80}")
    if len(links) != len(table.rows):
        raise RobotError(f"a table of {len(table.rows)} rows has as many links, got {len(links)}")
    for link in links:
        check_name(link.name, "link")
    return [link_in(link, "spatial") for link in links]


def _moved(link: Link, T: np.ndarray) -> Link:
    """A link with its numbers in the axes of frame T, in the axes in which T is given."""
    R, inertia = T[:3, :3], link.inertia if isinstance(link.inertia, tuple) else (0.0,) * 6
    I = R @ inertia_matrix(inertia[:6] if len(inertia) == 6 else (*inertia, 0.0, 0.0, 0.0)) @ R.T
    com = T[:3, 3] + R @ np.array(link.com or (0.0,) * 3)
    moments = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return Link(link.name, link.mass, tuple(com.tolist()), tuple(float(x) for x in moments), link.solid)


def dh_variables(robot: Robot, q: Any, table: DHTable) -> np.ndarray:
    """The coordinates of a table that `dh_table` made of this robot, from those of the robot."""
    if not isinstance(table, DHTable):
        raise StateError(f"dh_variables takes a DHTable, got {table!r:.80}")
    return variables(robot, q, table.joints)
