"""The pictures of the documentation that are pictures of the window: `python -m tools.screens.docs FOLDER`."""

import shutil
import sys
from pathlib import Path

from tests.contract.documentation import ROOT

LOOK = "1x-1280x800"
PICTURES = {
    "agreement": "20-window-agreement",
    "agreement-plots": "20-window-agreement-plots",
    "benchmark": "10-mode-benchmark-results",
    "chains": "10-mode-chains",
    "episodes": "60-episode",
    "funnel": "20-window-question_filter",
    "judges": "10-mode-judges",
    "judges-inspector": "60-inspector",
    "meta-information": "20-window-meta",
    "models": "20-window-models",
    "personal-information": "60-personal",
    "review": "10-mode-review",
    "schemes-window": "20-window-schemes",
    "transcribe": "30-dialog-transcribe",
    "transcript": "10-mode-transcript",
    "verification": "60-verification",
    "what-leaves": "20-window-policy",
    "window-light": "10-mode-annotate",
}
"""Picture of the documentation -> picture that was taken, in the light."""
DARK = {"window-dark": "10-mode-annotate"}
"""The same, in the dark."""


def main(folder: Path) -> int:
    """Copy what `python -m tools.screens FOLDER` took into `docs`."""
    for theme, pictures in (("light", PICTURES), ("dark", DARK)):
        for name, taken in pictures.items():
            shutil.copyfile(folder / f"{theme}-{LOOK}" / f"{taken}.png", ROOT / "docs" / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
