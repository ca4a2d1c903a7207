"""A judge is tried by a job, with the leave of whoever holds the study, and nothing of it is kept but the journal."""

import pytest

from benchmark.judging import judge_trial as trying
from project.entities.egress_policy import Forbidden, Purpose
from project.entities.judgments import JudgeEntry
from project.progress import Silent
from project.queries.policy_rows import all_egress
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.misbehaving_server import misbehaving, says


def test_a_server_that_answers_is_found_and_written_down(session: Session) -> None:
    with misbehaving(says('{"colour": "red"}')) as server:
        entry = JudgeEntry("1", "Lab", "openai", "fake-1", {"url": server.url})
        result, changes = run_inline(session, trying.prepare(entry, "sk-typed-once"), Silent())
        headers = [dict(asked.headers) for asked in (*server.asked, *server.listed)]
    assert result.ok is True
    assert not changes
    assert any(header.get("authorization") == "Bearer sk-typed-once" for header in headers)
    assert "sk-typed-once" not in str(result)
    assert {egress.request.purpose for egress in all_egress(session.study)} == {Purpose.TEST}
    assert {(egress.request.condition, egress.request.recording_id) for egress in all_egress(session.study)} == {
        ("", "")
    }


def test_another_machine_is_not_asked_where_nothing_leaves_and_a_baseline_answers_at_once(session: Session) -> None:
    entry = JudgeEntry("1", "Far", "openai", "m", {"url": "http://192.0.2.1/v1"})
    with pytest.raises(Forbidden) as caught:
        run_inline(session, trying.prepare(entry), Silent())
    assert caught.value.rule == "nothing-leaves"
    (line,) = all_egress(session.study)
    assert (line.rule, line.permission) == ("nothing-leaves", "")
    result, _ = run_inline(session, trying.prepare(JudgeEntry("1", "Chance", "random")), Silent())
    assert result.ok is True
    assert all_egress(session.study) == [line]
