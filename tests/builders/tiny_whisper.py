"""A Whisper model of a megabyte with random weights, as CTranslate2 loads it: it hears nonsense, and quickly."""

import json
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEADS, LAYERS, MELS, SOUND_PLACES, TEXT_PLACES = 16, 2, 1, 80, 1500, 448
WORDS = [f"{first}{vowel}{last}" for first in "bdfgkm" for vowel in "aeio" for last in "lnt"]
"""What it hears: nothing else has a chance."""
_STEP_S = 0.02
_LOUD = 3.0


def write_tiny_whisper(folder: Path, languages: tuple[str, ...] = ("en",), seed: int = 0) -> Path:
    """Make the folder of a model; with several languages it is one that knows several."""
    from ctranslate2.specs import WhisperSpec
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    letters = {text: at for at, text in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    letters |= {f"\u0120{word}": len(letters) + at for at, word in enumerate(WORDS)}
    if len(languages) > 1:
        letters[""] = len(letters)
    tokenizer = Tokenizer(models.BPE(vocab=letters, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    marks = ["<|endoftext|>", "<|startoftranscript|>", *(f"<|{language}|>" for language in languages)]
    marks += ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    marks += [f"<|{step * _STEP_S:.2f}|>" for step in range(SOUND_PLACES + 1)]
    tokenizer.add_special_tokens([AddedToken(mark, special=True) for mark in marks])
    words = sorted(tokenizer.get_vocab().items(), key=lambda pair: pair[1])

    rng = np.random.default_rng(seed)
    spec = WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    _fill_encoder(spec.encoder, rng)
    heard = [at for word, at in words if word[1:] in WORDS or word == "<|endoftext|>"]
    _fill_decoder(spec.decoder, rng, len(words), heard)
    spec.register_vocabulary([word for word, _ in words])
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = [tokenizer.token_to_id("<|endoftext|>")]
    spec.config.lang_ids = [tokenizer.token_to_id(f"<|{language}|>") for language in languages]
    spec.config.alignment_heads = [[LAYERS - 1, head] for head in range(HEADS)]
    spec.validate()
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    sound = {"feature_size": MELS, "sampling_rate": 16_000, "hop_length": 160, "chunk_length": 30, "n_fft": 400}
    (folder / "preprocessor_config.json").write_text(json.dumps(sound))
    return folder


def _fill_encoder(encoder: Any, rng: np.random.Generator) -> None:
    for conv, channels in ((encoder.conv1, MELS), (encoder.conv2, WIDTH)):
        conv.weight, conv.bias = _random(rng, WIDTH, channels, 3), np.zeros(WIDTH, np.float32)
    encoder.position_encodings.encodings = _random(rng, SOUND_PLACES, WIDTH)
    _norm(encoder.layer_norm)
    for layer in encoder.layer:
        _attention(layer.self_attention, rng, 3 * WIDTH, WIDTH)
        _forward(layer.ffn, rng)


def _fill_decoder(decoder: Any, rng: np.random.Generator, words: int, heard: list[int]) -> None:
    decoder.embeddings.weight = _random(rng, words, WIDTH)
    decoder.position_encodings.encodings = _random(rng, TEXT_PLACES, WIDTH)
    _norm(decoder.layer_norm)
    decoder.projection.weight = np.zeros((words, WIDTH), np.float32)
    decoder.projection.weight[heard] = rng.normal(0, _LOUD, (len(heard), WIDTH))
    for layer in decoder.layer:
        _attention(layer.self_attention, rng, 3 * WIDTH, WIDTH)
        _attention(layer.attention, rng, WIDTH, 2 * WIDTH, WIDTH)
        _forward(layer.ffn, rng)


def _attention(layer: Any, rng: np.random.Generator, *outs: int) -> None:
    _norm(layer.layer_norm)
    for part, out in zip(layer.linear, outs, strict=True):
        _linear(part, rng, out, WIDTH)


def _forward(layer: Any, rng: np.random.Generator) -> None:
    _norm(layer.layer_norm)
    _linear(layer.linear_0, rng, 2 * WIDTH, WIDTH)
    _linear(layer.linear_1, rng, WIDTH, 2 * WIDTH)


def _linear(layer: Any, rng: np.random.Generator, out: int, into: int) -> None:
    layer.weight, layer.bias = _random(rng, out, into), np.zeros(out, np.float32)


def _norm(layer: Any) -> None:
    layer.gamma, layer.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)


def _random(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(0, 0.3, shape).astype(np.float32)
