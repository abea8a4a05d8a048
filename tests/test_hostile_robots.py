"""Robot files that mean harm, or make no sense: refused with a clear error, soon, and with little memory.

How soon is told by `footfall reproduce imported/hostile`, in seconds. Here it is compared with a robot of 400 links that makes sense,
read in the same process: other programs on the machine stretch both. Work that grows as the square of what there is would take a
hundred times as long.
"""

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.errors import FootfallError
from footfall.model import mjcf, urdf
from footfall.model.reading.read import import_text
from footfall.reproduce._hostile import mutated
from foreign import random_mjcf, random_urdf

MOST, MEGABYTES = 30.0, 500  # times what the yardstick takes
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LAUGHS = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))


def chain(n, inertial=INERTIAL):
    links = "".join(f'<link name="l{i}">{inertial}</link>' for i in range(n))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/></joint>' for i in range(1, n)
    )
    return f'<robot name="r">{links}{joints}</robot>'


def one(link=INERTIAL, joint='<parent link="a"/><child link="b"/>', kind="revolute", more=""):
    return (
        f'<robot name="r"><link name="a">{link}</link><link name="b">{INERTIAL}</link>'
        f'<joint name="j" type="{kind}">{joint}</joint>{more}</robot>'
    )


def body(inside, more=""):
    return f'<mujoco>{more}<worldbody><body name="a"><freejoint/>{inside}</body></worldbody></mujoco>'


ENDS = '<parent link="a"/><child link="b"/>'
HOSTILE = {
    "entity": ("<!DOCTYPE robot [" + LAUGHS + "]><robot name='&a11;'/>", "document types and entities are refused"),
    "outside": ('<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>', "line 1: document types and entities are refused"),
    "fetch": ('<!DOCTYPE r [<!ENTITY x SYSTEM "http://127.0.0.1/x">]><robot name="r">&x;</robot>', "entities are refused"),
    "deep": ("<robot>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>", "within each other"),
    "many": ("<robot>" + "<a/>" * 1_000_000 + "</robot>", "too large for a robot"),
    "million links": ("<robot>" + "".join(f'<link name="l{i}"/>' for i in range(1_000_000)) + "</robot>", "characters, too many|too large"),
    "too many links": (chain(5_000), "links; at most"),
    "many attributes": ("<robot " + " ".join(f'a{i}="1"' for i in range(500)) + "/>", "attributes of one"),
    "long name": (f'<robot name="{"x" * 1_000_000}"><link name="{"y" * 1_000_000}">{INERTIAL}</link></robot>', None),
    "no end": ("<robot name='r'><link name='a'>", "not valid XML"),
    "not XML": ("<robot", "not valid XML"),
    "empty": ("", "not valid XML"),
    "other": ("<svg/>", "Known: mujoco .MJCF., robot .URDF."),
    "sdf": ("<sdf version='1.6'/>", "SDF is not read"),
    "xacro": ('<robot xmlns:xacro="x"><xacro:property name="a" value="1"/></robot>', "nothing is executed here; expand it with `xacro"),
    "macro": ('<robot name="r"><link name="${name}"/></robot>', "expand it with `xacro"),
    "nan": (one(INERTIAL.replace('"1"/><inertia', '"nan"/><inertia')), "line 1, <mass>: value must be made of finite numbers, got 'nan'"),
    "infinite": (one(INERTIAL.replace('ixx="1"', 'ixx="inf"')), "ixx must be made of finite numbers, got 'inf'"),
    "huge": (one(INERTIAL.replace('ixx="1"', 'ixx="1e300"')), r"ixx must be at most 1e\+12 in size"),
    "digits": (one(INERTIAL.replace('ixx="1"', f'ixx="{"9" * 100_000}"')), "ixx must be"),
    "negative": (one(INERTIAL.replace('<mass value="1"', '<mass value="-1"')), "value must be at least 0, got -1"),
    "words": (one(joint=ENDS + '<axis xyz="up"/>'), "xyz must be made of finite numbers, got 'up'"),
    "two numbers": (one(joint=ENDS + '<axis xyz="1 0"/>'), "xyz must be 3 numbers, got '1 0'"),
    "no axis": (one(joint=ENDS + '<axis xyz="0 0 0"/>'), "xyz must not be all zero"),
    "limits": (one(joint=ENDS + '<limit lower="2" upper="1"/>'), "lower must not be above upper, got 2 and 1"),
    "kind": (one(kind="revolut"), "Did you mean 'revolute'"),
    "no link": (one(joint='<parent link="a"/><child link="c"/>'), "there is no link 'c'; the child of a joint must be"),
    "loop": (one(joint='<parent link="b"/><child link="b"/>'), "loop|two parents|never reaches the world"),
    "round": (one(more='<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'), "must be a tree with one root; it has no"),
    "two roots": (f'<robot name="r"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link></robot>', "it has 2 links that are no child"),
    "twice": (one(more='<link name="a"/>'), "there is another link of that name, in line 1"),
    "no mass": ('<robot name="r"><link name="a"/></robot>', "moves no mass|cannot move"),
    "shape": (one(INERTIAL + "<collision><geometry><cone/></geometry></collision>"), "is no shape; a box, sphere"),
    "flat": (one(INERTIAL + '<collision><geometry><box size="1 0 1"/></geometry></collision>'), "size must be above 0 m"),
    "bodies": ("<mujoco><worldbody>" + "".join(f'<body name="b{i}"><freejoint/><geom size="1"/></body>' for i in range(20_000)) + "</worldbody></mujoco>", "links; at most|too large"),
    "nested": ("<mujoco><worldbody>" + "<body><joint/><geom size='1'/>" * 3_000 + "</body>" * 3_000 + "</worldbody></mujoco>", "within each other"),
    "classes": ("<mujoco>" + "<default class='a'>" * 500 + "</default>" * 500 + "</mujoco>", None),
    "geom": (body('<geom type="ball" size="1"/>'), "there is no type .*'ball'"),
    "huge geom": (body('<geom size="1e12" density="1e12"/>'), None),
    "tiny geom": (body('<geom size="1e-300"/>'), "no volume|moves no mass|above 0"),
    "no asset": (body('<geom type="mesh" mesh="m"/>'), "there is no mesh 'm' among the assets"),
    "shell": (body('<geom size="1" shellinertia="true"/>'), "give the body an <inertial>"),
    "upward": (body('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" file="../../../etc/passwd"/></asset>'), "leaves its mass to the mesh 'm', which is not read"),
    "include": (body("<geom size='1'/>", '<include file="/etc/passwd"/>'), "lies outside the folder"),
    "include up": (body("<geom size='1'/>", '<include file="../../../../../../etc/passwd"/>'), "lies outside the folder"),
    "include fetched": (body("<geom size='1'/>", '<include file="http://127.0.0.1/x.xml"/>'), "nothing is fetched"),
}  # fmt: skip


def tried(act):
    """What it does, and how long that takes this process."""
    begin = time.process_time()
    try:
        return act(), time.process_time() - begin
    except FootfallError as error:
        return error, time.process_time() - begin


@pytest.fixture(scope="module")
def soon():
    """A function that does something, asserts that it takes little work, and returns what it found."""
    yardstick = min(tried(lambda: import_text(chain(400), "robot.urdf"))[1] for _ in range(3))

    def act(doing):
        for _ in range(3):  # what is late by chance is not late again
            found, took = tried(doing)
            if took < MOST * yardstick:
                return found
        raise AssertionError(f"it takes {took:.2f} s, {took / yardstick:.0f} times a robot of 400 links")

    return act


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_soon(name, tmp_path, soon):
    """With an error that says what is wrong; a few make sense and are read."""
    text, message = HOSTILE[name]
    found = soon(lambda: import_text(text, tmp_path / "robot.xml"))
    if message is None:
        assert isinstance(found, FootfallError) or found.robot.nv
    else:
        assert isinstance(found, FootfallError), found
        assert re.search(message, str(found)), found
        assert len(str(found)) < 1000


def star(links):
    return re.sub(r'<parent link="l\d+"/>', '<parent link="l0"/>', chain(links))


MANY = 90_000
MARKS = "".join(
    f'<link name="m{i}"/><joint name="k{i}" type="fixed"><parent link="{f"m{i - 1}" if i else "b"}"/><child link="m{i}"/></joint>'
    for i in range(1_900)
)
LAID = "<collision><origin rpy='0.3 0.2 0.1'/><geometry><box size='1 1 1'/></geometry></collision>"
RODS = "<collision><geometry><cylinder radius='1' length='2'/></geometry></collision><collision><geometry><sphere radius='1'/></geometry></collision>"
JOINT = "<body><joint name='j'/><geom size='1'/></body>"
LARGE = {
    "numbers": (body(f"<inertial pos='{'1 ' * 3_900_000}' mass='1'/>"), {}, "pos must be 3 numbers"),
    "vertices": (body("<geom type='mesh' mesh='m'/>", f"<asset><mesh name='m' vertex='{'1 ' * 3_900_000}'/></asset>"), {}, "at most 500,000 numbers"),
    "sites": (body("<geom size='1'/>" + "<site name='a'/>" * MANY), {}, "90,000 frames; at most 10,000"),
    "sites with names to clean": (body("<geom size='1'/>" + "".join(f"<site name='{'./'[i % 2]}{i % 3}'/>" for i in range(9_900))), {}, None),
    "default values": (body("<geom size='1'/>", "<default>" + "".join(f"<t{i} a='1'/>" for i in range(MANY)) + "".join(f"<default class='c{i}'/>" for i in range(990)) + "</default>"), {}, None),
    "motors": (body("<geom size='1'/>" + JOINT).replace("</mujoco>", "<actuator>" + "<motor joint='j'/>" * MANY + "</actuator></mujoco>"), {}, "actuators; at most"),
    "keyframes": (body("<geom size='1'/>" + JOINT).replace("</mujoco>", "<keyframe>" + "<key qpos='0 0 1 1 0 0 0 0'/>" * MANY + "</keyframe></mujoco>"), {}, "keyframes; at most"),
    "a tendon": (body("<geom size='1'/>" + JOINT).replace("</mujoco>", "<tendon><fixed stiffness='1'>" + "<joint joint='j' coef='1'/>" * MANY + "</fixed></tendon></mujoco>"), {}, "parts of tendons; at most"),
    "shapes": (body("<geom size='1'/>" * MANY), {}, "shapes of one body; at most"),
    "rods and balls": (one(INERTIAL + RODS * 12_000), {}, "shapes of one link; at most"),
    "fewer rods and balls": (one(INERTIAL + RODS * 950, kind="continuous"), {}, None),
    "frames on frames": (one(kind="continuous", more=MARKS), {}, None),
    "fixed links": (one(kind="continuous", more=MARKS.replace("/><joint", f">{INERTIAL}</link><joint")), {"merge": True}, None),
    "boxes that lie across": (chain(900, INERTIAL + LAID), {}, None),
    "unknown elements": (one(kind="continuous", more="".join(f"<t{i}/>" for i in range(MANY))), {}, None),
    "a chain": (chain(1_900), {}, None),
    "a star": (star(1_900), {}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_large_files_take_work_in_proportion(name, soon):
    """Files at the bounds, and beyond them, whose parts would have to be compared with all others."""
    text, options, message = LARGE[name]
    found = soon(lambda: import_text(text, "robot.xml", **options))
    if message is None:
        assert not isinstance(found, FootfallError), found
    else:
        assert re.search(message, str(found)), found


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_memory_stays_small(tmp_path):
    """All of them in a process of its own. Its peak is that of its own memory: ru_maxrss has that of who started it, too."""
    for name in ("many", "million links", "deep", "entity", "long name", "bodies"):
        (tmp_path / f"{name}.xml").write_text(HOSTILE[name][0])
    code = (
        "import sys\nfrom pathlib import Path\nimport footfall as ff\n"
        "ff.import_robot\nfrom footfall.model.reading import read\n"
        "for path in sorted(Path(sys.argv[1]).glob('*.xml')):\n"
        "    try:\n        ff.read_robot(path)\n    except ff.FootfallError:\n        pass\n"
        "status = Path('/proc/self/status').read_text()\n"
        "print(int(status.split('VmHWM:')[1].split()[0]) // 1024)\n"
    )
    shown = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, env=os.environ)
    assert int(shown.stdout) < MEGABYTES, shown.stderr


# --- meshes ---------------------------------------------------------------------------------------------------------------

FOOT = (
    f'<robot name="r"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}<collision><origin xyz="0 0 -1"/><geometry>'
    '<mesh filename="MESH"/></geometry></collision></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.stl", b"solid " + b"vertex 1 2\n" * 1000, "has no points"),
        ("a.stl", bytes(80) + (2**31).to_bytes(4, "little") + bytes(50), "do not hold the 2147483648 triangles"),
        ("a.stl", b"solid\nvertex 1 2 3\n", "no whole number of triangles"),
        ("a.stl", b"solid\n" + b"vertex nan 2 3\n" * 3, "points that are not finite"),
        ("a.stl", bytes(31_000_000), "more than 30,000,000 bytes"),
        ("a.obj", b"v 1 2 x\n", "its numbers cannot be read"),
        ("a.obj", b"v 1e300 2 3\n" * 4, "too far away"),
        ("a.dae", b"<!DOCTYPE x><COLLADA/>", "document types and entities are refused"),
        ("a.dae", b"<COLLADA><library_nodes><node id='n'><instance_node url='#n'/></node></library_nodes>"
                  b"<visual_scene><node><instance_node url='#n'/></node></visual_scene></COLLADA>", "its scene is too large"),
        ("a.dae", b"<COLLADA/>", "has no points"),
        ("a.ply", b"ply", "is no mesh that is read; known are STL, OBJ and DAE"),
        ("../a.stl", b"", "lies outside the folder"),
        ("/etc/passwd", b"", "lies outside the folder"),
        ("package://x/../../../etc/passwd", b"", "lies outside the folder|is not in the folder"),
        ("http://127.0.0.1/a.stl", b"", "nothing is fetched"),
        ("b.stl", b"", "is not in the folder"),
    ],
)  # fmt: skip
def test_meshes_that_are_none_are_left_out(name, content, said, tmp_path, soon):
    """A robot is read without them, and it is said."""
    if content:
        (tmp_path / name).write_bytes(content)
    (tmp_path / "r.urdf").write_text(FOOT.replace("MESH", name))
    found = soon(lambda: ff.import_robot(tmp_path / "r.urdf"))
    assert re.search(said, "\n".join(found.left_out)), found.left_out
    assert found.robot.feet == ()


def ball_of(corners, seed=0):
    """A binary STL with its corners on a ball."""
    points = np.random.default_rng(seed).normal(size=(corners, 3))
    facets = np.zeros(corners // 3, [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    facets["corners"] = (points / np.linalg.norm(points, axis=1)[:, None]).reshape(-1, 3, 3)
    return bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes()


def test_meshes_with_all_their_corners_on_the_hull_are_thinned(tmp_path, soon):
    """Of 900,000 corners on a ball; slender ones need the edges of their hull."""
    (tmp_path / "a.stl").write_bytes(ball_of(900_000))
    (tmp_path / "r.urdf").write_text(FOOT.replace('"MESH"', '"a.stl" scale="1 1 3"'))
    robot = soon(lambda: ff.import_robot(tmp_path / "r.urdf")).robot
    assert all(pad.at[2] == pytest.approx(-4.0, abs=1e-3) for pad in robot.feet[0].pads)
    (tmp_path / "r.urdf").write_text(FOOT.replace('"MESH"', '"a.stl" scale="1 1 3"').replace("0 0 -1", "0 0 1"))
    found = soon(lambda: ff.import_robot(tmp_path / "r.urdf", feet=()))
    assert len(found.robot.shapes) == 4
    assert max(pad.at[2] + pad.size[2] / 2 for pad in found.robot.shapes) == pytest.approx(4.0, abs=1e-3)


def test_one_mesh_for_many_shapes_is_worked_out_once(tmp_path, soon):
    (tmp_path / "a.stl").write_bytes(ball_of(3_000))
    shape = '<collision><geometry><mesh filename="a.stl" scale="1 1 3"/></geometry></collision>'
    (tmp_path / "r.urdf").write_text(one(INERTIAL + 1_500 * shape, kind="continuous"))
    found = soon(lambda: ff.import_robot(tmp_path / "r.urdf"))
    assert len(found.robot.shapes) in (4_500, 6_000)
    (tmp_path / "a.stl").write_bytes(ball_of(30_000))
    with pytest.raises(FootfallError, match="45,000,000 points in the meshes of its shapes; at most 5,000,000"):
        ff.import_robot(tmp_path / "r.urdf")


def test_a_link_to_a_file_elsewhere_is_not_followed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.stl").write_bytes(b"solid\n" + b"vertex 1 2 3\n" * 3)
    (tmp_path / "in" / "a.stl").symlink_to(tmp_path / "secret.stl")
    (tmp_path / "in" / "r.urdf").write_text(FOOT.replace("MESH", "a.stl"))
    assert "lies outside the folder" in "\n".join(ff.import_robot(tmp_path / "in" / "r.urdf").left_out)


# --- mutations ------------------------------------------------------------------------------------------------------------


def mutations(count, seed):
    rng = random.Random(seed)
    texts = [random_urdf(3), random_urdf(8), *(random_mjcf(i)[0] for i in (1, 4, 9))]
    texts += [
        urdf.urdf_text(ff.robots.load("wendlandt-3d"), bodies=True).text,
        mjcf.mjcf_text(ff.robots.load("person"), bodies=True).text,
    ]
    for _ in range(count):
        yield mutated(rng.choice(texts), rng)


def test_mutations_are_read_or_refused(soon):
    """Anything but a robot or a clear error is raised."""
    read = refused = 0
    for text in mutations(150, seed=1):
        found = soon(lambda text=text: import_text(text, "robot.xml"))
        read, refused = read + (not isinstance(found, FootfallError)), refused + isinstance(found, FootfallError)
        if isinstance(found, FootfallError):
            assert 10 < len(str(found)) < 2000
    assert read > 5
    assert refused > 50
