"""ELAN's, Praat's and our own files that are damaged or hostile: one clear line, and the study stays as it was."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from annotate.interchange import bounded_files as limits
from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
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
]  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, session_folders: None) -> Path:
    path = tmp_path_factory.mktemp("study") / "a.greenroom"
    with Study.create(path) as made:
        fill_study(made, 2, 12, 2)
    return path


def bring(session: Session, path: Path, key: str | None = None) -> None:
    document = read_file(path, key)
    plan = plan_import(session, document, guess_mapping(session, document), guess_recordings(session, document))
    apply_import(session, plan, path.name)


@pytest.mark.parametrize(("key", "what", "content"), BAD, ids=[f"{key} {what}" for key, what, _ in BAD])
def test_one_line_and_nothing_written(key: str, what: str, content: bytes, tmp_path: Path, study: Path) -> None:
    path = tmp_path / f"bad{get_format(key).suffixes[0]}"
    path.write_bytes(content)
    with Session.open(study, "Newcomer") as session:
        before = everything(session)
        with pytest.raises(UserError) as caught:
            bring(session, path, key)
        assert everything(session) == before
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("key", ["eaf", "textgrid", "csv", "jsonl"])
def test_100_mb_of_nothing_is_one_line(key: str, tmp_path: Path, study: Path) -> None:
    path = tmp_path / f"large{get_format(key).suffixes[0]}"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with Session.open(study, "Newcomer") as session, pytest.raises(UserError):
        bring(session, path, key)


@pytest.mark.parametrize("key", ["eaf", "textgrid", "csv", "jsonl"])
def test_what_is_cut_off_anywhere_is_one_line_or_sound(key: str, tmp_path: Path, study: Path) -> None:
    to = get_format(key)
    with Session.open(study, "Newcomer") as session:
        recordings = exportable_recordings(session)[: None if to.holds_several else 1]
        [whole] = export_recordings(session, to, tmp_path / f"whole{to.suffixes[0]}", recordings)
        content = whole.read_bytes()
        before = everything(session)
        for cut in range(0, len(content), len(content) // 12):
            path = tmp_path / f"cut{to.suffixes[0]}"
            path.write_bytes(content[:cut])
            with suppress(UserError):
                bring(session, path, key)
        assert everything(session) == before


def test_a_table_of_more_rows_than_anybody_marks_is_not_read(
    tmp_path: Path, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ENTRIES", 3)
    path = tmp_path / "many.csv"
    path.write_text("start_s,end_s,label\n" + "1,2,error\n" * 4)
    with Session.open(study, "Zed") as session, pytest.raises(UserError, match="holds more than 3"):
        bring(session, path)


def test_media_are_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.mp4"
    outside.write_bytes(b"secret")
    (tmp_path / "in").mkdir()
    with Study.create(tmp_path / "in" / "a.greenroom") as made:
        fill_study(made, 1, 2, 1)
    for link in ("../outside.mp4", str(outside), "file:///etc/passwd"):
        path = tmp_path / "a.eaf"
        media = f'<MEDIA_DESCRIPTOR MEDIA_URL="{link}" MIME_TYPE="video/mp4"/>'
        path.write_text(f"<ANNOTATION_DOCUMENT><HEADER>{media}</HEADER></ANNOTATION_DOCUMENT>")
        [part] = read_file(path).recordings
        assert part.media[0].path == link


@pytest.mark.parametrize("link", ["../outside.mp4", "/etc/passwd", "C:\\secret.mp4", "a/../../b.mp4"])
def test_links_of_the_lossless_file_stay_in_the_folder(link: str, tmp_path: Path, study: Path) -> None:
    path = tmp_path / "a.jsonl"
    with Session.open(study, "Newcomer") as session:
        export_recordings(session, get_format("jsonl"), path, exportable_recordings(session))
    [recording] = [line for line in path.read_text().splitlines() if '"number": 1,' in line]
    medium = {
        "type": "medium", "id": PERSON["id"], "recording_id": json.loads(recording)["id"], "role": "main",
        "position": 0, "offset_us": 0, "path": link, "fingerprint": "x",
        "facts": {"container": "mp4", "duration_us": 1, "size_bytes": 1, "video": None, "audio": None},
    }  # fmt: skip
    path.write_text(path.read_text() + json.dumps(medium) + "\n")
    with Session(Study.create(tmp_path / "b.greenroom"), "Newcomer") as session:
        bring(session, path)
        [(stored,)] = session.study.rows("SELECT path FROM medium")
    assert stored in ("outside.mp4", "passwd", "secret.mp4", "b.mp4")
