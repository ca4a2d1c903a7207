"""Reads causal chains that judges write as lines of text, and drafts a chain from the explanation of a question."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from annotate.chains.chain_drafts import (
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    ChainDraft,
    draw_node,
    find_cycle,
    to_single_line,
)
from annotate.chains.chain_edits import add_chain_from_draft
from annotate.study.recording_edits import MIN_SPAN_US
from benchmark.disclosure.cast_names import find_participant, participants_by_name, restore_pseudonyms
from benchmark.judging.ask_run import AskRequest
from benchmark.prompts.question_prompts import CHAIN_KEY, EXPLANATION_CHAIN_TASK
from project.entities.causal_chains import ChainNode, NodeKind
from project.entities.judgments import (
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTarget,
    JudgmentTargetKind,
)
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.question_rows import find_question
from project.session.session import Session
from project.text_format import escape_unprintable
from project.timebase import SECOND_US

MAX_LINES = 200
_COLUMN_COUNT = 6
_SPAN_PATTERN = re.compile(
    r"(\d{1,6}(?:\.\d{1,6})?)\s*(?:s\s*)?(?:-|\u2013|to)\s*(\d{1,6}(?:\.\d{1,6})?)\s*s?", re.IGNORECASE
)
_MAX_QUOTED_CHARS = 80


@dataclass(frozen=True, slots=True)
class ReadChain:
    """A chain that was read from lines of text.

    Attributes:
        draft: the chain; without edges where they form a cycle.
        problems: what is wrong, a sentence for each line or edge that was left out, in order.
    """

    draft: ChainDraft
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _ListedNode:
    line_number: int
    node_number: int
    node: ChainNode
    reasons: tuple[int, ...]


def parse_chain(
    text: str, name: str, start_us: int, end_us: int, who: Callable[[str], str], plain: Callable[[str], str] = str
) -> ReadChain:
    """Read a chain of lines `NUMBER | KIND | WHOSE | FROM-TO | TEXT | REASONS`; empty lines are passed over.

    A line that is not of that form, repeats a number, lies outside the span or names somebody unknown is left out;
    so is a reason that is no line of the chain or the line itself. If the edges form a cycle, none is read.

    Args:
        text: the lines; times are seconds from `start_us`.
        name: of the chain.
        start_us: start of the span that it is about, on the recording's axis.
        end_us: end of that span.
        who: returns the id of the person with a name; "" for an unknown name.
        plain: how a node's text is kept.
    """
    problems: list[str] = []
    nodes_by_number: dict[int, _ListedNode] = {}
    numbered_lines = [
        (line_number, line.strip()) for line_number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if len(numbered_lines) > MAX_LINES:
        problems.append(f"Lines after the {MAX_LINES}th are left out.")
    for line_number, line in numbered_lines[:MAX_LINES]:
        parsed = _parse_line(line_number, line, start_us, end_us, who, plain)
        if isinstance(parsed, str):
            problems.append(f"Line {line_number}: {parsed}")
        elif parsed.node_number in nodes_by_number:
            problems.append(f"Line {line_number}: number {parsed.node_number} is there already.")
        else:
            nodes_by_number[parsed.node_number] = parsed
    positions = {number: position for position, number in enumerate(nodes_by_number)}
    edges: list[tuple[int, int]] = []
    for position, listed_node in enumerate(nodes_by_number.values()):
        for reason in listed_node.reasons:
            if reason not in positions or reason == listed_node.node_number:
                problems.append(f"Line {listed_node.line_number}: {reason} is no other line of the chain.")
            else:
                edges.append((positions[reason], position))
    if find_cycle(len(nodes_by_number), edges):
        problems.append("The reasons go round in a circle, so none of them is drawn.")
        edges = []
    return ReadChain(
        ChainDraft(name, tuple(listed_node.node for listed_node in nodes_by_number.values()), tuple(edges)),
        tuple(problems),
    )


def _parse_line(
    place: int, line: str, start_us: int, end_us: int, who: Callable[[str], str], plain: Callable[[str], str]
) -> _ListedNode | str:
    """Return a line that was read, else what is wrong with it."""
    parts = [part.strip() for part in line.removeprefix("|").removesuffix("|").split("|")]
    if line.rstrip().endswith("|") and len(parts) == _COLUMN_COUNT - 1:
        # The bar at the end precedes an empty list of reasons.
        parts.append("")
    if len(parts) != _COLUMN_COUNT:
        return f"it has {len(parts)} parts, and needs {_COLUMN_COUNT}: {_truncate(line)}"
    number, kind, whose, span, told, because = parts
    if not re.fullmatch(r"\d{1,4}", number, re.ASCII):
        return f"it begins with no number: {_truncate(line)}"
    if kind.lower() not in {node_kind.value for node_kind in NodeKind}:
        return f"“{_truncate(kind)}” is no kind of node."
    times = _SPAN_PATTERN.fullmatch(span)
    if times is None:
        return f"“{_truncate(span)}” is no span of seconds."
    start, end = (start_us + round(float(time) * SECOND_US) for time in times.groups())
    if not start_us <= start < start + MIN_SPAN_US <= end <= end_us:
        return f"“{_truncate(span)}” does not lie inside what was shown."
    people = [part.strip() for part in whose.split(",") if part.strip()]
    if unknown := next((person for person in people if not who(person)), ""):
        return f"nobody here is called “{_truncate(unknown)}”."
    text = to_single_line(plain(told))
    if not text or len(text) > MAX_TEXT_CHARS:
        return "its text is empty." if not text else "its text is too long."
    if because and not re.fullmatch(r"\d{1,4}(?:\s*,\s*\d{1,4})*", because, re.ASCII):
        return f"“{_truncate(because)}” are no numbers of reasons."
    reasons = tuple(dict.fromkeys(int(part) for part in because.split(",") if part.strip()))
    node = draw_node(NodeKind(kind.lower()), text, start, end, tuple(sorted({who(person) for person in people})))
    return _ListedNode(place, int(number), node, reasons)


def _truncate(text: str) -> str:
    text = escape_unprintable(" ".join(text.split()))
    return text if len(text) <= _MAX_QUOTED_CHARS else f"{text[:_MAX_QUOTED_CHARS]}…"


DRAFT_PREFIX = "Draft: "
"""Prefix of the name of a draft."""


def explanation_chain_request(question_id: str, judge: JudgeEntry) -> AskRequest:
    """Return a request to write the explanation of a question as a chain."""
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, question_id)
    return AskRequest([judge], [about.key], EXPLANATION_CHAIN_TASK)


def read_chain_answer(session: Session, judgment: Judgment) -> ReadChain:
    """Return the chain that a judge wrote, and what of it cannot be read (`parse_chain`).

    People are known by what they were called in front of the judge, or by pseudonym; texts are kept with pseudonyms.
    """
    if judgment.task != EXPLANATION_CHAIN_TASK or judgment.status is not JudgmentStatus.OK:
        raise UserError("The judge drew no chain.", "Ask again, or ask another judge.")
    question = find_question(session.study, judgment.question_id)
    participants = participants_by_name(session, judgment.recording_id, judgment.condition)
    return parse_chain(
        str(judgment.answer.get(CHAIN_KEY, "")),
        _draft_name(question.text if question else ""),
        judgment.start_us,
        judgment.end_us,
        lambda text: find_participant(text, participants),
        lambda text: restore_pseudonyms(text, participants),
    )


def add_chain_draft(session: Session, judgment: Judgment) -> tuple[str, Changes]:
    """Draw the chain that a judge wrote, as a draft of this session's annotator, in one step; returns its id.

    What cannot be read is left out; `read_chain_answer` reports it.
    """
    session.study.require_writable()
    found = read_chain_answer(session, judgment)
    if not found.draft.nodes:
        first = next(iter(found.problems), "It is empty.")
        raise UserError(f"The judge's chain cannot be read. {first}", "Ask another judge, or draw the chain yourself.")
    return add_chain_from_draft(session, judgment.recording_id, found.draft, what="Draft chain from explanation")


def _draft_name(text: str) -> str:
    name = to_single_line(f"{DRAFT_PREFIX}{text or 'from an explanation'}")
    return name if len(name) <= MAX_NAME_CHARS else f"{name[: MAX_NAME_CHARS - 1]}…"
