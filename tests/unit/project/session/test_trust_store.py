"""Which places a person on this machine allowed a study to read from."""

from pathlib import Path

import pytest

from project.session.trust_store import is_inside_allowed


@pytest.mark.parametrize(
    ("place", "allowed"),
    [
        ("study", True),
        ("study/walk.mp4", True),
        ("media/day 1/walk.mp4", True),
        ("media and more/walk.mp4", False),
        ("study/../elsewhere/walk.mp4", False),
        ("study/link/walk.mp4", False),
        ("study/inner/walk.mp4", True),
    ],
)
def test_a_place_is_allowed_in_the_studys_folder_and_in_those_that_were_allowed(
    tmp_path: Path, place: str, allowed: bool
) -> None:
    for name in ("study/own", "media", "media and more", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "study" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "study" / "inner").symlink_to(tmp_path / "study" / "own")
    assert is_inside_allowed(tmp_path / "study", [str(tmp_path / "media")], tmp_path / place) is allowed
