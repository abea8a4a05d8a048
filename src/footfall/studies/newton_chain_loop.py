"""Closed loops, which no tree can have: a four-bar linkage, and a ring of rods. Energy is kept, and the loops stay closed.

After Cremer and Stewart's simulator Newton (1989): hinges are constraint equations, so that loops are nothing special. In space
the hinges of the four-bar linkage say more than they need to: of 5 rows of its loop 3 are redundant.
"""

from footfall.engines import Maximal
from footfall.model.quantity import choice, count, quantity
from footfall.named import declared
from footfall.sim.study import Study
from footfall.studies._linkages import four_bar, four_bar_start, ring, ring_start


@declared
def build(
    *,
    linkage: str = choice("which linkage", "four-bar", ("four-bar", "ring")),
    space: str = choice("where it moves", "planar", ("planar", "spatial")),
    rate: float = quantity("rad/s", "of the crank, or of the ring about its corner", 3.0, low=-50.0, high=50.0),
    links: int = count("rods of the ring", 8, low=3, high=60),
) -> Study:
    """A linkage in motion, without motors or friction."""
    if linkage == "four-bar":
        robot = four_bar(space)
        q, v = four_bar_start(robot, rate)
    else:
        robot = ring(space, links)
        q, v = ring_start(robot, rate)
    return Study(robot, q=q, v=v, seconds=60.0, dt=5e-4, engine=Maximal(), name="newton-chain-loop")
