"""The metrics of items whose answer is one label, or any of several, as sums over items: for quick intervals."""

from collections.abc import Mapping, Sequence
from typing import cast

from benchmark.metrics.classification import f1_by_label as of_one
from benchmark.metrics.counted import (
    Counted,
    accuracy_counted,
    exact_match_counted,
    macro_f1_counted,
    macro_f1_multilabel_counted,
    partial_match_counted,
)
from benchmark.metrics.multilabel import f1_by_label as of_several
from benchmark.metrics.names import ACCURACY, EXACT_MATCH, MACRO_F1, PARTIAL_MATCH
from benchmark.results.quick_parts import accuracy_of_parts, consistency, ratings
from benchmark.suite.base import Entry, Said
from benchmark.suite.said import labels_of
from project.types import Json


def counted(said: Sequence[Said], entry: Entry | None = None) -> dict[str, Counted]:
    """Return key of a metric -> what each of n items adds to it; {} where the answers are of another kind.

    What is asked, and how it is called, is read from the items. Who uses it compares with the task's own figure.

    Args:
        said: about n items.
        entry: the task, for its figures over parts and chains; None for none of these.
    """
    asked = _asked(said)
    if asked is None:
        return ratings(said)
    truth, given = ([_in(one, *asked) for one in side] for side in ([x.truth for x in said], [x.answers for x in said]))
    labels = labels_of(said)
    if all(isinstance(one, str) for one in truth):
        labelled = [one if isinstance(one, str) else None for one in given]
        found = {ACCURACY: accuracy_counted(cast(list[str], truth), labelled)}
        if entry is not None:
            right = [true == one for true, one in zip(truth, labelled, strict=True)]
            found |= accuracy_of_parts(entry, said, right) | consistency(entry, said)
        if labels:
            found[MACRO_F1] = macro_f1_counted(cast(list[str], truth), labelled, labels)
        return found
    if all(isinstance(one, list) for one in truth) and labels:
        true, several = _sets(truth), [_set(one) for one in given]
        return {
            EXACT_MATCH: exact_match_counted(true, several),
            PARTIAL_MATCH: partial_match_counted(true, several),
            MACRO_F1: macro_f1_multilabel_counted(true, several, labels),
        }
    return {}


def f1_of_labels(said: Sequence[Said]) -> dict[str, float | None]:
    """Return label -> F1 of one draw; {} where answers are no labels."""
    asked, labels = _asked(said), labels_of(said)
    if asked is None or not labels:
        return {}
    truth = [_in(one.truth, *asked) for one in said]
    given = [_in(one.answers, *asked) for one in said]
    if all(isinstance(one, str) for one in truth):
        found = of_one(cast(list[str], truth), [one if isinstance(one, str) else None for one in given], labels)
    elif all(isinstance(one, list) for one in truth):
        found = of_several(_sets(truth), [_set(one) for one in given], labels)
    else:
        return {}
    return {str(label): value for label, value in found.items()}


def labelled(said: Sequence[Said]) -> tuple[str, list[str], list[str | None]] | None:
    """Return the question, the true labels and those that were said; None where no answer is one of several labels."""
    asked = _asked(said)
    if asked is None or not labels_of(said):
        return None
    truth = [_in(one.truth, *asked) for one in said]
    if not all(isinstance(one, str) for one in truth):
        return None
    given = [_in(one.answers, *asked) for one in said]
    return asked[0], cast(list[str], truth), [one if isinstance(one, str) else None for one in given]


def _asked(said: Sequence[Said]) -> tuple[str, str] | None:
    """Return the one question and the one field that all items have something right in."""
    found = {(key, field) for one in said for key, truth in one.truth.items() for field in truth}
    whole = all(len(one.truth) == 1 for one in said)
    return found.pop() if len(found) == 1 and whole else None


def _in(answers: Mapping[str, Mapping[str, Json]], key: str, field: str) -> Json:
    return answers.get(key, {}).get(field)


def _sets(values: Sequence[Json]) -> list[list[str]]:
    return [_set(one) or [] for one in values]


def _set(value: Json) -> list[str] | None:
    return [str(one) for one in value] if isinstance(value, list) else None
