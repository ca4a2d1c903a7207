"""A study with something in every text column of every table: what is one participant's, and what is not."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from project.ids import new_id
from project.schemes.scheme_file import shipped_text
from project.store.study import Study

NAME = "Zyxanna Quellbach"
"""The name of who withdraws, a private word of the study."""
SPOKEN = "my grandmother always kept seven blue herons in her bathtub"
"""A sentence of theirs that others repeat."""


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


def fill(study: Study) -> Full:
    """Fill an empty study. P01 withdraws: is in recording 1 with P02, who is alone in recording 2."""
    full = Full()
    put = _putter(study)
    mine, other = _marker(full.theirs, "Tst"), _marker(full.others, "Oth")
    each = (("1", mine), ("2", other))
    text, two = full.id("P01"), full.id("P02")
    for name, pseudonym, mark in (("P01", "P01", mine), ("P02", "P02", other)):
        with study.step(f"Add participant {pseudonym}"):
            put("participant", id=full.id(name), pseudonym=pseudonym, role="user", note=mark("participant.note"))
    ada = full.id("ada")
    with study.step("Introduce Ada", undoable=False):
        put("annotator", id=ada, name="Ada", kind="person")
        put("scheme_version", key="shrec", version=1, text=shipped_text("shrec"))
        put("collection", id=full.id("col"), name=other("collection.name"), agent_context=other("collection.context"))
    with study.step("Vocabulary"):
        study.set_property("vocabulary", [NAME, other("vocabulary")])
        full.ids["numbers"] = other("numbers")
        study.set_property("pii-numbers", {"person": {NAME: 1, full.ids["numbers"]: 2}})
        study.set_property("schemes", ["shrec"])
    for number, mark in each:
        rec = full.id(f"rec{number}")
        who = text if number == "1" else two
        with study.step(f"Add {mark('step.file')}.mp4"):
            put(
                "recording",
                id=rec,
                collection_id=full.id("col"),
                number=int(number),
                name=f"r{number}",
                duration_us=60_000_000,
            )
            put(
                "medium",
                id=full.id(f"med{number}"),
                recording_id=rec,
                role="main",
                position=0,
                offset_us=0,
                path=f"footage/{mark('medium.path')}.mp4",
                fingerprint=_hashed(full.theirs if mark is mine else full.others),
                facts=_FACTS,
            )
        with study.step("People"):
            put("appearance", recording_id=rec, participant_id=who)
            put("consent", participant_id=who, use="release", granted=1)
            if number == "1":
                put("appearance", recording_id=rec, participant_id=two)
        _said(study, full, put, mark, number, who)
        _marked(study, full, put, other, number)
        _drawn(study, full, put, mark, number, who)
        _seen(study, full, put, mark, number, who)
        _happened(study, full, put, mark, number, who)
    _named(study, full, put, mine, other)
    return full


def _hashed(kept: list[str]) -> str:
    kept.append(hashlib.blake2b(f"{kept}".encode(), digest_size=16).hexdigest())
    return kept[-1]


Put = Callable[..., None]
Mark = Callable[[str], str]
_FACTS = json.dumps(
    {"container": "mp4", "duration_us": 60_000_000, "size_bytes": 1, "video": None, "audio": None, "missing_us": 0}
)


def _putter(study: Study) -> Put:
    def put(table: str, **cells: Any) -> None:
        marks = ", ".join("?" * len(cells))
        sql = f"INSERT INTO {table} ({', '.join(cells)}) VALUES ({marks})"
        if study._writing == "run":
            study.write_run(sql, [tuple(cells.values())])
        else:
            study.write(sql, tuple(cells.values()))

    return put


def _marker(kept: list[str], prefix: str) -> Mark:
    def mark(where: str) -> str:
        made = f"{prefix}{len(kept):04d}é{where.replace('.', '')}"
        kept.append(made)
        return made

    return mark


def _said(study: Study, full: Full, put: Put, mark: Mark, number: str, who: str) -> None:
    rec, ada = full.id(f"rec{number}"), full.id("ada")

    def utterance(name: str, participant: str | None, text: str, start: int, suggested: int = 0) -> None:
        words = json.dumps([[word, start, start + 1, 0.9] for word in text.split()])
        put(
            "utterance",
            id=full.id(name),
            recording_id=rec,
            participant_id=participant,
            start_us=start,
            end_us=start + 1_000_000,
            text=text,
            words=words,
            checked=1,
            suggested=suggested,
        )

    said = f"{SPOKEN} {mark('utterance')}" if number == "1" else mark("utterance")
    with study.step("Transcribe"):
        utterance(f"utt{number}", None, said, 1_000_000)
        utterance(f"guess{number}", full.id("P02"), mark("guess"), 3_000_000, suggested=int(number == "1"))
        utterance(f"gone{number}", full.id("P02"), mark("deleted utterance"), 5_000_000)
    with study.step("Assign speaker"):
        study.write("UPDATE utterance SET participant_id = ? WHERE id = ?", (who, full.id(f"utt{number}")))
    if number == "1":
        with study.step("Delete"):
            study.write("DELETE FROM utterance WHERE id = ?", (full.id("gone1"),))
    with study.step("Personal"):
        put(
            "private_word",
            word=NAME if number == "1" else mark("word"),
            replacement=f"P0{number}",
            kind="person",
            participant_id=who,
        )
        put(
            "pii_decision",
            table_name="utterance",
            row_id=full.id(f"utt{number}"),
            field="text",
            text=mark("pii"),
            ordinal=0,
            recording_id=rec,
            kind="person",
            decision="hide",
            annotator_id=ada,
            at=_AT,
        )


def _marked(study: Study, full: Full, put: Put, other: Mark, number: str) -> None:
    """What annotators wrote and do not name anybody with, which stays in both recordings."""
    rec, ada, segment = full.id(f"rec{number}"), full.id("ada"), full.id(f"seg{number}")
    with study.step("Add segment"):
        put(
            "segment",
            id=segment,
            recording_id=rec,
            annotator_id=ada,
            scheme="shrec",
            track="segments",
            label="error",
            start_us=1_000_000,
            end_us=2_000_000,
        )
        put(
            "segment_value",
            segment_id=segment,
            scheme="shrec",
            version=1,
            field="rationale",
            value=json.dumps(other("rationale")),
        )
    with study.step("Review"):
        put("review", segment_id=segment, reviewer_id=ada, decision="agree", note=other("review.note"), at=_AT)
        put(
            "comment",
            id=full.id(f"com{number}"),
            segment_id=segment,
            annotator_id=ada,
            text=other("comment"),
            at=_AT,
            resolved=0,
        )
        put("assignment", recording_id=rec, annotator_id=ada, purpose="work")
        put("completion", recording_id=rec, annotator_id=ada, at=_AT)


def _drawn(study: Study, full: Full, put: Put, mark: Mark, number: str, who: str) -> None:
    rec, ada, chain = full.id(f"rec{number}"), full.id("ada"), full.id(f"chain{number}")
    first, second = full.id(f"node{number}a"), full.id(f"node{number}b")
    with study.step("Add chain"):
        put("chain", id=chain, recording_id=rec, annotator_id=ada, name=f"chain of P0{number}", based_on="")
        for node, kind in ((first, "event"), (second, "belief")):
            put(
                "chain_node",
                id=node,
                chain_id=chain,
                kind=kind,
                text=mark(f"node {kind}"),
                start_us=1_000_000,
                end_us=2_000_000,
                source=f"utterance/{full.id(f'utt{number}')}",
            )
            put("chain_person", node_id=node, participant_id=who)
        put("chain_edge", result_id=second, reason_id=first)
    with study.step("Edit text of a node"):
        study.write("UPDATE chain_node SET text = ? WHERE id = ?", (mark("node later"), first))
    with study.step("Review chain"):
        put("chain_review", chain_id=chain, reviewer_id=ada, decision="agree", note="fine", state="abc", at=_AT)
    question = full.id(f"q{number}")
    with study.step("Add question"):
        put(
            "question",
            id=question,
            recording_id=rec,
            chain_id=chain,
            kind="CW",
            aspect="",
            covers=json.dumps([second, first]),
            made_from="",
            start_us=0,
            end_us=2_000_000,
            text=mark("question"),
            answer=mark("answer"),
            wrong=json.dumps([[mark("wrong a"), 50, first], [mark("wrong b"), None, ""]]),
            explanation=mark("explanation"),
            seed=1,
            place=0,
            maker="rules",
            annotator_id=ada,
            judgment_id="",
            at=_AT,
        )
        put(
            "verification",
            question_id=question,
            annotator_id=ada,
            decision="keep",
            checklist="chain",
            checks="[]",
            difficulty="easy",
            note=mark("verification"),
            state="x",
            at=_AT,
        )
        put("look", recording_id=rec, participant_id=who, kind="hair", text=mark("look"))
        for source in ("words", "frames"):
            put("summary", recording_id=rec, source=source, text=mark(f"summary {source}"), judgment_id="")
        put(
            "contradiction",
            id=full.id(f"con{number}"),
            recording_id=rec,
            text=mark("contradiction"),
            resolution=mark("resolution"),
            settled=0,
            judgment_id="",
        )


def _seen(study: Study, full: Full, put: Put, mark: Mark, number: str, who: str) -> None:
    rec, ada, region = full.id(f"rec{number}"), full.id("ada"), full.id(f"region{number}")
    run, track = full.id(f"run{number}"), full.id(f"track{number}")
    with study.run_transaction():
        put(
            "run",
            id=run,
            recording_id=rec,
            kind="faces",
            backend="centerface",
            parameters=json.dumps({"a": mark("run.parameters")}),
            result=json.dumps({"b": mark("run.result")}),
            finished_at=_AT,
            program_version="1",
        )
        put(
            "face_track",
            id=track,
            run_id=run,
            medium_id=full.id(f"med{number}"),
            position=0,
            count=1,
            frames=b"\0" * 4,
            times_us=b"\0" * 8,
            boxes=b"\0" * 16,
            scores=b"\0" * 4,
            origins=b"\0",
        )
        put(
            "heard",
            run_id=run,
            position=0,
            start_us=0,
            end_us=1,
            text=mark("heard"),
            words=json.dumps([[mark("heard word"), 0, 1, 1]]),
        )
    with study.step("Assign face"):
        put("track_correction", track_id=track, participant_id=who, dismissed=0)
        put("track_box", track_id=track, time_us=0, x=1, y=1, width=5, height=5)
        put(
            "region",
            id=region,
            recording_id=rec,
            kind="face",
            label=mark("region.label"),
            participant_id=who,
            start_us=0,
            end_us=5,
        )
        put("region_box", region_id=region, time_us=0, x=1, y=1, width=5, height=5)
        put("face_review", recording_id=rec, annotator_id=ada, state="abc", at=_AT)
        put("seen_span", recording_id=rec, annotator_id=ada, start_us=0, end_us=5, at=_AT)
        put(
            "waiver",
            id=full.id(f"waiver{number}"),
            recording_id=rec,
            rule="faces",
            reason=mark("waiver"),
            annotator_id=ada,
            at=_AT,
        )


def _happened(study: Study, full: Full, put: Put, mark: Mark, number: str, who: str) -> None:
    rec, item, asked = full.id(f"rec{number}"), full.id(f"item{number}"), full.id(f"judgment{number}")
    judge = json.dumps({"name": "gpt", "backend": "openai", "model": "m", "settings": {}})
    if number == "1":
        with study.step("Add judge"):
            put("judge", id=full.id("judge"), name="gpt", backend="openai", model="m", settings="{}")
    with study.run_transaction():
        if number == "1":
            put(
                "item_set",
                id=full.id("set"),
                name="verdict",
                task="verdict",
                seed=1,
                draws=1,
                rule="{}",
                left_out="{}",
                sha256="ab",
                at=_AT,
                program_version="1",
            )
            put(
                "benchmark_run",
                id=full.id("bench"),
                set_id=full.id("set"),
                judge_id=full.id("judge"),
                judge=judge,
                annotator_id=None,
                variant="plain",
                modality="L",
                condition="raw",
                seed=0,
                at=_AT,
                program_version="1",
            )
        content = {
            "options": [mark("option a"), mark("option b")],
            "place": 0,
            "facts": {"said": mark("fact")},
            "person": who,
            "values": {"rationale": mark("item value")},
        }
        put(
            "item",
            id=item,
            set_id=full.id("set"),
            draw=0,
            position=int(number),
            about=full.id(f"seg{number}"),
            recording_id=rec,
            start_us=0,
            end_us=5,
            content=json.dumps(content),
            made_from="x",
        )
        put(
            "judgment",
            id=asked,
            judge_id=full.id("judge"),
            judge=judge,
            annotator_id=None,
            recording_id=rec,
            segment_id=full.id(f"seg{number}"),
            start_us=0,
            end_us=5,
            task="verdict",
            variant="plain",
            condition="raw",
            seed=0,
            prompt="verdict@1",
            prompt_sha256="ab",
            request_key=f"key{number}",
            sight=json.dumps({"text": mark("sight")}),
            status="ok",
            answer=json.dumps({"label": "error", "rationale": mark("judge rationale")}),
            raw=json.dumps(mark("raw")),
            thinking=mark("thinking"),
            mended="",
            model_id="m",
            tokens_in=1,
            tokens_out=1,
            cost=0.5,
            ms=1,
            calls=1,
            error=mark("error"),
            cached_from=None,
            at=_AT,
            program_version="1",
            question_id="",
            chain_id="",
            part="",
            state="",
            modality="both",
            item_id=item,
        )
        put("benchmark_answer", run_id=full.id("bench"), item_id=item, part="", judgment_id=asked)
        put(
            "reveal",
            segment_id=full.id(f"seg{number}"),
            annotator_id=full.id("ada"),
            own=json.dumps({"task": "", "values": {"rationale": f"about {'P01' if number == '1' else 'nobody'}"}}),
            at=_AT,
        )
        request = {
            "purpose": "judge",
            "host": "api.example.org",
            "port": 443,
            "addresses": ["1.2.3.4"],
            "local": False,
            "size": 5,
            "sha256": f"aa{number}",
            "texts": 5,
            "frames": [f"bb{number}"],
            "clips": [],
            "condition": "raw",
            "judge_id": full.id("judge"),
            "recording_id": rec,
            "segment_id": full.id(f"seg{number}"),
            "others": [],
            "redirected_from": "",
            "proxy": "",
            "barred_by": "",
            "barred": mark("barred"),
        }
        put(
            "egress",
            id=full.id(f"egress{number}"),
            at=_AT,
            request=json.dumps(request),
            level="raw",
            permission="allowed",
            rule="",
        )
    with study.step("Adopt"):
        put(
            "adoption",
            id=full.id(f"adoption{number}"),
            segment_id=full.id(f"seg{number}"),
            annotator_id=full.id("ada"),
            field="rationale",
            judgment_id=asked,
            at=_AT,
        )
    with study.without_history():
        put("activity", recording_id=rec, annotator_id=full.id("ada"), day="2026-11-22", seconds=5)


def _named(study: Study, full: Full, put: Put, mine: Mark, other: Mark) -> None:
    """What names them, or repeats them, in a recording in which they are not."""
    segment, ada = full.id("seg2"), full.id("ada")
    for number, text in enumerate(
        (
            f"{mine('comment name')} {NAME.upper()}",
            f"{mine('comment p')} p01 laughs",
            f"{mine('quote')} {SPOKEN}",
            f"{mine('first name')} Zyxanna's turn",
        )
    ):
        with study.step(f"Comment {text}"):
            put(
                "comment",
                id=full.id(f"name{number}"),
                segment_id=full.id("seg1") if SPOKEN in text else segment,
                annotator_id=ada,
                text=text,
                at=_AT,
                resolved=0,
            )
    with study.step("Change comment"):
        text = f"{other('comment now')} {full.ids['numbers']}"
        study.write("UPDATE comment SET text = ? WHERE id = ?", (text, full.id("name0")))
    with study.step("Value"):
        put(
            "segment_value",
            segment_id=segment,
            scheme="shrec",
            version=1,
            field="about",
            value=json.dumps(full.id("P01")),
        )
    with study.step("Look up"):
        put("public_word", word=other("public"))
        put("prompt_version", key="verdict", version=9, text=f'key = "verdict"\nsystem = "{other("prompt")} {NAME}"\n')
        put("character", id=full.id("char"), **dict.fromkeys(_PROFILE, f"{mine('character')} {NAME}"))
        put(
            "scenario",
            id=full.id("scene"),
            name=other("scenario"),
            context=other("scene context"),
            relationship="friend",
            goals=json.dumps([other("goal")]),
        )
        put(
            "conflict",
            id=full.id("conflict"),
            table_name="comment",
            row_key="[1]",
            source="Bo",
            at=_AT,
            resolution=None,
            theirs=None,
            ours=json.dumps(
                {
                    "comment": [
                        {
                            "id": "x",
                            "segment_id": segment,
                            "annotator_id": ada,
                            "text": f"{mine('conflict')} {NAME}",
                            "at": _AT,
                            "resolved": 0,
                        }
                    ]
                }
            ),
        )
        put("hold_out", recording_id=full.id("rec2"))
        put("merged_copy", copy_id=full.id("copy"), step_uid=new_id(), at=_AT)
    episode = {
        "context": other("episode context"),
        "relationship": "friend",
        "source": "played",
        "turn_limit": 5,
        "ended": "",
        "history": 0,
        "from_recording_id": "",
        "from_segment_id": "",
        "reference": other("reference"),
        "seed": 1,
    }
    with study.step("Episode"):
        put("episode", recording_id=full.id("rec1"), **episode)
        for position, (who, mark) in enumerate((("P01", mine), ("P02", other))):
            profile = {name: mark(name) for name in (*_PROFILE, "goal")}
            put(
                "episode_agent",
                recording_id=full.id("rec1"),
                position=position,
                participant_id=full.id(who),
                player="person",
                judge_id="",
                **profile,
            )


_AT = "2026-11-22T08:00:00.000+00:00"
_PROFILE = (
    "name",
    "age",
    "occupation",
    "pronouns",
    "personality",
    "personal_values",
    "decision_style",
    "public_info",
    "secret",
)


def forms(texts: Mapping[str, str] | list[str]) -> list[bytes]:
    """Return the bytes under which texts may stand in a file: as they are, and as JSON and JSON in JSON escape them."""
    found: list[bytes] = []
    for text in texts:
        once = json.dumps(text)[1:-1]
        found += {
            text.encode(),
            once.encode(),
            json.dumps(once)[1:-1].encode(),
            text.encode("utf-16-le"),
            text.encode("utf-16-be"),
        }
    return found
