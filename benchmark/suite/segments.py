"""What the tasks about segments share: which of a pool fit, and what of them is frozen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from benchmark.items.base import Candidate, Pool
from benchmark.suite.said import LABELS
from benchmark.tasks.base import Item, Task
from benchmark.tasks.form import FormSpec
from benchmark.tasks.labels import YES_NO, labels_of
from project.errors import UserError
from project.schemes.scheme import Scheme
from project.types import Json, Verdict

ERROR, COMPETENCE = Verdict.ERROR.value, Verdict.COMPETENCE.value


def scheme_of(pool: Pool) -> Scheme:
    """Return the scheme of a pool of segments."""
    assert pool.scheme is not None
    return pool.scheme


def label_of(one: Candidate) -> str:
    """Return the label of a candidate."""
    return str(one.content.get("label", ""))


def values_of(one: Candidate) -> Mapping[str, Json]:
    """Return what is filled in about a candidate."""
    return cast(Mapping[str, Json], one.content.get("values", {}))


def traits_of(one: Candidate) -> Mapping[str, Json]:
    """Return the traits of a candidate."""
    return cast(Mapping[str, Json], one.content.get("traits", {}))


def by_label(candidates: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    """Return label -> candidates."""
    found: dict[str, list[Candidate]] = {}
    for one in candidates:
        found.setdefault(label_of(one), []).append(one)
    return found


def as_item(pool: Pool, one: Candidate, label: str = "") -> Item:
    """Return a candidate as what a task is about."""
    return Item(scheme_of(pool), pool.track, label or label_of(one), values_of(one))


def fitting(
    pool: Pool, candidates: Sequence[Candidate], task: Task, otherwise: str
) -> tuple[list[Candidate], Counter[str]]:
    """Return the candidates that a task can be asked about and that say what is right; the others are counted.

    Args:
        pool: that they are of.
        candidates: some of it.
        task: that is asked.
        otherwise: why the others are left out.
    """
    left_out: Counter[str] = Counter()
    found: list[Candidate] = []
    for one in candidates:
        item = as_item(pool, one)
        if not task.why_not(item) and task.truth(item):
            found.append(one)
        else:
            left_out[otherwise] += 1
    return found, left_out


def frozen(pool: Pool, one: Candidate, task: Task, label: str, traits: Mapping[str, Json], **more: Json) -> Candidate:
    """Return a candidate with what its item keeps: the right answer, and traits beside its own."""
    content: dict[str, Json] = {
        "scheme": scheme_of(pool).key,
        "track": pool.track,
        "label": label,
        "truth": {task.key: task.truth(as_item(pool, one, label))},
        "traits": {**traits_of(one), **traits},
        **more,
    }
    return replace(one, content=content)


def all_labels(pool: Pool) -> list[str]:
    """Return the labels that a judge can choose from, `none` among them."""
    return [one.key for one in labels_of(Item(scheme_of(pool), pool.track))]


def choices_of(spec: FormSpec) -> list[Json]:
    """Return the choices of the first thing that is asked."""
    return [one.key for one in spec.asked[0].field.choices]


def yes_and_no() -> dict[str, Json]:
    """Return the trait of a question that is answered with yes or no."""
    return {LABELS: [one.key for one in YES_NO]}


def shares_of(pool: Pool, given: Any, usual: Mapping[str, float]) -> dict[str, float]:
    """Return label -> weight: what is wished, else the paper's where the scheme has its labels, else equal weights.

    Raises:
        UserError: a label that has a share is none of the track's, or no label has one.
    """
    labels = all_labels(pool)
    shares = {str(key): float(weight) for key, weight in given.items()} if isinstance(given, dict) else {}
    if not shares:
        shares = dict(usual) if {*usual} <= {*labels} else dict.fromkeys(labels, 1.0)
    if strange := [key for key in shares if key not in labels]:
        raise UserError(f"“{strange[0]}” is no label of “{pool.track}”.", f"It has {', '.join(labels)}.")
    if not any(weight > 0 for weight in shares.values()):
        raise UserError("No label has a share, so nothing can be drawn.", "Give at least one a weight above 0.")
    return shares
