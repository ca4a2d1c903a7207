"""Writes a set of questions to a folder, whole or not at all; what it needs of the study is given."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from anonymize.folding import fold
from anonymize.text import Words
from app.core.questions.dataset.card import NAME
from app.core.questions.dataset.gathering import Gathering, Item
from app.core.questions.dataset.media import Shown
from app.core.questions.dataset.splits import SPLITS
from app.core.questions.dataset.vlmevalkit import write_table
from app.core.release.manifest import set_times
from app.core.release.private import Private
from app.core.release.staging import require_free, staged
from project.errors import UserError
from project.progress import Progress
from project.timebase import SECOND
from project.types import Json
from resources import resource

JSONL, VLMEVALKIT = "jsonl", "vlmevalkit"
FORMATS = (JSONL, VLMEVALKIT)
"""What a set can be written as; questions and chains as JSON lines are always there."""
_AT_ONCE = 200
"""Texts between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        by_split: split -> questions.
        by_kind: kind -> questions.
        recordings: code -> split.
        by_recording: code -> questions.
        chains: how many.
        left_out: why -> questions.
        replaced: places of texts that were taken out.
        files: paths in the folder.
        verified_only: unverified questions and those that are out of date were left out.
    """

    by_split: Mapping[str, int]
    by_kind: Mapping[str, int]
    recordings: Mapping[str, str]
    by_recording: Mapping[str, int]
    chains: int
    left_out: Mapping[str, int]
    replaced: int
    files: tuple[str, ...]
    verified_only: bool

    @property
    def questions(self) -> int:
        """Of all splits."""
        return sum(self.by_split.values())


@dataclass(frozen=True, slots=True)
class Ready:
    """A set that is about to be written: everything that the study has to say, so that a thread can do the rest.

    Attributes:
        splits: code of a recording -> its split.
        shown: code of a recording -> what of a release shows it.
        card: text of the data card.
        private: what must not stand in it.
    """

    gathering: Gathering
    formats: tuple[str, ...]
    splits: Mapping[str, str]
    shown: Mapping[str, Shown]
    card: str
    private: Private


def write(ready: Ready, folder: Path, progress: Progress) -> Exported:
    """Write a set, whole or not at all; it needs no study.

    Raises:
        UserError: the folder is not free or cannot be written to, or a private word was left in a text.
        Cancelled: the user stopped it. Then nothing is written.
    """
    require_free(folder)
    _refuse_private(ready, progress)
    with staged(folder) as temporary:
        files = _write(temporary, ready)
        set_times(temporary)
        progress.check_cancelled()
    counts = Counter(one.recording for one in ready.gathering.items)
    splits = ready.splits
    return Exported(
        {split: sum(counts[one] for one in splits if splits[one] == split) for split in SPLITS},
        dict(sorted(Counter(one.kind for one in ready.gathering.items).items())),
        splits,
        dict(sorted(counts.items())),
        len(ready.gathering.chains),
        ready.gathering.left_out,
        ready.gathering.replaced,
        tuple(files),
        ready.gathering.verified_only,
    )


def _write(folder: Path, ready: Ready) -> list[str]:
    gathering, splits, shown = ready.gathering, ready.splits, ready.shown
    for split in SPLITS:
        there = [one for one in gathering.items if splits[one.recording] == split]
        _lines(folder / f"{split}.jsonl", (_question(one, split, shown) for one in there))
    _lines(folder / "chains.jsonl", ({**one.as_json, "split": splits[one.recording]} for one in gathering.chains))
    (folder / NAME).write_text(ready.card, "utf-8", newline="\n")
    (folder / "load.py").write_text(resource("question-data-set", "load.py").read_text("utf-8"), "utf-8", newline="\n")
    if VLMEVALKIT in ready.formats:
        place = folder / "vlmevalkit"
        place.mkdir()
        write_table(place / "questions.tsv", gathering.items, splits, shown)
    return sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())


def _question(one: Item, split: str, shown: Mapping[str, Shown]) -> dict[str, Json]:
    seen = shown.get(one.recording)
    media: dict[str, Json] = {"recording": one.recording, "start": one.start_us / SECOND, "end": one.end_us / SECOND}
    if seen is not None:
        pictures: list[Json] = [*seen.during(one.start_us, one.end_us)]
        media |= {"method": seen.method, "clip": seen.clip or None, "pictures": pictures}
    return {
        "id": one.id,
        "split": split,
        "kind": one.kind,
        "aspect": one.aspect,
        "question": one.text,
        "options": [*one.options],
        "letter": one.letter,
        "answer": one.answer,
        "explanation": one.explanation,
        "chain": one.chain,
        "covers": [*one.covers],
        "maker": one.maker,
        "difficulty": one.difficulty,
        "verified": one.verified,
        "stale": one.stale,
        "media": media,
    }


def _lines(path: Path, rows: Iterable[Mapping[str, Json]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for one in rows:
            file.write(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n")


def _refuse_private(ready: Ready, progress: Progress) -> None:
    """Look once more for what must not leave, in what is about to."""
    words = Words(dict.fromkeys(ready.private.words, "-"))
    texts = [fold(one).text for one in ready.private.texts]
    said = [*dict.fromkeys(one.after for one in ready.gathering.texts)]
    said += dict.fromkeys(who for one in ready.gathering.chains for who in one.people)
    for at, text in enumerate(said):
        if at % _AT_ONCE == 0:
            progress.check_cancelled()
            progress.progress(at, len(said), "Searching the texts for private words")
        folded = fold(text).text
        if any(True for _ in words(text)) or any(one in folded for one in texts):
            raise UserError(
                "A name that must not leave still stands in a question or a chain.",
                "Search for it and decide: Speech > Personal information.",
            )
