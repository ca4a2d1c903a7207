"""What hold-outs and consent say about every use of a recording."""

from pathlib import Path

from annotate.study.leave_permission import LeaveUse, may_leave
from annotate.study.people import add_participant, set_appearance, set_consent
from annotate.team.assignments import hold_out
from project.entities.study_records import ConsentUse, ParticipantRole
from project.queries.recording_rows import all_participants
from tests.builders.face_study import only_recording, open_lab

_WITHOUT_CONSENT = {LeaveUse.EXPORT, LeaveUse.ITEM_SET}
_WHERE_NOBODY_IS_KNOWN = {LeaveUse.REMOTE_WORK, LeaveUse.RELEASE_OF_PICTURES, LeaveUse.RELEASE_OF_SPEECH}
_RELEASES = {LeaveUse.RELEASE_OF_PICTURES, LeaveUse.RELEASE_OF_SPEECH, LeaveUse.QUESTION_RELEASE}


def test_each_use_needs_its_own_consent_and_no_held_out_recording_leaves(tmp_path: Path) -> None:
    with open_lab(tmp_path) as session:
        here = only_recording(session)

        def permitted() -> set[LeaveUse]:
            permissions = {use: may_leave(session, here, use) for use in LeaveUse}
            assert all(bool(permission) == (permission.refusal == "") for permission in permissions.values())
            return {use for use, permission in permissions.items() if permission}

        assert permitted() == _WITHOUT_CONSENT | _WHERE_NOBODY_IS_KNOWN
        assert "nobody was asked" in may_leave(session, here, LeaveUse.MODEL_REQUEST).refusal
        add_participant(session, "Robot", ParticipantRole.ROBOT, here)
        assert permitted() == {*LeaveUse}
        add_participant(session, "P01", ParticipantRole.USER, here)
        assert permitted() == _WITHOUT_CONSENT
        person = next(participant for participant in all_participants(session.study) if participant.pseudonym == "P01")
        set_consent(session, person, ConsentUse.RELEASE, True)
        assert permitted() == _WITHOUT_CONSENT | _RELEASES
        assert may_leave(session, here, LeaveUse.MODEL_REQUEST).refusal.startswith("P01 of recording 1 did not agree")
        set_consent(session, person, ConsentUse.MODELS, True)
        assert permitted() == {*LeaveUse}
        hold_out(session, here)
        assert permitted() == set()
        hold_out(session, here, False)
        set_appearance(session, here, person, False)
        assert permitted() == {*LeaveUse}
