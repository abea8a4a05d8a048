"""The world of a robot: terrain, contact laws, pushes, loads."""

from footfall.world.chance import hills_of, random_blocks, random_ground, random_hills, random_loads, random_pushes, random_steps
from footfall.world.terrain import Blocks, Field, Flat, Function, Obstacles, Profile, Slope, Stairs, Terrain, Waves
from footfall.world.world import Change, Compliant, Contact, Load, Push, Rigid, World
