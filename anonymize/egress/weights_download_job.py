"""The job that brings weights onto this machine, when a person asked for it in the window. It is about no recording.

They come over the network, or from a file or folder. Adding is work for the worker too, because it may open a network
or build one. The policy of the open study decides about every request, and the study writes it down.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from anonymize.egress.egress_authority import policy_in_force, stays_here
from anonymize.egress.permit_protocol import RemoteAuthority, answer_permit
from models.weights import installed_weights as weights
from models.weights.adding import add, refuse
from models.weights.download_sources import hub, index_address, mirrored, origin
from models.weights.editions import ArchiveMember, Edition, Https, Hub
from models.weights.fetching import chosen_editions, fetch, refuse_offline
from models.weights.weights_catalogue import entry
from project.entities.egress_policy import EgressRequest, Forbidden, Policy, Purpose, decide
from project.entities.study_records import Changes, Json
from project.session.jobs import JobHost, JobSpec
from project.session.session import Session
from project.text_format import size_text

KIND = "fetch"


def prepare(name: str, key: str = "") -> JobSpec:
    """Make the job that fetches some weights of the catalogue; `key` chooses one of their sources.

    Raises:
        UserError: there are none of that name, a lab brings them itself, or this machine is said to be offline.
    """
    chosen_editions(entry(name), key)
    refuse_offline(name)
    return JobSpec(KIND, f"Get {name}", "", {"name": name, **({"key": key} if key else {})})


def prepare_adding(name: str, source: Path, licence: str = "") -> JobSpec:
    """Make the job that adds weights from a file or a folder.

    Raises:
        UserError: there are none of that name, there is no such file, or the licence of one's own was not said.
    """
    refuse(entry(name), source, licence)
    return JobSpec(KIND, f"Add {name}", "", {"name": name, "source": str(source.absolute()), "licence": licence})


def question(name: str) -> str:
    """Return in a line what a button that fetches weights would do, for the person who may press it.

    Raises:
        UserError: as of `prepare`.
    """
    wanted = chosen_editions(entry(name))[0]
    size = sum(part.size for part in wanted.parts)
    return f"Get {name} ({size_text(size)}, {weights.licence(name)}) from {origin(wanted)}"


def why_not(session: Session, name: str, key: str = "", policy: Policy | None = None) -> Forbidden | None:
    """Return why the policy of a study forbids to fetch some weights; None where it does not. Nothing is looked up.

    Args:
        session: of the study.
        name: of the weights.
        key: chooses one of their sources.
        policy: that is asked about in place of the one in force.

    Raises:
        UserError: as of `prepare`.
    """
    scheme, host, port = _first_host(mirrored(chosen_editions(entry(name), key)[0]))
    wanted = EgressRequest(Purpose.DOWNLOAD, host, port, (), stays_here(host, port), scheme=scheme)
    try:
        decide(policy or policy_in_force(session), wanted)
    except Forbidden as forbidden:
        return forbidden
    return None


def compute(parameters: Mapping[str, Json], holder: JobHost) -> dict[str, Json]:
    """Fetch or add the weights and install them."""
    name = str(parameters["name"])
    if "source" in parameters:
        add(name, Path(str(parameters["source"])), str(parameters["licence"]), holder)
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
        case Hub():
            address = hub()
        case _:
            address = index_address()
    parts = urlsplit(address)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or (80 if parts.scheme == "http" else 443)
