"""The questions that a study can answer, and the reasons why it cannot answer others."""

from footfall.engines.hybrid.walk import why_no_steps
from footfall.sim.study import Study

QUESTIONS = ("run", "sweep", "cycle", "continue", "basin", "bifurcation", "tune")


def why_not(study: Study) -> dict[str, str]:
    """Every question by its command, and why the study cannot answer it; nothing where it can."""
    steps = why_no_steps(study)
    return {
        "run": "",
        "sweep": "",
        **dict.fromkeys(("cycle", "continue", "basin", "bifurcation"), steps),
        "tune": why_not_tuned(study),
    }


def abilities(study: Study) -> tuple[str, ...]:
    """The questions that a study can answer."""
    return tuple(question for question, why in why_not(study).items() if not why)


def why_not_tuned(study: Study) -> str:
    """Why a study has nothing to tune; nothing if it has."""
    if study.controller is None:
        return f"study {study.name!r} has no controller that could be tuned"
    if not study.controller.tunable:
        return f"study {study.name!r}: its controller {type(study.controller).__name__} declares nothing that can be tuned"
    return ""
