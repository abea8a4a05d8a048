"""Feasibility of patterns: against inverse dynamics, statics, closed forms and bounds that are known to be missed."""

import dataclasses

import numpy as np
import pytest

import footfall as ff
from footfall.motion import FootstepPlan, Limit, Swing, Timing, feasibility, walking_pattern
from footfall.motion.feasibility import Finding, ground_forces
from footfall.motion.support import apart
from footfall.world import Slope, Stairs

UP, DOWN = Stairs(0.05, 0.3, 4, 0.22), Stairs(-0.05, 0.3, 4, 0.22)
STAIRS = FootstepPlan.straight(5, 0.3, 0.2, timing=Timing(0.9, 0.3), swing=Swing(0.08, 0.4, 0.25))


@pytest.fixture(scope="module")
def walk():
    return walking_pattern(ff.robots.load("johnnie"), FootstepPlan.straight(4, 0.4, 0.2), height=0.85)


@pytest.fixture(scope="module")
def found(walk):
    return feasibility(walk)


@pytest.mark.parametrize("name", ["johnnie", "person", "wendlandt-3d"])
@pytest.mark.parametrize("ground", [None, Slope(0.1, across=0.05)])
def test_the_base_needs_no_force(name, ground):
    """The shared wrenches carry the whole motion: nothing is left for the floating base."""
    plan = FootstepPlan.curve(4, 0.3, 1.5, 0.2)
    walk = walking_pattern(ff.robots.load(name), plan if ground is None else plan.on(ground))
    assert np.abs(feasibility(walk).torques[:, :6]).max() < 1e-9 * walk.robot.mass * 9.81


def test_torques_are_those_of_inverse_dynamics(walk, found):
    for row in (0, 350, 444, 600, 911):
        external = {link: found.wrenches[row, f] for f, link in enumerate(walk.legs.feet)}
        tau = ff.dynamics.inverse(walk.robot, walk.q[row], walk.v[row], walk.a[row], external=external)
        assert np.abs(tau - found.torques[row]).max() < 1e-9


def test_standing_is_statics(walk, found):
    _, forces = ground_forces(walk)
    weight = walk.robot.mass * walk.robot.gravity
    assert np.abs(forces[0] - (0.0, 0.0, weight / 2)).max() < 1e-3 * weight
    assert np.abs(forces[..., 2].sum(axis=1) - weight).max() < 0.2 * weight
    alone = ~walk.standing
    assert np.abs(forces[alone]).max() == 0.0
    knee = walk.robot.velocities.index("knee_left")
    shank = ff.kinematics.pose(walk.robot, walk.q[0], "shank_left").position
    ankle = walk.feet[0, 0, 0, :3] + (0.0, 0.0, walk.legs.data.ankle)
    below = ff.dynamics.inverse(  # the leg below the knee carries half of the weight, that presses in the middle of the sole
        walk.robot, walk.q[0], np.zeros(walk.robot.nv), np.zeros(walk.robot.nv)
    )[knee]
    press = walk.soles[0, 0].mean(axis=0) - shank
    assert found.torques[0, knee] == pytest.approx(below + press[0] * weight / 2, abs=0.5)
    assert ankle[2] == pytest.approx(walk.legs.data.ankle)


def test_friction_is_the_direction_of_the_whole_force(walk, found):
    a = walk.com_acceleration
    used = np.hypot(a[:, 0], a[:, 1]) / (9.81 + a[:, 2])
    assert max(each.value for each in found.findings if each.kind == "friction used") == pytest.approx(used.max(), rel=1e-9)


def test_on_a_slope_friction_is_at_least_its_tangent():
    ground = Slope(0.15)
    steep = feasibility(walking_pattern(ff.robots.load("johnnie"), FootstepPlan.straight(2, 0.1, 0.2).on(ground)), terrain=ground)
    assert steep.worst("friction used").value > np.tan(0.15)
    assert not feasibility(
        walking_pattern(ff.robots.load("johnnie"), FootstepPlan.straight(2, 0.1, 0.2).on(ground)), terrain=ground, friction=0.15
    ).ok


def test_extremes_are_those_of_the_rows(walk, found):
    for each in found.findings:
        if each.kind in ("torque", "speed", "power"):
            d, row = walk.robot.velocities.index(each.name), round(each.time / walk.dt)
            tau, speed = found.torques[row, d], walk.v[row, d]
            value = {"torque": abs(tau), "speed": abs(speed), "power": tau * speed}[each.kind]
            assert each.value == pytest.approx(value)
            assert (
                each.value
                >= {
                    "torque": np.abs(found.torques[:, d]),
                    "speed": np.abs(walk.v[:, d]),
                    "power": found.torques[:, d] * walk.v[:, d],
                }[each.kind].max()
            )


def test_what_fails_when_and_by_how_much(walk, found):
    assert found.ok
    assert found.text().startswith("feasible")
    worst = found.worst("torque")
    assert worst.name.startswith("knee")
    tight = feasibility(walk, limits={"knee": Limit(torque=worst.value - 5.0, speed=3.0, power=10.0)}, margin=0.06)
    assert {each.kind for each in tight.failed} == {"torque", "speed", "power", "ZMP margin"}
    assert tight.worst("torque").excess == pytest.approx(5.0)
    assert tight.worst("torque").time == worst.time
    assert "missed by 5\n" in tight.text() + "\n"
    assert "not feasible" in tight.text()


def test_the_worst_joint_is_the_one_that_uses_most_of_its_limit(walk):
    torque = {each.name: each.value for each in feasibility(walk).findings if each.kind == "torque"}
    torque = {name: value for name, value in torque.items() if value > 0.1}
    small, large = min(torque, key=torque.__getitem__), max(torque, key=torque.__getitem__)
    assert torque[small] < 0.1 * torque[large]
    limits = {name: Limit(torque=10.0 * value + 1.0) for name, value in torque.items()}
    limits |= {small: Limit(torque=2.0 * torque[small]), large: Limit(torque=1.1 * torque[large])}
    found = feasibility(walk, limits=limits)
    assert found.worst("torque").name == large  # though the other one has less to spare
    assert large in found.text()


@pytest.mark.parametrize(
    ("value", "bound", "least", "nearness"),
    [
        (5.0, 10.0, False, 0.5),
        (5.0, np.inf, False, -np.inf),
        (5.0, 0.0, False, np.inf),
        (0.0, 0.0, False, 0.0),
        (0.3, 0.1, True, -0.2),
    ],
)
def test_how_near_a_finding_is_to_its_bound(value, bound, least, nearness):
    assert Finding("torque", "knee", "N m", value, bound, 0.0, least).nearness == pytest.approx(nearness)


def test_limits_of_the_motors_count(walk):
    joints = tuple(
        dataclasses.replace(joint, motor=ff.Motor(torque=30.0, speed=2.0)) if joint.name == "knee_left" else joint
        for joint in walk.robot.joints
    )
    weak = feasibility(dataclasses.replace(walk, robot=dataclasses.replace(walk.robot, joints=joints)))
    assert {(each.kind, each.name) for each in weak.failed} == {("torque", "knee_left"), ("speed", "knee_left")}


def test_feet_on_stairs():
    robot = ff.robots.load("johnnie")
    for ground, plan in ((UP, STAIRS), (DOWN, dataclasses.replace(STAIRS, swing=Swing(0.06, 0.5, 0.0, 0.25)))):
        walk = walking_pattern(robot, plan.on(ground), height=0.85)
        assert feasibility(walk, terrain=ground).ok
    early = walking_pattern(robot, dataclasses.replace(STAIRS, swing=Swing(0.01)).on(UP), height=0.85)
    hit = feasibility(early, terrain=UP)
    assert {each.kind for each in hit.failed} >= {"above ground"}
    assert -0.05 <= hit.worst("above ground").value < -1e-3


def test_soles_are_apart(walk, found):
    """Parallel soles: their distance is the width of the walk less that of a sole."""
    sole = np.ptp(walk.legs.corners[0, :, 1])
    assert found.worst("soles apart").value == pytest.approx(0.2 - sole, abs=1e-9)
    narrow = feasibility(walking_pattern(walk.robot, FootstepPlan.straight(4, 0.4, sole - 0.02), height=0.85))
    assert not narrow.ok
    assert narrow.worst("soles apart").value == pytest.approx(-0.02, abs=1e-9)
    assert feasibility(walking_pattern(walk.robot, FootstepPlan.straight(4, 0.4, sole), height=0.85)).worst("soles apart").ok


def test_distances_of_polygons_are_those_of_their_points():
    """Random rectangles, against points along their edges; overlapping ones by the way that parts them."""
    rng = np.random.default_rng(3)
    box, part = np.array([(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)]), np.linspace(0.0, 1.0, 200, endpoint=False)
    square = 0.5 * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    assert apart(box[None], square[None] + (0.0, 0.9)) == pytest.approx([-0.1])
    assert apart(box[None], 0.1 * square[None]) == pytest.approx([-0.55])
    assert apart(box[None], square[None] + (4.5, 4.0)) == pytest.approx([np.hypot(3.0, 3.0)])
    for angle, x, y in zip(rng.uniform(-3.0, 3.0, 30), rng.uniform(2.3, 4.0, 30), rng.uniform(-4.0, 4.0, 30), strict=True):
        c, s = np.cos(angle), np.sin(angle)
        two = box @ np.array(((c, s), (-s, c))) + (x, y)
        rims = [
            np.concatenate([a + part[:, None] * (b - a) for a, b in zip(p, np.roll(p, -1, 0), strict=True)]) for p in (box, two)
        ]
        away = np.linalg.norm(rims[0][:, None] - rims[1][None], axis=-1).min()
        assert apart(box[None], two[None]) == pytest.approx([away], abs=2e-3)


def test_unknown_joints_are_refused(walk):
    with pytest.raises(ff.FootfallError, match="knee"):
        feasibility(walk, limits={"kne": Limit(torque=1.0)})
    with pytest.raises(ff.FootfallError):
        feasibility(walk, limits={"knee": 3.0})
    with pytest.raises(ff.FootfallError):
        feasibility(walk).worst("colour")
