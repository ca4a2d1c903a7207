"""Files of other tools and of colleagues: every importer of the program, given spoiled files of its own kind."""

import contextlib
import io
import json
import os
import shutil
import sqlite3
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import ClassVar

from annotate.chains.chain_formats import find_format
from annotate.interchange.annotation_files import READ_ONLY_FORMATS, get_format, read_file
from annotate.interchange.lane_mapping import load_mapping
from annotate.study.participant_variables import read_variables
from anonymize.pii_review.pii_files import read_decisions
from app.shortcut_table import read_keys
from benchmark.prompts import prompt_templates
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.schemes import scheme_file
from project.session.session import Session
from project.session.settings import load_settings
from resources.prompt_texts import prompt_keys
from tests.builders.read_only_files import READ_ONLY_FILES
from tests.fuzz.base import Refuted
from tests.fuzz.mutate import json_bytes, spoil_bytes, spoil_json, spoil_text
from tests.fuzz.seeds import CLIP, LAB, command, command_lines, full_study

_NOT_COMPARED = ("journal_step", "journal_change", "annotator")
_CHECKED = 0.2
_READ_FIRST = 0.9
"""In the rest of the cases, the study is opened although the file may be one that is refused."""


class Importer:
    """A command that reads a file into a study; where it refuses, the study must be as it was."""

    apart = False
    arguments: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """What is run; FILE stands for the file."""

    def prepare(self, folder: Path) -> None:
        study = full_study(folder.parent)
        self._content = study.read_bytes()
        self._clip = study.with_name(CLIP).read_bytes()
        made = folder / "made"
        made.mkdir(exist_ok=True)
        with contextlib.chdir(made):
            shutil.copyfile(study, made / LAB)
            shutil.copyfile(study.with_name(CLIP), made / CLIP)
            self.seeds = self.make()
        shutil.rmtree(made)
        self._before = _rows(study)

    def make(self) -> list[tuple[str, bytes]]:
        """Return files that are well, by name; the open folder is one with the study."""
        raise NotImplementedError

    def read(self, file: Path) -> None:
        """Read a file without a study, where that is how it begins anyway; most spoiled ones end here."""

    def spoil(self, chance: Random, folder: Path) -> None:
        name, content = chance.choice(self.seeds)
        others = [other for _, other in self.seeds]
        self._file = name
        (folder / name).write_bytes(spoiled(chance, name, content, others))
        self._arguments = chance.choice(self.arguments)
        self._checked = chance.random() < _CHECKED

    def use(self, chance: Random, folder: Path) -> None:
        if chance.random() < _READ_FIRST:
            self.read(folder / self._file)
        (folder / LAB).write_bytes(self._content)
        (folder / CLIP).write_bytes(self._clip)
        there = sorted(path.name for path in folder.iterdir() if ".bak-" not in path.name)
        with contextlib.chdir(folder):
            try:
                command(*(self._file if argument == "FILE" else argument for argument in self._arguments))
            except UserError:
                if _rows(folder / LAB) != self._before:
                    raise Refuted("a file that was refused changed the study") from None
                raise
            finally:
                now = sorted(path.name for path in folder.iterdir() if ".bak-" not in path.name)
                if now != there:
                    raise Refuted(
                        f"left beside the study: {sorted({*now} - {*there})}, gone: {sorted({*there} - {*now})}"
                    )
        if self._checked and (problems := check_study(folder / LAB)):
            raise Refuted(f"check: {problems[0][:150]}")


def _rows(study: Path) -> Mapping[str, int]:
    connection = sqlite3.connect(f"file:{study}?mode=ro", uri=True)
    try:
        tables = [one for (one,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            table: hash(tuple(connection.execute(f"SELECT * FROM {table}").fetchall()))
            for table in tables
            if table not in _NOT_COMPARED
        }
    finally:
        connection.close()


def spoiled(chance: Random, name: str, content: bytes, others: list[bytes]) -> bytes:
    """Spoil a file by what it is: JSON by its values, text by its lines and words, everything by its bytes."""
    drawn = chance.random()
    if drawn < 0.8 and content[:2] == b"PK":
        return _packed_again(chance, content)
    if name.endswith(".toml") and drawn < 0.6:
        return as_toml(spoil_json(chance, tomllib.loads(content.decode()))).encode("utf-8", "replace")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return spoil_bytes(chance, content, others)
    if drawn < 0.2:
        return spoil_bytes(chance, content, others)
    if drawn < 0.75:
        if name.endswith(".jsonl"):
            lines = [part for part in text.split("\n") if part.strip()]
            for _ in range(chance.choice((1, 1, 2))):
                at = chance.randrange(len(lines))
                with contextlib.suppress(ValueError, RecursionError):
                    lines[at] = json_bytes(chance, spoil_json(chance, json.loads(lines[at]))).decode("utf-8", "replace")
            return "\n".join(lines).encode()
        with contextlib.suppress(ValueError, RecursionError):
            return json_bytes(chance, spoil_json(chance, json.loads(text)))
    words = [line.strip() for line in text.split("\n")[:60]]
    return spoil_text(chance, text, words).encode("utf-8", "replace")


def _packed_again(chance: Random, content: bytes) -> bytes:
    """Spoil a member of an archive, or what the archive says of it."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        members = [(text, old.read(text)) for text in old.namelist()]
        at = chance.randrange(len(members))
        name, inside = members[at]
        members[at] = name, spoiled(chance, name, inside, [])
        if chance.random() < 0.2:
            members[at] = chance.choice(("../../../outside/made", "/etc/x", name * 2, "")), inside
        if chance.random() < 0.05:
            members[at] = name, b"0" * 100_000_000
        for text, each in members:
            # An empty name, which zipfile does not write, is as good as no name at all.
            new.writestr(text or "x", each)
    return made.getvalue()


def as_toml(found: object) -> str:
    """Return data as TOML, its tables inline; what TOML does not know is left out."""
    if not isinstance(found, dict):
        return f"value = {_toml(found)}\n"
    return "".join(f"{json.dumps(key)} = {_toml(value)}\n" for key, value in found.items() if value is not None)


def _toml(found: object) -> str:
    match found:
        case dict():
            inside = (f"{json.dumps(key)} = {_toml(value)}" for key, value in found.items() if value is not None)
            return "{" + ", ".join(inside) + "}"
        case list():
            return "[" + ", ".join(_toml(one) for one in found if one is not None) + "]"
        case str():
            return json.dumps(found, ensure_ascii=False).replace("\x7f", "")
        case _:
            return json.dumps(found).replace("Infinity", "inf").replace("NaN", "nan")


def written(line: str, *names: str) -> list[tuple[str, bytes]]:
    """Return what a command writes in the folder that is open; FILE in it stands for each of the names."""
    (words,) = command_lines(line)
    found = []
    for name in names:
        # Not every transcript has what each form of it needs.
        with contextlib.suppress(UserError):
            command(*(name if word == "FILE" else word for word in words))
            found.append((name, Path(name).read_bytes()))
            Path(name).unlink()
    return found


def _exported(key: str) -> list[tuple[str, bytes]]:
    used = get_format(key)
    if used.holds_several:
        return written(f"segment export LAB --format {key} --out FILE", f"{key}{used.suffixes[0]}")
    command("segment", "export", LAB, "--format", key, "--out", key)
    return [(f"{key}{used.suffixes[0]}", file.read_bytes()) for file in sorted(Path(key).iterdir())]


class Annotations(Importer):
    """Files of the named formats, as the program writes them itself."""

    arguments = command_lines("""
segment import LAB FILE
segment import LAB FILE --new-recordings
segment import LAB FILE --recording 1
segment import LAB FILE --preview
""")

    def __init__(self, *formats: str) -> None:
        self._formats = formats

    def read(self, file: Path) -> None:
        read_file(file)

    def make(self) -> list[tuple[str, bytes]]:
        return [file for key in self._formats for file in _exported(key)]


class ReadOnly(Annotations):
    """Files of the formats that the program only reads."""

    def make(self) -> list[tuple[str, bytes]]:
        return [
            (f"a{get_format(key).suffixes[0]}", READ_ONLY_FILES[key].encode("utf-8-sig")) for key in READ_ONLY_FORMATS
        ]


class Captions(Annotations):
    arguments = (*Annotations.arguments, *command_lines("speech import LAB --recording 1 FILE"))


class Transcripts(Importer):
    arguments = command_lines("speech import LAB --recording 1 FILE --replace")

    def make(self) -> list[tuple[str, bytes]]:
        endings = ("vtt", "srt", "txt", "json", "jsonl", "csv", "tsv", "eaf", "textgrid")
        return written("speech export LAB --recording 1 FILE", *(f"said.{ending}" for ending in endings))


class Mappings(Importer):
    arguments = command_lines("segment import LAB lines.csv --mapping FILE")

    def read(self, file: Path) -> None:
        load_mapping(file)

    def make(self) -> list[tuple[str, bytes]]:
        ((_, self._table),) = _exported("csv")
        Path("lines.csv").write_bytes(self._table)
        return written("segment import LAB lines.csv --save-mapping FILE --preview", "mapping.json")

    def spoil(self, chance: Random, folder: Path) -> None:
        super().spoil(chance, folder)
        (folder / "lines.csv").write_bytes(self._table)


class Chains(Importer):
    arguments = command_lines("""
chain import LAB FILE --annotator Ada
chain import LAB FILE --annotator Ada --recording 1
""")

    def read(self, file: Path) -> None:
        find_format(file).read(file)

    def make(self) -> list[tuple[str, bytes]]:
        return written("chain export LAB --out FILE", "chains.json", "chains.graphml")


class Sotopia(Importer):
    arguments = command_lines("episode import LAB FILE")

    def make(self) -> list[tuple[str, bytes]]:
        scenario = {"codename": "x", "scenario": "A bench.", "relationship": 2, "agent_goals": ["Sit.", "Stand."]}
        agent = {
            "first_name": "Mia",
            "last_name": "Davis",
            "age": 50,
            "occupation": "Chef",
            "gender": "Woman",
            "gender_pronouns": "She/her",
            "public_info": "Cooks.",
            "big_five": "Open",
            "moral_values": ["Care"],
            "decision_making_style": "Hasty",
            "secret": "Burnt it.",
        }
        episode = {
            "scenario": "Two people share a bench.",
            "names": ["Mia", "Noah"],
            "personal_info": {"Mia": {"name": "Mia"}, "Noah": {"name": "Noah"}},
            "social_goal": {"Mia": "Sit.", "Noah": "Sit too."},
            "parsed_conversation": [{"speaker": "Mia", "dialogue": "Hello."}, {"speaker": "Noah", "dialogue": "left"}],
            "scores": {"Mia": {"believability": 5}},
        }
        theirs = {"scenarios.jsonl": scenario, "agents.jsonl": agent, "episode.jsonl": episode}
        return [
            *written("episode export LAB FILE", "episodes.jsonl"),
            *((name, json.dumps(line).encode() + b"\n") for name, line in theirs.items()),
        ]


class Schemes(Importer):
    arguments = command_lines("scheme use LAB FILE --annotator Ada")

    def read(self, file: Path) -> None:
        command("scheme", "check", file)

    def make(self) -> list[tuple[str, bytes]]:
        return [(f"{name}.toml", scheme_file.shipped_text(name).encode()) for name in scheme_file.shipped_names()]


class Variables(Importer):
    arguments = command_lines("participant import LAB FILE")

    def read(self, file: Path) -> None:
        read_variables(file)

    def make(self) -> list[tuple[str, bytes]]:
        return [("people.csv", b'participant;age;condition\nP01;23;robot\nRobot;;"a ""human"""\n')]


class Words(Importer):
    arguments = command_lines("release words LAB --file FILE")

    def make(self) -> list[tuple[str, bytes]]:
        return [("words.txt", b"Anna=P01\nSt. Mary's=[hospital]\n# a remark\n\nBonn=[town]\n")]


class PiiChoices(Importer):
    arguments = command_lines("pii review LAB FILE")

    def read(self, file: Path) -> None:
        read_decisions(file)

    def make(self) -> list[tuple[str, bytes]]:
        found = written("pii find LAB --out FILE", "hits.csv", "hits.json")
        return [(name, content.replace(b'"decision": ""', b'"decision": "hide"')) for name, content in found]


class Prompts(Importer):
    """A study's own wording of a prompt, as somebody pastes it."""

    arguments = command_lines("info LAB")

    def make(self) -> list[tuple[str, bytes]]:
        keys = prompt_keys()
        return [(f"{key}.toml", prompt_templates.shipped_text(key).encode()) for key in keys]

    def use(self, chance: Random, folder: Path) -> None:
        text = (folder / self._file).read_bytes().decode("utf-8", "replace")
        key = self._file.removesuffix(".toml")
        prompt_templates.parse_prompt(text, key)
        (folder / LAB).write_bytes(self._content)
        (folder / CLIP).write_bytes(self._clip)
        with Session.open(folder / LAB, "Ada") as session:
            prompt_templates.edit_prompt(session, key, text)
        if chance.random() < 0.2:
            with contextlib.chdir(folder):
                command("judge", "ask", LAB, "--all", "--judge", "chance", "--task", key)


class Shortcuts(Importer):
    """A table of keys, and the settings of the program, as somebody else wrote them."""

    arguments = command_lines("info LAB")

    def make(self) -> list[tuple[str, bytes]]:
        keys = {"kind": "greenroom shortcuts", "keys": {"play": ["Space"], "save": ["Ctrl+S"]}}
        kept = {"annotator": "Ada", "recent": ["/a/b.greenroom"], "theme": "dark"}
        return [("keys.json", json.dumps(keys).encode()), ("settings.json", json.dumps(kept).encode())]

    def use(self, chance: Random, folder: Path) -> None:
        if self._file == "keys.json":
            read_keys({"play": ("Space",), "save": ("Ctrl+S",), "stop": ("K",)}, folder / "keys.json")
            return
        home = Path(os.environ["XDG_CONFIG_HOME"]) / "greenroom"
        home.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / "settings.json", home / "settings.json")
        load_settings()
        (home / "settings.json").unlink()
