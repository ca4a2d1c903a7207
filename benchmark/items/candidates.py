"""What items are drawn from, by which rule, and what was drawn.

Wrong options out of other segments, as they stand in a study. An order of candidates that depends on nothing but
themselves. Why something becomes no item, as clauses, and what is said where nothing is left.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from project.entities.study_records import Json
from project.errors import UserError
from project.schemes.scheme import Scheme


@dataclass(frozen=True, slots=True)
class ItemCandidate:
    """One thing of a study that could become an item.

    Attributes:
        about: as `About.key`; "" for a stretch that nobody marked.
        collection_id: of its recording.
        start_us: of what is shown, on the recording's axis.
        end_us: of what is shown, on the recording's axis.
        made_from: checksum over it.
        content: what its item will freeze; see `project.entities.frozen_items.FrozenItem`.
    """

    about: str
    recording_id: str
    collection_id: str
    start_us: int
    end_us: int
    made_from: str
    content: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Everything that the items of a task can be drawn from.

    Attributes:
        candidates: in any order: what is drawn does not depend on it.
        left_out: why something of the study is no candidate, as a clause -> how often.
        scheme: of the segments that the candidates are; None for anything else.
        track: of these segments.
        gaps: stretches that nobody marked, out of which negatives can be cut.
    """

    candidates: Sequence[ItemCandidate]
    left_out: Mapping[str, int] = field(default_factory=dict)
    scheme: Scheme | None = None
    track: str = ""
    gaps: Sequence[ItemCandidate] = ()


@dataclass(frozen=True, slots=True)
class ItemSamplingRule:
    """How a draw is made.

    Attributes:
        size: items at most; 0 for all there are.
        stratify: whether each collection gives the same number.
        more: what a task understands beside that, as JSON: `shares` of the classes, by label; `negatives`.
    """

    size: int
    stratify: bool = False
    more: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemDraw:
    """The items of one draw, in their order, and what was left out and why."""

    items: Sequence[ItemCandidate]
    left_out: Mapping[str, int] = field(default_factory=dict)


WRONG_OPTION_COUNT = 4


@dataclass(frozen=True, slots=True)
class MultipleChoiceOptions:
    """Options to choose from.

    Attributes:
        options: in their order.
        place: of the right one, from 0.
        source_recordings: recordings that the wrong ones were taken from.
    """

    options: tuple[str, ...]
    place: int
    source_recordings: tuple[str, ...]


def normalize_text(text: str) -> str:
    """Return what is equal for texts that differ in nothing but case and white space."""
    return " ".join(text.casefold().split())


def draw_options(
    own: ItemCandidate,
    text: Callable[[ItemCandidate], str],
    others: Sequence[ItemCandidate],
    chance: random.Random,
    fits: Callable[[ItemCandidate], bool] = lambda _: True,
) -> MultipleChoiceOptions | None:
    """Return the right option among four wrong ones in a random place; None where there are not four.

    Source: SHREC, sections 3.3 and 3.4: what has the same text as the right one is removed, four others are drawn at
    random, the right one's place is random.

    Args:
        own: whose text is right.
        text: of a candidate; "" for none.
        others: to draw from, in a fixed order; `own` may be among them.
        chance: that decides.
        fits: whether another one's text may be a wrong option.
    """
    right = text(own)
    taken = {normalize_text(right)}
    wrong: list[ItemCandidate] = []
    for item_candidate in iter_shuffled(others, chance):
        said = normalize_text(text(item_candidate))
        if said and said not in taken and item_candidate.about != own.about and fits(item_candidate):
            taken.add(said)
            wrong.append(item_candidate)
            if len(wrong) == WRONG_OPTION_COUNT:
                break
    if len(wrong) < WRONG_OPTION_COUNT:
        return None
    place = chance.randrange(WRONG_OPTION_COUNT + 1)
    options = [text(item_candidate) for item_candidate in wrong]
    options.insert(place, right)
    homes = dict.fromkeys(item_candidate.recording_id for item_candidate in wrong)
    return MultipleChoiceOptions(tuple(options), place, tuple(home for home in homes if home != own.recording_id))


def iter_shuffled(others: Sequence[ItemCandidate], chance: random.Random) -> Iterator[ItemCandidate]:
    """Yield all of them in a random order, which costs no more than what is taken of it."""
    moved: dict[int, int] = {}
    for left in range(len(others), 0, -1):
        place = chance.randrange(left)
        yield others[moved.get(place, place)]
        moved[place] = moved.get(left - 1, left - 1)


def candidate_sort_key(item_candidate: ItemCandidate) -> tuple[str, int, int, str, str]:
    """Return what a candidate is sorted by: recording, time, and what it was made from."""
    return (
        item_candidate.recording_id,
        item_candidate.start_us,
        item_candidate.end_us,
        item_candidate.about,
        item_candidate.made_from,
    )


def sort_candidates(candidates: Iterable[ItemCandidate]) -> list[ItemCandidate]:
    """Return candidates sorted, so that the same seed draws the same ones however they were read."""
    return sorted(candidates, key=candidate_sort_key)


FEW_OPTIONS = "fewer than four other texts would do as wrong options"
NO_ATTRIBUTES = "no attribute is filled in"
NO_TEXT = "nothing is filled in that could be the right option"
NO_WORDS = "nobody says anything in it that the agent answers"
DUPLICATE_MOMENT = "another person's segment of a moment that is there already"
MISSING_LABEL = "in a collection that has no item of one of the labels"
REDUCED_DRAW = "fewer than wished, because a label has too few for its share"


def no_items_error(
    what: str,
    pool: CandidatePool,
    further: Mapping[str, int] | None = None,
    begin: str = "Annotate and review some recordings first.",
) -> UserError:
    """Return the error that nothing of a sort can be drawn, with what was left out the most as a hint.

    Args:
        what: is there, as "no segment ...".
        pool: that was to be drawn from.
        further: what was left out beside that.
        begin: what to do where nothing was left out, because there is nothing.
    """
    reasons = {**pool.left_out, **(further or {})}
    reasons.pop(DUPLICATE_MOMENT, None)
    if not reasons:
        return UserError(f"There is {what}, so no item can be made.", begin)
    most = max(reasons, key=lambda text: reasons[text])
    return UserError(f"There is {what}, so no item can be made.", f"Left out the most: {most} ({reasons[most]:,}).")
