"""Who withdraws from a study that used everything is in no file of it, in none of forty spellings."""

import json
import re
import shutil
import unicodedata
from contextlib import closing
from pathlib import Path

import platformdirs
import pytest

from models.connection.machine_policy import journal_file
from project.encryption.passphrases import forget_key, obtain_key
from project.erasure.row_erasure import KEPT_COLUMNS
from project.files.fingerprints import fingerprint
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import cache_folder
from project.integrity.integrity_check import check_study
from project.schema.table_declaration import ColumnKind
from project.schema.tables import TABLES
from project.session.settings import Settings, log_path, save_settings, view_path
from project.store.encryption_change import encrypt_study
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.full_study import NAME, Full, forms, made
from tests.builders.terminal import Terminal

SAID = (
    "hello my name is Zyxanna Quellbach and you can call me on +44 7700 900123",
    "or write to zyxanna.quellbach@example.org, my account is DE89 3704 0044 0532 0130 00",
    "I was born on 3 May 1982 and I live at 12 Acacia Avenue",
    "they say they follow @quell_diaries_zyx every day",
)
"""What they say in their recording: their name, numbers, addresses and a date."""

PLANTED = tuple(json.loads(Path(__file__).with_name("spellings.json").read_text("utf-8")))
"""Forty spellings of what is theirs."""
_JSON = {
    ("segment_value", "value"): json.dumps,
    ("scenario", "goals"): lambda text: json.dumps([text]),
    ("judgment", "sight"): lambda text: json.dumps({"text": text}),
    ("judgment", "answer"): lambda text: json.dumps({"label": "error", "rationale": text}),
    ("reveal", "own"): lambda text: json.dumps({"task": "", "values": {"rationale": text}}),
    ("utterance", "words"): lambda text: json.dumps([[word, 1, 2, 0.9] for word in text.split()]),
    ("heard", "words"): lambda text: json.dumps([[word, 1, 2, 0.9] for word in text.split()]),
    ("item_set", "rule"): lambda text: json.dumps({"note": text}),
    ("run", "parameters"): lambda text: json.dumps({"prompt": text}),
    ("item", "content"): lambda text: json.dumps({"text": text}),
}
"""Columns of JSON in which a text is planted, and what it looks like there."""
_LEFT = {("property", "value"), ("prompt_version", "text"), ("scheme_version", "text"), ("recording", "name")}
_LEFT_TABLES = {"private_word", "public_word", "pii_decision", "journal_step", "journal_change"}
"""Columns and tables that are planted by hand, or whose content is not free."""


@pytest.fixture
def lab(tmp_path: Path) -> tuple[Path, Full]:
    """A study that used everything, with forty spellings of what is theirs all over, and its machine."""
    folder = tmp_path / "lab"
    (folder / "footage").mkdir(parents=True)
    (folder / "clips").mkdir()
    path, full = made(folder)
    with Study.open(path) as study:
        for number, text in enumerate(SAID):
            with study.step("Transcribe"):
                study.write(
                    "INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)",
                    (f"said{number}", full.id("rec1"), full.id("P01"), number * 10 + 1, number * 10 + 9, text),
                )
        for number, text in enumerate(PLANTED):
            with study.step(f"Comment {text}"):
                row = (f"planted{number}", full.id("seg2"), full.id("ada"), f"cf. {text}", "2026", 0)
                study.write("INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)", row)
            with study.step("Change comment"):
                study.write("UPDATE comment SET text = ? WHERE id = ?", (f"now {PLANTED[-number]}", row[0]))
        with study.step("Words"):
            study.set_property("vocabulary", [*PLANTED])
            study.set_property("pii-numbers", {"PERSON": {text: at + 1 for at, text in enumerate(PLANTED)}})
            study.write("INSERT INTO private_word VALUES (?, '[PERSON_9]', 'word', NULL)", ("+44 7700 900123",))
            study.write("INSERT INTO public_word VALUES ('zquellbach')", ())
        for (place,) in study.rows("SELECT path FROM medium"):
            (folder / str(place)).write_bytes(f"footage {place}".encode() * 50)
        for medium, place in study.rows("SELECT id, path FROM medium"):
            with study.step("Relink"):
                found = fingerprint(folder / str(place))
                study.write("UPDATE medium SET fingerprint = ? WHERE id = ?", (found, medium))
    plant_everywhere(path)
    for name in ("study.greenroom.bak-1", "study (before version 2).greenroom"):
        shutil.copyfile(path, folder / name)
    encrypted = Path(shutil.copyfile(path, folder / "old and encrypted.greenroom"))
    with pytest.MonkeyPatch.context() as patch:
        make_keys_cheap(patch)
        encrypt_study(encrypted, "another long passphrase")
    forget_key(obtain_key(encrypted))
    for place, text in (("transcripts/tmp1.jsonl", SAID[0]), ("previews/a.npz", NAME), ("queues/q.json", "{}")):
        file = cache_folder() / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with Study.open(path, read_only=True) as study:
        view = view_path(study.id)
    view.parent.mkdir(parents=True, exist_ok=True)
    view.write_text(json.dumps({"search": "q u e l l b a c h", "filter": "+44 7700 900123"}))
    log_path().write_text("".join(f"an error about {text}\n" for text in PLANTED) + "another error\n")
    journal_file().parent.mkdir(parents=True, exist_ok=True)
    journal_file().write_text(json.dumps({"permission": PLANTED[25]}) + "\n")
    save_settings(Settings(recent=(str(path), f"/old/{PLANTED[8]}.greenroom")))
    (folder / "export.csv").write_text("\n".join(PLANTED))
    (folder / "zyxannaquellbach.srt").write_text("nothing")
    return path, full


def plant_everywhere(path: Path) -> None:
    """Put the spellings into every free text of every table, one after the other."""
    at = 0
    with closing(sqlite3.connect(path)) as study:
        for table, declared in TABLES.items():
            for column, kind in declared.kinds.items():
                free = kind in (ColumnKind.TEXT, ColumnKind.NAME) or (table, column) in _JSON
                left = column in KEPT_COLUMNS.get(table, ()) or (table, column) in _LEFT or table in _LEFT_TABLES
                if left or not free:
                    continue
                key = declared.key
                where = " AND ".join(f"{name} = ?" for name in key)
                for row in study.execute(f"SELECT {', '.join(key)} FROM {table}").fetchall():
                    text = PLANTED[at % len(PLANTED)]
                    at += 1
                    content = _JSON.get((table, column), lambda text: f"see {text}")(text)
                    study.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (content, *row))
        study.execute("UPDATE egress SET request = json_set(request, '$.barred', ?)", (PLANTED[at % len(PLANTED)],))
        study.execute("UPDATE recording SET name = 'zyxannaquellbach_take2' WHERE number = 2")
        study.commit()
    assert at > len(PLANTED)


def stripped(text: str) -> str:
    """Letters and digits of a text, without case and accents: not by the code that is tested."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^a-z0-9\n]", "", apart)


SECRET = ("zyxanna", "quellbach", "zulunyankee", "7700900123", "de89370400440532013000", "acaciaav", "quelldiaries")
"""What no file may hold between any signs."""


def holding(*folders: Path) -> set[tuple[str, str]]:
    """Return files and what they hold: the spellings as bytes, and what they are without any separator."""
    found = set()
    for file in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        for text in PLANTED:
            if any(form in content or form in str(file.name).encode() for form in forms([text])):
                found.add((file.name, text))
        # Between lines and cells nothing is joined: what stands in two of them is no name.
        for code in ("utf-8", "utf-16-le"):
            plain = stripped(re.sub(r"[\x00-\x1f]", "\n", content.decode(code, "ignore")))
            found |= {(file.name, secret) for secret in SECRET if secret in plain}
    return found


def test_nothing_of_forty_spellings_is_left_in_folder_caches_and_settings(
    lab: tuple[Path, Full], greenroom: Terminal
) -> None:
    path, full = lab
    others = "the robot turns to the other side in 1990"
    with Study.open(path) as study, study.step("Comment"):
        row = ("kept", full.id("seg2"), full.id("ada"), others, "2026", 0)
        study.write("INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)", row)
    config = platformdirs.user_config_path("greenroom")
    machine = (path.parent, cache_folder(), log_path().parent, view_path("x").parent, journal_file().parent, config)
    assert {text for _, text in holding(path.parent)} >= {*PLANTED}
    # What had to be decided is kept: none of it is a spelling of theirs.
    decided = ("--delete-footage", "--delete-beside", "--keep-rest", "--erase-unreadable")
    told = greenroom("participant", "withdraw", path, "P01", "--yes", *decided)
    assert holding(*machine) == set()
    # What was planted past the history is all that is not sound in it.
    assert [problem for problem in check_study(path) if "is not what the history says" not in problem] == []
    assert "another error" in log_path().read_text()
    with Study.open(path, read_only=True) as study:
        assert (others,) in study.rows("SELECT text FROM comment")
        assert study.rows("SELECT count(*) FROM segment") == [(2,)]
        assert study.rows("SELECT pseudonym FROM participant") == [("P02",)]
    said = json.loads(next(path.parent.glob("*withdrawal of P01.json")).read_text())
    assert {"name", "phone", "e-mail", "account", "date-of-birth", "address", "link"} <= {*said["kinds"]}
    assert [(file["found"], file["free_pages"]) for file in said["searched"]] == [(0, 0)] * 3
    assert (said["beside"]["found"], said["machine"]["found"], said["closed_copies"]) == (0, 0, 1)
    assert "old and encrypted.greenroom may be a copy" in told
