"""The job that brings weights onto this machine, when a person asked for it in the window. It is about no recording.

They come over the network, or from a file or folder. Adding is work for the worker too, because it may open a network
or build one.
"""

from collections.abc import Mapping
from pathlib import Path

from app.core.jobs import Work
from app.core.session import Session
from models import weights
from models.weights.adding import add, refuse
from models.weights.catalogue import entry
from models.weights.fetching import chosen_editions, fetch, refuse_offline
from models.weights.sources import origin
from project.progress import Progress
from project.sizes import size_text
from project.types import Changes, Json

KIND = "fetch"


def prepare(name: str, key: str = "") -> Work:
    """Make the job that fetches some weights of the catalogue; `key` chooses one of their sources.

    Raises:
        UserError: there are none of that name, a lab brings them itself, or this machine is said to be offline.
    """
    chosen_editions(entry(name), key)
    refuse_offline(name)
    return Work(KIND, f"Get {name}", "", {"name": name, **({"key": key} if key else {})})


def prepare_adding(name: str, source: Path, licence: str = "") -> Work:
    """Make the job that adds weights from a file or a folder.

    Raises:
        UserError: there are none of that name, there is no such file, or the licence of one's own was not said.
    """
    refuse(entry(name), source, licence)
    return Work(KIND, f"Add {name}", "", {"name": name, "source": str(source.absolute()), "licence": licence})


def question(name: str) -> str:
    """Return in a line what a button that fetches weights would do, for the person who may press it.

    Raises:
        UserError: as of `prepare`.
    """
    wanted = chosen_editions(entry(name))[0]
    size = sum(part.size for part in wanted.parts)
    return f"Get {name} ({size_text(size)}, {weights.licence(name)}) from {origin(wanted)}"


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Fetch or add the weights and install them; the study is not needed."""
    name = str(parameters["name"])
    if "source" in parameters:
        add(name, Path(str(parameters["source"])), str(parameters["licence"]), progress)
    else:
        fetch(name, progress, str(parameters.get("key", "")))
    return {"name": name}


def store(session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
    """Change nothing: weights belong to the machine, not to a study."""
    del session, work, result
    return Changes()
