"""The settings of a run, in the words in which papers declare theirs, and the defaults that tasks have from them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from benchmark.items.sampling import INCLUDE_LABELS, TRUTHS, read_sampling_options
from benchmark.metrics.paper_settings import model_options, model_settings, paper_settings
from benchmark.sets.verified_questions import UNGROUNDED
from benchmark.tasks.benchmark_task import SUITE
from project.entities.frozen_items import BenchmarkRun, ItemModality, ItemSet
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Json

_JUDGE_KEYS = ("frames", "temperature", "max_tokens")
"""Settings of a judge that are those of the paper unless the judge has its own."""


def default_variant(task: str) -> str:
    """Return the variant of the prompts that the paper of a task uses."""
    declared = paper_settings(task)
    return str(declared.values.get("variant", "plain")) if declared is not None else "plain"


def with_paper_defaults(entry: JudgeEntry, task: str) -> JudgeEntry:
    """Return a judge with the paper's settings where it has none of its own; baselines and people have none."""
    declared = paper_settings(task)
    options = model_options(entry.backend, dict(entry.settings))
    if declared is None or options is None:
        return entry
    usual: dict[str, Json] = {key: declared.values[key] for key in _JUDGE_KEYS if key in declared.values}
    context = getattr(options, "context", None)
    if isinstance(context, int) and isinstance(longest := usual.get("max_tokens"), int):
        usual["max_tokens"] = min(longest, context // 2)
    return replace(entry, settings={**usual, **entry.settings})


def run_settings(run: BenchmarkRun, item_set: ItemSet) -> dict[str, Json]:
    """Return the settings of a run by key of `benchmark.metrics.paper_settings.SETTING_NAMES`."""
    found = _set_settings(item_set)
    judged = _judge_settings(run, item_set.task)
    if judged or run.annotator_id is not None:
        found |= {**_way_settings(run, item_set.task), **judged}
    return found


def _set_settings(item_set: ItemSet) -> dict[str, Json]:
    rule, entry = read_sampling_options(item_set.rule), SUITE.make(item_set.task)
    ungrounded = item_set.rule.get(UNGROUNDED)
    own = {key: weight for key, weight in rule.shares.items() if key not in ("yes", "no")}
    answers = {key: weight for key, weight in rule.shares.items() if key in ("yes", "no")}
    if not own and rule.scheme == "shrec":
        own = dict(entry.shares)
    return {
        "draws": item_set.draws,
        "size": cast(int, item_set.rule.get("size", entry.size)),
        "shares": _format_shares(own) if own else "the same for each",
        "balance": _format_shares(answers) if answers else "half and half",
        "collections": "as many of each" if rule.stratify else "as the study has them",
        "included": ", ".join(INCLUDE_LABELS[key] for key in rule.include) or "nothing",
        "truth": TRUTHS[rule.truth],
        "people": f"pseudonyms alone in {ungrounded} items" if ungrounded else "looks",
    }


def _format_shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {weight:g}" for key, weight in sorted(shares.items()))


def _way_settings(run: BenchmarkRun, task: str) -> dict[str, Json]:
    pictures = run.shown is not ItemModality.TEXT
    found: dict[str, Json] = {"shown": run.shown.value, "prompt": "our own", "request": "one participant"}
    found |= {"reasons": "at most 240 characters"}
    if run.annotator_id is None:
        found["variant"] = run.variant
    if pictures and task in ("pre", "post"):
        found["option_pictures"] = "several for each option"
    return found


def _judge_settings(run: BenchmarkRun, task: str) -> dict[str, Json]:
    backend, settings = str(run.judge.get("backend", "")), run.judge.get("settings")
    entry = JudgeEntry(run.judge_id, "", backend, "", settings if isinstance(settings, dict) else {})
    options = model_options(backend, dict(with_paper_defaults(entry, task).settings))
    return model_settings(options, shows_pictures=run.shown is not ItemModality.TEXT) if options is not None else {}
