"""A real model in a GGUF file, with random weights, is asked about questions, chains and recordings."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.authoring import judge_questions as by_judge
from benchmark.authoring.judge_questions import NO_ANSWER
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_config import AskRequest
from models.judges.llama_cpp import model_process as sharing
from project.entities.judgments import JudgeEntry, JudgmentStatus, JudgmentTarget, JudgmentTargetKind, Modality
from project.entities.questions import QuestionKind
from project.queries.question_rows import all_questions
from project.session.session import Session
from tests.builders.conversation_study import open_seen, people, recording_of, say
from tests.builders.subjects import a_chain, a_question
from tests.builders.tiny_gguf import TinyModel
from tests.builders.worded_questions import asked


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_seen(tmp_path) as opened:
        _, user = people(opened, "P07")
        say(opened, 3, 4, "Hi.", user)
        yield opened


@pytest.fixture
def judge(session: Session, tiny_gguf: TinyModel) -> Iterator[JudgeEntry]:
    pytest.importorskip("llama_cpp")
    file = {"projector": str(tiny_gguf.projector), "context": 16384, "threads": 1, "frames": 2, "max_tokens": 60}
    yield add_judge(session, "File", "llama-cpp", str(tiny_gguf.model), file)[0]
    sharing.end_all_processes()


def test_it_answers_a_question_that_it_sees_and_one_that_it_does_not(session: Session, judge: JudgeEntry) -> None:
    question = a_question(session, recording_of(session), "P07")
    about = [JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key]
    (said,) = asked(session, AskRequest([judge], about, "answer"))
    assert (said.status, said.modality, said.state) == (JudgmentStatus.OK, Modality.BOTH, question.checksum)
    assert str(said.answer["answer"]) in "ABCDE"
    assert len(said.sight["frames"]) == 2
    (alone,) = asked(session, AskRequest([judge], about, "options_only"))
    assert (alone.status, alone.modality, alone.sight["frames"]) == (JudgmentStatus.OK, Modality.NOTHING, [])


def test_forms_with_long_texts_are_grammars_that_it_can_be_held_to(session: Session, judge: JudgeEntry) -> None:
    place = recording_of(session)
    graph = a_chain(session, place, "P07")
    word = by_judge.chain_requests(session, [graph.chain.id], [judge], [QuestionKind.HOW])
    long = AskRequest([judge], [JudgmentTarget(JudgmentTargetKind.RECORDING, place).key], "words_summary")
    said = [judgment for request in (replace(word, about=word.about[:1]), long) for judgment in asked(session, request)]
    # It writes noise and is stopped inside its first text; a grammar that it cannot read would be an error.
    assert [judgment.status for judgment in said] == [JudgmentStatus.UNPARSED] * 2
    assert by_judge.import_chain_questions(session, said[:1])[0].skipped == {NO_ANSWER: 1}
    assert all_questions(session.study) == []
