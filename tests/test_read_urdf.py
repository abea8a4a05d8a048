"""Robots read from URDF: beside Pinocchio on the same text, and there and back."""

import dataclasses
import math

import numpy as np
import pytest

import footfall as ff
from footfall.model import urdf
from footfall.model.reading.read import import_text
from foreign import random_urdf
from humanoids import humanoid
from importing import BesidePinocchio
from trees import random_robot

READY = ff.robots.names()


def read(body, path="robot.urdf", **options):
    return import_text(f'<robot name="r">{body}</robot>', path, **options)


LEG = """
<link name="hip"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<link name="leg"><inertial><origin xyz="0 0 -0.3"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
  <collision><origin xyz="0.05 0 -0.6"/><geometry><box size="0.2 0.1 0.02"/></geometry></collision></link>
<joint name="knee" type="revolute"><parent link="hip"/><child link="leg"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="2" effort="30" velocity="8"/><dynamics damping="0.5" friction="0.25"/></joint>
"""


# --- beside Pinocchio -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_robots_are_those_of_pinocchio(first):
    """Mass, mass matrix, bias and the frames of links agree to 1e-9, with fixed links kept and merged."""
    for seed in range(first, first + 50):
        source, rng = random_urdf(seed), np.random.default_rng(seed)
        for merge in (False, True):
            robot = import_text(source, "tree.urdf", merge=merge).robot
            other = BesidePinocchio(robot, source)
            assert abs(robot.mass - sum(inertia.mass for inertia in other.model.inertias)) < 1e-9
            assert max(other.errors(rng)) < 1e-9
            names = [
                *(link.name for link in robot.links if not link.name.endswith(("_box", "_sole"))),
                *(f.name for f in robot.frames),
            ]
            assert other.frame_error(rng, {name: name for name in names if other.model.existFrame(name)}) < 1e-9


def test_limits_and_dynamics_of_random_robots_are_kept():
    for seed in range(40):
        source = random_urdf(seed)
        robot = import_text(source, "tree.urdf").robot
        model = BesidePinocchio(robot, source).model
        for joint in robot.layout.joints:
            if joint.kind == "free":
                continue
            other = model.joints[model.getJointId(joint.name)]
            assert joint.motor.torque == model.effortLimit[other.idx_v]
            assert joint.motor.speed == model.velocityLimit[other.idx_v]
            assert joint.damping == model.damping[other.idx_v]
            assert joint.friction == model.friction[other.idx_v]
            if other.nq == 1:
                assert joint.limits == (model.lowerPositionLimit[other.idx_q], model.upperPositionLimit[other.idx_q])


# --- there and back -------------------------------------------------------------------------------------------------------


def back(robot, bodies):
    return import_text(urdf.urdf_text(robot, bodies=bodies).text, "robot.urdf").robot


@pytest.mark.parametrize("bodies", [False, True])
@pytest.mark.parametrize("name", READY)
def test_ready_robots_come_back(name, bodies):
    """What was read, written and read again is the same to the bit; so is all that URDF can say of the robot itself."""
    robot = ff.robots.load(name).in_space()
    once = back(robot, bodies)
    assert back(once, bodies) == once
    assert once.mass == pytest.approx(robot.mass, rel=1e-15)
    if not any(joint.kind == "spherical" for joint in robot.joints):
        assert once.coordinates == sorted_like(robot, once).coordinates
        q = ff.kinematics.random_configuration(once, np.random.default_rng(1))
        M = ff.dynamics.mass_matrix(without_motors(once), q)
        assert np.allclose(M, ff.dynamics.mass_matrix(without_motors(sorted_like(robot, once)), q), rtol=1e-12, atol=1e-14)
    assert sorted(foot.name for foot in once.feet) == sorted(foot.name for foot in robot.feet)


def sorted_like(robot, other):
    """The robot with its joints in the order of another."""
    place = {joint.child: i for i, joint in enumerate(other.joints)}
    return dataclasses.replace(robot, joints=tuple(sorted(robot.joints, key=lambda joint: place.get(joint.child, 0))))


def without_motors(robot):
    return dataclasses.replace(robot, joints=tuple(dataclasses.replace(joint, motor=None) for joint in robot.joints))


@pytest.mark.parametrize("name", ["wendlandt-3d", "johnnie"])
def test_what_urdf_can_say_comes_back_as_it_was(name):
    robot = ff.robots.load(name)
    once = back(robot, bodies=False)
    place = {link.name: i for i, link in enumerate(once.links)}
    assert sorted(once.links, key=lambda link: link.name) == sorted(robot.links, key=lambda link: link.name)
    for joint in robot.joints:
        read_back = once.joint(joint.name)
        assert (read_back.kind, read_back.parent, read_back.child) == (joint.kind, joint.parent, joint.child)
        assert (read_back.at, read_back.turn, read_back.axis, read_back.limits) == (
            joint.at,
            joint.turn,
            joint.axis,
            joint.limits,
        )
        assert (read_back.damping, read_back.friction, bool(read_back.motor)) == (
            joint.damping,
            joint.friction,
            bool(joint.motor),
        )
    assert once.feet == tuple(dataclasses.replace(foot, compliance=None) for foot in robot.feet)
    assert set(once.frames) == set(robot.frames)
    assert len(place) == len(robot.links)


@pytest.mark.parametrize("seed", range(30))
def test_random_robots_come_back(seed):
    once = back(random_robot(seed, "spatial"), bodies=True)
    assert back(once, bodies=True) == once


# --- kinds of joints ------------------------------------------------------------------------------------------------------


def test_what_a_joint_says():
    robot = read(LEG).robot
    knee = robot.joint("knee")
    assert (knee.kind, knee.axis, knee.limits) == ("revolute", (0.0, 1.0, 0.0), (-1.0, 2.0))
    assert (knee.damping, knee.friction, knee.motor) == (0.5, 0.25, ff.Motor(torque=30.0, speed=8.0))
    assert robot.joint("base").kind == "free"
    assert read(LEG, base="fixed").robot.nv == 1


def with_joint(kind, more="", limit='<limit lower="-1" upper="2" effort="30" velocity="8"/>'):
    return LEG.replace('type="revolute"', f'type="{kind}"').replace(
        '<limit lower="-1" upper="2" effort="30" velocity="8"/>', limit + more
    )


def test_a_continuous_joint_has_no_limits():
    knee = read(with_joint("continuous")).robot.joint("knee")
    assert (knee.kind, knee.limits, knee.motor.torque) == ("revolute", (-math.inf, math.inf), 30.0)


@pytest.mark.parametrize(
    ("limit", "motor", "said"),
    [
        ('<limit lower="-1" upper="1" effort="0" velocity="5"/>', None, ""),
        ('<limit lower="-1" upper="1" effort="0" velocity="0"/>', ff.Motor(), "has neither effort nor velocity"),
        ('<limit lower="-1" upper="1" effort="1e9" velocity="1e9"/>', ff.Motor(), ""),
        ("", ff.Motor(), "has no limits in the file"),
    ],
)
def test_motors_and_limits_that_are_not_given(limit, motor, said):
    found = read(with_joint("revolute", limit=limit))
    assert found.robot.joint("knee").motor == motor
    assert said in "\n".join(found.left_out)


def test_armature_gear_and_rotor():
    found = read(LEG.replace('damping="0.5"', 'damping="0.5" armature="0.02"')).robot
    assert found.joint("knee").motor == ff.Motor(0.02, 1.0, 30.0, 8.0)
    transmission = (
        '<transmission name="t"><joint name="knee"/><actuator name="m"><mechanicalReduction>-50</mechanicalReduction>'
        '<drake:rotor_inertia value="1e-5"/></actuator></transmission>'
    )
    motor = read(LEG + transmission).robot.joint("knee").motor
    assert (motor.gear, motor.rotor_inertia, motor.torque) == (50.0, 1e-5, 30.0)


def test_planar_and_floating_joints_move_as_they_should():
    """A planar joint across z, and one that floats on a link that moves, beside the same joints by hand."""
    planar = read(with_joint("planar").replace('xyz="0 1 0"', 'xyz="0 0 1"'), base="fixed")
    kinds = [(joint.kind, joint.axis) for joint in planar.robot.layout.joints]
    assert kinds == [("prismatic", (1.0, 0.0, 0.0)), ("prismatic", (0.0, 1.0, 0.0)), ("revolute", (0.0, 0.0, 1.0))]
    assert any("planar" in line for line in planar.left_out)
    q = planar.robot.configuration(knee_1=0.3, knee_2=-0.2, knee_turn=0.5)
    place = ff.kinematics.pose(planar.robot, q, "leg")
    assert place.position == pytest.approx((0.3, -0.2, 0.0))
    assert place.rotation[1, 0] == pytest.approx(math.sin(0.5))
    floating = read(with_joint("floating").replace('<joint name="knee"', '<link name="top"/><joint name="knee"')
                    + '<joint name="lift" type="prismatic"><parent link="top"/><child link="hip"/><axis xyz="0 0 1"/>'
                    '<limit lower="0" upper="1" effort="9" velocity="1"/></joint>', base="fixed").robot  # fmt: skip
    assert [joint.kind for joint in floating.layout.joints] == ["prismatic"] * 4 + ["spherical"]
    assert floating.nv == 7


def test_planar_across_y_on_the_world_is_the_base_of_a_planar_robot():
    body = '<link name="world"/>' + with_joint("planar").replace('<parent link="hip"/>', '<parent link="world"/>').replace(
        '<link name="hip">', '<link name="none">'
    )
    body = body[: body.index('<link name="none">')] + body[body.index('<link name="leg">') :]
    robot = read(body).robot
    assert [joint.kind for joint in robot.joints] == ["planar"]
    assert robot.coordinates == ("knee.x", "knee.z", "knee.pitch")


def test_mimic_and_more_is_reported():
    more = '<mimic joint="other" multiplier="2" offset="0.1"/><safety_controller k_velocity="1"/>'
    body = with_joint("revolute", more) + "<gazebo/><gazebo/>" + '<material name="blue"/>'
    said = read(body).left_out
    assert "joint 'knee': is to mimic, 2 times 'other' plus 0.1; here it moves by itself" in said
    assert "joint 'knee': its <safety_controller> is left out" in said
    assert "element 'gazebo': left out (2)" in said
    assert "element 'visual': shapes and colours for the view are left out (1)" in said


def test_names_that_none_has_here():
    found = read(LEG.replace('"leg"', '"leg.1/a b"'))
    assert [link.name for link in found.robot.links] == ["hip", "leg_1_a_b"]
    assert any("'leg.1/a b'" in line for line in found.left_out)


def test_an_inertia_that_no_body_has_is_taken_as_it_is():
    found = read(LEG.replace('ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>\n<link name="leg">',
                             'ixx="0.1" iyy="0.1" izz="0.9"/></inertial></link>\n<link name="leg">'))  # fmt: skip
    assert found.robot.link("hip").inertia[:3] == (0.1, 0.1, 0.9)
    assert "inertia of 'hip': no body has such an inertia; it is taken as it is" in found.decided
    with pytest.raises(ff.errors.RobotError, match="no body has principal moments"):
        ff.Robot("r", "spatial", (ff.Link("a", 1.0, (), (0.1, 0.1, 0.9)),), (ff.Joint("b", "free", "world", "a"),))


# --- feet and shapes ------------------------------------------------------------------------------------------------------


def test_a_box_is_the_sole_of_the_foot_that_ends_lowest():
    found = read(LEG)
    assert found.robot.feet == (ff.Foot("leg", (ff.Box("leg", (0.2, 0.1, 0.02), (0.05, 0.0, -0.6)),)),)
    assert found.robot.shapes == ()
    assert "feet, found where limbs end lowest: leg (1 Box)" in found.decided


def test_feet_that_are_told():
    assert read(LEG, feet=()).robot.feet == ()
    assert read(LEG, feet=()).robot.shapes == (ff.Box("leg", (0.2, 0.1, 0.02), (0.05, 0.0, -0.6)),)
    assert [foot.name for foot in read(LEG, feet=("leg",)).robot.feet] == ["leg"]
    hip = read(LEG, feet=["hip"])
    assert hip.robot.feet == (ff.Foot("hip", (ff.Point("hip", (0.0, 0.0, 0.0)),)),)
    assert any("no shape that is known" in line for line in hip.decided)
    with pytest.raises(ff.errors.UnknownNameError, match="Did you mean 'leg'"):
        read(LEG, feet=("legg",))
    with pytest.raises(ff.errors.FileError, match="feet must be a row of names"):
        read(LEG, feet="leg")


def test_the_sole_of_a_link_that_lies_across_gets_axes_of_its_own():
    """A leg whose link has z forward and x down: the sole is a box along forward, left and up."""
    turned = LEG.replace('<child link="leg"/>', '<child link="leg"/><origin rpy="0 1.5707963267948966 0"/>').replace(
        '<origin xyz="0.05 0 -0.6"/><geometry><box size="0.2 0.1 0.02"/>',
        '<origin xyz="0.6 0 0.05"/><geometry><box size="0.02 0.1 0.2"/>',
    )
    robot = read(turned).robot
    (pad,) = robot.feet[0].pads
    assert pad.link == "leg_sole"
    assert pad.size == pytest.approx((0.2, 0.1, 0.02))
    place = ff.kinematics.pose(robot, robot.neutral(), "leg_sole", at=pad.at)
    assert place.position == pytest.approx((0.05, 0.0, -0.6))
    assert place.rotation == pytest.approx(np.eye(3))


def test_shapes_that_a_robot_has_and_those_it_has_not():
    shapes = (
        '<collision><origin rpy="0 0 0.5"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
        '<collision><origin xyz="0 0 0.4"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>'
        '<collision><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1" length="0.05"/></geometry></collision>'
        '<collision><origin xyz="0 0 0.1"/><geometry><capsule radius="0.05" length="0.4"/></geometry></collision>'
        '<collision><geometry><cylinder radius="0.1" length="0.05"/></geometry></collision>'
    )
    found = read(LEG.replace('izz="0.1"/></inertial></link>', f'izz="0.1"/></inertial>{shapes}</link>', 1))
    box, *rest = sorted(found.robot.shapes, key=lambda shape: shape.link == "hip")
    assert (box.link, box.size) == ("hip_box", (0.1, 0.2, 0.3))
    assert ff.kinematics.pose(found.robot, found.robot.neutral(), "hip_box").rotation[1, 0] == pytest.approx(math.sin(0.5))
    kinds = [type(shape).__name__ for shape in rest]
    assert kinds == ["Capsule", "Arc", "Capsule", "Box"]
    assert np.prod(rest[3].size) == pytest.approx(math.pi * 0.1**2 * 0.05)
    assert (rest[0].start, rest[0].end) == ((0.0, 0.0, pytest.approx(0.25)), (0.0, 0.0, pytest.approx(0.55)))
    assert (rest[2].start, rest[2].end) == ((0.0, 0.0, pytest.approx(-0.1)), (0.0, 0.0, pytest.approx(0.3)))
    assert "a cylinder is taken for a capsule of the same length and radius" in "\n".join(found.left_out)


STL = "solid s\n" + "".join(
    f"facet normal 0 0 0\nouter loop\n{''.join(f'vertex {x} {y} {z}' + chr(10) for x, y, z in face)}endloop\nendfacet\n"
    for face in ([(0.1, 0.05, 0), (-0.1, 0.05, 0), (0, 0, 1)], [(-0.1, 0.05, 0), (-0.1, -0.05, 0), (0, 0, 1)],
                 [(-0.1, -0.05, 0), (0.1, -0.05, 0), (0, 0, 1)], [(0.1, 0, 0.001), (0.1, -0.05, 0), (0.1, 0.05, 0)])
) + "endsolid s\n"  # fmt: skip


def test_the_sole_of_a_mesh_are_its_outermost_lowest_points(tmp_path):
    """A pyramid of 0.2 by 0.1 m, scaled by 0.5: it stands on its four lower corners."""
    (tmp_path / "foot.STL").write_text(STL)
    mesh = '<mesh filename="package://any/foot.STL" scale="0.5 0.5 0.5"/>'
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r">{LEG.replace("<box size=" + chr(34) + "0.2 0.1 0.02" + chr(34) + "/>", mesh)}</robot>'
    )
    found = ff.import_robot(tmp_path / "r.urdf")
    (foot,) = found.robot.feet
    assert {pad.at for pad in foot.pads} == {(0.05 + x, y, -0.6) for x in (-0.05, 0.05) for y in (-0.025, 0.025)}
    assert "foot 'leg': a mesh touches with the outermost 4 of the lowest points of its hull" in found.left_out
    boxes = ff.import_robot(tmp_path / "r.urdf", feet=()).robot.shapes  # five times as long as wide: five boxes, one on the other
    for k, box in enumerate(boxes):
        assert box.size == pytest.approx((0.1 * (1 - k / 5), 0.05 * (1 - k / 5), 0.1), abs=2e-4)
        assert box.at == pytest.approx((0.05, 0.0, -0.6 + 0.05 + 0.1 * k), abs=2e-4)
    assert len(boxes) == 5


@pytest.mark.parametrize("way", ["1", "-1"])
def test_soles_that_reach_backward_tell_that_a_robot_faces_the_other_way(way):
    """Two legs with ankles of pitch and roll, whose soles reach along x or against it."""
    legs = ""
    for side, y in (("one", 0.1), ("two", -0.1)):
        legs += f'''
<link name="shank_{side}"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<link name="cross_{side}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<link name="foot_{side}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
  <collision><origin xyz="{0.04 * float(way)} 0 -0.05"/><geometry><box size="0.2 0.1 0.02"/></geometry></collision></link>
<joint name="hip_{side}" type="revolute"><parent link="hips"/><child link="shank_{side}"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/></joint>
<joint name="pitch_{side}" type="revolute"><parent link="shank_{side}"/><child link="cross_{side}"/><origin xyz="0 0 -0.5"/>
  <axis xyz="0 1 0"/></joint>
<joint name="roll_{side}" type="revolute"><parent link="cross_{side}"/><child link="foot_{side}"/><axis xyz="1 0 0"/></joint>'''
    found = read('<link name="hips"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>' + legs)
    backward = way == "-1"
    assert [foot.name for foot in found.robot.feet] == (["foot_two", "foot_one"] if backward else ["foot_one", "foot_two"])
    assert any("it faces along -x" in line for line in found.decided) == backward
    for foot in found.robot.feet:  # the sole reaches forward in axes of its own
        sole = ff.kinematics.pose(found.robot, found.robot.neutral(), foot.pads[0].link)
        assert sole.rotation[:, 0] == pytest.approx((float(way), 0.0, 0.0), abs=1e-12)
        assert foot.pads[0].at[0] > 0.0


def test_shapes_for_the_view_stand_in_where_there_are_no_others():
    found = read(LEG.replace("collision>", "visual>"))
    assert [foot.name for foot in found.robot.feet] == ["leg"]
    assert "shapes: links without collision shapes have those for the view" in found.decided


def test_joints_that_move_no_mass_are_fixed():
    body = LEG + '<link name="finger"/><joint name="grip" type="revolute"><parent link="leg"/><child link="finger"/></joint>'
    found = read(body)
    assert found.robot.nv == 7
    assert "joint 'grip': moves no mass in the file, so it is fixed" in found.left_out


HAND = """<link name="hand"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="arm" type="revolute"><parent link="hip"/><child link="hand"/><origin xyz="0 0.3 -0.2"/><axis xyz="0 1 0"/></joint>"""


def test_feet_whose_meshes_are_missing_are_not_looked_for_elsewhere():
    """The leg ends lower than the hand, whatever its sole is; with it the foot is found, and without it, if it is told."""
    missing = LEG.replace('<box size="0.2 0.1 0.02"/>', '<mesh filename="package://mine/foot.stl"/>') + HAND
    assert [foot.name for foot in read(LEG + HAND).robot.feet] == ["leg"]
    for merge in (False, True):
        found = read(missing, merge=merge)
        assert found.robot.feet == ()
        assert any("'leg' ('foot.stl'); say folder=" in line for line in found.decided)
    assert [foot.name for foot in read(missing, feet=("hand",)).robot.feet] == ["hand"]
    hand = LEG + HAND.replace('<box size="0.1 0.1 0.1"/>', '<mesh filename="hand.stl"/>')
    assert [foot.name for foot in read(hand).robot.feet] == ["leg"]  # a hand is higher than the foot


def test_efforts_and_velocities_below_zero_are_said():
    found = read(LEG.replace('effort="30"', 'effort="-30"'))
    assert any("its effort (-30) or velocity (8) is below 0" in line for line in found.left_out)


def test_digits_of_other_scripts_are_no_numbers():
    with pytest.raises(ff.errors.FileError, match="finite numbers"):
        read(LEG.replace('mass value="', 'mass value="\u0663', 1))


@pytest.mark.parametrize("turn", ["0", "1.5707963267948966", "3.141592653589793", "-1.5707963267948966"])
@pytest.mark.parametrize("bodies", [False, True])
def test_left_stays_left_wherever_a_robot_faces(turn, bodies):
    """A humanoid on a root that is turned about the vertical, written and read again."""
    root = '<link name="root"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    joint = '<joint name="turn" type="fixed"><parent link="root"/><child link="torso"/><origin rpy="0 0 {}"/></joint>'
    text = humanoid().replace("<link", root + "<link", 1).replace("</robot>", joint.format(turn) + "</robot>")
    assert text.count("torso") > 3
    robot = import_text(text, "h.urdf").robot
    again = import_text(urdf.urdf_text(robot, bodies=bodies).text, "again.urdf").robot
    assert [foot.name for foot in again.feet] == [foot.name for foot in robot.feet] == ["left_5", "right_5"]
    assert again.feet == robot.feet


def test_shapes_that_footfall_drew_are_no_feet():
    text = '<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    text += text.replace('"b"', '"c"')
    text += '<joint name="j" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/></joint>'
    robot = read(text).robot
    assert robot.feet == import_text(urdf.urdf_text(robot, bodies=True).text, "again.urdf").robot.feet == ()
