"""Replaces commands in hints by the entries of the window's menus that do the same.

The floors below the window name commands. A person in the window is told where to click instead.
"""

import re

from resources.translation import tr

_ENTRIES = {
    "add": {"": tr("File > Add recordings…")},
    "info": {"": tr("File > Recording details…")},
    "new": {"": tr("File > New study…")},
    "open": {"": tr("File > Open study…")},
    "anonymize": {
        "export": tr("File > Export anonymized…"),
        "measure": tr("File > Privacy of exports…"),
    },
    "benchmark": {"": tr("View > Benchmark")},
    "chain": {
        "": tr("View > Chains"),
        "import": tr("Chains > Read a chain from a file…"),
    },
    "episode": {"": tr("Study > Episodes…")},
    "faces": {
        "review": tr("View > Faces"),
        "track": tr("Faces > Track faces"),
    },
    "judge": {
        "": tr("View > Judges"),
        "add": tr("Judges > Add judge…"),
        "ask": tr("Judges > Ask about this segment"),
        "blind": tr("Judges > Answer yourself…"),
        "revisions": tr("Judges > Revisions after judges…"),
    },
    "model": {"": tr("File > Models…")},
    "participant": {
        "": tr("File > Recording details…"),
        "withdraw": tr("Study > Withdraw a participant…"),
    },
    "pii": {"": tr("Speech > Personal information…")},
    "policy": {"": tr("Study > What leaves this machine…")},
    "question": {
        "": tr("View > Questions"),
        "consistency": tr("Study > What judges understand…"),
        "texts": tr("Study > Export questions as a data set…"),
    },
    "recording": {
        "add-view": tr("File > Recording details…"),
        "done": tr("Study > Recording done"),
        "hold-out": tr("Study > Hold out recording"),
        "meta": tr("Study > Meta information…"),
        "sync": tr("File > Recording details…"),
    },
    "release": {"": tr("Study > Release…")},
    "scheme": {"": tr("Study > Schemes…")},
    "segment": {
        "": tr("View > Annotate"),
        "cues": tr("Speech > Suggest cues"),
        "cues accept": tr("Speech > Accept the pre-label"),
        "export": tr("File > Export annotations…"),
        "import": tr("File > Import annotations…"),
    },
    "speech": {
        "": tr("File > Import annotations…"),
        "speakers": tr("Speech > Suggest speakers"),
        "transcribe": tr("Speech > Transcribe…"),
        "transcribe --speech-only": tr("Speech > Find speech"),
    },
    "study": {
        "check": tr("File > Recover a study…"),
        "checklist": tr("Study > Checklist…"),
        "conflicts": tr("Study > Team…"),
        "decrypt": tr("File > Decrypt study…"),
        "encrypt": tr("File > Encrypt study…"),
        "merge": tr("Study > Team…"),
        "recover": tr("File > Recover a study…"),
        "relink": tr("File > Locate missing media…"),
        "resolve": tr("Study > Team…"),
        "search": tr("Study > All segments…"),
        "split": tr("Study > Team…"),
    },
    "team": {
        "activity": tr("Study > Active minutes…"),
        "adjudicate": tr("Study > Adjudicated lane…"),
        "agreement": tr("Study > Agreement and statistics…"),
        "plan": tr("Study > Team…"),
        "review": tr("View > Review"),
        "training": tr("Study > Training…"),
    },
}
WINDOW_TERMS = {
    f"{group} {command}".rstrip(): entry for group, entries in _ENTRIES.items() for command, entry in entries.items()
}
"""Words of a command -> menu and entry. Of several that fit, the one with the most words."""

_GROUPS = "|".join(sorted({term.split()[0] for term in WINDOW_TERMS} - {"add", "info", "new", "open"}))
_COMMAND = re.compile(
    rf"""(?P<introduced>(?<=:\ ))?(?P<quote>[`“])?\bgreenroom\ (?P<words>(?:model\ (?:fetch|add)\ [\w-]+
    |segment\ cues\ [a-z]+|recording\ meta\ [a-z]+|team\ review\ [a-z]+|(?:{_GROUPS})\ [a-z-]+|[a-z]+)
    (?:\ (?:--[a-z-]+|\.\.\.|[\w./:={{}}"-]*[A-Z0-9={{][\w./:,={{}}"-]*(?<![.,]))(?=[\s.,;)`”]|$))*)[`”]?
    (?P<stop>\.(?!\w))?""",
    re.VERBOSE,
)
_REST_OF_HINT = re.compile(r"(?:[^.,;()]|\.\.\.)*(?P<stop>\.?)")


def in_window_terms(text: str) -> str:
    """Return a text with each command replaced by the entry of the menus that does the same.

    What follows a colon and a command up to the end of the sentence is part of the command.
    """
    if "greenroom " not in text:
        return text
    parts, at = [], 0
    while (found := _COMMAND.search(text, at)) is not None:
        words, end = found["words"].split(), found.end()
        known = [term for term in WINDOW_TERMS if term.split()[0] == words[0] and {*term.split()} <= {*words}]
        if not known or not _is_command(found):
            parts.append(text[at:end])
            at = end
            continue
        term, stop = WINDOW_TERMS[max(known, key=lambda known_term: len(known_term.split()))], found["stop"]
        if found["introduced"] is not None and not stop and (rest := _REST_OF_HINT.match(text, end)) is not None:
            end, stop = rest.end(), rest["stop"]
        parts += [text[at : found.start()], term, "" if term.endswith("…") else stop or ""]
        at = end
    return "".join([*parts, text[at:]])


def _is_command(found: re.Match[str]) -> bool:
    """Tell a command from what somebody said: it follows a colon, is quoted, or has an option or a placeholder."""
    marked = found["introduced"] is not None or found["quote"] is not None
    return marked or any(word.startswith("--") or word.isupper() for word in found["words"].split())
