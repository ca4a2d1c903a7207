"""Queries on judgments, reveals, judges, prompt versions and adoptions; judgments and reveals never change."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from project.entities.judgments import PERSON_BACKEND, Adoption, JudgeEntry, Judgment, JudgmentStatus, Reveal
from project.queries.row_mapper import RowMapper
from project.store.column_values import judgment_label, parse_choice
from project.store.study import Study

JUDGMENTS = RowMapper(Judgment, "judgment", noun="A judgment ({id})")
REVEALS = RowMapper(Reveal, "reveal", noun="What somebody had said before judges were shown")
JUDGES = RowMapper(
    JudgeEntry,
    "judge",
    noun="The judge “{name}”",
    remedy="Remove it and add it again: greenroom judge remove",
)
ADOPTIONS = RowMapper(Adoption, "adoption")
_NEWEST_FIRST = "ORDER BY at DESC, id DESC"


insert_judgments = JUDGMENTS.insert_all


def asked_judges(study: Study) -> dict[str, str]:
    """Return judge id -> the name that it was asked under last, also of judges that are gone."""
    rows = study.rows(
        "SELECT judge_id, json_extract(judge, '$.name') FROM judgment WHERE json_valid(judge) "
        "GROUP BY judge_id HAVING max(at)"
    )
    return {row[0]: str(row[1]) for row in rows}


def judgments_of(study: Study, segment_id: str, task: str | None = None) -> list[Judgment]:
    """Return what was said about a segment, newest first; of one task where `task` is given."""
    where = f"WHERE segment_id = ? AND task = coalesce(?, task) {_NEWEST_FIRST}"
    return JUDGMENTS.select(study, where, segment_id, task)


judgments_of_question = JUDGMENTS.query(f"WHERE question_id = ? {_NEWEST_FIRST}")


def judgments_about(study: Study, recording_id: str, tasks: Collection[str]) -> list[Judgment]:
    """Return what was said about a whole recording in some tasks, newest first."""
    where = (
        "WHERE recording_id = ? AND segment_id = '' AND question_id = '' AND chain_id = '' AND item_id = '' "
        f"AND task IN (SELECT value FROM json_each(?)) {_NEWEST_FIRST}"
    )
    return JUDGMENTS.select(study, where, recording_id, json.dumps([*tasks]))


segment_judgments = JUDGMENTS.query("WHERE segment_id <> '' ORDER BY at, id")
judgments_in = JUDGMENTS.query(f"WHERE recording_id = ? AND segment_id <> '' {_NEWEST_FIRST}")


def find_judgments(study: Study, ids: Sequence[str]) -> list[Judgment]:
    """Return judgments by id, in no order; ids that are not there are left out."""
    return JUDGMENTS.select_among(study, "id", ids)


@dataclass(frozen=True, slots=True)
class LabelGiven:
    """The label that one judgment gives a segment, without the rest of it.

    Attributes:
        judge: the name that it had then.
        backend: of that judge.
        label: "" where it gives none.
    """

    id: str
    judge_id: str
    judge: str
    backend: str
    annotator_id: str | None
    recording_id: str
    segment_id: str
    task: str
    condition: str
    status: JudgmentStatus
    label: str


def judge_labels(
    study: Study, recording_id: str | None = None, segment_ids: Collection[str] | None = None
) -> list[LabelGiven]:
    """Return the labels that were given in a recording, or in all, newest first; judgments without one are in it too.

    With `segment_ids`, only those about these segments.
    """
    about = "" if segment_ids is None else "AND segment_id IN (SELECT value FROM json_each(?)) "
    only = () if segment_ids is None else (json.dumps(sorted(segment_ids)),)
    rows = study.rows(
        "SELECT id, judge_id, json_extract(judge, '$.name'), json_extract(judge, '$.backend'), annotator_id, "
        "recording_id, segment_id, task, condition, status, json_extract(answer, '$.label') FROM judgment "
        "WHERE recording_id = coalesce(?, recording_id) AND item_id = '' AND json_valid(judge) AND json_valid(answer) "
        f"{about}ORDER BY at DESC, id DESC",
        (recording_id, *only),
    )
    return [
        LabelGiven(
            row[0],
            row[1],
            str(row[2] or row[1]),
            str(row[3] or ""),
            row[4],
            row[5],
            row[6],
            row[7],
            row[8],
            parse_choice(JudgmentStatus, row[9], judgment_label(row[0])),
            row[10] if isinstance(row[10], str) else "",
        )
        for row in rows
    ]


def answered_forms(study: Study, annotator_id: str, segment_id: str) -> dict[str, str]:
    """Return task -> the newest judgment that a person gave about a segment in the form for people."""
    rows = study.rows(
        "SELECT task, id FROM judgment WHERE segment_id = ? AND annotator_id = ? AND status = 'ok' "
        "AND json_valid(judge) AND json_extract(judge, '$.backend') = ? ORDER BY at, id",
        (segment_id, annotator_id, PERSON_BACKEND),
    )
    return {row[0]: row[1] for row in rows}


def answered_forms_in(study: Study, annotator_id: str, recording_id: str) -> dict[str, dict[str, str]]:
    """Return segment id -> what `answered_forms` returns, for the segments of a recording that have any."""
    rows = study.rows(
        "SELECT segment_id, task, id FROM judgment "
        "WHERE recording_id = ? AND segment_id <> '' AND annotator_id = ? AND status = 'ok' "
        "AND json_valid(judge) AND json_extract(judge, '$.backend') = ? ORDER BY at, id",
        (recording_id, annotator_id, PERSON_BACKEND),
    )
    found: dict[str, dict[str, str]] = {}
    for segment_id, task, judgment_id in rows:
        found.setdefault(segment_id, {})[task] = judgment_id
    return found


def judged_segments(study: Study, ids: Collection[str]) -> set[str]:
    """Return the ids of the segments that judgments are about."""
    rows = study.rows(
        "SELECT DISTINCT segment_id FROM judgment WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(ids)),),
    )
    return {row[0] for row in rows}


def revealed_task(study: Study, annotator_id: str, segment_id: str) -> str | None:
    """Return in which task an annotator was shown what judges say about a segment, "" for every; None for none."""
    row = study.row(
        "SELECT CASE WHEN json_valid(own) THEN coalesce(json_extract(own, '$.task'), '?') ELSE '?' END "
        "FROM reveal WHERE segment_id = ? AND annotator_id = ?",
        (segment_id, annotator_id),
    )
    return None if row is None else str(row[0])


def revealed_tasks(study: Study, annotator_id: str) -> dict[str, str]:
    """Return segment id -> what `revealed_task` returns, for all that an annotator was shown."""
    rows = study.rows(
        "SELECT segment_id, CASE WHEN json_valid(own) THEN coalesce(json_extract(own, '$.task'), '?') ELSE '?' END "
        "FROM reveal WHERE annotator_id = ?",
        (annotator_id,),
    )
    return {row[0]: str(row[1]) for row in rows}


def judgments_by_request(study: Study, request_keys: Sequence[str]) -> Iterator[Judgment]:
    """Yield everything that was said to these requests, with an answer or without; newest first for each of them."""
    return JUDGMENTS.iterate_among(study, "request_key", request_keys, _NEWEST_FIRST)


def cost_since(study: Study, judge_ids: Collection[str], since: str) -> tuple[float, int]:
    """Return the money and the tokens that judges took from a moment on (UTC, ISO 8601)."""
    money, tokens = 0.0, 0
    for judge_id in judge_ids:
        ((cost, read, written),) = study.rows(
            "SELECT total(cost), total(tokens_in), total(tokens_out) FROM judgment WHERE judge_id = ? AND at >= ?",
            (judge_id, since),
        )
        money, tokens = money + float(cost), tokens + int(read) + int(written)
    return money, tokens


def insert_reveal(study: Study, new: Reveal) -> None:
    """Store that somebody was shown what judges say; the first time counts."""
    REVEALS.insert_missing(study, [new])


def reveals_to(study: Study, annotator_id: str) -> dict[str, Reveal]:
    """Return segment id -> when an annotator was shown what judges say about it."""
    return {reveal.segment_id: reveal for reveal in REVEALS.select(study, "WHERE annotator_id = ?", annotator_id)}


reveals = REVEALS.query("ORDER BY at, segment_id")
all_judges = JUDGES.query("ORDER BY name")


def judge_names(study: Study) -> dict[str, str]:
    """Return id -> name of every judge, also of those that are damaged."""
    return dict(study.rows("SELECT id, name FROM judge"))


judge_by_name = JUDGES.query_first("WHERE name = ?")
put_judge = JUDGES.upsert
delete_judge = JUDGES.delete
"""Remove a judge; what it said stays."""


def prompt_versions(study: Study, key: str) -> dict[int, str]:
    """Return version -> text (TOML) of a prompt that this study used or edited."""
    rows = study.rows("SELECT version, text FROM prompt_version WHERE key = ? ORDER BY version", (key,))
    return {int(version): str(text) for version, text in rows}


def put_prompt_version(study: Study, key: str, version: int, text: str) -> None:
    """Keep a version of a prompt; inside a step."""
    study.write("INSERT INTO prompt_version VALUES (?, ?, ?)", (key, version, text))


insert_adoption = ADOPTIONS.insert


def adoptions(study: Study, segment_id: str | None = None) -> list[Adoption]:
    """Return what was taken over, by time; of one segment where it is given."""
    return ADOPTIONS.select(study, "WHERE segment_id = coalesce(?, segment_id) ORDER BY at, id", segment_id)
