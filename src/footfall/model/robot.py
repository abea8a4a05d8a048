"""A robot: links, joints, frames and feet, checked and constant."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.core.joints import FREEDOMS
from footfall.core.tree import Tree
from footfall.errors import RobotError, StateError, UnknownNameError
from footfall.model import checks, shapes, show
from footfall.model.embed import embedded
from footfall.model.layout import CODES, Layout, Target, lay_out
from footfall.model.parts import WORLD, Foot, Frame, Joint, Link, Loop, Pad, Tendon
from footfall.model.quantity import check_quantities, note, quantity
from footfall.shown import Shown

COORDINATE_NAMES = {
    "revolute": ("",),
    "prismatic": ("",),
    "spherical": (".qw", ".qx", ".qy", ".qz"),
    "planar": (".x", ".z", ".pitch"),
    "free": (".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"),
}
VELOCITY_NAMES = {
    "revolute": ("",),
    "prismatic": ("",),
    "spherical": (".wx", ".wy", ".wz"),
    "planar": (".x", ".z", ".pitch"),
    "free": (".x", ".y", ".z", ".wx", ".wy", ".wz"),
}


@dataclass(frozen=True, repr=False)
class Robot(Shown):
    """A tree of rigid bodies, in the plane x-z or in space; hinges besides may close loops.

    A declared robot is checked and complete (vectors of full length, joints with parents before children) and
    never changes. Two robots are equal when all their numbers are.
    """

    name: str = note("of the robot")
    space: str = note("'planar' or 'spatial'")
    links: tuple[Link, ...] = note("its rigid bodies")
    joints: tuple[Joint, ...] = note("how they hold together; every link is the child of one")
    frames: tuple[Frame, ...] = note("named frames and points", ())
    feet: tuple[Foot, ...] = note("its feet, which may touch the ground", ())
    origin: str = note("where its numbers come from", "")
    gravity: float = quantity("m/s2", "assumed by its published numbers", 9.81, low=0.0)
    overhead: float = quantity("W", "power of computers and other electronics, without motors", 0.0, low=0.0)
    shapes: tuple[Pad, ...] = note("of links, besides the feet; a link without one has limbs from joint to joint", ())
    loops: tuple[Loop, ...] = note("hinges that close loops of the tree", ())
    tendons: tuple[Tendon, ...] = note("elastic cords across joints", ())

    def __post_init__(self) -> None:
        checks.check_name(self.name, "robot")
        check_quantities(self, f"robot {self.name!r}")
        if not isinstance(self.origin, str) or not all(c.isprintable() or c in "\n\t" for c in self.origin):
            raise RobotError(f"robot {self.name!r}: origin must be printable text, got {self.origin!r:.120}")
        if self.space not in checks.KINDS:
            raise UnknownNameError("space (for a robot)", self.space, checks.KINDS)
        for name in ("links", "joints", "frames", "feet", "shapes", "loops", "tendons"):
            if not isinstance(getattr(self, name), tuple | list):
                raise RobotError(f"robot {self.name!r}: {name} must be a row, such as (one,), got {getattr(self, name)!r:.80}")
        if not self.links:
            raise RobotError(f"robot {self.name!r} has no links")
        if len(self.links) > checks.MOST_LINKS:
            raise RobotError(f"robot {self.name!r} has {len(self.links)} links; at most {checks.MOST_LINKS} are supported")
        declared: dict[type, tuple] = {
            Link: self.links,
            Joint: self.joints,
            Frame: self.frames,
            Foot: self.feet,
            Loop: self.loops,
            Tendon: self.tendons,
        }
        for kind, given in declared.items():
            for entry in given:
                if not isinstance(entry, kind):
                    raise RobotError(f"robot {self.name!r}: expected a {kind.__name__}, got {entry!r:.80}")
        checks.check_unique([*(link.name for link in self.links), *(frame.name for frame in self.frames), WORLD], "link or frame")
        checks.check_unique(
            [*(joint.name for joint in self.joints), *(loop.name for loop in self.loops)],
            "joint or loop" if self.loops else "joint",
        )
        checks.check_unique([foot.name for foot in self.feet], "foot")
        checks.check_unique([tendon.name for tendon in self.tendons], "tendon")
        links = tuple(checks.link_in(link, self.space) for link in self.links)
        joints = checks.tree_order(links, [checks.joint_in(joint, self.space) for joint in self.joints])
        known = {link.name for link in links}
        own = tuple(checks.shape_in(shape, self.space) for shape in self.shapes)
        for carried in (*self.frames, *(pad for foot in self.feet for pad in foot.pads), *own):
            if carried.link not in known:
                raise UnknownNameError(f"link (for {carried!r:.60})", carried.link, known)
        self._set("links", links)
        self._set("joints", joints)
        self._set("frames", tuple(checks.frame_in(frame, self.space) for frame in self.frames))
        self._set("feet", tuple(checks.foot_in(foot, self.space) for foot in self.feet))
        self._set("shapes", own)
        ends = {*known, *(frame.name for frame in self.frames), WORLD}
        self._set("loops", tuple(checks.loop_in(loop, self.space, ends) for loop in self.loops))
        self._set("tendons", tuple(checks.tendon_in(tendon, joints) for tendon in self.tendons))
        targets = self.layout.targets  # finds what only shows when all is put together
        for loop in self.loops:
            if targets[loop.first].body == targets[loop.second].body:
                raise RobotError(f"loop {loop.name!r}: {loop.first!r} and {loop.second!r} are parts of one rigid body")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<robot {self.name!r}: {self.space}, {self.nv} degrees of freedom, {self.mass:.4g} kg>"

    @cached_property
    def layout(self) -> Layout:
        """The robot as the arrays that the kernels read."""
        return lay_out(self)

    @cached_property
    def solids(self) -> dict[str, tuple[Pad, ...]]:
        """The shapes of every link, besides its pads: those declared, or limbs from joint to joint."""
        return shapes.solids(self)

    # --- sizes and names --------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The arrays that the kernels read."""
        return self.layout.tree

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self.tree.first_q[-1])

    @property
    def nv(self) -> int:
        """Number of degrees of freedom: of velocities, accelerations and joint forces."""
        return int(self.tree.first_v[-1])

    @property
    def dim(self) -> int:
        """2 in the plane, 3 in space."""
        return 2 if self.space == "planar" else 3

    @property
    def mass(self) -> float:
        """Mass of all links together, in kg."""
        return sum(link.mass for link in self.links)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q."""
        return tuple(joint.name + part for joint in self.layout.joints for part in COORDINATE_NAMES[joint.kind])

    @cached_property
    def velocities(self) -> tuple[str, ...]:
        """Names of the entries of v, of accelerations and of joint forces."""
        return tuple(joint.name + part for joint in self.layout.joints for part in VELOCITY_NAMES[joint.kind])

    @cached_property
    def actuated(self) -> np.ndarray:
        """Which degrees of freedom have a motor, as indices into v."""
        driven = [bool(joint.motor) for joint in self.layout.joints for _ in range(FREEDOMS[CODES[joint.kind]])]
        return np.flatnonzero(driven)

    # --- parts by name ----------------------------------------------------------------------------------------------------

    def link(self, name: str) -> Link:
        """The link of that name."""
        return _named(self.links, "link", name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return _named(self.joints, "joint", name)

    def foot(self, name: str) -> Foot:
        """The foot of that name."""
        return _named(self.feet, "foot", name)

    def target(self, name: str) -> Target:
        """Where a link or frame sits in the tree."""
        try:
            return self.layout.targets[name]
        except (KeyError, TypeError):
            raise UnknownNameError(f"link or frame (in robot {self.name!r})", name, self.layout.targets) from None

    # --- configurations ---------------------------------------------------------------------------------------------------

    def neutral(self) -> np.ndarray:
        """All coordinates zero, quaternions at no rotation."""
        return np.array([1.0 if name.endswith(".qw") else 0.0 for name in self.coordinates])

    def configuration(self, values: dict[str, Any] | None = None, /, **more: Any) -> np.ndarray:
        """q from values by name, of a joint (`knee_left=0.2`) or of one coordinate (`{"base.z": 0.9}`); the rest is neutral."""
        return self._by_name(self.neutral(), self.coordinates, values, more)

    def velocity(self, values: dict[str, Any] | None = None, /, **more: Any) -> np.ndarray:
        """v from values by name, as `configuration` does for q; the rest is at rest."""
        return self._by_name(np.zeros(self.nv), self.velocities, values, more)

    def _by_name(self, row: np.ndarray, names: tuple[str, ...], values: Any, more: dict[str, Any]) -> np.ndarray:
        if values is not None and not isinstance(values, Mapping):
            raise StateError(f"robot {self.name!r} takes values by name, such as {{{names[0]!r}: 0.1}}, got {values!r:.80}")
        for name, value in {**(values or {}), **more}.items():
            where = [i for i, known in enumerate(names) if known == name or known.startswith(f"{name}.")]
            if not where:
                joints = [joint.name for joint in self.layout.joints]
                raise UnknownNameError(f"joint or coordinate (of robot {self.name!r})", name, {*names, *joints})
            try:
                entries = np.atleast_1d(np.asarray(value, dtype=float))
            except (TypeError, ValueError, OverflowError):
                raise StateError(f"{name!r} of robot {self.name!r} takes {len(where)} numbers, got {value!r:.80}") from None
            if entries.shape != (len(where),):
                raise StateError(f"{name!r} of robot {self.name!r} takes {len(where)} numbers, got {value!r:.80}")
            row[where] = entries
        return row

    # --- other forms ------------------------------------------------------------------------------------------------------

    def in_space(self) -> "Robot":
        """The same robot embedded in space: its links become thin plates in the plane x-z, and it stays in that plane."""
        return embedded(self)

    def __str__(self) -> str:
        return show.tree_text(self)

    def describe(self) -> str:
        """Every link and joint with its numbers and units, as a table."""
        return show.table_text(self)


def _named(parts: tuple, what: str, name: str) -> Any:
    for part in parts:
        if isinstance(name, str) and part.name == name:
            return part
    raise UnknownNameError(what, name, [part.name for part in parts])
