"""Files that are damaged, hostile or of another kind: one clear line, bounded work, and the study stays as it was."""

import gzip
import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from annotate.interchange import bounded_files as limits
from annotate.interchange import tier_schemes
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
EVENTS = "Observation id,Subject,Behavior,Behavior type,Start (s),Stop (s)\r\n"
LATIN = "caf\xe9 ".encode("latin-1")
BOMB = 70_000_000


def project(**observation: object) -> bytes:
    return json.dumps({"time_format": "s", "observations": {"one": observation}}).encode()


def line(**changed: object) -> bytes:
    return (FIRST + ABOUT + json.dumps({**PERSON, **changed}) + "\n").encode()


BAD: dict[str, list[bytes]] = {
    "eaf": [
        EAF.format("<TIME_ORDER>")[:60].encode(),
        b"<html/>",
        EAF.format("<TIER TIER_ID='caf\xe9'/>").encode("latin-1"),
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><x>&l11;</x>'.encode(),
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><ANNOTATION_DOCUMENT>&e;</ANNOTATION_DOCUMENT>',
        '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x []><x/>'.encode("utf-16"),
        b"<ANNOTATION_DOCUMENT>" + b"<a>" * 100_000,
    ],
    "textgrid": [
        b"",
        GRID.format('1\n"IntervalTier"\n"a"\n0\n10\n3\n0\n4\n"x').encode(),
        b'File type = "ooTextFile"\nObject class = "Sound"\n',
        GRID.format('999999999999 "IntervalTier"').encode(),
        GRID.format(f'1 "TextTier" "a" 0 10 1 {"9" * 400} "x"').encode(),
        GRID.format('1 "IntervalTier" "a" 0 10 1 5 4 "x"').encode(),
    ],
    "csv": [
        b"a,b\n1,2\n",
        f"{TABLE}a,segment\n".encode(),
        f"{TABLE}a,segment,A,=1+1,2,error\n".encode(),
        f"{TABLE}a,segment,A,3,2,error\n".encode(),
        f'{TABLE}a,segment,A,1,2,"error\n'.encode(),
        b"start_s,start_s,end_s,label\n1,1,2,a\n",
        f"{TABLE}a,song,A,1,2,error\n".encode(),
    ],
    "jsonl": [
        b"",
        b'{"a": 1}\n',
        b'{"format": "greenroom-study", "version": 2}\n',
        (FIRST + ABOUT).encode() + b'{"type": "annot',
        (FIRST + ABOUT + '{"type": "journal_step"}\n').encode(),
        FIRST.encode() + b"[" * 100_000 + b"\n",
        line(id="../../etc"),
        line(kind="robot"),
        line(password="x"),
        (FIRST + '{"type": "study", "name": "half a \\ud83d", "schemes": ["shrec"]}\n').encode(),
        line() + json.dumps(PERSON).encode() + b"\n",
    ],
    "boris": [
        b'{"observations": {"a": {"events": [[1.0, "", ',
        b'{"a": 1}',
        b'{"observations": {"a": []}}',
        project(events=[[1]]),
        b'{"observations": ' + b"[" * 100_000,
        b'{"observations": ' + b"9" * 10_000 + b"}",
        b'{"observations": {"half a \\ud83d": {"events": []}}}',
        gzip.compress(b'{"observations": {}}', mtime=0)[:-12],
        gzip.compress(bytes(BOMB), 1, mtime=0),
    ],
    "boris-csv": [b"a,b\r\n1,2\r\n", (EVENTS + "a,b\r\n").encode(), EVENTS.encode() + LATIN + b",,x,STATE,1,2\r\n"],
    "webvtt": [
        b"Hello\n",
        b"WEBVTT\n\n1 --> 2\nHello\n",
        b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + LATIN,
        b"WEBVTT\n\n00:01.000 --> 00:02.000\n&#" + b"9" * 5000 + b";\n",
    ],
    "srt": [b"1\n00:99:00,000 --> 00:00:01,000\nHello\n", bytes(range(256)) * 10],
    "datavyu": [b"", b"PK\x03\x04 and then nothing"],
}


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
    with pytest.raises(UserError) as caught:
        bring(session, path, key)
    said = str(caught.value)
    assert said.isprintable()
    assert 0 < len(said) < 400
    return said


@pytest.mark.parametrize("key", BAD)
def test_what_cannot_be_read_is_one_line_and_nothing_is_written(key: str, tmp_path: Path, session: Session) -> None:
    before = everything(session)
    path = tmp_path / f"bad{get_format(key).suffixes[0]}"
    for content in BAD[key]:
        path.write_bytes(content)
        refused(session, path, key)
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert ("larger than" in refused(session, path, key)) is (key != "jsonl"), "it is read line by line"
    refused(session, tmp_path, key)
    refused(session, tmp_path / "nothing", key)
    assert everything(session) == before


def test_more_rows_tiers_or_codes_than_anybody_uses_are_not_read(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.csv"
    path.write_text("start_s,end_s,label\n" + "1,2,error\n" * 4)
    monkeypatch.setattr(limits, "MAX_ENTRIES", 3)
    assert "has more than 3 segments" in refused(session, path, "csv")
    path.write_text("start_s,label,track\n1,error,a\n1,error,b\n")
    monkeypatch.setattr(limits, "MAX_LANES", 1)
    assert "has more than 1 tiers" in refused(session, path, "csv")
    path.write_text("Time_Relative_sf,Behavior,Event_Type\n1,look,Point\n")
    monkeypatch.setattr(tier_schemes, "MAX_SCHEME_BYTES", 10)
    assert "more codes than a scheme can hold" in refused(session, path, "observer")


def test_numbers_that_no_study_can_hold_are_left_out(tmp_path: Path) -> None:
    told = json.dumps({"name": "x", "duration_us": 10**300})
    path = tmp_path / "a.eaf"
    path.write_text(
        f'<ANNOTATION_DOCUMENT><HEADER><PROPERTY NAME="greenroom">{told}</PROPERTY></HEADER></ANNOTATION_DOCUMENT>'
    )
    assert [(part.name, part.duration_us) for part in read_file(path).recordings] == [("x", 0)]
    path = tmp_path / "a.csv"
    path.write_text(EVENTS.strip() + f",Modifier #{'9' * 5000}\r\no,s,look,STATE,1,2,x\r\n")
    [part] = read_file(path).recordings
    assert [dict(entry.values) for lane in part.lanes for entry in lane.entries] == [{}]


def test_links_to_media_are_names_and_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "a.eaf"
    media = '<MEDIA_DESCRIPTOR MEDIA_URL="file:///etc/passwd" MIME_TYPE="video/mp4"/>'
    path.write_text(f"<ANNOTATION_DOCUMENT><HEADER>{media}</HEADER></ANNOTATION_DOCUMENT>")
    [part] = read_file(path).recordings
    assert part.media[0].path == "file:///etc/passwd"
    path = tmp_path / "a.boris"
    files = {"1": ["../../../etc/passwd"], "2": [7], "3": [None]}
    path.write_bytes(project(type="MEDIA", file=files, events=[[1.5, "", "p", "", ""]]))
    [part] = read_file(path).recordings
    assert [link.path for link in part.media] == ["../../../etc/passwd", "7", ""]


@pytest.mark.parametrize("link", ["/etc/passwd", "C:\\secret.mp4", "a/../../b.mp4", "."])
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
    assert stored in ("passwd", "secret.mp4", "b.mp4", "medium")


def test_archives(tmp_path: Path, session: Session) -> None:
    path = tmp_path / "bad.opf"
    for members, word in (
        ({"project": b"!project\n"}, "db"),
        ({"../db": b"#4\n", "project": b""}, "db"),
        ({"db": b"#4\n00:00:00:000,00:00:01:000,(a)\n"}, "line 2"),
        ({"db": b"\xff\xfe\xff"}, "UTF-8"),
        ({"db": b"#4\n" + bytes(BOMB)}, "larger than"),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        assert word in refused(session, path, "datavyu")
        assert [file.name for file in tmp_path.iterdir()] == ["bad.opf"]


@pytest.mark.parametrize(
    "db",
    [
        b"#4\na (MATRIX,true,)-b|NOMINAL\n00:00:00:000,00:00:01:000,(" + b"\\\n" * 300_000 + b")",
        b"#4\n" + b" " * 1_000_000 + b"(a,(a,",
    ],
    ids=["lines that go on", "no bracket"],
)
def test_long_work_is_not_longer_than_the_file(db: bytes, tmp_path: Path) -> None:
    path = tmp_path / "long.opf"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("db", db)
        archive.writestr("project", b"\n" * 500_000 + b"feed: " + b" " * 400_000)
    with suppress(UserError):
        assert len(get_format("datavyu").read(path).recordings) == 1
    path = tmp_path / "long.TextGrid"
    path.write_text(GRID.format("30000\n" + '"IntervalTier" "a" 0 10 0\n' * 30_000))
    assert len({lane.name for lane in get_format("textgrid").read(path).recordings[0].lanes}) == 30_000


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    for name, text in (
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Zoë>Größe\n"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nZoë: Größe\n"),
    ):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        (part,) = guess_format(path).read(path).recordings
        assert [(lane.participant, lane.entries[0].text) for lane in part.lanes] == [("Zoë", "Größe")]
