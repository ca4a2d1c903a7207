"""Renders the data card of a question set, assigns its splits, and finds its clips and frames in a release."""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from annotate.interchange.bounded_files import damaged_file_error, parse_json, read_text
from anonymize.release.release_plan import get_release_key, keyed_checksum
from benchmark.dataset.question_selection import DatasetContents
from benchmark.questions.verification import AgreementFigure
from project.errors import UserError
from project.files.publication import MANIFEST_NAME
from project.queries.face_rows import mask_state
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.text_format import pluralize
from project.text_tables import Column, NumberFormat, table
from project.timebase import SECOND_US
from resources import resource

MAX_PICTURES = 16
"""Pictures of a question, as in R3-VQA and ESI-Bench."""
_CLIP_PATH = re.compile(r"video-(?:source|15hz)/([a-z0-9_-]+)/(recording-\d{4,})\.mp4")
_PICTURE_PATH = re.compile(r"frames-1hz/([a-z0-9_-]+)/(recording-\d{4,})/(\d{5})\.jpg")


@dataclass(slots=True)
class ReleasedMedia:
    """The clip and frames that show a recording, as paths in the folder of the release.

    Attributes:
        method: how faces are hidden in it.
        clip: path of the clip; "" for none.
        pictures: second -> path of the picture on screen then.
    """

    method: str = ""
    clip: str = ""
    pictures: dict[int, str] = field(default_factory=dict)

    def pictures_between(self, start_us: int, end_us: int) -> list[str]:
        """Return up to `MAX_PICTURES` pictures of a span, evenly over it; the one before it where it has none."""
        inside = [at for at in sorted(self.pictures) if start_us <= at * SECOND_US < end_us]
        if not inside:
            inside = [at for at in sorted(self.pictures) if at * SECOND_US <= start_us][-1:]
        count = min(MAX_PICTURES, len(inside))
        return [self.pictures[inside[(2 * at + 1) * len(inside) // (2 * count)]] for at in range(count)]


def find_released_media(session: Session, release: Path, recordings: Sequence[str]) -> dict[str, ReleasedMedia]:
    """Return code of a recording -> what of a release shows it, for those of some recordings that the release holds.

    Of several methods, the first by name is taken; of clips, the one at the source's frame rate.
    """
    manifest = _read_manifest(release)
    key = get_release_key(session)
    states = {
        f"recording-{recording.number:04}": mask_state(session.study, recording.id)
        for recording in all_recordings(session.study)
    }
    found: dict[str, ReleasedMedia] = {}
    for entry in manifest["files"]:
        path = str(entry.get("path", ""))
        match = _CLIP_PATH.fullmatch(path) or _PICTURE_PATH.fullmatch(path)
        if match is None or match[2] not in recordings:
            continue
        method, code = match[1], match[2]
        source = manifest["sources"].get(code)
        if not isinstance(source, dict) or source.get("faces") != keyed_checksum(key, states.get(code, "")):
            raise UserError(
                f"{release.name} is a release of another study, or {code} has changed since.", "Make the release again."
            )
        media = found.setdefault(code, ReleasedMedia(method))
        if method != media.method:
            continue
        if match.re is _PICTURE_PATH:
            media.pictures[int(match[3])] = path
        elif not media.clip or path.startswith("video-source/"):
            media.clip = path
    for path in (path for media in found.values() for path in (media.clip, *media.pictures.values()) if path):
        if not (release / path).is_file():
            raise UserError(f"{path} is missing in {release.name}.", "Use a complete release.")
    return found


def _read_manifest(release: Path) -> dict[str, Any]:
    path = release / MANIFEST_NAME
    if not path.is_file():
        raise UserError(f"{release.name} is not a release.", "Choose the folder that `greenroom release make` wrote.")
    found = parse_json(read_text(path), path)
    if (
        not isinstance(found, dict)
        or found.get("format") != "greenroom-release"
        or not isinstance(found.get("sources"), dict)
        or not isinstance(found.get("files"), list)
        or not all(isinstance(entry, dict) for entry in found["files"])
    ):
        raise damaged_file_error(path, "it is no manifest of a release")
    # Sorted by path, so that of several methods the same one is always taken.
    found["files"].sort(key=lambda entry: str(entry.get("path", "")))
    return found


SPLIT_SHARES = {"train": 0.7, "validation": 0.15, "test": 0.15}
"""Split -> the share of all questions that it should have."""
_SPLIT_ORDER = ("train", "test", "validation")
"""Which split gets a recording first in a tie."""


def assign_splits(questions: Mapping[str, int], seed: int) -> dict[str, str]:
    """Return recording -> split.

    Recordings are assigned in decreasing order of their questions, ties in an order that the seed decides. Each goes to
    the split that is furthest below its share, so that every split gets recordings of every size.
    """
    order = sorted(questions)
    random.Random(f"splits {seed}").shuffle(order)
    order.sort(key=lambda recording: -questions[recording])
    assigned = dict.fromkeys(SPLIT_SHARES, 0)
    found: dict[str, str] = {}
    for recording in order:
        split = min(_SPLIT_ORDER, key=lambda name: assigned[name] / SPLIT_SHARES[name])
        found[recording] = split
        assigned[split] += questions[recording]
    return dict(sorted(found.items()))


CARD_NAME = "DATACARD.md"
_NONE = "None."
_MAX_LISTED = 20
"""Recordings that are listed at most."""


def _count_column(split: str) -> Column[tuple[str, Counter[str]]]:
    return Column(split, split, NumberFormat.COUNT, lambda row: row[1][split])


_COUNT_COLUMNS = (
    Column("kind", "kind", NumberFormat.TEXT, lambda row: row[0]),
    *map(_count_column, (*SPLIT_SHARES, "all")),
)


def render_card(
    gathering: DatasetContents,
    splits: Mapping[str, str],
    shown: Mapping[str, ReleasedMedia],
    agreement: Mapping[str, AgreementFigure],
    seed: int,
    survivors: int,
    read_by: str,
) -> str:
    """Return the text of a data card; what only people know is left to fill in, marked as such."""
    items = gathering.items
    counts = {kind: Counter[str]() for kind in (*sorted({item.kind for item in items}), "all")}
    for item in items:
        for kind in (item.kind, "all"):
            counts[kind].update((splits[item.recording], "all"))
    places = Counter(item.letter for item in items)
    makers = Counter(item.maker for item in items)
    left = [f"- {pluralize(many, 'question')}: {why}." for why, many in sorted(gathering.left_out.items())]
    missing = sorted({*gathering.recordings} - {code for code, media in shown.items() if media.clip or media.pictures})
    slots = {
        "questions": pluralize(len(items), "question"),
        "recordings": pluralize(len(gathering.recordings), "recording"),
        "chains": pluralize(len(gathering.chains), "causal chain"),
        "table": "\n".join(table(counts.items(), _COUNT_COLUMNS).markdown(str)),
        "per_split": ", ".join(
            f"{split}: {pluralize(sum(assigned_split == split for assigned_split in splits.values()), 'recording')}"
            for split in SPLIT_SHARES
        ),
        "seed": str(seed),
        "letters": ", ".join(f"{letter} {places[letter]}" for letter in sorted(places)) or _NONE,
        "makers": ", ".join(f"{many} {_MAKERS[who]}" for who, many in sorted(makers.items())) or _NONE,
        "verified": str(sum(item.verified for item in items)),
        "unverified": str(sum(not item.verified for item in items)),
        "stale": str(sum(item.stale for item in items)),
        "turned_down": str(len(items) - survivors),
        "agreement": _agreement_text(agreement),
        "read_by": read_by,
        "replaced": str(gathering.replacement_count),
        "left_out": "\n".join(left) or _NONE,
        "media": _media_text(gathering.recordings, shown),
        "without_media": _list_codes(missing, len(gathering.recordings)),
    }
    return Template(resource("question-data-set", "card.md").read_text("utf-8")).substitute(slots)


_MAKERS = {"rules": "by rule templates", "judge": "by a language model", "person": "by a person"}


def _list_codes(codes: Sequence[str], of: int) -> str:
    if not codes:
        return "none"
    if len(codes) == of:
        return "all"
    more = f" and {len(codes) - _MAX_LISTED} more" if len(codes) > _MAX_LISTED else ""
    return ", ".join(codes[:_MAX_LISTED]) + more


def _agreement_text(found: Mapping[str, AgreementFigure]) -> str:
    lines = [
        f"- {figure.key}: {figure.agreeing} of {figure.pairs} pairs say the same"
        f"{'' if figure.kappa is None else f', kappa {figure.kappa:.2f}'}."
        for figure in found.values()
        if figure.pairs
    ]
    return "\n".join(lines) or "No two people looked at the same question yet."


def _media_text(recordings: Sequence[str], shown: Mapping[str, ReleasedMedia]) -> str:
    if not shown:
        return "No clips or pictures are referred to: the questions are texts about recordings that are not here."
    methods = ", ".join(sorted({media.method for media in shown.values()}))
    return (
        f"Paths of clips and pictures are those in the folder of the release that this set was made beside; "
        f"of {pluralize(len(recordings), 'recording')}, it holds {len(shown)}. Faces are hidden by: {methods}."
    )
