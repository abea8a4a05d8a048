"""What users get wrong, or ask for at the edge of what makes sense: told in words, or answered rightly."""

import copy
import pickle

import numpy as np
import pytest

import footfall as ff
from footfall import kinematics, motion
from footfall.control import Algorithmic, MassCenter
from footfall.control.algorithm import Algorithm, ConflictError
from footfall.control.fields import ControlError
from footfall.engines import Ideal
from footfall.errors import FootfallError
from footfall.sim import control_runtime

PERSON = ff.robots.load("person")


def standing():
    """On the left foot, in some posture, with a cost."""
    rng = np.random.default_rng(1)
    q, v = kinematics.integrate(PERSON, PERSON.neutral(), 0.3 * rng.normal(size=PERSON.nv)), np.zeros(PERSON.nv)
    algo = Algorithm(PERSON)
    algo.out.q[:] = q
    algo.hold("FOOT", algo.body("foot_left"))
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    return algo, q, v


def knee_of(found):
    return found.acceleration[PERSON.velocities.index("knee_left")]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda a, k: k.horizontal, "single number"),
        (lambda a, k: a.com.acceleration[[]], "none of them"),
        (lambda a, k: a.com.acceleration[:0], "none of them"),
        (lambda a, k: a.com.acceleration[[0, 1, 2, 0]], "1 to 3 rows"),
        (lambda a, k: a.com.acceleration @ "up", "3 columns"),
        (lambda a, k: a.com.acceleration @ a.com.acceleration, "not linear"),
        (lambda a, k: 1.0 / k, "not linear"),
        (lambda a, k: k > 0.0, "written with >= or <="),
        (lambda a, k: 0.0 < k < 1.0, "written with >= or <="),
        (lambda a, k: -(k**2), "none of which is subtracted"),
        (lambda a, k: k**2 - k**2, "none of which is subtracted"),
        (lambda a, k: k**2 / 0.0, "above 0, got 0"),
        (lambda a, k: k**k, "power must be 2"),
        (lambda a, k: k == 10**400, "it can be compared with numbers"),
        (lambda a, k: 10**400 * k, "a factor must be a number"),
        (lambda a, k: a.remove(["FOOT"]), "must be a word"),
        (lambda a, k: a.assign(["FOOT"], 1.0), "must be a word"),
        (lambda a, k: a.body(["torso"]), "there is no link"),
        (lambda a, k: a.equate("X", k == 0.0, weight=1e200), "at most 1e"),
        (lambda a, k: a.equate("NEWTON", k == 0.0), "name of Newton's law"),
        (lambda a, k: a.value(3.0), "takes a quantity"),
        (lambda a, k: a.orientation("torso"), "takes a body or frame"),
        (lambda a, k: a.correct_mass("x", (0.0, 0.0, 0.0)), "takes a mass and 3 finite numbers, got 'x'"),
        (lambda a, k: a.correct_mass(1j, (0.0, 0.0, 0.0)), "takes a mass and 3 finite numbers, got 1j"),
        (lambda a, k: a.hold(["A"], a.body("torso")), r"a name must be a word .* got \['A'\]"),
        (lambda a, k: np.sum([k, k]), r"no array.*sum\(\).*algo.value"),
        (lambda a, k: np.eye(1) @ np.array([k]), r"no array"),
        (lambda a, k: abs(k) <= 1.0, "two limits"),
        (lambda a, k: float(k), "not a number; algo.value"),
        (lambda a, k: k and 1.0, "not true or false; algo.value"),
        (lambda a, k: 1.0 if k >= 0.0 else 0.0, r"is a limit.*condition of your own algo.value"),
        (lambda a, k: k > 0.0, "with >= or <=.*algo.value"),
        (lambda a, k: k == np.nan, "must be a finite number, got nan"),
        (lambda a, k: a.correct_mass(0.0, "far"), "3 finite numbers"),
        (lambda a, k: a.curve(np.zeros((0, 3)), 1.0), "1 to 3 rows"),
        (lambda a, k: a.hold("X", a.point("heel_left"), angle=0.3), "an angle is for joints, got 0.3"),
        (lambda a, k: motion.position_with_pd(k, 0.0, 1.0), "takes a point or body"),
        (lambda a, k: motion.set_angle_with_pd(a.body("torso"), 0.0, 1.0), "takes a joint"),
        (lambda a, k: motion.orient_with_pd(a.joint("knee_left"), np.eye(3), 1.0), "takes a body or frame"),
        (lambda a, k: motion.position_point_with_quintic(a, a.point("heel_left"), "far", 0.0, 1.0), "rows of numbers, got 'far'"),
    ],
)
def test_mistakes_are_told(wrong, said):
    algo = Algorithm(PERSON)
    with pytest.raises(FootfallError, match=said):
        wrong(algo, algo.joint("knee_left").acceleration)


def test_weights_and_priorities_of_other_types():
    algo, q, v = standing()
    knee = algo.joint("knee_left").acceleration
    algo.equate("X", knee == 1.0, weight="2")
    algo.equate("Y", knee == 2.0, priority=np.int64(1))
    algo.minimise((knee - 1.0) ** 2 / 2.0)
    algo.solve(q, v)
    assert "(weight 2)" in str(algo)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_algorithm_is_not_copied(copied):
    with pytest.raises(ControlError, match="of 'person'.* cannot be copied"):
        copied(Algorithm(PERSON))


def test_assign_sets_the_left_side_of_an_equation():
    algo, q, v = standing()
    one, two = algo.joint("knee_left").acceleration, algo.joint("knee_right").acceleration
    algo.equate("K", one + 2.0 == 1.0)
    assert knee_of(algo.solve(q, v)) == pytest.approx(-1.0)
    algo.assign("K", 5.0)
    assert knee_of(algo.solve(q, v)) == pytest.approx(3.0)
    algo.equate("K", one == two + 1.0)
    algo.solve(q, v)
    algo.assign("K", 4.0)
    assert knee_of(algo.solve(q, v)) == pytest.approx(4.0)
    algo.assign("K", 6.0)
    assert knee_of(algo.solve(q, v)) == pytest.approx(6.0)


def test_residuals_are_those_of_the_equations_solved():
    algo, q, v = standing()
    knee = algo.joint("knee_left").acceleration
    algo.equate("K", knee == 1.0)
    algo.equate("M", knee == 3.0, priority=1)
    assert algo.solve(q, v).residual["M"] == pytest.approx(2.0)
    algo.remove("K")
    algo.equate("Z", algo.joint("knee_right").acceleration == 3.0)
    for _ in range(2):
        assert "Z" not in algo.residuals
        assert "15 left to the cost" not in str(algo)
    assert algo.solve(q, v).residual["M"] < 1e-9


@pytest.mark.parametrize("scale", [1e-250, 1e-160, 1e160, 1e250])
def test_scales_whose_squares_are_no_numbers(scale):
    algo, q, v = standing()
    knee = scale * algo.joint("knee_left").acceleration
    algo.equate("K", knee == 3.0 * scale)
    assert knee_of(algo.solve(q, v)) == pytest.approx(3.0)
    algo.remove("K")
    algo.limit("K", knee >= 30.0 * scale)
    assert knee_of(algo.solve(q, v)) == pytest.approx(30.0)


def test_a_joint_that_is_held_many_times():
    """More rows that are held than there are unknowns."""
    bob = ff.Link("bob", 1.0, com=(0.0, -1.0))
    joint = ff.Joint("pivot", "revolute", "world", "bob", motor=ff.Motor())
    algo = Algorithm(ff.Robot("pendulum", "planar", (bob,), (joint,)))
    for i in range(100):
        algo.hold(f"H{i}", algo.joint("pivot"), angle=0.3)
    found = algo.solve((0.0,), (1.0,))
    assert (found.q[0], found.v[0]) == pytest.approx((0.3, 0.0), abs=1e-9)
    assert found.acceleration[0] == 0.0


@pytest.mark.parametrize("places", [("heel_left", "heel_right"), ("heel_left", "sole_left"), ("heel_left", "heel_left")])
def test_points_do_not_hold_a_robot_in_all_directions(places):
    """No moment about the line through the points: Newton's law for the base has to be an equation."""
    algo, q, v = standing()
    algo.remove("FOOT")
    algo.hold("HEELS", *(algo.point(place) for place in places))
    algo.equate("UP", algo.com.acceleration == (0.0, 0.0, 1.0))
    found = algo.solve(q, v)
    assert np.abs(found.torque[:6]).max() < 1e-6  # there is no motor
    assert max(found.residual.values()) < 1e-9


def test_what_is_held_elsewhere_does_not_carry_a_joint_without_motor():
    """Two pendulums, one held: the other one, which has no motor, falls."""
    links = [ff.Link(name, 1.0, com=(0.0, -1.0)) for name in ("one", "two")]
    joints = (
        ff.Joint("first", "revolute", "world", "one"),
        ff.Joint("second", "revolute", "world", "two", at=(3.0, 0.0), motor=ff.Motor()),
    )
    robot = ff.Robot("pendulums", "planar", tuple(links), joints)
    algo, q = Algorithm(robot), np.array((0.5, 0.7))
    algo.out.q[:] = q
    algo.hold("TWO", algo.body("two"))
    found = algo.solve(q, np.zeros(2))
    assert found.torque[0] == pytest.approx(0.0, abs=1e-9)
    free = ff.dynamics.forward(robot, q, np.zeros(2), np.array((0.0, found.torque[1])))
    assert found.acceleration == pytest.approx((free[0], 0.0), abs=1e-9)
    algo.equate("STAY", algo.joint("first").acceleration == 0.0)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, np.zeros(2))
    assert sorted(caught.value.conflict) == ["NEWTON", "STAY"]


def own(initialize, controller):
    """An algorithm of these two procedures, for the planar biped on the ideal engine."""
    kind = type("Own", (Algorithmic,), {"initialize": initialize, "controller": controller})
    return ff.Study(ff.robots.load("rabbit"), ff.World(), kind(), seconds=0.02, engine=Ideal())


def on_a_foot(algo, params, state):
    algo.hold("FOOT", algo.body(algo.robot.feet[0].pads[0].link))
    algo.equate("AHEAD", algo.com.acceleration.x == 0.5)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))


def test_a_procedure_may_solve_for_another_state():
    def tries(algo, params, state, time):
        algo.solve(ff.kinematics.integrate(algo.robot, algo.out.q, 2e-4 * np.ones(algo.robot.nv)), algo.out.v, time=3.0)

    plain = ff.simulate(own(on_a_foot, lambda *_: None), lift=True)
    assert np.array_equal(ff.simulate(own(on_a_foot, tries), lift=True).q, plain.q)


def test_a_file_that_could_not_keep_its_controller_says_so(tmp_path):
    run = ff.simulate(own(on_a_foot, lambda *_: None), lift=True)
    run.save(tmp_path / "run")
    with pytest.raises(FootfallError, match=r"Give it again to run this study: simulate\(run.study, controller="):
        ff.Run.load(tmp_path / "run").replay()


def test_ctrl_c_at_the_door_of_a_law(monkeypatch):
    """Before the law has begun: what ctypes cannot raise is heard."""
    asked = control_runtime.Layer.ask

    def ask(layer, time):
        if time > 0.0095:
            raise KeyboardInterrupt
        return asked(layer, time)

    monkeypatch.setattr(control_runtime.Layer, "ask", ask)
    run = ff.simulate(own(on_a_foot, lambda *_: None), lift=True)
    assert run.reason == "interrupted at 0.010 s"


def test_without_gravity_nothing_can_be_weighed():
    with pytest.raises(ControlError, match="MassCenter weighs the robot: gravity must be above 0 m/s2, got 0"):
        MassCenter().prepare(PERSON, PERSON.neutral(), 0.0)


def test_a_state_that_is_no_number_is_not_put_down_to_equations():
    algo, _, _ = standing()
    algo.out.v[0] = np.nan
    with pytest.raises(FootfallError, match="state is not finite"):
        algo.tick()


def test_the_ideal_engine_refuses_gravity_that_is_tilted():
    """Its forces and its ledger would be those of gravity straight down."""
    study = ff.studies.load("newton-walk")
    with pytest.raises(FootfallError, match="gravity_tilt has no effect.*0.1 rad"):
        ff.simulate(study, world=ff.World(gravity_tilt=0.1), seconds=0.01)
