"""Algorithmic control: named equations and quadratic costs, which come and go while the robot moves."""

from footfall.control.algorithm.algorithm import Algorithm, ConflictError, Hold, Solution
from footfall.control.algorithm.expression import Cost, Expression, Relation
