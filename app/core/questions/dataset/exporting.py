"""Writes a set of questions to a folder, whole or not at all."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonymize.folding import fold
from anonymize.text import Words
from app.core.questions.dataset.card import NAME, card
from app.core.questions.dataset.gathering import Gathering, Item, gather
from app.core.questions.dataset.media import Shown, shown_in
from app.core.questions.dataset.splits import SPLITS, splits_of
from app.core.questions.dataset.vlmevalkit import write_table
from app.core.questions.hardening.funnel import survives
from app.core.questions.verifying import agreement
from app.core.release.manifest import set_times
from app.core.release.private import private_of
from app.core.release.staging import require_free, staged
from app.core.session import Session
from project.errors import UserError
from project.timebase import SECOND
from project.types import Json
from resources import resource

JSONL, VLMEVALKIT = "jsonl", "vlmevalkit"
FORMATS = (JSONL, VLMEVALKIT)
"""What a set can be written as; questions and chains as JSON lines are always there."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        by_split: split -> questions.
        by_kind: kind -> questions.
        recordings: code -> split.
        chains: how many.
        left_out: why -> questions.
        replaced: places of texts that were taken out.
        files: paths in the folder.
    """

    by_split: Mapping[str, int]
    by_kind: Mapping[str, int]
    recordings: Mapping[str, str]
    chains: int
    left_out: Mapping[str, int]
    replaced: int
    files: tuple[str, ...]

    @property
    def questions(self) -> int:
        """Of all splits."""
        return sum(self.by_split.values())


def export_questions(
    session: Session,
    folder: Path,
    *,
    formats: Sequence[str] = (JSONL,),
    everything: bool = False,
    seed: int = 0,
    release: Path | None = None,
) -> Exported:
    """Write the questions that may leave to a new folder: by split, with chains, a data card and a loader.

    Args:
        session: of the study; it has to be writable where it has no key of releases yet.
        folder: that is not there or empty.
        formats: of `FORMATS`.
        everything: also questions that are not verified or out of date; each says so.
        seed: of the splits.
        release: folder of a release of the study, whose clips and pictures are referred to; None for none.

    Raises:
        UserError: there is nothing that may leave, the folder is not free, the release is none of this study, or a
            private word was left in a text. Then nothing is written.
    """
    require_free(folder)
    gathering = gather(session, everything=everything)
    if not gathering.items:
        why = "; ".join(f"{many}: {reason}" for reason, many in sorted(gathering.left_out.items()))
        raise UserError(
            f"No question may leave. {why or 'There are none'}.", "Verify questions first: greenroom questions verify"
        )
    _refuse_private(session, gathering)
    counts = Counter(one.recording for one in gathering.items)
    splits = splits_of(counts, seed)
    shown = {} if release is None else shown_in(session, release, gathering.recordings)
    alive = survives(session)
    said = card(
        gathering,
        splits,
        shown,
        agreement(session, gathering.question_ids),
        seed,
        sum(one in alive for one in gathering.question_ids),
    )
    with staged(folder) as temporary:
        files = _write(temporary, gathering, splits, shown, said, formats)
        set_times(temporary)
    return Exported(
        {split: sum(counts[one] for one in splits if splits[one] == split) for split in SPLITS},
        dict(sorted(Counter(one.kind for one in gathering.items).items())),
        splits,
        len(gathering.chains),
        gathering.left_out,
        gathering.replaced,
        tuple(files),
    )


def _write(
    folder: Path,
    gathering: Gathering,
    splits: Mapping[str, str],
    shown: Mapping[str, Shown],
    said: str,
    formats: Sequence[str],
) -> list[str]:
    for split in SPLITS:
        there = [one for one in gathering.items if splits[one.recording] == split]
        _lines(folder / f"{split}.jsonl", (_question(one, split, shown) for one in there))
    _lines(folder / "chains.jsonl", ({**one.as_json, "split": splits[one.recording]} for one in gathering.chains))
    (folder / NAME).write_text(said, "utf-8", newline="\n")
    (folder / "load.py").write_text(resource("question-data-set", "load.py").read_text("utf-8"), "utf-8", newline="\n")
    if VLMEVALKIT in formats:
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


def _refuse_private(session: Session, gathering: Gathering) -> None:
    """Look once more for what must not leave, in what is about to."""
    private = private_of(session)
    words = Words(dict.fromkeys(private.words, "-"))
    texts = [fold(one).text for one in private.texts]
    said = [text for one in gathering.items for text in (one.text, one.explanation, *one.options)]
    said += [text for one in gathering.chains for text in one.texts]
    for text in dict.fromkeys(said):
        folded = fold(text).text
        if any(True for _ in words(text)) or any(one in folded for one in texts):
            raise UserError(
                "A name that must not leave still stands in a question or a chain.",
                "Search for it and decide: Speech > Personal information.",
            )
