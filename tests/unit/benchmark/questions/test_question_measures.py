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
from benchmark.questions.verification import verify
from project.entities.judgments import Modality
from project.entities.questions import CHECKLIST_KEYS, Question, QuestionKind, Verification, VerificationDecision
from project.progress import Silent
from project.queries.question_rows import all_questions
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains
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
    def letter(asked: Question, *, right: bool) -> str:
        return asked.correct_letter if right else next(text for text in "ABCD" if text != asked.correct_letter)

    with open_study(tmp_path) as session:
        esi, written = [question(at) for at in range(4)], [question(at, kind=QuestionKind.WRITTEN) for at in (5, 6)]
        add_questions(session, [*esi, *written])
        for asked in (*esi, *written):
            is_esi = asked.kind is QuestionKind.ESI
            said(session, asked, GPT, "answer", {"answer": letter(asked, right=is_esi)})
            said(session, asked, GPT, "answer", {"answer": letter(asked, right=not is_esi)}, seed=1)
            said(session, asked, GEMINI, "answer", {"answer": letter(asked, right=False)})
            warm = {"temperature": 0.8}
            said(session, asked, GEMINI, "answer", {"answer": letter(asked, right=True)}, settings=warm)
            said(session, asked, GPT, "difficulty", {"score": 3 if is_esi else 0})
        found = compute_measures(read_measures_input(session), everything=True, samples=0)
    values = {
        (figure.figure, figure.kind.value, figure.setup.name, figure.setup.seed): (figure.result.value, figure.result.n)
        for figure in found.diagnostics
    }
    assert values == {
        ("difficulty", "ESI", "gpt", 0): (3.0, 4),
        ("difficulty", "written", "gpt", 0): (0.0, 2),
        ("accuracy", "ESI", "gpt", 0): (1.0, 4),
        ("accuracy", "ESI", "gpt", 1): (0.0, 4),
        ("accuracy", "ESI", "gemini (temperature as usual)", 0): (0.0, 4),
        ("accuracy", "ESI", "gemini (temperature 0.8)", 0): (1.0, 4),
        ("accuracy", "written", "gpt", 0): (0.0, 2),
        ("accuracy", "written", "gpt", 1): (1.0, 2),
        ("accuracy", "written", "gemini (temperature as usual)", 0): (0.0, 2),
        ("accuracy", "written", "gemini (temperature 0.8)", 0): (1.0, 2),
    }
    beside = {(figure.figure, figure.kind.value): figure.published for figure in found.diagnostics}
    assert beside[("accuracy", "ESI")].figures["accuracy"] == 53.26
    assert beside[("accuracy", "written")] is None
    assert all(judge.overall.value is None for judge in found.judges), "no question is of a kind that R3-VQA counts"
    json.dumps(found.as_json(), allow_nan=False)


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
