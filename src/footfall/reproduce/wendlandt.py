"""Wendlandt and Sastry (1996): the standing biped of section 4, and its future work."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall import dynamics, kinematics, robots, studies
from footfall.analysis import workspace as analysis
from footfall.control import Workspace
from footfall.control.controller import ControlError
from footfall.engines.events import Outcome
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.sim.run import Run
from footfall.sim.whole import whole
from footfall.studies.wendlandt_stand import CONTACT
from footfall.world import Push, World

WHEN = 9.99  # s: of the paper's last figures
OFF = (10.0 - 9.99935, 95.016 - 95.0, 0.00169)  # cm, cm, deg: the paper's errors then
NAMES, UNITS = ("x", "z", "theta"), ("cm", "cm", "deg")
SCALE = np.array([100.0, 100.0, 180.0 / np.pi])
SIZES: tuple[dict[str, float], ...] = (  # plausible, in place of the lost figure 2
    {"thigh": 0.432, "shank": 0.434, "ankle_height": 0.07, "hip_to_com": 0.2799},
    {"thigh": 0.40, "shank": 0.40, "ankle_height": 0.08, "hip_to_com": 0.324},
    {"thigh": 0.45, "shank": 0.43, "ankle_height": 0.08, "hip_to_com": 0.257},
    {"foot_length": 0.22},
    {"foot_length": 0.30},
    {"thigh_mass": 8.54, "shank_mass": 3.97},
)
METHODS = ("paper", "exact", "optimal")
ANYWHERE, FEW = 200, 12  # starts and goals at random


def stand(_: Setting) -> Iterator[Row]:
    """The experiment itself, by the paper's controller and by exact workspace dynamics."""
    for method, bounds in (("paper", OFF), ("exact", (1e-4, 1e-4, 1e-4))):
        run = whole(studies.load("wendlandt-stand", method=method))
        for name, unit, bound, off in zip(NAMES, UNITS, bounds, _errors_at(run, WHEN), strict=True):
            yield Row(f"{method}: error of {name} at {WHEN} s", unit, bound, off, 0.0, "<=")
        yield Row(f"{method}: largest way of a foot in 10 s", "m", 0.0, float(np.abs(run.point - run.point[0]).max()), 1e-6)
        yield Row(f"{method}: torques of the last second off their mean", "N m", 0.0, analysis.torque_drift(run), 0.01)


def transient(setting: Setting) -> Iterator[Row]:
    """e'' + 2.46 e' + 3 e = 0, as the controller is asked more often."""
    rates = (100.0, 1000.0) if setting.quick else (100.0, 200.0, 500.0, 1000.0)
    off = {rate: analysis.deviation(whole(studies.load("wendlandt-stand", method="exact", rate=rate))) for rate in rates}
    for name, part in zip(NAMES, off[1000.0], strict=True):
        yield Row(f"exact, 1 kHz: largest difference of {name}, over its error at the start", "1", 0.0, float(part), 0.005)
    worst = [float(off[rate].max()) for rate in rates]
    shrinks = max(after / before for before, after in itertools.pairwise(worst))
    how = ", ".join(f"{rate:g} Hz {part:.2g}" for rate, part in zip(rates, worst, strict=True))
    yield Row("exact: difference over that at the next slower rate", "1", 1.0, shrinks, 0.0, "<=", how)


def lost_numbers(setting: Setting) -> Iterator[Row]:
    """Figure 2 of the paper is lost: the result does not depend on the assumed sizes."""
    for sizes in SIZES[:2] if setting.quick else SIZES:
        run = whole(studies.load("wendlandt-stand", **sizes))
        worst = float((_errors_at(run, WHEN) / np.array(OFF)).max()) if _stands(run) else np.nan
        title = ", ".join(f"{name} {value:g}" for name, value in sizes.items())
        yield Row(f"{title}: largest error at {WHEN} s, over the paper's", "1", 1.0, worst, 0.0, "<=")


def pushed(_: Setting) -> Iterator[Row]:
    """50 N for 0.2 s at the body, from either side."""
    for method in METHODS:
        for force in (50.0, -50.0):
            study = studies.load("wendlandt-stand", method=method)
            assert isinstance(study.controller, Workspace)
            q = study.controller.reach(study.robot, np.array(study.q)).q
            world = World(contact=CONTACT, pushes=(Push("torso_com", (force, 0.0), 1.0, 1.2),))
            run = whole(replace(study, q=tuple(q), world=world))
            away, back = np.abs(analysis.body_errors(run)[:, 0]).max(), np.abs(analysis.body_errors(run)[-1]).max()
            lifted = len([event for event in run.events if event.kind == "lift-off" and event.time > 0.0])
            how = f"{method}, {force:g} N: it gave way by {100 * away:.1f} cm"
            yield Row(f"{method}, {force:g} N: feet that lift", "1", 0.0, float(lifted), 0.0)
            yield Row(f"{method}, {force:g} N: distance from the goal after 10 s", "m, rad", 0.0, float(back), 1e-3, how=how)


def anywhere(setting: Setting) -> Iterator[Row]:
    """From random postures to random ones: it gets there, or says that nothing could hold it there."""
    seeds = range(setting.seed, setting.seed + (FEW if setting.quick else ANYWHERE))
    found = setting.finished(_arrives, seeds)
    lost = [seed for seed, end in zip(seeds, found, strict=False) if end == "lost"]
    counts = {end: found.count(end) for end in ("arrives", "refused", "lost")}
    how = f"{counts}" + (f", lost {lost[:9]}" if lost else "")
    yield Row(
        f"{len(found)} starts and goals: neither reached nor refused with a reason", "1", 0.0, float(len(lost)), 0.0, how=how
    )


def _arrives(seed: int) -> str:
    study = studies.load("wendlandt-anywhere", seed=seed)
    try:
        run = whole(study)
    except ControlError as error:
        return "refused" if "outside the support of the feet" in str(error) else "lost"
    return "arrives" if _stands(run) and np.abs(analysis.body_errors(run)[-1]).max() < 1e-3 else "lost"


def in_space(setting: Setting) -> Iterator[Row]:
    """The same in SE(3): standing, and leaning, twisted and low."""
    tilted = {"roll": "5deg", "lean": "10deg", "twist": "20deg", "height": "0.85m"}
    goals: tuple[dict[str, str], ...] = ({}, tilted, {"twist": "25deg"})
    for goal in goals[:1] if setting.quick else goals:
        run = whole(studies.load("wendlandt-stand-3d", **goal))
        title = ", ".join(f"{name} {value}" for name, value in goal.items()) or "standing"
        end = float(np.abs(analysis.body_errors(run)[-1]).max()) if _stands(run) else np.nan
        yield Row(f"space, {title}: distance from the goal after 10 s", "m, rad", 0.0, end, 1e-5)
        yield Row(f"space, {title}: largest way of a foot", "m", 0.0, float(np.abs(run.point - run.point[0]).max()), 1e-6)
        yield Row(f"space, {title}: torques of the last second off their mean", "N m", 0.0, analysis.torque_drift(run), 0.01)


def straight_legs(_: Setting) -> Iterator[Row]:
    """From legs within 0.1 degree of straight, to a goal within reach and to one that is not."""
    robot = robots.load("wendlandt")
    top = robot.link("torso").com[-1] + 0.42 + 0.43 + 0.08
    for height, bound, off in ((1.0, 1e-5, 1.0), (1.3, 5e-4, top)):
        controller = Workspace(target=(0.0, height, 0.0))
        run = whole(robot, controller, World(contact=CONTACT), q=tuple(_upright(robot, 0.1)), seconds=12.0)
        end = abs(float(analysis.body_poses(run)[-1, 1]) - off) if _stands(run) else np.nan
        title = f"0.1 degree from straight, goal at {height:g} m"
        yield Row(f"{title}: body from the highest place it can keep", "m", 0.0, end, bound)
        yield Row(f"{title}: largest torque", "N m", 100.0, float(run.tau_peak.max()), 0.0, "<=")
        jump = float(np.abs(np.diff(run.tau[run.time > 1.0], axis=0)).max())
        yield Row(f"{title}: largest change of a torque in 10 ms, after 1 s", "N m", 1.0, jump, 0.0, "<=")


def dense(setting: Setting) -> Iterator[Row]:
    """The torques of one tick beside those from M and J, inverted in numpy."""
    robot, worst = robots.load("wendlandt"), 0.0
    count = 5 if setting.quick else 50
    for seed in range(setting.seed, setting.seed + count):
        rng = np.random.default_rng(seed)
        q = _upright(robot, rng.uniform(20.0, 80.0), rng.uniform(-10.0, 10.0))
        v = _feet_at_rest(robot, q, rng.normal(size=robot.nv))
        pose = kinematics.pose(robot, q, "torso_com")
        goal = (*(pose.position + rng.normal(0.0, 0.02, 2)), float(pose.angle or 0.0) + rng.normal(0.0, 0.05))
        controller = Workspace(target=goal, method="exact", margin=1.0)
        run = whole(robot, controller, World(contact=CONTACT), q=tuple(q), v=tuple(v), seconds=0.0)
        known = _dense_torques(robot, q, v, np.array(goal))
        worst = max(worst, float(np.abs(run.tau[0] - known).max() / np.abs(known).max()))
    yield Row(f"{count} states: torques beside a dense solution, over the largest", "1", 0.0, worst, 1e-9)


def _dense_torques(robot: Robot, q: np.ndarray, v: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Inertia and bias of the body with both feet fixed, from the whole system; each leg lays half of the force on it."""
    M, h = dynamics.mass_matrix(robot, q), dynamics.bias(robot, q, v)
    J, rate = kinematics.jacobian(robot, q, "torso_com"), kinematics.jacobian_rate(robot, q, v, "torso_com")
    C = np.vstack([kinematics.jacobian(robot, q, f"foot_{side}") for side in ("left", "right")])
    held = np.concatenate([kinematics.jacobian_rate(robot, q, v, f"foot_{side}") for side in ("left", "right")])
    K = np.block([[M, -C.T], [C, np.zeros((len(C), len(C)))]])
    along = J @ np.linalg.solve(K, np.vstack([J.T, np.zeros((len(C), 3))]))[: robot.nv]
    free = J @ np.linalg.solve(K, np.concatenate([-h, -held]))[: robot.nv] + rate
    pose = kinematics.pose(robot, q, "torso_com")
    e = np.append(pose.position, pose.angle or 0.0) - goal
    force = np.linalg.solve(along, -3.0 * e - 2.46 * (J @ v) - free)
    tau = np.zeros(robot.nv)
    for side in ("left", "right"):
        F = kinematics.jacobian(robot, q, f"foot_{side}")
        tau[3:] += 0.5 * (-J[:, :3] @ np.linalg.solve(F[:, :3], F[:, 3:]) + J[:, 3:]).T @ force
    return tau


def _feet_at_rest(robot: Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    C = np.vstack([kinematics.jacobian(robot, q, f"foot_{side}") for side in ("left", "right")])
    return v - np.linalg.pinv(C) @ (C @ v)


def _upright(robot: Robot, bend: float, lean: float = 0.0) -> np.ndarray:
    """Knees bent and body leaning by so many degrees, the soles flat on the ground."""
    b, pitch = np.radians(bend), np.radians(lean)
    angles = {"hip": -b / 2 - pitch, "knee": b, "ankle": -b / 2}
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in angles.items() for side in ("left", "right")})
    q[2] = pitch
    q[1] -= kinematics.pose(robot, q, "sole_left").position[-1]
    return q


def _errors_at(run: Run, time: float) -> np.ndarray:
    return np.abs(analysis.body_errors(run)[int(np.argmin(np.abs(run.time - time)))]) * SCALE


def _stands(run: Run) -> bool:
    return run.outcome is Outcome.END and bool((run.mode[1:] == run.mode[1]).all())


def speed(_: Setting) -> Iterator[Row]:
    """Simulated time over time taken, controller included: a time, and so of this machine and this moment."""
    for title, name, most in (("plane", "wendlandt-stand", 500.0), ("space", "wendlandt-stand-3d", 100.0)):
        study = studies.load(name)
        wall = min(whole(study).wall for _ in range(5))
        yield Row(f"{title}: simulated time over time taken", "1", most, study.seconds / wall, 0.0, ">=")


STUDIES = {
    "stand": stand,
    "transient": transient,
    "lost-numbers": lost_numbers,
    "pushed": pushed,
    "anywhere": anywhere,
    "in-space": in_space,
    "straight-legs": straight_legs,
    "dense": dense,
    "speed": speed,
}
