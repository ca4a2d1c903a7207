"""What a target of the fuzzer is, and which there are."""

from importlib import import_module
from pathlib import Path
from random import Random
from typing import Protocol


class Target(Protocol):
    """One door by which something hostile comes in."""

    def prepare(self, folder: Path) -> None:
        """Make in `folder` what all cases begin with; runs once in each child, before anything is watched."""

    def spoil(self, chance: Random, folder: Path) -> None:
        """Put what a stranger made into an empty folder."""

    def use(self, chance: Random, folder: Path) -> None:
        """Have the program take it, watched. A `UserError` is an answer; whatever else is raised is a finding."""


class Refuted(AssertionError):
    """The program did what it must not, or left undone what it must."""


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
    "import-chains": "importers:Chains",
    "import-sotopia": "importers:Sotopia",
    "import-schemes": "importers:Schemes",
    "import-pii": "importers:PiiChoices",
    "media": "media:Media",
    "answers": "answers:Answers",
    "servers": "answers:Servers",
    "weights-onnx": "weights:Onnx",
    "weights-safetensors": "weights:Safetensors",
    "weights-folders": "weights:Folders",
}
"""Key -> `module:class` under `tests.fuzz.targets`, and what the class is made with."""


def target_called(name: str) -> Target:
    """Return a target that can be run."""
    place, *arguments = TARGETS[name].split()
    module, made = place.split(":")
    target: Target = getattr(import_module(f"tests.fuzz.targets.{module}"), made)(*arguments)
    return target
