"""The list of questions with its filter bar.

Also the labels and facts of questions, checks and answers that the page shows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from benchmark.authoring.adversarial_authoring import trial_answer
from benchmark.authoring.question_requests import QUESTION_SETTINGS
from benchmark.questions.question_measures import combine_difficulty
from benchmark.questions.verification import (
    AgreementFigure,
    VerificationItem,
    VerificationProgress,
    VerificationState,
    counted_verifications,
)
from project.entities.judgments import Judgment, Modality
from project.entities.questions import Maker, Question, QuestionKind
from project.text_format import format_percent
from project.timebase import format_time
from resources.translation import later, tr, trn
from widgets import theme
from widgets.form.controls import line_edit, push_button
from widgets.form.input_fields import ChoiceBox, mark_search_field
from widgets.form.layouts import make_column, make_row
from widgets.table.lists import ROW_ROLE, KeyedList, paint_row_ground
from widgets.theme import icon

ANY = ""
"""Key of the entry of a choice that leaves nothing out."""
KIND, STANDING, MAKER, SCOPE = "kind", "standing", "maker", "scope"


class ListBar(QWidget):
    """Words to look for, what is listed, and a menu of makers.

    Signals:
        changed: something else is listed.
        make_requested (str): key of the maker that was chosen.
    """

    changed = Signal()
    make_requested = Signal(str)

    def __init__(self, makers: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        hint = tr("Find in questions and options")
        self.words = line_edit(hint, hint, clearButtonEnabled=True)
        mark_search_field(self.words)
        self.words.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.words.textChanged.connect(lambda _text: self.changed.emit())
        self.make = push_button(
            tr(" Make"), tr("Make questions from the chains, or write one"), name=tr("Make questions"), icon="plus"
        )
        self._menu = QMenu(self.make)
        for key, text in makers:
            self._menu.addAction(text).triggered.connect(lambda _=False, key=key: self.make_requested.emit(key))
        self.make.setMenu(self._menu)
        upper, lower = make_row(self.words, 1, self.make, spacing=theme.GRID // 2), make_row(spacing=theme.GRID // 2)
        self._boxes: dict[str, ChoiceBox] = {}
        for key, name in (
            (SCOPE, tr("Of which recordings")),
            (STANDING, tr("How far")),
            (KIND, tr("Kind")),
            (MAKER, tr("Made by")),
        ):
            box = ChoiceBox(name, compact=True)
            box.setMinimumContentsLength(4)
            box.currentIndexChanged.connect(lambda _at: self.changed.emit())
            lower.addWidget(box, 5 if key == SCOPE else 4)
            self._boxes[key] = box
        self.setLayout(make_column(upper, lower, spacing=theme.GRID // 2))

    def set_choices(self, which: str, choices: Mapping[str, str]) -> None:
        """Offer these (key -> text) without a signal; what was chosen stays chosen, else the first is."""
        self._boxes[which].offer(choices)

    def selected_key(self, which: str) -> str:
        """Return the key of what is chosen."""
        return self._boxes[which].key() or ANY

    def select_key(self, which: str, key: str) -> None:
        """Choose one, where it is offered."""
        self._boxes[which].choose(key)


class RowState(StrEnum):
    """How far a question is, for the current annotator."""

    AGAIN = later("look again")
    WAITS = later("waits for you")
    DRAFT = later("draft")
    MINE = later("verified by you")
    VERIFIED = later("verified")
    DISPUTED = later("in dispute")
    DROPPED = later("dropped")
    FILTERED = later("left out by the filters")


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of the list.

    Attributes:
        key: its id.
        kind: such as `CW`, or `MSE, belief`.
        maker: `rules`, `judge` or `person`.
        where: time, and the recording where those of all are listed.
    """

    key: str
    kind: str
    maker: str
    where: str
    text: str
    state: RowState


@dataclass(frozen=True, slots=True)
class Check:
    """One point of a checklist: its key, what it is called, and what it means."""

    key: str
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class PriorVerification:
    """What somebody said before: checks that hold, label of difficulty, note, decision; what they see is theirs."""

    checks: tuple[str, ...] = ()
    difficulty: str = ""
    note: str = ""
    decision: str = ""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """One question in full.

    Attributes:
        head: its kind, span and maker, in a line.
        notice: what the current annotator has to know first, such as that its chain was edited; "" for nothing.
        options: as they are shown.
        correct_index: place of the right one.
        checklist: key of the list that is offered first.
        verification: by the current annotator, about the question as it is now or as it was.
        others: what others say, a line each; () before one's own word.
        reason: why nothing can be said about it; "" where it can.
    """

    id: str
    head: str
    notice: str
    text: str
    answer: str
    wrong: tuple[str, ...]
    options: tuple[str, ...]
    correct_index: int
    explanation: str
    checklist: str
    verification: PriorVerification
    others: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What one judge answered: its name, the setting, the letter, and what came of it in words (`right`, `wrong`)."""

    key: str
    judge: str
    setting: str
    letter: str
    outcome: str


MAKER_ACTIONS = (
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
KIND_LABELS = {
    "": tr("All kinds"),
    QuestionKind.EVENT.value: "EU",
    QuestionKind.STATE.value: "MSE",
    QuestionKind.WHY.value: "CW",
    QuestionKind.HOW.value: "CH/W",
    QuestionKind.STEPS.value: tr("Multi-step"),
    QuestionKind.ESI.value: "ESI",
    QuestionKind.WRITTEN.value: tr("Written"),
}
MAKER_LABELS = {
    "": tr("Any maker"),
    Maker.RULES.value: tr("Rules"),
    Maker.JUDGE.value: tr("A judge"),
    Maker.PERSON.value: tr("A person"),
}
WAITING, STALE = "waiting", "stale"
STATE_LABELS = {
    "": tr("Any state"),
    WAITING: tr("Waiting for you"),
    STALE: tr("Chain was edited"),
    VerificationState.OPEN.value: tr("Not verified"),
    VerificationState.ONCE.value: tr("By one of two"),
    VerificationState.VERIFIED.value: tr("Verified"),
    VerificationState.DISPUTED.value: tr("In dispute"),
    VerificationState.DROPPED.value: tr("Dropped"),
}
HERE, EVERYWHERE = "here", "everywhere"
SCOPE_LABELS = {HERE: tr("This recording"), EVERYWHERE: tr("Whole study")}
_OUTCOME_TEXTS = {True: "right", False: "wrong", None: tr("no answer")}
_ROW_STATES = {
    VerificationState.VERIFIED: RowState.VERIFIED,
    VerificationState.DROPPED: RowState.DROPPED,
    VerificationState.DISPUTED: RowState.DISPUTED,
}


def kind_label(question: Question) -> str:
    """Return what kind a question is, with its mental state, part or dimension."""
    return f"{question.kind.value}, {question.aspect}" if question.aspect else question.kind.value


def question_row(item: VerificationItem, who: str, *, survives: bool, recording: str) -> QuestionRow:
    """Return a row of the list; `recording` is its number and name where all are listed, else ""."""
    question = item.question
    where = format_time(question.start_us) + (f"  ·  {recording}" if recording else "")
    return QuestionRow(
        question.id, kind_label(question), question.maker.value, where, question.text, row_state(item, who, survives)
    )


def row_state(item: VerificationItem, who: str, survives: bool) -> RowState:
    """Return how far a question is, without what others say before it is settled or one has said something oneself."""
    if not item.ready:
        return RowState.DRAFT
    if item.is_waiting_for(who):
        if item.stale or item.needs_recheck_by(who):
            return RowState.AGAIN
        return RowState.WAITS if survives else RowState.FILTERED
    return _ROW_STATES.get(item.state, RowState.MINE)


def shown_question(
    item: VerificationItem, who: str, names: Mapping[str, str], *, scores: Iterable[float], reason: str
) -> ShownQuestion:
    """Return a question in full, for the current annotator.

    Args:
        item: the question.
        who: the annotator; what others say is shown to them after they have said something themselves.
        names: annotator id -> name.
        scores: of difficulty, by models.
        reason: why nothing can be said about it; "" where it can.
    """
    question, own = item.question, item.verification_by(who)
    head = tr("{question} · {start_us} to {end_us} · made by ").format(
        question=kind_label(question), start_us=format_time(question.start_us), end_us=format_time(question.end_us)
    )
    said = (
        PriorVerification()
        if own is None
        else PriorVerification(own.checks, own.difficulty, own.note, own.decision.value)
    )
    open_to = item.is_verified_by(who)
    if own is not None and (item.stale or not open_to):
        said = PriorVerification((), own.difficulty, own.note, own.decision.value if open_to else "")
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
        _notice_text(item, who),
        question.text,
        question.answer,
        tuple(option.text for option in question.wrong),
        question.options,
        question.options.index(question.answer),
        question.explanation,
        own.checklist if own is not None else "esi" if question.kind is QuestionKind.ESI else "chain",
        said,
        _other_verifications(item, who, names, scores) if open_to else (),
        reason,
    )


def progress_text(far: VerificationProgress, shown: int) -> str:
    """Say how far the verification is."""
    parts = [
        tr("{shown} of {count}").format(shown=shown, count=trn("{count} question", "{count} questions", far.total)),
        tr("{done} done by you").format(done=far.done),
    ]
    parts.append(
        tr("{waiting} wait for you").format(waiting=far.waiting) if far.waiting else tr("nothing waits for you")
    )
    parts += [
        f"{far.states[where]} {word}"
        for where, word in (
            (VerificationState.VERIFIED, "verified"),
            (VerificationState.DISPUTED, tr("in dispute")),
            (VerificationState.DROPPED, "dropped"),
        )
        if far.states[where]
    ]
    if far.stale:
        parts.append(tr("{stale} of edited chains").format(stale=far.stale))
    return " · ".join(parts)


def agreement_text(found: Mapping[str, AgreementFigure]) -> str:
    """Say how far two people agree, with Cohen's kappa; "" where nobody can be compared."""
    parts = []
    for figure in found.values():
        if figure.raw is not None:
            kappa = "" if figure.kappa is None else f", κ {figure.kappa:.2f}"
            name = _FIGURE_NAMES.get(figure.key, figure.key)
            parts.append(f"{name} {format_percent(figure.raw, 0)}{kappa}")
    pairs = found["decision"].pairs
    return (
        tr("Agreement of {count}: {list}").format(
            count=trn("{count} pair", "{count} pairs", pairs), list=" · ".join(parts)
        )
        if pairs
        else ""
    )


def answer_row(question: Question, judgment: Judgment) -> AnswerRow:
    """Return what a judge answered."""
    tried = trial_answer(question, judgment)
    outcome = _OUTCOME_TEXTS[tried.right] if judgment.state == question.checksum else tr("asked before it was changed")
    if tried.right is None and judgment.error:
        outcome = f"{judgment.status.value}: {judgment.error}"
    return AnswerRow(tried.judgment_id, tried.judge, setting_name(judgment), tried.letter, outcome)


def setting_name(judgment: Judgment) -> str:
    """Return the name of the setting in which a judge was asked."""
    words = judgment.modality in (Modality.TEXT, Modality.BOTH)
    pictures = judgment.modality in (Modality.PICTURES, Modality.BOTH)
    for question_setting in QUESTION_SETTINGS.values():
        if (question_setting.variant, question_setting.words, question_setting.pictures) == (
            judgment.variant,
            words,
            pictures,
        ):
            return question_setting.name
    return f"{judgment.variant}, {judgment.modality.value}"


_FIGURE_NAMES = {
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


def _notice_text(item: VerificationItem, who: str) -> str:
    if item.stale:
        return tr(
            "The chain was edited after this question was made. Hold it against the highlighted nodes: what you keep "
            "or correct fits the chain as it is now."
        )
    if item.needs_recheck_by(who):
        return tr("This question was changed after you verified it. Look at it again.")
    if not item.ready:
        return tr("A draft: its author has not kept it yet, because not every judge failed at it.")
    return ""


def _other_verifications(
    item: VerificationItem, who: str, names: Mapping[str, str], scores: Iterable[float]
) -> tuple[str, ...]:
    lines = []
    counts = {verification.annotator_id for verification in counted_verifications(item.question, item.verifications)}
    for verification in item.verifications:
        if verification.annotator_id == who:
            continue
        late = "" if verification.annotator_id in counts else tr(", before it was changed")
        if item.question.kind is QuestionKind.WRITTEN and verification.annotator_id == item.question.annotator_id:
            lines.append(
                tr("{names} wrote it. {note}").format(
                    names=names.get(verification.annotator_id, tr("Somebody")), note=verification.note
                )
            )
            continue
        more = " · ".join(part for part in (verification.difficulty, verification.note) if part)
        author = names.get(verification.annotator_id, tr("Somebody"))
        lines.append(f"{author}: {verification.decision.value}{late}{f' · {more}' if more else ''}")
    label = combine_difficulty(counted_verifications(item.question, item.verifications), [*scores])
    if label:
        lines.append(tr("Difficulty, people and models together: {label}").format(label=label))
    return tuple(lines)


_ROW_HEIGHT = 40
_STATE_ICONS = {
    RowState.AGAIN: ("triangle-alert", "uncertain"),
    RowState.WAITS: ("circle-dashed", "accent"),
    RowState.DRAFT: ("pencil", "muted"),
    RowState.MINE: ("loader", "muted"),
    RowState.VERIFIED: ("circle-check", "competence"),
    RowState.DISPUTED: ("circle-alert", "uncertain"),
    RowState.DROPPED: ("circle-x", "error"),
    RowState.FILTERED: ("square-dashed-mouse-pointer", "muted"),
}
_Index = QModelIndex | QPersistentModelIndex


def _row_texts(row: QuestionRow) -> tuple[str, str]:
    said = f"{row.kind}, {row.where}, {row.text}, {tr(row.state.value)}"
    return said, tr("{state} (made by {maker})").format(state=tr(row.state.value).capitalize(), maker=row.maker)


class QuestionList(KeyedList[QuestionRow]):
    """Shows the questions; one is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Questions"), _row_texts, _QuestionDelegate(), parent)


class _QuestionDelegate(QStyledItemDelegate):
    """Draws a row without a widget of its own."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, theme.scaled(_ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW_ROLE)
        colours = theme.palette()
        area = QRectF(option.rect)
        painter.save()
        selected = paint_row_ground(painter, option, *_STATE_ICONS[row.state])
        text = area.adjusted(38, 4, -10, -4)
        quiet = colours.text if selected else colours.muted
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(text, top, f"{row.kind}  ·  {row.where}")
        painter.drawText(text, top | Qt.AlignmentFlag.AlignRight, tr(row.state.value))
        painter.setFont(theme.font(semibold=row.state in (RowState.WAITS, RowState.AGAIN)))
        painter.setPen(colours.text)
        words = " ".join(row.text.split())
        line = QFontMetrics(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, round(text.width()))
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, line)
        painter.restore()
