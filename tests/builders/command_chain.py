"""Every command of the command line, in an order in which each has what it needs."""

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from app.cli.main import greenroom as program

ROOT = Path(__file__).resolve().parents[2]
NOT_FOR_PEOPLE = {"worker"}
WINDOW = {"open"}
WITH_TESTS_OF_THEIR_OWN = {"demo", "doctor", "model add", "model fetch"}
"""What would take long, look at this machine or fetch something."""
_CHAIN = r"""
setup desktop
setup completion bash
docs install reference/settings
study synthetic big.greenroom --recordings 2 --segments 5
new lab.greenroom
add lab.greenroom clip.mp4
recording add-view lab.greenroom clip.mp4 --recording 1 --role microphone
recording sync lab.greenroom --recording 1 --apply
recording sound lab.greenroom --recording 1 --track 1
speech speakers lab.greenroom
team plan lab.greenroom --annotators Ada,Bo
recording done lab.greenroom --recording 1 --annotator Ada
recording done lab.greenroom --recording 1 --annotator Bo
segment add lab.greenroom --recording 1 --start 0.5 --end 1 --verdict error --annotator Ada
segment list lab.greenroom
study search lab.greenroom clip
segment comment lab.greenroom SEGMENT --text Really? --annotator Bo
study checklist lab.greenroom
team activity lab.greenroom
segment edit lab.greenroom SEGMENT --end 1.5 --annotator Ada
team review list lab.greenroom --annotator Ada
team review decide lab.greenroom SEGMENT --decision agree --annotator Bo
team review withdraw lab.greenroom SEGMENT --annotator Bo
segment delete lab.greenroom SEGMENT --annotator Ada
policy show lab.greenroom
policy confirm lab.greenroom --yes
policy log lab.greenroom
judge blind lab.greenroom off --annotator Ada
judge add lab.greenroom chance --backend random
judge add lab.greenroom truth --backend oracle
judge list lab.greenroom
judge test lab.greenroom chance
judge key lab.greenroom chance --forget
segment add lab.greenroom --recording 1 --start 0.5 --end 1 --label error --annotator Ada
judge ask lab.greenroom --segment SEGMENT --judge chance --task verdict
benchmark tasks
benchmark make lab.greenroom --task verdict --include unreviewed --share error=1 --draws 1
benchmark sets lab.greenroom
benchmark run lab.greenroom --set verdict --judge chance --judge truth
benchmark results lab.greenroom --parts
benchmark compare lab.greenroom truth chance
benchmark report lab.greenroom --out report --no-plots
segment delete lab.greenroom SEGMENT --annotator Ada
recording meta suggest lab.greenroom --recording 1 --judge chance --part words_summary
benchmark infer lab.greenroom --recording 1 --judge chance --annotator Ada
question esi lab.greenroom --recording 1 --judge chance --rounds 1 --each 1
question write lab.greenroom --recording 1 --from 0 --to 1 --question Why? --answer Yes --wrong No \
    --wrong Never --wrong Maybe --wrong Always --explanation So. --annotator Ada
judge add lab.greenroom wrong --backend reliable --right 0
question try lab.greenroom QUESTION --judge wrong --annotator Ada
question ask lab.greenroom QUESTION --judge chance --setting text
question queue lab.greenroom --annotator Bo
question verify lab.greenroom QUESTION --keep --check all --annotator Bo
question status lab.greenroom
question filter lab.greenroom --step difficulty --judge chance --set difficulty=1
judge remove lab.greenroom chance
judge revisions lab.greenroom
scheme list lab.greenroom
scheme show cues
scheme check ROOT/resources/schemes/plain.toml
scheme use lab.greenroom plain --annotator Ada
scheme default lab.greenroom plain --annotator Ada
scheme drop lab.greenroom plain --annotator Ada
team agreement lab.greenroom
study budget lab.greenroom --by annotator --csv budget.csv
study transitions lab.greenroom --no-repeats
team adjudicate lab.greenroom
recording hold-out lab.greenroom --recording 1 --off
team training lab.greenroom
study split lab.greenroom --annotator Ada --out for-ada.greenroom
study merge lab.greenroom for-ada.greenroom
study conflicts lab.greenroom
study resolve lab.greenroom all --take ours
chain add lab.greenroom --recording 1 --annotator Ada
chain node lab.greenroom SEGMENT --kind event --text One. --start 0 --end 1
chain node lab.greenroom SEGMENT --kind event --text Two. --start 1 --end 2
chain edge lab.greenroom REASON RESULT
question make lab.greenroom
question list lab.greenroom
question consistency lab.greenroom
chain list lab.greenroom
chain show lab.greenroom SEGMENT
chain check lab.greenroom
chain statistics lab.greenroom
chain export lab.greenroom --out chains.json
chain import lab.greenroom chains.json --annotator Bo
chain review lab.greenroom SEGMENT --decision agree --annotator Bo
chain consensus lab.greenroom SEGMENT
chain remove lab.greenroom RESULT
chain copy lab.greenroom SEGMENT --annotator Ada
chain delete lab.greenroom SEGMENT
segment export lab.greenroom --format csv --out table.csv
segment import lab.greenroom table.csv
study undo lab.greenroom
study redo lab.greenroom
model list
model verify
model remove yunet
speech transcribe lab.greenroom --speech-only
speech import lab.greenroom --recording 1 ROOT/tests/builders/greeting.srt
speech show lab.greenroom --recording 1
segment cues run lab.greenroom
segment cues list lab.greenroom --kind tone
segment cues accept lab.greenroom --annotator Ada
segment cues reject lab.greenroom --annotator Ada
speech export lab.greenroom --recording 1 said.vtt
recording meta scenes lab.greenroom --recording 1
recording meta set lab.greenroom --recording 1 --summary 'words=They greet each other.' --annotator Ada
recording meta show lab.greenroom --recording 1
recording meta export lab.greenroom --out meta
pii find lab.greenroom
pii review lab.greenroom
pii apply lab.greenroom --out scrubbed
pii key lab.greenroom key.csv
faces track lab.greenroom
faces review lab.greenroom --recording 1 --annotator Ada --seen all --reviewed
anonymize export lab.greenroom --recording 1 --out clips
anonymize voice lab.greenroom --recording 1
anonymize measure lab.greenroom
participant set lab.greenroom Robot --role robot
participant set lab.greenroom P01 --recording 1 --consent release --set age=23
participant import lab.greenroom people.csv
release words lab.greenroom --set Anna=P01
release texts lab.greenroom --confirm --annotator Ada
question texts lab.greenroom --all --confirm --annotator Ada
question export lab.greenroom --out questions --all
release make lab.greenroom --out corpus --waive 'independent-check=No detector is there.' --annotator Ada
participant set lab.greenroom Robot --recording 1
participant list lab.greenroom
judge add lab.greenroom player --backend random
segment add lab.greenroom --recording 1 --start 0.5 --end 1 --label error --annotator Ada
episode from-segment lab.greenroom SEGMENT --action Wait. --player player --player player --turns 2
episode add-character lab.greenroom Anna --secret 'The lamp is stolen.'
episode add-character lab.greenroom Bram
episode add-scenario lab.greenroom lamp --context 'At a flea market.' --relationship stranger \
    --goal 'Sell it.' --goal 'Buy it.'
episode characters lab.greenroom
episode scenarios lab.greenroom
episode play lab.greenroom --scenario lamp --turns 4 --seed 1 --character Anna --player player \
    --character Bram --player player
episode list lab.greenroom
episode show lab.greenroom 3
episode rate lab.greenroom 3 --judge player
episode figures lab.greenroom
episode export lab.greenroom episodes.jsonl
episode import lab.greenroom episodes.jsonl
info lab.greenroom
study relink lab.greenroom .
policy set lab.greenroom anonymized --host api.example.org
study recover lab.greenroom
study scrub lab.greenroom --out annotations.greenroom
participant withdraw lab.greenroom P01 --yes --keep-rest
study encrypt lab.greenroom --passphrase-file words.txt
study decrypt lab.greenroom --passphrase-file words.txt
study check lab.greenroom
"""


def _leaves(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from _leaves(found, f"{before}{name} ")
        else:
            yield before + name, found


COMMANDS = {name: command for name, command in _leaves(program) if name not in NOT_FOR_PEOPLE}


def _parsed(line: str) -> tuple[str, list[str]]:
    words = [word.replace("ROOT", str(ROOT)) for word in shlex.split(line)]
    count = next(count for count in (1, 2, 3) if " ".join(words[:count]) in COMMANDS)
    return " ".join(words[:count]), words[count:]


CHAIN = [_parsed(line) for line in _CHAIN.replace("\\\n", "").strip().splitlines()]
"""Name and arguments; SEGMENT, QUESTION, REASON and RESULT stand for what commands before have made."""


def run_chain(say: Callable[..., str]) -> object:
    """Run it in the current folder, which has a `clip.mp4` and a passphrase in `words.txt`.

    Args:
        say: runs a command, of which it is given the name and arguments, and returns what it printed.

    Returns:
        What the last one printed.
    """
    Path("people.csv").write_text("participant,condition\nP01,robot\n", "utf-8")
    segment, question, nodes = "", "", ["", ""]
    for name, arguments in CHAIN:
        known = {"SEGMENT": segment, "QUESTION": question, "REASON": nodes[-2], "RESULT": nodes[-1]}
        printed = say(name, *(known.get(argument, argument) for argument in arguments), "--json")
        assert printed.count("\n") == 1, name
        answer = json.loads(printed)
        assert isinstance(answer, dict), name
        segment = answer.get("id", segment)
        question = answer["id"] if name == "question write" else question
        nodes += [answer["node"]] if "node" in answer else []
    return answer
