"""Commands that make questions from causal chains, let judges word or answer them, and write adversarial ones."""

from dataclasses import replace

from app.cli.benchmark.judge_ask import JUDGES, ask_here, budget_options
from app.cli.benchmark.question import ANNOTATOR
from app.cli.command import EDIT, Time, argument, command, option
from app.cli.console import Output, progress_bar, record
from benchmark.authoring.rule_questions import QuestionGenerationResult, add_rule_questions
from benchmark.judging.run_budget import Limits
from benchmark.questions.question_validity import SINGLE_STEP
from project.entities.questions import CHAIN_QUESTION_KINDS, Maker, QuestionKind
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.judgment_rows import find_judgments
from project.session.session import Session, resolve_recording
from project.text_format import pluralize


@command(study=EDIT)
def ask(
    session: Session,
    question: tuple[str, ...] = argument(),
    judges: tuple[str, ...] = JUDGES,
    setting: str = option(
        "Frames alone, frames and words, those with thoughts about minds first, or words alone.",
        choices=["base", "sub", "sub-tom", "text"],
        default="sub",
    ),
    recording: str | None = option("Only its questions: number, file name or id."),
    everything: bool = option("Also what is not verified, or of an edited chain.", "--all"),
    budget: Limits = budget_options("the run"),
    fresh: bool = option("Ask again also what was answered."),
) -> Output:
    """Ask judges the questions that are named, or all that are verified.

    What was answered before is not asked again, so a run that was stopped goes on where it was. `greenroom question
    consistency` measures the answers.

    \b
    Example:
      greenroom question ask my-study.greenroom --judge gpt --setting base
      greenroom question consistency my-study.greenroom
    """
    from benchmark.authoring.question_requests import answer_request
    from benchmark.judging.judge_registry import get_judges

    about = question or _select_questions(session, recording, everything=everything)
    request = answer_request(get_judges(session, judges), about, setting, fresh=fresh)
    came = ask_here(session, replace(request, budget=budget))
    came.require_answers()
    *notes, said = came.lines()
    told = [*notes, f"{pluralize(len(about), 'question')}: {said}"]
    return Output({"questions": len(about), **came.as_json()}, told)


def _select_questions(session: Session, recording: str | None, *, everything: bool) -> tuple[str, ...]:
    from benchmark.questions.verification import VerificationState, read_items

    found = read_items(session, "" if recording is None else resolve_recording(session, recording).id)
    chosen = [item for item in found if everything or (item.state is VerificationState.VERIFIED and not item.stale)]
    if not chosen:
        raise UserError(
            "No question is verified yet." if found else "This study has no questions yet.",
            "Verify them first, or give --all." if found else "Make some first: greenroom question make STUDY",
        )
    return tuple(item.question.id for item in chosen)


KIND_VALUES = [question_kind.value for question_kind in CHAIN_QUESTION_KINDS]


@command(study=EDIT, annotator=option("Annotator; by default the name in the settings."))
def make(
    session: Session,
    chains: tuple[str, ...] = option("A chain; by default all.", "--chain", metavar="ID"),
    kinds: tuple[str, ...] = option(
        "Kind of question; by default all of a single step.", "--kind", choices=KIND_VALUES
    ),
    steps: bool = option("Multi-step questions beside them."),
    maker: Maker = option("Who words them.", default=Maker.RULES, choices=[Maker.RULES, Maker.JUDGE]),
    judges: tuple[str, ...] = option("With --maker judge: the judge.", "--judge", metavar="NAME"),
    condition: str = option("With --maker judge: what it is shown.", default="raw"),
    seed: int = option("Of wordings, and of the order of options.", default=0),
) -> Output:
    """Make questions from causal chains, by rules or in the words of a judge.

    Every event, mental state and subchain gets its questions. By rules, wrong options are taken from the other chains
    of the study; a question for which too few would do is left out and counted. What is there already is not made
    again.

    \b
    Example:
      greenroom question make my-study.greenroom
      greenroom question make my-study.greenroom --kind CW --kind CH/W --json
      greenroom question make my-study.greenroom --maker judge --judge gpt
    """
    chosen = [QuestionKind(kind) for kind in kinds]
    if steps:
        chosen = [*(chosen or SINGLE_STEP), QuestionKind.STEPS]
    if judges and maker is not Maker.JUDGE:
        raise UserError("Questions made by rules need no judge.", "Leave out --judge, or give --maker judge.")
    if maker is Maker.JUDGE:
        made = _make_by_judges(session, chains, chosen, judges, condition, seed)
    else:
        with progress_bar("Making") as bar:
            made, _ = add_rule_questions(session, chains, chosen, seed, bar)
    return Output({"study": session.study.path, **record(made)}, result_text(made))


def result_text(made: QuestionGenerationResult) -> str:
    """Return the outcome as lines of text."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in made.by_kind.items())
    lines = [f"Made {pluralize(len(made.questions), 'question')}" + (f": {kinds}" if kinds else "")]
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
    from benchmark.authoring.judge_questions import chain_requests, import_chain_questions
    from benchmark.judging.judge_registry import get_judges

    request = chain_requests(session, chains, get_judges(session, judges), kinds or SINGLE_STEP, condition)
    came = ask_here(session, request)
    came.require_answers()
    order = {judge_entry.id: at for at, judge_entry in enumerate(request.judges)}
    said = sorted(
        find_judgments(session.study, came.ids), key=lambda judgment: order.get(judgment.judge_id, len(order))
    )
    made, _ = import_chain_questions(session, said, seed)
    return made


@command(study=EDIT, annotator=option("Annotator; by default the name in the settings."))
def esi(
    session: Session,
    recordings: tuple[Recording, ...] = option(
        "Number, file name or id.", "--recording", required=True, metavar="NUMBER"
    ),
    rounds: int = option("Rounds of questions: 1 or 2.", default=2),
    each: int = option("Questions of a round: 1 to 10, the dimensions in turn.", default=10),
    judges: tuple[str, ...] = JUDGES,
    condition: str = option("What is shown: raw, or a rendering by its method or id.", default="raw"),
    seed: int = option("Of the order of options.", default=0),
) -> Output:
    """Let judges word questions of the five dimensions of ESI-Bench about recordings.

    They see what was gathered about a recording (greenroom recording meta), what is said, and 24 pictures. Every judge
    words all of them; what cannot be used is left out and counted by its reason.

    \b
    Example:
      greenroom question esi my-study.greenroom --recording 3 --judge gpt --judge gemini
      greenroom question esi my-study.greenroom --recording 3 --rounds 1 --each 5 --json
    """
    from benchmark.authoring.judge_questions import esi_requests, import_esi_questions
    from benchmark.judging.judge_registry import get_judges

    ids = [owner.id for owner in recordings]
    request = esi_requests(session, ids, get_judges(session, judges), rounds, each, condition)
    came = ask_here(session, request)
    came.require_answers()
    made, _ = import_esi_questions(session, find_judgments(session.study, came.ids), seed)
    lines = [result_text(made), *(f"Not asked: {note.as_text()}" for note in came.outcome.notes)]
    return Output({"study": session.study.path, **record(made), "asked": came.as_json()}, lines)


@command(study=EDIT, annotator=ANNOTATOR)
def write(
    session: Session,
    recording: Recording = option(),
    start: Time = option("When what is shown with it starts.", "--from"),
    end: Time = option("When it ends.", "--to"),
    text: str = option("What is asked.", "--question"),
    answer: str = option("The right option."),
    wrong: tuple[str, ...] = option("A wrong option; four times.", required=True),
    explanation: str = option("Why the answer is right."),
) -> Output:
    """Write a question about a moment, to see whether judges fail at it. It is a draft until they do.

    \b
    Example:
      greenroom question write my-study.greenroom --recording 3 --from 12 --to 20 --question "Why does she smile?" \\
        --answer "He joked" --wrong "She is tired" --wrong "He left" --wrong "It rains" --wrong "They won" \\
        --explanation "She looks at him and laughs"
    """
    from benchmark.authoring.adversarial_authoring import write_question

    span = start, end
    identifier, _ = write_question(session, recording.id, text, answer, wrong, explanation, *span)
    return Output(
        {"id": identifier, "kept": False},
        f"Written as {identifier}. Try it: greenroom question try STUDY {identifier} --judge NAME",
    )


@command(study=EDIT, annotator=ANNOTATOR)
def attempt(
    session: Session,
    question: str = argument(),
    judges: tuple[str, ...] = option("A judge.", "--judge", metavar="NAME", required=True),
    setting: str = option(
        "Frames alone, frames and words, those with thoughts about minds first, or words alone.",
        choices=["base", "sub", "sub-tom", "text"],
        default="sub",
    ),
    fresh: bool = option("Ask again also what was answered."),
) -> Output:
    """Try a question that you wrote on judges: it is kept when all of them fail.

    A judge that refuses, or whose answer cannot be read, did not fail. Two others have to approve of it before it
    counts.

    \b
    Example:
      greenroom question try my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --judge gpt --judge gemini
    """
    from benchmark.authoring.adversarial_authoring import (
        all_judges_failed,
        read_trial_answers,
        record_trial,
        require_author,
    )
    from benchmark.authoring.question_requests import answer_request
    from benchmark.judging.ask_run import refusal_error
    from benchmark.judging.judge_registry import get_judges
    from benchmark.questions.question_edits import get_question

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
    told = {
        "question": about.id,
        "kept": kept,
        "right": about.correct_letter,
        "answers": answers,
        "notes": [note.as_text() for note in notes],
    }
    return Output(told, lines)
