"""Rechecks before publication whether a finished release is still allowed: the study may have been edited meanwhile."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from anonymize.release.private_content import collect_private
from anonymize.release.release_gate import Selection, blockers_before_rendering, select_candidates
from anonymize.release.release_plan import LEAVE_OUT, ReleasePlan, keyed_checksum
from anonymize.release.release_rules import MIN_REASON_WORDS, RULES, ReleaseBlocker, remaining_blockers
from project.codec import dump
from project.entities.study_records import Json, Waiver
from project.queries.face_rows import mask_state
from project.queries.pii_rows import pii_decisions, public_words
from project.queries.policy_rows import waivers
from project.queries.recording_rows import all_recordings
from project.session.session import Session


def numbered_waivers(session: Session) -> list[tuple[Waiver, int | None]]:
    """Return the waivers that count, with the number of their recording, None for all.

    One of a recording that is gone counts for nothing, and so does one without a reason in words or of a rule that
    cannot be waived: no program of ours writes such a one.
    """
    numbers = {recording.id: recording.number for recording in all_recordings(session.study)}
    return [
        (waiver, None if waiver.recording_id is None else numbers[waiver.recording_id])
        for waiver in waivers(session.study)
        if (waiver.recording_id is None or waiver.recording_id in numbers)
        and waiver.rule in RULES
        and RULES[waiver.rule].waivable
        and len(waiver.reason.split()) >= MIN_REASON_WORDS
    ]


def compute_signature(session: Session, plan: ReleasePlan, selection: Selection, key: str) -> str:
    """Return a sealed checksum over all that decides who is hidden, who is in it, and which words must not leave."""
    facts = [
        [
            candidate.number,
            mask_state(session.study, candidate.recording.id),
            sorted(candidate.solid_face_ids),
            sorted([who.pseudonym, who.role.value] for who in candidate.people),
            sorted(who.pseudonym for who in candidate.refusing),
            candidate.audio_treatment and dump(candidate.audio_treatment),
            candidate.sound_track,
        ]
        for candidate in selection.candidates
    ]
    about = [facts, _decisions_json(session, selection), dump(collect_private(session)), dump(plan)]
    return keyed_checksum(key, json.dumps(about, sort_keys=True))


def _decisions_json(session: Session, selection: Selection) -> list[Json]:
    """Return what people decided on personal information in recordings of a release, and which words are public."""
    inside = {None, *(candidate.recording.id for candidate in selection.candidates)}
    places = sorted(
        [at.table, at.row, at.field, at.text, at.ordinal, pii_decision.kind, pii_decision.verdict.value]
        for at, pii_decision in pii_decisions(session.study).items()
        if pii_decision.recording_id in inside
    )
    return [cast(Json, places), cast(Json, sorted(public_words(session.study)))]


def recheck_blockers(study: Path, plan: ReleasePlan, signed: str, key: str) -> Sequence[ReleaseBlocker]:
    """Return what stands in the way by now of a release that was made of an earlier state of a study.

    Annotations may go on being edited: what is in the release is as it was when the release was begun. Not so the
    transcript where sound leaves: a word that moved or was written meanwhile may have to be covered.

    Args:
        study: path of the study file, which may be open elsewhere.
        plan: of the release.
        signed: its `compute_signature` when it was begun.
        key: of the study's releases.
    """
    with Session.open(study, None, read_only=True) as session:
        written = replace(plan, texts=LEAVE_OUT)
        waived = [(waiver.rule, number) for waiver, number in numbered_waivers(session)]
        left = remaining_blockers(
            blockers_before_rendering(session, written, select_candidates(session, written)), waived
        )
        if left or compute_signature(session, plan, select_candidates(session, plan), key) == signed:
            return left
    return [
        ReleaseBlocker(
            "rendered",
            None,
            None,
            "Faces, speech, participants, consent or private words were changed while the release was made.",
            "Release again: recordings that did not change are not rendered anew.",
        )
    ]
