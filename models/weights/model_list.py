"""The catalogue of models as a person looks at it: what each is for, under which licence, whether it is there."""

from dataclasses import dataclass
from pathlib import Path

from models.weights import installed_weights as weights
from models.weights.download import host
from models.weights.download_sources import elsewhere, hub, index_address, mirror, origin
from models.weights.editions import USES, Weights
from models.weights.fetching import offline
from models.weights.weights_catalogue import WEIGHTS
from project.errors import UserError
from project.progress import Progress


@dataclass(frozen=True, slots=True)
class Offer:
    """A source of an entry.

    Attributes:
        key: what the command line calls it.
        origin: in words.
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
        use: key of `models.weights.editions.USES`.
        used_in: where in the program it is used.
        licence: of an added one, in the words of whoever added it.
        offers: where it is fetched from; none where a lab brings its own.
        folder: whether it is a folder.
        installed: whether it is there.
        on_disk: bytes it takes; 0 where it is not there.
        arrived: bytes of it that a fetch has left that did not end.
        place: where it is, or would be.
    """

    name: str
    use: str
    purpose: str
    used_in: str
    licence: str
    note: str
    offers: tuple[Offer, ...]
    folder: bool
    installed: bool
    on_disk: int
    arrived: int
    place: Path

    @property
    def own(self) -> bool:
        """Whether a lab brings it itself."""
        return not self.offers


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


def models() -> list[ModelCatalogueEntry]:
    """Return all entries, by use and in the catalogue's order."""
    order = [*USES]
    return [_model(one) for one in sorted(WEIGHTS.values(), key=lambda one: order.index(one.use))]


def network() -> DownloadAccess:
    """Return what the environment says about fetching."""
    if mirror():
        return DownloadAccess(offline(), (host(mirror()),), True)
    hosts = tuple(dict.fromkeys((host(index_address()), host(hub()))))
    return DownloadAccess(offline(), hosts, hub() != "https://huggingface.co")


def damage(name: str, progress: Progress | None = None) -> str:
    """Return what is wrong with installed weights, naming the file and its sha256; "" where they are right.

    Args:
        name: in the catalogue.
        progress: told in bytes.

    Raises:
        UserError: they are not installed, or cannot be read.
        Cancelled: the user stopped it.
    """
    if not weights.installed(name):
        raise UserError(f"The weights “{name}” are not installed.", f"Get them with: {weights.how_to_get(name)}")
    try:
        wrong = weights.problem(name, progress)
    except OSError as error:
        raise UserError(f"The weights “{name}” cannot be read: {error.strerror}.", "Look at the folder.") from None
    return str(wrong) if wrong else ""


def _model(one: Weights) -> ModelCatalogueEntry:
    there = weights.installed(one.name)
    known = weights.edition(one.name)
    return ModelCatalogueEntry(
        name=one.name,
        use=one.use,
        purpose=one.purpose,
        used_in=one.used_in,
        licence=weights.licence(one.name),
        note=one.note,
        offers=tuple(Offer(each.key, origin(each), each.size, elsewhere(each)) for each in one.editions),
        folder=known.folder if known else bool(one.layout) or any(each.folder for each in one.editions),
        installed=there,
        on_disk=weights.size_on_disk(one.name),
        arrived=0 if there else weights.arrived(one.name),
        place=weights.place(one.name),
    )
