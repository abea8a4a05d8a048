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
IDS: dict[str, dict[str, Any]] = {
    "footfall/SimbiconWalk-v0": {
        "study": "simbicon-walk", "action": "position", "reward": "walk", "clock": 0.7, "rate": 125.0, "seconds": 10.0,
    },
    "footfall/SimbiconTorque-v0": {"study": "simbicon-walk", "reward": "walk", "rate": 125.0, "seconds": 10.0},
    "footfall/SimpleBipedWalk-v0": {"study": "simple-biped-walk", "reward": "walk", "rate": 125.0, "seconds": 10.0},
    "footfall/RangerWalk-v0": {"study": "ranger-walk", "reward": "walk", "rate": 125.0, "seconds": 10.0},
    "footfall/WendlandtStand-v0": {"study": "stand-push", "action": "position", "rate": 100.0, "seconds": 5.0},
    "footfall/JohnnieStand-v0": {"study": "johnnie-walk", "reward": "upright", "rate": 100.0, "seconds": 10.0},
    "footfall/JohnnieWalk-v0": {"study": "johnnie-walk", "reward": "walk", "rate": 100.0, "seconds": 10.0},
}  # fmt: skip


def register(registration: ModuleType) -> None:
    """Tell Gymnasium the ids."""
    for name, keywords in IDS.items():
        if name not in registration.registry:
            registration.register(
                id=name,
                entry_point="footfall.gym:make",
                vector_entry_point="footfall.gym:make_vec",
                max_episode_steps=round(keywords["rate"] * keywords["seconds"]),
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
