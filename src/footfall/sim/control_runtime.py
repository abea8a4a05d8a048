"""Controllers of a run under way, as the compiled loop asks them: by a pointer to a law, or by a call back into Python."""

import builtins
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from re import search
from traceback import extract_tb
from types import FunctionType, ModuleType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numba.core.errors import NumbaError

from footfall.control import Controller
from footfall.control.controller import ControlError
from footfall.control.fields import Block, place_all, sizes_of
from footfall.control.params import params_of
from footfall.core.cache import closure_values, global_values, written_globals
from footfall.core.frame import kind_of, reader, words
from footfall.core.jit import SETTINGS, Kernel
from footfall.core.law import NOT_WHOLE, Answer, Command, Observation, ask
from footfall.core.scalar import scalar
from footfall.engines.engine import Rollout
from footfall.model.robot import Robot
from footfall.sim.chain import CALL, Call
from footfall.sim.settings import layers_of
from footfall.sim.unraisable import heard, listen
from footfall.world.pointer import Pointer, python_pointer

ARGUMENTS = ("obs", "params", "state", "goal", "command")


class Layer:
    """One controller of the run: what its law is given, and how the loop calls it."""

    def __init__(self, part: Controller, robot: Robot, contacts: int):
        self.part, self.robot, self.name = part, robot, type(part).__name__
        sizes = sizes_of(robot, contacts)
        self.state, self.goal = (Block(self.name, declared, sizes) for declared in (part.State, part.Goal))
        self.law = law_of(part)
        self.failure: BaseException | None = None
        self.params: Any = None
        self.seen: Any = None
        self.command: Any = None
        self.says: Any = None  # the same, as a law in Python writes it
        self.answer: Any = None
        self.function: Any = None

    def prepare(self, q: np.ndarray, gravity: float) -> None:
        """Parameters, and the goal that it has until a layer above says otherwise: parameters of the same name, or defaults."""
        self.params = params_of(self.part, self.robot, q, gravity)
        for name in self.goal.names():
            if name in self.params._fields:
                self._set_goal(name, getattr(self.params, name))

    def take(self, part: Controller, robot: Robot, params: Any) -> None:
        """Go on with other parameters. Its state stays; a goal follows the parameter of its name, if that has changed."""
        before, self.params, self.part, self.robot = self.params, params, part, robot
        for name in self.goal.names():
            if name in params._fields and not np.array_equal(getattr(params, name), getattr(before, name, np.nan)):
                self._set_goal(name, getattr(params, name))

    def _set_goal(self, name: str, value: Any) -> None:
        shape = self.goal.shapes[name]
        if np.shape(value) != shape:
            raise ControlError(f"{self.name}: its goal {name} must have shape {shape}, got {np.shape(value)}")
        self.goal[name] = value

    @property
    def given(self) -> tuple:
        return self.seen, self.params, self.state.value, self.goal.value, self.command, self.answer

    def pointer(self) -> tuple[Pointer, int, Any]:
        """What to call, with which number besides the time, and what must live as long."""
        given, space = self.given, self.robot.space
        if isinstance(self.law, Kernel) and not SETTINGS.DISABLE_JIT:
            try:
                address = self.law.law_address(space, ask, reader(kind_of(given)), CALL)  # type: ignore[arg-type]
            except NumbaError as error:
                raise self._not_compiled(error) from error
            listen()
            written = words(given)
            return Pointer(address, CALL, self.law), written.ctypes.data, (written, given)
        self.function = plain_law(self.law, space)
        _layers[id(self)] = self
        listen()
        return _python(), id(self), self

    def _title(self) -> str:
        return f"{self.name}: its law (it {NOT_WHOLE})"

    def _not_compiled(self, error: NumbaError) -> ControlError:
        """What the compiler refused, in plain words where they are known."""
        if found := search(f"{NOT_WHOLE}, got .*", str(error)):
            return ControlError(f"{self.name}: its law {found[0]}")
        hint = ""
        if search(r"failed to unpack Reference|(getitem|iter|slice).*Reference", str(error)):
            hint = "a named tuple cannot be unpacked, sliced or gone through when compiled; read its fields by name: "
        return ControlError(f"{self._title()} cannot be compiled: {hint}{error}")

    def ask(self, time: float) -> int:
        """One tick in Python; what goes wrong is kept and stops the loop. What the law is given to read is its own."""
        try:
            obs = Observation(time, *[array.copy() for array in self.seen[1:]])
            status = self.function(obs, self.params, self.state.plain, self.goal.plain, self.says)
            if not isinstance(status, int | np.integer | np.bool_):
                raise ControlError(f"{NOT_WHOLE}, got {status!r:.60}")
        except BaseException as failure:  # noqa: BLE001 - nothing may pass through compiled code; raised again in `advance`
            self.failure = failure
            return 1
        finite = isfinite(np.add.reduce(self.answer.first)) and isfinite(np.add.reduce(self.answer.second))
        return int(status != 0 or (not finite and self.wrong() is not None))

    def wrong(self) -> str | None:
        """What in its answer is not finite, if anything."""
        for name in getattr(self.command, "_fields", None) or self.command.dtype.names:
            values = np.asarray(getattr(self.command, name))
            if not np.isfinite(values).all():
                where = ""
                if values.ndim:
                    at = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
                    names = self.robot.velocities if isinstance(self.command, Command) else ()
                    where = f" of {names[at[0]]!r}" if names else f"[{', '.join(map(str, at))}]"
                    return f"{name}{where} is {values[at]}"
                return f"{name} is {values}"
        return None

    def complaint(self) -> str:
        """Why it stopped the run."""
        if isinstance(self.failure, ControlError):
            return str(self.failure)
        if self.failure:
            return f"raised {type(self.failure).__name__}: {self.failure}"
        wrong = self.wrong()
        needs = f"; it needs {self.part.needs}" if self.part.needs else ""
        return f"its answer is not finite: {wrong}{needs}" if wrong else "returned a status other than 0"

    # --- a first try ------------------------------------------------------------------------------------------------------

    def try_once(self, below: "Layer | None") -> None:
        """A law that another package wrote, or that leads another layer, is first tried on copies, in Python.

        Compiled code checks neither names nor sizes.
        """
        if not isinstance(self.law, Kernel) or (below is None and self.law.text.__module__.startswith("footfall.")):
            return
        space, state, goal = self.robot.space, self.state, self.goal
        seen = Observation(0.0, *(_sealed(array.copy()) for array in self.seen[1:]))
        command = (
            below.goal.view(below.goal.memory.copy()) if below else type(self.command)(*(array.copy() for array in self.command))
        )
        copies = [block.view(block.memory.copy()) for block in (state, goal)]
        try:
            with np.errstate(all="ignore"):
                status = self.law.plain(space)(seen, _copied(self.params), *copies, command)
        except NumbaError as error:  # of a function that the law calls
            raise self._not_compiled(error) from error
        except (AttributeError, IndexError, NameError, TypeError, ValueError) as error:
            led = f" ({below.name} below it follows {', '.join(below.goal.names())})" if below else ""
            raise ControlError(f"{self._title()} cannot be asked{led}: {_said(error, self.law.text)}") from error
        except ArithmeticError:  # compiled code goes on with infinity
            return
        if status is not None and not isinstance(status, int | np.integer | np.bool_):
            raise ControlError(f"{self.name}: its law {NOT_WHOLE}, got {status!r:.60}")
        if status is None:
            raise ControlError(f"{self.name}: its law {NOT_WHOLE}; it returns nothing")


class ControlRuntime:
    """All layers of a controller, the outermost first; their states and goals stand one after the other in `memory`."""

    def __init__(self, controller: Controller | None, robot: Robot, rollout: Rollout, gravity: float, dt: float):
        seen, said = Observation(*map(_sealed, rollout.observe())), rollout.command()
        self.layers = [Layer(part, robot, len(seen.mode)) for part in layers_of(controller)]
        self.memory = place_all(block for layer in self.layers for block in (layer.state, layer.goal))
        self.calls: list[Call] = []
        self._q, self._dt = rollout.q, dt
        for layer, below in self._pairs():
            layer.seen = seen
            if below is None and layer.part.leads:
                raise ControlError(f"{layer.name} commands no motors, it leads {layer.part.leads}: put both into a Layered")
            if below is None:
                (layer.command, layer.answer), layer.says = said, said[0]
                continue
            if not below.goal.fields:
                raise ControlError(
                    f"Layered: {below.name} has no goal that {layer.name} above it could set; let its class `Goal` declare it"
                )
            layer.command, layer.answer = below.goal.value, Answer(below.goal.floats, np.zeros(0))
            layer.says = below.goal.plain
        self._start(gravity)

    def _pairs(self) -> Iterator[tuple[Layer, Layer | None]]:
        """Every layer with the one below it."""
        return zip_longest(self.layers, self.layers[1:])

    def _start(self, gravity: float) -> None:
        """Make all layers ready for a robot that starts at q."""
        ticks = [_tick(layer.part, self._dt) for layer in self.layers]
        for layer in self.layers:
            layer.prepare(self._q, gravity)
        self._make_calls(ticks)

    def change(self, controller: Controller | None, robot: Robot, gravity: float) -> None:
        """Go on with other parameters: what `prepare` gives is worked out again, states stay. What is refused changes nothing."""
        parts = layers_of(controller)
        ticks = [_tick(part, self._dt) for part in parts]
        params = [params_of(part, robot, self._q, gravity) for part in parts]
        memory, before = self.memory.copy(), [(layer.part, layer.robot, layer.params) for layer in self.layers]
        try:
            for layer, part, given in zip(self.layers, parts, params, strict=True):
                layer.take(part, robot, given)
            self._make_calls(ticks)
        except BaseException:  # Ctrl-C too
            for layer, had in zip(self.layers, before, strict=True):
                layer.take(*had)
            self.memory[:] = memory
            raise

    def set_goal(self, layer: int, name: str, value: Any) -> None:
        """What a layer follows from its next tick on, until a layer above says otherwise."""
        self.layers[layer].goal[name] = value

    def _make_calls(self, ticks: list[int]) -> None:
        for layer, below in self._pairs():
            layer.try_once(below)
        self.calls = [Call(tick, *layer.pointer()) for tick, layer in zip(ticks, self.layers, strict=True)]

    @property
    def failure(self) -> BaseException | None:
        return next((layer.failure for layer in self.layers if layer.failure), None)

    def hear(self, asked: int) -> None:
        """Take over what the layer that was asked last could not raise."""
        layer = self.layers[asked]
        layer.failure = layer.failure or heard()

    def complaint(self, asked: int, time: float) -> ControlError:
        """Why the layer that was asked last stopped the run."""
        layer = self.layers[asked]
        return ControlError(f"controller {layer.name} at {time:.4f} s: {layer.complaint()}")


# --- laws -----------------------------------------------------------------------------------------------------------------------

_layers: Any = WeakValueDictionary()  # those in Python, by their number


def law_of(part: Controller) -> Any:
    """The law of a controller: a kernel, or a function for Python."""
    law = inspect.getattr_static(type(part), "law")
    law = part.law if isinstance(law, property) else getattr(law, "__func__", law)
    text = law.text if isinstance(law, Kernel) else law
    if not isinstance(text, FunctionType):
        raise ControlError(f"{type(part).__name__} has no law: a function ({', '.join(ARGUMENTS)}), with @kernel to be compiled")
    taken = tuple(inspect.signature(text).parameters)
    if len(taken) != len(ARGUMENTS):
        raise ControlError(f"{type(part).__name__}: its law must take ({', '.join(ARGUMENTS)}), got ({', '.join(taken)})")
    return law


def plain_law(law: Any, space: str) -> Any:
    """A law as ordinary Python, with all kernels that it calls, and with the functions of numbers that the compiler has."""
    if isinstance(law, Kernel):
        return law.numeric(space)
    reached = (*global_values(law).values(), *closure_values(law).values())
    if not any(isinstance(each, Kernel) or scalar(each) is not each for each in reached):
        return law
    return _with_globals_of(law, Kernel(law).numeric(space))


def _with_globals_of(law: FunctionType, reading: FunctionType) -> Any:
    """A reading has globals of its own. Those of the law may change while it runs, by others or by itself: they do here too."""
    of_law, own = law.__globals__, reading.__globals__
    written = written_globals(law.__code__)
    read = tuple(
        name
        for name in {*global_values(law), *written}
        if not isinstance(of_law.get(name), ModuleType) and own.get(name) is of_law.get(name) and not hasattr(builtins, name)
    )

    def live(*given: Any) -> Any:
        for name in read:
            if name in of_law:
                own[name] = of_law[name]
        status = reading(*given)
        for name in written:
            if name in own:
                of_law[name] = own[name]
        return status

    return live if read else reading


def _said(error: Exception, law: Any) -> str:
    """An error of a law: its words, the names that there are if one is unknown, and its place."""
    owner = getattr(error, "obj", None)
    known = getattr(owner, "_fields", None) or getattr(getattr(owner, "dtype", None), "names", None)
    lines = [place.lineno for place in extract_tb(error.__traceback__) if place.filename == law.__code__.co_filename]
    where = f" (line {lines[-1]} of {Path(law.__code__.co_filename).name})" if lines else ""
    it_has = f"; it has {', '.join(known)}" if known else ""
    return f"{error}{it_has}{where}"


def _sealed(value: Any) -> Any:
    """An array that a compiled law can read but not write to, which the compiler sees to."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _copied(value: Any) -> Any:
    if isinstance(value, tuple):
        parts = [_copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.copy() if isinstance(value, np.ndarray) else value


def _ask_layer(time: float, number: int) -> int:
    return _layers[number].ask(time) + 1


@cache
def _python() -> Pointer:
    """One call back into Python for all layers of all runs."""
    return python_pointer(_ask_layer, CALL)


def _tick(part: Controller, step: float) -> int:
    """Steps from one question to the next: a whole number, or the rate is refused."""
    steps = 1.0 / (part.rate * step)
    tick = max(1, round(steps))
    if abs(steps - tick) > 1e-6 * tick:
        low = max(1, int(steps))
        near = [f"{1.0 / (n * step):.10g}" for n in (low + 1, low)] if steps > 1.0 else [f"{1.0 / step:.10g} (every step)"]
        raise ControlError(
            f"{type(part).__name__}: a rate of {part.rate:g} 1/s asks every {steps:.6g} steps of {step:g} s; that must be "
            f"a whole number, and the nearest rates are {' and '.join(near)}"
        )
    return tick
