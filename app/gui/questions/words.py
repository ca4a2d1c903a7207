"""What questions, checks and answers are called on the page."""

from collections.abc import Iterable, Mapping

from app.core.questions.agreeing import Agreement
from app.core.questions.difficulty import difficulty
from app.core.questions.settings import SETTINGS
from app.core.questions.stump import tried
from app.core.questions.verifying import Progress, Standing, Verified, counting
from project.counted import counted
from project.judging import Judgment, Modality
from project.questions import Maker, Question, QuestionKind
from project.timebase import format_time
from widgets.questions.shown import AnswerRow, Check, QuestionRow, RowState, Said, ShownQuestion

MAKERS = (("rules", "Make by rules"), ("judge", "Make with a judge…"), ("write", "Write one to stump the model"))
CHECKLISTS: Mapping[str, tuple[str, tuple[Check, ...]]] = {
    "chain": (
        "Checks for chains",
        (
            Check("by_rules", "Made by the rules", "It asks for what its kind asks for, and has the right form."),
            Check("times_right", "Times are clear and right", "It can be told when what it names happens."),
            Check(
                "covers",
                "Covers node or subchain",
                "Question and answer leave out nothing of what is highlighted in the chain, and add nothing.",
            ),
            Check("one_right", "Exactly one option is right", "None of the others could be defended as well."),
        ),
    ),
    "esi": (
        "Checks of ESI-Bench",
        (
            Check("clear", "Clear who is meant", "People and things are told apart, and in one situation."),
            Check("needs_picture", "Needs the picture", "It cannot be answered from what is said alone."),
            Check("unambiguous", "Unambiguous", "Nothing can be read in two ways."),
            Check("truth", "The right option is true", "What is seen and heard shows it."),
            Check("difficulty", "Difficulty is labelled", "Choose a label below."),
        ),
    ),
}
KINDS = {
    "": "All kinds",
    QuestionKind.EVENT.value: "EU",
    QuestionKind.STATE.value: "MSE",
    QuestionKind.WHY.value: "CW",
    QuestionKind.HOW.value: "CH/W",
    QuestionKind.STEPS.value: "Multi-step",
    QuestionKind.ESI.value: "ESI",
    QuestionKind.WRITTEN.value: "Written",
}
MADE_BY = {"": "Any maker", Maker.RULES.value: "Rules", Maker.JUDGE.value: "A judge", Maker.PERSON.value: "A person"}
WAITING, STALE = "waiting", "stale"
HOW_FAR = {
    "": "All",
    WAITING: "Waiting for you",
    STALE: "Chain was edited",
    Standing.OPEN.value: "Not verified",
    Standing.ONCE.value: "By one of two",
    Standing.VERIFIED.value: "Verified",
    Standing.DISPUTED.value: "In dispute",
    Standing.DROPPED.value: "Dropped",
}
HERE, EVERYWHERE = "here", "everywhere"
SCOPES = {HERE: "This recording", EVERYWHERE: "Whole study"}
_OUTCOMES = {True: "right", False: "wrong", None: "no answer"}
_BY_STANDING = {
    Standing.VERIFIED: RowState.VERIFIED,
    Standing.DROPPED: RowState.DROPPED,
    Standing.DISPUTED: RowState.DISPUTED,
}


def kind_of(question: Question) -> str:
    """Return what kind a question is, with its mental state, part or dimension."""
    return f"{question.kind.value}, {question.aspect}" if question.aspect else question.kind.value


def row_of(one: Verified, who: str, *, survives: bool, recording: str) -> QuestionRow:
    """Return a row of the list; `recording` is its number and name where all are listed, else ""."""
    question = one.question
    where = format_time(question.start_us) + (f"  ·  {recording}" if recording else "")
    return QuestionRow(
        question.id, kind_of(question), question.maker.value, where, question.text, state_of(one, who, survives)
    )


def state_of(one: Verified, who: str, survives: bool) -> RowState:
    """Return how far a question is, without what others say before it is settled or one has said something oneself."""
    if not one.ready:
        return RowState.DRAFT
    if one.waits_for(who):
        if one.stale or one.again(who):
            return RowState.AGAIN
        return RowState.WAITS if survives else RowState.FILTERED
    return _BY_STANDING.get(one.standing, RowState.MINE)


def shown_of(
    one: Verified, who: str, names: Mapping[str, str], *, scores: Iterable[float], reason: str
) -> ShownQuestion:
    """Return a question in full, for whoever works here.

    Args:
        one: the question.
        who: the annotator; what others say is shown to them after they have said something themselves.
        names: annotator id -> name.
        scores: of difficulty, by models.
        reason: why nothing can be said about it; "" where it can.
    """
    question, own = one.question, one.by(who)
    head = f"{kind_of(question)} · {format_time(question.start_us)} to {format_time(question.end_us)} · made by "
    said = Said() if own is None else Said(own.checks, own.difficulty, own.note, own.decision.value)
    open_to = one.looked_at_by(who)
    if own is not None and (one.stale or not open_to):
        said = Said((), own.difficulty, own.note, own.decision.value if open_to else "")
    return ShownQuestion(
        question.id,
        head
        + ("a person" if question.maker is Maker.PERSON else "rules" if question.maker is Maker.RULES else "a judge"),
        _notice(one, who),
        question.text,
        question.answer,
        tuple(each.text for each in question.wrong),
        question.options,
        question.options.index(question.answer),
        question.explanation,
        own.checklist if own is not None else "esi" if question.kind is QuestionKind.ESI else "chain",
        said,
        _others(one, who, names, scores) if open_to else (),
        reason,
    )


def progress_in_words(far: Progress, shown: int) -> str:
    """Say how far the verification is."""
    parts = [f"{shown} of {counted(far.total, 'question')}", f"{far.done} done by you"]
    parts.append(f"{far.waiting} wait for you" if far.waiting else "nothing waits for you")
    parts += [
        f"{far.standings[where]} {word}"
        for where, word in (
            (Standing.VERIFIED, "verified"),
            (Standing.DISPUTED, "in dispute"),
            (Standing.DROPPED, "dropped"),
        )
        if far.standings[where]
    ]
    if far.stale:
        parts.append(f"{far.stale} of edited chains")
    return " · ".join(parts)


def agreement_in_words(found: Agreement) -> str:
    """Say how far two people agree, with Cohen's kappa; "" where nobody can be compared."""
    parts = []
    for one in found.figures:
        if one.raw is not None:
            kappa = "" if one.kappa is None else f", κ {one.kappa:.2f}"
            name = _FIGURES.get(one.key, one.key)
            parts.append(f"{name} {one.raw:.0%}{kappa}")
    pairs = found.of("decision").pairs
    return f"Agreement of {counted(pairs, 'pair')}: {' · '.join(parts)}" if pairs else ""


def answer_row(question: Question, judgment: Judgment) -> AnswerRow:
    """Return what a judge answered."""
    one = tried(question, judgment)
    outcome = _OUTCOMES[one.right] if judgment.state == question.state else "asked before it was changed"
    if one.right is None and judgment.error:
        outcome = f"{judgment.status.value}: {judgment.error}"
    return AnswerRow(one.judgment_id, one.judge, setting_of(judgment), one.letter, outcome)


def setting_of(judgment: Judgment) -> str:
    """Return the name of the setting in which a judge was asked."""
    words = judgment.modality in (Modality.WORDS, Modality.BOTH)
    pictures = judgment.modality in (Modality.PICTURES, Modality.BOTH)
    for one in SETTINGS.values():
        if (one.variant, one.words, one.pictures) == (judgment.variant, words, pictures):
            return one.name
    return f"{judgment.variant}, {judgment.modality.value}"


_FIGURES = {
    "decision": "decision",
    "difficulty": "difficulty",
    "by_rules": "rules",
    "times_right": "times",
    "covers": "covers",
    "one_right": "one right",
    "clear": "clear",
    "needs_picture": "picture",
    "unambiguous": "unambiguous",
    "truth": "truth",
}


def _notice(one: Verified, who: str) -> str:
    if one.stale:
        return (
            "The chain was edited after this question was made. Hold it against the highlighted nodes: what you keep "
            "or correct fits the chain as it is now."
        )
    if one.again(who):
        return "This question was changed after you verified it. Look at it again."
    if not one.ready:
        return "A draft: whoever wrote it has not kept it yet, because not every judge failed at it."
    return ""


def _others(one: Verified, who: str, names: Mapping[str, str], scores: Iterable[float]) -> tuple[str, ...]:
    lines = []
    counts = {each.annotator_id for each in counting(one.question, one.said)}
    for each in one.said:
        if each.annotator_id == who:
            continue
        late = "" if each.annotator_id in counts else ", before it was changed"
        if one.question.kind is QuestionKind.WRITTEN and each.annotator_id == one.question.annotator_id:
            lines.append(f"{names.get(each.annotator_id, 'Somebody')} wrote it. {each.note}")
            continue
        more = " · ".join(part for part in (each.difficulty, each.note) if part)
        lines.append(
            f"{names.get(each.annotator_id, 'Somebody')}: {each.decision.value}{late}{f' · {more}' if more else ''}"
        )
    label = difficulty(counting(one.question, one.said), [*scores])
    if label:
        lines.append(f"Difficulty, people and models together: {label}")
    return tuple(lines)
