"""Plans what a judge sees of a segment, from the present state of the study, without decoding anything.

Also shrinks a plan proportionally after a context-length error.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from annotate.transcript.conversation_history import read_conversation
from benchmark.disclosure.cast_names import (
    ROLE_DESCRIPTIONS,
    TextFilter,
    agent_name,
    condition_text_filter,
    find_named,
    make_name_rewriter,
    name_participants,
    recording_cast,
    rewrite_chain,
    rewrite_question,
    text_review_checksum,
)
from benchmark.disclosure.conditions import (
    MISSING_RECORDING,
    Source,
    equal_condition,
    find_source,
    option_recordings,
)
from benchmark.judge_input.conversation_lines import (
    PromptTurn,
    cues_outside_turns,
    format_seconds,
    prompt_turns,
    shorten_turns,
)
from benchmark.judge_input.input_plan import (
    ENDPOINTS,
    FRAMES_RULE,
    InputPlan,
    InputSettings,
    PlannedFrame,
    PlannedMedia,
    ReplanQuestion,
    ShorteningNote,
)
from benchmark.judge_input.judged_subjects import (
    SubjectLocation,
    frozen_truth,
    get_scheme,
    get_visible_segment,
    item_moments,
    item_sources,
    locate_target,
    read_frozen,
    segment_subject,
)
from benchmark.judge_input.prompt_examples import Examples, build_question_examples, build_segment_examples
from benchmark.judge_input.subject_material import (
    MaterialSource,
    add_source_recordings,
    gather_material,
    names_in_episode,
    read_looks,
)
from benchmark.prompts.answer_form import FormSpec, answer_shape, field_definitions, to_single_line, without_definitions
from benchmark.prompts.judge_prompt import TASKS, THINKING_VARIANTS, VARIANTS, JudgePrompt, PromptSubject
from benchmark.prompts.prompt_templates import Prompt, fill_prompt, prompt_for
from models.judges.judge_backends import build_options
from models.judges.judge_interface import ModelOptions
from project.entities.judgments import (
    PERSON_BACKEND,
    RAW_CONDITION,
    JudgeEntry,
    JudgmentTargetKind,
    Modality,
    parse_target,
)
from project.entities.questions import LETTERS
from project.entities.study_records import Json, Participant
from project.errors import UserError, unknown_choice
from project.files.temporary_files import cache_folder
from project.queries.recording_rows import all_collections, all_participants, participants_in
from project.queries.transcript_rows import has_utterances
from project.schemes.scheme_file import load_scheme
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import SECOND_US, format_time

if TYPE_CHECKING:
    from media.frame_index import FrameIndex

_FINE_BELOW_US = 10 * SECOND_US


def plan_media(source: Source, start_us: int, end_us: int, settings: InputSettings) -> tuple[PlannedMedia | None, str]:
    """Plan the frames or the clip of a segment.

    Returns:
        The plan, None where the segment has no picture; and a remark on it, or "".
    """
    from media.decoding import frame_range
    from media.excerpts import fit_size
    from media.frame_index import load_index

    index = load_index(source.path, cache_folder())
    times = index.times
    start, end = start_us - source.zero_us, end_us - source.zero_us
    if times.time_of(0) >= end or times.end_us <= start:
        return None, "The segment lies where the recording has no picture, so nothing is shown of it."
    if start_us < source.start_us or (source.end_us is not None and end_us > source.end_us):
        raise UserError(
            f"The rendering {source.path.name} does not cover {format_time(start_us)} to {format_time(end_us)}.",
            "Export the whole recording, or that part of it.",
        )
    size, note = fit_size(index.canvas, settings.longest_side), ""
    frames: tuple[PlannedFrame, ...] = ()
    stretch = None
    if settings.clip:
        stretch = (start_us, min(end_us, times.end_us + source.zero_us))
    else:
        positions = choose_frame_positions(*frame_range(index, start, end), settings.frames, settings.rule)
        frames = tuple(_plan_frame(index, at, source.zero_us, start_us, end_us, settings.stamps) for at in positions)
        if len(frames) < settings.frames:
            note = f"The segment has {len(frames)} of the {settings.frames} frames that were asked for."
    file = (source.path, source.fingerprint, source.zero_us)
    return PlannedMedia(*file, frames, stretch, *size, settings.quality, source.sha256), note


def choose_frame_positions(first: int, stop: int, count: int, rule: str) -> list[int]:
    """Return positions of frames that represent those from `first` to before `stop`, without repeats.

    With n frames and a count of N, `interior` takes floor(i n / (N + 1)) for i from 1 to N, as VLMEvalKit does;
    `endpoints` takes floor(i (n - 1) / (N - 1)) for i from 0 to N - 1, as lmms-eval does.
    """
    frames = stop - first
    if rule == ENDPOINTS:
        found = [i * (frames - 1) // (count - 1) for i in range(count)] if count > 1 else [0]
    else:
        found = [i * frames // (count + 1) for i in range(1, count + 1)]
    return [first + at for at in dict.fromkeys(found)]


def _plan_frame(
    index: "FrameIndex", position: int, zero_us: int, start_us: int, end_us: int, stamps: bool
) -> PlannedFrame:
    time_us = index.times.time_of(position) + zero_us
    label = format_seconds(max(0, time_us - start_us), fine=end_us - start_us < _FINE_BELOW_US)
    return PlannedFrame(position, time_us, label if stamps else "")


_WITH_PICTURES = (Modality.PICTURES, Modality.BOTH)
_CHAIN = "chain"
_USUAL = InputSettings()
_SEPARATORS = re.compile(r"[\W_]+")


def settings_for(entry: JudgeEntry, wanted: InputSettings = _USUAL) -> InputSettings:
    """Return how much a judge sees: frames or a clip as its options say, the rest from `wanted`.

    Baselines see no frames.
    """
    if entry.backend == PERSON_BACKEND:
        return wanted
    options = build_options(entry.backend, entry.settings)
    if not isinstance(options, ModelOptions):
        return replace(wanted, frames=0, clip=False)
    frames = options.frames if options.sees == "frames" else 0
    return replace(wanted, frames=frames, clip=options.sees == "clip")


def plan_input(
    session: Session,
    about: str | SubjectLocation,
    task: str = "assess",
    variant: str = "plain",
    condition: str = RAW_CONDITION,
    settings: InputSettings = _USUAL,
    *,
    prompt: Prompt | None = None,
) -> InputPlan:
    """Plan one request.

    Args:
        session: of the study; what is asked about has to be visible to it.
        about: what is asked about, as `project.entities.judgments.JudgmentTarget.key` (of a segment, its id), or as a
            location from `locate_subject`.
        task: key of the registry of tasks.
        variant: of the prompt.
        condition: `RAW_CONDITION`, or the id of the run that made a rendering.
        settings: how much is shown.
        prompt: an unsaved prompt, to preview it; the prompt of the study if None.
    """
    if variant not in VARIANTS:
        raise unknown_choice("variant", variant, VARIANTS)
    planner = _InputPlanner(session, about, TASKS.make(task), variant, condition, settings, prompt)
    return planner.plan()


def locate_subject(session: Session, key: str, task: JudgePrompt) -> SubjectLocation:
    """Return the location of what a task is asked about, with its chain if the task shows it."""
    return locate_target(session, parse_target(key), told_chain=_CHAIN in task.material)


class _InputPlanner:
    """Gathers the content of one request."""

    def __init__(
        self,
        session: Session,
        about: str | SubjectLocation,
        task: JudgePrompt,
        variant: str,
        condition: str,
        settings: InputSettings,
        prompt: Prompt | None,
    ) -> None:
        self._session, self._task, self._variant = session, task, variant
        self._condition, self._settings = condition, settings
        self._prompt = prompt or prompt_for(session, task.prompt)
        self._written: TextFilter = condition_text_filter(session, condition)
        place = locate_subject(session, about, task) if isinstance(about, str) else about
        self._place, self._frozen = place, place.frozen
        self._recording = session.recording(place.recording_id)
        self._start, self._end = place.start_us, place.end_us
        if not 0 <= self._start < self._end:
            raise UserError(
                f"The interval from {format_time(self._start)} to {format_time(self._end)} is empty.",
                "Choose an end after the start.",
            )
        self._told = settings.words and task.modality in (Modality.TEXT, Modality.BOTH)
        self._turns = (
            read_conversation(session, self._recording.id, self._start, self._end, settings.before, settings.cues)
            if self._told
            else []
        )
        self._people = self._read_participants()
        usual = name_participants(self._people, self._written)
        self._names = names_in_episode(session, task, place.recording_id, place.about.part, usual, self._written)
        self._item = self._build_subject(place)
        self._notes: list[str] = []

    def _build_subject(self, place: SubjectLocation) -> PromptSubject:
        people = [(self._names[person.id], person.id) for person in self._people]
        agent = agent_name(self._people, self._names)
        if place.subject is not self._task.subject:
            raise UserError(
                f"The task “{self._task.name}” is for a {self._task.subject}, not for a {place.subject}.",
                "Choose another task.",
            )
        if place.about.kind is JudgmentTargetKind.SEGMENT:
            return segment_subject(self._session, get_visible_segment(self._session, place.about.id), people, agent)
        told = make_name_rewriter(self._people, self._names, self._written)
        place = replace(
            place,
            question=rewrite_question(place.question, told) if place.question is not None else None,
            chain=rewrite_chain(place.chain, told) if place.chain is not None else None,
        )
        is_segment = place.subject is JudgmentTargetKind.SEGMENT
        content = place.frozen.content if place.frozen is not None and is_segment else {}
        scheme = get_scheme(self._session, place.scheme) if is_segment else self._session.scheme
        return PromptSubject(
            scheme,
            place.track if is_segment else scheme.tracks[0].key,
            str(content.get("label", "")),
            cast(dict[str, Json], content.get("values", {})),
            people,
            agent,
            place.question,
            place.chain,
            place.about.part or _source_part(place),
            gather_material(MaterialSource(self._session, place, self._names, told), self._task.material),
            read_frozen(place.frozen, told) if place.frozen is not None else None,
        )

    def plan(self) -> InputPlan:
        """Return the plan."""
        task, item, session = self._task, self._item, self._session
        if reason := task.inapplicable_reason(item):
            raise UserError(reason, "Choose another task.")
        spec = task.spec(item)
        prompt = self._scrub_prompt(self._prompt)
        lines, left_out = shorten_turns(self._conversation_turns(), self._settings.longest_text)
        option_media, pictured = self._plan_option_media()
        media = None if option_media else self._plan_media()
        values = {
            "context": self._context(),
            "people": "\n".join(self._introductions()),
            "definitions": self._definitions(spec),
            "given": "\n".join(self._given_lines()),
            "seen": self._describe_option_media(option_media)
            if option_media
            else self._describe_media(media) + self._describe_point(),
            "conversation": "\n".join(f"{line.head}{line.text}" for line in lines),
            "shape": answer_shape(spec, thinks=self._variant in THINKING_VARIANTS),
        }
        others: tuple[str, ...] = ()
        if "examples" in prompt.slots(self._variant):
            examples = self._examples()
            values["examples"] = self._scrub_scheme_text(examples.text)
            others = examples.recordings
            self._notes.append(examples.note)
        self._note_transcript()
        text = fill_prompt(prompt, self._variant, values)
        borrowed = option_recordings(session, item.question) if item.question is not None else []
        if self._frozen is not None:
            borrowed += [item_source for item_source in item_sources(self._frozen) if item_source != self._recording.id]
        return InputPlan(
            self._recording.id,
            self._place.about.key,
            self._start,
            self._end,
            task.key,
            self._variant,
            self._condition,
            prompt.name,
            text.system,
            text.text,
            media,
            without_definitions(spec),
            self._truth(),
            left_out,
            tuple(self._notes),
            add_source_recordings(session, self._recording.id, [*others, *borrowed], MISSING_RECORDING),
            "" if self._condition == RAW_CONDITION else text_review_checksum(session, self._recording.id),
            self._place.state,
            self._modality(pictures=media is not None or bool(option_media)),
            self._settings,
            option_media,
            pictured,
        )

    def _truth(self) -> dict[str, Json]:
        """Return the right answer: the frozen one if there is one, else that of the subject."""
        found = frozen_truth(self._frozen, self._task.key, self._place.about.part) if self._frozen is not None else None
        return self._task.truth(self._item) if found is None else found

    def _examples(self) -> Examples:
        about = (self._session, self._task, self._item, self._recording.id, self._condition)
        if self._task.subject is JudgmentTargetKind.SEGMENT:
            return build_segment_examples(*about)
        return build_question_examples(*about, words=self._told)

    def _modality(self, *, pictures: bool) -> Modality:
        if pictures:
            return Modality.BOTH if self._told else Modality.PICTURES
        return Modality.TEXT if self._told else Modality.NOTHING

    def _scrub_prompt(self, prompt: Prompt) -> Prompt:
        """Return a prompt as it may be sent: a prompt of the study is scrubbed like all of its texts."""
        if not prompt.own:
            return prompt

        def written(text: str) -> str:
            lines = text.split("\n")
            return "\n".join(line if line.strip().startswith("{") else self._written(line) for line in lines)

        variants = {name: written(text) for name, text in prompt.variants.items()}
        return replace(prompt, system=written(prompt.system), body=written(prompt.body), variants=variants)

    def _read_participants(self) -> list[Participant]:
        """Return who appears or speaks, in the order in which they were added to the study."""
        if self._task.subject is not JudgmentTargetKind.SEGMENT:
            return recording_cast(self._session, self._recording.id)
        there = {participant.id for participant in participants_in(self._session.study, self._recording.id)}
        there |= {turn.speaker.id for turn in self._turns if turn.speaker is not None}
        return [participant for participant in all_participants(self._session.study) if participant.id in there]

    def _conversation_turns(self) -> list[PromptTurn]:
        loose = (
            cues_outside_turns(self._session, self._recording.id, self._start, self._end)
            if self._settings.cues and self._told
            else []
        )
        return prompt_turns(self._turns, self._start, self._names, self._written, self._condition, loose)

    def _context(self) -> str:
        collections = all_collections(self._session.study)
        home = next((collection for collection in collections if collection.id == self._recording.collection_id), None)
        return self._written(home.agent_context.strip()) if home is not None else ""

    def _introductions(self) -> list[str]:
        told = {person.id: ROLE_DESCRIPTIONS[person.role] for person in self._people}
        question = self._item.question
        if question is None:
            return [f"{self._names[who]}: {text}" for who, text in told.items()]
        rewrite = make_name_rewriter(self._people, self._names, self._written)
        looks = read_looks(self._session, self._recording.id, rewrite)
        named = find_named(self._names, (question.text, *question.options))
        if unknown := [self._names[who] for who in named if who in told and who not in looks]:
            self._notes.append(f"The study does not say how {' and '.join(unknown)} can be told by their looks.")
        unnamed = dict.fromkeys(named, "how to tell them by their looks is not said")
        return [
            "; ".join(filter(None, (f"{self._names[who]}: {text}", looks.get(who, unnamed.get(who, "")))))
            for who, text in told.items()
        ]

    def _definitions(self, spec: FormSpec) -> str:
        if not self._keeps_form_text():
            _require_plain_keys(spec, self._written)
        return self._scrub_scheme_text(field_definitions(spec))

    def _scrub_scheme_text(self, text: str) -> str:
        return text if self._keeps_form_text() else "\n".join(map(self._written, text.split("\n")))

    def _given_lines(self) -> list[str]:
        told = self._task.item_texts(self._item)
        if self._task.subject is JudgmentTargetKind.SEGMENT:
            return [f"{name}: {to_single_line(self._written(text))}" for name, text in told.items()]
        # Texts of other subjects were scrubbed one by one when the subject was built.
        return [line for name, text in told.items() for line in _format_lines(name, text)]

    def _keeps_form_text(self) -> bool:
        """Tell whether texts of the form need no scrubbing: they are the program's own, or were scrubbed before."""
        if self._condition == RAW_CONDITION or self._task.subject is not JudgmentTargetKind.SEGMENT:
            return True
        try:
            return load_scheme(self._item.scheme.key) == self._item.scheme
        except UserError:
            return False

    def _plan_media(self) -> PlannedMedia | None:
        if (not self._settings.frames and not self._settings.clip) or self._task.modality not in _WITH_PICTURES:
            return None
        source = find_source(self._session, self._recording.id, self._condition)
        if source is None:
            self._notes.append("The recording has no picture, so nothing is shown of it.")
            return None
        media, note = plan_media(source, self._start, self._end, self._settings)
        if note:
            self._notes.append(note)
        return media

    def _plan_option_media(self) -> tuple[tuple[PlannedMedia, ...], tuple[str, ...]]:
        """Plan the frames of each option of an item, the same number for each, and name the renderings of others."""
        moments = item_moments(self._frozen) if self._frozen is not None else []
        settings = self._settings
        if not moments or not (settings.frames or settings.clip) or self._task.modality not in _WITH_PICTURES:
            return (), ()
        each = replace(settings, frames=max(1, settings.frames // len(moments)), clip=False)
        found: list[PlannedMedia] = []
        pictured: dict[str, None] = {}
        for letter, (recording_id, start_us, end_us) in zip(LETTERS, moments, strict=False):
            condition = equal_condition(self._session, self._condition, recording_id)
            source = find_source(self._session, recording_id, condition)
            media = plan_media(source, start_us, end_us, each)[0] if source is not None else None
            if media is None:
                self._notes.append("An option has no picture, so no option is shown in pictures.")
                return (), ()
            frames = [replace(frame, time_label=f"{letter} {frame.time_label}".strip()) for frame in media.frames]
            found.append(replace(media, frames=tuple(frames)))
            if recording_id != self._recording.id and condition != RAW_CONDITION:
                pictured[condition] = None
        return tuple(found), tuple(pictured)

    def _describe_option_media(self, option_media: Sequence[PlannedMedia]) -> str:
        counts = [pluralize(len(media.frames), "picture") for media in option_media]
        told = counts[0] if len({*counts}) == 1 else "pictures"
        stamps = "; the time is that from the start of the option's moment" if self._settings.stamps else ""
        return f"Each option has {told}, in the order of the options, under its letter{stamps}."

    def _describe_media(self, media: PlannedMedia | None) -> str:
        if self._task.modality is Modality.NOTHING:
            return "Nothing of the recording comes with this."
        length = format_seconds(self._end - self._start)
        if media is None and self._task.modality is Modality.PICTURES:
            return f"The moment lasts {length}. No pictures of it come with this."
        if media is None and not self._told:
            return f"The moment lasts {length}. Neither pictures nor words of it come with this."
        if media is None:
            return f"The moment lasts {length}. No pictures come with it: go by the words alone."
        if media.clip is not None:
            return f"A video without sound comes with this: the whole moment, {length}."
        count = len(media.frames)
        stamps = [frame.time_label for frame in media.frames if frame.time_label]
        first = "One picture comes" if count == 1 else f"{count} pictures, in order and evenly spaced, come"
        when = f" Taken at {', '.join(stamps)} from its start." if stamps else ""
        return f"{first} with this, from the moment's {length}.{when}"

    def _describe_point(self) -> str:
        """Return at which time of what is shown the point lies that is asked about; "" for anything else."""
        point_us = self._place.point_us
        if point_us is None or self._task.modality is Modality.NOTHING:
            return ""
        at = format_seconds(point_us - self._start, fine=self._end - self._start < _FINE_BELOW_US)
        return f" What is asked about is the instant at {at} from its start; the rest shows what surrounds it."

    def _note_transcript(self) -> None:
        if not self._told:
            self._notes.append("What is said is not told.")
            return
        if not self._turns:
            if has_utterances(self._session.study, self._recording.id):
                self._notes.append("Nothing is said in the segment or before it.")
            else:
                self._notes.append("The recording has no transcript, so no words are told.")
            return
        drafts = sum(not turn.utterance.checked for turn in self._turns)
        if drafts:
            self._notes.append(f"{drafts} of {len(self._turns)} turns are drafts that nobody checked.")


def _source_part(place: SubjectLocation) -> str:
    """Return the part of the source of an item, such as the participant of a recording; "" for no item."""
    source = place.frozen.target if place.frozen is not None else None
    return source.part if source is not None else ""


def _format_lines(name: str, text: str) -> list[str]:
    """Return a named text as lines: on the line of the name, or on lines of its own if it has several."""
    lines = [to_single_line(line) for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return [f"{name}:", *(f"  {line}" for line in lines)]
    return [f"{name}: {''.join(lines)}".rstrip()]


def _require_plain_keys(spec: FormSpec, written: TextFilter) -> None:
    """Raise if keys of a form hold personal information; an answer has to name them, so they cannot be scrubbed."""
    for answer_field in spec.fields:
        for key in (answer_field.field.key, *(choice.key for choice in answer_field.field.choices)):
            plain = _SEPARATORS.sub(" ", key)
            if written(plain) != plain:
                raise UserError(
                    f"The key “{key}” of the scheme contains personal information and cannot be replaced.",
                    "Change the key in a new version of the scheme, or keep the word: Speech > Personal information.",
                )


def replan(session: Session, question: ReplanQuestion) -> InputPlan:
    """Plan a request again; the plan notes how many frames it lost."""
    old = question.plan
    made = plan_input(session, old.about, old.task, old.variant, old.condition, question.settings)
    fewer = old.frame_count - made.frame_count
    if fewer > 0:
        made = replace(made, shortened=(*made.shortened, ShorteningNote(FRAMES_RULE, fewer, 0)))
    return made
