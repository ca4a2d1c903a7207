"""The encrypted write-ahead log of a sealed study: what was committed since it was sealed survives a kill.

The file consists of sectors of 512 bytes; each part is padded to whole sectors.

    2 heads    alike: greenroom-sealg2, SHA-256 of the header of the sealed file that the log continues, salt, MAC
    2 marks    in turn: how many records are on disk, MAC; written once a record is there
    records    number of the record, number of the attempt to write it, length, MAC; then what SQLite wrote to its
               write-ahead log in one transaction, encrypted with AES-256-GCM

Each log has keys of its own (HKDF over the study's key and the log's salt), and each attempt to write a record a number
of its own, which is the nonce: none is used twice, also when writing failed and is tried again.

The head appears together with the file, so one that does not fit was changed. A record that was acknowledged is counted
by a mark or followed by another record; where it cannot be read, the log is damaged. What lies behind the last of these
and is not whole was never acknowledged: a process was killed while it wrote. Of such a record a sector at least is zero
still, because room is taken ahead as zeros, and what is encrypted has no sector of zeros. One with all its sectors was
changed.

Version 1 (greenroom-sealog) had one head, no marks and no sectors. It is read, and not written any more.
"""

import contextlib
import errno
import hashlib
import hmac
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from project.encryption.container import KEY_BYTES, Cipher, EncryptedFileHeader, EncryptionKey, read_state
from project.errors import UserError
from project.text_format import escape_unprintable

_log = logging.getLogger(__name__)

_MAGIC = b"greenroom-sealg2"
_RECORD = b"grrecord"
_MARK = b"grmarker"
_SALT_BYTES = 32
_MAC_BYTES = 32
_TAG_BYTES = 16
_SECTOR_BYTES = 512
_HEAD_OFFSETS = (0, _SECTOR_BYTES)
_MARK_OFFSETS = (2 * _SECTOR_BYTES, 3 * _SECTOR_BYTES)
_FIRST_RECORD_OFFSET = 4 * _SECTOR_BYTES
_MARK_BYTES = len(_MARK) + 8 + _MAC_BYTES
_CORE = len(_MAGIC) + 32 + _SALT_BYTES
_PREAMBLE_BYTES = len(_RECORD) + 3 * 8 + _MAC_BYTES
_PREALLOCATED_BYTES = 8 << 20
_MIN_FREE_BYTES = 2 << 20
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT)

_MAGIC_1 = b"greenroom-sealog"
_SALT_BYTES_1 = 16
_HEAD_1 = len(_MAGIC_1) + 32 + _SALT_BYTES_1
_MAX_FLIPPED_BITS = 8


def log_path(sealed: Path) -> Path:
    """Return where the log of a sealed study lies."""
    return sealed.with_name(sealed.name + ".sealed-log")


@dataclass(frozen=True, slots=True)
class LogContent:
    """The content of the log beside a sealed study.

    Attributes:
        committed: what SQLite wrote to its write-ahead log, up to the first damage; b"" for nothing.
        records_after_damage: records that are intact and follow a damaged one; SQLite cannot apply them.
        damage: what was changed, as a clause; "" for an intact log, or none.
        salt: of the log; b"" where there is none, or its head cannot be read.
    """

    committed: bytes = b""
    records_after_damage: tuple[bytes, ...] = ()
    damage: str = ""
    salt: bytes = b""


class SealedLog:
    """The open log of a sealed study.

    Attributes:
        salt: tells this log from all others.
    """

    def __init__(self, sealed: Path, key: EncryptionKey, header: EncryptedFileHeader) -> None:
        """Create a log beside a sealed file; an older one is replaced once this one is on disk.

        Raises:
            OSError: it cannot be written; an older one is as it was.
        """
        self._path = log_path(sealed)
        self._name = sealed.name
        self.salt = os.urandom(_SALT_BYTES)
        self._cipher = _cipher(key, header, self.salt)
        self._mac_key = _mac_key(key, self.salt)
        self._count, self._attempts = 0, 0
        self._size = self._room = _FIRST_RECORD_OFFSET
        unfinished = sealed.with_name(f".{sealed.name}.{os.getpid()}.log.sealing")
        unfinished.unlink(missing_ok=True)
        self._descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            core = _MAGIC + _header_digest(header) + self.salt
            head = (core + _mac(self._mac_key, core)).ljust(_SECTOR_BYTES, b"\0")
            self._write(head * len(_HEAD_OFFSETS) + self._mark().ljust(_SECTOR_BYTES * len(_MARK_OFFSETS), b"\0"), 0)
            unfinished.replace(self._path)
            _flush_folder(self._path.parent)
        except BaseException:
            self.close()
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise

    def reserve_space(self) -> None:
        """Reserve disk space for the next transaction."""
        if self._room - self._size >= _MIN_FREE_BYTES:
            return
        try:
            os.posix_fallocate(self._descriptor, self._size, _PREALLOCATED_BYTES)
            self._room = self._size + _PREALLOCATED_BYTES
        except OSError as error:
            if error.errno in _DISK_FULL_ERRORS:
                raise UserError(
                    f"There is no room left on the disk of “{escape_unprintable(self._name)}”, so this was not saved.",
                    "Free some space and try again.",
                ) from None

    def append(self, content: bytes) -> None:
        """Append the writes of one transaction; they are on disk when this returns.

        Raises:
            OSError: it could not be written; it can be tried again.
        """
        # Before anything is written: what failed may be on the disk all the same, under this nonce.
        self._attempts += 1
        plain = len(content).to_bytes(8) + content
        plain += bytes(-(_PREAMBLE_BYTES + len(plain) + _TAG_BYTES) % _SECTOR_BYTES)
        encrypted = self._cipher.encrypt(self._attempts, plain)
        about = _RECORD + b"".join(number.to_bytes(8) for number in (self._count, self._attempts, len(encrypted)))
        record = about + _mac(self._mac_key, about) + encrypted
        self._write(record, self._size)
        self._size += len(record)
        self._count += 1
        # Not waited for: it reaches the disk with the next record, and until then the record speaks for itself.
        try:
            os.pwrite(self._descriptor, self._mark(), _MARK_OFFSETS[self._count % len(_MARK_OFFSETS)])
        except OSError as error:
            _log.warning("The log of “%s” could not be marked: %s.", escape_unprintable(self._name), error.strerror)

    @property
    def closed(self) -> bool:
        """Whether the log is closed."""
        return self._descriptor < 0

    def close(self) -> None:
        """Stop writing; the file stays. Safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Stop writing and remove the file: all of it is in the sealed file now."""
        self.close()
        self._path.unlink(missing_ok=True)

    def _mark(self) -> bytes:
        return _mark(self._mac_key, self._count)

    def _write(self, content: bytes, at: int) -> None:
        written = 0
        while written < len(content):
            written += os.pwrite(self._descriptor, content[written:], at + written)
        os.fsync(self._descriptor)


def read_log(sealed: Path, key: EncryptionKey, header: EncryptedFileHeader) -> LogContent:
    """Return what was committed after a study was sealed, and what of it was changed since."""
    try:
        content = log_path(sealed).read_bytes()
    except FileNotFoundError:
        return _content_without_log(sealed, key, header)
    except OSError as error:
        return LogContent(damage=f"it cannot be read ({error.strerror})")
    if header.version == 1:
        return _read_version_1(content, key, header)
    if content[:_HEAD_1][-_SALT_BYTES_1:] == header.absorbed_log_salt and content.startswith(_MAGIC_1):
        return _content_without_log(sealed, key, header, header.absorbed_log_salt)
    salt, base = _read_head(content, key)
    if not salt:
        return LogContent(damage="its beginning was changed, or it belongs to another study")
    if base != _header_digest(header):
        if salt == header.absorbed_log_salt:
            return _content_without_log(sealed, key, header, salt)
        return LogContent(damage="it continues another state of this study than the file that lies here", salt=salt)
    state = read_state(header, key)
    if state not in (b"", None, salt):
        return _content_without_log(sealed, key, header, salt)
    found = _read_records(content, key, header, salt, at_least=int(state == salt))
    if state is None and not found.damage:
        return replace(found, damage="nothing says any more whether it is the one with the edits made last")
    return found


def _content_without_log(
    sealed: Path, key: EncryptionKey, header: EncryptedFileHeader, salt: bytes = b""
) -> LogContent:
    """Return nothing where no log lies, or one without news; damage where the file says that there was another."""
    state = read_state(header, key)
    if state is None:
        return LogContent(damage="nothing says any more whether there is one", salt=salt)
    name = escape_unprintable(log_path(sealed).name)
    lies = f"{name} is not the log that the study names, which has edits of a session that did not end"
    missing = f"{name} is missing, with edits of a session that did not end"
    return LogContent(damage="" if not state else lies if salt else missing, salt=salt)


def _read_head(content: bytes, key: EncryptionKey) -> tuple[bytes, bytes]:
    """Return the salt of a log, and what it continues; b"" for both where no head is intact."""
    for at in _HEAD_OFFSETS:
        core, mac = content[at : at + _CORE], content[at + _CORE : at + _CORE + _MAC_BYTES]
        salt = core[-_SALT_BYTES:]
        if core.startswith(_MAGIC) and len(core) == _CORE and hmac.compare_digest(mac, _mac(_mac_key(key, salt), core)):
            return salt, core[len(_MAGIC) : -_SALT_BYTES]
    return b"", b""


def _read_records(
    content: bytes, key: EncryptionKey, header: EncryptedFileHeader, salt: bytes, at_least: int
) -> LogContent:
    mac_key, cipher = _mac_key(key, salt), _cipher(key, header, salt)
    acknowledged = _count_marked(content, mac_key)
    if acknowledged is not None:
        acknowledged = max(acknowledged, at_least)
    committed, number, at = bytearray(), 0, _FIRST_RECORD_OFFSET
    while (record := _read_record(content, at, mac_key, cipher)) is not None and record.number == number:
        committed += record.content
        number, at = number + 1, record.end
    later = tuple(_records_after(content, at, mac_key, cipher))
    damage = ""
    if acknowledged is None:
        damage = "its marks were changed"
    elif number < acknowledged or later:
        edits = max(acknowledged, number + 1 + len(later))
        damage = f"of {edits} saved edits in it, number {number + 1} was changed or cut off"
    elif not _is_unfinished(content, at, mac_key):
        damage = f"edit {number + 1} in it was changed"
    return LogContent(bytes(committed), tuple(record.content for record in later), damage, salt)


@dataclass(frozen=True, slots=True)
class _LogRecord:
    number: int
    content: bytes
    end: int


def _parse_preamble(content: bytes, at: int, mac_key: bytes) -> tuple[int, int, int] | None:
    """Return the number, the attempt and the length of the record that begins at a place; None for none."""
    about = content[at : at + _PREAMBLE_BYTES - _MAC_BYTES]
    if not about.startswith(_RECORD):
        return None
    if not hmac.compare_digest(content[at + len(about) : at + _PREAMBLE_BYTES], _mac(mac_key, about)):
        return None
    number, attempt, length = (int.from_bytes(about[i : i + 8]) for i in range(len(_RECORD), len(about), 8))
    return number, attempt, length


def _read_record(content: bytes, at: int, mac_key: bytes, cipher: Cipher) -> _LogRecord | None:
    """Return the record that begins at a place; None where none is intact there."""
    from cryptography.exceptions import InvalidTag

    known = _parse_preamble(content, at, mac_key)
    if known is None:
        return None
    number, attempt, length = known
    try:
        plain = cipher.decrypt(attempt, content[at + _PREAMBLE_BYTES : at + _PREAMBLE_BYTES + length])
    except InvalidTag:
        return None
    return _LogRecord(number, plain[8 : 8 + int.from_bytes(plain[:8])], at + _PREAMBLE_BYTES + length)


def _records_after(content: bytes, at: int, mac_key: bytes, cipher: Cipher) -> Iterator[_LogRecord]:
    """Yield the intact records that begin at a sector from a place on."""
    while at < len(content):
        record = _read_record(content, at, mac_key, cipher)
        if record is not None:
            yield record
        at = at + _SECTOR_BYTES if record is None else record.end


def _count_marked(content: bytes, mac_key: bytes) -> int | None:
    """Return how many records were acknowledged; None where no mark is intact, which never happens by itself.

    Where one of the two was changed, put in the other's place or wiped, it may have counted one record more.
    """
    counts, changed = [], []
    for slot, at in enumerate(_MARK_OFFSETS):
        mark = content[at : at + _MARK_BYTES]
        count = int.from_bytes(mark[len(_MARK) : len(_MARK) + 8])
        if hmac.compare_digest(mark, _mark(mac_key, count)) and count % len(_MARK_OFFSETS) == slot:
            counts.append(count)
        else:
            changed.append(content[at : at + _SECTOR_BYTES])
    if not counts:
        return None
    newest = max(counts)
    return newest + any(not _is_older_mark(sector, newest, mac_key) for sector in changed)


def _is_older_mark(sector: bytes, newest: int, mac_key: bytes) -> bool:
    """Tell whether a mark that cannot be read is surely the older one: but for a few bits, or blank from the start."""
    if newest == 0:
        return not any(sector)
    known = _mark(mac_key, newest - 1)
    return (int.from_bytes(sector[:_MARK_BYTES]) ^ int.from_bytes(known)).bit_count() <= _MAX_FLIPPED_BITS


def _mark(mac_key: bytes, count: int) -> bytes:
    mark = _MARK + count.to_bytes(8)
    return mark + _mac(mac_key, mark)


def _is_unfinished(content: bytes, at: int, mac_key: bytes) -> bool:
    """Tell whether what follows the last intact record is nothing, or a record that was not written to its end."""
    end = len(content.rstrip(b"\0"))
    if end <= at:
        return True
    known = _parse_preamble(content, at, mac_key)
    end = at - (at - end) // _SECTOR_BYTES * _SECTOR_BYTES if known is None else at + _PREAMBLE_BYTES + known[2]
    return any(not any(content[sector : sector + _SECTOR_BYTES]) for sector in range(at, end, _SECTOR_BYTES))


def _read_version_1(content: bytes, key: EncryptionKey, header: EncryptedFileHeader) -> LogContent:
    """Read a log of version 1. Its head had no MAC, and appeared after the file: what is all zeros was just begun.

    One that names another state of the file is passed over: a process was killed after it had sealed all of it.
    """
    from cryptography.exceptions import InvalidTag

    salt = content[_HEAD_1 - _SALT_BYTES_1 : _HEAD_1]
    if not any(content[len(_MAGIC_1) + 32 :]):
        return LogContent(salt=salt)
    if content[: len(_MAGIC_1)] != _MAGIC_1:
        return LogContent(damage="its beginning was changed")
    base = content[len(_MAGIC_1) : len(_MAGIC_1) + 32]
    if base != _header_digest(header):
        near = (int.from_bytes(base) ^ int.from_bytes(_header_digest(header))).bit_count() <= _MAX_FLIPPED_BITS
        return LogContent(damage="its beginning was changed" if near else "", salt=salt)
    cipher = Cipher(key, header, b"log" + salt)

    def record(number: int, at: int, length: int) -> bytes | None:
        try:
            return cipher.decrypt(number, content[at + 4 : at + 4 + length]) if length > _TAG_BYTES else None
        except InvalidTag:
            return None

    committed, number, at = bytearray(), 0, _HEAD_1
    end = len(content.rstrip(b"\0"))
    length = int.from_bytes(content[at : at + 4])
    while (plain := record(number, at, length)) is not None:
        committed += plain
        number, at = number + 1, at + 4 + length
        length = int.from_bytes(content[at : at + 4])
    # A record that was cut off ends before its length says, but for zeros that its tag may end with.
    whole = at < end and at + 4 + length < end + 2
    relabelled = at < end and any(record(number, at, length ^ 1 << bit) is not None for bit in range(32))
    damage = f"edit {number + 1} in it was changed" if whole or relabelled else ""
    later: list[bytes] = []
    while whole and at < end:
        number, at = number + 1, at + 4 + length
        length = int.from_bytes(content[at : at + 4])
        if (plain := record(number, at, length)) is None:
            break
        later.append(plain)
    return LogContent(bytes(committed), tuple(later), damage, salt)


def _header_digest(header: EncryptedFileHeader) -> bytes:
    return hashlib.sha256(header.raw).digest()


def _cipher(key: EncryptionKey, header: EncryptedFileHeader, salt: bytes) -> Cipher:
    return Cipher(key, header, b"log 2" + salt)


def _mac_key(key: EncryptionKey, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(hashes.SHA256(), KEY_BYTES, salt, b"greenroom sealed log 2 mac").derive(key.secret)


def _mac(key: bytes, content: bytes) -> bytes:
    return hmac.digest(key, content, "sha256")


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
