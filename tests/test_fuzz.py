"""Files that were damaged on purpose: only errors of Footfall come out, soon, and without taking much memory."""

import json
import resource
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import footfall as ff
from footfall.errors import FileError, FootfallError
from footfall.model.file import parse_robot, robot_text
from footfall.sim import run_file
from footfall.sim.study_json import parse_json, parse_study, study_text

ODD = [
    "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "-0.0", "0", "-1", "true", '""', '"x"', "[]", "{}", "[[]]", "[1, 2]", "[1, 2, 3]",
    "[[1, 2], [3]]", "9" * 350, "0x" + "f" * 300, "1979-05-27", '"world"', "[true]", '["a"]', "{a = 1}", '"\\u0000"', "''", "1_0",
]  # fmt: skip
ODD_JSON = [
    "NaN",
    "Infinity",
    "-1",
    "0",
    "1e308",
    "1e999",
    "null",
    "true",
    '""',
    '"x"',
    "[]",
    "{}",
    "[[]]",
    "[1, 2]",
    "[[1], 2]",
    "9" * 5000,
]
ROBOTS = ["ranger", "wendlandt-3d", "person"]
STUDIES = ["ranger-walk", "stand-push", "wendlandt-load", "simple-biped-hills"]


def or_refused(function, *given):
    """What comes out, or nothing if Footfall refuses it; a refusal is a sentence, not the file."""
    try:
        return function(*given)
    except FootfallError as error:
        if len(str(error)) > 2000:
            raise
        return None


def robot_mutants(count):
    """Values exchanged for odd ones, lines dropped, doubled, swapped and cut, characters changed."""
    rng = np.random.default_rng(1)
    texts = [robot_text(ff.robots.load(name)).splitlines() for name in ROBOTS]
    for number in range(count):
        lines = list(texts[number % len(texts)])
        for _ in range(rng.integers(1, 4)):
            k, other = rng.integers(0, len(lines), 2)
            key, equals, _ = lines[k].partition(" = ")
            kind = rng.integers(0, 6)
            if kind <= 2 and equals:
                lines[k] = f"{key} = {rng.choice(ODD)}"
            elif kind == 3:
                lines[k], lines[other] = lines[other], lines[k]
            elif kind == 4:
                lines[k] = lines[other] if rng.integers(2) else ""
            elif lines[k]:
                at = rng.integers(len(lines[k]))
                lines[k] = lines[k][:at] + chr(rng.integers(1, 300)) + lines[k][at + 1 :]
        yield "\n".join(lines)


def test_robots():
    accepted = 0
    for text in robot_mutants(1500):
        robot = or_refused(parse_robot, text)
        if robot is not None:
            accepted += 1
            assert parse_robot(robot_text(robot)) == robot
    assert 20 < accepted < 1480


def places(data, path=()):
    """All places in plain data."""
    yield path
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(value, (*path, key))


def study_mutants(count):
    rng = np.random.default_rng(2)
    texts = [study_text(ff.studies.load(name)) for name in STUDIES]
    for number in range(count):
        data = json.loads(texts[number % len(texts)])
        for _ in range(rng.integers(1, 3)):
            *path, last = list(places(data))[rng.integers(1, len(list(places(data))))]
            owner = data
            for key in path:
                owner = owner[key]
            kind = rng.integers(0, 4)
            if kind == 0 and isinstance(owner, dict):
                del owner[last]
            elif kind == 1 and isinstance(owner, dict):
                owner[f"{last}x"] = owner[last]
            else:
                owner[last] = json.loads(rng.choice(ODD_JSON), parse_int=float)
        yield json.dumps(data)


def test_studies():
    accepted = 0
    for text in study_mutants(600):
        study = or_refused(parse_study, text, "text")
        if study is not None and or_refused(study.start) is not None:
            accepted += 1
            assert parse_study(study_text(study), "text") == study
    assert 20 < accepted < 580


def test_nested_layers_and_long_numbers():
    text = study_text(ff.studies.load("stand-push"))
    data = json.loads(text)
    for _ in range(150):
        data["controller"] = {"class": "Layered", "layers": [data["controller"]]}
    with pytest.raises(FileError, match="nested too deeply"):
        parse_study(json.dumps(data), "text")
    with pytest.raises(FileError, match="too long"):
        parse_json("[" + "[]," * 5_000_000 + "0]", "text")
    assert parse_json("9" * 5000, "text") == float("inf")


# --- whole files ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run.parquet"
    ff.simulate(ff.studies.load("box-slope"), seconds=0.05).save(path)
    return path


def test_runs(saved, tmp_path):
    """Bytes changed at random, most of them in the footer, where all that is said of the rest stands."""
    rng, whole, path = np.random.default_rng(3), saved.read_bytes(), tmp_path / "run.parquet"
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    for _ in range(600):
        content = bytearray(whole)
        for _ in range(rng.integers(1, 6)):
            at = rng.integers(len(whole) - footer, len(whole)) if rng.random() < 0.8 else rng.integers(len(whole))
            content[at] = rng.integers(256)
        path.write_bytes(content)
        or_refused(ff.Run.load, path)


def bomb(saved, path):
    """A small file that says, and has, as many rows as a run may have; its check sum is wrong."""
    table = pq.read_table(saved)
    rows = run_file.MOST_NUMBERS // len(table.column_names) // 4
    schema, columns = table.schema, [pa.array(np.zeros(rows, kind.to_pandas_dtype())) for kind in table.schema.types]
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), path, compression="zstd", use_dictionary=False)


def test_a_small_file_takes_little_memory_before_it_is_refused(saved, tmp_path):
    bomb(saved, tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 2_000_000
    code = """
import resource, sys
import footfall as ff
ff.Run.load(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    ff.Run.load(sys.argv[2])
except ff.FootfallError as error:
    assert "check sum is wrong" in str(error), error
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    asked = [sys.executable, "-c", code, str(saved), str(tmp_path / "bomb.parquet")]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 400_000  # kB; all of it would be 1 GB, twice


def test_the_fuzzer_itself_took_little_memory():
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000
