"""Formats a conversation as lines of a prompt, and shortens it by fixed rules if it is too long for a judge."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.cues.cue_marks import CueMark, cues_by_utterance
from annotate.transcript.conversation_history import DialogueTurn
from benchmark.disclosure.cast_names import UNKNOWN_SPEAKER, TextFilter
from benchmark.judge_input.input_plan import ShorteningNote
from benchmark.prompts.answer_form import to_single_line
from project.entities.judgments import RAW_CONDITION
from project.session.session import Session
from project.timebase import SECOND_US

SHORTENING_RULES: Mapping[str, str] = {
    "before": "Turns before the segment are left out, the oldest first.",
    "long": "A longer turn loses its middle.",
    "middle": "Turns in the middle of the segment are left out.",
    "frames": "Fewer frames are shown, evenly spaced, where a model says that its context is full.",
}
"""All rules, in the order in which they are applied; a later one only if the earlier ones do not suffice."""
MAX_TURN_CHARS = 1_000
"""Characters that a turn keeps by the rule `long`."""
_ELLIPSIS = "[…]"


@dataclass(frozen=True, slots=True)
class PromptTurn:
    """One line of a conversation in a prompt.

    Attributes:
        head: time and speaker.
        text: what is said.
        precedes_segment: it is before the segment, not inside.
    """

    head: str
    text: str
    precedes_segment: bool

    @property
    def size(self) -> int:
        """Characters, with the line break."""
        return len(self.head) + len(self.text) + 1


def shorten_turns(lines: Sequence[PromptTurn], longest: int) -> tuple[list[PromptTurn], tuple[ShorteningNote, ...]]:
    """Return the turns that are kept, with notes in place of omitted ones, and what was left out.

    All together have at most `longest` characters.
    """
    done: list[ShorteningNote] = []
    kept, gone = _drop_oldest(lines, longest)
    if gone:
        done.append(ShorteningNote("before", len(gone), _size(gone)))
    if _size(kept) > longest:
        cut = [_cut_middle(prompt_turn) for prompt_turn in kept]
        saved = _size(kept) - _size(cut)
        if saved > 0:
            done.append(ShorteningNote("long", sum(a != b for a, b in zip(kept, cut, strict=True)), saved))
        kept = cut
    head = [_omission_note(len(gone), before=True)] if gone else []
    if _size(kept) <= longest or len(kept) == 1:
        return head + kept, tuple(done)
    first, last = _count_kept_ends(kept, longest)
    left = kept[first : len(kept) - last]
    done.append(ShorteningNote("middle", len(left), _size(left)))
    return [*head, *kept[:first], _omission_note(len(left), before=False), *kept[len(kept) - last :]], tuple(done)


def _drop_oldest(lines: Sequence[PromptTurn], longest: int) -> tuple[list[PromptTurn], list[PromptTurn]]:
    """Drop the oldest turns before the segment until the rest fits; returns the kept and the dropped turns."""
    size, count = _size(lines), 0
    while count < len(lines) and lines[count].precedes_segment and size > longest:
        size -= lines[count].size
        count += 1
    return [*lines[count:]], [*lines[:count]]


def _cut_middle(line: PromptTurn) -> PromptTurn:
    if len(line.text) <= MAX_TURN_CHARS:
        return line
    half = (MAX_TURN_CHARS - len(_ELLIPSIS)) // 2
    return replace(line, text=f"{line.text[:half].rstrip()} {_ELLIPSIS} {line.text[-half:].lstrip()}")


def _count_kept_ends(lines: Sequence[PromptTurn], longest: int) -> tuple[int, int]:
    """Return how many turns to keep at the beginning and at the end, taken alternately; the last one is always kept."""
    first, last, size = 0, 1, lines[-1].size
    while first + last < len(lines):
        at_end = last <= first
        following = lines[len(lines) - last - 1] if at_end else lines[first]
        if size + following.size > longest:
            break
        size += following.size
        first, last = (first, last + 1) if at_end else (first + 1, last)
    return first, last


def _omission_note(count: int, *, before: bool) -> PromptTurn:
    return PromptTurn("", f"({count} {'turn' if count == 1 else 'turns'} left out here)", before)


def _size(lines: Sequence[PromptTurn]) -> int:
    return sum(line.size for line in lines)


def prompt_turns(
    turns: Iterable[DialogueTurn],
    start_us: int,
    names: Mapping[str, str],
    written: TextFilter,
    condition: str = RAW_CONDITION,
    loose: Sequence[CueMark] = (),
) -> list[PromptTurn]:
    """Return a line for each turn: seconds from the segment's start, speaker, words, and cues where they were noticed.

    Args:
        turns: by start.
        start_us: of the segment.
        names: participant id -> name.
        written: scrubs a text of the study where it has to be.
        condition: under a rendering, only the label of a cue is shown; its description was not reviewed.
        loose: cues outside all turns.
    """
    found = []
    for turn in turns:
        said = turn.utterance
        speaker = names.get(said.participant_id or "", UNKNOWN_SPEAKER)
        text = _insert_cues(to_single_line(written(said.text)), turn, names, written, condition)
        head = _turn_head(said.start_us - start_us, speaker, before=not turn.inside)
        found.append((said.start_us, said.end_us, PromptTurn(head, text, not turn.inside)))
    for cue in loose:
        head = _turn_head(cue.start_us - start_us, "", before=False)
        found.append(
            (cue.start_us, cue.end_us, PromptTurn(head, _format_cue(cue, None, names, written, condition), False))
        )
    return [line for *_, line in sorted(found, key=lambda row: row[:2])]


def cues_outside_turns(session: Session, recording_id: str, start_us: int, end_us: int) -> list[CueMark]:
    """Return the cues marked by people that lie in a span and in no utterance."""
    return [
        cue
        for cue in cues_by_utterance(session, recording_id, prelabels=False).get("", ())
        if cue.start_us < end_us and cue.end_us > start_us
    ]


def format_seconds(time_us: int, *, fine: bool = False) -> str:
    """Return a time in seconds as text for a prompt."""
    text = f"{time_us / SECOND_US:.{2 if fine else 1}f}"
    return f"{'0.00' if fine else '0.0'} s" if text in ("-0.0", "-0.00") else f"{text} s"


def _turn_head(time_us: int, speaker: str, *, before: bool) -> str:
    head = f"{'(before) ' if before else ''}{format_seconds(time_us)}  "
    return f"{head}{speaker}: " if speaker else head


def _insert_cues(text: str, turn: DialogueTurn, names: Mapping[str, str], written: TextFilter, condition: str) -> str:
    if not turn.cues:
        return text
    words = text.split()
    after: dict[int, list[str]] = {}
    for cue in turn.cues:
        place = min(max(cue.word, -1), len(words) - 1)
        after.setdefault(place, []).append(_format_cue(cue, turn.utterance.participant_id, names, written, condition))
    told = [*after.get(-1, ())]
    for place, word in enumerate(words):
        told += [word, *after.get(place, ())]
    return " ".join(told)


def _format_cue(
    cue: CueMark, speaker_id: str | None, names: Mapping[str, str], written: TextFilter, condition: str
) -> str:
    what = to_single_line(written(cue.display_text if condition == RAW_CONDITION else cue.name.lower()))
    who = names.get(cue.participant_id or "", "") if cue.participant_id != speaker_id else ""
    return f"({who}: {what})" if who else f"({what})"
