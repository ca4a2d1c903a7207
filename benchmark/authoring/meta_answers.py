"""What judges said about a whole recording, and taking it into the study: never over what a person wrote, unasked.

Asking judges for the parts of the meta information that they can suggest.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.meta import meta_edits as commands
from annotate.meta.recording_cast import cast_of
from benchmark.disclosure.cast_names import called_in, who_is, with_pseudonyms
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.run_config import AskRequest
from project.entities.judgments import RAW, JudgeEntry, Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.questions import LookKind, PersonDescription, SummarySource
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.judgment_rows import judgments_about, judgments_called
from project.queries.question_rows import contradictions_in, looks_in, summaries_of
from project.session.session import Session
from project.text_format import shown

WORDS, FRAMES, AUDIT, LOOKS = "words_summary", "frames_summary", "audit", "looks"
TASKS = (LOOKS, WORDS, FRAMES, AUDIT)
"""Tasks whose answers are part of the meta information, in the order in which they build on each other."""
SOURCES: Mapping[str, SummarySource] = {WORDS: SummarySource.WORDS, FRAMES: SummarySource.FRAMES}
_NOTHING = re.compile(r"(?i)(none|no contradictions?|nothing|n/?a|-)\W*")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class MetaImportResult:
    """What came of taking an answer in.

    Attributes:
        new: how many looks, summaries or contradictions were written.
        kept: how many stay as a person has them and the answer says otherwise.
        unread: lines of the answer that say nothing about anybody who is there.
        changes: rows touched.
    """

    new: int
    kept: int
    unread: tuple[str, ...]
    changes: Changes


def answers_about(session: Session, recording_id: str) -> list[Judgment]:
    """Return what judges answered about a recording in `TASKS`, newest first."""
    found = judgments_about(session.study, recording_id, TASKS)
    return [one for one in found if one.status is JudgmentStatus.OK]


def take(session: Session, judgment_id: str, *, replace_own: bool = False) -> MetaImportResult:
    """Take what a judge answered into the study, as one step.

    What a person wrote or changed stays as it is, unless `replace_own`. Contradictions of earlier audits that nobody
    touched make room for those of a new one.

    Raises:
        UserError: there is no such answer about a recording.
    """
    found = judgments_called(session.study, [judgment_id])
    if not found or found[0].task not in TASKS or found[0].status is not JudgmentStatus.OK:
        raise UserError("This is no answer about a recording.", "Ask a judge, then choose its answer.")
    said = found[0]
    if said.task in SOURCES:
        return _take_summary(session, said, SOURCES[said.task], replace_own)
    return _take_audit(session, said) if said.task == AUDIT else _take_looks(session, said, replace_own)


def is_own(session: Session, recording_id: str, source: SummarySource) -> bool:
    """Tell whether a person wrote or changed a summary that is there."""
    known = summaries_of(session.study, recording_id).get(source)
    if known is None or not known.judgment_id:
        return known is not None
    said = judgments_called(session.study, [known.judgment_id])
    return not said or known.text != said_summary(session, said[0])


def said_summary(session: Session, said: Judgment) -> str:
    """Return the summary that a judge wrote, as it is taken in: under pseudonyms."""
    return commands.plain_summary(_told(session, said, "summary")[: commands.LONGEST_SUMMARY])


def said_contradictions(session: Session, said: Judgment) -> list[str]:
    """Return the contradictions that a judge found, as they are taken in: under pseudonyms."""
    lines = [one[: commands.LONGEST_CONTRADICTION] for one in _lines(_told(session, said, "contradictions"))]
    return [] if len(lines) == 1 and _NOTHING.fullmatch(lines[0]) else lines


def lines_of_looks(session: Session, said: Judgment) -> tuple[list[PersonDescription], list[str]]:
    """Read the lines of an answer, `who | kind | what`; returns the looks, and the lines that say nothing of that kind.

    People are known by pseudonym, or by what they were called in the request.
    """
    find = _who(session, said)
    looks: dict[tuple[str, LookKind], PersonDescription] = {}
    unread = []
    for line in _lines(said.answer.get("looks")):
        who, kind, what = (*(part.strip() for part in line.strip("| ").split("|", 2)), "", "")[:3]
        participant = find(who)
        if not participant or kind.casefold() not in {one.value for one in LookKind} or not what:
            unread.append(line)
            continue
        key = participant, LookKind(kind.casefold())
        before = f"{looks[key].text}, " if key in looks else ""
        text = f"{before}{' '.join(what.split())}"[: commands.LONGEST_LOOK]
        looks[key] = PersonDescription(said.recording_id, *key, text)
    return [*looks.values()], unread


def _take_summary(session: Session, said: Judgment, source: SummarySource, replace_own: bool) -> MetaImportResult:
    if is_own(session, said.recording_id, source) and not replace_own:
        return MetaImportResult(0, 1, (), Changes())
    text = said_summary(session, said)
    if not text:
        return MetaImportResult(0, 0, (), Changes())
    changes = commands.summarize(session, said.recording_id, source, text, said.id)
    return MetaImportResult(int(bool(changes)), 0, (), changes)


def _take_audit(session: Session, said: Judgment) -> MetaImportResult:
    texts = said_contradictions(session, said)
    known = contradictions_in(session.study, said.recording_id)
    open_ones = [one.id for one in known if one.judgment_id and not one.settled and not one.resolution]
    made, changes = commands.renew_contradictions(session, said.recording_id, texts, said.id, open_ones)
    return MetaImportResult(len(made), len(known) - len(open_ones), (), changes)


def _take_looks(session: Session, said: Judgment, replace_own: bool) -> MetaImportResult:
    looks, unread = lines_of_looks(session, said)
    known = {(one.participant_id, one.kind): one.text for one in looks_in(session.study, said.recording_id)}
    fresh = [one for one in looks if known.get((one.participant_id, one.kind)) != one.text]
    wanted = [one for one in fresh if replace_own or (one.participant_id, one.kind) not in known]
    changes = commands.describe_all(session, wanted) if wanted else Changes()
    return MetaImportResult(len(wanted), len(fresh) - len(wanted), tuple(unread), changes)


def _told(session: Session, said: Judgment, key: str) -> str:
    return with_pseudonyms(str(said.answer.get(key) or ""), called_in(session, said.recording_id, said.condition))


def _who(session: Session, said: Judgment) -> Callable[[str], str]:
    """Return what tells the participant's id from a name in an answer; "" for nobody who is there."""
    called = called_in(session, said.recording_id, said.condition)
    others = {one.pseudonym.casefold(): one.id for one in cast_of(session, said.recording_id)}
    return lambda name: who_is(name, called) or others.get(name.casefold(), "")


def _lines(text: object) -> Sequence[str]:
    lines = (_BULLET.sub("", line).strip() for line in str(text or "").splitlines())
    return [line for line in lines if line]


def suggestion(
    recording_id: str, task: str, judges: Sequence[JudgeEntry], condition: str = RAW, *, fresh: bool = False
) -> AskRequest:
    """Return what is asked for one part of the meta information, with the cues that people marked.

    Args:
        recording_id: of the recording.
        task: one of `TASKS`.
        judges: who is asked.
        condition: what of the recording they see: as it was recorded, or a rendering.
        fresh: ask again what was answered.

    Raises:
        UserError: there is no such part.
    """
    if task not in TASKS:
        raise UserError(f"Nothing called “{shown(task)}” is suggested.", f"Choose one of {', '.join(TASKS)}.")
    about = [JudgmentTarget(JudgmentTargetKind.RECORDING, recording_id).key]
    return AskRequest(judges, about, task, "plain", condition, sight=InputSettings(cues=True), again=True, fresh=fresh)
