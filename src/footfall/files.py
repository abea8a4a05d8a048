"""Files in and out. A file appears when it is complete, or not at all; only regular files of a bounded size are read."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from footfall.errors import FileError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def as_path(path: Any) -> Path:
    """The path, if it is one."""
    try:
        found = Path(path)
    except TypeError:
        raise FileError(f"a path must be a word or a Path, got {path!r:.80}") from None
    if "\0" in str(found):
        raise FileError(f"{str(found)!r:.80} is no path: it has a zero character")
    return found


# --- writing --------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def whole_file(path: Any) -> Iterator[IO[bytes]]:
    """A file to write to, beside its target; it takes the target's place when all is written, and is gone if anything fails.

    A file that was there before is replaced and keeps its permissions. A pipe or a device is written to as it is.
    """
    path = as_path(path)
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            with path.open("wb") as file:
                yield file
            return
        with part.open("xb") as file:
            if mode is not None:
                os.chmod(part, stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_whole(path: Any, content: Any) -> None:
    """Write text or bytes to a file, as `whole_file` does."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


# --- reading --------------------------------------------------------------------------------------------------------------


def open_file(path: Any) -> IO[bytes]:
    """A regular file, open for reading. A pipe or a device, which might never end, is refused without waiting for it."""
    path = as_path(path)
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        raise FileError(f"{path} is not a file but {KINDS.get(stat.S_IFMT(mode), 'something else')}")
    return os.fdopen(number, "rb")


def read_text(path: Any, most: int, what: str) -> str:
    """The text of a file of at most so many bytes; `what` it should be."""
    try:
        with open_file(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(content) > most:
        raise FileError(f"{path} has more than {most:,} bytes, too many for {what}")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not a text file: byte {error.start} is not UTF-8") from None
