"""The biped of Wendlandt and Sastry in space, which their paper announces as its next step: twelve driven joints.

Masses, lengths and centres are those of the planar robot, `wendlandt`, where they are explained, as is the way from the paper's
axes to ours. Each leg has hip yaw, roll, pitch, knee, ankle pitch, roll; the axes of a hip meet in a point, those of an ankle
too, and the pieces between them have no mass. Inertias about the other two axes are de Leva's. The feet's principal axes are
turned by 8.547 degrees, as the paper says: about its -y, which is our +y, so that the long axis falls towards the toe.

Assumed: hips 0.18 m apart (as in OpenHRP's sample robot, sample.wrl in s-kajita/uOpenHRP), feet 0.09 m wide.
"""

from math import cos, radians, sin

from footfall.model.parts import Foot, Frame, Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import wendlandt
from footfall.robots._anthropometry import DE_LEVA, HEEL
from footfall.robots._legs import both, six_joint_legs, sole

FOOT_TILT = radians(8.547)  # the paper


@declared
def build(
    *,
    thigh: float = wendlandt.SIZES["thigh"],
    shank: float = wendlandt.SIZES["shank"],
    ankle_height: float = wendlandt.SIZES["ankle_height"],
    hip_to_com: float = wendlandt.SIZES["hip_to_com"],
    foot_length: float = wendlandt.SIZES["foot_length"],
    thigh_mass: float = wendlandt.SIZES["thigh_mass"],
    shank_mass: float = wendlandt.SIZES["shank_mass"],
    hip_spacing: float = quantity("m", "from hip to hip", 0.18, low=0.0, high=2.0),
    foot_width: float = quantity("m", "of a sole", 0.09, low=0.001, high=1.0),
) -> Robot:
    """A body and two legs of six joints each."""
    flat = wendlandt.build(
        thigh=thigh,
        shank=shank,
        ankle_height=ankle_height,
        hip_to_com=hip_to_com,
        foot_length=foot_length,
        thigh_mass=thigh_mass,
        shank_mass=shank_mass,
    ).in_space()

    def link(name: str, inertia: tuple[float, ...]) -> Link:
        """The planar robot's mass and centre; `inertia` is of 1 kg."""
        old = flat.link(name.replace("*", "left"))
        return Link(name, old.mass, old.com, tuple(old.mass * moment for moment in inertia))

    xx, yy, zz = DE_LEVA["foot"].inertia(1.0, foot_length)
    c, s = cos(FOOT_TILT), sin(FOOT_TILT)
    foot = (xx * c * c + zz * s * s, yy, xx * s * s + zz * c * c, 0.0, (zz - xx) * s * c, 0.0)
    heel, toe = -HEEL * foot_length, (1.0 - HEEL) * foot_length
    pieces, leg_joints = six_joint_legs("torso", hip_spacing, thigh, shank, Motor())
    return Robot(
        name="wendlandt-3d",
        space="spatial",
        links=(
            link("torso", DE_LEVA["trunk"].inertia(1.0, hip_to_com / DE_LEVA["trunk"].com)),
            *both(
                link("thigh_*", DE_LEVA["thigh"].inertia(1.0, thigh)),
                link("shank_*", DE_LEVA["shank"].inertia(1.0, shank)),
                link("foot_*", foot),
            ),
            *pieces,
        ),
        joints=(Joint("base", "free", "world", "torso"), *leg_joints),
        frames=(
            Frame("torso_com", "torso", at=(0.0, 0.0, hip_to_com)),
            *both(Frame("sole_*", "foot_*", at=((heel + toe) / 2, 0.0, -ankle_height))),
        ),
        feet=both(Foot("foot_*", (sole("foot_*", heel, toe, foot_width, -ankle_height),))),
        origin=flat.origin,
        shapes=flat.shapes,
    )
