"""Commands about questions: list, verify and export them, and read the texts of a data set before it leaves."""

from pathlib import Path
from typing import Any

from app.cli.anonymize.release import texts_output
from app.cli.command import EDIT, OPEN, argument, command, flags, option
from app.cli.console import Output, progress_bar, record
from benchmark.questions import verification
from benchmark.questions.question_edits import QuestionCorrection, get_question, reword_options
from benchmark.questions.question_measures import question_difficulties
from benchmark.questions.verification import (
    VerificationItem,
    VerificationState,
    current_annotator_id,
    read_items,
    study_agreement,
    verification_progress,
    verification_queue,
)
from project.entities.questions import CHECKLIST_KEYS, DIFFICULTIES, LETTERS, QuestionKind, VerificationDecision
from project.entities.study_records import Recording
from project.errors import UserError
from project.session.session import Session
from project.text_format import format_percent, pluralize
from project.timebase import SECOND_US, format_time


@command(study=OPEN)
def export(
    session: Session,
    out: Path = option("Folder that is not there or empty."),
    formats: tuple[str, ...] = option(
        "vlmevalkit adds a table for VLMEvalKit to the JSON lines, which are always there.",
        "--format",
        choices=["jsonl", "vlmevalkit"],
    ),
    release: Path | None = option("Folder of a release whose clips and pictures to name."),
    everything: bool = option("Also questions that are not verified or out of date, marked so.", "--all"),
    seed: int = option("Of the splits.", default=0),
) -> Output:
    """Export verified questions as a data set: splits, chains, a data card, a loader.

    Texts are scrubbed as those of a release, and nothing leaves before a person has read them: greenroom question
    texts. Hold-outs, and recordings in which somebody did not consent to release, are left out.

    \b
    Example:
      greenroom question export my-study.greenroom --out questions
      greenroom question export my-study.greenroom --out questions --format vlmevalkit --release my-release
    """
    from anonymize.pii_review.study_finder import search_here
    from benchmark.dataset.dataset_export import export_questions

    with progress_bar("Data set of questions") as bar:
        search_here(session, bar)
        made = export_questions(
            session, out, formats=formats or ("jsonl",), everything=everything, seed=seed, release=release, progress=bar
        )
    by_split = ", ".join(f"{split} {many}" for split, many in made.by_split.items())
    lines = [f"Wrote {pluralize(made.questions, 'question')} to {out}: {by_split}."]
    lines += [f"Left out: {many}, {why}." for why, many in sorted(made.left_out.items())]
    lines.append(f"{pluralize(made.replaced, 'place')} of texts taken out. Fill in DATACARD.md before it leaves.")
    return Output(record(made, folder=out, questions=made.questions), lines)


@command()
def list_questions(
    session: Session,
    recording: Recording | None = option(),
    chain: str | None = option("Id of a chain."),
    kind: QuestionKind | None = option("By default all."),
    status: VerificationState | None = option("What became of them; any."),
) -> Output:
    """List questions with their options, and what people made of them.

    \b
    Example:
      greenroom question list my-study.greenroom --kind CW
      greenroom question list my-study.greenroom --status verified --json
    """
    home = recording.id if recording else ""
    found = read_items(session, home)
    homes = {item.question.recording_id for item in found}
    numbers = {text: session.recording(text).number for text in homes}
    shown = [
        item
        for item in found
        if chain in (None, item.question.chain_id)
        and kind in (None, item.question.kind.value)
        and status in (None, item.state.value)
    ]
    by_kind = {
        question_kind.value: sum(item.question.kind is question_kind for item in shown)
        for question_kind in QuestionKind
    }
    by_kind = {name: number for name, number in by_kind.items() if number}
    lines = [line for item in shown for line in _question_lines(item, numbers[item.question.recording_id])]
    kinds = "".join(f", {number:,} {name}" for name, number in by_kind.items())
    return Output(
        {
            "questions": [_question_json(item, numbers[item.question.recording_id]) for item in shown],
            "by_kind": by_kind,
        },
        [*lines, f"{pluralize(len(shown), 'question')}{kinds}"],
    )


def _question_lines(item: VerificationItem, number: int) -> list[str]:
    question = item.question
    state = f"{item.state.value}, older than its chain" if item.stale else item.state.value
    aspect = f" {question.aspect}" if question.aspect else ""
    options = zip(LETTERS, question.options, strict=False)
    return [
        f"{question.id}  {question.kind.value}{aspect}, recording {number}, {state}",
        f"  {question.text}",
        *(f"  {'*' if letter == question.correct_letter else ' '} {letter}. {text}" for letter, text in options),
    ]


def _question_json(item: VerificationItem, number: int) -> dict[str, Any]:
    question = item.question
    return record(
        question,
        *("wrong", "seed", "place", "made_from", "annotator_id", "judgment_id", "at"),
        recording=number,
        options=question.options,
        letter=question.correct_letter,
        status=item.state,
        stale=item.stale,
    )


@command(study=EDIT, annotator=option("Who has read them."))
def texts(
    session: Session,
    everything: bool = option("Also questions that are not verified or out of date.", "--all"),
    changed: bool = option("List only texts in which something was changed."),
    confirm: bool = option("Say that you have read all of them, scrubbed as they are now."),
) -> Output:
    """List the texts of a data set of questions before and after scrubbing, and confirm them.

    Nothing is exported before somebody has read them. Any later change takes that back. A text that stands in several
    places is listed once.

    \b
    Example:
      greenroom question texts my-study.greenroom
      greenroom question texts my-study.greenroom --confirm --annotator Ada
    """
    from anonymize.pii_review.study_finder import search_here
    from benchmark.dataset.dataset_export import confirm_question_texts, find_reader, unique_texts
    from benchmark.dataset.question_selection import select_questions

    with progress_bar("Texts of questions") as bar:
        search_here(session, bar)
        found = select_questions(session, everything=everything, progress=bar)
    if confirm:
        confirm_question_texts(session, found)
    reader = find_reader(session, found)
    return texts_output(unique_texts(found.texts), reader, changed=changed)


ANNOTATOR = option("Annotator; by default the name in the settings.")
_ALL = "all"


@command(study=EDIT, annotator=ANNOTATOR)
def verify(
    session: Session,
    question: str = argument(),
    decision: str | None = flags(
        keep="It is good as it is.",
        correct="It was corrected, and is good as it is now.",
        drop="It is not used.",
        withdraw="Take back what you said.",
    ),
    checklist: str = option(
        "What is checked: of questions from a chain, or of those from meta information.",
        choices=CHECKLIST_KEYS,
        default="chain",
    ),
    checks: tuple[str, ...] = option(
        "What holds.",
        "--check",
        choices=[_ALL, *dict.fromkeys(check for checks in CHECKLIST_KEYS.values() for check in checks)],
    ),
    difficulty: str | None = option("How difficult it is.", choices=DIFFICULTIES),
    note: str = option("Why.", default=""),
    text: str | None = option("With --correct: what is asked from now on."),
    answer: str | None = option("With --correct: the right option from now on."),
    wrong: tuple[str, ...] = option("With --correct: a wrong option; all of them, one after the other."),
) -> Output:
    """Say whether a question is kept, corrected or dropped. Two people have to say the same.

    A question that is kept or corrected meets every check of the list. Who corrects it says in the same step that it
    is good now; whoever verified it before has to look again.

    \b
    Example:
      greenroom question verify my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --keep --check all
      greenroom question verify my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --drop --note "Two are right"
    """
    if decision is None:
        raise UserError("The decision is missing.", "Give --keep, --correct, --drop or --withdraw.")
    if decision == "withdraw":
        verification.withdraw_verification(session, question)
    else:
        holds = CHECKLIST_KEYS[checklist] if _ALL in checks else checks
        said = VerificationDecision(decision)
        options = reword_options(get_question(session, question), wrong) if wrong else None
        changed = QuestionCorrection(text, answer, options)
        given = changed if changed != QuestionCorrection() else None
        verification.verify(session, question, said, holds, difficulty or "", note, checklist, given)
    (now,) = read_items(session, question_ids=[get_question(session, question).id])
    told = {
        "question": question,
        "decision": decision,
        "status": now.state.value,
        "stale": now.stale,
    }
    return Output(told, f"{_DECISION_TEXTS[decision]} Now: {_STATE_TEXTS[now.state]}.")


@command(annotator=ANNOTATOR)
def queue(session: Session, recording: Recording | None = option()) -> Output:
    """List the questions that wait for an annotator: first those that were changed since they looked.

    Only questions that the filters leave. What others said is not told.

    \b
    Example:
      greenroom question queue my-study.greenroom --annotator Ada
    """
    owner = "" if recording is None else recording.id
    who = current_annotator_id(session)
    found = verification_queue(session, owner, annotator_id=who)
    lines = [_queue_line(item, again=item.stale or item.needs_recheck_by(who)) for item in found]
    told = [_queue_json(item, again=item.stale or item.needs_recheck_by(who)) for item in found]
    return Output({"questions": told}, [*lines, f"{pluralize(len(found), 'question')} to verify."])


@command()
def status(session: Session, recording: Recording | None = option()) -> Output:
    """Show what became of the questions, and how far those who verified them agree.

    What is not settled has no label of difficulty here: it would tell who still has to look what another person said.

    \b
    Example:
      greenroom question status my-study.greenroom
    """
    owner = "" if recording is None else recording.id
    found = read_items(session, owner)
    far = verification_progress(found, "")
    figures = study_agreement(session, [item.question.id for item in found])
    labels = question_difficulties(session)
    counts = {where.value: number for where, number in far.states.items()}
    lines = [f"{_STATE_TEXTS[where].capitalize()}: {far.states[where]}" for where in VerificationState]
    lines.append(f"To be looked at again, because the chain was edited: {far.stale}")
    for figure in figures.values():
        if figure.raw is not None:
            kappa = "undefined" if figure.kappa is None else f"{figure.kappa:.3f}"
            lines.append(
                f"Agreement on {figure.key}: {format_percent(figure.raw)} of {pluralize(figure.pairs, 'pair')}, "
                f"kappa {kappa}"
            )
    told = {
        "questions": far.total,
        "statuses": counts,
        "stale": far.stale,
        "agreement": {key: record(figure, "key", raw=figure.raw) for key, figure in figures.items()},
        "by_question": {
            item.question.id: {
                "status": item.state.value,
                "stale": item.stale,
                "difficulty": labels.get(item.question.id, "") if item.state in _SETTLED_STATES else "",
            }
            for item in found
        },
    }
    return Output(told, lines)


_DECISION_TEXTS = {
    "keep": "Kept.",
    "correct": "Corrected.",
    "drop": "Dropped.",
    "withdraw": "Taken back.",
}
_SETTLED_STATES = (VerificationState.VERIFIED, VerificationState.DISPUTED, VerificationState.DROPPED)
_STATE_TEXTS = {
    VerificationState.OPEN: "not verified",
    VerificationState.ONCE: "verified by one of two",
    VerificationState.VERIFIED: "verified",
    VerificationState.DISPUTED: "in dispute",
    VerificationState.DROPPED: "dropped",
}


def _queue_line(item: VerificationItem, *, again: bool) -> str:
    question = item.question
    mark = " (changed: look again)" if again else ""
    return f"{question.id}  {question.kind.value:10}  {format_time(question.start_us)}  {question.text}{mark}"


def _queue_json(item: VerificationItem, *, again: bool) -> dict[str, Any]:
    question = item.question
    return {
        "id": question.id,
        "recording": question.recording_id,
        "kind": question.kind,
        "text": question.text,
        "options": question.options,
        "right": question.correct_letter,
        "start": question.start_us / SECOND_US,
        "end": question.end_us / SECOND_US,
        "again": again,
    }
