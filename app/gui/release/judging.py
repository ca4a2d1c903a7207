"""Judges a study by the rules of a release, a little at a time, so that a window stays awake."""

from collections.abc import Generator
from dataclasses import dataclass

from app.core.release.gate import PER_RECORDING, Selection, select, something, texts_reviewed
from app.core.release.plan import SCRUB, ReleasePlan
from app.core.release.texts import ReleasedText, released_by_recording
from app.core.session import Session
from app.gui.release.lines import Line, lines_of, rendered_before
from project.queries.recordings import all_recordings
from project.queries.release import waivers
from resources.translation import tr


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of it.

    Attributes:
        selection: what would be released, and what is left out.
        lines: of the checklist, what stands in the way first.
    """

    selection: Selection
    lines: tuple[Line, ...]


def judging(session: Session, plan: ReleasePlan) -> Generator[str, None, Judged]:
    """Judge one recording at a time; yields what to show meanwhile.

    Raises:
        UserError: the plan cannot be carried out, or a text cannot be scrubbed.
    """
    selection = select(session, plan)
    texts: list[ReleasedText] = []
    if plan.texts == SCRUB:
        for part in released_by_recording(session):
            texts += part
            yield tr("Scrubbing the texts: {texts}…").format(texts=len(texts))
    reasons = [*something(selection), *texts_reviewed(session, plan, texts)]
    yield tr("Looking at the rules…")
    total = len(selection.candidates)
    for done, one in enumerate(selection.candidates, 1):
        for rule in PER_RECORDING:
            reasons += rule(one)
        yield tr("Looking at the rules: recording {done} of {total}…").format(done=done, total=total)
    by_id = {one.id: one.number for one in all_recordings(session.study)}
    inside = {one.recording.id: one.number for one in selection.candidates if one.has_picture}
    after, rendered = rendered_before(session, plan, inside)
    numbers = [one.number for one in selection.candidates]
    found = lines_of(numbers, [*reasons, *after], rendered, waivers(session.study), by_id)
    return Judged(selection, tuple(sorted(found, key=lambda one: not one.broken)))
