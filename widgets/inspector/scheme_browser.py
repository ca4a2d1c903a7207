"""Shows a scheme as rich text with label plates, for the guidelines beside the form and for the schemes window."""

from collections.abc import Iterator, Mapping
from html import escape

from PySide6.QtCore import QRectF, QSize, Qt, QUrl
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from project.entities.study_records import Json
from project.schemes.scheme import (
    CHOICE_KINDS,
    NUMERIC_KINDS,
    Example,
    Extent,
    Field,
    FieldChoice,
    FieldKind,
    Label,
    SamplingKind,
    Scheme,
    TierConstraint,
    Track,
)
from resources.translation import tr
from widgets import theme
from widgets.labels import LabelLook, label_looks, paint_plate, plate_size

_KINDS = {
    FieldKind.CHOICES: tr("several of these"),
    FieldKind.CHOICE: tr("one of these"),
    FieldKind.TEXT: tr("text"),
    FieldKind.SCALE: tr("a whole number"),
    FieldKind.SLIDER: tr("a number on a slider"),
    FieldKind.PARTICIPANT: tr("one of the recording's participants"),
}
_EXTENTS = {
    Extent.SPAN: "",
    Extent.RECORDING: tr("Its segments cover the whole recording."),
    Extent.EITHER: tr("Its segments cover the whole recording or a part of it."),
    Extent.POINT: tr("Its segments are points: moments without length."),
}
_SAMPLES = {
    SamplingKind.INSTANTANEOUS: tr("A sample every {every:g} s says what holds at that moment."),
    SamplingKind.PARTIAL: tr("A sample every {every:g} s says what happened in the interval before it."),
    SamplingKind.WHOLE: tr("A sample every {every:g} s says what lasted through the interval before it."),
}
_PLATE_HTML = '<img src="{}" style="vertical-align: middle">'


def guidelines_html(scheme: Scheme, track: Track) -> str:
    """Return what somebody who annotates on a track wants to look up."""
    parts = [f"<h3>{escape(track.name)}</h3>", *_paragraphs_html(track.definition)]
    parts += [_label_html(track, label) for label in track.labels]
    for field in scheme.fields_of(track.key):
        parts.append(_field_html(field, scheme))
    known = {label.key for label in track.labels}
    examples = [_example_html(scheme, example) for example in scheme.examples if example.label in known]
    if examples:
        parts += [tr("<h3>Worked examples</h3>"), *examples]
    return "".join(parts)


def scheme_html(scheme: Scheme) -> str:
    """Return everything that a scheme says."""
    parts = [
        f"<h2>{escape(scheme.name)}</h2>",
        tr("<p><tt>{key}</tt>, version {version}</p>").format(key=escape(scheme.key), version=scheme.version),
        *_paragraphs_html(scheme.definition),
    ]
    for track in scheme.tracks:
        told = [_EXTENTS[track.extent], _parent_text(scheme, track)]
        if track.sampling is not None:
            told.append(_SAMPLES[track.sampling.kind].format(every=track.sampling.every))
        parts.append(f"<h3>{_title_html(track.name, track.key, tr('Track'))}</h3>")
        parts += _paragraphs_html(" ".join(filter(None, (track.definition, *told))))
        parts += [_label_html(track, label) for label in track.labels]
    if scheme.fields:
        parts.append(tr("<h3>Form</h3>"))
    parts += [_field_html(field, scheme) for field in scheme.fields]
    if scheme.rules:
        parts.append(tr("<h3>Needed before a segment is complete</h3>"))
        parts += [f"<p>{line}</p>" for line in _rules_html(scheme)]
    if scheme.examples:
        parts.append(tr("<h3>Worked examples</h3>"))
    parts += [_example_html(scheme, example) for example in scheme.examples]
    return "".join(parts)


def _parent_text(scheme: Scheme, track: Track) -> str:
    """Return what the segments of a track lie inside of; "" for nothing."""
    if track.inside:
        text = tr("Its segments lie inside an utterance.")
    elif track.parent:
        above = scheme.track_or_empty(track.parent).name
        text = tr("Its segments lie inside those of “{track}”.").format(track=above)
    else:
        return ""
    free = track.constraint is TierConstraint.INCLUDED_IN
    return text if free else f"{text[:-1]} ({track.constraint})."


def value_text(value: Json, names: Mapping[str, str] | None = None) -> str:
    """Return a value as people read it; `names` gives what choices are called."""
    known = names or {}
    if isinstance(value, list):
        return ", ".join(value_text(item, known) for item in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return known.get(str(value), str(value)) if value is not None else ""


def _paragraphs_html(text: str) -> list[str]:
    return [f"<p>{escape(text)}</p>"] if text else []


def _title_html(name: str, key: str, word: str = "") -> str:
    before = f"{word}: " if word else ""
    return f"{before}{escape(name)} <tt>{escape(key)}</tt>"


def _key_html(shortcut: str) -> str:
    return f" <tt>[{escape(shortcut)}]</tt>" if shortcut else ""


def _examples_html(examples: tuple[str, ...]) -> str:
    return "".join(f"<br><i>{escape(example)}</i>" for example in examples)


def _label_html(track: Track, label: Label) -> str:
    plate = _PLATE_HTML.format(f"look:{escape(track.key)}/{escape(label.key)}")
    retired = tr("Retired: only segments that have it keep it.") if label.retired else ""
    told = " ".join(filter(None, (retired, label.definition, label.hint)))
    return f"<p>{plate}{_key_html(label.shortcut)}<br>{escape(told)}{_examples_html(label.examples)}</p>"


def _field_html(field: Field, scheme: Scheme) -> str:
    told = [_KINDS[field.kind]]
    if field.kind in NUMERIC_KINDS:
        step = tr(" in steps of {step:g}").format(step=field.step) if field.step != 1 else ""
        told[0] += tr(" from {minimum:g} to {maximum:g}{step}").format(
            minimum=field.minimum, maximum=field.maximum, step=step
        )
    if field.ends:
        told.append(
            tr("{minimum:g} is “{low_end}”, {maximum:g} is “{high_end}”").format(
                minimum=field.minimum,
                low_end=escape(field.ends[0]),
                maximum=field.maximum,
                high_end=escape(field.ends[1]),
            )
        )
    if field.only_for:
        told.append(tr("only for {listed}").format(listed=_list_html(_label_names(scheme), field.only_for)))
    if field.tracks:
        told.append(
            tr("only on {listed}").format(
                listed=_list_html({track.key: track.name for track in scheme.tracks}, field.tracks)
            )
        )
    title = f"<b>{escape(field.name)}</b>{_key_html(field.shortcut)} ({'; '.join(told)})"
    head = f"<p>{title}<br>{escape(' '.join(filter(None, (field.definition, field.hint))))}</p>"
    return head + ("".join(_choice_html(choice) for choice in field.choices) if field.kind in CHOICE_KINDS else "")


def _choice_html(choice: FieldChoice) -> str:
    told = " ".join(filter(None, (choice.definition, choice.hint)))
    said = f"<br>{escape(told)}" if told else ""
    name = f"<b>{escape(choice.name)}</b>{_key_html(choice.shortcut)}"
    return f'<p style="margin-left: 12px">{name}{said}{_examples_html(choice.examples)}</p>'


def _rules_html(scheme: Scheme) -> Iterator[str]:
    labels = _label_names(scheme)
    fields = {field.key: field.name for field in scheme.fields}
    tracks = {track.key: track.name for track in scheme.tracks}
    for rule in scheme.rules:
        on = tr(" on {escape}").format(escape=escape(tracks[rule.track])) if rule.track and len(tracks) > 1 else ""
        yield f"<b>{escape(labels[rule.label])}</b>{on}: {_list_html(fields, rule.needs)}"


def _label_names(scheme: Scheme) -> dict[str, str]:
    return {label.key: label.name for track in scheme.tracks for label in track.labels}


def _list_html(names: Mapping[str, str], keys: tuple[str, ...]) -> str:
    return escape(", ".join(names.get(key, key) for key in keys))


def _example_html(scheme: Scheme, example: Example) -> str:
    lines = [f"<b>{escape(example.title)}</b>", escape(example.situation)]
    lines.append(f"→ <b>{escape(_label_names(scheme)[example.label])}</b>")
    for key, value in example.values.items():
        field = scheme.field(key)
        names = {choice.key: choice.name for choice in field.choices}
        lines.append(f"{escape(field.name)}: {escape(value_text(value, names))}")
    if example.why:
        lines.append(f"<i>{escape(example.why)}</i>")
    return f"<p>{'<br>'.join(lines)}</p>"


_LOOK_URL = "look:"
_PLATE_BOTTOM_PX = 4
"""Pixels free below a plate: its middle is at the middle of the letters beside it, and not on their line."""


class SchemeBrowser(QTextBrowser):
    """Words to read, to select and to copy."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looks: dict[str, LabelLook] = {}
        self._html = ""
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.document().setDocumentMargin(theme.GRID * 1.5)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus | Qt.FocusPolicy.TabFocus)
        theme.notifier.changed.connect(self._draw)

    def show_guidelines(self, scheme: Scheme, track: Track) -> None:
        """Show what somebody who annotates on a track wants to look up."""
        self._show(scheme, guidelines_html(scheme, track))

    def show_scheme(self, scheme: Scheme) -> None:
        """Show everything that a scheme says."""
        self._show(scheme, scheme_html(scheme))

    def show_html(self, html: str) -> None:
        """Show rich text without labels."""
        self._looks = {}
        self._html = html
        self._draw()

    def _show(self, scheme: Scheme, html: str) -> None:
        looks = {f"{track.key}/{look.key}": look for track in scheme.tracks for look in label_looks(track)}
        if (looks, html) != (self._looks, self._html):
            self._looks, self._html = looks, html
            self._draw()

    def _draw(self) -> None:
        colours = theme.palette()
        self.document().setDefaultStyleSheet(
            f"tt {{ color: {colours.muted.name()}; font-weight: 400; }} a {{ color: {colours.accent.name()}; }}"
            # The bundled typeface has this weight; anything bolder would be made up.
            "b, h2, h3 { font-weight: 600; }"
        )
        self.document().clear()
        for place, look in self._looks.items():
            self.document().addResource(
                QTextDocument.ResourceType.ImageResource, QUrl(f"{_LOOK_URL}{place}"), self._plate_pixmap(look)
            )
        at = self.verticalScrollBar().value()
        self.setHtml(self._html)
        self.verticalScrollBar().setValue(at)

    def _plate_pixmap(self, look: LabelLook) -> QPixmap:
        scale = self.devicePixelRatioF()
        size = plate_size(QFontMetricsF(theme.font(semibold=True)).horizontalAdvance(look.name))
        pixmap = QPixmap(QSize(size.width(), size.height() + _PLATE_BOTTOM_PX) * scale)
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint_plate(painter, look, QRectF(0, 0, size.width(), size.height()))
        painter.end()
        return pixmap
