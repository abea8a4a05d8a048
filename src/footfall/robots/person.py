"""The person of Stewart and Cremer, "Algorithmic control of walking" (1989): a torso, legs with knees, feet with toes, in space.

Hips and ankles are spherical, knees and toes are hinges: sixteen degrees of freedom, and six more for the free base. The paper
says no more of its sizes than that it is about six feet tall with moments like those of a human being, and that the model comes
from McMahon. So the numbers are Winter's (the same lineage) at 1.829 m and an assumed 80 kg, head, arms and trunk being one
link.

`limits` gives every joint its human range: hip (flexion 120 degrees, extension 30), knee (135) and toes (70 up, 45 down) of the
American Academy of Orthopaedic Surgeons (1965), ankle (dorsiflexion 30, plantar flexion 50) of Kapandji. Knees and toes stop.
Ball joints have ligaments: cords that are slack within the range and then stiff, 2000 N m/rad with 20 N m s/rad (chosen);
sideways and about the leg they begin at 45 degrees (hip) and 25 degrees (ankle), assumed.

`tendons` adds elastic tendons, which the authors hoped for. Moment arms are near those of human muscles, numbers from memory: hip
flexors 0.05 m, hip extensors 0.06 m, Achilles tendon 0.05 m, tibialis anterior 0.04 m. Their torques per angle and the angles at
which they are slack are chosen for a walk with bent knees (`newton-walk-tendons`): they stand for muscles that hold their
length, in series with their tendons. Chosen as well: 5 N m s/rad in the knees; 20 N m/rad and 0.5 N m s/rad about the other axes
of the ankle, and 15 N m/rad and 0.2 N m s/rad in the toes, which keep a foot in the air from flapping.

Assumed as well: hips 0.18 m apart; a heel one quarter of the foot's length behind the ankle; toes that are 0.3 of its length
and 0.1 of its mass; feet and toes with the inertia of blocks; knees that bend one way; g = 9.81 m/s2.

The paper has x forward, y up and z to the right, so its angles about z are minus ours about y: its torso at -10 degrees leans
forward and is +10 here, its foot that strikes at 10 degrees has the toe up and is -10 here. It counts a knee by the angle
inside, 180 when straight: here it is 180 minus that, 7 degrees for its 173. Its toe that is bent by 10 degrees, the heel off
the ground, is -10 here.
"""

from math import inf, radians

from footfall.model.parts import Foot, Frame, Joint, Link, MomentArm, Motor, Tendon
from footfall.model.quantity import flag, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._anthropometry import ANKLE_HEIGHT, FOOT_BREADTH, HEEL, WINTER, block, hanging
from footfall.robots._legs import KNEE, SOLE, both, sole

TOES = 0.3  # of the foot's length, assumed
TOE_MASS = 0.1  # of the foot's mass, assumed
RANGE = {"hip": (-120.0, 30.0), "knee": (0.0, 135.0), "ankle": (-30.0, 50.0), "toe": (-70.0, 45.0)}  # degrees, as ours count
ASIDE = {"hip": 45.0, "ankle": 25.0}  # degrees: about the other axes
LIGAMENT = (2000.0, 20.0)  # N m/rad, N m s/rad, chosen
# moment arm (m) about the axis to the left; angle at which it is slack (rad); N m/rad; N m s/rad
TENDONS = {
    "hip_flexor_*": ("hip_*", 0.05, -0.5, (160.0, 0.0)),
    "hip_extensor_*": ("hip_*", -0.06, -0.65, (175.0, 0.0)),
    "achilles_*": ("ankle_*", -0.05, -0.6, (60.0, 0.0)),
    "tibialis_*": ("ankle_*", 0.04, -0.65, (30.0, 0.5)),
}
FOOT, TOE = (20.0, 0.5), (15.0, 0.2)  # N m/rad, N m s/rad: about the other axes of the ankle, and of the toes
KNEE_DAMPING = 5.0  # N m s/rad


def range_of(joint: str) -> tuple[float, float]:
    """The human range of a hinge, rad."""
    low, high = RANGE[joint]
    return radians(low), radians(high)


def cord(
    name: str, joint: str, arm: tuple[float, ...] | float, slack: float, spring: tuple[float, float], *, pushes: bool = False
) -> Tendon:
    """A tendon on one joint that is slack at an angle, rad, with a torque per angle and per rate."""
    r = arm if isinstance(arm, float) else next(x for x in arm if x)
    return Tendon(name, (MomentArm(joint, arm),), spring[0] / r**2, r * slack, spring[1] / r**2, pushes)


def about(axis: int, r: float) -> tuple[float, ...]:
    """A moment arm about one axis of a ball joint."""
    return tuple(r if k == axis else 0.0 for k in range(3))


def ligaments() -> tuple[Tendon, ...]:
    """Cords that keep ball joints within their ranges; their arms are 1 m, so that they count in N m/rad."""
    found = []
    for joint, aside in ASIDE.items():
        for axis, letter, ends in ((0, "x", (-aside, aside)), (1, "y", RANGE[joint]), (2, "z", (-aside, aside))):
            for sign, end, word in ((-1.0, ends[0], "low"), (1.0, ends[1], "high")):
                name = f"{joint}_{letter}_{word}_*"
                found.append(cord(name, f"{joint}_*", about(axis, sign), radians(end), LIGAMENT))
    return tuple(found)


def elastic() -> tuple[Tendon, ...]:
    """Tendons of a leg."""
    found = [cord(name, joint, about(1, r), slack, spring) for name, (joint, r, slack, spring) in TENDONS.items()]
    found += [
        cord(f"ankle_{letter}_*", "ankle_*", about(axis, 1.0), 0.0, FOOT, pushes=True) for axis, letter in ((0, "x"), (2, "z"))
    ]
    return (*found, cord("fascia_*", "toe_*", 1.0, 0.0, TOE, pushes=True))


@declared
def build(
    *,
    height: float = quantity("m", "of the person", 1.829, low=0.1, high=10.0),
    mass: float = quantity("kg", "of the person", 80.0, low=0.1, high=1000.0),
    hip_spacing: float = quantity("m", "from hip to hip", 0.18, low=0.0, high=2.0),
    limits: bool = flag("whether all joints have human ranges, not knees alone", False),
    tendons: bool = flag("whether it has elastic tendons at hips and ankles", False),
) -> Robot:
    """Human proportions at this height and mass."""
    knee, toe = (range_of("knee"), range_of("toe")) if limits else (KNEE, (-inf, inf))
    damping = KNEE_DAMPING if tendons else 0.0
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
                Joint(
                    "knee_*", "revolute", "thigh_*", "shank_*", at=(0.0, 0.0, -thigh), limits=knee, motor=Motor(), damping=damping
                ),
                Joint("ankle_*", "spherical", "shank_*", "foot_*", at=(0.0, 0.0, -shank), motor=Motor()),
                Joint("toe_*", "revolute", "foot_*", "toes_*", at=(ball, 0.0, -ankle + SOLE / 2), limits=toe, motor=Motor()),
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
        tendons=both(*(ligaments() if limits else ()), *(elastic() if tendons else ())),
        origin="Stewart & Cremer 1989; sizes by Winter",
    )
