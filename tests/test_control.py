"""Controllers: kernels, functions of the user and plain Python, which are one to the loop."""

import dataclasses
import os
import subprocess
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import event

import footfall as ff
from footfall.control import Compiled, Controller, Follow, Hold, Layered
from footfall.control.controller import ControlError
from footfall.control.fields import Block, array, place_all, states
from footfall.control.model import model_of
from footfall.core.cache import cache_folder
from footfall.core.jit import kernel
from footfall.core.recursion.rnea import rnea
from footfall.errors import SimulationError
from footfall.model.quantity import quantity
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


def damp(obs, params, state, goal, command):
    """A spring and damper that give way with every foot that touches; it counts its ticks."""
    state.ticks += 1
    press = 0.0
    for k in range(len(obs.mode)):
        if obs.mode[k] != 0:
            press += obs.force[k, obs.force.shape[1] - 1]
    gain = params.gain / (1.0 + 0.001 * press)
    for d in range(len(command.tau)):
        command.tau[d] = -gain * (1.0 + 0.001 * state.ticks) * obs.v[d] + 0.3 * obs.time
    return 0


@dataclasses.dataclass(frozen=True)
class InPython(Controller):
    gain: float = quantity("N m s/rad", "of the damper", 0.05)

    class State:
        ticks: int = 0

    law = damp


class AsKernel(InPython):
    law = kernel(damp)


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("rate", [1000.0, 100.0])
def test_kernel_function_and_python_give_the_same_bits(space, rate):
    robot, q = legs(space)
    ways = (AsKernel(rate), Compiled(rate, numba.njit(damp), {"gain": 0.05}, {"ticks": 0}), InPython(rate))
    runs = [ff.simulate(robot, way, World(falls=False), q=tuple(q), seconds=0.3, lift=True) for way in ways]
    assert runs[0].mode.any()
    assert runs[0] == runs[1]
    assert runs[0] == runs[2]


# --- parameters, state and goal by name ------------------------------------------------------------------------------------


@kernel
def average(state, value):
    """A helper of a law, which is handed records and tuples like any other value."""
    state.window[0, 0], state.window[0, 1] = value, state.window[0, 0]
    return 0.5 * (state.window[0, 0] + state.window[0, 1])


def remember(obs, params, state, goal, command):
    state.phase = 1 if obs.time >= params.switch[1] else 0
    smooth = average(state, obs.q[0])
    state.total += smooth
    command.tau[0] = params.switch[0] * (goal.angle - smooth) - params.about.damping * obs.v[0]
    return 0


class About(NamedTuple):
    damping: float


@dataclasses.dataclass(frozen=True)
class Remembers(Controller):
    switch: tuple[float, ...] = quantity("", "stiffness and a time", (30.0, 0.2), shape=(2,))
    angle: float = quantity("rad", "where it shall go", 0.25)

    class State:
        window: Any = array(1, 2)
        phase: int = states("early", "late")
        total: float = 0.5

    class Goal:
        angle: float = 0.0

    def prepare(self, robot, q, gravity):
        return {"about": About(2.0 + 0.0 * gravity)}

    law = remember


class RemembersKernel(Remembers):
    law = kernel(remember)


def test_state_goal_and_parameters_have_names():
    found = []
    for way in (Remembers(), RemembersKernel()):
        simulation = Simulation(Study(arm(), World(gravity=0.0), way, q=(0.1,)))
        layer = simulation.runtime.layers[0]
        assert layer.goal["angle"] == 0.25  # begins with the parameter of the same name
        assert layer.state["total"] == 0.5
        simulation.advance(0.3)
        assert layer.state["phase"] == 1
        assert layer.params.about.damping == 2.0
        q = simulation.run().q[:, 0]
        found.append((simulation.run(), layer.state["total"], layer.state["window"].tolist()))
        assert layer.state["window"][0, 0] == pytest.approx(q[-1])
    assert found[0] == found[1]


def test_goals_that_depend_on_the_robot_are_arrays():
    simulation = Simulation(Study(arm(3), controller=Follow(), q=(0.3, 0.2, 0.1)))
    assert simulation.runtime.layers[0].goal["angle"].tolist() == [0.3, 0.2, 0.1]


class Mixed(InPython):
    class State:
        ticks: int = 0
        each: Any = array("nv")


class Unknown(InPython):
    class State:
        each: Any = array("wheels")


class Wordy(InPython):
    class State:
        mood: str = ""


class Prepares(InPython):
    def prepare(self, robot, q, gravity):
        return {"name": "arm"}


# --- what a law may do ----------------------------------------------------------------------------------------------------


def carry(obs, params, state, goal, command):
    """Torques against gravity, by the recursion on the robot."""
    tree, work = params.model.tree, params.model.work
    for d in range(len(command.tau)):
        work.u[d] = 0.0
    rnea(tree, work, obs.q, obs.v, work.u, command.tau)
    return 0


@dataclasses.dataclass(frozen=True)
class CarryWeight(Controller):
    def prepare(self, robot, q, gravity):
        return {"model": model_of(robot, gravity)}

    law = kernel(carry)


class CarryInPython(CarryWeight):
    law = carry


def test_a_law_may_run_recursions_on_the_robot():
    """Weight and Coriolis forces made good, the joints of an arm turn on at constant speed; in closed form."""
    robot = arm(3)
    q, v = np.array((0.4, -0.8, 1.1)), np.array((0.5, -0.3, 0.2))
    for controller in (CarryWeight(), CarryInPython(100.0)):
        run = ff.simulate(robot, controller, World(gravity=5.0), q=tuple(q), v=tuple(v), seconds=0.2)
        assert run.q == pytest.approx(q + run.time[:, None] * v, abs=1e-3 if controller.rate == 100.0 else 1e-5)


def test_a_law_may_call_functions_of_numba_also_such_that_make_arrays():
    @numba.njit
    def twice(v):
        made = np.zeros(len(v))
        for i in range(len(v)):
            made[i] = 2.0 * v[i]
        return made

    def law(obs, params, state, goal, command):
        command.tau[:] = -twice(obs.v)
        return 0

    def same(obs, params, state, goal, command):
        for d in range(len(command.tau)):
            command.tau[d] = -2.0 * obs.v[d]
        return 0

    runs = [ff.simulate(arm(2), Compiled(1000.0, f), q=(0.4, -0.8), seconds=0.2) for f in (law, same)]
    assert runs[0] == runs[1]


def test_a_controller_does_not_know_of_loads():
    """It carries the weight of the robot as declared, so what hangs on it falls: a'(0) = m g l sin / (I + m l^2), in closed form."""
    load, angle = 0.5, 0.7
    run = ff.simulate(
        arm(), CarryWeight(), World(loads=(Load("link0", load, at=(0.0, -0.5)),)), q=(angle,), seconds=0.01, record_dt=0.001
    )
    inertia = 0.02 + 1.0 * 0.5**2 + load * 0.5**2
    assert run.v[-1, 0] == pytest.approx(-load * G * 0.5 * np.sin(angle) / inertia * run.time[-1], rel=1e-3)


def test_parameters_are_worked_out_at_the_start():
    class Start(AsKernel):
        def prepare(self, robot, q, gravity):
            return {"gain": q[0] * gravity}

    run = ff.simulate(arm(), Start(), World(gravity=2.0), q=(1.5,), v=(1.0,), seconds=0.1)
    same = ff.simulate(arm(), AsKernel(gain=3.0), World(gravity=2.0), q=(1.5,), v=(1.0,), seconds=0.1)
    assert run == same


def test_a_controller_cannot_write_into_the_simulation():
    """It is given copies: what it does to them moves nothing but by its command."""

    class Meddles(Controller):
        def law(obs, params, state, goal, command):
            v = obs.v
            v *= -5.0
            obs.q[:] = 7.0
            obs.force[:] = 1e9
            command.tau[:] = v
            return 0

    class Honest(Controller):
        def law(obs, params, state, goal, command):
            command.tau[:] = -5.0 * obs.v
            return 0

    runs = [ff.simulate(arm(2), way, q=(0.4, -0.8), seconds=0.2) for way in (Meddles(), Honest())]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("as_kernel", [False, True])
def test_a_law_whose_variable_has_no_value_yet(as_kernel):
    """It may have one when it is asked. Compiled code cannot wait for it."""

    def law(obs, params, state, goal, command):
        command.tau[0] = strength - obs.v[0]
        return 0

    simulation = None
    if as_kernel:
        with pytest.raises(ControlError, match="Compiled.*cannot be asked.*strength"):
            ff.simulate(arm(), Compiled(function=law), seconds=0.01)
    else:
        plain = type("Plain", (Controller,), {"law": law})
        simulation = Simulation(Study(arm(), controller=plain(), seconds=0.01))
    strength = 2.0
    if simulation:
        simulation.advance(0.01)
        assert simulation.run().tau[0, 0] == 2.0


class Listener(event.Listener):
    def __init__(self):
        self.names = []

    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event): ...


def test_a_function_is_compiled_once():
    def made():
        def law(obs, params, state, goal, command):
            command.tau[0] = 0.123 - obs.v[0]
            return 0

        return law

    ff.simulate(arm(), Compiled(function=made()), seconds=0.01)
    listener = Listener()
    with event.install_listener("numba:compile", listener):
        for _ in range(3):
            ff.simulate(arm(), Compiled(function=made()), seconds=0.01)
    assert listener.names == []


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


def lead(obs, params, state, goal, command):
    """A goal that rises; it counts how often it is asked."""
    state.asked += 1
    for i in range(len(command.angle)):
        command.angle[i] = 0.5 * obs.time
    return 0


def pull(obs, params, state, goal, command):
    """A spring toward the goal of each joint."""
    state.asked[0] += 1.0
    for d in range(len(command.tau)):
        command.tau[d] = 30.0 * (goal.angle[d] - obs.q[d]) - 2.0 * obs.v[d]
    return 0


class Lead(Controller):
    class State:
        asked: int = 0

    law = lead


class Pull(Controller):
    class State:
        asked: Any = array("nv")

    class Goal:
        angle: Any = array("nv")

    law = pull


class LeadKernel(Lead):
    law = kernel(lead)


class PullKernel(Pull):
    law = kernel(pull)


def test_layers_written_in_any_way_give_the_same_bits_at_their_rates():
    robot, runs = arm(2), []
    for outer in (Lead, LeadKernel):
        for inner in (Pull, PullKernel):
            simulation = ff.Simulation(ff.Study(robot, controller=Layered((outer(100.0), inner(1000.0))), q=(0.3, 0.2)))
            simulation.advance(1.0)
            assert simulation.runtime.layers[0].state["asked"] == 101  # at 0 s, 0.01 s, ... 1 s
            assert simulation.runtime.layers[1].state["asked"][0] == 1001
            runs.append(simulation.run())
    assert all(run == runs[0] for run in runs)


def test_what_an_outer_layer_says_is_held_and_known_at_once():
    seen = []

    class Watch(Pull):
        def law(obs, params, state, goal, command):
            seen.append((obs.time, goal.angle[0]))
            return 0

    ff.simulate(arm(), Layered((LeadKernel(100.0), Watch(1000.0))), seconds=0.2)
    times, goals = np.array(seen).T
    assert len(times) == 201
    assert np.array_equal(goals, 0.5 * (0.01 * np.floor(times * 100 + 1e-9)))


def test_three_layers_and_a_ready_one():
    """The slowest sets a number, the next makes goals of it, the last follows them: joints end where the springs balance."""

    class Top(Controller):
        def law(obs, params, state, goal, command):
            command.first = 0.25
            return 0

    class Middle(Controller):
        class Goal:
            first: float = 0.0

        def law(obs, params, state, goal, command):
            command.angle[:] = goal.first, 2 * goal.first
            return 0

    layers = Layered((Top(10.0), Layered((Middle(100.0), Follow(1000.0, 100.0, 10.0)))))
    run = ff.simulate(arm(2), layers, World(gravity=0.0), seconds=10.0)
    assert run.q[-1] == pytest.approx([0.25, 0.5], abs=1e-6)


def add_half(obs, params, state, goal, command):
    command.angle[0] = goal.angle[0] + 0.5
    return 0


class Adds(Controller):
    class Goal:
        angle: Any = array("motors")

    law = add_half


class AddsCompiled(Adds):
    law = kernel(add_half)


@pytest.mark.parametrize("kinds", [(Adds,), (AddsCompiled,), (Adds, AddsCompiled, AddsCompiled)])
def test_any_number_of_layers(kinds):
    """Every layer adds to what the one above it says; the last one follows the sum, and all are asked at once."""
    count = 40
    layers = Layered((*(kinds[i % len(kinds)](1000.0) for i in range(count)), Follow(1000.0, 100.0, 10.0)))
    simulation = ff.Simulation(ff.Study(arm(), World(gravity=0.0), layers))
    simulation.advance(0.0)
    assert simulation.runtime.layers[-1].goal["angle"][0] == 0.5 * count


def test_layers_are_one_or_more():
    with pytest.raises(ControlError, match="one layer or more, got none"):
        Layered(())


def test_follow_keeps_its_start_when_nobody_leads():
    run = ff.simulate(arm(2), Follow(1000.0, 100.0, 5.0), World(gravity=0.0), q=(0.3, -0.2), v=(0.0, 1.0), seconds=20)
    assert run.q[-1] == pytest.approx([0.3, -0.2], abs=1e-4)


# --- what goes wrong ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Faulty(Controller):
    fault: int = 0

    def law(obs, params, state, goal, command):
        command.tau[0] = -20.0 * obs.q[0] - 1.0 * obs.v[0]
        if obs.time > 0.1:
            if params.fault == 1:
                command.tau[0] = obs.q[7]
            if params.fault == 2:
                command.tau[0] = np.nan
            if params.fault == 3:
                command.damping[0] = np.inf
            if params.fault == 4:
                return None
        return 0


@kernel
def faulty(obs, params, state, goal, command):
    command.tau[0] = -20.0 * obs.q[0] - 1.0 * obs.v[0]
    if obs.time > 0.1:
        if params.fault == 2:
            command.tau[0] = np.nan
        if params.fault == 3:
            command.damping[0] = np.inf
    return 0


class FaultyKernel(Faulty):
    law = faulty


@pytest.mark.parametrize(
    ("way", "fault", "message"),
    [
        (Faulty, 1, "raised IndexError"),
        (Faulty, 2, "its answer is not finite: tau of 'hinge0' is nan"),
        (Faulty, 3, "its answer is not finite: damping of 'hinge0' is inf"),
        (Faulty, 4, "must return 0, or another whole number"),
        (FaultyKernel, 2, "its answer is not finite: tau of 'hinge0' is nan"),
        (FaultyKernel, 3, "its answer is not finite: damping of 'hinge0' is inf"),
    ],
)
def test_faulty_controllers(way, fault, message):
    with pytest.raises(ControlError, match=rf"controller {way.__name__} at 0\.101. s: .*{message}") as caught:
        ff.simulate(arm(), way(fault=fault), q=(1.0,), seconds=1)
    assert len(caught.value.run.time) == 11


class GivesUp(Controller):
    @kernel
    def law(obs, params, state, goal, command):
        return 1 if obs.time > 0.1 else 0


def test_a_law_may_stop_the_run():
    with pytest.raises(ControlError, match=r"controller GivesUp at 0\.101. s: returned a status other than 0"):
        ff.simulate(arm(), GivesUp(), q=(1.0,), seconds=1)


def breaks(failure):
    class Breaks(Controller):
        def law(obs, params, state, goal, command):
            if obs.time > 0.0995:
                raise failure
            return 0

    return Breaks()


def test_what_a_controller_breaks_off_ends_with_its_last_instant():
    """Ctrl-C within a controller, or an error of its own: no row that was never simulated, and no going on."""
    for failure, kept in ((KeyboardInterrupt, None), (ValueError, ControlError)):
        simulation = Simulation(Study(arm(), controller=breaks(failure), seconds=0.5, record_dt=0.01))
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
        with pytest.raises(SimulationError, match="cannot go on: it was .*half done" if not kept else "cannot go on"):
            simulation.advance(0.1)


def test_ctrl_c_while_the_loop_runs_loses_no_event():
    """It is raised when the loop comes back, before what was noted there has got its names."""
    study = ff.studies.load("simbicon-walk")
    simulation = Simulation(study)
    simulation.advance(0.0)
    loop = simulation.rollout._loop

    def interrupted(*given):
        loop(*given)
        raise KeyboardInterrupt

    simulation.rollout._loop = interrupted
    simulation.advance(10.0)
    simulation.rollout._loop, run = loop, simulation.run()
    assert run.reason == f"interrupted at {run.study.seconds:.3f} s"
    again = run.replay()
    assert len(run.events) > len(ff.simulate(study, seconds=0.0).events)
    assert run.events == again.events
    assert np.array_equal(run.q, again.q)
    simulation.advance(0.1)
    assert simulation.run() == ff.simulate(study, seconds=run.study.seconds + 0.1)


def short(obs, tau):
    return 0


def misspelt(obs, params, state, goal, command):
    command.tua[0] = 1.0
    return 0


def silent(obs, params, state, goal, command):
    command.tau[0] = 1.0


def beyond(obs, params, state, goal, command):
    for i in range(7):
        command.tau[i] = 1.0
    return 0


class Beyond(Controller):
    @kernel
    def law(obs, params, state, goal, command):
        for i in range(9):
            command.angle[i] = 1.0
        return 0


class BeyondInPython(Controller):
    def law(obs, params, state, goal, command):
        for i in range(9):
            command.angle[i] = 1.0
        return 0


BAD = [
    (lambda: Compiled(function=3), "Compiled: function must be a function, got 3"),
    (lambda: Compiled(function=short), r"its law must take \(obs, params, state, goal, command\), got \(obs, tau\)"),
    (lambda: Compiled(function=silent), "Compiled: its law must return 0, or another whole number.* it returns nothing"),
    (
        lambda: Compiled(function=misspelt),
        "no attribute 'tua'; it has tau, stiffness, target, damping .line [0-9]+ of test_control.py.",
    ),
    (lambda: Compiled(function=beyond), "Compiled: its law .* cannot be asked: index 1 is out of bounds"),
    (lambda: Compiled(function=silent, params=3), "Compiled: params must be a dict, got 3"),
    (lambda: Controller(), "Controller has no law: a function .obs, params, state, goal, command."),
    (lambda: Layered((Lead(100.0), AsKernel(1000.0))), "Layered: AsKernel has no goal that Lead above it could set"),
    (lambda: Layered((Follow(), 3)), "layers must be a row of controllers"),
    (lambda: Layered((Hold(), Follow())), "Hold: its law .* cannot be asked .Follow below it follows angle.: .*'tau'"),
    (lambda: Layered((Beyond(), Follow())), "Beyond: its law .* cannot be asked .Follow below it follows angle.: index 1 is out"),
    (lambda: Layered((BeyondInPython(), Follow())), "controller BeyondInPython at 0.0000 s: raised IndexError: index 1 is out"),
    (lambda: AsKernel(300.0), "AsKernel: a rate of 300 1/s asks every 3.33333 steps of 0.001 s.* 250 and 333.3333333"),
    (lambda: AsKernel(1500.0), r"AsKernel: a rate of 1500 1/s asks every 0.666667 steps.* 1000 .every step."),
    (lambda: Mixed(), "Mixed: ticks stands beside fields whose size depends on the robot"),
    (lambda: Unknown(), "Unknown: a size must be a number or one of nq, nv, motors.* got 'wheels'"),
    (lambda: Wordy(), "Wordy.State: mood must be an int, a float, array.*got <class 'str'>"),
    (lambda: Prepares(), "Prepares: what `prepare` gives as 'name' must be a number.* got 'arm'"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_controllers(make, message):
    with pytest.raises(ControlError, match=message):
        ff.simulate(arm(), make(), seconds=0.2)


def test_a_law_in_python_reads_and_writes_the_record_of_compiled_ones():
    class Memory:
        count: int = 3
        speed: float = 0.5
        place: Any = array(2, 3)

    block = Block("Owner", Memory, {})
    place_all([block])
    plain, record = block.plain, block.value
    assert (plain.count, plain.speed, plain.place.shape) == (3, 0.5, (2, 3))
    plain.count, plain.speed, plain.place = 4, 1.5, np.arange(6.0).reshape(2, 3)
    plain.place[0, 0] = 7.0
    assert (record.count, record.speed) == (4, 1.5)
    assert record.place.tolist() == [[7.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    with pytest.raises(AttributeError, match="sped"):
        plain.sped = 1.0
