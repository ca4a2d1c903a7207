"""Writes the data card, terms of use and terms of access of a release from templates.

The facts about the study are gathered before rendering, by codes alone.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from anonymize.methods.face_methods import method_type
from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_review.study_finder import current_recognizers
from anonymize.release.private_content import build_scrubber
from anonymize.release.release_plan import (
    SCRUB,
    SOLID,
    VIDEO_CHOICES,
    ReleasePlan,
    assign_annotator_codes,
    get_release_key,
    keyed_checksum,
    recording_code,
)
from anonymize.release.release_rendering import RenderingCheck
from anonymize.release.release_rules import RULES, Selection, valid_waivers
from anonymize.release.release_sound import AudioTreatment
from anonymize.release.release_texts import find_confirming_annotator, list_released_texts, texts_checksum
from anonymize.sound.voice_methods import COVERS, voice_type
from project.codec import dump
from project.entities.study_records import Json
from project.files.publication import ReleasedFile
from project.queries.annotator_rows import all_annotators
from project.queries.face_rows import mask_state
from project.queries.recording_rows import all_participants
from project.session.optional_parts import NAMES
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import format_time
from project.version import __version__
from resources import resource

TEMPLATES = {"card": "DATACARD.md", "licence": "LICENCE.md", "access": "ACCESS.md"}
"""Template -> the file that it becomes."""
_NOT_STATED = "not stated"
_NO_ENTRIES = "None."
_UNSEARCHED_REASON = "the reason is left out, because it was not searched for personal information"


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What card and manifest say that the outcomes do not.

    Attributes:
        left_out: number of a recording -> why it is not in the release.
        without_picture: recordings of which only annotations are there.
        painted: number of a recording -> how many faces were painted solid because nobody agreed for them.
        waivers: rule, number of the recording or None, reason, code of who waived it.
        texts: how many texts were scrubbed, and how many places in them were changed.
        read_by: code of who confirmed the scrubbed texts.
        recognizers: models of names that searched texts and speech beside the rules.
        sources: code of a recording -> what the manifest says about it; states of the study only sealed.
        manifest: what else it says.
    """

    left_out: Mapping[int, str]
    without_picture: Sequence[int]
    painted: Mapping[int, int]
    waivers: Sequence[tuple[str, int | None, str, str]]
    texts: tuple[int, int] = (0, 0)
    read_by: str = ""
    recognizers: Sequence[str] = ()
    sources: Mapping[str, Json] = field(default_factory=dict)
    manifest: Mapping[str, Json] = field(default_factory=dict)


def write_cards(
    folder: Path,
    plan: ReleasePlan,
    outcomes: Sequence[RenderingCheck],
    sounds: Mapping[int, AudioTreatment],
    facts: ReleaseFacts,
) -> dict[str, ReleasedFile]:
    """Write card, terms of use and terms of access; returns their names and what was written.

    `sounds` says what was done to the sound of each recording (by number) whose sound leaves.
    """
    slots = {
        "title": plan.title or "Data set",
        "contact": plan.contact or _NOT_STATED,
        "holder": plan.holder or _NOT_STATED,
        "contents": _contents(plan, outcomes, facts),
        "left_out": ", ".join(f"{number} ({why.rstrip('.').lower()})" for number, why in sorted(facts.left_out.items()))
        or "none.",
        "faces": _faces(plan, outcomes, facts),
        "checks": _checks(outcomes),
        "measures": _measures(outcomes),
        "sound": _sound(plan, outcomes, sounds, facts),
        "texts": _texts(plan, facts),
        "waivers": _waivers(facts),
    }
    written = {}
    for template, name in TEMPLATES.items():
        text = resource("release", f"{template}.md").read_text("utf-8")
        content = Template(text).substitute(slots).encode()
        with (folder / name).open("xb") as file:
            file.write(content)
        written[name] = ReleasedFile((), hashlib.sha256(content).hexdigest())
    return written


def _contents(plan: ReleasePlan, outcomes: Sequence[RenderingCheck], facts: ReleaseFacts) -> str:
    numbers = sorted({outcome.number for outcome in outcomes} | set(facts.without_picture))
    lines = [f"- {pluralize(len(numbers), 'recording')}: {', '.join(map(recording_code, numbers))}"]
    lines += [
        f"- {VIDEO_CHOICES[kind]}: `{'frames' if kind == '1hz' else 'video'}-{kind}/`"
        for kind in plan.video
        if outcomes
    ]
    lines += [f"- Annotations as {', '.join(plan.formats)}: `annotations/`"]
    lines += ["- Only the main camera of each recording; further cameras and microphones are not released."]
    if facts.without_picture:
        codes = ", ".join(map(recording_code, facts.without_picture))
        lines.append(f"- Without any picture, only annotations: {codes}")
    return "\n".join(lines)


def _faces(plan: ReleasePlan, outcomes: Sequence[RenderingCheck], facts: ReleaseFacts) -> str:
    lines = []
    for name in dict.fromkeys(outcome.method for outcome in outcomes):
        kind = method_type(name)
        turned = "Published attacks have turned it back" if kind.reversible else "No attack is known that turns it back"
        numbers = ", ".join(recording_code(outcome.number) for outcome in outcomes if outcome.method == name)
        lines.append(f"- {kind.title} ({numbers}). {kind.description} {turned}.")
    if plan.keep_robots:
        lines.append("- Faces of robots stay as they are.")
    if plan.without_consent == SOLID:
        lines += [
            f"- In {recording_code(number)}, {pluralize(count, 'face track')} painted solid: nobody agreed for them."
            for number, count in sorted(facts.painted.items())
            if count
        ]
    for outcome in outcomes:
        where = f"{recording_code(outcome.number)}, {outcome.method}"
        for times, said in (
            (outcome.blanked_us, "painted over wholly, because the source is damaged or was not searched there"),
            (outcome.undrawn_us, "with a face that could not be drawn and was painted solid"),
            (outcome.exempt_us, "in which a robot's face may be seen"),
        ):
            if times:
                lines.append(
                    f"- {where}: {pluralize(len(times), 'frame')} {said}, the first at {format_time(times[0])}."
                )
        if outcome.ends_early_s:
            lines.append(
                f"- {where}: the recording ends early; at least {outcome.ends_early_s:.1f} s of it are missing."
            )
    return "\n".join(lines) or "There is no picture in this release."


def _checks(outcomes: Iterable[RenderingCheck]) -> str:
    lines = []
    for outcome in outcomes:
        whose = f"{outcome.witness} had no part in finding the faces" if outcome.witness else "it found the faces too"
        lines.append(
            f"- {recording_code(outcome.number)}, {outcome.method}: {pluralize(outcome.frames, 'frame')} searched by "
            f"{' and '.join(outcome.checked_by.split('+'))} ({whose}); faces left: {len(outcome.faces_left_us)}."
        )
    return "\n".join(lines) or _NO_ENTRIES


def _measures(outcomes: Iterable[RenderingCheck]) -> str:
    lines = []
    for outcome in outcomes:
        where = f"{recording_code(outcome.number)}, {outcome.method}"
        if not outcome.measured:
            lines.append(f"- {where}: not measured. {outcome.why_not}".rstrip())
        lines += [f"- {where}: {name}: {text}" for name, text in outcome.figures.items()]
        lines += [f"- {where}: over the study's limit: {sentence}" for sentence in outcome.over]
    return "\n".join(lines) or _NO_ENTRIES


def _sound(
    plan: ReleasePlan,
    outcomes: Iterable[RenderingCheck],
    sounds: Mapping[int, AudioTreatment],
    facts: ReleaseFacts,
) -> str:
    numbers = sorted({outcome.number for outcome in outcomes} & sounds.keys())
    if not plan.includes_sound or not numbers:
        return "There is no sound in this release."
    if plan.voice_method is None:
        lines = [
            "Voices are as they were recorded. A voice identifies its speaker; everybody who appears agreed to this."
        ]
    else:
        kind = voice_type(plan.voice_method)
        lines = [f"Voices were changed: {kind.title}. {kind.description} {kind.weakness}"]
    lines.append(
        "Personal information that is said was covered, unless a person decided to keep it: "
        f"{COVERS[plan.cover][0].lower()}{COVERS[plan.cover][1:]}. Where nobody measured when a word was said, "
        "its whole utterance was covered. After writing, the sound of each clip was read back: nothing of the source "
        "is left in what was covered"
        + (", every other sample is the source's." if plan.voice_method is None else ", and no voice is as it was.")
    )
    lines.append(_search_sentence(facts))
    return "\n".join(lines) + "\n\n" + "\n".join(_sound_line(number, sounds[number]) for number in numbers)


def _sound_line(number: int, treatment: AudioTreatment) -> str:
    covered = [f"{KINDS[kind].title.lower()} {count}" for kind, count in treatment.kinds.items()]
    said = f"covered: {', '.join(covered)}" if covered else "nothing personal was said"
    if treatment.whole:
        said += f"; {pluralize(treatment.whole, 'place')} of these with the whole utterance"
    if treatment.muted:
        said += f"; {pluralize(len(treatment.muted), 'place')}, {treatment.muted_s:.1f} s together, without any sound, "
        said += "because somebody may be heard there who did not agree"
    return f"- {recording_code(number)}: {said}."


def _texts(plan: ReleasePlan, facts: ReleaseFacts) -> str:
    if plan.texts != SCRUB:
        return "Free texts (rationales, corrections, comments) and transcripts were left out."
    count, places = facts.texts
    return (
        f"{pluralize(count, 'free text')} scrubbed of names, addresses, numbers and dates, "
        f"{pluralize(places, 'place')} changed. {facts.read_by} read all of them. A description of an event may still "
        f"tell those who were there who it is about. {_search_sentence(facts)}"
    )


def _search_sentence(facts: ReleaseFacts) -> str:
    """Return what looked for personal information, as a sentence."""
    models = " and ".join(facts.recognizers)
    return f"Personal information was looked for by rules {f'and {models}' if models else 'alone, without a model'}."


def _waivers(facts: ReleaseFacts) -> str:
    lines = []
    for rule, number, reason, code in facts.waivers:
        where = "all recordings" if number is None else recording_code(number)
        lines.append(f"- “{RULES[rule].title}” ({where}), waived by {code}: {reason}")
    return "\n".join(lines) or _NO_ENTRIES


def collect_facts(session: Session, plan: ReleasePlan, selection: Selection) -> ReleaseFacts:
    """Return what card and manifest say about the study."""
    key = get_release_key(session)
    scrubber = build_scrubber(session) if NAMES.is_installed else None
    codes = assign_annotator_codes(
        all_annotators(session.study), [p.pseudonym for p in all_participants(session.study)]
    )
    names = {annotator.id: codes[annotator.name] for annotator in all_annotators(session.study)}
    texts = list_released_texts(session) if plan.texts == SCRUB else []
    reader = find_confirming_annotator(session, texts)
    candidates = selection.candidates
    inside = {None, *(candidate.number for candidate in candidates)}
    waivers = [
        (
            rule,
            number,
            scrubber.scrub(waiver.reason).text if scrubber else _UNSEARCHED_REASON,
            names[waiver.annotator_id],
        )
        for (rule, number), waived in valid_waivers(session).items()
        if number in inside
        for waiver in waived
    ]
    return ReleaseFacts(
        left_out=selection.left_out,
        without_picture=[candidate.number for candidate in candidates if not candidate.has_picture],
        painted={candidate.number: len(candidate.solid_face_ids) for candidate in candidates},
        waivers=waivers,
        texts=(len(texts), sum(len(text.replacements) for text in texts)),
        read_by=names[reader.id] if reader is not None else "",
        recognizers=[scrubber.scrub(title).text for title in current_recognizers().titles] if scrubber else [],
        sources={
            recording_code(candidate.number): {
                "faces": keyed_checksum(key, mask_state(session.study, candidate.recording.id)),
                "participants": len(candidate.people),
            }
            for candidate in candidates
        },
        manifest={
            "program": f"greenroom {__version__}",
            "plan": {name: value for name, value in dump(plan).items() if name not in ("title", "contact", "holder")},
            "texts": keyed_checksum(key, texts_checksum(texts)) if plan.texts == SCRUB else "",
        },
    )
