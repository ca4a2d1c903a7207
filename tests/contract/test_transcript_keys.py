"""The guide lists the keys of the mode Transcript as the sheet of keys does."""

import re

import pytest

from app.gui.transcript.transcript_mode import SHORTCUT_SHEET
from tests.contract.documentation import ROOT


@pytest.mark.parametrize("keys", [keys for keys, _ in SHORTCUT_SHEET])
def test_the_guide_lists_each_key(keys: str) -> None:
    page = (ROOT / "docs" / "transcripts.md").read_text("utf-8")
    listed = set(re.findall(r"`([^`]+)`", "\n".join(line for line in page.splitlines() if line.startswith("| `"))))
    digits = {str(number) for number in range(1, 10)} if "1" in listed else set()
    assert set(keys.split(", ") if keys != "," else [","]) <= listed | digits
