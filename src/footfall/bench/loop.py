"""Steps a second of a loop in Python that gives torques at every step: `Simulation.step` against MuJoCo's `mj_step`.

Same robots, geometry, joints, step and torques as in the benchmark `contact`, from the same state. The loop writes torques and
steps, on both sides; it reads nothing. Torques at random, new at every step, are how a policy explores: the forces of contacts
that stick must be found anew each time. Rows for control at 100 Hz give ten steps to a call (`nstep` there).
"""

import time
from collections.abc import Callable, Iterator

import numpy as np

import footfall as ff
from footfall.bench import Row
from footfall.bench.contact import STEP, SWING, Case, Theirs, alternate, held, question
from footfall.control.params import params_of
from footfall.core.law import Command, Observation
from footfall.model.robot import Robot
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study

STEPS, PART, REPEATS = 1000, 50, 15
NOISE = 1.0  # N m
BENT = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}


def measure() -> Iterator[Row]:
    for name, title, swing, goal, speed in (
        ("wendlandt", "planar 7-link biped", SWING, 8.0, 150_000),
        ("person", "spatial 16-dof biped", 60.0, 2.5, 40_000),
    ):
        robot = held(ff.robots.load(name), BENT)
        moves = "stepping" if robot.dim == 2 else "swaying"
        for case, torques, every in (
            ("standing", np.zeros((STEPS, len(robot.actuated))), 1),
            (moves, _swinging(robot, swing), 1),
            ("torques at random", np.random.default_rng(0).normal(0.0, NOISE, (STEPS, len(robot.actuated))), 1),
            (f"{moves}, ten steps a call", _swinging(robot, swing)[::10], 10),
        ):
            ours, theirs = _compare(question(robot, Case(case)), torques, every)
            how = (
                f"{title}, {case}: {STEPS} steps of 1 ms from rest, in parts of {PART} calls or fewer, of each part the best of "
                f"{REPEATS}; {1e6 / ours:.3g} and {1e6 / theirs:.3g} us a step"
            )
            wanted = f">= {goal:g}, {speed:,} steps/s"
            yield Row(f"{title}, {case}", ours, theirs, "MuJoCo", "steps/s", ours / theirs, wanted, how)


def _compare(study: Study, torques: np.ndarray, every: int) -> tuple[float, float]:
    """Steps a second on both sides, torques given every so many steps."""
    peer = Theirs(study, Case(""))
    mujoco, model, data = peer.mujoco, peer.model, peer.data
    simulation = Simulation(study)

    def ours(part: np.ndarray) -> None:
        step = simulation.step
        if every == 1:
            for row in part:
                step(row)
        else:
            for row in part:
                step(row, every)

    def theirs(part: np.ndarray) -> None:
        step, control = mujoco.mj_step, data.ctrl
        for row in part:
            control[:] = row
            step(model, data, every)

    def begin() -> None:
        simulation.reset()
        simulation.step(torques[0])  # makes all ready
        mujoco.mj_setState(model, data, peer.start, mujoco.mjtState.mjSTATE_FULLPHYSICS)

    parts = np.split(torques, range(PART, len(torques), PART))
    best = np.full((len(parts), 2), np.inf)
    for _ in range(REPEATS):
        begin()
        for i, part in enumerate(parts):
            best[i] = np.minimum(best[i], (_seconds(ours, part), _seconds(theirs, part)))
    rates = len(torques) * every / best.sum(axis=0)
    return float(rates[0]), float(rates[1])


def _seconds(task: Callable[[np.ndarray], None], part: np.ndarray) -> float:
    start = time.perf_counter()
    task(part)
    return time.perf_counter() - start


def _swinging(robot: Robot, torque: float) -> np.ndarray:
    """Torques that lift one hip and then the other, for every step."""
    controller = question(robot, Case("", torque=torque)).controller
    command = Command(np.zeros(robot.nv), None, None, None)
    params = params_of(controller, robot, robot.neutral(), robot.gravity)
    rows = np.zeros((STEPS, len(robot.actuated)))
    for i in range(STEPS):
        alternate(Observation(i * STEP, *[None] * 6), params, None, None, command)
        rows[i] = command.tau[robot.actuated]
    return rows
