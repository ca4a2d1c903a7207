"""Commands that exchange annotations with other tools."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.interchange.annotation_files import FORMATS
from app.cli.command import EDIT, KEEP_REST, argument, command, option
from app.cli.console import UNSCRUBBED_NOTE, Output, progress_bar, record
from project.entities.study_records import Recording
from project.queries.recording_rows import recording_numbers
from project.session.session import Session
from project.text_format import pluralize

if TYPE_CHECKING:
    from annotate.interchange.document_import import LanePlan, Plan
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
    file: Path = argument(),
    key: str | None = option("Which format; by default seen from the file.", "--format", choices=FORMATS),
    recording: tuple[Recording, ...] = option(
        "Recording that it is about, one for each where there are several; by default found by name or media."
    ),
    chosen: Path | None = option("Mapping file: what each lane becomes.", "--mapping"),
    save_mapping: Path | None = option("Write the mapping that is used to this file."),
    preview: bool = option("Say what would be imported, and write nothing to the study."),
    keep_rest: bool = KEEP_REST,
) -> Output:
    """Import annotations of another tool.

    It is one step that undo takes back. Importing a file twice changes nothing. A file that holds a name, a number or
    an address of somebody who withdrew from the study is refused.

    \b
    Example:
      greenroom segment import my-study.greenroom coded.eaf --recording 1 --preview
      greenroom segment import my-study.greenroom coded.eaf --recording 1 --mapping elan.json
    """
    from annotate.interchange.annotation_files import apply_import, plan_import, read_file
    from annotate.interchange.lane_entries import assign_recordings
    from annotate.interchange.lane_mapping import guess_mapping, load_mapping
    from media.encoding import atomic_output

    document = read_file(file, key)
    given = None if chosen is None else load_mapping(chosen)
    mapping = guess_mapping(session, document) if given is None else given
    places = assign_recordings(session, document, list(recording))
    plan = plan_import(session, document, mapping, places)
    numbers = recording_numbers(session.study)
    if save_mapping is not None:
        with atomic_output(save_mapping, (file,)) as temporary:
            temporary.write_text(mapping.to_json(), "utf-8")
    if not preview:
        apply_import(session, plan, file.name, keep_rest=keep_rest)
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


def _plan_lines(plan: "Plan | RowsPlan", numbers: Mapping[str, int], preview: bool) -> Iterator[str]:
    for lane in plan.lanes:
        where = "a new recording" if lane.recording_id else "no recording"
        where = f"recording {numbers[lane.recording_id]}" if lane.recording_id in numbers else where
        yield f"{lane.part}: {lane.lane} -> {_target_text(lane, where)}: new {lane.added} of {lane.entries}"
        yield from (f"  {count} left out: {why}" for why, count in lane.left_out.items())
        yield from (f"  {remark}" for remark in lane.remarks)
    yield from plan.remarks
    verb = "Would import" if preview else "Imported"
    known = f"; {plan.known} are in the study already" if plan.known else ""
    yield f"{verb} {pluralize(plan.added, 'annotation')} and {pluralize(plan.other_row_count, 'further row')}{known}."


def _target_text(lane: "LanePlan", where: str) -> str:
    target = lane.target
    if target.becomes == "nothing":
        return "nothing"
    if target.becomes == "utterances":
        return f"utterances{' of ' + target.participant if target.participant else ''}, {where}"
    return f"{target.scheme}.{target.track} by {target.annotator}, {where}"
