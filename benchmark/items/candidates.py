"""Candidates for items, the draws made from them, and wrong options out of other segments."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from project.entities.study_records import Json
from project.errors import UserError
from project.schemes.scheme import Scheme


@dataclass(frozen=True, slots=True)
class ItemCandidate:
    """Something in a study that can become an item.

    Attributes:
        about: as `JudgmentTarget.key`; "" for an unmarked span.
        start_us: start of the span that is shown, on the recording's axis.
        made_from: checksum over its source.
        content: what its item freezes; see `project.entities.frozen_items.FrozenItem`.
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
        candidates: in any order; draws do not depend on it.
        left_out: why something of the study is no candidate, as a clause -> how often.
        scheme: of the segments that the candidates are; None for other candidates.
        track: of these segments.
        gaps: unmarked spans, out of which negatives can be cut.
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
        size: items at most; 0 for all.
        stratify: whether each collection gives the same number of items.
        more: further options of a task, as JSON: `shares` of the classes, by label; `negatives`.
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
    """The options of a multiple-choice item.

    Attributes:
        place: of the right one, from 0.
        sources: what each was taken from.
    """

    options: tuple[str, ...]
    place: int
    sources: tuple[ItemCandidate, ...]

    @property
    def source_recordings(self) -> tuple[str, ...]:
        """Recordings other than that of the right one."""
        own = self.sources[self.place].recording_id
        homes = dict.fromkeys(source.recording_id for source in self.sources)
        return tuple(home for home in homes if home != own)


def normalize_text(text: str) -> str:
    """Return a text with case and white space normalized."""
    return " ".join(text.casefold().split())


def draw_options(
    own: ItemCandidate,
    text: Callable[[ItemCandidate], str],
    others: Sequence[ItemCandidate],
    chance: random.Random,
    fits: Callable[[ItemCandidate], bool] = lambda _: True,
) -> MultipleChoiceOptions | None:
    """Return the right option among four wrong ones in a random position; None if there are not four.

    Source: SHREC, sections 3.3 and 3.4: options with the text of the right one are removed, four others are drawn at
    random, and the position of the right one is random.

    Args:
        own: whose text is right.
        text: of a candidate; "" for none.
        others: to draw from, in a fixed order; `own` may be among them.
        chance: the random generator.
        fits: whether the text of another candidate may be a wrong option.
    """
    right = text(own)
    taken = {normalize_text(right)}
    wrong: list[ItemCandidate] = []
    for candidate in iter_shuffled(others, chance):
        said = normalize_text(text(candidate))
        if said and said not in taken and candidate.about != own.about and fits(candidate):
            taken.add(said)
            wrong.append(candidate)
            if len(wrong) == WRONG_OPTION_COUNT:
                break
    if len(wrong) < WRONG_OPTION_COUNT:
        return None
    place = chance.randrange(WRONG_OPTION_COUNT + 1)
    sources = (*wrong[:place], own, *wrong[place:])
    return MultipleChoiceOptions(tuple(map(text, sources)), place, sources)


def iter_shuffled(others: Sequence[ItemCandidate], chance: random.Random) -> Iterator[ItemCandidate]:
    """Yield candidates in random order; the cost is proportional to how many are taken."""
    moved: dict[int, int] = {}
    for left in range(len(others), 0, -1):
        place = chance.randrange(left)
        yield others[moved.get(place, place)]
        moved[place] = moved.get(left - 1, left - 1)


_SORT_KEY = attrgetter("recording_id", "start_us", "end_us", "about", "made_from")


def sort_candidates(candidates: Iterable[ItemCandidate]) -> list[ItemCandidate]:
    """Return candidates in a fixed order, so that a seed always draws the same ones."""
    return sorted(candidates, key=_SORT_KEY)


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
    """Return the error that nothing can be drawn; its hint is the most frequent reason.

    Args:
        what: what is missing, as "no segment ...".
        pool: the candidates.
        further: further reasons, with counts.
        begin: hint if nothing was left out, because there is nothing.
    """
    reasons = {**pool.left_out, **(further or {})}
    reasons.pop(DUPLICATE_MOMENT, None)
    if not reasons:
        return UserError(f"There is {what}, so there are no items.", begin)
    most = max(reasons, key=lambda reason: reasons[reason])
    return UserError(f"There is {what}, so there are no items.", f"Most frequent reason: {most} ({reasons[most]:,}).")
