"""Kelly's simple biped: three point masses, at the hip and in the feet. Two legs that push and a torque between them.

M. P. Kelly, "Two walking robot simulators", Cornell, 2014, sections 3 and 4. The report gives no numbers, and its program is not
public. Masses, range of leg lengths, friction (0.8) and limits of the motors are those of the same author's program for walking
of the same three masses, TwoPhaseOptimalGait (MAIN_Walk.m): a hip of 85 % of 8 kg, 0.7 to 0.9 m, 4 M g in a leg and 0.5 L M g at
the hip. There they bound an optimisation; here the legs have stops. `length`, where the coordinates of the legs are zero, is in
the middle.

A leg is a line without mass: `base.pitch` is that of the left leg, `hip` the angle from it to the right one, and `leg_left` and
`leg_right` say how much longer than `length` the legs are. A leg pitched by +a has its foot behind the hip. Ankles would need
feet; points have none.
"""

from footfall.model.parts import Foot, Joint, Link, Motor, Point
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both

GRAVITY = 9.81


@declared
def build(
    *,
    hip_mass: float = quantity("kg", "at the hip", 6.8, low=0.0, high=1e4),
    foot_mass: float = quantity("kg", "of a foot", 0.6, low=0.0, high=1e4),
    length: float = quantity("m", "of a leg whose coordinate is zero", 0.8, low=0.0, high=100.0),
    shortest: float = quantity("m", "that a leg can be", 0.7, low=0.0, high=100.0),
    longest: float = quantity("m", "that a leg can be", 0.9, low=0.0, high=100.0),
) -> Robot:
    """Three point masses, and two legs that push."""
    weight = (hip_mass + 2.0 * foot_mass) * GRAVITY
    push, turn = Motor(torque=4.0 * weight), Motor(torque=0.5 * longest * weight)
    below, stops = (0.0, -length), (shortest - length, longest - length)
    return Robot(
        name="simple-biped",
        space="planar",
        links=(Link("hip", hip_mass), *both(Link("leg_*", 0.0), Link("foot_*", foot_mass))),
        joints=(
            Joint("base", "planar", "world", "hip"),
            Joint("hip_left", "fixed", "hip", "leg_left"),
            Joint("leg_left", "prismatic", "leg_left", "foot_left", at=below, axis=(0.0, -1.0), limits=stops, motor=push),
            Joint("hip", "revolute", "hip", "leg_right", motor=turn),
            Joint("leg_right", "prismatic", "leg_right", "foot_right", at=below, axis=(0.0, -1.0), limits=stops, motor=push),
        ),
        feet=both(Foot("foot_*", (Point("foot_*"),))),
        origin="Kelly 2014; numbers of his TwoPhaseOptimalGait",
        gravity=GRAVITY,
    )
