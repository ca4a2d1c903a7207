"""The format of a sealed file: a header, then AES-256-GCM chunks that cannot be changed, moved or left out unnoticed.

The file key is random; the header holds it encrypted under a key derived from the passphrase.
"""

import hashlib
import hmac
import io
import json
import os
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from project.entities.study_records import Json
from project.errors import UserError
from project.text_format import escape_unprintable, format_size, pluralize

KEY_BYTES = 32
_KDF_SALT_BYTES = 16
_NONCE_BYTES = 12
_WRAP_CONTEXT = b"greenroom sealed key 1"
_MAX_KDF_COSTS = {"memory_kib": 1 << 18, "passes": 16, "lanes": 16, "n": 1 << 18, "r": 8, "p": 4}
"""A file from a stranger must not make this machine compute for hours or fill its memory: 256 MiB at most."""
MIN_PASSPHRASE_CHARS = 8
_MIN_DISTINCT_CHARS = 4


class WrongPassphrase(UserError):
    """A passphrase does not fit; the file itself is whole."""


@dataclass(frozen=True, slots=True, repr=False)
class EncryptionKey:
    """The key of a file, and its wrapped form in the header; the passphrase is not kept."""

    secret: bytes
    wrapped: Mapping[str, Json]


def new_key(passphrase: str) -> EncryptionKey:
    """Make a random key and encrypt it under a passphrase; takes a quarter of a second on purpose."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    require_strength(passphrase)
    secret, nonce = os.urandom(KEY_BYTES), os.urandom(_NONCE_BYTES)
    how = _new_kdf_parameters()
    sealed = AESGCM(_derive_key(normalize_passphrase(passphrase), how)).encrypt(nonce, secret, _WRAP_CONTEXT)
    return EncryptionKey(secret, {**how, "nonce": _encode_base64(nonce), "key": _encode_base64(sealed)})


def open_key(wrapped: Mapping[str, Json], passphrase: str, name: str) -> EncryptionKey:
    """Return the key of a file.

    Args:
        wrapped: what its header says of the key; the header was found to be whole.
        passphrase: as somebody typed it.
        name: of the file, for messages.

    Raises:
        WrongPassphrase: it is not the one, in any form that a keyboard may give it.
        ValueError: the header makes no sense.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce, sealed = _decode_base64(wrapped, "nonce"), _decode_base64(wrapped, "key")
    if len(nonce) != _NONCE_BYTES:
        raise ValueError("nonce")
    # What was typed, and its normal form D, for files that were sealed without a normal form.
    # Last, as it was read from a file that begins with a mark of its encoding.
    normal = normalize_passphrase(passphrase)
    forms = (normal, passphrase, unicodedata.normalize("NFD", passphrase), f"\ufeff{normal}")
    for form in dict.fromkeys(forms):
        with suppress(InvalidTag):
            return EncryptionKey(AESGCM(_derive_key(form, wrapped)).decrypt(nonce, sealed, _WRAP_CONTEXT), wrapped)
    raise WrongPassphrase(
        f"This is not the passphrase of “{name}”.", "The file itself is whole. Look for capitals, and try again."
    )


def normalize_passphrase(passphrase: str) -> str:
    """Return a passphrase in one Unicode form, whichever keyboard it was typed on."""
    return unicodedata.normalize("NFC", passphrase)


def require_strength(passphrase: str) -> None:
    """Return quietly where a new passphrase is not one of the first that anybody would try."""
    hint = "Take four words or more that have nothing to do with each other, or a sentence of your own."
    characters = normalize_passphrase(passphrase).strip()
    if not characters:
        raise UserError("A passphrase cannot be empty.", hint)
    if len(characters) < MIN_PASSPHRASE_CHARS:
        raise UserError(
            f"This passphrase is too short: it has {pluralize(len(characters), 'character')}, and needs "
            f"{MIN_PASSPHRASE_CHARS} at least. A computer tries all shorter ones.",
            hint,
        )
    if len({*characters}) < _MIN_DISTINCT_CHARS:
        raise UserError("This passphrase repeats the same few characters, so it is soon guessed.", hint)


def _new_kdf_parameters() -> dict[str, Json]:
    from cryptography.exceptions import UnsupportedAlgorithm

    salt: Json = _encode_base64(os.urandom(_KDF_SALT_BYTES))
    how: dict[str, Json] = {"kdf": "argon2id", "salt": salt, "memory_kib": 65536, "passes": 3, "lanes": 4}
    try:
        _derive_key("", how)
    except UnsupportedAlgorithm:
        return {"kdf": "scrypt", "salt": salt, "n": 1 << 17, "r": 8, "p": 1}
    return how


def _derive_key(passphrase: str, how: Mapping[str, Json]) -> bytes:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    typed, salt = passphrase.encode("utf-8", "surrogateescape"), _decode_base64(how, "salt")
    match how.get("kdf"):
        case "argon2id":
            memory, passes, lanes = (_bounded_cost(how, name) for name in ("memory_kib", "passes", "lanes"))
            kdf = Argon2id(salt=salt, length=KEY_BYTES, iterations=passes, lanes=lanes, memory_cost=memory)
            return kdf.derive(typed)
        case "scrypt":
            n, r, p = (_bounded_cost(how, name) for name in ("n", "r", "p"))
            return Scrypt(salt=salt, length=KEY_BYTES, n=n, r=r, p=p).derive(typed)
    raise ValueError("kdf")


def _bounded_cost(how: Mapping[str, Json], name: str) -> int:
    value = how.get(name)
    if type(value) is not int or not 1 <= value <= _MAX_KDF_COSTS[name]:
        raise ValueError(name)
    return value


def _decode_base64(how: Mapping[str, Json], name: str) -> bytes:
    return b64decode(str(how.get(name, "")), validate=True)


def _encode_base64(data: bytes) -> str:
    return b64encode(data).decode()


MAGIC = b"greenroom-sealed"
STATE_BYTES = 512
_STATE_MAGIC = b"grstate2"
CHUNK_BYTES = 1 << 16
TAG_BYTES = 16
_SALT_BYTES = 32
_MAX_HEADER_BYTES = 1 << 16
_PREFIX_BYTES = len(MAGIC) + 4
_VERSION = 2
_CHUNK_BYTES_BY_VERSION = {1: 1 << 20, _VERSION: CHUNK_BYTES}
_MAX_FLIPPED_BITS = 8
"""Of the first 16 bytes, that may be changed: what begins so was a sealed file all the same."""


@dataclass(frozen=True, slots=True)
class EncryptedFileHeader:
    """The header of a sealed file.

    Attributes:
        wrapped: the key, encrypted under the passphrase's key, and how that is worked out.
        salt: of this sealing; no other file has it.
        raw: the bytes of all of it.
        absorbed_log_salt: the salt of the log whose edits are all in the file; b"" for none.
        version: of the format.
        state: what stands after `raw`: see `read_state`; b"" in version 1.
    """

    wrapped: Mapping[str, Json]
    salt: bytes
    raw: bytes
    absorbed_log_salt: bytes = b""
    version: int = _VERSION
    state: bytes = b""

    @property
    def chunk_bytes(self) -> int:
        """How many bytes are encrypted together."""
        return _CHUNK_BYTES_BY_VERSION[self.version]


def is_sealed(path: Path) -> bool:
    """Tell whether a file begins as a sealed one; a pipe or a device is none, and is not waited for."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return _is_magic(file.read(len(MAGIC)))
    except OSError:
        return False


def _is_magic(start: bytes) -> bool:
    """Tell whether a file begins as a sealed one, or did before a bit or two of it were changed."""
    return len(start) == len(MAGIC) and (int.from_bytes(start) ^ int.from_bytes(MAGIC)).bit_count() <= _MAX_FLIPPED_BITS


def damaged_file_error(name: str, what: str) -> UserError:
    """Return the message for a sealed file that was changed since it was sealed, whoever did it."""
    return UserError(
        f"The sealed file “{escape_unprintable(name)}” is damaged: {what}.",
        "The passphrase is not to blame. Go back to a backup: greenroom recover lists them.",
    )


def read_header(file: BinaryIO, name: str) -> EncryptedFileHeader:
    """Read what is before the chunks; `file` stands at the first one then."""
    start = file.read(len(MAGIC) + 4)
    if not _is_magic(start[: len(MAGIC)]):
        raise UserError(f"“{escape_unprintable(name)}” is not sealed.", "Seal it with: greenroom seal FILE")
    length = int.from_bytes(start[len(MAGIC) :])
    if start[: len(MAGIC)] != MAGIC or not 0 < length <= _MAX_HEADER_BYTES:
        raise damaged_file_error(name, "its beginning was changed")
    text, checksum = file.read(length), file.read(32)
    if hashlib.sha256(start + text).digest() != checksum:
        raise damaged_file_error(name, "its beginning was changed")
    try:
        found = json.loads(text)
        version = found["version"]
        if type(version) is not int or version < 1:
            raise ValueError
        if version > _VERSION:
            raise UserError(
                f"“{escape_unprintable(name)}” was sealed by a newer version of Greenroom.",
                "Install the newer version.",
            )
        salt, absorbed = bytes.fromhex(found["salt"]), bytes.fromhex(found["log"] if version > 1 else "")
        if (
            found["chunk"] != _CHUNK_BYTES_BY_VERSION[version]
            or len(salt) != _SALT_BYTES
            or not isinstance(found["key"], dict)
        ):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged_file_error(name, "its beginning makes no sense") from None
    return EncryptedFileHeader(
        found["key"], salt, start + text + checksum, absorbed, version, file.read(STATE_BYTES) if version > 1 else b""
    )


def read_repaired_header(file: BinaryIO, name: str) -> EncryptedFileHeader:
    """Read what is before the chunks, also where one bit of it was changed: its checksum tells which. For recovery."""
    try:
        return read_header(file, name)
    except UserError:
        file.seek(0)
        content = file.read(len(MAGIC) + 4 + _MAX_HEADER_BYTES + 32)
        for bit in range(8 * len(content)):
            at = bit // 8
            changed = bytearray(content[: max(_PREFIX_BYTES, at + 1)])
            changed[at] ^= 1 << bit % 8
            end = _PREFIX_BYTES + int.from_bytes(changed[len(MAGIC) : _PREFIX_BYTES]) + 32
            if at >= _PREFIX_BYTES and not at < end <= len(content):
                break
            header = bytes(changed[:end]) + content[len(changed) : end]
            if header.startswith(MAGIC) and hashlib.sha256(header[:-32]).digest() == header[-32:]:
                file.seek(end)
                state = file.read(STATE_BYTES)
                mended = read_header(io.BytesIO(header + state), name)
                file.seek(len(mended.raw) + len(mended.state))
                return mended
        raise


def read_state(header: EncryptedFileHeader, key: EncryptionKey) -> bytes | None:
    """Return the salt of the log with edits made since a file was sealed; b"" for none, None where it was changed."""
    if header.version == 1:
        return b""
    salt = header.state[len(_STATE_MAGIC) : len(_STATE_MAGIC) + _SALT_BYTES]
    if not hmac.compare_digest(header.state, _state_block(header, key, salt)):
        return None
    return salt if any(salt) else b""


def write_state(path: Path, header: EncryptedFileHeader, key: EncryptionKey, salt: bytes) -> None:
    """Say in a sealed file that there is a log with edits; it is on disk when this returns.

    Raises:
        OSError: it cannot be written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    try:
        os.pwrite(descriptor, _state_block(header, key, salt), len(header.raw))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _state_block(header: EncryptedFileHeader, key: EncryptionKey, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    own = HKDF(hashes.SHA256(), KEY_BYTES, header.salt, b"greenroom sealed 2 state").derive(key.secret)
    told = _STATE_MAGIC + salt.ljust(_SALT_BYTES, b"\0")
    return (told + hmac.digest(own, told + header.raw, "sha256")).ljust(STATE_BYTES, b"\0")


def seal(content: Iterator[bytes], file: BinaryIO, key: EncryptionKey, absorbed: bytes = b"") -> EncryptedFileHeader:
    """Write a sealed file; return its header. `absorbed` is the salt of the log whose edits are in the content."""
    salt = os.urandom(_SALT_BYTES)
    head = {
        "version": _VERSION,
        "chunk": CHUNK_BYTES,
        "salt": salt.hex(),
        "log": absorbed.hex(),
        "key": dict(key.wrapped),
    }
    text = json.dumps(head).encode()
    start = MAGIC + len(text).to_bytes(4) + text
    header = EncryptedFileHeader(key.wrapped, salt, start + hashlib.sha256(start).digest(), absorbed)
    header = replace(header, state=_state_block(header, key, b""))
    file.write(header.raw + header.state)
    cipher = Cipher(key, header)
    number, waiting = 0, b""
    for part in _split_chunks(content):
        if waiting:
            file.write(cipher.encrypt(number, waiting))
            number += 1
        waiting = part
    file.write(cipher.encrypt(number, waiting, last=True))
    return header


def unseal(
    file: BinaryIO, key: EncryptionKey, header: EncryptedFileHeader, name: str, *, lenient: bool = False
) -> Iterator[bytes]:
    """Yield the content of a sealed file whose header was read.

    Args:
        file: stands at the first chunk.
        key: of the file.
        header: of the file.
        name: for messages.
        lenient: yield zeros for a chunk that was changed, instead of refusing the file.
    """
    from cryptography.exceptions import InvalidTag

    cipher = Cipher(key, header)
    size = header.chunk_bytes + TAG_BYTES
    part, number = file.read(size), 0
    while True:
        following = file.read(size)
        try:
            yield cipher.decrypt(number, part, last=not following)
        except InvalidTag:
            if not lenient:
                place = format_size(number * header.chunk_bytes)
                raise damaged_file_error(
                    name, _describe_damage(cipher, number, part, place, last=not following)
                ) from None
            yield bytes(max(0, len(part) - TAG_BYTES))
        if not following:
            return
        part, number = following, number + 1


class Cipher:
    """Encrypts the numbered chunks of one file."""

    def __init__(self, key: EncryptionKey, header: EncryptedFileHeader, purpose: bytes = b"file") -> None:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        own = HKDF(hashes.SHA256(), KEY_BYTES, header.salt, b"greenroom sealed 1 " + purpose).derive(key.secret)
        self._cipher = AESGCM(own)
        self._bound = hashlib.sha256(header.raw).digest()

    def encrypt(self, number: int, content: bytes, *, last: bool = False) -> bytes:
        """Return a chunk and its tag."""
        return self._cipher.encrypt(_nonce(number, last), content, self._bound)

    def decrypt(self, number: int, content: bytes, *, last: bool = False) -> bytes:
        """Return what was encrypted.

        Raises:
            InvalidTag: it is not this chunk of this file.
        """
        return self._cipher.decrypt(_nonce(number, last), content, self._bound)


def _describe_damage(cipher: Cipher, number: int, part: bytes, place: str, *, last: bool) -> str:
    from cryptography.exceptions import InvalidTag

    try:
        cipher.decrypt(number, part, last=not last)
    except InvalidTag:
        return f"its content was changed about {place} from the start"
    return "its end is missing" if last else "something was added at its end"


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11) + (b"\1" if last else b"\0")


def _split_chunks(content: Iterator[bytes]) -> Iterator[bytes]:
    """Yield pieces of exactly a chunk each, but for the last one."""
    waiting = bytearray()
    for part in content:
        waiting += part
        while len(waiting) > CHUNK_BYTES:
            yield bytes(waiting[:CHUNK_BYTES])
            del waiting[:CHUNK_BYTES]
    if waiting:
        yield bytes(waiting)
