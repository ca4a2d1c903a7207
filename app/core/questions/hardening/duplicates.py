"""Questions that ask and answer nearly the same as another one about the same recording."""

import re
from collections.abc import Sequence

import numpy as np

from project.questions import Question

_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_WORD = re.compile(r"\w+")
_BLOCK = 256
"""Questions compared with all earlier ones at a time: the table of likenesses stays small."""


def alike(questions: Sequence[Question]) -> dict[str, tuple[int, str]]:
    """Return question -> (likeness in percent, id) of the earlier question about the recording that it is most like.

    Likeness is the smaller of that of the questions and that of the answers, each the share of letters in common after
    words are sorted (`rapidfuzz.fuzz.token_sort_ratio`), rounded down. Two questions whose numbers differ, such as the
    times that they name, are not alike. Earlier is who was made earlier, then whose id is smaller. Questions that are
    like no other are left out.
    """
    recordings: dict[str, list[Question]] = {}
    for one in sorted(questions, key=lambda one: (one.at, one.id)):
        recordings.setdefault(one.recording_id, []).append(one)
    found: dict[str, tuple[int, str]] = {}
    for ours in recordings.values():
        _within(ours, found)
    return found


def _within(ours: Sequence[Question], found: dict[str, tuple[int, str]]) -> None:
    from rapidfuzz import fuzz, process

    by_numbers: dict[tuple[str, ...], list[Question]] = {}
    for one in ours:
        by_numbers.setdefault(tuple(sorted(_NUMBER.findall(f"{one.text}\n{one.answer}"))), []).append(one)
    for group in by_numbers.values():
        texts = [_words(one.text) for one in group]
        answers = [_words(one.answer) for one in group]
        for first in range(1, len(group), _BLOCK):
            last = min(len(group), first + _BLOCK)
            likeness = process.cdist(texts[first:last], texts[:last], scorer=fuzz.token_sort_ratio)
            of_answers = process.cdist(answers[first:last], answers[:last], scorer=fuzz.token_sort_ratio)
            smaller = np.minimum(likeness, of_answers)
            for row, at in enumerate(range(first, last)):
                best = int(smaller[row, :at].argmax())
                if (value := int(smaller[row, best])) > 0:
                    found[group[at].id] = (value, group[best].id)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
