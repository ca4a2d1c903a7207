"""Commands about meta information: show it, write parts of it, let judges suggest them, and export it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from app.cli.command import STUDY, UNSCRUBBED_NOTE, Bar, LazyGroup, json_option, print_result
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.session.session import Session
from project.text_format import escape_unprintable, pluralize

_PLACES = {
    "show": "meta:show",
    "set": "meta:set_parts",
    "scenes": "meta:scenes",
    "suggest": "meta:suggest",
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
    from annotate.meta.meta_summary import build_meta_information, format_prose
    from project.queries.question_rows import contradictions_in, summaries_of
    from project.queries.recording_rows import all_participants
    from project.session.session import resolve_recording

    with Session.open(study, read_only=True) as session:
        owner = resolve_recording(session, recording)
        found = build_meta_information(session, owner.id)
        names = {participant.id: participant.pseudonym for participant in all_participants(session.study)}
        lines = [format_prose(session, owner.id, names)]
        for source, summary in summaries_of(session.study, owner.id).items():
            lines += [f"Summary from {source.value}:", summary.text]
        for number, contradiction in enumerate(contradictions_in(session.study, owner.id), 1):
            state = "settled" if contradiction.settled else "open"
            lines.append(
                f"Contradiction {number} ({state}): {' '.join([contradiction.text, contradiction.resolution]).strip()}"
            )
    text = "\n".join(line for line in lines if line)
    print_result(as_json, found, text or f"Nothing is known about recording {owner.number} yet.")


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
    from annotate.meta import scenes as scene_job
    from annotate.meta.scenes import read_scene_events
    from project.session.jobs import run_inline
    from project.session.session import resolve_recording

    with Session.open(study) as session:
        session.study.require_writable()
        owner = resolve_recording(session, recording)
        work = scene_job.prepare(session, owner.id)
        bar = Bar(work.title)
        try:
            result, _ = run_inline(session, work, bar)
        finally:
            bar.clear()
        waiting = sum(scene_event.prelabel for scene_event in read_scene_events(session, owner.id))
    seconds: list[Json] = [time_us / 1e6 for time_us in result.times_us]
    said = f"Recording {owner.number}: {pluralize(len(seconds), 'scene change')}, {waiting} to decide on."
    lines = [said, *(f"  {second:.2f} s" for second in seconds)]
    print_result(as_json, {"recording": owner.number, "changes": seconds, "prelabels": waiting}, "\n".join(lines))


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
    from anonymize.release.release_files import collect_meta_information, write_meta_information
    from project.session.session import resolve_recording

    with Session.open(study, read_only=True) as session:
        wanted = [resolve_recording(session, recording).id for recording in recordings] or None
        files = write_meta_information(
            session, collect_meta_information(session, wanted, scrubbed=scrubbed), out, overwrite=force
        )
    lines = [f"Wrote {pluralize(len(files), 'file')} to {out}", *([] if scrubbed else [UNSCRUBBED_NOTE])]
    print_result(as_json, {"files": [str(file) for file in files], "scrubbed": scrubbed}, "\n".join(lines))


_Step: TypeAlias = Callable[[], Changes]


@click.command("set")
@STUDY
@RECORDING
@click.option(
    "--look", "looks", multiple=True, metavar="WHO.KIND=TEXT", help="Such as P01.clothing=red coat; no text removes it."
)
@click.option(
    "--summary",
    "summaries",
    multiple=True,
    metavar="SOURCE=TEXT",
    help="words=TEXT or frames=TEXT; @FILE reads a file.",
)
@click.option(
    "--contradiction", "contradictions", multiple=True, metavar="TEXT", help="Note one; again for each further one."
)
@click.option(
    "--settle",
    "settled",
    multiple=True,
    metavar="NUMBER=TEXT",
    help="What is true about a contradiction of `meta show`.",
)
@click.option(
    "--voice-over", "over", multiple=True, type=float, metavar="SECONDS", help="Leave out the utterance at this time."
)
@click.option("--annotator", required=True, help="Who says so.")
@json_option
def set_parts(
    study: Path,
    recording: str,
    looks: tuple[str, ...],
    summaries: tuple[str, ...],
    contradictions: tuple[str, ...],
    settled: tuple[str, ...],
    over: tuple[float, ...],
    annotator: str,
    as_json: bool,
) -> None:
    """Write looks, summaries and contradictions, and mark voice-over.

    Each is one step that undo takes back.

    \b
    Example:
      greenroom meta set my-study.greenroom --recording 1 --look "P01.hair=short, dark" --annotator Ada
      greenroom meta set my-study.greenroom --recording 1 --summary words=@summary.txt --annotator Ada
      greenroom meta set my-study.greenroom --recording 1 --settle "1=The coat is red." --annotator Ada
    """
    from project.session.session import resolve_recording

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        owner = resolve_recording(session, recording)
        # All values are read before the first one is written.
        planned = [
            *_look_steps(session, owner.id, looks),
            *_summary_steps(session, owner.id, summaries),
            *_contradiction_steps(session, owner.id, contradictions, settled),
            *_voice_over_steps(session, owner.id, over),
        ]
        steps = [do() for do in planned]
    if not (looks or summaries or contradictions or settled or over):
        raise UserError(
            "There is nothing to write.", "Give --look, --summary, --contradiction, --settle or --voice-over."
        )
    changed = sum(bool(step) for step in steps)
    print_result(as_json, {"recording": owner.number, "changed": changed}, f"Changed {pluralize(changed, 'part')}.")


def _look_steps(session: Session, recording_id: str, given: tuple[str, ...]) -> Iterator[_Step]:
    from annotate.meta.meta_edits import set_person_description
    from project.entities.questions import LookKind
    from project.session.session import resolve_participant

    for assignment in given:
        place, text = _split_assignment(assignment, "WHO.KIND=TEXT")
        who, _, kind = place.rpartition(".")
        if kind not in {look_kind.value for look_kind in LookKind}:
            known = ", ".join(look_kind.value for look_kind in LookKind)
            raise UserError(
                f"“{escape_unprintable(kind)}” is no kind of look.", f"Write WHO.KIND=TEXT, with a kind of {known}."
            )
        yield partial(
            set_person_description, session, recording_id, resolve_participant(session, who).id, LookKind(kind), text
        )


def _summary_steps(session: Session, recording_id: str, given: tuple[str, ...]) -> Iterator[_Step]:
    from annotate.interchange.bounded_files import read_text
    from annotate.meta.meta_edits import MAX_SUMMARY_CHARS, write_summary
    from project.entities.questions import SummarySource

    for assignment in given:
        source, text = _split_assignment(assignment, "SOURCE=TEXT")
        if source not in {summary_source.value for summary_source in SummarySource}:
            raise UserError(
                f"A summary is not made from “{escape_unprintable(source)}”.", "Write words=TEXT or frames=TEXT."
            )
        if text.startswith("@"):
            text = read_text(Path(text[1:]), MAX_SUMMARY_CHARS * 4)
        yield partial(write_summary, session, recording_id, SummarySource(source), text)


def _contradiction_steps(
    session: Session, recording_id: str, new: tuple[str, ...], settled: tuple[str, ...]
) -> Iterator[_Step]:
    from project.queries.question_rows import contradictions_in

    for text in new:
        yield partial(_note_contradiction, session, recording_id, text)
    known = len(contradictions_in(session.study, recording_id)) + len(new)
    for assignment in settled:
        number, text = _split_assignment(assignment, "NUMBER=TEXT")
        if not number.isdecimal() or not 1 <= int(number) <= known:
            raise UserError(f"There is no contradiction {escape_unprintable(number)}.", "See: greenroom meta show")
        yield partial(_settle_contradiction, session, recording_id, int(number), text)


def _note_contradiction(session: Session, recording_id: str, text: str) -> Changes:
    from annotate.meta.meta_edits import add_contradiction

    return add_contradiction(session, recording_id, text)[1]


def _settle_contradiction(session: Session, recording_id: str, number: int, text: str) -> Changes:
    from annotate.meta.meta_edits import settle_contradiction
    from project.queries.question_rows import contradictions_in

    return settle_contradiction(session, contradictions_in(session.study, recording_id)[number - 1].id, text)


def _voice_over_steps(session: Session, recording_id: str, given: tuple[float, ...]) -> Iterator[_Step]:
    from annotate.meta.meta_edits import set_voice_over
    from project.queries.transcript_rows import utterances_between
    from project.timebase import SECOND_US

    for seconds in given:
        time_us = round(seconds * SECOND_US)
        found = utterances_between(session.study, recording_id, time_us, time_us + 1)
        if not found:
            raise UserError(f"Nobody speaks at {seconds:g} s.", "See: greenroom meta show")
        for utterance in found:
            yield partial(set_voice_over, session, utterance.id, True)


def _split_assignment(text: str, form: str) -> tuple[str, str]:
    before, sign, after = text.partition("=")
    if not sign:
        raise UserError(f"This is not {form}: {escape_unprintable(text)}.", "Write what it is, then =, then the text.")
    return before.strip(), after.strip()


@click.command()
@STUDY
@RECORDING
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all if none."
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(["looks", "words_summary", "frames_summary", "audit"]),
    help="What is suggested; again for each further one; all of them, in this order, if none.",
)
@click.option("--condition", default="raw", show_default=True, help="What judges see: raw, or a rendering's method.")
@click.option("--accept", is_flag=True, help="Take over what the newest answer says; what a person wrote stays.")
@click.option("--replace", is_flag=True, help="With --accept: also in the place of what a person wrote.")
@click.option("--annotator", help="Who takes it over; needed with --accept.")
@json_option
def suggest(
    study: Path,
    recording: str,
    judges: tuple[str, ...],
    parts: tuple[str, ...],
    condition: str,
    accept: bool,
    replace: bool,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Ask judges for looks, both summaries, and what these say differently.

    Contradictions are only looked for where both summaries are there, so with --accept one call makes all.

    \b
    Example:
      greenroom meta suggest my-study.greenroom --recording 1 --judge vision --accept --annotator Ada
      greenroom meta suggest my-study.greenroom --recording 1 --judge text --part words_summary
    """
    from app.cli.ask import ask_here
    from benchmark.authoring.meta_answers import META_TASKS, import_answer, read_answers, suggestion_request
    from benchmark.judging.judge_registry import get_judges
    from project.session.session import resolve_recording

    if accept and not annotator:
        raise UserError("Somebody has to take it over.", "Give --annotator.")
    with Session.open(study, annotator) as session:
        session.study.require_writable()
        owner = resolve_recording(session, recording)
        asked = get_judges(session, judges)
        told: list[Json] = []
        lines: list[str] = []
        for task in (text for text in META_TASKS if not parts or text in parts):
            before = {answer.id for answer in read_answers(session, owner.id)}
            came = ask_here(session, suggestion_request(owner.id, task, asked, condition))
            notes = [note.as_text() for note in came.outcome.notes]
            answers = [answer for answer in read_answers(session, owner.id) if answer.task == task]
            entry: dict[str, Json] = {"part": task, "answers": len(answers), "notes": [*notes]}
            entry["new"] = sum(answer.id not in before for answer in answers)
            if accept and answers:
                taken = import_answer(session, answers[0].id, replace_own=replace)
                entry |= {"taken": taken.new, "kept": taken.kept, "unread": [*taken.unparsed_lines]}
            told.append(entry)
            lines.append(_part_line(entry))
    print_result(as_json, {"recording": owner.number, "parts": told}, "\n".join(lines))


def _part_line(entry: dict[str, Json]) -> str:
    parts = [f"{entry['part']}: {entry['new']} new of {entry['answers']} answers"]
    if "taken" in entry:
        parts.append(f"{entry['taken']} taken over, {entry['kept']} stay as they were written")
    notes = entry["notes"]
    assert isinstance(notes, list)
    return "; ".join(parts) + "".join(f"\n  {note}" for note in notes)
