"""Forces, inertia, momentum and energy: the same functions for planar and spatial robots.

Joint forces and accelerations have one entry for each degree of freedom (`robot.velocities` names them). `gravity` is a number
(downward), a vector, or left out for the robot's own. `external` are forces by link or frame, (force, moment) in world axes at
its origin. Springs, damping, tendons and friction of the joints are not part of these equations: `passive` gives their forces.
"""

from footfall.dynamics.denoc import Denoc, denoc
from footfall.dynamics.formulations import FORMULATIONS
from footfall.dynamics.impact import Blow, Impact, Momenta, impact, momenta
from footfall.dynamics.inertia import (
    Energy,
    articulated_inertia,
    center_of_mass,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    energy,
    inverse_inertia,
    mass_matrix,
    mobility,
    momentum,
    momentum_matrix,
    momentum_rate,
)
from footfall.dynamics.matrices import ConfigurationSpace, StateSpace, configuration_space, state_space
from footfall.dynamics.maximal import HingeForces, closed, hinge_forces
from footfall.dynamics.motion import TendonState, bias, coriolis, forward, gravity_forces, inverse, passive, tendons
from footfall.dynamics.support import ClosedChain, Distribution, closed_chain, distribute
from footfall.dynamics.workspace import Workspace, workspace
