"""Cost of transport: electrical power of the motors, and energy per weight and distance.

A motor turns a current I into the torque tau = G K I at its joint, gear and torque constant, and draws

    P = R I^2 + V_c |I| + tau w

heat of the winding, loss at the brushes, and mechanical power; w is the joint's rate. Friction in gears and joints acts on the
joint after that and is paid from tau w. (Kelly's equations 13 to 16 with their misprints corrected: friction opposes motion, and
the voltage of rotation stands beside that of the resistance.) Negative power of a motor is lost, unless there is regeneration.

Power is not linear in the torque, so it cannot be found from rows. A run sums the energies of its motors in every step, and a
cost does not depend on how often rows are recorded.
"""

from dataclasses import dataclass, fields

import numpy as np

from footfall.analysis import motion
from footfall.analysis.energy import spring_energy
from footfall.engines.series import LEDGER, motors_of
from footfall.model.quantity import quantity
from footfall.sim.run import Run

IMPACTS = [LEDGER.index(name) for name in ("impacts", "ground, normal", "ground, friction")]
SPRUNG = LEDGER.index("springs and dampers")
RUBBING = LEDGER.index("stops and dry friction")


@dataclass(frozen=True)
class Power:
    """Powers (W) and currents (A) of the driven degrees of freedom, column j of joints[j].

    In row i they are means over the time since the row before; the first row has those of the second.
    """

    time: np.ndarray
    joints: tuple[str, ...]
    current: np.ndarray  # 0 where nothing is known of currents
    voltage: np.ndarray  # V, at the instant time[i]
    heat: np.ndarray  # of the winding
    brushes: np.ndarray
    mechanical: np.ndarray  # torque times rate, negative while it brakes
    drawn: np.ndarray  # from the battery
    peak: np.ndarray  # largest power drawn in a step since the row before

    @property
    def total(self) -> np.ndarray:
        """Power that all motors draw from the battery."""
        return self.drawn.sum(axis=1)


def power(run: Run, regeneration: bool = False) -> Power:
    """The power that the motors draw; of a motor without electrical data, its mechanical power."""
    motion.check_rows(run)
    motors = motors_of(run.robot)
    driven = list(motors)
    per_ampere, resistance, contact = (
        np.array([getattr(motor, name) for motor in motors.values()]) for name in ("per_ampere", "resistance", "contact_voltage")
    )

    def current_of(torque: np.ndarray) -> np.ndarray:
        return np.divide(torque, per_ampere, out=np.zeros_like(torque), where=per_ampere > 0.0)

    now = current_of(run.tau[:, driven])
    voltage = resistance * now + contact * np.sign(now) + per_ampere * run.v[:, driven]
    drawn, heat, brushes, positive, negative = np.moveaxis(_rates(run), 2, 0)
    mechanical = positive + negative
    whole = heat + brushes + mechanical if regeneration else drawn
    names = tuple(run.robot.velocities[d] for d in driven)
    current = current_of(run.tau_mean[:, driven])
    return Power(run.time, names, current, voltage, heat, brushes, mechanical, whole, run.power_peak)


def _rates(run: Run) -> np.ndarray:
    """(rows, motors, energies) mean powers since the row before."""
    if len(run.time) < 2:
        return np.zeros_like(run.motor_energy)
    rates = np.diff(run.motor_energy, axis=0) / np.diff(run.time)[:, None, None]
    return np.concatenate((rates[:1], rates))


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

    Energies are those that the run summed in every step, so that they do not depend on how often it was recorded.
    """
    first = int(np.searchsorted(run.time, start))
    rows = slice(first, None)
    time = run.time[rows]
    distance, weight = float(np.linalg.norm(motion.travel(run, start))), run.robot.mass * run.study.gravity
    duration = float(time[-1] - time[0]) if len(time) else 0.0

    def lost(accounts: list[int]) -> float:
        done = run.ledger[[first, -1]][:, accounts].sum(axis=1)
        return float(done[0] - done[-1])

    spent = run.motor_energy[[first, -1]].sum(axis=1)
    drawn, heat, brushes, *work = (float(each) for each in spent[1] - spent[0])
    if regeneration:
        drawn = heat + brushes + sum(work)
    idle = (run.robot.overhead if overhead is None else overhead) * duration
    per = weight * distance if weight * distance > 0.0 else np.nan
    return CostOfTransport(
        motors=drawn / per,
        total=(drawn + idle) / per,
        electrical=all(motor.torque_constant > 0.0 for motor in motors_of(run.robot).values()),
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
        return (power(run, regeneration).total + idle) / (motion.weight(run) * np.linalg.norm(level, axis=1))


def _damped(run: Run, rows: slice) -> float:
    """Energy that dampers of joints and tendons took: the work of springs, tendons and dampers, less what is stored."""
    if not any(part.damping > 0.0 for part in (*run.robot.joints, *run.robot.tendons)):
        return 0.0
    left = (run.ledger[:, SPRUNG] + spring_energy(run))[rows]
    return float(left[0] - left[-1])
