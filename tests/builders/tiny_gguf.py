"""A language model and its projector as GGUF files, with random weights: real files for the real library, of noise."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TEMPLATE = (
    "{%- for message in messages -%}"
    "<{{ message.role }}>"
    "{%- if message.content is string -%}{{ message.content }}"
    "{%- else -%}{%- for part in message.content -%}{{ part.text }}{%- endfor -%}{%- endif -%}"
    "{{ '\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<assistant>{%- endif -%}"
)
_SPECIAL = ("<unk>", "<s>", "</s>")
_SIDE, _PATCH = 28, 14
_EYE_WIDTH, _EYE_HEADS, _EYE_LAYERS = 32, 2, 2


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a language model is; its words are the 256 bytes, so it can write anything, and any grammar."""

    width: int = 64
    heads: int = 4
    layers: int = 2
    inner: int = 128
    context: int = 32768


@dataclass(frozen=True, slots=True)
class TinyModel:
    """Where the two files lie."""

    model: Path
    projector: Path


def write_tiny_model(folder: Path, shape: Shape = Shape(), seed: int = 0) -> TinyModel:
    """Write both files; the same shape and seed give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    made = TinyModel(folder / "tiny.gguf", folder / "tiny-projector.gguf")
    write_language_model(made.model, shape, seed)
    write_projector(made.projector, shape.width, seed)
    return made


def write_language_model(path: Path, shape: Shape = Shape(), seed: int = 0) -> None:
    """Write a model of llama's architecture over single bytes."""
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    words = [*_SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([word.encode() for word in words])
    writer.add_token_scores([0.0] * len(words))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    _finish(writer, _language_tensors(shape, len(words), np.random.default_rng(seed)))


def write_projector(path: Path, width: int = Shape.width, seed: int = 0) -> None:
    """Write an image encoder as LLaVA has it, whose pictures become four tokens each of a model of that width."""
    import gguf

    writer = gguf.GGUFWriter(path, "clip")
    writer.add_name("tiny projector")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.use_gelu", True)
    sizes = {
        "image_size": _SIDE,
        "patch_size": _PATCH,
        "embedding_length": _EYE_WIDTH,
        "feed_forward_length": 2 * _EYE_WIDTH,
        "block_count": _EYE_LAYERS,
        "attention.head_count": _EYE_HEADS,
        "projection_dim": width,
    }
    for name, size in sizes.items():
        writer.add_uint32(f"clip.vision.{name}", size)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    writer.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])
    _finish(writer, _projector_tensors(width, np.random.default_rng(seed + 1)))


_Named = tuple[str, np.ndarray[Any, np.dtype[np.float32]]]


def _language_tensors(shape: Shape, words: int, rng: np.random.Generator) -> Iterable[_Named]:
    yield "token_embd.weight", _noise(rng, words, shape.width)
    yield "output_norm.weight", _ones(shape.width)
    yield "output.weight", _noise(rng, words, shape.width)
    for layer in range(shape.layers):
        for norm in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{norm}.weight", _ones(shape.width)
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{part}.weight", _noise(rng, shape.width, shape.width)
        for part in ("ffn_gate", "ffn_up"):
            yield f"blk.{layer}.{part}.weight", _noise(rng, shape.inner, shape.width)
        yield f"blk.{layer}.ffn_down.weight", _noise(rng, shape.width, shape.inner)


def _projector_tensors(width: int, rng: np.random.Generator) -> Iterable[_Named]:
    eye = _EYE_WIDTH
    yield "v.class_embd", _noise(rng, eye)
    yield "v.patch_embd.weight", _noise(rng, eye, 3, _PATCH, _PATCH)
    yield "v.position_embd.weight", _noise(rng, (_SIDE // _PATCH) ** 2 + 1, eye)
    norms = ["v.pre_ln", "v.post_ln", *(f"v.blk.{at}.{norm}" for at in range(_EYE_LAYERS) for norm in ("ln1", "ln2"))]
    for norm in norms:
        yield f"{norm}.weight", _ones(eye)
        yield f"{norm}.bias", np.zeros(eye, np.float32)
    dense = [(f"v.blk.{at}.{p}", eye, eye) for at in range(_EYE_LAYERS) for p in ("attn_q", "attn_k", "attn_v")]
    dense += [(f"v.blk.{at}.attn_out", eye, eye) for at in range(_EYE_LAYERS)]
    dense += [(f"v.blk.{at}.ffn_up", 2 * eye, eye) for at in range(_EYE_LAYERS)]
    dense += [(f"v.blk.{at}.ffn_down", eye, 2 * eye) for at in range(_EYE_LAYERS)]
    dense += [("mm.0", width, eye), ("mm.2", width, width)]
    for name, outputs, inputs in dense:
        yield f"{name}.weight", _noise(rng, outputs, inputs)
        yield f"{name}.bias", np.zeros(outputs, np.float32)


def _noise(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return (0.02 * rng.standard_normal(shape, np.float32)).astype(np.float32)


def _ones(size: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.ones(size, np.float32)


def _finish(writer: Any, tensors: Iterable[_Named]) -> None:
    for name, tensor in tensors:
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
