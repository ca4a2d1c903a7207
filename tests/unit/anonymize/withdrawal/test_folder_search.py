"""Files beside a study in which somebody may stand: as UTF-8 or UTF-16, packed, or closed to the search."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from anonymize.local_files.folder_search import search_files
from project.erasure.subject_terms import IdentifyingTerms

_NAMES = ["Jürgen Großkopf", "王小明", "김민수"]
WORDING = IdentifyingTerms(_NAMES)


def packed(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("JÜRGEN GROSSKOPF", "utf-8"), ("Jürgen Großkopf", "utf-16"), ("王小明", "utf-16-be")),
    ],
)
def test_a_name_is_found_in_texts_and_in_other_files(tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / "notes.csv"
    for content in (f"id;name\r\n7;{text}\r\n".encode(code), b"\x00\x01\x02" * 9 + text.encode(code)):
        file.write_bytes(content)
        matches = search_files([file], WORDING, tmp_path).matches
        assert [match.by_content for match in matches] == [True], content[:40]


def test_what_is_packed_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.vtt.gz").write_bytes(gzip.compress("see Großkopf".encode()))
    (tmp_path / "b.zip").write_bytes(packed("a.vtt.gz", gzip.compress("see 王小明".encode())))
    files = sorted(tmp_path.iterdir())
    assert [match.path for match in search_files(files, WORDING, tmp_path).matches] == files


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("Jürgen Großkopf", "cp1252"), ("Иван", "cp1251"), ("王小明", "gb18030")),
    ],
)
def test_text_in_other_encodings_is_not_called_searched(tmp_path: Path, text: str, code: str) -> None:
    wording = IdentifyingTerms([*_NAMES, "Łukasz", "Иван", "José"])
    files = [tmp_path / name for name in ("notes.csv", "notes.zip", "notes.txt", "binary")]
    content = text.encode(code, "surrogatepass")
    for file, written in zip(files, (content, packed("notes.csv", content), "Zoë".encode(), b"\0\xff"), strict=True):
        file.write_bytes(written)
    found = search_files(files, wording, tmp_path)
    assert (found.matches, found.unread, found.undecoded) == ((), (*files[:2],), (*files[:2],))


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n1 0 obj\n<< /Filter /FlateDecode >>\nstream\nx\x9c...",
        b"7z\xbc\xaf\x27\x1c....",
        packed("inner.docx", packed("word.xml", b"nothing to see")),
        gzip.compress(b"broken", mtime=0)[:-6],
    ],
)
def test_what_nobody_could_look_into_is_not_called_searched(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    found = search_files([file], WORDING, tmp_path)
    assert (found.matches, found.unread, found.undecoded) == ((), (file,), ())
