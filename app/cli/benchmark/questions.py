"""Commands about questions: list, verify and export them, and read the texts of a data set before it leaves."""

from pathlib import Path

import click

from app.cli.command import STUDY, LazyGroup, json_option, print_result, progress_bar
from app.cli.release import print_texts
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
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session, resolve_recording
from project.text_format import format_percent, pluralize
from project.timebase import format_time

_PLACES: dict[str, str] = {
    "make": "benchmark.question_making:make",
    "esi": "benchmark.question_making:esi",
    "list": "benchmark.questions:list_questions",
    "filter": "benchmark.question_filter:filter_questions",
    "verify": "benchmark.questions:verify",
    "queue": "benchmark.questions:queue",
    "ask": "benchmark.question_making:ask",
    "standing": "benchmark.questions:standing",
    "texts": "benchmark.questions:texts",
    "export": "benchmark.questions:export",
    "write": "benchmark.question_making:write",
    "try": "benchmark.question_making:attempt",
}
"""Subcommand -> its file below `app.cli`, and its function."""


@click.group(cls=LazyGroup, places=_PLACES)
def questions() -> None:
    """Make, filter, verify and export questions."""


@click.command("export")
@STUDY
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder that is not there or empty.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["jsonl", "vlmevalkit"]),
    help="vlmevalkit adds a table for VLMEvalKit to the JSON lines, which are always there. Repeatable.",
)
@click.option(
    "--release", type=click.Path(path_type=Path), help="Folder of a release whose clips and pictures to name."
)
@click.option(
    "--all", "everything", is_flag=True, help="Also questions that are not verified or out of date, marked so."
)
@click.option("--seed", default=0, show_default=True, help="Of the splits.")
@json_option
def export(
    study: Path,
    out: Path,
    formats: tuple[str, ...],
    release: Path | None,
    everything: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Export verified questions as a data set: splits, chains, a data card, a loader.

    Texts are scrubbed as those of a release, and nothing leaves before a person has read them: greenroom questions
    texts. Hold-outs, and recordings in which somebody did not consent to release, are left out.

    \b
    Example:
      greenroom questions export my-study.greenroom --out questions
      greenroom questions export my-study.greenroom --out questions --format vlmevalkit --release my-release
    """
    from anonymize.pii_review.study_finder import search_here
    from benchmark.dataset.dataset_export import export_questions

    with Session.open(study) as session, progress_bar("Data set of questions") as bar:
        search_here(session, bar)
        made = export_questions(
            session, out, formats=formats or ("jsonl",), everything=everything, seed=seed, release=release, progress=bar
        )
    by_split = ", ".join(f"{split} {many}" for split, many in made.by_split.items())
    lines = [f"Wrote {pluralize(made.questions, 'question')} to {out}: {by_split}."]
    lines += [f"Left out: {many}, {why}." for why, many in sorted(made.left_out.items())]
    lines.append(f"{pluralize(made.replaced, 'place')} of texts taken out. Fill in DATACARD.md before it leaves.")
    result: dict[str, Json] = {
        "folder": str(out),
        "questions": made.questions,
        "by_kind": {**made.by_kind},
        "by_split": {**made.by_split},
        "recordings": {**made.recordings},
        "chains": made.chains,
        "left_out": {**made.left_out},
        "replaced": made.replaced,
        "files": [*made.files],
    }
    print_result(as_json, result, "\n".join(lines))


@click.command("list")
@STUDY
@click.option("--recording", help="Number, file name or id; all when not given.")
@click.option("--chain", help="Id of a chain.")
@click.option(
    "--kind", type=click.Choice([question_kind.value for question_kind in QuestionKind]), help="All when not given."
)
@click.option(
    "--standing", type=click.Choice([state.value for state in VerificationState]), help="What became of them; any."
)
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
        home = resolve_recording(session, recording).id if recording else ""
        found = read_items(session, home)
        homes = {item.question.recording_id for item in found}
        numbers = {text: session.recording(text).number for text in homes}
    shown = [
        item
        for item in found
        if chain in (None, item.question.chain_id)
        and kind in (None, item.question.kind.value)
        and standing in (None, item.state.value)
    ]
    by_kind = {
        question_kind.value: sum(item.question.kind is question_kind for item in shown)
        for question_kind in QuestionKind
    }
    by_kind = {name: number for name, number in by_kind.items() if number}
    lines = [line for item in shown for line in _question_lines(item, numbers[item.question.recording_id])]
    kinds = "".join(f", {number:,} {name}" for name, number in by_kind.items())
    print_result(
        as_json,
        {
            "questions": [_question_json(item, numbers[item.question.recording_id]) for item in shown],
            "by_kind": {**by_kind},
        },
        "\n".join([*lines, f"{pluralize(len(shown), 'question')}{kinds}"]),
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


def _question_json(item: VerificationItem, number: int) -> dict[str, Json]:
    question = item.question
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
        "letter": question.correct_letter,
        "answer": question.answer,
        "explanation": question.explanation,
        "maker": question.maker.value,
        "start": question.start_us / 1e6,
        "end": question.end_us / 1e6,
        "standing": item.state.value,
        "stale": item.stale,
    }


@click.command("texts")
@STUDY
@click.option("--all", "everything", is_flag=True, help="Also questions that are not verified or out of date.")
@click.option("--changed", is_flag=True, help="List only texts in which something was changed.")
@click.option("--confirm", is_flag=True, help="Say that you have read all of them, scrubbed as they are now.")
@click.option("--annotator", help="Who has read them.")
@json_option
def texts(study: Path, everything: bool, changed: bool, confirm: bool, annotator: str | None, as_json: bool) -> None:
    """List the texts of a data set of questions before and after scrubbing, and confirm them.

    Nothing is exported before somebody has read them. Any later change takes that back. A text that stands in several
    places is listed once.

    \b
    Example:
      greenroom questions texts my-study.greenroom
      greenroom questions texts my-study.greenroom --confirm --annotator Ada
    """
    from anonymize.pii_review.study_finder import search_here
    from benchmark.dataset.dataset_export import confirm_question_texts, find_reader, unique_texts
    from benchmark.dataset.question_selection import select_questions

    with Session.open(study, annotator) as session:
        with progress_bar("Texts of questions") as bar:
            search_here(session, bar)
            found = select_questions(session, everything=everything, progress=bar)
        if confirm:
            confirm_question_texts(session, found)
        reader = find_reader(session, found)
    print_texts(as_json, unique_texts(found.texts), reader, changed=changed)


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
    type=click.Choice([*CHECKLIST_KEYS]),
    default="chain",
    show_default=True,
    help="What is checked: of questions from a chain, or of those from meta information.",
)
@click.option(
    "--check",
    "checks",
    multiple=True,
    type=click.Choice([_ALL, *dict.fromkeys(check for checks in CHECKLIST_KEYS.values() for check in checks)]),
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
            verification.withdraw_verification(session, question)
        else:
            holds = CHECKLIST_KEYS[checklist] if _ALL in checks else checks
            said = VerificationDecision(decision)
            options = reword_options(get_question(session, question), wrong) if wrong else None
            changed = QuestionCorrection(text, answer, options)
            given = changed if changed != QuestionCorrection() else None
            verification.verify(session, question, said, holds, difficulty or "", note, checklist, given)
        (now,) = read_items(session, question_ids=[get_question(session, question).id])
    told: dict[str, Json] = {
        "question": question,
        "decision": decision,
        "standing": now.state.value,
        "stale": now.stale,
    }
    print_result(as_json, told, f"{_DECISION_TEXTS[decision]} Now: {_STATE_TEXTS[now.state]}.")


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
        owner = "" if recording is None else resolve_recording(session, recording).id
        who = current_annotator_id(session)
        found = verification_queue(session, owner, annotator_id=who)
    lines = [_queue_line(item, again=item.stale or item.needs_recheck_by(who)) for item in found]
    told: list[Json] = [_queue_json(item, again=item.stale or item.needs_recheck_by(who)) for item in found]
    print_result(as_json, {"questions": told}, "\n".join([*lines, f"{pluralize(len(found), 'question')} to verify."]))


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
        owner = "" if recording is None else resolve_recording(session, recording).id
        found = read_items(session, owner)
        far = verification_progress(found, "")
        figures = study_agreement(session, [item.question.id for item in found])
        labels = question_difficulties(session)
    counts: dict[str, Json] = {where.value: number for where, number in far.states.items()}
    lines = [f"{_STATE_TEXTS[where].capitalize()}: {far.states[where]}" for where in VerificationState]
    lines.append(f"To be looked at again, because the chain was edited: {far.stale}")
    for figure in figures.figures:
        if figure.raw is not None:
            kappa = "undefined" if figure.kappa is None else f"{figure.kappa:.3f}"
            lines.append(
                f"Agreement on {figure.key}: {format_percent(figure.raw)} of {pluralize(figure.pairs, 'pair')}, "
                f"kappa {kappa}"
            )
    told: dict[str, Json] = {
        "questions": far.total,
        "standings": counts,
        "stale": far.stale,
        "agreement": figures.as_json(),
        "by_question": {
            item.question.id: {
                "standing": item.state.value,
                "stale": item.stale,
                "difficulty": labels.get(item.question.id, "") if item.state in _SETTLED_STATES else "",
            }
            for item in found
        },
    }
    print_result(as_json, told, "\n".join(lines))


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


def _queue_json(item: VerificationItem, *, again: bool) -> dict[str, Json]:
    question = item.question
    return {
        "id": question.id,
        "recording": question.recording_id,
        "kind": question.kind.value,
        "text": question.text,
        "options": [*question.options],
        "right": question.correct_letter,
        "start": question.start_us / 1_000_000,
        "end": question.end_us / 1_000_000,
        "again": again,
    }
