"""A judge behind a server that speaks OpenAI's language, wherever it runs."""

import asyncio
from dataclasses import replace
from typing import ClassVar

from models.judges.base import Question, Reply
from models.judges.ladder import climb
from models.judges.means import Means
from models.judges.openai_compatible.address import base_of
from models.judges.openai_compatible.asking import Asker, Sleep
from models.judges.openai_compatible.options import OpenAIOptions
from models.judges.openai_compatible.probing import Probe, probe
from project.errors import UserError


class OpenAIJudge:
    """Asks a server for chat completions.

    Every request is made inside of `models.connection.carrying`, which the caller opens, and goes through the guard.

    Args:
        model: its name at the server.
        options: how it is asked.
        means: the guard, the key and the model that coerces. That model sends through the same guard.
        sleep: waits so many seconds.

    Raises:
        UserError: the address is none, the key is none, or there is no guard.
    """

    key: ClassVar[str] = "openai"
    name: ClassVar[str] = "OpenAI-compatible server"
    description: ClassVar[str] = (
        "Any server that speaks OpenAI's language: hosted models, vLLM, llama.cpp's own server, Ollama, LM Studio."
    )
    options_type: ClassVar[type[OpenAIOptions]] = OpenAIOptions
    needs_model: ClassVar[bool] = True
    leaves: ClassVar[bool] = True

    def __init__(self, model: str, options: OpenAIOptions, means: Means, sleep: Sleep = asyncio.sleep) -> None:
        if means.guard is None:
            raise UserError("A judge at a server needs a way out.", "Ask it through a study.")
        key = means.key.strip()
        if not (key.isascii() and key.isprintable()):
            raise UserError("The key of this judge is none: there are signs in it that no key has.", "Set it again.")
        self._base = base_of(options.url)
        self._model, self._options, self._means, self._sleep = model, options, replace(means, key=key), sleep
        self._guard = means.guard
        self._asker: Asker | None = None

    @property
    def fingerprint(self) -> str:
        """Address and model."""
        return f"{self._base} {self._model}"

    async def ask(self, question: Question) -> Reply:
        """Answer a question; see `Judge.ask`.

        Raises:
            project.policy.Forbidden: the policy does not let the request leave this machine.
        """
        return await climb(question, self._opened(), self._means.coerce, self._options.cost)

    async def probe(self) -> Probe:
        """Say what the server is and can do, with nothing of a study.

        Raises:
            project.policy.Forbidden: the policy does not let the request leave this machine.
        """
        return await probe(self._opened(), self._guard.cleared, self._options.sees)

    async def close(self) -> None:
        """Close the connections."""
        asker, self._asker = self._asker, None
        if asker is not None:
            await asker.close()

    def _opened(self) -> Asker:
        if self._asker is None:
            means = self._means
            self._asker = Asker(
                self._base, self._model, means.key, self._options, self._guard, self._sleep, means.turns
            )
        return self._asker
