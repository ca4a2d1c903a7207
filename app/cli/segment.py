"""Commands about segments and their comments.

The conditions that `greenroom segment list` takes, and form values typed as FIELD=VALUE, are read here for other
commands too.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from annotate.review.segment_table import Filter, SegmentTable
from annotate.review.text_search import StudySearch
from annotate.segments import bulk_edits, segment_edits
from annotate.segments.segment_edits import find_segment
from app.cli.command import STUDY, json_option, print_result
from project.entities.study_records import Channel, Comment, FieldValue, Json, Segment, Verdict
from project.errors import UserError
from project.queries import segment_rows
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.segment_rows import comments_of, table_segments
from project.schemes.scheme import FieldKind, Scheme
from project.session.session import Session, resolve_recording
from project.text_format import escape_unprintable, pluralize
from project.timebase import parse_time


@click.command()
@STUDY
@click.argument("segment_id", metavar="SEGMENT")
@click.option("--text", help="What the comment says.")
@click.option("--resolve", is_flag=True, help="Say that what was remarked on the segment is dealt with.")
@click.option("--annotator", help="Who comments or resolves; not needed to read.")
@json_option
def comment(
    study: Path, segment_id: str, text: str | None, resolve: bool, annotator: str | None, as_json: bool
) -> None:
    """Read the comments on a segment, add one, or resolve them. Anybody may comment on any segment.

    \b
    Example:
      greenroom comment my-study.greenroom SEGMENT --text "Is this not a pause?" --annotator Ada
      greenroom comment my-study.greenroom SEGMENT --resolve --annotator Bo
    """
    writes = text is not None or resolve
    if writes and not annotator:
        raise UserError("Nobody is named who comments.", "Add --annotator NAME.")
    with Session.open(study, annotator, read_only=not writes) as session:
        find_segment(session, segment_id)
        if resolve:
            unresolved = [
                kept_comment.id for kept_comment in comments_of(session.study, segment_id) if not kept_comment.resolved
            ]
            bulk_edits.resolve_comments(session, unresolved)
        if text is not None:
            bulk_edits.add_comment(session, segment_id, text)
        names = {known_annotator.id: known_annotator.name for known_annotator in all_annotators(session.study)}
        found = [_comment_json(kept_comment, names) for kept_comment in comments_of(session.study, segment_id)]
    lines = [
        f"{entry['at']}  {entry['annotator']}{' (resolved)' if entry['resolved'] else ''}: {entry['text']}"
        for entry in found
    ]
    print_result(as_json, {"segment": segment_id, "comments": [*found]}, "\n".join(lines) or "No comments.")


def _comment_json(comment: Comment, names: dict[str, str]) -> dict[str, Json]:
    return {
        "id": comment.id,
        "annotator": names[comment.annotator_id],
        "text": comment.text,
        "at": comment.at,
        "resolved": comment.resolved,
    }


@dataclass(frozen=True, slots=True)
class SegmentFilterArgs:
    """The conditions given on the command line."""

    recording: str | None
    annotator: str | None
    collection: str | None
    label: tuple[str, ...]
    field: tuple[str, ...]
    lacks: tuple[str, ...]
    text: str | None
    incomplete: bool | None
    disputed: bool | None
    commented: bool | None
    unresolved: bool | None
    reviewed: bool | None
    disagreed: bool | None
    held_out: bool | None
    judged: bool | None
    judges_differ: bool | None
    revised: bool | None


FILTER_OPTIONS = (
    click.option("--recording", help="Number, file name or id; all when not given."),
    click.option("--annotator", help="Only this annotator's."),
    click.option("--collection", help="Only recordings of this collection, by name."),
    click.option("--label", multiple=True, help="Only segments with this label; give it again for each further one."),
    click.option("--field", multiple=True, metavar="FIELD=VALUE", help="Only where a field has a value; = for none."),
    click.option("--lacks", multiple=True, metavar="FIELD", help="Only where this field is needed and missing."),
    click.option("--text", help="Only with these words in their texts or in what was said about them."),
    click.option("--incomplete/--complete", default=None, help="By the rules of the scheme."),
    click.option("--disputed/--undisputed", default=None, help="Whether somebody else says something else there."),
    click.option("--commented/--uncommented", default=None, help="Whether there are comments."),
    click.option("--unresolved/--resolved", default=None, help="Whether there are unresolved comments."),
    click.option("--reviewed/--unreviewed", default=None, help="Whether somebody reviewed them."),
    click.option("--disagreed/--agreed", default=None, help="Whether a reviewer disagrees."),
    click.option("--held-out/--not-held-out", default=None, help="Whether the recording is kept back."),
    click.option("--judged/--not-judged", default=None, help="Whether judges said something about them."),
    click.option("--judges-differ/--judges-agree", default=None, help="Whether a judge gives another label."),
    click.option("--revised/--not-revised", default=None, help="Whether they were revised after seeing judges."),
)


def filter_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for conditions, passed to it together as `asked`."""
    names = SegmentFilterArgs.__slots__

    @functools.wraps(function)
    def with_asked(**given: Any) -> None:
        asked = SegmentFilterArgs(**{name: given.pop(name) for name in names})
        function(asked=asked, **given)

    wrapped: Callable[..., None] = with_asked
    for option in reversed(FILTER_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


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
        raise UserError(
            f"No collection is called “{asked.collection}”.",
            f"There are: {', '.join(collection.name for collection in table.collections.values()) or 'none'}.",
        )
    values: dict[str, frozenset[str]] = {}
    for given in asked.field:
        field, sign, value = given.partition("=")
        if not sign:
            raise UserError(f"“{given}” is no condition on a field.", "Write FIELD=VALUE, such as channel=verbal.")
        values[field] = values.get(field, frozenset()) | {value}
    known = {field.key for scheme in session.schemes for field in scheme.fields}
    known |= {field for row in table.rows.values() for field in row.values}
    for field in (*values, *asked.lacks):
        if field not in known:
            raise UserError(f"No form of this study has a field “{field}”.", f"There are: {', '.join(sorted(known))}.")
    return Filter(
        annotators=frozenset(people if asked.annotator is not None else ()),
        recordings=frozenset({resolve_recording(session, asked.recording).id} if asked.recording else ()),
        collections=frozenset(collections),
        labels=frozenset(asked.label),
        values=values,
        lacks=frozenset(asked.lacks),
        incomplete=asked.incomplete,
        disputed=asked.disputed,
        commented=asked.commented,
        unresolved=asked.unresolved,
        reviewed=asked.reviewed,
        disagreed=asked.disagreed,
        held_out=asked.held_out,
        judged=asked.judged,
        judges_differ=asked.judges_differ,
        revised=asked.revised,
    )


def parse_values(session: Session, scheme: Scheme, given: Sequence[str]) -> dict[str, Json]:
    """Return field -> value, with None for an empty text.

    Several choices are given as one text with commas, a participant by their pseudonym.
    """
    values: dict[str, Json] = {}
    for assignment in given:
        key, sign, text = assignment.partition("=")
        if not sign:
            raise UserError(f"“{assignment}” is no value of a field.", "Write FIELD=VALUE, such as channel=verbal.")
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
                raise UserError(f"“{text}” is no number.", f"{field.name} is one.") from None
        case FieldKind.PARTICIPANT:
            people = all_participants(session.study)
            found = next((person.id for person in people if text in (person.pseudonym, person.id)), None)
            if found is None:
                known = ", ".join(person.pseudonym for person in people) or "nobody yet"
                raise UserError(f"No participant is called “{text}”.", f"There are: {known}.")
            return found
        case _:
            return text


VERDICT = click.Choice([verdict.value for verdict in Verdict])
CHANNEL = click.Choice([channel.value for channel in Channel])
ANNOTATOR = click.option("--annotator", required=True, help="Who makes the segment.")
AUTHOR = click.option("--annotator", help="Who made the segment: nobody else may change it. By default anybody's.")


FORM_OPTIONS = (
    click.option(
        "--attribute", multiple=True, help="Key of an attribute, such as emotions; give it again for each further one."
    ),
    click.option("--channel", type=CHANNEL, help="Where the evidence is."),
    click.option("--rationale", help="Why the verdict holds."),
    click.option("--correction", help="What the agent should have done instead; errors only."),
)
VALUE = click.option(
    "--value",
    "typed",
    metavar="FIELD=VALUE",
    multiple=True,
    help="Any field of the scheme's form; several choices with commas, a participant by pseudonym.",
)
LABEL = click.option("--label", help="Key of a label of the track, as --verdict for any scheme.")


def form_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for form values, passed to it together as `values`."""

    @functools.wraps(function)
    def with_values(
        *, attribute: tuple[str, ...], channel: str | None, rationale: str | None, correction: str | None, **rest: Any
    ) -> None:
        given: dict[str, Json] = {
            "attributes": [*dict.fromkeys(attribute)] or None,
            "channel": channel,
            "rationale": rationale,
            "correction": correction,
        }
        function(values={field: value for field, value in given.items() if value is not None}, **rest)

    wrapped: Callable[..., None] = with_values
    for option in reversed(FORM_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


@click.group()
def segment() -> None:
    """Mark spans of a recording, and list, change or delete them."""


@segment.command()
@STUDY
@click.option("--recording", required=True, help="Number, file name or id.")
@click.option("--start", required=True, help="Seconds or h:mm:ss.mmm.")
@click.option("--end", required=True, help="Seconds or h:mm:ss.mmm.")
@click.option("--verdict", type=VERDICT, help="What it shows; none for a negative sample.")
@LABEL
@click.option("--scheme", help="Key of a scheme that the study uses; its default one when not given.")
@click.option("--track", help="Key of the scheme's track; its first one when not given.")
@form_options
@VALUE
@ANNOTATOR
@json_option
def add(
    study: Path,
    recording: str,
    start: str,
    end: str,
    verdict: str | None,
    label: str | None,
    scheme: str | None,
    track: str | None,
    values: dict[str, Json],
    typed: tuple[str, ...],
    annotator: str,
    as_json: bool,
) -> None:
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
    with Session.open(study, annotator) as session:
        owner = resolve_recording(session, recording)
        values |= parse_values(session, session.schemes.get(scheme), typed)
        times = parse_time(start), parse_time(end)
        segment_id, _ = segment_edits.add_segment(session, owner.id, *times, chosen, values, scheme=scheme, track=track)
        described = _read_segment_json(session, segment_id)
    print_result(as_json, described, f"Added {segment_id}")


@segment.command("list")
@STUDY
@filter_options
@json_option
def list_segments(study: Path, asked: SegmentFilterArgs, as_json: bool) -> None:
    """List segments, all or those for which every condition holds.

    \b
    Example:
      greenroom segment list my-study.greenroom --recording 1
      greenroom segment list my-study.greenroom --label error --field attributes=norms --text interrupt
    """
    # It is recorded that the answers of judges were shown, as far as they may be.
    with Session.open(study, read_only=asked.judges_differ is None) as session:
        wanted = set(find_segments(session, asked))
        names = {a.id: a.name for a in all_annotators(session.study)}
        listed: list[dict[str, Json]] = []
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
        f"{entry['id']}  recording {entry['recording']}  {entry['start']:.3f} to {entry['end']:.3f} s"
        f"  {entry['verdict']}  {entry['annotator']}"
        for entry in listed
    ]
    print_result(as_json, {"segments": [*listed]}, "\n".join(lines) or "No segments.")


@segment.command()
@STUDY
@click.argument("segment_id", metavar="SEGMENT")
@click.option("--start", help="Seconds or h:mm:ss.mmm.")
@click.option("--end", help="Seconds or h:mm:ss.mmm.")
@click.option("--verdict", type=VERDICT, help="What it shows; none for a negative sample.")
@LABEL
@form_options
@VALUE
@AUTHOR
@json_option
def edit(
    study: Path,
    segment_id: str,
    start: str | None,
    end: str | None,
    verdict: str | None,
    label: str | None,
    values: dict[str, Json],
    typed: tuple[str, ...],
    annotator: str | None,
    as_json: bool,
) -> None:
    """Change a segment. What is not given stays; attributes that are given replace the old ones; "" clears a text.

    \b
    Example:
      greenroom segment edit my-study.greenroom SEGMENT --end 0:16 --verdict competence
    """
    with Session.open(study, annotator) as session:
        _use_author_name(session, annotator, segment_id)
        scheme = (
            session.schemes.get(segment_edits.find_segment(session, segment_id).scheme) if typed else session.scheme
        )
        values |= parse_values(session, scheme, typed)
        segment_edits.edit_segment(
            session,
            segment_id,
            start_us=None if start is None else parse_time(start),
            end_us=None if end is None else parse_time(end),
            label=_choose_label(verdict, label),
            values=values,
        )
        described = _read_segment_json(session, segment_id)
    print_result(as_json, described, f"Changed {segment_id}")


@segment.command()
@STUDY
@click.argument("segment_ids", metavar="SEGMENT...", nargs=-1, required=True)
@AUTHOR
@json_option
def delete(study: Path, segment_ids: tuple[str, ...], annotator: str | None, as_json: bool) -> None:
    """Delete segments. `greenroom undo` brings them back.

    \b
    Example:
      greenroom segment delete my-study.greenroom SEGMENT
    """
    with Session.open(study, annotator) as session:
        _use_author_name(session, annotator, segment_ids[0])
        recordings = {table_segment.recording_id for table_segment in table_segments(session.study, segment_ids)}
        segment_edits.delete_segments(session, segment_ids)
    among = f" in {pluralize(len(recordings), 'recording')}" if len(recordings) > 1 else ""
    deleted = pluralize(len(set(segment_ids)), "segment")
    told = f"Deleted {deleted}{among}. Undo: greenroom undo {escape_unprintable(study)}"
    print_result(as_json, {"deleted": [*segment_ids], "recordings": len(recordings)}, told)


def _choose_label(verdict: str | None, label: str | None) -> str | None:
    if verdict is not None and label is not None:
        raise UserError("--verdict and --label say the same thing.", "Give one of them.")
    return label or verdict


def _use_author_name(session: Session, annotator: str | None, segment_id: str) -> None:
    if annotator is None:
        author = segment_edits.find_segment(session, segment_id).annotator_id
        session.annotator_name = next(a.name for a in all_annotators(session.study) if a.id == author)


def _segment_json(found: Segment, number: int, annotator: str, values: Mapping[str, FieldValue]) -> dict[str, Json]:
    return {
        "id": found.id,
        "recording": number,
        "annotator": annotator,
        "start": found.start_us / 1e6,
        "end": found.end_us / 1e6,
        "scheme": found.scheme,
        "track": found.track,
        "label": found.label,
        "values": {field: value.value for field, value in values.items()},
        "verdict": found.label,
        **{
            field: values[field].value if field in values else None
            for field in ("attributes", "channel", "rationale", "correction")
        },
    }


def _read_segment_json(session: Session, segment_id: str) -> dict[str, Json]:
    found = segment_edits.find_segment(session, segment_id)
    names = {a.id: a.name for a in all_annotators(session.study)}
    number = session.recording(found.recording_id).number
    return _segment_json(found, number, names[found.annotator_id], segment_rows.values_of(session.study, segment_id))
