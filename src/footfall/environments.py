"""The ids of ready environments for Gymnasium: `gymnasium.make("footfall/SimbiconWalk-v0")` knows them after `import footfall`.

Gymnasium has no entry points for plugins any more (it had until 0.29). So the ids are told to it at once if it is there
already, and otherwise when it is imported; `import footfall` by itself imports nothing.
"""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

REGISTRY = "gymnasium.envs.registration"
IDS: dict[str, dict[str, Any]] = {  # what `footfall.gym.make` is given
    f"footfall/{name}-v0": {"study": study, "action": action, "reward": reward, "rate": rate, "seconds": seconds, **more}
    for name, study, action, reward, rate, seconds, more in (
        ("SimbiconWalk", "simbicon-walk", "position", "walk", 125.0, 10.0, {"clock": 0.7}),
        ("SimbiconTorque", "simbicon-walk", "torque", "walk", 125.0, 10.0, {}),
        ("SimpleBipedWalk", "simple-biped-walk", "torque", "walk", 125.0, 10.0, {}),
        ("RangerWalk", "ranger-walk", "torque", "walk", 125.0, 10.0, {}),
        ("WendlandtStand", "stand-push", "position", "upright", 100.0, 5.0, {}),
        ("JohnnieStand", "johnnie-walk", "torque", "upright", 100.0, 10.0, {}),
        ("JohnnieWalk", "johnnie-walk", "torque", "walk", 100.0, 10.0, {}),
    )
}


def register(registration: ModuleType) -> None:
    """Tell Gymnasium the ids."""
    for name, keywords in IDS.items():
        if name not in registration.registry:
            registration.register(
                id=name,
                entry_point="footfall.gym:make",
                vector_entry_point="footfall.gym:make_vec",
                kwargs=dict(keywords),
            )


class _WhenImported(MetaPathFinder):
    """Tells Gymnasium the ids as soon as its registry has been imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002
        if name != REGISTRY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Then(spec.loader)
        return spec


class _Then(Loader):
    def __init__(self, loader: Loader):
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        register(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def announce() -> None:
    """Tell Gymnasium the ids now, or when it is imported."""
    if REGISTRY in sys.modules:
        register(sys.modules[REGISTRY])
    elif not any(isinstance(each, _WhenImported) for each in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())
