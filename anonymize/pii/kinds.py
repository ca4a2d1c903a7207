"""Kinds of personal information."""

from dataclasses import dataclass

NAMES, PLACES, STRUCTURED = "names", "places", "structured"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of personal information.

    Attributes:
        title: for people.
        label: what replacements are called, as in `[PERSON_2]`.
        group: `names`, `places` or `structured`: what figures are told apart by.
    """

    title: str
    label: str
    group: str


PERSON, PLACE, ORGANISATION = "person", "place", "organisation"
BIRTH, DATE, PHONE, MAIL = "date-of-birth", "date", "phone", "e-mail"
ADDRESS, ACCOUNT, LICENCE, IDENTITY, LINK, OTHER = "address", "account", "licence", "id", "link", "other"

KINDS: dict[str, Kind] = {
    PERSON: Kind("Name of a person", "PERSON", NAMES),
    PLACE: Kind("Place", "PLACE", PLACES),
    ORGANISATION: Kind("Organisation", "ORGANISATION", PLACES),
    BIRTH: Kind("Date of birth", "BIRTH", STRUCTURED),
    DATE: Kind("Date", "DATE", STRUCTURED),
    PHONE: Kind("Telephone number", "PHONE", STRUCTURED),
    MAIL: Kind("E-mail address", "EMAIL", STRUCTURED),
    ADDRESS: Kind("Address", "ADDRESS", STRUCTURED),
    ACCOUNT: Kind("Account or card", "ACCOUNT", STRUCTURED),
    LICENCE: Kind("Licence or number plate", "LICENCE", STRUCTURED),
    IDENTITY: Kind("Identity number", "ID", STRUCTURED),
    LINK: Kind("Link or handle", "LINK", STRUCTURED),
    OTHER: Kind("Other", "PRIVATE", STRUCTURED),
}
"""Key -> kind, in the order in which people choose."""


def known_kind(key: str) -> str:
    """Return a kind that there is: words of which nobody said what they are count as other."""
    return key if key in KINDS else OTHER
