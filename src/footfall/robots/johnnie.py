"""JOHNNIE, the walking machine of the Technical University of Munich: seventeen joints, 1.80 m, about 40 kg.

Known from the literature (Löffler, Gienger, Pfeiffer; Lohmeier et al.): six joints in each leg (three at the hip, the knee,
ankle pitch and roll), one for the upper body about the vertical, and by recollection two in each shoulder, which makes up the
seventeen. The masses of its parts, its lengths, gears and motors could not be had (49 kg has been mentioned too), so everything
else is a substitute: a human being's proportions by Winter, with motors without limits.

Pelvis and trunk turn against each other at the waist. Winter's pelvis, trunk and head together have a known centre and inertia;
the pelvis is taken out as a block, and what remains is the torso. Each arm is one straight link, from shoulder to wrist.
Assumed: hips 0.20 m apart (as in Kajita's textbook biped), the waist 0.055 of the height above the hips, the pelvis' depth and
width 0.08 and 0.14 of the height, a heel one quarter of the foot's length behind the ankle, g = 9.81 m/s2.
"""

from footfall.model.parts import Capsule, Foot, Frame, Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.model.shapes import LIMB
from footfall.named import declared
from footfall.robots._anthropometry import ANKLE_HEIGHT, FOOT_BREADTH, HEEL, PELVIS_MASS, SHOULDER_WIDTH, WINTER, block, hanging
from footfall.robots._legs import both, six_joint_legs, sole


@declared
def build(
    *,
    height: float = quantity("m", "of the robot", 1.80, low=0.1, high=10.0),
    mass: float = quantity("kg", "of the robot", 40.0, low=0.1, high=1000.0),
    hip_spacing: float = quantity("m", "from hip to hip", 0.20, low=0.0, high=2.0),
) -> Robot:
    """Human proportions at this height and mass."""
    length = {name: WINTER[name].length * height for name in WINTER}
    ankle, width, waist = ANKLE_HEIGHT * height, FOOT_BREADTH * height, 0.055 * height
    heel, toe = -HEEL * length["foot"], (1.0 - HEEL) * length["foot"]
    hip = length["thigh"] + length["shank"] + ankle
    shoulder = (0.0, SHOULDER_WIDTH / 2 * height, length["trunk_head"] - waist)
    pelvis, torso = _trunk(mass, height, waist)
    pieces, leg_joints = six_joint_legs("pelvis", hip_spacing, length["thigh"], length["shank"], Motor())

    foot = WINTER["foot"]
    foot_com = (heel + foot.com * length["foot"], 0.0, -ankle / 2)
    return Robot(
        name="johnnie",
        space="spatial",
        links=(
            pelvis,
            torso,
            *both(
                hanging("thigh", mass, height),
                hanging("shank", mass, height),
                Link("foot_*", foot.mass * mass, foot_com, foot.inertia(foot.mass * mass, length["foot"])),
                hanging("arm", mass, height),
                Link("shoulder_cross_*", 0.0),
            ),
            *pieces,
        ),
        joints=(
            Joint("base", "free", "world", "pelvis"),
            *leg_joints,
            Joint("waist", "revolute", "pelvis", "torso", at=(0.0, 0.0, waist), axis="z", motor=Motor()),
            *both(
                Joint("shoulder_pitch_*", "revolute", "torso", "shoulder_cross_*", at=shoulder, axis="y", motor=Motor()),
                Joint("shoulder_roll_*", "revolute", "shoulder_cross_*", "arm_*", axis="x", motor=Motor()),
            ),
        ),
        frames=(
            Frame("head", "torso", at=(0.0, 0.0, height - hip - waist)),
            *both(Frame("sole_*", "foot_*", at=((heel + toe) / 2, 0.0, -ankle))),
        ),
        feet=both(Foot("foot_*", (sole("foot_*", heel, toe, width, -ankle),))),
        origin="JOHNNIE (TU Munich); sizes by Winter",
        shapes=both(Capsule("arm_*", LIMB * height, end=(0.0, 0.0, -length["arm"]))),
    )


def _trunk(mass: float, height: float, waist: float) -> tuple[Link, Link]:
    """Pelvis and torso, which together are Winter's trunk with head."""
    whole = WINTER["trunk_head"]
    whole_mass, pelvis_mass = whole.mass * mass, PELVIS_MASS * mass
    torso_mass = whole_mass - pelvis_mass
    z_whole = whole.com * whole.length * height
    z_pelvis = 0.895 * waist  # Winter: centre 0.105 below the upper end
    z_torso = (whole_mass * z_whole - pelvis_mass * z_pelvis) / torso_mass
    apart = pelvis_mass * (z_whole - z_pelvis) ** 2 + torso_mass * (z_torso - z_whole) ** 2
    pelvis = block(pelvis_mass, (0.08 * height, 0.14 * height, waist))
    xx, yy, zz = (a - b for a, b in zip(whole.inertia(whole_mass, whole.length * height), pelvis, strict=True))
    return (
        Link("pelvis", pelvis_mass, (0.0, 0.0, z_pelvis), pelvis),
        Link("torso", torso_mass, (0.0, 0.0, z_torso - waist), (xx - apart, yy - apart, zz)),
    )
