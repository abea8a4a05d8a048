"""Stewart and Cremer's language of named equations (1989), and what it makes a person do.

Equations are judged by kinematics and dynamics that do not share their code: the law is asked again at every step of a run, and
its accelerations are put into `footfall.kinematics`.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from footfall import kinematics, robots, studies
from footfall.control.algorithm import Algorithm, ConflictError
from footfall.control.algorithm.controller import Running
from footfall.control.fields import Block, place_all, sizes_of
from footfall.control.newton_throw import POUND
from footfall.control.params import params_of
from footfall.core.equations.ideal import IdealCommand
from footfall.core.law import Observation
from footfall.engines.events import Outcome
from footfall.model.layout import rotation
from footfall.model.pins import Pin
from footfall.motion import generators
from footfall.reproduce import Row, Setting, _dense
from footfall.reproduce._clock import processor_time
from footfall.reproduce._newton_contact import campaign_rows, model_rows, step_speeds, varied, walk_rows
from footfall.reproduce._newton_tendons import tendons
from footfall.reproduce._ranges import HUMAN, angles_of, beyond, turns_of
from footfall.sim.run import Run
from footfall.sim.whole import whole

TABLE_1 = {"TORSO-CONSTRAINT": 3, "L-KNEE-ANGLE": 1, "R-HEEL-TRAJ": 3, "R-FOOT-ORIENTATION": 3, "R-TOE-ANGLE": 1}


class Asked:
    """A law that is asked again at the rows of a run."""

    def __init__(self, run: Run):
        study = self.study = run.study
        robot, part, self.run = study.robot, study.controller, run
        self.params = params_of(part, robot, run.q[0], study.gravity)
        self.state = Block(type(part).__name__, part.State, sizes_of(robot, 0))  # type: ignore[union-attr]
        place_all([self.state])
        nv, bodies = robot.nv, len(robot.tree.parent)
        shapes = ((nv,), (nv,), (bodies, 6), (nv,), (nv,))
        self.command = IdealCommand(*(np.zeros(shape) for shape in shapes))
        self.running, kind = Running(), type(part)
        self._procedures = [vars(kind)["initialize"], vars(kind)["controller"]]

    def rows(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Coordinates, velocities and accelerations."""
        run, none = self.run, np.zeros(0)
        for t, q, v in zip(run.time, run.q, run.v, strict=True):
            obs = Observation(float(t), q, v, none, none, none, none)
            self.running.tick(self._procedures, obs, self.params, self.state.value, self.command)
            yield q, v, self.command.acceleration


def walk(setting: Setting) -> Iterator[Row]:
    """`newton-walk`: 20 s at varying speed, magnetic shoes."""
    seconds = 12.0 if setting.quick else 20.0
    run = whole(studies.load("newton-walk"), seconds=seconds)
    yield Row("time walked without a fall", "s", seconds, run.time[-1] if run.outcome is Outcome.END else 0.0, 1e-9, ">=")
    speeds = step_speeds(run)
    how = f"hips, over each of {len(speeds)} steps after the first"
    yield Row("lowest speed", "m/s", 0.5, speeds.min(), 0.0, "<=", how=how)
    yield Row("highest speed", "m/s", 1.3, speeds.max(), 0.0, ">=", how=how)
    for name in HUMAN:
        off, how = beyond(name, angles_of(run, name))
        yield Row(f"{name}: beyond the human range", "degree", 0.0, off, 0.0, "<=", how=how)
    twist = max(np.abs(turns_of(run, f"hip_{side}")[:, 2]).max() for side in ("left", "right"))
    yield Row("largest twist of a leg at the hip", "degree", 5.0, twist, 0.0, "<=", how="rotation vector, about the thigh")


def equations(setting: Setting) -> Iterator[Row]:
    """Every equation holds at every tick; a removed one no longer acts."""
    run = whole(studies.load("newton-walk"), seconds=2.0 if setting.quick else 20.0, record_dt=0.001)
    residual = run["controller.state.residual"][-1]
    yield Row("largest residual of a named equation at any tick", "SI", 0.0, residual, 1e-9, how="as the solver has it")
    asked, worst, knee = Asked(run), 0.0, 0.0
    names = {
        1: ("heel_left", "knee_left"),
        2: ("heel_left", "knee_left"),
        4: ("heel_right", "knee_right"),
        5: ("heel_right", "knee_right"),
    }
    for q, v, a in asked.rows():
        phase = int(asked.state.value.phase)
        if phase in names:
            heel, joint = names[phase]
            worst = max(worst, float(np.abs(kinematics.acceleration(run.robot, q, v, a, heel)[:3]).max()))
            d, j = run.robot.velocities.index(joint), run.robot.coordinates.index(joint)
            w = generators.pole(0.1 if phase in (1, 4) and asked.state.value.steps < 2 else asked.params.landing_time)
            knee = max(knee, abs(a[d] + 2.0 * w * v[d] + w * w * (q[j] - asked.params.stance_knee)))
    yield Row(
        "acceleration of the heel that is held", "m/s2", 0.0, worst, 1e-9, how="by footfall.kinematics, every step in swing"
    )
    yield Row("stance knee: residual of its PD", "rad/s2", 0.0, knee, 1e-9, how="from the rows of the run, every step in swing")
    yield from _removed()


def _removed() -> Iterator[Row]:
    algo, q, v = swinging()
    before = algo.solve(q, v).acceleration
    algo.equate("KNEE", algo.joint("knee_right").acceleration == 7.0)
    with_it = algo.solve(q, v).acceleration
    algo.remove("KNEE")
    after = algo.solve(q, v).acceleration
    yield Row("a removed equation: change of the motion", "rad/s2", 0.0, np.abs(after - before).max(), 0.0)
    yield Row("while it was in force", "rad/s2", 1.0, np.abs(with_it - before).max(), 0.0, ">=")


def table_1(_: Setting) -> Iterator[Row]:
    """Degrees of freedom that equations use in the swing phase, by the names of the paper's table 1."""
    asked = Asked(whole(studies.load("newton-walk"), seconds=0.2, record_dt=0.001))
    for _state in asked.rows():
        pass
    algo: Any = asked.running.algo
    for name, count in TABLE_1.items():
        yield Row(
            f"{name}: degrees of freedom", "", count, algo.equations[name].size if name in algo.equations else math.nan, 0.0
        )
    more = [e.name for e in algo.equations.values() if not e.external and e.name not in TABLE_1]
    yield Row("equations besides", "", 0.0, len(more), 0.0, how=", ".join(more))
    yield Row("degrees of freedom used of 16", "", 11.0, algo.freedom["used"], 0.0, how="the standing foot and its toe are held")


def pd(_: Setting) -> Iterator[Row]:
    """The part of the way that PD generators leave at delta-time, from rest."""
    printed = 100.0 * (1.0 + math.log(100.0)) / 100.0
    for kind in ("position", "angle", "orientation"):
        yield Row(f"{kind}, as printed", "%", printed, 100.0 * left_over(kind, False), 0.05, how="a double pole leaves that")
        yield Row(f"{kind}, reaching", "%", 1.0, 100.0 * left_over(kind, True), 0.02, "<=")


def conflict(_: Setting) -> Iterator[Row]:
    """Two equations that contradict each other, exactly or nearly, among others that do not."""
    for nearly in (0.0, 1e-10, 1e-7):
        algo, q, v = swinging()
        algo.equate("OTHER", algo.joint("hip_right").acceleration[0] == 1.0)
        algo.equate("MINE", algo.point("heel_right").acceleration.x + nearly * algo.joint("knee_right").acceleration == 4.0)
        try:
            algo.solve(q, v)
            named: dict[str, float] = {}
        except ConflictError as error:
            named = error.conflict
        right = set(named) == {"R-HEEL-TRAJ", "MINE"}
        yield Row(f"the two are named, apart by {nearly:g}", "", 1.0, right, 0.0, how=", ".join(named))
        yield Row("size of the conflict", "m/s2", 3.0, named.get("MINE", math.nan), 1e-3)
    algo, q, v = swinging()
    algo.equate("MINE", algo.point("heel_right").acceleration.x == 4.0, priority=1)
    found = algo.solve(q, v)
    yield Row("with a priority: residual of the one that yields", "m/s2", 3.0, found.residual["MINE"], 1e-9)
    yield Row("and of the other", "m/s2", 0.0, found.residual["R-HEEL-TRAJ"], 1e-9)


def throw(_: Setting) -> Iterator[Row]:
    """`newton-throw`: fifty pounds between hand and ball, the centre of mass at rest."""
    run = whole(studies.load("newton-throw"))
    asked, robot = Asked(run), run.robot
    person = [link for link in robot.links if link.name != "ball"]
    mass, ball = sum(link.mass for link in person), robot.link("ball").mass
    force, rest, slack = 0.0, 0.0, math.inf
    for q, v, a in asked.rows():
        push = ball * kinematics.acceleration(robot, q, v, a, "ball")[0]
        force = max(force, abs(push - 50.0 * POUND))
        com = sum(link.mass * kinematics.acceleration(robot, q, v, a, link.name, link.com)[:3] for link in person) / mass
        rest = max(rest, float(np.abs(com).max()))
        slack = min(slack, *(q[robot.coordinates.index(name)] for name in ("knee_left", "knee_right", "elbow")))
    yield Row(
        "hand force off the command of 222.4 N", "N", 0.0, force, 1e-8, how="mass of the ball times its acceleration, every ms"
    )
    yield Row("acceleration of the centre of mass", "m/s2", 0.0, rest, 1e-8, how="sum over the links, every ms")
    speed = kinematics.velocity(robot, run.q[-1], run.v[-1], "ball")[0]
    yield Row(
        "speed of the ball",
        "m/s",
        50.0 * POUND / ball * run.time[-1],
        speed,
        0.02,
        how="force / mass times time; steps of 0.1 ms",
    )
    yield Row("straightest knee or elbow", "degree", 0.0, math.degrees(slack), 0.0, ">=")


def turn(_: Setting) -> Iterator[Row]:
    """`newton-turn`: a circle of 2 m radius, and on the spot."""
    run = whole(studies.load("newton-turn"))
    yield Row("circle: no fall", "", 1.0, run.outcome is Outcome.END, 0.0)
    yaw = yaw_of(run)
    yield Row("circle: turned", "degree", 360.0, math.degrees(yaw[-1]), 0.0, ">=", how="torso")
    first, last = int(np.argmax(yaw > 0.5)), int(np.argmax(yaw > 0.5 + 2.0 * math.pi)) or len(yaw) - 1
    x = run.q[first:last, :2]
    fit = np.linalg.lstsq(np.column_stack((2.0 * x, np.ones(len(x)))), (x**2).sum(axis=1), rcond=None)[0]
    yield Row("circle: radius", "m", 2.0, math.sqrt(fit[2] + fit[0] ** 2 + fit[1] ** 2), 0.05, how="of the hips, least squares")
    run = whole(studies.load("newton-turn", radius=0.0))
    yield Row("on the spot: no fall", "", 1.0, run.outcome is Outcome.END, 0.0)
    yield Row("on the spot: turned", "degree", 360.0, math.degrees(yaw_of(run)[-1]), 0.0, ">=")
    off = np.hypot(*(run.q[:, :2] - run.q[:, :2].mean(axis=0)).T).max()
    yield Row("on the spot: farthest from its middle", "m", 0.35, off, 0.0, "<=", how="hips; bound is ours")


def contact(setting: Setting) -> Iterator[Row]:
    """`newton-walk-contact`: no magnets, 60 s; with a wrong model; then from perturbed starts and with pushes."""
    yield from walk_rows(setting)
    yield from model_rows(setting)
    yield from campaign_rows(setting)


def speed(setting: Setting) -> Iterator[Row]:
    """Processor time of the walk, with its algorithm in Python, and of one tick."""
    study = studies.load("newton-walk")
    study = replace(study, seconds=2.0 if setting.quick else 20.0)
    whole(study)
    taken = processor_time(lambda: whole(study), 2 if setting.quick else 5)
    yield Row("newton-walk: times real time", "1", 20.0, study.seconds / taken, 0.0, ">=", how="processor time, steps of 1 ms")
    asked = Asked(whole(studies.load("newton-walk"), seconds=0.2, record_dt=0.001))
    for _state in asked.rows():
        pass
    algo: Any = asked.running.algo

    def ticks() -> None:
        for _ in range(1000):
            algo.tick()

    real = replace(studies.load("newton-walk-contact"), seconds=2.0 if setting.quick else 20.0)
    whole(real)
    taken = processor_time(lambda: whole(real), 1 if setting.quick else 2)
    yield Row("newton-walk-contact: times real time", "1", 5.0, real.seconds / taken, 0.0, ">=", how="processor time, as shipped")
    yield Row("one tick: rows, solve, torques", "us", 60.0, 1e3 * processor_time(ticks, 5), 0.0, "<=", how="18 equations of 22")
    systems = {"accelerations only": dense(algo), "bodies and hinge forces": whole_system(algo)}
    for what, (K, r) in systems.items():
        taken = 1e3 * processor_time(partial(solve_often, K, r), 5)
        title = f"the solve alone as a dense system in NumPy, {what}, for comparison"
        yield Row(title, "us", 0.0, taken, 0.0, ">=", how=f"{len(r)} unknowns")


STUDIES = {
    "pd": pd,
    "equations": equations,
    "table-1": table_1,
    "walk": walk,
    "conflict": conflict,
    "throw": throw,
    "turn": turn,
    "contact": contact,
    "contact-varied": varied,
    "tendons": tendons,
    "speed": speed,
}


# --- parts ----------------------------------------------------------------------------------------------------------------


def swinging() -> tuple[Algorithm, np.ndarray, np.ndarray]:
    """A person in some state, on its left foot, with the equations of a swing."""
    robot, rng = robots.load("person"), np.random.default_rng(1)
    q = kinematics.integrate(robot, robot.neutral(), 0.3 * rng.normal(size=robot.nv))
    algo, v = Algorithm(robot), rng.normal(size=robot.nv)
    algo.out.q[:], algo.out.v[:] = q, v
    algo.hold("L-FOOT", algo.body("foot_left"), algo.joint("toe_left"))
    algo.equate("R-HEEL-TRAJ", algo.point("heel_right").acceleration == (1.0, 2.0, 3.0))
    algo.equate("TORSO-CONSTRAINT", algo.body("torso").angular_acceleration == 0.0)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    return algo, q, v


def left_over(kind: str, reaching: bool, seconds: float = 0.8, h: float = 1e-3) -> float:
    """The part of the way that is left after delta-time, from rest."""
    robot = robots.load("person")
    algo, v = Algorithm(robot), np.zeros(robot.nv)
    q = robot.configuration({"base.z": 1.0, "knee_left": 0.6, "knee_right": 0.6})
    algo.out.q[:] = q
    algo.hold("FOOT", algo.body("foot_left"))
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    torso, knee = algo.body("torso"), algo.joint("knee_right")
    if kind == "position":
        goal = algo.value(torso.position) + np.array((0.05, -0.03, 0.02))
        equation, way = generators.position_with_pd(torso, goal, seconds, reaching), torso.position - goal
    elif kind == "angle":
        equation, way = generators.set_angle_with_pd(knee, 0.9, seconds, reaching), knee.angle - 0.9
    else:
        turn = rotation((0.3, -0.4, 0.2))
        equation, way = generators.orient_with_pd(torso, turn, seconds, reaching), torso.orientation_error(turn)
    algo.equate("GOAL", equation)
    first = np.linalg.norm(algo.value(way))
    for _ in range(round(seconds / h)):
        found = algo.solve(q, v)
        q = kinematics.integrate(robot, found.q, h * found.v + 0.5 * h * h * found.acceleration)
        v = found.v + h * found.acceleration
    algo.out.q[:], algo.out.v[:] = q, v
    return float(np.linalg.norm(algo.value(way)) / first)


def dense(algo: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same equations and costs as one symmetric system (KKT) for NumPy."""
    rows, n = algo._built.rows, algo.robot.nv
    m, last = int(rows.size[1]), int(rows.size[2])
    E, D = rows.A[:m, :n], rows.A[m:last, :n]
    H = D.T @ (rows.weight[m:last, None] * D)
    g = D.T @ (rows.weight[m:last] * (rows.rhs - rows.b)[m:last])
    K = np.block([[H, E.T], [E, np.zeros((m, m))]])
    return K, np.concatenate((g, (rows.rhs - rows.b)[:m]))


def solve_often(K: np.ndarray, r: np.ndarray) -> None:
    for _ in range(1000):
        np.linalg.solve(K, r)


def whole_system(algo: Any) -> tuple[np.ndarray, np.ndarray]:
    """All bodies and hinges, with the standing foot held, as the paper's authors had it, for NumPy."""
    system = _dense.dense(algo.robot, algo.out.q, algo.out.v, (Pin("foot_left", weld=True),))
    b = system.b.copy()
    b[: 6 * system.bodies] += system.columns @ algo.out.tau
    return system.K, b


def yaw_of(run: Run) -> np.ndarray:
    """By how much the torso turned to the left, rad."""
    return np.unwrap(2.0 * np.arctan2(run["q.base.qz"], run["q.base.qw"]))
