"""Preview control of a cart on a table (Kajita et al. 2003): the cart runs so that the ZMP under the table follows footsteps."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import ControlError
from footfall.core.jit import kernel
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.motion.footsteps import FootstepPlan, Timing
from footfall.motion.preview import Cart, Preview

STIFFNESS, DAMPING = 400.0, 40.0  # 1/s2, 1/s: at which the cart keeps to its motion


class Rails(NamedTuple):
    """The cart's motion, and its joints."""

    dt: Any
    rows: Any  # (n, 2, 3) x and y of the cart: position, velocity, acceleration
    joint: Any  # (2, 2) int: slides along x and y, their places in q and v
    mass: Any  # kg


@dataclass(frozen=True)
class PreviewCart(Controller):
    """Move a cart, by two slides named slide_x and slide_y, as preview control has it."""

    steps: int = count("number of steps before the one that closes the feet", 3, low=1, high=1000)
    length: float = quantity("m", "of a step", 0.3, low=-1.0, high=1.0)
    width: float = quantity("m", "from foot to foot", 0.20, low=0.0, high=1.0)
    single_support: float = quantity("s", "of every step", 0.7, low=0.05, high=10.0)
    double_support: float = quantity("s", "between steps, in which the ZMP moves on", 0.1, low=0.01, high=10.0)
    begin: float = quantity("s", "of standing before the first step", 2.0, low=0.1, high=100.0)
    height: float = quantity("m", "of the cart above the ground", 0.814, low=0.01, high=100.0)
    horizon: float = quantity("s", "how far ahead the reference is seen", 1.6, low=0.01, high=10.0)
    error_weight: float = quantity("1/m2", "Q_e, cost of the error of the ZMP", 1.0, low=1e-6, high=1e6)
    jerk_weight: float = quantity("s6/m2", "R, cost of a change of jerk", 1e-6, low=1e-12, high=1e3)

    def reference(self) -> tuple[np.ndarray, np.ndarray]:
        """Times, every 5 ms, and the ZMP (n, 2) that is wanted."""
        timing = Timing(self.single_support, self.double_support, max(self.begin, self.double_support), 2.0 + self.double_support)
        plan = FootstepPlan.straight(self.steps, self.length, self.width, timing=timing)
        times = plan.times(0.005)
        return times, plan.zmp_reference(times)[:, :2]

    def cart(self, gravity: float) -> Cart:
        """Motion of the cart, and the ZMP that it has by the model."""
        preview = Preview(self.height, 0.005, self.horizon, self.error_weight, self.jerk_weight, gravity)
        return preview.track(self.reference()[1])

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Rails:
        if not gravity > 0.0:
            raise ControlError(f"PreviewCart needs gravity above 0, got {gravity:g} m/s2")
        found = {joint.name: i for i, joint in enumerate(robot.layout.joints, start=1) if joint.kind == "prismatic"}
        missing = [name for name in ("slide_x", "slide_y") if name not in found]
        if missing:
            raise ControlError(f"PreviewCart: robot {robot.name!r} must have a prismatic joint {missing[0]!r}")
        places = [(robot.tree.first_q[found[name]], robot.tree.first_v[found[name]]) for name in ("slide_x", "slide_y")]
        cart = self.cart(gravity)
        rows = np.stack((cart.position, cart.velocity, cart.acceleration), axis=2)
        mass = robot.link(robot.layout.joints[found["slide_y"] - 1].child).mass
        return Rails(0.005, np.ascontiguousarray(rows), np.array(places, np.int64), mass)

    @kernel
    def law(obs, params, state, goal, command):
        """One tick: the force that the motion needs, and a spring and damper toward it."""
        last = len(params.rows) - 2
        where = min(max(obs.time / params.dt, 0.0), last + 1.0)
        k = min(int(where), last)
        part = where - k
        for j in range(2):
            i, d = params.joint[j, 0], params.joint[j, 1]
            x = (1.0 - part) * params.rows[k, j, 0] + part * params.rows[k + 1, j, 0]
            v = (1.0 - part) * params.rows[k, j, 1] + part * params.rows[k + 1, j, 1]
            a = (1.0 - part) * params.rows[k, j, 2] + part * params.rows[k + 1, j, 2]
            command.tau[d] = params.mass * (a + STIFFNESS * (x - obs.q[i]) + DAMPING * (v - obs.v[d]))
        return 0
