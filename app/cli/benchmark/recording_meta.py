"""Commands about meta information: show it, write parts of it, let judges suggest them, and export it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from annotate.meta.meta_edits import (
    MAX_SUMMARY_CHARS,
    add_contradiction,
    set_person_description,
    set_voice_over,
    settle_contradiction,
    write_summary,
)
from app.cli.benchmark.judge_ask import JUDGES, ask_here
from app.cli.command import EDIT, FOLDER, command, option
from app.cli.console import UNSCRUBBED_NOTE, Output, run_job
from project.entities.questions import LookKind, SummarySource
from project.entities.study_records import Changes, Recording
from project.errors import UserError
from project.queries.question_rows import contradictions_in, summaries_of
from project.queries.recording_rows import pseudonyms
from project.queries.transcript_rows import utterances_between
from project.session.session import Session, resolve_participant
from project.text_format import escape_unprintable, pluralize
from project.timebase import SECOND_US


@command()
def show(session: Session, recording: Recording = option()) -> Output:
    """Print the meta information of a recording.

    \b
    Example:
      greenroom recording meta show my-study.greenroom --recording 1
      greenroom recording meta show my-study.greenroom --recording 1 --json
    """
    from annotate.meta.meta_summary import build_meta_information, format_prose

    found = build_meta_information(session, recording.id)
    names = pseudonyms(session.study)
    lines = [format_prose(session, recording.id, names)]
    for source, summary in summaries_of(session.study, recording.id).items():
        lines += [f"Summary from {source.value}:", summary.text]
    for number, contradiction in enumerate(contradictions_in(session.study, recording.id), 1):
        state = "settled" if contradiction.settled else "open"
        lines.append(
            f"Contradiction {number} ({state}): {' '.join([contradiction.text, contradiction.resolution]).strip()}"
        )
    text = "\n".join(line for line in lines if line)
    return Output(found, text or f"Nothing is known about recording {recording.number} yet.")


@command(study=EDIT)
def scenes(session: Session, recording: Recording = option()) -> Output:
    """Look for scene changes on this machine; they are suggested until somebody accepts them.

    \b
    Example:
      greenroom recording meta scenes my-study.greenroom --recording 1
    """
    from annotate.meta import scenes as scene_job
    from annotate.meta.scenes import read_scene_events

    work = scene_job.prepare(session, recording.id)
    result, _ = run_job(session, work)
    waiting = sum(scene_event.prelabel for scene_event in read_scene_events(session, recording.id))
    seconds = [time_us / 1e6 for time_us in result.times_us]
    said = f"Recording {recording.number}: {pluralize(len(seconds), 'scene change')}, {waiting} to decide on."
    lines = [said, *(f"  {second:.2f} s" for second in seconds)]
    return Output({"recording": recording.number, "changes": seconds, "prelabels": waiting}, lines)


@command()
def export(
    session: Session,
    recordings: tuple[Recording, ...] = option("", "--recording"),
    out: Path = option("The folder for the files.", type=FOLDER),
    scrubbed: bool = option("Take out what is personal, by the finders of a release."),
    force: bool = option("Replace files of the same names."),
) -> Output:
    """Write meta information to JSON files, one a recording. Hold-outs are never exported.

    It is raw unless --scrubbed is given: names and all else that is personal is in it.

    \b
    Example:
      greenroom recording meta export my-study.greenroom --out meta --scrubbed
    """
    from anonymize.release.scrubbed_study import collect_meta_information, write_meta_information

    wanted = [owner.id for owner in recordings] or None
    files = write_meta_information(
        session, collect_meta_information(session, wanted, scrubbed=scrubbed), out, overwrite=force
    )
    lines = [f"Wrote {pluralize(len(files), 'file')} to {out}", *([] if scrubbed else [UNSCRUBBED_NOTE])]
    return Output({"files": [str(file) for file in files], "scrubbed": scrubbed}, lines)


_Step: TypeAlias = Callable[[], Changes]


@command(study=EDIT, annotator=option("Who says so.", required=True))
def set_parts(
    session: Session,
    recording: Recording = option(),
    looks: tuple[str, ...] = option(
        "Such as P01.clothing=red coat; no text removes it.", "--look", metavar="WHO.KIND=TEXT"
    ),
    summaries: tuple[str, ...] = option(
        "words=TEXT or frames=TEXT; @FILE reads a file.", "--summary", metavar="SOURCE=TEXT"
    ),
    contradictions: tuple[str, ...] = option("Note one.", "--contradiction", metavar="TEXT"),
    settled: tuple[str, ...] = option(
        "What is true about a contradiction of `meta show`.", "--settle", metavar="NUMBER=TEXT"
    ),
    over: tuple[float, ...] = option("Leave out the utterance at this time.", "--voice-over", metavar="SECONDS"),
) -> Output:
    """Write looks, summaries and contradictions, and mark voice-over.

    Each is one step that undo takes back.

    \b
    Example:
      greenroom recording meta set my-study.greenroom --recording 1 --look "P01.hair=short, dark" --annotator Ada
      greenroom recording meta set my-study.greenroom --recording 1 --summary words=@summary.txt --annotator Ada
      greenroom recording meta set my-study.greenroom --recording 1 --settle "1=The coat is red." --annotator Ada
    """
    # All values are read before the first one is written.
    planned = [
        *_look_steps(session, recording.id, looks),
        *_summary_steps(session, recording.id, summaries),
        *_contradiction_steps(session, recording.id, contradictions, settled),
        *_voice_over_steps(session, recording.id, over),
    ]
    steps = [do() for do in planned]
    if not (looks or summaries or contradictions or settled or over):
        raise UserError(
            "There is nothing to write.", "Give --look, --summary, --contradiction, --settle or --voice-over."
        )
    changed = sum(bool(step) for step in steps)
    return Output({"recording": recording.number, "changed": changed}, f"Changed {pluralize(changed, 'part')}.")


def _look_steps(session: Session, recording_id: str, given: tuple[str, ...]) -> Iterator[_Step]:

    for assignment in given:
        place, text = _split_assignment(assignment, "WHO.KIND=TEXT")
        who, _, kind = place.rpartition(".")
        if kind not in {look_kind.value for look_kind in LookKind}:
            known = ", ".join(look_kind.value for look_kind in LookKind)
            raise UserError(
                f"There is no description “{escape_unprintable(kind)}”.", f"Give WHO.KIND=TEXT, with a kind of {known}."
            )
        yield partial(
            set_person_description, session, recording_id, resolve_participant(session, who).id, LookKind(kind), text
        )


def _summary_steps(session: Session, recording_id: str, given: tuple[str, ...]) -> Iterator[_Step]:
    from annotate.interchange.bounded_files import read_text

    for assignment in given:
        source, text = _split_assignment(assignment, "SOURCE=TEXT")
        if source not in {summary_source.value for summary_source in SummarySource}:
            raise UserError(f"There is no summary “{escape_unprintable(source)}”.", "Give words=TEXT or frames=TEXT.")
        if text.startswith("@"):
            text = read_text(Path(text[1:]), MAX_SUMMARY_CHARS * 4)
        yield partial(write_summary, session, recording_id, SummarySource(source), text)


def _contradiction_steps(
    session: Session, recording_id: str, new: tuple[str, ...], settled: tuple[str, ...]
) -> Iterator[_Step]:

    for text in new:
        yield partial(_note_contradiction, session, recording_id, text)
    known = len(contradictions_in(session.study, recording_id)) + len(new)
    for assignment in settled:
        number, text = _split_assignment(assignment, "NUMBER=TEXT")
        if not number.isdecimal() or not 1 <= int(number) <= known:
            raise UserError(
                f"There is no contradiction {escape_unprintable(number)}.", "List them: greenroom recording meta show"
            )
        yield partial(_settle_contradiction, session, recording_id, int(number), text)


def _note_contradiction(session: Session, recording_id: str, text: str) -> Changes:

    return add_contradiction(session, recording_id, text)[1]


def _settle_contradiction(session: Session, recording_id: str, number: int, text: str) -> Changes:

    return settle_contradiction(session, contradictions_in(session.study, recording_id)[number - 1].id, text)


def _voice_over_steps(session: Session, recording_id: str, given: tuple[float, ...]) -> Iterator[_Step]:

    for seconds in given:
        time_us = round(seconds * SECOND_US)
        found = utterances_between(session.study, recording_id, time_us, time_us + 1)
        if not found:
            raise UserError(f"Nobody speaks at {seconds:g} s.", "List the utterances: greenroom recording meta show")
        for utterance in found:
            yield partial(set_voice_over, session, utterance.id, True)


def _split_assignment(text: str, form: str) -> tuple[str, str]:
    before, sign, after = text.partition("=")
    if not sign:
        raise UserError(f"“{escape_unprintable(text)}” is not {form}.", "Give the name, then =, then the text.")
    return before.strip(), after.strip()


@command(study=EDIT, annotator=option("Who takes it over; needed with --accept."))
def suggest(
    session: Session,
    annotator: str | None,
    recording: Recording = option(),
    judges: tuple[str, ...] = JUDGES,
    parts: tuple[str, ...] = option(
        "What is suggested; by default all, in this order.",
        "--part",
        choices=["looks", "words_summary", "frames_summary", "audit"],
    ),
    condition: str = option("What judges see: raw, or a rendering's method.", default="raw"),
    accept: bool = option("Take over what the newest answer says; what a person wrote stays."),
    replace: bool = option("With --accept: also in the place of what a person wrote."),
) -> Output:
    """Ask judges for looks, both summaries, and what these say differently.

    Contradictions are only looked for where both summaries are there, so with --accept one call makes all.

    \b
    Example:
      greenroom recording meta suggest my-study.greenroom --recording 1 --judge vision --accept --annotator Ada
      greenroom recording meta suggest my-study.greenroom --recording 1 --judge text --part words_summary
    """
    from benchmark.authoring.meta_answers import META_TASKS, import_answer, read_answers, suggestion_request
    from benchmark.judging.judge_registry import get_judges

    if accept and not annotator:
        raise UserError("--accept needs an annotator's name.", "Give --annotator NAME.")
    asked = get_judges(session, judges)
    told: list[Any] = []
    lines: list[str] = []
    for task in (text for text in META_TASKS if not parts or text in parts):
        before = {answer.id for answer in read_answers(session, recording.id)}
        came = ask_here(session, suggestion_request(recording.id, task, asked, condition))
        notes = [note.as_text() for note in came.outcome.notes]
        answers = [answer for answer in read_answers(session, recording.id) if answer.task == task]
        entry: dict[str, Any] = {"part": task, "answers": len(answers), "notes": notes}
        entry["new"] = sum(answer.id not in before for answer in answers)
        if accept and answers:
            taken = import_answer(session, answers[0].id, replace_own=replace)
            entry |= {"taken": taken.new, "kept": taken.kept, "unread": taken.unparsed_lines}
        told.append(entry)
        lines.append(_part_line(entry))
    return Output({"recording": recording.number, "parts": told}, lines)


def _part_line(entry: dict[str, Any]) -> str:
    parts = [f"{entry['part']}: {entry['new']} new of {entry['answers']} answers"]
    if "taken" in entry:
        parts.append(f"{entry['taken']} taken over, {entry['kept']} stay as they were written")
    notes = entry["notes"]
    assert isinstance(notes, list)
    return "; ".join(parts) + "".join(f"\n  {note}" for note in notes)
