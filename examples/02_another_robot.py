"""The workspace controller for a robot that it was not made for: JOHNNIE crouches, leans and twists, its feet where they are.

Prints where its body was told to go and where it went, and writes a picture.
"""

import sys
from math import radians
from pathlib import Path

import numpy as np

import footfall as ff
from footfall.control import Workspace

BEND = {"hip_pitch": -20, "knee": 40, "ankle_pitch": -20}  # degrees


def main(folder):
    robot = ff.robots.load("johnnie")
    q = robot.configuration({f"{joint}_{side}": radians(angle) for joint, angle in BEND.items() for side in ("left", "right")})
    here = Workspace().pose(robot, q)  # of the pelvis: x, y, z and a rotation vector
    here[2] -= ff.kinematics.pose(robot, q, "sole_left").position[2]  # simulate(lift=True) will put the soles on the ground
    target = (*here[:2], here[2] - 0.12, radians(3), radians(8), radians(15))  # down, and roll, pitch, yaw
    run = ff.simulate(robot, Workspace(target=target, friction=0.6), q=tuple(q), seconds=10.0, lift=True)

    there = run.study.controller.pose(robot, run.q[-1])
    np.set_printoptions(precision=4, suppress=True)
    print(f"{run.reason}; feet slid {1e6 * run.slip.max():.3f} um; largest torque {run.tau_peak.max():.1f} N m")
    print(f"place wanted {np.array(target[:3])}, reached {there[:3]} m")
    folder.mkdir(parents=True, exist_ok=True)
    ff.view.picture(robot, run.q[::100], folder / "another_robot.png", title="JOHNNIE crouches, leans and twists")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
