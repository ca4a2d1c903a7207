"""Replaces the texts of a study by scrubbed texts, as one step."""

from dataclasses import replace

from annotate.transcript.utterance_text import with_text
from anonymize.pii_review.review_hits import read_stand_ins
from anonymize.release.private_content import scrub_texts
from project.entities.study_records import Changes
from project.queries.pii_rows import PiiDecision, PiiVerdict, pii_decisions, put_pii_decision, put_public_word
from project.queries.segment_rows import set_value, values_of
from project.queries.transcript_rows import find_utterance, update_utterance
from project.search.free_texts import FreeText, write_free_text
from project.session.session import Session
from project.store.study import Study
from project.timebase import utc_now


def replace_in_study(session: Session) -> tuple[int, Changes]:
    """Replace personal information in the study's own texts; return how many texts changed, and what.

    Undo brings the originals back, because the history of the study keeps them. Names that stand in for people are
    public from then on. Notes on participants and names of recordings stay: they never leave.
    """
    changed = [scrub_text for scrub_text in scrub_texts(session) if scrub_text.scrubbed.replacements]
    kept: dict[tuple[str, str, str], list[PiiDecision]] = {}
    for place, decision in pii_decisions(session.study).items():
        if decision.verdict is PiiVerdict.KEEP:
            kept.setdefault((place.table, place.row, place.field), []).append(decision)
    with session.step("Replace personal information in texts") as step:
        for scrubbed_text in changed:
            _write(session.study, scrubbed_text.text, scrubbed_text.scrubbed.text)
            # A decision holds in the words that it was made in: what was written here for a name beside it is no reason
            # to ask again, unless it is not sure which of several places was kept.
            for decision in kept.get((scrubbed_text.text.table, scrubbed_text.text.row, scrubbed_text.text.field), ()):
                word = decision.place.text
                if scrubbed_text.text.text.count(word) == scrubbed_text.scrubbed.text.count(word):
                    put_pii_decision(session.study, replace(decision, at=utc_now()))
        for name in read_stand_ins(session).values() if changed else ():
            put_public_word(session.study, name)
    return len(changed), step.changes


def _write(study: Study, at: FreeText, text: str) -> None:
    if at.table == "utterance" and (utterance := find_utterance(study, at.row)) is not None:
        update_utterance(study, with_text(utterance, text))
    elif at.table == "segment_value":
        set_value(study, replace(values_of(study, at.row)[at.field], value=text))
    else:
        write_free_text(study, at, text)
