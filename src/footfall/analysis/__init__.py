"""What a run means: energy, slip, pressure, steps, and a summary; and the limit cycles of walks. Nothing is changed here."""

from footfall.analysis.basin import Basin, basin
from footfall.analysis.bifurcation import Bifurcation, bifurcation
from footfall.analysis.branches import Branch, Special, continuation
from footfall.analysis.cycles import CycleError, LimitCycle, limit_cycle
from footfall.analysis.energy import Ledger, ledger
from footfall.analysis.motion import center_of_mass, momentum
from footfall.analysis.pressure import Pressure, Track, center_of_pressure, margin, pressure, support, zero_moment_point
from footfall.analysis.slip import Slip, slip
from footfall.analysis.steps import Stance, Step, Steps, stances, steps
from footfall.analysis.summary import Summary, summary
