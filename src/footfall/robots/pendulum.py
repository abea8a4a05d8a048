"""A pendulum that hangs from the world by a hinge: the smallest robot there is.

The numbers are a textbook's: a point of 1 kg at 1 m. With `inertia` it becomes a physical pendulum.
"""

from footfall.model.parts import Frame, Joint, Link
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared


@declared
def build(
    *,
    mass: float = quantity("kg", "of the bob", 1.0, low=0.0, high=1e4),
    length: float = quantity("m", "from the hinge down to the bob", 1.0, low=0.0, high=100.0),
    inertia: float = quantity("kg m2", "of the bob about its own centre", 0.0, low=0.0, high=1e4),
) -> Robot:
    """A bob below a hinge."""
    return Robot(
        name="pendulum",
        space="planar",
        links=(Link("bob", mass, com=(0.0, -length), inertia=inertia),),
        joints=(Joint("pivot", "revolute", "world", "bob"),),
        frames=(Frame("tip", "bob", at=(0.0, -length)),),
        origin="textbook: point mass on a rod",
    )
