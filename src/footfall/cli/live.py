"""`footfall lab`: a study live in the browser."""

import os
import sys
import threading
from typing import Annotated

import typer

from footfall.cli.terminal import Status

Host = Annotated[str, typer.Option(help="Address to listen at; by default only this machine reaches it.")]
Port = Annotated[int, typer.Option(help="Port to listen at, or the next free one.")]


def lab_command(
    study: Annotated[
        str,
        typer.Argument(
            help="A study, a robot, a robot file (.toml, .urdf, .xml), or a run: a saved one (.parquet) or FOLDER:ROW of a sweep."
        ),
    ] = "simbicon-walk",
    host: Host = "127.0.0.1",
    port: Port = 8080,
    out: Annotated[str, typer.Option(help="Folder for what is saved in the lab.")] = "lab",
) -> None:
    """Open a study live in the browser: play, push, change parameters, see forces and plots, save. Ctrl-C ends it."""
    from footfall.lab.lab import Lab

    with Status(quiet=False) as progress:
        progress.say(f"opening {study} ...")
        lab = Lab(study, host=host, port=port, folder=out)
    try:
        if lab.port != port:
            _say(f"port {port} is taken; the lab is at port {lab.port} instead")
        if lab.open_to_others:
            warning = f"anyone who can reach port {lab.port} of this machine can see and drive this lab"
            print(f"footfall: warning: {warning}", file=sys.stderr)
        lab.begin()
        _say(f"the lab is at {lab.url}; Ctrl-C ends it")
        threading.Event().wait()
    except KeyboardInterrupt:
        _say("\nthe lab is closed")
    finally:
        lab.end()


def _say(text: str) -> None:
    """Print a line; the lab goes on if nobody reads it any more."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
