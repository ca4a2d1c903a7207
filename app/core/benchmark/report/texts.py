"""What was shown and said about items, as it is: only for reports that stay where the study is."""

from collections.abc import Collection, Mapping

from app.core.benchmark.results.figures import RunFigures
from app.core.session import Session
from project.item_sets import FrozenItem
from project.queries.item_sets import answers_of
from project.queries.judgments import judgments_called
from project.queries.recordings import all_recordings
from project.types import Json


def texts_of(
    session: Session, run: RunFigures, items: Mapping[str, FrozenItem], withheld: Collection[str]
) -> dict[str, dict[str, str]]:
    """Return id of an item -> name -> text: options, what was told, the right answer, and every answer in full.

    Args:
        session: of the study.
        run: whose answers are meant.
        items: by id.
        withheld: recordings that may not leave: neither do options that were taken from them, or from what is gone.
    """
    found: dict[str, dict[str, str]] = {}
    known = {one.id for one in all_recordings(session.study)}
    for item_id in dict.fromkeys(one.said.item_id for one in run.items):
        item = items.get(item_id)
        if item is not None and not _borrows(item, withheld, known):
            found[item_id] = _shown(item)
    raw = judgments_called(session.study, [one.judgment_id for one in answers_of(session.study, run.run.id)])
    for one in raw:
        if one.item_id in found:
            part = f", {one.part}" if one.part else ""
            found[one.item_id][f"Answer to {one.task}{part}"] = "\n".join([*_lines(one.answer), one.raw]).strip()
    return found


def _shown(item: FrozenItem) -> dict[str, str]:
    texts = {}
    options = item.content.get("options")
    if isinstance(options, list):
        place = item.content.get("place")
        texts["Options"] = "\n".join(
            f"{'ABCDEFGHIJ'[at]}. {one}{' (right)' if at == place else ''}" for at, one in enumerate(options)
        )
    facts = item.content.get("facts")
    if isinstance(facts, dict):
        texts["Told"] = "\n".join(_lines(facts))
    truth = item.content.get("truth")
    if isinstance(truth, dict):
        texts["Right"] = "\n".join(line for one in truth.values() if isinstance(one, dict) for line in _lines(one))
    return texts


def _lines(found: Mapping[str, Json]) -> list[str]:
    return [f"{key}: {value}" for key, value in found.items()]


def _borrows(item: FrozenItem, withheld: Collection[str], known: Collection[str]) -> bool:
    """Tell whether words of it are of a recording that may not leave, or that is gone, so that nobody knows."""
    homes = item.content.get("homes")
    return isinstance(homes, list) and any(one in withheld or one not in known for one in homes)
