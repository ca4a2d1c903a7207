import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from benchmark.metrics.classification import (
    accuracy,
    confusion,
    constant_macro_f1,
    f1_by_label,
    highest_macro_f1,
    macro_f1,
)
from tests.builders.metric_cases import LABELS, one_label, random_cases

THREE = ("competence", "error", "none")
truths = st.lists(st.sampled_from(THREE), min_size=1, max_size=40)
answers = st.sampled_from([*THREE, None])


@random_cases
def test_random_cases_are_those_of_scikit_learn(cases: int) -> None:
    """Its own way of saying it: answers that are none stand as a word that is no label."""
    for truth, said, labels in one_label(cases):
        words = [text or "(unparsed)" for text in said]
        assert accuracy(truth, said) == pytest.approx(accuracy_score(truth, words), abs=1e-9)
        expected = f1_score(truth, words, labels=labels, average="macro", zero_division=0)
        assert macro_f1(truth, said, labels) == pytest.approx(expected, abs=1e-9)
        each = f1_score(truth, words, labels=labels, average=None, zero_division=np.nan)
        ours = [np.nan if value is None else value for value in f1_by_label(truth, said, labels).values()]
        np.testing.assert_allclose(ours, each, atol=1e-9)
        table = confusion_matrix(truth, words, labels=[*labels, "(unparsed)"])
        assert (confusion(truth, said, labels) == table[: len(labels)]).all()


@given(truths, st.data())
def test_f1_written_out_by_hand(truth: list[str], data: st.DataObject) -> None:
    said = [data.draw(answers) for _ in truth]
    right = Counter(text for text, other in zip(truth, said, strict=True) if text == other)
    true, given_ = Counter(truth), Counter(said)
    each = {label: 2 * right[label] / ((true[label] + given_[label]) or 1) for label in THREE}
    assert macro_f1(truth, said, THREE) == pytest.approx(sum(each.values()) / 3, abs=1e-12)
    assert accuracy(truth, said) == pytest.approx(right.total() / len(truth), abs=1e-12)


@given(truths, st.data())
def test_neither_order_nor_names_of_labels_matter(truth: list[str], data: st.DataObject) -> None:
    said = [data.draw(answers) for _ in truth]
    pairs = data.draw(st.permutations([*zip(truth, said, strict=True)]))
    renamed = dict(zip(THREE, (7, "?", True), strict=True))
    again = macro_f1(
        [renamed[text] for text, _ in pairs], [text and renamed[text] for _, text in pairs], ["?", True, 7]
    )
    assert macro_f1(truth, said, THREE) == pytest.approx(again, abs=1e-12)


@given(truths, st.data())
def test_an_answer_that_could_not_be_read_is_never_worth_more_than_any_answer(
    truth: list[str], data: st.DataObject
) -> None:
    said = [data.draw(answers) for _ in truth]
    place = data.draw(st.integers(0, len(truth) - 1))
    unread, right = [*said], [*said]
    unread[place], right[place] = None, truth[place]
    for metric in (accuracy, lambda *both: macro_f1(*both, THREE)):
        assert metric(truth, unread) <= metric(truth, right) + 1e-12


@given(truths)
def test_who_is_always_right_has_all_that_the_draw_allows(truth: list[str]) -> None:
    assert accuracy(truth, truth) == 1
    assert macro_f1(truth, truth, THREE) == pytest.approx(highest_macro_f1(truth, THREE))
    assert (highest_macro_f1(truth, THREE) == 1) == ({*truth} == {*THREE})


@given(truths, st.sampled_from(THREE))
def test_who_always_says_the_same_has_the_closed_form(truth: list[str], label: str) -> None:
    found = macro_f1(truth, [label] * len(truth), THREE)
    assert found == pytest.approx(constant_macro_f1(truth, label, THREE), abs=1e-12)


def test_the_shares_of_shrec() -> None:
    """59 competence, 100 error, 41 none of 200: F1 of error is 2/3, and a third of it remains."""
    truth = ["competence"] * 59 + ["error"] * 100 + ["none"] * 41
    assert constant_macro_f1(truth, "error", THREE) == pytest.approx(2 / 9)
    assert macro_f1(truth, ["error"] * 200, THREE) == pytest.approx(2 / 9)


def test_a_label_that_is_missing_from_a_draw_counts_all_the_same() -> None:
    truth = ["error", "error", "competence", "competence"]
    assert macro_f1(truth, truth, THREE) == pytest.approx(2 / 3)
    assert f1_by_label(truth, truth, THREE) == {"competence": 1, "error": 1, "none": None}
    wrongly = ["none", "error", "competence", "competence"]
    assert f1_by_label(truth, wrongly, THREE)["none"] == 0


def test_a_judge_that_always_refuses_is_wrong_throughout() -> None:
    truth = ["error", "competence", "none"]
    said = [None] * 3
    assert accuracy(truth, said) == 0
    assert macro_f1(truth, said, THREE) == 0
    assert confusion(truth, said, THREE)[:, -1].tolist() == [1, 1, 1]
    assert constant_macro_f1(truth, None, THREE) == 0


def test_without_items_there_is_no_figure() -> None:
    assert accuracy([], []) is None
    assert macro_f1([], [], THREE) is None
    assert f1_by_label([], [], THREE) == dict.fromkeys(THREE)
    assert confusion([], [], THREE).tolist() == np.zeros((3, 4)).tolist()
    assert constant_macro_f1([], "error", THREE) is None
    assert highest_macro_f1([], THREE) is None


def test_one_item_and_one_label() -> None:
    assert macro_f1(["error"], ["error"], ["error"]) == 1
    assert macro_f1(["error"], [None], ["error"]) == 0
    assert macro_f1([True], [True], [True, False]) == 0.5


def test_an_answer_that_is_no_label_is_wrong_and_a_truth_that_is_none_is_a_mistake() -> None:
    assert macro_f1(["error"], ["nonsense"], THREE) == 0
    assert confusion(["error"], ["nonsense"], THREE)[1, 3] == 1
    with pytest.raises(ValueError, match="no label"):
        macro_f1(["nonsense"], ["error"], THREE)
    for function in (accuracy, lambda *both: macro_f1(*both, THREE)):
        with pytest.raises(ValueError, match="1 truths, 2 answers"):
            function(["error"], ["error", "none"])


def test_nothing_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert macro_f1(["error"], ["none"], LABELS) == 0
