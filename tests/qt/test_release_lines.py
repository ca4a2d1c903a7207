"""The checklist of a release, line by line."""

from anonymize.release.release_rules import ReleaseBlocker
from app.gui.release.release_form import build_checklist


def test_a_rule_about_tracks_is_not_called_kept_where_no_faces_were_looked_for() -> None:
    missing = ReleaseBlocker("faces-tracked", 2, None, "No faces were looked for in recording 2.", "Find them.")
    lines = {
        (row.rule, row.recording): row.table_row("k").cells[-1]
        for row in build_checklist([1, 2], [missing], [], [], {})
    }
    assert lines["faces-reviewed", 1] == lines["uncovered", 1] == "Kept"
    assert lines["faces-reviewed", 2] == lines["uncovered", 2] == "Judged when faces were looked for"
    assert lines["face-left", 2] == "Judged when it is rendered"
