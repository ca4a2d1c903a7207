"""Prompts come apart into texts and go together again without losing a character."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.prompts.prompt_templates import (
    BODY,
    PROMPT_PARTS,
    SYSTEM,
    format_prompt_source,
    parse_prompt,
    shipped_keys,
    shipped_prompt,
    split_prompt,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize("key", shipped_keys())
def test_what_ships_is_the_same_prompt_after_it_was_taken_apart(key: str) -> None:
    prompt = shipped_prompt(key)
    again = parse_prompt(format_prompt_source(key, 7, split_prompt(prompt)), key)
    assert split_prompt(again) == split_prompt(prompt)
    assert again.version == 7


@given(st.fixed_dictionaries(dict.fromkeys(PROMPT_PARTS, TEXT)))
def test_any_texts_survive_being_written_as_toml(texts: dict[str, str]) -> None:
    found = tomllib.loads(format_prompt_source("verdict", 3, texts))
    assert found[SYSTEM] == texts[SYSTEM] + "\n"
    assert found[BODY] == texts[BODY] + "\n"
    assert found["variants"] == {part: texts[part] + "\n" for part in PROMPT_PARTS if part not in (SYSTEM, BODY)}
