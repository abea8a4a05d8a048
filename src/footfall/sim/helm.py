"""A controller as the compiled loop asks it: by a pointer to its law, or by a call back into Python."""

import inspect
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaError

from footfall.control import Controller, Layered
from footfall.control.controller import Contacts, ControlError
from footfall.core.contact.decide import MOST_LAYERS, Body, Control, Layer, Own, asked, put_frame
from footfall.core.jit import SETTINGS, Kernel
from footfall.core.memory import reader, room
from footfall.core.tree import work_arrays
from footfall.engines.engine import Rollout
from footfall.evaluate import Evaluation
from footfall.model.robot import Robot
from footfall.world.pointer import Pointer, compiled_pointer, python_pointer

ASK = types.int64(types.float64, types.int64)


class Helm:
    """The controller of a run under way."""

    def __init__(self, controller: Controller | None, robot: Robot, rollout: Rollout, gravity: float, step: float):
        self.robot, self.pads, self.step = robot, rollout.pads, step
        self.felt, (self.tau, self.servo) = rollout.observe(), rollout.apply()
        self.parts = list(controller.layers) if isinstance(controller, Layered) else [controller] if controller else []
        self.failure: BaseException | None = None
        self.body = _body(robot, gravity)
        goals = [np.array(part.first_goal(robot), dtype=float) for part in self.parts]
        self.told = [len(goal) for goal in goals]
        self.memory = [np.concatenate((goal, np.zeros(part.memory(robot)))) for part, goal in zip(self.parts, goals, strict=True)]
        self.outs = [self._out(i) for i in range(len(self.parts))]
        self.frames: list[Any] = []  # what laws are given must stay where it is
        self.control = self._control()
        servo = controller.servo(robot) if controller else None
        if servo:  # what the motors' own loops hold
            self.servo[:] = servo.stiffness, servo.goal, servo.damping

    def _control(self) -> Control:
        tick = [_tick(part, self.step) for part in self.parts]
        layers = [self._layer(i) for i in range(len(self.parts))]
        spare = [Layer(Pointer(1, ASK, None), 0)] * (MOST_LAYERS - len(layers))  # never called
        return Control(np.array(tick, np.int64), (*layers, *spare), np.zeros(1, np.int64))

    def _layer(self, i: int) -> Layer:
        """What to call, and with which number besides the time: layer i in Python, else where what its law is given stands."""
        part, law = self.parts[i], self.parts[i].law()
        if law is None:
            return Layer(python_pointer(self._ask, ASK), i)
        numbers = np.array(part.numbers, dtype=float)
        if numbers.ndim != 1:
            raise ControlError(f"{type(part).__name__}: the numbers of its law must be a row, got shape {numbers.shape}")
        given = self.felt, Own(numbers, self.memory[i], self.servo), self.body, self.outs[i]
        frame = room(typeof(given))
        self.frames.append((frame, given))
        if not SETTINGS.DISABLE_JIT:
            put_frame[self.robot.space](frame.ctypes.data, *given)
        return Layer(_pointer(law, part, self.robot.space, given), frame.ctypes.data)

    def _out(self, i: int) -> np.ndarray:
        """Where the answer of layer i goes: the joint forces, or what the next one follows."""
        if i == len(self.parts) - 1:
            return self.tau
        if not self.told[i + 1]:
            below, above = type(self.parts[i + 1]).__name__, type(self.parts[i]).__name__
            raise ControlError(
                f"Layered: {below} has no goal that {above} above it could set; let its `first_goal` say what it follows"
            )
        return self.memory[i + 1][: self.told[i + 1]]

    def _ask(self, time: float, i: int) -> int:
        """One tick of a controller in Python; what goes wrong is kept and stops the loop."""
        felt, out = self.felt, self.outs[i]
        try:
            contacts = Contacts(self.pads, felt.force, felt.mode)
            wanted = np.asarray(self.parts[i].torques(time, felt.q, felt.v, contacts, self.memory[i]), dtype=float)
            last, names = i == len(self.parts) - 1, self.robot.velocities
            if wanted.shape != out.shape:
                what = (
                    f"joint forces ({' '.join(names)})" if last else f"numbers for {type(self.parts[i + 1]).__name__} to follow"
                )
                raise ControlError(f"must return {len(out)} {what}, got shape {wanted.shape}")
            if not np.isfinite(wanted).all():
                wrong = int(np.argmin(np.isfinite(wanted)))
                raise ControlError(f"returned {wanted[wrong]} for {names[wrong] if last else f'entry {wrong}'!r}")
        except BaseException as failure:  # noqa: BLE001 - nothing may pass through compiled code; raised again in `advance`
            self.failure = failure
            return 1
        out[:] = wanted
        return 0

    def complaint(self, time: float) -> ControlError:
        """Which controller stopped the run, when and why."""
        failure, name = self.failure, type(self.parts[self.control.asked[0]]).__name__
        what = str(failure) if isinstance(failure, ControlError) else f"raised {type(failure).__name__}: {failure}"
        return ControlError(f"controller {name} at {time:.4f} s: {what if failure else 'returned a status other than 0'}")


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


def _body(robot: Robot, gravity: float) -> Body:
    """The robot as declared, and room with the gravity of the world in it."""
    work = work_arrays(robot.tree, Evaluation(robot).algebra)
    work.A_WB[0, robot.dim - 1] = work.a_bias[0, robot.dim - 1] = gravity
    return Body(robot.tree._replace(rigid=robot.tree.rigid.copy()), work)


def _pointer(law: Any, part: Controller, space: str, given: tuple) -> Pointer:
    """A law as a function of time and of where the rest stands."""

    def plainly(time: float, where: int) -> Any:  # noqa: ARG001
        felt, own, body, out = given
        return plain(felt._replace(time=time), own, body, out)

    caller = FunctionType(asked.__code__, {**asked.__globals__, "frame": reader(typeof(given))}, asked.__name__)
    if isinstance(law, Kernel):
        plain = law.plain(space)
        return Pointer(1 if SETTINGS.DISABLE_JIT else law.address_of(caller, space, ASK), ASK, plainly)
    plain = getattr(law, "py_func", law)
    name = f"{type(part).__name__}: its law {getattr(law, '__name__', law)!r}"
    taken = list(inspect.signature(plain).parameters)
    if len(taken) != len(given):
        raise ControlError(f"{name} must take four arguments (felt, own, body, tau), got ({', '.join(taken)})")
    if SETTINGS.DISABLE_JIT:
        return Pointer(1, ASK, plainly)
    compiled: Any = numba.njit
    for counted in (False, True):  # counting references takes longer than most laws, but one that makes arrays needs it
        caller.__globals__["law"] = compiled(forceinline=True, _nrt=counted)(plain)
        try:
            return compiled_pointer(caller, ASK, _nrt=counted)
        except NumbaError as error:
            failure = str(error)
    raise ControlError(f"{name} cannot be compiled (it must return 0, or another whole number): {failure}")
