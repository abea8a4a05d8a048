"""Figures of the lab, measured by hand on a quiet machine, each beside what is asked of it; the exit status is 1 if one fails.

    python tests/lab_figures.py                   # start, clock, recording: 3 minutes
    python tests/lab_figures.py clock 30          # seconds at each speed
    python tests/lab_figures.py start 3           # times
    python tests/lab_figures.py recording
    python tests/lab_figures.py soak 1200         # seconds; 100 tabs of Chromium come and go
    python tests/lab_figures.py hour 60           # minutes of a run, as fast as it goes

A client reads all that the lab sends, as a page does, but draws nothing: a browser that draws in software would take the cores
away from the simulation. The start is timed to the panel in a real Chromium, which draws nothing either.
"""

import asyncio
import contextlib
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FIGURES: list[bool] = []
FRAMES = 60.0  # a second, of simulated time: in the hour


def figure(what: str, value: float, asked: str, ok: bool) -> None:
    """Say a figure beside what is asked."""
    FIGURES.append(ok)
    print(f"{what:58} {value:9.4g}   asked: {asked:22} {'holds' if ok else 'FAILS'}", flush=True)


def reader(url: str, stop: threading.Event, seen: list[int]) -> None:
    """A client that counts the messages it gets."""
    import viser
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    async def read() -> None:
        async with connect(url.replace("http", "ws"), subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as socket:
            while not stop.is_set():
                try:
                    await asyncio.wait_for(socket.recv(), 0.5)
                    seen[0] += 1
                except TimeoutError:
                    continue

    with contextlib.suppress(ConnectionClosed):  # the lab has ended
        asyncio.run(read())


def memory(pid: int | str = "self") -> float:
    """MB that a process has now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def threads_of(pid: int) -> int:
    """Threads that a process has."""
    return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())


def clock(seconds: float = 30.0) -> None:
    """Error of the clock at three speeds, and frames a second, with a client that reads."""
    from footfall.lab.lab import Lab

    stop, seen = threading.Event(), [0]
    with Lab("ranger-walk", port=18380) as lab:
        threading.Thread(target=reader, args=(lab.url, stop, seen), daemon=True).start()
        time.sleep(3.0)
        for speed in (0.1, 1.0, 3.0):
            lab.session.do(lambda speed=speed: lab.session.speed(speed))
            time.sleep(1.0)
            lab.session.clock.log.clear()
            lost, frames, messages, began = lab.session.clock.lost, lab.page.frames, seen[0], time.perf_counter()
            start = lab.session.source.time
            time.sleep(seconds)
            passed, errors = time.perf_counter() - began, [row[3] for row in list(lab.session.clock.log)]
            factor = (lab.session.source.time - start) / passed
            rms, rate = 1e3 * math.sqrt(sum(e * e for e in errors) / len(errors)), (lab.page.frames - frames) / passed
            print(
                f"at {speed:g} times real time, {passed:.0f} s: largest error {1e3 * max(map(abs, errors)):.1f} ms, "
                f"{lab.session.clock.lost - lost:.3f} s given up, {(seen[0] - messages) / passed:.1f} messages a second"
            )
            figure(f"clock error at {speed:g} times real time (ms rms)", rms, "at most 5", rms <= 5.0)
            figure(f"simulated over wall time at {speed:g}", factor, f"{speed:g} within 1 %", abs(factor - speed) <= 0.01 * speed)
            if speed == 1.0:
                figure("updates a second with Ranger at real time", rate, "at least 30", rate >= 30.0)
        stop.set()


def start(times: float = 3) -> None:
    """Time from the command to a panel in the browser that can be used, warm; the browser runs already, as a user's does.

    The first start, which is not judged, makes it warm: compiled kernels and Python's own compiled files are kept by it, also where
    the environment says that Python keeps none.
    """
    from browser import Tab, browser, executable

    if executable() is None:
        print("start: no browser, only the time until the page is served is seen")
    command = [sys.executable, "-m", "footfall", "lab", "ranger-walk", "--port", "18381"]
    keeping = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with browser() if executable() else contextlib.nullcontext() as opened:
        for number in range(int(times) + 1):
            began, before = time.perf_counter(), processor(*below(os.getpid()))
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=keeping)
            line = process.stdout.readline()  # type: ignore[union-attr]
            url = line.split()[4].rstrip(";") if line.startswith("the lab is at") else "http://127.0.0.1:18381"
            with urllib.request.urlopen(url) as page:
                page.read()
            served = time.perf_counter() - began
            if opened:
                Tab(opened, url).ready().close()
            usable, used = time.perf_counter() - began, processor(process.pid)
            others = processor(*below(os.getpid())) - before - used
            print(f"start {number}: served after {served:.2f} s, usable after {usable:.2f} s", end="; ")
            print(f"processor time: lab {used:.1f} s, browser {others:.1f} s")
            if number:
                figure("start, warm, until the panel can be used (s)", usable, "under 5", usable < 5.0)
            process.terminate()
            process.wait(10)


def processor(*pids: int) -> float:
    """Processor time (s) that processes have taken, without those that have ended."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def below(pid: int) -> list[int]:
    """All processes that a process started, and those that they started."""
    found = []
    for child in (int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += [child, *below(child)]
    return found


def recording() -> None:
    """Size of an HTML recording of 20 s of Ranger."""
    import footfall as ff

    with TemporaryDirectory() as folder:
        run = ff.simulate(ff.studies.load("ranger-walk", seconds=20.0))
        size = ff.view.recording(run, Path(folder) / "ranger.html", progress=lambda _: None).stat().st_size / 1e6
    figure("HTML recording of 20 s of Ranger (MB)", size, "under 10", size < 10.0)


def soak(seconds: float = 1200.0) -> None:
    """Tabs of a real browser come and go, a hundred times; memory and threads of the lab, which is a process of its own."""
    from browser import Tab, browser

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets commands in the background ignore it
    with TemporaryDirectory() as folder, browser() as opened:
        command = [sys.executable, "-m", "footfall", "lab", "ranger-walk", "--port", "18382", "--out", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        url = process.stdout.readline().split()[4].rstrip(";")  # type: ignore[union-attr]
        time.sleep(min(70.0, seconds / 4))  # until the ring of rows is full
        first, threads, errors = 0.0, 0, []
        began = time.monotonic()
        for number in range(100):
            tab = Tab(opened, url, (700, 400)).ready()
            if number == 2:  # after the first tabs, which load what a page needs
                first, threads = memory(process.pid), threads_of(process.pid)
            tab.page.wait_for_timeout(max(0.0, began + (number + 0.8) * seconds / 100 - time.monotonic()) * 1e3)
            errors += tab.errors
            tab.close()
            if number % 20 == 19:
                more = threads_of(process.pid) - threads
                print(f"{number + 1} tabs: {memory(process.pid) - first:+.1f} MB, {more:+d} threads", flush=True)
        stop, seen = threading.Event(), [0]
        last = threading.Thread(target=reader, args=(url, stop, seen))
        last.start()
        time.sleep(5.0)
        grown, more = memory(process.pid) - first, threads_of(process.pid) - threads
        stop.set()
        last.join()
        process.send_signal(signal.SIGINT)
        status = process.wait(20)
    figure(f"memory after 100 tabs in {time.monotonic() - began:.0f} s (MB more)", grown, "under 50", grown < 50.0)
    figure("threads more", more, "none", more <= 0)
    figure("errors of the pages", len(errors), "none", not errors)
    figure("messages to one more client in 5 s", seen[0], "alive", seen[0] > 50)
    figure("exit status after Ctrl-C", status, "0", status == 0)


def unpaced(port: int) -> Any:
    """A lab whose session goes on by a sixtieth of a second at every tick, as fast as it can."""
    from footfall.lab.lab import Lab

    lab = Lab("ranger-walk", port=port)
    lab.session.clock._sleep = lambda _: None
    lab.session.play()
    lab.session.clock.step = lambda _dt: 1 / FRAMES  # type: ignore[method-assign]
    return lab


def frame_time(session: Any, until: float) -> float:
    """Processor time (ms) of a frame on the way to an instant."""
    frames, began = 0, time.process_time()
    while session.source.time < until:
        session.tick()
        frames += 1
    return 1e3 * (time.process_time() - began) / frames


def hour(minutes: float = 60.0) -> None:
    """An hour of simulated time, as fast as it goes: memory, and time of a frame beside that of a young run, in turns."""
    lab, first = unpaced(18383), 0.0
    for minute in range(int(minutes)):
        spent = frame_time(lab.session, 60.0 * (minute + 1))
        first = first or memory()
        if minute % 10 == 0:
            print(f"minute {minute + 1}: {spent:.2f} ms a frame, {memory() - first:+.1f} MB", flush=True)
    grown = memory() - first
    figure(f"memory after {minutes:.0f} minutes of simulated time (MB more)", grown, "under 50", grown < 50.0)
    young, ratios = unpaced(18384), []
    frame_time(young.session, 60.0)
    for _ in range(15):
        old, new = (frame_time(each.session, each.session.source.time + 4.0) for each in (lab, young))
        ratios.append(old / new)
    ratio = statistics.median(ratios)
    figure(f"time of a frame after {minutes:.0f} minutes over that after one", ratio, "does not grow (1.2)", ratio < 1.2)
    lab.end()
    young.end()


def main(words: list[str]) -> int:
    known: dict[str, Callable[..., None]] = {"start": start, "clock": clock, "recording": recording, "soak": soak, "hour": hour}
    words = words or ["start", "clock", "recording"]
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word in known:
            known[word](*([float(after)] if after.replace(".", "").isdigit() else []))
    return 0 if all(FIGURES) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
