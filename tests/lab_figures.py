"""Figures of the lab, measured by hand: `python tests/lab_figures.py [clock] [start] [soak SECONDS] [hour]`.

A client reads all that the lab sends, as a page does, but draws nothing: a browser that draws in software would take the cores
away from the simulation.
"""

import asyncio
import contextlib
import math
import resource
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path


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


def memory() -> float:
    """MB that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def clock(seconds: float = 30.0) -> None:
    """Error of the clock at three speeds, and frames a second, with a client that reads."""
    from footfall.lab.lab import Lab

    stop, seen = threading.Event(), [0]
    with Lab("ranger-walk") as lab:
        threading.Thread(target=reader, args=(lab.url, stop, seen), daemon=True).start()
        time.sleep(3.0)
        for speed in (0.1, 1.0, 3.0):
            lab.session.do(lambda speed=speed: lab.session.speed(speed))
            time.sleep(1.0)
            lab.session.clock.errors.clear()
            frames, messages, began = lab.page.frames, seen[0], time.perf_counter()
            time.sleep(seconds)
            passed, errors = time.perf_counter() - began, list(lab.session.clock.errors)
            rms = math.sqrt(sum(e * e for e in errors) / len(errors))
            print(
                f"speed {speed:4}: clock error {1e3 * rms:6.2f} ms rms, largest {1e3 * max(map(abs, errors)):6.1f} ms, "
                f"{(lab.page.frames - frames) / passed:5.1f} frames a second, {(seen[0] - messages) / passed:5.1f} messages a second, "
                f"{lab.session.clock.factor:.3f} times real time"
            )
        stop.set()


def start() -> None:
    """Time from the command to a page that is served, warm."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "footfall", "lab", "ranger-walk", "--port", "8380"], stdout=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()  # type: ignore[union-attr]
    with urllib.request.urlopen("http://127.0.0.1:8380") as page:
        size = len(page.read())
    print(f"{line.strip()}: page of {size} bytes after {time.perf_counter() - began:.1f} s")
    process.terminate()
    process.wait(10)


def soak(seconds: float) -> None:
    """Clients come and go, a hundred times; memory and threads."""
    from footfall.lab.lab import Lab

    with Lab("ranger-walk") as lab:
        time.sleep(min(70.0, seconds / 4))  # until the ring of rows is full
        first, threads = memory(), threading.active_count()
        for number in range(100):
            stop = threading.Event()
            client = threading.Thread(target=reader, args=(lab.url, stop, [0]))
            client.start()
            time.sleep(0.75 * seconds / 100)
            stop.set()
            client.join()
            if number % 20 == 19:
                print(
                    f"{number + 1} clients: {memory() - first:+.1f} MB, {threading.active_count() - threads:+d} threads",
                    flush=True,
                )
        print("alive" if lab.session.alive else "dead", f"{lab.session.source.time:.0f} s simulated")


def hour() -> None:
    """An hour of simulated time, as fast as it goes: memory, and time of a frame."""
    from footfall.lab.lab import Lab

    lab = Lab("ranger-walk")
    session = lab.session
    session.clock._sleep = lambda _: None
    session.play()
    session.clock.step = lambda _dt: 1 / 60  # type: ignore[method-assign]
    first = 0.0
    for minute in range(61):
        frames, began = 0, time.process_time()
        while session.source.time < 60.0 * (minute + 1):
            session.tick()
            frames += 1
        if minute == 1:
            first = memory()
        if minute % 10 == 1:
            print(
                f"minute {minute}: {1e3 * (time.process_time() - began) / frames:.2f} ms a frame, {memory() - first:+.1f} MB",
                flush=True,
            )
    lab.end()


if __name__ == "__main__":
    known: dict[str, Callable[[], None]] = {"clock": clock, "start": start, "hour": hour}
    words = sys.argv[1:] or ["clock", "start"]
    for word in words:
        if word in known:
            known[word]()
    if "soak" in words:
        soak(float(words[words.index("soak") + 1]))
