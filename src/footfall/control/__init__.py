"""Controllers, one a file."""

from footfall.control.algorithm import Algorithm, ConflictError
from footfall.control.algorithm.controller import Algorithmic
from footfall.control.cart import PreviewCart
from footfall.control.computed_torque import ComputedTorqueWalk
from footfall.control.controller import Compiled, Controller
from footfall.control.external import External
from footfall.control.fields import array, states
from footfall.control.follow import Follow
from footfall.control.gaited import enter, follow_schedule, stands, time_in
from footfall.control.hold import Hold
from footfall.control.inverse_dynamics import InverseDynamics
from footfall.control.joint_position import JointPositionWalk
from footfall.control.joint_servo import JointServo
from footfall.control.layered import Layered
from footfall.control.leg_odometry import LegOdometry
from footfall.control.mass_center import MassCenter
from footfall.control.newton_squat import NewtonSquat
from footfall.control.pattern import HuangWalk, PreviewWalk
from footfall.control.policy import Policy
from footfall.control.ranger import RangerGait
from footfall.control.simbicon import Simbicon
from footfall.control.simple_biped import SimpleBiped
from footfall.control.workspace import Workspace
