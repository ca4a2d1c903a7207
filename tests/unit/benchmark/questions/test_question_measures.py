"""Judges measured by the questions of a study; consistency over chains against a table worked out by hand."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmark.authoring.question_requests import answer_request
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge, get_judges
from benchmark.questions.chain_consistency import (
    AnswerScorer,
    Consistency,
    CoveredQuestions,
    chain_coverage,
    score_chain,
    score_subchains,
)
from benchmark.questions.question_edits import QuestionCorrection, add_questions, correct_question
from benchmark.questions.question_measures import (
    BASE,
    SUB,
    SUB_TOM,
    JudgeMeasures,
    combine_difficulty,
    compute_measures,
    read_measures_input,
)
from benchmark.questions.question_validity import required_questions
from benchmark.questions.verification import verify
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.judgments import Modality
from project.entities.questions import (
    CHAIN_QUESTION_KINDS,
    CHECKLIST_KEYS,
    Maker,
    Question,
    QuestionKind,
    Verification,
    VerificationDecision,
    WrongOption,
)
from project.entities.study_records import Json
from project.progress import Silent
from project.queries.question_rows import all_questions
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains
from tests.builders.drawn_questions import drawn
from tests.builders.marked_study import open_study
from tests.builders.questions_said import GEMINI, GPT, question, said

KEPT = 10


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study whose questions two judges were asked."""
    path = tmp_path_factory.mktemp("asked") / "asked.greenroom"
    with Study.create(path) as study:
        fill_with_chains(study, chains=KEPT)
    with Session.open(path, "Annotator 1") as session:
        add_rule_questions(session)
        for backend in ("random", "oracle"):
            add_judge(session, backend, backend)
        ask(session, [question.id for question in all_questions(session.study)], "random", "oracle")
    return path


@pytest.fixture
def session(asked: Path, tmp_path: Path) -> Iterator[Session]:
    copy = tmp_path / "copy.greenroom"
    copy.write_bytes(asked.read_bytes())
    with Session.open(copy, "Annotator 1") as opened:
        yield opened


def ask(session: Session, ids: list[str], *names: str, setting: str = "sub") -> None:
    asking = prepare(session, answer_request(get_judges(session, names), ids, setting))
    if asking.job is not None:
        run_inline(session, asking.job, Silent())


def measures_of(session: Session, name: str) -> JudgeMeasures:
    (measures,) = compute_measures(read_measures_input(session), [name], everything=True, samples=100).judges
    return measures


def test_an_oracle_is_right_everywhere_and_a_random_judge_in_one_of_five(session: Session) -> None:
    oracle, chance = measures_of(session, "oracle"), measures_of(session, "random")
    assert oracle.overall.value == oracle.chain.value == oracle.subchain.value == 1
    assert oracle.asked == len(all_questions(session.study))
    assert {figure.value for figure in oracle.by_kind.values()} == {1.0}
    assert (oracle.chain.n, oracle.chain.more) == (KEPT, {"left_out": 0, "missing": 0})
    assert chance.overall.value == pytest.approx(0.2, abs=6 * math.sqrt(0.16 / chance.asked))
    assert len(compute_measures(read_measures_input(session), everything=True, samples=0).sizes[0]) == KEPT


def test_only_verified_questions_count_unless_all_are_wished_for(session: Session) -> None:
    none = compute_measures(read_measures_input(session), samples=0)
    assert (none.questions, none.judges) == (0, ())
    first, *_ = all_questions(session.study)
    for name in ("Ben", "Cleo"):
        session.annotator_name = name
        verify(session, first.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    some = compute_measures(read_measures_input(session), samples=0)
    assert (some.questions, {judge.asked for judge in some.judges}) == (1, {1})
    everything = compute_measures(read_measures_input(session), everything=True, samples=0)
    assert everything.questions == len(all_questions(session.study))
    assert everything.unverified == everything.questions - 1


def test_an_answer_to_other_words_does_not_count(session: Session) -> None:
    first, *rest = all_questions(session.study)
    correct_question(session, first.id, QuestionCorrection(text="What goes on here, then?"))
    oracle = measures_of(session, "oracle")
    assert oracle.asked == len(rest)
    assert oracle.chain.more["missing"] == 1
    assert oracle.chain.value == pytest.approx(1 - 1 / KEPT)


def test_settings_are_told_apart(session: Session) -> None:
    few = [question.id for question in all_questions(session.study)[:5]]
    for setting in ("base", "sub-tom"):
        ask(session, few, "oracle", setting=setting)
    setups = [
        judge.setup
        for judge in compute_measures(read_measures_input(session), ["oracle"], everything=True, samples=0).judges
    ]
    assert {(setup.setting, setup.modality) for setup in setups} == {
        (BASE, Modality.NOTHING),
        (SUB, Modality.TEXT),
        (SUB_TOM, Modality.TEXT),
    }


def test_table_three_is_never_pooled_over_kinds_judges_settings_or_seeds(tmp_path: Path) -> None:
    def answer(asked: Question, *, right: bool) -> dict[str, Json]:
        return {
            "answer": asked.correct_letter if right else next(text for text in "AB" if text != asked.correct_letter)
        }

    with open_study(tmp_path) as session:
        made = [question(0), question(1), question(5, kind=QuestionKind.WRITTEN)]
        add_questions(session, made)
        for asked in made:
            is_esi = asked.kind is QuestionKind.ESI
            said(session, asked, GPT, "answer", answer(asked, right=is_esi))
            said(session, asked, GPT, "answer", answer(asked, right=not is_esi), seed=1)
            said(session, asked, GEMINI, "answer", answer(asked, right=False))
            said(session, asked, GEMINI, "answer", answer(asked, right=True), settings={"temperature": 0.8})
            said(session, asked, GPT, "difficulty", {"score": 3 if is_esi else 0})
        found = compute_measures(read_measures_input(session), everything=True, samples=0)
    values = {
        (figure.figure, figure.kind.value, figure.setup.name, figure.setup.seed): (figure.result.value, figure.result.n)
        for figure in found.diagnostics
    }
    assert len(values) == 10
    for key, expected in {
        ("difficulty", "ESI", "gpt", 0): (3.0, 2),
        ("difficulty", "written", "gpt", 0): (0.0, 1),
        ("accuracy", "ESI", "gpt", 0): (1.0, 2),
        ("accuracy", "ESI", "gpt", 1): (0.0, 2),
        ("accuracy", "ESI", "gemini (temperature 0.8)", 0): (1.0, 2),
        ("accuracy", "written", "gpt", 0): (0.0, 1),
    }.items():
        assert values[key] == expected
    beside = {(figure.figure, figure.kind.value): figure.published for figure in found.diagnostics}
    assert beside[("accuracy", "ESI")].figures["accuracy"] == 53.26
    assert beside[("accuracy", "written")] is None
    assert all(judge.overall.value is None for judge in found.judges), "no question is of a kind that R3-VQA counts"
    json.dumps(found.as_json(), allow_nan=False)


def test_people_and_models_meet_half_way_about_difficulty() -> None:
    for people, scores, expected in (
        ((), (), ""),
        ((), (2,), "intermediate"),
        (("hard",), (), "hard"),
        (("easy",), (3,), "intermediate"),
        (("hard",), (2,), "hard"),
        (("easy", "hard"), (), "easy"),
        (("hard",) * 3, (3, 3), "hard"),
    ):
        words = [
            Verification("q", str(at), VerificationDecision.KEEP, "chain", (), label, "", "", "")
            for at, label in enumerate(people)
        ]
        assert combine_difficulty(words, scores) == expected, (people, scores)


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
    (("MSE:d",), 1, 2),
    (("CH/W:q",), 1, 3),
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


def test_by_kind_by_state_and_by_length() -> None:
    scorer = AnswerScorer(ALL, {question.id: question.id != "MSE:d" for question in ALL}, covered(), samples=0)
    values = [
        {key: figure.value for key, figure in figures.items()}
        for figures in (scorer.accuracy_by_kind(), scorer.accuracy_by_state(), scorer.accuracy_by_steps())
    ]
    assert values == [{"EU": 1, "MSE": 0.5, "CW": 1, "CH/W": 1}, {"emotion": 0.5}, {1: 1.0, 3: 11 / 12}]
    assert (scorer.chain_consistency(1).value, scorer.chain_consistency(3).value) == (1, 0)
