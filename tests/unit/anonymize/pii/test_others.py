"""Conversations that others wrote, with people whose names are known: rules were not made for these."""

import json
import re
from pathlib import Path

import pytest

from anonymize.pii_detection.pii_finder import PersonalFinder
from project.entities.study_records import Json


@pytest.mark.parametrize(("flat", "least"), [(False, 0.98), (True, 0.90)])
def test_names_in_conversations_of_others_are_found(shared_data: Path, flat: bool, least: float) -> None:
    finder = PersonalFinder()
    there = found = said = right = 0
    for line in (shared_data / "sotopia/sotopia_pi_episodes.jsonl").read_text("utf-8").splitlines():
        episode = json.loads(line)
        names = {word.lower() for name in episode["names"] for word in name.split()}
        for text in _texts(episode["parsed_conversation"]):
            text = re.sub(r"[^\w\s']", "", text).lower() if flat else text
            hits = [hit for hit in finder.find(text) if hit.kind == "person"]
            for word in re.finditer(r"[^\W\d_]+", text):
                if word[0].lower() in names and (flat or word[0][0].isupper()):
                    there += 1
                    found += any(hit.start < word.end() and word.start() < hit.end for hit in hits)
            said += len(hits)
            right += sum(bool(names & set(re.findall(r"[^\W\d_]+", hit.text.lower()))) for hit in hits)
    assert there > 200
    assert found >= least * there
    assert right >= 0.90 * said


def _texts(found: Json) -> list[str]:
    if isinstance(found, str):
        return [found]
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else []
    return [text for part in parts for text in _texts(part)]
