"""Writes the scrubbed texts over those of the study, as one step."""

from dataclasses import replace

from app.core.clock import utc_now
from app.core.commands.pii_apply_chains import write_chain_text
from app.core.commands.pii_apply_episodes import TABLES, write_episode_text
from app.core.pii.copies import scrubbed_texts
from app.core.pii.replacing import stand_ins
from app.core.session import Session
from app.core.speech.utterance_edits import rewritten
from project.queries.collections import all_collections, update_collection
from project.queries.comments import comment, update_comment
from project.queries.free_texts import FreeText
from project.queries.pii import PiiDecision, PiiVerdict, pii_decisions, put_pii_decision
from project.queries.private_words import put_public_word
from project.queries.reviews import review_by, set_review
from project.queries.segments import set_value, values_of
from project.queries.utterances import update_utterance, utterance
from project.types import Changes


def replace_in_study(session: Session) -> tuple[int, Changes]:
    """Replace personal information in the study's own texts; return how many texts changed, and what.

    Undo brings the originals back, because the history of the study keeps them. Names that stand in for people are
    public from then on. Notes on participants and names of recordings stay: they never leave.
    """
    changed = [one for one in scrubbed_texts(session) if one.scrubbed.replacements]
    kept: dict[tuple[str, str, str], list[PiiDecision]] = {}
    for place, decision in pii_decisions(session.study).items():
        if decision.verdict is PiiVerdict.KEEP:
            kept.setdefault((place.table, place.row, place.field), []).append(decision)
    with session.step("Replace personal information in texts") as step:
        for one in changed:
            _write(session, one.text, one.scrubbed.text)
            # A decision holds in the words that it was made in: what was written here for a name beside it is no reason
            # to ask again, unless it is not sure which of several places was kept.
            for decision in kept.get((one.text.table, one.text.row, one.text.field), ()):
                word = decision.place.text
                if one.text.text.count(word) == one.scrubbed.text.count(word):
                    put_pii_decision(session.study, replace(decision, at=utc_now()))
        for name in stand_ins(session).values() if changed else ():
            put_public_word(session.study, name)
    return len(changed), step.changes


def _write(session: Session, at: FreeText, text: str) -> None:
    study = session.study
    if at.table == "utterance" and (said := utterance(study, at.row)) is not None:
        update_utterance(study, rewritten(said, text))
    elif at.table == "segment_value" and (value := values_of(study, at.row).get(at.field)) is not None:
        set_value(study, replace(value, value=text))
    elif at.table == "comment" and (said_about := comment(study, at.row)) is not None:
        update_comment(study, replace(said_about, text=text))
    elif at.table == "review":
        segment_id, reviewer_id = at.row.split("/")
        if (review := review_by(study, segment_id, reviewer_id)) is not None:
            set_review(study, replace(review, note=text))
    elif at.table == "collection":
        for one in all_collections(study):
            if one.id == at.row:
                update_collection(study, replace(one, **{at.field: text}))
    elif at.table in TABLES:
        write_episode_text(study, at, text)
    else:
        write_chain_text(study, at, text)
