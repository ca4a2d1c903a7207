"""The prompts that the program ships: files of `prompts/` with the texts that they share."""

import re
import tomllib
from functools import cache

from resources import resource

_INCLUDE = re.compile(r"^# include ([a-z-]+)$", re.MULTILINE)


@cache
def prompt_keys() -> tuple[str, ...]:
    """Return the keys of all prompts, which are those of their tasks."""
    return tuple(sorted(path.stem for path in resource("prompts").iterdir() if path.suffix == ".toml"))


@cache
def prompt_text(key: str) -> str:
    """Return the TOML text of a prompt, with each line `# include NAME` replaced by a text of `prompt_fragments.toml`.

    Raises:
        KeyError: there is no such prompt.
    """
    if key not in prompt_keys():
        raise KeyError(key)
    fragments: dict[str, str] = tomllib.loads(resource("prompt_fragments.toml").read_text("utf-8"))
    text = resource("prompts", f"{key}.toml").read_text("utf-8")
    return _INCLUDE.sub(lambda line: fragments[line[1]], text)
