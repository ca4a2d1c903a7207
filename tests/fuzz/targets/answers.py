"""What models and their servers answer: every form that a task asks for, and whatever a server sends in its place."""

import contextlib
import json
from pathlib import Path
from random import Random
from typing import Any

from models.judges.baselines import Baseline
from models.judges.judge_interface import AnswerForm, JudgeRequest, Reply
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Failure
from models.judges.openai_compatible.server_requests import parse_completion
from models.judges.structured_output.answer_parsing import coercion_form, parse_answer, response_schema
from models.judges.structured_output.completion import Completion
from project.errors import UserError
from tests.fuzz.base import Refuted
from tests.fuzz.mutate import a_text, json_bytes, spoil_bytes, spoil_json
from tests.fuzz.seeds import CLIP, LAB, command, command_lines, full_study

_KEY = "sk-secret-0123456789"
_BESIDE = command_lines("""
meta suggest LAB --recording 1 --judge chance
benchmark infer LAB --recording 1 --judge chance --annotator Ada
questions esi LAB --recording 1 --judge chance --rounds 1 --each 1
questions ask LAB --all --judge chance
questions filter LAB --step difficulty --judge chance
episode rate LAB 2 --judge chance
episode play LAB --scenario lamp --turns 2 --character Anna --player chance --character Bram --player chance
chain fill LAB --judge chance
""")


class _Forms:
    """Every form that was asked for while the block was open, with an answer that fits it."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[AnswerForm, dict[str, Any]]] = {}

    def __enter__(self) -> "_Forms":
        self._ask = ask = Baseline.ask
        found = self.found

        async def listening(judge: Baseline, question: JudgeRequest) -> Reply:
            reply = await ask(judge, question)
            found.setdefault(question.form.name, (question.form, dict(reply.answer)))
            return reply

        Baseline.ask = listening
        return self

    def __exit__(self, *_: object) -> None:
        Baseline.ask = self._ask


def _asked(folder: Path) -> list[tuple[AnswerForm, dict[str, Any]]]:
    import shutil

    from benchmark.prompts.judge_prompt import TASKS

    study = full_study(folder)
    trial = folder / "asked"
    trial.mkdir(exist_ok=True)
    for path in (study, study.with_name(CLIP)):
        shutil.copyfile(path, trial / path.name)
    with contextlib.chdir(trial), _Forms() as forms:
        for key in TASKS:
            for variant in ("plain", "cot"):
                with contextlib.suppress(UserError):
                    command("ask", LAB, "--all", "--judge", "chance", "--task", key, "--variant", variant)
        for arguments in _BESIDE:
            with contextlib.suppress(UserError):
                command(*arguments)
    shutil.rmtree(trial)
    if len(forms.found) < 5:
        raise RuntimeError(f"only {[*forms.found]} were asked for")
    return [*forms.found.values()]


class Answers:
    """What a model wrote, read by the form that it should have."""

    apart = False

    def prepare(self, folder: Path) -> None:
        self._forms = _asked(folder.parent)

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
        self._forms = _asked(folder.parent)

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
