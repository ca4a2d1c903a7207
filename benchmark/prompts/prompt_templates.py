"""Prompts: TOML templates with named slots, shipped or edited in a study, and filled for a request."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from benchmark.prompts.answer_form import QUOTE_PREFIX, quote_lines
from benchmark.prompts.judge_prompt import TASKS, VARIANTS
from project.entities.judgments import Modality
from project.entities.study_records import Changes
from project.errors import UserError, unknown_choice
from project.queries.judgment_rows import prompt_versions, put_prompt_version
from project.session.session import Session
from project.text_format import escape_unprintable
from resources.prompt_texts import prompt_keys, prompt_text

VARIANT_SLOT = "variant"
"""The slot for the text of the variant."""
PROGRAM_SLOTS = ("seen",)
"""Slots that hold sentences of the program; all others hold texts of the study, and are quoted."""
SLOTS: Mapping[str, str] = {
    "context": "what the collection says about the agent",
    "people": "who takes part, and what they are called",
    "definitions": "what can be answered, and what it means",
    "given": "what is told about the segment, such as its label, or about a question or a chain",
    "seen": "which pictures come with it, and when they were taken",
    "conversation": "what was said before the segment and in it",
    "examples": "what people answered elsewhere",
    "shape": "how the answer is written",
}
"""Slot -> its content."""
REQUIRED_SLOTS = ("definitions", "seen", "conversation", "shape")
"""Slots without which a judge cannot answer."""
REQUIRED_WITHOUT_WORDS = ("definitions", "seen", "shape")
"""Required slots of a task without conversation."""
REQUIRED_WITHOUT_RECORDING = ("definitions", "shape")
"""Required slots of a task that shows nothing of the recording."""
MAX_SOURCE_CHARS = 50_000
MAX_VERSION = 1_000_000
_SLOT_PATTERN = re.compile(r"\{([A-Za-z][\w-]*)\}")
_SLOT_LINE = re.compile(r"^[ \t]*\{([A-Za-z][\w-]*)\}[ \t]*$", re.MULTILINE)
_VERSION_LINE = re.compile(r"^version[ \t]*=[ \t]*\d+[ \t]*(?:#.*)?$", re.MULTILINE)
_OWN_LINE = re.compile(r"^own[ \t]*=[ \t]*(?:true|false)[ \t]*(?:#.*)?\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of a prompt.

    Attributes:
        key: of the task that it belongs to.
        version: counts up with every change.
        system: the system message; has no slots.
        body: the user message, with slots; every slot is alone on its line.
        variants: variant -> text in the slot `variant`.
        source: the TOML text that it was read from.
        own: it was edited in the study.
    """

    key: str
    version: int
    system: str
    body: str
    variants: Mapping[str, str]
    source: str = field(repr=False, default="")
    own: bool = False

    @property
    def name(self) -> str:
        """Key and version, as judgments store it."""
        return f"{self.key}@{self.version}"

    def slots(self, variant: str) -> set[str]:
        return {*_SLOT_LINE.findall(self.body), *_SLOT_LINE.findall(self.variants[variant])} - {VARIANT_SLOT}


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """A filled prompt: system and user message."""

    system: str
    text: str


def fill_prompt(prompt: Prompt, variant: str, values: Mapping[str, str]) -> FilledPrompt:
    """Fill the slots of a prompt; a missing value is shown as empty.

    Lines that are not quoted do not depend on the values of the study.
    """
    if variant not in prompt.variants:
        raise unknown_choice("variant", variant, prompt.variants)

    def value(found: re.Match[str]) -> str:
        slot = found[1]
        if slot in PROGRAM_SLOTS:
            return " ".join(values.get(slot, "").split())
        return quote_lines(values.get(slot, ""))

    body = _SLOT_LINE.sub(lambda found: prompt.variants[variant] if found[1] == VARIANT_SLOT else found[0], prompt.body)
    return FilledPrompt(prompt.system.strip(), _SLOT_LINE.sub(value, body).strip())


@cache
def required_slots(key: str) -> tuple[str, ...]:
    """Return the slots that every variant of a task's prompt must have."""
    shows = TASKS.make(key).modality if key in TASKS else Modality.BOTH
    return {Modality.NOTHING: REQUIRED_WITHOUT_RECORDING, Modality.PICTURES: REQUIRED_WITHOUT_WORDS}.get(
        shows, REQUIRED_SLOTS
    )


@cache
def shipped_prompt(key: str) -> Prompt:
    """Return the prompt that the program ships for a task."""
    return parse_prompt(shipped_text(key), key)


def shipped_text(key: str) -> str:
    """Return the TOML text of a prompt that the program ships."""
    if key not in prompt_keys():
        choices = ", ".join(prompt_keys())
        raise UserError(f"There is no prompt “{escape_unprintable(key)}”.", f"Choose one of {choices}.")
    return prompt_text(key)


def parse_prompt(source: str, key: str) -> Prompt:
    """Read a prompt.

    Args:
        source: TOML: `key`, `version`, `system`, `body` and a table `variants`; `own` for an edited one.
        key: the key that it must have.
    """
    if len(source) > MAX_SOURCE_CHARS:
        raise _prompt_error(key, f"it is longer than {MAX_SOURCE_CHARS} characters")
    try:
        found = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _prompt_error(key, f"it is not TOML: {error}") from None
    unknown = found.keys() - {"key", "version", "own", "system", "body", "variants"}
    if unknown:
        raise _prompt_error(key, f"“{escape_unprintable(min(unknown))}” is not known")
    version, variants, own = found.get("version"), found.get("variants"), found.get("own", False)
    if found.get("key") != key:
        raise _prompt_error(key, f"its key must be “{key}”")
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= MAX_VERSION:
        raise _prompt_error(key, "its version must be a whole number from 1")
    if not isinstance(own, bool):
        raise _prompt_error(key, "own must be true or false")
    if not isinstance(variants, dict) or set(variants) != set(VARIANTS):
        raise _prompt_error(key, f"its variants must be {', '.join(VARIANTS)}")
    texts = {"system": found.get("system"), "body": found.get("body"), **variants}
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise _prompt_error(key, f"“{name}” must be a text that is not empty")
        if any(line.lstrip().startswith(QUOTE_PREFIX.strip()) for line in text.splitlines()):
            raise _prompt_error(
                key, f"a line of “{name}” begins with “{QUOTE_PREFIX.strip()}”, as only quoted lines do"
            )
    made = Prompt(key, version, texts["system"], texts["body"], variants, source, own)
    _check_slots(made)
    return made


def with_version(source: str, version: int, *, own: bool) -> str:
    """Return the text of a prompt with another version; `own` marks it as edited in a study."""
    text = _OWN_LINE.sub("", source)
    if _VERSION_LINE.search(text) is None:
        raise UserError("The prompt has no line “version = ...”.", "Add one below its key.")
    return _VERSION_LINE.sub(f"version = {version}" + ("\nown = true" if own else ""), text, count=1)


def _check_slots(prompt: Prompt) -> None:
    _check_slot_lines(prompt, "system", prompt.system, ())
    _check_slot_lines(prompt, "body", prompt.body, (*SLOTS, VARIANT_SLOT))
    if VARIANT_SLOT not in _SLOT_LINE.findall(prompt.body):
        raise _prompt_error(prompt.key, f"“body” lacks the slot {{{VARIANT_SLOT}}}")
    for variant, text in prompt.variants.items():
        _check_slot_lines(prompt, variant, text, tuple(SLOTS))
        slots = _SLOT_LINE.findall(prompt.body) + _SLOT_LINE.findall(text)
        twice = next((slot for slot in slots if slots.count(slot) > 1), None)
        if twice is not None:
            raise _prompt_error(prompt.key, f"the slot {{{twice}}} is there twice in “{variant}”")
        needed = (*required_slots(prompt.key), "examples") if variant == "few-shot" else required_slots(prompt.key)
        missing = next((slot for slot in needed if slot not in slots), None)
        if missing is not None:
            raise _prompt_error(prompt.key, f"“{variant}” lacks the slot {{{missing}}}: {SLOTS[missing]}")


def _check_slot_lines(prompt: Prompt, name: str, text: str, known: tuple[str, ...]) -> None:
    for slot in _SLOT_PATTERN.findall(text):
        if slot not in known:
            hint = f"it may have {', '.join(f'{{{known_slot}}}' for known_slot in known)}" if known else "it has none"
            raise _prompt_error(prompt.key, f"the slot {{{escape_unprintable(slot)}}} in “{name}” is not known; {hint}")
    if len(_SLOT_PATTERN.findall(text)) != len(_SLOT_LINE.findall(text)):
        raise _prompt_error(prompt.key, f"a slot in “{name}” shares its line with words")


def _prompt_error(key: str, what: str) -> UserError:
    return UserError(
        f"The prompt “{escape_unprintable(key)}” is not valid: {what}.", "Correct it, or restore the original."
    )


SYSTEM, BODY = "system", "body"
PROMPT_PARTS = (SYSTEM, BODY, *VARIANTS)
"""Parts of a prompt, in reading order."""


def split_prompt(prompt: Prompt) -> dict[str, str]:
    """Return the texts of a prompt by part, without the blank lines around them."""
    texts = {SYSTEM: prompt.system, BODY: prompt.body, **prompt.variants}
    return {part: texts[part].strip("\n") for part in PROMPT_PARTS}


def format_prompt_source(key: str, version: int, parts: Mapping[str, str]) -> str:
    """Return the TOML text of a prompt with these parts; it need not be valid yet."""
    lines = [f'key = "{key}"', f"version = {version}", ""]
    for part in (SYSTEM, BODY):
        lines += [f"{part} = {_toml_string(parts[part])}", ""]
    lines.append("[variants]")
    for variant in VARIANTS:
        lines += [f"{variant} = {_toml_string(parts[variant])}", ""]
    return "\n".join(lines)


def _toml_string(text: str) -> str:
    """Return a text as a multi-line TOML string; control characters are escaped."""
    escaped = text.replace("\\", "\\\\").replace('"""', '""\\"')
    plain = "".join(
        char if char in "\n\t" or (char >= " " and char != "\x7f") else f"\\u{ord(char):04x}" for char in escaped
    )
    closed = plain[:-1] + '\\"' if plain.endswith('"') else plain
    return f'"""\n{closed}\n"""'


def prompt_for(session: Session, key: str) -> Prompt:
    """Return the prompt of a study: its newest version if that is edited, else the shipped one."""
    shipped = shipped_prompt(key)
    kept = prompt_versions(session.study, key)
    newest = _parse_cached(kept[max(kept)], key) if kept else shipped
    return newest if newest.own else shipped


@lru_cache(maxsize=32)
def _parse_cached(text: str, key: str) -> Prompt:
    return parse_prompt(text, key)


_MAX_INTEGER = 2**63 - 1
"""The largest integer of SQLite."""


def edit_prompt(session: Session, key: str, text: str) -> Changes:
    """Add a version of a prompt, as one step; earlier versions are kept for judgments that refer to them."""
    version = _next_version(session, key)
    new = with_version(text, version, own=True)
    parse_prompt(new, key)
    before = _current_or_none(session, key)
    if before is not None and with_version(before.source, version, own=True) == new:
        return Changes()
    with session.step(f"Edit prompt {key}") as step:
        put_prompt_version(session.study, key, version, new)
    return step.changes


def restore_prompt(session: Session, key: str) -> Changes:
    """Return to the shipped prompt, as one step; newer versions of the program then bring their own."""
    before = _current_or_none(session, key)
    if before is not None and not before.own:
        return Changes()
    version = _next_version(session, key)
    with session.step(f"Restore prompt {key}") as step:
        put_prompt_version(session.study, key, version, with_version(shipped_text(key), version, own=False))
    return step.changes


def _current_or_none(session: Session, key: str) -> Prompt | None:
    """Return the prompt of the study; None if it is damaged, which a new version repairs."""
    shipped_prompt(key)
    try:
        return prompt_for(session, key)
    except UserError:
        return None


def _next_version(session: Session, key: str) -> int:
    newest = max([shipped_prompt(key).version, *prompt_versions(session.study, key)])
    if newest >= _MAX_INTEGER:
        raise UserError(f"Version {newest} of the prompt “{key}” is the last.", "Use Undo to go back to it.")
    return newest + 1
