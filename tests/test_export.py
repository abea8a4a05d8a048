"""Robots in MuJoCo's and in URDF's words: read back by MuJoCo and Pinocchio, which then move them as we do."""

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.model import mjcf, urdf
from footfall.model.reading.read import import_text
from trees import close, random_robot, random_state

ROUNDING = 1e-11
READY = ff.robots.names()
MORE = {  # ready robots with other parameters: feet without mass, thin rods in space
    "ranger-bhounsule": lambda: ff.robots.load("ranger", numbers="bhounsule"),
    "chain-spatial": lambda: ff.robots.load("chain", space="spatial", links=4),
}


def ready(name):
    return MORE[name]() if name in MORE else ff.robots.load(name)


def as_written(robot, export):
    """The robot with the inertia that MuJoCo was given where it wants more than was declared."""
    least, changed = mjcf.LEAST, {}
    for line in export.left_out:
        names = re.findall(r"'([^']*)'", line)
        for link in (robot.link(name) for name in names if "MuJoCo wants" in line):
            moments = least if robot.space == "planar" else tuple(np.maximum(link.inertia[:3], least)) + link.inertia[3:]
            changed[link.name] = dataclasses.replace(link, mass=max(link.mass, least), inertia=moments)
    return dataclasses.replace(robot, links=tuple(changed.get(link.name, link) for link in robot.links))


def mujoco_model(robot, **options):
    export = mjcf.mjcf_text(robot, **options)
    model = mujoco.MjModel.from_xml_string(export.text)
    return export, model, mujoco.MjData(model)


def set_state(robot, model, data, q, v):
    data.qpos, data.qvel = mjcf.qpos_from(robot, q), mjcf.qvel_from(robot, v)
    mujoco.mj_forward(model, data)


def full_mass_matrix(model, data):
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


def same_motion(robot, seeds=range(10)):
    """Sizes, mass, mass matrix and bias are ours, relative to what each degree of freedom moves by itself."""
    export, model, data = mujoco_model(robot)
    robot = as_written(robot, export)
    assert (model.nq, model.nv) == (robot.nq, robot.nv)
    close(model.body_mass.sum(), robot.mass, ROUNDING, "mass")
    order = mjcf.mujoco_order(robot).v
    for seed in seeds:
        q, v, _ = random_state(robot, seed)
        set_state(robot, model, data, q, v)
        M = ff.dynamics.mass_matrix(robot, q)[np.ix_(order, order)]
        scale = np.sqrt(np.outer(M.diagonal(), M.diagonal()))
        close(full_mass_matrix(model, data) / scale, M / scale, ROUNDING, f"{robot.name}: mass matrix")
        close(mjcf.v_from(robot, data.qfrc_bias), ff.dynamics.bias(robot, q, v), ROUNDING, f"{robot.name}: bias")
    return export


# --- MuJoCo: the same equations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*READY, *MORE])
def test_mujoco_has_our_equations(name):
    same_motion(ready(name))


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_mujoco_has_the_equations_of_random_trees(space):
    for seed in range(40):
        same_motion(random_robot(seed, space), seeds=(seed, seed + 1))


def without_passive_forces(robot):
    """No springs, damping, friction, stops: nothing but motion."""
    free = {"limits": (-np.inf, np.inf), "damping": 0.0, "friction": 0.0, "spring": None}
    return dataclasses.replace(robot, joints=tuple(dataclasses.replace(joint, **free) for joint in robot.joints))


def our_motion(robot, q, v, times):
    def rates(_, y):
        q, v = y[: robot.nq], y[robot.nq :]
        return np.concatenate((ff.kinematics.rate(robot, q, v), ff.dynamics.forward(robot, q, v, np.zeros(robot.nv))))

    found = solve_ivp(rates, (0.0, times[-1]), np.concatenate((q, v)), method="DOP853", t_eval=times, rtol=1e-11, atol=1e-11)
    return found.y[: robot.nq].T


@pytest.mark.slow
@pytest.mark.parametrize("name", [*READY, *MORE])
def test_mujoco_moves_as_we_do(name):
    """Two seconds of free motion from a moderate random start: angles agree to 1e-7 rad, places to 1e-7 m."""
    robot = without_passive_forces(ready(name))
    _, model, data = mujoco_model(robot, timestep=1e-4, ground=False)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    q, v, _ = random_state(robot, 3, spread=0.5)
    set_state(robot, model, data, q, v)
    for ours in our_motion(robot, q, v, (0.5, 1.0, 1.5, 2.0)):
        mujoco.mj_step(model, data, nstep=5000)
        theirs = mjcf.q_from(robot, data.qpos)
        assert np.max(np.abs(ff.kinematics.difference(robot, ours, theirs))) < 1e-7


def test_frames_are_sites_where_we_have_them():
    for robot in (ff.robots.load("person"), ff.robots.load("wendlandt"), random_robot(7, "spatial"), random_robot(7, "planar")):
        _, model, data = mujoco_model(robot)
        q, v, _ = random_state(robot, 4)
        set_state(robot, model, data, q, v)
        space = robot.in_space()
        for frame in robot.frames:
            pose = ff.kinematics.pose(space, q, frame.name)
            close(data.site(frame.name).xpos, pose.position, ROUNDING, "place")
            close(data.site(frame.name).xmat.reshape(3, 3), pose.rotation, ROUNDING, "axes")


def test_order_of_coordinates_both_ways():
    robot = ff.robots.load("kneed-walker")
    _, model, _ = mujoco_model(robot)
    names = [model.joint(i).name for i in range(model.njnt)]
    order = mjcf.mujoco_order(robot)
    assert names == [robot.velocities[i] for i in order.v]
    assert names != list(robot.velocities)  # MuJoCo goes down one leg first
    for each in (robot, random_robot(11, "spatial")):
        q, v, _ = random_state(each, 2)
        assert np.array_equal(mjcf.q_from(each, mjcf.qpos_from(each, q)), q)
        assert np.array_equal(mjcf.v_from(each, mjcf.qvel_from(each, v)), v)
        assert np.array_equal(mjcf.qpos_from(each, [q, q])[1], mjcf.qpos_from(each, q))


# --- MuJoCo: bodies that it does not take as they are ---------------------------------------------------------------------


def hinge(name, parent, child, **more):
    return ff.Joint(name, "revolute", parent, child, **more)


def test_chain_of_massless_links_becomes_joints_of_one_body():
    turns, axes = [(0.3, -0.4, 0.9), (-1.1, 0.2, 0.5), (0.7, 0.1, -0.3)], [(1, 2, 3), (0, -1, 1), (2, 0, 1)]
    joints = (
        hinge("a", "world", "l1", at=(0.1, 0.2, 0.3), turn=turns[0], axis=axes[0]),
        ff.Joint("b", "prismatic", "l1", "l2", at=(0.4, 0.0, -0.2), turn=turns[1], axis=axes[1]),
        ff.Joint("c", "spherical", "l2", "end", at=(0.0, 0.5, 0.1), turn=turns[2]),
    )
    end = ff.Link("end", 2.0, (0.1, 0.2, -0.3), (0.3, 0.2, 0.25, 0.01, -0.02, 0.03))
    robot = ff.Robot("r", "spatial", (ff.Link("l1", 0.0), ff.Link("l2", 0.0), end), joints, frames=(ff.Frame("tip", "end"),))
    export = same_motion(robot)
    assert export.left_out == ("link 'l1', 'l2': has no mass and is no body: its joint moves the next body directly",)
    assert [body.get("name") for body in ET.fromstring(export.text).iter("body")] == ["end"]


@pytest.mark.parametrize("carries", ["frame", "branch", "ball", "seven"])
def test_massless_link_that_must_stay_gets_a_trace_of_mass(carries):
    """It carries something, or is followed by what MuJoCo does not allow on one body."""
    kind = "spherical" if carries == "ball" else "revolute"
    links, frames = [ff.Link("none", 0.0), ff.Link("end", 2.0, (0.1, 0.2, -0.3), (0.3, 0.2, 0.25))], ()
    joints = [ff.Joint("a", kind, "world", "none"), hinge("b", "none", "end", at=(0.3, 0.0, 0.1), axis="x")]
    if carries == "frame":
        frames = (ff.Frame("mark", "none", at=(0.0, 0.1, 0.0)),)
    elif carries == "branch":
        links.append(ff.Link("other", 1.0, (0.2, 0.0, 0.0), (0.1, 0.1, 0.1)))
        joints.append(hinge("c", "none", "other", axis="z"))
    elif carries == "seven":
        links = [ff.Link("base", 0.0), *links]
        joints[0] = ff.Joint("base", "planar", "world", "base")
        rotor = ff.Motor(rotor_inertia=0.1)  # eight ways to move one body: without rotors its mass matrix would be singular
        more = [hinge("a1", "base", "none", at=(0.1, 0.0, 0.0), motor=rotor), hinge("a2", "none", "more", axis="z", motor=rotor)]
        joints[1:] = [*more, ff.Joint("b", "spherical", "more", "end", at=(0.3, 0.0, 0.1), motor=rotor)]
        links.append(ff.Link("more", 0.0))
    export = same_motion(ff.Robot("r", "spatial", tuple(links), tuple(joints), frames=frames))
    assert any("MuJoCo wants mass in all that moves" in line for line in export.left_out)


def test_point_masses_get_a_trace_of_inertia_and_it_is_reported():
    export, model, _ = mujoco_model(ff.robots.load("compass"))
    assert "link 'hip', 'leg_right': MuJoCo wants inertia in all that moves, at least 1e-15 kg m2 are written" in export.left_out
    assert model.body_inertia.max() == mjcf.LEAST
    assert [model.body(name).mass[0] for name in ("leg_left", "hip", "leg_right")] == [5.0, 10.0, 5.0]


def test_fixed_link_with_inertia_spares_the_trace():
    links = (ff.Link("fork", 0.0), ff.Link("bar", 1.0, (0.0, -0.2), 0.1), ff.Link("bob", 2.0, (0.1, 0.0)))
    joints = (
        hinge("a", "world", "fork"),
        ff.Joint("b", "fixed", "fork", "bar"),
        ff.Joint("c", "fixed", "bar", "bob", at=(0.0, -1.0)),
    )
    export = same_motion(ff.Robot("r", "planar", links, joints))
    assert not any("MuJoCo wants" in line for line in export.left_out)


def test_centre_of_mass_and_axes_nearly_those_of_the_link_survive():
    """MuJoCo's compiler takes what is within 1e-6 for the link's own frame; written as we write it, it does not."""
    link = ff.Link("a", 1e3, (0.0, 2e-7, 9e-7), (3.0, 4.0, 5.0))
    tilted = ff.Link("b", 1e3, (0.0, 0.0, 1.0), (3.0, 4.0, 5.0, 1e-7, 0.0, -5e-7))
    joints = (ff.Joint("base", "free", "world", "a"), hinge("h", "a", "b", at=(0.1, 0.0, 0.0)))
    same_motion(ff.Robot("r", "spatial", (link, tilted), joints))


def test_moments_at_the_edge_of_the_possible_are_accepted():
    for moments in ((0.1, 0.2, 0.1 + 0.2), (0.1, 0.2, 0.3 * (1 + 5e-10)), (0.3, 0.1, 0.2)):
        robot = ff.Robot("r", "spatial", (ff.Link("a", 1.0, (), moments),), (ff.Joint("base", "free", "world", "a"),))
        _, model, _ = mujoco_model(robot)
        close(model.body_inertia[1], moments, 1e-9, "moments")


def test_a_row_of_links_too_long_for_mujoco_is_refused():
    mujoco_model(ff.robots.load("chain", links=mjcf.MOST_NESTED))
    with pytest.raises(ff.errors.RobotError, match="MuJoCo reads at most 490 links in a row, 'link_491'"):
        mjcf.mjcf_text(ff.robots.load("chain", links=mjcf.MOST_NESTED + 1))


# --- MuJoCo: forces, ground, options --------------------------------------------------------------------------------------


def test_springs_and_damping_are_ours():
    base = ff.robots.load("ranger", numbers="bhounsule")
    robot = dataclasses.replace(base, joints=tuple(dataclasses.replace(joint, friction=0.0) for joint in base.joints))
    _, model, data = mujoco_model(robot)
    q, v, _ = random_state(robot, 1, spread=0.3)
    set_state(robot, model, data, q, v)
    assert np.any(data.qfrc_passive)
    close(mjcf.v_from(robot, data.qfrc_passive), ff.dynamics.passive(robot, q, v), ROUNDING, "passive forces")


def test_dry_friction_and_limits_are_written():
    _, model, data = mujoco_model(ff.robots.load("ranger"), ground=False)
    assert model.joint("hip").frictionloss == pytest.approx(0.01)
    ankle = model.joint("ankle_outer")
    assert (ankle.limited[0], ankle.range.tolist()) == (1, [-1.85, np.inf])
    for angle, stops in ((-1.9, 1), (0.0, 0), (50.0, 0)):
        data.joint("ankle_outer").qpos = angle
        mujoco.mj_forward(model, data)
        assert np.sum(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT) == stops


def test_equal_limits_hold_a_joint():
    robot = ff.Robot("r", "planar", (ff.Link("a", 1.0, (0.3, -1.0), 0.1),), (hinge("j", "world", "a", limits=(0.5, 0.5)),))
    export, model, data = mujoco_model(robot)
    data.qpos[0] = 0.5
    mujoco.mj_step(model, data, nstep=2000)
    assert data.qpos[0] == pytest.approx(0.5, abs=0.02)
    assert "joint 'j': its limits are equal and are written apart by one rounding" in export.left_out


@pytest.mark.parametrize("name", ["person", "ranger", "johnnie"])
def test_motors_push_in_the_order_of_actuated(name):
    robot = ff.robots.load(name)
    _, model, data = mujoco_model(robot)
    assert [model.actuator(i).name for i in range(model.nu)] == [robot.velocities[i] for i in robot.actuated]
    data.ctrl = np.linspace(-1.0, 1.0, model.nu)
    mujoco.mj_forward(model, data)
    tau = np.zeros(robot.nv)
    tau[robot.actuated] = data.ctrl
    close(mjcf.v_from(robot, data.qfrc_actuator), tau, ROUNDING, "joint forces")


def test_motors_have_limits():
    motors = (ff.Motor(torque=2.5, speed=3.0), ff.Motor(torque=0.0), ff.Motor())
    robot = three_arms(motors)
    export, model, data = mujoco_model(robot)
    data.ctrl = 100.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator.tolist() == [2.5, 0.0, 100.0]
    assert "joint 'j0': the largest speed of its motor is left out" in export.left_out


def three_arms(motors):
    names = [f"a{i}" for i in range(3)]
    links = tuple(ff.Link(name, 1.0, (0.0, -1.0), 0.1) for name in names)
    joints = tuple(hinge(f"j{i}", "world", names[i], motor=motor) for i, motor in enumerate(motors))
    return ff.Robot("arms", "planar", links, joints)


def test_feet_touch_the_ground_and_nothing_else():
    for name in ("wendlandt-3d", "simbicon", "ranger", "rimless-wheel"):
        robot = ff.robots.load(name)
        _, model, data = mujoco_model(robot)
        data.joint("base" if robot.space == "spatial" else "base.z").qpos[-5 if robot.space == "spatial" else 0] = 0.1  # deep
        mujoco.mj_forward(model, data)
        ground = model.geom("ground").id
        assert data.ncon > 0
        assert all(ground in (contact.geom1, contact.geom2) for contact in data.contact)
    _, model, _ = mujoco_model(ff.robots.load("simbicon"), ground=False)
    assert "ground" not in [model.geom(i).name for i in range(model.ngeom)]


def test_pads_as_shapes():
    pads = (
        ff.Point("a", (0.1, 0.2, -1.0)),
        ff.HeelToe("a", (-0.1, 0.0, -1.0), (0.2, 0.0, -1.0)),
        ff.Box("a", (0.3, 0.1, 0.02), at=(0.0, 0.0, -1.0)),
        ff.Arc("a", 0.2, at=(0.0, 0.0, -0.8), span=(-0.3, 0.4), width=0.06),
        ff.Arc("a", 0.2, at=(0.0, 0.0, -0.8)),
    )
    link = ff.Link("a", 1.0, (), (0.1, 0.1, 0.1))
    robot = ff.Robot("r", "spatial", (link,), (ff.Joint("base", "free", "world", "a"),), feet=(ff.Foot("f", pads),))
    export, model, data = mujoco_model(robot)
    shapes = [(int(model.geom(f"f.{i}").type[0]), model.geom(f"f.{i}").size.tolist()) for i in range(6)]
    kinds = mujoco.mjtGeom
    ball = (kinds.mjGEOM_SPHERE, [1e-5, 0.0, 0.0])
    assert shapes[:3] == [ball] * 3
    assert shapes[3:] == [
        (kinds.mjGEOM_BOX, [0.15, 0.05, 0.01]),
        (kinds.mjGEOM_CYLINDER, [0.2, 0.03, 0.0]),
        (kinds.mjGEOM_SPHERE, [0.2, 0.0, 0.0]),
    ]
    mujoco.mj_forward(model, data)
    close(np.abs(data.geom("f.4").xmat.reshape(3, 3)[:, 2]), (0.0, 1.0, 0.0), ROUNDING, "the cylinder lies across")
    for said in ("span from heel to toe", "without width is written as a ball", "ball of 1e-05 m", "line between heel and toe"):
        assert sum(said in line for line in export.left_out) == 1
        assert sum(said in line for line in urdf.urdf_text(robot).left_out) == 1
    collisions = ET.fromstring(urdf.urdf_text(robot).text).findall("link/collision/geometry/*")
    assert [shape.tag for shape in collisions] == ["sphere"] * 3 + ["box", "cylinder", "sphere"]
    assert collisions[4].attrib == {"radius": "0.2", "length": "0.06"}


def test_gravity_and_timestep():
    robot = ff.robots.load("rabbit")
    for given, written in ((None, -9.81), (1.62, -1.62), ((0.5, -3.0), -3.0)):
        _, model, _ = mujoco_model(robot, gravity=given, timestep=5e-4)
        assert model.opt.gravity[2] == written
        assert model.opt.timestep == 5e-4
    assert model.opt.gravity[0] == 0.5
    for wrong in (0.0, -1.0, np.nan, "fast"):
        with pytest.raises(ff.errors.StateError, match="timestep must be"):
            mjcf.mjcf_text(robot, timestep=wrong)


# --- names ----------------------------------------------------------------------------------------------------------------

ODD = ['a<b>&"c"', "d'e|f", "ünï→語", "]]>", "--x"]


def odd_robot(space):
    com, inertia = ((0.1, -0.2), 0.1) if space == "planar" else ((0.1, 0.0, -0.2), (0.1, 0.1, 0.1))
    links = tuple(ff.Link(name, 1.0, com, inertia) for name in ODD)
    joints = [ff.Joint(f"j{ODD[0]}", "planar", "world", ODD[0])]
    joints += [hinge(f"j{child}", parent, child, motor=ff.Motor()) for parent, child in itertools.pairwise(ODD)]
    frame, foot = ff.Frame('t"<&', ODD[-1]), ff.Foot("f<&>", (ff.Point(ODD[-1]),))
    return ff.Robot('odd<&"r', space, links, tuple(joints), frames=(frame,), feet=(foot,), origin='<&" -- \n]]>\tü')


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_odd_names_survive(space):
    robot = odd_robot(space)
    _, model, _ = mujoco_model(robot)
    assert [model.body(i).name for i in range(1, model.nbody)] == ODD
    assert [model.actuator(i).name for i in range(model.nu)] == [f"j{name}" for name in ODD[1:]]
    assert (model.site(0).name, model.geom(1).name) == ('t"<&', "f<&>.0")
    same_motion(robot)
    read = pin.buildModelFromXML(urdf.urdf_text(robot).text)
    assert list(read.names)[4:] == [f"j{name}" for name in ODD[1:]]


def test_joint_link_frame_and_foot_of_one_name():
    links = (ff.Link("a", 1.0, (0.1, 0.0), 0.1), ff.Link("base", 1.0, (0.1, 0.0), 0.1))
    joints = (ff.Joint("base", "planar", "world", "a"), hinge("a", "a", "base"))
    feet = (ff.Foot("a", (ff.Point("a"), ff.Point("base"))), ff.Foot("ground", (ff.Point("a"),)))
    robot = ff.Robot("r", "planar", links, joints, frames=(ff.Frame("ground", "a"),), feet=feet)
    _, model, _ = mujoco_model(robot)
    assert [model.geom(i).name for i in range(4)] == ["ground", "a.0", "ground.0", "a.1"]
    same_motion(robot)
    read = pin.buildModelFromXML(urdf.urdf_text(robot).text)
    assert list(read.names)[1:] == ["base.x", "base.z", "base.pitch", "a"]


def test_numbers_keep_all_their_digits():
    link = ff.Link("a", 1 / 3, (0.1 + 0.2, -2 / 7), 1e-3 / 3)
    robot = ff.Robot("r", "planar", (link,), (hinge("j", "world", "a", at=(1 / 7, 1e-9 / 3), motor=ff.Motor(1e-6 / 3, 1.0)),))
    _, model, _ = mujoco_model(robot)
    assert (model.body_mass[1], model.body_inertia[1, 1], model.dof_armature[0]) == (1 / 3, 1e-3 / 3, 1e-6 / 3)
    assert [*model.body_ipos[1], *model.body_pos[1]] == [0.1 + 0.2, 0.0, -2 / 7, 1 / 7, 0.0, 1e-9 / 3]


@pytest.mark.parametrize("write", [mjcf.write_mjcf, urdf.write_urdf])
def test_files_are_the_text(write, tmp_path):
    robot = odd_robot("spatial")
    export = write(robot, tmp_path / "robot.xml")
    assert (tmp_path / "robot.xml").read_text(encoding="utf-8") == export.text
    ET.parse(tmp_path / "robot.xml")


# --- URDF -----------------------------------------------------------------------------------------------------------------


class InPinocchio:
    """A robot as Pinocchio reads its URDF, and our states as that has them."""

    def __init__(self, robot, **options):
        self.robot = robot
        root = (pin.JointModelFreeFlyer(),) if options.get("base") is False else ()
        self.model = pin.buildModelFromXML(urdf.urdf_text(robot, **options).text, *root)
        self.data = self.model.createData()
        self.model.gravity.linear = np.array((0.0, 0.0, -robot.gravity))

    def translated(self, q):
        """Pinocchio's q, and T with v = T v_pinocchio."""
        tree, theirs, T = self.robot.tree, pin.neutral(self.model), np.zeros((self.robot.nv, self.model.nv))
        for i, joint in enumerate(self.robot.layout.joints, start=1):
            ours, rows = q[tree.first_q[i] : tree.first_q[i + 1]], slice(tree.first_v[i], tree.first_v[i + 1])
            if joint.kind == "free":
                name = joint.name if self.model.existJointName(joint.name) else "root_joint"
                first = self.model.joints[self.model.getJointId(name)]
                x, y, z, *quaternion = ours
                theirs[first.idx_q : first.idx_q + 7] = x, y, z, *np.roll(quaternion, -1)
                block = np.eye(6)
                block[:3, :3] = Rotation.from_quat(np.roll(quaternion, -1)).as_matrix()  # Pinocchio's velocity is the body's
                T[rows, first.idx_v : first.idx_v + 6] = block
                continue
            values, block = ours, np.eye(len(ours))
            if joint.kind == "spherical":
                turn = Rotation.from_quat(np.roll(ours, -1))
                values = turn.as_euler("XYZ")
                second, third = Rotation.from_euler("YZ", values[1:]), Rotation.from_euler("Z", values[2])
                block = np.column_stack(
                    (second.inv().apply((1.0, 0.0, 0.0)), third.inv().apply((0.0, 1.0, 0.0)), (0.0, 0.0, 1.0))
                )
            suffixes = {"planar": (".x", ".z", ".pitch"), "spherical": (".x", ".y", ".z")}.get(joint.kind, ("",))
            for k, (suffix, value) in enumerate(zip(suffixes, values, strict=True)):
                read = self.model.joints[self.model.getJointId(joint.name + suffix)]
                theirs[read.idx_q : read.idx_q + read.nq] = value if read.nq == 1 else (np.cos(value), np.sin(value))
                T[rows, read.idx_v] = block[:, k]
        return theirs, T

    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, q)
        return np.triu(M) + np.triu(M, 1).T


def without_rotors(robot):
    return dataclasses.replace(robot, joints=tuple(dataclasses.replace(joint, motor=None) for joint in robot.joints))


def same_in_pinocchio(robot, **options):
    """Mass matrix, gravity and frames; rotors, which URDF cannot say, are taken out of ours."""
    other, robot = InPinocchio(robot, **options), without_rotors(robot)
    assert other.model.nv == robot.nv
    space = robot.in_space()
    for seed in range(6):
        q, _, _ = random_state(robot, seed)
        theirs, T = other.translated(q)
        M = other.mass_matrix(theirs)
        scale = np.sqrt(np.outer(M.diagonal(), M.diagonal()))
        close(T.T @ ff.dynamics.mass_matrix(robot, q) @ T / scale, M / scale, ROUNDING, f"{robot.name}: mass matrix")
        weight = pin.computeGeneralizedGravity(other.model, other.data, theirs)
        close(T.T @ ff.dynamics.gravity_forces(robot, q), weight, ROUNDING, f"{robot.name}: weight")
        pin.framesForwardKinematics(other.model, other.data, theirs)
        for frame in robot.frames:
            read = other.data.oMf[other.model.getFrameId(frame.name)]
            pose = ff.kinematics.pose(space, q, frame.name)
            close(read.translation, pose.position, ROUNDING, "place")
            close(read.rotation, pose.rotation, ROUNDING, "axes")


@pytest.mark.parametrize("name", [name for name in [*READY, *MORE] if name != "ranger-bhounsule"])
def test_pinocchio_reads_the_robot(name):
    same_in_pinocchio(ready(name))


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_pinocchio_reads_random_trees(space):
    for seed in range(20):
        same_in_pinocchio(random_robot(seed, space))


@pytest.mark.parametrize("name", ["johnnie", "person", "wendlandt-3d"])
def test_base_left_to_the_reader(name):
    robot = ff.robots.load(name)
    same_in_pinocchio(robot, base=False)
    export = urdf.urdf_text(robot, base=False)
    assert "joint 'base': is left to the reader, which must add a free joint to the world" in export.left_out
    assert "world" not in [link.get("name") for link in ET.fromstring(export.text).iter("link")]


def test_only_a_free_base_can_be_left_out():
    with pytest.raises(ff.errors.RobotError, match=r"no free base to leave out; on the world it has 'base' \(planar\)"):
        urdf.urdf_text(ff.robots.load("rabbit"), base=False)


def test_urdf_limits_and_dynamics():
    motor = ff.Motor(torque=7.0, speed=2.0)
    joints = (
        hinge("both", "world", "a0", limits=(-1.0, 2.0), motor=motor, damping=0.1, friction=0.2),
        hinge("none", "world", "a1"),
        ff.Joint("slide", "prismatic", "world", "a2", axis="x", limits=(0.0, np.inf), motor=ff.Motor()),
    )
    robot = dataclasses.replace(three_arms((None,) * 3), joints=joints)
    model = pin.buildModelFromXML(urdf.urdf_text(robot).text)
    both, none, slide = (model.joints[model.getJointId(name)] for name in ("both", "none", "slide"))
    assert [model.lowerPositionLimit[both.idx_q], model.upperPositionLimit[both.idx_q]] == [-1.0, 2.0]
    assert [model.lowerPositionLimit[slide.idx_q], model.upperPositionLimit[slide.idx_q]] == [0.0, urdf.UNBOUNDED]
    assert model.effortLimit[[both.idx_v, none.idx_v, slide.idx_v]].tolist() == [7.0, 0.0, urdf.UNBOUNDED]
    assert model.velocityLimit[both.idx_v] == 2.0
    dynamics = ET.fromstring(urdf.urdf_text(robot).text).find("joint[@name='both']/dynamics")
    assert dynamics.attrib == {"damping": "0.1", "friction": "0.2"}


def test_what_urdf_cannot_say_is_reported():
    said = "\n".join(urdf.urdf_text(ff.robots.load("ranger")).left_out)
    for lost in (
        "robot 'ranger': gravity is left out",
        "robot 'ranger': where its numbers come from is left out",
        "joint 'hip', 'ankle_outer', 'ankle_inner': its spring is left out",
        "joint 'hip', 'ankle_outer', 'ankle_inner': rotor inertia and gear of its motor are left out",
        "joint 'hip', 'ankle_outer', 'ankle_inner': currents, heat and friction under load of its motor are left out",
        "joint 'base': a planar joint is written as three",
        "1e+09 is written where none is given",
        "foot 'foot_outer', 'foot_inner': of a round sole the whole circle is written",
    ):
        assert lost in said
    person = "\n".join(urdf.urdf_text(ff.robots.load("person")).left_out)
    assert "joint 'hip_left', 'ankle_left', 'hip_right', 'ankle_right': a spherical joint is written as three" in person


def test_what_mjcf_cannot_say_is_reported():
    said = "\n".join(mjcf.mjcf_text(ff.robots.load("ranger")).left_out)
    for lost in (
        "robot 'ranger': the plane has inertia about y only",
        "foot 'foot_outer', 'foot_inner': of a round sole the whole circle is written",
        "joint 'hip', 'ankle_inner', 'ankle_outer': rotor inertia and gear of its motor are written as one number",
        "joint 'hip', 'ankle_outer', 'ankle_inner': currents, heat and friction under load of its motor are left out",
    ):
        assert lost in said
    for name in ("person", "johnnie", "wendlandt-3d"):  # box feet in space: nothing to report but massless links
        assert all("has no mass and is no body" in line for line in mjcf.mjcf_text(ff.robots.load(name)).left_out)


def test_inertias_that_no_body_has_are_raised_and_it_is_said_by_how_much():
    """MuJoCo refuses principal moments of which one is larger than the sum of the others."""
    thin = ff.Link("thin", 1.0, (0.0, 0.0, 0.0), (0.01, 0.002, 0.003), as_given=True)
    robot = ff.Robot("r", "spatial", (thin,), (hinge("a", "world", "thin"),))
    export = mjcf.mjcf_text(robot)
    (said,) = [line for line in export.left_out if mjcf.RAISED in line]
    assert said.startswith("link 'thin': ")
    assert "from 0.002 to 0.007 kg m2" in said
    study = ff.Study(robot)
    assert said in ff.engines.MuJoCo().differences(study)
    real = ff.Robot("r", "spatial", (ff.Link("thin", 1.0, (0.0, 0.0, 0.0), (0.01, 0.007, 0.003)),), robot.joints)
    assert not any(mjcf.RAISED in line for line in mjcf.mjcf_text(real).left_out)


def test_inertia_of_a_link_without_mass_is_written():
    """Some files have such links, fixed to others."""
    links = (
        ff.Link("arm", 1.0, (0.0, 0.0, -0.5), (0.1, 0.1, 0.1)),
        ff.Link("chip", 0.0, (0.0,) * 3, (0.2, 0.2, 0.2), as_given=True),
    )
    joints = (hinge("a", "world", "arm"), ff.Joint("b", "fixed", "arm", "chip"))
    robot = ff.Robot("r", "spatial", links, joints)
    M = ff.dynamics.mass_matrix(robot, [0.3])
    for text in (mjcf.mjcf_text(robot).text, urdf.urdf_text(robot).text):
        assert ff.dynamics.mass_matrix(import_text(text, "r.xml").robot, [0.3]) == pytest.approx(M, rel=1e-12)
    same_motion(robot)
