"""Personal information on sentences that no rule was tuned on: ours with and without a model, Presidio's own beside."""

import time
from collections.abc import Callable, Sequence

from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_hit import KINDS, NAMES, PLACES, STRUCTURED
from models.names import name_finders as registry
from models.names.name_finders import NameFinder
from models.runtime.native_libraries import without_heavy_packages
from models.weights.installed_weights import verified_path as weights_path
from project.errors import UserError
from tests.pii.labelled import HELD_OUT, PUBLIC, Span, judged, sentences
from tools.bench import pii_languages as languages
from tools.bench.row import Row

WORDS = 100_000
LEAST = {NAMES: 0.90, STRUCTURED: 0.98}
LEAST_PRECISION = 0.80
LEAST_BY_LANGUAGE = 0.85
_NOT_INSTALLED = "not installed: greenroom model fetch ner-english"
# Presidio's own kinds by our groups; what is not named here is a number or an address.
_GROUPS = {"PERSON": NAMES, "LOCATION": PLACES, "ORGANIZATION": PLACES, "NRP": PLACES}
_WIDE = frozenset({"DATE_TIME", "NRP"})


def run() -> list[Row]:
    """Measure recall, precision and speed."""
    held_out = sentences(HELD_OUT)
    model = _model()
    ours = {"by rules": _ours(PersonalFinder(public=PUBLIC))}
    if model is not None:
        ours["with the model of names"] = _ours(PersonalFinder(public=PUBLIC, names=model))
    peers = _presidio(model is not None)
    against = {name: judged(held_out, find) for name, find in peers.items()}
    rows = []
    for name, find in ours.items():
        figures = judged(held_out, find)
        for group, title in (
            (NAMES, "names"),
            (STRUCTURED, "numbers, addresses, dates, links"),
            (PLACES, "places, firms"),
        ):
            rows.append(
                _row(
                    f"{title} found in {len(held_out)} held-out sentences ({figures.there[group]}), {name}",
                    figures.recall(group),
                    {peer: each.recall(group) for peer, each in against.items()},
                    LEAST.get(group),
                )
            )
        rows.append(
            _row(
                f"of what was found there, what is right ({sum(figures.said.values())} places), {name}",
                figures.precision(),
                {peer: each.precision() for peer, each in against.items()},
                LEAST_PRECISION,
            )
        )
    if model is None:
        rows.append(Row("the same with the model of names", _NOT_INSTALLED))
    return [*rows, *_by_language(), *_speed(model)]


def _by_language() -> list[Row]:
    """Measure what is hidden as a whole in the held-out sentences of each language, by rules alone."""
    finder = PersonalFinder()
    rows = []
    for code, language in languages.LANGUAGES.items():
        found = languages.measure(languages.sentences(code), finder.find)
        share = found.whole.total() / found.spans.total()
        rows.append(
            Row(
                f"personal stretches hidden whole in held-out {language} sentences ({found.spans.total()}), by rules",
                f"{share:.3f}",
                f"{found.alarms} of {found.clean} clean sentences with a false alarm",
                target=f">= {LEAST_BY_LANGUAGE:.2f}",
                ok=share >= LEAST_BY_LANGUAGE,
            )
        )
    return rows


def _row(work: str, ours: float, peers: dict[str, float], least: float | None) -> Row:
    told = "; ".join(f"{peer} {value:.3f}" for peer, value in peers.items())
    target = f">= {least:.2f}" if least is not None else ""
    return Row(work, f"{ours:.3f}", told, target=target, ok=None if least is None else ours >= least)


def _model() -> NameFinder | None:
    try:
        weights_path(registry.FINDERS.weights["spacy"])
    except UserError:
        return None
    return registry.create_name_finder("spacy")


def _ours(finder: PersonalFinder) -> Callable[[str], Sequence[Span]]:
    return lambda text: [(hit.start, hit.end, KINDS[hit.kind].group) for hit in finder.find(text)]


def _presidio(has_model: bool) -> dict[str, Callable[[str], Sequence[Span]]]:
    """Return Presidio's engine with the recognizers that it comes with, told the same public words."""
    with without_heavy_packages():
        import tldextract
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import NerModelConfiguration, NlpEngine, NoOpNlpEngine, SpacyNlpEngine

    # As it comes it would ask a public host for this list; the list that tldextract carries is given to it.
    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    engines: dict[str, NlpEngine] = {"blank": NoOpNlpEngine([{"lang_code": "en", "model_name": "none"}])}
    if has_model:
        folder = str(weights_path(registry.FINDERS.weights["spacy"]))
        real = SpacyNlpEngine(
            [{"lang_code": "en", "model_name": folder}],
            NerModelConfiguration(
                labels_to_ignore=[
                    "CARDINAL",
                    "ORDINAL",
                    "QUANTITY",
                    "PERCENT",
                    "MONEY",
                    "LANGUAGE",
                    "LAW",
                    "EVENT",
                    "PRODUCT",
                    "WORK_OF_ART",
                ]
            ),
        )
        real.load()
        engines["en_core_web_sm"] = real
    found: dict[str, Callable[[str], Sequence[Span]]] = {}
    for name, engine in engines.items():
        listed = RecognizerRegistry(supported_languages=["en"])
        listed.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
        made = AnalyzerEngine(registry=listed, nlp_engine=engine, supported_languages=["en"])
        found[f"Presidio, {name}"] = lambda text, made=made: _of_presidio(made, text, frozenset())
        if name != "blank":
            found[f"Presidio, {name}, without dates and peoples"] = lambda text, made=made: _of_presidio(
                made, text, _WIDE
            )
    return found


def _of_presidio(engine: object, text: str, leave: frozenset[str]) -> list[Span]:
    results = engine.analyze(text, "en", allow_list=list(PUBLIC))  # type: ignore[attr-defined]
    return [
        (result.start, result.end, _GROUPS.get(result.entity_type, STRUCTURED))
        for result in results
        if result.entity_type not in leave
    ]


def _speed(model: NameFinder | None) -> list[Row]:
    """Measure a study of many words: talk like that of the sentences, each time another beginning."""
    texts, words, number = [], 0, 0
    every = sentences()
    while words < WORDS:
        sentence = every[number % len(every)]
        texts.append(
            f"And that was number {number}, you know. {sentence.text} So we went on and did the next thing together."
        )
        words += len(texts[-1].split())
        number += 1
    rows = []
    for name, finder in (("by rules", PersonalFinder()), ("with the model of names", PersonalFinder(names=model))):
        if name != "by rules" and model is None:
            continue
        finder.find_all(texts[:200])
        started = time.perf_counter()
        finder.find_all(texts)
        took = time.perf_counter() - started
        rows.append(Row(f"search {words:,} words in {len(texts):,} texts, {name}", f"{took:.1f} s"))
    return rows
