"""Figures of a run: energy, cost of transport, slip, centre of pressure, steps, a summary. Runs are only read."""

from footfall.analysis.actuation import Actuation, Drive, Screws, Use, actuation, screws
from footfall.analysis.bounds import Bound, missed
from footfall.analysis.compare import Compared, compare, penetration
from footfall.analysis.cost import CostOfTransport, Power, cost_of_transport, instantaneous_cost, power
from footfall.analysis.energy import Ledger, ledger
from footfall.analysis.estimate import EstimateError, estimate_error
from footfall.analysis.motion import center_of_mass, momentum
from footfall.analysis.pressure import Pressure, Track, center_of_pressure, margin, pressure, support, zero_moment_point
from footfall.analysis.sides import kept_sides
from footfall.analysis.slip import Slip, slip
from footfall.analysis.soles import Sole, sole
from footfall.analysis.steps import Stance, Step, Steps, stances, steps
from footfall.analysis.summary import Summary, summary
from footfall.analysis.switches import Switch, state_columns, state_names, switches
