"""Judges measured by the questions of a study, asked through the machinery that asks any judge."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.authoring.question_requests import answer_request
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge, get_judges
from benchmark.questions.question_edits import correct_question
from benchmark.questions.question_measures import (
    BASE,
    SUB,
    SUB_TOM,
    JudgeMeasures,
    combine_difficulty,
    measure_judges,
)
from benchmark.questions.verification import verify
from project.entities.judgments import Modality
from project.entities.questions import CHECKLIST_KEYS, Verification, VerificationDecision
from project.progress import Silent
from project.queries.question_rows import all_questions
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains

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
    (measures,) = measure_judges(session, [name], everything=True, samples=100).judges
    return measures


def test_an_oracle_is_right_everywhere_and_a_random_judge_in_one_of_five(session: Session) -> None:
    oracle, chance = measures_of(session, "oracle"), measures_of(session, "random")
    assert oracle.overall.value == oracle.chain.value == oracle.subchain.value == 1
    assert oracle.asked == len(all_questions(session.study))
    assert {figure.value for figure in oracle.by_kind.values()} == {1.0}
    assert (oracle.chain.n, oracle.chain.more) == (KEPT, {"left_out": 0, "missing": 0})
    assert chance.overall.value == pytest.approx(0.2, abs=6 * math.sqrt(0.16 / chance.asked))
    assert len(measure_judges(session, everything=True, samples=0).sizes[0]) == KEPT


def test_only_verified_questions_count_unless_all_are_wished_for(session: Session) -> None:
    none = measure_judges(session, samples=0)
    assert (none.questions, none.judges) == (0, ())
    first, *_ = all_questions(session.study)
    for name in ("Ben", "Cleo"):
        session.annotator_name = name
        verify(session, first.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    some = measure_judges(session, samples=0)
    assert (some.questions, {judge.asked for judge in some.judges}) == (1, {1})
    everything = measure_judges(session, everything=True, samples=0)
    assert everything.questions == len(all_questions(session.study))
    assert everything.unverified == everything.questions - 1


def test_an_answer_to_other_words_does_not_count(session: Session) -> None:
    first, *rest = all_questions(session.study)
    correct_question(session, first.id, text="What goes on here, then?")
    oracle = measures_of(session, "oracle")
    assert oracle.asked == len(rest)
    assert oracle.chain.more["missing"] == 1
    assert oracle.chain.value == pytest.approx(1 - 1 / KEPT)


def test_settings_are_told_apart(session: Session) -> None:
    few = [question.id for question in all_questions(session.study)[:5]]
    for setting in ("base", "sub-tom"):
        ask(session, few, "oracle", setting=setting)
    setups = [judge.setup for judge in measure_judges(session, ["oracle"], everything=True, samples=0).judges]
    assert {(setup.setting, setup.modality) for setup in setups} == {
        (BASE, Modality.NOTHING),
        (SUB, Modality.TEXT),
        (SUB_TOM, Modality.TEXT),
    }


def test_the_set_itself_is_measured_and_published_rows_stand_beside(session: Session) -> None:
    measures = measure_judges(session, everything=True, samples=0)
    assert measures.diagnostics["accuracy"].value is not None
    assert measures.diagnostics["inherent_bias"].value is None
    assert measures.diagnostics["inherent_bias"].reason
    assert {row.paper for row in measures.published} == {"R3-VQA", "ESI-Bench"}
    json.dumps(measures.as_json(), allow_nan=False)


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
        (("easy",) * 3, (1, 1), "easy"),
        (("hard",) * 3, (3, 3), "hard"),
    ],
)
def test_people_and_models_meet_half_way_about_difficulty(
    people: tuple[str, ...], scores: tuple[float, ...], expected: str
) -> None:
    words = [
        Verification("q", str(at), VerificationDecision.KEEP, "chain", (), label, "", "", "")
        for at, label in enumerate(people)
    ]
    assert combine_difficulty(words, scores) == expected
