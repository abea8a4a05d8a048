"""Shapes of links: balls and capsules against closed forms, robots that fall and lie, falls that are seen."""

import dataclasses

import numpy as np
import pytest

import footfall as ff
from footfall import analysis
from footfall.engines import Maximal
from footfall.engines.contact.build import pad_points
from footfall.errors import FootfallError, RobotError, SimulationError
from footfall.model.file import parse_robot, robot_text
from footfall.model.layout import lower
from footfall.model.shapes import height_of
from footfall.reproduce.world.symmetry import mirror
from footfall.world import Change, Compliant, Flat, Profile, Push, Rigid, Slope, Stairs, World

G, M, R, SPIN = 9.81, 1.0, 0.1, 0.004  # of the ball: 2/5 M R^2
WALKERS = [name for name in ff.robots.names() if ff.robots.load(name).feet]
SPACES = ["planar", "spatial"]


def ball(**more):
    """A solid ball in space, with the ball as its foot."""
    link, joint = ff.Link("ball", M, inertia=(SPIN, SPIN, SPIN)), ff.Joint("base", "free", "world", "ball")
    return ff.Robot("ball", "spatial", (link,), (joint,), feet=(ff.Foot("ball", (ff.Sphere("ball", R),)),), **more)


def rod(space, **more):
    """A capsule along z, 0.5 m from end to end, 0.05 m thick, 2 kg, as a body without feet."""
    half = (0.0, 0.2) if space == "planar" else (0.0, 0.0, 0.2)
    inertia = 0.04 if space == "planar" else (0.04, 0.04, 0.001)
    joint = ff.Joint("base", "planar" if space == "planar" else "free", "world", "rod")
    shape = ff.Capsule("rod", 0.05, end=half, start=tuple(-x for x in half))
    return ff.Robot("rod", space, (ff.Link("rod", 2.0, inertia=inertia),), (joint,), shapes=(shape,), **more)


def lowest(run, every=1):
    """The lowest point of all pads and shapes at recorded instants, from poses and radii alone."""
    found = np.inf
    for row in pad_points(run.robot, bodies=True)[0]:
        link = run.robot.layout.joints[row.where.body - 1].child
        at = lower((run.robot.target(link).axes.T @ row.at)[None], run.robot.space)[0]
        if row.radius and row.span != (-np.pi, np.pi):
            continue  # the end of an arc: its own recorded point is looked at
        for q in run.q[::every]:
            pose = ff.kinematics.pose(run.robot, q, link)
            found = min(found, float((pose.position + pose.rotation @ at)[-1]) - row.radius)
    return min(found, float(run.point[..., -1][run.mode > 0].min(initial=np.inf)))


# --- balls in space -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
def test_a_ball_rolls_down_a_slope(heading):
    """With 5/7 g sin(a), in whatever direction the ball's own axes point."""
    robot, angle = ball(), 0.2
    turn = (np.cos(heading / 2), np.sin(heading / 2) * 0.6, 0.0, np.sin(heading / 2) * 0.8)
    q = (0.0, 0.0, R / np.cos(angle), *turn)
    run = ff.simulate(robot, None, World(Slope(-angle), Rigid(friction=1.0)), q=q, seconds=1.0)
    way = np.hypot(run.q[:, 0], run.q[:, 2] - run.q[0, 2])
    assert np.abs(way - 0.5 * 5 / 7 * G * np.sin(angle) * run.time**2).max() < 1e-8
    assert np.abs(run.q[:, 1]).max() < 1e-9
    assert analysis.ledger(run).relative < 1e-6


def test_a_ball_that_rolls_and_spins_goes_straight_on():
    """Rolling in two directions at once, spinning about the normal: nothing changes, no force along the ground."""
    w, v = (3.0, 5.0, 20.0), (0.5, -0.3, 0.0)
    run = ff.simulate(ball(), None, World(contact=Rigid(friction=1.0)), q=(0, 0, R, 1, 0, 0, 0), v=(*v, *w), seconds=2.0)
    assert run.q[-1, :3] == pytest.approx((1.0, -0.6, R), abs=1e-8)
    assert np.abs(run.v[:, :2] - v[:2]).max() < 1e-7
    spin = np.linalg.norm(run.v[:, 3:], axis=1)
    assert np.abs(spin - np.linalg.norm(w)).max() < 1e-7
    assert run.slip[-1, 0] == 0.0


@pytest.mark.parametrize("spin", [0.0, 7.0])
def test_a_ball_slides_then_rolls(spin):
    """From v without turning it comes to 5/7 v, at 2/7 v / (mu g); a spin about the normal has no effect on a point."""
    v, mu = np.array((0.6, 0.8, 0.0)), 0.3
    start = {"q": (0, 0, R, 1, 0, 0, 0), "v": (*v, 0.0, 0.0, spin)}
    run = ff.simulate(ball(), None, World(contact=Rigid(friction=mu)), seconds=1.0, record_dt=1e-3, **start)
    assert run.v[-1, :3] == pytest.approx(5 / 7 * v, abs=1e-9)
    [ends] = run.happened("slip ends")
    assert ends.time == pytest.approx(2 / 7 / (mu * G), abs=2e-3)
    energy = 0.5 * M * (1 - 25 / 49) - 0.5 * SPIN * (5 / 7 / R) ** 2
    assert run.ledger[-1, 4] == pytest.approx(-energy, rel=1e-6)


def test_a_ball_bounces_and_springs():
    run = ff.simulate(
        ball(), None, World(contact=Rigid(restitution=0.5)), q=(0, 0, R + 1, 1, 0, 0, 0), seconds=1.2, record_dt=1e-3
    )
    top = run.q[run.time > 0.5, 2].max() - R
    assert top == pytest.approx(0.25, rel=5e-3)
    soft = Compliant(stiffness=1e4, damping=50.0)
    run = ff.simulate(ball(), None, World(contact=soft), q=(0, 0, R, 1, 0, 0, 0), v=(0.5, 0, 0, 0, 5.0, 0), seconds=2.0)
    assert run.q[-1, 2] == pytest.approx(R - M * G / 1e4, abs=1e-8)
    assert run.v[-1, 0] == pytest.approx(0.5, abs=1e-4)


def test_a_ball_climbs_a_step_in_space_as_a_wheel_does_in_the_plane():
    """Straight at the edge, and turned about the vertical: the plane's own closed form is in test_edges."""
    flat = ff.Robot(
        "ball",
        "planar",
        (ff.Link("ball", M, inertia=SPIN),),
        (ff.Joint("base", "planar", "world", "ball"),),
        feet=(ff.Foot("ball", (ff.Sphere("ball", R),)),),
    )
    world = World(Stairs(0.01, 1.0, 1, 0.3), Rigid(friction=5.0))
    wheel = ff.simulate(flat, None, world, q=(0, R, 0), v=(1.0, 0, 10.0), seconds=0.8)
    run = ff.simulate(ball(), None, world, q=(0, 0, R, 0.8, 0, 0, 0.6), v=(1.0, 0, 0, *_turned((0, 10.0, 0))), seconds=0.8)
    assert run.q[:, [0, 2]] == pytest.approx(wheel.q[:, :2], abs=1e-7)
    assert np.abs(run.q[:, 1]).max() < 1e-9
    assert run.q[-1, 2] == pytest.approx(R + 0.01, abs=1e-8)


def _turned(w, q=(0.8, 0.0, 0.0, 0.6)):
    """An angular velocity in the axes of a body that is turned by the quaternion q about z."""
    c, s = q[0] ** 2 - q[3] ** 2, 2 * q[0] * q[3]
    return c * w[0] + s * w[1], -s * w[0] + c * w[1], w[2]


def test_a_ball_mirrored_rolls_mirrored():
    """To the bit: sliding, spinning and rolling on a slope."""
    world = World(Slope(-0.3), Rigid(friction=0.2))
    start = {"q": (0, 0, 0.2, 1, 0, 0, 0), "seconds": 1.0}
    one = ff.simulate(ball(), None, world, v=(0.3, 0.7, 0.0, 2.0, -1.0, 5.0), **start)
    other = ff.simulate(ball(), None, world, v=(0.3, -0.7, 0.0, -2.0, -1.0, -5.0), **start)
    assert np.array_equal(other.q * (1, -1, 1, 1, -1, 1, -1), one.q)


# --- capsules -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_a_capsule_comes_to_lie(space):
    """It tips over, and lies still with its axis one radius above the ground and half of its weight at each end."""
    robot = rod(space)
    q = robot.configuration({"base.z": 0.4})
    q = ff.kinematics.integrate(robot, q, robot.velocity({"base.pitch" if space == "planar" else "base.wy": 0.3}))
    run = ff.simulate(robot, None, World(bodies=True), q=tuple(q), seconds=4.0)
    assert run.pads == ("rod.body/0", "rod.body/1")
    assert run.q[-1, robot.coordinates.index("base.z")] == pytest.approx(0.05, abs=1e-7)
    assert run.force[-1, :, -1] == pytest.approx(M * G, rel=1e-3)
    energy = analysis.ledger(run)
    assert energy.energy.max() <= energy.energy[0] * (1 + 1e-6)
    assert lowest(run) > -1e-6


@pytest.mark.parametrize("space", SPACES)
def test_a_capsule_rests_on_an_edge(space):
    """Its middle lies on the edge of a step, its lower end on the floor below: two forces carry it, by statics."""
    robot, rise, far = rod(space), 0.1, 0.15
    world = World(Profile((0.0, 0.0), (0.0, rise)), Rigid(friction=3.0), bodies=True)
    # axis: from the ball on the floor at (x, 0.05), rising; at distance 0.05 from the edge (0, rise)
    tilt = 0.35
    u, n = np.array((np.cos(tilt), np.sin(tilt))), np.array((-np.sin(tilt), np.cos(tilt)))
    foot = np.array((0.0, rise)) + 0.05 * n  # of the axis, right over the edge
    low = foot - u * (foot[1] - 0.05) / u[1]
    along = np.linalg.norm(foot - low)
    middle = low + 0.2 * u
    pitch = np.pi / 2 - tilt  # from z toward x
    q = robot.configuration({"base.x": middle[0], "base.z": middle[1]})
    q = ff.kinematics.integrate(robot, q, robot.velocity({"base.pitch" if space == "planar" else "base.wy": pitch}))
    assert far < along < 0.4
    run = ff.simulate(robot, None, world, q=tuple(q), seconds=2.0)
    assert np.abs(run.q[-1] - run.q[0]).max() < 1e-6
    assert run.force[-1].sum(axis=0)[[0, -1]] == pytest.approx((0.0, 2 * G), abs=1e-5)


def test_a_capsule_rolls_off_sideways_in_space():
    """Across a slope it rolls about its axis as a cylinder does: a = g sin / (1 + I / m r^2)."""
    robot, angle = rod("spatial"), 0.2
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # axis along y
    world = World(Slope(-angle), Rigid(friction=1.0), bodies=True)
    run = ff.simulate(robot, None, world, q=(0, 0, 0.05 / np.cos(angle), *lying), seconds=1.0)
    way = np.hypot(run.q[:, 0], run.q[:, 2] - run.q[0, 2])
    a = G * np.sin(angle) / (1 + 0.001 / (2.0 * 0.05**2))
    assert np.abs(way - 0.5 * a * run.time**2).max() < 1e-7


# --- robots that fall -----------------------------------------------------------------------------------------------------


def limp(name, space):
    """A ready robot whose joints are damped a little, in the plane or in space, on its side: 1.2 rad from upright, 0.1 m high."""
    robot = ff.robots.load(name)
    if space == "planar" and robot.space == "spatial":
        pytest.skip("lives in space")
    robot = robot.in_space() if space == "spatial" else robot
    tall = height_of(robot)
    drag = 0.02 * robot.mass * tall**2 * np.sqrt(robot.gravity / tall)
    hinged = ("revolute", "spherical")
    joints = tuple(dataclasses.replace(joint, damping=drag) if joint.kind in hinged else joint for joint in robot.joints)
    robot = dataclasses.replace(robot, joints=joints)
    world = World(contact=Rigid(friction=0.7), bodies=True)
    q = ff.kinematics.random_configuration(robot, 3, 0.2)
    base = [name.startswith("base.") for name in robot.coordinates]
    q[base] = robot.neutral()[base]
    q = ff.kinematics.integrate(robot, q, robot.velocity({"base.pitch" if "base.pitch" in robot.velocities else "base.wy": 1.2}))
    q = ff.kinematics.within_stops(robot, q)
    start = np.array(ff.Simulation(ff.Study(robot, world, q=tuple(q)), lift=True).study.q)
    start[robot.coordinates.index("base.z")] += 0.1
    return robot, world, tuple(start)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", WALKERS)
def test_a_limp_robot_falls_and_lies(name, space):
    """No part of it sinks in by more than 0.1 mm, its energy only falls, and in the end it does not move."""
    robot, world, q = limp(name, space)
    run = ff.simulate(robot, None, world, q=q, seconds=10.0, record_dt=2e-3)
    book = analysis.ledger(run)
    assert run.outcome is ff.Outcome.END
    assert (book.energy - np.minimum.accumulate(book.energy)).max() <= 1e-4 * abs(book.energy[0])
    assert book.relative < 1e-2
    assert lowest(run, every=25) > -1e-4
    if name != "rimless-wheel":  # its spokes are its feet
        touched = np.array(run.pads)[run.mode[-1] > 0]
        assert any(pad.split("/")[0].endswith(".body") for pad in touched)
    base = [name.startswith("base.") for name in robot.velocities]
    assert np.abs(run.v[-1, base]).max() < 1e-4
    kinetic = 0.5 * run.v[-1] @ ff.dynamics.mass_matrix(robot, run.q[-1]) @ run.v[-1]
    assert kinetic < 1e-4 * abs(book.energy[0])  # a limb may still settle


def test_a_robot_that_lies_is_pushed_and_comes_to_rest_again():
    robot = ff.robots.load("wendlandt")
    q = ff.kinematics.within_stops(robot, ff.kinematics.random_configuration(robot, 3, 0.2))
    world = World(contact=Rigid(friction=0.5), pushes=(Push("torso", (600.0, 0.0), 3.0, 3.5),), bodies=True)
    run = ff.simulate(robot, None, world, q=tuple(q), seconds=6.0, lift=True)
    x = run.q[:, 0]
    still, pushed = np.searchsorted(run.time, (2.9, 3.6))
    assert np.abs(run.v[still]).max() < 1e-6
    assert x[pushed] - x[still] > 0.05
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run.slip[-1].max() > 0.05
    assert lowest(run, every=5) > -1e-4


class Close(ff.Controller):
    """Bring the legs together."""

    def law(obs, params, state, goal, command):
        command.tau[4] = 150.0 * (-0.3 - obs.q[4]) - 20.0 * obs.v[4]
        command.tau[3] = -400.0 * obs.q[3] - 40.0 * obs.v[3]
        command.tau[5] = -400.0 * obs.q[5] - 40.0 * obs.v[5]
        return 0


def test_a_fallen_robot_gets_up():
    """Legs apart, the hip lies on slippery ground; the motor at the hip closes them, and the hip rises."""
    robot = ff.robots.load("simple-biped")
    assert (robot.velocities[3:], robot.coordinates[3:]) == (("leg_left", "hip", "leg_right"),) * 2
    world = World(contact=Rigid(friction=0.2), bodies=True)
    q = robot.configuration({"base.pitch": 1.2, "hip": -2.4})
    lying = ff.simulate(robot, None, world, q=tuple(q), seconds=2.0, lift=True)
    hip = robot.solids["hip"][0].radius
    assert lying.q[-1, 1] == pytest.approx(hip, abs=1e-6)
    assert np.abs(lying.v[-1]).max() < 1e-6
    up = ff.simulate(robot, Close(), world, q=tuple(lying.q[-1]), seconds=2.0)
    assert up.q[-1, 1] > 0.6


def test_bodies_touch_steps_and_changing_ground():
    robot = ff.robots.load("rabbit")
    q = ff.kinematics.within_stops(robot, ff.kinematics.random_configuration(robot, 1, 0.2))
    for terrain in (Stairs(0.05, 0.2, 8, 0.1), Profile((-0.3, -0.1, 0.2, 0.4), (0.0, 0.1, -0.1, 0.05))):
        world = World(terrain, Rigid(friction=0.7), bodies=True)
        run = ff.simulate(robot, None, world, q=tuple(q), seconds=3.0, lift=True, record_dt=2e-3)
        book = analysis.ledger(run)
        assert book.energy.max() - book.energy[0] <= 1e-3 * abs(book.energy[0])
        assert _deepest(run, terrain) < 2e-4
    later = World(contact=Rigid(friction=0.7), changes=(Change(2.0, Profile((-5.0, 5.0), (-0.5, -0.4))),), bodies=True)
    run = ff.simulate(robot, None, later, q=tuple(q), seconds=4.0, lift=True)
    assert run.q[-1, 1] < -0.3
    assert np.abs(run.v[-1, :3]).max() < 1e-3  # a shank still swings


def _deepest(run, terrain):
    """How deep balls and rods of shapes reach into a profile: distance of points along each axis from the ground's faces."""
    x, z = (
        np.concatenate(([end[0]], row, [end[1]]))
        for end, row in (((-9.0, 9.0), terrain.ground().knots), ((0, 0), terrain.ground().numbers))
    )
    z[0], z[-1] = z[1], z[-2]
    deepest = 0.0
    for link, shapes in run.robot.solids.items():
        for q in run.q[::25]:
            pose = ff.kinematics.pose(run.robot, q, link)
            for shape in shapes:
                start, end = (np.array(getattr(shape, key, getattr(shape, "at", None))) for key in ("start", "end"))
                for part in np.linspace(0.0, 1.0, 21):
                    p = pose.position + pose.rotation @ (start + part * (end - start))
                    a, b = np.column_stack((x[:-1], z[:-1])), np.column_stack((x[1:], z[1:]))
                    along = np.clip(((p - a) * (b - a)).sum(1) / np.maximum(((b - a) ** 2).sum(1), 1e-300), 0, 1)
                    away = np.linalg.norm(p - a - along[:, None] * (b - a), axis=1).min()
                    inside = p[1] < np.interp(p[0], x, z)
                    deepest = max(deepest, shape.radius + away if inside else shape.radius - away)
    return deepest


@pytest.mark.parametrize("name", ["wendlandt-3d", "johnnie"])
def test_mirrored_falls_are_mirrored(name):
    robot = ff.robots.load(name)
    image = mirror(robot)
    posture = 0.1 * np.random.default_rng(2).normal(size=robot.nv)
    world = World(contact=Rigid(friction=0.7), bodies=True)
    runs = []
    for way in (posture, image(posture)):
        q = ff.kinematics.within_stops(robot, ff.kinematics.integrate(robot, robot.neutral(), way))
        runs.append(ff.simulate(robot, None, world, q=tuple(q), seconds=0.8, lift=True))
    first, second = (np.array([ff.kinematics.difference(robot, robot.neutral(), q) for q in run.q]) for run in runs)
    assert any(pad.split("/")[0].endswith(".body") for pad in np.array(runs[0].pads)[runs[0].mode.any(axis=0)])
    assert np.abs(np.array([image(row) for row in first]) - second).max() < 1e-9


def test_maximal_coordinates_see_bodies_too():
    robot = rod("planar")
    start = {"q": (0.0, 0.3, 0.5), "seconds": 2.0}
    run = ff.simulate(robot, None, World(bodies=True), engine=Maximal(), **start)
    assert run.q[-1, 1] == pytest.approx(0.05, abs=1e-6)
    assert run.pads == ("rod.body/0", "rod.body/1")


def test_runs_with_bodies_are_saved_and_replayed(tmp_path):
    robot = ff.robots.load("wendlandt")
    run = ff.simulate(robot, None, World(bodies=True, lowest_com=0.1), seconds=1.0, lift=True)
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.replay() == run
    assert "torso.body/0" in run.pads
    assert "force.torso.body/0.z" in run.columns()
    assert set(analysis.motion.feet(run)) == {"foot_left", "foot_right"}
    assert len(run.of("torso.body")) == 2


# --- what does not change when they are off -------------------------------------------------------------------------------


def test_without_bodies_only_feet_are_contacts():
    """The kernel gets the same contacts as a robot without shapes, and the same bits come out."""
    robot = ff.robots.load("wendlandt")
    bare = dataclasses.replace(robot, shapes=(), links=tuple(dataclasses.replace(link, solid=False) for link in robot.links))
    q = ff.kinematics.random_configuration(robot, 1, 0.3)
    runs = [ff.simulate(each, None, World(falls=False), q=tuple(q), seconds=0.5, lift=True) for each in (robot, bare)]
    assert runs[0].pads == runs[1].pads
    assert all(np.array_equal(a, b) for a, b in zip(runs[0].series.values(), runs[1].series.values(), strict=True))
    data = ff.Simulation(ff.Study(robot, World(falls=False)), lift=True).rollout.data
    assert len(data.geometry.body) == len(pad_points(robot)[0]) == 4


def test_a_controller_sees_its_feet_only():
    seen = []

    class Look(ff.Controller):
        def law(obs, params, state, goal, command):
            seen.append((len(obs.force), len(obs.mode)))
            return 0

    robot = ff.robots.load("wendlandt")
    ff.simulate(robot, Look(), World(bodies=True), seconds=0.02, lift=True)
    assert set(seen) == {(4, 4)}


# --- falls ----------------------------------------------------------------------------------------------------------------


def test_a_knee_in_the_ground_is_a_fall():
    """A shank that carries a point foot: its knee goes down while the foot stays on the ground."""
    robot = ff.robots.load("rabbit")
    q = robot.configuration({"base.pitch": 0.0, "hip_left": -1.4, "hip_right": -1.4, "knee_left": 2.6, "knee_right": 2.6})
    run = ff.simulate(robot, None, World(contact=Rigid(friction=1.0)), q=tuple(q), seconds=2.0, lift=True, record_dt=1e-3)
    assert run.fell
    link = run.events[-1].which
    assert "touched the ground" in run.reason
    deep = []
    for each in ("thigh_left", "thigh_right", "shank_left", "shank_right", "torso"):
        pose = ff.kinematics.pose(robot, run.q[-1], each)
        for shape in robot.solids[each]:
            ends = [pose.position + pose.rotation @ np.array(at) for at in (shape.start, shape.end)]
            deep.append((min(end[1] for end in ends) - shape.radius, each))
    assert min(deep)[0] < 0.0
    assert min(deep)[0] > -0.02  # seen within a step
    assert {each: gap for gap, each in deep}[link] == pytest.approx(min(deep)[0], abs=1e-12)


def test_a_fall_is_a_height_if_the_world_says_so():
    robot = ff.robots.load("wendlandt")
    for world, what in (
        (World(falls=False, lowest_base=0.6), "torso was lower than 0.6 m above the ground"),
        (World(falls=False, lowest_com=0.7), "centre of mass was lower than 0.7 m above the ground"),
        (World(bodies=True, lowest_com=0.5), "centre of mass was lower than 0.5 m above the ground"),
    ):
        run = ff.simulate(robot, None, world, seconds=3.0, lift=True, record_dt=1e-3)
        assert run.fell
        assert what in run.reason
        if world.lowest_com is None:
            heights = run.q[:, robot.coordinates.index("base.z")]
        else:
            heights = np.array([ff.dynamics.center_of_mass(robot, q)[-1] for q in run.q])
        bound = world.lowest_base if world.lowest_com is None else world.lowest_com
        assert heights[-1] < bound
        assert heights[:-1].min() >= bound
    high = ff.simulate(robot, None, World(Flat(5.0), falls=False, lowest_base=0.6), seconds=3.0, lift=True)
    assert high.fell
    assert high.q[-1, 1] == pytest.approx(5.6, abs=0.05)
    assert not ff.simulate(robot, None, World(falls=False), seconds=1.0, lift=True).fell


def test_a_ball_beside_a_wall_touches_it():
    """A mark is a ball: it touches the side and the edge of a step before its middle is inside."""
    arm = ff.Robot(
        "arm",
        "planar",
        (ff.Link("foot", 1.0, inertia=0.01), ff.Link("knob", 0.1, inertia=1e-4)),
        (ff.Joint("base", "planar", "world", "foot"), ff.Joint("neck", "fixed", "foot", "knob", at=(0.3, 0.3))),
        feet=(ff.Foot("sole", (ff.HeelToe("foot", (-0.4, 0.0), (0.4, 0.0)),)),),
        shapes=(ff.Sphere("knob", 0.1),),
    )
    world = World(Profile((1.0, 1.0), (0.0, 0.35)), Rigid(friction=0.0))
    run = ff.simulate(arm, None, world, q=(0.0, 0.0, 0.0), v=(0.5, 0.0, 0.0), seconds=3.0, record_dt=1e-3)
    assert run.fell
    assert run.events[-1].which == "knob"
    reach = np.sqrt(0.1**2 - 0.0**2)  # the wall is higher than the knob's middle
    assert run.q[-1, 0] + 0.3 + reach == pytest.approx(1.0, abs=1e-3)


# --- declarations ---------------------------------------------------------------------------------------------------------


def test_every_ready_robot_stands_on_its_feet():
    """In the zero position no shape reaches below the soles, so that a robot which stands has not fallen."""
    for name in WALKERS:
        robot = ff.robots.load(name)
        q = robot.neutral()
        pads, shapes = [], []
        for row in pad_points(robot, bodies=True)[0]:
            link = robot.layout.joints[row.where.body - 1].child
            at = lower((robot.target(link).axes.T @ row.at)[None], robot.space)[0]
            pose = ff.kinematics.pose(robot, q, link)
            z = float((pose.position + pose.rotation @ at)[-1]) - row.radius
            (shapes if ".body/" in row.name else pads).append(z)
        assert min(shapes) > min(pads) - 1e-9, name


def test_what_lies_on_its_pads_has_not_fallen():
    """A rod that touches with points at its ends, and a plank on heel and toe: their shape does not reach below their pads."""
    ends = (ff.Point("rod", (-0.5, 0.0)), ff.Point("rod", (0.5, 0.0)))
    for pads, com in ((ends, (0.0, 0.0)), (ends, (0.1, 0.3)), ((ff.HeelToe("rod", (-0.2, 0.0), (0.2, 0.0)),), (0.0, 0.05))):
        link, joint = ff.Link("rod", 1.0, com, 1 / 12), ff.Joint("base", "planar", "world", "rod")
        robot = ff.Robot("rod", "planar", (link,), (joint,), feet=(ff.Foot("rod", pads),))
        run = ff.simulate(robot, None, World(), q=(0.0, 0.1, 0.0), seconds=0.5)
        assert run.outcome is ff.Outcome.END
        assert run.time[-1] == 0.5


def test_shapes_are_kept_in_files():
    robot = dataclasses.replace(
        ff.robots.load("wendlandt-3d"),
        shapes=(
            ff.Sphere("torso", 0.2, (0.0, 0.0, 0.3)),
            ff.Capsule("thigh_left", 0.05, (0.0, 0.0, -0.4)),
            ff.Box("foot_left", (0.2, 0.1, 0.1)),
        ),
    )
    links = tuple(dataclasses.replace(link, solid=link.name != "shank_left") for link in robot.links)
    robot = dataclasses.replace(robot, links=links)
    again = parse_robot(robot_text(robot))
    assert again == robot
    assert again.solids == robot.solids
    assert robot.solids["shank_left"] == ()
    assert 'shape = "capsule"' in robot_text(robot)
    assert "Capsule" in robot.describe()


def test_exported_shapes_are_where_ours_are():
    """MuJoCo's own kinematics and geometry, for the ends of all capsules of a robot in a random pose."""
    mujoco = pytest.importorskip("mujoco")
    from footfall.model import mjcf, urdf

    robot = ff.robots.load("johnnie")
    model = mujoco.MjModel.from_xml_string(mjcf.mjcf_text(robot, bodies=True).text)
    data = mujoco.MjData(model)
    q = ff.kinematics.random_configuration(robot, 5, 0.5)
    data.qpos[:] = mjcf.qpos_from(robot, q)
    mujoco.mj_forward(model, data)
    compared = 0
    for link, shapes in robot.solids.items():
        pose = ff.kinematics.pose(robot, q, link)
        for i, shape in enumerate(shapes):
            geom = model.geom(f"{link}.body.{i}")
            assert geom.size[0] == pytest.approx(shape.radius)
            if isinstance(shape, ff.Capsule):
                middle = pose.position + pose.rotation @ (np.array(shape.start) + np.array(shape.end)) / 2
                assert data.geom(geom.id).xpos == pytest.approx(middle, abs=1e-9)
                assert 2 * geom.size[1] == pytest.approx(np.linalg.norm(np.subtract(shape.end, shape.start)))
                axis = data.geom(geom.id).xmat.reshape(3, 3)[:, 2]
                ours = pose.rotation @ np.subtract(shape.end, shape.start)
                assert abs(axis @ ours) == pytest.approx(np.linalg.norm(ours))
                compared += 1
    assert compared > 10
    text = urdf.urdf_text(robot, bodies=True).text
    assert 'name="arm_left.body.0"' in text
    assert 'name="arm_left.body.0.end"' in text
    assert "body" not in urdf.urdf_text(robot).text
    assert model.ngeom > mujoco.MjModel.from_xml_string(mjcf.mjcf_text(robot).text).ngeom


BAD = [
    (lambda: rod("planar", feet=(ff.Foot("f", (ff.Sphere("rod", 0.0),)),)), RobotError, "foot 'f', Sphere on 'rod': needs a radius above 0 m"),
    (lambda: dataclasses.replace(rod("planar"), shapes=(ff.Capsule("rod", 0.1, (0.0, 0.0)),)), RobotError, "shape Capsule on 'rod': both ends .* use Sphere"),
    (lambda: dataclasses.replace(rod("planar"), shapes=(ff.Capsule("rod", 0.1, (0.0, 0.0, 1.0)),)), RobotError, "shape Capsule on 'rod': end must be"),
    (lambda: dataclasses.replace(rod("planar"), shapes=(ff.Sphere("rad", 0.1),)), FootfallError, "rad"),
    (lambda: dataclasses.replace(rod("planar"), shapes=("round",)), RobotError, "shapes must be a row of Point, .* got 'round'"),
    (lambda: dataclasses.replace(rod("planar"), shapes=ff.Sphere("rod", 0.1)), RobotError, "shapes must be a row"),
    (lambda: World(bodies="yes"), FootfallError, "bodies must be True or False"),
    (lambda: World(lowest_base="low"), FootfallError, "lowest_base must be a number"),
    (lambda: ff.simulate(ff.studies.load("compass"), world=World(bodies=True)), SimulationError, "engine Hybrid knows no bodies"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "error", "message"), BAD)
def test_bad_shapes(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


def test_bodies_cannot_be_switched_on_the_way():
    simulation = ff.Simulation(ff.Study(ff.robots.load("rabbit"), World()), lift=True)
    simulation.advance(0.01)
    with pytest.raises(SimulationError, match="bodies cannot be set while a run is under way"):
        simulation.set("world.bodies", True)
    simulation.set("world.lowest_base", 10.0)
    simulation.advance(0.01)
    assert simulation.run().fell
