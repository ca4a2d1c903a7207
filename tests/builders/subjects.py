"""Everything that a judge can be asked about besides segments, put into a study: chain, question, meta information."""

from annotate.chains.chain_drafts import ChainDraft, draw_node
from annotate.chains.chain_edits import add_chain_from_draft
from annotate.study.people import add_participant
from benchmark.prompts.episode_prompts import ACT_TASK as ACT
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK as RATINGS
from benchmark.prompts.episode_prompts import turn_part
from benchmark.prompts.judge_prompt import ITEM_ONLY_TASKS, TASKS
from benchmark.prompts.recording_prompts import EsiPart
from benchmark.questions.question_edits import add_questions
from benchmark.questions.question_validity import SINGLE_STEP, required_questions
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import (
    Contradiction,
    LookKind,
    Maker,
    PersonDescription,
    Question,
    QuestionKind,
    Summary,
    SummarySource,
    WrongOption,
)
from project.entities.roleplay import (
    PROFILE_FIELDS,
    AgentPlayer,
    Episode,
    EpisodeAgent,
    EpisodeSource,
    Profile,
    Relationship,
)
from project.entities.study_records import ParticipantRole
from project.ids import new_id
from project.queries.chain_rows import find_chain, read_graph
from project.queries.episode_rows import set_agents, set_episode
from project.queries.question_rows import insert_contradictions, set_person_description, set_summary
from project.session.session import Session
from project.timebase import utc_now
from tests.builders.choices import choice_asked
from tests.builders.statements import inferences_asked, statement_asked

KINDS = (NodeKind.EVENT, NodeKind.BELIEF, NodeKind.EMOTION, NodeKind.EVENT)


def a_chain(session: Session, recording_id: str, word: str = "", people: tuple[str, ...] = ()) -> ChainGraph:
    """Draw a line of four nodes in the first seconds of a recording, each of whose texts begins with a word."""
    texts = ("asks something.", "takes it for a joke.", "is amused.", "laughs.")
    length = session.recording(recording_id).duration_us // 10
    nodes = tuple(
        draw_node(kind, f"{word} {text}".strip(), at * length, (at + 1) * length, people)
        for at, (kind, text) in enumerate(zip(KINDS, texts, strict=True))
    )
    made, _ = add_chain_from_draft(
        session, recording_id, ChainDraft(f"{word} chain".strip(), nodes, ((0, 1), (1, 2), (2, 3)))
    )
    chain = find_chain(session.study, made)
    assert chain is not None
    return read_graph(session.study, chain)


def a_question(
    session: Session, recording_id: str, word: str = "", kind: QuestionKind = QuestionKind.WRITTEN
) -> Question:
    """Add a question over a whole recording, in each of whose texts there is a word."""
    made = Question(
        id=new_id(),
        recording_id=recording_id,
        chain_id=None,
        kind=kind,
        aspect="",
        covers=(),
        made_from="",
        start_us=0,
        end_us=session.recording(recording_id).duration_us,
        text=f"Why does {word or 'somebody'} laugh?",
        answer=f"{word} takes it for a joke.".strip(),
        wrong=tuple(
            WrongOption(f"{word} {text}.".strip()) for text in ("is bored", "wants to leave", "fell", "is ill")
        ),
        explanation=f"{word} heard the question as a joke, which amused.".strip(),
        seed=1,
        place=2,
        maker=Maker.PERSON,
        annotator_id="",
        judgment_id="",
        at=utc_now(),
    )
    add_questions(session, [made])
    return made


def gather(session: Session, recording_id: str, word: str = "", participant_id: str = "") -> None:
    """Note a look, both summaries and a contradiction of a recording, a word in each."""
    with session.step("Gather"):
        if participant_id:
            set_person_description(
                session.study, PersonDescription(recording_id, participant_id, LookKind.HAIR, f"hair like {word}")
            )
        for source in SummarySource:
            set_summary(session.study, Summary(recording_id, source, f"{word} talks.\n{word} laughs.", ""))
        note = Contradiction(new_id(), recording_id, f"Does {word} laugh?", f"{word} does.", True, "")
        insert_contradictions(session.study, [note])


def role_play(session: Session, recording_id: str, word: str = "") -> str:
    """Make a recording an episode of two, a word in each of its texts; returns the first one's participant."""
    people = [add_participant(session, name, ParticipantRole.USER, recording_id)[0] for name in ("E01", "E02")]
    here = Episode(recording_id, f"{word} waits at a stall.", Relationship.FRIEND, EpisodeSource.PLAYED)
    agents = [
        EpisodeAgent(recording_id, at, who, _profile(name, word), f"To please {word}.", AgentPlayer.PERSON)
        for at, (who, name) in enumerate(zip(people, ("Anna", "Bram"), strict=True))
    ]
    with session.step("Role-play"):
        set_episode(session.study, here)
        set_agents(session.study, agents)
    return people[0]


def _profile(name: str, word: str) -> Profile:
    return Profile(f"{name} {word}".strip(), *(f"of {word}" for _ in PROFILE_FIELDS))


def asked_about(session: Session, task: str, recording_id: str, segment_id: str, word: str = "") -> str:
    """Return what a task can be asked about, made where it is not a segment."""
    match TASKS.make(task).subject:
        case JudgmentTargetKind.SEGMENT if task.startswith("nli_"):
            return statement_asked(session, task, recording_id, word)
        case JudgmentTargetKind.SEGMENT if task in ITEM_ONLY_TASKS:
            return choice_asked(session, task, recording_id, word)
        case JudgmentTargetKind.SEGMENT:
            return segment_id
        case JudgmentTargetKind.QUESTION:
            return JudgmentTarget(JudgmentTargetKind.QUESTION, a_question(session, recording_id, word).id).key
        case JudgmentTargetKind.CHAIN:
            graph = a_chain(session, recording_id, word)
            wanted = required_questions(graph, (*SINGLE_STEP, QuestionKind.STEPS))[-1]
            return JudgmentTarget(JudgmentTargetKind.CHAIN, graph.chain.id, wanted.part).key
        case JudgmentTargetKind.RECORDING if task in (ACT, RATINGS):
            first = role_play(session, recording_id, word)
            return JudgmentTarget(
                JudgmentTargetKind.RECORDING, recording_id, turn_part(0, 1) if task == ACT else first
            ).key
        case JudgmentTargetKind.RECORDING if task == "nli_inferences":
            return inferences_asked(session, recording_id, word)
        case JudgmentTargetKind.RECORDING:
            gather(session, recording_id, word)
            return JudgmentTarget(JudgmentTargetKind.RECORDING, recording_id, EsiPart(1, 3, "EBR").part).key
