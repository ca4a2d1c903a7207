"""Nothing is asked of any host: not when Presidio is imported, made, or used."""

import subprocess
import sys

_GUARDED = """
import socket, sys

asked = []

def refuse(*given, **named):
    asked.append(given)
    raise OSError("no network here")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse

from anonymize.pii_detection.presidio_engine import analyzer, find_with_presidio as presidio
from anonymize.pii_detection.pii_finder import PersonalFinder

analyzer()
text = "Mail anna.lee@example.co.uk, see www.example.org/x, card 4111 1111 1111 1111, call +44 20 7946 0958"
found = {stretch.kind for stretch in presidio(text)}
assert {"e-mail", "link", "account", "phone"} <= found, found
assert PersonalFinder().find(text)
assert not asked, asked
assert "presidio_analyzer" in sys.modules
assert not {"torch", "transformers"} & set(sys.modules)
"""


def test_no_host_is_contacted() -> None:
    done = subprocess.run([sys.executable, "-c", _GUARDED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_guard_would_see_presidio_as_it_comes() -> None:
    asks = _GUARDED[: _GUARDED.index("from anonymize")] + (
        "import tempfile, tldextract\n"
        "tldextract.TLDExtract(cache_dir=tempfile.mkdtemp())('anna@example.co.uk')\n"
        "assert asked\n"
    )
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
