"""Footfall: a laboratory for bipedal walking."""

import importlib
from typing import Any

from footfall.environments import announce
from footfall.version import __version__ as __version__

_HOMES = {
    **{
        name: f"footfall.{name}"
        for name in (
            "analysis",
            "control",
            "cycles",
            "dynamics",
            "engines",
            "gym",
            "kinematics",
            "lab",
            "motion",
            "parallel",
            "robots",
            "sensors",
            "studies",
            "sweeps",
            "symbolic",
            "view",
            "world",
        )
    },
    "errors": "footfall.errors",
    "FootfallError": "footfall.errors:FootfallError",
    "Robot": "footfall.model.robot:Robot",
    **{
        name: f"footfall.model.parts:{name}"
        for name in (
            "Arc",
            "Box",
            "Capsule",
            "Compliance",
            "Foot",
            "Frame",
            "HeelToe",
            "Joint",
            "Link",
            "Loop",
            "MomentArm",
            "Motor",
            "Point",
            "Sphere",
            "Spring",
            "Tendon",
        )
    },
    "ScrewAnkle": "footfall.model.transmission:ScrewAnkle",
    "World": "footfall.world:World",
    "Controller": "footfall.control:Controller",
    "kernel": "footfall.core.jit:kernel",
    "quantity": "footfall.model.quantity:quantity",
    "Study": "footfall.sim.study:Study",
    "Setting": "footfall.sim.settings:Setting",
    "Run": "footfall.sim.run:Run",
    "Outcome": "footfall.engines.events:Outcome",
    "Simulation": "footfall.sim.simulate:Simulation",
    "simulate": "footfall.sim.simulate:simulate",
    "sweep": "footfall.sweeps.sweep:sweep",
    "certify": "footfall.certificates.certify:certify",
    "Certificate": "footfall.certificates.certify:Certificate",
    "Sweep": "footfall.sweeps.table:Sweep",
    "parameters": "footfall.sim.parameters:parameters",
    "with_parameters": "footfall.sim.parameters:with_parameters",
    "write_mjcf": "footfall.model.mjcf:write_mjcf",
    "write_urdf": "footfall.model.urdf:write_urdf",
    "read_robot": "footfall.model.file:read_robot",
    "import_robot": "footfall.model.reading.read:import_robot",
    "Import": "footfall.model.reading.assemble:Import",
    "write_robot": "footfall.model.file:write_robot",
    "transforms": "footfall.model.transforms",
    **{name: f"footfall.model.dh:{name}" for name in ("DHRow", "DHTable", "dh_table", "dh_variables", "robot_from_dh")},
}


announce()


def __getattr__(name: str) -> Any:
    """Load a part on first use, so that `import footfall` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'footfall' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
