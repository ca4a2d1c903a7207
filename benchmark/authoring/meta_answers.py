"""Asks judges for the meta information of a recording, and imports their answers.

What a person wrote is only overwritten on request.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.meta import meta_edits
from annotate.meta.recording_cast import list_cast
from benchmark.disclosure.cast_names import find_participant, participants_by_name, restore_pseudonyms
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.ask_run import AskRequest
from project.entities.judgments import (
    RAW_CONDITION,
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTarget,
    JudgmentTargetKind,
)
from project.entities.questions import LookKind, PersonDescription, SummarySource
from project.entities.study_records import Changes
from project.errors import UserError, unknown_choice
from project.queries.judgment_rows import find_judgments, judgments_about
from project.queries.question_rows import contradictions_in, person_descriptions, summaries_of
from project.session.session import Session

WORDS, FRAMES, AUDIT, LOOKS = "words_summary", "frames_summary", "audit", "looks"
META_TASKS = (LOOKS, WORDS, FRAMES, AUDIT)
"""Tasks whose answers are part of the meta information, in the order in which they build on each other."""
SUMMARY_SOURCES: Mapping[str, SummarySource] = {WORDS: SummarySource.WORDS, FRAMES: SummarySource.FRAMES}
_EMPTY_ANSWER = re.compile(r"(?i)(none|no contradictions?|nothing|n/?a|-)\W*")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class MetaImportResult:
    """What importing an answer changed.

    Attributes:
        new: how many descriptions, summaries or contradictions were written.
        kept: how many stay as a person has them although the answer says otherwise.
        unparsed_lines: lines of the answer that describe nobody in the recording.
    """

    new: int
    kept: int
    unparsed_lines: tuple[str, ...]
    changes: Changes


def read_answers(session: Session, recording_id: str) -> list[Judgment]:
    """Return the answers of judges about a recording to `META_TASKS`, newest first."""
    found = judgments_about(session.study, recording_id, META_TASKS)
    return [judgment for judgment in found if judgment.status is JudgmentStatus.OK]


def import_answer(session: Session, judgment_id: str, *, replace_own: bool = False) -> MetaImportResult:
    """Import the answer of a judge into the study, as one step.

    What a person wrote or changed stays as it is, unless `replace_own`. Contradictions of earlier audits that nobody
    touched are replaced by those of a new one.
    """
    found = find_judgments(session.study, [judgment_id])
    if not found or found[0].task not in META_TASKS or found[0].status is not JudgmentStatus.OK:
        raise UserError("This is not an answer about a recording.", "Ask a judge, then choose its answer.")
    said = found[0]
    if said.task in SUMMARY_SOURCES:
        return _import_summary(session, said, SUMMARY_SOURCES[said.task], replace_own)
    return _import_audit(session, said) if said.task == AUDIT else _import_looks(session, said, replace_own)


def is_human_summary(session: Session, recording_id: str, source: SummarySource) -> bool:
    """Tell whether a summary exists and a person wrote or changed it."""
    known = summaries_of(session.study, recording_id).get(source)
    if known is None or not known.judgment_id:
        return known is not None
    said = find_judgments(session.study, [known.judgment_id])
    return not said or known.text != answer_summary(session, said[0])


def answer_summary(session: Session, said: Judgment) -> str:
    """Return the summary that a judge wrote, with pseudonyms."""
    return meta_edits.clean_summary(_pseudonymized_field(session, said, "summary")[: meta_edits.MAX_SUMMARY_CHARS])


def answer_contradictions(session: Session, said: Judgment) -> list[str]:
    """Return the contradictions that a judge found, with pseudonyms."""
    lines = [
        line[: meta_edits.MAX_CONTRADICTION_CHARS]
        for line in _split_lines(_pseudonymized_field(session, said, "contradictions"))
    ]
    return [] if len(lines) == 1 and _EMPTY_ANSWER.fullmatch(lines[0]) else lines


def parse_looks(session: Session, said: Judgment) -> tuple[list[PersonDescription], list[str]]:
    """Read the lines of an answer, `who | kind | what`; returns the descriptions, and the lines of another form.

    People are known by pseudonym, or by what they were called in the request.
    """
    find = _participant_finder(session, said)
    descriptions: dict[tuple[str, LookKind], PersonDescription] = {}
    unparsed = []
    for line in _split_lines(said.answer.get("looks")):
        who, kind, what = (*(part.strip() for part in line.strip("| ").split("|", 2)), "", "")[:3]
        participant = find(who)
        if not participant or kind.casefold() not in {look_kind.value for look_kind in LookKind} or not what:
            unparsed.append(line)
            continue
        key = participant, LookKind(kind.casefold())
        before = f"{descriptions[key].text}, " if key in descriptions else ""
        text = f"{before}{' '.join(what.split())}"[: meta_edits.MAX_DESCRIPTION_CHARS]
        descriptions[key] = PersonDescription(said.recording_id, *key, text)
    return [*descriptions.values()], unparsed


def _import_summary(session: Session, said: Judgment, source: SummarySource, replace_own: bool) -> MetaImportResult:
    if is_human_summary(session, said.recording_id, source) and not replace_own:
        return MetaImportResult(0, 1, (), Changes())
    text = answer_summary(session, said)
    if not text:
        return MetaImportResult(0, 0, (), Changes())
    changes = meta_edits.write_summary(session, said.recording_id, source, text, said.id)
    return MetaImportResult(int(bool(changes)), 0, (), changes)


def _import_audit(session: Session, said: Judgment) -> MetaImportResult:
    texts = answer_contradictions(session, said)
    known = contradictions_in(session.study, said.recording_id)
    untouched_ids = [
        contradiction.id
        for contradiction in known
        if contradiction.judgment_id and not contradiction.settled and not contradiction.resolution
    ]
    new_ids, changes = meta_edits.replace_contradictions(session, said.recording_id, texts, said.id, untouched_ids)
    return MetaImportResult(len(new_ids), len(known) - len(untouched_ids), (), changes)


def _import_looks(session: Session, said: Judgment, replace_own: bool) -> MetaImportResult:
    descriptions, unparsed = parse_looks(session, said)
    known = {
        (person_description.participant_id, person_description.kind): person_description.text
        for person_description in person_descriptions(session.study, said.recording_id)
    }
    changed = [look for look in descriptions if known.get((look.participant_id, look.kind)) != look.text]
    to_write = [
        description
        for description in changed
        if replace_own or (description.participant_id, description.kind) not in known
    ]
    changes = meta_edits.set_person_descriptions(session, to_write) if to_write else Changes()
    return MetaImportResult(len(to_write), len(changed) - len(to_write), tuple(unparsed), changes)


def _pseudonymized_field(session: Session, said: Judgment, key: str) -> str:
    return restore_pseudonyms(
        str(said.answer.get(key) or ""), participants_by_name(session, said.recording_id, said.condition)
    )


def _participant_finder(session: Session, said: Judgment) -> Callable[[str], str]:
    """Return a function from a name in an answer to a participant's id; "" for a name of nobody in the recording."""
    called = participants_by_name(session, said.recording_id, said.condition)
    others = {participant.pseudonym.casefold(): participant.id for participant in list_cast(session, said.recording_id)}
    return lambda name: find_participant(name, called) or others.get(name.casefold(), "")


def _split_lines(text: object) -> Sequence[str]:
    lines = (_BULLET.sub("", line).strip() for line in str(text or "").splitlines())
    return [line for line in lines if line]


def suggestion_request(
    recording_id: str, task: str, judges: Sequence[JudgeEntry], condition: str = RAW_CONDITION
) -> AskRequest:
    """Return a request for one part of the meta information, with the cues that people marked."""
    if task not in META_TASKS:
        raise unknown_choice("task", task, META_TASKS)
    about = [JudgmentTarget(JudgmentTargetKind.RECORDING, recording_id).key]
    return AskRequest(judges, about, task, "plain", condition, sight=InputSettings(cues=True), again=True)
