"""The command about meta information: show it, write parts of it, let judges suggest them, export it."""

from pathlib import Path

import click

from app.cli.lazy import LazyGroup
from app.cli.output import RAW, Bar, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.types import Json

_PLACES = {
    "show": "meta:show",
    "set": "meta_set:set_parts",
    "scenes": "meta:scenes",
    "suggest": "meta_suggest:suggest",
    "export": "meta:export",
}
RECORDING = click.option("--recording", required=True, help="Its number, name, file name or id.")


@click.group(cls=LazyGroup, places=_PLACES)
def meta() -> None:
    """Gather what questions of a recording are made from.

    That is who is in it and looks how, what is said with which cues, where scenes change, two summaries, and what these
    say differently.
    """


@click.command()
@STUDY
@RECORDING
@json_option
def show(study: Path, recording: str, as_json: bool) -> None:
    """Print the meta information of a recording.

    \b
    Example:
      greenroom meta show my-study.greenroom --recording 1
      greenroom meta show my-study.greenroom --recording 1 --json
    """
    from app.core.lookup import recording_called
    from app.core.meta.assembling import meta_information, prose
    from project.queries.meta import contradictions_in, summaries_of
    from project.queries.participants import all_participants

    with Session.open(study, read_only=True) as session:
        owner = recording_called(session, recording)
        found = meta_information(session, owner.id)
        names = {one.id: one.pseudonym for one in all_participants(session.study)}
        lines = [prose(session, owner.id, names)]
        for source, summary in summaries_of(session.study, owner.id).items():
            lines += [f"Summary from {source.value}:", summary.text]
        for number, one in enumerate(contradictions_in(session.study, owner.id), 1):
            state = "settled" if one.settled else "open"
            lines.append(f"Contradiction {number} ({state}): {' '.join([one.text, one.resolution]).strip()}")
    text = "\n".join(line for line in lines if line)
    tell(as_json, found, text or f"Nothing is known about recording {owner.number} yet.")


@click.command()
@STUDY
@RECORDING
@json_option
def scenes(study: Path, recording: str, as_json: bool) -> None:
    """Look for scene changes on this machine; they are suggested until somebody accepts them.

    \b
    Example:
      greenroom meta scenes my-study.greenroom --recording 1
    """
    from app.core.jobs import run_here
    from app.core.lookup import recording_called
    from app.core.meta import scene_job
    from app.core.meta.scenes import happenings

    with Session.open(study) as session:
        session.study.require_writable()
        owner = recording_called(session, recording)
        work = scene_job.prepare(session, owner.id)
        bar = Bar(work.title)
        try:
            result, _ = run_here(session, work, bar)
        finally:
            bar.clear()
        waiting = sum(one.prelabel for one in happenings(session, owner.id))
    times = result["times_us"]
    assert isinstance(times, list)
    seconds: list[Json] = [int(one) / 1e6 for one in times if isinstance(one, int)]
    said = f"Recording {owner.number}: {counted(len(seconds), 'scene change')}, {waiting} to decide on."
    lines = [said, *(f"  {one:.2f} s" for one in seconds)]
    tell(as_json, {"recording": owner.number, "changes": seconds, "prelabels": waiting}, "\n".join(lines))


@click.command()
@STUDY
@click.option("--recording", "recordings", multiple=True, help="A recording; again for each further one; all if none.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder for the files."
)
@click.option("--scrubbed", is_flag=True, help="Take out what is personal, by the finders of a release.")
@click.option("--force", is_flag=True, help="Replace files of the same names.")
@json_option
def export(study: Path, recordings: tuple[str, ...], out: Path, scrubbed: bool, force: bool, as_json: bool) -> None:
    """Write meta information to JSON files, one a recording. Hold-outs are never exported.

    It is raw unless --scrubbed is given: names and all else that is personal is in it.

    \b
    Example:
      greenroom meta export my-study.greenroom --out meta --scrubbed
    """
    from app.core.lookup import recording_called
    from app.core.meta.exporting import exported, write

    with Session.open(study, read_only=True) as session:
        wanted = [recording_called(session, one).id for one in recordings] or None
        files = write(session, exported(session, wanted, scrubbed=scrubbed), out, overwrite=force)
    lines = [f"Wrote {counted(len(files), 'file')} to {out}", *([] if scrubbed else [RAW])]
    tell(as_json, {"files": [str(one) for one in files], "scrubbed": scrubbed}, "\n".join(lines))
