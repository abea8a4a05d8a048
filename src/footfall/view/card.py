"""Cards of things for notebooks and reports: a picture, what it is, how it ended, and its figures, as HTML without scripts."""

import math
from base64 import b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import analysis
from footfall.analysis.sides import kept_sides
from footfall.cycles import Basin, Bifurcation, Branch, LimitCycle
from footfall.engines import Hybrid
from footfall.engines.events import Outcome
from footfall.errors import StateError
from footfall.model.robot import Robot
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sweeps.table import Sweep
from footfall.view.branch import branch
from footfall.view.look import extent, standing
from footfall.view.maps import basin, bifurcation
from footfall.view.picture import draw
from footfall.view.space import FLOOR, draw_in_space
from footfall.view.stroboscope import outline
from footfall.view.style import new_figure, png
from footfall.view.sweeps import sweep_plot
from footfall.world import Terrain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = list[tuple[str, str]]
POSES = 5  # of a run
GOOD, BAD, NEUTRAL = "#00785a", "#b2182b", "#5d6b78"
RUN_ROWS = ("duration", "distance", "speed", "steps", "cost", "real_time", "slid", "events")
CARD = (
    "display:inline-flex;flex-wrap:wrap;gap:1em;align-items:flex-start;border:1px solid #d5dade;border-radius:8px;"
    "padding:0.8em 1em;font-family:sans-serif;max-width:100%;background:#fff;color:#222"
)


def card(thing: Any) -> str:
    """The card of a Run, Robot, Study, Sweep, LimitCycle, Branch, Basin or Bifurcation."""
    for kind, make in CARDS.items():
        if isinstance(thing, kind):
            return make(thing)
    known = ", ".join(kind.__name__ for kind in CARDS)
    raise StateError(f"there are cards of a {known}, got {thing!r:.60}")


def embedded(recording: str | Path, height: int = 480) -> Any:
    """A recording (HTML file) inside a notebook: an object that Jupyter shows, with the whole file in it."""
    return _Embedded(Path(recording).read_text(encoding="utf-8"), height)


class _Embedded:
    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #d5dade;border-radius:8px"
        return f'<iframe srcdoc="{escape(self.page)}" style="{style}" sandbox="allow-scripts"></iframe>'


# --- the cards ------------------------------------------------------------------------------------------------------------


def _run(run: Run) -> str:
    good = run.outcome is not Outcome.FELL
    if len(run.time) < 2:
        return _card(f"Run of {run.study.name or run.robot.name}", None, [("rows", str(len(run.time)))], (run.reason, good))
    found = analysis.summary(run)
    known = dict(zip(found.__dataclass_fields__, found.rows(), strict=False))
    rows = [(known[name][0], f"{known[name][1]} {known[name][2]}") for name in RUN_ROWS if name in known]
    return _card(f"Run of {run.study.name or run.robot.name}", thumbnail(run), rows, (run.reason, good))


def _robot(robot: Robot) -> str:
    motors = sum(joint.motor is not None for joint in robot.joints)
    rows = [
        ("space", robot.space),
        ("mass", f"{robot.mass:.4g} kg"),
        ("height as drawn", f"{extent(robot):.3g} m"),
        ("degrees of freedom", str(robot.nv)),
        ("links", str(len(robot.links))),
        ("motors", str(motors)),
        ("feet", ", ".join(foot.name for foot in robot.feet) or "none"),
        ("origin", robot.origin or ""),
    ]
    return _card(f"Robot {robot.name}", _of_robot(robot, standing(robot)[None]), rows)


def _study(study: Study) -> str:
    q, _ = study.start()
    rows = [
        ("robot", study.robot.name),
        ("controller", type(study.controller).__name__ if study.controller else "none, motors are off"),
        ("ground", type(study.world.terrain).__name__),
        ("engine", type(study.engine).__name__),
        ("time", f"{study.seconds:g} s" + ("" if isinstance(study.engine, Hybrid) else f", steps of {1e3 * study.dt:g} ms")),
        ("sensors", ", ".join(type(sensor).__name__ for sensor in study.sensors) or "the truth is seen"),
        ("pushes", str(len(study.world.pushes)) if study.world.pushes else "none"),
    ]
    return _card(f"Study {study.name or study.robot.name}", _of_robot(study.robot, q[None]), rows)


def _cycle(cycle: LimitCycle) -> str:
    rows = [
        ("steps", str(cycle.steps)),
        ("period", f"{cycle.period:.6g} s"),
        ("speed", f"{cycle.speed:.6g} m/s"),
        ("step length", f"{cycle.step_length:.6g} m"),
        ("Floquet multipliers", ", ".join(_complex(each) for each in cycle.multipliers)),
        ("residual", f"{cycle.residual:.2g}"),
    ]
    q, _ = kept_sides(cycle.motion)
    shown = q[np.linspace(0, len(q) - 1, POSES).round().astype(int)]
    name = f"Limit cycle of {cycle.walk.name}"
    return _card(name, _of_robot(cycle.walk.robot, shown), rows, ("stable" if cycle.stable else "unstable", cycle.stable))


def _branch(found: Branch) -> str:
    rows = [("cycles", str(len(found.cycles))), ("along", found.along), ("ends", found.reason)]
    rows += [(each.kind, f"at {found.along} = {each.value:.7g}") for each in found.special]
    return _card(f"Branch of {found.cycles[0].walk.name}", branch(found), rows)


def _basin(found: Basin) -> str:
    rows = [(name, f"{100 * share:.1f} %") for name, share in found.shares().items()]
    return _card(f"Basin of {found.cycle.walk.name}", basin(found), rows)


def _bifurcation(found: Bifurcation) -> str:
    rows = [(f"{steps} to {2 * steps} steps", f"at {found.along} = {each.value:.7g}") for steps, each in found.doublings]
    return _card(f"Bifurcations of {found.branch.cycles[0].walk.name}", bifurcation(found), rows)


def _sweep(found: Sweep) -> str:
    rows = [(column.name, found.range_text(column)) for column in found.layout.asked]
    rows += [(column.name, text) for column, text in found.means()]
    verdict = (f"{len(found):,} of {found.asked:,} runs", found.complete)
    drawn = sweep_plot(found) if found.layout.measured and found.layout.asked and len(found) else None
    return _card(f"Sweep of {found.title}", drawn, rows, verdict)


CARDS: dict[type, Callable[[Any], str]] = {
    Run: _run,
    Robot: _robot,
    Study: _study,
    Sweep: _sweep,
    LimitCycle: _cycle,
    Branch: _branch,
    Basin: _basin,
    Bifurcation: _bifurcation,
}


# --- their pictures -------------------------------------------------------------------------------------------------------


def thumbnail(run: Run) -> "Figure":
    """A small picture of a run: its last poses on the ground."""
    center = analysis.center_of_mass(run)[:, 0]
    near = np.flatnonzero(abs(center - center[-1]) < 2.0 * extent(run.robot))
    rows = np.unique(np.linspace(near[0] if len(near) else 0, len(center) - 1, POSES).round().astype(int))
    return _of_robot(run.robot, run.q[rows], run.study.world.terrain)


def _of_robot(robot: Robot, rows: np.ndarray, terrain: Terrain | None = None) -> "Figure":
    figure = new_figure(4.0, 3.0, layout=None)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    if robot.dim == 3:
        draw_in_space(robot, rows[-1:], ax, terrain.height if terrain else None)
        return figure
    draw(robot, rows, ax)
    ax.set_axis_off()
    (left, bottom), (right, top) = ax.dataLim.get_points()
    pad, middle = 0.1 * extent(robot), 0.5 * (left + right)
    half = max(0.5 * (right - left) + pad, 0.65 * (top - bottom))
    if terrain is not None:
        x, z = outline(terrain, middle - half, middle + half)
        bottom = min(bottom, float(z.min()))
        ax.fill_between(x, z, bottom - 5.0 * pad, color=FLOOR, linewidth=0, zorder=0)
        ax.plot(x, z, color="0.35", linewidth=1.2, zorder=1)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(middle - half, middle + half)
    ax.set_ylim(bottom - pad, top + pad)
    figure.set_size_inches(4.0, 4.0 * (top - bottom + 2 * pad) / (2 * half))
    return figure


def _complex(value: complex) -> str:
    return (
        f"{value.real:.4g}"
        if abs(value.imag) < 1e-12
        else f"{value.real:.4g} {'+' if value.imag > 0 else '-'} {abs(value.imag):.4g}i"
    )


# --- HTML -----------------------------------------------------------------------------------------------------------------


def _card(title: str, figure: "Figure | None", rows: Rows, verdict: tuple[str, bool] | None = None) -> str:
    badge = ""
    if verdict is not None:
        color = GOOD if verdict[1] else BAD
        badge = (
            f'<div style="display:inline-block;color:#fff;background:{color};border-radius:4px;padding:1px 8px;font-size:85%">'
        )
        badge += f"{escape(verdict[0])}</div>"
    name = f'<div style="font-weight:bold;margin-bottom:0.3em">{escape(title)}</div>'
    return (
        f'<div class="footfall-card" style="{CARD}">{image(figure) if figure is not None else ""}'
        f'<div style="flex:0 1 auto;min-width:16em;max-width:32em">{name}{badge}{table(rows)}</div></div>'
    )


def image(figure: "Figure", width: int = 300) -> str:
    """A figure inside HTML."""
    inches = figure.get_size_inches()
    data = b64encode(png(figure, dpi=min(2.0 * width / inches[0], 160.0))).decode()
    height = math.ceil(width * inches[1] / inches[0])
    return f'<img alt="picture" width="{width}" height="{height}" src="data:image/png;base64,{data}">'


def table(rows: Rows) -> str:
    """Names and values, as HTML."""
    cell = 'style="text-align:left;padding:1px 12px 1px 0;background:none;border:none"'
    lines = "".join(
        f"<tr><td {cell}>{escape(name)}</td><td {cell}><b>{escape(value.strip())}</b></td></tr>" for name, value in rows
    )
    return f'<table style="font-size:90%;border:none;margin-top:0.4em">{lines}</table>'
