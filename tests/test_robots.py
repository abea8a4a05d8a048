"""The ready robots against their sources. Places are worked out here by hand, never with Footfall's own kinematics."""

import subprocess
import sys
from math import cos, degrees, isfinite, pi, radians, sin

import numpy as np
import pytest

import footfall as ff
from footfall.errors import FootfallError, RobotError, UnknownNameError
from footfall.robots import load, names

# Degrees of freedom, driven ones, mass (kg), height of the hip (or hub) above the sole in the zero pose (m), gravity, and whose
# numbers they are. Robots that hang from the world have no such height.
SOURCES = {
    "pendulum": (1, 0, 1.0, None, 9.81, "textbook"),
    "chain": (5, 0, 5.0, None, 9.81, "textbook"),
    "rimless-wheel": (3, 0, 1.0, 1.0, 9.81, "textbook: unit mass, unit spokes"),
    "simplest-walker": (4, 0, 1.0, 1.0, 1.0, "Garcia et al. 1998: everything is one, feet without mass"),
    "compass": (4, 0, 20.0, 1.0, 9.8, "Goswami et al. 1998: 10 + 2 x 5 kg, a = b = 0.5 m"),
    "simple-biped": (6, 3, 8.0, 0.8, 9.81, "Kelly: 6.8 + 2 x 0.6 kg, legs of 0.7 to 0.9 m"),
    "round-feet": (4, 0, 2.0, 1.2, 1.0, "Bhounsule 2009: 1 + 2 x 0.5, l + r = 1.0 + 0.2"),
    "kneed-walker": (6, 0, 1.6, 1.0, 9.8, "Hsu Chen 2007: 0.5 + 2 x (0.5 + 0.05) kg, L = 1 m"),
    "ono": (6, 1, 8.0, 0.8, 9.81, "Ono et al. 2001 (from memory): four links of 2 kg and 0.4 m"),
    "rabbit": (7, 4, 40.0, 0.8, 9.81, "Westervelt et al. 2003: 20 + 2 x (6.8 + 3.2) kg, 0.4 + 0.4 m"),
    "simbicon": (9, 6, 90.0, 0.94, 9.8, "JSimbicon: 70 + 2 x (5 + 4 + 1) kg, 0.45 + 0.45 + 0.04 m"),
    "wendlandt": (9, 6, 72.5, 0.93, 9.81, "Wendlandt & Sastry 1996: 72.5 kg; lengths chosen, 0.42 + 0.43 + 0.08 m"),
    "wendlandt-3d": (18, 12, 72.5, 0.93, 9.81, "as the planar one"),
    "ranger": (6, 3, 9.96, 1.02, 9.81, "Kelly: 2 x (4.96 + 0.02) kg, l + r - d = 0.96 + 0.20 - 0.14 m"),
    "person": (
        22,
        16,
        80.0,
        0.530 * 1.829,
        9.81,
        "Stewart & Cremer 1989: 16 dof and a free base; Winter: hip at 0.530 of stature",
    ),
    "johnnie": (23, 17, 40.0, 0.954, 9.81, "17 joints, about 40 kg; Winter at 1.80 m"),
}
SIDES = {"_left": "_right", "_outer": "_inner"}


def turned(angle, vector):
    """(x, z) turned about +y."""
    x, z = vector
    return np.array([x * cos(angle) + z * sin(angle), -x * sin(angle) + z * cos(angle)])


def places(robot, angles=None):
    """Origin and pitch of every link, with the base's origin at zero; angles only for robots in the plane."""
    angles = angles or {}
    found = {"world": (np.zeros(robot.dim), 0.0)}
    for joint in robot.joints:
        origin, pitch = found[joint.parent]
        arm = turned(pitch, joint.at) if robot.dim == 2 else np.array(joint.at)
        found[joint.child] = (origin + arm, pitch + angles.get(joint.name, 0.0))
    return found


def lowest(robot):
    """The lowest point of any foot in the zero pose, with the base's origin at zero."""
    where, heights = places(robot), []
    for foot in robot.feet:
        for pad in foot.pads:
            z = where[pad.link][0][-1]
            match pad:
                case ff.Point():
                    heights.append(z + pad.at[-1])
                case ff.HeelToe():
                    heights += [z + pad.heel[-1], z + pad.toe[-1]]
                case ff.Box():
                    heights.append(z + pad.at[-1] - pad.size[-1] / 2)
                case ff.Arc():
                    heights.append(z + pad.at[-1] - pad.radius)
    return min(heights)


def test_every_robot_has_a_source():
    assert names() == sorted(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_size_and_mass(name):
    freedoms, driven, mass, _, gravity, _ = SOURCES[name]
    robot = load(name)
    assert (robot.name, robot.nv, len(robot.actuated), robot.gravity) == (name, freedoms, driven, gravity)
    assert robot.mass == pytest.approx(mass, rel=3e-6)  # the simplest walker's feet weigh 2e-6
    assert robot.origin
    assert "\n" not in robot.origin


@pytest.mark.parametrize("name", SOURCES)
def test_prints(name):
    robot = load(name)
    assert str(robot).startswith(f"{name}: {robot.space}")
    for text in (str(robot), robot.describe()):
        assert all(link.name in text for link in robot.links)


@pytest.mark.parametrize("name", [name for name, row in SOURCES.items() if row[3]])
def test_stands_in_the_zero_pose(name):
    robot = load(name)
    base = robot.joints[0]
    assert (base.name, base.kind, base.parent) == ("base", {"planar": "planar", "spatial": "free"}[robot.space], "world")
    assert -lowest(robot) == pytest.approx(SOURCES[name][3], abs=1e-6)


@pytest.mark.parametrize("name", SOURCES)
def test_zero_pose_is_within_limits(name):
    for joint in load(name).joints:
        assert joint.limits[0] <= 0.0 <= joint.limits[1]


@pytest.mark.parametrize("name", [n for n in SOURCES if n not in ("pendulum", "chain", "rimless-wheel")])
def test_sides_are_mirror_images(name):
    robot = load(name)
    where = places(robot)
    pairs = [(link, robot.link(link.name.replace(a, b))) for a, b in SIDES.items() for link in robot.links if a in link.name]
    assert pairs
    flip = np.array([1.0, -1.0, 1.0]) if robot.dim == 3 else np.ones(2)
    for one, other in pairs:
        assert one.mass == other.mass
        assert np.array_equal(flip * one.com, other.com)
        assert np.array_equal(flip * where[one.name][0], where[other.name][0])
        sign = 1.0 if robot.dim == 2 else np.array([1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
        assert np.array_equal(sign * np.array(one.inertia), other.inertia)
        if robot.dim == 3 and one.name.startswith("thigh"):
            assert where[one.name][0][1] > 0.0  # left is +y


@pytest.mark.parametrize("name", ["kneed-walker", "ono", "rabbit", "simbicon", "wendlandt"])
def test_knees_go_forward(name):
    """With hip and ankle one above the other, a bent knee lies ahead of both."""
    robot = load(name)
    ends = {frame.name: frame.at for frame in robot.frames} | {joint.name: joint.at for joint in robot.joints}
    ankle = ends.get("ankle_left") or ends["tip_left"]
    assert ankle == pytest.approx(ends["knee_left"], abs=0.011)  # shank and thigh are as good as equal, so hip and ankle align
    lean = "base" if robot.joints[0].child == "thigh_left" else "hip_left"
    where = places(robot, {lean: -0.4, "knee_left": 0.8})
    assert where["shank_left"][0][0] > 0.15
    assert (where["shank_left"][0] + turned(where["shank_left"][1], ankle))[0] == pytest.approx(0.0, abs=0.005)
    low, high = robot.joint("knee_left").limits
    assert low == 0.0 < high or name == "simbicon"


# --- Wendlandt & Sastry 1996 ---------------------------------------------------------------------------------------------------

START = {"base": 10.0, "hip_left": -40.0, "knee_left": 70.4595, "ankle_left": -40.4595}  # degrees, minus the paper's


def wendlandt_start(robot):
    """The body's centre, the ankle and the foot's pitch in the start pose; the sole is at height zero."""
    where = places(robot, {name: radians(angle) for name, angle in START.items()})
    ankle, tilt = where["foot_left"]
    body = turned(where["torso"][1], robot.link("torso").com)
    sole = robot.feet[0].pads[0].heel[1]
    return body - ankle - (0.0, sole), tilt


@pytest.mark.parametrize(
    ("thigh", "shank", "ankle_height", "hip_to_com", "ankle_x"),
    [
        (0.42, 0.43, 0.08, 0.2834, 0.118),
        (0.432, 0.434, 0.07, 0.2799, 0.114),
        (0.40, 0.40, 0.08, 0.324, 0.116),
        (0.45, 0.43, 0.08, 0.257, 0.099),
    ],
)
def test_wendlandt_stands_where_the_paper_says(thigh, shank, ankle_height, hip_to_com, ankle_x):
    robot = load("wendlandt", thigh=thigh, shank=shank, ankle_height=ankle_height, hip_to_com=hip_to_com)
    body, tilt = wendlandt_start(robot)
    assert tilt == pytest.approx(0.0, abs=1e-12)  # the paper's feet are level
    assert body[1] == pytest.approx(1.05, abs=5e-4)  # and its body is 105 cm high
    assert body[1] == pytest.approx(ankle_height + 0.760865 * shank + 0.866025 * thigh + 0.984808 * hip_to_com, abs=1e-6)
    assert body[0] == pytest.approx(ankle_x, abs=1e-3)  # ahead of the ankle: our x is minus the paper's


def test_wendlandt_default_closes():
    body, _ = wendlandt_start(load("wendlandt"))
    assert body[1] == pytest.approx(1.05, abs=1e-5)
    assert abs(body[0] - 0.10) < 0.02  # the goal, 10 cm further back, is over the ankles


def test_wendlandt_masses():
    robot = load("wendlandt")
    assert robot.link("torso").mass == 45.0
    leg = [robot.link(f"{part}_left").mass for part in ("thigh", "shank", "foot")]
    assert leg == pytest.approx(13.75 * np.array([0.1416, 0.0433, 0.0137]) / (0.1416 + 0.0433 + 0.0137), abs=6e-3)
    assert load("wendlandt", thigh_mass=8.54, shank_mass=3.97).link("foot_right").mass == pytest.approx(1.24)


def test_wendlandt_in_space_is_the_same_biped():
    flat, deep = load("wendlandt"), load("wendlandt-3d")
    for link in flat.links:
        twin = deep.link(link.name)
        assert (twin.mass, twin.com[0], twin.com[2]) == (link.mass, *link.com)
        assert twin.inertia[1] == pytest.approx(link.inertia)
    where = places(deep)
    assert np.array_equal(where["hip_fork_left"][0], where["thigh_left"][0])
    assert np.array_equal(where["ankle_cross_right"][0], where["foot_right"][0])


def test_wendlandt_feet_are_tilted_as_the_paper_says():
    xx, _, zz, _, xz, _ = load("wendlandt-3d").link("foot_left").inertia
    _, axes = np.linalg.eigh([[xx, xz], [xz, zz]])
    x, z = axes[:, 0] * np.sign(axes[0, 0])  # the long axis has the smallest inertia
    assert degrees(np.arctan2(-z, x)) == pytest.approx(8.547)  # falls towards the toe


# --- Ranger ---------------------------------------------------------------------------------------------------------------------


def test_ranger_numbers_of_kelly():
    robot = load("ranger")
    leg, foot, hip, ankle = robot.link("leg_inner"), robot.link("foot_inner"), robot.joint("hip"), robot.joint("ankle_inner")
    assert (leg.mass, leg.com, leg.inertia, foot.mass) == (4.96, (0.0, -0.15), 0.45, 0.02)
    assert foot.inertia + ankle.motor.rotor_inertia * ankle.motor.gear**2 == pytest.approx(0.002)  # his inertia of a foot
    assert (hip.spring.stiffness, hip.spring.rest, ankle.spring.stiffness) == (8.045, 0.0, 0.134)
    assert ankle.spring.rest + 1.85 == pytest.approx(1.662)  # his ankle angle is ours + 1.85
    assert ankle.limits[0] == -1.85
    sole = robot.foot("foot_outer").pads[0]
    assert (sole.at, sole.radius) == ((0.0, 0.14), 0.20)
    assert [degrees(end) for end in sole.span] == pytest.approx([-5.0, 30.0])


def test_ranger_numbers_of_bhounsule():
    robot = load("ranger", numbers="bhounsule")
    leg, ankle = robot.link("leg_outer"), robot.joint("ankle_outer")
    assert robot.mass == pytest.approx(9.91)
    assert -leg.mass * leg.com[1] == pytest.approx(0.72)
    assert leg.inertia + leg.mass * leg.com[1] ** 2 == pytest.approx(0.53)
    assert ankle.motor.rotor_inertia * ankle.motor.gear**2 == pytest.approx(0.00185, abs=1e-6)
    assert -lowest(robot) == pytest.approx(0.96 + 0.20 - 0.11)
    with pytest.raises(UnknownNameError, match="bhounsule, kelly"):
        load("ranger", numbers="ruina")


# --- people ---------------------------------------------------------------------------------------------------------------------


def test_person_has_the_joints_of_the_paper():
    robot = load("person")
    kinds = {joint.name.partition("_")[0]: joint.kind for joint in robot.joints}
    assert kinds == {"base": "free", "hip": "spherical", "knee": "revolute", "ankle": "spherical", "toe": "revolute"}
    assert len(robot.links) == 9
    assert all(len(foot.pads) == 2 for foot in robot.feet)
    assert {pad.link for pad in robot.foot("foot_left").pads} == {"foot_left", "toes_left"}


def test_person_is_winters():
    """Winter's fractions at 1.829 m and 80 kg."""
    robot = load("person")
    expected = {"thigh_left": (8.00, -0.1940, 0.1676), "shank_left": (3.72, -0.1948, 0.0687), "torso": (54.24, 0.330, 3.70)}
    for name, (mass, com, inertia) in expected.items():
        link = robot.link(name)
        assert link.mass == pytest.approx(mass, abs=5e-3)
        assert link.com[2] == pytest.approx(com, abs=5e-4)
        assert link.inertia[1] == pytest.approx(inertia, abs=5e-3)
    assert robot.link("foot_left").mass + robot.link("toes_left").mass == pytest.approx(1.16)
    assert -lowest(robot) + head(robot) == pytest.approx(1.829)


def test_johnnie_joints():
    robot = load("johnnie")
    hinges = [joint.name for joint in robot.joints if joint.kind == "revolute"]
    assert len(hinges) == 17
    assert sum("left" in name for name in hinges) == sum("right" in name for name in hinges) == 8
    legs = [name.removesuffix("_left") for name in hinges if name.endswith("_left") and not name.startswith("shoulder")]
    assert legs == ["hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll"]
    assert -lowest(robot) + head(robot) == pytest.approx(1.80)


def test_johnnie_trunk_is_winters():
    """Pelvis and torso together: 0.578 of the mass, centre and radius at 0.66 and 0.503 of 0.288 of the stature."""
    robot = load("johnnie")
    where = places(robot)
    parts = [robot.link(name) for name in ("pelvis", "torso")]
    mass = sum(part.mass for part in parts)
    heights = [where[part.name][0][2] + part.com[2] for part in parts]
    middle = sum(part.mass * z for part, z in zip(parts, heights, strict=True)) / mass
    inertia = sum(part.inertia[1] + part.mass * (z - middle) ** 2 for part, z in zip(parts, heights, strict=True))
    assert mass == pytest.approx(0.578 * 40.0)
    assert middle == pytest.approx(0.66 * 0.288 * 1.80)
    assert inertia == pytest.approx(0.578 * 40.0 * (0.503 * 0.288 * 1.80) ** 2)


def head(robot):
    top = next(frame for frame in robot.frames if frame.name == "head")
    return places(robot)[top.link][0][2] + top.at[2]


# --- single numbers -------------------------------------------------------------------------------------------------------------


def test_simplest_walker_is_a_hip_on_legs_without_mass():
    robot = load("simplest-walker", foot_mass=1e-9)
    assert robot.link("hip").mass == 1.0
    assert robot.link("leg_left").com == (0.0, -1.0)
    with pytest.raises(RobotError, match="turns no inertia"):
        load("simplest-walker", foot_mass=0.0)


def test_simbicon_stops_are_those_declared():
    robot = load("simbicon", stops=True)
    assert [-x for x in robot.joint("hip_left").limits] == [3.0, -1.0]  # the program: -1 .. 3, other sign
    assert [-x for x in robot.joint("knee_left").limits] == [-0.02, -3.0]  # the program: -3 .. -0.02
    assert not any(isfinite(x) for joint in load("simbicon").joints for x in joint.limits)


def test_rimless_wheel_rolls_onto_the_next_spoke():
    robot = load("rimless-wheel", spokes=6)
    tips = [foot.pads[0].at for foot in robot.feet]
    assert len(tips) == 6
    for i, tip in enumerate(tips):
        assert turned(2 * pi / 6 * i, tip) == pytest.approx((0.0, -1.0))


def test_chain_in_space_has_crossing_hinges():
    robot = load("chain", links=4, space="spatial")
    assert [joint.axis for joint in robot.joints] == [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)] * 2
    assert robot.nv == 4
    assert load("chain", links=300).nv == 300


# --- the registry ---------------------------------------------------------------------------------------------------------------

CHOICES = {
    ("chain", "space"): "spatial",
    ("ranger", "numbers"): "bhounsule",
    ("johnnie", "motors"): "real",
    ("johnnie", "feet"): "compliant",
}
PARAMETERS = [(name, parameter) for name in SOURCES for parameter in ff.robots.parameters(name)]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_every_parameter_can_be_varied(name, parameter):
    declared = ff.robots.parameters(name)[parameter]
    default = declared.default
    assert declared.metadata["help"]
    if isinstance(default, bool):
        value = not default
    elif isinstance(default, str):
        value = CHOICES[name, parameter]
    else:
        value = default + 1 if isinstance(default, int) else 1.01 * default + 1e-9
    assert load(name, **{parameter: value}) != load(name)
    assert load(name, **{parameter: default}) == load(name)


def test_dashes_and_underscores_are_alike():
    assert load("rimless_wheel") == load("rimless-wheel")


def test_unknown_robot_is_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError) as error:
        load("wendland")
    assert "Did you mean 'wendlandt'?" in str(error.value)
    assert all(name in str(error.value) for name in SOURCES)
    for name in ("_legs", "__init__", "", "..", None, 3):
        with pytest.raises(UnknownNameError, match="there is no robot"):
            load(name)


def test_unknown_parameter_is_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError) as error:
        load("compass", legmass=3.0)
    assert "parameter (of robot 'compass') 'legmass'. Did you mean 'leg_mass'? Known: a, b, hip_mass, leg_mass." in str(
        error.value
    )


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("compass", {"a": "long"}, "a must be a number in m, got 'long'"),
        ("compass", {"a": float("nan")}, "a must be finite, got nan"),
        ("compass", {"b": True}, "b must be a number in m, got True"),
        ("compass", {"b": -0.5}, "b must be from 0 to 100 m, got -0.5"),
        ("chain", {"links": 2.5}, "links must be a whole number, got 2.5"),
        ("chain", {"links": 0}, "links must be from 1 to 10000, got 0"),
        ("chain", {"space": 3}, "no space .of robot 'chain'. '3'. Known: planar, spatial"),
        ("simbicon", {"stops": 1}, "stops must be True or False"),
        ("wendlandt", {"thigh_mass": 13.0}, "mass must be at least 0 kg, got -2.25"),
    ],
)
def test_wrong_values_are_refused(name, parameters, message):
    with pytest.raises(FootfallError, match=message):
        load(name, **parameters)


def test_one_robot_loads_one_file():
    code = "import sys; from footfall.robots import load; load('pendulum'); print(*(m for m in sys.modules if '.robots.' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["footfall.robots.pendulum"]
