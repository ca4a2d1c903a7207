"""Which targets there are."""

from importlib import import_module

from tests.fuzz.base import Target

TARGETS: dict[str, str] = {
    "study-bytes": "studies:Bytes",
    "study-rows": "studies:Rows",
    "study-schema": "studies:Schema",
    "study-beside": "studies:Beside",
    "study-paths": "studies:Paths",
    "import-eaf": "importers:Annotations eaf",
    "import-jsonl": "importers:Annotations jsonl",
    "import-csv": "importers:Annotations csv",
    "import-textgrid": "importers:Annotations textgrid",
    "import-boris": "importers:Annotations boris boris-csv",
    "import-datavyu": "importers:Annotations datavyu",
    "import-captions": "importers:Captions webvtt webvtt-segments srt srt-plain srt-segments",
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
"""Key -> `module:class` under `tests.fuzz.targets`, and what the class is made with."""


def target_called(name: str) -> Target:
    """Return a target that can be run."""
    place, *arguments = TARGETS[name].split()
    module, made = place.split(":")
    target: Target = getattr(import_module(f"tests.fuzz.targets.{module}"), made)(*arguments)
    return target
