"""The data card of a set of questions, from a template with named slots."""

from collections import Counter
from collections.abc import Mapping, Sequence
from string import Template

from app.core.questions.agreeing import Agreement
from app.core.questions.dataset.gathering import Gathering
from app.core.questions.dataset.media import Shown
from app.core.questions.dataset.splits import SPLITS
from project.counted import counted
from resources import resource

NAME = "DATACARD.md"
_NONE = "None."
_LISTED = 20
"""Recordings that are named one by one."""


def card(
    gathering: Gathering,
    splits: Mapping[str, str],
    shown: Mapping[str, Shown],
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


def _media(recordings: Sequence[str], shown: Mapping[str, Shown]) -> str:
    if not shown:
        return "No clips or pictures are referred to: the questions are texts about recordings that are not here."
    methods = ", ".join(sorted({one.method for one in shown.values()}))
    return (
        f"Paths of clips and pictures are those in the folder of the release that this set was made beside; "
        f"of {counted(len(recordings), 'recording')}, it holds {len(shown)}. Faces are hidden by: {methods}."
    )
