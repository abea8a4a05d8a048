"""Ground with edges: against closed forms, brute force, mirrors and statics."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

import footfall as ff
from footfall.core.contact.geometry import locate
from footfall.core.recursion.kinematics import set_places
from footfall.engines import Maximal
from footfall.engines.contact.build import build_sim_data
from footfall.errors import FootfallError, SimulationError
from footfall.model.parts import Arc, Box, Point
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.view.stroboscope import outline
from footfall.world import Change, Compliant, Flat, Obstacles, Profile, Push, Rigid, Stairs, Waves, World, random_steps
from shapes import ball, box, plank

SPACES = ["planar", "spatial"]
G, M, R, INERTIA = 9.81, 1.0, 0.1, 0.004  # of the ball
ROLLS = INERTIA + M * R * R  # about the point it touches with
ROUGH = Rigid(friction=5.0)


def roll(terrain, speed, seconds=0.9, **more):
    return ff.simulate(ball(), world=World(terrain, ROUGH), q=(0.0, R, 0.0), v=(speed, 0.0, speed / R), seconds=seconds, **more)


# --- round soles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "rise"), [(1.0, 0.01), (1.0, 0.015), (0.7, 0.005)])
def test_a_ball_climbs_a_step(speed, rise):
    """Momentum about the edge is kept when it strikes, energy while it turns about the edge."""
    rate = (M * speed * (R - rise) + INERTIA * speed / R) / ROLLS
    wanted = R * np.sqrt(rate**2 - 2 * M * G * rise / ROLLS)
    errors = []
    for step in (1e-3, 2.5e-4):
        run = roll(Stairs(rise, 1.0, 1, 0.3), speed, dt=step)
        assert run.q[-1, 1] == pytest.approx(R + rise, abs=1e-9)
        errors.append(abs(run.v[-1, 0] - wanted))
    assert errors[0] < 5e-5
    assert errors[1] < 5e-5 / 16  # second order


def test_a_ball_too_slow_for_a_step_rolls_back_from_it():
    run = roll(Stairs(0.03, 1.0, 1, 0.2), 0.5, seconds=1.5)
    assert run.q[-1, 0] < 0.1
    assert run.v[-1, 0] < 0.0
    assert run.q[-1, 1] == pytest.approx(R, abs=1e-9)


@pytest.mark.parametrize(("speed", "fall"), [(0.2, 0.01), (0.3, 0.02)])
def test_a_ball_rolls_off_a_step(speed, fall):
    """It turns about the edge until it strikes the floor, and momentum about that point is kept."""
    cosine = (R - fall) / R
    rate = np.sqrt((speed / R) ** 2 + 2 * M * G * R * (1 - cosine) / ROLLS)
    wanted = R * rate * (INERTIA + M * R * R * cosine) / ROLLS
    run = roll(Stairs(-fall, 1.0, 1, 0.1), speed)
    assert run.q[-1, 1] == pytest.approx(R - fall, abs=1e-9)
    assert run.v[-1, 0] == pytest.approx(wanted, rel=5e-5)


def test_a_ball_stops_at_a_wall_and_in_a_ditch():
    run = roll(Stairs(0.5, 1.0, 1, 0.3), 1.0, seconds=2.0)
    assert run.q[:, 0].max() < 0.2 + 1e-6
    ditch = Obstacles(((0.15, 0.25, -0.5),))  # it sinks in between the edges until it touches both
    run = roll(ditch, 0.3, seconds=6.0)
    assert run.q[-1] == pytest.approx((0.2, np.sqrt(R**2 - 0.05**2), run.q[-1, 2]), abs=1e-5)
    assert run.force[-1].sum(axis=0) == pytest.approx((0.0, M * G), abs=1e-4)


def test_a_chain_of_short_faces_is_as_good_as_a_smooth_hill():
    wave = Waves(((0.02, 1.5, 0.0, 0.0),))
    x = np.linspace(-1.0, 3.0, 1601)
    chain = Profile(tuple(x.tolist()), tuple(wave.height(each) for each in x.tolist()))
    start = {"q": (0.0, 1.0, 0.0), "v": (0.8, 0.067, 8.0), "lift": True, "seconds": 2.0}
    smooth, short = (ff.simulate(ball(), world=World(ground, ROUGH), **start) for ground in (wave, chain))
    assert abs(smooth.q[:, 0] - short.q[:, 0]).max() < 5e-4


@pytest.mark.parametrize("above", [0.002, 0.006, 0.009])
def test_a_toe_at_a_riser_is_not_thrown_back_by_the_corner_above_it(above):
    """With the toe straight below the middle of the arc, and against the riser, the corner is on the same line, above the sole. It
    never touched the sole: when rounding brings it into the arc's angle, the sole must not jump over it.
    """
    toe, radius, rate = np.radians(30.0), 0.2, -0.1
    lean = toe - 2e-5
    pad = ff.Arc("foot", radius, span=(np.radians(-5.0), toe))
    joint = ff.Joint("base", "planar", "world", "foot")
    foot = ff.Robot("foot", "planar", (ff.Link("foot", 1.0, inertia=0.01),), (joint,), feet=(ff.Foot("foot", (pad,)),))
    r = radius * np.sin(lean - toe), radius * np.cos(lean - toe)  # from the toe to the middle of the arc
    start = {"q": (0.3 + 5e-7 + r[0], above + r[1], lean), "v": (rate * r[1], -rate * r[0], rate)}
    world = World(Stairs(0.01, 1.0, 1, 0.3), Rigid(0.8), gravity=0.0)
    run = ff.simulate(foot, world=world, seconds=0.05, record_dt=1e-3, **start)
    assert np.abs(run.v).max() < 2.0 * abs(rate)  # it was 5 rad/s
    assert run.q[-1, 2] == pytest.approx(lean + rate * run.time[-1], abs=2e-3)


def cup(radius=0.3, span=(-0.6, 0.6), space="planar"):
    """A shell of 1 kg that touches with an arc and its two ends."""
    inertia, kind = (0.02, "planar") if space == "planar" else ((0.02, 0.02, 0.02), "free")
    link, joint = ff.Link("cup", 1.0, inertia=inertia), ff.Joint("base", kind, "world", "cup")
    return ff.Robot("cup", space, (link,), (joint,), feet=(ff.Foot("foot", (ff.Arc("cup", radius=radius, span=span),)),))


def rises(run):
    """Largest energy of a cup above the lowest before it, in J."""
    energy = 0.5 * (run.v[:, 0] ** 2 + run.v[:, 1] ** 2) + 0.01 * run.v[:, 2] ** 2 + 9.81 * run.q[:, 1]
    return (energy - np.minimum.accumulate(energy)).max()


@pytest.mark.parametrize("friction", [0.8, 100.0])
@pytest.mark.parametrize("terrain", [Flat(), Profile((-1.0, 1.0), (0.0, 0.0))])
def test_a_cup_upside_down_rocks_from_tip_to_tip(terrain, friction):
    """An arc with two ends touches with both of them at once. It gained 1,000 J and more, or sank by millimetres."""
    for pitch in (np.pi - 0.05, np.pi + 0.3, 2.2):
        world = World(terrain, Rigid(friction), falls=False)
        run = ff.simulate(cup(), world=world, q=(0.0, 0.35, pitch), seconds=2.0, record_dt=1e-3)
        assert rises(run) < 1e-4
        assert run.q[-1, 1] == pytest.approx(-0.3 * np.cos(0.6), abs=1e-6)  # it lies on both tips
        assert run.force[-1].sum(axis=0) == pytest.approx((0.0, 9.81), abs=1e-4)


@pytest.mark.parametrize("seed", [24, 33, 65, 102, 124, 164])
def test_a_cup_that_tumbles_over_steps_gains_nothing(seed):
    """One tip low and the other on a higher tread; strikes at a corner that is passed meanwhile. It gained up to 0.15 J."""
    rng = np.random.default_rng(seed)
    friction, bounce = float(rng.choice([0.1, 0.4, 0.8, 1.2, 3.0, 100.0])), float(rng.choice([0.0, 0.3, 0.7]))
    shell = cup(rng.uniform(0.1, 0.4), tuple(sorted((-rng.uniform(0.05, 1.4), rng.uniform(0.05, 1.4)))))
    start = {"q": (0.0, rng.uniform(0.5, 0.7), rng.uniform(-np.pi, np.pi)), "v": (*rng.normal(size=2) * 0.5, rng.normal() * 3)}
    steps = random_steps(0.06, float(rng.uniform(0.08, 0.4)), int(rng.integers(1e6)), 40, start=-1.5)
    run = ff.simulate(shell, world=World(steps, Rigid(friction, bounce), falls=False), seconds=1.5, record_dt=1e-3, **start)
    assert rises(run) < 1e-4


def test_a_cup_in_space_lies_on_its_tips():
    half = 0.5 * (np.pi - 0.05)
    start = (0.0, 0.0, 0.35, np.cos(half), 0.0, np.sin(half), 0.0)
    run = ff.simulate(cup(space="spatial"), world=World(Flat(), Rigid(0.8), falls=False), q=start, seconds=2.0)
    assert run.q[-1, 2] == pytest.approx(-0.3 * np.cos(0.6), abs=1e-6)


THIN = Obstacles(((-0.01, 0.01, 0.5),))  # 2 cm wide, 0.5 m high


@pytest.mark.parametrize(
    ("body", "q", "lifted"),
    [
        (box("planar"), (0.0, 0.25, 0.0), 0.6),
        (box("spatial"), (0.0, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0), 0.6),
        (plank(), (0.0, 0.25, 0.3), 0.5 + 0.01 * np.tan(0.3)),
        (cup(), (0.0, 0.35, 0.0), 0.8),
    ],
)
def test_a_start_with_a_block_through_it_is_refused(body, q, lifted):
    """All pads are outside of the block, and it fell through as if there were none."""
    world = World(THIN, ROUGH, falls=False)
    with pytest.raises(SimulationError, match="m inside the ground"):
        ff.simulate(body, world=world, q=q, seconds=0.1)
    found = ff.Simulation(ff.Study(body, world, q=q), lift=True).study.q
    assert found[1 if body.space == "planar" else 2] == pytest.approx(lifted, abs=1e-5)


def test_a_start_astride_a_block_is_none_of_its_business():
    """A box that leans on a corner, and one beside a wall that it touches, begin as they are."""
    for terrain, q in ((THIN, (0.0, 0.6, 0.0)), (Stairs(0.5, 1.0, 1, 0.2), (0.0, 0.1, 0.0))):
        assert ff.Simulation(ff.Study(box("planar"), World(terrain, ROUGH, falls=False), q=q)).study.q == q


def test_a_wheel_sinks_softly_between_two_edges():
    """On compliant ground a ball that rolls into a ditch comes to rest on both edges, a little lower than on rigid ones."""
    soft = Compliant(stiffness=2e4, damping=20.0, friction=1.0)
    world = World(Obstacles(((0.25, 0.35, -0.5),)), soft, falls=False)
    run = ff.simulate(ball(), world=world, q=(0.0, R, 0.0), v=(0.3, 0.0, 3.0), seconds=2.0, record_dt=1e-3)
    assert run.q[-1, 0] == pytest.approx(0.3, abs=1e-3)
    assert run.q[-1, 1] == pytest.approx(np.sqrt(R**2 - 0.05**2), abs=1e-3)
    assert run.ledger.sum(axis=1).max() < 1e-3  # J: springs give back at most what they took


@pytest.mark.parametrize("lowest", [-0.015, -0.025, 0.008])
def test_a_wheel_is_put_onto_a_block_below_it(lowest):
    """A block of 0.01 m, 0.02 m high, beside the lowest point of a wheel: it is put onto the nearer corner."""
    world = World(Obstacles(((lowest, lowest + 0.01, 0.02),)), ROUGH)
    q = ff.Simulation(ff.Study(ball(), world, q=(0.0, R, 0.0)), lift=True).study.q
    beside = max(lowest, -(lowest + 0.01))
    assert q[1] == pytest.approx(0.02 + np.sqrt(R**2 - beside**2), abs=1e-6)


@pytest.mark.parametrize("angle", [10.0, 30.0, 45.0])
def test_a_point_runs_up_a_ramp_and_down_again(angle):
    """At the foot of the ramp it keeps its speed along it; no friction: it comes back as fast as it went up."""
    slope, speed = np.radians(angle), 1.5
    point = ff.Robot(
        "point",
        "planar",
        (ff.Link("point", 1.0, inertia=1.0),),
        (ff.Joint("base", "planar", "world", "point"),),
        feet=(ff.Foot("foot", (ff.Point("point"),)),),
    )
    ground = Profile((-5.0, 0.0, 3.0), (0.0, 0.0, 3.0 * np.tan(slope)))
    up = speed * np.cos(slope)
    turn, seconds = 0.05 / speed + up / (G * np.sin(slope)), 0.05 / speed + 1.8 * up / (G * np.sin(slope))
    world = World(ground, Rigid(0.0), falls=False)
    run = ff.simulate(point, world=world, q=(-0.05, 0.0, 0.0), v=(speed, 0.0, 0.0), seconds=seconds, record_dt=1e-3)
    assert run.q[:, 1].max() == pytest.approx(up**2 / (2.0 * G), rel=1e-3)
    assert run.time[run.q[:, 1].argmax()] == pytest.approx(turn, abs=2e-3)
    assert run.v[-1, :2] @ (np.cos(slope), np.sin(slope)) == pytest.approx(-0.8 * up, rel=5e-3)


# --- straight soles -------------------------------------------------------------------------------------------------------


def lying(space, x, yaw=0.0, z=0.1):
    return (x, z, 0.0) if space == "planar" else (x, 0.0, z, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))


@pytest.mark.parametrize(("space", "yaw"), [("planar", 0.0), ("spatial", 0.0), ("spatial", 0.5)])
def test_a_box_lies_over_an_edge(space, yaw):
    run = ff.simulate(box(space), world=World(Stairs(-0.5, 1.0, 1, 0.0), Rigid(1.0)), q=lying(space, -0.01, yaw), seconds=2.0)
    assert abs(run.q - run.q[0]).max() < 1e-7
    assert run.force[-1].sum(axis=0) == pytest.approx((0.0, 0.0, 10 * G)[-run.robot.dim :], abs=1e-3)


@pytest.mark.parametrize(("space", "yaw"), [("planar", 0.0), ("spatial", 0.0), ("spatial", np.pi / 2)])
def test_a_box_tips_over_an_edge(space, yaw):
    """With its centre d beyond the edge it turns about it: m g d over its inertia there."""
    d, about = 0.02, 0.2 if yaw == 0.0 else 0.1
    run = ff.simulate(
        box(space), world=World(Stairs(-0.5, 1.0, 1, 0.0), Rigid(2.0)), q=lying(space, d, yaw), seconds=0.02, record_dt=0.001
    )
    rate = run.v[-1, 2] if space == "planar" else np.linalg.norm(run.v[-1, 3:])
    assert rate / 0.02 == pytest.approx(10 * G * d / (about + 10 * (d**2 + 0.1**2)), rel=5e-3)


@pytest.mark.parametrize("space", SPACES)
def test_a_box_slides_against_a_wall_and_does_not_climb_it(space):
    v = (1.0, 0.0, 0.0) if space == "planar" else (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    run = ff.simulate(box(space), world=World(Stairs(0.15, 1.0, 1, 0.3), Rigid(0.1)), q=lying(space, 0.0), v=v, seconds=1.0)
    assert run.q[:, 0].max() < 0.1 + 1e-6
    assert abs(run.v[-1]).max() < 1e-6
    assert run.q[-1] == pytest.approx(lying(space, run.q[-1, 0]), abs=1e-6)


def test_a_plank_on_two_edges_weighs_on_them_as_a_beam():
    """Heel and toe feel the force as a lever shares it, so that the whole acts below the centre of mass."""
    ground = Obstacles(((-0.15, -0.05, 0.3), (0.02, 0.1, 0.3)))
    run = ff.simulate(plank(), world=World(ground, Rigid(0.8)), q=(0.0, 0.3, 0.0), seconds=1.0)
    assert abs(run.q - run.q[0]).max() < 1e-8
    heel, toe = run.force[-1, :, 1]
    assert heel + toe == pytest.approx(2 * G, rel=1e-6)
    assert heel == pytest.approx(toe, rel=1e-3)
    assert run.mode[-1].tolist() == [1, 1]


def test_a_plank_turns_over_the_edge_that_it_falls_on():
    """Dropped level on one edge d from its middle: the impulse there leaves it turning about the edge."""
    d, height, mass = 0.1, 0.2, 2.0
    ground = Obstacles(((-0.02, 0.0, 0.3),))
    run = ff.simulate(plank(), world=World(ground, Rigid(3.0)), q=(d, 0.3 + height, 0.0), seconds=0.21, record_dt=0.001)
    down = np.sqrt(2 * G * height)
    struck = next(i for i, t in enumerate(run.time) if t > np.sqrt(2 * height / G))
    about = 0.03 + mass * (d**2 + 0.05**2)
    fallen = run.time[struck] - np.sqrt(2 * height / G)
    assert run.v[struck, 2] == pytest.approx(mass * down * d / about + mass * G * d / about * fallen, rel=1e-2)


# --- geometry -------------------------------------------------------------------------------------------------------------


def arc(space, radius=0.2, span=(-0.5, 0.6)):
    joint = ff.Joint("base", "planar" if space == "planar" else "free", "world", "foot")
    inertia = 0.01 if space == "planar" else (0.01, 0.01, 0.01)
    pad = ff.Arc("foot", radius, span=span)
    return ff.Robot("arc", space, (ff.Link("foot", 1.0, inertia=inertia),), (joint,), feet=(ff.Foot("foot", (pad,)),))


def distance(points, lines):
    """Of points from pieces of lines, by projection."""
    best = np.inf
    for a, b in pairwise(lines):
        way = b - a
        share = np.clip((points - a) @ way / max(way @ way, 1e-300), 0.0, 1.0)
        best = min(best, np.linalg.norm(points - a - share[:, None] * way, axis=1).min())
    return best


def sole_of(robot, q):
    """Points along the sole, as the profile sees them."""
    angle = np.linspace(-0.5, 0.6, 30000)
    sole = np.column_stack((0.2 * np.sin(angle), 0.0 * angle, -0.2 * np.cos(angle)))
    pose = ff.kinematics.pose(robot, q, "foot")
    points = pose.position + (sole[:, [0, 2]] if robot.dim == 2 else sole) @ pose.rotation.T
    return points[:, [0, -1]]


def hovering(rng, robot, lines):
    """A random pose a little above the ground: by halving, between in and out."""
    turn, lean = rng.uniform(-0.4, 0.4), rng.uniform(-0.2, 0.2)
    q = np.array((0.0, 0.0, turn))
    if robot.dim == 3:  # turned about its own side, then leaning about the way ahead
        c, s, u, w = np.cos(turn / 2), np.sin(turn / 2), np.cos(lean / 2), np.sin(lean / 2)
        q = np.array((0.0, 0.0, 0.0, u * c, w * c, u * s, w * s))
    low, high, height = 0.0, 0.5, robot.coordinates.index("base.z")
    while high - low > 1e-3:
        q[height] = 0.5 * (low + high)
        points = sole_of(robot, q)
        inside = np.any(points[:, 1] < np.interp(points[:, 0], *lines.T))
        low, high = (q[height], high) if inside else (low, q[height])
    q[height] = high
    return q


@pytest.mark.parametrize("space", SPACES)
def test_the_nearest_gap_is_the_distance_from_the_ground(space):
    """Against thousands of points of the sole above random ground. Beyond an edge that sticks out, ends of soles count the
    distance from the faces' planes, which is less by up to a third, and the same when they touch."""
    rng, robot = np.random.default_rng(5), arc(space)
    for _ in range(60):
        x = np.sort(rng.uniform(-0.5, 0.5, 5))
        x[2] = x[1] + 1e-9 if rng.uniform() < 0.7 else x[2]
        z = rng.uniform(-0.05, 0.05, 5)
        lines = np.column_stack((np.concatenate(([-9.0], x, [9.0])), np.concatenate((z[:1], z, z[-1:]))))
        q = hovering(rng, robot, lines)
        ground = Profile(tuple(x.tolist()), tuple(z.tolist()))
        data, _ = build_sim_data(Study(robot, world=World(ground), q=tuple(q)), q, np.zeros(robot.nv))
        wanted = distance(sole_of(robot, q), lines)
        assert 0.65 * wanted - 3e-5 < gaps_of(robot, data, q).min() < wanted + 3e-5


def gaps_of(robot, data, q):
    set_places.plain(robot.space)(data.tree, data.work, q - data.motion.q_offset)
    locate.plain(robot.space)(data.ground, data.geometry, data.contact, data.work)
    return data.contact.gap


def test_a_mirrored_run_on_mirrored_ground():
    ground = Profile((-0.3, 0.3, 0.3, 0.6, 0.6), (0.0, 0.05, 0.07, 0.07, 0.0))
    other = Profile(tuple(-x for x in reversed(ground.x)), tuple(reversed(ground.z)))
    run = ff.simulate(box("planar"), world=World(ground, Rigid(0.7)), q=(0.0, 0.4, 0.3), v=(1.0, 0.0, 1.0), seconds=0.6)
    twin = ff.simulate(box("planar"), world=World(other, Rigid(0.7)), q=(0.0, 0.4, -0.3), v=(-1.0, 0.0, -1.0), seconds=0.6)
    assert run.q == pytest.approx(twin.q * (-1, 1, -1), abs=1e-6)


# --- ground that comes later, and ground that cannot be -------------------------------------------------------------------


def test_edges_that_come_later_are_part_of_the_question():
    study = Study(plank(), world=World(contact=Rigid(0.8)), q=(0.0, 0.3, 0.0), seconds=0.6)
    simulation = Simulation(study)
    simulation.advance(0.1)
    simulation.add(Change(0.1, Obstacles(((-0.15, -0.05, 0.05), (0.02, 0.1, 0.05)))))
    simulation.advance(0.5)
    run = simulation.run()
    assert run.q[-1, 1] == pytest.approx(0.05, abs=1e-6)
    assert ff.simulate(run.study) == run


def test_one_ground_with_edges_after_another():
    """The tread sinks from under a plank, onto edges that are elsewhere in the chain."""
    later = Change(0.2, Profile((-1.0, -0.9, -0.9, -0.05, -0.05, 0.02, 0.02), (0.0, 0.0, -0.5, -0.5, -0.1, -0.1, -0.5)))
    world = World(Profile((-1.0, 1.0), (0.0, 0.0)), Rigid(0.8), changes=(later,))
    run = ff.simulate(plank(), world=world, q=(0.0, 0.0, 0.0), seconds=1.0)
    assert run.q[-1] == pytest.approx((0.0, -0.1, 0.0), abs=1e-5)


def test_a_bonded_foot_holds_on_a_stair():
    pull = Push("box", (0.0, 300.0), 0.0, 2.0)
    world = World(Stairs(0.1, 0.3, 3, 0.3), pushes=(pull,), bonded=("box",))
    run = ff.simulate(box("planar"), world=world, q=(0.0, 0.1, 0.0), seconds=1.0)
    assert abs(run.q - run.q[0]).max() < 1e-6


def test_bodies_and_pins_need_edges_from_the_start():
    simulation = Simulation(Study(ball(), engine=Maximal(), q=(0.0, R, 0.0), seconds=0.2))
    simulation.advance(0.1)
    with pytest.raises(SimulationError, match="foreseen"):
        simulation.add(Change(0.1, Stairs(0.1, 0.3)))


def test_bodies_and_pins_on_edges_move_as_the_tree_does():
    study = Study(
        ball(), world=World(Stairs(-0.01, 1.0, 1, 0.1), ROUGH), q=(0.0, R, 0.0), v=(0.2, 0.0, 2.0), seconds=0.9, dt=1e-4
    )
    tree, pinned = ff.simulate(study), ff.simulate(replace(study, engine=Maximal()))
    assert pinned.v[-1, 0] == pytest.approx(tree.v[-1, 0], rel=5e-3)


def test_a_start_inside_a_step_comes_out_above_it():
    run = ff.simulate(box("planar"), world=World(Stairs(0.05, 1.0, 1, 0.1)), q=(0.0, 0.1, 0.0), lift=True, seconds=0.001)
    assert run.q[0, 1] == pytest.approx(0.15, abs=1e-9)
    with pytest.raises(SimulationError, match="inside the ground"):
        ff.simulate(box("planar"), world=World(Stairs(0.05, 1.0, 1, 0.1)), q=(0.0, 0.1, 0.0), seconds=0.001)


def test_steps_are_drawn_as_sharp_as_they_are():
    x, z = outline(Stairs(0.1, 0.3, 2, 0.25), 0.0, 1.0, 11)
    rises = np.flatnonzero(np.diff(z) > 0.05)
    assert x[rises] == pytest.approx([0.25, 0.55], abs=1e-6)
    assert np.diff(x)[rises] == pytest.approx(0.0, abs=1e-6)
    assert z[[0, -1]] == pytest.approx([0.0, 0.2])
    ax = Figure().subplots()
    run = ff.simulate(plank(), world=World(Stairs(0.1, 0.3, 2, 0.25)), q=(0.0, 0.1, 0.0), seconds=0.1)
    ff.view.stroboscope(run, ax, 0.0, 0.1, 0.05)
    assert ax.get_xlim() == pytest.approx((-0.6, 0.6), abs=0.05)


def test_profiles_that_cannot_be():
    with pytest.raises(FootfallError, match="two points"):
        Profile((0.0, 0.5, 0.5, 0.5, 1.0), (0.0, 0.0, 0.2, 0.1, 0.1)).ground()
    run = ff.simulate(ball(), world=World(Stairs(0.0, 0.3)), q=(0.0, R, 0.0), v=(1.0, 0.0, 10.0), seconds=1.0)
    level = ff.simulate(ball(), world=World(Flat()), q=(0.0, R, 0.0), v=(1.0, 0.0, 10.0), seconds=1.0)
    assert run.q == pytest.approx(level.q, abs=1e-9)


@pytest.mark.parametrize("thick", [0.005, 0.02, 0.1, 0.5])
@pytest.mark.parametrize("pads", ["box", "points", "discs"])
def test_a_block_at_a_wall_does_not_feel_its_far_side(thick, pads):
    """It begins half a millimetre in front of a wall as high as thin, is pushed against it with 20 N, and let go: weight and push are all
    that the ground bears, however thin the wall is."""
    feet = {
        "box": (Box("block", (0.3, 0.1)),),
        "points": (Point("block", (-0.15, -0.05)), Point("block", (0.15, -0.05)), Point("block", (-0.15, 0.05))),
        "discs": (Arc("block", 0.05, (-0.1, 0.0)), Arc("block", 0.05, (0.1, 0.0))),
    }[pads]
    joints = (ff.Joint("base", "planar", "world", "block"),)
    block = ff.Robot("block", "planar", (ff.Link("block", 2.0, inertia=0.03),), joints, feet=(ff.Foot("f", feet),))
    wall = Profile((-5.0, -thick, -thick, 0.0, 0.0, 5.0), (0.0, 0.0, 0.3, 0.3, 0.0, 0.0))
    world = World(wall, Rigid(0.3), falls=False, pushes=(Push("block", (-20.0, 0.0), 0.1, 1.5),))
    run = ff.simulate(ff.Study(block, world, None, (0.1505, 0.05, 0.0), seconds=3.0, record_dt=0.01))
    weight = 2.0 * 9.81
    for time, push in ((1.0, 20.0), (2.9, 0.0)):
        force = run.force[round(100 * time)]
        assert force.sum(axis=0) == pytest.approx((push, weight), abs=1e-3 * weight)
        assert np.abs(force).max() < 1.1 * max(push, weight)
    assert run.q[-1] == pytest.approx((0.15, 0.05, 0.0), abs=1e-4)
