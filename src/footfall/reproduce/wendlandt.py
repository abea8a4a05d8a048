"""Wendlandt and Sastry (1996): the standing biped of section 4, and its future work."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from footfall import dynamics, kinematics, robots, studies
from footfall.analysis import workspace as analysis
from footfall.control import Workspace
from footfall.control.controller import ControlError
from footfall.engines.events import Outcome
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time
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
SUBSTEPS = 20  # steps of the simulation in a period of control
HEIGHTS = (1.0, 1.3)  # m: goals for the body of straight legs, one out of reach
CHATTER = 0.05  # N m
PUSHED = 1.0, 1.2  # s: from when to when straight legs are pushed
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
    """e'' + 2.46 e' + 3 e = 0, which supposes control without a break, as the controller is asked more often.

    A torque is worked out from the state at a tick and acts from this tick to the next one: half a period late in the mean, as on
    a robot. Steps are a twentieth of the period, as shipped a tenth. With steps as long as the period the time-stepping loop lets
    a torque act half a step early, and the two would cancel.
    """
    rates = (100.0, 1000.0) if setting.quick else (100.0, 200.0, 500.0, 1000.0)
    off = dict(zip(rates, setting.each(_deviation, rates), strict=True))
    shipped = studies.load("wendlandt-stand", method="exact")
    rate, step = shipped.controller.rate, 1e3 * shipped.dt  # type: ignore[union-attr]
    rows = (
        ("1000 Hz", 0.005, off[1000.0], f"torques held for 1 ms, steps of {1 / SUBSTEPS:g} ms"),
        (
            f"{rate:g} Hz, as shipped",
            0.05,
            analysis.deviation(whole(shipped)),
            f"held for {1e3 / rate:g} ms, steps of {step:g} ms",
        ),
    )
    for which, bound, parts, held in rows:
        for name, part in zip(NAMES, parts, strict=True):
            title = f"exact, {which}: largest difference of {name}, over its error at the start"
            yield Row(title, "1", 0.0, float(part), bound, how=f"{which}, {name}: {held}")
    worst = [float(off[rate].max()) for rate in rates]
    how = f"steps of 1/{SUBSTEPS} of a period: " + ", ".join(
        f"{rate:g} Hz {part:.2g}" for rate, part in zip(rates, worst, strict=True)
    )
    order = float(np.polyfit(np.log(1.0 / np.array(rates)), np.log(worst), 1)[0])
    yield Row("exact: order of convergence to the equation, in the period of control", "1", 1.0, order, 0.05, how=how)


def _deviation(rate: float) -> np.ndarray:
    study = studies.load("wendlandt-stand", method="exact", rate=rate)
    return analysis.deviation(whole(replace(study, dt=1.0 / rate / SUBSTEPS)))


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
    """From random postures in which it can stand to random ones: it gets there, or says that it could not stand there."""
    seeds = range(setting.seed, setting.seed + (FEW if setting.quick else ANYWHERE))
    found = setting.finished(_arrives, seeds)
    lost = [seed for seed, end in zip(seeds, found, strict=False) if end == "lost"]
    counts = {end: found.count(end) for end in ("arrives", "refused", "lost")}
    how = f"{counts}" + (f", lost {lost[:9]}" if lost else "")
    beyond = "with the centre of mass beyond 90 % of the soles and so refused"
    title = f"{len(found)} starts and goals, {counts['arrives']} reached, {counts['refused']} {beyond}: neither of both"
    yield Row(title, "1", 0.0, float(len(lost)), 0.0, how=how)


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


def straight_legs(setting: Setting) -> Iterator[Row]:
    """From straight and nearly straight legs, to a goal within reach and to one that is not; pushed; knees bent back."""
    for name in ("wendlandt",) if setting.quick else ("wendlandt", "wendlandt-3d"):
        robot = robots.load(name)
        for height in HEIGHTS:
            found = {f"{bend:g}": _from_straight(robot, bend, height) for bend in (0.0, 0.1, 1.0)}
            title = f"{name}, knees bent by 0, 0.1 and 1 degree, goal at {height:g} m"
            yield from _gentle(title, found, 1.0)
            yield _worst(f"{title}: body from the highest place it can keep", "m", found, "off", _near(height))
            yield _worst(f"{title}: body aside or turned", "m, rad", found, "aside", _near(height))
            yield _worst(f"{title}: largest way of a foot", "m", found, "way", 1e-6)
        cases = [(bend, height, push) for bend in (0.0, 1.0) for height in HEIGHTS for push in (50.0, -50.0)]
        found = {
            f"{bend:g} to {height:g} m, {push:g} N": _from_straight(robot, bend, height, push) for bend, height, push in cases
        }
        title = f"{name}, straight knees and 1 degree, both goals, 50 N for 0.2 s from either side"
        yield from _gentle(title, found, 2.0, ", but where the push begins or ends")
        yield _worst(f"{title}: body from the highest place it can keep", "m", found, "off", 1e-3)
        yield _worst(f"{title}: body aside or turned", "m, rad", found, "aside", 1e-3)
        yield _worst(f"{title}: largest way of a foot", "m", found, "way", 1e-6)
        free = _without_stops(robot)
        found = {
            f"{bend:g} to {height:g} m": _from_straight(free, bend, height) for bend in (-0.1, -1.0, -5.0) for height in HEIGHTS
        }
        title = f"{name} without stops, knees bent back by 0.1, 1 and 5 degrees, both goals"
        yield from _gentle(title, found, 1.0)
        yield _worst(f"{title}: body from the highest place it can keep", "m", found, "off", 1e-5)
        for height in HEIGHTS:
            to = {case: each for case, each in found.items() if case.endswith(f"{height:g} m")}
            yield _worst(f"{title}: body aside or turned, goal at {height:g} m", "m, rad", to, "aside", _near(height))
        yield _worst(f"{title}: largest way of a foot", "m", found, "way", 1e-5)  # straight legs take the load by turns


def _near(height: float) -> float:
    """How near the body must come to a goal at a height, which may be out of reach (m, rad)."""
    return 1e-5 if height < 1.1 else 5e-4


class Straight(NamedTuple):
    """A run from legs that are nearly straight."""

    off: float  # m: of the body from the highest place below its goal, in the end; not a number if it fell
    aside: float  # m, rad: the same of all its other coordinates
    way: float  # m: largest, of a point of a foot
    torque: float  # N m: largest
    change: float  # N m: largest, of a torque from one tick to the next, from the first tick on
    reversals: float  # changes that undo the one before, both beyond CHATTER, but for the ticks at which a push begins or ends
    turns: float  # the same at all ticks: where the force on the body jumps, torques that answer it turn


def _from_straight(robot: Robot, bend: float, height: float, push: float = 0.0) -> Straight:
    across = (0.0,) * (robot.dim - 2)
    goal = (0.0, height, 0.0) if robot.dim == 2 else (0.0, 0.0, height, 0.0, 0.0, 0.0)
    pushes = (Push("torso_com", (push, *across, 0.0), *PUSHED),) if push else ()
    controller, world = Workspace(target=goal), World(contact=CONTACT, pushes=pushes)
    tick = 1.0 / controller.rate
    run = whole(robot, controller, world, q=tuple(_upright(robot, bend)), seconds=12.0, record_dt=tick)
    top = robot.link("torso").com[-1] + 0.42 + 0.43 + 0.08
    way = float(np.abs(run.point - run.point[0]).max())
    pose = analysis.body_poses(run)[-1] if run.outcome is Outcome.END else np.full(len(goal), np.nan)
    off, aside = abs(float(pose[robot.dim - 1]) - min(height, top)), float(np.abs(np.delete(pose, robot.dim - 1)).max())
    changes = np.diff(run.tau, axis=0)
    undone = (changes[1:] * changes[:-1] < 0.0) & (np.minimum(np.abs(changes[1:]), np.abs(changes[:-1])) > CHATTER)
    felt = np.abs(run.time[2:, None] - tick - np.array(PUSHED)).min(axis=1) < 0.5 * tick  # first torque after a begin or end
    felt &= bool(push)
    largest = float(np.abs(run.tau).max()), float(np.abs(changes).max())
    return Straight(off, aside, way, *largest, float(undone[~felt].sum()), float(undone.sum()))


def _gentle(title: str, found: dict[str, Straight], change: float, but: str = "") -> Iterator[Row]:
    yield _worst(f"{title}: largest torque", "N m", found, "torque", 100.0)
    yield _worst(f"{title}: largest change of a torque from one tick to the next", "N m", found, "change", change)
    undone = f"{title}: changes beyond {CHATTER:g} N m that undo the one before"
    yield _worst(f"{undone}{but or ', at all ticks'}", "1", found, "reversals", 0.0)
    if but:  # a force on the body that jumps: a torque that answers it may turn once at its begin and once at its end
        yield _worst(f"{undone}, at all ticks, in one run", "1", found, "turns", 2.0)


def _worst(title: str, unit: str, found: dict[str, Straight], what: str, bound: float) -> Row:
    """The largest of all, and each of them."""
    values = {case: getattr(each, what) for case, each in found.items()}
    how = f"{title.split(':')[0]}, {what}: " + ", ".join(f"{case}: {value:.2g}" for case, value in values.items())
    return Row(title, unit, bound, float(np.max(list(values.values()))), 0.0, "<=", how)


def _without_stops(robot: Robot) -> Robot:
    return replace(robot, joints=tuple(replace(joint, limits=(-np.inf, np.inf)) for joint in robot.joints))


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
    """Knees bent and body leaning by so many degrees, the soles flat on the ground; in space without leaning."""
    b, pitch = np.radians(bend), np.radians(lean)
    names = {"hip": "hip_pitch", "ankle": "ankle_pitch"} if robot.space == "spatial" else {}
    angles = {"hip": -b / 2 - pitch, "knee": b, "ankle": -b / 2}
    q = robot.configuration({f"{names.get(at, at)}_{side}": angle for at, angle in angles.items() for side in ("left", "right")})
    if robot.space == "planar":
        q[2] = pitch
    q[robot.dim - 1] -= kinematics.pose(robot, q, "sole_left").position[-1]
    return q


def _errors_at(run: Run, time: float) -> np.ndarray:
    return np.abs(analysis.body_errors(run)[int(np.argmin(np.abs(run.time - time)))]) * SCALE


def _stands(run: Run) -> bool:
    return run.outcome is Outcome.END and bool((run.mode[1:] == run.mode[1]).all())


def speed(_: Setting) -> Iterator[Row]:
    """Simulated time over processor time, controller and preparation included: of this kind of machine, but not of its load."""
    for title, name, most in (("plane", "wendlandt-stand", 500.0), ("space", "wendlandt-stand-3d", 100.0)):
        study = replace(studies.load(name), seconds=30.0)
        whole(study)  # compiles the kernels, if need be
        taken = processor_time(partial(whole, study), 5)
        yield Row(f"{title}: simulated time over processor time", "1", most, study.seconds / taken, 0.0, ">=")


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
