"""A judge that runs a GGUF model on this machine, its options, and the checksum of its model files."""

import asyncio
import hashlib
import itertools
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from models.judges.judge_interface import (
    Completion,
    CompletionError,
    JudgeRequest,
    JudgeResources,
    ModelOptions,
    Reply,
)
from models.judges.llama_cpp import model_process
from models.judges.llama_cpp.model_process import ModelProcess
from models.judges.llama_cpp.process_messages import (
    CompletionRequest,
    LlamaModelConfig,
    RequestFailure,
)
from models.judges.structured_output.answer_parsing import response_schema
from models.judges.structured_output.repair import ask_with_repair
from project.errors import UserError, path_not_found
from project.files.atomic_files import write_atomically
from project.files.filesystem import read_regular
from project.files.fingerprints import file_sha256
from project.files.temporary_files import cache_folder
from project.plugins.option_limits import limited_field, text_field
from project.session.optional_parts import LOCAL_VLM
from project.text_format import escape_unprintable


@dataclass(frozen=True)
class LlamaOptions(ModelOptions):
    """How a model on this machine is loaded and asked."""

    projector: str = text_field("", 4096, "Projector", "GGUF file of the projector, through which the model sees.")
    context: int = limited_field(
        16384, 256, 1048576, "Context", "Tokens of question, pictures and answer together.", "tokens"
    )
    gpu_layers: int = limited_field(
        -1, -1, 1000, "GPU layers", "Layers that a GPU computes; -1 for all, 0 for none.", rare=True
    )
    threads: int = limited_field(0, 0, 256, "Threads", "Of the processor; 0 leaves it to the library.", rare=True)
    timeout_s: float = limited_field(
        600.0, 1.0, 86400.0, "Time limit", "Seconds that one answer may take, loading left out.", "s", rare=True
    )
    concurrency: int = limited_field(
        1, 1, 64, "Requests at once", "A model answers one question after the other; more wait in line.", rare=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sees == "clip":
            raise UserError("A GGUF model cannot read clips.", "Choose frames or text as the judge's input.")


_MAGIC = b"GGUF"


def require_gguf_file(path: str, what: str) -> Path:
    """Return where a file lies, once it is seen to be a GGUF file."""
    where = f"Say where the {what} lies on this machine."
    try:
        found = Path(path).expanduser().absolute()
    except RuntimeError:
        raise UserError(f"The home folder in “{escape_unprintable(path)}” does not exist.", where) from None
    if "\0" in path:
        raise UserError(f"“{escape_unprintable(path)}” is not a valid path.", where)
    try:
        with read_regular(found) as file:
            begins = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise path_not_found("file", found, where) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(f"{found} cannot be read: {reason}.", f"Choose the {what}'s GGUF file.") from None
    if begins != _MAGIC:
        hint = "Choose a file whose name ends in .gguf; nothing else is loaded."
        raise UserError(f"{found.name} is not a GGUF file.", hint)
    return found


def model_checksum(path: Path) -> str:
    """Return the SHA-256 of a file; it is worked out once, until the file has another size or time.

    Raises:
        OSError: it cannot be read.
    """
    at = path.stat()
    what = json.dumps([str(path.resolve()), at.st_size, at.st_mtime_ns])
    kept = cache_folder() / "checksums" / hashlib.sha256(what.encode()).hexdigest()
    with suppress(OSError, ValueError):
        known, found = json.loads(kept.read_text("utf-8"))
        if known == what:
            return str(found)
    found = file_sha256(path)
    # A cache that cannot be written is done without.
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(kept) as file:
            file.write(json.dumps([what, found]).encode())
    return found


_numbers = itertools.count(1)


class LlamaJudge:
    """Asks a model of llama.cpp, in a process that judges with the same model share."""

    key: ClassVar[str] = "llama-cpp"
    name: ClassVar[str] = "Model on this machine (GGUF)"
    description: ClassVar[str] = "A GGUF file with its projector, run by llama.cpp on this machine; nothing leaves it."
    options_type: ClassVar[type[LlamaOptions]] = LlamaOptions
    needs_model: ClassVar[bool] = True
    leaves: ClassVar[bool] = False

    def __init__(self, model: str, options: LlamaOptions, means: JudgeResources) -> None:
        LOCAL_VLM.require()
        self._model = require_gguf_file(model, "model")
        self._projector = require_gguf_file(options.projector, "projector") if options.projector else None
        if options.sees == "frames" and self._projector is None:
            hint = "Name the projector that belongs to it, or choose text for what it sees."
            raise UserError(f"{self._model.name} cannot see frames without a projector.", hint)
        self._options, self._means = options, means
        # A model that only reads needs no memory for eyes.
        eyes = self._projector if options.sees == "frames" else None
        files = (str(self._model), str(eyes or ""))
        self._loading = LlamaModelConfig(*files, options.context, options.gpu_layers, options.threads)
        self._process: ModelProcess | None = None

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the model's file, and after a `+` that of its projector where it sees.

        Large files are read once, until they change.

        Raises:
            OSError: one of them cannot be read.
        """
        files = [self._model, *([self._projector] if self._projector and self._options.sees == "frames" else [])]
        return "+".join(model_checksum(file) for file in files)

    async def ask(self, question: JudgeRequest) -> Reply:
        """Answer a question; see `Judge.ask`. It takes its turn after those that asked the same model before."""
        return await ask_with_repair(question, self, self._means, self._options.cost)

    async def close(self) -> None:
        """Let go of the model; it stays loaded a while for others, see `models.judges.llama_cpp.model_process`."""
        process, self._process = self._process, None
        if process is not None:
            model_process.return_process(self._loading)

    async def complete(self, question: JudgeRequest) -> Completion:
        """Complete the messages of a question with a text that fits its schema.

        Raises:
            CompletionError: there is none.
        """
        if self._process is None:
            self._process = await asyncio.to_thread(model_process.borrow_process, self._loading)
        messages = question.messages
        if self._options.sees != "frames":
            messages = tuple(replace(message, pictures=()) for message in messages)
        ask = CompletionRequest(next(_numbers), messages, response_schema(question.form), question.sampling)
        try:
            async with self._means.turn():
                said = await asyncio.wrap_future(self._process.ask(ask, self._options.timeout_s))
        except asyncio.CancelledError:
            self._process.stop(ask.number)
            raise
        if isinstance(said, RequestFailure):
            raise CompletionError(said.line, calls=0 if said.too_long else 1, too_long=said.too_long)
        if not isinstance(said, Completion):
            raise CompletionError("The model was stopped before it had answered.")
        try:
            model_id = await asyncio.to_thread(lambda: self.fingerprint)
        except OSError as error:
            raise CompletionError(f"{self._model.name} cannot be read any more: {error.strerror}.") from None
        return replace(said, model_id=model_id)

    def weaken_constraint(self, held: str) -> None:
        """Do nothing: no constraint is surer or weaker than a grammar."""
