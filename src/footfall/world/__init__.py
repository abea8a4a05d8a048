"""What a robot walks on and what acts on it."""

from footfall.world.terrain import Field, Flat, Function, Obstacles, Profile, Slope, Stairs, Terrain, Waves
from footfall.world.world import Compliant, Contact, Load, Push, Rigid, World, random_pushes
