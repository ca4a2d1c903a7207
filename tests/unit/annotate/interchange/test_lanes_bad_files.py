"""Files that are damaged, hostile or of another kind: one clear line, and bounded work."""

import gzip
import json
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from annotate.interchange.annotation_files import get_format, guess_format
from project.errors import UserError

_TABLE = "Observation id,Subject,Behavior,Behavior type,Start (s),Stop (s)\r\n"
_LATIN = "caf\xe9 ".encode("latin-1")
_BOMB = 70_000_000


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def project(**observation: object) -> bytes:
    return json.dumps({"time_format": "s", "observations": {"one": observation}}).encode()


BAD: list[tuple[str, str, bytes]] = [
    ("boris", "empty", b""),
    ("boris", "truncated", b'{"observations": {"a": {"events": [[1.0, "", '),
    ("boris", "list", b"[]"),
    ("boris", "other JSON", b'{"a": 1}'),
    ("boris", "observations a number", b'{"observations": 3}'),
    ("boris", "observation a list", b'{"observations": {"a": []}}'),
    ("boris", "events a text", project(events="x")),
    ("boris", "event too short", project(events=[[1]])),
    ("boris", "too deep", b'{"observations": ' + b"[" * 100_000),
    ("boris", "a number too long", b'{"observations": ' + b"9" * 10_000 + b"}"),
    ("boris", "latin-1", b'{"observations": "' + _LATIN + b'"}'),
    ("boris", "gzip cut off", gzip.compress(b'{"observations": {}}', mtime=0)[:-12]),
    ("boris", "gzip damaged", b"\x1f\x8b\x08\x00" + b"\xff" * 40),
    ("boris", "gzip bomb", gzip.compress(bytes(_BOMB), 1, mtime=0)),
    ("boris-csv", "empty", b""),
    ("boris-csv", "no columns", b"a,b\r\n1,2\r\n"),
    ("boris-csv", "cells missing", (_TABLE + "a,b\r\n").encode()),
    ("boris-csv", "column twice", b"Behavior,Behavior,Start (s),Stop (s)\r\n"),
    ("boris-csv", "quote not closed", (_TABLE + 'a,"b').encode()),
    ("boris-csv", "latin-1", _TABLE.encode() + _LATIN + b",,x,STATE,1,2\r\n"),
    ("datavyu", "empty", b""),
    ("datavyu", "no archive", b"PK\x03\x04 and then nothing"),
    ("webvtt", "empty", b""),
    ("webvtt", "other text", b"Hello\n"),
    ("webvtt", "no times", b"WEBVTT\n\n1 --> 2\nHello\n"),
    ("webvtt", "latin-1", b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + _LATIN),
    ("webvtt", "UTF-32", "WEBVTT\n".encode("utf-32")),
    ("webvtt", "a long number", b"WEBVTT\n\n00:01.000 --> 00:02.000\n&#" + b"9" * 5000 + b";\n"),
    ("srt", "other text", b"Hello\n"),
    ("srt", "no times", b"1\n00:99:00,000 --> 00:00:01,000\nHello\n"),
    ("srt", "latin-1", b"1\n00:00:01,000 --> 00:00:02,000\n" + _LATIN),
    ("srt", "binary", bytes(range(256)) * 10),
]


@pytest.mark.parametrize(("key", "content"), [(key, c) for key, _, c in BAD], ids=[f"{k} {name}" for k, name, _ in BAD])
def test_one_line_says_what_is_wrong(key: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"bad{get_format(key).suffixes[0]}"
    path.write_bytes(content)
    refused(key, path)


@pytest.mark.parametrize("key", ["boris", "boris-csv", "datavyu", "webvtt", "srt"])
def test_a_file_of_100_mb_is_not_read(key: str, tmp_path: Path) -> None:
    path = tmp_path / f"large{get_format(key).suffixes[0]}"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert "larger than" in refused(key, path)


@pytest.mark.parametrize("key", ["boris", "boris-csv", "datavyu", "webvtt", "srt"])
def test_a_folder_or_no_file_is_refused(key: str, tmp_path: Path) -> None:
    refused(key, tmp_path)
    refused(key, tmp_path / "nothing")


@pytest.mark.parametrize(
    ("members", "word"),
    [
        ({"project": b"!project\n"}, "db"),
        ({"../db": b"#4\n", "project": b""}, "db"),
        ({"db": b"#4\nwhat is this\n"}, "line 2"),
        ({"db": b"#4\n00:00:00:000,00:00:01:000,(a)\n"}, "line 2"),
        ({"db": b"\xff\xfe\xff"}, "UTF-8"),
        ({"db": b"#4\n" + bytes(_BOMB)}, "larger than"),
        ({"db": b"#4\n", "project": bytes(_BOMB)}, "larger than"),
    ],
    ids=["no db", "db outside", "no column", "cell first", "not text", "bomb", "bomb beside it"],
)
def test_archives(members: dict[str, bytes], word: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "bad.opf", members)
    assert word in refused("datavyu", path)
    assert [file.name for file in tmp_path.iterdir()] == ["bad.opf"]


@pytest.mark.parametrize(
    "db",
    [
        b"#4\na (MATRIX,true,)-b|NOMINAL\n00:00:00:000,00:00:01:000,(" + b"\\\n" * 300_000 + b")",
        b"#4\na (MATRIX,true,)-b|NOMINAL\n00:00:00:000,00:00:01:000,(" + b"," * 1_000_000 + b")",
        b"#4\n" + b" " * 1_000_000 + b"(a,(a,",
        b"#4\n" + b"a (TEXT,true,)\n" * 100_000,
        b"#4\n" + b"9" * 1_000_000,
    ],
    ids=["lines that go on", "many values", "no bracket", "many columns", "a long number"],
)
def test_long_work_is_not_longer_than_the_file(db: bytes, tmp_path: Path) -> None:
    path = zipped(tmp_path / "long.opf", {"db": db, "project": b"\n" * 500_000 + b"feed: " + b" " * 400_000})
    with suppress(UserError):
        assert len(get_format("datavyu").read(path).recordings) == 1


def test_a_truncated_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bad.opf", {"project": b"", "db": b"#4\n" + b"a (MATRIX,true,)-b|NOMINAL\n" * 500})
    whole = path.read_bytes()
    for size in range(0, len(whole) - 1, 37):
        path.write_bytes(whole[:size])
        refused("datavyu", path)


def test_what_is_damaged_inside_an_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bad.opf", {"db": b"#4\n" + bytes(range(32, 127)) * 100})
    content = bytearray(path.read_bytes())
    content[40:60] = bytes(20)
    path.write_bytes(content)
    refused("datavyu", path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Zoë>Größe\n"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nZoë: Größe\n"),
    ],
)
def test_encodings(name: str, text: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    (part,) = guess_format(path).read(path).recordings
    assert [(lane.participant, lane.entries[0].text) for lane in part.lanes] == [("Zoë", "Größe")]


def test_links_to_media_are_names_and_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "a.boris"
    path.write_bytes(
        project(type="MEDIA", file={"1": ["../../../etc/passwd", 7, None]}, events=[[1.5, "", "p", "", ""]])
    )
    (part,) = get_format("boris").read(path).recordings
    assert [link.path for link in part.media] == ["../../../etc/passwd", "7", ""]


def refused(key: str, path: Path) -> str:
    with pytest.raises(UserError) as caught:
        get_format(key).read(path)
    said = str(caught.value)
    assert said
    assert said.isprintable()
    assert len(said) < 400
    return said
