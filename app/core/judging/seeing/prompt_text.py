"""A prompt as parts that are edited one by one, and as the TOML text that a study keeps."""

from collections.abc import Mapping

from benchmark.prompts import Prompt
from benchmark.tasks.base import VARIANTS

SYSTEM, BODY = "system", "body"
PARTS = (SYSTEM, BODY, *VARIANTS)
"""What a prompt consists of, in the order in which it is read."""


def parts_of(prompt: Prompt) -> dict[str, str]:
    """Return the texts of a prompt by part, without the blank lines around them."""
    texts = {SYSTEM: prompt.system, BODY: prompt.body, **prompt.variants}
    return {part: texts[part].strip("\n") for part in PARTS}


def source_of(key: str, version: int, parts: Mapping[str, str]) -> str:
    """Return the TOML text of a prompt that consists of these parts; it may be no valid prompt yet."""
    lines = [f'key = "{key}"', f"version = {version}", ""]
    for part in (SYSTEM, BODY):
        lines += [f"{part} = {_written(parts[part])}", ""]
    lines.append("[variants]")
    for variant in VARIANTS:
        lines += [f"{variant} = {_written(parts[variant])}", ""]
    return "\n".join(lines)


def _written(text: str) -> str:
    """Return a text as a TOML string of several lines; what is no plain character is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"""', '""\\"')
    plain = "".join(one if one in "\n\t" or (one >= " " and one != "\x7f") else f"\\u{ord(one):04x}" for one in escaped)
    closed = plain[:-1] + '\\"' if plain.endswith('"') else plain
    return f'"""\n{closed}\n"""'
