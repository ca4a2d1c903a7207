"""Commands about segments."""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from app.cli.output import json_option, tell
from app.cli.segment_filter import Asked, filters, found_by
from app.cli.study import STUDY
from app.core.commands import segments as commands
from app.core.lookup import recording_called
from app.core.session import Session
from app.core.typed_values import typed_values
from project.counted import counted
from project.errors import UserError
from project.names import shown
from project.queries import segments as rows
from project.queries.annotators import all_annotators
from project.queries.recordings import all_recordings
from project.queries.table import listed_segments
from project.timebase import parse_time
from project.types import Channel, FieldValue, Json, Segment, Verdict

VERDICT = click.Choice([verdict.value for verdict in Verdict])
CHANNEL = click.Choice([channel.value for channel in Channel])
ANNOTATOR = click.option("--annotator", required=True, help="Who makes the segment.")
AUTHOR = click.option("--annotator", help="Who made the segment: nobody else may change it. By default anybody's.")


FORM = (
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


def form(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the form, passed to it together as `values`."""

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
    for option in reversed(FORM):
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
@form
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
    chosen = _label(verdict, label)
    if chosen is None:
        raise UserError("A segment needs a label.", "Give --verdict, or --label for another scheme.")
    with Session.open(study, annotator) as session:
        owner = recording_called(session, recording)
        values |= typed_values(session, session.schemes.get(scheme), typed)
        times = parse_time(start), parse_time(end)
        segment_id, _ = commands.add_segment(session, owner.id, *times, chosen, values, scheme=scheme, track=track)
        described = _shown(session, segment_id)
    tell(as_json, described, f"Added {segment_id}")


@segment.command("list")
@STUDY
@filters
@json_option
def list_segments(study: Path, asked: Asked, as_json: bool) -> None:
    """List segments, all or those for which every condition holds.

    \b
    Example:
      greenroom segment list my-study.greenroom --recording 1
      greenroom segment list my-study.greenroom --label error --field attributes=norms --text interrupt
    """
    # That judges were shown, as far as they may be, is written down.
    with Session.open(study, read_only=asked.judges_differ is None) as session:
        wanted = set(found_by(session, asked))
        names = {a.id: a.name for a in all_annotators(session.study)}
        listed: list[dict[str, Json]] = []
        for owner in all_recordings(session.study):
            found = [one for one in rows.segments_of(session.study, owner.id) if one.id in wanted]
            values = rows.values_in(session.study, owner.id) if found else {}
            listed += [_described(one, owner.number, names[one.annotator_id], values.get(one.id, {})) for one in found]
    lines = [
        f"{one['id']}  recording {one['recording']}  {one['start']:.3f} to {one['end']:.3f} s"
        f"  {one['verdict']}  {one['annotator']}"
        for one in listed
    ]
    tell(as_json, {"segments": [*listed]}, "\n".join(lines) or "No segments.")


@segment.command()
@STUDY
@click.argument("segment_id", metavar="SEGMENT")
@click.option("--start", help="Seconds or h:mm:ss.mmm.")
@click.option("--end", help="Seconds or h:mm:ss.mmm.")
@click.option("--verdict", type=VERDICT, help="What it shows; none for a negative sample.")
@LABEL
@form
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
        _work_as_author(session, annotator, segment_id)
        scheme = session.schemes.get(commands.find(session, segment_id).scheme) if typed else session.scheme
        values |= typed_values(session, scheme, typed)
        commands.edit_segment(
            session,
            segment_id,
            start_us=None if start is None else parse_time(start),
            end_us=None if end is None else parse_time(end),
            label=_label(verdict, label),
            values=values,
        )
        described = _shown(session, segment_id)
    tell(as_json, described, f"Changed {segment_id}")


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
        _work_as_author(session, annotator, segment_ids[0])
        recordings = {one.recording_id for one in listed_segments(session.study, segment_ids)}
        commands.delete_segments(session, segment_ids)
    among = f" in {counted(len(recordings), 'recording')}" if len(recordings) > 1 else ""
    told = f"Deleted {counted(len(set(segment_ids)), 'segment')}{among}. Undo: greenroom undo {shown(study)}"
    tell(as_json, {"deleted": [*segment_ids], "recordings": len(recordings)}, told)


def _label(verdict: str | None, label: str | None) -> str | None:
    if verdict is not None and label is not None:
        raise UserError("--verdict and --label say the same thing.", "Give one of them.")
    return label or verdict


def _work_as_author(session: Session, annotator: str | None, segment_id: str) -> None:
    if annotator is None:
        author = commands.find(session, segment_id).annotator_id
        session.annotator_name = next(a.name for a in all_annotators(session.study) if a.id == author)


def _described(found: Segment, number: int, annotator: str, values: Mapping[str, FieldValue]) -> dict[str, Json]:
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


def _shown(session: Session, segment_id: str) -> dict[str, Json]:
    found = commands.find(session, segment_id)
    names = {a.id: a.name for a in all_annotators(session.study)}
    number = session.recording(found.recording_id).number
    return _described(found, number, names[found.annotator_id], rows.values_of(session.study, segment_id))
