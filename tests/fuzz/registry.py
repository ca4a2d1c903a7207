"""Which targets there are."""

from importlib import import_module
from typing import cast

from tests.fuzz.base import Target

TARGETS: dict[str, str] = {
    "study-bytes": "studies:Bytes",
    "study-rows": "studies:Rows",
    "study-schema": "studies:Schema",
    "study-beside": "studies:Beside",
    "study-paths": "studies:Paths",
    "import-eaf": "importers:Eaf",
    "import-jsonl": "importers:Jsonl",
    "import-csv": "importers:Csv",
    "import-textgrid": "importers:Praat",
    "import-boris": "importers:Boris",
    "import-datavyu": "importers:Datavyu",
    "import-captions": "importers:Captions",
    "import-transcripts": "importers:Transcripts",
    "import-mappings": "importers:Mappings",
    "import-chains": "importers:Chains",
    "import-sotopia": "importers:Sotopia",
    "import-schemes": "importers:Schemes",
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
"""Key -> `module:class` under `tests.fuzz.targets`."""


def target_called(name: str) -> Target:
    """Return a target that can be run."""
    module, made = TARGETS[name].split(":")
    return cast(Target, getattr(import_module(f"tests.fuzz.targets.{module}"), made)())
