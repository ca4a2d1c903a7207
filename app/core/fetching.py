"""The job that fetches weights over the network, when a person asked for it in the window. It is about no recording."""

from collections.abc import Mapping

from app.core.jobs import Work
from app.core.session import Session
from models import weights
from models.catalogue import entry
from models.fetching import chosen_editions, fetch, refuse_offline
from models.sources import origin
from project.progress import Progress
from project.types import Changes, Json

KIND = "fetch"


def prepare(name: str) -> Work:
    """Make the job for some weights of the catalogue.

    Raises:
        UserError: there are none of that name, a lab brings them itself, or this machine is said to be offline.
    """
    chosen_editions(entry(name))
    refuse_offline(name)
    return Work(KIND, f"Get {name}", "", {"name": name})


def question(name: str) -> str:
    """Return in a line what a button that fetches weights would do, for the person who may press it.

    Raises:
        UserError: as of `prepare`.
    """
    wanted = chosen_editions(entry(name))[0]
    size = sum(part.size for part in wanted.parts) / 1e6
    return f"Get {name} ({size:.1f} MB, {weights.licence(name)}) from {origin(wanted)}"


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Fetch the weights and install them; the study is not needed."""
    name = str(parameters["name"])
    fetch(name, progress)
    return {"name": name}


def store(session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
    """Change nothing: weights belong to the machine, not to a study."""
    del session, work, result
    return Changes()
