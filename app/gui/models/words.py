"""What the window of models says of each, in words."""

from app.core.model_list import Model, Network
from models.weights.editions import USES
from project.sizes import size_text
from widgets.models.panel import ModelDetails
from widgets.models.table import ModelGroup, ModelRow, ModelState

ETHICS = (
    "Only files of models come onto this machine, and only when you press Fetch or Add. "
    "Nothing of a study goes out: no picture, no sound, no word, no name."
)


_ASKED_FIRST = "The policy of this study allows no downloads: you are asked before another machine is."


def groups(models: list[Model], busy: dict[str, str], damaged: dict[str, str]) -> list[ModelGroup]:
    """Return the table's groups.

    Args:
        models: all.
        busy: what happens to some of them, in a word or two, by name.
        damaged: what is wrong with some of them, by name.
    """
    return [
        ModelGroup(
            use,
            heading,
            tuple(_row(one, busy.get(one.name, ""), one.name in damaged) for one in models if one.use == use),
        )
        for use, heading in USES.items()
    ]


def details(one: Model, network: Network, busy: str, damaged: str) -> ModelDetails:
    """Return what the panel shows of a model."""
    size = size_text(one.offers[0].size) if one.offers else ""
    goes_on = f", {size_text(one.arrived)} are here" if one.arrived else ""
    sound = one.installed and not damaged
    fetch = "&Fetch" if sound else f"&Fetch again ({size})" if one.installed else f"&Fetch ({size}{goes_on})"
    where = f"It is in {one.place}." if one.installed else ""
    origin = f"From {' or '.join(offer.origin for offer in one.offers)}." if one.offers else ""
    bring = "You bring your own: Greenroom cannot fetch it. See “Your own networks” in the guide." if one.own else ""
    places = "" if sound else " or ".join(offer.elsewhere for offer in one.offers)
    lines = (
        _sentence(one.purpose),
        f"Used in {one.used_in}. Licence: {_licence(one)}.",
        f"{origin}{bring} {where}".strip(),
        one.note,
        f"On another machine, get it from {places}, and add it here." if network.offline and places else "",
        f"Damaged: {damaged}. Fetch or add it again." if damaged else "",
    )
    return ModelDetails(
        key=one.name,
        title=one.name,
        lines=tuple(line for line in lines if line),
        sources=tuple((offer.key, offer.origin) for offer in one.offers),
        fetch=fetch,
        refused=_refused(sound, network),
        folder=one.folder or not one.own,
        file=not (one.own and one.folder),
        own=one.own,
        installed=one.installed,
        left=one.installed or bool(one.arrived),
        busy=bool(busy),
    )


def state_of_network(network: Network, allowed: bool) -> str:
    """Return whom a fetch would ask, or that this machine is offline and what to do then.

    Args:
        network: what the environment says.
        allowed: whether the policy of the study allows downloads.
    """
    if network.offline:
        return (
            f"This machine is said to be offline ({network.offline} is set): nothing is fetched. "
            "Get the files on another machine and add them here."
        )
    asked = " and ".join(network.hosts)
    whom = f"A fetch asks the mirror {asked}." if network.mirrored else f"A fetch asks {asked}, or the model's makers."
    return whom if allowed else f"{whom} {_ASKED_FIRST}"


def _row(one: Model, busy: str, damaged: bool) -> ModelRow:
    size = one.on_disk if one.installed else one.offers[0].size if one.offers else 0
    state, said = _state(one, busy, damaged)
    return ModelRow(
        one.name, state, said, size_text(size) if size else "", _licence(one), _sentence(one.purpose), one.used_in
    )


def _state(one: Model, busy: str, damaged: bool) -> tuple[ModelState, str]:
    if busy:
        return ModelState.BUSY, busy
    if damaged:
        return ModelState.DAMAGED, "damaged"
    if one.installed:
        return ModelState.INSTALLED, "installed"
    if one.arrived:
        return ModelState.PARTLY, f"{size_text(one.arrived)} arrived"
    return ModelState.ABSENT, "bring your own" if one.own else "not installed"


def _refused(sound: bool, network: Network) -> str:
    if network.offline:
        return f"Nothing is fetched, because {network.offline} is set"
    return "It is installed" if sound else ""


def _licence(one: Model) -> str:
    return "yours to say" if one.own and not one.installed else one.licence


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
