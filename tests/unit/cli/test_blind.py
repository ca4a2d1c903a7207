"""Judges are hidden or shown by command, and who revised what is listed."""

from pathlib import Path

from annotate.blinding.reveals import reveal
from annotate.segments.segment_edits import set_label
from tests.builders.judgments import judged
from tests.builders.marked_study import mark, open_study
from tests.builders.terminal import Terminal

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def test_judges_are_hidden_until_somebody_says_otherwise(tmp_path: Path, greenroom: Terminal) -> None:
    with open_study(tmp_path) as session:
        study = str(session.study.path)
    assert '{"blind_first": true}' in greenroom("blind", study, "--json")
    assert '{"blind_first": false}' in greenroom("blind", study, "off", "--annotator", "Ada", "--json")
    greenroom("undo", study)
    assert "is hidden" in greenroom("blind", study)


def test_who_revised_what_is_listed_for_who_may_see_it(tmp_path: Path, greenroom: Terminal) -> None:
    with open_study(tmp_path) as session:
        study = str(session.study.path)
        made = mark(session, "Ada", 62, 70, "competence", **WHOLE)
        judged(session, made, "Model A", label="error")
        reveal(session, made)
        set_label(session, [made], "error")
    said = greenroom("revisions", study, "--annotator", "Ada").splitlines()
    assert said == [
        "Ada saw judges on 1 segment and revised 1, now agreeing with Model A (1).",
        "Ada  1  0:01:02.000  Label: Competence -> Error  now agrees with Model A",
    ]
    said = greenroom("revisions", study, "--annotator", "Bo").splitlines()
    assert said[1:] == ["1 revision hidden, because your own is not complete there yet."]
