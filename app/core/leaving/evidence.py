"""What the study says, at this moment, about what a request holds: gathered anew whenever anything changed."""

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary, ref

from anonymize.sound.kinds import MUTE
from app.core.leaving.renderings import reasons_against_rendering
from app.core.leaving.texts import must_be_searched, reasons_against_texts
from app.core.leaving.willing import against_sending
from app.core.per_state import PerState
from app.core.pii.finder import recognizers_now
from app.core.privacy.exports import places_of
from app.core.release.gate import Candidate
from app.core.release.people import everybody_there
from app.core.release.personal import Personal
from app.core.release.plan import NONE, SCRUB, SOLID, ReleasePlan
from app.core.release.rules import Reason
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.judging import RAW
from project.policy import Departure, Evidence
from project.queries.history import newest_mark
from project.queries.recordings import recording
from project.queries.runs import run_called
from project.types import Run

_LIMIT = 256
_KIND = "anonymize"
_GONE = "it holds words of something that is gone, so nobody knows who was asked"
_UNSEARCHED = "its texts were not searched for personal information since the study was opened"
_SEARCH = "Open Speech > Personal information, which searches them, then ask again."


@dataclass(frozen=True, slots=True)
class Found:
    """What was found out.

    Attributes:
        evidence: for `project.policy.decide`.
        hint: how to mend the first thing that stands in the way of a review; "" where nothing does.
        passing: it will be otherwise soon, though the study stays as it is.
    """

    evidence: Evidence
    hint: str = ""
    passing: bool = False


_THERE = PerState(everybody_there)


class Evidences:
    """Gathers what a study says about what would leave; remembers it while neither the study nor a file changes."""

    def __init__(self, session: Session) -> None:
        self._weak = ref(session)
        self._known: dict[tuple[object, ...], Found] = {}

    @property
    def _session(self) -> Session:
        found = self._weak()
        assert found is not None, "a study that was closed is asked by nobody"
        return found

    def of(self, request: Departure, uncleared: int = 0) -> Found:
        """Return what the study says about a request that holds something of it."""
        if not request.holds_study:
            return Found(Evidence("", "", uncleared))
        about = (request.recording_id, request.condition, bool(request.texts), bool(request.frames or request.clips))
        key = (*about, newest_mark(self._session.study), recognizers_now(), *self._files(request))
        found = self._known.get(key) or self._gathered(*about)
        if not found.passing:
            if len(self._known) >= _LIMIT:
                self._known.clear()
            self._known[key] = found
        unwilling = found.evidence.unwilling or self._unwilling_beside(request)
        return replace(found, evidence=replace(found.evidence, unwilling=unwilling, uncleared=uncleared))

    def _unwilling_beside(self, request: Departure) -> str:
        """Return why words of another recording, in the request as an example, are not sent; "" where they may be."""
        for other in request.others:
            words = replace(request, recording_id=other, condition=RAW, texts=1, frames=(), clips=(), others=())
            if against := self.of(words).evidence.unwilling:
                return against
        return ""

    def _gathered(self, recording_id: str, condition: str, texts: bool, media: bool) -> Found:
        about = recording(self._session.study, recording_id)
        if about is None:
            return Found(Evidence("it belongs to no recording of this study", _GONE))
        try:
            one, run = self._candidate(recording_id), self._rendering(recording_id, condition)
            unwilling = against_sending(one, hidden=run is not None and run.backend == SOLID)
            against: list[Reason] = []
            if condition != RAW:
                if run is None:
                    return Found(Evidence(f"recording {one.number} has no such rendering", unwilling))
                against += reasons_against_rendering(one, condition) if media else []
                if texts and not against and must_be_searched(self._session):
                    return Found(Evidence(_UNSEARCHED, unwilling), _SEARCH, passing=True)
                against += reasons_against_texts(one) if texts else []
        except UserError as error:
            return Found(Evidence(_clause(error.message), _clause(error.message)), error.hint)
        if condition == RAW:
            return Found(Evidence("it is not anonymized", unwilling))
        return Found(Evidence(_first(against), unwilling), against[0].hint if against else "")

    def _candidate(self, recording_id: str) -> Candidate:
        """Return the recording as the rules of a release judge it: its transcript leaves scrubbed, its sound never."""
        plan = ReleasePlan(texts=SCRUB, sound=NONE, cover=MUTE)
        people = _THERE.of(self._session)[recording_id]
        return Candidate(
            self._session, plan, self._session.recording(recording_id), people, (), Personal(self._session)
        )

    def _rendering(self, recording_id: str, condition: str) -> Run | None:
        """Return the run that made a rendering of a recording; None where there is no such one."""
        run = run_called(self._session.study, condition)
        return run if run is not None and (run.recording_id, run.kind) == (recording_id, _KIND) else None

    def _files(self, request: Departure) -> tuple[object, ...]:
        """Return what changes with the recording's file and with the rendering's."""
        medium = self._session.main_medium(request.recording_id)
        place = None if medium is None else self._session.place_of(medium)
        places = [] if place is None else [place]
        run = run_called(self._session.study, request.condition)
        if run is not None:
            places += places_of(self._session, str(run.result.get("output")))
        found: list[object] = []
        for place in places:
            try:
                stat = place.stat()
                found.append((str(place), stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))
            except OSError:
                found.append(str(place))
        return tuple(found)


_EVIDENCES: "WeakKeyDictionary[Session, Evidences]" = WeakKeyDictionary()


def evidences_of(session: Session) -> Evidences:
    """Return what gathers evidence in an open study: one for all who ask, because it remembers what it found."""
    if session not in _EVIDENCES:
        _EVIDENCES[session] = Evidences(session)
    return _EVIDENCES[session]


def _first(reasons: list[Reason]) -> str:
    """Return the first reason as a clause, and how many more there are; "" where there is none."""
    if not reasons:
        return ""
    more = f" (and {counted(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
    return f"{_clause(reasons[0].sentence)}{more}"


def _clause(sentence: str) -> str:
    """Return a sentence as the end of another one."""
    return f"{sentence[:1].lower()}{sentence[1:]}".rstrip(".")
