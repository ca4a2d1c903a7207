"""Turns decisions about the selected faces into edits: whose they are, that they are no faces, that they were seen."""

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import QObject

from anonymize.faces import face_review_edits
from anonymize.faces.face_review import FaceSheet, SamePersonSuggestion
from app.gui.faces.box_editing import BoxEditor
from app.gui.faces.face_queue import ReviewSpans
from app.gui.faces.faces_page import FacesPage
from app.gui.player.player import Player
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes, Participant, ParticipantRole
from project.session.session import Session
from resources.translation import tr


class FaceReviewController(QObject):
    """Turns the buttons of the page into edits."""

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        page: FacesPage,
        places: ReviewSpans,
        drawing: BoxEditor,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio, self._player, self._page, self._places = studio, player, page, places
        self._people: Mapping[str, Participant] = {}
        self._suggestions: list[SamePersonSuggestion] = []
        self._shown = 0
        page.people.assign_requested.connect(self.assign)
        page.people.new_requested.connect(lambda: self._assign_to_new(*self._selected()))
        page.people.dismiss.clicked.connect(self.dismiss)
        page.suggestion.accept_requested.connect(self._accept)
        page.suggestion.show_requested.connect(self._select_suggested)
        page.suggestion.skip.clicked.connect(self._skip)
        page.queue.seen.clicked.connect(self.mark_seen)
        page.review.review_requested.connect(self._review)
        bar = page.region
        bar.kind_requested.connect(
            lambda key, kind: studio.edit(lambda s: face_review_edits.change_region(s, key, kind=kind))
        )
        bar.label_requested.connect(
            lambda key, text: studio.edit(lambda s: face_review_edits.change_region(s, key, label=text))
        )
        bar.start_requested.connect(lambda _key: drawing.trim(True))
        bar.end_requested.connect(lambda _key: drawing.trim(False))
        bar.delete_requested.connect(lambda _key: drawing.delete())

    def show_sheet(self, sheet: FaceSheet | None, people: Mapping[str, Participant], names: Mapping[str, str]) -> None:
        """Show what is suggested, and whether the recording is reviewed; `names` are the annotators'."""
        self._people = people
        self._suggestions = sheet.suggestions() if sheet is not None else []
        self._show_suggestion()
        session = self._studio.session
        if sheet is None or session is None:
            self._page.review.show_state(False, "", writable=False)
            return
        me = session.annotator()
        mine = me is not None and any(review.annotator_id == me.id for review in sheet.reviews)
        words, warned = _review_status(sheet, names)
        self._page.review.show_state(mine, words, warned=warned, writable=self._page.writable)

    def assign(self, participant_id: str | None) -> None:
        """Say whose the selected faces are."""
        tracks, drawn = self._selected()
        if tracks or drawn:
            self._studio.edit(lambda s: face_review_edits.assign_faces(s, tracks, participant_id, drawn))

    def assign_by_digit(self, number: int) -> None:
        """Assign the selected faces to the participant whose button has a digit."""
        person = self._page.people.person_by_digit(number)
        if person is not None and self._page.writable:
            self.assign(person.id)

    def dismiss(self, dismissed: bool = True) -> None:
        """Say that the selected tracks are no faces, or take that back."""
        tracks, drawn = self._selected()
        if tracks:
            self._studio.edit(lambda s: face_review_edits.dismiss_faces(s, tracks, dismissed))
        elif drawn and dismissed:
            self._studio.message.emit(
                tr("This box was drawn by hand: delete it (Del), or say that there is nothing in it.")
            )
        self._page.show_selection()

    def toggle_dismissed(self) -> None:
        """Dismiss the selected tracks, or take that back where all of them are."""
        cards = [face_card for face_card in self._page.cards.selected() if not face_card.is_drawn]
        self.dismiss(not all(card.state == "not a face" for card in cards))

    def mark_seen(self) -> None:
        """Say that no face is uncovered at the place that is looked at, and go on to the next."""
        place, recording = self._places.current, self._studio.recording
        if place is None or recording is None:
            self._studio.message.emit(tr("Go to a place to look at first."))
            return
        span = [(place.start_us, place.end_us)]
        if self._studio.edit(lambda s: face_review_edits.mark_seen(s, recording.id, span)):
            self._places.leave_current()

    def _selected(self) -> tuple[list[str], list[str]]:
        cards = self._page.cards.selected()
        return [card.key for card in cards if not card.is_drawn], [card.key for card in cards if card.is_drawn]

    def _assign_to_new(self, tracks: list[str], drawn: list[str]) -> None:
        recording = self._studio.recording
        name = self._page.ask_name(self._page) if recording is not None and (tracks or drawn) else ""
        if not name or recording is None:
            return

        def do(session: Session) -> Changes:
            role = ParticipantRole.USER
            return face_review_edits.assign_faces_to_new(session, recording.id, tracks, name, role, drawn)[1]

        self._studio.edit(do)

    def _accept(self) -> None:
        if not self._suggestions:
            return
        suggestion = self._suggestions[self._shown]
        tracks = [*suggestion.track_ids]
        if suggestion.participant_id is None:
            self._select_suggested()
            self._assign_to_new(tracks, [])
        else:
            self._studio.edit(lambda s: face_review_edits.assign_faces(s, tracks, suggestion.participant_id))

    def _select_suggested(self) -> None:
        if self._suggestions:
            self._page.select(self._suggestions[self._shown].track_ids)

    def _skip(self) -> None:
        self._shown += 1
        self._show_suggestion()
        self._select_suggested()

    def _show_suggestion(self) -> None:
        count = len(self._suggestions)
        self._shown = self._shown % count if count else 0
        if not count:
            self._page.suggestion.show_suggestion("", "", several=False, writable=False)
            return
        suggestion = self._suggestions[self._shown]
        who = self._people.get(suggestion.participant_id or "")
        accept = (
            tr("Assign all to {pseudonym}").format(pseudonym=who.pseudonym) if who is not None else tr("Assign all to…")
        )
        words = tr("These {track_ids} tracks look like one person").format(track_ids=len(suggestion.track_ids))
        self._page.suggestion.show_suggestion(words, accept, several=count > 1, writable=self._page.writable)

    def _review(self, on: bool) -> None:
        recording, times = self._studio.recording, self._player.times
        if recording is None:
            return
        if on:
            self._studio.edit(lambda s: face_review_edits.mark_reviewed(s, recording.id, times))
        else:
            self._studio.edit(lambda s: face_review_edits.withdraw_review(s, recording.id))


def _review_status(sheet: FaceSheet, names: Mapping[str, str]) -> tuple[str, bool]:
    """Return a line about who reviewed a recording, and whether it is a warning."""
    if sheet.reviews:
        said = (f"{names.get(review.annotator_id, '?')}, {_format_local_time(review.at)}" for review in sheet.reviews)
        return tr("Reviewed by {list}").format(list="; ".join(said)), False
    if sheet.revoked:
        last = sheet.revoked[-1]
        who = names.get(last.annotator_id, "?")
        return tr("The faces changed since {who} reviewed them ({at})").format(
            who=who, at=_format_local_time(last.at)
        ), True
    return "", False


def _format_local_time(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
