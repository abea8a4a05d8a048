"""What decides: one controller a file."""

from footfall.control.controller import Compiled, Controller
from footfall.control.hold import Hold
from footfall.control.workspace import Workspace
