"""The session of a lab: one thread that drives the motion, shows it, and carries out commands between two ticks.

Whoever wants something of the simulation, such as a page, puts a command into the queue (`do`). It is carried out when the
simulation is at rest, all of them in the order in which they came. So what is done by hand goes through `Simulation.set` and
`add`, with all their checks, and is part of the study: the run can be saved, and replays to the bit.
"""

import contextlib
import dataclasses
import functools
import math
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import FootfallError
from footfall.lab.clock import RATE, Clock
from footfall.lab.source import Live, Played, Source, is_ahead, lying, opened, prepared, taken_over
from footfall.sim.parameters import with_parameters
from footfall.sim.run import Run
from footfall.sim.settings import PARTS
from footfall.sim.simulate import Simulation, simulate
from footfall.sim.study import Study
from footfall.world import Push

SLOWEST, FASTEST = 0.02, 100.0  # simulated seconds in a second
IDLE = 0.05  # s: between looks at the queue while nothing moves
MOST_WAITING = 1000  # commands
SHORT = 1.0  # s: a study that takes less, such as a throw, is not a motion that goes on
AHEAD_OF_TIME = "a hybrid motion is computed ahead, nothing can be changed on its way; change a parameter, and it begins again"
SLOW = 0.3  # below this speed, forces of the instant are shown

Command = Callable[[], None]


class Frame(NamedTuple):
    """What is to be shown of an instant."""

    time: float
    passed: float  # s simulated since the frame before
    q: np.ndarray
    v: np.ndarray
    ghost: np.ndarray | None  # q of the other run


class Session:
    """A motion with a clock, a queue of commands, a bookmark and a ghost."""

    def __init__(self, study: Study | Run, name: str = "", rate: float = RATE):
        self.name = name or (study.study.name if isinstance(study, Run) else study.name) or "robot"
        self.clock = Clock(rate=rate)
        self.playing = False
        self.messages: deque[str] = deque(maxlen=50)  # the newest last
        self.on_frame: Callable[[Frame], None] = lambda _: None  # shows a frame
        self.on_change: Callable[[], None] = lambda: None  # another motion, or another robot
        self.on_message: Callable[[str, bool], None] = lambda _text, _bad: None
        self.on_obeyed: Command = lambda: None  # commands were carried out
        self.before_frame: Command = lambda: None  # what acts on the robot all the time, such as a hand
        self._queue: queue.Queue[Command] = queue.Queue(MOST_WAITING)
        self._latest: dict[str, Any] = {}  # values that wait to be set, by name; a newer one takes the place of an older one
        self._lock = threading.Lock()
        self._full = False
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._bookmark: tuple[Study | Run, float] | None = None
        self._ghost: Source | None = None
        self._ghost_study: Study | None = None
        self._shown = -math.inf
        self.source: Source
        self.start: Study  # with which a reset begins
        self._open(study)

    def _open(self, study: Study | Run) -> None:
        if isinstance(study, Run):
            self.start, self.source = study.study, Played(study)
        else:
            self.start = lying(prepared(study))
            self.source = opened(self.start)
        self.clock.begin(self.source.time)

    # --- the thread -------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Let the thread run."""
        self._thread = threading.Thread(target=self._loop, name="footfall lab", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the thread; what is in the queue is left undone."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(5.0)

    @property
    def alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _loop(self) -> None:
        while not self._stop.is_set():
            self.tick()
            if not self.playing:
                self._wake.wait(IDLE)
                self._wake.clear()

    def tick(self) -> None:
        """Carry out what waits, and go on by a frame."""
        try:
            self._obey()
            if self.playing:
                self._go_on()
            self.show()
        except FootfallError as error:
            self.fail(error)
        except Exception as error:  # noqa: BLE001 - a fault in a study or controller must not end the lab
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Say what went wrong, and stop where it is."""
        self.playing = False
        text = str(error) if isinstance(error, FootfallError) else f"{type(error).__name__}: {error}"
        self.say(text, bad=True)

    def say(self, text: str, bad: bool = False) -> None:
        self.messages.append(text)
        self.on_message(text, bad)

    def _obey(self) -> None:
        commands: list[Command] = []
        with contextlib.suppress(queue.Empty):
            while len(commands) < MOST_WAITING:
                commands.append(self._queue.get_nowait())
        with self._lock:
            waiting, self._latest = self._latest, {}
        commands += [functools.partial(self._set, name, value) for name, value in waiting.items()]
        for command in commands:
            try:
                command()
            except FootfallError as error:
                self.say(str(error), bad=True)
        if commands:
            self._shown = -math.inf  # what is to be seen may be another, also while time stands still
            self.on_obeyed()

    def _go_on(self) -> None:
        step, left = self.clock.step(self.source.dt), self.start.seconds - self.source.time
        ends = self.start.seconds < SHORT and 0.5 * self.source.dt < left <= step + 0.5 * self.source.dt
        step = left if ends else step
        self.before_frame()
        self.source.advance(step)
        self._advance_ghost()
        if self.source.over:
            self.playing = False
            self.say(f"{self.name}: {self.source.over}")
        elif ends:
            self.playing = False
            self.say(f"{self.name}: the study ends here; Play goes on, Reset begins again")
        else:
            self.clock.wait(self.source.time, step)

    def show(self) -> None:
        """Hand the present instant on, unless it was shown already."""
        time = self.source.time
        if time == self._shown:
            return
        passed = time - self._shown if math.isfinite(self._shown) else 0.0
        self._shown = time
        q, v = self.source.state()
        ghost = self._ghost.state()[0] if self._ghost else None
        self.on_frame(Frame(time, passed, q, v, ghost))

    # --- what others may ask for ------------------------------------------------------------------------------------------

    def do(self, command: Command) -> None:
        """Let a command be carried out between two ticks."""
        try:
            self._queue.put_nowait(command)
            self._full = False
        except queue.Full:
            if not self._full:  # said once, not a thousand times to every page
                self._full = True
                self.say("the lab has too much to do; commands were left out", bad=True)
        self._wake.set()

    def set(self, name: str, value: Any) -> None:
        """Let a parameter, a goal or a part of the world have another value from the next tick on."""
        with self._lock:
            self._latest[name] = value
        self._wake.set()

    @property
    def slow(self) -> bool:
        return self.clock.speed < SLOW

    # --- commands; they run in the thread -----------------------------------------------------------------------------------

    def play(self) -> None:
        if self.source.over:
            self.reset()
        self.playing = True
        self.clock.restart(self.source.time)

    def pause(self) -> None:
        self.playing = False

    def step(self) -> None:
        """One step of the simulation; a row of a run that is played back."""
        self.playing = False
        if not self.source.over:
            self.source.step()
            self._advance_ghost()

    def speed(self, speed: float) -> None:
        """Simulated seconds in a second; infinite is as fast as it can."""
        if (
            isinstance(speed, bool)
            or not isinstance(speed, int | float)
            or not (SLOWEST <= speed <= FASTEST or speed == math.inf)
        ):
            raise FootfallError(
                f"the speed must be from {SLOWEST:g} to {FASTEST:g} times real time, or infinite, got {speed!r:.40}"
            )
        self.clock.speed = float(speed)
        self.clock.restart(self.source.time)

    def push(
        self, on: str, force: tuple[float, ...], seconds: float, at: tuple[float, ...] | None = None, quiet: bool = False
    ) -> None:
        """A force (N) on a link for some seconds, from now on."""
        now = self.source.time
        self._simulation("push").add(Push(on, force, now, now + seconds, at))
        if not quiet:
            self.say(f"push on {on}: {' '.join(f'{each:.4g}' for each in force)} N for {seconds:.3g} s")

    def reset(self) -> None:
        """Back to the start, with the parameters as they are at present."""
        self._begin(self._at_present())

    def reset_to_default(self) -> None:
        """Back to the start, with the parameters of the study."""
        self._begin(self.start)

    def perturbed_reset(self, size: float, seed: int | None = None) -> None:
        """Back to the start, with velocities disturbed at random (rad/s or m/s)."""
        if not 0.0 <= size <= 10.0:
            raise FootfallError(f"a perturbation must be from 0 to 10, got {size!r:.40}")
        study, random = self._at_present(), np.random.default_rng(seed)
        _, v = study.start()
        disturbed = v + size * random.uniform(-1.0, 1.0, len(v))
        self._begin(dataclasses.replace(study, v=tuple(disturbed.tolist())))

    def bookmark(self) -> None:
        """Remember this instant."""
        self._bookmark = (self.source.study if self.source.live else self.source.run, self.source.time)  # type: ignore[attr-defined]
        self.say(f"bookmark at {self.source.time:.3f} s")

    def back(self) -> None:
        """Back to the bookmark: the same study is simulated up to there."""
        if self._bookmark is None:
            raise FootfallError("there is no bookmark yet")
        study, time = self._bookmark
        if isinstance(study, Run):
            self.source = Played(study)
            self.source.seek(time)
        else:
            live = Live(study, lift=False)
            live.until(time, lambda at: self._on_the_way("the bookmark", at, time))
            self.source = live
        self._renew()
        self.say(f"back at {time:.3f} s")

    def seek(self, time: float) -> None:
        """Go to an instant of a run that is played back."""
        if not isinstance(self.source, Played):
            raise FootfallError("a live simulation cannot be wound back; set a bookmark, or save the run and play it back")
        self.source.seek(time)
        self._advance_ghost()
        self.clock.restart(self.source.time)

    def take_over(self) -> None:
        """Go on live from the instant of a run that is played back."""
        if not isinstance(self.source, Played):
            raise FootfallError("this is live already")
        if is_ahead(self.source.study):
            raise FootfallError(f"{self.name}: {AHEAD_OF_TIME}")
        last = self.source.time
        self.source = taken_over(self.source.run, last, lambda at: self._on_the_way("the instant to take over at", at, last))
        self.start = dataclasses.replace(self.source.study, settings=())
        self.say(f"live from {self.source.time:.3f} s on")
        self._renew()

    def compare(self) -> None:
        """Begin again, with a ghost that does what was done until now."""
        if isinstance(self.source, Played) and not is_ahead(self.source.study):
            raise FootfallError("a run that is played back has no ghost; take it over first")
        self._ghost_study = self.source.study
        self._begin(self._at_present())
        self.say("the ghost has the parameters of before; change some and see")

    def no_ghost(self) -> None:
        self._ghost_study = self._ghost = None
        self._renew()

    def load(self, study: Study | Run, name: str) -> None:
        """Another study."""
        self.playing, self._bookmark, self._ghost, self._ghost_study = False, None, None, None
        self._open(study)
        self.name = name
        self._renew()

    # --- inside -------------------------------------------------------------------------------------------------------------

    def _simulation(self, what: str) -> Simulation:
        if isinstance(self.source, Live):
            return self.source.simulation
        if is_ahead(self.source.study):
            raise FootfallError(f"{what}: {AHEAD_OF_TIME}")
        raise FootfallError(f"{what}: this is a motion that was computed before; take it over to change it")

    def _on_the_way(self, to: str, at: float, time: float) -> None:
        """Say how far a motion that is simulated again has come."""
        if time - at > 1.0:
            self.say(f"to {to}: {at:.1f} of {time:.1f} s")

    def _set(self, name: str, value: Any) -> None:
        if isinstance(self.source, Live) and not self.source.over:
            self.source.simulation.set(name, value)
        else:  # what cannot change on the way changes at the start
            self._begin(with_part(self._at_present(), name, value))

    def restart_with(self, name: str, value: Any) -> None:
        """Begin again with another value of something that stays as it is for a whole run."""
        self._begin(with_part(self._at_present(), name, value))

    def _at_present(self) -> Study:
        """The study from its start on, with parameters as they are now, and without what was done by hand."""
        now: Study = self.source.now
        world = dataclasses.replace(now.world, pushes=self.start.world.pushes, loads=self.start.world.loads)
        return dataclasses.replace(
            now, world=world, q=self.start.q, v=self.start.v, settings=self.start.settings, seconds=self.start.seconds
        )

    def _begin(self, study: Study) -> None:
        self.source = opened(study)
        self._renew()

    def _renew(self) -> None:
        """After a change of the motion."""
        if self._ghost_study is not None:
            self._ghost = opened(self._ghost_study, lift=False, keep=SHORT)
            self._ghost.until(self.source.time)
        else:
            self._ghost = None
        self._shown = -math.inf
        self.clock.begin(self.source.time)
        self.on_change()

    def _advance_ghost(self) -> None:
        if self._ghost is not None:
            try:
                self._ghost.until(self.source.time)
            except FootfallError as error:
                self.say(f"the ghost: {error}")

    # --- keeping --------------------------------------------------------------------------------------------------------------

    def recorded(self) -> Run:
        """The whole run so far: its study is simulated again, and must come to the same rows to the bit."""
        if isinstance(self.source, Played):
            return self.source.run
        last = self.source.window(10.0)
        return whole(last)


def whole(last: Run) -> Run:
    """The run that ends with these rows."""
    run = simulate(last.study)
    rows = len(last.time)
    for name, array in (last.series | last.more).items():
        found = (run.series | run.more)[name][-rows:]
        if found.tobytes() != array.tobytes():
            raise FootfallError(f"the run does not replay: {name} is different")
    return run


def with_part(study: Study, name: str, value: Any) -> Study:
    """A study with another value of a parameter, or another part of its world."""
    if name in PARTS:
        return dataclasses.replace(study, world=dataclasses.replace(study.world, **{name.split(".")[1]: value}))
    return with_parameters(study, {name: value})
