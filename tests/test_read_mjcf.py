"""Robots read from MJCF: beside MuJoCo on the same text, and there and back."""

import dataclasses
import math

import mujoco
import numpy as np
import pytest

import footfall as ff
from footfall.errors import FileError, UnknownNameError
from footfall.model import mjcf
from footfall.model.reading.read import import_text
from foreign import random_mjcf
from importing import BesideMujoco
from trees import random_robot

READY = ff.robots.names()


def read(body, more="", **options):
    """A model with these bodies."""
    return import_text(f'<mujoco model="m">{more}<worldbody>{body}</worldbody></mujoco>', "m.xml", **options)


# --- beside MuJoCo --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_robots_are_those_of_mujoco(first):
    """Mass, mass matrix, bias, frames, limits, springs, motors: agree to 1e-9."""
    for seed in range(first, first + 50):
        (source, strength), rng = random_mjcf(seed), np.random.default_rng(seed)
        model = mujoco.MjModel.from_xml_string(source)
        if not model.nv:
            with pytest.raises(ff.errors.RobotError, match="cannot move"):
                import_text(source, "tree.xml")
            continue
        robot = import_text(source, "tree.xml").robot
        model.opt.gravity[:] = (0.0, 0.0, -robot.gravity)
        other = BesideMujoco(robot, model)
        assert robot.mass == pytest.approx(model.body_mass.sum(), rel=1e-9)
        assert max(other.errors(rng)) < 1e-9, seed
        same_forces(robot, other, strength)
        same_frames(robot, other)


def same_forces(robot, other, strength):
    """Limits, springs, damping, friction and motors of hinges and slides."""
    model = other.model
    for joint in robot.layout.joints:
        if joint.kind not in ("revolute", "prismatic"):
            continue
        theirs = model.joint(joint.name)
        limits = tuple(theirs.range) if theirs.limited[0] else (-math.inf, math.inf)
        assert joint.limits == pytest.approx(limits, rel=1e-9)
        assert joint.damping == pytest.approx(theirs.damping[0])
        assert joint.friction == pytest.approx(theirs.frictionloss[0])
        stiffness = float(np.ravel(theirs.stiffness)[0])
        assert (joint.spring.stiffness if joint.spring else 0.0) == stiffness
        if stiffness:
            assert joint.spring.rest == pytest.approx(model.qpos_spring[theirs.qposadr[0]])
        if joint.name in strength:
            assert joint.motor.torque == pytest.approx(strength[joint.name])
        elif joint.motor:
            assert joint.motor.torque == 0.0


def same_frames(robot, other):
    """Sites are where MuJoCo has them in the state of the last comparison."""
    q = other.data.qpos[other.q]
    for frame in robot.frames:
        site, pose = other.data.site(frame.name), ff.kinematics.pose(robot, q, frame.name)
        assert np.abs(site.xpos - pose.position).max() < 1e-9
        assert np.abs(site.xmat.reshape(3, 3) - pose.rotation).max() < 1e-9


MESH = ([(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 1), (2, 0, 1), (2, 1, 1), (1, 1, 1), (1, 2, 1), (0, 2, 1)],
        [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 5, 4), (6, 7, 8), (6, 8, 9), (6, 9, 10), (6, 10, 11)]
        + [face for i in range(6) for j in [(i + 1) % 6] for face in ((i, j, j + 6), (i, j + 6, i + 6))])  # fmt: skip


def random_surface(rng):
    """A closed surface of random bumps about a ball, not convex, and folded in places."""
    from scipy.spatial import ConvexHull

    points = rng.normal(size=(40, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points)
    faces = [face[::-1] if np.linalg.det(points[face]) < 0 else face for face in hull.simplices]
    return 0.1 * points * rng.uniform(0.2, 2.0, (40, 1)) + rng.normal(0, 0.05, (40, 3)), faces


@pytest.mark.parametrize("how", ["legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("extra", ["", 'scale="1 2 0.5"', 'scale="1 -2 0.5" refpos="0.1 0.2 0" refquat="0.5 0.1 0.7 0.2"'])
def test_a_mass_that_is_left_to_a_mesh(how, extra):
    surfaces = [MESH] if how == "exact" else [MESH, *(random_surface(np.random.default_rng(seed)) for seed in range(5))]
    for vertices, faces in surfaces:
        numbers = [" ".join(map(repr, np.ravel(rows).tolist())) for rows in (np.array(vertices) / 10.0, np.array(faces))]
        source = (
            f'<mujoco><asset><mesh name="m" inertia="{how}" vertex="{numbers[0]}" face="{numbers[1]}" {extra}/></asset><worldbody>'
            '<body name="a"><freejoint/><geom mesh="m" type="mesh" pos="0.1 0.2 0.3" euler="10 20 30"/></body></worldbody></mujoco>'
        )
        model = mujoco.MjModel.from_xml_string(source)
        link = import_text(source, "m.xml").robot.links[0]
        xx, yy, zz, xy, xz, yz = link.inertia
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert link.mass == pytest.approx(model.body_mass[1], rel=1e-9)
        assert link.com == pytest.approx(model.body_ipos[1], abs=1e-10)
        assert moments == pytest.approx(np.sort(model.body_inertia[1]), rel=1e-9)


# --- there and back -------------------------------------------------------------------------------------------------------


def back(robot, bodies):
    return import_text(mjcf.mjcf_text(robot, bodies=bodies).text, "robot.xml").robot


def without_inertia(robot):
    links = tuple(dataclasses.replace(link, inertia=0.0, as_given=True) for link in robot.links)
    joints = tuple(
        dataclasses.replace(j, motor=ff.Motor(1.0)) if j.kind not in ("fixed", "free", "planar") else j for j in robot.joints
    )
    return dataclasses.replace(robot, links=links, joints=joints)


def same(first, second):
    """All to the bit, but for inertias across the axes of their links: MuJoCo has principal axes, which cost a rounding."""
    straight = all(not any(link.inertia[3:]) for link in first.links)
    assert (first if straight else without_inertia(first)) == (second if straight else without_inertia(second))
    for one, other in zip(first.links, second.links, strict=True):
        assert np.allclose(one.inertia, other.inertia, rtol=0.0, atol=1e-15 * max(max(one.inertia), 1e-15) * 8)
        assert one.as_given == other.as_given


@pytest.mark.parametrize("bodies", [False, True])
@pytest.mark.parametrize("name", READY)
def test_ready_robots_come_back(name, bodies):
    robot = ff.robots.load(name).in_space()
    once = back(robot, bodies)
    same(once, back(once, bodies))
    assert once.nv == robot.nv
    assert sorted(foot.name for foot in once.feet) == sorted(foot.name for foot in robot.feet)
    assert once.gravity == robot.gravity
    assert once.origin == robot.origin
    assert [t.arms for t in once.tendons] == [t.arms for t in robot.tendons]


@pytest.mark.parametrize("name", ["person", "johnnie", "ranger"])
def test_what_mjcf_can_say_comes_back_as_it_was(name):
    """Links without mass between two joints are no bodies in MuJoCo: they are called after their joint when they come back."""
    robot = ff.robots.load(name).in_space()
    once = back(robot, bodies=False)
    for joint in once.joints:
        first = robot.joint(joint.name)
        ends = [key for key in ("parent", "child") if getattr(joint, key) in {"world", *(link.name for link in robot.links)}]
        for key in (*ends, "kind", "at", "turn", "axis", "limits", "damping", "friction", "spring"):
            assert getattr(joint, key) == getattr(first, key), (joint.name, key)
        assert bool(joint.motor) == bool(first.motor)
        if joint.motor:
            assert joint.motor.strongest == first.motor.strongest
            assert joint.motor.rotor_inertia == first.motor.rotor_inertia * first.motor.gear**2
    assert set(once.frames) == set(robot.frames)


@pytest.mark.parametrize("seed", range(30))
def test_random_robots_come_back(seed):
    once = back(random_robot(seed, "spatial"), bodies=True)
    again = back(once, bodies=True)
    assert [link.name for link in again.links] == [link.name for link in once.links]
    rng = np.random.default_rng(seed)
    q = ff.kinematics.random_configuration(once, rng)
    assert np.allclose(ff.dynamics.mass_matrix(once, q), ff.dynamics.mass_matrix(again, q), rtol=0.0, atol=1e-12)


# --- what a file says -----------------------------------------------------------------------------------------------------

LEG = (
    '<body name="hip" pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.1 0.1 0.1"/>'
    '<body name="leg" pos="0 0 -0.2"><joint name="knee" axis="0 1 0" range="-10 100" armature="0.02"/>'
    '<geom name="shin" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/>'
    '<geom name="sole" type="box" size="0.1 0.05 0.01" pos="0.05 0 -0.54"/><site name="toe" pos="0.15 0 -0.55"/></body></body>'
)


def test_what_a_model_says():
    found = read(LEG, '<actuator><motor joint="knee" gear="50" ctrlrange="-2 2"/></actuator>')
    robot = found.robot
    assert [joint.kind for joint in robot.joints] == ["free", "revolute"]
    assert robot.joint("knee").limits == pytest.approx((math.radians(-10), math.radians(100)))
    assert robot.joint("knee").motor == ff.Motor(0.02, 1.0, 100.0)
    assert robot.feet == (ff.Foot("leg", (ff.Box("leg", (0.2, 0.1, 0.02), (0.05, 0.0, -0.54)),)),)
    assert {type(shape).__name__ for shape in robot.shapes} == {"Box", "Capsule"}
    assert found.poses["start"].tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert robot.frames == (ff.Frame("toe", "leg", (0.15, 0.0, -0.55), (0.0, 0.0, 0.0)),)


def test_keyframes_are_poses():
    key = '<keyframe><key name="bent" qpos="0 0 1 1 0 0 0 0.5"/><key qpos="0 0 2 1 0 0 0 0.25"/></keyframe>'
    found = read(LEG, key)
    assert found.poses["bent"][7] == 0.5
    assert found.poses["key_1"][2] == 2.0


@pytest.mark.parametrize(
    ("actuator", "torque", "said"),
    [
        ('<motor joint="knee" gear="-3" ctrlrange="-1 1"/>', 3.0, ""),
        ('<motor joint="knee" gear="3"/>', math.inf, ""),
        ('<motor joint="knee" ctrlrange="-1 4"/>', 4.0, "stronger one way"),
        ('<motor joint="knee" gear="10" ctrlrange="-9 9" forcerange="-2 2"/>', 20.0, ""),
        ('<position joint="knee" kp="100" forcerange="-30 30"/>', 30.0, "a position servo is left out"),
        ('<velocity joint="knee" kv="10"/>', math.inf, "a velocity servo is left out"),
        ('<general joint="knee" gainprm="5" ctrlrange="-1 1"/>', 5.0, ""),
        ('<general joint="knee" gainprm="100" biastype="affine" forcerange="-7 7"/>', 7.0, "the servo or the dynamics"),
        ('<motor joint="knee" gear="2" ctrlrange="-1 1"/><motor joint="knee" gear="3" ctrlrange="-1 1"/>', 5.0, ""),
        ("", 0.0, "a motor of torque 0 stands for it"),
    ],
)
def test_motors_are_as_strong_as_actuators(actuator, torque, said):
    found = read(LEG, f"<actuator>{actuator}</actuator>")
    assert found.robot.joint("knee").motor.torque == torque
    assert said in "\n".join(found.left_out)


def test_joints_may_limit_their_motors():
    body = LEG.replace('name="knee"', 'name="knee" actuatorfrcrange="-6 6"')
    assert read(body, '<actuator><motor joint="knee" gear="50"/></actuator>').robot.joint("knee").motor.torque == 6.0


def test_tendons_and_equalities():
    more = (
        '<tendon><fixed name="cord" stiffness="5" springlength="-1e6 0.1"><joint joint="knee" coef="0.2"/></fixed>'
        '<fixed name="loose"><joint joint="knee" coef="1"/></fixed></tendon>'
        '<equality><joint joint1="knee"/><joint joint1="knee"/></equality>'
        '<contact><exclude body1="hip" body2="leg"/></contact><sensor><gyro site="toe"/></sensor>'
    )
    found = read(LEG, more)
    assert found.robot.tendons == (ff.Tendon("cord", (ff.MomentArm("knee", 0.2),), 5.0, 0.1),)
    said = "\n".join(found.left_out)
    for line in (
        "tendon 'loose': is left out",
        "element 'equality/joint': left out (2)",
        "element 'contact/exclude': left out (1); links of one robot do not touch each other here",
        "element 'sensor/gyro': left out (1)",
    ):
        assert line in said


def test_slides_and_a_hinge_are_a_planar_base():
    """As the walkers of benchmarks have it, in any order of the slides, with a reference height."""
    body = LEG.replace(
        '<freejoint name="root"/>',
        '<joint name="rootz" type="slide" axis="0 0 1" ref="1"/><joint name="rootx" type="slide" axis="1 0 0"/>'
        '<joint name="rooty" axis="0 1 0"/>',
    )
    found = read(body)
    assert found.robot.coordinates == ("root.x", "root.z", "root.pitch", "knee")
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    other = BesideMujoco(found.robot, model, {"root": ("rootx", "rootz", "rooty")})
    assert max(other.errors(np.random.default_rng(0))) < 1e-12
    q = other.data.qpos[other.q]
    assert np.abs(other.data.site("toe").xpos - ff.kinematics.pose(found.robot, q, "toe").position).max() < 1e-12
    assert any("read as one joint 'root', planar; 'hip' floats in the plane x-z" in line for line in found.decided)


def test_shapes_that_only_pairs_let_touch_are_shapes():
    body = LEG.replace('name="sole"', 'name="sole" contype="0" conaffinity="0"')
    assert [foot.name for foot in read(body).robot.feet] == ["leg"]
    assert "Capsule" in str(read(body).robot.feet)
    pair = '<contact><pair geom1="sole" geom2="floor"/></contact>'
    assert "Box" in str(read(body, pair).robot.feet)
    assert "Box" in str(read(body, visual=True).robot.feet)


def test_included_files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "m.xml").write_text(
        '<mujoco><include file="parts/defaults.xml"/><worldbody><include file="leg.xml"/></worldbody></mujoco>'
    )
    (tmp_path / "parts" / "defaults.xml").write_text('<mujoco><default><joint damping="0.75"/></default></mujoco>')
    (tmp_path / "leg.xml").write_text(f"<mujocoinclude>{LEG}</mujocoinclude>")
    assert ff.read_robot(tmp_path / "m.xml").joint("knee").damping == 0.75
    (tmp_path / "leg.xml").write_text('<mujocoinclude><include file="leg.xml"/></mujocoinclude>')
    with pytest.raises(FileError, match=r"line 1, <include>: 'leg.xml' is included already"):
        ff.read_robot(tmp_path / "m.xml")
    inner = tmp_path / "parts" / "m.xml"
    inner.write_text(f'<mujoco><include file="../leg.xml"/><worldbody>{LEG}</worldbody></mujoco>')
    with pytest.raises(FileError, match="lies outside the folder .*; folder= names one to read from"):
        ff.read_robot(inner)
    (tmp_path / "leg.xml").write_text("<mujocoinclude/>")
    assert ff.read_robot(inner, folder=tmp_path).nv == 7


@pytest.mark.parametrize(
    ("body", "more", "message"),
    [
        (LEG.replace('axis="0 1 0"', 'axis="0 0 0"'), "", r"m.xml, line 1, <joint name='knee'>: axis must not be all zero"),
        (LEG.replace('name="leg"', 'name="hip"'), "", "another body has this name"),
        (LEG.replace('name="knee"', 'name="knee" class="legs"'), '<default><default class="leg"/></default>', "Did you mean 'leg'"),
        (LEG.replace('type="box" size="0.1 0.05 0.01"', 'type="box" size="0.1 0.05"'), "", "a box needs size= with 3 numbers above 0 m"),
        (LEG, '<actuator><motor joint="kne"/></actuator>', "there is no joint 'kne' to drive"),
        (LEG, '<compiler eulerseq="xYz"/>', "eulerseq must be made of the letters"),
        (LEG, '<compiler coordinate="global"/>', "must have local coordinates"),
        (LEG.replace("<site", '<replicate count="3"/><site'), "", "save the model with mujoco.mj_saveLastXML"),
        (LEG.replace('<site name="toe"', '<site quat="1 0 0 0" euler="0 0 0" name="toe"'), "", "must say its direction once"),
        (LEG.replace('<site name="toe"', '<site quat="0 0 0 0" name="toe"'), "", "quat must not be zero"),
        (LEG.replace("-10 100", "100 -10\" limited=\"true"), "", r"range must be \(lowest, highest\)"),
        ("", "", "has no body"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(body, more, message):
    with pytest.raises((FileError, UnknownNameError), match=message):
        read(body, more)


PASSIVE = '<body name="b" pos="0 0 1"><joint name="a" axis="0 1 0" {0}/><geom type="box" size="0.1 0.1 0.1"/></body>'
CORD = '<tendon><fixed name="cord" stiffness="{0}" {1}><joint joint="a" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("joint", "more", "said"),
    [
        ("", '<option><flag spring="disable"/></option>', "flag 'spring' (line 1): 'disable' is left out"),
        ("", '<option><flag damper="disable"/></option>', "flag 'damper' (line 1)"),
        ("", '<option><flag frictionloss="disable"/></option>', "flag 'frictionloss' (line 1)"),
        ("", '<option><flag passive="disable"/></option>', "flag 'passive' (line 1)"),
        ("", '<option><flag override="enable"/></option>', "flag 'override' (line 1)"),
        ("", '<option actuatorgroupdisable="1"/>', "option 'option' (line 1): actuatorgroupdisable='1' is left out"),
        ('damping=".4 .1"', "", "joint 'a' (line 1): of its damping '.4 .1' only the first number"),
        ('stiffness="4 .5"', "", "joint 'a' (line 1): of its stiffness '4 .5' only the first number"),
        ('strength="3"', "", "joint 'a' (line 1): strength='3' is left out"),
        ("", CORD.format("20", 'armature=".3"'), "tendon 'cord' (line 1): armature='.3' is left out"),
        ("", CORD.format("20 1", ""), "tendon 'cord' (line 1): of its stiffness '20 1' only the first number"),
        ("", '<actuator><motor name="m" joint="a" armature=".3"/></actuator>', "actuator 'm' (line 1): armature='.3'"),
        ("", '<actuator><motor name="m" joint="a" damping="2"/></actuator>', "actuator 'm' (line 1): damping='2'"),
        ("", '<keyframe><key name="k" qpos="0 0"/></keyframe>', "keyframe 'k' (line 1): is left out: its qpos has more than 1"),
        ("", '<keyframe><key name="k" qpos="0" qvel="1"/></keyframe>', "keyframe 'k' (line 1): only its qpos is read"),
    ],
)
def test_what_acts_in_the_file_and_not_here_is_said(joint, more, said):
    assert any(line.startswith(said) for line in read(PASSIVE.format(joint), more).left_out)


def test_what_makes_no_difference_is_not_said():
    """Flags as they are anyway, options of the solver, coefficients of higher order that are 0."""
    plain = read(PASSIVE.format("")).left_out
    more = '<option timestep="0.002" solver="Newton" noslip_iterations="3"><flag spring="enable" warmstart="disable"/></option>'
    assert read(PASSIVE.format('damping="0 0"'), more).left_out == plain


def test_feet_whose_meshes_are_missing_are_not_looked_for_elsewhere():
    legs = LEG.replace('type="box" size="0.1 0.05 0.01"', 'type="mesh" mesh="sole"').replace(
        "<geom name=", '<geom mass="1" name='
    )
    legs = legs.replace('type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"', 'type="mesh" mesh="shin"')
    legs = legs.replace("<site", '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><site')
    hand = '<body name="hand" pos="0 0.3 0"><joint axis="0 1 0"/><geom type="box" size="0.05 0.05 0.05" pos="0 0 -0.1"/></body></body>'
    found = read(
        legs[: -len("</body>")] + hand, '<asset><mesh name="sole" file="sole.stl"/><mesh name="shin" file="shin.stl"/></asset>'
    )
    assert found.robot.feet == ()
    assert any("no shape, since meshes were not found: 'leg' ('shin', 'sole')" in line for line in found.decided)
