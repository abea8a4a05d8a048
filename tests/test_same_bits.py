"""The same law compiled and in plain Python: every ready controller, over whole runs, on every engine that takes it, same bits."""

import math
import os
from dataclasses import fields, replace

import numpy as np
import pytest

import footfall as ff
from footfall import kernel
from footfall.control import (
    Algorithmic,
    ComputedTorqueWalk,
    External,
    Follow,
    Hold,
    HuangWalk,
    InverseDynamics,
    JointPositionWalk,
    JointServo,
    Layered,
    LegOdometry,
    MassCenter,
    PreviewCart,
    PreviewWalk,
    RangerGait,
    Simbicon,
    SimpleBiped,
    Workspace,
)
from footfall.control.controller import Controller
from footfall.core.scalar import NAMES
from footfall.engines import Maximal
from footfall.world import Push, World

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="then all are plain")


def in_python(controller):
    """A controller with the same text as its law, which is not compiled."""
    if isinstance(controller, Layered):
        return Layered(tuple(in_python(layer) for layer in controller.layers))
    if isinstance(controller, Algorithmic):
        return controller  # in Python anyway
    kind = type(controller)
    plain = type(kind.__name__, (kind,), {"law": kind.law.text})
    return plain(**{field.name: getattr(controller, field.name) for field in fields(controller) if field.init})


class Sway(Controller):
    """Leads hinges around."""

    @kernel
    def law(obs, params, state, goal, command):
        for i in range(len(command.angle)):
            command.angle[i] = 0.3 * math.sin(3.0 * obs.time + i) * math.exp(-obs.time) + math.atan2(obs.q[0], 2.0 + obs.v[0])
        return 0


STUDIES = {
    "Hold": ff.studies.load("stand-push"),
    "Hold in space": ff.Study(ff.robots.load("person"), World(), Hold(), seconds=0.1),
    "Follow": ff.Study(
        ff.robots.load("rabbit"), World(pushes=(Push("torso", (20.0, 0.0), 0.1, 0.2),)), Layered((Sway(100.0), Follow()))
    ),
    "Simbicon": ff.studies.load("simbicon-walk"),
    "Simbicon, running": ff.studies.load("simbicon-run"),
    "SimpleBiped": ff.studies.load("simple-biped-walk"),
    "SimpleBiped, hills": ff.studies.load("simple-biped-hills"),
    "SimpleBiped, gaits": ff.studies.load("simple-biped-gaits"),
    "RangerGait": ff.studies.load("ranger-walk"),
    "RangerGait, Kelly": ff.studies.load("ranger-walk-kelly"),
    "RangerGait, pinned bodies": replace(ff.studies.load("ranger-walk"), engine=Maximal(pinned=True)),
    "Workspace, paper": ff.studies.load("wendlandt-stand"),
    "Workspace, exact": ff.studies.load("wendlandt-stand-exact"),
    "Workspace, optimal": ff.studies.load("wendlandt-crouch"),
    "Workspace in space": replace(ff.studies.load("wendlandt-stand-3d"), seconds=0.3),
    "ComputedTorqueWalk": ff.studies.load("johnnie-walk-computed-torque", **{"controller.begin": 0.3}),
    "JointPositionWalk": ff.studies.load("johnnie-walk-rigid", push=6.0, seconds=1.5),
    "JointServo": ff.Study(ff.robots.load("johnnie"), World(), JointServo(), seconds=0.3),
    "LegOdometry": ff.studies.load("johnnie-walk", seconds=1.2),
    "MassCenter": ff.studies.load("newton-walk-contact", sensors="real", seconds=0.5),
    "InverseDynamics": ff.studies.load("newton-squat", seconds=0.05),
    "ComputedTorqueWalk, treads": ff.studies.load("johnnie-uneven", ground="treads", **{"controller.begin": 0.1}),
    "HuangWalk": ff.studies.load("huang-pattern", **{"controller.begin": 0.3, "controller.steps": 3}),
    "PreviewWalk": replace(
        ff.studies.load("huang-pattern"), controller=PreviewWalk(begin=0.3, steps=3, height=0.84), name="preview walk"
    ),
    "PreviewCart": ff.studies.load("lipm-preview"),
    "External": ff.Study(
        ff.robots.load("rabbit"),
        World(),
        External(since=np.arange(50), values=20.0 * np.random.default_rng(0).normal(size=(50, 4))),
    ),
    "External, servos": ff.Study(
        ff.robots.load("johnnie"),
        World(),
        External(stiffness=300.0, damping=10.0, since=[0.0, 20.0], values=0.1 * np.random.default_rng(0).normal(size=(2, 17))),
        seconds=0.1,
    ),
}


def test_every_ready_controller_is_here():
    walks = {ComputedTorqueWalk, JointPositionWalk, JointServo, LegOdometry, MassCenter, HuangWalk, PreviewWalk, PreviewCart}
    ready = {Hold, Follow, Simbicon, SimpleBiped, RangerGait, Workspace, InverseDynamics, External, *walks}
    assert {name.split(",")[0].split()[0] for name in STUDIES} == {kind.__name__ for kind in ready}
    listed = {each for each in vars(ff.control).values() if isinstance(each, type) and issubclass(each, Controller)}
    compiled = {kind for kind in listed if not issubclass(kind, Algorithmic)}
    assert {kind.__name__ for kind in compiled} - {"Controller", "Compiled", "Layered"} == {kind.__name__ for kind in ready}


@pytest.mark.parametrize("name", STUDIES)
def test_compiled_and_in_python(name):
    study = replace(STUDIES[name], seconds=min(2.0, STUDIES[name].seconds))
    compiled, plain = ff.simulate(study), ff.simulate(study, in_python(study.controller))
    assert compiled.tau.any()
    assert compiled == plain


@kernel
def blend(a, b, c):
    return a * b + c


class Own(Controller):
    """A law of a user's with a helper: a product and a sum that one instruction would round once."""

    @kernel
    def law(obs, params, state, goal, command):
        for d in range(len(command.tau)):
            command.tau[d] = blend(-3.1, obs.v[d], blend(0.1, obs.q[d], -0.7 * np.cos(obs.q[d])))
        return 0


def test_a_law_with_a_helper():
    robot = ff.robots.load("rabbit")
    runs = [ff.simulate(robot, controller, seconds=0.5, lift=True) for controller in (Own(), in_python(Own()))]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("name", [*NAMES, "hypot", "sqrt"])
def test_functions_of_numbers_are_those_of_the_compiler(name):
    two = name in ("arctan2", "hypot", "power")
    names = {"np": np, "__builtins__": __builtins__, "__name__": __name__}
    exec(f"def text(x, y):\n    return np.{name}(x, y)" if two else f"def text(x, y):\n    return np.{name}(x)", names)
    read, rng = kernel(names["text"]), np.random.default_rng(1)
    x, y = rng.uniform(-2.0, 2.0, (2, 2000))
    x = np.append(1.0 + abs(x) if name == "arccosh" else x, [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0, 800.0])
    with np.errstate(all="ignore"):
        for a, b in zip(x.tolist(), np.resize(y, x.shape).tolist(), strict=True):
            got, compiled = read.numeric("planar")(a, b), read["planar"](a, b)
            assert np.float64(got).tobytes() == np.float64(compiled).tobytes() or (np.isnan(got) and np.isnan(compiled)), (a, b)
    row = np.array([0.5, 0.25]) + (name == "arccosh")
    assert np.array_equal(read.numeric("planar")(row, row), [read["planar"](a, a) for a in row.tolist()])
