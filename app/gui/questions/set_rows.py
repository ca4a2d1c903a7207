"""A data set of questions as rows of tables: what leaves, and what does not."""

from collections import Counter

from app.core.questions.dataset.gathering import Gathering
from app.core.questions.dataset.splits import SPLITS, splits_of
from app.gui.questions.words import KINDS
from resources.translation import tr
from widgets.rows_table import Row

COUNTS = (tr("Kind"), *SPLITS, "all")
LEFT_OUT = (tr("Questions"), tr("Left out because"))


def count_rows(gathering: Gathering, seed: int) -> list[Row]:
    """Return how many questions of each kind are in each split, and of all kinds."""
    splits = splits_of(Counter(one.recording for one in gathering.items), seed)
    found = Counter((one.kind, splits[one.recording]) for one in gathering.items)
    rows = [(kind, [found[kind, split] for split in SPLITS]) for kind in sorted({kind for kind, _ in found})]
    rows.append((KINDS[""], [sum(found[kind, split] for kind, _ in rows) for split in SPLITS]))
    return [
        Row(kind, (KINDS.get(kind, kind), *(f"{many:,}" for many in each), f"{sum(each):,}")) for kind, each in rows
    ]


def left_out_rows(gathering: Gathering) -> list[Row]:
    """Return why questions do not leave, those with most first."""
    return [Row(why, (f"{many:,}", why)) for why, many in sorted(gathering.left_out.items(), key=lambda one: -one[1])]
