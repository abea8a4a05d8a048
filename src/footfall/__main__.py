"""`python -m footfall` is the command `footfall`."""

from footfall.cli import main

main()
