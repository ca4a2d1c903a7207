"""Queries on judgments, reveals, judges, prompt versions and adoptions; judgments and reveals never change."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from project.entities.judgments import PERSON_BACKEND, Adoption, JudgeEntry, Judgment, JudgmentStatus, Modality, Reveal
from project.errors import UserError
from project.store.column_values import judgment_label, parse_choice, parse_object, to_json
from project.store.study import Cell, Row, Study
from project.text_format import escape_unprintable

_FIELDS = [field.name for field in fields(Judgment)]
_JUDGMENT_COLUMNS = ", ".join(_FIELDS)
_OBJECTS = {"judge", "sight", "answer"}
_CHUNK = 900


def insert_judgments(study: Study, new: Iterable[Judgment]) -> None:
    """Store judgments; inside `Study.run_transaction`."""
    marks = ", ".join("?" * len(_FIELDS))
    study.write_run(
        f"INSERT INTO judgment ({_JUDGMENT_COLUMNS}) VALUES ({marks})", [_cells(judgment) for judgment in new]
    )


def asked_judges(study: Study) -> dict[str, str]:
    """Return judge id -> the name that it was asked under last, also of judges that are gone."""
    rows = study.rows(
        "SELECT judge_id, json_extract(judge, '$.name') FROM judgment WHERE json_valid(judge) "
        "GROUP BY judge_id HAVING max(at)"
    )
    return {row[0]: str(row[1]) for row in rows}


def judgments_of(study: Study, segment_id: str, task: str | None = None) -> list[Judgment]:
    """Return what was said about a segment, newest first; of one task where `task` is given."""
    rows = study.rows(
        f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE segment_id = ? AND task = coalesce(?, task) "
        "ORDER BY at DESC, id DESC",
        (segment_id, task),
    )
    return [_judgment(row) for row in rows]


def judgments_of_question(study: Study, question_id: str) -> list[Judgment]:
    """Return what was said about a question, newest first."""
    rows = study.rows(
        f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE question_id = ? ORDER BY at DESC, id DESC", (question_id,)
    )
    return [_judgment(row) for row in rows]


def judgments_about(study: Study, recording_id: str, tasks: Collection[str]) -> list[Judgment]:
    """Return what was said about a whole recording in some tasks, newest first."""
    marks = ", ".join("?" * len(tasks))
    rows = study.rows(
        f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE recording_id = ? AND segment_id = '' AND question_id = '' "
        f"AND chain_id = '' AND item_id = '' AND task IN ({marks}) ORDER BY at DESC, id DESC",
        (recording_id, *tasks),
    )
    return [_judgment(row) for row in rows]


def judgments_in(study: Study, recording_id: str) -> list[Judgment]:
    """Return what was said about the segments of a recording, newest first."""
    rows = study.rows(
        f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE recording_id = ? AND segment_id <> '' "
        "ORDER BY at DESC, id DESC",
        (recording_id,),
    )
    return [_judgment(row) for row in rows]


def find_judgments(study: Study, ids: Sequence[str]) -> list[Judgment]:
    """Return judgments by id, in no order; ids that are not there are left out."""
    found = []
    for first in range(0, len(ids), _CHUNK):
        part = ids[first : first + _CHUNK]
        marks = ", ".join("?" * len(part))
        found += [
            _judgment(row)
            for row in study.rows(f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE id IN ({marks})", part)
        ]
    return found


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


def answered_judgments(study: Study, request_keys: Sequence[str]) -> Iterator[Judgment]:
    """Yield the oldest judgment with an answer for each request that has one; in no order."""
    for first in range(0, len(request_keys), _CHUNK):
        part = request_keys[first : first + _CHUNK]
        marks = ", ".join("?" * len(part))
        seen = set()
        for row in study.rows(
            f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE request_key IN ({marks}) AND status = 'ok' "
            "ORDER BY at, id",
            part,
        ):
            judgment = _judgment(row)
            if judgment.request_key not in seen:
                seen.add(judgment.request_key)
                yield judgment


def judgments_by_request(study: Study, request_keys: Sequence[str]) -> Iterator[Judgment]:
    """Yield everything that was said to these requests, with an answer or without; newest first for each of them."""
    unique = [*dict.fromkeys(request_keys)]
    for first in range(0, len(unique), _CHUNK):
        part = unique[first : first + _CHUNK]
        marks = ", ".join("?" * len(part))
        for row in study.rows(
            f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE request_key IN ({marks}) ORDER BY at DESC, id DESC", part
        ):
            yield _judgment(row)


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
    """Store that somebody was shown what judges say; the first time counts. Inside `Study.run_transaction`."""
    study.write_run(
        "INSERT INTO reveal VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(new.segment_id, new.annotator_id, to_json(dict(new.own)), new.at)],
    )


def reveals_to(study: Study, annotator_id: str) -> dict[str, Reveal]:
    """Return segment id -> when an annotator was shown what judges say about it."""
    rows = study.rows("SELECT segment_id, annotator_id, own, at FROM reveal WHERE annotator_id = ?", (annotator_id,))
    return {row[0]: _reveal(row) for row in rows}


def reveals(study: Study) -> list[Reveal]:
    """Return every reveal, by time."""
    rows = study.rows("SELECT segment_id, annotator_id, own, at FROM reveal ORDER BY at, segment_id")
    return [_reveal(row) for row in rows]


def _cells(judgment: Judgment) -> list[Cell]:
    # Not asdict, which copies all that was seen and said.
    values = {name: getattr(judgment, name) for name in _FIELDS}
    for name in _OBJECTS:
        values[name] = to_json(dict(values[name]))
    values["status"] = judgment.status.value
    values["modality"] = judgment.modality.value
    return [values[name] for name in _FIELDS]


def _judgment(row: Row) -> Judgment:
    values = dict(zip(_FIELDS, row, strict=True))
    what = judgment_label(values["id"])
    for name in _OBJECTS:
        values[name] = parse_object(values[name], what)
    values["status"] = parse_choice(JudgmentStatus, values["status"], what)
    values["modality"] = parse_choice(Modality, values["modality"], what)
    return Judgment(**values)


def _reveal(row: Row) -> Reveal:
    return Reveal(row[0], row[1], parse_object(row[2], "What somebody had said before judges were shown"), row[3])


def all_judges(study: Study) -> list[JudgeEntry]:
    """Return every judge by name."""
    return [_entry(row) for row in study.rows("SELECT id, name, backend, model, settings FROM judge ORDER BY name")]


def judge_names(study: Study) -> dict[str, str]:
    """Return id -> name of every judge, also of those that are damaged."""
    return {row[0]: row[1] for row in study.rows("SELECT id, name FROM judge")}


def judge_by_name(study: Study, name: str) -> JudgeEntry | None:
    """Return a judge, or None where there is none of that name."""
    row = study.row("SELECT id, name, backend, model, settings FROM judge WHERE name = ?", (name,))
    return None if row is None else _entry(row)


def put_judge(study: Study, judge_entry: JudgeEntry) -> None:
    """Add a judge, or change the one with this id; inside a step."""
    study.write(
        "INSERT INTO judge VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
        "backend = excluded.backend, model = excluded.model, settings = excluded.settings",
        (judge_entry.id, judge_entry.name, judge_entry.backend, judge_entry.model, to_json(dict(judge_entry.settings))),
    )


def delete_judge(study: Study, judge_id: str) -> None:
    """Remove a judge; what it said stays. Inside a step."""
    study.write("DELETE FROM judge WHERE id = ?", (judge_id,))


def prompt_versions(study: Study, key: str) -> dict[int, str]:
    """Return version -> text (TOML) of a prompt that this study used or edited."""
    rows = study.rows("SELECT version, text FROM prompt_version WHERE key = ? ORDER BY version", (key,))
    return {int(version): str(text) for version, text in rows}


def put_prompt_version(study: Study, key: str, version: int, text: str) -> None:
    """Keep a version of a prompt; inside a step."""
    study.write("INSERT INTO prompt_version VALUES (?, ?, ?)", (key, version, text))


def _entry(row: Row) -> JudgeEntry:
    try:
        settings = json.loads(row[4])
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise UserError(
            f"The settings of the judge “{escape_unprintable(row[1])}” are damaged.",
            "Remove it and add it again: greenroom judge remove",
        )
    return JudgeEntry(row[0], row[1], row[2], row[3], settings)


def insert_adoption(study: Study, new: Adoption) -> None:
    """Store that somebody took a judge's words over; inside a step."""
    study.write(
        "INSERT INTO adoption VALUES (?, ?, ?, ?, ?, ?)",
        (new.id, new.segment_id, new.annotator_id, new.field, new.judgment_id, new.at),
    )


def adoptions(study: Study, segment_id: str | None = None) -> list[Adoption]:
    """Return what was taken over, by time; of one segment where it is given."""
    rows = study.rows(
        "SELECT id, segment_id, annotator_id, field, judgment_id, at FROM adoption "
        "WHERE segment_id = coalesce(?, segment_id) ORDER BY at, id",
        (segment_id,),
    )
    return [Adoption(*row) for row in rows]
