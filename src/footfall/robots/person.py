"""The person of Stewart and Cremer, "Algorithmic control of walking" (1989): a torso, legs with knees, feet with toes, in space.

Hips and ankles are spherical, knees and toes are hinges: sixteen degrees of freedom, and six more for the free base. The paper
says no more of its sizes than that it is about six feet tall with moments like those of a human being, and that the model comes
from McMahon. So the numbers are Winter's (the same lineage) at 1.829 m and an assumed 80 kg, head, arms and trunk being one
link.

Assumed as well: hips 0.18 m apart; a heel one quarter of the foot's length behind the ankle; toes that are 0.3 of its length
and 0.1 of its mass; feet and toes with the inertia of blocks; knees that bend one way; g = 9.81 m/s2.

The paper has x forward, y up and z to the right, so its angles about z are minus ours about y: its torso at -10 degrees leans
forward and is +10 here, its foot that strikes at 10 degrees has the toe up and is -10 here. It counts a knee by the angle
inside, 180 when straight: here it is 180 minus that, 7 degrees for its 173. Its toe that is bent by 10 degrees, the heel off
the ground, is -10 here.
"""

from footfall.model.parts import Foot, Frame, Joint, Link, Motor
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._anthropometry import ANKLE_HEIGHT, FOOT_BREADTH, HEEL, WINTER, block, hanging
from footfall.robots._legs import KNEE, SOLE, both, sole

TOES = 0.3  # of the foot's length, assumed
TOE_MASS = 0.1  # of the foot's mass, assumed


@declared
def build(
    *,
    height: float = quantity("m", "of the person", 1.829, low=0.1, high=10.0),
    mass: float = quantity("kg", "of the person", 80.0, low=0.1, high=1000.0),
    hip_spacing: float = quantity("m", "from hip to hip", 0.18, low=0.0, high=2.0),
) -> Robot:
    """Human proportions at this height and mass."""
    upper, upper_mass, upper_length = WINTER["upper_body"], WINTER["upper_body"].mass * mass, WINTER["upper_body"].length * height
    thigh, shank, foot = (WINTER[name].length * height for name in ("thigh", "shank", "foot"))
    ankle, width = ANKLE_HEIGHT * height, FOOT_BREADTH * height
    heel, ball, tip = -HEEL * foot, (1.0 - HEEL - TOES) * foot, (1.0 - HEEL) * foot
    foot_mass, toe_mass = ((1.0 - TOE_MASS) * WINTER["foot"].mass * mass, TOE_MASS * WINTER["foot"].mass * mass)
    return Robot(
        name="person",
        space="spatial",
        links=(
            Link("torso", upper_mass, (0.0, 0.0, upper.com * upper_length), upper.inertia(upper_mass, upper_length)),
            *both(
                hanging("thigh", mass, height),
                hanging("shank", mass, height),
                Link("foot_*", foot_mass, ((heel + ball) / 2, 0.0, -ankle / 2), block(foot_mass, (ball - heel, width, ankle))),
                Link("toes_*", toe_mass, ((tip - ball) / 2, 0.0, 0.0), block(toe_mass, (tip - ball, width, SOLE))),
            ),
        ),
        joints=(
            Joint("base", "free", "world", "torso"),
            *both(
                Joint("hip_*", "spherical", "torso", "thigh_*", at=(0.0, hip_spacing / 2, 0.0), motor=Motor()),
                Joint("knee_*", "revolute", "thigh_*", "shank_*", at=(0.0, 0.0, -thigh), limits=KNEE, motor=Motor()),
                Joint("ankle_*", "spherical", "shank_*", "foot_*", at=(0.0, 0.0, -shank), motor=Motor()),
                Joint("toe_*", "revolute", "foot_*", "toes_*", at=(ball, 0.0, -ankle + SOLE / 2), motor=Motor()),
            ),
        ),
        frames=(
            Frame("head", "torso", at=(0.0, 0.0, height - thigh - shank - ankle)),
            *both(
                Frame("heel_*", "foot_*", at=(heel, 0.0, -ankle)),
                Frame("sole_*", "foot_*", at=((heel + ball) / 2, 0.0, -ankle)),
            ),
        ),
        feet=both(Foot("foot_*", (sole("foot_*", heel, ball, width, -ankle), sole("toes_*", 0.0, tip - ball, width, -SOLE / 2)))),
        origin="Stewart & Cremer 1989; sizes by Winter",
    )
