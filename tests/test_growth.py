"""A thousand runs in one process take no more memory than ten."""

import gc
from dataclasses import replace

import pytest

import footfall as ff
from footfall import kernel
from footfall.control import Hold
from footfall.control.controller import Compiled, Controller
from footfall.engines import Maximal
from footfall.sensors import Encoders
from footfall.world import Function, World

SOME, MANY = 10, 40
STAND = replace(ff.studies.load("stand-push"), seconds=0.02)


def in_python():
    class Mine(Controller):
        class State:
            ticks: int = 0

        def law(obs, params, state, goal, command):
            state.ticks += 1
            return 0

    return Mine()


def compiled():
    class Mine(Controller):
        @kernel
        def law(obs, params, state, goal, command):
            return 0

    return Mine()


def by_function():
    def law(obs, params, state, goal, command):
        state.ticks += 1
        return 0

    return Compiled(function=law, state={"ticks": 0})


def failing():
    class Mine(Controller):
        def law(obs, params, state, goal, command):
            raise ValueError

    with pytest.raises(ff.FootfallError):
        ff.simulate(STAND, Mine())


CASES = {
    "a ready controller": lambda: ff.simulate(STAND),
    "no controller": lambda: ff.simulate(STAND.robot, seconds=0.02),
    "a new robot": lambda: ff.simulate(ff.robots.load("wendlandt"), Hold(), seconds=0.02),
    "in Python": lambda: ff.simulate(STAND, in_python()),
    "compiled": lambda: ff.simulate(STAND, compiled()),
    "by a function": lambda: ff.simulate(STAND, by_function()),
    "a ground in Python": lambda: ff.simulate(STAND, world=World(Function(lambda x, y: 0.0))),
    "sensors": lambda: ff.simulate(STAND, sensors=(Encoders(),), record=("sensors",)),
    "maximal": lambda: ff.simulate(STAND, engine=Maximal()),
    "hybrid": lambda: ff.simulate(ff.studies.load("compass"), seconds=0.05),
    "in space": lambda: ff.simulate(ff.robots.load("wendlandt-3d"), seconds=0.005),
    "one that fails": failing,
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_leaves_nothing_behind(case):
    """Each left behind at least six objects that are counted; a few caches, which are bounded, may fill."""
    counts = []
    for runs in (SOME, MANY):
        for _ in range(runs):
            CASES[case]()
        gc.collect()
        counts.append(len(gc.get_objects()))
    assert counts[1] - counts[0] < 3 * MANY
