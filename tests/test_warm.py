"""Compiling ahead of need, and what is handed to compiled code by its address."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import footfall.warm
from footfall.core.call import KernelCall
from footfall.core.frame import kind_of, words
from footfall.core.jit import SETTINGS, kernel
from footfall.errors import FootfallError, UnknownNameError

compiled = pytest.mark.skipif(bool(SETTINGS.DISABLE_JIT), reason="nothing is compiled")


class Inner(NamedTuple):
    x: Any
    scale: float


class Outer(NamedTuple):
    before: int
    inner: Any
    table: Any
    nothing: Any


@kernel
def add_up(inner, table):
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += table[i, j] * inner.x[j]
    return inner.scale * total


@kernel(inline=False)
def write(outer, start):
    outer.inner.x[0] = start
    outer.table[0, 0] = add_up(outer.inner, outer.table)
    return outer.before


@kernel
def twice(outer, start, again):
    first = write(outer, start)
    return first + again * write(outer, outer.table[0, 0])


def outer(scale=0.5, rows=2):
    return Outer(3, Inner(np.arange(3.0), scale), np.arange(3.0 * rows).reshape(rows, 3), None)


def expected(given, start, again):
    """By hand, in numpy."""
    for value in (start, None):
        given.inner.x[0] = given.table[0, 0] if value is None else value
        given.table[0, 0] = given.inner.scale * (given.table @ given.inner.x).sum()
    return given.before * (1 + again)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_arguments_by_reference(space):
    """Nested tuples, arrays, numbers and nothing arrive as they are; what changes from call to call arrives too."""
    call = KernelCall(twice, space)
    for given, start, again in [(outer(), 1.5, 2), (outer(), 1.5, 2), (outer(0.25), -1.0, 4), (outer(0.25, rows=5), 2.0, 1)]:
        mine = Outer(given.before, Inner(given.inner.x.copy(), given.inner.scale), given.table.copy(), None)
        assert call(given, start, again) == expected(mine, start, again)
        np.testing.assert_allclose(given.table, mine.table, rtol=1e-14)
        np.testing.assert_allclose(given.inner.x, mine.inner.x, rtol=1e-14)


@compiled
def test_other_kinds_of_arguments_are_compiled_for():
    """An array of another kind is never read as if it were the first kind."""
    call = KernelCall(twice, "planar")
    assert call(outer(), 1.0, 2) == 9
    single = outer()._replace(table=np.ones((2, 3), np.float32))
    assert call(single, 1.0, 2) == 9
    assert single.table[0, 0] != 1.0
    np.testing.assert_array_equal(single.table.ravel()[1:], 1.0)


def test_what_cannot_be_handed_over_is_refused():
    with pytest.raises(TypeError, match="not contiguous"):
        words(np.zeros((4, 4))[:, ::2])
    with pytest.raises(TypeError, match="a dict cannot"):
        words((1.0, {}))


@compiled
def test_kinds_are_told_apart():
    zeros = np.zeros(3)
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    kinds = [
        kind_of(each) for each in (zeros, fixed, np.zeros(3, int), np.zeros((3, 1)), (zeros,), Inner(zeros, 1.0), 1, 1.0, None)
    ]
    assert len({id(each) for each in kinds}) == len(kinds)
    assert kind_of(Inner(zeros, 1.0)) is kind_of(Inner(np.ones(7), 2.0))


def test_unknown_jobs_are_refused():
    with pytest.raises(UnknownNameError, match="planar-run"):
        footfall.warm.warm(["planar-runs"])


def test_a_job_that_fails_is_named(monkeypatch):
    monkeypatch.setitem(footfall.warm.JOBS, "broken", lambda: None)
    with pytest.raises(FootfallError, match="warm broken failed: KeyError"):  # the process knows no such job
        footfall.warm.warm(["broken"])


@compiled
@pytest.mark.slow
def test_after_warm_nothing_is_compiled():
    """A second time there is nothing to do, and a run does not compile."""
    footfall.warm.warm(["planar-run"])
    said = []
    footfall.warm.warm(["planar-run"], say=said.append)
    assert not any("kernels" in text for text in said)
    code = "import footfall as ff; ff.simulate(ff.studies.load('stand-push', seconds=0.1))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr == ""


@compiled
def test_it_says_what_is_compiled_and_how_far_it_is(tmp_path):
    """At once, and then every few seconds."""
    code = """
import time, sys
from footfall.core import announce
announce.EVERY = 0.3
from footfall.core.recursion.aba import aba
import footfall as ff
robot = ff.robots.load("wendlandt")
ff.dynamics.forward(robot, robot.neutral(), [0.0] * robot.nv, [0.0] * robot.nv)
"""
    run = [sys.executable, "-c", code]
    found = subprocess.run(
        run, capture_output=True, text=True, check=True, env={**os.environ, "FOOTFALL_CACHE_DIR": str(tmp_path)}
    )
    lines = found.stderr.splitlines()
    assert lines[0].startswith("footfall: compiling its kernels for this machine")
    assert any(" of core.recursion." in line and "kernels" in line for line in lines[1:])
