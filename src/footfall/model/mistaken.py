"""A robot whose masses, centres of mass and inertias are not as declared, as those of real robots are not."""

from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import RobotError
from footfall.model.quantity import check_quantities, quantity
from footfall.model.robot import Robot
from footfall.model.shapes import balls_of


@dataclass(frozen=True)
class Mistakes:
    """How far each link may be off, by chance and evenly spread, and factors of all links besides."""

    mass: float = quantity("1", "largest part by which the mass of a link is off", 0.0, low=0.0, high=0.9)
    inertia: float = quantity("1", "largest part by which the inertia of a link is off", 0.0, low=0.0, high=0.9)
    com: float = quantity("1", "largest shift of a centre of mass, by the length of the link", 0.0, low=0.0, high=0.9)
    masses: float = quantity("1", "factor of all masses", 1.0, low=0.01, high=100.0)
    inertias: float = quantity("1", "factor of all inertias", 1.0, low=0.01, high=100.0)

    def __post_init__(self) -> None:
        check_quantities(self, "Mistakes", RobotError)


def mistaken(robot: Robot, mistakes: Mistakes | float, seed: int = 0) -> Robot:
    """The robot with other masses, inertias and centres of mass of its links, drawn from the seed.

    One number is meant for the three of them: mass and inertia are off by up to that part, and centres of mass by up to that
    part of the link's length, in any direction (along the link's x and z in the plane). Inertias keep their shape.
    """
    if not isinstance(mistakes, Mistakes):
        mistakes = Mistakes(mistakes, mistakes, mistakes)
    rng, aside = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    links = []
    for link in robot.links:
        m, i = 1.0 + np.array((mistakes.mass, mistakes.inertia)) * rng.uniform(-1.0, 1.0, 2)
        way = aside.normal(size=robot.dim)
        way *= mistakes.com * aside.uniform(0.0, 1.0) * link_length(robot, link.name) / np.linalg.norm(way)
        links.append(
            replace(
                link,
                mass=float(mistakes.masses * m * link.mass),
                inertia=(mistakes.inertias * i * np.asarray(link.inertia)).tolist(),
                com=tuple((np.asarray(link.com) + way).tolist()) if mistakes.com else link.com,
            )
        )
    return replace(robot, links=tuple(links))


def link_length(robot: Robot, name: str) -> float:
    """The largest distance between two points of a link: its joints, frames, centre of mass and the corners of its pads."""
    points = [np.zeros(robot.dim), np.asarray(robot.link(name).com)]
    points += [np.asarray(joint.at) for joint in robot.joints if joint.parent == name]
    points += [np.asarray(frame.at) for frame in robot.frames if frame.link == name]
    points += [
        np.asarray(at) for foot in robot.feet for pad in foot.pads if pad.link == name for at, _ in balls_of(pad, robot.dim)
    ]
    rows = np.array(points)
    return float(np.linalg.norm(rows[:, None] - rows[None], axis=2).max())
