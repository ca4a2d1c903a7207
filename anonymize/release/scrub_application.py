"""Replaces the texts of a study by scrubbed texts, as one step."""

from dataclasses import replace
from typing import Any

from annotate.transcript.utterance_text import with_text
from anonymize.pii_review.review_hits import read_stand_ins
from anonymize.release.private_content import scrub_texts
from project.entities.questions import LookKind, Question, SummarySource
from project.entities.roleplay import Profile
from project.entities.study_records import Changes
from project.queries.annotator_rows import review_by, set_review
from project.queries.chain_rows import chain_reviews, find_node, rename_chain, set_chain_review, update_node
from project.queries.episode_rows import (
    PROFILE_COLUMNS,
    all_characters,
    all_scenarios,
    episode_agents,
    find_episode,
    set_agents,
    set_character,
    set_episode,
    set_scenario,
)
from project.queries.pii_rows import PiiDecision, PiiVerdict, pii_decisions, put_pii_decision, put_public_word
from project.queries.question_rows import (
    find_contradiction,
    find_question,
    person_descriptions,
    set_person_description,
    set_summary,
    set_verification,
    summaries_of,
    update_contradiction,
    update_question,
    verifications_of,
)
from project.queries.recording_rows import all_collections, update_collection
from project.queries.segment_rows import find_comment, set_value, update_comment, values_of
from project.queries.transcript_rows import find_utterance, update_utterance
from project.search.free_texts import BOND_PREFIX, GOAL_PREFIX, WRONG_OPTION_PREFIX, FreeText
from project.session.session import Session
from project.store.study import Study
from project.timebase import utc_now


def write_chain_text(study: Study, at: FreeText, text: str) -> None:
    """Write one text; inside a step. What others said about a chain or a question was said about its words before."""
    if at.table == "chain":
        rename_chain(study, at.row, text)
    elif at.table == "chain_node" and (node := find_node(study, at.row)) is not None:
        update_node(study, replace(node, text=text))
    elif at.table == "chain_review":
        chain_id, who = at.row.split("/")
        for review in chain_reviews(study, chain_id):
            if review.reviewer_id == who:
                set_chain_review(study, replace(review, note=text))
    elif at.table == "question" and (question := find_question(study, at.row)) is not None:
        update_question(study, _replace_question_text(question, at.field, text))
    elif at.table == "verification":
        question_id, who = at.row.split("/")
        for said in verifications_of(study, question_id):
            if said.annotator_id == who:
                set_verification(study, replace(said, note=text))
    else:
        _write_meta(study, at, text)


def _replace_question_text(question: Question, field: str, text: str) -> Question:
    if field == "text":
        return replace(question, text=text)
    if field == "answer":
        return replace(question, answer=text)
    if field == "explanation":
        return replace(question, explanation=text)
    number = int(field.removeprefix(WRONG_OPTION_PREFIX)) - 1
    options = [
        replace(wrong_option, text=text) if at == number else wrong_option
        for at, wrong_option in enumerate(question.wrong)
    ]
    return replace(question, wrong=tuple(options))


def _write_meta(study: Study, at: FreeText, text: str) -> None:
    if at.table == "look":
        recording_id, who = at.row.split("/")
        for look in person_descriptions(study, recording_id):
            if (look.participant_id, look.kind) == (who, LookKind(at.field)):
                set_person_description(study, replace(look, text=text))
    elif at.table == "summary":
        summary = summaries_of(study, at.row).get(SummarySource(at.field))
        if summary is not None:
            set_summary(study, replace(summary, text=text))
    elif at.table == "contradiction" and (found := find_contradiction(study, at.row)) is not None:
        changed = replace(found, text=text) if at.field == "text" else replace(found, resolution=text)
        update_contradiction(study, changed)


EPISODE_TABLES = frozenset({"character", "scenario", "episode", "episode_agent"})


def write_episode_text(study: Study, at: FreeText, text: str) -> None:
    """Write one text of one of `EPISODE_TABLES`; inside a step."""
    if at.table == "character":
        _write_character(study, at, text)
    elif at.table == "scenario":
        _write_scenario(study, at, text)
    elif at.table == "episode" and (episode := find_episode(study, at.row)) is not None:
        set_episode(study, replace(episode, context=text))
    elif at.table == "episode_agent":
        recording_id, position = at.row.rsplit("/", 1)
        for agent in episode_agents(study, recording_id):
            if agent.position == int(position):
                if at.field == "goal":
                    set_agents(study, [replace(agent, goal=text)])
                else:
                    set_agents(study, [replace(agent, profile=_replace_profile_text(agent.profile, at.field, text))])


def _write_character(study: Study, at: FreeText, text: str) -> None:
    for character in all_characters(study):
        if character.id != at.row:
            continue
        if at.field.startswith(BOND_PREFIX):
            number = int(at.field.removeprefix(BOND_PREFIX)) - 1
            bonds = [*character.bonds]
            bonds[number] = replace(bonds[number], story=text)
            set_character(study, replace(character, bonds=tuple(bonds)))
        else:
            set_character(study, replace(character, profile=_replace_profile_text(character.profile, at.field, text)))


def _write_scenario(study: Study, at: FreeText, text: str) -> None:
    for scenario in all_scenarios(study):
        if scenario.id != at.row:
            continue
        if at.field.startswith(GOAL_PREFIX):
            number = int(at.field.removeprefix(GOAL_PREFIX)) - 1
            goals = tuple(text if place == number else goal for place, goal in enumerate(scenario.goals))
            set_scenario(study, replace(scenario, goals=goals))
        else:
            changed: dict[str, Any] = {at.field: text}
            set_scenario(study, replace(scenario, **changed))


def _replace_profile_text(profile: Profile, field: str, text: str) -> Profile:
    changed: dict[str, Any] = {field: text} if field in PROFILE_COLUMNS else {}
    return replace(profile, **changed)


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
            _write(session, scrubbed_text.text, scrubbed_text.scrubbed.text)
            # A decision holds in the words that it was made in: what was written here for a name beside it is no reason
            # to ask again, unless it is not sure which of several places was kept.
            for decision in kept.get((scrubbed_text.text.table, scrubbed_text.text.row, scrubbed_text.text.field), ()):
                word = decision.place.text
                if scrubbed_text.text.text.count(word) == scrubbed_text.scrubbed.text.count(word):
                    put_pii_decision(session.study, replace(decision, at=utc_now()))
        for name in read_stand_ins(session).values() if changed else ():
            put_public_word(session.study, name)
    return len(changed), step.changes


def _write(session: Session, at: FreeText, text: str) -> None:
    study = session.study
    if at.table == "utterance" and (said := find_utterance(study, at.row)) is not None:
        update_utterance(study, with_text(said, text))
    elif at.table == "segment_value" and (value := values_of(study, at.row).get(at.field)) is not None:
        set_value(study, replace(value, value=text))
    elif at.table == "comment" and (said_about := find_comment(study, at.row)) is not None:
        update_comment(study, replace(said_about, text=text))
    elif at.table == "review":
        segment_id, reviewer_id = at.row.split("/")
        if (review := review_by(study, segment_id, reviewer_id)) is not None:
            set_review(study, replace(review, note=text))
    elif at.table == "collection":
        for collection in all_collections(study):
            if collection.id == at.row:
                update_collection(study, replace(collection, **{at.field: text}))
    elif at.table in EPISODE_TABLES:
        write_episode_text(study, at, text)
    else:
        write_chain_text(study, at, text)
