"""JOHNNIE, the walking machine of the Technical University of Munich: seventeen joints, 1.80 m, about 40 kg.

Known from the literature (Löffler, Gienger, Pfeiffer; Lohmeier et al.): six joints in each leg (three at the hip, the knee,
ankle pitch and roll), one for the upper body about the vertical, and by recollection two in each shoulder, which makes up the
seventeen. The masses of its parts, its lengths, gears and motors could not be had (49 kg has been mentioned too), so everything
else is a substitute: a human being's proportions by Winter, with motors without limits.

motors="real" has drives that could be JOHNNIE's. Known: DC brush motors with light-weight gears, harmonic drives at all joints
but the ankles, which two ballscrews turn. Assumed, all of it: a supply of 48 V; one kind of motor, 0.06 N m/A, 0.4 ohm, 0.5 V
at the brushes, a rotor of 3e-5 kg m2; harmonic drives of 100, 120 and 160 to 1; largest currents such that a walk at 2 km/h with
pushes, which needed 10 (yaw), 40 (roll), 45 (hip pitch), 85 (knee), 45 and 12 N m (ankle pitch and roll) in simulation, has half
of that and more in reserve; 4.8 to 6 rad/s at the joints. Friction, "up to 25 % of the torque" in the paper: 1 to 4 N m in
motion, half as much again at rest, falling with a Stribeck velocity of 0.1 rad/s, 0.3 to 1 N m s/rad, and a tenth of the motor's
torque. The simulated motors of the ankle sit on its joints, with about the ratio that the screws have upright (118 in pitch).
`ANKLE` is that transmission, an `ff.ScrewAnkle`: screws 75 mm behind the ankle and 80 mm apart, a lead of 4 mm, the same motors
with up to 10 A.

feet="compliant" has the paper's four contact elements on each foot, here at the corners of the sole: 5e4 N/m and 300 N s/m
each, along the normal and along the ground (assumed; the paper gives no numbers). Rigid feet and ideal motors are the default,
since other engines know no more.

Pelvis and trunk turn against each other at the waist. Winter's pelvis, trunk and head together have a known centre and inertia;
the pelvis is taken out as a block, and what remains is the torso. Each arm is one straight link, from shoulder to wrist.
Assumed: hips 0.20 m apart (as in Kajita's textbook biped), the waist 0.055 of the height above the hips, the pelvis' depth and
width 0.08 and 0.14 of the height, a heel one quarter of the foot's length behind the ankle, g = 9.81 m/s2.
"""

import dataclasses
from typing import NamedTuple

from footfall.model.parts import Capsule, Compliance, Foot, Frame, Joint, Link, Motor
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot
from footfall.model.shapes import LIMB
from footfall.model.transmission import ScrewAnkle
from footfall.named import declared
from footfall.robots._anthropometry import ANKLE_HEIGHT, FOOT_BREADTH, HEEL, PELVIS_MASS, SHOULDER_WIDTH, WINTER, block, hanging
from footfall.robots._legs import both, six_joint_legs, sole

ELEMENT = Compliance(stiffness=5e4, damping=300.0)  # one of four on each foot


ANKLE = ScrewAnkle(
    shank=(-0.075, 0.04, 0.25),
    foot=(-0.075, 0.04, 0.0),
    lead=0.004,
    rotor_inertia=3e-5,
    torque_constant=0.06,
    resistance=0.4,
    current=10.0,
    voltage=48.0,
    speed=0.45,
    stroke=(0.18, 0.32),
    name="johnnie",
)


class Drive(NamedTuple):
    """Motor and gear of a joint."""

    gear: float  # 1
    current: float  # A, largest
    speed: float  # rad/s, largest, of the joint
    friction: float  # N m, in motion
    damping: float  # N m s/rad

    def on(self, joint: Joint) -> Joint:
        """The joint with this drive."""
        motor = Motor(
            rotor_inertia=3e-5,
            gear=self.gear,
            speed=self.speed,
            torque_constant=0.06,
            resistance=0.4,
            contact_voltage=0.5,
            current=self.current,
            load_friction=0.1,
            voltage=48.0,
        )
        return dataclasses.replace(
            joint,
            motor=motor,
            damping=self.damping,
            friction=self.friction,
            static_friction=1.5 * self.friction,
            stribeck_velocity=0.1,
        )


DRIVES = {  # largest torque N m
    "hip_yaw": Drive(100.0, 5.0, 6.0, 2.0, 0.5),  # 30
    "hip_roll": Drive(160.0, 8.0, 4.8, 3.0, 1.0),  # 77
    "hip_pitch": Drive(120.0, 12.0, 6.0, 3.0, 1.0),  # 86
    "knee": Drive(120.0, 18.0, 6.0, 4.0, 1.0),  # 130
    "ankle_pitch": Drive(120.0, 11.0, 6.0, 2.0, 0.5),  # 79
    "ankle_roll": Drive(120.0, 4.0, 6.0, 1.0, 0.3),  # 29
    "waist": Drive(100.0, 5.0, 6.0, 2.0, 0.5),  # 30
    "shoulder_pitch": Drive(100.0, 4.0, 6.0, 1.0, 0.3),  # 24
    "shoulder_roll": Drive(100.0, 4.0, 6.0, 1.0, 0.3),
}


@declared
def build(
    *,
    height: float = quantity("m", "of the robot", 1.80, low=0.1, high=10.0),
    mass: float = quantity("kg", "of the robot", 40.0, low=0.1, high=1000.0),
    hip_spacing: float = quantity("m", "from hip to hip", 0.20, low=0.0, high=2.0),
    motors: str = choice("without limits, or with rotors, gears, friction and limits", "ideal", ("ideal", "real")),
    feet: str = choice("rigid, or with four contact elements each", "rigid", ("rigid", "compliant")),
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
    robot = Robot(
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
        feet=both(Foot("foot_*", (sole("foot_*", heel, toe, width, -ankle),), ELEMENT if feet == "compliant" else None)),
        origin="JOHNNIE (TU Munich); sizes by Winter",
        shapes=both(Capsule("arm_*", LIMB * height, end=(0.0, 0.0, -length["arm"]))),
    )
    if motors == "ideal":
        return robot
    return dataclasses.replace(robot, joints=tuple(_driven(joint) for joint in robot.joints))


def _driven(joint: Joint) -> Joint:
    return DRIVES[joint.name.removesuffix("_left").removesuffix("_right")].on(joint) if joint.motor else joint


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
