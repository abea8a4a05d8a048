"""Reference motion: curves through points, the spring and damper that follows them, and walking patterns.

A curve is a small frozen object. It is checked when it is made, and called with one time or with many. `curve.data` is for
compiled laws, which read it with `evaluate`; every curve has data of the same type, so a law takes any of them.

A walk is planned in three parts: a `FootstepPlan` says where and when the feet stand, `Preview` finds a centre of mass for the
zero-moment point that follows, and `walking_pattern` makes the motion of all joints of it.
"""

from footfall.motion.bezier import Bezier, bezier, cubic_bezier
from footfall.motion.chain import Chain, evaluate
from footfall.motion.clearance import Clearance, clearance
from footfall.motion.cubic import Cubic
from footfall.motion.curve import Curve, Motion, MotionError
from footfall.motion.dcm import Adjustment, DcmReference, adjust_step, capture_point, dcm_after, dcm_before, dcm_of
from footfall.motion.feasibility import Feasibility, Finding, Limit, feasibility
from footfall.motion.footsteps import Footstep, FootstepPlan, Phase, Swing, Timing
from footfall.motion.generators import (
    orient_with_pd,
    position_point_with_quartic,
    position_point_with_quintic,
    position_with_pd,
    set_angle_with_pd,
)
from footfall.motion.huang import HuangFoot, huang_feet
from footfall.motion.huang_walk import Hip, MarginMap, hip_curve, huang_pattern, huang_search
from footfall.motion.legs import TwoLegs, two_legs
from footfall.motion.obstacles import Decision, ObstaclePlan, Stepping, plan_among
from footfall.motion.pattern import PatternData, WalkingPattern, interpolate, row_at, sample, walking_pattern
from footfall.motion.pd import PD, Gains, pd, tuned
from footfall.motion.preview import Cart, Preview, PreviewGains
from footfall.motion.quintic import Quintic
from footfall.motion.support import depth, hull, margins
from footfall.motion.zmp import Balance, balance, pendulum_acceleration, pendulum_zmp, zmp
