"""Engines by name, with their own defaults."""

from footfall.engines.contact import TimeStepping
from footfall.engines.engine import Engine
from footfall.engines.ideal import Ideal
from footfall.engines.maximal import Maximal
from footfall.engines.mujoco import MuJoCo
from footfall.errors import UnknownNameError

NAMES: dict[str, type[Engine]] = {"contact": TimeStepping, "maximal": Maximal, "ideal": Ideal, "mujoco": MuJoCo}


def engine_named(name: str) -> Engine:
    """The engine of that name. A hybrid motion has none, since its modes are those of one study."""
    if name not in NAMES:
        raise UnknownNameError("engine", name, NAMES)
    return NAMES[name]()


def name_of(engine: Engine) -> str:
    """Its name, or that of its class."""
    return next((name for name, kind in NAMES.items() if type(engine) is kind), type(engine).__name__)
