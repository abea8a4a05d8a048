"""The compiler's side: twins, signatures, caches, and the same text read without it."""

import importlib
import os
import shutil
import subprocess
import sys
import textwrap
from types import FunctionType

import numpy as np
import pytest

import footfall as ff
from footfall.core import cache, jit
from footfall.core.cache import digest
from footfall.core.jit import Kernel
from footfall.core.recursion.aba import aba
from footfall.core.recursion.rnea import rnea
from footfall.evaluate import Evaluation
from trees import close, random_robot, random_state


def run_python(code, errors=False, **environment):
    """A fresh process; returns what it printed, or what it said on standard error."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return (done.stderr if errors else done.stdout).strip()


ROOMS = {  # modules of the core whose text is read in the plane and in space
    "recursion": (
        "kinematics",
        "rnea",
        "crba",
        "aba",
        "momentum",
        "operational",
        "batch",
        "constrained",
        "anchors",
        "fixed_feet",
    ),
    "contact": ("edges", "law", "friction_limits", "push", "solver", "step", "loop"),
}


@pytest.mark.parametrize(("room", "module"), [(room, module) for room in ROOMS for module in ROOMS[room]])
def test_algebras_are_twins(room, module):
    """Every name that a kernel imports from the algebra of space is in the algebra of the plane, with the same arguments."""
    planar, spatial = (importlib.import_module(f"footfall.core.{space}.algebra") for space in jit.SPACES)
    for name, value in vars(importlib.import_module(f"footfall.core.{room}.{module}")).items():
        if getattr(spatial, name, None) is value and isinstance(value, Kernel):
            assert _arguments(getattr(planar, name)) == _arguments(value), name


@pytest.mark.parametrize("part", ["vectors", "motions", "inertias", "contacts"])
def test_twins_live_in_files_of_the_same_name(part):
    """A kernel of the plane and its twin stand in the same part of their algebras."""
    planar, spatial = (vars(importlib.import_module(f"footfall.core.{space}.{part}")) for space in jit.SPACES)
    mine = {name for name, value in planar.items() if isinstance(value, Kernel) and value.text.__module__.endswith(f".{part}")}
    assert mine
    for name in mine:
        assert spatial[name].text.__module__ == f"footfall.core.spatial.{part}", name


def _arguments(kernel):
    code = kernel.text.__code__
    return code.co_varnames[: code.co_argcount]


@pytest.mark.parametrize("space", jit.SPACES)
def test_plain_reading_equals_compiled(space):
    robot = random_robot(5, space, links=9)
    q, v, x = random_state(robot, 1)
    for kernel in (aba, rnea):
        results = []
        for reading in (kernel[space], kernel.plain(space)):
            ev, out = Evaluation(robot), np.zeros(robot.nv)
            ev.fall(np.array([0.0, -9.81] if space == "planar" else [0.0, 0.0, -9.81]))
            reading(ev.tree, ev.work, q, v, x, out)
            results.append(out)
        close(results[0], results[1], 1e-12, kernel.__name__)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled then")
@pytest.mark.parametrize("space", jit.SPACES)
def test_one_signature_for_all_robots(space):
    """Topology is data: no code is compiled per robot."""
    for seed in range(3):
        robot = random_robot(seed, space)
        q, v, x = random_state(robot, seed)
        ff.dynamics.forward(robot, q, v, x)
        ff.dynamics.mass_matrix(robot, q)
        ff.dynamics.coriolis(robot, q, v)
        ff.dynamics.energy(robot, q, v)
    compiled = importlib.import_module("footfall.core.recursion.batch").forward_rows[space]
    assert len(compiled.signatures) == 1


def test_unknown_space_is_refused():
    with pytest.raises(ValueError, match="hyperbolic.*planar, spatial"):
        aba["hyperbolic"]


# --- the two stale-cache wrong answers of Numba's own cache ---------------------------------------------------------------

HELPER = {"before": "@kernel\ndef helper(x):\n    return x + 1.0\n", "after": "@kernel\ndef helper(x):\n    return x + 100.0\n"}
PAIR = {"before": "first: float\n    second: float", "after": "second: float\n    first: float"}
MAIN = """
from stale.core.jit import kernel
from stale.helper import helper
from stale.pair import Pair

@kernel
def answer(pair):
    return helper(pair.first) - 10.0 * pair.second
"""
ASK = "from stale.main import answer; from stale.pair import Pair; print({call}(Pair(first=1.0, second=2.0)))"


@pytest.fixture
def stale(tmp_path):
    """A small package with its own copy of core/jit.py, and a way to change it and ask again in a new process."""
    package = tmp_path / "stale"
    (package / "core" / "spatial").mkdir(parents=True)
    for folder in (package, package / "core", package / "core" / "spatial"):
        (folder / "__init__.py").touch()
    (package / "core" / "spatial" / "algebra.py").touch()
    shutil.copy(jit.__file__, package / "core" / "jit.py")

    def ask(helper, pair, call="answer['spatial']", main=MAIN):
        (package / "helper.py").write_text("from stale.core.jit import kernel\n" + HELPER[helper])
        (package / "pair.py").write_text(f"from typing import NamedTuple\nclass Pair(NamedTuple):\n    {PAIR[pair]}\n")
        if not (package / "main.py").exists():
            (package / "main.py").write_text(main)
        code = ASK.format(call=call)
        path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
        return float(run_python(code, PYTHONPATH=path, FOOTFALL_CACHE_DIR=str(tmp_path / "cache")))

    return ask


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is cached then")
class TestCache:
    def test_editing_a_helper_elsewhere(self, stale):
        assert stale("before", "before") == 2.0 - 20.0
        assert stale("after", "before") == 101.0 - 20.0

    def test_a_function_that_moves_to_another_module_is_compiled_anew(self):
        """A file names the module that its function comes from, and cannot be read where that is gone."""
        codes = [FunctionType(_arguments.__code__, {}, "f") for _ in range(2)]
        codes[1].__module__ = "footfall.elsewhere"
        codes[0].__module__ = "footfall.here"
        assert digest(codes[0]) != digest(codes[1])

    def test_swapping_two_fields_of_a_tuple_elsewhere(self, stale):
        assert stale("before", "before") == 2.0 - 20.0
        assert stale("before", "after") == 2.0 - 20.0

    def test_unchanged_sources_are_not_compiled_again(self, stale, tmp_path):
        stale("before", "before")
        written = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.kernel")}
        assert written
        stale("before", "before")
        assert {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.kernel")} == written

    def test_a_place_that_cannot_be_written(self, monkeypatch):
        monkeypatch.setenv("FOOTFALL_CACHE_DIR", os.devnull + "/no/such/place")
        monkeypatch.setattr(cache, "_folder", None)
        with pytest.warns(cache.CacheWarning, match="cannot be kept.*set FOOTFALL_CACHE_DIR to a folder of your own"):
            folder = cache.cache_folder()
        assert cache.cache_folder() == folder

    def test_bounds_checks_have_code_of_their_own(self):
        code = "from footfall.core.manifold import quaternion_exp; print(quaternion_exp['spatial'].footfall_digest)"
        assert run_python(code) != run_python(code, NUMBA_BOUNDSCHECK="1")

    def test_only_our_own_compiling_is_announced(self, tmp_path):
        """A user's own functions are compiled in silence."""
        code = "import footfall.core.jit, numba; numba.njit(lambda x: x + 1)(1.0)"
        assert run_python(code, errors=True) == ""
        code = "from footfall.core.manifold import quaternion_exp; quaternion_exp['spatial'](0.0, 0.0, 0.0)"
        assert "compiling its kernels" in run_python(code, errors=True, FOOTFALL_CACHE_DIR=str(tmp_path))
        assert run_python(code, errors=True, FOOTFALL_CACHE_DIR=str(tmp_path)) == ""

    def test_files_that_were_not_used_for_longest_are_dropped(self, stale, tmp_path):
        """Beyond the room that they may take; of the others' files there, none."""
        folder = tmp_path / "cache" / "kernels"
        folder.mkdir(mode=0o700, parents=True)
        (folder / "somebody-elses").touch()
        old = [folder / f"old-{age}{cache.ENDING}" for age in range(4)]
        for age, path in enumerate(old):
            with path.open("wb") as file:
                file.truncate(cache.LARGEST // 3)
            os.utime(path, (1000 - age, 1000 - age))
        stale("before", "before")
        left = {path.name for path in folder.iterdir()}
        assert {"somebody-elses", old[0].name, old[1].name} < left
        assert not {old[2].name, old[3].name} & left
