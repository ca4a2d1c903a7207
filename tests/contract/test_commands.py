"""What holds for every command of the command line, also for those that are yet to come."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from app.cli.main import greenroom as program
from project.errors import UserError
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal
from tests.contract.documentation import ROOT, all_pages

NOT_FOR_PEOPLE = {"worker"}
WINDOW = {"open"}
MODELS = {f"models {name}" for name in ("list", "fetch", "add", "verify", "remove")}
SOURCES = ("app", "anonymize", "media", "models", "project")
COMMAND = re.compile(r": (greenroom|pip|sudo|--).*$")

CHAIN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("demo", ("--help",)),
    ("doctor", ("--help",)),
    ("desktop", ()),
    ("docs", ("install", "reference/settings")),
    ("synthetic", ("big.greenroom", "--recordings", "2", "--segments", "5")),
    ("new", ("lab.greenroom",)),
    ("add", ("lab.greenroom", "two seconds.mp4")),
    ("add-view", ("lab.greenroom", "two seconds.mp4", "--recording", "1", "--role", "microphone")),
    ("sync", ("lab.greenroom", "--recording", "1", "--apply")),
    ("speakers", ("lab.greenroom",)),
    (
        "segment add",
        (
            "lab.greenroom",
            "--recording",
            "1",
            "--start",
            "0.5",
            "--end",
            "1",
            "--verdict",
            "error",
            "--annotator",
            "Ada",
        ),
    ),
    ("segment list", ("lab.greenroom",)),
    ("search", ("lab.greenroom", "two")),
    ("comment", ("lab.greenroom", "SEGMENT", "--text", "Really?", "--annotator", "Bo")),
    ("checklist", ("lab.greenroom",)),
    ("activity", ("lab.greenroom",)),
    ("segment edit", ("lab.greenroom", "SEGMENT", "--end", "1.5", "--annotator", "Ada")),
    ("review list", ("lab.greenroom", "--annotator", "Ada")),
    ("review decide", ("lab.greenroom", "SEGMENT", "--decision", "agree", "--annotator", "Bo")),
    ("review withdraw", ("lab.greenroom", "SEGMENT", "--annotator", "Bo")),
    ("segment delete", ("lab.greenroom", "SEGMENT", "--annotator", "Ada")),
    ("policy show", ("lab.greenroom",)),
    ("policy confirm", ("lab.greenroom", "--yes")),
    ("policy set", ("lab.greenroom", "anonymized", "--host", "api.example.org")),
    ("egress", ("lab.greenroom",)),
    ("blind", ("lab.greenroom", "off", "--annotator", "Ada")),
    ("judge add", ("lab.greenroom", "chance", "--backend", "random")),
    ("judge add", ("lab.greenroom", "truth", "--backend", "oracle")),
    ("judge list", ("lab.greenroom",)),
    ("judge test", ("lab.greenroom", "chance")),
    ("judge key", ("lab.greenroom", "chance", "--forget")),
    (
        "segment add",
        ("lab.greenroom", "--recording", "1", "--start", "0.5", "--end", "1", "--label", "error", "--annotator", "Ada"),
    ),
    ("ask", ("lab.greenroom", "--segment", "SEGMENT", "--judge", "chance", "--task", "verdict")),
    ("benchmark tasks", ()),
    (
        "benchmark make",
        ("lab.greenroom", "--task", "verdict", "--include", "unreviewed", "--share", "error=1", "--draws", "1"),
    ),
    ("benchmark sets", ("lab.greenroom",)),
    ("benchmark run", ("lab.greenroom", "--set", "verdict", "--judge", "chance", "--judge", "truth")),
    ("benchmark results", ("lab.greenroom", "--parts")),
    ("benchmark compare", ("lab.greenroom", "truth", "chance")),
    ("benchmark report", ("lab.greenroom", "--out", "report", "--no-plots")),
    ("segment delete", ("lab.greenroom", "SEGMENT", "--annotator", "Ada")),
    ("meta suggest", ("lab.greenroom", "--recording", "1", "--judge", "chance", "--part", "words_summary")),
    ("benchmark infer", ("lab.greenroom", "--recording", "1", "--judge", "chance", "--annotator", "Ada")),
    ("questions esi", ("lab.greenroom", "--recording", "1", "--judge", "chance", "--rounds", "1", "--each", "1")),
    (
        "questions write",
        (
            *("lab.greenroom", "--recording", "1", "--from", "0", "--to", "1", "--question", "Why?", "--answer", "Yes"),
            *("--wrong", "No", "--wrong", "Never", "--wrong", "Maybe", "--wrong", "Always", "--why", "So."),
            *("--annotator", "Ada"),
        ),
    ),
    ("judge add", ("lab.greenroom", "wrong", "--backend", "reliable", "--right", "0")),
    ("questions try", ("lab.greenroom", "QUESTION", "--judge", "wrong", "--annotator", "Ada")),
    ("questions ask", ("lab.greenroom", "QUESTION", "--judge", "chance", "--setting", "text")),
    ("questions queue", ("lab.greenroom", "--annotator", "Bo")),
    ("questions verify", ("lab.greenroom", "QUESTION", "--keep", "--check", "all", "--annotator", "Bo")),
    ("questions standing", ("lab.greenroom",)),
    ("questions filter", ("lab.greenroom", "--step", "difficulty", "--judge", "chance", "--set", "difficulty=1")),
    ("judge remove", ("lab.greenroom", "chance")),
    ("revisions", ("lab.greenroom",)),
    ("scheme list", ("lab.greenroom",)),
    ("scheme show", ("cues",)),
    ("scheme check", (str(ROOT / "resources" / "schemes" / "plain.toml"),)),
    ("scheme use", ("lab.greenroom", "plain", "--annotator", "Ada")),
    ("scheme default", ("lab.greenroom", "plain", "--annotator", "Ada")),
    ("scheme drop", ("lab.greenroom", "plain", "--annotator", "Ada")),
    ("agreement", ("lab.greenroom",)),
    ("plan", ("lab.greenroom", "--annotators", "Ada,Bo")),
    ("done", ("lab.greenroom", "--recording", "1", "--annotator", "Ada")),
    ("done", ("lab.greenroom", "--recording", "1", "--annotator", "Bo")),
    ("adjudicate", ("lab.greenroom",)),
    ("hold-out", ("lab.greenroom", "--recording", "1", "--off")),
    ("training", ("lab.greenroom",)),
    ("split", ("lab.greenroom", "--annotator", "Ada", "--out", "for-ada.greenroom")),
    ("merge", ("lab.greenroom", "for-ada.greenroom")),
    ("conflicts", ("lab.greenroom",)),
    ("resolve", ("lab.greenroom", "all", "--take", "ours")),
    ("chain add", ("lab.greenroom", "--recording", "1", "--annotator", "Ada")),
    ("chain node", ("lab.greenroom", "SEGMENT", "--kind", "event", "--text", "One.", "--start", "0", "--end", "1")),
    ("chain node", ("lab.greenroom", "SEGMENT", "--kind", "event", "--text", "Two.", "--start", "1", "--end", "2")),
    ("chain edge", ("lab.greenroom", "REASON", "RESULT")),
    ("questions make", ("lab.greenroom",)),
    ("questions list", ("lab.greenroom",)),
    ("consistency", ("lab.greenroom",)),
    ("chain list", ("lab.greenroom",)),
    ("chain show", ("lab.greenroom", "SEGMENT")),
    ("chain check", ("lab.greenroom",)),
    ("chain statistics", ("lab.greenroom",)),
    ("chain export", ("lab.greenroom", "--out", "chains.json")),
    ("chain import", ("lab.greenroom", "chains.json", "--annotator", "Bo")),
    ("chain review", ("lab.greenroom", "SEGMENT", "--decision", "agree", "--annotator", "Bo")),
    ("chain consensus", ("lab.greenroom", "SEGMENT")),
    ("chain remove", ("lab.greenroom", "RESULT")),
    ("chain copy", ("lab.greenroom", "SEGMENT", "--annotator", "Ada")),
    ("chain delete", ("lab.greenroom", "SEGMENT")),
    ("export", ("lab.greenroom", "--format", "csv", "--out", "table.csv")),
    ("import", ("lab.greenroom", "table.csv")),
    ("undo", ("lab.greenroom",)),
    ("redo", ("lab.greenroom",)),
    ("models list", ()),
    ("models fetch", ("--help",)),
    ("models add", ("--help",)),
    ("models verify", ()),
    ("models remove", ("yunet",)),
    ("transcribe", ("lab.greenroom", "--speech-only")),
    (
        "transcript import",
        ("lab.greenroom", "--recording", "1", str(ROOT / "tests" / "builders" / "greeting.srt")),
    ),
    ("transcript show", ("lab.greenroom", "--recording", "1")),
    ("cues run", ("lab.greenroom",)),
    ("cues list", ("lab.greenroom", "--kind", "tone")),
    ("cues accept", ("lab.greenroom", "--annotator", "Ada")),
    ("cues reject", ("lab.greenroom", "--annotator", "Ada")),
    ("transcript export", ("lab.greenroom", "--recording", "1", "said.vtt")),
    ("meta scenes", ("lab.greenroom", "--recording", "1")),
    (
        "meta set",
        ("lab.greenroom", "--recording", "1", "--summary", "words=They greet each other.", "--annotator", "Ada"),
    ),
    ("meta show", ("lab.greenroom", "--recording", "1")),
    ("meta export", ("lab.greenroom", "--out", "meta")),
    ("pii find", ("lab.greenroom",)),
    ("pii review", ("lab.greenroom",)),
    ("pii apply", ("lab.greenroom", "--out", "scrubbed")),
    ("pii key", ("lab.greenroom", "key.csv")),
    ("faces", ("lab.greenroom",)),
    ("review-faces", ("lab.greenroom", "--recording", "1", "--annotator", "Ada", "--seen", "all", "--reviewed")),
    ("anonymize", ("lab.greenroom", "--recording", "1", "--out", "clips")),
    ("voice", ("lab.greenroom", "--recording", "1")),
    ("privacy", ("lab.greenroom",)),
    ("participant", ("lab.greenroom", "Robot", "--role", "robot")),
    ("participant", ("lab.greenroom", "P01", "--recording", "1", "--consent", "release")),
    ("words", ("lab.greenroom", "--set", "Anna=P01")),
    ("texts", ("lab.greenroom", "--confirm", "--annotator", "Ada")),
    ("questions texts", ("lab.greenroom", "--all", "--confirm", "--annotator", "Ada")),
    ("questions export", ("lab.greenroom", "--out", "questions", "--all")),
    ("release", ("lab.greenroom", "--dry-run")),
    ("participant", ("lab.greenroom", "Robot", "--recording", "1")),
    ("judge add", ("lab.greenroom", "player", "--backend", "random")),
    (
        "segment add",
        ("lab.greenroom", "--recording", "1", "--start", "0.5", "--end", "1", "--label", "error", "--annotator", "Ada"),
    ),
    (
        "episode from-segment",
        ("lab.greenroom", "SEGMENT", "--does", "Wait.", "--player", "player", "--player", "player", "--turns", "2"),
    ),
    ("episode add-character", ("lab.greenroom", "Anna", "--secret", "The lamp is stolen.")),
    ("episode add-character", ("lab.greenroom", "Bram")),
    (
        "episode add-scenario",
        (
            *("lab.greenroom", "lamp", "--context", "At a flea market.", "--relationship", "stranger"),
            *("--goal", "Sell it.", "--goal", "Buy it."),
        ),
    ),
    ("episode characters", ("lab.greenroom",)),
    ("episode scenarios", ("lab.greenroom",)),
    (
        "episode play",
        (
            *("lab.greenroom", "--scenario", "lamp", "--turns", "4", "--seed", "1"),
            *("--character", "Anna", "--player", "player", "--character", "Bram", "--player", "player"),
        ),
    ),
    ("episode list", ("lab.greenroom",)),
    ("episode show", ("lab.greenroom", "3")),
    ("episode rate", ("lab.greenroom", "3", "--judge", "player")),
    ("episode figures", ("lab.greenroom",)),
    ("episode export", ("lab.greenroom", "episodes.jsonl")),
    ("episode import", ("lab.greenroom", "episodes.jsonl")),
    ("info", ("lab.greenroom",)),
    ("relink", ("lab.greenroom", ".")),
    ("recover", ("lab.greenroom",)),
    ("scrub", ("lab.greenroom", "--out", "annotations.greenroom")),
    ("withdraw", ("lab.greenroom", "P01", "--yes")),
    ("seal", ("lab.greenroom", "--passphrase-file", "words.txt")),
    ("unseal", ("lab.greenroom", "--passphrase-file", "words.txt")),
    ("check", ("lab.greenroom",)),
)
"""Every command, in an order in which each has what it needs; `demo` has a test of its own in tests/e2e."""


def leaves(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from leaves(found, f"{before}{name} ")
        else:
            yield before + name, found


COMMANDS = {name: command for name, command in leaves(program) if name not in NOT_FOR_PEOPLE}


@pytest.mark.parametrize("name", COMMANDS)
def test_its_help_says_what_it_does_with_an_example_of_it(name: str, greenroom: Terminal) -> None:
    said = greenroom(*name.split(), "--help")
    _, _, text = said.partition("\n")
    assert text.strip()
    assert "Example:" in said
    assert f"greenroom {name}" in said.partition("Example:")[2]
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option) and parameter.name != "help":
            assert (parameter.help or "").endswith("."), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_documentation_mentions_it(name: str) -> None:
    assert f"greenroom {name}" in all_pages()


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - WINDOW))
def test_it_can_answer_in_json(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in COMMANDS[name].params)


def test_the_help_lists_every_command_on_a_line_of_its_own_under_a_heading(
    greenroom: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = greenroom("--help").partition("Options:")[2]
    listed = re.findall(r"^  ([a-z][a-z-]*) +[A-Z].*\.$", said, re.MULTILINE)
    assert set(listed) == {name.split()[0] for name in COMMANDS}
    assert "..." not in said
    assert len(re.findall(r"^[A-Z].*:$", said, re.MULTILINE)) >= 6


def test_the_help_loads_nothing_heavy() -> None:
    heavy = "{'PySide6', 'av', 'cv2', 'onnxruntime', 'scipy', 'sklearn', 'sqlite_utils', 'pandas', 'webvtt', 'vlc'}"
    code = (
        f"import sys; from app.cli.main import run; run(['--help']); print({heavy} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "set()"


def test_every_command_works_on_a_clip_of_two_seconds_and_prints_one_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    assert {name for name, _ in CHAIN} | WINDOW == set(COMMANDS)
    monkeypatch.chdir(tmp_path)
    make_clip(tmp_path / "two seconds.mp4", size=(160, 120), frames=20, fps=10, sound=True)
    (tmp_path / "words.txt").write_text("a passphrase\n")
    segment, question, nodes = "", "", ["", ""]
    for name, arguments in CHAIN:
        if "--help" in arguments:
            continue
        known = {"SEGMENT": segment, "QUESTION": question, "REASON": nodes[-2], "RESULT": nodes[-1]}
        said = greenroom(*name.split(), *(known.get(a, a) for a in arguments), "--json")
        assert said.count("\n") == 1, name
        found = json.loads(said)
        assert isinstance(found, dict)
        segment = found.get("id", segment)
        question = found["id"] if name == "questions write" else question
        nodes += [found["node"]] if "node" in found else []
    assert found == {"ok": True, "problems": [], "media": []}


@pytest.mark.parametrize(
    "name",
    sorted(
        set(COMMANDS)
        - {
            "demo",
            "doctor",
            "desktop",
            "docs",
            "new",
            "synthetic",
            "check",
            "scheme show",
            "scheme check",
            "benchmark tasks",
        }
        - WINDOW
        - MODELS
    ),
)
def test_a_study_that_is_not_there_is_one_line_and_nothing_is_made(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    monkeypatch.chdir(tmp_path)
    make_clip(tmp_path / "two seconds.mp4", size=(160, 120), frames=2)
    arguments = [a.replace("lab.greenroom", "gone.greenroom") for a in dict(CHAIN)[name]]
    assert "gone.greenroom" in greenroom(*name.split(), *arguments, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["two seconds.mp4"]


def ending(text: ast.expr) -> tuple[int, str]:
    """Return the line and the last literal piece of a text; "." where it ends in something that is filled in."""
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    return text.lineno, last.value if isinstance(last, ast.Constant) and isinstance(last.value, str) else "."


def test_messages_and_hints_are_sentences() -> None:
    """A hint may also end in a command to type, after a colon."""
    wrong = []
    texts = {path: path.read_text("utf-8") for root in SOURCES for path in (ROOT / root).rglob("*.py")}
    for path, text in texts.items():
        for call in ast.walk(ast.parse(text)) if UserError.__name__ in text else ():
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == UserError.__name__:
                for line, end in map(ending, call.args):
                    if not end.endswith((".", "!", "?", ": ")) and not COMMAND.search(end):
                        wrong.append(f"{path.relative_to(ROOT)}:{line}: {end}")
    assert wrong == []
