"""What the window of models says of each, in words."""

from app.core.model_list import Model, Network
from models.weights.editions import USES
from project.sizes import size_text
from resources.translation import tr
from widgets.models.panel import ModelDetails
from widgets.models.table import ModelGroup, ModelRow, ModelState

ETHICS = tr(
    "Only files of models come onto this machine, and only when you press Fetch or Add. "
    "Nothing of a study goes out: no picture, no sound, no word, no name."
)


_ASKED_FIRST = tr("The policy of this study allows no downloads: you are asked first.")


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
    goes_on = tr(", {arrived} are here").format(arrived=size_text(one.arrived)) if one.arrived else ""
    sound = one.installed and not damaged
    fetch = (
        tr("&Fetch")
        if sound
        else tr("&Fetch again ({size})").format(size=size)
        if one.installed
        else tr("&Fetch ({size}{goes_on})").format(size=size, goes_on=goes_on)
    )
    where = tr("It is in {place}.").format(place=one.place) if one.installed else ""
    origin = tr("From {list}.").format(list=tr(" or ").join(offer.origin for offer in one.offers)) if one.offers else ""
    bring = (
        tr("You bring your own: Greenroom cannot fetch it. See “Your own networks” in the guide.") if one.own else ""
    )
    places = "" if sound else tr(" or ").join(offer.elsewhere for offer in one.offers)
    lines = (
        _sentence(one.purpose),
        tr("Used in {places}. Licence: {licence}.").format(places=one.used_in, licence=_licence(one)),
        f"{origin}{bring} {where}".strip(),
        one.note,
        tr("On another machine, get it from {places}, and add it here.").format(places=places)
        if network.offline and places
        else "",
        tr("Damaged: {damaged}. Fetch or add it again.").format(damaged=damaged) if damaged else "",
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
        return tr(
            "This machine is said to be offline ({offline} is set): nothing is fetched. "
            "Get the files on another machine and add them here."
        ).format(offline=network.offline)
    asked = tr(" and ").join(network.hosts)
    whom = (
        tr("A fetch asks the mirror {asked}.").format(asked=asked)
        if network.mirrored
        else tr("A fetch asks {asked}, or the model's makers.").format(asked=asked)
    )
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
        return ModelState.PARTLY, tr("{arrived} arrived").format(arrived=size_text(one.arrived))
    return ModelState.ABSENT, tr("bring your own") if one.own else tr("not installed")


def _refused(sound: bool, network: Network) -> str:
    if network.offline:
        return tr("Nothing is fetched, because {offline} is set").format(offline=network.offline)
    return tr("It is installed") if sound else ""


def _licence(one: Model) -> str:
    return tr("yours to say") if one.own and not one.installed else one.licence


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
