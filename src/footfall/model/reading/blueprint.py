"""A robot as a file has it: its parts, with any names, before it is known what floats and what stands."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import FileError
from footfall.model import transforms
from footfall.model.export import LeftOut
from footfall.model.parts import WORLD, Frame, Joint, Link, Loop, Tendon

MOST_PARTS = 2_000  # links, joints and shapes, each
MOST_SMALL = 10_000  # frames, and parts of tendons
MOST_POINTS = 5_000_000
LONGEST_NAME = 90


class Solid(NamedTuple):
    """A collision shape on a link. A cylinder lies along its z, a capsule goes from `at` to `end`, a mesh has a cloud."""

    kind: str  # box, sphere, cylinder, capsule or mesh
    name: str
    at: tuple[float, ...] = (0.0, 0.0, 0.0)
    turn: tuple[float, ...] = (0.0, 0.0, 0.0)
    size: tuple[float, ...] = ()  # full lengths; radius; radius and full length; radius
    end: tuple[float, ...] = ()
    cloud: Any = None  # its points

    @property
    def pose(self) -> np.ndarray:
        """Its axes in the link's, 4 by 4."""
        return transforms.of_part(self.at, self.turn)

    def moved(self, T: np.ndarray) -> "Solid":
        """The same in the axes of another link, whose transform to this one's is T."""
        pose = T @ self.pose
        end = row(T[:3, :3] @ self.end + T[:3, 3]) if self.end else ()
        turn = transforms.roll_pitch_yaw(pose[:3, :3]) if not self.end else self.turn
        return self._replace(at=row(pose[:3, 3]), turn=turn, end=end)


class Missing(NamedTuple):
    """A mesh that was not found, and where it would be on its link."""

    mesh: str
    at: tuple[float, ...]


@dataclass
class Blueprint:
    """The parts of a robot, in the order of the file. Frames and shapes belong to links by name."""

    name: str
    format: str
    links: dict[str, Link] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    solids: dict[str, list[Solid]] = field(default_factory=dict)
    missing: dict[str, list[Missing]] = field(default_factory=dict)  # by link
    tendons: list[Tendon] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    poses: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)  # by name: coordinates of joints
    origin: str = ""
    gravity: float = 9.81
    notes: LeftOut = field(default_factory=LeftOut)
    decided: list[str] = field(default_factory=list)

    def above(self) -> dict[str, Joint]:
        """The joint that carries each link."""
        return {joint.child: joint for joint in self.joints}

    def below(self) -> dict[str, list[Joint]]:
        """The joints that each link carries."""
        found: dict[str, list[Joint]] = {}
        for joint in self.joints:
            found.setdefault(joint.parent, []).append(joint)
        return found

    def depth_first(self) -> None:
        """Put links, joints, frames and shapes into the order in which one walks along the limbs; what hangs on nothing stays."""
        below = self.below()
        waiting, order = below.get(WORLD, [])[::-1], []
        while waiting:
            order.append(waiting.pop())
            waiting += below.get(order[-1].child, [])[::-1]
            if len(order) > len(self.joints):
                return
        names = [joint.child for joint in order if joint.child in self.links]
        if len(order) != len(self.joints) or len(set(names)) != len(self.links):
            return  # no tree: the checks of a robot say why
        self.joints, self.links = order, {name: self.links[name] for name in names}
        place = {name: i for i, name in enumerate(names)}
        self.frames.sort(key=lambda frame: place.get(frame.link, 0))
        self.solids = {name: self.solids[name] for name in names if self.solids.get(name)}

    def check_sizes(self) -> None:
        """Refuse more parts than any robot has."""
        shapes = sum(map(len, self.solids.values()))
        for what, count in (("links", len(self.links)), ("joints", len(self.joints)), ("shapes", shapes)):
            self.check_size(what, count)
        self.check_size("frames", len(self.frames), MOST_SMALL)
        points = sum(len(solid.cloud.points) for solids in self.solids.values() for solid in solids if solid.cloud)
        self.check_size("points in the meshes of its shapes", points, MOST_POINTS)

    def check_size(self, what: str, count: int, most: int = MOST_PARTS) -> None:
        if count > most:
            raise FileError(f"{self.name!r:.60} has {count:,} {what}; at most {most:,} are read")

    def replace_link(self, name: str, **changes: Any) -> None:
        self.links[name] = dataclasses.replace(self.links[name], **changes)


def row(values: Iterable[float]) -> tuple[float, ...]:
    """Plain numbers, without negative zeros."""
    return tuple(float(x) + 0.0 for x in values)


def as_read(link: Link) -> Link:
    """The link; one with an inertia that no body has is marked to be taken as it is."""
    J = _matrix(link)
    low, middle, high = np.linalg.eigvalsh(J)
    real = low >= -1e-9 * high and low + middle >= high * (1.0 - 1e-9) and (link.mass > 0.0 or not J.any())
    return link if real else dataclasses.replace(link, as_given=True)


def turned_inertia(J: np.ndarray, R: np.ndarray) -> tuple[float, ...]:
    """The entries xx, yy, zz, xy, xz, yz of an inertia in other axes; R takes vectors there."""
    J = J if np.array_equal(R, np.eye(3)) else R @ J @ R.T
    return row((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))


def joined(first: Link, second: Link, T: np.ndarray) -> Link:
    """Two links as one rigid body; T is the second one's transform to the first's axes."""
    mass = first.mass + second.mass
    if mass == 0.0 and not (_matrix(first).any() or _matrix(second).any()):
        return first
    centers = [np.array(first.com or (0.0,) * 3), T[:3, :3] @ np.array(second.com or (0.0,) * 3) + T[:3, 3]]
    com = (first.mass * centers[0] + second.mass * centers[1]) / mass if mass else centers[0]
    J = _matrix(first) + T[:3, :3] @ _matrix(second) @ T[:3, :3].T
    for part, center in zip((first, second), centers, strict=True):
        r = center - com
        J = J + part.mass * ((r @ r) * np.eye(3) - np.outer(r, r))
    inertia = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    return as_read(Link(first.name, mass, row(com), row(inertia), solid=first.solid))


def _matrix(link: Link) -> np.ndarray:
    if isinstance(link.inertia, float | int):
        return np.zeros((3, 3))
    xx, yy, zz, xy, xz, yz = (*link.inertia, *(0.0,) * (6 - len(link.inertia)))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# --- names ----------------------------------------------------------------------------------------------------------------


def clean_names(blueprint: Blueprint) -> None:
    """Give every part a name that a robot may have: no blanks, dots or slashes, not twice."""
    links = _cleaned([*blueprint.links, *(frame.name for frame in blueprint.frames)], {WORLD}, blueprint, "link")
    joints = _cleaned([joint.name for joint in blueprint.joints], set(), blueprint, "joint")
    names = {WORLD: WORLD, **dict(zip(blueprint.links, links, strict=False))}
    own = dict(zip((joint.name for joint in blueprint.joints), joints, strict=True))
    blueprint.frames = [
        dataclasses.replace(frame, name=name, link=names[frame.link])
        for frame, name in zip(blueprint.frames, links[len(blueprint.links) :], strict=True)
    ]
    blueprint.joints = [
        dataclasses.replace(joint, name=name, parent=names[joint.parent], child=names[joint.child])
        for joint, name in zip(blueprint.joints, joints, strict=True)
    ]
    blueprint.solids = {names[link]: solids for link, solids in blueprint.solids.items()}
    blueprint.missing = {names[link]: meshes for link, meshes in blueprint.missing.items()}
    blueprint.links = {names[raw]: dataclasses.replace(link, name=names[raw]) for raw, link in blueprint.links.items()}
    blueprint.tendons = [
        dataclasses.replace(tendon, arms=tuple(dataclasses.replace(arm, joint=own[arm.joint]) for arm in tendon.arms))
        for tendon in blueprint.tendons
    ]
    blueprint.poses = {name: {own[joint]: values for joint, values in pose.items()} for name, pose in blueprint.poses.items()}
    (blueprint.name,) = _cleaned([blueprint.name or "robot"], set(), blueprint, "robot")


def _cleaned(raw: list[str], taken: set[str], blueprint: Blueprint, what: str) -> list[str]:
    found, taken, last = [], set(taken), dict[str, int]()
    for name in raw:
        clean = "".join(c if c.isprintable() and not c.isspace() and c not in "./" else "_" for c in name)[:LONGEST_NAME] or "_"
        number, free = last.get(clean, 2), clean
        while free in taken:
            free, number = f"{clean}_{number}", number + 1
        last[clean] = number
        taken.add(free)
        found.append(free)
        if free != name:
            blueprint.notes.add(
                what,
                name[:LONGEST_NAME],
                "its name is another part's, or has blanks, dots or slashes; these become _, or a number is added",
            )
    return found
