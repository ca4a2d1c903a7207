"""Everything that the program has several of, each as a table made from its registry."""

import ast
import dataclasses
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anonymize.egress.egress_log import LEVEL_MEANINGS, LEVEL_NAMES
from anonymize.methods.face_methods import METHODS, method_type
from anonymize.pii_detection.pii_hit import KINDS as PERSONAL
from anonymize.release.release_rules import RULES as RELEASE
from anonymize.sound.voice_methods import COVERS, VOICES, voice_type
from benchmark.authoring.question_requests import QUESTION_SETTINGS
from benchmark.judge_input.conversation_lines import SHORTENING_RULES as SHORTENING
from benchmark.prompts.judge_prompt import TASKS, TASKS_BY_SUBJECT
from benchmark.questions.filter_rules import STEPS
from benchmark.tasks.benchmark_task import SUITE
from docs.site.markdown import code, codes, paragraph, sentence, table
from models.faces import face_detectors
from models.faces.identity import face_embeddings
from models.faces.landmarks.landmark_finders import LANDMARKS
from models.flow.optical_flow import FLOWS
from models.judges.judge_backends import BACKENDS, load_backend
from models.names import name_finders
from models.speech import speech_recognizers
from models.text_regions import text_detectors
from models.voices import voice_embeddings
from models.weights.model_plugins import ModelPlugins
from models.weights.weights_catalogue import USES, WEIGHTS
from project.entities.egress_policy import RULES as POLICY
from project.entities.egress_policy import EgressLevel
from project.session.jobs import JOB_MODULES as JOBS


def registries() -> str:
    """Return a section for each registry of what hides, measures, asks and recognises."""
    sections = {
        "Methods of hiding a face": _methods(),
        "Methods of changing a voice": _voices(),
        "What is heard instead of covered words": table(("Key", "Is heard"), ((code(k), v) for k, v in COVERS.items())),
        "Kinds of personal information": _personal(),
        "Backends of judges": _backends(),
        "Tasks that judges are asked": _tasks(),
        "Settings in which questions are asked": _settings(),
        "Steps that questions are filtered by": _steps(),
        "Tasks of the benchmark": _suite(),
        "What finds faces, speech, names and movement": _models(),
    }
    return "\n".join(f"## {title}\n\n{text}" for title, text in sections.items())


def rules() -> str:
    """Return the levels and rules of the policy, of a release, and of what is left out of a long conversation."""
    levels = ((code(level.value), f"{LEVEL_NAMES[level]}.", LEVEL_MEANINGS[level]) for level in EgressLevel)
    release = ((code(key), rule.title, "yes" if rule.waivable else "") for key, rule in RELEASE.items())
    return "\n".join(
        (
            "## Levels of the policy\n",
            table(("Level", "Is called", "Means"), levels),
            "## Rules of the policy\n",
            table(("Rule", "“The policy of this study says: …”"), ((code(k), v) for k, v in POLICY.items())),
            "## Rules of a release\n",
            table(("Rule", "Holds when it is kept", "Can be waived"), release),
            "## Rules of leaving out\n",
            "What a conversation loses that is too long for a judge, in this order.\n",
            table(("Rule", "What it does"), ((code(k), v) for k, v in SHORTENING.items())),
        )
    )


def jobs() -> str:
    """Return the kinds of jobs, with what the module of each says about itself."""
    rows = ((code(key), code(place), _said(place)) for key, place in JOBS.items())
    return table(("Kind", "Module", "What it does"), rows)


def weights_known() -> str:
    """Return the catalogue of weights."""
    rows = (
        (code(weights.name), sentence(weights.purpose), weights.licence, USES.get(weights.use, weights.use))
        for weights in WEIGHTS.values()
    )
    return table(("Name", "What it is for", "Licence", "Use"), rows)


def _methods() -> str:
    parts = []
    for key in METHODS:
        method = method_type(key)
        said = "An attack that is published has recovered identities from its results." if method.reversible else ""
        needs = f"Needs {codes(method.needs)}." if method.needs else ""
        parts.append(_described(key, method.title, method.description, said, needs, options=method.options_type))
    return "\n".join(parts)


def _voices() -> str:
    kinds = {key: voice_type(key) for key in VOICES}
    return "\n".join(
        _described(key, method.title, method.description, method.weakness, options=method.options_type)
        for key, method in kinds.items()
    )


def _backends() -> str:
    kinds = {key: load_backend(key) for key in BACKENDS}
    return "\n".join(
        _described(
            key,
            backend.name,
            backend.description,
            "Names a model." if backend.needs_model else "",
            "Opens connections, so the policy has a say." if backend.leaves else "",
            options=backend.options_type,
        )
        for key, backend in kinds.items()
    )


def _described(key: str, title: str, *about: str, options: type) -> str:
    rows = [
        (
            code(field.name),
            field.metadata["title"],
            field.metadata["description"],
            code(_shown(field.default)),
            _limits(field),
        )
        for field in dataclasses.fields(options)
    ]
    listed = table(("Option", "Name", "What it does", "Usually", "Can be"), rows) if rows else "It has no options.\n"
    return f"### `{key}`: {title}\n\n{' '.join(filter(None, about))}\n\n{listed}"


def _limits(field: dataclasses.Field[object]) -> str:
    if "choices" in field.metadata:
        return codes(field.metadata["choices"])
    if "minimum" in field.metadata:
        return f"{_shown(field.metadata['minimum'])} to {_shown(field.metadata['maximum'])}"
    return f"up to {field.metadata['longest']} characters" if "longest" in field.metadata else ""


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _personal() -> str:
    rows = ((code(key), kind.title, code(f"[{kind.label}_1]"), kind.group) for key, kind in PERSONAL.items())
    return table(("Key", "Kind", "Is replaced by", "Group"), rows)


def _tasks() -> str:
    rows = (
        (code(key), TASKS.make(key).name, TASKS.make(key).description, subject.value)
        for subject, tasks in TASKS_BY_SUBJECT.items()
        for key in tasks
    )
    return table(("Key", "Name", "What is asked", "About a"), rows)


def _settings() -> str:
    rows = (
        (code(key), question_setting.name, code(question_setting.variant))
        for key, question_setting in QUESTION_SETTINGS.items()
    )
    return table(("Key", "What is shown", "Variant of the prompt"), rows)


def _steps() -> str:
    rows = (
        (
            code(step.key),
            step.name,
            step.description,
            f"{step.needs.value} {step.limit}{step.unit}" if step.needs else "",
        )
        for step in STEPS.values()
    )
    return table(("Key", "Step", "What it does", "Keeps what is"), rows)


def _suite() -> str:
    entries = {key: SUITE.make(key) for key in SUITE}
    rows = (
        (
            code(key),
            benchmark_task.name,
            benchmark_task.description,
            f"{benchmark_task.paper}, {benchmark_task.section}",
            _few(metric.name for metric in benchmark_task.metrics),
        )
        for key, benchmark_task in entries.items()
    )
    return table(("Key", "Name", "What is asked", "Paper", "Figures"), rows)


def _few(texts: Iterable[str], most: int = 4) -> str:
    listed = [*texts]
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return "; ".join(listed[:most]) + more


def _models() -> str:
    kinds: Mapping[str, ModelPlugins[Any]] = {
        "finds faces": face_detectors.DETECTORS,
        "finds points of a face": LANDMARKS,
        "compares faces, to measure": face_embeddings.EMBEDDERS,
        "finds speech": speech_recognizers.DETECTORS,
        "recognises speech": speech_recognizers.RECOGNIZERS,
        "tells voices apart": voice_embeddings.EMBEDDERS,
        "finds names": name_finders.FINDERS,
        "finds writing in the picture": text_detectors.FINDERS,
        "measures movement": FLOWS,
    }
    rows = (
        (code(key), what, _said(place.partition(":")[0]), code(models.weights.get(key, "")))
        for what, models in kinds.items()
        for key, place in models.items()
    )
    return table(("Key", "What it does", "How", "Weights"), rows)


def _said(module: str) -> str:
    """Return the first paragraph of a module's docstring, without importing it: it may need a missing package."""
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    docstring = ast.get_docstring(ast.parse(Path(found.origin).read_text("utf-8")))
    return paragraph((docstring or "").partition("\n\n")[0])
