"""Builds the messages of a request from its plan: decodes, scales and encodes the exact frames."""

from anonymize.privacy.exported_clips import file_version
from benchmark.judge_input.input_plan import InputPlan, PlannedMedia
from models.connection.guard import ApprovedContent
from models.judges.judge_interface import JudgeFrame, JudgeVideo, Message, Role
from project.errors import UserError
from project.files.fingerprints import fingerprint


def build_messages(plan: InputPlan, cleared: ApprovedContent | None = None) -> tuple[Message, ...]:
    """Return the system and user message of a plan, and add their content to the approved content."""
    pictures: tuple[JudgeFrame, ...] = ()
    clip = None
    for media in plan.all_media:
        before = _require_same_file(media)
        pictures, clip = (*pictures, *_read_frames(media)), _read_clip(media)
        if media.sha256 and _require_same_file(media) != before:
            raise _changed_file_error(media)
    if cleared is not None:
        for text in (plan.system, plan.text):
            cleared.add_text(text, plan.condition)
        for picture in pictures:
            cleared.add_media(picture.sha256, plan.condition)
            cleared.add_text(picture.time_label, "")
        if clip is not None:
            cleared.add_media(clip.sha256, plan.condition)
    return (
        Message(Role.SYSTEM, plan.system),
        Message(Role.USER, plan.text, pictures, clip),
    )


def _require_same_file(media: PlannedMedia) -> object:
    """Check that the file is the one of the plan; returns a value that changes with the file."""
    state: object = file_version(media.path, media.sha256) if media.sha256 else fingerprint(media.path)
    if state is None or (not media.sha256 and state != media.fingerprint):
        raise _changed_file_error(media)
    return state


def _changed_file_error(media: PlannedMedia) -> UserError:
    return UserError(f"{media.path.name} was changed since the request was planned.", "Ask again.")


def _read_frames(media: PlannedMedia) -> tuple[JudgeFrame, ...]:
    if not media.frames:
        return ()
    from media.excerpts import decode_jpegs

    size = (media.width, media.height)
    made = decode_jpegs(media.path, [frame.position for frame in media.frames], size, media.quality)
    return tuple(
        JudgeFrame(planned_frame.time_us, planned_frame.time_label, jpeg, *size)
        for planned_frame, jpeg in zip(media.frames, made, strict=True)
    )


def _read_clip(media: PlannedMedia) -> JudgeVideo | None:
    if media.clip is None:
        return None
    from media.excerpts import encode_small_clip

    start_us, end_us = (time_us - media.zero_us for time_us in media.clip)
    return JudgeVideo(encode_small_clip(media.path, start_us, end_us, (media.width, media.height)), *media.clip)
