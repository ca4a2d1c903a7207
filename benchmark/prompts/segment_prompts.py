"""Tasks about segments: the whole form, its parts, ratings, and multiple choice with the options of an item."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmark.items.candidates import normalize_text
from benchmark.metrics.published_figures import REASON_SUFFIX, SCHEME
from benchmark.prompts.answer_form import LABEL_KEY, MAX_REASON_CHARS, NO_LABEL, AnswerField, FormSpec, label_field
from benchmark.prompts.judge_prompt import JudgePrompt, PromptSubject
from project.entities.judgments import Modality
from project.entities.questions import LETTERS
from project.entities.study_records import Json, Verdict
from project.schemes.scheme import NUMERIC_KINDS, Extent, Field, FieldChoice, FieldKind, Label
from project.schemes.scheme_file import load_scheme

_NO_LABEL_CHOICE = FieldChoice(NO_LABEL, "None", "Nothing of the kind is to be seen here.")
YES_NO = (FieldChoice("yes", "Yes"), FieldChoice("no", "No"))


def label_choices(item: PromptSubject) -> tuple[FieldChoice, ...]:
    """Return the labels of an item's track as choices, with `none` for tracks of spans and of points.

    A track that rates whole recordings always has one of its labels.
    """
    track = item.scheme.track_or_empty(item.track)
    found = tuple(FieldChoice(label.key, label.name, label.definition) for label in track.offered_labels)
    if track.extent in (Extent.SPAN, Extent.POINT) and track.label(NO_LABEL) is None:
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
        return f"{item.scheme.name} has no field with several choices."
    if not item.label or find_label(item, item.label) is None or not field.applies_to(item.label):
        return f"{field.name} are asked for where a label is known, and this segment has none that they belong to."
    return ""


_SHOWN_FIELDS = {("socialnli", "statement")}
"""(scheme, key) of fields that are given and not asked for."""


class AssessPrompt(JudgePrompt):
    """The whole form of a segment's scheme: its label or none, and every field of its track.

    SHREC, section 3: verdict, attributes, channel, rationale and, for an error, what should have been done instead.
    In other schemes it is whatever their form holds.
    """

    key = "assess"
    name = "Whole form"
    description = "Label and all fields of the segment's form."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        if any(field.key == LABEL_KEY for field in item.scheme.fields_of(item.track)):
            return f"{item.scheme.name} has a field called “{LABEL_KEY}”, as the label is called in an answer."
        return label_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:
        fields = tuple(AnswerField(field) for field in _answerable_fields(item) if not _is_shown(item, field))
        return FormSpec(self.key, (label_answer_field(item), *fields), tuple(item.people))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        names = {who: label for label, who in item.people}
        found = {}
        for field in _answerable_fields(item):
            if _is_shown(item, field):
                value = str(item.filled_values[field.key])
                found[field.name] = names.get(value, value) if field.kind is FieldKind.PARTICIPANT else value
        return found

    def truth(self, item: PromptSubject) -> dict[str, Json]:
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


class AttributesPrompt(JudgePrompt):
    """Which of the attributes a segment is about, given its label (SHREC, section 4.1 and appendix B, example 3)."""

    key = "attributes"
    name = "Attributes"
    description = "Which attributes the segment is about, given its label."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return attributes_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:
        attributes = attributes_field(item)
        assert attributes is not None
        return self.form(AnswerField(attributes))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        label = find_label(item, item.label)
        return {"Label": label.name if label else item.label}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        field = attributes_field(item)
        values = item.scheme.known_values(item.track, item.filled_values)
        return {field.key: values[field.key]} if field and field.key in values else {}


_WORDS_FACT = "shown"
"""Key of the words of the other side among the facts of an item."""


@dataclass(frozen=True)
class OptionPrompt(JudgePrompt):
    """Which of the options of an item is right; the answer is its letter (SHREC, sections 3.3 and 3.4: five options).

    Attributes:
        asks_for: definition of the right option, in one sentence.
        heading: of the words that are given; "" where the label is given instead.
    """

    key: str
    name: str
    description: str
    asks_for: str
    modality: Modality = Modality.BOTH
    heading: str = ""

    def inapplicable_reason(self, item: PromptSubject) -> str:
        frozen = item.frozen
        if frozen is None or not 2 <= len(frozen.options) <= len(LETTERS):
            return "This is asked about items of a set, which bring the options: greenroom benchmark make."
        if self.heading and not frozen.facts.get(_WORDS_FACT, "").strip():
            return "What this is asked about is missing from the item."
        options = [normalize_text(option) for option in frozen.options]
        if len({*options}) < len(options) or not all(options):
            # This includes options that differed only in personal information that was scrubbed.
            return "Two options of this item are the same as they would be told."
        return ""

    def spec(self, item: PromptSubject) -> FormSpec:
        assert item.frozen is not None
        choices = tuple(FieldChoice(letter, text) for letter, text in zip(LETTERS, item.frozen.options, strict=False))
        return self.form(AnswerField(Field(self.key, FieldKind.CHOICE, "Right option", self.asks_for, choices), True))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        assert item.frozen is not None
        return {self.heading: item.frozen.facts[_WORDS_FACT]} if self.heading else AttributesPrompt().item_texts(item)

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        return {self.key: LETTERS[item.frozen.place]} if item.frozen is not None and item.frozen.options else {}


CORRECTION = OptionPrompt(
    "correction", "Correction", "What the agent should have done instead.", "What the agent should have done instead."
)
RATIONALE = OptionPrompt(
    "rationale",
    "Rationale",
    "Which reason why the segment shows an error is the right one.",
    "Why the agent's behaviour is an error here.",
)
PRE = OptionPrompt(
    "pre",
    "What came before",
    "What the person said that the agent answers.",
    "What was said before these words of the agent.",
    Modality.PICTURES,
    "What the agent says",
)
POST = OptionPrompt(
    "post",
    "What came after",
    "What the agent answers to what the person said.",
    "What the agent says after these words.",
    Modality.PICTURES,
    "What the person says",
)


ERROR_TASK = "error"


class ErrorPrompt(JudgePrompt):
    """Whether there is an error (SHREC, section 4.1 and appendix B, example 2: social error or none)."""

    key = ERROR_TASK
    name = "Error or not"
    description = "Whether the segment shows an error."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return "" if error_label(item) else f"{item.scheme.name} has no label “error” for “{item.track}”."

    def spec(self, item: PromptSubject) -> FormSpec:
        label = error_label(item)
        assert label is not None
        return self.form(AnswerField(Field(ERROR_TASK, FieldKind.CHOICE, label.name, label.definition, YES_NO), True))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        return {ERROR_TASK: "yes" if item.label == ERROR_TASK else "no"} if item.label else {}


MULTIPLE_TASK = "multiple"


class MultiplePrompt(JudgePrompt):
    """Whether a segment is about more than one attribute, given its label (SHREC, appendix B, example 4)."""

    key = MULTIPLE_TASK
    name = "Several attributes"
    description = "Whether the segment is about more than one attribute, given its label."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return attributes_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        return self.form(AnswerField(Field(MULTIPLE_TASK, FieldKind.CHOICE, "More than one", "", YES_NO), True))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        return AttributesPrompt().item_texts(item)

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        field = attributes_field(item)
        values = item.scheme.known_values(item.track, item.filled_values)
        chosen = values.get(field.key) if field else None
        return {MULTIPLE_TASK: "yes" if len(chosen) > 1 else "no"} if isinstance(chosen, list) else {}


class RatingsPrompt(JudgePrompt):
    """The seven dimensions of SOTOPIA-EVAL (section 3 and its appendix), a whole number and a reason each.

    The rated person is given: the participant of the segment, else the agent, else the first person. Its fields have
    the keys of the scheme `sotopia-eval`.
    """

    key = "ratings"
    name = "Ratings"
    description = "Seven dimensions of how a participant did, each with a reason."

    def inapplicable_reason(self, item: PromptSubject) -> str:
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
                    AnswerField(scheme.field(field.key + REASON_SUFFIX), max_chars=MAX_REASON_CHARS),
                    AnswerField(field, required=True),
                ]
        return self.form(*asked)

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        return {"Who is rated": _rated_name(item)}

    def truth(self, item: PromptSubject) -> dict[str, Json]:
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


class VerdictPrompt(JudgePrompt):
    """The label alone.

    SHREC, section 4.1 and appendix B, example 1: social competence, social error or none. In other schemes, the
    labels of the segment's track.
    """

    key = "verdict"
    name = "Verdict"
    description = "Which label the segment has, or none."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return label_problem(item)

    def spec(self, item: PromptSubject) -> FormSpec:
        return self.form(label_answer_field(item))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        return {LABEL_KEY: item.label} if item.label else {}
