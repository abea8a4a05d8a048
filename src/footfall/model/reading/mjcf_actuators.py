"""Actuators, tendons and equalities of MJCF, as far as a robot has them."""

import dataclasses
import math
from typing import Any

import numpy as np

from footfall.model.mjcf import SLACK
from footfall.model.parts import MomentArm, Motor, Tendon
from footfall.model.reading import mjcf_said as said
from footfall.model.reading.blueprint import MOST_SMALL, Blueprint
from footfall.model.reading.mjcf_source import ACTUATORS, Source
from footfall.model.reading.xml import Node

SERVOS = {
    "position": "a position servo is left out: a motor takes torques",
    "velocity": "a velocity servo is left out: a motor takes torques",
    "intvelocity": "an integrated-velocity servo is left out: a motor takes torques",
    "damper": "a controlled damper is left out: a motor takes torques",
    "cylinder": "a pneumatic cylinder is left out: a motor takes torques",
    "muscle": "a muscle is left out: a motor takes torques",
    "dcmotor": "the electrical part of its motor is left out",
}
SERVO = {
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "inheritrange",
    "actrange",
    "actlimited",
    "actearly",
    "actdim",
    "area",
    "diameter",
} | {
    "bias",
    "timeconst",
    "tausmooth",
    "lengthrange",
    "force",
    "scale",
    "lmin",
    "lmax",
    "vmax",
    "fpmax",
    "fvmax",
}  # of servos, muscles and cylinders, which are left out as a whole
OF_ACTUATOR = {*said.VIEW, *SERVO, "joint", "jointinparent", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"} | {
    "gaintype",
    "gainprm",
    "biastype",
    "biasprm",
    "dyntype",
    "dynprm",
}


def add_motors(source: Source, found: Blueprint, nodes: dict[str, Node]) -> None:
    """Give joints the motors that actuators are; a joint with a rotor and no actuator has one of torque 0."""
    strength: dict[str, float] = {}
    found.check_size("actuators", sum(1 for _ in source.all("actuator")))
    for given in source.all("actuator"):
        if given.tag not in ACTUATORS:
            found.notes.add("element", f"actuator/{given.tag:.60}", "left out")
            continue
        node = source.full(given, "")
        driven = node.get("joint") or node.get("jointinparent")
        if not driven:
            found.notes.add("actuator", node.get("name") or node.tag, "drives no joint by itself, so it is left out")
            continue
        if driven not in nodes:
            raise node.error(f"there is no joint {driven!r:.80} to drive")
        said.unknown(found, "actuator", node.get("name") or node.tag, node, OF_ACTUATOR)
        strength[driven] = strength.get(driven, 0.0) + _strongest(source, found, node, driven)
    for i, joint in enumerate(list(found.joints)):
        own = nodes.get(joint.name)
        if own is None or joint.kind in ("fixed", "free"):
            continue
        armature = own.number("armature", 0.0, low=0.0)
        if joint.name not in strength and not armature:
            continue
        torque = min(strength.get(joint.name, 0.0), _most(source.limits(own, "actuatorfrcrange")))
        if joint.name not in strength:
            found.notes.add("joint", joint.name, "has a rotor (armature) and no actuator; a motor of torque 0 stands for it")
        found.joints[i] = dataclasses.replace(joint, motor=Motor(rotor_inertia=armature, torque=torque))


def _strongest(source: Source, found: Blueprint, node: Node, joint: str) -> float:
    """The largest torque of an actuator at its joint."""
    gear = float(np.abs(node.numbers("gear", (1, 6), (1.0,))).max())
    force = _most(source.limits(node, "forcerange"))
    if node.tag in SERVOS:
        found.notes.add("joint", joint, SERVOS[node.tag])
        return gear * force if gear else 0.0
    gain = abs(node.numbers("gainprm", (1, 10), (1.0,))[0]) if node.tag == "general" else 1.0
    if node.tag == "general" and (node.get("biastype", "none") != "none" or node.get("dyntype", "none") not in ("none", "")):
        found.notes.add("joint", joint, "the servo or the dynamics of its actuator is left out: a motor takes torques")
        return gear * force if gear else 0.0
    control = source.limits(node, "ctrlrange")
    if math.isfinite(control[1]) and control[0] != -control[1]:
        found.notes.add("joint", joint, "its motor is stronger one way in the file; the larger torque holds both ways")
    strongest = min(gain * _most(control) if gain else 0.0, force)
    return gear * strongest if gear else 0.0


def _most(limits: tuple[float, float]) -> float:
    return max(map(abs, limits))


# --- tendons --------------------------------------------------------------------------------------------------------------


def add_tendons(source: Source, found: Blueprint, nodes: dict[str, Node]) -> None:
    """Cords with constant moment arms; others are left out."""
    kinds = {joint.name: joint.kind for joint in found.joints}
    found.check_size("parts of tendons", sum(1 + len(node.children) for node in source.all("tendon")), MOST_SMALL)
    for number, given in enumerate(source.all("tendon")):
        node = source.full(given, "")
        name = (node.get("name") or f"tendon_{number}")[:80]
        stiffness, damping = (said.first(found, "tendon", name, node, key) for key in ("stiffness", "damping"))
        if node.tag != "fixed" or not (stiffness or damping):
            found.notes.add("tendon", name, "is left out: only fixed tendons with stiffness or damping are read")
            continue
        arms, start = [], 0.0
        for each in node.all("joint"):
            joint, arm = each.word("joint"), each.number("coef")
            if joint not in nodes:
                raise each.error(f"there is no joint {joint!r:.80} for a tendon to span")
            if arm and kinds.get(joint) in ("revolute", "prismatic"):
                arms.append(MomentArm(joint, arm))
                ref = nodes[joint].number("ref", 0.0)
                start += arm * (source.angle(ref) if kinds[joint] == "revolute" else ref)
        if not arms:
            found.notes.add("tendon", name, "is left out: it spans no hinge or slide")
            continue
        if any(_most(source.limits(node, key)) < math.inf for key in ("range",)) or node.number("frictionloss", 0.0):
            found.notes.add("tendon", name, "its limits and friction are left out")
        said.unknown(found, "tendon", name, node, said.OF_TENDON)
        found.tendons.append(_tendon(found, name, tuple(arms), (stiffness, damping), _lengths(node, start)))


def _lengths(node: Node, start: float) -> tuple[float, float]:
    """The lengths between which a tendon is slack."""
    given: Any = node.numbers("springlength", (1, 2), (-1.0,))
    low, high = given[0], given[-1]
    return (start, start) if given == (-1.0,) or low == high == -1.0 else (low, high)


def _tendon(found: Blueprint, name: str, arms: Any, forces: tuple[float, float], slack: tuple[float, float]) -> Tendon:
    low, high = slack
    pushes = low == high
    if not pushes and low > -SLACK:
        found.notes.add("tendon", name, f"it would push below a length of {low:g} m; here it only pulls")
    if forces[1] and not pushes:
        found.notes.add("tendon", name, "its damper acts while it is stretched only")
    return Tendon(name, arms, forces[0], high, forces[1], pushes)
