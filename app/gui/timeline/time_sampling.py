"""Time sampling: goes from sample to sample, where a label's key answers and goes on.

A lane over the others shows which samples are taken and which are missing.
"""

from PySide6.QtCore import QObject, Signal

from annotate.segments.time_samples import SampleQuestion, SampleSheet, answer_sample, read_sample_sheet
from app.gui.player.player import Player
from app.gui.study.study_controller import ActiveTrack, StudyController
from app.gui.timeline.live_coding import CodingLine, PlaybackCodingMode
from app.gui.timeline.timeline_presenter import TimelineFeed
from project.entities.study_records import Changes
from project.errors import UserError
from project.schemes.scheme import Pattern, SamplingKind
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.labels import LabelLook, Sign
from widgets.timeline.lanes import Lane, LaneKind
from widgets.timeline.timeline_view import TimelineView

SAMPLES = "samples"
"""Key of the lane."""
_TAKEN, _PARTLY, _MISSING = range(3)
_LOOKS = (
    LabelLook("taken", tr("Taken"), "competence", Pattern.SOLID, Sign.TICK),
    LabelLook("partly", tr("Taken of some"), "uncertain", Pattern.DOTS, Sign.RING),
    LabelLook("missing", tr("Missing"), "muted", Pattern.HATCH, Sign.CROSS),
)
_GAP_SHARE = 0.08
"""Part of a sample's time that is left free in the lane, so that one can be told from the next."""
_MEANINGS = {
    SamplingKind.INSTANTANEOUS: tr("what holds at this moment"),
    SamplingKind.PARTIAL: tr("what happened at any time in this interval"),
    SamplingKind.WHOLE: tr("what lasted through this interval"),
}
_MAX_STEP_US = 1_000_000
"""More than this at once is a jump, which passes over samples."""
_NO_SAMPLING_HINT = tr("A track is sampled where its scheme says, for example: sampling = {example}.").format(
    example='{ every = 10, kind = "instantaneous" }'
)


class TimeSamplingMode(QObject):
    """Asks for one sample after the other of the track that new segments go to.

    Signals:
        toggled (bool): the mode was switched on or off.
    """

    toggled = Signal(bool)

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        active: ActiveTrack,
        coding: PlaybackCodingMode,
        feed: TimelineFeed,
        timeline: TimelineView,
        line: CodingLine,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._active = active
        self._coding = coding
        self._feed = feed
        self._timeline = timeline
        self._line = line
        self._sheet: SampleSheet | None = None
        self._question: SampleQuestion | None = None
        self._reached_us = 0
        line.end_requested.connect(self.stop)
        coding.toggled.connect(lambda on: self.stop() if on else None)
        active.changed.connect(self._follow_track)
        studio.recording_changed.connect(self._follow_track)
        studio.bridge.changed.connect(self._apply)
        player.position_changed.connect(self._stop_at_samples)

    @property
    def is_enabled(self) -> bool:
        """Whether label keys answer samples."""
        return self._sheet is not None

    @property
    def sheet(self) -> SampleSheet | None:
        """The samples that are asked for; None while the mode is off."""
        return self._sheet

    @property
    def question(self) -> SampleQuestion | None:
        """What is asked for now; None while the mode is off, or where there are no samples."""
        return self._question

    def toggle(self) -> None:
        """Begin at the first missing sample from the playhead on, or end."""
        if self.is_enabled:
            self.stop()
            return
        if self._active.track is not None and self._active.track.sampling is None:
            self._choose_sampled_track()
        sheet = self._read()
        if sheet is None:
            track = self._active.track
            self._studio.failed.emit(
                UserError(tr("{name} is not sampled.").format(name=track.name if track else ""), _NO_SAMPLING_HINT)
            )
            self.toggled.emit(False)
            return
        if self._coding.is_enabled:
            self._coding.toggle()
        self._sheet = sheet
        self.toggled.emit(True)
        self._show_lane()
        self._ask(sheet.first_from(self._player.position_us) or next(iter(sheet.questions), None))

    def stop(self) -> None:
        """End; what was answered stays."""
        if self._sheet is None:
            return
        self._sheet = self._question = None
        self._feed.set_samples(None)
        self._studio.set_marks(None, None)
        self._line.show_state("", False)
        self.toggled.emit(False)

    def press_label(self, label: str) -> None:
        """Answer what is asked for and go on; while the mode is off, do what the label's key does otherwise."""
        sheet, question = self._sheet, self._question
        if sheet is None:
            self._coding.toggle_label(label)
            return
        if question is None or not self._studio.edit(lambda session: answer_sample(session, sheet, question, label)):
            return
        # Where nothing is missing any more, one that is corrected stays in sight.
        self._ask(self._sheet.next_missing(question) if self._sheet is not None and self._sheet.missing else question)

    def step(self, by: int) -> None:
        """Go to the next sample or the one before, without an answer."""
        if self._sheet is None:
            self._studio.message.emit(tr("No samples are asked for. Shift+T begins."))
        elif self._question is not None:
            self._ask(self._sheet.neighbour(self._question, by))

    def _choose_sampled_track(self) -> None:
        session = self._studio.session
        for scheme in session.schemes if session is not None else ():
            for track in scheme.tracks:
                if track.sampling is not None:
                    self._active.select_track(f"{scheme.key}/{track.key}")
                    return

    def _read(self) -> SampleSheet | None:
        session, recording, pair = self._studio.session, self._studio.recording, self._active.key_pair
        track = self._active.track
        if session is None or recording is None or pair is None or track is None or track.sampling is None:
            return None
        return read_sample_sheet(session, recording.id, *pair)

    def _ask(self, question: SampleQuestion | None, *, seen: bool = False) -> None:
        """Show the moment of a sample, or play its interval, unless it was just `seen`."""
        self._question = question
        if question is not None:
            self._studio.select(())
            self._studio.set_marks(question.start_us, question.end_us)
            if seen or question.start_us == question.end_us:
                self._player.pause()
                self._player.seek(min(question.end_us, self._player.duration_us))
            else:
                self._player.play_span(question.start_us, question.end_us)
        self._show_line()

    def _stop_at_samples(self, time_us: int) -> None:
        """Stop at each sample that is missing, while somebody lets the recording play on."""
        before, self._reached_us = self._reached_us, time_us
        if self._sheet is None or not self._player.playing or not before < time_us <= before + _MAX_STEP_US:
            return
        reached = next((each for each in self._sheet.missing if before < each.end_us <= time_us), None)
        if reached is not None:
            self._ask(reached, seen=True)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        tables = ("segment", "segment_value", "appearance", "participant")
        if self._sheet is not None and any(changes.ids(table) for table in tables):
            self._renew()

    def _follow_track(self) -> None:
        if self._sheet is None:
            return
        before = self._sheet
        self._renew()
        if self._sheet is not None and (self._sheet.recording_id, self._sheet.track) != (
            before.recording_id,
            before.track,
        ):
            self._ask(self._sheet.first_from(0) or next(iter(self._sheet.questions), None))

    def _renew(self) -> None:
        found = self._read()
        if found is None:
            self.stop()
            return
        self._sheet = found
        if self._question is not None and self._question not in found.questions:
            self._question = found.first_from(self._question.start_us)
        self._show_lane()
        self._show_line()

    def _show_lane(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        missing: dict[int, int] = {}
        for question in sheet.missing:
            missing[question.number] = missing.get(question.number, 0) + 1
        each = max(1, len(sheet.people))
        every = sheet.sampling.every_us
        spans, kinds = [], []
        for number in range(1, sheet.samples + 1):
            spans.append((number * every - round(every * (1 - _GAP_SHARE)), number * every))
            lacking = missing.get(number, 0)
            kinds.append(_TAKEN if not lacking else _MISSING if lacking == each else _PARTLY)
        self._feed.set_samples(Lane(SAMPLES, tr("Samples"), LaneKind.SPANS, looks=_LOOKS))
        self._timeline.set_spans(SAMPLES, spans, kinds)

    def _show_line(self) -> None:
        if self._sheet is not None:
            self._line.show_state(self._state_text(self._sheet), self._question is not None)

    def _state_text(self, sheet: SampleSheet) -> str:
        track, question = self._active.track, self._question
        if track is None:
            return ""
        if question is None:
            return tr("{name}: the recording is shorter than one sample.").format(name=track.name)
        if not sheet.missing:
            done = trn(
                "The sample of {name} is taken.", "All {count} samples of {name} are taken.", len(sheet.questions)
            )
            return done.format(count=len(sheet.questions), name=track.name)
        times = format_time(question.end_us)
        if question.start_us != question.end_us:
            times = tr("{start} to {end}").format(start=format_time(question.start_us), end=times)
        asked = f"{question.participant.pseudonym}, {times}" if question.participant is not None else times
        keys = ", ".join(f"{label.shortcut} {label.name}" for label in track.offered_labels if label.shortcut)
        given = sheet.answers.get(question.key)
        answer = next((label.name for label in track.labels if given is not None and label.key == given.label), "")
        # What is needed first stands first: in a narrow window the end of the line is cut off.
        return tr(
            "{asked}: {keys}{answer} · sample {number} of {count}, {missing:,} missing; {name}: {meaning}"
        ).format(
            asked=asked,
            keys=keys or tr("give labels a key in the scheme"),
            answer=tr(" (now {answer})").format(answer=answer) if answer else "",
            number=question.number,
            count=sheet.samples,
            missing=len(sheet.missing),
            name=track.name,
            meaning=_MEANINGS[sheet.sampling.kind],
        )
