"""Three point masses in Cartesian coordinates, as Kelly's report moves them: symplectic Euler, steps split where a foot lands.

Shares nothing with Footfall. A mass is [x, z]; row 0 is the hip, rows 1 and 2 the left and the right foot.
"""

from math import atan2, cos, hypot, sin

G = 9.81


def legs(p, v):
    """Length, its rate, pitch and its rate of both legs; a leg pitched by +a has its foot behind the hip."""
    found = []
    for i in (1, 2):
        dx, dz, vx, vz = p[0][0] - p[i][0], p[0][1] - p[i][1], v[0][0] - v[i][0], v[0][1] - v[i][1]
        length = hypot(dx, dz)
        found.append((length, (dx * vx + dz * vz) / length, atan2(dx, dz), (dz * vx - dx * vz) / length**2))
    return found


def forces(p, v, push, mass):
    """Of gravity and of actuators: push(legs) gives the forces in both legs and the torque from the left to the right."""
    seen = legs(p, v)
    left, right, torque = push(seen)
    f = [[0.0, -G * m] for m in mass]
    for i, (along, turn) in ((1, (left, -torque)), (2, (right, torque))):
        length, _, pitch, _ = seen[i - 1]
        s, c = sin(pitch), cos(pitch)
        x, z = -along * s - turn / length * c, -along * c + turn / length * s  # on the foot
        f[i][0] += x
        f[i][1] += z
        f[0][0] -= x
        f[0][1] -= z
    return f


def simulate(p, v, push, mass, seconds, h, height, slope):
    """Feet stick where they land, and let go when they would have to be pulled. Returns places and velocities at the end."""
    p, v = [list(row) for row in p], [list(row) for row in v]
    down = [False, False, False]
    for _ in range(round(seconds / h)):
        left = h
        while left > 1e-15:
            f = forces(p, v, push, mass)
            for i in (1, 2):
                down[i] = down[i] and -f[i][0] * slope(p[i][0]) + f[i][1] <= 0.0
            for i in range(3):
                for k in (0, 1):
                    v[i][k] = 0.0 if down[i] else v[i][k] + left * f[i][k] / mass[i]
            part, lands = left, 0
            for i in (1, 2):
                gap = p[i][1] - height(p[i][0])
                after = p[i][1] + left * v[i][1] - height(p[i][0] + left * v[i][0])
                if not down[i] and after < 0.0 and after < gap and gap / (gap - after) * left < part:
                    part, lands = gap / (gap - after) * left, i
            for i in range(3):
                for k in (0, 1):
                    v[i][k] -= 0.0 if down[i] else (left - part) * f[i][k] / mass[i]
                    p[i][k] += part * v[i][k]
            if lands:
                down[lands], v[lands] = True, [0.0, 0.0]
                p[lands][1] = height(p[lands][0])
            left -= part
    return p, v
