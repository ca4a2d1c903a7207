"""Scrubbed texts of a study: copied to a folder, or put in the place of the study's own, as one step.

Frozen benchmark items never change, so replacing texts of the study does not reach them: they are counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document, InterchangeLane, RecordingPart
from annotate.interchange.document_export import build_document, exportable_recordings
from annotate.meta.meta_summary import build_meta_information, format_meta_json
from annotate.study.leave_permission import LeaveUse, may_leave
from annotate.transcript.utterance_text import with_text
from anonymize.pii_detection.text_scrubber import ScrubResult, TextScrubber
from anonymize.pii_review.review_hits import read_stand_ins
from anonymize.release.private_content import build_scrubber
from anonymize.release.release_plan import recording_code
from media.encoding import atomic_output
from project.entities.study_records import Changes, Json, Recording
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.ids import is_id
from project.queries.item_set_rows import all_sets, items_of
from project.queries.pii_rows import PiiDecision, PiiVerdict, pii_decisions, put_pii_decision, put_public_word
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import set_value, value_history
from project.queries.transcript_rows import find_utterance, update_utterance
from project.search.free_texts import QUOTED, FreeText, free_texts, write_free_text
from project.session.session import Session
from project.store.study import Study
from project.text_format import write_csv
from project.timebase import SECOND_US, utc_now

COPY_COLUMNS = ("recording", "start", "end", "what", "field", "text", "replaced")
NEVER_COPIED_TABLES = frozenset({"participant", "participant_variable", "recording"})
"""Tables whose texts are about who is behind a pseudonym or a number: they never leave, and are no copies of."""


def _scrub_texts(session: Session) -> Iterator[tuple[FreeText, ScrubResult]]:
    """Yield every text that is worth a copy, and how it may leave."""
    plain, quoting = build_scrubber(session), build_scrubber(session, quoting=True)
    for free_text in free_texts(session.study):
        if free_text.table not in NEVER_COPIED_TABLES and free_text.text.strip():
            yield free_text, (quoting if free_text.table in QUOTED else plain).scrub(free_text.text)


def write_copies(session: Session, folder: Path) -> list[str]:
    """Write scrubbed copies to a new folder, without recordings that are held out; return the names of its files."""
    with explain_os_errors("The copies cannot be written", "Choose another folder, or free some space."):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"The folder {folder} is not empty.", "Choose a new folder.")
        recordings = all_recordings(session.study)
        numbers = {recording.id: recording.number for recording in recordings}
        exported = [recording for recording in recordings if may_leave(session, recording.id, LeaveUse.EXPORT)]
        exported_ids = {recording.id for recording in exported}
        with (folder / "texts.csv").open("x", encoding="utf-8", newline="") as file:
            rows = [
                (
                    numbers.get(text.recording_id or "", ""),
                    *(text.start_us / SECOND_US, text.end_us / SECOND_US, text.table, text.field),
                    *(scrubbed.text, len(scrubbed.replacements)),
                )
                for text, scrubbed in _scrub_texts(session)
                if not text.recording_id or text.recording_id in exported_ids
            ]
            write_csv(file, COPY_COLUMNS, rows)
        written = ["texts.csv"]
        scrubber = build_scrubber(session)
        for recording in exported:
            lanes = [*_spoken_lanes(session, recording, scrubber)]
            if lanes:
                name = f"{recording_code(recording.number)}.vtt"
                get_format("webvtt").write(Document((RecordingPart("", tuple(lanes)),)), folder / name)
                written.append(name)
    return written


def _spoken_lanes(session: Session, recording: Recording, scrubber: TextScrubber) -> Iterator[InterchangeLane]:
    """Yield what each speaker says, scrubbed and on one line each."""
    for lane in build_document(session, [recording]).recordings[0].lanes:
        if lane.kind == "utterances":
            texts = [" ".join(scrubber.scrub(entry.text).text.split()) for entry in lane.entries]
            said = [replace(entry, text=text, id="") for entry, text in zip(lane.entries, texts, strict=True) if text]
            if said:
                yield replace(lane, entries=tuple(said))


def count_personal_items(session: Session) -> dict[str, int]:
    """Return name of an item set -> how many of its items hold what would be replaced in a text of the study.

    Draw such a set again from the texts as they are now; a withdrawal takes out the items that are somebody's.
    """
    scrubber = build_scrubber(session, quoting=True)
    known: dict[str, bool] = {}

    def personal(text: str) -> bool:
        if text not in known:
            known[text] = bool(scrubber.scrub(text).replacements)
        return known[text]

    found: dict[str, int] = {}
    for item_set in all_sets(session.study):
        held = sum(
            any(personal(text) for text in _texts(dict(item.content))) for item in items_of(session.study, item_set.id)
        )
        if held:
            found[item_set.name] = held
    return found


def _texts(value: Json) -> Iterator[str]:
    """Yield texts of a value that may be words of somebody: all but ids."""
    match value:
        case str():
            if value.strip() and not is_id(value):
                yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for item in value.values():
                yield from _texts(item)


def replace_in_study(session: Session) -> tuple[int, Changes]:
    """Replace personal information in the study's own texts; return how many texts changed, and what.

    Undo brings the originals back, because the history of the study keeps them. Names that stand in for people are
    public from then on. Notes on participants and names of recordings stay: they never leave.
    """
    changed = [(text, scrubbed.text) for text, scrubbed in _scrub_texts(session) if scrubbed.replacements]
    kept: dict[tuple[str, str, str], list[PiiDecision]] = {}
    for place, decision in pii_decisions(session.study).items():
        if decision.verdict is PiiVerdict.KEEP:
            kept.setdefault((place.table, place.row, place.field), []).append(decision)
    with session.step("Replace personal information in texts") as step:
        for text, after in changed:
            _write(session.study, text, after)
            # A decision holds in the words that it was made in: what was written here for a name beside it is no reason
            # to ask again, unless it is not sure which of several places was kept.
            for decision in kept.get((text.table, text.row, text.field), ()):
                word = decision.place.text
                if text.text.count(word) == after.count(word):
                    put_pii_decision(session.study, replace(decision, at=utc_now()))
        for name in read_stand_ins(session).values() if changed else ():
            put_public_word(session.study, name)
    return len(changed), step.changes


def _write(study: Study, at: FreeText, text: str) -> None:
    if at.table == "utterance" and (utterance := find_utterance(study, at.row)) is not None:
        update_utterance(study, with_text(utterance, text))
    elif at.table == "segment_value":
        newest = [value for value in value_history(study, at.row) if value.field == at.field][-1]
        set_value(study, replace(newest, value=text))
    else:
        write_free_text(study, at, text)


def collect_meta_information(
    session: Session, wanted: Sequence[str] | None = None, *, scrubbed: bool = False
) -> list[dict[str, Json]]:
    """Return the meta information of recordings, by number: of all that are no hold-outs, or of those of the ids given.

    With `scrubbed`, texts and names are scrubbed by the finders of a release.
    """
    found = exportable_recordings(session, wanted)
    if not scrubbed:
        return [build_meta_information(session, recording.id) for recording in found]
    # They bring all that a release is judged by, which the rest does without.
    from anonymize.release.private_content import build_scrubber

    scrubber = build_scrubber(session, quoting=True)
    return [
        build_meta_information(session, recording.id, lambda text: scrubber.scrub(text).text) for recording in found
    ]


def write_meta_information(
    session: Session, found: Sequence[dict[str, Json]], folder: Path, *, overwrite: bool = False
) -> list[Path]:
    """Write each to `NUMBER.meta.json` in a folder; returns the files."""
    with explain_os_errors("The folder cannot be created", "Choose another folder."):
        folder.mkdir(parents=True, exist_ok=True)
    files = []
    for meta in found:
        path = folder / f"{meta['recording']:04}.meta.json"
        with atomic_output(path, (session.study.path,), overwrite=overwrite) as temporary:
            temporary.write_text(format_meta_json(meta), "utf-8")
        files.append(path)
    return files
