"""A contact sheet of all studies and robots in the lab, by hand: `python tests/lab_sheet.py sheet.png [NAME ...]`."""

import math
import sys

from browser import Tab, browser
from footfall.lab import catalogue
from footfall.lab.lab import Lab

COLUMNS, WIDE, HIGH = 6, 440, 400  # pictures in a row, pixels of one
MOMENT = 1.6  # s simulated before the picture
LONGEST = 900.0  # s to wait for a study, which may compile


def main(path: str, names: list[str]) -> None:
    from PIL import Image, ImageDraw

    names = names or list(catalogue.listed())
    sheet = Image.new("RGB", (COLUMNS * WIDE, math.ceil(len(names) / COLUMNS) * HIGH), "white")
    with Lab(names[0], port=18480, shadows="--shadows" in sys.argv, rate=12) as lab, browser() as opened:
        tab = Tab(opened, lab.url, (WIDE + 400, HIGH)).ready()
        tab.wait_for_scene()
        tab.page.add_style_tag(content=".mantine-Notifications-root { display: none }")  # that the browser draws in software
        for number, name in enumerate(names):
            if name != lab.session.name:
                lab.page.choose(name)
            there = tab.until(lambda name=name: lab.session.name == name, LONGEST) and tab.until(
                lambda: lab.session.source.time > MOMENT or (lab.session.source.time > 0.0 and not lab.session.playing), LONGEST
            )
            if not there:
                print(f"{name}: NOT SEEN, still {lab.session.name} at {lab.session.source.time:.2f} s", flush=True)
                continue
            lab.session.do(lab.session.pause)
            tab.page.wait_for_timeout(500)  # the page gets the last of it
            tab.draw(True)
            tab.page.wait_for_timeout(1500)
            tab.draw(False)
            picture = tab.picture().crop((0, 0, WIDE, HIGH))
            colours = len(picture.getcolors(1 << 20))
            moved = abs(lab.session.source.window(60.0).q - lab.session.source.window(60.0).q[0]).max()
            ImageDraw.Draw(picture).text((8, HIGH - 20), f"{name}  {lab.session.source.time:.2f} s", fill=(20, 20, 20))
            sheet.paste(picture, (number % COLUMNS * WIDE, number // COLUMNS * HIGH))
            sheet.save(path)
            print(f"{name}: {colours} colours, moved {moved:.3g}, {len(lab.page.parameters._inside)} controls", flush=True)
        print("errors of the page:", tab.errors)


if __name__ == "__main__":
    main(sys.argv[1], [word for word in sys.argv[2:] if not word.startswith("--")])
