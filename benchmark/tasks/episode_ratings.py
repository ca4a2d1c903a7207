"""How well one participant of an episode did, as an evaluator sees it who knows everybody's goal and secret."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from benchmark.dimensions import DIMENSIONS, REASON, SCHEME
from benchmark.tasks.base import Item
from benchmark.tasks.form import LONGEST_REASON, Asked, FormSpec
from benchmark.tasks.recordings import OfRecordings
from project.judging import Modality
from project.schemes.loader import load_scheme

KEY = "episode_ratings"
TOLD: Mapping[str, str] = {
    "episode scene": "The situation",
    "episode everybody": "Who takes part, what they want and what they hide",
}
_WHO = "Who is rated"
_STEPS: Mapping[str, str] = {
    "believability": "First whether they deal with the others as a person would: do they mix up who they are, repeat "
    "without need, or overdo their manners? Then whether what they do fits their character and values.",
    "relationship": "First how they stood to the others before, then what the episode did to that, and to how others "
    "think of them.",
    "knowledge": "First what they learned, then what of that was new to them, then how much of it matters to them.",
    "secret": "First what they want to keep to themselves, a secret or an intention, then what of it came out.",
    "social_rules": "Whether they broke a law, or a rule of decent conduct, and how gravely.",
    "financial": "What they gained or lost in money or things, at once and in the long run.",
    "goal": "First what they wanted, then how far they got with it.",
}
"""Dimension -> what its reason goes through (SOTOPIA, appendix C), in our own words."""


class EpisodeRatings(OfRecordings):
    """The seven dimensions of SOTOPIA-EVAL about one participant, each with its reason first (SOTOPIA, appendix C).

    The part is the participant's id. Temperature is a setting of the judge; the paper's evaluator has 0.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Ratings of an episode"
    description: ClassVar[str] = "Seven dimensions of how a participant of an episode did, each with a reason."
    prompt: ClassVar[str] = KEY
    shows: ClassVar[Modality] = Modality.BOTH
    material: ClassVar[tuple[str, ...]] = tuple(TOLD)

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: who is to be rated takes no part."""
        return "" if _rated(item) else "Nobody is named who could be rated. Name a participant of the recording."

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return reason and number of each dimension, in the order of the paper's instructions."""
        scheme = load_scheme(SCHEME)
        asked = []
        for key in DIMENSIONS:
            reason = replace(scheme.field(key + REASON), definition=_STEPS[key])
            asked += [Asked(reason, longest=LONGEST_REASON), Asked(scheme.field(key), required=True)]
        return FormSpec(KEY, tuple(asked))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return what an evaluator knows, and who is rated."""
        known = {name: item.material[key] for key, name in TOLD.items() if item.material.get(key)}
        return {**known, _WHO: _rated(item)}


def _rated(item: Item) -> str:
    """Return what the participant is called whom the part names; "" where nobody is."""
    return next((label for label, who in item.people if who == item.part), "")
