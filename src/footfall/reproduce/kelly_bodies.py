"""Kelly's pinned bodies: beside the tree, at the pins, and with both feet striking at once."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall import robots, studies
from footfall.control import Hold
from footfall.core.maximal.bodies import Bodies
from footfall.engines import Maximal
from footfall.engines.events import Outcome
from footfall.engines.maximal import MaximalRollout
from footfall.errors import SimulationError
from footfall.model.parts import Foot, Joint, Link, Point
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.sim.run import Run
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.sim.whole import uncut, whole
from footfall.world import Rigid, World

HOLD = Hold(stiffness=200.0, damping=5.0)


def one_step() -> Study:
    """Ranger rolls over one foot and comes down on the other, its joints held."""
    ranger = robots.load("ranger")
    q = ranger.configuration({"hip": -0.35, "base.pitch": 0.05})
    v = ranger.velocity({"base.pitch": 0.8})
    return Study(ranger, World(contact=Rigid(friction=0.8)), HOLD, tuple(q), tuple(v), seconds=0.5, record_dt=0.01)


def beside_the_tree(setting: Setting) -> Iterator[Row]:
    """The same step in both formulations: their difference goes with the step, and pins hold."""
    study = one_step()
    tree = whole(replace(study, dt=1e-5), lift=True)
    steps = [1e-3 / 2**i for i in range(4 if setting.quick else 6)]
    found = [followed(replace(study, dt=step, engine=Maximal(pinned=True)), step) for step in steps]
    off = [float(np.abs(run.q[-1] - tree.q[-1]).max()) for run, _ in found]
    how = "after the step: " + ", ".join(f"{1e3 * step:.3g} ms {value:.2g}" for step, value in zip(steps, off, strict=True))
    order = float(np.polyfit(np.log(steps), np.log(off), 1)[0])
    yield Row("order in which the difference from the tree goes with the step", "1", 1.0, order, 0.25, how=how)
    how = (
        f"from the poses of the bodies at every instant; by the solver's own account {max(_account(run) for run, _ in found):.1g}"
    )
    yield Row(
        "largest distance of the two points of a pin, over one step", "m", 1e-9, max(far for _, far in found), 0.0, "<=", how
    )


def walking(setting: Setting) -> Iterator[Row]:
    """Ranger walks as pinned bodies with the gait that was tuned for the tree."""
    study = studies.load("ranger-walk", seconds=20.0 if setting.quick else 200.0)
    tree = whole(study)
    loose, far = followed(replace(study, engine=Maximal(pinned=True)), study.record_dt)
    yield Row("time it walks", "s", study.seconds, float(loose.time[-1]), 1e-9, how=loose.reason)
    beside, speed = _late_speed(tree), _late_speed(loose)
    yield Row("speed of the second half; the tree's beside it", "m/s", beside, speed, 0.02 * beside)
    how = f"from the poses of the bodies, every {1e3 * study.record_dt:g} ms; by the solver's own account {_account(loose):.1g}"
    yield Row("largest distance of the two points of a pin", "m", 1e-9, far, 0.0, "<=", how)


def both_at_once(_: Setting) -> Iterator[Row]:
    """A rod and Ranger are dropped flat."""
    heights = (0.0, 0.01, 0.1, 0.3)
    rod, ranger = _rod(), robots.load("ranger")
    turned, uneven, spread = 0.0, 0.0, 0.0
    for height in heights:
        run = whole(rod, q=(0.0, height, 0.0), seconds=1.0, engine=Maximal(pinned=True))
        turned = max(turned, float(np.abs(run.q[:, 2]).max()))
        uneven = max(uneven, float(np.abs(run.force[:, 0] - run.force[:, 1]).max()))
        q = ranger.configuration({"base.z": 1.02 + height})
        run = whole(ranger, HOLD, q=tuple(q), seconds=0.5, engine=Maximal(pinned=True))
        spread = max(spread, float(np.abs(run.q[:, 3]).max()))
    yield Row("a rod dropped flat: how far it turns", "rad", 0.0, turned, 1e-9)
    yield Row("a rod dropped flat: difference of the forces at its ends", "N", 0.0, uneven, 1e-9)
    yield Row("Ranger dropped flat: how far its legs come apart", "rad", 0.0, spread, 1e-9)


def _late_speed(run: Run) -> float:
    half = len(run.time) // 2
    return float((run.q[-1, 0] - run.q[half, 0]) / (run.time[-1] - run.time[half]))


def followed(study: Study, every: float) -> tuple[Run, float]:
    """The run of a study of pinned bodies, and the largest distance of the two points of a pin, looked at so often (s)."""
    simulation = Simulation(study, lift=True)
    rollout = simulation.rollout
    if not isinstance(rollout, MaximalRollout) or rollout.bodies is None:
        raise SimulationError(f"only pinned bodies can be followed, not those of {study.engine!r:.60}")
    simulation.advance(0.0)
    far = distance_of_pins(study.robot, rollout.bodies)
    while simulation.outcome is Outcome.END and simulation.time < study.seconds - 0.5 * every:
        simulation.advance(every)
        far = max(far, distance_of_pins(study.robot, rollout.bodies))
    return uncut(simulation.run()), far


def distance_of_pins(robot: Robot, bodies: Bodies) -> float:
    """Largest distance of the point of a link at which it is hinged and the same point of its parent, for a planar robot.

    Bodies are in the order of the joints; the first row is the world. Origins are x and z, turns their cosine and sine.
    """
    placed = {}
    for joint, origin, (c, s, _) in zip(robot.joints, bodies.p[1:], bodies.R[1:], strict=True):
        placed[joint.child] = origin.copy(), np.array(((c, s), (-s, c)))
    far = [0.0]
    for joint in robot.joints:
        if joint.parent != "world":
            origin, turn = placed[joint.parent]
            far.append(float(np.linalg.norm(origin + turn @ joint.at - placed[joint.child][0])))
    return max(far)


def _account(run: Run) -> float:
    """The largest error of any pin, pad or stop, in m or rad, as the solver reports it."""
    return float(run.residual.max() * run.study.dt)


def _rod() -> Robot:
    feet = tuple(Foot(name, (Point("rod", at=(x, 0.0)),)) for name, x in (("rear", -0.5), ("front", 0.5)))
    links, joints = (Link("rod", 1.0, inertia=1.0 / 12.0),), (Joint("base", "planar", "world", "rod"),)
    return Robot(name="rod", space="planar", links=links, joints=joints, feet=feet)


STUDIES = {"beside-the-tree": beside_the_tree, "walking": walking, "both-at-once": both_at_once}
