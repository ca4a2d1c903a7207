"""The data card of a set of questions, from a template with named slots.

What a released recording can be seen in: clips and pictures of a release of the same study, never the recording. Splits
of a data set that keep each recording in one of them, balanced by questions.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from annotate.interchange.bounded_files import damaged, read_text
from anonymize.release.release_plan import release_key, sealed
from benchmark.dataset.question_selection import DatasetContents
from benchmark.questions.verification import Agreement
from project.errors import UserError
from project.files.publication import NAME as MANIFEST_NAME
from project.queries.face_rows import mask_state
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.text_format import counted
from project.timebase import SECOND
from resources import resource

MOST_PICTURES = 16
"""Pictures of a question; R3-VQA and ESI-Bench show so many."""
_LARGEST = 64_000_000
_CLIP = re.compile(r"video-(?:source|15hz)/([a-z0-9_-]+)/(recording-\d{4,})\.mp4")
_PICTURE = re.compile(r"frames-1hz/([a-z0-9_-]+)/(recording-\d{4,})/(\d{5})\.jpg")


@dataclass(slots=True)
class ReleasedMedia:
    """What a recording can be seen in, as paths in the folder of the release.

    Attributes:
        method: how faces are hidden in it.
        clip: path of the clip; "" for none.
        pictures: second -> path of the picture on screen then.
    """

    method: str = ""
    clip: str = ""
    pictures: dict[int, str] = field(default_factory=dict)

    def during(self, start_us: int, end_us: int) -> list[str]:
        """Return up to `MOST_PICTURES` pictures of a span, evenly over it; the one before it where it has none."""
        inside = [at for at in sorted(self.pictures) if start_us <= at * SECOND < end_us]
        if not inside:
            inside = [at for at in sorted(self.pictures) if at * SECOND <= start_us][-1:]
        count = min(MOST_PICTURES, len(inside))
        return [self.pictures[inside[(2 * at + 1) * len(inside) // (2 * count)]] for at in range(count)]


def shown_in(session: Session, release: Path, recordings: Sequence[str]) -> dict[str, ReleasedMedia]:
    """Return code of a recording -> what of a release shows it, for those of some recordings that the release holds.

    Of several methods the first by name is taken, of clips the one at the source's rate.

    Args:
        session: of the study that the release was made of.
        release: its folder.
        recordings: codes.

    Raises:
        UserError: the folder is no release, is one of another study, or was made before faces of it were edited.
    """
    manifest = _manifest(release)
    key = release_key(session)
    states = {f"recording-{one.number:04}": mask_state(session.study, one.id) for one in all_recordings(session.study)}
    found: dict[str, ReleasedMedia] = {}
    for entry in manifest["files"]:
        path = str(entry.get("path", ""))
        match = _CLIP.fullmatch(path) or _PICTURE.fullmatch(path)
        if match is None or match[2] not in recordings:
            continue
        method, code = match[1], match[2]
        source = manifest["sources"].get(code)
        if not isinstance(source, dict) or source.get("faces") != sealed(key, states.get(code, "")):
            raise UserError(
                f"{release.name} is a release of another study, or {code} was edited since.", "Make the release again."
            )
        one = found.setdefault(code, ReleasedMedia(method))
        if method != one.method:
            continue
        if match.re is _PICTURE:
            one.pictures[int(match[3])] = path
        elif not one.clip or path.startswith("video-source/"):
            one.clip = path
    for path in (path for one in found.values() for path in (one.clip, *one.pictures.values()) if path):
        if not (release / path).is_file():
            raise UserError(f"{path} is missing in {release.name}.", "Take a release that is whole.")
    return found


def _manifest(release: Path) -> dict[str, Any]:
    path = release / MANIFEST_NAME
    if not path.is_file():
        raise UserError(f"{release.name} is no release.", "Give the folder that greenroom release made.")
    try:
        found = json.loads(read_text(path, _LARGEST))
    except (ValueError, RecursionError):
        raise damaged(path, "it is no JSON") from None
    if (
        not isinstance(found, dict)
        or found.get("format") != "greenroom-release"
        or not isinstance(found.get("sources"), dict)
        or not isinstance(found.get("files"), list)
        or not all(isinstance(one, dict) for one in found["files"])
    ):
        raise damaged(path, "it is no manifest of a release")
    # In the order of their names, so that of several methods the same one is always taken.
    found["files"].sort(key=lambda one: str(one.get("path", "")))
    return found


SPLITS = {"train": 0.7, "validation": 0.15, "test": 0.15}
"""Split -> the share of all questions that it should have."""
_FIRST = ("train", "test", "validation")
"""Which split is served first where several have as little."""


def splits_of(questions: Mapping[str, int], seed: int) -> dict[str, str]:
    """Return recording -> split.

    Recordings are taken from those with most questions to those with fewest, in an order that the seed decides where
    they have as many; each goes where least of its share is there yet, so that every split gets recordings of every
    size. The same seed gives the same splits.

    Args:
        questions: recording -> how many questions are about it.
        seed: any number.
    """
    order = sorted(questions)
    random.Random(f"splits {seed}").shuffle(order)
    order.sort(key=lambda one: -questions[one])
    given = dict.fromkeys(SPLITS, 0)
    found: dict[str, str] = {}
    for one in order:
        split = min(_FIRST, key=lambda each: given[each] / SPLITS[each])
        found[one] = split
        given[split] += questions[one]
    return dict(sorted(found.items()))


NAME = "DATACARD.md"
_NONE = "None."
_LISTED = 20
"""Recordings that are named one by one."""


def card(
    gathering: DatasetContents,
    splits: Mapping[str, str],
    shown: Mapping[str, ReleasedMedia],
    agreement: Agreement,
    seed: int,
    survivors: int,
    read_by: str,
) -> str:
    """Return the text of a data card; what only people know is left to fill in, marked as such.

    Args:
        gathering: what the set holds.
        splits: code of a recording -> its split.
        shown: code of a recording -> what of a release shows it.
        agreement: of those who verified the questions of the set.
        seed: of the splits.
        survivors: how many questions of the set pass the filters of the study.
        read_by: code of who read all texts before they left.
    """
    items = gathering.items
    kinds = Counter((one.kind, splits[one.recording]) for one in items)
    order = [*dict.fromkeys(sorted(kind for kind, _ in kinds))]
    rows = [(kind, [kinds[kind, split] for split in SPLITS]) for kind in order]
    rows.append(("all", [sum(kinds[kind, split] for kind in order) for split in SPLITS]))
    places = Counter(one.letter for one in items)
    makers = Counter(one.maker for one in items)
    left = [f"- {counted(many, 'question')}: {why}." for why, many in sorted(gathering.left_out.items())]
    missing = sorted({*gathering.recordings} - {code for code, one in shown.items() if one.clip or one.pictures})
    slots = {
        "questions": counted(len(items), "question"),
        "recordings": counted(len(gathering.recordings), "recording"),
        "chains": counted(len(gathering.chains), "causal chain"),
        "table": "\n".join(f"| {kind} | {' | '.join(map(str, row))} | {sum(row)} |" for kind, row in rows),
        "columns": " | ".join(SPLITS),
        "rule": "|".join("---" for _ in range(len(SPLITS) + 2)),
        "per_split": ", ".join(
            f"{split}: {counted(sum(each == split for each in splits.values()), 'recording')}" for split in SPLITS
        ),
        "seed": str(seed),
        "letters": ", ".join(f"{letter} {places[letter]}" for letter in sorted(places)) or _NONE,
        "makers": ", ".join(f"{many} {_MAKERS[who]}" for who, many in sorted(makers.items())) or _NONE,
        "verified": str(sum(one.verified for one in items)),
        "unverified": str(sum(not one.verified for one in items)),
        "stale": str(sum(one.stale for one in items)),
        "turned_down": str(len(items) - survivors),
        "agreement": _agreement(agreement),
        "read_by": read_by,
        "replaced": str(gathering.replaced),
        "left_out": "\n".join(left) or _NONE,
        "media": _media(gathering.recordings, shown),
        "without_media": _listed(missing, len(gathering.recordings)),
    }
    return Template(resource("question-data-set", "card.md").read_text("utf-8")).substitute(slots)


_MAKERS = {"rules": "by rule templates", "judge": "by a language model", "person": "by a person"}


def _listed(codes: Sequence[str], of: int) -> str:
    if not codes:
        return "none"
    if len(codes) == of:
        return "all"
    more = f" and {len(codes) - _LISTED} more" if len(codes) > _LISTED else ""
    return ", ".join(codes[:_LISTED]) + more


def _agreement(found: Agreement) -> str:
    lines = [
        f"- {one.key}: {one.agreeing} of {one.pairs} pairs say the same"
        f"{'' if one.kappa is None else f', kappa {one.kappa:.2f}'}."
        for one in found.figures
        if one.pairs
    ]
    return "\n".join(lines) or "No two people looked at the same question yet."


def _media(recordings: Sequence[str], shown: Mapping[str, ReleasedMedia]) -> str:
    if not shown:
        return "No clips or pictures are referred to: the questions are texts about recordings that are not here."
    methods = ", ".join(sorted({one.method for one in shown.values()}))
    return (
        f"Paths of clips and pictures are those in the folder of the release that this set was made beside; "
        f"of {counted(len(recordings), 'recording')}, it holds {len(shown)}. Faces are hidden by: {methods}."
    )
