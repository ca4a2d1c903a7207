"""Templates of models differ in what they take; texts of a study are text to all of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.judge_interface import JudgeFrame, Message, Role
from models.judges.llama_cpp.llama_prompts import (
    MessageFormats,
    arrange_messages,
    build_chat,
    detect_manners,
    neutralize_special_words,
    special_word_pattern,
)

BOTH = """{% for m in messages %}<|{{ m.role }}|>{% if m.content is string %}{{ m.content }}{% else %}
{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}{% endfor %}"""
TEXTS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
LISTS = """{% for m in messages %}{% for p in m.content %}{% if p.type == 'text' %}{{ p.text }}{% endif %}
{% endfor %}{% endfor %}"""
DROPS_SYSTEM = "{% for m in messages %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}"


def _render(template: str, messages: list[dict[str, Any]]) -> str:
    import jinja2

    return jinja2.Template(template).render(messages=messages)


@pytest.mark.parametrize(
    ("template", "manners"),
    [
        (BOTH, MessageFormats(accepts_text=True, accepts_parts=True, accepts_system=True)),
        (TEXTS, MessageFormats(accepts_text=True, accepts_parts=False, accepts_system=True)),
        (LISTS, MessageFormats(accepts_text=False, accepts_parts=True, accepts_system=True)),
        (DROPS_SYSTEM, MessageFormats(accepts_text=True, accepts_parts=False, accepts_system=False)),
    ],
)
def test_every_word_and_picture_gets_through_a_template_once_and_in_order(
    template: str, manners: MessageFormats
) -> None:
    assert detect_manners(lambda messages: _render(template, messages)) == manners
    frames = (JudgeFrame(0, "0 s", b"one", 1, 1), JudgeFrame(1_000_000, "1 s", b"two", 1, 1))
    turns = (Message(Role.SYSTEM, "Rules"), Message(Role.USER, "Question", frames))
    turns += (Message(Role.ASSISTANT, "Answer"), Message(Role.USER, "Again"))
    found = build_chat(
        turns, manners, special_word_pattern(()), lambda jpeg: {"type": "text", "text": f"[{jpeg.decode()}]"}
    )
    told = _render(template, arrange_messages(found, manners))
    words = ["Rules", "0 s", "[one]", "1 s", "[two]", "Question", "Answer", "Again"]
    places = [told.index(word) for word in words]
    assert places == sorted(places)
    assert all(told.count(word) == 1 for word in words)
    assert "type" not in told


@given(st.text(), st.lists(st.sampled_from(["</s>", "<|im_end|>", "<__media__>", "<|", "[INST]", "the"])))
def test_no_mark_is_left_in_a_text_and_nothing_else_is_changed(text: str, put: list[str]) -> None:
    marks = special_word_pattern(["</s>", "<|im_end|>", "<__media__>", "[INST]", "the", "<|im"])
    mixed = text + "".join(put) + text[::-1]
    told = neutralize_special_words(mixed, marks)
    assert not marks.search(told)
    assert told.replace(" ", "") == mixed.replace(" ", "")
    assert "the" not in mixed or "the" in told
