"""How a robot is moved: time stepping with contact, maximal coordinates, hybrid motion, ideal motion. One protocol for all of them."""

from footfall.engines.contact import TimeStepping
from footfall.engines.engine import Engine, Rollout
from footfall.engines.events import Event, Outcome
from footfall.engines.hybrid import Hybrid
from footfall.engines.ideal import Ideal
from footfall.engines.maximal import Maximal
