"""A squat by named equations: both feet are held, the torso stays upright, the centre of mass goes down and up, and aside.

On the ideal engine the shoes are magnetic, as in the paper (see `newton_walk`). On others its accelerations go through
`InverseDynamics`, which finds contact forces that the ground can give.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.algorithm.controller import Algorithmic
from footfall.model.quantity import quantity
from footfall.motion.generators import orient_with_pd


@dataclass(frozen=True)
class NewtonSquat(Algorithmic):
    """Down and up, and to and fro sideways at half the rate, on both feet."""

    rate: float = quantity("1/s", "how often the law is called", 250.0, low=50.0, high=1e4)
    depth: float = quantity("m", "of the squat", 0.12, low=0.0, high=0.4)
    sway: float = quantity("m", "to each side", 0.03, low=0.0, high=0.1)
    period: float = quantity("s", "of one squat", 2.0, low=0.5, high=100.0)
    pole: float = quantity("1/s", "at which the centre of mass goes to where it should be", 8.0, low=1.0, high=100.0)

    def initialize(algo: Any, params: Any, state: Any) -> None:
        for foot in algo.robot.feet:
            algo.hold(f"HOLD {foot.name}", algo.body(foot.pads[0].link))
        toes = {pad.link for foot in algo.robot.feet for pad in foot.pads[1:]}
        for joint in algo.robot.layout.joints:
            if joint.child in toes:
                algo.hold(f"HOLD {joint.name}", algo.joint(joint.name))
        feet = np.mean([algo.value(algo.body(foot.pads[0].link).position) for foot in algo.robot.feet], axis=0)
        place, w = algo.value(algo.com.position), params.pole
        algo.own.middle = np.array((feet[0], feet[1], place[2]))
        algo.define("CENTRE", algo.com.acceleration + 2.0 * w * algo.com.velocity + w * w * algo.com.position)
        algo.equate("UPRIGHT", orient_with_pd(algo.body(algo.robot.layout.joints[0].child), np.eye(3), 0.5))
        algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        w, k = params.pole, np.pi / params.period
        turn, down, aside = k * time, -0.5 * params.depth, params.sway
        place = np.array((0.0, aside * np.sin(turn), down * (1.0 - np.cos(2.0 * turn))))
        velocity = k * np.array((0.0, aside * np.cos(turn), 2.0 * down * np.sin(2.0 * turn)))
        acceleration = k * k * np.array((0.0, -aside * np.sin(turn), 4.0 * down * np.cos(2.0 * turn)))
        algo.assign("CENTRE", acceleration + 2.0 * w * velocity + w * w * (algo.own.middle + place))
