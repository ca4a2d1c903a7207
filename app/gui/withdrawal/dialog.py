"""Asks who withdraws and how far, shows what would be removed, and wants the pseudonym to be typed."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.core.withdrawal.withdrawing import Wanted
from app.gui.withdrawal.look_alikes import LookAlikeList
from project.withdrawing.alike import Alike
from resources.translation import tr, trn
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_PAUSE_MS = 300
"""How long nobody types before what would be removed is worked out anew."""


class WithdrawalDialog(OwnDialog):
    """Nothing is removed before the pseudonym is typed as it stands in the study.

    Signals:
        asked: (Wanted) what would be removed has to be worked out.
    """

    asked = Signal(object)

    def __init__(self, pseudonyms: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Withdraw a participant"))
        self.resize(760, 760)
        self._looked: Wanted | None = None
        self._why_not = ""
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(lambda: self.asked.emit(self.wanted()))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 3 // 2)
        note = PlainLabel(
            tr(
                "Everything of theirs is removed from the study, its history, backups, caches and clips on this "
                "machine. It cannot be undone."
            )
        )
        note.setWordWrap(True)
        column.addWidget(note)
        column.addLayout(self._form(pseudonyms))
        self.lines = QPlainTextEdit(readOnly=True)
        self.lines.setAccessibleName(tr("What would be removed"))
        self.lines.setTabChangesFocus(True)
        column.addWidget(self.lines, 1)
        self.alike = LookAlikeList()
        self.alike.decided.connect(self._changed)
        column.addWidget(self.alike, 1)
        self.typed = QLineEdit()
        self.typed.setAccessibleName(tr("Type the pseudonym to confirm"))
        self.typed.setToolTip(tr("Type the pseudonym as it stands above"))
        last = QFormLayout()
        last.addRow(tr("&Type the pseudonym to confirm"), self.typed)
        column.addLayout(last)
        self.buttons = DialogButtons(self, tr("Remove for good"), tr("Remove nothing"), careful=True)
        self.buttons.go_on.setToolTip(tr("Remove all of this; the study is closed for a moment"))
        self.buttons.go_on.clicked.connect(self.accept)
        column.addLayout(self.buttons)
        self.who.currentIndexChanged.connect(self._chosen)
        self.words.textChanged.connect(self._changed)
        self.drop.toggled.connect(self._changed)
        self.footage.toggled.connect(self._changed)
        self.beside.toggled.connect(self._changed)
        self.unread.toggled.connect(self._changed)
        self.typed.textChanged.connect(self._check)
        self._changed()

    def _form(self, pseudonyms: Sequence[str]) -> QFormLayout:
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        self.who = QComboBox()
        self.who.addItems(list(pseudonyms))
        self.who.setAccessibleName(tr("Participant"))
        self.who.setToolTip(tr("Who withdraws"))
        self.words = QLineEdit(placeholderText=tr("Names that are no private words of the study, with commas"))
        self.words.setAccessibleName(tr("Also known as"))
        self.words.setToolTip(tr("Texts that hold one of these words are removed too"))
        self.drop = QCheckBox(tr("Remove recordings in which they are, with everybody's annotations"))
        self.drop.setToolTip(tr("Else others' annotations of these recordings stay, without footage"))
        self.footage = QCheckBox(tr("Delete the footage of these recordings from the disk"))
        self.footage.setToolTip(tr("Else the certificate says that it must be deleted"))
        self.beside = QCheckBox(tr("Delete exports and other files beside the study that hold something of theirs"))
        self.beside.setToolTip(tr("Else they are listed, and have to be deleted by hand"))
        self.unread = QCheckBox(tr("Erase backups that cannot be read"))
        self.unread.setToolTip(tr("Else nothing is removed while there are such backups: they may hold them"))
        form.addRow(tr("&Participant"), self.who)
        form.addRow(tr("Also &known as"), self.words)
        form.addRow("", self.drop)
        form.addRow("", self.footage)
        form.addRow("", self.beside)
        form.addRow("", self.unread)
        return form

    def wanted(self) -> Wanted:
        """Return what is asked for."""
        words = tuple(one.strip() for one in self.words.text().split(",") if one.strip())
        return Wanted(
            self.who.currentText(),
            (*words, *self.alike.theirs),
            self.drop.isChecked(),
            self.footage.isChecked(),
            self.unread.isChecked(),
            keep=self.alike.kept,
            delete_beside=self.beside.isChecked(),
        )

    def show_lines(self, wanted: Wanted, lines: Sequence[str], alike: Alike, why_not: str = "") -> None:
        """Show what would be removed, what has to be decided, and why nothing can be removed.

        Nothing is shown where something else is asked for by now.
        """
        if wanted == self.wanted():
            self._looked, self._why_not = wanted, why_not
            self.lines.setPlainText("\n".join(lines))
            self.alike.show_alike(alike.left, alike.why)
            self._check()

    def show_problem(self, wanted: Wanted, message: str) -> None:
        """Say why it cannot be worked out."""
        if wanted == self.wanted():
            self.lines.setPlainText(message)

    def _chosen(self) -> None:
        self.alike.forget()
        self._changed()

    def _changed(self) -> None:
        self._looked, self._why_not = None, ""
        self.lines.setPlainText(tr("Looking for everything of theirs…"))
        self._check()
        self._timer.start()

    def _check(self) -> None:
        same = self.typed.text().strip() == self.who.currentText()
        count = self.alike.undecided
        why_not = self._why_not or (
            trn("{count} is to be decided.", "{count} are to be decided.", count) if count else ""
        )
        self.buttons.go_on.setEnabled(same and self._looked == self.wanted() and not why_not)
        missing = "" if same else tr("Type {name} to confirm.").format(name=self.who.currentText())
        self.buttons.note.setText(why_not or missing)
