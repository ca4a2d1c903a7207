"""Judgments as JSON, on their way from where judges are asked to where the study is."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from project.judging import JudgeEntry, Judgment, JudgmentStatus, Modality, Subject, about_from
from project.types import Json

_FIELDS = [one.name for one in fields(Judgment)]


def judge_json(one: JudgeEntry) -> dict[str, Json]:
    """Return a judge as its judgments keep it."""
    return {"name": one.name, "backend": one.backend, "model": one.model, "settings": dict(one.settings)}


def judgment_json(one: Judgment) -> dict[str, Json]:
    """Return a judgment as a JSON object."""
    found: dict[str, Any] = {name: getattr(one, name) for name in _FIELDS}
    return found | {
        "judge": dict(one.judge),
        "sight": dict(one.sight),
        "answer": dict(one.answer),
        "status": one.status.value,
        "modality": one.modality.value,
    }


def judgment_from(found: Mapping[str, Json]) -> Judgment:
    """Read what `judgment_json` made."""
    values: dict[str, Any] = {name: found[name] for name in _FIELDS}
    return Judgment(**{**values, "status": JudgmentStatus(values["status"]), "modality": Modality(values["modality"])})


def subject_fields(key: str, state: str, modality: Modality) -> dict[str, Any]:
    """Return the fields of a judgment that say what it is about, and what was shown of it.

    Args:
        key: `About.key`.
        state: of a question or a chain; "" for anything else.
        modality: what was shown.
    """
    about = about_from(key)
    ids = {subject: about.id if about.subject is subject else "" for subject in Subject}
    return {
        "segment_id": ids[Subject.SEGMENT],
        "question_id": ids[Subject.QUESTION],
        "chain_id": ids[Subject.CHAIN],
        "item_id": ids[Subject.ITEM],
        "part": about.part,
        "state": state,
        "modality": modality,
    }
