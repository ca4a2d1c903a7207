"""Kinds of work that a kill may interrupt: what each begins with, what runs, and what has to hold after a kill."""

import hashlib
import os
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from annotate.segments.segment_edits import set_field
from annotate.study import people as participants
from annotate.transcript import transcript_edits as transcript
from benchmark.judging.judge_registry import add_judge
from media.clip_writer import paint_clip
from media.frame_index import load_index
from project.encryption.encryption_key import is_encrypted
from project.encryption.passphrases import PASSPHRASE_FILE_VARIABLE
from project.entities.judgments import Judgment
from project.entities.study_records import Json, ParticipantRole
from project.integrity.integrity_check import check_study
from project.queries.history_rows import parse_shared_copies
from project.queries.item_set_rows import answers_of, benchmark_runs
from project.queries.judgment_rows import find_judgments, judgments_in
from project.queries.recording_rows import all_participants
from project.queries.segment_rows import all_segments
from project.schema import format_versions as schema
from project.schema.tables import HUMAN_TABLES
from project.session.session import Session
from project.store.backups import backup_paths
from project.store.study import Study
from resources import resource
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.commands import greenroom
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.misbehaving_server import misbehaving, says, waits
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, spoken, write_sound
from tests.faults.lives import SEED, Death
from tests.faults.victims.editing import printed_step
from tests.faults.victims.migrating import NEXT

STUDY, CLIP, COPY, MODEL, PASSPHRASE = "lab.greenroom", "a.mp4", "copy.greenroom", "model", "passphrase"
SEGMENTS, SHARED, SECRET = 400, 60, "what nobody may read again"
MADE_US = 200_000


def sound(folder: Path) -> None:
    """The study is well before anybody opens it, can be opened for writing, and is well after that."""
    for _ in range(2):
        assert check_study(folder / STUDY) == []
        with Study.open(folder / STUDY) as opened:
            assert not opened.read_only, opened.read_only_reason


def alone(folder: Path, *others: str) -> None:
    """Nothing lies in the folder of the study but the study, its backups and what is known; and no copy elsewhere."""
    backups = backup_paths(folder / STUDY)
    for backup in backups:
        assert check_study(backup) == [], f"{backup.name} is no sound backup"
    there = {path.name for path in folder.iterdir()} - {backup.name for backup in backups}
    assert there == {STUDY, *others}
    # What libraries make of their own, such as the look for a system library, has other names.
    assert [path.name for path in (folder.parent / "temporary").glob("*greenroom*")] == []


def rows_of(folder: Path, tables: Collection[str] = tuple(HUMAN_TABLES), without: Collection[str] = ()) -> object:
    """Return table -> checksum of its rows, whatever their order; some columns are left out."""
    found = {}
    with closing(sqlite3.connect(f"file:{folder / STUDY}?mode=ro&immutable=1", uri=True)) as connection:
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] not in without]
            rows = sorted(repr(row) for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}"))
            found[table] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return found


def add_marks(session: Session, count: int, seed: int) -> None:
    """Mark so many spans of the only recording."""
    chance = random.Random(seed)
    for _ in range(count):
        start = chance.randrange(500)
        mark(session, "Bo", start, start + 1 + chance.random(), rationale="why " * chance.randrange(1, 200))


class Work:
    """One kind of work on a study in a folder: what it begins with, what runs, and what has to hold after a kill.

    Attributes:
        beside: what lies beside the study.
        number: of the run.
    """

    beside: tuple[str, ...] = ()
    number = 0

    def prepare(self, folder: Path) -> None:
        """Put the study and what the work needs into an empty folder; by itself, a recording with many segments."""
        with open_study(folder) as session:
            self.fill(session)
        session.study.path.rename(folder / STUDY)

    def fill(self, session: Session) -> None:
        """Put into a study with one recording, that has no file, what the work needs."""
        add_marks(session, SEGMENTS, seed=1)

    def command(self, folder: Path) -> tuple[object, ...]:
        """Return a module and its arguments."""
        raise NotImplementedError

    def again(self, folder: Path) -> None:
        """Do it once more, to the end, in this process."""
        _, *arguments = self.command(folder)
        greenroom(*arguments)

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        """Look at a folder in which it was killed, beside what it was and what a life that was not cut short made."""
        raise NotImplementedError

    def end(self) -> None:
        """Stop what `prepare` started."""


class Editing(Work):
    """Opening, editing, undoing and closing; a committed edit stays."""

    def __init__(self, *how: str) -> None:
        self._how = how

    def fill(self, session: Session) -> None:
        add_marks(session, 1, seed=1)

    def command(self, folder: Path) -> tuple[object, ...]:
        return "tests.faults.victims.editing", folder / STUDY, f"{SEED}-{self.number}", *self._how

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        with Session.open(origin / STUDY, read_only=True) as session:
            first = printed_step(session)
        sound(folder)
        alone(folder)
        with Session.open(folder / STUDY, "Ada") as session:
            kept = {(str(row[0]), row[1]) for row in session.study.rows("SELECT id, uid FROM journal_step")}
            newest, _, change = printed_step(session).split()
            said = [line.split() for line in (first, *death.lines)]
            assert {(step, uid) for step, uid, _ in said} <= kept, "a committed step is gone"
            assert int(said[-1][2]) <= int(change), "a committed change is gone"
            # The first edit of somebody new introduces them in a step before it.
            assert int(said[-1][0]) <= int(newest) <= int(said[-1][0]) + 2, "more was done than was begun"
            if session.study.undo_name:
                session.study.undo()
        sound(folder)
        alone(folder)


class AllOrNothing(Work):
    """Work that one transaction ends."""

    tables: Collection[str] = tuple(HUMAN_TABLES)
    own_each_time: tuple[str, ...] = ()

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        nothing, everything = (rows_of(path, self.tables, self.own_each_time) for path in (origin, whole))
        assert nothing != everything
        sound(folder)
        alone(folder, *self.beside)
        kept = rows_of(folder, self.tables, self.own_each_time)
        assert kept in (nothing, everything), "half of it is there"
        assert death.killed or kept == everything
        if kept == nothing:
            self.again(folder)
        self.require_the_end(folder, origin)
        assert rows_of(folder, self.tables, self.own_each_time) == everything
        sound(folder)
        alone(folder, *self.beside)

    def require_the_end(self, folder: Path, origin: Path) -> None:
        """Look at what else there is once it was done."""


class Merging(AllOrNothing):
    """A study and a colleague's copy, with new segments in both and other words in the same ones."""

    beside = (COPY,)
    own_each_time = ("merged_at", "at", "created_at")

    def fill(self, session: Session) -> None:
        add_marks(session, SHARED, seed=1)

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        greenroom("study", "split", folder / STUDY, "--annotator", "Bo", "--out", folder / COPY)
        for seed, path in enumerate((folder / STUDY, folder / COPY), 2):
            with Session.open(path, "Bo") as session:
                for segment in all_segments(session.study)[: SHARED // 2]:
                    set_field(session, segment.id, "rationale", f"as {path.stem} says")
                add_marks(session, SEGMENTS // 2, seed=seed)

    def command(self, folder: Path) -> tuple[object, ...]:
        return "greenroom", "study", "merge", folder / STUDY, folder / COPY

    def require_the_end(self, folder: Path, origin: Path) -> None:
        assert (folder / COPY).read_bytes() == (origin / COPY).read_bytes()
        assert greenroom("study", "merge", folder / STUDY, folder / COPY)["unresolved_conflicts"] == SHARED // 2


class Tracking(AllOrNothing):
    beside = (CLIP,)
    tables, own_each_time = ("face_track",), ("id", "run_id")

    def prepare(self, folder: Path) -> None:
        paint_clip(resource("sample", "sample.mp4"), folder / CLIP, lambda _: None, end_us=MADE_US)
        greenroom("new", folder / STUDY)
        greenroom("add", folder / STUDY, folder / CLIP)

    def command(self, folder: Path) -> tuple[object, ...]:
        return "greenroom", "faces", "track", folder / STUDY

    def require_the_end(self, folder: Path, origin: Path) -> None:
        assert [*Path(os.environ["XDG_CACHE_HOME"]).rglob("*.part")] == []


class Transcribing(AllOrNothing):
    beside = ("talk.wav", MODEL)
    tables, own_each_time = ("utterance", "heard"), ("id", "run_id", "created_at", "changed_at")

    def prepare(self, folder: Path) -> None:
        write_tiny_whisper(folder / MODEL)
        write_sound(folder / "talk.wav", spoken()[: 6 * RATE])
        greenroom("new", folder / STUDY)
        greenroom("add", folder / STUDY, folder / "talk.wav")

    def command(self, folder: Path) -> tuple[object, ...]:
        return "greenroom", "speech", "transcribe", folder / STUDY, "--model", folder / MODEL

    def require_the_end(self, folder: Path, origin: Path) -> None:
        assert [path.name for path in Path(os.environ["XDG_CACHE_HOME"]).rglob("*.log")] == []


class Rendering(Tracking):
    """A clip under its final name is whole, and the next rendering leaves nothing else."""

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        greenroom("faces", "track", folder / STUDY)

    def command(self, folder: Path) -> tuple[object, ...]:
        out = folder.with_name(f"{folder.name} clips")
        return "greenroom", "anonymize", "export", folder / STUDY, "--recording", "1", "--method", "blur", "--out", out

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        _, *command = self.command(folder)
        out, frames = Path(str(command[-1])), len(load_index(folder / CLIP))
        sound(folder)
        alone(folder, *self.beside)
        named = [path for path in out.iterdir() if not path.name.startswith(".")] if out.exists() else []
        assert [len(load_index(path)) for path in named] == [frames] * len(named), "half a clip has its final name"
        assert death.killed or len(named) == 1
        made = greenroom(*command, "--overwrite")
        assert (made["frames"], made["faces_left"]) == (frames, [])
        assert [str(path) for path in out.iterdir()] == [made["output"]]
        sound(folder)
        alone(folder, *self.beside)


class Judging(Work):
    """What was answered and stored is not asked again, and nothing is lost or there twice."""

    asked_of, at_once, wait_s = 30, 4, 0.02

    def fill(self, session: Session) -> None:
        self._serving = misbehaving(waits(self.wait_s, says('{"label": "error"}')))
        self._server = self._serving.__enter__()
        settings: dict[str, Json] = {"url": self._server.url, "sees": "text", "concurrency": self.at_once}
        add_judge(session, "model", "openai", "fake-1", settings)
        self.add_subjects(session)

    def add_subjects(self, session: Session) -> None:
        """Put in what the judge is asked about; no two last equally long, so no two questions are equal."""
        for number in range(self.asked_of):
            mark(session, "Ada", 10 * number, 10 * number + 1 + number / 10)

    def end(self) -> None:
        self._serving.__exit__(None, None, None)

    def command(self, folder: Path) -> tuple[object, ...]:
        # What is asked counts from here on.
        self._server.asked.clear()
        return "greenroom", *self.asking(folder / STUDY)

    def asking(self, study: Path) -> tuple[object, ...]:
        """Return the command that asks about everything."""
        return "judge", "ask", study, "--all", "--task", "verdict"

    def answers(self, session: Session) -> list[Judgment]:
        """Return what counts as answered in a study."""
        return judgments_in(session.study, WALK)

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        sound(folder)
        alone(folder)
        asked, kept = self._asked(), self._stored(folder)
        assert set(kept.values()) <= {1}, "an answer is there twice"
        assert not kept - asked, "an answer is there to what was not asked"
        assert (asked - kept).total() <= self.at_once, "an answer that came is lost"
        self.again(folder)
        assert not self._asked() & kept, "what was answered was asked again"
        assert self._stored(folder) == Counter({*asked, *self._asked()})
        assert self._stored(folder).total() == self.asked_of
        sound(folder)
        alone(folder)

    def _asked(self) -> Counter[str]:
        return Counter(asked.body["messages"][1]["content"] for asked in [*self._server.asked])

    def _stored(self, folder: Path) -> Counter[str]:
        """Return the texts of the questions whose answers are in the study."""
        with Session.open(folder / STUDY, read_only=True) as session:
            found = self.answers(session)
            assert session.study.row("SELECT count(*) FROM judgment") == (len(found),), "an answer belongs to no run"
        assert all(judgment.status.value == "ok" for judgment in found)
        return Counter(str(judgment.sight["text"]) for judgment in found)


class Benchmarking(Judging):
    """What was answered is noted as that of the only run."""

    def add_subjects(self, session: Session) -> None:
        verdicts(session, ["error", "none"] * (self.asked_of // 2), draws=2)

    def asking(self, study: Path) -> tuple[object, ...]:
        return "benchmark", "run", study, "--set", "by hand"

    def answers(self, session: Session) -> list[Judgment]:
        runs = benchmark_runs(session.study)
        assert len(runs) <= 1, "a run was begun a second time"
        ids = [answer.judgment_id for run in runs for answer in answers_of(session.study, run.id)]
        return find_judgments(session.study, ids)


class Migrating(Work):
    """A study is of the old version or of the new one, and a copy is whole."""

    def command(self, folder: Path) -> tuple[object, ...]:
        return "tests.faults.victims.migrating", folder / STUDY

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        before = rows_of(origin)
        copies = [path for path in folder.glob("*.greenroom") if path.name != STUDY and not path.name.startswith(".")]
        for copy in copies:
            assert check_study(copy) == [], "a copy under its final name is not whole"
        version = self._version(folder)
        assert version == len(schema.VERSIONS) + 1 or death.killed
        if version == len(schema.VERSIONS):
            sound(folder)
            assert rows_of(folder) == before
        else:
            assert copies, "it was brought up to date without a copy"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(schema, "VERSIONS", (*schema.VERSIONS, NEXT))
            with Study.open(folder / STUDY) as opened:
                assert opened.rows("SELECT count(*) FROM extra") == [(SEGMENTS,)]
            sound(folder)
            assert rows_of(folder) == before
            named = {path.name for path in folder.glob("lab (before version 2*).greenroom")}
            assert named
            alone(folder, *named)

    @staticmethod
    def _version(folder: Path) -> int:
        """Return the version that a reader finds, with what lies beside the file; on a copy, which that changes."""
        look = folder.with_name("look")
        look.mkdir()
        for path in folder.glob(f"{STUDY}*"):
            shutil.copyfile(path, look / path.name)
        with closing(sqlite3.connect(look / STUDY)) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])


class Withdrawing(Work):
    """Somebody is gone, or still there with all that is theirs; the next try ends it."""

    def fill(self, session: Session) -> None:
        super().fill(session)
        for name in ("P01", "P02"):
            person, _ = participants.add_participant(session, name, ParticipantRole.USER, WALK)
            for at in range(20):
                text = f"{SECRET} {at}" if name == "P01" else f"good day {at}"
                transcript.add_utterance(session, WALK, at * 50_000, at * 50_000 + 40_000, text, person)

    def command(self, folder: Path) -> tuple[object, ...]:
        return "greenroom", "participant", "withdraw", folder / STUDY, "P01", "--yes"

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        sound(folder)
        with Session.open(folder / STUDY, read_only=True) as session:
            there = "P01" in {participant.pseudonym for participant in all_participants(session.study)}
        assert death.killed or not there
        if there:
            assert rows_of(folder) == rows_of(origin), "half of it was removed"
        # The same command ends it: it removes them, or writes the certificate again.
        self.again(folder)
        sound(folder)
        for path in [file for file in folder.rglob("*") if file.is_file()]:
            assert SECRET.encode() not in path.read_bytes(), f"{path.name} still holds it"
        alone(folder, *{path.name for path in folder.glob("*withdraw*") if not path.name.startswith(".")})


class Recovering(Work):
    """A damaged study is not touched; its copy is whole or not there."""

    page, damaged_at = 4096, 40

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        content = bytearray((folder / STUDY).read_bytes())
        middle = len(content) // self.page // 2
        for page in range(middle, middle + 3):
            content[page * self.page : page * self.page + self.damaged_at] = b"\xff" * self.damaged_at
        (folder / STUDY).write_bytes(content)
        assert check_study(folder / STUDY)

    def command(self, folder: Path) -> tuple[object, ...]:
        return "greenroom", "study", "recover", folder / STUDY, "--out", folder / COPY

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        assert death.killed or (folder / COPY).exists()
        if not (folder / COPY).exists():
            self.again(folder)
        assert (folder / STUDY).read_bytes() == (origin / STUDY).read_bytes()
        assert check_study(folder / COPY) == [], "a copy under its final name is not whole"
        Study.open(folder / COPY).close()
        alone(folder, COPY)


class Scrubbing(Work):
    """A copy with annotations alone is whole or not there, and the study knows of it and says what it said."""

    def command(self, folder: Path) -> tuple[object, ...]:
        return "greenroom", "study", "scrub", folder / STUDY, "--out", folder / COPY

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        said = {*HUMAN_TABLES} - {"property"}
        assert death.killed or (folder / COPY).exists()
        sound(folder)
        if (folder / COPY).exists():
            assert self._noted(folder), "there is a copy that the study does not know of"
        else:
            self.again(folder)
        assert {*self._noted(folder)} == {COPY}
        assert rows_of(folder, said) == rows_of(origin, said)
        assert check_study(folder / COPY) == [], "a copy under its final name is not whole"
        Study.open(folder / COPY).close()
        alone(folder, COPY)

    @staticmethod
    def _noted(folder: Path) -> list[str]:
        with Study.open(folder / STUDY, read_only=True) as opened:
            row = opened.row("SELECT value FROM property WHERE key = 'shared'")
        return [] if row is None else [shared_copy.name for shared_copy in parse_shared_copies(row[0])]


class Encrypting(Work):
    """A study and its backup are plain or encrypted, the backup first, and say the same."""

    beside = (PASSPHRASE,)

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        shutil.copyfile(folder / STUDY, folder / f"{STUDY}.bak-1")
        (folder / PASSPHRASE).write_text("a long passphrase that nobody guesses\n")

    def command(self, folder: Path, how: str = "encrypt") -> tuple[object, ...]:
        return "tests.faults.victims.encrypting", "study", how, folder / STUDY, "--passphrase-file", folder / PASSPHRASE

    def require(self, folder: Path, death: Death, origin: Path, whole: Path) -> None:
        assert death.killed or is_encrypted(folder / STUDY)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(PASSPHRASE_FILE_VARIABLE, str(folder / PASSPHRASE))
            make_keys_cheap(patch)
            if not is_encrypted(folder / STUDY):
                assert check_study(folder / STUDY) == []
                assert rows_of(folder) == rows_of(origin)
                self.again(folder)
            assert greenroom("study", "check", folder / STUDY)["ok"]
            for path in [file for file in folder.rglob("*") if file.is_file()]:
                assert b"SQLite format 3" not in path.read_bytes(), f"{path.name} is in the clear"
            greenroom(*self.command(folder, "decrypt")[1:])
        assert check_study(folder / STUDY) == []
        assert rows_of(folder) == rows_of(origin)
        alone(folder, *self.beside)


KINDS: dict[str, Callable[[], Work]] = {
    "editing": Editing,
    "editing-on-network": partial(Editing, "network"),
    "merging": Merging,
    "tracking": Tracking,
    "transcribing": Transcribing,
    "rendering": Rendering,
    "judging": Judging,
    "benchmarking": Benchmarking,
    "migrating": Migrating,
    "withdrawing": Withdrawing,
    "recovering": Recovering,
    "scrubbing": Scrubbing,
    "encrypting": Encrypting,
}
EVERYDAY = ("editing", "merging", "judging", "encrypting")
"""Kinds that `make test` kills once."""
