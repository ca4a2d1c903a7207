"""What judges, people and sets are called in a report that may be sent around."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from anonymize.folding import fold
from anonymize.text import Words
from app.core.benchmark.results.figures import RunFigures
from app.core.release.codes import annotator_codes
from app.core.release.private import private_of
from app.core.session import Session
from project.item_sets import BenchmarkRun
from project.judging import PERSON, RAW
from project.queries.annotators import all_annotators
from project.queries.participants import all_participants

_PATH = re.compile(r"(?:~|(?<![\w/.:])/|[A-Za-z]:\\)\S*[/\\]\S*")
_PERSON = "person"
_PLAIN = "plain"


def names_of(session: Session, runs: Sequence[RunFigures]) -> dict[str, str]:
    """Return id of a run -> who answered: people under a code, judges by their name unless it tells whom it is about.

    No path is in a name, and no word that must not leave the study; two judges never have the same name.
    """
    codes = annotator_codes(all_annotators(session.study), [one.pseudonym for one in all_participants(session.study)])
    people = {one.id: codes[one.name] for one in all_annotators(session.study)}
    tells = tells_of(session)
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    judges = list(dict.fromkeys(one.run.judge_id for one in runs))
    for one in runs:
        if one.run.annotator_id is not None:
            name = f"Person {people.get(one.run.annotator_id, one.run.annotator_id[-4:])}"
        else:
            plain = _PATH.sub(lambda path: _last(path[0]), one.judge)
            name = f"Judge {judges.index(one.run.judge_id) + 1}" if tells(plain) else plain
        owner = one.run.annotator_id or one.judge
        while owners.setdefault(name, owner) != owner:
            name += "'"
        found[one.run.id] = name
    return found


def sets_of(session: Session, runs: Sequence[RunFigures]) -> dict[str, str]:
    """Return id of a set -> its name, or its number where the name holds what must not leave."""
    tells = tells_of(session)
    named = dict.fromkeys((one.item_set.id, one.item_set.name) for one in runs)
    return {
        key: f"set {place}" if tells(name) or _PATH.search(name) else name for place, (key, name) in enumerate(named, 1)
    }


def way_of(run: BenchmarkRun, name: str, condition: str) -> str:
    """Return how a run is called in tables, as SHREC's are: “(L+V) gpt-4o + cot”.

    Args:
        run: that is meant.
        name: who answered.
        condition: for people, of what was shown.
    """
    told = f"({run.shown.value}) {name}" + (f" + {run.variant}" if run.variant not in (_PLAIN, "", PERSON) else "")
    extras = [*([condition] if run.condition != RAW else []), *([f"seed {run.seed}"] if run.seed else [])]
    return ", ".join([told, *extras])


def tells_of(session: Session) -> Callable[[str], bool]:
    """Return what tells whether a text holds anything that must not leave the study."""
    private = private_of(session)
    models = {one.name for one in all_annotators(session.study) if one.kind != _PERSON}
    words = Words({word: "-" for word in private.words if word not in models})
    texts = [fold(one).text for one in private.texts]

    def tells(text: str) -> bool:
        folded = fold(text).text
        return any(True for _ in words(folded)) or any(one in folded for one in texts)

    return tells


def _last(path: str) -> str:
    return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name
