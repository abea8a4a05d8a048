"""The kinds of joint as the kernels know them, and how many coordinates and velocities each has."""

REVOLUTE = 0
PRISMATIC = 1
SPHERICAL = 2
PLANAR = 3
FREE = 4

COORDINATES = (1, 1, 4, 3, 7)
FREEDOMS = (1, 1, 3, 3, 6)
