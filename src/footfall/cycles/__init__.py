"""Gaits that repeat: limit cycles, their continuation along a parameter, bifurcations, basins of attraction, step maps."""

from footfall.cycles.basin import Basin, basin
from footfall.cycles.bifurcation import Bifurcation, bifurcation
from footfall.cycles.continuation import Branch, Special, continuation
from footfall.cycles.limit_cycle import CycleError, LimitCycle, limit_cycle
from footfall.cycles.section import FittedMap, fit_map
from footfall.engines.hybrid.walk import Walk
