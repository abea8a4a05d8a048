"""The clock of the lab: holds simulated time to a chosen multiple of the time on the wall.

A pause after every frame is set by a proportional-integral controller, after section 2.3 of M. Kelly, "Two walking robot
simulators" (2014). With e the time (s) by which a frame is late,

    pause = period - work - k_p e - k_i sum(e),

where `work` is what the frame took to compute. The sum learns by how much sleeps are longer than they were asked to be.
Where frames take longer to compute and to show than they may, there are fewer of them, and simulated time still keeps up.
"""

import math
import time
from collections import deque
from collections.abc import Callable

RATE = 60.0  # frames a second, about
LONGEST = 0.2  # s: between frames on a machine that is busy
KP, KI = 0.8, 0.1
USUAL = 2e-3  # s: no more of an error counts in the sum, so that it does not learn from a hiccup
LOST = 0.25  # s: a frame that is later than this is not caught up with
REMEMBERED = 1800  # frames whose errors are kept
LOGGED = 36000  # frames in the log
SHARE = 0.7  # of a frame that may be spent on computing
HEAD = "wall (s), simulated (s), speed, late (s)"


class Clock:
    """Says how far to simulate for the next frame, and waits until it is due."""

    def __init__(
        self, now: Callable[[], float] = time.perf_counter, sleep: Callable[[float], None] = time.sleep, rate: float = RATE
    ):
        self._now, self._sleep = now, sleep
        self._frame = 1.0 / rate  # s: between frames, if there is time for so many
        self._work = 0.0  # s that a frame takes to compute, about
        self.speed = 1.0  # simulated seconds in a second; infinite for as fast as possible
        self.errors: deque[float] = deque(maxlen=REMEMBERED)  # s: by which frames were late
        self.log: deque[tuple[float, ...]] = deque(maxlen=LOGGED)  # of every frame, as `HEAD` names it
        self.lost = 0.0  # s that could not be caught up with, since the motion began
        self.played = 0.0  # s on the wall that it was not paused
        self._late = 0.0  # s: what the controller has to make up for
        self.factor = 0.0  # simulated seconds in a second, as it is
        self._rate = 1.0  # simulated seconds in a second of computing
        self.begin(0.0)

    def begin(self, simulated: float) -> None:
        """Another motion begins."""
        self.lost = self.played = 0.0
        self.restart(simulated)

    def restart(self, simulated: float) -> None:
        """Keep time anew from this simulated time on: after a pause, or with another speed."""
        self._began = self._woke = self._measured = self._now()
        self._from = self._measured_from = simulated
        self._sum = self._late = 0.0
        self.errors.clear()

    @property
    def frame(self) -> float:
        """Time on the wall (s) between frames."""
        return min(max(self._frame, self._work / SHARE), LONGEST)

    def step(self, dt: float) -> float:
        """Simulated time (s) until the next frame: a whole number of steps of dt."""
        ahead = self.speed * self.frame if math.isfinite(self.speed) else self._rate * SHARE * self._frame
        return max(1, round(ahead / dt)) * dt

    def wait(self, simulated: float, step: float) -> None:
        """Pause until the frame of this simulated time, which a step led to, is due."""
        now = self._now()
        work = now - self._woke
        self._rate = 0.9 * self._rate + 0.1 * step / max(work, 1e-6)
        self._work = 0.9 * self._work + 0.1 * min(work, LONGEST)
        if math.isfinite(self.speed):
            self._sum += min(max(self._late, -USUAL), USUAL)
            pause = step / self.speed - work - KP * self._late - KI * self._sum
            if pause > 0.0:
                self._sleep(pause)
            self._note(self._now() - self._began - (simulated - self._from) / self.speed, simulated)
        else:
            self._sleep(max(1e-3, self._frame - work))
            self.log.append((self._now(), simulated, math.inf, 0.0))
        woke = self._now()
        self.played, self._woke = self.played + woke - self._woke, woke
        self._measure(simulated)

    def _note(self, late: float, simulated: float) -> None:
        """Keep the error of a frame; what is too much to be caught up with is lost."""
        self.errors.append(late)
        self.log.append((self._now(), simulated, self.speed, late))
        self._late = late
        if late > LOST:
            self.lost, self._began, self._sum, self._late = self.lost + late, self._began + late, 0.0, 0.0

    def _measure(self, simulated: float) -> None:
        """The real-time factor, about twice a second."""
        passed = self._woke - self._measured
        if passed > 0.5:
            self.factor = (simulated - self._measured_from) / passed
            self._measured, self._measured_from = self._woke, simulated

    @property
    def rms(self) -> float:
        """Root mean square of the errors that are kept (s)."""
        return math.sqrt(sum(e * e for e in self.errors) / len(self.errors)) if self.errors else 0.0
