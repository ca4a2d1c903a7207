"""Makes the pictures: a process for each look, because a scale factor and a screen hold for a whole process."""

import argparse
import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from widgets.theme import TEXT_SIZES

THEMES, SCALES, SIZES = ("light", "dark"), (1, 2), ("1280x800", "2560x1440")
"""Themes, scales, and sizes of the screen in logical pixels."""
_LONGEST_S = 3600
"""A look that takes longer waits for somebody who is not there."""


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.screens", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go, a folder for each look in it")
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of pictures")
    parser.add_argument("--theme", choices=THEMES)
    parser.add_argument("--scale", type=int, choices=SCALES)
    parser.add_argument("--size", help="of the screen, as 1280x800")
    parser.add_argument("--text-size", type=int, choices=TEXT_SIZES, default=100, help="in per cent of the usual one")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    folder = given.folder.resolve()
    if given.one:
        return _one(folder, given.theme, given.size, given.text_size, tuple(given.only))
    from tools.screens.filled import make_study

    make_study(folder / "study")
    looks = itertools.product(
        *(
            [chosen] if chosen else offered
            for chosen, offered in ((given.theme, THEMES), (given.scale, SCALES), (given.size, SIZES))
        )
    )
    for theme, scale, size in looks:
        out = folder / f"{theme}-{scale}x-{size}"
        out.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tools.screens", str(folder), "--one", "--theme", theme, "--size", size]
        command += ["--text-size", str(given.text_size)]
        done = subprocess.run([*command, "--only", *given.only], check=False, env=_environment(out, size, scale))
        print(f"{out}: {len([*out.glob('*.png')])} pictures", flush=True)
        if done.returncode:
            return done.returncode
    return 0


def _environment(out: Path, size: str, scale: int) -> dict[str, str]:
    """Return what a process is given: a screen of its own, and no settings of whoever runs it."""
    from tools.screens.taking import offscreen_platform

    width, height = (int(part) for part in size.split("x"))
    home = out / "home"
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
    return {
        **os.environ,
        **folders,
        "QT_QPA_PLATFORM": offscreen_platform(out, width * scale, height * scale),
        "QT_SCALE_FACTOR": str(scale),
        "GREENROOM_AOUT": "dummy",
        "GREENROOM_SCREENS": str(out),
    }


def _one(folder: Path, theme: str, size: str, text_size: int, only: tuple[str, ...]) -> int:
    import faulthandler
    import shutil

    from app.gui.startup import make_application
    from app.gui.window.main_window import MainWindow
    from tools.screens.answers import NobodyThere
    from tools.screens.known import PICTURES, widgets_of_source, windows_of_source
    from tools.screens.shots import take_all
    from tools.screens.taking import WindowCamera

    out = Path(os.environ["GREENROOM_SCREENS"])
    work = out / "home" / "work"
    shutil.rmtree(out / "home", ignore_errors=True)
    shutil.copytree(folder / "study", work)
    app = make_application()
    faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
    window = MainWindow(NobodyThere(work))
    window.commands.set_theme(theme)
    window.commands.set_text_size(text_size)
    width, height = (int(part) for part in size.split("x"))
    window.resize(width, height)
    window.move(0, 0)
    window.show()
    failed: list[str] = []

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        failed.append(str(error))
        sys.__excepthook__(kind, error, trace)

    sys.excepthook = note
    camera = WindowCamera(window, out, only)
    take_all(camera, work / "social-robot-lab.greenroom")
    window.close()
    app.processEvents()
    shutil.rmtree(out / "home", ignore_errors=True)
    unseen = [] if only else sorted({*PICTURES, *windows_of_source()} - camera.seen)
    if unseen:
        print(f"in no picture: {', '.join(unseen)}", flush=True)
    if not only:
        print(f"parts in no picture: {', '.join(sorted(widgets_of_source() - camera.seen))}", flush=True)
    return 1 if failed or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
