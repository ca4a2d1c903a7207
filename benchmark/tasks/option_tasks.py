"""Tasks of SHREC with five options: what was said before or after, and the rationale and correction of an error."""

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from benchmark.items.candidates import (
    FEW_OPTIONS,
    NO_TEXT,
    NO_WORDS,
    WRONG_OPTION_COUNT,
    CandidatePool,
    ItemCandidate,
    ItemDraw,
    ItemSamplingRule,
    draw_options,
    no_items_error,
    sort_candidates,
)
from benchmark.items.sampling import strata_sizes
from benchmark.metrics.classification import accuracy
from benchmark.metrics.item_sums import MetricValue
from benchmark.metrics.published_figures import ACCURACY
from benchmark.tasks.benchmark_task import (
    LABELS_TRAIT,
    BenchmarkTask,
    ItemResponse,
    label_answers,
    label_truths,
    make_metrics,
)
from benchmark.tasks.label_tasks import (
    COMPETENCE,
    ERROR,
    candidate_attributes,
    candidate_label,
    candidate_traits,
    candidate_values,
    pool_scheme,
)
from project.entities.questions import LETTERS
from project.entities.study_records import Json
from project.errors import UserError


class OptionTask(BenchmarkTask):
    """A task with one right option among five, and accuracy as its figure."""

    paper = "SHREC"
    source = "segments"
    draws = 3
    size = 70
    answer = "one of five options"
    metrics = make_metrics(ACCURACY)
    label: str
    """Label of the segments that it is asked about."""
    no_text_reason: str
    """Why segments without a text for the right option are left out."""
    too_few_reason: str
    """Why segments without four wrong options are left out."""

    @abstractmethod
    def option_text(self, candidate: ItemCandidate) -> str:
        """Return the text of a candidate as an option; "" for none."""

    def is_valid_distractor(self, pool: CandidatePool, own: ItemCandidate, other: ItemCandidate) -> bool:  # noqa: ARG002
        """Tell whether the text of another candidate may be a wrong option."""
        return True

    def facts(self, candidate: ItemCandidate) -> Mapping[str, Json]:  # noqa: ARG002
        """Return given texts of the item beside label, footage and conversation."""
        return {}

    def moment(self, candidate: ItemCandidate) -> list[Json]:  # noqa: ARG002
        """Return recording, start and end of what is shown with a candidate's text as an option; [] for nothing."""
        return []

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return one draw; segments without four wrong options are left out and counted."""
        labelled = [
            candidate for candidate in sort_candidates(pool.candidates) if candidate_label(candidate) == self.label
        ]
        if not labelled:
            raise no_items_error(f"no segment with the label “{self.label}” to draw", pool)
        with_text = [item_candidate for item_candidate in labelled if self.option_text(item_candidate)]
        left_out = (
            Counter({self.no_text_reason: len(labelled) - len(with_text)})
            if len(with_text) < len(labelled)
            else Counter[str]()
        )
        if not with_text:
            raise no_items_error(f"no segment that “{self.name}” can be asked about", pool, left_out)
        drawn = [
            self._draw_items(pool, those, with_text, number, chance, left_out)
            for those, number in strata_sizes(with_text, rule)
        ]
        most = min(map(len, drawn)) if rule.stratify else None
        items = [item_candidate for those in drawn for item_candidate in those[:most]]
        chance.shuffle(items)
        return ItemDraw(tuple(items), dict(left_out))

    def _draw_items(
        self,
        pool: CandidatePool,
        those: Sequence[ItemCandidate],
        others: Sequence[ItemCandidate],
        number: int,
        chance: random.Random,
        left_out: Counter[str],
    ) -> list[ItemCandidate]:
        found: list[ItemCandidate] = []
        for candidate in chance.sample(those, len(those)):
            if len(found) == number:
                break
            made = draw_options(
                candidate,
                self.option_text,
                others,
                chance,
                lambda other, own=candidate: self.is_valid_distractor(pool, own, other),  # type: ignore[misc]
            )
            if made is None:
                left_out[self.too_few_reason] += 1
                continue
            content: dict[str, Json] = {
                "scheme": pool_scheme(pool).key,
                "track": pool.track,
                "label": self.label,
                "options": [*made.options],
                "place": made.place,
                "facts": dict(self.facts(candidate)),
                "homes": [*made.source_recordings],
                "moments": [moment for source in made.sources if (moment := self.moment(source))],
                "truth": {self.key: {self.key: LETTERS[made.place]}},
                "traits": {**candidate_traits(candidate), LABELS_TRAIT: [*LETTERS[: WRONG_OPTION_COUNT + 1]]},
            }
            found.append(replace(candidate, content=content))
        return found

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        return {ACCURACY: accuracy(label_truths(said, self.key, self.key), label_answers(said, self.key, self.key))}

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        return {ACCURACY: 1 / (WRONG_OPTION_COUNT + 1)} if said else {}


_USER, _AGENT = 0, 1


@dataclass(frozen=True)
class FlowTask(OptionTask):
    """Segments of competence in which the agent answers somebody (SHREC, 3.3 and appendix A.3).

    The words of one side are given, and those of the other side in five segments are the options, each with pictures of
    the moment in which they are said (appendix B, examples 5 and 6); the transcript is not shown.
    """

    key: str
    name: str
    description: str
    asked_side: int
    told_side: int
    label = COMPETENCE
    no_text_reason = NO_WORDS
    too_few_reason = FEW_OPTIONS
    section = "3.3 and appendix A.3"

    def option_text(self, candidate: ItemCandidate) -> str:
        """Return the words of the side that is asked for; "" if the two do not talk to each other."""
        words = cast(list[str], candidate.content.get("words", []))
        return words[self.asked_side] if words else ""

    def facts(self, candidate: ItemCandidate) -> Mapping[str, Json]:
        return {"shown": cast(list[str], candidate.content["words"])[self.told_side]}

    def moment(self, candidate: ItemCandidate) -> list[Json]:
        start_us, end_us = cast(list[list[int]], candidate.content["word_spans"])[self.asked_side]
        return [candidate.recording_id, start_us, end_us]


PRE = FlowTask("pre", "What came before", "What did the person say before these words of the agent?", _USER, _AGENT)
POST = FlowTask("post", "What came after", "What does the agent answer to these words of the person?", _AGENT, _USER)


@dataclass(frozen=True)
class ErrorTextTask(OptionTask):
    """Errors; the wrong options are texts about errors with other attributes (SHREC, 3.4)."""

    key: str
    name: str
    description: str
    label = ERROR
    no_text_reason = NO_TEXT
    too_few_reason = "fewer than four errors with other attributes have another text for a wrong option"
    section = "3.4 and appendix A.3"

    def option_text(self, candidate: ItemCandidate) -> str:
        return str(candidate_values(candidate).get(self.key) or "").strip()

    def is_valid_distractor(self, pool: CandidatePool, own: ItemCandidate, other: ItemCandidate) -> bool:
        return candidate_attributes(pool, own) != candidate_attributes(pool, other)

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        scheme = pool_scheme(pool)
        if all(field.key != self.key for field in scheme.fields_of(pool.track)):
            raise UserError(f"{scheme.name} has no field “{self.key}”.", "Choose another task or scheme.")
        return super().sample(pool, rule, chance)


RATIONALE = ErrorTextTask("rationale", "Rationale", "Why is this an error?")
CORRECTION = ErrorTextTask("correction", "Correction", "What should the agent have done instead?")
