"""Verifying questions on the command line: what waits, what becomes of one, how far people agree."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands import verifications as commands
from app.core.commands.questions import Correction, question_called, reworded
from app.core.lookup import recording_called
from app.core.questions.difficulty import difficulties
from app.core.questions.verifying import Standing, Verified, agreement, gathered, me, progress
from app.core.questions.verifying import queue as waiting
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.percent import percent
from project.questions import CHECKS, DIFFICULTIES, VerificationDecision
from project.timebase import format_time
from project.types import Json

ANNOTATOR = click.option("--annotator", help="Whose work it is; the name in the settings when not given.")
RECORDING = click.option("--recording", help="Number, file name or id; all when not given.")
_ALL = "all"


@click.command()
@STUDY
@click.argument("question")
@click.option("--keep", "decision", flag_value="keep", help="It is good as it is.")
@click.option("--correct", "decision", flag_value="correct", help="It was corrected, and is good as it is now.")
@click.option("--drop", "decision", flag_value="drop", help="It is not used.")
@click.option("--withdraw", "decision", flag_value="withdraw", help="Take back what you said.")
@click.option(
    "--checklist",
    type=click.Choice([*CHECKS]),
    default="chain",
    show_default=True,
    help="What is checked: of questions from a chain, or of those from meta information.",
)
@click.option(
    "--check",
    "checks",
    multiple=True,
    type=click.Choice([_ALL, *dict.fromkeys(one for checks in CHECKS.values() for one in checks)]),
    help="What holds; again for each further one.",
)
@click.option("--difficulty", type=click.Choice(DIFFICULTIES), help="How difficult it is.")
@click.option("--note", default="", help="Why.")
@click.option("--text", help="With --correct: what is asked from now on.")
@click.option("--answer", help="With --correct: the right option from now on.")
@click.option("--wrong", multiple=True, help="With --correct: a wrong option; all of them, one after the other.")
@ANNOTATOR
@json_option
def verify(
    study: Path,
    question: str,
    decision: str | None,
    checklist: str,
    checks: tuple[str, ...],
    difficulty: str | None,
    note: str,
    text: str | None,
    answer: str | None,
    wrong: tuple[str, ...],
    annotator: str | None,
    as_json: bool,
) -> None:
    """Say whether a question is kept, corrected or dropped. Two people have to say the same.

    A question that is kept or corrected meets every check of the list. Who corrects it says in the same step that it
    is good now; whoever verified it before has to look again.

    \b
    Example:
      greenroom questions verify my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --keep --check all
      greenroom questions verify my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --drop --note "Two are right"
    """
    if decision is None:
        raise UserError("What becomes of it?", "Give --keep, --correct, --drop or --withdraw.")
    with Session.open(study, annotator) as session:
        if decision == "withdraw":
            commands.withdraw_verification(session, question)
        else:
            holds = CHECKS[checklist] if _ALL in checks else checks
            said = VerificationDecision(decision)
            options = reworded(question_called(session, question), wrong) if wrong else None
            changed = Correction(text, answer, options)
            given = changed if changed != Correction() else None
            commands.verify(session, question, said, holds, difficulty or "", note, checklist, given)
        (now,) = gathered(session, question_ids=[question_called(session, question).id])
    told: dict[str, Json] = {
        "question": question,
        "decision": decision,
        "standing": now.standing.value,
        "stale": now.stale,
    }
    tell(as_json, told, f"{_SAID[decision]} Now: {_WORDS[now.standing]}.")


@click.command("queue")
@STUDY
@ANNOTATOR
@RECORDING
@json_option
def queue(study: Path, annotator: str | None, recording: str | None, as_json: bool) -> None:
    """List the questions that wait for an annotator: first those that were changed since they looked.

    Only questions that the filters leave. What others said is not told.

    \b
    Example:
      greenroom questions queue my-study.greenroom --annotator Ada
    """
    with Session.open(study, annotator, read_only=True) as session:
        owner = "" if recording is None else recording_called(session, recording).id
        who = me(session)
        found = waiting(session, owner, annotator_id=who)
    lines = [_line(one, again=one.stale or one.again(who)) for one in found]
    told: list[Json] = [_described(one, again=one.stale or one.again(who)) for one in found]
    tell(as_json, {"questions": told}, "\n".join([*lines, f"{counted(len(found), 'question')} to verify."]))


@click.command("standing")
@STUDY
@RECORDING
@json_option
def standing(study: Path, recording: str | None, as_json: bool) -> None:
    """Show what became of the questions, and how far those who verified them agree.

    What is not settled has no label of difficulty here: it would tell who still has to look what another person said.

    \b
    Example:
      greenroom questions standing my-study.greenroom
    """
    with Session.open(study, read_only=True) as session:
        owner = "" if recording is None else recording_called(session, recording).id
        found = gathered(session, owner)
        far = progress(found, "")
        figures = agreement(session, [one.question.id for one in found])
        labels = difficulties(session)
    counts: dict[str, Json] = {where.value: number for where, number in far.standings.items()}
    lines = [f"{_WORDS[where].capitalize()}: {far.standings[where]}" for where in Standing]
    lines.append(f"To be looked at again, because the chain was edited: {far.stale}")
    for one in figures.figures:
        if one.raw is not None:
            kappa = "undefined" if one.kappa is None else f"{one.kappa:.3f}"
            lines.append(f"Agreement on {one.key}: {percent(one.raw)} of {counted(one.pairs, 'pair')}, kappa {kappa}")
    told: dict[str, Json] = {
        "questions": far.total,
        "standings": counts,
        "stale": far.stale,
        "agreement": figures.as_json(),
        "by_question": {
            one.question.id: {
                "standing": one.standing.value,
                "stale": one.stale,
                "difficulty": labels.get(one.question.id, "") if one.standing in _SETTLED else "",
            }
            for one in found
        },
    }
    tell(as_json, told, "\n".join(lines))


_SAID = {
    "keep": "Kept.",
    "correct": "Corrected.",
    "drop": "Dropped.",
    "withdraw": "Taken back.",
}
_SETTLED = (Standing.VERIFIED, Standing.DISPUTED, Standing.DROPPED)
_WORDS = {
    Standing.OPEN: "not verified",
    Standing.ONCE: "verified by one of two",
    Standing.VERIFIED: "verified",
    Standing.DISPUTED: "in dispute",
    Standing.DROPPED: "dropped",
}


def _line(one: Verified, *, again: bool) -> str:
    question = one.question
    mark = " (changed: look again)" if again else ""
    return f"{question.id}  {question.kind.value:10}  {format_time(question.start_us)}  {question.text}{mark}"


def _described(one: Verified, *, again: bool) -> dict[str, Json]:
    question = one.question
    return {
        "id": question.id,
        "recording": question.recording_id,
        "kind": question.kind.value,
        "text": question.text,
        "options": [*question.options],
        "right": question.letter,
        "start": question.start_us / 1_000_000,
        "end": question.end_us / 1_000_000,
        "again": again,
    }
