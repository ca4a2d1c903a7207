import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from benchmark.metrics.classification import (
    exact_match,
    highest_multilabel_macro_f1,
    macro_f1_multilabel,
    multilabel_f1_by_label,
    partial_match,
)
from tests.builders.metric_cases import random_cases, several_labels

SEVEN = ("emotions", "engagement", "mechanics", "knowledge", "intention", "relationships", "norms")
sets = st.sets(st.sampled_from(SEVEN))
items = st.lists(st.tuples(sets, st.one_of(st.none(), sets)), min_size=1, max_size=20)


@random_cases
def test_random_cases_are_those_of_scikit_learn(cases: int) -> None:
    for truth, said, labels in several_labels(cases):
        # A column of its own for what could not be read: else an empty answer would be the same.
        names = MultiLabelBinarizer(classes=[*labels, "(unparsed)"])
        true = names.fit_transform(truth)
        given_ = names.transform([["(unparsed)"] if one is None else one for one in said])
        assert exact_match(truth, said) == pytest.approx(accuracy_score(true, given_), abs=1e-9)
        places = [*range(len(labels))]
        expected = f1_score(true, given_, labels=places, average="macro", zero_division=0)
        assert macro_f1_multilabel(truth, said, labels) == pytest.approx(expected, abs=1e-9)
        each = f1_score(true, given_, labels=places, average=None, zero_division=np.nan)
        ours = [np.nan if value is None else value for value in multilabel_f1_by_label(truth, said, labels).values()]
        np.testing.assert_allclose(ours, each, atol=1e-9)
        held = true.any(1)
        hit = (true & given_).any(1)[held]
        assert partial_match(truth, said) == (pytest.approx(hit.mean(), abs=1e-9) if held.any() else None)


@given(items)
def test_who_matches_exactly_matches_in_part(pairs: list[tuple[set[str], set[str] | None]]) -> None:
    truth, said = [{*true} or {"norms"} for true, _ in pairs], [one for _, one in pairs]
    exact, partial = exact_match(truth, said), partial_match(truth, said)
    assert exact is not None
    assert partial is not None
    assert 0 <= exact <= partial <= 1


@given(items)
def test_who_names_everything_always_hits(pairs: list[tuple[set[str], set[str] | None]]) -> None:
    truth = [true for true, _ in pairs]
    assert partial_match(truth, [SEVEN] * len(truth)) == (1 if any(truth) else None)
    shares = [sum(text in true for true in truth) / len(truth) for text in SEVEN]
    closed = sum(2 * share / (1 + share) for share in shares) / len(SEVEN)
    assert macro_f1_multilabel(truth, [SEVEN] * len(truth), SEVEN) == pytest.approx(closed, abs=1e-12)


@given(items)
def test_who_is_always_right_has_all_that_the_draw_allows(pairs: list[tuple[set[str], set[str] | None]]) -> None:
    truth = [true for true, _ in pairs]
    assert exact_match(truth, truth) == 1
    assert macro_f1_multilabel(truth, truth, SEVEN) == pytest.approx(
        highest_multilabel_macro_f1(truth, SEVEN), abs=1e-12
    )


@given(items)
def test_order_and_repetition_within_an_answer_do_not_matter(pairs: list[tuple[set[str], set[str] | None]]) -> None:
    truth, said = [true for true, _ in pairs], [one for _, one in pairs]
    longer = [one if one is None else [*one, *reversed([*one])] for one in said]
    for metric in (exact_match, partial_match, lambda *both: macro_f1_multilabel(*both, SEVEN)):
        assert metric(truth, said) == metric(truth, longer)


def test_no_answer_and_no_label_are_two_things() -> None:
    assert exact_match([set()], [set()]) == 1
    assert exact_match([set()], [None]) == 0
    assert partial_match([set(), {"norms"}], [set(), {"norms"}]) == 1


def test_a_judge_that_always_refuses_is_wrong_throughout() -> None:
    truth, said = [{"norms"}, {"norms", "emotions"}], [None, None]
    assert exact_match(truth, said) == 0
    assert partial_match(truth, said) == 0
    assert macro_f1_multilabel(truth, said, SEVEN) == 0
    assert multilabel_f1_by_label(truth, said, SEVEN) == {**dict.fromkeys(SEVEN), "norms": 0, "emotions": 0}


def test_without_items_there_is_no_figure() -> None:
    assert exact_match([], []) is None
    assert partial_match([], []) is None
    assert macro_f1_multilabel([], [], SEVEN) is None
    assert multilabel_f1_by_label([], [], SEVEN) == dict.fromkeys(SEVEN)
    assert highest_multilabel_macro_f1([], SEVEN) is None


def test_what_is_no_label_is_wrong_when_said_and_a_mistake_when_true() -> None:
    assert exact_match([{"norms"}], [{"norms", "nonsense"}]) == 0
    assert partial_match([{"norms"}], [{"norms", "nonsense"}]) == 1
    assert macro_f1_multilabel([{"norms"}], [{"norms", "nonsense"}], ["norms"]) == 1
    with pytest.raises(ValueError, match="no label"):
        macro_f1_multilabel([{"nonsense"}], [set()], SEVEN)
    with pytest.raises(ValueError, match="1 truths, 0 answers"):
        partial_match([{"norms"}], [])
