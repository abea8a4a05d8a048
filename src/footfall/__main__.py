"""`python -m footfall` is the command `footfall`."""

import sys


def main() -> None:
    """The command; Ctrl-C while its modules are read ends it as later, without a traceback."""
    try:
        from footfall.cli import main as command
    except KeyboardInterrupt:
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
