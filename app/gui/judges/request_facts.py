"""Describes a request to a judge before or after it is sent.

Covers its content, its destination, and the policy's permission.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from PySide6.QtGui import QImage

from anonymize.egress.egress_authority import judge_refusal, policy_in_force
from app.gui.pages.context import Context
from benchmark.judge_input.conversation_lines import SHORTENING_RULES
from benchmark.judge_input.input_plan import InputPlan
from benchmark.judging.judge_registry import FILE_BACKEND, has_trusted_files, server_address
from models.connection.addresses import is_local_host
from models.judges.judge_backends import create_judge, load_backend
from models.judges.judge_interface import JudgeResources, Message, SamplingParameters
from project.entities.egress_policy import Egress
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry, Judgment
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.policy_rows import all_egress
from project.session.session import Session
from project.timebase import format_seconds
from resources.translation import tr


@dataclass(frozen=True, slots=True)
class SentPicture:
    """One frame, or a clip.

    Attributes:
        time_label: the time that the judge is told.
        description: pixels, or length.
        size: bytes that are sent.
        picture: None where it is not there to be shown.
        note: why it is not, or what it is.
    """

    time_label: str
    description: str
    size: int
    sha256: str
    picture: QImage | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message: what comes with it, and its words."""

    role: str
    text: str
    pictures: tuple[SentPicture, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its words."""
        return len(self.text.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class JudgeRequestPreview:
    """Everything that goes to one judge about one segment.

    Attributes:
        judge: its name, and what it sees.
        destination: `this machine`, or which host.
        is_local: whether it stays on this machine.
        permission: under which it may leave, or was let through; "" where it is forbidden.
        forbidden: which rule forbids it, in words; "" where none does.
        notes: what was shortened and by which rule, and other remarks.
        form: the schema that the answer has to fit, as text.
        settings: how the model is asked, in a line.
    """

    judge: str
    destination: str
    is_local: bool
    permission: str
    forbidden: str
    messages: tuple[SentMessage, ...]
    notes: tuple[str, ...] = ()
    form: str = ""
    settings: str = ""

    @property
    def text_bytes(self) -> int:
        """Bytes of all words."""
        return sum(message.size for message in self.messages)

    @property
    def pictures(self) -> tuple[SentPicture, ...]:
        """All frames and clips."""
        return tuple(picture for message in self.messages for picture in message.pictures)

    @property
    def total_bytes(self) -> int:
        """Bytes of words, pictures and the form of the answer."""
        return self.text_bytes + sum(picture.size for picture in self.pictures) + len(self.form.encode())


_PORTS = {"http": 80, "https": 443}
_LOCAL_DESTINATION = tr("this machine")
_SENT_CONTENT = {True: ("pictures", tr("words as they are")), False: (tr("the rendering"), tr("scrubbed words"))}
"""Of raw footage, and of a rendering."""


@dataclass(frozen=True, slots=True)
class RequestDestination:
    """Where a request goes. `local` where it stays on this machine."""

    host_label: str
    is_local: bool


def request_destination(entry: JudgeEntry) -> RequestDestination:
    """Return where requests to a judge go, as far as this machine knows without asking another one."""
    if entry.backend == PERSON_BACKEND or not load_backend(entry.backend).leaves:
        return RequestDestination(_LOCAL_DESTINATION, True)
    parts = urlsplit(server_address(entry))
    host = parts.hostname or ""
    port = parts.port or _PORTS.get(parts.scheme, 0)
    return RequestDestination(f"{host}:{parts.port}" if parts.port else host, is_local_host(host, port))


def find_coercion_judge(entry: JudgeEntry, judges: Sequence[JudgeEntry]) -> JudgeEntry | None:
    """Return the judge that brings a judge's answers into form; None where there is none."""
    name = entry.settings.get("coerce", "")
    return next((judge for judge in judges if name and judge.name == name), None)


def describe_egress(entry: JudgeEntry, condition: str, second: JudgeEntry | None) -> list[str]:
    """Say what asking a judge sends to which other machine, a line each; `second` brings its answers into form."""
    pictures, words = _SENT_CONTENT[condition == RAW_CONDITION]
    what = (
        words
        if entry.settings.get("sees") == "text"
        else tr("{pictures} and {words}").format(pictures=pictures, words=words)
    )
    found = [(entry, what)] + (
        [(second, tr("what {name} answers").format(name=entry.name))] if second is not None else []
    )
    ways = [(judge_entry, told, request_destination(judge_entry)) for judge_entry, told in found]
    return [
        tr("{judge}: {content} would go to {place}.").format(
            judge=judge_entry.name, content=told, place=_remote_label(judge_entry, way)
        )
        for judge_entry, told, way in ways
        if not way.is_local
    ]


def _remote_label(entry: JudgeEntry, way: RequestDestination) -> str:
    return f"{way.host_label}{tr(', without encryption') if server_address(entry).startswith('http:') else ''}"


def preview_request(
    session: Session,
    entry: JudgeEntry,
    name: str,
    plan: InputPlan,
    messages: Sequence[Message],
    sampling: SamplingParameters,
    schema: str,
) -> JudgeRequestPreview:
    """Return what would be sent to a judge now."""
    way, forbidden = request_destination(entry), judge_refusal(session, entry, plan.recording_id, plan.condition)
    permission = "local" if way.is_local else _permission_text(session)
    notes = [
        *_shortening_notes([[shortened.rule, shortened.count, shortened.characters] for shortened in plan.shortened]),
        *plan.notes,
    ]
    return JudgeRequestPreview(
        name,
        way.host_label,
        way.is_local,
        "" if forbidden else permission,
        str(forbidden) if forbidden else "",
        tuple(_sent_message(message) for message in messages),
        tuple(notes),
        schema,
        tr("Temperature {temperature:g}, seed {seed}, at most {max_tokens:,} tokens back.").format(
            temperature=sampling.temperature, seed=sampling.seed, max_tokens=sampling.max_tokens
        ),
    )


def preview_sent_request(
    session: Session, judgment: Judgment, name: str, rebuilt: Mapping[str, bytes]
) -> JudgeRequestPreview:
    """Return what was sent for a judgment; `rebuilt` holds frames by sha256, as far as they can be made again."""
    known = JudgeEntry(
        judgment.judge_id,
        str(judgment.judge.get("name")),
        str(judgment.judge.get("backend")),
        str(judgment.judge.get("model")),
        _as_mapping(judgment.judge.get("settings")),
    )
    way, line = request_destination(known), _journal_entry(session, judgment)
    sight = judgment.sight
    pictures = [_sent_picture(frame, sight, rebuilt) for frame in _as_mapping_list(sight.get("frames"))]
    clip = _as_mapping(sight.get("clip"))
    if clip:
        size = clip.get("bytes")
        pictures.append(
            SentPicture(
                tr("The segment"), tr("a clip"), size if isinstance(size, int) else 0, str(clip.get("sha256", ""))
            )
        )
    notes = [*_shortening_notes(sight.get("shortened")), *_as_text_list(sight.get("notes"))]
    if judgment.cached_from is not None:
        notes.append(tr("Nothing was sent: the same request had been answered before."))
    permission = line.permission if line is not None else "local" if way.is_local else ""
    return JudgeRequestPreview(
        name,
        line.request.host if line is not None else way.host_label,
        line.request.local if line is not None else way.is_local,
        tr("{permission}; written down at {at}").format(permission=permission, at=line.at)
        if line is not None and line.permission
        else permission,
        tr("Forbidden by the rule {rule}").format(rule=line.rule) if line is not None and line.rule else "",
        (
            SentMessage("system", str(sight.get("system", ""))),
            SentMessage("user", str(sight.get("text", "")), tuple(pictures)),
        ),
        tuple(notes),
        settings=tr("Prompt {prompt}, sha256 of all words {checksum}…, seed {seed}.").format(
            prompt=judgment.prompt, checksum=judgment.prompt_sha256[:16], seed=judgment.seed
        ),
    )


def _sent_message(message: Message) -> SentMessage:
    pictures = [
        SentPicture(
            picture.time_label,
            f"{picture.width} x {picture.height}",
            len(picture.jpeg),
            picture.sha256,
            QImage.fromData(picture.jpeg),
        )
        for picture in message.pictures
    ]
    if message.clip is not None:
        length = format_seconds(message.clip.end_us - message.clip.start_us)
        pictures.append(
            SentPicture(
                tr("The segment"),
                tr("a clip of {length}").format(length=length),
                len(message.clip.mp4),
                message.clip.sha256,
                note=tr("Clip, {length}").format(length=length),
            )
        )
    return SentMessage(message.role.value, message.text, tuple(pictures))


def _sent_picture(frame: Mapping[str, Json], sight: Mapping[str, Json], rebuilt: Mapping[str, bytes]) -> SentPicture:
    checksum, size = str(frame.get("sha256", "")), frame.get("bytes")
    data = rebuilt.get(checksum)
    return SentPicture(
        str(frame.get("shown", "")),
        f"{sight.get('width', '?')} x {sight.get('height', '?')}",
        size if isinstance(size, int) else 0,
        checksum,
        QImage.fromData(data) if data is not None else None,
        "" if data is not None else tr("Its file or settings are others now"),
    )


def _permission_text(session: Session) -> str:
    policy = policy_in_force(session)
    return (
        tr("{level}, allowed by {allowed_by}").format(level=policy.level.value, allowed_by=policy.allowed_by)
        if policy.allowed_by
        else policy.level.value
    )


def _journal_entry(session: Session, judgment: Judgment) -> Egress | None:
    """Return the line of the journal of a judgment's last request; None where none was made."""
    if judgment.cached_from is not None:
        return None
    found = [
        line
        for line in all_egress(session.study)
        if (line.request.judge_id, line.request.segment_id, line.request.condition)
        == (judgment.judge_id, judgment.segment_id, judgment.condition)
        and line.at <= judgment.at
    ]
    return found[-1] if found else None


def _shortening_notes(found: Json) -> list[str]:
    said = []
    for value in found if isinstance(found, list) else []:
        if isinstance(value, list) and len(value) == 3:
            rule, count, characters = value
            said.append(
                tr("Shortened: {rules} ({count} turns, {characters:,} characters).").format(
                    rules=SHORTENING_RULES.get(str(rule), str(rule)), count=count, characters=characters
                )
            )
    return said


def _as_mapping(found: Json) -> Mapping[str, Json]:
    return found if isinstance(found, dict) else {}


def _as_mapping_list(found: Json) -> list[Mapping[str, Json]]:
    return [value for value in found if isinstance(value, dict)] if isinstance(found, list) else []


def _as_text_list(found: Json) -> list[str]:
    return [str(value) for value in found] if isinstance(found, list) else []


def when_checksums_known(context: Context, judges: Sequence[JudgeEntry], then: Callable[[], None]) -> None:
    """Call `then` when the checksums of all models that are files are known; at once where there are none.

    That of a large file takes its time, once: it is worked out beside the window, and is there afterwards.
    """
    session = context.studio.session
    slow = [
        judge
        for judge in judges
        if judge.backend == FILE_BACKEND and session is not None and has_trusted_files(session, judge)
    ]
    if slow:
        context.background.run(lambda _progress: _hash_files(slow), lambda _none: then())
    else:
        then()


def check_egress(
    session: Session, judge: JudgeEntry, judges: Sequence[JudgeEntry], recording_id: str, condition: str
) -> tuple[UserError | None, list[str]]:
    """Return why a judge may not be asked about a recording, or what asking it sends to which other machine.

    Args:
        session: of the study.
        judge: that would be asked.
        judges: of the study; one of them may bring the answers of another into form.
        recording_id: that is asked about.
        condition: under which it would be shown.
    """
    try:
        ways = describe_egress(judge, condition, find_coercion_judge(judge, judges))
        forbidden = judge_refusal(session, judge, recording_id, condition)
    except UserError as error:
        return error, []
    return (None, ways) if forbidden is None else (forbidden, [])


def _hash_files(judges: Sequence[JudgeEntry]) -> None:
    for judge in judges:
        # What is wrong with a file is said where it is asked.
        with suppress(UserError, OSError):
            _ = create_judge(judge, JudgeResources()).fingerprint
