"""Runs a GGUF model, with answers held to a JSON schema by a grammar.

Imports llama-cpp-python: only the model process imports this module.
"""

import base64
import ctypes
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import llama_cpp
from jinja2 import TemplateError
from llama_cpp import mtmd_cpp
from llama_cpp._ggml import libggml as ggml
from llama_cpp.llama_chat_format import Jinja2ChatFormatter, MTMDChatHandler
from llama_cpp.llama_grammar import LlamaGrammar

from models.judges.judge_interface import Completion, TooLong
from models.judges.llama_cpp.llama_prompts import (
    ChatMessage,
    MessageFormats,
    arrange_messages,
    build_chat,
    detect_manners,
    schema_to_grammar,
    special_word_pattern,
)
from models.judges.llama_cpp.process_messages import (
    CompletionRequest,
    LlamaModelConfig,
    ModelSignal,
    RequestFailure,
    StopFlag,
    explain_load_failure,
    explain_overflow,
    last_error_line,
)
from project.entities.study_records import Json

_KEPT_LINES = 20
_WARNING, _ERROR = 3, 4
_UINT32 = 4
"""`GGUF_TYPE_UINT32` of gguf.h."""
_LARGEST_SEED = 0x7FFFFFFF
_MIN_ANSWER_CHARS = 200
_CHARACTERS_A_TOKEN = 2
"""A text in an answer may have so many characters for each token that the answer may have, which leaves room for the
rest of it: a token is three or four characters of common languages.
"""


class NotLoaded(Exception):
    """A model could not be loaded; the message is one line."""


class LlamaModel:
    """A loaded model. Answers one request after the other, in one thread.

    Raises:
        NotLoaded: it could not be.
    """

    def __init__(self, loading: LlamaModelConfig, flag: StopFlag) -> None:
        self._loading, self._flag = loading, flag
        self._lines: list[str] = []
        self._log = llama_cpp.llama_log_callback(self._keep_line)
        for listen in (llama_cpp.llama_log_set, mtmd_cpp.mtmd_log_set, mtmd_cpp.mtmd_helper_log_set):
            listen(self._log, None)
        for file in filter(None, (loading.model, loading.projector)):
            if not _has_sound_header(file):
                raise NotLoaded(explain_load_failure(loading, self._lines, projector=file == loading.projector))
        self._handler = _Handler(loading.projector, loading.gpu_layers != 0) if loading.projector else None
        self._llama = self._load()
        self._grammars: dict[str, LlamaGrammar] = {}
        self._manners = self._detect_manners()
        if self._handler is not None:
            self._handler.manners = self._manners
        self._marks = special_word_pattern(self._special_words())
        # Asked by llama.cpp again and again while it computes, so not a function of Python: the length of an empty
        # string is false, and that of a string of one byte is true.
        length = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value or 0
        self._asks_whether_to_stop = llama_cpp.ggml_abort_callback(length)
        llama_cpp.llama_set_abort_callback(self._llama.ctx, self._asks_whether_to_stop, ctypes.c_void_p(flag.address))

    def answer(self, ask: CompletionRequest) -> Completion | RequestFailure | ModelSignal:
        """Write a text."""
        self._lines.clear()
        pictures = any(message.pictures for message in ask.messages)
        if pictures and self._handler is None:
            return RequestFailure(
                "The model was given no projector, so it sees no frames: name one, or let it see text alone."
            )
        try:
            return self._complete(ask)
        except DoesNotFit as found:
            line = explain_overflow(found.asked, found.room, pictures=pictures)
            return RequestFailure(line, TooLong(found.asked, found.room))
        except Exception as error:
            if self._flag.is_raised:
                return ModelSignal.STOPPED
            return RequestFailure(f"llama.cpp gave no answer: {last_error_line(self._lines) or _brief(error)}.")

    def _complete(self, ask: CompletionRequest) -> Completion | ModelSignal:
        messages = build_chat(ask.messages, self._manners, self._marks, _picture)
        if self._handler is None:
            messages = arrange_messages(messages, self._manners)
        self._llama.reset_for(ask.sampling.max_tokens)
        completion: Any = self._llama.create_chat_completion(
            messages=messages,  # type: ignore[arg-type]
            grammar=self._grammar(ask),
            temperature=ask.sampling.temperature,
            seed=ask.sampling.seed & _LARGEST_SEED,
            max_tokens=ask.sampling.max_tokens,
            repeat_penalty=1.0,
        )
        if self._flag.is_raised:
            return ModelSignal.STOPPED
        choice, usage = completion["choices"][0], completion["usage"]
        return Completion(
            choice["message"]["content"] or "",
            truncated=choice["finish_reason"] == "length",
            held="grammar",
            tokens_in=self._llama.prompt_tokens,
            tokens_out=usage["completion_tokens"],
        )

    def _load(self) -> "_Llama":
        loading = self._loading
        try:
            llama = _Llama(
                model_path=loading.model,
                n_ctx=loading.context,
                n_gpu_layers=loading.gpu_layers,
                n_threads=loading.threads or None,
                n_threads_batch=loading.threads or None,
                chat_handler=self._handler,
                verbose=False,
            )
        except (ValueError, RuntimeError, MemoryError, TemplateError):
            raise NotLoaded(explain_load_failure(loading, self._lines, projector=False)) from None
        llama.flag = self._flag
        if self._handler is not None:
            try:
                self._handler.load(llama)
            except (ValueError, RuntimeError, MemoryError):
                raise NotLoaded(explain_load_failure(loading, self._lines, projector=True)) from None
        return llama

    def _grammar(self, ask: CompletionRequest) -> LlamaGrammar:
        longest = max(_MIN_ANSWER_CHARS, _CHARACTERS_A_TOKEN * ask.sampling.max_tokens)
        key = json.dumps([ask.schema, longest])
        if key not in self._grammars:
            rules = schema_to_grammar(ask.schema, longest)
            # A grammar that llama.cpp refuses would crash it where it is used.
            sampler = llama_cpp.llama_sampler_init_grammar(self._llama._model.vocab, rules.encode(), b"root")
            if not sampler:
                raise ValueError("the form of the answer is too large for a grammar")
            llama_cpp.llama_sampler_free(sampler)
            self._grammars[key] = LlamaGrammar.from_string(rules, verbose=False)
        return self._grammars[key]

    def _detect_manners(self) -> MessageFormats:
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            if self._handler is not None:
                raise NotLoaded("The model's file holds no chat template, so it cannot be shown frames.")
            return MessageFormats()
        end, begin = (
            self._llama.detokenize([token]).decode("utf-8", "ignore") for token in self._llama.boundary_tokens()
        )
        formatter = Jinja2ChatFormatter(template, end, begin)
        return detect_manners(lambda messages: formatter(messages=messages).prompt)  # type: ignore[arg-type]

    def _special_words(self) -> list[str]:
        vocab = self._llama._model.vocab
        tokens = range(llama_cpp.llama_vocab_n_tokens(vocab))
        special = [token for token in tokens if llama_cpp.llama_vocab_is_control(vocab, token)]
        words = [llama_cpp.llama_vocab_get_text(vocab, token).decode("utf-8", "ignore") for token in special]
        return [*words, mtmd_cpp.mtmd_default_marker().decode()]

    def _keep_line(self, level: int, text: bytes, _: object) -> None:
        # What is less than a warning may hold the question.
        if level in (_WARNING, _ERROR):
            self._lines.append(text.decode("utf-8", "replace"))
            del self._lines[:-_KEPT_LINES]


class DoesNotFit(Exception):
    """The question and its longest answer are longer than the context."""

    def __init__(self, asked: int, room: int) -> None:
        super().__init__()
        self.asked, self.room = asked, room


class CompletionStopped(Exception):
    """The request was stopped."""


class _Llama(llama_cpp.Llama):
    """Stops when it is told to, and does not begin what does not fit."""

    flag: StopFlag
    prompt_tokens: int = 0
    _longest_answer: int = 0

    def reset_for(self, longest_answer: int) -> None:
        """Forget what came before: nothing is computed in another way because of what was asked earlier."""
        self.reset()  # type: ignore[no-untyped-call]
        self.prompt_tokens, self._longest_answer = 0, longest_answer

    def require_fit(self, tokens: int) -> None:
        """Check that a question fits.

        Raises:
            DoesNotFit: it does not.
        """
        self.prompt_tokens = tokens
        if tokens + self._longest_answer > self.n_ctx():
            raise DoesNotFit(tokens + self._longest_answer, self.n_ctx())

    def boundary_tokens(self) -> tuple[int, int]:
        """Return the tokens that end and begin a text."""
        return self.token_eos(), self.token_bos()

    def eval(self, tokens: Sequence[int]) -> None:
        if self.flag.is_raised:
            raise CompletionStopped
        super().eval(tokens)

    def create_completion(self, prompt: Any, *args: Any, **kwargs: Any) -> Any:
        # A question with pictures was counted before they were looked at.
        if not self.prompt_tokens:
            self.require_fit(len(prompt))
        return super().create_completion(prompt, *args, **kwargs)


class _Handler(MTMDChatHandler):
    """Puts pictures before a model by its own template, and counts all tokens before the first is computed."""

    manners = MessageFormats()

    def __init__(self, projector: str, use_gpu: bool) -> None:
        super().__init__(projector, verbose=False, use_gpu=use_gpu)

    def load(self, llama: _Llama) -> None:
        """Load the projector, which the library does when it is first needed."""
        self._init_mtmd_context(llama)
        self._mtmd_cpp = _Counting(mtmd_cpp, llama)  # type: ignore[assignment]

    def _get_template_messages(self, messages: Any, media_marker: str) -> list[ChatMessage]:
        return arrange_messages(super()._get_template_messages(messages, media_marker), self.manners)


class _Counting:
    """The library's functions for pictures; the one that makes tokens also counts them."""

    def __init__(self, functions: Any, llama: _Llama) -> None:
        self._functions, self._llama = functions, llama

    def __getattr__(self, name: str) -> Any:
        return getattr(self._functions, name)

    def mtmd_tokenize(self, context: Any, chunks: Any, *rest: Any) -> int:
        failed = int(self._functions.mtmd_tokenize(context, chunks, *rest))
        if not failed:
            pieces = (
                self._functions.mtmd_input_chunks_get(chunks, at)
                for at in range(self._functions.mtmd_input_chunks_size(chunks))
            )
            self._llama.require_fit(sum(self._functions.mtmd_input_chunk_get_n_tokens(piece) for piece in pieces))
        return failed


def _picture(jpeg: bytes) -> Mapping[str, Json]:
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"}}


def _brief(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:200] or type(error).__name__


class _GgufReadOptions(ctypes.Structure):
    _fields_ = (("no_alloc", ctypes.c_bool), ("context", ctypes.c_void_p))


def _has_sound_header(file: str) -> bool:
    """Tell whether ggml can read a file's header, and the file has a tensor for each layer that it tells of.

    llama.cpp would take gigabytes for layers before it misses the first.
    """
    # The functions of gguf.h, which the package does not declare.
    ggml.gguf_init_from_file.restype = ctypes.c_void_p
    ggml.gguf_get_key.restype = ctypes.c_char_p
    header = ctypes.c_void_p(ggml.gguf_init_from_file(os.fsencode(file), _GgufReadOptions(True, None)))
    if not header:
        return False
    try:
        keys = [(at, ggml.gguf_get_key(header, ctypes.c_int64(at))) for at in range(ggml.gguf_get_n_kv(header))]
        counts = [ctypes.c_int64(at) for at, key in keys if key.endswith(b".block_count")]
        layers = [ggml.gguf_get_val_u32(header, at) for at in counts if ggml.gguf_get_kv_type(header, at) == _UINT32]
        return all(0 <= count <= ggml.gguf_get_n_tensors(header) for count in layers)
    finally:
        ggml.gguf_free(header)
