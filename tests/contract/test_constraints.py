"""The constraints of the release name one version for everything that a user gets."""

import re
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement

from models.weights.weights_catalogue import WEIGHTS
from project.session.optional_parts import OPTIONAL_PARTS
from project.version import __version__
from tests.contract.documentation import ROOT
from tests.contract.test_notice import PROJECT, names

FOR_USERS = ("names", "diffusion", "local-vlm", "gpu", "cluster")


def pins(text: str) -> dict[str, str]:
    return {plain(line.partition("==")[0]): line.partition("==")[2] for line in text.splitlines()}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


RELEASE = ROOT / "resources" / "constraints" / f"{__version__}.txt"


def brought_along(requirement: Requirement) -> Iterator[str]:
    """Names of what a requirement brings on this machine, itself first; what is not installed here ends the search."""
    waiting = [requirement]
    seen = set()
    while waiting:
        each_requirement = waiting.pop()
        for extra in each_requirement.extras or {""}:
            if (plain(each_requirement.name), extra) in seen:
                continue
            seen.add((plain(each_requirement.name), extra))
            yield plain(each_requirement.name)
            try:
                more = metadata.requires(each_requirement.name) or []
            except metadata.PackageNotFoundError:
                continue
            found = (Requirement(text) for text in more)
            waiting += [each for each in found if not each.marker or each.marker.evaluate({"extra": extra})]


def test_each_line_names_one_version() -> None:
    lines = RELEASE.read_text("utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._!]+", line) for line in lines)
    assert len(pins("\n".join(lines))) == len(lines)


def test_everything_that_the_program_and_its_optional_parts_bring_is_in_it() -> None:
    wanted = [*PROJECT["dependencies"], *(one for part in FOR_USERS for one in PROJECT["optional-dependencies"][part])]
    needed = {name for one in wanted for name in brought_along(Requirement(one))}
    assert len(needed) > 100
    assert needed - pins(RELEASE.read_text("utf-8")).keys() == set()


def test_each_optional_part_is_for_users_or_for_developers() -> None:
    assert {*PROJECT["optional-dependencies"]} == {*FOR_USERS, "docs", "dev"}
    for part in ("names", "cluster"):
        assert names(PROJECT["optional-dependencies"][part]) <= names(PROJECT["optional-dependencies"]["dev"])


def test_it_pins_what_the_tests_run_with() -> None:
    release, here = (pins(path.read_text("utf-8")) for path in (RELEASE, ROOT / "constraints.txt"))
    assert {name: release[name] for name in release.keys() & here} == {
        name: here[name] for name in release.keys() & here
    }


def test_an_optional_part_installs_what_its_extra_says_and_shares_no_name_with_weights() -> None:
    assert set(OPTIONAL_PARTS) == set(FOR_USERS)
    assert not set(OPTIONAL_PARTS) & set(WEIGHTS)
    for part in OPTIONAL_PARTS.values():
        wanted = [Requirement(one) for one in PROJECT["optional-dependencies"][part.name]]
        assert {(plain(one.name), *sorted(one.extras)) for one in map(Requirement, part.packages)} == {
            (plain(one.name), *sorted(one.extras)) for one in wanted
        }
