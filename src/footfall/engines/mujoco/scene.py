"""A robot in a world as a model of MuJoCo: the export of `model.mjcf`, with ground, contact law, loads and options."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.core.ground import Ground
from footfall.core.mujoco import Shapes
from footfall.engines.contact.build import pad_points, shape_points
from footfall.engines.engine import BODY, Scenario
from footfall.engines.mujoco.ground import is_followed, pieces
from footfall.errors import MissingPartError, SimulationError
from footfall.model.export import FULL_TURN, TOUCH, numbers
from footfall.model.layout import lift, lower
from footfall.model.mjcf import mjcf_text
from footfall.model.parts import Arc, Capsule, HeelToe, Pad
from footfall.model.robot import Robot
from footfall.world import Compliant, Contact, Load

MEMORY = "64M"  # of MuJoCo, for contacts and constraints
SMALLEST, LARGEST = 1e-4, 0.9999  # impedance as MuJoCo allows it


@cache
def load_mujoco() -> Any:
    """The package."""
    try:
        import mujoco
    except ImportError:
        raise MissingPartError("the engine MuJoCo needs the package mujoco: pip install 'footfall[mujoco]'") from None
    return mujoco


class Scene(NamedTuple):
    """All that a model is built from; two that are equal have the same model."""

    robot: Robot
    ground: Ground
    contact: Contact
    loads: tuple[Load, ...]
    gravity: tuple[float, ...]
    dt: float
    bodies: bool


def scene_of(study: Scenario, ground: Ground, time: float) -> Scene:
    """The world as it is at a time."""
    world, gravity = study.world, tuple(lift(study.gravity_vector).tolist())
    loads = tuple(load for load in world.loads if load.start <= time < load.end)
    return Scene(study.robot, ground, world.contact_at(time), loads, gravity, study.dt, world.bodies)


class Member(NamedTuple):
    """A pad or shape, and the geoms of the export that stand for it."""

    pad: Pad
    geoms: tuple[str, ...]
    rows: tuple[int, ...]  # its pads in the run


def members(robot: Robot, bodies: bool) -> list[Member]:
    """Every pad of a foot, and with `bodies` every shape of a link."""
    found: list[Member] = []
    rows = pad_points(robot)[0]
    for foot in robot.feet:
        of_foot, number = [k for k, row in enumerate(rows) if row.name.split("/")[0] == foot.name], 0
        for i, pad in enumerate(foot.pads):
            prefix = f"{foot.name}/{i}." if len(foot.pads) > 1 else f"{foot.name}/"
            geoms = 2 if isinstance(pad, HeelToe) else 1
            names = tuple(f"{foot.name}.{number + k}" for k in range(geoms))
            found.append(Member(pad, names, tuple(k for k in of_foot if rows[k].name.startswith(prefix))))
            number += geoms
    first = len(rows)
    for link, shapes in robot.solids.items() if bodies else ():
        own = shape_points(robot, link, shapes, [], 0)
        number = 0
        for shape in shapes:
            geoms = 2 if isinstance(shape, HeelToe) else 1
            names = tuple(f"{link}{BODY}.{number + i}" for i in range(geoms))
            mine = shape_points(robot, link, [shape], [], 0)
            where = [next(i for i, other in enumerate(own) if _alike(each, other)) for each in mine]
            found.append(Member(shape, names, tuple(first + i for i in where)))
            number += geoms
        first += len(own)
    return found


def _alike(row: Any, other: Any) -> bool:
    return bool(row.radius == other.radius and row.span == other.span and np.array_equal(row.at, other.at))


# --- the model ------------------------------------------------------------------------------------------------------------


class Followers(NamedTuple):
    """Balls that go where their pads would touch: row k is pad k."""

    geom: np.ndarray  # (pads,) int
    axes: np.ndarray  # (pads, 3, 3) of the link on its body
    place: np.ndarray  # (pads, 3)


class Built(NamedTuple):
    """A model, and which of its geoms are which pads."""

    model: Any
    shapes: Shapes
    followers: Followers | None


def build(scene: Scene, engine: Any) -> Built:
    """The model of a scene."""
    mujoco = load_mujoco()
    root = _document(scene, engine)
    balls = is_scene_followed(scene)
    if balls:
        _put_balls(root, scene)
    try:
        model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    except ValueError as error:
        raise SimulationError(f"engine MuJoCo: it refuses robot {scene.robot.name!r}: {error!s:.300}") from None
    _set_contact_law(scene, model)
    return Built(model, _shapes(scene, model, balls), _followers(scene, model) if balls else None)


def _followers(scene: Scene, model: Any) -> Followers:
    pads = _pads(scene)
    links = [scene.robot.target(pad.link) for _, pad in pads]
    geoms = np.array([model.geom(_ball(row, k)).id for k, (row, _) in enumerate(pads)], np.int64)
    model.geom_sameframe[geoms] = 0  # so that MuJoCo reads their places anew
    axes, place = (np.array([getattr(link, name) for link in links]) for name in ("axes", "place"))
    return Followers(geoms, axes.reshape(-1, 3, 3), place.reshape(-1, 3))


def _document(scene: Scene, engine: Any) -> ET.Element:
    """The export with ground, loads and options; feet are rigid there, what gives way is set in the model."""
    robot = scene.robot
    stiff = replace(robot, feet=tuple(replace(foot, compliance=None) for foot in robot.feet))
    export = mjcf_text(stiff, gravity=_gravity(scene), timestep=scene.dt, ground=False, bodies=scene.bodies)
    root = ET.fromstring(export.text)
    option, world = _part(root, "option"), _part(root, "worldbody")
    option.attrib |= {
        "integrator": engine.integrator,
        "cone": "elliptic",
        "impratio": numbers(engine.impratio),
        "iterations": str(engine.iterations),
        "tolerance": numbers(engine.tolerance),
    }
    springs = numbers(engine.softness(scene.dt), engine.damping_ratio)
    friction = scene.contact.friction
    default = ET.SubElement(root, "default")
    ET.SubElement(
        default, "geom", solref=springs, friction=numbers(friction, 0.0, 0.0), condim="3" if friction > 0.0 else "1", priority="0"
    )
    ET.SubElement(default, "joint", solreflimit=springs, solreffriction=springs)
    ET.SubElement(root, "size", memory=MEMORY)
    for i, geom in enumerate(pieces(scene.ground, robot.space)):
        if is_scene_followed(scene):
            break
        ET.SubElement(world, "geom", {"name": f"ground.{i}", **geom, "contype": "0", "conaffinity": "1"})
    _put_loads(root, scene)
    return root


def _gravity(scene: Scene) -> Any:
    return scene.gravity if scene.robot.dim == 3 else (scene.gravity[0], scene.gravity[2])


def _put_loads(root: ET.Element, scene: Scene) -> None:
    """Point masses are bodies without joint."""
    for i, load in enumerate(scene.loads):
        link, at = _place_on_link(scene.robot, load.on, load.at)
        body = ET.SubElement(_body(root, link), "body", name=f"load.{i}", pos=numbers(*at))
        ET.SubElement(body, "inertial", pos="0 0 0", mass=numbers(load.mass), diaginertia="0 0 0")


def _part(root: ET.Element, path: str) -> Any:
    """A part that every export has."""
    return root.find(path)


def _body(root: ET.Element, link: str) -> ET.Element:
    found = root.find(f".//body[@name='{link}']")
    if found is None:
        raise SimulationError(f"engine MuJoCo: link {link!r} has no mass and is no body there, so nothing can be put on it")
    return found


def _place_on_link(robot: Robot, name: str, at: Any) -> tuple[str, np.ndarray]:
    """A point of a link or frame, on a link."""
    point = np.zeros(3) if at is None else lift(at)
    frame = next((frame for frame in robot.frames if frame.name == name), None)
    if frame is None:
        return name, point
    here, link = robot.target(name), robot.target(frame.link)
    return frame.link, link.axes.T @ (here.place + here.axes @ point - link.place)


def has_ends(robot: Robot) -> bool:
    """Whether there is a round sole that ends at heel and toe; MuJoCo has whole circles only."""
    arcs = [pad for foot in robot.feet for pad in foot.pads if isinstance(pad, Arc)]
    return any(arc.span[1] - arc.span[0] < FULL_TURN for arc in arcs)


def is_scene_followed(scene: Scene) -> bool:
    """Whether every pad is a small ball where it would touch, above a plane that touches the ground there; both go along."""
    return is_followed(scene.ground) or has_ends(scene.robot)


def _put_balls(root: ET.Element, scene: Scene) -> None:
    """A small ball in the place of every pad, and a plane for each."""
    robot, world, pairs = scene.robot, _part(root, "worldbody"), ET.SubElement(root, "contact")
    for member in members(robot, scene.bodies):
        body = _body(root, member.pad.link)
        for name in member.geoms:
            body.remove(_part(body, f"geom[@name='{name}']"))
    for k, (row, pad) in enumerate(_pads(scene)):
        link = robot.target(pad.link)
        at, size = numbers(*(link.axes.T @ (row.at - link.place))), numbers(TOUCH)
        ball = {"name": _ball(row, k), "type": "sphere", "size": size, "pos": at, "contype": "0", "conaffinity": "0"}
        ET.SubElement(_body(root, pad.link), "geom", ball)
        below = ET.SubElement(world, "body", name=f"below.{k}", mocap="true")
        ET.SubElement(below, "geom", name=f"plane.{k}", type="plane", size="0 0 1", contype="0", conaffinity="0")
        ET.SubElement(pairs, "pair", geom1=f"plane.{k}", geom2=ball["name"])


def _pads(scene: Scene) -> list[tuple[Any, Pad]]:
    """All that can touch, with the pad or shape that it belongs to."""
    rows = pad_points(scene.robot, scene.bodies)[0]
    owner = {k: member.pad for member in members(scene.robot, scene.bodies) for k in member.rows}
    return [(row, owner[k]) for k, row in enumerate(rows)]


def _ball(row: Any, k: int) -> str:
    """The name of a ball: `foot.ball.3`, `link.body.3`."""
    owner = row.name.split("/")[0]
    return f"{owner}.{k}" if owner.endswith(BODY) else f"{owner}.ball.{k}"


def _set_contact_law(scene: Scene, model: Any) -> None:
    """Feet with springs and dampers in N/m and N s/m, or ground with these; see `spring`."""
    own = {foot.name: foot.compliance for foot in scene.robot.feet}
    ground = scene.contact if isinstance(scene.contact, Compliant) else None
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        if body == 0 or model.body_mocapid[body] >= 0:
            continue
        owner, what = model.geom(g).name.split(".")[:2]
        element = (own.get(owner) if f".{what}" != BODY else None) or ground
        if element is None:
            continue
        solref, impedance = spring(element.stiffness, element.damping, float(model.body_invweight0[body, 0]), scene.dt)
        model.geom_solref[g], model.geom_solimp[g, :2], model.geom_priority[g] = solref, impedance, 1
    mu = scene.contact.friction
    for p in range(model.npair):
        pair = int(model.pair_geom1[p]), int(model.pair_geom2[p])
        ball = next(g for g in pair if model.body_mocapid[model.geom_bodyid[g]] < 0)
        model.pair_solref[p], model.pair_solimp[p] = model.geom_solref[ball], model.geom_solimp[ball]
        model.pair_friction[p, :2], model.pair_dim[p] = mu, 3 if mu > 0.0 else 1


def spring(stiffness: float, damping: float, mobility: float, dt: float) -> tuple[tuple[float, float], float]:
    """MuJoCo's `solref` and impedance for a spring (N/m) and damper (N s/m) at a contact.

    A contact of MuJoCo obeys a + R f = -b v - k x, with R = (1 - d) / d times the mobility (1/kg) that it takes for that of the
    contact. So f = -(K x + D v + m a), with K = k / R, D = b / R and m = 1 / R. With m = dt D' + dt^2 K and D = D' + dt K this is
    the spring K and the damper D' at the end of the step.
    """
    inertia = dt * (damping + dt * stiffness)
    d = min(max(mobility * inertia / (1.0 + mobility * inertia), SMALLEST), LARGEST)
    R = (1.0 - d) / d * mobility
    return (-stiffness * R * d, -(damping + dt * stiffness) * R * d), d


# --- pads -----------------------------------------------------------------------------------------------------------------


class _Made(NamedTuple):
    geom: str
    where: Any  # the target that carries it
    middle: np.ndarray
    axes: np.ndarray
    size: tuple[float, ...]  # along three axes
    pads: list[tuple[int, tuple[int, ...]]]  # and at which ends of the axes


def _shapes(scene: Scene, model: Any, balls: bool) -> Shapes:
    """The table of shapes, by the geoms of the model."""
    robot, made = scene.robot, []
    points = pad_points(robot, scene.bodies)[0]
    for member in () if balls else members(robot, scene.bodies):
        rows = [points[k] for k in member.rows]
        if len(member.geoms) == len(rows):
            made += [_alone(name, row, k) for name, row, k in zip(member.geoms, rows, member.rows, strict=True)]
        else:
            made.append(_spread(member, rows))
    if balls:
        made = [_alone(_ball(row, k), row, k) for k, row in enumerate(points)]
    of_geom = np.full(model.ngeom, -1, np.int64)
    for s, each in enumerate(made):
        of_geom[model.geom(each.geom).id] = s
    flat = [pad for each in made for pad in each.pads]
    return Shapes(
        body=np.array([each.where.body for each in made], np.int64),
        middle=lower(np.array([each.middle for each in made]).reshape(-1, 3), robot.space),
        axes=lower(np.array([each.axes for each in made]).reshape(-1, 3, 3), robot.space),
        size=np.array([each.size for each in made], float).reshape(-1, 3),
        first=np.cumsum([0, *(len(each.pads) for each in made)]).astype(np.int64),
        pad=np.array([pad for pad, _ in flat], np.int64),
        high=np.array([high for _, high in flat], np.int64).reshape(-1, 3),
        of_geom=of_geom,
    )


def _alone(geom: str, row: Any, pad: int) -> _Made:
    """One geom for one pad."""
    return _Made(geom, row.where, row.at, row.where.axes.T, (0.0, 0.0, 0.0), [(pad, (0, 0, 0))])


def _spread(member: Member, rows: list[Any]) -> _Made:
    """One geom that stands for several pads: the corners of a block, the ends of a rod or of a cylinder."""
    places, where = np.array([row.at for row in rows]), rows[0].where
    middle = places.mean(axis=0)
    if isinstance(member.pad, Capsule | Arc):
        way = places[1] - places[0]
        length = float(np.linalg.norm(way))
        axes = np.vstack((way / length if length else way, np.zeros((2, 3))))
        ends: list[tuple[int, tuple[int, ...]]] = [(member.rows[0], (0, 0, 0)), (member.rows[1], (1, 0, 0))]
        return _Made(member.geoms[0], where, middle, axes, (length, 0.0, 0.0), ends)
    seen = (places - middle) @ where.axes
    size = tuple(float(each) for each in np.ptp(seen, axis=0))
    corners = [(k, tuple(int(each > 0.0) for each in at)) for k, at in zip(member.rows, seen, strict=True)]
    return _Made(member.geoms[0], where, middle, where.axes.T, size, corners)
