"""A small study with something in every table, made once by the commands that people use."""

import contextlib
import io
import json
import shlex
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from app.cli.main import greenroom
from project.entities.egress_policy import Egress, EgressLevel, EgressRequest, Purpose
from project.integrity.integrity_check import check_study, damage_error
from project.queries.policy_rows import insert_egress
from project.schema.table_declaration import ColumnKind, StudyColumn
from project.schema.tables import HUMAN_TABLES
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.subjects import a_chain, asked_about, gather

LAB, OWN, CLIP = "lab.greenroom", "own.greenroom", "talk.mp4"
_SPEECH = Path(__file__).resolve().parents[1] / "builders" / "greeting.srt"
_MADE = {("segment", "add"): "SEGMENT", ("question", "write"): "QUESTION"}
_AT = "2026-11-21T12:00:00.000000+00:00"


def command_lines(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of commands that stand one to a line; LAB and OWN are studies, CLIP is the footage of LAB."""
    files = {"LAB": LAB, "OWN": OWN, "CLIP": CLIP}
    return tuple(tuple(files.get(word, word) for word in shlex.split(line)) for line in text.strip().splitlines())


STEPS = command_lines(f"""
new LAB
add LAB CLIP
speech import LAB --recording 1 '{_SPEECH}'
segment add LAB --recording 1 --start 0.1 --end 0.6 --label error --annotator Ada
segment comment LAB SEGMENT --text 'Really?' --annotator Bo
judge add LAB chance --backend random
judge add LAB far --backend openai --model m --url http://127.0.0.1:9/v1
judge add LAB wrong --backend reliable --right 0
judge ask LAB --segment SEGMENT --judge chance --task verdict
benchmark make LAB --task verdict --include unreviewed --share error=1 --draws 1
benchmark run LAB --set verdict --judge chance
team review decide LAB SEGMENT --decision agree --annotator Bo
question write LAB --recording 1 --from 0 --to 1 --question Why? --answer Yes --explanation So. --annotator Ada \
    --wrong No --wrong Never --wrong Maybe --wrong Always
question try LAB QUESTION --judge wrong --annotator Ada
question verify LAB QUESTION --keep --check all --annotator Bo
scheme use LAB plain --annotator Ada
participant set LAB Robot --role robot
participant set LAB P01 --recording 1 --consent release
release words LAB --set Anna=P01
team plan LAB --annotators Ada,Bo
recording done LAB --recording 1 --annotator Bo
judge blind LAB off --annotator Ada
policy confirm LAB --yes
policy set LAB anonymized --host api.example.org
recording meta set LAB --recording 1 --summary 'words=They greet.' --annotator Ada
study split LAB --annotator Ada --out for-ada.greenroom
study merge LAB for-ada.greenroom
judge add LAB player --backend random
episode add-character LAB Anna --secret 'The lamp is stolen.'
episode add-character LAB Bram
episode add-scenario LAB lamp --context 'At a flea market.' --relationship stranger --goal 'Sell it.' --goal 'Buy it.'
episode play LAB --scenario lamp --turns 3 --seed 1 --character Anna --player player --character Bram --player player
segment edit LAB SEGMENT --rationale 'It waits.' --annotator Ada
add LAB other.mp4
recording hold-out LAB --recording 3
faces track LAB --recording 1
study undo LAB
study redo LAB
""")
"""What makes a study with nearly everything; SEGMENT and QUESTION are what was made before."""


def command(*arguments: object) -> str:
    """Run a command of the program as its users do, and return what it printed; errors come as they are raised."""
    import click

    from project.errors import UserError

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            greenroom.main(args=[str(argument) for argument in arguments], prog_name="greenroom", standalone_mode=False)
        except click.ClickException as error:
            raise UserError(error.format_message()) from None
        except UserError:
            raise
        except Exception as error:
            # As the program's own `run` does.
            studies = [
                Path(text) for text in map(str, arguments) if text.endswith(".greenroom") and Path(text).is_file()
            ]
            if (damage := damage_error(error, studies)) is not None:
                raise damage from error
            raise
    return said.getvalue()


def full_study(folder: Path) -> Path:
    """Make the study and its footage in a folder, and return its file."""
    study = folder / LAB
    if study.exists():
        return study
    with contextlib.chdir(folder):
        make_clip(folder / CLIP, size=(64, 48), frames=12, fps=12, sound=True)
        make_clip(folder / "other.mp4", size=(64, 48), frames=6, fps=12)
        known: dict[str, str] = {}
        for words in STEPS:
            found = json.loads(command(*(known.get(word, word) for word in words), "--json"))
            if words[:2] in _MADE:
                known[_MADE[words[:2]]] = found["id"]
        with Session.open(study, "Ada") as session:
            _fill(session, known["SEGMENT"])
    (folder / "for-ada.greenroom").unlink()
    _complete(study)
    assert (empty_tables(study), check_study(study)) == (["withdrawal", "withdrawal_certificate"], [])
    return study


def _fill(session: Session, segment_id: str) -> None:
    from project.queries.recording_rows import all_participants, all_recordings

    first = all_recordings(session.study)[0].id
    person = all_participants(session.study)[0].id
    a_chain(session, first, "Anna", (person,))
    gather(session, first, "Anna", person)
    asked_about(session, "nli_plausibility", first, segment_id, "Anna")
    refused = EgressRequest(Purpose.JUDGE, "api.example.org", 443, (), local=False, scheme="https")
    with session.study.run_transaction():
        insert_egress(session.study, Egress("egress-1", _AT, refused, EgressLevel.NOTHING, rule="nothing-leaves"))


_RUNS = ("faces", "anonymize", "speech", "transcribe", "speakers", "voice", "privacy", "scenes", "cues", "text", "pii")


def _complete(study: Path) -> None:
    """Put a row into every table that the commands left empty."""
    connection = sqlite3.connect(study)
    try:
        entry = {
            table: connection.execute(f"SELECT id FROM {table} LIMIT 1").fetchone()[0]
            for table in ("recording", "annotator", "participant", "segment", "medium", "chain")
        }
        recording, annotator, person = entry["recording"], entry["annotator"], entry["participant"]
        for kind in _RUNS:
            result = json.dumps({"frames": 12, "output": "clips/a.mp4", "figures": {}})
            row = (f"run-{kind}", recording, kind, "yunet", "{}", result, _AT, "1")
            connection.execute("INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        arrays = (bytes(4 * 3), bytes(8 * 3), bytes(16 * 3), bytes(4 * 3), bytes(3))
        rows: dict[str, tuple[object, ...]] = {
            "face_track": ("track-1", "run-faces", entry["medium"], 0, 3, *arrays),
            "heard": ("run-transcribe", 0, 0, 500_000, "Hello Anna.", '[["Hello", 0, 200000, 0.9]]'),
            "track_correction": ("track-1", person, 0),
            "track_box": ("track-1", 0, 1, 1, 20, 20),
            "region": ("region-1", recording, "area", "screen", None, 0, 500_000),
            "region_box": ("region-1", 0, 1, 1, 20, 20),
            "face_review": (recording, annotator, "ab" * 32, _AT),
            "seen_span": (recording, annotator, 0, 500_000, _AT),
            "waiver": ("waiver-1", recording, "reviewed", "The board allowed it.", annotator, _AT),
            "public_word": ("Pepper",),
            "pii_decision": ("utterance", "u", "text", "Anna", 0, recording, "name", "hide", annotator, _AT, ""),
            "prompt_version": ("verdict", 1, "title = 'x'"),
            "adoption": ("adoption-1", entry["segment"], annotator, "label", "judgment-1", _AT),
            "chain_review": (entry["chain"], annotator, "agree", "", "ab" * 32, _AT),
            "reveal": (entry["segment"], annotator, "{}", _AT),
            "conflict": ("conflict-1", "segment", json.dumps([entry["segment"]]), "{}", None, "a.greenroom", _AT, None),
            "activity": (recording, annotator, "2026-11-21", 60),
        }
        for table, row in rows.items():
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
        for declared in HUMAN_TABLES.values():
            if connection.execute(f"SELECT 1 FROM {declared.name}").fetchone() is None:
                connection.execute(declared.insert_sql, [_usual(column, entry) for column in declared.columns])
        connection.commit()
    finally:
        connection.close()


def _usual(column: StudyColumn, ids: Mapping[str, str]) -> object:
    """Return what a column holds where the steps say nothing; `ids` are of rows, by table."""
    if column.parent:
        return ids[column.parent]
    usual = {ColumnKind.NUMBER: 1, ColumnKind.TIME: _AT, ColumnKind.JSON: "{}"}
    return column.values[0] if column.values else usual.get(column.kind, column.name)


def empty_tables(study: Path) -> list[str]:
    """Return the tables of a study that hold nothing."""
    connection = sqlite3.connect(study)
    try:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return [table for table in tables if connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0]
    finally:
        connection.close()
