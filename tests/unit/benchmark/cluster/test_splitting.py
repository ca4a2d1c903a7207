"""A run that is cut asks what the whole one asks, and keeps together what holds for the run as a whole."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.judging.ask_job import merge_results, partial_result, remaining_job, served_judge_ids, split_job
from benchmark.judging.judge_worker import RunItem
from benchmark.judging.judgment_record import judge_json, judgment_json, subject_fields
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_config import Payload, read_payload
from benchmark.judging.run_outcome import RunNote, RunOutcome, read_outcome
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus, Modality
from project.errors import UserError
from project.session.jobs import JobSpec

FREE = Limits()
SERVED = {"url": "http://localhost:1/v1"}
PRICED = {**SERVED, "price_in": 1.0, "price_out": 2.0, "currency": "EUR"}
ENTRIES = (
    JudgeEntry("r", "random", "random"),
    JudgeEntry("c", "constant", "constant", "", {"says": "error"}),
    JudgeEntry("l", "local", "llama-cpp", "/models/m.gguf"),
    JudgeEntry("a", "api", "openai", "m", SERVED),
    JudgeEntry("b", "other api", "openai", "m", SERVED),
)


def work_of(asked: list[tuple[int, int]], limits: Limits = FREE, entries: tuple[JudgeEntry, ...] = ENTRIES) -> JobSpec:
    """Return a run in which judges are asked about things: pairs of positions."""
    plans = tuple({"about": f"s{plan}"} for plan in range(max((plan for _, plan in asked), default=0) + 1))
    items = tuple(
        RunItem(judge, plan, f"key {judge} {plan}", "raw", "rec", f"s{plan}", plan, plan + 1) for judge, plan in asked
    )
    payload = Payload("verdict", "plain", 0, limits, entries, plans, items)
    return JobSpec("ask", "Ask", "rec", {"run": "whole", **payload.as_json()})


def asked_by(work: JobSpec) -> list[tuple[str, Any]]:
    payload = read_payload(work.parameters)
    return [(payload.entries[item.judge].id, payload.plans[item.plan]["about"]) for item in payload.items]


def judged(work: JobSpec, at: int, status: JudgmentStatus = JudgmentStatus.OK, cost: float | None = None) -> Judgment:
    payload = read_payload(work.parameters)
    run_item = payload.items[at]
    entry = payload.entries[run_item.judge]
    return Judgment(
        f"j{at}", entry.id, judge_json(entry), None, "rec", **subject_fields(run_item.about, "", Modality.BOTH),
        start_us=0, end_us=1, task="verdict", variant="plain", condition="raw", seed=0, prompt="p@1",
        prompt_sha256="", request_key=run_item.request_key, sight={}, status=status, answer={}, raw="",
        thinking="", mended="", model_id="",
        tokens_in=3, tokens_out=2, cost=cost, ms=1, calls=1, error="", cached_from=None, at="", program_version="",
    )  # fmt: skip


ASKED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), min_size=1, max_size=60, unique=True)


@given(ASKED, st.integers(1, 9), st.booleans())
def test_the_pieces_ask_everything_once_and_nothing_else(
    asked: list[tuple[int, int]], count: int, limited: bool
) -> None:
    work = work_of(asked, Limits(tokens=100) if limited else Limits())
    cut = split_job(work, count)
    assert sorted(each for job_spec in cut for each in asked_by(job_spec)) == sorted(asked_by(work))
    assert all(asked_by(job_spec) for job_spec in cut)
    runs = [job_spec.parameters["run"] for job_spec in cut]
    assert len({*runs, "whole"}) == len(runs) + 1


@given(ASKED, st.integers(1, 9))
def test_each_server_is_asked_from_one_place_and_a_model_is_loaded_no_oftener_than_wished(
    asked: list[tuple[int, int]], count: int
) -> None:
    cut = [{judge for judge, _ in asked_by(job_spec)} for job_spec in split_job(work_of(asked), count)]
    for judge in ("a", "b"):
        assert sum(judge in one for one in cut) <= 1
        assert all(one == {judge} for one in cut if judge in one)
    assert sum("l" in one for one in cut) <= count
    assert all(one == {"l"} for one in cut if "l" in one)
    assert sum(bool(one & {"r", "c"}) for one in cut) <= 3 * count


def test_models_that_share_a_budget_or_a_second_model_are_asked_from_one_place() -> None:
    asked = [(judge, plan) for judge in range(5) for plan in range(4)]
    under_budget = [{j for j, _ in asked_by(job_spec)} for job_spec in split_job(work_of(asked, Limits(money=1.0)), 4)]
    assert {"l", "a", "b"} in under_budget
    assert all(one <= {"r", "c"} for one in under_budget if one != {"l", "a", "b"})
    coerced = (*ENTRIES[:3], JudgeEntry("a", "api", "openai", "m", {**SERVED, "coerce": "other api"}), ENTRIES[4])
    together_asked = [{j for j, _ in asked_by(job_spec)} for job_spec in split_job(work_of(asked, entries=coerced), 4)]
    assert {"a", "b"} in together_asked
    assert served_judge_ids(work_of([(3, 0)], entries=coerced)) == {"a", "b"}
    assert [served_judge_ids(work_of([(judge, 0)])) for judge in range(4)] == [set(), set(), set(), {"a"}]


@given(ASKED, st.data())
def test_what_was_answered_is_not_in_what_is_left(asked: list[tuple[int, int]], data: st.DataObject) -> None:
    work = work_of(asked)
    answered = data.draw(st.sets(st.integers(0, len(asked) - 1)))
    parts = [{"judgments": [judgment_json(judged(work, at)) for at in answered]}]
    left = remaining_job(work, parts)
    everything = asked_by(work)
    expected = [pair for at, pair in enumerate(everything) if at not in answered]
    assert (asked_by(left) if left is not None else []) == expected


def test_a_run_with_a_budget_is_not_taken_up_again_by_itself() -> None:
    with pytest.raises(UserError, match="what it spent last is not known"):
        remaining_job(work_of([(3, 0), (3, 1)], Limits(money=1.0)), [])
    free = remaining_job(work_of([(0, 0), (0, 1)], Limits(money=1.0)), [])
    assert free is not None
    assert len(asked_by(free)) == 2


def test_what_came_of_the_pieces_is_added_up() -> None:
    first = RunOutcome(
        2, 1, 0, 1, notes=[RunNote("a", "api", "No.", about=["s1"])], tokens_in=5, money={"EUR": 0.5}, seconds=2
    )
    second = RunOutcome(
        3, notes=[RunNote("a", "api", "No.", about=["s2"]), RunNote("b", "b", "No.")], money={"EUR": 1.0, "USD": 2}
    )
    found = read_outcome(merge_results([first.as_json(), second.as_json()]))
    assert (found.answered, found.unparsed, found.failed, found.tokens_in) == (5, 1, 1, 5)
    assert found.money == {"EUR": 1.5, "USD": 2}
    assert [(note.judge, note.about) for note in found.notes] == [("api", ["s1", "s2"]), ("b", [])]
    assert found.seconds == 2


def test_what_came_of_a_piece_that_broke_off_is_told_by_its_answers() -> None:
    entries = (JudgeEntry("a", "api", "openai", "m", PRICED),)
    work = work_of([(0, 0), (0, 1), (0, 2)], entries=entries)
    statuses = (JudgmentStatus.OK, JudgmentStatus.REFUSED, JudgmentStatus.ERROR)
    parts = [{"judgments": [judgment_json(judged(work, at, status, 0.25))]} for at, status in enumerate(statuses)]
    found = read_outcome(partial_result(parts))
    assert (found.answered, found.refused, found.failed, found.completed) == (1, 1, 1, 3)
    assert (found.tokens_in, found.tokens_out, found.money) == (9, 6, {"EUR": 0.75})
