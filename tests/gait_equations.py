"""Walkers by equations written out by hand and scipy: nothing of Footfall is used here.

`Garcia` is the simplest walker as in Garcia et al. (1998). `Chain` is any walker with a stance leg and a swing leg of one or two
links, in the angles of its links from the vertical: with u = (sin, cos), centres of mass are at sums of C[k, j] u(angle[j]), so

    sum_j A_ij (cos(i - j) a_j + sin(i - j) w_j^2) + I_i a_i = g B_i sin(i) + torque_i,    A = C'm C,  B = C'm

A strike is solved with the foot that stood set free: two more coordinates, the place where it stood.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

FINE = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
NUDGE = 1e-4


def until(slope, y, surface, longest, early=0.0):
    """The state in which `surface` passes zero downward, once the time `early` is over."""
    first = solve_ivp(slope, (0.0, early), y, **FINE).y[:, -1] if early else np.array(y)

    def event(_t, y):
        return surface(y)

    event.terminal, event.direction = True, -1.0
    run = solve_ivp(slope, (early, longest), first, events=event, dense_output=True, **FINE)
    assert run.t_events[0].size, "it fell"
    t0, t1, y0 = run.t[-2], run.t[-1], run.y[:, -2]
    end = lambda t: solve_ivp(slope, (t0, t), y0, **FINE).y[:, -1] if t > t0 else y0  # noqa: E731
    time = brentq(lambda t: surface(end(t)), t0, min(t1 + 1e-4, longest), xtol=1e-13)
    return end(time)


@dataclass(frozen=True)
class Garcia:
    """theta and its rate after a strike, to those after the next one."""

    slope: float

    def step(self, state):
        theta, rate = state

        def move(_t, y):
            theta, phi, rate, turn = y
            a = np.sin(theta - self.slope)
            return rate, turn, a, a + rate**2 * np.sin(phi) - np.cos(theta - self.slope) * np.sin(phi)

        start = (theta, 2 * theta, rate, (1 - np.cos(2 * theta)) * rate)
        # phi - 2 theta is zero at the start, when the legs pass each other, and at the strike, where it grows
        theta, _, rate, _ = until(move, start, lambda y: 2 * y[0] - y[1], 12.0, early=1.5)
        return np.array((-theta, np.cos(2 * theta) * rate))


@dataclass(frozen=True)
class Chain:
    """A stance leg (m, inertia, com above the foot, length), swing links (m, inertia, com below the joint, length), and the hip."""

    stance: tuple[float, float, float, float]
    swing: tuple[tuple[float, float, float, float], ...]
    hip: float
    g: float
    slope: float = 0.0
    gain: float = 0.0

    @cached_property
    def tables(self):
        """A, B, I, mass, and the coefficients of the swing foot."""
        n, L = 1 + len(self.swing), self.stance[3]
        rows, masses = [np.eye(n)[0] * self.stance[2], np.eye(n)[0] * L], [self.stance[0], self.hip]
        above = np.eye(n)[0] * L
        for j, (mass, _, com, length) in enumerate(self.swing, start=1):
            rows.append(above - com * np.eye(n)[j])
            masses.append(mass)
            above = above - length * np.eye(n)[j]
        C, m = np.array(rows), np.array(masses)
        return C.T @ np.diag(m) @ C, C.T @ m, np.array([self.stance[1], *(link[1] for link in self.swing)]), m.sum(), above

    def move(self, _t, y):
        A, B, inertia, _, _ = self.tables
        n = len(B)
        x, w = y[:n], y[n:]
        off = x[:, None] - x
        force = self.g * B * np.sin(x) - (A * np.sin(off)) @ w**2
        if n == 3:
            torque = -self.gain * x[2]
            force += (-torque, torque, 0.0)
        return np.concatenate((w, np.linalg.solve(A * np.cos(off) + np.diag(inertia), force)))

    def height(self, y):
        """Of the swing foot above the ground, where it is ahead."""
        foot = self.tables[4]
        x = y[: len(foot)]
        ahead, up = foot @ np.sin(x), foot @ np.cos(x)
        return up + np.tan(self.slope) * ahead if ahead > 0.05 * self.stance[3] else 1.0

    def strike(self, y):
        A, B, inertia, mass, foot = self.tables
        n = len(B)
        x, w = y[:n], y[n:]
        M = np.zeros((n + 2, n + 2))
        M[:2, :2] = mass * np.eye(2)
        M[:2, 2:] = B * np.array((np.cos(x), -np.sin(x)))
        M[2:, :2] = M[:2, 2:].T
        M[2:, 2:] = A * np.cos(x[:, None] - x) + np.diag(inertia)
        J = np.hstack((np.eye(2), foot * np.array((np.cos(x), -np.sin(x)))))
        after = stopped(M, J, np.concatenate((np.zeros(2), w)))
        return x[1], x[0], after[3], after[2]

    def step(self, state):
        """Angle of the stance leg and both rates after a strike, to those after the next one; legs straight then."""
        angle, *rates = state
        other = 2 * self.slope - angle
        if len(self.swing) == 1:
            end = until(self.move, (angle, other, *rates), self.height, 4.0, early=0.1)
        else:
            start = (angle, other, other, rates[0], rates[1], rates[1])
            bent = until(self.move, start, lambda y: y[2] - y[1], 4.0, early=0.05)
            A, _, inertia, _, _ = self.tables
            x = bent[:3]
            M = A * np.cos(x[:, None] - x) + np.diag(inertia)
            w = stopped(M, np.array([[0.0, 1.0, -1.0]]), bent[3:])
            end = until(self.straight.move, (*x[:2], *w[:2]), self.straight.height, 4.0)
        two = self if len(self.swing) == 1 else self.straight
        angle, _, rate, other_rate = two.strike(end)
        return np.array((angle, rate, other_rate))

    @cached_property
    def straight(self):
        """The same with the knee locked."""
        (m1, I1, c1, l1), (m2, I2, c2, l2) = self.swing
        m, c = m1 + m2, (m1 * c1 + m2 * (l1 + c2)) / (m1 + m2)
        inertia = I1 + I2 + m1 * (c1 - c) ** 2 + m2 * (l1 + c2 - c) ** 2
        return Chain(self.stance, ((m, inertia, c, l1 + l2),), self.hip, self.g, self.slope)


def stopped(M, J, v):
    """M v+ - J'P = M v, J v+ = 0."""
    n = len(J)
    K = np.block([[M, -J.T], [J, np.zeros((n, n))]])
    return np.linalg.solve(K, np.concatenate((M @ v, np.zeros(n))))[: len(v)]


def derivative(step, state):
    """By central differences of fourth order."""
    columns = []
    for e in NUDGE * np.eye(len(state)):
        near, far = step(state + e) - step(state - e), step(state + 2 * e) - step(state - 2 * e)
        columns.append((8 * near - far) / (12 * NUDGE))
    return np.column_stack(columns)


def fixed_point(step, guess):
    state = np.array(guess, float)
    for _ in range(8):
        off = step(state) - state
        if np.abs(off).max() < 1e-11:
            return state
        state = state - np.linalg.solve(derivative(step, state) - np.eye(len(state)), off)
    raise ValueError(f"no fixed point near {guess}")


def doubling(walker_of, guess, low, high):
    """The parameter between low and high at which a multiplier of the cycle is -1, and the fixed point there."""
    found = {}

    def product(parameter):
        near = found[min(found, key=lambda each: abs(each - parameter))] if found else guess
        found[parameter] = fixed_point(walker_of(parameter).step, near)
        J = derivative(walker_of(parameter).step, found[parameter])
        return np.linalg.det(J + np.eye(len(J)))

    value = brentq(product, low, high, xtol=1e-10)
    return value, fixed_point(walker_of(value).step, found[min(found, key=lambda each: abs(each - value))])


def compass(slope):
    """Goswami et al.: two legs of 1 m with 5 kg in the middle, 10 kg at the hip, 9.8 m/s2; the slope falls."""
    return Chain((5.0, 0.0, 0.5, 1.0), ((5.0, 0.0, 0.5, 1.0),), 10.0, 9.8, slope)


def ono(gain):
    """Four uniform links of 2 kg and 0.4 m; the stance leg's knee is locked."""
    m, l = 2.0, 0.4
    link = (m, m * l**2 / 12, l / 2, l)
    return Chain((2 * m, 2 * m * (2 * l) ** 2 / 12, l, 2 * l), (link, link), 0.0, 9.81, 0.0, gain)
