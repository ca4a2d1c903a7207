"""Edits of collections, and which one a recording is in."""

from dataclasses import replace

from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.queries import collections, recordings
from project.types import Changes, Collection


def describe_collection(session: Session, collection_id: str, name: str, agent_context: str) -> Changes:
    """Give a collection another name, or say what the agent in it is.

    Raises:
        UserError: the name is empty or another collection's.
    """
    wanted = name.strip()
    if not wanted:
        raise UserError("A collection needs a name.", "Type one.")
    present = collections.all_collections(session.study)
    if any(one.name == wanted and one.id != collection_id for one in present):
        raise UserError(f"There is a collection {wanted} already.", "Move the recordings there, or type another name.")
    with session.step("Describe collection") as step:
        collections.update_collection(session.study, Collection(collection_id, wanted, agent_context.strip()))
    return step.changes


def move_recording(session: Session, recording_id: str, name: str) -> Changes:
    """Put a recording into the collection of a name, made if there is none; one left empty by this is removed.

    Raises:
        UserError: the name is empty.
    """
    wanted = name.strip()
    if not wanted:
        raise UserError("A collection needs a name.", "Type one.")
    recording = session.recording(recording_id)
    home = next((one for one in collections.all_collections(session.study) if one.name == wanted), None)
    with session.step(f"Move recording to {wanted}") as step:
        if home is None:
            home = Collection(new_id(), wanted)
            collections.insert_collection(session.study, home)
        if home.id != recording.collection_id:
            recordings.update_recording(session.study, replace(recording, collection_id=home.id))
            if not any(r.collection_id == recording.collection_id for r in recordings.all_recordings(session.study)):
                collections.delete_collection(session.study, recording.collection_id)
    return step.changes
