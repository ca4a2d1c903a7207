"""Recall of personal information by kind and language, on sentences that no rule was tuned on.

`python -m tools.bench.pii_languages` prints the table of the page on personal information, `--names` the one with the
models of names that are installed; `--development` measures the sentences that rules are tuned on, and lists what is
missed there. What is missed in the held-out ones is never listed.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_hit import PiiMatch
from anonymize.pii_detection.text_languages import detect_language
from models.names import name_finders as registry
from models.names.name_finders import NameFinder, NamesByLanguage

LANGUAGES = {"en": "English", "de": "German", "es": "Spanish", "fr": "French", "zh": "Chinese"}
KINDS = {
    "date": "dates",
    "spoken-date": "dates spoken without a month's name",
    "card": "cards",
    "iban": "IBANs",
    "identity": "identity numbers",
    "phone": "telephone numbers",
    "spoken": "spoken numbers",
    "email": "e-mail addresses",
    "address": "addresses, postal codes",
    "name": "names of persons",
    "place": "towns",
}
HELD_OUT, DEVELOPMENT = "held_out", "development"
_SENTENCES = Path(__file__).parents[2] / "tests" / "pii"

# “the”, “am”, “le”, “el” before a date are marked with it and say nothing.
_LITTLE_WORDS = re.compile(r"(?:(?:the|on|am|der|den|el|le|del|du)\s+)*", re.IGNORECASE)

Find = Callable[[str], Sequence[PiiMatch]]
Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the stretches of it that are personal: start, end, kind."""

    text: str
    spans: tuple[Span, ...]


@dataclass
class Recall:
    """Counts over the sentences of a language.

    Attributes:
        spans: personal stretches, by kind.
        touched: those of which a hit hides a part.
        whole: those of which hits hide every letter and digit.
        hits: stretches that were found.
        right: those that overlap a personal one.
        clean: sentences without anything personal.
        alarms: those in which something was found.
        missed: sentences with a stretch that is not hidden as a whole, and the clean ones with an alarm.
    """

    spans: Counter[str] = field(default_factory=Counter)
    touched: Counter[str] = field(default_factory=Counter)
    whole: Counter[str] = field(default_factory=Counter)
    hits: int = 0
    right: int = 0
    clean: int = 0
    alarms: int = 0
    missed: list[str] = field(default_factory=list)


def sentences(language: str, part: str = HELD_OUT) -> list[Sentence]:
    """Return the sentences of a language."""
    lines = (_SENTENCES / part / f"{language}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Sentence(row["text"], tuple((a, b, kind) for a, b, kind in row["spans"])) for row in rows]


def measure(cases: Sequence[Sentence], find: Find) -> Recall:
    """Count what is found in sentences."""
    made = Recall()
    for case in cases:
        hits = find(case.text)
        hidden = {at for hit in hits for at in range(hit.start, hit.end)}
        made.hits += len(hits)
        made.right += sum(any(hit.start < end and start < hit.end for start, end, _ in case.spans) for hit in hits)
        if not case.spans:
            made.clean += 1
            made.alarms += bool(hits)
            if hits:
                made.missed.append(f"alarm: {case.text!r} {[hit.text for hit in hits]}")
        for start, end, kind in case.spans:
            first = _LITTLE_WORDS.match(case.text, start, end) if "date" in kind else None
            letters = {at for at in range(first.end() if first else start, end) if case.text[at].isalnum()}
            made.spans[kind] += 1
            made.touched[kind] += bool(letters & hidden)
            made.whole[kind] += letters <= hidden
            if not letters <= hidden:
                made.missed.append(f"{kind}: {case.text!r} hits {[(hit.kind, hit.text) for hit in hits]}")
    return made


def table(found: dict[str, Recall]) -> list[str]:
    """Return the lines of a Markdown table: hidden as a whole of those that are there, by kind and language."""
    lines = ["| hidden as a whole | " + " | ".join(LANGUAGES[name] for name in found) + " |"]
    lines.append("|---" * (len(found) + 1) + "|")
    for kind, title in KINDS.items():
        cells = [
            f"{recall.whole[kind]}/{recall.spans[kind]}" if recall.spans[kind] else "" for recall in found.values()
        ]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    every = found.values()
    for title, cells in (
        ("all", [f"{recall.whole.total()}/{recall.spans.total()}" for recall in every]),
        ("at least a part of it hidden", [f"{recall.touched.total()}/{recall.spans.total()}" for recall in every]),
        ("of the places found, right", [f"{recall.right}/{recall.hits}" for recall in every]),
        ("clean sentences with a false alarm", [f"{recall.alarms}/{recall.clean}" for recall in every]),
    ):
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def _models() -> NameFinder | None:
    """Return the models of names that are installed, each for the texts of its language."""
    names = registry.default_finders()
    if names is None:
        return None
    made = registry.create_name_finder(names)
    if isinstance(made, NamesByLanguage):
        made.language_of = detect_language
    print(f"with {names}\n")
    return made


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--names", action="store_true", help="with the models of names that are installed")
    options = parser.parse_args()
    part = DEVELOPMENT if options.development else HELD_OUT
    finder = PersonalFinder(names=_models() if options.names else None)
    found = {name: measure(sentences(name, part), finder.find) for name in LANGUAGES}
    print("\n".join(table(found)))
    if part == DEVELOPMENT:
        for name, recall in found.items():
            print("\n".join(f"{name} {line}" for line in recall.missed))


if __name__ == "__main__":
    main()
