"""Runs that must reach their end."""

from typing import Any

from footfall.engines.events import Outcome
from footfall.sim.run import Run
from footfall.sim.simulate import simulate


def whole(*study: Any, **more: Any) -> Run:
    """simulate(), but half a run proves nothing: Ctrl-C ends what asked for it as well."""
    return uncut(simulate(*study, **more))


def uncut(run: Run) -> Run:
    """The run, unless Ctrl-C cut it short: that is raised again."""
    if run.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return run
