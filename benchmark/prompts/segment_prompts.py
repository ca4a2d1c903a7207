"""Tasks about segments: the whole form, its parts, ratings, and multiple choice with the options of an item."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from benchmark.items.candidates import normalize_text
from benchmark.prompts.answer_form import LABEL_KEY, MAX_REASON_CHARS, NO_LABEL, AnswerField, FormSpec, label_field
from benchmark.prompts.judge_prompt import PromptSubject, SegmentPrompt
from project.entities.judgments import Modality
from project.entities.questions import LETTERS
from project.entities.study_records import Json, Verdict
from project.schemes.scheme import NUMERIC_KINDS, Extent, Field, FieldChoice, FieldKind, Label
from project.schemes.scheme_file import load_scheme

_NO_LABEL_CHOICE = FieldChoice(NO_LABEL, "None", "Nothing of the kind is to be seen here.")
YES_NO = (FieldChoice("yes", "Yes"), FieldChoice("no", "No"))


def label_choices(item: PromptSubject) -> tuple[FieldChoice, ...]:
    """Return the labels of an item's track as choices, with `none` for tracks of spans.

    A track that rates whole recordings always has one of its labels.
    """
    track = item.scheme.track_or_empty(item.track)
    found = tuple(FieldChoice(label.key, label.name, label.definition) for label in track.labels)
    if track.extent is Extent.SPAN and track.label(NO_LABEL) is None:
        found = (*found, _NO_LABEL_CHOICE)
    return found


def label_answer_field(item: PromptSubject) -> AnswerField:
    """Return a field for the label."""
    return AnswerField(label_field("Label", label_choices(item)), required=True)


def label_problem(item: PromptSubject) -> str:
    """Return why no label can be asked for; "" if one can."""
    if not item.scheme.track_or_empty(item.track).labels:
        return f"{item.scheme.name} has no labels for “{item.track}” any more."
    return ""


def find_label(item: PromptSubject, key: str) -> Label | None:
    """Return a label of the item's track."""
    return item.scheme.track_or_empty(item.track).label(key)


def error_label(item: PromptSubject) -> Label | None:
    """Return the label for errors; None if the track has none."""
    return find_label(item, Verdict.ERROR.value)


def attributes_field(item: PromptSubject) -> Field | None:
    """Return the field of attributes: the first multiple-choice field of the track."""
    fields = item.scheme.fields_of(item.track)
    return next((field for field in fields if field.kind is FieldKind.CHOICES), None)


def attributes_problem(item: PromptSubject) -> str:
    """Return why attributes cannot be asked for; "" if they can."""
    field = attributes_field(item)
    if field is None:
        return f"{item.scheme.name} has no field in which several are chosen."
    if not item.label or find_label(item, item.label) is None or not field.applies_to(item.label):
        return f"{field.name} are asked for where a label is known, and this segment has none that they belong to."
    return ""


_SHOWN_FIELDS = {("socialnli", "statement")}
"""(scheme, key) of fields that are given and not asked for."""


class Assess(SegmentPrompt):
    """The whole form of a segment's scheme: its label or none, and every field of its track.

    SHREC, section 3: verdict, attributes, channel, rationale and, for an error, what should have been done instead.
    In other schemes it is whatever their form holds.
    """

    key: ClassVar[str] = "assess"
    name: ClassVar[str] = "Whole form"
    description: ClassVar[str] = "Label and all fields of the segment's form."
    prompt: ClassVar[str] = "assess"

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: the scheme has no labels for the track."""
        if any(field.key == LABEL_KEY for field in item.scheme.fields_of(item.track)):
            return f"{item.scheme.name} has a field called “{LABEL_KEY}”, as the label is called in an answer."
        return label_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return the label and the fields that are not given."""
        fields = tuple(AnswerField(field) for field in _answerable_fields(item) if not _is_shown(item, field))
        return FormSpec(self.key, (label_answer_field(item), *fields), tuple(item.people))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return the given fields."""
        names = {who: label for label, who in item.people}
        found = {}
        for field in _answerable_fields(item):
            if _is_shown(item, field):
                value = str(item.filled_values[field.key])
                found[field.name] = names.get(value, value) if field.kind is FieldKind.PARTICIPANT else value
        return found

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the label and the values that are asked for."""
        if not item.label:
            return {}
        asked = self.spec(item)
        values = item.scheme.known_values(item.track, item.filled_values)
        return {LABEL_KEY: item.label} | {key: value for key, value in values.items() if asked.has_field(key)}


def _answerable_fields(item: PromptSubject) -> Iterator[Field]:
    """Yield the fields of the track; those for participants only if participants are known."""
    for field in item.scheme.fields_of(item.track):
        if field.kind is not FieldKind.PARTICIPANT or item.people:
            yield field


def _is_shown(item: PromptSubject, field: Field) -> bool:
    about = field.kind is FieldKind.PARTICIPANT or (item.scheme.key, field.key) in _SHOWN_FIELDS
    return about and bool(item.filled_values.get(field.key))


class Attributes(SegmentPrompt):
    """Which of the attributes a segment is about, given its label (SHREC, section 4.1 and appendix B, example 3)."""

    key: ClassVar[str] = "attributes"
    name: ClassVar[str] = "Attributes"
    description: ClassVar[str] = "Which attributes the segment is about, given its label."
    prompt: ClassVar[str] = "attributes"

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: no such field, or no label is known."""
        return attributes_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return the field of attributes."""
        field = attributes_field(item)
        assert field is not None
        return FormSpec(self.key, (AnswerField(field),))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return the label."""
        label = find_label(item, item.label)
        return {"Label": label.name if label else item.label}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the attributes that are filled in."""
        field = attributes_field(item)
        values = item.scheme.known_values(item.track, item.filled_values)
        return {field.key: values[field.key]} if field and field.key in values else {}


class OptionPrompt(SegmentPrompt):
    """Which of the options of an item is right; the answer is its letter."""

    key: ClassVar[str]
    asks_for: ClassVar[str]
    """Definition of the right option, in one sentence."""
    facts: ClassVar[Mapping[str, str]] = {}
    """Facts of the item that are given: key -> heading."""

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: it is no item of a set, or two of its options are equal."""
        frozen = item.frozen
        if frozen is None or not 2 <= len(frozen.options) <= len(LETTERS):
            return "This is asked about items of a set, which bring the options: greenroom benchmark make."
        if not all(frozen.facts.get(key, "").strip() for key in self.facts):
            return "What this is asked about is missing from the item."
        options = [normalize_text(option) for option in frozen.options]
        if len({*options}) < len(options) or not all(options):
            # This includes options that differed only in personal information that was scrubbed.
            return "Two options of this item are the same as they would be told."
        return ""

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return one letter."""
        assert item.frozen is not None
        choices = tuple(FieldChoice(letter, text) for letter, text in zip(LETTERS, item.frozen.options, strict=False))
        field = Field(self.key, FieldKind.CHOICE, "Right option", self.asks_for, choices)
        return FormSpec(self.key, (AnswerField(field, True),))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return the given facts, or else the label."""
        assert item.frozen is not None
        if not self.facts:
            return Attributes().item_texts(item)
        return {name: item.frozen.facts[key] for key, name in self.facts.items()}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the letter of the right option; {} without an item of a set."""
        return {self.key: LETTERS[item.frozen.place]} if item.frozen is not None and item.frozen.options else {}


class Correction(OptionPrompt):
    """What the agent should have done instead of an error (SHREC, section 3.4): five options."""

    key: ClassVar[str] = "correction"
    name: ClassVar[str] = "Correction"
    description: ClassVar[str] = "What the agent should have done instead."
    prompt: ClassVar[str] = "correction"
    asks_for: ClassVar[str] = "What the agent should have done instead."


ERROR_TASK = "error"


class ErrorTask(SegmentPrompt):
    """Whether there is an error (SHREC, section 4.1 and appendix B, example 2: social error or none)."""

    key: ClassVar[str] = ERROR_TASK
    name: ClassVar[str] = "Error or not"
    description: ClassVar[str] = "Whether the segment shows an error."
    prompt: ClassVar[str] = "error"

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: the track has no label for errors."""
        return "" if error_label(item) else f"{item.scheme.name} has no label “error” for “{item.track}”."

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return yes or no."""
        label = error_label(item)
        assert label is not None
        return FormSpec(
            ERROR_TASK, (AnswerField(Field(ERROR_TASK, FieldKind.CHOICE, label.name, label.definition, YES_NO), True),)
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: only footage and conversation are shown."""
        return {}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return whether the label is that of errors."""
        return {ERROR_TASK: "yes" if item.label == ERROR_TASK else "no"} if item.label else {}


MULTIPLE_TASK = "multiple"


class MultiplePrompt(SegmentPrompt):
    """Whether a segment is about more than one attribute, given its label (SHREC, appendix B, example 4)."""

    key: ClassVar[str] = MULTIPLE_TASK
    name: ClassVar[str] = "Several attributes"
    description: ClassVar[str] = "Whether the segment is about more than one attribute, given its label."
    prompt: ClassVar[str] = "multiple"

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: no field of attributes, or no label is known."""
        return attributes_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return yes or no."""
        return FormSpec(
            MULTIPLE_TASK, (AnswerField(Field(MULTIPLE_TASK, FieldKind.CHOICE, "More than one", "", YES_NO), True),)
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return the label."""
        return Attributes().item_texts(item)

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return whether more than one attribute is filled in."""
        field = attributes_field(item)
        values = item.scheme.known_values(item.track, item.filled_values)
        chosen = values.get(field.key) if field else None
        return {MULTIPLE_TASK: "yes" if len(chosen) > 1 else "no"} if isinstance(chosen, list) else {}


class PostConditionPrompt(OptionPrompt):
    """What the agent said after the person's words (SHREC, section 3.3, post-condition): five options."""

    key: ClassVar[str] = "post"
    name: ClassVar[str] = "What came after"
    description: ClassVar[str] = "What the agent answers to what the person said."
    prompt: ClassVar[str] = "post"
    modality: ClassVar[Modality] = Modality.PICTURES
    asks_for: ClassVar[str] = "What the agent says after these words."
    facts: ClassVar[Mapping[str, str]] = {"shown": "What the person says"}


class PreConditionPrompt(OptionPrompt):
    """What the person said before the agent's words (SHREC, section 3.3, pre-condition): five options."""

    key: ClassVar[str] = "pre"
    name: ClassVar[str] = "What came before"
    description: ClassVar[str] = "What the person said that the agent answers."
    prompt: ClassVar[str] = "pre"
    modality: ClassVar[Modality] = Modality.PICTURES
    asks_for: ClassVar[str] = "What was said before these words of the agent."
    facts: ClassVar[Mapping[str, str]] = {"shown": "What the agent says"}


SCHEME = "sotopia-eval"
_REASON = "_reason"


class Ratings(SegmentPrompt):
    """The seven dimensions of SOTOPIA-EVAL (section 3 and its appendix), a whole number and a reason each.

    The rated person is given: the participant of the segment, else the agent, else the first person. Its fields have
    the keys of the scheme `sotopia-eval`.
    """

    key: ClassVar[str] = "ratings"
    name: ClassVar[str] = "Ratings"
    description: ClassVar[str] = "Seven dimensions of how a participant did, each with a reason."
    prompt: ClassVar[str] = "ratings"

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: nobody is known who could be rated."""
        return (
            "" if _rated_name(item) else "Nobody is known to take part, so nobody can be rated. Add participants first."
        )

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return reason and score of each dimension; the reason comes first because that improves scores."""
        scheme = load_scheme(SCHEME)
        asked = []
        for field in scheme.fields:
            if field.kind in NUMERIC_KINDS:
                asked += [
                    AnswerField(scheme.field(field.key + _REASON), max_chars=MAX_REASON_CHARS),
                    AnswerField(field, required=True),
                ]
        return FormSpec(self.key, tuple(asked))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return who is rated."""
        return {"Who is rated": _rated_name(item)}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the ratings of a segment of the scheme `sotopia-eval`."""
        if item.scheme.key != SCHEME:
            return {}
        asked = self.spec(item)
        values = item.scheme.known_values(item.track, item.filled_values)
        found = {key: value for key, value in values.items() if asked.has_field(key)}
        return (
            found
            if all(answer_field.field.key in found for answer_field in asked.fields if answer_field.required)
            else {}
        )


def _rated_name(item: PromptSubject) -> str:
    names = {who: label for label, who in item.people}
    for field in item.scheme.fields_of(item.track):
        if field.kind is FieldKind.PARTICIPANT and item.filled_values.get(field.key) in names:
            return names[str(item.filled_values[field.key])]
    return item.agent or next((label for label, _ in item.people), "")


class Rationale(OptionPrompt):
    """Which reason for an error is the right one (SHREC, section 3.4): five options."""

    key: ClassVar[str] = "rationale"
    name: ClassVar[str] = "Rationale"
    description: ClassVar[str] = "Which reason why the segment shows an error is the right one."
    prompt: ClassVar[str] = "rationale"
    asks_for: ClassVar[str] = "Why the agent's behaviour is an error here."


class VerdictPrompt(SegmentPrompt):
    """The label alone.

    SHREC, section 4.1 and appendix B, example 1: social competence, social error or none. In other schemes, the
    labels of the segment's track.
    """

    key: ClassVar[str] = "verdict"
    name: ClassVar[str] = "Verdict"
    description: ClassVar[str] = "Which label the segment has, or none."
    prompt: ClassVar[str] = "verdict"

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: the scheme has no labels for the track."""
        return label_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return the label."""
        return FormSpec(self.key, (label_answer_field(item),))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: only footage and conversation are shown."""
        return {}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the label."""
        return {LABEL_KEY: item.label} if item.label else {}
