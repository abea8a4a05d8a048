"""Makes the still pictures of the pages: `make pictures`, or `python docs/figures.py NAME ...` for some.

Pages and examples that draw a picture are run, so that it is theirs. The others are drawn here as their pages say.
"""

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import snippets

import footfall as ff

HERE = Path(__file__).parent
IMAGES = HERE / "images"
EXAMPLES = HERE.parent / "examples"


def example(name: str, *pictures: str) -> dict[str, Callable[[Path], None]]:
    """Pictures that an example draws, under their names."""

    def draw(path: Path) -> None:
        with TemporaryDirectory() as folder:
            runpy.run_path(str(EXAMPLES / name))["main"](Path(folder))
            for each in pictures:
                (path.parent / f"{each}.png").write_bytes((Path(folder) / f"{each}.png").read_bytes())

    return {pictures[0]: draw}


def page(name: str, picture: str) -> Callable[[Path], None]:
    """A picture that the code of a page draws."""

    def draw(path: Path) -> None:
        with TemporaryDirectory() as folder:
            snippets.run_in(folder, HERE / name)
            path.write_bytes((Path(folder) / picture).read_bytes())

    return draw


def newton(path: Path) -> None:
    from footfall.view import newton as view

    run = ff.simulate(ff.studies.load("newton-walk"))
    view.walking_cycle(run, path.with_name("newton_figure4.png"))
    view.statistics(run, path.with_name("newton_figure5.png"))
    run = ff.simulate(ff.studies.load("newton-walk-contact"), seconds=12.0, record_dt=0.004)
    view.heel_to_toes(run, path.with_name("newton_heel_to_toes.png"))


def tendons(path: Path) -> None:
    from footfall.reproduce._newton_tendons import STRIDE, swing_picture

    without = ff.simulate(ff.studies.load("newton-walk-contact", stride=STRIDE, **{"controller.stride_swing": 0.0}), seconds=10.0)
    swing_picture(without, ff.simulate(ff.studies.load("newton-walk-tendons", stride=STRIDE), seconds=10.0), path)


def person(path: Path) -> None:
    study = ff.studies.load("newton-walk-contact", sensors="real", model_error=0.1, drawn=0, seconds=20.0)
    ff.view.estimate(ff.simulate(study), path)


def estimate(path: Path) -> None:
    full = {"robot.motors": "real", "robot.feet": "compliant", "sensors": "real"}
    study = ff.studies.load("johnnie-walk-computed-torque", seconds=60.0, record=("controller.state",), **full)
    ff.view.estimate(ff.simulate(study), path)


def johnnie(path: Path) -> None:
    run = ff.simulate(ff.studies.load("johnnie-walk"), seconds=10.0)
    ff.view.footprints(run, path, end=5.0)
    ff.view.drives(run, path.with_name("johnnie-walk-drives.png"))


def obstacles(path: Path) -> None:
    from footfall.reproduce.johnnie_obstacles import walked

    with TemporaryDirectory() as folder:
        found = (walked((k, folder)) for k in range(50))
        both = {"over", "around"}
        number = next(each.number for each in found if each.plan and both <= {box.choice for box in each.plan.decisions})
        path.write_bytes((Path(folder) / f"scene_{number:02d}.png").read_bytes())


def huang(path: Path) -> None:
    from footfall.motion import FootstepPlan, HuangFoot, Timing, huang_search

    plan = FootstepPlan.straight(8, 0.5, 0.2, timing=Timing(single=0.72, double=0.18))
    ff.view.margins(huang_search(ff.robots.load("johnnie"), plan, HuangFoot(clean=True), height=0.84), path)
    ff.view.stride(ff.simulate(ff.studies.load("huang-pattern")), path.with_name("huang_stride.png"))
    ff.view.preview(ff.simulate(ff.studies.load("lipm-preview")), path.with_name("lipm_preview.png"))


def cycles(path: Path) -> None:
    study = ff.studies.load("compass")
    ff.view.step_map(ff.cycles.limit_cycle(study), path=path, far=0.05)
    ff.view.basin(ff.cycles.basin(study), path.with_name("basin.png"))


def route(path: Path) -> None:
    from functools import partial

    ff.view.bifurcation(ff.cycles.bifurcation(partial(ff.studies.load, "compass"), "slope", -0.07, -0.0925), path)


def convergence(path: Path) -> None:
    from footfall.reproduce.world.convergence import SIZES, errors

    walkers = ("rimless wheel", "compass")
    ff.view.convergence({walker: (SIZES, row) for walker, row in zip(walkers, errors(walkers), strict=True)}, path)


def portrait(path: Path) -> None:
    from footfall.reproduce.denoc import phase_portraits

    found = phase_portraits()
    panels = {part: {name: each.leg(k) for name, each in found.items()} for k, part in ((1, "thigh"), (2, "shank"))}
    ff.view.portraits(panels, path, "Ono's walker, 20 steps from beside its cycle")


def motion(path: Path) -> None:
    defined = snippets.run(HERE / "concepts" / "motion.md")
    ff.view.motion(defined["stride"], path, names=("hip", "knee"), unit="rad")


def sensors(path: Path) -> None:
    from footfall.sensors import Attitude, FootForce

    chosen = [
        ("attitude, 85 Hz", Attitude(bandwidth=85.0), "q.base.pitch"),
        (
            "foot force, 40 Hz, damping 0.5, 500 samples/s, 4 ms later",
            FootForce(bandwidth=40.0, damping=0.5, rate=500.0, delay=0.004),
            "wrench.foot_outer.fz",
        ),
    ]
    robot = ff.robots.load("ranger")
    ff.view.bode(chosen, robot, path)
    run = snippets.run(HERE / "concepts" / "sensors.md")["run"]
    if "obs.v.base.pitch" in run.columns():
        ff.view.observed(run, ["v.base.pitch", "v.hip", "wrench.foot_outer.fz"], path.with_name("sensors_run.png"))


def sweep(path: Path) -> None:
    import matplotlib.image as image

    from footfall.view.saving import saved
    from footfall.view.style import new_figure

    with TemporaryDirectory() as folder:
        snippets.run_in(folder, HERE / "howto" / "sweeps.md")
        pictures = [image.imread(str(Path(folder) / f"{name}.png")) for name in ("survival", "map")]
    figure = new_figure(7.5, 9.4)
    for ax, picture in zip(figure.subplots(2, 1), pictures, strict=True):
        ax.imshow(picture)
        ax.set_axis_off()
    saved(figure, path)


def certificate(name: str) -> Callable[[Path], None]:
    """The picture of a certificate, with 8 runs at each point."""

    def drawn(path: Path) -> None:
        with TemporaryDirectory() as folder:
            made = ff.certify(name, repeats=8, out=folder)
            path.write_bytes((made.folder / "certificate.png").read_bytes())

    return drawn


FIGURES: dict[str, Callable[[Path], None]] = {
    **example("00_free_motion.py", "free_motion"),
    **example("03_wendlandt.py", *(f"wendlandt_figure{i}" for i in (1, 4, 5, 6, 7))),
    **example("05_bipeds.py", "kelly_hills", "kelly_gaits", "kelly_push", "kelly_simbicon"),
    **example("06_ranger.py", *(f"ranger_{name}" for name in ("feet", "edges", "steps", "costs", "fading"))),
    **example("07_johnnie_ground.py", "johnnie_stairs", "johnnie_treads"),
    "tutorial": page("tutorial.md", "overview.png"),
    "stroll_states": page("howto/gaits.md", "states.png"),
    "motion": motion,
    "newton_figure4": newton,
    "newton_tendons": tendons,
    "estimate": estimate,
    "estimate_person": person,
    "johnnie-walk-footprints": johnnie,
    "johnnie_obstacles": obstacles,
    "huang_margins": huang,
    "ono_portrait": portrait,
    "sensors_bode": sensors,
    "step_map": cycles,
    "sweep": sweep,
    "certify_simbicon": certificate("simbicon-walk"),
    "certify_ranger": certificate("ranger-walk"),
    "certify_simple_biped": certificate("simple-biped-walk"),
    "convergence": convergence,
    "bifurcation": route,
}


def main(wanted: list[str]) -> None:
    for name in wanted or FIGURES:
        if name not in FIGURES:
            raise SystemExit(f"there is no picture {name!r}; these are drawn: {', '.join(FIGURES)}")
        FIGURES[name](IMAGES / f"{name}.png")
        print(f"{name}: drawn", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
