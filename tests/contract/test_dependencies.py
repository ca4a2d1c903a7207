"""What is installed with the program is named with its licence and pinned, also for the release; so is the program."""

import re
import tomllib
from collections.abc import Iterator
from importlib import metadata

import yaml
from packaging.requirements import Requirement

from models.weights.weights_catalogue import WEIGHTS
from project.session.optional_parts import OPTIONAL_PARTS
from project.version import __version__
from tests.contract.documentation import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OPTIONAL = {part: [*map(Requirement, needed)] for part, needed in PROJECT["optional-dependencies"].items()}
NEEDED = [*map(Requirement, PROJECT["dependencies"])]
FOR_USERS = ("names", "diffusion", "local-vlm", "gpu", "cluster", "notebook", "parquet")
NAMED_AS = {"pyside6-essentials": "PySide6", "av": "PyAV", "opencv-contrib-python": "OpenCV"}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[Requirement]) -> set[str]:
    return {plain(requirement.name) for requirement in requirements}


def pins(name: str) -> dict[str, str]:
    """Return what a file of constraints pins, each line to one version."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    pinned = {plain(line.partition("==")[0]): line.partition("==")[2] for line in lines}
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._!+]+", line) for line in lines)
    assert len(pinned) == len(lines)
    return pinned


def brought_along(requirement: Requirement) -> Iterator[str]:
    """Names of what a requirement brings on this machine, itself first; what is not installed here ends the search."""
    waiting, seen = [requirement], set()
    while waiting:
        wanted = waiting.pop()
        for extra in wanted.extras or {""}:
            if (plain(wanted.name), extra) in seen:
                continue
            seen.add((plain(wanted.name), extra))
            yield plain(wanted.name)
            try:
                more = map(Requirement, metadata.requires(wanted.name) or [])
            except metadata.PackageNotFoundError:
                continue
            waiting += [each for each in more if not each.marker or each.marker.evaluate({"extra": extra})]


def test_the_notice_names_every_dependency() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    told = {name: re.search(rf"\b{re.escape(NAMED_AS.get(name, name))}\b", notice) for name in names(NEEDED)}
    assert [name for name, found in told.items() if not found] == []


def test_everything_is_pinned_for_users_as_the_tests_run_with_it() -> None:
    here, release = pins("constraints.txt"), pins(f"resources/constraints/{__version__}.txt")
    assert names(NEEDED) | names(OPTIONAL["dev"]) <= here.keys()
    wanted = [*NEEDED, *(requirement for part in FOR_USERS for requirement in OPTIONAL[part])]
    needed = {name for requirement in wanted for name in brought_along(requirement)}
    assert len(needed) > 100
    assert needed - release.keys() == set()
    assert [name for name in release.keys() & here if release[name] != here[name]] == []


def test_each_optional_part_is_for_users_or_for_developers() -> None:
    assert {*OPTIONAL} == {*FOR_USERS, "docs", "dev"}
    assert names(OPTIONAL["names"]) | names(OPTIONAL["cluster"]) <= names(OPTIONAL["dev"])


def test_an_optional_part_installs_what_its_extra_says_and_shares_no_name_with_weights() -> None:
    assert {*OPTIONAL_PARTS} == {*FOR_USERS}
    assert not OPTIONAL_PARTS.keys() & WEIGHTS.keys()
    for part in OPTIONAL_PARTS.values():
        installed, wanted = (
            {(plain(requirement.name), *sorted(requirement.extras)) for requirement in requirements}
            for requirements in (map(Requirement, part.packages), OPTIONAL[part.name])
        )
        assert installed == wanted


def test_the_citation_names_the_version_and_the_licence() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (said["version"], said["license"], said["cff-version"]) == (__version__, "Apache-2.0", "1.2.0")
