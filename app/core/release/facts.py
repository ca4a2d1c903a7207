"""What manifest and data card say about the study: gathered before rendering, by codes alone."""

from collections.abc import Mapping
from typing import Any

from app.core.pii.finder import recognizers_now
from app.core.release.again import numbered_waivers
from app.core.release.card import CardFacts
from app.core.release.codes import annotator_codes, recording_code, release_key, sealed
from app.core.release.gate import Selection
from app.core.release.plan import ReleasePlan
from app.core.release.private import scrubber_of
from app.core.release.texts import released_texts, text_state, texts_confirmed
from app.core.session import Session
from project.queries.annotators import all_annotators
from project.queries.face_reviews import mask_state
from project.queries.participants import all_participants
from project.types import Json
from project.version import __version__


def manifest_facts(session: Session, plan: ReleasePlan, selection: Selection) -> dict[str, Json]:
    """Return what the manifest says about the study; states of it only sealed."""
    key = release_key(session)
    sources: dict[str, Json] = {
        recording_code(one.number): {
            "faces": sealed(key, mask_state(session.study, one.recording.id)),
            "participants": len(one.people),
        }
        for one in selection.candidates
    }
    about = {name: value for name, value in plan.as_json().items() if name not in ("title", "contact", "holder")}
    texts = sealed(key, text_state(released_texts(session))) if plan.texts == "scrub" else ""
    return {"program": f"greenroom {__version__}", "plan": about, "texts": texts, "sources": sources}


def card_facts(session: Session, selection: Selection, choice: str) -> dict[str, Json]:
    """Return what the data card says about the study, as JSON; `choice` is what becomes of free texts."""
    scrubber = scrubber_of(session)
    codes = annotator_codes(all_annotators(session.study), [p.pseudonym for p in all_participants(session.study)])
    names = {one.id: codes[one.name] for one in all_annotators(session.study)}
    texts = released_texts(session) if choice == "scrub" else []
    reader = texts_confirmed(session, texts)
    inside = {one.number for one in selection.candidates}
    given: list[Json] = [
        [one.rule, number, scrubber.scrub(one.reason).text, names[one.annotator_id]]
        for one, number in numbered_waivers(session)
        if number is None or number in inside
    ]
    return {
        "left_out": {str(number): why for number, why in selection.left_out.items()},
        "without_picture": [one.number for one in selection.candidates if not one.has_picture],
        "painted": {str(one.number): len(one.painted) for one in selection.candidates},
        "waivers": given,
        "texts": [len(texts), sum(len(one.replacements) for one in texts)],
        "read_by": names[reader.id] if reader is not None else "",
        "recognizers": [scrubber.scrub(title).text for title in recognizers_now().titles],
        "sounds": {str(one.number): one.sounding.facts() for one in selection.candidates if one.sounding is not None},
    }


def card_from(found: Mapping[str, Any]) -> CardFacts:
    """Return what `card_facts` gave, for the card."""
    return CardFacts(
        {int(number): why for number, why in found["left_out"].items()},
        found["without_picture"],
        {int(number): count for number, count in found["painted"].items()},
        [(rule, number, reason, code) for rule, number, reason, code in found["waivers"]],
        (found["texts"][0], found["texts"][1]),
        found["read_by"],
        {int(number): about for number, about in found["sounds"].items()},
        found["recognizers"],
    )
