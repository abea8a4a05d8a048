"""Reference motion: curves through points, and the spring and damper that follows them.

A curve is a small frozen object. It is checked when it is made, and called with one time or with many. `curve.data` is for
compiled laws, which read it with `evaluate`; every curve has data of the same type, so a law takes any of them.
"""

from footfall.motion.bezier import Bezier, bezier, cubic_bezier
from footfall.motion.chain import Chain, evaluate
from footfall.motion.cubic import Cubic
from footfall.motion.curve import Curve, Motion, MotionError
from footfall.motion.pd import PD, Gains, pd, tuned
from footfall.motion.quintic import Quintic
