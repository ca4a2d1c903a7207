"""Commands about personal information in texts and speech: find it, decide about it, write copies without it."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.command import EDIT, FILE, FOLDER, OPEN, argument, command, flags, option
from app.cli.console import Output
from project.errors import UserError, unknown_choice
from project.queries.pii_rows import PiiVerdict
from project.queries.recording_rows import recording_numbers
from project.session.session import Session, resolve_participant, resolve_recording
from project.text_format import escape_unprintable, pluralize
from project.timebase import format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonymize.pii_review.language_coverage import LanguageCoverage
    from anonymize.pii_review.review_hits import PlacedHit

_CONTEXT_CHARS = 30
_RECORDING = option("Only in this one: number, file name or id.", "--recording")
_ANNOTATOR = option("Under whose name this is kept.")


@command(study=OPEN)
def find(
    session: Session,
    recording: tuple[str, ...] = _RECORDING,
    kind: tuple[str, ...] = option("Only of this kind, such as person or phone."),
    undecided: bool = option("Only what nobody decided about."),
    out: Path | None = option("Also write the list: .csv or .json.", type=FILE),
) -> Output:
    """List what looks personal: where, when, what was decided, what is written instead.

    \b
    Example:
      greenroom pii find my-study.greenroom
      greenroom pii find my-study.greenroom --undecided --out look.csv
    """
    from anonymize.pii_review.language_coverage import find_language_gaps
    from anonymize.pii_review.pii_files import hit_table, write_hits
    from anonymize.pii_review.study_finder import current_recognizers

    numbers = recording_numbers(session.study)
    found = _select_hits(session, recording, kind, (), undecided=undecided)
    if out is not None:
        write_hits(out, found, numbers)
    recognizers = current_recognizers()
    gaps = find_language_gaps(session)
    lines = [_hit_line(placed_hit, numbers) for placed_hit in found]
    open_ones = sum(placed_hit.verdict is None for placed_hit in found)
    lines.append(f"{pluralize(len(found), 'place')}, {open_ones} undecided (hidden until somebody decides).")
    lines.append(f"Searched by rules{''.join(f' and {title}' for title in recognizers.titles)}.")
    lines += _gap_lines(gaps)
    missed = [
        {"recording": number, "words": dict(coverage.words), "covered": coverage.covered_words}
        for number, coverage in gaps
    ]
    answer = {
        "hits": hit_table(found, numbers).json(),
        "undecided": open_ones,
        "model": recognizers.model,
        "searched_by": ["rules", *recognizers.titles],
        "not_covered": missed,
    }
    return Output(answer, lines)


@command(edits=("file", "verdict", "set_kind", "stand_ins"), annotator=_ANNOTATOR)
def review(
    session: Session,
    file: Path | None = argument(type=FILE),
    verdict: str | None = flags(
        hide="Hide the places that are chosen.",
        keep="Keep the places that are chosen as they are.",
        undo="Take back what was decided about them.",
    ),
    recording: tuple[str, ...] = _RECORDING,
    kind: tuple[str, ...] = option("Choose places of this kind."),
    words: tuple[str, ...] = option("Choose places where this stands.", "--text"),
    undecided: bool = option("Choose what nobody decided about."),
    set_kind: str | None = option("Say what the chosen places are."),
    everywhere: bool = option("With --text: in every text, from now on."),
    participant: str | None = option("With --hide --everywhere --text: whose name it is (pseudonym)."),
    replacement: str | None = option("With --hide --everywhere --text: what is written in its place."),
    stand_ins: bool | None = option(
        "Write a name that stands in for each participant, or a number.", "--stand-ins/--numbers"
    ),
) -> Output:
    """Decide what is hidden and what is kept; without a choice, list what is undecided.

    FILE is a list as `pii find --out` writes it, with hide or keep in the column decision.

    \b
    Example:
      greenroom pii review my-study.greenroom
      greenroom pii review my-study.greenroom look.csv
      greenroom pii review my-study.greenroom --keep --text Pepper --everywhere
      greenroom pii review my-study.greenroom --hide --kind phone --kind address
      greenroom pii review my-study.greenroom --hide --text Jo --everywhere --participant P01
    """
    from anonymize.pii_review import pii_decisions
    from anonymize.pii_review.pii_files import hit_table
    from anonymize.pii_review.review_hits import find_undecided

    chosen = bool(recording or kind or words or undecided)
    if (verdict or set_kind) and not chosen:
        raise UserError("No place is chosen.", "Choose places with --text, --kind, --recording or --undecided.")
    if (participant or replacement) and not (everywhere and verdict == "hide"):
        raise UserError(
            "--participant and --replacement need a word that is hidden everywhere.",
            "Add --hide --everywhere and --text NAME.",
        )
    if everywhere and not (words and verdict):
        raise UserError("--everywhere needs a word and a decision.", "Add --text WORD and --hide, --keep or --undo.")
    edits = bool(file or verdict or set_kind or stand_ins is not None)
    decided = 0
    if file is not None:
        decided += _apply_decisions_file(session, file)
    if stand_ins is not None:
        pii_decisions.use_stand_ins(session, stand_ins)
    if everywhere:
        for word in words:
            _decide_everywhere(session, word, verdict or "", kind, participant, replacement)
        decided += len(words)
    elif chosen and (verdict or set_kind):
        found = _select_hits(session, recording, kind, words, undecided=undecided)
        if not found:
            raise UserError("No place matches.", "List the places: greenroom pii find STUDY")
        if set_kind is not None:
            pii_decisions.set_kind(session, found, set_kind)
        if verdict == "undo":
            pii_decisions.withdraw_decisions(session, found)
        elif verdict:
            pii_decisions.decide_places(session, found, PiiVerdict(verdict), set_kind)
        decided += len(found)
    numbers = recording_numbers(session.study)
    left = find_undecided(session)
    lines = [f"Decided: {pluralize(decided, 'place')}." if not everywhere else "Done."] if edits else []
    lines += [_hit_line(placed_hit, numbers) for placed_hit in left] if not edits else []
    lines.append(f"{pluralize(len(left), 'place')} undecided: hidden until somebody decides.")
    return Output({"decided": decided, "undecided": len(left), "hits": hit_table(left, numbers).json()}, lines)


@command(study=EDIT, annotator=_ANNOTATOR)
def apply(
    session: Session,
    out: Path | None = option("New folder for scrubbed copies.", type=FOLDER),
    in_place: bool = option("Replace the texts in the study, as one step. Its history keeps them."),
) -> Output:
    """Write copies of transcripts and texts without personal information, or replace it in the study itself.

    \b
    Example:
      greenroom pii apply my-study.greenroom --out scrubbed
      greenroom pii apply my-study.greenroom --in-place
    """
    from anonymize.pii_review.language_coverage import find_language_gaps
    from anonymize.pii_review.pii_decisions import store_hit_numbers
    from anonymize.pii_review.review_hits import find_hits
    from anonymize.pii_review.review_hits import find_undecided as undecided_in
    from anonymize.release.scrubbed_study import count_personal_items, replace_in_study, write_copies

    if (out is None) == (not in_place):
        raise UserError("The destination is missing.", "Give a new folder: --out. To replace in the study: --in-place.")
    store_hit_numbers(session, find_hits(session))
    left = len(undecided_in(session))
    gaps = find_language_gaps(session)
    files = write_copies(session, out) if out is not None else []
    changed = replace_in_study(session)[0] if in_place else 0
    frozen = count_personal_items(session) if in_place else {}
    if in_place:
        text = (
            f"Replaced personal information in {pluralize(changed, 'text')}. Its history keeps the originals: "
            "do not give the study away. greenroom study undo brings them back."
        )
    else:
        text = f"Wrote {pluralize(len(files), 'file')} to {out}."
    if left:
        text += f"\n{pluralize(left, 'place')} nobody decided about: hidden too."
    text += "".join(f"\n{line}" for line in _gap_lines(gaps))
    for name, count in frozen.items():
        text += (
            f"\nThe item set {name} is frozen and was not changed: {pluralize(count, 'item')} with personal "
            "information. Draw it anew: greenroom benchmark make"
        )
    told = {
        "folder": str(out) if out else None,
        "files": files,
        "changed": changed,
        "undecided": left,
        "history_keeps_originals": in_place,
        "frozen": dict(frozen),
    }
    return Output(told, text)


@command(study=OPEN)
def key(session: Session, file: Path = argument(type=FILE)) -> Output:
    """Write the key: who and what is behind each replacement. Keep it apart from what you release.

    \b
    Example:
      greenroom pii key my-study.greenroom /safe/place/key.csv
    """
    from anonymize.pii_review.pii_decisions import store_hit_numbers
    from anonymize.pii_review.pii_files import write_key
    from anonymize.pii_review.review_hits import find_hits

    store_hit_numbers(session, find_hits(session))
    rows = write_key(session, file)
    return Output({"file": file, "rows": rows}, f"Wrote {pluralize(rows, 'replacement')} to {file}. Keep it apart.")


def _select_hits(
    session: Session, recordings: tuple[str, ...], kinds: tuple[str, ...], words: tuple[str, ...], *, undecided: bool
) -> "list[PlacedHit]":
    from anonymize.pii_detection.pii_hit import KINDS
    from anonymize.pii_review.pii_decisions import store_hit_numbers
    from anonymize.pii_review.review_hits import find_hits
    from project.text_matching.text_views import fold

    for kind in kinds:
        if kind not in KINDS:
            raise unknown_choice("kind of personal information", kind, KINDS)
    ids = [resolve_recording(session, text).id for text in recordings]
    keys = {fold(word) for word in words}
    every = find_hits(session)
    store_hit_numbers(session, every)
    return [
        placed_hit
        for placed_hit in every
        if (not ids or placed_hit.recording_id in ids)
        and (not kinds or placed_hit.kind in kinds)
        and (not keys or fold(placed_hit.hit.text) in keys)
        and (not undecided or placed_hit.verdict is None)
    ]


def _decide_everywhere(
    session: Session,
    word: str,
    verdict: str,
    kinds: tuple[str, ...],
    participant: str | None,
    replacement: str | None,
) -> None:
    from anonymize.pii_detection.pii_hit import PERSON
    from anonymize.pii_review import pii_decisions
    from anonymize.pii_review.review_hits import find_hits
    from project.text_matching.text_views import fold

    if verdict == "undo":
        pii_decisions.withdraw_decisions(session, words=[word])
        return
    if verdict == "keep":
        pii_decisions.keep_words(session, [word])
        return
    who = None if participant is None else resolve_participant(session, participant).id
    found = [hit.kind for hit in find_hits(session) if fold(hit.hit.text) == fold(word)]
    kind = kinds[0] if kinds else PERSON if who is not None or not found else found[0]
    pii_decisions.hide_everywhere(session, word, kind, who, replacement)


def _apply_decisions_file(session: Session, file: Path) -> int:
    """Apply a file of decisions, and return how many there are."""
    from anonymize.pii_review import pii_decisions
    from anonymize.pii_review.pii_files import read_decisions
    from anonymize.pii_review.review_hits import find_hits

    choices = read_decisions(file)
    by_place = {hit.place: hit for hit in find_hits(session)}
    unknown = [choice for choice in choices if choice.place not in by_place]
    if unknown:
        raise UserError(
            f"“{unknown[0].place.text}” is not found where {file.name} says.",
            "The texts have changed. Write a new list: greenroom pii find STUDY --out FILE",
        )
    for verdict in PiiVerdict:
        for kind in dict.fromkeys(choice.kind for choice in choices if choice.decision is verdict):
            chosen = [
                by_place[decision.place]
                for decision in choices
                if decision.decision is verdict and decision.kind == kind
            ]
            pii_decisions.decide_places(session, chosen, verdict, kind)
    return len(choices)


def _gap_lines(gaps: "Sequence[tuple[int, LanguageCoverage]]") -> list[str]:
    return [
        f"Recording {number}: {coverage.problem_text()}. Names may be missed. {coverage.hint_text()}"
        for number, coverage in gaps
    ]


def _hit_line(placed_hit: "PlacedHit", numbers: dict[str, int]) -> str:
    number = numbers.get(placed_hit.recording_id or "")
    where = f"recording {number}, {format_time(placed_hit.time_us)}" if number is not None else "the study"
    before = placed_hit.text[max(0, placed_hit.hit.start - _CONTEXT_CHARS) : placed_hit.hit.start]
    after = placed_hit.text[placed_hit.hit.end : placed_hit.hit.end + _CONTEXT_CHARS]
    decided = placed_hit.verdict.value if placed_hit.verdict else "undecided"
    text = f"{where}  {placed_hit.kind}  {decided}  {before}«{placed_hit.hit.text}»{after}  -> {placed_hit.replacement}"
    return escape_unprintable(text.replace("\n", " "))
