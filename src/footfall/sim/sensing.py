"""The sensors of a run under way: the compiled loop calls them by a pointer, before it asks any controller."""

from typing import Any

import numpy as np

from footfall.core.frame import kind_of, reader, words
from footfall.core.jit import SETTINGS
from footfall.core.law import Answer, Observation
from footfall.core.sensors.channels import Channels
from footfall.core.sensors.sense import Kept, ask_all_sensors, ask_sensors, sense, sense_with_accelerometers
from footfall.engines.engine import Rollout
from footfall.engines.series import LARGEST, in_order, room
from footfall.errors import SimulationError
from footfall.evaluate import Evaluation
from footfall.sensors.bank import build_bank, columns, seen_by, wire
from footfall.sim.chain import CALL, Call
from footfall.sim.study import Study
from footfall.world.pointer import Pointer, python_pointer


def recorded_columns(study: Study) -> tuple[str, ...]:
    """The columns that a study records of what its controllers see."""
    return columns(wire(study.sensors, study.robot, study.start()[0])) if "sensors" in study.record else ()


ERRORS = ("b", "a", "bias", "noise", "walk", "resolution", "range")  # of channels: what can be set while they measure
FIXED = ("tick", "late", "rate", "of", "axis", "error", "key", "salt", "ring")  # and what cannot


def _same(first: Any, second: Any, name: str) -> bool:
    ours, theirs = getattr(first, name), getattr(second, name)
    return ours.shape == theirs.shape and (name == "ring" or np.array_equal(ours, theirs))


def _alike(first: Any, second: Any) -> bool:
    """Whether two rows of sensors measure the same; what they remember is not looked at."""
    remembered = ("wrench", "last", "specific_force")
    return all(_same(first, second, name) for name in first._fields if name not in remembered)


class Sensing:
    """The sensors between the true state of a rollout and the observation of its controllers."""

    def __init__(self, study: Study, rollout: Rollout):
        self.robot, self.rollout, self.sensors = study.robot, rollout, study.sensors
        self.recorded = "sensors" in study.record
        wiring = wire(study.sensors, self.robot, rollout.q)
        self.columns, self.seen, self.contacts = columns(wiring), seen_by(wiring), wiring.contacts
        self.bank = build_bank(wiring, rollout.pads, study.dt, study.seed)
        self.kept = Kept(np.zeros((0, len(self.columns))), np.array([max(1, round(study.record_dt / study.dt))]))
        ev = Evaluation(self.robot)
        moving = bool(wiring.accelerometers)
        self.body: tuple = (ev.tree, ev.work) if moving else ()
        self.kernel, self.caller = (sense_with_accelerometers, ask_all_sensors) if moving else (sense, ask_sensors)
        self.given: tuple = ()
        self._bounded = False
        self.words = np.zeros(0, np.int64)
        self.refresh()

    def refresh(self) -> None:
        """Write down anew where everything stands: arrays of the rollout or of the record may have been replaced."""
        given = self.bank, self.rollout.truth(), self.seen, self.kept, *self.body
        self._alive = self.given, given  # Ctrl-C may come in between
        written = words(given)
        if not len(self.words):
            self.words = np.zeros_like(written)
        self.words[:] = written
        self.given = given

    def change(self, study: Study) -> None:
        """Go on with sensors of other errors, resolution, range or bandwidth; what they remember stays."""
        if study.sensors == self.sensors:
            return
        wiring = wire(study.sensors, self.robot, self.rollout.q)
        now, new = self.bank, build_bank(wiring, self.rollout.pads, study.dt, study.seed)
        fixed = [name for name in Channels._fields if name in FIXED and not _same(now.channels, new.channels, name)]
        fixed += [
            name for name in ("coordinates", "soles", "accelerometers") if not _alike(getattr(now, name), getattr(new, name))
        ]
        if fixed or columns(wiring) != self.columns or wiring.contacts != self.contacts:
            raise SimulationError(
                "rate, delay and seed of a sensor, and what it measures and where, cannot be set while a run is under way: its "
                "samples wait in a row of fixed length; its errors, resolution, range and bandwidth can be set"
            )
        for name in ERRORS:
            getattr(now.channels, name)[...] = getattr(new.channels, name)
        for channel, value in wiring.constants.items():
            now.channels.input[channel] = value
        self.sensors = study.sensors

    def reseed(self, seed: int) -> None:
        """Draw the noise from another seed, before the first instant."""
        self.bank.channels.key[:, 0] = seed

    # --- what controllers know of a rollout -------------------------------------------------------------------------------

    @property
    def q(self) -> np.ndarray:
        return self.rollout.q

    @property
    def pads(self) -> tuple[str, ...]:
        return self.rollout.pads

    def command(self) -> tuple[Any, Answer]:
        return self.rollout.command()

    def observe(self) -> Observation:
        """The arrays that controllers see."""
        truth = self.rollout.observe()
        if not self.contacts:
            truth = truth._replace(force=np.zeros_like(truth.force), mode=np.zeros_like(truth.mode))
        return Observation(0.0, self.seen.q, self.seen.v, truth.force, truth.mode, self.seen.wrench, self.seen.acceleration)

    # --- what the loop does -----------------------------------------------------------------------------------------------

    def call(self) -> Call:
        """What the loop calls at every step, before it asks the layers of a controller."""
        return Call(1, self._pointer(), self.words.ctypes.data)

    def _pointer(self) -> Pointer:
        if SETTINGS.DISABLE_JIT:
            return python_pointer(self._plainly, CALL)
        address = self.kernel.law_address(self.robot.space, self.caller, reader(kind_of(self.given)), CALL)
        return Pointer(address, CALL, self.kernel)

    def _plainly(self, time: float, where: int) -> int:  # noqa: ARG002
        return int(self.kernel.plain(self.robot.space)(*self.given)) + 1

    # --- the record -------------------------------------------------------------------------------------------------------

    def keep_last(self, rows: int) -> None:
        """Record no more than the last rows."""
        self.reserve((rows - 1) * int(self.kept.every[0]))
        self._bounded = True

    def reserve(self, step: int) -> None:
        """Make room to record up to this step."""
        if self._bounded:
            return
        rows = step // int(self.kept.every[0]) + 1 if self.recorded else 0
        if 8 * rows * len(self.columns) > LARGEST:
            raise SimulationError(
                f"a record of {rows} rows of what is observed takes over {LARGEST / 2**30:g} GiB; record less often (`record_dt`)"
            )
        if rows > len(self.kept.rows):
            bigger = np.zeros((room(rows, len(self.kept.rows), 8 * len(self.columns)), len(self.columns)))
            bigger[: len(self.kept.rows)] = self.kept.rows
            self.kept = self.kept._replace(rows=bigger)
            self.refresh()

    def series(self, rows: int, last: int | None = None) -> dict[str, Any]:
        """The observations recorded by the time of so many rows, or the last ones, a column for each number."""
        if not self.recorded:
            return {}
        return {name: in_order(self.kept.rows[:, i], rows, last) for i, name in enumerate(self.columns)}
