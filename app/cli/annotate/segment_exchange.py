"""Commands that exchange annotations with other tools."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.interchange.annotation_files import FORMATS, READ_FORMATS
from app.cli.command import EDIT, KEEP_REST, argument, command, option
from app.cli.console import UNSCRUBBED_NOTE, Output, progress_bar, record
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.recording_rows import recording_numbers
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import format_time

if TYPE_CHECKING:
    from annotate.interchange.document_import import LanePlan, Plan, PreviewRow
    from annotate.interchange.lossless_format import RowsPlan


@command()
def export_annotations(
    session: Session,
    key: str = option("Which one; docs/interchange.md says what each holds.", "--format", choices=FORMATS),
    out: Path = option("File, or folder for one file a recording."),
    recording: tuple[Recording, ...] = option(),
    annotator: tuple[str, ...] = option("Only this one's work; by default everybody's."),
    force: bool = option("Replace files of the same name."),
) -> Output:
    """Export annotations for another tool. Hold-outs are never exported.

    They are raw: names and all else that is personal is in them. `greenroom release make` makes what may be given away.

    \b
    Example:
      greenroom segment export my-study.greenroom --format eaf --out for-elan
      greenroom segment export my-study.greenroom --format csv --out all.csv --annotator Ada
    """
    from annotate.interchange.annotation_files import get_format
    from annotate.interchange.document_export import export_recordings, exportable_recordings
    from annotate.study.people import require_annotator

    to = get_format(key)
    wanted = exportable_recordings(session, [owner.id for owner in recording] or None)
    people = [require_annotator(session, text).id for text in annotator] or None
    with progress_bar("Exporting") as bar:
        made = export_recordings(session, to, out, wanted, people, overwrite=force, progress=bar)
    lines = [*(f"Wrote {path}" for path in made), *(f"  Not held by it: {loss}" for loss in to.losses), UNSCRUBBED_NOTE]
    return Output({"format": key, "files": made, "losses": to.losses}, lines)


@command(study=EDIT, reads=("preview",), annotator=option("Who made what the file does not give an annotator for."))
def import_annotations(
    session: Session,
    files: tuple[Path, ...] = argument(metavar="FILE...", required=True),
    key: str | None = option("Which format; by default seen from the file.", "--format", choices=READ_FORMATS),
    recording: tuple[Recording, ...] = option(
        "Recording that it is about, one for each where there are several; by default found by name, media or length."
    ),
    parts: tuple[str, ...] = option(
        "Which recording of the study one of the file is: its number, or new or none.",
        "--part",
        metavar="NAME=RECORDING",
    ),
    new_recordings: bool = option("Make a recording without video for each of the file that fits none."),
    targets: tuple[str, ...] = option(
        "What a tier becomes: new (a track of its own), text (one for free text), utterances, out, or SCHEME.TRACK.",
        "--map",
        metavar="TIER=TARGET",
    ),
    chosen: Path | None = option("Mapping file: what each lane becomes.", "--mapping"),
    save_mapping: Path | None = option("Write the mapping that is used to this file."),
    preview: bool = option("Say what would be imported, and write nothing to the study."),
    keep_rest: bool = KEEP_REST,
) -> Output:
    """Import annotations of another tool.

    A tier that fits no track of the study gets a track of its own, in a scheme that is made for the file. It is one
    step that undo takes back. Importing a file twice changes nothing. A file that holds a name, a number or an address
    of somebody who withdrew from the study is refused.

    \b
    Example:
      greenroom segment import my-study.greenroom coded.eaf --recording 1 --preview
      greenroom segment import my-study.greenroom coded.eaf --recording 1 --map gestures=text --map notes=out
      greenroom segment import my-study.greenroom lab.boris --part "visit 1=3" --new-recordings
    """
    from annotate.interchange.annotation_files import apply_import, plan_import, read_files
    from annotate.interchange.lane_entries import NEW_RECORDING, assign_recordings
    from annotate.interchange.lane_mapping import choose_target, guess_mapping, load_mapping
    from media.encoding import atomic_output

    document = read_files(files, key)
    given = None if chosen is None else load_mapping(chosen)
    mapping = guess_mapping(session, document) if given is None else given
    for tier, target in _pairs(targets, "TIER=TARGET, such as gestures=new"):
        mapping = replace(mapping, lanes={**mapping.lanes, tier: choose_target(session, document, tier, target)})
    named = {name: _place(session, text) for name, text in _pairs(parts, "NAME=RECORDING, such as visit 1=3")}
    places = assign_recordings(session, document, recording, named)
    if new_recordings:
        places = tuple(place or NEW_RECORDING for place in places)
    plan = plan_import(session, document, mapping, places)
    numbers = recording_numbers(session.study)
    if save_mapping is not None:
        with atomic_output(save_mapping, files) as temporary:
            temporary.write_text(mapping.to_json(), "utf-8")
    if not preview:
        title = files[0].name if len(files) == 1 else f"{len(files)} files"
        apply_import(session, plan, title, keep_rest=keep_rest)
    result = {
        "added": plan.added,
        "further": plan.other_row_count,
        "known": plan.known,
        "left_out": plan.left_out,
        "written": not preview and plan.added + plan.other_row_count > 0,
        "lanes": [record(lane, "recording_id", recording=numbers.get(lane.recording_id)) for lane in plan.lanes],
        "remarks": plan.remarks,
    }
    return Output(result, _plan_lines(plan, numbers, preview))


def _pairs(texts: Sequence[str], form: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign:
            raise UserError(f"“{text}” does not say what becomes what.", f"Write {form}.")
        yield name, value


def _place(session: Session, text: str) -> str:
    """Return the id of a recording by its number, or what stands for a new one or none."""
    from annotate.interchange.lane_entries import NEW_RECORDING

    if text in (NEW_RECORDING, "none"):
        return text if text == NEW_RECORDING else ""
    by_number = {str(number): recording_id for recording_id, number in recording_numbers(session.study).items()}
    if text not in by_number:
        raise UserError(f"There is no recording {text}.", "Give its number, or new, or none.")
    return by_number[text]


def _plan_lines(plan: "Plan | RowsPlan", numbers: Mapping[str, int], preview: bool) -> Iterator[str]:
    for lane in plan.lanes:
        where = "a new recording" if lane.recording_id else "no recording"
        where = f"recording {numbers[lane.recording_id]}" if lane.recording_id in numbers else where
        yield f"{lane.part}: {lane.lane} -> {_target_text(lane, where)}: new {lane.added} of {lane.entries}"
        yield from (f"  {count} left out: {why}" for why, count in lane.left_out.items())
        yield from (f"  {count} {remark}" for remark, count in lane.remarks.items())
        if preview:
            yield from (f"  {_row_text(row)}" for row in lane.rows[:_PREVIEW_ROWS])
    yield from plan.remarks
    verb = "Would import" if preview else "Imported"
    known = f"; {plan.known} are in the study already" if plan.known else ""
    yield f"{verb} {pluralize(plan.added, 'annotation')} and {pluralize(plan.other_row_count, 'further row')}{known}."


_PREVIEW_ROWS = 3
_MAX_ROW_TEXT = 60


def _row_text(row: "PreviewRow") -> str:
    said = " ".join(row.text.split())[:_MAX_ROW_TEXT]
    label = f"{row.label}: " if row.label not in ("", row.text) else ""
    return f"{format_time(row.start_us)} - {format_time(row.end_us)}  {label}{said}"


def _target_text(lane: "LanePlan", where: str) -> str:
    target = lane.target
    if target.becomes == "nothing":
        return "nothing"
    if target.becomes == "utterances":
        return f"utterances{' of ' + target.participant if target.participant else ''}, {where}"
    return f"{target.scheme}.{target.track} by {target.annotator}, {where}"
