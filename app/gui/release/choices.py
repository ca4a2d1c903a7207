"""Between the plan of a release and the form in which it is chosen."""

from dataclasses import replace

from anonymize.methods.registry import METHODS, method_type, missing_weights
from anonymize.sound.kinds import COVERS
from app.core.interchange.registry import FORMATS, format_called
from app.core.release.plan import SOUND, TEXTS, VIDEO, WITHOUT_CONSENT, ReleasePlan
from widgets.release.plan_form import Choices, Chosen


def choices() -> Choices:
    """Return what can be chosen: methods whose weights are there, and formats that do not hold a whole study."""
    ready = [(name, method_type(name).title) for name in METHODS if not missing_weights(name)]
    formats = [(key, format_called(key).name) for key in FORMATS if not format_called(key).whole]
    return Choices(
        ready,
        [*WITHOUT_CONSENT.items()],
        [*SOUND.items()],
        [*COVERS.items()],
        [*TEXTS.items()],
        formats,
        [*VIDEO.items()],
    )


def shown(plan: ReleasePlan) -> Chosen:
    """Return a plan as the form shows it."""
    typed = {"title": plan.title, "contact": plan.contact, "holder": plan.holder}
    methods = plan.methods or plan.methods_for(0)
    return Chosen(
        methods,
        plan.without_consent,
        plan.sound,
        plan.cover,
        plan.texts,
        plan.formats,
        plan.video,
        plan.keep_robots,
        typed,
    )


def planned(plan: ReleasePlan, chosen: Chosen) -> ReleasePlan:
    """Return a plan with what was chosen in the form; options of a voice go with their method."""
    return replace(
        plan,
        methods=chosen.methods,
        without_consent=chosen.without_consent,
        sound=chosen.sound,
        cover=chosen.cover,
        voice_options=plan.voice_options if chosen.sound == plan.sound else {},
        texts=chosen.texts,
        formats=chosen.formats,
        video=chosen.video,
        keep_robots=chosen.keep_robots,
        title=chosen.typed.get("title", ""),
        contact=chosen.typed.get("contact", ""),
        holder=chosen.typed.get("holder", ""),
    )
