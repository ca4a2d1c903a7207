"""Imports and exports the transcript of a recording."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType

from annotate.interchange.annotation_files import get_format, read_file
from annotate.interchange.bounded_files import MEGABYTE, damaged_file_error, read_text
from annotate.interchange.document import Document
from annotate.interchange.document_export import build_document, exportable_recordings
from annotate.interchange.document_import import import_step, insert_planned, plan_document_import
from annotate.interchange.lane_mapping import EntryTarget, ImportMapping, LaneTarget, guess_mapping
from annotate.transcript.conversation_history import export_lines, transcript_to_json
from annotate.transcript.utterance_drafts import list_kept_utterances, require_empty_transcript
from media.encoding import atomic_output
from project.entities.study_records import Changes, Utterance
from project.errors import UserError
from project.queries.recording_rows import media_of
from project.queries.transcript_rows import delete_utterance, utterances_of
from project.session.session import Session
from project.store.column_values import to_json
from project.text_format import escape_unprintable

LINES, JSON = "lines", "json"
TRANSCRIPT_FORMATS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        LINES: (".txt", "one line an utterance, with cues in brackets"),
        JSON: (".json", "utterances with words, cues and responses"),
        "srt": (".srt", "SubRip captions"),
        "webvtt": (".vtt", "WebVTT captions"),
        "textgrid": (".TextGrid", "Praat, a tier for each speaker"),
        "eaf": (".eaf", "ELAN, a tier for each speaker"),
        "csv": (".csv", "a table"),
    }
)
"""Key of an export format -> suffix and description."""


@dataclass(frozen=True, slots=True)
class TranscriptImportResult:
    """What came of an import.

    Attributes:
        added: how many utterances are new.
        known: how many were there already.
        removed: how many drafts made room for them.
        left_out: how many entries of the file are left out.
        remarks: one line for each thing that was left out or changed on the way.
    """

    added: int
    known: int
    removed: int
    left_out: int
    remarks: tuple[str, ...]
    changes: Changes


def import_transcript(
    session: Session,
    recording_id: str,
    path: Path,
    key: str | None = None,
    *,
    replace_drafts: bool = False,
    keep_rest: bool = False,
) -> TranscriptImportResult:
    """Put what a file says was spoken into a recording's transcript, as one step.

    The file is of any format that `greenroom segment import` reads; `key` names it where the file does not show it.
    With `replace_drafts`, drafts that nobody touched make room; with `keep_rest`, what looks like somebody who withdrew
    comes in all the same.
    """
    require_empty_transcript(session, recording_id, replace_drafts)
    if not path.is_file() or path.stat().st_size < MEGABYTE:
        _require_content(path)
    document = read_file(path, key)
    mapping, remarks = _map_spoken_lanes(session, document, path)
    number = session.recording(recording_id).number
    with import_step(session, f"Import {path.name} into recording {number}", keep_rest=keep_rest) as step:
        kept = {utterance.id for utterance in list_kept_utterances(session, recording_id)}
        drafts = [utterance for utterance in utterances_of(session.study, recording_id) if utterance.id not in kept]
        for draft in drafts:
            delete_utterance(session.study, draft.id)
        found = plan_document_import(session, document, mapping, [recording_id])
        insert_planned(session, found)
    overlapping = _count_overlapping(found.new_utterances)
    if overlapping:
        remarks.append(f"Utterances that begin before another one ends: {overlapping}; they are kept so.")
    for lane in found.lanes:
        if lane.target.becomes is EntryTarget.UTTERANCES:
            remarks += [f"{count} left out: {why}." for why, count in lane.left_out.items()]
            remarks += [f"{count} {remark}." for remark, count in lane.remarks.items()]
    return TranscriptImportResult(
        len(found.new_utterances), found.known, len(drafts), found.left_out, (*found.remarks, *remarks), step.changes
    )


def export_transcript(session: Session, recording_id: str, path: Path, key: str, *, overwrite: bool = False) -> None:
    """Write a recording's transcript to a file. Hold-outs are never exported. `key` is one of `TRANSCRIPT_FORMATS`."""
    text = None if key not in (LINES, JSON) else transcript_text(session, recording_id, key)
    document = _only_speech(build_document(session, exportable_recordings(session, [recording_id])))
    media = [place for medium in media_of(session.study, recording_id) if (place := session.media_path(medium))]
    with atomic_output(path, (session.study.path, *media), overwrite=overwrite) as temporary:
        if text is None:
            get_format(key).write(document, temporary)
        else:
            temporary.write_text(text, "utf-8", newline="\n")


def transcript_text(session: Session, recording_id: str, key: str = LINES) -> str:
    """Return a recording's transcript as lines or as JSON."""
    exportable_recordings(session, [recording_id])
    lines = key == LINES
    return export_lines(session, recording_id) if lines else to_json(transcript_to_json(session, recording_id)) + "\n"


def guess_transcript_format(path: Path) -> str:
    """Return the key of the format that the end of a file's name stands for."""
    for key, (suffix, _) in TRANSCRIPT_FORMATS.items():
        if path.name.lower().endswith(suffix.lower()):
            return key
    raise UserError(
        f"The format of {escape_unprintable(path.name)} is unknown.",
        f"End the name in one of {', '.join(suffix for suffix, _ in TRANSCRIPT_FORMATS.values())}, or give --format.",
    )


def _require_content(path: Path) -> None:
    if not read_text(path, MEGABYTE).strip():
        raise damaged_file_error(path, "it is empty")


def _map_spoken_lanes(session: Session, document: Document, path: Path) -> tuple[ImportMapping, list[str]]:
    """Return the mapping of each lane, to utterances if it is speech, else to nothing; and remarks on the latter."""
    if len(document.recordings) != 1 or document.rows:
        raise UserError(
            f"{escape_unprintable(path.name)} covers a whole study or several recordings.",
            "Use: greenroom segment import STUDY FILE",
        )
    lanes = document.recordings[0].lanes
    guessed = guess_mapping(session, document).lanes
    spoken = [lane for lane in lanes if guessed[lane.name].becomes is EntryTarget.UTTERANCES]
    if not spoken and len(lanes) == 1:
        spoken = [*lanes]
    if not any(lane.entries for lane in spoken):
        names = ", ".join(escape_unprintable(lane.name) for lane in lanes if lane.entries)
        raise damaged_file_error(path, f"it holds nothing spoken{', only: ' + names if names else ''}")
    targets = {
        lane.name: guessed[lane.name]
        if guessed[lane.name].becomes is EntryTarget.UTTERANCES
        else LaneTarget(EntryTarget.UTTERANCES, participant=lane.participant)
        for lane in spoken
    }
    remarks = [
        f"“{escape_unprintable(lane.name)}” is left out: it is nothing spoken."
        for lane in lanes
        if lane.name not in targets
    ]
    return ImportMapping(targets), remarks


def _count_overlapping(utterances: list[Utterance]) -> int:
    ordered = sorted(utterances, key=lambda utterance: (utterance.start_us, utterance.end_us))
    reached = accumulate((utterance.end_us for utterance in ordered), max)
    return sum(utterance.start_us < end for utterance, end in zip(ordered[1:], reached, strict=False))


def _only_speech(document: Document) -> Document:
    parts = [
        replace(part, lanes=tuple(lane for lane in part.lanes if lane.kind == "utterances"))
        for part in document.recordings
    ]
    return replace(document, recordings=tuple(parts))
