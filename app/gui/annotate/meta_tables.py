"""Tables and fields of the meta window.

They show people, speech, scenes, contradictions and summaries, with the answers that judges suggest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent, QPixmap
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from annotate.meta.recording_cast import CuedUtterance, RecordingPerson
from annotate.meta.scenes import CHANGE, EVENT, SceneEvent, read_scene_events
from annotate.transcript.conversation_history import format_with_cues
from benchmark.authoring.meta_answers import (
    LOOKS,
    SUMMARY_SOURCES,
    answer_contradictions,
    answer_summary,
    is_human_summary,
    read_answers,
)
from project.entities.judgments import Judgment
from project.entities.questions import LookKind, SummarySource
from project.queries.question_rows import contradictions_in, summaries_of
from project.queries.recording_rows import pseudonyms
from project.session.session import Session
from project.timebase import format_seconds, format_time
from resources.translation import tr, trn
from widgets import theme
from widgets.form.controls import push_button, text_area
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_row
from widgets.table.record_table import RecordColumn, TableRow
from widgets.text_labels import PlainLabel

_ANSWER_LINES = 3


@dataclass(frozen=True, slots=True)
class SuggestedAnswer:
    """What one judge suggests: its key, the judge with the time, and the words."""

    key: str
    name: str
    text: str


class AnswerPicker(QWidget):
    """Hidden where nobody suggested anything. Whatever a judge wrote is shown as plain text.

    Signals:
        accept_requested (str): take over the suggestion with this key.
    """

    accept_requested = Signal(str)

    def __init__(self, what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answers: tuple[SuggestedAnswer, ...] = ()
        self.choice = ChoiceBox(
            tr("Suggestions for {what}").format(what=what), tr("Whose suggestion is shown; the newest is the first")
        )
        self.choice.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.accept = push_button(tr("Accept"), do=lambda: self.accept_requested.emit(self.current_key()))
        self.text = text_area(tr("Suggestion for {what}").format(what=what), readOnly=True, tabChangesFocus=True)
        self.text.setFixedHeight(_ANSWER_LINES * self.fontMetrics().lineSpacing() + theme.GRID * 2)
        self.setLayout(
            make_column(
                make_row(self.choice, 1, self.accept, spacing=theme.GRID // 2), self.text, spacing=theme.GRID // 2
            )
        )
        self.choice.currentIndexChanged.connect(self._show_current)
        self.set_replacing(False)
        self.hide()

    def show_answers(self, answers: Sequence[SuggestedAnswer]) -> None:
        """Offer suggestions, newest first; the one that was in view stays in view unless a newer one came."""
        new = tuple(answers)
        if new == self._answers:
            return
        before = self.current_key() if new[:1] == self._answers[:1] else ""
        self._answers = new
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for suggested_answer in new:
                self.choice.addItem(suggested_answer.name, suggested_answer.key)
            self.choice.setCurrentIndex(max(0, self.choice.findData(before)) if new else -1)
        self.setVisible(bool(new))
        self._show_current()

    def set_replacing(self, replacing: bool) -> None:
        """Say whether what a person wrote would give way."""
        self.accept.setText(tr("Replace mine") if replacing else tr("Accept"))
        self.accept.setToolTip(
            tr("Put this in the place of what a person wrote; undo brings that back")
            if replacing
            else tr("Take this over; undo takes it back")
        )

    def current_key(self) -> str:
        """Return the key of the suggestion in view, or ""."""
        return self.choice.key()

    def _show_current(self) -> None:
        found = next((answer.text for answer in self._answers if answer.key == self.current_key()), "")
        self.text.setPlainText(found)


@dataclass(frozen=True, slots=True)
class ContradictionRow:
    """One contradiction: its id, what it is, what was found out, and whether it is settled."""

    key: str
    text: str
    resolution: str
    settled: bool


def contradiction_columns(
    settle: Callable[[ContradictionRow, str], object],
    write_text: Callable[[ContradictionRow, str], object],
    write_resolution: Callable[[ContradictionRow, str], object],
) -> list[RecordColumn[ContradictionRow]]:
    """Return the columns of contradictions, and what takes each change."""
    tip = tr("Press F2 or click twice to write")
    return [
        RecordColumn(
            tr("Settled"),
            lambda _row: "",
            ticked=lambda row: row.settled,
            write=settle,
            tip=lambda _row: tr("Ticked: nobody has to look at it any more"),
        ),
        RecordColumn(tr("What differs"), lambda row: row.text, stretch=True, write=write_text, tip=lambda _row: tip),
        RecordColumn(
            tr("What is true"), lambda row: row.resolution, stretch=True, write=write_resolution, tip=lambda _row: tip
        ),
    ]


THUMBNAIL_PX = 60
_LOOK_NAMES = {
    LookKind.CLOTHING: tr("Clothing"),
    LookKind.HAIR: tr("Hair"),
    LookKind.ACCESSORIES: tr("Accessories"),
    LookKind.OTHER: tr("Other"),
}


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person.

    Attributes:
        key: id of the participant; "" for faces that are nobody's yet, which have no descriptions.
        name: what they are called.
        looks: kind -> what it is.
        seen: when, in words.
        start_us: where clicking leads.
    """

    key: str
    name: str
    looks: Mapping[LookKind, str]
    seen: str
    start_us: int


def people_columns(
    picture: Callable[[str, int], QPixmap], describe: Callable[[str, LookKind, str], object]
) -> list[RecordColumn[PersonRow]]:
    """Return the columns of people.

    Args:
        picture: of a person, by key: the face (0) or the whole person (1).
        describe: takes the id of a participant, what is described, and the words.
    """

    def tip(row: PersonRow) -> str:
        said = tr("{name}: click to go to where they are seen best").format(name=row.name)
        return said if row.start_us >= 0 else row.name

    def look(kind: LookKind) -> RecordColumn[PersonRow]:
        said = tr("{names} of {name}; press F2 or click twice to write")
        return RecordColumn(
            _LOOK_NAMES[kind],
            lambda row: row.looks.get(kind, ""),
            stretch=True,
            tip=lambda row: said.format(names=_LOOK_NAMES[kind], name=row.name) if row.key else "",
            write=lambda row, text: describe(row.key, kind, text),
            is_writable=lambda row: bool(row.key),
        )

    return [
        RecordColumn(tr("Face"), lambda _row: "", icon=lambda row: picture(row.key, 0), tip=tip),
        RecordColumn(tr("Person"), lambda _row: "", icon=lambda row: picture(row.key, 1), tip=tip),
        RecordColumn(tr("Who"), lambda row: row.name, tip=tip),
        RecordColumn(tr("Seen"), lambda row: row.seen, tip=tip),
        *(look(kind) for kind in LookKind),
    ]


PICTURE_COLUMNS = 4
"""A click on one of so many columns leads to where somebody is seen best; the others are written in."""


SPEECH = (tr("Time"), tr("Who"), tr("What, with cues"), "")
SCENES = (tr("Time"), tr("What"), tr("Description"), tr("State"))
PAUSE = tr("pause ")
"""How the key of a stretch without speech begins."""
_NO_WORDS = tr("no words yet: transcribe or import them in the mode Transcript")
_VOICE_OVER_NOTE = tr("voice-over, left out")
_EVENT_PREFIXES = {CHANGE: "", EVENT: tr("Event: ")}


def people_rows(people: Sequence[RecordingPerson]) -> list[PersonRow]:
    """Return a row for each person; where a face of theirs is surest is where clicking leads, -1 for nowhere."""
    return [_person_row(person) for person in people]


def speech_rows(session: Session, said: Sequence[CuedUtterance], pauses: Sequence[tuple[int, int]]) -> list[TableRow]:
    """Return a row for each utterance and each stretch in which nobody speaks, by start."""
    names = pseudonyms(session.study)
    rows = [
        TableRow(
            cued_utterance.utterance.id,
            (
                format_time(cued_utterance.utterance.start_us),
                names.get(cued_utterance.utterance.participant_id or "", "?"),
                format_with_cues(cued_utterance.utterance.text, cued_utterance.cues, names),
                _VOICE_OVER_NOTE if cued_utterance.is_voice_over else "",
            ),
            "volume-x" if cued_utterance.is_voice_over else "",
            time_us=cued_utterance.utterance.start_us,
        )
        for cued_utterance in said
    ]
    rows += [
        TableRow(
            f"{PAUSE}{start}",
            (
                format_time(start),
                "",
                tr("nobody speaks for {length}").format(length=format_seconds(end - start)) if said else _NO_WORDS,
                "",
            ),
            time_us=start,
        )
        for start, end in pauses
    ]
    return sorted(rows, key=lambda row: row.time_us)


def scene_rows(found: Sequence[SceneEvent]) -> list[TableRow]:
    """Return a row for each scene change, event and sound that was laid over."""
    return [
        TableRow(
            scene_event.segment.id,
            (
                format_time(scene_event.segment.start_us),
                f"{_EVENT_PREFIXES.get(scene_event.segment.track, '')}{scene_event.name}",
                ": ".join(part for part in (scene_event.who, scene_event.description) if part),
                "suggested" if scene_event.prelabel else "",
            ),
            time_us=scene_event.segment.start_us,
        )
        for scene_event in found
    ]


def contradiction_rows(session: Session, recording_id: str) -> list[ContradictionRow]:
    """Return a row for each contradiction."""
    return [
        ContradictionRow(contradiction.id, contradiction.text, contradiction.resolution, contradiction.settled)
        for contradiction in contradictions_in(session.study, recording_id)
    ]


def read_summary(session: Session, recording_id: str, source: SummarySource) -> tuple[str, str]:
    """Return a summary and a note on who wrote it."""
    known = summaries_of(session.study, recording_id).get(source)
    if known is None:
        return "", ""
    if not known.judgment_id:
        return known.text, tr("written by a person")
    changed = is_human_summary(session, recording_id, source)
    return known.text, tr("by a judge, changed by a person") if changed else tr("by a judge")


def answers_by_task(session: Session, recording_id: str) -> dict[str, list[SuggestedAnswer]]:
    """Return task -> what judges suggest, newest first, without suggestions that say the same."""
    found: dict[str, list[SuggestedAnswer]] = {}
    for said in read_answers(session, recording_id):
        text = _answer_text(session, said)
        known = found.setdefault(said.task, [])
        if all(suggested_answer.text != text for suggested_answer in known):
            known.append(
                SuggestedAnswer(said.id, f"{said.judge.get('name', '?')}, {said.at[:16].replace('T', ' ')}", text)
            )
    return found


def undecided_event_ids(session: Session, recording_id: str) -> list[str]:
    """Return the ids of what is suggested and was not decided on."""
    return [scene_event.segment.id for scene_event in read_scene_events(session, recording_id) if scene_event.prelabel]


def _answer_text(session: Session, said: Judgment) -> str:
    if said.task in SUMMARY_SOURCES:
        return answer_summary(session, said)
    if said.task == LOOKS:
        return str(said.answer.get("looks") or "").strip()
    return "\n".join(answer_contradictions(session, said)) or tr("The two summaries do not contradict each other.")


def _person_row(recording_person: RecordingPerson) -> PersonRow:
    who = recording_person.participant
    seen = sum(end - start for start, end in recording_person.visible_spans)
    parts = (
        [f"{format_seconds(seen)}, {trn('{count} track', '{count} tracks', len(recording_person.tracks))}"]
        if recording_person.tracks
        else [tr("no face tracked")]
    )
    if recording_person.spoken_us:
        parts.append(tr("speaks {length}").format(length=format_seconds(recording_person.spoken_us)))
    start = -1
    if recording_person.tracks:
        best = max(recording_person.tracks, key=lambda track: float(track.face.scores.max())).face
        start = int(best.times_us[int(best.scores.argmax())])
    name = tr("unassigned") if who is None else who.pseudonym
    return PersonRow("" if who is None else who.id, name, dict(recording_person.descriptions), "\n".join(parts), start)


class _SummaryField(QPlainTextEdit):
    focus_lost = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_lost.emit()


class SummaryBox(QWidget):
    """Its text is handed over when the field is left.

    Signals:
        edited (str): somebody wrote another text.
    """

    edited = Signal(str)

    def __init__(self, title: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kept = ""
        self.setAccessibleName(title)
        name = PlainLabel(title, font=theme.font(semibold=True))
        self.note = PlainLabel(look="quiet")
        self.suggest = push_button(tr("Suggest"))
        self.text = _SummaryField(placeholderText=hint, tabChangesFocus=True)
        self.text.setAccessibleName(title)
        self.text.focus_lost.connect(self.flush)
        self.answers = AnswerPicker(title.lower())
        self.setLayout(
            make_column(make_row(name, self.note, 1, self.suggest), self.text, 1, self.answers, spacing=theme.GRID // 2)
        )

    def show_text(self, text: str, note: str) -> None:
        """Show what the study has, and who wrote it; what is being typed stays."""
        self.note.setText(note)
        if text == self._kept:
            return
        self._kept = text
        with QSignalBlocker(self.text):
            self.text.setPlainText(text)

    def set_writable(self, writable: bool) -> None:
        """Allow writing, or only reading."""
        self.text.setReadOnly(not writable)
        self.answers.accept.setEnabled(writable)

    def flush(self) -> None:
        """Hand over what was typed."""
        typed = self.text.toPlainText()
        if typed.strip() != self._kept.strip():
            self._kept = typed
            self.edited.emit(typed)
