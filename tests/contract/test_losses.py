"""What a format cannot hold is written down for users."""

import pytest

from app.core.interchange.registry import format_called
from tests.contract.documentation import all_pages


@pytest.mark.parametrize("key", ["boris", "boris-csv", "datavyu", "webvtt", "srt"])
def test_docs_list_what_is_lost(key: str) -> None:
    words = " ".join(all_pages().split())
    assert [loss for loss in format_called(key).losses if " ".join(loss.split()) not in words] == []


@pytest.mark.parametrize("key", ["webvtt-segments", "srt-plain", "srt-segments"])
def test_docs_name_the_variants(key: str) -> None:
    assert f"`{key}`" in all_pages()
