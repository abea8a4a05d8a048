"""Boxes on the ground: distances of a robot from them, and footsteps over and around."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import kinematics, reproduce
from footfall.errors import FootfallError, WorldError
from footfall.motion import MotionError, Stepping, Swing, clearance, plan_among
from footfall.motion.clearance import boxes_of, segment_to_box, shapes_of
from footfall.motion.obstacles import step_set
from footfall.world import Blocks, World, random_blocks

BAR = (1.0, 0.0, 0.0, 0.04, 3.0, 0.05)
ROOM = (-0.6, -1.0, 2.6, 1.0)


@pytest.fixture(scope="module")
def johnnie():
    return ff.robots.load("johnnie")


def test_the_ground_is_as_high_as_its_highest_box():
    ground = Blocks(((1.0, 0.0, np.pi / 2, 0.4, 0.2, 0.1), (1.0, 0.15, 0.0, 0.1, 0.1, 0.3)))
    assert [ground.height(*at) for at in ((0.0, 0.0), (1.0, 0.0), (1.0, 0.19), (1.0, 0.21), (1.09, -0.19), (1.11, 0.0))] == [
        0.0,
        0.1,
        0.3,
        0.0,
        0.1,
        0.0,
    ]
    assert Blocks(()).height(1.0) == 0.0


@pytest.mark.parametrize("row", [(0.0, 0.0, 0.0, 1.0, 1.0, 0.0), (0.0, 0.0, 0.0, -1.0, 1.0, 1.0)])
def test_a_box_has_a_size(row):
    with pytest.raises(WorldError, match="the last three above 0"):
        Blocks((row,))


def test_a_study_with_boxes_can_be_saved(tmp_path, johnnie):
    run = ff.simulate(johnnie, world=World(terrain=Blocks((BAR,))), seconds=0.01, lift=True)
    run.save(tmp_path / "run.parquet")
    assert ff.Run.load(tmp_path / "run.parquet").study.world.terrain == Blocks((BAR,))


def nearest_by_program(points, corners):
    """Distance of two convex hulls by a quadratic program over weights of their corners, as SciPy solves it: no shared code."""
    from scipy.optimize import nnls

    sums = 1e4 * np.vstack(
        (np.r_[np.ones(len(points)), np.zeros(len(corners))], np.r_[np.zeros(len(points)), np.ones(len(corners))])
    )
    A = np.vstack((np.hstack((np.transpose(points), -np.transpose(corners))), sums))
    weights, _ = nnls(A, np.r_[np.zeros(3), 1e4, 1e4], maxiter=1000)
    return float(np.linalg.norm(A[:3] @ weights))


def test_distances_are_those_of_a_quadratic_program(johnnie):
    """Sole and shank of a robot in random postures, from boxes in random places."""
    rng, box = np.random.default_rng(0), johnnie.feet[0].pads[0]
    shank = next(shape for shape in johnnie.solids["shank_left"])
    half = np.array(box.size) / 2.0
    own = [np.array(box.at) + half * s for s in np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T]
    found = []
    for _ in range(25):
        q = kinematics.random_configuration(johnnie, rng, spread=0.6)
        block = (*rng.uniform(-1.0, 1.0, 2), *rng.uniform(-3, 3, 1), *rng.uniform(0.05, 0.8, 3))
        edges = boxes_of(Blocks((block,))).edges[0].reshape(-1, 3)
        parts = clearance(johnnie, q, Blocks((block,)))
        ours = dict(zip(parts.links, parts.distance[0, :, 0], strict=True))
        pose = kinematics.pose(johnnie, q, "shank_left")
        ends = [pose.position + pose.rotation @ np.array(at or (0, 0, 0)) for at in (shank.start, shank.end)]
        assert ours["shank_left"] == pytest.approx(max(nearest_by_program(ends, edges) - shank.radius, 0.0), abs=2e-6)
        pose = kinematics.pose(johnnie, q, box.link)
        sole = nearest_by_program([pose.position + pose.rotation @ at for at in own], edges)
        limbs = [
            max(
                nearest_by_program(
                    [
                        pose.position + pose.rotation @ np.array(at or (0, 0, 0))
                        for at in (each.start, each.end)
                        if at is not None
                    ],
                    edges,
                )
                - each.radius,
                0.0,
            )
            for each in johnnie.solids[box.link]
            if hasattr(each, "end")
        ]
        spheres = [
            max(nearest_by_program([pose.position + pose.rotation @ np.array(each.at)], edges) - each.radius, 0.0)
            for each in johnnie.solids[box.link]
            if not hasattr(each, "end")
        ]
        assert ours[box.link] == pytest.approx(min([sole, *limbs, *spheres]), abs=2e-6)
        found.append(sole)
    assert min(found) < 0.3 < max(found)


def test_a_segment_and_a_box():
    distance, half = segment_to_box.plain("spatial"), (1.0, 2.0, 3.0)
    assert distance((2.0, 0.0, 0.0), (2.0, 5.0, 0.0), half) == pytest.approx(1.0)
    assert distance((-5.0, 0.1, 0.2), (5.0, 0.1, 0.2), half) == 0.0
    assert distance((2.0, 3.0, 4.0), (5.0, 9.0, 7.0), half) == pytest.approx(np.sqrt(3.0))
    assert distance((3.0, 0.0, 0.0), (0.0, 4.5, 0.0), half) == pytest.approx((3 * 4.5 - 1 * 4.5 - 2 * 3) / np.hypot(3.0, 4.5))


def test_all_links_have_shapes(johnnie):
    shapes, names = shapes_of(johnnie)
    assert {"foot_left", "shank_right", "torso", "arm_left"} <= set(names)
    assert len(names) == len(shapes.body) + len(shapes.box_body)


def plan_past(johnnie, *blocks, goal=(2.0, 0.0, 0.0), room=ROOM, **more):
    return plan_among(johnnie, Blocks(blocks), goal, room=room, **more)


def test_a_low_bar_is_stepped_over_and_a_high_box_is_not(johnnie):
    over = plan_past(johnnie, BAR)
    assert [each.choice for each in over.decisions] == ["over"]
    assert over.footsteps[:, 4].max() > BAR[5]
    around = plan_past(johnnie, (1.0, 0.0, 0.3, 0.3, 0.2, 0.9))
    assert [each.choice for each in around.decisions] == ["around"]
    assert "needs a lift of 0.93 m" in around.decisions[0].why
    assert (around.footsteps[:, 4] == around.stepping.swing.lift).all()
    assert around.clearance.least >= around.stepping.clear
    clear = plan_past(johnnie, (1.0, 0.95, 0.0, 0.04, 0.1, 0.05))
    assert [each.choice for each in clear.decisions] == ["clear"]
    assert clear.cost < min(over.cost, around.cost)


def test_footsteps_are_steps_of_the_set(johnnie):
    """Independent of the search: feet alternate, no step is longer than allowed, no sole is on a box, and the goal is reached."""
    found = plan_past(johnnie, BAR, (1.9, -0.8, 0.5, 0.3, 0.3, 0.6))
    rows = np.vstack((np.column_stack((found.stand[:, :2], np.zeros(2), found.stand[:, 2], np.zeros(2))), found.footsteps))
    apart = np.linalg.norm(np.diff(rows[:, :2], axis=0), axis=1)
    assert apart.max() <= np.hypot(found.stepping.longest, 1.7 * found.stepping.width)
    assert np.abs(np.diff(rows[:, 3])).max() <= found.stepping.turn + 1e-12
    assert np.linalg.norm(rows[-2:, :2].mean(axis=0) - (2.0, 0.0)) <= 0.15 + 1e-9
    assert found.plan.steps[0].side == "left"
    ahead, left = rows[2:, 0] - 1.0, rows[2:, 1]
    assert not ((ahead > -0.2) & (ahead < 0.09) & (np.abs(left) < 1.5)).any()  # no sole on the bar, heel to toe


def test_other_robots_plan_too():
    robot = ff.robots.load("person")
    found = plan_among(robot, Blocks((BAR,)), (2.0, 0.0, 0.0), room=ROOM)
    assert found.decisions[0].choice == "over"


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        (((1.0, 0.0, 0.0, 0.1, 9.0, 0.4),), "box 1 is 0.40 m high, stepping over needs a lift of 0.4"),
        (((1.0, 0.0, 0.0, 1.0, 9.0, 0.1),), "box 1 is 1.00 m deep and cannot be stepped over"),
        (((1.0, 0.0, 0.0, 0.1, 9.0, 0.4), (1.5, 0.0, 0.0, 0.1, 9.0, 0.4)), "several of them, or the room, close it"),
        (((0.1, 0.1, 0.0, 0.1, 0.1, 0.4),), "left foot stands on box 1 at the start, or within 0.08 m"),
        ((BAR, (0.0, -0.2, 0.0, 0.1, 0.1, 0.4)), "right foot stands on box 2 at the start"),
        ((BAR, (2.1, 0.1, 0.5, 0.8, 0.9, 0.4)), r"the goal \(2.00, 0.00\) is inside box 2, 0.80 x 0.90 m at \(2.10, 0.10\)"),
    ],
)
def test_a_scene_without_a_way_is_refused(johnnie, blocks, said):
    with pytest.raises(MotionError, match=said):
        plan_past(johnnie, *blocks)


def test_a_goal_in_a_thin_bar_can_be_reached(johnnie):
    found = plan_past(johnnie, BAR, goal=(BAR[0], 0.0, 0.0))
    assert np.linalg.norm(found.footsteps[-2:, :2].mean(axis=0) - BAR[:2]) <= 0.15 + 1e-9
    with pytest.raises(FootfallError, match="got ObstaclePlan; ff.view.scene draws"):
        ff.view.footprints(found)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"goal": (1.0, np.nan, 0.0)}, "goal must be x, y and yaw"),
        ({"goal": "there"}, "goal must be x, y and yaw"),
        ({"stand": (1.0, 2.0)}, "stand must be"),
        ({"stepping": Stepping(height=0.95)}, "height must be below"),
        ({"stepping": Stepping(nodes=100)}, "give Stepping more nodes"),
        (
            {"goal": (1000.0, 1000.0, 0.0), "room": None},
            "100. m by 100. m, has .* cells, at most 50,000,000 may be; take a nearer goal",
        ),
        ({"goal": (1e6, -1e6, 0.0), "room": None, "stepping": Stepping(cells=0.005)}, "take a nearer goal, a smaller room$"),
        ({"room": (-20.0, -20.0, 20.0, 20.0), "stepping": Stepping(cells=0.01)}, "or Stepping.cells above 0.0518 m, not 0.01 m"),
        ({"within": (0.1,)}, "within must be a distance and an angle above 0"),
        ({"within": (0.1, np.nan)}, "within must be"),
        ({"within": (0.1, -0.1)}, "within must be"),
        ({"within": None}, "within must be"),
    ],
)
def test_nonsense_is_refused(johnnie, more, said):
    with pytest.raises(MotionError, match=said):
        plan_past(johnnie, BAR, **more)


def test_nonsense_steppings():
    with pytest.raises(MotionError, match="highest must not be below lift"):
        Stepping(highest=0.01)
    with pytest.raises(MotionError, match="longest must not be below usual"):
        Stepping(longest=0.1)
    with pytest.raises(MotionError, match="a Swing with apex 0.5"):
        Stepping(swing=Swing(apex=0.3))
    with pytest.raises(MotionError, match="room must have its lower corner first"):
        plan_among(ff.robots.load("johnnie"), Blocks((BAR,)), (2.0, 0.0, 0.0), room=(1.0, 1.0, 0.0, 0.0))
    with pytest.raises(MotionError, match="obstacles must be Blocks"):
        plan_among(ff.robots.load("johnnie"), None, (2.0, 0.0, 0.0))
    assert len(step_set(Stepping(longest=0.5))) > 30


def test_it_walks_past_and_touches_nothing():
    study = ff.studies.load(
        "johnnie-obstacles", way=2.5, blocks=((1.2, 0.1, 0.1, 0.05, 3.0, 0.07), (1.9, -0.5, 0.0, 0.2, 0.2, 0.8))
    )
    run = ff.simulate(study)
    assert run.time[-1] == study.seconds
    assert not [event for event in run.events if event.kind == "fall"]
    assert clearance(study.robot, run.q, study.world.terrain).least > 0.005
    assert np.hypot(run.q[-1, 0] - 2.5, run.q[-1, 1]) < 0.25
    feet = [kinematics.pose(study.robot, run.q[-1], f"sole_{side}").position[:2] for side in ("left", "right")]
    assert np.linalg.norm(np.mean(feet, axis=0) - np.mean([row[:2] for row in study.controller.footsteps[-2:]], axis=0)) < 0.1


def test_a_box_in_the_way_of_a_foot_is_felt():
    """The same walk with the bar a little higher than planned for: the world notices."""
    study = ff.studies.load("johnnie-obstacles", way=2.5, blocks=((1.2, 0.0, 0.0, 0.05, 3.0, 0.03),))
    higher = Blocks(((1.2, 0.0, 0.0, 0.05, 3.0, 0.2),))
    run = ff.simulate(replace(study, world=World(terrain=higher)))
    assert clearance(study.robot, run.q, higher).least == 0.0


def test_scenes_by_chance():
    assert random_blocks(5.0, 3) == random_blocks(5.0, 3) != random_blocks(5.0, 4)
    for seed in range(20):
        x = [block[0] for block in random_blocks(5.0, seed).blocks]
        assert min(x) > 1.0
        assert max(x) < 4.5
        assert (np.diff(x) >= 0.89).all()
    with pytest.raises(WorldError, match="length must be a number from 2.5"):
        random_blocks(1.0, 0)


def test_lifts_of_footsteps():
    with pytest.raises(FootfallError, match="lifts of footsteps must be 0 to 1 m"):
        ff.simulate(
            replace(
                ff.studies.load("johnnie-walk-computed-torque"),
                controller=ff.control.ComputedTorqueWalk(footsteps=((0.2, 0.1, 0.0, 0.0, -0.1), (0.2, -0.1, 0.0, 0.0, 0.1))),
            )
        )


def test_rows_about_which_there_is_no_doubt():
    rows = list(reproduce.rows("johnnie-obstacles/known", reproduce.Setting(quick=True, workers=1)))
    assert len(rows) == 5
    assert all(row.ok for row in rows), [row for row in rows if not row.ok]
