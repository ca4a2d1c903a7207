"""Who changed what they had said after they were shown judges, and toward whom."""

from annotate.blinding.reveals import adopt, reveal, set_blind_first
from annotate.blinding.revisions import build_revision_report, find_revised_segments
from annotate.segments.segment_edits import delete_segments, move_segments, set_field, set_label
from annotate.study.recording_edits import undo
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import SECOND, mark, person

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def found(session: Session) -> list[tuple[str, object, object, tuple[str, ...]]]:
    return [
        (revision.part, revision.before, revision.after, revision.toward)
        for revision in build_revision_report(session).revisions
    ]


def test_a_change_after_the_reveal_is_a_revision_toward_who_says_the_new_and_not_the_old(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, "Left", label="error", attributes=["emotions", "norms"])
    judged(session, made, "Right", label="competence", attributes=["norms"])
    set_field(session, made, "channel", "both")
    assert reveal(session, made)
    assert found(session) == []
    set_label(session, [made], "error")
    set_field(session, made, "attributes", ["norms", "emotions"])
    assert found(session) == [
        ("label", "competence", "error", ("Left",)),
        ("attributes", ["norms"], ["emotions", "norms"], ("Left",)),
    ]
    report = build_revision_report(session)
    assert all(revision.at >= revision.seen_at[:19] for revision in report.revisions)
    (ada,) = report.annotators
    assert (ada.seen, ada.unprepared, ada.revised, ada.toward) == (1, 0, 1, {"Left": 1})
    assert find_revised_segments(session) == {made}


def test_what_was_changed_back_is_no_revision(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, label="error")
    reveal(session, made)
    set_label(session, [made], "error")
    undo(session)
    move_segments(session, [(made, SECOND, 6 * SECOND)])
    assert found(session) == []


def test_what_was_changed_away_from_judges_is_toward_nobody(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, label="competence", channel="verbal")
    reveal(session, made)
    set_field(session, made, "channel", "both")
    assert found(session) == [("channel", "verbal", "both", ())]


def test_a_text_that_was_taken_over_is_toward_its_judge(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    adopt(session, judged(session, made, "Model A", rationale="It listens.").id, "rationale")
    assert found(session) == [("rationale", "It waits.", "It listens.", ("Model A",))]


def test_a_segment_that_was_deleted_after_the_reveal_counts(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, label="error")
    reveal(session, made)
    delete_segments(session, [made])
    (revision,) = build_revision_report(session).revisions
    assert (revision.part, revision.before, revision.after, revision.toward) == ("label", "competence", None, ())
    assert revision.at


def test_it_is_ones_own_segment_that_counts_where_anothers_was_judged(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "error")
    mine = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, theirs, "Left", label="error")
    reveal(session, theirs)
    set_label(session, [mine], "error")
    (revision,) = build_revision_report(session).revisions
    assert (revision.segment_id, revision.own_id, revision.toward) == (theirs, mine, ("Left",))


def test_answers_in_the_form_for_people_are_compared_too(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "error")
    mark(session, "Ada", 40, 45)
    ada = person(session, "Ada").id
    judged(session, theirs, "Ada", annotator_id=ada, label="competence", at="2026-01-01T00:00:00.000Z")
    judged(session, theirs, "Left", label="error")
    reveal(session, theirs, "assess")
    assert found(session) == []
    judged(session, theirs, "Ada", annotator_id=ada, label="error", at="2100-01-01T00:00:00.000Z")
    assert found(session) == [("label", "competence", "error", ("Left",))]


def test_who_saw_judges_before_saying_anything_is_counted_apart(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "error")
    mark(session, "Ada", 40, 45)
    judged(session, theirs, label="error")
    set_blind_first(session, False)
    reveal(session, theirs)
    (ada,) = build_revision_report(session).annotators
    assert (ada.annotator.name, ada.seen, ada.unprepared, ada.revised) == ("Ada", 0, 1, 0)


def test_anothers_revision_tells_nobody_what_judges_say_too_early(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    mark(session, "Bo", 40, 45)
    judged(session, made, "Left", label="error")
    reveal(session, made)
    set_label(session, [made], "error")
    session.annotator_name = "Bo"
    report = build_revision_report(session)
    assert (report.revisions, report.hidden) == ((), 1)
    set_blind_first(session, False)
    assert build_revision_report(session).hidden == 0
