"""The job that brings weights onto this machine, when a person asked for it in the window. It is about no recording.

They come over the network, or from a file or folder. Adding is work for the worker too, because it may open a network
or build one. The policy of the open study decides about every request, and the study writes it down.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from anonymize.egress.egress_authority import is_local_host, policy_in_force
from anonymize.egress.permit_protocol import RemoteAuthority, answer_permit
from models.weights import installed_weights
from models.weights.adding import add_weights, require_addable
from models.weights.download_sources import describe_origin, from_mirror, hub_address, index_address
from models.weights.editions import ArchiveMember, Edition, Https, HubSource
from models.weights.fetching import chosen_editions, fetch, require_online
from models.weights.weights_catalogue import find_entry
from project.entities.egress_policy import EgressRequest, Forbidden, Policy, Purpose, decide
from project.entities.study_records import Changes, Json
from project.session.jobs import JobHost, JobSpec
from project.session.session import Session
from project.text_format import format_size

KIND = "fetch"


def prepare(name: str, key: str = "") -> JobSpec:
    """Make the job that fetches some weights of the catalogue; `key` chooses one of their sources.

    Raises:
        UserError: there are none of that name, a lab brings them itself, or this machine is said to be offline.
    """
    chosen_editions(find_entry(name), key)
    require_online(name)
    return JobSpec(KIND, f"Get {name}", "", {"name": name, **({"key": key} if key else {})})


def prepare_adding(name: str, source: Path, licence: str = "") -> JobSpec:
    """Make the job that adds weights from a file or a folder.

    Raises:
        UserError: there are none of that name, there is no such file, or the licence of one's own was not said.
    """
    require_addable(find_entry(name), source, licence)
    return JobSpec(KIND, f"Add {name}", "", {"name": name, "source": str(source.absolute()), "licence": licence})


def download_question(name: str) -> str:
    """Return in a line what a button that fetches weights would do, for the person who may press it.

    Raises:
        UserError: as of `prepare`.
    """
    wanted = chosen_editions(find_entry(name))[0]
    size = sum(part.size for part in wanted.parts)
    return f"Get {name} ({format_size(size)}, {installed_weights.licence(name)}) from {describe_origin(wanted)}"


def download_refusal(session: Session, name: str, key: str = "", policy: Policy | None = None) -> Forbidden | None:
    """Return why the policy of a study forbids to fetch some weights; None where it does not. Nothing is looked up.

    Args:
        session: of the study.
        name: of the weights.
        key: chooses one of their sources.
        policy: that is asked about in place of the one in force.

    Raises:
        UserError: as of `prepare`.
    """
    scheme, host, port = _first_host(from_mirror(chosen_editions(find_entry(name), key)[0]))
    wanted = EgressRequest(Purpose.DOWNLOAD, host, port, (), is_local_host(host, port), scheme=scheme)
    try:
        decide(policy or policy_in_force(session), wanted)
    except Forbidden as forbidden:
        return forbidden
    return None


def compute(parameters: Mapping[str, Json], holder: JobHost) -> dict[str, Json]:
    """Fetch or add the weights and install them."""
    name = str(parameters["name"])
    if "source" in parameters:
        add_weights(name, Path(str(parameters["source"])), str(parameters["licence"]), holder)
    else:
        fetch(name, holder, str(parameters.get("key", "")), RemoteAuthority(holder, threadsafe=False))
    return {"name": name}


def answer(session: Session, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer whether a request may leave.

    Raises:
        Forbidden: it may not.
    """
    del work
    return answer_permit(session, question)


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Change nothing: weights belong to the machine, not to a study."""
    del session, work, result
    return Changes()


def _first_host(edition: Edition) -> tuple[str, str, int]:
    """Return how the machine that is asked first is spoken to, its name and its port."""
    match edition.parts[0].source:
        case Https(url) | ArchiveMember(url):
            address = url
        case HubSource():
            address = hub_address()
        case _:
            address = index_address()
    parts = urlsplit(address)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or (80 if parts.scheme == "http" else 443)
