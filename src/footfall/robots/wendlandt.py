"""The planar biped of Wendlandt and Sastry: a body and two legs with feet, seven links, six driven joints.

"Recursive workspace control of multibody systems: a planar biped example" (1996). The text gives the body's mass (45 kg), the
total (72.5 kg), a start pose and where the body's centre then is. All lengths, centres, inertias and the division of a leg's
13.75 kg were in a figure that is lost. What stands here instead:

- Lengths. In the start pose the feet are exactly level, and the body's centre is 1.05 m high, which leaves one equation for
  four lengths: ankle_height + 0.760865 shank + 0.866025 thigh + 0.984808 hip_to_com = 1.05 m. Three are chosen, hip_to_com
  follows. The body's goal then comes to lie over the ankles within 2 cm, as one would expect. Vary them; keep the equation.
- Masses of a leg: divided as de Leva's men are. Radii of gyration and centres: de Leva's, the body's being that of a trunk.
- Foot: de Leva's length; a heel one quarter of it behind the ankle and a centre of mass halfway down are assumed.
- Knees that bend one way only, and g = 9.81 m/s2, are assumed too, and a torso 0.12 m thick, as long as de Leva's trunk: it
  touches the ground if the robot falls.

The paper's x points backward and its y to the right: turn it half round about z. Positions: x = -x_paper, z = z_paper, of the
body's centre of mass, which is frame torso_com; base.x and base.z are of the hip. Angles and torques, of body and joints: minus
the paper's. So its start is base.pitch = +10, hips -40, knees +70.4595, ankles -40.4595 degrees with torso_com at (0, 1.05),
its goal torso_com at (-0.10, 0.95) and pitch 0. The way back is the same.
"""

from typing import Any

from footfall.model.parts import Capsule, Foot, Frame, HeelToe, Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._anthropometry import DE_LEVA, HEEL, PITCH
from footfall.robots._legs import KNEE, both

BODY_MASS, TOTAL_MASS = 45.0, 72.5  # kg, the paper
THIGH, SHANK, ANKLE_HEIGHT, HIP_TO_COM = 0.42, 0.43, 0.08, 0.2834  # m, see above
THIGH_MASS, SHANK_MASS = 9.80, 3.00  # kg, de Leva's 0.1416 : 0.0433 : 0.0137 of 13.75; the foot is left with 0.95
FOOT_LENGTH = 0.258  # m, de Leva's mean, assumed
TORSO = 0.06  # m, half its thickness, assumed
SIZES: dict[str, Any] = {
    "thigh": quantity("m", "from hip to knee", THIGH, low=0.01, high=2.0),
    "shank": quantity("m", "from knee to ankle", SHANK, low=0.01, high=2.0),
    "ankle_height": quantity("m", "of the ankle above the sole", ANKLE_HEIGHT, low=0.0, high=0.5),
    "hip_to_com": quantity("m", "from the hip up to the body's centre of mass", HIP_TO_COM, low=0.0, high=1.0),
    "foot_length": quantity("m", "from heel to toe", FOOT_LENGTH, low=0.01, high=2.0),
    "thigh_mass": quantity(
        "kg", "of a thigh; thigh and shank leave the foot the rest of 13.75 kg", THIGH_MASS, low=0.0, high=13.75
    ),
    "shank_mass": quantity("kg", "of a shank", SHANK_MASS, low=0.0, high=13.75),
}


@declared
def build(
    *,
    thigh: float = SIZES["thigh"],
    shank: float = SIZES["shank"],
    ankle_height: float = SIZES["ankle_height"],
    hip_to_com: float = SIZES["hip_to_com"],
    foot_length: float = SIZES["foot_length"],
    thigh_mass: float = SIZES["thigh_mass"],
    shank_mass: float = SIZES["shank_mass"],
) -> Robot:
    """A body and two legs with feet."""
    foot_mass = (TOTAL_MASS - BODY_MASS) / 2 - thigh_mass - shank_mass
    trunk, upper, lower, foot = (DE_LEVA[name] for name in ("trunk", "thigh", "shank", "foot"))
    heel, toe = -HEEL * foot_length, (1.0 - HEEL) * foot_length
    foot_com = (heel + foot.com * foot_length, -ankle_height / 2)
    return Robot(
        name="wendlandt",
        space="planar",
        links=(
            Link("torso", BODY_MASS, (0.0, hip_to_com), trunk.inertia(BODY_MASS, hip_to_com / trunk.com)[PITCH]),
            *both(
                Link("thigh_*", thigh_mass, (0.0, -upper.com * thigh), upper.inertia(thigh_mass, thigh)[PITCH]),
                Link("shank_*", shank_mass, (0.0, -lower.com * shank), lower.inertia(shank_mass, shank)[PITCH]),
                Link("foot_*", foot_mass, foot_com, foot.inertia(foot_mass, foot_length)[PITCH]),
            ),
        ),
        joints=(
            Joint("base", "planar", "world", "torso"),
            *both(
                Joint("hip_*", "revolute", "torso", "thigh_*", motor=Motor()),
                Joint("knee_*", "revolute", "thigh_*", "shank_*", at=(0.0, -thigh), limits=KNEE, motor=Motor()),
                Joint("ankle_*", "revolute", "shank_*", "foot_*", at=(0.0, -shank), motor=Motor()),
            ),
        ),
        frames=(
            Frame("torso_com", "torso", at=(0.0, hip_to_com)),
            *both(Frame("sole_*", "foot_*", at=((heel + toe) / 2, -ankle_height))),
        ),
        feet=both(Foot("foot_*", (HeelToe("foot_*", (heel, -ankle_height), (toe, -ankle_height)),))),
        origin="Wendlandt & Sastry 1996; lost sizes by de Leva 1996",
        shapes=(Capsule("torso", TORSO, end=(0.0, hip_to_com / trunk.com - TORSO)),),
    )
