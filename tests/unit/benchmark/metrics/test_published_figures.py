import pytest

from annotate.agreement.figure_intervals import load_published
from benchmark.metrics.published_figures import (
    ESI_BENCH,
    R3_VQA,
    describe_metric,
    published_rows,
    published_scores,
    published_scores_for,
    split_metric_key,
)

SHREC = ("verdict", "error", "attributes", "multiple", "pre", "post", "rationale", "correction")
DIMENSIONS = {"goal", "believability", "knowledge", "secret", "relationship", "social_rules", "financial"}
HUMAN = (0.57, 0.45, 0.77, 0.71, 0.24, 0.67, 0.76, 0.57, 0.75, 0.77, 0.87, 0.63, 0.54)
TABLES = {
    ("Human", "L+V"): HUMAN,
    ("o1", "L+V"): (0.24, 0.21, 0.50, 0.41, 0.02, 0.32, 0.67, 0.49, 0.35, 0.59, 0.68, 0.44, 0.40),
    ("gpt-4o", "L"): (0.25, 0.23, 0.50, 0.42, 0.02, 0.20, 0.49, 0.52, 0.44, 0.66, 0.67, 0.36, 0.38),
}


def figures_of(task: str, name: str, setting: str = "") -> dict[str, tuple[float, float | None]]:
    rows = [row for row in published_scores_for(task) if (row.name, row.setting) == (name, setting)]
    return {row.metric: (row.mean, row.sd) for row in rows}


def test_shrec_has_seventeen_models_and_people_in_every_task_as_printed() -> None:
    names = [(row.name, row.modality) for row in published_scores_for("pre")]
    assert len({*names}) == len(names) == 18
    assert sum(modality == "L" for _, modality in names) == 5
    for task, metrics in zip(SHREC, (2, 2, 3, 2, 1, 1, 1, 1), strict=True):
        assert len(published_scores_for(task)) == 18 * metrics
        for row in published_scores_for(task):
            assert (row.sd is None) == (row.name == "Human")
            assert row.source.startswith("SHREC, Table")
    for who, means in TABLES.items():
        rows = [row for task in SHREC for row in published_scores_for(task) if (row.name, row.modality) == who]
        assert tuple(row.mean for row in rows) == means
    assert figures_of("pre", "gemini-1.5-flash")["accuracy"] == (0.60, 0.10)


def test_the_conditions_as_they_are_printed() -> None:
    figures = {
        name: [figures_of("conditions", name, text)["macro_f1"] for text in ("raw", "diffusion", "deepfake", "cartoon")]
        for name in ("GPT-4o", "Gemma-3", "LLaVA-Next")
    }
    assert figures == {
        "GPT-4o": [(0.462, 0.083), (0.414, 0.096), (0.513, 0.058), (0.500, 0.063)],
        "Gemma-3": [(0.194, 0.050), (0.144, 0.010), (0.196, 0.045), (0.198, 0.044)],
        "LLaVA-Next": [(0.266, 0.104), (0.309, 0.119), (0.298, 0.120), (0.260, 0.075)],
    }


def test_sotopia_and_socialnli_as_they_are_printed() -> None:
    models = figures_of("sotopia_eval", "GPT-4", "characters played by models")
    people = figures_of("sotopia_eval", "GPT-4", "characters played by people")
    assert {split_metric_key(metric)[1] for metric in models} == DIMENSIONS
    assert {split_metric_key(metric)[1] for metric in people} == DIMENSIONS - {"secret"}
    assert (models["pearson_r.goal"], people["pearson_r.goal"]) == ((0.71, None), (0.78, None))
    raters = figures_of("sotopia_eval", "Human", "two raters an episode")
    assert raters == {"randolph_kappa": (0.503, None), "pairwise_agreement": (0.8485, None)}
    correlations = {row.name: row.mean for row in published_scores_for("socialnli") if row.metric == "pearson_r"}
    assert (len(correlations), correlations["DeepSeek-V3"], correlations["GPT-4o"]) == (6, -0.137, 0.153)
    assert figures_of("socialnli", "GPT-4o")["mae"] == (0.341, None)
    assert figures_of("socialnli_facts", "Human") == {"factuality": (0.9259, None)}


def test_r3_vqa_and_esi_bench_as_they_are_printed_and_told_as_shares() -> None:
    rows = {(row.table, row.model, row.setting): row.figures for row in published_rows(R3_VQA)}
    assert len(rows) == 54 + 18
    for model, setting, printed in (
        ("Human", "people", (90.85, 41.86, 66.20)),
        ("GPT-4o", "+sub+tom", (83.08, 29.39, 50.64)),
        ("Video-LLaVA", "base", (20.33, 0.0, 0.14)),
    ):
        figures = rows[3, model, setting]
        assert (figures["overall"], figures["chain"], figures["subchain"]) == printed
        told = figures_of("r3vqa", model, setting)
        shares = [told[key][0] for key in ("accuracy", "chain_consistency", "subchain_consistency")]
        assert shares == pytest.approx([value / 100 for value in printed])
    written = [rows[4, *key]["written"] for key in (("Human", "people"), ("GPT-4o", "+sub+tom"), ("Chance", "chance"))]
    assert written == [80.06, 53.80, 20]
    (ours,) = [row.figures for row in published_rows(ESI_BENCH) if row.model == "ESI-Bench"]
    assert [*ours.values()] == [8.15, 2.59, 2.28, 2.63, 1.85, 53.26]
    shares = {"GPT-4o": 0.5326, "Gemini": 0.5653, "Doubao": 0.5346, "Grok": 0.5739, "Claude": 0.5156}
    assert {row.name: row.mean for row in published_scores_for("esi")} == pytest.approx(shares)


def test_every_row_is_a_figure_of_a_metric_that_there_is_and_there_once() -> None:
    for row in published_scores():
        metric = describe_metric(row.metric)
        assert metric is not None, row
        assert (0 if metric.share else -1) <= row.mean <= 1, row
        assert row.sd is None or 0 <= row.sd < 0.2, row
        assert row.modality in ("L", "V", "L+V") or row.name == "Chance", row
    keys = [(row.task, row.name, row.modality, row.setting, row.metric) for row in published_scores()]
    assert len({*keys}) == len(keys)
    assert published_scores_for("assess") == ()
    assert load_published("sotopia-eval") is None
