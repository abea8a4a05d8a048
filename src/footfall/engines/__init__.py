"""How a robot is moved: time stepping with contact, maximal coordinates, hybrid or ideal motion, MuJoCo. One protocol for all."""

from footfall.engines.contact import TimeStepping
from footfall.engines.engine import Engine, Rollout
from footfall.engines.events import Event, Outcome
from footfall.engines.hybrid import Hybrid
from footfall.engines.ideal import Ideal
from footfall.engines.maximal import Maximal
from footfall.engines.mujoco import MuJoCo
from footfall.engines.names import NAMES, engine_named
