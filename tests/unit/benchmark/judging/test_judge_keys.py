"""Keys are kept for a judge at an address, in a keyring or a variable, and go nowhere else."""

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from benchmark.judging import judge_trial as trying
from benchmark.judging.judge_registry import (
    delete_key,
    find_key,
    key_location,
    key_variable,
    redact_key,
    server_address,
    store_key,
)
from project.entities.egress_policy import Forbidden, Purpose
from project.entities.judgments import JudgeEntry
from project.errors import UserError
from project.progress import Silent
from project.queries.policy_rows import all_egress
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.misbehaving_server import misbehaving, says


class Ring(KeyringBackend):
    """A keyring that forgets everything with the test."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError
        del self.kept[service, username]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ring]:
    for name in ("GREENROOM_KEY_GPT", "GREENROOM_KEY_GPT_AT", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    before, made = keyring.get_keyring(), Ring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def judge(name: str = "gpt", url: str = "https://api.example.org/v1") -> JudgeEntry:
    return JudgeEntry("id", name, "openai", "model", {"url": url})


ELSEWHERE = ("https://evil.example/v1", "http://api.example.org/v1", "https://api.example.org:8443/v1")


def test_a_key_that_was_kept_is_found_at_its_server_alone_and_can_be_forgotten(ring: Ring) -> None:
    store_key(judge(), " sk-one\n")
    assert find_key(judge()) == "sk-one"
    assert key_location(judge()) == "keyring"
    assert delete_key(judge())
    assert (find_key(judge()), key_location(judge()), delete_key(judge())) == ("", "", False)
    store_key(judge(), "sk-one")
    assert [find_key(judge(url=url)) for url in ELSEWHERE] == [""] * 3


def test_a_variable_says_at_which_server_it_is_used_and_goes_before_the_keyring(
    ring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_key(judge(), "sk-ring")
    monkeypatch.setenv("GREENROOM_KEY_GPT", "sk-variable")
    for at in ("api.example.org", "https://api.example.org:443", "https://API.example.org/v1/chat"):
        monkeypatch.setenv("GREENROOM_KEY_GPT_AT", at)
        assert (find_key(judge()), key_location(judge())) == ("sk-variable", "GREENROOM_KEY_GPT")
        for url in ELSEWHERE:
            assert (find_key(judge(url=url)), key_location(judge(url=url))) == ("", "")


def test_a_variable_that_says_no_server_is_used_at_none(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_KEY_GPT", "sk-variable")
    for at in (None, "", "https://", "https://[::1", "nonsense nonsense"):
        if at is not None:
            monkeypatch.setenv("GREENROOM_KEY_GPT_AT", at)
        for url in ("https://api.example.org/v1", "http://localhost:8080/v1", "https://api.openai.com/v1"):
            assert find_key(judge(url=url)) == ""


def test_the_usual_variable_is_for_its_own_server_alone(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    assert find_key(judge(url="https://api.openai.com/v1")) == "sk-usual"
    for url in ("https://api.example.org/v1", "http://api.openai.com/v1", "https://api.openai.com.evil.example/v1"):
        assert find_key(judge(url=url)) == ""


def test_without_a_keyring_or_with_one_that_breaks_a_line_names_the_variable_and_no_key(
    ring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    from keyring.backends.fail import Keyring

    def broken(*_given: str) -> None:
        raise LookupError("sk-very-secret")

    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(ring, name, broken)
    for here in (ring, Keyring()):
        keyring.set_keyring(here)
        assert (find_key(judge()), key_location(judge()), delete_key(judge())) == ("", "", False)
        with pytest.raises(UserError) as told:
            store_key(judge("gpt 4o"), "sk-very-secret")
        assert "GREENROOM_KEY_GPT_4O, with GREENROOM_KEY_GPT_4O_AT=https://api.example.org" in told.value.hint
        assert "secret" not in str(told.value)
        assert told.value.__suppress_context__


def test_what_is_no_key_is_refused_and_not_repeated(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("  ", "two words", "schlüssel", "k" * 5000):
        with pytest.raises(UserError) as told:
            store_key(judge(), key)
        assert not key.strip() or key not in str(told.value)
    monkeypatch.setenv("GREENROOM_KEY_CHANCE", "sk-one")
    chance = JudgeEntry("id", "chance", "random")
    assert (server_address(chance), find_key(chance), key_location(chance)) == ("", "", ""), "it needs none"
    with pytest.raises(UserError):
        store_key(chance, "sk-one")
    assert not ring.kept


def test_variables_have_plain_names_and_a_word_is_no_key() -> None:
    assert key_variable("GPT 4o (lab)") == "GREENROOM_KEY_GPT_4O_LAB"
    assert key_variable("法官") != key_variable("裁判")
    assert key_variable("法官").isascii()
    for text, key, told in (
        ("none of it", "none", "none of it"),
        ("you sent sk-secret", "sk-secret", "you sent [key]"),
    ):
        assert redact_key(text, key) == told


def test_a_judge_that_is_tried_is_written_down_and_its_key_is_not(session: Session) -> None:
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
