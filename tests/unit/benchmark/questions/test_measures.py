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
from benchmark.questions.chain_consistency import expected_consistency
from benchmark.questions.question_edits import correct_question
from benchmark.questions.question_measures import BASE, SUB, SUB_TOM, JudgeMeasures, measure_judges
from benchmark.questions.verification import verify
from project.entities.judgments import Modality
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.progress import Silent
from project.queries.question_rows import all_questions
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains

KEPT = 16


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study whose questions three judges were asked."""
    path = tmp_path_factory.mktemp("asked") / "asked.greenroom"
    with Study.create(path) as study:
        fill_with_chains(study, chains=KEPT)
    with Session.open(path, "Annotator 1") as session:
        add_rule_questions(session)
        for backend in ("random", "oracle", "reliable"):
            add_judge(session, backend, backend)
        ask(session, [question.id for question in all_questions(session.study)], "random", "oracle", "reliable")
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


def of(session: Session, name: str, *, everything: bool = True) -> JudgeMeasures:
    (found,) = measure_judges(session, [name], everything=everything, samples=100).judges
    return found


def test_an_oracle_is_right_everywhere(session: Session) -> None:
    found = of(session, "oracle")
    assert found.overall.value == found.chain.value == found.subchain.value == 1
    assert found.asked == len(all_questions(session.study))
    assert {statistic_result.value for statistic_result in found.by_kind.values()} == {1.0}
    assert found.chain.n == KEPT
    assert found.chain.more == {"left_out": 0, "missing": 0}


def test_a_random_judge_is_right_in_one_of_five(session: Session) -> None:
    found = of(session, "random")
    assert found.overall.value == pytest.approx(0.2, abs=3 * math.sqrt(0.16 / found.asked))


def test_a_reliable_judge_is_as_consistent_as_theory_says(session: Session) -> None:
    sizes = measure_judges(session, everything=True, samples=0).sizes
    found = of(session, "reliable")
    assert found.overall.value == pytest.approx(0.9, abs=3 * math.sqrt(0.09 / found.asked))
    for figure, numbers in ((found.chain, sizes[0]), (found.subchain, sizes[1])):
        # Subchains of a chain share questions, so there are fewer that do not depend on each other: one a chain.
        variance = sum(0.9**n * (1 - 0.9**n) for n in sizes[0]) / len(sizes[0]) ** 2
        assert figure.value == pytest.approx(expected_consistency(numbers, 0.9), abs=3 * math.sqrt(variance))


def test_only_verified_questions_count_unless_all_are_wished_for(session: Session) -> None:
    none = measure_judges(session, samples=0)
    assert (none.questions, none.judges) == (0, ())
    first, *_ = all_questions(session.study)
    for name in ("Ben", "Cleo"):
        session.annotator_name = name
        verify(session, first.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    some = measure_judges(session, samples=0)
    assert some.questions == 1
    assert {judge.asked for judge in some.judges} == {1}
    everything = measure_judges(session, everything=True, samples=0)
    assert everything.questions == len(all_questions(session.study))
    assert everything.unverified == everything.questions - 1


def test_an_answer_to_other_words_does_not_count(session: Session) -> None:
    first, *_ = all_questions(session.study)
    before = of(session, "oracle")
    correct_question(session, first.id, text="What goes on here, then?")
    after = of(session, "oracle")
    assert after.asked == before.asked - 1
    missing = after.chain.more["missing"]
    assert missing == 1
    assert after.chain.value == pytest.approx(1 - 1 / KEPT)


def test_settings_are_told_apart(session: Session) -> None:
    few = [question.id for question in all_questions(session.study)[:5]]
    for setting in ("base", "sub-tom"):
        ask(session, few, "oracle", setting=setting)
    found = [judge.setup for judge in measure_judges(session, ["oracle"], everything=True, samples=0).judges]
    assert {(judge_setup.setting, judge_setup.modality) for judge_setup in found} == {
        (BASE, Modality.NOTHING),
        (SUB, Modality.TEXT),
        (SUB_TOM, Modality.TEXT),
    }


def test_the_set_itself_is_measured_and_published_rows_stand_beside(session: Session) -> None:
    found = measure_judges(session, everything=True, samples=0)
    assert found.diagnostics["accuracy"].value is not None
    assert found.diagnostics["inherent_bias"].value is None
    assert found.diagnostics["inherent_bias"].reason
    assert {row.paper for row in found.published} == {"R3-VQA", "ESI-Bench"}
    json.dumps(found.as_json(), allow_nan=False)
