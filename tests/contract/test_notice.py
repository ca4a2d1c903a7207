"""What is installed with the program is named with its licence, and pinned."""

import re
import tomllib

from tests.contract.documentation import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAMED_AS = {"pyside6-essentials": "PySide6", "av": "PyAV", "opencv-contrib-python": "OpenCV"}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!\[ ]", requirement, maxsplit=1)[0].lower() for requirement in requirements}


def test_the_notice_names_every_dependency() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for name in names(PROJECT["dependencies"]):
        assert re.search(rf"\b{re.escape(NAMED_AS.get(name, name))}\b", notice), name


def test_the_constraints_pin_every_dependency() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert all(re.fullmatch(r"\S+==\S+", line) for line in lines)
    assert names(PROJECT["dependencies"]) | names(PROJECT["optional-dependencies"]["dev"]) <= pinned
