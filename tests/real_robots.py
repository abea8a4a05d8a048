"""Robots of packages that nobody here wrote: which are read, what is left out, how they compare with Pinocchio and MuJoCo.

The packages are the extra `robots`, and others that have robots in them; those that are not installed are passed over. None is imported.
"""

import re
import shutil
import struct
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

import footfall as ff
from importing import BesideMujoco, BesidePinocchio

DATA = "cmeel.prefix/share/example-robot-data"
TOLERANCE = 1e-9
URDF = {
    "TALOS": "talos_data/robots/talos_reduced.urdf",
    "TALOS, all joints": "talos_data/robots/talos_full_v2.urdf",
    "TALOS, box feet": "talos_data/robots/talos_full_v2_box.urdf",
    "TALOS, reduced, box feet": "talos_data/robots/talos_reduced_box.urdf",
    "TALOS, reduced, corrected": "talos_data/robots/talos_reduced_corrected.urdf",
    "Romeo": "romeo_description/urdf/romeo.urdf",
    "Romeo, small": "romeo_description/urdf/romeo_small.urdf",
    "Romeo, LAAS": "romeo_description/urdf/romeo_laas_small.urdf",
    "iCub": "icub_description/robots/icub.urdf",
    "iCub, reduced": "icub_description/robots/icub_reduced.urdf",
    "Bolt": "bolt_description/robots/bolt.urdf",
    "Unitree G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "Unitree G1, hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "simple humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "simple humanoid, classical": "simple_humanoid_description/urdf/simple_humanoid_classical.urdf",
    "human": "human_description/robots/human.urdf",
    "Alexander, lower body": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
}
PLAYGROUND = "mujoco_playground/_src/locomotion"
MJCF = {
    "Unitree G1 (playground)": f"{PLAYGROUND}/g1/xmls/scene_mjx_feetonly_flat_terrain.xml",
    "Unitree H1 (playground)": f"{PLAYGROUND}/h1/xmls/scene_mjx_feetonly.xml",
    "Booster T1 (playground)": f"{PLAYGROUND}/t1/xmls/scene_mjx_feetonly_flat_terrain.xml",
    "Apollo (playground)": f"{PLAYGROUND}/apollo/xmls/scene_mjx_feetonly_flat_terrain.xml",
    "OP3 (playground)": f"{PLAYGROUND}/op3/xmls/scene_mjx_feetonly.xml",
    "Berkeley Humanoid (playground)": f"{PLAYGROUND}/berkeley_humanoid/xmls/scene_mjx_feetonly_flat_terrain.xml",
    "Unitree G1 (robosuite)": "robosuite_models/assets/robots/g1/robot.xml",
    "Unitree H1 (robosuite)": "robosuite_models/assets/robots/h1/robot.xml",
    "humanoid (dm_control)": "dm_control/suite/humanoid.xml",
    "CMU humanoid (dm_control)": "dm_control/suite/humanoid_CMU.xml",
    "walker (dm_control)": "dm_control/suite/walker.xml",
    "humanoid (Gymnasium)": "gymnasium/envs/mujoco/assets/humanoid.xml",
    "walker2d (Gymnasium)": "gymnasium/envs/mujoco/assets/walker2d_v5.xml",
}
MENAGERIE = ("humanoid", "biped")  # categories of mujoco-menagerie


class Row(NamedTuple):
    """A robot, and how it compares."""

    name: str
    found: ff.Import
    peer: str
    mass_matrix: float  # largest differences, relative to the largest entry
    bias: float


def package(name):
    """The package that has a robot."""
    if name in URDF:
        return "example-robot-data"
    top = MJCF[name].split("/")[0] if name in MJCF else "mujoco_menagerie"
    return {"mujoco_playground": "playground", "dm_control": "dm-control"}.get(top, top.replace("_", "-"))


def paths():
    """The files that are there: name, path, and the folder with their meshes."""
    roots = [Path(entry) for entry in sys.path if entry and Path(entry).is_dir()]
    for name, file in URDF.items():
        for root in roots:
            if (root / DATA / "robots" / file).is_file():
                yield name, root / DATA / "robots" / file, root / DATA
                break
    for name, file in [*MJCF.items(), *menagerie()]:
        for root in roots:
            if (root / file).is_file():
                yield name, root / file, (root / file).parent
                break


def menagerie():
    """What mujoco-menagerie has fetched already; it has no robots in its package."""
    import os

    home = (
        os.environ.get("MENAGERIE_ROOT") or os.environ.get("MENAGERIE_CACHE_DIR") or str(Path.home() / ".cache/mujoco_menagerie")
    )
    wanted = ("cassie", "apollo", "berkeley_humanoid", "booster", "fourier", "talos", "adam", "op3", "toddler", "_g1", "_h1")
    for folder in sorted(Path(home).glob("**/scene.xml")):
        if any(word in folder.parent.name for word in wanted):
            yield f"{folder.parent.name} (menagerie)", folder


def compared(name, path, folder, states=5):
    """The row of a robot."""
    rng = np.random.default_rng(1)
    if path.suffix == ".urdf":
        found = ff.import_robot(path, folder=folder.parent)
        other = BesidePinocchio(found.robot, path)
        errors = np.max([other.errors(rng) for _ in range(states)], axis=0)
        return Row(name, found, "Pinocchio", *errors)
    with tempfile.TemporaryDirectory() as place:
        copy = with_meshes(path, Path(place))
        found = ff.import_robot(copy)
        model = mujoco.MjModel.from_xml_path(str(copy))
    model.opt.gravity[:] = (0.0, 0.0, -found.robot.gravity)
    other = BesideMujoco(found.robot, model, merged(found))
    errors = np.max([other.errors(rng) for _ in range(states)], axis=0)
    return Row(name, found, "MuJoCo", *errors)


def read(path, folder):
    """The robot of a file."""
    if path.suffix == ".urdf":
        return ff.import_robot(path, folder=folder.parent)
    with tempfile.TemporaryDirectory() as place:
        return ff.import_robot(with_meshes(path, Path(place)))


def merged(found):
    """Joints of the file that are one in the robot, as was decided."""
    joined = {}
    for line in found.decided:
        if match := re.fullmatch(r"base: (.*) are read as one joint '(.*)', \w+; .*", line):
            joined[match[2]] = re.findall(r"'([^']*)'", match[1])
    return joined


def with_meshes(path, place):
    """A copy of a model's folder, deep enough for paths upward, with a small mesh wherever one is not there."""
    folder = place / "a/b/c/d/e/f" / path.parent.name
    shutil.copytree(path.parent, folder)
    for up in range(1, 3):  # parts beside the folder
        for beside in path.parent.parents[up - 1].iterdir():
            target = folder.parents[up - 1] / beside.name
            if up == 1 and beside.is_dir() and not target.exists():
                shutil.copytree(beside, target)
    directory, texts = "", {}
    for file in folder.glob("*.xml"):
        texts[file] = ET.parse(file).getroot()
        for compiler in texts[file].iter("compiler"):
            directory = compiler.get("meshdir") or directory
    for root in texts.values():
        for node in (*root.iter("mesh"), *root.iter("hfield"), *root.iter("texture")):
            if node.get("file") and node.tag == "mesh":
                mesh = folder / directory / node.get("file")
                if not mesh.exists():
                    mesh.parent.mkdir(parents=True, exist_ok=True)
                    mesh.write_bytes(
                        tetrahedron()
                        if mesh.suffix.lower() == ".stl"
                        else b"v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
                    )
            elif node.get("file") and not (folder / node.get("file")).exists():
                node.attrib.pop("file")
    return folder / path.name


def tetrahedron():
    corners = 0.1 * np.vstack((np.zeros(3), np.eye(3)))
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(corners[list(face)]), 0) for face in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + rows


def flat(robot):
    """Whether all its feet have a flat sole."""
    from footfall.control.soles import sole_corners

    try:
        return bool(robot.feet) and all(len(sole_corners(robot, foot.name)) >= 3 for foot in robot.feet)
    except ff.errors.RobotError:
        return False


def standing(found, seconds=10.0):
    """Standing from the file's own pose by workspace control, with no number of the robot: how far its base moved (m), and why it ended."""
    robot = found.robot
    q = found.poses.get("home", found.poses.get("start", robot.neutral()))
    world = ff.World(contact=ff.world.Rigid(friction=0.8))
    controller = ff.control.Workspace(rate=500.0, stiffness=40.0, damping=12.0)
    study = ff.Study(robot, world, controller, tuple(ff.kinematics.within_stops(robot, q)))
    run = ff.simulate(study, lift=True, seconds=seconds)
    return float(np.linalg.norm(run.q[-1][:3] - run.q[0][:3])), run.reason


def table():
    """The rows as a table for the documentation."""
    lines = ["| robot | mass kg | degrees of freedom | feet | mass matrix | bias | left out |", "|---|---|---|---|---|---|---|"]
    for name, path, folder in paths():
        row = compared(name, path, folder)
        robot = row.found.robot
        feet = ", ".join(f"{foot.name} ({len(foot.pads)} {type(foot.pads[0]).__name__})" for foot in robot.feet) or "none"
        left = len(row.found.left_out)
        lines.append(
            f"| {name} | {robot.mass:.2f} | {robot.nv} | {feet} | {row.mass_matrix:.0e} | {row.bias:.0e} ({row.peer}) | {left} lines |"
        )
        sys.stdout.write(lines[-1] + "\n")
        sys.stdout.flush()
    return "\n".join(lines)


if __name__ == "__main__":
    table()
