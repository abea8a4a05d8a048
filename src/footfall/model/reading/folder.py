"""Files that a file names: found beside it, and only below one folder."""

import os
from pathlib import Path

from footfall.errors import FileError
from footfall.files import as_path


class Folder:
    """Where a file is, and the folder below which the files that it names must be."""

    def __init__(self, path: str | Path, folder: str | Path | None = None):
        self.here = Path(os.path.realpath(as_path(path))).parent
        self.top = Path(os.path.realpath(as_path(folder))) if folder is not None else self.here
        if not self.top.is_dir():
            raise FileError(f"folder must be a folder that is there, got {str(folder)!r:.120}")

    def find(self, name: str, within: str = "") -> Path | str:
        """The file of that name, or why there is none. `within` is a folder beside the file, such as that of all meshes.

        package://name/rest is looked for as name/rest, and as rest, in the folder and wherever the file is.
        """
        if not name.strip() or "\0" in name or len(name) > 1000:
            return "it has no name"
        scheme, colon, rest = name.partition("://")
        if colon and scheme not in ("package", "model", "file"):
            return f"it is at {scheme[:20]}://, and nothing is fetched"
        if colon and scheme != "file":
            rest = rest.lstrip("/")
            places = [base / each for base in (self.top, *self._above()) for each in (rest, rest.partition("/")[2]) if each]
        else:
            places = [self.here / within / (rest if colon else name).replace("\\", "/")]
        for place in places:
            real = Path(os.path.realpath(place))
            if real.is_relative_to(self.top) and real.is_file():
                return real
        if not any(Path(os.path.realpath(place)).is_relative_to(self.top) for place in places):
            return f"it lies outside the folder {str(self.top)!r:.200}; folder= names one to read from"
        return f"it is not in the folder {str(self.top)!r:.200}; folder= names another to read from"

    def _above(self) -> list[Path]:
        """The folders from that of the file up to the top one."""
        return [each for each in (self.here, *self.here.parents) if each.is_relative_to(self.top)]
