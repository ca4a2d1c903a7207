"""The catalogue of models and optional parts for people: purpose, licence, sources, and installation state."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from models.weights import installed_weights
from models.weights.download import host_of
from models.weights.fetching import hub_address, index_address, mirror_address, offline_variable
from models.weights.part_installation import install_command, packages_folder
from models.weights.weights_catalogue import USES, WEIGHTS, Weights
from project.session.optional_parts import OPTIONAL_PARTS, OptionalPart

PART_USE = "part"
"""The use of optional parts of the program."""


@dataclass(frozen=True, slots=True)
class SourceOffer:
    """A source of an entry.

    Attributes:
        key: what the command line calls it.
        size: of what is installed from it, in bytes.
        elsewhere: where a person gets its files on another machine: an address or a command.
    """

    key: str
    origin: str
    size: int
    elsewhere: str


@dataclass(frozen=True, slots=True)
class ModelCatalogueEntry:
    """One entry.

    Attributes:
        use: key of `models.weights.weights_catalogue.USES`, or `PART_USE`.
        licence: of an added one, in the words of whoever added it.
        offers: where it is fetched from; none where a lab brings its own.
        on_disk: bytes it takes; 0 where it is not there.
        arrived: bytes of it that a fetch has left that did not end.
    """

    name: str
    use: str
    purpose: str
    used_in: str
    licence: str
    note: str
    offers: tuple[SourceOffer, ...]
    folder: bool
    installed: bool
    on_disk: int
    arrived: int
    place: Path
    how_to_get: str

    @property
    def is_own(self) -> bool:
        """Whether a lab brings it itself."""
        return not self.offers

    @property
    def is_part(self) -> bool:
        """Whether it is an optional part of the program: packages, which are fetched and no more."""
        return self.use == PART_USE


@dataclass(frozen=True, slots=True)
class DownloadAccess:
    """What is asked when somebody fetches, and whether anything is.

    Attributes:
        offline: the variable that says that nothing is fetched; "" where none does.
        hosts: the machines that are asked, a mirror alone where one is set; without names and passwords.
        mirrored: whether a mirror or another hub than the usual one is set.
    """

    offline: str
    hosts: tuple[str, ...]
    mirrored: bool


def list_models() -> list[ModelCatalogueEntry]:
    """Return all entries, by use and in the catalogue's order."""
    order = [*USES]
    return [*map(_catalogue_entry, sorted(WEIGHTS.values(), key=lambda weights: order.index(weights.use)))]


def list_parts() -> list[ModelCatalogueEntry]:
    """Return all optional parts of the program."""
    return [_part_entry(part) for part in OPTIONAL_PARTS.values()]


def download_access() -> DownloadAccess:
    """Return what the environment says about fetching."""
    if mirror_address():
        return DownloadAccess(offline_variable(), (host_of(mirror_address()),), True)
    hosts = tuple(dict.fromkeys((host_of(index_address()), host_of(hub_address()))))
    return DownloadAccess(offline_variable(), hosts, hub_address() != "https://huggingface.co")


def _catalogue_entry(weights: Weights) -> ModelCatalogueEntry:
    known = installed_weights.installed_edition(weights.name)
    return ModelCatalogueEntry(
        name=weights.name,
        use=weights.use,
        purpose=weights.purpose,
        used_in=weights.used_in,
        licence=installed_weights.licence(weights.name),
        note=weights.note,
        offers=tuple(
            SourceOffer(edition.key, str(edition), edition.size, edition.manual_source) for edition in weights.editions
        ),
        folder=any(edition.is_folder for edition in ((known,) if known else weights.editions)) or bool(weights.layout),
        installed=known is not None,
        on_disk=installed_weights.size_on_disk(weights.name),
        arrived=0 if known else installed_weights.partial_bytes(weights.name),
        place=installed_weights.weights_location(weights.name),
        how_to_get=installed_weights.how_to_get(weights.name),
    )


def _part_entry(part: OptionalPart) -> ModelCatalogueEntry:
    there = part.is_installed
    return ModelCatalogueEntry(
        name=part.name,
        use=PART_USE,
        purpose=part.purpose,
        used_in=part.used_in,
        licence=part.licence,
        note="",
        offers=(SourceOffer("", "the package index", part.size, shlex.join(install_command(part))),),
        folder=False,
        installed=there,
        on_disk=part.size if there else 0,
        arrived=0,
        place=packages_folder(),
        how_to_get=part.how_to_get,
    )
