"""Edits of a release: its plan, waived rules, private words, and the confirmation that texts were read."""

from collections.abc import Mapping
from dataclasses import replace

from anonymize.release.release_plan import PLAN_PROPERTY, ReleasePlan, require_possible
from anonymize.release.release_rules import MIN_REASON_WORDS, RULES
from anonymize.release.release_texts import (
    CONFIRMATION_PROPERTY,
    build_confirmation,
    list_released_texts,
    texts_checksum,
    transcript_checksums,
)
from project.codec import dump
from project.entities.study_records import Changes, Json, Waiver
from project.errors import UserError
from project.ids import new_id
from project.queries import pii_rows, policy_rows
from project.queries.pii_rows import PrivateWord
from project.session.session import Session
from project.timebase import utc_now


def store_plan(session: Session, plan: ReleasePlan) -> Changes:
    """Remember what a release of this study is to hold."""
    require_possible(plan)
    with session.step("Choose what is released", merge_key="release plan") as step:
        session.study.set_property(PLAN_PROPERTY, dump(plan))
    return step.changes


def waive_rule(session: Session, rule: str, recording_id: str | None, reason: str) -> Changes:
    """Do without a rule, for a recording or, where it is None, for all; the reason is printed in the data card."""
    if rule not in RULES:
        raise UserError(f"There is no rule “{rule}”.", f"Rules that can be waived: {', '.join(waivable_rules())}.")
    if not RULES[rule].waivable:
        raise UserError(f"The rule “{rule}” cannot be waived.", f"These can: {', '.join(waivable_rules())}.")
    said = " ".join(reason.split())
    if len(said.split()) < MIN_REASON_WORDS:
        raise UserError(
            "A waiver needs a reason.", f"Say in {MIN_REASON_WORDS} words or more why; it is printed in the data card."
        )
    with session.step(f"Waive {rule}") as step:
        who = session.annotator()
        assert who is not None
        for waiver in policy_rows.waivers(session.study):
            if (waiver.rule, waiver.recording_id) == (rule, recording_id):
                policy_rows.delete_waiver(session.study, waiver.id)
        policy_rows.insert_waiver(session.study, Waiver(new_id(), recording_id, rule, said, who.id, utc_now()))
    return step.changes


def withdraw_waiver(session: Session, rule: str, recording_id: str | None) -> Changes:
    """Take a waiver back."""
    found = [
        waiver
        for waiver in policy_rows.waivers(session.study)
        if (waiver.rule, waiver.recording_id) == (rule, recording_id)
    ]
    if not found:
        raise UserError(f"The rule “{rule}” is not waived there.", "See which are: greenroom release STUDY --dry-run")
    with session.step(f"Withdraw waiver of {rule}") as step:
        for waiver in found:
            policy_rows.delete_waiver(session.study, waiver.id)
    return step.changes


def waivable_rules() -> list[str]:
    """Return the keys of the rules that can be waived."""
    return [key for key, rule in RULES.items() if rule.waivable]


def set_private_words(session: Session, words: Mapping[str, str]) -> Changes:
    """Replace the study's private words: word or phrase -> what is written in its place. Kinds of known ones stay."""
    clean = {" ".join(word.split()): " ".join(after.split()) for word, after in words.items()}
    if not all(clean) or not all(clean.values()):
        raise UserError("A private word is empty, or what stands for it.", "Write both, such as Anna = P01.")
    before = {private_word.word: private_word for private_word in pii_rows.private_words(session.study)}
    with session.step("Set private words") as step:
        for word in before.keys() - clean.keys():
            pii_rows.delete_private_word(session.study, word)
        for word, after in clean.items():
            known = before.get(word, PrivateWord(word, ""))
            if known.replacement != after:
                pii_rows.put_private_word(session.study, replace(known, replacement=after))
    return step.changes


def confirm_texts(session: Session, state: str | None = None) -> Changes:
    """Say that one has read all scrubbed texts as they are now.

    Args:
        session: of the study.
        state: of the texts that were read, where they may have changed since.
    """
    texts = list_released_texts(session)
    now = texts_checksum(texts)
    if state is not None and state != now:
        raise UserError("The texts were changed meanwhile.", "Read those that are marked, then confirm again.")
    with session.step("Confirm scrubbed texts") as step:
        read: dict[str, Json] = {**build_confirmation(session, texts), "spoken": {**transcript_checksums(texts)}}
        session.study.set_property(CONFIRMATION_PROPERTY, read)
    return step.changes
