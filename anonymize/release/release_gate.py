"""Release rules that are checked from the study alone, before anything is rendered: one function a rule."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from annotate.study.leave_permission import LeaveUse, may_leave
from anonymize.faces.face_review import REASON_TEXTS
from anonymize.masking.mask_coverage import ReviewReason
from anonymize.methods.face_methods import missing_weights
from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_review.language_coverage import compute_coverage
from anonymize.privacy.privacy_job import missing_models
from anonymize.release.private_content import build_scrubber, collect_private
from anonymize.release.release_plan import KEEP, LEAVE_OUT, SCRUB, SOLID, ReleasePlan, keyed_checksum
from anonymize.release.release_rules import (
    ReleaseBlocker,
    ReleaseCandidate,
    Selection,
    remaining_blockers,
    select_candidates,
    valid_waivers,
)
from anonymize.release.release_texts import (
    ReleasedText,
    find_confirming_annotator,
    list_released_texts,
    scheme_words,
    unconfirmed_message,
)
from models.faces.face_detectors import DETECTORS, SEPARATOR, WITNESS_DETECTORS, find_independent
from project.codec import dump
from project.entities.study_records import Json, ParticipantRole, Run
from project.files.fingerprints import hash_whole_file, is_hash_cached
from project.integrity.integrity_check import rows_unlike_history, rows_without_history
from project.merging.merge import COPY_PROPERTY
from project.queries.face_rows import mask_state
from project.queries.history_rows import source_sha256
from project.queries.pii_rows import pii_decisions, public_words
from project.queries.segment_rows import segments_of
from project.session.optional_parts import NAMES
from project.session.session import Session
from project.text_format import escape_unprintable, pluralize
from project.timebase import format_time

# The renderer paints these frames over wholly, so nothing in them can be seen.
_BLANKED_REASONS = (ReviewReason.UNSEARCHED, ReviewReason.DAMAGED)
_MAX_LISTED = 100


def blockers_before_rendering(session: Session, plan: ReleasePlan, selection: Selection) -> list[ReleaseBlocker]:
    """Return everything that stands in the way and can be told without rendering, by rule and recording."""
    found = [*check_not_empty(selection), *check_history(session), *check_texts_reviewed(session, plan)]
    found += check_imported_codes(session, selection)
    for candidate in selection.candidates:
        for rule in RECORDING_RULES:
            found += rule(candidate)
    return found


def check_not_empty(selection: Selection) -> Iterator[ReleaseBlocker]:
    """Rule `something`."""
    if not selection.candidates:
        why = " ".join(f"Recording {number}: {text}" for number, text in sorted(selection.left_out.items()))
        yield ReleaseBlocker(
            "something", f"There is nothing to release. {why}".strip(), "Record who consented to release."
        )


_DECISION_TABLES = (
    *("consent", "participant", "appearance", "hold_out", "waiver", "private_word", "public_word", "pii_decision"),
    *("face_review", "seen_span", "track_correction", "region", "utterance", "property"),
)
"""Tables whose rows say what may leave, who is asked and what was reviewed."""
_PERMISSION_TABLES = (
    "consent",
    "waiver",
    "public_word",
    "pii_decision",
    "face_review",
    "seen_span",
    "track_correction",
)
"""Tables in which a row added by another program lets more out."""


def rows_past_history(
    session: Session, tables: Sequence[str], permissions: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return a sentence for each row of some tables that is not as the history says, and which it does not know.

    Those are told by table and key; only tables of rows that let something out (`permissions`) are searched for them.
    """
    query = session.study.rows
    # A copy that was split begins without a history.
    is_copy = session.study.get_property(COPY_PROPERTY) is not None
    return [*rows_unlike_history(query, tables)], [] if is_copy else [*rows_without_history(query, permissions)]


def check_history(session: Session) -> Iterator[ReleaseBlocker]:
    """Rule `history`. It reads the whole history: the release job waits for that, a window does not."""
    if not session.patient:
        return
    unlike, added = rows_past_history(session, _DECISION_TABLES, _PERMISSION_TABLES)
    if unlike:
        yield ReleaseBlocker(
            "history",
            f"{pluralize(len(unlike), 'row')} of the study {'is' if len(unlike) == 1 else 'are'} not what the history "
            "says: another program changed what people decided.",
            "greenroom study check STUDY lists them. Make these edits here, go back to a backup, or waive it with a "
            "reason.",
        )
    if added:
        listed = ", ".join(map(escape_unprintable, added[:_MAX_LISTED]))
        yield ReleaseBlocker(
            "history",
            f"Of {pluralize(len(added), 'row')} that {'says' if len(added) == 1 else 'say'} what may leave or was "
            f"reviewed, the history knows nothing: {listed}{', …' if len(added) > _MAX_LISTED else ''}.",
            "Another program may have added them. Take them back and decide here, or waive it with a reason.",
        )


def check_texts_reviewed(
    session: Session, plan: ReleasePlan, found: Sequence[ReleasedText] | None = None
) -> Iterator[ReleaseBlocker]:
    """Rule `texts-reviewed`; `found` are the free texts, where they are at hand.

    Where they cannot be scrubbed, the rule `pii-reviewed` stops each recording.
    """
    if plan.texts != SCRUB or not NAMES.is_installed:
        return
    texts = list_released_texts(session) if found is None else found
    if texts and find_confirming_annotator(session, texts) is None:
        hint = "Read them, then confirm: greenroom release texts STUDY --confirm"
        yield ReleaseBlocker("texts-reviewed", unconfirmed_message(len(texts)), hint)


def check_imported_codes(session: Session, selection: Selection) -> Iterator[ReleaseBlocker]:
    """Rule `pii-reviewed`: the words of a scheme that an import made of a file leave as they are."""
    words: dict[str, None] = {}
    for scheme in session.schemes:
        if scheme.source and any(
            segments_of(session.study, candidate.recording.id, scheme=scheme.key) for candidate in selection.candidates
        ):
            words |= dict.fromkeys(scheme_words(scheme))
    if not words:
        return
    if not NAMES.is_installed:
        yield ReleaseBlocker("pii-reviewed", NAMES.missing_text, NAMES.hint, waivable=False, weights=NAMES.name)
        return
    scrubber = build_scrubber(session)
    found = [word for word in words if scrubber.scrub(word).replacements]
    if found:
        listed = ", ".join(f"“{escape_unprintable(word)}”" for word in found[:_MAX_LISTED])
        yield ReleaseBlocker(
            "pii-reviewed",
            f"Words of imported schemes leave as they are, and some look personal: {listed}.",
            "Rename them in the code book (Study > Schemes…), or in the file before the import; or keep them: "
            "greenroom pii review STUDY --keep --everywhere --text WORD",
        )


def check_file_present(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `file`. A recording without any file has only texts, and needs none."""
    if candidate.medium is not None and not candidate.has_file:
        yield candidate.build_blocker(
            "file",
            f"The file of recording {candidate.number} is missing or was replaced.",
            "Put it back, or relink its folder.",
        )


def check_file_unchanged(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `file`, byte by byte: the file is the one in which faces were looked for.

    It is read whole: the release job waits for that, a window does not.
    """
    if candidate.face_run is None or candidate.medium is None:
        return
    known, path = source_sha256(candidate.face_run), candidate.session.locate(candidate.medium).path
    looked = not known or candidate.session.patient or is_hash_cached(path)
    if looked and hash_whole_file(path).sha256 != known:
        yield candidate.build_blocker(
            "file",
            f"The file of recording {candidate.number} was changed since its faces were tracked.",
            f"Restore the file, or track its faces again: greenroom faces track STUDY --recording {candidate.number}",
        )


def check_faces_tracked(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `faces-tracked`."""
    if candidate.has_picture and candidate.has_file and candidate.face_run is None:
        yield candidate.build_blocker(
            "faces-tracked",
            f"No faces were looked for in recording {candidate.number}.",
            "Find them: greenroom faces track STUDY",
        )


def check_faces_reviewed(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `faces-reviewed`."""
    if candidate.face_run is None or candidate.faces is None or candidate.faces.reviews:
        return
    if candidate.faces.revoked:
        sentence = f"The faces of recording {candidate.number} were changed after they were reviewed."
    else:
        sentence = f"Nobody reviewed the faces of recording {candidate.number}."
    yield candidate.build_blocker("faces-reviewed", sentence, "Review them: greenroom faces review STUDY")


def check_uncovered(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `uncovered`: every place that needs a look and had none."""
    if candidate.face_run is None or candidate.faces is None:
        return
    for span in candidate.faces.pending:
        if span.reason not in _BLANKED_REASONS:
            at = f"{format_time(span.start_us)} to {format_time(span.end_us)}"
            yield candidate.build_blocker(
                "uncovered",
                f"Recording {candidate.number}, {at}: {REASON_TEXTS[span.reason]}.",
                "Look at it on the Faces page: cover the face, or say that all are covered.",
                span.start_us,
            )


def check_consent_known(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `consent-known`: nobody is said to appear, or a face that is not painted solid belongs to nobody known."""
    hint = "Add who appears and what they consented to: greenroom participant set --help"
    if not may_leave(candidate.session, candidate.recording.id, LeaveUse.RELEASE_OF_PICTURES).people:
        yield candidate.build_blocker(
            "consent-known", f"Nobody is said to appear in recording {candidate.number}.", hint
        )
    if (
        candidate.faces is None
        or candidate.plan.without_consent == SOLID
        or set(candidate.plan.methods_for(candidate.number)) <= {SOLID}
    ):
        return
    unknown = candidate.faces.unassigned_faces
    if unknown:
        yield candidate.build_blocker(
            "consent-known",
            f"{pluralize(len(unknown), 'face track')} of recording {candidate.number} "
            f"{'belongs' if len(unknown) == 1 else 'belong'} to nobody, so nobody was asked.",
            "Assign each to a participant, dismiss what is no face, or paint faces of nobody known solid.",
            int(unknown[0].times_us[0]),
        )


def check_sound_consent(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `sound-consent`: a voice tells who speaks, so it stays as it is only where everybody consented.

    Where voices are changed, those who did not consent are muted.
    """
    if not candidate.releases_sound:
        return
    hint = "Release without sound, or ask them."
    if candidate.refusing and candidate.plan.sound == KEEP:
        yield candidate.build_blocker(
            "sound-consent",
            f"{pluralize(len(candidate.refusing), 'participant')} of recording {candidate.number} "
            "did not consent to release, and voices tell who speaks.",
            hint,
        )
    elif not any(who.role is not ParticipantRole.ROBOT for who in candidate.people):
        yield candidate.build_blocker(
            "sound-consent", f"It is not known who is heard in recording {candidate.number}.", hint
        )


def check_transcript(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `transcript`: what is not written down was not searched for names, and nobody knows who says it."""
    if not candidate.releases_sound or not candidate.has_file:
        return
    if candidate.speech.run is None:
        yield candidate.build_blocker(
            "transcript",
            f"Nobody looked for speech in the sound of recording {candidate.number} as it is now.",
            "Look for it: greenroom speech transcribe STUDY --speech-only",
        )
    elif candidate.face_run is not None and not _is_same_source(candidate.speech.run, candidate.face_run):
        yield candidate.build_blocker(
            "transcript",
            f"Speech was looked for in recording {candidate.number} before its file was last changed.",
            "Look for it again: greenroom speech transcribe STUDY --speech-only",
        )
    for start, end in candidate.speech.untranscribed:
        yield candidate.build_blocker(
            "transcript",
            f"Recording {candidate.number}, {format_time(start)} to {format_time(end)}: "
            "somebody speaks, and the transcript has nothing there.",
            "Write down what is said, or recognise it: greenroom speech transcribe STUDY",
            start,
        )


def _is_same_source(listened: Run, looked: Run) -> bool:
    """Tell whether a run listened to the file, byte by byte, in which another one looked for faces."""
    heard = source_sha256(listened)
    return bool(heard) and heard == source_sha256(looked)


def check_transcript_checked(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `transcript-checked`, where sound leaves."""
    if candidate.releases_sound:
        yield from check_drafts(candidate)


def check_drafts(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Yield what stands in the way while drafts are left: a name that was misheard is no name in the transcript."""
    drafts = candidate.speech.drafts
    if drafts:
        yield candidate.build_blocker(
            "transcript-checked",
            f"Nobody checked {pluralize(len(drafts), 'utterance')} of recording {candidate.number}.",
            "Listen to them on the Transcript page and mark them as checked.",
            drafts[0].start_us,
        )


def check_voice_known(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `voice`: a voice of nobody known may be that of somebody who was not asked."""
    unknown = candidate.speech.unattributed if candidate.releases_sound else []
    if unknown:
        lost = " They are muted, because somebody in it did not consent." if candidate.refusing else ""
        yield candidate.build_blocker(
            "voice",
            f"It is not confirmed who says {pluralize(len(unknown), 'utterance')} "
            f"of recording {candidate.number}.{lost}",
            "Say who speaks on the Transcript page; what is only suggested counts when somebody confirms it.",
            unknown[0].start_us,
        )


def check_pii_reviewed(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rule `pii-reviewed`: texts that cannot be searched, places that nobody decided on, languages not covered."""
    if candidate.releases_speech and not NAMES.is_installed:
        yield candidate.build_blocker(
            "pii-reviewed",
            f"Recording {candidate.number}: {NAMES.missing_text}",
            NAMES.hint,
            waivable=False,
            weights=NAMES.name,
        )
        return
    # This searches what was not searched yet, so it goes before the question what searched the transcript.
    hits = candidate.personal.undecided(
        candidate.recording.id, texts=candidate.plan.texts == SCRUB, speech=candidate.releases_sound
    )
    yield from _language_gap(candidate)
    hint = "Decide: greenroom pii review STUDY"
    for hit in hits[:_MAX_LISTED]:
        # It says what kind it is, never what stands there.
        where, kind = "utterance" if hit.is_spoken else hit.place.field, KINDS[hit.kind].title.lower()
        sentence = f"Recording {candidate.number}, {format_time(hit.time_us)}, {where}: undecided ({kind})."
        yield candidate.build_blocker("pii-reviewed", sentence, hint, hit.time_us, waivable=False)
    if len(hits) > _MAX_LISTED:
        more = pluralize(len(hits) - _MAX_LISTED, "further place")
        sentence = f"Recording {candidate.number}: {more} undecided."
        yield candidate.build_blocker("pii-reviewed", sentence, hint, hits[_MAX_LISTED].time_us, waivable=False)


def _language_gap(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Yield that the transcript is not mostly in a language with rules of which a model of names searched it."""
    if not candidate.releases_speech:
        return
    coverage = compute_coverage(candidate.session, candidate.recording.id)
    if not coverage.is_mostly_covered:
        yield candidate.build_blocker(
            "pii-reviewed",
            f"Recording {candidate.number}, transcript: {coverage.problem_text()}.",
            f"{coverage.hint_text()} Or read the whole transcript, hide what is personal, "
            "and waive this with a reason: "
            f'greenroom release make STUDY --waive pii-reviewed:{candidate.number}="WHY".',
            weights=coverage.suggested_model,
        )


def check_models_installed(candidate: ReleaseCandidate) -> Iterator[ReleaseBlocker]:
    """Rules `rendered`, `independent-check` and `privacy-measured`, as far as the installed models tell.

    So nothing is rendered that would be refused for a model that is missing.
    """
    if candidate.face_run is None or candidate.faces is None:
        return
    number = candidate.number
    for method in candidate.plan.methods_for(number):
        for name in missing_weights(method):
            yield candidate.build_blocker(
                "rendered",
                f"Recording {number}, {method}: the model {name} is not installed.",
                f"Get it, or choose another method: greenroom model fetch {name}",
                waivable=False,
                weights=name,
            )
    tracked_by = candidate.face_run.backend
    if find_independent(tracked_by) is None:
        detectors = (*WITNESS_DETECTORS, *DETECTORS.weights)
        others = [DETECTORS.weights[name] for name in detectors if name not in tracked_by.split(SEPARATOR)]
        yield candidate.build_blocker(
            "independent-check",
            f"No detector is installed but {tracked_by}, which found the faces of recording {number}.",
            f"Get another one, or waive this rule with a reason: greenroom model fetch {others[0]}"
            if others
            else "Track the faces with fewer detectors, or waive this rule with a reason.",
            weights=others[0] if others else "",
        )
    if any(not face.dismissed for face in candidate.faces.faces):
        for name in missing_models():
            yield candidate.build_blocker(
                "privacy-measured",
                f"How private recording {number} is cannot be measured: the model {name} is not installed.",
                f"Get it, or waive this rule with a reason: greenroom model fetch {name}",
                weights=name,
            )


RECORDING_RULES: tuple[Callable[[ReleaseCandidate], Iterator[ReleaseBlocker]], ...] = (
    check_file_present,
    check_file_unchanged,
    check_faces_tracked,
    check_faces_reviewed,
    check_uncovered,
    check_consent_known,
    check_sound_consent,
    check_transcript,
    check_transcript_checked,
    check_voice_known,
    check_pii_reviewed,
    check_models_installed,
)
"""The rules about one recording that need no rendering."""


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

    The study file may be open elsewhere; `signed` is the `compute_signature` with which the release was begun.
    """
    with Session.open(study, None, read_only=True) as session:
        written = replace(plan, texts=LEAVE_OUT)
        blockers = blockers_before_rendering(session, written, select_candidates(session, written))
        left = remaining_blockers(blockers, valid_waivers(session))
        if left or compute_signature(session, plan, select_candidates(session, plan), key) == signed:
            return left
    return [
        ReleaseBlocker(
            "rendered",
            "Faces, speech, participants, consent or private words were changed while the release was made.",
            "Release again: recordings that did not change are not rendered anew.",
        )
    ]
