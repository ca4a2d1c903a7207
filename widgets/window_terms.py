"""Replaces commands in hints by the entries of the window's menus that do the same.

The floors below the window name commands. A person in the window is told where to click instead.
"""

import re

from resources.translation import tr

WINDOW_TERMS = {
    "activity": tr("Study > Active minutes…"),
    "add": tr("File > Add recordings…"),
    "add-view": tr("File > Recording details…"),
    "adjudicate": tr("Study > Adjudicated lane…"),
    "agreement": tr("Study > Agreement and statistics…"),
    "anonymize": tr("File > Export anonymized…"),
    "ask": tr("Judges > Ask about this segment"),
    "benchmark": tr("View > Benchmark"),
    "blind": tr("Judges > Answer yourself…"),
    "chain": tr("View > Chains"),
    "chain import": tr("Chains > Read a chain from a file…"),
    "check": tr("File > Recover a study…"),
    "checklist": tr("Study > Checklist…"),
    "conflicts": tr("Study > Team…"),
    "consistency": tr("Study > What judges understand…"),
    "cues": tr("Speech > Suggest cues"),
    "cues accept": tr("Speech > Accept the pre-label"),
    "done": tr("Study > Recording done"),
    "egress": tr("Study > What leaves this machine…"),
    "episode": tr("Study > Episodes…"),
    "export": tr("File > Export annotations…"),
    "faces": tr("Faces > Track faces"),
    "hold-out": tr("Study > Hold out recording"),
    "import": tr("File > Import annotations…"),
    "info": tr("File > Recording details…"),
    "judge": tr("View > Judges"),
    "judge add": tr("Judges > Add judge…"),
    "merge": tr("Study > Team…"),
    "meta": tr("Study > Meta information…"),
    "models": tr("File > Models…"),
    "new": tr("File > New study…"),
    "open": tr("File > Open study…"),
    "participant": tr("File > Recording details…"),
    "pii": tr("Speech > Personal information…"),
    "plan": tr("Study > Team…"),
    "policy": tr("Study > What leaves this machine…"),
    "privacy": tr("File > Privacy of exports…"),
    "questions": tr("View > Questions"),
    "questions texts": tr("Study > Export questions as a data set…"),
    "recover": tr("File > Recover a study…"),
    "release": tr("Study > Release…"),
    "relink": tr("File > Locate missing media…"),
    "resolve": tr("Study > Team…"),
    "review": tr("View > Review"),
    "review-faces": tr("View > Faces"),
    "revisions": tr("Judges > Revisions after judges…"),
    "scheme": tr("Study > Schemes…"),
    "encrypt": tr("File > Encrypt study…"),
    "search": tr("Study > All segments…"),
    "segment": tr("View > Annotate"),
    "speakers": tr("Speech > Suggest speakers"),
    "split": tr("Study > Team…"),
    "sync": tr("File > Recording details…"),
    "texts": tr("Study > Release…"),
    "training": tr("Study > Training…"),
    "transcribe": tr("Speech > Transcribe…"),
    "transcribe --speech-only": tr("Speech > Find speech"),
    "transcript": tr("File > Import annotations…"),
    "decrypt": tr("File > Decrypt study…"),
    "withdraw": tr("Study > Withdraw a participant…"),
    "private-words": tr("Study > Release…"),
}
"""Words of a command -> menu and entry. Of several that fit, the one with the most words."""

_GROUPS = "models|judge|policy|benchmark|questions|chain|scheme|cues|pii|episode|participant|transcript"
_COMMAND = re.compile(
    rf"""(?P<introduced>(?<=:\ ))?(?P<quote>[`“])?\bgreenroom\ (?P<words>(?:models\ (?:fetch|add)\ [\w-]+
    |(?:{_GROUPS})\ [a-z]+|[a-z-]+)
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
