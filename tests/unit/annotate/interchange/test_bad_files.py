"""Files that are damaged, hostile or of another kind: one clear line, bounded work, and the study stays as it was."""

import gzip
import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from annotate.interchange import bounded_files as limits
from annotate.interchange.annotation_files import apply_import, get_format, guess_format, plan_import, read_file
from annotate.interchange.document_export import export_recordings, exportable_recordings
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import guess_mapping
from project.errors import UserError
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.interchange_studies import everything

EAF = '<?xml version="1.0"?><ANNOTATION_DOCUMENT><HEADER/>{}</ANNOTATION_DOCUMENT>'
GRID = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n10\n<exists>\n{}'
TABLE = "recording,kind,annotator,start_s,end_s,label\n"
FIRST = '{"format": "greenroom-study", "version": 1}\n'
ABOUT = '{"type": "study", "name": "a", "schemes": ["shrec"]}\n'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
PERSON = {"type": "annotator", "id": "01941f29-7c44-7bd3-a2d6-21720bb2c3f0", "name": "A", "kind": "person"}
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


def line(**changed: object) -> bytes:
    return (FIRST + ABOUT + json.dumps({**PERSON, **changed}) + "\n").encode()


BAD: list[tuple[str, str, bytes]] = [
    ("eaf", "empty", b""),
    ("eaf", "truncated", EAF.format("<TIME_ORDER>")[:60].encode()),
    ("eaf", "other XML", b"<html/>"),
    ("eaf", "wrong encoding", EAF.format("<TIER TIER_ID='caf\xe9'/>").encode("latin-1")),
    ("eaf", "unknown encoding", b'<?xml version="1.0" encoding="klingon"?><ANNOTATION_DOCUMENT/>'),
    ("eaf", "entities", f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><x>&l11;</x>'.encode()),
    ("eaf", "external", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><ANNOTATION_DOCUMENT>&e;</ANNOTATION_DOCUMENT>'),
    ("eaf", "external DTD", b'<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><ANNOTATION_DOCUMENT/>'),
    ("eaf", "entities in UTF-16", '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x []><x/>'.encode("utf-16")),
    ("eaf", "too deep", b"<ANNOTATION_DOCUMENT>" + b"<a>" * 100_000),
    ("textgrid", "empty", b""),
    ("textgrid", "truncated", GRID.format('1\n"IntervalTier"\n"a"\n0\n10\n3\n0\n4\n"x').encode()),
    ("textgrid", "of a sound", b'File type = "ooTextFile"\nObject class = "Sound"\n'),
    ("textgrid", "wrong encoding", GRID.format('1 "IntervalTier" "caf\xe9"').encode("latin-1")),
    ("textgrid", "a count that lies", GRID.format('999999999999 "IntervalTier"').encode()),
    ("textgrid", "a time that is huge", GRID.format(f'1 "TextTier" "a" 0 10 1 {"9" * 400} "x"').encode()),
    ("textgrid", "backwards", GRID.format('1 "IntervalTier" "a" 0 10 1 5 4 "x"').encode()),
    ("csv", "no columns", b"a,b\n1,2\n"),
    ("csv", "too few cells", f"{TABLE}a,segment\n".encode()),
    ("csv", "no number", f"{TABLE}a,segment,A,=1+1,2,error\n".encode()),
    ("csv", "backwards", f"{TABLE}a,segment,A,3,2,error\n".encode()),
    ("csv", "open quote", f'{TABLE}a,segment,A,1,2,"error\n'.encode()),
    ("csv", "columns twice", b"start_s,start_s,end_s,label\n1,1,2,a\n"),
    ("csv", "wrong encoding", f"{TABLE}caf\xe9,segment,A,1,2,error\n".encode("latin-1")),
    ("csv", "kind", f"{TABLE}a,song,A,1,2,error\n".encode()),
    ("jsonl", "empty", b""),
    ("jsonl", "other JSON", b'{"a": 1}\n'),
    ("jsonl", "newer", b'{"format": "greenroom-study", "version": 2}\n'),
    ("jsonl", "truncated", (FIRST + ABOUT).encode() + b'{"type": "annot'),
    ("jsonl", "wrong encoding", FIRST.encode() + b'{"type": "caf\xe9"}\n'),
    ("jsonl", "no study", FIRST.encode()),
    ("jsonl", "unknown type", (FIRST + ABOUT + '{"type": "journal_step"}\n').encode()),
    ("jsonl", "too deep", FIRST.encode() + b"[" * 100_000 + b"\n"),
    ("jsonl", "no number", FIRST.encode() + b'{"type": NaN}\n'),
    ("jsonl", "id", line(id="../../etc")),
    ("jsonl", "kind", line(kind="robot")),
    ("jsonl", "name missing", line(name="")),
    ("jsonl", "column", line(password="x")),
    ("jsonl", "twice", line() + json.dumps(PERSON).encode() + b"\n"),
    ("jsonl", "nowhere", (FIRST + ABOUT).encode() + json.dumps({
        "type": "assignment", "recording_id": PERSON["id"], "annotator_id": PERSON["id"], "purpose": "work",
    }).encode() + b"\n"),
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
]  # fmt: skip


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, session_folders: None) -> Iterator[Session]:
    path = tmp_path_factory.mktemp("study") / "a.greenroom"
    with Study.create(path) as made:
        fill_study(made, 2, 12, 2)
    with Session.open(path, "Newcomer") as opened:
        yield opened


def bring(session: Session, path: Path, key: str | None = None) -> None:
    document = read_file(path, key)
    plan = plan_import(session, document, guess_mapping(session, document), guess_recordings(session, document))
    apply_import(session, plan, path.name)


def refused(session: Session, path: Path, key: str) -> str:
    before = everything(session)
    with pytest.raises(UserError) as caught:
        bring(session, path, key)
    assert everything(session) == before
    said = str(caught.value)
    assert said.isprintable()
    assert 0 < len(said) < 400
    return said


@pytest.mark.parametrize(("key", "what", "content"), BAD, ids=[f"{key} {what}" for key, what, _ in BAD])
def test_one_line_and_nothing_written(key: str, what: str, content: bytes, tmp_path: Path, session: Session) -> None:
    path = tmp_path / f"bad{get_format(key).suffixes[0]}"
    path.write_bytes(content)
    refused(session, path, key)


@pytest.mark.parametrize("key", ["eaf", "textgrid", "csv", "jsonl", "boris", "boris-csv", "datavyu", "webvtt", "srt"])
def test_a_file_of_100_mb_a_folder_and_no_file_are_not_read(key: str, tmp_path: Path, session: Session) -> None:
    path = tmp_path / f"large{get_format(key).suffixes[0]}"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert ("larger than" in refused(session, path, key)) is (key != "jsonl"), "it is read line by line"
    refused(session, tmp_path, key)
    refused(session, tmp_path / "nothing", key)


@pytest.mark.parametrize("key", ["eaf", "textgrid", "csv", "jsonl"])
def test_what_is_cut_off_anywhere_is_one_line_or_sound(key: str, tmp_path: Path, session: Session) -> None:
    to = get_format(key)
    recordings = exportable_recordings(session)[: None if to.holds_several else 1]
    [whole] = export_recordings(session, to, tmp_path / f"whole{to.suffixes[0]}", recordings)
    content, before = whole.read_bytes(), everything(session)
    for cut in range(0, len(content), len(content) // 12):
        path = tmp_path / f"cut{to.suffixes[0]}"
        path.write_bytes(content[:cut])
        with suppress(UserError):
            bring(session, path, key)
    assert everything(session) == before


def test_a_table_of_more_rows_than_anybody_marks_is_not_read(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ENTRIES", 3)
    (tmp_path / "many.csv").write_text("start_s,end_s,label\n" + "1,2,error\n" * 4)
    assert "holds more than 3" in refused(session, tmp_path / "many.csv", "csv")


def test_links_to_media_are_names_and_nothing_more(tmp_path: Path) -> None:
    for link in ("../outside.mp4", "/etc/passwd", "file:///etc/passwd"):
        path = tmp_path / "a.eaf"
        media = f'<MEDIA_DESCRIPTOR MEDIA_URL="{link}" MIME_TYPE="video/mp4"/>'
        path.write_text(f"<ANNOTATION_DOCUMENT><HEADER>{media}</HEADER></ANNOTATION_DOCUMENT>")
        [part] = read_file(path).recordings
        assert part.media[0].path == link
    path = tmp_path / "a.boris"
    path.write_bytes(
        project(
            type="MEDIA", file={"1": ["../../../etc/passwd"], "2": [7], "3": [None]}, events=[[1.5, "", "p", "", ""]]
        )
    )
    [part] = read_file(path).recordings
    assert [link.path for link in part.media] == ["../../../etc/passwd", "7", ""]


@pytest.mark.parametrize("link", ["../outside.mp4", "/etc/passwd", "C:\\secret.mp4", "a/../../b.mp4"])
def test_links_of_the_lossless_file_stay_in_the_folder(link: str, tmp_path: Path, session: Session) -> None:
    path = tmp_path / "a.jsonl"
    export_recordings(session, get_format("jsonl"), path, exportable_recordings(session))
    [recording] = [line for line in path.read_text().splitlines() if '"number": 1,' in line]
    medium = {
        "type": "medium", "id": PERSON["id"], "recording_id": json.loads(recording)["id"], "role": "main",
        "position": 0, "offset_us": 0, "path": link, "fingerprint": "x",
        "facts": {"container": "mp4", "duration_us": 1, "size_bytes": 1, "video": None, "audio": None},
    }  # fmt: skip
    path.write_text(path.read_text() + json.dumps(medium) + "\n")
    with Session(Study.create(tmp_path / "b.greenroom"), "Newcomer") as other:
        bring(other, path)
        [(stored,)] = other.study.rows("SELECT path FROM medium")
    assert stored in ("outside.mp4", "passwd", "secret.mp4", "b.mp4")


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
def test_archives(members: dict[str, bytes], word: str, tmp_path: Path, session: Session) -> None:
    path = zipped(tmp_path / "bad.opf", members)
    assert word in refused(session, path, "datavyu")
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


def test_a_truncated_archive(tmp_path: Path, session: Session) -> None:
    path = zipped(tmp_path / "bad.opf", {"project": b"", "db": b"#4\n" + b"a (MATRIX,true,)-b|NOMINAL\n" * 500})
    whole = path.read_bytes()
    for size in range(0, len(whole) - 1, 37):
        path.write_bytes(whole[:size])
        refused(session, path, "datavyu")


def test_what_is_damaged_inside_an_archive(tmp_path: Path, session: Session) -> None:
    path = zipped(tmp_path / "bad.opf", {"db": b"#4\n" + bytes(range(32, 127)) * 100})
    content = bytearray(path.read_bytes())
    content[40:60] = bytes(20)
    path.write_bytes(content)
    refused(session, path, "datavyu")


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
