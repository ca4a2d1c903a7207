"""What goes wrong on the way, in words."""

import re

_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_CUT = re.compile(r"closed connection|disconnected")


def trouble(error: BaseException) -> str:
    """Return in a few words why a request could not be sent or answered; "" for any other error.

    There are no addresses, keys or bodies in them.
    """
    import httpx2

    if isinstance(error, httpx2.InvalidURL):
        return "this is no address"
    if not isinstance(error, httpx2.HTTPError):
        return ""
    if isinstance(error, httpx2.TimeoutException):
        return "timed out"
    said = _NUMBER.sub("", str(error))
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError) and (not said or _CUT.search(said)):
        return "the connection ended early"
    return said or type(error).__name__
