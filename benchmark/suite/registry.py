"""Which tasks the benchmark has. A new one is a file here, and a line in the table."""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from benchmark.suite.base import Entry
from project.errors import UserError

SUITE: Mapping[str, str] = {
    "verdict": "benchmark.suite.verdict:VerdictEntry",
    "error": "benchmark.suite.error:ErrorEntry",
    "attributes": "benchmark.suite.attributes:AttributesEntry",
    "multiple": "benchmark.suite.multiple:MultipleEntry",
    "pre": "benchmark.suite.flow:PreEntry",
    "post": "benchmark.suite.flow:PostEntry",
    "rationale": "benchmark.suite.reasons:RationaleEntry",
    "correction": "benchmark.suite.reasons:CorrectionEntry",
    "conditions": "benchmark.suite.conditions:ConditionsEntry",
    "r3vqa": "benchmark.suite.questions:R3Entry",
    "r3vqa_written": "benchmark.suite.questions:WrittenEntry",
    "esi": "benchmark.suite.questions:EsiEntry",
    "socialnli": "benchmark.suite.socialnli:SocialNli",
    "socialnli_facts": "benchmark.suite.socialnli:SocialNliFacts",
    "sotopia_eval": "benchmark.suite.sotopia_eval:SotopiaEval",
}
"""Key of a task -> where it is."""


def entry_of(key: str) -> Entry:
    """Return a task of the benchmark.

    Raises:
        UserError: there is none of that key.
    """
    if key not in SUITE:
        raise UserError(f"The benchmark has no task “{key}”.", f"Choose one of {', '.join(SUITE)}.")
    module, _, attribute = SUITE[key].partition(":")
    return cast(Entry, getattr(import_module(module), attribute)())
