"""What is seen of a segment where a model says that it was too long for it: the same share of everything that fits.

The study is needed to see less of it, so whoever asks the judges asks whoever holds the study for another plan.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, cast

from app.core.judging.seeing.plan import Shortened, SightPlan, SightSettings
from app.core.judging.seeing.planning import plan_sight
from app.core.session import Session
from models.judges.base import TooLong
from project.types import Json

SETTINGS = "settings"
"""Where a plan on its way carries the settings that it was made with."""
FRAMES = "frames"
"""The rule, beside those of `shortening`, by which fewer frames are sent."""
_PLAN = "plan"
_UNKNOWN = 0.5
"""The share that is tried where the model does not say how much it can hold."""
_MARGIN = 0.9
_LEAST_TEXT = 200


def smaller(settings: SightSettings, plan: SightPlan, told: TooLong) -> SightSettings | None:
    """Return settings under which a question may fit; None where nothing can be left out any more.

    Conversation and frames shrink by the same share: what the model can hold of what it was asked, less a tenth; half
    where it does not say. The conversation then loses turns by the rules of `shortening`.
    """
    share = _UNKNOWN
    if told.asked and told.room and told.room < told.asked:
        share = _MARGIN * told.room / told.asked
    before = min(settings.longest_text, len(plan.text))
    text = max(_LEAST_TEXT, int(before * share))
    shown = len(plan.media.frames) if plan.media is not None else 0
    frames = max(1, int(shown * share)) if shown else settings.frames
    if text >= before and frames >= shown:
        return None
    return replace(settings, longest_text=text, frames=frames)


def plan_json(plan: SightPlan, settings: SightSettings) -> dict[str, Json]:
    """Return a plan, and the settings that it was made with."""
    return {**plan.as_json(), SETTINGS: asdict(settings)}


def settings_of(plan: Mapping[str, Json]) -> SightSettings:
    """Return the settings that a plan of `plan_json` was made with."""
    return SightSettings(**cast(dict[str, Any], plan[SETTINGS]))


def plan_question(plan: SightPlan, settings: SightSettings) -> dict[str, Json]:
    """Return, as JSON, the wish to have a segment planned anew under other settings."""
    return {"ask": _PLAN, **plan_json(plan, settings)}


def is_plan_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is one of `plan_question`."""
    return question.get("ask") == _PLAN


def answer_plan(session: Session, question: Mapping[str, Json]) -> dict[str, Json]:
    """Plan a segment anew, in the process that holds the study; how many frames less it has is noted in the plan.

    Raises:
        UserError: it cannot be planned any more.
    """
    settings = settings_of(question)
    about, task, variant, condition = (str(question[key]) for key in ("about", "task", "variant", "condition"))
    made = plan_sight(session, about, task, variant, condition, settings)
    media = cast(dict[str, list[Json]] | None, question["media"])
    fewer = (len(media["frames"]) if media else 0) - (len(made.media.frames) if made.media else 0)
    if fewer > 0:
        made = replace(made, shortened=(*made.shortened, Shortened(FRAMES, fewer, 0)))
    return plan_json(made, settings)
