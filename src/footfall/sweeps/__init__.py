"""Sweeps: one study asked many times, with other parameters and seeds, and a table of what came out."""

from footfall.sweeps.axes import between
from footfall.sweeps.measures import READY
from footfall.sweeps.sweep import Progress, sweep
from footfall.sweeps.table import Sweep
