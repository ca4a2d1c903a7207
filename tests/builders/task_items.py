"""Items of every kind of subject: of every scheme that the program ships, of questions, of chains, of recordings."""

from collections.abc import Iterator

from benchmark.prompts.judge_prompt import TASKS, FrozenContent, PromptSubject
from benchmark.prompts.recording_prompts import DIMENSIONS, EsiPart
from benchmark.questions.question_validity import SINGLE_STEP, required_questions
from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind
from project.entities.judgments import JudgmentTargetKind
from project.entities.questions import Maker, Question, QuestionKind, WrongOption
from project.entities.study_records import Json
from project.schemes.scheme import FieldKind
from project.schemes.scheme_file import load_scheme, shipped_names

PEOPLE = (("Agent", "p1"), ("User", "p2"))
MATERIAL = {
    "chain": "1. event of Agent, 0.0 s to 1.0 s: It asks.\n2. emotion of User, 1.0 s to 2.0 s: glad (because of 1)",
    "words summary": "They talk.",
    "frames summary": "They sit.",
    "looks": "User: green scarf",
    "contradictions": "Who sat down first?",
    "answer before": "He smiles when he says so.",
    "nli question": "What does she mean by “lovely weather”?",
    "episode self": "User. Age: 41.",
    "episode goal": "To sit down.",
}

FACTS = {"statement": "User is glad.", "explanation": "User says so.", "stance": "The statement is true."}


def shrec(label: str = "error", **values: Json) -> PromptSubject:
    """Return a segment of the scheme of social errors."""
    return PromptSubject(load_scheme("shrec"), "segments", label, values, PEOPLE, "Agent")


def every_item() -> Iterator[PromptSubject]:
    """Yield an item of every label of every track of every scheme, filled in by a worked example where there is one."""
    for name in shipped_names():
        scheme = load_scheme(name)
        for track in scheme.tracks:
            for label in ("", *(each_label.key for each_label in track.labels)):
                example = next((each_example for each_example in scheme.examples if each_example.label == label), None)
                values = dict(example.values) if example else {}
                for field in scheme.fields_of(track.key):
                    if field.kind is FieldKind.PARTICIPANT and label:
                        values[field.key] = "p2"
                yield PromptSubject(scheme, track.key, label, values, PEOPLE, "Agent", material=MATERIAL)
                if name == "shrec" and label:
                    options = tuple(f"Option {number}." for number in range(1, 6))
                    yield PromptSubject(
                        *(scheme, track.key, label, values, PEOPLE, "Agent"),
                        frozen=FrozenContent(options, 3, {"shown": "Good morning!"}),
                    )
                if name == "socialnli":
                    yield PromptSubject(
                        *(scheme, track.key, label, values, PEOPLE, "Agent"),
                        material=MATERIAL,
                        frozen=FrozenContent(facts=FACTS),
                    )


def question(wrong: int = 4, place: int = 2, **facts: object) -> Question:
    """Return a question with so many wrong options."""
    usual: dict[str, object] = {
        "id": "q1",
        "recording_id": "r1",
        "chain_id": None,
        "kind": QuestionKind.WHY,
        "aspect": "",
        "covers": ("n2", "n1"),
        "made_from": "",
        "start_us": 0,
        "end_us": 2_000_000,
        "text": "Why is the user glad?",
        "answer": "Because the agent asks.",
        "wrong": tuple(WrongOption(f"Because of thing {number}.") for number in range(wrong)),
        "explanation": "The agent asks, and that gladdens the user.",
        "seed": 3,
        "place": place,
        "maker": Maker.PERSON,
        "annotator_id": "a1",
        "judgment_id": "",
        "at": "2026-01-01T00:00:00Z",
    }
    return Question(**{**usual, **facts})


def graph() -> ChainGraph:
    """Return a line of four nodes, of which the second is an emotion."""
    kinds = (NodeKind.EVENT, NodeKind.EMOTION, NodeKind.INTENT, NodeKind.EVENT)
    texts = ("The agent asks.", "The user is glad.", "The user wants to go on.", "The user laughs.")
    nodes = tuple(
        ChainNode(f"n{at}", "c1", kind, text, at * 1_000_000, (at + 1) * 1_000_000, ("p2",))
        for at, (kind, text) in enumerate(zip(kinds, texts, strict=True), 1)
    )
    edges = tuple(Edge(f"n{at}", f"n{at + 1}") for at in (1, 2, 3))
    return ChainGraph(Chain("c1", "r1", "a1", "Chain 1"), nodes, edges)


def _other(**facts: object) -> PromptSubject:
    scheme = load_scheme("shrec")
    usual: dict[str, object] = {"people": PEOPLE, "agent": "Agent", "material": MATERIAL}
    return PromptSubject(scheme, scheme.tracks[0].key, **{**usual, **facts})


def question_items() -> Iterator[PromptSubject]:
    """Yield questions of two to eight options."""
    for wrong in range(1, 8):
        yield _other(question=question(wrong, wrong // 2), chain=graph())


def chain_items() -> Iterator[PromptSubject]:
    """Yield a chain for each question that the rules ask for."""
    for required_question in required_questions(graph(), (*SINGLE_STEP, QuestionKind.STEPS)):
        yield _other(chain=graph(), part=required_question.part)


def recording_items() -> Iterator[PromptSubject]:
    """Yield recordings, one for each dimension, and one for each participant."""
    for number, dimension in enumerate(DIMENSIONS, 1):
        yield _other(part=EsiPart(1, number, dimension).part)
    for _, who in PEOPLE:
        yield _other(part=who)


def items_for(key: str) -> Iterator[PromptSubject]:
    """Yield the items that a task can be asked about."""
    task = TASKS.make(key)
    of = {
        JudgmentTargetKind.SEGMENT: every_item,
        JudgmentTargetKind.QUESTION: question_items,
        JudgmentTargetKind.CHAIN: chain_items,
        JudgmentTargetKind.RECORDING: recording_items,
    }
    return (item for item in of[task.subject]() if not task.inapplicable_reason(item))
