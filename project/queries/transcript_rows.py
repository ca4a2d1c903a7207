"""Queries on utterances, and on the speech and words that recognition runs detected."""

from collections.abc import Iterable

from project.entities.study_records import Run, Utterance
from project.entities.transcript import AsrSegment
from project.queries.history_rows import runs_of
from project.queries.recording_rows import media_of
from project.queries.row_mapper import RowMapper
from project.store.column_values import words_from_json, words_to_json
from project.store.study import Study

_WORDS = {"words": (words_to_json, words_from_json)}
UTTERANCES = RowMapper(Utterance, "utterance", codecs=_WORDS)
ASR_SEGMENTS = RowMapper(AsrSegment, "heard", codecs=_WORDS)
_BY_START = "ORDER BY start_us, end_us, id"


utterances_of = UTTERANCES.query(f"WHERE recording_id = ? {_BY_START}")
find_utterance = UTTERANCES.find


def find_utterances(study: Study, ids: Iterable[str]) -> dict[str, Utterance]:
    """Return id -> utterance, for those that are there."""
    return {utterance.id: utterance for utterance in UTTERANCES.select_among(study, "id", ids)}


def last_edit_time(study: Study, recording_id: str, start_us: int, end_us: int, since: str) -> str:
    """Return when an utterance that shares time with a stretch was added, changed or removed last; "" for never.

    Only edits after `since` are looked for; both are UTC, ISO 8601, to the millisecond, without a zone.
    """
    there = " OR ".join(
        f"(json_extract({state}, '$.recording_id') = ? AND json_extract({state}, '$.start_us') < ? "
        f"AND json_extract({state}, '$.end_us') > ?)"
        for state in ("before", "after")
    )
    row = study.row(
        "SELECT max(substr(s.at, 1, 23)) FROM journal_step s JOIN journal_change c ON c.step_id = s.id "
        f"WHERE substr(s.at, 1, 23) > ? AND c.table_name = 'utterance' AND ({there})",
        (since[:23], *(recording_id, end_us, start_us) * 2),
    )
    return str(row[0]) if row is not None and row[0] is not None else ""


def utterances_between(study: Study, recording_id: str, start_us: int, end_us: int) -> list[Utterance]:
    """Return the utterances that share time with a stretch, by start."""
    where = f"WHERE recording_id = ? AND start_us < ? AND end_us > ? {_BY_START}"
    return UTTERANCES.select(study, where, recording_id, end_us, start_us)


def utterances_before(study: Study, recording_id: str, time_us: int, count: int) -> list[Utterance]:
    """Return the last utterances that begin before a time and are over by then, by start: what led up to it."""
    where = (
        "WHERE recording_id = ? AND start_us < ? AND end_us <= ? ORDER BY start_us DESC, end_us DESC, id DESC LIMIT ?"
    )
    return UTTERANCES.select(study, where, recording_id, time_us, time_us, count)[::-1]


def has_utterances(study: Study, recording_id: str) -> bool:
    """Tell whether a recording has a transcript."""
    return study.row("SELECT 1 FROM utterance WHERE recording_id = ? LIMIT 1", (recording_id,)) is not None


def utterance_counts(study: Study) -> dict[str, int]:
    """Return recording id -> how many utterances it has; recordings without any are left out."""
    return dict(study.rows("SELECT recording_id, count(*) FROM utterance GROUP BY recording_id"))


def utterance_ids(study: Study) -> set[str]:
    """Return the id of every utterance."""
    return {row[0] for row in study.rows("SELECT id FROM utterance")}


insert_utterances = UTTERANCES.insert_all
update_utterance = UTTERANCES.update
delete_utterance = UTTERANCES.delete


SPEECH, TRANSCRIBE = "speech", "transcribe"
"""Kinds of runs that hear: voice activity, and recognised words."""


def insert_asr_segments(study: Study, run_id: str, heard: Iterable[AsrSegment]) -> None:
    """Store what a run heard, in order; inside `Study.run_transaction`."""
    study.write_run(
        "INSERT INTO heard (run_id, position, start_us, end_us, text, words) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (run_id, position, segment.start_us, segment.end_us, segment.text, words_to_json(segment.words))
            for position, segment in enumerate(heard)
        ],
    )


asr_segments = ASR_SEGMENTS.query("WHERE run_id = ? ORDER BY position")


def latest_speech_run(study: Study, recording_id: str) -> Run | None:
    """Return the newest run that looked for speech, but for those in a sound track that is no longer used."""
    used = {medium.fingerprint: medium.sound_track for medium in media_of(study, recording_id)}
    for run in runs_of(study, recording_id, SPEECH):
        track = run.parameters.get("track")
        if used.get(str(run.parameters.get("fingerprint")), track) == track:
            return run
    return None


def speech_spans(study: Study, recording_id: str) -> list[tuple[int, int]] | None:
    """Return start and end of the stretches in which somebody speaks, by `latest_speech_run`; None without one."""
    run = latest_speech_run(study, recording_id)
    return None if run is None else [(segment.start_us, segment.end_us) for segment in asr_segments(study, run.id)]
