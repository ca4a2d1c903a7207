"""Everything that a judge can be asked about besides segments, put into a study: chain, question, meta information."""

from app.core.chains.drawing import Drawing, DrawnNode
from app.core.clock import utc_now
from app.core.commands.chains import add_drawn_chain
from app.core.commands.participants import add_participant
from app.core.commands.questions import add_questions
from app.core.session import Session
from benchmark.questions.base import SINGLE_STEP, wanted_from
from benchmark.tasks.act import KEY as ACT
from benchmark.tasks.act import part_of
from benchmark.tasks.episode_ratings import KEY as RATINGS
from benchmark.tasks.esi_dimensions import EsiPart
from benchmark.tasks.registry import OF_SETS, task_of
from project.chains import ChainGraph, NodeKind
from project.episodes import PROFILE, Episode, EpisodeAgent, EpisodeSource, Player, Profile, Relationship
from project.ids import new_id
from project.judging import About, Subject
from project.queries.chains import chain_called, graph_of
from project.queries.episodes import set_agents, set_episode
from project.queries.meta import insert_contradictions, set_look, set_summary
from project.questions import (
    Contradiction,
    Look,
    LookKind,
    Maker,
    Question,
    QuestionKind,
    Summary,
    SummarySource,
    WrongOption,
)
from project.types import ParticipantRole
from tests.fakes.choices import choice_asked
from tests.fakes.statements import inferences_asked, statement_asked

KINDS = (NodeKind.EVENT, NodeKind.BELIEF, NodeKind.EMOTION, NodeKind.EVENT)


def a_chain(session: Session, recording_id: str, word: str = "", people: tuple[str, ...] = ()) -> ChainGraph:
    """Draw a line of four nodes in the first seconds of a recording, each of whose texts begins with a word."""
    texts = ("asks something.", "takes it for a joke.", "is amused.", "laughs.")
    length = session.recording(recording_id).duration_us // 10
    nodes = tuple(
        DrawnNode(kind, f"{word} {text}".strip(), at * length, (at + 1) * length, people)
        for at, (kind, text) in enumerate(zip(KINDS, texts, strict=True))
    )
    made, _ = add_drawn_chain(session, recording_id, Drawing(f"{word} chain".strip(), nodes, ((0, 1), (1, 2), (2, 3))))
    chain = chain_called(session.study, made)
    assert chain is not None
    return graph_of(session.study, chain)


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
        wrong=tuple(WrongOption(f"{word} {one}.".strip()) for one in ("is bored", "wants to leave", "fell", "is ill")),
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
            set_look(session.study, Look(recording_id, participant_id, LookKind.HAIR, f"hair like {word}"))
        for source in SummarySource:
            set_summary(session.study, Summary(recording_id, source, f"{word} talks.\n{word} laughs.", ""))
        note = Contradiction(new_id(), recording_id, f"Does {word} laugh?", f"{word} does.", True, "")
        insert_contradictions(session.study, [note])


def role_play(session: Session, recording_id: str, word: str = "") -> str:
    """Make a recording an episode of two, a word in each of its texts; returns the first one's participant."""
    people = [add_participant(session, name, ParticipantRole.USER, recording_id)[0] for name in ("E01", "E02")]
    here = Episode(recording_id, f"{word} waits at a stall.", Relationship.FRIEND, EpisodeSource.PLAYED)
    agents = [
        EpisodeAgent(recording_id, at, who, _profile(name, word), f"To please {word}.", Player.PERSON)
        for at, (who, name) in enumerate(zip(people, ("Anna", "Bram"), strict=True))
    ]
    with session.step("Role-play"):
        set_episode(session.study, here)
        set_agents(session.study, agents)
    return people[0]


def _profile(name: str, word: str) -> Profile:
    return Profile(f"{name} {word}".strip(), *(f"of {word}" for _ in PROFILE))


def asked_about(session: Session, task: str, recording_id: str, segment_id: str, word: str = "") -> str:
    """Return what a task can be asked about, made where it is not a segment."""
    match task_of(task).subject:
        case Subject.SEGMENT if task.startswith("nli_"):
            return statement_asked(session, task, recording_id, word)
        case Subject.SEGMENT if task in OF_SETS:
            return choice_asked(session, task, recording_id, word)
        case Subject.SEGMENT:
            return segment_id
        case Subject.QUESTION:
            return About(Subject.QUESTION, a_question(session, recording_id, word).id).key
        case Subject.CHAIN:
            graph = a_chain(session, recording_id, word)
            wanted = wanted_from(graph, (*SINGLE_STEP, QuestionKind.STEPS))[-1]
            return About(Subject.CHAIN, graph.chain.id, wanted.part).key
        case Subject.RECORDING if task in (ACT, RATINGS):
            first = role_play(session, recording_id, word)
            return About(Subject.RECORDING, recording_id, part_of(0, 1) if task == ACT else first).key
        case Subject.RECORDING if task == "nli_inferences":
            return inferences_asked(session, recording_id, word)
        case Subject.RECORDING:
            gather(session, recording_id, word)
            return About(Subject.RECORDING, recording_id, EsiPart(1, 3, "EBR").part).key
