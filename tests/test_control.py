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
from footfall.control import Compiled, Controller, Follow, Hold, Layered
from footfall.control.controller import ControlError
from footfall.core.jit import cache_folder, kernel
from footfall.core.recursion.rnea import rnea
from footfall.errors import SimulationError
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
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
        body.work.u[d] = 0.0
    rnea(body.tree, body.work, felt.q, felt.v, body.work.u, tau)
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
        body.work.u[:] = 0.0
        inverse(body.tree, body.work, felt.q, felt.v, body.work.u, tau)
        return 0

    runs = [ff.simulate(arm(3), c, q=(0.4, -0.8, 1.1), seconds=0.5) for c in (CarryWeight(), Compiled(1000.0, carry))]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12


def test_a_controller_does_not_know_of_loads():
    """It carries the weight of the robot as declared, so what hangs on it falls: a'(0) = m g l sin / (I + m l^2), in closed form."""
    load, angle = 0.5, 0.7
    run = ff.simulate(
        arm(), CarryWeight(), World(loads=(Load("link0", load, at=(0.0, -0.5)),)), q=(angle,), seconds=0.01, record_dt=0.001
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


# --- layers ---------------------------------------------------------------------------------------------------------------


def lead(felt, own, body, goal):
    """A goal that rises; it counts how often it is asked."""
    own.memory[0] += 1.0
    for i in range(len(goal)):
        goal[i] = 0.5 * felt.time
    return 0


def pull(felt, own, body, tau):
    """A spring toward the goal of each joint; it counts behind the goals."""
    n = len(tau)
    own.memory[n] += 1.0
    for d in range(n):
        tau[d] = 30.0 * (own.memory[d] - felt.q[d]) - 2.0 * felt.v[d]
    return 0


class Lead(Controller):
    def memory(self, robot):
        return 1

    def torques(self, time, q, v, contacts, memory):
        memory[0] += 1.0
        return [0.5 * time] * len(q)


class Pull(Controller):
    def first_goal(self, robot):
        return np.zeros(robot.nv)

    def memory(self, robot):
        return 1

    def torques(self, time, q, v, contacts, memory):
        n = len(q)
        memory[n] += 1.0
        return [30.0 * (memory[d] - q[d]) - 2.0 * v[d] for d in range(n)]


class LeadKernel(Lead):
    text = kernel(lead)

    def law(self):
        return self.text


class PullKernel(Pull):
    text = kernel(pull)

    def law(self):
        return self.text


class LeadFunction(Lead):
    def law(self):
        return lead


class PullFunction(Pull):
    def law(self):
        return pull


def test_layers_written_in_any_way_give_the_same_bits_at_their_rates():
    robot, runs = arm(2), []
    for outer in (Lead, LeadKernel, LeadFunction):
        for inner in (Pull, PullKernel, PullFunction):
            simulation = ff.Simulation(ff.Study(robot, controller=Layered((outer(100.0), inner(1000.0))), q=(0.3, 0.2)))
            simulation.advance(1.0)
            assert simulation.helm.memory[0][0] == 101  # at 0 s, 0.01 s, ... 1 s
            assert simulation.helm.memory[1][2] == 1001
            runs.append(simulation.run())
    assert all(run == runs[0] for run in runs)


def test_what_an_outer_layer_says_is_held_and_known_at_once():
    seen = []

    class Watch(Pull):
        def torques(self, time, q, v, contacts, memory):
            seen.append((time, memory[0]))
            return [0.0]

    ff.simulate(arm(), Layered((LeadKernel(100.0), Watch(1000.0))), seconds=0.2)
    times, goals = np.array(seen).T
    assert len(times) == 201
    assert np.array_equal(goals, 0.5 * (0.01 * np.floor(times * 100 + 1e-9)))


def test_three_layers_and_a_ready_one():
    """The slowest sets a number, the next makes goals of it, the last follows them: joints end where the springs balance."""

    class Top(Controller):
        def torques(self, time, q, v, contacts, memory):
            return [0.25]

    class Middle(Controller):
        def first_goal(self, robot):
            return np.zeros(1)

        def torques(self, time, q, v, contacts, memory):
            return [memory[0], 2 * memory[0]]

    layers = Layered((Top(10.0), Layered((Middle(100.0), Follow(1000.0, 100.0, 10.0)))))
    run = ff.simulate(arm(2), layers, World(gravity=0.0), seconds=10.0)
    assert run.q[-1] == pytest.approx([0.25, 0.5], abs=1e-6)


def test_follow_keeps_its_start_when_nobody_leads():
    run = ff.simulate(arm(2), Follow(1000.0, 100.0, 5.0), World(gravity=0.0), q=(0.3, -0.2), v=(0.0, 1.0), seconds=20)
    assert run.q[-1] == pytest.approx([0.3, -0.2], abs=1e-4)


def test_layers_are_kept_in_files(tmp_path):
    run = ff.simulate(arm(2), Layered((Follow(100.0), Follow(1000.0, 50.0))), seconds=0.05)
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again.study.controller == Layered((Follow(100.0), Follow(1000.0, 50.0)))
    assert again.replay() == run


# --- what goes wrong ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Faulty(Controller):
    fault: str = ""

    def torques(self, time, q, v, contacts, memory):
        if time > 0.1 or not self.fault:
            return {"": lambda: [1.0, 2.0], "raise": lambda: 1 / 0, "length": lambda: [1.0, 2.0], "nan": lambda: [np.nan]}[
                self.fault
            ]()
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


def test_what_a_controller_breaks_off_ends_with_its_last_instant():
    """Ctrl-C within a controller, or an error of its own: no row that was never simulated, and no going on."""
    for failure, kept in ((KeyboardInterrupt, None), (ValueError, ControlError)):

        class Breaks(Controller):
            def torques(self, time, *_, failure=failure):
                if time > 0.0995:
                    raise failure
                return np.zeros(1)

        simulation = Simulation(Study(arm(), controller=Breaks(), seconds=0.5, record_dt=0.01))
        if kept:
            with pytest.raises(kept) as caught:
                simulation.advance(0.5)
            run = caught.value.run
        else:
            simulation.advance(0.5)
            run = simulation.run()
            assert run.reason == "interrupted at 0.100 s"
        assert run.time[-1] == pytest.approx(0.09)
        assert len(run.time) == 10
        with pytest.raises(SimulationError, match="cannot go on"):
            simulation.advance(0.1)


def short(felt, tau):
    return 0


def silent(felt, own, body, tau):
    tau[0] = 1.0


class Square(Kernels):
    numbers = ((1.0, 2.0), (3.0, 4.0))


class LedHold(Hold):
    def first_goal(self, robot):
        return np.zeros(robot.nv)


BAD = [
    (lambda: Compiled(function=3), "Compiled: function must be a function, got 3"),
    (lambda: Compiled(function=short), r"'short' must take four arguments \(felt, own, body, tau\), got \(felt, tau\)"),
    (lambda: Compiled(function=silent), "'silent' cannot be compiled .it must return 0"),
    (lambda: Layered((Lead(100.0), Kernels(1000.0))), "Layered: Kernels has no goal that Lead above it could set"),
    (lambda: Layered((Follow(), 3)), "layers must be a row of controllers"),
    (lambda: Layered((Follow(),) * 5), "1 to 4 layers, got 5"),
    (lambda: Layered((Hold(100.0), LedHold(1000.0))), "only one layer may hold the motors' servos, got Hold and LedHold"),
    (lambda: Layered((Faulty(1000.0), Pull())), "controller Faulty at .* must return 1 numbers for Pull to follow, got shape"),
    (lambda: Kernels(300.0), "Kernels: a rate of 300 1/s asks every 3.33333 steps of 0.001 s.* 250 and 333.3333333"),
    (lambda: Kernels(1500.0), r"Kernels: a rate of 1500 1/s asks every 0.666667 steps.* 1000 .every step."),
    (lambda: Square(), r"Square: the numbers of its law must be a row, got shape \(2, 2\)"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_controllers(make, message):
    with pytest.raises(ControlError, match=message):
        ff.simulate(arm(), make(), seconds=0.2)
