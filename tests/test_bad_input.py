"""What is refused, and whether the message says what, which and why."""

import numpy as np
import pytest

import footfall as ff
from footfall.errors import FileError, FootfallError, MissingPartError, RobotError, SingularError, StateError, UnknownNameError
from footfall.model.file import parse_robot, robot_text


def planar(links=None, joints=None, **more):
    links = links or (ff.Link("body", 1.0, inertia=0.1), ff.Link("leg", 1.0, (0, -0.5), 0.1))
    joints = joints or (ff.Joint("base", "planar", "world", "body"), ff.Joint("hip", "revolute", "body", "leg"))
    return ff.Robot("bad", "planar", links, joints, **more)


def spatial(inertia, mass=1.0):
    return ff.Robot("bad", "spatial", (ff.Link("body", mass, inertia=inertia),), (ff.Joint("base", "free", "world", "body"),))


BAD_NUMBERS = [
    (lambda: ff.Link("leg", -1.0), "link 'leg': mass must be at least 0 kg, got -1"),
    (lambda: ff.Link("leg", float("nan")), "link 'leg': mass must be finite, got nan"),
    (lambda: ff.Link("leg", float("inf")), "link 'leg': mass must be finite, got inf"),
    (lambda: ff.Link("leg", "heavy"), "link 'leg': mass must be a number.*'heavy'"),
    (lambda: ff.Link("leg", True), "link 'leg': mass must be a number.*True"),
    (lambda: ff.Link("leg", 1.0, (0.0, float("nan"))), "link 'leg': com must be finite, got nan"),
    (lambda: planar(links=(ff.Link("body", 1.0, (0, 0, 0)), ff.Link("leg", 1.0))), r"link 'body': com must be \(x, z\).*\(0.0, 0.0, 0.0\)"),
    (lambda: planar(links=(ff.Link("body", 1.0, inertia=-0.1), ff.Link("leg", 1.0))), "link 'body': inertia must not be negative, got -0.1"),
    (lambda: planar(links=(ff.Link("body", 0.0, inertia=0.1), ff.Link("leg", 1.0))), "link 'body': a link with inertia must have mass"),
    (lambda: spatial((1, 1, 3)), "link 'body': no body has principal moments 1, 1, 3"),
    (lambda: spatial((-1, 1, 1)), "link 'body': inertia must not be negative about any axis.*-1, 1, 1"),
    (lambda: spatial((1, 1, 1, 5, 0, 0)), "link 'body': inertia must not be negative about any axis"),
    (lambda: spatial((1, 1)), r"link 'body': inertia must be \(xx, yy, zz\)"),
    (lambda: spatial((1, 1, 1), mass=0.0), "link 'body'.*must have mass"),
    (lambda: spatial((0, 0, 0)), "joint 'base' turns no inertia: link 'body'"),
    (lambda: ff.Joint("hip", "revolute", "body", "leg", damping=-1), "joint 'hip': damping must be at least 0 N m s/rad, got -1"),
    (lambda: ff.Motor(gear=0.0), "motor: gear must be at least"),
    (lambda: ff.Spring(-5.0), "spring: stiffness must be at least 0 N m/rad, got -5"),
    (lambda: planar(gravity=-1), "robot 'bad': gravity must be at least 0 m/s2, got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "message"), BAD_NUMBERS)
def test_bad_numbers(build, message):
    with pytest.raises(RobotError, match=message):
        build()


def joints(*changes):
    return (ff.Joint("base", "planar", "world", "body"), *changes)


BAD_TREES = [
    (lambda: planar(joints=joints(ff.Joint("hip", "revolute", "body", "leg"), ff.Joint("again", "revolute", "body", "leg"))),
     "link 'leg' has two parents, by the joints 'hip' and 'again'"),
    (lambda: planar(joints=joints()), "link 'leg' is held by no joint"),
    (lambda: planar(links=tuple(ff.Link(n, 1.0, (0, -1)) for n in ("body", "a", "b")),
                    joints=joints(ff.Joint("j1", "revolute", "a", "b"), ff.Joint("j2", "revolute", "b", "a"))),
     "these joints form a loop that never reaches the world: j1, j2"),
    (lambda: planar(joints=joints(ff.Joint("hip", "revolute", "bodi", "leg"))), "no link .named by joint 'hip'. 'bodi'. Did you mean 'body'"),
    (lambda: planar(joints=joints(ff.Joint("hip", "hinge", "body", "leg"))), "no kind of joint.*'hinge'.*Known: fixed, planar, prismatic, revolute"),
    (lambda: planar(joints=joints(ff.Joint("hip", "spherical", "body", "leg"))), "no kind of joint in a planar robot.*'spherical'"),
    (lambda: planar(joints=joints(ff.Joint("hip", "planar", "body", "leg"))), "joint 'hip': a planar joint is a floating base.*'body'"),
    (lambda: planar(joints=joints(ff.Joint("hip", "prismatic", "body", "leg"))), "joint 'hip': a prismatic joint needs an axis"),
    (lambda: planar(joints=joints(ff.Joint("hip", "prismatic", "body", "leg", axis="y"))), "no axis .for joint 'hip'. 'y'.*Known: x, z"),
    (lambda: planar(joints=joints(ff.Joint("hip", "prismatic", "body", "leg", axis=(0, 0)))), "joint 'hip': axis must be a vector"),
    (lambda: planar(joints=joints(ff.Joint("hip", "revolute", "body", "leg", limits=(1, -1)))), r"joint 'hip': limits must be \(lowest, highest\)"),
    (lambda: planar(joints=joints(ff.Joint("base", "revolute", "body", "leg"))), "joint 'base' is declared 2 times"),
    (lambda: planar(links=(ff.Link("leg", 1.0), ff.Link("leg", 1.0))), "link or frame 'leg' is declared 2 times"),
    (lambda: planar(frames=(ff.Frame("tip", "arm"),)), "no link .for Frame.*'arm'.*Known: body, leg"),
    (lambda: planar(feet=(ff.Foot("f", (ff.Box("leg", size=(1, 0)),)),)), "foot 'f', Box on 'leg': every size must be above 0"),
    (lambda: planar(feet=(ff.Foot("f", (ff.Arc("leg", radius=0.1, span=(1, -1)),)),)), "foot 'f', Arc on 'leg'.*heel < toe"),
    (lambda: planar(feet=(ff.Foot("f", ()),)), "foot 'f' has no pads"),
    (lambda: ff.Robot("bad", "flat", (), ()), "no space .for a robot. 'flat'.*planar, spatial"),
    (lambda: ff.Robot("bad", "planar", (), ()), "robot 'bad' has no links"),
    (lambda: ff.Robot("a b", "planar", (), ()), "a robot needs a name"),
    (lambda: planar(joints=joints(ff.Joint("hip.x", "revolute", "body", "leg"))), "a joint needs a name.*without blanks, dots and slashes, got 'hip.x'"),
    (lambda: planar(origin=3), "origin must be a word, got 3"),
    (lambda: planar(origin="\x7f"), "origin must be printable text"),
    (lambda: ff.Robot("bad", "planar", (ff.Link("a", 1.0),), (ff.Joint("j", "fixed", "world", "a"),)), "'bad' cannot move"),
    (lambda: ff.Robot("bad", "planar", ("a",), ()), "robot 'bad': expected a Link, got 'a'"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "message"), BAD_TREES)
def test_bad_trees(build, message):
    with pytest.raises(FootfallError, match=message):
        build()


ROBOT = planar()
BAD_STATES = [
    (lambda: ff.dynamics.forward(ROBOT, [0, 0], [0] * 4, [0] * 4), r"q of robot 'bad' must have 4 entries.*\(2,\).*base.x base.z base.pitch hip"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 5, [0] * 4), r"v of robot 'bad' must have 4 entries.*\(5,\)"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, 0.0), r"tau of robot 'bad' must have 4 entries.*\(1,\)"),
    (lambda: ff.dynamics.forward(ROBOT, [0, 0, 0, np.nan], [0] * 4, [0] * 4), "q of robot 'bad' must be finite, got nan for 'hip'"),
    (lambda: ff.dynamics.inverse(ROBOT, [0] * 4, [np.inf, 0, 0, 0], [0] * 4), "v of robot 'bad' must be finite, got inf for 'base.x'"),
    (lambda: ff.dynamics.forward(ROBOT, "abcd", [0] * 4, [0] * 4), "q of robot 'bad' must be 4 numbers, got 'abcd'"),
    (lambda: ff.dynamics.forward(ROBOT, np.zeros((3, 4)), np.zeros((2, 4)), np.zeros((3, 4))), "same number of rows"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, [0] * 4, gravity="down"), "gravity must be 1 numbers|gravity must be"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, [0] * 4, gravity=(0, 0, -9.81)), "gravity must be 2 finite numbers"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, [0] * 4, external={"leg": (1, 2)}), r"external force on 'leg' \(fx, fz, moment\)"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, [0] * 4, external=[1, 2]), "must be given by name"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, [0] * 4, external={"world": (1, 2, 3)}), "must act on a link or frame"),
    (lambda: ff.dynamics.articulated_inertia(ROBOT, [0] * 4, "world"), "'world' is part of the world"),
    (lambda: ff.dynamics.inverse_inertia(ROBOT, [0] * 4, ["leg", "body"], at=[(0, 0)]), "a point for each of the 2 targets"),
    (lambda: ff.kinematics.pose(ROBOT, [0] * 4, "leg", at=(1, 2, 3)), "at must be 2 finite numbers"),
    (lambda: ROBOT.configuration(hip=(1, 2)), "'hip' of robot 'bad' takes 1 numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "message"), BAD_STATES)
def test_bad_states(ask, message):
    with pytest.raises(StateError, match=message):
        ask()


UNKNOWN = [
    (lambda: ff.kinematics.pose(ROBOT, [0] * 4, "lag"), "no link or frame .in robot 'bad'. 'lag'. Did you mean 'leg'. Known: body, leg, world"),
    (lambda: ff.kinematics.velocity(ROBOT, [0] * 4, [0] * 4, "leg", axes="earth"), "no choice of axes 'earth'.*body, world"),
    (lambda: ff.dynamics.forward(ROBOT, [0] * 4, [0] * 4, [0] * 4, external={"arm": (1, 2, 3)}), "no link or frame.*'arm'"),
    (lambda: ROBOT.configuration(hipp=1.0), "no joint or coordinate.*'hipp'. Did you mean 'hip'"),
    (lambda: ROBOT.link("x"), "no link 'x'"),
    (lambda: ROBOT.joint("hop"), "no joint 'hop'. Did you mean 'hip'"),
    (lambda: ff.robots.load("rangr"), "no robot 'rangr'. Did you mean 'ranger'"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "message"), UNKNOWN)
def test_unknown_names(ask, message):
    with pytest.raises(UnknownNameError, match=message):
        ask()


def test_quaternion_of_wrong_length():
    robot = spatial((1, 1, 1))
    with pytest.raises(StateError, match="the quaternion of joint 'base'.*must have length 1, got 2"):
        ff.dynamics.forward(robot, [0, 0, 0, 2, 0, 0, 0], [0] * 6, [0] * 6)


def test_gimbal_lock_of_massless_pieces():
    """Yaw and pitch fall together when roll is a quarter turn: nothing but air between them."""
    robot = ff.robots.load("wendlandt-3d")
    q = robot.configuration(hip_roll_left=np.pi / 2)
    with pytest.raises(SingularError, match="'hip_yaw_left' moves no inertia in this configuration"):
        ff.dynamics.forward(robot, q, np.zeros(robot.nv), np.zeros(robot.nv))
    with pytest.raises(SingularError, match="hip_yaw_left"):
        ff.dynamics.inverse_inertia(robot, q, "torso")
    rows = np.array([robot.neutral(), q, robot.neutral()])
    with pytest.raises(SingularError, match="hip_yaw_left.*row 1"):
        ff.dynamics.forward(robot, rows, np.zeros((3, robot.nv)), np.zeros((3, robot.nv)))
    q = robot.configuration(hip_roll_left=np.pi / 2 - 1e-3)
    assert np.isfinite(ff.dynamics.forward(robot, q, np.zeros(robot.nv), np.zeros(robot.nv))).all()


def test_missing_parts_are_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "casadi", None)
    with pytest.raises(MissingPartError, match=r"footfall\[optimize\]"):
        ff.symbolic.forward(ROBOT)
    monkeypatch.setitem(__import__("sys").modules, "pinocchio", None)
    from footfall.model.peers import load_pinocchio

    with pytest.raises(MissingPartError, match=r"footfall\[bench\]"):
        load_pinocchio()


# --- files ----------------------------------------------------------------------------------------------------------------

HEAD = 'format = "footfall-robot"\nversion = 1\n'
BAD_FILES = [
    ("", "is not a robot file"),
    ("x = [", "is not valid TOML"),
    ("hello", "is not valid TOML"),
    (HEAD.replace("1", "9"), "has version 9; this Footfall reads version 1"),
    (HEAD.replace("1", "true"), "has version True; this Footfall reads version 1"),
    (HEAD, "lacks name, space, links, joints"),
    (HEAD + 'name="a"\nspace="planar"\nlinks=3\njoints=[]', "links must be a list, got 3"),
    (HEAD + 'name="a"\nspace="planar"\nlinks=[1]\njoints=[]', r"links\[0\] must be a table of name, mass, com, inertia, solid, as_given, got 1"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\n[[links]]\nname="b"\nmas=1.0', r"no key .in .*links\[0\]. 'mas'. Did you mean 'mass'"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\n[[links]]\nname="b"\nmass="__import__(\'os\')"', "link 'b': mass must be a number"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\n[[links]]\nname="b"\nmass=nan', "link 'b': mass must be finite"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\n[[links]]\nname=5\nmass=1', "name must be a word, got 5"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\nlinks=[]\n[[feet]]\nname="f"\npads=[{shape="ball"}]', "shape, one of point, heel_toe, box, arc, sphere, capsule, got 'ball'"),
    (HEAD + "name=" + "[" * 20000 + "]" * 20000, "nested too deeply"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\n[[links]]\nname="b"\nmass=' + "[" * 300 + "]" * 300, "link 'b'|nested too deeply"),
    (HEAD + 'name="a"\nspace="planar"\njoints=[]\nlinks=[' + '{name="x",mass=1.0},' * 20000 + "]", "has 20000 links; at most 10000"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_bad_robot_files(text, message, tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text(text)
    with pytest.raises(FootfallError, match=message):
        ff.read_robot(path)


def test_every_truncation_of_a_file_is_refused_or_a_robot():
    """Cut anywhere, a file never crashes the reader."""
    text, refused = robot_text(ff.robots.load("ranger")), 0
    lengths = range(0, len(text), 37)
    for length in lengths:
        try:
            assert parse_robot(text[:length]).name == "ranger"
        except FootfallError:
            refused += 1
    assert refused > 0.8 * len(lengths)  # what is left out at the end (frames, feet, a motor) may be missing


def test_unreadable_files(tmp_path):
    with pytest.raises(FileError, match="cannot be read: No such file"):
        ff.read_robot(tmp_path / "none.toml")
    with pytest.raises(FileError, match="is not a file but a folder"):
        ff.read_robot(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileError, match="is not a text file: byte 0"):
        ff.read_robot(tmp_path / "binary")
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(40_000_000)
    with pytest.raises(FileError, match="more than 8,000,000 bytes"):
        ff.read_robot(tmp_path / "huge")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: ff.studies.load("ranger-walk", split=3.0), r"split must be from -1.9 to 1.9 m, got 3"),
        (lambda: ff.studies.load("simple-biped-hills", slope=0.0), "slope must be from 0.00174533 to 1.39626 rad, got 0"),
        (lambda: ff.studies.load("simple-biped-hills", rise=0.0), "rise must be from .* got 0"),
        (
            lambda: ff.simulate(ff.studies.load("simple-biped-walk", apart=1.5)),
            "joint 'leg_left' is at .*, beyond its stops at -0.1",
        ),
        (
            lambda: ff.simulate(ff.studies.load("ranger-walk", seconds=1e6), record_dt=0.001),
            "GiB, .*record less often than every 0.001 s",
        ),
    ],
)
def test_starts_and_grounds_that_cannot_be(ask, message):
    with pytest.raises(FootfallError, match=message):
        ask()


def test_long_hills_are_no_steeper():
    """Whoever walks for a day has the hills of whoever walks for a while."""
    ground = ff.studies.load("simple-biped-hills", seconds=1e5).world.terrain
    x = np.linspace(0.0, 500.0, 50_001)
    slopes = np.gradient([ground.height(each) for each in x.tolist()], x)
    assert np.degrees(np.arctan(np.abs(slopes).max())) < 13.5
