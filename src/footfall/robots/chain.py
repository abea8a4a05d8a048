"""A chain of equal rods that hangs from the world: n degrees of freedom, for tests and for timing.

The rods are thin and uniform, so their inertia is m l^2 / 12 across and nothing along. In space the hinges turn about y and x by
turns, which makes the motion truly spatial. All numbers are chosen, none published.
"""

from footfall.model.checks import MOST_LINKS
from footfall.model.parts import Frame, Joint, Link
from footfall.model.quantity import choice, count, quantity
from footfall.model.robot import Robot
from footfall.named import declared


@declared
def build(
    *,
    links: int = count("number of rods", 5, low=1, high=MOST_LINKS),
    mass: float = quantity("kg", "of a rod", 1.0, low=0.0, high=1e4),
    length: float = quantity("m", "of a rod", 1.0, low=0.0, high=100.0),
    space: str = choice("where it moves", "planar", ("planar", "spatial")),
) -> Robot:
    """Rods that hang from one another."""
    across = mass * length**2 / 12
    flat = space == "planar"

    def down(distance: float) -> tuple[float, ...]:
        return (0.0, -distance) if flat else (0.0, 0.0, -distance)

    inertia = across if flat else (across, across, 0.0)
    rods = [Link(f"link_{i}", mass, com=down(length / 2), inertia=inertia) for i in range(1, links + 1)]
    joints = [
        Joint(
            f"joint_{i}",
            "revolute",
            parent=f"link_{i - 1}" if i > 1 else "world",
            child=f"link_{i}",
            at=down(length if i > 1 else 0.0),
            axis=None if flat else "yx"[(i - 1) % 2],
        )
        for i in range(1, links + 1)
    ]
    return Robot(
        name="chain",
        space=space,
        links=tuple(rods),
        joints=tuple(joints),
        frames=(Frame("tip", f"link_{links}", at=down(length)),),
        origin="textbook: uniform rods",
    )
