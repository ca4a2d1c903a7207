"""Whether what is said in a recording passed review, as things stand now: by the rules of a release."""

from app.core.pii.finder import unsearched
from app.core.release.again import numbered_waivers
from app.core.release.gate import Candidate, pii_reviewed, unchecked
from app.core.release.rules import Reason, standing
from app.core.release.texts import spoken_confirmed
from app.core.session import Session
from project.queries.free_texts import free_texts


def reasons_against_texts(one: Candidate) -> list[Reason]:
    """Return what stands in the way of the scrubbed transcript of a recording that wants to leave, but for waivers."""
    found = [*unchecked(one), *pii_reviewed(one)]
    if not found and not spoken_confirmed(one.session, one.recording):
        found.append(
            one.reason(
                "texts-reviewed",
                f"Nobody read the scrubbed transcript of recording {one.number} as it is now.",
                "Read it, then confirm: greenroom texts STUDY --confirm",
            )
        )
    waived = [(each.rule, number) for each, number in numbered_waivers(one.session)]
    return standing(found, waived)


def must_be_searched(session: Session) -> bool:
    """Tell whether texts were not searched yet and must not be now: it takes seconds, and a window stood still."""
    return not session.patient and bool(unsearched(session, [one.text for one in free_texts(session.study)]))
