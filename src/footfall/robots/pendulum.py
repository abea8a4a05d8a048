"""A pendulum that hangs from the world by a hinge: the smallest robot there is.

The numbers are a textbook's: a point of 1 kg at 1 m. With `inertia` it becomes a physical pendulum.
"""

from footfall.model.parts import Frame, Joint, Link
from footfall.model.robot import Robot


def build(*, mass: float = 1.0, length: float = 1.0, inertia: float = 0.0) -> Robot:
    """mass (kg) at length (m) below the hinge, inertia (kg m2) about its own centre."""
    return Robot(
        name="pendulum",
        space="planar",
        links=(Link("bob", mass, com=(0.0, -length), inertia=inertia),),
        joints=(Joint("pivot", "revolute", "world", "bob"),),
        frames=(Frame("tip", "bob", at=(0.0, -length)),),
        origin="textbook: point mass on a rod",
    )
