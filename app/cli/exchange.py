"""Commands that exchange annotations with other tools."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotate.interchange.annotation_files import FORMATS
from app.cli.command import KEEP_REST, STUDY, UNSCRUBBED_NOTE, json_option, print_result, progress_bar
from project.entities.study_records import Json
from project.session.session import Session
from project.text_format import pluralize

if TYPE_CHECKING:
    from annotate.interchange.document_import import LanePlan, Plan
    from annotate.interchange.lossless_format import RowsPlan

FORMAT = click.Choice(list(FORMATS))


@click.command("export")
@STUDY
@click.option(
    "--format", "key", type=FORMAT, required=True, help="Which one; docs/interchange.md says what each holds."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File, or folder for one file a recording.")
@click.option("--recording", multiple=True, help="Number, file name or id; all when not given. Repeatable.")
@click.option("--annotator", multiple=True, help="Only this one's work; everybody's when not given. Repeatable.")
@click.option("--force", is_flag=True, help="Replace files of the same name.")
@json_option
def export_annotations(
    study: Path,
    key: str,
    out: Path,
    recording: tuple[str, ...],
    annotator: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Export annotations for another tool. Hold-outs are never exported.

    They are raw: names and all else that is personal is in them. What may be given away is made by `greenroom release`.

    \b
    Example:
      greenroom export my-study.greenroom --format eaf --out for-elan
      greenroom export my-study.greenroom --format csv --out all.csv --annotator Ada
    """
    from annotate.interchange.annotation_files import get_format
    from annotate.interchange.document_export import export_recordings, exportable_recordings
    from annotate.study.people import require_annotator
    from project.session.session import resolve_recording

    to = get_format(key)
    with Session.open(study, read_only=True) as session:
        wanted = exportable_recordings(session, [resolve_recording(session, text).id for text in recording] or None)
        people = [require_annotator(session, text).id for text in annotator] or None
        with progress_bar("Exporting") as bar:
            made = export_recordings(session, to, out, wanted, people, overwrite=force, progress=bar)
    files: list[Json] = [str(path) for path in made]
    lines = [*(f"Wrote {path}" for path in made), *(f"  Not held by it: {loss}" for loss in to.losses), UNSCRUBBED_NOTE]
    print_result(as_json, {"format": key, "files": files, "losses": [*to.losses]}, "\n".join(lines))


@click.command("import")
@STUDY
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "key", type=FORMAT, help="Which format; seen from the file when not given.")
@click.option(
    "--recording",
    multiple=True,
    help="Recording that it is about; found by name or media when not given. One for each, where there are several.",
)
@click.option("--mapping", "chosen", type=click.Path(path_type=Path), help="Mapping file: what each lane becomes.")
@click.option("--save-mapping", type=click.Path(path_type=Path), help="Write the mapping that is used to this file.")
@click.option("--annotator", help="Who made what the file does not give an annotator for.")
@click.option("--preview", is_flag=True, help="Say what would be imported, and write nothing to the study.")
@KEEP_REST
@json_option
def import_annotations(
    study: Path,
    file: Path,
    key: str | None,
    recording: tuple[str, ...],
    chosen: Path | None,
    save_mapping: Path | None,
    annotator: str | None,
    preview: bool,
    keep_rest: bool,
    as_json: bool,
) -> None:
    """Import annotations of another tool.

    It is one step that undo takes back. Importing a file twice changes nothing. A file that holds a name, a number or
    an address of somebody who withdrew from the study is refused.

    \b
    Example:
      greenroom import my-study.greenroom coded.eaf --recording 1 --preview
      greenroom import my-study.greenroom coded.eaf --recording 1 --mapping elan.json
    """
    from annotate.interchange.annotation_files import apply_import, plan_import, read_file
    from annotate.interchange.lane_entries import assign_recordings
    from annotate.interchange.lane_mapping import guess_mapping, load_mapping
    from media.encoding import atomic_output
    from project.encryption.container import is_sealed
    from project.queries.recording_rows import all_recordings
    from project.session.session import resolve_recording
    from project.store.opening import inspect_file

    if not is_sealed(study):
        inspect_file(study)
    document = read_file(file, key)
    given = None if chosen is None else load_mapping(chosen)
    with Session.open(study, annotator, read_only=preview) as session:
        mapping = guess_mapping(session, document) if given is None else given
        places = assign_recordings(session, document, [resolve_recording(session, text) for text in recording])
        plan = plan_import(session, document, mapping, places)
        numbers = {owner.id: owner.number for owner in all_recordings(session.study)}
        if save_mapping is not None:
            with atomic_output(save_mapping, (file,)) as temporary:
                temporary.write_text(mapping.to_json(), "utf-8")
        if not preview:
            apply_import(session, plan, file.name, keep_rest=keep_rest)
    lanes: list[Json] = [_lane_json(lane, numbers.get(lane.recording_id)) for lane in plan.lanes]
    result: dict[str, Json] = {
        "added": plan.added,
        "further": plan.other_row_count,
        "known": plan.known,
        "left_out": plan.left_out,
        "written": not preview and plan.added + plan.other_row_count > 0,
        "lanes": lanes,
        "remarks": [*plan.remarks],
    }
    print_result(as_json, result, "\n".join(_plan_lines(plan, numbers, preview)))


def _lane_json(lane: "LanePlan", number: int | None) -> dict[str, Json]:
    return {
        "part": lane.part,
        "lane": lane.lane,
        "becomes": lane.target.becomes.value,
        "recording": number,
        "annotator": lane.target.annotator,
        "scheme": lane.target.scheme,
        "track": lane.target.track,
        "entries": lane.entries,
        "added": lane.added,
        "known": lane.known,
        "left_out": {**lane.left_out},
        "remarks": [*lane.remarks],
    }


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
