"""Poses, velocities, accelerations, Jacobians and inverse kinematics, for planar and spatial robots alike.

`target` is the name of a link or frame; `at` a point on it, in its axes. Motions are (linear, angular): (vx, vz, pitch rate) in
the plane, (vx, vy, vz, wx, wy, wz) in space, of the point itself, in world axes or (`axes="body"`) in the target's.
"""

from footfall.core.leg import planar_leg_angles, planar_leg_rates, spatial_leg_angles, spatial_leg_rates
from footfall.kinematics.coordinates import difference, integrate, random_configuration, rate, within_stops
from footfall.kinematics.inverse import Posture, Task, inverse, solutions
from footfall.kinematics.leg import Leg, LegPosture, leg
from footfall.kinematics.poses import (
    LinkPoses,
    Pose,
    acceleration,
    jacobian,
    jacobian_rate,
    pose,
    pose_difference,
    pose_of,
    velocity,
)
from footfall.kinematics.singular import Dexterity, Rates, dexterity, joint_rates
