"""Which statements and explanations of a study become items, and what their truth is."""

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.study.scheme_versions import use_shipped_scheme
from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets.frozen_sets import find_changed_items, make_set
from benchmark.sets.rated_material import NO_EXPLANATION, UNRATED, explanation_pool, statement_pool
from project.entities.frozen_items import ItemModality
from project.entities.study_records import Json
from project.progress import Silent
from project.queries.item_set_rows import items_of
from project.queries.recording_rows import RECORDINGS
from project.session.session import Session
from tests.builders.marked_study import WALK

LIKELY, EXPLAIN = "nli_likelihood/nli_support", "explanation"


@pytest.fixture
def session(session: Session) -> Session:
    use_shipped_scheme(session, "socialnli")
    return session


def state(session: Session, text: str, plausibility: int | None, who: str = "Ada", why: str = "So.") -> None:
    session.annotator_name = who
    values: dict[str, Json] = {"statement": text}
    if plausibility is not None:
        values |= {"plausibility": plausibility, "explanation": why}
    add_segment(session, WALK, 0, 5_000_000, "belief", values, scheme="socialnli")


def test_one_statement_has_the_mean_of_its_raters_to_one_decimal_and_its_explanations(session: Session) -> None:
    state(session, "He left.", None)
    found = statement_pool(session)
    assert (len(found.candidates), found.left_out) == (0, {UNRATED: 1})
    assert explanation_pool(session).left_out == {NO_EXPLANATION: 1}
    state(session, "She knows.", 80, why="She smiles.")
    (before,) = statement_pool(session).candidates
    state(session, "she KNOWS", 93, "Bo")
    (candidate,) = statement_pool(session).candidates
    assert candidate.made_from != before.made_from, "another rating is another state"
    truth = candidate.content["truth"]
    assert truth["nli_plausibility"] == {"plausibility": 90}
    assert truth[LIKELY] == {"score": 9}
    assert truth["nli_likelihood/nli_oppose"] == {"score": 5}
    state(session, "They sing.", 10)
    facts = [candidate.content["facts"] for candidate in explanation_pool(session).candidates]
    assert (facts[0][EXPLAIN], facts[0]["stance"]) == ("She smiles.", "The statement is true.")
    assert facts[-1]["stance"] == "The statement is false."


def test_what_was_explained_about_a_recording_that_is_gone_is_passed_over(session: Session) -> None:
    state(session, "She knows.", 80)
    made, _ = make_set(session, "socialnli")
    judge, _ = add_judge(session, "oracle", "oracle", "", {})
    run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT), Silent())
    explained = len(explanation_pool(session).candidates)
    assert explained > 1, "people's and the judge's own"
    with session.step("Delete"):
        RECORDINGS.delete_tree(session.study, WALK)
    assert explanation_pool(session).candidates == ()
    assert read_figures(session)[0].counts.counted
    assert len(find_changed_items(session, made)) == len(items_of(session.study, made.id))
    again = run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT, fresh=True), Silent())
    assert {note.message for note in again.notes} == {"This recording is no longer in the study."}
