"""What a certificate may call somebody, and files: nothing that tells who withdrew."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from project.errors import UserError
from project.withdrawing.personal import PersonalSearch, given_names
from project.withdrawing.reach import Reach
from project.withdrawing.tombstones import tombstone
from project.withdrawing.wording import Wording

_CODE = re.compile(r"[A-Za-z]{0,12}[ _.-]?\d{1,6}[A-Za-z]?|[A-Z]{1,2}")


def public_name(pseudonym: str, people: Iterable[str]) -> str:
    """Return what a certificate calls somebody: the pseudonym where it is a code, else a part of a checksum.

    Args:
        pseudonym: of who withdraws.
        people: their ids.
    """
    letters = re.sub(r"[^A-Za-z]", "", pseudonym).lower()
    if _CODE.fullmatch(pseudonym.strip()) and letters not in given_names():
        return pseudonym
    return f"participant {tombstone(min(people))[:8]}"


@dataclass(frozen=True)
class Nameless:
    """Names that a certificate may hold.

    Attributes:
        person: what it calls who withdraws.
        study: name of the study's file.
        secret: by which it is known whether a name tells who that is.
    """

    person: str
    study: str
    secret: Wording

    def file(self, name: str) -> str:
        """Return the name of a file beside the study, without what tells who withdraws."""
        if not self.secret.in_text(name):
            return name
        without = name.removeprefix(self.study)
        return f"study{without}" if without != name and not self.secret.in_text(without) else "a file"

    def stem(self) -> str:
        """Return what the study is called in the name of the certificate."""
        stem = Path(self.study).stem
        return "study" if self.secret.in_text(stem) else stem

    def require_nameless(self, place: Path | None) -> None:
        """Return quietly where the name of a certificate does not tell who withdraws.

        Raises:
            UserError: it does.
        """
        if place is not None and self.secret.in_text(place.name):
            raise UserError("The name of the certificate tells who withdraws.", "Choose another: --certificate FILE")


def nameless(pseudonym: str, reach: Reach, study: Path) -> Nameless:
    """Return the names that a certificate may hold."""
    person = public_name(pseudonym, reach.people)
    names = [name for name in reach.wording.names if name != person]
    return Nameless(person, study.name, Wording(names, search=PersonalSearch(names)))
