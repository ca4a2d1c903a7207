"""The items of each run: what became of each, and its moment."""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from app.core.benchmark.report.document import Answered, ItemLine, ItemList, ItemPart
from app.core.benchmark.report.material import Asked, Material
from app.core.benchmark.report.telling import Telling
from benchmark.results.base import ItemResult
from benchmark.results.measuring import parts_by
from benchmark.suite.base import BROKEN_DOWN_BY, Said
from project.item_sets import FrozenItem
from project.judging import JudgmentStatus

COLLECTION = "collection"
RIGHT, WRONG, ANSWERED, NOT_ASKED = "right", "wrong", "answered", "not asked"
_WORST = (JudgmentStatus.ERROR, JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED)
_PLAIN = re.compile(r"[a-z0-9_]{1,40}")


def part_key(material: Material, trait: str, value: str) -> str:
    """Return the key of a part, which is an anchor of its page and tells no more than the name of the part does."""
    return f"{_slug(trait)}-{_slug(material.called(trait, value))}"


def outcome_of(item: ItemResult) -> str:
    """Return what became of an item, by the worst of what it was asked."""
    statuses = item.said.statuses.values()
    if not statuses:
        return NOT_ASKED
    for worst in _WORST:
        if worst in statuses:
            return worst.value
    if not item.counts:
        return NOT_ASKED
    return ANSWERED if item.right is None else RIGHT if item.right else WRONG


def list_of(
    one: Asked,
    material: Material,
    items: Mapping[str, FrozenItem],
    numbers: Mapping[str, int],
    withheld: Collection[str],
    telling: Telling,
    collections: Mapping[str, str],
    texts: Mapping[str, Mapping[str, str]],
) -> ItemList:
    """Return the items of a run.

    Args:
        one: the run.
        material: of the report.
        items: of its set that may be listed, by id.
        numbers: id of a recording -> its number.
        withheld: ids of recordings that may not leave.
        telling: knows what may be told.
        collections: id -> name.
        texts: id of an item -> name -> text that may be private; {} unless they were asked for.
    """
    lines: list[ItemLine] = []
    parts: dict[tuple[str, str], list[int]] = {}
    hidden = 0
    for item in one.figures.items:
        frozen = items.get(item.said.item_id)
        if frozen is None or frozen.recording_id not in numbers:
            hidden += 1
            continue
        number = len(lines) + 1
        traits = traits_of(item.said, collections)
        for each in traits:
            parts.setdefault(each, []).append(number)
        lines.append(
            ItemLine(
                number,
                item.said.draw + 1,
                numbers[frozen.recording_id],
                frozen.recording_id,
                frozen.start_us,
                frozen.end_us,
                outcome_of(item),
                Answered(
                    telling.told(item.said.truth),
                    telling.told(item.said.answers),
                    ", ".join(_trait_text(each[0], material.called(*each)) for each in traits),
                ),
                Answered(
                    telling.told(item.said.truth, titles=True),
                    telling.told(item.said.answers, titles=True),
                    ", ".join(_trait_text(each[0], material.titled(*each)) for each in traits),
                ),
                item.said.ms,
                frozen.recording_id not in withheld,
                texts.get(item.said.item_id, {}),
            )
        )
    named = tuple(
        ItemPart(part_key(material, *each), f"{each[0].capitalize()}: {material.titled(*each)}", tuple(found))
        for each, found in sorted(parts.items())
    )
    entry = material.entries[one.task]
    return ItemList(one.list, entry.name, one.name, material.sets[one.figures.item_set.id], tuple(lines), named, hidden)


def leaving(one: ItemList) -> ItemList:
    """Return what of a list may stand in a report; items keep their numbers."""
    lines = tuple(line for line in one.lines if line.leaves)
    numbers = {line.number for line in lines}
    parts = tuple(replace(part, numbers=tuple(at for at in part.numbers if at in numbers)) for part in one.parts)
    return replace(one, lines=lines, parts=parts, withheld=one.withheld + len(one.lines) - len(lines))


def traits_of(said: Said, collections: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return trait and value of each part that an item belongs to, as figures have them.

    Args:
        said: about the item.
        collections: id -> name.
    """
    found = ((trait, value) for trait in BROKEN_DOWN_BY for value in parts_by(trait, said.traits.get(trait)))
    named = ((trait, collections.get(value, value) if trait == COLLECTION else value) for trait, value in found)
    return [*dict.fromkeys(named)]


def _trait_text(trait: str, called: str) -> str:
    return called if not called.isdecimal() else f"{called} {trait}"


def _slug(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:12]
