"""A study with something in every text column of every table: what is one participant's, and what is not."""

import hashlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from project.ids import new_id
from project.schema.table_declaration import ColumnKind
from project.schema.tables import HUMAN_TABLES, TABLES
from project.schemes.scheme_file import shipped_text
from project.store.study import Study

NAME = "Zyxanna Quellbach"
"""The name of who withdraws, a private word of the study."""
SPOKEN = "my grandmother always kept seven blue herons in her bathtub"
"""A sentence of theirs that others repeat."""
FACTS = json.dumps(
    {"container": "mp4", "duration_us": 60_000_000, "size_bytes": 1, "video": None, "audio": None, "missing_us": 0}
)
"""Of a media file."""


@dataclass
class Full:
    """What was put in.

    Attributes:
        theirs: texts that are of who withdraws, or tell about them.
        others: texts that are not.
        ids: of rows, by short names.
    """

    theirs: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)

    def id(self, name: str) -> str:
        return self.ids.setdefault(name, new_id())


def made(folder: Path) -> tuple[Path, Full]:
    """Write the study into a folder."""
    content, full = _filled()
    (folder / "study.greenroom").write_bytes(content)
    return folder / "study.greenroom", full


@cache
def _filled() -> tuple[bytes, Full]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.greenroom"
        with Study.create(path, "A study") as study:
            full = fill(study)
        return path.read_bytes(), full


def fill(study: Study) -> Full:
    """Fill an empty study. P01 withdraws: is in recording 1 with P02, who is alone in recording 2."""
    full = Full()
    mine, other = _marker(full.theirs, "Tst"), _marker(full.others, "Oth")
    put = _putter(study, full, "", other)
    for name, mark in (("P01", mine), ("P02", other)):
        with study.step(f"Add participant {name}"):
            put("participant", mark, id=full.id(name), pseudonym=name, role="user")
    with study.step("Introduce Ada", undoable=False):
        put("annotator", id=full.id("ada"), name="Ada", kind="person")
        put("scheme_version", key="shrec", text=shipped_text("shrec"))
        put("collection", id=full.id("col"))
    with study.step("Vocabulary"):
        study.set_property("vocabulary", [NAME, other("vocabulary")])
        full.ids["numbers"] = other("numbers")
        study.set_property("pii-numbers", {"person": {NAME: 1, full.ids["numbers"]: 2}})
        study.set_property("schemes", ["shrec"])
    for number, mark, who in (("1", mine, "P01"), ("2", other, "P02")):
        put = _putter(study, full, number, other, who)
        kept = full.theirs if mark is mine else full.others
        checksum = hashlib.blake2b(f"{kept}".encode(), digest_size=16).hexdigest()
        kept.append(checksum)
        with study.step(f"Add {mark('step.file')}.mp4"):
            put("recording", name=f"r{number}", number=int(number), duration_us=60_000_000)
            path = f"footage/{mark('medium.path')}.mp4"
            put("medium", role="main", offset_us=0, path=path, fingerprint=checksum, facts=FACTS)
        _said(study, full, put, mark, number)
        _annotated(study, full, put, mark, other, number)
        _shown(study, put, mark)
        _judged(study, full, put, mark, number)
    _named(study, full, mine, other)
    for name in HUMAN_TABLES:
        if study.row(f"SELECT 1 FROM {name}") is None:
            with study.step(f"Fill {name}"):
                put(name)
    return full


Mark = Callable[[str], str]
Put = Callable[..., None]
_AT = "2026-11-22T08:00:00.000+00:00"
_USUAL: dict[str, Any] = {
    **{"start_us": 1_000_000, "end_us": 2_000_000, "position": 0, "scheme": "shrec", "condition": "raw"},
    **{
        "variant": "plain",
        "program_version": "1",
        "prompt": "verdict@1",
        "resolved": 0,
        "settled": 0,
        "dismissed": 0,
        "draw": 0,
    },
}
"""Cells by the name of their column, where nothing else is said."""
_USUAL_OF = {
    **{ColumnKind.NUMBER: 1, ColumnKind.TIME: _AT, ColumnKind.JSON: "{}", ColumnKind.HASH: "ab", ColumnKind.PATH: "m"},
    **{ColumnKind.KEY: "", ColumnKind.LABEL: ""},
}
"""Other cells by the kind of their column; free texts are marked."""
_IDS = {"recording": "rec", "medium": "med", "segment": "seg", "collection": "col", "item_set": "set"}
_OF_THE_STUDY = ("ada", "col", "judge", "set", "benchmark_run")
_HOLDERS = {
    **{"annotator_id": "ada", "reviewer_id": "ada", "judge_id": "judge", "set_id": "set", "track_id": "face_track"},
    **{"recording_id": "rec", "medium_id": "med", "segment_id": "seg", "collection_id": "col", "item_id": "item"},
    **{"run_id": "run", "region_id": "region", "chain_id": "chain", "question_id": "question"},
}
"""Column -> the row that it names, by its short name without the number of the recording."""


def _marker(kept: list[str], prefix: str) -> Mark:
    def mark(where: str) -> str:
        kept.append(f"{prefix}{len(kept):04d}é{where.replace('.', '')}")
        return kept[-1]

    return mark


def _putter(study: Study, full: Full, number: str, other: Mark, who: str = "") -> Put:
    """Return what inserts a row of a recording: cells that are not given are marked texts, ids, or the usual."""

    def of_here(name: str) -> str:
        return full.id(name if name in _OF_THE_STUDY else f"{name}{number}")

    def cell(table: str, column: str, kind: ColumnKind, mark: Mark) -> Any:
        if column in _USUAL:
            return _USUAL[column]
        if values := TABLES[table].column(column).values:
            return values[0]
        if kind in (ColumnKind.TEXT, ColumnKind.NAME):
            return mark(f"{table}.{column}")
        if column == "id":
            return of_here(_IDS.get(table, table))
        if column == "participant_id":
            return full.id(who)
        return of_here(_HOLDERS[column]) if column in _HOLDERS else _USUAL_OF[kind]

    def put(table: str, mark: Mark = other, **given: Any) -> None:
        cells = {
            name: given[name] if name in given else cell(table, name, kind, mark)
            for name, kind in TABLES[table].kinds.items()
        }
        sql = f"INSERT INTO {table} ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})"
        if study._writing == "run":
            study.write_run(sql, [tuple(cells.values())])
        else:
            study.write(sql, tuple(cells.values()))

    return put


def _said(study: Study, full: Full, put: Put, mark: Mark, number: str) -> None:
    """Who is there and what they say."""
    with study.step("People"):
        put("appearance")
        put("consent", use="release")
        put("participant_variable", mark, kind="text")
        if number == "1":
            put("appearance", participant_id=full.id("P02"))

    def utterance(name: str, text: str, start: int, whose: str | None, suggested: int = 0) -> None:
        words = json.dumps([[word, start, start + 1, 0.9] for word in text.split()])
        about = {"participant_id": whose, "start_us": start, "end_us": start + 1_000_000, "suggested": suggested}
        put("utterance", id=full.id(f"{name}{number}"), text=text, words=words, **about)

    text = f"{SPOKEN} {mark('utterance')}" if number == "1" else mark("utterance")
    with study.step("Transcribe"):
        utterance("said", text, 1_000_000, None)
        utterance("guess", mark("guess"), 3_000_000, full.id("P02"), int(number == "1"))
        utterance("gone", mark("deleted utterance"), 5_000_000, full.id("P02"))
    said = full.id(f"said{number}")
    with study.step("Assign speaker"):
        study.write("UPDATE utterance SET participant_id = ? WHERE id = ?", (full.id(f"P0{number}"), said))
    if number == "1":
        with study.step("Delete"):
            study.write("DELETE FROM utterance WHERE id = ?", (full.id("gone1"),))
    with study.step("Personal"):
        word = NAME if number == "1" else mark("word")
        put("private_word", word=word, replacement=f"P0{number}", kind="person")
        place = {"table_name": "utterance", "row_id": said, "field": "text", "ordinal": 0}
        put("pii_decision", mark, kind="person", decision="hide", **place)


def _annotated(study: Study, full: Full, put: Put, mark: Mark, other: Mark, number: str) -> None:
    """What annotators wrote and do not name anybody with, which stays; chains and questions, which tell of people."""
    with study.step("Add segment"):
        put("segment", track="segments", label="error")
        put("segment_value", field="rationale", value=json.dumps(other("rationale")))
    with study.step("Review"):
        put("review", decision="agree")
        put("comment")
        put("assignment", purpose="work")
        put("completion")
    first, second = full.id(f"node{number}a"), full.id(f"node{number}b")
    with study.step("Add chain"):
        put("chain", name=f"chain of P0{number}", based_on="")
        for node, kind in ((first, "event"), (second, "belief")):
            put("chain_node", mark, id=node, kind=kind, source=f"utterance/{full.id(f'said{number}')}")
            put("chain_person", node_id=node)
        put("chain_edge", result_id=second, reason_id=first)
    with study.step("Edit text of a node"):
        study.write("UPDATE chain_node SET text = ? WHERE id = ?", (mark("node later"), first))
    with study.step("Review chain"):
        put("chain_review", decision="agree", note="fine")
    with study.step("Add question"):
        wrong = json.dumps([[mark("wrong a"), 50, first], [mark("wrong b"), None, ""]])
        covers = json.dumps([second, first])
        put("question", mark, kind="CW", covers=covers, wrong=wrong, made_from="", place=0, maker="rules")
        put("verification", mark, decision="keep", checklist="chain", checks="[]", difficulty="easy")
        put("look", mark, kind="hair")
        for source in ("words", "frames"):
            put("summary", mark, source=source)
        put("contradiction", mark)


def _shown(study: Study, put: Put, mark: Mark) -> None:
    """Faces and regions, and what a run heard."""
    with study.run_transaction():
        told = {"parameters": json.dumps({"a": mark("parameters")}), "result": json.dumps({"b": mark("result")})}
        put("run", kind="faces", backend="centerface", **told)
        sizes = {"frames": 4, "times_us": 8, "boxes": 16, "scores": 4, "origins": 1}
        put("face_track", **{name: bytes(size) for name, size in sizes.items()})
        put("heard", mark, words=json.dumps([[mark("heard word"), 0, 1, 1]]))
    with study.step("Assign face"):
        put("track_correction")
        put("track_box", width=5, height=5)
        put("region", mark, kind="face")
        put("region_box", width=5, height=5)
        put("face_review")
        put("seen_span")
        put("waiver", mark, rule="faces")


def _judged(study: Study, full: Full, put: Put, mark: Mark, number: str) -> None:
    """What judges were asked and answered, and what left for it."""
    judge = {"judge": json.dumps({"name": "gpt", "backend": "openai", "model": "m", "settings": {}})}
    asked = {"judgment_id": full.id(f"judgment{number}")}
    if number == "1":
        with study.step("Add judge"):
            put("judge", name="gpt", backend="openai")
    with study.run_transaction():
        if number == "1":
            put("item_set", name="verdict", task="verdict")
            put("benchmark_run", annotator_id=None, modality="L", **judge)
        content: dict[str, Any] = {"options": [mark("option a"), mark("option b")], "place": 0}
        content |= {"facts": {"said": mark("fact")}, "person": full.id(f"P0{number}")}
        content |= {"values": {"rationale": mark("item value")}}
        put("item", about=full.id(f"seg{number}"), content=json.dumps(content), position=int(number))
        answer = json.dumps({"label": "error", "rationale": mark("judge rationale")})
        nothing = {
            "annotator_id": None,
            "cached_from": None,
            "question_id": "",
            "chain_id": "",
            "mended": "",
            "state": "",
        }
        put(
            "judgment", mark, task="verdict", modality="both", status="ok", request_key=f"key{number}", answer=answer,
            sight=json.dumps({"text": mark("sight")}), raw=json.dumps(mark("raw")), **judge, **nothing,
        )  # fmt: skip
        put("benchmark_answer", run_id=full.id("benchmark_run"), **asked)
        who = "P01" if number == "1" else "nobody"
        put("reveal", own=json.dumps({"task": "", "values": {"rationale": f"about {who}"}}))
        request: dict[str, Any] = {
            **{"purpose": "judge", "host": "api.example.org", "port": 443, "addresses": ["1.2.3.4"], "local": False},
            **{"size": 5, "sha256": f"aa{number}", "texts": 5, "frames": [f"bb{number}"], "clips": [], "others": []},
            **{"condition": "raw", "judge_id": full.id("judge"), "recording_id": full.id(f"rec{number}")},
            **{"segment_id": full.id(f"seg{number}"), "redirected_from": "", "proxy": "", "barred_by": ""},
            "pictured": [],
        }
        put("egress", request=json.dumps({**request, "barred": mark("barred")}), level="raw", permission="allowed")
    with study.step("Adopt"):
        put("adoption", field="rationale", **asked)
    with study.without_history():
        put("activity", day="2026-11-22")


def _named(study: Study, full: Full, mine: Mark, other: Mark) -> None:
    """What names them, or repeats them, in a recording in which they are not."""
    put, first = _putter(study, full, "2", other), _putter(study, full, "1", other)
    comments = (
        (put, f"{mine('comment name')} {NAME.upper()}"),
        (put, f"{mine('comment p')} p01 laughs"),
        (first, f"{mine('quote')} {SPOKEN}"),
        (put, f"{mine('first name')} Zyxanna's turn"),
    )
    for number, (where, text) in enumerate(comments):
        with study.step(f"Comment {text}"):
            where("comment", id=full.id(f"name{number}"), text=text)
    with study.step("Change comment"):
        text = f"{other('comment now')} {full.ids['numbers']}"
        study.write("UPDATE comment SET text = ? WHERE id = ?", (text, full.id("name0")))
    with study.step("Value"):
        put("segment_value", field="about", value=json.dumps(full.id("P01")))
    with study.step("Look up"):
        put("public_word")
        put("prompt_version", key="verdict", version=9, text=f'key = "verdict"\nsystem = "{other("prompt")} {NAME}"\n')
        bonds = json.dumps([[full.id("bond"), "friend", f"{mine('story')} {NAME}"]])
        put("character", lambda column: f"{mine(column)} {NAME}", bonds=bonds)
        put("scenario", relationship="friend", goals=json.dumps([other("goal")]), casts="[]")
        ours = {"id": "x", "segment_id": full.id("seg2"), "annotator_id": full.id("ada"), "at": _AT, "resolved": 0}
        conflict = json.dumps({"comment": [{**ours, "text": f"{mine('conflict')} {NAME}"}]})
        put("conflict", table_name="comment", row_key="[1]", source="Bo", resolution=None, theirs=None, ours=conflict)
        put("hold_out")
        put("merged_copy", copy_id=full.id("copy"), step_uid=new_id())
    with study.step("Episode"):
        first("episode", relationship="friend", source="played")
        for position, (who, mark) in enumerate((("P01", mine), ("P02", other))):
            first("episode_agent", mark, participant_id=full.id(who), position=position, player="person")


def forms(texts: list[str]) -> list[bytes]:
    """Return the bytes under which texts may stand in a file: as they are, and as JSON and JSON in JSON escape them."""
    found: list[bytes] = []
    for text in texts:
        once = json.dumps(text)[1:-1]
        twice = json.dumps(once)[1:-1]
        found += [text.encode(), once.encode(), twice.encode(), text.encode("utf-16-le"), text.encode("utf-16-be")]
    return found
