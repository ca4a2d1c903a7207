"""Plans what a judge is to see of a segment, from the study as it is now; decodes nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from app.core.judging.seeing.conditions import source_under
from app.core.judging.seeing.episode_material import names_in_episode, with_homes
from app.core.judging.seeing.examples import Examples, examples_for
from app.core.judging.seeing.frozen import homes_of, thawed, truth_of
from app.core.judging.seeing.items import item_of, scheme_of, seen_segment
from app.core.judging.seeing.lines import lines_of, loose_cues, seconds
from app.core.judging.seeing.material import gathered
from app.core.judging.seeing.option_homes import GONE, homes_of_options
from app.core.judging.seeing.people import INTRODUCED, agent_among, names_of
from app.core.judging.seeing.plan import PlannedMedia, SightPlan, SightSettings
from app.core.judging.seeing.planned_media import planned_media
from app.core.judging.seeing.prompt_versions import prompt_for
from app.core.judging.seeing.question_examples import question_examples_for
from app.core.judging.seeing.shortening import Line, shortened
from app.core.judging.seeing.subjects import Place, place_of
from app.core.judging.seeing.told import cast_told, telling, told_chain, told_question
from app.core.judging.seeing.words import Written, words_state, written_under
from app.core.session import Session
from app.core.speech.conversation import conversation
from benchmark.prompts import Prompt, filled
from benchmark.quoting import on_one_line
from benchmark.tasks.base import THINKING, VARIANTS, Item, Task
from benchmark.tasks.form import FormSpec, bare
from benchmark.tasks.registry import task_of
from benchmark.tasks.told import definitions_of, shape_of
from models.judges.options import ModelOptions
from models.judges.registry import options_of
from project.errors import UserError
from project.judging import PERSON, RAW, JudgeEntry, Modality, Subject, about_from
from project.queries.collections import all_collections
from project.queries.participants import all_participants, participants_in
from project.queries.utterances import has_utterances
from project.schemes.loader import load_scheme
from project.timebase import format_time
from project.types import Json, Participant


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a recording that nobody marked; without a scheme, of the study's default one."""

    recording_id: str
    start_us: int
    end_us: int
    scheme: str = ""
    track: str = ""


_WITH_PICTURES = (Modality.PICTURES, Modality.BOTH)
_CHAIN = "chain"
_USUAL = SightSettings()
_SEPARATORS = re.compile(r"[\W_]+")


def settings_for(entry: JudgeEntry, wanted: SightSettings = _USUAL) -> SightSettings:
    """Return how much a judge sees: what it is set to take, and the rest as wanted.

    Baselines see no frames.

    Raises:
        UserError: there is no such backend, or its settings do not fit.
    """
    if entry.backend == PERSON:
        return wanted
    options = options_of(entry.backend, entry.settings)
    if not isinstance(options, ModelOptions):
        return replace(wanted, frames=0, clip=False)
    frames = options.frames if options.sees == "frames" else 0
    return replace(wanted, frames=frames, clip=options.sees == "clip")


def plan_sight(
    session: Session,
    about: str | Span | Place,
    task: str = "assess",
    variant: str = "plain",
    condition: str = RAW,
    settings: SightSettings = _USUAL,
    *,
    prompt: Prompt | None = None,
) -> SightPlan:
    """Plan one request.

    Args:
        session: of the study; its annotator's eyes are those that segments are seen with.
        about: what is asked about, as `project.judging.About.key` (of a segment, its id), or where `reached` found it
            to be, or a stretch.
        task: key of the registry of tasks.
        variant: of the prompt.
        condition: `RAW`, or the id of the run that made a rendering.
        settings: how much is seen.
        prompt: to look at it before it is saved; what the study asks with where None.

    Raises:
        UserError: there is no such segment, task, variant or rendering; the task cannot be asked about the segment; or
            the file is missing, is another one by now, or cannot be read.
    """
    if variant not in VARIANTS:
        raise UserError(f"There is no variant “{variant}”.", f"Choose one of {', '.join(VARIANTS)}.")
    planner = _Planner(session, about, task_of(task), variant, condition, settings, prompt)
    return planner.plan()


def reached(session: Session, key: str, task: Task) -> Place:
    """Return where something is that a task is asked about, with as much of it as the task tells.

    Raises:
        UserError: there is no such thing, or it is not to be seen yet.
    """
    return place_of(session, about_from(key), told_chain=_CHAIN in task.material)


class _Planner:
    """Gathers what one request holds."""

    def __init__(
        self,
        session: Session,
        about: str | Span | Place,
        task: Task,
        variant: str,
        condition: str,
        settings: SightSettings,
        prompt: Prompt | None,
    ) -> None:
        self._session, self._task, self._variant = session, task, variant
        self._condition, self._settings = condition, settings
        self._prompt = prompt or prompt_for(session, task.prompt)
        self._written: Written = written_under(session, condition)
        place = reached(session, about, task) if isinstance(about, str) else about
        self._about = place.about.key if isinstance(place, Place) else ""
        self._recording = session.recording(place.recording_id)
        self._state = "" if isinstance(place, Span) else place.state
        self._frozen = None if isinstance(place, Span) else place.frozen
        self._part = "" if isinstance(place, Span) else place.about.part
        self._start, self._end = place.start_us, place.end_us
        if not 0 <= self._start < self._end:
            raise UserError(
                f"There is nothing between {format_time(self._start)} and {format_time(self._end)}.",
                "Give an end after the start.",
            )
        self._told = settings.words and task.shows in (Modality.WORDS, Modality.BOTH)
        self._turns = (
            conversation(session, self._recording.id, self._start, self._end, settings.before, settings.cues)
            if self._told
            else []
        )
        self._people = self._everybody()
        part = place.about.part if isinstance(place, Place) else ""
        usual = names_of(self._people, self._written)
        self._names = names_in_episode(session, task, self._recording.id, part, usual, self._written)
        agent = agent_among(self._people, self._names)
        people = [(self._names[one.id], one.id) for one in self._people]
        if isinstance(place, Place):
            self._item = self._item_at(place, people, agent)
        else:
            scheme = scheme_of(session, place.scheme) if place.scheme else session.scheme
            self._item = Item(scheme, place.track or scheme.tracks[0].key, people=people, agent=agent)
        self._notes: list[str] = []

    def _item_at(self, place: Place, people: Sequence[tuple[str, str]], agent: str) -> Item:
        if place.subject is not self._task.subject:
            raise UserError(
                f"“{self._task.name}” is asked about a {self._task.subject}, not about a {place.subject}.",
                "Ask another task.",
            )
        if place.about.subject is Subject.SEGMENT:
            return item_of(self._session, seen_segment(self._session, place.about.id), people, agent)
        told = telling(self._people, self._names, self._written)
        frozen = thawed(place.frozen, told) if place.frozen is not None else None
        if place.frozen is not None and place.subject is Subject.SEGMENT:
            content = place.frozen.content
            values = cast(dict[str, Json], content.get("values", {}))
            scheme = scheme_of(self._session, place.scheme)
            return Item(
                *(scheme, place.track, str(content.get("label", "")), values, people, agent),
                part=place.about.part,
                material=gathered(self._session, place, self._names, told, self._task.material),
                frozen=frozen,
            )
        place = replace(
            place,
            question=told_question(place.question, told) if place.question is not None else None,
            chain=told_chain(place.chain, told) if place.chain is not None else None,
        )
        return Item(
            self._session.scheme,
            self._session.scheme.tracks[0].key,
            people=people,
            agent=agent,
            question=place.question,
            chain=place.chain,
            part=place.about.part or _part_of_source(place),
            material=gathered(self._session, place, self._names, told, self._task.material),
            frozen=frozen,
        )

    def plan(self) -> SightPlan:
        """Return the plan.

        Raises:
            UserError: the task cannot be asked about the segment, or its recording, rendering or texts cannot be used.
        """
        task, item, session = self._task, self._item, self._session
        if reason := task.why_not(item):
            raise UserError(reason, "Ask another task.")
        spec = task.spec(item)
        prompt = self._scrubbed(self._prompt)
        lines, left_out = shortened(self._lines(), self._settings.longest_text)
        media = self._media()
        values = {
            "context": self._context(),
            "people": "\n".join(self._introduced()),
            "definitions": self._defined(spec),
            "given": "\n".join(self._given()),
            "seen": self._seen(media),
            "conversation": "\n".join(f"{line.head}{line.text}" for line in lines),
            "shape": shape_of(spec, thinks=self._variant in THINKING),
        }
        others: tuple[str, ...] = ()
        if "examples" in prompt.slots(self._variant):
            examples = self._examples()
            values["examples"] = self._of_scheme(examples.text)
            others = examples.recordings
            self._notes.append(examples.note)
        self._note_words()
        text = filled(prompt, self._variant, values)
        borrowed = homes_of_options(session, item.question) if item.question is not None else []
        if self._frozen is not None:
            borrowed += [one for one in homes_of(self._frozen) if one != self._recording.id]
        return SightPlan(
            self._recording.id,
            self._about,
            self._start,
            self._end,
            task.key,
            self._variant,
            self._condition,
            prompt.name,
            text.system,
            text.text,
            media,
            bare(spec),
            self._truth(),
            left_out,
            tuple(self._notes),
            with_homes(session, self._recording.id, [*others, *borrowed], GONE),
            "" if self._condition == RAW else words_state(session, self._recording.id),
            self._state,
            self._modality(media),
        )

    def _truth(self) -> dict[str, Json]:
        """Return the right answer: the frozen one where there is one, else what the item stands for."""
        found = truth_of(self._frozen, self._task.key, self._part) if self._frozen is not None else None
        return self._task.truth(self._item) if found is None else found

    def _examples(self) -> Examples:
        about = (self._session, self._task, self._item, self._recording.id, self._condition)
        if self._task.subject is Subject.SEGMENT:
            return examples_for(*about)
        return question_examples_for(*about, words=self._told)

    def _modality(self, media: PlannedMedia | None) -> Modality:
        if media is not None:
            return Modality.BOTH if self._told else Modality.PICTURES
        return Modality.WORDS if self._told else Modality.NOTHING

    def _scrubbed(self, prompt: Prompt) -> Prompt:
        """Return a prompt as it may be sent: the program's as it is, a study's own as all of its texts."""
        if not prompt.own:
            return prompt

        def written(text: str) -> str:
            lines = text.split("\n")
            return "\n".join(one if one.strip().startswith("{") else self._written(one) for one in lines)

        variants = {name: written(text) for name, text in prompt.variants.items()}
        return replace(prompt, system=written(prompt.system), body=written(prompt.body), variants=variants)

    def _everybody(self) -> list[Participant]:
        """Return who appears or speaks, in the order in which they were added to the study."""
        if self._task.subject is not Subject.SEGMENT:
            return cast_told(self._session, self._recording.id)
        there = {one.id for one in participants_in(self._session.study, self._recording.id)}
        there |= {turn.participant_id for turn in self._turns if turn.participant_id is not None}
        return [one for one in all_participants(self._session.study) if one.id in there]

    def _lines(self) -> list[Line]:
        loose = (
            loose_cues(self._session, self._recording.id, self._start, self._end)
            if self._settings.cues and self._told
            else []
        )
        return lines_of(self._turns, self._start, self._names, self._written, self._condition, loose)

    def _context(self) -> str:
        collections = all_collections(self._session.study)
        home = next((one for one in collections if one.id == self._recording.collection_id), None)
        return self._written(home.agent_context.strip()) if home is not None else ""

    def _introduced(self) -> list[str]:
        return [f"{self._names[one.id]}: {INTRODUCED[one.role]}" for one in self._people]

    def _defined(self, spec: FormSpec) -> str:
        if not self._ours():
            _require_plain_keys(spec, self._written)
        return self._of_scheme(definitions_of(spec))

    def _of_scheme(self, text: str) -> str:
        return text if self._ours() else "\n".join(map(self._written, text.split("\n")))

    def _given(self) -> list[str]:
        told = self._task.given(self._item)
        if self._task.subject is Subject.SEGMENT:
            return [f"{name}: {on_one_line(self._written(text))}" for name, text in told.items()]
        # What an item of another subject holds was scrubbed text by text when it was made.
        return [line for name, text in told.items() for line in _told_lines(name, text)]

    def _ours(self) -> bool:
        """Tell whether the words of a form stay as they are: the program's own, those made of what was scrubbed."""
        if self._condition == RAW or self._task.subject is not Subject.SEGMENT:
            return True
        try:
            return load_scheme(self._item.scheme.key) == self._item.scheme
        except UserError:
            return False

    def _media(self) -> PlannedMedia | None:
        if (not self._settings.frames and not self._settings.clip) or self._task.shows not in _WITH_PICTURES:
            return None
        source = source_under(self._session, self._recording.id, self._condition)
        if source is None:
            self._notes.append("The recording has no picture, so nothing is shown of it.")
            return None
        media, note = planned_media(source, self._start, self._end, self._settings)
        if note:
            self._notes.append(note)
        return media

    def _seen(self, media: PlannedMedia | None) -> str:
        if self._task.shows is Modality.NOTHING:
            return "Nothing of the recording comes with this."
        length = seconds(self._end - self._start)
        if media is None and self._task.shows is Modality.PICTURES:
            return f"The moment lasts {length}. No pictures of it come with this."
        if media is None and not self._told:
            return f"The moment lasts {length}. Neither pictures nor words of it come with this."
        if media is None:
            return f"The moment lasts {length}. No pictures come with it: go by the words alone."
        if media.clip is not None:
            return f"A video without sound comes with this: the whole moment, {length}."
        count = len(media.frames)
        stamps = [one.shown for one in media.frames if one.shown]
        first = "One picture comes" if count == 1 else f"{count} pictures, in order and evenly spaced, come"
        when = f" Taken at {', '.join(stamps)} from its start." if stamps else ""
        return f"{first} with this, from the moment's {length}.{when}"

    def _note_words(self) -> None:
        if not self._told:
            self._notes.append("What is said is not told.")
            return
        if not self._turns:
            if has_utterances(self._session.study, self._recording.id):
                self._notes.append("Nothing is said in the segment or before it.")
            else:
                self._notes.append("The recording has no transcript, so no words are told.")
            return
        drafts = sum(not turn.checked for turn in self._turns)
        if drafts:
            self._notes.append(f"{drafts} of {len(self._turns)} turns are drafts that nobody checked.")


def _part_of_source(place: Place) -> str:
    """Return the part of what an item was made from, such as the participant of a recording; "" for no item."""
    source = place.frozen.source if place.frozen is not None else None
    return source.part if source is not None else ""


def _told_lines(name: str, text: str) -> list[str]:
    """Return what is told under a name: on its line, or on lines of its own where it has several."""
    lines = [on_one_line(one) for one in text.splitlines() if one.strip()]
    if len(lines) > 1:
        return [f"{name}:", *(f"  {one}" for one in lines)]
    return [f"{name}: {''.join(lines)}".rstrip()]


def _require_plain_keys(spec: FormSpec, written: Written) -> None:
    """Refuse a form that cannot be scrubbed: an answer has to name its fields and choices by their keys.

    Raises:
        UserError: something personal is in one of them.
    """
    for one in spec.asked:
        for key in (one.field.key, *(choice.key for choice in one.field.choices)):
            plain = _SEPARATORS.sub(" ", key)
            if written(plain) != plain:
                raise UserError(
                    f"The key “{key}” of the scheme holds something personal, and a key cannot be written otherwise.",
                    "Give it another key in a new version of the scheme, or keep the word on the page Speech.",
                )
