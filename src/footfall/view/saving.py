"""Pictures as files."""

from typing import TYPE_CHECKING, Any

from footfall.errors import FileError, UnknownNameError
from footfall.files import as_path, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 130  # an inch


def saved(figure: "Figure", path: Any, dpi: float = DOTS) -> "Figure":
    """The figure, written to `path` if there is one, whole or not at all. The ending says the format; png if it has none."""
    if path is None:
        return figure
    path = as_path(path)
    if not path.name:
        raise FileError(f"{path} cannot be written: it names no file")
    path = path if path.suffix else path.with_name(f"{path.name}.png")
    known, kind = figure.canvas.get_supported_filetypes(), path.suffix[1:].lower()
    if kind not in known:
        raise UnknownNameError(f"format of pictures (for {str(path)!r:.120})", kind, known)
    with whole_file(path) as file:
        figure.savefig(file, format=kind, dpi=dpi)
    return figure
