"""The egress log as people read it: each request with its time, destination, content and permission.

The policy of a study is described here as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import cast

from models.connection.machine_policy import journal_file, read_journal
from project.codec import dump
from project.entities.egress_policy import RULES, Egress, EgressLevel, EgressRequest, Policy, Purpose
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Json
from project.files.atomic_files import explain_os_errors
from project.queries.history_rows import find_run
from project.queries.judgment_rows import asked_judges, judge_names
from project.queries.policy_rows import all_egress
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import find_segment
from project.session.session import Session
from project.store.study import Study
from project.text_format import Cell, format_size, pluralize, write_csv
from project.timebase import format_time
from resources.translation import later

PURPOSES = {
    Purpose.JUDGE: "asking a judge",
    Purpose.TEST: "testing a judge",
    Purpose.DOWNLOAD: "downloading a model",
    Purpose.CLUSTER: "work on a cluster",
}


class EgressOutcome(StrEnum):
    """Outcome of a request."""

    LEFT = "left"
    STAYED = "local"
    REFUSED = "refused"


OUTCOME_TEXTS = {
    EgressOutcome.LEFT: "left this machine",
    EgressOutcome.STAYED: "stayed on this machine",
    EgressOutcome.REFUSED: "refused",
}
_SHORT_OUTCOMES = {EgressOutcome.LEFT: "left", EgressOutcome.STAYED: "stayed here", EgressOutcome.REFUSED: "refused"}


@dataclass(frozen=True, slots=True)
class EgressLogRow:
    """One request in words.

    Attributes:
        outcome: what became of it.
        to: host, port and the address that it was sent to, and how it got there where that was not straight.
        judge: name of who is asked; "" where nobody is.
        recording: number and name; "" where it is about none.
        segment: from when to when; "" where it is about none, its id where it is gone.
        condition: `raw`, or the method of the rendering and its file; "" where nothing of the study is in it.
        why: the permission, or the rule that forbade it.
    """

    egress: Egress
    outcome: EgressOutcome
    to: str
    purpose: str
    judge: str
    recording: str
    segment: str
    condition: str
    content: str
    why: str

    @property
    def about(self) -> str:
        """Recording and segment in one."""
        return ", ".join(part for part in (self.recording, self.segment) if part)

    def cells(self) -> tuple[str, ...]:
        """Return the line as a table for people shows it, by `TABLE_HEAD`."""
        when = f"{self.egress.at[:10]} {self.egress.at[11:19]}"
        return (
            *(when, _SHORT_OUTCOMES[self.outcome], self.to, self.why, self.judge, self.about),
            *(self.condition, self.content, self.purpose),
        )

    def format_details(self) -> str:
        """Return it as lines for people: what is known, one thing a line, under when and what became of it."""
        when = f"{self.egress.at[:10]} {self.egress.at[11:19]} UTC"
        parts = (
            *(("to", self.to), ("for", self.purpose), ("judge", self.judge), ("recording", self.recording)),
            *(("segment", self.segment), ("seen in", self.condition), ("what", self.content)),
            ("rule" if self.outcome is EgressOutcome.REFUSED else "permission", self.why),
        )
        return "\n".join(
            [
                f"{when}  {OUTCOME_TEXTS[self.outcome].upper()}",
                *(f"  {key + ':':<12}{text}" for key, text in parts if text),
            ]
        )

    def as_json(self) -> dict[str, Json]:
        """Return it with all that was written down, for programs."""
        names = cast(dict[str, Json], dump(self))
        egress = names.pop("egress")
        return {**cast(dict[str, Json], egress), **names}


TABLE_HEAD = ("When (UTC)", "Result", "To", "Why", "Judge", "About", "Seen in", "What was in it", "For")


@dataclass(frozen=True, slots=True)
class Total:
    """What requests of one outcome held together.

    Attributes:
        hosts: to how many different ones they were addressed.
        size: bytes of their bodies.
        texts: bytes of text from the study.
    """

    outcome: EgressOutcome
    requests: int
    hosts: int
    size: int
    texts: int
    pictures: int
    videos: int

    @property
    def text(self) -> str:
        """The total as a line."""
        if not self.requests:
            return f"0 requests {OUTCOME_TEXTS[self.outcome]}"
        where = {
            EgressOutcome.LEFT: f" to {pluralize(self.hosts, 'host')}",
            EgressOutcome.STAYED: "",
            EgressOutcome.REFUSED: "",
        }[self.outcome]
        held = _format_content(self.texts, self.pictures, self.videos, self.size)
        return f"{pluralize(self.requests, 'request')} {OUTCOME_TEXTS[self.outcome]}{where}: {held}"


def read_log(session: Session, outcomes: Iterable[EgressOutcome] = tuple(EgressOutcome)) -> list[EgressLogRow]:
    """Return the requests of a study by time, those of some outcomes only where they are named."""
    names = _RequestNames(session.study)
    return _filter_by_outcome((names.build_row(egress) for egress in all_egress(session.study)), outcomes)


def read_machine_log(outcomes: Iterable[EgressOutcome] = tuple(EgressOutcome)) -> list[EgressLogRow]:
    """Return the requests that were made with no study open by time: downloads of models."""
    names = _RequestNames(None)
    with explain_os_errors("The log of requests of this machine cannot be read", f"Check {journal_file()}."):
        return _filter_by_outcome((names.build_row(egress) for egress in read_journal()), outcomes)


def _filter_by_outcome(found: Iterable[EgressLogRow], outcomes: Iterable[EgressOutcome]) -> list[EgressLogRow]:
    wanted = set(outcomes)
    return [egress_log_row for egress_log_row in found if egress_log_row.outcome in wanted]


def compute_totals(found: Sequence[EgressLogRow]) -> list[Total]:
    """Return what the requests of each outcome held together."""
    return [
        _total(outcome, [egress_log_row.egress for egress_log_row in found if egress_log_row.outcome is outcome])
        for outcome in EgressOutcome
    ]


def write_table(found: Sequence[EgressLogRow], file: Path) -> None:
    """Write requests as CSV, one a line, with all that was written down about each."""
    with (
        explain_os_errors(f"{file} cannot be written", "Choose another folder."),
        file.open("w", encoding="utf-8", newline="") as out,
    ):
        write_csv(out, [*_COLUMNS], (_row(egress_log_row) for egress_log_row in found))


_COLUMNS = (
    *(
        "at",
        "outcome",
        "scheme",
        "host",
        "port",
        "addresses",
        "proxy",
        "redirected_from",
        "purpose",
        "judge",
        "recording",
    ),
    *("segment", "condition", "bytes", "text_bytes", "pictures", "videos", "sha256", "picture_sha256"),
    *("video_sha256", "level", "permission", "rule"),
)


def _row(egress_log_row: EgressLogRow) -> list[Cell]:
    sent, about = egress_log_row.egress.request, egress_log_row.egress
    return [
        *(about.at, egress_log_row.outcome.value, sent.scheme, sent.host, sent.port, " ".join(sent.addresses)),
        *(sent.proxy, sent.redirected_from),
        *(
            sent.purpose.value,
            egress_log_row.judge,
            egress_log_row.recording,
            egress_log_row.segment,
            egress_log_row.condition,
            sent.size,
            sent.texts,
        ),
        *(len(sent.frames), len(sent.clips), sent.sha256, " ".join(sent.frames), " ".join(sent.clips)),
        *(about.level.value, about.permission, about.rule),
    ]


class _RequestNames:
    """Says by name what a request names by id; what is gone by now keeps its id."""

    def __init__(self, study: Study | None) -> None:
        self._study = study
        self._judges: dict[str, str] = {}
        self._recordings: dict[str, str] = {}
        if study is not None:
            self._judges = asked_judges(study) | judge_names(study)
            self._recordings = {
                recording.id: f"{recording.number} ({recording.name})" for recording in all_recordings(study)
            }
        self._segments: dict[str, str] = {}
        self._conditions: dict[str, str] = {"": "", RAW_CONDITION: "raw footage"}

    def build_row(self, egress: Egress) -> EgressLogRow:
        sent = egress.request
        outcome = EgressOutcome.REFUSED if egress.rule else EgressOutcome.STAYED if sent.local else EgressOutcome.LEFT
        looked_up = not sent.addresses and not sent.proxy
        return EgressLogRow(
            egress,
            outcome,
            _format_destination(egress),
            f"looking up the address, {PURPOSES[sent.purpose]}" if looked_up else PURPOSES[sent.purpose],
            self._judges.get(sent.judge_id, sent.judge_id),
            self._about(sent),
            self._segment(sent.segment_id),
            self._condition(sent.condition),
            _format_content(sent.texts, len(sent.frames), len(sent.clips), sent.size),
            f"{egress.rule}: {RULES.get(egress.rule, '')}" if egress.rule else egress.permission,
        )

    def _about(self, sent: EgressRequest) -> str:
        place, *others = (
            self._recordings.get(recording_id, recording_id) for recording_id in (sent.recording_id, *sent.others)
        )
        what = "words and pictures" if sent.pictured else "words"
        return f"{place}, with {what} of {' and '.join(others)}" if others else place

    def _segment(self, segment_id: str) -> str:
        if segment_id not in self._segments:
            found = find_segment(self._study, segment_id) if segment_id and self._study is not None else None
            span = f"{format_time(found.start_us)} to {format_time(found.end_us)}" if found is not None else segment_id
            self._segments[segment_id] = span
        return self._segments[segment_id]

    def _condition(self, condition: str) -> str:
        if condition not in self._conditions:
            run = None if self._study is None else find_run(self._study, condition)
            clip = "" if run is None else f"{run.backend}, {run.result.get('output', '')}"
            self._conditions[condition] = clip or condition
        return self._conditions[condition]


def _format_destination(egress: Egress) -> str:
    sent = egress.request
    host = f"[{sent.host}]" if ":" in sent.host else sent.host
    address = sent.addresses[0] if sent.addresses and sent.addresses[0] != sent.host else ""
    parts = [f"{host}:{sent.port}" + (f" ({address})" if address else "")]
    parts += [f"through {sent.proxy}"] if sent.proxy else []
    parts += [f"sent on by {sent.redirected_from}"] if sent.redirected_from else []
    return ", ".join(parts)


def _format_content(texts: int, pictures: int, videos: int, size: int) -> str:
    parts = [pluralize(pictures, "picture")] if pictures else []
    parts += [pluralize(videos, "video")] if videos else []
    parts += [f"{format_size(texts)} of text"] if texts else []
    what = ", ".join(parts) or "nothing of the study"
    return f"{what}; {format_size(size)} in all" if size else what


def _total(outcome: EgressOutcome, found: Sequence[Egress]) -> Total:
    sent = [egress.request for egress in found]
    return Total(
        outcome,
        len(sent),
        len({egress_request.host for egress_request in sent}),
        sum(egress_request.size for egress_request in sent),
        sum(egress_request.texts for egress_request in sent),
        sum(len(egress_request.frames) for egress_request in sent),
        sum(len(egress_request.clips) for egress_request in sent),
    )


LEVEL_NAMES = {
    EgressLevel.NOTHING: later("Nothing leaves this machine"),
    EgressLevel.ANONYMIZED: later("Reviewed renderings and scrubbed texts may leave"),
    EgressLevel.RAW: later("Raw footage may leave"),
}
"""Level -> name."""

LEVEL_MEANINGS = {
    EgressLevel.NOTHING: later(
        "Judges run here, or at servers on this machine. Other machines are not even looked up."
    ),
    EgressLevel.ANONYMIZED: later(
        "What passes the rules of a release as it is now, of people who agreed to be sent to models."
    ),
    EgressLevel.RAW: later(
        "Pictures and words as they are, faces and names in them, of people who agreed to be sent to models."
    ),
}
"""Level -> meaning, in a line."""


UNENCRYPTED = later(
    "Over http:// and tcp:// addresses of other machines, words and keys travel unencrypted: everybody on the way can "
    "read them."
)
"""Meaning of allowing unencrypted connections, in a line."""


def describe_policy(policy: Policy) -> list[str]:
    """Return the policy as lines."""
    found = [f"{LEVEL_NAMES[policy.level]}. {LEVEL_MEANINGS[policy.level]}"]
    if policy.reason:
        found.append(f"Reason: {policy.reason}")
    if policy.allowed_by:
        found.append(f"Allowed by: {policy.allowed_by}")
    if policy.level is not EgressLevel.NOTHING:
        found.append(f"To: {', '.join(policy.hosts) or 'whichever machine a judge names'}")
    found.append(f"Downloads of models: {_allowed_text(policy.downloads)}")
    found.append(f"Redirects: {_allowed_text(policy.redirects)}")
    found.append(f"Proxies: {_allowed_text(policy.proxies)}")
    found.append(f"Unencrypted connections: {_allowed_text(policy.unencrypted)}")
    if policy.unencrypted:
        found.append(UNENCRYPTED)
    return found


def policy_warning(policy: Policy) -> str:
    """Return a line for who opens a study, where its policy lets something of it leave; "" where it does not."""
    if policy.level is EgressLevel.NOTHING:
        return ""
    what = "raw footage" if policy.level is EgressLevel.RAW else "reviewed renderings"
    by = f", allowed by {policy.allowed_by}" if policy.allowed_by else ""
    return f"This study lets {what} leave this machine{by}."


def _allowed_text(yes: bool) -> str:
    return "allowed" if yes else "not allowed"
