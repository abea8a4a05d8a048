"""Figures of `newton-walk-tendons` beside those of `newton-walk-contact`, at the same speed.

Equations are counted while the law runs; the work of motors comes from the steps of the engine, not from recorded rows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall import analysis, dynamics, studies
from footfall.control.algorithm import Algorithm
from footfall.control.newton_walk_contact import L_LANDING, L_SWING, R_LANDING, R_SWING, NewtonWalkContact
from footfall.core.equations.tables import A_COM, A_COORDINATE, A_POINT, A_SPIN
from footfall.engines.events import Outcome
from footfall.reproduce import Row, Setting
from footfall.reproduce._newton_contact import range_rows, slip_of_parts, started
from footfall.sim.run import Run
from footfall.sim.whole import whole

NAME = "newton-walk-tendons"
STRIDE = 0.4  # m: of both
NEAR = float(np.radians(0.1))  # of a stop
WALKS: dict[str, tuple[str, dict[str, Any]]] = {  # first without tendons, last with them
    "newton-walk-contact": ("newton-walk-contact", {"stride_swing": 0.0}),
    "newton-walk-contact with human ranges": ("newton-walk-contact", {"stride_swing": 0.0, "limits": True}),
    "newton-walk-contact with human ranges and tendons": (
        "newton-walk-contact",
        {"stride_swing": 0.0, "limits": True, "tendons": True},
    ),
    NAME: (NAME, {}),
}
BEGUN = 5.0  # s: after this both walk steadily


def tendons(setting: Setting) -> Iterator[Row]:
    """`newton-walk-tendons` beside `newton-walk-contact` at the same speed: equations in force in the swing, work of motors.

    Two walks between them have all equations of the latter, and a robot with human ranges, without and with tendons.
    """
    seconds = 8.0 if setting.quick else 60.0
    runs = {title: counted(*asked, seconds=seconds) for title, asked in WALKS.items()}
    for title, run in runs.items():
        walked = run.time[-1] if run.outcome is Outcome.END else 0.0
        yield Row(f"{title}: time walked without a fall", "s", seconds, walked, 1e-9, ">=")
    without, *between, with_them = runs.values()
    before = measured(without)
    yield from compared(before, measured(with_them))
    for title, run in zip(list(WALKS)[1:-1], between, strict=True):
        found = measured(run)
        how = f"{before.positive:.1f} without; positive and negative work {found.absolute:.1f}, {before.absolute:.1f} without"
        yield Row(f"{title}: positive work of motors, for comparison", "J/m", 0.0, found.positive, 0.0, ">=", how=how)
    yield from held_back(with_them)
    if setting.out:
        Path(setting.out).mkdir(parents=True, exist_ok=True)
        swing_picture(without, with_them, Path(setting.out) / "newton_tendons.png")
    for title, function in (("perturbed starts", _started), ("pushed", _pushed)):
        seeds = [setting.seed + i for i in range(2 if setting.quick else 20)]
        ended = setting.finished(function, [(seed, 6.0 if setting.quick else 20.0) for seed in seeds])
        yield Row(f"{title}: part that walks through", "1", 0.9, float(np.mean(ended)), 0.0, ">=", how=f"of {len(ended)} runs")


def counted(name: str, settings: dict[str, Any], seconds: float) -> Run:
    """A walk whose equations are counted."""
    study = studies.load(name, stride=STRIDE, **settings)
    law: Any = study.controller
    settled = {each.name: getattr(law, each.name) for each in fields(law)}
    return whole(replace(study, controller=counting(type(law))(**settled)), seconds=seconds)


def _started(given: tuple[int, float]) -> bool:
    return started(given, name=NAME)


def _pushed(given: tuple[int, float]) -> bool:
    return started(given, push=True, name=NAME)


class Measured(NamedTuple):
    """A walk after its first seconds."""

    speed: float  # m/s
    positive: float  # J/m: of motors
    absolute: float  # J/m: positive and negative
    rows: float  # equations of motion in force in the swing, on average
    fewest: float
    free: float  # part of the swing with motors off
    net: float  # J/m: positive less negative work of motors
    effort: float  # (N m)2 s/m: of all motors, squares of torques


def compared(without: Measured, with_them: Measured) -> Iterator[Row]:
    """The bounds are the figures without tendons."""
    how = f"{with_them.speed:.3f} and {without.speed:.3f} m/s, hips"
    yield Row("speed with tendons, by that without", "1", 1.0, with_them.speed / without.speed, 0.03, how=how)
    how = f"rows on accelerations, on average over the swing; {without.rows:.1f} without tendons. Standing feet are not counted"
    yield Row("equations of motion in the swing", "", without.rows - 1.0, with_them.rows, 0.0, "<=", how=how)
    yield Row(
        "the same, while motors are off", "", without.fewest - 1.0, with_them.fewest, 0.0, "<=", how=f"{without.fewest:g} without"
    )
    how = "with 6 rows that say that a torque is zero while motors are off"
    every = with_them.rows + 6.0 * with_them.free
    yield Row("rows of all equations on the leg and the rest in the swing, for comparison", "", 0.0, every, 0.0, ">=", how=how)
    how = "motors off at the hip fore and aft, knee, ankle and toes: 6 torques that are zero"
    yield Row("part of the swing without a trajectory", "1", 0.5, with_them.free, 0.0, ">=", how=how)
    how = f"{without.positive:.1f} without tendons"
    yield Row("positive work of motors for each metre", "J/m", without.positive, with_them.positive, 0.0, "<=", how=how)
    how = f"{without.absolute:.1f} without tendons"
    yield Row("positive and negative work of motors", "J/m", without.absolute, with_them.absolute, 0.0, "<=", how=how)
    how = f"{without.net:.1f} without tendons: what springs and dampers take, motors must give"
    yield Row("net work of motors, for comparison", "J/m", 0.0, with_them.net, 0.0, ">=", how=how)
    how = f"{without.effort:.0f} without tendons"
    yield Row("squares of torques, for comparison", "(N m)2 s/m", 0.0, with_them.effort, 0.0, ">=", how=how)


def held_back(run: Run) -> Iterator[Row]:
    """What is elastic gives way: joints and human ranges, rows in which these act, and how feet slip."""
    yield from range_rows(run)
    acts, most = limits_act(run)
    how = f"ligaments at hips and ankles that are stretched, stops of knees and toes; at most {most:.0f} N m, a ligament"
    yield Row("rows in which a limit of a joint acts, for comparison", "1", 0.0, float(acts.mean()), 0.0, ">=", how=how)
    how = "the farthest corner of heel, sole or toes, of all stances"
    yield Row("slip of a part while the foot stands on it, for comparison", "m", 0.0, slip_of_parts(run), 0.0, ">=", how=how)


def limits_act(run: Run) -> tuple[np.ndarray, float]:
    """Rows in which a ligament is stretched, or a joint is at its stop; the largest torque of a ligament, N m."""
    robot = run.robot
    cords = [i for i, tendon in enumerate(robot.tendons) if re.search("_(low|high)_", tendon.name)]
    torque = np.abs(dynamics.tendons(robot, run.q).force[:, cords])  # their arms are 1 m
    acts = np.asarray(torque.max(axis=1, initial=0.0) > 0.0)
    for joint in robot.joints:
        if joint.kind == "revolute":
            angle, (low, high) = run[f"q.{joint.name}"], joint.limits
            acts |= (angle < low + NEAR) | (angle > high - NEAR)
    return acts, float(torque.max(initial=0.0))


def prescribed(algo: Algorithm) -> int:
    """Rows of the equations in force that say how something moves: feet that stand, and motors that are off, are not counted."""
    rows = 0
    for entry in algo.equations.values():
        kinds = {atom.kind for part in entry.parts for atom, M in part.terms if M.any()}
        rows += entry.size if not entry.holds and kinds & {A_COORDINATE, A_POINT, A_SPIN, A_COM} else 0
    return rows


def counting(walk: type[NewtonWalkContact]) -> type[NewtonWalkContact]:
    """A walk with the number of its equations in its state."""

    @dataclass(frozen=True)
    class Counting(walk):  # type: ignore[valid-type, misc]
        class State(walk.State):  # type: ignore[name-defined]
            rows: int = 0

        def controller(algo: Any, params: Any, state: Any, time: float) -> None:
            walk.controller(algo, params, state, time)
            state.rows = prescribed(algo)

    return Counting


def measured(run: Run) -> Measured:
    """Speed, work and equations of a walk. Motors without electrical data draw their positive power."""
    at = np.flatnonzero(run.time > BEGUN)
    power, dt = analysis.power(run), np.diff(run.time)[at[1:] - 1, None]
    way, lasted = (float(series[at[-1]] - series[at[0]]) for series in (run["q.base.x"], run.time))
    positive, net = (float((series[at[1:]] * dt).sum()) / way for series in (power.drawn, power.mechanical))
    swing = (run.time > BEGUN) & np.isin(run["controller.state.phase"], (R_SWING, R_LANDING, L_SWING, L_LANDING))
    counts = run["controller.state.rows"][swing]
    free = float(run["controller.state.free"][swing].mean()) if "controller.state.free" in run.columns() else 0.0
    effort = float((run.tau[at[1:]] ** 2 * dt).sum()) / way
    absolute = 2.0 * positive - net
    return Measured(way / lasted, positive, absolute, float(counts.mean()), float(counts.min()), free, net, effort)


def swing_picture(without: Run, with_them: Run, path: Path) -> None:
    """Poses of a swing of the right leg with tendons; torques of motors with and without them, and of the hip's tendons."""
    from footfall.view.picture import draw
    from footfall.view.saving import saved
    from footfall.view.style import CYCLE, legend_beside, new_figure

    figure = new_figure(11.0, 4.6)
    poses, torques = figure.subplots(1, 2, width_ratios=(1, 1.25))
    rows, robot = right_swing(with_them), with_them.robot
    draw(robot, with_them.q[rows[np.linspace(0, len(rows) - 1, 7).round().astype(int)]], poses, "side")
    poses.set_title("one swing of the right leg")
    for run, style, name in ((without, "--", "without tendons"), (with_them, "-", "with tendons")):
        at = right_swing(run)
        for word, joint, color in (("hip", "hip_right.wy", CYCLE[0]), ("knee", "knee_right", CYCLE[1])):
            tau = run.tau[at, robot.velocities.index(joint)]
            torques.plot(run.time[at] - run.time[at[0]], tau, style, color=color, label=f"{word}, motor {name}")
    hips = replace(
        robot, tendons=tuple(each for each in robot.tendons if each.name in ("hip_flexor_right", "hip_extensor_right"))
    )
    hips = replace(hips, joints=tuple(replace(joint, damping=0.0) for joint in hips.joints))
    d = robot.velocities.index("hip_right.wy")
    time = with_them.time[rows] - with_them.time[rows[0]]
    tau = [dynamics.passive(hips, with_them.q[i], with_them.v[i])[d] for i in rows]
    torques.plot(time, tau, ":", color=CYCLE[2], label="hip, tendons")
    free = time[with_them["controller.state.free"][rows] > 0]
    torques.axvspan(free[0], free[-1], color="0.92", label="motors off", zorder=0)
    torques.axhline(0.0, color="0.7", linewidth=0.6)
    torques.set(xlabel="time since lift-off (s)", ylabel="torque (N m); positive: hip back, knee bent")
    legend_beside(torques)
    saved(figure, path)


def right_swing(run: Run) -> np.ndarray:
    """Rows of a swing of the right leg, some time after the walk has begun."""
    swings = np.isin(run["controller.state.phase"], (R_SWING, R_LANDING)).astype(int)
    first = np.flatnonzero((np.diff(swings) == 1) & (run.time[1:] > BEGUN + 1.0))[0] + 1
    return np.arange(first, first + int(np.argmin(swings[first:])))
