"""Kajita's preview control of the ZMP: a cart on a table, three steps.

A point mass at a constant height is the linear inverted pendulum. Kajita et al. (2003), the paper's reference 9, draw it as a
cart on a light table: the ZMP is where the table presses on the ground, p = x - (z / g) x''. The cart must set off before the
reference moves, and the controller sees it 1.6 s ahead. Here the table stands on the ground with a sole as large as the walk, so
that its measured centre of pressure can be compared with the reference; `ff.view.preview` draws it. Height, horizon and weights
are those of Kajita's paper; the mass is ours.
"""

from footfall.control.cart import PreviewCart
from footfall.model.parts import Box, Foot, Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.sim.study import Study
from footfall.world import World

TABLE = 0.05  # kg
THICK = 0.01  # m
BESIDE = 0.6  # m: of the sole beyond the footsteps


def table_and_cart(height: float, mass: float, span: float, width: float) -> Robot:
    """A table whose sole reaches from one end of the walk to the other, and a cart that slides along x and y above it."""
    size = (abs(span) + 2.0 * BESIDE, width + 2.0 * BESIDE, THICK)
    return Robot(
        name="table-and-cart",
        space="spatial",
        links=(
            Link("table", TABLE, (0.0, 0.0, 0.0), (TABLE, TABLE, TABLE)),
            Link("rail", 0.0),
            Link("cart", mass, (0.0, 0.0, 0.0), (1e-6, 1e-6, 1e-6)),
        ),
        joints=(
            Joint("base", "free", "world", "table"),
            Joint("slide_x", "prismatic", "table", "rail", at=(0.0, 0.0, height), axis="x", motor=Motor()),
            Joint("slide_y", "prismatic", "rail", "cart", axis="y", motor=Motor()),
        ),
        feet=(Foot("table", (Box("table", size=size, at=(span / 2.0, 0.0, THICK / 2.0)),)),),
        origin="Kajita et al. (2003), figure 4",
    )


@declared
def build(
    *,
    height: float = quantity("m", "of the cart above the ground", 0.814, low=0.1, high=10.0),
    mass: float = quantity("kg", "of the cart", 40.0, low=0.1, high=1000.0),
    length: float = quantity("m", "of a step", 0.3, low=-1.0, high=1.0),
) -> Study:
    """Three steps and a stop."""
    law = PreviewCart(height=height, length=length)
    times, zmp = law.reference()
    robot = table_and_cart(height, mass, float(zmp[-1, 0]), law.width)
    q = tuple(robot.configuration({"slide_x": float(zmp[0, 0]), "slide_y": float(zmp[0, 1])}).tolist())
    return Study(robot, World(falls=False), law, q, seconds=float(times[-1]), record_dt=0.005, name="lipm-preview")
