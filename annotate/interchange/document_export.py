"""Builds an interchange document of recordings of a study and writes it to files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotate.cues.prelabels import uncounted_annotators
from annotate.interchange.document import (
    COMMENTS,
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    LaneSubject,
    MediaLink,
    RecordingPart,
    build_lanes,
    file_name,
    format_comments,
    lane_name,
    unique_name,
)
from annotate.interchange.lossless_format import collect_rows
from annotate.interchange.tier_export import link_parents, name_speech_lanes, tier_exports
from annotate.study.leave_permission import LeaveUse, may_leave
from media.encoding import atomic_output
from project.entities.study_records import Comment, Json, Recording, Segment
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.progress import Progress, Silent
from project.queries import recording_rows, segment_rows, transcript_rows
from project.queries.annotator_rows import all_annotators, annotator_names
from project.schemes.scheme import FieldKind
from project.session.session import Session


def exportable_recordings(session: Session, wanted: Sequence[str] | None = None) -> list[Recording]:
    """Return the recordings that may be exported, by number: all of them, or those of the ids that are given."""
    found = [
        recording
        for recording in recording_rows.all_recordings(session.study)
        if wanted is None or recording.id in wanted
    ]
    if wanted is not None:
        for recording in found:
            if not may_leave(session, recording.id, LeaveUse.EXPORT):
                raise UserError(
                    f"Recording {recording.number} is held out, so it is never exported.", "Choose another recording."
                )
    found = [recording for recording in found if may_leave(session, recording.id, LeaveUse.EXPORT)]
    if not found:
        raise UserError("There are no recordings to export.", "Add a recording, or choose one that is not held out.")
    return found


def build_document(
    session: Session,
    wanted: Sequence[Recording],
    annotators: Sequence[str] | None = None,
    *,
    whole: bool = False,
    as_tiers: bool = False,
) -> Document:
    """Return what the study says about recordings.

    Without ids of `annotators`, it is the work of all, without pre-labels that nobody accepted; `whole` adds those, and
    fills `Document.rows`. With `as_tiers`, tracks that an import made are the tiers that they were, with free texts as
    texts, the meanings of codes, and names of tiers: for the lab's own tools, not for what leaves it.
    """
    who = annotators
    if who is None and not whole:
        who = [
            annotator.id
            for annotator in all_annotators(session.study)
            if annotator.id not in uncounted_annotators(session.study)
        ]
    make = _DocumentBuilder(session, who, as_tiers=as_tiers)
    parts = tuple(make.build_part(recording) for recording in wanted)
    rows = collect_rows(session, [recording.id for recording in wanted], annotators) if whole else {}
    return Document(parts, rows=rows)


def export_recordings(
    session: Session,
    to: Format,
    path: Path,
    wanted: Sequence[Recording],
    annotators: Sequence[str] | None = None,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Write recordings to a file, or, in a format of one recording a file, to a folder of files; returns the files.

    One recording goes to `path` itself in every format, unless that is a folder.
    """
    told = progress or Silent()
    if to.holds_several or (len(wanted) == 1 and not path.is_dir()):
        written = [(path, list(wanted))]
    else:
        _make_folder(path)
        width = len(str(max(recording.number for recording in wanted)))
        written = [(path / (file_name(recording, width) + to.suffixes[0]), [recording]) for recording in wanted]
        _refuse_existing([target for target, _ in written], overwrite)
    sources = (session.study.path, *_media_files(session, wanted))
    for done, (target, chosen) in enumerate(written):
        told.check_cancelled()
        told.progress(done, len(written), target.name)
        document = build_document(session, chosen, annotators, whole=to.lossless, as_tiers=not to.lossless)
        with atomic_output(target, sources, overwrite=overwrite) as temporary:
            to.write(document, temporary)
    return [target for target, _ in written]


class _DocumentBuilder:
    def __init__(self, session: Session, annotators: Sequence[str] | None, *, as_tiers: bool) -> None:
        self._study = session.study
        self._people = recording_rows.pseudonyms(session.study)
        self._names = {a.id: a.name for a in all_annotators(session.study) if annotators is None or a.id in annotators}
        self._all_names = annotator_names(session.study)
        self._vocabularies: dict[tuple[str, str], tuple[str, ...]] = {}
        self._about: set[tuple[str, str]] = set()
        schemes = list(session.schemes) if as_tiers else []
        self._tiers = tier_exports(schemes)
        self._tracks = {(scheme.key, track.key): track for scheme in schemes for track in scheme.tracks}
        self._speech_tiers = [name for scheme in schemes for name in scheme.speech_tiers]
        for scheme in session.schemes:
            for track in scheme.tracks:
                self._vocabularies[scheme.key, track.key] = tuple(label.key for label in track.labels)
            self._about |= {(scheme.key, f.key) for f in scheme.fields if f.kind is FieldKind.PARTICIPANT}

    def build_part(self, recording: Recording) -> RecordingPart:
        links = recording_rows.media_of(self._study, recording.id)
        taken: set[str] = set()
        speech = tuple(name_speech_lanes(self._speech(recording.id), self._speech_tiers, taken))
        marked = tuple(self._segments(recording.id, taken))
        return RecordingPart(
            recording.name,
            (*link_parents(marked, speech, self._tracks), *speech),
            tuple(MediaLink(medium.path, medium.offset_us) for medium in links),
            recording.duration_us,
            recording.id,
        )

    def _segments(self, recording_id: str, taken: set[str]) -> Iterator[InterchangeLane]:
        values = segment_rows.values_in(self._study, recording_id)
        said = segment_rows.comments_in(self._study, recording_id)
        lanes: dict[tuple[str, str, str], list[InterchangeEntry]] = {}
        for segment in segment_rows.segments_of(self._study, recording_id):
            if segment.annotator_id in self._names:
                key = (segment.annotator_id, segment.scheme, segment.track)
                lanes.setdefault(key, []).append(
                    self._entry(segment, values.get(segment.id, {}), said.get(segment.id, []))
                )
        for (annotator_id, scheme, track), entries in sorted(lanes.items()):
            about = ("segments", self._names[annotator_id], "", scheme, track)
            if (scheme, track) in self._tiers:
                made = sum(key[1:] == (scheme, track) for key in lanes)
                yield from self._tiers[scheme, track].split_lane(about, entries, taken, made > 1)
            else:
                vocabulary = self._vocabularies.get((scheme, track), ())
                yield InterchangeLane(unique_name(lane_name(*about), taken), tuple(entries), *about, vocabulary)
        authors = {scheme: annotator_id for annotator_id, scheme, _ in sorted(lanes, reverse=True)}
        present = {key[1:] for key in lanes}
        for (scheme, track), tier in self._tiers.items():
            if scheme in authors and (scheme, track) not in present:
                about = ("segments", self._names[authors[scheme]], "", scheme, track)
                yield tier.build_lane(about, (), unique_name(track, taken))

    def _entry(self, segment: Segment, values: dict[str, Json], said: list[Comment]) -> InterchangeEntry:
        held = {
            key: self._people.get(str(value), value) if (segment.scheme, key) in self._about else value
            for key, value in values.items()
        }
        if said and COMMENTS not in held:
            held[COMMENTS] = format_comments(
                [(self._all_names[comment.annotator_id], comment.text) for comment in said]
            )
        return InterchangeEntry(segment.start_us, segment.end_us, segment.label, held, segment.id)

    def _speech(self, recording_id: str) -> tuple[InterchangeLane, ...]:
        lanes: dict[LaneSubject, list[InterchangeEntry]] = {}
        for utterance in transcript_rows.utterances_of(self._study, recording_id):
            who = self._people[utterance.participant_id] if utterance.participant_id else ""
            lanes.setdefault(("utterances", "", who, "", ""), []).append(
                InterchangeEntry(utterance.start_us, utterance.end_us, utterance.text, id=utterance.id)
            )
        return build_lanes(lanes)


def _media_files(session: Session, wanted: Sequence[Recording]) -> list[Path]:
    every = (medium for recording in wanted for medium in recording_rows.media_of(session.study, recording.id))
    return [place for medium in every if (place := session.media_path(medium))]


def _make_folder(path: Path) -> None:
    taken = UserError(
        f"{path.name} is a file, but this format writes one file per recording.", "Choose a folder, or one recording."
    )
    with explain_os_errors(f"The folder {path.name} cannot be created", "Choose another folder.", taken):
        path.mkdir(exist_ok=True)


def _refuse_existing(targets: Sequence[Path], overwrite: bool) -> None:
    present = [] if overwrite else [target for target in targets if target.exists()]
    if present:
        raise UserError(f"{present[0].name} already exists.", "Choose another folder, or allow files to be replaced.")
