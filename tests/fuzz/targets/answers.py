"""What models and their servers answer: every form that a task asks for, and whatever a server sends in its place."""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from benchmark.prompts.answer_form import answer_form
from benchmark.prompts.judge_prompt import TASKS
from models.judges.baselines import build_answer
from models.judges.judge_interface import AnswerForm, Completion
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Failure
from models.judges.openai_compatible.server_requests import parse_completion
from models.judges.structured_output.answer_parsing import coercion_form, parse_answer, response_schema
from tests.builders.task_items import items_for
from tests.fuzz.base import Refuted
from tests.fuzz.mutate import a_text, json_bytes, spoil_bytes, spoil_json

_KEY = "sk-secret-0123456789"


@cache
def _forms() -> list[tuple[AnswerForm, dict[str, Any]]]:
    """Return a form of every name that tasks ask for, without and with room to think, and an answer that fits it."""
    chance = Random(0)
    found: dict[tuple[str, bool], tuple[AnswerForm, dict[str, Any]]] = {}
    for key in TASKS:
        for item in items_for(key):
            for thinks in (False, True):
                form = answer_form(TASKS.make(key).spec(item), thinks=thinks)
                if (form.name, thinks) not in found:
                    answer = build_answer(form.schema, chance.choice, lambda values: [*values])
                    found[form.name, thinks] = form, answer
    return [*found.values()]


class Answers:
    """What a model wrote, read by the form that it should have."""

    apart = False

    def prepare(self, folder: Path) -> None:
        self._forms = _forms()

    def spoil(self, chance: Random, folder: Path) -> None:
        self._form, answer = chance.choice(self._forms)
        thinking = {"thoughts": "Hm.", "answer": answer}
        found = spoil_json(chance, chance.choice((answer, answer, thinking, [answer], {"answer": answer})))
        text = json_bytes(chance, found).decode("utf-8", "replace")
        wrapped = (
            "{}",
            "{}",
            "```json\n{}\n```",
            "Sure! {} Hope it helps.",
            "<think>{}</think>{}",
            "{}{}",
            "{} and {}",
            "\ufeff{}",
            "<think>" * 500 + "{}",
        )
        whole = chance.choice(wrapped).replace("{}", text)
        self._text = whole + a_text(chance) if chance.random() < 0.1 else whole
        if chance.random() < 0.1:
            self._text = self._text[: chance.randrange(len(self._text) + 1)]

    def use(self, chance: Random, folder: Path) -> None:
        form = coercion_form(self._form) if chance.random() < 0.1 else self._form
        response_schema(form)
        reading = parse_answer(Completion(self._text, truncated=chance.random() < 0.2), form)
        kept = json.dumps(
            dict(reading.answer) if reading.answer is not None else {}, allow_nan=False, ensure_ascii=False
        )
        (kept + reading.thinking + reading.problem).encode()
        if len(kept) > 400_000 or "\n" in reading.problem or len(reading.problem) > 2000:
            raise Refuted("what is kept of an answer has no bounds")


class Servers:
    """What a server sends back."""

    apart = False

    def prepare(self, folder: Path) -> None:
        self._forms = _forms()

    def spoil(self, chance: Random, folder: Path) -> None:
        _, answer = chance.choice(self._forms)
        message: dict[str, Any] = {
            "role": "assistant",
            "content": json.dumps(answer),
            "reasoning_content": f"My key is {_KEY}.",
        }
        envelope = {
            **{"id": "x", "object": "chat.completion", "model": f"m {_KEY}", "system_fingerprint": "fp"},
            "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
        }
        error = {
            "error": {
                "message": f"Invalid key {_KEY}",
                "type": "x",
                "code": chance.choice((401, "429", 503, None, [], 10**30)),
            }
        }
        body = json_bytes(chance, spoil_json(chance, chance.choice((envelope, envelope, error))))
        pages = (
            b"<!doctype html><p>" + _KEY.encode(),
            b"data: {}\n\n",
            b"",
            b"\0" * 1000,
            b"[" * 100_000,
            b'{"a":' * 100_000,
        )
        self._body = chance.choice(pages) if chance.random() < 0.05 else body
        if chance.random() < 0.1:
            self._body = spoil_bytes(chance, self._body)

    def use(self, chance: Random, folder: Path) -> None:
        found = parse_completion(self._body, ApiKeyRedactor(_KEY))
        if isinstance(found, Failure):
            # Where it is kept, it is kept without the key.
            said = [ApiKeyRedactor(_KEY).redact_error(found.server_message)]
        else:
            said = [found.text, found.thinking, found.refusal, found.model_id]
            parse_answer(found, chance.choice(self._forms)[0])
        if any(_KEY in text for text in said if text):
            raise Refuted("a key that a server repeated is kept")
        "".join(text for text in said if text).encode("utf-8", "surrogatepass")
