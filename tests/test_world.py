"""Contact that sticks, slides, bounces and rolls: against closed forms, mirrors and itself."""

import dataclasses

import numba
import numpy as np
import pytest

import footfall as ff
from footfall import kinematics
from footfall.control import Controller, Hold
from footfall.errors import FootfallError, SimulationError, UnknownNameError
from footfall.world import (
    Compliant,
    Field,
    Flat,
    Function,
    Load,
    Obstacles,
    Profile,
    Push,
    Rigid,
    Slope,
    Stairs,
    Waves,
    World,
    random_pushes,
)
from shapes import ball, box

SPACES = ["planar", "spatial"]
G = 9.81


def tilted(space, angle, height=0.1):
    """A box that lies on a slope."""
    z = height / np.cos(angle)
    return (0.0, z, -angle) if space == "planar" else (0.0, 0.0, z, np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)


def biped():
    robot = ff.robots.load("wendlandt")
    bend = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in bend.items() for side in ("left", "right")})
    return robot, tuple(q)


STIFF = Hold(stiffness=4000.0, damping=100.0)


def energy(run):
    return np.array(
        [ff.dynamics.energy(run.robot, q, v, gravity=run.study.gravity).total for q, v in zip(run.q, run.v, strict=True)]
    )


# --- sticking and sliding -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_box_at_half_its_cone_does_not_creep(space):
    angle = np.arctan(0.25)
    run = ff.simulate(
        box(space), world=World(Slope(angle), Rigid(friction=0.5)), q=tilted(space, angle), seconds=60, record_dt=0.5
    )
    assert np.abs(run.point - run.point[0]).max() < 1e-7
    assert set(run.mode[-1]) == {0, 1}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("share", "slides"), [(0.999, False), (1.001, True)])
def test_the_cone_has_a_sharp_edge(space, share, slides):
    angle = np.arctan(0.5 * share)
    run = ff.simulate(box(space), world=World(Slope(angle), Rigid(friction=0.5)), q=tilted(space, angle), seconds=1)
    assert (np.abs(run.point[-1] - run.point[0]).max() > 1e-4) == slides
    if slides:
        way = np.linalg.norm(run.point[-1] - run.point[0], axis=1)
        assert way == pytest.approx(0.5 * G * (np.sin(angle) - 0.5 * np.cos(angle)), rel=1e-3)
    else:
        assert np.abs(run.point - run.point[0]).max() < 1e-8
    assert bool(run.slip[-1].max() > 1e-7) == slides


@pytest.mark.parametrize("space", SPACES)
def test_box_beyond_its_cone_slides_as_it_should(space):
    angle = np.arctan(0.25)
    run = ff.simulate(box(space), world=World(Slope(angle), Rigid(friction=0.2)), q=tilted(space, angle), seconds=1)
    way = np.linalg.norm(run.point[-1] - run.point[0], axis=1)
    assert way == pytest.approx(0.5 * G * (np.sin(angle) - 0.2 * np.cos(angle)), rel=1e-3)
    assert run.slip[-1][run.mode[-1] > 0] == pytest.approx(way.mean(), rel=1e-3)


@pytest.mark.parametrize("space", SPACES)
def test_sliding_box_stops_where_the_closed_form_says(space):
    robot = box(space)
    q = (0, 0.1, 0) if space == "planar" else (0, 0, 0.1, 1, 0, 0, 0)
    run = ff.simulate(robot, world=World(contact=Rigid(friction=0.5)), q=q, v=robot.velocity({"base.x": 1.0}), seconds=1)
    assert run.q[-1, 0] == pytest.approx(1 / (2 * 0.5 * G), rel=1e-3)
    assert np.abs(run.v[-1]).max() < 1e-9
    assert [event.kind for event in run.events if event.time > 0.1] == ["slip ends"] * (2 if space == "planar" else 4)
    work = energy(run)[-1] - energy(run)[0]
    assert run.ledger[-1, 4] == pytest.approx(work, rel=1e-6)


def test_friction_of_what_slides_is_coulombs():
    """A limp biped collapses on slippery ground: wherever a pad slides, it drags with friction times what presses."""
    robot, q = biped()
    run = ff.simulate(robot, None, World(contact=Rigid(friction=0.3), falls=False), q=q, seconds=0.4, record_dt=0.001, lift=True)
    slides = (run.mode[1:] == 2) & (run.mode[:-1] == 2) & (run.impacts[1:] == 0)  # at both ends of the step
    ways = np.sign(np.diff(run.point[..., 0], axis=0))
    turns = ways[1:] != ways[:-1]  # between this step and the next: slip that turns back drags less in the mean
    slides[1:] &= ~turns
    slides[:-1] &= ~turns
    f = run.force[1:][slides]
    f = f[f[:, 1] > 1e-2 * robot.mass * G]
    assert len(f) > 1000
    drag, most = np.abs(f[:, 0]), 0.3 * f[:, 1]
    assert (drag <= 1.002 * most).all()
    assert (drag >= 0.998 * most).all()


def test_standing_biped_does_not_creep_while_it_is_pushed():
    robot, q = biped()
    world = World(contact=Rigid(friction=1.0), pushes=(Push("torso", (50.0, 0.0), 1.0, 61.0),))
    run = ff.simulate(robot, STIFF, world, q=q, seconds=60, record_dt=1.0, lift=True)
    assert run.outcome is ff.Outcome.END
    assert np.abs(run.point[1:] - run.point[1]).max() < 1e-7
    assert np.abs(run.point[..., -1]).max() < 1e-7


# --- impact ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.8, 0.95])
def test_ball_rebounds_to_e_squared(e):
    run = ff.simulate(ball(), world=World(contact=Rigid(restitution=e)), q=(0, 1.1, 0), seconds=2.5, record_dt=0.001)
    z = run.q[:, 1] - 0.1
    peaks = [z[i] for i in range(1, len(z) - 1) if z[i - 1] < z[i] >= z[i + 1] and z[i] > 0.01]
    assert peaks == pytest.approx([e ** (2 * (i + 1)) for i in range(len(peaks))], rel=5e-3)
    assert len(peaks) >= (0 if e == 0 else 1)
    assert z.min() > -1e-7
    assert e > 0 or np.abs(z[-1]) < 1e-9
    lost = [event.numbers["energy lost J"] for event in run.happened("impact")]
    assert all(loss >= -1e-12 for loss in lost)


def test_impacts_at_once_share_the_energy_lost():
    """A rod falls flat onto both ends, and then onto one: each event has what its own end took, together all that went."""
    for pitch in (0.0, 0.1):
        run = ff.simulate(rod(), world=World(falls=False), q=(0.0, 0.5, pitch), seconds=1.0, record_dt=0.001)
        struck = run.happened("impact")
        assert len(struck) >= 2
        lost = sum(event.numbers["energy lost J"] for event in struck)
        assert lost == pytest.approx(-run.ledger[-1, 6], rel=1e-9)
    assert lost == pytest.approx(9.81 * 0.5, rel=1e-3)


def rod():
    ends = (ff.Point("rod", (-0.5, 0.0)), ff.Point("rod", (0.5, 0.0)))
    link, joint = ff.Link("rod", 1.0, inertia=1 / 12), ff.Joint("base", "planar", "world", "rod")
    return ff.Robot("rod", "planar", (link,), (joint,), feet=(ff.Foot("rod", ends),))


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_rod_dropped_flat_stays_flat(e):
    run = ff.simulate(rod(), world=World(contact=Rigid(restitution=e)), q=(0, 0.5, 0), seconds=2)
    assert np.abs(run.q[:, 2]).max() < 1e-9
    assert np.abs(run.q[:, 0]).max() < 1e-9
    assert run.q[:, 1].min() > -1e-7


def test_two_feet_landing_at_once():
    robot, q = biped()
    q = np.array(q)
    start = np.array(ff.Simulation(ff.Study(robot, q=tuple(q)), lift=True).study.q)
    start[1] += 0.05
    run = ff.simulate(robot, STIFF, World(contact=Rigid(friction=1.0)), q=tuple(start), seconds=1, record_dt=0.001)
    left = [i for i, name in enumerate(robot.coordinates) if name.endswith("_left")]
    right = [i for i, name in enumerate(robot.coordinates) if name.endswith("_right")]
    assert np.abs(run.q[:, left] - run.q[:, right]).max() < 1e-9
    assert run.point[..., -1].min() > -1e-4


# --- energy ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("e", [0.0, 0.6])
def test_drops_never_gain_energy(space, e):
    robot = box(space)
    for seed in range(15):
        rng = np.random.default_rng(seed)
        q = ff.kinematics.random_configuration(robot, rng)
        q[1 if space == "planar" else 2] = 0.8
        v = rng.normal(size=robot.nv)
        run = ff.simulate(robot, world=World(contact=Rigid(friction=0.6, restitution=e)), q=tuple(q), v=tuple(v), seconds=1.5)
        total = energy(run)
        assert total.max() - total[0] < 2e-4 * total[0]
        assert run.point[..., -1].min() > -1e-4
        exchanged = np.abs(run.ledger[-1]).sum()
        assert abs(total[-1] - total[0] - run.ledger[-1].sum()) < 0.01 * exchanged


def test_free_flight_keeps_energy_and_momentum():
    robot, _ = biped()
    q = ff.kinematics.random_configuration(robot, 3, spread=0.3)
    v = np.random.default_rng(3).normal(size=robot.nv)
    q[1] = 100.0
    run = ff.simulate(robot, world=World(falls=False), q=tuple(q), v=tuple(v), seconds=2)
    assert np.ptp(energy(run)) < 1e-4 * np.ptp(
        [ff.dynamics.energy(robot, q, v).potential for q, v in zip(run.q, run.v, strict=True)]
    )
    spin = np.array([ff.dynamics.momentum(robot, q, v)[2] for q, v in zip(run.q, run.v, strict=True)])
    assert np.ptp(spin) < 1e-3


# --- rolling --------------------------------------------------------------------------------------------------------------


def test_ball_rolls_down_a_slope_without_slip():
    angle = 0.1
    start = (0.0, 0.1 / np.cos(angle), 0.0)
    run = ff.simulate(ball(), world=World(Slope(-angle), Rigid(friction=0.8)), q=start, seconds=2)
    way = np.hypot(run.q[-1, 0], run.q[-1, 1] - start[1])
    assert way == pytest.approx(0.5 * G * np.sin(angle) / (1 + 0.004 / 0.01) * 4, rel=1e-3)
    assert run.q[-1, 2] == pytest.approx(way / 0.1, rel=1e-6)
    for q, v in zip(run.q[5::20], run.v[5::20], strict=True):
        n = np.array([np.sin(-angle) * -1, np.cos(angle)])
        turn = ff.kinematics.pose(run.robot, q, "ball").rotation
        u = ff.kinematics.velocity(run.robot, q, v, "ball", at=turn.T @ (-0.1 * n))[:2]
        assert np.abs(u).max() < 1e-6


def test_rimless_wheel_rolls_from_spoke_to_spoke():
    """Each foot that touches stays where it is, and the speed after an impact is cos(2a) of that before (closed form)."""
    wheel = ff.robots.load("rimless-wheel")
    angle = 2 * np.pi / 8
    run = ff.simulate(
        wheel,
        world=World(Slope(-0.15), Rigid(friction=2.0), gravity=G),
        q=tuple(wheel.configuration({"base.pitch": 0.05})),
        v=wheel.velocity({"base": (1.5 * np.cos(0.05), -1.5 * np.sin(0.05), 1.5)}),  # about the foot
        seconds=4,
        record_dt=0.001,
        lift=True,
    )
    assert run.q[-1, 2] > 2 * angle
    assert run.slip[-1].max() < 1e-6
    downs = [event.time for event in run.happened("touch-down")][2:]
    for time in downs[:3]:
        i = int(time / 0.001)
        assert run.v[i + 4, 2] / run.v[i - 3, 2] == pytest.approx(np.cos(angle), rel=0.03)


# --- symmetry, places, bits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "controller", "friction", "most"),
    [("wendlandt-3d", STIFF, 1.0, 1e-9), *((name, None, 0.7, 0.0) for name in ("wendlandt-3d", "person", "johnnie"))],
    ids=["held", "limp", "limp person", "limp johnnie"],
)
def test_mirrored_start_gives_the_mirrored_run(name, controller, friction, most):
    """To the bit where no controller rounds: a limp biped that collapses magnifies the last digit to centimetres."""
    robot = ff.robots.load(name)
    mirror_v = mirror(robot)
    rng = np.random.default_rng(1)
    step = 0.1 * rng.normal(size=robot.nv)
    starts = [
        ff.kinematics.within_stops(robot, ff.kinematics.integrate(robot, robot.neutral(), s)) for s in (step, mirror_v(step))
    ]
    world = World(contact=Rigid(friction=friction), falls=False)
    first, second = (ff.simulate(robot, controller, world, q=tuple(q), seconds=0.4, lift=True) for q in starts)
    assert np.abs(np.array([mirror_v(row) for row in first.v]) - second.v).max() <= most


def mirror(robot):
    """The mirror image in the plane x-z of a vector of velocities."""
    names = list(robot.velocities)

    def image(v):
        out = np.empty_like(v)
        for i, name in enumerate(names):
            other = name.replace("_left", "_#").replace("_right", "_left").replace("_#", "_right")
            odd = name.endswith((".y", ".wx", ".wz")) or "roll" in name or "yaw" in name or name == "waist"
            out[names.index(other)] = -v[i] if odd else v[i]
        return out

    return image


@pytest.mark.parametrize("space", SPACES)
def test_a_kilometre_away_nothing_changes(space):
    robot = box(space)
    runs = []
    for x in (0.0, 1000.0):
        q = (x, 0.5, 0.4) if space == "planar" else (x, 0.0, 0.5, *ff.kinematics.random_configuration(robot, 1)[3:])
        runs.append(
            ff.simulate(robot, world=World(contact=Rigid(friction=0.5)), q=q, v=robot.velocity({"base.x": 1.0}), seconds=1)
        )
    moved = runs[1].q.copy()
    moved[:, 0] -= 1000.0
    assert np.abs(moved - runs[0].q).max() < 1e-6


def test_the_same_question_has_the_same_answer():
    robot, q = biped()
    world = World(
        Waves(((0.01, 0.5, 0.0, 0.3),)), Rigid(friction=0.9), pushes=random_pushes(robot, "torso", 2.0, 0.2, 1.0, seed=4)
    )
    first, second = (ff.simulate(robot, STIFF, world, q=q, seconds=1, lift=True) for _ in range(2))
    assert first == second
    assert first.replay() == first


# --- joints ---------------------------------------------------------------------------------------------------------------


def arm(**options):
    return ff.Robot(
        "arm",
        "planar",
        (ff.Link("arm", 1.0, (0, -0.5), 0.02),),
        (ff.Joint("hinge", "revolute", "world", "arm", motor=ff.Motor(), **options),),
    )


def test_joint_limit_stops_the_arm():
    run = ff.simulate(arm(limits=(-0.5, 0.4)), q=(0.39,), v=(3.0,), seconds=2)
    assert run.q.max() < 0.4 + 1e-6
    assert run.q.min() > -0.5 - 1e-6
    stops = run.happened("stop")
    assert stops
    assert stops[0].which == "hinge"


def test_dry_friction_holds_a_joint_still():
    weight = 1.0 * G * 0.5
    held = ff.simulate(arm(friction=weight * np.sin(0.3) * 1.01), q=(0.3,), seconds=10)
    assert np.abs(held.q - 0.3).max() < 1e-9
    slips = ff.simulate(arm(friction=weight * np.sin(0.3) * 0.99), q=(0.3,), seconds=10)
    assert np.abs(slips.q - 0.3).max() > 1e-3


def test_stiff_springs_are_stable_at_any_step():
    run = ff.simulate(arm(spring=ff.Spring(1e6), damping=1.0), q=(0.1,), seconds=1, dt=1e-3)
    assert np.abs(run.q[-1]) < 0.1


def test_motors_saturate():
    strong = dataclasses.replace(arm().joints[0], motor=ff.Motor(torque=2.0))
    robot = dataclasses.replace(arm(), joints=(strong,))
    run = ff.simulate(robot, Hold(stiffness=1e4, damping=10.0), q=(1.0,), seconds=0.5)
    assert np.abs(run.tau).max() <= 2.0


# --- other contact --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_compliant_ground_sinks_by_weight_over_stiffness(space):
    robot = box(space)
    run = ff.simulate(robot, world=World(contact=Compliant(stiffness=1e5, damping=1e3)), seconds=2)
    points = 2 if space == "planar" else 4
    assert -run.point[-1][..., -1].min() == pytest.approx(10 * G / (points * 1e5), rel=1e-6)


def test_compliant_ground_gives_way_along_a_slope_by_its_own_stiffness():
    """Weight over stiffness, in both directions at once."""
    angle, law = np.arctan(0.25), Compliant(stiffness=2e5, damping=1e3, tangential_stiffness=3e4, tangential_damping=400.0)
    run = ff.simulate(box("planar"), world=World(Slope(angle), law), q=tilted("planar", angle), seconds=3)
    moved = run.point[-1] - run.point[0]
    down, into = np.array((-np.cos(angle), -np.sin(angle))), np.array((np.sin(angle), -np.cos(angle)))
    pads = run.mode[-1] > 0
    assert (moved @ down)[pads] == pytest.approx([10 * G * np.sin(angle) / (2 * 3e4)] * 2, rel=1e-3)
    assert (moved @ into)[pads].mean() == pytest.approx(10 * G * np.cos(angle) / (2 * 2e5), rel=1e-3)


@pytest.mark.parametrize("space", SPACES)
def test_compliant_ground_swings_along_itself_as_a_damped_spring(space):
    """A mass on slides, pressed on by its weight, then pushed sideways: m x'' = f - k x - d x', in closed form."""
    m, k, d, f, start = 2.0, 5e3, 40.0, 5.0, 0.4
    names, at = ("world", "cross", "mass"), (0.0,) * (2 if space == "planar" else 3)
    joints = tuple(ff.Joint(f"slide_{a}", "prismatic", names[i], names[i + 1], axis=a) for i, a in enumerate("xz"))
    links = (ff.Link("cross", 0.0), ff.Link("mass", m))
    robot = ff.Robot("mass", space, links, joints, feet=(ff.Foot("mass", (ff.Point("mass", at),)),))
    law = Compliant(5.0, stiffness=1e5, damping=1e3, tangential_stiffness=k, tangential_damping=d)
    world = World(contact=law, pushes=(Push("mass", (f, *at[1:]), start, 9.0),))
    run = ff.simulate(robot, world=world, q=(0.0, 0.0), seconds=0.6, dt=1e-5, record_dt=1e-3)
    t, w, z = np.maximum(run.time - start, 0.0), np.sqrt(k / m), d / (2 * np.sqrt(k * m))
    wd = w * np.sqrt(1 - z * z)
    known = f / k * (1 - np.exp(-z * w * t) * (np.cos(wd * t) + z * w / wd * np.sin(wd * t)))
    assert run.q[:, 0] == pytest.approx(known, abs=2e-3 * f / k)
    assert -run.q[-1, 1] == pytest.approx(m * G / 1e5, rel=1e-6)


def test_bonded_foot_holds_against_a_pull():
    robot = box("planar")
    world = World(bonded=("box",), pushes=(Push("box", (0.0, 500.0), 0.0, 2.0),))
    run = ff.simulate(robot, world=world, q=(0, 0.1, 0), seconds=2)
    assert np.abs(run.q[-1] - [0, 0.1, 0]).max() < 1e-7
    assert run.force[-1].sum(axis=0)[-1] == pytest.approx(10 * G - 500, rel=1e-6)


TERRAINS = [
    Flat(0.1),
    Slope(0.1, 0.05),
    Stairs(0.1, 0.3),
    Obstacles(((0.2, 0.3, 0.05), (0.5, 0.7, -0.1))),
    Profile((0.0, 1.0), (0.0, 0.2)),
    Waves(((0.05, 1.0, 0.3, 0.1),)),
    Field(((0.0, 0.1), (0.05, 0.2)), (1.0, 1.0)),
    Function(lambda x, y: 0.1 * np.sin(x) + 0.05 * y),
]


@pytest.mark.parametrize("terrain", TERRAINS, ids=lambda terrain: type(terrain).__name__)
def test_box_lands_on_every_terrain(terrain):
    for space in SPACES:
        robot = box(space)
        q = (0.25, 1.0, 0.1) if space == "planar" else (0.25, 0.3, 1.0, 1, 0, 0, 0)
        run = ff.simulate(robot, world=World(terrain, Rigid(friction=1.0)), q=q, seconds=1.5)
        for point in run.point[-1]:
            x, y = (point[0], 0.0) if space == "planar" else point[:2]
            assert point[-1] > terrain.height(x, y) - 1e-4
        assert run.mode[-1].any()


def test_functions_in_python_and_compiled_give_the_same_ground():
    def wavy(x, y):
        return 0.1 * np.sin(3 * x) + 0 * y

    runs = [ff.simulate(box("planar"), world=World(Function(f)), q=(0, 0.5, 0.2), seconds=1) for f in (wavy, numba.njit(wavy))]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9


def test_a_load_weighs():
    robot = box("planar")
    run = ff.simulate(robot, world=World(loads=(Load("box", 5.0, 0.5, 1.0),)), q=(0, 0.1, 0), seconds=1.5, record_dt=0.25)
    press = run.force[:, :, 1].sum(axis=1)
    assert press[1] == pytest.approx(10 * G, rel=1e-6)
    assert press[3] == pytest.approx(15 * G - 5 * G * 0.5e-3 / 0.25, rel=1e-6)  # forces at 0.5 s, half a step, are without it
    assert press[6] == pytest.approx(10 * G, rel=1e-6)


# --- falls and bad questions ----------------------------------------------------------------------------------------------


def test_a_fall_says_what_touched():
    robot, q = biped()
    run = ff.simulate(robot, None, World(), q=q, seconds=5, lift=True)
    assert run.fell
    assert "touched the ground" in run.reason
    assert run.events[-1].kind == "fall"
    assert run.time[-1] < 5


BAD = [
    (lambda: Rigid(friction=-1), FootfallError, "friction must be from 0 to 100, got -1"),
    (lambda: Rigid(restitution=1.2), FootfallError, "restitution must be from 0 to 1, got 1.2"),
    (lambda: Slope("steep"), FootfallError, "angle must be a number"),
    (lambda: Push("torso", (1, 0), 2.0, 1.0), FootfallError, "must end after it starts"),
    (lambda: World(terrain=3), FootfallError, "terrain must be a Terrain, got 3"),
    (lambda: ff.simulate(box("planar"), seconds=-1), SimulationError, "seconds must be from 0"),
    (lambda: ff.simulate(box("planar"), q=(0, 0.05, 0)), SimulationError, "is 0.05 m inside the ground; lift"),
    (lambda: ff.simulate(box("planar"), q=(0, 0.05)), FootfallError, "q of robot 'box' must have 3 entries"),
    (lambda: ff.simulate(box("planar"), world=World(pushes=(Push("bax", (1, 0), 0, 1),))), UnknownNameError, "Did you mean 'box'"),
    (lambda: ff.simulate(box("planar"), world=World(bonded=("foot",))), UnknownNameError, "no foot .*'foot'"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "error", "message"), BAD)
def test_bad_questions(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


def test_divergence_stops_at_once():
    class Wild(Controller):
        def law(obs, params, state, goal, command):
            command.tau[0] = 1e12
            return 0

    with pytest.raises(SimulationError, match="diverged at .* 'hinge' moves at") as caught:
        ff.simulate(arm(), Wild(), seconds=5)
    assert len(caught.value.run.time) >= 1


def test_it_can_be_advanced_bit_by_bit():
    robot, q = biped()
    study = ff.Study(robot, World(), STIFF, q=q, seconds=1.0)
    whole = ff.simulate(study, lift=True)
    pieces = ff.Simulation(study, lift=True)
    for _ in range(20):
        pieces.advance(0.05)
    assert np.array_equal(pieces.run().q, whole.q)


def test_a_collapse_a_kilometre_away_is_the_same():
    """Chaotic: had rounding been of the size of places there, it would lie micrometres elsewhere."""
    robot = ff.robots.load("wendlandt")
    q = ff.kinematics.random_configuration(robot, 1, 0.3)
    q[:2] = 0.0, 1.3
    world = World(Slope(0.0), Rigid(friction=0.5), falls=False)
    here, there = (ff.simulate(robot, world=world, q=(x, *q[1:]), seconds=0.8, lift=True) for x in (0.0, 1000.0))
    assert np.abs(there.q - here.q - np.eye(robot.nq)[0] * 1000.0).max() < 1e-12
    assert np.abs(there.point[..., 0] - here.point[..., 0] - 1000.0).max() < 1e-12


@pytest.mark.parametrize("space", SPACES)
def test_the_ground_is_where_it_is_said_to_be(space):
    """A robot counts from where it starts; hills and what controllers see do not."""
    seen = []

    class Look(Controller):
        def law(obs, params, state, goal, command):
            seen.append(obs.q)
            return 0

    ground, robot = Waves(((0.3, 0.9, 0.4, 0.2),)), box(space)
    q = robot.neutral()
    q[: robot.dim - 1] = (7.3, -2.1)[: robot.dim - 1]
    run = ff.simulate(robot, Look(), World(ground, Rigid(friction=2.0), falls=False), q=tuple(q), seconds=0.3, lift=True)
    assert np.array(seen[0]) == pytest.approx(run.q[0], abs=1e-12)
    assert seen[0][0] == pytest.approx(7.3)
    above = np.array([[point[-1] - ground.height(*point[:-1]) for point in row] for row in run.point])
    assert above[0].min() == pytest.approx(0.0, abs=1e-9)
    assert above.min() > -1e-4


def test_an_arc_touches_with_its_lowest_point():
    """However the foot is turned, past the ends of its sole too."""
    robot = ff.robots.load("ranger")
    robot = dataclasses.replace(
        robot, joints=tuple(dataclasses.replace(joint, limits=(-np.inf, np.inf)) for joint in robot.joints)
    )
    at, radius = np.array((0.0, 0.14)), 0.2
    rim = at + radius * np.array([(np.sin(a), -np.cos(a)) for a in np.linspace(np.radians(-5), np.radians(30), 2000)])
    for pitch in np.linspace(-3.1, 3.1, 25):
        q = robot.configuration({"ankle_outer": pitch})
        q[1] = 5.0
        gap = ff.simulate(robot, world=World(falls=False), q=tuple(q), seconds=0.0).point[0, 0, 1]
        c, s = np.cos(pitch), np.sin(pitch)
        lowest = (rim @ np.array((-s, c))).min() + q[1] - 0.96
        assert gap == pytest.approx(lowest, abs=1e-6)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_base_may_count_along_turned_axes(space):
    """Far from the origin: contact points are where the kinematics has them, and the ground is found there."""
    planar = space == "planar"
    turn = 0.3 if planar else (0.1, -0.2, 0.4)
    link = ff.Link("ball", 1.0, inertia=0.01 if planar else (0.01, 0.01, 0.01))
    base = ff.Joint("base", "planar" if planar else "free", "world", "ball", turn=turn)
    robot = ff.Robot("r", space, (link,), (base,), feet=(ff.Foot("foot", (ff.Point("ball"),)),))
    q = robot.neutral()
    q[: robot.dim] = (10.0, 5.0) if planar else (10.0, 3.0, 8.0)
    run = ff.simulate(robot, world=World(falls=False), q=tuple(q), seconds=2.0)
    for i in (0, -1):
        np.testing.assert_allclose(run.point[i, 0], kinematics.pose(robot, run.q[i], "ball").position, atol=1e-9)
    assert run.point[-1, 0, -1] == pytest.approx(0.0, abs=1e-7)
    assert run.force[-1, 0, -1] == pytest.approx(9.81, rel=1e-6)
