"""The plan of a request as data: what a judge sees, how its answer is read, and the key that equal requests share.

A plan is made where the study is open, and can be turned into messages in any process: that decodes, scales and encodes
the exact frames.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from anonymize.privacy.exported_clips import file_version
from benchmark.prompts.answer_form import FormSpec, answer_form
from benchmark.prompts.judge_prompt import THINKING_VARIANTS
from models.connection.guard import ApprovedContent
from models.judges.judge_interface import (
    AnswerForm,
    JudgeFrame,
    JudgeRequest,
    JudgeVideo,
    Message,
    Role,
    SamplingParameters,
    TooLong,
)
from project.entities.judgments import Modality, judgment_id_of_part, parse_target
from project.entities.study_records import Json
from project.errors import UserError
from project.files.fingerprints import fingerprint

INTERIOR, ENDPOINTS = "interior", "endpoints"
FRAME_RULES = (INTERIOR, ENDPOINTS)
"""Which frames stand for a segment: those between N + 1 equal parts, or N at equal steps from the first to the last."""


@dataclass(frozen=True, slots=True)
class InputSettings:
    """How much of a segment a judge sees.

    Attributes:
        before: turns before the segment, at most.
        cues: whether marked cues are shown inside the turns.
        frames: how many, at most; 0 for none.
        longest_side: of a frame or of the clip, in pixels; smaller ones are not enlarged.
        quality: of the JPEGs, from 1 to 100.
        rule: how frames are chosen, one of `FRAME_RULES`.
        stamps: whether the judge is told the time of each.
        clip: send the segment as a video instead of frames.
        longest_text: characters of the conversation; a longer one is shortened by `SHORTENING_RULES`.
    """

    before: int = 6
    cues: bool = False
    frames: int = 15
    longest_side: int = 512
    quality: int = 85
    rule: str = INTERIOR
    stamps: bool = True
    clip: bool = False
    longest_text: int = 24_000
    words: bool = True


ITEM_SETTINGS = InputSettings(before=0)
"""How much of a frozen item is shown: what lies in its span, and nothing that was said before."""


@dataclass(frozen=True, slots=True)
class PlannedFrame:
    """One frame: its position in the file, its time on the recording's axis, and the time that the judge is told."""

    position: int
    time_us: int
    time_label: str


@dataclass(frozen=True, slots=True)
class PlannedMedia:
    """The frames, or the clip, that are taken from a file.

    Attributes:
        path: of the file on this machine.
        zero_us: zero of the file on the recording's axis.
        frames: in order; () where a clip is sent.
        clip: start and end on the recording's axis; None where frames are sent.
        width: of what is sent, in pixels.
        height: of what is sent, in pixels.
        quality: of the JPEGs.
        sha256: of a rendering; "" for the recorded file.
    """

    path: Path
    fingerprint: str
    zero_us: int
    frames: tuple[PlannedFrame, ...]
    clip: tuple[int, int] | None
    width: int
    height: int
    quality: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ShorteningNote:
    """Something that was left out to keep within a limit.

    Attributes:
        rule: key of `SHORTENING_RULES`.
        count: turns or frames that it concerns.
        characters: how many were left out.
    """

    rule: str
    count: int
    characters: int


@dataclass(frozen=True, slots=True)
class InputPlan:
    """The content of one request, and how its answer is read.

    Attributes:
        about: what is asked about, `project.entities.judgments.JudgmentTarget.key`.
        state: of a question or a chain when it was planned; "" for anything else.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        condition: `RAW_CONDITION`, or the id of the run that made the rendering.
        prompt: `KEY@VERSION`.
        media: frames or a clip; None for a text-only judge, or where there is no picture.
        option_media: frames of each option, in their order, in the place of `media`.
        pictured: ids of the renderings of other recordings of which frames are shown.
        form: the answer that is asked for.
        truth: the answers of people; they stay on this machine.
        shortened: what was left out of the conversation.
        notes: remarks on it, a sentence each.
        other_recordings: recordings that examples, wrong options, or the history of an episode are from.
        words_state: checksum of the text review when its words were scrubbed; "" in raw form.
    """

    recording_id: str
    about: str
    start_us: int
    end_us: int
    task: str
    variant: str
    condition: str
    prompt: str
    system: str
    text: str
    media: PlannedMedia | None
    form: FormSpec
    truth: Mapping[str, Json] = field(default_factory=dict)
    shortened: tuple[ShorteningNote, ...] = ()
    notes: tuple[str, ...] = ()
    other_recordings: tuple[str, ...] = ()
    words_state: str = ""
    state: str = ""
    modality: Modality = Modality.BOTH
    settings: InputSettings = InputSettings()
    option_media: tuple[PlannedMedia, ...] = ()
    pictured: tuple[str, ...] = ()

    @property
    def all_media(self) -> tuple[PlannedMedia, ...]:
        """All that frames or a clip are taken from."""
        return (*(() if self.media is None else (self.media,)), *self.option_media)

    @property
    def frame_count(self) -> int:
        """The number of frames."""
        return sum(len(media.frames) for media in self.all_media)

    @property
    def item(self) -> str:
        """The name of what is judged; it does not depend on the condition or on an earlier answer that it is about."""
        judgment = judgment_id_of_part(parse_target(self.about).part)
        return self.about.removesuffix(f"/{judgment}") if judgment else self.about

    @property
    def answer_form(self) -> AnswerForm:
        """The form that an answer must have."""
        return answer_form(self.form, thinks=self.variant in THINKING_VARIANTS)

    def judge_request(
        self,
        messages: tuple[Message, ...],
        sampling: SamplingParameters,
        shares: Sequence[tuple[Mapping[str, Json], int]] = (),
    ) -> JudgeRequest:
        """Return the request to a judge, with the messages that `build_messages` made of this plan."""
        return JudgeRequest(messages, self.answer_form, sampling, self.truth, shares, self.item)

    def as_record(self, messages: Sequence[Message] = ()) -> dict[str, Json]:
        """Return what was sent, as a judgment stores it: frames and clip by checksum, texts in full.

        Without messages, checksums and sizes are missing.
        """
        pictures = [picture for message in messages for picture in message.pictures]
        clip = next((message.clip for message in messages if message.clip is not None), None)
        media = self.media
        frames: list[Json] = []
        sources = [(each, frame) for each in self.all_media for frame in each.frames]
        for place, (source, planned_frame) in enumerate(sources):
            told: dict[str, Json] = {
                "time_us": planned_frame.time_us,
                "frame": planned_frame.position,
                "shown": planned_frame.time_label,
            }
            if source is not media:
                told["media"] = source.fingerprint
            if place < len(pictures):
                told |= {"sha256": pictures[place].sha256, "bytes": len(pictures[place].jpeg)}
            frames.append(told)
        found: dict[str, Json] = {
            "system": self.system,
            "text": self.text,
            "frames": frames,
            "shortened": [[shortened.rule, shortened.count, shortened.characters] for shortened in self.shortened],
            "notes": [*self.notes],
        }
        if media is not None:
            found |= {"media": media.fingerprint, "width": media.width, "height": media.height}
            found |= {"quality": media.quality} if media.frames else {}
            if media.clip is not None:
                told = {"start_us": media.clip[0], "end_us": media.clip[1]}
                if clip is not None:
                    told |= {"sha256": clip.sha256, "bytes": len(clip.mp4)}
                found["clip"] = told
        return found


def prompt_sha256(plan: InputPlan) -> str:
    """Return the checksum of all texts that are sent, in full."""
    return _digest([plan.system, plan.text])


def request_key(plan: InputPlan, fingerprint: str, sampling: SamplingParameters, known: Json = None) -> str:
    """Return the checksum of everything that decides an answer; equal requests have equal keys.

    Args:
        plan: of the request.
        fingerprint: of the judge, with all settings that change an answer.
        sampling: with the seed, so that repetitions differ.
        known: what else a baseline answers from, such as the item or the answers of people.
    """
    form = plan.answer_form
    return _digest(
        {
            "judge": fingerprint,
            "known": known,
            "prompt": [plan.prompt, plan.variant, prompt_sha256(plan)],
            "form": [form.name, dict(form.schema), form.thinks],
            "sampling": [float(sampling.temperature), sampling.seed, sampling.max_tokens],
            "media": [
                [
                    media.fingerprint,
                    [[frame.position, frame.time_us - media.zero_us, frame.time_label] for frame in media.frames],
                    None if media.clip is None else [time_us - media.zero_us for time_us in media.clip],
                    [media.width, media.height, media.quality],
                ]
                for media in plan.all_media
            ],
        }
    )


def _digest(content: Json) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def build_messages(plan: InputPlan, approved: ApprovedContent | None = None) -> tuple[Message, ...]:
    """Return the system and user message of a plan, and add their content to the approved content."""
    pictures: tuple[JudgeFrame, ...] = ()
    clip = None
    for media in plan.all_media:
        before = _require_same_file(media)
        pictures, clip = (*pictures, *_read_frames(media)), _read_clip(media)
        if media.sha256 and _require_same_file(media) != before:
            raise _changed_file_error(media)
    if approved is not None:
        for text in (plan.system, plan.text):
            approved.add_text(text, plan.condition)
        for picture in pictures:
            approved.add_media(picture.sha256, plan.condition)
            approved.add_text(picture.time_label, "")
        if clip is not None:
            approved.add_media(clip.sha256, plan.condition)
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
    return UserError(f"{media.path.name} has changed since the request was planned.", "Ask again.")


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


FRAMES_RULE = "frames"
"""The rule of `SHORTENING_RULES` by which fewer frames are sent."""
_DEFAULT_SHARE = 0.5
"""The share that is tried if the model does not report its context size."""
_MARGIN = 0.9
_MIN_TEXT_CHARS = 200


def shrink_settings(plan: InputPlan, told: TooLong) -> InputSettings | None:
    """Return smaller settings after a context-length error; None if nothing more can be left out.

    Conversation and frames shrink by the same share: the context size divided by the size of the request, less a tenth;
    half if the model does not report them. The conversation is then shortened by `SHORTENING_RULES`.
    """
    share = _DEFAULT_SHARE
    if told.requested_tokens and told.context_tokens and told.context_tokens < told.requested_tokens:
        share = _MARGIN * told.context_tokens / told.requested_tokens
    settings = plan.settings
    before = min(settings.longest_text, len(plan.text))
    text = max(_MIN_TEXT_CHARS, int(before * share))
    shown = plan.frame_count
    frames = max(1, int(shown * share)) if shown else settings.frames
    if text >= before and frames >= shown:
        return None
    return replace(settings, longest_text=text, frames=frames)


@dataclass(frozen=True, slots=True)
class ReplanQuestion:
    """Asks the process that has the study open for the same plan with other settings."""

    plan: InputPlan
    settings: InputSettings
