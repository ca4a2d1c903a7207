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
from benchmark.items.sampling import collection_sizes, cut_negatives, largest_quotas, quotas
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask
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


@given(st.integers(0, 500), WEIGHTS)
def test_shares_are_kept_to_within_rounding(size: int, shares: dict[str, float]) -> None:
    numbers = quotas(size, shares)
    assert sum(numbers.values()) == size
    for key, weight in shares.items():
        assert abs(numbers[key] - size * weight / sum(shares.values())) < 1 + 1e-6


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


@given(st.integers(0, 60), st.dictionaries(st.text(max_size=3), st.integers(1, 30)))
def test_collections_give_alike_and_never_more_than_was_asked_for(size: int, available: dict[str, int]) -> None:
    if 0 < size < len(available):
        with pytest.raises(UserError, match="same number"):
            collection_sizes(size, available)
        return
    numbers = collection_sizes(size, available)
    assert numbers.keys() == available.keys()
    assert len({*numbers.values()}) <= 1
    assert all(1 <= number <= available[key] for key, number in numbers.items())
    assert not size or sum(numbers.values()) <= size


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


def test_every_place_in_a_gap_is_as_likely_and_none_where_it_is_too_short() -> None:
    chance = random.Random(0)
    starts = [cut_negatives([gap(0, length_us=11)], [8], 1, chance)[0].start_us for _ in range(4000)]
    assert {*starts} == {0, 1, 2, 3}
    assert all(900 < starts.count(place) < 1100 for place in range(4))
    assert cut_negatives([gap(0, length_us=5)], [6], 3, random.Random(0)) == []
    assert cut_negatives([], [6], 3, random.Random(0)) == []


def drawn(key: str, found: CandidatePool, rule: ItemSamplingRule, seed: int = 0) -> ItemDraw:
    return SUITE.make(key).sample(found, rule, random.Random(seed))


def content(candidate: Any) -> dict[str, Any]:
    return cast(dict[str, Any], candidate.content)


@pytest.mark.parametrize("key", SUITE)
def test_a_task_says_what_it_is(key: str) -> None:
    task: BenchmarkTask = SUITE.make(key)
    assert task.key == key
    assert task.description.endswith((".", "?"))
    texts = (task.name.strip(), task.paper, task.section, task.answer, str(type(task).__doc__).strip())
    assert all(texts)
    assert task.rounds
    assert task.draws >= 1
    assert task.size >= 0
    assert len({metric.key for metric in task.metrics}) == len(task.metrics) > 0


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


@pytest.mark.parametrize("key", [*BALANCED, *CHOICES])
def test_a_draw_that_is_too_small_for_its_collections_says_so(key: str) -> None:
    labels = ["error", "competence", "none"]
    kinds = [
        ("norms",),
        ("emotions",),
        ("knowledge",),
        ("norms", "emotions"),
        ("norms", "knowledge"),
        ("intention", "norms"),
    ]
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


@given(st.integers(3, 6), st.integers(3, 6), st.integers(4, 40), st.integers(0, 99))
def test_several_attributes_are_half_of_each_label_to_within_rounding(
    one: int, many: int, size: int, seed: int
) -> None:
    numbers = itertools.count()
    found = pool(
        segment(next(numbers), label, attributes)
        for label in ("error", "competence")
        for attributes, often in ((("norms",), one), (("norms", "emotions"), many))
        for _ in range(often)
    )
    items = drawn("multiple", found, ItemSamplingRule(size), seed).items
    counts = Counter((content(item)["label"], content(item)["truth"]["multiple"]["multiple"]) for item in items)
    assert all(abs(counts[label, "yes"] - counts[label, "no"]) <= 1 for label in ("error", "competence"))
    assert sum(counts[label, "yes"] for label in ("error", "competence")) in (len(items) // 2, (len(items) + 1) // 2)
    own = ItemSamplingRule(0, more={"shares": {"yes": 1, "no": 2}})
    answers = Counter(content(item)["truth"]["multiple"]["multiple"] for item in drawn("multiple", found, own).items)
    assert abs(answers["no"] - 2 * answers["yes"]) <= 2


def test_several_attributes_without_a_segment_about_one_are_refused() -> None:
    found = pool(
        [segment(number, label, ("norms", "emotions")) for number, label in enumerate(["error", "competence"] * 4)]
    )
    with pytest.raises(UserError, match="error with one attribute"):
        drawn("multiple", found, ItemSamplingRule(4))


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


def test_the_place_of_the_right_option_is_random() -> None:
    found = pool([segment(number, "competence") for number in range(1000)])
    places = Counter(content(item)["place"] for item in drawn("post", found, ItemSamplingRule(0)).items)
    assert all(150 < places[place] < 250 for place in range(5))


def test_error_and_verdict_are_asked_about_the_same_segments() -> None:
    found = pool([segment(n, label) for n, label in enumerate(["error", "competence", "none"] * 40)])
    first, second = (drawn(key, found, ItemSamplingRule(50)).items for key in ("verdict", "error"))
    assert [item.about for item in first] == [item.about for item in second]
    assert {content(item)["truth"]["error"]["error"] for item in second} == {"yes", "no"}


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
        ("verdict", ["error"] * 9, "no segment with the label “competence”"),
        ("verdict", ["error", "competence"] * 9, "no segment with the label “none”"),
        ("attributes", ["competence"] * 9, "no segment with the label “error”"),
        ("pre", ["error"] * 9, "no segment with the label “competence”"),
        ("rationale", ["competence"] * 9, "no segment with the label “error”"),
        ("verdict", [], "no segment with the label"),
    ],
)
def test_a_label_that_is_missing_is_said_to_be(key: str, labels: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        drawn(key, pool([segment(number, label) for number, label in enumerate(labels)]), ItemSamplingRule(20))


def test_where_all_attributes_are_equal_every_error_is_left_out_and_counted() -> None:
    found = drawn("rationale", pool([segment(number) for number in range(30)]), ItemSamplingRule(20))
    assert not found.items
    assert found.left_out == {"fewer than four errors with other attributes have another text for a wrong option": 30}
    alone = drawn("post", pool([segment(1, "competence")]), ItemSamplingRule(20))
    assert (len(alone.items), sum(alone.left_out.values())) == (0, 1)


def test_stretches_are_as_long_as_what_was_marked() -> None:
    lengths = {n: (n + 1) * SECOND // 3 for n in range(30)}
    candidates = [segment(n, ("error", "competence")[n % 2], length_us=length) for n, length in lengths.items()]
    items = drawn("verdict", pool(candidates, [gap(n) for n in range(9)]), ItemSamplingRule(25)).items
    stretches = [item.end_us - item.start_us for item in items if not item.about]
    assert len(stretches) == 5
    assert {*stretches} <= {*lengths.values()}


def test_a_share_of_a_label_that_is_none_is_refused() -> None:
    found = pool([segment(n, label) for n, label in enumerate(["error", "competence", "none"] * 5)])
    with pytest.raises(UserError, match="is no label"):
        drawn("verdict", found, ItemSamplingRule(5, more={"shares": {"mistake": 1.0}}))
    alone = drawn("verdict", found, ItemSamplingRule(5, more={"shares": {"none": 1.0}}))
    assert {content(item)["label"] for item in alone.items} == {"none"}
