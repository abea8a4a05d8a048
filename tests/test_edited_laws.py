"""Machine code is found by what a law is: after any edit, also of something that it only reaches, the new one runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is kept then")

OTHER = """
import enum
import numba
import numpy as np
from footfall import kernel

CONSTANT = VALUE
ROW = np.array([VALUE, 7.0])
PAIR = (VALUE, (VALUE, 7.0))

class Gait(enum.IntEnum):
    WALK = VALUE

@kernel
def helper(x):
    return VALUE * x

@numba.njit
def jitted(x):
    return VALUE * x

@numba.vectorize
def ufunc(x):
    return VALUE * x

@kernel
def default(x, gain=VALUE):
    return gain * x

@kernel
def deep(x):
    return helper(x)
"""
LAWS = """
import sys
import footfall as ff
import other
from footfall import kernel
from footfall.control.controller import Compiled
from other import CONSTANT, PAIR, ROW, Gait, deep, default, helper, jitted, ufunc

MINE = VALUE
LEG = ff.Link("leg", 1.0, com=(0.0, -0.5), inertia=0.1)
ROBOT = ff.Robot("leg", "planar", (LEG,), (ff.Joint("hip", "revolute", "world", "leg", motor=ff.Motor()),))

def made(gain):
    def law(obs, params, state, goal, command):
        command.tau[0] = gain
        return 0
    return law

def inside(module):
    def law(obs, params, state, goal, command):
        command.tau[0] = module.CONSTANT
        return 0
    return law

def law_of(text):
    names = dict(globals())
    exec("def law(obs, params, state, goal, command):\\n    command.tau[0] = " + text + "\\n    return 0", names)
    return names["law"]

laws = {
    "the law itself": law_of("VALUE.0"),
    "a constant beside it": law_of("MINE"),
    "a constant of another module": law_of("CONSTANT"),
    "a constant by its module": law_of("other.CONSTANT"),
    "an array": law_of("ROW[0]"),
    "an array by its module": law_of("other.ROW[0]"),
    "a tuple": law_of("PAIR[1][0]"),
    "a named number": law_of("1.0 * Gait.WALK.value"),
    "a kernel": law_of("helper(1.0)"),
    "a function of Numba": law_of("jitted(1.0)"),
    "a function of Numba by its module": law_of("other.jitted(1.0)"),
    "a ufunc": law_of("ufunc(1.0)"),
    "a default": law_of("default(1.0)"),
    "what a helper calls": law_of("deep(1.0)"),
    "a cell": made(VALUE.0),
    "a module in a cell": inside(other),
}
for name, law in laws.items():
    try:
        print(name, ff.simulate(ROBOT, Compiled(function=law), q=(0.1,), seconds=0.0).tau[0, 0], sep=": ")
    except ff.FootfallError as error:
        print(name, "refused" , str(error)[:300].replace("\\n", " "), sep=": ")
"""


def answers(folder: Path, value: str) -> dict[str, str]:
    """What all laws answer in a new process, with this number in place of VALUE."""
    (folder / "other.py").write_text(OTHER.replace("VALUE", value))
    (folder / "laws.py").write_text(LAWS.replace("VALUE", value))
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}  # an edit within a second is an edit
    done = subprocess.run([sys.executable, folder / "laws.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def test_an_edited_law_runs_as_it_was_edited(tmp_path):
    before, after = answers(tmp_path, "1"), answers(tmp_path, "5")
    assert before == dict.fromkeys(before, "1.0")
    assert after == dict.fromkeys(before, "5.0")
