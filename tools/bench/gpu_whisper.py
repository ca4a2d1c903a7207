"""Speech recognition by CTranslate2 at the size of Whisper small, with random weights."""

import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tools.bench.row import Row

_MELS, _AUDIO, _TEXT, _WINDOW = 80, 1500, 448, 3000
_TOKENS = 100
_SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>", "<|nospeech|>")


@dataclass(frozen=True, slots=True)
class WhisperSize:
    """How large a model is."""

    name: str
    width: int
    heads: int
    layers: int
    words: int


SIZES = {
    "full": WhisperSize("Whisper small", 768, 12, 12, 51_864),
    "tiny": WhisperSize("a tiny Whisper", 32, 2, 2, 300),
}


def rows(size: WhisperSize, device: str) -> list[Row]:
    """Measure one window of 30 seconds, in which 100 tokens are heard."""
    work = f"speech recognition by CTranslate2: {size.name}, random weights, 30 s of sound, {_TOKENS} tokens"
    if find_spec("ctranslate2") is None:
        return [Row(work, "CTranslate2 is not installed", target="is only shown")]
    import ctranslate2

    if device == "cuda" and not ctranslate2.get_cuda_device_count():
        return [Row(work, "this CTranslate2 knows no CUDA", target="is only shown")]
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), size)
        model = ctranslate2.models.Whisper(
            folder, device=device, compute_type="float16" if device == "cuda" else "int8"
        )
        sound = np.random.default_rng(0).normal(0, 1, (1, _MELS, _WINDOW)).astype(np.float32)
        seconds = [_once(model, sound) for _ in range(4)]
    taken = float(np.median(seconds[1:]))
    return [Row(work, f"{taken:.2f} s, {30 / taken:.0f}x as fast as the sound", target="is only shown")]


def _once(model: Any, sound: np.ndarray) -> float:
    import ctranslate2

    started = time.perf_counter()
    features = ctranslate2.StorageView.from_array(sound)
    model.generate(features, [[1, 2, 3, 4]], beam_size=1, max_length=_TOKENS, suppress_tokens=[0])
    return time.perf_counter() - started


def _write(folder: Path, size: WhisperSize) -> None:
    from ctranslate2.specs import WhisperSpec

    rng = np.random.default_rng(0)
    width, spec = size.width, WhisperSpec(size.layers, size.heads, size.layers, size.heads)

    def random(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.02, shape).astype(np.float32)

    def linear(layer: Any, out: int, into: int) -> None:
        layer.weight, layer.bias = random(out, into), np.zeros(out, np.float32)

    def norm(layer: Any) -> None:
        layer.gamma, layer.beta = np.ones(width, np.float32), np.zeros(width, np.float32)

    def forward(layer: Any) -> None:
        norm(layer.layer_norm)
        linear(layer.linear_0, 4 * width, width)
        linear(layer.linear_1, width, 4 * width)

    def attention(layer: Any, *outs: int) -> None:
        norm(layer.layer_norm)
        for part, out in zip(layer.linear, outs, strict=True):
            linear(part, out, width)

    encoder, decoder = spec.encoder, spec.decoder
    encoder.conv1.weight, encoder.conv1.bias = random(width, _MELS, 3), np.zeros(width, np.float32)
    encoder.conv2.weight, encoder.conv2.bias = random(width, width, 3), np.zeros(width, np.float32)
    encoder.position_encodings.encodings = random(_AUDIO, width)
    decoder.embeddings.weight = random(size.words, width)
    decoder.position_encodings.encodings = random(_TEXT, width)
    decoder.projection.weight = random(size.words, width)
    for half in (encoder, decoder):
        norm(half.layer_norm)
        for layer in half.layer:
            attention(layer.self_attention, 3 * width, width)
            forward(layer.ffn)
    for layer in decoder.layer:
        attention(layer.attention, width, 2 * width, width)
    words = [*_SPECIAL, *(f"word{number}" for number in range(size.words - len(_SPECIAL)))]
    spec.register_vocabulary(words)
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], [0]
    spec.config.lang_ids, spec.config.alignment_heads = [2], [[size.layers - 1, 0]]
    spec.validate()
    spec.save(str(folder))
