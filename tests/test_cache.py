"""The folder of machine code: damaged files heal, and only what is ours is read, wherever it is."""

import os
import stat
import subprocess
import sys
import warnings

import pytest

from footfall.core import cache

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is kept then")

CODE = """
import sys
import numba.core.event as event

class Listener(event.Listener):
    def on_start(self, event):
        print("compiles", event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): ...

event.register("numba:compile", Listener())
from footfall.core.manifold import quaternion_exp
print(quaternion_exp["spatial"](0.0, 0.0, 0.0)[0])
"""


def process(environment):
    """What a new process compiles, its answer, and what it warns of."""
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    *compiled, answer = done.stdout.split("\n")[:-1]
    assert answer == "1.0"
    return compiled, done.stderr


@pytest.fixture
def environment(tmp_path):
    paths = os.pathsep.join(os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)
    return {**os.environ, "PYTHONPATH": paths, "FOOTFALL_CACHE_DIR": str(tmp_path / "cache")}


@pytest.fixture
def folder_of(monkeypatch):
    """The folder that is used, and the warnings, if this one is asked for."""

    def chosen(home):
        monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(home))
        monkeypatch.setattr(cache, "_folder", None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            folder = cache.cache_folder()
        return folder, [str(each.message) for each in caught]

    return chosen


@pytest.mark.parametrize(
    "spoil", [lambda whole: b"", lambda whole: whole[:100], lambda whole: whole[:-1], lambda whole: b"x" + whole[1:]]
)
def test_a_damaged_file_heals(environment, tmp_path, spoil):
    assert process(environment)[0]
    files = list((tmp_path / "cache" / "kernels").iterdir())
    assert {path.suffix for path in files} == {cache.ENDING}
    for path in files:
        path.write_bytes(spoil(path.read_bytes()))
    assert process(environment)[0]
    assert process(environment) == ([], "")


def test_without_a_home(environment, tmp_path):
    """A folder that is set is enough; without one a warning says what is missing, and it works all the same."""
    code = "import pwd, runpy, sys\npwd.getpwuid = lambda _: (_ for _ in ()).throw(KeyError())\n"
    bare = {name: value for name, value in environment.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    for given, warned in ((bare, False), ({name: bare[name] for name in bare if name != "FOOTFALL_CACHE_DIR"}, True)):
        asked = [sys.executable, "-c", code + CODE]
        done = subprocess.run(asked, env=given, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == "1.0"
        assert ("CacheWarning: compiled kernels cannot be kept" in done.stderr) == warned


def test_nothing_is_left_behind_where_nothing_can_be_kept(environment, tmp_path):
    (tmp_path / "temporary").mkdir()
    (tmp_path / "cache").write_text("a file, not a folder")
    compiled, said = process({**environment, "TMPDIR": str(tmp_path / "temporary")})
    assert compiled
    assert "CacheWarning" in said
    assert not list((tmp_path / "temporary").iterdir())


def test_a_folder_that_is_made_is_ours_alone(folder_of, tmp_path):
    folder, said = folder_of(tmp_path / "new")
    assert (folder, said) == (tmp_path / "new" / "kernels", [])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_relative_folder_stays_where_it_was(folder_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, _ = folder_of("mine")
    monkeypatch.chdir("/")
    assert cache.cache_folder() == folder == tmp_path / "mine" / "kernels"


@pytest.mark.parametrize("mode", [0o777, 0o702, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(folder_of, tmp_path, mode):
    (tmp_path / "open" / "kernels").mkdir(parents=True)
    (tmp_path / "open" / "kernels").chmod(mode)
    folder, (said,) = folder_of(tmp_path / "open")
    assert not folder.exists()
    assert "can be written to by other users" in said


def test_a_folder_of_another_group_is_refused(folder_of, tmp_path, monkeypatch):
    (tmp_path / "open" / "kernels").mkdir(parents=True)
    (tmp_path / "open" / "kernels").chmod(0o770)
    monkeypatch.setattr(os, "getgid", lambda: 54321)
    assert "can be written to by other users" in folder_of(tmp_path / "open")[1][0]


def test_a_folder_in_one_that_others_can_write_to_is_refused(folder_of, tmp_path):
    """They could put another in its place; not in one like /tmp, where everybody can remove only what is his own."""
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert f"{tmp_path / 'open'} can be written to by other users" in folder_of(tmp_path / "open" / "mine")[1][0]
    (tmp_path / "open").chmod(0o1777)
    assert folder_of(tmp_path / "open" / "mine")[1] == []


def test_a_link_is_followed_before_it_is_trusted(folder_of, tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "kernels").symlink_to(tmp_path / "open")
    assert "can be written to by other users" in folder_of(tmp_path / "home")[1][0]


def test_what_belongs_to_another_user_is_refused(folder_of, tmp_path, monkeypatch):
    (tmp_path / "home" / "kernels").mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    assert "belongs to another user" in folder_of(tmp_path / "home")[1][0]


def test_files_of_another_user_are_not_read(tmp_path, monkeypatch):
    """Such may be in a folder that was once open."""
    monkeypatch.setattr(cache, "_folder", tmp_path)
    read, path = [], tmp_path / f"name-1{cache.ENDING}"
    path.write_bytes(b"x" * 100)
    monkeypatch.setattr(cache.pickle, "loads", read.append)
    monkeypatch.setattr(cache.KernelCache, "_path", lambda *_: path)
    monkeypatch.setattr(os, "getuid", lambda: 54321)

    class Context:
        def refresh(self): ...
        def codegen(self): ...

    assert cache.KernelCache("name", "1").load_overload((), Context()) is None
    assert not read


def test_what_was_never_finished_is_dropped(tmp_path):
    old, new = tmp_path / f"{cache.UNFINISHED}1", tmp_path / f"{cache.UNFINISHED}2"
    for path in (old, new):
        path.touch()
    os.utime(old, (1000, 1000))
    cache._drop_unused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [new.name]


def test_code_that_is_optimised_otherwise_is_other_code(monkeypatch):
    """Settings of LLVM's passes and of Numba are part of what a function is."""
    from footfall.core import library

    made = {each: cache.digest(library.how_optimised(each)) for each in (library.InnerCompiler, library.OuterCompiler)}
    made[library.ShortLoopCompiler] = cache.digest(library.how_optimised(library.ShortLoopCompiler))
    assert len(set(made.values())) == 3
    with monkeypatch.context() as changed:
        changed.setattr(library.OuterLibrary, "_optimize_final_module", lambda self: None)
        for kind, same in ((library.InnerCompiler, True), (library.OuterCompiler, False), (library.ShortLoopCompiler, False)):
            assert (cache.digest(library.how_optimised(kind)) == made[kind]) == same
    monkeypatch.setattr(library.SETTINGS, "LOOP_VECTORIZE", 1 - library.SETTINGS.LOOP_VECTORIZE)
    assert cache.digest(library.how_optimised(library.OuterCompiler)) != made[library.OuterCompiler]
