"""Commands about segments and their comments.

The conditions that `greenroom segment list` takes, and form values typed as FIELD=VALUE, are read here for other
commands too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from annotate.review.segment_table import Filter, SegmentTable
from annotate.review.text_search import StudySearch
from annotate.segments import bulk_edits, segment_edits
from annotate.segments.segment_edits import find_segment
from app.cli.command import EDIT, OptionGroup, Time, argument, command, option, options_of
from app.cli.console import Output, record
from project.entities.study_records import Channel, Json, Recording, Segment, Verdict
from project.errors import UserError, unknown_name
from project.queries import segment_rows
from project.queries.annotator_rows import all_annotators, annotator_names
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.segment_rows import comments_of, table_segments
from project.schemes.scheme import FieldKind, Scheme
from project.session.session import Session
from project.text_format import escape_unprintable, pluralize


@command(edits=("text", "resolve"), annotator=option("Who comments or resolves; not needed to read."))
def comment(
    session: Session,
    annotator: str | None,
    segment_id: str = argument(metavar="SEGMENT"),
    text: str | None = option("What the comment says."),
    resolve: bool = option("Say that what was remarked on the segment is dealt with."),
) -> Output:
    """Read the comments on a segment, add one, or resolve them. Anybody may comment on any segment.

    \b
    Example:
      greenroom segment comment my-study.greenroom SEGMENT --text "Is this not a pause?" --annotator Ada
      greenroom segment comment my-study.greenroom SEGMENT --resolve --annotator Bo
    """
    writes = text is not None or resolve
    if writes and not annotator:
        raise UserError("A comment needs an annotator's name.", "Add --annotator NAME.")
    find_segment(session, segment_id)
    if resolve:
        unresolved = [
            kept_comment.id for kept_comment in comments_of(session.study, segment_id) if not kept_comment.resolved
        ]
        bulk_edits.resolve_comments(session, unresolved)
    if text is not None:
        bulk_edits.add_comment(session, segment_id, text)
    names = annotator_names(session.study)
    found = [
        record(kept_comment, "segment_id", "annotator_id", annotator=names[kept_comment.annotator_id])
        for kept_comment in comments_of(session.study, segment_id)
    ]
    lines = [
        f"{entry['at']}  {entry['annotator']}{' (resolved)' if entry['resolved'] else ''}: {entry['text']}"
        for entry in found
    ]
    return Output({"segment": segment_id, "comments": found}, lines or "No comments.")


@dataclass(frozen=True, slots=True)
class SegmentFilterArgs:
    """The conditions given on the command line."""

    recording: Recording | None = option()
    annotator: str | None = option("Only this annotator's.")
    collection: str | None = option("Only recordings of this collection, by name.")
    label: tuple[str, ...] = option("Only segments with this label.")
    field: tuple[str, ...] = option("Only where a field has a value; = for none.", metavar="FIELD=VALUE")
    lacks: tuple[str, ...] = option("Only where this field is needed and missing.", metavar="FIELD")
    text: str | None = option("Only with these words in their texts, comments or reviews.")
    incomplete: bool | None = option("By the rules of the scheme.", "--incomplete/--complete")
    disputed: bool | None = option("Whether somebody else says something else there.", "--disputed/--undisputed")
    commented: bool | None = option("Whether there are comments.", "--commented/--uncommented")
    unresolved: bool | None = option("Whether there are unresolved comments.", "--unresolved/--resolved")
    reviewed: bool | None = option("Whether somebody reviewed them.", "--reviewed/--unreviewed")
    disagreed: bool | None = option("Whether a reviewer disagrees.", "--disagreed/--agreed")
    held_out: bool | None = option("Whether the recording is kept back.", "--held-out/--not-held-out")
    judged: bool | None = option("Whether judges said something about them.", "--judged/--not-judged")
    judges_differ: bool | None = option("Whether a judge gives another label.", "--judges-differ/--judges-agree")
    revised: bool | None = option("Whether they were revised after seeing judges.", "--revised/--not-revised")


FILTER = options_of(SegmentFilterArgs, "Conditions on segments")


def find_segments(session: Session, asked: SegmentFilterArgs) -> list[str]:
    """Return the ids of the segments for which all conditions hold."""
    table = SegmentTable(session)
    among = None
    if asked.text is not None:
        searched = StudySearch(session)
        among = searched.match_segments(asked.text)
        searched.close()
    found = _build_filter(session, table, asked).select(table, among)
    if asked.judges_differ is not None:
        table.record_judges_shown(found)
    return found


def _build_filter(session: Session, table: SegmentTable, asked: SegmentFilterArgs) -> Filter:
    # Somebody who is unknown here has no segments, which is an answer.
    people = {annotator.id for annotator in table.annotators.values() if annotator.name == asked.annotator} or {""}
    collections = {collection.id for collection in table.collections.values() if collection.name == asked.collection}
    if asked.collection is not None and not collections:
        raise unknown_name(
            "collection", asked.collection, [collection.name for collection in table.collections.values()]
        )
    values: dict[str, frozenset[str]] = {}
    for given in asked.field:
        field, sign, value = given.partition("=")
        if not sign:
            raise UserError(f"“{given}” is not a condition on a field.", "Give FIELD=VALUE, such as channel=verbal.")
        values[field] = values.get(field, frozenset()) | {value}
    known = {field.key for scheme in session.schemes for field in scheme.fields}
    known |= {field for row in table.rows.values() for field in row.values}
    for field in (*values, *asked.lacks):
        if field not in known:
            raise UserError(
                f"There is no field “{field}” in the forms of this study.", f"Choose one of {', '.join(sorted(known))}."
            )
    return Filter(
        annotators=frozenset(people if asked.annotator is not None else ()),
        recordings=frozenset({asked.recording.id} if asked.recording else ()),
        collections=frozenset(collections),
        labels=frozenset(asked.label),
        values=values,
        lacks=frozenset(asked.lacks),
        **{spec.name: getattr(asked, spec.name) for spec in fields(asked) if spec.type == bool | None},
    )


def parse_values(session: Session, scheme: Scheme, given: Sequence[str]) -> dict[str, Any]:
    """Return field -> value, with None for an empty text.

    Several choices are given as one text with commas, a participant by their pseudonym.
    """
    values = {}
    for assignment in given:
        key, sign, text = assignment.partition("=")
        if not sign:
            raise UserError(f"“{assignment}” is not a value of a field.", "Give FIELD=VALUE, such as channel=verbal.")
        values[key] = _parse_value(session, scheme, key, text)
    return values


def _parse_value(session: Session, scheme: Scheme, key: str, text: str) -> Json:
    field = scheme.field(key)
    if not text:
        return None
    match field.kind:
        case FieldKind.CHOICES:
            return [part.strip() for part in text.split(",") if part.strip()]
        case FieldKind.SCALE | FieldKind.SLIDER:
            try:
                return float(text)
            except ValueError:
                raise UserError(f"“{text}” is not a number.", f"{field.name} needs a number.") from None
        case FieldKind.PARTICIPANT:
            people = all_participants(session.study)
            found = next((person.id for person in people if text in (person.pseudonym, person.id)), None)
            if found is None:
                raise unknown_name("participant", text, [person.pseudonym for person in people])
            return found
        case _:
            return text


ANNOTATOR = option("The annotator of the segment.", required=True)
AUTHOR = option("Who made the segment: nobody else may change it. By default anybody's.")


def _form_values(attribute: tuple[str, ...], **texts: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {"attributes": [*dict.fromkeys(attribute)] or None, **texts}
    return {field: value for field, value in given.items() if value is not None}


FORM_VALUES: Any = OptionGroup(
    declared={
        "attribute": (
            tuple[str, ...],
            option("Key of an attribute, such as emotions."),
        ),
        "channel": (Channel | None, option("Where the evidence is.")),
        "rationale": (str | None, option("Why the verdict holds.")),
        "correction": (str | None, option("What the agent should have done instead; errors only.")),
    },
    build=_form_values,
    heading="Values of the form",
)
VALUE = option(
    "Any field of the scheme's form; several choices with commas, a participant by pseudonym.",
    "--value",
    metavar="FIELD=VALUE",
)
LABEL = option("Key of a label of the track, as --verdict for any scheme.", "--label")


@command(study=EDIT, annotator=ANNOTATOR)
def add(
    session: Session,
    recording: Recording = option(),
    start: Time = option(),
    end: Time | None = option("A point has none, or the same as the start."),
    verdict: Verdict | None = option("What it shows; none for a negative sample."),
    label: str | None = LABEL,
    scheme: str | None = option("Key of a scheme that the study uses; by default the study's default."),
    track: str | None = option("Key of the scheme's track; by default its first one."),
    values: dict[str, Any] = FORM_VALUES,
    typed: tuple[str, ...] = VALUE,
) -> Output:
    """Add a segment.

    \b
    Example:
      greenroom segment add my-study.greenroom --recording 1 --start 0:12.5 --end 0:15 \\
        --verdict error --attribute conversation --channel verbal --annotator Ada \\
        --rationale "The robot interrupts her." --correction "Wait until she has finished."
      greenroom segment add my-study.greenroom --recording 1 --start 3 --end 5 --annotator Ada \\
        --scheme cues --track tone --label soft --value "description=Almost a whisper."
    """
    chosen = _choose_label(verdict, label)
    if chosen is None:
        raise UserError("A segment needs a label.", "Give --verdict, or --label for another scheme.")
    values |= parse_values(session, session.schemes.get(scheme), typed)
    segment_id, _ = segment_edits.add_segment(
        session, recording.id, start, start if end is None else end, chosen, values, scheme=scheme, track=track
    )
    described = _read_segment_json(session, segment_id)
    return Output(described, f"Added {segment_id}")


@command(edits=("judges_differ",))
def list_segments(session: Session, asked: SegmentFilterArgs = FILTER) -> Output:
    """List segments, all or those for which every condition holds.

    \b
    Example:
      greenroom segment list my-study.greenroom --recording 1
      greenroom segment list my-study.greenroom --label error --field attributes=norms --text interrupt
    """
    # It is recorded that the answers of judges were shown, as far as they may be.
    wanted = set(find_segments(session, asked))
    names = annotator_names(session.study)
    listed: list[dict[str, Any]] = []
    for owner in all_recordings(session.study):
        found = [
            listed_segment
            for listed_segment in segment_rows.segments_of(session.study, owner.id)
            if listed_segment.id in wanted
        ]
        values = segment_rows.values_in(session.study, owner.id) if found else {}
        listed += [
            _segment_json(
                listed_segment, owner.number, names[listed_segment.annotator_id], values.get(listed_segment.id, {})
            )
            for listed_segment in found
        ]
    lines = [
        f"{entry['id']}  recording {entry['recording']}  {_times_text(entry['start'], entry['end'])}"
        f"  {entry['verdict']}  {entry['annotator']}"
        for entry in listed
    ]
    return Output({"segments": listed}, lines or "No segments.")


def _times_text(start: float, end: float) -> str:
    return f"{start:.3f} s" if start == end else f"{start:.3f} to {end:.3f} s"


@command(study=EDIT, annotator=AUTHOR)
def edit(
    session: Session,
    annotator: str | None,
    segment_id: str = argument(metavar="SEGMENT"),
    start: Time | None = option("Seconds or h:mm:ss.mmm."),
    end: Time | None = option("Seconds or h:mm:ss.mmm."),
    verdict: Verdict | None = option("What it shows; none for a negative sample."),
    label: str | None = LABEL,
    values: dict[str, Any] = FORM_VALUES,
    typed: tuple[str, ...] = VALUE,
) -> Output:
    """Change a segment. What is not given stays; attributes that are given replace the old ones; "" clears a text.

    \b
    Example:
      greenroom segment edit my-study.greenroom SEGMENT --end 0:16 --verdict competence
    """
    _use_author_name(session, annotator, segment_id)
    scheme = session.schemes.get(segment_edits.find_segment(session, segment_id).scheme) if typed else session.scheme
    values |= parse_values(session, scheme, typed)
    segment_edits.edit_segment(
        session,
        segment_id,
        start_us=start,
        end_us=end,
        label=_choose_label(verdict, label),
        values=values,
    )
    described = _read_segment_json(session, segment_id)
    return Output(described, f"Changed {segment_id}")


@command(study=EDIT, annotator=AUTHOR)
def delete(
    session: Session,
    annotator: str | None,
    segment_ids: tuple[str, ...] = argument(metavar="SEGMENT...", required=True),
) -> Output:
    """Delete segments. `greenroom study undo` brings them back.

    \b
    Example:
      greenroom segment delete my-study.greenroom SEGMENT
    """
    _use_author_name(session, annotator, segment_ids[0])
    recordings = {table_segment.recording_id for table_segment in table_segments(session.study, segment_ids)}
    segment_edits.delete_segments(session, segment_ids)
    among = f" in {pluralize(len(recordings), 'recording')}" if len(recordings) > 1 else ""
    deleted = pluralize(len(set(segment_ids)), "segment")
    told = f"Deleted {deleted}{among}. Undo: greenroom study undo {escape_unprintable(session.study.path)}"
    return Output({"deleted": segment_ids, "recordings": len(recordings)}, told)


def _choose_label(verdict: str | None, label: str | None) -> str | None:
    if verdict is not None and label is not None:
        raise UserError("--verdict and --label exclude each other.", "Give one of them.")
    return label or verdict


def _use_author_name(session: Session, annotator: str | None, segment_id: str) -> None:
    if annotator is None:
        author = segment_edits.find_segment(session, segment_id).annotator_id
        session.annotator_name = next(a.name for a in all_annotators(session.study) if a.id == author)


def _segment_json(found: Segment, number: int, annotator: str, values: Mapping[str, Json]) -> dict[str, Any]:
    form = {field: values.get(field) for field in ("attributes", "channel", "rationale", "correction")}
    ids = ("recording_id", "annotator_id")
    return record(found, *ids, recording=number, annotator=annotator, values=values, verdict=found.label, **form)


def _read_segment_json(session: Session, segment_id: str) -> dict[str, Any]:
    found = segment_edits.find_segment(session, segment_id)
    names = annotator_names(session.study)
    number = session.recording(found.recording_id).number
    return _segment_json(found, number, names[found.annotator_id], segment_rows.values_of(session.study, segment_id))
