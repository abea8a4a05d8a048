"""The look of a robot: solid parts of every link, the same in pictures, films, recordings and the lab.

A part is the convex hull of balls in the axes of its link: two balls are a limb, more a trunk or a foot, balls of radius 0 are
corners. What a robot declares is drawn as it is: shapes, soles, places of joints. The rest follows from the declaration: a limb
is as thick as water of its mass would be, within bounds about the limb that can touch (`model.shapes`); a trunk reaches to its
top, that of a rod with the same inertia where no frame marks it; hinges are dark. Colours tell left from right for every eye
(Okabe and Ito, Color Universal Design, 2008).
"""

from typing import NamedTuple

import numpy as np

from footfall.model.layout import lift, rotation
from footfall.model.parts import WORLD, Arc, Box, Capsule, HeelToe, Joint, Pad, Point, Sphere
from footfall.model.robot import Robot
from footfall.model.shapes import LIMB, WATER, End, anchor, balls_of, ends, height_of, pads_of, zero_places

LEFT, RIGHT, MIDDLE, HINGE = "#0072b2", "#d55e00", "#5d6b78", "#2c333a"
SIDES = {"left": LEFT, "right": RIGHT, "outer": LEFT, "inner": RIGHT}
STRIDE = 0.2  # rad: of each leg, from straight down
ASIDE = 0.07  # robot's heights: how far a leg of a planar robot stands from its middle
DEPTH = 0.075  # robot's heights: depth of a planar sole
SOLE = 0.014  # robot's heights: thickness of a sole that is a line or a sheet
THIN, THICK, STOUT = 0.75, 1.35, 2.0  # radii of the limb that touches: of the thinnest and thickest limb, and of a trunk
TAPER = 0.78  # radius of a limb at its far end, of that at its origin
BOARD, FLAT = 0.3, 0.1  # robot's heights: a sole longer and wider than one and thinner than the other is a board, and pale
NEAR = 0.15  # robot's heights: a pad this near to the origin of its link makes it a foot
HEAD = 0.045  # robot's heights: radius of a head
SHOULDER = 0.62  # of the height of the head above the hips, and of the distance between the arms: the chest
TUBE, ROD = 0.62, 0.5  # of its length: a tube in which a leg slides, and the rod in it
WIDE = 0.8  # of its length: the size of a robot that is longer than it is high
ROUND = 16  # corners of a circle


class Part(NamedTuple):
    """The convex hull of balls, in the axes of a link."""

    centers: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    color: str
    kind: str  # trunk, limb, rod, hinge, foot, sole, board, mass


def side_of(name: str) -> str:
    """left, right, outer, inner, or nothing."""
    end = name.rpartition("_")[2]
    return end if end in SIDES else ""


def color_of(link: str) -> str:
    """Colour of a link, by its side."""
    return SIDES.get(side_of(link), MIDDLE)


def rgb(color: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour in hexadecimal, 0 to 255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def mixed(color: str, other: str, part: float) -> str:
    """A colour with a part of another in it."""
    both = [(1.0 - part) * a + part * b for a, b in zip(rgb(color), rgb(other), strict=True)]
    return "#" + "".join(f"{round(x):02x}" for x in both)


def aside(robot: Robot, link: str) -> float:
    """How far a link of a planar robot is moved out of the plane, so that legs are seen side by side."""
    side = side_of(link)
    sign = 1.0 if side in ("left", "outer") else -1.0 if side in ("right", "inner") else 0.0
    return sign * ASIDE * height_of(robot) if robot.space == "planar" else 0.0


def standing(robot: Robot) -> np.ndarray:
    """q of the zero position, but with legs of a planar robot in a small stride, as one would hide the other."""
    turned = {
        name: STRIDE * (1.0 if side in ("left", "outer") else -1.0) if side else 0.0
        for name, side in ((link.name, side_of(link.name)) for link in robot.links)
    }
    found: dict[str, float] = {}
    for joint in robot.layout.joints if robot.space == "planar" else ():
        between = turned.get(joint.child, 0.0) - turned.get(joint.parent, 0.0)
        if between and joint.kind in ("revolute", "planar"):
            found[joint.name if joint.kind == "revolute" else f"{joint.name}.pitch"] = between
    return robot.configuration(found)


def parts(robot: Robot) -> dict[str, tuple[Part, ...]]:
    """What is drawn of every link; a link without mass and shape, as inside a universal joint, has no parts."""
    tall = _size(robot)
    return {link.name: tuple(_Link(robot, link.name, tall).parts()) for link in robot.links}


def _size(robot: Robot) -> float:
    """The height of a robot; of one that is a single body, such as a box, at least as far as it reaches."""
    if len(robot.links) > 1:
        return height_of(robot)
    balls = [ball for pad in pads_of(robot, robot.links[0].name) for ball in balls_of(pad, robot.dim)]
    return max([height_of(robot), *(float(np.linalg.norm(at)) + r for at, r in balls)])


def extent(robot: Robot) -> float:
    """The size of a robot in the zero position, as it is drawn: its height, or most of its length if that is more."""
    low, high = bounds(robot)
    size = np.array((WIDE, WIDE, 1.0)) * (high - low)
    return max(height_of(robot), float(size.max()))


def bounds(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """The corners (3,) of all that is drawn of a robot in the zero position; the origin, if nothing is."""
    places = zero_places(robot)
    spans = [
        (place.at + part.centers @ place.axes.T, part.radii[:, None])
        for link, found in parts(robot).items()
        for place in (places[link],)
        for part in found
    ]
    if not spans:
        return np.zeros(3), np.zeros(3)
    return np.min([(at - r).min(axis=0) for at, r in spans], axis=0), np.max([(at + r).max(axis=0) for at, r in spans], axis=0)


# --- one link -------------------------------------------------------------------------------------------------------------


class _Link:
    """The parts of one link."""

    def __init__(self, robot: Robot, name: str, tall: float):
        self.robot, self.name, self.tall = robot, name, tall
        self.link, self.color, self.r = robot.link(name), color_of(name), LIMB * tall
        self.pads, self.ends = pads_of(robot, name), ends(robot, name)
        self.declared = [shape for shape in robot.shapes if shape.link == name]
        self.is_trunk = not side_of(name) and any(side_of(joint.child) for joint in robot.joints if joint.parent == name)

    def parts(self) -> list[Part]:
        body = [self._pad(shape, self.color, "trunk" if self.is_trunk else "limb") for shape in self.declared]
        if self.is_trunk:
            body += self._hips() if self.declared else self._trunk()
        elif not self.declared:
            body += self._limbs()
        return [*self._rod(), *body, *self._feet(bool(body)), *self._hinge(bool(body or self.pads)), *self._axle()]

    def girth(self, length: float, most: float = THICK) -> float:
        """Radius of a limb of water of this mass and length, within bounds."""
        water = np.sqrt(self.link.mass / (np.pi * WATER * max(length, 1e-9)))
        return float(np.clip(water, THIN * self.r, most * self.r))

    # trunks

    def _trunk(self) -> list[Part]:
        joints = [lift(end.at) for end in self.ends if end.kind in ("joint", "slide")]
        frames = [lift(end.at) for end in self.ends if end.kind == "frame"]
        head = any(frame.link == self.name and frame.name == "head" for frame in self.robot.frames)
        top = max(frames, key=lambda at: at[2]) if frames else self._top()
        length = max([np.linalg.norm(top), *(np.linalg.norm(at) for at in joints)])
        if length < 1e-9:
            return self._mass()
        radius = self.girth(float(length), STOUT)
        low, high = [at for at in joints if at[2] <= 0.1 * length], [at for at in joints if at[2] > 0.1 * length]
        found, wide = self._head(top, high, radius) if head else [], self._half_width(low)
        chest = SHOULDER * top if head and not high else max(high, key=lambda at: at[2]) if high else top
        over = (chest[2] if high else chest[2] - radius) * np.array((chest[0] / max(chest[2], 1e-9), 0.0, 1.0))
        corners = [*(low or [np.zeros(3)]), np.zeros(3)]
        shoulders = max([SHOULDER * abs(at[1]) for at in high] + [1.25 * wide if not high else 0.0])
        corners += [over + np.array((0.0, y, 0.0)) for y in ((-shoulders, shoulders) if shoulders else (0.0,))]
        if self.robot.dim == 2:
            corners = [at + np.array((0.0, y, 0.0)) for at in corners for y in (-wide, wide)]
        slim = [radius if at[2] > 0.1 * length else 0.8 * radius for at in corners]
        bars = [_limb(over, at, 0.75 * self.r, 0.7 * self.r, self.color, "trunk") for at in high if abs(at[1]) > 1e-9]
        return [_part(corners, slim, self.color, "trunk"), *bars, *found]

    def _half_width(self, hips: list[np.ndarray]) -> float:
        return 0.55 * ASIDE * self.tall if self.robot.dim == 2 else max([abs(at[1]) for at in hips], default=0.0)

    def _head(self, top: np.ndarray, shoulders: list[np.ndarray], radius: float) -> list[Part]:
        size = HEAD * self.tall
        middle, chin = top - (0.0, 0.0, size), top - (0.0, 0.0, 2.0 * size)
        neck = max([at[2] for at in shoulders], default=SHOULDER * top[2])
        root = np.array((top[0] * neck / top[2], 0.0, neck))
        skull = _part([middle, chin + np.array((0.15 * size, 0.0, 0.1 * size))], [size, 0.85 * size], self.color, "trunk")
        return [_limb(root, chin, 0.5 * radius, 0.5 * radius, HINGE, "hinge"), skull]

    def _hips(self) -> list[Part]:
        """From joint to joint, where a trunk with a declared shape does not reach them."""
        joints = [lift(end.at) for end in self.ends if end.kind == "joint"]
        spread = [at for at in joints if np.linalg.norm(at) > 1e-9]
        return [_part(spread, [0.9 * self.r] * len(spread), self.color, "trunk")] if spread else []

    def _top(self) -> np.ndarray:
        """The end of a rod from the origin with the mass and inertia of the link; at most twice as far as the centre of mass."""
        com = lift(self.link.com)
        far = float(np.linalg.norm(com))
        if far < 1e-9 or self.link.mass == 0.0:
            return com
        inertia = np.max(self.link.inertia)
        return com * min(1.0 + np.sqrt(3.0 * inertia / self.link.mass) / far, 2.0)

    # limbs

    def _limbs(self) -> list[Part]:
        if not self.link.solid or (self.pads and max(np.linalg.norm(anchor(pad)) for pad in self.pads) < NEAR * self.tall):
            return []
        found: list[Part] = []
        for end in self.ends:
            at = self._top() if end.kind == "mass" else lift(end.at)
            length = float(np.linalg.norm(at))
            if length > 1e-9:
                found.append(self._limb_to(end, at, length))
        heavy = self.link.mass > 0.0 and np.linalg.norm(self.link.com) < 1e-9
        return found + (self._mass() if heavy and not self.pads and not found else [])

    def _limb_to(self, end: End, at: np.ndarray, length: float) -> Part:
        girth = self.girth(length)
        if end.kind == "slide":
            return _limb(np.zeros(3), TUBE * at, girth, girth, self.color, "limb")
        tip = 0.55 * girth if end.kind == "pad" else TAPER * girth
        short = tip if end.kind in ("pad", "frame", "mass") else 0.0  # the round end does not reach beyond the point
        return _limb(np.zeros(3), at * (1.0 - short / length), girth, tip, self.color, "limb")

    def _rod(self) -> list[Part]:
        """The rod of a link that slides, back into the tube of its parent."""
        found = []
        for joint in self.robot.joints:
            back = lift(joint.at) if joint.child == self.name and joint.kind == "prismatic" and joint.parent != WORLD else None
            if back is not None and np.linalg.norm(back) > 1e-9:
                inward, girth = -ROD * rotation(joint.turn).T @ back, 0.55 * self.r
                start = girth / np.linalg.norm(inward) * inward
                found.append(_limb(start, inward, girth, girth, mixed(self.color, "#ffffff", 0.35), "rod"))
        return found

    def _mass(self) -> list[Part]:
        size = (3.0 * self.link.mass / (4.0 * np.pi * WATER)) ** (1.0 / 3.0)
        radius = float(np.clip(size, 1.2 * self.r, 2.4 * self.r))
        return [_part([lift(self.link.com)], [radius], self.color, "mass")] if self.link.mass > 0.0 else []

    # feet

    def _feet(self, has_body: bool) -> list[Part]:
        dark = mixed(self.color, "#000000", 0.45)
        found: list[Part] = []
        for pad in self.pads:
            at = anchor(pad)
            is_foot = 1e-9 < np.linalg.norm(at) < NEAR * self.tall and not isinstance(pad, Point | Sphere)
            is_all = not has_body and not is_foot and not isinstance(pad, Point)  # the pad is all that there is of the link
            sole = self._pad(pad, self.color, "limb") if is_all else self._pad(pad, dark, "sole")
            size = np.ptp(sole.centers, axis=0)
            if size[:2].min() > BOARD * self.tall and size[2] < FLAT * self.tall:
                sole = sole._replace(color=mixed(self.color, "#ffffff", 0.45), kind="board")
            if is_foot and isinstance(pad, Arc):
                sole = self._shoe(sole._replace(color=self.color, kind="foot"))
            elif is_foot:
                upper = sole.centers + np.array((0.0, 0.0, SOLE * self.tall))
                middle = upper.mean(axis=0)
                found.append(self._shoe(_part(middle + 0.86 * (upper - middle), sole.radii, self.color, "foot")))
            found.append(sole)
        return found

    def _shoe(self, sole: Part) -> Part:
        """From the sole up to the ankle, where the link has its origin."""
        ankle = min(0.8 * THIN * self.r, self._above_sole())
        if ankle <= 0.0:
            return sole
        return sole._replace(centers=np.vstack((sole.centers, np.zeros(3))), radii=np.append(sole.radii, ankle))

    def _above_sole(self) -> float:
        """Height of the link's origin above the lowest point of its pads."""
        return float(min(r - lift(at)[2] for pad in self.pads for at, r in balls_of(pad, self.robot.dim)))

    def _pad(self, pad: Pad, color: str, kind: str) -> Part:
        """A sole or a declared shape, as it is; one without thickness gets some, upward."""
        thick, deep = SOLE * self.tall, DEPTH * self.tall / 2
        flat = self.robot.dim == 2
        if isinstance(pad, Box):
            size = np.array((pad.size[0], 2 * deep, pad.size[1]) if flat else pad.size)
            grown = max(thick - size[2], 0.0)
            low, high = lift(pad.at) - size / 2, lift(pad.at) + size / 2 + (0.0, 0.0, grown)
            return _corners(
                [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])], color, kind
            )
        if isinstance(pad, HeelToe):
            line = [lift(pad.heel), lift(pad.toe)]
            return _corners([at + np.array((0.0, y, z)) for at in line for y in (-deep, deep) for z in (0.0, thick)], color, kind)
        if isinstance(pad, Arc):
            half = max(pad.width / 2, deep)
            angles = np.union1d(np.linspace(*pad.span, 2 * ROUND), np.clip(0.0, *pad.span))
            rim = lift(pad.at) + np.column_stack((pad.radius * np.sin(angles), 0 * angles, -pad.radius * np.cos(angles)))
            return _corners([at + np.array((0.0, y, 0.0)) for at in rim for y in (-half, half)], color, kind)
        if isinstance(pad, Capsule):
            return _limb(lift(pad.start), lift(pad.end), pad.radius, pad.radius, color, kind)
        if isinstance(pad, Sphere):
            return _part([lift(pad.at)], [pad.radius], color, kind)
        return self._tip(lift(pad.at), color, kind)

    def _tip(self, at: np.ndarray, color: str, kind: str) -> Part:
        """A point foot: a small ball that ends in the point."""
        radius, length = 0.62 * THIN * self.r, float(np.linalg.norm(at))
        inward = -at / length if length > 1e-9 else np.array((0.0, 0.0, 1.0))
        return _part([at + radius * inward], [radius], color, kind)

    # hinges

    def _hinge(self, has_body: bool) -> list[Part]:
        """A dark cylinder about the axis of the link's hinge."""
        joint = self._own_joint("revolute")
        if joint is None or not has_body or self.is_trunk:
            return []
        feet = [pad for pad in self.pads if np.linalg.norm(anchor(pad)) < NEAR * self.tall]
        girth = THIN * self.r if feet else self.girth(max(float(np.linalg.norm(end.at)) for end in self.ends))
        axis, radius = _axis(joint, self.robot.dim), 0.55 * girth
        radius = min(radius, self._above_sole()) if feet else radius
        if radius < 0.1 * girth:
            return []
        return [_cylinder(-1.04 * girth * axis, 1.04 * girth * axis, radius, HINGE, "hinge")]

    def _axle(self) -> list[Part]:
        """Across to the parent, where a planar robot has been pulled apart."""
        parents = [joint.parent for joint in self.robot.joints if joint.child == self.name and joint.parent != WORLD]
        shift = sum(aside(self.robot, parent) for parent in parents) - aside(self.robot, self.name) if parents else 0.0
        across = np.array((0.0, shift, 0.0))
        return [_cylinder(np.zeros(3), across, 0.5 * THIN * self.r, HINGE, "hinge")] if abs(shift) > 0.0 else []

    def _own_joint(self, kind: str) -> Joint | None:
        return next((joint for joint in self.robot.joints if joint.child == self.name and joint.kind == kind), None)


def _axis(joint: Joint, dim: int) -> np.ndarray:
    if dim == 2 or joint.axis is None:
        return np.array((0.0, 1.0, 0.0))
    return np.eye(3)["xyz".index(joint.axis)] if isinstance(joint.axis, str) else np.array(joint.axis, dtype=float)


# --- parts ----------------------------------------------------------------------------------------------------------------


def _part(centers: list, radii: list | np.ndarray, color: str, kind: str) -> Part:
    return Part(np.array(centers, dtype=float), np.array(radii, dtype=float), color, kind)


def _corners(points: list, color: str, kind: str) -> Part:
    return _part(points, np.zeros(len(points)), color, kind)


def _limb(start: np.ndarray, end: np.ndarray, first: float, last: float, color: str, kind: str) -> Part:
    return _part([start, end], [first, last], color, kind)


def _cylinder(start: np.ndarray, end: np.ndarray, radius: float, color: str, kind: str) -> Part:
    along = (end - start) / np.linalg.norm(end - start)
    side = np.cross(along, (0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    angles = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
    rim = radius * (np.outer(np.cos(angles), side) + np.outer(np.sin(angles), np.cross(along, side)))
    return _part([*(start + rim), *(end + rim)], np.zeros(2 * ROUND), color, kind)
