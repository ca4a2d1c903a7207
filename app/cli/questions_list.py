"""The questions of a study on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.lookup import recording_called
from app.core.questions.verifying import Standing, Verified, gathered
from app.core.session import Session
from project.counted import counted
from project.questions import LETTERS, QuestionKind
from project.types import Json


@click.command("list")
@STUDY
@click.option("--recording", help="Number, file name or id; all when not given.")
@click.option("--chain", help="Id of a chain.")
@click.option("--kind", type=click.Choice([one.value for one in QuestionKind]), help="All when not given.")
@click.option("--standing", type=click.Choice([one.value for one in Standing]), help="What became of them; any.")
@json_option
def list_questions(
    study: Path, recording: str | None, chain: str | None, kind: str | None, standing: str | None, as_json: bool
) -> None:
    """List questions with their options, and what people made of them.

    \b
    Example:
      greenroom questions list my-study.greenroom --kind CW
      greenroom questions list my-study.greenroom --standing verified --json
    """
    with Session.open(study, read_only=True) as session:
        home = recording_called(session, recording).id if recording else ""
        found = gathered(session, home)
        homes = {one.question.recording_id for one in found}
        numbers = {one: session.recording(one).number for one in homes}
    shown = [
        one
        for one in found
        if chain in (None, one.question.chain_id)
        and kind in (None, one.question.kind.value)
        and standing in (None, one.standing.value)
    ]
    by_kind = {each.value: sum(one.question.kind is each for one in shown) for each in QuestionKind}
    by_kind = {name: number for name, number in by_kind.items() if number}
    lines = [line for one in shown for line in _lines(one, numbers[one.question.recording_id])]
    kinds = "".join(f", {number:,} {name}" for name, number in by_kind.items())
    tell(
        as_json,
        {"questions": [_as_json(one, numbers[one.question.recording_id]) for one in shown], "by_kind": {**by_kind}},
        "\n".join([*lines, f"{counted(len(shown), 'question')}{kinds}"]),
    )


def _lines(one: Verified, number: int) -> list[str]:
    question = one.question
    state = f"{one.standing.value}, older than its chain" if one.stale else one.standing.value
    aspect = f" {question.aspect}" if question.aspect else ""
    options = zip(LETTERS, question.options, strict=False)
    return [
        f"{question.id}  {question.kind.value}{aspect}, recording {number}, {state}",
        f"  {question.text}",
        *(f"  {'*' if letter == question.letter else ' '} {letter}. {text}" for letter, text in options),
    ]


def _as_json(one: Verified, number: int) -> dict[str, Json]:
    question = one.question
    return {
        "id": question.id,
        "recording": number,
        "recording_id": question.recording_id,
        "chain_id": question.chain_id,
        "kind": question.kind.value,
        "aspect": question.aspect,
        "covers": [*question.covers],
        "text": question.text,
        "options": [*question.options],
        "letter": question.letter,
        "answer": question.answer,
        "explanation": question.explanation,
        "maker": question.maker.value,
        "start": question.start_us / 1e6,
        "end": question.end_us / 1e6,
        "standing": one.standing.value,
        "stale": one.stale,
    }
