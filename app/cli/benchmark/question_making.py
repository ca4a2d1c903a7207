"""Commands that make questions from causal chains, let judges word or answer them, and write adversarial ones."""

from pathlib import Path

import click

from app.cli.benchmark.questions import ANNOTATOR
from app.cli.command import STUDY, json_option, print_result, progress_bar
from benchmark.authoring.rule_questions import QuestionGenerationResult, add_rule_questions
from benchmark.questions.question_validity import SINGLE_STEP
from project.entities.questions import CHAIN_QUESTION_KINDS, Maker, QuestionKind
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session, resolve_recording
from project.text_format import pluralize
from project.timebase import parse_time


@click.command()
@STUDY
@click.argument("question", nargs=-1)
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Whom; again for each further; all when not given."
)
@click.option(
    "--setting",
    type=click.Choice(["base", "sub", "sub-tom", "text"]),
    default="sub",
    show_default=True,
    help="Frames alone, frames and words, those with thoughts about minds first, or words alone.",
)
@click.option("--recording", help="Only its questions: number, file name or id.")
@click.option("--all", "everything", is_flag=True, help="Also what is not verified, or of an edited chain.")
@click.option("--budget-money", type=click.FloatRange(0), help="What the run may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that the run may take.")
@click.option("--fresh", is_flag=True, help="Ask again also what was answered.")
@json_option
def ask(
    study: Path,
    question: tuple[str, ...],
    judges: tuple[str, ...],
    setting: str,
    recording: str | None,
    everything: bool,
    budget_money: float | None,
    budget_tokens: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Ask judges the questions that are named, or all that are verified; greenroom consistency measures the answers.

    What was answered before is not asked again, so a run that was stopped goes on where it was.

    \b
    Example:
      greenroom questions ask my-study.greenroom --judge gpt --setting base
      greenroom consistency my-study.greenroom
    """
    from dataclasses import replace

    from app.cli.ask import ask_here
    from benchmark.authoring.question_requests import answer_request
    from benchmark.judging.judge_registry import get_judges
    from benchmark.judging.run_budget import Limits

    with Session.open(study) as session:
        session.study.require_writable()
        about = question or _select_questions(session, recording, everything=everything)
        request = answer_request(get_judges(session, judges), about, setting, fresh=fresh)
        came = ask_here(session, replace(request, budget=Limits(budget_money, budget_tokens)))
    came.require_answers()
    *notes, said = came.lines()
    told = [*notes, f"{pluralize(len(about), 'question')}: {said}"]
    print_result(as_json, {"questions": len(about), **came.as_json()}, "\n".join(told))


def _select_questions(session: Session, recording: str | None, *, everything: bool) -> tuple[str, ...]:
    from benchmark.questions.verification import VerificationState, read_items

    found = read_items(session, "" if recording is None else resolve_recording(session, recording).id)
    chosen = [item for item in found if everything or (item.state is VerificationState.VERIFIED and not item.stale)]
    if not chosen:
        raise UserError(
            "No question is verified yet." if found else "There are no questions yet.",
            "Verify them first, or give --all." if found else "Make some first: greenroom questions make STUDY",
        )
    return tuple(item.question.id for item in chosen)


KIND_VALUES = [question_kind.value for question_kind in CHAIN_QUESTION_KINDS]


@click.command()
@STUDY
@click.option("--chain", "chains", multiple=True, metavar="ID", help="A chain; again for each further one; else all.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KIND_VALUES),
    help="Again for each; single-step ones if not given.",
)
@click.option("--steps", is_flag=True, help="Multi-step questions beside them.")
@click.option(
    "--maker",
    default=Maker.RULES.value,
    show_default=True,
    type=click.Choice([Maker.RULES.value, Maker.JUDGE.value]),
    help="Who words them.",
)
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="With --maker judge: which; again for each.")
@click.option("--condition", default="raw", show_default=True, help="With --maker judge: what it is shown.")
@click.option("--seed", default=0, show_default=True, help="Of wordings, and of the order of options.")
@click.option("--annotator", help="Who has them made; the name in the settings when not given.")
@json_option
def make(
    study: Path,
    chains: tuple[str, ...],
    kinds: tuple[str, ...],
    steps: bool,
    maker: str,
    judges: tuple[str, ...],
    condition: str,
    seed: int,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Make questions from causal chains, by rules or in the words of a judge.

    Every event, mental state and subchain gets its questions. By rules, wrong options are taken from the other chains
    of the study; a question for which too few would do is left out and counted. What is there already is not made
    again.

    \b
    Example:
      greenroom questions make my-study.greenroom
      greenroom questions make my-study.greenroom --kind CW --kind CH/W --json
      greenroom questions make my-study.greenroom --maker judge --judge gpt
    """
    chosen = [QuestionKind(kind) for kind in kinds]
    if steps:
        chosen = [*(chosen or SINGLE_STEP), QuestionKind.STEPS]
    if judges and maker != Maker.JUDGE:
        raise UserError("Rules need no judge.", "Say --maker judge to have the judge word them.")
    with Session.open(study, annotator) as session:
        if maker == Maker.JUDGE:
            made = _make_by_judges(session, chains, chosen, judges, condition, seed)
        else:
            with progress_bar("Making") as bar:
                made, _ = add_rule_questions(session, chains, chosen, seed, bar)
    print_result(as_json, {"study": str(study), **made.as_json()}, result_text(made))


def result_text(made: QuestionGenerationResult) -> str:
    """Return the outcome as lines of text."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in made.by_kind.items())
    lines = [f"Made {pluralize(len(made.ids), 'question')}" + (f": {kinds}" if kinds else "")]
    lines += [f"Not made: {number:,}. {reason}" for reason, number in made.skipped.items()]
    return "\n".join(lines)


def _make_by_judges(
    session: Session,
    chains: tuple[str, ...],
    kinds: list[QuestionKind],
    judges: tuple[str, ...],
    condition: str,
    seed: int,
) -> QuestionGenerationResult:
    from app.cli.ask import ask_here
    from benchmark.authoring.judge_questions import chain_requests, import_chain_questions
    from benchmark.judging.judge_registry import get_judges
    from project.queries.judgment_rows import find_judgments

    request = chain_requests(session, chains, get_judges(session, judges), kinds or SINGLE_STEP, condition)
    came = ask_here(session, request)
    came.require_answers()
    order = {judge_entry.id: at for at, judge_entry in enumerate(request.judges)}
    said = sorted(
        find_judgments(session.study, came.ids), key=lambda judgment: order.get(judgment.judge_id, len(order))
    )
    made, _ = import_chain_questions(session, said, seed)
    return made


@click.command()
@STUDY
@click.option(
    "--recording",
    "recordings",
    multiple=True,
    required=True,
    metavar="NUMBER",
    help="Number, name or id of a recording; again for each further one.",
)
@click.option("--rounds", default=2, show_default=True, help="Rounds of questions: 1 or 2.")
@click.option("--each", default=10, show_default=True, help="Questions of a round: 1 to 10, the dimensions in turn.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option(
    "--condition", default="raw", show_default=True, help="What is shown: raw, or a rendering by its method or id."
)
@click.option("--seed", default=0, show_default=True, help="Of the order of options.")
@click.option("--annotator", help="Who has them made; the name in the settings when not given.")
@json_option
def esi(
    study: Path,
    recordings: tuple[str, ...],
    rounds: int,
    each: int,
    judges: tuple[str, ...],
    condition: str,
    seed: int,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Let judges word questions of the five dimensions of ESI-Bench about recordings.

    They see what was gathered about a recording (greenroom meta), what is said, and 24 pictures. Every judge words all
    of them; what cannot be used is left out and counted by its reason.

    \b
    Example:
      greenroom questions esi my-study.greenroom --recording 3 --judge gpt --judge gemini
      greenroom questions esi my-study.greenroom --recording 3 --rounds 1 --each 5 --json
    """
    from app.cli.ask import ask_here
    from benchmark.authoring.judge_questions import esi_requests, import_esi_questions
    from benchmark.judging.judge_registry import get_judges
    from project.queries.judgment_rows import find_judgments
    from project.session.session import resolve_recording

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        ids = [resolve_recording(session, recording).id for recording in recordings]
        request = esi_requests(session, ids, get_judges(session, judges), rounds, each, condition)
        came = ask_here(session, request)
        came.require_answers()
        made, _ = import_esi_questions(session, find_judgments(session.study, came.ids), seed)
    lines = [result_text(made), *(f"Not asked: {note.as_text()}" for note in came.outcome.notes)]
    print_result(as_json, {"study": str(study), **made.as_json(), "asked": came.as_json()}, "\n".join(lines))


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
    from benchmark.authoring.adversarial_authoring import write_question

    with Session.open(study, annotator) as session:
        owner = resolve_recording(session, recording)
        span = parse_time(start), parse_time(end)
        identifier, _ = write_question(session, owner.id, text, answer, wrong, explanation, *span)
    print_result(
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
    from app.cli.ask import ask_here
    from benchmark.authoring.adversarial_authoring import (
        all_judges_failed,
        read_trial_answers,
        record_trial,
        require_author,
    )
    from benchmark.authoring.question_requests import answer_request
    from benchmark.judging.judge_registry import get_judges
    from benchmark.judging.run_outcome import refusal_error
    from benchmark.questions.question_edits import get_question

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        about = get_question(session, question)
        require_author(session, about)
        asked = get_judges(session, judges)
        request = answer_request(asked, [about.id], setting, fresh=fresh)
        notes = ask_here(session, request).outcome.notes
        answers = read_trial_answers(session, about, request)
        if not answers and notes:
            raise refusal_error(notes)
        record_trial(session, about.id, answers, [judge_entry.id for judge_entry in asked])
        kept = all_judges_failed(answers, [judge_entry.id for judge_entry in asked])
    words = {True: "right", False: "wrong", None: "no answer"}
    lines = [f"{answer.judge}: {answer.letter or '-'}, {words[answer.right]}" for answer in answers]
    lines += [note.as_text() for note in notes]
    lines.append(
        "Kept: all of them failed. Two others verify it." if kept else "A draft: not every judge gave a wrong answer."
    )
    told: dict[str, Json] = {
        "question": about.id,
        "kept": kept,
        "right": about.correct_letter,
        "answers": [answer.as_json() for answer in answers],
        "notes": [note.as_text() for note in notes],
    }
    print_result(as_json, told, "\n".join(lines))
