"""Notes every connection that this process tries, and every socket of the internet that it holds."""

import sys
from pathlib import Path

_LOOK_UPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
_CONNECTIONS = {"socket.connect", "socket.sendto", "socket.sendmsg"}

seen: list[tuple[str, str, str]] = []
done: list[str] = []
_doing = ["start"]


def start() -> None:
    """Watch from now on."""
    sys.addaudithook(_watch)


def doing(what: str) -> None:
    """Say what is about to be done; what was done before is over."""
    note_sockets()
    done.append(_doing[0])
    _doing[0] = what


def note_sockets() -> None:
    """Note the sockets that this process holds now, also those that native libraries opened by themselves."""
    held = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            held.add(str(entry.readlink()))
        except OSError:
            continue
    for table in ("tcp", "tcp6", "udp", "udp6"):
        file = Path("/proc/self/net") / table
        for line in file.read_text().splitlines()[1:] if file.is_file() else []:
            if f"socket:[{line.split()[9]}]" in held:
                seen.append((_doing[0], table, line.strip()))


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    looked_up = event in _LOOK_UPS and arguments[0] is not None
    connected = event in _CONNECTIONS and isinstance(arguments[1], tuple)
    if looked_up or connected:
        seen.append((_doing[0], event, str(arguments[0] if looked_up else arguments[1])))
