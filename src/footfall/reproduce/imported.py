"""Humanoids that nobody here made stand and walk by the library's controllers, from their files, without numbers of their own.

Files are those of the packages example-robot-data and mujoco-menagerie (`pip install 'footfall[robots]'`). The latter fetches its
robots when they are asked for, see `python -m mujoco_menagerie --help`; those that are not there are passed over. Studies are
`stand` and `walk` as shipped. Demands are our own: TALOS and Unitree G1 must do all of it, others with flat soles must stand, and
what else they do is told.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall import studies
from footfall.engines.events import Outcome
from footfall.errors import FootfallError, MissingPartError
from footfall.kinematics.two_legs import walker
from footfall.model.reading.read import import_robot
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._hostile import hostile, mutations
from footfall.sim.run import Run
from footfall.sim.simulate import simulate

PUSH = 0.15  # N s for each kg
WAYS = 8
TURN = 0.1  # rad/s
DATA = "cmeel.prefix/share/example-robot-data"
FILES = {  # of example-robot-data
    "TALOS": "talos_data/robots/talos_reduced.urdf",
    "Unitree G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "TALOS, all joints": "talos_data/robots/talos_full_v2.urdf",
    "TALOS, box feet": "talos_data/robots/talos_full_v2_box.urdf",
    "Unitree G1, hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "iCub": "icub_description/robots/icub.urdf",
    "iCub, reduced": "icub_description/robots/icub_reduced.urdf",
    "Romeo": "romeo_description/urdf/romeo.urdf",
    "Romeo, LAAS": "romeo_description/urdf/romeo_laas_small.urdf",
    "Alexander, lower body": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "Bolt": "bolt_description/robots/bolt.urdf",
    "simple humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "human": "human_description/robots/human.urdf",
}
OURS = "contact"  # the engine
MUST = 2  # the first ones must do all
MENAGERIE = ("cassie", "apollo", "berkeley_humanoid", "booster", "fourier", "talos", "adam", "op3", "toddler", "_g1", "_h1")
MISSING = "no package with robots is installed: pip install 'footfall[robots]'"


class File(NamedTuple):
    """A file of a robot, and the folder with its meshes."""

    name: str
    path: Path
    folder: Path

    def read(self) -> Robot:
        """Its robot."""
        return import_robot(self.path, folder=self.folder).robot


class Done(NamedTuple):
    """What a robot does; `refused` says why it cannot be asked."""

    name: str
    refused: str = ""
    stood: float = 0.0  # s
    stood_how: str = ""
    survived: int = 0  # pushes
    walked: float = 0.0  # s
    walked_how: str = ""
    way: float = 0.0  # over that of its plan
    turned: float = 0.0  # degrees


def files() -> list[File]:
    """The robots that are installed."""
    found = []
    try:
        place = Path(str(distribution("example-robot-data").locate_file(DATA)))
        found = [File(name, place / "robots" / path, place.parent) for name, path in FILES.items()]
    except PackageNotFoundError:
        pass
    home = os.environ.get("MENAGERIE_ROOT") or os.environ.get("MENAGERIE_CACHE_DIR") or Path.home() / ".cache/mujoco_menagerie"
    for path in sorted(Path(home).glob("**/scene.xml")):
        if any(word in path.parent.name for word in MENAGERIE):
            found.append(File(f"{path.parent.name} (menagerie)", path, path.parent))
    found = [file for file in found if file.path.is_file()]
    if not found:
        raise MissingPartError(MISSING)
    return found


def judged(task: tuple[File, str, str]) -> Done:
    """Stand and be pushed by a way of control, walk and turn, in an engine."""
    file, engine, control = task
    try:
        robot = file.read()
        walker(robot)
        study = studies.load("stand", robot=robot, control=control)
    except FootfallError as error:
        return Done(file.name, str(error))
    alone, how = lasted(study, engine)
    if not alone:
        return Done(file.name, how)
    ways = [float(2.0 * np.pi * k / WAYS - np.pi) for k in range(WAYS)]
    pushed = [studies.load("stand", robot=robot, control=control, push=PUSH, toward=way) for way in ways]
    survived = sum(lasted(replace(each, seconds=8.0), engine)[0] >= 8.0 for each in pushed)
    (ahead, why), (around, _) = (ran(studies.load("walk", robot=robot, turn=turn), engine) for turn in (0.0, TURN))
    return Done(
        file.name,
        stood=alone,
        stood_how=how or type(study.controller).__name__,
        survived=survived,
        walked=float(ahead.time[-1]) if ahead else 0.0,
        walked_how=ahead.reason if ahead else why,
        way=_way(ahead) if ahead else 0.0,
        turned=np.degrees(heading(around)) if around and around.outcome is Outcome.END else 0.0,
    )


def lasted(study: Any, engine: str) -> tuple[float, str]:
    """How long it stood, and what went wrong."""
    try:
        run = simulate(study, engine=engine)
    except FootfallError as error:
        return 0.0, str(error)
    return float(run.time[-1]), "" if run.outcome is Outcome.END else run.reason


def ran(study: Any, engine: str = OURS) -> tuple[Run | None, str]:
    """The run; none if the study cannot be run to an end, and why."""
    try:
        return simulate(study, engine=engine), ""
    except FootfallError as error:
        return None, str(error)


def _way(run: Run) -> float:
    """How far it has come, over the steps that were planned until then."""
    walk: Any = run.study.controller
    planned = (run.study.seconds - walk.begin) * walk.length / (walk.single_support + walk.double_support)
    return float(run.q[-1, 0] - run.q[0, 0]) / planned


def heading(run: Run) -> float:
    """The yaw (rad) of the floating link at the end against that at the start; the base's quaternion is q[3:7]."""
    w, x, y, z = run.q[:, 3], run.q[:, 4], run.q[:, 5], run.q[:, 6]
    yaw = np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
    return float(yaw[-1] - yaw[0])


def humanoids(setting: Setting) -> Iterator[Row]:
    """Each robot stands 10 s, is pushed in 8 directions with 0.15 N s/kg, walks 20 s, and walks 20 s in a curve of 0.1 rad/s."""
    asked = files()[:MUST] if setting.quick else files()
    for file, done in zip(asked, setting.each(judged, [(file, OURS, "either") for file in asked]), strict=True):
        yield from _rows(done, done.name, done.name in list(FILES)[:MUST])
        if setting.out:
            drawn(file, setting.out)


def mujoco(setting: Setting) -> Iterator[Row]:
    """TALOS and G1 do the same under MuJoCo, with the same controllers.

    Workspace control takes the feet to stand still. Pushed so hard they tip, and on MuJoCo's softer ground some robots fall then;
    balance by the ZMP has to hold.
    """
    asked = files()[: 1 if setting.quick else MUST]
    for control in ("balance",) if setting.quick else ("balance", "workspace"):
        for done in setting.each(judged, [(file, "mujoco", control) for file in asked]):
            rows = list(_rows(done, f"{done.name} under MuJoCo, {control}", control == "balance"))
            yield from rows if control == "balance" else rows[:2]


def _rows(done: Done, name: str, must: bool) -> Iterator[Row]:
    """What a robot did; `must` says whether it has to do more than stand."""
    if done.refused:
        yield Row(f"{name}: is refused, with a reason", "", 1.0, 1.0, 0.0, how=f"{name}: {done.refused}")
        return
    part, told = (1.0, "") if must else (0.0, ", as told only")
    yield Row(f"{name}: stands", "s", 10.0, done.stood, 0.0, ">=", f"{name}: {done.stood_how}")
    yield Row(f"{name}: pushes survived, of {WAYS}{told}", "", part * WAYS, done.survived, 0.0, ">=")
    yield Row(f"{name}: walks{told}", "s", part * 20.0, done.walked, 0.0, ">=", f"{name}: {done.walked_how}")
    yield Row(f"{name}: its way over that of its plan{told}", "1", part, done.way, part * 0.05, "=" if part else ">=")
    goal = part * float(np.degrees(TURN * 20.0))
    yield Row(f"{name}: turns in 20 s{told}", "degree", goal, done.turned, part * 12.0, "=" if part else ">=")


def drawn(file: File, out: str) -> None:
    """A picture of a robot as it stands; one that is refused there in its zero position."""
    from footfall.view import picture

    Path(out).mkdir(parents=True, exist_ok=True)
    robot = file.read()
    name = "".join(c if c.isalnum() else "-" for c in file.name.lower())
    try:
        q = np.array(studies.load("stand", robot=robot).q)
    except FootfallError:
        q = robot.neutral()
    picture(robot, q, Path(out) / f"imported-{name}.png", file.name)


CHANGES: dict[str, dict[str, Any]] = {
    "masses and inertias + 5 %": {"masses": 1.05},
    "masses and inertias - 5 %": {"masses": 0.95},
    "those of each link by chance, within 5 %": {"spread": 0.05},
    "friction 0.5": {"friction": 0.5},
    "friction 1.2": {"friction": 1.2},
    "backward": {"speed": -0.2},
} | {f"pushed at 5 s with 0.15 N s/kg, {45 * k} degrees": {"push": PUSH, "toward": float(np.pi * k / 4)} for k in range(-3, 5)}


def changed(task: tuple[File, str]) -> tuple[float, str]:
    """How long a walk lasts, and why it ends."""
    file, change = task
    run, why = ran(studies.load("walk", robot=file.read(), **CHANGES[change]))
    return (float(run.time[-1]), run.reason) if run else (0.0, why)


def changes(setting: Setting) -> Iterator[Row]:
    """TALOS and G1 walk 20 s though masses are not as believed, on other ground, backward, and pushed on the way."""
    names = list(CHANGES)[:1] if setting.quick else list(CHANGES)
    tasks = [(file, change) for file in files()[:MUST] for change in names]
    for (file, change), (seconds, reason) in zip(tasks, setting.each(changed, tasks), strict=True):
        yield Row(f"{file.name}, {change}: walks", "s", 20.0, seconds, 0.0, ">=", reason)


STUDIES = {"humanoids": humanoids, "mujoco": mujoco, "changes": changes, "hostile": hostile, "mutations": mutations}
