"""Algorithmic control: named equations and quadratic costs, which come and go while the robot moves."""

from footfall.control.algorithm.algorithm import Algorithm, ConflictError, Solution
from footfall.control.algorithm.expression import Cost, Expression, Relation
from footfall.control.algorithm.pressing import Hold
