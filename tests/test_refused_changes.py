"""What is refused while a run is under way changes nothing; what is kept alive is what the loop reads."""

import threading
from dataclasses import dataclass, replace

import numba
import numpy as np
import pytest

import footfall as ff
from footfall.control.controller import ControlError
from footfall.errors import FootfallError, SimulationError, WorldError
from footfall.world import Change, Function, Load, Profile, Rigid, World


def overwrite() -> list:
    """Arrays of all small sizes, where freed ones may have been."""
    return [np.full(n, 0x4141414141, np.int64) for n in range(1, 60) for _ in range(50)]


@dataclass(frozen=True)
class Picky(ff.Controller):
    """Takes some values, and fails in several ways for others."""

    kind: float = ff.quantity("1", "of failure", 0.0, low=-10, high=10)

    class Goal:
        more: float = 0.0

    def prepare(self, robot, q, gravity):
        table = (1.0, (2.0,)) if self.kind == 1.0 else (1.0, 2.0)
        return {"gains": np.arange(40.0) + self.kind, "table": table, "n": int(self.kind)}

    @ff.kernel
    def law(obs, params, state, goal, command):
        if params.n == 3:
            raise RuntimeError("no")
        total = 0.0
        for x in params.table:
            total += x
        command.tau[3] = params.gains[5] + total + goal.more
        return 0


@dataclass(frozen=True)
class Lead(ff.Controller):
    @ff.kernel
    def law(obs, params, state, goal, command):
        command.more = obs.time
        return 0


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", [1.0, 3.0])
def test_a_refused_setting_of_a_controller_changes_nothing(layers, kind):
    """It cannot be compiled, or its law fails at the first try; the run goes on as if it had not been asked."""
    controller = Picky() if layers == 1 else ff.control.Layered(layers=(Lead(), Picky()))
    study = ff.Study(ff.robots.load("wendlandt"), World(falls=False), controller, seconds=0.04)
    simulation, other = (ff.Simulation(study, lift=True) for _ in range(2))
    for each in (simulation, other):
        each.advance(0.02)
    with pytest.raises((FootfallError, RuntimeError)):
        simulation.set("controller.kind", kind)
    junk = overwrite()
    for each in (simulation, other):
        each.advance(0.02)
    assert junk
    assert simulation.run() == other.run()


def box(world: World) -> ff.Simulation:
    study = ff.studies.load("box-slope")
    return ff.Simulation(replace(study, world=replace(world, terrain=study.world.terrain)))


def test_ground_with_edges_that_comes_later_keeps_the_contact_law_of_now():
    simulation = box(World(contact=Rigid(0.9), changes=(Change(0.1, contact=Rigid(0.01)),)))
    simulation.advance(0.3)
    simulation.add(Change(at=5.0, terrain=Profile((-9.0, 9.0), (-9.0, -9.0))))
    simulation.advance(0.3)
    run = simulation.run()
    assert abs(run.v[-1, 0]) > 0.5  # it slides on
    assert run.replay() == run


def test_a_refused_change_of_the_ground_changes_nothing():
    simulation = box(World())
    simulation.advance(0.1)

    @numba.njit
    def word(x, y):
        return "a"

    with pytest.raises(WorldError):
        simulation.add(Change(at=0.2, terrain=Function(word)))
    assert simulation.rollout.study.world.changes == ()
    simulation.advance(0.3)
    run = simulation.run()
    assert run.replay() == run


@pytest.mark.parametrize("item", [Load("torso", 1.0, start=0.0), Change(0.0, contact=Rigid(0.01))])
def test_what_begins_with_the_first_instant_comes_before_it(item):
    simulation = ff.Simulation(ff.studies.load("stand-push"))
    simulation.add(item)
    simulation.advance(0.02)
    run = simulation.run()
    assert run.replay() == run
    begun = ff.Simulation(ff.studies.load("stand-push"))
    begun.advance(0.0)
    with pytest.raises(SimulationError, match="the first instant is over"):
        begun.add(item)


@dataclass(frozen=True)
class Quits(ff.Controller):
    def law(obs, params, state, goal, command):
        return int(obs.time > 0.05)


def test_a_run_that_its_controller_stopped_replays_to_itself():
    with pytest.raises(ControlError) as stopped:
        ff.simulate(ff.robots.load("wendlandt"), Quits(), seconds=1.0, lift=True)
    with pytest.raises(ControlError) as again:
        stopped.value.run.replay()
    assert again.value.run == stopped.value.run


def test_a_run_whose_ground_rose_into_it_replays_to_itself():
    study = ff.studies.load("stand-push")
    buried = replace(
        study, world=replace(study.world, changes=(Change(0.05, terrain=Profile((-9.0, 9.0), (0.3, 0.3))),)), seconds=1.0
    )
    with pytest.raises(SimulationError) as first:
        ff.simulate(buried)
    with pytest.raises(SimulationError) as again:
        first.value.run.replay()
    assert again.value.run == first.value.run


def test_one_thread_at_a_time():
    """The others are refused, and the run is what it would have been."""
    simulation = ff.Simulation(ff.studies.load("stand-push"))
    refused = []

    def advance():
        for _ in range(20):
            try:
                simulation.advance(0.01)
            except SimulationError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=advance) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("while the simulation advances" in text for text in refused)
    run = simulation.run()
    assert run.replay() == run
