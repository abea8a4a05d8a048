"""Parameters: what they may be, what people type, dotted names, and that the ends of all ranges work or are refused in words."""

import dataclasses
import json
import math
import re

import pytest
from typer.testing import CliRunner

import footfall as ff
from footfall.cli import app
from footfall.cli.showing import _alike
from footfall.cli.terminal import each_set
from footfall.errors import FootfallError, ParameterError, RobotError, UnknownNameError
from footfall.model.quantity import ROW, TABLE, check_quantities, choice, count, flag, quantity, words
from footfall.model.units import UnitError, factor, read_value
from footfall.sim.parameters import Parameter, parameters, with_parameters
from footfall.world import Field, Push, Rigid, Waves, World

NAMES = ff.studies.names()
LATER = re.compile(r"\.[1-9]\d*\.")  # parts in a row but for the first, which are like it
LARGE = 1e6  # in place of an end that is not there


def footfall(*arguments):
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


# --- every study ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_study_shows_all_its_parameters(name):
    shown = json.loads(footfall("show", f"studies/{name}", "--json"))
    assert shown["about"]
    assert shown["asked"]
    rows = {row["name"]: row for row in shown["parameters"]}
    assert len(rows) == len(shown["parameters"])
    for row in rows.values():
        assert row["help"], row
        if row["kind"] in ("number", "count"):
            ends = (-math.inf if row["low"] is None else row["low"], math.inf if row["high"] is None else row["high"])
            values = row["value"] if isinstance(row["value"], list) else [row["value"]]
            assert all(ends[0] <= value <= ends[1] for value in values if isinstance(value, int | float)), row
    assert all(text in footfall("show", f"studies/{name}") for text in (name, shown["about"].split("\n")[0]))


def ends(row):
    """What a parameter may be at most: both ends, both answers, all words."""
    if row["kind"] == "choice":
        return row["options"]
    if row["kind"] == "flag":
        return [True, False]
    if row["kind"] == "words":
        return []
    low, high = (-LARGE if row["low"] is None else row["low"], LARGE if row["high"] is None else row["high"])
    size = len(row["value"]) if isinstance(row["value"], list) else None
    return [low, high] if size is None else [(low,) * size, (high,) * size]


@pytest.mark.parametrize("name", NAMES)
def test_the_ends_of_all_ranges_work_or_are_refused(name):
    tried, refused = 0, []
    for each in ff.studies.parameters(name):
        row = each.row()
        for value in () if LATER.search(row["name"]) else ends(row):
            tried += 1
            try:
                ff.Simulation(ff.studies.load(name, **{row["name"]: value})).advance(0.002)
            except FootfallError as error:
                refused.append(str(error))
    assert tried > 3
    assert len(refused) < tried
    assert all(len(each) > 20 for each in refused)


# --- declarations ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Thing:
    mass: float = quantity("kg", "of it", 1.0, low=0.0)
    at: tuple = quantity("m", "where", (0.0, 0.0), shape=(2,))
    row: tuple = quantity("m", "any", (), shape=ROW)
    table: tuple = quantity("m", "rows", (), shape=TABLE)
    either: object = quantity("rad", "one or three", 0.0, shape=[(), (3,)])
    times: int = count("how often", 1, low=1, high=9)
    on: bool = flag("whether", False)
    way: str = choice("which", "up", ("up", "down"))
    names: tuple = words("of parts", ())
    spare: float | None = quantity("N", "none if left out", None, low=0.0)

    def __post_init__(self):
        check_quantities(self, "thing", RobotError)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mass": [1, 2]}, r"thing: mass must be a number in kg, got \[1, 2\]"),
        ({"mass": None}, "thing: mass must be a number in kg, got None"),
        ({"mass": 10**400}, "thing: mass must be finite"),
        ({"at": 3}, "thing: at must be a row of 2 numbers in m, got 3"),
        ({"at": (1, 2, 3)}, "thing: at must be a row of 2 numbers in m"),
        ({"at": (1, (2,))}, "thing: at must be a row of 2 numbers in m"),
        ({"row": 1.0}, "thing: row must be a row of numbers in m, got 1.0"),
        ({"row": ("a",)}, "thing: row must be a row of numbers in m"),
        ({"table": (1, 2)}, "thing: table must be a row of rows of numbers in m"),
        ({"table": ((((1,),),),)}, "thing: table must be a row of rows of numbers in m"),
        ({"either": (1, 2)}, "thing: either must be a number or a row of 3 numbers in rad"),
        ({"times": 2.5}, "thing: times must be a whole number, got 2.5"),
        ({"times": math.nan}, "thing: times must be a whole number, got nan"),
        ({"times": math.inf}, "thing: times must be a whole number, got inf"),
        ({"times": 10**30}, "thing: times must be from 1 to 9"),
        ({"times": True}, "thing: times must be a whole number, got True"),
        ({"on": 1}, "thing: on must be True or False, got 1"),
        ({"way": "left"}, "there is no way .of thing. 'left'. Known: down, up"),
        ({"way": ["up"]}, "there is no way .of thing."),
        ({"names": "abc"}, "thing: names must be a row of words, got 'abc'"),
        ({"spare": -1}, "thing: spare must be at least 0 N, got -1"),
    ],
)
def test_what_a_declaration_refuses(given, message):
    with pytest.raises(FootfallError, match=message):
        Thing(**given)


def test_what_a_declaration_takes():
    import numpy as np

    thing = Thing(np.float32(2), [1, 2], np.arange(3), [[1, 2], [3]], (1, 2, 3), 3.0, True, "down", ["a"])
    assert dataclasses.astuple(thing) == (
        *(2.0, (1.0, 2.0), (0.0, 1.0, 2.0), ((1.0, 2.0), (3.0,)), (1.0, 2.0, 3.0), 3, True, "down", ("a",), None),
    )
    assert type(thing.times) is int


@pytest.mark.parametrize(
    "make",
    [
        lambda: ff.Link("a", [1, 2]),
        lambda: ff.Link("a", 1.0, com=0.5),
        lambda: ff.Motor(gear=[1.0]),
        lambda: ff.Joint("a", "revolute", "world", "b", limits=0.5),
        lambda: ff.Joint("a", "revolute", "world", "b", damping=(1.0,)),
        lambda: ff.Foot("a", (ff.Arc("b", radius=[0.1]),)),
        lambda: ff.Foot("a", (ff.Arc("b", radius=0.1, span=0.2),)),
        lambda: ff.Foot("a", (ff.Box("b", size=1.0),)),
        lambda: Push("a", 5.0, 0.0, 1.0),
        lambda: Push("a", (5.0, 0.0), (0.0,), 1.0),
        lambda: Waves(((1.0, 2.0, 3.0),)),
        lambda: Field(((0.0, 0.0), (0.0, 0.0)), spacing=(1.0, 1.0, 1.0)),
        lambda: Field((0.0, 0.0), spacing=(1.0, 1.0)),
        lambda: Rigid(friction=[0.5]),
        lambda: World(gravity=(0.0, -9.81)),
        lambda: ff.control.Hold(stiffness=(1.0, 2.0)),
        lambda: ff.control.Workspace(sway=(0.1,)),
        lambda: ff.control.Workspace(sway=(0.1, 0.1, 0.1, 0.1)),
        lambda: ff.Study(ff.robots.load("pendulum"), seconds=[1.0]),
    ],
)
def test_a_row_is_no_number_and_a_number_no_row(make):
    with pytest.raises(FootfallError, match="must be a (number|row)"):
        make()


@pytest.mark.parametrize(
    "key", ["mass = [1, 2]", "mass = 1.0\ncom = 3.0", "mass = 1.0\ninertia = [[1.0]]", "mass = 1.0\ncom = [[1.0], 2.0]"]
)
def test_rows_in_a_robot_file_where_there_are_none(key):
    from footfall.model.file import parse_robot, robot_text

    text = robot_text(ff.robots.load("pendulum"))
    head, body = text.split("[[links]]")
    name, _, rest = body.strip().partition("\n")
    tail = rest[rest.index("[[") :]
    with pytest.raises(FootfallError, match="must be"):
        parse_robot(f"{head}[[links]]\n{name}\n{key}\n\n{tail}", "file")


# --- what people type -----------------------------------------------------------------------------------------------------

ANGLE = quantity("rad", "", 0.0).metadata


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (quantity("rad", ""), "-2deg", math.radians(-2)),
        (quantity("rad", ""), "0.1 rad", 0.1),
        (quantity("rad/s", ""), "180deg/s", math.pi),
        (quantity("m", ""), "15 cm", 0.15),
        (quantity("m", ""), "3mm", 0.003),
        (quantity("m/s", ""), "3.6 km/h", 1.0),
        (quantity("m/s2", ""), "981 cm/s2", 9.81),
        (quantity("s", ""), "2min", 120.0),
        (quantity("s", ""), "0.5 ms", 0.0005),
        (quantity("1", ""), "60%", 0.6),
        (quantity("1/s", ""), "0.1kHz", 100.0),
        (quantity("Hz", ""), "100/s", 100.0),
        (quantity("kg", ""), "250g", 0.25),
        (quantity("N m/rad", ""), "1 N m/deg", 180 / math.pi),
        (quantity("N m s/rad", ""), "2 Nm s/rad", 2.0),
        (quantity("N", ""), "1.5e-3", 0.0015),
        (quantity("N m", "", infinite=True), "inf", math.inf),
        (quantity("m", "", shape=ROW), "1,2,3", (1.0, 2.0, 3.0)),
        (quantity("m", "", shape=ROW), "(10cm, 2 mm)", (0.1, 0.002)),
        (quantity("m, rad", "", shape=(3,)), "0.1, 95cm, 5deg", (0.1, 0.95, math.radians(5))),
        (quantity("m", "", shape=TABLE), "1,2;3,4", ((1.0, 2.0), (3.0, 4.0))),
        (quantity("rad", "", shape=[(), (3,)]), "3deg", math.radians(3)),
        (quantity("rad", "", shape=[(), (3,)]), "1,2,3", (1.0, 2.0, 3.0)),
        (count(""), "7", 7),
        (flag(""), "yes", True),
        (flag(""), "False", False),
        (choice("", "a", ("a", "b")), "b", "b"),
        (words(""), "walk, jump", ("walk", "jump")),
    ],
)
def test_values_as_people_type_them(field, text, value):
    found = read_value(field.metadata, text, "it")
    assert type(found) is type(value)
    assert found == (pytest.approx(value, rel=1e-14) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        (quantity("rad", ""), "2cm", "it is in rad, which 'cm' does not measure"),
        (quantity("rad", ""), "2 furlongs", "it is in rad, which 'furlongs' does not measure"),
        (quantity("1", ""), "2m", "it has no unit, which 'm' does not measure"),
        (quantity("m", ""), "much", "it must be a number in m, got 'much'"),
        (quantity("m", ""), "1,2", "it must be a number in m, got '1,2'"),
        (quantity("m", ""), "9" * 5000, "it must be a number in m"),
        (quantity("m", ""), "__import__('os')", "it must be a number"),
        (flag(""), "1", "it must be true or false, got '1'"),
    ],
)
def test_what_nobody_can_mean(field, text, message):
    with pytest.raises(UnitError, match=message):
        read_value(field.metadata, text, "it")


def test_units_have_the_sizes_of_the_textbook():
    assert factor("km/h", "m/s", "it") == pytest.approx(1 / 3.6, rel=1e-15)
    assert factor("N m/deg", "N m/rad", "it") == pytest.approx(57.29577951308232, rel=1e-15)
    assert factor("cm2", "m2", "it") == pytest.approx(1e-4, rel=1e-15)


def test_several_settings_after_one_word():
    words = ["run", "x", "--set", "a=1", "b.c=2", "--out", "d=e", "--set", "f=3", "--set=g=4", "h=5", "i"]
    assert each_set(words) == [
        *("run", "x", "--set", "a=1", "--set", "b.c=2", "--out", "d=e", "--set", "f=3", "--set", "g=4", "--set", "h=5", "i"),
    ]


# --- dotted names ---------------------------------------------------------------------------------------------------------


def test_dotted_names_reach_everything():
    study = ff.studies.load(
        "ranger-walk",
        **{
            "controller.push_gain": 3.0,
            "numbers": "bhounsule",
            "world.friction": "60%",
            "seconds": "2 min",
            "world.gravity": 1.62,
        },
    )
    assert (study.controller.push_gain, study.world.contact.friction, study.seconds) == (3.0, 0.6, 120.0)
    assert study.robot == ff.robots.load("ranger", numbers="bhounsule")
    assert study.gravity == 1.62
    heavier = with_parameters(study, {"robot.links.leg_outer.mass": 6.0, "ankle_inner.motor.gear": 40})
    assert heavier.robot.link("leg_outer").mass == 6.0
    assert heavier.robot.joint("ankle_inner").motor.gear == 40.0
    assert heavier.robot.joint("ankle_outer") == study.robot.joint("ankle_outer")
    pushed = with_parameters(ff.studies.load("stand-push"), {"world.pushes.0.start": 5, "world.pushes.0.end": "6s"})
    assert (pushed.world.pushes[0].start, pushed.world.pushes[0].end) == (5.0, 6.0)  # one after the other would be refused


def test_a_study_is_built_anew_with_the_parameters_of_its_robot():
    """The robot stands on its feet: a longer thigh lifts the hip."""
    usual, longer = ff.studies.load("stand-push"), ff.studies.load("stand-push", **{"robot.thigh": "52cm"})
    assert longer.q[1] - usual.q[1] == pytest.approx(0.1 * math.cos(0.3))
    given = ff.studies.load("stand-push", robot=ff.robots.load("wendlandt", thigh=0.52))
    assert given.q == longer.q


def test_all_listed_parameters_can_be_set_to_what_they_are():
    study = ff.studies.load("stand-push")
    values = {each.name: each.value for each in parameters(study, parts=True) if each.value is not None}
    assert {"robot.joints.knee_left.motor.gear", "world.pushes.1.force", "controller.stiffness", "seconds"} <= set(values)
    assert with_parameters(study, values) == study


@pytest.mark.parametrize(
    ("name", "settings", "error", "message"),
    [
        ("ranger-walk", {"controller.push_gian": 3.0}, UnknownNameError, "Did you mean 'controller.push_gain'"),
        ("ranger-walk", {"pusch": 3.0}, UnknownNameError, "Did you mean 'controller.push'"),
        ("ranger-walk", {"splt": 3.0}, UnknownNameError, "Did you mean 'split'"),
        ("ranger-walk", {"controller.push_gain": 30.0}, ParameterError, "controller.push_gain must be from 0 to 10 s/m, got 30"),
        ("ranger-walk", {"controller.push_gain": "3 cm"}, UnitError, "controller.push_gain is in s/m"),
        ("ranger-walk", {"controller.mode": "fly"}, UnknownNameError, "Known: gui, stand, walk"),
        ("stand-push", {"world.pushes.0.start": 5.0}, FootfallError, "must end after it starts"),
        (
            "stand-push",
            {"world.friction": 1.0, "world.contact.friction": 2.0},
            ParameterError,
            "world.contact.friction is set twice",
        ),
        ("stand-push", {"start": 1.0}, ParameterError, "'start' may mean world.pushes.0.start, world.pushes.1.start"),
        ("stand-push", {"robot": "wendlandt"}, ParameterError, "robot must be a Robot, got 'wendlandt'"),
        ("stand-push", {"robot.thigh": -1.0}, ParameterError, "thigh must be from 0.01 to 2 m, got -1"),
    ],
)
def test_what_cannot_be_set(name, settings, error, message):
    with pytest.raises(error, match=message):
        ff.studies.load(name, **settings)


def test_the_command_line_sets_them_too(tmp_path):
    shown = json.loads(
        footfall("show", "box-slope", "--set", "slope=-2deg", "world.gravity=1.62", "--set", "mass=500g", "--json")
    )
    values = {row["name"]: row["value"] for row in shown["parameters"]}
    assert (values["slope"], values["world.gravity"], values["mass"]) == pytest.approx((math.radians(-2), 1.62, 0.5))
    footfall("run", "box-slope", "--set", "slope=2deg", "seconds=0.1", "--out", str(tmp_path))
    run = ff.Run.load(tmp_path / "run.parquet")
    assert (run.study.world.terrain.angle, run.study.seconds) == (math.radians(2), 0.1)
    shown = json.loads(footfall("show", str(tmp_path / "run.parquet"), "--json"))
    assert {row["name"]: row["value"] for row in shown["parameters"]}["world.terrain.angle"] == math.radians(2)
    cycle = json.loads(footfall("cycle", "rimless-wheel", "--set", "slope=-5deg", "robot.inertia=0.1", "--json"))
    assert cycle["speed"] > 0


# --- one slope ------------------------------------------------------------------------------------------------------------


def test_a_slope_has_one_sign_everywhere():
    """Uphill is positive: in the world, for guards, and in what is struck."""
    from footfall.engines.hybrid.modes import Touches
    from footfall.world import Slope

    assert Slope(0.1, z=0.5).height(2.0) == pytest.approx(0.5 + 2.0 * math.tan(0.1))
    walk = ff.cycles.Walk(ff.studies.load("compass"))
    strike = next(guard for guard in walk.modes[0].guards if isinstance(guard.function, Touches))
    assert strike.function.ground == Slope(-math.radians(3))
    end = walk.run(5)
    assert end.q[-1][0] > 0.5  # it walks forward ...
    feet = ff.kinematics.pose(walk.robot, end.q[-1], "tip_left").position
    assert feet[1] == pytest.approx(-math.tan(math.radians(3)) * feet[0], abs=1e-9)  # ... and down


def test_only_parts_with_the_same_parameters_are_shown_once():
    shown = footfall("show", "johnnie-walk")
    assert "the same parameters as" not in shown
    for name in ("sensors.1.gyro_noise", "sensors.3.force_range", "sensors.4.contacts", "controller.layers.1."):
        assert name in shown


def test_parts_in_rows_that_have_the_same_parameters():
    def some(*names):
        return [Parameter(name, {"help": name.rpartition(".")[2]}, False, 0.0, 0.0) for name in names]

    assert _alike(some("a.0.x", "a.1.x", "a.2.y", "a.3.y", "b.0.x")) == {"a.1": "a.0", "a.3": "a.2"}
    assert _alike(some("a.0.x", "a.1.x", "a.1.z")) == {}
    assert _alike(some("a.0.b.0.x", "a.0.b.1.x", "a.1.b.0.x", "a.1.b.1.x")) == {
        "a.0.b.1": "a.0.b.0",
        "a.1": "a.0",
        "a.1.b.1": "a.1.b.0",
    }
