"""What questions, checks and answers are called on the page."""

from collections.abc import Iterable, Mapping

from app.core.questions.agreeing import Agreement
from app.core.questions.difficulty import difficulty
from app.core.questions.settings import SETTINGS
from app.core.questions.stump import tried
from app.core.questions.verifying import Progress, Standing, Verified, counting
from project.judging import Judgment, Modality
from project.percent import percent
from project.questions import Maker, Question, QuestionKind
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.questions.shown import AnswerRow, Check, QuestionRow, RowState, Said, ShownQuestion

MAKERS = (
    ("rules", tr("Make by rules")),
    ("judge", tr("Make with a judge…")),
    ("write", tr("Write one to stump the model")),
)
CHECKLISTS: Mapping[str, tuple[str, tuple[Check, ...]]] = {
    "chain": (
        tr("Checks for chains"),
        (
            Check(
                "by_rules", tr("Made by the rules"), tr("It asks for what its kind asks for, and has the right form.")
            ),
            Check("times_right", tr("Times are clear and right"), tr("It can be told when what it names happens.")),
            Check(
                "covers",
                tr("Covers node or subchain"),
                tr("Question and answer leave out nothing of what is highlighted in the chain, and add nothing."),
            ),
            Check("one_right", tr("Exactly one option is right"), tr("None of the others could be defended as well.")),
        ),
    ),
    "esi": (
        tr("Checks of ESI-Bench"),
        (
            Check("clear", tr("Clear who is meant"), tr("People and things are told apart, and in one situation.")),
            Check("needs_picture", tr("Needs the picture"), tr("It cannot be answered from what is said alone.")),
            Check("unambiguous", tr("Unambiguous"), tr("Nothing can be read in two ways.")),
            Check("truth", tr("The right option is true"), tr("What is seen and heard shows it.")),
            Check("difficulty", tr("Difficulty is labelled"), tr("Choose a label below.")),
        ),
    ),
}
KINDS = {
    "": tr("All kinds"),
    QuestionKind.EVENT.value: "EU",
    QuestionKind.STATE.value: "MSE",
    QuestionKind.WHY.value: "CW",
    QuestionKind.HOW.value: "CH/W",
    QuestionKind.STEPS.value: tr("Multi-step"),
    QuestionKind.ESI.value: "ESI",
    QuestionKind.WRITTEN.value: tr("Written"),
}
MADE_BY = {
    "": tr("Any maker"),
    Maker.RULES.value: tr("Rules"),
    Maker.JUDGE.value: tr("A judge"),
    Maker.PERSON.value: tr("A person"),
}
WAITING, STALE = "waiting", "stale"
HOW_FAR = {
    "": tr("Any state"),
    WAITING: tr("Waiting for you"),
    STALE: tr("Chain was edited"),
    Standing.OPEN.value: tr("Not verified"),
    Standing.ONCE.value: tr("By one of two"),
    Standing.VERIFIED.value: tr("Verified"),
    Standing.DISPUTED.value: tr("In dispute"),
    Standing.DROPPED.value: tr("Dropped"),
}
HERE, EVERYWHERE = "here", "everywhere"
SCOPES = {HERE: tr("This recording"), EVERYWHERE: tr("Whole study")}
_OUTCOMES = {True: "right", False: "wrong", None: tr("no answer")}
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
    head = tr("{question} · {start_us} to {end_us} · made by ").format(
        question=kind_of(question), start_us=format_time(question.start_us), end_us=format_time(question.end_us)
    )
    said = Said() if own is None else Said(own.checks, own.difficulty, own.note, own.decision.value)
    open_to = one.looked_at_by(who)
    if own is not None and (one.stale or not open_to):
        said = Said((), own.difficulty, own.note, own.decision.value if open_to else "")
    return ShownQuestion(
        question.id,
        head
        + (
            tr("a person")
            if question.maker is Maker.PERSON
            else "rules"
            if question.maker is Maker.RULES
            else tr("a judge")
        ),
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
    parts = [
        tr("{shown} of {count}").format(shown=shown, count=trn("{count} question", "{count} questions", far.total)),
        tr("{done} done by you").format(done=far.done),
    ]
    parts.append(
        tr("{waiting} wait for you").format(waiting=far.waiting) if far.waiting else tr("nothing waits for you")
    )
    parts += [
        f"{far.standings[where]} {word}"
        for where, word in (
            (Standing.VERIFIED, "verified"),
            (Standing.DISPUTED, tr("in dispute")),
            (Standing.DROPPED, "dropped"),
        )
        if far.standings[where]
    ]
    if far.stale:
        parts.append(tr("{stale} of edited chains").format(stale=far.stale))
    return " · ".join(parts)


def agreement_in_words(found: Agreement) -> str:
    """Say how far two people agree, with Cohen's kappa; "" where nobody can be compared."""
    parts = []
    for one in found.figures:
        if one.raw is not None:
            kappa = "" if one.kappa is None else f", κ {one.kappa:.2f}"
            name = _FIGURES.get(one.key, one.key)
            parts.append(f"{name} {percent(one.raw, 0)}{kappa}")
    pairs = found.of("decision").pairs
    return (
        tr("Agreement of {count}: {list}").format(
            count=trn("{count} pair", "{count} pairs", pairs), list=" · ".join(parts)
        )
        if pairs
        else ""
    )


def answer_row(question: Question, judgment: Judgment) -> AnswerRow:
    """Return what a judge answered."""
    one = tried(question, judgment)
    outcome = _OUTCOMES[one.right] if judgment.state == question.state else tr("asked before it was changed")
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
    "one_right": tr("one right"),
    "clear": "clear",
    "needs_picture": "picture",
    "unambiguous": "unambiguous",
    "truth": "truth",
}


def _notice(one: Verified, who: str) -> str:
    if one.stale:
        return tr(
            "The chain was edited after this question was made. Hold it against the highlighted nodes: what you keep "
            "or correct fits the chain as it is now."
        )
    if one.again(who):
        return tr("This question was changed after you verified it. Look at it again.")
    if not one.ready:
        return tr("A draft: whoever wrote it has not kept it yet, because not every judge failed at it.")
    return ""


def _others(one: Verified, who: str, names: Mapping[str, str], scores: Iterable[float]) -> tuple[str, ...]:
    lines = []
    counts = {each.annotator_id for each in counting(one.question, one.said)}
    for each in one.said:
        if each.annotator_id == who:
            continue
        late = "" if each.annotator_id in counts else tr(", before it was changed")
        if one.question.kind is QuestionKind.WRITTEN and each.annotator_id == one.question.annotator_id:
            lines.append(
                tr("{names} wrote it. {note}").format(
                    names=names.get(each.annotator_id, tr("Somebody")), note=each.note
                )
            )
            continue
        more = " · ".join(part for part in (each.difficulty, each.note) if part)
        lines.append(
            f"{names.get(each.annotator_id, tr('Somebody'))}: {each.decision.value}{late}{f' · {more}' if more else ''}"
        )
    label = difficulty(counting(one.question, one.said), [*scores])
    if label:
        lines.append(tr("Difficulty, people and models together: {label}").format(label=label))
    return tuple(lines)
