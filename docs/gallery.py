"""Makes the moving pictures of the gallery, and its page: `make pictures`, or `python docs/gallery.py STUDY ...` for some.

Each study runs as it is declared, for as long as is shown.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import footfall as ff
from footfall.view.animation import frames, write_gif

HERE = Path(__file__).parent
IMAGES = HERE / "images" / "gallery"
WIDTH, RATE = 420, 15  # pixels, pictures a second

# study: (first and last second that is shown, speed, one line about it)
SHOWN: dict[str, tuple[float, float, float, str]] = {
    "johnnie-walk": (3.0, 5.4, 1.0, "JOHNNIE walks at 2 km/h, with motors that have limits and sensors with noise"),
    "johnnie-stairs": (4.0, 8.8, 2.0, "JOHNNIE climbs stairs"),
    "ranger-walk": (4.0, 6.4, 1.0, "The Cornell Ranger, a robot that walked 65 km on one charge"),
    "simbicon-walk": (2.0, 4.2, 1.0, "SIMBICON's biped walks by balance feedback"),
    "simbicon-run": (2.0, 3.6, 0.75, "The same biped runs"),
    "simple-biped-hills": (4.0, 8.0, 2.0, "Kelly's simple biped on hills"),
    "simple-biped-jump": (0.0, 3.0, 1.0, "Kelly's simple biped jumps"),
    "ono-walk": (0.0, 2.4, 1.0, "Ono's self-excited walker: one motor at the hip"),
    "compass": (0.0, 3.0, 1.0, "The compass walks down a slope without motors"),
    "kneed-walker": (0.0, 3.0, 1.0, "A passive walker with knees"),
    "round-feet": (0.0, 4.0, 1.0, "A passive walker with round feet"),
    "newton-walk": (2.0, 4.4, 1.0, "Stewart and Cremer's walker, driven by equations"),
    "newton-turn": (3.0, 8.0, 2.0, "The same walker goes around a circle"),
    "newton-throw": (0.0, 0.184, 0.1, "Fifty pounds between hand and ball, the centre of mass at rest; ten times slower"),
    "newton-block": (0.0, 1.3, 0.5, "A block slides off a table: contacts come and go by themselves"),
    "newton-chain-loop": (0.0, 3.0, 1.0, "A four-bar linkage: a closed loop keeps its energy"),
    "person-walk": (1.0, 3.4, 1.0, "A person, by human proportions"),
    "wendlandt-stand": (0.0, 2.4, 1.0, "Wendlandt's biped stands up to a push"),
}


def main(wanted: list[str]) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in wanted or SHOWN:
        begin, end, speed, _ = SHOWN[name]
        run = ff.simulate(ff.studies.load(name), seconds=end)
        moments = np.arange(begin, min(end, float(run.time[-1])), speed / RATE)
        write_gif(IMAGES / f"{name}.gif", map(small, frames(run, moments)), RATE)
        print(f"{name}: {run.reason}, {len(moments)} pictures, {(IMAGES / f'{name}.gif').stat().st_size / 1e6:.2f} MB")
    (HERE / "gallery.md").write_text(page(), encoding="utf-8")


def small(picture: np.ndarray) -> np.ndarray:
    height = 2 * round(WIDTH * picture.shape[0] / picture.shape[1] / 2)
    return np.asarray(Image.fromarray(picture).resize((WIDTH, height), Image.Resampling.LANCZOS))


def page() -> str:
    """The gallery as a page of the documentation; a study without a picture is left out."""
    lines = ["# Gallery", "", "Studies of Footfall as they are declared; `make pictures` draws them again. Each starts with"]
    lines += [
        "`ff.simulate(ff.studies.load(name))`, or `footfall run NAME --out FOLDER` on the command line.",
        "",
        "::::{container} gallery",
    ]
    for name, (*_, about) in SHOWN.items():
        if (IMAGES / f"{name}.gif").exists():
            lines += ["", f":::{{figure}} images/gallery/{name}.gif", f":alt: {name}", "", f"`{name}`: {about}.", ":::"]
    return "\n".join([*lines, "", "::::", ""])


if __name__ == "__main__":
    main(sys.argv[1:])
