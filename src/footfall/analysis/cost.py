"""Cost of transport: electrical power of the motors, and energy per weight and distance.

A motor turns a current I into the torque tau = G K I at its joint, gear and torque constant, and draws

    P = R I^2 + V_c |I| + tau w

heat of the winding, loss at the brushes, and mechanical power; w is the joint's rate. Friction in gears and joints acts on the
joint after that and is paid from tau w. (Kelly's equations 13 to 16 with their misprints corrected: friction opposes motion, and
the voltage of rotation stands beside that of the resistance.) Negative power of a motor is lost, unless there is regeneration.
"""

from dataclasses import dataclass, fields

import numpy as np

from footfall.analysis import motion
from footfall.engines.series import LEDGER
from footfall.model.parts import Motor
from footfall.model.quantity import quantity
from footfall.sim.run import Run

IMPACTS = [LEDGER.index(name) for name in ("impacts", "ground, normal", "ground, friction")]
RUBBING = LEDGER.index("stops and dry friction")


@dataclass(frozen=True)
class Power:
    """Powers (W) and currents (A) of the driven degrees of freedom; row i belongs to time[i], column j to joints[j]."""

    time: np.ndarray
    joints: tuple[str, ...]
    current: np.ndarray  # 0 where nothing is known of currents
    voltage: np.ndarray  # V
    heat: np.ndarray  # of the winding
    brushes: np.ndarray
    mechanical: np.ndarray  # torque times rate, negative while it brakes
    drawn: np.ndarray  # from the battery

    @property
    def total(self) -> np.ndarray:
        """Power that all motors draw from the battery."""
        return self.drawn.sum(axis=1)


def power(run: Run, regeneration: bool = False) -> Power:
    """The power that the motors draw; of a motor without electrical data, its mechanical power."""
    robot = run.robot
    motors = _motors(run)
    names = tuple(robot.velocities[d] for d in motors)
    torque, rate = run.tau[:, list(motors)], run.v[:, list(motors)]
    per_ampere, resistance, contact = (
        np.array([getattr(motor, name) for motor in motors.values()]) for name in ("per_ampere", "resistance", "contact_voltage")
    )
    current = np.divide(torque, per_ampere, out=np.zeros_like(torque), where=per_ampere > 0.0)
    heat, brushes, mechanical = resistance * current**2, contact * np.abs(current), torque * rate
    voltage = resistance * current + contact * np.sign(current) + per_ampere * rate
    drawn = heat + brushes + mechanical
    return Power(run.time, names, current, voltage, heat, brushes, mechanical, drawn if regeneration else np.maximum(drawn, 0.0))


@dataclass(frozen=True)
class CostOfTransport:
    """Energy over weight times distance, from `start` on, and where the energy went, in J."""

    motors: float = quantity("1", "cost of transport, motors only")
    total: float = quantity("1", "cost of transport, total")
    electrical: bool = quantity("", "whether motors have electrical data; if not, only their positive work counts")
    distance: float = quantity("m", "horizontal distance of the centre of mass")
    speed: float = quantity("m/s", "mean speed")
    power: float = quantity("W", "mean power of the motors")
    drawn: float = quantity("J", "energy that the motors drew")
    overhead: float = quantity("J", "energy of computers and other electronics")
    heat: float = quantity("J", "heat of the windings")
    brushes: float = quantity("J", "loss at the brushes")
    positive: float = quantity("J", "positive work of the motors")
    negative: float = quantity("J", "negative work of the motors")
    wasted: float = quantity("J", "negative power of the motors that was lost")
    friction: float = quantity("J", "lost in the joints and at their stops, paid from the work")
    impacts: float = quantity("J", "lost where feet land and slide, paid from the work")

    def text(self) -> str:
        """As lines."""
        shown = [field for field in fields(self) if field.name != "electrical"]
        width = max(len(field.metadata["help"]) for field in shown)
        rows = [(field.metadata["help"], getattr(self, field.name), field.metadata["unit"].replace("1", "")) for field in shown]
        return "\n".join(f"{what:{width}}  {value:.4g} {unit}".rstrip() for what, value, unit in rows)


def cost_of_transport(run: Run, start: float = 0.0, regeneration: bool = False, overhead: float | None = None) -> CostOfTransport:
    """The mean over the run from a time on. `overhead` is the power of the rest in W, the robot's own if left out.

    Torques and rates are those of the rows, and straight between them; work of friction and impacts is the run's own.
    """
    rows = run.time >= start
    time, found = run.time[rows], power(run, regeneration)
    distance, weight = float(np.linalg.norm(motion.travel(run, start))), run.robot.mass * run.study.gravity
    duration = float(time[-1] - time[0]) if len(time) else 0.0

    def energy(series: np.ndarray) -> float:
        return float(np.trapezoid(series[rows].sum(axis=1), time))

    def lost(accounts: list[int]) -> float:
        done = run.ledger[rows][:, accounts].sum(axis=1)
        return float(done[0] - done[-1])

    drawn, idle = energy(found.drawn), (run.robot.overhead if overhead is None else overhead) * duration
    heat, brushes = energy(found.heat), energy(found.brushes)
    work = energy(np.maximum(found.mechanical, 0.0)), energy(np.minimum(found.mechanical, 0.0))
    per = weight * distance if weight * distance > 0.0 else np.nan
    return CostOfTransport(
        motors=drawn / per,
        total=(drawn + idle) / per,
        electrical=all(motor.torque_constant > 0.0 for motor in _motors(run).values()),
        distance=distance,
        speed=distance / duration if duration > 0.0 else 0.0,
        power=drawn / duration if duration > 0.0 else 0.0,
        drawn=drawn,
        overhead=idle,
        heat=heat,
        brushes=brushes,
        positive=work[0],
        negative=work[1],
        wasted=drawn - heat - brushes - sum(work),
        friction=lost([RUBBING]) + _damped(run, rows),
        impacts=lost(IMPACTS),
    )


def instantaneous_cost(run: Run, regeneration: bool = False, overhead: float | None = None) -> np.ndarray:
    """Kelly (17): power over weight times speed, row by row; infinite where the robot does not move."""
    idle = run.robot.overhead if overhead is None else overhead
    level = motion.momentum(run)[:, : run.robot.dim - 1] / motion.mass(run)[:, None]
    with np.errstate(divide="ignore"):
        return (power(run, regeneration).total + idle) / (motion.mass(run) * motion.gravity(run) * np.linalg.norm(level, axis=1))


def _motors(run: Run) -> dict[int, Motor]:
    """Motors by degree of freedom."""
    tree = run.robot.tree
    return {
        d: joint.motor
        for i, joint in enumerate(run.robot.layout.joints, start=1)
        if joint.motor
        for d in range(int(tree.first_v[i]), int(tree.first_v[i + 1]))
    }


def _damped(run: Run, rows: np.ndarray) -> float:
    """Energy that dampers of joints took."""
    tree, lost = run.robot.tree, 0.0
    for i, joint in enumerate(run.robot.layout.joints, start=1):
        rates = run.v[rows][:, tree.first_v[i] : tree.first_v[i + 1]]
        lost += float(np.trapezoid(joint.damping * (rates**2).sum(axis=1), run.time[rows]))
    return lost
