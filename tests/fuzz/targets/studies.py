"""A study from a stranger: spoiled bytes, rows of any content, code in its schema, and what may lie beside it."""

import contextlib
import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from project.errors import UserError
from project.files.fingerprints import fingerprint
from project.files.sqlcipher import sqlite3
from project.integrity.integrity_check import check_study
from project.session.session import Session
from project.store.study import Study
from tests.fuzz.base import Refuted
from tests.fuzz.mutate import NUMBERS, a_text, spoil_bytes, spoil_json, spoil_text, storable
from tests.fuzz.seeds import CLIP, LAB, OWN, command, command_lines, full_study

READING = command_lines("""
info LAB
info LAB
segment list LAB
segment comment LAB SEGMENT --text x --annotator Ada
study search LAB hello
study checklist LAB
team activity LAB
team review list LAB --annotator Ada
policy show LAB
policy log LAB
judge list LAB
judge test LAB chance
judge ask LAB --all --judge chance --task verdict
benchmark sets LAB
benchmark results LAB --parts
benchmark run LAB --set verdict --judge chance
question list LAB
question queue LAB --annotator Bo
question status LAB
question make LAB
question texts LAB
scheme list LAB
team agreement LAB
team adjudicate LAB
team plan LAB --annotators Ada,Bo
team training LAB
study conflicts LAB
study resolve LAB all --take theirs
chain list LAB
chain check LAB
chain statistics LAB
chain export LAB --out chains.json
question consistency LAB
segment export LAB --format csv --out table.csv
segment export LAB --format eaf --out elan
segment export LAB --format jsonl --out lines.jsonl
segment export LAB --format textgrid --out praat
segment export LAB --format boris --out b.boris
segment export LAB --format datavyu --out datavyu
segment export LAB --format webvtt --out vtt
study undo LAB
study redo LAB
speech show LAB --recording 1
segment cues list LAB
recording meta show LAB --recording 1
recording meta export LAB --out meta
participant list LAB
release words LAB
release texts LAB
release make LAB --dry-run
judge revisions LAB
episode list LAB
episode show LAB 2
episode figures LAB
episode characters LAB
episode scenarios LAB
episode export LAB episodes.jsonl
pii review LAB
faces review LAB --recording 1 --annotator Ada
anonymize measure LAB
study relink LAB .
study split LAB --annotator Ada --out for-ada.greenroom
study merge OWN LAB
study merge OWN LAB
segment add LAB --recording 1 --start 0.1 --end 0.2 --label error --annotator C
""")
"""How people look into a study; what stands there twice is drawn twice as often."""
_DRAWN = (1, 1, 2)
"""How many commands a case may take."""
_CHECKED = 0.1


def _try(*commands: Sequence[str]) -> None:
    """Run commands; one that says no must not keep the next from being tried."""
    for arguments in commands:
        with suppress(UserError):
            command(*arguments)


class _StudyTarget:
    apart = False

    def prepare(self, folder: Path) -> None:
        self._study = full_study(folder.parent)
        self._clip = self._study.with_name(CLIP).read_bytes()
        self._content = self._study.read_bytes()
        with Study.open(self._study, read_only=True) as study:
            segment = str(study.rows("SELECT id FROM segment")[0][0])
        self._reading = [[segment if word == "SEGMENT" else word for word in words] for words in READING]

    def spoil(self, chance: Random, folder: Path) -> None:
        study = folder / LAB
        study.write_bytes(self._content)
        (folder / CLIP).write_bytes(self._clip)
        (folder / OWN).write_bytes(self._content)
        self.change(chance, study)

    def use(self, chance: Random, folder: Path) -> None:
        with contextlib.chdir(folder):
            self.look(chance, folder)

    def change(self, chance: Random, study: Path) -> None:
        raise NotImplementedError

    def look(self, chance: Random, folder: Path) -> None:
        """Look into the study in some of the ways that people have."""
        if chance.random() < _CHECKED:
            check_study(folder / LAB)
        _try(*chance.sample(self._reading, chance.choice(_DRAWN)))


class Bytes(_StudyTarget):
    """Bytes of the file itself. A study that is found damaged must be left as it is."""

    def change(self, chance: Random, study: Path) -> None:
        content = spoil_bytes(chance, self._content)
        if chance.random() < 0.7:
            # So that not every case ends at the first look.
            content = self._content[:100] + content[100:]
        study.write_bytes(content)

    def look(self, chance: Random, folder: Path) -> None:
        study = folder / LAB
        before = study.read_bytes()
        try:
            Study.open(study).close()
        except UserError:
            if study.read_bytes() != before:
                raise Refuted("a study that was refused was changed") from None
            left = [
                path.name for path in folder.iterdir() if path.name not in (LAB, CLIP, OWN) and ".bak-" not in path.name
            ]
            if left:
                raise Refuted(f"a study that was refused left {left}") from None
        super().look(chance, folder)


class Rows(_StudyTarget):
    """Cells of any content, whatever the CHECKs say."""

    def change(self, chance: Random, study: Path) -> None:
        connection = sqlite3.connect(study, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
                with suppress(sqlite3.Error):
                    _spoil_row(chance, connection)
            connection.execute("COMMIT")
        finally:
            connection.close()


def _spoil_row(chance: Random, connection: sqlite3.Connection) -> None:
    table, columns = _table(chance, connection)
    name, kind = chance.choice(columns)
    rows = connection.execute(f"SELECT DISTINCT {name} FROM {table}").fetchall()
    old = chance.choice(rows)[0] if rows else None
    match chance.randrange(10):
        case 0:
            connection.execute(f"DELETE FROM {table} WHERE {name} IS ?", (old,))
        case 1:
            names = ", ".join(text for text, _ in columns)
            given = ", ".join("?" if text == name else text for text, _ in columns)
            connection.execute(
                f"INSERT INTO {table} ({names}) SELECT {given} FROM {table}", (_cell(chance, old, kind),)
            )
        case _:
            connection.execute(
                f"UPDATE {table} SET {name} = {_marker(chance, kind)} WHERE {name} IS ?",
                (_cell(chance, old, kind), old),
            )


def _table(chance: Random, connection: sqlite3.Connection) -> tuple[str, list[tuple[str, str]]]:
    tables = [one for (one,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    table = chance.choice(tables)
    return table, [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]


def _marker(chance: Random, kind: str) -> str:
    # Bytes as text is what another program may have stored.
    return "CAST(x'ff' || ? AS TEXT)" if kind == "TEXT" and chance.random() < 0.05 else "?"


def _cell(chance: Random, old: object, kind: str) -> object:
    if kind == "INTEGER":
        return chance.choice(NUMBERS)
    if kind == "REAL":
        return chance.choice((0.0, -1.0, 1e308, float("inf"), 1e-320))
    if kind == "BLOB":
        content = old if isinstance(old, bytes) else b""
        return chance.choice(
            (spoil_bytes(chance, content or b"\0"), chance.randbytes(len(content)), b"\xff" * len(content))
        )
    text = old if isinstance(old, str) else ""
    if text[:1] in ("{", "[") and chance.random() < 0.8:
        with suppress(ValueError, RecursionError):
            return storable(json.dumps(spoil_json(chance, json.loads(text)), ensure_ascii=False))
    if "\n" in text and chance.random() < 0.7:
        return spoil_text(chance, text)
    return a_text(chance)


_CODE: Sequence[str] = (
    "CREATE TRIGGER t AFTER INSERT ON journal_step BEGIN UPDATE property SET value = 'x'; END",
    "CREATE TRIGGER t AFTER UPDATE ON segment BEGIN DELETE FROM segment; END",
    "CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN SELECT load_extension('x'); END",
    "CREATE VIEW v AS SELECT load_extension('/tmp/x.so') AS id",
    "CREATE VIEW seen_segment AS SELECT * FROM segment",
    "CREATE VIEW v AS SELECT writefile('../outside/made', 'x') AS id",
    "CREATE TABLE extra (a INTEGER, b AS (abs(-9223372036854775808)) STORED)",
    "CREATE TABLE extra (a INTEGER, b AS (randomblob(1000000000)))",
    "CREATE TABLE extra (a INTEGER CHECK (load_extension('x')))",
    "CREATE TABLE extra (a DEFAULT (load_extension('x')))",
    "CREATE TABLE sqlite_sight (a)",
    "CREATE INDEX extra ON segment (abs(start_us))",
    "CREATE INDEX extra ON segment (start_us) WHERE abs(start_us) > 1",
    "CREATE UNIQUE INDEX extra ON recording (duration_us)",
    "CREATE INDEX extra ON utterance (zeroblob(20000000))",
    "CREATE VIRTUAL TABLE extra USING fts5 (a)",
    "CREATE VIRTUAL TABLE extra USING rtree (a, b, c)",
    "CREATE VIRTUAL TABLE extra USING dbstat",
    "ALTER TABLE comment ADD COLUMN more AS (load_extension('x'))",
    "ALTER TABLE comment ADD COLUMN more TEXT DEFAULT 'x'",
    "ALTER TABLE comment RENAME TO comments",
    "ALTER TABLE comment RENAME COLUMN text TO words",
    "DROP TABLE comment",
    "DROP INDEX segment_by_start",
    "ANALYZE",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 2147483647",
    "PRAGMA user_version = -1",
    "PRAGMA application_id = 0",
    "PRAGMA journal_mode = WAL",
    "PRAGMA auto_vacuum = 1",
    "PRAGMA page_size = 512",
    "PRAGMA page_size = 65536",
    "PRAGMA encoding = 'UTF-16'",
    "VACUUM",
    "PRAGMA locking_mode = EXCLUSIVE",
)
_REWRITES: Sequence[Callable[[Random, str], str]] = (
    lambda chance, sql: sql.replace("TEXT NOT NULL", "TEXT NOT NULL DEFAULT (load_extension('x'))", 1),
    lambda chance, sql: sql.replace("STRICT", "", 1),
    lambda chance, sql: sql.replace("CHECK (id <> '')", "CHECK (randomblob(9) <> '')"),
    lambda chance, sql: sql.replace(") STRICT", ", x AS (hex(randomblob(9)))) STRICT", 1),
    lambda chance, sql: sql + " -- more",
    lambda chance, sql: sql[: chance.randrange(len(sql))],
    lambda chance, sql: spoil_text(chance, sql, ("TRIGGER", "VIRTUAL", "AS", "SELECT", "sqlite_schema")),
    lambda chance, sql: "",
)


class Schema(_StudyTarget):
    """Code and lies in the schema, in the file's header, and in the statistics by which SQLite plans."""

    def change(self, chance: Random, study: Path) -> None:
        connection = sqlite3.connect(study, isolation_level=None)
        try:
            for _ in range(chance.choice((1, 1, 2))):
                with suppress(sqlite3.Error):
                    if chance.random() < 0.5:
                        connection.execute(chance.choice(_CODE))
                    elif chance.random() < 0.2:
                        connection.execute("ANALYZE")
                        connection.execute("UPDATE sqlite_stat1 SET stat = ?", (a_text(chance),))
                    else:
                        _rewrite(chance, connection)
        finally:
            connection.close()


def _rewrite(chance: Random, connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT rowid, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    row, sql = chance.choice(rows)
    connection.execute("PRAGMA writable_schema = ON")
    if chance.random() < 0.7:
        connection.execute(
            "UPDATE sqlite_schema SET sql = ? WHERE rowid = ?", (chance.choice(_REWRITES)(chance, sql), row)
        )
        return
    column = chance.choice(("type", "name", "tbl_name", "rootpage"))
    value: object = chance.choice((0, 1, 2, 3, 10**6, -1)) if column == "rootpage" else a_text(chance)
    if column == "type":
        value = chance.choice(("table", "index", "trigger", "view", "x"))
    connection.execute(f"UPDATE sqlite_schema SET {column} = ? WHERE rowid = ?", (value, row))


class Beside(_StudyTarget):
    """Files and links beside a study under the names that SQLite and the lock use, and media that are links."""

    def change(self, chance: Random, study: Path) -> None:
        outside = study.parents[2] / "outside" / "secret.mp4"
        for ending in chance.sample(
            ("-wal", "-journal", "-shm", ".lock", ".bak-1", "-journal", "-wal"), chance.choice((1, 1, 2))
        ):
            place = study.with_name(study.name + ending)
            if place.is_symlink() or place.exists():
                continue
            with suppress(FileExistsError):
                match chance.randrange(6):
                    case 0 | 1:
                        place.symlink_to(
                            chance.choice((outside, "../outside/secret.mp4", "../../outside/new", "/dev/zero", LAB))
                        )
                    case 2:
                        place.mkdir()
                    case 3:
                        place.write_bytes(_journal(chance, self._content, outside))
                    case 4:
                        place.write_bytes(spoil_bytes(chance, _log(self._study, study.parent)))
                    case _:
                        place.write_bytes(chance.randbytes(chance.choice((0, 1, 32, 5000))))
        if chance.random() < 0.3:
            study.with_name(CLIP).unlink()
            study.with_name(CLIP).symlink_to(chance.choice((outside, "/dev/zero", "/etc/passwd", CLIP)))


def super_journal(content: bytes, named: Path | None, nonce: int = 1) -> bytes:
    """Return a hot rollback journal of a study; at the end of it, SQLite deletes the file that it names."""
    page_size = int.from_bytes(content[16:18])
    pages = len(content) // page_size
    head = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"".join(
        number.to_bytes(4, "big") for number in (1, nonce, pages, 512, page_size)
    )
    page = content[:page_size]
    total = (nonce + sum(page[at] for at in range(page_size - 200, 0, -200))) & 0xFFFFFFFF
    body = head.ljust(512, b"\0") + (1).to_bytes(4, "big") + page + total.to_bytes(4, "big")
    if named is None:
        return body
    name = str(named).encode()
    # A page number that no page has marks the name of the super-journal.
    body += ((1 << 30) // page_size + 1).to_bytes(4, "big") + name
    return body + len(name).to_bytes(4, "big") + (sum(name) & 0xFFFFFFFF).to_bytes(4, "big") + head[:8]


def _journal(chance: Random, content: bytes, outside: Path) -> bytes:
    named = chance.choice((outside, outside.parents[1] / "case" / "study" / CLIP)) if chance.random() < 0.7 else None
    body = super_journal(content, named, chance.randrange(1 << 32))
    return body if chance.random() < 0.8 else spoil_bytes(chance, body)


def _log(source: Path, folder: Path) -> bytes:
    """Return a write-ahead log with an edit in it, as a killed process leaves it."""
    copy = folder / "copy"
    shutil.copyfile(source, copy)
    connection = sqlite3.connect(copy, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE property SET value = value || ' '")
        return copy.with_name("copy-wal").read_bytes()
    finally:
        connection.close()
        for ending in ("", "-wal", "-shm"):
            copy.with_name("copy" + ending).unlink(missing_ok=True)


class Paths(_StudyTarget):
    """Paths of media, of models and of renderings that lead out of the folder, and addresses of strangers."""

    def change(self, chance: Random, study: Path) -> None:
        outside = study.parents[2] / "outside"
        known = outside / "known.mp4"
        places = (
            "../../outside/known.mp4",
            str(known),
            str(outside / "secret.mp4"),
            "../../outside/secret.mp4",
            "./../../outside/known.mp4",
            "link.mp4",
            "folder/known.mp4",
            "/dev/zero",
            "/etc/passwd",
            "../../../../../../../../etc/passwd",
            "/proc/self/mem",
            "//server/share/a.mp4",
            "/net/server/a.mp4",
            "~/a.mp4",
            "http://127.0.0.1:9/a.mp4",
            "concat:../../outside/known.mp4",
            "\0",
            "a\nb",
            ".",
            "..",
            "",
            "x" * 5000,
            f"../study/{CLIP}",
            f"folder/../{CLIP}",
        )
        study.with_name("link.mp4").symlink_to("../../outside/known.mp4")
        study.with_name("folder").symlink_to("../../outside")
        connection = sqlite3.connect(study, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            place = chance.choice(places)
            facts = json.loads(connection.execute("SELECT facts FROM medium").fetchone()[0])
            content = self._known
            facts["size_bytes"] = len(content)
            connection.execute(
                "UPDATE medium SET path = ?, facts = ?, fingerprint = ?", (place, json.dumps(facts), self._print)
            )
            if chance.random() < 0.3:
                connection.execute(
                    "UPDATE run SET result = ?", (json.dumps({"output": chance.choice(places), "frames": 12}),)
                )
            if chance.random() < 0.3:
                connection.execute(
                    "UPDATE judge SET backend = 'llama-cpp', settings = '{}', model = ?", (chance.choice(places),)
                )
        finally:
            connection.close()

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        outside = Path.cwd().parent / "outside"
        (outside / "known.mp4").write_bytes(self._clip)
        self._known = self._clip
        self._print = fingerprint(outside / "known.mp4")

    def look(self, chance: Random, folder: Path) -> None:
        _try(*chance.sample(_ON_MEDIA, 2))
        with suppress(UserError), Session.open(folder / LAB) as session:
            from annotate.review.study_progress import build_overview

            build_overview(session)


_ON_MEDIA = command_lines("""
info LAB
faces track LAB --recording 1
anonymize export LAB --recording 1 --out clips
speech transcribe LAB --speech-only
recording sync LAB --recording 1
recording meta scenes LAB --recording 1
segment cues run LAB
anonymize voice LAB --recording 1
speech speakers LAB
segment export LAB --format eaf --out elan
segment export LAB --format boris --out b.boris
study split LAB --annotator Ada --out ada/for-ada.greenroom --media
release make LAB --dry-run
anonymize measure LAB
judge ask LAB --all --judge chance --task verdict
judge test LAB chance
study check LAB
study relink LAB .
speech show LAB --recording 1
speech export LAB --recording 1 a.vtt
recording add-view LAB CLIP --recording 1 --role microphone
episode show LAB 2
""")
