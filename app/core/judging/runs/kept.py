"""What is kept of an answer."""

from typing import cast

from app.core.clock import utc_now
from app.core.judging.judges.keys import without_key
from app.core.judging.runs.lane import Lane, RunItem
from app.core.judging.runs.parts import judge_json, subject_fields
from app.core.judging.runs.setting import Setting, Sight
from models.judges.base import Reply
from project.ids import new_id
from project.judging import Judgment
from project.types import Json
from project.version import __version__


def judgment_of(setting: Setting, lane: Lane, item: RunItem, sight: Sight, reply: Reply) -> Judgment:
    """Return the judgment that an answer is; the key of the judge's server is in none of its texts."""
    entry = lane.entry
    return Judgment(
        id=new_id(),
        judge_id=entry.id,
        judge=judge_json(entry),
        annotator_id=None,
        recording_id=item.recording_id,
        **subject_fields(item.about, item.state, item.modality),
        start_us=item.start_us,
        end_us=item.end_us,
        task=setting.task,
        variant=setting.variant,
        condition=item.condition,
        seed=setting.seed,
        prompt=sight.prompt,
        prompt_sha256=sight.prompt_sha256,
        request_key=item.request_key,
        sight=sight.told,
        status=reply.status,
        answer=cast(dict[str, Json], _storable(dict(reply.answer), lane.key)),
        raw=_text(reply.raw, lane.key),
        thinking=_text(reply.thinking, lane.key),
        mended=str(reply.mended),
        model_id=_text(reply.model_id, lane.key),
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost=reply.cost,
        ms=reply.ms,
        calls=reply.calls,
        error=" ".join(_text(reply.error, lane.key).split()),
        cached_from=None,
        at=utc_now(),
        program_version=__version__,
    )


def _storable(found: Json, key: str) -> Json:
    """Return an answer without the key of its server, and without halves of characters, which no file takes."""
    if isinstance(found, str):
        return _text(found, key)
    if isinstance(found, list):
        return [_storable(one, key) for one in found]
    if isinstance(found, dict):
        return {_text(name, key): _storable(one, key) for name, one in found.items()}
    return found


def _text(text: str, key: str) -> str:
    return without_key(text, key).encode("utf-8", "replace").decode()
