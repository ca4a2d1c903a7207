"""The SQLite that the program uses, for encrypted and for plain files alike: SQLCipher's, with one `Error` type.

It has the interface of Python's own `sqlite3`, but for `serialize`, `deserialize` and `blobopen`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3 as sqlite3
else:
    from sqlcipher3 import dbapi2 as sqlite3

    # It would write to standard error what it raises anyhow.
    sqlite3.connect(":memory:").execute("PRAGMA cipher_log_level = NONE")
