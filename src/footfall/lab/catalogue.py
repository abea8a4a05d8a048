"""All that the lab can open by name: studies, robots, robot files, saved runs and rows of sweeps."""

from pathlib import Path

import numpy as np

from footfall import robots, studies
from footfall.errors import FileError, UnknownNameError
from footfall.model.file import read_robot
from footfall.model.robot import Robot
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.world import World

ROBOT_FILES = (".toml", ".urdf", ".xml", ".mjcf")
DEFAULT = "simbicon-walk"
NUDGE, SEED = 0.2, 0  # rad/s, m/s: velocities of a robot alone, at random
PARALYSED = "robot "  # before the name of a robot, in the list


def listed() -> dict[str, str]:
    """Names for the list in the page, each with a line about it."""
    found = {name: _line(studies.about(name)) for name in studies.names()}
    return found | {f"{PARALYSED}{name}": f"{name}, without a controller: it falls, or swings" for name in robots.names()}


def _line(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def opened(name: str) -> Study | Run:
    """What is meant by a name or a file."""
    if name.startswith(PARALYSED):
        return limp(name.removeprefix(PARALYSED))
    path = Path(name)
    if path.suffix == ".parquet":
        return Run.load(path)
    if path.suffix.lower() in ROBOT_FILES:
        return _alone(read_robot(path))
    folder, _, row = name.rpartition(":")
    if row.isdecimal() and Path(folder).is_dir() and folder:
        from footfall.sweeps import Sweep  # here, as it takes a tenth of the time in which a lab starts

        return Sweep.load(folder).run(int(row))
    if path.is_dir():
        raise FileError(f"{name!r:.80} is a folder; of a sweep in it, name a row: {name:.80}:0")
    if name.replace("_", "-") in studies.names():
        return studies.load(name)
    if name.replace("_", "-") in robots.names():
        return limp(name)
    if path.suffix:
        raise FileError(
            f"{name!r:.80}: the lab opens saved runs (.parquet), robot files (.toml, .urdf, .xml), rows of sweeps (FOLDER:ROW), "
            "and studies and robots by name"
        )
    raise UnknownNameError("study or robot", name, [*studies.names(), *robots.names()])


def limp(name: str) -> Study:
    return _alone(robots.load(name))


def _alone(robot: Robot) -> Study:
    """A robot without a controller, nudged, as many are balanced where all coordinates are zero. Links of one that falls lie on
    the ground; one that hangs from the world passes it.
    """
    falls = robot.layout.joints[0].kind in ("planar", "free")
    nudge = np.random.default_rng(SEED).uniform(-NUDGE, NUDGE, robot.nv)
    return Study(robot, World(bodies=falls, falls=falls), v=tuple(nudge.tolist()), name=robot.name)
