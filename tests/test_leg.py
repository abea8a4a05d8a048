"""Legs in closed form: forward kinematics by hand, the numerical search, Pinocchio, and what is out of reach."""

import dataclasses
import time

import numpy as np
import pytest

import footfall as ff
from footfall.core import leg as kernels
from footfall.core.jit import kernel
from footfall.kinematics import Task, inverse, leg, pose, velocity

SPATIAL = [(name, foot) for name in ("johnnie", "wendlandt-3d", "person") for foot in ("sole_left", "sole_right", "foot_left")]
PLANAR = [("wendlandt", "sole_left"), ("wendlandt", "foot_right"), ("simbicon", "foot_left")]
POINTS = [("rabbit", "tip_left"), ("rabbit", "tip_right"), ("kneed-walker", "tip_right")]
GOALS = 100_000
PI = np.pi


def bent(robot, seed, spread=0.6):
    """A random configuration with knees well bent; a spherical ankle has pitch and roll only."""
    rng = np.random.default_rng(seed)
    q = ff.kinematics.random_configuration(robot, rng, spread)
    for i, joint in enumerate(robot.layout.joints, start=1):
        j = robot.tree.first_q[i]
        if joint.name.startswith("knee"):
            q[j] = (1.0 if joint.limits[1] > 0.0 else -1.0) * rng.uniform(0.2, 2.0)
        if joint.kind == "spherical" and joint.name.startswith("ankle"):
            (cp, cr), (sp, sr) = np.cos(p := rng.uniform(-0.4, 0.4, 2)), np.sin(p)  # of half the angles
            q[j : j + 4] = cp * cr, cp * sr, sp * cr, -sp * sr
    return q


def with_leg(robot, q, angles):
    """q with the joints of one leg changed."""
    new = q.copy()
    for name, value in angles.items():
        new[[i for i, known in enumerate(robot.coordinates) if known == name or known.startswith(f"{name}.")]] = value
    return new


def off(robot, q, foot, goal, turns=True):
    there = pose(robot, q, foot)
    place = np.abs(there.position - goal.position).max()
    return max(place, np.abs(there.rotation - goal.rotation).max()) if turns else place


@pytest.mark.parametrize(("name", "foot"), SPATIAL + PLANAR + POINTS)
def test_all_solutions_lead_to_the_goal(name, foot):
    """Every solution has the foot in its pose; one of them is the posture that the goal was made with."""
    robot = ff.robots.load(name)
    own = leg(robot, foot)
    for seed in range(40):
        q = bent(robot, seed)
        goal, base = pose(robot, q, foot), pose(robot, q, own.base)
        found = own.solutions(goal, base)
        assert len(found) == (2 if robot.space == "planar" else 8)
        assert found[0].reached
        for posture in found:
            assert posture.beyond == 0.0
            assert off(robot, with_leg(robot, q, posture.angles), foot, goal, own.shape.has_ankle) < 1e-12
        nearest = own.inverse(goal, base, near=q)
        assert np.abs(ff.kinematics.difference(robot, q, with_leg(robot, q, nearest.angles))).max() < 1e-9


def by_hand(leg_, angles):
    """Forward kinematics of the ready six-joint legs in plain matrices: R_z R_x R_y, thigh, R_y, shank, R_y R_x."""
    n, (yaw, roll, pitch, knee, ankle, last) = leg_.numbers, np.asarray(angles).T
    zero, one = np.zeros_like(yaw), np.ones_like(yaw)

    def about(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        rows = {
            "x": [[one, zero, zero], [zero, c, -s], [zero, s, c]],
            "y": [[c, zero, s], [zero, one, zero], [-s, zero, c]],
            "z": [[c, -s, zero], [s, c, zero], [zero, zero, one]],
        }[axis]
        return np.moveaxis(np.array(rows), -1, 0)

    hip = about("z", yaw) @ about("x", roll) @ about("y", pitch)
    shank = hip @ about("y", knee)
    foot = shank @ about("y", ankle) @ about("x", last)
    place = np.array(n.hip) + hip @ (0.0, 0.0, -n.thigh) + shank @ (0.0, 0.0, -n.shank) + foot @ np.array(n.foot)
    return place, foot


def drawn(rng, space):
    """Angles over all of the leg's range, from straight to folded."""
    if space == "planar":
        return rng.uniform((-PI, 0.0, -PI), (PI, PI, PI), (GOALS, 3))
    return rng.uniform((-PI, -1.2, -PI, 0.0, -PI, -PI), (PI, 1.2, PI, PI, PI, PI), (GOALS, 6))


def test_a_hundred_thousand_poses_in_space():
    own, rng = leg(ff.robots.load("johnnie"), "sole_left"), np.random.default_rng(0)
    p, R = by_hand(own, drawn(rng, "spatial"))
    for knee in ("forward", "back"):
        angles, beyond = own.many(p, R, knee)
        again = by_hand(own, angles)
        assert np.abs(beyond).max() < 1e-15
        assert np.abs(again[0] - p).max() < 1e-12
        assert np.abs(again[1] - R).max() < 1e-12
        assert ((angles[:, 3] if knee == "forward" else -angles[:, 3]) >= 0.0).all()


def test_a_hundred_thousand_poses_in_the_plane():
    own, rng = leg(ff.robots.load("wendlandt"), "sole_left"), np.random.default_rng(0)
    n = own.numbers

    def forward(angles):
        hip, knee, ankle = angles.T
        one, two, three = hip, hip + knee, hip + knee + ankle
        x = -n.thigh * np.sin(one) - n.shank * np.sin(two) + np.cos(three) * n.foot[0] + np.sin(three) * n.foot[1]
        z = -n.thigh * np.cos(one) - n.shank * np.cos(two) - np.sin(three) * n.foot[0] + np.cos(three) * n.foot[1]
        return np.column_stack((x, z)), three

    p, pitch = forward(drawn(rng, "planar"))
    for knee in ("forward", "back"):
        angles, beyond = own.many(p, pitch, knee)
        again, turned = forward(angles)
        assert np.abs(beyond).max() < 1e-15
        assert np.abs(again - p).max() < 1e-12
        assert np.abs(np.exp(1j * turned) - np.exp(1j * pitch)).max() < 1e-12


@pytest.mark.parametrize(("name", "bound"), [("johnnie", 2.0), ("wendlandt", 2.0)])
def test_the_time_of_a_solution(name, bound):
    """Under 2 us each in a compiled loop, in time of the processor, the best of a few; it takes a tenth of that."""
    own, rng = leg(ff.robots.load(name), "sole_left"), np.random.default_rng(0)
    angles = drawn(rng, own.robot.space)
    p, R = by_hand(own, angles) if name == "johnnie" else (angles[:, :2] / 10 - (0.0, 0.5), angles[:, 2])
    own.many(p, R)
    times = []
    for _ in range(5):
        start = time.process_time()
        own.many(p, R)
        times.append((time.process_time() - start) / GOALS)
    assert 1e6 * min(times) < bound


def test_pinocchio_has_the_foot_there():
    pin = pytest.importorskip("pinocchio")
    from footfall.model.peers import PinocchioRobot

    robot = ff.robots.load("johnnie")
    oracle = PinocchioRobot(robot)
    for seed in range(20):
        q = bent(robot, seed)
        for foot in ("sole_left", "sole_right"):
            own = leg(robot, foot)
            goal = pose(robot, bent(robot, seed + 1000), foot)
            local = pose(robot, bent(robot, seed + 1000), "pelvis")
            R = pose(robot, q, "pelvis").rotation @ local.rotation.T
            there = pose(robot, q, "pelvis").position + R @ (goal.position - local.position)
            found = own.inverse((there, R @ goal.rotation), pose(robot, q, "pelvis"))
            q = with_leg(robot, q, found.angles)
            pin.framesForwardKinematics(oracle.model, oracle.data, oracle.q(q))
            X = oracle.data.oMf[oracle.frames[foot]]
            assert np.abs(X.translation - there).max() < 1e-12
            assert np.abs(X.rotation - R @ goal.rotation).max() < 1e-12


@pytest.mark.parametrize(("name", "foot"), [("johnnie", "sole_left"), ("wendlandt", "sole_right")])
def test_the_search_finds_the_same(name, foot):
    """`inverse` from the closed form's neighbourhood ends in the closed form's posture."""
    robot = ff.robots.load(name)
    own = leg(robot, foot)
    for seed in range(5):
        q = bent(robot, seed)
        goal, base = pose(robot, q, foot), pose(robot, q, own.base)
        near = ff.kinematics.within_stops(robot, ff.kinematics.integrate(robot, q, 0.05 * np.ones(robot.nv)))
        tasks = [Task(foot, goal.position, goal.rotation), Task(own.base, base.position, base.rotation)]
        searched = inverse(robot, near, tasks)
        closed = own.inverse(goal, base, near=searched.q)
        assert np.abs(ff.kinematics.difference(robot, searched.q, with_leg(robot, searched.q, closed.angles))).max() < 1e-7


@pytest.mark.parametrize(("name", "foot"), SPATIAL + PLANAR + POINTS)
def test_rates(name, foot):
    """Velocity of foot and body from random joint rates; the leg's rates come back, or move the foot the same way."""
    robot = ff.robots.load(name)
    own, rng = leg(robot, foot), np.random.default_rng(1)
    for seed in range(20):
        q, v = bent(robot, seed), rng.normal(size=robot.nv)
        V, V_base = velocity(robot, q, v, foot), velocity(robot, q, v, own.base)
        rates = own.rates(q, V, V_base)
        again = v.copy()
        for joint, value in rates.items():
            again[[i for i, known in enumerate(robot.velocities) if known == joint or known.startswith(f"{joint}.")]] = value
        rows = slice(None) if own.shape.has_ankle else slice(0, robot.dim)
        assert np.abs(velocity(robot, q, again, foot)[rows] - V[rows]).max() < 1e-12
        if name != "person":
            assert np.abs(again - v).max() < 1e-11


@pytest.mark.parametrize(("name", "size"), [("johnnie", 6), ("wendlandt", 3)])
def test_rates_stay_bounded_near_a_straight_leg(name, size):
    """(2.24) grows without bound as the knee comes straight; damped, rates stay below speed / (near length), and are continuous."""
    robot = ff.robots.load(name)
    own, near, down = leg(robot, "foot_left"), 0.1, np.zeros(size)
    down[2 if size == 6 else 1] = -1.0
    kinds = "_pitch" if size == 6 else ""
    largest, exact = [], []
    for knee in np.geomspace(1e-9, 0.3, 300):
        q = robot.configuration({f"hip{kinds}_left": -knee / 2, "knee_left": knee, f"ankle{kinds}_left": -knee / 2})
        largest.append(abs(own.rates(q, down, near=near)["knee_left"]))
        exact.append(abs(own.rates(q, down)["knee_left"]))
        if np.sin(knee) > near:
            assert largest[-1] == exact[-1]
    assert exact[0] > 1e8
    length = own.numbers.thigh * own.numbers.shank / (own.numbers.thigh + own.numbers.shank)
    assert max(largest) < 1.2 / (near * length)
    assert np.abs(np.diff(largest)).max() < 0.1 * max(largest)
    with pytest.raises(ff.FootfallError, match="leg 'foot_left' of robot .* is singular here.*near > 0"):
        own.rates(robot.neutral(), down)
    assert own.rates(robot.neutral(), down, near=near)["knee_left"] == 0.0


@pytest.mark.parametrize("name", ["johnnie", "wendlandt"])
@pytest.mark.parametrize("excess", [1e-9, 0.01, 0.5])
def test_out_of_reach(name, excess):
    """The leg points at the goal and lacks exactly what it is too short."""
    robot = ff.robots.load(name)
    own = leg(robot, "foot_left")
    nearest, farthest = own.reach
    n, rng = own.numbers, np.random.default_rng(0)
    hip = np.array(n.hip)
    for _ in range(20):
        way = rng.normal(size=robot.dim)
        way[-1] = -abs(way[-1]) - 0.1
        way /= np.linalg.norm(way)
        goal = hip + (farthest + excess) * way
        found = own.inverse((goal, np.eye(robot.dim)))
        assert not found.reached
        assert found.beyond == pytest.approx(excess, abs=1e-14)
        assert f"the foot is {excess:.6g} m too far" in str(found)
        at = pose(robot, robot.configuration(found.angles), "foot_left").position
        assert np.linalg.norm(at - goal) == pytest.approx(excess, abs=1e-12)
        assert np.abs(at - (hip + farthest * way)).max() < 1e-9
    too_near = own.inverse((hip - (0.1 * nearest) * np.eye(robot.dim)[-1], np.eye(robot.dim)))
    assert too_near.beyond == pytest.approx(-0.9 * nearest, abs=1e-12)
    assert "too near" in str(too_near)


def test_limits_are_told():
    robot = ff.robots.load("wendlandt")
    stiff = dataclasses.replace(
        robot, joints=tuple(dataclasses.replace(j, limits=(0.0, 0.5)) if j.name == "knee_left" else j for j in robot.joints)
    )
    own = leg(stiff, "foot_left")
    found = own.solutions(((0.0, -0.6), 0.0))
    assert not any(each.reached for each in found)
    assert any("knee_left" in text and "upper limit of 0.5" in text for text in found[0].limits)
    assert "beyond its upper limit" in str(found[0])
    shortest = np.sqrt(0.42**2 + 0.43**2 + 2 * 0.42 * 0.43 * np.cos(0.5))
    assert own.reach == pytest.approx((shortest, 0.85), abs=1e-12)
    assert leg(robot, "foot_left").reach == pytest.approx((0.01, 0.85), abs=1e-12)


def odd_leg():
    """A leg with its axes turned round, links that do not hang straight at zero, and an ankle that is set aside of the hip."""
    frames = {"hip": (0.02, 0.11, -0.05), "knee": (0.05, 0.02, -0.4), "ankle": (-0.03, 0.03, -0.38)}
    parts = ("yaw", "roll", "pitch", "knee", "ankle", "last")
    axes = ((0, 0, -1), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, -1, 0), (-1, 0, 0))
    places = (frames["hip"], (0, 0, 0), (0, 0, 0), frames["knee"], frames["ankle"], (0, 0, 0))
    names = ("body", *parts)
    links = tuple(ff.Link(name, 1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)) for name in names)
    joints = [ff.Joint("base", "free", "world", "body")]
    for i, part in enumerate(parts):
        joints.append(ff.Joint(f"j_{part}", "revolute", names[i], part, places[i], axis=axes[i]))
    sole = ff.Frame("sole", "last", (0.05, 0.01, -0.07), (0.1, -0.2, 0.3))
    return ff.Robot("odd", "spatial", links, tuple(joints), frames=(sole,))


def test_a_leg_with_offsets_and_turned_axes():
    robot = odd_leg()
    own, rng = leg(robot, "sole"), np.random.default_rng(0)
    assert own.numbers.aside == pytest.approx(0.05)
    assert own.numbers.signs == (-1.0, 1.0, -1.0, 1.0, -1.0, -1.0)
    for seed in range(50):
        q = ff.kinematics.random_configuration(robot, seed, 0.7)
        goal, base = pose(robot, q, "sole"), pose(robot, q, "body")
        found = own.solutions(goal, base)
        assert len(found) == 8
        for each in found:
            assert off(robot, with_leg(robot, q, each.angles), "sole", goal) < 1e-12
        assert np.abs(np.subtract(own.inverse(goal, base, near=q).row, q[7:])).max() < 1e-9
        v = rng.normal(size=robot.nv)
        rates = own.rates(q, velocity(robot, q, v, "sole"), velocity(robot, q, v, "body"))
        size = 1.0 + np.abs(v).max() / abs(np.sin(q[10] + own.numbers.shank_tilt - own.numbers.thigh_tilt)) / abs(np.cos(q[8]))
        assert np.abs(np.subtract(list(rates.values()), v[6:])).max() < 1e-11 * size
    inside = own.inverse(((0.02, 0.11, -0.05), pose(robot, robot.neutral(), "sole").rotation))
    assert np.isfinite(inside.row).all()


def test_a_leg_made_of_link_parameters():
    """The table of Johnnie's leg, made a robot again: its axes are those of the table, and the closed form still fits."""
    johnnie = ff.robots.load("johnnie")
    made = ff.robot_from_dh(ff.dh_table(johnnie, "sole_left", "pelvis"), "leg")
    own, other = leg(made, "tool"), leg(johnnie, "sole_left")
    for seed in range(10):
        q = bent(johnnie, seed)
        goal, base = pose(johnnie, q, "sole_left"), pose(johnnie, q, "pelvis")
        T = np.linalg.solve(base.matrix, goal.matrix)
        assert np.abs(made_row(own, T) - other.inverse(goal, base, near=q).row).max() < 1e-9


def made_row(own, T):
    found = own.inverse(T, near=np.zeros(6))
    assert np.abs(pose(own.robot, np.array(found.row), "tool").matrix - T).max() < 1e-12
    rows = np.array([each.row for each in own.solutions(T) if each.reached])
    return rows[np.argmin(np.abs(rows).max(axis=1))]


def test_a_law_calls_the_kernels():
    """Scalars in, a tuple out, inside a compiled function; the same as plain Python."""
    own = leg(ff.robots.load("johnnie"), "foot_left")

    @kernel
    def law(numbers, p, R):
        beyond, q = kernels_angles(numbers, p, R, 1.0, 1.0, 1.0)
        return beyond + q[3]

    p, R = (0.1, 0.1, -0.8), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    compiled, plain = law["spatial"](own.numbers, p, R), law.plain("spatial")(own.numbers, p, R)
    assert compiled == pytest.approx(plain, abs=1e-14)
    assert compiled == pytest.approx(own.inverse((p, (0, 0, 0))).angles["knee_left"], abs=1e-14)


kernels_angles = kernels.spatial_leg_angles


def test_one_signature_for_each_kernel():
    for space, names in (("planar", PLANAR + POINTS), ("spatial", SPATIAL)):
        for name, foot in names:
            leg(ff.robots.load(name), foot).inverse(
                ((0.1, -0.7) if space == "planar" else (0.1, 0.1, -0.7), np.eye(2 if space == "planar" else 3))
            )
    if hasattr(kernels.planar_leg_angles["planar"], "signatures"):
        assert len(kernels.planar_leg_angles["planar"].signatures) == 1
        assert len(kernels.spatial_leg_angles["spatial"].signatures) == 1


def test_a_chain_through_another_leg():
    """The kneed walker floats on its left thigh: its left leg begins at the other one, with the hip turned round."""
    robot = ff.robots.load("kneed-walker")
    own = leg(robot, "tip_left", base="thigh_right")
    assert own.joints == ("hip", "knee_left")
    q = bent(robot, 3)
    found = own.inverse(pose(robot, q, "tip_left"), pose(robot, q, "thigh_right"), near=q)
    assert np.abs(with_leg(robot, q, found.angles) - q).max() < 1e-12
    v = np.random.default_rng(0).normal(size=robot.nv)
    rates = own.rates(q, velocity(robot, q, v, "tip_left"), velocity(robot, q, v, "thigh_right"))
    assert rates == pytest.approx({name: v[robot.velocities.index(name)] for name in own.joints}, abs=1e-12)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: leg("johnnie", "foot_left"), "must be a Robot"),
        (lambda r: leg(r, "foot"), "no link or frame"),
        (lambda r: leg(r, "foot_left", "pelvi"), "Did you mean 'pelvis'"),
        (lambda r: leg(r, "arm_left"), "from 'pelvis' to 'arm_left' has no closed form: it must have hip yaw.*waist.*any leg"),
        (lambda r: leg(r, "sole_left", "foot_left"), "no joint moves"),
        (lambda r: leg(ff.robots.load("simple-biped"), "foot_right"), "two or three hinges.*leg_right \\(prismatic\\)"),
        (lambda r: leg(ff.robots.load("ono"), "shank_right"), "falls together"),
        (lambda r: leg(r, "foot_left").inverse((0, 0, 0)), "pose of 'foot_left' must be a Pose, .* got \\(0, 0, 0\\)"),
        (
            lambda r: leg(r, "foot_left").inverse(((0, 0), (0, 0, 0))),
            "position of the pose of 'foot_left' must be 3 finite numbers",
        ),
        (lambda r: leg(r, "foot_left").inverse(((0, 0, 0), 0.0)), "rotation of the pose .* or \\(roll, pitch, yaw\\), got 0.0"),
        (lambda r: leg(r, "foot_left").inverse(2 * np.eye(4)), "must be a rotation and a shift"),
        (lambda r: leg(r, "foot_left").inverse(ff.kinematics.Pose(np.zeros(2), np.eye(2), 0.0)), "must be in space"),
        (lambda r: leg(r, "foot_left").inverse(((0, 0, -0.8), (0, 0, 0)), near=[0.0]), "q of robot 'johnnie'"),
        (lambda r: leg(r, "foot_left").many(np.zeros((4, 2))), "position of leg 'foot_left' .* got shape \\(4, 2\\)"),
        (lambda r: leg(r, "foot_left").many(np.zeros((4, 3))), "has an ankle: give a rotation for each of the 4"),
        (
            lambda r: leg(r, "foot_left").many(np.zeros((4, 3)), np.zeros((3, 3, 3))),
            "as many rotations as positions, got 3 and 4",
        ),
        (lambda r: leg(r, "foot_left").many(np.zeros((4, 3)), np.zeros((4, 3, 3)), "in"), "'forward' or 'back', got 'in'"),
        (lambda r: leg(r, "foot_left").rates(r.neutral(), (1, 0, 0)), "velocity of 'foot_left' must be 6"),
        (lambda r: leg(r, "foot_left").rates(r.neutral(), np.zeros(6), near=-1), "near .* from 0 on, got -1"),
    ],
)
def test_refused(ask, said):
    with pytest.raises(ff.FootfallError, match=said):
        ask(ff.robots.load("johnnie"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda j: dataclasses.replace(j, at=(0.0, 0.02, 0.0)) if j.name == "hip_pitch_left" else j, ""),
        (lambda j: dataclasses.replace(j, at=(0.02, 0.0, 0.0)) if j.name == "hip_pitch_left" else j, "must meet in a point"),
        (lambda j: dataclasses.replace(j, axis="z") if j.name == "knee_left" else j, "knee_left must be parallel to hip_pitch_left"),
        (lambda j: dataclasses.replace(j, axis=(1.0, 0.0, 1.0)) if j.name == "hip_yaw_left" else j, "at right angles"),
        (lambda j: dataclasses.replace(j, axis="z") if j.name == "ankle_roll_left" else j, "must be parallel to hip_roll_left"),
    ],
)  # fmt: skip
def test_legs_that_do_not_fit(change, said):
    robot = ff.robots.load("johnnie")
    changed = dataclasses.replace(robot, joints=tuple(change(joint) for joint in robot.joints))
    if not said:  # along its own axis: an ankle aside of the hip
        assert leg(changed, "foot_left").numbers.aside == pytest.approx(0.02)
        return
    with pytest.raises(ff.FootfallError, match=f"has no closed form: .*{said}.*takes any leg"):
        leg(changed, "foot_left")


@pytest.mark.parametrize(("name", "foot"), [("johnnie", "foot_left"), ("wendlandt", "foot_left"), ("rabbit", "tip_left")])
def test_the_margin_goes_to_zero_with_the_jacobian(name, foot):
    """Its product over the parts is the determinant of the Jacobian: zero together; away from zero, neither is."""
    robot = ff.robots.load(name)
    own = leg(robot, foot)
    for seed in range(20):
        q = bent(robot, seed)
        J = ff.kinematics.jacobian(robot, q, foot)
        columns = [robot.velocities.index(joint) for joint in own.joints]
        rows = slice(None) if own.shape.has_ankle else slice(0, robot.dim)
        n, row = own.numbers, own._row(q)
        knee = n.thigh * n.shank * abs(np.sin(row[own.shape.knee]))
        others = 1.0
        if robot.space == "spatial":
            height = n.thigh * np.cos(row[3] + row[4]) + n.shank * np.cos(row[4])
            others = abs(np.cos(row[1]) * height)
            assert own.margin(q) == pytest.approx(
                min(abs(np.sin(row[3])), abs(np.cos(row[1])), abs(height) / (n.thigh + n.shank))
            )
        assert abs(np.linalg.det(J[rows][:, columns])) == pytest.approx(knee * others, rel=1e-9)


def test_poses_in_several_forms():
    """A Pose, a transform, (position, rotation) and, where there is no ankle, a position are the same goal."""
    flat, tip = leg(ff.robots.load("wendlandt"), "foot_left"), leg(ff.robots.load("rabbit"), "tip_left")
    T = ff.transforms.translation(0.1, 0.0, -0.7) @ ff.transforms.rotation_y(0.2)
    R = T[np.ix_((0, 2), (0, 2))]
    rows = [
        flat.inverse(goal).row for goal in (T, ((0.1, -0.7), 0.2), ((0.1, -0.7), R), ff.kinematics.Pose(T[[0, 2], 3], R, 0.2))
    ]
    for row in rows:
        assert row == pytest.approx(rows[0], abs=1e-12)
    assert tip.inverse((0.1, -0.6)).row == tip.inverse(((0.1, -0.6), None)).row
    with pytest.raises(ff.FootfallError, match="must stay in the plane x-z"):
        flat.inverse(ff.transforms.rotation_x(0.5))
    with pytest.raises(
        ff.FootfallError, match="must be a Pose, a transform of 4 by 4, or \\(position, rotation\\), or a position"
    ):
        tip.inverse(0.0)
    q = ff.kinematics.random_configuration(flat.robot, 1)
    here = pose(flat.robot, q, "foot_left")
    assert ff.kinematics.pose_of(here.matrix, 2).angle == pytest.approx(np.angle(np.exp(1j * here.angle)), abs=1e-12)


def test_a_spherical_ankle_with_yaw_has_no_rates_in_closed_form():
    robot = ff.robots.load("person")
    q = robot.configuration(knee_left=0.5, ankle_left=(np.cos(0.2), 0.0, 0.0, np.sin(0.2)))
    with pytest.raises(ff.FootfallError, match="'ankle_left' .* must have pitch and roll only; it also has yaw"):
        leg(robot, "foot_left").rates(q, np.zeros(6))
