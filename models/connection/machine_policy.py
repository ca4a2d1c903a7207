"""The policy and journal of this machine, used where no study is open: only models may be fetched."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_data_path

from project.codec import dump_bytes, load
from project.entities.egress_policy import Egress, EgressRequest, Forbidden, Policy, decide
from project.errors import UserError
from project.files.atomic_files import flush_folder
from project.ids import new_id

_POLICY = Policy(downloads=True, redirects=True, proxies=True)


def journal_file() -> Path:
    """Return where the requests that belong to no study are written down; it may not exist yet."""
    return user_data_path("greenroom", appauthor=False) / "requests.jsonl"


class MachineAuthority:
    """Lets models be fetched, and lets through what stays on this machine; nothing else leaves without a study."""

    threadsafe = True

    def permit(self, request: EgressRequest) -> None:
        """Return when a request may leave and its line is on disk.

        Raises:
            Forbidden: it may not.
            OSError: it cannot be written down.
        """
        permission, refusal = "", None
        try:
            permission = decide(_POLICY, request)
        except Forbidden as forbidden:
            refusal = forbidden
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        rule = refusal.rule if refusal else ""
        _append(Egress(new_id(), at, request, _POLICY.level, permission, rule))
        if refusal is not None:
            raise refusal


def read_journal() -> list[Egress]:
    """Return every request of this machine that belongs to no study, oldest first; a torn line is left out.

    Raises:
        OSError: the journal is there and cannot be read.
    """
    file = journal_file()
    if not file.is_file():
        return []
    found = []
    for line in file.read_text("utf-8", "replace").splitlines():
        try:
            found.append(load(Egress, json.loads(line), "A request"))
        except (ValueError, UserError):
            continue
    return found


def _append(new: Egress) -> None:
    """Append a line durably: it survives a power cut."""
    file = journal_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    created = not file.exists()
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        written = dump_bytes(new) + b"\n"
        if os.write(handle, written) != len(written):
            raise OSError("the journal of requests took half a line")
        os.fsync(handle)
    finally:
        os.close(handle)
    if created:
        flush_folder(file.parent)
