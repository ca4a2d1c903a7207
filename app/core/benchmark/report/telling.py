"""What of answers and traits may be told: keys of schemes, letters, numbers. Never what somebody wrote."""

from collections.abc import Iterable, Mapping

from app.core.benchmark.report.naming import tells_of
from app.core.session import Session
from benchmark.dimensions import DIMENSIONS
from benchmark.questions.base import ASPECTS_OF_PATHS
from benchmark.tasks.esi_dimensions import DIMENSIONS as ESI_DIMENSIONS
from project.chains import NodeKind
from project.questions import QuestionKind
from project.schemes.loader import load_scheme, shipped_names
from project.schemes.scheme import Choice, Label
from project.types import Json

A_TEXT = "(text)"
"""In place of anything that was written."""
_OURS = (
    *("yes", "no", "true", "false", "none", "error", "competence", "agreed", "disagreed", "entailment"),
    *("contradiction", "neutral", "for", "against", "supporting", "opposing", "strong", "weak", "mild"),
    *("plain", "counterfactual", "raw", "user", "agent", "robot", "person", "unmarked", "annotated"),
)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PRIVATE = frozenset({"collection"})
"""Traits whose values a lab named, so that even a word of a scheme may be somebody's."""
LABEL = "label"
"""Stands for the field of a segment that a label is the value of."""
_MOST = 12
"""Numbers of one list that are told."""


class Telling:
    """Knows the words that a report may use, and what people read for them."""

    def __init__(self, session: Session) -> None:
        words = {
            *_OURS,
            *_LETTERS,
            *_LETTERS.lower(),
            *DIMENSIONS,
            *ESI_DIMENSIONS,
            *ASPECTS_OF_PATHS,
            *NodeKind,
            *QuestionKind,
        }
        for scheme in (*session.schemes, *(load_scheme(key) for key in shipped_names())):
            words.add(scheme.key)
            for track in scheme.tracks:
                words |= {track.key, *(label.key for label in track.labels)}
            for field in scheme.fields:
                words |= {field.key, *(choice.key for choice in field.choices)}
        self._words = frozenset(str(one) for one in words)
        self._titles = _titles(session)

    def told(self, answer: Mapping[str, Mapping[str, Json]], *, titles: bool = False) -> str:
        """Return an answer, or what is right, with everything left out that is written text; in keys or `titles`."""
        parts = []
        for key, fields in answer.items():
            part = key.partition("/")[2]
            said = [self._field(name, value, titles) for name, value in fields.items()]
            known = [one for one in said if one]
            parts.append((f"{self.word(part)}: " if part and len(answer) > 1 else "") + ", ".join(known))
        return "; ".join(one for one in parts if one)

    def title(self, field: str, key: str) -> str:
        """Return what people read for a word of a field, or of the labels, whose field is `label`."""
        plain = key.replace("_", " ").capitalize() if key.islower() else key
        return self._titles.get((field, key), plain)

    def word(self, text: str) -> str:
        """Return a word that may be told; others give way to the remark that there was one."""
        return text if text in self._words or text.isdecimal() else A_TEXT

    def knows(self, text: str) -> bool:
        """Tell whether a text may stand in a report as it is."""
        return self.word(text) == text

    def _field(self, name: str, value: Json, titles: bool) -> str:
        def word(key: str) -> str:
            return self.title(name, key) if titles else key

        if isinstance(value, bool):
            return f"{self._name(name)}{'yes' if value else 'no'}"
        if isinstance(value, int | float):
            return f"{self._name(name)}{value:g}"
        if isinstance(value, str):
            return f"{self._name(name)}{word(value)}" if self.knows(value) else ""
        if isinstance(value, list):
            known = [str(one) for one in value[:_MOST] if isinstance(one, str | int | float) and self.knows(str(one))]
            return " + ".join(map(word, known)) if known or value else f"{self._name(name)}nothing"
        return ""

    def _name(self, name: str) -> str:
        """Return the name of a field before its value, where the value does not speak for itself."""
        return f"{name} " if name in self._words and name not in ("label", "error") else ""


def _titles(session: Session) -> dict[tuple[str, str], str]:
    """Return field and key -> name of labels and choices; where schemes differ, as the one says that is used first."""
    tells = tells_of(session)
    found: dict[tuple[str, str], str] = {}
    for scheme in (*session.schemes, *(load_scheme(key) for key in shipped_names())):
        named: list[tuple[str, Label | Choice]] = [(LABEL, one) for track in scheme.tracks for one in track.labels]
        named += [(field.key, one) for field in scheme.fields for one in field.choices]
        for field_key, one in named:
            if not tells(one.name):
                found.setdefault((field_key, one.key), one.name)
    return found


def parts_called(telling: Telling, parts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return trait and value -> how the report calls the value: as it is, or a number where it may tell somebody."""
    found: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    for trait, value in parts:
        if (trait, value) in found:
            continue
        if trait not in _PRIVATE and telling.knows(value):
            found[trait, value] = value
        else:
            counts[trait] = counts.get(trait, 0) + 1
            found[trait, value] = f"{trait} {counts[trait]}"
    return found
