"""The job that searches texts for what looks personal by itself: long work, kept for as long as the study is open.

Nothing of it is kept in the study or on the disk; the texts go to the worker and what was found in them comes back.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from anonymize.pii.hit import Stretch
from app.core.jobs import Work, run_here
from app.core.pii.finder import Recognizers, keep_searched, recognizers_now, search, unsearched
from app.core.session import Session
from project.counted import counted
from project.progress import Progress
from project.queries.free_texts import free_texts
from project.types import Changes, Json

KIND = "pii"
_AT_ONCE = 200


def prepare(session: Session) -> Work | None:
    """Make the job for all texts that were not searched since the study was opened; None where there are none."""
    texts = unsearched(session, (one.text for one in free_texts(session.study)))
    if not texts:
        return None
    title = f"Search {counted(len(texts), 'text')} for personal information"
    by = recognizers_now()
    return Work(KIND, title, "", {"texts": [*texts], "model": by.model, "fingerprint": by.fingerprint})


def search_here(session: Session, progress: Progress) -> None:
    """Search in this process what was not searched yet."""
    work = prepare(session)
    if work is not None:
        run_here(session, work, progress)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Search the texts.

    Raises:
        UserError: the model of names is damaged or gone.
        Cancelled: the user stopped it.
    """
    texts, by = cast(list[str], parameters["texts"]), _recognizers(parameters)
    found: list[Json] = []
    for first in range(0, len(texts), _AT_ONCE):
        progress.check_cancelled()
        progress.progress(first, len(texts), "Looking for personal information")
        part = texts[first : first + _AT_ONCE]
        made = search(part, by)
        found += [cast(Json, _plain(made[text])) for text in part]
    return {"found": found, "texts": len(texts)}


def store(session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
    """Keep what was found with the session; the study is not changed."""
    texts, found = cast(list[str], work.parameters["texts"]), cast(list[list[list[Json]]], result["found"])
    searched = {text: [_stretch(one) for one in each] for text, each in zip(texts, found, strict=True)}
    keep_searched(session, _recognizers(work.parameters), searched)
    return Changes()


def _recognizers(parameters: Mapping[str, Json]) -> Recognizers:
    return Recognizers(cast(str | None, parameters["model"]), str(parameters["fingerprint"]))


def _plain(found: Sequence[Stretch]) -> list[list[Json]]:
    return [[one.start, one.end, one.kind, one.score, one.source] for one in found]


def _stretch(plain: list[Json]) -> Stretch:
    start, end, kind, score, source = plain
    return Stretch(cast(int, start), cast(int, end), str(kind), cast(float, score), str(source))
