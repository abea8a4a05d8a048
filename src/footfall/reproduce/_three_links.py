"""Ono's walker as the paper has it: a chain of three links on the ground, and its impacts, from a formulation of one's choice.

The stance leg is one straight link, the swing leg a thigh and a shank. Nothing of hybrid mode is used: the equations are those of
`dynamics.forward`, integrated by scipy up to a knee that comes straight, from there on as two links up to the strike of the foot.
With DeNOC both impacts are found from momenta, otherwise from a dense solve with the mass matrix of the formulation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from footfall import dynamics, kinematics, robots
from footfall.errors import StateError
from footfall.model.parts import Joint, Link
from footfall.model.robot import Robot

MASS, LENGTH = 2.0, 0.4  # kg, m: of thigh and shank each, from memory as the robot's
LONGEST = 3.0  # s: of a phase
EXACT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
SAMPLES = 60  # of each phase
AHEAD = 0.02 * 2 * LENGTH  # m: straight legs scuff as they pass each other, and the strike counts from here on


class Portrait(NamedTuple):
    """Rows of time, pitches of stance leg, thigh and shank (forward is negative), their rates; and where each phase begins."""

    times: np.ndarray
    angles: np.ndarray  # (rows, 3)
    rates: np.ndarray
    phases: np.ndarray  # (phases,) first row
    starts: np.ndarray  # (steps + 1, 6) angles and rates after each strike, and at the start

    def leg(self, part: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Pieces between impacts of the thigh (1) or shank (2) of the leg that stands first, then swings, and so on."""
        ends = [*self.phases[1:], len(self.times)]
        rows = [slice(low, high) for low, high in zip(self.phases, ends, strict=True)]
        which = [0 if (number // 2) % 2 == 0 else part for number in range(len(rows))]
        return [(self.angles[each, link], self.rates[each, link]) for each, link in zip(rows, which, strict=True)]


def chain(links: int) -> Robot:
    """Stance leg, and the swing leg in two links or, straight, in one."""
    whole = Link("stance", 2 * MASS, com=(0.0, LENGTH), inertia=2 * MASS * (2 * LENGTH) ** 2 / 12)
    joints = [Joint("ankle", "revolute", "world", "stance"), Joint("hip", "revolute", "stance", "thigh", at=(0.0, 2 * LENGTH))]
    if links == 2:
        return Robot("two-links", "planar", (whole, Link("thigh", 2 * MASS, (0.0, -LENGTH), whole.inertia)), tuple(joints))
    part: dict[str, Any] = {"mass": MASS, "com": (0.0, -LENGTH / 2), "inertia": MASS * LENGTH**2 / 12}
    joints.append(Joint("knee", "revolute", "thigh", "shank", at=(0.0, -LENGTH)))
    return Robot("three-links", "planar", (whole, Link("thigh", **part), Link("shank", **part)), tuple(joints))


@dataclass
class Walker:
    """Gain k (N m/rad) of the hip's torque, and where the equations come from."""

    gain: float
    formulation: str
    bent: Robot = field(default_factory=lambda: chain(3))
    straight: Robot = field(default_factory=lambda: chain(2))
    whole: Robot = field(default_factory=lambda: robots.load("ono", mass=MASS, length=LENGTH))

    def walk(self, angles: np.ndarray, rates: np.ndarray, steps: int) -> Portrait:
        """So many steps from pitches and rates of stance leg, thigh and shank just after a strike, the swing leg straight."""
        parts, starts, time = [], [np.concatenate((angles, rates))], 0.0
        q, v = _relative(angles), _relative(rates)
        for _ in range(steps):
            (t, rows), q, v = self._phase(self.bent, q, v, self._torque, lambda q: q[2])
            parts.append((time + t, rows))
            q, v, time = np.append(q[:2], 0.0), self._knee_strike(q, v), time + t[-1]
            (t, rows), q2, v2 = self._phase(self.straight, q[:2], v[:2], lambda _: np.zeros(2), self._height)
            parts.append((time + t, rows))
            q, v, time = *self._foot_strike(q2, v2), time + t[-1]
            starts.append(np.concatenate((np.cumsum(q), np.cumsum(v))))
        table = np.concatenate([rows for _, rows in parts])
        first = np.cumsum([0, *(len(t) for t, _ in parts[:-1])])
        return Portrait(np.concatenate([t for t, _ in parts]), table[:, :3], table[:, 3:], first, np.array(starts))

    def _torque(self, q: np.ndarray) -> np.ndarray:
        return np.array((0.0, -self.gain * q.sum(), 0.0))

    def _phase(
        self, robot: Robot, q: np.ndarray, v: np.ndarray, torque: Callable, surface: Callable
    ) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
        """Samples up to the moment in which `surface` passes zero downward, and the state there."""
        n = robot.nv

        def slope(_t: float, y: np.ndarray) -> np.ndarray:
            q, v = y[:n], y[n:]
            return np.concatenate((v, dynamics.forward(robot, q, v, torque(q), formulation=self.formulation)))

        def passed(_t: float, y: np.ndarray) -> float:
            return surface(y[:n])

        passed.direction = -1.0  # type: ignore[attr-defined]
        passed.terminal = True  # type: ignore[attr-defined]
        run = solve_ivp(slope, (0.0, LONGEST), np.concatenate((q, v)), events=passed, dense_output=True, **EXACT)
        if not run.t_events[0].size:
            raise StateError(f"{robot.name} does not come to its next impact within {LONGEST:g} s; it fell")
        end, last = _located(slope, surface, run, n)
        times = np.linspace(0.0, end, SAMPLES)
        states = [*run.sol(times[:-1]).T, last]
        return (times, np.array([np.concatenate((_absolute(y[:n]), _absolute(y[n:]))) for y in states])), last[:n], last[n:]

    def _height(self, q: np.ndarray) -> float:
        """Height of the swing foot, from where it counts; above that before."""
        stance, swing = _absolute(q)[:2]
        foot = 2 * LENGTH * np.array((np.sin(stance) - np.sin(swing), np.cos(stance) - np.cos(swing)))
        return float(foot[1]) if foot[0] > AHEAD else 1.0

    def _knee_strike(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self.formulation == "denoc":
            return dynamics.impact(self.bent, q, v, dynamics.Blow(locked="knee")).velocities
        return _stopped(dynamics.mass_matrix(self.bent, q, formulation=self.formulation), np.eye(3)[2:], v)

    def _foot_strike(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The swing foot comes to rest while all is free to move; then the legs change parts."""
        robot = self.whole
        body = robot.configuration({"base.pitch": q[0], "hip": q[1]})
        foot = kinematics.jacobian(robot, body, "tip_left")[:2]
        moving = np.array((0.0, 0.0, v[0], v[1], 0.0, 0.0))
        moving[:2] = -(foot @ moving)  # the old foot is at rest
        if self.formulation == "denoc":
            blow = dynamics.Blow("tip_right", locked=("knee_left", "knee_right"))
            after = dynamics.impact(robot, body, moving, blow).velocities
        else:
            J = np.vstack((kinematics.jacobian(robot, body, "tip_right")[:2], np.eye(6)[4:]))
            after = _stopped(dynamics.mass_matrix(robot, body, formulation=self.formulation), J, moving)
        return np.array((q[0] + q[1], -q[1], 0.0)), np.array((after[2] + after[3], -after[3], 0.0))


def _located(slope: Callable, surface: Callable, run: Any, n: int) -> tuple[float, np.ndarray]:
    """Time and state in which the surface is passed: from the last whole step on by Newton's method, since a root of the
    interpolation would cost digits."""
    begin, y = float(run.t[-2]), run.y[:, -2]
    time = float(run.t[-1])
    for _ in range(4):
        last = solve_ivp(slope, (begin, time), y, **EXACT).y[:, -1]
        ahead = 1e-6 * last[n:]
        rate = (surface(last[:n] + ahead) - surface(last[:n] - ahead)) / 2e-6
        time -= surface(last[:n]) / rate
    return time, last


def _stopped(M: np.ndarray, J: np.ndarray, v: np.ndarray) -> np.ndarray:
    """M v+ - J'P = M v, J v+ = 0."""
    n = len(J)
    K = np.block([[M, -J.T], [J, np.zeros((n, n))]])
    return np.linalg.solve(K, np.concatenate((M @ v, np.zeros(n))))[: len(M)]


def _relative(pitches: np.ndarray) -> np.ndarray:
    return np.diff(pitches, prepend=0.0)


def _absolute(q: np.ndarray) -> np.ndarray:
    """Pitches, or their rates, of stance leg, thigh and shank; those of a straight leg are the same."""
    pitches = np.cumsum(q)
    return pitches if len(q) == 3 else np.append(pitches, pitches[-1])
