"""The energy ledger: energy of the robot, work done on it, and the residual that no work explains.

    kinetic + potential + springs  =  energy at the start + sum of work + residual

A run records the work of springs, tendons and dampers together. The energy of springs and tendons is known, so the rest of that
work belongs to the dampers. In a robot without dampers the rest is part of the residual.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from footfall.analysis import motion
from footfall.dynamics import energy, tendons
from footfall.engines.series import LEDGER
from footfall.kinematics import integrate
from footfall.sim.run import Run
from footfall.sim.settings import pull_changed

JOINTS = LEDGER.index("springs and dampers")
STILL = 1e-8  # m: who exchanges less than it takes to lift its weight so far stands still, and rounding is all there is


@dataclass(frozen=True)
class Ledger:
    """Energies and work in J; row i of every series belongs to time[i]. Work done on the robot is positive."""

    time: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray  # of weight, zero at the height of the world's origin
    springs: np.ndarray  # of the springs of joints, and of tendons
    work: dict[str, np.ndarray]  # done so far, by whom
    least: float  # J: exchanging less is standing still

    @property
    def energy(self) -> np.ndarray:
        """All that the robot has."""
        return self.kinetic + self.potential + self.springs

    @property
    def residual(self) -> np.ndarray:
        """Change of energy since the start that no work explains."""
        return self.energy - self.energy[0] - np.sum(list(self.work.values()), axis=0)

    @property
    def exchanged(self) -> float:
        """Half of all gains and losses of all accounts: a gain of one is a loss of another."""
        accounts = (self.kinetic, self.potential, self.springs, *self.work.values())
        return 0.5 * float(sum(np.abs(np.diff(account)).sum() for account in accounts))

    @property
    def relative(self) -> float:
        """The residual at the end over the energy exchanged (but at least over `least`)."""
        return abs(float(self.residual[-1])) / max(self.exchanged, self.least)

    def text(self) -> str:
        """The ledger as lines: energy at the start and at the end, then the work of each account."""
        lines = [f"{'J':22}{'start':>12}{'end':>12}{'change':>12}"]
        for name in ("kinetic", "potential", "springs", "energy"):
            series = getattr(self, name)
            lines.append(f"{name:22}{series[0]:12.4f}{series[-1]:12.4f}{series[-1] - series[0]:12.4f}")
        lines += [f"{'work of ' + name:46}{series[-1]:12.4f}" for name, series in self.work.items() if np.any(series)]
        return "\n".join(
            [*lines, f"{'residual':46}{self.residual[-1]:12.4f}  {100 * self.relative:.2g} % of {self.exchanged:.4g} J"]
        )


def ledger(run: Run) -> Ledger:
    """Where the energy of a run came from and went.

    A load is booked under "loads" with the energy that it has where it is put on or taken off, and so is another gravity, which
    changes the energy of weight. Springs of compliant ground count as the ground's.
    """
    kinetic, potential = motion.energies(run).T
    springs, done = spring_energy(run), run.ledger
    work = {name: done[:, i] for i, name in enumerate(LEDGER) if i != JOINTS}
    if any(part.damping > 0.0 for part in (*run.robot.joints, *run.robot.tendons)):
        work["dampers"] = done[:, JOINTS] + springs - springs[0]
    loads, pulls = _brought(run)
    if run.study.world.loads:
        work["loads"] = loads
    if np.ptp(motion.gravity(run), axis=0).any():
        work["changes of gravity"] = pulls
    least = STILL * max(run.robot.mass * run.study.gravity, 1.0)
    return Ledger(run.time, kinetic, potential, springs, work, least)


def spring_energy(run: Run) -> np.ndarray:
    """(rows,) energy of the springs of joints, and of tendons."""
    held = tendons(run.robot, run.q).energy.sum(axis=1) if run.robot.tendons else np.zeros(len(run.time))
    for i, joint in enumerate(run.robot.layout.joints, start=1):
        if joint.spring:
            held += 0.5 * joint.spring.stiffness * (run.q[:, run.robot.tree.first_q[i]] - joint.spring.rest) ** 2
    return held


def _brought(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Energy that came with loads, and with another gravity: what the robot has with them less what it has without.

    That of loads is taken in the first row with them. That of gravity is taken where the robot is half a step after the instant
    of the change, by its velocity in the last row before: in the leapfrog, the forces of an instant act from half a step on.
    """
    loads, pulls, gravity = np.zeros(len(run.time)), np.zeros(len(run.time)), motion.gravity(run)
    for (_, before), (rows, after) in itertools.pairwise(motion.carriers(run)):
        at, was = rows.start, gravity[rows.start - 1]
        had, has = (energy(robot, run.q[at], run.v[at], gravity=was).total for robot in (before, after))
        loads[at:] += has - had
        if np.any(was != gravity[at]):
            later = pull_changed(run.study, run.time[at]) + 0.5 * run.study.dt - run.time[at - 1]
            q = integrate(run.robot, run.q[at - 1], later * run.v[at - 1])
            old, new = (energy(before, q, run.v[at - 1], gravity=g).total for g in (was, gravity[at]))
            pulls[at:] += new - old
    return loads, pulls
