"""The judges that a study knows, and its own versions of prompts."""

import json

from project.errors import UserError
from project.json_text import to_json
from project.judging import JudgeEntry
from project.names import shown
from project.store import Row, Study


def all_judges(study: Study) -> list[JudgeEntry]:
    """Return every judge by name.

    Raises:
        UserError: one of them is damaged.
    """
    return [_entry(row) for row in study.rows("SELECT id, name, backend, model, settings FROM judge ORDER BY name")]


def judge_names(study: Study) -> dict[str, str]:
    """Return id -> name of every judge, also of those that are damaged."""
    return {row[0]: row[1] for row in study.rows("SELECT id, name FROM judge")}


def judge_by_name(study: Study, name: str) -> JudgeEntry | None:
    """Return a judge, or None where there is none of that name."""
    row = study.row("SELECT id, name, backend, model, settings FROM judge WHERE name = ?", (name,))
    return None if row is None else _entry(row)


def put_judge(study: Study, one: JudgeEntry) -> None:
    """Add a judge, or change the one with this id; inside a step."""
    study.write(
        "INSERT INTO judge VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
        "backend = excluded.backend, model = excluded.model, settings = excluded.settings",
        (one.id, one.name, one.backend, one.model, to_json(dict(one.settings))),
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
            f"The settings of the judge “{shown(row[1])}” are damaged.",
            "Remove it and add it again: greenroom judge remove",
        )
    return JudgeEntry(row[0], row[1], row[2], row[3], settings)
