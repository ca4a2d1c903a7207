"""Reads a set of questions; needs Python 3.10 or newer and nothing else.

`python load.py` counts questions by split and kind, and shows one.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SPLITS = ("train", "validation", "test")
HERE = Path(__file__).parent


def questions(split: str, folder: Path = HERE) -> Iterator[dict[str, Any]]:
    """Yield the questions of a split."""
    with (folder / f"{split}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def chains(folder: Path = HERE) -> dict[str, dict[str, Any]]:
    """Return id of a chain -> the chain."""
    with (folder / "chains.jsonl").open(encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    return {one["id"]: one for one in found}


def prompt(question: dict[str, Any]) -> str:
    """Return a question with its options, as a model may be asked."""
    options = [f"{letter}. {text}" for letter, text in zip("ABCDEFGH", question["options"], strict=False)]
    return "\n".join([question["question"], *options, "Answer with one letter."])


def main() -> None:
    """Count, and show one question with what it covers of its chain."""
    known = chains()
    first = None
    for split in SPLITS:
        found = list(questions(split))
        kinds = Counter(entry["kind"] for entry in found)
        print(f"{split}: {len(found)} questions", dict(sorted(kinds.items())))
        first = first or next(iter(found), None)
    if first is not None:
        print(prompt(first))
        print("Right:", first["letter"], first["answer"])
        nodes = {one["id"]: one for one in known.get(first["chain"], {}).get("nodes", ())}
        for one in first["covers"]:
            if one in nodes:
                print("Covers:", nodes[one]["kind"], nodes[one]["text"])


if __name__ == "__main__":
    main()
