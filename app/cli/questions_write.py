"""Writing a question that a model fails at, and trying it on judges, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.questions_verify import ANNOTATOR
from app.cli.study import STUDY
from app.core.lookup import recording_called
from app.core.session import Session
from project.timebase import parse_time
from project.types import Json


@click.command()
@STUDY
@click.option("--recording", required=True, help="Number, file name or id.")
@click.option("--from", "start", required=True, help="When what is shown with it starts.")
@click.option("--to", "end", required=True, help="When it ends.")
@click.option("--question", "text", required=True, help="What is asked.")
@click.option("--answer", required=True, help="The right option.")
@click.option("--wrong", multiple=True, required=True, help="A wrong option; four times.")
@click.option("--why", "explanation", required=True, help="Why the answer is right.")
@ANNOTATOR
@json_option
def write(
    study: Path,
    recording: str,
    start: str,
    end: str,
    text: str,
    answer: str,
    wrong: tuple[str, ...],
    explanation: str,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Write a question about a moment, to see whether judges fail at it. It is a draft until they do.

    \b
    Example:
      greenroom questions write my-study.greenroom --recording 3 --from 12 --to 20 --question "Why does she smile?" \\
        --answer "He joked" --wrong "She is tired" --wrong "He left" --wrong "It rains" --wrong "They won" \\
        --why "She looks at him and laughs"
    """
    from app.core.commands.stump import write_question

    with Session.open(study, annotator) as session:
        owner = recording_called(session, recording)
        span = parse_time(start), parse_time(end)
        identifier, _ = write_question(session, owner.id, text, answer, wrong, explanation, *span)
    tell(
        as_json,
        {"id": identifier, "kept": False},
        f"Written as {identifier}. Try it: greenroom questions try STUDY {identifier} --judge NAME",
    )


@click.command("try")
@STUDY
@click.argument("question")
@click.option("--judge", "judges", multiple=True, metavar="NAME", required=True, help="Whom; again for each further.")
@click.option(
    "--setting",
    type=click.Choice(["base", "sub", "sub-tom", "text"]),
    default="sub",
    show_default=True,
    help="Frames alone, frames and words, those with thoughts about minds first, or words alone.",
)
@click.option("--fresh", is_flag=True, help="Ask again also what was answered.")
@ANNOTATOR
@json_option
def attempt(
    study: Path,
    question: str,
    judges: tuple[str, ...],
    setting: str,
    fresh: bool,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Try a question that you wrote on judges: it is kept when all of them fail.

    A judge that refuses, or whose answer cannot be read, did not fail. Two others have to approve of it before it
    counts.

    \b
    Example:
      greenroom questions try my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --judge gpt --judge gemini
    """
    from app.cli.asking import ask_here
    from app.core.commands.questions import question_called
    from app.core.commands.stump import require_author, settle_try
    from app.core.judging.judges.entries import judges_called
    from app.core.judging.runs.outcome import refusal
    from app.core.questions.settings import request_for
    from app.core.questions.stump import answers_to, stumped

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        about = question_called(session, question)
        require_author(session, about)
        asked = judges_called(session, judges)
        request = request_for(asked, [about.id], setting, fresh=fresh)
        notes = ask_here(session, request).outcome.notes
        answers = answers_to(session, about, request)
        if not answers and notes:
            raise refusal(notes)
        settle_try(session, about.id, answers, [one.id for one in asked])
        kept = stumped(answers, [one.id for one in asked])
    words = {True: "right", False: "wrong", None: "no answer"}
    lines = [f"{one.judge}: {one.letter or '-'}, {words[one.right]}" for one in answers]
    lines += [one.as_text() for one in notes]
    lines.append(
        "Kept: all of them failed. Two others verify it." if kept else "A draft: not every judge gave a wrong answer."
    )
    told: dict[str, Json] = {
        "question": about.id,
        "kept": kept,
        "right": about.letter,
        "answers": [one.as_json() for one in answers],
        "notes": [one.as_text() for one in notes],
    }
    tell(as_json, told, "\n".join(lines))
