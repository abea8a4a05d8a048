"""What MuJoCo cannot say of a study, which is refused, and what it says in another way, which is listed."""

from dataclasses import replace
from typing import Any

from footfall.core.ground import BLOCKS, Ground
from footfall.engines.engine import Scenario
from footfall.engines.mujoco.ground import is_followed
from footfall.engines.mujoco.scene import has_ends
from footfall.errors import SimulationError
from footfall.model.mjcf import RAISED, mjcf_text
from footfall.model.robot import Robot
from footfall.world import Compliant, Contact, Rigid, World

OF_SHAPES = ("foot ", "tendon ")  # lines of an export that matter here; the rest the engine says itself


def check_robot(robot: Robot) -> None:
    """Refuse a robot with parts that MuJoCo does not have."""
    title = f"engine MuJoCo: robot {robot.name!r}"
    if robot.loops:
        names = ", ".join(repr(loop.name) for loop in robot.loops)
        raise SimulationError(f"{title} has loops ({names}), which this engine does not close; use the engine Maximal")
    kinds = {joint.name: joint.kind for joint in robot.joints}
    for tendon in robot.tendons:
        for arm in tendon.arms:
            if kinds[arm.joint] == "spherical":
                raise SimulationError(
                    f"{title}: tendon {tendon.name!r} spans the ball joint {arm.joint!r}, which MuJoCo's tendons cannot"
                )


def check_world(world: World) -> None:
    """Refuse a world with parts that MuJoCo does not have."""
    for contact in (world.contact, *(change.contact for change in world.changes if change.contact is not None)):
        if not isinstance(contact, Rigid | Compliant):
            raise SimulationError(
                f"engine MuJoCo: contact {type(contact).__name__}: contact must be Rigid or Compliant, or made from one of them"
            )
        if isinstance(contact, Rigid) and contact.restitution > 0.0:
            raise SimulationError(
                f"engine MuJoCo: its contacts have no coefficient of restitution, got a restitution of {contact.restitution:g}; "
                "leave it at 0"
            )
    if world.bonded:
        raise SimulationError(f"engine MuJoCo: feet cannot be bonded, got {world.bonded!r:.80}")


def differences(engine: Any, study: Scenario) -> tuple[str, ...]:
    """What MuJoCo does in another way than the contact engine in this study, a sentence each."""
    robot, world = study.robot, study.world
    check_robot(robot)
    check_world(world)
    soft = f"time constant {engine.softness(study.dt):g} s, damping ratio {engine.damping_ratio:g}, impratio {engine.impratio:g}"
    found = [
        f"contact: soft ({soft}); feet sink in, and creep where they would stick: mode 'stick' is friction within its cone",
        "contact: landings take several steps; there are no impacts, so their numbers, impulses and energy are 0",
    ]
    if any(joint.limits != (-float("inf"), float("inf")) for joint in robot.joints):
        found.append("stops: soft; joints go a little beyond")
    if any(joint.holding > 0.0 or (joint.motor and joint.motor.load_friction) for joint in robot.joints):
        found.append("dry friction of joints: soft; joints at rest creep")
    found += _of_contact(robot, [world.contact, *(each.contact for each in world.changes if each.contact)])
    found += _of_ground(study)
    stiff = replace(robot, feet=tuple(replace(foot, compliance=None) for foot in robot.feet))
    if has_ends(robot):
        found.append("round soles that end at heel and toe: every pad touches a plane of its own, which goes along below it")
    followed = has_ends(robot) or any(is_followed(ground) for ground in _grounds(study))
    lines = mjcf_text(stiff, ground=False, bodies=world.bodies).left_out
    found += [line for line in lines if line.startswith("tendon " if followed else OF_SHAPES) or RAISED in line]
    return tuple(found)


def _of_contact(robot: Robot, contacts: list[Contact]) -> list[str]:
    springs = [f"foot {foot.name!r}" for foot in robot.feet if foot.compliance]
    springs += ["the ground"] if any(isinstance(each, Compliant) for each in contacts) else []
    if not springs:
        return []
    return [
        f"springs and dampers of {', '.join(springs)}: along the normal as declared, at the end of a step; along the ground a "
        "damper of impratio times as much, without a spring"
    ]


def _of_ground(study: Scenario) -> list[str]:
    found, grounds = [], _grounds(study)
    if any(is_followed(ground) for ground in grounds):
        found.append(
            "hills, and slopes of a profile: every pad touches a plane of its own, which goes along below it; lines between "
            "pads do not touch"
        )
    if any(ground.kind == BLOCKS for ground in grounds):
        found.append("blocks on the ground: boxes with upright faces, which stop a foot that goes into them")
    return found


def _grounds(study: Scenario) -> list[Ground]:
    world = study.world
    return [each.ground() for each in (world.terrain, *(change.terrain for change in world.changes if change.terrain))]
