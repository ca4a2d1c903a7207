"""The command line: the same commands as the window, each with `--json`."""

from app.cli.main import run

__all__ = ["run"]
