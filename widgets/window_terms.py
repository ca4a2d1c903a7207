"""Replaces commands in hints by the entries of the window's menus that do the same.

The floors below the window name commands. A person in the window is told where to click instead.
"""

import re

WINDOW_TERMS = {
    "activity": "Study > Active minutes…",
    "add": "File > Add recordings…",
    "add-view": "File > Recording details…",
    "adjudicate": "Study > Adjudicated lane…",
    "agreement": "Study > Agreement and statistics…",
    "anonymize": "File > Export anonymized…",
    "ask": "Judges > Ask about this segment",
    "benchmark": "View > Benchmark",
    "blind": "Judges > Answer yourself…",
    "chain": "View > Chains",
    "chain import": "Chains > Read a chain from a file…",
    "check": "File > Recover a study…",
    "checklist": "Study > Checklist…",
    "conflicts": "Study > Team…",
    "consistency": "Study > What judges understand…",
    "cues": "Speech > Suggest cues",
    "cues accept": "Speech > Accept the pre-label",
    "done": "Study > Mark recording as done, or not",
    "egress": "Study > What leaves this machine…",
    "episode": "Study > Episodes…",
    "export": "File > Export annotations…",
    "faces": "Faces > Track faces",
    "hold-out": "Study > Hold out recording, or not",
    "import": "File > Import annotations…",
    "info": "File > Recording details…",
    "judge": "View > Judges",
    "judge add": "Judges > Add judge…",
    "merge": "Study > Team…",
    "meta": "Study > Meta information…",
    "models": "File > Models…",
    "new": "File > New study…",
    "open": "File > Open study…",
    "participant": "File > Recording details…",
    "pii": "Speech > Personal information…",
    "plan": "Study > Team…",
    "policy": "Study > What leaves this machine…",
    "privacy": "File > Privacy of exports…",
    "questions": "View > Questions",
    "questions texts": "Study > Export questions as a data set…",
    "recover": "File > Recover a study…",
    "release": "Study > Release…",
    "relink": "File > Locate missing media…",
    "resolve": "Study > Team…",
    "review": "View > Review",
    "review-faces": "View > Faces",
    "revisions": "Judges > Revisions after judges…",
    "scheme": "Study > Schemes…",
    "seal": "File > Seal study…",
    "search": "Study > All segments…",
    "segment": "View > Annotate",
    "speakers": "Speech > Suggest speakers",
    "split": "Study > Team…",
    "sync": "File > Recording details…",
    "texts": "Study > Release…",
    "training": "Study > Training…",
    "transcribe": "Speech > Transcribe…",
    "transcribe --speech-only": "Speech > Find speech",
    "transcript": "File > Import annotations…",
    "unseal": "File > Unseal study…",
    "withdraw": "Study > Withdraw a participant…",
    "words": "Study > Release…",
}
"""Words of a command -> menu and entry. Of several that fit, the one with the most words."""

_GROUPS = "models|judge|policy|benchmark|questions|chain|scheme|cues|pii|episode|participant|transcript"
_COMMAND = re.compile(
    rf"""(?P<introduced>(?<=:\ ))?[`“]?\bgreenroom\ (?P<words>(?:models\ (?:fetch|add)\ [\w-]+
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
        if not known:
            parts.append(text[at:end])
            at = end
            continue
        term, stop = WINDOW_TERMS[max(known, key=lambda known_term: len(known_term.split()))], found["stop"]
        if found["introduced"] is not None and not stop and (rest := _REST_OF_HINT.match(text, end)) is not None:
            end, stop = rest.end(), rest["stop"]
        parts += [text[at : found.start()], term, "" if term.endswith("…") else stop or ""]
        at = end
    return "".join([*parts, text[at:]])
