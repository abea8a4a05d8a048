"""How a human body divides into segments.

Winter: D. A. Winter, "Biomechanics and Motor Control of Human Movement", table 4.1 (after Dempster) and figure 4.1, as
transcribed in public code (AnthropometricModel.m in emelieseguin/Group3_Matlab, and others of that name).

De Leva: P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29 (1996), men of 73 kg
and 1.741 m, as transcribed in public code (Zatsiorsky_parameters.m in GabrielEGC/review-sim-amber-robot, and deleva.m). It
is left open there which of the two transverse radii belongs to flexion; for thigh and shank they differ by less than 3 %.
"""

from typing import NamedTuple

from footfall.model.parts import Link

PITCH = 1  # where the inertia about y is, in (xx, yy, zz)


class Segment(NamedTuple):
    """Fractions: of the body's mass, of its stature, and of the segment's own length."""

    mass: float
    length: float
    com: float  # from the end nearer to the head; of a foot from the heel; of parts above the hip from the hip
    roll: float  # radii of gyration about the centre of mass: about the axis that points forward,
    pitch: float  # to the side,
    yaw: float  # and up, when standing

    def inertia(self, mass: float, length: float) -> tuple[float, float, float]:
        """Moments of inertia (xx, yy, zz) of a segment of that mass and length."""
        unit = mass * length**2
        return (unit * self.roll**2, unit * self.pitch**2, unit * self.yaw**2)


DE_LEVA = {
    "trunk": Segment(0.4346, 0.3055, 1.0 - 0.4486, 0.372, 0.347, 0.191),  # the source counts from suprasternale, 0.4486
    "thigh": Segment(0.1416, 0.2425, 0.4095, 0.329, 0.329, 0.149),
    "shank": Segment(0.0433, 0.2493, 0.4459, 0.255, 0.249, 0.103),
    "foot": Segment(0.0137, 0.1482, 0.4415, 0.124, 0.245, 0.257),
}

# Winter gives the radius for pitch only. Roll takes the same, yaw is de Leva's of the segment.
WINTER = {
    "thigh": Segment(0.100, 0.245, 0.433, 0.323, 0.323, 0.149),
    "shank": Segment(0.0465, 0.246, 0.433, 0.302, 0.302, 0.103),
    # Centre and radii by de Leva: Winter's 0.475 is not of the length from heel to toe; it would give four times the inertia.
    "foot": Segment(0.0145, 0.152, 0.4415, 0.124, 0.245, 0.257),
    # Shoulder to wrist (0.186 + 0.146), hand included in the mass; yaw from de Leva's upper arm (0.158 of 0.1618 of stature).
    "arm": Segment(0.050, 0.186 + 0.146, 0.530, 0.368, 0.368, 0.077),
    # Pelvis, trunk and head, over the way from hip (0.530) to shoulder (0.818); yaw from de Leva's trunk (0.191 of 0.3055).
    "trunk_head": Segment(0.578, 0.818 - 0.530, 0.66, 0.503, 0.503, 0.203),
    # The same with both arms; yaw derived from de Leva's trunk, head and arms, these SHOULDER_WIDTH / 2 off the middle.
    "upper_body": Segment(0.678, 0.818 - 0.530, 0.626, 0.496, 0.496, 0.254),
}
PELVIS_MASS = 0.142  # Winter, of the body's mass; included in trunk_head and upper_body
ANKLE_HEIGHT = 0.039  # Winter, of stature; with thigh and shank the hip stands at 0.530
FOOT_BREADTH = 0.055  # Winter, of stature
SHOULDER_WIDTH = 0.259  # Winter's figure, of stature; from memory, not checked
HEEL = 0.25  # assumed: how far the heel lies behind the ankle, of the foot's length


def hanging(name: str, body_mass: float, stature: float) -> Link:
    """One of Winter's segments that hangs from its joint when standing, as a link for both sides."""
    segment = WINTER[name]
    mass, length = segment.mass * body_mass, segment.length * stature
    return Link(f"{name}_*", mass, com=(0.0, 0.0, -segment.com * length), inertia=segment.inertia(mass, length))


def block(mass: float, size: tuple[float, float, float]) -> tuple[float, float, float]:
    """Moments of inertia of a solid block about its middle."""
    x, y, z = size
    return (mass / 12 * (y**2 + z**2), mass / 12 * (x**2 + z**2), mass / 12 * (x**2 + y**2))
