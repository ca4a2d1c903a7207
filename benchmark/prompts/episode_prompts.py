"""Tasks about role-played episodes: the next turn of an agent, and ratings of a participant on seven dimensions."""

from collections.abc import Mapping
from dataclasses import replace

from benchmark.metrics.published_figures import DIMENSIONS, REASON_SUFFIX, SCHEME
from benchmark.prompts.answer_form import MAX_REASON_CHARS, MAX_TEXT_CHARS, AnswerField, FormSpec
from benchmark.prompts.judge_prompt import PromptSubject, text_field
from benchmark.prompts.recording_prompts import RecordingPrompt
from project.entities.judgments import Modality
from project.entities.roleplay import Act, AgentTurn
from project.entities.study_records import Json
from project.schemes.scheme import Field, FieldChoice, FieldKind
from project.schemes.scheme_file import load_scheme

ACT_TASK = "act"
ACT, TEXT = "act", "text"
"""Keys of an answer: the kind of turn, and its text."""
SELF_MATERIAL = "episode self"
ACT_MATERIAL: Mapping[str, str] = {
    "episode scene": "The situation",
    SELF_MATERIAL: "Who you are",
    "episode goal": "What you want",
    "episode others": "What you know of the others",
    "episode turn": "Where it stands",
}
"""Key of material -> its heading in the prompt."""
_CHOICES = (
    FieldChoice(Act.SPEAK.value, "Speak", "You say something; give the words alone."),
    FieldChoice(Act.NONVERBAL.value, "Non-verbal", "A gesture, a look or a face, such as a nod; in a few words."),
    FieldChoice(Act.ACTION.value, "Action", "You do something with your body or a thing; in a few words."),
    FieldChoice(Act.NONE.value, "Nothing", "You stay silent and let the others go on."),
    FieldChoice(Act.LEAVE.value, "Leave", "You go, and the episode ends with that."),
)


def turn_part(position: int, turn: int) -> str:
    """Return the part of a recording for a turn: the position of the agent, and the number of the turn from 1."""
    return f"{position}.{turn}"


def agent_position(part: str) -> int | None:
    """Return the position of the agent in a part; None if there is none."""
    position = part.partition(".")[0]
    return int(position) if position.isascii() and position.isdecimal() else None


def read_turn_answer(answer: Mapping[str, Json]) -> AgentTurn:
    """Return the turn of an answer; one without text is `none`."""
    act = Act(str(answer.get(ACT, Act.NONE.value)))
    text = str(answer.get(TEXT, "") or "").strip()
    if act in (Act.SPEAK, Act.NONVERBAL, Act.ACTION) and not text:
        return AgentTurn(Act.NONE)
    return AgentTurn(act) if act is Act.NONE else AgentTurn(act, text)


class ActPrompt(RecordingPrompt):
    """The next turn of one agent, who knows the situation, itself, and of the others what it may (SOTOPIA, section 2).

    Temperature is a setting of the judge; the paper's agents have 1.
    """

    key = ACT_TASK
    name = "Act"
    description = "What an agent of a role-played episode does next."
    modality = Modality.TEXT
    material = tuple(ACT_MATERIAL)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return (
            ""
            if item.material.get(SELF_MATERIAL)
            else "This recording is no episode with such an agent. Start one first."
        )

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        act = Field(ACT, FieldKind.CHOICE, "Kind", "What kind of turn it is.", _CHOICES)
        about = "What you say, or what is to be seen of it; empty for none and leave."
        return self.form(
            AnswerField(act, required=True), text_field(TEXT, "Words", MAX_TEXT_CHARS, about, required=False)
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        return {name: item.material[key] for key, name in ACT_MATERIAL.items() if item.material.get(key)}


EPISODE_RATINGS_TASK = "episode_ratings"
RATINGS_MATERIAL: Mapping[str, str] = {
    "episode scene": "The situation",
    "episode everybody": "Who takes part, what they want and what they hide",
}
_RATED_HEADING = "Who is rated"
_REASON_STEPS: Mapping[str, str] = {
    "believability": "First whether they deal with the others as a person would: do they mix up who they are, repeat "
    "without need, or overdo their manners? Then whether what they do fits their character and values.",
    "relationship": "First how they stood to the others before, then what the episode did to that, and to how others "
    "think of them.",
    "knowledge": "First what they learned, then what of that was new to them, then how much of it matters to them.",
    "secret": "First what they want to keep to themselves, a secret or an intention, then what of it came out.",
    "social_rules": "Whether they broke a law, or a rule of decent conduct, and how gravely.",
    "financial": "What they gained or lost in money or things, at once and in the long run.",
    "goal": "First what they wanted, then how far they got with it.",
}
"""Dimension -> the steps of its reason, paraphrased from SOTOPIA, appendix C."""


class EpisodeRatingsPrompt(RecordingPrompt):
    """The seven dimensions of SOTOPIA-EVAL about one participant, each with its reason first (SOTOPIA, appendix C).

    The part is the participant's id. Temperature is a setting of the judge; the paper's evaluator has 0.
    """

    key = EPISODE_RATINGS_TASK
    name = "Ratings of an episode"
    description = "Seven dimensions of how a participant of an episode did, each with a reason."
    material = tuple(RATINGS_MATERIAL)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return "" if _rated_name(item) else "Nobody is named who could be rated. Name a participant of the recording."

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return reason and score of each dimension, in the order of the paper's instructions."""
        scheme = load_scheme(SCHEME)
        asked = []
        for key in DIMENSIONS:
            reason = replace(scheme.field(key + REASON_SUFFIX), definition=_REASON_STEPS[key])
            asked += [AnswerField(reason, max_chars=MAX_REASON_CHARS), AnswerField(scheme.field(key), required=True)]
        return self.form(*asked)

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        known = {name: item.material[key] for key, name in RATINGS_MATERIAL.items() if item.material.get(key)}
        return {**known, _RATED_HEADING: _rated_name(item)}


def _rated_name(item: PromptSubject) -> str:
    """Return the name of the participant in the part; "" if there is none."""
    return next((label for label, who in item.people if who == item.part), "")
