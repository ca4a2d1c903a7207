"""The face sheet of a recording: tracks that are still to be reviewed, and suggestions of the same person."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonymize.masking.mask_coverage import CertaintySpan, Cover, ReviewReason, compute_certainty, order_for_review
from project.entities.face_regions import Region
from project.entities.study_records import FaceReview, FaceTrack, Json, ParticipantRole, Recording, Run
from project.files.temporary_files import cache_folder
from project.queries.face_rows import (
    SearchedFrames,
    face_reviews,
    faces_to_hide,
    mask_state,
    regions_of,
    searched_frames,
    seen_spans,
)
from project.queries.history_rows import latest_run
from project.queries.recording_rows import participants_in
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import FrameTimes

REASON_TEXTS = {
    ReviewReason.UNSEARCHED: "Faces were not tracked here",
    ReviewReason.DAMAGED: "This frame could not be decoded whole; a face may be in it",
    ReviewReason.NO_TRACK: "People are in this recording, but no face was found in it: check for an uncovered face",
    ReviewReason.GAP: "Between two tracks of probably the same face",
    ReviewReason.ENDS: "A face's track ends here in the middle of the picture",
    ReviewReason.BEGINS: "A face's track begins after this in the middle of the picture",
    ReviewReason.DOUBTFUL: "It is doubtful whether this track is a face",
    ReviewReason.WEAK: "The detector was not sure of this face here",
    ReviewReason.GUESSED: "The box was worked out here, not found",
    ReviewReason.DRAWN_END: "A box that was drawn by hand begins or ends here",
    ReviewReason.NONE: "Every face that was found is covered",
}
"""Reason -> text for people, in a line."""


@dataclass(frozen=True, slots=True)
class SamePersonSuggestion:
    """Tracks that look like one person.

    Attributes:
        track_ids: at least two, none dismissed, at least one assigned to nobody.
        participant_id: whose face some of them are already, where that is one person.
    """

    track_ids: tuple[str, ...]
    participant_id: str | None


@dataclass(frozen=True, slots=True, eq=False)
class FaceSheet:
    """How far the review of a recording's faces is.

    Attributes:
        run: the newest run that looked for faces; None before there was any.
        faces: all that are known, the found ones with their corrections first, then those drawn by hand.
        regions: drawn by hand, of every kind.
        spans: end to end over all frames.
        pending: those of `spans` that need a look, the worst first.
        reviews: who reviewed it in the state it is in.
        revoked: who reviewed it in a state that a later change replaced.
    """

    recording: Recording
    run: Run | None
    faces: list[FaceTrack]
    regions: list[Region]
    spans: list[CertaintySpan]
    pending: list[CertaintySpan]
    reviews: list[FaceReview]
    revoked: list[FaceReview]

    @property
    def tracks(self) -> list[FaceTrack]:
        """The found tracks."""
        drawn = {region.id for region in self.regions}
        return [face for face in self.faces if face.id not in drawn]

    @property
    def undecided_tracks(self) -> list[FaceTrack]:
        """Found tracks of which nobody said anything yet."""
        return [track for track in self.tracks if is_undecided(track)]

    @property
    def unassigned_faces(self) -> list[FaceTrack]:
        """Faces that belong to nobody known, by time: nobody could be asked."""
        unknown = [face for face in self.faces if not face.dismissed and face.participant_id is None]
        return sorted(unknown, key=lambda face: int(face.times_us[0]))

    def count(self, state: Cover) -> int:
        """Return how many places of a state there are."""
        return sum(certainty_span.state is state for certainty_span in self.pending)

    def pending_places_text(self) -> str:
        """Say in words which places somebody has to look at before a review; "" for none."""
        parts = [(self.count(state), state) for state in (Cover.UNCOVERED, Cover.UNCERTAIN)]
        return " and ".join(pluralize(count, f"{state.value} place") for count, state in parts if count)

    def pending_text(self) -> str:
        """Say in words all that is left: places to look at, tracks to decide on, and the review itself."""
        if self.run is None:
            return "faces not tracked yet"
        undecided = (
            f"{pluralize(len(self.undecided_tracks), 'undecided track')} (hidden)" if self.undecided_tracks else ""
        )
        review = "" if self.reviews else "to mark it as reviewed"
        return ", ".join(part for part in (self.pending_places_text(), undecided, review) if part) or "nothing"

    def suggestions(self) -> list[SamePersonSuggestion]:
        """Return which tracks look like one person, those that go on with somebody known first."""
        if self.run is None:
            return []
        return _suggestions(self.run.result.get("suggested"), self.tracks)


def is_undecided(track: FaceTrack) -> bool:
    """Tell whether nobody said yet whose face a track is, or that it is none."""
    return track.participant_id is None and not track.dismissed


def build_face_sheet(session: Session, recording_id: str, times: FrameTimes | None = None) -> FaceSheet:
    """Return how far the review of a recording's faces is.

    The times of the frames are read from the file when not given.
    """
    study, recording = session.study, session.recording(recording_id)
    if times is None:
        from media.frame_index import load_index

        times = load_index(session.require_picture(recording_id).path, cache_folder()).times
    run = latest_run(study, recording_id, "faces")
    searched = SearchedFrames(0, (), (), 0.0) if run is None else searched_frames(run)
    regions = regions_of(study, recording_id)
    faces = faces_to_hide(study, recording_id, times.times_us)
    medium = session.main_medium(recording_id)
    video = medium.facts.video if medium is not None else None
    # A look at a stretch says nothing about what a later run makes of it.
    seen = [
        seen_span
        for seen_span in seen_spans(study, recording_id)
        if run is not None and seen_span.at >= run.finished_at
    ]
    spans = compute_certainty(
        faces,
        times,
        (video.width, video.height) if video is not None else (0, 0),
        searched=searched.count,
        damaged=searched.damaged,
        cuts=searched.cuts,
        regions=regions,
        seen=[(seen_span.start_us, seen_span.end_us) for seen_span in seen],
        has_people=any(who.role is not ParticipantRole.ROBOT for who in participants_in(study, recording_id)),
    )
    state = mask_state(study, recording_id)
    made = face_reviews(study, recording_id)
    holding = [face_review for face_review in made if state and face_review.state == state]
    revoked = [face_review for face_review in made if face_review not in holding]
    return FaceSheet(recording, run, faces, regions, spans, order_for_review(spans), holding, revoked)


def _suggestions(stored: Json, tracks: Sequence[FaceTrack]) -> list[SamePersonSuggestion]:
    known = {track.id: track for track in tracks if not track.dismissed}
    found: list[SamePersonSuggestion] = []
    for group in stored if isinstance(stored, list) else ():
        members = (
            [known[track_id] for track_id in group if isinstance(track_id, str) and track_id in known]
            if isinstance(group, list)
            else []
        )
        people = {member.participant_id for member in members if member.participant_id is not None}
        if len(members) > 1 and len(people) < 2 and any(member.participant_id is None for member in members):
            found.append(SamePersonSuggestion(tuple(member.id for member in members), next(iter(people), None)))
    return sorted(found, key=lambda suggestion: (suggestion.participant_id is None, -len(suggestion.track_ids)))
