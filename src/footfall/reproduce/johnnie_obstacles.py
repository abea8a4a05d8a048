"""JOHNNIE among obstacles: it steps over or walks around, touches nothing, and refuses what has no way."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall import robots
from footfall.errors import FootfallError
from footfall.motion import ObstaclePlan, clearance
from footfall.reproduce import Row, Setting
from footfall.sim.simulate import simulate
from footfall.studies.johnnie_obstacles import SIDEWAYS, plan, study
from footfall.world import Blocks, random_blocks

WAY = 5.0  # m
SCENES, TASTE = 50, 4
TOUCH = 1e-3  # m: nearer than this counts as touched
NEAR = 0.3  # m: of the goal, where the walk ends
BESIDE = 0.4  # m: from the middle of a robot to a box that it passes with ease
KNOWN = {  # boxes about which there is no doubt
    "a bar 5 cm high across the room": ((2.0, 0.0, 0.0, 0.05, 4.0, 0.05), "over"),
    "a box of 0.5 x 0.5 x 0.8 m": ((2.0, 0.0, 0.0, 0.5, 0.5, 0.8), "around"),
    "a box 0.8 m deep and 0.1 m high": ((2.0, 0.0, 0.0, 0.8, 0.6, 0.1), "around"),
    "a bar 5 cm high beside the way": ((2.0, 1.5, 0.0, 0.05, 0.4, 0.05), "clear"),
}


class Scene(NamedTuple):
    """What became of a scene."""

    number: int
    terrain: Blocks
    plan: ObstaclePlan | None
    refusal: str
    least: float = np.nan  # m: distance of any shape from any box, over the whole run
    off: float = np.nan  # m: of the end from the goal
    fell: bool = False


def walked(task: tuple[int, str]) -> Scene:
    """Plan and walk a scene, and draw it where a folder is named."""
    number, out = task
    terrain = random_blocks(WAY, number)
    try:
        found = plan(robots.load("johnnie"), terrain, WAY)
    except FootfallError as refusal:
        return Scene(number, terrain, None, str(refusal))
    run, _ = simulate(study(found)), found.decisions  # which are kept in the plan
    if out:
        from footfall.view import scene

        scene(found, f"{out}/scene_{number:02d}.png", run)
    least = clearance(found.robot, run.q, terrain).least
    off = float(np.hypot(run.q[-1, 0] - WAY, run.q[-1, 1]))
    return Scene(number, terrain, found, "", least, off, any(event.kind == "fall" for event in run.events))


def scenes(setting: Setting) -> Iterator[Row]:
    """Random scenes: each is walked without touching a box, or refused because there is no way."""
    first = setting.seed * SCENES
    if setting.out:
        Path(setting.out).mkdir(parents=True, exist_ok=True)
    tasks = [(first + k, setting.out) for k in range(TASTE if setting.quick else SCENES)]
    found: list[Scene] = setting.finished(walked, tasks)
    done = [each for each in found if each.plan is not None]
    for each in done:
        how = "" if each.plan is None else each.plan.text().replace("\n", "; ")
        yield Row(
            f"scene {each.number}: least distance of any part of the robot from any box", "m", TOUCH, each.least, 0.0, ">=", how
        )
    count = Counter(decision.choice for each in done if each.plan for decision in each.plan.decisions)
    words = ", ".join(f"{count[name]} {name}" for name in ("over", "around", "clear"))
    yield Row("walks that fell", "1", 0.0, sum(each.fell for each in done), 0.0, "=", f"{len(done)} walks; boxes: {words}")
    yield Row("walks that touched a box", "1", 0.0, sum(not each.least >= TOUCH for each in done), 0.0, "=")
    yield Row("end from the goal, largest", "m", NEAR, max((each.off for each in done), default=np.nan), 0.0, "<=")
    refused = [each for each in found if each.plan is None]
    wrong = [each for each in refused if has_way(each.terrain)]
    how = f"{len(refused)} refused; " + "; ".join(f"scene {each.number}: {each.refusal}" for each in refused)
    yield Row("scenes refused although a wide way leads around", "1", 0.0, len(wrong), 0.0, "=", how)
    if setting.out:
        _sheet(found, setting.out)


def has_way(terrain: Blocks) -> bool:
    """Whether a disc of 0.4 m can roll from start to goal around all boxes, in a picture of 2 cm: a check that shares no code."""
    from scipy.ndimage import label

    x, y = np.meshgrid(np.arange(-1.0, WAY + 1.0, 0.02), np.arange(-SIDEWAYS, SIDEWAYS, 0.02), indexing="ij")
    free = np.ones(x.shape, bool)
    for bx, by, yaw, length, width, _ in terrain.blocks:
        along, aside = np.cos(yaw) * (x - bx) + np.sin(yaw) * (y - by), np.cos(yaw) * (y - by) - np.sin(yaw) * (x - bx)
        free &= np.hypot(np.maximum(abs(along) - length / 2, 0.0), np.maximum(abs(aside) - width / 2, 0.0)) > BESIDE
    parts, _ = label(free)
    at = [parts[np.argmin(abs(x[:, 0] - place)), np.argmin(abs(y[0]))] for place in (0.0, WAY)]
    return bool(at[0] == at[1] != 0)


def known(_: Setting) -> Iterator[Row]:
    """Boxes about which there is no doubt."""
    robot = robots.load("johnnie")
    for what, (block, choice) in KNOWN.items():
        decision = plan(robot, Blocks((block,)), WAY).decisions[0]
        how = f"{decision.choice}: {decision.why}"
        yield Row(f"{what}: {choice}", "1", 1.0, decision.choice == choice, 0.0, how=how)
    try:
        plan(robot, Blocks(((2.0, 0.0, 0.0, 0.1, 4.5, 0.5),)), WAY)
        said = ""
    except FootfallError as error:
        said = str(error)
    yield Row(
        "a wall of 0.5 m across the room: refused, with its number", "1", 1.0, "box 1 is 0.50 m high" in said, 0.0, how=said
    )


def _sheet(found: list[Scene], out: str) -> None:
    from footfall.view import scenes as sheet

    shown: list[tuple[str, ObstaclePlan | Blocks, None]] = []
    for each in found:
        if each.plan is None:
            shown.append((f"{each.number}: refused", each.terrain, None))
        else:
            count = Counter(decision.choice for decision in each.plan.decisions)
            said = ", ".join(f"{n} {name}" for name, n in count.items())
            shown.append((f"{each.number}: {said}; {1e3 * each.least:.0f} mm", each.plan, None))
    sheet(shown, f"{out}/scenes.png")


STUDIES = {"known": known, "scenes": scenes}
