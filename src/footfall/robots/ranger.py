"""The Cornell Ranger seen from the side: an outer and an inner pair of legs, each as one, with round feet; three motors.

numbers="kelly": M. Kelly's simulator, MatthewPeterKelly/RangerSimulation (RangerSimulator/initializeModel.m, motorModel.m,
Extras/FootModel/MAIN_circleModel.m, Extras/MotorModel/RangerMotor.m). The mass of a foot is from his report on the two
simulators (2014), its centre at the ankle is assumed; the simulator itself has feet without mass but with 0.002 kg m2 about the
ankle. We read this as mostly the rotor seen through the gear (34^2 * 1.6e-6 = 0.00185), since no foot of 0.02 kg can have it:
here the rotor is the motor's, and the rest, 0.00015, the foot's.

numbers="bhounsule": P. Bhounsule's simulator, RuinaLab/Ranger (Ranger/Control_Pranav/Ranger_Simulator/Set_Robot.m). Feet
without mass; the soft link between ankle motor and foot (14 N m/rad) is left out, its motor sits on the joint.

Both leave out the hip motor's rotor (66^2 * 1.6e-6 = 0.007 kg m2, about one hundredth of a leg's inertia); here it is included.
Winding, brushes, largest current and the gears' friction under load (a tenth of the motor's torque) are those of each simulator.

Kelly's angles are absolute and positive with the lower end forward, toe up: pitch is minus his, for legs and feet. His ankle
joint is 1.85 - phi + theta, ours -phi + theta, so ankle = his - 1.85. Zero: ankle below the hip, and below the middle of the
sole's circle.
"""

from functools import partial
from math import inf, radians
from typing import Any, NamedTuple

from footfall.model.parts import Arc, Foot, Frame, Joint, Link, Motor, Spring
from footfall.model.quantity import choice
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both

ANKLE_ZERO = 1.85  # rad: Kelly's Phi, his ankle joint angle in our zero pose; his joint stops at 0, toe up


class Numbers(NamedTuple):
    origin: str
    leg_mass: float  # kg, a pair
    leg_com: float  # m, below the hip
    leg_inertia: float  # kg m2, about its centre
    foot_mass: float  # kg
    foot_inertia: float  # kg m2, about the ankle, without the rotor
    circle: float  # m, from the ankle up to the middle of the sole's circle
    hip: dict[str, Any]  # what the joints have besides their places
    ankle: dict[str, Any]
    overhead: float  # W, electronics and the like


def _motor(gear: float, resistance: float, contact_voltage: float, current: float, torque: float = inf) -> Motor:
    """Rotor, gears, torque constant and the gears' friction under load are the same in both sets."""
    return Motor(1.6e-6, gear, torque, inf, 0.018, resistance, contact_voltage, current, load_friction=0.1)


NUMBERS = {
    "kelly": Numbers(
        origin="Kelly, RangerSimulation",
        leg_mass=4.96,
        leg_com=0.15,
        leg_inertia=0.45,
        foot_mass=0.02,
        foot_inertia=0.002 - 34**2 * 1.6e-6,
        circle=0.14,
        # Torques are his simulator's limits, what the motors can hold; for a moment the hip can do 6.0, an ankle 4.8 N m.
        hip={"motor": _motor(66.0, 1.3, 0.7, 6.0, 4.5), "spring": Spring(8.045), "friction": 0.01},
        ankle={"motor": _motor(34.0, 1.3, 0.7, 6.0, 3.6), "spring": Spring(0.134, rest=1.662 - ANKLE_ZERO), "friction": 0.01},
        overhead=4.5,
    ),
    "bhounsule": Numbers(
        origin="Bhounsule, RuinaLab/Ranger",
        leg_mass=9.91 / 2,  # the whole robot, divided equally
        leg_com=0.72 / (9.91 / 2),  # from a leg's mass times its centre below the hip, 0.72 kg m
        leg_inertia=0.53 - 0.72**2 / (9.91 / 2),  # from 0.53 kg m2 about the hip
        foot_mass=0.0,
        foot_inertia=0.0,
        circle=0.11,
        # The ankle's friction is that of its motor. Brushes: 1.5 V, smoothed below 0.01 A there, not here.
        hip={"motor": _motor(66.0, 1.0, 1.5, 8.0), "spring": Spring(7.6), "damping": 0.1, "friction": 0.1},
        ankle={"motor": _motor(34.0, 1.0, 1.5, 8.0), "damping": 0.01, "friction": 0.1},
        overhead=4.7 + 0.45,  # electronics and motor bridges; steering none
    ),
}


@declared
def build(*, numbers: str = choice("whose masses, lengths and motors", "kelly", NUMBERS)) -> Robot:
    """Two pairs of legs with round feet."""
    n = NUMBERS[numbers]
    leg, radius = 0.96, 0.20  # m, both sets
    span = (radians(-5.0), radians(30.0))  # of the sole, Kelly's foot model
    pair = partial(both, sides=("outer", "inner"))
    return Robot(
        name="ranger",
        space="planar",
        links=pair(
            Link("leg_*", n.leg_mass, com=(0.0, -n.leg_com), inertia=n.leg_inertia),
            Link("foot_*", n.foot_mass, inertia=n.foot_inertia),
        ),
        joints=(
            Joint("base", "planar", "world", "leg_outer"),
            Joint("hip", "revolute", "leg_outer", "leg_inner", **n.hip),
            *pair(Joint("ankle_*", "revolute", "leg_*", "foot_*", at=(0.0, -leg), limits=(-ANKLE_ZERO, inf), **n.ankle)),
        ),
        frames=pair(Frame("sole_*", "foot_*", at=(0.0, n.circle - radius))),
        feet=pair(Foot("foot_*", (Arc("foot_*", at=(0.0, n.circle), radius=radius, span=span),))),
        origin=n.origin,
        overhead=n.overhead,
    )
