"""Consistency over chains and subchains against a table that was worked out by hand, and baselines against theory."""

import math
import random
from collections.abc import Mapping, Sequence

import pytest

from benchmark.questions.chain_consistency import (
    AnswerScorer,
    Consistency,
    CoveredQuestions,
    chain_coverage,
    expected_consistency,
    score_chain,
    score_subchains,
)
from benchmark.questions.question_validity import required_questions
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.questions import CHAIN_QUESTION_KINDS, Maker, Question, WrongOption
from tests.builders.drawn_questions import drawn

WRONG = tuple(WrongOption(text) for text in ("one", "two", "three", "four"))


def questions(graph: ChainGraph, kinds: Sequence[object] = CHAIN_QUESTION_KINDS) -> list[Question]:
    """Return every question of a chain; the id of each is its part."""
    return [
        Question(
            *(wanted.part, graph.chain.recording_id, graph.chain.id, wanted.kind, wanted.aspect, wanted.covers, "x"),
            *(0, 1, "?", "right", WRONG, "", 0, 0, Maker.RULES, "ada", "", "2026-01-01T00:00:00.000Z"),
        )
        for wanted in required_questions(graph)
        if wanted.kind in kinds
    ]


# Six nodes, three subchains:  a, b -> c;  c -> d;  d, e -> f;  d and f are states.
HOUSE = drawn(
    {"a": "rain", "b": "an open door", "c": "a wet floor", "d": "worry", "e": "a laugh", "f": "anger"},
    "a>c b>c c>d d>f e>f",
    kinds={"d": NodeKind.EMOTION, "f": NodeKind.EMOTION},
)
PAIR = drawn({"p": "a joke", "q": "a smile"}, "p>q", chain="pair", recording="s")
ALL = [*questions(HOUSE), *questions(PAIR)]

# By hand. D(c) = CW:c CH/W:c EU:a EU:b EU:c; D(d) = CW:d CH/W:d EU:c MSE:d; D(f) = CW:f CH/W:f MSE:d EU:e MSE:f.
# D(house) is their union, 12 questions; D(pair) = CW:q CH/W:q EU:p EU:q.
TABLE = [
    # what is answered wrong             chains right   subchains right (of c, d, f, q)
    ((), 2, 4),
    (("EU:a",), 1, 3),
    (("EU:c",), 1, 2),
    (("MSE:d",), 1, 2),
    (("EU:a", "EU:e"), 1, 2),
    (("CW:d",), 1, 3),
    (("CH/W:q",), 1, 3),
    (("EU:c", "EU:e"), 1, 1),
    (("EU:c", "EU:e", "EU:p"), 0, 0),
]


def covered() -> list[CoveredQuestions]:
    return [chain_coverage(HOUSE, ALL), chain_coverage(PAIR, ALL)]


def test_which_questions_belong_to_which_subchain() -> None:
    house, pair = covered()
    assert {result: {*ids} for result, ids in house.subchains.items()} == {
        "c": {"CW:c", "CH/W:c", "EU:a", "EU:b", "EU:c"},
        "d": {"CW:d", "CH/W:d", "EU:c", "MSE:d"},
        "f": {"CW:f", "CH/W:f", "MSE:d", "EU:e", "MSE:f"},
    }
    assert len(house.questions) == 12
    assert {*pair.questions} == {"CW:q", "CH/W:q", "EU:p", "EU:q"}
    assert (house.steps, pair.steps) == (3, 1)


@pytest.mark.parametrize(("wrong", "chains", "subchains"), TABLE)
def test_the_table_that_was_worked_out_by_hand(wrong: Sequence[str], chains: int, subchains: int) -> None:
    right = {question.id: question.id not in wrong for question in ALL}
    scorer = AnswerScorer(ALL, right, covered(), samples=0)
    whole, part = scorer.chain_consistency(), scorer.subchain_consistency()
    assert (whole.value, whole.n) == (pytest.approx(chains / 2), 2)
    assert (part.value, part.n) == (pytest.approx(subchains / 4), 4)
    assert scorer.accuracy().value == pytest.approx(1 - len(wrong) / 16)


def test_what_was_not_asked_makes_wrong_what_was_begun_and_is_counted() -> None:
    house, pair = covered()
    right = {question: True for question in house.questions if question != "EU:b"}
    assert score_chain(house, right) == Consistency(0, 1, 0, 1)
    assert score_subchains(house, right) == Consistency(2, 3, 0, 1)
    assert score_chain(pair, right) == Consistency(left_out=1)
    figure = AnswerScorer(ALL, right, covered(), samples=0).chain_consistency()
    assert (figure.value, figure.n) == (0.0, 1)
    assert figure.more == {"left_out": 1, "missing": 1}
    scorer = AnswerScorer(ALL, {}, covered())
    for figure in (scorer.accuracy(), scorer.chain_consistency(), scorer.subchain_consistency()):
        assert figure.value is None
        assert figure.reason


def test_multi_step_questions_and_those_of_lonely_nodes_never_count() -> None:
    lonely = drawn({"a": "rain", "b": "an open door", "z": "a bird sings"}, "a>b")
    assert "EU:z" not in chain_coverage(lonely, questions(lonely)).questions
    assert chain_coverage(drawn({"z": "a bird sings"}), questions(lonely)).subchains == {}


def many(count: int) -> tuple[list[Question], list[CoveredQuestions]]:
    asked, chains = [], []
    for at in range(count):
        steps = 1 + at % 6
        graph = drawn(
            {f"{at}.{n}": f"t{n}" for n in range(steps + 1)},
            " ".join(f"{at}.{n}>{at}.{n + 1}" for n in range(steps)),
            chain=f"c{at}",
            recording=f"r{at // 2}",
        )
        own = questions(graph)
        asked += own
        chains.append(chain_coverage(graph, own))
    return asked, chains


def answers(asked: Sequence[Question], chance: float, seed: int) -> Mapping[str, bool]:
    draw = random.Random(seed)
    return {question.id: draw.random() < chance for question in asked}


def test_an_oracle_is_right_everywhere_and_a_constant_chance_is_what_theory_says() -> None:
    asked, chains = many(300)
    oracle = AnswerScorer(asked, answers(asked, 1.0, 0), chains, samples=200)
    assert oracle.accuracy().value == oracle.chain_consistency().value == oracle.subchain_consistency().value == 1
    assert {figure.value for figure in oracle.accuracy_by_kind().values()} == {1.0}
    right = AnswerScorer(asked, answers(asked, 0.9, 1), chains, samples=200)
    sizes = [len(chain.questions) for chain in chains]
    parts = [len(ids) for chain in chains for ids in chain.subchains.values()]
    for figure, numbers in ((right.chain_consistency(), sizes), (right.subchain_consistency(), parts)):
        theory = expected_consistency(numbers, 0.9)
        spread = math.sqrt(sum(0.9**n * (1 - 0.9**n) for n in sizes)) / len(sizes)
        assert figure.value == pytest.approx(theory, abs=3 * spread)
        assert figure.low < figure.value < figure.high
    guesses = AnswerScorer(asked, answers(asked, 0.2, 2), chains, samples=0)
    assert guesses.accuracy().value == pytest.approx(0.2, abs=3 * math.sqrt(0.2 * 0.8 / len(asked)))


def test_by_kind_by_state_and_by_length() -> None:
    scorer = AnswerScorer(ALL, {question.id: question.id != "MSE:d" for question in ALL}, covered(), samples=0)
    values = [
        {key: figure.value for key, figure in figures.items()}
        for figures in (scorer.accuracy_by_kind(), scorer.accuracy_by_state(), scorer.accuracy_by_steps())
    ]
    assert values == [{"EU": 1, "MSE": 0.5, "CW": 1, "CH/W": 1}, {"emotion": 0.5}, {1: 1.0, 3: 11 / 12}]
    assert (scorer.chain_consistency(1).value, scorer.chain_consistency(3).value) == (1, 0)
