"""The forms of the code book editor: of a track, a label and a field. They show a part and say what is entered."""

import math
from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QColorDialog, QLineEdit, QPlainTextEdit, QWidget

from project.schemes.scheme import (
    Extent,
    Label,
    Pattern,
    Sampling,
    SamplingKind,
    Scheme,
    TierConstraint,
    Track,
)
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickMenu
from widgets.form.controls import line_edit
from widgets.form.form import Form
from widgets.form.input_fields import ChoiceBox, Offered
from widgets.labels import LabelLook, Sign, label_ink
from widgets.text_labels import NoteInForm, describe, plain_tip

EXTENT_NAMES: dict[str, str] = {
    Extent.SPAN: tr("A part of the recording"),
    Extent.RECORDING: tr("The whole recording"),
    Extent.EITHER: tr("The whole recording, or a part of it"),
    Extent.POINT: tr("A moment: points"),
}
SAMPLING_NAMES: dict[str, str] = {
    "": tr("None: segments are marked freely"),
    SamplingKind.INSTANTANEOUS: tr("What holds at the moment (instantaneous)"),
    SamplingKind.PARTIAL: tr("What happened in the interval (partial)"),
    SamplingKind.WHOLE: tr("What lasted through the interval (whole)"),
}
CONSTRAINT_NAMES: dict[str, Offered] = {
    TierConstraint.INCLUDED_IN: (tr("Included in"), tr("Anywhere inside, with gaps")),
    TierConstraint.TIME_SUBDIVISION: (tr("Time subdivision"), tr("They share its time out, without gaps")),
    TierConstraint.SYMBOLIC_SUBDIVISION: (tr("Symbolic subdivision"), tr("They are its parts, in order")),
    TierConstraint.SYMBOLIC_ASSOCIATION: (tr("Symbolic association"), tr("One for each, of the same time")),
}
_IN_UTTERANCE, _IN_TRACK = "utterance", "track "
_USUAL_INTERVAL_S = 10
_COLOUR_NAMES: dict[str, str] = {
    "": tr("Automatic"),
    "error": tr("Red, hatched (error)"),
    "competence": tr("Green, solid (competence)"),
    "uncertain": tr("Amber, dotted (uncertain)"),
    "accent": tr("Accent"),
    "muted": tr("Grey"),
    "#4f8fd6": tr("Blue"),
    "#cf7a2c": tr("Orange"),
    "#9a6fd0": tr("Violet"),
    "#2f9e9e": tr("Teal"),
    "#c9588e": tr("Pink"),
    "#8a8f2a": tr("Olive"),
}
_OTHER_COLOUR = "other"
_PATTERN_NAMES: dict[str, str] = {
    "": tr("Automatic"),
    Pattern.SOLID: tr("Solid"),
    Pattern.HATCH: tr("Hatch"),
    Pattern.BACK_HATCH: tr("Hatch, the other way"),
    Pattern.DOTS: tr("Dots"),
    Pattern.BARS: tr("Lines across"),
    Pattern.POSTS: tr("Upright lines"),
    Pattern.GRID: tr("Grid"),
}
_TEXT_HEIGHT = theme.GRID * 7


class PartForm(Form):
    """A form of a part of a scheme. What a person enters is told; what is shown is not.

    Attributes:
        name: the line with what the part is called.

    Signals:
        edited (dict): other values, by attribute.
    """

    edited = Signal(object)
    name: QLineEdit

    def __init__(self, what: str) -> None:
        super().__init__()
        self.setAccessibleName(what)
        self.notes: dict[str, NoteInForm] = {}

    def show_problems(self, problems: Mapping[str, Sequence[str]]) -> None:
        """Say what is wrong under each field, by attribute."""
        for attribute, note in self.notes.items():
            said = [text[:1].upper() + text[1:] + "." for text in problems.get(attribute, ())]
            note.setText(" ".join(said))
            note.setVisible(bool(said))
            note.setStyleSheet(f"color: {theme.palette().error.name()};")

    def focus_attribute(self, attribute: str) -> None:
        """Go to the field of an attribute."""
        field = getattr(self, attribute, self.name)
        (field if isinstance(field, QWidget) else self.name).setFocus()

    def _add_line(self, attribute: str, title: str, tip: str, longest: int = 0) -> QLineEdit:
        field = self.text(title, tip, longest=longest)
        field.textEdited.connect(lambda text: self.edited.emit({attribute: text.strip()}))
        self._add_note(attribute)
        return field

    def _add_lines(self, attribute: str, title: str, tip: str) -> QPlainTextEdit:
        field = self.area(title, tip)
        field.setFixedHeight(theme.scaled(_TEXT_HEIGHT))
        field.textChanged.connect(lambda: self._enter_lines(attribute, field))
        self._add_note(attribute)
        return field

    def _add_choice(self, attribute: str, title: str, tip: str, names: Mapping[str, Offered]) -> ChoiceBox:
        box = self.choice(title, tip, names, compact=True)
        # Qt gives a plain text back for a member of an enumeration.
        keys = {key: key for key in names}
        box.activated.connect(lambda: self.edited.emit({attribute: keys[box.key()]}))
        self._add_note(attribute)
        return box

    def _add_ticks(self, title: str, tip: str, none: str) -> TickMenu:
        menu = TickMenu(title, none)
        menu.setToolTip(plain_tip(tip))
        self.add(title, menu)
        return menu

    def _add_note(self, attribute: str) -> None:
        self.notes[attribute] = self.note()
        self.notes[attribute].hide()

    def _enter_lines(self, attribute: str, field: QPlainTextEdit) -> None:
        text = field.toPlainText()
        if attribute == "examples":
            self.edited.emit({attribute: tuple(line.strip() for line in text.splitlines() if line.strip())})
        else:
            self.edited.emit({attribute: " ".join(text.split())})


class KeyedPartForm(PartForm):
    """A form of a part with a key.

    Signals:
        named (str): another name.
        keyed (str): another key, once it is typed; "" for one from the name.
    """

    named = Signal(str)
    keyed = Signal(str)

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.name = self._add_line("name", tr("Name"), tr("What annotators read"))
        self.name.textEdited.disconnect()
        self.name.textEdited.connect(self.named)
        self.key = self._add_line("key", tr("Key"), tr("Stands in exports; made from the name until it is changed"))
        self.key.textEdited.disconnect()
        self.key.editingFinished.connect(self._enter_key)

    def _enter_key(self) -> None:
        if self.key.isModified():
            self.key.setModified(False)
            self.keyed.emit(self.key.text().strip())

    def _fill_names(self, name: str, key: str) -> None:
        fill_line(self.name, name)
        fill_line(self.key, key)


class ShortcutEdit(QLineEdit):
    """A line for a key: a letter or digit that is typed takes the place of the one before."""

    def __init__(self) -> None:
        super().__init__(placeholderText=tr("none"))
        self.setMaxLength(20)
        self.setMaximumWidth(theme.GRID * 12)
        self.textEdited.connect(self._take_last)

    def _take_last(self, text: str) -> None:
        if text and "+" not in text:
            with QSignalBlocker(self):
                self.setText(text[max(0, self.cursorPosition() - 1)].upper())


class TrackForm(KeyedPartForm):
    """The form of a track."""

    def __init__(self) -> None:
        super().__init__(tr("Track"))
        self.definition = self._add_lines("definition", tr("Definition"), tr("What the track is for"))
        self.extent = self._add_choice("extent", tr("Segments cover"), tr("How much a segment takes"), EXTENT_NAMES)
        self.parent_track = self.choice(
            tr("Inside"), tr("What each segment lies inside of: ELAN calls it the parent tier"), compact=True
        )
        self.parent_track.activated.connect(self._enter_parent)
        self._add_note("parent")
        self.constraint = self._add_choice(
            "constraint", tr("How"), tr("How segments lie in it: ELAN calls it a constraint"), CONSTRAINT_NAMES
        )
        self.coding = self.tick(
            tr("One label at a time"), tr("Coding while it plays, a label ends the one that is open"), title=""
        )
        self.sampling = self.choice(
            tr("Samples"), tr("Time sampling: a label every so many seconds"), SAMPLING_NAMES, compact=True
        )
        self.sampling.activated.connect(self._enter_sampling)
        self._add_note("sampling")
        self.every = line_edit(tr("Seconds between samples"), tip=tr("How many seconds from sample to sample"))
        self.every.textEdited.connect(self._enter_sampling)
        self.add(tr("Every (s)"), self.every)
        self.coding.clicked.connect(lambda on: self.edited.emit({"coding": "one" if on else "several"}))
        self._add_note("labels")

    def show_track(self, track: Track, segments: int, scheme: Scheme) -> None:
        """Show a track of a scheme; what it covers stays while it has segments."""
        self._fill_names(track.name, track.key)
        fill_lines(self.definition, track.definition)
        self.extent.choose(track.extent)
        others = {
            f"{_IN_TRACK}{key}": tr("A segment of {track}").format(track=name) for key, name in _parents(scheme, track)
        }
        self.parent_track.offer({"": tr("Nothing"), _IN_UTTERANCE: tr("An utterance of the transcript"), **others})
        self.parent_track.choose(f"{_IN_TRACK}{track.parent}" if track.parent else track.inside)
        self.constraint.choose(track.constraint)
        self._layout.setRowVisible(self.constraint, bool(track.parent or track.inside))
        self.coding.setChecked(track.coding == "one")
        sampling = track.sampling
        self.sampling.choose("" if sampling is None else sampling.kind)
        if sampling is not None and parse_number(self.every.text()) != sampling.every:
            fill_line(self.every, f"{sampling.every:g}")
        self._layout.setRowVisible(self.every, sampling is not None)
        for field in (self.extent, self.parent_track, self.constraint, self.sampling, self.every):
            field.setEnabled(not segments)
            if segments:
                field.setToolTip(tr("It stays as it is while the track has segments: add another track instead"))

    def _enter_sampling(self) -> None:
        kind = self.sampling.key()
        every = parse_number(self.every.text())
        if not kind:
            self.edited.emit({"sampling": None})
            return
        wanted = SamplingKind(kind)
        self.edited.emit(
            {
                "sampling": Sampling(_USUAL_INTERVAL_S if every is None else every, wanted),
                "extent": Extent.POINT if wanted is SamplingKind.INSTANTANEOUS else Extent.SPAN,
                "inside": "",
                "parent": "",
            }
        )

    def _enter_parent(self) -> None:
        key = self.parent_track.key()
        self.edited.emit(
            {
                "inside": key if key == _IN_UTTERANCE else "",
                "parent": key.removeprefix(_IN_TRACK) if key.startswith(_IN_TRACK) else "",
            }
        )


def _parents(scheme: Scheme, track: Track) -> Iterator[tuple[str, str]]:
    """Yield key and name of the tracks that a track can depend on: intervals that do not depend on it."""
    below = {track.key}
    for _ in scheme.tracks:
        below |= {other.key for other in scheme.tracks if other.parent in below}
    for other in scheme.tracks:
        if other.key not in below and other.extent in (Extent.SPAN, Extent.EITHER):
            yield other.key, other.name


class LabelForm(KeyedPartForm):
    """The form of a label.

    Signals:
        retired (bool): offer it no more, or again.
    """

    retired = Signal(bool)

    def __init__(self) -> None:
        super().__init__(tr("Label"))
        self.shortcut = ShortcutEdit()
        describe(self.shortcut, tr("Shortcut"), tr("The key that makes a segment with this label"))
        self.shortcut.textEdited.connect(lambda _text: self.edited.emit({"shortcut": self.shortcut.text().strip()}))
        self.add(tr("Shortcut"), self.shortcut)
        self._add_note("shortcut")
        self.colour = self._add_choice("colour", tr("Colour"), tr("The colour of its segments"), {})
        self.colour.activated.disconnect()
        self.colour.activated.connect(self._choose_colour)
        self.pattern = self._add_choice("pattern", tr("Pattern"), tr("What its segments show"), _PATTERN_NAMES)
        self.definition = self._add_lines("definition", tr("Definition"), tr("What it means, in a sentence"))
        self.examples = self._add_lines("examples", tr("Examples"), tr("One on each line"))
        self.hint = self._add_line("hint", tr("For annotators"), tr("How annotators work with it; no judge is told"))
        self.is_retired = self.tick(
            tr("Retired"), tr("Segments that have it keep it; no other segment gets it"), title=""
        )
        self.is_retired.clicked.connect(self.retired)
        self._colour = ""

    def show_label(self, label: Label) -> None:
        """Show a label."""
        self._colour = label.colour
        self._fill_names(label.name, label.key)
        fill_line(self.shortcut, label.shortcut)
        self.shortcut.setEnabled(not label.retired)
        self._offer_colours()
        self.pattern.choose(label.pattern)
        fill_lines(self.definition, label.definition)
        fill_lines(self.examples, "\n".join(label.examples))
        fill_line(self.hint, label.hint)
        self.is_retired.setChecked(label.retired)

    def _offer_colours(self) -> None:
        names = dict(_COLOUR_NAMES)
        names.setdefault(self._colour, self._colour)
        self.colour.offer({**names, _OTHER_COLOUR: tr("Other…")})
        for place, colour in enumerate(names):
            if colour:
                self.colour.setItemIcon(place, _swatch(colour))
        self.colour.choose(self._colour)

    def _choose_colour(self) -> None:
        chosen = self.colour.key()
        if chosen == _OTHER_COLOUR:
            before = QColor(self._colour if self._colour.startswith("#") else "#4f8fd6")
            picked = QColorDialog.getColor(before, self, tr("Colour of the label"))
            chosen = picked.name() if picked.isValid() else self._colour
        self._colour = chosen
        self._offer_colours()
        self.edited.emit({"colour": chosen})


def fill_line(line: QLineEdit, text: str) -> None:
    """Show a text where it differs, so that the cursor stays in what is being typed."""
    if line.text().strip() != text.strip():
        line.setText(text)
        line.setCursorPosition(0)


def fill_lines(field: QPlainTextEdit, text: str) -> None:
    """Show a text of several lines where it differs, without a signal."""
    if " ".join(field.toPlainText().split()) != " ".join(text.split()):
        with QSignalBlocker(field):
            field.setPlainText(text)


def parse_number(text: str) -> int | float | None:
    """Return the number that a text says, a whole one where it is; None where it says none."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return None if not math.isfinite(number) else int(number) if number.is_integer() else number


def _swatch(colour: str) -> QIcon:
    picture = QPixmap(14, 14)
    picture.fill(label_ink(LabelLook("", "", colour, Pattern.SOLID, Sign.TICK), theme.palette()))
    return QIcon(picture)
