"""Controllers: kernels, functions of the user and plain Python, which are one to the loop."""

import dataclasses
import os
import subprocess
import sys
from typing import Any

import numba
import numpy as np
import pytest

import footfall as ff
from footfall.control import Compiled, Controller
from footfall.control.controller import ControlError
from footfall.core.jit import cache_folder, kernel
from footfall.core.recursion.rnea import rnea
from footfall.world import Load, World

G = 9.81


def arm(links=1):
    """A chain of driven hinges that hangs from the world."""
    names = ["world", *(f"link{i}" for i in range(links))]
    parts = [ff.Link(name, 1.0, (0, -0.5), 0.02) for name in names[1:]]
    joints = [
        ff.Joint(f"hinge{i}", "revolute", names[i], names[i + 1], at=(0, -1.0 * (i > 0)), motor=ff.Motor()) for i in range(links)
    ]
    return ff.Robot("arm", "planar", tuple(parts), tuple(joints))


def legs(space):
    robot = ff.robots.load("wendlandt" if space == "planar" else "wendlandt-3d")
    return robot, ff.kinematics.random_configuration(robot, 2, spread=0.2)


# --- one law, three ways to write it --------------------------------------------------------------------------------------


def damp(felt, own, body, tau):
    """A spring and damper that give way with every foot that touches; it counts its ticks."""
    own.memory[0] += 1.0
    press = 0.0
    for k in range(len(felt.mode)):
        if felt.mode[k] != 0:
            press += felt.force[k, felt.force.shape[1] - 1]
    gain = own.numbers[0] / (1.0 + 0.001 * press)
    for d in range(len(tau)):
        tau[d] = -gain * (1.0 + 0.001 * own.memory[0]) * felt.v[d] + 0.3 * felt.time
    return 0


damp_kernel, damp_function = kernel(damp), numba.njit(damp)


@dataclasses.dataclass(frozen=True)
class Kernels(Controller):
    gain: float = 0.05

    @property
    def numbers(self):
        return (self.gain,)

    def memory(self, robot):
        return 1

    def law(self):
        return damp_kernel


@dataclasses.dataclass(frozen=True)
class InPython(Controller):
    gain: float = 0.05

    def memory(self, robot):
        return 1

    def torques(self, time, q, v, contacts, memory):
        memory[0] += 1.0
        press = 0.0
        for mode, force in zip(contacts.mode, contacts.force, strict=True):
            if mode:
                press += force[-1]
        gain = self.gain / (1.0 + 0.001 * press)
        return [-gain * (1.0 + 0.001 * memory[0]) * speed + 0.3 * time for speed in v]


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("rate", [1000.0, 100.0])
def test_kernel_function_and_python_give_the_same_bits(space, rate):
    robot, q = legs(space)
    ways = (Kernels(rate), Compiled(rate, damp_function, (0.05,), 1), InPython(rate))
    runs = [ff.simulate(robot, way, World(falls=False), q=tuple(q), seconds=0.3, lift=True) for way in ways]
    assert runs[0].mode.any()
    assert runs[0] == runs[1]
    assert runs[0] == runs[2]


# --- what a law may do ----------------------------------------------------------------------------------------------------


@kernel
def carry_weight(felt, own, body, tau):
    """Torques against gravity, by the recursion on the robot; the accelerations of the numbers are asked for besides."""
    for d in range(len(tau)):
        body.work.load[d] = 0.0
    rnea(body.tree, body.work, felt.q, felt.v, body.work.load, tau)
    return 0


@dataclasses.dataclass(frozen=True)
class CarryWeight(Controller):
    def law(self):
        return carry_weight


def test_a_law_may_run_recursions_on_the_robot():
    """Weight and Coriolis forces made good, the joints of an arm turn on at constant speed; in closed form."""
    robot = arm(3)
    q, v = np.array((0.4, -0.8, 1.1)), np.array((0.5, -0.3, 0.2))
    run = ff.simulate(robot, CarryWeight(), World(gravity=5.0), q=tuple(q), v=tuple(v), seconds=1.0)
    assert run.q == pytest.approx(q + run.time[:, None] * v, abs=1e-5)


def test_a_user_may_call_kernels_too():
    inverse = rnea["planar"]

    @numba.njit
    def carry(felt, own, body, tau):
        body.work.load[:] = 0.0
        inverse(body.tree, body.work, felt.q, felt.v, body.work.load, tau)
        return 0

    runs = [ff.simulate(arm(3), c, q=(0.4, -0.8, 1.1), seconds=0.5) for c in (CarryWeight(), Compiled(1000.0, carry))]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12


def test_a_controller_does_not_know_of_loads():
    """It carries the weight of the robot as declared, so what hangs on it falls: a'(0) = m g l sin / (I + m l^2), in closed form."""
    load, angle = 0.5, 0.7
    run = ff.simulate(
        arm(), CarryWeight(), World(loads=(Load("link0", load, at=(0.0, -0.5)),)), q=(angle,), seconds=0.01, every=0.001
    )
    inertia = 0.02 + 1.0 * 0.5**2 + load * 0.5**2
    assert run.v[-1, 0] == pytest.approx(-load * G * 0.5 * np.sin(angle) / inertia * run.time[-1], rel=1e-3)


def test_numbers_are_worked_out_at_the_start():
    @dataclasses.dataclass(frozen=True)
    class Start(Kernels):
        _made: Any = None

        def start(self, robot, q, gravity):
            return dataclasses.replace(self, _made=np.array([q[0] * gravity]))

        @property
        def numbers(self):
            return self._made

    run = ff.simulate(arm(), Start(), World(gravity=2.0), q=(1.5,), v=(1.0,), seconds=0.1)
    same = ff.simulate(arm(), Kernels(gain=3.0), World(gravity=2.0), q=(1.5,), v=(1.0,), seconds=0.1)
    assert run == same


WARM = """
import numba.core.event as event
import footfall as ff
from footfall.control import Hold

class Listener(event.Listener):
    def on_start(self, event):
        print("compiles", event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event): ...

event.register("numba:compile", Listener())
robot = ff.robots.load("wendlandt-3d")
print(ff.simulate(robot, Hold(), seconds=0.01, lift=True).reason)
"""


def test_a_warm_start_compiles_nothing():
    ff.simulate(ff.robots.load("wendlandt-3d"), ff.control.Hold(), seconds=0.01, lift=True)
    settings = {"FOOTFALL_CACHE_DIR": str(cache_folder().parent)}
    done = subprocess.run(
        [sys.executable, "-c", WARM], capture_output=True, text=True, env={**os.environ, **settings}, check=True
    )
    assert done.stdout.split("\n")[:-1] == ["reached the end"]


# --- what goes wrong ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Faulty(Controller):
    fault: str = ""

    def torques(self, time, q, v, contacts, memory):
        if time > 0.1:
            return {"raise": lambda: 1 / 0, "length": lambda: [1.0, 2.0], "nan": lambda: [np.nan]}[self.fault]()
        return [-20.0 * q[0] - 1.0 * v[0]]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("raise", "raised ZeroDivisionError"),
        ("length", "must return 1 joint forces .hinge0., got shape .2,."),
        ("nan", "nan for 'hinge0'"),
    ],
)
def test_faulty_controllers(fault, message):
    with pytest.raises(ControlError, match=rf"controller Faulty at 0\.101. s: .*{message}") as caught:
        ff.simulate(arm(), Faulty(fault=fault), q=(1.0,), seconds=1)
    assert len(caught.value.run.time) == 11


@kernel
def give_up(felt, own, body, tau):
    return 1 if felt.time > 0.1 else 0


class GivesUp(Controller):
    def law(self):
        return give_up


def test_a_law_may_stop_the_run():
    with pytest.raises(ControlError, match=r"controller GivesUp at 0\.101. s: returned a status other than 0"):
        ff.simulate(arm(), GivesUp(), q=(1.0,), seconds=1)


def short(felt, tau):
    return 0


def silent(felt, own, body, tau):
    tau[0] = 1.0


class Square(Kernels):
    numbers = ((1.0, 2.0), (3.0, 4.0))


BAD = [
    (lambda: Compiled(function=3), "Compiled: function must be a function, got 3"),
    (lambda: Compiled(function=short), r"'short' must take four arguments \(felt, own, body, tau\), got \(felt, tau\)"),
    (lambda: Compiled(function=silent), "'silent' cannot be compiled .it must return 0"),
    (lambda: Square(), r"Square: the numbers of its law must be a row, got shape \(2, 2\)"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_controllers(make, message):
    with pytest.raises(ControlError, match=message):
        ff.simulate(arm(), make(), seconds=0.1)
