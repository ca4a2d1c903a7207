"""What makes two requests the same, worked out without decoding a frame."""

import hashlib
import json

from app.core.judging.seeing.plan import SightPlan
from models.judges.base import Sampling
from project.types import Json


def prompt_sha256(plan: SightPlan) -> str:
    """Return the checksum of all texts that are sent, in full."""
    return _digest([plan.system, plan.text])


def request_key(plan: SightPlan, fingerprint: str, sampling: Sampling, known: Json = None) -> str:
    """Return the checksum of everything that decides an answer; equal requests have equal keys.

    Args:
        plan: what is seen, and the form of the answer.
        fingerprint: of the judge, with all its settings that change an answer.
        sampling: with the seed, so that repetitions are told apart.
        known: what a baseline answers by beside the plan, such as the item or what people said.
    """
    media = plan.media
    form = plan.answer_form
    return _digest(
        {
            "judge": fingerprint,
            "known": known,
            "prompt": [plan.prompt, plan.variant, prompt_sha256(plan)],
            "form": [form.name, dict(form.schema), form.thinks],
            "sampling": [float(sampling.temperature), sampling.seed, sampling.max_tokens],
            "media": None
            if media is None
            else [
                media.fingerprint,
                [[one.position, one.time_us - media.zero_us, one.shown] for one in media.frames],
                None if media.clip is None else [time_us - media.zero_us for time_us in media.clip],
                [media.width, media.height, media.quality],
            ],
        }
    )


def _digest(content: Json) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
