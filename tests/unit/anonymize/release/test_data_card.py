"""The data card says what is not in a release."""

from pathlib import Path

from anonymize.release.data_card import ReleaseFacts, write_cards
from anonymize.release.release_plan import ReleasePlan


def test_recordings_that_were_left_out_are_named_with_the_reason(tmp_path: Path) -> None:
    reasons = {4: "It is held out.", 2: "1 participant did not consent to release."}
    write_cards(tmp_path, ReleasePlan(video=("source",)), [], {}, ReleaseFacts(reasons, [1], {}, []))
    card = (tmp_path / "DATACARD.md").read_text("utf-8")
    assert "not in it: 2 (1 participant did not consent to release), 4 (it is held out)\n" in card
