"""Whose voice is whose, where it is known."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from models.speakers.active_speaker import SpeakerEvidence, guess_speakers, match_voices

ADA, BO, ROBOT = 0, 1, 2


def known(
    heard: list[int], seen: list[int | None], robot: bool = False, said: dict[int, int] | None = None, **more: Any
) -> SpeakerEvidence:
    """Return evidence of stretches of 3 s: the voice of each, and whose face moves (None: nobody's)."""
    count = len(heard)
    of_voice = np.full((count, max(heard) + 1), 0.02)
    of_voice[np.arange(count), heard] = 1
    scores = np.zeros((count, 3 if robot else 2))
    for row, face in enumerate(seen):
        if face is not None:
            scores[row, face] = 0.85
    told = np.full(count, -1)
    for row, person in (said or {}).items():
        told[row] = person
    given_: dict[str, Any] = {
        "seconds": np.full(count, 3.0),
        "voices": of_voice / of_voice.sum(1, keepdims=True),
        "faces": scores,
        "nobody": 1 - scores.sum(1),
        "known_people": told,
        "visible": np.tile([True, True, False][: scores.shape[1]], (count, 1)),
        "robot": ROBOT if robot else None,
    }
    return SpeakerEvidence(**{**given_, **more})


def people(evidence: SpeakerEvidence) -> list[int | None]:
    return [guess_speaker.person for guess_speaker in guess_speakers(evidence, match_voices(evidence))]


def test_a_voice_belongs_to_the_face_that_moves_with_it() -> None:
    evidence = known([0, 1, 0, 1, 0], [BO, ADA, BO, ADA, None])
    assert [match_voice.person for match_voice in match_voices(evidence)] == [BO, ADA]
    assert people(evidence) == [BO, ADA, BO, ADA, BO]


def test_a_voice_that_no_face_moves_with_is_the_robots_where_there_is_one() -> None:
    voices, faces = [0, 1, 2, 0, 1, 2], [ADA, BO, None, ADA, BO, None]
    assert people(known(voices, faces, robot=True)) == [ADA, BO, ROBOT, ADA, BO, ROBOT]
    assert people(known(voices, faces)) == [ADA, BO, None, ADA, BO, None]


def test_a_robot_is_never_guessed_where_no_face_was_matched() -> None:
    evidence = known([0, 1, 0, 1], [None] * 4, robot=True)
    assert people(evidence) == [None] * 4


def test_what_a_person_said_counts_more_than_faces_and_stands() -> None:
    evidence = known([0, 0, 0, 1, 1], [ADA, ADA, None, BO, BO], said={0: BO, 3: ADA})
    guesses = guess_speakers(evidence, match_voices(evidence))
    assert [guess.person for guess in guesses] == [BO, guesses[1].person, BO, ADA, guesses[4].person]
    assert guesses[0].confidence == 1


def test_people_without_faces_are_known_by_one_stretch_that_somebody_named() -> None:
    evidence = known([0, 1, 0, 1, 1], [None] * 5, said={0: ADA, 1: BO}, visible=np.zeros((5, 2), bool))
    assert people(evidence) == [ADA, BO, ADA, BO, BO]


def test_face_and_voice_that_differ_are_told() -> None:
    evidence = known([0, 0, 0, 1, 1, 1], [ADA, ADA, BO, BO, BO, BO])
    guess = guess_speakers(evidence, match_voices(evidence))[2]
    assert {guess.person, guess.other} == {ADA, BO}
    others = [guess_speaker.other for guess_speaker in guess_speakers(evidence, match_voices(evidence))]
    assert others[:2] + others[3:] == [None] * 5


def test_without_voices_the_faces_alone_tell() -> None:
    evidence = known([0, 0, 0], [ADA, BO, None], voices=np.zeros((3, 0)))
    assert match_voices(evidence) == []
    assert people(evidence) == [ADA, BO, None]
    robot = known([0, 0, 0], [ADA, BO, None], robot=True, voices=np.zeros((3, 0)))
    assert people(robot) == [ADA, BO, ROBOT]


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([ADA, BO, None])), min_size=1, max_size=12), st.booleans())
def test_confidence_is_a_probability_and_votes_decide_no_more_people_than_there_are(
    rows: list[tuple[int, int | None]], robot: bool
) -> None:
    evidence = known([voice for voice, _ in rows], [face for _, face in rows], robot)
    matches = match_voices(evidence)
    for guess in guess_speakers(evidence, matches):
        assert 0 <= guess.confidence <= 1
        assert guess.person is None or 0 <= guess.person < evidence.faces.shape[1]
        assert guess.other is None or guess.other != guess.person
    assert all(0 <= match.share <= 1 for match in matches)


def test_somebody_who_is_off_screen_may_speak() -> None:
    """The other's face is seen and does not move."""
    visible = np.array([[True, True]] * 4 + [[False, True]] * 2)
    evidence = known([0, 1, 0, 1, 0, 0], [ADA, BO, ADA, BO, None, None], visible=visible)
    guesses = guess_speakers(evidence, match_voices(evidence))
    assert [guess.person for guess in guesses[4:]] == [ADA, ADA]
    assert min(guess.confidence for guess in guesses[4:]) > 0.9
