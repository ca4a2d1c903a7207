"""The group `release`: make a data set that may leave, with private words and reviewed texts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymize.sound.voice_methods import VOICES
from app.cli.command import EDIT, FILE, FOLDER, command, given_options, option
from app.cli.console import Output, record, run_job
from project.entities.study_records import Annotator
from project.errors import UserError
from project.queries.pii_rows import private_words, public_words, replacements
from project.queries.recording_rows import pseudonyms
from project.session.session import Session, resolve_participant, resolve_recording
from project.text_format import escape_unprintable, pluralize
from project.timebase import format_time

if TYPE_CHECKING:
    from anonymize.release.release_job import ReleaseChecklist
    from anonymize.release.release_plan import ReleasePlan
    from anonymize.release.release_rules import ReleaseBlocker, WaivedRule
    from anonymize.release.release_texts import ReleasedText


def texts_output(found: "Sequence[ReleasedText]", reader: Annotator | None, *, changed: bool) -> Output:
    """Return texts before and after scrubbing, and who has read them.

    Args:
        found: all texts.
        reader: who read the texts as they are now; None if nobody has.
        changed: whether to list only texts that were changed.
    """
    listed = [released_text for released_text in found if released_text.replacements or not changed]
    lines = []
    for released_text in listed:
        lines.append(
            f"Recording {released_text.recording}, {format_time(released_text.time_us)}, {released_text.place}"
        )
        lines += [f"  - {escape_unprintable(released_text.before)}"] if released_text.replacements else []
        lines.append(f"  + {escape_unprintable(released_text.after)}")
    state = f"Read by {reader.name}." if reader else "Nobody confirmed them as they are now."
    lines.append(f"{pluralize(len(found), 'text')}, {sum(bool(t.replacements) for t in found)} changed. {state}")
    rows = [
        record(
            released_text,
            *("recording_id", "replacements"),
            kinds=[replacement.kind for replacement in released_text.replacements],
        )
        for released_text in listed
    ]
    return Output({"confirmed_by": reader.name if reader else None, "texts": rows}, lines)


EXIT_REFUSED = 2


_MAX_LISTED = 6


_CHOICES = given_options(
    recordings=(tuple[str, ...], option("Only this recording; all brings back all.", "--recording")),
    without_consent=(str | None, option("Recordings of who did not consent.", choices=["leave-out", "solid"])),
    sound=(str | None, option("No sound, voices kept, or how changed.", choices=["none", "keep", *VOICES])),
    cover=(str | None, option("Instead of personal words in the sound.", choices=["mute", "beep", "silence"])),
    texts=(str | None, option("What becomes of free texts and transcripts.", choices=["leave-out", "scrub"])),
    formats=(tuple[str, ...], option("Format of the annotations.", "--format")),
    video=(tuple[str, ...], option("Which pictures.", choices=["source", "15hz", "1hz"])),
    keep_robots=(
        bool | None,
        option("Leave the faces of robots.", "--keep-robots/--hide-robots"),
    ),
    title=(str | None, option("Name of the data set, for the card.")),
    contact=(str | None, option("Whom to ask, for card and terms.")),
    holder=(str | None, option("Who holds the rights, for the terms.")),
)
"""What a release plan keeps, as it is typed."""


@command(study=EDIT, reads=("dry_run",), annotator=option("Under whose name choices and waivers are kept."))
def make(
    session: Session,
    out: Path | None = option("New folder for the release.", type=FOLDER),
    method: tuple[str, ...] = option("How faces are hidden, or 3=solid for recording 3 only."),
    choices: dict[str, Any] = _CHOICES,
    voice_option: tuple[str, ...] = option("Option of the voice method.", metavar="NAME=NUMBER"),
    waive: tuple[str, ...] = option("Do without a rule.", metavar="RULE[:RECORDING]=REASON"),
    withdraw: tuple[str, ...] = option("Take a waiver back.", metavar="RULE[:RECORDING]"),
    dry_run: bool = option("Only list what stands in the way; keep no choice and no waiver."),
) -> Output:
    """Make a data set that may leave. Exits with 2 if something is missing.

    The study keeps the choices. Nothing is written unless every rule is kept or waived.

    \b
    Example:
      greenroom release make my-study.greenroom --dry-run --recording 1 --recording 3
      greenroom release make my-study.greenroom --out corpus --method solid --texts scrub
      greenroom release make my-study.greenroom --out corpus --waive "privacy-measured=No embedding is installed here"
    """
    from anonymize.release import release_job
    from anonymize.release.release_plan import read_plan, store_plan
    from anonymize.release.release_rules import waive_rule, withdraw_waiver

    if out is None and not dry_run:
        raise UserError("A release needs a folder.", "Give a new folder: --out. To check first: --dry-run.")
    plan = _updated_plan(session, read_plan(session), method, voice_option, choices)
    if not dry_run:
        if plan != read_plan(session):
            store_plan(session, plan)
        for text in withdraw:
            withdraw_waiver(session, *_parse_rule(session, text))
        for text in waive:
            which, _, reason = text.partition("=")
            waive_rule(session, *_parse_rule(session, which), reason)
    found = release_job.build_checklist(session, plan)
    if dry_run or out is None:
        found = replace(found, waived=_waived_rules(session, found.waived, waive, withdraw))
        return _answer(_checklist_json(found, session.study.path), found.remaining, found)
    result, _ = run_job(session, release_job.prepare(session, out, plan))
    told = {
        "released": result.released,
        "reasons": [release_blocker.describe_as_json(str(session.study.path)) for release_blocker in result.reasons],
        "output": result.output,
        "files": result.files,
        "left_out": {str(number): why for number, why in found.selection.left_out.items()},
    }
    if result.released:
        return Output(told, f"Released {result.files} files to {result.output}. Read DATACARD.md before it leaves.")
    return _answer(told, result.reasons, found)


@command(edits=("given", "file", "remove"), annotator=option("Under whose name the change is kept."))
def words(
    session: Session,
    given: tuple[str, ...] = option("Add or change a word.", "--set", metavar="WORD=REPLACEMENT"),
    file: Path | None = option("A text file with WORD=REPLACEMENT lines.", type=FILE),
    kind: str | None = option("Kind of the words, such as person or place: names are also found misspelt."),
    participant: str | None = option("Pseudonym of the participant whose names the words are."),
    remove: tuple[str, ...] = option("A word that is no longer private."),
) -> Output:
    """List or change the words that must not leave with a release.

    Names, places, nicknames: they are found whatever their case, accents and endings. They stay in the study.

    \b
    Example:
      greenroom release words my-study.greenroom --set Anna=P01 --set "St. Mary's=[hospital]"
      greenroom release words my-study.greenroom --set Anna=P01 --set Annie=P01 --kind person --participant P01
    """
    from anonymize.pii_review.pii_decisions import hide_everywhere
    from anonymize.release.private_content import set_private_words

    lines = [*_read_word_lines(file), *given]
    if (kind or participant) and not lines:
        raise UserError("No words are given.", "Give words: --set WORD=REPLACEMENT, or --file.")
    before = replacements(session.study)
    unknown = [text for text in remove if text not in before]
    if unknown:
        raise UserError(f"There is no private word “{unknown[0]}”.", "List them: greenroom release words STUDY")
    after = {word: stands for word, stands in before.items() if word not in remove}
    after |= dict(_parse_word(line) for line in lines)
    if after != before:
        set_private_words(session, after)
    if kind or participant:
        who = resolve_participant(session, participant).id if participant else None
        for word, stands in map(_parse_word, lines):
            hide_everywhere(session, word, kind or "person", who, stands)
    people = pseudonyms(session.study)
    found = sorted(private_words(session.study), key=lambda private_word: private_word.word)
    kept = sorted(public_words(session.study))
    shown_lines = [
        f"{private_word.word} = {private_word.replacement}  "
        f"({private_word.kind}{', ' + people[private_word.participant_id] if private_word.participant_id else ''})"
        for private_word in found
    ] or ["There are no private words."]
    shown_lines += [f"Kept everywhere: {', '.join(kept)}"] if kept else []
    rows = [
        record(private_word, "participant_id", participant=people.get(private_word.participant_id or ""))
        for private_word in found
    ]
    told = {"words": after, "private": rows, "public": kept}
    return Output(told, shown_lines)


@command(edits=("confirm",), annotator=option("Who has read them."))
def texts(
    session: Session,
    changed: bool = option("List only texts in which something was changed."),
    confirm: bool = option("Say that you have read all of them, scrubbed as they are now."),
) -> Output:
    """List free texts before and after scrubbing, and confirm them.

    A release with texts needs a person who has read them. Any later change takes that back.

    \b
    Example:
      greenroom release texts my-study.greenroom --changed
      greenroom release texts my-study.greenroom --confirm --annotator Ada
    """
    from anonymize.release.release_texts import (
        confirm_texts,
        find_confirming_annotator,
        list_released_texts,
        texts_checksum,
    )

    found = list_released_texts(session)
    if confirm:
        confirm_texts(session, texts_checksum(found))
    reader = find_confirming_annotator(session, found)
    return texts_output(found, reader, changed=changed)


def _updated_plan(
    session: Session,
    plan: "ReleasePlan",
    method: tuple[str, ...],
    voice_option: tuple[str, ...],
    choices: dict[str, Any],
) -> "ReleasePlan":
    given = dict(choices)
    if "recordings" in given:
        named = given["recordings"]
        given["recordings"] = () if "all" in named else tuple(resolve_recording(session, text).number for text in named)
    if voice_option:
        given["voice_options"] = dict(_parse_option(text) for text in voice_option)
    elif given.get("sound", plan.sound) != plan.sound:
        given["voice_options"] = {}
    if method:
        everywhere = tuple(text for text in method if "=" not in text)
        only: dict[int, tuple[str, ...]] = {}
        for text in method:
            number, equals, name = text.partition("=")
            if equals:
                recording = resolve_recording(session, number)
                only[recording.number] = (*only.get(recording.number, ()), name)
        given |= {"methods": everywhere or plan.methods, "only": only}
    return replace(plan, **given)


def _parse_rule(session: Session, text: str) -> tuple[str, str | None]:

    rule, colon, recording = text.partition(":")
    return rule.strip(), resolve_recording(session, recording.strip()).id if colon else None


def _waived_rules(
    session: Session, kept: "Iterable[WaivedRule]", waive: tuple[str, ...], withdraw: tuple[str, ...]
) -> "tuple[WaivedRule, ...]":
    """Return the rules that would be waived: those that the study keeps, without some and with others."""
    from anonymize.release.release_rules import require_waivable

    def find_rule(text: str) -> "WaivedRule":
        rule, recording_id = _parse_rule(session, text)
        return rule, None if recording_id is None else session.recording(recording_id).number

    waived = dict.fromkeys(kept)
    for text in withdraw:
        waived.pop(find_rule(text), None)
    for text in waive:
        which, _, reason = text.partition("=")
        rule = find_rule(which)
        require_waivable(rule[0], reason)
        waived[rule] = None
    return tuple(waived)


def _answer(data: dict[str, Any], reasons: "list[ReleaseBlocker]", found: "ReleaseChecklist") -> Output:
    lines = _blocker_lines(reasons, found)
    if not reasons:
        return Output(data, lines)
    rules = len({(reason.rule, reason.recording) for reason in reasons})
    return Output(
        data, lines, EXIT_REFUSED, f"Refused: {pluralize(rules, 'requirement')} not met. Nothing was written."
    )


def _checklist_json(found: "ReleaseChecklist", study: Path) -> dict[str, Any]:
    return {
        "released": False,
        "ready": not found.remaining,
        "reasons": [release_blocker.describe_as_json(str(study)) for release_blocker in found.remaining],
        "waived": [{"rule": rule, "recording": number} for rule, number in found.waived],
        "recordings": [candidate.number for candidate in found.selection.candidates],
        "left_out": {str(number): why for number, why in found.selection.left_out.items()},
    }


def _blocker_lines(reasons: "list[ReleaseBlocker]", found: "ReleaseChecklist") -> list[str]:
    from anonymize.release.release_rules import RULES

    lines = []
    for rule, about in RULES.items():
        here = [reason for reason in reasons if reason.rule == rule]
        if here:
            mark = "  (can be waived)" if all(release_blocker.can_be_waived for release_blocker in here) else ""
            lines.append(f"NOT KEPT  {rule}: {about.title}{mark}")
            lines += [f"  {release_blocker.sentence}" for release_blocker in here[:_MAX_LISTED]]
            lines += [f"  and {len(here) - _MAX_LISTED} more"] if len(here) > _MAX_LISTED else []
            lines += [
                f"  {hint}" for hint in dict.fromkeys(release_blocker.hint for release_blocker in here[:_MAX_LISTED])
            ]
    for number, why in sorted(found.selection.left_out.items()):
        lines.append(f"Recording {number} is left out. {why}")
    if not reasons:
        lines.append("Nothing stands in the way that can be told before rendering.")
    return lines


def _read_word_lines(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file.name} cannot be read: {error}.", "Give a text file in UTF-8.") from None
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _parse_option(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value) if value.strip().isdecimal() else float(value)
    except ValueError:
        raise UserError(f"“{text}” is not a setting.", "Give NAME=NUMBER, such as lowest=0.6.") from None


def _parse_word(line: str) -> tuple[str, str]:
    word, equals, stands = line.partition("=")
    if not equals:
        raise UserError(f"“{line.strip()}” has no replacement.", "Write WORD=REPLACEMENT, such as Anna=P01.")
    return word.strip(), stands.strip()
