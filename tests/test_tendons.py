"""Elastic tendons: closed forms, equations written by hand, energy, MuJoCo, and the language of equations."""

import dataclasses
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.control.algorithm import Algorithm
from footfall.control.newton_walk_contact import R_SWING
from footfall.engines import Ideal, Maximal
from footfall.model.file import parse_robot, robot_text
from footfall.reproduce._newton_tendons import counted, limits_act
from footfall.reproduce._ranges import beyond
from footfall.sim.study import Study
from footfall.world import World

INERTIA, ARM, STIFFNESS = 0.5, 0.05, 8000.0
WEIGHTLESS = World(gravity=0.0)


def arm(space="planar", **tendon):
    """A body on a hinge with a tendon across it."""
    inertia = INERTIA if space == "planar" else (INERTIA,) * 3
    joint = ff.Joint("hinge", "revolute", "world", "arm", motor=ff.Motor())
    cord = ff.Tendon("cord", (ff.MomentArm("hinge", ARM),), **({"stiffness": STIFFNESS} | tendon))
    return ff.Robot("arm", space, (ff.Link("arm", 1.0, inertia=inertia),), (joint,), tendons=(cord,))


def two_links(**tendon):
    """Two rods that hang, with a tendon across both hinges."""
    links = [ff.Link(name, 2.0, com=(0.0, -0.2), inertia=0.03) for name in ("thigh", "shank")]
    joints = (
        ff.Joint("hip", "revolute", "world", "thigh", motor=ff.Motor()),
        ff.Joint("knee", "revolute", "thigh", "shank", at=(0.0, -0.4), motor=ff.Motor()),
    )
    arms = (ff.MomentArm("hip", 0.06), ff.MomentArm("knee", -0.04))
    cord = ff.Tendon("hamstrings", arms, **({"stiffness": 2e4, "slack": 0.004} | tendon))
    return ff.Robot("leg", "planar", tuple(links), joints, tendons=(cord,))


def ball(**tendon):
    """A heavy top on a ball joint, with two cords."""
    joint = ff.Joint("hip", "spherical", "world", "leg")
    cords = (
        ff.Tendon("flexor", (ff.MomentArm("hip", (0.01, 0.05, -0.02)),), **({"stiffness": 2e4, "slack": 0.01} | tendon)),
        ff.Tendon("rod", (ff.MomentArm("hip", (0.03, -0.02, 0.04)),), 5e3, pushes=True),
    )
    return ff.Robot("top", "spatial", (ff.Link("leg", 3.0, (0.0, 0.02, -0.3), (0.2, 0.15, 0.1)),), (joint,), tendons=cords)


@pytest.mark.parametrize("engine", [None, Maximal(), Maximal(pinned=True)])
def test_a_rod_swings_as_a_sine(engine):
    study = Study(arm(pushes=True), WEIGHTLESS, q=(0.2,), seconds=1.0, dt=1e-4, **({"engine": engine} if engine else {}))
    run, rate = ff.simulate(study), ARM * sqrt(STIFFNESS / INERTIA)
    near = 1e-8 if engine == Maximal() else 2e-3 if engine else 1e-6
    assert run.q[-1, 0] == pytest.approx(0.2 * cos(rate), abs=near)
    if engine != Maximal(pinned=True):
        assert ff.analysis.ledger(run).relative < 1e-6


@pytest.mark.parametrize("engine", [None, Maximal()])
def test_a_cord_lets_go(engine):
    """A quarter of a swing, then flight at constant speed: a cord does not push."""
    rate = ARM * sqrt(STIFFNESS / INERTIA)
    study = Study(arm(slack=0.005), WEIGHTLESS, q=(0.3,), seconds=1.0, dt=1e-4, **({"engine": engine} if engine else {}))
    run = ff.simulate(study)
    speed = 0.2 * rate  # it is slack at 0.1 rad
    assert run.v[-1, 0] == pytest.approx(-speed, rel=1e-5)
    assert run.q[-1, 0] == pytest.approx(0.1 - speed * (1.0 - 0.5 * pi / rate), abs=1e-5)
    force = ff.dynamics.tendons(run.robot, run.q).force
    assert force[0, 0] == pytest.approx(STIFFNESS * (0.3 * ARM - 0.005))
    assert force[-1, 0] == 0.0


def test_a_damped_rod_decays():
    damping, seconds = 40.0, 0.8
    run = ff.simulate(arm(pushes=True, damping=damping), world=WEIGHTLESS, v=(2.0,), seconds=seconds, dt=1e-4)
    decay = damping * ARM**2 / (2 * INERTIA)
    rate = sqrt(STIFFNESS * ARM**2 / INERTIA - decay**2)
    assert run.q[-1, 0] == pytest.approx(2.0 / rate * np.exp(-decay * seconds) * sin(rate * seconds), abs=1e-6)
    book = ff.analysis.ledger(run)
    assert book.work["dampers"][-1] == pytest.approx(book.energy[-1] - 0.5 * INERTIA * 4.0, rel=1e-4)
    assert book.relative < 1e-6


def test_two_joints_against_equations_written_by_hand():
    """The double pendulum with absolute angles (Lagrange), and the cord's forces -f r on relative ones."""
    m, l, c, J, g = 2.0, 0.4, 0.2, 0.03, 9.81
    k, slack, r = 2e4, 0.004, np.array((0.06, -0.04))

    def rates(_, y):
        q, v = y[:2], y[2:]
        f = k * max(r @ q - slack, 0.0)
        a, b = q[0], q[0] + q[1]  # of the rods; ours counts them about +y, so that x = -l sin
        va, vb = v[0], v[0] + v[1]
        M = np.array([[J + m * c * c + m * l * l, m * l * c * cos(a - b)], [m * l * c * cos(a - b), J + m * c * c]])
        tau = -f * r  # on (hip, knee); on absolute angles: hip - knee, knee
        Q = np.array((tau[0] - tau[1] - m * l * c * sin(a - b) * vb**2, tau[1] + m * l * c * sin(a - b) * va**2))
        Q -= g * np.array(((m * c + m * l) * sin(a), m * c * sin(b)))
        acceleration = np.linalg.solve(M, Q)
        return np.array((*v, acceleration[0], acceleration[1] - acceleration[0]))

    start = np.array((0.5, -0.3, -1.0, 2.0))
    found = solve_ivp(rates, (0.0, 0.8), start, rtol=1e-11, atol=1e-12, max_step=1e-3)
    robot = two_links()
    for engine, near in ((None, 2e-5), (Maximal(), 1e-5)):
        engines = {"engine": engine} if engine else {}
        run = ff.simulate(Study(robot, q=tuple(start[:2]), v=tuple(start[2:]), seconds=0.8, dt=1e-4, **engines))
        assert run.q[-1] == pytest.approx(found.y[:2, -1], abs=near)
        assert ff.analysis.ledger(run).relative < 1e-5


def test_forces_of_a_ball_joint_are_the_gradient_of_its_energy():
    robot, rng = ball(), np.random.default_rng(4)
    for _ in range(20):
        q = ff.kinematics.integrate(robot, robot.neutral(), 1.5 * rng.normal(size=3))
        if 2.0 * np.arccos(abs(q[0])) > 3.0:
            continue
        for turn in (q, robot.neutral()):
            tau = ff.dynamics.passive(robot, turn, np.zeros(3))
            for d in range(3):
                step = np.zeros(3)
                step[d] = 1e-5
                ends = [ff.dynamics.tendons(robot, ff.kinematics.integrate(robot, turn, s * step)).energy.sum() for s in (1, -1)]
                assert tau[d] == pytest.approx(-(ends[0] - ends[1]) / 2e-5, abs=1e-4)


def test_a_top_keeps_its_energy():
    run = ff.simulate(ball(), q=(0.95, 0.1, 0.25, np.sqrt(1 - 0.95**2 - 0.0725)), v=(1.0, -2.0, 3.0), seconds=3.0)
    book = ff.analysis.ledger(run)
    assert np.ptp(book.springs) > 1.0
    assert book.relative < 1e-4
    other = ff.simulate(Study(run.robot, q=run.study.q, v=run.study.v, seconds=0.5, engine=Maximal()))
    fine = ff.simulate(run.robot, q=run.study.q, v=run.study.v, seconds=0.5, dt=1e-4)
    assert fine.q[-1] == pytest.approx(other.q[-1], abs=1e-5)


@pytest.mark.parametrize("robot", [two_links(stiffness=1e9, damping=1e3), ball(stiffness=1e9)])
def test_stiff_tendons_are_stable(robot):
    """Far too stiff for steps of 1 ms: they yield little, and no energy appears."""
    run = ff.simulate(robot, v=np.full(robot.nv, 1.0), seconds=2.0, dt=1e-3)
    book = ff.analysis.ledger(run)
    assert book.energy.max() < book.energy[0] + 1e-3 * abs(book.energy[0]) + 1e-3
    assert ff.dynamics.tendons(robot, run.q).length[:, 0].max() < robot.tendons[0].slack + 2e-4


def test_mujoco_agrees():
    mujoco = pytest.importorskip("mujoco")
    from footfall.model import mjcf

    base = two_links()
    rod = ff.Tendon("rod", (ff.MomentArm("knee", 0.03),), 3e3, 0.01, damping=20.0, pushes=True)
    robot = dataclasses.replace(base, tendons=(*base.tendons, rod))
    export = mjcf.mjcf_text(robot)
    model = mujoco.MjModel.from_xml_string(export.text)
    data = mujoco.MjData(model)
    for seed in range(10):
        q, v = np.random.default_rng(seed).normal(size=(2, robot.nv))
        data.qpos[:], data.qvel[:] = mjcf.qpos_from(robot, q), mjcf.qvel_from(robot, v)
        mujoco.mj_forward(model, data)
        assert mjcf.v_from(robot, data.qfrc_passive) == pytest.approx(ff.dynamics.passive(robot, q, v), abs=1e-9)
    assert any("spans a spherical joint" in line for line in mjcf.mjcf_text(ball()).left_out)


def test_a_robot_file_has_them():
    for robot in (two_links(damping=3.0), ball()):
        assert parse_robot(robot_text(robot)) == robot
    assert "hamstrings" in two_links().describe()
    assert "hip 0.06, knee -0.04" in two_links().describe()
    from footfall.model.urdf import urdf_text

    assert any("tendon 'cord': is left out" in line for line in urdf_text(arm()).left_out)


def test_mirror_images():
    from footfall.robots._legs import both

    left, right = both(ff.Tendon("cord_*", (ff.MomentArm("hip_*", (0.01, 0.05, 0.02)), ff.MomentArm("knee_*", 0.03)), 1e4))
    assert (left.name, right.name) == ("cord_left", "cord_right")
    assert right.arms == (ff.MomentArm("hip_right", (-0.01, 0.05, -0.02)), ff.MomentArm("knee_right", 0.03))


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        ((), "spans no joint"),
        ((ff.MomentArm("nee", 0.1),), "knee"),
        ((ff.MomentArm("knee", (0.1, 0.0, 0.0)),), "must be one number"),
        ((ff.MomentArm("knee", 0.1), ff.MomentArm("knee", 0.2)), "2 times"),
        ((ff.MomentArm("knee", 0.0),), "0 m"),
    ],
)
def test_bad_tendons_are_refused(arms, message):
    with pytest.raises(ff.FootfallError, match=message):
        dataclasses.replace(two_links(), tendons=(ff.Tendon("cord", arms, 1.0),))


def test_a_base_has_no_tendons():
    person = ff.robots.load("person")
    for joint, arm_, message in (("base", (0.1, 0.0, 0.0), "'base' is free"), ("hip_left", 0.1, r"must be \(x, y, z\)")):
        with pytest.raises(ff.FootfallError, match=message):
            dataclasses.replace(person, tendons=(ff.Tendon("cord", (ff.MomentArm(joint, arm_),), 1.0),))
    with pytest.raises(ff.FootfallError, match="declared 2 times"):
        dataclasses.replace(two_links(), tendons=two_links().tendons * 2)


def test_set_while_it_runs():
    simulation = ff.Simulation(Study(arm(pushes=True), WEIGHTLESS, q=(0.2,), seconds=1.0))
    simulation.advance(0.1)
    simulation.set("robot.tendons.cord.stiffness", 0.0)
    simulation.advance(0.2)
    run = simulation.run()
    assert np.ptp(run.v[run.time > 0.11]) < 1e-12
    assert run.replay() == run


@pytest.mark.parametrize("robot", [two_links(damping=5.0), ball(), ff.robots.load("ranger")])
def test_the_language_knows_them(robot):
    """A motor does what is left after springs, dampers and tendons; where its torque is zero they act alone."""
    rng = np.random.default_rng(2)
    q = ff.kinematics.integrate(robot, robot.neutral(), 0.3 * rng.normal(size=robot.nv))
    v = rng.normal(size=robot.nv)
    frictionless = tuple(dataclasses.replace(joint, friction=0.0, static_friction=None) for joint in robot.joints)
    passive = ff.dynamics.passive(dataclasses.replace(robot, joints=frictionless), q, v)
    algo = Algorithm(robot)
    for joint in robot.layout.joints:
        if joint.motor:
            algo.equate(f"{joint.name} off", algo.joint(joint.name).torque == 0.0)
    if not robot.actuated.size:
        algo.minimise(algo.joint("hip").acceleration ** 2)
    found = algo.solve(q, v)
    assert found.acceleration == pytest.approx(ff.dynamics.forward(robot, q, v, passive), abs=1e-7)
    assert np.abs(found.torque).max() < 1e-8


def test_the_language_gives_the_torque_of_the_motor():
    robot = arm(pushes=True)
    algo = Algorithm(robot, 0.0)
    algo.equate("still", algo.joint("hinge").acceleration == 0.0)
    assert algo.solve((0.1,), (0.0,)).torque[0] == pytest.approx(STIFFNESS * ARM**2 * 0.1)


@dataclasses.dataclass(frozen=True)
class Loose(ff.control.Algorithmic):
    """All motors off."""

    def initialize(algo, params, state):
        for name in ("hip", "knee"):
            algo.equate(name, algo.joint(name).torque == 0.0)

    def controller(algo, params, state, time):
        pass


def test_the_ideal_engine_swings_with_them():
    """Its steps are of first order: what two of them extrapolate to agrees."""
    start = {"q": (0.5, -0.3), "v": (-1.0, 2.0), "seconds": 0.2}
    coarse, fine = (
        ff.simulate(Study(two_links(), controller=Loose(rate=1.0 / dt), engine=Ideal(), dt=dt, **start)) for dt in (1e-4, 5e-5)
    )
    real = ff.simulate(Study(two_links(), dt=1e-5, **start))
    assert 2.0 * fine.q[-1] - coarse.q[-1] == pytest.approx(real.q[-1], abs=1e-4)
    assert ff.analysis.ledger(fine).relative < 2e-3


def test_the_swing_leg_of_the_walk_is_free():
    """Motors that are off give no torque, and the tendons of the hip pull the leg forward meanwhile."""
    study = ff.studies.load("newton-walk-tendons", **{"controller.guided": 4, "stride": 0.25})
    run = ff.simulate(study, seconds=4.5)
    assert not run.fell
    free = (run["controller.state.free"] == 1) & (run["controller.state.phase"] == 1)
    assert free.sum() > 20
    for name in ("hip_right.wy", "knee_right", "ankle_right.wx", "toe_right"):
        assert np.abs(run.tau[free, run.robot.velocities.index(name)]).max() < 1e-6
    flexor = [tendon.name for tendon in run.robot.tendons].index("hip_flexor_right")
    assert ff.dynamics.tendons(run.robot, run.q[free]).force[:, flexor].max() > 100.0


def test_a_person_stays_within_human_ranges():
    """Thrown about in the air, without gravity: ball joints are held by ligaments, knees and toes by stops."""
    robot = ff.robots.load("person", limits=True)
    v = np.random.default_rng(3).normal(size=robot.nv) * 4.0
    run = ff.simulate(robot, world=WEIGHTLESS, q=robot.configuration({"base.z": 5.0}), v=v, seconds=1.0)
    from footfall.robots.person import RANGE, range_of

    for name in RANGE:
        low, high = range_of(name)
        for side in ("left", "right"):
            if name in ("knee", "toe"):
                angle = run[f"q.{name}_{side}"]
            else:
                turns = np.column_stack([run[f"q.{name}_{side}.{each}"] for each in ("qx", "qy", "qz", "qw")])
                angle = Rotation.from_quat(turns).as_rotvec()[:, 1]
            assert low - 0.15 < angle.min()
            assert angle.max() < high + 0.15


def test_equations_of_a_swing_are_counted():
    """Of newton-walk-contact: DCM 2, height 1, torso 3, toes 2; heel 3 and foot 3 of the leg in the air."""
    run = counted("newton-walk-contact", {"stride_swing": 0.0}, 1.5)
    swing = run["controller.state.phase"] == R_SWING
    assert swing.any()
    assert set(run["controller.state.rows"][swing]) == {2 + 1 + 3 + 2 + 3 + 3}


def test_limits_of_joints_tell_that_they_act():
    """An ankle 4 degrees beyond its range, held by a ligament of 2000 N m/rad; and one inside."""
    robot = ff.robots.load("person", limits=True)
    for degrees, torque in ((-34.0, 2000.0 * np.radians(4.0)), (-29.0, 0.0)):
        half = np.radians(degrees) / 2
        ankle = {"ankle_left.qw": np.cos(half), "ankle_left.qy": np.sin(half)}
        q = robot.configuration({"base.z": 5.0, "knee_left": 0.5, "knee_right": 0.5, **ankle})
        acts, most = limits_act(ff.simulate(robot, world=WEIGHTLESS, q=q, seconds=0.002))
        assert most == pytest.approx(torque, abs=1e-6)
        assert acts[0] == (torque > 0.0)


def test_angles_beside_human_ranges():
    assert beyond("knee", np.array((1.0, 140.0)))[0] == 5.0
    assert beyond("ankle", np.array((-20.0, 10.0)))[0] == -10.0
