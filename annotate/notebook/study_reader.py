"""Opens a study to be read in Python: its rows as data frames, its footage as arrays, its figures as tables.

`import greenroom; greenroom.open(path)` is the way in. Nothing is written to the study, and Qt is not loaded.
"""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from annotate.agreement.annotation_arrays import Options
from annotate.agreement.study_agreement import AgreementQuery, build_report_tables, report_agreement
from annotate.blinding.reveals import split_by_visibility
from annotate.segments.segment_edits import find_segment
from annotate.statistics.statistics_tables import budget_table, data_rows, transition_rows, variable_column
from annotate.statistics.study_observations import ObservationQuery, read_observations
from annotate.statistics.time_budget import compute_time_budget
from annotate.statistics.transitions import count_transitions
from annotate.study.participant_variables import variable_kinds, variable_values
from media.exact_frames import FrameReader
from media.sound import stream_sound
from project.encryption.encryption_key import is_encrypted
from project.encryption.passphrases import WrongPassphrase, obtain_key, unlock_key
from project.entities.study_records import ConsentUse, Json, Segment
from project.errors import UserError, unknown_choice
from project.queries.annotator_rows import all_annotators
from project.queries.judgment_rows import segment_judgments
from project.queries.recording_rows import (
    all_collections,
    all_participants,
    all_recordings,
    consents,
    hold_outs,
    pseudonyms,
)
from project.queries.segment_rows import table_segments, table_values
from project.queries.transcript_rows import utterances_of
from project.session.optional_parts import NOTEBOOK
from project.session.session import Session, resolve_recording
from project.text_format import Cell, escape_unprintable
from project.timebase import SECOND_US

DataFrame: TypeAlias = Any
"""A pandas data frame; one of polars where the study was opened with `frames="polars"`."""
FrameLibrary: TypeAlias = Literal["pandas", "polars"]
RecordingName: TypeAlias = int | str
"""Number, name, file name or id of a recording."""
_MAX_BYTES = 4_000_000_000
_SEGMENT_COLUMNS = (
    *("id", "recording", "recording_name", "annotator", "annotator_kind", "scheme", "track", "label"),
    *("start_s", "end_s", "duration_s"),
)


def open_study(
    path: str | Path, *, passphrase: str | None = None, annotator: str | None = None, frames: FrameLibrary = "pandas"
) -> "StudyReader":
    """Open a study for reading.

    Args:
        path: of the `.greenroom` file.
        passphrase: of an encrypted study.
        annotator: with whose eyes it is seen: what a training round or blind first hides from them is left out. By
            default the name in the settings of this machine.
        frames: the library that tables are returned in.

    Raises:
        UserError: the file is no study, is damaged, or its passphrase is missing or wrong.
    """
    file = Path(path)
    if is_encrypted(file):
        _unlock(file, passphrase)
    return StudyReader(Session.open(file, annotator, read_only=True), frames)


def _unlock(path: Path, passphrase: str | None) -> None:
    if passphrase is not None:
        unlock_key(path, passphrase)
        return
    try:
        obtain_key(path, ask=False)
    except WrongPassphrase:
        raise
    except UserError as error:
        hint = "Give its passphrase: greenroom.open(PATH, passphrase=…)."
        raise UserError(f"“{escape_unprintable(path.name)}” is encrypted.", hint) from error


class StudyReader:
    """An open study. Times are in seconds from where a recording begins. Close it, or use it in a `with` block."""

    def __init__(self, session: Session, frames: FrameLibrary = "pandas") -> None:
        self._session = session
        self._library = frames

    def close(self) -> None:
        """Close the study."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Study {self._session.study.path}>"

    def recordings(self) -> DataFrame:
        """Return a row for each recording: number, name, collection, length, and whether it is held out."""
        study = self._session.study
        homes = {collection.id: collection.name for collection in all_collections(study)}
        held = hold_outs(study)
        head = ("recording", "name", "collection", "duration_s", "held_out", "id")
        rows = [
            (
                *(each.number, each.name, homes.get(each.collection_id, ""), each.duration_us / SECOND_US),
                *(each.id in held, each.id),
            )
            for each in all_recordings(study)
        ]
        return self._frame(head, rows)

    def participants(self) -> DataFrame:
        """Return a row for each participant: pseudonym, role, consent to each use, and a column for each variable.

        A variable that is called like another column stands under `variable_` and its name.
        """
        study = self._session.study
        known, names = variable_values(study), [*variable_kinds(study)]
        own = ("participant", "role", *(f"consent_{use.value}" for use in ConsentUse))
        head = (*own, *(variable_column(name, own) for name in names))
        rows = []
        for person in all_participants(study):
            given, values = consents(study, person.id), known.get(person.id, {})
            rows.append(
                (person.pseudonym, person.role.value, *(given[use] for use in ConsentUse), *map(values.get, names))
            )
        return self._frame(head, rows)

    def segments(self, scheme: str | None = None, track: str | None = None) -> DataFrame:
        """Return a row for each segment, with a column for each field that somebody filled in.

        Of several choices, the keys are joined by `;`. Participants are told by their pseudonyms. A field that is
        called like a column of the table stands under `field_` and its key.

        Args:
            scheme: key of the only scheme wanted.
            track: key of the only track wanted.
        """
        study = self._session.study
        people, names = {each.id: each for each in all_annotators(study)}, pseudonyms(study)
        recordings = {each.id: each for each in all_recordings(study)}
        wanted = [
            segment
            for segment in table_segments(study)
            if scheme in (None, segment.scheme)
            and track in (None, segment.track)
            and segment.recording_id in recordings
        ]
        wanted.sort(key=lambda segment: (recordings[segment.recording_id].number, segment.start_us, segment.end_us))
        values = table_values(study)
        fields = dict.fromkeys(key for segment in wanted for key in values.get(segment.id, {}))
        head = [*_SEGMENT_COLUMNS, *(f"field_{key}" if key in _SEGMENT_COLUMNS else key for key in fields)]
        rows = []
        for segment in wanted:
            recording, who = recordings[segment.recording_id], people[segment.annotator_id]
            own = values.get(segment.id, {})
            rows.append(
                (
                    *(segment.id, recording.number, recording.name, who.name, who.kind),
                    *(segment.scheme, segment.track, segment.label, *_seconds(segment)),
                    *(_plain(own.get(key), names) for key in fields),
                )
            )
        return self._frame(head, rows)

    def transcript(self, recording: RecordingName | None = None) -> DataFrame:
        """Return a row for each utterance, of one recording or of all; who speaks is None where nobody said it."""
        study = self._session.study
        names = pseudonyms(study)
        found = all_recordings(study) if recording is None else [resolve_recording(self._session, str(recording))]
        head = ("recording", "participant", "start_s", "end_s", "text", "checked", "id")
        rows = [
            (
                *(owner.number, names.get(said.participant_id or "")),
                *(said.start_us / SECOND_US, said.end_us / SECOND_US, said.text, said.checked, said.id),
            )
            for owner in found
            for said in utterances_of(study, owner.id)
        ]
        return self._frame(head, rows)

    def judgments(self) -> DataFrame:
        """Return a row for each answer of a judge about a segment; `answer` is JSON.

        What blind first hides from the annotator is left out, with a warning that says how many.
        """
        study = self._session.study
        numbers = {each.id: each.number for each in all_recordings(study)}
        found = split_by_visibility(self._session, segment_judgments(study))
        if found.hidden:
            hint = "Switch blind first off to see them: greenroom judge blind STUDY off"
            warnings.warn(f"{len(found.hidden)} judgments are hidden. {hint}", stacklevel=2)
        head = (
            *("segment", "recording", "judge", "backend", "model", "task", "variant", "modality", "condition", "seed"),
            *("status", "label", "answer", "cost", "ms", "at", "id"),
        )
        rows = []
        for judgment in found.judgments:
            entry = judgment.judge
            label = judgment.answer.get("label")
            rows.append(
                (
                    *(judgment.segment_id, numbers.get(judgment.recording_id)),
                    *(str(entry.get(key) or "") for key in ("name", "backend", "model")),
                    *(judgment.task, judgment.variant, str(judgment.modality), judgment.condition, judgment.seed),
                    *(judgment.status.value, label if isinstance(label, str) else None),
                    *(json.dumps(dict(judgment.answer), ensure_ascii=False), judgment.cost, judgment.ms),
                    *(judgment.at, judgment.id),
                )
            )
        return self._frame(head, rows)

    def agreement(
        self,
        pair: tuple[str, str] | None = None,
        *,
        scheme: str = "",
        track: str = "",
        recordings: Sequence[RecordingName] = (),
        minimum_iou: float = 0.0,
        table: str = "figures",
    ) -> DataFrame:
        """Return the figures of agreement with their intervals, as `greenroom team agreement` computes them.

        Args:
            pair: two annotators; everybody who is a person by default.
            scheme: key of a scheme; the study's default one by default.
            track: key of a track; the first one by default.
            recordings: the only ones wanted.
            minimum_iou: from which two segments overlap.
            table: `figures`, `form`, `confusion`, or what the figures are split by: `by_label`, `by_recording`,
                `by_pair`, `by_annotator`.
        """
        query = AgreementQuery(
            pair=pair or (),
            scheme=scheme,
            track=track,
            recordings=self._ids(recordings),
            options=Options(minimum_iou=minimum_iou),
        )
        tables = build_report_tables(report_agreement(self._session, query))
        if table not in tables:
            raise unknown_choice("table", table, tables)
        return self._frame(*tables[table])

    def time_budget(
        self,
        by: Sequence[str] | None = None,
        *,
        scheme: str = "",
        track: str = "",
        phases: str = "",
        annotators: Sequence[str] = (),
        recordings: Sequence[RecordingName] = (),
        start_s: float = 0,
        end_s: float | None = None,
    ) -> DataFrame:
        """Return how often and how long each label was marked, as `greenroom study budget` does.

        Args:
            by: what the rows are grouped by: participant, annotator, recording, collection, phase, variables of
                participants; participants by default, where the track names them.
            scheme: key of a scheme; the study's default one by default.
            track: key of a track; the first one by default.
            phases: a track whose segments divide each recording.
            annotators: whose segments count; everybody who is a person by default.
            recordings: the only ones wanted.
            start_s: what lies before is left out.
            end_s: what lies behind is left out.
        """
        query = self._query(by, scheme, track, phases, annotators, recordings, start_s, end_s)
        read = read_observations(self._session, query)
        return self._frame(*data_rows(budget_table(compute_time_budget(read.keys, read.labels, read.observations))))

    def transitions(
        self,
        by: Sequence[str] | None = None,
        *,
        scheme: str = "",
        track: str = "",
        phases: str = "",
        annotators: Sequence[str] = (),
        recordings: Sequence[RecordingName] = (),
        start_s: float = 0,
        end_s: float | None = None,
        without_repeats: bool = False,
    ) -> DataFrame:
        """Return a row for each pair of labels: how often the second follows the first, and in which share.

        Arguments are those of `time_budget`; with `without_repeats`, a label that comes several times counts once.
        """
        query = self._query(by, scheme, track, phases, annotators, recordings, start_s, end_s)
        read = read_observations(self._session, query, split_participants=True)
        found = count_transitions(read.keys, read.labels, read.observations, ignores_repeats=without_repeats)
        return self._frame(*transition_rows(found))

    def iterate_frames(
        self, segment: str, *, step: int = 1, longest: int | None = None
    ) -> Iterator[tuple[float, NDArray[np.uint8]]]:
        """Yield time in seconds and picture, (height, width, 3) RGB, of the frames that a segment covers.

        Args:
            segment: its id.
            step: every how many frames.
            longest: pixels of the longer side; smaller pictures are not enlarged. Their own size by default.
        """
        marked = find_segment(self._session, segment)
        located = self._session.require_picture(marked.recording_id)
        with FrameReader(located.path) as reader:
            for position in _positions(reader, marked)[::step]:
                frame = reader.frame_at(position)
                picture = frame.image if longest is None else frame.preview(longest)[..., 2::-1]
                yield frame.time_us / SECOND_US, np.ascontiguousarray(picture)

    def frames(self, segment: str, *, step: int = 1, longest: int | None = None) -> NDArray[np.uint8]:
        """Return the frames that a segment covers as (n, height, width, 3) RGB; arguments as of `iterate_frames`."""
        pictures: list[NDArray[np.uint8]] = []
        for _, picture in self.iterate_frames(segment, step=step, longest=longest):
            pictures.append(picture)
            if picture.nbytes * len(pictures) > _MAX_BYTES:
                raise UserError("The frames take more than 4 GB.", "Ask for fewer (step) or smaller ones (longest).")
        return np.stack(pictures)

    def sound(self, segment: str, rate: int = 16_000) -> NDArray[np.float32]:
        """Return what is heard during a segment as (n,) samples from -1 to 1, `rate` of them a second."""
        marked = find_segment(self._session, segment)
        medium = self._session.main_medium(marked.recording_id)
        if medium is None or not medium.sound_track:
            raise UserError("The recording has no sound.", "Choose a segment of one that has.")
        path = self._session.require_present(medium).path
        blocks = stream_sound(path, rate, "mono", marked.start_us, marked.end_us, track=medium.sound_track)
        return np.concatenate([np.zeros(0, np.float32), *(block[0] for block in blocks)])

    def _query(
        self,
        by: Sequence[str] | None,
        scheme: str,
        track: str,
        phases: str,
        annotators: Sequence[str],
        recordings: Sequence[RecordingName],
        start_s: float,
        end_s: float | None,
    ) -> ObservationQuery:
        return ObservationQuery(
            scheme=scheme,
            track=track,
            by=None if by is None else tuple(by),
            phases=phases,
            annotators=tuple(annotators),
            recordings=self._ids(recordings),
            start_us=round(start_s * SECOND_US),
            end_us=None if end_s is None else round(end_s * SECOND_US),
        )

    def _ids(self, recordings: Sequence[RecordingName]) -> tuple[str, ...]:
        return tuple(resolve_recording(self._session, str(name)).id for name in recordings)

    def _frame(self, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> DataFrame:
        columns = {name: [row[place] for row in rows] for place, name in enumerate(head)}
        if self._library == "polars":
            return _import_polars().DataFrame(columns, strict=False)
        NOTEBOOK.require()
        import pandas

        # A column without any value would be one of objects, of which no mean can be taken.
        return pandas.DataFrame(
            {name: cells if any(cell is not None for cell in cells) else np.nan for name, cells in columns.items()},
            index=range(len(rows)),
        )


def _import_polars() -> Any:
    try:
        import polars
    except ImportError:
        raise UserError("polars is not installed.", "Install it: pip install polars.") from None
    return polars


def _seconds(segment: Segment) -> tuple[float, float, float]:
    start, end = segment.start_us, segment.end_us
    return start / SECOND_US, end / SECOND_US, (end - start) / SECOND_US


def _plain(value: Json, names: Mapping[str, str]) -> Cell:
    if isinstance(value, list):
        return ";".join(str(_plain(item, names)) for item in value)
    if isinstance(value, str):
        return names.get(value, value)
    return value if value is None or isinstance(value, int | float) else json.dumps(value)


def _positions(reader: FrameReader, marked: Segment) -> range:
    """Return the places of the frames that are shown during a segment; at least the one that it starts with."""
    first = reader.times.frame_at(marked.start_us)
    return range(first, max(first, reader.times.frame_at(max(marked.start_us, marked.end_us - 1))) + 1)
