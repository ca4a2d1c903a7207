"""The page of the mode Transcript: the list of utterances, what is looked for in it, and who speaks."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import Choice, EmptyState
from widgets.number_boxes import DecimalBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.progress_bar import ProgressBar
from widgets.rich_label import RichLabel
from widgets.transcript.find_bar import FindBar
from widgets.transcript.model import TranscriptModel
from widgets.transcript.speakers_bar import SpeakersBar
from widgets.transcript.view import TranscriptView

_EMPTY = (
    tr("No transcript yet"),
    tr(
        "Let this machine write down what is said, bring subtitles or an ELAN or Praat file along, or type it yourself."
    ),
)
_HELP = tr(
    "<b>Return</b> type · <b>Tab</b> hear again · <b>Y</b> checked, go on · <b>N</b> next draft · "
    "<b>D</b> next doubtful word · <b>S</b> split · <b>M</b> merge · <b>[ ]</b> start, end here · "
    "<b>Ctrl+F1</b> all keys"
)


class TranscriptPage(QWidget):
    """Lays the parts out; what they do is joined elsewhere.

    Signals:
        visible_changed (bool): the page came into sight, or went.
        transcribe_requested, import_requested, add_requested: ways to a transcript.
        cancel_requested: stop the job that makes one.
        doubt_changed (float): words with less confidence are underlined.
        play_on_changed (bool): going on to an utterance plays it.

    Attributes:
        acts: what the window's menu may ask for, by name.
    """

    visible_changed = Signal(bool)
    transcribe_requested = Signal()
    import_requested = Signal()
    add_requested = Signal()
    cancel_requested = Signal()
    doubt_changed = Signal(float)
    play_on_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Transcript"))
        self.acts: Mapping[str, Callable[[], object]] = {}
        self.model = TranscriptModel(self)
        self.view = TranscriptView(self.model)
        self.setFocusProxy(self.view)
        self.search = FindBar()
        self.speakers = SpeakersBar()
        self._no_recording = EmptyState(
            "volume-2", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
        )
        ways = [
            Choice("transcribe", tr("Transcribe…"), "Ctrl+Shift+T", primary=True),
            Choice("import", tr("Import…"), "Ctrl+Shift+I"),
        ]
        self._empty = EmptyState("volume-2", *_EMPTY, ways)
        self._empty.set_links([Choice("add", tr("Type it from the playhead on"), "Ins")])
        asked = {"transcribe": self.transcribe_requested, "import": self.import_requested, "add": self.add_requested}
        self._empty.chosen.connect(lambda key: asked[key].emit())
        self._stack = QStackedWidget()
        for page in (self._no_recording, self._empty, self._make_list()):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self._stack, 1)
        column.addWidget(self._make_job())
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show that no recording is open."""
        self.model.set_lines([])
        self._stack.setCurrentWidget(self._no_recording)

    def show_empty(self) -> None:
        """Show that this recording has no transcript, and how to get one."""
        self.model.set_lines([])
        self._stack.setCurrentWidget(self._empty)

    def show_list(self) -> None:
        """Show the list."""
        self._stack.setCurrentIndex(2)

    def set_progress(self, checked: int, total: int, doubtful: int) -> None:
        """Say how much was read by a person, and how many words are doubtful."""
        self._checked.setText(tr("{checked} of {total} checked").format(checked=checked, total=total))
        self._bar.show_value(checked, max(total, 1))
        self._doubtful.setText(
            tr("{count}, below").format(count=trn("{count} doubtful word", "{count} doubtful words", doubtful))
        )

    def set_writable(self, writable: bool, reason: str = "") -> None:
        """Allow changes, or only reading; `reason` says why."""
        self.view.set_writable(writable)
        self.search.set_writable(writable)
        self._empty.set_choosable(writable)
        self._empty.setToolTip(plain_tip(reason))
        self.speakers.setToolTip(plain_tip(reason))
        self._help.setText(_HELP if writable else tr("Only reading. {reason}").format(reason=reason))

    def set_job(self, text: str | None, done: int = 0, total: int = 0) -> None:
        """Show how far a job about the transcript is; None when there is none."""
        self._job.setVisible(text is not None)
        if text is not None:
            self._job_bar.show_value(done, total)
            self._job_words.setText(text)

    @property
    def doubtful_below(self) -> float:
        """Words with less confidence are underlined."""
        return self._below.value()

    @property
    def plays_on(self) -> bool:
        """Whether going on to an utterance plays it."""
        return self._plays_on.isChecked()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        self.view.leave_text()
        super().hideEvent(event)
        self.visible_changed.emit(False)

    def _make_list(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        self._checked = PlainLabel()
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Share of utterances that are checked"))
        self._plays_on = QPushButton(tr("Play on"))
        self._plays_on.setProperty("segment", True)
        self._plays_on.setCheckable(True)
        self._plays_on.setChecked(True)
        self._plays_on.setToolTip(tr("Going on to the next utterance with Return or Y lets it be heard"))
        self._plays_on.toggled.connect(self.play_on_changed)
        head.addWidget(self._checked)
        head.addWidget(self._bar, 1)
        head.addWidget(self._plays_on)
        column.addLayout(head)
        column.addWidget(self.search)
        column.addWidget(self.view, 1)
        column.addWidget(self.speakers)
        column.addLayout(self._make_doubt())
        self._help = RichLabel(wordWrap=True)
        self._help.setProperty("quiet", True)
        column.addWidget(self._help)
        return page

    def _make_doubt(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self._doubtful = PlainLabel()
        self._doubtful.setProperty("quiet", True)
        self._below = DecimalBox()
        self._below.setRange(0.0, 1.0)
        self._below.setSingleStep(0.05)
        self._below.setDecimals(2)
        self._below.setValue(self.view.moment.doubtful_below)
        self._below.setAccessibleName(tr("Words with less confidence are underlined"))
        self._below.lineEdit().setAccessibleName(tr("Words with less confidence are underlined"))
        self._below.setToolTip(tr("Words that the model heard with less confidence than this are underlined"))
        self._below.valueChanged.connect(self.doubt_changed)
        row.addWidget(self._doubtful)
        row.addWidget(self._below)
        row.addStretch()
        return row

    def _make_job(self) -> QWidget:
        self._job = QWidget()
        row = QHBoxLayout(self._job)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        inner = QVBoxLayout()
        inner.setSpacing(2)
        self._job_words = PlainLabel(wordWrap=True)
        self._job_bar = ProgressBar(textVisible=False)
        self._job_bar.setFixedHeight(6)
        self._job_bar.setAccessibleName(tr("Progress of the transcript"))
        inner.addWidget(self._job_words)
        inner.addWidget(self._job_bar)
        row.addLayout(inner, 1)
        cancel = QPushButton(tr("Cancel"))
        cancel.setToolTip(tr("Stop; what was done is taken up next time"))
        cancel.clicked.connect(self.cancel_requested)
        row.addWidget(cancel)
        self._job.hide()
        return self._job
