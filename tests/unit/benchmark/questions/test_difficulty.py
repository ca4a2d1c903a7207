"""The label of difficulty that people and models give together."""

import pytest

from benchmark.questions.question_measures import combine_difficulty
from project.entities.questions import DIFFICULTIES, Verification, VerificationDecision


def labelled(*labels: str) -> list[Verification]:
    return [
        Verification("q", str(at), VerificationDecision.KEEP, "chain", (), label, "", "", "")
        for at, label in enumerate(labels)
    ]


@pytest.mark.parametrize(
    ("people", "scores", "expected"),
    [
        ((), (), ""),
        (("",), (), ""),
        ((), (2,), "intermediate"),
        ((), (0,), "easy"),
        (("hard",), (), "hard"),
        (("easy", "hard"), (), "easy"),
        (("easy",), (3,), "intermediate"),
        (("hard",), (0,), "intermediate"),
        (("easy",), (2,), "easy"),
        (("hard",), (2,), "hard"),
        (("intermediate", "intermediate"), (3, 3), "intermediate"),
        (("intermediate",), (0,), "intermediate"),
    ],
)
def test_both_sides_meet_half_way(people: tuple[str, ...], scores: tuple[float, ...], expected: str) -> None:
    assert combine_difficulty(labelled(*people), scores) == expected


@pytest.mark.parametrize("label", DIFFICULTIES)
def test_where_all_say_the_same_that_is_it(label: str) -> None:
    score = {"easy": 1, "intermediate": 2, "hard": 3}[label]
    assert combine_difficulty(labelled(label, label, label), [score, score]) == label
