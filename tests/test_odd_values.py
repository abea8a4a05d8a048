"""Odd values for everything that is declared: only errors of Footfall come out. And worlds in which something had no effect."""

import dataclasses
import math

import numpy as np
import pytest

import footfall as ff
from footfall.errors import FootfallError, WorldError
from footfall.world import (
    Change,
    Compliant,
    Field,
    Flat,
    Function,
    Load,
    Obstacles,
    Profile,
    Push,
    Rigid,
    Slope,
    Stairs,
    Waves,
    World,
    hills_of,
    random_ground,
    random_hills,
    random_loads,
    random_pushes,
    random_steps,
)

ODD = [
    None, "x", "", math.nan, math.inf, 1e308, -1, 0, 10**400, True, (), [], {}, (1, 2), ((1, 2), (3,)), b"x", object(), np.zeros(3),
    np.zeros((2, 2)), np.array("a"), 1j, [None], ["a"], float,
]  # fmt: skip
ROBOT = ff.robots.load("wendlandt")
LINK, HINGE = ff.Link("b", 1.0, (0, -1)), ff.Joint("j", "revolute", "world", "b")


def robot(**parts):
    return ff.Robot(**{"name": "r", "space": "planar", "links": (LINK,), "joints": (HINGE,), **parts})


def use(part):
    """Put a part to the use that it is for."""
    if isinstance(part, ff.Link):
        robot(links=(part,))
    elif isinstance(part, ff.Joint):
        robot(joints=(part,))
    elif isinstance(part, ff.Motor):
        robot(joints=(dataclasses.replace(HINGE, motor=part),))
    elif isinstance(part, ff.Frame):
        robot(frames=(part,))
    elif isinstance(part, ff.Foot):
        robot(feet=(part,))
    elif isinstance(part, ff.Point | ff.Box | ff.Arc | ff.HeelToe):
        robot(feet=(ff.Foot("f", (part,)),))
    elif isinstance(part, Push):
        ff.Study(ROBOT, World(pushes=(part,)))
    elif isinstance(part, Load):
        ff.Study(ROBOT, World(loads=(part,)))
    elif isinstance(part, Change):
        World(changes=(part,)).terrain_at(2.0)
    elif isinstance(part, World):
        ff.Study(ROBOT, part)
    elif hasattr(part, "height"):
        assert math.isfinite(part.height(0.3, 0.2))
        assert np.isfinite(part.normal(0.1)).all()


PARTS = [
    Flat(), Slope(0.1), Waves(((0.1, 1, 0, 0),)), Profile((0, 1), (0, 1)), Stairs(0.1, 0.2), Obstacles(((0, 1, 0.1),)), Rigid(), Compliant(),
    Field(((0, 0), (0, 0)), (1, 1)), Function(math.hypot), Push("torso", (1, 0), 0, 1), Load("torso", 1), Change(1, Flat()), World(),
    LINK, HINGE, ff.Motor(), ff.Spring(1), ff.Frame("f", "b"), ff.Point("b"), ff.HeelToe("b", (0, 0), (1, 0)), ff.Box("b", (1, 1)),
    ff.Arc("b", 1.0), ff.Foot("f", (ff.Point("b"),)), robot(),
]  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_declarations(part):
    for field in dataclasses.fields(part):
        for odd in ODD:
            try:
                use(dataclasses.replace(part, **{field.name: odd}))
            except FootfallError as error:
                if len(str(error)) > 1000:  # a sentence, please
                    raise


CHANCE = [
    (random_pushes, (ROBOT, "torso", 1.0, 1.0, 3.0, 1)), (random_loads, ("torso", 1.0, 1.0, 3.0, 1)), (random_hills, (0.1, 0.5, 1)),
    (hills_of, (0.1, 0.1, 10.0, 1)), (random_steps, (0.1, 0.2, 1)), (random_ground, (0.1, 0.1, 1, 5.0)),
]  # fmt: skip


@pytest.mark.parametrize(("make", "given"), CHANCE, ids=lambda each: getattr(each, "__name__", ""))
def test_what_chance_makes(make, given):
    make(*given)
    for place in range(len(given)):
        for odd in ODD:
            try:
                make(*given[:place], odd, *given[place + 1 :])
            except FootfallError:
                continue


FIXED = ff.Robot("r", "planar", (LINK, ff.Link("wall", 1.0)), (HINGE, ff.Joint("mount", "fixed", "world", "wall")))
WITHOUT_EFFECT = [
    (lambda: Push("world", (1, 0), 0, 1), "Push on 'world': it must act on a link or frame; the world does not move"),
    (lambda: Load("world", 1.0), "Load on 'world': it must act on a link or frame"),
    (lambda: Push("torso", (1, 0), 1, 1), "Push on 'torso': it must end after it starts, got 1 to 1 s"),
    (lambda: Load("torso", 1.0, 2.0, 1.0), "Load on 'torso': it must end after it starts, got 2 to 1 s"),
    (lambda: ff.Study(FIXED, World(pushes=(Push("wall", (1, 0), 0, 1),))), "Push on 'wall': it must act on what moves"),
    (lambda: ff.Study(FIXED, World(loads=(Load("wall", 1.0),))), "Load on 'wall': it must act on what moves"),
    (lambda: ff.Study(ROBOT, World(loads=(Load("torso", 1.0, 0.0006, 0.0014),))), "there is no middle of a step of 0.001 s"),
    (lambda: ff.Study(ROBOT, World(loads=(Load("torso", 1.0, at=(0, 0, 0)),))), "Load on 'torso': at must be 2 numbers"),
    (lambda: World(changes=(Change(1, Flat()), Change(1, Slope(0.1)))), "two of them set another terrain at 1 s"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), WITHOUT_EFFECT)
def test_what_would_have_no_effect_is_refused(make, words):
    with pytest.raises(WorldError, match=words):
        make()


def test_changes_of_different_things_may_come_at_once():
    world = World(changes=(Change(1, Slope(0.1)), Change(1, contact=Rigid(0.1))))
    assert (world.terrain_at(2.0), world.contact_at(2.0)) == (Slope(0.1), Rigid(0.1))


SHAPES = [
    (lambda: Field(((0, 0), (0, 0)), (1, 1, 1)), "Field: spacing must be a row of 2 numbers in m"),
    (lambda: Field(((0, 0), (0, 0)), (1, 1), (0,)), "Field: corner must be a row of 2 numbers in m"),
    (lambda: Field(((0, 0), (0,)), (1, 1)), "Field: heights must be two rows or more, all of one length"),
    (lambda: Field(((0,), (0,)), (1, 1)), "Field: heights must be two rows or more"),
    (lambda: Waves(((1, 2, 3),)), "Waves: waves must be a row of rows of 4 numbers|a wave is"),
    (lambda: Waves(((1, 0, 3, 4),)), "Waves: a wave is .* with a length above 0"),
    (lambda: Obstacles(((0, 1),)), "Obstacles: "),
    (lambda: Obstacles(((0, 2, 1), (1, 3, 1))), "Obstacles: .* none may overlap"),
    (lambda: Profile((0, 1, 0.5), (0, 0, 0)), "Profile: x must ascend"),
    (lambda: Profile((0, 1), (0, 0, 0)), "Profile: x must ascend and have as many entries as z"),
    (lambda: Stairs(0.1, 0.2, 2.5), "Stairs: count must be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), SHAPES)
def test_ground_is_checked_when_it_is_declared(make, words):
    with pytest.raises(WorldError, match=words):
        make()


def test_no_obstacles_are_level_ground():
    assert Obstacles(()).height(3.0) == 0.0


@pytest.mark.parametrize("study", ["johnnie-stairs", "newton-throw", "johnnie-walk"])
@pytest.mark.parametrize("robot", ["rabbit", "chain", "pendulum"])
def test_studies_in_space_refuse_planar_robots(study, robot):
    with pytest.raises(FootfallError, match=f"robot '{robot}' must be in space, it is planar"):
        ff.studies.load(study, robot=ff.robots.load(robot))
