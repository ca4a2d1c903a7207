"""Which targets there are."""

from importlib import import_module

from annotate.interchange.annotation_files import FORMATS
from tests.fuzz.base import Target

_TOGETHER = {
    "import-boris": "boris boris-csv",
    "import-captions": "webvtt webvtt-segments srt srt-plain srt-segments",
}
"""Target -> the formats that it reads, where these are several; each other format is a target."""
_ALONE = [key for key in FORMATS if key not in " ".join(_TOGETHER.values()).split()]

TARGETS: dict[str, str] = {
    "study-bytes": "studies:Bytes",
    "study-rows": "studies:Rows",
    "study-schema": "studies:Schema",
    "study-beside": "studies:Beside",
    "study-paths": "studies:Paths",
    **{f"import-{key}": f"importers:Annotations {key}" for key in _ALONE},
    "import-boris": f"importers:Annotations {_TOGETHER['import-boris']}",
    "import-captions": f"importers:Captions {_TOGETHER['import-captions']}",
    "import-read-only": "importers:ReadOnly",
    "import-transcripts": "importers:Transcripts",
    "import-mappings": "importers:Mappings",
    "import-chains": "importers:Chains",
    "import-sotopia": "importers:Sotopia",
    "import-schemes": "importers:Schemes",
    "import-variables": "importers:Variables",
    "import-words": "importers:Words",
    "import-pii": "importers:PiiChoices",
    "import-prompts": "importers:Prompts",
    "import-settings": "importers:Shortcuts",
    "media": "media:Media",
    "answers": "answers:Answers",
    "servers": "answers:Servers",
    "weights-onnx": "weights:Onnx",
    "weights-safetensors": "weights:Safetensors",
    "weights-folders": "weights:Folders",
    "weights-records": "weights:Records",
    "weights-gguf": "weights:Gguf",
}
"""Key -> `module:class` under `tests.fuzz.targets`, and what the class is made with."""


def target_called(name: str) -> Target:
    """Return a target that can be run."""
    place, *arguments = TARGETS[name].split()
    module, made = place.split(":")
    target: Target = getattr(import_module(f"tests.fuzz.targets.{module}"), made)(*arguments)
    return target
