"""Whatever is in a file, reading it ends with a document or with one line for its user."""

import copy
import json
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document
from annotate.interchange.formats.boris_project import build_project
from project.errors import UserError
from tests.builders.tier_documents import parts

MANY = settings(suppress_health_check=[HealthCheck.too_slow])
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)


@MANY
@given(parts(), st.data())
def test_any_value_anywhere_in_a_boris_project(part: Any, data: st.DataObject) -> None:
    made = copy.deepcopy(build_project(Document((part,))))
    for _ in range(data.draw(st.integers(1, 4))):
        replaced_somewhere(made, data)
    read("boris", json.dumps(made).encode())


@MANY
@given(parts(), st.sampled_from(("boris-csv", "datavyu", "webvtt", "srt")), st.data())
def test_any_text_anywhere_in_the_others(part: Any, key: str, data: st.DataObject) -> None:
    used = get_format(key)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{used.suffixes[0]}"
        path.touch()
        used.write(Document((part,)), path)
        content = path.read_bytes()
        if key == "datavyu":
            with zipfile.ZipFile(path) as archive:
                content = archive.read("db")
    text = content.decode()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        strange = data.draw(st.text("\n\r\0\\\"'<>&#;:,.|()-=0159 \ufeffvP\t", max_size=8))
        text = text[:start] + strange + text[end:]
    read(key, text.encode())


def replaced_somewhere(found: Any, data: st.DataObject) -> None:
    """Put any JSON in place of one value."""
    while True:
        keys = list(found) if isinstance(found, dict) else list(range(len(found)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = found[key]
        if not isinstance(inner, dict | list) or data.draw(st.integers(0, 3)) == 0:
            found[key] = data.draw(JSON)
            return
        found = inner


def read(key: str, content: bytes) -> None:
    used = get_format(key)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{used.suffixes[0]}"
        path.write_bytes(content)
        if key == "datavyu":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("db", content)
        with suppress(UserError):
            for part in used.read(path).recordings:
                assert len({lane.name for lane in part.lanes}) == len(part.lanes)
                assert all(entry.start_us <= entry.end_us for lane in part.lanes for entry in lane.entries)
