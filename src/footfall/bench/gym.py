"""Control steps a second of 256 planar bipeds under actions at random: `make_vec` against Gymnasium's vectors of Walker2d.

The peers are `SyncVectorEnv` and `AsyncVectorEnv` (a process for each) of Gymnasium's own MuJoCo environment Walker2d-v5, as it
is shipped: 125 actions a second, 4 physics steps of 2 ms to each, by MuJoCo's Runge-Kutta integrator. The faster of the two
counts. Actions are drawn from the action space beforehand, the same number of them for all; episodes that end begin again, on
both sides. SIMBICON's biped takes targets of its servos, with its usual step of 1 ms and with that of Walker2d; and the robot of
Walker2d itself is read from Gymnasium's file and takes torques.
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
from footfall.errors import MissingPartError
from footfall.sim.study import Study
from footfall.world import Rigid, World

ROBOTS, RATE, REPEATS = 256, 125.0, 5
STEPS, PEER_STEPS = 40, 8  # control steps that are timed at a time
GOAL = ">= 5"


def measure() -> Iterator[Row]:
    gymnasium = _gymnasium()
    walker = ff.import_robot(Path(gymnasium.__file__).parent / "envs/mujoco/assets/walker2d_v5.xml").robot
    same = Study(
        walker, World(contact=Rigid(1.9), lowest_base=0.8), dt=2e-3, seconds=8.0, name="walker2d"
    )  # friction of its feet
    biped = ff.studies.load("simbicon-walk")
    cases: dict[str, tuple[Study, dict[str, Any]]] = {
        "SIMBICON's biped, 4 steps of 2 ms": (replace(biped, dt=2e-3), {"action": "position"}),
        "SIMBICON's biped, 8 steps of 1 ms": (biped, {"action": "position"}),
        "Walker2d itself, in space, 4 steps of 2 ms": (same, {}),
    }
    ours = {
        name: ff.gym.make_vec(study, ROBOTS, rate=RATE, reward="walk", seconds=8.0, **more)
        for name, (study, more) in cases.items()
    }
    peers = {name: gymnasium.make_vec("Walker2d-v5", ROBOTS, vectorization_mode=name) for name in ("sync", "async")}
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
            f"Walker2d-v5 sync {rates['sync']:,.0f}, async {rates['async']:,.0f} (x 4 of 2 ms = {4 * rates[best]:,.0f}/s); load {_load()}"
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
