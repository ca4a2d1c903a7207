"""The flag that stops a model while it computes; its process looks at it, also from inside the library."""

import ctypes
import threading


class StopFlag:
    """Raised for one request by its number. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # An empty C string while it is down, one of a single byte while it is up.
        self._bytes = ctypes.create_string_buffer(2)
        self._current = 0
        self._stopped = 0

    @property
    def address(self) -> int:
        """Where the string lies: its length is 0 while the flag is down, 1 while it is up."""
        return ctypes.addressof(self._bytes)

    @property
    def raised(self) -> bool:
        """Whether the request that is being answered is to stop."""
        return self._bytes.raw[0] != 0

    def begin(self, number: int) -> None:
        """Take up a request; the flag is down unless it was stopped before it arrived."""
        with self._lock:
            self._current = number
            self._bytes[0] = b"\1" if number == self._stopped else b"\0"

    def stop(self, number: int) -> None:
        """Raise the flag, if that request is being answered or is still to come."""
        with self._lock:
            self._stopped = number
            if number == self._current:
                self._bytes[0] = b"\1"
