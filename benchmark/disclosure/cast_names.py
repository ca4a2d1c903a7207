"""What participants are called in requests to judges, and how their names are put into texts and read from answers.

Participants are called by role, and by pseudonym where that is needed to tell two apart. Under a rendering, texts are
scrubbed too.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace

from benchmark.prompts.answer_form import to_single_line
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import RAW_CONDITION
from project.entities.questions import Question
from project.entities.study_records import Participant, ParticipantRole
from project.errors import UserError
from project.queries.pii_rows import PiiVerdict, pii_decisions, private_words, public_words
from project.queries.recording_rows import present_participants
from project.search.free_texts import QUOTED
from project.session.session import PerState, Session

ROLE_NAMES: Mapping[ParticipantRole, str] = {
    ParticipantRole.ROBOT: "Agent",
    ParticipantRole.USER: "User",
    ParticipantRole.BYSTANDER: "Bystander",
    ParticipantRole.CHARACTER: "Character",
}
ROLE_DESCRIPTIONS: Mapping[ParticipantRole, str] = {
    ParticipantRole.ROBOT: "the agent",
    ParticipantRole.USER: "somebody who deals with the agent",
    ParticipantRole.BYSTANDER: "somebody else who is there",
    ParticipantRole.CHARACTER: "somebody in this episode",
}
UNKNOWN_SPEAKER = "Somebody"


def name_participants(people: Iterable[Participant], written: Callable[[str], str]) -> dict[str, str]:
    """Return participant id -> unique name; `written` scrubs texts of the study where they have to be."""
    everybody = list(people)
    shared = Counter(participant.role for participant in everybody)
    found: dict[str, str] = {}
    for participant in everybody:
        role = ROLE_NAMES[participant.role]
        name = (
            role
            if shared[participant.role] == 1
            else f"{role} {to_single_line(written(participant.pseudonym))}".strip()
        )
        found[participant.id] = make_unique(name, found.values())
    return found


def make_unique(name: str, taken: Iterable[str]) -> str:
    """Return a name, with a number after it if it is taken."""
    others, number, unique = {*taken}, 1, name
    while unique in others:
        number += 1
        unique = f"{name} ({number})"
    return unique


def agent_name(people: Iterable[Participant], names: Mapping[str, str]) -> str:
    """Return the name of the agent, of the first if there are several; "" if none takes part."""
    return next((names[person.id] for person in people if person.role is ParticipantRole.ROBOT), "")


TextRewriter = Callable[[str], str]


def find_named(names: Mapping[str, str], texts: Iterable[str]) -> list[str]:
    """Return the ids of the participants whose names are in texts, as whole words."""
    whole = "\n".join(texts)
    return [
        who for who, name in names.items() if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", whole) is not None
    ]


def recording_cast(session: Session, recording_id: str) -> list[Participant]:
    """Return who appears or speaks in a recording, in the order in which they were added to the study.

    They have the same names in every request about its questions and chains, whatever span is shown.
    """
    return present_participants(session.study, recording_id)


def make_name_rewriter(people: Iterable[Participant], names: Mapping[str, str], written: TextRewriter) -> TextRewriter:
    """Return a function that replaces pseudonyms in a text by the names of their people.

    Pseudonyms are matched as whole words, with case. Names that are in the text already stay, so that `User P07` does
    not become `User User P07`.
    """
    called = {person.pseudonym: names[person.id] for person in people if person.pseudonym.strip()}
    called |= {name: name for name in names.values()}
    if not called:
        return written
    longest_first = sorted(called, key=lambda name: (-len(name), name))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def told(text: str) -> str:
        return written(pattern.sub(lambda found: called[found[0]], text))

    return told


def rewrite_question(question: Question, told: TextRewriter) -> Question:
    """Return a question with all texts rewritten; the order of its options stays."""
    return replace(
        question,
        text=told(question.text),
        answer=told(question.answer),
        wrong=tuple(replace(wrong_option, text=told(wrong_option.text)) for wrong_option in question.wrong),
        explanation=told(question.explanation),
    )


def rewrite_chain(graph: ChainGraph, told: TextRewriter) -> ChainGraph:
    """Return a chain with all texts rewritten."""
    nodes = tuple(replace(node, text=told(node.text)) for node in graph.nodes)
    return ChainGraph(replace(graph.chain, name=told(graph.chain.name)), nodes, graph.edges)


TextFilter = Callable[[str], str]


def condition_text_filter(session: Session, condition: str) -> TextFilter:
    """Return the text filter of a condition: none under `RAW_CONDITION`, otherwise a scrubber of personal information.

    The scrubber is that of a release; it is cached for a state of the study.
    """
    if condition == RAW_CONDITION:
        return str
    return _SCRUBBERS.get(session)


def text_review_checksum(session: Session, recording_id: str) -> str:
    """Return a checksum over the confirmed texts of a recording and over what is private.

    It covers private and public words, decisions about hits in texts of the recording or of the whole study, and hidden
    hits in texts that are quoted elsewhere.
    """
    return _CHECKSUMS.get(session, recording_id)


def _compute_checksum(session: Session, recording_id: str) -> str:
    from anonymize.release.release_texts import CONFIRMATION_PROPERTY

    found = session.study.get_property(CONFIRMATION_PROPERTY)
    read = found.get("spoken") if isinstance(found, dict) else None
    confirmed = read.get(recording_id) if isinstance(read, dict) else None
    private = [asdict(private_word) for private_word in private_words(session.study)]
    places = sorted(
        [at.table, at.row, at.field, at.text, at.ordinal, pii_decision.kind, pii_decision.verdict.value]
        for at, pii_decision in pii_decisions(session.study).items()
        if pii_decision.recording_id in (None, recording_id)
        or (at.table in QUOTED and pii_decision.verdict is PiiVerdict.HIDE)
    )
    about = [confirmed, private, sorted(public_words(session.study)), places]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _make_scrubber(session: Session) -> TextFilter:
    # Imported here because they load all release checks, which the window does not need until somebody asks.
    from anonymize.egress.egress_evidence import needs_search
    from anonymize.release.private_content import build_scrubber

    if needs_search(session):
        raise UserError(
            "The texts of this study have not been searched for personal information yet.",
            "Open Speech > Personal information, then ask again.",
        )
    scrubber = build_scrubber(session, quoting=True)
    done: dict[str, str] = {}

    def written(text: str) -> str:
        if text not in done:
            done[text] = scrubber.scrub(text).text
        return done[text]

    return written


_SCRUBBERS = PerState(_make_scrubber)
_CHECKSUMS = PerState(_compute_checksum)


def participants_by_name(session: Session, recording_id: str, condition: str) -> dict[str, Participant]:
    """Return the name that judges are told -> participant."""
    people = recording_cast(session, recording_id)
    try:
        written = condition_text_filter(session, condition)
    except UserError:
        # The texts were not searched since the study was opened, so names with a scrubbed pseudonym are not recognised.
        written = str
    names = name_participants(people, written)
    return {names[person.id]: person for person in people}


def restore_pseudonyms(text: str, called: Mapping[str, Participant]) -> str:
    """Return a text in which names are replaced by pseudonyms.

    `User P07`, `the User P07` and, if there is only one, `User` are names; `user` is a word.
    """
    if not called:
        return text
    longest_first = sorted(called, key=lambda name: (-len(name), name))
    pattern = re.compile(rf"(?<!\w)(?:[Tt]he\s+)?({'|'.join(map(re.escape, longest_first))})(?!\w)")
    return pattern.sub(lambda found: called[found[1]].pseudonym, text)


def find_participant(name: str, called: Mapping[str, Participant]) -> str:
    """Return the id of a participant by name or pseudonym, in any case; "" for an unknown name."""
    folded = " ".join(name.split()).casefold().removeprefix("the ")
    for told, participant in called.items():
        if folded in (told.casefold(), participant.pseudonym.casefold()):
            return participant.id
    return ""
