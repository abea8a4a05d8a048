"""Parallel work: serial, in threads, in processes and on a cluster of Dask give the same; what is killed is done again."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial

import pytest

import footfall as ff
from clusters import cluster
from footfall.errors import ClusterError, FootfallError, MissingPartError, UnknownNameError
from footfall.parallel import Processes, Serial, Threads, chosen, stream, use
from footfall.parallel.in_order import each
from footfall.parallel.stream import _Sizes

HERE = {"serial": Serial(), "threads": Threads(2), "processes": Processes(2)}


def flat(found):
    return [pair for done in found for pair in done]


# --- here -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", HERE)
def test_every_item_is_done_once(place):
    items = list(range(57))
    assert sorted(flat(stream(math.sqrt, items, on=HERE[place]))) == [(i, math.sqrt(i)) for i in items]
    assert flat(stream(math.sqrt, [], on=HERE[place])) == []


@pytest.mark.parametrize("place", HERE)
def test_an_error_of_the_function_is_raised(place):
    with pytest.raises(ValueError, match="."):
        flat(stream(math.sqrt, [1.0, -1.0], on=HERE[place]))


def test_threads_are_at_work_at_the_same_time():
    met = threading.Barrier(3)
    flat(stream(lambda _: met.wait(60.0), range(6), on=Threads(3), seconds=0.0))


def test_items_are_taken_as_they_are_needed():
    taken = []

    def items():
        for i in range(1000):
            taken.append(i)
            yield i

    found = stream(abs, items(), on=Serial(), seconds=0.0)
    next(found)
    assert len(taken) < 10


def test_chunks_hold_as_much_as_they_should():
    sizes = _Sizes(seconds=1.0)
    assert sizes.next(None, 2) == 1
    sizes.learn(20.0, 1)  # it compiled
    assert sizes.next(None, 2) == 1
    sizes.learn(0.01, 1)
    assert [sizes.next(None, 2) for _ in range(4)] == [4, 16, 64, 100]
    sizes.learn(100.0, 100)  # ten times as dear for once
    assert 1 <= sizes.next(None, 2) <= 2
    sizes.cost = 0.01
    for _ in range(4):
        sizes.next(None, 2)
    assert sizes.next(40, 2) == 10  # the end is shared by all
    assert sizes.next(1, 2) == 1


@pytest.mark.parametrize("place", ["serial", "threads"])
def test_ctrl_c_hands_over_what_is_done(place):
    """A worker that is interrupted itself, and one that is waited for."""

    def work(i):
        if i == 20:
            signal.raise_signal(signal.SIGINT) if place == "serial" else os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.001)
        return i

    kept = []
    with pytest.raises(KeyboardInterrupt):
        kept.extend(pair for done in stream(work, range(100_000), on=HERE[place]) for pair in done)
    assert set(kept) >= {(i, i) for i in range(20)}
    assert len(kept) < 100_000


def slow_square(i):
    time.sleep(0.02)
    return i * i


def test_a_process_that_is_killed_loses_nothing():
    import multiprocessing

    before = multiprocessing.active_children()
    found, kills = [], 0
    for done in stream(slow_square, range(100), on=Processes(2), seconds=0.1):
        found += done
        if kills < 2 and len(found) > 30 * (kills + 1):
            ours = [child for child in multiprocessing.active_children() if child not in before]
            os.kill(ours[0].pid, signal.SIGKILL)
            kills += 1
    assert kills == 2
    assert Counter(found) == Counter({(i, i * i): 1 for i in range(100)})


def deadly(i):
    if i == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return i


def test_an_item_that_kills_its_worker_is_named_and_the_others_are_done():
    found = flat(stream(deadly, range(12), on=Processes(2), seconds=0.0, lost=lambda i: f"lost {i}"))
    assert sorted(found, key=lambda pair: pair[0]) == [(i, "lost 7" if i == 7 else i) for i in range(12)]


def test_compiled_runs_release_the_lock():
    """While one thread is inside one call of a compiled loop, another goes on."""
    simulation = ff.Simulation(ff.studies.load("stand-push", seconds=1.0))
    simulation.advance(0.1)  # compiles
    counted, seen = [0], []

    def run():
        steps = 20_000
        simulation.rollout.reserve(simulation.rollout.step + steps)
        seen.append(counted[0])
        simulation.rollout.advance(simulation.chain.control, steps)
        seen.append(counted[0])

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        counted[0] += 1
    assert seen[1] - seen[0] > 1000


# --- where ----------------------------------------------------------------------------------------------------------------


def test_a_place_is_chosen_for_a_while_or_from_now_on():
    usual = Processes()
    assert chosen(usual) is usual
    with use("threads", 3) as there:
        assert chosen(usual) == there == Threads(3)
        with use("serial"):
            assert chosen(usual) == Serial()
        assert chosen(usual) == Threads(3)
    assert chosen(usual) is usual
    use("serial")
    assert chosen(usual) == Serial()
    use(None)
    assert chosen(usual) is usual


@pytest.mark.parametrize(
    ("where", "error", "message"),
    [
        ("thread", UnknownNameError, "Did you mean 'threads'"),
        (3, FootfallError, "got 3"),
        ("tcp://127.0.0.1:1", ClusterError, "no scheduler of Dask answers at tcp://127.0.0.1:1"),
    ],
)
def test_other_places_are_refused(where, error, message, monkeypatch):
    if error is ClusterError:
        pytest.importorskip("distributed")
    from footfall.parallel import cluster as module

    monkeypatch.setattr(module, "PATIENCE", 0.5)
    with pytest.raises(error, match=message):
        use(where)
    assert chosen(Serial()) == Serial()


def test_without_dask_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPartError, match=r"pip install 'footfall\[cluster\]'"):
        use("tcp://127.0.0.1:1")


def test_numbers_of_workers_are_checked():
    for wrong in (-1, 1.5, True, 5000):
        with pytest.raises(FootfallError, match="workers must be a whole number from 0"):
            use("threads", wrong)


def test_a_script_without_a_guard_is_told_what_to_do(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("from footfall.parallel import *\nprint(list(stream(abs, [1], on=Processes(1))))\n")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode
    assert '__name__ == "__main__"' in done.stderr


# --- on a cluster ---------------------------------------------------------------------------------------------------------


def test_a_cluster_whose_worker_is_killed_loses_nothing():
    pytest.importorskip("distributed")
    with cluster(2) as (address, _, _, workers), use(address):
        found = []
        for done in stream(partial(pow, exp=2), range(2000), on=None, seconds=0.01):
            if not found:
                workers[0].kill()
            found += done
        in_order = list(each(math.sqrt, list(range(20)), 0, lambda done, of: None))
    assert Counter(found) == Counter({(i, i * i): 1 for i in range(2000)})
    assert in_order == [math.sqrt(i) for i in range(20)]


def test_a_scheduler_that_is_gone_is_named():
    pytest.importorskip("distributed")
    with cluster(1) as (address, scheduler, _, _), use(address):
        found = stream(time.sleep, [0.01] * 100_000, seconds=0.01)
        next(found)
        scheduler.kill()
        with pytest.raises(ClusterError, match="gone"):
            flat(found)


def test_code_that_workers_cannot_find_is_named():
    pytest.importorskip("distributed")
    with cluster(1) as (address, *_), use(address), pytest.raises(ClusterError, match="a module that workers can import"):
        flat(stream(slow_square, range(4)))


def test_other_versions_are_refused(monkeypatch):
    pytest.importorskip("distributed")
    from footfall.parallel import cluster as module

    monkeypatch.setattr(module, "__version__", "0.0.1")
    with (
        cluster(1) as (address, *_),
        pytest.raises(ClusterError, match=r"has Footfall .*, and this process has Footfall 0\.0\.1"),
    ):
        use(address)
