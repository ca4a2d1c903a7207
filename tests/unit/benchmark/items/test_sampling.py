"""Balanced draws of items, stretches that nobody marked, and options."""

import itertools
import random
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.items.candidates import CandidatePool, ItemDraw, ItemSamplingRule, normalize_text
from benchmark.items.sampling import cut_negatives, largest_quotas, quotas
from benchmark.tasks.benchmark_task import SUITE
from benchmark.tasks.label_tasks import ATTRIBUTE_SHARES as OF_ATTRIBUTES
from benchmark.tasks.label_tasks import VERDICT_SHARES
from benchmark.tasks.option_tasks import OptionTask
from project.entities.questions import LETTERS
from project.errors import UserError
from tests.builders.item_pools import SECOND, gap, pool, pools, segment

OF_SEGMENTS = ("verdict", "error", "attributes", "multiple", "pre", "post", "rationale", "correction", "conditions")
BALANCED = {"verdict": VERDICT_SHARES, "error": VERDICT_SHARES, "attributes": OF_ATTRIBUTES, "multiple": OF_ATTRIBUTES}
CHOICES = ("pre", "post", "rationale", "correction")
TASKS = st.sampled_from(OF_SEGMENTS)


WEIGHTS = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 10), min_size=1)


def test_a_sample_of_two_hundred_has_the_numbers_of_the_paper() -> None:
    assert quotas(200, VERDICT_SHARES) == {"competence": 59, "error": 100, "none": 41}
    assert quotas(70, {"error": 0.66, "competence": 0.34}) == {"error": 46, "competence": 24}
    assert quotas(15, {"error": 1, "competence": 1, "none": 1}) == {"error": 5, "competence": 5, "none": 5}


@given(st.integers(0, 60), WEIGHTS, st.data())
def test_the_largest_draw_takes_no_more_than_there_is_and_could_not_be_larger(
    size: int, shares: dict[str, float], data: st.DataObject
) -> None:
    available = {key: data.draw(st.integers(0, 30)) for key in shares}
    numbers = largest_quotas(size, shares, available)
    assert all(number <= available[key] for key, number in numbers.items())
    most = min(size, sum(available.values())) if size else sum(available.values())
    for bigger in range(sum(numbers.values()) + 1, most + 1):
        assert any(number > available[key] for key, number in quotas(bigger, shares).items())


@given(
    st.lists(st.integers(1, 90 * SECOND), min_size=1, max_size=5),
    st.lists(st.integers(1, 20 * SECOND), min_size=1, max_size=5),
    st.integers(0, 12),
    st.integers(0, 1000),
)
def test_stretches_lie_in_gaps_apart_from_each_other_and_as_long_as_marked_ones(
    rooms: list[int], lengths: list[int], number: int, seed: int
) -> None:
    gaps = [gap(at, length_us=room) for at, room in enumerate(rooms)]
    stretches = cut_negatives(gaps, lengths, number, random.Random(seed))
    assert len(stretches) <= number
    spans = sorted((stretch.recording_id, stretch.start_us, stretch.end_us) for stretch in stretches)
    for home, start, end in spans:
        assert end - start in lengths
        assert any(each.recording_id == home and each.start_us <= start and end <= each.end_us for each in gaps)
    for (home, _, end), (other, start, _) in itertools.pairwise(spans):
        assert home != other or end <= start


def drawn(key: str, found: CandidatePool, rule: ItemSamplingRule, seed: int = 0) -> ItemDraw:
    return SUITE.make(key).sample(found, rule, random.Random(seed))


def content(candidate: Any) -> dict[str, Any]:
    return cast(dict[str, Any], candidate.content)


@given(TASKS, pools(), st.integers(0, 40), st.booleans(), st.integers(0, 99), st.randoms())
def test_the_same_seed_draws_the_same_items_in_whatever_order_candidates_come(
    key: str, found: CandidatePool, size: int, stratify: bool, seed: int, chance: random.Random
) -> None:
    shuffled = replace(
        found,
        candidates=chance.sample(found.candidates, len(found.candidates)),
        gaps=chance.sample(found.gaps, len(found.gaps)),
    )
    rule = ItemSamplingRule(size, stratify)
    try:
        first = drawn(key, found, rule, seed)
    except UserError:
        with pytest.raises(UserError):
            drawn(key, shuffled, rule, seed)
        return
    assert first == drawn(key, shuffled, rule, seed)
    assert len(first.items) <= size or not size


@pytest.mark.parametrize("key", ["verdict", "attributes", "multiple", "post"])
def test_a_draw_that_is_too_small_for_its_collections_says_so(key: str) -> None:
    labels = ["error", "competence", "none"]
    kinds = [("norms",), ("emotions",), ("knowledge",), ("norms", "emotions"), ("norms", "knowledge"), ("intention",)]
    found = pool(
        [segment(number, labels[number // 2 % 3], kinds[number // 6], home=number % 2) for number in range(36)]
    )
    for size in (2, 5):
        assert len(drawn(key, found, ItemSamplingRule(size, stratify=True)).items) in (2, 4)
    with pytest.raises(UserError, match="each of 2 collections"):
        drawn(key, found, ItemSamplingRule(1, stratify=True))


@given(st.sampled_from(sorted({*BALANCED} - {"multiple"})), pools(fewest=3), st.integers(1, 40), st.integers(0, 99))
def test_every_label_has_its_share_to_within_rounding(key: str, found: CandidatePool, size: int, seed: int) -> None:
    items = drawn(key, found, ItemSamplingRule(size), seed).items
    counts = Counter(content(item)["label"] for item in items)
    assert counts == {label: number for label, number in quotas(len(items), BALANCED[key]).items() if number}


def test_several_attributes_are_half_of_each_label() -> None:
    kinds = (("norms",), ("norms", "emotions"))
    found = pool([segment(n, ("error", "competence")[n % 2], kinds[n // 2 % 2]) for n in range(24)])
    items = drawn("multiple", found, ItemSamplingRule(16)).items
    counts = Counter((content(item)["label"], content(item)["truth"]["multiple"]["multiple"]) for item in items)
    assert sum(counts.values()) == 16
    assert all(counts[label, "yes"] == counts[label, "no"] > 0 for label in ("error", "competence"))


@given(TASKS, pools(fewest=9), st.integers(6, 40), st.integers(0, 99))
def test_collections_give_the_same_number_where_that_is_wished(
    key: str, found: CandidatePool, size: int, seed: int
) -> None:
    try:
        items = drawn(key, found, ItemSamplingRule(size, stratify=True), seed).items
    except UserError:
        return
    assert len({*Counter(item.collection_id for item in items).values()}) <= 1


@given(st.sampled_from(CHOICES), pools(fewest=8), st.integers(0, 30), st.integers(0, 99))
def test_the_right_answer_is_there_once_and_no_wrong_one_says_the_same(
    key: str, found: CandidatePool, size: int, seed: int
) -> None:
    entry = cast(OptionTask, SUITE.make(key))
    by_about = {candidate.about: candidate for candidate in found.candidates}
    for item in drawn(key, found, ItemSamplingRule(size), seed).items:
        options, place = content(item)["options"], content(item)["place"]
        assert len(options) == 5
        assert len({normalize_text(text) for text in options}) == 5
        assert options[place] == entry.option_text(by_about[item.about])
        assert content(item)["truth"] == {key: {key: LETTERS[place]}}
        if key in ("rationale", "correction"):
            own = content(by_about[item.about])["values"]["attributes"]
            for text in options[:place] + options[place + 1 :]:
                # The same text may stand about several errors; at least one of them has other attributes.
                others = [
                    content(other)["values"]["attributes"]
                    for other in found.candidates
                    if content(other)["label"] == "error" and entry.option_text(other) == text
                ]
                assert any({*each} != {*own} for each in others)
        assert item.recording_id not in content(item)["homes"]


def test_what_annotators_marked_as_nothing_comes_before_what_nobody_marked() -> None:
    found = pool(
        [*(segment(n, label) for n, label in enumerate(["error", "competence"] * 30)), segment(99, "none")], [gap(1)]
    )
    items = [item for item in drawn("verdict", found, ItemSamplingRule(30)).items if content(item)["label"] == "none"]
    assert len(items) == 6
    assert [item.about for item in items if item.about] == ["s00099"]
    marked = replace(found, gaps=())
    alone = drawn("verdict", marked, ItemSamplingRule(30, more={"negatives": "annotated"}))
    assert Counter(content(item)["label"] for item in alone.items)["none"] == 1
    assert sum(alone.left_out.values()) == 30 - len(alone.items)
    unmarked = drawn("verdict", found, ItemSamplingRule(30, more={"negatives": "unmarked"})).items
    assert {item.about for item in unmarked if content(item)["label"] == "none"} == {""}


@pytest.mark.parametrize(
    ("key", "labels", "message"),
    [
        ("verdict", ["error", "competence"], "no segment with the label “none”"),
        ("attributes", ["competence"], "no segment with the label “error”"),
        ("pre", ["error"], "no segment with the label “competence”"),
        ("multiple", ["error", "competence"], "with several attributes"),
    ],
)
def test_a_label_that_is_missing_is_said_to_be(key: str, labels: list[str], message: str) -> None:
    found = pool([segment(number, label) for number, label in enumerate(labels * 9)])
    with pytest.raises(UserError, match=message):
        drawn(key, found, ItemSamplingRule(20))


def test_where_all_attributes_are_equal_every_error_is_left_out_and_counted() -> None:
    found = drawn("rationale", pool([segment(number) for number in range(30)]), ItemSamplingRule(20))
    assert (found.items, [*found.left_out.values()]) == ((), [30])


def test_a_share_of_a_label_that_is_none_is_refused() -> None:
    found = pool([segment(n, label) for n, label in enumerate(["error", "competence", "none"] * 5)])
    with pytest.raises(UserError, match="no label"):
        drawn("verdict", found, ItemSamplingRule(5, more={"shares": {"mistake": 1.0}}))
    alone = drawn("verdict", found, ItemSamplingRule(5, more={"shares": {"none": 1.0}}))
    assert {content(item)["label"] for item in alone.items} == {"none"}
