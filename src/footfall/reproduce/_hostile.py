"""Robot files that mean harm, or were spoilt by chance: how long it takes to refuse them, and how much memory.

Each file is read in this process. Time is processor time, which other programs stretch only a little; the peak of memory is that
of a process of its own, which reads them all.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from footfall.errors import FootfallError
from footfall.model import mjcf, urdf
from footfall.model.reading.read import import_robot
from footfall.reproduce import Row, Setting
from footfall.robots import load

SECONDS, MEGABYTES, COUNT = 2.0, 500.0, 2_000
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
TWO = (
    f'<robot name="r"><link name="a">{MASS}</link><link name="b">{MASS}</link><joint name="j" type="continuous">'
    '<parent link="a"/><child link="b"/></joint>MORE</robot>'
)
BODY = "<mujoco>MORE<worldbody><body><freejoint/><geom size='1'/>INSIDE</body></worldbody></mujoco>"
MANY = 90_000
PEAK = """
import sys
from pathlib import Path
import footfall as ff
for path in sorted(Path(sys.argv[1]).glob("*.*")):
    try:
        ff.read_robot(path)
    except ff.FootfallError:
        pass
status = Path("/proc/self/status").read_text()
print(int(status.split("VmHWM:")[1].split()[0]) / 1024)
"""


def files() -> dict[str, str]:
    """Hostile files by what is wrong with them."""
    laughs = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    fixed = "".join(
        f'<link name="l{i}">{MASS}</link><joint name="k{i}" type="fixed"><parent link="{f"l{i - 1}" if i else "b"}"/>'
        f'<child link="l{i}"/></joint>'
        for i in range(1_900)
    )
    classes = "".join(f"<default class='c{i}'/>" for i in range(990))
    return {
        "entities within entities": f"<!DOCTYPE robot [{laughs}]><robot name='&a11;'/>",
        "an entity from outside": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        "includes itself": "<mujoco><include file='includes-itself.xml'/></mujoco>",
        "a path upward": BODY.replace("MORE", "<include file='../../../../../etc/passwd'/>"),
        "10^6 links": "<robot>" + "".join(f'<link name="l{i}"/>' for i in range(1_000_000)) + "</robot>",
        "10^6 elements": "<robot>" + "<a/>" * 1_000_000 + "</robot>",
        "5,000 links": "<robot>" + "".join(f'<link name="l{i}">{MASS}</link>' for i in range(5_000)) + "</robot>",
        "1,900 links fixed to each other": TWO.replace("MORE", fixed),
        "elements 100,000 deep": "<robot>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>",
        "a huge number": TWO.replace('ixx="1"', 'ixx="1e300"', 1),
        "a number of 100,000 digits": TWO.replace('ixx="1"', f'ixx="{"9" * 100_000}"', 1),
        "not a number": TWO.replace('value="1"', 'value="nan"', 1),
        "millions of numbers": BODY.replace("INSIDE", f"<inertial pos='{'1 ' * 3_900_000}' mass='1'/>"),
        "sites of one name": BODY.replace("INSIDE", "<site name='a'/>" * MANY),
        "default values of unknown elements": BODY.replace(
            "MORE", "<default>" + "".join(f"<t{i} a='1'/>" for i in range(MANY)) + classes + "</default>"
        ),
        "unknown elements": TWO.replace("MORE", "".join(f"<t{i}/>" for i in range(MANY))),
        "tendons": BODY.replace("INSIDE", "").replace("</mujoco>", "<tendon>" + "<fixed/>" * MANY + "</tendon></mujoco>"),
    }


def hostile(_: Setting) -> Iterator[Row]:
    """Entities, includes that loop, 10^6 links, huge numbers, NaN, paths upward and more: refused, or read, soon."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in files().items():
            path = Path(place) / f"{name.replace(' ', '-').replace(',', '')}.xml"
            path.write_text(text.replace("MORE", "").replace("INSIDE", ""))
        read(Path(place) / "not-a-number.xml")  # imports what there is to import
        for path in sorted(Path(place).glob("*.xml")):
            seconds, said = read(path)
            yield Row(f"{path.stem}: read or refused after", "s", SECONDS, seconds, 0.0, "<=", said[:200])
        if Path("/proc/self/status").exists():
            shown = subprocess.run([sys.executable, "-c", PEAK, place], capture_output=True, text=True, check=True)
            yield Row("most memory of a process that reads them all", "MB", MEGABYTES, float(shown.stdout), 0.0, "<=")


def read(path: Path) -> tuple[float, str]:
    """Processor time until a robot or a clear error is there; any other error is raised."""
    begin = time.process_time()
    try:
        said = repr(import_robot(path).robot)
    except FootfallError as error:
        said = str(error)
    return time.process_time() - begin, said


def mutations(setting: Setting) -> Iterator[Row]:
    """Files of ready robots with parts lost, doubled or exchanged by chance: read, or refused with a clear error."""
    rng, count = random.Random(setting.seed), COUNT // 20 if setting.quick else COUNT
    texts = [
        urdf.urdf_text(load("wendlandt-3d"), bodies=True).text,
        urdf.urdf_text(load("johnnie")).text,
        mjcf.mjcf_text(load("person"), bodies=True).text,
        mjcf.mjcf_text(load("ranger")).text,
    ]
    took, longest, refused = 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "robot.xml"
        for i in range(count):
            path.write_text(mutated(texts[i % len(texts)], rng), errors="surrogatepass")
            seconds, said = read(path)
            took, longest, refused = took + seconds, max(longest, seconds), refused + (not said.startswith("<robot"))
    yield Row(
        f"{count} mutations: longest", "s", SECONDS, longest, 0.0, "<=", f"{refused} refused; {took / count:.4f} s on average"
    )


def mutated(text: str, rng: random.Random) -> str:
    """A text with a few changes."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:i] + text[min(j, i + 40) :]
        elif kind == 1:
            text = text[:j] + text[i : min(j, i + 400)] + text[j:]
        elif kind == 2:
            text = text[:i] + rng.choice("<>\"'/&=\0\n \ud800é9-.") + text[i + 1 :]
        elif words := list(re.finditer(r'"([^"]*)"', text)):
            word = rng.choice(words)
            text = text[: word.start(1)] + rng.choice([*SPOILT, rng.choice(words)[1]]) + text[word.end(1) :]
    return text


SPOILT = ("nan", "-1", "0", "1e400", "1e12", "-1e12", "", "1 2", "x", "world", "../..", "0 0 0", "true")
