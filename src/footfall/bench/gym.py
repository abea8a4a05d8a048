"""Control steps a second of 256 planar bipeds under actions at random: `make_vec` against Gymnasium's vectors of Walker2d.

The peers are `SyncVectorEnv` and `AsyncVectorEnv` (a process for each) of Gymnasium's own MuJoCo environment Walker2d-v5, as it
is shipped: 125 actions a second, 4 physics steps of 2 ms to each, by MuJoCo's Runge-Kutta integrator. The faster of the two
counts. Actions are drawn from the action space beforehand, the same number of them for all; episodes that end begin again, on
both sides. The robot of Walker2d itself is read from Gymnasium's file, put into the plane, and takes torques as there, with the
same physics step. SIMBICON's biped takes targets of its servos, with its usual step of 1 ms and with that of Walker2d.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import footfall as ff
from footfall.bench import Row
from footfall.errors import MissingPartError, RobotError
from footfall.model.parts import Joint, Link
from footfall.model.robot import Robot
from footfall.sim.study import Study
from footfall.world import Rigid, World

ROBOTS, RATE, REPEATS = 256, 125.0, 5
STEPS, PEER_STEPS = 40, 8  # control steps that are timed at a time
GOAL = ">= 5"


def measure() -> Iterator[Row]:
    gymnasium = _gymnasium()
    peers = {name: gymnasium.make_vec("Walker2d-v5", ROBOTS, vectorization_mode=name) for name in ("async", "sync")}
    walker = in_the_plane(ff.import_robot(Path(gymnasium.__file__).parent / "envs/mujoco/assets/walker2d_v5.xml").robot)
    same = Study(
        walker, World(contact=Rigid(1.9), lowest_base=0.8), dt=2e-3, seconds=8.0, name="walker2d"
    )  # friction of its feet
    biped = ff.studies.load("simbicon-walk")
    cases: dict[str, tuple[Study, dict[str, Any]]] = {
        "Walker2d itself, 4 steps of 2 ms": (same, {}),
        "SIMBICON's biped, 4 steps of 2 ms": (replace(biped, dt=2e-3), {"action": "position"}),
        "SIMBICON's biped, 8 steps of 1 ms": (biped, {"action": "position"}),
    }
    ours = {
        name: ff.gym.make_vec(study, ROBOTS, rate=RATE, reward="walk", seconds=8.0, **more)
        for name, (study, more) in cases.items()
    }
    try:
        rates = _rates({**ours, **peers})
    finally:
        for each in (*ours.values(), *peers.values()):
            each.close()
    best = max(peers, key=lambda name: rates[name])
    for name, (study, _) in cases.items():
        steps = ours[name].task.period
        how = (
            f"{ROBOTS} robots, {os.cpu_count()} cores, random actions, best of {REPEATS} in turns; control steps a second: "
            f"Footfall {rates[name]:,.0f} (x {steps} physics steps of {1e3 * study.dt:g} ms = {steps * rates[name]:,.0f}/s), "
            f"Walker2d-v5 sync {rates['sync']:,.0f}, async {rates['async']:,.0f} (x 4 of 2 ms = {4 * rates[best]:,.0f}/s); "
            f"load {_load()}"
        )
        yield Row(
            f"256 planar bipeds: {name}",
            rates[name],
            rates[best],
            f"Gymnasium {best}",
            "steps/s",
            rates[name] / rates[best],
            GOAL,
            how,
        )


def in_the_plane(robot: Robot) -> Robot:
    """The twin in the plane of a robot in space whose joints are hinges about y."""
    signs = {joint.name: _sign(joint) for joint in robot.joints if joint.kind == "revolute"}
    links = [Link(each.name, each.mass, com=_flat(each.com), inertia=each.inertia[1]) for each in robot.links]  # type: ignore[index]
    joints = [replace(each, at=_flat(each.at), turn=0.0, axis=None, limits=_turned(each, signs)) for each in robot.joints]
    feet = [replace(foot, pads=tuple(_flat_pad(pad) for pad in foot.pads)) for foot in robot.feet]
    made = Robot(robot.name, "planar", tuple(links), tuple(joints), feet=tuple(feet), origin=robot.origin)
    q = np.random.default_rng(0).uniform(-1.0, 1.0, robot.nv)
    sign = np.array([signs.get(name, 1.0) for name in robot.velocities])
    one, other = ff.dynamics.mass_matrix(made, q), ff.dynamics.mass_matrix(robot, sign * q)
    if not np.allclose(one, sign[:, None] * other * sign, rtol=1e-12, atol=1e-12):
        raise RobotError(f"robot {robot.name!r} is not one of the plane")
    return made


def _sign(joint: Joint) -> float:
    return float(np.asarray(joint.axis)[1])


def _flat(vector: Any) -> tuple[float, ...]:
    return (float(vector[0]), float(vector[2]))


def _turned(joint: Joint, signs: dict[str, float]) -> tuple[float, float]:
    low, high = joint.limits
    return (-high, -low) if signs.get(joint.name, 1.0) < 0.0 else (low, high)


def _flat_pad(pad: Any) -> Any:
    return replace(pad, start=_flat(pad.start), end=_flat(pad.end))


def _gymnasium() -> Any:
    try:
        import gymnasium
        import mujoco  # noqa: F401
    except ImportError:
        raise MissingPartError("this compares with Gymnasium's MuJoCo: pip install 'footfall[gym,bench]'") from None
    return gymnasium


def _rates(vectors: dict[str, Any]) -> dict[str, float]:
    """Control steps a second of each, in turns."""
    actions, best = {}, dict.fromkeys(vectors, np.inf)
    for name, each in vectors.items():
        count = PEER_STEPS if name in ("sync", "async") else STEPS
        each.reset(seed=0)
        each.action_space.seed(0)
        actions[name] = [each.action_space.sample() for _ in range(count)]
        for action in actions[name]:  # robots that fall do so at different times from now on
            each.step(action)
    for _ in range(REPEATS):
        for name, each in vectors.items():
            start = time.perf_counter()
            for action in actions[name]:
                each.step(action)
            best[name] = min(best[name], (time.perf_counter() - start) / len(actions[name]))
    return {name: ROBOTS / seconds for name, seconds in best.items()}


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
