"""The rest of what can be set for a question: what a judge sees, the seed, and what asking may cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.judging.runs.budget import Limits
from app.core.judging.seeing.plan import RULES, SightSettings
from app.gui.option_form import OptionForm
from project.limits import chosen, limited
from project.types import Json
from resources.translation import tr

_SIGHT = SightSettings()


def _or_none(none: str, default: float, maximum: float, title: str, description: str) -> Any:
    """Return a field for a number whose lowest value, its default, stands for none."""
    metadata = {"minimum": default, "maximum": maximum, "title": title, "description": description, "none": none}
    return field(default=default, metadata=metadata)


def _ticked(default: bool, title: str, description: str) -> Any:
    return field(default=default, metadata={"title": title, "description": description})


@dataclass(frozen=True)
class More:
    """What can be set under *More*.

    Attributes:
        frames: for every judge; 0 for as many as each is set to.
        money: that asking may cost, in the currency of the judges' prices; 0 for no limit.
        tokens: that asking may take; 0 for no limit.
    """

    frames: int = _or_none(tr("as each is set"), 0, 64, tr("Frames"), tr("Of the segment, for every judge."))
    longest_side: int = limited(_SIGHT.longest_side, 64, 4096, tr("Longest side"), tr("Of a frame, in pixels."))
    quality: int = limited(_SIGHT.quality, 10, 100, tr("JPEG quality"), tr("Of the frames; more is larger."))
    rule: str = chosen(_SIGHT.rule, RULES, tr("Which frames"), tr("Inside equal parts, or from the first to the last."))
    stamps: bool = _ticked(_SIGHT.stamps, tr("Times of frames"), tr("Tell when each frame was taken."))
    before: int = limited(_SIGHT.before, 0, 100, tr("Turns before"), tr("What was said before the segment, in turns."))
    cues: bool = _ticked(_SIGHT.cues, tr("Cues"), tr("Tell the cues that people marked, inside the turns."))
    seed: int = limited(0, 0, 2_000_000_000, tr("Seed"), tr("Another one repeats the question as a new one."))
    money: float = _or_none(tr("no limit"), 0.0, 100_000.0, tr("Most money"), tr("That asking may cost at once."))
    tokens: int = _or_none(tr("no limit"), 0, 2_000_000_000, tr("Most tokens"), tr("That asking may take at once."))


class MoreForm(QWidget):
    """Shows `More`.

    Signals:
        changed: a value is another one.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.form = OptionForm(More, {})
        self._column.addWidget(self.form)
        self.form.changed.connect(self.changed)

    def restore(self, values: Mapping[str, Json]) -> None:
        """Fill in what was filled in before; what does not fit is as by default."""
        defaults = More()
        fit = {key: value for key, value in values.items() if type(value) is type(getattr(defaults, key, None))}
        self._column.removeWidget(self.form)
        self.form.deleteLater()
        self.form = OptionForm(More, fit)
        self._column.addWidget(self.form)
        self.form.changed.connect(self.changed)

    def values(self) -> dict[str, Json]:
        """Return what is filled in."""
        return self.form.values()

    def sight(self) -> SightSettings:
        """Return what a judge sees."""
        found = self.values()
        return SightSettings(
            before=cast(int, found["before"]),
            cues=found["cues"] is True,
            longest_side=cast(int, found["longest_side"]),
            quality=cast(int, found["quality"]),
            rule=str(found["rule"]),
            stamps=found["stamps"] is True,
        )

    def frames(self) -> int | None:
        """Return how many frames every judge gets; None for as many as each is set to."""
        return cast(int, self.values()["frames"]) or None

    def seed(self) -> int:
        """Return the seed of the sampling."""
        return cast(int, self.values()["seed"])

    def limits(self) -> Limits:
        """Return what asking may cost."""
        found = self.values()
        return Limits(cast(float, found["money"]) or None, cast(int, found["tokens"]) or None)
